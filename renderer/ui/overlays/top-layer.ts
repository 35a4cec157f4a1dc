import type { Component } from 'svelte'

/** Puts an element (`popover="manual"`) above all others, out of what would cut it off; it leaves with its component. */
export function inTopLayer(element: HTMLElement): void {
  element.showPopover()
}

// An entry of a menu, whether behind a button or at the mouse.

export interface MenuEntry {
  readonly label: string
  readonly icon?: Component
  /** The shortcut shown at the end, e.g. `Ctrl Z`; the screen listens for it. */
  readonly keys?: string
  readonly disabled?: boolean
  /** Makes it an entry that is on or off. */
  readonly checked?: boolean
  readonly danger?: boolean
  /** Draws a rule above. */
  readonly apart?: boolean
  readonly onselect: () => void
}
