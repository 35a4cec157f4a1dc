/** Profit and loss and the balance sheet, alone, together and by class. */
import { isProfitAndLoss } from '../books/ledger.ts'
import { type Cents, formatCents } from '../cents.ts'
import type { Company } from '../company.ts'
import { dayHeading, yearStart } from '../time.ts'
import { type AccountNode, accountName, accountTree, flattened, writeAccounts } from './accounts.ts'
import {
  type Amounts,
  type ReportBody,
  type ReportRequest,
  type RowWriter,
  type Spread,
  type Sums,
  added,
  byClass,
  byMonth,
  createRowWriter,
  inOne,
  negated,
  sumUp,
  written,
} from './report.ts'

const NO_FIRST_DAY = Number.NEGATIVE_INFINITY

/** ProfitAndLoss: by month. */
export function profitAndLoss(request: ReportRequest): ReportBody {
  return profitAndLossOver(request, byMonth(request.start, request.end))
}

/** ProfitAndLossByClass: a column a class. */
export function profitAndLossByClass(request: ReportRequest): ReportBody {
  return profitAndLossOver(request, byClass(request.company, request.start, request.end))
}

/** BalanceSheet: as it stands on the last day. */
export function balanceSheet(request: ReportRequest): ReportBody {
  return balanceSheetOver(request, (start) => inOne(dayHeading(request.end), start, request.end))
}

/** BalanceSheetByClass: as it stands on the last day, a column a class. */
export function balanceSheetByClass(request: ReportRequest): ReportBody {
  return balanceSheetOver(request, (start) => byClass(request.company, start, request.end))
}

/** PandLBalanceSheet and PLandBalanceSheet: both, one under the other. */
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
 * Writes the sections of profit and loss; income counts up with credits, costs with debits.
 * @returns net income, column by column
 */
export function writeProfitAndLoss(
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

  writeSide(writer, tree, 'Assets', ASSETS, whole.width, debitsOf)
  const liabilities = writeSide(writer, tree, 'Liabilities', LIABILITIES, whole.width, creditsOf)
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

function writeSide(
  writer: RowWriter,
  tree: readonly AccountNode[],
  name: string,
  groups: typeof ASSETS,
  width: number,
  amountsOf: (id: string) => Amounts,
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

/** What all profit and loss accounts earned, column by column. */
export function netIncome(tree: readonly AccountNode[], sums: Sums): Cents[] {
  const earning = flattened(tree).filter((node) => isProfitAndLoss(node.type))
  return negated(added(sums.width, ...earning.map((node) => sums.of(node.id))))
}

// TrialBalance: every account on the last day, on the side it stands; both sides add up to the same.

/**
 * Profit and loss accounts show the fiscal year so far; what was earned before stands in retained earnings.
 * Accounts on neither side are left out.
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
