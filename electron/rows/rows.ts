/**
 * The interface of the rows worker: bytes go in; counts and bytes come out. The main process never holds the records.
 * `rows-client.ts` implements it.
 */
import type { EditValue, JsonType, RecordData } from '../../shared/records/changes.ts'
import type { FindQuery } from '../../shared/records/search-text.ts'
import type { TidiedList } from '../../shared/records/tidy.ts'
import type { ReportHead, ReportMaking } from '../../shared/reports/reports.ts'
import type { Result } from '../../shared/result.ts'
import type { RawResponse, ServiceError } from '../service/protocol/wire.ts'
import type { ScanOptions } from '../tidy/scan.ts'

/** A page of records after it was decoded, checked, and added to its set. */
export interface PageSummary {
  readonly page: number | null
  readonly moreData: boolean | null
  readonly requestId: string
  /** Records in this page, and how many of them are new to the set. */
  readonly count: number
  readonly added: number
  /** Records with the ID of another record and different values. They are kept, too. `sharedIds` has some of the IDs. */
  readonly twins: number
  readonly sharedIds: readonly string[]
  /** Errors of the whole request. */
  readonly errors: readonly ServiceError[]
  /** Errors that came with a record, for at most 100 records. */
  readonly recordErrors: readonly {
    readonly recordId: string
    readonly name: string
    readonly errors: readonly ServiceError[]
    /** Only the ID came with the error. */
    readonly isBare: boolean
  }[]
  /** Records of which only the ID came, with an error. They are in `count`, but not in the set. */
  readonly bare: number
  /** Errors that came instead of a record, for at most 100 items. */
  readonly refusals: readonly (readonly ServiceError[])[]
  /** Items with neither a record nor an error. */
  readonly empty: number
  /** `HasErrors` is true, but no error is given. */
  readonly hasUnlistedErrors: boolean
}

/** A field that occurs in a set's records, with the members of its nested objects, in order of first occurrence. */
export interface FieldShape {
  readonly name: string
  readonly members: readonly string[]
}

/** Records in a row, so that the window can list them without parsing them. */
export interface RecordChunk {
  /** A JSON array of records (the service's `Object`) in ASCII, with numbers as strings of their source text. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Bytes of each record. A comma separates them. */
  readonly lengths: number[]
  /** The ID of each record, empty if it has none. `null` if only parsing the record tells its ID and name. */
  readonly ids: (string | null)[]
  /** The full name of each record, or else its name or ID. */
  readonly names: (string | null)[]
}

export interface ReportSummary extends Omit<
  ReportHead,
  'reportId' | 'name' | 'from' | 'to' | 'madeAt' | 'making' | 'periods' | 'notes'
> {
  readonly errors: readonly ServiceError[]
  /** Bookbridge's own sentences about why the report may be incomplete, apart from its errors. */
  readonly missing: readonly string[]
}

/** A file with a copy of a list, and its 32-byte key as Base64. */
export interface KeptFileRef {
  readonly path: string
  readonly key: string
}

/** A record that was found, with the value that it was found by. */
export interface FoundRecord {
  readonly recordId: string
  readonly name: string
  readonly isActive: boolean
  readonly path: string
  readonly value: string
  /** If the value is its name: what else tells it from a record with the same name. May be empty. */
  readonly contact: string
}

export interface FoundRecords {
  readonly total: number
  /** There are more than `total`. */
  readonly isMore: boolean
  /** The best first. */
  readonly found: readonly FoundRecord[]
}

/** A value, and the records that have it. A record without an ID counts with an empty one. */
export interface ValueInRecords {
  readonly value: EditValue
  readonly recordIds: readonly string[]
}

/** Lists of records, each held as a set. */
export interface RecordSets {
  openSet(): Promise<string>
  /**
   * Adds bytes of a page that is still arriving. Complete records are available at once. `addPage` gets all of the
   * bytes again at the end. Returns how many records the set has.
   */
  addBytes(setId: string, bytes: Uint8Array<ArrayBuffer>): Promise<Result<number>>
  /** Keeps the records of a page that broke off. Returns how many records the set has. */
  keepBegun(setId: string): Promise<Result<number>>
  /** Decodes, checks, and adds a page. A body that is not an envelope is an error and leaves the set unchanged. */
  addPage(setId: string, raw: RawResponse): Promise<Result<PageSummary>>
  shape(setId: string): Promise<Result<readonly FieldShape[]>>
  /** The JSON type of each field, by path, if all of its nonempty values have the same type. */
  types(setId: string): Promise<Result<ReadonlyMap<string, JsonType>>>
  chunk(setId: string, from: number, count: number): Promise<Result<RecordChunk>>
  /** All records with these IDs, as the JSON text that arrived. Several records can share an ID. */
  byIds(setId: string, ids: readonly string[]): Promise<Result<readonly string[]>>
  /** Records with one of the external IDs, with a similar FullName or Name, or with one of the values. */
  find(
    setId: string,
    wanted: {
      readonly externalIds: readonly string[]
      readonly names: readonly string[]
      readonly values?: readonly string[]
    },
  ): Promise<Result<readonly RecordData[]>>
  /** A fingerprint of each record's name (`nameFingerprint`), by ID. */
  fingerprints(setId: string): Promise<Result<ReadonlyMap<string, string>>>
  /** The records whose ID is not in `known`, or whose name differs from the one there. */
  newRecords(setId: string, known: ReadonlyMap<string, string>): Promise<Result<readonly RecordData[]>>
  /** Merges a newer set into this one by ID and closes the newer one. Returns how many records the set has. */
  merge(setId: string, newerId: string): Promise<Result<number>>
  closeSet(setId: string): Promise<void>
}

/** Copies of lists on disk. */
export interface KeptCopies {
  /**
   * Begins to write a set to a file (`kept-set.ts`) as a new copy or, with `isAppended`, as appended changes. Returns
   * the ID for the calls below. A new copy replaces the old one at the end.
   */
  beginKeeping(setId: string, file: KeptFileRef, isAppended: boolean): Promise<Result<string>>
  /** Writes more records. Returns whether it was the last of them. */
  keepMore(keepingId: string): Promise<Result<boolean>>
  /** Completes the copy. `meta` comes back from `openKept`. Returns the size of the file in bytes. */
  endKeeping(keepingId: string, meta: unknown): Promise<Result<number>>
  /** Abandons the write. The copy on disk stays unchanged. */
  dropKeeping(keepingId: string): Promise<void>
  /**
   * Opens a file as a set without records, which `loadKept` reads. `changes` is how many records changed since the first
   * copy; they are merged in last. Returns `null` if there is no file.
   */
  openKept(
    file: KeptFileRef,
  ): Promise<Result<{ readonly setId: string; readonly meta: unknown; readonly changes: number } | null>>
  /** Reads more records into the set. */
  loadKept(setId: string): Promise<Result<{ readonly count: number; readonly isDone: boolean }>>
  /** Replaces records by those (JSON texts) with the same ID, and appends new ones. Returns how many the set has. */
  patch(setId: string, records: readonly string[]): Promise<Result<number>>
}

/** Lists that are searched, or scanned for **Tidy up**. */
export interface SearchIndexes {
  /**
   * Converts a set to a search index (`search-index.ts`), `count` more records with each call. After the last ones, the
   * set is closed, and its ID is that of the index.
   */
  index(
    setId: string,
    object: string,
    count: number,
  ): Promise<Result<{ readonly isDone: boolean; readonly bytes: number }>>
  /**
   * Scans a set for **Tidy up**, `count` more records with each call. Returns `null` until all were scanned, then the
   * proposals.
   */
  tidy(setId: string, options: ScanOptions, count: number): Promise<Result<TidiedList | null>>
  /** Finds records in an index. */
  findInIndex(setId: string, query: FindQuery, most: number): Promise<Result<FoundRecords>>
  /** Finds the records of an index with this name or full name. */
  namedInIndex(setId: string, name: string, most: number): Promise<Result<FoundRecords>>
  closeIndex(setId: string): Promise<void>
  /** The values in one field of at most `count` records from `from` on, each with the IDs of its records. */
  valuesIn(
    setId: string,
    object: string,
    path: string,
    from: number,
    count: number,
  ): Promise<Result<{ readonly values: readonly ValueInRecords[]; readonly isDone: boolean }>>
}

/** Reports, with the checks of their sums. */
export interface ReportRows {
  /**
   * Decodes and checks a report, gives its rows their levels, and keeps them. With `hasMore`, call `addReportPage`.
   * @param name the name that was requested
   */
  openReport(
    name: string,
    raw: RawResponse,
  ): Promise<
    Result<{ readonly reportId: string; readonly summary: ReportSummary; readonly hasMore: boolean }>
  >
  /** Adds the next page if it continues the previous one. Otherwise, `reason` says why not. */
  addReportPage(
    reportId: string,
    raw: RawResponse,
  ): Promise<Result<{ readonly hasMore: boolean; readonly reason: string; readonly requestId: string }>>
  /** Checks all pages together. `reason` says why pages are missing, and is empty if none are. */
  finishReport(reportId: string, reason: string): Promise<Result<ReportSummary>>
  /** A JSON array of `ReportRow`. */
  reportChunk(reportId: string, from: number, count: number): Promise<Result<Uint8Array<ArrayBuffer>>>
  /**
   * Combines several reports into one more report.
   * @param parts for `compared`, the report and the one to compare it with; for `trend`, in the order of their periods
   */
  combineReports(
    making: Exclude<ReportMaking, 'single'>,
    name: string,
    parts: readonly { readonly reportId: string; readonly label: string }[],
  ): Promise<Result<{ readonly reportId: string; readonly summary: ReportSummary }>>
  closeReport(reportId: string): Promise<void>
}

export interface Rows extends RecordSets, KeptCopies, SearchIndexes, ReportRows {
  close(): Promise<void>
}

// The messages between the main process and the worker.

export type RowsMethod = Exclude<keyof Rows, 'close'>

export interface RowsRequest {
  readonly id: number
  readonly method: RowsMethod
  readonly args: readonly unknown[]
}

export type RowsResponse =
  { readonly id: number; readonly value: unknown } | { readonly id: number; readonly defect: string }
