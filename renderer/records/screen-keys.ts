/** Keys of the whole screen: undo, redo, find and the history of the row. */

export type ScreenKey = 'undo' | 'redo' | 'history' | 'find' | 'replace'

/** What a key means to the screen; `null` where it is nothing to it, or belongs to a field that is being typed in. */
export function screenKey(event: KeyboardEvent): ScreenKey | null {
  if (event.altKey || !(event.ctrlKey || event.metaKey)) return null
  const target = event.target instanceof Element ? event.target : null
  if (target?.closest('[role="dialog"], [role="alertdialog"]')) return null
  const key = event.key.toLowerCase()
  if (key === 'f' && !event.shiftKey) return 'find'
  if (key === 'h' && !event.shiftKey) return 'replace'
  if (target?.closest('input:not([type="checkbox"], [type="radio"]), textarea')) return null
  if (key === 'h') return 'history'
  if (key === 'z') return event.shiftKey ? 'redo' : 'undo'
  return key === 'y' ? 'redo' : null
}
