// Comparing records of several companies: whose records use up the room, and what is counted.
import { expect, test } from 'vitest'
import { type CompareOptions, ListComparer } from '../../../electron/app/all-companies/compare.ts'
import type { KeptBook, OpenList } from '../../../electron/app/all-companies/kept-books.ts'
import type { StoredCompany } from '../../../electron/store/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { MAX_CHANGED } from '../../../shared/runs.ts'
import { value } from '../../result.ts'
import { standIn } from '../records/list/stand-in.ts'

type UsesList = (list: OpenList) => Promise<unknown>

/** Companies with as many customers on Net 60 as they say, and nobody else. */
function comparerOf(
  companies: readonly {
    readonly name: string
    readonly customers: number
    readonly isReadOnly?: boolean
    readonly supported?: readonly string[]
  }[],
): ListComparer {
  const refOf = (endpointId: string) => ({ connectionId: 'c', endpointId })
  const books = companies.map(({ name, supported = ['Name', 'Terms'] }) =>
    standIn<KeptBook>({
      ...{ company: refOf(name), object: 'customer', supported, readAt: '2026-11-20T09:00:00Z' },
      indexId: null,
    }),
  )
  const listOf = (endpointId: string): OpenList => {
    const { customers = 0 } = companies.find(({ name }) => name === endpointId) ?? {}
    const recordIds = Array.from({ length: customers }, (_, at) => String(at))
    return standIn<OpenList>({
      records: (ids: readonly string[]) => Promise.resolve(ids.map((ID) => ({ ID, Name: ID }))),
      async *values() {
        yield await Promise.resolve([{ value: { ID: '', FullName: 'Net 60' }, recordIds }])
      },
    })
  }
  return new ListComparer(
    standIn<CompareOptions>({
      books: standIn<CompareOptions['books']>({
        prepared: () => Promise.resolve(books),
        withList: (company: CompanyRef, _object: string, use: UsesList) => use(listOf(company.endpointId)),
      }),
      companies: {
        facts: ({ endpointId }: CompanyRef) => ({
          ...{ isKnown: true, isActive: true, isReachable: true },
          isReadOnly: companies.some(({ name, isReadOnly }) => name === endpointId && isReadOnly === true),
        }),
      },
      store: {
        companies: {
          list: () =>
            companies.map(({ name }) =>
              standIn<StoredCompany>({
                ...{ ref: refOf(name), label: name, companyName: name, fullPath: '' },
                ...{ isActive: true, isListed: true, keepsLists: true },
              }),
            ),
        },
        drafts: { list: () => [] },
      },
    }),
  )
}

const NET_60 = { by: 'value', path: 'Terms', value: { ID: '', FullName: 'Net 60' } } as const

/** Of each company: how many records are compared, and how many there are. */
async function counts(comparer: ListComparer, last: readonly string[] = []) {
  const { companies } = value(await comparer.compare('c', 'customer', NET_60, last))
  return companies.map(({ company, records, total }) => [company.endpointId, records.length, total])
}

test('companies in which nothing can be changed use only the space that the others leave', async () => {
  const comparer = comparerOf([
    { name: 'Alder', customers: MAX_CHANGED, isReadOnly: true },
    { name: 'Birch', customers: MAX_CHANGED, supported: ['Name'] },
    { name: 'Cedar', customers: MAX_CHANGED },
    { name: 'Dune', customers: 10 },
    { name: 'Elm', customers: MAX_CHANGED - 110 },
  ])
  expect(await counts(comparer, ['Cedar'])).toEqual([
    ['Alder', 100, MAX_CHANGED],
    ['Birch', 0, MAX_CHANGED],
    ['Cedar', 0, MAX_CHANGED],
    ['Dune', 10, 10],
    ['Elm', MAX_CHANGED - 110, MAX_CHANGED - 110],
  ])
})

test('a company beyond the limit is not counted among those without such records', async () => {
  const comparer = comparerOf([
    { name: 'Alder', customers: MAX_CHANGED + 1 },
    { name: 'Birch', customers: 2 },
    { name: 'Cedar', customers: 0 },
  ])
  expect(await counts(comparer)).toEqual([
    ['Alder', MAX_CHANGED, MAX_CHANGED + 1],
    ['Birch', 0, 2],
    ['Cedar', 0, 0],
  ])
})
