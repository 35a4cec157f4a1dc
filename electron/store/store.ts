/**
 * The store as the rest of the program sees it: SQLite on disk, SQL and transactions only. Types only;
 * `open-store.ts` opens it. Every method answers a `Result`; what is answered ok is on disk.
 */
import type {
  Company,
  CompanyNotes,
  CompanyRef,
  Draft,
  LogEntry,
  UnfinishedItem,
} from '../../shared/contract.ts'
import type { Result } from '../../shared/result.ts'

/** A company as last listed, plus what is ours about it. Never its token. */
export type StoredCompany = Omit<Company, 'unfinished'>

export interface CompanyStore {
  list(connectionId: string): Result<readonly StoredCompany[]>
  get(company: CompanyRef): Result<StoredCompany | null>
  /** Puts the service's list in place; those it lacks are kept with `isListed` false. */
  replaceListing(connectionId: string, companies: readonly StoredCompany[], readAt: string): Result<void>
  /** One company that was provisioned, or that answered. */
  put(company: StoredCompany): Result<void>
  readAt(connectionId: string): Result<string | null>
  annotate(company: CompanyRef, notes: Partial<CompanyNotes>): Result<void>
  opened(company: CompanyRef, at: string): Result<void>
  /** Labels of a former company of the same path, newest first. */
  labelsOfPath(connectionId: string, fullPath: string): Result<readonly string[]>
  removeConnection(connectionId: string): Result<void>
}

export interface DraftStore {
  list(company: CompanyRef, object: string): Result<readonly Draft[]>
  /** Saves or, with no edits, takes away. Refused while the draft is being sent. */
  save(draft: Omit<Draft, 'operation'>): Result<Draft | null>
  /** Refused, as a whole, when one of them is being sent. */
  discard(company: CompanyRef, draftIds: readonly string[]): Result<void>
}

export interface RequestLogStore {
  add(entry: LogEntry): Result<void>
  list(query: {
    readonly connectionId: string | null
    readonly before: string | null
    readonly limit: number
  }): Result<readonly LogEntry[]>
  /** Takes out what is older than `before`, and all but the newest `most`. */
  trim(before: string, most: number): Result<void>
}

/** Until when a lane is shut; on disk so that a restart heeds it. Keys are `lane-key.ts`'s, never an API key. */
export interface LaneStore {
  shut(laneKey: string, until: number): Result<void>
  open(laneKey: string): Result<void>
  shutUntil(laneKey: string): Result<number | null>
}

export interface UnfinishedStore {
  list(connectionId: string): Result<readonly UnfinishedItem[]>
}
