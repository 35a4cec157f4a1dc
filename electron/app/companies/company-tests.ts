/**
 * Tests whether a company answers: for **Test company**; before a whole list, a report, or a large batch if the company
 * hasn't answered for a while; and before each try of a list or report if its last request timed out. One small read
 * then detects a silent agent, in place of three long timeouts or a write that no one can confirm.
 */
import { companyKey, displayName } from '../../../shared/companies/companies.ts'
import type { LogEntry } from '../../../shared/contract/activity.ts'
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { listName } from '../../../shared/records/definition.ts'
import { type AppError, appError, err, type ErrorKind, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { DEADLINE } from '../../service/errors/failures.ts'
import { isNothingMatched, translateReadErrors } from '../../service/errors/service-errors.ts'
import { decodeEnvelope, member, scalarText } from '../../service/protocol/envelope.ts'
import type {
  CountedResponse,
  Decoder,
  ServiceClient,
  SlotRequest,
  Wire,
} from '../../service/protocol/wire.ts'
import type { StoredCompany } from '../../store/companies.ts'

export interface CompanyTests {
  /** Makes one small read, without retries. Returns an error if the request could not be made. */
  test(company: StoredCompany, testOptions?: TestOptions): Promise<Result<TestOutcome>>
  /** Called after each request: any response from a company's books shows that it can be reached. */
  onRequestLogged(entry: LogEntry): void
  /**
   * Makes a small read of a list if the company hasn't answered for 15 minutes. Returns an error if it stays silent or
   * says that its books can't be reached. Other refusals say nothing about the work that follows.
   */
  probe(company: StoredCompany, object: string): Promise<Result<void>>
  /**
   * Makes a small read of the same list first, in the same slot, where `when` says so. If the company stays silent or
   * says that its books can't be reached, that is the result, and nothing is retried.
   */
  withProbe<T>(company: StoredCompany, object: string, when: ProbeWhen, read: LongRead<T>): LongRead<T>
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
const SMALL_READ_ONLY: ReadonlySet<ErrorKind> = new Set([
  'service-error',
  'malformed-response',
  'too-large',
  'not-found',
])
/** Errors before the request reached the company. */
const BEFORE_REQUEST: ReadonlySet<ErrorKind> = new Set([
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

const OUT_OF_REACH: ReadonlySet<ErrorKind> = new Set([...SILENT, 'company-unavailable'])
const OF_EVERY_COMPANY: ReadonlySet<ErrorKind> = new Set([
  'unauthorized',
  'untrusted-certificate',
  'proxy-refused',
  'connection-changed',
  'paused',
  'keychain',
  'store',
])

/** Whether an error says that its company can't be reached now. Runs continue with the others. */
export function isOutOfReach({ kind }: AppError): boolean {
  return OUT_OF_REACH.has(kind)
}

/** Whether an error would occur for every company. It ends a run. */
export function failsForAll({ kind }: AppError): boolean {
  return OF_EVERY_COMPANY.has(kind)
}

/** Outcomes that say something about the company. */
const TELLS_CONTACT: ReadonlySet<LogEntry['outcome']> = new Set(['answered', 'service-error', 'failed'])

/** What this run knows about a company's reachability. */
interface Contact {
  /** When its books last answered, in milliseconds since 1970. */
  readonly respondedAt: number
  /** The last outcome: a response, a failed connection, or a deadline that passed. */
  readonly last: 'spoke' | 'failed' | 'silent'
}

const NEVER: Contact = { respondedAt: Number.NEGATIVE_INFINITY, last: 'failed' }

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
    if (BEFORE_REQUEST.has(response.error.kind)) return response
    return ok({ outcome: SILENT.has(response.error.kind) ? 'silent' : 'refused', error: response.error, at })
  }

  return {
    test,
    onRequestLogged({ company, outcome, path, code }) {
      // Only data calls reach the books. The service itself answers requests for the list of companies.
      if (company === null || !/^\/v2\/data\//i.test(path) || !TELLS_CONTACT.has(outcome)) return
      const contact = contacts.get(companyKey(company)) ?? NEVER
      contacts.set(companyKey(company), {
        respondedAt: outcome === 'answered' ? clock.now() : contact.respondedAt,
        last: outcome === 'failed' ? failedAfter(contact, code) : 'spoke',
      })
    },
    withProbe(company, object, when, read) {
      let needsProbe = when === 'quiet' && isQuiet(company)
      return async (wire) => {
        // The list would be read twice.
        if (completeLists.has(listOf(company, object))) return read(wire)
        if (!needsProbe && contactOf(company).last !== 'silent') return read(wire)
        wire.progress(`asking first for ${changedJustNow(object)}`)
        const little = await readLittle(wire, company, object)
        wire.progress('')
        if (!little.ok && little.error.kind === 'timed-out')
          return err(staysSilent(displayName(company), little.error))
        // The key may be refused for this list only (HTTP 403).
        const isOnlyThis =
          !little.ok && (SMALL_READ_ONLY.has(little.error.kind) || little.error.details.status === 403)
        if (!little.ok && !isOnlyThis) return little
        needsProbe = false
        return read(wire)
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

/** Of a kind that isn't retried, because the small read already was a try. */
function staysSilent(name: string, { message, details }: AppError): AppError {
  return appError(
    'company-unavailable',
    `${name} isn’t responding to a test request. ${message}`,
    'Bookbridge holds long requests until it does. Check the computer, then try again. The time limit is in Settings.',
    details,
  )
}

/** The result of a small read. */
interface Little extends CountedResponse {
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

export type TestCompany = (company: CompanyRef) => Promise<Result<TestOutcome>>

export interface KeyRefusal {
  readonly endpointId: string
  /** A key may be accepted for tests and for nothing else. */
  readonly of: 'test' | 'item'
  readonly error: AppError
}

/**
 * Finds out whether a key that one company refused is refused for all. Runs over several companies and **Read them now**
 * use it.
 */
export class KeyRefusals {
  readonly #endpointIds = new Set<string>()
  #pending: AppError | null = null
  /** Whether a company refused the key for an item for the first time, and none has accepted it for one since. */
  #isItemRefused = false

  /** A refused key that no company has accepted since. The queue is paused until one does. */
  get pending(): AppError | null {
    return this.#pending
  }

  /** The companies that refused it. */
  get endpointIds(): ReadonlySet<string> {
    return this.#endpointIds
  }

  /** Adds companies that refused it in an earlier try. They prove nothing about the others. */
  addEarlier(endpointIds: Iterable<string>): void {
    for (const endpointId of endpointIds) this.#endpointIds.add(endpointId)
  }

  /** Call with the result of each test. */
  onTested(tested: Result<TestOutcome>): void {
    if (tested.ok && tested.value.outcome === 'answered') this.#pending = null
  }

  /** Call when a company has accepted the key for an item. */
  onItemAccepted(): void {
    this.#isItemRefused = false
  }

  /**
   * Returns why work ends after a refusal; `null` if the company is only set aside. Companies that answered before are
   * tested until one answers again. If there are none, the test of the next company decides.
   */
  async add(
    { endpointId, of, error }: KeyRefusal,
    answered: readonly CompanyRef[],
    test: TestCompany,
  ): Promise<AppError | null> {
    const isNew = !this.#endpointIds.has(endpointId)
    this.#endpointIds.add(endpointId)
    const isInRow = this.#pending !== null || (of === 'item' && isNew && this.#isItemRefused)
    if (of === 'item' && isNew) this.#isItemRefused = true
    this.#pending = error
    if (isInRow) return error
    for (const other of answered) {
      const tested = await test(other)
      this.onTested(tested)
      if (!tested.ok) return tested.error
      if (tested.value.outcome === 'answered') return null
      if (failsForAll(tested.value.error)) return tested.value.error
    }
    return null
  }
}
