/** The filter of a read: as the user types it, and as it is sent. */
import { describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../../electron/app/program/settings.ts'
import { requestsFor } from '../../../../electron/service/protocol/requests.ts'
import { parseFilterForm, toFilterForm } from '../../../../renderer/records/filters/records-filter.ts'
import { withOffset } from '../../../../shared/format/format.ts'

const EMPTY = { since: '', sinceTime: '', until: '', untilTime: '', ids: '' }

function filterOf(form: Partial<typeof EMPTY>) {
  const read = parseFilterForm({ ...EMPTY, ...form })
  if (!read.ok) throw new Error(read.reason)
  return read.filter
}

describe('a filter', () => {
  test('splits IDs at commas, semicolons, and spaces, and keeps quoted ones together', () => {
    const ids = '1, 2;3\n4 "A, B; C" "say ""hi"" now"'
    const filter = filterOf({ ids })
    expect(filter.ids).toEqual(['1', '2', '3', '4', 'A, B; C', 'say "hi" now'])
    expect(filterOf(toFilterForm(filter)).ids).toEqual(filter.ids)
    expect(parseFilterForm({ ...EMPTY, ids: '"A, B' })).toMatchObject({ ok: false, in: 'ids' })
  })

  test('accepts times of day, and uses the whole day without them', () => {
    const { modifiedFrom, modifiedTo } = filterOf({
      since: '2026-03-02',
      sinceTime: '09:30',
      until: '2026-03-02',
      untilTime: '17:05',
    })
    expect([modifiedFrom, modifiedTo]).toEqual([
      withOffset(new Date(2026, 2, 2, 9, 30, 0)),
      withOffset(new Date(2026, 2, 2, 17, 5, 59)),
    ])
    const day = filterOf({ since: '2026-03-02', until: '2026-03-02' })
    expect(day.modifiedFrom).toBe(withOffset(new Date(2026, 2, 2)))
    expect(day.modifiedTo).toBe(withOffset(new Date(2026, 2, 2, 23, 59, 59)))
    for (const filter of [day, { ...day, modifiedFrom, modifiedTo }])
      expect(filterOf(toFilterForm(filter))).toEqual(filter)
    const late = { since: '2026-03-02', sinceTime: '18:00', until: '2026-03-02', untilTime: '17:00' }
    expect(parseFilterForm({ ...EMPTY, ...late })).toMatchObject({ ok: false, in: 'time' })
    expect(parseFilterForm({ ...EMPTY, sinceTime: '18:00' })).toMatchObject({ ok: false, in: 'time' })
    // An invalid date never removes the limit.
    expect(parseFilterForm({ ...EMPTY, since: 'last week' })).toMatchObject({ ok: false, in: 'since' })
    expect(parseFilterForm({ ...EMPTY, until: '2026-02-30' })).toMatchObject({ ok: false, in: 'until' })
  })
})

describe('the request', () => {
  const { readRecords } = requestsFor(DEFAULT_SETTINGS)

  test('has every time in one format, with the computer’s offset', () => {
    for (const modTimeStart of [
      '2026-03-02T08:30:00.123Z',
      '2026-03-02T10:30:00+02:00',
      '2026-03-02T08:30:00Z',
    ]) {
      const query = new URLSearchParams(readRecords('e', 'vendor', { modTimeStart }).path.split('?')[1])
      const sent = query.get('modTimeStart') ?? ''
      expect(sent).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
      expect(Date.parse(sent)).toBe(Date.parse('2026-03-02T08:30:00Z'))
    }
  })

  test('has a separate parameter for each ID, whatever its characters', () => {
    const { path } = readRecords('e', 'vendor', { ids: ['A, B; C+D', '2'] })
    expect(path).toBe('/v2/data/e/vendor?id=A%2C%20B%3B%20C%2BD&id=2')
  })
})
