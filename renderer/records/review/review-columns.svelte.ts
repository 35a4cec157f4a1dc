/** The columns of the review: only those with changes, as wide as the space for *old → new* allows. */
import { untrack } from 'svelte'
import {
  editAt,
  type EditValue,
  type FieldEdit,
  isInactive,
  memberOf,
  topField,
} from '../../../shared/records/changes.ts'
import { type GridApi, gridRowId, setRowHeights } from '../../ui/grid/grid.ts'
import { SMALL_WINDOW } from '../../ui/styles/breakpoints.ts'
import { wrapParts } from '../../ui/text/wrap.ts'
import {
  applyLayout,
  type ChangeWidths,
  type GridLayout,
  layoutOf,
  reviewWidths,
  type WidthRange,
} from '../grid/columns/column-state.ts'
import { CHECKBOX, groupIdOf, OUTCOME, STATE_COLUMNS } from '../grid/columns/plan.ts'
import type { CellPosition } from '../grid/keys.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import { hasCallout } from '../outcome/outcome.ts'

/** Average width of a character in pixels, and of the space around a change: padding, arrow, thousands marks. */
const CHARACTER = 8
const CHANGE_MARGIN = 48
const NARROWEST_CHANGE = 140
const WIDEST_CHANGE = 400
const WIDEST_BESIDE = 600
/** If space is short, old values are shown above new ones, and new values are shown in full up to this width. */
const NARROWEST_NEW = 78
const WIDEST_NEW = 240
/** The same for a new value on its own line: width per character and the space around it. */
const NEW_CHARACTER = 7.5
const NEW_MARGIN = 38
/** The same for the old value above it, which isn't bold. */
const OLD_CHARACTER = 7
const OLD_MARGIN = 20
const WIDEST_OLD = 300
/** Heights in pixels of a line in a row of several, and of the space around these lines. */
interface LineHeights {
  readonly line: number
  readonly around: number
}
const USUAL_LINES: LineHeights = { line: 17, around: 10 }
/** Smaller text, as in the style sheet of the grid. */
const LOW_LINES: LineHeights = { line: 15, around: 5 }
/** The size of this text, as a share of the usual size. */
const LOW_TEXT = 12 / 13
/** Of a value that doesn't change. */
const MAX_STILL_LINES = 3
/** The same in a low window, except for names. */
const MAX_STILL_LINES_IN_LOW = 1
/** The space around a new value on two lines: no arrow is before it. */
const WRAPPED_MARGIN = 22
const CELL_PADDING = 17
/** An old value up to this width, such as a phone number, doesn't wrap. */
const WIDEST_UNWRAPPED = 120
/** A window as low as at 200 % has room for two lines in only so many rows of a single field. */
const LOW_WINDOW = '(max-height: 480px)'
const MAX_TALL_ROWS = 3
/** In any other window, so many rows have old values in full. */
const MAX_FULL_ROWS = 12
const YES_OR_NO: ChangeWidths = { whole: 76, beside: 110, stacked: 76, wrapped: 76 }
/**
 * Columns that shrink to make room for the changes, in this order, and their minimum widths. An outcome may
 * then take two lines.
 */
const GIVE_WAY: ReadonlyMap<string, number> = new Map([
  [OUTCOME, 148],
  ['Name', 150],
])
/** The same in a small window, where names take two lines, too. */
const GIVE_WAY_IN_SMALL: ReadonlyMap<string, number> = new Map([
  [OUTCOME, 98],
  ['Name', 104],
])
/** Measuring the new values of more changes would take too long. */
const MAX_MEASURED = 500

export class ReviewColumns {
  readonly #api: GridApi<RecordRow>
  readonly #list: RecordsList
  readonly #measure: (weight: 'normal' | 'bold') => TextMeasure | null
  /** Whether a change takes two lines for lack of space: the old value above the new one. */
  hasTwoLines = $state(false)
  /** Whether the new value takes two lines of its own. */
  wraps = $state(false)
  #lineHeights = USUAL_LINES
  #before: GridLayout | null = null
  /** The useful widths of the columns with changes. */
  #wanted: ReadonlyMap<string, ChangeWidths> = new Map()
  /** The width of the longest new name, which is shown beside the changes. */
  #newName = 0
  /** Columns that were shrunk, by ID: their width before and after. */
  readonly #narrowed = new Map<string, { readonly from: number; readonly to: number }>()

  /** @param measure returns what measures text in the grid's font, if it can be measured */
  constructor(
    api: GridApi<RecordRow>,
    list: RecordsList,
    measure: (weight: 'normal' | 'bold') => TextMeasure | null = () => null,
  ) {
    this.#api = api
    this.#list = list
    this.#measure = measure
  }

  get isShown(): boolean {
    return this.#before !== null
  }

  start(): void {
    this.#before ??= layoutOf(this.#api)
    const changes = this.#list.drafts.changes()
    const lengths = longestOf(changes, changes.length <= MAX_MEASURED ? this.#measure('bold') : null)
    const edited = new Set(lengths.keys())
    const isShown = (path: string): boolean =>
      path === 'Name' || STATE_COLUMNS.includes(path) || edited.has(path)
    // The Outcome column is shown only if any row has an outcome.
    const state = (this.#api.getColumns() ?? [])
      .map((column) => column.getColId())
      .filter((colId) => colId !== OUTCOME)
      .map((colId) => ({ colId, hide: !isShown(colId) }))
    this.#api.applyColumnState({ state })
    const groups = [...edited].filter((path) => memberOf(path) !== null).map(topField)
    for (const group of new Set(groups)) this.#api.setColumnGroupOpened(groupIdOf(group), true)
    const widths = new Map([...lengths].map(([path, longest]) => [path, this.#widthsOf(path, longest)]))
    this.#newName = widths.get('Name')?.whole ?? 0
    widths.delete('Name')
    this.#wanted = widths
    this.fit()
  }

  /** Restores the columns. */
  leave(): void {
    if (!this.#before) return
    this.#api.setColumnsVisible([CHECKBOX], false)
    this.#api.resetColumnGroupState()
    // The Outcome column keeps its current width.
    const columns = this.#before.columns.filter(({ id }) => id !== OUTCOME)
    applyLayout(this.#api, { ...this.#before, columns })
    this.#before = null
    const outcome = this.#narrowed.get(OUTCOME)
    if (outcome && this.#widthNow(OUTCOME) === outcome.to) this.#setWidths([[OUTCOME, outcome.from]])
    this.#narrowed.clear()
    this.#layLines(false, false)
  }

  /** Returns the first changed cell of the first visible row, where a review starts. */
  firstChange(): CellPosition | null {
    const rowId = this.#api.getDisplayedRowAtIndex(0)?.data?.rowId
    if (rowId === undefined) return null
    const edits = this.#list.drafts.draft(rowId)?.edits
    const shown = this.#api.getAllDisplayedColumns().map((column) => column.getColId())
    return { rowId, path: shown.find((path) => editAt(edits, path)) ?? 'Name' }
  }

  /**
   * Lays out the columns for the current width, so that changes aren't hidden behind the Outcome column or
   * beyond the edge if that can be avoided.
   */
  fit(): void {
    if (!this.isShown) return
    const { left, right } = this.#api.getHorizontalPixelRange()
    const still = this.#api
      .getAllDisplayedColumns()
      .filter((column) => !column.isPinned() && !this.#wanted.has(column.getColId()))
      .reduce((sum, column) => sum + column.getActualWidth(), 0)
    const givesWay = matchMedia(SMALL_WINDOW).matches ? GIVE_WAY_IN_SMALL : GIVE_WAY
    const givingWay = [...givesWay].filter(([id]) => this.#api.getColumn(id)?.isVisible())
    const others = new Map(givingWay.map(([id, least]) => [id, this.#rangeOf(id, least)]))
    const pinned = [...others.keys()].reduce((sum, id) => sum + this.#widthNow(id), 0)
    const marked = this.#list.drafts.markedRows().size
    const isLow = matchMedia(LOW_WINDOW).matches
    // One line is enough only for a single column. Others would be out of sight, and with them the whole change.
    const lines = marked <= MAX_TALL_ROWS || this.#wanted.size > 1 ? 2 : 1
    const full = isLow ? lines : marked <= MAX_FULL_ROWS ? 2 : null
    const fitting = reviewWidths(this.#wanted, others, right - left - still + pinned, full)
    this.#narrowed.clear()
    for (const [id, to] of fitting.others) {
      const from = others.get(id)?.most ?? to
      if (to < from) this.#narrowed.set(id, { from, to })
    }
    this.#setWidths([...fitting.others, ...fitting.changes])
    this.#layLines(fitting.hasTwoLines, fitting.wraps, isLow ? LOW_LINES : USUAL_LINES)
    if (fitting.wraps && marked <= MAX_FULL_ROWS) this.#fitRows()
  }

  /** Returns a column's width before it was shrunk, in pixels. A width that the user set since then counts instead. */
  ownWidth(id: string): number {
    const [now, narrowed] = [this.#widthNow(id), this.#narrowed.get(id)]
    return narrowed?.to === now ? narrowed.from : now
  }

  #rangeOf(id: string, least: number): WidthRange {
    const most = this.ownWidth(id)
    // In a small window, a new name takes two lines, too.
    const name = id === 'Name' && !matchMedia(SMALL_WINDOW).matches ? this.#newName : 0
    return { least: Math.min(most, Math.max(least, name)), most }
  }

  #widthNow(id: string): number {
    return this.#api.getColumn(id)?.getActualWidth() ?? 0
  }

  #setWidths(widths: readonly (readonly [string, number])[]): void {
    this.#api.setColumnWidths(widths.map(([key, newWidth]) => ({ key, newWidth })))
  }

  /** Sets the height of all rows, so that old values stay visible. */
  #layLines(hasTwoLines: boolean, wraps: boolean, heights = USUAL_LINES): void {
    // Untracked, so that opening or leaving a review doesn't depend on the layout.
    const isLaid = untrack(() => this.hasTwoLines === hasTwoLines && this.wraps === wraps)
    if (isLaid && this.#lineHeights === heights) return
    this.hasTwoLines = hasTwoLines
    this.wraps = wraps
    this.#lineHeights = heights
    setRowHeights(this.#api, null)
    const lines = wraps ? 3 : 2
    const rowHeight = wraps || hasTwoLines ? lines * heights.line + heights.around : undefined
    this.#api.setGridOption('rowHeight', rowHeight)
  }

  /** Gives each row the height that its values need. */
  #fitRows(): void {
    const [normal, strong] = [this.#measure('normal'), this.#measure('bold')]
    if (normal === null || strong === null) return
    const isLow = this.#lineHeights === LOW_LINES
    const size = isLow ? LOW_TEXT : 1
    const plain: TextMeasure = (text) => normal(text) * size
    const bold: TextMeasure = (text) => strong(text) * size
    const { line, around } = this.#lineHeights
    const { drafts } = this.#list
    const columns = this.#api.getAllDisplayedColumns().filter((column) => column.getColId() !== OUTCOME)
    const heights = new Map<string, number>()
    const maxStill = isLow ? MAX_STILL_LINES_IN_LOW : MAX_STILL_LINES
    for (const rowId of drafts.markedRows()) {
      const rowNode = this.#api.getRowNode(gridRowId(rowId))
      if (!rowNode) continue
      const outcome = drafts.outcome(rowId)
      const edits = outcome.kind === 'saved' ? outcome.mark.operation.edits : drafts.draft(rowId)?.edits
      const all = Object.values(edits ?? {})
      const lines = columns.map((column) => {
        const path = column.getColId()
        const room = column.getActualWidth() - CELL_PADDING
        const edit = all.find((each) => each.path === path)
        if (edit && edit.was !== null) {
          // In a low window, the old value of a saved one is cut after a line.
          const was = isLow && outcome.kind === 'saved' ? 1 : countLines(shownText(edit.was), room, plain)
          return was + countLines(shownText(edit.now), room, bold)
        }
        const text: unknown = this.#api.getCellValue({ rowNode, colKey: path, useFormatter: true })
        if (typeof text !== 'string') return 1
        // The tag after a name is about as wide as its word in brackets, and isn't cut.
        const isTagged = path === 'Name' && rowNode.data !== undefined && isInactive(rowNode.data.record)
        const tagged = isTagged
          ? Math.min(MAX_STILL_LINES + 1, countLines(`${text} [Inactive]`, room, plain))
          : 0
        const most = path === 'Name' ? MAX_STILL_LINES : maxStill
        return Math.max(tagged, Math.min(most, countLines(text, room, plain)))
      })
      // In a low window, the link of an outcome is beside its text.
      const least = hasCallout(outcome) && !isLow ? 3 : 2
      heights.set(rowId, Math.max(least, ...lines) * line + around)
    }
    setRowHeights(this.#api, ({ rowId }) => heights.get(rowId))
  }

  /** Returns the widths for the longest new value, alone and beside its old value. */
  #widthsOf(path: string, { change, was, now, nowWidth, halfWidth }: Longest): ChangeWidths {
    const type = this.#list.column(path)?.type
    if (type === 'boolean') return YES_OR_NO
    const within = (width: number, narrowest: number, widest: number): number =>
      Math.min(widest, Math.max(narrowest, width))
    // An amount is shown with more characters than it has.
    const old = Math.ceil(was * OLD_CHARACTER) + OLD_MARGIN
    const isMeasured = nowWidth !== null && (type === 'text' || type === 'reference')
    const own = Math.ceil(isMeasured ? nowWidth : now * NEW_CHARACTER) + NEW_MARGIN
    return {
      whole: within(own, NARROWEST_NEW, WIDEST_NEW),
      // At least as wide as in the list, so that what doesn't change is shown in full too.
      stacked: Math.max(
        within(own, NARROWEST_NEW, WIDEST_CHANGE),
        within(old, 0, WIDEST_OLD),
        within(this.#widthNow(path), 0, WIDEST_CHANGE),
      ),
      wrapped: within(
        Math.max(
          isMeasured
            ? Math.ceil(halfWidth) + CELL_PADDING + 1
            : Math.ceil((own - NEW_MARGIN) / 2) + WRAPPED_MARGIN,
          old <= WIDEST_UNWRAPPED ? old : 0,
        ),
        NARROWEST_NEW,
        WIDEST_NEW,
      ),
      beside: within(change * CHARACTER + CHANGE_MARGIN, NARROWEST_CHANGE, WIDEST_BESIDE),
    }
  }
}

/** Lengths in characters of the longest old value, new value, and pair of them in a field. */
interface Longest {
  readonly change: number
  readonly was: number
  readonly now: number
  /** Width in pixels of the widest new value; `null` if it isn't measured. */
  readonly nowWidth: number | null
  /** The same for new values on two lines; 0 if they aren't measured. */
  readonly halfWidth: number
}

/** Returns the width of a text in pixels. */
export type TextMeasure = (text: string) => number

function longestOf(changes: readonly FieldEdit[], measure: TextMeasure | null): ReadonlyMap<string, Longest> {
  const longest = new Map<string, Longest>()
  for (const { path, was, now } of changes) {
    const before = longest.get(path) ?? { change: 0, was: 0, now: 0, nowWidth: null, halfWidth: 0 }
    const after = lengthOf(now)
    longest.set(path, {
      change: Math.max(before.change, lengthOf(was) + after),
      was: Math.max(before.was, lengthOf(was)),
      now: Math.max(before.now, after),
      nowWidth: measure === null ? null : Math.max(before.nowWidth ?? 0, measure(shownText(now))),
      halfWidth: measure === null ? 0 : Math.max(before.halfWidth, twoLineWidth(shownText(now), measure)),
    })
  }
  return longest
}

/** Returns the approximate length of a value in characters. */
function lengthOf(value: EditValue | null): number {
  return value === null ? 1 : shownText(value).length
}

/**
 * Returns how many lines a text takes. It wraps between words, and anywhere in a word that is too long.
 * @internal
 */
export function countLines(text: string, room: number, measure: TextMeasure): number {
  let [lines, used] = [1, 0]
  for (const part of partsOf(text)) {
    const width = measure(part.trimEnd())
    if (used > 0 && used + width > room) [lines, used] = [lines + 1, 0]
    lines += Math.max(0, Math.ceil(width / room) - 1)
    used += measure(part) % room
  }
  return lines
}

/** Where a text may wrap. */
function partsOf(text: string): readonly string[] {
  return wrapParts(text).flatMap((each) => each.split(/(?<=[\s-])/))
}

/** Returns the width that a text needs on two lines, if that is useful. A single word wraps anywhere. */
function twoLineWidth(text: string, measure: TextMeasure): number {
  if (measure(text) / 2 > WIDEST_NEW) return WIDEST_NEW
  const parts = partsOf(text)
  const widthOf = (some: readonly string[]): number => measure(some.join('').trimEnd())
  const widths = parts
    .slice(1)
    .map((_, at) => Math.max(widthOf(parts.slice(0, at + 1)), widthOf(parts.slice(at + 1))))
  return widths.length === 0 ? measure(text) / 2 : Math.min(...widths)
}

function shownText(value: EditValue): string {
  return typeof value === 'string' ? value : value.FullName
}
