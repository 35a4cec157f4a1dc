// Checks that the reports of a company agree with each other and with its records, to the cent. Amounts on the wire are
// text; here, they are whole cents.
import { expect } from 'vitest'
import { type SampleService } from '../../electron/sample/service.ts'

/** A report as on the wire. */
interface WireReport {
  readonly Columns: readonly string[]
  readonly ReportLineData: readonly WireRow[]
}

/** A row of a report. */
interface WireRow {
  readonly RowType: string
  readonly EntityRef: { readonly FullName: string; readonly ID: string }
  readonly Values: readonly string[]
}

/** Reads the books of one company. */
export interface Books {
  readonly endpointId: string
  readonly application: string
  report(name: string, start: string, end: string): Promise<WireReport>
  records(object: string): Promise<Readonly<Record<string, unknown>>[]>
  write(method: 'POST' | 'PATCH', object: string, body: unknown): Promise<WireEnvelope>
}

interface WireError {
  readonly Code: string | number
  readonly Message: string
  readonly Detail: string
}

/** The members of an envelope that the tests use. */
interface WireEnvelope {
  readonly HasErrors: boolean
  readonly Errors: readonly WireError[] | null
  readonly Contents: readonly {
    readonly Object: Readonly<Record<string, unknown>>
    readonly Errors: readonly WireError[] | null
  }[]
}

/** Makes a request to the sample in process, without a socket. */
export async function send(
  service: SampleService,
  key: string,
  path: string,
  method = 'GET',
  body?: unknown,
): Promise<WireEnvelope> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const request = new Request(`http://sample.example${path}`, {
    method,
    headers: { 'x-api-key': key },
    ...init,
  })
  return (await (await service.handle(request)).json()) as WireEnvelope
}

/** The books of every active company of a service. */
export async function booksOf(service: SampleService, key: string): Promise<Books[]> {
  const list = await send(service, key, '/v2/Manage/endpoint?isactive=true')
  return list.Contents.map((item): Books => {
    const { endpointId, endpoint } = item.Object as { endpointId: string; endpoint: string }
    return {
      endpointId,
      application: endpoint,
      report: async (name, start, end) => {
        const query = `name=${name}&modTimeStart=${start}T00:00:00&modTimeEnd=${end}T00:00:00`
        const envelope = await send(service, key, `/v2/data/${endpointId}/selectReport?${query}`)
        expect(envelope.HasErrors).toBe(false)
        const report: unknown = envelope.Contents[0]?.Object
        return report as WireReport
      },
      records: async (object) => {
        const envelope = await send(service, key, `/v2/data/${endpointId}/${object}`)
        return envelope.Contents.map(({ Object: record }) => record)
      },
      write: async (method, object, body) =>
        await send(service, key, `/v2/data/${endpointId}/${object}`, method, body),
    }
  })
}

/** Whole cents of a decimal text; NaN for any other text. */
export function cents(text: string | undefined): number {
  const match = /^(-?)(\d+)\.(\d{2})$/.exec(text ?? '')
  if (match === null) return Number.NaN
  const size = Number(match[2]) * 100 + Number(match[3])
  return match[1] === '-' && size !== 0 ? -size : size
}

/** The amounts of the row with a name. Throws if there is none. */
export function amountsOf(report: WireReport, name: string): number[] {
  const row = report.ReportLineData.findLast((candidate) => candidate.EntityRef.FullName === name)
  expect(row, name).toBeDefined()
  return (row?.Values ?? []).map(cents)
}

/** The last amount of a row. */
export function totalOf(report: WireReport, name: string): number {
  return amountsOf(report, name).at(-1) ?? Number.NaN
}

/** The sum of whole numbers. */
export function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}

/** Checks that every section's rows add up to its subtotal, in every column. */
export function checkSections(report: WireReport): void {
  const open: number[][] = []
  const width = report.Columns.length - 1
  for (const { RowType, EntityRef, Values } of report.ReportLineData) {
    const values = Values.map(cents)
    if (RowType === 'TextRow') open.push(new Array<number>(width).fill(0))
    if (RowType === 'SubtotalRow') expect(values, EntityRef.FullName).toEqual(open.pop())
    if (RowType !== 'DataRow' && RowType !== 'SubtotalRow') continue
    const around = open.at(-1)
    for (const [column, value] of values.entries())
      if (around !== undefined) around[column] = (around[column] ?? 0) + value
  }
  expect(open).toEqual([])
}

/** Checks that the last column is the sum of the others, in every row. */
export function checkTotalColumn(report: WireReport): void {
  if (report.Columns.at(-1) !== 'Total' || report.Columns.length <= 2) return
  for (const { EntityRef, Values } of report.ReportLineData) {
    if (Values.length === 0) continue
    const values = Values.map(cents)
    expect(sum(values.slice(0, -1)), EntityRef.FullName).toBe(values.at(-1))
  }
}

/** Checks that the reports agree with each other. Holds for any company and period. */
export async function checkAgreement(books: Books, start: string, end: string): Promise<void> {
  const { report } = books
  const profit = await report('ProfitAndLoss', start, end)
  const profitByClass = await report('ProfitAndLossByClass', start, end)
  const sheet = await report('BalanceSheet', start, end)
  const sheetByClass = await report('BalanceSheetByClass', start, end)
  const trial = await report('TrialBalance', start, end)
  for (const statement of [profit, profitByClass, sheet, sheetByClass]) {
    checkSections(statement)
    checkTotalColumn(statement)
  }

  // Debits equal credits.
  const sides = trial.ReportLineData.filter((row) => row.RowType === 'DataRow').map((row) =>
    row.Values.map(cents),
  )
  const [debits, credits] = amountsOf(trial, 'TOTAL')
  expect(debits).toBe(credits)
  expect(sum(sides.map(([debit]) => debit ?? 0))).toBe(debits)
  expect(sum(sides.map(([, credit]) => credit ?? 0))).toBe(credits)

  // Assets equal liabilities and equity, for each class too.
  for (const balance of [sheet, sheetByClass]) {
    expect(amountsOf(balance, 'Total Assets')).toEqual(amountsOf(balance, 'Total Liabilities and Equity'))
  }
  expect(totalOf(sheetByClass, 'Total Assets')).toBe(totalOf(sheet, 'Total Assets'))
  expect(totalOf(profitByClass, 'Net Income')).toBe(totalOf(profit, 'Net Income'))

  // Net income of the fiscal year to date equals that of profit and loss, and the months add up to it.
  const yearToDate = await report('ProfitAndLoss', `${end.slice(0, 4)}-01-01`, end)
  expect(totalOf(sheet, 'Net Income')).toBe(totalOf(yearToDate, 'Net Income'))
}

/** The Balance of a record in whole cents; 0 if it is omitted. */
export function balanceOf(record: Readonly<Record<string, unknown>>): number {
  const { Balance: balance = '0.00' } = record
  return typeof balance === 'string' ? cents(balance) : Number.NaN
}

/**
 * Checks that the receivables account, the customers' balances, and the aging report agree on a day after every entry.
 */
export async function checkReceivables(books: Books, end: string): Promise<void> {
  const customers = await books.records('customer')
  const owed = sum(customers.map((customer) => balanceOf(customer)))
  const trial = await books.report('TrialBalance', '2020-01-01', end)
  const row = trial.ReportLineData.find((candidate) =>
    candidate.EntityRef.FullName.endsWith('Accounts Receivable'),
  )
  const [debit = 0, credit = 0] = (row?.Values ?? []).map(cents)
  expect(debit - credit).toBe(owed)
  const name = books.application === 'qbd' ? 'ARAgingDetail' : 'AgedReceivables'
  const aging = await books.report(name, '2020-01-01', end)
  expect(totalOf(aging, 'TOTAL')).toBe(owed)
  if (books.application === 'qbo') {
    checkSections(aging)
    checkTotalColumn(aging)
  }
}

/** Checks that each balance-sheet account's Balance equals its row in the balance sheet on a day after every entry. */
export async function checkAccountBalances(books: Books, end: string): Promise<void> {
  const sheet = await books.report('BalanceSheet', '2020-01-01', end)
  const rows = sheet.ReportLineData.filter((row) => row.RowType === 'DataRow' && row.EntityRef.ID !== '')
  const shown = new Map(rows.map((row) => [row.EntityRef.ID, cents(row.Values[0])]))
  const income = ['Income', 'CostOfGoodsSold', 'Expense', 'OtherIncome', 'OtherExpense']
  for (const account of await books.records('account')) {
    // Retained earnings are computed from the profit of all years. The account itself has no entries.
    if (income.includes(String(account['Type'])) || account['Name'] === 'Retained Earnings') continue
    expect(shown.get(String(account['ID'])) ?? 0, String(account['Name'])).toBe(balanceOf(account))
  }
}

const COUNTS_BY_CREDITS = [
  'AccountsPayable',
  'CreditCard',
  'OtherCurrentLiability',
  'LongTermLiability',
  'Equity',
  'Income',
  'OtherIncome',
]

/**
 * Checks that the trial balance has the same amounts as the balance sheet and the profit and loss of the fiscal year to
 * date. Works for every application, including one without a general ledger.
 */
export async function checkTrialBalance(books: Books, end: string): Promise<void> {
  const trial = await books.report('TrialBalance', '2020-01-01', end)
  const statements = [
    await books.report('BalanceSheet', '2020-01-01', end),
    await books.report('ProfitAndLoss', `${end.slice(0, 4)}-01-01`, end),
  ]
  const shown = new Map<string, number>()
  for (const { ReportLineData } of statements) {
    for (const { RowType, EntityRef, Values } of ReportLineData) {
      if (RowType === 'DataRow' && EntityRef.ID !== '') shown.set(EntityRef.ID, cents(Values.at(-1)))
    }
  }
  const types = new Map(
    (await books.records('account')).map((account) => [String(account['ID']), String(account['Type'])]),
  )
  const rows = trial.ReportLineData.filter(
    ({ RowType, EntityRef }) => RowType === 'DataRow' && EntityRef.ID !== '',
  )
  expect(rows.length).toBeGreaterThan(10)
  for (const { EntityRef, Values } of rows) {
    const [debit, credit] = Values.map((text) => (text === '' ? 0 : cents(text)))
    const sign = COUNTS_BY_CREDITS.includes(types.get(EntityRef.ID) ?? '') ? -1 : 1
    const standing = ((debit ?? 0) - (credit ?? 0)) * sign
    expect(shown.get(EntityRef.ID) ?? 0, EntityRef.FullName).toBe(standing + 0)
  }
}

/**
 * Checks the general ledger: each account's opening balance plus its rows is its closing balance, which equals the
 * trial balance.
 */
export async function checkLedger(books: Books, start: string, end: string): Promise<void> {
  const ledger = await books.report('GeneralLedger', start, end)
  const trial = await books.report('TrialBalance', start, end)
  const standing = new Map(
    trial.ReportLineData.map((row) => [row.EntityRef.FullName, cents(row.Values[0]) - cents(row.Values[1])]),
  )
  let balance = 0
  let label = ''
  let sign = 1
  let moved = 0
  for (const { RowType, EntityRef, Values } of ledger.ReportLineData) {
    const [debit, credit, after] = Values.slice(-3).map((text) => (text === '' ? 0 : cents(text)))
    if (RowType === 'TextRow') label = EntityRef.FullName
    else if (RowType === 'DataRow' && EntityRef.FullName === 'Opening balance') {
      balance = after ?? 0
      moved = 0
      sign = 0
    } else if (RowType === 'DataRow') {
      const change = (debit ?? 0) - (credit ?? 0)
      // The first row shows the sign of the account.
      if (sign === 0) sign = (after ?? 0) - balance === change ? 1 : -1
      moved += change
      balance += change * sign
      expect(after, label).toBe(balance)
    } else if (RowType === 'SubtotalRow') {
      expect((debit ?? 0) - (credit ?? 0), label).toBe(moved)
      expect(after, label).toBe(balance)
      const stands = standing.get(label) ?? 0
      if (sign === 0) expect(Math.abs(balance), label).toBe(Math.abs(stands))
      else expect(balance * sign + 0, label).toBe(stands)
      standing.delete(label)
    }
  }
  standing.delete('TOTAL')
  expect([...standing.keys()]).toEqual([])
  const [debits, credits] = (ledger.ReportLineData.at(-1)?.Values ?? []).slice(-3).map(cents)
  expect(debits).toBe(credits)
}
