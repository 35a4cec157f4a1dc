/**
 * What the journal keeps of everything that changes something outside, and how it is asked. Types only. Which
 * move is allowed is decided in `electron/writing/records/states.ts`; here a move names the state it leaves, and is refused
 * when the operation is no longer in it.
 */
import type { FieldEdit, RecordData } from '../../../shared/records/changes.ts'
import type { Unfinished } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Difference, OperationState } from '../../../shared/contract/records.ts'
import type { AppError } from '../../../shared/result.ts'
import type { ManageStore } from './companies.ts'
import type { DraftState } from '../store.ts'

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
  readonly elsewhere: string
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

/** The person's end of an operation, and what becomes of its draft. */
export interface OperationEnd {
  readonly operationId: string
  readonly from: OperationState
  /** `release` keeps it as a plain draft; a draft given takes its place. */
  readonly draft: 'remove' | 'release' | DraftState
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
export interface Manners {
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

export interface MannersKey {
  readonly connectionId: string
  readonly application: string
  readonly object: string
  readonly kind: OperationKind
}

/** Operations and batches. */
export interface OperationStore {
  /**
   * Drafts become a batch, each once, in one transaction. `replaced` are operations that the person sends anew
   * (queued but held back, or not accepted); they are closed. Refused as a whole when a draft is on its way already.
   */
  enqueue(
    batch: JournalBatch,
    operations: readonly NewOperation[],
    replaced: readonly OperationEnd[],
    baseline?: Baseline | null,
  ): void
  byIds(operationIds: readonly string[]): readonly JournalOperation[]
  /** Not closed and in one of the states, oldest first; without what was sent elsewhere. */
  open(company: CompanyRef, states: readonly OperationState[]): readonly JournalOperation[]
  /** The next of a batch that are queued, in order. */
  nextOfBatch(batchId: string, limit: number): readonly JournalOperation[]
  /** The operations that drafts of a list are tied to. */
  ofDrafts(company: CompanyRef, object: string): readonly JournalOperation[]
  /** Moves, in one transaction, with the request's answer where one came. */
  move(moves: readonly OperationMove[], answer: RequestAnswer | null): void
  /** The request and the moves to SENDING, in one transaction; before them those that bring some of them there. */
  begin(request: NewRequest, moves: readonly OperationMove[], before?: readonly OperationMove[]): void
  end(ends: readonly OperationEnd[]): void
  /** New facts about an operation in any state, closed or not. */
  note(operationId: string, facts: OperationFacts): void
  /** The same, and it waits for the person again, with its draft. */
  reopen(operationId: string, facts: OperationFacts): void
  batch(batchId: string): JournalBatch | null
  /** With something unfinished, or among `also`; oldest first. */
  batches(company: CompanyRef, object: string, also: readonly string[]): readonly JournalBatch[]
  /** Open, with something queued, oldest first. */
  openBatches(company: CompanyRef): readonly JournalBatch[]
  counts(batchId: string): BatchCounts
  setBatch(batchId: string, status: BatchStatus, error: AppError | null): void
  requests(operationId: string): readonly JournalRequest[]
  /** When each was first sent (ISO), by its id; without those of which nothing is known to have left. */
  firstSentAt(operationIds: readonly string[]): ReadonlyMap<string, string>
  /** Whether nothing of the batch has left, and no baseline is kept for it. */
  needsBaseline(batchId: string): boolean
  /** Keeps what the batch's list holds before any of it leaves. */
  putBaseline(batch: JournalBatch, records: Baseline['records']): void
  /** What was in the batch's list before it was sent; `null` where the list was not read whole. */
  baselineOf(batchId: string): Baseline['records'] | null
  /** Every ID that answers to an operation's requests named, by the operation's id. */
  toldIds(operationIds: readonly string[]): ReadonlyMap<string, readonly string[]>
  /** Inserts to look for a second record of, the most urgent first. */
  toRecheck(company: CompanyRef): readonly JournalOperation[]
  /** Saved inserts of a list that left more than once, or since that time (ISO): there may be a second record of them. */
  perhapsTwice(company: CompanyRef, object: string, since: string): readonly JournalOperation[]
  /** Companies with something unknown, or to look for again, that was not sent elsewhere. */
  companiesInDoubt(): readonly CompanyRef[]
  unfinishedCounts(connectionId: string): ReadonlyMap<string, Unfinished>
}

/** What was learnt about a service while writing to it. */
export interface MannersStore {
  get(key: MannersKey): Manners
  set(key: MannersKey, manners: Manners): void
  /** All that was learned over a connection. */
  list(connectionId: string): readonly (MannersKey & { readonly manners: Manners })[]
  isMarkTrusted(connectionId: string, application: string, object: string): boolean
  trustMark(connectionId: string, application: string, object: string, seenAt: string): void
  /** Marks of inserts that were done, newest first: whether one of them comes back tells whether marks are kept. */
  recentMarks(company: CompanyRef, object: string, limit: number): readonly string[]
  /** The records that operations other than `except`, and drafts, are about, by their IDs. */
  knownRecords(
    company: CompanyRef,
    object: string,
    except: readonly string[],
  ): ReadonlyMap<string, KnownRecord>
  /** Which of the ids are those of records that operations and drafts are about. */
  amongKnown(company: CompanyRef, object: string, ids: readonly string[]): ReadonlySet<string>
}

/** A record that we have made, changed, or read. */
export interface KnownRecord {
  /** Since when (ISO) it is known to have been there; empty: an insert of ours made it, whenever that was. */
  readonly since: string
  /** All that it was called, as sent and as read. */
  readonly names: readonly string[]
}

/** Where connections lead, and what was sent to services that they lead to no longer. */
export interface PlaceStore {
  /**
   * The connection leads to these addresses from now on; an empty one: to none. Where the current service is another
   * than before, what was sent there is *elsewhere*, what was learnt of it is forgotten, and what waits stops with the
   * reason given; what was sent to the new one before is here again. Answers the ids of the batches that stopped.
   */
  follow(
    connectionId: string,
    leads: { readonly v2: string; readonly v1: string },
    how: { readonly isSameService: boolean; readonly because: AppError },
  ): readonly string[]
  /** Whether the connection leads to that address, as far as is known. */
  isAt(connectionId: string, address: string): boolean
  /** Ids of its operations, also of those elsewhere, that are unknown or held. */
  inDoubt(connectionId: string): readonly string[]
}

export interface JournalStore {
  readonly operations: OperationStore
  readonly manners: MannersStore
  readonly places: PlaceStore
  readonly manage: ManageStore
  /**
   * For a moment in which nothing waits for the disk, such as while an answer is waited for: tidies up what would
   * otherwise hold up a later writing.
   */
  tidy(): void
  /**
   * At a start, in one transaction: what was being sent is unknown (a user creation is held), what was queued waits
   * for the person, and *Send again* has to be said again. Nothing is sent by a restart.
   */
  recover(): void
  /**
   * Takes out what ended before `before` (ISO): history beyond the retention setting. What is not settled, and what
   * a draft goes back to, stays however old it is.
   */
  trim(before: string): Promise<void>
  /**
   * "Delete this company's data": drafts, history, lines of the request log, notes, and their bytes in the file; in
   * short turns (`deletion.ts`). Refused while something is being sent; what is not confirmed goes too.
   */
  deleteCompany(company: CompanyRef): Promise<void>
}
