// The responses of the service: values, errors, and envelopes. The specification shows neither error fields nor codes
// (section 7), so errors use the codes and words of the accounting applications.

/** Short code of an application (section 1). */
export type Application = 'qbd' | 'qbo'

/** One entry of an `Errors` array. */
export interface ErrorEntry {
  readonly Code: string | number
  readonly Severity: 'Error' | 'Warn'
  readonly Message: string
  readonly Detail: string
}

/** Why a request, or one record of it, was refused. */
export interface Refusal {
  readonly status: number
  readonly entry: ErrorEntry
}

/** A value or a refusal. */
export type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal }

/** Wraps a value. */
export function accepted<T>(value: T): Outcome<T> {
  return { ok: true, value }
}

/** Creates a refusal from an HTTP status, a code, and a message. */
export function refused(
  status: number,
  code: string | number,
  message: string,
  detail = '',
): { readonly ok: false; readonly refusal: Refusal } {
  return {
    ok: false,
    refusal: { status, entry: { Code: code, Severity: 'Error', Message: message, Detail: detail } },
  }
}

type Message = (subject: string, field: string) => string
interface Wording {
  readonly code: string | number
  readonly message: Message
}

/**
 * The applications' published codes. Desktop codes are strings and Online codes are numbers, because a real service may
 * send either.
 */
const WORDINGS = {
  nameInUse: {
    qbd: {
      code: '3100',
      message: (subject) =>
        `The name "${subject}" of the list element is already in use. Another customer, vendor or employee may have it.`,
    },
    qbo: {
      code: 6240,
      message: (subject) =>
        `Duplicate Name Exists Error: The name supplied already exists. Another customer, vendor or employee is already using the name "${subject}".`,
    },
  },
  notFound: {
    qbd: {
      code: '3120',
      message: (subject, field) =>
        `Object "${subject}" specified in the request cannot be found. (${field}) It may have been deleted.`,
    },
    qbo: {
      code: 610,
      message: (subject, field) =>
        `Object Not Found: The ${field} with id ${subject} was not found. Something you're trying to use has been made inactive.`,
    },
  },
  queryNotFound: {
    qbd: {
      code: '500',
      message: (subject, field) =>
        `The query request has not been fully completed. There was a required element ("${subject}") that could not be found in the ${field} list.`,
    },
    qbo: {
      code: 610,
      message: (subject, field) => `Object Not Found: There is no ${field} with id ${subject}.`,
    },
  },
  badReference: {
    qbd: {
      code: '3140',
      message: (subject, field) =>
        `There is an invalid reference to ${field} "${subject}" in the request. It could not be found in the list.`,
    },
    qbo: {
      code: 2500,
      message: (subject, field) =>
        `Invalid Reference Id: ${field} "${subject}" not found. Check that it exists and is active.`,
    },
  },
  missingValue: {
    qbd: { code: '3150', message: (_subject, field) => `There is a missing element: "${field}".` },
    qbo: {
      code: 2020,
      message: (_subject, field) =>
        `Required param missing, need to supply the required value for the API: ${field}`,
    },
  },
  wrongType: {
    qbd: {
      code: '3030',
      message: (subject, field) =>
        `The value "${subject}" in the field "${field}" is not of the expected type.`,
    },
    qbo: {
      code: 2010,
      message: (subject, field) => `Request has invalid or unsupported property: ${field} = ${subject}`,
    },
  },
  unsupportedField: {
    qbd: {
      code: '3045',
      message: (subject, field) =>
        `The field "${field}" is not supported for ${subject} by this application.`,
    },
    qbo: {
      code: 2010,
      message: (subject, field) => `Request has invalid or unsupported property: ${field} of ${subject}`,
    },
  },
  tooLong: {
    qbd: {
      code: '3070',
      message: (subject, field) => `The string "${subject}" in the field "${field}" is too long.`,
    },
    qbo: {
      code: 2050,
      message: (subject, field) => `String length is too long: ${field} = "${subject}"`,
    },
  },
  tooLarge: {
    qbd: {
      code: '3040',
      message: (subject, field) =>
        `There was an error when converting the amount "${subject}" in the field "${field}".`,
    },
    qbo: {
      code: 2090,
      message: (subject, field) => `Invalid Number: ${field} = ${subject} is out of range`,
    },
  },
  stale: {
    qbd: {
      code: '3200',
      message: (subject) =>
        `The provided edit sequence of "${subject}" is out-of-date: it has been changed since it was read.`,
    },
    qbo: {
      code: 5010,
      message: (subject) => `Stale Object Error: You and another user were working on "${subject}" at once.`,
    },
  },
  closedPeriod: {
    qbd: {
      code: '3171',
      message: (subject) =>
        `An attempt was made to modify a transaction with a date that is on or before the closing date of the company (${subject}).`,
    },
    qbo: {
      code: 6210,
      message: (subject) => `Account Period Closed: The books are closed through ${subject}.`,
    },
  },
  businessRule: {
    qbd: {
      code: '3180',
      message: (subject, field) =>
        `There was an error when saving a ${field} list, element "${subject}". The application's own rule was broken.`,
    },
    qbo: {
      code: 6000,
      message: (subject, field) =>
        `A business validation error has occurred: ${field} "${subject}" can't be saved.`,
    },
  },
} satisfies Record<string, Record<Application, Wording>>

/** What can be wrong with one record. */
export type RecordTrouble = keyof typeof WORDINGS

/**
 * Refuses a record in its application's words.
 * @param subject the value that was sent, or the record's name
 * @param field the field or list that the refusal is about
 */
export function recordRefusal(
  application: Application,
  trouble: RecordTrouble,
  subject: string,
  field: string,
  detail = '',
): { readonly ok: false; readonly refusal: Refusal } {
  const wording: Wording = WORDINGS[trouble][application]
  return refused(200, wording.code, wording.message(subject, field), detail)
}

// Envelopes of v2 (section 2.1) and v1 (section 2.6). They are written as bytes, record by record, so a list of 100,000
// records is never in memory as objects.

/** A content item (section 2.1). `Object` is null if there is only an error. */
export interface ContentItem {
  readonly Object: unknown
  readonly Errors: readonly ErrorEntry[] | null
  readonly Self: string | null
  readonly Kind: string
}

/** The result of an operation, before it is put in an envelope. */
export interface ResponseContent {
  readonly status: number
  readonly page: number
  /** null if pages don't apply. */
  readonly moreData: boolean | null
  /** Generated one by one while the response is written. */
  readonly contents: Iterable<ContentItem>
  /** Errors of the whole request. */
  readonly errors: readonly ErrorEntry[]
}

const ITEMS_A_PIECE = 500
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

/** Creates a response with items and no error. */
export function contentOf(
  contents: Iterable<ContentItem>,
  moreData: boolean | null = null,
  page = 1,
  errors: readonly ErrorEntry[] = [],
): ResponseContent {
  return { status: 200, page, moreData, contents, errors }
}

/** Writes a response as a v2 envelope. */
export function envelopeOf(content: ResponseContent, self: string, requestId: string): Response {
  const encoder = new TextEncoder()
  const pieces: Uint8Array[] = []
  let hasErrors = content.errors.length > 0
  let batch: string[] = []
  let first = true
  const flush = (): void => {
    if (batch.length === 0) return
    pieces.push(encoder.encode((first ? '' : ',') + batch.join(',')))
    first = false
    batch = []
  }
  for (const item of content.contents) {
    if (item.Errors !== null && item.Errors.length > 0) hasErrors = true
    batch.push(JSON.stringify(item))
    if (batch.length >= ITEMS_A_PIECE) flush()
  }
  flush()
  const head = JSON.stringify({
    Self: self,
    Kind: 'collection',
    Page: content.page,
    MoreData: content.moreData,
    HasErrors: hasErrors,
    RequestId: requestId,
  })
  const errors = content.errors.length > 0 ? JSON.stringify(content.errors) : 'null'
  pieces.unshift(encoder.encode(`${head.slice(0, -1)},"Contents":[`))
  pieces.push(encoder.encode(`],"Errors":${errors}}`))
  return new Response(joined(pieces), { status: content.status, headers: JSON_TYPE })
}

/** Writes the refusal of a whole request as a v2 envelope. */
export function refusalEnvelope(refusal: Refusal, self: string, requestId: string): Response {
  const content = { status: refusal.status, page: 1, moreData: null, contents: [], errors: [refusal.entry] }
  return envelopeOf(content, self, requestId)
}

/** Writes a v1 envelope (section 2.6). */
export function legacyEnvelope(
  status: number,
  statusCode: string,
  message: string,
  detail: readonly unknown[],
): Response {
  const severity = statusCode === '0' ? null : 'Error'
  const meta = { CommandGuid: null, StatusCode: statusCode, Severity: severity, Message: message }
  return new Response(JSON.stringify({ Meta: meta, Detail: detail }), { status, headers: JSON_TYPE })
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.byteLength, 0))
  let offset = 0
  for (const piece of pieces) {
    whole.set(piece, offset)
    offset += piece.byteLength
  }
  return whole
}
