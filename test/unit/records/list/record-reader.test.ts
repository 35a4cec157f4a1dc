/** Reading records back by their IDs, with services that interpret the `id` parameter differently. */
import { afterAll, describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../../electron/app/program/settings.ts'
import { createRecordReader } from '../../../../electron/app/records/record-reader.ts'
import { createSystemClock } from '../../../../electron/clock.ts'
import { createRows } from '../../../../electron/rows/rows-client.ts'
import { createMask } from '../../../../electron/service/errors/redact.ts'
import type {
  CountedResponse,
  Decoder,
  RecordsQuery,
  Wire,
} from '../../../../electron/service/protocol/wire.ts'
import { appError, err, type Result } from '../../../../shared/result.ts'
import { value } from '../../../result.ts'
import { standIn } from './stand-in.ts'

const rows = createRows(
  new URL('../../../../electron/rows/rows-worker.ts', import.meta.url),
  createSystemClock(),
)
afterAll(() => rows.close())

const COMPANY = { connectionId: 'c', endpointId: 'e' }
const BOOKS = ['1', '2', '3', '4']

/** Reads by IDs from books with four records. `shown` maps a request's IDs to the records that the service returns. */
async function readByIds(
  ids: readonly string[],
  shown: (ids: readonly string[]) => readonly string[] | null,
) {
  const asked: (readonly string[])[] = []
  const wire = standIn<Wire>({
    target: { mask: createMask(['key-of-the-test']) },
    isStopped: () => false,
    progress: () => undefined,
    readRecords: <T extends CountedResponse>(
      _id: string,
      _object: string,
      query: RecordsQuery,
      decode: Decoder<T>,
    ) => {
      asked.push(query.ids ?? [])
      const found = shown(query.ids ?? [])
      if (found === null) return Promise.resolve<Result<T>>(err(appError('dropped', 'It broke off.', '')))
      const Contents = BOOKS.filter((id) => found.includes(id)).map((ID) => ({
        Object: { ID, Name: `N${ID}` },
      }))
      const text = JSON.stringify({ Page: 1, MoreData: false, RequestId: 'r', Contents, Errors: null })
      const block = new TextEncoder().encode(text)
      return decode({ status: 200, contentType: 'application/json', blocks: [block], length: block.length })
    },
  })
  const reader = createRecordReader(rows, { facts: () => null }, { get: () => DEFAULT_SETTINGS } as never)
  const found = value(await reader.byIds(wire, COMPANY, 'customer', ids))
  return { asked, found, ids: [...found.records.keys()].toSorted() }
}

describe('several records, by their IDs', () => {
  test('are read in one request', async () => {
    const { asked, ids } = await readByIds(['1', '2', '3'], (of) => of)
    expect(ids).toEqual(['1', '2', '3'])
    expect(asked).toHaveLength(1)
  })

  test.each([
    ['the first', (of: readonly string[]) => of.slice(0, 1)],
    ['the last', (of: readonly string[]) => of.slice(-1)],
  ])('are all read from a service that uses only the %s ID of a request', async (_, shown) => {
    const { found, ids } = await readByIds(['1', '2', '3'], shown)
    expect(ids).toEqual(['1', '2', '3'])
    expect(found.partialReason).toBe('')
  })

  test('count as gone only if the service doesn’t have them when each is requested alone', async () => {
    const { asked, found, ids } = await readByIds(['1', '9', '3'], (of) => of)
    expect(ids).toEqual(['1', '3'])
    expect(found.partialReason).toBe('')
    expect(asked).toEqual([['1', '9', '3'], ['9']])
  })

  test('don’t count as gone if a single request fails', async () => {
    const { found } = await readByIds(['1', '2'], (of) => (of.length > 1 ? ['1'] : null))
    expect(found.partialReason).toBe('It broke off.')
  })
})
