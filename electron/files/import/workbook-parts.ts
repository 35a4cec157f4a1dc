/**
 * Reads the parts of a workbook: its ZIP file with yauzl and its XML with saxes, with limits on everything that a
 * malicious file could make large.
 */
import type { Readable } from 'node:stream'
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl'
import { causeText } from '../../../shared/result.ts'
import { damaged, type ImportLimits, ImportRefusedError, suspicious, tooLarge } from './limits.ts'

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
   * @throws ImportRefusedError
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
      throw cause instanceof ImportRefusedError ? cause : damaged(causeText(cause))
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
 * @throws ImportRefusedError
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
    throw cause instanceof ImportRefusedError ? cause : damaged(causeText(cause))
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
      throw new ImportRefusedError(
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

// XML is read as a stream: no document types, no custom entities, and limits on everything.

export type Attributes = Readonly<Record<string, string>>

/**
 * Receives the elements in the namespace of the root element. Elements of other namespaces are skipped with
 * their content.
 */
export interface XmlListener {
  /** Called at the start of an element. Its name has no prefix; its attributes keep theirs. */
  readonly open?: (name: string, attributes: Attributes) => void
  readonly close?: (name: string) => void
  readonly text?: (text: string) => void
  /** Called occasionally. Whether enough was read. */
  readonly isDone?: () => boolean
}

/** Markup compatibility (ECMA-376 part 3): fallbacks for content that a program doesn't know. */
const COMPATIBILITY = new Set([
  'http://schemas.openxmlformats.org/markup-compatibility/2006',
  'http://purl.oclc.org/ooxml/markup-compatibility',
])

/**
 * Calls the listener as the XML arrives.
 * @throws ImportRefusedError
 */
export async function readXml(
  pieces: AsyncIterable<Uint8Array>,
  limits: Pick<ImportLimits, 'depth' | 'token'>,
  listener: XmlListener,
): Promise<void> {
  const parser = new SaxesParser({ xmlns: true })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let depth = 0
  let sinceEvent = 0
  let namespace: string | undefined
  /** Depth of the element being skipped; 0 if there is none. */
  let leftOut = 0
  parser.on('doctype', () => {
    throw suspicious('A part has a document type.')
  })
  parser.on('error', (cause) => {
    throw damaged(cause.message)
  })
  parser.on('opentag', (tag) => {
    sinceEvent = 0
    depth += 1
    if (depth > limits.depth) throw suspicious('Elements are nested too deeply.')
    if (leftOut > 0) return
    namespace ??= tag.uri
    // Extensions may hold anything, also elements of the part's own names.
    if (tag.uri === namespace && tag.local === 'extLst') leftOut = depth
    else if (tag.uri === namespace) listener.open?.(tag.local, attributesOf(tag))
    else if (!COMPATIBILITY.has(tag.uri) || tag.local === 'Choice') leftOut = depth
  })
  parser.on('closetag', (tag) => {
    sinceEvent = 0
    if (leftOut === 0 && tag.uri === namespace) listener.close?.(tag.local)
    if (leftOut === depth) leftOut = 0
    depth -= 1
  })
  const onText = (text: string): void => {
    sinceEvent = 0
    if (text.length > limits.token) throw tooLarge('longer texts')
    if (leftOut === 0) listener.text?.(text)
  }
  parser.on('text', onText)
  parser.on('cdata', onText)
  for await (const piece of pieces) {
    const text = decode(decoder, piece)
    sinceEvent += text.length
    parser.write(text)
    // The parser buffers a text, comment, or tag until it ends.
    if (sinceEvent > limits.token) throw tooLarge('longer texts')
    if (listener.isDone?.() === true) return
  }
  parser.close()
}

function decode(decoder: TextDecoder, piece: Uint8Array): string {
  try {
    return decoder.decode(piece, { stream: true })
  } catch (cause) {
    if (cause instanceof ImportRefusedError) throw cause
    throw damaged('A part is not UTF-8.')
  }
}

function attributesOf(tag: SaxesTagNS): Attributes {
  const attributes: Record<string, string> = {}
  for (const name in tag.attributes) attributes[name] = tag.attributes[name]?.value ?? ''
  return attributes
}
