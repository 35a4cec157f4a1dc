/** A sealed file opens exactly or not at all, and a hostile header costs nothing. */
import { describe, expect, test } from 'vitest'
import {
  BrokenSealError,
  seal,
  type Sealed,
  unseal,
  WrongPassphraseError,
} from '../../../electron/files/backup/sealing.ts'
import { isDeep } from '../../seeds.ts'

const PASSPHRASE = 'correct horse battery'
const MEBIBYTE = 1024 * 1024

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size))
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const held: Uint8Array[] = []
  for await (const piece of pieces) held.push(piece)
  return Buffer.concat(held)
}

/** Bytes that differ from chunk to chunk. */
function bytesOf(length: number): Buffer {
  const numbers = Uint32Array.from({ length: Math.ceil(length / 4) }, (_, at) => at)
  return Buffer.from(numbers.buffer, 0, length)
}

async function sealedBytes(plain: Buffer): Promise<{ header: string; bytes: Buffer }> {
  const sealed = await seal(piecesOf(plain, 70_000), PASSPHRASE, 'About it.')
  return { header: sealed.header, bytes: await all(sealed.bytes) }
}

function opened(
  { header, bytes }: { header: string; bytes: Buffer },
  passphrase = PASSPHRASE,
): Promise<Buffer> {
  const sealed: Sealed = { header, bytes: piecesOf(bytes, 99_991) }
  return all(unseal(sealed, passphrase))
}

/** Each seal and unseal derives a key, which is slow by design. */
const LENGTHS = isDeep ? [1, MEBIBYTE - 1, 3 * MEBIBYTE] : []

test.each([0, MEBIBYTE, MEBIBYTE + 1, ...LENGTHS])('%i bytes are restored exactly', async (length) => {
  const plain = bytesOf(length)
  expect((await opened(await sealedBytes(plain))).equals(plain)).toBe(true)
})

describe('a changed file', () => {
  const CHUNK = MEBIBYTE + 16
  const CHANGES: readonly [string, (bytes: Buffer) => Buffer][] = [
    ['cut at a chunk', (bytes) => bytes.subarray(0, 2 * CHUNK)],
    ['cut within a chunk', (bytes) => bytes.subarray(0, 2 * CHUNK + 9)],
    ['cut to nothing', () => Buffer.alloc(0)],
    [
      'with two chunks in each other’s place',
      (bytes) =>
        Buffer.concat([
          bytes.subarray(CHUNK, 2 * CHUNK),
          bytes.subarray(0, CHUNK),
          bytes.subarray(2 * CHUNK),
        ]),
    ],
    ['without a chunk', (bytes) => Buffer.concat([bytes.subarray(0, CHUNK), bytes.subarray(2 * CHUNK)])],
    ['with a chunk twice', (bytes) => Buffer.concat([bytes.subarray(0, CHUNK), bytes])],
    ['with more behind it', (bytes) => Buffer.concat([bytes, Buffer.from('more')])],
    [
      'with one bit turned',
      (bytes) => Buffer.concat([bytes.subarray(0, 5), Buffer.from([(bytes[5] ?? 0) ^ 1]), bytes.subarray(6)]),
    ],
  ]
  const made = sealedBytes(bytesOf(2 * MEBIBYTE + 100))

  test.each(CHANGES)('%s doesn’t open', async (_what, change) => {
    const { header, bytes } = await made
    await expect(opened({ header, bytes: change(bytes) })).rejects.toThrow(BrokenSealError)
  })

  test('doesn’t open with another header or passphrase', async () => {
    const { header, bytes } = await made
    await expect(opened({ header: header.replace('About it.', 'Something else.'), bytes })).rejects.toThrow(
      BrokenSealError,
    )
    await expect(opened({ header, bytes }, 'correct horse batterx')).rejects.toThrow(WrongPassphraseError)
    const { bytes: others } = await sealedBytes(Buffer.from('another'))
    await expect(opened({ header, bytes: others })).rejects.toThrow(BrokenSealError)
  })

  test.each([
    ['more memory than any of ours', '"n": 131072', '"n": 1073741824'],
    ['no power of two', '"n": 131072', '"n": 131073'],
    ['more passes', '"p": 1', '"p": 1000000'],
    ['another block size', '"r": 8', '"r": 1048576'],
    ['a newer version', '"version": 1', '"version": 2'],
    ['no JSON', '{', '['],
  ])('whose header asks for %s isn’t even tried', async (_what, before, after) => {
    const { header, bytes } = await made
    expect(header).toContain(before)
    await expect(opened({ header: header.replace(before, after), bytes })).rejects.toThrow(
      'its header is not as it should be',
    )
  })
})
