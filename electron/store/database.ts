/**
 * SQLite as the store uses it: statements prepared once, one transaction per step, every failure a `StoreError`.
 * Only `store.ts` and `schema.ts` use SQLite’s connection besides it.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { type AppError, appError, causeText, err, ok, type Result } from '../../shared/result.ts'

/** The name of `digestOf` in SQL. */
export const ROW_DIGEST = 'row_digest'

/** A checksum of a row's values. */
export function digestOf(values: readonly SQLInputValue[]): number {
  return crc32(JSON.stringify(values))
}

/** A row as SQLite returns it. The functions below read its columns and check their types. */
export type Row = Readonly<Record<string, unknown>>

/** The database as the parts of the store use it. */
export interface Database {
  /** True when a newer program wrote the file. */
  readonly isReadOnly: boolean
  /** Runs `work`, which only reads. */
  read<T>(work: () => T): T
  /** Runs one transaction. When this returns, all of `work` is on disk. If it throws, nothing of it is. */
  write<T>(work: () => T): T
  /**
   * Runs one transaction that doesn't wait for the disk. It survives a crash of the program, but a power failure may
   * lose it until the next `write`. Use it only for data that may be lost without losing a user's work or sending
   * anything twice.
   */
  note<T>(work: () => T): T
  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[]
  one(sql: string, ...values: readonly SQLInputValue[]): Row | null
  /**
   * Runs one transaction that deletes. If it deleted any row, the file is rewritten without it and the log beside it is
   * emptied, so that no byte of it is left in either. A large file takes seconds, so call this when the computer is
   * idle.
   */
  purge(work: () => void): void
  /** Call in a transaction that deletes. The file is rewritten now, or when it is opened again. */
  requireRewrite(): void
  /**
   * Empties the log beside the file and rewrites the file, if `requireRewrite` was called. Rows that moved between
   * pages leave copies behind, which only a rewrite removes.
   * @param mostBytes a larger file is left for later
   */
  rewrite(mostBytes?: number): void
  /**
   * Moves writes from the log beside the file into the file once there are enough of them. They are safely on disk
   * either way. Call when nothing waits for the disk.
   */
  checkpoint(): void
  /**
   * Runs a statement.
   * @returns how many rows changed
   */
  run(sql: string, ...values: readonly SQLInputValue[]): number
  /**
   * Call in a `write` that records a request which changes something at the service. That `write` returns only after
   * the witness beside the file has recorded it, too.
   */
  announceSend(request: SentRequest): void
}

/** A request that changes something at the service. */
export interface SentRequest {
  readonly requestKey: string
  /** When it is sent (ISO). */
  readonly at: string
}

/**
 * Thrown by the store if the disk fails, or if a step would break a rule of the store. The transaction is rolled back.
 * The border turns the error into a value (`resultOf`).
 */
export class StoreError extends Error {
  readonly error: AppError
  constructor(error: AppError) {
    super(error.message)
    this.error = error
  }
}

/** Runs a step of the store at a border. A `StoreError` becomes a value; a defect passes through. */
export function resultOf<T>(step: () => T): Result<T> {
  try {
    return ok(step())
  } catch (cause) {
    return asResult(cause)
  }
}

/** The same for asynchronous steps, whose other failures are already values. */
export async function resultOfAsync<T>(steps: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await steps()
  } catch (cause) {
    return asResult(cause)
  }
}

function asResult(cause: unknown): Result<never> {
  if (cause instanceof StoreError) return err(cause.error)
  throw cause
}

/** Changed rows below which `checkpoint` leaves the log alone. The first write after a checkpoint takes longer. */
const ENOUGH_ROWS = 2_500

/** The file's application ID while deleted rows may have left traces in it. Nothing else uses that number. */
const NEEDS_REWRITE = 1

const CLOSED = appError('store', 'Bookbridge is closing.')

const NOT_WITNESSED = 'Bookbridge couldn’t record what it was about to send, so nothing was sent.'

/** @param witness records what is about to be sent, after it is on disk here; throws what the disk throws */
export function createDatabase(
  connection: DatabaseSync,
  readOnlyError: AppError | null,
  witness: (requests: readonly SentRequest[]) => void = () => undefined,
): Database {
  connection.function(ROW_DIGEST, { deterministic: true, varargs: true }, (...values) => digestOf(values))
  /** Requests of the current transaction. */
  let leaving: readonly SentRequest[] = []
  /** Since the last `checkpoint`. */
  let changedRows = 0
  const statements = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known) return known
    const made = connection.prepare(sql)
    statements.set(sql, made)
    return made
  }
  const assertOpen = (): void => {
    // The program is ending. The next start does whatever a late timer or response would do.
    if (!connection.isOpen) throw new StoreError(CLOSED)
  }
  const assertWritable = (): void => {
    assertOpen()
    if (readOnlyError !== null) throw new StoreError(readOnlyError)
  }
  const inTransaction = <T>(work: () => T): T => {
    connection.exec('BEGIN IMMEDIATE')
    try {
      const value = work()
      connection.exec('COMMIT')
      return value
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (connection.isTransaction) connection.exec('ROLLBACK')
      throw error
    }
  }
  const pragma = (name: string): unknown => connection.prepare(`PRAGMA ${name}`).get()?.[name]
  /** Rows that this connection has written or deleted so far. */
  const changes = (): unknown => statement('SELECT total_changes() AS changes').get()?.['changes']
  const requireRewrite = (): void => {
    connection.exec(`PRAGMA application_id = ${NEEDS_REWRITE}`)
  }
  const rewrite = (mostBytes = Number.POSITIVE_INFINITY): void => {
    if (pragma('application_id') !== NEEDS_REWRITE) return
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    if (Number(pragma('page_count')) * Number(pragma('page_size')) > mostBytes) return
    connection.exec('VACUUM')
    connection.exec('PRAGMA application_id = 0')
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  const tellWitness = (): void => {
    try {
      witness(leaving)
    } catch (cause) {
      const raw = causeText(cause)
      throw new StoreError(
        appError('store', NOT_WITNESSED, 'Check the disk and the folder’s permissions.', { raw }),
      )
    }
  }
  return {
    isReadOnly: readOnlyError !== null,
    read(work) {
      assertOpen()
      return translatingErrors(work)
    },
    write(work) {
      assertWritable()
      return translatingErrors(() => {
        leaving = []
        const value = inTransaction(work)
        if (leaving.length > 0) tellWitness()
        return value
      })
    },
    note(work) {
      assertWritable()
      return translatingErrors(() => {
        connection.exec('PRAGMA synchronous = NORMAL')
        try {
          return inTransaction(work)
        } finally {
          connection.exec('PRAGMA synchronous = FULL')
        }
      })
    },
    purge(work) {
      assertWritable()
      return translatingErrors(() => {
        inTransaction(() => {
          const before = changes()
          work()
          if (changes() !== before) requireRewrite()
        })
        rewrite()
      })
    },
    requireRewrite,
    rewrite(mostBytes) {
      assertWritable()
      translatingErrors(() => {
        rewrite(mostBytes)
      })
    },
    all: (sql, ...values) => statement(sql).all(...values),
    one: (sql, ...values) => statement(sql).get(...values) ?? null,
    checkpoint() {
      if (changedRows < ENOUGH_ROWS || !connection.isOpen || readOnlyError !== null) return
      changedRows = 0
      translatingErrors(() => {
        connection.exec('PRAGMA wal_checkpoint(PASSIVE)')
      })
    },
    run(sql, ...values) {
      const changes = Number(statement(sql).run(...values).changes)
      changedRows += changes
      return changes
    },
    announceSend(request) {
      leaving = [...leaving, request]
    },
  }
}

/** Turns what SQLite throws into a `StoreError`. */
function translatingErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw isSqliteError(cause) ? new StoreError(storeError(cause)) : cause
  }
}

/** What `node:sqlite` throws: SQLite's result code and message. */
export interface SqliteError extends Error {
  readonly errcode: number
  readonly errstr: string
}

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR' && 'errcode' in error
}

/** SQLite's primary result codes that have their own message. */
const BUSY = [5, 6]
const READ_ONLY = 8
const DAMAGED = [11, 26]
const FULL = 13

/** Whether the file is not a database, or its pages don't fit together. */
export function isDamage(error: SqliteError): boolean {
  return DAMAGED.includes(error.errcode & 0xff)
}

/** Whether another program holds the file. */
export function isBusy(error: SqliteError): boolean {
  return BUSY.includes(error.errcode & 0xff)
}

/** Explains an SQLite error by what it means for the user's work. */
export function storeError(error: SqliteError): AppError {
  const details = { code: String(error.errcode), raw: error.message }
  const primary = error.errcode & 0xff
  if (primary === FULL) {
    return appError(
      'store',
      'The disk is full, so nothing more can be saved.',
      'Free up space on the disk. Until then, nothing is sent.',
      details,
    )
  }
  if (primary === READ_ONLY) {
    return appError(
      'store',
      'Bookbridge can’t write to its data folder.',
      'Check the folder’s permissions. Until then, nothing is sent.',
      details,
    )
  }
  if (isBusy(error)) {
    return appError(
      'store',
      'Another program is using Bookbridge’s data file.',
      'Close that program, then restart Bookbridge.',
      details,
    )
  }
  return appError(
    'store',
    'Bookbridge couldn’t read or write its data file.',
    'Check the disk and the folder’s permissions. Until then, nothing is sent.',
    details,
  )
}

export function text(row: Row, name: string): string {
  const value = row[name]
  return typeof value === 'string' ? value : ''
}

export function textOrNull(row: Row, name: string): string | null {
  const value = row[name]
  return typeof value === 'string' ? value : null
}

export function number(row: Row, name: string): number {
  const value = row[name]
  return typeof value === 'number' ? value : Number(value ?? 0)
}

export function numberOrNull(row: Row, name: string): number | null {
  const value = row[name]
  return typeof value === 'number' ? value : null
}

export function flag(row: Row, name: string): boolean {
  return number(row, name) !== 0
}

/** Parses a JSON column. The caller names the type, because only this program writes there. */
export function json(row: Row, name: string): unknown {
  return JSON.parse(text(row, name))
}

export function jsonOrNull(row: Row, name: string): unknown {
  const value = textOrNull(row, name)
  return value === null ? null : JSON.parse(value)
}

export function toJson(value: unknown): string {
  return JSON.stringify(value)
}

export function toJsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}

export function toFlag(value: boolean): 0 | 1 {
  return value ? 1 : 0
}
