/**
 * The block of selected cells in a report. Rows are identified by index, so that the block stays when other
 * rows are collapsed.
 */

export interface BlockCorner {
  readonly row: number
  /** −1 is the name column. */
  readonly column: number
}

/** The cells between the start of the selection and the cell it was extended to. */
export interface CellBlock {
  readonly anchor: BlockCorner
  readonly focus: BlockCorner
}

/** Returns the first and last column of a block. */
export function blockColumns({ anchor, focus }: CellBlock): readonly [first: number, last: number] {
  return [Math.min(anchor.column, focus.column), Math.max(anchor.column, focus.column)]
}

export function isRowInBlock({ anchor, focus }: CellBlock, row: number): boolean {
  return row >= Math.min(anchor.row, focus.row) && row <= Math.max(anchor.row, focus.row)
}

/**
 * Extends a selection with Shift and an arrow key: up and down add rows, left and right change the columns of a
 * block.
 * @param moved the row that the key moved to
 * @returns `null` if the key has another meaning
 */
export function extendBlock(
  block: CellBlock | null,
  key: string,
  { current, moved, columns }: { readonly current: number; readonly moved: number; readonly columns: number },
): CellBlock | null {
  const from = block ?? { anchor: { row: current, column: -1 }, focus: { row: current, column: columns - 1 } }
  switch (key) {
    case 'ArrowUp':
    case 'ArrowDown':
      return { ...from, focus: { ...from.focus, row: moved } }
    case 'ArrowLeft':
    case 'ArrowRight': {
      if (block === null) return null
      const column = block.focus.column + (key === 'ArrowLeft' ? -1 : 1)
      return { ...block, focus: { ...block.focus, column: Math.max(-1, Math.min(columns - 1, column)) } }
    }
    default:
      return null
  }
}
