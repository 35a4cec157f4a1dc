/** What the screen holds of one connection: which rows are shown, ticked and chosen, what waits, what tests answered. */
import type { Company, TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Session } from '../../frame/session.svelte.ts'
import type { Sort } from '../../ui/table/data-table.svelte.ts'
import { type ActiveFilter, type CompaniesRow, RowTexts, allRows, shownRows } from './rows.ts'
import { rowsInOrder } from './columns.ts'

/** A test of a company: being made, or made. */
export type CompanyTest =
  | { readonly state: 'running'; readonly since: string }
  | { readonly state: 'done'; readonly result: TestOutcome }
  | { readonly state: 'failed'; readonly error: AppError }

/** How far the test of several companies is. */
interface TestRun {
  readonly done: number
  readonly total: number
  /** No more begins. */
  readonly isStopping: boolean
}

/** A test in one or two words, for the list; empty for none. */
export function testWord(test: CompanyTest | null): string {
  if (test === null) return ''
  if (test.state === 'running') return 'Testing…'
  if (test.state === 'failed') return 'Not tested'
  return { answered: 'Answered', refused: 'Refused', silent: 'No response' }[test.result.outcome]
}

export class CompaniesModel {
  filter = $state<ActiveFilter>('active')
  search = $state('')
  selectedId = $state<string | null>(null)
  sort = $state.raw<Sort | null>({ columnId: 'name', direction: 'ascending' })
  #tickedIds = $state.raw<ReadonlySet<string>>(new Set())
  /** By endpoint id. */
  #tests = $state.raw<Readonly<Record<string, CompanyTest>>>({})
  #testRun = $state.raw<TestRun | null>(null)
  readonly #session: Session

  readonly all: readonly CompaniesRow[] = $derived.by(() =>
    allRows(this.#session.companies, this.#session.provisionings),
  )
  readonly texts: RowTexts = $derived.by(
    () => new RowTexts(this.#session.current, this.#session.about.locale),
  )
  /** Those that are shown, in their order. */
  readonly rows: readonly CompaniesRow[] = $derived.by(() =>
    rowsInOrder(
      shownRows(this.all, this.filter, this.search, (row) => this.texts.of(row).search),
      this.sort,
      (row, columnId) => this.#textOf(row, columnId),
    ),
  )
  /** The chosen row, as long as it is among those shown. */
  readonly selected: CompaniesRow | null = $derived(
    this.rows.find((row) => row.id === this.selectedId) ?? null,
  )
  /** The companies that are ticked and shown: nothing is done to one that is out of sight. */
  readonly ticked: readonly Company[] = $derived(
    this.rows.flatMap((row) => (row.kind === 'company' && this.#tickedIds.has(row.id) ? [row.company] : [])),
  )

  constructor(session: Session) {
    this.#session = session
  }

  /** The last test of a company in this window; `null` when there was none. */
  testOf(ref: CompanyRef): CompanyTest | null {
    return this.#tests[ref.endpointId] ?? null
  }

  /** Chooses a company, in a list that has it. */
  show(company: Company): void {
    this.filter = company.isActive ? 'active' : 'all'
    this.search = ''
    this.selectedId = company.ref.endpointId
  }

  isTicked(row: CompaniesRow): boolean {
    return this.#tickedIds.has(row.id)
  }

  /** Ticks a row or takes its tick off; what waits for authorisation has none. */
  tick(row: CompaniesRow): void {
    if (row.kind !== 'company') return
    const next = new Set(this.#tickedIds)
    if (!next.delete(row.id)) next.add(row.id)
    this.#tickedIds = next
  }

  tickAll(): void {
    this.#tickedIds = new Set(this.rows.flatMap((row) => (row.kind === 'company' ? [row.id] : [])))
  }

  untickAll(): void {
    this.#tickedIds = new Set()
  }

  /** Whether any company was tested in this window. */
  get hasTests(): boolean {
    return Object.keys(this.#tests).length > 0
  }

  /** Several that are being tested, one after another; `null` when none are. */
  get testRun(): TestRun | null {
    return this.#testRun
  }

  /**
   * Tests several, one after another, from the top down; one that is being tested already is passed over. Stopping
   * one of them, in the status line too, ends it.
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

  /** No more is tested after the one that is being asked. */
  stopTesting(): void {
    if (this.#testRun) this.#testRun = { ...this.#testRun, isStopping: true }
  }

  /** One small read of the company's books. A second click while it runs does nothing. */
  async test(company: Company): Promise<void> {
    const { ref } = company
    if (this.testOf(ref)?.state === 'running') return
    this.#setTest(ref, { state: 'running', since: new Date().toISOString() })
    const answer = await this.#session.api.call('companies.test', { company: ref })
    this.#setTest(
      ref,
      answer.ok ? { state: 'done', result: answer.value } : { state: 'failed', error: answer.error },
    )
  }

  #isTestingStopped(): boolean {
    return this.#testRun?.isStopping ?? false
  }

  #textOf(row: CompaniesRow, columnId: string): string {
    if (columnId === 'test') return row.kind === 'company' ? testWord(this.testOf(row.company.ref)) : ''
    const texts: Readonly<Record<string, string>> = { ...this.texts.of(row) }
    return texts[columnId] ?? ''
  }

  #setTest(ref: CompanyRef, test: CompanyTest): void {
    this.#tests = { ...this.#tests, [ref.endpointId]: test }
  }
}
