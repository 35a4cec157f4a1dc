/**
 * What the journal keeps about everything that changes the books. Types only. `electron/writing/records/states.ts`
 * decides which moves are allowed. A move names the state it leaves, and is refused if the operation is no longer in
 * it.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Difference, OperationState } from '../../../shared/contract/records.ts'
import type { FieldEdit, RecordData } from '../../../shared/records/changes.ts'
import type { AppError } from '../../../shared/result.ts'

export type OperationKind = 'insert' | 'change'

/** A draft that becomes an operation. */
export interface NewOperation {
  readonly operationId: string
  readonly draftId: string
  readonly kind: OperationKind
  /** Empty for an insert. */
  readonly recordId: string
  readonly recordName: string
  /** Identifies the record in a list if it has no external ID: `Parent.FullName:Name`. */
  readonly fullName: string
  /** The `ExternalID` that an insert carries; empty if it has none of ours. */
  readonly externalId: string
  /**
   * IDs of records with the same full name that were in the list before it was sent. An insert is none of them.
   */
  readonly namesakes: readonly string[]
  readonly before: RecordData
  readonly edits: readonly FieldEdit[]
}

/** One record, from the click on **Send** to its outcome. */
export interface JournalOperation extends NewOperation {
  readonly batchId: string
  readonly position: number
  readonly company: CompanyRef
  readonly object: string
  readonly state: OperationState
  /**
   * Nothing about it is unfinished: it was saved as sent, or the user has seen its outcome or discarded it.
   */
  readonly isClosed: boolean
  /** The user chose *Send again*. It is searched for once more before it is sent. */
  readonly sendAgain: boolean
  /** ISO times. */
  readonly queuedAt: string
  readonly settledAt: string | null
  readonly firstRecheckedAt: string | null
  readonly lastRecheckedAt: string | null
  /** Rechecks since it became unknown, conclusive or not. */
  readonly rechecks: number
  readonly confirmedByReading: boolean
  /**
   * Whether an insert is identified only by its name and values: it has no external ID, and no response named its ID.
   */
  readonly isKnownByName: boolean
  readonly notAsSent: readonly Difference[]
  readonly conflicts: readonly Difference[]
  /** The record as found when the conflict was noticed. */
  readonly theirs: RecordData | null
  readonly error: AppError | null
  readonly errorPath: string
  readonly requestId: string
  readonly after: RecordData | null
  /**
   * The record right before a change that was sent before any change had proven reliable. Nothing else in it may have
   * changed. Otherwise `null`.
   */
  readonly beforeSending: RecordData | null
  /** The previous service's address, if its connection leads to another service now. Otherwise empty. */
  readonly previousService: string
  /** Records that may be this held insert. A record that a response named and that was not found has only its `ID`. */
  readonly candidates: readonly RecordData[]
  /** Records (`identityOf`) that the user said are not this insert. */
  readonly dismissed: readonly string[]
  /** When to search for a duplicate of an insert that was sent again (ISO); `null` if that is done. */
  readonly recheckAt: string | null
}

/** Members of an operation that a move can set. */
export type OperationFacts = Partial<
  Pick<
    JournalOperation,
    | 'recordId'
    | 'sendAgain'
    | 'settledAt'
    | 'firstRecheckedAt'
    | 'lastRecheckedAt'
    | 'rechecks'
    | 'confirmedByReading'
    | 'isKnownByName'
    | 'notAsSent'
    | 'conflicts'
    | 'theirs'
    | 'error'
    | 'errorPath'
    | 'requestId'
    | 'after'
    | 'beforeSending'
    | 'candidates'
    | 'dismissed'
    | 'recheckAt'
  >
>

/** A move of an operation, or new facts about it if `from` equals `to`. */
export interface OperationMove {
  readonly operationId: string
  readonly from: OperationState
  readonly to: OperationState
  readonly facts: OperationFacts
  /** Whether the move closes the operation and deletes its draft, because nothing is left to decide. */
  readonly closes: boolean
}

export type BatchStatus = 'open' | 'paused' | 'stopped'

export interface JournalBatch {
  readonly batchId: string
  readonly company: CompanyRef
  readonly object: string
  readonly queuedAt: string
  readonly status: BatchStatus
  readonly error: AppError | null
}

/** What a list contained before something was sent to it. */
export interface Baseline {
  /** Changes each time the list is read. */
  readonly baselineId: string
  /** By `ID`, the fingerprints of the records' names (`nameFingerprint`): an ID may be reassigned. */
  readonly records: ReadonlyMap<string, string>
}

/** How many operations of a batch are in each state. Closed ones count under their last state. */
export interface BatchCounts {
  readonly total: number
  /** Discarded before they were sent. */
  readonly dropped: number
  /** Held or in conflict until the user decided. */
  readonly decided: number
  /** Saved ones that undo an earlier operation; counted under their state, too. */
  readonly undone: number
  /** All others. */
  readonly states: Readonly<Record<OperationState, number>>
}

export type RequestKind =
  'insert' | 'change' | 'provision' | 'deprovision' | 'legacy-deprovision' | 'create-user'

/** The exact bytes of one request (`body` in UTF-8), on disk before the first one is sent. */
export interface NewRequest {
  readonly requestKey: string
  readonly batchId: string
  readonly kind: RequestKind
  readonly connectionId: string
  /** Empty where the request names no company. */
  readonly endpointId: string
  readonly object: string
  readonly body: string
  readonly sentAt: string
}

export interface RequestResult {
  readonly requestKey: string
  readonly respondedAt: string
  readonly outcome: 'answered' | 'refused-key' | 'not-sent' | 'uncertain'
  readonly status: number | null
  readonly requestId: string
  readonly error: AppError | null
  /**
   * The response's text if it could not be matched with operations. Never set for a response that may contain a token.
   */
  readonly text: string | null
  /** Every ID that the response names, in order. */
  readonly returnedIds: readonly string[]
  /** The item of each operation, as JSON text. */
  readonly items: readonly { readonly operationId: string; readonly text: string }[]
}

/** A request with the operations it carried, for the details in the history. */
export interface JournalRequest extends NewRequest {
  readonly respondedAt: string | null
  readonly outcome: RequestResult['outcome'] | null
  readonly status: number | null
  readonly requestId: string
  readonly operationIds: readonly string[]
}

/**
 * How far writes to one list of one application over one connection are trusted (decisions.md, "Rate limits, sizes,
 * time-outs").
 */
export interface WritePolicy {
  /** 0: one record per request. 1: ten. 2 and above: the batch size in the settings. */
  readonly stage: number
  /** The first change was read back, and nothing else in the record had changed. */
  readonly isProven: boolean
  /** Whether the first change altered something else. No other change is sent until the user allows it. */
  readonly isStopped: boolean
  readonly learned: Learned
}

/** What reading back has shown about how a service stores new records. `null` if not known yet. */
export interface Learned {
  /** Names come back as they were sent. */
  readonly keepsNames: boolean | null
  /** `ExternalID` comes back as it was sent. */
  readonly keepsExternalIds: boolean | null
  /** Whether responses say what is stored, not just what was sent. */
  readonly returnsStoredValues: boolean | null
  /** Whether the ID in a response is the ID in the list. */
  readonly keepsIds: boolean | null
  /** Milliseconds by which the service's clock is ahead of this computer's. */
  readonly clockAhead: number | null
  /** Milliseconds until a new record could be read; 0 if the first read found it. */
  readonly lag: number | null
  /** Kinds of text that were read back (`textTraits`). */
  readonly traits: readonly string[]
}

export interface WritePolicyKey {
  readonly connectionId: string
  readonly application: string
  readonly object: string
  readonly kind: OperationKind
}
