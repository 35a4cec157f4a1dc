/** The layout of a report's rows: which are visible, and where a key moves. Pure. */
import { isZeroRow } from '../../../shared/reports/levels.ts'
import type { ReportRow } from '../../../shared/reports/reports.ts'

/** Height of a row in px, the same as `--row-report`. The fixed heading and the virtual list depend on it. */
export const ROW_HEIGHT = 23

/** Returns the row index of each section's own subtotal; −1 if it has none. A collapsed section shows those values. */
export function subtotalsOf(rows: readonly ReportRow[]): Int32Array {
  const subtotals = new Int32Array(rows.length).fill(-1)
  rows.forEach((row, index) => {
    const isClosing = row.kind === 'subtotal' && rows[row.parent]?.level === row.level
    if (isClosing) subtotals[row.parent] = index
  })
  return subtotals
}

/** Marks the sections that can be collapsed. */
export function foldable(rows: readonly ReportRow[]): Uint8Array {
  const marks = new Uint8Array(rows.length)
  for (const { parent } of rows) if (parent >= 0) marks[parent] = 1
  return marks
}

/** Returns the index of the last row if it is a total, which stays in view; −1 otherwise. */
export function bottomLine(rows: readonly ReportRow[]): number {
  return rows.at(-1)?.kind === 'total' ? rows.length - 1 : -1
}

/**
 * Returns the indexes of the visible rows, in order.
 * @param folded collapsed sections
 * @param showZeroRows whether to show rows that contain only zeros
 */
export function visibleRows(
  rows: readonly ReportRow[],
  folded: ReadonlySet<number>,
  showZeroRows: boolean,
): number[] {
  const hidden = new Uint8Array(rows.length)
  const visible: number[] = []
  rows.forEach((row, index) => {
    if (row.parent >= 0 && (folded.has(row.parent) || hidden[row.parent] === 1)) hidden[index] = 1
    else if (showZeroRows || !isZeroRow(row)) visible.push(index)
  })
  return visible
}

/**
 * Returns the position that each of a number of row elements renders. A position always belongs to the same
 * element.
 * @param end the first position without a row; elements beyond it get −1
 */
export function ringOf(first: number, lines: number, end: number): number[] {
  return Array.from({ length: lines }, (_, line) => {
    const position = first + ((((line - first) % lines) + lines) % lines)
    return position < end ? position : -1
  })
}

/** Returns the sections that have to be expanded to see a row. */
export function sectionsAbove(rows: readonly ReportRow[], index: number): number[] {
  const above: number[] = []
  for (let at = rows[index]?.parent ?? -1; at >= 0; at = rows[at]?.parent ?? -1) above.push(at)
  return above
}

/** The effect of a key: move to another row, or collapse or expand one. */
export type TreeMove =
  | { readonly what: 'go'; readonly position: number }
  | { readonly what: 'fold' | 'unfold'; readonly row: number }
  | { readonly what: 'unfold-all' }

export interface TreeState {
  readonly rows: readonly ReportRow[]
  readonly visible: readonly number[]
  readonly folded: ReadonlySet<number>
  readonly foldable: Uint8Array
  /** Position among the visible rows. */
  readonly position: number
  /** Number of rows that fit in the view. */
  readonly page: number
}

/** Handles the keys of a tree grid (WAI-ARIA): arrows, Home, End, Page Up, Page Down, and `*` for all sections. */
export function treeMove(key: string, state: TreeState): TreeMove | null {
  const { visible, position, rows, folded } = state
  const last = visible.length - 1
  const go = (to: number): TreeMove => ({ what: 'go', position: Math.min(last, Math.max(0, to)) })
  const row = visible[position] ?? -1
  const canFold = state.foldable[row] === 1
  switch (key) {
    case 'ArrowDown':
      return go(position + 1)
    case 'ArrowUp':
      return go(position - 1)
    case 'PageDown':
      return go(position + state.page)
    case 'PageUp':
      return go(position - state.page)
    case 'Home':
      return go(0)
    case 'End':
      return go(last)
    case 'ArrowRight':
      if (!canFold) return null
      return folded.has(row) ? { what: 'unfold', row } : go(position + 1)
    case 'ArrowLeft': {
      if (canFold && !folded.has(row)) return { what: 'fold', row }
      const parent = rows[row]?.parent ?? -1
      return parent < 0 ? null : go(visible.indexOf(parent))
    }
    case 'Enter':
    case ' ':
      return canFold ? { what: folded.has(row) ? 'unfold' : 'fold', row } : null
    case '*':
      return { what: 'unfold-all' }
    default:
      return null
  }
}
