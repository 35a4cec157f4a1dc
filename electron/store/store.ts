/**
 * The store as the rest of the program sees it. Each part has its types and its factory in its own file;
 * `open-store.ts` opens it. What a method has written when it returns is on disk; where it can't be, it throws a
 * `StoreError`.
 */
import type { BlockedQueueStore } from './blocked-queues.ts'
import type { CompanyStore } from './companies.ts'
import type { DraftStore } from './drafts.ts'
import type { VisitStore } from './journal/companies.ts'
import type { RequestLogStore } from './request-log.ts'
import type { UnfinishedStore } from './unfinished.ts'
import type { AppError } from '../../shared/result.ts'
import type { BackupStore } from './backup.ts'
import type { HistoryStore } from './journal/history.ts'
import type { ImportStore } from './imports.ts'
import type { ReportJobStore } from './report-jobs.ts'
import type { JournalStore } from './journal/journal-store.ts'

/** The file, open. */
export interface Store {
  readonly backup: BackupStore
  readonly reportJobs: ReportJobStore
  readonly companies: CompanyStore
  readonly drafts: DraftStore
  readonly history: HistoryStore
  readonly imports: ImportStore
  readonly journal: JournalStore
  readonly queues: BlockedQueueStore
  readonly requestLog: RequestLogStore
  readonly unfinished: UnfinishedStore
  readonly visits: VisitStore
  /** Shown at the start: a damaged file was set aside, or a newer one is read-only. */
  readonly notices: readonly AppError[]
  /** A newer program wrote the file. Every write throws an error that says so. */
  readonly isReadOnly: boolean
  /** Paths of damaged files that were set aside. What is deleted here stays in them. */
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
