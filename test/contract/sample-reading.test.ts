// Reads that the sample refuses: invalid days and times, and objects that an application lacks. Also checks the
// sample's fields and reports against the program's definitions.
import { expect, it } from 'vitest'
import { definitionOf } from '../../electron/sample/records/definition.ts'
import { createSampleService } from '../../electron/sample/service.ts'
import { APPLICATIONS } from '../../shared/companies/companies.ts'
import { OBJECT_DEFINITIONS } from '../../shared/records/definition.ts'
import { reportNames } from '../../shared/reports/reports.ts'
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
])('%s is not a valid time', async (path) => {
  const [first] = service.state().companies
  expect(await codesOf(`data/${first?.endpointId ?? ''}/${path}`)).toEqual(['BadParameter'])
})

it('an object that the application lacks is refused in metadata as in a data call', async () => {
  const [first] = service.state().companies
  expect(await codesOf(`data/${first?.endpointId ?? ''}/currency`)).toEqual(['UnknownObject'])
  expect(await codesOf('meta/currency?app=qbd')).toEqual(['UnknownObject'])
  expect(await codesOf('meta/currency?app=qbo')).toEqual([])
})

it.each(OBJECT_DEFINITIONS)('$plural have the fields that the program knows', ({ object, fields }) => {
  const known = fields.map(({ name, type, editable }) => ({
    name,
    type: type === 'money' ? 'amount' : type,
    isReadOnly: editable === 'never',
  }))
  const sample = definitionOf(object)?.fields.map(({ name, type, readOnly = false }) => ({
    name,
    type,
    isReadOnly: readOnly,
  }))
  const byName = (left: { name: string }, right: { name: string }): number =>
    left.name < right.name ? -1 : 1
  expect(sample?.toSorted(byName)).toEqual(known.toSorted(byName))
})

it.each(APPLICATIONS)('%s has the reports that the program knows', async (application) => {
  const company = service.state().companies.find(({ endpoint }) => endpoint === application)
  const { Errors } = await send(service, KEY, `/v2/data/${company?.endpointId ?? ''}/selectReport?name=none`)
  const [, names = ''] = /^Reports: (.*)$/.exec(Errors?.[0]?.Detail ?? '') ?? []
  expect(names.split(', ').toSorted()).toEqual(reportNames(application).toSorted())
})
