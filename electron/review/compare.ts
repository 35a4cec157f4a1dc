/** Compares a month's reports with the copies that were saved when it was closed. */
import { isDeepStrictEqual } from 'node:util'
import {
  type Decimal,
  canonicalDecimal,
  compareDecimals,
  subtractDecimals,
} from '../../shared/format/money.ts'
import { reportTitle } from '../../shared/reports/reports.ts'
import type { ChangedAmount, Finding } from '../../shared/review/review.ts'
import {
  type Read,
  type FullReport,
  NOTHING,
  NotChecked,
  type Line,
  RuleFindings,
  amountAt,
  amountColumns,
  isNetIncome,
  linesOf,
  monthColumns,
  requireRead,
  positiveSide,
  sumsByKey,
  totalColumn,
  trialBalances,
  withOwnKeys,
} from './evidence.ts'
import { readHeadings } from './headings.ts'
import { daysOfMonth } from './plan.ts'

interface Amounts {
  readonly sums: ReadonlyMap<string, Decimal>
  readonly names: ReadonlyMap<string, string>
  readonly sides: ReadonlyMap<string, Finding['side']>
}

/** The parts of a report that decide whether another one is comparable. */
type Covered = Pick<FullReport, 'name' | 'from' | 'to' | 'columns'>

/**
 * Whether a report covers the same amounts as the one saved for a month: the same period for a trial balance,
 * the same last day for a balance sheet, or the same period, or the month by itself, for a profit and loss.
 */
export function isComparable(kept: Covered, now: Covered, month: string): boolean {
  if (kept.name !== now.name) return false
  switch (kept.name) {
    case 'TrialBalance':
      return kept.from === now.from && kept.to === now.to
    case 'BalanceSheet':
      return kept.to === now.to && (kept.from === now.from || now.columns.length === 1)
    case 'ProfitAndLoss': {
      const days = daysOfMonth(month)
      if (now.from > days.from || now.to < days.to) return false
      const isSame = now.from === kept.from && now.to === kept.to
      return isSame || isOfMonth(now, month) || monthColumns(now, month) !== null
    }
    default:
      return false
  }
}

function isOfMonth({ from, to }: Covered, month: string): boolean {
  const days = daysOfMonth(month)
  return from === days.from && to === days.to
}

/** Returns the accounts whose amounts differ, or why they can't be compared. */
export function compareStatements(
  keptReport: FullReport,
  reportNow: FullReport,
  month: string,
): Read<readonly ChangedAmount[]> {
  const findings = new RuleFindings('changed-after-close')
  try {
    const kept = requireRead(readHeadings({ ok: true, value: keptReport }))
    const now = requireRead(readHeadings({ ok: true, value: reportNow }))
    const isAlike =
      kept.from === now.from && kept.to === now.to && isDeepStrictEqual(kept.columns, now.columns)
    // If the application gives no months, the totals of two equal periods still show a change.
    const isByTotal = isAlike && monthColumns(kept, month) === null
    const amounts = (statement: FullReport, other: FullReport): Amounts => {
      const lines = withOwnKeys(linesOf(statement), linesOf(other))
      return isAlike && statement.name === 'TrialBalance'
        ? columnDifferences(statement, lines, findings)
        : amountsOf(statement, lines, month, findings, isByTotal)
    }
    const [before, after] = [amounts(kept, now), amounts(now, kept)]
    if (findings.unchecked.size > 0) return { ok: false, reason: [...findings.unchecked].join(' ') }
    const column = kept.name === 'ProfitAndLoss' && !isByTotal ? month : 'Balance'
    const sideOf = (key: string): Finding['side'] => after.sides.get(key) ?? before.sides.get(key) ?? ''
    const nameOf = (key: string): string => after.names.get(key) ?? before.names.get(key) ?? key
    return {
      ok: true,
      value: [...new Set([...before.sums.keys(), ...after.sums.keys()])].flatMap((key): ChangedAmount[] => {
        const [was, is] = [before.sums.get(key) ?? NOTHING, after.sums.get(key) ?? NOTHING]
        if (compareDecimals(was, is) === 0) return []
        return [
          {
            report: reportTitle(kept.name),
            key: isNetIncome(nameOf(key)) ? '' : key,
            account: nameOf(key),
            column,
            side: sideOf(key),
            kept: was,
            now: is,
            difference: canonicalDecimal(subtractDecimals(is, was)),
          },
        ]
      }),
    }
  } catch (error) {
    if (error instanceof NotChecked) return { ok: false, reason: error.message }
    throw error
  }
}

/**
 * Returns amounts by account: for a trial balance with debits positive, for a balance sheet on its last day,
 * for a profit and loss of the month alone, or of its whole period (`isByTotal`).
 */
function amountsOf(
  statement: FullReport,
  lines: readonly Line[],
  month: string,
  findings: RuleFindings,
  isByTotal: boolean,
): Amounts {
  const names = new Map(lines.map(({ key, name }) => [key, name]))
  const isTrialBalance = statement.name === 'TrialBalance'
  const sides = new Map(lines.map((line) => [line.key, isTrialBalance ? 'debit' : positiveSide(line)]))
  if (isTrialBalance) {
    const debits = new Map(trialBalances(statement, findings).map(({ row, debit }) => [row, debit]))
    return { names, sides, sums: sumsByKey(lines, ({ row }) => debits.get(row) ?? NOTHING) }
  }
  if (statement.name === 'BalanceSheet' || isByTotal) {
    const column = totalColumn(statement)
    return { names, sides, sums: sumsByKey(lines, (line) => amountAt(line, column, findings)) }
  }
  // Beside the month, there may be its budget, or the year to date.
  const [only, ...others] = isOfMonth(statement, month) ? amountColumns(statement) : []
  const column = monthColumns(statement, month)?.at(-1) ?? (others.length === 0 ? only : undefined)
  if (column === undefined) throw new NotChecked('The application didn’t provide profit and loss by month.')
  return { names, sides, sums: sumsByKey(lines, (line) => amountAt(line, column, findings)) }
}

/**
 * Returns the amounts of a trial balance with unknown column names: a change is the same whichever column has the
 * debits.
 */
function columnDifferences(statement: FullReport, lines: readonly Line[], findings: RuleFindings): Amounts {
  const { columns } = statement
  const sums = amountColumns(statement)
  const [debit, credit] = sums
  if (columns.some((each) => /\bdebits?\b/i.test(each)) || debit === undefined || sums.length > 2) {
    return amountsOf(statement, lines, '', findings, false)
  }
  const amountOf = (line: Line): Decimal => {
    const amount = amountAt(line, debit, findings)
    return credit === undefined ? amount : subtractDecimals(amount, amountAt(line, credit, findings))
  }
  // It isn't known which column has the debits.
  return {
    names: new Map(lines.map(({ key, name: each }) => [key, each])),
    sides: new Map(),
    sums: sumsByKey(lines, amountOf),
  }
}
