/**
 * A list of records held as bytes: pages are added, chunks are handed out. A record is never held twice, and its
 * numbers are handed out as strings of their source text.
 */
import { textOf, type RecordData } from '../../shared/changes.ts'
import { ok, type Result } from '../../shared/result.ts'
import {
  booleanOf,
  decodeErrors,
  envelopeOf,
  isEnvelope,
  isMembers,
  member,
  noEnvelope,
  scalarText,
} from '../service/envelope.ts'
import { decodeUtf8, parseJsonText } from '../service/strict-json.ts'
import type { RawAnswer, ServiceError } from '../service/wire.ts'
import { joinBlocks, quoteNumbersInBytes } from './bytes.ts'
import type { FieldShape, PageSummary } from './rows.ts'
import { splitEnvelope, type Split } from './split.ts'

const GROUP = 256
const MOST_ERRORS = 100

interface Held {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
  /** There are numbers outside strings: they are quoted when the record is handed out. */
  readonly hasNumbers: boolean
}

/** What a page adds, before it is known to be good. */
interface Found {
  readonly id: string
  /** For the words of an error; empty where there is none. */
  readonly name: string
  readonly errors: readonly ServiceError[]
  readonly held: Held | null
}

export class RecordSet {
  readonly #records: Held[] = []
  readonly #indexOfId = new Map<string, number>()
  readonly #shape = new Map<string, { readonly all: Set<string>; last: readonly string[] }>()
  #lastNames: readonly string[] = []
  readonly #encoder = new TextEncoder()

  get count(): number {
    return this.#records.length
  }

  /** Decodes, checks and keeps a page; a body that is no envelope changes nothing. */
  addPage(raw: RawAnswer): Result<PageSummary> {
    const body = joinBlocks(raw.blocks, raw.length)
    const split = splitEnvelope(body)
    const quick = split === null ? null : this.#quickly(body, split, raw.status)
    return quick === null ? this.#slowly(body, raw.status) : ok(quick)
  }

  /** Groups of items are parsed at once; what does not come out as it was split goes the slow way. */
  #quickly(body: Uint8Array, split: Split, status: number): PageSummary | null {
    const shell = decodeUtf8([body.subarray(0, split.contentsFrom), body.subarray(split.contentsTo)])
    if (!shell.ok) return null
    const head = parseJsonText(shell.value)
    if (!head.ok || !isEnvelope(head.value)) return null
    const found: Found[] = []
    for (let first = 0; first < split.count; first += GROUP) {
      const last = Math.min(first + GROUP, split.count) - 1
      const text = decodeUtf8([body.subarray(split.itemFrom[first], split.itemTo[last])])
      if (!text.ok) return null
      const items = parseItems(text.value)
      if (items === null || items.length !== last - first + 1) return null
      for (const [offset, item] of items.entries()) {
        if (!isMembers(item)) return null
        const object = member(item, 'Object')
        const from = split.objectFrom[first + offset] ?? 0
        const to = split.objectTo[first + offset] ?? 0
        const isRecord = isMembers(object) && Object.keys(object).length > 0
        if (isMembers(object) !== to > 0) return null
        const hasNumbers = split.hasNumbers[first + offset] === 1
        const held = isRecord ? { bytes: body, from, to, hasNumbers } : null
        found.push(this.#look(isRecord ? object : null, decodeErrors(member(item, 'Errors')), held))
      }
    }
    const pageText = scalarText(member(head.value, 'Page'))
    return this.#keep(found, {
      page: /^\d{1,9}$/.test(pageText) ? Number(pageText) : null,
      moreData: booleanOf(member(head.value, 'MoreData')),
      requestId: scalarText(member(head.value, 'RequestId')),
      errors: decodeErrors(member(head.value, 'Errors')),
      status,
    })
  }

  /** Any other envelope: parsed whole, and its records written anew. */
  #slowly(body: Uint8Array, status: number): Result<PageSummary> {
    const text = decodeUtf8([body])
    if (!text.ok) return text
    const parsed = parseJsonText(text.value)
    if (!parsed.ok || !isEnvelope(parsed.value)) return noEnvelope(status, text.value)
    const envelope = envelopeOf(parsed.value, status)
    const found = envelope.items.map(({ object, errors }): Found => {
      if (object === null) return this.#look(null, errors, null)
      const bytes = this.#encoder.encode(JSON.stringify(object))
      return this.#look(object, errors, { bytes, from: 0, to: bytes.length, hasNumbers: false })
    })
    return ok(this.#keep(found, { ...envelope, status }))
  }

  /** Takes from a parsed record what is needed, so that the record itself can go at once. */
  #look(
    object: Readonly<Record<string, unknown>> | null,
    errors: readonly ServiceError[],
    held: Held | null,
  ): Found {
    if (object === null) return { id: '', name: '', errors, held: null }
    this.#noteShape(object)
    const name = errors.length === 0 ? '' : textOf(member(object, 'FullName') ?? member(object, 'Name'))
    return { id: textOf(member(object, 'ID')), name, errors, held }
  }

  #keep(
    found: readonly Found[],
    head: Pick<PageSummary, 'page' | 'moreData' | 'requestId' | 'errors'> & { readonly status: number },
  ): PageSummary {
    let added = 0
    let count = 0
    let recordErrorCount = 0
    const recordErrors: PageSummary['recordErrors'][number][] = []
    for (const { id, name, errors, held } of found) {
      if (errors.length > 0) {
        recordErrorCount += 1
        if (recordErrors.length < MOST_ERRORS) recordErrors.push({ recordId: id, name, errors })
      }
      if (held === null) continue
      count += 1
      if (id !== '') {
        if (this.#indexOfId.has(id)) continue
        this.#indexOfId.set(id, this.#records.length)
      }
      this.#records.push(held)
      added += 1
    }
    const { page, moreData, requestId, errors } = head
    return { page, moreData, requestId, count, added, errors, recordErrors, recordErrorCount }
  }

  /** Records of one list have the same members nearly always, so only what differs from the last is looked at. */
  #noteShape(object: Readonly<Record<string, unknown>>): void {
    const names = Object.keys(object)
    const isUsual = sameNames(names, this.#lastNames)
    this.#lastNames = names
    for (const name of names) {
      if (!isUsual && !this.#shape.has(name)) this.#shape.set(name, { all: new Set(), last: [] })
      const value = object[name]
      if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
      const members = this.#shape.get(name)
      const inner = Object.keys(value)
      if (members === undefined || sameNames(inner, members.last)) continue
      members.last = inner
      for (const each of inner) members.all.add(each)
    }
  }

  shape(): readonly FieldShape[] {
    return [...this.#shape].map(([name, members]) => ({ name, members: [...members.all] }))
  }

  /** Bytes of a JSON array of the records from `from` on, at most `count` of them. */
  chunk(from: number, count: number): Uint8Array<ArrayBuffer> {
    const pieces = this.#records.slice(from, from + count).map(asText)
    const commas = Math.max(0, pieces.length - 1)
    const length = pieces.reduce((sum, piece) => sum + piece.length, 2 + commas)
    const bytes = new Uint8Array(length)
    bytes[0] = 0x5b
    let at = 1
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        bytes[at] = 0x2c
        at += 1
      }
      bytes.set(piece, at)
      at += piece.length
    }
    bytes[at] = 0x5d
    return bytes
  }

  byIds(ids: readonly string[]): readonly RecordData[] {
    return ids.flatMap((id) => {
      const index = this.#indexOfId.get(id)
      const held = index === undefined ? undefined : this.#records[index]
      return held === undefined ? [] : [this.#parse(held)]
    })
  }

  /** Records that carry one of the marks as `ExternalID`, or one of the names, compared without case. */
  find(marks: ReadonlySet<string>, names: ReadonlySet<string>): readonly RecordData[] {
    const found: RecordData[] = []
    for (const held of this.#records) {
      const record = this.#parse(held)
      const fullName = textOf(member(record, 'FullName'))
      const name = (fullName === '' ? textOf(member(record, 'Name')) : fullName).toLowerCase()
      if (marks.has(textOf(member(record, 'ExternalID'))) || names.has(name)) found.push(record)
    }
    return found
  }

  #parse(held: Held): RecordData {
    const text = new TextDecoder().decode(asText(held))
    return JSON.parse(text) as RecordData
  }
}

function sameNames(names: readonly string[], others: readonly string[]): boolean {
  if (names.length !== others.length) return false
  for (let index = 0; index < names.length; index += 1) if (names[index] !== others[index]) return false
  return true
}

/** The record's own bytes, its numbers quoted. */
function asText(held: Held): Uint8Array {
  if (!held.hasNumbers) return held.bytes.subarray(held.from, held.to)
  return quoteNumbersInBytes(held.bytes, held.from, held.to)
}

/** Items of one group; their numbers don't matter here, since the bytes are what is handed out. */
function parseItems(text: string): unknown[] | null {
  try {
    const items: unknown = JSON.parse(`[${text}]`)
    return Array.isArray(items) ? items : null
  } catch {
    return null
  }
}
