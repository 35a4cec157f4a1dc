/** Until when each request queue is blocked, and why. Kept across restarts. */
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type AppError, appError, causeText, err, ok, type Result } from '../../shared/result.ts'
import type { QueueStorage, StoredBlock } from '../service/queue/request-queue.ts'
import { createDatabase, type Database, isBusy, isSqliteError, number, resultOf, text } from './database.ts'

/**
 * Blocked queues, on disk so that they stay blocked after a restart. `request-queue.ts` makes the names, which contain no
 * API key.
 */
export interface BlockedQueueStore {
  block(queueKey: string, block: StoredBlock): void
  unblock(queueKey: string): void
  /** `null` if it is not blocked. */
  blockOf(queueKey: string): StoredBlock | null
}

export function createBlockedQueueStore(database: Database): BlockedQueueStore {
  return {
    block: (queueKey, { at, until, elapsed, what, reason }) =>
      database.write(() => {
        database.run(
          `INSERT OR REPLACE INTO blocked_queues (queue_key, blocked_at, blocked_until, elapsed, what, reason)
           VALUES (?, ?, ?, ?, ?, ?)`,
          queueKey,
          Math.floor(at),
          Math.ceil(until),
          elapsed,
          what,
          reason,
        )
      }),
    // A power failure may lose this. The queue then stays blocked longer than necessary.
    unblock: (queueKey) =>
      database.note(() => {
        database.run('DELETE FROM blocked_queues WHERE queue_key = ?', queueKey)
      }),
    blockOf: (queueKey) =>
      database.read(() => {
        const row = database.one(
          'SELECT blocked_at, blocked_until, elapsed, what, reason FROM blocked_queues WHERE queue_key = ?',
          queueKey,
        )
        if (row === null) return null
        return {
          at: number(row, 'blocked_at'),
          until: number(row, 'blocked_until'),
          elapsed: number(row, 'elapsed'),
          what: text(row, 'what'),
          reason: text(row, 'reason') as StoredBlock['reason'],
        }
      }),
  }
}

/*
 * Queues that all programs of one user on this computer share, whatever their user-data folders: which program uses a
 * queue, and until when it is blocked. A program holds a queue by an open transaction on an empty SQLite file of that
 * name. The system ends the transaction with the process. The blocks are in a database, so they survive a kill.
 */

export interface SharedQueues extends QueueStorage {
  /** The secret for the queues' names. The same for all programs of this user. */
  readonly secret: string
  /** Releases all. */
  close(): void
}

export interface SharedQueuesOptions {
  /** Belongs to the user, not to one user-data folder. */
  readonly folder: string
  /** Stores the block of `ownQueue`. */
  readonly own: BlockedQueueStore
  /**
   * The file of `own`. If it was moved since the start, another program could open a copy, so nothing is sent.
   */
  readonly ownFile: string
  /** A queue that no other program shares. */
  readonly ownQueue: string
}

/** After a release, this must never change: programs of several versions may have the file open at the same time. */
const TABLES = `
CREATE TABLE IF NOT EXISTS secret (value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS blocked_queues (
  queue_key TEXT NOT NULL PRIMARY KEY,
  blocked_at INTEGER NOT NULL,
  blocked_until INTEGER NOT NULL,
  elapsed REAL NOT NULL,
  what TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`

const SHARED_FILE = 'blocked-queues.sqlite'

/** Milliseconds to wait for another program's transaction. */
const PATIENCE = 5_000

/**
 * Opens the shared queues. Returns an error if the folder can't be used, because another program could then be sending
 * with the same key.
 */
export function openSharedQueues(options: SharedQueuesOptions): Result<SharedQueues> {
  const { folder } = options
  let connection: DatabaseSync | null = null
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const opened = (connection = openOwn(join(folder, SHARED_FILE), PATIENCE))
    opened.exec('PRAGMA journal_mode = WAL')
    opened.exec('PRAGMA synchronous = FULL')
    opened.exec('BEGIN IMMEDIATE')
    opened.exec(TABLES)
    opened
      .prepare('INSERT INTO secret SELECT ? WHERE NOT EXISTS (SELECT 1 FROM secret)')
      .run(randomBytes(32).toString('hex'))
    const secret = text(opened.prepare('SELECT value FROM secret').get() ?? {}, 'value')
    opened.exec('COMMIT')
    return ok(assemble(opened, secret, options))
  } catch (cause) {
    connection?.close()
    return err(unusable(folder, cause))
  }
}

function assemble(
  connection: DatabaseSync,
  secret: string,
  { folder, own, ownFile, ownQueue }: SharedQueuesOptions,
): SharedQueues {
  const isOwnInPlace = watchPlace(ownFile)
  const isFolderInPlace = watchPlace(join(folder, SHARED_FILE))
  /** Returns why nothing may be sent now, or `null`. */
  const moved = (): AppError | null => {
    if (!isOwnInPlace()) return movedAway(dirname(ownFile))
    return isFolderInPlace() ? null : movedAway(folder)
  }
  const shared = createBlockedQueueStore(createDatabase(connection, null))
  const locks = new Map<string, DatabaseSync>()
  const placeOf = (queueKey: string): BlockedQueueStore => (queueKey === ownQueue ? own : shared)
  const lockOf = (queueKey: string): DatabaseSync => {
    const known = locks.get(queueKey)
    if (known !== undefined) return known
    const lock = openOwn(join(folder, `${queueKey}.lock`), 0)
    // This file is only locked. Without a journal beside it, it stays empty, and nothing can damage it.
    lock.exec('PRAGMA journal_mode = MEMORY')
    locks.set(queueKey, lock)
    return lock
  }

  return {
    secret,
    block(queueKey, block) {
      const error = moved()
      if (error !== null) return err(error)
      return resultOf(() => {
        placeOf(queueKey).block(queueKey, block)
      })
    },
    unblock(queueKey) {
      return resultOf(() => {
        placeOf(queueKey).unblock(queueKey)
      })
    },
    blockOf(queueKey) {
      return resultOf(() => placeOf(queueKey).blockOf(queueKey))
    },
    acquire(queueKey) {
      const error = moved()
      if (error !== null) return err(error)
      if (queueKey === ownQueue) return ok(true)
      try {
        const lock = lockOf(queueKey)
        if (!lock.isTransaction) lock.exec('BEGIN EXCLUSIVE')
        return ok(true)
      } catch (cause) {
        return isSqliteError(cause) && isBusy(cause) ? ok(false) : err(unusable(folder, cause))
      }
    },
    release(queueKey) {
      const lock = locks.get(queueKey)
      if (lock?.isTransaction === true) lock.exec('ROLLBACK')
    },
    close() {
      for (const lock of locks.values()) lock.close()
      locks.clear()
      if (connection.isOpen) connection.close()
    },
  }
}

/** Opens a file that only this user can read. */
function openOwn(path: string, timeout: number): DatabaseSync {
  // Leave an existing file to SQLite: on POSIX, closing a file releases every lock that the process has on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  return new DatabaseSync(path, { timeout })
}

/** Returns a function that checks whether a file still has its name. */
function watchPlace(path: string): () => boolean {
  const identity = (): string => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? '' : `${String(found.dev)} ${String(found.ino)}`
  }
  const before = identity()
  return () => identity() === before
}

function movedAway(folder: string): AppError {
  return appError(
    'store',
    `Bookbridge’s data folder was moved or renamed while Bookbridge was open: ${folder}`,
    'Nothing is sent. Move the folder back, or quit Bookbridge and start it with the folder’s new place.',
  )
}

function unusable(folder: string, cause: unknown): AppError {
  return appError(
    'store',
    `Bookbridge can’t use the folder that keeps two programs from using one connection at the same time: ${folder}`,
    'Check the folder’s permissions. Nothing is sent until then.',
    { raw: causeText(cause) },
  )
}
