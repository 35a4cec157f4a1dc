/**
 * The rows worker as main sees it: bytes go in, counts and bytes come out. Main never holds the records.
 * Types only; `rows-client.ts` makes it.
 */
import type { JsonType, RecordData } from '../../shared/records/changes.ts'
import type { ReportHead, ReportMaking } from '../../shared/reports/reports.ts'
import type { Result } from '../../shared/result.ts'
import type { RawAnswer, ServiceError } from '../service/protocol/wire.ts'

/** What a page of records was, once it was decoded, checked and added to its set. */
export interface PageSummary {
  readonly page: number | null
  readonly moreData: boolean | null
  readonly requestId: string
  /** Records in this page, and those of them that the set did not hold yet. */
  readonly count: number
  readonly added: number
  /** Records that have the ID of another one and say something else: they are held as well. Some of those IDs. */
  readonly twins: number
  readonly sharedIds: readonly string[]
  /** Errors of the whole request. */
  readonly errors: readonly ServiceError[]
  /** Errors that came beside records (of at most 100 records). */
  readonly recordErrors: readonly {
    readonly recordId: string
    readonly name: string
    readonly errors: readonly ServiceError[]
  }[]
  /** Errors that items bear in the place of a record (of at most 100 items). */
  readonly refusals: readonly (readonly ServiceError[])[]
  /** Items that hold neither a record nor an error. */
  readonly empty: number
  /** `HasErrors` without an error anywhere. */
  readonly isErrorUntold: boolean
}

/** A set's top-level members over all records, first seen first, with the members of nested objects. */
export interface FieldShape {
  readonly name: string
  readonly members: readonly string[]
}

export interface ReportSummary extends Omit<
  ReportHead,
  'reportId' | 'name' | 'from' | 'to' | 'madeAt' | 'making' | 'periods' | 'said'
> {
  readonly errors: readonly ServiceError[]
  /** Why it may not be whole, where no error says so: sentences of ours. */
  readonly missing: readonly string[]
}

export interface Rows {
  openSet(): Promise<string>
  /**
   * Bytes of a page that is still on its way, in their order; `addPage` is given all of them again at its end. Its
   * records that are whole can be handed out at once. Answers how many the set has now.
   */
  addBytes(setId: string, bytes: Uint8Array<ArrayBuffer>): Promise<Result<number>>
  /** No more of that page comes: its records stay. Answers how many the set has. */
  keepBegun(setId: string): Promise<Result<number>>
  /** Decodes, checks and keeps a page. A body that is no envelope is an error; the set stays as it was. */
  addPage(setId: string, raw: RawAnswer): Promise<Result<PageSummary>>
  shape(setId: string): Promise<Result<readonly FieldShape[]>>
  /** What the values of a set's fields are in JSON, by path, where all that are not empty are alike. */
  types(setId: string): Promise<Result<ReadonlyMap<string, JsonType>>>
  /** Bytes of a JSON array of record objects (the service's `Object`, numbers as strings of their source text). */
  chunk(setId: string, from: number, count: number): Promise<Result<Uint8Array<ArrayBuffer>>>
  /** All records of these IDs as JSON text, as they came; several of one where they share it. */
  byIds(setId: string, ids: readonly string[]): Promise<Result<readonly string[]>>
  /** Records whose ExternalID is a mark, whose FullName or Name is like one of the names, or that have a value. */
  find(
    setId: string,
    wanted: {
      readonly marks: readonly string[]
      readonly names: readonly string[]
      readonly values?: readonly string[]
    },
  ): Promise<Result<readonly RecordData[]>>
  /** The IDs of a set's records with the fingerprints of their names (`nameFingerprint`). */
  fingerprints(setId: string): Promise<Result<ReadonlyMap<string, string>>>
  /** The records that are not among `known`: another ID, or another name under it. */
  newcomers(setId: string, known: ReadonlyMap<string, string>): Promise<Result<readonly RecordData[]>>
  /** Takes what a newer set has over into one, by id, and closes the newer one. Answers how many it has then. */
  merge(setId: string, newerId: string): Promise<Result<number>>
  closeSet(setId: string): Promise<void>

  /**
   * Decodes, levels and checks a report, and keeps its rows. `name` as asked for. Where `hasMore`, its next page may be
   * added.
   */
  openReport(
    name: string,
    raw: RawAnswer,
  ): Promise<
    Result<{ readonly reportId: string; readonly summary: ReportSummary; readonly hasMore: boolean }>
  >
  /** Adds the next page, where it goes on from the one before; else `because` says that it does not. */
  addReportPage(
    reportId: string,
    raw: RawAnswer,
  ): Promise<Result<{ readonly hasMore: boolean; readonly because: string; readonly requestId: string }>>
  /** Levels and checks what came of all pages. `because` says why no more did; empty where it is the whole. */
  finishReport(reportId: string, because: string): Promise<Result<ReportSummary>>
  /** Bytes of a JSON array of `ReportRow`. */
  reportChunk(reportId: string, from: number, count: number): Promise<Result<Uint8Array<ArrayBuffer>>>
  /**
   * Makes one report of several that are held, and holds it too.
   * @param parts for `compared` this one and the other; for `trend` in the order of their periods
   */
  combineReports(
    making: Exclude<ReportMaking, 'single'>,
    name: string,
    parts: readonly { readonly reportId: string; readonly label: string }[],
  ): Promise<Result<{ readonly reportId: string; readonly summary: ReportSummary }>>
  closeReport(reportId: string): Promise<void>

  close(): Promise<void>
}

// What main and the rows worker say to each other: a method's name, its arguments, its answer.

export type RowsMethod = Exclude<keyof Rows, 'close'>

export interface RowsRequest {
  readonly id: number
  readonly method: RowsMethod
  readonly args: readonly unknown[]
}

export type RowsResponse =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly defect: string }
