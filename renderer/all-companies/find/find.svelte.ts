/** **Find anywhere**: the search text, the records found so far, and the lists that could not be searched. */
import type { FoundList, Hit, ListPosition } from '../../../shared/contract/all-companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { KeptListsModel } from '../kept-lists.svelte.ts'

/** A record that can be chosen, or **Show more** of a company. */
export interface Choice {
  readonly company: CompanyRef
  readonly object: string
  /** `null` for **Show more**. */
  readonly hit: Hit | null
}

/** The records found in one company. */
export interface FoundCompany {
  readonly company: CompanyRef
  /** Only with the hits that are shown. */
  readonly lists: readonly (FoundList & { readonly readAt: string | null })[]
  /** How many more hits can be shown. */
  readonly more: number
}

/** How many hits of a company are shown at first, so that one company doesn’t hide the others. */
const FEW = 5

export class FindModel extends KeptListsModel {
  typed = $state('')
  lists = $state.raw<readonly FoundList[]>([])
  /** The companies of which all hits are shown. */
  expanded = $state.raw<ReadonlySet<string>>(new Set())
  /** Whether the last list was searched. */
  isWhole = $state(true)
  /** Counts searches, so that the result of an earlier one is ignored. */
  #search = 0
  readonly #companies = $derived.by(() => this.#grouped())
  readonly #choices = $derived(
    this.#companies.flatMap(({ company, lists, more }) => [
      ...lists.flatMap(({ object, hits }) => hits.map((hit): Choice => ({ company, object, hit }))),
      ...(more === 0 ? [] : [{ company, object: lists[0]?.object ?? '', hit: null }]),
    ]),
  )

  get companies(): readonly FoundCompany[] {
    return this.#companies
  }

  /** Everything that can be chosen, in order. */
  get choices(): readonly Choice[] {
    return this.#choices
  }

  /** Checks which lists can be searched, and searches again. */
  async load(): Promise<void> {
    await Promise.all([this.loadCoverage(), this.search()])
  }

  /** Searches for the text. Earlier results stay until new ones arrive. */
  async search(): Promise<void> {
    const own = (this.#search += 1)
    this.expanded = new Set()
    const lists: FoundList[] = []
    let after: ListPosition | null = null
    do {
      const result: Awaited<ReturnType<typeof this.ask>> = await this.ask(after)
      if (own !== this.#search) return
      this.error = result.ok ? null : result.error
      if (!result.ok) return
      lists.push(...result.value.lists)
      after = result.value.next
      this.records = result.value.records
      this.waiting = result.value.waiting
      this.isWhole = after === null
      if (lists.length > 0 || after === null) this.lists = [...lists]
    } while (after !== null)
  }

  /** Returns one part of a search: the lists after this position, or the first ones. */
  ask(after: ListPosition | null) {
    return this.api.call('allCompanies.find', { connectionId: this.connectionId, text: this.typed, after })
  }

  #grouped(): readonly FoundCompany[] {
    const readAt = (list: FoundList): string | null =>
      this.coverage?.lists.find(
        ({ company, object }) => company.endpointId === list.company.endpointId && object === list.object,
      )?.readAt ?? null
    const groups = new Map<string, FoundList[]>()
    for (const list of this.lists) {
      const { endpointId } = list.company
      groups.set(endpointId, [...(groups.get(endpointId) ?? []), list])
    }
    return [...groups.values()].flatMap((lists) => {
      const [first] = lists
      if (first === undefined) return []
      const { company } = first
      const isWhole = groups.size === 1 || this.expanded.has(company.endpointId)
      const counts = isWhole ? lists.map(({ hits }) => hits.length) : firstFew(lists)
      const shown = lists.map((list, at) => ({
        ...list,
        hits: list.hits.slice(0, counts[at]),
        readAt: readAt(list),
      }))
      const more = lists.reduce((sum, { hits }, at) => sum + hits.length - (counts[at] ?? 0), 0)
      return [{ company, lists: shown.filter(({ hits }) => hits.length > 0), more }]
    })
  }
}

/** Shares the few hits that are shown among the lists, one by one. Hiding a single one saves nothing. */
function firstFew(lists: readonly FoundList[]): readonly number[] {
  const counts = lists.map(() => 0)
  const all = lists.reduce((sum, { hits }) => sum + hits.length, 0)
  let left = all === FEW + 1 ? all : Math.min(FEW, all)
  while (left > 0) {
    for (const [at, { hits }] of lists.entries()) {
      const count = counts[at] ?? 0
      if (left === 0 || count === hits.length) continue
      counts[at] = count + 1
      left -= 1
    }
  }
  return counts
}
