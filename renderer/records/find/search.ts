/** Searches the cells of a list and plans replacements, both in time slices. Plain text, without patterns. */
import type { Typed } from '../../ui/fields/typed-values.ts'
import type { CellEdit, Refusal } from '../list/editing.svelte.ts'
import type { Interruptible } from '../list/time-slice.ts'

/** The option to search only the cells that were selected when **Find and replace** was opened. */
export const SELECTED = '\u0000selected'

/** A matching cell and its position in the grid. */
export interface FoundCell {
  readonly row: number
  readonly column: number
  readonly rowId: string
  readonly path: string
}

/** The grid as a search sees it. */
export interface FindScope {
  readonly rowCount: number
  readonly rowIdAt: (row: number) => string | undefined
  /** The columns to search, with their indexes. */
  readonly columns: readonly { readonly path: string; readonly column: number }[]
  readonly text: (rowId: string, path: string) => string
}

/** Cells per step of work that yields between steps. */
const STRIDE = 128

/** Finds all matching cells, row by row. */
export function* findCells(scope: FindScope, terms: FindTerms): Interruptible<readonly FoundCell[]> {
  const found: FoundCell[] = []
  let seen = 0
  for (let row = 0; row < scope.rowCount; row += 1) {
    const rowId = scope.rowIdAt(row)
    if (rowId === undefined) continue
    for (const { path, column } of scope.columns) {
      if (isFound(scope.text(rowId, path), terms)) found.push({ row, column, rowId, path })
      seen += 1
      if (seen % STRIDE === 0) yield
    }
  }
  return found
}

/** The rules of a list for replacing text. */
interface ReplaceRules {
  readonly text: (rowId: string, path: string) => string
  readonly read: (rowId: string, path: string, text: string) => Typed
  /** Why a cell can't be changed; empty if it can. */
  readonly closed: (rowId: string, path: string) => string
}

/** Returns the edits that replace the text, and the cells that can't be changed. */
export function* replacements(
  found: readonly Pick<FoundCell, 'rowId' | 'path'>[],
  terms: FindTerms,
  by: string,
  rules: ReplaceRules,
): Interruptible<{ readonly edits: readonly CellEdit[]; readonly refused: readonly Refusal[] }> {
  const edits: CellEdit[] = []
  const refused: Refusal[] = []
  for (const [looked, { rowId, path }] of found.entries()) {
    if (looked % STRIDE === STRIDE - 1) yield
    const text = rules.text(rowId, path)
    // An earlier replacement may have changed it.
    if (!isFound(text, terms)) continue
    const reason = rules.closed(rowId, path)
    const typed = reason === '' ? rules.read(rowId, path, replaced(text, terms, by)) : null
    if (typed?.ok) edits.push({ rowId, path, now: typed.value })
    else refused.push({ rowId, path, reason: typed?.reason ?? reason })
  }
  return { edits, refused }
}

/** Returns the index of the next or previous match after a cell, wrapping around; −1 if there are no matches. */
export function nextFound(
  found: readonly FoundCell[],
  from: { readonly row: number; readonly column: number } | null,
  backwards: boolean,
): number {
  if (found.length === 0) return -1
  if (from === null) return backwards ? found.length - 1 : 0
  const after = (each: FoundCell): number => each.row - from.row || each.column - from.column
  if (backwards) {
    const before = found.findLastIndex((each) => after(each) < 0)
    return before < 0 ? found.length - 1 : before
  }
  const next = found.findIndex((each) => after(each) > 0)
  return next < 0 ? 0 : next
}

export interface FindTerms {
  readonly find: string
  readonly matchesCase: boolean
  /** Whether the whole cell must match, instead of any part of it. */
  readonly wholeCell: boolean
}

/** Whether a cell's text matches. An empty search matches nothing. */
export function isFound(text: string, { find, matchesCase, wholeCell }: FindTerms): boolean {
  if (find === '') return false
  if (wholeCell) return matchesCase ? text === find : sameLetters(text, find)
  return matchesCase ? text.includes(find) : foldedIndexOf(text, find, 0).at >= 0
}

/** Replaces all matches in a text. */
function replaced(text: string, terms: FindTerms, by: string): string {
  const { find, matchesCase, wholeCell } = terms
  if (!isFound(text, terms)) return text
  if (wholeCell) return by
  if (matchesCase) return text.split(find).join(by)
  let made = ''
  let from = 0
  for (;;) {
    const { at, length } = foldedIndexOf(text, find, from)
    if (at < 0) return made + text.slice(from)
    made += text.slice(from, at) + by
    from = at + length
  }
}

function sameLetters(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

/**
 * Finds a text, ignoring case. Some letters change length with their case (`İ`), so that indexes in the
 * lowercase text differ. Such texts are compared position by position.
 */
function foldedIndexOf(text: string, find: string, from: number): { at: number; length: number } {
  const lowered = text.toLowerCase()
  if (lowered.length === text.length) {
    const wanted = find.toLowerCase()
    return { at: lowered.indexOf(wanted, from), length: wanted.length }
  }
  for (let at = from; at + find.length <= text.length; at += 1) {
    if (sameLetters(text.slice(at, at + find.length), find)) return { at, length: find.length }
  }
  return { at: -1, length: 0 }
}
