import { describe, expect, it } from 'vitest'
import {
  addToDate,
  dateText,
  firstDayOfWeek,
  parseDateText,
  parseTimeText,
  timeText,
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

describe('times as people type them', () => {
  it.each([
    ['en-US', '6', '06:00'],
    ['en-US', '6:05', '06:05'],
    ['en-US', '605p', '18:05'],
    ['en-US', '12 am', '00:00'],
    ['en-US', '12:30 P.M.', '12:30'],
    ['en-US', '18:30', '18:30'],
    ['en-US', '0630', '06:30'],
    ['fr-FR', '6h30', '06:30'],
    ['de-DE', '18.30', '18:30'],
    ['ko-KR', '6:30 오후', '18:30'],
  ])('%s: %s is %s', (locale, typed, time) => {
    expect(parseTimeText(typed, locale)).toBe(time)
  })

  it.each(['', '24:00', '6:60', '13 pm', '0 am', '6 xm', 'noon', '6:5', '12345'])(
    'isn’t a time: %j',
    (typed) => {
      expect(parseTimeText(typed, 'en-US')).toBeNull()
    },
  )

  it('shows a time that can be typed again, and leaves other text unchanged', () => {
    for (const locale of ['en-US', 'en-GB', 'de-DE', 'hi-IN']) {
      for (const time of ['00:00', '06:05', '12:00', '23:59']) {
        expect(parseTimeText(timeText(time, locale), locale), locale).toBe(time)
      }
    }
    expect(timeText('soon', 'en-US')).toBe('soon')
  })
})
