/**
 * One request and its whole answer: by ofetch over the transport's `fetch`, with its retries and its own time-out
 * off and redirects refused; the deadline runs to the end of the body, and the body's size is capped.
 */
import { createFetch } from 'ofetch'
import { type AppError, appError } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { failureOf, timedOut } from '../errors/failures.ts'
import { redact } from '../errors/redact.ts'
import type { OnBytes, RawAnswer } from '../protocol/wire.ts'
import { CodingError, PackedTooLargeError, unpacked } from './content-coding.ts'
import type { Fetch } from './transport.ts'

/** What is sent. `body` is the exact JSON text. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly url: string
  /** Shown to the person instead of the address. */
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly seconds: number
  readonly mostBytes: number
  /** Words that must not appear in an error. */
  readonly secrets: readonly string[]
  readonly fetch: Fetch
  /** Hears a copy of a good answer's bytes while more of them are still coming, in their order. */
  readonly onBytes?: OnBytes | undefined
}

/** `nothingLeft`: proven that no byte of the request left this computer. */
export type Exchange =
  | { readonly came: true; readonly raw: RawAnswer; readonly retryAfter: string | null }
  | {
      readonly came: false
      readonly error: AppError
      readonly nothingLeft: boolean
      /** The status, when it came before the rest failed; for the log. */
      readonly status: number | null
    }

const FIRST_BLOCK = 64 * 1024
const LARGEST_BLOCK = 1024 * 1024
/** Milliseconds that bytes which have come wait for the rest of their block before somebody who listens has them. */
const PATIENCE = 400

/** Sends one request and reads its answer to the end. Never throws. */
export async function exchange(
  outgoing: Outgoing,
  deadline: Deadline,
  clock: Pick<Clock, 'elapsed'>,
): Promise<Exchange> {
  let status: number | null = null
  try {
    const send = createFetch({
      fetch: (input, init) => outgoing.fetch(input, init, () => !deadline.hasPassed()),
    })
    const answer = await send.raw<never, 'stream'>(outgoing.url, {
      method: outgoing.method,
      headers: { ...outgoing.headers },
      ...(outgoing.body === null ? {} : { body: outgoing.body }),
      responseType: 'stream',
      redirect: 'manual',
      retry: 0,
      ignoreResponseError: true,
      signal: deadline.signal,
    })
    status = answer.status
    deadline.received(1)
    if (status >= 300 && status < 400) {
      return { came: false, status, nothingLeft: false, error: redirected(outgoing.host, status) }
    }
    const onBytes = status < 300 ? outgoing.onBytes : undefined
    const { mostBytes } = outgoing
    const coding = answer.headers.get('content-encoding')
    const body = answer.body && unpacked(answer.body, coding, mostBytes)
    const blocks = await collect(body, mostBytes, deadline, clock, onBytes)
    if (blocks === null) {
      return { came: false, status, nothingLeft: false, error: tooLarge(mostBytes) }
    }
    return {
      came: true,
      retryAfter: answer.headers.get('retry-after'),
      raw: { status, contentType: answer.headers.get('content-type') ?? '', ...blocks },
    }
  } catch (error) {
    if (deadline.isOver()) {
      return { came: false, status, nothingLeft: false, error: timedOut(outgoing.seconds) }
    }
    if (error instanceof PackedTooLargeError) {
      return { came: false, status, nothingLeft: false, error: tooLarge(outgoing.mostBytes) }
    }
    if (error instanceof CodingError) {
      return { came: false, status, nothingLeft: false, error: notUnpacked(outgoing, error, status) }
    }
    const failure = failureOf(error, outgoing.host, outgoing.secrets)
    // Once a status has come, the request has left, whatever the code says.
    return { came: false, status, nothingLeft: failure.nothingLeft && status === null, error: failure.error }
  } finally {
    deadline.clear()
  }
}

/** Copies the body into blocks of its own memory, so that they can be transferred; `null` past the cap. */
async function collect(
  body: ReadableStream<Uint8Array> | null,
  mostBytes: number,
  { signal, received }: Pick<Deadline, 'signal' | 'received'>,
  clock: Pick<Clock, 'elapsed'>,
  onBytes?: OnBytes,
): Promise<{ blocks: Uint8Array<ArrayBuffer>[]; length: number } | null> {
  if (body === null) return { blocks: [], length: 0 }
  const blocks: Uint8Array<ArrayBuffer>[] = []
  let block = new Uint8Array(FIRST_BLOCK)
  let used = 0
  let length = 0
  let handedOn = 0
  let handedOnAt = clock.elapsed()
  const handOn = (): void => {
    if (used > handedOn) onBytes?.(block.slice(handedOn, used))
    handedOn = used
    handedOnAt = clock.elapsed()
  }
  const reader = body.getReader()
  const abort = (): void => {
    void reader.cancel(signal.reason).catch(() => undefined)
  }
  signal.addEventListener('abort', abort, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) break
      length += value.length
      received(value.length)
      if (length > mostBytes) {
        void reader.cancel().catch(() => undefined)
        return null
      }
      let at = 0
      while (at < value.length) {
        if (used === block.length) {
          handOn()
          blocks.push(block)
          block = new Uint8Array(Math.min(LARGEST_BLOCK, block.length * 2))
          used = 0
          handedOn = 0
        }
        const piece = Math.min(value.length - at, block.length - used)
        block.set(value.subarray(at, at + piece), used)
        used += piece
        at += piece
      }
      if (clock.elapsed() - handedOnAt >= PATIENCE) handOn()
    }
  } finally {
    signal.removeEventListener('abort', abort)
  }
  if (used > 0) blocks.push(block.subarray(0, used))
  return { blocks, length }
}

function redirected(host: string, status: number): AppError {
  return appError(
    'redirected',
    `${host} answered by pointing to another address.`,
    'The key is sent nowhere else. Ask your provider for the service’s own address.',
    { status, code: `HTTP ${String(status)}` },
  )
}

function notUnpacked({ host, secrets }: Outgoing, { message }: CodingError, status: number | null): AppError {
  return appError(
    'malformed-response',
    `${host} answered with data that was compressed and can’t be unpacked.`,
    'Try again. If it stays, tell the service’s support, or whoever looks after the network in between.',
    { raw: redact(message, secrets, 500), ...(status === null ? {} : { status }) },
  )
}

function tooLarge(mostBytes: number): AppError {
  return appError(
    'too-large',
    `The answer is larger than ${String(Math.round(mostBytes / 1_048_576))} MiB.`,
    'Ask for less at once, for example what changed since a date, or allow larger answers in Settings.',
    { code: 'size' },
  )
}

/*
 * The deadline of one request. After a sleep, or while the event loop is held up, its timer rings before bytes that
 * wait in the socket are read: so when it rings, those are read first, and only then is the request called timed out.
 */

export interface Deadline {
  /** When it passes by the wall clock, in milliseconds since 1970. */
  readonly at: number
  /** Aborts when it has passed and nothing more of the answer waits in the socket. */
  readonly signal: AbortSignal
  /** Whether `signal` was aborted. */
  readonly isOver: () => boolean
  /** Whether it has passed, by either clock: from then on nothing may leave. */
  readonly hasPassed: () => boolean
  /** Milliseconds until it passes, however the wall clock was set meanwhile; 0 when it has. */
  readonly left: () => number
  /** So many bytes of the answer came; its head counts as one. */
  readonly received: (bytes: number) => void
  /** Ends the request now if the deadline has passed by the wall clock: after a sleep, timers lag behind it. */
  readonly check: () => void
  /** The request has ended. */
  readonly clear: () => void
}

/** Turns of the event loop without a byte after which no more of the answer waits on this computer. */
const QUIET_TURNS = 3
/** Bytes: more than the system holds for a socket, so what comes after them is not what waited. */
const MOST_WAITING = 16 * 1024 * 1024

export function startDeadline(clock: Clock, seconds: number): Deadline {
  const controller = new AbortController()
  const at = clock.now() + seconds * 1_000
  const elapsedAt = clock.elapsed() + seconds * 1_000
  let state: 'running' | 'passed' | 'over' | 'cleared' = 'running'
  let received = 0

  const readWhatWaits = async (): Promise<void> => {
    const first = received
    let before = received
    let quiet = 0
    while (quiet < QUIET_TURNS && before - first < MOST_WAITING && state === 'passed') {
      // Sockets are read before the event loop comes here.
      await new Promise((resolve) => setImmediate(resolve))
      quiet = received === before ? quiet + 1 : 0
      before = received
    }
  }
  const pass = (): void => {
    if (state !== 'running') return
    state = 'passed'
    void clock.during(readWhatWaits()).then(() => {
      if (state !== 'passed') return
      state = 'over'
      controller.abort(new Error('The deadline has passed.'))
    })
  }
  const cancel = clock.after(seconds * 1_000, pass)

  return {
    at,
    signal: controller.signal,
    isOver: () => state === 'over',
    hasPassed: () => state !== 'running' || clock.now() >= at || clock.elapsed() >= elapsedAt,
    left: () => (state === 'over' ? 0 : Math.max(0, elapsedAt - clock.elapsed())),
    received(bytes) {
      received += bytes
    },
    check() {
      if (clock.now() >= at) pass()
    },
    clear() {
      cancel()
      if (state !== 'over') state = 'cleared'
    },
  }
}
