/**
 * Decodes the bytes of a response: first its JSON, without losing anything, then the envelope. A number stays its
 * source text, so that no amount passes through a binary float.
 */
import { isObject } from '../../../shared/records/changes.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import type { Envelope, EnvelopeItem, LegacyEnvelope, RawResponse, ServiceError } from './wire.ts'

/** Deeper responses are refused. No accounting record nests this deep, but hostile ones do. */
const DEEPEST = 64

/** Decodes UTF-8 strictly, because a broken character would silently change someone's data. */
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
        'The response isn’t valid UTF-8 text.',
        'Try again. If this repeats, tell your provider.',
      ),
    )
  }
}

/** Parses JSON text. Numbers become strings of their source text. */
export function parseJsonText(text: string): Result<unknown> {
  const quoted = quoteNumbers(text)
  if (!quoted.ok) return malformed(text, quoted.reason)
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
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string } {
  const parts: string[] = []
  let from = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      at = endOfString(text, at)
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1
      if (depth > DEEPEST) return { ok: false, reason: 'It is nested too deeply for an accounting record.' }
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      NUMBER.lastIndex = at
      const number = NUMBER.exec(text)?.[0]
      if (number === undefined) continue
      if (isBeforeColon(text, at + number.length))
        return { ok: false, reason: 'A number stands where a name must be.' }
      parts.push(text.slice(from, at), '"', number, '"')
      from = at + number.length
      at = from - 1
    }
  }
  if (parts.length === 0) return { ok: true, text }
  parts.push(text.slice(from))
  return { ok: true, text: parts.join('') }
}

/** Whether a colon comes next, after whitespace. */
function isBeforeColon(text: string, start: number): boolean {
  let at = start
  while (' \t\r\n'.includes(text.charAt(at)) && at < text.length) at += 1
  return text[at] === ':'
}

/** The index of the quote that closes the string that opens at `at`, or the end of the text. */
function endOfString(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 0x5c) index += 1
    else if (code === 0x22) return index
  }
  return text.length
}

/** The error for a body that is not an envelope. It quotes the first words. */
function malformed(text: string, reason = ''): Result<never> {
  return err(
    appError(
      'malformed-response',
      text.trim() === ''
        ? 'The service sent an empty response.'
        : looksLikeHtml(text)
          ? 'A web page came back instead of the service’s response.'
          : ['That wasn’t a response from the service.', reason].filter(Boolean).join(' '),
      looksLikeHtml(text)
        ? 'Check the address of the connection. A Wi-Fi sign-in page or a proxy may be in the way.'
        : 'Check the address of the connection, and try again.',
      { raw: firstWords(text) },
    ),
  )
}

function looksLikeHtml(text: string): boolean {
  return /^\s*(?:<!doctype html|<html|<head|<body)/i.test(text.slice(0, 500))
}

/** The first words of a body, without markup and whitespace. */
function firstWords(text: string, most = 200): string {
  const message = cut(text, 4_000)
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return cut(message, most)
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

/*
 * The envelope of specification 2.1. Decoding tolerates everything that the specification leaves open, but is strict
 * where something would be lost. A body that isn't an envelope is an error that says what came instead.
 */

type Members = Readonly<Record<string, unknown>>

/** Finds a member by its name in any casing. The exact name wins. */
export function member(object: Members, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  const wanted = name.toLowerCase()
  for (const key of Object.keys(object)) if (key.toLowerCase() === wanted) return object[key]
  return undefined
}

function has(object: Members, name: string): boolean {
  return member(object, name) !== undefined
}

/** Names that services use for an error's message and code. Case, `_`, `-`, and spaces don't count. */
const MESSAGE_NAMES = [
  'message',
  'errormessage',
  'text',
  'errortext',
  'description',
  'errordescription',
  'statusmessage',
  'usermessage',
  'reason',
  'msg',
  'errormsg',
  'title',
  'error',
]
const CODE_NAMES = ['code', 'errorcode', 'statuscode', 'errornumber', 'errorno', 'errorid']

/** The first of these members that has a value, as text. */
function firstText(entry: Members, names: readonly string[]): string {
  const keys = new Map(Object.keys(entry).map((key) => [key.toLowerCase().replace(/[\s_-]/g, ''), key]))
  for (const name of names) {
    const key = keys.get(name)
    const found = key === undefined ? undefined : entry[key]
    const text = typeof found === 'boolean' ? '' : scalarText(found)
    if (text !== '') return text
    if (found !== null && typeof found === 'object') return JSON.stringify(found)
  }
  return ''
}

/** A scalar as text. Anything else is empty. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return ''
}

/** Reads a boolean, which comes as JSON or as a string (specification 2.1). */
export function booleanOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  const text = scalarText(value).trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : null
}

const LONGEST_RAW = 4_000

/**
 * An accounting application's code before its message: `3100: The name is in use`. *Assumption*: a service may pass
 * codes on like this. Other three-digit numbers are HTTP statuses.
 */
const CODE_AT_START =
  /^\s*[[(]?((?:0x)?8004[0-9a-f]{4}|-2147\d{6}|21477\d{5}|\d{4}|120|550|610)[\])]?\s*[:–—-]\s*\p{L}/iu

/** The code at the start of a text; empty if there is none. */
export function codeAtStart(text: string): string {
  return CODE_AT_START.exec(text)?.[1] ?? ''
}

/**
 * Decodes error entries, which may be anything (specification 7.4). *Assumption*: Code, Message, Severity, and Detail
 * may have any casing and common other names. An entry with none of them is its own message.
 */
export function decodeErrors(value: unknown): readonly ServiceError[] {
  if (value === undefined || value === null || value === '' || value === false) return []
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value]
  return entries.flatMap((entry): ServiceError[] => {
    if (entry === null || entry === undefined || entry === '') return []
    if (!isObject(entry)) {
      const text = typeof entry === 'string' ? entry : JSON.stringify(entry)
      return [
        { code: codeAtStart(text), message: text, severity: '', detail: '', raw: cut(text, LONGEST_RAW) },
      ]
    }
    const raw = JSON.stringify(entry)
    const message = firstText(entry, MESSAGE_NAMES)
    const detail = firstText(entry, ['detail', 'details', 'errordetail', 'errordetails'])
    return [
      {
        code: firstText(entry, CODE_NAMES) || codeAtStart(message) || codeAtStart(detail),
        message: message || detail || (isEmptyObject(entry) ? '' : raw),
        severity: firstText(entry, ['severity', 'errorseverity', 'level']),
        detail: message !== '' ? detail : '',
        raw: cut(raw, LONGEST_RAW),
      },
    ]
  })
}

function decodeItem(value: unknown): EnvelopeItem {
  if (!isObject(value)) return { object: null, errors: [], kind: '' }
  const errors = decodeErrors(member(value, 'Errors'))
  const kind = scalarText(member(value, 'Kind'))
  const object = member(value, 'Object')
  if (isObject(object)) return { object: isEmptyObject(object) ? null : object, errors, kind }
  // A record without the wrapping of a content item is kept, because nothing may be lost.
  const isBare =
    object === undefined && !has(value, 'Errors') && !has(value, 'Kind') && Object.keys(value).length > 0
  return { object: isBare ? value : null, errors, kind }
}

function isEmptyObject(object: Members): boolean {
  return Object.keys(object).length === 0
}

/** Whether parsed JSON is the envelope: it has a member that only an envelope has. */
export function isEnvelope(value: unknown): value is Members {
  return (
    isObject(value) &&
    ['Contents', 'HasErrors', 'RequestId', 'Errors', 'MoreData'].some((name) => has(value, name))
  )
}

/** Support asks for this ID, so it is kept as it came. A longer one is of no use. */
const LONGEST_REQUEST_ID = 500

/** The service's ID of the request; empty if it gave none. */
export function requestIdOf(envelope: Members): string {
  return cut(scalarText(member(envelope, 'RequestId')), LONGEST_REQUEST_ID)
}

/** Decodes parsed JSON that `isEnvelope`. */
export function envelopeOf(value: Members, status: number): Envelope {
  const contents = member(value, 'Contents')
  const items = Array.isArray(contents)
    ? contents.map(decodeItem)
    : isObject(contents)
      ? [decodeItem(contents)]
      : []
  const errors = decodeErrors(member(value, 'Errors'))
  const pageText = scalarText(member(value, 'Page'))
  return {
    status,
    page: /^\d{1,9}$/.test(pageText) ? Number(pageText) : null,
    moreData: booleanOf(member(value, 'MoreData')),
    hasErrors:
      booleanOf(member(value, 'HasErrors')) === true ||
      errors.length > 0 ||
      items.some((item) => item.errors.length > 0) ||
      status >= 400,
    requestId: requestIdOf(value),
    items,
    errors,
  }
}

/** Decodes a body that may be the envelope, under any status. If it isn't, the error quotes its first words. */
export function decodeEnvelope(raw: RawResponse): Result<Envelope> {
  const text = decodeUtf8(raw.blocks)
  if (!text.ok) return text
  const parsed = parseJsonText(text.value)
  if (parsed.ok && isEnvelope(parsed.value)) return ok(envelopeOf(parsed.value, raw.status))
  return noEnvelopeError(raw.status, text.value, parsed)
}

/**
 * Decodes the response to creating a user: the envelope, or a bare object with the ID, which becomes the only item.
 * *Assumption* (docs/decisions.md, "Creating a user"), because the specification doesn't show it.
 */
export function decodeUserResponse(raw: RawResponse): Result<Envelope> {
  const decoded = decodeEnvelope(raw)
  if (decoded.ok || raw.status >= 300) return decoded
  const text = decodeUtf8(raw.blocks)
  const parsed = text.ok ? parseJsonText(text.value) : text
  if (!parsed.ok || !isObject(parsed.value)) return decoded
  const hasId = ['userId', 'id'].some((name) => scalarText(member(parsed.value as Members, name)) !== '')
  return hasId
    ? ok({ ...envelopeOf({}, raw.status), items: [{ object: parsed.value, errors: [], kind: '' }] })
    : decoded
}

/** Whether the text is a web page, such as a proxy or a firewall sends. */
function isPage(text: string): boolean {
  return /^\s*(?:<!doctype html|<html)/i.test(text)
}

const REFUSED_BY_A_PAGE =
  'A web page answered instead of the service. The address may belong to another site, or something on the network may be blocking it. Check the address first, then copy the whole key again.'

/**
 * The error for a response without an envelope: by its status if that means something, or else by its content.
 * @param parsed the response's JSON, or why it isn't JSON
 */
export function noEnvelopeError(
  status: number,
  text: string,
  parsed: Result<unknown> = ok(null),
): Result<never> {
  if (status === 401 || status === 403) {
    const refused = keyRefusedError({ status, raw: firstWords(text) })
    return err(isPage(text) ? { ...refused, advice: REFUSED_BY_A_PAGE } : refused)
  }
  if (status >= 300) {
    return err(
      appError(
        status >= 500 ? 'service-error' : 'malformed-response',
        status === 404
          ? 'The service isn’t at this address.'
          : `The service answered with an error (HTTP ${String(status)}) without an explanation.`,
        status === 404
          ? 'Check the address of the connection.'
          : 'Try again later. If this repeats, tell your provider.',
        { status, code: `HTTP ${String(status)}`, raw: firstWords(text) },
      ),
    )
  }
  return parsed.ok ? malformed(text) : parsed
}

/** *The service refused this key*: the only error that pauses the queue. */
export function keyRefusedError(details: {
  status?: number
  raw?: string
  code?: string
  requestId?: string
}) {
  return appError(
    'unauthorized',
    'The service refused this key.',
    'The address is right, because the service answered. Copy the whole key again, without spaces, or ask your provider for a new one.',
    details,
  )
}

/** Decodes the older service's envelope (specification 2.6). */
export function decodeLegacyEnvelope(raw: RawResponse): Result<LegacyEnvelope> {
  const text = decodeUtf8(raw.blocks)
  if (!text.ok) return text
  const parsed = parseJsonText(text.value)
  if (!parsed.ok || !isObject(parsed.value) || !(has(parsed.value, 'Meta') || has(parsed.value, 'Detail'))) {
    return noEnvelopeError(raw.status, text.value, parsed)
  }
  const meta = member(parsed.value, 'Meta')
  const detail = member(parsed.value, 'Detail')
  return ok({
    status: raw.status,
    statusCode: isObject(meta) ? scalarText(member(meta, 'StatusCode')) : '',
    message: isObject(meta) ? scalarText(member(meta, 'Message')) : '',
    detail: Array.isArray(detail) ? detail.filter(isObject) : isObject(detail) ? [detail] : [],
  })
}
