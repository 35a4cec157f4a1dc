/**
 * The service as the rest of the program sees it: one method per request of the specification, each within a slot of
 * the request queue. Only types; `client.ts` implements them.
 *
 * A slot is one turn in the request queue. `SlotRequest` says what it is for. `Wire` makes the requests in it, one after
 * another, and `SlotState` (`slot-wire.ts`) is what it remembers between them. In the write protocol, `ListSlot` and
 * `BatchSlot` are a slot with what is checked or sent in it.
 *
 * One request has three types on its way. `ServiceRequest` (`requests.ts`) is what the specification describes: method,
 * path, and body. `OutgoingRequest` (`exchange.ts`) adds the address, the headers with the key, and the limits.
 * `NewRequest` (`journal.ts`) is what the journal saves of a write before it is sent.
 */
import type { LogEntry } from '../../../shared/contract/activity.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { AppError, Result } from '../../../shared/result.ts'

/** The address and key of a connection. Each slot asks for them, so that a new key takes effect immediately. */
export interface ServiceTarget {
  readonly connectionId: string
  /** Without a slash at the end; `sample:` for the sample service. */
  readonly address: string
  /** Empty if there is no older service. */
  readonly legacyAddress: string
  readonly key: string
  readonly legacyKey: string
  /** Masks both keys, which the service may echo. */
  readonly mask: Mask
}

/** Masks secrets in a text, in any spelling. */
export type Mask = (text: string) => string

/** What a slot is for: what the status line and Activity show, and its position in the queue. */
export interface SlotRequest {
  readonly connectionId: string
  readonly company: CompanyRef | null
  readonly companyName: string
  /** As shown: *Reading customers*. */
  readonly what: string
  readonly isWrite: boolean
  /** Requests that a user waits for go before batch work. Writes to one company keep their order. */
  readonly priority: 'interactive' | 'batch'
  /** What Activity shows as one row: a batch, a run, a provisioning, or a de-provisioning. Empty otherwise. */
  readonly batchId: string
  /** What it reads, if Activity counts or groups it by that. */
  readonly reads?: NonNullable<LogEntry['reads']>
  /** The month whose review it belongs to, as `yyyy-mm`. */
  readonly reviewedMonth?: string | null
  /** `v1` for the older service, which has its own queue. */
  readonly service?: 'v1'
  /** Set when it tests an address and key that are not saved yet. */
  readonly isTest?: true
}

/** A slot for the service's own lists. It belongs to no company. */
export function serviceRequest(
  request: Pick<SlotRequest, 'connectionId' | 'what' | 'isWrite' | 'priority'> & {
    readonly batchId?: string
  },
): SlotRequest {
  return { company: null, companyName: '', batchId: '', ...request }
}

/**
 * The whole body of a response, undecoded. The blocks own their memory, so that they can be transferred to the rows
 * worker without a copy. They are empty here afterward.
 */
export interface RawResponse {
  readonly status: number
  readonly contentType: string
  readonly blocks: readonly Uint8Array<ArrayBuffer>[]
  /** The bytes of all blocks together. */
  readonly length: number
}

/** An error entry of the envelope. Its members may have any casing. */
export interface ServiceError {
  readonly code: string
  readonly message: string
  readonly severity: string
  readonly detail: string
  /** The raw entry as JSON text, redacted and bounded. */
  readonly raw: string
}

/** A content item: the record as parsed, with numbers as their source text, its errors, and its kind. */
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
 * The result of a write. Only `not-sent` proves that nothing was sent, and only `refused-key` proves that all of it was
 * refused. Without an envelope, anything else is in doubt.
 */
export type WriteResult<T = Envelope> =
  | {
      readonly outcome: 'answered'
      readonly envelope: T
      /** The text of the response without the keys; `null` if it is not UTF-8. Searching it takes time. */
      readonly text: () => string | null
    }
  | { readonly outcome: 'refused-key'; readonly error: AppError }
  | { readonly outcome: 'not-sent'; readonly error: AppError }
  | { readonly outcome: 'uncertain'; readonly error: AppError }

export interface RecordsQuery {
  readonly ids?: readonly string[]
  /** ISO 8601, with an offset or Z. Sent with this computer's offset. */
  readonly modTimeStart?: string
  readonly modTimeEnd?: string
  /** 1-based. Sent only if it is above 1. */
  readonly page?: number
}

export interface ReportQuery {
  readonly name: string
  /** `yyyy-mm-ddThh:mm:ss`, without offset. */
  readonly from: string
  readonly to: string
  /** 1-based. Sent only if it is above 1. */
  readonly page?: number
}

export interface CompaniesQuery {
  readonly isActive?: boolean
  /** 1-based. Sent only if it is above 1. */
  readonly page?: number
}

/** Receives the bytes of a response as they arrive, before it is known what the whole response says. */
export type OnBytes = (bytes: Uint8Array<ArrayBuffer>) => void

/** A response with the service's ID of the request. Empty if there is none. */
export interface CountedResponse {
  readonly requestId: string
  /** How many items were received, if they were counted. */
  readonly count?: number
}

/** Decodes a body. An error of kind `unauthorized` pauses the queue. */
export type Decoder<T extends CountedResponse> = (raw: RawResponse) => Promise<Result<T>>

/** The operations within a slot. They run one after another. */
export interface Wire {
  readonly target: ServiceTarget
  /** True once the user asked to stop: no further request may begin. */
  readonly isStopped: () => boolean
  /** Shown beside the entry while it runs. */
  readonly progress: (message: string) => void

  // Reads. The decoder handles the envelope's errors.
  listCompanies<T extends CountedResponse>(query: CompaniesQuery, decode: Decoder<T>): Promise<Result<T>>
  readRecords<T extends CountedResponse>(
    endpointId: string,
    object: string,
    query: RecordsQuery,
    decode: Decoder<T>,
    onBytes?: OnBytes,
  ): Promise<Result<T>>
  metadata<T extends CountedResponse>(
    object: string,
    applications: readonly string[],
    overlap: boolean,
    decode: Decoder<T>,
  ): Promise<Result<T>>
  selectReport<T extends CountedResponse>(
    endpointId: string,
    query: ReportQuery,
    decode: Decoder<T>,
  ): Promise<Result<T>>
  legacyListCompanies(query: { readonly isActive?: boolean }): Promise<Result<LegacyEnvelope>>

  // Writes, which only electron/writing may use. `body` is the exact JSON text to send.
  insertRecords(endpointId: string, object: string, body: string): Promise<WriteResult>
  changeRecords(endpointId: string, object: string, body: string): Promise<WriteResult>
  provision(body: string): Promise<WriteResult>
  deprovision(body: string): Promise<WriteResult>
  createUser(body: string): Promise<WriteResult>
  legacyDeprovision(body: string): Promise<WriteResult<LegacyEnvelope>>
}

/** How work in a slot ended. */
export interface SlotEnd<T> {
  /** What `work` returned, or why it never began. */
  readonly result: Result<T>
  /** Whether the user stopped it while it ran. */
  readonly wasAbandoned: boolean
}

export interface ServiceClient {
  /**
   * Waits for a slot in the queue and holds it until `work` has ended. Returns an error if the request is stopped while
   * it waits (`stopped`), or if the connection's address or key has changed (`connection-changed`). Waits while the
   * queue is paused. If the user stops a running slot, `work` continues to its end, so that a late response to a write
   * still reaches the journal, and the queue stays blocked until it is safe to continue.
   * @param busyOf returns the error if the service asked to wait before `work` had sent a write. It is then tried again
   * like a read.
   */
  withSlot<T>(
    request: SlotRequest,
    work: (wire: Wire) => Promise<Result<T>>,
    busyOf?: (value: T) => AppError | null,
  ): Promise<SlotEnd<T>>
  /**
   * Reads with up to `tries` tries (three by default), each in its own slot, with full jitter between them. A
   * `Retry-After` of up to five minutes is honored. `onEntry` gets the ID with which the read can be stopped.
   */
  read<T>(
    request: SlotRequest,
    work: (wire: Wire) => Promise<Result<T>>,
    options?: { readonly tries?: 1 | 3; readonly onEntry?: (entryId: string) => void },
  ): Promise<Result<T>>
}
