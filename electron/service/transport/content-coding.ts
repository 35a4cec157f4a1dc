/** Takes off what a service, or a gateway in between, packed its answer with, though nobody asked it to. */
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

/** The answer came, and can't be unpacked: its bytes are not what its head says, or they end too soon. */
export class CodingError extends Error {
  override readonly name = 'CodingError'
}

/** More came than may be, still packed. */
export class PackedTooLargeError extends Error {
  override readonly name = 'PackedTooLargeError'
}

/** More codings over each other than any server uses. */
const MOST_CODINGS = 3

type Bytes = AsyncIterable<Uint8Array>

/** What follows the end would be dropped without a word, or not, depending on where it was cut into packets. */
const WHOLE = { rejectGarbageAfterEnd: true }

const STEPS: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip(WHOLE),
  'x-gzip': () => createGunzip(WHOLE),
  br: () => createBrotliDecompress(WHOLE),
  zstd: () => createZstdDecompress(WHOLE),
  deflate: () => Duplex.from(inflate),
}

/**
 * The body as it was before it was packed, piece by piece. It fails with what the connection fails with, and with a
 * `CodingError` or `PackedTooLargeError`; whoever reads bounds what comes out.
 * @param coding the header `Content-Encoding`
 */
export function unpacked(
  body: ReadableStream<Uint8Array>,
  coding: string | null,
  mostBytes: number,
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
  if (names.length > MOST_CODINGS || steps.length < names.length) {
    void body.cancel().catch(() => undefined)
    throw new CodingError(`Content-Encoding: ${names.join(', ').slice(0, 100)}`)
  }
  return NodeStream.from(unpack(body, steps.toReversed(), mostBytes)) as ReadableStream<Uint8Array>
}

async function* unpack(
  body: ReadableStream<Uint8Array>,
  steps: readonly Duplex[],
  mostBytes: number,
): AsyncGenerator<Uint8Array> {
  const failed: unknown[] = []
  const packed = bounded(body, mostBytes, failed)
  const first = await packed.next()
  // An answer without a body may name a coding all the same.
  if (first.done === true) return
  const all = pipeline([Readable.from(preceded(first.value, packed)), ...steps], () => undefined)
  try {
    yield* all as unknown as Bytes
  } catch (cause) {
    if (failed.length > 0) throw failed[0]
    throw new CodingError(causeText(cause), { cause })
  }
}

/** The bytes as they come. What this fails with is noted: whatever fails otherwise is the unpacking. */
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

/** By its first byte: the specification asks for a zlib head, which some servers leave out. */
async function* inflate(source: Bytes): AsyncGenerator<Uint8Array> {
  const pieces = bounded(source, Number.POSITIVE_INFINITY, [])
  const first = await pieces.next()
  if (first.done === true) return
  const hasHead = ((first.value[0] ?? 0) & 0x0f) === 8
  const inflater = hasHead ? createInflate(WHOLE) : createInflateRaw(WHOLE)
  yield* pipeline(
    [Readable.from(preceded(first.value, pieces)), inflater],
    () => undefined,
  ) as unknown as Bytes
}
