/** Which keys choose cells, as in a spreadsheet; pure. */
import type { Way } from './blocks.ts'

export type SelectionKey =
  | { readonly what: 'extend'; readonly way: Way; readonly far: boolean }
  | { readonly what: 'all' | 'rows' | 'columns' | 'one' }

/** The parts of a keyboard event that decide. */
export type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>

const WAYS: Readonly<Record<string, Way>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  PageUp: 'page-up',
  PageDown: 'page-down',
  Home: 'row-start',
  End: 'row-end',
}

/** What a key does to the choice, or `null`. Escape goes back to one cell. */
export function selectionKey(event: Key): SelectionKey | null {
  if (event.altKey) return null
  const isCommand = event.ctrlKey || event.metaKey
  const way = WAYS[event.key]
  if (event.shiftKey && way !== undefined) return { what: 'extend', way, far: isCommand }
  if (isCommand && !event.shiftKey && event.key.toLowerCase() === 'a') return { what: 'all' }
  if (event.key === ' ' && event.shiftKey && !isCommand) return { what: 'rows' }
  if (event.key === ' ' && event.ctrlKey && !event.shiftKey) return { what: 'columns' }
  return event.key === 'Escape' && !event.shiftKey && !isCommand ? { what: 'one' } : null
}
