/**
 * Reading a list again: pulling rows while they arrive, merging records into rows, and requesting changes since the
 * last read.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ListMerge } from '../../../../renderer/records/list/list-rows.svelte.ts'
import {
  canAskForChanges,
  changesFilter,
  latestStamp,
  RowLoader,
} from '../../../../renderer/records/list/reader.svelte.ts'
import { type RecordRow, type RowChunk, RowFactory } from '../../../../renderer/records/list/rows.ts'
import { RowSearch } from '../../../../renderer/records/list/search.ts'
import { runInSlices } from '../../../../renderer/records/list/time-slice.ts'
import { formatUpdate, stampOf } from '../../../../renderer/records/screen/progress.ts'
import type { OpenedSet } from '../../../../shared/contract/records.ts'
import { Format } from '../../../../shared/format/format.ts'
import { findQuery } from '../../../../shared/records/search-text.ts'
import { appError, err, ok, type Result } from '../../../../shared/result.ts'
import { chunkOf } from './record-chunk.ts'
import { standIn } from './stand-in.ts'

const format = new Format({ locale: 'en-GB', negatives: 'minus', timeZone: 'UTC' })
const NO_FILTER = { modifiedFrom: null, modifiedTo: null, ids: [] }

function row(
  id: string,
  record: Record<string, unknown> = {},
  origin: RecordRow['origin'] = 'read',
): RecordRow {
  return { rowId: id, recordId: id, record: { ID: id, ...record }, origin }
}

describe('rows that are pulled', () => {
  const records = Array.from({ length: 2_300 }, (_, index) => ({ ID: `${index}` }))
  const piece = (from: number, count: number) => ok(chunkOf(records.slice(from, from + count)))

  test('arrive once each, as far as they exist, and the first ones right away', async () => {
    const asked: number[] = []
    const shown: string[] = []
    const begun = Promise.withResolvers<number>()
    const loader = new RowLoader({
      ask: (from, count) => {
        asked.push(from + count)
        return Promise.resolve(piece(from, count))
      },
      onbegin: (rows) => {
        shown.push(...rows.map(({ rowId }) => rowId))
        begun.resolve(rows.length)
      },
      onrows: (rows) => void shown.push(...rows.map(({ rowId }) => rowId)),
    })
    loader.setAvailable(40)
    expect(await begun.promise).toBeLessThan(40)
    await expect.poll(() => shown.length).toBe(40)
    loader.setAvailable(1_700)
    await expect.poll(() => asked.at(-1)).toBe(1_700)
    expect(Math.max(...asked), 'never beyond what is held').toBe(1_700)
    expect((await loader.end(2_300)).ok).toBe(true)
    expect(shown).toEqual(records.map(({ ID }) => ID))
  })

  test('are no longer shown once their set is invalid, and say why they couldn’t be read', async () => {
    const shown: RecordRow[] = []
    const late = Promise.withResolvers<Result<RowChunk>>()
    const take = {
      onbegin: (rows: readonly RecordRow[]) => void shown.push(...rows),
      onrows: () => undefined,
    }
    const loader = new RowLoader({ ...take, ask: () => late.promise })
    loader.setAvailable(10)
    loader.stop()
    late.resolve(piece(0, 10))
    expect((await loader.end(10)).ok).toBe(true)
    expect(shown).toEqual([])

    const gone = new RowLoader({
      ...take,
      ask: () => Promise.resolve(err(appError('not-found', 'Gone.', ''))),
    })
    expect(await gone.end(10)).toMatchObject({ ok: false, error: { message: 'Gone.' } })
  })
})

describe('records that are merged into a list', () => {
  function listOf(...rows: readonly RecordRow[]) {
    const held = new Map(rows.map((each) => [each.rowId, each]))
    const merge = new ListMerge({
      row: (rowId) => held.get(rowId),
      put: (changed, added) => {
        for (const each of [...changed, ...added]) held.set(each.rowId, each)
      },
    })
    return { held, merge }
  }

  test('are new, changed, or unchanged, whatever the order of their members, and an unchanged row stays the same object', () => {
    const before = row('1', { Name: 'a', Terms: { ID: 't', FullName: 'Net' } })
    const { held, merge } = listOf(before, row('2', { Name: 'b' }), row('3'))
    merge.take([
      { ...row('1'), record: { Terms: { FullName: 'Net', ID: 't' }, Name: 'a', ID: '1' } },
      row('2', { Name: 'b', Phone: '1' }),
      row('4'),
    ])
    expect(held.get('1')).toBe(before)
    expect(held.get('2')?.record['Phone']).toBe('1')
    expect([merge.added, [...merge.changed], merge.unchanged]).toEqual([1, ['2'], 1])
    expect([...held.keys()]).toEqual(['1', '2', '3', '4'])
  })

  test('that are absent are missing, but not the user’s new rows and those kept for a draft', () => {
    const { held, merge } = listOf(row('1'), row('2'), row('3', {}, 'new'), row('4', {}, 'kept'))
    merge.take([row('2')])
    expect(merge.missing(held.values())).toEqual(['1'])
  })

  test('turn a row that was only kept for its draft into a row of the list', () => {
    const { held, merge } = listOf(row('1', { Name: 'a' }, 'kept'))
    merge.take([row('1', { Name: 'a' })])
    expect(held.get('1')?.origin).toBe('read')
    expect(merge.unchanged).toBe(1)
  })

  test('are equal if and only if their JSON is equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const isSame = (before: unknown, now: unknown): boolean => {
          const { merge } = listOf({ ...row('1'), record: { value: before } })
          merge.take([{ ...row('1'), record: { value: now } }])
          return merge.unchanged === 1
        }
        expect(isSame(left, structuredClone(left))).toBe(true)
        const sorted = (value: unknown): string =>
          JSON.stringify(value, (_name, each: unknown) =>
            typeof each === 'object' && each !== null && !Array.isArray(each)
              ? { members: Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)) }
              : each,
          )
        expect(isSame(left, right)).toBe(sorted(left) === sorted(right))
      }),
    )
  })
})

describe('changes since a read', () => {
  const times = { readAt: '2026-03-02T12:00:00.000Z', endedAt: '2026-03-02T12:04:00.000Z' }
  const from = (latest: string | null, asked = NO_FILTER): number => {
    const { modifiedFrom } = changesFilter(asked, times, latest === null ? null : Date.parse(latest))
    return Date.parse(modifiedFrom ?? '')
  }
  const minutesBefore = (iso: string, minutes: number): number => Date.parse(iso) - minutes * 60_000

  test('are requested from the earlier of both clocks, minus the duration of the read and ten minutes', () => {
    // The application's clock is behind ours, then ahead.
    expect(from('2026-03-02T11:00:00Z')).toBe(minutesBefore('2026-03-02T11:00:00Z', 14))
    expect(from('2026-03-02T13:00:00Z')).toBe(minutesBefore(times.readAt, 14))
  })

  test('are requested from a day earlier if records have no timestamps', () => {
    expect(from(null)).toBe(minutesBefore(times.readAt, 24 * 60 + 4))
  })

  test('never go back beyond the list’s own filter', () => {
    const asked = { ...NO_FILTER, modifiedFrom: '2026-03-02T11:55:00+00:00' }
    expect(changesFilter(asked, times, Date.parse(times.readAt))).toEqual(asked)
  })

  test('can be requested only for a complete list, and not for IDs or up to a day', () => {
    const set = standIn<OpenedSet>({ isWhole: true, filter: NO_FILTER })
    expect(canAskForChanges(set)).toBe(true)
    expect(canAskForChanges({ ...set, isWhole: false })).toBe(false)
    expect(canAskForChanges({ ...set, filter: { ...NO_FILTER, ids: ['1'] } })).toBe(false)
    expect(canAskForChanges({ ...set, filter: { ...NO_FILTER, modifiedTo: times.readAt } })).toBe(false)
  })

  test('use the latest timestamp of a list, in any time zone', () => {
    const stamps = ['2026-01-01T10:00:00+02:00', 'never', '2026-01-01T09:00:00Z', '']
    const rows = new RowFactory().rowsOf(
      chunkOf(stamps.map((stamp, index) => ({ ID: `${index}`, LastModifiedDate: stamp }))),
    )
    const found: (number | null)[] = []
    runInSlices(latestStamp(rows), (latest) => found.push(latest))
    runInSlices(latestStamp([row('1')]), (latest) => found.push(latest))
    expect(found).toEqual([Date.parse('2026-01-01T09:00:00Z'), null])
  })

  test('are reported, with the drafts on top of them', () => {
    const none = { added: 0, changed: 0, unchanged: 0, underDrafts: 0, leftOut: 0, partialReason: '' }
    expect(formatUpdate(none, 'customer', format)).toBe('Nothing has changed.')
    expect(
      formatUpdate({ ...none, added: 1, changed: 2, unchanged: 1_000, underDrafts: 1 }, 'customer', format),
    ).toBe('1 new, 2 changed (1,000 already in the list). One of them has your draft on it. It’s marked.')
    expect(formatUpdate({ ...none, partialReason: 'You stopped it.' }, 'customer', format)).toContain(
      'Not all changes arrived: You stopped it.',
    )
  })

  test('an age is shown in minutes, then hours, then as the time itself', () => {
    const now = new Date('2026-03-02T12:00:00Z')
    const age = (readAt: string): string => {
      const filter = { modifiedFrom: null, modifiedTo: null, ids: [] }
      const set = standIn<OpenedSet>({ object: 'customer', count: 1, readAt, filter, isWhole: true })
      return stampOf(set, null, now, format).when.replace('Read ', '')
    }
    expect(age('2026-03-02T11:59:20Z')).toBe('just now')
    expect(age('2026-03-02T11:58:59Z')).toBe('1 min ago')
    expect(age('2026-03-02T11:48:00Z')).toBe('12 min ago')
    expect(age('2026-03-02T09:00:00Z')).toBe('3 hours ago')
    expect(age('2026-02-20T09:00:00Z')).toBe(format.moment('2026-02-20T09:00:00Z', now))
  })
})

test('a search finds the same, whether records were put together before or not', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'B', 'İ', ' ', '1', 'é'), maxLength: 6 })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 200 }), text, (names, typed) => {
      const rows = names.map((Name, index) => row(`${index}`, { Name, Parent: { FullName: typed } }))
      const words = findQuery(typed)
      const [together, alone] = [new RowSearch('customer'), new RowSearch('customer')]
      runInSlices(together.prepare(rows, rows.length), () => undefined)
      for (const { record } of rows) {
        expect(together.matches(record, undefined, words)).toBe(alone.matches(record, undefined, words))
      }
    }),
    { numRuns: 60 },
  )
})

test('a search matches the day of a timestamp, and not a time and zone that aren’t shown', () => {
  const { record } = row('8', { Name: 'Birch', CreatedDate: '2025-03-30T02:30:00+01:00', Note: 'at 02:30' })
  const finds = (typed: string): boolean =>
    new RowSearch('customer').matches(record, undefined, findQuery(typed))
  expect(['2025-03-30', '02:30', '+01:00', '30:00'].map(finds)).toEqual([true, true, false, false])
})

test('a search finds a name as it is typed, and a phone number by its digits', () => {
  const { record } = row('8', { Name: 'O’Leary – Porch', Phone: '(415) 555-0107' })
  const finds = (typed: string): boolean =>
    new RowSearch('customer').matches(record, undefined, findQuery(typed))
  expect(["o'leary", 'o’leary', 'leary -', '4155550107', '555-0107', '4155550108'].map(finds)).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
  ])
})
