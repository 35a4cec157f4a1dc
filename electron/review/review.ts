/** Reviews a month by running every rule over the evidence. */
import type { RuleOutcome } from '../../shared/review/review.ts'
import { reportTitle } from '../../shared/reports/reports.ts'
import { RULE_IDS, type RuleId, type Source } from '../../shared/review/rules.ts'
import { emptyAccounts, unchangedBalances, undepositedFunds, wrongSide } from './balances.ts'
import {
  type Evidence,
  type Read,
  type RuleFindings,
  type FullReport,
  linesOf,
  requireRead,
  runRule,
} from './evidence.ts'
import { readRows } from './headings.ts'
import { changedAfterClose, enteredTwice, largeEntries, outsidePeriod } from './ledger.ts'
import { duplicates, inactiveInUse, incomplete1099, malformed } from './lists.ts'
import {
  firstUse,
  missingThisMonth,
  overBudget,
  reversedSigns,
  unusualAmounts,
  withoutClass,
} from './profit-and-loss.ts'
import { customerCredits, past90Days } from './receivables.ts'
import { earlierYears, receivablesAgree, statementsAgree } from './statements.ts'

const CHECKS: Readonly<
  Record<Exclude<RuleId, 'changed-after-close'>, (evidence: Evidence, findings: RuleFindings) => void>
> = {
  'statements-agree': statementsAgree,
  'receivables-agree': receivablesAgree,
  'earlier-years': earlierYears,
  'should-be-empty': emptyAccounts,
  'undeposited-funds': undepositedFunds,
  'wrong-side': wrongSide,
  'stands-still': unchangedBalances,
  'past-90-days': past90Days,
  'customer-credit': customerCredits,
  unusual: unusualAmounts,
  'missing-this-month': missingThisMonth,
  'first-use': firstUse,
  'reversed-sign': reversedSigns,
  'no-class': withoutClass,
  'over-budget': overBudget,
  'entered-twice': enteredTwice,
  'outside-period': outsidePeriod,
  'large-entry': largeEntries,
  inactive: inactiveInUse,
  duplicates,
  'incomplete-1099': incomplete1099,
  malformed,
}

/** The statements of the month. Others may be empty: no one owes anything, or the company is new. */
const NEVER_EMPTY: readonly Source[] = ['trial-balance', 'balance-sheet', 'profit-and-loss']

/** A statement without any amount, or of zeros only, would be clean by every rule. */
function withAmounts(source: Source, read: Read<FullReport>): Read<FullReport> {
  if (!read.ok || !NEVER_EMPTY.includes(source)) return read
  // An amount that can't be read counts as one.
  if (linesOf(read.value).some(({ row }) => row.values.some((value) => /[1-9]/.test(value)))) return read
  return { ok: false, reason: `${reportTitle(read.value.name)} has no amounts.` }
}

/**
 * Returns the outcome of each rule in the order of `RULES`.
 * @param keptTrail the audit trail that was saved when the month was closed; only for closed months
 */
export function reviewMonth(whole: Evidence, keptTrail: FullReport | null): readonly RuleOutcome[] {
  const statements = new Map<Source, Read<FullReport>>()
  const statement = (source: Source): Read<FullReport> => {
    const known = statements.get(source) ?? withAmounts(source, readRows(whole.statement(source)))
    statements.set(source, known)
    return known
  }
  const evidence = { ...whole, statement }
  return RULE_IDS.flatMap((rule): RuleOutcome[] => {
    if (rule !== 'changed-after-close') return [runRule(rule, (report) => CHECKS[rule](evidence, report))]
    if (evidence.closedAt === null) return []
    return [
      runRule(rule, (report) => {
        const kept = keptTrail && requireRead(readRows({ ok: true, value: keptTrail }))
        changedAfterClose(evidence, kept, report)
      }),
    ]
  })
}
