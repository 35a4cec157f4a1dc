/** What a month's status is, what to do next, and why it can't be closed. Pure functions. */
import type { KeptMonth, MonthRow, MonthStatus } from '../../../shared/contract/review.ts'
import { reportTitle } from '../../../shared/reports/reports.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import { isStatementMissing, monthState, STATEMENTS } from '../../store/months.ts'
import { whyNot } from './evaluate.ts'
import { changeSize } from './watch.ts'

/** @param value `null` if nothing has been read yet */
export function monthStatus(value: KeptMonth | null, isReading: boolean): MonthStatus {
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
      const refused = missing === undefined ? '' : (whyNot(missing)?.reason ?? '')
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

/** *Trial balance not read*; empty if every statement was read whole. */
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
export function nextMonthStep(status: MonthStatus, value: KeptMonth | null): MonthRow['next'] {
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
