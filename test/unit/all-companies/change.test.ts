// **Change in several companies** in the window: what is equal across companies, what is sent to the main process, and
// what it names as left out.
import '../runes.ts'
import { describe, expect, test, vi } from 'vitest'
import {
  countAnswered,
  formatUnknownName,
  unconfirmedNote,
} from '../../../renderer/all-companies/change/change-messages.ts'
import { ChangesList } from '../../../renderer/all-companies/change/changes-list.svelte.ts'
import { MultiCompanyChangeModel } from '../../../renderer/all-companies/change/multi-company-change.svelte.ts'
import type { Api } from '../../../renderer/api.ts'
import type { ComparedCompany, ShownChange } from '../../../shared/contract/all-companies.ts'
import { Format } from '../../../shared/format/format.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import { ok } from '../../../shared/result.ts'
import { standIn } from '../records/list/stand-in.ts'

const FIELDS = ['Name', 'Phone', 'Terms']

function company(
  endpointId: string,
  records: readonly RecordData[],
  change: Partial<ComparedCompany> = {},
): ComparedCompany {
  return {
    company: { connectionId: 'c', endpointId },
    readAt: '2026-11-20T09:00:00Z',
    records: records.map((record, at) => ({
      recordId: `${endpointId}-${String(at)}`,
      name: `Alder ${String(at)}`,
      isActive: true,
      record,
      matched: null,
      blockedReason: '',
    })),
    total: records.length,
    isMore: false,
    supported: FIELDS,
    blockedReason: '',
    ...change,
  }
}

async function compared(
  companies: readonly ComparedCompany[],
  off: readonly string[] = [],
  names: readonly string[] = [],
): Promise<{ readonly model: MultiCompanyChangeModel; readonly calls: (readonly [string, unknown])[] }> {
  const calls: (readonly [string, unknown])[] = []
  const api = standIn<Api>({
    on: () => () => undefined,
    call: (name: string, input: unknown) => {
      calls.push([name, input])
      const refs = off.map((endpointId) => ({ connectionId: 'c', endpointId }))
      const values = names.map((value) => ({ value, count: 1, companies: 1 }))
      const answers: Record<string, unknown> = {
        'multiCompanyChanges.compare': { companies, notKept: refs },
        'multiCompanyChanges.values': { values, isMore: false },
        'multiCompanyChanges.draft': { items: [] },
      }
      return Promise.resolve(ok(answers[name] ?? {}))
    },
  })
  const model = new MultiCompanyChangeModel(api, 'c', 'en-US')
  model.text = 'Alder'
  await model.compare()
  return { model, calls }
}

describe('references', () => {
  const net30 = { ID: '8', FullName: 'Net 30' }
  const unnamed = { ID: '5', FullName: '' }

  test('are equal by name, whatever their IDs are', async () => {
    const { model } = await compared([
      company('a', [{ Terms: { ID: '1', FullName: 'Net 30' } }]),
      company('b', [{ Terms: net30 }]),
    ])
    expect(model.values('Terms').map(({ rows }) => rows.length)).toEqual([2])
  })

  test('without a name are equal to none of another company, however alike their IDs are', async () => {
    const { model } = await compared([
      company('a', [{ Terms: unnamed }, { Terms: unnamed }]),
      company('b', [{ Terms: unnamed }]),
      // Not even to a name that looks like their ID.
      company('d', [{ Terms: { ID: '7', FullName: '5' } }]),
    ])
    const values = model.values('Terms')
    expect(values.map(({ rows, isUnnamed }) => [rows.length, isUnnamed])).toEqual([
      [2, true],
      [1, true],
      [1, false],
    ])
    expect(model.differs('Terms')).toBe(true)
    const [first] = values
    if (first === undefined) throw new Error('There is a value.')
    // Selecting by this value selects only the company that it belongs to.
    expect(
      new Set(model.rowsWith('Terms', first).map(({ company: { company: ref } }) => ref.endpointId)),
    ).toEqual(new Set(['a']))
    // No one knows whether they differ.
    expect(model.rows.map(({ record }) => model.isOdd(record, 'Terms'))).toEqual([false, false, false, false])
    // What is typed is a name, so an ID of the same text has another value.
    model.chooseField('Terms')
    model.typed = '5'
    expect(model.rows.map(({ record }) => model.currentValueIn(record))).toEqual([
      'other',
      'other',
      'other',
      'same',
    ])
  })

  test('to a name that no kept list has are pointed out as soon as it is typed', async () => {
    const used = [company('a', [{ Terms: { ID: '1', FullName: 'Due on receipt' } }])]
    const typed = async (names: readonly string[]) => {
      const { model, calls } = await compared(used, [], names)
      model.chooseField('Terms')
      await vi.waitFor(() =>
        expect(calls.filter(([name]) => name === 'multiCompanyChanges.values')).toHaveLength(2),
      )
      return (text: string) => {
        model.typed = text
        return model.isUnknownName
      }
    }
    const known = await typed(['Net 30', 'Net 60'])
    await vi.waitFor(() => expect(known('Net 33')).toBe(true))
    expect([known('net 30'), known('Due on receipt'), known('')]).toEqual([false, false, false])
    // If no such list is kept, only names that are in use are known.
    const unchecked = await typed([])
    await vi.waitFor(() => expect(unchecked('Net 33')).toBe(true))
    expect(unchecked('Due on receipt')).toBe(false)
    expect(formatUnknownName('Terms', 'Net 33', [])).toBe(
      'No Terms list is on this computer, so Bookbridge can’t check “Net 33”. The change may be refused.',
    )
  })

  test('of a field without a definition aren’t equal either', async () => {
    const { model } = await compared([
      company('a', [{ SalesRep: { ID: '5' } }]),
      company('b', [{ SalesRep: { ID: '5' } }]),
    ])
    expect(model.values('SalesRep')).toHaveLength(2)
  })
})

test('names companies that get nothing: refused ones with such records, and lists that were not compared', async () => {
  const { model, calls } = await compared(
    [
      company('can', [{ Phone: '' }]),
      company('read-only', [{ Phone: '' }], { blockedReason: 'It is read only.' }),
      company('without the field', [{ Phone: '' }], { supported: ['Name'] }),
      company('without the record', []),
      company('without the record, read-only', [], { blockedReason: 'It is read only.' }),
      company('not kept', [], { readAt: null, supported: null }),
    ],
    ['turned off'],
  )
  model.chooseField('Phone')
  model.typed = '(415) 555-0100'
  await model.draft()
  expect(calls.find(([name]) => name === 'multiCompanyChanges.draft')).toEqual([
    'multiCompanyChanges.draft',
    {
      connectionId: 'c',
      object: 'customer',
      path: 'Phone',
      now: '(415) 555-0100',
      picks: [{ endpointId: 'can', recordIds: ['can-0'] }],
      others: [
        { endpointId: 'read-only', records: 1 },
        { endpointId: 'without the field', records: 1 },
        { endpointId: 'not kept', records: 0 },
        { endpointId: 'turned off', records: 0 },
      ],
    },
  ])
  // The lists that can be read now.
  expect(model.toRead(() => false).map(({ company: ref }) => ref.endpointId)).toEqual(['not kept'])
  expect(model.toRead(() => true)).toHaveLength(6)
})

test('gives the space of companies that can’t get the value to others', async () => {
  const full = { total: 20_000 }
  const { model, calls } = await compared([
    company('refused', [{ Phone: '', Terms: '' }], full),
    company('without phones', [{ Phone: '', Terms: '' }], { supported: ['Name', 'Terms'] }),
  ])
  /** The companies that came last in each comparison. */
  const last = (): unknown[] =>
    calls.flatMap(([name, input]) =>
      name === 'multiCompanyChanges.compare' ? [(input as { readonly last?: unknown }).last] : [],
    )
  expect(last()).toEqual([undefined])
  model.chooseField('Phone')
  await vi.waitFor(() => expect(last()).toEqual([undefined, ['without phones']]))
  model.setChecked(model.rows, true)
  model.typed = '(415) 555-0100'
  // The one company that was asked for gets no draft.
  await model.draft()
  await model.compare()
  expect(last().at(-1)).toEqual(['without phones', 'refused'])
  // Another value may be possible there.
  model.typed = '(415) 555-0101'
  await model.compare()
  expect(last().at(-1)).toEqual(['without phones'])
})

test('selects everyone with a value, except inactive records', async () => {
  const listed = company('a', [{ Phone: '1' }, { Phone: '1' }])
  const [one, other] = listed.records
  if (one === undefined || other === undefined) throw new Error('There are two records.')
  const { model } = await compared([{ ...listed, records: [one, { ...other, isActive: false }] }])
  model.chosenBy = 'value'
  model.wherePath = 'Phone'
  model.whereValue = '1'
  await model.compare()
  expect(model.chosen.map(({ record }) => record.recordId)).toEqual(['a-0'])
  // Of one name, both are meant.
  model.chosenBy = 'name'
  await model.compare()
  expect(model.chosen).toHaveLength(2)
})

test('keeps the progress of a change that arrives while the change is being read', async () => {
  const records = ['d-1', 'd-2'].map((draftId) => ({ draftId, state: 'draft' }))
  const before = { changeId: 'c-1', connectionId: 'c', state: 'running', items: [{ itemId: 'i', records }] }
  const progress = {
    ...before,
    state: 'finished',
    items: [{ itemId: 'i', records: [{ draftId: 'd-2', state: 'saved' }] }],
  }
  const listeners: ((change: unknown) => void)[] = []
  const listed = Promise.withResolvers<unknown>()
  const api = standIn<Api>({
    on: (_name: string, listener: (change: unknown) => void) => {
      listeners.push(listener)
      return () => undefined
    },
    call: () => listed.promise,
  })
  const list = new ChangesList(api, 'c')
  list.listen()
  for (const listener of listeners) listener(progress)
  listed.resolve(ok([before]))
  await vi.waitFor(() => expect(list.changes.map(({ state }) => state)).toEqual(['finished']))
  const states = (): unknown =>
    list.changes.flatMap(({ items }) => items.flatMap((item) => item.records.map(({ state }) => state)))
  expect(states()).toEqual(['draft', 'saved'])
  // The records that aren't part of an event stay as they are.
  for (const listener of listeners) listener({ ...progress, items: [{ itemId: 'i', records: [] }] })
  expect(states()).toEqual(['draft', 'saved'])
})

test('says how many records of a company aren’t confirmed yet', () => {
  const recordsOf = (states: readonly ShownChange['items'][number]['records'][number]['state'][]) =>
    states.map((state, at) => ({
      ...{
        draftId: `d${String(at)}`,
        recordId: 'r',
        recordName: 'Ash',
        was: '',
        isTrimmed: false,
        edits: [],
      },
      ...{ state, isSavedDifferently: false, error: null },
    }))
  const itemOf = (endpointId: string, states: Parameters<typeof recordsOf>[0]) => ({
    ...{ itemId: endpointId, endpointId, state: 'waiting' as const, error: null, warning: '' },
    records: recordsOf(states),
  })
  const items = [
    itemOf('a', ['not-confirmed', 'not-sent', 'saved']),
    itemOf('b', ['not-confirmed', 'not-confirmed']),
    itemOf('c', ['draft', 'saved']),
  ]
  const noteOf = (endpointId: string) =>
    unconfirmedNote({ items }, endpointId, new Format({ locale: 'en-US', negatives: 'minus' }))
  expect(noteOf('a')).toBe('1 record there isn’t confirmed yet. Bookbridge keeps checking.')
  expect(noteOf('b')).toBe('2 records there aren’t confirmed yet. Bookbridge keeps checking.')
  expect(noteOf('c')).toBe('')
  // The progress bar includes only clear answers.
  expect(countAnswered({ items })).toBe(2)
})
