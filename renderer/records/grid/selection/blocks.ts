/** Blocks of selected cells, by their position on screen. Pure functions, shared by keys and mouse. */

/** A cell by the zero-based indexes of its row and column on screen. */
export interface Position {
  readonly row: number
  readonly column: number
}

/** A rectangle of cells between a fixed corner and a moving one. */
export interface Block {
  readonly anchor: Position
  readonly head: Position
}

/** The number of selectable rows and columns. */
export interface Extent {
  readonly rows: number
  readonly columns: number
}

/** Inclusive bounds. */
interface Bounds {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** Adjacent rows with the same selected columns. */
export interface RowRange {
  readonly top: number
  readonly bottom: number
  readonly columns: readonly number[]
}

export type Direction = 'up' | 'down' | 'left' | 'right' | 'page-up' | 'page-down' | 'row-start' | 'row-end'

export function single(position: Position): Block {
  return { anchor: position, head: position }
}

export function isSamePosition(left: Position, right: Position): boolean {
  return left.row === right.row && left.column === right.column
}

function boundsOf({ anchor, head }: Block): Bounds {
  return {
    top: Math.min(anchor.row, head.row),
    bottom: Math.max(anchor.row, head.row),
    left: Math.min(anchor.column, head.column),
    right: Math.max(anchor.column, head.column),
  }
}

export function holds(blocks: readonly Block[], { row, column }: Position): boolean {
  return blocks.some((block) => {
    const { top, bottom, left, right } = boundsOf(block)
    return row >= top && row <= bottom && column >= left && column <= right
  })
}

/** Returns every selected cell once, even if blocks overlap, from the first row to the last. */
export function rangesOf(blocks: readonly Block[]): readonly RowRange[] {
  const all = blocks.map(boundsOf)
  const edges = [...new Set(all.flatMap(({ top, bottom }) => [top, bottom + 1]))].sort((a, b) => a - b)
  return edges.slice(0, -1).flatMap((top, index) => {
    const bottom = (edges[index + 1] ?? top + 1) - 1
    const columns = new Set<number>()
    for (const bounds of all) {
      if (bounds.top > top || bounds.bottom < bottom) continue
      for (let column = bounds.left; column <= bounds.right; column += 1) columns.add(column)
    }
    return columns.size === 0 ? [] : [{ top, bottom, columns: [...columns].sort((a, b) => a - b) }]
  })
}

/** Counts the selected cells, each one once. */
export function cellCount(blocks: readonly Block[]): number {
  return rangesOf(blocks).reduce(
    (sum, { top, bottom, columns }) => sum + (bottom - top + 1) * columns.length,
    0,
  )
}

/** Moves a corner. `far` moves it to the edge, and `page` is the number of rows per page. */
export function moved(from: Position, way: Direction, far: boolean, extent: Extent, page: number): Position {
  const last = { row: Math.max(0, extent.rows - 1), column: Math.max(0, extent.columns - 1) }
  const clamp = ({ row, column }: Position): Position => ({
    row: Math.min(last.row, Math.max(0, row)),
    column: Math.min(last.column, Math.max(0, column)),
  })
  const { row, column } = from
  switch (way) {
    case 'up':
      return clamp({ row: far ? 0 : row - 1, column })
    case 'down':
      return clamp({ row: far ? last.row : row + 1, column })
    case 'left':
      return clamp({ row, column: far ? 0 : column - 1 })
    case 'right':
      return clamp({ row, column: far ? last.column : column + 1 })
    case 'page-up':
      return clamp({ row: row - page, column })
    case 'page-down':
      return clamp({ row: row + page, column })
    case 'row-start':
      return clamp({ row: far ? 0 : row, column: 0 })
    case 'row-end':
      return clamp({ row: far ? last.row : row, column: last.column })
  }
}

/** Extends blocks to whole rows. */
export function wholeRows(blocks: readonly Block[], extent: Extent): readonly Block[] {
  return blocks.map(({ anchor, head }) => ({
    anchor: { row: anchor.row, column: 0 },
    head: { row: head.row, column: Math.max(0, extent.columns - 1) },
  }))
}

/** Extends blocks to whole columns. */
export function wholeColumns(blocks: readonly Block[], extent: Extent): readonly Block[] {
  return blocks.map(({ anchor, head }) => ({
    anchor: { row: 0, column: anchor.column },
    head: { row: Math.max(0, extent.rows - 1), column: head.column },
  }))
}
