/** Converts the column plan to AG Grid's column definitions. */
import type { Format } from '../../../../shared/format/format.ts'
import type { NumberSeparators } from '../../../../shared/format/money.ts'
import { editAt, type EditValue, isInactive, valueAt } from '../../../../shared/records/changes.ts'
import { fieldDefinition } from '../../../../shared/records/definition.ts'
import { plainValue, valueText } from '../../../../shared/records/value-text.ts'
import {
  changeElement,
  type ColDef,
  type ColGroupDef,
  type GridApi,
  type IRowNode,
  shownRows,
  textElement,
} from '../../../ui/grid/grid.ts'
import {
  compareDigits,
  compareNames,
  compareText,
  createSorter,
  digitsOf,
  type Sorter,
} from '../../list/order.ts'
import type { RecordsList } from '../../list/records-list.svelte.ts'
import { type RecordRow, rowName } from '../../list/rows.ts'
import { cellMark } from '../../outcome/outcome.ts'
import type { RecordsView } from '../../screen/records-view.svelte.ts'
import { depthOf, isUnderParent, parentPrefix, plainText, type RowAbove } from '../cell-text.ts'
import { cellReader } from '../cell-values.ts'
import { CellEditor } from '../editor/cell-editor.ts'
import type { CellEditorSetup } from '../editor/editor-state.svelte.ts'
import { groupIdOf, type PlanEntry, type PlannedColumn, type PlannedGroup } from './plan.ts'

type Column = ColDef<RecordRow, unknown>

interface Setting {
  readonly view: RecordsView
  readonly format: () => Format
  readonly separators: NumberSeparators
  readonly filter: HeadingFilter
}

/** Returns the data columns, without those for signs, check boxes, and outcomes. */
export function columnDefs(
  plan: readonly PlanEntry[],
  setting: Setting,
): (ColDef<RecordRow> | ColGroupDef<RecordRow>)[] {
  return plan.map((entry) =>
    entry.kind === 'column' ? columnDef(entry.column, setting) : groupDef(entry.group, setting),
  )
}

function groupDef(group: PlannedGroup, setting: Setting): ColGroupDef<RecordRow> {
  const groupId = groupIdOf(group.field)
  const [first, ...others] = group.columns
  return {
    groupId,
    headerName: group.header,
    marryChildren: true,
    children: [
      ...(first
        ? [columnDef(first, setting, others.length > 0 ? { groupId, unfolds: group.unfolds } : null)]
        : []),
      ...others.map((column) => columnDef(column, setting)),
    ],
    headerGroupComponent: GroupHeading,
    headerGroupComponentParams: { title: group.header, unfolds: group.unfolds },
  }
}

function columnDef(column: PlannedColumn, setting: Setting, group: UnfoldingGroup | null = null): Column {
  const { view, format } = setting
  const { list } = view
  const { path, type } = column
  const read = cellReader(column, view.list.drafts)
  const text = (row: RecordRow): string =>
    type === 'line' ? plainValue(read(row)) : valueText(type, read(row), format())
  const reason = column.forExisting.editable || type === 'line' ? '' : column.forExisting.reason
  return {
    colId: path,
    headerName: column.header,
    ...(column.shown === 'always' ? {} : { columnGroupShow: column.shown === 'folded' ? 'closed' : 'open' }),
    ...(path === 'Name' ? { pinned: 'left' as const, initialSort: 'asc' as const } : {}),
    initialWidth: column.width,
    headerClass: type === 'money' ? 'cell-number' : type === 'boolean' ? 'cell-center' : '',
    headerComponentParams: {
      innerHeaderComponent: ColumnHeading,
      innerHeaderComponentParams: { reason, filter: setting.filter, group },
    },
    // Only a placeholder: the formatter provides the text, and `RowOrder` sorts the rows.
    valueGetter: ({ data }) => data,
    valueFormatter: ({ data, node, api }) => {
      if (!data) return ''
      const before = path === 'Name' ? parentPrefix(data.record) : ''
      return before === '' || isUnderParent(data.record, rowsAbove(api, node))
        ? text(data)
        : before + text(data)
    },
    comparator: () => 0,
    cellClass: classesOf(column, view),
    cellRendererSelector: ({ data, valueFormatted }) => {
      if (!data) return undefined
      const change = view.isReviewing ? changeIn(data, path, setting) : null
      if (change) return { component: () => changeElement(change.was, change.now) }
      const mark = type === 'boolean' ? MARKS.get(plainValue(read(data))) : undefined
      if (mark) return { component: mark }
      // In a row of two lines, a name or another long value takes both.
      const tag = path === 'Name' && isInactive(data.record) ? [' ', span('inactive', 'Inactive')] : []
      if (view.isReviewing && type !== 'money') {
        return { component: () => textElement('cell-still', valueFormatted ?? '', ...tag) }
      }
      if (tag.length > 0) return { component: () => textElement('', valueFormatted ?? '', ...tag) }
      return undefined
    },
    editable: ({ data }) => data !== undefined && list.editing.editability(data.rowId, path).editable,
    cellEditor: CellEditor,
    cellEditorParams: ({ data }: { data: RecordRow }): CellEditorSetup => editorSetup(data, column, setting),
    valueSetter: ({ data, newValue }) => {
      list.editing.edit([{ rowId: data.rowId, path, now: newValue as EditValue }])
      return true
    },
  }
}

/** Returns the sorter of a column; `undefined` if the list doesn't have the column. */
export function columnSorter(view: RecordsView, path: string): Sorter | undefined {
  const column = view.list.column(path)
  if (!column) return undefined
  // By the parts of the full name, so that a sub-customer is sorted below its parent.
  if (path === 'Name') return createSorter((row) => rowName(row).split(':'), compareNames)
  const read = cellReader(column, view.list.drafts)
  const text = (row: RecordRow): string => plainValue(read(row))
  return column.type === 'money'
    ? createSorter((row) => digitsOf(text(row)), compareDigits)
    : createSorter(text, compareText)
}

/**
 * The classes of a cell. One function instead of a rule per class, because the grid calls it for every cell
 * that scrolls into view, and most rows have no marks.
 */
function classesOf(column: PlannedColumn, view: RecordsView): NonNullable<Column['cellClass']> {
  const { path, type } = column
  const always: string[] = []
  if (type === 'money') always.push('cell-number')
  if (type === 'boolean') always.push('cell-center')
  if (type === 'line') always.push('cell-readonly')
  const readonly = type === 'line' ? always : [...always, 'cell-readonly']
  const own = (row: RecordRow, above: RowAbove): readonly string[] => {
    if (path === 'Name') {
      const depth = depthOf(row.record)
      return depth > 0 && isUnderParent(row.record, above) ? [`depth-${depth}`] : []
    }
    // A field may be editable in new rows only.
    const right = row.origin === 'new' ? column.forNew : column.forExisting
    return right.editable ? always : readonly
  }
  return ({ data, node, api }) => {
    if (!data) return []
    const classes = own(data, rowsAbove(api, node))
    const hasMarks = view.isReviewing || view.list.drafts.isMarked(data.rowId)
    return hasMarks ? [...classes, ...marksOf(data.rowId, path, view)] : [...classes]
  }
}

function rowsAbove(api: GridApi<RecordRow>, node: IRowNode<RecordRow> | null): RowAbove {
  const { rowIndex = null } = node ?? {}
  return (rows) => (rowIndex === null ? undefined : shownRows(api)[rowIndex - rows]?.record)
}

/** Returns the classes for a cell's outcome. */
function marksOf(rowId: string, path: string, view: RecordsView): readonly string[] {
  const { drafts } = view.list
  const draft = drafts.draft(rowId)
  const outcome = drafts.outcome(rowId)
  const marks: string[] = []
  const mark = cellMark(outcome, path, draft)
  // Outside the review, a saved row only flashes.
  if (mark !== null && (mark !== 'saved' || view.isReviewing)) marks.push(`cell-${mark}`)
  const changes =
    outcome.kind === 'saved'
      ? outcome.mark.operation.edits.some((edit) => edit.path === path)
      : editAt(draft?.edits, path) !== undefined
  if (view.isReviewing && path !== 'Name' && !changes) marks.push('cell-asleep')
  return marks
}

/**
 * Returns the old and new value of a cell that was edited, or that was saved since the list was opened; `null`
 * in a new record, which has no old values.
 */
function changeIn(
  row: RecordRow,
  path: string,
  { view, format }: Setting,
): { was: string; now: string } | null {
  const { drafts } = view.list
  const outcome = drafts.outcome(row.rowId)
  const edit =
    editAt(drafts.draft(row.rowId)?.edits, path) ??
    (outcome.kind === 'saved' ? outcome.mark.operation.edits.find((each) => each.path === path) : undefined)
  if (!edit || edit.was === null) return null
  const type = view.list.column(path)?.type ?? 'text'
  const textOf = (value: EditValue | null): string =>
    value === null || type === 'line' ? '' : valueText(type, value, format())
  return { was: textOf(edit.was), now: textOf(edit.now) || 'empty' }
}

function editorSetup(row: RecordRow, column: PlannedColumn, { view, separators }: Setting): CellEditorSetup {
  const { list } = view
  const type = column.type === 'line' ? 'text' : column.type
  const value = list.value(row.rowId, column.path)
  return {
    type,
    label: column.header,
    start: plainText(type, value, separators.decimal),
    separators,
    canBeEmpty: row.origin === 'new',
    suggest: (typed) => (type === 'reference' ? list.references.suggest(column.path, typed, 50) : []),
    choices:
      fieldDefinition(list.object, column.path).isChoice === true ? () => valuesOf(list, column.path) : null,
  }
}

/** Returns the values of a field in the records that were read, sorted. */
function valuesOf(list: RecordsList, path: string): readonly string[] {
  const values = new Set<string>()
  for (const { record, origin } of list.rows)
    if (origin === 'read') values.add(plainValue(valueAt(list.object, record, path)))
  values.delete('')
  return [...values].toSorted(compareText)
}

// The headings of the grid: a lock with the reason on read-only columns, and a button on groups that expand.

/** A heading's access to the filter of its column. */
export interface HeadingFilter {
  /** Whether the column is filtered. */
  readonly isOn: (path: string) => boolean
  /** Opens the filter below the heading. */
  readonly onopen: (path: string, heading: Element) => void
}

/** The group that a heading unfolds while it is folded. */
interface UnfoldingGroup {
  readonly groupId: string
  /** *the parts of Billing address* */
  readonly unfolds: string
}

interface HeaderParams {
  readonly api: GridApi<RecordRow>
  readonly displayName: string
  readonly eGridHeader: HTMLElement
  readonly column: { getColId(): string }
  readonly group: UnfoldingGroup | null
  /** Why the column can't be changed; empty if it can. */
  readonly reason?: string
  readonly filter: HeadingFilter
}

/** The content of a column heading, instead of AG Grid's plain name. */
class ColumnHeading {
  readonly #gui = span('heading')

  init(params: HeaderParams): void {
    this.refresh(params)
  }

  getGui(): HTMLElement {
    return this.#gui
  }

  refresh(params: HeaderParams): boolean {
    const { displayName, eGridHeader, reason = '' } = params
    const lock = reason === '' ? [] : [icon('lock')]
    this.#gui.replaceChildren(
      ...unfoldButton(params),
      ...lock,
      span('cut', displayName),
      filterButton(params),
    )
    this.#gui.title = reason
    // The button isn't part of the column's name.
    eGridHeader.setAttribute('aria-label', displayName)
    if (reason === '') eGridHeader.removeAttribute('aria-description')
    else eGridHeader.setAttribute('aria-description', `Read only. ${reason}`)
    return true
  }
}

/** Visible on hover and while the filter is on. With the keyboard, Alt+Down on the heading does the same. */
function filterButton({ displayName, eGridHeader, column, filter }: HeaderParams): HTMLButtonElement {
  const path = column.getColId()
  const button = document.createElement('button')
  button.type = 'button'
  button.tabIndex = -1
  button.className = filter.isOn(path) ? 'filter-button on' : 'filter-button'
  button.title = `Filter ${displayName}`
  button.setAttribute('aria-label', `Filter ${displayName}`)
  button.append(icon('filter'))
  button.addEventListener('click', (event) => {
    // A click on the heading sorts.
    event.stopPropagation()
    filter.onopen(path, eGridHeader)
  })
  return button
}

/** `›` before the name of a folded group. Once it is open, the heading over its columns folds it again. */
function unfoldButton({ api, group }: HeaderParams): readonly HTMLButtonElement[] {
  if (group === null || isOpen(api, group.groupId)) return []
  const button = document.createElement('button')
  button.type = 'button'
  button.tabIndex = -1
  button.className = 'unfold-button'
  button.title = `Expand ${group.unfolds}`
  button.setAttribute('aria-label', `Expand ${group.unfolds}`)
  button.setAttribute('aria-expanded', 'false')
  button.append(icon('chevron'))
  button.addEventListener('click', (event) => {
    // A click on the heading sorts.
    event.stopPropagation()
    api.setColumnGroupOpened(group.groupId, true)
  })
  return [button]
}

function isOpen(api: GridApi<RecordRow>, groupId: string): boolean {
  return api.getColumnGroupState().some((group) => group.groupId === groupId && group.open)
}

/** Pixels of the headings over open groups. While none is open, the grid has one row of headings. */
const GROUP_HEADINGS = 22

/** Makes room for the headings over open groups; called when a group was opened or closed. */
export function fitGroupHeadings(api: GridApi<RecordRow>): void {
  const height = api.getColumnGroupState().some(({ open }) => open) ? GROUP_HEADINGS : 0
  if (api.getGridOption('groupHeaderHeight') !== height) api.setGridOption('groupHeaderHeight', height)
  api.refreshHeader()
}

interface GroupParams {
  readonly columnGroup: { isExpanded(): boolean; getProvidedColumnGroup(): EventTarget | object }
  readonly setExpanded: (expanded: boolean) => void
  readonly title: string
  readonly unfolds: string
}

/** The heading over the columns of an expanded group, which collapses it again. */
class GroupHeading {
  readonly #gui = document.createElement('button')
  #params: GroupParams | null = null

  init(params: GroupParams): void {
    this.#params = params
    this.#gui.type = 'button'
    this.#gui.className = 'group-heading'
    this.#gui.tabIndex = -1
    this.#gui.addEventListener('click', () => params.setExpanded(!params.columnGroup.isExpanded()))
    this.#say()
  }

  getGui(): HTMLElement {
    this.#say()
    return this.#gui
  }

  #say(): void {
    if (!this.#params) return
    const { columnGroup, title, unfolds } = this.#params
    const isExpanded = columnGroup.isExpanded()
    this.#gui.classList.toggle('folded', !isExpanded)
    this.#gui.replaceChildren(icon('chevron'), title)
    this.#gui.title = `Collapse ${unfolds}`
    this.#gui.setAttribute('aria-expanded', String(isExpanded))
    this.#gui.setAttribute('aria-label', `${isExpanded ? 'Collapse' : 'Expand'} ${unfolds}`)
  }
}

// Small parts of cells, built as plain elements, because the grid creates thousands of them.

const SVG = 'http://www.w3.org/2000/svg'
/** SVG paths of Lucide icons (ISC license). */
const PATHS = {
  lock: [
    'M5 11h14a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2z',
    'M7 11V7a5 5 0 0 1 10 0v4',
  ],
  chevron: ['m9 18 6-6-6-6'],
  filter: ['M2 5h20', 'M6 12h12', 'M9 19h6'],
} as const

function icon(name: keyof typeof PATHS): SVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  for (const [attribute, value] of Object.entries({
    viewBox: '0 0 24 24',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    'aria-hidden': 'true',
    class: `lucide small ${name}`,
  })) {
    svg.setAttribute(attribute, value)
  }
  for (const d of PATHS[name]) {
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', d)
    svg.append(path)
  }
  return svg
}

function span(className: string, ...children: (Node | string)[]): HTMLSpanElement {
  const element = document.createElement('span')
  element.className = className
  element.append(...children)
  return element
}

/** Marks for *Yes* and *No*, which the style sheet draws over the words. Only editable check boxes have a box. */
const MARKS: ReadonlyMap<string, () => HTMLElement> = new Map([
  ['true', () => span('cell-yes', 'Yes')],
  ['false', () => span('cell-no', 'No')],
])
