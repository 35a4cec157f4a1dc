/**
 * The rows of a list: rows that were read, new rows, and rows that are shown only because they have a draft.
 * Keeps the grid up to date.
 */
import type { ListDrafts } from '../drafts/list-drafts.svelte.ts'
import { isLocked, rowIdOf } from '../drafts/row-draft.ts'
import { type RecordRow, SharedIds } from './rows.ts'
import { type Interruptible, ROWS_PER_STEP } from './time-slice.ts'
import type { RevertedRow } from './undo-history.svelte.ts'

/** Where new records go: at the top, or below the other new ones. */
export type InsertPosition = 'top' | 'below-new'

/** The updates that a list sends to its grid. */
export interface GridPort {
  /** Shows the list's rows instead of the current ones. */
  setRows(): void
  addRows(rows: readonly RecordRow[], position: InsertPosition | 'end'): void
  /** Updates rows whose content changed and adds others at the end. */
  mergeRows(changed: readonly RecordRow[], added: readonly RecordRow[]): void
  /** Updates a row whose content and perhaps ID changed. */
  replaceRow(before: RecordRow, row: RecordRow): void
  removeRows(rowIds: readonly string[]): void
  /** Redraws these rows and the signs of others, because one row's name may be another row's problem. */
  refresh(rowIds: readonly string[]): void
  /** Redraws many rows, a few per step. */
  refreshing(rowIds: readonly string[]): Interruptible<void>
  /** Highlights rows that were just saved. */
  flash(rowIds: readonly string[]): void
}

export class ListRows implements Iterable<RecordRow> {
  readonly #drafts: ListDrafts
  #rows = new Map<string, RecordRow>()
  readonly #sharedIds = new SharedIds()
  /** The grid that shows the rows, if the list is on screen. */
  grid: GridPort | null = null
  /** Number of rows, including new ones and those shown only for a draft. */
  count = $state(0)

  constructor(drafts: ListDrafts) {
    this.#drafts = drafts
  }

  [Symbol.iterator](): Iterator<RecordRow> {
    return this.#rows.values()
  }

  get(rowId: string): RecordRow | undefined {
    return this.#rows.get(rowId)
  }

  /** Whether any row came from a read. */
  hasRead(): boolean {
    for (const { origin } of this.#rows.values()) if (origin === 'read') return true
    return false
  }

  /** Parses the records that were not needed yet, so that no later step has to parse all of them at once. */
  *parseAll(): Interruptible<void> {
    let parsed = 0
    for (const row of this) {
      void row.record
      parsed += 1
      if (parsed % ROWS_PER_STEP === 0) yield
    }
  }

  get sharesIds(): boolean {
    return this.#sharedIds.isAny
  }

  /** Why the row's record can't be identified from others; empty if it can. */
  ambiguity(row: RecordRow): string {
    return this.#sharedIds.reason(row)
  }

  /** Replaces all rows, except new ones, with those of a read. */
  replaceAll(rows: readonly RecordRow[]): void {
    const fresh = [...this.#rows.values()].filter((row) => row.origin === 'new')
    this.#drafts.names.forgetNames()
    this.#rows = new Map(fresh.map((row) => [row.rowId, row]))
    this.#sharedIds.clear()
    this.#put(rows)
    this.#drafts.names.addNames(rows)
    this.grid?.setRows()
  }

  /** Adds more rows of the same read. */
  append(rows: readonly RecordRow[]): void {
    // A record that was saved from here while the list was read may be there already.
    const known = rows.filter(({ rowId }) => this.#rows.has(rowId))
    const added = known.length === 0 ? rows : rows.filter(({ rowId }) => !this.#rows.has(rowId))
    this.#put(rows)
    this.#drafts.names.addNames(rows)
    if (known.length === 0) this.grid?.addRows(added, 'end')
    else this.grid?.mergeRows(known, added)
  }

  /** Shows rows that were not read, for their drafts. */
  #showDrafted(rows: readonly RecordRow[]): void {
    if (rows.length === 0) return
    this.#rows = new Map([...rows.map((row) => [row.rowId, row] as const), ...this.#rows])
    this.count = this.#rows.size
    this.grid?.addRows(rows, 'top')
  }

  /** Starts merging newly read records into the rows. */
  merge(): ListMerge {
    return new ListMerge({
      row: (rowId) => this.#rows.get(rowId),
      put: (changed, added) => {
        for (const row of changed) {
          const before = this.#rows.get(row.rowId)
          if (before?.origin === 'read') this.#drafts.names.forgetRecord(before)
        }
        this.#put([...changed, ...added])
        this.#drafts.names.addNames([...changed, ...added])
        this.grid?.mergeRows(changed, added)
      },
    })
  }

  /** Removes records that the merged read did not contain. */
  removeMissing(merge: ListMerge): void {
    const missing = merge.missing(this.#rows.values())
    for (const rowId of missing) {
      const row = this.#rows.get(rowId)
      if (row) this.#drafts.names.forgetRecord(row)
    }
    if (missing.length > 0) this.remove(missing)
  }

  /** Replaces a row's record. A new record gets another row ID when it is saved. */
  replace(before: RecordRow, row: RecordRow): void {
    this.#drafts.names.renameRecord(row, before.origin === 'read' ? before : undefined)
    if (before.rowId !== row.rowId) this.#forget(before.rowId)
    this.#put([row])
    this.grid?.replaceRow(before, row)
  }

  /**
   * Removes a record that was deleted from the books.
   * @returns whether its row came from a read
   */
  removeDeleted(rowId: string): boolean {
    const row = this.#rows.get(rowId)
    if (row?.origin !== 'read') return false
    this.#drafts.names.forgetRecord(row)
    this.remove([rowId])
    return true
  }

  remove(rowIds: readonly string[]): void {
    for (const rowId of rowIds) this.#forget(rowId)
    this.count = this.#rows.size
    this.grid?.removeRows(rowIds)
  }

  #put(rows: readonly RecordRow[]): void {
    for (const row of rows) {
      this.#forgetSharedId(row.rowId)
      this.#rows.set(row.rowId, row)
      this.#sharedIds.note(row)
    }
    this.count = this.#rows.size
  }

  #forget(rowId: string): void {
    this.#forgetSharedId(rowId)
    this.#rows.delete(rowId)
  }

  #forgetSharedId(rowId: string): void {
    const before = this.#rows.get(rowId)
    if (before) this.#sharedIds.forget(before)
  }

  /**
   * Adds new records in this order. The caller generates their row IDs.
   * @param place at the top of the list, or below the other new rows
   */
  addNew(rowIds: readonly string[], position: InsertPosition): void {
    if (rowIds.length === 0) return
    const rows = rowIds.map((rowId): RecordRow => ({ rowId, recordId: '', record: {}, origin: 'new' }))
    const all = [...this.#rows.values()]
    const above = position === 'below-new' ? all.filter(({ origin }) => origin === 'new') : []
    this.#rows = new Map([...above, ...rows, ...all].map((row) => [row.rowId, row]))
    this.count = this.#rows.size
    this.grid?.addRows(rows, position)
    this.#drafts.begin(rows)
  }

  /** Removes new records and everything typed into them, except locked ones. */
  removeNew(rowIds: readonly string[]): void {
    const gone = rowIds.filter((rowId) => {
      const draft = this.#drafts.draft(rowId)
      return draft?.kind === 'insert' && !isLocked(draft)
    })
    for (const rowId of gone) this.#drafts.remove(rowId)
    this.remove(gone)
  }

  /** Removes drafts, and the rows shown only for them. @returns what `restore` puts back */
  revert(rowIds: Iterable<string>): readonly RevertedRow[] {
    const reverted: RevertedRow[] = []
    for (const rowId of rowIds) {
      const [row, draft] = [this.#rows.get(rowId), this.#drafts.draft(rowId)]
      if (row && draft && !isLocked(draft)) reverted.push({ row, draft })
    }
    if (reverted.length === 0) return reverted
    for (const { row } of reverted) this.#drafts.remove(row.rowId)
    this.remove(reverted.flatMap(({ row }) => (row.origin === 'read' ? [] : [row.rowId])))
    this.grid?.refresh(reverted.map(({ row }) => row.rowId))
    return reverted
  }

  /** Restores reverted drafts. Records that were read again in the meantime stay as they were read. */
  restore(reverted: readonly RevertedRow[]): void {
    if (reverted.length === 0) return
    const missing = reverted.flatMap(({ row }): RecordRow[] => {
      if (this.#rows.get(row.rowId)) return []
      return [
        row.origin === 'read'
          ? { rowId: row.rowId, recordId: row.recordId, record: row.record, origin: 'kept' }
          : row,
      ]
    })
    for (const { row, draft } of reverted) {
      if (!this.#drafts.draft(row.rowId)) this.#drafts.change(draft)
    }
    this.#showDrafted(missing)
    this.grid?.refresh(reverted.map(({ row }) => row.rowId))
  }

  /**
   * Shows a row for each draft whose record isn't in the list, and removes rows that were shown for a draft
   * that no longer exists.
   * @param before rows that had a draft or an outcome before
   */
  keepDrafted(before: ReadonlySet<string>): void {
    this.remove(
      [...before].filter((rowId) => {
        const row = this.#rows.get(rowId)
        return row !== undefined && row.origin !== 'read' && !this.#drafts.draft(rowId)
      }),
    )
    const kept: RecordRow[] = []
    for (const draft of this.#drafts.all) {
      const rowId = rowIdOf(draft)
      if (this.#rows.get(rowId)) continue
      const origin = draft.kind === 'insert' ? 'new' : 'kept'
      kept.push({ rowId, recordId: draft.recordId, record: draft.before, origin })
    }
    this.#showDrafted(kept)
  }
}

/*
 * Merges newly read records into the rows. A record with the same content keeps its row object, so that the
 * grid, the search, and the sort order keep what they computed for it.
 */

interface MergePorts {
  readonly row: (rowId: string) => RecordRow | undefined
  /** Replaces rows whose content changed, and adds new ones at the end. */
  readonly put: (changed: readonly RecordRow[], added: readonly RecordRow[]) => void
}

export class ListMerge {
  readonly #ports: MergePorts
  readonly #seen = new Set<string>()
  added = 0
  unchanged = 0
  /** IDs of the rows whose records changed. */
  readonly changed = new Set<string>()

  constructor(ports: MergePorts) {
    this.#ports = ports
  }

  take(rows: readonly RecordRow[]): void {
    const changed: RecordRow[] = []
    const added: RecordRow[] = []
    for (const row of rows) {
      this.#seen.add(row.rowId)
      const before = this.#ports.row(row.rowId)
      const isSame = before !== undefined && isSameValue(before.record, row.record)
      if (before === undefined) added.push(row)
      else if (!isSame || before.origin !== 'read') changed.push(row)
      if (isSame) this.unchanged += 1
      else if (before !== undefined) this.changed.add(row.rowId)
    }
    this.added += added.length
    if (changed.length > 0 || added.length > 0) this.#ports.put(changed, added)
  }

  /** IDs of the rows that were not read again. */
  missing(rows: Iterable<RecordRow>): readonly string[] {
    const missing: string[] = []
    for (const { rowId, origin } of rows) {
      if (origin === 'read' && !this.#seen.has(rowId)) missing.push(rowId)
    }
    return missing
  }
}

/** Whether two JSON values are equal, ignoring the order of members. */
function isSameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  const [one, other] = [left as Record<string, unknown>, right as Record<string, unknown>]
  return names.every((name) => Object.hasOwn(other, name) && isSameValue(one[name], other[name]))
}
