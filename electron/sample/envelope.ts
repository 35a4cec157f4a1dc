// The envelopes of section 2.1 (v2) and 2.6 (v1), written straight to bytes: a list of 100,000 records is
// never one object tree nor one string.
import { type ErrorEntry, type Refusal } from './refusal.ts'

/** One content item of section 2.1. `Object` is null where only an error is told. */
export interface ContentItem {
  readonly Object: unknown
  readonly Errors: readonly ErrorEntry[] | null
  readonly Self: string | null
  readonly Kind: string
}

/** What an operation hands back, to be put in an envelope. */
export interface Answer {
  readonly status: number
  readonly page: number
  /** null where pages do not apply. */
  readonly moreData: boolean | null
  /** Made one after the other while the answer is written. */
  readonly contents: Iterable<ContentItem>
  /** Errors of the whole request. */
  readonly errors: readonly ErrorEntry[]
}

const ITEMS_A_PIECE = 500
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

/** An answer with items and no error. */
export function answerOf(
  contents: Iterable<ContentItem>,
  moreData: boolean | null = null,
  page = 1,
  errors: readonly ErrorEntry[] = [],
): Answer {
  return { status: 200, page, moreData, contents, errors }
}

/** The v2 envelope of an answer. */
export function envelopeOf(answer: Answer, self: string, requestId: string): Response {
  const encoder = new TextEncoder()
  const pieces: Uint8Array[] = []
  let hasErrors = answer.errors.length > 0
  let batch: string[] = []
  let first = true
  const flush = (): void => {
    if (batch.length === 0) return
    pieces.push(encoder.encode((first ? '' : ',') + batch.join(',')))
    first = false
    batch = []
  }
  for (const item of answer.contents) {
    if (item.Errors !== null && item.Errors.length > 0) hasErrors = true
    batch.push(JSON.stringify(item))
    if (batch.length >= ITEMS_A_PIECE) flush()
  }
  flush()
  const head = JSON.stringify({
    Self: self,
    Kind: 'collection',
    Page: answer.page,
    MoreData: answer.moreData,
    HasErrors: hasErrors,
    RequestId: requestId,
  })
  const errors = answer.errors.length > 0 ? JSON.stringify(answer.errors) : 'null'
  pieces.unshift(encoder.encode(`${head.slice(0, -1)},"Contents":[`))
  pieces.push(encoder.encode(`],"Errors":${errors}}`))
  return new Response(joined(pieces), { status: answer.status, headers: JSON_TYPE })
}

/** The v2 envelope of a request that was turned down as a whole. */
export function refusalEnvelope(refusal: Refusal, self: string, requestId: string): Response {
  const answer = { status: refusal.status, page: 1, moreData: null, contents: [], errors: [refusal.entry] }
  return envelopeOf(answer, self, requestId)
}

/** The v1 envelope of section 2.6. */
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
