/**
 * Items with an error in place of a record, or with only an ID beside it, over a real socket: the other records are kept,
 * and the list is marked as incomplete.
 */
import { describe, expect, test } from 'vitest'
import type { OpenedSet } from '../../../shared/contract/records.ts'
import { textOf } from '../../../shared/records/changes.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import { ShownList } from '../lists/kept-copies.ts'
import { LIST, type Person } from '../world/person.ts'
import { startVirtualWorld } from '../world/virtual-world.ts'
import type { World } from '../world/world.ts'

const READS = { method: 'GET', path: `/${LIST}` } as const

function partial(result: Result<OpenedSet>): OpenedSet {
  const set = value(result)
  expect(set.isWhole).toBe(false)
  return set
}

describe('items with an error in place of a record', () => {
  const refused = (...errors: readonly object[]): object => ({
    Object: null,
    Errors: errors,
    Kind: 'customer',
    Self: null,
  })
  const page = (Contents: readonly object[], more: object = {}): string =>
    JSON.stringify({
      HasErrors: true,
      RequestId: 'req-items',
      MoreData: false,
      Errors: null,
      Contents,
      ...more,
    })
  const RECORD = { Object: { ID: 'X1', Name: 'Other' }, Errors: null, Kind: 'customer' }
  const CLOSED = { Code: '80040408', Message: 'Could not start.' }
  const OWN_WORDS = { Message: 'The ledger was shut meanwhile.' }

  /** From now on, answers reads, or those with a matching query, with this. */
  const answerWith = (
    { server }: World,
    text: string,
    more: { status?: number; query?: string } = {},
  ): void => {
    const { status = 200, query } = more
    const match = query === undefined ? READS : { ...READS, query }
    server.control({
      clearFaults: true,
      faults: [{ match, times: 0, fault: { kind: 'body', text, status } }],
    })
  }

  test.concurrent(
    'alone on a later page: what came before is kept, and marked as partial with that message',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished, { server: { pageSize: 10 } })
      for (const [error, MoreData, words] of [
        [CLOSED, false, /couldn’t start/],
        [OWN_WORDS, false, /The service says: The ledger was shut meanwhile\./],
        [OWN_WORDS, true, /The ledger was shut meanwhile\./],
      ] as const) {
        answerWith(world, page([refused(error)], { Page: 2, MoreData }), { query: 'page=2' })
        const set = partial(await world.person.read())
        expect(set).toMatchObject({ count: 10, partialReason: expect.stringMatching(words) as unknown })
        expect(set.problems).toMatchObject([
          { message: set.partialReason, details: { raw: JSON.stringify(error), requestId: 'req-items' } },
        ])
      }
    },
  )

  test.concurrent(
    'beside records: they are kept, and the list is partial; "nothing matched" isn’t an error',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      const inUse = { Code: '3175', Message: 'In use.' }
      answerWith(world, page([RECORD, refused(inUse), refused(OWN_WORDS)]))
      const set = partial(await world.person.read())
      expect(set).toMatchObject({ count: 1, partialReason: 'The record is in use by someone else.' })
      expect(set.problems).toMatchObject([
        { details: { code: '3175' } },
        { message: expect.stringContaining('The ledger was shut meanwhile.') as unknown },
      ])
      answerWith(world, page([refused({ StatusCode: 1, Severity: 'Info', Message: 'No match.' })]))
      expect(value(await world.person.read())).toMatchObject({ count: 0, isWhole: true, problems: [] })
    },
  )

  test.concurrent(
    'and nothing else, under any status: the read fails, with code, raw text, and RequestId',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      for (const [status, error, kind, words] of [
        [200, CLOSED, 'company-unavailable', /couldn’t start/],
        [200, OWN_WORDS, 'service-error', /The ledger was shut meanwhile/],
        [400, OWN_WORDS, 'service-error', /The ledger was shut meanwhile/],
        [404, { Code: '3120', Message: 'Not found.' }, 'service-error', /The record was not found/],
        [403, { Message: 'The company file is not open.' }, 'company-unavailable', /file isn’t open/],
      ] as const) {
        answerWith(world, page([refused(error)]), { status })
        const code = 'Code' in error ? { code: error.Code } : {}
        const details = { ...code, raw: JSON.stringify(error), requestId: 'req-items' }
        expect(await world.person.read()).toMatchObject({
          ok: false,
          error: { kind, message: expect.stringMatching(words) as unknown, details },
        })
      }
    },
  )

  test.concurrent(
    'for deleted IDs: the other records are there, with a message; without others, the error is the result',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      const { person } = world
      const gone = refused({ Code: '3120', Message: 'Not found.' })
      const readIds = () =>
        person.call('records.open', {
          company: person.company,
          object: LIST,
          filter: { ids: ['X1', 'X2'], modifiedFrom: null, modifiedTo: null },
        })
      answerWith(world, page([RECORD, gone]))
      expect(partial(await readIds())).toMatchObject({
        count: 1,
        partialReason: 'The record was not found.',
        problems: [{ details: { code: '3120', requestId: 'req-items' } }],
      })
      answerWith(world, page([gone, gone]), { status: 404 })
      expect(await readIds()).toMatchObject({
        ok: false,
        error: { message: 'The record was not found.', details: { code: '3120', requestId: 'req-items' } },
      })
    },
  )

  test.concurrent(
    'beside an ID without values: the record stays as it was, in the open list and in its copy',
    async ({ onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      const { person } = world
      const list = await ShownList.fromService(person.call, person.company, LIST)
      await world.clock.advance(2_000)
      const [record] = list.records
      const id = textOf(record?.['ID'])
      const idOnly = (error: object) => ({
        Object: { ID: id, Name: null },
        Errors: [error],
        Kind: 'customer',
      })
      const recordIn = async (shown: ShownList | null) =>
        (await person.held(shown?.set.setId ?? '', shown?.records.length ?? 0)).find(({ ID }) => ID === id)

      answerWith(world, page([idOnly(OWN_WORDS)]))
      const { set, merge } = await list.changes()
      expect(partial(ok(set))).toMatchObject({
        count: 0,
        partialReason: 'The service sent only an error for 1 record.',
        problems: [{ message: expect.stringContaining(`${id}: `) as unknown }],
      })
      await merge()
      expect(await recordIn(list)).toEqual(record)
      await list.close()
      const kept = await ShownList.fromCopy(person.call, person.company, LIST)
      expect(kept?.updated).toBeNull()
      expect(await recordIn(kept)).toEqual(record)

      // Neither does a read of the whole list in the background replace the copy.
      answerWith(world, page([RECORD, idOnly(OWN_WORDS)]))
      expect(await readToKeep(person)).toMatchObject([
        { error: { message: expect.stringContaining('sent only an error for 1 record') as unknown } },
      ])
      const stillKept = await ShownList.fromCopy(person.call, person.company, LIST)
      expect(await recordIn(stillKept)).toEqual(record)
      expect(partial(await person.read())).toMatchObject({ count: 1 })
    },
  )
})

/** Reads the list with **Read them now**. @returns what failed */
async function readToKeep(person: Person) {
  const { endpointId } = person.company
  return (await person.keepLists([{ endpointId, object: LIST }])).failed
}
