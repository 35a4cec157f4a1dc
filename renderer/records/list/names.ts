/**
 * Full names in use, by name as compared (`typedNameKey`), with the rows that have them: told apart by it is which name is
 * taken. Those of a long list are looked into when there is time, or as soon as somebody asks.
 */
import { typedNameKey } from '../../../shared/records/names.ts'
import { draftFullName, touchesName } from '../drafts/problems.ts'
import type { RowDraft } from '../drafts/row-draft.ts'
import { recordName, type RecordRow } from './rows.ts'
import type { Interruptible } from './time-slice.ts'

/** Rows between two looks at the clock. */
const STRIDE = 64

export class NameIndex {
  /** Nearly all names have one row: no set is made for it. */
  readonly #rows = new Map<string, string | Set<string>>()
  /** Rows whose names are not looked into yet. */
  #waiting: RecordRow[] = []

  add(name: string, rowId: string): void {
    const key = typedNameKey(name)
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
    const key = typedNameKey(name)
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

  #catchUp(): void {
    if (this.#waiting.length === 0) return
    this.#addAll(this.#waiting)
    this.#waiting = []
  }

  #addAll(rows: readonly RecordRow[]): void {
    for (const { record, rowId } of rows) this.add(recordName(record), rowId)
  }
}

/*
 * The names of a list's rows once all drafts are sent: a record's own full name, or what was typed.
 */

interface NamesPorts {
  readonly object: string
  /** The row as the list has it now. */
  readonly row: (rowId: string) => RecordRow | undefined
}

export class ListNames {
  readonly #ports: NamesPorts
  readonly index = new NameIndex()
  /** The full name that a drafted row has in the index, where it is not its record's. */
  readonly #drafted = new Map<string, string>()

  constructor(ports: NamesPorts) {
    this.#ports = ports
  }

  /** Looks into the names of a long list, so that the next question costs nothing. */
  prepare(): Interruptible<void> {
    return this.index.prepare()
  }

  /** Whether a row is in the index by what was typed. */
  isDrafted(rowId: string): boolean {
    return this.#drafted.has(rowId)
  }

  /** The names that rows of the list have by themselves. */
  addNames(rows: readonly RecordRow[]): void {
    this.index.addLater(rows.filter((row) => row.origin === 'read' && !this.#drafted.has(row.rowId)))
  }

  /** Other rows are coming: only what drafts are called is still in use. */
  forgetNames(): void {
    this.index.clear()
    for (const [rowId, name] of this.#drafted) this.index.add(name, rowId)
  }

  /** A record has other content now. */
  renameRecord(row: RecordRow, before: RecordRow | undefined): void {
    if (before) this.index.remove(recordName(before.record), before.rowId)
    this.index.add(recordName(row.record), row.rowId)
  }

  /** A record is gone from the list; what a draft of it is called stays. */
  forgetRecord(row: RecordRow): void {
    if (!this.#drafted.has(row.rowId)) this.index.remove(recordName(row.record), row.rowId)
  }

  /** A row will be called as its draft says; without one, or where that leaves the name alone, as its record. */
  follow(rowId: string, draft: RowDraft | undefined): void {
    const row = this.#ports.row(rowId)
    const own = row?.origin === 'read' ? recordName(row.record) : ''
    const before = this.#drafted.get(rowId) ?? own
    const drafted = draft && touchesName(draft) ? draftFullName(this.#ports.object, draft) : null
    if (drafted === null) this.#drafted.delete(rowId)
    else this.#drafted.set(rowId, drafted)
    this.index.remove(before, rowId)
    this.index.add(drafted ?? own, rowId)
  }
}
