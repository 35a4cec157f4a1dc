/** Plans a paste cell by cell before anything changes. */
import { type EditValue, topField } from '../../../shared/records/changes.ts'
import { isDescribed } from '../../../shared/records/definition.ts'
import type { Typed } from '../../ui/fields/typed-values.ts'
import { copiedText } from '../../ui/table/data-table.svelte.ts'
import type { PlannedColumn } from '../grid/columns/plan.ts'
import type { CellEdit, Refusal } from '../list/editing.svelte.ts'
import type { RecordRow } from '../list/rows.ts'

export type PastedBlock = readonly (readonly string[])[]

/** The target of a paste. */
export interface PasteTarget {
  /** The rows from the first cell, from `rowsUnder`. */
  readonly rowIds: readonly string[]
  /** The visible columns from the first cell. */
  readonly paths: readonly string[]
  /** The selected rows and columns. A block is repeated if the selection is a multiple of it. */
  readonly chosen: { readonly rows: number; readonly columns: number }
}

/** A record to add. */
export interface NewRecord {
  readonly values: readonly { readonly path: string; readonly now: EditValue }[]
}

export interface PastePlan {
  /** Edits that change a value. */
  readonly edits: readonly CellEdit[]
  readonly added: readonly NewRecord[]
  readonly refused: readonly Refusal[]
  /** Number of cells that already have the value. */
  readonly unchanged: number
  /** Number of columns beyond the last column of the list. */
  readonly beyond: number
}

/** The rules of a list for pasted text. `rowId` is `null` for a record to add. */
export interface PasteRules {
  readonly read: (rowId: string | null, path: string, text: string) => Typed
  /** Returns why a cell can't be changed; empty if it can. */
  readonly closed: (rowId: string | null, path: string) => string
  readonly isSame: (rowId: string, path: string, now: EditValue) => boolean
}

/**
 * Returns the rows that a paste covers from the first selected one. A paste that starts on a new record
 * continues over new records only, so that it doesn't overwrite a record that happens to be below, unless that
 * is selected, too.
 * @param rowAt returns the visible row at an offset from the first
 * @param most the number of rows of the block or the selection, whichever is larger
 * @param chosen the number of selected rows
 */
export function rowsUnder(
  rowAt: (down: number) => Pick<RecordRow, 'rowId' | 'origin'> | undefined,
  most: number,
  chosen: number,
): readonly string[] {
  const staysInNew = rowAt(0)?.origin === 'new'
  const rowIds: string[] = []
  for (let down = 0; down < most; down += 1) {
    const row = rowAt(down)
    if (!row || (staysInNew && row.origin !== 'new' && down >= chosen)) break
    rowIds.push(row.rowId)
  }
  return rowIds
}

/** Plans a paste over existing cells. Rows beyond the last one are added as new records. */
export function planOverCells(block: PastedBlock, target: PasteTarget, rules: PasteRules): PastePlan {
  const repeated = repeatedOver(block, target.chosen)
  const there = repeated.slice(0, target.rowIds.length)
  const beyond = planNewRecords(repeated.slice(target.rowIds.length), target.paths, rules)
  const edits: CellEdit[] = []
  const refused: Refusal[] = [...beyond.refused]
  let unchanged = 0
  there.forEach((cells, down) => {
    const rowId = target.rowIds[down] ?? ''
    cells.slice(0, target.paths.length).forEach((text, right) => {
      const path = target.paths[right] ?? ''
      const typed = readOpen(rowId, path, text, rules)
      if (!typed.ok) refused.push({ rowId, path, reason: typed.reason })
      else if (rules.isSame(rowId, path, typed.value)) unchanged += 1
      else edits.push({ rowId, path, now: typed.value })
    })
  })
  return { edits, added: beyond.added, refused, unchanged, beyond: columnsBeyond(repeated, target.paths) }
}

/** Plans a paste as new records, one per row. Blank rows are skipped. */
export function planNewRecords(block: PastedBlock, paths: readonly string[], rules: PasteRules): PastePlan {
  const refused: Refusal[] = []
  const added = block.flatMap((cells): NewRecord[] => {
    if (cells.every((text) => text.trim() === '')) return []
    const values = cells.slice(0, paths.length).flatMap((text, right) => {
      // A blank cell has no effect on a new record.
      if (text.trim() === '') return []
      const path = paths[right] ?? ''
      const typed = readOpen(null, path, text, rules)
      if (typed.ok) return [{ path, now: typed.value }]
      refused.push({ rowId: '', path, reason: typed.reason })
      return []
    })
    return [{ values }]
  })
  return { edits: [], added, refused, unchanged: 0, beyond: columnsBeyond(block, paths) }
}

/** Counts the cells of a block. */
export function blockSize(block: PastedBlock): number {
  return block.reduce((sum, cells) => sum + cells.length, 0)
}

function readOpen(rowId: string | null, path: string, text: string, rules: PasteRules): Typed {
  const reason = rules.closed(rowId, path)
  return reason === '' ? rules.read(rowId, path, text) : { ok: false, reason }
}

function columnsBeyond(block: PastedBlock, paths: readonly string[]): number {
  const widest = block.reduce((most, cells) => Math.max(most, cells.length), 0)
  return Math.max(0, widest - paths.length)
}

/** Repeats a block over a selection that is a multiple of it, as in Excel. */
function repeatedOver(block: PastedBlock, chosen: PasteTarget['chosen']): PastedBlock {
  const rows = block.length
  const columns = block[0]?.length ?? 0
  const isEven = block.every((cells) => cells.length === columns)
  const fits = rows > 0 && columns > 0 && chosen.rows % rows === 0 && chosen.columns % columns === 0
  if (!isEven || !fits) return block
  return Array.from({ length: chosen.rows }, (_row, down) => {
    const cells = block[down % rows] ?? []
    return Array.from({ length: chosen.columns }, (_cell, right) => cells[right % columns] ?? '')
  })
}

// Summarizes a plan in a sentence.

export function formatPastePlan(plan: PastePlan, count: (value: number) => string): string {
  const { edits, added, refused, unchanged, beyond } = plan
  const parts = [
    `${formatCells(edits.length, count)} ${edits.length === 1 ? 'changes' : 'change'}`,
    ...(added.length === 0
      ? []
      : [`${count(added.length)} new ${added.length === 1 ? 'record is' : 'records are'} added`]),
    ...(unchanged === 0
      ? []
      : [unchanged === 1 ? '1 stays as it is' : `${count(unchanged)} stay as they are`]),
    ...(refused.length === 0 ? [] : [`${count(refused.length)} can’t be changed`]),
  ]
  const text = `${parts.join(', ')}.`
  if (beyond === 0) return text
  return `${text} ${count(beyond)} ${beyond === 1 ? 'column doesn’t fit and is' : 'columns don’t fit and are'} skipped.`
}

/** Warns about a paste that is longer than a filtered list. */
export function formatBeyondShown(added: number, count: (value: number) => string): string {
  const rows = added === 1 ? '1 row' : `${count(added)} rows`
  return `The list is filtered. ${rows} of the block ${added === 1 ? 'doesn’t' : 'don’t'} fit and would be added as new records. Hidden rows aren’t changed.`
}

// Which copied cells are text for a spreadsheet, even if they look like numbers.

/**
 * Returns a function that tells which texts of a column are copied as text. Amounts are copied as numbers, so
 * that they can be added up, and so are plain numbers in undescribed fields. Check, phone, and account numbers
 * stay text.
 * @param type `undefined` for a column that the list doesn't have
 */
export function copiedAs(
  object: string,
  path: string,
  type: PlannedColumn['type'] | undefined,
): (text: string) => boolean {
  if (type === 'money' || type === 'boolean' || type === 'timestamp') return () => false
  return isDescribed(object, topField(path)) ? () => true : (text) => copiedText(text).isText
}

// Messages about cells that couldn't be changed, with the most frequent reason first.

/** Unchanged cells with the same reason. */
export interface RefusalGroup {
  readonly reason: string
  readonly count: number
  /** The names of the affected columns. */
  readonly columns: readonly string[]
}

/**
 * Groups cells by reason.
 * @param fieldLabel returns the name of a path
 */
export function refusalGroups(
  refused: readonly Refusal[],
  fieldLabel: (path: string) => string,
): readonly RefusalGroup[] {
  const groups = new Map<string, { count: number; paths: Set<string> }>()
  for (const { path, reason } of refused) {
    const group = groups.get(reason) ?? { count: 0, paths: new Set<string>() }
    group.count += 1
    group.paths.add(path)
    groups.set(reason, group)
  }
  return [...groups]
    .map(([reason, { count, paths }]) => ({ reason, count, columns: [...paths].map(fieldLabel) }))
    .sort((left, right) => right.count - left.count)
}

/** Formats a message: names a single cell, or counts several and lists the reasons. Empty if there are none. */
export function formatRefusals(
  refused: readonly Refusal[],
  fieldLabel: (path: string) => string,
  count: (value: number) => string,
): string {
  const [first] = refused
  if (!first) return ''
  if (refused.length === 1) return `${fieldLabel(first.path)}: ${first.reason}`
  const reasons = refusalGroups(refused, fieldLabel).map((group) => {
    const columns =
      group.columns.length > 3 ? `${count(group.columns.length)} columns` : group.columns.join(', ')
    return `${columns}: ${group.reason}`
  })
  const shown = reasons.slice(0, 3).join(' ')
  return `${count(refused.length)} cells were left as they are. ${shown}${reasons.length > 3 ? ' …' : ''}`
}

/** Formats a number of cells: *1 cell*, *1,250 cells*. */
export function formatCells(cells: number, count: (value: number) => string): string {
  return `${count(cells)} ${cells === 1 ? 'cell' : 'cells'}`
}
