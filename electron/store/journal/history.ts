/** How the journal is looked through. Types only; `history-store.ts` reads it. */
import type { HistoryOutcome } from '../../../shared/contract/history.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { JournalBatch, JournalOperation, RequestKind } from './journal.ts'

/** Where a page ended: the next one begins behind it. */
export interface HistoryPlace {
  readonly at: string
  readonly id: string
}

export interface HistoryFilter {
  readonly outcome: HistoryOutcome | null
  /** Words, all of which have to be found, or one RequestId. */
  readonly text: string
}

export interface BatchesQuery extends HistoryFilter {
  readonly connectionId: string
  /** `null`: of all companies. */
  readonly endpointId: string | null
  /** Empty: of all lists. */
  readonly object: string
  readonly before: HistoryPlace | null
  readonly limit: number
}

/** A batch that another one changes back, or that changes another one back. */
export interface BatchLink {
  readonly batchId: string
  readonly at: string
  readonly count: number
}

export interface HistoryBatch {
  readonly batch: JournalBatch
  readonly inserts: number
  readonly changes: number
  readonly outcomes: ReadonlyMap<HistoryOutcome, number>
  readonly requestIds: readonly string[]
  readonly changesBack: readonly BatchLink[]
  readonly changedBackBy: readonly BatchLink[]
}

export interface OperationLink {
  readonly operationId: string
  readonly batchId: string
  readonly at: string
}

export interface HistoryOperation extends JournalOperation {
  readonly changesBack: OperationLink | null
  /** The latest that changes it back and was not refused. */
  readonly changedBackBy: OperationLink | null
}

export type OperationsOf =
  | { readonly of: 'batch'; readonly batchId: string }
  | {
      readonly of: 'record'
      readonly company: CompanyRef
      readonly object: string
      readonly recordId: string
    }

export interface OperationsQuery extends HistoryFilter {
  readonly which: OperationsOf
  /** The operation with which the page before ended; empty for the first. */
  readonly after: string
  readonly limit: number
}

/** The draft of a record, and what it changes back (empty: nothing). */
export interface RecordDraft {
  readonly draftId: string
  readonly changesBack: string
}

/** How much is kept about a company. */
export interface KeptCounts {
  readonly drafts: number
  readonly records: number
  readonly sending: number
}

export interface HistoryStore {
  /** Newest first. */
  batches(query: BatchesQuery): readonly HistoryBatch[]
  operations(query: OperationsQuery): readonly HistoryOperation[]
  operation(operationId: string): HistoryOperation | null
  operationIds(batchId: string): readonly string[]
  /** Saved on the same record after this one, oldest first. */
  later(operation: JournalOperation): readonly HistoryOperation[]
  draftOf(company: CompanyRef, object: string, recordId: string): RecordDraft | null
  /** The RequestId of the first such call about companies or users from then on; empty when none was told. */
  requestId(kind: RequestKind, connectionId: string, sentAt: string): string
  /** This operation’s items of its answers, or the whole answer that was not matched to its records, by request key. */
  answers(operationId: string): ReadonlyMap<string, string>
  kept(company: CompanyRef): KeptCounts
}
