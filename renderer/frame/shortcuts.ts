/** The keyboard shortcuts: what the window listens for, and the list that F1 shows. */
import type { Component } from 'svelte'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { SCREENS, SCREEN_TITLES, type Screen } from './router.svelte.ts'

type WindowKey =
  | { readonly what: 'palette' }
  | { readonly what: 'find-anywhere' }
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

/** What a key means to the whole window; `null` if it belongs to the focused control. */
export function windowKey(event: Key, isMac: boolean): WindowKey | null {
  if (event.key === 'F1') return { what: 'shortcuts' }
  if (event.key === 'F6' && !event.ctrlKey && !event.metaKey && !event.altKey) {
    return { what: 'region', where: event.shiftKey ? 'previous' : 'next' }
  }
  const command = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
  if (!command || event.altKey) return null
  if (event.shiftKey) return event.key.toLowerCase() === 'f' ? { what: 'find-anywhere' } : null
  if (event.key.toLowerCase() === 'k') return { what: 'palette' }
  const screen = SCREENS[Number(event.key) - 1]
  return /^[1-5]$/.test(event.key) && screen ? { what: 'screen', screen } : null
}

/** `Ctrl K`, or `⌘ K` on a Mac. */
export function keyName(keys: string, isMac: boolean): string {
  return isMac ? keys.replaceAll('Ctrl', '⌘').replaceAll('Alt', '⌥') : keys
}

interface ShortcutGroup {
  readonly title: string
  /** `mac`: for a Mac, if it isn't just ⌘ instead of Ctrl. */
  readonly shortcuts: readonly { readonly keys: string; readonly mac?: string; readonly does: string }[]
}

/** What F1 lists. */
export const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: 'Ctrl K', does: 'Find a company, screen, command, or record' },
      { keys: 'Ctrl Shift F', does: 'Find a record in all companies' },
      ...SCREENS.map((screen, index) => ({ keys: `Ctrl ${index + 1}`, does: SCREEN_TITLES[screen] })),
      { keys: 'F6', does: 'Go to the next part of the window' },
      { keys: 'Shift F6', does: 'Go to the previous part' },
      { keys: 'F1', does: 'This list' },
      { keys: 'Escape', does: 'Close a dialog or list, or leave a cell' },
    ],
  },
  {
    title: 'Records',
    shortcuts: [
      { keys: 'Arrows', does: 'Move between cells' },
      { keys: 'F2', does: 'Edit the cell. Typing replaces it' },
      { keys: 'Enter', does: 'Accept and move down' },
      { keys: 'Tab', does: 'Next cell. Enter then returns to where you started' },
      { keys: 'Shift Tab', does: 'Previous cell' },
      { keys: 'Home, End', does: 'Start or end of the row. With Ctrl, of the list' },
      { keys: 'Space', does: 'Switch yes or no, or select a row' },
      { keys: 'Delete', does: 'Clear the selected cells' },
      { keys: 'Ctrl Z', does: 'Undo. A paste is one step' },
      { keys: 'Ctrl Y', mac: '⇧ ⌘ Z', does: 'Redo' },
      { keys: 'Ctrl Shift Backspace', does: 'Discard the changes in the selected cells' },
      { keys: 'Ctrl Enter', does: 'Get records, review changes, or send them' },
      { keys: 'Ctrl Shift H', does: 'History of this record' },
      { keys: 'Shift F10', does: 'Menu of the selected cells' },
    ],
  },
  {
    title: 'Selections',
    shortcuts: [
      { keys: 'Shift Arrows', does: 'Extend the selection. With Ctrl, to the edge' },
      { keys: 'Ctrl A', does: 'Select all cells' },
      { keys: 'Shift Space', does: 'Select whole rows' },
      { keys: 'Ctrl Space', mac: '⌃ Space', does: 'Select whole columns' },
      { keys: 'Ctrl C', does: 'Copy. With Shift, including headings' },
      { keys: 'Ctrl X', does: 'Cut' },
      { keys: 'Ctrl V', does: 'Paste, even a block from a spreadsheet' },
      { keys: 'Ctrl D', does: 'Fill down' },
      { keys: 'Ctrl Enter', does: 'Set one value for several cells' },
      { keys: 'Ctrl F', does: 'Find' },
      { keys: 'Ctrl H', mac: '⌃ H', does: 'Find and replace' },
      { keys: 'Alt ↓', does: 'Filter the column' },
    ],
  },
  {
    title: 'Reports',
    shortcuts: [
      { keys: '← →', does: 'Collapse or expand a section' },
      { keys: '*', does: 'Expand all sections' },
      { keys: 'Enter', does: 'Open the row in the general ledger' },
      { keys: 'Ctrl Enter', does: 'Run the report' },
      { keys: 'Ctrl C', does: 'Copy the row or what is selected. With Shift, with headings' },
      { keys: 'Shift ↑ ↓', does: 'Select rows' },
      { keys: 'Ctrl F', does: 'Find a name or an amount' },
    ],
  },
]

/**
 * Refuses files that are dropped where nothing accepts them, so that the window doesn't navigate to them. Listens as
 * long as the window is open. Drop targets handle their files first.
 */
export function refuseStrayDrops(window: Window): void {
  const refuse = (event: DragEvent): void => {
    if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'none'
  }
  window.addEventListener('dragover', refuse)
  window.addEventListener('drop', refuse)
}

// The commands of the current screen, for the palette.

export interface ScreenCommand {
  readonly label: string
  /** Other words that a user may search for, such as `print` for a PDF. */
  readonly also?: string
  /** The shortcut that does the same, e.g. `Ctrl Z`. */
  readonly keys?: string
  readonly icon?: Component
  readonly run: () => void
}

/** The list of the current screen, whose records the palette finds by name. */
export interface ScreenList {
  readonly company: CompanyRef
  readonly object: string
  /**
   * Finds records whose names have all words. Names that begin with the first word come first.
   * @param terms normalized for search
   */
  readonly find: (
    terms: readonly string[],
    most: number,
  ) => readonly { readonly recordId: string; readonly name: string }[]
}

/** Created by `App.svelte` and passed down by context. */
export class ScreenCommands {
  #ask: (() => readonly ScreenCommand[]) | null = null
  #list: ScreenList | null = null

  /** The commands available now. Read whenever the palette opens. */
  get all(): readonly ScreenCommand[] {
    return this.#ask?.() ?? []
  }

  /** The list that is on screen; `null` if there is none. */
  get list(): ScreenList | null {
    return this.#list
  }

  /**
   * Offers the commands of a screen, and its list.
   * @param ask returns the commands available at the moment
   * @returns a function that removes them, unless another screen has offered its own
   */
  offer(ask: () => readonly ScreenCommand[], list: ScreenList | null = null): () => void {
    this.#ask = ask
    this.#list = list
    return () => {
      if (this.#ask !== ask) return
      this.#ask = null
      this.#list = null
    }
  }
}
