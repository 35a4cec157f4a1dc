// What the sample refuses to read: days and times that there are not, objects that an application has not.
import { expect, it } from 'vitest'
import { createSampleService } from '../../electron/sample/service.ts'
import { send } from './books-agreement.ts'

const KEY = 'a-key'
const service = createSampleService({ key: KEY, today: '2026-03-31', customers: 10, volume: 0.1 })

async function codesOf(path: string): Promise<unknown> {
  const { Errors } = await send(service, KEY, `/v2/${path}`)
  return (Errors ?? []).map((error) => error.Code)
}

it.each([
  'customer?modTimeStart=2026-02-30T00:00:00Z',
  'customer?modTimeEnd=2026-02-01T99:00:00Z',
  'customer?modTimeEnd=2026-02-01T00:00:00%2B99:00',
  'selectReport?name=TrialBalance&modTimeStart=2026-02-30T00:00:00&modTimeEnd=2026-03-01T00:00:00',
  'selectReport?name=TrialBalance&modTimeStart=2026-02-01T99:00:00&modTimeEnd=2026-03-01T00:00:00',
])('%s is no moment', async (path) => {
  const [first] = service.state().companies
  expect(await codesOf(`data/${first?.endpointId ?? ''}/${path}`)).toEqual(['BadParameter'])
})

it('an object that the application has not is refused in metadata as in a data call', async () => {
  const [first] = service.state().companies
  expect(await codesOf(`data/${first?.endpointId ?? ''}/currency`)).toEqual(['UnknownObject'])
  expect(await codesOf('meta/currency?app=qbd')).toEqual(['UnknownObject'])
  expect(await codesOf('meta/currency?app=qbo')).toEqual([])
})
