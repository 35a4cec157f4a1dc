/** What a block from the clipboard would do, cell by cell, before it does it; pure. */
import { type EditValue, topField } from '../../../shared/records/changes.ts'
import { isDescribed } from '../../../shared/records/definition.ts'
import { copiedText } from '../../ui/table/data-table.svelte.ts'
import type { PlannedColumn } from '../grid/columns/plan.ts'
import type { Typed } from '../grid/editor/typed-values.ts'
import type { CellEdit, Refusal } from '../list/editing.svelte.ts'
import type { RecordRow } from '../list/rows.ts'

export type Block = readonly (readonly string[])[]

/** Where the cells of a block go. */
export interface PasteTarget {
  /** The rows from the first cell on, as `rowsUnder` has them. */
  readonly rowIds: readonly string[]
  /** The columns shown from the first cell on. */
  readonly paths: readonly string[]
  /** How many rows and columns are chosen: a block is repeated over a choice that is a multiple of it. */
  readonly chosen: { readonly rows: number; readonly columns: number }
}

/** A record that would be added. */
export interface NewRecord {
  readonly values: readonly { readonly path: string; readonly now: EditValue }[]
}

export interface PastePlan {
  /** Cells that get another value than they have. */
  readonly edits: readonly CellEdit[]
  readonly added: readonly NewRecord[]
  readonly refused: readonly Refusal[]
  /** Cells that have the value already. */
  readonly unchanged: number
  /** Columns of the block that lie beyond the last column of the list. */
  readonly beyond: number
}

/** What a plan asks of a list. `rowId` is `null` for a record that would be added. */
export interface PasteLaw {
  readonly read: (rowId: string | null, path: string, text: string) => Typed
  /** Why a cell can't be changed; empty when it can. */
  readonly closed: (rowId: string | null, path: string) => string
  readonly isSame: (rowId: string, path: string, now: EditValue) => boolean
}

/**
 * The rows over which a block goes from the first chosen one on. One that begins on a new record goes over new records:
 * no other one that happens to stand below is written over, unless it is chosen too.
 * @param rowAt the row that is shown so many below the first
 * @param most how many rows the block and the choice have
 * @param chosen how many rows are chosen
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

/** The block over the cells from the first chosen one on; rows beyond the last of these are added to the list. */
export function planOverCells(block: Block, target: PasteTarget, law: PasteLaw): PastePlan {
  const repeated = repeatedOver(block, target.chosen)
  const there = repeated.slice(0, target.rowIds.length)
  const beyond = planNewRecords(repeated.slice(target.rowIds.length), target.paths, law)
  const edits: CellEdit[] = []
  const refused: Refusal[] = [...beyond.refused]
  let unchanged = 0
  there.forEach((cells, down) => {
    const rowId = target.rowIds[down] ?? ''
    cells.slice(0, target.paths.length).forEach((text, right) => {
      const path = target.paths[right] ?? ''
      const typed = readOpen(rowId, path, text, law)
      if (!typed.ok) refused.push({ rowId, path, because: typed.because })
      else if (law.isSame(rowId, path, typed.value)) unchanged += 1
      else edits.push({ rowId, path, now: typed.value })
    })
  })
  return { edits, added: beyond.added, refused, unchanged, beyond: columnsBeyond(repeated, target.paths) }
}

/** Each row of the block a record of its own. Rows without anything in them are none. */
export function planNewRecords(block: Block, paths: readonly string[], law: PasteLaw): PastePlan {
  const refused: Refusal[] = []
  const added = block.flatMap((cells): NewRecord[] => {
    if (cells.every((text) => text.trim() === '')) return []
    const values = cells.slice(0, paths.length).flatMap((text, right) => {
      // An empty cell says nothing about a record that is not there yet.
      if (text.trim() === '') return []
      const path = paths[right] ?? ''
      const typed = readOpen(null, path, text, law)
      if (typed.ok) return [{ path, now: typed.value }]
      refused.push({ rowId: '', path, because: typed.because })
      return []
    })
    return [{ values }]
  })
  return { edits: [], added, refused, unchanged: 0, beyond: columnsBeyond(block, paths) }
}

/** How many cells a block has; more than a few are shown before they are changed. */
export function blockSize(block: Block): number {
  return block.reduce((sum, cells) => sum + cells.length, 0)
}

function readOpen(rowId: string | null, path: string, text: string, law: PasteLaw): Typed {
  const because = law.closed(rowId, path)
  return because === '' ? law.read(rowId, path, text) : { ok: false, because }
}

function columnsBeyond(block: Block, paths: readonly string[]): number {
  const widest = block.reduce((most, cells) => Math.max(most, cells.length), 0)
  return Math.max(0, widest - paths.length)
}

/** One value fills what is chosen; a larger block is repeated where the choice is a multiple of it, as in Excel. */
export function repeatedOver(block: Block, chosen: PasteTarget['chosen']): Block {
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

// What a plan of a paste comes to, in a sentence.

export function planWords(plan: PastePlan, count: (value: number) => string): string {
  const { edits, added, refused, unchanged, beyond } = plan
  const parts = [
    `${cellsWords(edits.length, count)} ${edits.length === 1 ? 'changes' : 'change'}`,
    ...(added.length === 0
      ? []
      : [`${count(added.length)} new ${added.length === 1 ? 'record is' : 'records are'} added`]),
    ...(unchanged === 0
      ? []
      : [unchanged === 1 ? '1 stays as it is' : `${count(unchanged)} stay as they are`]),
    ...(refused.length === 0 ? [] : [`${count(refused.length)} can’t be changed`]),
  ]
  const words = `${parts.join(', ')}.`
  if (beyond === 0) return words
  return `${words} ${count(beyond)} ${beyond === 1 ? 'column doesn’t fit and is' : 'columns don’t fit and are'} skipped.`
}

/** Said where rows of the list are kept out of sight, and the block is longer than what is shown. */
export function beyondShownWords(added: number, count: (value: number) => string): string {
  const rows = added === 1 ? '1 row' : `${count(added)} rows`
  return `The list is filtered. ${rows} of the block ${added === 1 ? 'doesn’t' : 'don’t'} fit and would be added as new records. Hidden rows aren’t changed.`
}

// Which copied cells are text to a spreadsheet, whatever they look like.

/**
 * How the texts of a column are copied. An amount is one in a spreadsheet too, to be added up there, and so is a plain
 * number in a field of which nothing is known; the number of a check, a telephone or an account stays as it stands.
 * @param type `undefined` of a column that the list does not have
 * @returns whether a text of the column stays text
 */
export function copiedAs(
  object: string,
  path: string,
  type: PlannedColumn['type'] | undefined,
): (text: string) => boolean {
  if (type === 'money' || type === 'boolean' || type === 'timestamp') return () => false
  return isDescribed(object, topField(path)) ? () => true : (text) => copiedText(text).isText
}

// What could not be changed of many cells, in a sentence: how many, and why, the most frequent reason first.

/** Cells that were left as they were for one reason. */
export interface RefusalGroup {
  readonly because: string
  readonly count: number
  /** The words of the columns concerned, each once. */
  readonly columns: readonly string[]
}

/** @param words the words for a path */
export function refusalGroups(
  refused: readonly Refusal[],
  words: (path: string) => string,
): readonly RefusalGroup[] {
  const groups = new Map<string, { count: number; paths: Set<string> }>()
  for (const { path, because } of refused) {
    const group = groups.get(because) ?? { count: 0, paths: new Set<string>() }
    group.count += 1
    group.paths.add(path)
    groups.set(because, group)
  }
  return [...groups]
    .map(([because, { count, paths }]) => ({ because, count, columns: [...paths].map(words) }))
    .sort((left, right) => right.count - left.count)
}

/** One cell is named; of several it is said how many, and the reasons. Empty when nothing was refused. */
export function refusalWords(
  refused: readonly Refusal[],
  words: (path: string) => string,
  count: (value: number) => string,
): string {
  const [first] = refused
  if (!first) return ''
  if (refused.length === 1) return `${words(first.path)}: ${first.because}`
  const reasons = refusalGroups(refused, words).map((group) => {
    const columns =
      group.columns.length > 3 ? `${count(group.columns.length)} columns` : group.columns.join(', ')
    return `${columns}: ${group.because}`
  })
  const shown = reasons.slice(0, 3).join(' ')
  return `${count(refused.length)} cells were left as they are. ${shown}${reasons.length > 3 ? ' …' : ''}`
}

/** *1 cell*, *1,250 cells*. */
export function cellsWords(cells: number, count: (value: number) => string): string {
  return `${count(cells)} ${cells === 1 ? 'cell' : 'cells'}`
}
