/** The filters of a list's columns: kept as long as the list is, one a column. */

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

// A filter on one column: what it lets through, and how it is said; pure.

export type ColumnFilter =
  | { readonly kind: 'contains'; readonly text: string }
  | { readonly kind: 'blank' }
  | { readonly kind: 'not-blank' }
  /** Cells with a change that was not sent. */
  | { readonly kind: 'edited' }

/** The filter in words, with the column's: *Phone contains “555”*. */
export function columnFilterWords(column: string, filter: ColumnFilter): string {
  switch (filter.kind) {
    case 'contains':
      return `${column} contains “${filter.text}”`
    case 'blank':
      return `${column} is blank`
    case 'not-blank':
      return `${column} is not blank`
    case 'edited':
      return `${column} was edited`
  }
}

/** What was asked for, as the texts of cells are compared: any case; thousands marks in figures don't matter. */
export function filterNeedle(text: string): string {
  const typed = text.trim().toLocaleLowerCase()
  return /^[-−(]?[\d.,' ]+\)?$/.test(typed) ? typed.replace(/(?<=\d)[,'](?=\d{3})/g, '') : typed
}

/**
 * Whether a cell is let through.
 * @param text its text in small letters; a cell that is known under several has a line for each
 */
export function passesFilter(filter: ColumnFilter, needle: string, text: string, isEdited: boolean): boolean {
  switch (filter.kind) {
    case 'contains':
      return text.includes(needle)
    case 'blank':
      return text.trim() === ''
    case 'not-blank':
      return text.trim() !== ''
    case 'edited':
      return isEdited
  }
}
