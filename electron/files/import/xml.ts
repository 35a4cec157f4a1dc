/** Reads XML as a stream with saxes: no document types, no custom entities, and limits on everything. */
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { damaged, type ImportLimits, Refused, suspicious, tooLarge } from './limits.ts'

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
 * @throws Refused
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
    if (cause instanceof Refused) throw cause
    throw damaged('A part is not UTF-8.')
  }
}

function attributesOf(tag: SaxesTagNS): Attributes {
  const attributes: Record<string, string> = {}
  for (const name in tag.attributes) attributes[name] = tag.attributes[name]?.value ?? ''
  return attributes
}
