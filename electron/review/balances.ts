/** Rules about single balances at the end of the month. */
import { says } from '../../shared/format/format.ts'
import {
  absoluteDecimal,
  compareDecimals,
  type Decimal,
  isNegative,
  isZero,
  multiplyDecimals,
  parseDecimal,
  subtractDecimals,
} from '../../shared/format/money.ts'
import { joinAlternatives } from '../../shared/format/text.ts'
import type { Source } from '../../shared/review/rules.ts'
import { accountPath, lastName } from './account-names.ts'
import type { Evidence, FullReport, LedgerAccount } from './evidence/evidence.ts'
import {
  amountAt,
  apartBy,
  isKnownType,
  isProfitAndLoss,
  isType,
  type Line,
  linesOf,
  positiveSide,
  recordFinder,
  requireNamed,
  sideOfType,
  sumsByKey,
  totalColumn,
  trialBalances,
  withOwnKeys,
  ZERO,
} from './evidence/lines.ts'
import { monthColumns } from './evidence/month-columns.ts'
import { notCompared, readOrNote, requireRead, rowOf, type RuleFindings, RuleOffError } from './findings.ts'

/**
 * Words that name an account for temporary amounts, unless it is one of income, costs, or fixed assets: *Land
 * clearing*.
 */
const PASSING = ['clearing']

/** Whether an account is of a type whose amounts stay. */
function isLasting(type: string): boolean {
  return isProfitAndLoss(type) || isType(type, 'fixedasset')
}

/**
 * Whether an account is for amounts that have yet to be assigned elsewhere, such as a suspense account.
 * @param isOfLasting whether it is an account of income, costs, or fixed assets
 */
export function shouldBeEmpty(name: string, words: readonly string[], isOfLasting = false): boolean {
  const text = name.toLowerCase()
  return words
    .map((word) => word.trim().toLowerCase())
    .some((word) => word !== '' && text.includes(word) && !(isOfLasting && PASSING.includes(word)))
}

export function emptyAccounts(evidence: Evidence, findings: RuleFindings): void {
  const statement = requireRead(evidence.statement('trial-balance'))
  const { emptyAccounts: words } = evidence.settings
  if (words.length === 0) throw new RuleOffError('No words are set for accounts that should be empty.')
  const lines = trialBalances(statement, findings)
  const list = evidence.list('accounts')
  const accounts = list.ok ? list.value : []
  const accountOf = recordFinder(evidence, accounts)
  const apart = apartBy(lines, accounts)
  const isWanted = ({ name, type }: { readonly name: string; readonly type: string }): boolean =>
    shouldBeEmpty(name, words, isLasting(type))
  requireNamed(evidence, lines, isWanted, `No account has a name like ${quoted(words)}.`)
  for (const line of lines) {
    if (isZero(line.debit) || !isWanted({ name: line.name, type: accountOf(line)?.type ?? '' })) continue
    findings.add(
      { key: line.key, name: line.name, apart: apart(line) },
      {
        severity: 'likely',
        amount: line.debit,
        side: 'debit',
        detail: isNegative(line.debit) ? says`A credit balance.` : says`A debit balance.`,
        row: rowOf(statement, line.row),
      },
    )
  }
}

/** *“loan”, “mortgage”, or “sales tax”* */
function quoted(words: readonly string[]): string {
  return joinAlternatives(words.map((word) => `“${word}”`))
}

export function undepositedFunds(evidence: Evidence, findings: RuleFindings): void {
  const isUndeposited = ({ name }: { readonly name: string }): boolean =>
    /\bundeposited\b|\bpayments to deposit\b/i.test(name)
  const statement = requireRead(evidence.statement('balance-sheet'))
  const { balances, lines: linesIn } = balanceSheets(
    evidence,
    ['balance-sheet', 'balance-sheet-1', 'balance-sheet-2'],
    findings,
  )
  const lines = linesIn(statement)
  const names = ['undeposited funds', 'payments to deposit']
  requireNamed(evidence, lines, isUndeposited, `No account has a name like ${quoted(names)}.`)
  const amounts = balances(statement)
  const wanted = new Map(lines.filter(isUndeposited).map((line) => [line.key, line]))
  for (const [key, line] of wanted)
    undepositedIn({
      evidence,
      statement,
      line,
      amount: amounts.get(key) ?? ZERO,
      balances,
      findings,
    })
}

interface UndepositedAccount {
  readonly evidence: Evidence
  readonly statement: FullReport
  readonly line: Line
  readonly amount: Decimal
  readonly balances: Balances
  readonly findings: RuleFindings
}

function undepositedIn({ evidence, statement, line, amount, balances, findings }: UndepositedAccount): void {
  if (isZero(amount)) return
  // If the amount was never lower at the end of a month, it is at least that old.
  let since = statement.to
  let isSure = true
  for (const source of ['balance-sheet-1', 'balance-sheet-2'] as const) {
    const earlier = readOrNote(evidence.statement(source), findings)
    isSure = earlier !== null
    if (earlier === null) break
    const before = balances(earlier).get(line.key) ?? ZERO
    if (isZero(before) || isNegative(before) !== isNegative(amount)) break
    since = earlier.to
  }
  const isOld = since !== statement.to
  findings.add(
    { key: line.key, name: line.name },
    {
      severity: isOld ? 'likely' : 'check',
      amount,
      side: 'debit',
      detail: isOld
        ? says`It has had a balance since at least ${{ date: since }}.`
        : isSure
          ? says`There was no balance at the end of the month before.`
          : says`Bookbridge can’t tell how long it has been there.`,
      row: rowOf(statement, line.row),
    },
  )
}

/** Names of accounts that reduce an asset. */
const REDUCES_ASSET =
  /\bacc(?:um(?:ulated)?)?\.? ?(?:dep|amort|impair)\w*|\baccum(?:ulated|\.)?\b|\ba\/d\b|\bdep(?:n|r|reciation)\b|\bamort(?:i[sz]ation)?\b/i
const REDUCES_RECEIVABLES = /\ballowance\b|\breserve for\b/i
/**
 * Names of accounts that may reduce an asset or a liability, or not: *Inventory Reserve*, *Unamortized Loan Costs*. A
 * *Debt Service Reserve* is an asset, and *Deferred Revenue* a liability.
 */
const MAY_REDUCE_ASSET =
  /\b(?:inventory|stock|obsolescence|valuation|impairment|(?:credit|loan)(?: loss(?:es)?)?|receivables?|returns?) reserves?\b|\b(?:reserves?|provisions?) for\b|\bdoubtful\b|\bbad debts?\b|\ballowances?\b|\bimpairments?$/i
const MAY_REDUCE_LIABILITY =
  /\bunamorti[sz]ed\b|\bdiscounts? on\b|\b(?:notes?|bonds?|loans?|debt|mortgages?)\b.*\bdiscounts?$|\b(?:origination|issu(?:e|ance)|financing|loan|debt|closing) (?:costs?|fees?)\b(?! payable)/i

/** Returns the side of an account’s usual balance; `null` if it may be on either. */
function usualSide(name: string, type: string): 'debit' | 'credit' | null {
  const side = sideOfType(type)
  if (side === 'credit') return MAY_REDUCE_LIABILITY.test(name) ? null : side
  if (side === null || isType(type, 'bank')) return side
  const isLong = isType(type, 'fixedasset', 'otherasset')
  if ((isLong ? REDUCES_ASSET : REDUCES_RECEIVABLES).test(name)) return 'credit'
  return MAY_REDUCE_ASSET.test(name) || REDUCES_ASSET.test(name) ? null : side
}

export function wrongSide(evidence: Evidence, findings: RuleFindings): void {
  const statement = requireRead(evidence.statement('trial-balance'))
  const accounts = requireRead(evidence.list('accounts'))
  const accountOf = recordFinder(evidence, accounts)
  const lines = trialBalances(statement, findings)
  const apart = apartBy(lines, accounts)
  for (const line of lines) {
    const type = accountOf(line)?.type ?? ''
    if (!isKnownType(type)) {
      if (!isZero(line.debit)) findings.unchecked.add(`The type of ${line.name} is unknown.`)
      continue
    }
    // Accounts that should be empty belong to another rule.
    if (isZero(line.debit) || shouldBeEmpty(line.name, evidence.settings.emptyAccounts, isLasting(type)))
      continue
    const isCredit = isNegative(line.debit)
    const usual = usualSide(line.name, type)
    if (usual !== (isCredit ? 'debit' : 'credit')) continue
    findings.add(
      { key: line.key, name: line.name, apart: apart(line) },
      {
        severity: isType(type, 'bank', 'creditcard') ? 'likely' : 'check',
        amount: line.debit,
        side: 'debit',
        detail:
          usual !== sideOfType(type)
            ? says`A contra asset with a debit balance.`
            : isCredit
              ? says`An asset with a credit balance.`
              : says`A liability with a debit balance.`,
        row: rowOf(statement, line.row),
      },
    )
  }
}

const MOVES =
  /\bloans?\b|\bnotes? payable\b|\bmortgage\b|\bline of credit\b|\bpayroll (?:tax|liabilit)|\bwithholding|\bsales tax\b|\b(?:vat|gst|hst)\b/i

/** Accounts that should move, but that may be posted and paid only once a quarter. */
const QUARTERLY = /\bsales tax\b|\b(?:vat|gst|hst)\b/i

/** Accounts that should move, but that may have the same balance every month, because as much is posted as is paid. */
const ACCRUES = /\bpayroll\b|\bwithholding|\btax\b|\b(?:vat|gst|hst)\b/i

/** Unemployment tax is paid once a quarter or a year, and isn’t posted once wages pass its limit. */
const UNEMPLOYMENT = /\b(?:futa|suta|sui|unemployment)\b/i

/** What an account may have beside unemployment tax, and is paid every month. */
const OTHER_PAYROLL = /\bwithh|\bincome tax|\b941\b|\bfica\b|\bmedicare\b|\bincl/i

function isUnemployment(account: string): boolean {
  const name = lastName(account)
  return UNEMPLOYMENT.test(name) && !OTHER_PAYROLL.test(name)
}

export function standsStill(evidence: Evidence, findings: RuleFindings): void {
  const now = requireRead(evidence.statement('balance-sheet'))
  const before = requireRead(evidence.statement('balance-sheet-1'))
  const earlier = requireRead(evidence.statement('balance-sheet-2'))
  const accounts = readOrNote(evidence.list('accounts'), findings) ?? []
  const accountOf = recordFinder(evidence, accounts)
  if (accounts.some(({ type }) => !isKnownType(type))) {
    findings.unchecked.add(
      'The types of some accounts are unknown, so loans were recognized only by their names.',
    )
  }
  const isLoan = (type: string): boolean => isType(type, 'longtermliability')
  const { balances, lines: linesIn } = balanceSheets(
    evidence,
    ['balance-sheet', 'balance-sheet-1', 'balance-sheet-2', 'balance-sheet-12'],
    findings,
  )
  const lines = linesIn(now)
  requireNamed(
    evidence,
    lines,
    ({ name, type }) => MOVES.test(name) || isLoan(type),
    `No account has a name like ${quoted(['loan', 'mortgage', 'payroll liabilities', 'sales tax'])}, and none is a long-term liability.`,
  )
  const wanted = new Map(
    lines
      .filter((line) => MOVES.test(line.name) || isLoan(accountOf(line)?.type ?? ''))
      .filter(({ name }) => !isUnemployment(name))
      .map((line) => [line.key, line]),
  )
  const postingTo = evidence.ledger.ok ? postingFinder(evidence.ledger.value.accounts, lines) : null
  const paysWages = postingTo === null && hasWages(evidence)
  const yearAgo = readOrNote(evidence.statement('balance-sheet-12'), findings)
  if (yearAgo === null) return
  const sums = [now, before, earlier, yearAgo].map(balances)
  const unsure: string[] = []
  const irregular: string[] = []
  const quarterly: string[] = []
  const unclear: string[] = []
  for (const [key, line] of wanted) {
    const [amount, previous, last, first] = sums.map((each) => each.get(key) ?? ZERO)
    if (amount === undefined || previous === undefined || last === undefined || first === undefined) continue
    if (isZero(amount) || compareDecimals(amount, previous) !== 0) continue
    const posting = postingTo?.(line) ?? 'none'
    if (posting === 'posted') continue
    const accrues = MOVES.test(line.name) && ACCRUES.test(line.name)
    const isQuarterly = accrues && QUARTERLY.test(line.name)
    const isSteady = postingTo === null && accrues && !isQuarterly
    const isLastMonth = compareDecimals(previous, last) !== 0
    // It is still found as long as it has changed within the year.
    if (!isLastMonth && compareDecimals(amount, first) === 0) continue
    if (isSteady && (!isLastMonth || paysWages)) {
      unsure.push(line.name)
      continue
    }
    if (isQuarterly && (isLastMonth || !followsQuarter(evidence.month))) {
      quarterly.push(line.name)
      continue
    }
    // A loan that stood still last month isn’t paid once a quarter or a year if it was found then.
    const foundLastMonth = isLastMonth ? null : evidence.foundLastMonth(findings.keyOf(key))
    const [isStillFound, wasAccepted] = [foundLastMonth !== null, foundLastMonth === 'accepted']
    if (!accrues && !isStillFound && !isRepaidMonthly(amount, last, first)) {
      // Other liabilities, such as deposits, need not change. One that went down last month may be a loan.
      const wentDown = compareDecimals(absoluteDecimal(amount), absoluteDecimal(last)) < 0
      if (MOVES.test(line.name) || wentDown) irregular.push(line.name)
      continue
    }
    if (posting === 'unclear') {
      unclear.push(line.name)
      continue
    }
    const size = { amount: absoluteDecimal(subtractDecimals(amount, isLastMonth ? last : first)) }
    findings.add(
      { key, name: line.name },
      {
        severity: isQuarterly || isSteady || wasAccepted ? 'check' : 'likely',
        amount,
        side: positiveSide(line),
        detail: isLastMonth
          ? says`It changed by ${size} last month but not this month.`
          : wasAccepted
            ? says`Accepted last month, and it still hasn’t changed. In the 12 months before, it changed by ${size}.`
            : says`It has not changed since ${{ date: earlier.to }} or before. In the 12 months before, it changed by ${size}.${isQuarterly ? ' It may be filed once a year.' : ''}`,
        row: rowOf(now, line.row),
      },
    )
  }
  if (unsure.length > 0) {
    const reason =
      'The balance hasn’t changed. Without a general ledger, Bookbridge can’t tell whether anything was posted.'
    findings.unchecked.add(notCompared(unsure, reason))
  }
  if (quarterly.length > 0) {
    const reason = 'Sales tax may be filed quarterly. It is checked in the month after a quarter ends.'
    findings.unchecked.add(notCompared(quarterly, reason))
  }
  if (unclear.length > 0) {
    const reason = 'The general ledger doesn’t show clearly whether anything was posted to them.'
    findings.unchecked.add(notCompared(unclear, reason))
  }
  if (irregular.length > 0) {
    const reason =
      'They didn’t change this month, and Bookbridge can’t tell from the months before whether they are repaid every month.'
    findings.unchecked.add(notCompared(irregular, reason))
  }
}

const WAGES = /\bpayroll\b|\bwages?\b|\bsalar(?:y|ies)\b/i

/** Whether profit and loss has wages in the month, so that payroll taxes were posted, too. */
function hasWages({ statement, month }: Evidence): boolean {
  const read = statement('profit-and-loss')
  if (!read.ok) return false
  const at = monthColumns(read.value, month)?.at(-1)
  if (at === undefined) return false
  return linesOf(read.value).some(({ name, sections, row }) => {
    const amount = parseDecimal(row.values[at]?.trim() ?? '')
    return [name, ...sections].some((each) => WAGES.test(each)) && amount !== null && !isZero(amount)
  })
}

/** Whether a calendar quarter ended with the month before, so that its tax is due in this one. */
function followsQuarter(month: string): boolean {
  return Number(month.slice(5)) % 3 === 1
}

/**
 * Whether a loan was paid last month, and by about as much in each of the ten months before. One that is paid once a quarter
 * or once a year wasn’t, and one that has stood still for two months may be either.
 * @param previous its balances at the end of last month, a month earlier, and ten months before that
 */
function isRepaidMonthly(previous: Decimal, earlier: Decimal, first: Decimal): boolean {
  const paid = subtractDecimals(absoluteDecimal(earlier), absoluteDecimal(previous))
  const paidBefore = subtractDecimals(absoluteDecimal(first), absoluteDecimal(earlier))
  const times = (count: string): Decimal => multiplyDecimals(paid, count as Decimal)
  return (
    !isNegative(paid) &&
    !isZero(paid) &&
    compareDecimals(paidBefore, times('6')) >= 0 &&
    compareDecimals(paidBefore, times('15')) <= 0
  )
}

/**
 * Creates a function that says whether the ledger has a posting to an account of a statement: found by ID, or by name if
 * one of both has no ID. Several accounts may share a name, and amounts may have no date or account.
 */
function postingFinder(
  accounts: readonly LedgerAccount[],
  lines: readonly Line[],
): (line: Line) => 'posted' | 'none' | 'unclear' {
  const byId = new Map(accounts.map((each) => [each.id, each]))
  const namings = [accountPath, (name: string) => lastName(accountPath(name))].map((nameOf) => ({
    nameOf,
    accounts: Map.groupBy(accounts, ({ name }) => nameOf(name)),
    lines: Map.groupBy(lines, ({ name }) => nameOf(name)),
  }))
  const isUnassigned = accounts.some(({ id, name }) => id === '' && name === '')
  const postingIn = ({ isDated }: LedgerAccount): 'posted' | 'unclear' => (isDated ? 'posted' : 'unclear')
  return ({ row, name }) => {
    const known = row.id === '' ? undefined : byId.get(row.id)
    if (known !== undefined) return postingIn(known)
    let isAlike = isUnassigned
    for (const { nameOf, accounts: byName, lines: linesByName } of namings) {
      const key = nameOf(name)
      const alike = (byName.get(key) ?? []).filter(({ id }) => id === '' || row.id === '')
      const [one] = alike
      if (one === undefined) continue
      if (alike.length === 1 && linesByName.get(key)?.length === 1) return postingIn(one)
      isAlike = true
    }
    return isAlike ? 'unclear' : 'none'
  }
}

type Balances = (statement: FullReport) => ReadonlyMap<string, Decimal>

/** The lines and balances of several balance sheets, whose accounts have the same keys in each. */
function balanceSheets(
  evidence: Evidence,
  sources: readonly Source[],
  findings: RuleFindings,
): { readonly lines: (statement: FullReport) => readonly Line[]; readonly balances: Balances } {
  const all = sources.flatMap((source) => {
    const read = evidence.statement(source)
    return read.ok ? [linesOf(read.value)] : []
  })
  const lines = (statement: FullReport): readonly Line[] => withOwnKeys(linesOf(statement), ...all)
  return {
    lines,
    balances(statement) {
      const column = totalColumn(statement)
      return sumsByKey(lines(statement), (line) => amountAt(line, column, findings))
    },
  }
}
