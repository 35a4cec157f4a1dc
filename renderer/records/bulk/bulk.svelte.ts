/**
 * What is done to many cells of a grid at once: copying, pasting, filling, setting, emptying, taking back. Each is one
 * step that can be undone, one refresh of the grid, and ends with a word on what could not be changed.
 */
import type { NumberMarks } from '../../../shared/format/money.ts'
import { type EditValue, editAt, sameValue } from '../../../shared/records/changes.ts'
import { type CopiedBlock, copiedBlock, pastedBlock } from '../../ui/clipboard.ts'
import { type GridApi, gridRowId } from '../../ui/grid/grid.ts'
import { plainText } from '../grid/cell-text.ts'
import { type Typed, readTyped } from '../grid/editor/typed-values.ts'
import type { ChosenStripe, GridSelection } from '../grid/selection/selection.svelte.ts'
import type { Applied, CellEdit, Refusal } from '../list/editing.svelte.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import {
  type Block,
  type PasteLaw,
  type PastePlan,
  blockSize,
  cellsWords,
  copiedAs,
  planNewRecords,
  planOverCells,
  refusalWords,
  rowsUnder,
} from './paste-plan.ts'

/** Larger blocks are shown before they are put anywhere. */
const FEW_CELLS = 12

/** What is asked of the person before many cells are changed. */
export type BulkQuestion =
  /** `block` is `null` until something was put into the dialog. */
  | { readonly what: 'paste'; readonly block: Block | null }
  | { readonly what: 'set'; readonly stripes: readonly ChosenStripe[] }

interface Setting {
  readonly api: GridApi<RecordRow>
  readonly list: RecordsList
  readonly selection: GridSelection
  readonly marks: NumberMarks
  /** Whether rows of the list are kept out of sight: what lies beyond the last one shown is not beyond the list. */
  readonly isFiltered: () => boolean
  readonly count: (value: number) => string
  readonly say: (words: string) => void
  /** What could not be done, in a sentence. */
  readonly onrefused: (because: string) => void
}

export class GridBulk {
  readonly #setting: Setting
  question = $state.raw<BulkQuestion | null>(null)

  constructor(setting: Setting) {
    this.#setting = setting
  }

  /** Whether rows would be added because the list seems to end before them, while some of it is kept out of sight. */
  passesHidden({ added }: PastePlan): boolean {
    const { api, selection, isFiltered } = this.#setting
    const first = api.getDisplayedRowAtIndex(selection.start()?.row ?? 0)?.data
    return added.length > 0 && isFiltered() && first?.origin !== 'new'
  }

  /** The chosen cells as spreadsheets read them; `null` where nothing can be copied. */
  copied(withHeadings: boolean): CopiedBlock | null {
    const { selection, list } = this.#setting
    const stripes = selection.stripes()
    const [first] = stripes
    if (!first) return null
    if (stripes.some(({ paths }) => paths.join('\n') !== first.paths.join('\n'))) {
      this.#setting.onrefused('You can’t copy selections with different columns. Select one block.')
      return null
    }
    const rowIds = stripes.flatMap((stripe) => stripe.rowIds)
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
      ? [first.paths.map((path) => ({ text: list.words(path), isText: true }))]
      : []
    this.#setting.say(`${cellsWords(rowIds.length * first.paths.length, this.#setting.count)} copied`)
    return copiedBlock([...headings, ...cells])
  }

  /** A cell's text as it is edited and copied; a folded group is the line that is shown. */
  text(rowId: string, path: string): string {
    const { api, list, marks } = this.#setting
    const type = list.column(path)?.type
    if (type !== undefined && type !== 'line') return plainText(type, list.value(rowId, path), marks.decimal)
    const node = api.getRowNode(gridRowId(rowId))
    const shown: unknown = node ? api.getCellValue({ rowNode: node, colKey: path, useFormatter: true }) : ''
    return typeof shown === 'string' ? shown : ''
  }

  /** Puts a block from the clipboard over the cells; a large one is shown first. */
  paste(text: string): void {
    const block = pastedBlock(text)
    const [only] = block
    const isOneValue = block.length === 1 && only?.length === 1
    // What a large block does is worked out where it is shown, and not here as well.
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

  /** Asks for the block: the window may not read the clipboard by itself. */
  askPaste(): void {
    if (this.#setting.selection.start()) this.question = { what: 'paste', block: null }
  }

  /** What the block would do over the cells from the first chosen one on. */
  overCells(block: Block): PastePlan | null {
    const { api, selection } = this.#setting
    const start = selection.start()
    if (!start) return null
    const stripes = selection.stripes()
    const [one] = block
    const [text] = one ?? []
    // One value goes into everything that is chosen, whatever its shape.
    if (block.length === 1 && one?.length === 1 && text !== undefined && selection.count > 1) {
      const { edits, refused } = setCells(stripes, this.#reader(text))
      const isChange = ({ rowId, path, now }: CellEdit): boolean =>
        now === null || !this.#isSame(rowId, path, now)
      const changing = edits.filter(isChange)
      return { edits: changing, refused, added: [], unchanged: edits.length - changing.length, beyond: 0 }
    }
    const last = selection.blocks().at(-1)
    const chosen = { rows: last?.rowIds.length ?? 1, columns: last?.paths.length ?? 1 }
    const most = Math.max(block.length, chosen.rows)
    const rowAt = (down: number) => api.getDisplayedRowAtIndex(start.row + down)?.data
    const rowIds = rowsUnder(rowAt, most, chosen.rows)
    return planOverCells(block, { rowIds, paths: selection.columns.slice(start.column), chosen }, this.law())
  }

  /** What the block would do as records of their own, from the first chosen column on. */
  asNewRecords(block: Block): PastePlan {
    const { selection } = this.#setting
    return planNewRecords(block, selection.columns.slice(selection.start()?.column ?? 0), this.law())
  }

  /** Does what was planned, as one step. */
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
      return index > 0 ? api.getDisplayedRowAtIndex(index - 1)?.data?.rowId : undefined
    }
    const value = (rowId: string, path: string): EditValue => list.value(rowId, path)
    this.#after(await list.editing.apply(filledDown(selection.blocks(), { above, value })))
  }

  /** Asks for the value; more than one cell need not be chosen. */
  askSet(): void {
    const stripes = this.#setting.selection.stripes()
    if (stripes.length > 0) this.question = { what: 'set', stripes }
  }

  /** Why a text can't be the value of these cells; empty when at least one takes it. */
  complaint(stripes: readonly ChosenStripe[], text: string): string {
    const { edits, refused } = setCells(firstRows(stripes), this.#reader(text))
    return edits.length > 0 ? '' : (refused[0]?.because ?? '')
  }

  /** One value into all of these cells. @param chosen what it is in the column where it was chosen from a list */
  async set(
    stripes: readonly ChosenStripe[],
    text: string,
    chosen: (Pick<CellEdit, 'path'> & { readonly value: EditValue }) | null = null,
  ): Promise<void> {
    const read = this.#reader(text)
    const { edits, refused } = setCells(stripes, (rowId, path) =>
      path === chosen?.path ? { ok: true, value: chosen.value } : read(rowId, path),
    )
    await this.apply(edits, refused)
  }

  /** Empties what is chosen. */
  async clear(): Promise<void> {
    this.#after(await this.#setting.list.editing.clear(this.#cells()))
  }

  /** Takes back what was typed into the chosen cells. */
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

  /** Puts many edits as one step and says what came of them. @returns how many cells have another value now */
  async apply(edits: readonly CellEdit[], refused: readonly Refusal[]): Promise<number> {
    const applied = await this.#setting.list.editing.apply(edits)
    this.#after({ changed: applied.changed, refused: refused.concat(applied.refused) })
    return applied.changed
  }

  #cells(): Omit<CellEdit, 'now'>[] {
    return this.#setting.selection
      .stripes()
      .flatMap(({ rowIds, paths }) => rowIds.flatMap((rowId) => paths.map((path) => ({ rowId, path }))))
  }

  #after({ changed, refused }: Applied, added = 0): void {
    const { count, say, onrefused, list } = this.#setting
    const because = refusalWords(refused, list.words, count)
    const records = added === 0 ? '' : `${count(added)} ${added === 1 ? 'record' : 'records'} added, `
    const words = `${records}${cellsWords(changed, count)} changed`
    if (because === '') say(words)
    else onrefused(changed === 0 && added === 0 ? because : `${words}. ${because}`)
  }

  /** Reads the text once for each column, however many cells it goes into. */
  #reader(text: string): (rowId: string | null, path: string) => Typed {
    const { list, marks } = this.#setting
    const read = (path: string, isNew: boolean): Typed => {
      const type = list.column(path)?.type
      if (type === undefined || type === 'line') return { ok: true, value: text }
      return readTyped(type, text, marks, isNew)
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

  /** What a text from outside may do to a cell. */
  law(): PasteLaw & { readonly text: (rowId: string, path: string) => string } {
    const { list } = this.#setting
    return {
      text: (rowId, path) => this.text(rowId, path),
      read: (rowId, path, text) => this.#reader(text)(rowId, path),
      closed: (rowId, path) => {
        const right =
          rowId === null ? list.editing.editabilityOfNew(path) : list.editing.editability(rowId, path)
        return right.editable ? '' : right.because
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

function firstRows(stripes: readonly ChosenStripe[]): readonly ChosenStripe[] {
  return stripes.map(({ rowIds, paths }) => ({ rowIds: rowIds.slice(0, 1), paths }))
}

// Filling chosen cells: down from the first row, or with one value that was typed.

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
