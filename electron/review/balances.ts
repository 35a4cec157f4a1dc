/** Rules about single balances at the end of the month. */
import {
  type Decimal,
  absoluteDecimal,
  compareDecimals,
  isNegative,
  isZero,
  subtractDecimals,
} from '../../shared/format/money.ts'
import { says } from '../../shared/review/review.ts'
import {
  type Evidence,
  type Line,
  type Report,
  type Statement,
  NOTHING,
  amountAt,
  isKnownType,
  isType,
  linesOf,
  need,
  readOrNote,
  recordFinder,
  rowOf,
  sideOfType,
  sumsByKey,
  totalColumn,
  trialBalances,
} from './evidence.ts'

/** Whether an account is for amounts that have yet to be assigned elsewhere, such as a suspense account. */
export function shouldBeEmpty(name: string, words: readonly string[]): boolean {
  const text = name.toLowerCase()
  return words.some((word) => word.trim() !== '' && text.includes(word.trim().toLowerCase()))
}

export function emptyAccounts(evidence: Evidence, report: Report): void {
  const statement = need(evidence.statement('trial-balance'))
  for (const line of trialBalances(statement, report)) {
    if (isZero(line.debit) || !shouldBeEmpty(line.name, evidence.settings.emptyAccounts)) continue
    report.find(
      { key: line.key, name: line.name },
      {
        severity: 'likely',
        amount: line.debit,
        detail: isNegative(line.debit) ? says`A credit balance.` : says`A debit balance.`,
        row: rowOf(statement, line.row),
      },
    )
  }
}

export function undepositedFunds(evidence: Evidence, report: Report): void {
  const isUndeposited = ({ name }: Line): boolean =>
    /\bundeposited funds\b|\bpayments to deposit\b/i.test(name)
  const statement = need(evidence.statement('balance-sheet'))
  const line = linesOf(statement).find(isUndeposited)
  if (line === undefined) return
  const amount = amountAt(line, totalColumn(statement), report)
  if (isZero(amount)) return
  // An amount that was never lower at the end of any month is at least that old.
  let since = statement.to
  let isSure = true
  for (const source of ['balance-sheet-1', 'balance-sheet-2'] as const) {
    const earlier = readOrNote(evidence.statement(source), report)
    isSure = earlier !== null
    if (earlier === null) break
    const same = linesOf(earlier).find(({ key }) => key === line.key)
    const before = same ? amountAt(same, totalColumn(earlier), report) : NOTHING
    if (isZero(before) || isNegative(before) !== isNegative(amount)) break
    since = earlier.to
  }
  const isOld = since !== statement.to
  report.find(
    { key: line.key, name: line.name },
    {
      severity: isOld ? 'likely' : 'check',
      amount,
      detail: isOld
        ? says`It has had a balance since at least ${{ date: since }}.`
        : isSure
          ? says`There was no balance at the end of the month before.`
          : says`Since when is unknown.`,
      row: rowOf(statement, line.row),
    },
  )
}

/** Contra accounts, whose balance is on the opposite side of their type. */
const CONTRA = /\b(?:accum(?:ulated|\.)?|depreciation|amorti[sz]ation|allowance|reserve|discount|clearing)\b/i

export function wrongSide(evidence: Evidence, report: Report): void {
  const statement = need(evidence.statement('trial-balance'))
  const accountOf = recordFinder(need(evidence.list('accounts')))
  for (const line of trialBalances(statement, report)) {
    const type = accountOf(line)?.type ?? ''
    if (!isKnownType(type)) {
      if (!isZero(line.debit)) report.unchecked.add(`The type of ${line.name} is unknown.`)
      continue
    }
    if (isZero(line.debit) || CONTRA.test(line.name)) continue
    const isCredit = isNegative(line.debit)
    if (sideOfType(type) !== (isCredit ? 'debit' : 'credit')) continue
    report.find(
      { key: line.key, name: line.name },
      {
        severity: isType(type, 'bank', 'creditcard') ? 'likely' : 'check',
        amount: line.debit,
        detail: isCredit ? says`An asset with a credit balance.` : says`A liability with a debit balance.`,
        row: rowOf(statement, line.row),
      },
    )
  }
}

const MOVES =
  /\bloans?\b|\bnotes? payable\b|\bmortgage\b|\bpayroll (?:tax(?:es)? |liabilit)|\bsales tax\b|\bline of credit\b/i

export function standsStill(evidence: Evidence, report: Report): void {
  const [now, before, earlier] = (['balance-sheet', 'balance-sheet-1', 'balance-sheet-2'] as const).map(
    (source) => need(evidence.statement(source)),
  )
  if (now === undefined || before === undefined || earlier === undefined) return
  const [one, two] = [before, earlier].map((statement) => balances(statement, report))
  const current = balances(now, report)
  for (const line of linesOf(now)) {
    if (!MOVES.test(line.name)) continue
    const amount = current.get(line.key) ?? NOTHING
    const previous = one?.get(line.key) ?? NOTHING
    const moved = subtractDecimals(previous, two?.get(line.key) ?? NOTHING)
    if (isZero(amount) || compareDecimals(amount, previous) !== 0 || isZero(moved)) continue
    report.find(
      { key: line.key, name: line.name },
      {
        severity: 'likely',
        amount,
        detail: says`It changed by ${{ amount: absoluteDecimal(moved) }} last month but not this month.`,
        row: rowOf(now, line.row),
      },
    )
  }
}

function balances(statement: Statement, report: Report): ReadonlyMap<string, Decimal> {
  const column = totalColumn(statement)
  return sumsByKey(linesOf(statement), (line) => amountAt(line, column, report))
}
