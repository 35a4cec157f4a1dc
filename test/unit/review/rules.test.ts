/** The rules of a review: each finds its kind of fault, by name and to the cent, and clean books have no findings. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { compareStatements } from '../../../electron/review/compare.ts'
import type { Evidence, FullReport, ListedRecord } from '../../../electron/review/evidence/evidence.ts'
import { incomeSign, linesOf } from '../../../electron/review/evidence/lines.ts'
import { monthStatement } from '../../../electron/review/evidence/month-columns.ts'
import { LedgerReader } from '../../../electron/review/ledger-reader.ts'
import { isOffered, planReadings } from '../../../electron/review/plan.ts'
import { reviewMonth } from '../../../electron/review/review.ts'
import { checkReport } from '../../../electron/rows/reports/checks.ts'
import type { Decimal } from '../../../shared/format/money.ts'
import type { RawReportRow, ReportRow } from '../../../shared/reports/reports.ts'
import type { Finding, RuleOutcome } from '../../../shared/review/review.ts'
import { RULE_IDS, type RuleId, RULES, type Source } from '../../../shared/review/rules.ts'
import { isDeep } from '../../seeds.ts'
import {
  changed,
  type Entry,
  entry,
  evidenceOfMade,
  findingsOf,
  found,
  type MadeBooks,
  makeBooks,
  raw,
  reason,
  record,
  statementOf,
  transfer,
  uncheckedIn,
  withoutIds,
  withRows,
} from './books.ts'
import { rulesTable } from './rules-table.ts'

const CLEAN = makeBooks()
const DEEPER = isDeep ? 80 : 1

/** The findings in clean books with these additional entries. */
function foundWith(...entries: readonly Entry[]): string[] {
  return found(evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, ...entries] }))
}

function without(isOut: (entry: Entry) => boolean): MadeBooks {
  return { ...CLEAN, entries: CLEAN.entries.filter((each) => !isOut(each)) }
}

function withList(
  source: Source,
  change: (records: readonly ListedRecord[]) => readonly ListedRecord[],
): Evidence {
  return evidenceOfMade({
    ...CLEAN,
    lists: new Map([...CLEAN.lists, [source, change(CLEAN.lists.get(source) ?? [])]]),
  })
}

/** Evidence with one report changed. */
function withStatement(source: Source, change: (statement: FullReport) => FullReport | null): Evidence {
  return changed(evidenceOfMade(CLEAN), source, change)
}

/** Replaces a value in the row of a name. */
function withValue(statement: FullReport, name: string, column: number, value: string): FullReport {
  return {
    ...statement,
    rows: statement.rows.map((row) =>
      row.name === name ? { ...row, values: row.values.with(column, value) } : row,
    ),
  }
}

const is =
  (name: string) =>
  ({ name: each, date }: Entry): boolean =>
    each === name && date.startsWith('2026-03')

/** Books whose amounts vary by up to 15 percent. */
const anyBooks = fc
  .array(fc.integer({ min: -150, max: 150 }), { minLength: 97, maxLength: 97 })
  .map((changes) => {
    let at = 0
    const factors = new Map<string, number>()
    return makeBooks((account, month) => {
      const key = `${account} ${String(month)}`
      const factor = factors.get(key) ?? 1 + (changes[(at = (at + 1) % changes.length)] ?? 0) / 1_000
      factors.set(key, factor)
      return factor
    })
  })

describe('clean books', () => {
  it('have no findings, and only the rule without a threshold is off', () => {
    const outcomes = reviewMonth(evidenceOfMade(CLEAN), null)
    expect(outcomes.filter(({ result }) => result !== 'clean')).toEqual([
      { rule: 'large-entry', result: 'off', reason: 'No amount is set under Settings, Review.' },
    ])
    expect(outcomes.map(({ rule }) => rule)).toEqual(
      RULE_IDS.filter((rule) => rule !== 'changed-after-close'),
    )
  })

  it('have no findings whatever their amounts, within 15 percent of the usual', () => {
    fc.assert(
      fc.property(anyBooks, (books) => {
        expect(found(evidenceOfMade(books))).toEqual([])
      }),
      { numRuns: 15 * DEEPER },
    )
  })

  it('have no findings for relatives, branches, and accounts with nearly the same names', () => {
    const shared = { phone: '503-555-0190', email: 'front@desk.example' }
    const names = [
      ['Robert Marsh Sr.', 'Robert Marsh Jr.'],
      ['Robert Marsh', 'Robert Marsh II'],
      ['Harbor Cafe Downtown', 'Harbor Cafe Uptown'],
      ['Store 12', 'Store 14'],
      ['Safeway', 'Safeway #1512', 'Safeway #1633'],
      ['Ana Smith', 'Ben Smith'],
      ['Cole Family Trust', 'Cole Roofing'],
    ]
    for (const those of names) {
      const two = those.map((name, at) => record(`n${String(at)}`, name, shared))
      expect(found(withList('customers', (all) => [...all, ...two]))).toEqual([])
    }
    const branches = ['Home Depot', 'Home Depot #4501', 'Home Depot #4502'].map((name, at) =>
      record(`b${String(at)}`, name, shared),
    )
    const apart = ['Dana Smith', 'Dana Smyth'].map((name, at) => record(`n${String(at)}`, name))
    expect(found(withList('vendors', (all) => [...all, ...branches, ...apart]))).toEqual([])
    const accounts = ['Company Vehicles', 'Vehicles', 'Loan 1', 'Loan 2', 'Due to Owner', 'Due from Owner']
    const more = accounts.map((name, at) => record(`n${String(at)}`, name, { type: 'Expense' }))
    expect(found(withList('accounts', (all) => [...all, ...more]))).toEqual([])
  })
})

describe('each rule', () => {
  it('finds a balance in an account that should be empty, and says nothing else about it', () => {
    expect(foundWith(transfer('2026-03-09', 'Check', '901', 'Unknown', '6900', '1000', 4_200))).toEqual([
      'should-be-empty: Uncategorized Expense 42',
    ])
    expect(foundWith(transfer('2025-11-09', 'Journal', 'J9', 'Setup', '1000', '3000', 215_000))).toEqual([
      'should-be-empty: Opening Balance Equity -2150',
    ])
  })

  it('finds undeposited funds, and since when', () => {
    const evidence = evidenceOfMade({
      ...CLEAN,
      entries: [
        ...CLEAN.entries,
        transfer('2025-12-09', 'Payment', '7', 'Ash Bakery', '1200', '1000', 86_420),
      ],
    })
    expect(findingsOf(reviewMonth(evidence, null))).toEqual([
      expect.objectContaining({
        rule: 'undeposited-funds',
        amount: '864.2',
        detail: ['It has had a balance since at least ', { date: '2026-01-31' }, '.'],
      }),
    ])
  })

  it('finds balances on the wrong side', () => {
    expect(
      foundWith(transfer('2026-03-30', 'Check', '902', 'Card Services', '2100', '1000', 5_000_000)),
    ).toContain('wrong-side: Company Card 46998.95')
    expect(foundWith(transfer('2026-03-30', 'Journal', 'J3', 'Draw', '3200', '1000', 90_000_000))[0]).toMatch(
      /^wrong-side: Checking -/,
    )
  })

  it('finds a loan that doesn’t change, and the interest that is missing with it', () => {
    expect(found(evidenceOfMade(without(is('Fir Bank'))))).toEqual([
      expect.stringMatching(/^stands-still: Truck Loan/),
      'missing-this-month: Interest Expense 90.13',
    ])
  })

  it('finds missing recurring amounts', () => {
    expect(found(evidenceOfMade(without(is('Dogwood Realty'))))).toEqual(['missing-this-month: Rent 2500.13'])
  })

  it('keeps finding what is missing or doesn’t change, for as long as it recurs', () => {
    const since =
      (name: string, ...months: readonly string[]) =>
      ({ name: each, date }: Entry): boolean =>
        each === name && months.includes(date.slice(0, 7))
    const months = ['2026-03', '2026-02', '2026-01', '2025-12', '2025-11', '2025-10', '2025-09']
    for (let count = 1; count <= 6; count += 1) {
      const rent = found(evidenceOfMade(without(since('Dogwood Realty', ...months.slice(0, count)))))
      expect(rent).toEqual([expect.stringMatching(/^missing-this-month: Rent 2500/)])
      const loan = evidenceOfMade(without(since('Fir Bank', ...months.slice(0, count))))
      // After two months, it may just as well be paid once a year, unless it was found in the month before.
      const still = [
        expect.stringMatching(/^stands-still: Truck Loan/) as unknown,
        expect.stringMatching(/^missing-this-month: Interest Expense/) as unknown,
      ]
      expect(found(loan)).toEqual(still.slice(count === 1 ? 0 : 1))
      expect(reason(loan, 'stands-still')).toMatch(count === 1 ? /^$/ : /^Not compared: Truck Loan\./)
      const severity = (lastMonth: 'accepted' | 'open'): unknown => {
        const again = {
          ...loan,
          foundLastMonth: (key: string) => (key === 'stands-still|2500' ? lastMonth : null),
        }
        expect(found(again)).toEqual(still)
        return findingsOf(reviewMonth(again, null)).find(({ rule }) => rule === 'stands-still')?.severity
      }
      expect(severity('open')).toBe('likely')
      // In its first month, it was found for another reason.
      expect(severity('accepted')).toBe(count === 1 ? 'likely' : 'check')
    }
    expect(found(evidenceOfMade(without(since('Dogwood Realty', ...months))))).toEqual([])
    // One earlier month without it changes nothing.
    expect(found(evidenceOfMade(without(since('Dogwood Realty', '2026-03', '2026-01'))))).toEqual([
      expect.stringMatching(/^missing-this-month: Rent/),
    ])
    const twoMonths = evidenceOfMade(without(since('Fir Bank', '2026-03', '2026-02')))
    const cut: Evidence = {
      ...twoMonths,
      statement: (source) =>
        source === 'balance-sheet-12' ? { ok: false, reason: 'Refused.' } : twoMonths.statement(source),
    }
    expect(reason(cut, 'stands-still')).toBe('Refused.')
  })

  it('doesn’t find a balance if as much was posted to it as was paid', () => {
    // Payroll taxes of one amount, paid in the month after.
    const taxes = ['2025-10', '2025-11', '2025-12', '2026-01', '2026-02', '2026-03'].flatMap((month, at) => [
      transfer(`${month}-15`, 'Paycheck', `T${month}`, 'Elm, Rosa', '6100', '2300', 40_000),
      ...(at === 0 ? [] : [transfer(`${month}-20`, 'Check', `P${month}`, 'State', '2300', '1000', 40_000)]),
    ])
    const books = { ...CLEAN, entries: [...CLEAN.entries, ...taxes] }
    const steady = evidenceOfMade(books)
    const ofRule = (evidence: Evidence): string[] =>
      found(evidence).filter((each) => each.startsWith('stands-still'))
    expect(ofRule(steady)).toEqual([])
    const unread: Evidence = { ...steady, ledger: { ok: false, reason: 'It was refused.' } }
    expect(ofRule(unread)).toEqual([])
    expect(reason(unread, 'stands-still')).toBe(
      'Not compared: Payroll Liabilities. The balance hasn’t changed. Without a general ledger, Bookbridge can’t tell whether anything was posted.',
    )
    const stopped = {
      ...books,
      entries: books.entries.filter(({ number }) => !/^[TP]2026-0[23]/.test(number)),
    }
    expect(ofRule(evidenceOfMade(stopped))).toEqual(['stands-still: Payroll Liabilities 400'])
    // As much was posted as was paid, for the first time. Without a general ledger, wages show that it may be so.
    const once = evidenceOfMade({
      ...books,
      entries: books.entries.filter(({ number }) => number !== 'P2026-02'),
    })
    const unposted: Evidence = { ...once, ledger: { ok: false, reason: 'It was refused.' } }
    expect(ofRule(unposted)).toEqual([])
    expect(reason(unposted, 'stands-still')).toMatch(/^Not compared: Payroll Liabilities\./)
    const noWages = without(
      ({ lines, date }) => date.startsWith('2026-03') && lines.some(([at]) => at === '6100'),
    )
    const unpaid = evidenceOfMade({
      ...noWages,
      entries: [...noWages.entries, ...taxes.filter(({ date }) => date < '2026-03')].filter(
        ({ number }) => number !== 'P2026-02',
      ),
    })
    const alone: Evidence = { ...unpaid, ledger: { ok: false, reason: 'It was refused.' } }
    expect(ofRule(alone)).toEqual(['stands-still: Payroll Liabilities 800'])
  })

  it('finds sales tax that was posted neither at the end of a quarter nor in the month after', () => {
    const YEAR = Array.from({ length: 24 }, (_, at) =>
      new Date(Date.UTC(2024, 10 + at)).toISOString().slice(0, 7),
    )
    /** The months of 2026 in which it is found, if it is posted in some months and paid in others. */
    const foundIn = (
      isPosted: (month: string) => boolean,
      isPaid: (month: string) => boolean = () => false,
      hasLedger = true,
    ): readonly string[] => {
      const entries = YEAR.flatMap((month, at) => [
        ...(isPosted(month)
          ? [transfer(`${month}-28`, 'Journal', `T${month}`, 'State', '4000', '2200', 50_000 + at)]
          : []),
        ...(isPaid(month)
          ? [transfer(`${month}-20`, 'Check', `P${month}`, 'State', '2200', '1000', 40_000 + at)]
          : []),
      ])
      return YEAR.slice(14).filter((month) => {
        const made = evidenceOfMade(
          { ...CLEAN, entries: entries.filter(({ date }) => date.slice(0, 7) <= month) },
          {},
          month,
        )
        const evidence: Evidence = hasLedger ? made : { ...made, ledger: { ok: false, reason: 'None.' } }
        const finding = findingsOf(reviewMonth(evidence, null)).find(
          ({ rule, subject }) => rule === 'stands-still' && subject === 'Sales Tax Payable',
        )
        // It may be filed once a year.
        if (finding !== undefined) expect(finding.severity).toBe('check')
        return finding !== undefined
      })
    }
    const inMonths =
      (...months: readonly string[]) =>
      (month: string): boolean =>
        months.includes(month.slice(5))
    const [ends, after] = [inMonths('03', '06', '09', '12'), inMonths('01', '04', '07', '10')]
    expect(foundIn(ends)).toEqual([])
    expect(foundIn(after)).toEqual([])
    expect(foundIn(ends, after)).toEqual([])
    expect(foundIn(() => true)).toEqual([])
    const missed = (month: string): boolean => ends(month) && month < '2026-03'
    for (const hasLedger of [true, false])
      expect(foundIn(missed, () => false, hasLedger)).toEqual(['2026-04', '2026-07', '2026-10'])
  })

  it('doesn’t expect unemployment tax to change, which stops once wages pass its limit', () => {
    const accrued = transfer('2026-02-15', 'Paycheck', 'P9', 'Elm, Rosa', '6100', '2300', 8_400)
    const evidence = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, accrued] })
    const named = (name: string): readonly string[] =>
      found({
        ...evidence,
        statement: (source) => {
          const read = evidence.statement(source)
          const rename = (row: ReportRow): ReportRow => (row.id === '2300' ? { ...row, name } : row)
          return read.ok ? { ok: true, value: { ...read.value, rows: read.value.rows.map(rename) } } : read
        },
      })
    expect(named('Payroll Liabilities:401k')).toEqual(['stands-still: Payroll Liabilities:401k 84'])
    for (const tax of ['FUTA', 'State Unemployment']) expect(named(`Payroll Liabilities:${tax}`)).toEqual([])
    for (const name of ['State Withholding & SUI', 'Payroll Liabilities (incl. FUTA)'])
      expect(named(name)).toEqual([`stands-still: ${name} 84`])
  })

  describe('a long-term liability that is not paid every month', () => {
    const YEAR = Array.from({ length: 25 }, (_, at) =>
      new Date(Date.UTC(2025, 2 + at)).toISOString().slice(0, 7),
    )
    /** The months of a year in which it is found, if it was borrowed long before and these amounts were paid since. */
    const foundIn = (name: string, paid: (month: string, at: number) => number): readonly string[] =>
      monthsWhere(name, paid, (evidence) =>
        findingsOf(reviewMonth(evidence, null)).some(
          ({ rule, subject }) => rule === 'stands-still' && subject === name,
        ),
      )
    const monthsWhere = (
      name: string,
      paid: (month: string, at: number) => number,
      is: (evidence: Evidence) => boolean,
    ): readonly string[] => {
      const lists = new Map(CLEAN.lists)
      const rename = (text: string): string => text.replace('Truck Loan', name)
      lists.set(
        'accounts',
        (CLEAN.lists.get('accounts') ?? []).map((each) => ({
          ...each,
          name: rename(each.name),
          fullName: rename(each.fullName),
        })),
      )
      const rest = CLEAN.entries.filter(({ lines }) => lines.every(([account]) => account !== '2500'))
      const borrowed = transfer('2024-01-05', 'Deposit', 'B0', 'Owner', '1000', '2500', 9_000_000)
      const payments = YEAR.flatMap((month, at) => {
        const cents = paid(month, at)
        return cents === 0
          ? []
          : [transfer(`${month}-15`, 'Check', `P${month}`, 'Fir', '2500', '1000', cents)]
      })
      const all = [...rest, borrowed, ...payments]
      return YEAR.slice(-12).filter((month) => {
        const whole = evidenceOfMade(
          { ...CLEAN, entries: all.filter(({ date }) => date.slice(0, 7) <= month), lists },
          {},
          month,
        )
        const renamed = (
          ['balance-sheet', 'balance-sheet-1', 'balance-sheet-2', 'balance-sheet-12'] as const
        ).reduce(
          (each, source) =>
            changed(each, source, (statement) => ({
              ...statement,
              rows: statement.rows.map((row) => ({ ...row, name: rename(row.name) })),
            })),
          whole,
        )
        return is(renamed)
      })
    }
    const inMonths =
      (cents: number, ...months: readonly string[]) =>
      (month: string): number =>
        months.includes(month.slice(5)) ? cents : 0

    it.each<[string, (month: string, at: number) => number]>([
      ['Land Mortgage', inMonths(1_000_000, '12')],
      ['Equipment Loan', inMonths(90_000, '03', '06', '09', '12')],
      ['Note Payable', inMonths(300_000, '01', '07')],
      ['Loan from Shareholder', (month) => (month === '2026-04' ? 500_000 : 0)],
      [
        'Line of Credit',
        (month) => ({ '2025-06': -2_000_000, '2026-02': 1_500_000, '2026-08': -400_000 })[month] ?? 0,
      ],
      ['Tenant Security Deposits', (month) => (month === '2026-05' ? 150_000 : 0)],
      ['Tenant Deposits', (_, at) => [0, 120_000, -120_000, 0, 0, -90_000, 0][at % 7] ?? 0],
      ['Deferred Rent', inMonths(50_000, '05', '09')],
      ['Deferred Income Tax', inMonths(80_000, '12')],
      ['Warranty Reserve', inMonths(70_000, '02', '03', '11')],
      ['Loan, interest only', () => 0],
      ['Seasonal Loan', inMonths(60_000, '06', '07', '08', '09')],
      ['Truck Loan', (_, at) => 40_000 + at * 100],
    ])('is not found: %s', (name, paid) => {
      expect(foundIn(name, paid)).toEqual([])
    })

    it('is found in the month in which it should have been paid', () => {
      const missed = (month: string, at: number): number => (month === '2026-08' ? 0 : 40_000 + at * 100)
      expect(foundIn('Truck Loan', missed)).toEqual(['2026-08'])
    })

    it('is listed as not compared after a payment that may not be one of many', () => {
      const recent = (month: string): number => (month < '2026-04' || month === '2026-08' ? 0 : 40_000)
      const listed = monthsWhere('Ford Credit', recent, (evidence) =>
        reason(evidence, 'stands-still').includes('Not compared: Ford Credit.'),
      )
      expect(listed).toEqual(['2026-08'])
    })
  })

  it('doesn’t find a quarterly or paid-off balance missing', () => {
    const quarters = ['2025-03', '2025-06', '2025-09', '2025-12']
    const isOther = ({ name, date }: Entry): boolean =>
      name === 'Dogwood Realty' && !quarters.includes(date.slice(0, 7))
    expect(found(evidenceOfMade(without(isOther)))).toEqual([])
  })

  it('finds old receivables and customers with a credit balance', () => {
    const invoice: Entry = {
      ...transfer('2025-09-01', 'Invoice', '88', 'Ash Bakery', '1100', '4000', 481_250),
      customer: 'c1',
      due: '2025-09-01',
      className: 'North',
    }
    expect(foundWith(invoice)).toEqual(['past-90-days: Ash Bakery 4812.5'])
    const twice: Entry = {
      ...transfer('2026-03-28', 'Payment', '89', 'Beech & Co.', '1000', '1100', 31_240),
      customer: 'c2',
      due: '2026-03-28',
    }
    expect(foundWith(twice)).toContain('customer-credit: Beech & Co. -312.4')
  })

  it('finds receivables that are not in the aging report', () => {
    expect(foundWith(transfer('2026-03-28', 'Journal', 'J4', 'Reclass', '1100', '1000', 10_001))).toEqual([
      'receivables-agree: Accounts Receivable 100.01',
    ])
  })

  it('finds retained earnings that changed within a year, but not at its end', () => {
    expect(foundWith(transfer('2026-03-28', 'Journal', 'J5', 'Adjust', '3100', '1000', 127_560))).toEqual([
      'earlier-years: Retained Earnings -1275.6',
    ])
  })

  it.each([
    [1, '2026-01'],
    [2, '2026-02'],
    [3, '2026-03'],
    [7, '2025-07'],
    [10, '2025-10'],
  ])(
    'expects retained earnings to change in month %i only by the result of the year before',
    (start, month) => {
      const outcome = (evidence: Evidence): unknown =>
        reviewMonth(evidence, null).find(({ rule }) => rule === 'earlier-years')
      const rule = 'earlier-years'
      expect(outcome(evidenceOfMade(CLEAN, {}, month, start))).toEqual({ rule, result: 'clean' })
      const setWrong = { ...evidenceOfMade(CLEAN, {}, month, start), fiscalYearStart: (start % 12) + 1 }
      expect(outcome(setWrong)).toMatchObject({ result: 'not-checked' })
      const adjusted = transfer(`${month}-05`, 'Journal', 'J5', 'Adjust', '3100', '1000', 127_560)
      const moved = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, adjusted] }, {}, month, start)
      expect(outcome(moved)).toMatchObject({ findings: [{ amount: '-1275.6' }] })
    },
  )

  it('finds other equity that was closed to retained earnings as the year began, and is less certain', () => {
    const closed = (account: string): unknown => {
      const entry = transfer('2026-01-01', 'Journal', 'J5', 'Close', '3100', account, 2_000_000)
      const made = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, entry] }, {}, '2026-01')
      return findingsOf(reviewMonth(made, null))
        .filter(({ rule }) => rule === 'earlier-years')
        .map(({ severity, amount, detail }) => [
          severity,
          amount,
          detail.some((part) => typeof part === 'string' && part.includes('Owner’s Equity')),
        ])
    }
    expect(closed('3200')).toEqual([['check', '-20000', true]])
    expect(closed('1000')).toEqual([['wrong', '-20000', false]])
  })

  it('is less certain if draws were closed to retained earnings in the month in which they were posted', () => {
    const severities = (month: string, entries: readonly Entry[], hasLedger = true): unknown => {
      const made = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, ...entries] }, {}, month)
      const evidence: Evidence = hasLedger ? made : { ...made, ledger: { ok: false, reason: 'None.' } }
      return findingsOf(reviewMonth(evidence, null))
        .filter(({ rule }) => rule === 'earlier-years')
        .map(({ severity, detail }) => [
          severity,
          detail.some((part) => typeof part === 'string' && part.includes('Owner’s Draws')),
        ])
    }
    const drawn = (date: string, cents: number): Entry =>
      transfer(date, 'Check', 'D1', 'Owner', '3300', '1000', cents)
    const closed = (date: string, cents: number): Entry =>
      transfer(date, 'Journal', 'J5', 'Close', '3100', '3300', cents)
    const isFound = [['check', true]]
    const atOnce = [drawn('2026-03-10', 500_000), closed('2026-03-31', 500_000)]
    for (const hasLedger of [true, false]) expect(severities('2026-03', atOnce, hasLedger)).toEqual(isFound)
    const atYearEnd = [drawn('2025-06-10', 900_000), drawn('2025-12-10', 100_000)]
    expect(severities('2025-12', [...atYearEnd, closed('2025-12-31', 1_000_000)])).toEqual(isFound)
    const inNewYear = [...atYearEnd, closed('2026-01-01', 1_000_000), drawn('2026-01-20', 70_000)]
    expect(severities('2026-01', inNewYear)).toEqual(isFound)
    // Retained earnings and draws were closed to the owner’s equity.
    const toEquity: Entry = {
      ...closed('2026-01-01', 0),
      lines: [
        ['3100', 1_500_000],
        ['3300', -1_000_000],
        ['3200', -500_000],
      ],
    }
    for (const january of [[], [drawn('2026-01-20', 70_000)]])
      expect(severities('2026-01', [...atYearEnd, toEquity, ...january])).toEqual(isFound)
    const unexplained = transfer('2026-01-12', 'Journal', 'J6', 'Adjust', '3100', '1000', 4_000)
    const withFault = [...atYearEnd, toEquity, drawn('2026-01-20', 70_000), unexplained]
    expect(severities('2026-01', withFault)).toEqual([['wrong', false]])
    // Draws that are still there, or were not posted, were not closed.
    const posted = transfer('2026-03-28', 'Journal', 'J6', 'Adjust', '3100', '1000', 500_000)
    expect(severities('2026-03', [posted])).toEqual([['wrong', false]])
    expect(severities('2026-03', [drawn('2026-03-10', 500_000), posted])).toEqual([['wrong', false]])
    expect(severities('2026-03', [posted, drawn('2026-01-10', 9_000)], false)).toEqual([['wrong', false]])
  })

  describe('is less certain if other equity was closed to retained earnings', () => {
    const drawn = (month: string): Entry =>
      transfer(`${month}-10`, 'Check', `D${month}`, 'Owner', '3300', '1000', 300_000)
    const ofYear = ['2025-10', '2025-11', '2025-12'].map(drawn)
    const closing = (date: string, ...lines: Entry['lines']): Entry => ({
      ...transfer(date, 'Journal', 'J5', 'Close', '3100', '3300', 0),
      lines,
    })
    const drawsClosed = (date: string): Entry => closing(date, ['3100', 900_000], ['3300', -900_000])
    const contributed = transfer('2026-01-20', 'Deposit', 'K1', 'Owner', '1000', '3200', 500_000)
    const fault = transfer('2026-01-12', 'Journal', 'J6', 'Adjust', '3100', '1000', 123_400)
    const allClosed = closing('2026-01-01', ['3100', 1_500_000], ['3300', -900_000], ['3200', -600_000])
    const withEntries = (entries: readonly Entry[], month: string): Evidence => {
      const all = [...CLEAN.entries, ...entries].filter(({ date }) => date.slice(0, 7) <= month)
      return evidenceOfMade({ ...CLEAN, entries: all }, {}, month)
    }
    const severitiesOf = (evidence: Evidence): readonly string[] =>
      findingsOf(reviewMonth(evidence, null))
        .filter(({ rule }) => rule === 'earlier-years')
        .map(({ severity }) => severity)

    it.each([
      [
        'while draws were posted',
        '2026-01',
        [closing('2026-01-01', ['3100', 1_500_000], ['3200', -1_500_000])],
      ],
      ['while the owner contributed', '2026-01', [allClosed, contributed]],
      ['in the middle of a month', '2026-02', [drawn('2026-02'), drawsClosed('2026-02-15')]],
    ])('%s', (_, month, entries) => {
      const posted = [...ofYear, drawn('2026-01'), ...entries]
      expect(severitiesOf(withEntries(posted, month))).toEqual(['check'])
      const adjusted = { ...fault, date: `${month}-12` }
      if (!entries.includes(contributed))
        expect(severitiesOf(withEntries([...posted, adjusted], month))).toEqual(['wrong'])
    })

    it('also under the name that QuickBooks Online gives to draws', () => {
      const evidence = withEntries([...ofYear, drawn('2026-01'), drawsClosed('2026-01-01')], '2026-01')
      const missing = { ok: false, reason: 'It was not read.' } as const
      const renamed: Evidence = {
        ...evidence,
        ledger: missing,
        list: () => missing,
        statement: (source) => {
          const read = evidence.statement(source)
          if (!read.ok) return read
          const rows = read.value.rows.map((row) =>
            row.id === '3300' ? { ...row, name: 'Owner’s Pay & Personal Expenses' } : row,
          )
          return { ok: true, value: { ...read.value, rows } }
        },
      }
      expect(severitiesOf(renamed)).toEqual(['check'])
    })

    it('but not if draws were only partly repaid', () => {
      const repaid = transfer('2026-01-05', 'Deposit', 'K2', 'Owner', '1000', '3300', 300_000)
      const posted = [...ofYear, repaid, contributed]
      expect(severitiesOf(withEntries(posted, '2026-01'))).toEqual([])
      const large = transfer('2026-01-12', 'Journal', 'J6', 'Adjust', '3100', '1000', 1_000_000)
      expect(severitiesOf(withEntries([...posted, large], '2026-01'))).toEqual(['wrong'])
    })

    const sinceRead = (
      month: string,
      kept: Evidence,
      entries: readonly Entry[],
      hasLedger = true,
    ): unknown => {
      const made = withEntries(entries, month)
      const now: Evidence = hasLedger ? made : { ...made, ledger: { ok: false, reason: 'None.' } }
      const evidence: Evidence = {
        ...now,
        statement: (source) =>
          source === 'last-kept' ? kept.statement('balance-sheet') : now.statement(source),
      }
      return findingsOf(reviewMonth(evidence, null))
        .filter(({ rule, key }) => rule === 'earlier-years' && key.includes('since'))
        .map(({ severity, detail }) => [severity, /closing equity accounts/.test(JSON.stringify(detail))])
    }
    const ofQuarter = [...ofYear, ...['2026-01', '2026-02', '2026-03'].map(drawn)]
    const isClosing = [['check', true]]

    it.each([
      ['2026-03', '2025-12', [drawsClosed('2026-01-01')]],
      ['2026-03', '2025-12', [allClosed]],
      ['2026-02', '2026-01', [drawsClosed('2026-01-01')]],
    ])('between the months that were read, such as %s after %s', (month, reviewed, entries) => {
      const kept = withEntries(ofQuarter, reviewed)
      expect(sinceRead(month, kept, [...ofQuarter, ...entries])).toEqual(isClosing)
      const changed = transfer('2025-06-20', 'Check', '77', 'Late', '6400', '1000', 77_700)
      expect(sinceRead(month, kept, [...ofQuarter, changed])).toEqual([['wrong', false]])
      expect(sinceRead(month, kept, [...ofQuarter, ...entries, changed])).toEqual([['wrong', false]])
    })

    it('in each of several months', () => {
      const closedMonthly = ofQuarter.flatMap((entry) => [
        entry,
        {
          ...drawsClosed(entry.date.replace(/10$/, '28')),
          lines: [
            ['3100', 300_000],
            ['3300', -300_000],
          ],
        } as const,
      ])
      expect(sinceRead('2026-03', withEntries(closedMonthly, '2025-12'), closedMonthly)).toEqual(isClosing)
    })

    it.each([
      ['2026-02', '2025-12'],
      ['2026-04', '2025-12'],
      ['2026-04', '2026-01'],
    ])('but not without draws, such as in %s after %s', (month, reviewed) => {
      const changed = transfer('2025-06-20', 'Check', '77', 'Late', '6400', '1000', 77_700)
      expect(sinceRead(month, withEntries([], reviewed), [changed], false)).toEqual([['wrong', false]])
    })

    it('but not if the only distribution was reclassified as an expense', () => {
      const distributed = transfer('2025-12-20', 'Check', 'W1', 'Owner', '3300', '1000', 2_000_000)
      const asWages = { ...distributed, lines: transfer('', '', '', '', '6100', '1000', 2_000_000).lines }
      const kept = withEntries([distributed], '2025-12')
      expect(sinceRead('2026-01', kept, [asWages])).toEqual([['wrong', false]])
    })

    it.each(['3200', '3300'])('but not if an entry of the year before was moved to or from %s', (account) => {
      const kept = withEntries(ofYear, '2025-12')
      for (const cents of [77_700, -77_700]) {
        const moved = transfer('2025-06-20', 'Journal', 'J6', 'Correct', '6400', account, cents)
        expect(sinceRead('2026-01', kept, [...ofYear, moved])).toEqual([['wrong', false]])
      }
    })
  })

  describe('compares retained earnings with those of the last month that was read', () => {
    /** A review after an entry of 2025 was added; `reviewed` was read before. */
    const outcome = (month: string, reviewed: string, late = '2025-12-20', start = 1): unknown => {
      const entry = transfer(late, 'Check', '77', 'Late', '6400', '1000', 125_000)
      const now = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, entry] }, {}, month, start)
      const kept = evidenceOfMade(CLEAN, {}, reviewed, start).statement('balance-sheet')
      const evidence: Evidence = {
        ...now,
        statement: (source) => (source === 'last-kept' ? kept : now.statement(source)),
      }
      return reviewMonth(evidence, null).find(({ rule }) => rule === 'earlier-years')
    }

    it.each([
      ['2026-03', '2026-02'],
      ['2026-03', '2026-01'],
      // The fiscal year ended with the month that was read.
      ['2026-01', '2025-12'],
      ['2026-03', '2025-12'],
    ])('and finds in %s what was changed in the year before, after %s was reviewed', (month, reviewed) => {
      expect(outcome(month, reviewed)).toMatchObject({
        findings: [{ subject: 'Retained Earnings', amount: '-1250', severity: 'wrong' }],
        unchecked: [],
      })
    })

    it('and ignores entries of the open year', () => {
      expect(outcome('2026-03', '2026-01', '2026-02-20')).toEqual({ rule: 'earlier-years', result: 'clean' })
      expect(outcome('2025-12', '2025-10', '2025-11-20')).toEqual({ rule: 'earlier-years', result: 'clean' })
    })

    it.each([
      ['2026-01', '2025-12'],
      ['2026-02', '2025-12'],
      ['2026-03', '2026-01'],
    ])(
      'and expects adjustments of a year that nobody has reviewed, such as in %s after %s',
      (month, read) => {
        const severities = (late: string, isPriorYearOpen = true): unknown => {
          const adjusted = transfer(late, 'Journal', 'J9', 'Depreciation', '6500', '1590', 20_000)
          const now = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, adjusted] }, {}, month)
          const kept = evidenceOfMade(CLEAN, {}, read)
          const evidence: Evidence = {
            ...now,
            isPriorYearOpen,
            statement: (source) => {
              if (source === 'last-kept') return kept.statement('balance-sheet')
              return source === 'last-kept-profit-and-loss'
                ? kept.statement('profit-and-loss')
                : now.statement(source)
            },
          }
          const found = findingsOf(reviewMonth(evidence, null)).filter(({ rule }) => rule === 'earlier-years')
          return found.map(({ severity, amount, detail }) => [
            severity,
            amount,
            /isn’t reviewed or closed.*Look for entries dated/.test(JSON.stringify(detail)),
          ])
        }
        expect(severities('2025-12-31')).toEqual([])
        expect(severities('2025-11-30')).toEqual([['check', '-200', true]])
        for (const day of ['2025-12-31', '2025-11-30'])
          expect(severities(day, false)).toEqual([['wrong', '-200', false]])
      },
    )

    it('and keeps a change that nobody accepted, although the earlier month was read again', () => {
      const late = transfer('2025-12-20', 'Check', '77', 'Late', '6400', '1000', 125_000)
      const later = transfer('2025-12-21', 'Check', '78', 'Later', '6400', '1000', 1_000)
      const review = (
        entries: readonly Entry[],
        kept: readonly Entry[] | string,
        openBefore: readonly Finding[],
        isPriorYearOpen = false,
      ): RuleOutcome | undefined => {
        const made = (more: readonly Entry[], month: string): Evidence =>
          evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, ...more] }, {}, month)
        const now = made(entries, '2026-03')
        const last =
          typeof kept === 'string'
            ? ({ ok: false, reason: kept } as const)
            : made(kept, '2026-01').statement('balance-sheet')
        const evidence: Evidence = {
          ...now,
          openBefore: () => openBefore,
          isPriorYearOpen,
          statement: (source) => (source === 'last-kept' ? last : now.statement(source)),
        }
        return reviewMonth(evidence, null).find(({ rule }) => rule === 'earlier-years')
      }
      const first = review([late], [], [])
      const open = first === undefined ? [] : findingsOf([first])
      expect(open).toMatchObject([{ amount: '-1250', severity: 'wrong' }])
      expect(review([late], [late], open)).toEqual(first)
      expect(review([late], 'All were read since.', open)).toEqual({
        ...first,
        unchecked: ['All were read since.'],
      })
      const more = review([late, later], [late], open)
      expect(more).toMatchObject({ findings: [{ amount: '-1260', severity: 'wrong' }] })
      expect(review([late, later], [late], [])).toMatchObject({ findings: [{ amount: '-10' }] })
      expect(review([], [], open)).toEqual({ rule: 'earlier-years', result: 'clean' })
      // Somebody accepted it.
      expect(review([late], [late], [])).toEqual({ rule: 'earlier-years', result: 'clean' })
      // The change was reverted, and the reading that had it was compared with in the meantime.
      const reversed = review([], [late], open)
      expect(reversed).toMatchObject({ findings: [{ amount: '1250', severity: 'wrong' }] })
      const still = reversed === undefined ? [] : findingsOf([reversed])
      expect(review([], [late], still)).toEqual(reversed)
      expect(review([], [], still)).toEqual({ rule: 'earlier-years', result: 'clean' })
      expect(review([later], [later], still)).toMatchObject({ findings: [{ amount: '1240' }] })
      // Adjustments are expected until the year is reviewed.
      const expected = review([late], [], [], true)
      const adjusted = expected === undefined ? [] : findingsOf([expected])
      expect(adjusted).toMatchObject([{ amount: '-1250', severity: 'check' }])
      expect(review([late], [late], adjusted, true)).toEqual(expected)
      expect(review([late, later], [late, later], adjusted)).toEqual({
        rule: 'earlier-years',
        result: 'clean',
      })
      expect(review([late, later], [late], adjusted)).toMatchObject({
        findings: [{ amount: '-10', severity: 'wrong' }],
      })
    })

    it('and says so if that isn’t possible', () => {
      expect(outcome('2026-03', '2025-11')).toEqual({
        ...{ rule: 'earlier-years', result: 'not-checked' },
        reason:
          'The last month that was read, Nov 2025, is in an earlier fiscal year, so retained earnings were not compared with it.',
      })
    })

    it('but not if the fiscal year begins in another month than is set', () => {
      const kept = evidenceOfMade(CLEAN, {}, '2025-06', 8).statement('balance-sheet')
      const books = evidenceOfMade(CLEAN, {}, '2025-09', 8)
      const wronglySet: Evidence = {
        ...books,
        fiscalYearStart: 1,
        statement: (source) => (source === 'last-kept' ? kept : books.statement(source)),
      }
      expect(
        findingsOf(reviewMonth(wronglySet, null)).filter(({ rule }) => rule === 'earlier-years'),
      ).toEqual([])
      expect(reason(wronglySet, 'earlier-years')).toMatch(/^Net income of the month before isn’t that of/)
    })
  })

  it('finds unusual amounts, a first use, a reversed cost, and a budget exceeded', () => {
    const bill = (account: string, amount: number): Entry =>
      transfer('2026-03-29', 'Bill', 'B7', 'Juniper', account, '2000', amount)
    expect(foundWith(bill('6400', 294_000))).toEqual([
      'unusual: Software 3320.14',
      'over-budget: Software 2820.14',
    ])
    expect(foundWith(bill('6600', 12_300))).toEqual(['first-use: Travel 123'])
    expect(foundWith(bill('6300', -60_000))).toEqual(['reversed-sign: Telephone -179.86'])
  })

  it('finds the part of an account that has no class', () => {
    const invoice: Entry = {
      ...transfer('2026-03-29', 'Invoice', '90', 'Ash Bakery', '1100', '4000', 168_500),
      customer: 'c1',
      due: '2026-03-29',
    }
    expect(foundWith(invoice)).toEqual(['no-class: Sales 1685'])
  })

  it('finds a doubled bill once, and not an invoice with two equal lines', () => {
    const bill: Entry = {
      ...transfer('2026-03-11', 'Bill', 'T-1', 'Cedar Supply', '5000', '2000', 4_640),
      className: 'North',
    }
    expect(foundWith(bill, bill)).toEqual(['entered-twice: 2026-03-11, Bill, T-1, Cedar Supply 46.4'])
    expect(
      foundWith({
        ...bill,
        lines: [
          ['5000', 2_000],
          ['5000', 2_000],
          ['2000', -4_000],
        ],
      }),
    ).toEqual([])
  })

  describe.each(['none', 'account', 'name'] as const)('in a ledger whose rows have the ID of: %s', (ids) => {
    /** The severities of the doubled entries that are found, in a ledger that names the other account of each entry. */
    const doubled = (...entries: readonly (readonly [name: string, ...Partial<Entry>[]])[]): unknown => {
      const added = entries.map(([name, ...parts]): Entry => {
        const plain = transfer('2026-03-31', 'Journal', '', name, '6400', '2100', 4_150)
        return Object.assign(plain, ...parts) as Entry
      })
      const books: MadeBooks = { ...CLEAN, entries: [...CLEAN.entries, ...added], hasOtherAccounts: true }
      const evidence = evidenceOfMade(ids === 'none' ? books : { ...books, ledgerIds: ids })
      return findingsOf(reviewMonth(evidence, null))
        .filter(({ rule }) => rule === 'entered-twice')
        .map(({ severity }) => severity)
    }
    const number = { number: 'AJE-5' }
    const memo = (text: string): Partial<Entry> => ({ memo: text })
    const type = (text: string): Partial<Entry> => ({ type: text })
    const split: Partial<Entry> = {
      lines: [
        ['6400', 4_000],
        ['6300', 150],
        ['2100', -4_150],
      ],
    }

    it.each([
      ['a number, and neither a name nor a memo', [number], [number]],
      ['a number and three postings', [number, split], [number, split]],
      ['a number and one memo', [number, memo('Accrue audit')], [number, memo('Accrue audit')]],
      ['a number, and a memo once', [number, memo('Accrue audit')], [number]],
    ])('an entry that is there twice is found, with %s', (_, one, other) => {
      expect(doubled(['', ...one, type('Bill')], ['', ...other, type('Bill')])).toEqual(['likely'])
      // A journal may have equal lines, such as those of two employees.
      const mayBeOne = one.length === other.length
      expect(doubled(['', ...one], ['', ...other])).toEqual([mayBeOne ? 'check' : 'likely'])
    })

    it('a journal that is there twice under two numbers may be doubled', () => {
      const journals = (...parts: readonly Partial<Entry>[]): unknown =>
        doubled(...['209', '210'].map((each) => ['', { number: each }, ...parts] as const))
      expect(journals()).toEqual(['check'])
      expect(journals(split)).toEqual(['check'])
      expect(journals(type('JournalEntry'))).toEqual(['check'])
      const lines = (each: string, who = 'Gum CPA') => [
        ['', { number: each, lines: [['6400', 4_150]] }] as const,
        [who, { number: each, lines: [['2000', -4_150]] }] as const,
      ]
      expect(doubled(...lines('209'), ...lines('210'))).toEqual(['check'])
      expect(doubled(...lines('209'), ...lines('210', 'Elm CPA'))).toEqual([])
      expect(doubled(['', { number: '209' }], ['', { number: '210', ...split }])).toEqual([])
      expect(journals(type('Sales Receipt'))).toEqual([])
      const receipts = ['S101', 'S102'].map((each) => ['', { number: each }, type('Receipt')] as const)
      expect(doubled(...receipts)).toEqual([])
    })

    it('a bill that is there twice under two numbers may be doubled, whatever names its lines have', () => {
      const bill = (each: string, job: string, vendor = 'Cedar Supply') => [
        [job, type('Bill'), { number: each, lines: [['5000', 4_150]] }] as const,
        [vendor, type('Bill'), { number: each, lines: [['2000', -4_150]] }] as const,
      ]
      const one = bill('C77', 'Ash Bakery:Job 1')
      expect(doubled(...one, ...bill('C78', 'Ash Bakery:Job 1'))).toEqual(['check'])
      expect(doubled(...one, ...bill('C78', 'Ash Bakery:Job 2'))).toEqual([])
      expect(doubled(...one, ...bill('C78', 'Ash Bakery:Job 1', 'Elm CPA'))).toEqual([])
      // Without a name on some lines, they may be sales of a shop.
      expect(doubled(...bill('C77', ''), ...bill('C78', ''))).toEqual([])
    })

    it('a deposit that names its customer on one line only may be doubled', () => {
      const deposit = (cents: number, ...names: readonly string[]) => [
        ['', type('Deposit'), { lines: [['1000', cents]] }] as const,
        ...names.map(
          (name) => [name, type('Deposit'), { lines: [['4100', -cents / names.length]] }] as const,
        ),
      ]
      const one = deposit(4_150, 'Ash Bakery')
      expect(doubled(...one)).toEqual([])
      expect(doubled(...one, ...one)).toEqual(['check'])
      expect(doubled(...one, ...deposit(4_150, 'Beech & Co.'))).toEqual([])
      // Others of the day may share an account.
      const others = [...deposit(900, 'Ash Bakery'), ...deposit(900, 'Beech & Co.')]
      expect(doubled(...one, ...one, ...others)).toEqual(['check'])
      const two = deposit(8_300, 'Ash Bakery', 'Beech & Co.')
      expect(doubled(...two)).toEqual([])
      expect(doubled(...two, ...two)).toEqual(['check'])
      // Every week is another deposit.
      const weekly = ['06', '13', '20', '27'].flatMap((day) =>
        one.map(([name, ...parts]) => [name, ...parts, { date: `2026-03-${day}` }] as const),
      )
      expect(doubled(...weekly)).toEqual([])
    })

    it('an entry whose number has a space is found, whatever its memos', () => {
      const memos = ['Lumber', 'Lumber for job 1'].map(memo)
      const twice = (name: string, number: string, written: string): unknown =>
        doubled(...memos.map((each) => [name, { number }, type(written), each] as const))
      for (const each of ['INV 1001', 'PO #4501', 'Check 12'])
        expect(twice('Cedar Supply', each, 'Bill')).toEqual(['likely'])
      // This is a name, and there may be two entries.
      expect(twice('Route 66', '', 'Bill')).toEqual([])
    })

    it('sales of one price to a customer with many a day are ordinary', () => {
      const sales = (written: string, ...cents: readonly number[]): unknown =>
        doubled(
          ...cents.map((each, at) => {
            const { lines } = transfer('', '', '', '', '1200', '4000', each)
            return ['Walk-in Customer', type(written), { number: String(501 + at), lines }] as const
          }),
        )
      expect(sales('Sales Receipt', 1_080, 1_080, 1_080)).toEqual([])
      expect(sales('Sales Receipt', 1_080, 1_080, 540)).toEqual([])
      expect(sales('Sales Receipt', 1_080, 1_080)).toEqual(['check'])
      expect(sales('Invoice', 1_080, 1_080, 540)).toEqual(['check'])
      // A file may have been imported twice.
      expect(sales('Sales Receipt', 1_080, 540, 1_080, 540)).toEqual(['check', 'check'])
      expect(sales('Sales Receipt', 1_080, 1_080, 540, 1_080, 1_080, 540)).toEqual(['check', 'check'])
      expect(sales('Sales Receipt', 1_080, 1_080, 1_080, 1_080)).toEqual([])
    })

    it.each(['Cedar Supply', 'Oak, Ann'])('a bill of %s that is there twice is found', (name) => {
      expect(doubled([name, number, type('Bill')], [name, number, type('Bill')])).toEqual(['likely'])
      const other = { number: '17' }
      expect(doubled([name, number, type('Bill')], [name, other, type('Bill')])).toEqual(['check'])
    })

    it.each([
      ['deposit without a name', '', 'Deposit'],
      ['transfer without a name', '', 'Transfer'],
      ['charge', 'Yellow Cab', 'Charge'],
    ])('a %s and without a number that is there twice may be doubled', (_, name, written) => {
      const entry = [name, type(written)] as const
      expect(doubled(entry, entry)).toEqual(['check'])
      expect(doubled(entry, [name, type(written), memo('Again')])).toEqual(['check'])
    })

    it('an entry may be the double of one with a name', () => {
      for (const written of ['Check', 'Deposit'])
        expect(doubled(['Yellow Cab', type(written)], ['', type(written)])).toEqual(['check'])
      expect(doubled(['Yellow Cab', number, type('Bill')], ['', number, type('Bill')])).toEqual(['likely'])
    })

    it('a numbered entry that is there twice is found, whatever names and memos its lines have', () => {
      const lines = (
        ...parts: readonly (readonly [account: string, cents: number, who: string])[]
      ): unknown => {
        const entry = parts.map(
          ([account, cents, who]) => [who, number, { lines: [[account, cents]] }] as const,
        )
        return [doubled(...entry), doubled(...entry, ...entry)]
      }
      const twice = [[], ['likely']]
      expect(lines(['6400', 45_000, ''], ['2000', -45_000, 'Gum CPA'])).toEqual(twice)
      expect(lines(['6400', 45_000, 'Cole & Sons'], ['2000', -45_000, 'Gum CPA'])).toEqual(twice)
      const [wages, fees] = [['6100', 45_000, 'Wages'] as const, ['6400', 5_000, 'Fees'] as const]
      expect(lines(wages, fees, ['1000', -50_000, 'Net pay'])).toEqual(twice)
      // Two people in one entry.
      const people = ['Ann', 'Bo'].flatMap((who) => [
        ['6100', 45_000, who] as const,
        ['1000', -45_000, who] as const,
      ])
      expect(lines(...people)).toEqual(twice)
    })

    it('a bill entered once for a job and once for its customer may be doubled', () => {
      const bill = (who: string, each = 'C77', vendor = 'Cedar Supply') => [
        [who, type('Bill'), { number: each, lines: [['5000', 4_150]] }] as const,
        [vendor, type('Bill'), { number: each, lines: [['2000', -4_150]] }] as const,
      ]
      const one = bill('Ash Bakery:Job 1')
      expect(doubled(...one, ...bill('Ash Bakery'))).toEqual(['check'])
      expect(doubled(...one, ...bill('Ash Bakery', 'C77', 'Elm CPA'))).toEqual([])
      // Two vendors of one job may number their bills alike.
      expect(doubled(...one, ...bill('Ash Bakery:Job 1', 'C77', 'Elm CPA'))).toEqual([])
      // Two customers may pay with checks of one number, and the bank has no name.
      expect(doubled(...bill('Ash Bakery', 'C77', ''), ...bill('Beech & Co.', 'C77', ''))).toEqual([])
    })

    it('two payees are kept apart, whatever their entries have instead of a number', () => {
      for (const word of ['', 'DD', 'EFT', 'ACH', 'E-pay', 'To Print', 'Online']) {
        const paid = { ...type('Check'), number: word }
        expect(doubled(['Ann Lee', paid], ['Bo Lee', paid])).toEqual([])
        expect(doubled(['Ann Lee', paid], ['Ann Lee', paid])).toEqual(['check'])
      }
    })

    it('entries that only look alike are not found', () => {
      const bill = type('Bill')
      const installment = (at: number): Partial<Entry> => ({
        number: `C${String(at)}`,
        memo: `Installment ${String(at)}`,
      })
      expect(doubled(['Fir Lease', bill, installment(1)], ['Fir Lease', bill, installment(2)])).toEqual([])
      const weeks = ['06', '13', '20', '27'].map((day) => ({ date: `2026-03-${day}`, number: 'DD' }))
      expect(doubled(...weeks.map((week) => ['Ann Lee', week] as const))).toEqual([])
      const units = ['Unit 1', 'Unit 2'].map(
        (unit, at) => ['Maple Apts', { number: `R${String(at)}` }, memo(unit)] as const,
      )
      expect(doubled(...units)).toEqual([])
      const receipts = ['701', '702'].map((receipt) => ['', { number: receipt }, type('Receipt')] as const)
      expect(doubled(...receipts)).toEqual([])
    })
  })

  it('finds likely doubled entries with other numbers or none, and words them less certainly', () => {
    const ride = (number: string, more: Partial<Entry> = {}): Entry => ({
      ...transfer('2026-03-11', 'Charge', number, 'Yellow Cab', '6400', '2100', 4_150),
      ...more,
    })
    const detail = (...entries: readonly Entry[]): unknown =>
      findingsOf(
        reviewMonth(evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, ...entries] }), null),
      ).map(({ rule, severity, subject, amount }) => [rule, severity, subject, amount])
    const doubled = (subject: string): unknown => [['entered-twice', 'check', subject, '41.5']]
    expect(detail(ride('17'), ride('18'))).toEqual(doubled('2026-03-11, Charge, 17, Yellow Cab'))
    expect(detail(ride(''), ride(''))).toEqual(doubled('2026-03-11, Charge, Yellow Cab'))
    expect(detail(ride('17'), ride(''))).toEqual(doubled('2026-03-11, Charge, 17, Yellow Cab'))
    // Entered as a bill and as a charge: only the cost is in the same account.
    const bill = ride('B4', {
      type: 'Bill',
      lines: [
        ['6400', 4_150],
        ['2000', -4_150],
      ],
    })
    expect(detail(ride('17'), bill)).toEqual(doubled('2026-03-11, Bill, B4, Yellow Cab'))
    // Another day, name, amount, or account; a refund; and two equal lines of one entry.
    const others: readonly Partial<Entry>[] = [
      { date: '2026-03-18' },
      { name: 'Blue Cab' },
      {
        lines: [
          ['6400', 4_160],
          ['2100', -4_160],
        ],
      },
      {
        lines: [
          ['6300', 4_150],
          ['2100', -4_150],
        ],
      },
      {
        lines: [
          ['2100', 4_150],
          ['6400', -4_150],
        ],
      },
    ]
    for (const other of others) {
      expect(detail(ride('17'), ride('18', other))).toEqual([])
      expect(detail(ride(''), ride('', other))).toEqual([])
    }
    const twoLines = ride('', {
      lines: [
        ['6400', 4_150],
        ['6400', 4_150],
        ['2100', -8_300],
      ],
    })
    expect(detail(twoLines)).toEqual([])
  })

  it('says how many more entries there are than it lists', () => {
    const charge = (at: number): Entry =>
      transfer('2026-03-11', 'Charge', `X${String(at)}`, `Cab ${String(at)}`, '6400', '2100', 10)
    const charges = Array.from({ length: 230 }, (_, at) => charge(at))
    const outcome = (rule: RuleId, ...entries: readonly Entry[]): unknown =>
      reviewMonth(
        evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, ...entries] }, { largeEntry: '0.1' }),
        null,
      ).find((each) => each.rule === rule)
    const said = (more: number) => ({
      findings: { length: 200 },
      unchecked: [`${String(more)} more are not listed. Only the first 200 are.`],
    })
    expect(outcome('entered-twice', ...charges, ...charges)).toMatchObject(said(30))
    const late = charges.map((each) => ({ ...each, date: '2026-04-02' }))
    expect(outcome('outside-period', ...late)).toMatchObject(said(30))
    const many = CLEAN.entries.filter(({ date }) => date.startsWith('2026-03')).length
    expect(outcome('large-entry', ...charges)).toMatchObject(said(30 + many))
  })

  it('says which accounts it could not compare', () => {
    const one = (date: string, account: string): Entry =>
      transfer(date, 'Charge', '', 'Some', account, '2100', 70_000)
    const evidence = evidenceOfMade({
      ...CLEAN,
      entries: [...CLEAN.entries, one('2025-09-04', '6600'), one('2026-03-04', '6600')],
    })
    expect(reason(evidence, 'unusual')).toBe(
      'Not compared: Travel. Fewer than three earlier months have an amount.',
    )
    const lately = without(
      ({ name, date }) => name === 'Dogwood Realty' && (date < '2026-01' || date.startsWith('2026-03')),
    )
    expect(reason(evidenceOfMade(lately), 'missing-this-month')).toBe(
      'Not compared: Rent. It began too recently to show whether it recurs.',
    )
  })

  it('finds a reserve, a clearing account, and a contra account on the wrong side', () => {
    const renamed = (id: string, name: string): Evidence => {
      const moved = transfer('2026-03-30', 'Journal', 'J3', 'Adjust', '1000', '1200', 10_000)
      const whole = evidenceOfMade(
        { ...CLEAN, entries: [...CLEAN.entries, moved] },
        { emptyAccounts: ['zzz'] },
      )
      return {
        ...whole,
        statement: (source) => {
          const read = whole.statement(source)
          if (!read.ok) return read
          const rows = read.value.rows.map((row) => (row.id === id ? { ...row, name } : row))
          return { ok: true, value: { ...read.value, rows } }
        },
      }
    }
    const wrong = (evidence: Evidence): string[] =>
      found(evidence).filter((each) => each.startsWith('wrong-side'))
    const assets = ['Replacement Reserve Escrow', 'Debt Service Reserve Fund', 'Employee Provisions Advance']
    for (const name of ['Cash Reserve', 'Payroll Clearing', 'Discount Card', ...assets]) {
      expect(wrong(renamed('1200', name))).toEqual([`wrong-side: ${name} -100`])
    }
    for (const name of ['Allowance for Doubtful Accounts', 'Bad Debt Reserve', 'Inventory Reserve']) {
      expect(wrong(renamed('1200', name))).toEqual([])
    }
    expect(foundWith(transfer('2026-03-30', 'Journal', 'J3', 'Adjust', '1590', '3200', 90_000_00))).toContain(
      'wrong-side: Accumulated Depreciation 87000',
    )
  })

  it('checks every account of its kind, by name and type, and says if there is none', () => {
    const funds = evidenceOfMade({
      ...CLEAN,
      entries: [...CLEAN.entries, journal('1500', '1000', 700), journal('1200', '1000', 500)],
    })
    const two: Evidence = {
      ...funds,
      statement: (source) => {
        const read = funds.statement(source)
        if (!read.ok) return read
        const rows = read.value.rows.map((row) =>
          row.id === '1500' ? { ...row, name: 'Undeposited Funds - Shop' } : row,
        )
        return { ok: true, value: { ...read.value, rows } }
      },
    }
    expect(found(two).filter((each) => each.startsWith('undeposited'))).toEqual([
      'undeposited-funds: Undeposited Funds 5',
      'undeposited-funds: Undeposited Funds - Shop 24007',
    ])
    // A loan in words of its own is one by its type.
    const own = withoutIds({
      ...evidenceOfMade(without(is('Fir Bank'))),
    })
    const called = (evidence: Evidence, from: string, to: string): Evidence => ({
      ...evidence,
      statement: (source) => {
        const read = evidence.statement(source)
        if (!read.ok) return read
        const rows = read.value.rows.map((row) => ({ ...row, name: row.name.replace(from, to) }))
        return { ok: true, value: { ...read.value, rows } }
      },
      list: (source) => {
        const read = evidence.list(source)
        if (!read.ok) return read
        const named = (text: string): string => text.replace(from, to)
        return {
          ok: true,
          value: read.value.map((each) => ({
            ...each,
            name: named(each.name),
            fullName: named(each.fullName),
          })),
        }
      },
    })
    expect(found(called(own, 'Truck Loan', 'Barge'))).toContainEqual(
      expect.stringMatching(/^stands-still: Barge/),
    )
    const clean = evidenceOfMade(CLEAN)
    expect(reason(called(clean, 'Undeposited Funds', 'Till'), 'undeposited-funds')).toMatch(
      /^No account has a name like “undeposited funds”/,
    )
    expect(reason(evidenceOfMade(CLEAN, { emptyAccounts: ['limbo'] }), 'should-be-empty')).toBe(
      'No account has a name like “limbo”.',
    )
    const noTax = called(called(clean, 'Sales Tax Payable', 'Dues'), 'Payroll Liabilities', 'Wages Due')
    const none = called(noTax, 'Truck Loan', 'Barge')
    const untyped: Evidence = {
      ...none,
      list: (source) => {
        const read = none.list(source)
        return read.ok ? { ok: true, value: read.value.map((each) => ({ ...each, type: 'Equity' })) } : read
      },
    }
    expect(reason(untyped, 'stands-still')).toMatch(/^No account has a name like “loan”/)
  })

  it('says which accounts have no budget', () => {
    const budget = new Map([...CLEAN.budget, ['6000', 0] as const])
    expect(reason(evidenceOfMade({ ...CLEAN, budget }), 'over-budget')).toBe(
      'Not compared: Rent. They have no budget.',
    )
  })

  it('says that a fiscal year may begin in another month', () => {
    const valueIn = (source: Source, name: string): string => {
      const read = evidenceOfMade(CLEAN).statement(source)
      if (!read.ok) throw new Error(read.reason)
      return read.value.rows.find((row) => row.name === name)?.values[0] ?? ''
    }
    const result = valueIn('balance-sheet-1', 'Net Income')
    const retained = Number(valueIn('balance-sheet', 'Retained Earnings')) + Number(result)
    const moved = withStatement('balance-sheet', (each) =>
      withValue(each, 'Retained Earnings', 0, retained.toFixed(2)),
    )
    const finding = findingsOf(reviewMonth(moved, null)).find(({ rule }) => rule === 'earlier-years')
    expect(finding?.detail).toEqual([
      'Net income of ',
      { amount: result },
      ' was moved to retained earnings, as when a fiscal year begins. If it begins this month, set that in the company’s details.',
    ])
  })

  it('finds a cost with a credit balance, even after an earlier large refund', () => {
    const refund = (date: string, cents: number): Entry =>
      transfer(date, 'Credit', `C${date}`, 'Gum Telecom', '2000', '6300', cents)
    expect(foundWith(refund('2025-06-20', 900_000), refund('2026-03-20', 90_000))).toEqual([
      'reversed-sign: Telephone -479.86',
    ])
  })

  it.each([
    ['wrong-side', 'Acc. Amort.', 'OtherAsset', -90],
    ['wrong-side', 'Accumulated Impairment', 'FixedAsset', -90],
    ['wrong-side', 'Unamortized Loan Costs', 'LongTermLiability', 90],
    ['wrong-side', 'Discount on Notes Payable', 'LongTermLiability', 90],
    ['wrong-side', 'Impairment Test Equipment', 'FixedAsset', 5],
    ['should-be-empty', 'Land Clearing and Grading', 'FixedAsset', 48_000],
  ] as const)('finds no %s for %s, of the type %s', (rule, name, type, debit) => {
    expect(foundFor(rule, name, type, debit)).toEqual([])
  })

  it.each([
    ['Deferred Revenue', 'OtherCurrentLiability', 4_000],
    ['Deferred Income Taxes', 'LongTermLiability', 4_000],
    ['Sales Discount Cards Payable', 'OtherCurrentLiability', 4_000],
    ['Debt Service Reserve Fund', 'OtherAsset', -4_000],
  ] as const)('finds %s, of the type %s, on the wrong side', (name, type, debit) => {
    expect(foundFor('wrong-side', name, type, debit)).toEqual([`wrong-side: ${name} ${String(debit)}`])
  })

  /** What a rule finds if Equipment has another name, type, and balance. */
  function foundFor(rule: RuleId, name: string, type: string, debit: number): readonly string[] {
    const whole = withStatement('trial-balance', (statement) => ({
      ...statement,
      rows: statement.rows.map((row) =>
        row.id === '1500'
          ? { ...row, name, values: [String(Math.max(debit, 0)), String(Math.max(-debit, 0))] }
          : row,
      ),
    }))
    const accounts = (CLEAN.lists.get('accounts') ?? []).map((each) =>
      each.id === '1500' ? { ...each, name, fullName: name, type } : each,
    )
    const evidence: Evidence = {
      ...whole,
      list: (source) => (source === 'accounts' ? { ok: true, value: accounts } : whole.list(source)),
    }
    return found(evidence).filter((each) => each.startsWith(rule))
  }

  it('finds no gain or loss on the wrong side, and a new one once', () => {
    const rulesFor = (name: string, amounts: readonly number[]): readonly string[] => {
      const evidence = withStatement('profit-and-loss', (statement) => ({
        ...statement,
        rows: statement.rows.map((row) =>
          row.id === '6600' ? { ...row, name, values: [...amounts.map((each) => each.toFixed(2)), ''] } : row,
        ),
      }))
      const ofMonth: readonly string[] = ['first-use', 'reversed-sign', 'unusual']
      return findingsOf(reviewMonth(evidence, null))
        .map(({ rule }) => rule)
        .filter((rule) => ofMonth.includes(rule))
    }
    const first = (amount: number): readonly number[] => [...Array<number>(12).fill(0), amount]
    const alternating = [12, -8, 30, -22, 15, 4, -9, 11, -3, 7, -6, 5, -14]
    expect(rulesFor('Exchange Gain or Loss', alternating)).toEqual([])
    expect(rulesFor('Inventory Differences', alternating)).toEqual([])
    const slight = [500, 500, -20, 500, 500, -10, 500, 500, -5, 500, 500, 500]
    expect(rulesFor('Fuel', [...slight, -9_000])).toEqual(['reversed-sign'])
    expect(rulesFor('Fuel', [...slight, -90])).not.toContain('reversed-sign')
    expect(rulesFor('Gain/Loss on Asset Sale', first(-1_400))).toEqual(['first-use'])
    expect(rulesFor('Purchase Discounts', first(-40))).toEqual(['first-use'])
    expect(rulesFor('Meals', first(-40))).toEqual(['reversed-sign'])
  })

  it('finds an unusual amount in an account that is usually negative', () => {
    const discount = (date: string, cents: number): Entry => ({
      ...transfer(date, 'Journal', '', 'Discount', '4100', '1000', cents),
      className: 'South',
    })
    const all = without(({ name }) => name === 'Beech & Co.')
    const months = Array.from({ length: 14 }, (_, at) =>
      new Date(Date.UTC(2025, at, 9)).toISOString().slice(0, 10),
    )
    const entries = [...all.entries, ...months.map((date) => discount(date, 20_000))]
    const with_ = (cents: number): string[] =>
      found(evidenceOfMade({ ...all, entries: [...entries, discount('2026-03-09', cents)] }))
    expect(with_(20_000)).toEqual([])
    expect(with_(-500_000)).toEqual(['unusual: Services 5000'])
  })

  it('finds entries dated outside the month, and large ones where an amount is set', () => {
    const late = evidenceOfMade({
      ...CLEAN,
      entries: [...CLEAN.entries, transfer('2026-04-02', 'Check', '77', 'Late', '6400', '1000', 1)],
    })
    expect(found(late)).toEqual(['outside-period: 2026-04-02, Check, 77, Late 0.01'])
    expect(found(evidenceOfMade(CLEAN, { largeEntry: '12000' }))[0]).toMatch(
      /^large-entry: 2026-03-20, Payment/,
    )
  })

  it('lists each of several large or late entries that have the same name and no number', () => {
    const amounts = (rule: RuleId, day: string): unknown => {
      const transfers = [30_000_00, 95_000_00].map((cents) =>
        transfer(day, 'Transfer', '', 'Funds Transfer', '1200', '1000', cents),
      )
      const made = { ...CLEAN, entries: [...CLEAN.entries, ...transfers] }
      return findingsOf(reviewMonth(evidenceOfMade(made, { largeEntry: '25000' }), null))
        .filter((each) => each.rule === rule)
        .map(({ amount }) => Math.abs(Number(amount)))
    }
    expect(amounts('large-entry', '2026-03-10')).toEqual([30_000, 95_000])
    expect(amounts('outside-period', '2026-04-10')).toEqual([30_000, 95_000])
    // The parts of an entry aren’t entries.
    const paycheck: Entry = {
      ...transfer('2026-04-10', 'Paycheck', '', 'Ann Lee', '6100', '1000', 0),
      lines: [
        ['6100', 900_00],
        ['2300', -100_00],
        ['1000', -800_00],
      ],
    }
    const late = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, paycheck] })
    expect(found(late)).toEqual(['outside-period: 2026-04-10, Paycheck, Ann Lee 900'])
    const lateAmounts = (
      ...parts: readonly (readonly [type: string, number: string, lines: Entry['lines']])[]
    ) => {
      const entries = parts.flatMap(([type, number, lines]) =>
        lines.map((line, at) => entry('2026-04-10', type, number, `Job ${String(at)}`, [line])),
      )
      const evidence = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, ...entries] })
      const listed = findingsOf(reviewMonth(evidence, null)).filter(({ rule }) => rule === 'outside-period')
      return listed.map(({ amount }) => Math.abs(Number(amount))).toSorted((one, other) => one - other)
    }
    const line = (account: string, amount: number) => [account, amount * 100] as const
    const journal = [line('6500', 20), line('6200', 10), line('1590', -16), line('2500', -14)]
    for (const number of ['', 'J7']) expect(lateAmounts(['General Journal', number, journal])).toEqual([20])
    const check = (cents: number) => [line('6400', 10), line('6300', cents), line('1000', -10 - cents)]
    expect(lateAmounts(['Check', '', check(22)])).toEqual([32])
    expect(lateAmounts(['Check', '', check(22)], ['Check', '', check(30)])).toEqual([32, 40])
    expect(lateAmounts(['Check', '71', check(22)], ['Check', '72', check(30)])).toEqual([32, 40])
    // Of each payee, the total is listed.
    const payTo = (name: string, ...lines: Entry['lines']) => entry('2026-04-10', 'Check', '', name, lines)
    const checks = [
      payTo('Fir', line('2500', 500), line('6200', 25), line('1000', -525)),
      payTo('Gum', line('6000', 300), line('6300', 200), line('1000', -500)),
    ]
    expect(found(evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, ...checks] }))).toEqual([
      'outside-period: 2026-04-10, Check, Fir 525',
      'outside-period: 2026-04-10, Check, Gum 500',
    ])
    // So is each of several journals that have one number.
    const journals = ['Elm CPA', 'Oak CPA'].map((name, at) =>
      transfer('2026-04-10', 'General Journal', '12-31', name, '6500', '1590', (at + 1) * 1_000),
    )
    expect(found(evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, ...journals] }))).toEqual([
      'outside-period: 2026-04-10, General Journal, 12-31, Elm CPA 10',
      'outside-period: 2026-04-10, General Journal, 12-31, Oak CPA 20',
    ])
    const deposit: Entry = {
      ...transfer('2026-03-10', 'Deposit', '', 'Card sales', '1000', '4000', 0),
      lines: [
        ['1000', 85_000_00],
        ['4000', -55_000_00],
        ['1100', -30_000_00],
      ],
    }
    const large = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, deposit] }, { largeEntry: '25000' })
    expect(found(large).filter((each) => each.startsWith('large-entry'))).toEqual([
      'large-entry: 2026-03-10, Deposit, Card sales 85000',
    ])
  })

  it('reads dates in either order of day and month, which the whole ledger decides', () => {
    const ledgerOf = (dates: readonly string[], columns = ['Date', 'Debit', 'Credit']): Evidence => {
      const reader = new LedgerReader(
        { name: 'GeneralLedger', from: '2026-03-01', to: '2026-03-31', columns },
        null,
      )
      const row = (name: string, values: readonly string[]): ReportRow => ({
        ...{ name, id: '', values, rowType: 'DataRow', kind: 'data', level: 1, parent: 0 },
      })
      const byColumn = columns[0] === 'Date'
      reader.add([
        { ...row('Checking', []), kind: 'section' },
        ...dates.map((date, at) =>
          byColumn
            ? row(`Bill ${String(at)}`, [date, `${String(at + 1)}.00`, ''])
            : row(`${date}, Bill, T-${String(at)}, Cedar`, [`${String(at + 1)}.00`, '']),
        ),
      ])
      return { ...evidenceOfMade(CLEAN), ledger: { ok: true, value: reader.finish() } }
    }
    const outside = (...dates: readonly string[]): readonly string[] =>
      found(ledgerOf(dates)).map((each) => each.replace(/, Bill .*/, ''))
    // A part above 12 tells the order of all.
    expect(outside('05/03/2026', '31/03/2026')).toEqual([])
    expect(outside('03/05/2026', '03/31/2026')).toEqual([])
    expect(outside('05/03/2026', '31/03/2026', '03/04/2026')).toEqual(['outside-period: 2026-04-03'])
    expect(outside('03/05/2026', '03/31/2026', '04/03/2026')).toEqual(['outside-period: 2026-04-03'])
    // So does the period.
    expect(outside('05/03/2026', '07/03/2026')).toEqual([])
    expect(outside('5.3.26', '7.3.26', '1.4.26')).toEqual(['outside-period: 2026-04-01'])
    expect(outside('03/05/2026', '03/07/2026')).toEqual([])
    expect(outside('11 Mar 2026', '2026-03-12T08:00:00', 'Mar 13 2026')).toEqual([])
    // Nothing is assumed if neither does.
    const unsure = 'The dates can be read two ways, such as “03/04/2026”.'
    for (const dates of [
      ['03/04/2026', '04/03/2026'],
      ['03/04/2026', '04/03/2026', '03/05/2026'],
    ]) {
      for (const columns of [undefined, ['Debit', 'Credit']]) {
        expect(reason(ledgerOf(dates, columns), 'outside-period')).toBe(unsure)
        expect(reason(ledgerOf(dates, columns), 'entered-twice')).toBe('')
      }
    }
    const one = ledgerOf(['31/03/2026', '03/30/2026', '03/04/2026'])
    expect(reason(one, 'outside-period')).toBe(
      '1 entry has a date that can be read two ways, such as “03/04/2026”.',
    )
    const undated = ledgerOf(['03/30/2026', '03/31/2026', 'soon'], ['Date', 'Debit', 'Credit'])
    expect(reason(undated, 'outside-period')).toBe('1 entry has no date that can be read.')
    const both = ledgerOf(['31/03/2026', '03/30/2026', '03/04/2026', '01/05/2026'])
    expect(reason(both, 'outside-period')).toBe(
      '2 entries have a date that can be read two ways, such as “03/04/2026”.',
    )
    expect(found(both)).toEqual([])
  })

  it('finds inactive accounts, customers, and vendors without a balance that have entries', () => {
    const inactive = (source: Source, name: string, ...entries: readonly Entry[]): string[] => {
      const books = { ...CLEAN, entries: [...CLEAN.entries, ...entries] }
      const all = CLEAN.lists.get(source) ?? []
      const records = all.map((each) => (each.name === name ? { ...each, isActive: false } : each))
      return found(evidenceOfMade({ ...books, lists: new Map([...CLEAN.lists, [source, records]]) }))
    }
    // Invoiced and paid, so nothing is owed.
    expect(inactive('customers', 'Ash Bakery')).toEqual([expect.stringMatching(/^inactive: Ash Bakery \d/)])
    // A bill that is open, and no expense of the month.
    expect(inactive('vendors', 'Dogwood Realty')).toEqual([
      expect.stringMatching(/^inactive: Dogwood Realty \d/),
    ])
    // Money that came in and went out.
    const pass = transfer('2026-03-09', 'Journal', 'J7', 'Moved', '1200', '1000', 4_200)
    const back = transfer('2026-03-10', 'Journal', 'J8', 'Moved', '1000', '1200', 4_200)
    expect(inactive('accounts', 'Undeposited Funds')).toEqual([])
    expect(inactive('accounts', 'Undeposited Funds', pass, back)).toEqual(['inactive: Undeposited Funds 42'])
    // A name with a comma, one that another name begins with, and one that a vendor has, too.
    const withMore = (more: readonly ListedRecord[], vendors: readonly ListedRecord[] = []): Evidence =>
      evidenceOfMade({
        ...CLEAN,
        lists: new Map([
          ...CLEAN.lists,
          ['customers', [...(CLEAN.lists.get('customers') ?? []), ...more]],
          ['vendors', [...(CLEAN.lists.get('vendors') ?? []), ...vendors]],
        ]),
      })
    expect(found(withMore([record('c7', 'Elm, Rosa', { isActive: false })]))).toEqual([
      expect.stringMatching(/^inactive: Elm, Rosa/),
    ])
    expect(found(withMore([record('c7', 'Fir', { isActive: false })]))).toEqual([])
    expect(found(withMore([record('c7', 'Elm', { isActive: false }), record('c8', 'Elm, Rosa')]))).toEqual([])
    const shared = withMore([record('c7', 'Fir Bank', { isActive: false })], [record('v7', 'Fir Bank')])
    expect(found(shared)).toEqual([])
    expect(reason(shared, 'inactive')).toBe(
      'The general ledger has entries for Fir Bank, and several records have that name.',
    )
  })

  it('finds inactive records in use, duplicates, 1099 vendors without details, and malformed details', () => {
    expect(
      found(
        withList('accounts', (all) =>
          all.map((each) => (each.name === 'Software' ? { ...each, isActive: false } : each)),
        ),
      ),
    ).toEqual([expect.stringMatching(/^inactive: Software/)])
    const [cedar] = CLEAN.lists.get('vendors') ?? []
    const [ash] = CLEAN.lists.get('customers') ?? []
    if (!cedar || !ash) throw new Error('The books have no vendors.')
    expect(
      found(
        withList('vendors', (all) => [
          ...all,
          { ...cedar, id: 'v9', name: 'Supply Cedar, Inc.', fullName: 'Supply Cedar, Inc.' },
        ]),
      ),
    ).toEqual(['duplicates: Cedar Supply and Supply Cedar, Inc.'])
    // One in another currency is another vendor.
    const abroad = { ...cedar, id: 'v9', name: 'Cedar Supply Inc.', currency: 'EUR', phone: '503-555-0144' }
    expect(
      found(
        withList('vendors', (all) => [
          ...all.map((each) => ({ ...each, currency: 'USD', phone: '503-555-0144' })),
          abroad,
        ]),
      ),
    ).toEqual([])
    expect(
      found(
        withList('customers', (all) => [
          ...all,
          { ...ash, id: 'c9', name: 'Ash Bakery Downtown', fullName: 'Ash Bakery Downtown', email: '' },
        ]),
      ),
    ).toEqual(['duplicates: Ash Bakery and Ash Bakery Downtown'])
    // A number in a customer’s name isn’t that of a branch.
    expect(
      found(
        withList('customers', (all) => [...all, { ...ash, id: 'c9', name: 'Ash Bakery 10187', email: '' }]),
      ),
    ).toEqual([expect.stringMatching(/^duplicates: /)])
    // A job has its customer's phone number.
    expect(
      found(withList('customers', (all) => [...all, { ...ash, id: 'c9', name: 'Oven', parentId: 'c1' }])),
    ).toEqual([])
    expect(
      found(
        withList('vendors', (all) =>
          all.map((each) => (each.is1099 ? { ...each, hasAddress: false } : each)),
        ),
      ),
    ).toEqual(['incomplete-1099: Cedar Supply'])
    expect(
      found(withList('customers', (all) => all.map((each) => ({ ...each, email: 'owner.ash.example' })))),
    ).toEqual(['malformed: Ash Bakery', 'malformed: Beech & Co.'])
  })

  it('finds the same name however it is written, and among any number of others', () => {
    const others = Array.from({ length: 3_000 }, (_, at) =>
      record(`o${String(at)}`, `Other ${String(at)}`, { phone: '503-555-0190' }),
    )
    const pairs = [
      ['O’Neil & Sons, Inc.', 'THE ONEIL SONS'],
      ['Café Noël', 'Cafe  Noel LLC'],
      ['Dunning, Alonzo', 'alonzo dunning'],
      ['Żółć 24', '24 Zołc'],
      ['Мария Иванова', 'ИВАНОВА, Мария'],
    ]
    const both = pairs.flatMap((pair, at) =>
      pair.map((name, which) => record(`p${String(at)}-${String(which)}`, name)),
    )
    const customers = (more: readonly ListedRecord[]) =>
      found(withList('customers', (all) => [...all, ...others, ...more]))
    expect(customers(both)).toEqual(pairs.map((pair) => `duplicates: ${pair.join(' and ')}`))
    // One phone number, and one letter that differs.
    const shared = { phone: '(503) 555-0190' }
    const misspelled = ['Bracken Falls', 'Braken Falls'].map((name) => record(name, name, shared))
    expect(customers(misspelled)).toEqual(['duplicates: Bracken Falls and Braken Falls'])
  })

  it('finds statements that disagree, by account', () => {
    const rules = (evidence: Evidence): string[] =>
      found(evidence).filter((text) => text.startsWith('statements-agree'))
    expect(rules(withStatement('trial-balance', (each) => withValue(each, 'Rent', 0, '7500.38')))).toEqual([
      'statements-agree: Trial balance -0.01',
      'statements-agree: Rent -0.01',
    ])
    expect(
      rules(withStatement('balance-sheet', (each) => withValue(each, 'Net Income', 0, '1.00'))),
    ).toHaveLength(2)
  })
})

describe('evidence that was not read completely', () => {
  it('leaves every rule that needs it not checked', () => {
    const sources = planReadings('qbd', '2026-03').map(({ source }) => source)
    for (const source of sources) {
      const whole = evidenceOfMade(CLEAN)
      const reason = 'The service says there is more of this than it sent.'
      const cut: Evidence = {
        ...whole,
        statement: (asked) => (asked === source ? { ok: false, reason } : whole.statement(asked)),
        list: (asked) => (asked === source ? { ok: false, reason } : whole.list(asked)),
        ledger: source === 'ledger' ? { ok: false, reason } : whole.ledger,
      }
      const outcomes = reviewMonth(cut, null)
      const needing: Partial<Record<Source, RuleId>> = {
        'trial-balance': 'should-be-empty',
        'balance-sheet': 'stands-still',
        'profit-and-loss': 'unusual',
        ledger: 'entered-twice',
        vendors: 'duplicates',
        customers: 'malformed',
        accounts: 'wrong-side',
      }
      const rule = needing[source]
      if (rule !== undefined) {
        expect(outcomes.find((each) => each.rule === rule)).toEqual({ rule, result: 'not-checked', reason })
      }
      expect(findingsOf(outcomes)).toEqual([])
    }
  })

  it('leaves a figure that can’t be read not checked', () => {
    const evidence = withStatement('trial-balance', (each) =>
      withValue(each, 'Opening Balance Equity', 0, '12,50'),
    )
    expect(reviewMonth(evidence, null).find(({ rule }) => rule === 'should-be-empty')).toEqual({
      rule: 'should-be-empty',
      result: 'not-checked',
      reason: 'The amount of Opening Balance Equity can’t be read: “12,50”.',
    })
  })
})

/** Books with a planted fault of some cents, and the expected finding, by name and to the cent. */
interface Fault {
  readonly evidence: Evidence
  readonly found: readonly string[]
  /** The audit trail that was kept when the month was closed. */
  readonly kept?: FullReport
}

/** A fault of each rule; some have two. */
const FAULTS: readonly (readonly [rule: RuleId, plant: (cents: number, books: MadeBooks) => Fault])[] = [
  [
    'statements-agree',
    (cents, books) => {
      const rent = sumOf(books, '6000', '2026-01')
      const evidence = changed(evidenceOfMade(books), 'trial-balance', (each) =>
        withValue(each, 'Rent', 0, dollars(rent + cents)),
      )
      return { evidence, found: [`Trial balance ${shown(cents)}`, `Rent ${shown(cents)}`] }
    },
  ],
  [
    'receivables-agree',
    (cents, books) => planted(books, `Accounts Receivable ${shown(cents)}`, journal('1100', '1000', cents)),
  ],
  [
    'earlier-years',
    (cents, books) => planted(books, `Retained Earnings ${shown(cents)}`, journal('1000', '3100', cents)),
  ],
  [
    'should-be-empty',
    (cents, books) =>
      planted(books, `Opening Balance Equity ${shown(cents)}`, journal('3000', '1000', cents)),
  ],
  [
    'undeposited-funds',
    (cents, books) => planted(books, `Undeposited Funds ${shown(cents)}`, journal('1200', '1000', cents)),
  ],
  [
    'wrong-side',
    (cents, books) => {
      const owed = sumOf(books, '2100', '2025-01')
      return planted(books, `Company Card ${shown(cents)}`, journal('2100', '1000', cents - owed))
    },
  ],
  [
    'stands-still',
    (_cents, books) => {
      // The month’s interest is paid, and nothing of the loan.
      const entries = books.entries.map((each) => {
        if (!is('Fir Bank')(each)) return each
        const interest = each.lines.find(([account]) => account === '6200')?.[1] ?? 0
        const lines = [
          ['6200', interest],
          ['1000', -interest],
        ] as const
        return { ...each, lines }
      })
      const left = sumOf({ ...books, entries }, '2500', '2025-01')
      return { evidence: evidenceOfMade({ ...books, entries }), found: [`Truck Loan ${shown(-left)}`] }
    },
  ],
  [
    'past-90-days',
    (cents, books) => planted(books, `Ash Bakery ${shown(cents)}`, invoice('2025-10-02', cents)),
  ],
  [
    'customer-credit',
    (cents, books) => {
      const lines = [
        ['1000', cents],
        ['1100', -cents],
      ] as const
      const paid = { ...entry('2026-03-21', 'Payment', 'X3', 'Beech & Co.', lines), customer: 'c2', due: '' }
      const open = invoice('2026-03-20', 20_000)
      return planted(books, `Beech & Co. ${shown(-cents)}`, open, { ...paid, due: '2026-03-28' })
    },
  ],
  [
    'unusual',
    (cents, books) => {
      const amount = sumOf(books, '6400', '2026-03') + 80_000 + cents
      const unplanned = { ...books, budget: new Map([...books.budget, ['6400', 0] as const]) }
      return planted(unplanned, `Software ${shown(amount)}`, journal('6400', '2000', 80_000 + cents))
    },
  ],
  [
    'missing-this-month',
    (cents, books) => {
      const [name, account] = cents % 2 === 0 ? ['Dogwood Realty', '6000'] : ['Gum Telecom', '6300']
      const entries = books.entries.filter((each) => !is(name)(each))
      const last = sumOf({ ...books, entries }, account, '2026-02')
      const title = cents % 2 === 0 ? 'Rent' : 'Telephone'
      return { evidence: evidenceOfMade({ ...books, entries }), found: [`${title} ${shown(last)}`] }
    },
  ],
  ['first-use', (cents, books) => planted(books, `Travel ${shown(cents)}`, journal('6600', '2000', cents))],
  [
    'reversed-sign',
    (cents, books) => {
      const refund = sumOf(books, '6300', '2026-03') + cents
      return planted(books, `Telephone ${shown(-cents)}`, journal('2000', '6300', refund))
    },
  ],
  [
    'no-class',
    (cents, books) => {
      const { className: _className, ...unclassified } = invoice('2026-03-20', cents)
      return planted(books, `Sales ${shown(cents)}`, unclassified)
    },
  ],
  [
    'over-budget',
    (cents, books) => {
      const budget = new Map([...books.budget, ['6000', 100_000 + cents] as const])
      const over = sumOf(books, '6000', '2026-03') - 100_000 - cents
      return { evidence: evidenceOfMade({ ...books, budget }), found: [`Rent ${shown(over)}`] }
    },
  ],
  [
    'entered-twice',
    (cents, books) => {
      const bill = { ...journal('5000', '2000', cents), className: 'North' }
      return planted(books, `2026-03-13, Journal, X1, Planted ${shown(cents)}`, bill, bill)
    },
  ],
  [
    'entered-twice',
    (any, books) => {
      // Few enough that the month’s materials stay within the usual amount.
      const cents = (any % 4_000) + 1
      const lines = [
        ['5000', cents],
        ['5000', cents],
        ['2000', -2 * cents],
      ] as const
      const bill = { ...journal('5000', '2000', 0), lines, className: 'North' }
      return planted(books, `2026-03-13, Journal, X1, Planted ${shown(2 * cents)}`, bill, bill)
    },
  ],
  [
    'entered-twice',
    (cents, books) => {
      const numbers = cents % 2 === 0 ? ['', ''] : ['X1', 'X2']
      const bills = numbers.map((number) => ({ ...journal('6400', '2000', cents), number }))
      const number = cents % 2 === 0 ? '' : 'X1, '
      return planted(books, `2026-03-13, Journal, ${number}Planted ${shown(cents)}`, ...bills)
    },
  ],
  [
    'outside-period',
    (cents, books) => {
      const late = { ...journal('6400', '1000', cents), date: '2026-04-02' }
      return planted(books, `2026-04-02, Journal, X1, Planted ${shown(cents)}`, late)
    },
  ],
  [
    'large-entry',
    (cents, books) => {
      const large = journal('1500', '3200', 9_000_000 + cents)
      const evidence = evidenceOfMade(
        { ...books, entries: [...books.entries, large] },
        { largeEntry: '90000' },
      )
      return { evidence, found: [`2026-03-13, Journal, X1, Planted ${shown(9_000_000 + cents)}`] }
    },
  ],
  [
    'changed-after-close',
    (cents, books) => {
      const late = journal('6400', '2100', cents)
      const entries = [...books.entries, late]
      const [before, after] = [trailOf(books.entries), trailOf(entries)]
      const isGone = cents % 2 === 0
      const evidence = closed(evidenceOfMade({ ...books, entries }), isGone ? before : after)
      const subject = '2026-03-13, Journal, X1, Planted'
      return {
        evidence,
        kept: isGone ? after : before,
        found: [`${subject} ${isGone ? '0' : shown(cents)}`],
      }
    },
  ],
  [
    'inactive',
    (cents, books) => {
      const vendors = books.lists.get('vendors') ?? []
      const one = vendors[cents % vendors.length]
      const records = vendors.map((each) => ({ ...each, isActive: each !== one }))
      return { evidence: listed(books, 'vendors', records), found: [`${one?.name ?? ''} 100`] }
    },
  ],
  [
    'inactive',
    (_cents, books) => {
      const accounts = books.lists.get('accounts') ?? []
      const records = accounts.map((each) => ({ ...each, isActive: each.name !== 'Equipment' }))
      return { evidence: listed(books, 'accounts', records), found: ['Equipment 24000'] }
    },
  ],
  [
    'duplicates',
    (cents, books) => {
      const list = cents % 2 === 0 ? 'vendors' : 'customers'
      const records = books.lists.get(list) ?? []
      const one = records[cents % records.length]?.name ?? ''
      const two = `${one.toUpperCase()}, LLC`
      const more = record('x1', two, { phone: '503-555-0177' })
      return { evidence: listed(books, list, [...records, more]), found: [`${one} and ${two}`] }
    },
  ],
  [
    'incomplete-1099',
    (cents, books) => {
      const records = books.lists.get('vendors') ?? []
      const name = `Vendor ${String(cents)}`
      const more = record('x1', name, { is1099: true, hasAddress: false })
      return { evidence: listed(books, 'vendors', [...records, more]), found: [name] }
    },
  ],
  [
    'malformed',
    (cents, books) => {
      const list = cents % 2 === 0 ? 'vendors' : 'customers'
      const name = `Name ${String(cents)}`
      const wrong = [{ email: 'at.example' }, { phone: '12' }][(cents >> 1) % 2]
      const records = [...(books.lists.get(list) ?? []), record('x1', name, wrong)]
      return { evidence: listed(books, list, records), found: [name] }
    },
  ],
]

function planted(books: MadeBooks, subject: string, ...entries: readonly Entry[]): Fault {
  return { evidence: evidenceOfMade({ ...books, entries: [...books.entries, ...entries] }), found: [subject] }
}

function listed(books: MadeBooks, source: Source, records: readonly ListedRecord[]): Evidence {
  return evidenceOfMade({ ...books, lists: new Map([...books.lists, [source, records]]) })
}

function closed(evidence: Evidence, trail: FullReport): Evidence {
  return {
    ...evidence,
    closedAt: '2026-04-03T09:00:00Z',
    statement: (source) =>
      source === 'audit-trail' ? { ok: true, value: trail } : evidence.statement(source),
  }
}

/** The audit trail of the reviewed month: a row for each of its entries. */
function trailOf(entries: readonly Entry[]): FullReport {
  const those = entries.filter(({ date }) => date.startsWith('2026-03'))
  return {
    ...{ name: 'AuditTrail', from: '2026-03-01', to: '2026-03-31', columns: ['Amount'] },
    checks: checkReport('AuditTrail', ['Amount'], []),
    rows: those.map(({ date, type, number, name, lines }): ReportRow => {
      const values = [dollars(Math.max(...lines.map(([, cents]) => cents)))]
      const title = `${date}, ${type}, ${number}, ${name}`
      return { name: title, id: '', rowType: 'DataRow', kind: 'data', level: 0, parent: -1, values }
    }),
  }
}

/** Cents of an account from a month on, debits positive. */
function sumOf({ entries }: MadeBooks, account: string, from: string): number {
  const until = from === '2026-02' ? '2026-03' : '2026-04'
  return entries
    .filter(({ date }) => date >= from && date < until)
    .flatMap(({ lines }) => lines)
    .reduce((sum, [id, cents]) => (id === account ? sum + cents : sum), 0)
}

function dollars(cents: number): string {
  return (cents / 100).toFixed(2)
}

/** As in a finding: without trailing zeros. */
function shown(cents: number): string {
  return String(cents / 100)
}

function journal(debit: string, credit: string, cents: number): Entry {
  return transfer('2026-03-13', 'Journal', 'X1', 'Planted', debit, credit, cents)
}

function invoice(date: string, cents: number): Entry {
  const lines = [
    ['1100', cents],
    ['4000', -cents],
  ] as const
  return {
    ...entry(date, 'Invoice', 'X2', 'Ash Bakery', lines),
    ...{ customer: 'c1', due: date, className: 'North' },
  }
}

/** How applications may write the same reports. */
const SHAPES: readonly (readonly [name: string, change: (evidence: Evidence) => Evidence])[] = [
  ['as usual', (evidence) => evidence],
  ['without IDs', withoutIds],
  [
    'with totals in rows of an unknown type',
    inAll((rows) => rows.map((row) => (row.kind === 'subtotal' ? { ...row, rowType: 'SummaryRow' } : row))),
  ],
  ['without totals', inAll((rows) => rows.filter(({ kind }) => kind !== 'subtotal'))],
  ['without sections', inAll((rows) => rows.filter(({ kind }) => kind === 'data'))],
]

function inAll(
  change: (rows: readonly ReportRow[]) => readonly ReportRow[],
): (evidence: Evidence) => Evidence {
  return (evidence) => ({
    ...evidence,
    statement: (source) => {
      const read = evidence.statement(source)
      return read.ok ? { ok: true, value: withRows(read.value, change) } : read
    },
  })
}

/** Evidence of what an application offers. */
function offeredBy(application: string, evidence: Evidence): Evidence {
  const missing = { ok: false, reason: 'It isn’t offered.' } as const
  return {
    ...evidence,
    statement: (source) =>
      source === 'last-kept' || source === 'last-kept-profit-and-loss' || isOffered(application, source)
        ? evidence.statement(source)
        : missing,
    ledger: isOffered(application, 'ledger') ? evidence.ledger : missing,
  }
}

describe('a fault planted in any books', () => {
  it.each(['qbd', 'qbo'].flatMap((application) => SHAPES.map((shape) => [application, ...shape] as const)))(
    'of any rule is found in %s, %s, or reported as not checked',
    (application, shape, change) => {
      expect(found(offeredBy(application, change(evidenceOfMade(CLEAN))))).toEqual([])
      const silent = FAULTS.filter(([rule, plant]) => {
        const { evidence, kept = null, found: subjects } = plant(12_345, CLEAN)
        const outcomes = reviewMonth(offeredBy(application, change(evidence)), kept)
        const outcome = outcomes.find((each) => each.rule === rule)
        const isFound =
          outcome?.result === 'found' &&
          outcome.findings.some(({ subject, amount }) => subjects.includes(`${subject} ${amount}`.trim()))
        const mustBeFound =
          shape === 'as usual' && RULES[rule].needs.every((source) => isOffered(application, source))
        return !isFound && (mustBeFound || uncheckedIn(outcome) === '')
      })
      expect(silent.map(([rule]) => rule)).toEqual([])
    },
  )

  it('exists for every rule', () => {
    expect(RULE_IDS.filter((rule) => FAULTS.every(([each]) => each !== rule))).toEqual([])
  })

  it.each(FAULTS)('of %s is found and named, and nothing else', (rule, plant) => {
    fc.assert(
      fc.property(anyBooks, fc.integer({ min: 1, max: 19_999 }), (books, cents) => {
        const { evidence, kept, found: wanted } = plant(cents, books)
        const outcomes = reviewMonth(evidence, kept ?? null)
        expect(
          findingsOf(outcomes).map((each) => `${each.rule}: ${each.subject} ${each.amount}`.trim()),
        ).toEqual(wanted.map((each) => `${rule}: ${each}`))
      }),
      { numRuns: 4 * DEEPER },
    )
  })
})

/** Evidence with renamed rows, headings, or accounts in one report. */
function renamed(source: Source, change: (name: string) => string): Evidence {
  return withStatement(source, (statement) => ({
    ...statement,
    columns: statement.columns.map(change),
    rows: statement.rows.map((row) => ({ ...row, name: change(row.name) })),
  }))
}

describe('a service of another kind', () => {
  it.each(['', '0.00'])('never counts as clean if a statement has no amounts other than %o', (amount) => {
    for (const source of ['trial-balance', 'balance-sheet', 'profit-and-loss'] as const) {
      const empty = withStatement(source, (each) => ({
        ...each,
        rows: each.rows.map((row) => ({ ...row, values: row.values.map(() => amount) })),
      }))
      const outcomes = reviewMonth(empty, null)
      expect(findingsOf(outcomes)).toEqual([])
      const rule = ({ 'trial-balance': 'wrong-side', 'balance-sheet': 'undeposited-funds' } as const)[
        source === 'profit-and-loss' ? 'trial-balance' : source
      ]
      expect(reason(empty, source === 'profit-and-loss' ? 'unusual' : rule)).toMatch(/ has no amounts\.$/)
    }
  })

  it('with amounts written for people makes nothing up, and names what it can’t read', () => {
    const forPeople = (value: string): string =>
      /^-?\d{4,}\.\d\d$/.test(value) ? `(${value.replace(/(?=\d{3}\.)/, ',')})` : value
    const SOURCES: readonly Source[] = [
      ...([
        'trial-balance',
        'balance-sheet',
        'balance-sheet-1',
        'balance-sheet-2',
        'balance-sheet-12',
      ] as const),
      ...(['profit-and-loss', 'receivables', 'vendor-expenses', 'by-class', 'budget'] as const),
    ]
    let all = evidenceOfMade(CLEAN)
    for (const source of SOURCES) {
      const change = (statement: FullReport): FullReport => ({
        ...statement,
        rows: statement.rows.map((row) => ({ ...row, values: row.values.map(forPeople) })),
      })
      expect(found(changed(evidenceOfMade(CLEAN), source, change))).toEqual([])
      all = changed(all, source, change)
    }
    expect(found(all)).toEqual([])
    // A month that can't be read does not count as zero.
    for (const column of [0, 11, 12]) {
      const unread = withStatement('profit-and-loss', (each) => withValue(each, 'Rent', column, '(2,500.13)'))
      expect(found(unread)).toEqual([])
      for (const rule of ['unusual', 'missing-this-month', 'first-use', 'reversed-sign'] as const) {
        expect(reason(unread, rule)).toBe('The amount of Rent can’t be read: “(2,500.13)”.')
      }
    }
  })

  it('with a ledger in columns lists each of several journals that have one word as their number', () => {
    const columns = ['Date', 'Type', 'Num', 'Name', 'Debit', 'Credit']
    const head = { name: 'GeneralLedger', from: '2026-03-01', to: '2026-03-31', columns }
    const reader = new LedgerReader(head, '5000' as Decimal)
    const row = (kind: ReportRow['kind'], name: string, ...values: string[]): ReportRow => ({
      ...{
        name,
        id: '',
        values,
        rowType: kind === 'data' ? 'DataRow' : 'TextRow',
        kind,
        level: 1,
        parent: 0,
      },
    })
    const posted = (...amounts: readonly string[]): readonly ReportRow[] =>
      ['2026-03-31', '2026-04-05'].map((day) =>
        row('data', '', day, 'General Journal', 'AJE', 'Elm CPA', ...amounts),
      )
    reader.add([row('section', 'Depreciation'), ...posted('9000.00', ''), ...posted('6000.00', '')])
    reader.add([row('section', 'Equipment'), ...posted('', '9000.00'), ...posted('', '6000.00')])
    const { large, outside } = reader.finish()
    const inMarch = large.filter(({ title }) => title.startsWith('2026-03-31'))
    for (const listed of [inMarch, outside])
      expect(listed.map(({ amount }) => amount)).toEqual(['9000.00', '6000.00'])
  })

  it('with a ledger in the usual columns reads debits and credits, and says what it can’t read', () => {
    const columns = ['Type', 'Date', 'Num', 'Name', 'Memo', 'Split', 'Debit', 'Credit', 'Balance']
    const reader = new LedgerReader(
      { name: 'GeneralLedger', from: '2026-03-01', to: '2026-03-31', columns },
      '5000' as Decimal,
    )
    const row = (name: string, ...values: string[]): ReportRow => ({
      ...{ name, id: '', values, rowType: 'DataRow', kind: 'data', level: 1, parent: 0 },
    })
    const bill = (number: string, amount: string, ...rest: string[]): ReportRow =>
      row('', 'Bill', '03/11/2026', number, 'Cedar Supply', '9001', 'Materials', amount, ...rest)
    const add = (...rows: readonly ReportRow[]): void => {
      reader.add([{ ...row('Accounts Payable'), kind: 'section' }, ...rows])
    }
    add(bill('48213', '', '10.00'), bill('48213', '', '12.00'), bill('48214', '', '6000.00'))
    add(
      bill('48215', '(1,250.00)'),
      bill('48216', '$40.00'),
      row('Opening balance', '', '', '', '', '', '', ''),
    )
    const facts = reader.finish()
    expect(facts.large.map(({ title, amount }) => [title, amount])).toEqual([
      ['2026-03-11, Bill, 48214, Cedar Supply', '6000.00'],
    ])
    expect(facts).toMatchObject({ rows: 3, doubled: [], unreadable: { rows: 2, example: '(1,250.00)' } })
    const evidence: Evidence = { ...evidenceOfMade(CLEAN), ledger: { ok: true, value: facts } }
    expect(reason(evidence, 'entered-twice')).toBe(
      '2 entries have an amount that can’t be read, such as “(1,250.00)”.',
    )
  })

  it('with a ledger in columns keeps entries apart by their memos, and recognizes what isn’t a number', () => {
    const columns = ['Type', 'Date', 'Num', 'Name', 'Memo', 'Debit', 'Credit']
    type Columns = readonly [number: string, name: string, memo: string]
    const doubledOf = (type: string, entries: readonly Columns[], hasIds = false): unknown => {
      const reader = new LedgerReader(
        { name: 'GeneralLedger', from: '2026-03-01', to: '2026-03-31', columns },
        null,
      )
      const section = (name: string): ReportRow => ({
        ...{ name, id: '', values: [], rowType: 'TextRow', kind: 'section', level: 0, parent: -1 },
      })
      const rows = (parent: number, ...amounts: readonly string[]): readonly ReportRow[] =>
        entries.map((each) => ({
          ...{ name: '', id: hasIds ? each[1] : '', rowType: 'DataRow', kind: 'data', level: 1, parent },
          values: [type, '03/11/2026', ...each, ...amounts],
        }))
      reader.add([section('Tolls'), ...rows(0, '40.00', ''), section('Checking')])
      reader.add(rows(entries.length + 1, '', '40.00'))
      return reader.finish().doubled.map(({ severity, title }) => [severity, title])
    }
    const doubled = (...entries: readonly Columns[]): unknown => doubledOf('Check', entries)
    const isFound = (title: string): unknown => [['check', `2026-03-11, Check, ${title}`]]
    expect(doubled(['EFT', 'Bay Tolls', ''], ['EFT', 'Bay Tolls', ''])).toEqual(isFound('EFT, Bay Tolls'))
    expect(doubled(['EFT', 'Bay Tolls', 'North'], ['EFT', 'Bay Tolls', 'South'])).toEqual([])
    expect(doubled(['', 'Bay Tolls', 'North'], ['', 'Bay Tolls', 'South'])).toEqual([])
    expect(doubled(['', '', 'North'], ['', '', 'South'])).toEqual([])
    expect(doubled(['17', 'Bay Tolls', 'North'], ['18', 'Bay Tolls', 'North'])).toEqual(
      isFound('17, Bay Tolls'),
    )
    expect(doubled(['17', '', 'Toll'], ['18', '', 'Toll'])).toEqual([])
    // Text that isn’t a number says how it was paid.
    for (const word of ['Zelle', 'Debit Card', 'SVCCHRG', 'Bill.com'])
      expect(doubled([word, 'Bay Tolls', ''], [word, 'Bay Tolls', ''])).toEqual(isFound(`${word}, Bay Tolls`))
    // One copy lacks the name.
    const unnamed = [['101', 'Bay Tolls', 'Toll'] as const, ['101', '', 'Toll'] as const]
    for (const hasIds of [true, false])
      expect(doubledOf('Check', unnamed, hasIds)).toEqual([['likely', '2026-03-11, Check, 101, Bay Tolls']])
    // A number may have spaces.
    for (const number of ['INV 1001', 'PO 4501'])
      expect(doubled([number, 'Bay Tolls', 'North'], [number, 'Bay Tolls', 'South'])).toEqual([
        ['likely', `2026-03-11, Check, ${number}, Bay Tolls`],
      ])
    // The number of a journal may be a word.
    const adjusted = [['ADJ', '', 'Dep'] as const, ['ADJ', '', 'Depr.'] as const]
    expect(doubledOf('General Journal', adjusted)).toEqual([['check', '2026-03-11, General Journal, ADJ']])
    expect(doubledOf('Deposit', adjusted)).toEqual([])
    // A journal may have a memo for each employee.
    const pay = [['PR10', '', 'Ann Lee'] as const, ['PR10', '', 'Bo Ray'] as const]
    expect(doubledOf('General Journal', pay)).toEqual([['check', '2026-03-11, General Journal, PR10']])
    expect(doubledOf('Paycheck', pay)).toEqual([['likely', '2026-03-11, Paycheck, PR10']])
  })

  it('with a column of currencies, and several pairs of debits and credits, finds the amounts', () => {
    const withCurrency = (at: 'first' | 'last', source: Source): Evidence =>
      withStatement(source, (each) => ({
        ...each,
        columns: at === 'first' ? ['Currency', ...each.columns] : [...each.columns, 'Currency'],
        rows: each.rows.map((row) => {
          if (row.values.length === 0) return row
          return { ...row, values: at === 'first' ? ['USD', ...row.values] : [...row.values, 'USD'] }
        }),
      }))
    for (const source of [
      'trial-balance',
      'balance-sheet',
      'profit-and-loss',
      'by-class',
      'budget',
    ] as const) {
      for (const at of ['first', 'last'] as const) {
        const evidence = withCurrency(at, source)
        expect(found(evidence)).toEqual([])
        for (const rule of ['statements-agree', 'unusual', 'no-class', 'over-budget'] as const) {
          expect([source, at, reason(evidence, rule)]).toEqual([source, at, ''])
        }
      }
    }
    const pairs = (headings: readonly string[]): Evidence =>
      withStatement('trial-balance', (each) => ({
        ...each,
        columns: headings,
        rows: each.rows.map((row) => ({ ...row, values: ['77.00', '', ...row.values] })),
      }))
    const closing = pairs(['Opening debit', 'Opening credit', 'Closing debit', 'Closing credit'])
    expect(found(closing)).toEqual([])
    expect(reason(closing, 'wrong-side')).toBe('')
    const unnamed = pairs(['Debit', 'Credit', 'Debit', 'Credit'])
    expect(reason(unnamed, 'wrong-side')).toBe('The trial balance has several debit and credit columns.')
  })

  it('without IDs, reviews accounts with the same name under two parents separately', () => {
    const rent = (statement: FullReport): FullReport => {
      const at = statement.rows.findIndex(({ name }) => name === 'Rent')
      const row = statement.rows[at]
      if (row === undefined) return statement
      const store = (parent: number): ReportRow => ({ ...row, id: '', parent })
      const [expense] = statement.rows.flatMap(({ name }, index) => (name === 'Expense' ? [index] : []))
      const stopped = { ...store(1), values: row.values.with(12, '0.00') }
      return { ...statement, rows: [...statement.rows.with(at, store(expense ?? 0)), stopped] }
    }
    const evidence = withStatement('profit-and-loss', rent)
    const missing = reviewMonth(evidence, null).find(({ rule }) => rule === 'missing-this-month')
    expect(findingsOf(missing ? [missing] : []).map(({ subject }) => subject)).toEqual(['Rent'])
    // Two findings of one name have keys of their own.
    const suspense = (statement: FullReport): FullReport => {
      const row = statement.rows.find(({ name }) => name === 'Uncategorized Expense')
      const twice = ['12.00', '30.00'].flatMap((debit) =>
        row ? [{ ...row, id: '', values: [debit, ''] }] : [],
      )
      return { ...statement, rows: [...statement.rows.filter((each) => each !== row), ...twice] }
    }
    const two = reviewMonth(withStatement('trial-balance', suspense), null)
    const keys = findingsOf(two)
      .filter(({ rule }) => rule === 'should-be-empty')
      .map(({ key }) => key)
    expect(new Set(keys).size).toBe(2)
  })

  it('whose fiscal year begins in another month than is set: says so, and calls nothing wrong', () => {
    const july = { ...evidenceOfMade(CLEAN), fiscalYearStart: 7 }
    expect(found(july)).toEqual([])
    expect(reason(july, 'statements-agree')).toBe(
      'Net income on the balance sheet covers 3 months. If the fiscal year begins in January, set that in the company’s details.',
    )
    const inFirstYear = evidenceOfMade(
      without(({ date }) => date < '2026-01'),
      {},
      '2026-03',
      1,
    )
    expect(reason({ ...inFirstYear, fiscalYearStart: 3 }, 'statements-agree')).toBe(
      'Net income on the balance sheet covers 3 months or more. If the fiscal year begins in a different month than is set, change that in the company’s details.',
    )
  })

  it('with abbreviated account types is understood', () => {
    const typed = withList('accounts', (all) =>
      all.map((each) => ({
        ...each,
        type: each.type === 'AccountsPayable' ? 'Accounts payable (A/P)' : each.type,
      })),
    )
    expect(reason(typed, 'wrong-side')).toBe('')
  })

  it('with days or percentages in the last column: they aren’t balances', () => {
    for (const heading of ['Days overdue', '% of total']) {
      const more = withStatement('receivables', (each) => ({
        ...each,
        columns: [...each.columns.slice(0, -1), 'Open balance', heading],
        rows: each.rows.map((row) => ({ ...row, values: [...row.values, '-7'] })),
      }))
      expect(found(more)).toEqual([])
    }
  })

  it('without a chart of accounts, or with other types: says what it knows only by name', () => {
    const refused: Evidence = {
      ...evidenceOfMade(CLEAN),
      list: () => ({ ok: false, reason: 'The list was refused.' }),
    }
    expect(reason(refused, 'stands-still')).toBe('The list was refused.')
    const typed = withList('accounts', (all) => all.map((each) => ({ ...each, type: 'Konto' })))
    expect(reason(typed, 'stands-still')).toBe(
      'The types of some accounts are unknown, so loans were recognized only by their names.',
    )
  })

  it('with reports without IDs: accounts are found by name', () => {
    expect(found(withoutIds(evidenceOfMade(CLEAN)))).toEqual([])
    const inactive = withList('accounts', (all) =>
      all.map((each) => (each.name === 'Software' ? { ...each, isActive: false } : each)),
    )
    expect(found(withoutIds(inactive))).toEqual([expect.stringMatching(/^inactive: Software/)])
  })

  it('with other month names is understood, and another year isn’t mistaken for this one', () => {
    const numbers = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
    const as = (write: (year: string, month: string) => string): Evidence =>
      renamed('profit-and-loss', (name) =>
        name.replace(/^([A-Z][a-z]{2}) (20\d\d)$/, (_all, word: string, year: string) =>
          write(year, String(numbers.indexOf(word.toLowerCase()) + 1).padStart(2, '0')),
        ),
      )
    const rent = (evidence: Evidence): string => reason(evidence, 'missing-this-month')
    expect(rent(as((year, month) => `${year}-${month}`))).toBe('')
    expect(rent(as((year, month) => `${month}/${year}`))).toBe('')
    expect(
      rent(renamed('profit-and-loss', (name) => name.replace(' 2026', ' 26').replace(' 2025', ' 25'))),
    ).toBe('')
    const late = renamed('profit-and-loss', (name) => name.replace(' 2025', ' 2024'))
    expect(rent(late)).toBe('The application didn’t provide profit and loss by month.')
    expect(found(late)).toEqual([])
  })

  it.each<[string, RuleId, Evidence, RegExp]>([
    [
      'no account that is known to hold receivables',
      'receivables-agree',
      withoutIds({
        ...renamed('balance-sheet', (name) => name.replaceAll('Accounts Receivable', 'Trade customers')),
        list: () => ({ ok: false, reason: 'The list was refused.' }),
      }),
      /no account that is known to hold receivables/,
    ],
    [
      'another word for net income',
      'statements-agree',
      renamed('balance-sheet', (name) => (name === 'Net Income' ? 'Result of the year' : name)),
      /no row for net income/,
    ],
    [
      'another word for a type of account',
      'wrong-side',
      withList('accounts', (all) => all.map((each) => ({ ...each, type: 'Konto' }))),
      /^The type of Checking is unknown/,
    ],
    [
      'no mark for inactive accounts',
      'inactive',
      withList('accounts', (all) => all.map((each) => ({ ...each, hasStatus: false }))),
      /^The service doesn’t say which accounts are inactive/,
    ],
    [
      'accounts that its list doesn’t have',
      'inactive',
      withList('accounts', (all) => all.filter(({ name }) => name !== 'Rent')),
      /^Trial balance has Rent, which the list of accounts doesn’t have/,
    ],
    [
      'no mark for 1099 vendors',
      'incomplete-1099',
      withList('vendors', (all) => all.map((each) => ({ ...each, is1099: null }))),
      /^The service doesn’t say which vendors get a 1099/,
    ],
    [
      'buckets that end before 90 days',
      'past-90-days',
      renamed('receivables', (name) => name.replace('91 and over', '31 - 60').replace('Up to 90', 'Current')),
      /^The aging report doesn’t say what is more than 90 days late/,
    ],
  ])('with %s: that is reported, and nothing is invented', (_what, rule, evidence, why) => {
    expect(reason(evidence, rule)).toMatch(why)
    expect(found(evidence).filter((each) => each.startsWith(rule))).toEqual([])
  })

  describe('in another shape', () => {
    const reshaped = (
      source: Source,
      change: (statement: FullReport) => Partial<FullReport>,
      evidence = evidenceOfMade(CLEAN),
    ): Evidence => ({
      ...evidence,
      statement: (each) => {
        const read = evidence.statement(each)
        return each === source && read.ok
          ? { ok: true, value: { ...read.value, ...change(read.value) } }
          : read
      },
    })
    const withValues =
      (of: (values: readonly string[], row: ReportRow) => readonly string[]) => (statement: FullReport) => ({
        rows: statement.rows.map((each) => ({
          ...each,
          values: each.values.length === 0 ? [] : of(each.values, each),
        })),
      })
    const negative = (value: string): string => (Number(value) === 0 ? value : String(-Number(value)))
    const owing = evidenceOfMade({
      ...CLEAN,
      entries: [
        ...CLEAN.entries,
        {
          ...transfer('2026-03-09', 'Invoice', '88', 'Ash Bakery', '1100', '4000', 80_000),
          ...{ customer: 'c1', due: '2026-03-28', className: 'North' },
        },
        {
          ...transfer('2026-03-10', 'Payment', '89', 'Beech & Co.', '1000', '1100', 70_000),
          customer: 'c2',
          due: '2026-03-28',
        },
      ],
    })

    it('checks no subtotals without section headings, and says so', () => {
      const bare = reshaped('balance-sheet', ({ name, from, to, columns, rows }) => {
        const written = rows
          .filter(({ kind }) => kind !== 'section')
          .map(({ rowType, name: subject, id, values }) => raw(rowType, subject, id, ...values))
        return statementOf(name, from, to, ['Account', ...columns], written)
      })
      expect(found(bare)).toEqual([])
      expect(reason(bare, 'statements-agree')).toMatch(
        /^Balance sheet has no section headings, so its subtotals were not checked\./,
      )
    })

    it('skips only the totals around a section without a heading, and says so', () => {
      const without = (isLeftOut: (row: ReportRow) => boolean, ...first: readonly RawReportRow[]): Evidence =>
        reshaped('balance-sheet', ({ name, from, to, columns, rows }) => {
          const written = rows
            .filter((row) => row.kind !== 'section' || !isLeftOut(row))
            .map(({ rowType, name: subject, id, values }) => raw(rowType, subject, id, ...values))
          return statementOf(name, from, to, ['Account', ...columns], [...first, ...written])
        })
      const cards = without(({ name }) => name === 'Credit Cards')
      const inner = without(({ parent }) => parent >= 0)
      for (const evidence of [cards, inner]) {
        expect(found(evidence)).toEqual([])
        expect(reason(evidence, 'statements-agree')).toMatch(
          /^Balance sheet has no section heading for Total .+, so totals around it were not checked\.$/,
        )
      }
      // A remark isn’t a heading.
      const remark = without(() => true, raw('TextRow', 'Accrual Basis', ''))
      expect(found(remark)).toEqual([])
      expect(reason(remark, 'statements-agree')).toMatch(/^Balance sheet has no section headings/)
      const wrongAssets = changed(cards, 'balance-sheet', (each) =>
        withRows(each, (rows) =>
          rows.map((row) => (row.name === 'Total Fixed Assets' ? { ...row, values: ['999.99'] } : row)),
        ),
      )
      expect(found(wrongAssets).join()).toMatch(/statements-agree: Total Fixed Assets/)
    })

    it('takes credits that are written as negative amounts for credits', () => {
      const signed = reshaped(
        'trial-balance',
        withValues(([debit = '', credit = '']) => [debit, negative(credit)]),
      )
      expect(found(signed)).toEqual([])
    })

    it('finds a first use where costs are negative amounts', () => {
      const evidence = withStatement('profit-and-loss', (statement) => ({
        ...statement,
        rows: statement.rows.map((row) => {
          if (row.id === '6600')
            return { ...row, values: [...Array<string>(12).fill('0.00'), '-9000.00', ''] }
          if (!/^[56]/.test(row.id)) return row
          return { ...row, values: row.values.map((each) => (/[1-9]/.test(each) ? `-${each}` : each)) }
        }),
      }))
      const first = found(evidence).filter((each) => /^(?:first-use|reversed-sign)/.test(each))
      expect(first).toEqual(['first-use: Travel -9000'])
    })

    it('compares nothing with a balance sheet or costs in negative amounts', () => {
      const costs = reshaped('profit-and-loss', (statement) => {
        const signs = new Map(linesOf(statement).map((line) => [line.row, incomeSign(line)]))
        return withValues((values, each) => (signs.get(each) === -1 ? values.map(negative) : values))(
          statement,
        )
      })
      expect(found(costs).filter((each) => each.startsWith('statements-agree'))).toEqual([])
      expect(reason(costs, 'statements-agree')).toBe('Profit and loss has costs as negative amounts.')
    })

    it('doesn’t take the movements of a trial balance for balances', () => {
      const moved = reshaped('trial-balance', (statement) => ({
        columns: ['Opening Balance', 'Debit', 'Credit', 'Closing Balance'],
        ...withValues(() => ['100.00', '10.00', '5.00', '105.00'])(statement),
      }))
      expect(found(moved)).toEqual([])
      expect(reason(moved, 'should-be-empty')).toMatch(/are movements, not balances/)
    })

    it('adds up the ranges of an aging report without a total, and names a range across 90 days', () => {
      const ranges = reshaped(
        'receivables',
        (statement) => ({
          columns: ['Current', '1 - 60', '61 - 120', 'Over 120'],
          ...withValues((values) => [values[0] ?? '', '0.00', '0.00', values[1] ?? ''])(statement),
        }),
        owing,
      )
      expect(found(ranges)).toEqual(['customer-credit: Beech & Co. -700'])
      expect(reason(ranges, 'past-90-days')).toBe(
        'Amounts under “61 - 120” may be more or less than 90 days late.',
      )
    })

    it('doesn’t pass over rows of an unknown type', () => {
      const unknown = reshaped(
        'receivables',
        ({ rows }) => ({
          rows: rows.map((each) => (each.kind === 'data' ? { ...each, kind: 'other' } : each)),
        }),
        owing,
      )
      expect(found(unknown)).toEqual(['customer-credit: Beech & Co. -700'])
    })

    it('takes net assets for equity, and the month’s own column of a balance sheet with an earlier one', () => {
      const nonprofit = reshaped('balance-sheet', ({ rows }) => ({
        rows: rows.map((each) => ({ ...each, name: each.name.replace(/\bEquity$/, 'Net Assets') })),
      }))
      expect(found(nonprofit)).toEqual([])
      const beside = reshaped('balance-sheet', (statement) => ({
        columns: ['Mar 31, 26', 'Mar 31, 25', '$ Change'],
        ...withValues((values) => [values[0] ?? '', '1.00', '2.00'])(statement),
      }))
      expect(found(beside)).toEqual([])
    })

    it('compares nothing if a section doesn’t say whether it is income or a cost', () => {
      const other = reshaped('profit-and-loss', ({ rows }) => ({
        rows: rows.map((each) => ({
          ...each,
          name: each.name.replace('Cost of Goods Sold', 'Program Services'),
        })),
      }))
      expect(found(other)).toEqual([])
      expect(reason(other, 'statements-agree')).toMatch(/can’t tell whether Materials is income or a cost/)
    })
  })

  it('may have more than one bucket past 90 days', () => {
    const invoice: Entry = {
      ...transfer('2025-09-01', 'Invoice', '88', 'Ash Bakery', '1100', '4000', 481_250),
      customer: 'c1',
      due: '2025-09-01',
      className: 'North',
    }
    const evidence = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, invoice] })
    const late = (...columns: readonly string[]): string[] =>
      found({
        ...evidence,
        statement: (source) => {
          const read = evidence.statement(source)
          if (source !== 'receivables' || !read.ok) return read
          return { ok: true, value: { ...read.value, columns } }
        },
      }).filter((each) => each.startsWith('past-90'))
    for (const heading of [
      '> 90',
      'Over 90',
      '91+',
      '91 - 120',
      '121 days and over',
      'More than 90',
      '90 days or more',
      '120 days+',
      '> 120 days',
      '4 months or more',
      'Over 3 months',
      '91 - 120 days past due',
    ]) {
      expect(late('Current', heading, 'Total')).toEqual(['past-90-days: Ash Bakery 4812.5'])
    }
  })

  it('without an earlier balance sheet: nothing is invented about how long funds were undeposited', () => {
    const funds = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, journal('1200', '1000', 500)] })
    const cut: Evidence = {
      ...funds,
      statement: (source) =>
        source === 'balance-sheet-1' ? { ok: false, reason: 'It was refused.' } : funds.statement(source),
    }
    const outcome = reviewMonth(cut, null).find(({ rule }) => rule === 'undeposited-funds')
    expect(outcome).toMatchObject({
      findings: [{ amount: '5', detail: ['Bookbridge can’t tell how long it has been there.'] }],
      unchecked: ['It was refused.'],
    })
  })

  it('with paychecks of two people with one last name: they are not doubled', () => {
    const evidence = evidenceOfMade(CLEAN)
    const row = (name: string, id: string, ...values: string[]): ReportRow => ({
      ...{ name, id, values, rowType: 'DataRow', kind: 'data', level: 1, parent: 0 },
    })
    const section = (name: string): ReportRow => ({ ...row(name, name), kind: 'section', rowType: 'TextRow' })
    const ledgerOf = (people: readonly (readonly [name: string, id: string])[]): Evidence => {
      const columns = ['Debit', 'Credit', 'Balance']
      const reader = new LedgerReader(
        { name: 'GeneralLedger', from: '2026-03-01', to: '2026-03-31', columns },
        null,
      )
      const rows = ['Wages', 'Checking'].flatMap((account, at) => [
        section(account),
        ...people.map(([name, id]) =>
          row(`2026-03-15, Paycheck, ${name}`, id, ...(at === 0 ? ['900.00', ''] : ['', '900.00']), ''),
        ),
      ])
      reader.add(rows)
      return { ...evidence, ledger: { ok: true, value: reader.finish() } }
    }
    expect(
      found(
        ledgerOf([
          ['Elm, Rosa, March', 'e1'],
          ['Elm, Ben, March', 'e2'],
        ]),
      ),
    ).toEqual([])
    expect(
      found(
        ledgerOf([
          ['Elm, Rosa, March', 'e1'],
          ['Elm, Rosa, March', 'e1'],
        ]),
      ),
    ).toEqual(['entered-twice: 2026-03-15, Paycheck, Elm, Rosa 900'])
  })
})

describe('a closed month', () => {
  it('lists entries that were added or removed since, as often as they were, by the audit trail', () => {
    const [first, ...others] = CLEAN.entries.filter(({ date }) => date.startsWith('2026-03'))
    if (first === undefined) throw new Error('The books have no entries.')
    const outcome = (now: readonly Entry[], kept: FullReport | null): unknown =>
      reviewMonth(closed(evidenceOfMade(CLEAN), trailOf(now)), kept).find(
        ({ rule }) => rule === 'changed-after-close',
      )
    const all = [first, ...others]
    const rule = 'changed-after-close'
    expect(outcome(all, trailOf(all))).toEqual({ rule, result: 'clean' })
    // The order says nothing.
    expect(outcome(all.toReversed(), trailOf(all))).toEqual({ rule, result: 'clean' })
    const subject = `${first.date}, ${first.type}, ${first.number}, ${first.name}`
    const [came, went] = [
      ['Not in the audit trail when the month was closed.'],
      ['No longer in the audit trail.'],
    ]
    expect(outcome([...all, first], trailOf(all))).toMatchObject({ findings: [{ subject, detail: came }] })
    expect(outcome(others, trailOf(all))).toMatchObject({ findings: [{ subject, detail: went }] })
    expect(outcome(all, trailOf([...all, first]))).toMatchObject({ findings: [{ subject, detail: went }] })
    const edited = { ...first, lines: first.lines.map(([id, cents]) => [id, cents * 2] as const) }
    expect(outcome([edited, ...others], trailOf(all))).toMatchObject({
      findings: [
        { subject, detail: came },
        { subject, detail: went },
      ],
    })
    expect(outcome(all, null)).toEqual({
      ...{ rule, result: 'not-checked' },
      reason: 'No audit trail was kept when the month was closed.',
    })
    const open = { ...closed(evidenceOfMade(CLEAN), trailOf(all)), closedAt: null }
    expect(reviewMonth(open, null).find((each) => each.rule === rule)).toBeUndefined()
  })

  it('is compared with its copy, account by account', () => {
    const before = evidenceOfMade(CLEAN)
    const bill = transfer('2026-03-28', 'Bill', 'L1', 'Late', '6600', '2000', 125_000)
    const after = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, bill] })
    const compare = (source: Source): unknown => {
      const [kept, now] = [before.statement(source), after.statement(source)]
      if (!kept.ok || !now.ok) throw new Error('It was not read.')
      return compareStatements(kept.value, now.value, '2026-03')
    }
    expect(compare('trial-balance')).toMatchObject({
      value: [
        { account: 'Accounts Payable', difference: '-1250' },
        { account: 'Travel', difference: '1250', now: '1250.00' },
      ],
    })
    expect(compare('profit-and-loss')).toMatchObject({ value: [{ account: 'Travel', difference: '1250' }] })
  })

  it('is compared in any language: a change is a change', () => {
    const bill = transfer('2026-03-28', 'Bill', 'L1', 'Late', '6600', '2000', 125_000)
    const german = (statement: FullReport): FullReport => ({
      ...statement,
      columns: statement.columns.map((each) => ({ Debit: 'Soll', Credit: 'Haben' })[each] ?? each),
      rows: statement.rows.map((row) => ({
        ...row,
        name: row.name.replace(/Income|Expense|Assets/, 'Posten'),
      })),
    })
    const [before, after] = [CLEAN, { ...CLEAN, entries: [...CLEAN.entries, bill] }].map((books) =>
      evidenceOfMade(books),
    )
    for (const [source, changes] of [
      ['trial-balance', ['-1250', '1250']],
      ['balance-sheet', ['1250', '-1250']],
      ['profit-and-loss', ['1250']],
    ] as const) {
      const [kept, now] = [before?.statement(source), after?.statement(source)]
      if (!kept?.ok || !now?.ok) throw new Error('It was not read.')
      expect(compareStatements(german(kept.value), german(kept.value), '2026-03')).toEqual({
        ok: true,
        value: [],
      })
      expect(compareStatements(german(kept.value), german(now.value), '2026-03')).toMatchObject({
        value: changes.map((difference) => ({ difference })),
      })
    }
  })

  it('is compared by the totals of the period where the application gives no months', () => {
    const read = evidenceOfMade(CLEAN).statement('profit-and-loss')
    if (!read.ok) throw new Error('It was not read.')
    const inOneColumn = (rent: string): FullReport => ({
      ...read.value,
      columns: ['Total'],
      rows: read.value.rows.map((row) => ({
        ...row,
        values: row.values.length === 0 ? [] : [row.name === 'Rent' ? rent : (row.values.at(-1) ?? '')],
      })),
    })
    const [kept, now] = [inOneColumn('24000.00'), inOneColumn('25000.00')]
    expect(compareStatements(kept, kept, '2026-03')).toEqual({ ok: true, value: [] })
    expect(compareStatements(kept, now, '2026-03')).toMatchObject({
      value: [{ account: 'Rent', column: 'Balance', difference: '1000' }],
    })
    const longer = { ...now, from: '2025-01-01' }
    expect(compareStatements(kept, longer, '2026-03')).toMatchObject({ ok: false })
  })
})

describe('the statement of a month', () => {
  it('has the month and the year to date, in any fiscal year, to the cent', () => {
    const read = evidenceOfMade(CLEAN).statement('profit-and-loss')
    if (!read.ok) throw new Error('It was not read.')
    const rent = read.value.rows.find(({ name }) => name === 'Rent')?.values.slice(0, 13) ?? []
    for (const [start, from, months] of [
      [1, '2026-01-01', 3],
      [3, '2026-03-01', 1],
      [4, '2025-04-01', 12],
    ] as const) {
      const made = monthStatement(read.value, '2026-03', start, ['Mar 2026', 'Year to date'])
      const cents = rent.slice(-months).reduce((sum, each) => sum + Math.round(Number(each) * 100), 0)
      expect(made).toMatchObject({ from, to: '2026-03-31', columns: ['Mar 2026', 'Year to date'] })
      expect(made?.rows.find(({ name }) => name === 'Rent')?.values).toEqual([
        rent.at(-1),
        (cents / 100).toFixed(2),
      ])
      expect(made?.rows.map(({ name }) => name)).toEqual(read.value.rows.map(({ name }) => name))
    }
  })

  it('isn’t created if the application gives no months, and has no year to date if it can’t be added up', () => {
    const read = evidenceOfMade(CLEAN).statement('profit-and-loss')
    if (!read.ok) throw new Error('It was not read.')
    const headings = ['Mar 2026', 'Year to date'] as const
    const [, ...others] = read.value.columns
    expect(monthStatement({ ...read.value, columns: ['All', ...others] }, '2026-03', 1, headings)).toBeNull()
    const month = { from: '2026-03-01', to: '2026-03-31', columns: ['Mar 2026'] }
    const unread = monthStatement(withValue(read.value, 'Rent', 11, '2,5'), '2026-03', 1, headings)
    expect(unread).toMatchObject(month)
    const rent = read.value.rows.find(({ name }) => name === 'Rent')?.values[12]
    expect(unread?.rows.find(({ name }) => name === 'Rent')?.values).toEqual([rent])
    // The fiscal year began before the first month that was read.
    const short = { ...read.value, from: '2026-03-01', columns: ['Mar 2026', 'Total'] }
    expect(monthStatement(short, '2026-03', 1, headings)).toMatchObject(month)
  })
})

test('the table in docs/review.md has the rules’ own texts (-u rewrites it)', async () => {
  const path = join(import.meta.dirname, '../../../docs/review.md')
  const { format } = await import('prettier')
  const written = readFileSync(path, 'utf8')
  const table = /^\| Group .*\n(?:\|.*\n)+/m
  expect(written).toMatch(table)
  const made = await format(rulesTable(), { parser: 'markdown' })
  await expect(written.replace(table, () => made)).toMatchFileSnapshot(path)
})
