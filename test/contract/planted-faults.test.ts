// The faults that docs/sample.md lists are in the sample's books, and nothing else is wrong with them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSampleService, type SampleService } from '../../electron/sample/service.ts'
import { createMemoryStorage } from '../../electron/sample/storage.ts'
import {
  type Books,
  balanceOf,
  booksOf,
  checkAgreement,
  cents,
  sum,
  totalOf,
  type WireReport,
} from './books-agreement.ts'

const KEY = 'a-key'
const DEEPER = process.env['BOOKBRIDGE_DEEP'] === '1' ? 25 : 1
const CREDIT_TYPES =
  'AccountsPayable CreditCard OtherCurrentLiability LongTermLiability Equity Income OtherIncome'.split(' ')
/** On the other side of their type, and right there. */
const CONTRA_ACCOUNTS = [
  'Accumulated Depreciation',
  "Owner's Draws",
  'Discounts Given',
  'Multi-Pet Discounts',
]

interface Month {
  readonly start: string
  readonly end: string
}

/** A month that is so many months before the last full one. */
function monthBefore(today: string, monthsAgo: number): Month {
  const [year = 0, month = 0] = today.split('-').map(Number)
  const day = (months: number, date: number): string =>
    new Date(Date.UTC(year, month - 1 + months, date)).toISOString().slice(0, 10)
  return { start: day(-1 - monthsAgo, 1), end: day(-monthsAgo, 0) }
}

type Rows = { readonly name: string; readonly id: string; readonly values: readonly number[] }[]

function rowsOf(report: WireReport): Rows {
  return report.ReportLineData.filter(({ RowType }) => RowType === 'DataRow').map(
    ({ EntityRef, Values }) => ({
      name: EntityRef.FullName.replace(/^\d{4} · /, ''),
      id: EntityRef.ID,
      values: Values.map((text) => cents(text)),
    }),
  )
}

/** What a careful reader would find wrong with one month of a company, a sentence each. */
async function findingsOf(books: Books, today: string, monthsAgo: number): Promise<string[]> {
  const month = monthBefore(today, monthsAgo)
  const found: string[] = []
  const accounts = new Map((await books.records('account')).map((record) => [String(record['ID']), record]))
  const isDesktop = books.application === 'qbd'

  const balances = rowsOf(await books.report('TrialBalance', month.start, month.end))
  for (const { id, name, values } of balances) {
    const { Name = '', Type = '', IsActive } = accounts.get(id) ?? {}
    const [debit = 0, credit = 0] = values
    const short = String(Name)
    const balance = debit - credit
    if (balance === 0) continue
    if (/uncategorized|opening balance equity|ask my accountant|undeposited/i.test(name))
      found.push(`${short} has a balance of ${String(Math.abs(balance))}`)
    const isCredit = CREDIT_TYPES.includes(String(Type))
    // Retained earnings may be a loss.
    if (isCredit === balance > 0 && !CONTRA_ACCOUNTS.includes(short) && short !== 'Retained Earnings') {
      const isWholeYear = /Income|Expense|CostOfGoodsSold/.test(String(Type))
      if (!isWholeYear) found.push(`${short} is on the wrong side`)
    }
    if (IsActive !== 'true') found.push(`${short} is inactive and has a balance of ${String(balance)}`)
  }

  const before = monthBefore(today, monthsAgo + 1)
  const sheetOf = async ({ start, end }: Month): Promise<Map<string, number>> =>
    new Map(
      rowsOf(await books.report('BalanceSheet', start, end)).map(({ name, values }) => [
        name,
        values[0] ?? 0,
      ]),
    )
  const sheetBefore = await sheetOf(before)
  const sheet = await sheetOf(month)
  for (const [name, amount] of sheet) {
    if (/Loan|Payroll Taxes|Sales Tax/.test(name) && sheetBefore.get(name) === amount)
      found.push(`${name} stands still`)
    if (name !== 'Retained Earnings') continue
    const result = month.start.endsWith('-01-01') ? (sheetBefore.get('Net Income') ?? 0) : 0
    const moved = amount - (sheetBefore.get(name) ?? 0) - result
    if (moved !== 0) found.push(`${name} moved by ${String(moved)}`)
  }

  const history = await books.report('ProfitAndLoss', monthBefore(today, monthsAgo + 12).start, month.end)
  for (const { name, values } of rowsOf(history)) {
    const amounts = values.slice(0, 13)
    const now = amounts[12] ?? 0
    const earlier = amounts.slice(0, 12)
    const mean = sum(earlier) / 12
    const isCostly = Math.abs(now - mean) > 25_000 && Math.abs(now - (earlier[0] ?? 0)) > 25_000
    if (earlier.every((amount) => amount === 0)) {
      if (now !== 0) found.push(`${name} is used for the first time`)
    } else if (now === 0) {
      if (earlier.filter((amount) => amount !== 0).length > 10) found.push(`${name} is missing`)
    } else if (isCostly && Math.abs(now - mean) > Math.abs(mean) / 4)
      found.push(`${name} is out of the usual`)
    if (now < 0 && !CONTRA_ACCOUNTS.includes(name)) found.push(`${name} is negative`)
  }

  for (const { name, values } of rowsOf(await books.report('ProfitAndLossByClass', month.start, month.end))) {
    const none = values.at(-2) ?? 0
    if (none !== 0 && values.slice(0, -2).some((amount) => amount !== 0))
      found.push(`${name} has ${String(none)} without a class`)
  }

  if (isDesktop) {
    for (const { name, values } of rowsOf(
      await books.report('ProfitAndLossBudgetVsActual', month.start, month.end),
    )) {
      const [, budget = 0, over = 0] = values
      const isCost =
        !/Income|Design|Labor|Materials$|Examinations|Surgery|Laboratory|Pharmacy|Boarding|Discounts/.test(
          name,
        )
      if (isCost && budget > 0 && over > budget / 10 && over > 20_000) found.push(`${name} is over budget`)
    }
    const ledger = rowsOf(await books.report('GeneralLedger', month.start, month.end))
    const seen = new Set<string>()
    for (const { name, values } of ledger) {
      const entry = JSON.stringify([name, values.slice(0, 2)])
      if (seen.has(entry) && /^\d/.test(name)) found.push(`${name.split(', ')[2] ?? ''} is there twice`)
      seen.add(entry)
    }
  }

  const ageing = isDesktop
    ? await books.report('ARAgingDetail', month.start, month.end)
    : await books.report('AgedReceivables', month.start, month.end)
  expect(totalOf(ageing, 'TOTAL')).toBe(sheet.get('Accounts Receivable') ?? 0)
  for (const { name, values } of rowsOf(ageing)) {
    const late = isDesktop ? Number(/(\d+) days late/.exec(name)?.[1] ?? 0) > 90 : (values[4] ?? 0) !== 0
    if (late) found.push(`${String(values.at(isDesktop ? 0 : 4))} is owed for more than 90 days`)
    if ((values.at(-1) ?? 0) < 0) found.push(`a credit of ${String(values.at(-1))}`)
  }

  const vendors = await books.records('vendor')
  const inactive = new Set(vendors.filter(({ IsActive }) => IsActive !== 'true').map(({ ID }) => String(ID)))
  const spending = await books.report(
    isDesktop ? 'VendorExpenseSummary' : 'VendorExpenses',
    month.start,
    month.end,
  )
  for (const { id, name } of rowsOf(spending))
    if (inactive.has(id)) found.push(`${name} is inactive and has activity`)
  return found.toSorted()
}

/** What is wrong with the lists of a company. */
async function listFindingsOf(books: Books): Promise<string[]> {
  const found: string[] = []
  const [customers, vendors] = [await books.records('customer'), await books.records('vendor')]
  for (const { Name, IsActive, Balance } of customers) {
    if (IsActive !== 'true' && balanceOf({ Balance: Balance ?? '0.00' }) !== 0)
      found.push(`${String(Name)} is inactive and owes`)
  }
  for (const list of [customers, vendors]) {
    const seen = new Map<string, string>()
    for (const record of list) {
      const { Name, Phone = '', Email = '', Parent } = record
      if (typeof Parent === 'object' && Parent !== null && Object.values(Parent).some((part) => part !== ''))
        continue
      const words =
        String(Name)
          .toLowerCase()
          .replaceAll(/\b(inc|llc)\b/g, '')
          .match(/\w+/g) ?? []
      const keys = [words.toSorted().join(' '), String(Phone), String(Email)].filter((key) => key !== '')
      const twin = keys.map((key) => seen.get(key)).find((name) => name !== undefined)
      if (twin !== undefined)
        found.push(list === vendors ? `${String(Name)} is ${twin}` : 'a customer is there twice')
      for (const key of keys) seen.set(key, String(Name))
      if (Email !== '' && !/^[^@\s]+@[^@\s]+\.\w+$/.test(String(Email))) found.push('a malformed email')
      if (!/^\(\d{3}\) \d{3}-\d{4}$/.test(String(Phone))) found.push('a malformed phone number')
    }
  }
  for (const { Name, EligibleFor1099, Address, CompanyName = '' } of vendors) {
    const hasAddress = Object.values(Object(Address) as object).some((line) => line !== '')
    if (EligibleFor1099 === 'true' && (!hasAddress || CompanyName === ''))
      found.push(`${String(Name)} has no address`)
  }
  return found.toSorted()
}

type Planted = readonly (readonly [finding: string, from: number, to: number])[]

/** By company: what is found, and in which months, counted back from the last full one. */
const PLANTED: readonly { readonly months: Planted; readonly lists: readonly string[] }[] = [
  {
    months: [
      ['48213 is there twice', 0, 0],
      ['48213 is there twice', 0, 0],
      ['481250 is owed for more than 90 days', 3, 0],
      ['Gas and Electric is out of the usual', 0, 0],
      ['Gas and Electric is over budget', 0, 0],
      ['Subcontractors has 114000 without a class', 0, 0],
      ['Tamarack Tile is inactive and has activity', 0, 0],
      ['Uncategorized Income has a balance of 135000', 0, 0],
      ['Uncategorized Income is used for the first time', 0, 0],
    ],
    lists: ['Marchetti Plumbing Inc. is Marchetti Plumbing', 'Okonkwo Concrete has no address'],
  },
  {
    months: [
      ['Company Credit Card is on the wrong side', 0, 0],
      ['Equipment Loan stands still', 0, 0],
      ['Interest Expense is missing', 0, 0],
      ['Medical Waste is negative', 0, 0],
      ['Medical Waste is out of the usual', 0, 0],
      ['Opening Balance Equity has a balance of 215000', 8, 0],
      ['Rent is missing', 1, 1],
      ['Retained Earnings moved by -127560', 0, 0],
      ['Undeposited Funds has a balance of 86420', 3, 0],
      ['a credit of -31240', 0, 0],
    ],
    lists: ['a customer is there twice', 'a malformed email', 'a malformed phone number'],
  },
  {
    months: [
      ['326000 is owed for more than 90 days', 3, 0],
      ['Ask My Accountant has a balance of 41575', 0, 0],
      ['Ask My Accountant is used for the first time', 0, 0],
      ['Old Payroll Checking is inactive and has a balance of 21208', 99, 0],
      ['Schematic Design has 168500 without a class', 0, 0],
      ['Software is out of the usual', 0, 0],
      ['Telephone and Internet is missing', 0, 0],
    ],
    lists: ['Blueline Reprographics, LLC is Blueline Reprographics', 'Peregrine Surveying has no address'],
  },
]

const day = fc
  .integer({ min: 0, max: 800 })
  .map((days) => new Date(Date.UTC(2025, 0, 1 + days)).toISOString().slice(0, 10))

async function sampleOf(seed: number, today: string, more = 0): Promise<Books[]> {
  const service = createSampleService({ key: KEY, seed, today, now: () => Date.parse(today) })
  const send = async (
    path: string,
    init: RequestInit = {},
  ): Promise<{ Contents: { Object: { userId: string } }[] }> => {
    const request = new Request(`http://sample.example/v2/manage/${path}`, {
      headers: { 'x-api-key': KEY },
      ...init,
    })
    return (await (await service.handle(request)).json()) as { Contents: { Object: { userId: string } }[] }
  }
  const userId = more === 0 ? '' : (await send('endpoint')).Contents[0]?.Object.userId
  for (const endpoint of ['qbd', 'qbd', 'qbo'].slice(0, more))
    await send('company', { method: 'POST', body: JSON.stringify({ userId, endpoint }) })
  return await booksOf(service, KEY)
}

describe('the books of the sample', () => {
  it('hold the planted faults and no others, for any seed, day, and month', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        day,
        fc.integer({ min: 0, max: 22 }),
        async (seed, today, monthsAgo) => {
          const companies = await sampleOf(seed, today)
          for (const [index, books] of companies.entries()) {
            for (const ago of new Set([0, monthsAgo])) {
              const planted = PLANTED[index]?.months.filter(([, from, to]) => ago <= from && ago >= to)
              expect(await findingsOf(books, today, ago)).toEqual(
                planted?.map(([finding]) => finding).toSorted(),
              )
            }
            expect(await listFindingsOf(books)).toEqual(PLANTED[index]?.lists)
          }
        },
      ),
      { numRuns: 4 * DEEPER },
    )
  })

  it('are clean in the companies that a person provisions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        day,
        fc.integer({ min: 0, max: 22 }),
        async (seed, today, monthsAgo) => {
          const companies = (await sampleOf(seed, today, 3)).slice(PLANTED.length)
          expect(companies.length).toBe(3)
          for (const books of companies) {
            expect(await findingsOf(books, today, monthsAgo)).toEqual([])
            expect(await listFindingsOf(books)).toEqual([])
          }
        },
      ),
      { numRuns: 2 * DEEPER },
    )
  })

  it('change in a closed month while somebody has a late entry there', async () => {
    const today = '2026-03-31'
    const storage = createMemoryStorage()
    const start = (): SampleService =>
      createSampleService({ key: KEY, today, storage, now: () => Date.parse(today) })
    const service = start()
    for (const books of await booksOf(service, KEY)) {
      const { start: from, end } = monthBefore(today, 0)
      const company = service.state().companies.find(({ endpointId }) => endpointId === books.endpointId)
      const set = (lateEntry: boolean): unknown =>
        service.control({ company: company?.companyName ?? '', lateEntry })
      const profit = async (): Promise<number> =>
        totalOf(await books.report('ProfitAndLoss', from, end), 'Net Income')
      const before = await profit()
      set(true)
      expect(await profit()).toBe(before - 125_000)
      await checkAgreement(books, from, end)
      if (books.application === 'qbd') {
        const late = rowsOf(await books.report('AuditTrail', from, end)).filter(({ name }) =>
          name.includes('LATE'),
        )
        expect(late.map(({ name }) => /entered (\S{10})/.exec(name)?.[1])).toEqual([today])
      }
      set(false)
      expect(await profit()).toBe(before)
      set(true)
    }
    const again = start()
    expect(again.state().files.map(({ hasLateEntry }) => hasLateEntry)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
    again.reset()
    expect(again.state().files.some(({ hasLateEntry }) => hasLateEntry)).toBe(false)
    expect(service.control({ lateEntry: true })).toBe('lateEntry must be true or false, and needs a company')
  })
})
