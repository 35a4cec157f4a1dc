// ProfitAndLossDetail: every posting behind the figures of profit and loss, by account, with a running balance.
import { type Posting, naturalSign } from '../books/ledger.ts'
import { formatDay } from '../time.ts'
import { type Cents, formatCents } from '../cents.ts'
import { type Company } from '../company.ts'
import { type AccountNode, accountTree, flattened } from './accounts.ts'
import { entryName, postingsByAccount, rowName } from './general-ledger.ts'
import { createRowWriter, type ReportBody, type ReportRequest, type RowWriter } from './report.ts'

const SECTIONS: readonly (readonly [name: string, type: string])[] = [
  ['Income', 'Income'],
  ['Cost of Goods Sold', 'CostOfGoodsSold'],
  ['Expense', 'Expense'],
  ['Other Income', 'OtherIncome'],
  ['Other Expense', 'OtherExpense'],
]

/** Sections by type, in them by account; the last line is net income. */
export function profitAndLossDetail({ company, start, end }: ReportRequest): ReportBody {
  const writer = createRowWriter()
  const tree = accountTree(company)
  const postings = postingsByAccount(company, start, end)
  let net = 0
  for (const [name, type] of SECTIONS) {
    const nodes = tree.filter((node) => node.type === type && isUsed(node, postings))
    if (nodes.length === 0) continue
    writer.open(name)
    const sum = nodes.reduce((total, node) => total + writeAccount(writer, company, node, postings), 0)
    writer.close(`Total ${name}`, totals(sum))
    net -= sum * naturalSign(type)
  }
  writer.total('Net Income', totals(net))
  return { columns: ['Entry', 'Amount', 'Balance'], rows: writer.rows }
}

function writeAccount(
  writer: RowWriter,
  company: Company,
  node: AccountNode,
  postings: ReadonlyMap<string, readonly Posting[]>,
): Cents {
  const sign = naturalSign(node.type)
  writer.open(node.label, node.id)
  let balance = 0
  for (const { transaction, cents, memo } of postings.get(node.id) ?? []) {
    balance += cents * sign
    const { type, day, number } = transaction
    const name = entryName([formatDay(day), type, number, rowName(company, transaction), memo])
    writer.data(name, [formatCents(cents * sign), formatCents(balance)], transaction.party?.id ?? '')
  }
  for (const child of node.children) {
    if (isUsed(child, postings)) balance += writeAccount(writer, company, child, postings)
  }
  writer.close(`Total ${node.label}`, totals(balance), node.id)
  return balance
}

function totals(cents: Cents): string[] {
  return [formatCents(cents), formatCents(cents)]
}

function isUsed(node: AccountNode, postings: ReadonlyMap<string, readonly Posting[]>): boolean {
  return flattened([node]).some(({ id }) => postings.has(id))
}
