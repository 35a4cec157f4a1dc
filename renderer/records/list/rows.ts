/**
 * The rows of a list: records that were read, and new ones. A row is an immutable plain object, so that grid
 * and screen can hold 100,000 of them without making any reactive.
 */
import type { CallOutput } from '../../../shared/contract/contract.ts'
import { type RecordData, textOf } from '../../../shared/records/changes.ts'

export interface RecordRow {
  /**
   * The record's ID. For a new record, the draft's ID. For a record without a unique ID, a generated one that
   * is the same in each read.
   */
  readonly rowId: string
  /** The service's ID; empty for a new record and for one without a unique ID. */
  readonly recordId: string
  /** Parsed when it is first needed. Destructuring a row needs it; spreading one leaves it out. */
  readonly record: RecordData
  /**
   * `read`: came with the list. `new`: the draft of a record that doesn't exist yet. `kept`: the draft of a
   * record that isn't in the list with its current filter, or wasn't read yet; shown with the values it had
   * when it was edited.
   */
  readonly origin: 'read' | 'new' | 'kept'
}

const decoder = new TextDecoder()

/** A piece of the list: the JSON of its records, with their IDs and names. */
export type RowChunk = CallOutput<'records.rows'>

/** Parses all records of a chunk. */
export function recordsOf({ bytes }: RowChunk): readonly RecordData[] {
  return JSON.parse(decoder.decode(bytes)) as readonly RecordData[]
}

/** The JSON of the records of a chunk, decoded when the first of them is needed. */
class ChunkText {
  #text: Uint8Array | string
  /** Where each record starts. */
  readonly #starts: Uint32Array

  constructor({ bytes, lengths }: RowChunk) {
    let end = '['.length
    this.#text = bytes
    this.#starts = Uint32Array.from([end, ...lengths.map((length) => (end += length + ','.length))])
  }

  parse(index: number): RecordData {
    if (typeof this.#text !== 'string') this.#text = decoder.decode(this.#text)
    const json = this.#text.slice(this.#starts[index], (this.#starts[index + 1] ?? 0) - ','.length)
    return JSON.parse(json) as RecordData
  }
}

/**
 * A row that came with the list. Decoding and parsing a record costs more than everything else until it is in the
 * grid, so that waits until the record is drawn, searched, or changed, or until the window is idle.
 */
class ReadRow implements RecordRow {
  readonly rowId: string
  readonly recordId: string
  readonly name: string
  readonly origin = 'read'
  /** The record, or the chunk that has it. */
  #record: RecordData | ChunkText
  readonly #index: number

  constructor(rowId: string, recordId: string, name: string, record: RecordData | ChunkText, index: number) {
    this.rowId = rowId
    this.recordId = recordId
    this.name = name
    this.#record = record
    this.#index = index
  }

  get record(): RecordData {
    if (this.#record instanceof ChunkText) this.#record = this.#record.parse(this.#index)
    return this.#record
  }
}

/** Whether a row has its record as the service listed it, without anything that was saved from here since. */
export function isAsListed(row: RecordRow): boolean {
  return row instanceof ReadRow
}

/**
 * Creates the rows of a list. The service may omit an ID or return several records with the same ID. All of
 * them get a row.
 */
export class RowFactory {
  /** Number of records so far by ID. */
  readonly #seen = new Map<string, number>()
  #unidentified = 0

  /** Number of records without an ID or with the ID of an earlier one. */
  get unidentified(): number {
    return this.#unidentified
  }

  rowsOf(chunk: RowChunk): RecordRow[] {
    const text = new ChunkText(chunk)
    return chunk.lengths.map((_, index) => this.#rowOf(chunk, text, index))
  }

  #rowOf({ ids, names }: RowChunk, text: ChunkText, index: number): RecordRow {
    const knownId = ids[index] ?? null
    // Only the record tells.
    const record = knownId === null ? text.parse(index) : null
    const id = knownId ?? textOf(record?.['ID'])
    const name = record === null ? (names[index] ?? '') : recordName(record)
    const times = (this.#seen.get(id) ?? 0) + 1
    this.#seen.set(id, times)
    if (id !== '' && times === 1) return new ReadRow(id, id, name, record ?? text, index)
    this.#unidentified += 1
    return new ReadRow(`${id}\u001f${times}`, '', name, record ?? text, index)
  }
}

/** Returns the full name of a row's record, or else its name or ID. */
export function rowName(row: RecordRow): string {
  return row instanceof ReadRow ? row.name : recordName(row.record)
}

/** Returns the full name of a record, or else its name or ID. */
export function recordName(record: RecordData): string {
  return textOf(record['FullName']) || textOf(record['Name']) || textOf(record['ID'])
}

/*
 * Records of one list that share an ID. All are shown, and none can be changed, because the service couldn't
 * tell which one is meant. The first has the ID as its row ID, and the others are rows without one
 * (`RowFactory`).
 */

export class SharedIds {
  /** Number of rows besides the first, by ID. */
  readonly #duplicates = new Map<string, number>()

  note(row: RecordRow): void {
    const id = duplicateId(row)
    if (id !== '') this.#duplicates.set(id, (this.#duplicates.get(id) ?? 0) + 1)
  }

  forget(row: RecordRow): void {
    const id = duplicateId(row)
    const left = (this.#duplicates.get(id) ?? 0) - 1
    if (left > 0) this.#duplicates.set(id, left)
    else this.#duplicates.delete(id)
  }

  clear(): void {
    this.#duplicates.clear()
  }

  get isAny(): boolean {
    return this.#duplicates.size > 0
  }

  /** Why the record of a row can't be identified; empty if it can, and for a new one. */
  reason(row: RecordRow): string {
    const { origin, recordId } = row
    // Asked for every edited row after each edit, so the record is read only if it has to be.
    if (origin === 'new' || (recordId !== '' && !this.#duplicates.has(recordId))) return ''
    const id = textOf(row.record['ID'])
    if (recordId === '' && id === '') return 'This record has no ID, so you can’t change it in Bookbridge.'
    return sharedIdMessage(id || recordId)
  }
}

/** Used for cells, rows of a file, and drafts. */
function sharedIdMessage(id: string): string {
  return `Several records share the ID ${id}. Change this one in the application.`
}

/** Returns the ID of a row that duplicates an earlier one; empty for other rows. */
function duplicateId(row: RecordRow): string {
  return row.origin === 'read' && row.recordId === '' ? textOf(row.record['ID']) : ''
}
