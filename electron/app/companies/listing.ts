/**
 * Reads the list of companies from the service and from the older service beside it, saves it, and returns it.
 */
import { BANDS } from '../../../shared/companies/bands.ts'
import { applicationName, companyIdKey } from '../../../shared/companies/companies.ts'
import type { Band, Company, Unfinished } from '../../../shared/contract/companies.ts'
import type { CallOutput } from '../../../shared/contract/contract.ts'
import { type AppError, err, ok, type Result } from '../../../shared/result.ts'
import {
  type CompanyList,
  type CompanyRecord,
  EMPTY_LIST,
  type LegacyCompanyList,
  readCompanyList,
  readLegacyCompanyList,
} from '../../service/companies/company-list.ts'
import { type ServiceClient, serviceRequest, type SlotRequest } from '../../service/protocol/wire.ts'
import type { CompanyStore, StoredCompany } from '../../store/companies.ts'
import { resultOf } from '../../store/database.ts'
import type { Writer } from '../../writing/writer.ts'
import type { Announcer } from '../ports.ts'

export interface CompanyListingOptions {
  readonly store: CompanyStore
  readonly client: ServiceClient
  readonly writer: () => Writer
  readonly announcer: Announcer
  /** Whether a connection has an older service that can be used. */
  readonly hasOlderService: (connectionId: string) => Promise<Result<boolean>>
  /** Whether a connection has only an older service. */
  readonly hasOnlyOlderService: (connectionId: string) => boolean
}

export interface CompanyListing {
  /** The list as saved. Sends no request. */
  list(connectionId: string): CallOutput<'companies.list'>
  /**
   * Reads from the service, then from the older one. A failure of the older one doesn't hide the current list.
   */
  refresh(connectionId: string): Promise<Result<CallOutput<'companies.refresh'>>>
  /**
   * Saves lists that were just read. Returns how many companies they have together.
   * @param older `null` if it was not read: what it listed before stays
   */
  updateFromLists(connectionId: string, list: CurrentList, older: LegacyCompanyList | null): number
  /** Saves company records that another read returned: a connection's whole list, or single companies. */
  mergeCompanies(connectionId: string, records: readonly CompanyRecord[], isWholeList: boolean): void
  withUnfinished(companies: readonly StoredCompany[], connectionId: string): Company[]
}

type CurrentList = Pick<CompanyList, 'companies' | 'isWhole' | 'notice' | 'requestId'>

const NOTHING_UNFINISHED: Unfinished = {
  drafts: 0,
  notAccepted: 0,
  notConfirmed: 0,
  decisions: 0,
  changedMeanwhile: 0,
}

/** @param now ISO time */
export function createCompanyListing(options: CompanyListingOptions, now: () => string): CompanyListing {
  const { store, client, announcer } = options
  /** Why the older service's list could not be read last time, by connection. Not saved. */
  const legacyErrors = new Map<string, AppError>()
  /** Notices that came with the service's last list, by connection. Not saved. */
  const notices = new Map<string, string>()

  const withUnfinished = (companies: readonly StoredCompany[], connectionId: string): Company[] => {
    const counts = options.writer().unfinishedCounts(connectionId)
    return companies.map((company) => ({
      ...company,
      unfinished: counts.get(company.ref.endpointId) ?? NOTHING_UNFINISHED,
    }))
  }

  const list: CompanyListing['list'] = (connectionId) => {
    const stored = store.list(connectionId)
    const companies = withUnfinished(stored, connectionId)
    const last = store.lastListing(connectionId)
    const legacyError = legacyErrors.get(connectionId) ?? null
    return {
      companies: companies,
      readAt: last?.readAt ?? null,
      isWhole: last?.isWhole ?? true,
      notice: notices.get(connectionId) ?? '',
      legacyError,
    }
  }

  const listed: CompanyListing['updateFromLists'] = (connectionId, current, older) => {
    const before = store.list(connectionId)
    const both = mergeLists(current.companies, older?.companies ?? null, before)
    const kept = knownById(
      before,
      both.listed.map(({ record }) => record.endpointId),
    )
    const companies = [
      ...both.listed.map((each, index) =>
        toStored(connectionId, each, kept(each.record.endpointId), before.length + index),
      ),
      ...both.standing,
    ]
    const isWhole = current.isWhole && (older?.isWhole ?? true)
    store.replaceListing(connectionId, companies, now(), isWhole)
    notices.set(connectionId, current.notice)
    if (older !== null) legacyErrors.delete(connectionId)
    announcer.emit('companies.changed', { connectionId })
    options.writer().deprovisionedByList(connectionId, 'v2', current)
    if (older !== null) {
      // The older envelope has no RequestId (specification 2.6).
      const { companies: records } = older
      options.writer().deprovisionedByList(connectionId, 'v1', { companies: records, requestId: '' })
    }
    return companies.length
  }

  const putOne = (connectionId: string, record: CompanyRecord): void => {
    const known = store.list(connectionId)
    const before = knownById(known, [])(record.endpointId)
    store.put(toStored(connectionId, { record, listedBy: before?.listedBy ?? 'v2' }, before, known.length))
  }

  /** Tries once, so that no one waits for a silent older service again and again. Returns `null` on failure. */
  const readOlder = async (connectionId: string): Promise<LegacyCompanyList | null> => {
    const usable = await options.hasOlderService(connectionId)
    if (usable.ok && !usable.value) return { companies: [], isWhole: true }
    const read = usable.ok
      ? await client.read(
          { ...request(connectionId, 'Listing the companies of the older service'), service: 'v1' },
          (wire) => readLegacyCompanyList(wire),
          { tries: 1 },
        )
      : usable
    if (read.ok) return read.value
    legacyErrors.set(connectionId, read.error)
    return null
  }

  return {
    list,
    updateFromLists: listed,
    withUnfinished,
    async refresh(connectionId) {
      const hasOnlyOlderService = options.hasOnlyOlderService(connectionId)
      const current = hasOnlyOlderService
        ? ok(EMPTY_LIST)
        : await client.read(request(connectionId, 'Listing the companies'), (wire) => readCompanyList(wire))
      if (!current.ok) return current
      // Show it now: the older service may be slow.
      listed(connectionId, current.value, null)
      const older = await readOlder(connectionId)
      const legacyError = legacyErrors.get(connectionId)
      if (hasOnlyOlderService && older === null && legacyError !== undefined) return err(legacyError)
      listed(connectionId, current.value, older)
      return ok(list(connectionId))
    },
    mergeCompanies(connectionId, records, isWholeList) {
      // These came from another read. If they can't be saved now, the next list has them.
      resultOf(() => {
        if (isWholeList) {
          listed(connectionId, { companies: records, isWhole: true, notice: '', requestId: '' }, null)
        } else for (const record of records) putOne(connectionId, record)
      })
      if (!isWholeList) announcer.emit('companies.changed', { connectionId })
    },
  }
}

function request(connectionId: string, what: string): SlotRequest {
  return serviceRequest({ connectionId, what, isWrite: false, priority: 'interactive' })
}

// Merges the lists of the service and of the older one with the user's notes. Pure functions.

/** A listed company, and which service listed it. */
interface ListedRecord {
  readonly record: CompanyRecord
  readonly listedBy: StoredCompany['listedBy']
}

/**
 * Merges two lists by endpoint ID, ignoring case, since the two services spell IDs differently. If both list a company,
 * the current service's record is used.
 * @param older `null` if the older list could not be read: what it listed before stays
 */
function mergeLists(
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
 * Finds the company that a record belongs to: by its exact ID, otherwise ignoring case.
 * @param listed IDs in the list. A company whose exact ID is listed matches no other record.
 */
function knownById(
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
 * Combines the service's record with the user's notes.
 * @param index position in the list, which decides a new company's color
 */
function toStored(
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
    keepsLists: before?.keepsLists ?? true,
    favorite: before?.favorite ?? false,
    openedAt: before?.openedAt ?? '',
    ref,
    // Drafts and the journal use the first known spelling. Requests use the service's current one.
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
    // Tokens come from the current service, which has none for a company that only the older one lists.
    hasToken: record.hasToken && listedBy !== 'v1',
  }
}

function bandFor(index: number): Band {
  return BANDS[index % BANDS.length] ?? 'graphite'
}
