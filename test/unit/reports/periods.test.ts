import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  parseIsoDate,
  PERIOD_CHOICES,
  periodFor,
  periodProblem,
  writtenDate,
} from '../../../shared/reports/periods.ts'

describe('periods', () => {
  it.each([
    ['this-month', '2026-02-14', 1, '2026-02-01', '2026-02-28'],
    ['this-month', '2028-02-29', 1, '2028-02-01', '2028-02-29'],
    ['last-month', '2026-01-31', 1, '2025-12-01', '2025-12-31'],
    ['last-month', '2026-03-31', 1, '2026-02-01', '2026-02-28'],
    ['this-quarter', '2026-05-05', 1, '2026-04-01', '2026-06-30'],
    ['last-quarter', '2026-02-01', 1, '2025-10-01', '2025-12-31'],
    ['year-to-date', '2026-05-05', 1, '2026-01-01', '2026-05-05'],
    ['last-year', '2026-05-05', 1, '2025-01-01', '2025-12-31'],
    // A fiscal year from July.
    ['year-to-date', '2026-05-05', 7, '2025-07-01', '2026-05-05'],
    ['year-to-date', '2026-07-01', 7, '2026-07-01', '2026-07-01'],
    ['last-year', '2026-05-05', 7, '2024-07-01', '2025-06-30'],
    // Quarters of a fiscal year from February: Feb–Apr, May–Jul, Aug–Oct, Nov–Jan.
    ['this-quarter', '2026-01-15', 2, '2025-11-01', '2026-01-31'],
    ['last-quarter', '2026-01-15', 2, '2025-08-01', '2025-10-31'],
    ['last-year', '2028-03-01', 3, '2027-03-01', '2028-02-29'],
    ['last-year', '2100-03-01', 3, '2099-03-01', '2100-02-28'],
  ] as const)('%s on %s, fiscal year from month %i: %s to %s', (choice, today, start, from, to) => {
    expect(periodFor(choice, today, start)).toEqual({ from, to })
  })

  it('on any day, in any fiscal year, are complete and in order, and the last one ends the day before this one starts', () => {
    const day = fc
      .record({
        year: fc.integer({ min: 1900, max: 2200 }),
        month: fc.integer({ min: 1, max: 12 }),
        day: fc.integer({ min: 1, max: 28 }),
      })
      .map(
        ({ year, month, day: d }) =>
          `${String(year)}-${String(month).padStart(2, '0')}-${String(d).padStart(2, '0')}`,
      )
    fc.assert(
      fc.property(day, fc.integer({ min: 1, max: 12 }), (today, start) => {
        for (const choice of PERIOD_CHOICES) {
          if (choice === 'dates') continue
          const period = periodFor(choice, today, start)
          expect(period && periodProblem(period)).toBeNull()
        }
        const after = (date: string | undefined): string =>
          new Date(Date.parse(`${date ?? ''}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
        expect(after(periodFor('last-month', today, start)?.to)).toBe(
          periodFor('this-month', today, start)?.from,
        )
        expect(after(periodFor('last-quarter', today, start)?.to)).toBe(
          periodFor('this-quarter', today, start)?.from,
        )
        expect(after(periodFor('last-year', today, start)?.to)).toBe(
          periodFor('year-to-date', today, start)?.from,
        )
      }),
    )
  })

  it('include only dates that exist', () => {
    expect(parseIsoDate('2024-02-29')).toEqual({ year: 2024, month: 2, day: 29 })
    for (const text of [
      '2023-02-29',
      '2024-13-01',
      '2024-00-10',
      '2024-04-31',
      '2024-4-1',
      '',
      '0000-01-01',
    ]) {
      expect(parseIsoDate(text)).toBeNull()
    }
    expect(periodFor('this-month', 'yesterday', 1)).toBeNull()
  })

  it('report what is wrong with typed dates', () => {
    expect(periodProblem({ from: '2026-01-01', to: '2026-01-01' })).toBeNull()
    expect(periodProblem({ from: '2026-02-01', to: '2026-01-31' })).toBe(
      'The start date is after the end date.',
    )
    expect(periodProblem({ from: '', to: '2026-01-31' })).toBe('Enter a start date.')
    expect(periodProblem({ from: '2026-01-01', to: '2026-02-30' })).toBe('Enter an end date.')
  })

  it('read the date of a timestamp, without a time zone', () => {
    expect(writtenDate('2026-03-31T23:59:59-11:00')).toBe('2026-03-31')
    expect(writtenDate('2026-03-31')).toBe('2026-03-31')
    expect(writtenDate('31.03.2026')).toBeNull()
  })
})
