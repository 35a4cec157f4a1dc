// TrialBalance: every account on the last day, on the side it stands; both sides add up to the same.
import { isProfitAndLoss } from '../books/balances.ts'
import { yearStart } from '../calendar.ts'
import { formatCents } from '../cents.ts'
import { accountName, accountTree, flattened } from './accounts.ts'
import { inOne, sumUp } from './columns.ts'
import { createRowWriter, type ReportBody, type ReportRequest } from './report.ts'
import { netIncome } from './statements.ts'

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
