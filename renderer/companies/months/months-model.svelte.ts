/** The months of a connection's companies, in order, and the reading in progress. */
import type { MonthRow, MonthsProgress } from '../../../shared/contract/review.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { errorToShow } from '../../ui/notices/errors.ts'
import type { Sort } from '../../ui/table/data-table.svelte.ts'
import { byReviewUrgency, fits, type MonthFilter } from './month-messages.ts'

declare module '../../frame/session.svelte.ts' {
  interface ScreenState {
    months: MonthsOfConnections
  }
}

/** The months of each connection. They outlive the screen, so that it opens with its rows. */
export class MonthsOfConnections {
  readonly #api: Api
  readonly #models = new Map<string, MonthsModel>()

  constructor(api: Api) {
    this.#api = api
  }

  of(connectionId: string): MonthsModel {
    const known = this.#models.get(connectionId)
    if (known !== undefined) return known
    // Created in its own effect root, so that its deriveds outlive the screen that first opened it. It has no effects
    // to stop.
    let created: MonthsModel | undefined
    $effect.root(() => {
      created = new MonthsModel(this.#api, connectionId)
    })
    if (created === undefined) throw new Error('A root runs at once.')
    this.#models.set(connectionId, created)
    return created
  }

  close(): void {
    for (const model of this.#models.values()) model.close()
  }
}

export class MonthsModel {
  readonly connectionId: string
  month = $state('')
  filter = $state<MonthFilter>('all')
  search = $state('')
  sort = $state.raw<Sort | null>(null)
  selectedId = $state<string | null>(null)
  isLoaded = $state(false)
  all = $state.raw<readonly MonthRow[]>([])
  progress = $state.raw<MonthsProgress | null>(null)
  error = $state.raw<AppError | null>(null)
  readonly #api: Api
  readonly #stopListening: () => void
  /** Endpoint IDs by urgency. The order stays while reports arrive, so that no row moves under the pointer. */
  #order = $state.raw<ReadonlyMap<string, number>>(new Map())

  /** Rows by urgency, without the filter. */
  readonly ordered: readonly MonthRow[] = $derived.by(() => {
    const placeOf = ({ company }: MonthRow): number => this.#order.get(company.endpointId) ?? this.#order.size
    return this.all.toSorted((one, other) => placeOf(one) - placeOf(other))
  })
  readonly rows: readonly MonthRow[] = $derived.by(() => {
    const wanted = this.search.trim().toLocaleLowerCase()
    return this.ordered.filter(
      (row) => fits(row, this.filter) && row.companyName.toLocaleLowerCase().includes(wanted),
    )
  })
  /** The shown rows whose reports are missing. */
  readonly unread: readonly MonthRow[] = $derived(this.rows.filter(({ next }) => next === 'get-reports'))

  constructor(api: Api, connectionId: string) {
    this.#api = api
    this.connectionId = connectionId
    this.#stopListening = api.on('months.changed', ({ connectionId: whose, row, progress, error }) => {
      if (whose !== connectionId) return
      const hasEnded = this.progress !== null && progress === null
      this.progress = progress
      if (error !== null) this.error = errorToShow(error)
      if (row !== null && row.month === this.month) this.#take(row)
      if (hasEnded) this.putInOrder()
    })
  }

  close(): void {
    this.#stopListening()
  }

  counts(filter: MonthFilter): number {
    return this.all.filter((row) => fits(row, filter)).length
  }

  rowOf(endpointId: string): MonthRow | null {
    return this.all.find(({ company }) => company.endpointId === endpointId) ?? null
  }

  async show(month: string): Promise<void> {
    if (month !== this.month) {
      this.month = month
      this.isLoaded = false
      this.all = []
    }
    const result = await this.#api.call('months.list', { connectionId: this.connectionId, month })
    // Another month may have been requested meanwhile.
    if (month !== this.month) return
    this.isLoaded = true
    this.error = result.ok ? null : errorToShow(result.error)
    if (!result.ok) return
    // An unchanged row isn't drawn again.
    const known = new Map(this.all.map((row) => [JSON.stringify(row), row]))
    this.all = result.value.rows.map((row) => known.get(JSON.stringify(row)) ?? row)
    this.progress = result.value.progress
    this.putInOrder()
  }

  putInOrder(): void {
    this.#order = new Map(
      this.all.toSorted(byReviewUrgency).map(({ company }, at) => [company.endpointId, at]),
    )
  }

  /** Returns the next company that needs the user; `null` if none does. */
  nextAfter(endpointId: string): MonthRow | null {
    const at = this.ordered.findIndex(({ company }) => company.endpointId === endpointId)
    const others = [...this.ordered.slice(at + 1), ...this.ordered.slice(0, Math.max(0, at))]
    return others.find(({ next }) => next === 'review' || next === 'close' || next === 'see-changes') ?? null
  }

  async getReports(rows: readonly MonthRow[], again = false): Promise<void> {
    const { connectionId, month } = this
    const endpointIds = rows.map(({ company }) => company.endpointId)
    if (endpointIds.length === 0) return
    const begun = await this.#api.call('months.getReports', { connectionId, month, endpointIds, again })
    this.#showError(begun)
    if (begun.ok) this.progress = begun.value
  }

  async stop(): Promise<void> {
    this.#showError(await this.#api.call('months.stop', { connectionId: this.connectionId }))
  }

  #take(row: MonthRow): void {
    const { endpointId } = row.company
    this.all = this.all.map((each) => (each.company.endpointId === endpointId ? row : each))
  }

  #showError(result: Result<unknown>): void {
    this.error = result.ok ? null : errorToShow(result.error)
  }
}
