/**
 * Decodes a compressed response, within a limit of size. The program requests no compression, but a service or a gateway
 * may use it anyway.
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
import { causeText } from '../../../shared/result.ts'

/** A response can't be decompressed: its bytes are not what its head says, or they end too early. */
export class CodingError extends Error {
  override readonly name = 'CodingError'
}

/** The compressed response exceeds the size limit. */
export class PackedTooLargeError extends Error {
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
export interface PackedBytes {
  readonly received: (bytes: number) => void
  /** `true` from when bytes arrive until more are wanted, and after the last ones. */
  readonly unpacking: (isUnpacking: boolean) => void
}

/**
 * Decompresses a body as it arrives. Fails with the connection's error, a `CodingError`, or a `PackedTooLargeError`. The
 * reader limits the size of the result.
 * @param coding the `Content-Encoding` header
 */
export function decompressed(
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
