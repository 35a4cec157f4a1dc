/**
 * The rows of a list: what was read, what is new and what stands there for a draft alone. Keeps the names in use in
 * step with them, and tells the grid, while one is shown.
 */
import type { GridPort, NewPlace } from './grid-port.ts'
import { ListMerge } from './list-merge.ts'
import type { RecordRow } from './rows.ts'
import { SharedIds } from './shared-ids.ts'

/** Hears what rows of the list are called. */
interface Names {
  readonly addNames: (rows: readonly RecordRow[]) => void
  readonly forgetNames: () => void
  readonly forgetRecord: (row: RecordRow) => void
  readonly renameRecord: (row: RecordRow, before: RecordRow | undefined) => void
}

export class ListRows {
  readonly #names: Names
  #rows = new Map<string, RecordRow>()
  readonly #sharedIds = new SharedIds()
  grid: GridPort | null = null
  /** How many there are, new ones and those of kept drafts included. */
  count = $state(0)

  constructor(names: Names) {
    this.#names = names
  }

  get all(): Iterable<RecordRow> {
    return this.#rows.values()
  }

  get(rowId: string): RecordRow | undefined {
    return this.#rows.get(rowId)
  }

  /** Whether any came with a read. */
  hasRead(): boolean {
    for (const { origin } of this.#rows.values()) if (origin === 'read') return true
    return false
  }

  get sharesIds(): boolean {
    return this.#sharedIds.isAny
  }

  /** Why the record of a row can't be told from others; empty when it can. */
  ambiguity(row: RecordRow): string {
    return this.#sharedIds.because(row)
  }

  /** Rows of a read in the place of all that stood there but new ones. */
  showAnew(rows: readonly RecordRow[]): void {
    const fresh = [...this.#rows.values()].filter((row) => row.origin === 'new')
    this.#names.forgetNames()
    this.#rows = new Map(fresh.map((row) => [row.rowId, row]))
    this.#sharedIds.clear()
    this.#put(rows)
    this.#names.addNames(rows)
    this.grid?.setRows([...this.#rows.values()])
  }

  /** More rows of the same read. */
  append(rows: readonly RecordRow[]): void {
    this.#put(rows)
    this.#names.addNames(rows)
    this.grid?.addRows(rows, 'end')
  }

  /** New records, above all that are not new. */
  addNew(rows: readonly RecordRow[], place: NewPlace): void {
    const all = [...this.#rows.values()]
    const above = place === 'below-new' ? all.filter(({ origin }) => origin === 'new') : []
    this.#rows = new Map([...above, ...rows, ...all].map((row) => [row.rowId, row]))
    this.count = this.#rows.size
    this.grid?.addRows(rows, place)
  }

  /** Rows that were not read stand there for what was typed into them. */
  keep(rows: readonly RecordRow[]): void {
    if (rows.length === 0) return
    this.#put(rows)
    this.grid?.addRows(rows, 'top')
  }

  /** Takes records that were read anew into the rows that stand there. */
  merge(): ListMerge {
    return new ListMerge({
      row: (rowId) => this.#rows.get(rowId),
      put: (changed, added) => {
        for (const row of changed) {
          const before = this.#rows.get(row.rowId)
          if (before?.origin === 'read') this.#names.forgetRecord(before)
        }
        this.#put([...changed, ...added])
        this.#names.addNames([...changed, ...added])
        this.grid?.mergeRows(changed, added)
      },
    })
  }

  /** Records that did not come again are gone from the list. */
  removeMissing(merge: ListMerge): void {
    const missing = merge.missing(this.#rows.values())
    for (const rowId of missing) {
      const row = this.#rows.get(rowId)
      if (row) this.#names.forgetRecord(row)
    }
    if (missing.length > 0) this.remove(missing)
  }

  /** A record has other content, perhaps under another row id: what was new has an ID now. */
  replace(oldId: string, row: RecordRow): void {
    const before = this.#rows.get(oldId)
    this.#names.renameRecord(row, before?.origin === 'read' ? before : undefined)
    if (oldId !== row.rowId) this.#forget(oldId)
    this.#put([row])
    this.grid?.replaceRow(oldId, row)
  }

  remove(rowIds: readonly string[]): void {
    for (const rowId of rowIds) this.#forget(rowId)
    this.count = this.#rows.size
    this.grid?.removeRows(rowIds)
  }

  #put(rows: readonly RecordRow[]): void {
    for (const row of rows) {
      this.#forgetTwin(row.rowId)
      this.#rows.set(row.rowId, row)
      this.#sharedIds.note(row)
    }
    this.count = this.#rows.size
  }

  #forget(rowId: string): void {
    this.#forgetTwin(rowId)
    this.#rows.delete(rowId)
  }

  #forgetTwin(rowId: string): void {
    const before = this.#rows.get(rowId)
    if (before) this.#sharedIds.forget(before)
  }
}
