/** The palette's entries, and how they are searched. Pure. */
import type { Component } from 'svelte'
import type { Company } from '../../../shared/contract/companies.ts'
import { normalizeForSearch, searchTerms } from '../../../shared/records/search-text.ts'
import type { Screen } from '../router.svelte.ts'

type PaletteAction =
  | { readonly what: 'screen'; readonly screen: Screen; readonly rest?: readonly string[] }
  | { readonly what: 'company'; readonly company: Company }
  /** A list or a report of a company, which becomes the open one. */
  | {
      readonly what: 'book'
      readonly company: Company
      readonly screen: Screen
      readonly rest: readonly string[]
    }
  | { readonly what: 'run'; readonly run: () => void }

export interface PaletteEntry {
  readonly id: string
  readonly group: string
  readonly label: string
  /** Shown after the label in a lighter color, and searched too. */
  readonly note?: string
  /** Other words that a user may search for. Not shown. */
  readonly also?: string
  readonly keys?: string
  readonly icon?: Component
  /** Whose tile it shows, if the action isn't about a company. */
  readonly company?: Company
  readonly action: PaletteAction
}

/** Companies offered before anything is typed, so that screens and commands stay visible. */
const FEW_COMPANIES = 8

/**
 * The entries that contain every word typed, best matches first. Without anything typed: all entries, but only the first
 * few companies, unless there are only companies.
 */
export function findEntries(entries: readonly PaletteEntry[], typed: string): readonly PaletteEntry[] {
  const terms = searchTerms(typed)
  if (terms.length === 0) {
    const others = entries.filter((entry) => !isOfCompany(entry))
    if (others.length === 0) return entries
    return [...entries.filter(isOfCompany).slice(0, FEW_COMPANIES), ...others]
  }
  const rank = (entry: PaletteEntry): number => {
    const label = normalizeForSearch(entry.label)
    const all = `${label} ${normalizeForSearch(`${entry.note ?? ''} ${entry.also ?? ''}`)}`
    if (!terms.every((word) => all.includes(word))) return -1
    const first = terms[0] ?? ''
    return label.startsWith(first) ? 0 : label.includes(` ${first}`) ? 1 : 2
  }
  /** Of lists, reports, and commands, the shortest comes first: *Profit and loss* before *Profit and loss by class*. */
  const length = ({ action, label }: PaletteEntry): number => (action.what === 'company' ? 0 : label.length)
  const ranked = entries.map((entry) => ({ entry, rank: rank(entry) })).filter(({ rank }) => rank >= 0)
  // Groups stay together. The group of the best entry comes first.
  const groups = new Map<string, number>()
  for (const { entry, rank } of ranked) groups.set(entry.group, Math.min(groups.get(entry.group) ?? 9, rank))
  return ranked
    .toSorted(
      (left, right) =>
        (groups.get(left.entry.group) ?? 9) - (groups.get(right.entry.group) ?? 9) ||
        (left.entry.group === right.entry.group
          ? left.rank - right.rank || length(left.entry) - length(right.entry)
          : 0),
    )
    .map(({ entry }) => entry)
}

/** An entry for a company itself, whether it can be opened or not. */
function isOfCompany({ action, company }: PaletteEntry): boolean {
  return action.what === 'company' || company !== undefined
}
