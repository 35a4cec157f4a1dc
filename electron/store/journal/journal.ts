/**
 * What the journal keeps of everything that changes something outside. Types only. Which
 * move is allowed is decided in `electron/writing/records/states.ts`; here a move names the state it leaves, and is refused
 * when the operation is no longer in it.
 */
import type { FieldEdit, RecordData } from '../../../shared/records/changes.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Difference, OperationState } from '../../../shared/contract/records.ts'
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
  /** By which the record is recognised in a list, where it has no mark: `Parent.FullName:Name`. */
  readonly fullName: string
  /** What an insert carries as `ExternalID`; empty when it carries none of ours. */
  readonly mark: string
  /** Ids of records of the same full name that were in the lists read before it was sent: an insert is none of them. */
  readonly namesakes: readonly string[]
  readonly before: RecordData
  readonly edits: readonly FieldEdit[]
}

/** One record, one company, from the click to its end. */
export interface JournalOperation extends NewOperation {
  readonly batchId: string
  readonly position: number
  readonly company: CompanyRef
  readonly object: string
  readonly state: OperationState
  /** The person has seen its end or dropped it, or it ended as sent: nothing about it is unfinished. */
  readonly isClosed: boolean
  /** The person said *Send again*; it is looked for once more before that. */
  readonly sendAgain: boolean
  /** ISO times. */
  readonly queuedAt: string
  readonly settledAt: string | null
  readonly firstLookedAt: string | null
  readonly lastLookedAt: string | null
  /** Looks since it became unknown, whether or not they could tell. */
  readonly looks: number
  readonly confirmedByReading: boolean
  /** An insert that nothing but its name and its values speak for: no mark, and no answer that told its id. */
  readonly isKnownByName: boolean
  readonly notAsSent: readonly Difference[]
  readonly conflicts: readonly Difference[]
  /** The record as found when it was in conflict. */
  readonly theirs: RecordData | null
  readonly error: AppError | null
  readonly errorPath: string
  readonly requestId: string
  readonly after: RecordData | null
  /**
   * Of a change that left while none before it was known to do what it says: its record right before. Nothing else
   * of it may have changed. `null` of any other.
   */
  readonly fresh: RecordData | null
  /** The address that it was sent to, where its connection leads to another service now; empty: here. */
  readonly previousService: string
  /** Of a held insert: records that may be it. What an answer told and nobody found is its `ID` alone. */
  readonly candidates: readonly RecordData[]
  /** Records (`identityOf`) that were shown as possibly this insert, and that the person said are others. */
  readonly dismissed: readonly string[]
  /** When to look for a second record of an insert that was sent again (ISO); `null`: no more. */
  readonly recheckAt: string | null
}

/** Members of an operation that a move may set. */
export type OperationFacts = Partial<
  Pick<
    JournalOperation,
    | 'recordId'
    | 'sendAgain'
    | 'settledAt'
    | 'firstLookedAt'
    | 'lastLookedAt'
    | 'looks'
    | 'confirmedByReading'
    | 'isKnownByName'
    | 'notAsSent'
    | 'conflicts'
    | 'theirs'
    | 'error'
    | 'errorPath'
    | 'requestId'
    | 'after'
    | 'fresh'
    | 'candidates'
    | 'dismissed'
    | 'recheckAt'
  >
>

/** A move of one operation, or new facts about it where `from` is `to`. */
export interface OperationMove {
  readonly operationId: string
  readonly from: OperationState
  readonly to: OperationState
  readonly facts: OperationFacts
  /** Ends it: nothing is left for the person. Its draft goes with it. */
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

/** What a list held as it was read before something was sent to it. */
export interface Baseline {
  /** Changes whenever the list is read again. */
  readonly baselineId: string
  /** By `ID`, the fingerprints of the records' names (`nameFingerprint`): an ID may be reassigned. */
  readonly records: ReadonlyMap<string, string>
}

/** How many operations of a batch are in each state; closed ones are counted under the state they ended in. */
export interface BatchCounts {
  readonly total: number
  /** Ended by the person before they were sent. */
  readonly dropped: number
  /** Held, or in conflict, until the person decided: nothing about them is left to say. */
  readonly decided: number
  /** All others. */
  readonly states: Readonly<Record<OperationState, number>>
}

export type RequestKind =
  'insert' | 'change' | 'provision' | 'deprovision' | 'legacy-deprovision' | 'create-user'

/** The exact bytes of one request (UTF-8 of `body`), on disk before the first of them leaves. */
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

export interface RequestAnswer {
  readonly requestKey: string
  readonly answeredAt: string
  readonly outcome: 'answered' | 'refused-key' | 'not-sent' | 'in-doubt'
  readonly status: number | null
  readonly requestId: string
  readonly error: AppError | null
  /** The body's text where it could not be matched to its operations; never of an answer that may hold a token. */
  readonly text: string | null
  /** Every ID that the answer names, in its order. */
  readonly toldIds: readonly string[]
  /** What was answered for each operation: its item as JSON text. */
  readonly items: readonly { readonly operationId: string; readonly text: string }[]
}

/** A request as kept, with the operations that travelled in it, for the history's details. */
export interface JournalRequest extends NewRequest {
  readonly answeredAt: string | null
  readonly outcome: RequestAnswer['outcome'] | null
  readonly status: number | null
  readonly requestId: string
  readonly operationIds: readonly string[]
}

/** How far trust has grown in writing one object of one application over one connection (decisions.md, "Rate limits, sizes, time-outs"). */
export interface WritePolicy {
  /** 0: one record at a time; 1: ten; 2 and above: the setting's size. */
  readonly stage: number
  /** The first change was read back, and nothing else had changed. */
  readonly isProven: boolean
  /** The first change did not come out as meant: no further one is sent until the person says so. */
  readonly isStopped: boolean
  readonly learned: Learned
}

/** What reading back has taught about how a service keeps new records. `null`: not known yet. */
export interface Learned {
  /** Names come back as they were sent. */
  readonly keepsNames: boolean | null
  /** `ExternalID` comes back as it was sent. */
  readonly keepsMarks: boolean | null
  /** An answer says what is stored, and not only what was sent. */
  readonly answersAsStored: boolean | null
  /** The ID in an answer is the one in the list. */
  readonly keepsIds: boolean | null
  /** Milliseconds by which the service's clock is ahead of this computer's. */
  readonly clockAhead: number | null
  /** Milliseconds until a new record could be read; 0 where the first read found it. */
  readonly lag: number | null
  /** Kinds of text that were read back: see `textTraits`. */
  readonly traits: readonly string[]
}

export interface WritePolicyKey {
  readonly connectionId: string
  readonly application: string
  readonly object: string
  readonly kind: OperationKind
}
