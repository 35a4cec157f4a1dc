/** What can be done with a list, by name: the menu *More* and the palette offer the same. */
import type { RecordsFilter } from '../../shared/contract/records.ts'
import type { ScreenCommand } from '../frame/screen-commands.ts'
import { keyName } from '../frame/shortcuts.ts'
import type { MenuEntry } from '../ui/menu-entry.ts'
import type { RecordsView } from './records-view.svelte.ts'

export interface ListActions {
  readonly get: (filter: RecordsFilter) => void
  /** The same question again. */
  readonly getAgain: () => void
  /** Only what changed since. */
  readonly update: () => void
  readonly add: () => void
  readonly import: () => void
  readonly export: () => void
  readonly send: () => void
  readonly undo: () => void
  readonly redo: () => void
  readonly find: () => void
  readonly revertRow: () => void
  readonly askRevertAll: () => void
  /** What was sent of the row that has the focus. */
  readonly history: () => void
  readonly chooseColumns: () => void
}

/** The menu *More*. */
export function moreEntries(view: RecordsView, actions: ListActions, isMac: boolean): readonly MenuEntry[] {
  const { undoHistory } = view.list.editing
  const hasNone = !view.hasDrafts
  return [
    { label: 'Undo', keys: 'Ctrl Z', disabled: !undoHistory.canUndo, onselect: actions.undo },
    { label: 'Redo', keys: 'Ctrl Y', disabled: !undoHistory.canRedo, onselect: actions.redo },
    { label: 'Find and replace…', keys: 'Ctrl F', onselect: actions.find },
    { label: 'Revert row', apart: true, disabled: hasNone, onselect: actions.revertRow },
    { label: 'Revert all…', disabled: hasNone, danger: true, onselect: actions.askRevertAll },
    { label: 'History…', keys: 'Ctrl Shift H', apart: true, onselect: actions.history },
    { label: 'Columns…', apart: true, onselect: actions.chooseColumns },
  ].map(({ keys, ...entry }) => (keys === undefined ? entry : { ...entry, keys: keyName(keys, isMac) }))
}

/** What the palette offers of the list: all that can be done at the moment. *Import…* and *Export…* it has itself. */
export function paletteCommands(view: RecordsView, actions: ListActions): readonly ScreenCommand[] {
  const { list } = view
  const isFree = !list.reader.isBusy
  const offered: readonly (ScreenCommand & { readonly when: boolean })[] = [
    { label: 'Get records', when: isFree, run: () => actions.get(list.filter) },
    { label: 'Changed since', when: isFree && list.update.isOffered, run: actions.update },
    { label: 'Get again', when: isFree && list.reader.set !== null, run: actions.getAgain },
    { label: 'Add record', when: list.closedBecause === '', run: actions.add },
    { label: 'Review changes', when: view.hasDrafts && !view.isReviewing, run: () => view.startReview() },
    { label: 'Leave review', when: view.isReviewing, run: () => view.leaveReview() },
  ]
  const more = moreEntries(view, actions, false).filter(({ disabled }) => disabled !== true)
  return [
    ...offered.filter(({ when }) => when).map(({ label, run }) => ({ label, run })),
    ...more.map(({ label, keys, onselect }) => ({
      label,
      ...(keys === undefined ? {} : { keys }),
      run: onselect,
    })),
  ]
}
