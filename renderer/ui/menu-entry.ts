/** An entry of a menu, whether behind a button or at the mouse. */
import type { Component } from 'svelte'

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
