/** The wire of one turn: its requests go one after another, each with its deadline, its log entry and its mark on disk. */
import type { LogEntry, Settings } from '../../shared/contract.ts'
import { appError, err, type AppError, type Result } from '../../shared/result.ts'
import { decodeEnvelope, decodeLegacyEnvelope } from './envelope.ts'
import { exchange, type Deadline, type Exchange } from './exchange.ts'
import { logEntry } from './log-entry.ts'
import { fullAddress, headersFor, hostOf, operationsFor, type Operation } from './operations.ts'
import type { Scheduler, SchedulerClock, Ticket } from './scheduler.ts'
import { refusedKeyOf } from './service-errors.ts'
import type { Fetch } from './transport.ts'
import { busyError } from './waiting.ts'
import type { Decoder, LegacyEnvelope, RawAnswer, ServiceTarget, Wire, WriteAnswer } from './wire.ts'

/** What a turn remembers between its requests. */
export interface TurnState {
  /** A request of this turn ended without an answer: something may be at work out there. */
  unanswered: boolean
  /** Milliseconds that the service asked to wait; `null` when it did not say. */
  retryAfter: number | null
  /** One request after another, also when the work of the turn forgets to wait. */
  last: Promise<unknown>
}

export interface TurnWireOptions {
  readonly ticket: Ticket
  readonly target: ServiceTarget
  readonly state: TurnState
  readonly scheduler: Scheduler
  readonly clock: SchedulerClock
  readonly settings: Settings
  readonly fetch: Fetch
  readonly log: (entry: LogEntry) => void
  /** Begins a deadline of so many seconds. */
  readonly startDeadline: (seconds: number) => Deadline & { readonly at: number }
}

export function createTurnWire(options: TurnWireOptions): Wire {
  const { ticket, target, state, scheduler, clock, settings } = options
  const operations = operationsFor(settings)

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
    const deadline = options.startDeadline(operation.seconds)
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
        secrets: [target.key, target.legacyKey],
        fetch: options.fetch,
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
    else if (decoded.ok) scheduler.resumeKey(target.connectionId)
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

  const writeEnvelope = (operation: Operation): Promise<WriteAnswer> =>
    write(operation, decodeEnvelope, (envelope) => refusedKeyOf(envelope))

  return {
    target,
    isStopped: ticket.isStopped,
    progress: (words) => {
      scheduler.progress(ticket, words)
    },
    listCompanies: (query, decode) => read(operations.listCompanies(query), decode),
    readRecords: (endpointId, object, query, decode) =>
      read(operations.readRecords(endpointId, object, query), decode),
    metadata: (object, applications, overlap, decode) =>
      read(operations.metadata(object, applications, overlap), decode),
    selectReport: (endpointId, name, from, to, decode) =>
      read(operations.selectReport(endpointId, name, from, to), decode),
    legacyListCompanies: ({ isActive }) =>
      read<LegacyEnvelope>(operations.legacyListCompanies(isActive), (raw) =>
        Promise.resolve(decodeLegacyEnvelope(raw)),
      ),
    insertRecords: (endpointId, object, body) =>
      writeEnvelope(operations.insertRecords(endpointId, object, body)),
    changeRecords: (endpointId, object, body) =>
      writeEnvelope(operations.changeRecords(endpointId, object, body)),
    provision: (body) => writeEnvelope(operations.provision(body)),
    deprovision: (body) => writeEnvelope(operations.deprovision(body)),
    createUser: (body) => writeEnvelope(operations.createUser(body)),
    legacyDeprovision: (body) => write(operations.legacyDeprovision(body), decodeLegacyEnvelope, () => null),
  }
}
