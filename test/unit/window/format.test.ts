/** Formatting of numbers and dates: exact, and by the computer's locale. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capitalized, Format, formatClock } from '../../../shared/format/format.ts'

const english = new Format({ locale: 'en-US', negatives: 'minus', timeZone: 'America/New_York' })
const brackets = new Format({ locale: 'en-US', negatives: 'brackets' })

describe('amounts', () => {
  it('have separators, two decimals, and a true minus sign', () => {
    expect(english.money('1234567.5')).toBe('1,234,567.50')
    expect(english.money('-1234.50')).toBe('\u22121,234.50')
    expect(brackets.money('-1234.50')).toBe('(1,234.50)')
    expect(english.money('0')).toBe('0.00')
  })

  it('keep every digit', () => {
    expect(english.money('12345678901234567890.123456789')).toBe('12,345,678,901,234,567,890.123456789')
    expect(english.money('0.1')).toBe('0.10')
    expect(english.money('1.005')).toBe('1.005')
    expect(english.decimal('12.5')).toBe('12.5')
    expect(english.decimal('9007199254740993')).toBe('9,007,199,254,740,993')
  })

  it('have no sign at zero', () => {
    expect(english.money('-0.00')).toBe('0.00')
    expect(brackets.money('-0')).toBe('0.00')
  })

  it('leave anything but a plain decimal as it is', () => {
    for (const text of ['', 'n/a', '1e5', '1,234.50', '--1', ' 1', '12/31/2026', `0.${'1'.repeat(101)}`]) {
      expect(english.money(text)).toBe(text)
    }
  })

  it('follow the computer’s separators', () => {
    expect(new Format({ locale: 'de-DE', negatives: 'minus' }).money('-1234567.5')).toBe('\u22121.234.567,50')
    expect(new Format({ locale: 'en-IN', negatives: 'minus' }).money('1234567.5')).toBe('12,34,567.50')
    expect(new Format({ locale: 'ar-EG', negatives: 'minus' }).money('1234.5')).toMatch(/^1.?234.50$/)
  })

  it('fall back to the engine’s default for an invalid locale', () => {
    expect(new Format({ locale: 'not a locale', negatives: 'minus' }).money('1.5')).toMatch(/^1.50$/)
  })

  it('read back to the same digits, whatever they are', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,24})$/)
    const fraction = fc.stringMatching(/^\d{2,12}$/)
    fc.assert(
      fc.property(fc.boolean(), digits, fraction, (isNegative, whole, part) => {
        const isZero = /^0*$/.test(whole + part)
        const written = `${isNegative && !isZero ? '-' : ''}${whole}.${part}`
        expect(english.money(written).replaceAll(',', '').replace('\u2212', '-')).toBe(written)
      }),
      { numRuns: 500 },
    )
  })
})

describe('dates', () => {
  const now = new Date('2026-11-21T15:00:00Z')

  it('of a report are shown as written, in no time zone', () => {
    expect(english.date('2026-03-31')).toBe('Mar 31, 2026')
    expect(english.date('2026-03-31T23:59:59+14:00')).toBe('Mar 31, 2026')
    expect(english.date('soon')).toBe('soon')
    expect(english.period('2026-01-01', '2026-03-31')).toMatch(/^Jan 1\s–\sMar 31, 2026$/)
    expect(english.period('2026-03-31', '2026-01-01')).toBe('Mar 31, 2026 – Jan 1, 2026')
    expect(english.periodName('2024-02-01', '2024-02-29')).toBe('Feb 2024')
    expect(english.periodName('2026-10-01', '2026-12-31')).toBe('Q4 2026')
    expect(english.periodName('2026-01-01', '2026-12-31')).toBe('2026')
    for (const [from, to] of [
      ['2026-02-01', '2026-04-30'],
      ['2025-01-01', '2026-03-31'],
      ['2026-01-01', '2026-03-30'],
    ] as const) {
      expect(english.periodName(from, to)).toBe(english.period(from, to))
    }
  })

  it('that are recent are shown by their day, in the local time zone', () => {
    expect(english.moment('2026-11-21T14:14:00Z', now)).toMatch(/^today at 9:14\sAM$/)
    // 3:30 UTC is still the day before in New York.
    expect(english.moment('2026-11-21T03:30:00Z', now)).toMatch(/^yesterday at 10:30\sPM$/)
    // What a service writes for *never*.
    expect(english.moment('0001-01-01T00:00:00', now)).toBe('')
    expect(english.moment('2026-03-03T10:00:00Z', now)).toMatch(/^Mar 3, 2026, 5:00\sAM$/)
    // In a column, the day is enough for older moments, also in the computer's time zone.
    expect(english.shortMoment('2026-11-21T14:14:00Z', now)).toMatch(/^today 9:14\sAM$/)
    expect(english.shortMoment('2026-03-03T03:30:00Z', now)).toBe('Mar 2, 2026')
  })

  it('say yesterday even on the night when the clocks change', () => {
    // New York: 2 November 2025 has 25 hours.
    expect(english.moment('2025-11-02T04:30:00Z', new Date('2025-11-03T04:45:00Z'))).toMatch(/^today/)
    expect(english.moment('2025-11-01T05:00:00Z', new Date('2025-11-03T04:50:00Z'))).toMatch(/^yesterday/)
  })

  it('with another calendar are still distinguished by day', () => {
    const thai = new Format({ locale: 'th-TH', negatives: 'minus', timeZone: 'UTC' })
    expect(thai.moment('2026-11-20T10:00:00Z', now)).toMatch(/^yesterday/)
  })

  it('that are invalid stay as they are', () => {
    expect(english.moment('', now)).toBe('')
    expect(english.moment('never', now)).toBe('never')
    expect(english.time('')).toBe('')
  })
})

describe('durations', () => {
  it('are like a clock, in whole seconds', () => {
    expect(formatClock(12_999)).toBe('0:12')
    expect(formatClock(761_000)).toBe('12:41')
    expect(formatClock(3_723_000)).toBe('1:02:03')
    expect(formatClock(-5)).toBe('0:00')
  })

  it('have tenths below a second only, and name their units', () => {
    expect(english.duration(840)).toBe('0.8 s')
    expect(new Format({ locale: 'de-DE', negatives: 'minus' }).duration(840)).toBe('0,8 s')
    expect(english.duration(999)).toBe('1 s')
    expect(english.duration(7_040)).toBe('7 s')
    expect(english.duration(59_700)).toBe('1 min')
    expect(english.duration(107_000)).toBe('1 min 47 s')
    expect(english.duration(3_723_000)).toBe('1 h 2 min')
  })

  it('begin a line with a capital', () => {
    expect(capitalized('today 9:14')).toBe('Today 9:14')
    expect(capitalized('')).toBe('')
  })
})
