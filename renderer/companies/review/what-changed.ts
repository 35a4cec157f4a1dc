/** What has changed in a closed month, in rows: the amounts by account, and the entries by transaction. Pure. */
import type { CallOutput } from '../../../shared/contract/contract.ts'
import { type Format, uncapitalized } from '../../../shared/format/format.ts'
import { parseDecimal } from '../../../shared/format/money.ts'
import { reportTitle } from '../../../shared/reports/reports.ts'
import {
  balanceText,
  type ChangedAmount,
  type Finding,
  subjectText,
  trailEntries,
  type TrailRow,
} from '../../../shared/review/review.ts'
import { isMonth } from '../months/month-messages.ts'

interface ChangedRow {
  /** The reports with these amounts. */
  readonly report: string
  readonly kept: string
  readonly now: string
  readonly difference: string
  /** That the account moved or was renamed; empty for neither. */
  readonly says: string
}

interface ChangedAccount {
  readonly key: string
  readonly account: string
  readonly changed: readonly ChangedRow[]
}

/** Groups amounts by account. Reports that say the same share a row, whatever sign they give a credit. */
export function changedAccounts(
  amounts: readonly ChangedAmount[],
  format: Format,
): readonly ChangedAccount[] {
  return [...Map.groupBy(amounts, ({ key, account }) => key || account)].map(([key, those]) => {
    const texts = those.map((each) => {
      const text = (amount: string): string => (amount === '' ? '–' : balanceText(amount, each.side, format))
      const [kept, now, difference] = [each.kept, each.now, each.difference].map(text)
      return { report: reportOf(each, format), kept, now, difference, says: each.says }
    })
    const alike = Map.groupBy(texts, ({ kept, now, says }) => `${kept ?? ''}|${now ?? ''}|${says}`)
    const changed = [...alike.values()].map((same): ChangedRow => {
      const [{ kept = '', now = '', difference = '', says } = { says: '' }] = same
      const report = same.map((each, at) => (at === 0 ? each.report : uncapitalized(each.report))).join(', ')
      return { report, kept, now, difference, says }
    })
    return { key, account: those[0]?.account ?? '', changed }
  })
}

/** Profit and loss is compared for the month alone. The text says so. */
function reportOf({ report, column }: ChangedAmount, format: Format): string {
  return isMonth(column) ? `${report}, ${format.month(`${column}-01`)}` : report
}

interface ChangedEntry {
  readonly key: string
  /** *Mar 15, 2026* */
  readonly date: string
  readonly type: string
  readonly number: string
  readonly name: string
  readonly memo: string
  readonly accounts: readonly string[]
  /** *entered Apr 9, 2026, 9:38 AM*; empty if that isn't known. */
  readonly entered: string
  readonly amount: string
  readonly says: 'New' | 'Gone'
}

/** Returns the changed entries of an audit trail, each with the largest of its amounts. */
export function changedEntries(
  findings: readonly Finding[],
  amounts: readonly ChangedAmount[],
  format: Format,
): readonly ChangedEntry[] {
  const accounts = new Set(amounts.map(({ account }) => account))
  // The states of an entry in the audit trail. *Latest* says nothing new.
  const wordsOf = ({ memo }: TrailRow): readonly string[] =>
    memo.split(', ').filter((word) => word !== '' && word !== 'Latest')
  return [...trailEntries(findings)].flatMap(([key, rows]): readonly ChangedEntry[] => {
    const [largest] = rows.toSorted(
      (one, other) => size(amountOf(other.finding)) - size(amountOf(one.finding)),
    )
    if (largest === undefined) return []
    const { date, type, number, name, entered, isGone, finding } = largest
    const words = [...new Set(rows.flatMap(wordsOf))]
    const amount = amountOf(finding)
    return [
      {
        key,
        date: date === '' ? '' : format.date(date.slice(0, 10)),
        type,
        number,
        name: name ?? subjectText(finding.subject, format),
        memo: words.filter((word) => !accounts.has(word)).join(', '),
        accounts: words.filter((word) => accounts.has(word)),
        entered: entered === '' ? '' : `entered ${format.dayAndTime(entered)}`,
        amount: amount === '' ? '' : format.money(amount.replace('-', '')),
        says: isGone ? 'Gone' : 'New',
      },
    ]
  })
}

/**
 * Returns what to say if no changed entry is listed: why entries were not checked, or that none explains the change.
 * Empty if there is no change, or if another line says that the audit trail wasn’t compared.
 * @param isComplete whether everything was read again
 */
export function formatNoEntries({
  change,
  notCompared,
  entriesNotChecked,
  isComplete,
}: Pick<CallOutput<'months.changes'>, 'change' | 'notCompared' | 'entriesNotChecked'> & {
  readonly isComplete: boolean
}): string {
  if (notCompared.some(({ report }) => report === reportTitle('AuditTrail'))) return ''
  if (entriesNotChecked !== '') return `Entries were not checked: ${entriesNotChecked}`
  if (change === null || !isComplete) return ''
  return 'No entry in this month’s audit trail explains this change. It may come from an entry of another period.'
}

/** A finding about a missing entry has no amount, but its row does. */
function amountOf({ amount, row }: Finding): string {
  if (size(amount) > 0) return amount
  return row?.values.map((value) => parseDecimal(value.trim())).find((each) => each !== null) ?? ''
}

function size(amount: string): number {
  return Math.abs(Number(amount)) || 0
}
