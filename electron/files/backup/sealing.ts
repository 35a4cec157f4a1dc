/**
 * Encrypts and authenticates bytes with a passphrase. The key is derived with scrypt and a random salt per
 * file. The bytes are split into chunks for AES-256-GCM, so that neither side holds more than two of them. Each
 * chunk's nonce contains its number and whether it is the last, so that missing, moved, or added chunks are
 * detected. The header is authenticated with every chunk.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { normalizePassphrase } from '../../../shared/passphrase.ts'

const CIPHER = 'aes-256-gcm'
const CHUNK = 1024 * 1024
const TAG = 16
const KEY = 32
/** Bytes derived with the key that distinguish a wrong passphrase from a damaged file. */
const CHECK = 16

/** 128 MiB, and about half a second on a current computer. */
const COST = { n: 2 ** 17, r: 8, p: 1 } as const
/** Limit on the cost in a header: 256 MiB. */
const MAX_COST = 2 ** 18

const headerSchema = z.object({
  format: z.literal('bookbridge-sealed'),
  version: z.literal(1),
  scrypt: z.object({
    n: z
      .int()
      .min(2 ** 14)
      .max(MAX_COST)
      .refine((n) => (n & (n - 1)) === 0),
    r: z.literal(COST.r),
    p: z.literal(COST.p),
    salt: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  check: z.string().regex(/^[0-9a-f]{32}$/),
})

type Header = z.output<typeof headerSchema>

/** The passphrase is wrong. */
export class WrongPassphraseError extends Error {}

/** The sealed bytes were changed, truncated, or damaged. */
export class BrokenSealError extends Error {}

export interface Sealed {
  /** Must be stored with the bytes, unchanged. */
  readonly header: string
  readonly bytes: AsyncIterable<Uint8Array>
}

/** @param about a sentence for people who open the file with another program */
export async function seal(
  bytes: AsyncIterable<Uint8Array>,
  passphrase: string,
  about: string,
): Promise<Sealed> {
  const parameters = { ...COST, salt: randomBytes(32).toString('hex') }
  const { key, check } = await derive(passphrase, parameters)
  const header: Header = {
    format: 'bookbridge-sealed',
    version: 1,
    scrypt: parameters,
    check: check.toString('hex'),
  }
  const text = `${JSON.stringify({ about, ...header }, null, 2)}\n`
  return { header: text, bytes: sealedChunks(bytes, key, Buffer.from(text)) }
}

/**
 * Decrypts sealed bytes. None may be used before all have arrived, because only the last chunk proves that none
 * is missing.
 * @throws WrongPassphraseError, BrokenSealError
 */
export async function* unseal(sealed: Sealed, passphrase: string): AsyncGenerator<Uint8Array> {
  const header = headerOf(sealed.header)
  const { key, check } = await derive(passphrase, header.scrypt)
  if (!timingSafeEqual(check, Buffer.from(header.check, 'hex'))) throw new WrongPassphraseError()
  const about = Buffer.from(sealed.header)
  for await (const { chunk, nonce } of inChunks(sealed.bytes, CHUNK + TAG)) {
    if (chunk.length < TAG) throw new BrokenSealError('a chunk is cut')
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG })
    decipher.setAAD(about)
    decipher.setAuthTag(chunk.subarray(chunk.length - TAG))
    const plain = decipher.update(chunk.subarray(0, chunk.length - TAG))
    try {
      decipher.final()
    } catch {
      throw new BrokenSealError('a chunk is not as it was sealed')
    }
    yield plain
  }
}

async function* sealedChunks(
  bytes: AsyncIterable<Uint8Array>,
  key: Buffer,
  about: Buffer,
): AsyncGenerator<Uint8Array> {
  for await (const { chunk, nonce } of inChunks(bytes, CHUNK)) {
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG })
    cipher.setAAD(about)
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  }
}

/** Splits pieces of any size into chunks of one size. The last chunk is only empty if there are no bytes. */
async function* inChunks(
  pieces: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ readonly chunk: Buffer; readonly nonce: Buffer }> {
  let [held, heldBytes, count]: [Uint8Array[], number, number] = [[], 0, 0]
  for await (const piece of pieces) {
    held.push(piece)
    heldBytes += piece.byteLength
    if (heldBytes <= size) continue
    const all = Buffer.concat(held)
    let at = 0
    for (; all.length - at > size; at += size) {
      yield { chunk: all.subarray(at, at + size), nonce: nonceOf(count, false) }
      count += 1
    }
    held = [all.subarray(at)]
    heldBytes = all.length - at
  }
  yield { chunk: Buffer.concat(held), nonce: nonceOf(count, true) }
}

function nonceOf(count: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(count, 0, 6)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}

function headerOf(text: string): Header {
  try {
    return headerSchema.parse(JSON.parse(text))
  } catch {
    throw new BrokenSealError('its header is not as it should be')
  }
}

function derive(
  passphrase: string,
  { n, r, p, salt }: Header['scrypt'],
): Promise<{ readonly key: Buffer; readonly check: Buffer }> {
  const memory = 128 * n * r
  const options = { N: n, r, p, maxmem: 2 * memory }
  return new Promise((resolve, reject) => {
    scrypt(normalizePassphrase(passphrase), Buffer.from(salt, 'hex'), KEY + CHECK, options, (error, made) => {
      if (error === null) resolve({ key: made.subarray(0, KEY), check: made.subarray(KEY) })
      else reject(error)
    })
  })
}
