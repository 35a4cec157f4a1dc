/** What reading, reviewing, and closing months have in common. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { KeptMonth, MonthEvent } from '../../../shared/contract/review.ts'
import type { Clock } from '../../clock.ts'
import type { MonthStore } from '../../store/months.ts'
import type { Companies } from '../companies/companies.ts'
import type { MonthRows } from './month-rows.ts'

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
