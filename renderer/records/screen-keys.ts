/** Keys of the whole screen: undo and redo, unless they belong to a field that is being typed in. */
export function screenKey(event: KeyboardEvent): 'undo' | 'redo' | null {
  if (event.altKey || !(event.ctrlKey || event.metaKey)) return null
  if (
    event.target instanceof Element &&
    event.target.closest('input:not([type="checkbox"], [type="radio"]), textarea, [role="dialog"]')
  ) {
    return null
  }
  const key = event.key.toLowerCase()
  if (key === 'z') return event.shiftKey ? 'redo' : 'undo'
  return key === 'y' ? 'redo' : null
}
