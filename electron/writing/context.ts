/** What every part of the write protocol is given, and the small steps that they share. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Batch, Operation } from '../../shared/contract/records.ts'
import type { RecordData } from '../../shared/records/changes.ts'
import { type AppError, type Result, appError, causeText } from '../../shared/result.ts'
import type { Clock } from '../clock.ts'
import type { CompanyRecord } from '../service/companies/company-list.ts'
import type { ServiceClient, ServiceError, Wire } from '../service/protocol/wire.ts'
import { StoreError } from '../store/database.ts'
import type { JournalBatch, JournalOperation } from '../store/journal/journal.ts'
import type { Store } from '../store/store.ts'

export interface WriterDependencies {
  readonly client: ServiceClient
  readonly store: Pick<Store, 'companies' | 'drafts' | 'journal' | 'tidy'>
  readonly reader: RecordReader
  readonly directory: CompanyDirectory
  readonly listener: WritingListener
  readonly translate: ErrorTranslator
  /** The settings of a connection. */
  readonly settings: (connectionId: string) => WritingSettings
  readonly clock: Clock
  /** Creates an ID that is unique among all installations. */
  readonly newId: () => string
  /** Reports defects of ours that were caught in the background. */
  readonly onDefect: (defect: unknown) => void
}

export interface WritingContext extends WriterDependencies {
  /** The present time (ISO). */
  readonly timestamp: () => string
  /** Reports that operations, or their batch, have changed on disk. */
  readonly changed: (
    company: CompanyRef,
    object: string,
    operationIds: readonly string[],
    batchId: string | null,
  ) => void
  /** Sets what a batch is doing right now, for the screen; `null` for nothing. */
  readonly setPhase: (batchId: string, phase: RunningPhase | null) => void
  /** Sets why a batch is paused, for this run only, because the disk can't be written; `null` when it goes on. */
  readonly setStall: (batchId: string, error: AppError | null) => void
  readonly isClosed: () => boolean
  /** The pause between the two rechecks of an operation, in milliseconds. */
  readonly recheckPause: (operation: JournalOperation) => number
}

/** A held slot in which a company's list is rechecked or written to. */
export interface ListSlot {
  readonly context: WritingContext
  readonly wire: Wire
  readonly company: CompanyRef
  readonly object: string
}

/** A held slot in which a batch is sent. */
export interface BatchSlot extends ListSlot {
  readonly batch: JournalBatch
}

export type RunningPhase = 'checking' | 'sending' | 'confirming'

/** Creates an error to throw. The border returns it as a value. */
export function notFound(what: string): StoreError {
  return new StoreError(appError('not-found', `${what} is no longer there.`, 'Look at the list again.'))
}

/** The error of a batch that can't go on because of a defect of ours. */
export function defectError(defect: unknown): AppError {
  return appError(
    'internal',
    'Something went wrong inside Bookbridge, so nothing more was sent.',
    'Bookbridge checks what was sent. Please tell us about it with the support file.',
    { raw: causeText(defect) },
  )
}

/*
 * What the write protocol needs from rooms that it may not import: finding records in large answers, knowing companies,
 * and reporting changes.
 */

/** The records that came back of those asked for by ID. */
export interface FoundById {
  readonly records: ReadonlyMap<string, RecordData>
  /** The same records as their original JSON text, which distinguishes numbers from text. */
  readonly texts: ReadonlyMap<string, string>
  /** Errors in the place of records. They name no record and may concern any. */
  readonly refused: readonly ServiceError[]
  /** Errors that prove that a record no longer exists. */
  readonly gone: readonly ServiceError[]
  readonly requestIds: readonly string[]
  /** Why a record that is missing here may exist all the same; empty if it doesn't. */
  readonly partialBecause: string
}

/** The records' current values, by `ID`. */
export type FreshRecords = Pick<FoundById, 'records' | 'texts'>

/** What to look for in a list. */
export interface WantedInList {
  /** External IDs, compared by `externalIdKey`. */
  readonly externalIds: readonly string[]
  /** Names, compared by `nameKey`. */
  readonly names: readonly string[]
  readonly ids: readonly string[]
  /** Values that were sent. Besides names, they are all there is for inserts into a list that nobody read before. */
  readonly values?: readonly string[]
  /** What the list held before (`Baseline.records`), by batch. Everything else in it is new. */
  readonly baselines: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** What was found in a list that was read to its end. */
export interface FoundInList {
  /** False if the list is not known to be whole. Then it proves nothing. */
  readonly isWhole: boolean
  /** Records with one of the external IDs, IDs, or values, or with a name like one of the names. */
  readonly candidates: readonly RecordData[]
  /** By batch: the records that its baseline lacks. */
  readonly newcomers: ReadonlyMap<string, readonly RecordData[]>
  readonly count: number
}

/** Finds records in a list that was read. */
export type FindInList = (
  wanted: WantedInList,
) => Promise<Result<Pick<FoundInList, 'candidates' | 'newcomers'>>>

/** Reads records back within a slot that is held. */
export interface RecordReader {
  /** Reads records by ID, in as many requests as the length of their URLs requires. */
  byIds(wire: Wire, company: CompanyRef, object: string, ids: readonly string[]): Promise<Result<FoundById>>
  /** What the whole list holds (`Baseline.records`); `null` if it is not known to be whole. */
  fingerprintsOfWholeList(
    wire: Wire,
    company: CompanyRef,
    object: string,
  ): Promise<Result<ReadonlyMap<string, string> | null>>
  /** Searches the whole list: all pages, no time window, through the rows worker. */
  inWholeList(
    wire: Wire,
    company: CompanyRef,
    object: string,
    wanted: WantedInList,
  ): Promise<Result<FoundInList>>
}

/** Is told of changes once they are on disk. */
export interface WritingListener {
  operationsChanged(
    company: CompanyRef,
    object: string,
    operations: readonly Operation[],
    batch: Batch | null,
  ): void
  /** A provisioning or de-provisioning has changed. */
  companiesChanged(connectionId: string): void
  /**
   * Company records were read for a provisioning or de-provisioning: one from an answer or, if `isWholeList`, all of
   * the connection's.
   */
  companiesRead(connectionId: string, companies: readonly CompanyRecord[], isWholeList: boolean): void
}

/** Facts about a company that matter to the protocol. */
export interface CompanyFacts {
  readonly application: string
  readonly displayName: string
  readonly isReadOnly: boolean
  readonly isActive: boolean
}

export interface CompanyDirectory {
  facts(company: CompanyRef): CompanyFacts | null
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

/** Settings that matter to the protocol. They are read each time. */
export interface WritingSettings {
  /** The largest array of a write. */
  readonly batchSize: number
  /** The pause between the two rechecks of an insert, in seconds. */
  readonly recheckSeconds: number
  readonly markWithExternalId: boolean
}
