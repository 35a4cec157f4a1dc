/** Rules about whole statements, which come from the same entries and so must agree to the cent. */
import { says, type Sentence } from '../../shared/format/format.ts'
import {
  absoluteDecimal,
  addDecimals,
  canonicalDecimal,
  compareDecimals,
  type Decimal,
  isNegative,
  isZero,
  negateDecimal,
  parseDecimal,
  subtractDecimals,
  sumDecimals,
} from '../../shared/format/money.ts'
import { joinNames } from '../../shared/format/text.ts'
import { lazy } from '../../shared/lazy.ts'
import { subjectOf } from '../../shared/reports/levels.ts'
import { type ReportRow, reportTitle } from '../../shared/reports/reports.ts'
import { isPlainTotal } from '../../shared/reports/subjects.ts'
import type { Finding } from '../../shared/review/review.ts'
import type { Source } from '../../shared/review/rules.ts'
import { matchAccounts } from './account-names.ts'
import type { Evidence, FullReport, ListedRecord, ReadResult } from './evidence/evidence.ts'
import {
  amountAt,
  incomeSign,
  isKnownType,
  isNetIncome,
  isProfitAndLoss,
  isType,
  type Line,
  linesOf,
  recordFinder,
  sideOf,
  sumsByKey,
  totalColumn,
  trialBalances,
  withOwnKeys,
  ZERO,
} from './evidence/lines.ts'
import { monthColumns, type MonthlyLine, monthlyLines } from './evidence/month-columns.ts'
import {
  lastMonthOfPriorYear,
  monthHeading,
  monthsBetween,
  monthsIntoYear,
} from './evidence/month-headings.ts'
import {
  NotCheckedError,
  notCompared,
  noteIfNotChecked,
  readOrNote,
  requireRead,
  rowOf,
  RuleFindings,
} from './findings.ts'
import { daysOfMonth } from './plan.ts'
import { createBalanceReader, currencyCode, requireOneCurrency } from './receivables.ts'

export function statementsAgree(evidence: Evidence, findings: RuleFindings): void {
  const sources: readonly Source[] = ['trial-balance', 'balance-sheet', 'profit-and-loss']
  for (const source of sources) {
    const statement = readOrNote(evidence.statement(source), findings)
    if (statement !== null) brokenSums(statement, findings)
  }
  const [trialBalance, balanceSheet, profitAndLoss] = sources.map((source) => evidence.statement(source))
  if (trialBalance?.ok) debitsEqualCredits(trialBalance.value, findings)
  const isSigned = balanceSheet?.ok === true && assetsEqualTheRest(balanceSheet.value, findings)
  if (!balanceSheet?.ok || !profitAndLoss?.ok || isSigned) return
  const months = monthsIntoYear(evidence.month, evidence.fiscalYearStart)
  const lines = withOwnKeys(linesOf(profitAndLoss.value))
  const earned = monthlyLines(profitAndLoss.value, evidence.month, findings, lines).map((line) => ({
    line,
    amount: sumDecimals(line.amounts.slice(-months)),
  }))
  // An unreadable or unassigned amount would look like a difference.
  const isUnplaced =
    linesOf(profitAndLoss.value).some((line) => incomeSign(line) === null) ||
    linesOf(balanceSheet.value).some((line) => sideOf(line) === null)
  if (findings.unreadable.size > 0 || isUnplaced) return
  const isNamed = sameNetIncome(
    evidence,
    balanceSheet.value,
    trialBalance?.ok === true ? trialBalance.value : null,
    earned.map(({ line }) => line),
    findings,
  )
  if (!trialBalance?.ok || !isNamed) return
  const debits = new Map<string, { readonly line: Line; readonly debit: Decimal }>()
  const inTrialBalance = linesOf(trialBalance.value)
  const inBalanceSheet = linesOf(balanceSheet.value)
  const accounts = matchAccounts(inTrialBalance, [...earned.map(({ line }) => line), ...inBalanceSheet])
  const add = (line: Line, debit: Decimal): void => {
    const key = accounts.keyOf(line)
    debits.set(key, { line, debit: addDecimals(debits.get(key)?.debit ?? ZERO, debit) })
  }
  for (const { line, amount } of earned) add(line, line.sign > 0 ? negateDecimal(amount) : amount)
  const column = totalColumn(balanceSheet.value)
  const keys = new Set(inTrialBalance.map(({ key }) => key))
  for (const line of inBalanceSheet) {
    // Net income may have its own ID. The trial balance has only the accounts that it consists of.
    if (isNetIncome(line.name) && (line.row.id === '' || !keys.has(line.key))) continue
    const amount = amountAt(line, column, findings)
    add(line, sideOf(line) === 'asset' ? amount : negateDecimal(amount))
  }
  sameAccounts(trialBalance.value, debits, accounts.unsure, findings)
}

/** Reports totals that don't add up, from the report's own checks. */
function brokenSums(statement: FullReport, findings: RuleFindings): void {
  if (linesOf(statement).some(({ isUnplaced }) => isUnplaced)) {
    const reason = 'doesn’t show where its sections end, so its totals were not checked.'
    findings.unchecked.add(`${reportTitle(statement.name)} ${reason}`)
    return
  }
  const title = reportTitle(statement.name)
  const hasNoHeadings = hasNoSections(statement)
  const { headless, unclear } = totalsWithoutHeading(statement)
  for (const finding of statement.checks.findings) {
    const row = statement.rows[finding.row]
    if (hasNoHeadings && row?.kind === 'subtotal') {
      findings.unchecked.add(`${title} has no section headings, so its subtotals were not checked.`)
      continue
    }
    if (unclear.has(finding.row)) {
      findings.unchecked.add(
        `${title} has no section heading for ${joinNames(headless, 3)}, so totals around it were not checked.`,
      )
      continue
    }
    findings.add(
      { key: `${statement.name}|${finding.rowName}|${finding.columnName}`, name: finding.rowName },
      {
        severity: 'wrong',
        amount: finding.difference,
        detail: says`${title} is ${{ amount: finding.stated }}, but its parts add up to ${{ amount: finding.computed }}.`,
        row: row ? rowOf(statement, row) : null,
      },
    )
  }
}

function isSum({ kind }: ReportRow): boolean {
  return kind === 'subtotal' || kind === 'total'
}

/** Whether several totals have no section. Then nothing shows what each of them contains. A heading without a total is a remark. */
function hasNoSections({ rows }: FullReport): boolean {
  const sums = rows.filter(isSum)
  const sections = rows.filter(({ kind }) => kind === 'section').map(({ name }) => subjectOf(name))
  if (sums.length < 2 || sections.length === 0) return sums.length > 1
  const named = sums.filter(({ name }) => isPlainTotal(name)).map(({ name }) => subjectOf(name))
  return named.length > 1 && !named.some((each) => each === '' || sections.includes(each))
}

/**
 * Finds totals whose own section has no heading: the section around one has its own total later.
 * @returns their names, and the row numbers of all totals that are unclear because of them
 */
function totalsWithoutHeading({ rows }: FullReport): {
  readonly headless: readonly string[]
  readonly unclear: ReadonlySet<number>
} {
  const last = new Map(rows.flatMap((row, at) => (isSum(row) ? [[subjectOf(row.name), at] as const] : [])))
  const headless: string[] = []
  const unclear = new Set<number>()
  const open: { readonly subject: string; isUnclear: boolean }[] = []
  rows.forEach((row, at) => {
    const subject = subjectOf(row.name)
    if (row.kind === 'section') open.push({ subject, isUnclear: false })
    if (!isSum(row)) return
    const own = open.findLastIndex((each) => each.subject === subject)
    const isOwn = own < 0 && subject !== '' && isPlainTotal(row.name)
    if (isOwn && (last.get(open.at(-1)?.subject ?? '') ?? -1) > at) {
      headless.push(row.name)
      unclear.add(at)
      for (const each of open) each.isUnclear = true
      return
    }
    const isOutermost = open.length === 0 || row.kind === 'total'
    if (isOutermost ? unclear.size > 0 : open.at(own)?.isUnclear === true) unclear.add(at)
    open.length = row.kind === 'total' ? 0 : own >= 0 ? own : Math.max(open.length - 1, 0)
  })
  return { headless, unclear }
}

function debitsEqualCredits(statement: FullReport, findings: RuleFindings): void {
  if (statement.checks.findings.length > 0) return
  const difference = sumDecimals(trialBalances(statement, findings).map(({ debit }) => debit))
  if (isZero(difference) || findings.unreadable.size > 0) return
  findings.add(
    { key: 'trial-balance', name: 'Trial balance' },
    {
      severity: 'wrong',
      amount: difference,
      side: 'debit',
      detail: says`Total debits don’t equal total credits.`,
    },
  )
}

/** Returns whether liabilities and equity are written as negative amounts. Then nothing else is compared with them. */
function assetsEqualTheRest(statement: FullReport, findings: RuleFindings): boolean {
  if (statement.checks.findings.length > 0) return false
  const column = totalColumn(statement)
  let [difference, sum] = [ZERO, ZERO]
  for (const line of linesOf(statement)) {
    const side = sideOf(line)
    const amount = amountAt(line, column, findings)
    if (side === null) {
      findings.unchecked.add(`Bookbridge can’t tell which side of the balance sheet ${line.name} is on.`)
      return false
    }
    difference = addDecimals(difference, side === 'asset' ? amount : negateDecimal(amount))
    sum = addDecimals(sum, amount)
  }
  if (isZero(difference) || findings.unreadable.size > 0) return false
  if (isZero(sum)) {
    findings.unchecked.add('The balance sheet has liabilities and equity as negative amounts.')
    return true
  }
  findings.add(
    { key: 'balance-sheet', name: 'Balance sheet' },
    { severity: 'wrong', amount: difference, detail: says`Assets don’t equal liabilities plus equity.` },
  )
  return false
}

/** The number of months in a fiscal year up to the reviewed one. */
const MONTHS_INTO_YEAR = Array.from({ length: 12 }, (_, at) => at + 1)
const monthName = lazy(() => new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' }))

/** Returns whether the row of net income is known. Otherwise it would look like an account that is in one report only. */
function sameNetIncome(
  { month, fiscalYearStart }: Evidence,
  balanceSheet: FullReport,
  trialBalance: FullReport | null,
  lines: readonly MonthlyLine[],
  findings: RuleFindings,
): boolean {
  const column = totalColumn(balanceSheet)
  const earnedIn = (months: number): Decimal =>
    sumDecimals(
      lines.map(({ sign, amounts }) => {
        const amount = sumDecimals(amounts.slice(-months))
        return sign > 0 ? amount : negateDecimal(amount)
      }),
    )
  const earned = earnedIn(monthsIntoYear(month, fiscalYearStart))
  const line = linesOf(balanceSheet).find(({ name }) => isNetIncome(name))
  if (line === undefined && !isZero(earned)) {
    findings.unchecked.add('The balance sheet has no row for net income, so accounts were not compared.')
    return false
  }
  const stated = line === undefined ? ZERO : amountAt(line, column, findings)
  if (findings.unreadable.size > 0) return false
  if (compareDecimals(stated, earned) === 0) return true
  const ofYear = monthsIntoYear(month, fiscalYearStart)
  if (compareDecimals(stated, sumDecimals(lines.flatMap(({ amounts }) => amounts.slice(-ofYear)))) === 0) {
    findings.unchecked.add('Profit and loss has costs as negative amounts.')
    return false
  }
  const [since, ...others] = MONTHS_INTO_YEAR.filter(
    (months) => compareDecimals(stated, earnedIn(months)) === 0,
  )
  // The books may have begun in the year, so that more months have the same result.
  if (since !== undefined && others.length > 0) {
    findings.unchecked.add(
      `Net income on the balance sheet covers ${String(since)} months or more. If the fiscal year begins in a different month than is set, change that in the company’s details.`,
    )
    return false
  }
  if (since !== undefined) {
    const from = monthName().format(new Date(daysOfMonth(month, since - 1).from))
    findings.unchecked.add(
      `Net income on the balance sheet covers ${since === 1 ? 'this month' : `${String(since)} months`}. If the fiscal year begins in ${from}, set that in the company’s details.`,
    )
    return false
  }
  const more = subtractDecimals(stated, earned)
  if (
    trialBalance !== null &&
    (isFromRetained(more, balanceSheet, trialBalance, findings) ||
      isOfNearbyDays(more, trialBalance, lines, ofYear, findings))
  ) {
    findings.unchecked.add(
      'Net income on the balance sheet doesn’t begin on the first of a month. The fiscal year may not, either, so accounts were not compared.',
    )
    return false
  }
  findings.add(
    { key: 'net-income', name: 'Net income' },
    {
      severity: 'wrong',
      amount: subtractDecimals(stated, earned),
      detail: says`The balance sheet says ${{ amount: stated }}, but profit and loss since the start of the fiscal year comes to ${{ amount: earned }}.`,
      row: line ? rowOf(balanceSheet, line.row) : null,
    },
  )
  return true
}

/**
 * Whether exactly this net income is missing from retained earnings, which means that another day separates the two.
 */
function isFromRetained(
  more: Decimal,
  balanceSheet: FullReport,
  trialBalance: FullReport,
  findings: RuleFindings,
): boolean {
  const stated = sumDecimals(
    linesOf(balanceSheet)
      .filter(isRetained)
      .map((line) => amountAt(line, totalColumn(balanceSheet), findings)),
  )
  const debits = trialBalances(trialBalance, findings).flatMap((line) =>
    isRetained(line) ? [line.debit] : [],
  )
  if (debits.length === 0) return false
  return compareDecimals(more, subtractDecimals(negateDecimal(sumDecimals(debits)), stated)) === 0
}

/**
 * Whether the trial balance has the same net income as the balance sheet, and each account differs from profit and loss by a
 * part of the month before the fiscal year, or of its first month: a year of 52 weeks begins on a Sunday.
 * @param ofYear months of the fiscal year
 */
function isOfNearbyDays(
  more: Decimal,
  trialBalance: FullReport,
  lines: readonly MonthlyLine[],
  ofYear: number,
  findings: RuleFindings,
): boolean {
  const accounts = matchAccounts(linesOf(trialBalance), lines)
  const debits = sumsByKey(trialBalances(trialBalance, findings), ({ debit }) => debit)
  let sum = ZERO
  for (const line of lines) {
    const debit = (amount: Decimal): Decimal => (line.sign > 0 ? negateDecimal(amount) : amount)
    const stated = debit(sumDecimals(line.amounts.slice(-ofYear)))
    const difference = subtractDecimals(debits.get(accounts.keyOf(line)) ?? ZERO, stated)
    const before = debit(line.amounts.at(-ofYear - 1) ?? ZERO)
    const first = negateDecimal(debit(line.amounts.at(-ofYear) ?? ZERO))
    if (!isPartOf(difference, before) && !isPartOf(difference, first)) return false
    sum = addDecimals(sum, difference)
  }
  return compareDecimals(negateDecimal(sum), more) === 0
}

function isPartOf(part: Decimal, whole: Decimal): boolean {
  if (isZero(part)) return true
  return (
    isNegative(part) === isNegative(whole) &&
    compareDecimals(absoluteDecimal(part), absoluteDecimal(whole)) <= 0
  )
}

/** Compares accounts. An account that only one of the reports has counts as zero in the other. */
function sameAccounts(
  trialBalance: FullReport,
  stated: ReadonlyMap<string, { readonly line: Line; readonly debit: Decimal }>,
  unsure: ReadonlySet<string>,
  findings: RuleFindings,
): void {
  const lines = trialBalances(trialBalance, findings)
  if (findings.unreadable.size > 0) return
  const balances = sumsByKey(lines, ({ debit }) => debit)
  const rows = new Map(lines.map((line) => [line.key, line]))
  const keys = new Set([...balances.keys(), ...stated.keys()])
  const differing = [...keys].filter((key) => {
    const left = balances.get(key) ?? ZERO
    return compareDecimals(left, stated.get(key)?.debit ?? ZERO) !== 0
  })
  // If both reports have accounts that the other lacks, the names or periods differ, which isn't an error in
  // the books.
  const hasIds = [...rows.values()].some(({ row }) => row.id !== '')
  if (differing.length > 3 && differing.length * 2 > keys.size) {
    findings.unchecked.add(
      hasIds
        ? 'The trial balance seems to cover another period than the statements, so accounts were not compared.'
        : 'The trial balance names accounts differently from the statements, so they were not compared.',
    )
    return
  }
  const other = new Set(otherNames(differing, rows, stated, unsure))
  if (other.size > 0) {
    const names = [...other].map((key) => (rows.get(key) ?? stated.get(key)?.line)?.name ?? key)
    findings.unchecked.add(notCompared(names, 'The reports may name them differently.'))
  }
  for (const key of differing) {
    if (other.has(key)) continue
    const left = balances.get(key) ?? ZERO
    const right = stated.get(key)?.debit ?? ZERO
    const line = rows.get(key) ?? stated.get(key)?.line
    if (line === undefined) continue
    findings.add(
      { key: `account|${key}`, name: line.name },
      {
        severity: 'wrong',
        amount: subtractDecimals(left, right),
        side: 'debit',
        detail: says`The trial balance says ${{ amount: left }}, but the statements say ${{ amount: right }} (debits positive).`,
        row: rows.has(key) ? rowOf(trialBalance, line.row) : null,
      },
    )
  }
}

/** Returns differing accounts without IDs that may be the same under two names. */
function otherNames(
  differing: readonly string[],
  rows: ReadonlyMap<string, Line>,
  stated: ReadonlyMap<string, { readonly line: Line }>,
  unsure: ReadonlySet<string>,
): readonly string[] {
  const hasId = (key: string): boolean => (rows.get(key) ?? stated.get(key)?.line)?.row.id !== ''
  const isOnlyIn = (
    one: ReadonlyMap<string, unknown>,
    other: ReadonlyMap<string, unknown>,
  ): readonly string[] => differing.filter((key) => one.has(key) && !other.has(key) && !hasId(key))
  const [left, right] = [isOnlyIn(rows, stated), isOnlyIn(stated, rows)]
  const pairs = left.length > 0 && right.length > 0 ? [...left, ...right] : []
  return [...pairs, ...differing.filter((key) => unsure.has(key))]
}

/** Receivables on the balance sheet must equal the total of the aging report. */
export function receivablesAgree(evidence: Evidence, findings: RuleFindings): void {
  const balanceSheet = requireRead(evidence.statement('balance-sheet'))
  const aging = requireRead(evidence.statement('receivables'))
  const currency = requireOneCurrency(aging)
  const accounts = evidence.list('accounts')
  const recordOf = recordFinder(evidence, accounts.ok ? accounts.value : [])
  const column = totalColumn(balanceSheet)
  const all = linesOf(balanceSheet)
  // If sections have no ends, a section of receivables would contain everything that follows.
  const hasEnds = !all.some(({ isUnplaced }) => isUnplaced)
  const lines = all.filter((line) => {
    const type = recordOf(line)?.type ?? ''
    if (isKnownType(type)) return isType(type, 'accountsreceivable')
    return [...(hasEnds ? line.sections : []), line.name.toLowerCase()].some((name) =>
      /\baccounts? receivables?\b|\(a\/r\)|\bdebtors\b/.test(name),
    )
  })
  const stated = sumDecimals(lines.map((line) => amountAt(line, column, findings)))
  const aged = sumDecimals(linesOf(aging).map(createBalanceReader(aging, findings)))
  // The balance sheet may omit accounts without a balance. An account of an unknown type could be receivable.
  const areTypesKnown = accounts.ok && accounts.value.every(({ type }) => isKnownType(type))
  if (!hasEnds && !areTypesKnown) {
    throw new NotCheckedError('The balance sheet doesn’t show where its sections end.')
  }
  if (lines.length === 0 && !areTypesKnown) {
    throw new NotCheckedError('The balance sheet has no account that is known to hold receivables.')
  }
  if (compareDecimals(stated, aged) === 0 || findings.unreadable.size > 0) return
  if (currency !== '' && currency !== homeCurrency(accounts.ok ? accounts.value : [])) {
    throw new NotCheckedError(
      `The aging report is in ${currency}, and the balance sheet may be in another currency.`,
    )
  }
  findings.add(
    { key: 'receivables', name: lines[0]?.name ?? 'Accounts receivable' },
    {
      severity: 'wrong',
      amount: subtractDecimals(stated, aged),
      side: 'debit',
      detail: says`The balance sheet says ${{ amount: stated }}, but ${reportTitle(aging.name).toLowerCase()} comes to ${{ amount: aged }}.`,
      row: lines[0] ? rowOf(balanceSheet, lines[0].row) : null,
    },
  )
}

/**
 * Returns the currency of the accounts that have no other than the company’s; US dollars if no account has one, and empty
 * if it isn’t known.
 */
function homeCurrency(accounts: readonly ListedRecord[]): string {
  const those = accounts.filter(({ type }) => isProfitAndLoss(type) || isType(type, 'equity'))
  if (accounts.every((each) => each.currency === '')) return 'USD'
  const written = those.map((each) => each.currency).filter((each) => each !== '')
  const [currency = '', ...others] = new Set(written.map(currencyCode))
  return others.length === 0 ? currency : ''
}

/** Whether an amount is what profit and loss has for the month, or for as many before it. */
function isResultOf({ statement, month }: Evidence, amount: Decimal, from = -1, to?: number): boolean {
  const result = resultIn(statement('profit-and-loss'), month, from, to)
  return result !== null && compareDecimals(result, amount) === 0
}

/**
 * Returns net income of some months of a profit and loss; `null` if it isn’t known.
 * @param month the last one of the report
 * @param from where the months begin and end, counted from the end of the report
 */
function resultIn(read: ReadResult<FullReport>, month: string, from: number, to?: number): Decimal | null {
  if (!read.ok || (monthColumns(read.value, month)?.length ?? 0) < -from) return null
  const findings = new RuleFindings('earlier-years')
  const results = monthlyLines(read.value, month, findings).map(({ sign, amounts }) => {
    const sum = sumDecimals(amounts.slice(from, to))
    return sign > 0 ? sum : negateDecimal(sum)
  })
  return findings.unchecked.size + findings.unreadable.size === 0 ? sumDecimals(results) : null
}

function isRetained({ name }: Pick<Line, 'name'>): boolean {
  return /\bretained earnings\b|\baccumulated (?:earnings|deficit|surplus)\b/i.test(name)
}

/** What nonprofits have in place of retained earnings. */
function isNetAssets({ name }: Pick<Line, 'name'>): boolean {
  return /^[\d\s\W]*net assets$|\bunrestricted net assets\b|\bnet assets without donor restrictions?\b/i.test(
    name,
  )
}

/**
 * Retained earnings may only change at the start of a fiscal year, by the result of the previous year. A changed entry of a
 * closed year is in both balance sheets of one reading, so they are compared with an earlier reading, too. What that finds
 * stays while it is open, even if the earlier month is read again, until the amount is back.
 */
export function earlierYears(evidence: Evidence, findings: RuleFindings): void {
  const open = openSince(evidence)
  const carried = noteIfNotChecked(findings, () => changedInMonth(evidence, findings))
  if (carried !== null && !evidence.isFirstReading)
    noteIfNotChecked(findings, () => {
      changedSinceRead(evidence, carried, open, findings)
    })
  const isFound = findings.findings.some(({ key }) => isSince(key))
  if (open === null || isFound || isReverted(open, carried)) return
  const since =
    carried === null ? null : canonicalDecimal(subtractDecimals(carried.expected, open.kept.amount))
  if (carried === null || since === open.finding.amount) findings.findings.push(open.finding)
  else addSince(evidence, carried, open.kept, [], findings)
}

/** The retained earnings of an earlier reading. At the end of a fiscal year, its net income is part of the amount. */
interface KeptRetained extends NonNullable<Finding['kept']> {
  readonly amount: Decimal
  readonly original?: Decimal
}

/** A change since an earlier reading that the last review found and nobody accepted. */
interface OpenSince {
  readonly finding: Finding
  readonly kept: KeptRetained
}

function isSince(key: string): boolean {
  return key.startsWith('earlier-years|since|')
}

function openSince(evidence: Evidence): OpenSince | null {
  const finding = evidence.openBefore('earlier-years').find(({ key }) => isSince(key))
  if (finding?.kept === undefined) return null
  const { to, isYearEnd, isProvisional = false } = finding.kept
  const amount = parseDecimal(finding.kept.amount)
  const original = parseDecimal(finding.kept.original ?? '') ?? undefined
  // Expected adjustments may have been entered before the year was reviewed.
  if (isProvisional && !evidence.isPriorYearOpen) return null
  // The fiscal year may have been set to begin in another month.
  if (amount === null || isYearEnd !== endsPriorYear(evidence, to)) return null
  return { finding, kept: { amount, to, isYearEnd, ...(original && { original }) } }
}

function isReverted({ kept: { amount, original = amount } }: OpenSince, carried: Carried | null): boolean {
  return carried !== null && [amount, original].some((each) => compareDecimals(carried.expected, each) === 0)
}

/** What the month began with, by the balance sheet of the month before. */
interface Carried {
  /** Retained earnings. */
  readonly expected: Decimal
  readonly line: Line
  readonly before: FullReport
  readonly earlier: Retained
  /** Whether the month’s own change may come from closing equity accounts. */
  readonly isClosedNow: boolean
}

/** Returns `null` if an amount can’t be read. */
function changedInMonth(evidence: Evidence, findings: RuleFindings): Carried | null {
  const now = requireRead(evidence.statement('balance-sheet'))
  const before = requireRead(evidence.statement('balance-sheet-1'))
  const isEmpty = (line: Line): boolean => isZero(amountAt(line, totalColumn(before), findings))
  if (linesOf(before).every(isEmpty))
    throw new NotCheckedError('The balance sheet of the month before has no amounts.')
  const retainedIn = (statement: FullReport): Retained => retainedEarnings(statement, findings)
  const [current, earlier] = [retainedIn(now), retainedIn(before)]
  const line = current.line ?? earlier.line
  if (line === undefined) throw new NotCheckedError('The balance sheet has no account for retained earnings.')
  const isNewYear = monthsIntoYear(evidence.month, evidence.fiscalYearStart) === 1
  if (isNewYear && !earlier.hasResult) {
    throw new NotCheckedError('The balance sheet of the month before has no row for net income.')
  }
  const expected = isNewYear ? addDecimals(earlier.retained, earlier.result) : earlier.retained
  const difference = subtractDecimals(current.retained, expected)
  if (findings.unreadable.size > 0) return null
  // Whether the month’s own change may come from closing equity accounts.
  let isClosedNow = false
  if (!isZero(difference)) {
    const change = subtractDecimals(
      addDecimals(current.retained, current.result),
      addDecimals(earlier.retained, earlier.result),
    )
    if (isResultOf(evidence, change)) {
      throw new NotCheckedError(
        'Net income was moved to retained earnings on another day than at the start of the fiscal year. If it begins in another month, set that in the company’s details.',
      )
    }
    const equity = withEarlier(evidence, before, otherEquity(before, now, findings))
    const closed = namesOf(closedAccounts(equity, difference, isNewYear))
    const mayBeClosed = closed.length > 0 ? [] : mayBeClosedTo(evidence, equity, difference, isNewYear)
    isClosedNow = closed.length + mayBeClosed.length > 0
    const more = { amount: absoluteDecimal(difference) }
    const detail = (): Sentence => {
      if (closed.length > 0)
        return says`Retained earnings changed by ${isNewYear ? 'last year’s net income and by ' : ''}${more}, which other equity balances offset: ${joinNames(closed, 3)}.`
      if (mayBeClosed.length > 0)
        return says`${isNewYear ? 'Retained earnings changed by last year’s net income, and' : 'Retained earnings'} went down by ${more}${isNewYear ? ' more' : ''}. This may come from closing equity accounts: ${joinNames(mayBeClosed, 3)}.`
      if (isNewYear)
        return says`Retained earnings should change only by last year’s net income. They changed by ${more} more.`
      if (!isZero(earlier.result) && compareDecimals(difference, earlier.result) === 0)
        return says`Net income of ${{ amount: earlier.result }} was moved to retained earnings, as when a fiscal year begins. If it begins this month, set that in the company’s details.`
      return says`Retained earnings changed during the fiscal year, from ${{ amount: expected }} to ${{ amount: current.retained }}.`
    }
    findings.add(
      { key: line.key, name: line.name },
      {
        severity: isClosedNow ? 'check' : 'wrong',
        amount: difference,
        side: 'credit',
        detail: detail(),
        row: rowOf(current.line ? now : before, line.row),
      },
    )
  }
  return { expected, line, before, earlier, isClosedNow }
}

/** Compares what the month began with to what was kept of the last earlier month. */
function changedSinceRead(
  evidence: Evidence,
  carried: Carried,
  open: OpenSince | null,
  findings: RuleFindings,
): void {
  const { expected, before, earlier, isClosedNow } = carried
  const kept = requireLastKept(evidence, earlier.result)
  const then = retainedEarnings(kept.statement, findings)
  const brought = kept.isYearEnd ? addDecimals(then.retained, then.result) : then.retained
  const since = subtractDecimals(expected, brought)
  if (isZero(since) || findings.unreadable.size > 0) return
  const wasReverted = open !== null && isReverted(open, carried)
  // The earlier month was read again.
  if (open !== null && !wasReverted && compareDecimals(brought, open.kept.amount) !== 0) return
  if (evidence.isPriorYearOpen && isOfYearEnd(evidence, kept, since)) return
  // On the same day, closing equity accounts changes no net income.
  const isOfResult = kept.statement.to === before.to && compareDecimals(then.result, earlier.result) !== 0
  const closed = isOfResult
    ? []
    : closedSince(evidence, kept, before, { expected, since, isClosedNow }, findings)
  const { isYearEnd } = kept
  const original = wasReverted ? { original: expected } : {}
  const bringing = { amount: brought, to: kept.statement.to, isYearEnd, ...original }
  addSince(evidence, carried, bringing, closed, findings)
}

/** @param closed the names of accounts whose closing may explain the change */
function addSince(
  evidence: Evidence,
  { expected, line, before, earlier }: Carried,
  kept: KeptRetained,
  closed: readonly string[],
  findings: RuleFindings,
): void {
  const isProvisional = closed.length === 0 && evidence.isPriorYearOpen
  findings.add(
    { key: `since|${line.key}`, name: line.name },
    {
      severity: closed.length > 0 || isProvisional ? 'check' : 'wrong',
      amount: subtractDecimals(expected, kept.amount),
      side: 'credit',
      kept: { ...kept, isProvisional },
      detail: [
        ...says`${kept.isYearEnd ? 'Retained earnings with last year’s net income' : 'Retained earnings'} were ${{ amount: kept.amount }} when the month through ${{ date: kept.to }} was read. Now they are ${{ amount: expected }}.`,
        ...(closed.length > 0
          ? says` This may come from closing equity accounts: ${joinNames(closed, 3)}.`
          : isProvisional
            ? mayBeAdjusted(evidence)
            : []),
      ],
      row: earlier.line ? rowOf(before, earlier.line.row) : null,
    },
  )
}

function lastDayOfPriorYear({ month, fiscalYearStart }: Evidence): string {
  return daysOfMonth(lastMonthOfPriorYear(month, fiscalYearStart)).to
}

/** Whether exactly this changed in net income of the last month of the fiscal year before. */
function isOfYearEnd(evidence: Evidence, { statement: { to } }: KeptStatement, since: Decimal): boolean {
  const { statement, month } = evidence
  const last = lastDayOfPriorYear(evidence)
  const resultBy = (read: ReadResult<FullReport>, until: string): Decimal | null => {
    const months = monthsBetween(last, until)
    return resultIn(read, until.slice(0, 7), -months, 1 - months || undefined)
  }
  const then = resultBy(statement('last-kept-profit-and-loss'), to)
  const now = resultBy(statement('profit-and-loss'), daysOfMonth(month).to)
  return then !== null && now !== null && compareDecimals(subtractDecimals(now, then), since) === 0
}

function mayBeAdjusted(evidence: Evidence): Sentence {
  const to = lastDayOfPriorYear(evidence)
  return says` ${monthHeading(to)} isn’t reviewed or closed, so this may come from year-end adjustments. Look for entries dated ${{ date: to }} or earlier that were added or changed after that reading.`
}

/** An account of equity other than retained earnings, with its balances before and now. */
interface EquityAccount {
  readonly key: string
  readonly name: string
  readonly before: Decimal
  readonly now: Decimal
  /** The balance a month before. */
  readonly earlier?: Decimal
}

const DRAWS =
  /\bdraw(?:s|ings?)?\b|\bdistributions?\b|\bdividends?\b|\bwithdrawals?\b|\bowner.?s pay\b|\bpersonal expenses\b/i

function isDraws({ name }: { readonly name: string }): boolean {
  return DRAWS.test(name)
}

function namesOf(accounts: readonly EquityAccount[]): readonly string[] {
  return accounts.map(({ name }) => name)
}

/** Whether a balance is nearer to zero than it was. */
function hasFallen({ before, now }: EquityAccount): boolean {
  return compareDecimals(absoluteDecimal(now), absoluteDecimal(before)) < 0
}

/** Whether a balance changed by at least as much as is left. */
function isMostlyGone({ before, now }: EquityAccount): boolean {
  return compareDecimals(absoluteDecimal(now), absoluteDecimal(subtractDecimals(before, now))) <= 0
}

function otherEquity(before: FullReport, now: FullReport, findings: RuleFindings): readonly EquityAccount[] {
  const accounts = new Map<string, EquityAccount>()
  for (const statement of [before, now]) {
    const column = totalColumn(statement)
    for (const line of linesOf(statement)) {
      const isEquity = line.sections.some((each) => /\bequity\b/i.test(each) && !/\bliabilit/i.test(each))
      if (!isEquity || isRetained(line) || isNetAssets(line) || isNetIncome(line.name)) continue
      const known = accounts.get(line.key) ?? { key: line.key, name: line.name, before: ZERO, now: ZERO }
      const at = statement === now ? 'now' : 'before'
      const sum = addDecimals(known[at], amountAt(line, column, findings))
      accounts.set(line.key, { ...known, [at]: sum })
    }
  }
  return [...accounts.values()]
}

/** Adds the balances of two months before, if they were read. Draws of then may be closed in the middle of a month. */
function withEarlier(
  { statement }: Evidence,
  before: FullReport,
  equity: readonly EquityAccount[],
): readonly EquityAccount[] {
  const earlier = statement('balance-sheet-2')
  if (!earlier.ok) return equity
  const balances = otherEquity(earlier.value, before, new RuleFindings('earlier-years'))
  return equity.map((each) => {
    const known = balances.find(({ key }) => key === each.key)
    return known === undefined ? each : { ...each, earlier: known.before }
  })
}

/**
 * Returns the accounts that were closed to retained earnings, or these to them: other equity as a year begins, or draws at
 * any time. They offset its change, except for one account with contributions. Draws may also have been closed as they were
 * before, and others posted since.
 */
function closedAccounts(
  equity: readonly EquityAccount[],
  difference: Decimal,
  isNewYear: boolean,
): readonly EquityAccount[] {
  const changed = equity.filter(({ before, now }) => compareDecimals(before, now) !== 0)
  const [draws, all] = [changed.filter(isDraws), isNewYear ? changed.filter((each) => !isDraws(each)) : []]
  const earlier = draws.filter((each) => hasFallen(each) && !isZero(each.earlier ?? ZERO))
  const changeOf = ({ before, now }: EquityAccount): Decimal => subtractDecimals(before, now)
  const amounts = [
    { closed: draws, amount: sumDecimals(draws.map(changeOf)) },
    { closed: draws, amount: sumDecimals(draws.map(({ before }) => before)) },
    { closed: earlier, amount: sumDecimals(earlier.map((each) => each.earlier ?? ZERO)) },
    { closed: [], amount: ZERO },
  ]
  const others = [all, ...all.map((left) => all.filter((each) => each !== left)), []]
  for (const { closed, amount } of amounts) {
    for (const those of others) {
      const accounts = [...closed, ...those]
      const sum = sumDecimals([amount, ...those.map(changeOf)])
      if (accounts.length > 0 && compareDecimals(sum, difference) === 0) return accounts
    }
  }
  return []
}

/** Returns the names of accounts that may have been closed to retained earnings, though other entries hide it. */
function mayBeClosedTo(
  evidence: Evidence,
  equity: readonly EquityAccount[],
  difference: Decimal,
  isNewYear: boolean,
): readonly string[] {
  // As a year begins, retained earnings may be moved to an account with contributions.
  const draws = equity.filter((each) => isDraws(each) && hasFallen(each) && isMostlyGone(each))
  const grown = equity.filter((each) => !isDraws(each) && compareDecimals(each.now, each.before) > 0)
  const rest = subtractDecimals(sumDecimals(draws.map(({ before }) => before)), difference)
  const growth = sumDecimals(grown.map(({ before, now }) => subtractDecimals(now, before)))
  const isMoved = draws.length > 0 && !isNegative(rest) && compareDecimals(rest, growth) <= 0
  return isNewYear && isMoved
    ? namesOf([...draws, ...grown])
    : drawsClosedAtOnce(evidence, equity, difference)
}

/**
 * Returns the names of accounts that may have been closed to retained earnings since a month was read. An entry that moved
 * between them changes a prior year, so draws must be closed as they were, or most of them must be gone.
 * @param expected retained earnings now, `since`, their change, and `isClosedNow`, whether draws were also closed this month
 */
function closedSince(
  evidence: Evidence,
  kept: KeptStatement,
  before: FullReport,
  {
    expected,
    since,
    isClosedNow,
  }: { readonly expected: Decimal; readonly since: Decimal; readonly isClosedNow: boolean },
  findings: RuleFindings,
): readonly string[] {
  if (!isNegative(since)) return []
  const equity = otherEquity(kept.statement, before, findings)
  const closed = closedAccounts(
    equity.map((each) => (isDraws(each) && !isMostlyGone(each) ? { ...each, now: ZERO } : each)),
    since,
    kept.isYearEnd,
  )
  if (isZero(expected) || closed.some(isDraws)) return namesOf(closed)
  // Draws may be closed in each of several months.
  const isOfSeveral = monthsBetween(kept.statement.to, before.to) > 1
  return isOfSeveral && isClosedNow ? drawsClosedAtOnce(evidence, equity, since) : []
}

/** Returns the accounts of draws that may have been posted and closed to retained earnings within the month. */
function drawsClosedAtOnce(
  { ledger, list }: Evidence,
  equity: readonly EquityAccount[],
  difference: Decimal,
): readonly string[] {
  const draws = equity.filter(isDraws)
  const before = sumDecimals(draws.map((each) => each.before))
  if (compareDecimals(difference, ZERO) >= 0 || compareDecimals(difference, before) > 0) return []
  if (draws.some(({ now }) => !isZero(now))) return []
  const accounts = list('accounts')
  const listed = accounts.ok ? accounts.value.filter(({ type }) => isType(type, 'equity')) : []
  // The balance sheet may omit accounts without a balance.
  const posted = ledger.ok ? ledger.value.accounts : [...draws, ...listed]
  return [...new Set(posted.filter(isDraws).map(({ name }) => name))]
}

interface Retained {
  /** The first account of retained earnings. */
  readonly line: Line | undefined
  readonly retained: Decimal
  /** Net income. */
  readonly result: Decimal
  readonly hasResult: boolean
}

function retainedEarnings(statement: FullReport, findings: RuleFindings): Retained {
  const column = totalColumn(statement)
  const lines = linesOf(statement)
  const sum = (those: readonly Line[]): Decimal =>
    sumDecimals(those.map((each) => amountAt(each, column, findings)))
  const named = lines.filter(isRetained)
  const retained = named.length > 0 ? named : lines.filter(isNetAssets)
  const results = lines.filter(({ name }) => isNetIncome(name))
  return {
    line: retained[0],
    retained: sum(retained),
    result: sum(results),
    hasResult: results.length > 0,
  }
}

interface KeptStatement {
  readonly statement: FullReport
  /** Whether its month is the last of the fiscal year before. */
  readonly isYearEnd: boolean
}

/**
 * Returns the balance sheet of the last month that was read before, if its retained earnings are still those of this
 * month’s fiscal year, or become them with its net income.
 * @param result net income at the end of the month before
 */
function requireLastKept(evidence: Evidence, result: Decimal): KeptStatement {
  const { month, fiscalYearStart } = evidence
  const statement = requireRead(evidence.statement('last-kept'))
  const monthsAgo = monthsBetween(statement.to, month) - 1
  const months = monthsIntoYear(month, fiscalYearStart)
  if (monthsAgo > months) {
    throw new NotCheckedError(
      `The last month that was read, ${monthHeading(statement.to)}, is in an earlier fiscal year, so retained earnings were not compared with it.`,
    )
  }
  // With a month between, a fiscal year that begins in another month would look like a change.
  if (monthsAgo > 1 && !isResultOf(evidence, result, -months, -1)) {
    throw new NotCheckedError(
      `Net income of the month before isn’t that of the fiscal year so far, so retained earnings were not compared with those of ${monthHeading(statement.to)}.`,
    )
  }
  return { statement, isYearEnd: endsPriorYear(evidence, statement.to) }
}

/** Whether a day is in the last month of the fiscal year before. */
function endsPriorYear({ month, fiscalYearStart }: Evidence, day: string): boolean {
  return day.slice(0, 7) === lastMonthOfPriorYear(month, fiscalYearStart)
}
