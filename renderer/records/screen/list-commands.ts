/** The commands of a list: in the *More* menu, in the palette, and as shortcuts. */
import { isCommand, type KeyChord, keyName, type ScreenCommand } from '../../frame/shortcuts.ts'
import type { MenuEntry } from '../../ui/overlays/overlays.ts'
import { newRecordLabel } from './progress.ts'
import type { RecordsController } from './records-controller.svelte.ts'

/** Returns the entries of the *More* menu. */
export function moreEntries(controller: RecordsController, isMac: boolean): readonly MenuEntry[] {
  const { view } = controller
  const { undoHistory } = view.list.editing
  const hasNone = !view.hasDrafts
  const entries: readonly MenuEntry[] = [
    { label: 'Undo', keys: 'Ctrl Z', disabled: !undoHistory.canUndo, onselect: () => controller.undo() },
    { label: 'Redo', keys: 'Ctrl Y', disabled: !undoHistory.canRedo, onselect: () => controller.redo() },
    { label: 'Find and replace…', keys: 'Ctrl F', onselect: () => controller.openFind() },
    { label: 'Tidy up this list…', onselect: () => controller.tidyUp() },
    { label: 'Revert row', apart: true, disabled: hasNone, onselect: () => controller.revertRow() },
    { label: 'Revert all…', disabled: hasNone, danger: true, onselect: () => controller.ask('revert-all') },
    { label: 'History…', keys: 'Ctrl Shift H', apart: true, onselect: () => controller.showHistory() },
    { label: 'Columns…', apart: true, onselect: () => controller.chooseColumns() },
  ]
  return entries.map(({ keys, ...entry }) =>
    keys === undefined ? entry : { ...entry, keys: keyName(keys, isMac) },
  )
}

/**
 * Returns the commands that are available in the palette. *Import…* and *Export…* are the palette's own.
 * @param sendText the label of the command that sends the selected changes
 */
export function paletteCommands(controller: RecordsController, sendText: string): readonly ScreenCommand[] {
  const { view } = controller
  const { list } = view
  const canSend = view.chosen.length > 0 && !list.sending.isSending && list.closedReason === ''
  const isFree = !list.reader.isBusy
  const offered: readonly (ScreenCommand & { readonly when: boolean })[] = [
    { label: 'Get records', when: isFree && list.isToGet, run: () => void controller.get() },
    { label: 'Changed since', when: isFree && list.update.isOffered, run: () => void controller.update() },
    { label: 'Get again', when: isFree && list.reader.set !== null, run: () => void controller.getAgain() },
    { label: newRecordLabel(list.object), when: list.closedReason === '', run: () => controller.add() },
    { label: 'Review changes', when: view.hasDrafts && !view.isReviewing, run: () => view.startReview() },
    { label: sendText, when: canSend, run: () => void controller.send() },
    { label: 'Back to list', when: view.isReviewing, run: () => view.leaveReview() },
  ]
  const more = moreEntries(controller, false).filter(({ disabled }) => disabled !== true)
  return [
    ...offered.filter(({ when }) => when).map(({ label, run }) => ({ label, run })),
    ...more.map(({ label, keys, onselect }) => ({
      label,
      ...(keys === undefined ? {} : { keys }),
      run: onselect,
    })),
  ]
}

export type ScreenKey = 'undo' | 'redo' | 'showHistory' | 'find' | 'replace' | 'nextStep'

/**
 * Returns the command of a shortcut; `null` for other keys. Find and replace is ⌃ H on a Mac, where ⌘ H hides the program.
 * @internal
 */
export function shortcutCommand(
  event: KeyChord & Pick<KeyboardEvent, 'repeat'>,
  isMac: boolean,
): ScreenKey | null {
  const key = event.key.toLowerCase()
  const isReplace = key === 'h' && !event.shiftKey
  if (event.altKey || !isCommand(event, isMac && !isReplace)) return null
  if (isReplace) return 'replace'
  switch (key) {
    case 'f':
      return event.shiftKey ? null : 'find'
    case 'h':
      return 'showHistory'
    case 'z':
      return event.shiftKey ? 'redo' : 'undo'
    case 'y':
      return 'redo'
    case 'enter':
      // Holding the key down must not go on from the review.
      return event.shiftKey || event.repeat ? null : 'nextStep'
    default:
      return null
  }
}

/** Returns the command of a shortcut; `null` for other keys and for keys typed into a dialog or field. */
export function screenKey(event: KeyboardEvent, isMac: boolean): ScreenKey | null {
  const command = shortcutCommand(event, isMac)
  const target = event.target instanceof Element ? event.target : null
  if (target?.closest('[role="dialog"], [role="alertdialog"]')) return null
  const isField = target?.closest('input:not([type="checkbox"], [type="radio"]), textarea')
  return isField && command !== 'find' && command !== 'replace' ? null : command
}
