// Writes that the sample refuses: each record separately, with a fitting message.
import { beforeEach, describe, expect, it } from 'vitest'
import { createSampleService, type SampleService } from '../../electron/sample/service.ts'
import { booksOf, checkAgreement, checkReceivables, send as sendTo } from './books-agreement.ts'

const KEY = 'a-key'
const TODAY = '2026-03-31'
let service: SampleService

beforeEach(() => {
  service = createSampleService({
    key: KEY,
    today: TODAY,
    customers: 20,
    volume: 0.1,
    now: () => Date.parse(TODAY),
  })
})

const send = (...request: [path: string, method?: string, body?: unknown]): ReturnType<typeof sendTo> =>
  sendTo(service, KEY, ...request)

/** The list of customers of the first company of an application. */
function customersOf(application: 'qbd' | 'qbo'): string {
  const found = service.state().companies.find(({ endpoint }) => endpoint === application)
  return `/v2/data/${found?.endpointId ?? ''}/customer`
}

async function insert(
  name: string,
  fields: object = {},
  application: 'qbd' | 'qbo' = 'qbd',
): ReturnType<typeof send> {
  return await send(customersOf(application), 'POST', { ID: '', Name: name, ...fields })
}

describe('an amount', () => {
  it.each<['qbd' | 'qbo', number, string | number]>([
    ['qbd', 90_071_992_547_409.9, '3040'],
    ['qbd', 10_000_000_000, '3040'],
    ['qbd', -10_000_000_000, '3040'],
    ['qbd', 1e21, '3040'],
    ['qbo', 90_071_992_547_409.9, 2090],
  ])('that exceeds the application’s limit is refused: %s, %d', async (application, Balance, code) => {
    const { Contents } = await insert('Test, Huge', { Balance }, application)
    expect(Contents[0]).toMatchObject({ Object: null, Errors: [{ Code: code }] })
    expect(Contents[0]?.Errors?.[0]?.Detail).toContain('9,999,999,999.99')
  })

  it('at the application’s limit keeps the books in balance', async () => {
    for (const [index, sign] of [1, 1, -1, 1].entries()) {
      const told = await insert(`Test, Large ${String(index)}`, { Balance: sign * 9_999_999_999.99 })
      expect(told.Contents[0]?.Object['Balance']).toBe(`${sign < 0 ? '-' : ''}9999999999.99`)
    }
    const [books] = await booksOf(service, KEY)
    if (books === undefined) throw new Error('There is no company in the sample')
    await checkAgreement(books, '2026-01-01', TODAY)
    await checkReceivables(books, TODAY)
  })
})

async function change(fields: object): ReturnType<typeof send> {
  return await send(customersOf('qbd'), 'PATCH', fields)
}

describe('a change', () => {
  it('isn’t stale if the time it was read is written differently', async () => {
    const read = (await insert('Test, Moment')).Contents[0]?.Object
    const moment = String(read?.['LastModifiedDate'])
    const answer = await change({
      ID: read?.['ID'],
      LastModifiedDate: moment.replace('+00:00', 'Z'),
      Phone: '1',
    })
    expect(answer.HasErrors).toBe(false)
    const late = await change({
      ID: read?.['ID'],
      LastModifiedDate: moment.replace('+00:00', 'Z'),
      Phone: '2',
    })
    expect(late.Contents[0]?.Errors?.[0]?.Code).toBe('3200')
  })
})

describe('levels under a record', () => {
  const line = async (names: readonly string[]): Promise<string[]> => {
    const ids: string[] = []
    for (const name of names) {
      const Parent = { ID: ids.at(-1) ?? '', FullName: '' }
      ids.push(String((await insert(name, { Parent })).Contents[0]?.Object['ID']))
    }
    return ids
  }

  it('end at the fifth, and the message names the parent’s level', async () => {
    const [first, , , , fifth] = await line(['A1', 'A2', 'A3', 'A4', 'A5'])
    const deeper = await insert('A6', { Parent: { ID: fifth, FullName: '' } })
    expect(deeper.Contents[0]?.Errors?.[0]?.Detail).toBe('The parent is on level 5 of 5.')
    const round = await change({ ID: first, Parent: { ID: fifth, FullName: '' } })
    expect(round.Contents[0]?.Errors?.[0]?.Detail).toBe('A record cannot be under itself.')
  })

  it('include the children of a moved record', async () => {
    const [top] = await line(['B1', 'B2', 'B3'])
    const [, , third] = await line(['C1', 'C2', 'C3'])
    const moved = await change({ ID: top, Parent: { ID: third, FullName: '' } })
    expect(moved.Contents[0]?.Errors?.[0]?.Detail).toBe(
      'The parent is on level 3 of 5, and 2 levels are under the record.',
    )
  })
})

describe('a name', () => {
  it.each([' Test, Blank', 'Test, Blank  ', 'test, blank '])(
    'counts as in use when written "%s"',
    async (name) => {
      await insert('Test, Blank')
      expect((await insert(name)).Contents[0]?.Errors?.[0]?.Code).toBe('3100')
    },
  )
})
