/**
 * From what the service says to a bookkeeper's words: by code and application (`error-table.ts`), by what the words
 * speak of (`spoken-errors.ts`), else the service's own words as they are. Code, raw text and RequestId stay in Details.
 */
import { type AppError, appError } from '../../../shared/result.ts'
import { codeAtStart, keyRefused } from '../protocol/envelope.ts'
import { cut } from '../protocol/json.ts'
import type { Envelope, ServiceError } from '../protocol/wire.ts'
import { type CodeTable, DESKTOP_REACHING, DESKTOP_RECORDS, type Meaning, ONLINE } from './error-table.ts'
import { namesKey, speaksOfCompany, speaksOfKey, speaksOfRate, spokenMeaning } from './spoken-errors.ts'

/** All that an error says in words. */
function words(error: ServiceError): string {
  return [error.message, error.detail].filter((part) => part !== '').join(' ')
}

/**
 * Whether an answer says that the key was refused (decisions.md): an error that speaks of a company concerns that
 * company, whatever its status; every other 401 or 403, and one that speaks of the key under any status, is a refused
 * key. *Assumption*: a code that an accounting application gives its own errors concerns the company or its records.
 * @param errors of the whole request
 * @param itemErrors of items that hold no record: one alone speaks of the key only in so many words, and only where
 * all of them do
 */
export function isRefusedKey(
  status: number,
  errors: readonly ServiceError[],
  itemErrors: readonly ServiceError[] = [],
): boolean {
  if ([...errors, ...itemErrors].some((error) => concernsCompany(error, status))) return false
  if (isRefusalStatus(status)) return true
  if (errors.some(({ message, detail }) => speaksOfKey(message) || speaksOfKey(detail))) return true
  return errors.length === 0 && itemErrors.length > 0 && itemErrors.every((error) => namesKey(words(error)))
}

function concernsCompany(error: ServiceError, status: number): boolean {
  const text = words(error)
  if (speaksOfCompany(text)) return true
  const code = normalCode(error.code)
  if (code === NOTHING_MATCHED || code === String(status) || namesKey(text)) return false
  return [DESKTOP_REACHING, DESKTOP_RECORDS, ONLINE].some((table) => Object.hasOwn(table, code))
}

/** Errors of items that hold no record. */
export function bareItemErrors({ items }: Pick<Envelope, 'items'>): readonly ServiceError[] {
  return items.flatMap(({ object, errors }) => (object === null ? errors : []))
}

/**
 * The same of a write's errors: only 401 and 403 prove that nothing was done. Words about a key under another status
 * may speak of any key, and the work may be done (decisions.md, "An error of the whole request, to a write").
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

/** The refusal of the key that the answer to a write proves: an envelope without any record; else `null`. */
export function refusedKeyOf(envelope: Envelope): AppError | null {
  const isProven = isProvenRefusal(envelope.status, envelope.errors, bareItemErrors(envelope))
  return isProven ? spokenRefusalOf(envelope) : null
}

/**
 * The refusal of the key that an envelope without any record speaks of, whatever its status, else `null`. It proves
 * nothing about a write, but the next request need not leave before the person has looked at the key.
 */
export function spokenRefusalOf(envelope: Envelope): AppError | null {
  if (envelope.items.some((item) => item.object !== null)) return null
  const itemErrors = bareItemErrors(envelope)
  if (!isRefusedKey(envelope.status, envelope.errors, itemErrors)) return null
  return keyRefused({
    status: envelope.status,
    ...detailsOf([...envelope.errors, ...itemErrors], envelope.requestId),
  })
}

/**
 * One spelling for each code: HRESULTs as hex (with or without 0x), as negative decimals and as unsigned ones become
 * eight hex digits; plain numbers lose zeros in front.
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
 * Whether an error of a read only says that there is nothing to give. *Assumption*: that is the
 * desktop application's code 1, told as no error. Another application's 1, one under an error's status or severity, and
 * one whose words say that the books were not reached are errors like any other.
 */
export function isNothingMatched(application: string, error: ServiceError, status: number): boolean {
  return (
    application.toLowerCase() === 'qbd' &&
    status < 400 &&
    normalCode(error.code) === NOTHING_MATCHED &&
    /^(?:$|info|warn)/i.test(error.severity.trim()) &&
    spokenMeaning(application, words(error)) === null
  )
}

/** An HRESULT of the desktop application's own range, in any of its spellings. */
const HRESULT_IN_TEXT = /\b(?:0x)?(8004[0-9a-f]{4})\b|(-21472\d{5})\b|\b(21477\d{5})\b/gi
/**
 * Numbers that are spelt out as codes: after *error code* or *status code*; or after one of the three words alone, where
 * nothing else is said with them. An account, a postal address, a tax have codes too, and a length has its number.
 */
const NUMBERS_IN_TEXT: readonly RegExp[] = [
  /(?<!http[\s_-]*)\b(?:error|status)[\s_-]*code\s*[:=#]?\s*["'(]?(\d{3,4})\b/gi,
  /(?:^|[.:;,([{"'\n])\s*(?:error|status|code)\s*[:=#]?\s*["'(]?(\d{3,4})(?=["')]?\s*(?:$|[.:;,)\]}\n-]))/gi,
]

/** Codes that are spelt out in words. The number after "HTTP status" is not an application's. */
function codesInText(text: string): readonly string[] {
  const hresults = [...text.matchAll(HRESULT_IN_TEXT)].map(([, hex, negative, unsigned]) =>
    normalCode(hex ?? negative ?? unsigned ?? ''),
  )
  const numbers = NUMBERS_IN_TEXT.flatMap((pattern) => [...text.matchAll(pattern)])
    .map(([, number]) => number ?? '')
    .filter((number) => !isOfAServer(number, text))
  return [...hresults, ...numbers]
}

/** The desktop application's code of a record that is not there, and that of any server which fails. */
const AMBIGUOUS = '500'

/** Whether a code with these words is a server's that failed, and no application's. */
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
 * Whether an error says that the company file was not reached, so that nothing was begun. *Assumption*: the desktop
 * application gives these codes, or says so in words, before it takes up a request.
 */
export function saysNotReached(error: ServiceError): boolean {
  if (Object.hasOwn(DESKTOP_REACHING, normalCode(error.code))) return true
  const spoken = spokenMeaning('qbd', words(error))
  return spoken !== null && Object.values(DESKTOP_REACHING).includes(spoken)
}

/** @param status a code that only repeats it is HTTP's, not the application's */
function meaningOf(application: string, error: ServiceError, status: number): Meaning | null {
  const tables = tablesOf(application)
  const inTables = (code: string): Meaning | null => {
    if (code === '' || (status >= 400 && code === String(status))) return null
    return tables.find((table) => Object.hasOwn(table, code))?.[code] ?? null
  }
  const text = words(error)
  const code = normalCode(error.code)
  const isOtherOne =
    isOfAServer(code, text) || (code === NOTHING_MATCHED && !isNothingMatched(application, error, status))
  const own = isOtherOne ? null : inTables(code)
  // A code that says "read on" wraps another reason, which may be one that is known.
  if (own !== null && own.readOn !== true) return own
  const atStart = [error.message, error.detail].map((part) => normalCode(codeAtStart(part)))
  const inText = [...atStart, ...codesInText(text)].map(inTables)
  const wrapped = inText.find((meaning) => meaning !== null && meaning.readOn !== true)
  return wrapped ?? own ?? inText.find((meaning) => meaning !== null) ?? spokenMeaning(application, text)
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

/** The message without who says it, for where that is said beside it. */
export function withoutSpeaker({ message }: AppError): string {
  return message.startsWith(SERVICE_SAYS) ? message.slice(SERVICE_SAYS.length) : message
}

/** Whether the message holds words of the service, which may name a record. */
export function isInServiceWords({ message }: AppError): boolean {
  return message.includes(SERVICE_SAYS)
}

/** What an answer says, and of what: what refuses a single record is never the key. */
type Told = readonly [
  application: string,
  errors: readonly ServiceError[],
  requestId: string,
  status: number,
  of?: 'request' | 'record',
]

/** Puts the errors of a request or of a record into words. There is at least one; the first leads. */
export function translateErrors(...told: Told): AppError {
  return translated((meaning) => meaning, ...told)
}

/** The same of a read, where nothing was to be saved. */
export function translateReadErrors(...told: Told): AppError {
  return translated((meaning) => meaning.whenRead ?? meaning, ...told)
}

function translated(
  wordsOf: (meaning: Meaning) => Pick<Meaning, 'message' | 'advice'>,
  ...[application, errors, requestId, status, of = 'request']: Told
): AppError {
  if (of === 'request' && isRefusedKey(status, errors))
    return keyRefused({ status, ...detailsOf(errors, requestId) })
  const details = { ...(status >= 400 ? { status } : {}), ...detailsOf(errors, requestId) }
  const said = (text: string): string => `${SERVICE_SAYS}${cut(text, LONGEST_WORDS)}`
  for (const error of errors) {
    const meaning = meaningOf(application, error, status)
    if (meaning === null) continue
    const { message, advice } = wordsOf(meaning)
    const whole = meaning.readOn === true ? `${message} ${said(words(error))}` : message
    return appError(meaning.kind, whole, advice, details)
  }
  if (errors.some((error) => speaksOfRate(words(error)))) {
    return appError(
      'busy',
      'The service was asked too often in a short time.',
      'Nothing is wrong with your key or the books. Try again in a few minutes.',
      details,
    )
  }
  // None is known, so all of them are said: each may be of another field.
  const all = [...new Set(errors.map(words))].filter((each) => each !== '')
  if (all.length === 0) {
    return appError(
      'service-error',
      'The service says that something went wrong, and not what.',
      'Tell its support the RequestId under Details.',
      details,
    )
  }
  return appError('service-error', said(all.join(' · ')), '', details)
}

// Which errors say that a record is gone.

/** *Assumption*: the applications' own codes for a record that is not there. */
const GONE: Readonly<Record<string, readonly string[]>> = { qbd: ['500', '3120'], qbo: ['610'] }

/** A warning of the desktop application: as an error it is somebody else's. */
const WARNING = '500'

/**
 * Whether an error of a read by ids says, for certain, that a record is no longer there. Any other error says that it
 * was not looked for, or not with success.
 * @param application short code; a number means nothing without it
 */
export function saysGone(application: string, error: ServiceError, status: number): boolean {
  const code = normalCode(error.code)
  if (GONE[application.toLowerCase()]?.includes(code) !== true) return false
  if (status >= 400 && code === String(status)) return false
  const said = words(error)
  if (spokenMeaning(application, said) !== null) return false
  return code !== WARNING || (/^(?:$|info|warn)/i.test(error.severity.trim()) && !isOfAServer(code, said))
}
