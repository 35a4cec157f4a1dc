/** Lists that the specification doesn't describe: records or metadata decide how a field is sent (2.1). */
import { expect, test } from 'vitest'
import { parseExactJson } from '../../../electron/service/protocol/envelope.ts'
import { recordBody } from '../../../electron/writing/records/payload.ts'
import type { CallInput } from '../../../shared/contract/contract.ts'
import { value } from '../../result.ts'
import { inProcessFetch, VirtualClock } from '../../virtual-clock.ts'
import { makeCore } from '../world/core-parts.ts'
import { type AtEnd, callerOf, emptyFolder } from '../world/world.ts'

const CONNECTION_ID = 'c1'
const COMPANY = { connectionId: CONNECTION_ID, endpointId: 'E1' }
const OBJECT = 'invoice'
const INVOICE =
  '{"ID":"7","Total":120.50,"Paid":false,"Memo":"12","CustomerRef":{"ID":"C1","FullName":"Ada"},' +
  '"Ship":{"City":"Bath","Floor":2,"Geo":{"Lat":51.380000000000001}},"Lines":[{"Qty":2,"Code":"4"}]}'

type Draft = CallInput<'records.saveDrafts'>['drafts'][number]

/** A service with a list whose records are JSON text, so that numbers keep their digits. */
async function startService(atEnd: AtEnd, metadata: string, ...records: readonly string[]) {
  const clock = new VirtualClock()
  const sent: string[] = []
  const held = new Map(
    (records.length === 0 ? [INVOICE] : records).map((text) => [
      (JSON.parse(text) as { ID: string }).ID,
      text,
    ]),
  )
  const envelope = (...objects: readonly string[]): Response =>
    new Response(
      `{"Kind":"collection","HasErrors":false,"RequestId":"R","Contents":[${objects
        .map((object) => `{"Object":${object},"Errors":null}`)
        .join(',')}]}`,
    )
  const fetch = inProcessFetch(async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname.includes('/meta/')) return envelope(metadata)
    if (pathname.toLowerCase().endsWith('/manage/endpoint'))
      return envelope('{"endpointId":"E1","endpoint":"qbd","companyName":"Books","isActive":true}')
    if (request.method === 'GET') return envelope(...held.values())
    const body = await request.text()
    sent.push(body)
    const given = parseExactJson(body) as { ID: string }
    const id = request.method === 'POST' ? '8' : given.ID
    const saved = { ...(parseExactJson(held.get(id) ?? '{}') as object), ...given, ID: id }
    held.set(id, JSON.stringify(saved))
    return envelope(JSON.stringify(saved))
  })
  const running = value(
    makeCore(
      { userData: emptyFolder(atEnd), settings: {}, beginsAt: clock.now(), factor: 1, saved: null },
      { clock, fetch },
    ),
  )
  atEnd(() => running.core.close())
  running.core.start()
  const call = callerOf(running)
  const does: typeof call = (name, input) => clock.run(call(name, input))
  value(await does('connection.setKey', { connectionId: CONNECTION_ID, key: 'key' }))
  value(
    await does('connection.connect', {
      connectionId: CONNECTION_ID,
      name: 'S',
      address: 'https://s.example',
    }),
  )
  value(await does('companies.list', { connectionId: CONNECTION_ID }))
  const read = async () =>
    value(
      await does('records.open', {
        company: COMPANY,
        object: OBJECT,
        filter: { ids: [], modifiedFrom: null, modifiedTo: null },
      }),
    )
  const send = async (...states: readonly Omit<Draft, 'draftId'>[]) => {
    const drafts = states.map((draft, at) => ({ draftId: `d${String(at)}`, ...draft }))
    value(await does('records.saveDrafts', { company: COMPANY, object: OBJECT, drafts }))
    const draftIds = drafts.map(({ draftId }) => draftId)
    const answer = await does('records.send', { company: COMPANY, object: OBJECT, draftIds })
    await clock.advance(600_000)
    return answer
  }
  return { read, send, sent, call: does }
}

test('a change is sent as it was read: numbers, booleans, references, lists, and other members', async (context) => {
  const { read, send, sent, call } = await startService(
    context.onTestFinished,
    '{"ID":"","Total":"","Paid":"","Memo":"","CustomerRef":{},"Ship":{},"Lines":[]}',
  )
  const set = await read()
  const chunk = value(await call('records.rows', { setId: set.setId, from: 0, count: 1 }))
  const [before = {}] = JSON.parse(new TextDecoder().decode(chunk.bytes)) as Record<string, unknown>[]
  const lines = JSON.stringify(before['Lines'])
  value(
    await send({
      kind: 'change',
      recordId: '7',
      before,
      edits: [
        { path: 'Total', was: '120.50', now: '99.10' },
        { path: 'Paid', was: 'false', now: 'true' },
        { path: 'Memo', was: '12', now: '13' },
        { path: 'CustomerRef', was: { ID: 'C1', FullName: 'Ada' }, now: { ID: 'C2', FullName: 'Bo' } },
        { path: 'Ship.City', was: 'Bath', now: 'Ely' },
        { path: 'Lines', was: lines, now: lines.replace('"2"', '"3"') },
      ],
    }),
  )
  expect(sent).toEqual([
    '{"ID":"7","Total":99.1,"Paid":true,"Memo":"13","CustomerRef":{"ID":"C2","FullName":"Bo"},' +
      '"Ship":{"City":"Ely","Floor":2,"Geo":{"Lat":51.380000000000001}},"Lines":[{"Qty":3,"Code":"4"}]}',
  ])
  const shown = value(await call('records.drafts', { company: COMPANY, object: OBJECT }))
  expect(shown.map(({ operation }) => operation)).toEqual([])
})

test('a reference with a third member is changed member by member, and doesn’t lose it', async (context) => {
  const ref = '{"ID":"C1","FullName":"Ada","Type":"Customer"}'
  const { read, send, sent } = await startService(
    context.onTestFinished,
    '{"ID":"","EntityRef":{"ID":"","FullName":""}}',
    `{"ID":"7","EntityRef":${ref}}`,
  )
  await read()
  const before = { ID: '7', EntityRef: JSON.parse(ref) as unknown }
  const change = (edits: Draft['edits']) => send({ kind: 'change', recordId: '7', before, edits })
  const now = { ID: 'C2', FullName: 'Bo' }
  for (const was of [{ ID: 'C1', FullName: 'Ada' }, ref]) {
    const answer = await change([{ path: 'EntityRef', was, now }])
    expect(answer.ok ? 'sent' : answer.error.message).toContain('more parts in this record')
  }
  expect(sent).toEqual([])
  value(
    await change([
      { path: 'EntityRef.ID', was: 'C1', now: 'C2' },
      { path: 'EntityRef.FullName', was: 'Ada', now: 'Bo' },
    ]),
  )
  expect(sent).toEqual(['{"ID":"7","EntityRef":{"ID":"C2","FullName":"Bo","Type":"Customer"}}'])
})

test('a boolean is accepted as a spreadsheet writes it, and otherwise rejected with what can be typed', async (context) => {
  const { read, send, sent, call } = await startService(
    context.onTestFinished,
    '{"ID":"","Paid":""}',
    '{"ID":"7","Paid":false}',
  )
  await read()
  const change = (now: string) =>
    send({
      kind: 'change',
      recordId: '7',
      before: { ID: '7', Paid: 'false' },
      edits: [{ path: 'Paid', was: 'false', now }],
    })
  const refused = await change('maybe')
  expect(refused.ok ? 'sent' : refused.error.message).toContain('must be true or false')
  value(await change('TRUE'))
  expect(sent).toEqual(['{"ID":"7","Paid":true}'])
  expect(value(await call('records.drafts', { company: COMPANY, object: OBJECT }))).toEqual([])
})

test('an insert is sent according to metadata if no record was read yet', async (context) => {
  const { send, sent } = await startService(
    context.onTestFinished,
    '{"ID":"","Total":0,"Paid":"false","Memo":"","CustomerRef":{"FullName":""},"Ship":{"City":""},"Lines":[]}',
  )
  const insert = (edits: Draft['edits']) => send({ kind: 'insert', recordId: '', before: {}, edits })
  const total = { path: 'Total', was: null, now: '5.00' }
  const typed = [
    total,
    { path: 'Paid', was: null, now: 'true' },
    { path: 'CustomerRef', was: null, now: { ID: 'C1', FullName: 'Ada' } },
    { path: 'Ship.City', was: null, now: 'Bath' },
    { path: 'Lines', was: null, now: '[{"Qty":0.10}]' },
  ]
  for (const [edits, words] of [
    [[{ ...total, now: 'five' }], 'amount'],
    [[{ ...total, now: '' }], 'cleared'],
    [[{ path: 'Lines', was: null, now: 'two' }], 'list'],
    [[{ path: 'Ship', was: null, now: 'Bath' }], 'parts'],
    [[{ path: 'Ship.Line1', was: null, now: '1' }], 'support this part'],
  ] as const) {
    const answer = await insert([...edits])
    expect(answer.ok ? '' : `${answer.error.message} ${answer.error.advice}`).toContain(words)
  }
  expect(sent).toEqual([])
  value(await insert(typed))
  expect(sent).toEqual([
    '{"ID":"","Total":5,"Paid":true,"CustomerRef":{"FullName":"Ada"},"Ship":{"City":"Bath"},"Lines":[{"Qty":0.10}]}',
  ])
})

test('an insert is sent with the types of its list’s records', async (context) => {
  const { read, send, sent } = await startService(
    context.onTestFinished,
    '{"ID":"","Total":"","Paid":"","Memo":""}',
  )
  await read()
  value(
    await send({
      kind: 'insert',
      recordId: '',
      before: {},
      edits: [
        { path: 'Total', was: null, now: '5' },
        { path: 'Paid', was: null, now: 'true' },
        { path: 'Memo', was: null, now: '5' },
      ],
    }),
  )
  expect(sent).toEqual(['{"ID":"","Total":5,"Paid":true,"Memo":"5"}'])
})

test('a list keeps texts as texts and numbers as they are', async (context) => {
  const lines =
    '[{"Code":"007","Qty":1e3,"Memo":"a"},{"Code":7,"Qty":-0,"Memo":"b"},{"Code":"","Qty":12345678901234567890.1}]'
  const { read, send, sent, call } = await startService(
    context.onTestFinished,
    '{"ID":"","Lines":[]}',
    `{"ID":"7","Lines":${lines}}`,
  )
  const set = await read()
  const chunk = value(await call('records.rows', { setId: set.setId, from: 0, count: 1 }))
  const [before = {}] = JSON.parse(new TextDecoder().decode(chunk.bytes)) as Record<string, unknown>[]
  const was = JSON.stringify(before['Lines'])
  const change = (now: string) =>
    send({ kind: 'change', recordId: '7', before, edits: [{ path: 'Lines', was, now }] })
  value(await change(was.replace('"a"', '"z"')))
  expect(sent).toEqual([`{"ID":"7","Lines":${lines.replace('"a"', '"z"')}}`])
})

test('a list refuses a number that other programs would round', () => {
  const edits = [{ path: 'Lines', was: '["1.5"]', now: '["0.1234567890123456789"]' }]
  const currentText = '{"ID":"7","Lines":[1.5]}'
  const record = {
    object: OBJECT,
    kind: 'change' as const,
    recordId: '7',
    edits,
    externalId: '',
    current: {},
    currentText,
  }
  const body = recordBody(record)
  expect(body.ok ? body.value : body.error.message).toContain('without rounding')
})

test('a code that metadata shows as 0 and records have as text stays text in an insert', async (context) => {
  const { read, send, sent } = await startService(
    context.onTestFinished,
    '{"ID":"","Zip":"0"}',
    '{"ID":"7","Zip":"008"}',
  )
  await read()
  value(
    await send({
      kind: 'insert',
      recordId: '',
      before: {},
      edits: [{ path: 'Zip', was: null, now: '007' }],
    }),
  )
  expect(sent).toEqual(['{"ID":"","Zip":"007"}'])
})

test('a value that doesn’t fit its current record holds back only that record', async (context) => {
  const { read, call, send, sent } = await startService(
    context.onTestFinished,
    '{"ID":"","Total":""}',
    '{"ID":"7","Total":5}',
    '{"ID":"6","Total":"A5"}',
  )
  await read()
  const change = (recordId: string, was: string, now: string): Omit<Draft, 'draftId'> => ({
    kind: 'change',
    recordId,
    before: { ID: recordId, Total: was },
    edits: [{ path: 'Total', was, now }],
  })
  value(await send(change('7', '5', 'five'), change('6', 'A5', 'A6')))
  expect(sent).toEqual(['{"ID":"6","Total":"A6"}'])
  const drafts = value(await call('records.drafts', { company: COMPANY, object: OBJECT }))
  expect(
    drafts.map(({ recordId, operation }) => [recordId, operation?.state, operation?.error?.message]),
  ).toEqual([['7', 'rejected', '“Total” must be an amount.']])
})

test('a change without an open list takes the types of other records from the kept copy', async (context) => {
  const { read, send, sent, call } = await startService(
    context.onTestFinished,
    '{"ID":"","Total":"","Paid":"","Memo":""}',
    INVOICE,
    '{"ID":"8","Memo":"none yet"}',
  )
  const { setId } = await read()
  value(await call('records.close', { setId }))
  value(
    await send({
      kind: 'change',
      recordId: '8',
      before: { ID: '8', Memo: 'none yet' },
      edits: [
        { path: 'Total', was: '', now: '6000' },
        { path: 'Paid', was: '', now: 'true' },
        { path: 'Memo', was: 'none yet', now: '12' },
      ],
    }),
  )
  expect(sent).toEqual(['{"ID":"8","Total":6000,"Paid":true,"Memo":"12"}'])
})
