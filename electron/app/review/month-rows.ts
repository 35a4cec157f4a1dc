/** The rows of the list of months: each client's month with its status, and how many requests its reports take. */
import { displayName } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type {
  KeptMonth,
  MonthEvent,
  MonthRow,
  MonthState,
  MonthStatus,
} from '../../../shared/contract/review.ts'
import { reportTitle } from '../../../shared/reports/reports.ts'
import { type AppError, appError, ok, type Result } from '../../../shared/result.ts'
import type { Source } from '../../../shared/review/rules.ts'
import type { Clock } from '../../clock.ts'
import { monthBefore, planReadings } from '../../review/plan.ts'
import type { CompanyStore, StoredCompany } from '../../store/companies.ts'
import { isStatementMissing, monthState, type MonthStore, STATEMENTS } from '../../store/months.ts'
import type { Companies } from '../companies/companies.ts'
import { copiedHead } from './copies.ts'
import { unusableReason } from './evaluate.ts'
import { changeSize } from './watch.ts'

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
  return Array.from({ length: STRIP }, (_, at) => monthBefore(month, STRIP - at))
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

/** What reading, reviewing, and closing months have in common. */
export interface MonthContext {
  readonly store: MonthStore
  readonly companies: Pick<Companies, 'find'>
  readonly clock: Clock
  readonly rows: MonthRows
  readonly isReading: (company: CompanyRef, month: string) => boolean
  /** Tells the window that a month changed. */
  readonly changed: (company: CompanyRef, month: string) => void
  /** A history event for what the user does now. */
  readonly event: (act: MonthEvent['act'], subject?: string, note?: string) => MonthEvent
  /** The month with the user's name and the time. */
  readonly touched: (value: KeptMonth) => KeptMonth
}

// A month's status, what to do next, and why it can't be closed. Pure.

/** @param value `null` if nothing has been read yet */
function monthStatus(value: KeptMonth | null, isReading: boolean): MonthStatus {
  const readings = value?.readings ?? []
  const read = readings.filter(({ state }) => state !== 'waiting').length
  if (isReading) return { state: 'reading', read, of: readings.length }
  if (value === null) return { state: 'not-started' }
  const { open, wrong, notChecked, change, unreachableReason } = value
  const state = monthState(value)
  switch (state) {
    case 'started': {
      const missing = readings.find(isStatementMissing)
      const whole = readings.filter((each) => each.state === 'read' && !isStatementMissing(each)).length
      const refused = missing === undefined ? '' : (unusableReason(missing)?.reason ?? '')
      const isNothingChecked = readings.every(({ state }) => state !== 'waiting' && state !== 'read')
      const reason = unreachableReason || (isNothingChecked ? `Nothing was checked. ${refused}` : refused)
      return { state: 'partly-read', read: whole, of: readings.length, reason }
    }
    case 'findings':
      return { state, open, wrong, notChecked, notWhole: statementsNotWhole(readings), unreachableReason }
    case 'reviewed':
      return { state, notChecked, unreachableReason }
    case 'closed':
      return {
        state,
        notCompared: value.notCompared.length,
        notRead: notReadAgain(value),
        open: value.closed?.open ?? 0,
      }
    case 'changed':
      return {
        state,
        ...changeSize(change ?? { amounts: [], entries: 0 }),
        notCompared: value.notCompared.length,
        notRead: notReadAgain(value),
      }
  }
}

/** *Trial balance not read*; empty if every statement was read completely. */
function statementsNotWhole(readings: KeptMonth['readings']): string {
  return readings
    .filter(isStatementMissing)
    .map(({ name, state }) => `${reportTitle(name)} ${state === 'failed' ? 'not read' : 'may be incomplete'}`)
    .join(', ')
}

/**
 * Whether any amount in a month’s statements has decimals; `true` if no statement was read. Other reports have
 * percentages, too.
 */
export function haveCents(readings: KeptMonth['readings']): boolean {
  const reports = readings.filter(({ source, copyId }) => STATEMENTS.has(source) && copyId !== '')
  return reports.length === 0 || reports.some(({ hasCents }) => hasCents)
}

/** Why the last attempt to read all of a closed month’s reports again failed; empty if it succeeded. */
export function notReadAgain({ readings, unreachableReason }: KeptMonth): string {
  const isBegun = readings.some(({ state }) => state === 'waiting')
  return isBegun ? unreachableReason || 'Not all of its reports were read again.' : ''
}

/** What the user should do next. */
function nextMonthStep(status: MonthStatus, value: KeptMonth | null): MonthRow['next'] {
  switch (status.state) {
    case 'not-started':
      return 'get-reports'
    case 'partly-read':
      // If everything was requested and something was refused, the month's page has the reason.
      return value?.readings.some(({ state }) => state === 'waiting') === true ? 'get-reports' : 'review'
    case 'reading':
      return 'wait'
    case 'findings':
      return 'review'
    case 'reviewed':
      return 'close'
    case 'closed':
      if (status.notRead !== '') return 'get-reports'
      return status.open > 0 ? 'review' : 'none'
    case 'changed':
      return 'see-changes'
  }
}

/** Why a month can't be closed as it is; `null` if it can. */
export function closeRefusal({ readings, open }: KeptMonth): AppError | null {
  if (readings.some((each) => each.state === 'waiting' || isStatementMissing(each))) {
    return appError(
      'invalid-input',
      'Reports of this month are missing or may be incomplete.',
      'Get its reports, then close it.',
    )
  }
  if (open === 0) return null
  return appError(
    'invalid-input',
    open === 1 ? 'One finding is open.' : `${String(open)} findings are open.`,
    'Fix or accept each of them, then close the month.',
  )
}
