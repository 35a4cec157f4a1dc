/**
 * The client of the service: one method per operation of the specification, each within a turn of its lane. Only
 * reads are tried again. A write never is, neither here nor underneath.
 */
import { randomUUID } from 'node:crypto'
import type { LogEntry, Settings } from '../../shared/contract.ts'
import { appError, err, ok, type AppError, type Result } from '../../shared/result.ts'
import * as paths from './addresses.ts'
import { decodeEnvelope, decodeLegacyEnvelope } from './envelope.ts'
import { exchange, type Deadline, type Exchange } from './exchange.ts'
import { laneKey } from './lane-key.ts'
import type { Scheduler, SchedulerClock, Ticket } from './scheduler.ts'
import { refusedKeyOf } from './service-errors.ts'
import type { Fetch } from './transport.ts'
import type {
  Decoder,
  Envelope,
  LegacyEnvelope,
  RawAnswer,
  ServiceClient,
  ServiceTarget,
  TurnRequest,
  Wire,
  WriteAnswer,
} from './wire.ts'

export interface ClientOptions {
  readonly scheduler: Scheduler
  readonly clock: SchedulerClock
  /** Address and key of a connection, as they are now. */
  readonly target: (connectionId: string) => Promise<Result<ServiceTarget>>
  /** The transport's `fetch`, or the sample's. */
  readonly fetchFor: (target: ServiceTarget) => Fetch
  readonly settings: () => Settings
  /** Hears of each request when it has ended; no secret, body or record is in it. */
  readonly log: (entry: LogEntry) => void
  /** 0 ≤ n < 1; for jitter. */
  readonly random: () => number
}

export interface StoppableClient extends ServiceClient {
  /** After a sleep: requests whose deadline has passed by the wall clock end now. */
  wake(): void
}

const FIRST_WAIT = 2_000
const LONGEST_WAIT = 60_000
const LONGEST_RETRY_AFTER = 5 * 60 * 1_000
const PASSING: ReadonlySet<AppError['kind']> = new Set(['unreachable', 'dropped', 'timed-out', 'busy'])

/** What a turn remembers between its requests. */
interface TurnState {
  /** A request of this turn ended without an answer: something may be at work out there. */
  unanswered: boolean
  /** Milliseconds that the service asked to wait; `null` when it did not say. */
  retryAfter: number | null
  /** One request after another, also when `work` forgets to wait. */
  last: Promise<unknown>
}

interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly body: string | null
  readonly seconds: number
  readonly schemaVersion: string | null
  readonly isLegacy: boolean
}

export function createClient(options: ClientOptions): StoppableClient {
  const { scheduler, clock } = options
  const onTheirWay = new Set<{ readonly deadlineAt: number; readonly abort: () => void }>()

  const startDeadline = (seconds: number): Deadline & { readonly at: number } => {
    const controller = new AbortController()
    const at = clock.now() + seconds * 1_000
    let isOver = false
    const entry = {
      deadlineAt: at,
      abort: () => {
        isOver = true
        controller.abort(new Error('The deadline has passed.'))
      },
    }
    onTheirWay.add(entry)
    const cancel = clock.after(seconds * 1_000, entry.abort)
    return {
      at,
      signal: controller.signal,
      isOver: () => isOver,
      clear: () => {
        cancel()
        onTheirWay.delete(entry)
      },
    }
  }

  const makeWire = (ticket: Ticket, target: ServiceTarget, state: TurnState): Wire => {
    const settings = options.settings()
    const secrets = [target.key, target.legacyKey]

    const sendNow = async (operation: Operation): Promise<Exchange> => {
      const isWrite = operation.method !== 'GET'
      if (ticket.isStopped()) {
        return {
          came: false,
          status: null,
          nothingLeft: true,
          error: appError('stopped', 'Stopped.', 'Nothing more was sent.'),
        }
      }
      if (state.unanswered) await scheduler.settle(ticket)
      const base = operation.isLegacy ? target.legacyAddress : target.address
      const started = clock.now()
      const deadline = startDeadline(operation.seconds)
      const marked = scheduler.requestLeaves(ticket, deadline.at)
      if (!marked.ok && isWrite) {
        deadline.clear()
        return { came: false, status: null, nothingLeft: true, error: marked.error }
      }
      const result = await exchange(
        {
          method: operation.method,
          url: fullAddress(base, operation.path),
          host: hostOf(base),
          headers: headersFor(operation, target),
          body: operation.body,
          seconds: operation.seconds,
          mostBytes: settings.answerMebibytes * 1_048_576,
          secrets,
          fetch: options.fetchFor(target),
        },
        deadline,
      )
      // A redirect and an answer past the cap are answers: whatever was at work has ended, or is about to.
      const isAnswered = result.came || result.nothingLeft || result.error.kind === 'redirected'
      if (isAnswered) scheduler.requestAnswered(ticket)
      else state.unanswered = true
      options.log(logEntry(ticket.request, operation, result, started, clock.now()))
      return result
    }

    const send = (operation: Operation): Promise<Exchange> => {
      const result = state.last.then(() => sendNow(operation))
      state.last = result
      return result
    }

    const read = async <T>(operation: Operation, decode: Decoder<T>): Promise<Result<T>> => {
      const result = await send(operation)
      if (!result.came) return err(result.error)
      const busy = busyError(result.raw.status, result.retryAfter)
      if (busy !== null) {
        state.retryAfter = busy.wait
        return err(busy.error)
      }
      const decoded = await decode(result.raw)
      if (!decoded.ok && decoded.error.kind === 'unauthorised')
        scheduler.pause(target.connectionId, decoded.error)
      else if (decoded.ok) scheduler.resume(target.connectionId)
      return decoded
    }

    const write = async <T>(
      operation: Operation,
      decode: (raw: RawAnswer) => Result<T>,
      refused: (decoded: T, raw: RawAnswer) => AppError | null,
    ): Promise<WriteAnswer<T>> => {
      const result = await send(operation)
      if (!result.came) return { outcome: result.nothingLeft ? 'not-sent' : 'in-doubt', error: result.error }
      const decoded = decode(result.raw)
      const refusal = decoded.ok
        ? refused(decoded.value, result.raw)
        : decoded.error.kind === 'unauthorised'
          ? decoded.error
          : null
      if (refusal !== null) {
        scheduler.pause(target.connectionId, refusal)
        return { outcome: 'refused-key', error: refusal }
      }
      if (!decoded.ok) return { outcome: 'in-doubt', error: decoded.error }
      return { outcome: 'answered', envelope: decoded.value, raw: result.raw }
    }

    const get = (
      path: string,
      seconds: number,
      schemaVersion: string | null,
      isLegacy = false,
    ): Operation => ({
      method: 'GET',
      path,
      body: null,
      seconds,
      schemaVersion,
      isLegacy,
    })
    const change = (
      method: 'POST' | 'PATCH',
      path: string,
      body: string,
      seconds: number,
      schemaVersion: string | null,
      isLegacy = false,
    ): Operation => ({
      method,
      path,
      body,
      seconds,
      schemaVersion,
      isLegacy,
    })
    const writeEnvelope = (operation: Operation): Promise<WriteAnswer> =>
      write(operation, decodeEnvelope, (envelope: Envelope) => refusedKeyOf(envelope))

    return {
      target,
      isStopped: ticket.isStopped,
      progress: (words) => {
        scheduler.progress(ticket, words)
      },
      listCompanies: (query, decode) =>
        read(get(paths.companiesPath(query, settings.pageParameter), settings.readSeconds, null), decode),
      readRecords: (endpointId, object, query, decode) =>
        read(
          get(
            paths.dataPath(endpointId, object, query, settings.pageParameter),
            settings.readSeconds,
            settings.dataSchemaVersion,
          ),
          decode,
        ),
      metadata: (object, applications, overlap, decode) =>
        read(
          get(
            paths.metadataPath(object, applications, overlap),
            settings.readSeconds,
            settings.dataSchemaVersion,
          ),
          decode,
        ),
      selectReport: (endpointId, name, from, to, decode) =>
        read(
          get(
            paths.reportPath(endpointId, name, from, to),
            settings.reportSeconds,
            settings.reportSchemaVersion,
          ),
          decode,
        ),
      legacyListCompanies: (query) =>
        read<LegacyEnvelope>(
          get(paths.legacyCompaniesPath(query.isActive), settings.readSeconds, null, true),
          (raw) => Promise.resolve(decodeLegacyEnvelope(raw)),
        ),
      insertRecords: (endpointId, object, body) =>
        writeEnvelope(
          change(
            'POST',
            paths.dataPath(endpointId, object, {}, settings.pageParameter),
            body,
            settings.writeSeconds,
            settings.dataSchemaVersion,
          ),
        ),
      changeRecords: (endpointId, object, body) =>
        writeEnvelope(
          change(
            'PATCH',
            paths.dataPath(endpointId, object, {}, settings.pageParameter),
            body,
            settings.writeSeconds,
            settings.dataSchemaVersion,
          ),
        ),
      provision: (body) =>
        writeEnvelope(change('POST', paths.PROVISION_PATH, body, settings.provisionSeconds, null)),
      deprovision: (body) =>
        writeEnvelope(change('PATCH', paths.companiesPath(), body, settings.writeSeconds, null)),
      createUser: (body) => writeEnvelope(change('POST', paths.USER_PATH, body, settings.writeSeconds, null)),
      legacyDeprovision: (body) =>
        write(
          change('PATCH', paths.legacyCompaniesPath(), body, settings.writeSeconds, null, true),
          decodeLegacyEnvelope,
          () => null,
        ),
    }
  }

  /** Takes a turn with the target as it is then; a key that was changed meanwhile moves the request to its own lane. */
  const enter = async (
    request: TurnRequest,
    attempts: number,
  ): Promise<Result<{ ticket: Ticket; key: string }>> => {
    const target = await options.target(request.connectionId)
    if (!target.ok) return target
    const key = laneKey(target.value)
    return ok({ ticket: scheduler.enter(key, request, attempts), key })
  }

  const holdTurn = async <T>(
    ticket: Ticket,
    key: string,
    work: (wire: Wire, state: TurnState) => Promise<T>,
  ): Promise<Result<{ readonly value: T; readonly state: TurnState }>> => {
    const begun = await scheduler.takeTurn(ticket)
    if (!begun.ok) return begun
    const state: TurnState = { unanswered: false, retryAfter: null, last: Promise.resolve() }
    try {
      const target = await options.target(ticket.request.connectionId)
      if (!target.ok) return target
      if (laneKey(target.value) !== key) {
        return err(appError('stopped', 'The key of this connection was changed meanwhile.', 'Ask again.'))
      }
      return ok({ value: await work(makeWire(ticket, target.value, state), state), state })
    } finally {
      await state.last.catch(() => undefined)
      scheduler.endTurn(ticket, state.unanswered || ticket.isStopped())
    }
  }

  /** The person gets control back at once when a running turn is let go of; the turn itself goes on to its end. */
  const orStopped = <T>(ticket: Ticket, whole: Promise<Result<T>>): Promise<Result<T>> =>
    Promise.race([
      whole,
      ticket.stopped.then((): Result<T> =>
        err(
          appError(
            'stopped',
            'Stopped.',
            'The service may still be at work on it; the next request waits until it is safe.',
          ),
        ),
      ),
    ])

  return {
    async turn(request, work) {
      const entered = await enter(request, 1)
      if (!entered.ok) return entered
      const { ticket, key } = entered.value
      const whole = holdTurn(ticket, key, work).then(
        (held) => {
          scheduler.leave(ticket, held.ok)
          return held.ok ? ok(held.value.value) : held
        },
        (defect: unknown) => {
          scheduler.leave(ticket, false)
          throw defect
        },
      )
      return orStopped(ticket, whole)
    },

    async read(request, operation, more = {}) {
      const tries = more.tries ?? 3
      const entered = await enter(request, tries)
      if (!entered.ok) return entered
      const { ticket, key } = entered.value
      more.onEntry?.(ticket.entryId)
      const attempt = async (): ReturnType<typeof operation> => {
        for (let tried = 1; ; tried += 1) {
          const held = await holdTurn(ticket, key, (wire) => operation(wire))
          if (!held.ok) return held
          const { value, state } = held.value
          if (value.ok || tried === tries || ticket.isStopped() || !PASSING.has(value.error.kind))
            return value
          const wait = state.retryAfter ?? jitter(tried, options.random)
          if (wait > LONGEST_RETRY_AFTER) return value
          scheduler.progress(ticket, value.error.message)
          const waited = await scheduler.backOff(ticket, wait)
          if (!waited.ok) return waited
        }
      }
      const whole = attempt().then(
        (result) => {
          scheduler.leave(ticket, result.ok)
          return result
        },
        (defect: unknown) => {
          scheduler.leave(ticket, false)
          throw defect
        },
      )
      return orStopped(ticket, whole)
    },

    wake() {
      const now = clock.now()
      for (const each of onTheirWay) if (each.deadlineAt <= now) each.abort()
    },
  }
}

/** Full jitter: anything between the first wait and a ceiling that doubles. */
function jitter(tried: number, random: () => number): number {
  const ceiling = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tried)
  return FIRST_WAIT + random() * (ceiling - FIRST_WAIT)
}

function headersFor(operation: Operation, target: ServiceTarget): Record<string, string> {
  return {
    accept: 'application/json',
    'cache-control': 'no-cache',
    ...(operation.body === null ? {} : { 'content-type': 'application/json' }),
    ...(operation.schemaVersion === null || operation.schemaVersion === ''
      ? {}
      : { SchemaVersion: operation.schemaVersion }),
    ...(operation.isLegacy ? { authorization: target.legacyKey } : { 'x-api-key': target.key }),
  }
}

function fullAddress(base: string, path: string): string {
  return base === paths.SAMPLE_ADDRESS ? `http://sample.invalid${path}` : `${base}${path}`
}

function hostOf(base: string): string {
  return base === paths.SAMPLE_ADDRESS ? 'the sample service' : URL.canParse(base) ? new URL(base).host : base
}

/** 429 always asks to wait; 503 does unless it explains itself in an envelope (decisions.md, "HTTP status codes"). */
function busyError(
  status: number,
  retryAfter: string | null,
): { readonly error: AppError; readonly wait: number | null } | null {
  if (status !== 429 && !(status === 503 && retryAfter !== null)) return null
  const wait = retryAfter === null ? null : retryAfterMilliseconds(retryAfter)
  const minutes =
    wait === null
      ? ''
      : wait > 90_000
        ? `${String(Math.ceil(wait / 60_000))} minutes`
        : `${String(Math.ceil(wait / 1_000))} seconds`
  return {
    wait,
    error: appError(
      'busy',
      wait === null ? 'The service asks to wait a while.' : `The service asks to wait ${minutes}.`,
      'Nothing is wrong with your key or the books. Try again later.',
      { status, code: `HTTP ${String(status)}` },
    ),
  }
}

/** `Retry-After` in seconds or as a date. */
export function retryAfterMilliseconds(value: string, now = Date.now()): number | null {
  const text = value.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

function logEntry(
  request: TurnRequest,
  operation: Operation,
  result: Exchange,
  started: number,
  ended: number,
): LogEntry {
  return {
    entryId: randomUUID(),
    at: new Date(started).toISOString(),
    connectionId: request.connectionId,
    companyName: request.companyName,
    company: request.company,
    what: request.what,
    method: operation.method,
    path: withoutValues(operation.path),
    isWrite: operation.method !== 'GET',
    outcome: result.came
      ? result.raw.status >= 400
        ? 'service-error'
        : 'answered'
      : result.error.kind === 'stopped'
        ? 'stopped'
        : 'failed',
    says: result.came
      ? result.raw.status >= 400
        ? `HTTP ${String(result.raw.status)}`
        : 'Answered'
      : result.error.message,
    status: result.came ? result.raw.status : result.status,
    milliseconds: Math.max(0, Math.round(ended - started)),
    bytes: result.came ? result.raw.length : 0,
    requestId: result.came ? requestIdIn(result.raw) : '',
    batchId: request.batchId,
  }
}

/** Query values could be records' ids; the report's name says what was asked. */
function withoutValues(path: string): string {
  const [bare = '', query] = path.split('?')
  if (query === undefined) return bare
  const names = [...new URLSearchParams(query)].map(([name, value]) =>
    name === 'name' ? `name=${value}` : name,
  )
  return `${bare}?${[...new Set(names)].join('&')}`
}

const REQUEST_ID = /"requestid"\s*:\s*"([^"\\]{1,200})"/i
const LOOK_AT = 4_096

/** The RequestId stands before or after the records; a look at both ends finds it without parsing a large body. */
function requestIdIn(raw: RawAnswer): string {
  const first = raw.blocks[0]
  const last = raw.blocks[raw.blocks.length - 1]
  if (first === undefined || last === undefined) return ''
  const decoder = new TextDecoder()
  for (const piece of [first.subarray(0, LOOK_AT), last.subarray(Math.max(0, last.length - LOOK_AT))]) {
    const found = REQUEST_ID.exec(decoder.decode(piece))?.[1]
    if (found !== undefined) return found
  }
  return ''
}
