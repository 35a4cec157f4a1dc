/**
 * Full names in use, by name as compared (`nameKey`), with the rows that have them: told apart by it is which name is
 * taken. Those of a long list are looked into when there is time, or as soon as somebody asks.
 */
import { nameKey } from '../../../shared/records/names.ts'
import { recordName, type RecordRow } from './rows.ts'
import type { Interruptible } from './turns.ts'

/** Rows between two looks at the clock. */
const STRIDE = 64

export class NameIndex {
  /** Nearly all names have one row: no set is made for it. */
  readonly #rows = new Map<string, string | Set<string>>()
  /** Rows whose names are not looked into yet. */
  #waiting: RecordRow[] = []

  add(name: string, rowId: string): void {
    const key = nameKey(name)
    if (key === '') return
    const rows = this.#rows.get(key)
    if (rows === undefined) this.#rows.set(key, rowId)
    else if (typeof rows !== 'string') rows.add(rowId)
    else if (rows !== rowId) this.#rows.set(key, new Set([rows, rowId]))
  }

  /** Takes the records' own names of these rows; looked into later. */
  addLater(rows: readonly RecordRow[]): void {
    for (const row of rows) this.#waiting.push(row)
  }

  /** Looks into what was taken so far, so that the next question costs nothing. */
  *prepare(): Interruptible<void> {
    for (;;) {
      const rows = this.#waiting.splice(-STRIDE)
      if (rows.length === 0) return
      this.#addAll(rows)
      yield
    }
  }

  remove(name: string, rowId: string): void {
    this.#catchUp()
    const key = nameKey(name)
    const rows = this.#rows.get(key)
    if (rows === rowId) this.#rows.delete(key)
    else if (rows instanceof Set) rows.delete(rowId)
  }

  clear(): void {
    this.#waiting = []
    this.#rows.clear()
  }

  /** Whether a row other than this one has the name. */
  isTaken(name: string, rowId: string): boolean {
    this.#catchUp()
    const rows = this.#rows.get(nameKey(name))
    if (rows === undefined) return false
    if (typeof rows === 'string') return rows !== rowId
    return rows.size > (rows.has(rowId) ? 1 : 0)
  }

  has(name: string): boolean {
    this.#catchUp()
    const rows = this.#rows.get(nameKey(name))
    return typeof rows === 'string' || (rows?.size ?? 0) > 0
  }

  #catchUp(): void {
    if (this.#waiting.length === 0) return
    this.#addAll(this.#waiting)
    this.#waiting = []
  }

  #addAll(rows: readonly RecordRow[]): void {
    for (const { record, rowId } of rows) this.add(recordName(record), rowId)
  }
}
