/** The statements: profit and loss, balance sheet, trial balance, and budgets. */
import { booksStart } from '../books/books.ts'
import { isProfitAndLoss } from '../books/ledger.ts'
import { type Cents, formatCents, partOf } from '../cents.ts'
import { type Company } from '../company.ts'
import { type Day, dayHeading, monthEnd, monthStart, yearStart } from '../time.ts'
import {
  accountName,
  type AccountNode,
  accountTree,
  added,
  type Amounts,
  byClass,
  byMonth,
  createRowWriter,
  flattened,
  inOne,
  negated,
  type ReportBody,
  type ReportRequest,
  type ReportRow,
  type RowWriter,
  type Spread,
  type Sums,
  sumUp,
  writeAccounts,
  written,
} from './report.ts'

const NO_FIRST_DAY = Number.NEGATIVE_INFINITY

/** ProfitAndLoss: by month. */
export function profitAndLoss(request: ReportRequest): ReportBody {
  return profitAndLossOver(request, byMonth(request.start, request.end))
}

/** ProfitAndLossByClass: a column per class. */
export function profitAndLossByClass(request: ReportRequest): ReportBody {
  return profitAndLossOver(request, byClass(request.company, request.start, request.end))
}

/** BalanceSheet: the balances on the last day. */
export function balanceSheet(request: ReportRequest): ReportBody {
  return balanceSheetOver(request, (start) => inOne(dayHeading(request.end), start, request.end))
}

/** BalanceSheetByClass: the balances on the last day, with a column per class. */
export function balanceSheetByClass(request: ReportRequest): ReportBody {
  return balanceSheetOver(request, (start) => byClass(request.company, start, request.end))
}

/** PandLBalanceSheet and PLandBalanceSheet: both statements, one below the other. */
export function profitAndLossWithBalanceSheet(request: ReportRequest): ReportBody {
  const { start, end } = request
  const statement = profitAndLossOver(request, inOne('Total', start, end))
  const sheet = balanceSheetOver(request, (from) => inOne('Total', from, end))
  return { columns: statement.columns, rows: [...statement.rows, ...sheet.rows] }
}

function profitAndLossOver(request: ReportRequest, spread: Spread): ReportBody {
  const writer = createRowWriter()
  const sums = sumUp(request.company, spread)
  writeProfitAndLoss(writer, request.company, sums.width, (id) => sums.of(id))
  return { columns: ['Account', ...spread.headings], rows: writer.rows }
}

/**
 * Writes the sections of a profit and loss report.
 * @returns net income by column
 */
function writeProfitAndLoss(
  writer: RowWriter,
  company: Company,
  width: number,
  debitsOf: (id: string) => Amounts,
): Cents[] {
  const tree = accountTree(company)
  const desktop = company.application === 'qbd'
  const section = (name: string, type: string, amountsOf: (id: string) => Amounts): Cents[] => {
    const types = [type]
    if (
      !flattened(tree).some((node) => node.type === type && amountsOf(node.id).some((cents) => cents !== 0))
    ) {
      return added(width)
    }
    writer.open(name)
    const sum = writeAccounts(writer, tree, types, width, amountsOf)
    writer.close(`Total ${name}`, written(sum))
    return sum
  }
  const creditsOf = (id: string): Amounts => negated(debitsOf(id))
  const income = section('Income', 'Income', creditsOf)
  const costs = section('Cost of Goods Sold', 'CostOfGoodsSold', debitsOf)
  const gross = added(width, income, negated(costs))
  writer.total('Gross Profit', written(gross))
  const expense = section(desktop ? 'Expense' : 'Expenses', 'Expense', debitsOf)
  const ordinary = added(width, gross, negated(expense))
  writer.total(desktop ? 'Net Ordinary Income' : 'Net Operating Income', written(ordinary))
  const otherIncome = section('Other Income', 'OtherIncome', creditsOf)
  const otherExpense = section(desktop ? 'Other Expense' : 'Other Expenses', 'OtherExpense', debitsOf)
  const other = added(width, otherIncome, negated(otherExpense))
  writer.total('Net Other Income', written(other))
  const net = added(width, ordinary, other)
  writer.total('Net Income', written(net))
  return net
}

const ASSETS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Current Assets',
    [
      ['Checking/Savings', 'Bank'],
      ['Accounts Receivable', 'AccountsReceivable'],
      ['Other Current Assets', 'OtherCurrentAsset'],
    ],
  ],
  ['Fixed Assets', [['', 'FixedAsset']]],
  ['Other Assets', [['', 'OtherAsset']]],
]
const LIABILITIES: typeof ASSETS = [
  [
    'Current Liabilities',
    [
      ['Accounts Payable', 'AccountsPayable'],
      ['Credit Cards', 'CreditCard'],
      ['Other Current Liabilities', 'OtherCurrentLiability'],
    ],
  ],
  ['Long Term Liabilities', [['', 'LongTermLiability']]],
]

function balanceSheetOver(request: ReportRequest, spreadFrom: (start: number) => Spread): ReportBody {
  const { company, end } = request
  const writer = createRowWriter()
  const spread = spreadFrom(NO_FIRST_DAY)
  const whole = sumUp(company, spread)
  const thisYear = sumUp(company, spreadFrom(yearStart(end)))
  const tree = accountTree(company)
  const debitsOf = (id: string): Amounts => whole.of(id)
  const creditsOf = (id: string): Amounts => negated(whole.of(id))

  const { width } = whole
  writeSide(writer, tree, { name: 'Assets', groups: ASSETS, width, amountsOf: debitsOf })
  const liabilities = writeSide(writer, tree, {
    name: 'Liabilities',
    groups: LIABILITIES,
    width,
    amountsOf: creditsOf,
  })
  writer.open('Equity')
  const earned = netIncome(tree, whole)
  const earnedThisYear = netIncome(tree, thisYear)
  const retainedId = company.lists().accountId('retained')
  const equityOf = (id: string): Amounts =>
    id === retainedId ? added(whole.width, creditsOf(id), earned, negated(earnedThisYear)) : creditsOf(id)
  const owned = writeAccounts(writer, tree, ['Equity'], whole.width, equityOf)
  writer.data('Net Income', written(earnedThisYear))
  const equity = added(whole.width, owned, earnedThisYear)
  writer.close('Total Equity', written(equity))
  writer.total('Total Liabilities and Equity', written(added(whole.width, liabilities, equity)))
  return { columns: ['Account', ...spread.headings], rows: writer.rows }
}

/** One side of the balance sheet. */
interface Side {
  readonly name: string
  readonly groups: typeof ASSETS
  readonly width: number
  readonly amountsOf: (id: string) => Amounts
}

function writeSide(
  writer: RowWriter,
  tree: readonly AccountNode[],
  { name, groups, width, amountsOf }: Side,
): Cents[] {
  const used = (types: readonly string[]): boolean =>
    flattened(tree).some(
      (node) => types.includes(node.type) && amountsOf(node.id).some((cents) => cents !== 0),
    )
  let total = added(width)
  writer.open(name)
  for (const [group, parts] of groups) {
    if (!used(parts.map(([, type]) => type))) continue
    let sum = added(width)
    writer.open(group)
    for (const [part, type] of parts) {
      if (!used([type])) continue
      if (part !== '') writer.open(part)
      const partSum = writeAccounts(writer, tree, [type], width, amountsOf)
      if (part !== '') writer.close(`Total ${part}`, written(partSum))
      sum = added(width, sum, partSum)
    }
    writer.close(`Total ${group}`, written(sum))
    total = added(width, total, sum)
  }
  writer.close(`Total ${name}`, written(total))
  return total
}

/** Net income by column. */
export function netIncome(tree: readonly AccountNode[], sums: Sums): Cents[] {
  const earning = flattened(tree).filter((node) => isProfitAndLoss(node.type))
  return negated(added(sums.width, ...earning.map((node) => sums.of(node.id))))
}

/**
 * TrialBalance: the balance of each account on the last day, as a debit or a credit. Income and expense accounts show the
 * fiscal year so far, and retained earnings include all earlier years. Accounts without a balance are left out.
 */
export function trialBalance({ company, end }: ReportRequest): ReportBody {
  const writer = createRowWriter()
  const tree = accountTree(company)
  const whole = sumUp(company, inOne('', Number.NEGATIVE_INFINITY, end))
  const thisYear = sumUp(company, inOne('', yearStart(end), end))
  const before = (netIncome(tree, whole)[0] ?? 0) - (netIncome(tree, thisYear)[0] ?? 0)
  const retainedId = company.lists().accountId('retained')
  let debits = 0
  let credits = 0
  for (const node of flattened(tree)) {
    const sums = isProfitAndLoss(node.type) ? thisYear : whole
    const cents = (sums.of(node.id)[0] ?? 0) - (node.id === retainedId ? before : 0)
    if (cents === 0) continue
    debits += Math.max(cents, 0)
    credits += Math.max(-cents, 0)
    const sides = [formatCents(Math.max(cents, 0)), formatCents(Math.max(-cents, 0))]
    writer.data(accountName(company, node.id), sides, node.id)
  }
  writer.total('TOTAL', [formatCents(debits), formatCents(credits)])
  return { columns: ['Account', 'Debit', 'Credit'], rows: writer.rows }
}

// ProfitAndLossBudgetOverview and ProfitAndLossBudgetVsActual.

const STEP: Cents = 5000
const GROWTH_A_YEAR = 0.06

/** ProfitAndLossBudgetOverview: the budget by month. */
export function budgetOverview(request: ReportRequest): ReportBody {
  const spread = byMonth(request.start, request.end)
  const writer = createRowWriter()
  const planned = budgetOver(request, spread)
  writeProfitAndLoss(writer, request.company, spread.headings.length, (id) => planned.get(id) ?? [])
  return { columns: ['Account', ...spread.headings], rows: writer.rows }
}

/** ProfitAndLossBudgetVsActual. The percentage is empty if there is no budget. */
export function budgetVersusActual(request: ReportRequest): ReportBody {
  const { company, start, end } = request
  const spread = inOne('Total', start, end)
  const planned = budgetOver(request, spread)
  const actual = sumUp(company, spread)
  const writer = createRowWriter()
  writeProfitAndLoss(writer, company, 2, (id) => [actual.of(id)[0] ?? 0, planned.get(id)?.[0] ?? 0])
  return {
    columns: ['Account', 'Actual', 'Budget', '$ Over Budget', '% of Budget'],
    rows: writer.rows.map(compared),
  }
}

function compared(row: ReportRow): ReportRow {
  const [actual, budget] = row.Values.map((text) => Number(text.replace('.', '')))
  if (actual === undefined || budget === undefined) return row
  const percent = budget === 0 ? '' : formatCents(Math.round((actual / budget) * 10_000))
  return { ...row, Values: [...row.Values, formatCents(actual - budget), percent] }
}

/** The budget of each account by column. Debits are positive. Parts of a month count by their days. */
function budgetOver({ company, start, end }: ReportRequest, spread: Spread): Map<string, Amounts> {
  const width = spread.headings.length
  const accounts = flattened(accountTree(company)).filter((node) => isProfitAndLoss(node.type))
  const planned = new Map<string, Cents[]>()
  for (let month = monthStart(start); month <= end; month = monthStart(month, 1)) {
    const from = Math.max(month, start)
    const until = Math.min(monthEnd(month), end)
    const column = spread.columnOf({ day: from, classId: '' })
    if (column === undefined) continue
    const share = (until - from + 1) / (monthEnd(month) - month + 1)
    const { sums, growth } = budgetBasis(company, month)
    for (const { id } of accounts) {
      const cents = sums.of(id)[0] ?? 0
      if (cents === 0) continue
      const row = planned.get(id) ?? new Array<Cents>(width).fill(0)
      const amount = partOf(rounded(partOf(cents, growth)), share)
      row[column] = (row[column] ?? 0) + amount
      if (width > 1) row[width - 1] = (row[width - 1] ?? 0) + amount
      planned.set(id, row)
    }
  }
  return planned
}

/** What a month's budget is based on: last year's amounts and some growth, or its own amounts in the first year. */
function budgetBasis(company: Company, month: Day): { readonly sums: Sums; readonly growth: number } {
  const first = booksStart(company.today)
  let basis = month
  let years = 0
  do {
    if (monthStart(basis, -12) < first) break
    basis = monthStart(basis, -12)
    years++
  } while (monthEnd(basis) >= company.today)
  return { sums: sumUp(company, inOne('', basis, monthEnd(basis))), growth: (1 + GROWTH_A_YEAR) ** years }
}

function rounded(cents: Cents): Cents {
  return Math.round(cents / STEP) * STEP
}
