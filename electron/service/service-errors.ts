/**
 * From what the service says to a bookkeeper's words: one table from (application, code or text). A code means
 * nothing without its application. *Assumption* throughout (application-errors.md): the specification shows no codes,
 * so the accounting applications' own published ones are looked for; what is not here shows the service's words.
 */
import { appError, type AppError, type ErrorKind } from '../../shared/result.ts'
import { keyRefused } from './envelope.ts'
import type { Envelope, ServiceError } from './wire.ts'

interface Meaning {
  readonly kind: ErrorKind
  readonly message: string
  readonly advice: string
}

const unavailable = (message: string, advice: string): Meaning => ({
  kind: 'company-unavailable',
  message,
  advice,
})
const refused = (message: string, advice: string): Meaning => ({ kind: 'service-error', message, advice })

/** Desktop: reaching the company file. HRESULTs, as hex without 0x. */
const DESKTOP_REACHING: Readonly<Record<string, Meaning>> = {
  '80040408': unavailable(
    'The accounting application could not be started, or it is not clear which file to open.',
    'Open the application on that machine, log in, and open this company’s file.',
  ),
  '8004040A': unavailable(
    'Another company file is open there.',
    'Open this company’s file, or close the other one and leave none open.',
  ),
  '80040410': unavailable(
    'The file is open in another mode (single-user or multi-user).',
    'Switch the mode in the application’s File menu.',
  ),
  '80040414': unavailable(
    'A dialog is open in the accounting application.',
    'Close it on that machine; it may be behind other windows.',
  ),
  '8004041D': unavailable(
    'Automatic login is not allowed for this file.',
    'Log in as Admin in the application and allow it under Preferences, Integrated Applications.',
  ),
  '80040420': unavailable(
    'Access was denied in the accounting application.',
    'Authorise again, with “Yes, always”.',
  ),
}

/** Desktop: records. */
const DESKTOP_RECORDS: Readonly<Record<string, Meaning>> = {
  '1': refused('Nothing matched.', ''),
  '500': refused(
    'The record was not found.',
    'It was deleted, or its ID belongs to another file. Get the records again.',
  ),
  '550': refused('Saved, but its notes were not.', 'Add the notes in the application.'),
  '3000': refused('The ID is not valid in this file.', 'Get the records again.'),
  '3100': refused(
    'The name is in use, perhaps by a vendor, an employee or another name.',
    'Choose another name.',
  ),
  '3120': refused('The record was not found.', 'It may have been deleted. Get the records again.'),
  '3140': refused(
    'It refers to something that does not exist there.',
    'Pick terms, a tax code or a parent that the application has.',
  ),
  '3171': refused(
    'The bookkeeping period is closed.',
    'The closing date and its password are set in the application.',
  ),
  '3175': refused('The record is in use by someone else.', 'Try again when they are done.'),
  '3176': refused('The record is locked.', 'Try again when the other person is done.'),
  '3180': refused('It could not be saved.', ''),
  '3200': refused('The record was changed since it was read.', 'Get it again, then decide.'),
  '3250': refused(
    'This feature is switched off in the company file.',
    'An Admin of the application can switch it on.',
  ),
  '3260': refused('The application did not give permission.', 'An Admin of the application can give it.'),
}

const ONLINE: Readonly<Record<string, Meaning>> = {
  '120': unavailable(
    'This company has not authorised the connection, or the authorisation ran out.',
    'Authorise again.',
  ),
  '3200': unavailable('The authorisation of this company ran out.', 'Authorise again.'),
  '610': refused('The record was not found, or was made inactive.', 'Get the records again.'),
  '2020': refused('A value that the application requires is missing.', 'Fill it in and send again.'),
  '2500': refused(
    'It refers to something that does not exist or is inactive.',
    'Pick one that the application has.',
  ),
  '5010': refused('The record was changed since it was read.', 'Get it again, then decide.'),
  '6000': refused('A rule of the application stands against it.', ''),
  '6140': refused('The document number is in use.', 'Choose another number.'),
  '6190': unavailable(
    'The subscription of this company has ended.',
    'The client has to renew it with the application’s vendor.',
  ),
  '6210': refused('The bookkeeping period is closed.', 'The closing date is set in the application.'),
  '6240': refused('The name is in use.', 'Choose another name.'),
}

/** The agent's conditions (specification, section 1), by what the words speak of. */
const SPOKEN: readonly { readonly pattern: RegExp; readonly meaning: Meaning }[] = [
  {
    pattern: /\btoken\b/i,
    meaning: unavailable(
      'The agent on the client’s machine has no valid token.',
      'Enter the company’s token in the agent: Companies, Copy agent token.',
    ),
  },
  {
    pattern: /\b(?:another|different|other|wrong)\s+company\s+file\b/i,
    meaning: unavailable(
      'Another company file is open there.',
      'Open this company’s file, or close the other one and leave none open.',
    ),
  },
  {
    pattern: /\b(?:dialog|modal)\b/i,
    meaning: unavailable(
      'A dialog is open in the accounting application.',
      'Close it on that machine; it may be behind other windows.',
    ),
  },
  {
    pattern: /\bnot\s+logged\s+(?:in|on)\b|\blogged\s+off\b/i,
    meaning: unavailable(
      'Nobody is logged in on the client’s machine.',
      'Log in to its operating system, and start the agent.',
    ),
  },
  {
    pattern:
      /\bagent\b.*\b(?:not|un)\s?(?:running|available|reachable|connected|responding|online)|\bagent\b.*\b(?:offline|stopped|timed?\s?out)\b|\bno\s+agent\b/i,
    meaning: unavailable(
      'The agent on the client’s machine does not answer.',
      'Is the machine on and logged in, and the agent running with its token?',
    ),
  },
  {
    pattern: /\b(?:machine|computer)\b.*\b(?:off|not\s+(?:on|available|reachable))\b/i,
    meaning: unavailable('The client’s machine does not answer.', 'Is it on, and somebody logged in?'),
  },
  {
    pattern: /\b(?:denied|not\s+authori[sz]ed|authori[sz]ation)\b.*\b(?:application|user|admin|file)\b/i,
    meaning: unavailable(
      'Access was not authorised in the accounting application.',
      'Authorise the agent there, with “Yes, always”.',
    ),
  },
  {
    pattern: /\bcompany\b.*\binactive\b|\binactive\b.*\bcompany\b|\bde-?provisioned\b/i,
    meaning: unavailable(
      'This company is inactive: its integration has ended.',
      'Provision the company again to go on.',
    ),
  },
  {
    pattern:
      /\b(?:one|another)\b.*\brequest\b.*\b(?:at a time|at work|in progress|processing)|\bconcurrent\b/i,
    meaning: refused('The service is still at work on another request.', 'Try again in a moment.'),
  },
]

const SPEAKS_OF_COMPANY = /\bcompan(?:y|ies)\b|\bendpoint\s?id\b|\bcompany\s?file\b/i
const SPEAKS_OF_KEY =
  /\b(?:api[\s_-]?key|x-api-key|subscription[\s_-]?key|access[\s_-]?key)\b|\bkey\b[^.]{0,40}\b(?:invalid|missing|unknown|expired|revoked|refused|not\s+valid|required)\b|\b(?:invalid|missing|unknown|expired|revoked|no)\b[^.]{0,20}\bkey\b/i

function words(error: ServiceError): string {
  return [error.message, error.detail].filter((part) => part !== '').join(' ')
}

/**
 * Whether errors of the whole request say that the key was refused (decisions.md): one that speaks of a company
 * concerns that company, whatever its status; every other 401 or 403, and one that speaks of the key under any status,
 * is a refused key.
 */
export function isRefusedKey(status: number, errors: readonly ServiceError[]): boolean {
  if (errors.some((error) => SPEAKS_OF_COMPANY.test(words(error)))) return false
  if (status === 401 || status === 403) return true
  return errors.some((error) => SPEAKS_OF_KEY.test(words(error)))
}

/** The refusal of the key that an envelope without any record speaks of, else `null`. */
export function refusedKeyOf(envelope: Envelope): AppError | null {
  if (envelope.items.some((item) => item.object !== null)) return null
  if (!isRefusedKey(envelope.status, envelope.errors)) return null
  return keyRefused({
    status: envelope.status,
    ...detailsOf(envelope.errors, envelope.requestId),
  })
}

/** Normalises a code: hex HRESULTs with and without 0x, and their negative decimals, become eight hex digits. */
export function normalCode(code: string): string {
  const text = code.trim()
  const hex = /^(?:0x)?([0-9a-f]{8})$/i.exec(text)?.[1]
  if (hex !== undefined && /[a-f]|^8/i.test(hex)) return hex.toUpperCase()
  if (/^-\d{9,10}$/.test(text)) return (Number(text) >>> 0).toString(16).toUpperCase().padStart(8, '0')
  return text.replace(/^0+(?=\d)/, '')
}

/** Codes that stand in the error's own code, or spelt out in its text. */
function codesOf(error: ServiceError): string[] {
  const found = [normalCode(error.code)]
  for (const [, hex] of words(error).matchAll(/\b0x([0-9a-f]{8})\b/gi))
    if (hex !== undefined) found.push(hex.toUpperCase())
  for (const [number] of words(error).matchAll(/-21472\d{5}\b/g)) found.push(normalCode(number))
  for (const [, number] of words(error).matchAll(
    /\b(?:error|code|status)\s*(?:code)?\s*[:#=]?\s*(\d{3,4})\b/gi,
  )) {
    if (number !== undefined) found.push(number)
  }
  return found.filter((code) => code !== '')
}

function meaningOf(application: string, error: ServiceError): Meaning | null {
  const tables =
    application.toLowerCase() === 'qbo'
      ? [ONLINE]
      : application.toLowerCase() === 'qbd'
        ? [DESKTOP_REACHING, DESKTOP_RECORDS]
        : []
  for (const code of codesOf(error)) {
    for (const table of tables) if (Object.hasOwn(table, code)) return table[code] ?? null
  }
  return SPOKEN.find(({ pattern }) => pattern.test(words(error)))?.meaning ?? null
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

/** Puts the errors of a request or of a record into words. There is at least one; the first leads. */
export function translateErrors(
  application: string,
  errors: readonly ServiceError[],
  requestId: string,
  status: number,
): AppError {
  if (isRefusedKey(status, errors)) return keyRefused({ status, ...detailsOf(errors, requestId) })
  const details = { ...(status >= 400 ? { status } : {}), ...detailsOf(errors, requestId) }
  for (const error of errors) {
    const meaning = meaningOf(application, error)
    if (meaning !== null) return appError(meaning.kind, meaning.message, meaning.advice, details)
  }
  const said = errors.map(words).find((text) => text !== '')
  if (said === undefined) {
    return appError(
      'service-error',
      'The service says that something went wrong, and not what.',
      'Tell its support the RequestId under Details.',
      details,
    )
  }
  return appError('service-error', `The service says: ${said.slice(0, 600)}`, '', details)
}
