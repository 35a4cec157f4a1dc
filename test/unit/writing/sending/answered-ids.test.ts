/** IDs in responses that lead to other records: temporary IDs, swapped IDs, and records that were claimed by mistake. */
import { expect, test } from 'vitest'
import type { Writer } from '../../../../electron/writing/writer.ts'
import { textOf } from '../../../../shared/records/changes.ts'
import { value } from '../../../result.ts'
import { COMPANY, World } from '../world.ts'

const WITHOUT_MARKS = { settings: { markWithExternalId: false } }
const OLD = { ID: '1', Name: 'Alder', FullName: 'Alder', CreatedDate: '2020-01-01T00:00:00Z' }

/** A service that answers with IDs that older records have. */
function answering(ids: readonly string[], isListWhole = true): World {
  const world = new World({ ...WITHOUT_MARKS, isListWhole: () => isListWhole })
  world.service.manner = { keepsExternalIds: false, uniqueNames: false }
  world.service.add('customer', OLD)
  const insert = world.service.insert.bind(world.service)
  world.service.insert = (object, records) => ({
    items: insert(object, records).items.map((item, index) => {
      const { Object: stored } = item as { readonly Object: Readonly<Record<string, unknown>> }
      return { Object: { ...stored, ID: ids[index] ?? '' }, Errors: null, Kind: object }
    }),
  })
  return world
}

test.each([
  ['of a name alone', { Name: 'Zebra' }, true],
  ['with values that the older one lacks', { Name: 'Zebra', Phone: '1', Email: 'z@z.example' }, true],
  ['to a list that can’t be read completely', { Name: 'Zebra' }, false],
])(
  'an older record’s ID in the answer to an insert %s isn’t the insert’s',
  async (_what, fields, isListWhole) => {
    const world = answering(['1'], isListWhole)
    value(world.sendUnread([world.draftInsert(fields)]))
    await world.settle()
    const [operation] = world.operations()
    expect(operation?.state === 'acked' && operation.recordId === '1').toBe(false)
  },
)

test('each insert finds its own record even if an answer swaps the IDs', async () => {
  const ids = ['R1']
  const world = answering(ids)
  // The first one is sent alone, the others together. They are read back because of the &.
  await world.sendAndSettle([world.draftInsert({ Name: 'First' })])
  ids.splice(0, 1, 'R3', 'R2')
  await world.sendAndSettle(['Birch & Sons', 'Cedar & Co'].map((Name) => world.draftInsert({ Name })))
  const told = world.operations().map(({ state, recordId }) => [state, recordId])
  expect(told).toEqual(['R1', 'R2', 'R3'].map((id) => ['acked', id]))
})

test('a claim that is discarded leaves the record to the other insert', async () => {
  const world = new World(WITHOUT_MARKS)
  world.service.manner = { keepsExternalIds: false, uniqueNames: false }
  world.service.alter = (record) => {
    record['Name'] = record['FullName'] = textOf(record['Name']).slice(0, 10)
    record['Phone'] = ''
  }
  const draft = (Name: string, Phone: string): string =>
    world.draftInsert({ Name, Phone, Email: 'a@x.example' })
  for (const Name of ['First', 'Second']) await world.sendAndSettle([draft(Name, '555-0000')])
  // Both are in one array, and only the second is stored.
  const insert = world.service.insert.bind(world.service)
  world.service.insert = (object, records) => insert(object, records.slice(-1))
  world.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'none')
  await world.sendAndSettle([draft('Alderwood North', '555-1000'), draft('Alderwood South', '555-2000')])
  const [, , north, south] = world.operations()
  const decide = (operationId = '', decision: Parameters<Writer['decide']>[1]): unknown =>
    value(world.writer.decide(operationId, decision))
  decide(north?.operationId, { what: 'claim', recordId: 'R3' })
  decide(north?.operationId, { what: 'discard' })
  value(await world.writer.checkNow(COMPANY, [south?.operationId ?? '']))
  expect(world.operations()[3]?.candidates).toMatchObject([{ ID: 'R3' }])
  decide(south?.operationId, { what: 'claim', recordId: 'R3' })
})

test('after an error with an ID that leads to no record, later answers are read back', async () => {
  const world = new World(WITHOUT_MARKS)
  for (const Name of ['First', 'Second']) await world.sendAndSettle([world.draftInsert({ Name })])
  const insert = world.service.insert.bind(world.service)
  world.service.insert = (object, records) => ({
    items: records.map((record) => ({
      Object: { ...record, ID: 'R99' },
      Errors: [{ Code: 0, Message: 'A feature is off' }],
      Kind: object,
    })),
  })
  await world.sendAndSettle([world.draftInsert({ Name: 'Third' })])
  expect(world.operations()[2]).toMatchObject({ state: 'held', candidates: [{ ID: 'R99' }] })
  world.service.insert = insert
  world.service.requests.splice(0)
  await world.sendAndSettle([world.draftInsert({ Name: 'Fourth' })])
  expect(world.service.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
})
