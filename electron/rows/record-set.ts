/**
 * A list of records held as bytes: pages are added, chunks are handed out. A record is never held twice, and its
 * numbers are handed out as strings of their source text.
 */
import { isUtf8 } from 'node:buffer'
import { textOf, type RecordData } from '../../shared/changes.ts'
import { nameKey } from '../../shared/names.ts'
import { ok, type Result } from '../../shared/result.ts'
import {
  booleanOf,
  decodeErrors,
  envelopeOf,
  isEnvelope,
  isMembers,
  member,
  noEnvelope,
  requestIdOf,
  scalarText,
} from '../service/envelope.ts'
import { decodeUtf8, parseJsonText } from '../service/strict-json.ts'
import type { RawAnswer, ServiceError } from '../service/wire.ts'
import { joinBlocks, quoteNumbersInBytes } from './bytes.ts'
import type { MemberNames } from './member-names.ts'
import type { FieldShape, PageSummary } from './rows.ts'
import { splitEnvelope } from './split.ts'

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
  readonly #shape = new Map<string, Set<string>>()
  readonly #encoder = new TextEncoder()

  get count(): number {
    return this.#records.length
  }

  /** Decodes, checks and keeps a page; a body that is no envelope changes nothing. */
  addPage(raw: RawAnswer): Result<PageSummary> {
    const body = joinBlocks(raw.blocks, raw.length)
    const quick = this.#quickly(body, raw.status)
    return quick === null ? this.#slowly(body, raw.status) : ok(quick)
  }

  /** The head is parsed; records were only found and checked, and stay as they came. */
  #quickly(body: Uint8Array, status: number): PageSummary | null {
    const split = isUtf8(body) ? splitEnvelope(body) : null
    if (split === null) return null
    const shell = decodeUtf8([body.subarray(0, split.contentsFrom), body.subarray(split.contentsTo)])
    const head = shell.ok ? parseJsonText(shell.value) : shell
    if (!head.ok || !isEnvelope(head.value)) return null
    this.#noteNames(split.names)
    const found = split.items.map((item): Found => {
      const { objectFrom: from, objectTo: to, hasNumbers } = item
      const held = to === 0 ? null : { bytes: body, from, to, hasNumbers }
      const errors = decodeErrors(valueAt(body, item.errorsFrom, item.errorsTo))
      const name = errors.length === 0 || held === null ? '' : recordName(parse(held))
      return { id: textOf(valueAt(body, item.idFrom, item.idTo)), name, errors, held }
    })
    const pageText = scalarText(member(head.value, 'Page'))
    return this.#keep(found, {
      page: /^\d{1,9}$/.test(pageText) ? Number(pageText) : null,
      moreData: booleanOf(member(head.value, 'MoreData')),
      requestId: requestIdOf(head.value),
      errors: decodeErrors(member(head.value, 'Errors')),
      hasErrors: booleanOf(member(head.value, 'HasErrors')) === true,
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
      if (object === null) return { id: '', name: '', errors, held: null }
      this.#noteRecord(object)
      const bytes = this.#encoder.encode(JSON.stringify(object))
      const held = { bytes, from: 0, to: bytes.length, hasNumbers: false }
      return { id: textOf(member(object, 'ID')), name: recordName(object), errors, held }
    })
    return ok(this.#keep(found, { ...envelope, status }))
  }

  #keep(
    found: readonly Found[],
    head: Pick<PageSummary, 'page' | 'moreData' | 'requestId' | 'errors'> & {
      readonly hasErrors: boolean
      readonly status: number
    },
  ): PageSummary {
    let added = 0
    let count = 0
    let empty = 0
    let recordErrorCount = 0
    const recordErrors: PageSummary['recordErrors'][number][] = []
    for (const { id, name, errors, held } of found) {
      if (errors.length > 0) {
        recordErrorCount += 1
        if (recordErrors.length < MOST_ERRORS) recordErrors.push({ recordId: id, name, errors })
      }
      if (held === null && errors.length === 0) empty += 1
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
    const isErrorUntold = head.hasErrors && errors.length === 0 && recordErrorCount === 0
    return {
      page,
      moreData,
      requestId,
      count,
      added,
      errors,
      recordErrors,
      recordErrorCount,
      empty,
      isErrorUntold,
    }
  }

  #noteNames(names: MemberNames): void {
    for (const { name, members } of names.all()) {
      this.#note(
        name,
        [...members.all()].map((each) => each.name),
      )
    }
  }

  #noteRecord(object: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(object)) {
      this.#note(name, isMembers(value) ? Object.keys(value) : [])
    }
  }

  #note(name: string, members: readonly string[]): void {
    const known = this.#shape.get(name) ?? new Set()
    this.#shape.set(name, known)
    for (const each of members) known.add(each)
  }

  shape(): readonly FieldShape[] {
    return [...this.#shape].map(([name, members]) => ({ name, members: [...members] }))
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
      return held === undefined ? [] : [parse(held)]
    })
  }

  /** Records that carry one of the marks as `ExternalID`, or one of the names, as names are compared (`nameKey`). */
  find(marks: ReadonlySet<string>, names: ReadonlySet<string>): readonly RecordData[] {
    const found: RecordData[] = []
    const keys = new Set([...names].map(nameKey).filter((key) => key !== ''))
    for (const held of this.#records) {
      const record = parse(held)
      const fullName = textOf(member(record, 'FullName'))
      const key = nameKey(fullName === '' ? textOf(member(record, 'Name')) : fullName)
      if (marks.has(textOf(member(record, 'ExternalID'))) || keys.has(key)) found.push(record)
    }
    return found
  }
}

/** What the words of an error call a record. */
function recordName(object: Readonly<Record<string, unknown>>): string {
  return textOf(member(object, 'FullName') ?? member(object, 'Name'))
}

/** The record's own bytes, its numbers quoted. */
function asText(held: Held): Uint8Array {
  if (!held.hasNumbers) return held.bytes.subarray(held.from, held.to)
  return quoteNumbersInBytes(held.bytes, held.from, held.to)
}

function parse(held: Held): RecordData {
  return JSON.parse(new TextDecoder().decode(asText(held))) as RecordData
}

/** The value whose bytes the scan found there, its numbers as text; `undefined` where there is none. */
function valueAt(body: Uint8Array, from: number, to: number): unknown {
  if (to === 0) return undefined
  const text = Buffer.from(body.buffer, body.byteOffset + from, to - from).toString('utf8')
  // Most are null, or a string that means itself.
  if (text === 'null') return null
  if (text.startsWith('"') && !text.includes('\\')) return text.slice(1, -1)
  const value = parseJsonText(text)
  return value.ok ? value.value : undefined
}
