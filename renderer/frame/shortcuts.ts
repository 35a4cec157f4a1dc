/** The keyboard shortcuts: what the window listens for, and the list that F1 shows. */
import type { Component } from 'svelte'
import { SCREENS, SCREEN_TITLES, type Screen } from './router.svelte.ts'

export type WindowKey =
  | { readonly what: 'palette' }
  | { readonly what: 'shortcuts' }
  | { readonly what: 'region'; readonly where: 'next' | 'previous' }
  | { readonly what: 'screen'; readonly screen: Screen }

interface Key {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** What a key means to the whole window, or `null` when it belongs to what has the focus. */
export function windowKey(event: Key, isMac: boolean): WindowKey | null {
  if (event.key === 'F1') return { what: 'shortcuts' }
  if (event.key === 'F6' && !event.ctrlKey && !event.metaKey && !event.altKey) {
    return { what: 'region', where: event.shiftKey ? 'previous' : 'next' }
  }
  const command = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
  if (!command || event.altKey || event.shiftKey) return null
  if (event.key.toLowerCase() === 'k') return { what: 'palette' }
  const screen = SCREENS[Number(event.key) - 1]
  return /^[1-5]$/.test(event.key) && screen ? { what: 'screen', screen } : null
}

/** `Ctrl K`, or `⌘ K` on a Mac. */
export function keyName(keys: string, isMac: boolean): string {
  return isMac ? keys.replaceAll('Ctrl', '⌘').replaceAll('Alt', '⌥') : keys
}

export interface ShortcutGroup {
  readonly title: string
  /** `mac`: where it is another key there than ⌘ for Ctrl. */
  readonly shortcuts: readonly { readonly keys: string; readonly mac?: string; readonly does: string }[]
}

/** What F1 lists. */
export const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: 'Ctrl K', does: 'Find a company, screen or command' },
      ...SCREENS.map((screen, index) => ({ keys: `Ctrl ${index + 1}`, does: SCREEN_TITLES[screen] })),
      { keys: 'F6', does: 'Go to the next part of the window; with Shift to the previous one' },
      { keys: 'F1', does: 'This list' },
      { keys: 'Escape', does: 'Leave a dialog, a list, a cell' },
    ],
  },
  {
    title: 'In the grid of records',
    shortcuts: [
      { keys: 'Arrows', does: 'Go from cell to cell' },
      { keys: 'F2', does: 'Edit the cell from its end on; typing writes over it' },
      { keys: 'Enter', does: 'Take what was typed, go down' },
      { keys: 'Tab', does: 'To the next cell; Enter then goes below where it began' },
      { keys: 'Shift Tab', does: 'To the cell before' },
      { keys: 'Home', does: 'To the start of the row; End to its end; with Ctrl of the list' },
      { keys: 'Space', does: 'Turn a yes or no over; tick a row' },
      { keys: 'Delete', does: 'Empty the chosen cells' },
      { keys: 'Ctrl Z', does: 'Undo; a paste is one step' },
      { keys: 'Ctrl Y', does: 'Do it again' },
      { keys: 'Ctrl Shift Backspace', does: 'Revert the chosen cells' },
      { keys: 'Ctrl Shift H', does: 'What was sent of this record' },
      { keys: 'Shift F10', does: 'The menu of the chosen cells' },
    ],
  },
  {
    title: 'Many cells at once',
    shortcuts: [
      { keys: 'Shift Arrows', does: 'Choose cells; with Ctrl to the edge' },
      { keys: 'Ctrl A', does: 'Choose all cells' },
      { keys: 'Shift Space', does: 'Choose whole rows' },
      { keys: 'Ctrl Space', mac: '⌃ Space', does: 'Choose whole columns' },
      { keys: 'Ctrl C', does: 'Copy; with Shift the headings too' },
      { keys: 'Ctrl X', does: 'Cut: copy, and empty' },
      { keys: 'Ctrl V', does: 'Paste, also a block from a spreadsheet' },
      { keys: 'Ctrl D', does: 'Fill down' },
      { keys: 'Ctrl Enter', does: 'Set for selection; while typing: into all that is chosen' },
      { keys: 'Ctrl F', does: 'Find' },
      { keys: 'Ctrl H', mac: '⌃ H', does: 'Find and replace' },
      { keys: 'Alt ↓', does: 'Filter the column' },
    ],
  },
  {
    title: 'In a report',
    shortcuts: [
      { keys: '← →', does: 'Fold and unfold a section' },
      { keys: '*', does: 'Unfold all' },
      { keys: 'Enter', does: 'Open the row in the general ledger' },
    ],
  },
]

// A file dropped where nothing takes one: the window stays where it is, and the pointer says so before.

/** Listens as long as the window lives. What takes files answers first, and is left alone. */
export function refuseStrayDrops(window: Window): void {
  const refuse = (event: DragEvent): void => {
    if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  }
  window.addEventListener('dragover', refuse)
  window.addEventListener('drop', refuse)
}

// What the screen that is shown can do, for the palette: each screen puts its own here while it is there.

export interface ScreenCommand {
  readonly label: string
  /** The shortcut that does the same, e.g. `Ctrl Z`. */
  readonly keys?: string
  readonly icon?: Component
  readonly run: () => void
}

/** Made by the frame and handed down by context. */
export class ScreenCommands {
  #ask: (() => readonly ScreenCommand[]) | null = null

  /** What can be done just now; asked for whenever the palette opens. */
  get all(): readonly ScreenCommand[] {
    return this.#ask?.() ?? []
  }

  /**
   * Offers the commands of a screen.
   * @param ask gives those that can be done at the moment
   * @returns takes them away again, unless another screen has put its own
   */
  offer(ask: () => readonly ScreenCommand[]): () => void {
    this.#ask = ask
    return () => {
      if (this.#ask === ask) this.#ask = null
    }
  }
}
