// What **Tidy up** shows of likely duplicates, side by side, and what it sends of what is checked.
import '../runes.ts'
import { expect, it } from 'vitest'
import {
  blockedReasonOf,
  compareFacts,
  picksOf,
  splitFacts,
  TidyModel,
  type TidyRow,
} from '../../../renderer/all-companies/tidy/tidy.svelte.ts'
import type { Api } from '../../../renderer/api.ts'
import { Format } from '../../../shared/format/format.ts'
import { ok } from '../../../shared/result.ts'
import { standIn } from '../records/list/stand-in.ts'

const format = new Format({ locale: 'en-US', negatives: 'minus' })

const record = (name: string, facts: Readonly<Record<string, string>>): TidyRow['record'] => ({
  recordId: name,
  name,
  edits: [],
  blockedReason: [],
  facts: Object.entries(facts).map(([path, value]) => ({ path, value })),
})

const kept = record('Marchetti Plumbing', { Phone: '(650) 555-0108', Email: 'office@marchetti.example' })
const other = record('Marchetti Plumbing Inc.', { Phone: '(650) 555-0108', Number: '7' })

const list: TidyRow['list'] = {
  company: { connectionId: 'c', endpointId: 'e' },
  object: 'vendor',
  readAt: '2026-11-21T09:00:00Z',
  count: 2,
  blockedReason: '',
  proposals: [],
  more: [],
  notChecked: [],
}

it('counts and reads only the lists that it looks through', async () => {
  const company = { connectionId: 'c', endpointId: 'e' }
  const lists = ['customer', 'terms', 'Vendor'].map((object) => ({ company, object, coverage: 'not-kept' }))
  const call = () => Promise.resolve(ok({ lists, off: [], isKeeping: true, reading: null }))
  const model = new TidyModel(standIn<Api>({ call }), 'c')
  await model.loadCoverage()
  expect(model.toRead.map(({ object }) => object)).toEqual(['customer', 'Vendor'])
})

it('compares duplicates field by field: what differs first, then what is the same', () => {
  const compared = compareFacts(list, kept, other, format)
  expect(compared.map(({ path, kept: left, other: right, differs }) => [path, left, right, differs])).toEqual(
    [
      ['Name', 'Marchetti Plumbing', 'Marchetti Plumbing Inc.', true],
      ['Email', 'office@marchetti.example', '', true],
      ['Number', '', '7', true],
      ['Phone', '(650) 555-0108', '(650) 555-0108', false],
    ],
  )
})

it('shows the days on which duplicates were created, which are no difference', () => {
  const [early, late] = ['2021-01-03T14:31:33+00:00', '2021-10-15T08:01:31+00:00'].map((created) =>
    record('Ash', { CreatedDate: created }),
  )
  if (!early || !late) throw new Error('There are two.')
  expect(compareFacts(list, early, late, format)).toContainEqual({
    path: 'CreatedDate',
    name: 'Created',
    kept: 'Jan 3, 2021',
    other: 'Oct 15, 2021',
    differs: false,
  })
})

it('tells what a duplicate has of its own from what it shares with all others', () => {
  const proposal: TidyRow['proposal'] = {
    kind: 'duplicate',
    key: 'k',
    reason: [],
    records: [kept, other],
    isDismissed: false,
  }
  const row: TidyRow = { id: 'r', list, proposal, record: kept, kept, isKept: true }
  expect(splitFacts(row, format)).toEqual({ own: 'office@marchetti.example', shared: '(650) 555-0108' })
})

it('sends with each duplicate the record that stays, as the user chose it, and several edits of a record as one', () => {
  const pair = ['Ash', 'Ash Inc.'].map((name) => ({
    ...record(name, {}),
    edits: [
      { path: 'IsActive', was: 'true', now: 'false' },
      { path: 'Name', was: name, now: `${name} (duplicate)` },
    ],
  }))
  const [ash, inc] = pair
  if (!ash || !inc) throw new Error('There are two.')
  const rowOf = (endpointId: string, going: typeof ash, stays: typeof ash): TidyRow => ({
    id: `${endpointId} ${going.name}`,
    list: { ...list, company: { connectionId: 'c', endpointId } },
    proposal: { kind: 'duplicate', key: 'k', reason: [], records: pair, isDismissed: false },
    record: going,
    kept: stays,
    isKept: false,
  })
  const [first, other] = [rowOf('a', inc, ash), rowOf('b', ash, inc)]
  const blanks: TidyRow = {
    ...first,
    proposal: { ...first.proposal, kind: 'blanks' },
    record: { ...inc, edits: [{ path: 'Phone', was: ' 1', now: '1' }] },
    kept: null,
  }
  const picks = picksOf([first, blanks, other])
  expect(
    picks.map(({ endpointId, records }) => [
      endpointId,
      records.map(({ recordId, edits }) => [
        recordId,
        ...edits.map(({ path, keeps }) => [path, keeps?.FullName ?? '']),
      ]),
    ]),
  ).toEqual([
    ['a', [['Ash Inc.', ['Phone', ''], ['IsActive', 'Ash'], ['Name', '']]]],
    ['b', [['Ash', ['IsActive', 'Ash Inc.'], ['Name', '']]]],
  ])
  // The record that stays has no checkbox, and neither has any in a read-only company.
  expect(blockedReasonOf(first)).toEqual([])
  expect(blockedReasonOf({ ...first, record: ash, isKept: true })).not.toEqual([])
  const closed = { ...first.list, blockedReason: 'It is read only.' }
  expect(blockedReasonOf({ ...first, list: closed })).toEqual(['It is read only.'])
})
