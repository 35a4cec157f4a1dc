/** The rows of the list of months: each client's month with its status, and how many requests its reports take. */
import { displayName } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { KeptMonth, MonthRow, MonthState } from '../../../shared/contract/review.ts'
import { monthsUpTo } from '../../../shared/reports/periods.ts'
import { ok, type Result } from '../../../shared/result.ts'
import type { Source } from '../../../shared/review/rules.ts'
import { daysOfMonth, planReadings } from '../../review/plan.ts'
import type { CompanyStore, StoredCompany } from '../../store/companies.ts'
import { isStatementMissing, type MonthStore } from '../../store/months.ts'
import type { Companies } from '../companies/companies.ts'
import { copiedHead } from './copies.ts'
import { haveCents, monthStatus, nextMonthStep } from './status.ts'

export interface MonthRowsOptions {
  readonly store: MonthStore
  readonly companyStore: Pick<CompanyStore, 'list'>
  readonly companies: Pick<Companies, 'find'>
  readonly isReading: (company: CompanyRef, month: string) => boolean
}

/** Months in the strip. */
const STRIP = 6

export class MonthRows {
  readonly #options: MonthRowsOptions

  constructor(options: MonthRowsOptions) {
    this.#options = options
  }

  row(company: CompanyRef, month: string): Result<MonthRow> {
    const { companies, store } = this.#options
    const found = companies.find(company)
    if (!found.ok) return found
    const value = store.get(company, month)
    const requests = this.requestCount(sourcesToRead(found.value, month, value, false), value)
    const strips = this.#strips(company.connectionId, month)
    return ok(this.#row(found.value, month, value, requests, strips(company.endpointId)))
  }

  /** The rows of all clients of a connection that are open or have that month. */
  list(connectionId: string, month: string): readonly MonthRow[] {
    const { companyStore, store } = this.#options
    const values = new Map(store.list(connectionId, month).map((each) => [each.endpointId, each.value]))
    const strips = this.#strips(connectionId, month)
    /** The requests of a new month, by application. */
    const planned = new Map<string, number>()
    return companyStore
      .list(connectionId)
      .filter(({ ref, isActive, isListed }) => (isActive && isListed) || values.has(ref.endpointId))
      .map((company) => {
        const { application, ref } = company
        const value = values.get(ref.endpointId) ?? null
        const known = value === null ? planned.get(application) : undefined
        const requests = known ?? this.requestCount(sourcesToRead(company, month, value, false), value)
        if (value === null) planned.set(application, requests)
        return this.#row(company, month, value, requests, strips(ref.endpointId))
      })
  }

  /**
   * How many requests these reports and lists take.
   * @param readAlone see `monthsReadAlone`; pass it to count several times without opening the copy each time
   */
  requestCount(
    sources: readonly Source[],
    value: KeptMonth | null,
    readAlone = (): number => this.monthsReadAlone(value),
  ): number {
    return sources.length + (sources.includes('profit-and-loss') ? readAlone() : 0)
  }

  /** How many months of profit and loss had to be read individually the last time. */
  monthsReadAlone(value: KeptMonth | null): number {
    const last = value?.readings.find(({ source }) => source === 'profit-and-loss')
    const head = last === undefined || last.copyId === '' ? null : copiedHead(this.#options.store, last)
    return head?.ok && head.value.making === 'trend' ? head.value.periods.length : 0
  }

  #row(
    company: StoredCompany,
    month: string,
    value: KeptMonth | null,
    requests: number,
    strip: MonthRow['strip'],
  ): MonthRow {
    const { ref, application, applicationName } = company
    const status = monthStatus(value, this.#options.isReading(ref, month))
    return {
      company: ref,
      companyName: displayName(company),
      application,
      applicationName,
      month,
      hasCents: haveCents(value?.readings ?? []),
      status,
      strip,
      by: value?.by ?? '',
      at: value?.at ?? '',
      next: nextMonthStep(status, value),
      requests,
    }
  }

  /** The states of the months before one, by company. */
  #strips(connectionId: string, month: string): (endpointId: string) => MonthRow['strip'] {
    const months = monthsBefore(month)
    const states = new Map<string, MonthState>()
    for (const each of this.#options.store.states(connectionId, months[0] ?? month, month)) {
      states.set(`${each.month} ${each.endpointId}`, each.state)
    }
    return (endpointId) =>
      months.map((each) => ({ month: each, state: states.get(`${each} ${endpointId}`) ?? null }))
  }
}

/** The months of the strip, oldest first, as `yyyy-mm`. */
function monthsBefore(month: string): readonly string[] {
  return monthsUpTo(daysOfMonth(month, 1).from, STRIP)
    .map(({ from }) => from.slice(0, 7))
    .toSorted()
}

/**
 * What to read for a month: what is missing or incomplete.
 * @param again whether to read everything
 */
export function sourcesToRead(
  company: StoredCompany,
  month: string,
  value: KeptMonth | null,
  again: boolean,
): readonly Source[] {
  const planned = planReadings(company.application, month)
  if (value === null || again) return planned.map(({ source }) => source)
  return value.readings
    .filter((each) => each.state !== 'read' || isStatementMissing(each))
    .map(({ source }) => source)
}
