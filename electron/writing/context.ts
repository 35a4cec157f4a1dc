/** What every part of the write protocol receives, and helpers that the parts share. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Batch, Operation } from '../../shared/contract/records.ts'
import type { RecordData } from '../../shared/records/changes.ts'
import { type AppError, appError, causeText, type Result } from '../../shared/result.ts'
import type { Clock } from '../clock.ts'
import type { CompanyRecord } from '../service/companies/company-list.ts'
import type { ServiceClient, ServiceError, Wire } from '../service/protocol/wire.ts'
import { UNKNOWN_COMPANY } from '../store/companies.ts'
import { StoreError } from '../store/database.ts'
import type { JournalBatch, JournalOperation } from '../store/journal/journal.ts'
import type { Store } from '../store/store.ts'

export interface WriterDependencies {
  readonly client: ServiceClient
  readonly store: Pick<Store, 'companies' | 'drafts' | 'journal' | 'checkpoint'>
  readonly reader: RecordReader
  readonly directory: CompanyDirectory
  readonly listener: WritingListener
  readonly translate: ErrorTranslator
  readonly settings: (connectionId: string) => WritingSettings
  readonly clock: Clock
  /** Creates an ID that is unique across all installations. */
  readonly newId: () => string
  /** Reports defects that were caught in the background. */
  readonly onDefect: (defect: unknown) => void
}

export interface WritingContext extends WriterDependencies {
  /** The current time (ISO). */
  readonly timestamp: () => string
  /** Reports that operations or their batch changed on disk. */
  readonly changed: (
    company: CompanyRef,
    object: string,
    operationIds: readonly string[],
    batchId: string | null,
  ) => void
  /** Sets what a batch is doing now, for the screen. `null` for nothing. */
  readonly setPhase: (batchId: string, phase: RunningPhase | null) => void
  /** Sets why a batch is paused, for this run only, because the disk can't be written. `null` resumes. */
  readonly setStall: (batchId: string, error: AppError | null) => void
  readonly isClosed: () => boolean
  /** The pause between the two rechecks of an operation, in milliseconds. */
  readonly recheckPause: (operation: JournalOperation) => number
}

/** A slot in which a company's list is rechecked or written. */
export interface ListSlot {
  readonly context: WritingContext
  readonly wire: Wire
  readonly company: CompanyRef
  readonly object: string
}

/** A slot in which a batch is sent. */
export interface BatchSlot extends ListSlot {
  readonly batch: JournalBatch
  /** Takes outcomes that the next request needn't wait for; `null` if they must be on disk when the slot ends. */
  readonly postponed: PostponedOutcome | null
}

/** The outcome of an array that was saved as sent, until the next request of the batch is on its way. */
export interface PostponedOutcome {
  /** @param write writes it to disk; throws what the disk throws */
  put(batch: JournalBatch, write: () => void): void
  /** Writes it soon. Call when the next request is about to be sent. */
  writeSoon(): void
  /** Writes it now, unless that was done. Throws what the disk throws. The outcome is then unknown. */
  write(): void
}

export type RunningPhase = 'checking' | 'sending' | 'confirming'

/** Creates an error to throw. The border returns it as a value. */
export function notFoundError(what: string): StoreError {
  return new StoreError(appError('not-found', `${what} is no longer there.`, 'Check the list again.'))
}

/** The error of a batch that stopped because of a defect. */
export function defectError(defect: unknown): AppError {
  return appError(
    'internal',
    'Something went wrong inside Bookbridge, so nothing more was sent.',
    'Bookbridge checks what was sent. Please tell us about it with the support file.',
    { raw: causeText(defect) },
  )
}

/*
 * What the write protocol needs from parts that it may not import: finding records in large responses, looking up
 * companies, and reporting changes.
 */

/** Records that were requested by ID. */
export interface FoundById {
  readonly records: ReadonlyMap<string, RecordData>
  /** The original JSON text of the same records, which distinguishes numbers from text. */
  readonly texts: ReadonlyMap<string, string>
  /** Errors in place of records. They don't name a record, so each may concern any of them. */
  readonly refused: readonly ServiceError[]
  /** Errors that prove that a record no longer exists. */
  readonly gone: readonly ServiceError[]
  readonly requestIds: readonly string[]
  /** Why a record that is missing here may still exist. Empty if it doesn't. */
  readonly partialReason: string
}

/** The records' current values, by `ID`. */
export type CurrentRecords = Pick<FoundById, 'records' | 'texts'>

/** What to look for in a list. */
export interface WantedInList {
  /** External IDs, compared by `externalIdKey`. */
  readonly externalIds: readonly string[]
  /** Names, compared by `nameKey`. */
  readonly names: readonly string[]
  readonly ids: readonly string[]
  /**
   * Values that were sent. For an insert into a list that wasn't read before, only these and the names identify the
   * record.
   */
  readonly values?: readonly string[]
  /** What the list held before (`Baseline.records`), by batch. All other records are new. */
  readonly baselines: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** What was found in a list that was read to the end. */
export interface FoundInList {
  /** False if the list may be incomplete. It then proves nothing. */
  readonly isWhole: boolean
  /** Records that have one of the external IDs, IDs, or values, or a similar name. */
  readonly candidates: readonly RecordData[]
  /** By batch: the records that are not in its baseline. */
  readonly newRecords: ReadonlyMap<string, readonly RecordData[]>
  readonly count: number
}

/** Finds records in a list that was read. */
export type FindInList = (
  wanted: WantedInList,
) => Promise<Result<Pick<FoundInList, 'candidates' | 'newRecords'>>>

/** Reads records back in a slot that the caller holds. */
export interface RecordReader {
  /** Reads records by ID, in as many requests as the URL length requires. */
  byIds(wire: Wire, company: CompanyRef, object: string, ids: readonly string[]): Promise<Result<FoundById>>
  /** The content of the whole list (`Baseline.records`), or `null` if the list may be incomplete. */
  fingerprintsOfWholeList(
    wire: Wire,
    company: CompanyRef,
    object: string,
  ): Promise<Result<ReadonlyMap<string, string> | null>>
  /** Searches the whole list in the rows worker: all pages, without a time window. */
  inWholeList(
    wire: Wire,
    company: CompanyRef,
    object: string,
    wanted: WantedInList,
  ): Promise<Result<FoundInList>>
}

/** Receives changes after they are on disk. */
export interface WritingListener {
  /**
   * @param operations those that the window needs to know
   * @param draftIds the drafts of all that changed
   */
  operationsChanged(
    company: CompanyRef,
    object: string,
    operations: readonly Operation[],
    batch: Batch | null,
    draftIds: readonly string[],
  ): void
  /** A provisioning or de-provisioning has changed. */
  companiesChanged(connectionId: string): void
  /**
   * Receives company records that were read for a provisioning or de-provisioning: one from a response or, if
   * `isWholeList`, all of the connection's.
   */
  companiesRead(connectionId: string, companies: readonly CompanyRecord[], isWholeList: boolean): void
}

/** Facts about a company that the protocol needs. */
export interface CompanyFacts {
  readonly application: string
  readonly displayName: string
  readonly isReadOnly: boolean
  readonly isActive: boolean
}

export interface CompanyDirectory {
  facts(company: CompanyRef): CompanyFacts | null
}

/** Why nothing may be written to a company; `null` if writing is allowed. */
export function companyRefusal(facts: CompanyFacts | null): AppError | null {
  if (facts === null) return UNKNOWN_COMPANY
  if (facts.isReadOnly) {
    return appError(
      'read-only',
      `${facts.displayName} is read only on this computer.`,
      'To change these books, turn off Read only under Companies.',
    )
  }
  if (!facts.isActive) {
    return appError(
      'invalid-input',
      `${facts.displayName} is inactive, so the service no longer connects to it.`,
      'Provision the company again.',
    )
  }
  return null
}

/**
 * Translates the service's errors for a bookkeeper, for the application that they come from. An error of a single
 * `record` never concerns the key.
 */
export type ErrorTranslator = (
  application: string,
  errors: readonly ServiceError[],
  requestId: string,
  status: number,
  of?: 'request' | 'record',
) => AppError

/** Settings that the protocol needs. Read again each time. */
export interface WritingSettings {
  /** The largest number of records per write. */
  readonly batchSize: number
  /** The pause between the two rechecks of an insert, in seconds. */
  readonly recheckSeconds: number
  readonly markWithExternalId: boolean
}
