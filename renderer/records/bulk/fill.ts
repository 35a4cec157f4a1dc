/** Filling chosen cells: down from the first row, or with one value that was typed. */
import type { EditValue } from '../../../shared/changes.ts'
import type { CellEdit, Refusal } from '../list-editing.ts'
import type { ChosenStripe } from '../selection/grid-selection.svelte.ts'
import type { Typed } from '../typed-values.ts'

/** What filling asks of a list. */
interface Cells {
  readonly value: (rowId: string, path: string) => EditValue
  /** The row shown above, where there is one. */
  readonly above: (rowId: string) => string | undefined
}

/** The first row of each block goes into those below; a block of one row takes what stands above it. */
export function filledDown(blocks: readonly ChosenStripe[], cells: Cells): readonly CellEdit[] {
  return blocks.flatMap(({ rowIds, paths }) => {
    const [first, ...below] = rowIds
    if (first === undefined) return []
    const source = below.length === 0 ? cells.above(first) : first
    if (source === undefined) return []
    const targets = below.length === 0 ? [first] : below
    const values = paths.map((path) => ({ path, now: cells.value(source, path) }))
    return targets.flatMap((rowId) => values.map((value) => ({ rowId, ...value })))
  })
}

/** Reads a text as each column's type; @returns what goes into the cells, and why some can't take it. */
export function setCells(
  stripes: readonly ChosenStripe[],
  read: (rowId: string, path: string) => Typed,
): { readonly edits: readonly CellEdit[]; readonly refused: readonly Refusal[] } {
  const edits: CellEdit[] = []
  const refused: Refusal[] = []
  for (const { rowIds, paths } of stripes) {
    for (const rowId of rowIds) {
      for (const path of paths) {
        const typed = read(rowId, path)
        if (typed.ok) edits.push({ rowId, path, now: typed.value })
        else refused.push({ rowId, path, because: typed.because })
      }
    }
  }
  return { edits, refused }
}
