/**
 * Companies: the service's list, the user's notes, testing, provisioning, de-provisioning, and the agent token.
 */
import { displayName, companyKey } from '../../../shared/companies/companies.ts'
import type { LogEntry } from '../../../shared/contract/activity.ts'
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { appError, err, ok, type Result, type AppError, type ErrorKind } from '../../../shared/result.ts'
import {
  type CompanyList,
  type CompanyRecord,
  type LegacyCompanyList,
  readCompanyToken,
} from '../../service/companies/company-list.ts'
import type { ServiceClient, Wire, Decoder, Numbered, SlotRequest } from '../../service/protocol/wire.ts'
import { resultOf } from '../../store/database.ts'
import type { CompanyStore, StoredCompany } from '../../store/companies.ts'
import type { SetupDraftStore } from '../../store/journal/companies.ts'
import type { CompanyDirectory } from '../../writing/context.ts'
import type { Writer } from '../../writing/writer.ts'
import { createAgentToken, createSetups } from './setups.ts'
import { createCompanyListing } from './listing.ts'
import { type HandlersOf, defined } from '../calls.ts'
import { type Clock, timestamp } from '../../clock.ts'
import type { Announcer, Clipboard, SaveDialog, SettingsStore } from '../ports.ts'
import type { KeptLists } from '../records/kept-lists.ts'
import { listName } from '../../../shared/records/definition.ts'
import { decodeEnvelope, member, scalarText } from '../../service/protocol/envelope.ts'
import { isNothingMatched, translateReadErrors } from '../../service/errors/service-errors.ts'
import { DEADLINE } from '../../service/errors/failures.ts'

export interface CompaniesOptions {
  readonly settings: SettingsStore
  readonly store: CompanyStore
  readonly setupDrafts: SetupDraftStore
  readonly client: ServiceClient
  readonly writer: () => Writer
  /** Whether a connection has an older service that can be used. */
  readonly olderService: (connectionId: string) => Promise<Result<boolean>>
  readonly isOlderAlone: (connectionId: string) => boolean
  readonly clipboard: Clipboard
  readonly dialog: SaveDialog
  readonly keptLists: Pick<KeptLists, 'forget'>
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
  readonly test: (ref: CompanyRef, manner: TestOptions) => Promise<Result<TestOutcome>>
  /** Called after each request. */
  readonly onRequestLogged: (entry: LogEntry) => void
  /**
   * Checks before a long operation that the company answers. Sends a request only if it hasn't answered for a while.
   */
  readonly probe: (ref: CompanyRef, object: string) => Promise<Result<void>>
  /** Precedes a long read with a small one where that is worthwhile. */
  readonly withProbe: <T>(
    ref: CompanyRef,
    object: string,
    worth: ProbeWhen,
    operation: LongRead<T>,
  ) => LongRead<T>
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
    if (found === null) {
      return err(appError('not-found', 'Bookbridge doesn’t know this company.', 'Refresh the company list.'))
    }
    return ok(found)
  }

  return {
    updateFromLists: listing.updateFromLists,
    mergeCompanies: listing.mergeCompanies,
    onRequestLogged: tests.onRequestLogged,
    withProbe(ref, object, worth, operation) {
      const found = known(ref)
      return found.ok ? tests.withProbe(found.value, object, worth, operation) : operation
    },
    find: known,
    async test(ref, manner) {
      const found = known(ref)
      return found.ok ? tests.test(found.value, manner) : found
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
        store.annotate(company, defined(notes))
        if (notes.keepsLists === false) await options.keptLists.forget(company)
        const found = known(company)
        if (!found.ok) return found
        announcer.emit('companies.changed', { connectionId: company.connectionId })
        const whole = listing.withUnfinished([found.value], company.connectionId)
        const [only] = whole
        return only === undefined
          ? err(appError('not-found', 'Bookbridge doesn’t know this company.', ''))
          : ok(only)
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
 * Requests name a company by its ID as the service spells it now. Here, a company keeps the first known spelling, since
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
    withSlot: (request, work) =>
      client.withSlot(request, (wire) => work(translated(wire, request.connectionId))),
    read: (request, operation, options) =>
      client.read(request, (wire) => operation(translated(wire, request.connectionId)), options),
  }
}

/*
 * Tests whether a company answers. **Test company** does it, and so does the program before a whole list, a report, or
 * a large batch if the company hasn't answered for a while, and before each try of a list or report while its last
 * request timed out. One small read then finds a silent agent, instead of three long deadlines or a write that nobody
 * can confirm.
 */

export interface CompanyTests {
  /** Makes one small read, without retries. Returns an error if the request could not be made. */
  test(company: StoredCompany, manner?: TestOptions): Promise<Result<TestOutcome>>
  /** Called after each request: any response from a company's books shows that it can be reached. */
  onRequestLogged(entry: LogEntry): void
  /**
   * Makes a small read of a list if the company hasn't answered for 15 minutes. Returns an error if it stays silent or
   * says that its books can't be reached. Other refusals say nothing about the work that follows.
   */
  probe(company: StoredCompany, object: string): Promise<Result<void>>
  /**
   * Precedes a read with a small one of the same list, in the same slot, where `worth` says so. If the company stays
   * silent or says that its books can't be reached, that is the result, and nothing is retried.
   */
  withProbe<T>(company: StoredCompany, object: string, worth: ProbeWhen, operation: LongRead<T>): LongRead<T>
}

/**
 * When to make a small read first. `silent`: while the company's last request timed out. `quiet`: also before a first
 * try if it hasn't answered for 15 minutes.
 */
export type ProbeWhen = 'silent' | 'quiet'

/** How a test is queued. By default, a user waits for it. */
export interface TestOptions {
  readonly priority: SlotRequest['priority']
  /** The list to read from. */
  readonly object?: string
  /** The run that the read belongs to. Activity shows its requests together. */
  readonly batchId?: string
  /** Called with the queue entry, so that it can be stopped. */
  readonly onEntry?: (entryId: string) => void
}

/** A read that may take minutes. */
export type LongRead<T> = (wire: Wire) => Promise<Result<T>>

/** The list to probe if no other one is about to be read. Every application has customers. */
export const PROBE_LIST = 'customer'

/** Milliseconds after which the agent may have been closed unnoticed. */
const SILENCE = 15 * 60_000

const SILENT: ReadonlySet<ErrorKind> = new Set(['timed-out', 'dropped', 'unreachable'])
/** Errors that may concern only the small read. The long one is still sent. */
const OF_ITSELF: ReadonlySet<ErrorKind> = new Set([
  'service-error',
  'malformed-response',
  'too-large',
  'not-found',
])
/** Errors before the request reached the company. */
const NOT_ASKED: ReadonlySet<ErrorKind> = new Set([
  'stopped',
  'connection-changed',
  'paused',
  'keychain',
  'store',
  'file',
  'not-found',
  'proxy-refused',
  'untrusted-certificate',
])

/** Outcomes that say something about the company. */
const TELLING: ReadonlySet<LogEntry['outcome']> = new Set(['answered', 'service-error', 'failed'])

/** What this run knows about a company's reachability. */
interface Contact {
  /** When its books last answered, in milliseconds since 1970. */
  readonly respondedAt: number
  /** The last outcome: a response, a failed connection, or a deadline that passed. */
  readonly last: 'spoke' | 'failed' | 'silent'
}

const NEVER: Contact = { respondedAt: Number.NEGATIVE_INFINITY, last: 'failed' }

/** @internal */
export function createCompanyTests(client: ServiceClient, clock: Clock): CompanyTests {
  const contacts = new Map<string, Contact>()
  /**
   * Lists for which the service ignored the requested time and returned everything. No read of them is small.
   */
  const completeLists = new Set<string>()
  const listOf = ({ ref }: StoredCompany, object: string): string =>
    JSON.stringify([ref.connectionId, object])
  const contactOf = ({ ref }: StoredCompany): Contact => contacts.get(companyKey(ref)) ?? NEVER
  const isQuiet = (company: StoredCompany): boolean => clock.now() - contactOf(company).respondedAt >= SILENCE

  const readLittle = async (wire: Wire, company: StoredCompany, object: string): Promise<Result<Little>> => {
    const since = clock.now()
    const modTimeStart = new Date(since).toISOString()
    const decode = probeDecoder(company.application, since)
    const little = await wire.readRecords(company.ref.endpointId, object, { modTimeStart }, decode)
    if (little.ok && little.value.isAll) completeLists.add(listOf(company, object))
    return little
  }

  const test: CompanyTests['test'] = async (
    company,
    { priority, object = PROBE_LIST, batchId = '', onEntry } = { priority: 'interactive' },
  ) => {
    const started = clock.now()
    const request: SlotRequest = {
      connectionId: company.ref.connectionId,
      company: company.ref,
      companyName: displayName(company),
      what: `Testing the company: ${changedJustNow(object)}`,
      isWrite: false,
      priority,
      batchId,
    }
    const response = await client.read(request, (wire) => readLittle(wire, company, object), {
      tries: 1,
      ...(onEntry === undefined ? {} : { onEntry }),
    })
    const at = timestamp(clock)
    if (response.ok) {
      contacts.set(companyKey(company.ref), { respondedAt: clock.now(), last: 'spoke' })
      const milliseconds = Math.max(0, Math.round(clock.now() - started))
      return ok({ outcome: 'answered', milliseconds, at })
    }
    contacts.set(companyKey(company.ref), { ...contactOf(company), respondedAt: NEVER.respondedAt })
    if (NOT_ASKED.has(response.error.kind)) return response
    return ok({ outcome: SILENT.has(response.error.kind) ? 'silent' : 'refused', error: response.error, at })
  }

  return {
    test,
    onRequestLogged({ company, outcome, path, code }) {
      // Only data calls reach the books. The service itself answers for the list of companies.
      if (company === null || !/^\/v2\/data\//i.test(path) || !TELLING.has(outcome)) return
      const contact = contacts.get(companyKey(company)) ?? NEVER
      contacts.set(companyKey(company), {
        respondedAt: outcome === 'answered' ? clock.now() : contact.respondedAt,
        last: outcome === 'failed' ? failedAfter(contact, code) : 'spoke',
      })
    },
    withProbe(company, object, worth, operation) {
      let isUnheard = worth === 'quiet' && isQuiet(company)
      return async (wire) => {
        // The list would be read twice.
        if (completeLists.has(listOf(company, object))) return operation(wire)
        if (!isUnheard && contactOf(company).last !== 'silent') return operation(wire)
        wire.progress(`asking first for ${changedJustNow(object)}`)
        const little = await readLittle(wire, company, object)
        wire.progress('')
        if (!little.ok && little.error.kind === 'timed-out')
          return err(staysSilent(displayName(company), little.error))
        if (!little.ok && !OF_ITSELF.has(little.error.kind)) return little
        isUnheard = false
        return operation(wire)
      }
    },
    async probe(company, object) {
      if (!isQuiet(company) && contactOf(company).last === 'spoke') return ok(undefined)
      const tested = await test(company, { priority: 'interactive', object })
      if (!tested.ok) return tested
      if (tested.value.outcome === 'answered') return ok(undefined)
      const { error, outcome } = tested.value
      const isOutOfReach = outcome === 'silent' || error.kind === 'company-unavailable'
      return isOutOfReach ? err(error) : ok(undefined)
    },
  }
}

/** Describes a small read: *customers that changed just now*. */
function changedJustNow(object: string): string {
  return `${listName(object).toLowerCase()} that changed just now`
}

/** A dropped connection says nothing new about a company that was silent. */
function failedAfter({ last }: Contact, code: string): Contact['last'] {
  return code === DEADLINE || last === 'silent' ? 'silent' : 'failed'
}

/** Its kind is not retried, because the small read was a try already. */
function staysSilent(name: string, { message, details }: AppError): AppError {
  return appError(
    'company-unavailable',
    `${name} isn’t responding to a test request. ${message}`,
    'Bookbridge holds long requests until it does. Check the computer, then try again. The time limit is in Settings.',
    details,
  )
}

/** The result of a small read. */
interface Little extends Numbered {
  /** The service ignored the requested time (specification 4.1) and returned everything. */
  readonly isAll: boolean
}

/** Milliseconds by which clocks may differ. */
const DAY = 86_400_000
/** More records than can change within a moment. */
const MANY = 100

/**
 * *Nothing matched* is a response from the books, too.
 * @param since milliseconds since 1970: the read asked for later changes only
 */
function probeDecoder(application: string, since: number): Decoder<Little> {
  return (raw) => {
    const envelope = decodeEnvelope(raw)
    if (!envelope.ok) return Promise.resolve(envelope)
    const { errors, items, requestId, status } = envelope.value
    // A refusal may be the error of a single item. If there is a record, the books were reached.
    const isRecord = items.some(({ object }) => object !== null)
    const all = isRecord ? errors : [...errors, ...items.flatMap((item) => item.errors)]
    const real = all.filter((error) => !isNothingMatched(application, error, status))
    if (real.length > 0 || (status >= 400 && all.length === 0)) {
      return Promise.resolve(err(translateReadErrors(application, real, requestId, status)))
    }
    const records = items.flatMap(({ object }) => (object === null ? [] : [object]))
    const isOld = (object: Readonly<Record<string, unknown>>): boolean =>
      Date.parse(scalarText(member(object, 'LastModifiedDate'))) < since - DAY
    return Promise.resolve(ok({ isAll: records.length > MANY || records.some(isOld), requestId }))
  }
}
