/** The list of companies on screen: which rows are shown, checked, and selected, and when each company last answered. */
import type { Company, TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { AppError } from '../../../shared/result.ts'
import { clock } from '../../clock.ts'
import type { Session } from '../../frame/session.svelte.ts'
import type { Sort } from '../../ui/table/data-table.svelte.ts'
import { rowsInOrder } from './columns.ts'
import { type ActiveFilter, allRows, type CompaniesRow, filterRows, RowTexts } from './rows.ts'

/** A test of a company: being made, or made. */
export type CompanyTest =
  | { readonly state: 'running'; readonly since: string }
  | { readonly state: 'done'; readonly result: TestOutcome }
  | { readonly state: 'failed'; readonly error: AppError }

/** The progress of a test of several companies. */
interface TestRun {
  readonly done: number
  readonly total: number
  /** No further test begins. */
  readonly isStopping: boolean
}

/** A test in one or two words; empty for none. */
export function testWord(test: CompanyTest | null): string {
  if (test === null) return ''
  if (test.state === 'running') return 'Testing…'
  if (test.state === 'failed') return 'Not tested'
  return { answered: 'Answered', refused: 'Refused', silent: 'No response' }[test.result.outcome]
}

/** How many requests of the log are read, at first and after each change. */
const MAX_LOGGED = 1_000
const NEWEST_LOGGED = 20

export class CompaniesModel {
  filter = $state<ActiveFilter>('active')
  search = $state('')
  selectedId = $state<string | null>(null)
  sort = $state.raw<Sort | null>({ columnId: 'name', direction: 'ascending' })
  #checkedIds = $state.raw<ReadonlySet<string>>(new Set())
  /** When each company last answered a request from here, as ISO time by endpoint ID. */
  #answered = $state.raw<ReadonlyMap<string, string>>(new Map())
  /** By endpoint ID. */
  #tests = $state.raw<Readonly<Record<string, CompanyTest>>>({})
  #testRun = $state.raw<TestRun | null>(null)
  readonly #session: Session

  readonly all: readonly CompaniesRow[] = $derived.by(() =>
    allRows(this.#session.companies, this.#session.provisionings),
  )
  readonly texts: RowTexts = $derived.by(
    () => new RowTexts(this.#session.current, this.#session.about.locale),
  )
  /** The rows that are shown, in order. */
  readonly rows: readonly CompaniesRow[] = $derived.by(() =>
    rowsInOrder(
      filterRows(this.all, this.filter, this.search, (row) => this.texts.of(row).search),
      this.sort,
      (row, columnId) => this.#textOf(row, columnId),
    ),
  )
  /** The selected row; `null` unless it is shown. */
  readonly selected: CompaniesRow | null = $derived(
    this.rows.find((row) => row.id === this.selectedId) ?? null,
  )
  /** The companies that are checked and shown. Nothing is done to a hidden one. */
  readonly checked: readonly Company[] = $derived(
    this.rows.flatMap((row) => (row.kind === 'company' && this.#checkedIds.has(row.id) ? [row.company] : [])),
  )

  constructor(session: Session) {
    this.#session = session
  }

  /**
   * Follows the log, to know when each company last answered. Returns a function that stops it.
   */
  listen(): () => void {
    void this.#readAnswers(MAX_LOGGED)
    return this.#session.api.on('activity.changed', () => void this.#readAnswers(NEWEST_LOGGED))
  }

  /** When a company last answered a request from here, ISO; empty if that is not known. */
  respondedAt(ref: CompanyRef): string {
    return this.#answered.get(ref.endpointId) ?? ''
  }

  /** The last test of a company in this window; `null` when there was none. */
  testOf(ref: CompanyRef): CompanyTest | null {
    return this.#tests[ref.endpointId] ?? null
  }

  /** Selects a company, under a filter that includes it. */
  show(company: Company): void {
    this.filter = company.isActive ? 'active' : 'all'
    this.search = ''
    this.selectedId = company.ref.endpointId
  }

  isChecked(row: CompaniesRow): boolean {
    return this.#checkedIds.has(row.id)
  }

  /** Checks or unchecks a company. A setup can't be checked. */
  toggleChecked(row: CompaniesRow): void {
    if (row.kind !== 'company') return
    const next = new Set(this.#checkedIds)
    if (!next.delete(row.id)) next.add(row.id)
    this.#checkedIds = next
  }

  checkAll(): void {
    this.#checkedIds = new Set(this.rows.flatMap((row) => (row.kind === 'company' ? [row.id] : [])))
  }

  uncheckAll(): void {
    this.#checkedIds = new Set()
  }

  /** The test of several companies, one after another; `null` if none runs. */
  get testRun(): TestRun | null {
    return this.#testRun
  }

  /**
   * Tests several companies, one after another. Skips one that is being tested already. Stopping one of the tests, even
   * in the status line, ends the run.
   */
  async testAll(companies: readonly Company[]): Promise<void> {
    if (this.#testRun) return
    for (const [done, company] of companies.entries()) {
      this.#testRun = { done, total: companies.length, isStopping: this.#isTestingStopped() }
      if (this.#testRun.isStopping) break
      await this.test(company)
      const test = this.testOf(company.ref)
      if (test?.state === 'failed' && test.error.kind === 'stopped') break
    }
    this.#testRun = null
  }

  /** Ends the run after the test that is running. */
  stopTesting(): void {
    if (this.#testRun) this.#testRun = { ...this.#testRun, isStopping: true }
  }

  /** Makes one small read of the company's books. A second click while it runs does nothing. */
  async test(company: Company): Promise<void> {
    const { ref } = company
    if (this.testOf(ref)?.state === 'running') return
    this.#setTest(ref, { state: 'running', since: clock.date().toISOString() })
    const result = await this.#session.api.call('companies.test', { company: ref })
    this.#setTest(
      ref,
      result.ok ? { state: 'done', result: result.value } : { state: 'failed', error: result.error },
    )
  }

  #isTestingStopped(): boolean {
    return this.#testRun?.isStopping ?? false
  }

  async #readAnswers(limit: number): Promise<void> {
    const connectionId = this.#session.connection?.connectionId
    if (connectionId === undefined) return
    const log = await this.#session.api.call('activity.log', { connectionId, before: null, limit })
    if (!log.ok) return
    const answered = new Map(this.#answered)
    for (const { company, outcome, path, at } of log.value) {
      // Only these requests reach the books. The service itself answers for the list of companies.
      if (company === null || outcome !== 'answered' || !/^\/v2\/data\//i.test(path)) continue
      if (at > (answered.get(company.endpointId) ?? '')) answered.set(company.endpointId, at)
    }
    this.#answered = answered
  }

  #textOf(row: CompaniesRow, columnId: string): string {
    if (columnId === 'answer') return row.kind === 'company' ? this.respondedAt(row.company.ref) : ''
    const texts: Readonly<Record<string, string>> = { ...this.texts.of(row) }
    return texts[columnId] ?? ''
  }

  #setTest(ref: CompanyRef, test: CompanyTest): void {
    this.#tests = { ...this.#tests, [ref.endpointId]: test }
  }
}
