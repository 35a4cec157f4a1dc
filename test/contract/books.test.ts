// The sample's books are consistent to the cent, for random seeds, periods, inserts, and changes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSampleService } from '../../electron/sample/service.ts'
import { isDeep } from '../seeds.ts'
import {
  amountsOf,
  balanceOf,
  type Books,
  booksOf,
  cents,
  checkAccountBalances,
  checkAgreement,
  checkLedger,
  checkReceivables,
  checkSections,
  checkTotalColumn,
  checkTrialBalance,
  sum,
  totalOf,
} from './books-agreement.ts'

const DEEPER = isDeep ? 10 : 1
const KEY = 'a-key'
const TODAY = '2026-03-31'
const MILLISECONDS_A_DAY = 86_400_000

function sampleOf(seed: number, today = TODAY): ReturnType<typeof createSampleService> {
  return createSampleService({
    key: KEY,
    seed,
    today,
    customers: 60,
    volume: 0.2,
    now: () => Date.parse(today),
  })
}

const day = fc
  .integer({ min: 0, max: 3 * 365 })
  .map((days) => new Date(Date.parse(TODAY) - days * MILLISECONDS_A_DAY).toISOString().slice(0, 10))
const period = fc
  .tuple(day, day)
  .map(([left, right]): readonly [string, string] => (left < right ? [left, right] : [right, left]))
const seed = fc.integer({ min: 1, max: 1_000_000 })

async function firstBooks(seedNumber: number): Promise<Books> {
  const [books] = await booksOf(sampleOf(seedNumber), KEY)
  if (books === undefined) throw new Error('There is no company in the sample')
  return books
}

describe('the reports of a company', () => {
  it('agree for any seed and period, in every company', async () => {
    await fc.assert(
      fc.asyncProperty(seed, period, async (seedNumber, [start, end]) => {
        for (const books of await booksOf(sampleOf(seedNumber), KEY)) {
          await checkAgreement(books, start, end)
          await checkReceivables(books, TODAY)
          await checkAccountBalances(books, TODAY)
        }
      }),
      { numRuns: 4 * DEEPER },
    )
  })

  it('are explained by the general ledger, in every company whose application has one', async () => {
    await fc.assert(
      fc.asyncProperty(seed, period, async (seedNumber, [start, end]) => {
        const desktop = (await booksOf(sampleOf(seedNumber), KEY)).filter(
          ({ application }) => application === 'qbd',
        )
        expect(desktop.length).toBe(2)
        for (const books of desktop) await checkLedger(books, start, end)
      }),
      { numRuns: 3 * DEEPER },
    )
  })

  it('have the same amounts in the trial balance and in the statements, in every company', async () => {
    await fc.assert(
      fc.asyncProperty(seed, day, async (seedNumber, end) => {
        for (const books of await booksOf(sampleOf(seedNumber), KEY)) await checkTrialBalance(books, end)
      }),
      { numRuns: 3 * DEEPER },
    )
  })

  it('still agree after any inserts and changes', async () => {
    const insert = fc.record({
      suffix: fc.integer({ min: 0, max: 1_000_000 }),
      balance: fc.integer({ min: -9_000_000, max: 9_000_000 }),
      account: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(seed, fc.array(insert, { maxLength: 8 }), async (seedNumber, inserts) => {
        for (const books of await booksOf(sampleOf(seedNumber), KEY)) {
          let owed = 0
          for (const [index, { suffix, balance, account }] of inserts.entries()) {
            const Name = `Test ${String(index)} ${String(suffix)}`
            const body = { ID: '', Name, Balance: balance / 100, ...(account ? { Type: 'Bank' } : {}) }
            const made = await books.write('POST', account ? 'account' : 'customer', body)
            expect(made.HasErrors).toBe(false)
            if (!account) owed += balance
          }
          const [customer] = await books.records('customer')
          const changed = await books.write('PATCH', 'customer', { ID: customer?.['ID'], IsActive: false })
          expect(changed.HasErrors).toBe(false)
          await checkAgreement(books, '2026-01-01', TODAY)
          await checkReceivables(books, TODAY)
          await checkAccountBalances(books, TODAY)
          const named = (await books.records('customer')).filter((record) =>
            String(record['Name']).startsWith('Test '),
          )
          expect(sum(named.map(balanceOf))).toBe(owed)
        }
      }),
      { numRuns: 2 * DEEPER },
    )
  })

  it('add up from months to quarters', async () => {
    const books = await firstBooks(5)
    const quarter = await books.report('ProfitAndLoss', '2025-10-01', '2025-12-31')
    const oneByOne: number[] = []
    for (const [start, end] of [
      ['2025-10-01', '2025-10-31'],
      ['2025-11-01', '2025-11-30'],
      ['2025-12-01', '2025-12-31'],
    ] as const) {
      oneByOne.push(totalOf(await books.report('ProfitAndLoss', start, end), 'Net Income'))
    }
    expect(amountsOf(quarter, 'Net Income')).toEqual([...oneByOne, sum(oneByOne)])
  })
})

describe('the other reports of a desktop company', () => {
  const start = '2025-11-01'
  const end = '2026-02-28'

  it('profit and loss with balance sheet combines both reports', async () => {
    const books = await firstBooks(11)
    const both = await books.report('PandLBalanceSheet', start, end)
    expect(await books.report('PLandBalanceSheet', start, end)).toMatchObject({
      ReportLineData: both.ReportLineData,
    })
    const profit = await books.report('ProfitAndLoss', start, end)
    const sheet = await books.report('BalanceSheet', start, end)
    expect(totalOf(both, 'Gross Profit')).toBe(totalOf(profit, 'Gross Profit'))
    expect(totalOf(both, 'Total Assets')).toBe(totalOf(sheet, 'Total Assets'))
    checkSections(both)
  })

  it('the profit and loss detail has the same net income and account totals', async () => {
    const books = await firstBooks(11)
    const profit = await books.report('ProfitAndLoss', start, end)
    const detail = await books.report('ProfitAndLossDetail', start, end)
    expect(totalOf(detail, 'Net Income')).toBe(totalOf(profit, 'Net Income'))
    for (const row of profit.ReportLineData.filter((candidate) => candidate.RowType === 'DataRow')) {
      expect(totalOf(detail, `Total ${row.EntityRef.FullName}`)).toBe(cents(row.Values.at(-1)))
    }
  })

  it('the budget is compared with the actual amounts', async () => {
    const books = await firstBooks(11)
    const profit = await books.report('ProfitAndLoss', start, end)
    const plan = await books.report('ProfitAndLossBudgetOverview', start, end)
    const compared = await books.report('ProfitAndLossBudgetVsActual', start, end)
    checkSections(plan)
    checkTotalColumn(plan)
    const [actual = 0, budget = 0, over] = amountsOf(compared, 'Total Income')
    expect(actual).toBe(totalOf(profit, 'Total Income'))
    expect(budget).toBe(totalOf(plan, 'Total Income'))
    expect(over).toBe(actual - budget)
  })

  it('the wages of payroll items equal the wages in profit and loss', async () => {
    const books = await firstBooks(11)
    const profit = await books.report('ProfitAndLoss', start, end)
    const items = await books.report('PayrollItemDetail', start, end)
    const wages = profit.ReportLineData.filter((row) =>
      /^\S+ · (Office|Field) Wages$/.test(row.EntityRef.FullName),
    )
    expect(wages.length).toBe(2)
    expect(totalOf(items, 'Total Salary') + totalOf(items, 'Total Hourly Wages')).toBe(
      sum(wages.map((row) => cents(row.Values.at(-1)))),
    )
    const company = ['Social Security Company', 'Medicare Company', 'State Unemployment Company']
    expect(sum(company.map((item) => totalOf(items, `Total ${item}`)))).toBe(
      totalOf(profit, '6590 · Payroll Taxes'),
    )
  })

  it('expenses by vendor add up, and the audit trail has an entry for every day', async () => {
    const books = await firstBooks(11)
    const vendors = await books.report('VendorExpenseSummary', start, end)
    const rows = vendors.ReportLineData.filter((row) => row.RowType === 'DataRow')
    expect(sum(rows.map((row) => cents(row.Values[0])))).toBe(totalOf(vendors, 'TOTAL'))
    const trail = await books.report('AuditTrail', start, end)
    const days = trail.ReportLineData.filter((row) => row.RowType === 'DataRow').map((row) =>
      row.EntityRef.FullName.slice(0, 10),
    )
    expect(days.every((text) => text >= start && text <= end)).toBe(true)
    expect(days.length).toBeGreaterThan(50)
  })
})

describe('the lists of a company', () => {
  it('have unique names across customers, vendors, and employees, for any seed', async () => {
    await fc.assert(
      fc.asyncProperty(seed, async (seedNumber) => {
        const service = createSampleService({ key: KEY, seed: seedNumber, today: TODAY, customers: 30_000 })
        for (const books of await booksOf(service, KEY)) {
          const names: unknown[] = []
          for (const record of await books.records('customer')) names.push(record['FullName'])
          for (const record of await books.records('vendor')) names.push(record['Name'])
          for (const record of await books.records('employee')) names.push(record['Name'])
          expect(new Set(names.map((name) => String(name).toLowerCase())).size).toBe(names.length)
        }
      }),
      { numRuns: DEEPER },
    )
  })

  it('are the same for the same seed and day, and different for another seed', async () => {
    const read = async (number: number): Promise<unknown> => (await firstBooks(number)).records('customer')
    expect(await read(3)).toEqual(await read(3))
    expect(await read(3)).not.toEqual(await read(4))
  })
})
