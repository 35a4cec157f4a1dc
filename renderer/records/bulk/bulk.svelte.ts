/**
 * Commands on many cells: copy, paste, fill, set, clear, and revert. Each is one undoable step with one refresh
 * of the grid, and reports what couldn't be changed.
 */
import type { NumberSeparators } from '../../../shared/format/money.ts'
import { editAt, type EditValue, sameValue } from '../../../shared/records/changes.ts'
import { plainValue } from '../../../shared/records/value-text.ts'
import { type CopiedBlock, copiedBlock, pastedBlock } from '../../ui/clipboard.ts'
import { readTyped, type Typed } from '../../ui/fields/typed-values.ts'
import { type GridApi, gridRowId, shownRows } from '../../ui/grid/grid.ts'
import { plainText } from '../grid/cell-text.ts'
import { cellReader } from '../grid/cell-values.ts'
import type { GridSelection, SelectedRange } from '../grid/selection/selection.svelte.ts'
import type { CellEdit, EditResult, Refusal } from '../list/editing.svelte.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import {
  blockSize,
  copiedAs,
  formatCells,
  formatRefusals,
  type PastedBlock,
  type PastePlan,
  type PasteRules,
  planNewRecords,
  planOverCells,
  rowsUnder,
} from './paste-plan.ts'

/** Larger pastes are previewed first. */
const FEW_CELLS = 12

/** The dialog that is open before many cells are changed. */
export type BulkQuestion =
  /** `block` is `null` until the user pastes into the dialog. */
  | { readonly what: 'paste'; readonly block: PastedBlock | null }
  | { readonly what: 'set'; readonly ranges: readonly SelectedRange[] }

interface Setting {
  readonly api: GridApi<RecordRow>
  readonly list: RecordsList
  readonly selection: GridSelection
  readonly separators: NumberSeparators
  /** Whether rows are hidden by a filter, so that the last visible row isn't the end of the list. */
  readonly isFiltered: () => boolean
  readonly count: (value: number) => string
  readonly say: (message: string) => void
  /** Called with a sentence about what couldn't be done. */
  readonly onrefused: (reason: string) => void
}

export class GridBulk {
  readonly #setting: Setting
  question = $state.raw<BulkQuestion | null>(null)

  constructor(setting: Setting) {
    this.#setting = setting
  }

  /** Whether a paste would add rows beyond the visible ones although the list continues in hidden rows. */
  passesHidden({ added }: PastePlan): boolean {
    const { api, selection, isFiltered } = this.#setting
    const first = shownRows(api)[selection.start()?.row ?? 0]
    return added.length > 0 && isFiltered() && first?.origin !== 'new'
  }

  /** Returns the selected cells in the format of spreadsheets; `null` if they can't be copied. */
  copied(withHeadings: boolean): CopiedBlock | null {
    const { selection, list } = this.#setting
    const ranges = selection.ranges()
    const [first] = ranges
    if (!first) return null
    if (ranges.some(({ paths }) => paths.join('\n') !== first.paths.join('\n'))) {
      this.#setting.onrefused('You can’t copy selections with different columns. Select one block.')
      return null
    }
    const rowIds = ranges.flatMap((range) => range.rowIds)
    const columns = first.paths.map((path) => ({
      path,
      isText: copiedAs(list.object, path, list.column(path)?.type),
    }))
    const cells = rowIds.map((rowId) =>
      columns.map(({ path, isText }) => {
        const text = this.text(rowId, path)
        return { text, isText: isText(text) }
      }),
    )
    const headings = withHeadings
      ? [first.paths.map((path) => ({ text: list.fieldLabel(path), isText: true }))]
      : []
    this.#setting.say(`${formatCells(rowIds.length * first.paths.length, this.#setting.count)} copied`)
    return copiedBlock([...headings, ...cells])
  }

  /** Returns a cell's text for editing and copying; for a collapsed group, the line that is shown. */
  text(rowId: string, path: string): string {
    const { list, separators } = this.#setting
    const [row, column] = [list.row(rowId), list.column(path)]
    if (!row || !column) return ''
    return column.type === 'line'
      ? plainValue(cellReader(column, list.drafts)(row))
      : plainText(column.type, list.value(rowId, path), separators.decimal)
  }

  /** Pastes a block over the cells. A large one is previewed first. */
  paste(text: string): void {
    const block = pastedBlock(text)
    const [only] = block
    const isOneValue = block.length === 1 && only?.length === 1
    // A large block is planned in the preview.
    if (!isOneValue && blockSize(block) > FEW_CELLS) {
      if (this.#setting.selection.start()) this.question = { what: 'paste', block }
      return
    }
    const plan = this.overCells(block)
    if (!plan) return
    const fillsMany = isOneValue && plan.edits.length + plan.refused.length > FEW_CELLS
    if (fillsMany || this.passesHidden(plan)) this.question = { what: 'paste', block }
    else void this.take(plan)
  }

  /** Asks the user to paste into a dialog, because the window can't read the clipboard. */
  askPaste(): void {
    if (this.#setting.selection.start()) this.question = { what: 'paste', block: null }
  }

  /** Plans a paste over the cells from the first selected one. */
  overCells(block: PastedBlock): PastePlan | null {
    const { api, selection } = this.#setting
    const start = selection.start()
    if (!start) return null
    const ranges = selection.ranges()
    const [one] = block
    const [text] = one ?? []
    // A single value fills the whole selection.
    if (block.length === 1 && one?.length === 1 && text !== undefined && selection.count > 1) {
      const { edits, refused } = setCells(ranges, this.#reader(text))
      const isChange = ({ rowId, path, now }: CellEdit): boolean =>
        now === null || !this.#isSame(rowId, path, now)
      const changing = edits.filter(isChange)
      return { edits: changing, refused, added: [], unchanged: edits.length - changing.length, beyond: 0 }
    }
    const last = selection.blocks().at(-1)
    const chosen = { rows: last?.rowIds.length ?? 1, columns: last?.paths.length ?? 1 }
    const most = Math.max(block.length, chosen.rows)
    const shown = shownRows(api)
    const rowAt = (down: number) => shown[start.row + down]
    const rowIds = rowsUnder(rowAt, most, chosen.rows)
    return planOverCells(
      block,
      { rowIds, paths: selection.columns.slice(start.column), chosen },
      this.pasteRules(),
    )
  }

  /** Plans a paste as new records, from the first selected column. */
  asNewRecords(block: PastedBlock): PastePlan {
    const { selection } = this.#setting
    return planNewRecords(block, selection.columns.slice(selection.start()?.column ?? 0), this.pasteRules())
  }

  /** Applies a plan as one step. */
  async take(plan: PastePlan): Promise<void> {
    const { list } = this.#setting
    const begun = plan.added.map(() => crypto.randomUUID())
    list.rows.addNew(begun, 'below-new')
    const inNew = plan.added.flatMap(({ values }, index) =>
      values.map((value): CellEdit => ({ rowId: begun[index] ?? '', ...value })),
    )
    const applied = await list.editing.apply([...plan.edits, ...inNew], begun)
    this.#after({ ...applied, refused: [...plan.refused, ...applied.refused] }, begun.length)
  }

  async fillDown(): Promise<void> {
    const { api, list, selection } = this.#setting
    const above = (rowId: string): string | undefined => {
      const index = api.getRowNode(gridRowId(rowId))?.rowIndex ?? 0
      return index > 0 ? shownRows(api)[index - 1]?.rowId : undefined
    }
    const value = (rowId: string, path: string): EditValue => list.value(rowId, path)
    this.#after(await list.editing.apply(filledDown(selection.blocks(), { above, value })))
  }

  /** Asks for the value to fill the selection with, even if it is a single cell. */
  askSet(): void {
    const ranges = this.#setting.selection.ranges()
    if (ranges.length > 0) this.question = { what: 'set', ranges }
  }

  /** Says why a text can't be set in any of these cells; empty if at least one accepts it. */
  complaint(ranges: readonly SelectedRange[], text: string): string {
    const { edits, refused } = setCells(firstRows(ranges), this.#reader(text))
    return edits.length > 0 ? '' : (refused[0]?.reason ?? '')
  }

  /**
   * Sets all cells to one value.
   * @param chosen the value that was chosen from a list, for its column
   */
  async set(
    ranges: readonly SelectedRange[],
    text: string,
    chosen: (Pick<CellEdit, 'path'> & { readonly value: EditValue }) | null = null,
  ): Promise<void> {
    const read = this.#reader(text)
    const { edits, refused } = setCells(ranges, (rowId, path) =>
      path === chosen?.path ? { ok: true, value: chosen.value } : read(rowId, path),
    )
    await this.apply(edits, refused)
  }

  /** Clears the selected cells. */
  async clear(): Promise<void> {
    this.#after(await this.#setting.list.editing.clear(this.#cells()))
  }

  /** Reverts the edits in the selected cells. */
  async revertCells(): Promise<void> {
    const { list } = this.#setting
    const edited = this.#cells().filter(
      ({ rowId, path }) => editAt(list.drafts.draft(rowId)?.edits, path) !== undefined,
    )
    if (edited.length === 0) this.#setting.say('Nothing to revert here')
    else
      await this.apply(
        edited.map((cell) => ({ ...cell, now: null })),
        [],
      )
  }

  /**
   * Applies edits as one step and reports the result.
   * @returns the number of changed cells
   */
  async apply(edits: readonly CellEdit[], refused: readonly Refusal[]): Promise<number> {
    const applied = await this.#setting.list.editing.apply(edits)
    this.#after({ changed: applied.changed, refused: refused.concat(applied.refused) })
    return applied.changed
  }

  #cells(): Omit<CellEdit, 'now'>[] {
    return this.#setting.selection
      .ranges()
      .flatMap(({ rowIds, paths }) => rowIds.flatMap((rowId) => paths.map((path) => ({ rowId, path }))))
  }

  #after({ changed, refused }: EditResult, added = 0): void {
    const { count, say, onrefused, list } = this.#setting
    const reason = formatRefusals(refused, list.fieldLabel, count)
    const records = added === 0 ? '' : `${count(added)} ${added === 1 ? 'record' : 'records'} added, `
    const message = `${records}${formatCells(changed, count)} changed`
    if (reason === '') say(message)
    else onrefused(changed === 0 && added === 0 ? reason : `${message}. ${reason}`)
  }

  /** Creates a reader that parses the text once per column. */
  #reader(text: string): (rowId: string | null, path: string) => Typed {
    const { list, separators } = this.#setting
    const read = (path: string, isNew: boolean): Typed => {
      const type = list.column(path)?.type
      if (type === undefined || type === 'line') return { ok: true, value: text }
      return readTyped(type, text, separators, isNew)
    }
    const known = { new: new Map<string, Typed>(), existing: new Map<string, Typed>() }
    return (rowId, path) => {
      const isNew = rowId === null || list.row(rowId)?.origin === 'new'
      const ofKind = isNew ? known.new : known.existing
      const typed = ofKind.get(path) ?? read(path, isNew)
      ofKind.set(path, typed)
      return typed
    }
  }

  /** Returns the rules for pasted text. */
  pasteRules(): PasteRules & { readonly text: (rowId: string, path: string) => string } {
    const { list } = this.#setting
    return {
      text: (rowId, path) => this.text(rowId, path),
      read: (rowId, path, text) => this.#reader(text)(rowId, path),
      closed: (rowId, path) => {
        const right =
          rowId === null ? list.editing.editabilityInNewRecord(path) : list.editing.editability(rowId, path)
        return right.editable ? '' : right.reason
      },
      isSame: (rowId, path, now) => this.#isSame(rowId, path, now),
    }
  }

  #isSame(rowId: string, path: string, now: EditValue): boolean {
    const { list } = this.#setting
    const type = list.column(path)?.type
    if (type === undefined || type === 'line') return false
    return sameValue(type, list.value(rowId, path), now)
  }
}

function firstRows(ranges: readonly SelectedRange[]): readonly SelectedRange[] {
  return ranges.map(({ rowIds, paths }) => ({ rowIds: rowIds.slice(0, 1), paths }))
}

// Filling cells: down from the first row, or with one typed value.

/** The list as filling sees it. */
interface Cells {
  readonly value: (rowId: string, path: string) => EditValue
  /** Returns the visible row above, if any. */
  readonly above: (rowId: string) => string | undefined
}

/**
 * Fills each block from its first row. A block of one row is filled from the row above it.
 * @internal
 */
export function filledDown(blocks: readonly SelectedRange[], cells: Cells): readonly CellEdit[] {
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

/**
 * Parses a text for each cell by its column's type.
 * @returns the edits, and the cells that can't be set
 * @internal
 */
export function setCells(
  ranges: readonly SelectedRange[],
  read: (rowId: string, path: string) => Typed,
): { readonly edits: readonly CellEdit[]; readonly refused: readonly Refusal[] } {
  const edits: CellEdit[] = []
  const refused: Refusal[] = []
  for (const { rowIds, paths } of ranges) {
    for (const rowId of rowIds) {
      for (const path of paths) {
        const typed = read(rowId, path)
        if (typed.ok) edits.push({ rowId, path, now: typed.value })
        else refused.push({ rowId, path, reason: typed.reason })
      }
    }
  }
  return { edits, refused }
}
