/**
 * Companies: the service's list, the user's notes, testing, provisioning, de-provisioning, and the agent token.
 */
import { displayName } from '../../../shared/companies/companies.ts'
import type { LogEntry } from '../../../shared/contract/activity.ts'
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import {
  type CompanyList,
  type CompanyRecord,
  type LegacyCompanyList,
  readCompanyToken,
} from '../../service/companies/company-list.ts'
import type { ServiceClient, Wire } from '../../service/protocol/wire.ts'
import { type CompanyStore, type StoredCompany, UNKNOWN_COMPANY } from '../../store/companies.ts'
import { resultOf } from '../../store/database.ts'
import type { SetupDraftStore } from '../../store/journal/companies.ts'
import type { CompanyDirectory } from '../../writing/context.ts'
import type { Writer } from '../../writing/writer.ts'
import { defined, type HandlersOf } from '../calls.ts'
import type { Announcer, Clipboard, SaveDialog, SettingsStore } from '../ports.ts'
import type { KeptLists } from '../records/kept-lists.ts'
import { createCompanyTests, type LongRead, type ProbeWhen, type TestOptions } from './company-tests.ts'
import { createCompanyListing } from './listing.ts'
import { createAgentToken, createSetups } from './setups.ts'

export interface CompaniesOptions {
  readonly settings: SettingsStore
  readonly store: CompanyStore
  readonly setupDrafts: SetupDraftStore
  readonly client: ServiceClient
  readonly writer: () => Writer
  /** Whether a connection has an older service that can be used. */
  readonly hasOlderService: (connectionId: string) => Promise<Result<boolean>>
  readonly hasOnlyOlderService: (connectionId: string) => boolean
  readonly clipboard: Clipboard
  readonly dialog: SaveDialog
  readonly keptLists: Pick<KeptLists, 'forget'>
  /** Called after the start of a company’s fiscal year has changed. */
  readonly onFiscalYear: (company: StoredCompany) => Promise<void>
  readonly announcer: Announcer
  readonly clock: Clock
}

export interface Companies extends CompanyDirectory {
  readonly handlers: HandlersOf<'companies'>
  /** Saves lists that were just read. Returns how many companies they have together. */
  readonly updateFromLists: (
    connectionId: string,
    list: CompanyList,
    older: LegacyCompanyList | null,
  ) => number
  /** Saves company records that another read returned: a connection's whole list, or single companies. */
  readonly mergeCompanies: (
    connectionId: string,
    records: readonly CompanyRecord[],
    isWholeList: boolean,
  ) => void
  /** Returns the company, or an error if it is unknown. */
  readonly find: (ref: CompanyRef) => Result<StoredCompany>
  /** Tests with one small read whether the company answers. */
  readonly test: (ref: CompanyRef, testOptions: TestOptions) => Promise<Result<TestOutcome>>
  /** Called after each request. */
  readonly onRequestLogged: (entry: LogEntry) => void
  /**
   * Checks before a long read that the company answers. Sends a request only if it hasn't answered for a while.
   */
  readonly probe: (ref: CompanyRef, object: string) => Promise<Result<void>>
  /** Makes a small read before a long one where that is worthwhile. */
  readonly withProbe: <T>(ref: CompanyRef, object: string, when: ProbeWhen, read: LongRead<T>) => LongRead<T>
  /** Clears a token that is still on the clipboard. Called on quit. */
  readonly clearClipboard: () => Promise<void>
}

export function createCompanies(options: CompaniesOptions): Companies {
  const { store, client, announcer, clock } = options

  const listing = createCompanyListing(options, () => timestamp(clock))
  const tests = createCompanyTests(client, clock)
  const token = createAgentToken(options.clipboard, clock)

  const known = (ref: CompanyRef): Result<StoredCompany> => {
    const found = store.get(ref)
    return found === null ? err(UNKNOWN_COMPANY) : ok(found)
  }

  return {
    updateFromLists: listing.updateFromLists,
    mergeCompanies: listing.mergeCompanies,
    onRequestLogged: tests.onRequestLogged,
    withProbe(ref, object, when, read) {
      const found = known(ref)
      return found.ok ? tests.withProbe(found.value, object, when, read) : read
    },
    find: known,
    async test(ref, testOptions) {
      const found = known(ref)
      return found.ok ? tests.test(found.value, testOptions) : found
    },
    async probe(ref, object) {
      const found = known(ref)
      return found.ok ? tests.probe(found.value, object) : found
    },
    async clearClipboard() {
      await token.clear()
    },
    facts(ref) {
      const found = resultOf(() => store.get(ref))
      if (!found.ok || found.value === null) return null
      return {
        application: found.value.application,
        displayName: displayName(found.value),
        isReadOnly: found.value.readOnly,
        isActive: found.value.isActive,
      }
    },
    handlers: {
      'companies.list': ({ connectionId }) => ok(listing.list(connectionId)),

      'companies.refresh': ({ connectionId }) => listing.refresh(connectionId),

      'companies.annotate': async ({ company, notes }) => {
        const before = known(company)
        store.annotate(company, defined(notes))
        if (notes.keepsLists === false) await options.keptLists.forget(company)
        const found = known(company)
        if (!found.ok) return found
        if (before.ok && before.value.fiscalYearStart !== found.value.fiscalYearStart)
          await options.onFiscalYear(found.value)
        announcer.emit('companies.changed', { connectionId: company.connectionId })
        const whole = listing.withUnfinished([found.value], company.connectionId)
        const [only] = whole
        return only === undefined ? err(UNKNOWN_COMPANY) : ok(only)
      },

      'companies.opened': ({ company }) => {
        store.opened(company, timestamp(clock))
        const kept = options.settings.set({ lastCompany: company })
        if (!kept.ok) return kept
        announcer.emit('companies.changed', { connectionId: company.connectionId })
        return ok({})
      },

      'companies.test': ({ company }) => {
        const found = known(company)
        return found.ok ? tests.test(found.value) : found
      },

      'companies.copyToken': async ({ company }) => {
        const found = known(company)
        if (!found.ok) return found
        const read = await client.read(
          {
            connectionId: company.connectionId,
            company,
            companyName: displayName(found.value),
            what: 'Getting the agent token',
            isWrite: false,
            priority: 'interactive',
            batchId: '',
          },
          (wire) => readCompanyToken(wire, company.endpointId),
        )
        return read.ok ? ok(await token.copy(read.value)) : read
      },

      'companies.clearToken': () => token.clear(),

      ...createSetups({ ...options, now: () => timestamp(clock) }),
    },
  }
}

/*
 * Requests use a company's ID as the service spells it now. Locally, a company keeps the first known spelling, because
 * drafts and the journal refer to it. A service may change the spelling later, the older and the current service may
 * spell it differently, and neither has to accept the other's.
 */

/** The company's ID as the service spells it now. */
export function listedId(store: Pick<CompanyStore, 'get'>, company: CompanyRef): string {
  const found = resultOf(() => store.get(company))
  return (found.ok ? found.value?.listedAs : undefined) ?? company.endpointId
}

/** Wraps a client so that its data calls use the IDs that the service lists. */
export function withListedIds(client: ServiceClient, idOf: (company: CompanyRef) => string): ServiceClient {
  const translated = (wire: Wire, connectionId: string): Wire => {
    const listed = (endpointId: string): string => idOf({ connectionId, endpointId })
    return {
      ...wire,
      readRecords: (endpointId, ...rest) => wire.readRecords(listed(endpointId), ...rest),
      selectReport: (endpointId, ...rest) => wire.selectReport(listed(endpointId), ...rest),
      insertRecords: (endpointId, ...rest) => wire.insertRecords(listed(endpointId), ...rest),
      changeRecords: (endpointId, ...rest) => wire.changeRecords(listed(endpointId), ...rest),
    }
  }
  return {
    withSlot: (request, work, busyOf) =>
      client.withSlot(request, (wire) => work(translated(wire, request.connectionId)), busyOf),
    read: (request, work, options) =>
      client.read(request, (wire) => work(translated(wire, request.connectionId)), options),
  }
}
