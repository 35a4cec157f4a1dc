/**
 * What the write protocol needs from the rooms that it may not import: finding records in large answers, knowing
 * companies, time, and telling others that something has changed.
 */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Batch, Operation } from '../../shared/contract/records.ts'
import type { RecordData } from '../../shared/records/changes.ts'
import type { AppError, Result } from '../../shared/result.ts'
import type { CompanyRecord } from '../service/company-records.ts'
import type { ServiceError, Wire } from '../service/wire.ts'

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

/** Records as they are now, by `ID`. */
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
