/**
 * A list of records held as bytes: pages are added, chunks are handed out. A record is never held twice, but several
 * that share an ID are all held; numbers are handed out as strings of their source text.
 */
import { isDeepStrictEqual } from 'node:util'
import { type JsonType, type RecordData, textOf } from '../../../shared/records/changes.ts'
import { MOST_FIELDS } from '../../../shared/records/definition.ts'
import { parseExactJson } from '../../service/protocol/json.ts'
import { alikeAmong, looseKey, markKey, nameFingerprint, nameKey } from '../../../shared/records/names.ts'
import { type Result, appError, err, ok } from '../../../shared/result.ts'
import {
  booleanOf,
  decodeErrors,
  envelopeOf,
  isEnvelope,
  member,
  noEnvelope,
  requestIdOf,
  scalarText,
} from '../../service/protocol/envelope.ts'
import { decodeUtf8, parseJsonText } from '../../service/protocol/json.ts'
import type { RawAnswer, ServiceError } from '../../service/protocol/wire.ts'
import type { FieldShape, PageSummary } from '../rows.ts'
import { AsciiWriter, joinBlocks, quoteNumbersInBytes } from './bytes.ts'
import { FieldShapes } from './field-shapes.ts'
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from './json-scan.ts'
import { EnvelopeSplit, type SplitItem } from './split.ts'

const QUOTE = 0x22
/** Of values, `null` alone begins with it. */
const LETTER_N = 0x6e

interface Held {
  /** Empty where the record has none. */
  readonly id: string
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
  /** There are numbers outside strings: they are quoted when the record is handed out. */
  readonly hasNumbers: boolean
}

/** A page whose bytes come; its records are held already, and taken back if it turns out to be none. */
interface BegunPage {
  readonly split: EnvelopeSplit
  readonly tally: PageTally
  /** Records that were held before it. */
  readonly before: number
  /** Bytes that it was given. */
  length: number
}

const TOO_MANY_FIELDS = appError(
  'too-large',
  `The records of this list have more than ${MOST_FIELDS.toLocaleString('en-US')} different fields.`,
  'No accounting list should have so many, so it can’t be shown. Tell the service’s support.',
)

/** Bytes: a draft keeps its record whole, and the window hands it over for each. */
const LARGEST_RECORD = 8_000_000

const RECORD_TOO_LARGE = appError(
  'too-large',
  'This list has a record of more than 8 MB.',
  'No accounting record should be so large, so it can’t be shown. Tell the service’s support.',
)

export class RecordSet {
  readonly #records: Held[] = []
  /** Where the first record of an ID stands. */
  readonly #indexOfId = new Map<string, number>()
  /** Where others of that ID stand, which say something else. */
  readonly #twinsOfId = new Map<string, number[]>()
  readonly #shapes = new FieldShapes()
  readonly #encoder = new TextEncoder()
  readonly #writer = new AsciiWriter()
  #begun: BegunPage | null = null
  #hasTooLarge = false

  get count(): number {
    return this.#records.length
  }

  /** Bytes of a page that is still on its way, in their order: the records that are whole are there at once. */
  addBytes(block: Uint8Array): void {
    const page = (this.#begun ??= this.#begin())
    page.length += block.length
    this.#take(page, page.split.take(block))
  }

  /** No more of the page comes; its records that are whole are kept. */
  keepBegun(): void {
    if (this.#begun !== null) this.#shapes.noteNames(this.#begun.split.names)
    this.#begun = null
  }

  /**
   * Decodes, checks and keeps a page, of which the first bytes may have been added before; a body that is no
   * envelope changes nothing.
   */
  addPage(raw: RawAnswer): Result<PageSummary> {
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
      const held = to === 0 ? null : { id, bytes: body, from, to, hasNumbers }
      const errors = decodeErrors(valueAt(body, item.errorsFrom, item.errorsTo))
      const name = errors.length === 0 || held === null ? '' : recordName(parse(held))
      page.tally.note({ id, name, errors, record: held === null ? 'none' : this.#hold(held) })
    }
  }

  /** The head is parsed; records were only found and checked, and stay as they came. */
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

  /** A page of nothing but IDs that were there before is a page that came again, whatever else it says by now. */
  #dropRepeated(page: Pick<BegunPage, 'before' | 'tally'>): void {
    if (page.before === 0 || page.tally.added > 0) return
    this.#takeBack(page)
    page.tally.isRepeated()
  }

  /** Any other envelope: parsed whole, and its records written anew. */
  #slowly(body: Uint8Array, status: number): Result<PageSummary> {
    const text = decodeUtf8([body])
    if (!text.ok) return text
    const parsed = parseJsonText(text.value)
    if (!parsed.ok || !isEnvelope(parsed.value)) return noEnvelope(status, text.value)
    const envelope = envelopeOf(parsed.value, status)
    // The same once more, for the records as they came.
    const exact = envelopeOf(parseExactJson(text.value) as typeof parsed.value, status).items
    const tally = new PageTally()
    const before = this.#records.length
    for (const [at, { object, errors }] of envelope.items.entries()) {
      const asItCame = exact[at]?.object ?? null
      if (object === null || asItCame === null) {
        tally.note({ id: '', name: '', errors, record: 'none' })
        continue
      }
      this.#shapes.noteRecord(asItCame)
      const bytes = this.#encoder.encode(JSON.stringify(asItCame))
      const id = textOf(member(object, 'ID'))
      const record = this.#hold({ id, bytes, from: 0, to: bytes.length, hasNumbers: true })
      tally.note({ id, name: recordName(object), errors, record })
    }
    this.#dropRepeated({ before, tally })
    return this.#bounded({ before }, tally.summary({ ...envelope, status }))
  }

  #bounded(page: Pick<BegunPage, 'before'>, summary: PageSummary): Result<PageSummary> {
    if (!this.#shapes.hasMore && !this.#hasTooLarge) return ok(summary)
    this.#takeBack(page)
    return err(this.#hasTooLarge ? RECORD_TOO_LARGE : TOO_MANY_FIELDS)
  }

  /** A record is held once; one that says something else under the same ID is another one. */
  #hold(held: Held): HeldAs {
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

  /** Takes over the other set's records: what it has by the same id is newer, what is not there yet comes last. */
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
    // A page that is taken back may leave a name behind, in a list that was about to be shown with it.
    if (this.#begun !== null) this.#shapes.noteNames(this.#begun.split.names)
    return this.#shapes.all()
  }

  /** Bytes of a JSON array of the records from `from` on, at most `count` of them; ASCII alone. */
  chunk(from: number, count: number): Uint8Array<ArrayBuffer> {
    const writer = this.#writer
    writer.begin()
    writer.put(OPEN_BRACKET)
    for (const [index, held] of this.#records.slice(from, from + count).entries()) {
      if (index > 0) writer.put(COMMA)
      writer.write(asText(held))
    }
    writer.put(CLOSE_BRACKET)
    return writer.written()
  }

  types(): ReadonlyMap<string, JsonType> {
    return this.#shapes.types()
  }

  /** All records of these IDs as JSON text, as they came; several of one where they share it. */
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

  /** The IDs of the records with the fingerprints of their names. */
  fingerprints(): ReadonlyMap<string, string> {
    const named = this.#records.filter(({ id }) => id !== '')
    return new Map(named.map((held) => [held.id, nameFingerprint(recordName(parse(held)))]))
  }

  /** The records that are not among `known`. An ID that has another name by now may be another record's. */
  newcomers(known: ReadonlyMap<string, string>): readonly RecordData[] {
    return this.#records.flatMap((held) => {
      if (held.id === '') return []
      const record = parse(held)
      return known.get(held.id) === nameFingerprint(recordName(record)) ? [] : [record]
    })
  }

  /**
   * Records that carry one of the marks as `ExternalID` (`markKey`), a name like one of the names, or one of the values
   * in a field of their own.
   */
  find(
    marks: ReadonlySet<string>,
    names: ReadonlySet<string>,
    values: ReadonlySet<string> = new Set(),
  ): readonly RecordData[] {
    const found: RecordData[] = []
    const keys = new Set([...names].map(nameKey).filter((key) => key !== ''))
    const isAlike = alikeAmong([...keys].map(looseKey))
    const markKeys = new Set([...marks].map(markKey).filter((key) => key !== ''))
    for (const held of this.#records) {
      const record = parse(held)
      const isNamed = ['FullName', 'Name'].some((field) => {
        const name = textOf(member(record, field))
        return keys.size > 0 && (keys.has(nameKey(name)) || isAlike(looseKey(name)))
      })
      const isMarked = markKeys.has(markKey(textOf(member(record, 'ExternalID'))))
      const hasValue =
        values.size > 0 && Object.values(record).some((each) => typeof each === 'string' && values.has(each))
      if (isMarked || isNamed || hasValue) found.push(record)
    }
    return found
  }
}

/** What the words of an error call a record. */
function recordName(object: Readonly<Record<string, unknown>>): string {
  return textOf(member(object, 'FullName') ?? member(object, 'Name'))
}

/** Whether two records of one ID are one that came twice. */
function isSame(known: Held | undefined, held: Held): boolean {
  if (known === undefined) return false
  const isByteForByte =
    Buffer.compare(known.bytes.subarray(known.from, known.to), held.bytes.subarray(held.from, held.to)) === 0
  return isByteForByte || isDeepStrictEqual(parse(known), parse(held))
}

const decoder = new TextDecoder()

/** The record's own bytes, its numbers quoted. */
function asText(held: Held): Uint8Array {
  if (!held.hasNumbers) return held.bytes.subarray(held.from, held.to)
  return quoteNumbersInBytes(held.bytes, held.from, held.to)
}

function parse(held: Held): RecordData {
  return JSON.parse(decoder.decode(asText(held))) as RecordData
}

/** The value whose bytes the scan found there, its numbers as text; `undefined` where there is none. */
function valueAt(body: Buffer, from: number, to: number): unknown {
  if (to === 0) return undefined
  // Most are null, or a string that means itself.
  if (body[from] === LETTER_N) return null
  if (body[from] === QUOTE) {
    const text = body.toString('utf8', from + 1, to - 1)
    if (!text.includes('\\')) return text
  }
  const value = parseJsonText(body.toString('utf8', from, to))
  return value.ok ? value.value : undefined
}

// Counts what the items of one page are, for its summary.

const MOST_ERRORS = 100
/** More IDs than words can name. */
const MOST_SHARED = 5

/** What a record turned out to be: a twin has the ID of another one, and says something else. */
export type HeldAs = 'added' | 'twin' | 'repeated'

/** One content item. */
interface Item {
  readonly id: string
  /** For the words of an error; empty where there is none. */
  readonly name: string
  readonly errors: readonly ServiceError[]
  readonly record: HeldAs | 'none'
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
  #empty = 0
  readonly #recordErrors: PageSummary['recordErrors'][number][] = []
  readonly #refusals: (readonly ServiceError[])[] = []

  /** Records that were not held before, without twins. */
  get added(): number {
    return this.#added
  }

  /** Its twins were none: the page is one that came before. */
  isRepeated(): void {
    this.#twins = 0
    this.#sharedIds.clear()
  }

  note({ id, name, errors, record }: Item): void {
    const hasRecord = record !== 'none'
    if (errors.length > 0 && hasRecord && this.#recordErrors.length < MOST_ERRORS) {
      this.#recordErrors.push({ recordId: id, name, errors })
    }
    if (errors.length > 0 && !hasRecord && this.#refusals.length < MOST_ERRORS) this.#refusals.push(errors)
    if (!hasRecord && errors.length === 0) this.#empty += 1
    if (hasRecord) this.#count += 1
    if (record === 'added') this.#added += 1
    if (record !== 'twin') return
    this.#twins += 1
    if (this.#sharedIds.size < MOST_SHARED) this.#sharedIds.add(id)
  }

  /** With what the envelope around the items says. */
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
      empty: this.#empty,
      isErrorUntold: hasErrors && errors.length + this.#recordErrors.length + this.#refusals.length === 0,
    }
  }
}
