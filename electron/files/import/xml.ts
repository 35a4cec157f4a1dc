/** Reads XML as a stream, by saxes: no document types, no entities of a file's own, nothing without a limit. */
import { SaxesParser } from 'saxes'
import { type ImportLimits, Refused, damaged, suspicious, tooLarge } from './limits.ts'

export type Attributes = Readonly<Record<string, string>>

export interface XmlListener {
  /** An element begins; names come without their prefix, attributes with theirs. */
  readonly open?: (name: string, attributes: Attributes) => void
  readonly close?: (name: string) => void
  readonly text?: (text: string) => void
  /** Asked now and then: whether enough was read. */
  readonly isDone?: () => boolean
}

/** Calls the listener as the XML comes. Throws `Refused`. */
export async function readXml(
  pieces: AsyncIterable<Uint8Array>,
  limits: Pick<ImportLimits, 'depth' | 'token'>,
  listener: XmlListener,
): Promise<void> {
  const parser = new SaxesParser()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let depth = 0
  let sinceEvent = 0
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
    listener.open?.(localName(tag.name), tag.attributes)
  })
  parser.on('closetag', (tag) => {
    sinceEvent = 0
    depth -= 1
    listener.close?.(localName(tag.name))
  })
  const onText = (text: string): void => {
    sinceEvent = 0
    if (text.length > limits.token) throw tooLarge('longer texts')
    listener.text?.(text)
  }
  parser.on('text', onText)
  parser.on('cdata', onText)
  for await (const piece of pieces) {
    const text = decode(decoder, piece)
    sinceEvent += text.length
    parser.write(text)
    // A text, comment or tag that does not end is held until it does.
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

function localName(name: string): string {
  const colon = name.indexOf(':')
  return colon < 0 ? name : name.slice(colon + 1)
}
