/**
 * One request and its whole response. ofetch runs over the transport's `fetch`, with its retries and time-out off and
 * redirects refused. The deadline runs to the end of the body, which is decompressed if needed and limited in size.
 */
import { Duplex, pipeline, Readable } from 'node:stream'
import { ReadableStream as NodeStream } from 'node:stream/web'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { createFetch } from 'ofetch'
import { type AppError, appError, causeText } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { failureOf, timedOutError } from '../errors/failures.ts'
import { redact } from '../errors/redact.ts'
import type { Mask, OnBytes, RawResponse } from '../protocol/wire.ts'
import type { Deadline } from './deadline.ts'
import type { Fetch } from './transport.ts'

/** A request. `body` is the exact JSON text. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly url: string
  /** Shown to the user instead of the address. */
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly seconds: number
  readonly mostBytes: number
  /** Masks what must not appear in an error. */
  readonly mask: Mask
  readonly fetch: Fetch
  /** Receives a copy of a successful response's bytes, in order, as they arrive. */
  readonly onBytes?: OnBytes | undefined
}

/** The result of a request. `wasNotSent` proves that no byte of it left this computer. */
export type Exchange =
  | { readonly hasResponse: true; readonly raw: RawResponse; readonly retryAfter: string | null }
  | {
      readonly hasResponse: false
      readonly error: AppError
      readonly wasNotSent: boolean
      /** For the log: the status, if it arrived before the rest failed. */
      readonly status: number | null
    }

const FIRST_BLOCK = 64 * 1024
const LARGEST_BLOCK = 1024 * 1024
/** Milliseconds that bytes wait for the rest of their block before `onBytes` gets them. */
const FLUSH_INTERVAL = 400

/** Sends one request and reads its response to the end. Never throws. */
export async function exchange(
  outgoing: OutgoingRequest,
  deadline: Deadline,
  clock: Pick<Clock, 'elapsed'>,
): Promise<Exchange> {
  let status: number | null = null
  try {
    const send = createFetch({
      fetch: (input, init) => outgoing.fetch(input, init, () => !deadline.hasPassed()),
    })
    const response = await send.raw<never, 'stream'>(outgoing.url, {
      method: outgoing.method,
      headers: { ...outgoing.headers },
      ...(outgoing.body === null ? {} : { body: outgoing.body }),
      responseType: 'stream',
      redirect: 'manual',
      retry: 0,
      ignoreResponseError: true,
      signal: deadline.signal,
    })
    status = response.status
    deadline.received(1)
    if (status >= 300 && status < 400) {
      return { hasResponse: false, status, wasNotSent: false, error: redirected(outgoing.host, status) }
    }
    const onBytes = status < 300 ? outgoing.onBytes : undefined
    const { mostBytes } = outgoing
    const coding = response.headers.get('content-encoding')
    const body = response.body && decompressed(response.body, coding, mostBytes, deadline)
    const received = body === response.body ? deadline.received : () => undefined
    const blocks = await collect(body, mostBytes, { signal: deadline.signal, received }, clock, onBytes)
    if (blocks === null) {
      return { hasResponse: false, status, wasNotSent: false, error: tooLarge(mostBytes) }
    }
    return {
      hasResponse: true,
      retryAfter: response.headers.get('retry-after'),
      raw: { status, contentType: response.headers.get('content-type') ?? '', ...blocks },
    }
  } catch (error) {
    if (deadline.isOver()) {
      return { hasResponse: false, status, wasNotSent: false, error: timedOutError(outgoing.seconds) }
    }
    if (error instanceof PackedTooLargeError) {
      return { hasResponse: false, status, wasNotSent: false, error: tooLarge(outgoing.mostBytes) }
    }
    if (error instanceof CodingError) {
      return { hasResponse: false, status, wasNotSent: false, error: notUnpacked(outgoing, error, status) }
    }
    const failure = failureOf(error, outgoing.host, outgoing.mask)
    // Once a status has arrived, the request was sent, whatever the code says.
    return {
      hasResponse: false,
      status,
      wasNotSent: failure.wasNotSent && status === null,
      error: failure.error,
    }
  } finally {
    deadline.clear()
  }
}

/** Copies the body into blocks that own their memory and can be transferred; `null` if it exceeds the limit. */
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
      if (clock.elapsed() - handedOnAt >= FLUSH_INTERVAL) handOn()
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
    `${host} redirected to another address.`,
    'Bookbridge doesn’t send the key to another address. Ask your provider for the right one.',
    { status, code: `HTTP ${String(status)}` },
  )
}

function notUnpacked(
  { host, mask }: OutgoingRequest,
  { message }: CodingError,
  status: number | null,
): AppError {
  return appError(
    'malformed-response',
    `${host} sent compressed data that can’t be read.`,
    'Try again. If this repeats, tell the service’s support or your network administrator.',
    { raw: redact(message, mask, 500), ...(status === null ? {} : { status }) },
  )
}

function tooLarge(mostBytes: number): AppError {
  return appError(
    'too-large',
    `The response is larger than ${String(Math.round(mostBytes / 1_048_576))} MB.`,
    'Request less at once, such as only what changed since a date, or allow larger responses in Settings.',
    { code: 'size' },
  )
}

/*
 * Decompression, within a limit of size. The program requests no compression, but a service or a gateway may use it
 * anyway.
 */

/** A response can't be decompressed: its bytes are not what its head says, or they end too early. */
class CodingError extends Error {
  override readonly name = 'CodingError'
}

/** The compressed response exceeds the size limit. */
class PackedTooLargeError extends Error {
  override readonly name = 'PackedTooLargeError'
}

/** More encodings than any server combines. */
const MAX_CODINGS = 3

type Bytes = AsyncIterable<Uint8Array>

/** Without this, bytes after the end would be dropped or not, depending on the packets. */
const WHOLE = { rejectGarbageAfterEnd: true }

const STEPS: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip(WHOLE),
  'x-gzip': () => createGunzip(WHOLE),
  br: () => createBrotliDecompress(WHOLE),
  zstd: () => createZstdDecompress(WHOLE),
  deflate: () => Duplex.from(inflate),
}

/** Follows the compressed bytes. */
interface PackedBytes {
  readonly received: (bytes: number) => void
  /** `true` from when bytes arrive until more are wanted, and after the last ones. */
  readonly unpacking: (isUnpacking: boolean) => void
}

/**
 * Decompresses a body as it arrives. Fails with the connection's error, a `CodingError`, or a `PackedTooLargeError`. The
 * reader limits the size of the result.
 * @param coding the `Content-Encoding` header
 */
function decompressed(
  body: ReadableStream<Uint8Array>,
  coding: string | null,
  mostBytes: number,
  packedBytes: PackedBytes,
): ReadableStream<Uint8Array> {
  const names = (coding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length === 0) return body
  const steps = names.flatMap((name) => {
    const step = Object.hasOwn(STEPS, name) ? STEPS[name]?.() : undefined
    return step === undefined ? [] : [step]
  })
  if (names.length > MAX_CODINGS || steps.length < names.length) {
    void body.cancel().catch(() => undefined)
    throw new CodingError(`Content-Encoding: ${names.join(', ').slice(0, 100)}`)
  }
  const packed = followed(body, packedBytes)
  return NodeStream.from(unpack(packed, steps.toReversed(), mostBytes)) as ReadableStream<Uint8Array>
}

async function* followed(source: Bytes, { received, unpacking }: PackedBytes): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    received(piece.length)
    unpacking(true)
    yield piece
    unpacking(false)
  }
  unpacking(true)
}

async function* unpack(body: Bytes, steps: readonly Duplex[], mostBytes: number): AsyncGenerator<Uint8Array> {
  const failed: unknown[] = []
  const packed = bounded(body, mostBytes, failed)
  const first = await packed.next()
  // A response without a body may still name an encoding.
  if (first.done === true) return
  try {
    yield* through(preceded(first.value, packed), steps)
  } catch (cause) {
    if (failed.length > 0) throw failed[0]
    throw new CodingError(causeText(cause), { cause })
  }
}

/** The bytes as they arrive. Records its own failure, so that any other failure is the decompression's. */
async function* bounded(source: Bytes, mostBytes: number, failed: unknown[]): AsyncGenerator<Uint8Array> {
  let length = 0
  try {
    for await (const piece of source) {
      length += piece.length
      if (length > mostBytes) throw new PackedTooLargeError()
      if (piece.length > 0) yield piece
    }
  } catch (cause) {
    failed.push(cause)
    throw cause
  }
}

async function* preceded(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

/** Deflate with or without a zlib header, which is required but which some servers omit. */
async function* inflate(source: Bytes): AsyncGenerator<Uint8Array> {
  const pieces = bounded(source, Number.POSITIVE_INFINITY, [])
  const first = await pieces.next()
  if (first.done === true) return
  const hasHead = ((first.value[0] ?? 0) & 0x0f) === 8
  const inflater = hasHead ? createInflate(WHOLE) : createInflateRaw(WHOLE)
  yield* through(preceded(first.value, pieces), [inflater])
}

function through(source: Bytes, steps: readonly Duplex[]): Bytes {
  return pipeline([Readable.from(source), ...steps], () => undefined) as unknown as Bytes
}
