/** Compares a month's reports with the copies that were kept when it was closed. */
import {
  type Decimal,
  canonicalDecimal,
  compareDecimals,
  subtractDecimals,
} from '../../shared/format/money.ts'
import { reportTitle } from '../../shared/reports/reports.ts'
import type { ChangedAmount } from '../../shared/review/review.ts'
import {
  type Read,
  type Statement,
  NOTHING,
  NotChecked,
  Report,
  linesOf,
  monthlyLines,
  sumsByKey,
  trialBalances,
} from './evidence.ts'

interface Amounts {
  readonly sums: ReadonlyMap<string, Decimal>
  readonly names: ReadonlyMap<string, string>
}

/** Accounts whose amounts differ, or why that can't be said. */
export function compareStatements(
  kept: Statement,
  now: Statement,
  month: string,
): Read<readonly ChangedAmount[]> {
  const report = new Report('changed-after-close')
  try {
    const [before, after] = [kept, now].map((statement) => amountsOf(statement, month, report))
    if (before === undefined || after === undefined) return { ok: true, value: [] }
    if (report.unchecked.size > 0) return { ok: false, because: [...report.unchecked].join(' ') }
    const column = kept.name === 'TrialBalance' ? 'Balance' : month
    return {
      ok: true,
      value: [...new Set([...before.sums.keys(), ...after.sums.keys()])].flatMap((key): ChangedAmount[] => {
        const [was, is] = [before.sums.get(key) ?? NOTHING, after.sums.get(key) ?? NOTHING]
        if (compareDecimals(was, is) === 0) return []
        return [
          {
            report: reportTitle(kept.name),
            account: after.names.get(key) ?? before.names.get(key) ?? key,
            column,
            kept: was,
            now: is,
            difference: canonicalDecimal(subtractDecimals(is, was)),
          },
        ]
      }),
    }
  } catch (error) {
    if (error instanceof NotChecked) return { ok: false, because: error.message }
    throw error
  }
}

/** The trial balance by account with debits positive; profit and loss by account for the month alone. */
function amountsOf(statement: Statement, month: string, report: Report): Amounts {
  const names = new Map(linesOf(statement).map(({ key, name }) => [key, name]))
  if (statement.name === 'TrialBalance') {
    return { names, sums: sumsByKey(trialBalances(statement, report), ({ debit }) => debit) }
  }
  const lines = monthlyLines(statement, month, report)
  return { names, sums: new Map(lines.map(({ key, amounts }) => [key, amounts.at(-1) ?? NOTHING])) }
}
