// ProfitAndLossBudgetOverview and ProfitAndLossBudgetVsActual.
import { isProfitAndLoss } from '../books/ledger.ts'
import { booksStart } from '../books/books.ts'
import { type Day, monthEnd, monthStart, partsOf } from '../time.ts'
import { type Cents, formatCents, partOf } from '../cents.ts'
import { type Company } from '../company.ts'
import { accountTree, flattened } from './accounts.ts'
import {
  type Amounts,
  type ReportBody,
  type ReportRequest,
  type ReportRow,
  type Spread,
  byMonth,
  createRowWriter,
  inOne,
  sumUp,
} from './report.ts'
import { writeProfitAndLoss } from './statements.ts'

const STEP: Cents = 5000
const GROWTH_A_YEAR = 0.04

/** What was planned, by month. */
export function budgetOverview(request: ReportRequest): ReportBody {
  const spread = byMonth(request.start, request.end)
  const writer = createRowWriter()
  const planned = budgetOver(request, spread)
  writeProfitAndLoss(writer, request.company, spread.headings.length, (id) => planned.get(id) ?? [])
  return { columns: ['Account', ...spread.headings], rows: writer.rows }
}

/** What was planned against what happened; the percentage is empty where nothing was planned. */
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

/** The budget of each account by column, debit positive. Parts of months count by their days. */
function budgetOver({ company, start, end }: ReportRequest, spread: Spread): Map<string, Amounts> {
  const width = spread.headings.length
  const first = booksStart(company.today)
  const monthly = monthlyBudgets(company, first)
  const planned = new Map<string, Cents[]>()
  for (let month = monthStart(start); month <= end; month = monthStart(month, 1)) {
    const from = Math.max(month, start)
    const until = Math.min(monthEnd(month), end)
    const column = spread.columnOf({ day: from, classId: '' })
    if (column === undefined) continue
    const share = (until - from + 1) / (monthEnd(month) - month + 1)
    const years = Math.max(partsOf(month).year - partsOf(first).year, 0)
    for (const [id, cents] of monthly) {
      const row = planned.get(id) ?? new Array<Cents>(width).fill(0)
      const amount = partOf(rounded(partOf(cents, (1 + GROWTH_A_YEAR) ** years)), share)
      row[column] = (row[column] ?? 0) + amount
      if (width > 1) row[width - 1] = (row[width - 1] ?? 0) + amount
      planned.set(id, row)
    }
  }
  return planned
}

/** The plan of a month: the middle month of the first year of the books. */
function monthlyBudgets(company: Company, first: Day): Map<string, Cents> {
  const sums = sumUp(company, inOne('', first, monthStart(first, 12) - 1))
  const accounts = flattened(accountTree(company)).filter((node) => isProfitAndLoss(node.type))
  return new Map(accounts.map((node) => [node.id, partOf(sums.of(node.id)[0] ?? 0, 1 / 12)]))
}

function rounded(cents: Cents): Cents {
  return Math.round(cents / STEP) * STEP
}
