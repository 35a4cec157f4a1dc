/**
 * Full names in use and the rows that have them, keyed by `typedNameKey`. Used to tell which names are taken.
 * The names of a long list are indexed in idle time, or when the first lookup needs them.
 */
import { typedNameKey } from '../../../shared/records/names.ts'
import { normalizeForSearch } from '../../../shared/records/search-text.ts'
import { draftFullName, touchesName } from '../drafts/problems.ts'
import type { RowDraft } from '../drafts/row-draft.ts'
import { type RecordRow, rowName } from './rows.ts'
import type { Interruptible } from './time-slice.ts'

/** Rows per step of work that yields between steps. */
const STRIDE = 64

class NameIndex {
  /** Nearly all names have a single row, which needs no set. */
  readonly #rows = new Map<string, string | Set<string>>()
  /** Rows whose names are not indexed yet. */
  #waiting: RecordRow[] = []

  add(name: string, rowId: string): void {
    const key = typedNameKey(name)
    if (key === '') return
    const rows = this.#rows.get(key)
    if (rows === undefined) this.#rows.set(key, rowId)
    else if (typeof rows !== 'string') rows.add(rowId)
    else if (rows !== rowId) this.#rows.set(key, new Set([rows, rowId]))
  }

  /** Queues rows to be indexed by their record's name. */
  addLater(rows: readonly RecordRow[]): void {
    for (const row of rows) this.#waiting.push(row)
  }

  /** Indexes the queued rows in advance, so that the next lookup is instant. */
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
    const key = typedNameKey(name)
    const rows = this.#rows.get(key)
    if (rows === rowId) this.#rows.delete(key)
    else if (rows instanceof Set) rows.delete(rowId)
  }

  clear(): void {
    this.#waiting = []
    this.#rows.clear()
  }

  /** Whether another row has the name. */
  isTaken(name: string, rowId: string): boolean {
    this.#catchUp()
    const rows = this.#rows.get(typedNameKey(name))
    if (rows === undefined) return false
    if (typeof rows === 'string') return rows !== rowId
    return rows.size > (rows.has(rowId) ? 1 : 0)
  }

  has(name: string): boolean {
    this.#catchUp()
    const rows = this.#rows.get(typedNameKey(name))
    return typeof rows === 'string' || (rows?.size ?? 0) > 0
  }

  /**
   * Rows whose names have all words, those with names that begin with the first word first.
   * @param terms normalized for search
   */
  find(terms: readonly string[], most: number): readonly string[] {
    this.#catchUp()
    const [first = ''] = terms
    const beginning: string[] = []
    const others: string[] = []
    for (const [key, rows] of this.#rows) {
      const name = normalizeForSearch(key)
      if (!terms.every((word) => name.includes(word))) continue
      const found = name.startsWith(first) ? beginning : others
      if (found.length < most) found.push(...(typeof rows === 'string' ? [rows] : rows))
    }
    return [...beginning, ...others].slice(0, most)
  }

  #catchUp(): void {
    if (this.#waiting.length === 0) return
    this.#addAll(this.#waiting)
    this.#waiting = []
  }

  #addAll(rows: readonly RecordRow[]): void {
    for (const row of rows) this.add(rowName(row), row.rowId)
  }
}

/* The names that the rows of a list will have once all drafts are sent. */

interface NamesPorts {
  readonly object: string
  /** The row as the list has it now. */
  readonly row: (rowId: string) => RecordRow | undefined
}

export class ListNames {
  readonly #ports: NamesPorts
  readonly #index = new NameIndex()
  /** The full name under which a drafted row is indexed, if it isn't its record's. */
  readonly #drafted = new Map<string, string>()

  constructor(ports: NamesPorts) {
    this.#ports = ports
  }

  /** Indexes the names of a long list in advance, so that the next lookup is instant. */
  prepare(): Interruptible<void> {
    return this.#index.prepare()
  }

  /** Whether another row has the name. */
  isTaken(name: string, rowId: string): boolean {
    return this.#index.isTaken(name, rowId)
  }

  has(name: string): boolean {
    return this.#index.has(name)
  }

  /**
   * Rows whose names have all words, those with names that begin with the first word first.
   * @param terms normalized for search
   */
  find(terms: readonly string[], most: number): readonly string[] {
    return this.#index.find(terms, most)
  }

  /** Whether a row is indexed by its draft's name. */
  isDrafted(rowId: string): boolean {
    return this.#drafted.has(rowId)
  }

  /** Adds the names of records. */
  addNames(rows: readonly RecordRow[]): void {
    this.#index.addLater(rows.filter((row) => row.origin === 'read' && !this.#drafted.has(row.rowId)))
  }

  /** Clears all names except those of drafts, because other rows will follow. */
  forgetNames(): void {
    this.#index.clear()
    for (const [rowId, name] of this.#drafted) this.#index.add(name, rowId)
  }

  /** Updates the name of a changed record. */
  renameRecord(row: RecordRow, before: RecordRow | undefined): void {
    if (before) this.#index.remove(rowName(before), before.rowId)
    this.#index.add(rowName(row), row.rowId)
  }

  /** Removes the name of a record that left the list. A draft's name stays. */
  forgetRecord(row: RecordRow): void {
    if (!this.#drafted.has(row.rowId)) this.#index.remove(rowName(row), row.rowId)
  }

  /**
   * Indexes a row by the name in its draft. Without a draft, or if the draft doesn't change the name, its
   * record's name counts.
   */
  follow(rowId: string, draft: RowDraft | undefined): void {
    const row = this.#ports.row(rowId)
    const own = row?.origin === 'read' ? rowName(row) : ''
    const before = this.#drafted.get(rowId) ?? own
    const drafted = draft && touchesName(draft) ? draftFullName(this.#ports.object, draft) : null
    if (drafted === null) this.#drafted.delete(rowId)
    else this.#drafted.set(rowId, drafted)
    this.#index.remove(before, rowId)
    this.#index.add(drafted ?? own, rowId)
  }
}
