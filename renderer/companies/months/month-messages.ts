/** Formats months as texts and signs, and decides which need work first. Pure functions. */
import type { MonthEvent, MonthRow, MonthState, MonthStatus } from '../../../shared/contract/review.ts'
import type { Format } from '../../../shared/format/format.ts'
import { parseDecimal } from '../../../shared/format/money.ts'
import { compareNaturally } from '../../../shared/format/text.ts'
import { assertNever } from '../../../shared/result.ts'
import type { Outcome } from '../../ui/notices/outcomes.ts'

/** Returns the last full month before today, as `yyyy-mm`. */
export function lastMonth(today: Date): string {
  return monthsBack(1, today)
}

/** Returns the month that many months before today, as `yyyy-mm`. */
export function monthsBack(count: number, today: Date): string {
  const at = new Date(Date.UTC(today.getFullYear(), today.getMonth() - count, 1))
  return at.toISOString().slice(0, 7)
}

export function isMonth(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-(0[1-9]|1[0-2])$/.test(text)
}

/** *October 2026*, in the language of the region. */
export function monthName(month: string, locale: string): string {
  return monthNames(locale)(month)
}

/** Formats many months with one formatter, because creating one takes longer than using it. */
export function monthNames(locale: string): (month: string) => string {
  const names = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return (month) => names.format(new Date(`${month}-01T00:00:00Z`))
}

function counted(count: number, one: string, many: string, format: Format): string {
  return `${format.count(count)} ${count === 1 ? one : many}`
}

/** *15 reports and lists*: what is read, as a size of the work. */
export function formatReads(count: number, format: Format): string {
  return counted(count, 'report or list', 'reports and lists', format)
}

export function formatStatus(status: MonthStatus, format: Format): string {
  switch (status.state) {
    case 'not-started':
      return 'Not started'
    case 'reading':
      return `Reading, ${format.count(status.read)} of ${format.count(status.of)}`
    case 'partly-read':
      return `${format.count(status.read)} of ${format.count(status.of)} reports`
    case 'findings':
      return counted(status.open, 'finding', 'findings', format)
    case 'reviewed':
      return 'Reviewed'
    case 'closed':
      return 'Closed'
    case 'changed': {
      const accounts = counted(status.accounts, 'account', 'accounts', format)
      const amounts = status.amount === '' ? accounts : `${accounts}, ${format.money(status.amount)}`
      const size = status.accounts === 0 ? counted(status.entries, 'entry', 'entries', format) : amounts
      return `Changed since it was closed (${size})`
    }
    default:
      return assertNever(status)
  }
}

/** Returns a function for a company’s name, with its ID if several companies have that name. */
export function distinctNames(rows: readonly MonthRow[]): (row: MonthRow) => string {
  const byName = Map.groupBy(rows, ({ companyName }) => companyName)
  return ({ companyName, company }) =>
    (byName.get(companyName)?.length ?? 0) > 1 ? `${companyName} (${company.endpointId})` : companyName
}

/** Returns a note in small type; empty if there is none. */
export function statusNote(status: MonthStatus, format: Format): string {
  switch (status.state) {
    case 'partly-read':
      return status.reason
    case 'findings':
    case 'reviewed': {
      const { wrong, notWhole } = status.state === 'findings' ? status : { wrong: 0, notWhole: '' }
      const message = [
        ...(wrong > 0 ? [`${format.count(wrong)} definitely wrong`] : []),
        ...(notWhole === '' ? [] : [notWhole]),
        ...(status.unreachableReason === '' ? [] : ['not checked again']),
        ...(status.notChecked > 0
          ? [`${counted(status.notChecked, 'rule', 'rules', format)} not checked`]
          : []),
      ]
      return message.join(', ')
    }
    case 'changed':
    case 'closed': {
      if (status.notRead !== '') return `not read again. ${status.notRead}`
      const open = status.state === 'closed' ? status.open : 0
      const message = [
        ...(open > 0 ? [counted(open, 'open finding', 'open findings', format)] : []),
        ...(status.notCompared > 0
          ? [`${counted(status.notCompared, 'report', 'reports', format)} could not be compared`]
          : []),
      ]
      return message.join(', ')
    }
    default:
      return ''
  }
}

export function statusSign(status: MonthStatus): Outcome | null {
  switch (status.state) {
    case 'not-started':
      return null
    case 'closed':
      return isSettled(status) ? null : 'caution'
    case 'reading':
      return 'sending'
    case 'partly-read':
      return 'caution'
    case 'findings':
      return status.wrong > 0 ? 'not-accepted' : 'caution'
    case 'reviewed':
      return 'saved'
    case 'changed':
      return 'changed-meanwhile'
    default:
      return assertNever(status)
  }
}

const RANKS: Readonly<Record<MonthStatus['state'], number>> = {
  changed: 0,
  findings: 1,
  'partly-read': 2,
  reviewed: 3,
  'not-started': 4,
  reading: 5,
  closed: 6,
}

/** Whether a month is closed and needs no attention: it was read again and compared, and no finding is open. */
function isSettled(status: MonthStatus): boolean {
  return status.state === 'closed' && status.notRead === '' && status.notCompared === 0 && status.open === 0
}

function rankOf(status: MonthStatus): number {
  return RANKS[status.state === 'closed' && !isSettled(status) ? 'partly-read' : status.state]
}

/** Sorts months by urgency: changed months, contradictions, most findings; then by name. */
export function byReviewUrgency(one: MonthRow, other: MonthRow): number {
  const [left, right] = [one.status, other.status]
  const byState = rankOf(left) - rankOf(right)
  if (byState !== 0) return byState
  if (left.state === 'findings' && right.state === 'findings') {
    const byCount = right.wrong - left.wrong || right.open - left.open
    if (byCount !== 0) return byCount
  }
  return compareNaturally(one.companyName, other.companyName)
}

/** Whether a filter includes a row. */
export type MonthFilter = 'all' | 'to-do' | 'findings' | 'closed'

export function fits({ status }: MonthRow, filter: MonthFilter): boolean {
  switch (filter) {
    case 'all':
      return true
    case 'to-do':
      return !isSettled(status)
    case 'findings':
      return status.state === 'findings' || status.state === 'changed'
    case 'closed':
      return status.state === 'closed'
    default:
      return assertNever(filter)
  }
}

const STRIP_WORDS: Readonly<Record<MonthState, string>> = {
  started: 'not all read',
  findings: 'open findings',
  reviewed: 'reviewed',
  closed: 'closed',
  changed: 'changed since it was closed',
}

/** Returns what a dot means. */
export function formatMonthState(state: MonthState | null): string {
  return state === null ? 'not started' : STRIP_WORDS[state]
}

/** *Jul 2026: closed*, also for months that were never begun. */
export function formatStrip({ month, state }: MonthRow['strip'][number], format: Format): string {
  return `${format.month(`${month}-01`)}: ${formatMonthState(state)}`
}

/** Returns the label of **Next**; `null` if nothing can be done. */
export function formatNextStep(row: MonthRow): string | null {
  switch (row.next) {
    case 'get-reports':
      return 'Get reports'
    case 'review':
      return 'Review'
    case 'close':
      return 'Close'
    case 'see-changes':
      return 'See what changed'
    case 'none':
      return 'Open'
    case 'wait':
      return null
    default:
      return assertNever(row.next)
  }
}

/** Formats an act in the history. */
export function formatAct({ act, subject, otherMonth }: MonthEvent, format: Format): string {
  const where = otherMonth === null ? '' : `, in ${format.month(`${otherMonth}-01`)}`
  switch (act) {
    case 'reports-read':
      return `Reports read${where}`
    case 'partly-read':
      return `Some reports read${where}`
    case 'checked-again':
      return `Checked again: ${subject}${where}`
    case 'reviewed-again':
      return subject === '' ? 'Reviewed again' : `Reviewed again after a change: ${subject}`
    case 'accepted':
      return `Accepted: ${subject}${where}`
    case 'never':
      return `Never again: ${subject}${where}`
    case 'undone':
      return `Decision undone: ${subject}${where}`
    case 'closed':
      return 'Closed'
    case 'reopened':
      return 'Reopened'
    case 'change-noticed':
      return `Change noticed: ${formatSize(subject, format)}`
    case 'change-gone':
      return 'Change undone in the books'
    case 'change-accepted':
      return `Change accepted: ${formatSize(subject, format)}`
    case 'pack-saved':
      return `Review pack saved: ${subject}`
    default:
      return assertNever(act)
  }
}

/** *2 accounts, 1250, 4 entries* with its amount in the user’s format. */
function formatSize(subject: string, format: Format): string {
  return subject
    .split(', ')
    .map((part) => (parseDecimal(part) === null ? part : format.money(part)))
    .join(', ')
}
