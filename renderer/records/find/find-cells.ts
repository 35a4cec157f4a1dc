/** Looking for text through the cells of a list, in short turns; and what replacing would do. */
import type { CellEdit, Refusal } from '../list-editing.ts'
import type { Typed } from '../typed-values.ts'
import type { Interruptible } from '../turns.ts'
import { isFound, replaced, type FindTerms } from './find-text.ts'

/** A cell that was found, by its place in the grid. */
export interface Found {
  readonly row: number
  readonly column: number
  readonly rowId: string
  readonly path: string
}

/** What looking asks of the grid. */
export interface FindGround {
  readonly rowCount: number
  readonly rowIdAt: (row: number) => string | undefined
  /** The columns that are looked through, with their places. */
  readonly columns: readonly { readonly path: string; readonly column: number }[]
  readonly text: (rowId: string, path: string) => string
}

/** Cells between two looks at the clock. */
const STRIDE = 128

/** Every cell that has the text, row by row. */
export function* findCells(ground: FindGround, terms: FindTerms): Interruptible<readonly Found[]> {
  const found: Found[] = []
  let seen = 0
  for (let row = 0; row < ground.rowCount; row += 1) {
    const rowId = ground.rowIdAt(row)
    if (rowId === undefined) continue
    for (const { path, column } of ground.columns) {
      if (isFound(ground.text(rowId, path), terms)) found.push({ row, column, rowId, path })
      seen += 1
      if (seen % STRIDE === 0) yield
    }
  }
  return found
}

/** What replacing asks of a list. */
interface ReplaceLaw {
  readonly text: (rowId: string, path: string) => string
  readonly read: (rowId: string, path: string, text: string) => Typed
  /** Why a cell can't be changed; empty when it can. */
  readonly closed: (rowId: string, path: string) => string
}

/** The edits that replace the text in these cells, and the cells that can't take them; in short turns. */
export function* replacements(
  found: readonly Pick<Found, 'rowId' | 'path'>[],
  terms: FindTerms,
  by: string,
  law: ReplaceLaw,
): Interruptible<{ readonly edits: readonly CellEdit[]; readonly refused: readonly Refusal[] }> {
  const edits: CellEdit[] = []
  const refused: Refusal[] = []
  for (const [looked, { rowId, path }] of found.entries()) {
    if (looked % STRIDE === STRIDE - 1) yield
    const text = law.text(rowId, path)
    // Another replacement may have changed it meanwhile.
    if (!isFound(text, terms)) continue
    const because = law.closed(rowId, path)
    const typed = because === '' ? law.read(rowId, path, replaced(text, terms, by)) : null
    if (typed?.ok) edits.push({ rowId, path, now: typed.value })
    else refused.push({ rowId, path, because: typed?.because ?? because })
  }
  return { edits, refused }
}

/** The place of the next one found after a cell, or before it; round and round. −1 when nothing is found. */
export function nextFound(
  found: readonly Found[],
  from: { readonly row: number; readonly column: number } | null,
  backwards: boolean,
): number {
  if (found.length === 0) return -1
  if (from === null) return backwards ? found.length - 1 : 0
  const after = (each: Found): number => each.row - from.row || each.column - from.column
  if (backwards) {
    const before = found.findLastIndex((each) => after(each) < 0)
    return before < 0 ? found.length - 1 : before
  }
  const next = found.findIndex((each) => after(each) > 0)
  return next < 0 ? 0 : next
}
