/** Says of the cells in sight which are chosen, for those who can't see their colour: the grid has no option for it. */
import { columnIdOf } from '../../ui/grid/cell-elements.ts'

/**
 * Sets `aria-selected` on the cells that are drawn; to be called when another choice was made and after scrolling.
 * @param isChosen asked with the row's place in the grid and the column's id
 */
export function markChosen(host: ParentNode, isChosen: (row: number, path: string) => boolean): void {
  for (const cell of host.querySelectorAll('.ag-cell[col-id]')) {
    const row = Number(cell.closest('.ag-row')?.getAttribute('row-index') ?? Number.NaN)
    if (isChosen(row, columnIdOf(cell))) cell.setAttribute('aria-selected', 'true')
    else cell.removeAttribute('aria-selected')
  }
}
