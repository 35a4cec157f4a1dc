/**
 * The database of everything that must survive a crash: drafts, journal, blocked queues, and request log. It is locked
 * exclusively, because a second program wouldn't know what the first one is sending.
 *
 * When a method returns, what it has written is on disk. If it can't be written, the method throws a `StoreError`.
 */
import { chmodSync, closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { platform } from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { type AppError, appError, causeText, err, ok, type Result } from '../../shared/result.ts'
import {
  createRequestLogStore,
  createUnfinishedStore,
  type RequestLogStore,
  type UnfinishedStore,
} from './activity.ts'
import { type BackupStore, copyIntoNewFile, createBackupStore, openUntrusted } from './backup/copy.ts'
import { DAMAGED, findDamagedFiles, forEachSetAside } from './backup/set-aside.ts'
import { type BlockedQueueStore, createBlockedQueueStore } from './blocked-queues.ts'
import { type CompanyStore, createCompanyStore } from './companies.ts'
import {
  createDatabase,
  type Database,
  isBusy,
  isDamage,
  isSqliteError,
  StoreError,
  storeError,
} from './database.ts'
import { createDraftStore, type DraftStore } from './drafts.ts'
import { createImportStore, type ImportStore } from './imports.ts'
import { createSetupDraftStore, type SetupDraftStore } from './journal/companies.ts'
import { createHistoryStore, type HistoryStore } from './journal/history.ts'
import { createJournalStore, type JournalStore } from './journal/journal-store.ts'
import { createWitnesses } from './lineage.ts'
import { createMonthStore, type MonthStore } from './months.ts'
import { createMultiCompanyChangeStore, type MultiCompanyChangeStore } from './multi-company-changes.ts'
import { createReportRunStore, type ReportRunStore } from './report-runs.ts'
import { createTables, ownTables, SCHEMA_VERSION, schemaVersion, tablesOf } from './schema.ts'

/** The file, open. */
export interface Store {
  readonly backup: BackupStore
  readonly reportRuns: ReportRunStore
  readonly multiCompanyChanges: MultiCompanyChangeStore
  readonly companies: CompanyStore
  readonly drafts: DraftStore
  readonly history: HistoryStore
  readonly imports: ImportStore
  readonly journal: JournalStore
  readonly months: MonthStore
  readonly queues: BlockedQueueStore
  readonly requestLog: RequestLogStore
  readonly unfinished: UnfinishedStore
  readonly setupDrafts: SetupDraftStore
  /** Shown at startup: a damaged file was set aside, or a newer one is read-only. */
  readonly notices: readonly AppError[]
  /** A newer program wrote the file. Every write throws an error that says so. */
  readonly isReadOnly: boolean
  /** Paths of damaged files that were set aside. Data that is deleted here stays in them. */
  damagedFiles(): readonly string[]
  /**
   * Moves data from the log into the file. Call when nothing waits for the disk, such as while waiting for a response.
   */
  checkpoint(): void
  /**
   * Rewrites the file if something was deleted from it, so that no trace is left. A large file blocks the program for
   * seconds, so call this when the computer is idle, and before a copy leaves this computer.
   */
  rewrite(): Promise<void>
  /**
   * Resolves when the witness (`lineage.ts`) of everything about to be sent is on disk. Await it before sending a
   * request that changes something. Rejects if the disk fails.
   */
  witnessed(): Promise<void>
  close(): void
}

export interface StoreOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** See `createWitnesses`. */
  readonly stateFolder?: string | null
  /** Who uses this computer; saved with what they send. */
  readonly user?: string
}

const NEWER = appError(
  'store',
  'A newer version of Bookbridge saved the data on this computer.',
  'This version can only read it, so nothing can be edited or sent. Use the newer Bookbridge.',
)

const OLDER = appError(
  'store',
  'An older version of Bookbridge saved the data on this computer.',
  'This version can’t read it and hasn’t changed it. Open it with the version that saved it, or move bookbridge.sqlite to another folder and start over.',
)

/**
 * Opens the database.
 * @param path of the file; created if it doesn't exist. Its folder must exist.
 * @returns an error of kind `store` if another program has it open or the disk refuses
 */
export function openStore(path: string, options: StoreOptions): Result<Store> {
  const first = open(path, options, [])
  if (first.ok || (first.error !== 'damaged' && first.error !== 'altered')) return asResult(first)
  const notice =
    first.error === 'damaged' ? moveAside(path, options.now(), DAMAGED_WORDS) : rebuild(path, options.now())
  return notice.ok ? asResult(open(path, options, [notice.value])) : notice
}

type Opened = Result<Store, AppError | 'damaged' | 'altered'>

function asResult(opened: Opened): Result<Store> {
  if (opened.ok) return opened
  if (opened.error !== 'damaged' && opened.error !== 'altered') return err(opened.error)
  return err(appError('store', 'Bookbridge’s data file is damaged.'))
}

function open(path: string, options: StoreOptions, notices: readonly AppError[]): Opened {
  let connection: DatabaseSync | null = null
  try {
    ownerOnly(path)
    connection = new DatabaseSync(path, { timeout: 0 })
    const isNewer = prepare(connection)
    return ok(assemble(connection, path, options, isNewer ? [...notices, NEWER] : notices, isNewer))
  } catch (error) {
    connection?.close()
    if (error instanceof AlteredSchemaError) return err('altered')
    if (error instanceof StoreError) return err(error.error)
    if (isSqliteError(error)) return err(isDamage(error) ? 'damaged' : openingError(error))
    if (error instanceof Error && 'code' in error) {
      return err(
        appError(
          'store',
          'Bookbridge couldn’t create its data file.',
          'Check the disk and the folder’s permissions.',
          { code: String(error.code), raw: error.message },
        ),
      )
    }
    throw error
  }
}

function openingError(error: Parameters<typeof storeError>[0]): AppError {
  if (!isBusy(error)) return storeError(error)
  return appError(
    'store',
    'Another Bookbridge is using this folder.',
    'Use that one, or close it first. Two at once could send the same change twice.',
    { code: String(error.errcode), raw: error.message },
  )
}

/** The file contains other people's books, so no other user of this computer may read it. */
function ownerOnly(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}

/** Pages of 4 KiB in the log beside the file; SQLite's default is 1,000. */
const MAX_LOG_PAGES = 4_000

/**
 * Locks and checks the file, and creates the tables in a new one. Returns whether a newer program wrote it.
 */
function prepare(connection: DatabaseSync): boolean {
  // Nothing hidden in the file can run, and nothing changes the schema behind our back.
  connection.exec('PRAGMA trusted_schema = OFF')
  connection.enableDefensive(true)
  // Before the first read, which takes the lock and holds it until the end.
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec('PRAGMA journal_mode = WAL')
  connection.exec('PRAGMA synchronous = FULL')
  // A long batch checkpoints while it waits for responses (`checkpoint`). Beyond this size, a checkpoint may run at any time.
  connection.exec(`PRAGMA wal_autocheckpoint = ${MAX_LOG_PAGES}`)
  // Overwrite deleted data: free pages would still hold other people's books.
  connection.exec('PRAGMA secure_delete = ON')
  if (platform === 'darwin') {
    // On macOS, fsync alone leaves the bytes in the drive's cache.
    connection.exec('PRAGMA fullfsync = 1')
    connection.exec('PRAGMA checkpoint_fullfsync = 1')
  }
  connection.exec('BEGIN IMMEDIATE')
  connection.exec('COMMIT')
  const check = connection.prepare('PRAGMA quick_check(1)').get()
  if (check?.['quick_check'] !== 'ok') throw damage(String(check?.['quick_check']))
  const version = schemaVersion(connection)
  if (version > SCHEMA_VERSION) {
    connection.exec('PRAGMA query_only = ON')
    return true
  }
  if (version === 0 && tablesOf(connection) === '[]') createTables(connection)
  else if (version > 0 && version < SCHEMA_VERSION) throw new StoreError(OLDER)
  else if (tablesOf(connection) !== ownTables()) throw new AlteredSchemaError()
  return false
}

/**
 * The file has a table, an index, a view, or a trigger that this program doesn't create, or one of ours was changed.
 */
class AlteredSchemaError extends Error {}

/** Turns a failed check into the error that SQLite itself throws for a damaged file. */
function damage(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: 11, errstr: message })
}

function assemble(
  connection: DatabaseSync,
  path: string,
  options: StoreOptions,
  notices: readonly AppError[],
  isReadOnly: boolean,
): Store {
  const witnesses = createWitnesses(path, options.stateFolder ?? null)
  const database: Database = createDatabase(connection, isReadOnly ? NEWER : null, (requests) => {
    witnesses.tell(database, requests)
  })
  const checked = isReadOnly ? null : witnesses.check(database, options.now())
  // If a file was set aside, a notice already says so. The new one is empty for that reason.
  const found = checked === null || notices.length > 0 ? [] : [checked]
  return {
    backup: createBackupStore(database, connection),
    companies: createCompanyStore(database, path, options.now),
    drafts: createDraftStore(database),
    history: createHistoryStore(database),
    imports: createImportStore(database),
    journal: createJournalStore(database, path, options.user ?? ''),
    months: createMonthStore(database),
    queues: createBlockedQueueStore(database),
    reportRuns: createReportRunStore(database),
    multiCompanyChanges: createMultiCompanyChangeStore(database),
    requestLog: createRequestLogStore(database),
    unfinished: createUnfinishedStore(database),
    setupDrafts: createSetupDraftStore(database),
    notices: [...notices, ...found],
    isReadOnly,
    damagedFiles: () => findDamagedFiles(path),
    checkpoint: () => {
      database.checkpoint()
    },
    async rewrite() {
      database.rewrite()
      await forEachSetAside(path, (aside) => {
        aside.rewrite()
      })
    },
    witnessed: () => witnesses.flushed(),
    close() {
      if (connection.isOpen) connection.close()
      witnesses.close()
    },
  }
}

/** Sets aside a file that contains more than our tables, and copies its rows into a new one. */
function rebuild(path: string, now: number): Result<AppError> {
  const made = `${path}.made`
  let altered: DatabaseSync | null = null
  try {
    altered = openUntrusted(path)
    copyIntoNewFile(altered, made).close()
    altered.close()
    const setAside = moveAside(path, now, ALTERED_WORDS)
    if (setAside.ok) renameSync(made, path)
    return setAside
  } catch {
    // One of our tables was changed, so nothing can be copied from it.
    return moveAside(path, now, DAMAGED_WORDS)
  } finally {
    if (altered?.isOpen === true) altered.close()
    rmSync(made, { force: true })
  }
}

const DAMAGED_WORDS = {
  message: 'The file with your drafts and history was damaged.',
  advice:
    'It was kept under another name, and Bookbridge started a new one. Before you send anything again, check the accounting application.',
}

const ALTERED_WORDS = {
  message: 'The file with your drafts and history contained something that Bookbridge didn’t put there.',
  advice:
    'Your drafts and history were copied to a new file, and the old file was kept. Check your drafts before you send them.',
}

/** Renames an unusable file and what SQLite keeps beside it, so that it can be inspected and a new one created. */
function moveAside(
  path: string,
  now: number,
  { message, advice }: Pick<AppError, 'message' | 'advice'>,
): Result<AppError> {
  const stamp = new Date(now).toISOString().replaceAll(':', '-')
  const target = path + DAMAGED + stamp
  try {
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(path + suffix)) renameSync(path + suffix, target + suffix)
    }
  } catch (error) {
    return err(
      appError(
        'store',
        'Bookbridge’s data file is damaged and couldn’t be set aside.',
        'Check the folder’s permissions.',
        { raw: causeText(error) },
      ),
    )
  }
  return ok(appError('store', message, advice, { raw: target }))
}
