// A review of the sample's books finds the faults that docs/sample.md lists, and nothing else.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reviewMonth } from '../../electron/review/review.ts'
import { createSampleService, type SampleService } from '../../electron/sample/service.ts'
import { createMemoryStorage } from '../../electron/sample/storage.ts'
import { Format, formatSentence } from '../../shared/format/format.ts'
import { isDeep } from '../seeds.ts'
import { evidenceOf, findingsOf } from '../unit/review/books.ts'
import { type Books, booksOf, checkAgreement, checkTrialBalance, send, totalOf } from './books-agreement.ts'

const KEY = 'a-key'
const FORMAT = new Format({ locale: 'en-US', negatives: 'minus' })
const DEEPER = isDeep ? 25 : 1
const ALWAYS = 99

/** A planted fault, and the months in which it is found, as numbers of months before the last full one. */
interface Planted {
  readonly finding: RegExp
  readonly from?: number
  readonly to?: number
}

/** By company, in the order of the rules. */
const PLANTED: readonly (readonly Planted[])[] = [
  [
    { finding: /^should-be-empty 4999 · Uncategorized Income -1350$/ },
    { finding: /^past-90-days .* 4812\.5$/, from: 3 },
    { finding: /^unusual 6610 · Gas and Electric / },
    { finding: /^first-use 6460 · Storage 385$/ },
    { finding: /^no-class 5020 · Subcontractors 1140$/ },
    { finding: /^over-budget 6610 · Gas and Electric / },
    { finding: /^entered-twice .*, Bill, 48213, Tri-County Building Materials 2486\.4$/ },
    { finding: /^inactive Tamarack Tile 918\.25$/ },
    { finding: /^duplicates Marchetti Plumbing and Marchetti Plumbing Inc\. $/, from: ALWAYS },
    { finding: /^incomplete-1099 Okonkwo Concrete $/, from: ALWAYS },
  ],
  [
    { finding: /^earlier-years 3900 · Retained Earnings -1275\.6$/ },
    { finding: /^should-be-empty 3000 · Opening Balance Equity -2150$/, from: 8 },
    { finding: /^undeposited-funds 1250 · Undeposited Funds 864\.2$/, from: 3 },
    { finding: /^wrong-side 2050 · Company Credit Card / },
    { finding: /^stands-still 2500 · Equipment Loan / },
    { finding: /^customer-credit .* -312\.4$/ },
    { finding: /^missing-this-month 6400 · Rent /, from: 1, to: 1 },
    { finding: /^missing-this-month 8010 · Interest Expense / },
    { finding: /^reversed-sign 6640 · Medical Waste -/ },
    { finding: /^duplicates (\S+), (\S+) and \2 \1 $/, from: ALWAYS },
    { finding: /^malformed .* email .* and the phone number /, from: ALWAYS },
  ],
  [
    { finding: /^should-be-empty Ask My Accountant 415\.75$/ },
    { finding: /^past-90-days .* 3260$/, from: 3 },
    { finding: /^unusual Software / },
    { finding: /^missing-this-month Telephone and Internet / },
    { finding: /^no-class Schematic Design 1685$/ },
    { finding: /^inactive Old Payroll Checking 212\.08$/, from: ALWAYS },
    { finding: /^duplicates Blueline Reprographics and Blueline Reprographics, LLC $/, from: ALWAYS },
    { finding: /^incomplete-1099 Peregrine Surveying $/, from: ALWAYS },
  ],
]

/** The first and last day of the month that is `monthsAgo` months before the last full one. */
function monthBefore(today: string, monthsAgo: number): { readonly start: string; readonly end: string } {
  const [year = 0, month = 0] = today.split('-').map(Number)
  const day = (months: number, date: number): string =>
    new Date(Date.UTC(year, month - 1 + months, date)).toISOString().slice(0, 10)
  return { start: day(-1 - monthsAgo, 1), end: day(-monthsAgo, 0) }
}

async function review(books: Books, today: string, monthsAgo: number): Promise<string[]> {
  const month = monthBefore(today, monthsAgo).start.slice(0, 7)
  const outcomes = reviewMonth(await evidenceOf(books, month), null)
  const retained = outcomes.find(({ rule }) => rule === 'earlier-years')
  if (retained?.result === 'not-checked') throw new Error(retained.reason)
  return findingsOf(outcomes).map(({ rule, subject, amount, detail }) =>
    // The detail tells two similar faults apart.
    rule === 'malformed'
      ? `${rule} ${subject} ${formatSentence(detail, FORMAT)}`
      : `${rule} ${subject} ${amount}`,
  )
}

/** The companies of a sample: the first three, and `more` of those that a user can provision. */
async function companiesOf(seed: number, today: string, more = 0): Promise<Books[]> {
  const service = createSampleService({ key: KEY, seed, today, now: () => Date.parse(today) })
  const userId = (await send(service, KEY, '/v2/manage/endpoint')).Contents[0]?.Object['userId']
  for (const endpoint of ['qbd', 'qbd', 'qbo'].slice(0, more))
    await send(service, KEY, '/v2/manage/company', 'POST', { userId, endpoint })
  return await booksOf(service, KEY)
}

const seed = fc.integer({ min: 1, max: 1_000_000 })
const today = fc
  .integer({ min: 0, max: 800 })
  .map((days) => new Date(Date.UTC(2025, 0, 1 + days)).toISOString().slice(0, 10))
/** Only months with 12 earlier months to compare with. */
const monthsAgo = fc.integer({ min: 0, max: 22 })

describe('a review of the sample', () => {
  it('finds the planted faults and nothing else, for any seed, day, and month', async () => {
    await fc.assert(
      fc.asyncProperty(seed, today, monthsAgo, async (number, day, ago) => {
        for (const [index, books] of (await companiesOf(number, day)).entries()) {
          for (const month of new Set([0, ago])) {
            const planted = (PLANTED[index] ?? []).filter(
              ({ from = 0, to = 0 }) => month <= from && month >= to,
            )
            const found = await review(books, day, month)
            expect(found).toEqual(planted.map(({ finding }) => expect.stringMatching(finding) as unknown))
          }
        }
      }),
      { numRuns: 3 * DEEPER },
    )
  })

  it('finds nothing in the companies that a user provisions', async () => {
    await fc.assert(
      fc.asyncProperty(seed, today, monthsAgo, async (number, day, ago) => {
        const companies = (await companiesOf(number, day, 3)).slice(PLANTED.length)
        expect(companies.length).toBe(3)
        for (const books of companies) expect(await review(books, day, ago)).toEqual([])
      }),
      { numRuns: 2 * DEEPER },
    )
  })
})

describe('every month of the sample', () => {
  it('has reports that agree with each other, and receivables that equal their aging', async () => {
    const day = '2026-03-31'
    for (const books of await companiesOf(1, day)) {
      for (let ago = 0; ago < 36; ago += 5) {
        const { start, end } = monthBefore(day, ago)
        await checkAgreement(books, start, end)
        await checkTrialBalance(books, end)
        const name = books.application === 'qbd' ? 'ARAgingDetail' : 'AgedReceivables'
        const { ReportLineData } = await books.report('BalanceSheet', start, end)
        const receivable = ReportLineData.find(
          ({ RowType, EntityRef }) =>
            RowType === 'DataRow' && EntityRef.FullName.endsWith('Accounts Receivable'),
        )
        const aging = totalOf(await books.report(name, start, end), 'TOTAL')
        expect((aging / 100).toFixed(2)).toBe(receivable?.Values[0])
      }
    }
  })

  it('differs from its closed copy while it has a late entry', async () => {
    const day = '2026-03-31'
    const storage = createMemoryStorage()
    const enteredAt = `${day}T09:30:00`
    const start = (): SampleService =>
      createSampleService({ key: KEY, today: day, storage, now: () => Date.parse(enteredAt) })
    const service = start()
    const { start: from, end } = monthBefore(day, 0)
    for (const books of await booksOf(service, KEY)) {
      const companies = service.state().companies
      const company = companies.find(({ endpointId }) => endpointId === books.endpointId)?.companyName ?? ''
      const profit = async (): Promise<number> =>
        totalOf(await books.report('ProfitAndLoss', from, end), 'Net Income')
      const before = await profit()
      service.control({ company, lateEntry: true })
      expect(await profit()).toBe(before - 125_000)
      await checkAgreement(books, from, end)
      if (books.application === 'qbd') {
        const { ReportLineData } = await books.report('AuditTrail', from, end)
        const late = ReportLineData.map(({ EntityRef }) => EntityRef.FullName).filter((name) =>
          name.includes('LATE'),
        )
        // It is never entered after its report was read.
        expect(late).toEqual([expect.stringContaining(`entered ${enteredAt}`)])
      }
      service.control({ company, lateEntry: false })
      expect(await profit()).toBe(before)
      service.control({ company, lateEntry: true })
    }
    const again = start()
    const late = (): boolean[] => again.state().files.map(({ hasLateEntry }) => hasLateEntry)
    expect(late()).toEqual([true, true, true, false, false, false])
    again.reset()
    expect(late()).not.toContain(true)
    expect(service.control({ lateEntry: true })).toBe('lateEntry must be true or false, and needs a company')
  })
})
