/**
 * Makes the requests of one slot, one after another, each with its deadline, its line in the log, and its block on
 * disk. Removes keys from everything that comes back.
 */
import type { LogEntry } from '../../../shared/contract/activity.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { recordNoun } from '../../../shared/records/definition.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { decodeLegacyResponse, refusedLegacyKeyOf } from '../companies/company-list.ts'
import { redact, redactedText, redactEnvelope, redactError, redactLegacyEnvelope } from '../errors/redact.ts'
import { refusedKeyInEnvelope, refusedKeyOf } from '../errors/service-errors.ts'
import type { Ticket } from '../queue/request-queue.ts'
import type { Scheduler } from '../queue/scheduler.ts'
import type { Deadline } from '../transport/deadline.ts'
import { type Exchange, exchange } from '../transport/exchange.ts'
import type { Fetch } from '../transport/transport.ts'
import { bareBusyError, busyError, type Cooldown, cooldownAfter } from './cooldown.ts'
import { decodeEnvelope, decodeLegacyEnvelope, decodeUserResponse } from './envelope.ts'
import { begunEntry, endedEntry, withOutcome } from './log-entry.ts'
import {
  fullAddress,
  hasDotSegment,
  headersFor,
  hostOf,
  requestsFor,
  type ServiceRequest,
} from './requests.ts'
import type {
  CountedResponse,
  Envelope,
  LegacyEnvelope,
  Mask,
  OnBytes,
  RawResponse,
  ServiceTarget,
  Wire,
  WriteResult,
} from './wire.ts'

/** What a slot remembers between its requests. */
export interface SlotState {
  /** The cooldown after the last request; `null` if none is needed. */
  cooldown: Cooldown | null
  /** Milliseconds that the service asked to wait; `null` if it didn't say. */
  retryAfter: number | null
  /** The last request. Each request waits for the previous one, even if the slot's work doesn't. */
  last: Promise<unknown>
}

export interface SlotWireOptions {
  readonly ticket: Ticket
  readonly target: ServiceTarget
  readonly state: SlotState
  readonly scheduler: Scheduler
  readonly clock: Clock
  readonly settings: Settings
  readonly fetch: Fetch
  /** Called when a request begins. A write's line is written twice: when it is sent and when it ends. */
  readonly openLog: () => (entry: LogEntry) => void
  /** Creates the ID of a line in the log. */
  readonly newId: () => string
  /** Starts a deadline of this many seconds. */
  readonly startDeadline: (seconds: number) => Deadline
}

export function createSlotWire(options: SlotWireOptions): Wire {
  const { ticket, target, state, scheduler, clock, settings } = options
  const requests = requestsFor(settings)
  const { mask } = target

  /** What the slot is doing, as shown. */
  let doing = ''

  const sendNow = async (request: ServiceRequest, onBytes?: OnBytes): Promise<Sent> => {
    const isWrite = request.method !== 'GET'
    const base = request.isLegacy ? target.legacyAddress : target.address
    if (isOutsideService(fullAddress(base, request.path))) return notSent(OUTSIDE_SERVICE)
    if (state.cooldown !== null) await scheduler.waitOut(ticket, state.cooldown)
    if (ticket.isStopped()) {
      return notSent(appError('stopped', 'Stopped.', 'Nothing more was sent.'))
    }
    state.cooldown = null
    const started = clock.now()
    const deadline = options.startDeadline(request.seconds)
    const marked = scheduler.requestStarted(ticket, deadline.at)
    if (!marked.ok && isWrite) {
      deadline.clear()
      return notSent(marked.error)
    }
    const begun = begunEntry(ticket.request, request, { entryId: options.newId(), started, doing })
    // Logged before the request is sent, so that a crash leaves a line for a write that may have arrived.
    const log = options.openLog()
    if (isWrite) log(begun)
    const result = await exchange(
      {
        method: request.method,
        url: fullAddress(base, request.path),
        host: hostOf(base),
        headers: headersFor(request, target),
        body: request.body,
        seconds: request.seconds,
        mostBytes: settings.responseMebibytes * 1_048_576,
        mask,
        fetch: options.fetch,
        onBytes,
      },
      deadline,
      clock,
    )
    const { isLegacy } = request
    const now = clock.now()
    // By the wall clock's current time, because the clock may have been set since.
    const deadlineAt = now + deadline.left()
    state.cooldown = cooldownAfter({ result, isWrite, isLegacy, deadlineAt, now })
    if (state.cooldown === null) scheduler.requestFinished(ticket)
    // Before decoding, which transfers the bytes. The line is written once the response is decoded.
    const ended = endedEntry(begun, result, now)
    const isAbandoned = ticket.isStopped()
    return {
      result,
      logEnd: (error, codes, { requestId = error?.details.requestId ?? '', received = '' } = {}) => {
        const line = { ...ended, requestId: redact(requestId, mask) }
        log(withOutcome(line, { hasResponse: result.hasResponse, isAbandoned, error, codes, received }))
      },
    }
  }

  const send = (request: ServiceRequest, onBytes?: OnBytes): Promise<Sent> => {
    const result = state.last.then(() => sendNow(request, onBytes))
    state.last = result
    return result
  }

  const read = async <T extends CountedResponse | LegacyEnvelope>(
    request: ServiceRequest,
    decode: (raw: RawResponse) => Promise<Result<T>>,
    { onBytes, noun }: { readonly onBytes?: OnBytes | undefined; readonly noun?: Noun } = {},
  ): Promise<Result<T>> => {
    const { result, logEnd } = await send(request, onBytes)
    const response = result.hasResponse
      ? await readResponse(result, decode, request.isLegacy)
      : err(result.error)
    if (response.ok)
      logEnd(null, [], {
        requestId: idOfRequest(response.value),
        received: formatCount(response.value, noun),
      })
    else logEnd(response.error, [])
    return response
  }

  const readResponse = async <T>(
    { raw, retryAfter }: Extract<Exchange, { hasResponse: true }>,
    decode: (raw: RawResponse) => Promise<Result<T>>,
    isLegacy: boolean,
  ): Promise<Result<T>> => {
    const busy = busyError(raw.status, retryAfter, clock.now())
    if (busy !== null) {
      state.retryAfter = busy.wait
      const envelope = isLegacy ? null : decodeEnvelope(raw)
      const requestId = envelope?.ok === true ? redact(envelope.value.requestId, mask) : ''
      const { details } = busy.error
      return err({ ...busy.error, details: requestId === '' ? details : { ...details, requestId } })
    }
    const answered = await decode(raw)
    // Before the error reaches the log, the window, or the caller.
    const decoded = answered.ok ? answered : err(redactError(answered.error, mask))
    const bareBusy = decoded.ok ? null : bareBusyError(decoded.error)
    if (bareBusy !== null) return err(bareBusy)
    // The older service's key, or one that is being tested, says nothing about the key that other requests use.
    if (isLegacy || ticket.request.isTest) return decoded
    if (decoded.ok) scheduler.resumeKey(target.connectionId)
    else if (decoded.error.kind === 'unauthorized') scheduler.pause(target.connectionId, decoded.error)
    return decoded
  }

  const write = async <T extends Envelope | LegacyEnvelope>(
    request: ServiceRequest,
    decode: (raw: RawResponse) => Result<T>,
    refused: (decoded: T, raw: RawResponse) => AppError | null,
  ): Promise<WriteResult<T>> => {
    const { result, logEnd } = await send(request)
    const response = result.hasResponse
      ? readWriteResponse(result.raw, mask, decode, refused)
      : failedWrite(result)
    if (response.outcome === 'answered') {
      // An error about the key pauses the queue, but doesn't prove that the write was refused.
      const spoken = 'items' in response.envelope ? refusedKeyInEnvelope(response.envelope) : null
      if (spoken !== null) scheduler.pause(target.connectionId, spoken)
      logEnd(null, errorCodes(response.envelope), { requestId: idOfRequest(response.envelope) })
      return response
    }
    const error = redactError(response.error, mask)
    logEnd(error, [])
    if (response.outcome === 'refused-key' && !request.isLegacy) scheduler.pause(target.connectionId, error)
    return { ...response, error }
  }

  const clean =
    <T>(decode: (raw: RawResponse) => Result<T>, without: (decoded: T, mask: Mask) => T) =>
    (raw: RawResponse): Result<T> => {
      const decoded = decode(raw)
      return decoded.ok ? ok(without(decoded.value, mask)) : decoded
    }

  const writeEnvelope = (request: ServiceRequest): Promise<WriteResult> =>
    write(request, clean(decodeEnvelope, redactEnvelope), refusedKeyOf)

  return {
    target,
    isStopped: ticket.isStopped,
    progress: (message) => {
      doing = message
      scheduler.progress(ticket, message)
    },
    listCompanies: (query, decode) => read(requests.listCompanies(query), decode, { noun: COMPANIES }),
    readRecords: (endpointId, object, query, decode, onBytes) =>
      read(requests.readRecords(endpointId, object, query), decode, {
        onBytes,
        noun: recordNoun(object),
      }),
    metadata: (object, applications, overlap, decode) =>
      read(requests.metadata(object, applications, overlap), decode),
    selectReport: (endpointId, query, decode) => read(requests.selectReport(endpointId, query), decode),
    legacyListCompanies: ({ isActive }) =>
      read<LegacyEnvelope>(requests.legacyListCompanies(isActive), (raw) =>
        Promise.resolve(decodeLegacyResponse(raw)),
      ),
    insertRecords: (endpointId, object, body) =>
      writeEnvelope(requests.insertRecords(endpointId, object, body)),
    changeRecords: (endpointId, object, body) =>
      writeEnvelope(requests.changeRecords(endpointId, object, body)),
    provision: (body) => writeEnvelope(requests.provision(body)),
    deprovision: (body) => writeEnvelope(requests.deprovision(body)),
    createUser: (body) =>
      write(requests.createUser(body), clean(decodeUserResponse, redactEnvelope), refusedKeyOf),
    legacyDeprovision: (body) =>
      write(
        requests.legacyDeprovision(body),
        clean(decodeLegacyEnvelope, redactLegacyEnvelope),
        refusedLegacyKeyOf,
      ),
  }
}

/** A request that has ended or was not sent. */
interface Sent {
  readonly result: Exchange
  /** Writes its line in the log. */
  readonly logEnd: (
    error: AppError | null,
    codes: readonly string[],
    response?: {
      /** The envelope's; an error has it in its details. */
      readonly requestId?: string
      /** What was received, in words. */
      readonly received?: string
    },
  ) => void
}

/** What a read returns, by its name. */
interface Noun {
  readonly singular: string
  readonly plural: string
}

const COMPANIES: Noun = { singular: 'company', plural: 'companies' }

/** *2,412 customers*. Empty if nothing was counted. */
function formatCount(response: CountedResponse | LegacyEnvelope, noun: Noun | undefined): string {
  if (noun === undefined) return ''
  const count =
    'items' in response && Array.isArray(response.items) ? response.items.length : countOf(response)
  if (count === null) return ''
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun.singular : noun.plural}`
}

function countOf(response: CountedResponse | LegacyEnvelope): number | null {
  return 'count' in response ? (response.count ?? null) : null
}

/** The codes of all errors in a response to a write: the request's, then its records'. */
function errorCodes(envelope: Envelope | LegacyEnvelope): readonly string[] {
  if (!('items' in envelope)) return envelope.statusCode === '0' ? [] : [envelope.statusCode]
  const errors = [...envelope.errors, ...envelope.items.flatMap((item) => item.errors)]
  return errors.map(({ code }) => (code === '' ? 'no code' : code))
}

/** The `RequestId` of a response. The older envelope has none (specification 2.6). */
function idOfRequest(response: CountedResponse | LegacyEnvelope): string {
  return 'requestId' in response ? response.requestId : ''
}

/** Whether `.` or `..` in an ID or a name, which may come from the service or a file, changes the path. */
function isOutsideService(address: string): boolean {
  const [path = ''] = address.slice(address.indexOf('://') + 3).split('?')
  return hasDotSegment(path)
}

const OUTSIDE_SERVICE = appError(
  'invalid-input',
  'The ID of the company or the name of the list has “.” or “..” as a part of a path, which would lead elsewhere.',
  'Nothing was sent. Check the name of the list. If the service gave this ID, ask its support.',
)

/** A request that was not sent. It has no line in the log. */
function notSent(error: AppError): Sent {
  return { result: { hasResponse: false, status: null, wasNotSent: true, error }, logEnd: () => undefined }
}

function failedWrite({ wasNotSent, error }: Extract<Exchange, { hasResponse: false }>): WriteResult<never> {
  return { outcome: wasNotSent ? 'not-sent' : 'uncertain', error }
}

function readWriteResponse<T>(
  raw: RawResponse,
  mask: Mask,
  decode: (raw: RawResponse) => Result<T>,
  refused: (decoded: T, raw: RawResponse) => AppError | null,
): WriteResult<T> {
  const decoded = decode(raw)
  if (!decoded.ok) {
    const outcome = decoded.error.kind === 'unauthorized' ? 'refused-key' : 'uncertain'
    return { outcome, error: decoded.error }
  }
  const refusal = refused(decoded.value, raw)
  return refusal === null
    ? { outcome: 'answered', envelope: decoded.value, text: () => redactedText(raw, mask) }
    : { outcome: 'refused-key', error: refusal }
}
