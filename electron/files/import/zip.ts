/** Reads the parts of a ZIP file with yauzl, with limits on everything that a malicious file could make large. */
import type { Readable } from 'node:stream'
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl'
import { causeText } from '../../../shared/result.ts'
import { damaged, type ImportLimits, Refused, suspicious, tooLarge } from './limits.ts'

/** Parts that unpack to less than this are harmless, however well they are compressed. */
const HARMLESS_BYTES = 1024 * 1024

export class ZipParts {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #limits: ImportLimits

  constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, limits: ImportLimits) {
    this.#zip = zip
    this.#entries = entries
    this.#limits = limits
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase())
  }

  /**
   * Returns a part's bytes in pieces. Names are case-insensitive (ECMA-376 part 2).
   * @throws Refused
   */
  async *read(name: string): AsyncGenerator<Uint8Array, void, undefined> {
    const entry = this.#entries.get(name.toLowerCase())
    if (entry === undefined) throw damaged(`There is no part ${name}.`)
    let stream: Readable
    try {
      stream = await this.#zip.openReadStreamPromise(entry)
    } catch (cause) {
      throw damaged(causeText(cause))
    }
    let bytes = 0
    try {
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        bytes += piece.byteLength
        // The declared size may be false, so count the actual bytes, too.
        if (bytes > this.#limits.partBytes || bytes > entry.uncompressedSize) throw tooLarge('more data')
        yield piece
      }
    } catch (cause) {
      throw cause instanceof Refused ? cause : damaged(causeText(cause))
    } finally {
      stream.destroy()
    }
  }

  close(): void {
    this.#zip.close()
  }
}

/** A file's path or its content. */
export type FileContent = string | Uint8Array

/**
 * Opens a ZIP file and checks its list of parts without unpacking anything.
 * @throws Refused
 */
export async function openZip(file: FileContent, limits: ImportLimits): Promise<ZipParts> {
  let zip: ZipFile
  try {
    const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true }
    zip =
      typeof file === 'string'
        ? await openPromise(file, options)
        : await fromBufferPromise(Buffer.from(file.buffer, file.byteOffset, file.byteLength), options)
  } catch (cause) {
    throw damaged(causeText(cause))
  }
  try {
    if (zip.entryCount > limits.parts) throw tooLarge('more parts')
    return new ZipParts(zip, await listEntries(zip, limits), limits)
  } catch (cause) {
    zip.close()
    throw cause instanceof Refused ? cause : damaged(causeText(cause))
  }
}

async function listEntries(zip: ZipFile, limits: ImportLimits): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>()
  let unpacked = 0
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.toLowerCase()
    if (entries.size >= limits.parts) throw tooLarge('more parts')
    if (entries.has(name)) throw suspicious(`Two parts are called ${entry.fileName}.`)
    if (entry.isEncrypted()) {
      throw new Refused(
        'This workbook is protected with a password.',
        'Open it in Excel, save it without the password, and import that.',
      )
    }
    unpacked += entry.uncompressedSize
    if (entry.uncompressedSize > limits.partBytes || unpacked > limits.unpackedBytes)
      throw tooLarge('more data')
    const ratio = entry.uncompressedSize / Math.max(1, entry.compressedSize)
    if (entry.uncompressedSize > HARMLESS_BYTES && ratio > limits.ratio)
      throw suspicious(`${entry.fileName} unpacks to ${Math.round(ratio).toString()} times its size.`)
    entries.set(name, entry)
  }
  return entries
}
