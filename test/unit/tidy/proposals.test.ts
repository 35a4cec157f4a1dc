// The proposals of all kept lists: a list is scanned again only if something has changed.
import { expect, test } from 'vitest'
import type { KeptBook } from '../../../electron/app/all-companies/kept-books.ts'
import { createTidy, type TidyOptions } from '../../../electron/app/all-companies/tidy.ts'
import type { StoredCompany } from '../../../electron/store/companies.ts'
import { ok } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import { standIn } from '../records/list/stand-in.ts'

test('are remembered until the list changes', async () => {
  const company = { connectionId: 'c', endpointId: 'e' }
  const bookOf = (readAt: string) =>
    standIn<KeptBook>({ ...{ company, object: 'customer', readAt, count: 1 }, supported: ['Name'] })
  let book = bookOf('2026-11-20T09:00:00Z')
  let scans = 0
  const tidy = createTidy(
    standIn<TidyOptions>({
      books: standIn<TidyOptions['books']>({
        prepare: () => Promise.resolve({ books: [book], waiting: 0 }),
        withList: (_company: unknown, _object: unknown, use: (list: object) => Promise<unknown>) =>
          use({ meta: { supported: ['Name'] }, setId: 's' }),
      }),
      rows: {
        tidy: () => {
          scans += 1
          return Promise.resolve(ok({ proposals: [], more: [], notChecked: [] }))
        },
      },
      companies: { facts: () => null },
      store: {
        companies: {
          list: () => [
            standIn<StoredCompany>({
              ...{ ref: company, label: 'Alder', companyName: '', fullPath: '' },
              ...{ isActive: true, isListed: true },
            }),
          ],
        },
        drafts: { list: () => [] },
        months: { decisions: () => [] },
      },
      timestamp: () => '2026-11-27T09:00:00Z',
    }),
  )
  const listed = async () =>
    value(await tidy['tidy.proposals']({ connectionId: 'c', after: null })).lists.length
  expect([await listed(), await listed(), scans]).toEqual([1, 1, 1])
  book = bookOf('2026-11-27T09:00:00Z')
  expect([await listed(), scans]).toEqual([1, 2])
})
