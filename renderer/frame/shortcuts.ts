/** The keyboard shortcuts: what the window listens for, and the list that F1 shows, with its search. */
import type { Component } from 'svelte'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { normalizeForSearch } from '../../shared/records/search-text.ts'
import { type Screen, SCREEN_TITLES, SCREENS } from './router.svelte.ts'

type WindowKey =
  | { readonly what: 'palette' }
  | { readonly what: 'find-anywhere' }
  | { readonly what: 'shortcuts' }
  | { readonly what: 'region'; readonly where: 'next' | 'previous' }
  | { readonly what: 'screen'; readonly screen: Screen }

/** A key, and the keys held with it. */
export interface KeyChord {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** What a key means to the whole window; `null` if it belongs to the focused control. */
export function windowKey(event: KeyChord, isMac: boolean): WindowKey | null {
  if (event.key === 'F1') return { what: 'shortcuts' }
  if (event.key === 'F6' && !event.ctrlKey && !event.metaKey && !event.altKey) {
    return { what: 'region', where: event.shiftKey ? 'previous' : 'next' }
  }
  if (!isCommand(event, isMac) || event.altKey) return null
  if (event.shiftKey) return event.key.toLowerCase() === 'f' ? { what: 'find-anywhere' } : null
  if (event.key.toLowerCase() === 'k') return { what: 'palette' }
  const screen = SCREENS[Number(event.key) - 1]
  return /^[1-5]$/.test(event.key) && screen ? { what: 'screen', screen } : null
}

/** Whether Ctrl is held, or ⌘ on a Mac. */
export function isCommand({ ctrlKey, metaKey }: KeyChord, isMac: boolean): boolean {
  return isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey
}

/** `Ctrl K`, or `⌘ K` on a Mac. */
export function keyName(keys: string, isMac: boolean): string {
  return isMac ? keys.replaceAll('Ctrl', '⌘').replaceAll('Alt', '⌥') : keys
}

interface Shortcut {
  /** Keys are separated by a space, and alternatives by ` / `, as in `Home / End`. */
  readonly keys: string
  /** For a Mac, if it isn't just ⌘ instead of Ctrl. */
  readonly mac?: string
  readonly does: string
}

interface ShortcutGroup {
  readonly title: string
  readonly shortcuts: readonly Shortcut[]
}

/** What F1 lists. */
const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      { keys: 'Ctrl K', does: 'Find a company, screen, command, or record' },
      { keys: 'Ctrl Shift F', does: 'Find a record in all companies' },
      ...SCREENS.map((screen, index) => ({ keys: `Ctrl ${index + 1}`, does: SCREEN_TITLES[screen] })),
      { keys: 'F6 / Shift F6', does: 'Next or previous part of the window' },
      { keys: 'F1', does: 'Show the shortcuts' },
      { keys: 'Esc', does: 'Close a dialog or list, or leave a cell' },
    ],
  },
  {
    title: 'Tables',
    shortcuts: [
      { keys: '↑ / ↓', does: 'Move between rows' },
      { keys: '← / →', does: 'Move between the cells of a row' },
      { keys: 'Enter', does: 'Open the row' },
      { keys: 'Space', does: 'Select the row' },
      { keys: 'Ctrl A', does: 'Select all rows' },
      { keys: 'Ctrl C', does: 'Copy the cell or the row' },
    ],
  },
  {
    title: 'Records: edit',
    shortcuts: [
      { keys: 'F2', does: 'Edit the cell' },
      { keys: 'Enter', does: 'Accept and move down' },
      { keys: 'Tab / Shift Tab', does: 'Next or previous cell' },
      { keys: 'Alt Enter', does: 'New line in the cell' },
      { keys: 'Space', does: 'Toggle yes/no' },
      { keys: 'Delete', does: 'Clear the selected cells' },
      { keys: 'Ctrl Shift Backspace', does: 'Revert the selected cells' },
      { keys: 'Ctrl Z', does: 'Undo' },
      { keys: 'Ctrl Y', mac: 'Shift ⌘ Z', does: 'Redo' },
    ],
  },
  {
    title: 'Records: select and fill',
    shortcuts: [
      { keys: 'Shift ↑ / ↓ / ← / →', does: 'Extend the selection. With Ctrl, to the edge' },
      { keys: 'Home / End', does: 'Start or end of the row. With Ctrl, of the list' },
      { keys: 'Shift Space', does: 'Select whole rows' },
      { keys: 'Ctrl Space', mac: '⌃ Space', does: 'Select whole columns' },
      { keys: 'Ctrl A', does: 'Select all cells' },
      { keys: 'Ctrl C / X / V', does: 'Copy, cut, and paste, also from Excel' },
      { keys: 'Ctrl Shift C', does: 'Copy with headings' },
      { keys: 'Ctrl D', does: 'Fill down' },
      { keys: 'Ctrl Enter', does: 'While you type: put the value into all selected cells' },
      { keys: 'Shift F10', does: 'All commands for the selected cells' },
    ],
  },
  {
    title: 'Records: get, review, and send',
    shortcuts: [
      { keys: 'Ctrl Enter', does: 'Get records, review changes, or go to Send' },
      { keys: 'Enter', does: 'Send the changes (with Send focused)' },
      { keys: 'Space', does: 'Select or clear the row (in a review)' },
      { keys: 'Ctrl F', does: 'Find' },
      { keys: 'Ctrl H', mac: '⌃ H', does: 'Find and replace' },
      { keys: 'Alt ↓', does: 'Filter the column' },
      { keys: 'Ctrl Shift H', does: 'History of the record' },
    ],
  },
  {
    title: 'Review of a month',
    shortcuts: [
      { keys: '↑ / ↓', does: 'Previous or next finding' },
      { keys: 'A', does: 'Accept the finding' },
      { keys: 'N', does: 'Never for this account, customer, or entry' },
      { keys: 'U', does: 'Undo the decision' },
      { keys: 'T', does: 'Write a note' },
      { keys: 'O', does: 'Open the report or the records' },
      { keys: 'R', does: 'Open the records' },
      { keys: 'C', does: 'Check again' },
    ],
  },
  {
    title: 'Tidy up',
    shortcuts: [
      { keys: 'Space', does: 'Select or clear the row' },
      { keys: 'N', does: 'Not a problem' },
      { keys: 'U', does: 'Decide again' },
      { keys: 'Enter', does: 'Open the record' },
    ],
  },
  {
    title: 'Reports',
    shortcuts: [
      { keys: 'Ctrl Enter', does: 'Run the report' },
      { keys: '← / →', does: 'Collapse or expand a section' },
      { keys: '*', does: 'Expand all sections' },
      { keys: 'Enter', does: 'Open the row in the general ledger' },
      { keys: 'Shift ↑ / ↓ / ← / →', does: 'Select rows and columns' },
      { keys: 'Ctrl C', does: 'Copy the row or what is selected' },
      { keys: 'Ctrl Shift C', does: 'Copy the report' },
      { keys: 'Ctrl F', does: 'Find a name or an amount' },
    ],
  },
]

/** The shortcuts whose group, effect, or keys contain all words of `typed`, with the keys of the platform. */
export function findShortcuts(typed: string, isMac: boolean): readonly ShortcutGroup[] {
  const terms = normalizeForSearch(typed).split(/\s+/).filter(Boolean)
  return SHORTCUTS.map(({ title, shortcuts }) => ({
    title,
    shortcuts: shortcuts
      .map(({ keys, mac, does }) => ({
        keys: (isMac && mac) || keyName(keys, isMac),
        does: keyName(does, isMac),
      }))
      .filter(({ keys, does }) => {
        const text = normalizeForSearch(`${title} ${does} ${keys}`)
        return terms.every((term) => text.includes(term))
      }),
  })).filter(({ shortcuts }) => shortcuts.length > 0)
}

/** The keys of each alternative: `Tab / Shift Tab` is `[['Tab'], ['Shift', 'Tab']]`. */
export function keyCaps(keys: string): readonly (readonly string[])[] {
  return keys.split(' / ').map((chord) => chord.split(' '))
}

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
  /** The shortcut that does the same, such as `Ctrl Z`. */
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

// The regions of the window that F6 and Shift+F6 go around: rail, toolbar, table, side panel, status line.

const REGIONS =
  '.rail, main [role="toolbar"], main [role="grid"], main [role="treegrid"], main aside, main form, .status-line'
const FOCUSABLE = ':is(a[href], button, input, select, textarea, [tabindex]):not(:disabled, [tabindex="-1"])'

function isVisible(element: HTMLElement): boolean {
  return element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert]')
}

/** The cell or row of a table that had the focus last, or that Tab reaches. */
const CURRENT = '.ag-cell-focus, tbody [role="row"][tabindex="0"], tbody tr[tabindex="0"]'
/** The first cell of a grid in which no cell had the focus yet. Its headings come before it. */
const FIRST_CELL = '.ag-row[row-index="0"] [role="gridcell"]:not(.cell-margin)'

/** Where the focus lands: the region itself, the current row of a table, or the first control that Tab reaches. */
function entryOf(region: HTMLElement): HTMLElement | undefined {
  if (region.matches(FOCUSABLE)) return region
  const current = region.querySelector<HTMLElement>(CURRENT) ?? region.querySelector<HTMLElement>(FIRST_CELL)
  if (current !== null && isVisible(current)) return current
  return [...region.querySelectorAll<HTMLElement>(FOCUSABLE)].find(isVisible)
}

/**
 * Focuses the next region of the page, or the previous one.
 * @returns whether there was one
 */
export function focusRegion(page: Document, where: 'next' | 'previous'): boolean {
  const found = [...page.querySelectorAll<HTMLElement>(REGIONS)].filter(isVisible)
  // A toolbar in a side panel, or a table in a form, belongs to the region around it.
  const regions = found.filter((region) => !found.some((other) => other !== region && other.contains(region)))
  const entries = regions.flatMap((region) => {
    const entry = entryOf(region)
    return entry ? [{ region, entry }] : []
  })
  if (entries.length === 0) return false
  const active = page.activeElement
  const here = entries.findIndex(({ region }) => active !== null && region.contains(active))
  const step = where === 'next' ? 1 : -1
  // With the focus on the page as a whole, its first region comes next.
  const isAround = ({ region }: { region: HTMLElement }): boolean =>
    active !== null && active !== page.body && active.contains(region)
  const first = Math.max(0, entries.findIndex(isAround))
  const from = here >= 0 ? here : where === 'next' ? first - 1 : first
  entries[(from + step + entries.length) % entries.length]?.entry.focus()
  return true
}
