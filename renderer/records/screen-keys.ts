/** Keys of the whole screen: undo, redo and the history of the row, unless they belong to a field that is being typed in. */
export function screenKey(event: KeyboardEvent): 'undo' | 'redo' | 'history' | null {
  if (event.altKey || !(event.ctrlKey || event.metaKey)) return null
  if (
    event.target instanceof Element &&
    event.target.closest('input:not([type="checkbox"], [type="radio"]), textarea, [role="dialog"]')
  ) {
    return null
  }
  const key = event.key.toLowerCase()
  if (key === 'h' && event.shiftKey) return 'history'
  if (key === 'z') return event.shiftKey ? 'redo' : 'undo'
  return key === 'y' ? 'redo' : null
}
