/** The filters of a list's columns: kept as long as the list is, one a column. */
import type { ColumnFilter } from './column-filter.ts'

export class ColumnFilters {
  #all = $state.raw<ReadonlyMap<string, ColumnFilter>>(new Map())

  /** By the column's path, in the order in which they were set. */
  get all(): ReadonlyMap<string, ColumnFilter> {
    return this.#all
  }

  of(path: string): ColumnFilter | undefined {
    return this.#all.get(path)
  }

  /** Sets the filter of a column, or takes it away (`null`). */
  set(path: string, filter: ColumnFilter | null): void {
    const next = new Map(this.#all)
    if (filter === null) next.delete(path)
    else next.set(path, filter)
    this.#all = next
  }

  clear(): void {
    if (this.#all.size > 0) this.#all = new Map()
  }
}
