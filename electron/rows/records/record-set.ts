/**
 * A list of records, kept as bytes. Pages go in and chunks come out, with numbers as strings of their source text. The
 * same record is never kept twice, but different records with the same ID are all kept.
 */
import { isDeepStrictEqual } from 'node:util'
import { type JsonType, type RecordData, textOf } from '../../../shared/records/changes.ts'
import { MAX_FIELDS } from '../../../shared/records/definition.ts'
import {
  alikeAmong,
  externalIdKey,
  looseKey,
  nameFingerprint,
  nameKey,
} from '../../../shared/records/names.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import {
  booleanOf,
  decodeErrors,
  decodeUtf8,
  envelopeOf,
  isEnvelope,
  member,
  noEnvelopeError,
  parseExactJson,
  parseJsonText,
  requestIdOf,
  scalarText,
} from '../../service/protocol/envelope.ts'
import type { RawResponse, ServiceError } from '../../service/protocol/wire.ts'
import type { FieldShape, PageSummary, RecordChunk } from '../rows.ts'
import { AsciiWriter, joinBlocks, quoteNumbersInBytes } from './bytes.ts'
import { FieldShapes } from './field-shapes.ts'
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from './json-scan.ts'
import { EnvelopeSplit, type SplitItem } from './split.ts'

const QUOTE = 0x22
/** `null` is the only value that starts with it. */
const LETTER_N = 0x6e

/** A record as it arrived, in the bytes around it. */
export interface HeldRecord {
  /** Empty if the record has no ID. */
  readonly id: string
  /** Its full name, or else its name or ID. `null` if only parsing the record tells, as where `ID` has another case. */
  readonly name: string | null
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
  /** Whether there are numbers outside strings, which are quoted on the way out. */
  readonly hasNumbers: boolean
}

/** A page that is still arriving. Its records are kept already, and removed if it turns out not to be an envelope. */
interface BegunPage {
  readonly split: EnvelopeSplit
  readonly tally: PageTally
  /** The number of records before it. */
  readonly before: number
  /** The number of bytes so far. */
  length: number
}

const tooManyFields = (): AppError =>
  appError(
    'too-large',
    `This list has more than ${MAX_FIELDS.toLocaleString('en-US')} fields, too many to show.`,
    'No accounting list should have so many. Contact the service’s support.',
  )

/** In bytes. A draft keeps its whole record, and the window passes it along with each draft. */
const LARGEST_RECORD = 8_000_000

const RECORD_TOO_LARGE = appError(
  'too-large',
  'This list has a record of more than 8 MB.',
  'No accounting record should be so large, so it can’t be shown. Contact the service’s support.',
)

export class RecordSet {
  readonly #records: HeldRecord[] = []
  /** The index of the first record with an ID. */
  readonly #indexOfId = new Map<string, number>()
  /** The indexes of different records with the same ID. */
  readonly #twinsOfId = new Map<string, number[]>()
  readonly #shapes: FieldShapes
  readonly #encoder = new TextEncoder()
  readonly #writer = new AsciiWriter()
  #begun: BegunPage | null = null
  #hasTooLarge = false

  /** @param shapes of the records that will be added with `addHeld` */
  constructor(shapes = new FieldShapes()) {
    this.#shapes = shapes
  }

  get count(): number {
    return this.#records.length
  }

  /** Adds bytes of a page that is still arriving. Complete records are available at once. */
  addBytes(block: Uint8Array): void {
    const page = (this.#begun ??= this.#begin())
    page.length += block.length
    this.#take(page, page.split.take(block))
  }

  /** Keeps the complete records of an interrupted page. */
  keepBegun(): void {
    if (this.#begun !== null) this.#shapes.noteNames(this.#begun.split.names)
    this.#begun = null
  }

  /**
   * Decodes, checks, and adds a page, even if its first bytes were already added. A body that is not an envelope
   * changes nothing.
   */
  addPage(raw: RawResponse): Result<PageSummary> {
    const page = this.#begun ?? this.#begin()
    this.#begun = null
    let at = 0
    for (const block of raw.blocks) {
      const known = Math.min(block.length, Math.max(0, page.length - at))
      if (known < block.length) this.#take(page, page.split.take(block.subarray(known)))
      at += block.length
    }
    const quick = this.#end(page, raw.status)
    if (quick !== null) return this.#bounded(page, quick)
    this.#takeBack(page)
    return this.#slowly(joinBlocks(raw.blocks, raw.length), raw.status)
  }

  #begin(): BegunPage {
    const before = this.#records.length
    return { split: new EnvelopeSplit(), tally: new PageTally(), before, length: 0 }
  }

  #take(page: BegunPage, items: readonly SplitItem[]): void {
    for (const item of items) {
      const { body, objectFrom: from, objectTo: to, hasNumbers } = item
      const id = textOf(valueAt(body, item.idFrom, item.idTo))
      const held = to === 0 ? null : { id, name: nameOf(item, id), bytes: body, from, to, hasNumbers }
      const errors = decodeErrors(valueAt(body, item.errorsFrom, item.errorsTo))
      page.tally.note(this.#itemOf(held, errors))
    }
  }

  /** Adds a record, and describes its item for the tally. */
  #itemOf(held: HeldRecord | null, errors: readonly ServiceError[]): Item {
    if (held === null) return { id: '', name: '', errors, record: 'none' }
    const { id } = held
    if (errors.length === 0) return { id, name: '', errors, record: this.#hold(held) }
    const record = parse(held)
    const name = recordName(record) || id
    return { id, name, errors, record: isBare(record) ? 'bare' : this.#hold(held) }
  }

  /** Adds a page by scanning: its head is parsed; its records are checked and kept as they are. */
  #end(page: BegunPage, status: number): PageSummary | null {
    const end = page.split.end()
    if (end === null) return null
    const shell = decodeUtf8([end.shell])
    const head = shell.ok ? parseJsonText(shell.value) : shell
    if (!head.ok || !isEnvelope(head.value)) return null
    this.#take(page, end.items)
    this.#shapes.noteNames(page.split.names)
    this.#dropRepeated(page)
    const pageText = scalarText(member(head.value, 'Page'))
    return page.tally.summary({
      page: /^\d{1,9}$/.test(pageText) ? Number(pageText) : null,
      moreData: booleanOf(member(head.value, 'MoreData')),
      requestId: requestIdOf(head.value),
      errors: decodeErrors(member(head.value, 'Errors')),
      hasErrors: booleanOf(member(head.value, 'HasErrors')) === true,
      status,
    })
  }

  #takeBack({ before }: Pick<BegunPage, 'before'>): void {
    const isOlder = (index: number): boolean => index < before
    for (const { id } of this.#records.splice(before)) {
      if (!isOlder(this.#indexOfId.get(id) ?? -1)) this.#indexOfId.delete(id)
      const twins = this.#twinsOfId.get(id)?.filter(isOlder) ?? []
      if (twins.length === 0) this.#twinsOfId.delete(id)
      else this.#twinsOfId.set(id, twins)
    }
  }

  /** A page with only known IDs is a repeated page, even if its records have changed since. */
  #dropRepeated(page: Pick<BegunPage, 'before' | 'tally'>): void {
    if (page.before === 0 || page.tally.added > 0) return
    this.#takeBack(page)
    page.tally.isRepeated()
  }

  /** Adds any other envelope by parsing it and writing its records again. */
  #slowly(body: Uint8Array, status: number): Result<PageSummary> {
    const text = decodeUtf8([body])
    if (!text.ok) return text
    const parsed = parseJsonText(text.value)
    if (!parsed.ok || !isEnvelope(parsed.value)) return noEnvelopeError(status, text.value, parsed)
    const envelope = envelopeOf(parsed.value, status)
    // Parsed again, with numbers as they arrived.
    const exact = envelopeOf(parseExactJson(text.value) as typeof parsed.value, status).items
    const tally = new PageTally()
    const before = this.#records.length
    for (const [at, { object, errors }] of envelope.items.entries()) {
      const asItCame = exact[at]?.object ?? null
      if (object === null || asItCame === null) {
        tally.note(this.#itemOf(null, errors))
        continue
      }
      this.#shapes.noteRecord(asItCame)
      const bytes = this.#encoder.encode(JSON.stringify(asItCame))
      const id = textOf(member(object, 'ID'))
      const held = { id, name: null, bytes, from: 0, to: bytes.length, hasNumbers: true }
      tally.note(this.#itemOf(held, errors))
    }
    this.#dropRepeated({ before, tally })
    return this.#bounded({ before }, tally.summary({ ...envelope, status }))
  }

  #bounded(page: Pick<BegunPage, 'before'>, summary: PageSummary): Result<PageSummary> {
    if (!this.#shapes.hasMore && !this.#hasTooLarge) return ok(summary)
    this.#takeBack(page)
    return err(this.#hasTooLarge ? RECORD_TOO_LARGE : tooManyFields())
  }

  /** Adds a record unless the same record is already there. One with the same ID and other values is a new record. */
  #hold(held: HeldRecord): HeldKind {
    this.#hasTooLarge ||= held.to - held.from > LARGEST_RECORD
    const { id } = held
    const first = id === '' ? undefined : this.#indexOfId.get(id)
    if (first === undefined) {
      if (id !== '') this.#indexOfId.set(id, this.#records.length)
      this.#records.push(held)
      return 'added'
    }
    const twins = this.#twinsOfId.get(id) ?? []
    const isKnown = [first, ...twins].some((index) => isSame(this.#records[index], held))
    if (isKnown) return 'repeated'
    this.#twinsOfId.set(id, [...twins, this.#records.length])
    this.#records.push(held)
    return 'twin'
  }

  /** Returns records from an index on, up to this many bytes in total, but at least one if there is one. */
  heldFrom(from: number, mostBytes: number): readonly HeldRecord[] {
    let bytes = 0
    let next = from
    for (let held = this.#records[next]; held !== undefined; held = this.#records[next]) {
      bytes += held.to - held.from
      if (next > from && bytes > mostBytes) break
      next += 1
    }
    return this.#records.slice(from, next)
  }

  /** Adds records from another set. */
  addHeld(records: readonly HeldRecord[]): void {
    for (const held of records) this.#hold(held)
  }

  get shapes(): FieldShapes {
    return this.#shapes
  }

  /** At most `count` records from `from` on, parsed. */
  *records(from: number, count: number): Generator<RecordData> {
    for (const held of this.#records.slice(from, from + count)) yield parse(held)
  }

  /** Replaces records by those (JSON texts) with the same ID, and appends new ones. */
  patch(texts: readonly string[]): void {
    const newer = new RecordSet()
    for (const text of texts) {
      const bytes = this.#encoder.encode(text)
      const id = textOf((JSON.parse(text) as RecordData)['ID'])
      newer.#hold({ id, name: null, bytes, from: 0, to: bytes.length, hasNumbers: true })
    }
    this.merge(newer)
  }

  /** Merges a newer set: its records replace those with the same ID, and new ones come last. */
  merge(newer: RecordSet): void {
    const taken = new Set<string>()
    for (const held of newer.#records) {
      const known = taken.has(held.id) ? undefined : this.#indexOfId.get(held.id)
      taken.add(held.id)
      if (known === undefined) this.#hold(held)
      else this.#records[known] = held
    }
    this.#shapes.merge(newer.#shapes)
  }

  shape(): readonly FieldShape[] {
    // A page that was removed again may leave a field name behind.
    if (this.#begun !== null) this.#shapes.noteNames(this.#begun.split.names)
    return this.#shapes.all()
  }

  /** At most `count` records from `from` on. */
  chunk(from: number, count: number): RecordChunk {
    const writer = this.#writer
    const records = this.#records.slice(from, from + count)
    const lengths: number[] = []
    writer.begin()
    writer.put(OPEN_BRACKET)
    for (const [index, held] of records.entries()) {
      if (index > 0) writer.put(COMMA)
      const start = writer.length
      writer.write(asText(held))
      lengths.push(writer.length - start)
    }
    writer.put(CLOSE_BRACKET)
    return {
      bytes: writer.written(),
      lengths,
      ids: records.map(({ id, name }) => (name === null ? null : id)),
      names: records.map(({ name }) => name),
    }
  }

  types(): ReadonlyMap<string, JsonType> {
    return this.#shapes.types()
  }

  /** All records with these IDs, as the JSON text that arrived. Several records can share an ID. */
  byIds(ids: readonly string[]): readonly string[] {
    return ids.flatMap((id) => {
      const first = this.#indexOfId.get(id)
      const indexes = first === undefined ? [] : [first, ...(this.#twinsOfId.get(id) ?? [])]
      return indexes.flatMap((index) => {
        const held = this.#records[index]
        return held === undefined ? [] : [decoder.decode(held.bytes.subarray(held.from, held.to))]
      })
    })
  }

  /** A fingerprint of each record's name, by ID. */
  fingerprints(): ReadonlyMap<string, string> {
    const named = this.#records.filter(({ id }) => id !== '')
    return new Map(named.map((held) => [held.id, nameFingerprint(recordName(parse(held)))]))
  }

  /** The records that are not in `known`. An ID whose name changed may now belong to another record. */
  newRecords(known: ReadonlyMap<string, string>): readonly RecordData[] {
    return this.#records.flatMap((held) => {
      if (held.id === '') return []
      const record = parse(held)
      return known.get(held.id) === nameFingerprint(recordName(record)) ? [] : [record]
    })
  }

  /**
   * Finds records with one of the external IDs (compared by `externalIdKey`), with a similar name, or with a field that has one
   * of the values.
   */
  find(
    externalIds: ReadonlySet<string>,
    names: ReadonlySet<string>,
    values: ReadonlySet<string> = new Set(),
  ): readonly RecordData[] {
    const found: RecordData[] = []
    const keys = new Set([...names].map(nameKey).filter((key) => key !== ''))
    const isAlike = alikeAmong([...keys].map(looseKey))
    const wanted = new Set([...externalIds].map(externalIdKey).filter((key) => key !== ''))
    for (const held of this.#records) {
      const record = parse(held)
      const isNamed = ['FullName', 'Name'].some((field) => {
        const name = textOf(member(record, field))
        return keys.size > 0 && (keys.has(nameKey(name)) || isAlike(looseKey(name)))
      })
      const hasWantedId = wanted.has(externalIdKey(textOf(member(record, 'ExternalID'))))
      const hasValue =
        values.size > 0 && Object.values(record).some((each) => typeof each === 'string' && values.has(each))
      if (hasWantedId || isNamed || hasValue) found.push(record)
    }
    return found
  }
}

/** The name of a record in an error message. */
function recordName(object: Readonly<Record<string, unknown>>): string {
  return textOf(member(object, 'FullName') ?? member(object, 'Name'))
}

/** Whether a record has nothing but its ID. With an error beside it, it says nothing about the record's values. */
function isBare(record: RecordData): boolean {
  return Object.entries(record).every(([field, value]) => /^id$/i.test(field) || textOf(value) === '')
}

/** Whether two records with the same ID are the same record. */
function isSame(known: HeldRecord | undefined, held: HeldRecord): boolean {
  if (known === undefined) return false
  const isByteForByte =
    Buffer.compare(known.bytes.subarray(known.from, known.to), held.bytes.subarray(held.from, held.to)) === 0
  return isByteForByte || isDeepStrictEqual(parse(known), parse(held))
}

const decoder = new TextDecoder()

/** The bytes of a record with its numbers quoted. */
function asText(held: HeldRecord): Uint8Array {
  if (!held.hasNumbers) return held.bytes.subarray(held.from, held.to)
  return quoteNumbersInBytes(held.bytes, held.from, held.to)
}

function parse(held: HeldRecord): RecordData {
  return JSON.parse(decoder.decode(asText(held))) as RecordData
}

/** The name of an item's record as the window shows it. `null` if the window would find no ID where the scan did. */
function nameOf(
  { body, isPlainId, fullNameFrom, fullNameTo, nameFrom, nameTo }: SplitItem,
  id: string,
): string | null {
  if (!isPlainId) return null
  return textOf(valueAt(body, fullNameFrom, fullNameTo)) || textOf(valueAt(body, nameFrom, nameTo)) || id
}

/** Parses a value that the scan found, with numbers as text. `undefined` if there is none. */
function valueAt(body: Buffer, from: number, to: number): unknown {
  if (to === 0) return undefined
  // Most values are null or a string without escapes.
  if (body[from] === LETTER_N) return null
  if (body[from] === QUOTE) {
    const text = body.toString('utf8', from + 1, to - 1)
    if (!text.includes('\\')) return text
  }
  const value = parseJsonText(body.toString('utf8', from, to))
  return value.ok ? value.value : undefined
}

// Counts the items of a page for its summary.

const MAX_ERRORS = 100
/** The most IDs to name in a message. */
const MAX_SHARED = 5

/** What a record is to the set. A twin has the ID of another record and different values. */
export type HeldKind = 'added' | 'twin' | 'repeated'

/** A content item. */
interface Item {
  readonly id: string
  /** The name in error messages. Empty if there is none. */
  readonly name: string
  readonly errors: readonly ServiceError[]
  /** `bare` is an ID with an error and without values. It is not added. */
  readonly record: HeldKind | 'bare' | 'none'
}

type Head = Pick<PageSummary, 'page' | 'moreData' | 'requestId' | 'errors'> & {
  readonly hasErrors: boolean
  readonly status: number
}

class PageTally {
  #count = 0
  #added = 0
  #twins = 0
  readonly #sharedIds = new Set<string>()
  #bare = 0
  #empty = 0
  readonly #recordErrors: PageSummary['recordErrors'][number][] = []
  readonly #refusals: (readonly ServiceError[])[] = []

  /** New records, without twins. */
  get added(): number {
    return this.#added
  }

  /** Counts no twins, because the page is a repeated one. */
  isRepeated(): void {
    this.#twins = 0
    this.#sharedIds.clear()
  }

  note({ id, name, errors, record }: Item): void {
    const hasRecord = record !== 'none'
    const isBare = record === 'bare'
    if (errors.length > 0 && hasRecord && this.#recordErrors.length < MAX_ERRORS) {
      this.#recordErrors.push({ recordId: id, name, errors, isBare })
    }
    if (errors.length > 0 && !hasRecord && this.#refusals.length < MAX_ERRORS) this.#refusals.push(errors)
    if (!hasRecord && errors.length === 0) this.#empty += 1
    if (hasRecord) this.#count += 1
    if (isBare) this.#bare += 1
    if (record === 'added') this.#added += 1
    if (record !== 'twin') return
    this.#twins += 1
    if (this.#sharedIds.size < MAX_SHARED) this.#sharedIds.add(id)
  }

  /** Adds what the envelope says about the whole page. */
  summary({ page, moreData, requestId, errors, hasErrors }: Head): PageSummary {
    return {
      page,
      moreData,
      requestId,
      count: this.#count,
      added: this.#added,
      twins: this.#twins,
      sharedIds: [...this.#sharedIds],
      errors,
      recordErrors: this.#recordErrors,
      refusals: this.#refusals,
      bare: this.#bare,
      empty: this.#empty,
      hasUnlistedErrors: hasErrors && errors.length + this.#recordErrors.length + this.#refusals.length === 0,
    }
  }
}
