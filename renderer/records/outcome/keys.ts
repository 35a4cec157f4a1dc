/** The buttons of a row's outcome by keyboard: they are no stops of Tab by themselves, but lie inside their cell. */
import type { Key } from '../grid/selection/selection.svelte.ts'

/** Presses the only button of a cell; of several nobody can know which is meant, so the first one gets the focus. */
export function enterButtons(cell: Element | null): void {
  const [first, second] = cell?.querySelectorAll('button') ?? []
  if (second) first?.focus()
  else first?.click()
}

/**
 * Where a key leads from a button in a cell: Tab and arrows to the one beside it, Escape to the cell.
 * @returns `null` where the key does not lead to another place in the cell
 */
export function besideButton(button: Element, event: Key): HTMLElement | 'cell' | null {
  if (event.key === 'Escape') return 'cell'
  const isBack = event.key === 'ArrowLeft' || (event.key === 'Tab' && event.shiftKey)
  if (!isBack && event.key !== 'ArrowRight' && event.key !== 'Tab') return null
  const buttons = [...(button.closest('.ag-cell')?.querySelectorAll('button') ?? [])]
  return buttons.find((_, at) => buttons[isBack ? at + 1 : at - 1] === button) ?? null
}
