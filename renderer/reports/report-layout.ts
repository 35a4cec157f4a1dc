/** How a report is laid out: which rows are shown, and where a key leads. Pure. */
import { isZeroRow } from '../../shared/report-levels.ts'
import type { ReportRow } from '../../shared/reports.ts'

/** The height of a report's row in px; the sticky head and the virtual list rest on it (`--row-report`). */
export const ROW_HEIGHT = 23

/** Per section its own subtotal, by row index; −1 where there is none. A folded section shows those values. */
export function subtotalsOf(rows: readonly ReportRow[]): Int32Array {
  const subtotals = new Int32Array(rows.length).fill(-1)
  rows.forEach((row, index) => {
    const isClosing = row.kind === 'subtotal' && rows[row.parent]?.level === row.level
    if (isClosing) subtotals[row.parent] = index
  })
  return subtotals
}

/** Sections that have something to fold. */
export function foldable(rows: readonly ReportRow[]): Uint8Array {
  const marks = new Uint8Array(rows.length)
  for (const { parent } of rows) if (parent >= 0) marks[parent] = 1
  return marks
}

/** The last row, when it is a total: it stays in view. −1 for none. */
export function bottomLine(rows: readonly ReportRow[]): number {
  return rows.at(-1)?.kind === 'total' ? rows.length - 1 : -1
}

/**
 * The indices of the rows that are shown, in order.
 * @param folded sections whose rows are hidden
 * @param showZeroRows whether rows with nothing but zeros are shown
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
 * Which position each of so many lines draws: from `first` on, a position always by the same line.
 * @param end the first position that there is no row for; lines beyond it get −1
 */
export function ringOf(first: number, lines: number, end: number): number[] {
  return Array.from({ length: lines }, (_, line) => {
    const position = first + ((((line - first) % lines) + lines) % lines)
    return position < end ? position : -1
  })
}

/** The sections that have to be unfolded to see a row. */
export function sectionsAbove(rows: readonly ReportRow[], index: number): number[] {
  const above: number[] = []
  for (let at = rows[index]?.parent ?? -1; at >= 0; at = rows[at]?.parent ?? -1) above.push(at)
  return above
}

/** Where a key leads: to another row, to folding or unfolding one, or nowhere. */
export type TreeMove =
  | { readonly what: 'go'; readonly position: number }
  | { readonly what: 'fold' | 'unfold'; readonly row: number }
  | { readonly what: 'unfold-all' }

export interface TreePlace {
  readonly rows: readonly ReportRow[]
  readonly visible: readonly number[]
  readonly folded: ReadonlySet<number>
  readonly foldable: Uint8Array
  /** Position among the visible rows. */
  readonly position: number
  /** Rows that fit in the view. */
  readonly page: number
}

/** The keys of a tree grid (WAI-ARIA): arrows, Home, End, pages, and `*` for all sections. */
export function treeMove(key: string, place: TreePlace): TreeMove | null {
  const { visible, position, rows, folded } = place
  const last = visible.length - 1
  const go = (to: number): TreeMove => ({ what: 'go', position: Math.min(last, Math.max(0, to)) })
  const row = visible[position] ?? -1
  const canFold = place.foldable[row] === 1
  switch (key) {
    case 'ArrowDown':
      return go(position + 1)
    case 'ArrowUp':
      return go(position - 1)
    case 'PageDown':
      return go(position + place.page)
    case 'PageUp':
      return go(position - place.page)
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
