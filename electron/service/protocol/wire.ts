/**
 * The service as the rest of the program sees it: one method per operation of the specification, each within a
 * *turn* of the queue. Types only; `client.ts` makes it.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { AppError, Result } from '../../../shared/result.ts'

/** Address, key and manners of one connection. Asked for anew at each turn, so that a changed key counts at once. */
export interface ServiceTarget {
  readonly connectionId: string
  /** Without a slash at the end; `sample:` for the sample service. */
  readonly address: string
  /** Empty when there is no older service. */
  readonly legacyAddress: string
  readonly key: string
  readonly legacyKey: string
}

/** What a turn is for: what the status line and Activity show, and how it is ordered. */
export interface SlotRequest {
  readonly connectionId: string
  readonly company: CompanyRef | null
  readonly companyName: string
  /** In words: *Reading customers*. */
  readonly what: string
  readonly isWrite: boolean
  /** What a person is waiting for goes before batch work; writes to one company keep their order. */
  readonly priority: 'person' | 'batch'
  /** Ties a write's log entry to its batch; empty otherwise. */
  readonly batchId: string
  /** Given where the turn is the older service's, which has a queue of its own. */
  readonly service?: 'v1'
  /** Given where it tests addresses and keys that are not saved yet: no other turn goes there. */
  readonly isTest?: true
}

/** A turn about the service's own lists, not about one company's books; it belongs to no batch. */
export function serviceRequest(
  turn: Pick<SlotRequest, 'connectionId' | 'what' | 'isWrite' | 'priority'>,
): SlotRequest {
  return { ...turn, company: null, companyName: '', batchId: '' }
}

/**
 * An answer's body as it came, whole, before anything was made of it. The blocks own their memory, so that they can
 * be transferred to the rows worker without a copy; after that they are empty here.
 */
export interface RawAnswer {
  readonly status: number
  readonly contentType: string
  readonly blocks: readonly Uint8Array<ArrayBuffer>[]
  /** Bytes in all blocks together. */
  readonly length: number
}

/** An error entry of the envelope, looked for under any casing (decisions.md). */
export interface ServiceError {
  readonly code: string
  readonly message: string
  readonly severity: string
  readonly detail: string
  /** The raw entry as JSON text, redacted and bounded. */
  readonly raw: string
}

/** A content item: the record's object as parsed (numbers as source text), its errors, its kind. */
export interface EnvelopeItem {
  readonly object: Readonly<Record<string, unknown>> | null
  readonly errors: readonly ServiceError[]
  readonly kind: string
}

/** The envelope of specification 2.1, decoded tolerantly. */
export interface Envelope {
  readonly status: number
  readonly page: number | null
  readonly moreData: boolean | null
  readonly hasErrors: boolean
  readonly requestId: string
  readonly items: readonly EnvelopeItem[]
  readonly errors: readonly ServiceError[]
}

/** The older service's envelope (specification 2.6). */
export interface LegacyEnvelope {
  readonly status: number
  readonly statusCode: string
  readonly message: string
  readonly detail: readonly Readonly<Record<string, unknown>>[]
}

/**
 * What became of something that changes the outside. Only `not-sent` proves that nothing left; only `refused-key`
 * proves a refusal of the whole; everything else without an envelope is doubt.
 */
export type WriteAnswer<T = Envelope> =
  | { readonly outcome: 'answered'; readonly envelope: T; readonly raw: RawAnswer }
  | { readonly outcome: 'refused-key'; readonly error: AppError }
  | { readonly outcome: 'not-sent'; readonly error: AppError }
  | { readonly outcome: 'in-doubt'; readonly error: AppError }

export interface RecordsQuery {
  readonly ids?: readonly string[]
  /** ISO 8601, with an offset or Z; sent with the machine's offset. */
  readonly modTimeStart?: string
  readonly modTimeEnd?: string
  /** 1-based; sent only when above 1. */
  readonly page?: number
}

export interface ReportQuery {
  readonly name: string
  /** `yyyy-mm-ddThh:mm:ss`, without offset. */
  readonly from: string
  readonly to: string
  /** 1-based; sent only when above 1. */
  readonly page?: number
}

export interface CompaniesQuery {
  readonly isActive?: boolean
  /** 1-based; sent only when above 1. */
  readonly page?: number
}

/** Hears bytes of an answer before its end; what it means is known only when the whole of it was decoded. */
export type OnBytes = (bytes: Uint8Array<ArrayBuffer>) => void

/** What every answer tells: the service's id of the request, from its envelope; empty when it gave none. */
export interface Numbered {
  readonly requestId: string
}

/** Turns a body into what was asked for. An error of kind `unauthorised` pauses the queue. */
export type Decoder<T extends Numbered> = (raw: RawAnswer) => Promise<Result<T>>

/** The operations, while a turn lasts. None of them runs beside another of the same queue. */
export interface Wire {
  readonly target: ServiceTarget
  /** True once the person asked to stop: begin no further request. */
  readonly isStopped: () => boolean
  /** Shown beside the entry while it runs. */
  readonly progress: (words: string) => void

  // Reads. Answered errors of the envelope are the decoder's business.
  listCompanies<T extends Numbered>(query: CompaniesQuery, decode: Decoder<T>): Promise<Result<T>>
  readRecords<T extends Numbered>(
    endpointId: string,
    object: string,
    query: RecordsQuery,
    decode: Decoder<T>,
    onBytes?: OnBytes,
  ): Promise<Result<T>>
  metadata<T extends Numbered>(
    object: string,
    applications: readonly string[],
    overlap: boolean,
    decode: Decoder<T>,
  ): Promise<Result<T>>
  selectReport<T extends Numbered>(
    endpointId: string,
    query: ReportQuery,
    decode: Decoder<T>,
  ): Promise<Result<T>>
  legacyListCompanies(query: { readonly isActive?: boolean }): Promise<Result<LegacyEnvelope>>

  // What changes something outside: only electron/writing calls these. `body` is the exact JSON text to send.
  insertRecords(endpointId: string, object: string, body: string): Promise<WriteAnswer>
  changeRecords(endpointId: string, object: string, body: string): Promise<WriteAnswer>
  provision(body: string): Promise<WriteAnswer>
  deprovision(body: string): Promise<WriteAnswer>
  createUser(body: string): Promise<WriteAnswer>
  legacyDeprovision(body: string): Promise<WriteAnswer<LegacyEnvelope>>
}

export interface ServiceClient {
  /**
   * Waits for its turn, then holds the queue for everything that `work` asks of the wire. Answers an error when it
   * was stopped while waiting (`stopped`), or when the connection's address or key changed meanwhile
   * (`connection-changed`); a paused queue is waited for. When the person lets go of a running turn the promise answers `stopped` at once, while `work` goes on to its end in the background (so that a
   * late answer of a write reaches the journal) and the queue stays blocked until it is safe (decisions.md).
   */
  withSlot<T>(request: SlotRequest, work: (wire: Wire) => Promise<T>): Promise<Result<T>>
  /**
   * A read in up to `tries` tries (three, or one for Connect and Test company), each a turn of its own with full
   * jitter between them; `Retry-After` is lastSeenBlock up to five minutes. `onEntry` tells the entry's id for stopping it.
   */
  read<T>(
    request: SlotRequest,
    operation: (wire: Wire) => Promise<Result<T>>,
    options?: { readonly tries?: 1 | 3; readonly onEntry?: (entryId: string) => void },
  ): Promise<Result<T>>
}
