/**
 * Does a company answer? Asked by **Test company**, and by itself before something long: before a whole list, a report
 * or a large batch when nothing has been heard of the company for a while, and before each try of any list or report
 * while the last that was heard of it is silence. A silent agent is then found out by one small read, not by a long
 * deadline three times over, or by a write that nobody can confirm; where the company answers, nothing more is asked.
 */
import { companyKey } from '../../../shared/companies/companies.ts'
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { LogEntry } from '../../../shared/contract/activity.ts'
import { listName } from '../../../shared/records/definition.ts'
import { appError, err, ok, type AppError, type ErrorKind, type Result } from '../../../shared/result.ts'
import { decodeEnvelope, member, scalarText } from '../../service/protocol/envelope.ts'
import { isNothingMatched, translateReadErrors } from '../../service/errors/service-errors.ts'
import { DEADLINE } from '../../service/errors/failures.ts'
import type { Decoder, Numbered, ServiceClient, SlotRequest, Wire } from '../../service/protocol/wire.ts'
import type { StoredCompany } from '../../store/companies.ts'
import { type Clock, timestamp } from '../../clock.ts'

export interface CompanyTests {
  /** One small read in one try. An error when the company could not even be asked. */
  test(company: StoredCompany, manner?: TestOptions): Promise<Result<TestOutcome>>
  /** Hears of each request, since any answer about a company's books says that it can be reached. */
  onRequestLogged(entry: LogEntry): void
  /**
   * Before something long about a list: asks only when the company has not answered for a quarter of an hour. An error when it
   * stays silent or says that its books can't be reached; a refusal of another kind says nothing of the work to come.
   */
  probe(company: StoredCompany, object: string): Promise<Result<void>>
  /**
   * A read, with one small read of the same list in the same turn before it while that is worth asking. That the company stays silent,
   * or says that its books can't be reached, is the answer, and is not tried again.
   */
  withProbe<T>(company: StoredCompany, object: string, worth: ProbeWhen, operation: LongRead<T>): LongRead<T>
}

/**
 * When a read is led by a small one: `silent`, as long as the last that was heard of the company is silence; `quiet`,
 * also before a first try when it has not answered for a quarter of an hour.
 */
export type ProbeWhen = 'silent' | 'quiet'

/** Whose turn a test takes; a person waits for it unless something else is said. */
export interface TestOptions {
  readonly priority: SlotRequest['priority']
  /** The list of which a little is asked for. */
  readonly object?: string
  /** Told the entry of the queue, for stopping it. */
  readonly onEntry?: (entryId: string) => void
}

/** A read that may take minutes, as the client is given it. */
export type LongRead<T> = (wire: Wire) => Promise<Result<T>>

/** Read a little of where nothing says which list comes next: every application has customers. */
export const PROBE_LIST = 'customer'

/** As long as a person may be away from a machine that was at work: the agent may have been closed since. */
const SILENCE = 15 * 60_000

const SILENT: ReadonlySet<ErrorKind> = new Set(['timed-out', 'dropped', 'unreachable'])
/** What may be wrong with the small read alone: the long one is sent all the same. */
const OF_ITSELF: ReadonlySet<ErrorKind> = new Set([
  'service-error',
  'malformed-response',
  'too-large',
  'not-found',
])
/** The company was not asked: it was stopped, or something of ours or of the office's stood in the way. */
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

/** What became of a request that says something of the company: not that it began, or was let go of. */
const TELLING: ReadonlySet<LogEntry['outcome']> = new Set(['answered', 'service-error', 'failed'])

/** What is known of a company in this run. */
interface Contact {
  /** When it last answered about its books, in milliseconds since 1970. */
  readonly answeredAt: number
  /** The last that was heard: some answer, a failure on the way, or nothing before the deadline. */
  readonly last: 'spoke' | 'failed' | 'silent'
}

const NEVER: Contact = { answeredAt: Number.NEGATIVE_INFINITY, last: 'failed' }

/** @param nameOf what a company is called here */
export function createCompanyTests(
  client: ServiceClient,
  clock: Clock,
  nameOf: (company: StoredCompany) => string,
): CompanyTests {
  const contacts = new Map<string, Contact>()
  /** Lists that the service gave whole where only what just changed was asked for: nothing is small there. */
  const givesAll = new Set<string>()
  const listOf = ({ ref }: StoredCompany, object: string): string =>
    JSON.stringify([ref.connectionId, object])
  const contactOf = ({ ref }: StoredCompany): Contact => contacts.get(companyKey(ref)) ?? NEVER
  const isQuiet = (company: StoredCompany): boolean => clock.now() - contactOf(company).answeredAt >= SILENCE

  const readLittle = async (wire: Wire, company: StoredCompany, object: string): Promise<Result<Little>> => {
    const since = clock.now()
    const modTimeStart = new Date(since).toISOString()
    const decode = answeredDecoder(company.application, since)
    const little = await wire.readRecords(company.ref.endpointId, object, { modTimeStart }, decode)
    if (little.ok && little.value.isAll) givesAll.add(listOf(company, object))
    return little
  }

  const test: CompanyTests['test'] = async (
    company,
    { priority, object = PROBE_LIST, onEntry } = { priority: 'person' },
  ) => {
    const started = clock.now()
    const request: SlotRequest = {
      connectionId: company.ref.connectionId,
      company: company.ref,
      companyName: nameOf(company),
      what: `Testing the company: ${changedJustNow(object)}`,
      isWrite: false,
      priority,
      batchId: '',
    }
    const answer = await client.read(request, (wire) => readLittle(wire, company, object), {
      tries: 1,
      ...(onEntry === undefined ? {} : { onEntry }),
    })
    const at = timestamp(clock)
    if (answer.ok) {
      contacts.set(companyKey(company.ref), { answeredAt: clock.now(), last: 'spoke' })
      const milliseconds = Math.max(0, Math.round(clock.now() - started))
      return ok({ outcome: 'answered', milliseconds, at })
    }
    contacts.set(companyKey(company.ref), { ...contactOf(company), answeredAt: NEVER.answeredAt })
    if (NOT_ASKED.has(answer.error.kind)) return answer
    return ok({ outcome: SILENT.has(answer.error.kind) ? 'silent' : 'refused', error: answer.error, at })
  }

  return {
    test,
    onRequestLogged({ company, outcome, path, code }) {
      // Only data calls go through to the books; the list of companies is the service's own.
      if (company === null || !/^\/v2\/data\//i.test(path) || !TELLING.has(outcome)) return
      const contact = contacts.get(companyKey(company)) ?? NEVER
      contacts.set(companyKey(company), {
        answeredAt: outcome === 'answered' ? clock.now() : contact.answeredAt,
        last: outcome === 'failed' ? failedAfter(contact, code) : 'spoke',
      })
    },
    withProbe(company, object, worth, operation) {
      let isUnheard = worth === 'quiet' && isQuiet(company)
      return async (wire) => {
        // It would be read twice.
        if (givesAll.has(listOf(company, object))) return operation(wire)
        if (!isUnheard && contactOf(company).last !== 'silent') return operation(wire)
        wire.progress(`asking first for ${changedJustNow(object)}`)
        const little = await readLittle(wire, company, object)
        wire.progress('')
        if (!little.ok && little.error.kind === 'timed-out')
          return err(staysSilent(nameOf(company), little.error))
        if (!little.ok && !OF_ITSELF.has(little.error.kind)) return little
        isUnheard = false
        return operation(wire)
      }
    },
    async probe(company, object) {
      if (!isQuiet(company) && contactOf(company).last === 'spoke') return ok(undefined)
      const tested = await test(company, { priority: 'person', object })
      if (!tested.ok) return tested
      if (tested.value.outcome === 'answered') return ok(undefined)
      const { error, outcome } = tested.value
      const isOutOfReach = outcome === 'silent' || error.kind === 'company-unavailable'
      return isOutOfReach ? err(error) : ok(undefined)
    },
  }
}

/** What a small read asks for, in words: *customers that changed just now*. */
function changedJustNow(object: string): string {
  return `${listName(object).toLowerCase()} that changed just now`
}

/** A cut line says nothing new about a company that was silent. */
function failedAfter({ last }: Contact, code: string): Contact['last'] {
  return code === DEADLINE || last === 'silent' ? 'silent' : 'failed'
}

/** Not of a kind that is tried again: it was, by the small read. */
function staysSilent(name: string, { message, details }: AppError): AppError {
  return appError(
    'company-unavailable',
    `${name} stays silent: one small request, sent first, was not answered. ${message}`,
    'Nothing long is asked for until it answers. Look at what stops it, then try again. The deadline is in Settings.',
    details,
  )
}

/** What a small read brought. */
interface Little extends Numbered {
  /** It was not small: the service does not heed the time that was asked for (specification 4.1). */
  readonly isAll: boolean
}

/** So much may the clocks differ. */
const DAY = 86_400_000
/** More than changes in the moment before. */
const MANY = 100

/**
 * That nothing matched is an answer of the books too.
 * @param since milliseconds since 1970; only what changed after it was asked for
 */
function answeredDecoder(application: string, since: number): Decoder<Little> {
  return (raw) => {
    const envelope = decodeEnvelope(raw)
    if (!envelope.ok) return Promise.resolve(envelope)
    const { errors, items, requestId, status } = envelope.value
    // A refusal may come as the error of the one item; beside a record, the books were reached.
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
