/** What the companies screen holds: which rows are shown and chosen, what waits, and what a test answered. */
import type { Company, Provisioning, TestOutcome } from '../../shared/contract/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { AppError } from '../../shared/result.ts'
import type { Session } from '../frame/session.svelte.ts'
import { companyRows, type ActiveFilter, type CompaniesRow } from './company-list.ts'
import { isoNow } from './moment.ts'

/** A test of a company: being made, or made. */
export type CompanyTest =
  | { readonly state: 'running'; readonly since: string }
  | { readonly state: 'done'; readonly result: TestOutcome }
  | { readonly state: 'failed'; readonly error: AppError }

export class CompaniesState {
  filter = $state<ActiveFilter>('active')
  search = $state('')
  selectedId = $state<string | null>(null)
  provisionings = $state.raw<readonly Provisioning[]>([])
  /** By endpoint id. */
  #tests = $state.raw<Readonly<Record<string, CompanyTest>>>({})
  readonly #session: Session

  readonly rows: readonly CompaniesRow[] = $derived.by(() =>
    companyRows(this.#session.companies, this.provisionings, this.filter, this.search),
  )
  /** The chosen row, as long as it is among those shown. */
  readonly selected: CompaniesRow | null = $derived(
    this.rows.find((row) => row.id === this.selectedId) ?? null,
  )

  constructor(session: Session) {
    this.#session = session
  }

  /** Follows the set-ups of the connection until the answered function is called. */
  listen(): () => void {
    void this.loadProvisionings()
    return this.#session.api.on('companies.changed', ({ connectionId }) => {
      if (connectionId === this.#session.connection?.connectionId) void this.loadProvisionings()
    })
  }

  /** Reads the set-ups as the journal has them; nothing is asked of the service. */
  async loadProvisionings(): Promise<void> {
    const connectionId = this.#session.connection?.connectionId
    if (connectionId === undefined) return
    const list = await this.#session.api.call('companies.provisionings', { connectionId })
    if (list.ok) this.provisionings = list.value
  }

  /** The last test of a company in this window; `null` when there was none. */
  testOf(ref: CompanyRef): CompanyTest | null {
    return this.#tests[ref.endpointId] ?? null
  }

  /** One small read of the company's books. A second click while it runs does nothing. */
  async test(company: Company): Promise<void> {
    const { ref } = company
    if (this.testOf(ref)?.state === 'running') return
    this.#setTest(ref, { state: 'running', since: isoNow() })
    const answer = await this.#session.api.call('companies.test', { company: ref })
    this.#setTest(
      ref,
      answer.ok ? { state: 'done', result: answer.value } : { state: 'failed', error: answer.error },
    )
  }

  #setTest(ref: CompanyRef, test: CompanyTest): void {
    this.#tests = { ...this.#tests, [ref.endpointId]: test }
  }
}
