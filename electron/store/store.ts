/**
 * The store as the rest of the program sees it: SQLite on disk, SQL and transactions only. Types only;
 * `open-store.ts` opens it. What a method has written when it returns is on disk; where it can't be, it throws a
 * `StoreError`.
 */
import type { Lane, LogEntry, UnfinishedItem } from '../../shared/contract/activity.ts'
import type { Company, CompanyNotes, Visit } from '../../shared/contract/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Draft } from '../../shared/contract/records.ts'
import type { AppError } from '../../shared/result.ts'
import type { BackupStore } from './backup.ts'
import type { HistoryStore } from './journal/history.ts'
import type { ImportStore } from './imports.ts'
import type { ReportJobStore } from './report-jobs.ts'
import type { JournalStore } from './journal/journal.ts'

/** A company as last listed, plus what is ours about it. Never its token. */
export interface StoredCompany extends Omit<Company, 'unfinished'> {
  /** Its id as the service that lists it writes it, where that is not as in `ref`. */
  readonly listedAs?: string
}

/** One reading of the service's list: its ISO time, and whether the service gave all of it. */
export interface Listing {
  readonly readAt: string
  readonly isWhole: boolean
}

export interface CompanyStore {
  list(connectionId: string): readonly StoredCompany[]
  get(company: CompanyRef): StoredCompany | null
  /** Puts the service's list in place; those that a whole list lacks are kept with `isListed` false. */
  replaceListing(
    connectionId: string,
    companies: readonly StoredCompany[],
    readAt: string,
    isWhole: boolean,
  ): void
  /** One company that was provisioned, or that answered. */
  put(company: StoredCompany): void
  /** When the list was read last, and whether it was whole; `null` when never. */
  lastListing(connectionId: string): Listing | null
  annotate(company: CompanyRef, notes: Partial<CompanyNotes>): void
  opened(company: CompanyRef, at: string): void
  /**
   * Forgets all that is kept of a connection, in short turns (`deletion.ts`). Refused while something that was sent
   * over it is not confirmed.
   */
  removeConnection(connectionId: string): Promise<void>
}

/** What a person typed into one record, without what became of it. */
export type DraftState = Omit<Draft, 'operation' | 'changesBack' | 'isFromBefore'>

/** A draft, and the id of the operation that it became; the operation itself is the journal's. */
export interface StoredDraft extends DraftState {
  readonly operationId: string | null
  /** Made by **Change back…**. */
  readonly changesBack: boolean
  /** It was in a database from before, and may have been sent since (`lineage.ts`). */
  readonly isFromBefore: boolean
}

export interface DraftStore {
  list(company: CompanyRef, object: string): readonly StoredDraft[]
  get(company: CompanyRef, draftIds: readonly string[]): readonly StoredDraft[]
  /**
   * Saves drafts in one transaction; one without edits is taken away. A draft is refused while it is being sent or
   * waits for a decision. Saving what was not accepted, or is queued but held back, makes a plain draft of it again.
   * @returns those that were refused; the others are saved
   */
  saveAll(drafts: readonly DraftState[]): readonly { readonly draftId: string; readonly error: AppError }[]
  /**
   * Drafts that change something back, with the operation that each of them does; all of them or none. Refused when
   * a record has a draft already.
   */
  addChangesBack(drafts: readonly (DraftState & { readonly changesBack: string })[]): void
  /** Refused, as a whole, when one of them is being sent or waits for a decision. */
  discard(company: CompanyRef, draftIds: readonly string[]): void
}

export interface RequestLogStore {
  /** A line; one of the same id takes its place. */
  put(entry: LogEntry): void
  list(query: {
    readonly connectionId: string | null
    readonly before: string | null
    readonly limit: number
  }): readonly LogEntry[]
  /** At a start: lines that an earlier run left as *begun* end as *cut off*, with these words. */
  endBegun(says: string): void
  /** Takes out what is older than `before`, and the oldest until `most` lines of `mostBytes` together are left. */
  trim(bounds: { readonly before: string; readonly most: number; readonly mostBytes: number }): void
}

/** Since when and until when a lane is shut, and what others say of it. */
export interface KeptShut {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Milliseconds since 1970. */
  readonly until: number
  /** `at` by `Clock.elapsed`; `null` where an older program kept it. */
  readonly elapsed: number | null
  /** What left, in words; the company's name is not kept here. */
  readonly what: string
  readonly because: NonNullable<Lane['shutBy']>['because']
}

/** Lanes that are shut; on disk so that a restart heeds it. Keys are `registry.ts`'s, never an API key. */
export interface LaneStore {
  shut(laneKey: string, shut: KeptShut): void
  open(laneKey: string): void
  /** `null` of one that is open. */
  shutOf(laneKey: string): KeptShut | null
}

export interface UnfinishedStore {
  list(connectionId: string): readonly UnfinishedItem[]
  /** Records that were saved since then (ISO), in all connections. */
  savedSince(at: string): number
}

/** What was entered in **Add company** and is not sent yet, one visit a connection. */
export interface VisitStore {
  get(connectionId: string): Visit | null
  /** `null` forgets it. */
  put(connectionId: string, visit: Visit | null): void
}

/** The file, open. */
export interface Store {
  readonly backup: BackupStore
  readonly reportJobs: ReportJobStore
  readonly companies: CompanyStore
  readonly drafts: DraftStore
  readonly history: HistoryStore
  readonly imports: ImportStore
  readonly journal: JournalStore
  readonly lanes: LaneStore
  readonly requestLog: RequestLogStore
  readonly unfinished: UnfinishedStore
  readonly visits: VisitStore
  /** What has to be said at the start: a damaged file was set aside, or a newer one is only read. */
  readonly notices: readonly AppError[]
  /** A newer program wrote the file: it is only read, and every writing answers an error that says so. */
  readonly isReadOnly: boolean
  /** Paths of files that were damaged once and set aside: what is deleted here stays in them. */
  damagedFiles(): readonly string[]
  /**
   * Where something was deleted from a large file: writes it anew, so that no trace is left in it either. That takes
   * seconds, in which nothing else is done; for a moment of rest, and before a copy leaves this computer.
   */
  rewrite(): Promise<void>
  /**
   * Resolves when the witness of all that was written down to be sent is on disk (`witness.ts`): no request that changes
   * something leaves before. Rejects when the disk refuses.
   */
  witnessed(): Promise<void>
  close(): void
}
