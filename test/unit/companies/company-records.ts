/** Builders for a company as the service lists it and as it is stored. */
import { createCompanyListing } from '../../../electron/app/companies/listing.ts'
import type { CompanyRecord } from '../../../electron/service/companies/company-list.ts'
import type { ServiceClient } from '../../../electron/service/protocol/wire.ts'
import type { CompanyStore, StoredCompany } from '../../../electron/store/companies.ts'
import type { Writer } from '../../../electron/writing/writer.ts'
import { ok } from '../../../shared/result.ts'
import { standIn } from '../records/list/stand-in.ts'

export function record(endpointId: string, change: Partial<CompanyRecord> = {}): CompanyRecord {
  return {
    companyName: endpointId,
    fullPath: '',
    version: '',
    dateTimeCreated: '',
    dateTimeLastAccess: '',
    endpoint: 'qbd',
    endpointId,
    id: '',
    isActive: true,
    saysActive: true,
    userId: '',
    externalId: '',
    appName: '',
    isHostedNetworks: null,
    hasToken: false,
    ...change,
  }
}

export function stored(endpointId: string, listedBy: StoredCompany['listedBy'] = 'v2'): StoredCompany {
  const list = [record(endpointId)]
  const [company] = savedLists(listedBy === 'v1' ? [] : list, listedBy === 'v2' ? [] : list)
  if (company === undefined) throw new Error('No company was saved.')
  return company
}

/**
 * The companies as saved after both lists were read.
 * @param older `null` if the older list could not be read
 * @param before the companies that were saved already
 */
export function savedLists(
  current: readonly CompanyRecord[],
  older: readonly CompanyRecord[] | null,
  before: readonly StoredCompany[] = [],
): readonly StoredCompany[] {
  let saved: readonly StoredCompany[] = []
  const listing = createCompanyListing(
    {
      store: standIn<CompanyStore>({
        list: () => before,
        replaceListing: (_connectionId: string, companies: readonly StoredCompany[]) => {
          saved = companies
        },
      }),
      client: standIn<ServiceClient>({}),
      writer: () => standIn<Writer>({ deprovisionedByList: () => undefined }),
      announcer: { emit: () => undefined, notify: () => undefined },
      hasOlderService: () => Promise.resolve(ok(true)),
      hasOnlyOlderService: () => false,
    },
    () => '2026-03-01T09:00:00Z',
  )
  const read = { companies: current, isWhole: true, notice: '', requestId: '' }
  listing.updateFromLists('c', read, older && { companies: older, isWhole: true })
  return saved
}
