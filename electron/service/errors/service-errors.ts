/**
 * Translates the service's errors for a bookkeeper: by code and application, by text (`error-meanings.ts`), or else in
 * the service's own words. The code, the raw text, and the RequestId stay in Details.
 */
import { type AppError, appError } from '../../../shared/result.ts'
import { codeAtStart, cut, keyRefusedError } from '../protocol/envelope.ts'
import type { Envelope, ServiceError } from '../protocol/wire.ts'
import {
  type CodeTable,
  DESKTOP_REACHING,
  DESKTOP_RECORDS,
  type Meaning,
  meaningOfText,
  mentionsCompany,
  mentionsKey,
  ONLINE,
  saysKeyIsWrong,
  saysTooManyRequests,
} from './error-meanings.ts'

/** An error's message and detail. */
function textOf(error: ServiceError): string {
  return [error.message, error.detail].filter((part) => part !== '').join(' ')
}

/**
 * Whether a response says that the key was refused. An error about a company concerns that company, whatever its
 * status. Any other 401 or 403 is a refused key, and so is any error about the key. *Assumption*: an accounting
 * application's own code concerns the company or its records.
 * @param errors the errors of the whole request
 * @param itemErrors the errors of items without a record, which count only if all of them name the key explicitly
 */
export function isRefusedKey(
  status: number,
  errors: readonly ServiceError[],
  itemErrors: readonly ServiceError[] = [],
): boolean {
  if ([...errors, ...itemErrors].some((error) => concernsCompany(error, status))) return false
  if (isRefusalStatus(status)) return true
  if (errors.some(({ message, detail }) => saysKeyIsWrong(message) || saysKeyIsWrong(detail))) return true
  return (
    errors.length === 0 && itemErrors.length > 0 && itemErrors.every((error) => mentionsKey(textOf(error)))
  )
}

function concernsCompany(error: ServiceError, status: number): boolean {
  const text = textOf(error)
  if (mentionsCompany(text)) return true
  const code = normalCode(error.code)
  if (code === NOTHING_MATCHED || code === String(status) || mentionsKey(text)) return false
  return [DESKTOP_REACHING, DESKTOP_RECORDS, ONLINE].some((table) => Object.hasOwn(table, code))
}

/** The errors of items without a record. */
export function bareItemErrors({ items }: Pick<Envelope, 'items'>): readonly ServiceError[] {
  return items.flatMap(({ object, errors }) => (object === null ? errors : []))
}

/**
 * Whether a response proves that a write was refused because of the key. Only 401 and 403 do. Under another status, the
 * text may be about any key, and the write may have succeeded.
 */
export function isProvenRefusal(
  status: number,
  errors: readonly ServiceError[],
  itemErrors: readonly ServiceError[] = [],
): boolean {
  return isRefusalStatus(status) && isRefusedKey(status, errors, itemErrors)
}

function isRefusalStatus(status: number): boolean {
  return status === 401 || status === 403
}

/** The error if the response to a write proves that the key was refused; otherwise `null`. */
export function refusedKeyOf(envelope: Envelope): AppError | null {
  const isProven = isProvenRefusal(envelope.status, envelope.errors, bareItemErrors(envelope))
  return isProven ? refusedKeyInEnvelope(envelope) : null
}

/**
 * The error if an envelope without a record is about a refused key, whatever its status; otherwise `null`. It proves
 * nothing about a write, but the next request waits until the user has checked the key.
 */
export function refusedKeyInEnvelope(envelope: Envelope): AppError | null {
  if (envelope.items.some((item) => item.object !== null)) return null
  const itemErrors = bareItemErrors(envelope)
  if (!isRefusedKey(envelope.status, envelope.errors, itemErrors)) return null
  return keyRefusedError({
    status: envelope.status,
    ...detailsOf([...envelope.errors, ...itemErrors], envelope.requestId),
  })
}

/**
 * Normalizes a code: HRESULTs in hex (with or without 0x) or as signed or unsigned decimals become eight hex digits, and
 * other numbers lose their leading zeros.
 */
export function normalCode(code: string): string {
  const text = code.trim()
  const hex = /^(?:0x)?([0-9a-f]{8})$/i.exec(text)?.[1]
  if (hex !== undefined && /[a-f]|^8/i.test(hex)) return hex.toUpperCase()
  if (/^-\d{9,10}$/.test(text) || /^[2-4]\d{9}$/.test(text)) return hexOf(Number(text))
  return text.replace(/^0+(?=\d)/, '')
}

function hexOf(code: number): string {
  return (code >>> 0).toString(16).toUpperCase().padStart(8, '0')
}

/** "A query request did not find a matching object". */
const NOTHING_MATCHED = '1'

/**
 * Whether an error of a read only says that nothing matched. *Assumption*: that is QuickBooks Desktop's code 1 with
 * neither an error's status nor its severity, unless its text says that the books weren't reached.
 */
export function isNothingMatched(application: string, error: ServiceError, status: number): boolean {
  return (
    application.toLowerCase() === 'qbd' &&
    status < 400 &&
    normalCode(error.code) === NOTHING_MATCHED &&
    /^(?:$|info|warn)/i.test(error.severity.trim()) &&
    meaningOfText(application, textOf(error)) === null
  )
}

/** An HRESULT in QuickBooks Desktop's range, in any spelling. */
const HRESULT_IN_TEXT = /\b(?:0x)?(8004[0-9a-f]{4})\b|(-21472\d{5})\b|\b(21477\d{5})\b/gi
/**
 * Numbers that a text calls codes: after *error code* or *status code*, or after one of those words if they are the
 * whole clause. Accounts, postal addresses, and taxes have codes, too.
 */
const NUMBERS_IN_TEXT: readonly RegExp[] = [
  /(?<!http[\s_-]*)\b(?:error|status)[\s_-]*code\s*[:=#]?\s*["'(]?(\d{3,4})\b/gi,
  /(?:^|[.:;,([{"'\n])\s*(?:error|status|code)\s*[:=#]?\s*["'(]?(\d{3,4})(?=["')]?\s*(?:$|[.:;,)\]}\n-]))/gi,
]

/** The applications' codes in a text. The number after "HTTP status" is not one. */
function codesInText(text: string): readonly string[] {
  const hresults = [...text.matchAll(HRESULT_IN_TEXT)].map(([, hex, negative, unsigned]) =>
    normalCode(hex ?? negative ?? unsigned ?? ''),
  )
  const numbers = NUMBERS_IN_TEXT.flatMap((pattern) => [...text.matchAll(pattern)])
    .map(([, number]) => number ?? '')
    .filter((number) => !isOfAServer(number, text))
  return [...hresults, ...numbers]
}

/** QuickBooks Desktop's code for a missing record, and every server's code for its own failure. */
const AMBIGUOUS = '500'

/** Whether a code with this text comes from a failed server, not from an application. */
function isOfAServer(code: string, text: string): boolean {
  return (
    code === AMBIGUOUS && /\b(?:internal|server|unexpected|unhandled|exception|status|https?)\b/i.test(text)
  )
}

function tablesOf(application: string): readonly CodeTable[] {
  switch (application.toLowerCase()) {
    case 'qbd':
      return [DESKTOP_REACHING, DESKTOP_RECORDS]
    case 'qbo':
      return [ONLINE]
    default:
      return []
  }
}

/**
 * Whether an error says that the company file wasn't reached, so that nothing was started. *Assumption*: QuickBooks
 * Desktop returns these codes or texts before it starts a request.
 */
export function saysFileNotReached(error: ServiceError): boolean {
  if (Object.hasOwn(DESKTOP_REACHING, normalCode(error.code))) return true
  const spoken = meaningOfText('qbd', textOf(error))
  return spoken !== null && Object.values(DESKTOP_REACHING).includes(spoken)
}

/** @param status a code that repeats it is HTTP's, not the application's */
function meaningOf(application: string, error: ServiceError, status: number): Meaning | null {
  const tables = tablesOf(application)
  const inTables = (code: string): Meaning | null => {
    if (code === '' || (status >= 400 && code === String(status))) return null
    return tables.find((table) => Object.hasOwn(table, code))?.[code] ?? null
  }
  const text = textOf(error)
  const code = normalCode(error.code)
  const isOtherOne =
    isOfAServer(code, text) || (code === NOTHING_MATCHED && !isNothingMatched(application, error, status))
  const own = isOtherOne ? null : inTables(code)
  // A code with `readOn` wraps another reason, which may be known.
  if (own !== null && own.readOn !== true) return own
  const atStart = [error.message, error.detail].map((part) => normalCode(codeAtStart(part)))
  const inText = [...atStart, ...codesInText(text)].map(inTables)
  const wrapped = inText.find((meaning) => meaning !== null && meaning.readOn !== true)
  return wrapped ?? own ?? inText.find((meaning) => meaning !== null) ?? meaningOfText(application, text)
}

function detailsOf(errors: readonly ServiceError[], requestId: string): AppError['details'] {
  const [first, ...rest] = errors
  return {
    ...(first === undefined || first.code === '' ? {} : { code: first.code }),
    ...(first === undefined ? {} : { raw: first.raw }),
    ...(requestId === '' ? {} : { requestId }),
    ...(rest.length === 0 ? {} : { more: rest.slice(0, 20).map((error) => error.raw) }),
  }
}

const SERVICE_SAYS = 'The service says: '
const LONGEST_WORDS = 600

/** The message without "The service says", for a place that says so itself. */
export function withoutServicePrefix({ message }: AppError): string {
  return message.startsWith(SERVICE_SAYS) ? message.slice(SERVICE_SAYS.length) : message
}

/** Whether the message quotes the service, and so may name a record. */
export function isQuotedFromService({ message }: AppError): boolean {
  return message.includes(SERVICE_SAYS)
}

/** A response's errors, and what they are about. An error of a single record never concerns the key. */
type ReceivedErrors = readonly [
  application: string,
  errors: readonly ServiceError[],
  requestId: string,
  status: number,
  of?: 'request' | 'record',
]

/**
 * Translates the errors of a request or of a record into one error. There is at least one. The first known one
 * determines the message.
 */
export function translateErrors(...received: ReceivedErrors): AppError {
  return translated((meaning) => meaning, ...received)
}

/** Translates the errors of a read. */
export function translateReadErrors(...received: ReceivedErrors): AppError {
  return translated((meaning) => meaning.whenRead ?? meaning, ...received)
}

function translated(
  wordsOf: (meaning: Meaning) => Pick<Meaning, 'message' | 'advice'>,
  ...[application, errors, requestId, status, of = 'request']: ReceivedErrors
): AppError {
  if (of === 'request' && isRefusedKey(status, errors))
    return keyRefusedError({ status, ...detailsOf(errors, requestId) })
  const details = { ...(status >= 400 ? { status } : {}), ...detailsOf(errors, requestId) }
  const quoted = (text: string): string => `${SERVICE_SAYS}${cut(text, LONGEST_WORDS)}`
  for (const error of errors) {
    const meaning = meaningOf(application, error, status)
    if (meaning === null) continue
    const { message, advice } = wordsOf(meaning)
    const whole = meaning.readOn === true ? `${message} ${quoted(textOf(error))}` : message
    return appError(meaning.kind, whole, advice, details)
  }
  if (errors.some((error) => saysTooManyRequests(textOf(error)))) {
    return appError(
      'busy',
      'The service received too many requests.',
      'Your key and the books are fine. Try again in a few minutes.',
      details,
    )
  }
  // None is known, so all are shown. Each may concern another field.
  const all = [...new Set(errors.map(textOf))].filter((each) => each !== '')
  if (all.length === 0) {
    return appError(
      'service-error',
      'The service reported an error without details.',
      'Send its support the RequestId under Details.',
      details,
    )
  }
  return appError('service-error', quoted(all.join(' · ')), '', details)
}

/** *Assumption*: the applications' codes for a missing record. */
const GONE: Readonly<Record<string, readonly string[]>> = { qbd: ['500', '3120'], qbo: ['610'] }

/** A warning of QuickBooks Desktop. As an error, it comes from a server. */
const WARNING = '500'

/**
 * Whether an error of a read by ID proves that a record no longer exists. Any other error may mean that the service
 * couldn't look for it.
 * @param application its short code
 */
export function saysRecordIsGone(application: string, error: ServiceError, status: number): boolean {
  const code = normalCode(error.code)
  if (GONE[application.toLowerCase()]?.includes(code) !== true) return false
  if (status >= 400 && code === String(status)) return false
  const text = textOf(error)
  if (meaningOfText(application, text) !== null) return false
  return code !== WARNING || (/^(?:$|info|warn)/i.test(error.severity.trim()) && !isOfAServer(code, text))
}
