/** **Find anywhere**: the search text, the records found so far, and the lists that could not be searched. */
import type { FoundList, Hit } from '../../../shared/contract/across.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { KeptListsModel } from '../kept-lists.svelte.ts'

/** A record that can be chosen. */
export interface Choice {
  readonly company: CompanyRef
  readonly object: string
  readonly hit: Hit
}

/** The records found in one company. */
export interface FoundCompany {
  readonly company: CompanyRef
  readonly lists: readonly (FoundList & { readonly readAt: string | null })[]
}

export class FindModel extends KeptListsModel {
  typed = $state('')
  lists = $state.raw<readonly FoundList[]>([])
  /** Whether the last list was searched. */
  isWhole = $state(true)
  /** Counts searches, so that the result of an earlier one is ignored. */
  #search = 0
  readonly #companies = $derived.by(() => this.#grouped())
  readonly #choices = $derived(
    this.#companies.flatMap(({ lists }) =>
      lists.flatMap(({ company, object, hits }) => hits.map((hit): Choice => ({ company, object, hit }))),
    ),
  )

  get companies(): readonly FoundCompany[] {
    return this.#companies
  }

  /** All records that are shown, in order. */
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
    const lists: FoundList[] = []
    let from: number | null = 0
    while (from !== null) {
      const result: Awaited<ReturnType<typeof this.ask>> = await this.ask(from)
      if (own !== this.#search) return
      this.error = result.ok ? null : result.error
      if (!result.ok) return
      lists.push(...result.value.lists)
      from = result.value.next
      this.records = result.value.records
      this.waiting = result.value.waiting
      this.isWhole = from === null
      if (lists.length > 0 || from === null) this.lists = [...lists]
    }
  }

  /** Returns one part of a search, starting with a list. */
  ask(from: number) {
    return this.api.call('across.find', { connectionId: this.connectionId, text: this.typed, from })
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
      return first === undefined
        ? []
        : [{ company: first.company, lists: lists.map((list) => ({ ...list, readAt: readAt(list) })) }]
    })
  }
}
