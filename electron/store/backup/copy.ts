/**
 * Copies the database for a backup, and checks a copy before it may replace the database. The rows of the copy go into
 * a new file. No page, table, index, view, or trigger of the copy is used.
 */
import { renameSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { reportRun } from '../../../shared/contract/report-runs.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../../../shared/result.ts'
import {
  createDatabase,
  type Database,
  isSqliteError,
  StoreError,
  storeError,
  text,
  textOrNull,
} from '../database.ts'
import { closeOperationOf } from '../drafts.ts'
import { createTables, ownTables, SCHEMA_VERSION, schemaVersion, tablesOf } from '../schema.ts'
import { findInvalidRow, NOT_RESTORED } from './row-schemas.ts'

/** What a copy contains. */
export interface CopyContents {
  readonly companies: number
  readonly drafts: number
  /** Records that were sent. */
  readonly sent: number
  readonly sets: number
  /** Drafts that were sent since the copy was made. They are left out. */
  readonly draftsSentSince: number
}

/** An operation that was sent, or may have been. */
export interface SentOperation {
  readonly operationId: string
  readonly draftId: string
}

/** What a backup needs from the open database. */
export interface BackupStore {
  /** Copies the database as it is, while it stays in use. */
  copyTo(path: string): Promise<void>
  /** Everything that was sent from here and not rejected. */
  sent(): readonly SentOperation[]
}

export function createBackupStore(database: Database, connection: DatabaseSync): BackupStore {
  return {
    copyTo: (path) => copyTo(connection, path),
    sent: () =>
      database.read(() =>
        database
          .all(`SELECT operation_id, draft_id FROM operations WHERE state NOT IN ('queued', 'rejected')`)
          .map((row) => ({ operationId: text(row, 'operation_id'), draftId: text(row, 'draft_id') })),
      ),
  }
}

async function copyTo(connection: DatabaseSync, path: string): Promise<void> {
  try {
    await backup(connection, path)
    // A single file. With a log beside it, the copy would be incomplete.
    const copy = new DatabaseSync(path)
    try {
      copy.exec('PRAGMA journal_mode = DELETE')
    } finally {
      copy.close()
    }
  } catch (cause) {
    if (isSqliteError(cause)) throw new StoreError(storeError(cause))
    const raw = causeText(cause)
    throw new StoreError(
      appError('store', 'The data on this computer couldn’t be copied.', 'Check the disk, then try again.', {
        raw,
      }),
    )
  }
}

/**
 * Replaces a copy with a new file that has this program's tables and the copy's rows, without drafts that were sent
 * since the copy was made.
 * @param sent what was sent from here
 * @returns an error of kind `file` if the copy must not be used
 */
export function prepareCopy(path: string, sent: readonly SentOperation[]): Result<CopyContents> {
  const made = `${path}.made`
  let copy: DatabaseSync | null = null
  let own: DatabaseSync | null = null
  try {
    copy = openUntrusted(path)
    const refused = refusal(copy)
    if (refused !== null) return err(refused)
    own = copyIntoNewFile(copy, made, NOT_RESTORED)
    const invalid = findInvalidRow(own)
    if (invalid !== null) return err(notOurs(invalid))
    disarmRuns(own)
    forgetWritePolicies(own)
    const draftsSentSince = dropSentDrafts(own, sent)
    // Counts as older than the last request sent, whatever the witness beside the file says (`lineage.ts`).
    own.exec('UPDATE lineage SET is_restored = 1')
    const contents = { ...contentsOf(own), draftsSentSince }
    for (const connection of [copy, own]) connection.close()
    renameSync(made, path)
    return ok(contents)
  } catch (cause) {
    return err(notOurs(causeText(cause)))
  } finally {
    for (const connection of [copy, own]) if (connection?.isOpen === true) connection.close()
    rmSync(made, { force: true })
  }
}

/**
 * Resets runs of reports. A run writes files once a user resumes it, so the user chooses its folder again and no earlier
 * file counts as the run's own. An unfinished run starts over, so that all its files are in one folder.
 */
function disarmRuns(own: DatabaseSync): void {
  const keep = own.prepare('UPDATE report_runs SET value = ? WHERE run_id = ?')
  for (const { run_id: runId, value } of own.prepare('SELECT run_id, value FROM report_runs').all()) {
    const run = reportRun.parse(JSON.parse(String(value)))
    const isOver =
      run.state === 'finished' && run.items.every(({ state }) => state === 'done' || state === 'not-offered')
    const items = run.items.map((item) => ({
      ...item,
      state: !isOver && item.state === 'done' ? 'waiting' : item.state,
      files: [],
      fingerprints: [],
    }))
    const state = isOver ? run.state : 'stopped'
    keep.run(JSON.stringify({ ...run, state, folder: '', items, files: [] }), String(runId))
  }
}

/** What another computer learned about a service would allow larger requests. This computer learns it for itself. */
function forgetWritePolicies(own: DatabaseSync): void {
  own.exec(`UPDATE write_policies SET stage = 0, is_proven = 0, learned = '{}'`)
  own.exec('DELETE FROM trusted_external_ids')
}

/** Bytes per value: more than this program ever writes. */
const LONGEST_VALUE = 128 * 1024 * 1024

/** Opens a file that someone else may have made, so that nothing in it runs. */
export function openUntrusted(path: string): DatabaseSync {
  const opened = new DatabaseSync(path, {
    timeout: 0,
    readOnly: true,
    defensive: true,
    limits: { length: LONGEST_VALUE },
  })
  opened.exec('PRAGMA trusted_schema = OFF')
  return opened
}

/**
 * Creates a file with this program's tables and the rows of another file. Throws what SQLite throws.
 * @param without tables whose rows are not copied
 */
export function copyIntoNewFile(
  from: DatabaseSync,
  path: string,
  without: ReadonlySet<string> = new Set(),
): DatabaseSync {
  rmSync(path, { force: true })
  const made = new DatabaseSync(path)
  try {
    made.exec('PRAGMA secure_delete = ON')
    createTables(made)
    copyRows(from, made, without)
    return made
  } catch (cause) {
    made.close()
    throw cause
  }
}

/** Copies the rows of tables that both files have, in order. Throws SQLite's error if a value has the wrong type. */
function copyRows(from: DatabaseSync, to: DatabaseSync, without: ReadonlySet<string>): void {
  // Tables that the other file lacks are skipped.
  const there = new Set(
    from
      .prepare('PRAGMA main.table_list')
      .all()
      .map(({ name }) => name),
  )
  to.exec('BEGIN')
  for (const { name, wr: isKeyed } of to.prepare('PRAGMA main.table_list').all()) {
    const table = String(name)
    if (table.startsWith('sqlite_') || without.has(table) || !there.has(name)) continue
    // Replaces the new file's initial rows.
    to.exec(`DELETE FROM "${table}"`)
    const columns = to
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map((column) => `"${String(column['name'])}"`)
    const order = isKeyed === 1 ? '' : 'ORDER BY rowid'
    const rows = from.prepare(`SELECT ${columns.join(', ')} FROM main."${table}" ${order}`)
    rows.setReadBigInts(true)
    rows.setReturnArrays(true)
    const insert = to.prepare(
      `INSERT INTO "${table}" (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    for (const row of rows.iterate()) insert.run(...Object.values(row))
  }
  to.exec('COMMIT')
}

function refusal(copy: DatabaseSync): AppError | null {
  const version = schemaVersion(copy)
  if (version > SCHEMA_VERSION) {
    return appError(
      'file',
      'This backup was saved by a newer Bookbridge.',
      'Install the newer Bookbridge here first, then restore it. Nothing was changed here.',
    )
  }
  if (version < 1) return notOurs('It has no version.')
  if (version < SCHEMA_VERSION) {
    return appError(
      'file',
      'This backup was saved by an older Bookbridge.',
      'This version can’t read it. Restore it with the version that saved it. Nothing was changed here.',
    )
  }
  if (tablesOf(copy) !== ownTables()) return notOurs('Its tables are not those of its version.')
  const check = copy.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
  return check === 'ok' ? null : notOurs(String(check))
}

/** Drops drafts that were already sent. Sending one again would add a duplicate record. */
function dropSentDrafts(own: DatabaseSync, sent: readonly SentOperation[]): number {
  const isKnown = own.prepare('SELECT 1 FROM operations WHERE operation_id = ?')
  // Drafts that don't wait for an outcome, and so could be sent as they are.
  const free = own.prepare(
    `SELECT drafts.operation_id FROM drafts LEFT JOIN operations USING (operation_id)
     WHERE drafts.draft_id = ? AND coalesce(operations.state, 'rejected') = 'rejected'`,
  )
  const drop = own.prepare('DELETE FROM drafts WHERE draft_id = ?')
  const database = createDatabase(own, null)
  return database.write(() => {
    let count = 0
    for (const { operationId, draftId } of sent) {
      const draft = isKnown.get(operationId) === undefined ? free.get(draftId) : undefined
      if (draft === undefined) continue
      closeOperationOf(database, textOrNull(draft, 'operation_id'))
      drop.run(draftId)
      count += 1
    }
    return count
  })
}

function contentsOf(copy: DatabaseSync): Omit<CopyContents, 'draftsSentSince'> {
  const count = (table: string): number =>
    Number(copy.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count'] ?? 0)
  return {
    companies: count('companies'),
    drafts: count('drafts'),
    sent: count('operations'),
    sets: count('report_sets'),
  }
}

function notOurs(raw: string): AppError {
  return appError(
    'file',
    'This backup is damaged or wasn’t saved by Bookbridge.',
    'Choose another file. Nothing was changed here.',
    { raw },
  )
}
