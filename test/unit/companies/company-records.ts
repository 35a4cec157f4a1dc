/** Builders for a company as the service lists it and as it is stored. */
import { toStored } from '../../../electron/app/companies/listing.ts'
import type { CompanyRecord } from '../../../electron/service/companies/company-list.ts'
import type { StoredCompany } from '../../../electron/store/companies.ts'

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
  return toStored('c', { record: record(endpointId), listedBy }, undefined, 0)
}
