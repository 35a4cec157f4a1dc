/**
 * Records of one list that share an ID: all are shown, and none can be changed, because the service could not tell
 * which one a change is for. The first stands in the grid under the ID, the others as rows without one (`RowMaker`).
 */
import { textOf } from '../../shared/changes.ts'
import type { RecordRow } from './rows.ts'

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
    if (recordId === '' && id === '')
      return 'The service gave this record no ID of its own, so it can’t be changed from here.'
    return recordId === '' || this.#twins.has(recordId) ? sharedIdWords(id || recordId) : ''
  }
}

/** In a sentence, for a cell, a row of a file and a draft alike. */
function sharedIdWords(id: string): string {
  return `Several records of this list have the ID ${id}, and the service could not tell which one is meant. Change it in the application.`
}

/** The ID of a row that has another one's; empty for every other row. */
function twinId({ origin, recordId, record }: RecordRow): string {
  return origin === 'read' && recordId === '' ? textOf(record['ID']) : ''
}
