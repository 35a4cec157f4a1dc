/** Rules about income and costs: by month, by class, and against the budget. */
import { says, type Sentence } from '../../shared/format/format.ts'
import {
  compareDecimals,
  type Decimal,
  isNegative,
  isZero,
  multiplyDecimals,
  roughMean,
  subtractDecimals,
  sumDecimals,
} from '../../shared/format/money.ts'
import { shouldBeEmpty } from './balances.ts'
import type { Evidence } from './evidence/evidence.ts'
import {
  amountAt,
  exceedsThresholds,
  incomeSign,
  isTextColumn,
  type Line,
  linesOf,
  positiveSide,
  withOwnKeys,
  ZERO,
} from './evidence/lines.ts'
import { type MonthlyLine, monthlyLines } from './evidence/month-columns.ts'
import { NotCheckedError, notCompared, requireRead, rowOf, type RuleFindings } from './findings.ts'

interface Month {
  readonly line: MonthlyLine
  readonly amount: Decimal
  readonly earlier: readonly Decimal[]
}

function months(evidence: Evidence, findings: RuleFindings): readonly Month[] {
  const statement = requireRead(evidence.statement('profit-and-loss'))
  const lines = withOwnKeys(linesOf(statement))
  return monthlyLines(statement, evidence.month, findings, lines).map((line) => ({
    line,
    amount: line.amounts.at(-1) ?? ZERO,
    earlier: line.amounts.slice(0, -1),
  }))
}

/** Fewer months than this don't show a usual amount. */
const FEWEST_MONTHS = 3

export function unusualAmounts(evidence: Evidence, findings: RuleFindings): void {
  const statement = requireRead(evidence.statement('profit-and-loss'))
  const few: string[] = []
  for (const month of months(evidence, findings)) {
    const { line, amount, earlier } = month
    const known = sinceItBegan(earlier)
    // Missing, first, or reversed amounts belong to another rule.
    if (isZero(amount) || known.length === 0 || isReversed(month)) continue
    if (known.filter((each) => !isZero(each)).length < FEWEST_MONTHS) {
      few.push(line.name)
      continue
    }
    const sum = sumDecimals(known)
    const count = String(known.length) as Decimal
    const settings = {
      ...evidence.settings,
      amount: multiplyDecimals((evidence.settings.amount || '0') as Decimal, count),
    }
    // Multiplied by the number of months, to avoid rounding a mean.
    if (!exceedsThresholds(subtractDecimals(multiplyDecimals(amount, count), sum), sum, settings)) continue
    const [lastYear] = earlier.length === 12 ? earlier : []
    if (
      lastYear !== undefined &&
      !isZero(lastYear) &&
      !exceedsThresholds(subtractDecimals(amount, lastYear), lastYear, evidence.settings)
    ) {
      continue
    }
    const year: Sentence =
      lastYear === undefined ? [] : says` The same month last year: ${{ amount: lastYear }}.`
    findings.add(
      { key: line.key, name: line.name },
      {
        severity: 'check',
        amount,
        side: positiveSide(line),
        detail: [...says`Usually about ${{ amount: roughMean(sum, known.length) }} a month.`, ...year],
        row: rowOf(statement, line.row),
      },
    )
  }
  if (few.length > 0) {
    findings.unchecked.add(notCompared(few, 'Fewer than three earlier months have an amount.'))
  }
}

function sinceItBegan(amounts: readonly Decimal[]): readonly Decimal[] {
  const began = amounts.findIndex((each) => !isZero(each))
  return began < 0 ? [] : amounts.slice(began)
}

const RECURRING = /\brent\b|\blease\b|\bpayroll\b|\bwages\b|\bsalar(?:y|ies)\b|\binterest\b|\bdepreciation\b/i

/** An amount that has been missing for more months than this no longer recurs. */
const MAX_MISSING = 6

/**
 * An account recurs if it had an amount in all but at most one of the months before it stopped: four months if its name
 * says that it recurs, otherwise seven.
 */
export function missingThisMonth(evidence: Evidence, findings: RuleFindings): void {
  const statement = requireRead(evidence.statement('profit-and-loss'))
  const tooNew: string[] = []
  for (const { line, amount, earlier } of months(evidence, findings)) {
    const stopped = earlier.findLastIndex((each) => !isZero(each)) + 1
    const missing = earlier.length - stopped + 1
    if (!isZero(amount) || stopped === 0 || missing > MAX_MISSING) continue
    const isNamed = RECURRING.test(line.name)
    const least = isNamed ? 3 : 6
    const known = sinceItBegan(earlier.slice(0, stopped)).slice(-least - 1)
    const used = known.filter((each) => !isZero(each))
    if (used.length < least) {
      // A single amount isn't a pattern, unless the account's name says so.
      const isSteady = known.length - used.length <= 1 && (isNamed || used.length > 1)
      if (known.length < least && isSteady && missing === 1) tooNew.push(line.name)
      continue
    }
    const usual = { amount: roughMean(sumDecimals(used), used.length) }
    findings.add(
      { key: line.key, name: line.name },
      {
        severity: 'likely',
        amount: used.at(-1) ?? ZERO,
        side: positiveSide(line),
        detail:
          missing === 1
            ? says`Nothing this month. Usually about ${usual} a month.`
            : says`Nothing for ${String(missing)} months. Before that, about ${usual} a month.`,
        row: rowOf(statement, line.row),
      },
    )
  }
  if (tooNew.length > 0) {
    findings.unchecked.add(notCompared(tooNew, 'It began too recently to show whether it recurs.'))
  }
}

export function firstUse(evidence: Evidence, findings: RuleFindings): void {
  const statement = requireRead(evidence.statement('profit-and-loss'))
  const all = months(evidence, findings)
  const inUse = all[0]?.earlier.filter((_, at) => all.some(({ earlier }) => !isZero(earlier[at] ?? ZERO)))
  if ((inUse?.length ?? 0) < 6)
    throw new NotCheckedError('There are fewer than six earlier months to compare with.')
  // A reversed amount belongs to another rule, if that can be checked.
  const areSignsKnown = !areNegative(costsOf(all))
  for (const month of all) {
    const { line, amount, earlier } = month
    if (isZero(amount) || earlier.some((each) => !isZero(each))) continue
    if (areSignsKnown && isReversed(month)) continue
    if (shouldBeEmpty(line.name, evidence.settings.emptyAccounts, true)) continue
    findings.add(
      { key: line.key, name: line.name },
      {
        severity: 'check',
        amount,
        side: positiveSide(line),
        detail: says`No activity in the 12 months before.`,
        row: rowOf(statement, line.row),
      },
    )
  }
}

/** Accounts that usually reduce income or costs. */
const REDUCES = /\bdiscounts?\b|\breturns?\b|\brefunds?\b|\ballowances?\b|\brebates?\b|\brecover(?:y|ies)\b/i
/** Accounts of gains and losses, whose amounts may be on either side in any month. */
const EITHER_SIDE =
  /\bgains?\b.*\bloss(?:es)?\b|\bloss(?:es)?\b.*\bgains?\b|\bexchange (?:differences?|rates?)\b|\bover\b.*\bshort\b|\brounding\b/i

/**
 * Whether an amount is negative but usually isn’t. Accounts that reduce others may start with a negative amount. One that
 * was negative twice, and in every fourth month, may be so again, but not by more than ten times as much.
 */
function isReversed({ line, amount, earlier }: Month): boolean {
  if (!isNegative(amount) || EITHER_SIDE.test(line.name)) return false
  const used = earlier.filter((each) => !isZero(each))
  if (used.length === 0) return !REDUCES.test(line.name)
  const negative = used.filter(isNegative)
  if (negative.length * 2 > used.length) return false
  if (negative.length < 2 || negative.length * 4 < used.length) return true
  const ten = '10' as Decimal
  return negative.every((each) => compareDecimals(amount, multiplyDecimals(each, ten)) < 0)
}

/** The amounts of each account of costs. */
function costsOf(all: readonly Month[]): readonly (readonly Decimal[])[] {
  return all.filter(({ line }) => line.sign < 0).map(({ line }) => line.amounts)
}

/** Whether most accounts of costs have negative amounts, because some applications write costs that way. */
function areNegative(costs: readonly (readonly Decimal[])[]): boolean {
  const used = costs
    .map((amounts) => amounts.filter((each) => !isZero(each)))
    .filter(({ length }) => length > 0)
  const negative = used.filter((amounts) => amounts.filter(isNegative).length * 2 > amounts.length)
  return negative.length * 2 > used.length
}

/** @param costs the amounts of each account of costs */
function requirePositiveCosts(costs: readonly (readonly Decimal[])[], what: string): void {
  if (areNegative(costs)) throw new NotCheckedError(`${what} has costs as negative amounts.`)
}

export function reversedSigns(evidence: Evidence, findings: RuleFindings): void {
  const statement = requireRead(evidence.statement('profit-and-loss'))
  const all = months(evidence, findings)
  requirePositiveCosts(costsOf(all), 'Profit and loss')
  for (const month of all) {
    if (!isReversed(month)) continue
    const { line, amount } = month
    findings.add(
      { key: line.key, name: line.name },
      {
        severity: 'likely',
        amount,
        side: positiveSide(line),
        detail: line.sign > 0 ? says`Income with a debit balance.` : says`An expense with a credit balance.`,
        row: rowOf(statement, line.row),
      },
    )
  }
}

const NO_CLASS =
  /^\W*(?:un(?:classified|assigned|specified|allocated)|(?:not|non)[ -]?(?:classified|assigned|specified)|no class(?: (?:assigned|specified))?|without (?:a )?class|none)\W*$/i
/** Headings that may be a class, or amounts without one. */
const UNCLEAR_CLASS =
  /^\W*$|^\W*(?:(?:no|not|non|none|without|blank|empty|missing|ohne|kein\w*|nicht|sans|sin|n\/a)(?!\w)|un(?:class|assign|specif|allocat|known|nam|categor))/i

export function withoutClass(evidence: Evidence, findings: RuleFindings): void {
  const statement = requireRead(evidence.statement('by-class'))
  const lines = linesOf(statement)
  const headings = statement.columns.map((heading) => heading.trim())
  const columns = headings.flatMap((heading, at) => (NO_CLASS.test(heading) ? [at] : []))
  const total = headings.findLastIndex((heading) => /^total$/i.test(heading))
  const classes = headings.flatMap((heading, at) =>
    !columns.includes(at) && !/^total\b/i.test(heading) && !isTextColumn(statement, at) ? [at] : [],
  )
  const isOfAmounts = columns.length > 0 || total >= 0 || lines.length === 0
  // The company doesn’t use classes.
  if (classes.length === 0 && isOfAmounts) return
  if (columns.length === 0 && total < 0) {
    throw new NotCheckedError('No column in the report has a name like “Unclassified” or “Not specified”.')
  }
  const unclear = classes.filter(
    (at) =>
      UNCLEAR_CLASS.test(headings[at] ?? '') && lines.some((line) => !isZero(amountAt(line, at, findings))),
  )
  for (const at of unclear) {
    findings.unchecked.add(`Amounts under “${headings[at] ?? ''}” may or may not have a class.`)
  }
  const inClasses = (line: Line): readonly Decimal[] => classes.map((at) => amountAt(line, at, findings))
  // The column may be left out where every amount has a class.
  const unclassified = (line: Line): Decimal =>
    columns.length === 0
      ? subtractDecimals(amountAt(line, total, findings), sumDecimals(inClasses(line)))
      : sumDecimals(columns.map((at) => amountAt(line, at, findings)))
  const totalless =
    columns.length > 0 ? [] : lines.filter(({ row }) => (row.values[total]?.trim() ?? '') === '')
  if (totalless.length > 0) {
    throw new NotCheckedError(`The report by class has no total of ${totalless[0]?.name ?? ''}.`)
  }
  const isClassed = (line: Line): boolean => inClasses(line).some((amount) => !isZero(amount))
  const inUse = lines.filter((line) => isClassed(line) || !isZero(unclassified(line)))
  for (const line of inUse) {
    const amount = unclassified(line)
    const isPartly = isClassed(line)
    if (isZero(amount)) continue
    // Accounts that should be empty belong to another rule.
    const isWanted = !shouldBeEmpty(line.name, evidence.settings.emptyAccounts, true)
    if (!isPartly && !(isWanted && isUsuallyClassed(line, inUse, isClassed))) continue
    findings.add(
      { key: line.key, name: line.name },
      {
        severity: 'check',
        amount,
        side: positiveSide(line),
        detail: isPartly
          ? says`Part of this account has no class.`
          : says`None of this account has a class, but most accounts in its section do.`,
        row: rowOf(statement, line.row),
      },
    )
  }
}

/** Many companies use classes for a part of their accounts only, so the others of its section decide, or all of them. */
function isUsuallyClassed(line: Line, all: readonly Line[], isClassed: (line: Line) => boolean): boolean {
  const others = all.filter((each) => each !== line)
  const beside = others.filter(({ sections }) => sections[0] === line.sections[0])
  const those = beside.length > 1 ? beside : others
  return those.length > 1 && those.filter(isClassed).length * 2 > those.length
}

export function overBudget(evidence: Evidence, findings: RuleFindings): void {
  const statement = requireRead(evidence.statement('budget'))
  const headings = statement.columns.map((heading) => heading.trim().toLowerCase())
  const budgetAt = headings.findIndex((heading) => /^(?:total )?budget$/.test(heading))
  const actualAt = headings.findIndex(
    (heading, at) => !/budget|%/.test(heading) && !isTextColumn(statement, at),
  )
  if (budgetAt < 0 || actualAt < 0) throw new NotCheckedError('The budget report has no budget column.')
  const lines = linesOf(statement)
  if (lines.every((line) => isZero(amountAt(line, budgetAt, findings)))) {
    throw new NotCheckedError('This company has no budget for the month.')
  }
  const costs = lines.filter((line) => incomeSign(line) === -1)
  requirePositiveCosts(
    costs.map((line) => [amountAt(line, actualAt, findings), amountAt(line, budgetAt, findings)]),
    'The budget',
  )
  const unplanned: string[] = []
  for (const line of lines) {
    const sign = incomeSign(line)
    if (sign === null)
      findings.unchecked.add(`Bookbridge can’t tell whether ${line.name} is income or a cost.`)
    if (sign !== -1) continue
    const [actual, budget] = [amountAt(line, actualAt, findings), amountAt(line, budgetAt, findings)]
    const over = subtractDecimals(actual, budget)
    if (isZero(budget) && !isNegative(over) && exceedsThresholds(over, ZERO, evidence.settings)) {
      unplanned.push(line.name)
    }
    if (isZero(budget) || isNegative(over)) continue
    if (!exceedsThresholds(over, budget, evidence.settings)) continue
    findings.add(
      { key: line.key, name: line.name },
      {
        severity: 'check',
        amount: over,
        detail: says`Spent ${{ amount: actual }}, planned ${{ amount: budget }}.`,
        row: rowOf(statement, line.row),
      },
    )
  }
  if (unplanned.length > 0) findings.unchecked.add(notCompared(unplanned, 'They have no budget.'))
}
