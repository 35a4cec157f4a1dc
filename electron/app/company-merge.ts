/** A list of the service, and of the older one beside it, put together with what is ours. Values only. */
import { applicationName, companyIdKey } from '../../shared/companies/companies.ts'
import { BANDS, type Band } from '../../shared/contract/companies.ts'
import type { CompanyRecord } from '../service/company-records.ts'
import type { StoredCompany } from '../store/store.ts'

/** A company that was listed, and by which interface. */
export interface ListedRecord {
  readonly record: CompanyRecord
  readonly listedBy: StoredCompany['listedBy']
}

/**
 * Two lists as one, by endpoint id without its case: the two services do not write ids alike. What both list is told as the current service tells it.
 * @param older `null`: the older list could not be read, so what it listed before stands
 */
export function mergeLists(
  current: readonly CompanyRecord[],
  older: readonly CompanyRecord[] | null,
  before: readonly StoredCompany[],
): { readonly listed: readonly ListedRecord[]; readonly standing: readonly StoredCompany[] } {
  const ids = new Set(current.map(({ endpointId }) => companyIdKey(endpointId)))
  const onOlder = new Set(
    older === null
      ? before.filter(isOnOlder).map(({ ref }) => companyIdKey(ref.endpointId))
      : older.map(({ endpointId }) => companyIdKey(endpointId)),
  )
  const listed = [
    ...current.map((record) => ({
      record,
      listedBy: onOlder.has(companyIdKey(record.endpointId)) ? ('both' as const) : ('v2' as const),
    })),
    ...(older ?? [])
      .filter(({ endpointId }) => !ids.has(companyIdKey(endpointId)))
      .map((record) => ({ record, listedBy: 'v1' as const })),
  ]
  const standing =
    older === null
      ? before
          .filter((company) => isOnOlder(company) && !ids.has(companyIdKey(company.ref.endpointId)))
          .map((company) => ({ ...company, listedBy: 'v1' as const }))
      : []
  return { listed, standing }
}

/**
 * Finds the company that a record is of: by its id as it is written, else without its case.
 * @param listed ids as the list has them: a company that stands there itself is no other one's
 */
export function knownById(
  known: readonly StoredCompany[],
  listed: readonly string[],
): (endpointId: string) => StoredCompany | undefined {
  const standing = new Set(listed)
  const asWritten = new Map(known.map((company) => [company.ref.endpointId, company]))
  const withoutCase = new Map(
    known
      .filter(({ ref }) => !standing.has(ref.endpointId))
      .map((company) => [companyIdKey(company.ref.endpointId), company]),
  )
  return (endpointId) => asWritten.get(endpointId) ?? withoutCase.get(companyIdKey(endpointId))
}

function isOnOlder(company: StoredCompany): boolean {
  return company.isListed && company.listedBy !== 'v2'
}

/**
 * A company as the service lists it, with what is ours about it kept.
 * @param index its place among all, for the colour of a new one
 */
export function toStored(
  connectionId: string,
  { record, listedBy }: ListedRecord,
  before: StoredCompany | undefined,
  index: number,
): StoredCompany {
  const ref = before?.ref ?? { connectionId, endpointId: record.endpointId }
  return {
    label: before?.label ?? '',
    initials: before?.initials ?? '',
    band: before?.band ?? bandFor(index),
    notes: before?.notes ?? '',
    fiscalYearStart: before?.fiscalYearStart ?? 1,
    basis: before?.basis ?? 'unknown',
    readOnly: before?.readOnly ?? false,
    favourite: before?.favourite ?? false,
    openedAt: before?.openedAt ?? '',
    ref,
    // Drafts and the journal hang on the spelling that was known first; the service is asked by its own.
    ...(record.endpointId === ref.endpointId ? {} : { listedAs: record.endpointId }),
    companyName: record.companyName,
    application: record.endpoint,
    applicationName: applicationName(record.endpoint),
    fullPath: record.fullPath,
    version: record.version,
    createdAt: record.dateTimeCreated,
    lastAccessAt: record.dateTimeLastAccess,
    isActive: record.isActive,
    userId: record.userId,
    recordId: record.id,
    externalId: record.externalId,
    appName: record.appName,
    isHosted: record.isHostedNetworks,
    listedBy,
    isListed: true,
    // A token is read from the current service, which has none of a company that only the older one lists.
    hasToken: record.hasToken && listedBy !== 'v1',
  }
}

function bandFor(index: number): Band {
  return BANDS[index % BANDS.length] ?? 'graphite'
}
