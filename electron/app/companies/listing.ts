/** The list of companies: asked of the service, and of the older one beside it, taken over and told. */
import { applicationName, companyIdKey } from '../../../shared/companies/companies.ts'
import { BANDS, type Band, type Company, type Unfinished } from '../../../shared/contract/companies.ts'
import type { CallAnswer } from '../../../shared/contract/contract.ts'
import { type AppError, type Result, err, ok } from '../../../shared/result.ts'
import {
  type CompanyList,
  type CompanyRecord,
  EMPTY_LIST,
  type LegacyCompanyList,
  readCompanyList,
  readLegacyCompanyList,
} from '../../service/companies/company-list.ts'
import { type ServiceClient, type SlotRequest, serviceRequest } from '../../service/protocol/wire.ts'
import { resultOf } from '../../store/database.ts'
import type { CompanyStore, StoredCompany } from '../../store/companies.ts'
import type { Writer } from '../../writing/writer.ts'
import type { Announcer } from '../ports.ts'

export interface CompanyListingOptions {
  readonly store: CompanyStore
  readonly client: ServiceClient
  readonly writer: () => Writer
  readonly announcer: Announcer
  /** Whether a connection has an older service that can be asked. */
  readonly olderService: (connectionId: string) => Promise<Result<boolean>>
  /** Whether it has no other one. */
  readonly isOlderAlone: (connectionId: string) => boolean
}

export interface CompanyListing {
  /** As known; nothing is asked of the service. */
  list(connectionId: string): CallAnswer<'companies.list'>
  /** Asks the service, then the older one; what is wrong with the older one hides nothing of the other. */
  refresh(connectionId: string): Promise<Result<CallAnswer<'companies.refresh'>>>
  /**
   * Takes over lists that have been read; answers how many companies they have together.
   * @param older `null` when it was not read: what it listed before stands
   */
  updateFromLists(connectionId: string, list: CurrentList, older: LegacyCompanyList | null): number
  /** Takes over records that came by elsewhere: all of the connection, or single ones. */
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
  /** Why the older service's list was not read the last time, by connection; of this run only. */
  const legacyErrors = new Map<string, AppError>()
  /** What the service said beside its list the last time, by connection; of this run only. */
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

  /** One try: a silent older service is not waited for again and again. `null` where it could not be read. */
  const readOlder = async (connectionId: string): Promise<LegacyCompanyList | null> => {
    const usable = await options.olderService(connectionId)
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
      const isOlderAlone = options.isOlderAlone(connectionId)
      const current = isOlderAlone
        ? ok(EMPTY_LIST)
        : await client.read(request(connectionId, 'Listing the companies'), (wire) => readCompanyList(wire))
      if (!current.ok) return current
      // Shown at once: the older service may take its time.
      listed(connectionId, current.value, null)
      const older = await readOlder(connectionId)
      const legacyError = legacyErrors.get(connectionId)
      if (isOlderAlone && older === null && legacyError !== undefined) return err(legacyError)
      listed(connectionId, current.value, older)
      return ok(list(connectionId))
    },
    mergeCompanies(connectionId, records, isWholeList) {
      // Read for another reason: the next list brings what can't be kept of it now.
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
  return serviceRequest({ connectionId, what, isWrite: false, priority: 'person' })
}

// A list of the service, and of the older one beside it, put together with what is ours. Values only.

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
