/**
 * The rows of a list: records as they were read, and new ones. A row is a plain object that is replaced, never
 * changed, so that the grid and the screen can hold 100,000 of them without watching any.
 */
import { type RecordData, textOf } from '../../../shared/records/changes.ts'

export interface RecordRow {
  /** The record's ID; a new record's is its draft's id; a record without an ID of its own gets a made one, the same in each read. */
  readonly rowId: string
  /** The service's ID; empty for a new record, and for one that came without an ID of its own. */
  readonly recordId: string
  readonly record: RecordData
  /**
   * `read`: came with the list. `new`: a draft of a record that is not there yet. `kept`: a draft of a record that
   * the list, as it was asked for, does not have (or that was not read yet); shown as it was when it was edited.
   */
  readonly origin: 'read' | 'new' | 'kept'
}

const decoder = new TextDecoder()

/** A piece of the list as `records.rows` hands it on: a JSON array of records. What is no record is left out. */
export function parsePiece(bytes: Uint8Array): readonly RecordData[] {
  const parsed: unknown = JSON.parse(decoder.decode(bytes))
  return Array.isArray(parsed) ? parsed.filter(isRecord) : []
}

function isRecord(value: unknown): value is RecordData {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Gives each record of a list its row. The service may leave an ID out or give it to several records: all are shown. */
export class RowMaker {
  /** How many records of each ID came so far. */
  readonly #seen = new Map<string, number>()
  #odd = 0

  /** How many came without an ID of their own, or with one that was there before. */
  get odd(): number {
    return this.#odd
  }

  rowsOf(records: readonly RecordData[]): RecordRow[] {
    return records.map((record) => this.#rowOf(record))
  }

  #rowOf(record: RecordData): RecordRow {
    const id = textOf(record['ID'])
    const times = (this.#seen.get(id) ?? 0) + 1
    this.#seen.set(id, times)
    if (id !== '' && times === 1) return { rowId: id, recordId: id, record, origin: 'read' }
    this.#odd += 1
    return { rowId: `${id}\u001f${times}`, recordId: '', record, origin: 'read' }
  }
}

/** The name that tells a record from others: its full name, else its name, else its ID. */
export function recordName(record: RecordData): string {
  return textOf(record['FullName']) || textOf(record['Name']) || textOf(record['ID'])
}

/*
 * Records of one list that share an ID: all are shown, and none can be changed, because the service could not tell
 * which one a change is for. The first stands in the grid under the ID, the others as rows without one (`RowMaker`).
 */

export class SharedIds {
  /** How many rows there are besides the first, by ID. */
  readonly #twins = new Map<string, number>()

  note(row: RecordRow): void {
    const id = twinId(row)
    if (id !== '') this.#twins.set(id, (this.#twins.get(id) ?? 0) + 1)
  }

  forget(row: RecordRow): void {
    const id = twinId(row)
    const left = (this.#twins.get(id) ?? 0) - 1
    if (left > 0) this.#twins.set(id, left)
    else this.#twins.delete(id)
  }

  clear(): void {
    this.#twins.clear()
  }

  get isAny(): boolean {
    return this.#twins.size > 0
  }

  /** Why the record of a row can't be told from others; empty when it can, and for a new one. */
  because({ origin, recordId, record }: RecordRow): string {
    if (origin === 'new') return ''
    const id = textOf(record['ID'])
    if (recordId === '' && id === '') return 'This record has no ID, so you can’t change it in Bookbridge.'
    return recordId === '' || this.#twins.has(recordId) ? sharedIdWords(id || recordId) : ''
  }
}

/** In a sentence, for a cell, a row of a file and a draft alike. */
function sharedIdWords(id: string): string {
  return `Several records share the ID ${id}. Change this one in the application.`
}

/** The ID of a row that has another one's; empty for every other row. */
function twinId({ origin, recordId, record }: RecordRow): string {
  return origin === 'read' && recordId === '' ? textOf(record['ID']) : ''
}
