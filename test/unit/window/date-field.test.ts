import { describe, expect, it } from 'vitest'
import {
  addToDate,
  dateText,
  firstDayOfWeek,
  parseDateText,
  weeksOf,
} from '../../../renderer/ui/fields/dates.ts'

describe('dates as people type them', () => {
  it.each([
    ['en-US', '3/31/2026', '2026-03-31'],
    ['en-US', '03-31-26', '2026-03-31'],
    ['en-US', '3/31', '2026-03-31'],
    ['en-US', '3/31/99', '1999-03-31'],
    ['en-GB', '31/3/2026', '2026-03-31'],
    ['de-DE', '31.3.26', '2026-03-31'],
    ['sv-SE', '2026-03-31', '2026-03-31'],
    ['ja-JP', '2026/3/31', '2026-03-31'],
    ['en-US', ' 2026-03-31 ', '2026-03-31'],
  ])('%s: %s is %s', (locale, typed, iso) => {
    expect(parseDateText(typed, locale, '2026-01-01')).toBe(iso)
  })

  it.each(['', '3', '31/3/2026', '2/30/2026', '3/31/202', '1/2/3/4', 'soon'])(
    'isn’t a date in the US: %j',
    (typed) => {
      expect(parseDateText(typed, 'en-US', '2026-01-01')).toBeNull()
    },
  )

  it('shows a date that can be typed again, and leaves other text unchanged', () => {
    for (const locale of ['en-US', 'en-GB', 'de-DE', 'ja-JP', 'th-TH', 'ar-EG']) {
      expect(parseDateText(dateText('2026-03-31', locale), locale, '2026-01-01'), locale).toBe('2026-03-31')
    }
    expect(dateText('2026-02-30', 'en-US')).toBe('2026-02-30')
  })

  it('moves by days and months, up to the last day of a shorter month', () => {
    expect(addToDate('2026-02-28', { days: 1 })).toBe('2026-03-01')
    expect(addToDate('2026-01-31', { months: 1 })).toBe('2026-02-28')
    expect(addToDate('2024-02-29', { months: -12 })).toBe('2023-02-28')
  })

  it('shows a month in six weeks that start on the region’s first day', () => {
    const weeks = weeksOf('2026-03-15', firstDayOfWeek('en-US'))
    expect(weeks).toHaveLength(6)
    expect(weeks[0]?.[0]).toBe('2026-03-01')
    expect(weeksOf('2026-03-15', firstDayOfWeek('de-DE'))[0]?.[0]).toBe('2026-02-23')
  })
})
