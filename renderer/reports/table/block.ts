/** The block of cells that is selected in a report. Rows go by their index, so that it stays while others fold. Pure. */

export interface Corner {
  readonly row: number
  /** −1 is the name. */
  readonly column: number
}

/** From the cell where the selection began to the one that it was extended to. */
export interface Block {
  readonly anchor: Corner
  readonly focus: Corner
}

/** The first and last column of a block. */
export function blockColumns({ anchor, focus }: Block): readonly [first: number, last: number] {
  return [Math.min(anchor.column, focus.column), Math.max(anchor.column, focus.column)]
}

export function isRowInBlock({ anchor, focus }: Block, row: number): boolean {
  return row >= Math.min(anchor.row, focus.row) && row <= Math.max(anchor.row, focus.row)
}

/**
 * What a key with Shift selects: arrows up and down add whole rows, or rows of the columns that are selected; left and
 * right change the columns of a block.
 * @param moved the row that the key led to
 * @returns `null` where the key means something else
 */
export function extendBlock(
  block: Block | null,
  key: string,
  { current, moved, columns }: { readonly current: number; readonly moved: number; readonly columns: number },
): Block | null {
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
