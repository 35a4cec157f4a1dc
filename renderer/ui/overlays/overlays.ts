/** What overlays share: the top layer, and the entries of menus. */
import type { Component } from 'svelte'

/** Shows an element (`popover="manual"`) in the top layer, where nothing clips it, until its component is removed. */
export function inTopLayer(element: HTMLElement): void {
  element.showPopover()
}

/** An entry of a menu. */
export interface MenuEntry {
  readonly label: string
  readonly icon?: Component
  /** The shortcut to show at the end, such as `Ctrl Z`. The screen handles it. */
  readonly keys?: string
  readonly disabled?: boolean
  /** Makes it a checkable entry. */
  readonly checked?: boolean
  readonly danger?: boolean
  /** Draws a rule above. */
  readonly apart?: boolean
  readonly onselect: () => void
}
