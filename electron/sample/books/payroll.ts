// Paychecks every second Friday, and the payroll taxes paid the month after.
import { type Day, monthEnd, monthStart } from '../time.ts'
import { partOf } from '../cents.ts'
import { STATE_TAX, TREASURY } from '../records/lists.ts'
import { type PayItem, type BooksSource } from './ledger.ts'

const FEDERAL_WITHHOLDING = 0.115
const STATE_WITHHOLDING = 0.041
const SOCIAL_SECURITY = 0.062
const MEDICARE = 0.0145
const UNEMPLOYMENT = 0.006

/** Posts a company's payroll from the first day of its books to today. */
export function postPayroll(source: BooksSource): void {
  const owed = { federal: new Map<Day, number>(), state: new Map<Day, number>() }
  let number = 7000
  for (let day = firstFriday(source.start); day <= source.today; day += 14) {
    for (const index of source.profile.jobs.keys()) postPaycheck(source, day, index, String(++number), owed)
  }
  for (let month = source.start; month <= source.today; month = monthStart(month, 1)) {
    payTaxes(source, month, TREASURY, 'federalTax', owed.federal.get(month) ?? 0)
    payTaxes(source, month, STATE_TAX, 'stateTax', owed.state.get(month) ?? 0)
  }
}

/** Day 1 of the count, 2 January 1970, was a Friday. */
function firstFriday(start: Day): Day {
  return start + ((1 - (start % 7) + 7) % 7)
}

function postPaycheck(
  source: BooksSource,
  day: Day,
  index: number,
  number: string,
  owed: { federal: Map<Day, number>; state: Map<Day, number> },
): void {
  const { profile, lists, random } = source
  const job = profile.jobs[index]
  const employeeId = lists.employeeIds[index]
  if (job === undefined || employeeId === undefined) return
  const years = Math.floor((day - source.start) / 365)
  const hours = job.hourly ? 0.9 + random.unit() * 0.16 : 1
  const gross = partOf(job.gross, hours * (1 + 0.03 * years))
  const part = (item: string, rate: number): PayItem => ({ item, base: gross, cents: partOf(gross, rate) })
  const federal = part('Federal Withholding', -FEDERAL_WITHHOLDING)
  const state = part('State Withholding', -STATE_WITHHOLDING)
  const security = part('Social Security Employee', -SOCIAL_SECURITY)
  const medicare = part('Medicare Employee', -MEDICARE)
  const securityCompany = part('Social Security Company', SOCIAL_SECURITY)
  const medicareCompany = part('Medicare Company', MEDICARE)
  const unemployment = part('State Unemployment Company', UNEMPLOYMENT)
  const company = securityCompany.cents + medicareCompany.cents + unemployment.cents
  const federalOwed =
    securityCompany.cents + medicareCompany.cents - federal.cents - security.cents - medicare.cents
  const stateOwed = unemployment.cents - state.cents
  const net = gross + federal.cents + state.cents + security.cents + medicare.cents
  source.ledger.post({
    type: 'Paycheck',
    day,
    number,
    party: { object: 'employee', id: employeeId },
    memo: job.title,
    payItems: [
      { item: job.hourly ? 'Hourly Wages' : 'Salary', base: gross, cents: gross },
      federal,
      state,
      security,
      medicare,
      securityCompany,
      medicareCompany,
      unemployment,
    ],
    lines: [
      [lists.accountId('checking'), -net, 'Net pay'],
      [lists.accountId(job.wages), gross, 'Gross pay'],
      [lists.accountId('payrollTaxes'), company, 'Company taxes'],
      [lists.accountId('federalTax'), -federalOwed, 'Federal payroll taxes'],
      [lists.accountId('stateTax'), -stateOwed, 'State payroll taxes'],
    ],
  })
  const month = monthStart(day)
  owed.federal.set(month, (owed.federal.get(month) ?? 0) + federalOwed)
  owed.state.set(month, (owed.state.get(month) ?? 0) + stateOwed)
}

function payTaxes(source: BooksSource, month: Day, agency: string, account: string, cents: number): void {
  const day = monthEnd(month) + 15
  if (day > source.today || cents === 0) return
  source.ledger.post({
    type: 'Liability Check',
    day,
    party: { object: 'vendor', id: source.lists.vendorId(agency) },
    memo: 'Payroll taxes of the month before',
    lines: [
      [source.lists.accountId(account), cents],
      [source.lists.accountId('checking'), -cents],
    ],
  })
}
