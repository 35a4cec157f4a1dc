/** The menu of the selected cells, with commands for them and for their row and column. */
import { editAt } from '../../../shared/records/changes.ts'
import type { MenuEntry } from '../../ui/overlays/overlays.ts'
import type { GridBulk } from '../bulk/bulk.svelte.ts'
import { newRecordLabel } from '../screen/progress.ts'
import type { RecordsView } from '../screen/records-view.svelte.ts'
import type { GridSelection } from './selection/selection.svelte.ts'

export interface CellMenuActions {
  readonly oncut: () => void
  readonly oncopy: (withHeadings: boolean) => void
  readonly onfind: () => void
  readonly onrevertrows: (rowIds: readonly string[]) => void
  readonly onhistory: () => void
  readonly onfilter: (path: string) => void
  readonly onadd: () => void
}

interface Parts {
  readonly selection: GridSelection
  readonly bulk: GridBulk
}

/** Returns the entries with their shortcuts. `Ctrl` is replaced by the platform's key name when it is drawn. */
export function cellMenu(
  { selection, bulk }: Parts,
  view: RecordsView,
  actions: CellMenuActions,
): MenuEntry[] {
  const { list } = view
  const ranges = selection.ranges()
  const rowIds = [...new Set(ranges.flatMap((range) => range.rowIds))]
  const paths = ranges.flatMap((range) => range.paths)
  const isClosed = list.closedReason !== ''
  const drafted = rowIds.filter((rowId) => list.drafts.draft(rowId) !== undefined)
  const isEdited = drafted.some((rowId) => {
    const edits = list.drafts.draft(rowId)?.edits
    return paths.some((path) => editAt(edits, path) !== undefined)
  })
  const [path = ''] = paths
  return [
    { label: 'Cut', keys: 'Ctrl X', disabled: isClosed, onselect: actions.oncut },
    { label: 'Copy', keys: 'Ctrl C', onselect: () => actions.oncopy(false) },
    { label: 'Copy with headings', keys: 'Ctrl Shift C', onselect: () => actions.oncopy(true) },
    { label: 'Paste…', keys: 'Ctrl V', disabled: isClosed, onselect: () => bulk.askPaste() },
    {
      label: 'Fill down',
      keys: 'Ctrl D',
      apart: true,
      disabled: isClosed,
      onselect: () => void bulk.fillDown(),
    },
    { label: 'Set value…', disabled: isClosed, onselect: () => bulk.askSet() },
    { label: 'Clear', keys: 'Delete', disabled: isClosed, onselect: () => void bulk.clear() },
    { label: 'Find and replace…', keys: 'Ctrl F', onselect: actions.onfind },
    {
      label: `Filter ${list.fieldLabel(path)}…`,
      keys: 'Alt ↓',
      disabled: path === '' || view.isReviewing,
      onselect: () => actions.onfilter(path),
    },
    {
      label: selection.count > 1 ? 'Revert cells' : 'Revert cell',
      keys: 'Ctrl Shift Backspace',
      apart: true,
      disabled: !isEdited,
      onselect: () => void bulk.revertCells(),
    },
    {
      label: rowIds.length > 1 ? 'Revert rows' : 'Revert row',
      disabled: drafted.length === 0,
      onselect: () => actions.onrevertrows(drafted),
    },
    { label: newRecordLabel(list.object), apart: true, disabled: isClosed, onselect: actions.onadd },
    {
      label: 'History…',
      keys: 'Ctrl Shift H',
      disabled: (list.row(rowIds[0] ?? '')?.recordId ?? '') === '',
      onselect: actions.onhistory,
    },
  ]
}
