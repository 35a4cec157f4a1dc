// What the sample refuses to write, and why: each record on its own, in words that fit.
import { beforeEach, describe, expect, it } from 'vitest'
import { createSampleService, type SampleService } from '../../electron/sample/service.ts'
import { booksOf, checkAgreement, checkReceivables } from './books-agreement.ts'

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

interface Trouble {
  readonly Code: string | number
  readonly Message: string
  readonly Detail: string
}
interface Told {
  readonly HasErrors: boolean
  readonly Errors: readonly Trouble[] | null
  readonly Contents: readonly {
    readonly Object: Readonly<Record<string, unknown>> | null
    readonly Errors: readonly Trouble[] | null
  }[]
}

async function send(path: string, method = 'GET', body?: unknown): Promise<Told> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const request = new Request(`http://sample.example${path}`, {
    method,
    headers: { 'x-api-key': KEY },
    ...init,
  })
  return (await (await service.handle(request)).json()) as Told
}

/** The list of customers of the first company of an application. */
function customersOf(application: 'qbd' | 'qbo'): string {
  const found = service.state().companies.find(({ endpoint }) => endpoint === application)
  return `/v2/data/${found?.endpointId ?? ''}/customer`
}

async function insert(name: string, fields: object = {}, application: 'qbd' | 'qbo' = 'qbd'): Promise<Told> {
  return await send(customersOf(application), 'POST', { ID: '', Name: name, ...fields })
}

describe('an amount', () => {
  it.each<['qbd' | 'qbo', number, string | number]>([
    ['qbd', 90_071_992_547_409.9, '3040'],
    ['qbd', 10_000_000_000, '3040'],
    ['qbd', -10_000_000_000, '3040'],
    ['qbd', 1e21, '3040'],
    ['qbo', 90_071_992_547_409.9, 2090],
  ])('beyond what an application takes is refused: %s, %d', async (application, Balance, code) => {
    const { Contents } = await insert('Test, Huge', { Balance }, application)
    expect(Contents[0]).toMatchObject({ Object: null, Errors: [{ Code: code }] })
    expect(Contents[0]?.Errors?.[0]?.Detail).toContain('9,999,999,999.99')
  })

  it('as large as an application takes leaves the books in balance', async () => {
    for (const [index, sign] of [1, 1, -1, 1].entries()) {
      const told = await insert(`Test, Large ${String(index)}`, { Balance: sign * 9_999_999_999.99 })
      expect(told.Contents[0]?.Object?.['Balance']).toBe(`${sign < 0 ? '-' : ''}9999999999.99`)
    }
    const [books] = await booksOf(service, KEY)
    if (books === undefined) throw new Error('There is no company in the sample')
    await checkAgreement(books, '2026-01-01', TODAY)
    await checkReceivables(books, TODAY)
  })
})
