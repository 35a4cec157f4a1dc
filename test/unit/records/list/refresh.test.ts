// A refresh that the user stops leaves the list as it was, with or without new records.
import '../../runes.ts'
import { expect, test, vi } from 'vitest'
import type { Api } from '../../../../renderer/api.ts'
import type { ListDrafts } from '../../../../renderer/records/drafts/list-drafts.svelte.ts'
import { NO_FILTER } from '../../../../renderer/records/filters/records-filter.ts'
import type { ListRows } from '../../../../renderer/records/list/list-rows.svelte.ts'
import { ListReader, type RowConsumer } from '../../../../renderer/records/list/reader.svelte.ts'
import { type RecordRow, RowFactory } from '../../../../renderer/records/list/rows.ts'
import { ListUpdate } from '../../../../renderer/records/list/update.svelte.ts'
import type { OpenedSet } from '../../../../shared/contract/records.ts'
import { appError, err, ok, type Result } from '../../../../shared/result.ts'
import { chunkOf } from './record-chunk.ts'
import { standIn } from './stand-in.ts'

const WHOLE: OpenedSet = {
  setId: 'whole',
  company: { connectionId: 'c', endpointId: 'e' },
  object: 'customer',
  filter: NO_FILTER,
  fields: [],
  count: 3,
  readAt: '2026-01-01T09:00:00Z',
  endedAt: '2026-01-01T09:00:01Z',
  savesMark: '',
  pages: 1,
  problems: [],
  requestIds: [],
  isWhole: true,
  partialReason: '',
}
const PART: OpenedSet = {
  ...WHOLE,
  setId: 'part',
  count: 1,
  isWhole: false,
  partialReason: 'You stopped it.',
}

/** A complete list of three records, which is read again with this response. */
async function readAgain(answer: Result<OpenedSet>, isStopped: boolean) {
  const answers = [ok(WHOLE), answer]
  const calls: string[] = []
  const call = (name: string, input: { setId?: string; count?: number }): Promise<unknown> => {
    calls.push(input.setId === undefined ? name : `${name} ${input.setId}`)
    if (name === 'records.open') {
      return (calls.length > 1 && isStopped ? reader.stop() : Promise.resolve()).then(() => answers.shift())
    }
    const records = Array.from({ length: input.count ?? 0 }, (_, at) => ({ ID: String(at) }))
    return Promise.resolve(ok(chunkOf(records)))
  }
  const shown: RecordRow[] = []
  const take = (rows: readonly RecordRow[]): void => void shown.push(...rows)
  const reader: ListReader = new ListReader({
    api: standIn<Api>({ call }),
    company: WHOLE.company,
    object: 'customer',
    isShown: () => reader.set !== null,
    isEmpty: () => shown.length === 0,
    consumer: () => ({ onbegin: take, onrows: take }),
    onend: () => undefined,
    ondiscard: () => undefined,
  })
  await reader.read(NO_FILTER)
  expect(shown).toHaveLength(3)
  await reader.read(NO_FILTER)
  return { reader, shown, calls }
}

test('stopping a refresh that has some of the records keeps the previous list', async () => {
  const { reader, shown, calls } = await readAgain(ok(PART), true)
  expect(reader.set).toMatchObject({ setId: 'whole', isWhole: true })
  expect(shown).toHaveLength(3)
  expect(reader.isRefreshStopped).toBe(true)
  expect(calls).toContain('records.close part')
  expect(calls).not.toContain('records.close whole')
})

test('stopping a refresh that has no records yet isn’t an error', async () => {
  const { reader } = await readAgain(err(appError('stopped', 'Stopped before anything loaded.', '')), true)
  expect(reader.set?.setId).toBe('whole')
  expect(reader).toMatchObject({ error: null, isRefreshStopped: true })
})

test('a response that breaks off is shown with its reason, as before', async () => {
  const { reader } = await readAgain(ok({ ...PART, partialReason: 'The connection broke.' }), false)
  expect(reader.set).toMatchObject({ setId: 'part', partialReason: 'The connection broke.' })
  expect(reader.isRefreshStopped).toBe(false)
})

test('a stopped first read keeps what arrived, even if its rows were shown early', async () => {
  const records = [{ ID: '1' }]
  const call = (name: string): Promise<unknown> => {
    if (name !== 'records.open') return Promise.resolve(ok(chunkOf(records)))
    reader.report({
      company: WHOLE.company,
      object: 'customer',
      ...{ records: 1, pages: 0, setId: 'part', fields: [] },
    })
    return vi
      .waitFor(() => {
        expect(reader.set?.partialReason).toBe('Still loading.')
      })
      .then(() => reader.stop())
      .then(() => ok(PART))
  }
  const reader: ListReader = new ListReader({
    api: standIn<Api>({ call }),
    company: WHOLE.company,
    object: 'customer',
    isShown: () => reader.set !== null,
    isEmpty: () => true,
    consumer: () => ({ onbegin: () => undefined, onrows: () => undefined }),
    onend: () => undefined,
    ondiscard: () => undefined,
  })
  await reader.read(NO_FILTER)
  expect(reader.set).toMatchObject({ setId: 'part', partialReason: 'You stopped it.' })
  expect(reader.isBusy).toBe(false)
})

/** A list that was read at nine by our clock, when the application's clock said eight. */
function updateWorld() {
  const asked: (string | undefined)[] = []
  const rows = new Map<string, RecordRow>()
  const put = (row: RecordRow): void => void rows.set(row.rowId, row)
  const rowsAt = (stamps: readonly string[]): readonly RecordRow[] =>
    new RowFactory().rowsOf(
      chunkOf(
        stamps.map((time, at) => ({ ID: `${time} ${at}`, LastModifiedDate: `2026-01-01T${time}:00Z` })),
      ),
    )
  const update = new ListUpdate(
    {
      reader: standIn<ListReader>({
        set: WHOLE,
        isBusy: false,
        unidentified: 0,
        update: ({ modifiedFrom }: OpenedSet['filter'], { onrows }: RowConsumer) => {
          asked.push(new Date(modifiedFrom ?? '').toISOString().slice(11, 16))
          const { stamps, isWhole } = state.answers.shift() ?? { stamps: [], isWhole: true }
          onrows(rowsAt(stamps))
          return Promise.resolve({ ...WHOLE, setId: 'newer', isWhole })
        },
        merged: () => undefined,
      }),
      rows: standIn<ListRows>({
        sharesIds: false,
        grid: null,
        merge: () => ({
          ...{ added: 0, changed: new Set(), unchanged: 0 },
          take: (taken: readonly RecordRow[]) => {
            for (const row of taken) put(row)
          },
        }),
        [Symbol.iterator]: () => rows.values(),
      }),
      drafts: standIn<ListDrafts>({
        markedRows: () => new Set(),
        clearSavedAsSent: () => undefined,
        draft: () => undefined,
      }),
      afterMerge: () => undefined,
    },
    standIn<Api>({ call: () => Promise.resolve(ok({ count: rows.size, fields: [] })) }),
  )
  const state = {
    ...{ asked, put, update },
    answers: [] as { readonly stamps: readonly string[]; readonly isWhole: boolean }[],
  }
  for (const row of rowsAt(['06:30', '07:00'])) put(row)
  return state
}

test('after an incomplete update, the next one asks from the same time, whatever stamps the list has by now', async () => {
  const { answers, asked, update } = updateWorld()
  for (const isWhole of [false, true]) answers.push({ stamps: ['08:20'], isWhole })
  for (let run = 0; run < 3; run += 1) await update.run()
  expect(asked).toEqual(['06:49', '06:49', '08:09'])
})

test('a record saved from here doesn’t move the time from which changes are requested', async () => {
  const { answers, asked, put, update } = updateWorld()
  const saved = (id: string, time: string): void => {
    put({
      ...{ rowId: id, recordId: id, origin: 'read' },
      record: { ID: id, LastModifiedDate: `2026-01-01T${time}:00Z` },
    })
  }
  // Someone else changed another record at 8:05, which nothing here knows.
  saved('07:00 1', '08:30')
  await update.run()
  // A response of the service says that nothing else changed by 8:40.
  answers.push({ stamps: ['08:05', '08:30', '08:40'], isWhole: true })
  await update.run()
  saved('08:40 2', '08:55')
  await update.run()
  expect(asked).toEqual(['06:19', '06:19', '08:29'])
})
