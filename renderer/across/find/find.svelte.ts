/** **Find anywhere**: what was typed, what was found so far, and which lists could not be searched. */
import type { BackgroundReading, CoveredList, FoundList, Hit } from '../../../shared/contract/across.ts'
import type { CallAnswer } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'

type Coverage = CallAnswer<'across.coverage'>

/** A record to choose. */
export interface Choice {
  readonly company: CompanyRef
  readonly object: string
  readonly hit: Hit
}

/** What was found in one company. */
export interface FoundCompany {
  readonly company: CompanyRef
  readonly lists: readonly (FoundList & { readonly readAt: string | null })[]
}

export class FindModel {
  typed = $state('')
  lists = $state.raw<readonly FoundList[]>([])
  /** Whether the last list was searched. */
  isWhole = $state(true)
  records = $state(0)
  /** Lists that are still being made searchable. */
  waiting = $state(0)
  coverage = $state.raw<Coverage | null>(null)
  error = $state.raw<AppError | null>(null)
  readonly #api: Api
  readonly #connectionId: string
  /** Counts searches, so that the answer to an earlier one is dropped. */
  #search = 0
  readonly #companies = $derived.by(() => this.#grouped())
  readonly #choices = $derived(
    this.#companies.flatMap(({ lists }) =>
      lists.flatMap(({ company, object, hits }) => hits.map((hit): Choice => ({ company, object, hit }))),
    ),
  )

  constructor(api: Api, connectionId: string) {
    this.#api = api
    this.#connectionId = connectionId
  }

  get companies(): readonly FoundCompany[] {
    return this.#companies
  }

  /** All records that are shown, in their order. */
  get choices(): readonly Choice[] {
    return this.#choices
  }

  get reading(): BackgroundReading | null {
    return this.coverage?.reading ?? null
  }

  /** Lists that **Read them now** reads. */
  get toRead(): readonly CoveredList[] {
    return this.coverage?.lists.filter(({ coverage }) => coverage === 'old' || coverage === 'not-kept') ?? []
  }

  /** Follows what becomes searchable. Returns a function that stops it. */
  listen(): () => void {
    void this.load()
    return this.#api.on('across.changed', ({ connectionId }) => {
      if (connectionId === this.#connectionId) void this.load()
    })
  }

  /** Looks again at what can be searched, and searches it. */
  async load(): Promise<void> {
    const [coverage] = await Promise.all([
      this.#api.call('across.coverage', { connectionId: this.#connectionId }),
      this.search(),
    ])
    if (coverage.ok) this.coverage = coverage.value
    else this.error = coverage.error
  }

  /** Searches for what is typed. What was found before stays until something is found. */
  async search(): Promise<void> {
    const own = (this.#search += 1)
    const lists: FoundList[] = []
    let from: number | null = 0
    while (from !== null) {
      const answer: Awaited<ReturnType<typeof this.ask>> = await this.ask(from)
      if (own !== this.#search) return
      this.error = answer.ok ? null : answer.error
      if (!answer.ok) return
      lists.push(...answer.value.lists)
      from = answer.value.next
      this.records = answer.value.records
      this.waiting = answer.value.waiting
      this.isWhole = from === null
      if (lists.length > 0 || from === null) this.lists = [...lists]
    }
  }

  /** One part of a search, from a list on. */
  ask(from: number) {
    return this.#api.call('across.find', { connectionId: this.#connectionId, text: this.typed, from })
  }

  async readNow(): Promise<void> {
    const lists = this.toRead.map(({ company, object }) => ({ endpointId: company.endpointId, object }))
    const begun = await this.#api.call('across.read', { connectionId: this.#connectionId, lists })
    this.error = begun.ok ? null : begun.error
    await this.load()
  }

  async stopReading(): Promise<void> {
    await this.#api.call('across.stopReading', { connectionId: this.#connectionId })
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
