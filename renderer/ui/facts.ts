/** What a panel lists: see `Facts.svelte`. */
export interface Fact {
  readonly name: string
  /** Empty: not shown. */
  readonly value: string
  /** An id, a path, or another text that is read letter by letter. */
  readonly isCode?: true
}
