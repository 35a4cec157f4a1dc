/** The columns about a row as a whole: its sign, its check box in the review, and its outcome. */
import type { Format } from '../../../../shared/format/format.ts'
import { componentCell } from '../../../ui/grid/cells.ts'
import type { ColDef } from '../../../ui/grid/grid.ts'
import type { Outcome } from '../../../ui/notices/outcomes.ts'
import Sign from '../../../ui/notices/Sign.svelte'
import { isLocked } from '../../drafts/row-draft.ts'
import { compareText, createSorter, type Sorter } from '../../list/order.ts'
import type { RecordRow } from '../../list/rows.ts'
import {
  calloutLabel,
  formatOutcome,
  formatSign,
  outcomeSign,
  type OutcomeText,
} from '../../outcome/outcome.ts'
import OutcomeCell from '../../outcome/OutcomeCell.svelte'
import type { RecordsView } from '../../screen/records-view.svelte.ts'
import CheckboxCell from '../CheckboxCell.svelte'
import { OUTCOME_WIDTH } from './grid-columns.ts'
import { CHECKBOX, MARGIN, OUTCOME } from './plan.ts'

interface Setting {
  readonly view: RecordsView
  readonly format: () => Format
  /** Opens the callout of a row. */
  readonly onshow: (rowId: string) => void
  readonly oncheck: (rowIds: readonly string[], checked: boolean) => void
}

const FIXED: ColDef<RecordRow> = {
  sortable: false,
  resizable: false,
  suppressMovable: true,
  lockPosition: 'left',
}

export function marginColumn({ view }: Setting): ColDef<RecordRow> {
  const cell = componentCell<RecordRow, { outcome: Outcome; says: string | undefined }>(Sign, ({ data }) => {
    if (!data) return null
    const outcome = view.list.drafts.outcome(data.rowId)
    const sign = outcomeSign(outcome)
    return sign === null ? null : { outcome: sign, says: formatSign(outcome) }
  })
  return {
    ...FIXED,
    colId: MARGIN,
    headerName: 'Status',
    pinned: 'left',
    width: 30,
    minWidth: 30,
    maxWidth: 30,
    cellClass: 'cell-margin',
    headerClass: 'cell-margin',
    suppressNavigable: true,
    cellRendererSelector: ({ data }) =>
      data && view.list.drafts.isMarked(data.rowId) ? { component: cell } : undefined,
  }
}

/** Shown only during the review. */
export function checkboxColumn({ view, oncheck }: Setting): ColDef<RecordRow> {
  const cell = componentCell<
    RecordRow,
    { label: string; state: 'checked' | 'unchecked' | 'locked'; onchange: (checked: boolean) => void }
  >(CheckboxCell, ({ data }) => {
    if (!data) return null
    const { rowId } = data
    if (isLocked(view.list.drafts.draft(rowId))) {
      const { kind } = view.list.drafts.outcome(rowId)
      const label = kind === 'queued' || kind === 'sending' ? 'Being sent' : 'Not sent again automatically'
      return { label, state: 'locked', onchange: () => undefined }
    }
    if (!view.canCheck(rowId)) return null
    return {
      label: `Send ${view.list.nameOf(rowId) || 'new record'}`,
      state: view.isChecked(rowId) ? 'checked' : 'unchecked',
      onchange: (checked) => oncheck([rowId], checked),
    }
  })
  return {
    ...FIXED,
    colId: CHECKBOX,
    headerName: 'Send',
    pinned: 'left',
    initialHide: true,
    width: 46,
    minWidth: 46,
    maxWidth: 46,
    cellClass: 'cell-center',
    headerClass: 'cell-center',
    cellRenderer: cell,
  }
}

export function outcomeColumn({ view, format, onshow }: Setting): ColDef<RecordRow> {
  const outcomeOf = (rowId: string) =>
    formatOutcome(view.list.drafts.outcome(rowId), view.list.fieldLabel, format())
  const cell = componentCell<RecordRow, OutcomeProps>(OutcomeCell, ({ data }) => {
    if (!data) return null
    const { rowId } = data
    const link = calloutLabel(view.list.drafts.outcome(rowId))
    // Without a function, the cell's elements are copied.
    return { ...outcomeOf(rowId), link, ...(link === '' ? {} : { onshow: () => onshow(rowId) }) }
  })
  return {
    ...FIXED,
    lockPosition: 'right',
    colId: OUTCOME,
    headerName: 'Outcome',
    pinned: 'right',
    // `GridColumns` shows it as soon as a row has an outcome.
    initialHide: true,
    initialWidth: OUTCOME_WIDTH,
    resizable: true,
    sortable: true,
    valueGetter: ({ data }) => data,
    valueFormatter: ({ data }) => (data ? outcomeOf(data.rowId).text : ''),
    comparator: () => 0,
    cellRendererSelector: ({ data }) =>
      data && view.list.drafts.isMarked(data.rowId) ? { component: cell } : undefined,
  }
}

/** Sorts rows by the text of their outcome. Rows without one go last. */
export function outcomeSorter({ view, format }: Pick<Setting, 'view' | 'format'>): Sorter {
  const { drafts, fieldLabel } = view.list
  return createSorter(
    ({ rowId }) =>
      drafts.isMarked(rowId) ? formatOutcome(drafts.outcome(rowId), fieldLabel, format()).text : '',
    compareText,
  )
}

interface OutcomeProps extends OutcomeText, Record<string, unknown> {
  readonly link: string
  readonly onshow?: () => void
}
