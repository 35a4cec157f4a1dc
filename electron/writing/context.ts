/** What every part of the runner is given, and the small steps that they share. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Batch, Operation } from '../../shared/contract/records.ts'
import type { RecordData } from '../../shared/records/changes.ts'
import { type AppError, type Result, appError, causeText } from '../../shared/result.ts'
import type { Clock } from '../clock.ts'
import type { CompanyRecord } from '../service/companies/company-list.ts'
import type { ServiceClient, ServiceError, SlotRequest, Wire } from '../service/protocol/wire.ts'
import { resultOfAsync, StoreError } from '../store/database.ts'
import type { JournalBatch, JournalOperation } from '../store/journal/journal.ts'
import type { Store } from '../store/store.ts'

export interface WriterDependencies {
  readonly client: ServiceClient
  readonly store: Pick<Store, 'companies' | 'drafts' | 'journal'>
  readonly reader: RecordReader
  readonly directory: CompanyDirectory
  readonly listener: WritingListener
  readonly translate: ErrorTranslator
  /** The settings of a connection. */
  readonly settings: (connectionId: string) => WritingSettings
  readonly clock: Clock
  /** A new id, never the same twice in any installation. */
  readonly newId: () => string
  /** Hears of defects of ours that were caught in the background. */
  readonly onDefect: (defect: unknown) => void
}

export interface WritingContext extends WriterDependencies {
  /** ISO time. */
  readonly timestamp: () => string
  /** Says that operations, or their batch, have changed on disk. */
  readonly changed: (
    company: CompanyRef,
    object: string,
    operationIds: readonly string[],
    batchId: string | null,
  ) => void
  /** What a batch is doing right now, for the screen; `null` when nothing. */
  readonly setPhase: (batchId: string, phase: RunningPhase | null) => void
  /** Why a batch rests, kept for this run only since the disk lets nothing be written; `null` when it goes on. */
  readonly setStall: (batchId: string, error: AppError | null) => void
  readonly isClosed: () => boolean
  /** Milliseconds between the two looks for an operation. */
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

/**
 * Runs work in a slot and waits until it has really ended. When a person abandons the request, the client returns at
 * once, but the work continues so that a late answer still reaches the journal. A `StoreError` becomes a failed result.
 */
export async function runSlotToEnd<T>(
  client: ServiceClient,
  request: SlotRequest,
  work: (wire: Wire) => Promise<Result<T>>,
): Promise<{ readonly result: Result<T>; readonly wasAbandoned: boolean }> {
  const begun: { work: Promise<Result<T>> | null } = { work: null }
  const outer = await client.withSlot(request, (wire) => {
    begun.work = resultOfAsync(() => work(wire))
    return begun.work
  })
  if (outer.ok) return { result: outer.value, wasAbandoned: false }
  if (begun.work === null) return { result: outer, wasAbandoned: false }
  return { result: await begun.work, wasAbandoned: true }
}

/** To be thrown: the border answers it as a value. */
export function notFound(what: string): StoreError {
  return new StoreError(appError('not-found', `${what} is no longer there.`, 'Look at the list again.'))
}

/** A defect of ours as a value, for a batch that can't go on. */
export function defectError(defect: unknown): AppError {
  return appError(
    'internal',
    'Something went wrong inside Bookbridge, so nothing more was sent.',
    'What was sent is looked up. Tell us about it with the support file.',
    { raw: causeText(defect) },
  )
}

/*
 * What the write protocol needs from the rooms that it may not import: finding records in large answers, knowing
 * companies, time, and telling others that something has changed.
 */

/** What was found for the ids asked for: only records that came back. */
export interface FoundById {
  readonly records: ReadonlyMap<string, RecordData>
  /** The same as JSON text, as they came: it tells a number from a text. */
  readonly texts: ReadonlyMap<string, string>
  /** Errors that came in the place of records; they name none, and may be any record's. */
  readonly refused: readonly ServiceError[]
  /** Those that say for certain that a record is gone. */
  readonly gone: readonly ServiceError[]
  readonly requestIds: readonly string[]
  /** Why a record that is missing here may be there all the same; empty where it is gone. */
  readonly partialBecause: string
}

/** The records' current values, by `ID`. */
export type FreshRecords = Pick<FoundById, 'records' | 'texts'>

/** By what candidates are picked out of a list. */
export interface WantedInList {
  /** Compared by `markKey`. */
  readonly marks: readonly string[]
  /** Compared by `nameKey`. */
  readonly names: readonly string[]
  readonly ids: readonly string[]
  /** Values that were sent: of inserts whose list was not read before, all that there is beside names. */
  readonly values?: readonly string[]
  /** What was in the list before (`Baseline.records`), by batch: what the list has beside it is new. */
  readonly baselines: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Candidates in a list that was read whole. */
export interface FoundInList {
  /** False when the list is not known to be whole: it settles nothing. */
  readonly isWhole: boolean
  /** Records whose `ExternalID` is one of the marks, whose full name or own name is like one of the names, or of the ids or values. */
  readonly candidates: readonly RecordData[]
  /** By batch: the records that its baseline lacks. */
  readonly newcomers: ReadonlyMap<string, readonly RecordData[]>
  readonly count: number
}

/** Finds records in a list that is held. */
export type FindInList = (
  wanted: WantedInList,
) => Promise<Result<Pick<FoundInList, 'candidates' | 'newcomers'>>>

/** Reads back, within a turn that is held already. */
export interface RecordReader {
  /** In as many requests as the address's length asks for. */
  byIds(wire: Wire, company: CompanyRef, object: string, ids: readonly string[]): Promise<Result<FoundById>>
  /** What the whole list holds (`Baseline.records`); `null` where it is not known to be whole. */
  fingerprintsOfWholeList(
    wire: Wire,
    company: CompanyRef,
    object: string,
  ): Promise<Result<ReadonlyMap<string, string> | null>>
  /** The whole list without a time window, all pages, through the rows worker. */
  inWholeList(
    wire: Wire,
    company: CompanyRef,
    object: string,
    wanted: WantedInList,
  ): Promise<Result<FoundInList>>
}

/** Hears of changes as they are on disk. */
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
   * Company records came by while provisioning or de-provisioning: one that was answered, or (`isWholeList`) all
   * of the connection.
   */
  companiesRead(connectionId: string, companies: readonly CompanyRecord[], isWholeList: boolean): void
}

/** Facts about a company that the protocol heeds. */
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
 * Puts an error of the service into a bookkeeper's words, for the application that it came from. What refuses a single
 * `record` is never the key.
 */
export type ErrorTranslator = (
  application: string,
  errors: readonly ServiceError[],
  requestId: string,
  status: number,
  of?: 'request' | 'record',
) => AppError

/** Settings that the protocol heeds; asked for anew each time. */
export interface WritingSettings {
  /** Largest array of a write. */
  readonly batchSize: number
  /** Pause between the two looks for an insert, in seconds. */
  readonly lookAgainSeconds: number
  readonly markWithExternalId: boolean
}
