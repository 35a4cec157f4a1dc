/**
 * Reads the service's JSON without losing anything: a number stays its source text, so that no amount passes through a
 * binary float.
 */
import { type Result, appError, err, ok } from '../../../shared/result.ts'

/** Deeper answers are refused. No accounting record nests this deep, but hostile ones do. */
const DEEPEST = 64

/** Decodes UTF-8 strictly, since a broken character would silently change somebody's data. */
export function decodeUtf8(blocks: readonly Uint8Array[]): Result<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    let text = ''
    for (const block of blocks) text += decoder.decode(block, { stream: true })
    return ok(text + decoder.decode())
  } catch {
    return err(
      appError(
        'malformed-response',
        'The answer is not valid UTF-8 text.',
        'Try again. If this repeats, tell your provider.',
      ),
    )
  }
}

/** Parses JSON text. Numbers become strings of their source text. */
export function parseJsonText(text: string): Result<unknown> {
  const quoted = quoteNumbers(text)
  if (!quoted.ok) return malformed(text, quoted.because)
  try {
    return ok(JSON.parse(quoted.text))
  } catch {
    return malformed(text)
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/**
 * Puts quotes around each number outside strings, so that `JSON.parse` keeps its digits. Invalid numbers are left for
 * `JSON.parse` to refuse. A number as a name is refused here, because quotes would make it valid.
 */
function quoteNumbers(
  text: string,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly because: string } {
  const parts: string[] = []
  let from = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      at = endOfString(text, at)
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1
      if (depth > DEEPEST) return { ok: false, because: 'It is nested too deeply for an accounting record.' }
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      NUMBER.lastIndex = at
      const number = NUMBER.exec(text)?.[0]
      if (number === undefined) continue
      if (isBeforeColon(text, at + number.length))
        return { ok: false, because: 'A number stands where a name must be.' }
      parts.push(text.slice(from, at), '"', number, '"')
      from = at + number.length
      at = from - 1
    }
  }
  if (parts.length === 0) return { ok: true, text }
  parts.push(text.slice(from))
  return { ok: true, text: parts.join('') }
}

/** Whether a colon comes next, after blanks. */
function isBeforeColon(text: string, start: number): boolean {
  let at = start
  while (' \t\r\n'.includes(text.charAt(at)) && at < text.length) at += 1
  return text[at] === ':'
}

/** The index of the quote that closes the string which opens at `at`, or the end of the text. */
function endOfString(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 0x5c) index += 1
    else if (code === 0x22) return index
  }
  return text.length
}

/** The error for a body that is not an envelope. It quotes the first words. */
export function malformed(text: string, because = ''): Result<never> {
  return err(
    appError(
      'malformed-response',
      text.trim() === ''
        ? 'The service sent an empty answer.'
        : looksLikeHtml(text)
          ? 'A web page came back instead of the service’s answer.'
          : ['What came back is not an answer from the service.', because].filter(Boolean).join(' '),
      looksLikeHtml(text)
        ? 'Check the address of the connection. A sign-in page of a network or a proxy can also be in between.'
        : 'Check the address of the connection, and try again.',
      { raw: firstWords(text) },
    ),
  )
}

function looksLikeHtml(text: string): boolean {
  return /^\s*(?:<!doctype html|<html|<head|<body)/i.test(text.slice(0, 500))
}

/** The first words of a body, without markup and whitespace. */
export function firstWords(text: string, most = 200): string {
  const words = cut(text, 4_000)
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return cut(words, most)
}

// Limits the length of text that comes from elsewhere.

/** Marks a place where text was cut off. */
export const CUT = '…'

/** Cuts a text to `most` characters. The mark at the cut lets redaction find half a secret. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}${CUT}` : text
}

declare global {
  // TypeScript’s libraries lack it; Node.js and Chromium have it.
  interface JSON {
    rawJSON(text: string): RawJson
    isRawJSON(value: unknown): value is RawJson
  }
}

/** A number as its source text. */
export interface RawJson {
  readonly rawJSON: string
}

/**
 * Parses JSON whose numbers keep their source text as raw JSON, which `JSON.stringify` writes unchanged. Throws a
 * `SyntaxError` if the text is not JSON.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : value,
  )
}
