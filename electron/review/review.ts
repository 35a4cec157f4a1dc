/** Reviews a month by running every rule over the evidence. */
import { isDeepStrictEqual } from 'node:util'
import { joinNames } from '../../shared/format/text.ts'
import { reportTitle } from '../../shared/reports/reports.ts'
import type { Finding, RuleOutcome } from '../../shared/review/review.ts'
import { RULE_IDS, type RuleId } from '../../shared/review/rules.ts'
import { emptyAccounts, standsStill, undepositedFunds, wrongSide } from './balances.ts'
import type { Evidence, FullReport, ReadResult, StatementSource } from './evidence/evidence.ts'
import { amountColumns, linesOf, listIndex } from './evidence/lines.ts'
import { requireRead, type RuleFindings, runRule } from './findings.ts'
import { readRows } from './headings.ts'
import { changedAfterClose, enteredTwice, largeEntries, outsidePeriod } from './ledger.ts'
import { columnsOfAmounts } from './ledger-reader.ts'
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
import type { TotalReading } from './totals.ts'

const CHECKS: Readonly<
  Record<Exclude<RuleId, 'changed-after-close'>, (evidence: Evidence, findings: RuleFindings) => void>
> = {
  'statements-agree': statementsAgree,
  'receivables-agree': receivablesAgree,
  'earlier-years': earlierYears,
  'should-be-empty': emptyAccounts,
  'undeposited-funds': undepositedFunds,
  'wrong-side': wrongSide,
  'stands-still': standsStill,
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
const NEVER_EMPTY: readonly StatementSource[] = ['trial-balance', 'balance-sheet', 'profit-and-loss']

/** A statement without any amount, or of zeros only, would be clean by every rule. */
function withAmounts(source: StatementSource, read: ReadResult<FullReport>): ReadResult<FullReport> {
  if (!read.ok || !NEVER_EMPTY.includes(source)) return read
  // An amount that can't be read counts as one.
  const named = columnsOfAmounts(read.value)
  const columns = named.length > 0 ? named : amountColumns(read.value)
  if (linesOf(read.value).some(({ row }) => columns.some((at) => /[1-9]/.test(row.values[at] ?? ''))))
    return read
  return { ok: false, reason: `${reportTitle(read.value.name)} has no amounts.` }
}

/** The statements of a review. Each is read once. Rows that may be totals are read the same way in all of them. */
interface Reading {
  readonly evidence: Evidence
  /** Whether a statement with such a row was used since the last call. */
  readonly takeUnsure: () => readonly string[]
}

function readStatements(whole: Evidence, unsureAs: TotalReading['unsureAs']): Reading {
  const statements = new Map<StatementSource, ReadResult<FullReport> & { readonly unsure: string }>()
  const used = new Set<string>()
  const statement = (source: StatementSource): ReadResult<FullReport> => {
    let known = statements.get(source)
    if (known === undefined) {
      const list = whole.list(source === 'receivables' ? 'customers' : 'accounts')
      const index = listIndex(whole, list.ok ? list.value : [])
      // The chart of accounts has every account. A customer may have been deleted since.
      const hasAll = source !== 'receivables' && list.ok && list.value.length > 0
      const isRecord = (name: string): boolean | null => index.hasNamed(name) || (hasAll ? false : null)
      const { unsure, ...read } = readRows(whole.statement(source), {
        unsureAs,
        isRecord,
        checkSums: whole.checkSums,
      })
      known = { ...withAmounts(source, read), unsure: read.ok ? unsureRows(source, read.value, unsure) : '' }
      statements.set(source, known)
    }
    if (known.unsure !== '') used.add(known.unsure)
    return known
  }
  const takeUnsure = (): readonly string[] => {
    const taken = [...used]
    used.clear()
    return taken
  }
  return { evidence: { ...whole, statement }, takeUnsure }
}

function unsureRows(source: StatementSource, { name }: FullReport, unsure: readonly string[]): string {
  if (unsure.length === 0) return ''
  const rows = joinNames(
    [...new Set(unsure)].map((each) => `“${each}”`),
    3,
  )
  const who = source === 'receivables' ? 'a customer' : 'an account'
  return `${reportTitle(name)} has ${rows}, which may be a total or ${who}.`
}

/**
 * Returns what a rule finds regardless of whether some rows are totals. If the two results differ, the rule says so.
 */
function commonOutcome(asData: RuleOutcome, asTotals: RuleOutcome, reasons: readonly string[]): RuleOutcome {
  if (isDeepStrictEqual(asData, asTotals)) return asData
  const { rule } = asData
  const findingsOf = (outcome: RuleOutcome): readonly Finding[] =>
    outcome.result === 'found' ? outcome.findings : []
  const findings = findingsOf(asData).filter((each) =>
    findingsOf(asTotals).some((other) => isDeepStrictEqual(each, other)),
  )
  if (findings.length > 0) return { rule, result: 'found', findings, unchecked: reasons }
  return { rule, result: 'not-checked', reason: reasons.join(' ') }
}

/**
 * Returns the outcome of each rule in the order of `RULES`.
 * @param keptTrail the audit trail that was saved when the month was closed; only for closed months
 */
export function reviewMonth(whole: Evidence, keptTrail: FullReport | null): readonly RuleOutcome[] {
  const asData = readStatements(whole, 'data')
  const asTotals = readStatements(whole, 'total')
  const { evidence } = asData
  return RULE_IDS.flatMap((rule): RuleOutcome[] => {
    if (rule !== 'changed-after-close') {
      const outcome = runRule(rule, (report) => CHECKS[rule](evidence, report))
      const reasons = asData.takeUnsure()
      if (reasons.length === 0) return [outcome]
      const other = runRule(rule, (report) => CHECKS[rule](asTotals.evidence, report))
      return [commonOutcome(outcome, other, reasons)]
    }
    if (evidence.closedAt === null) return []
    return [
      runRule(rule, (report) => {
        const kept = keptTrail && requireRead(readRows({ ok: true, value: keptTrail }))
        changedAfterClose(evidence, kept, report)
      }),
    ]
  })
}
