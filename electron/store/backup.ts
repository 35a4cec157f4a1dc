/**
 * Copies the database for a backup, and checks a copy before it may replace the database. The rows of the copy go into
 * a new file. No page, table, index, view, or trigger of the copy is used.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { reportRun } from '../../shared/contract/report-runs.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../../shared/result.ts'
import {
  createDatabase,
  type Database,
  isSqliteError,
  StoreError,
  storeError,
  text,
  textOrNull,
} from './database.ts'
import { closeOperationOf } from './drafts.ts'
import { findInvalidRow, NOT_RESTORED } from './row-schemas.ts'
import { createTables, ownTables, SCHEMA_VERSION, schemaVersion, tablesOf } from './schema.ts'

/** The folder in the user-data folder that holds copies of lists. No backup includes them. */
export const KEPT_LISTS = 'lists'

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
    forgetProofs(own)
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
function forgetProofs(own: DatabaseSync): void {
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

/*
 * Replaces the files with a restored backup before anything is opened: all of it or nothing, even if the program ends
 * in between. The backup is unpacked into a folder beside them. A file in it, written last, marks it as ready. The
 * replaced files are kept under another name.
 */

/** Each file, and what SQLite may have left beside it. */
const FILES = [
  { name: 'bookbridge.sqlite', beside: ['-wal', '-shm'] },
  { name: 'settings.json', beside: [] },
] as const

const FOLDER = 'restore'
/** Followed by six characters that are unique for each save. */
const SAVING = 'backup-'
const IS_SAVING = new RegExp(`^${SAVING}[A-Za-z0-9]{6}$`)
const READY = 'ready.json'
const SET_ASIDE = '.before-restore-'

/** Creates the folder into which a backup is unpacked, and removes what an earlier attempt left there. */
export function createRestoreFolder(userData: string): string {
  const folder = join(userData, FOLDER)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** Creates a folder in which the parts of a backup are assembled. */
export function createSaveFolder(userData: string): string {
  return mkdtempSync(join(userData, SAVING))
}

/** Whatever can't be removed now is removed at the next start. */
function removeUnsaved(userData: string): void {
  for (const name of readdirSync(userData)) {
    if (!IS_SAVING.test(name)) continue
    try {
      rmSync(join(userData, name), { recursive: true, force: true })
    } catch {
      // Held open by another program.
    }
  }
}

/** Removes an unpacked backup that isn't wanted. */
export function discardRestore(userData: string): void {
  rmSync(join(userData, FOLDER), { recursive: true, force: true })
}

/** Makes the next start restore what is in the folder. If it throws, nothing will be restored. */
export function scheduleRestore(userData: string, madeAt: string, now: number): void {
  const folder = join(userData, FOLDER)
  const path = join(folder, READY)
  const stamp = new Date(now).toISOString().replaceAll(':', '-')
  writeFileSync(`${path}.new`, JSON.stringify({ stamp, madeAt }), { mode: 0o600 })
  flush(`${path}.new`)
  renameSync(`${path}.new`, path)
  flush(folder)
}

/**
 * Finishes a scheduled restore, and removes what an interrupted save of a backup left behind, which is a full copy of
 * the books. Call before the files are opened.
 * @returns what to show at startup; `null` if there was nothing to do. Throws the disk's error if the restore could be
 * neither finished nor undone. In that case, nothing may be opened, and the next start tries again
 */
export function finishRestore(userData: string): AppError | null {
  removeUnsaved(userData)
  const folder = join(userData, FOLDER)
  const decided = decidedIn(folder)
  if (decided === null) {
    rmSync(folder, { recursive: true, force: true })
    return null
  }
  // What was saved after a list was copied is in the history of the replaced database.
  rmSync(join(userData, KEPT_LISTS), { recursive: true, force: true })
  const move = (from: string, to: string): void => {
    if (existsSync(from)) renameSync(from, to)
  }
  try {
    for (const { name, beside } of FILES) {
      // An earlier attempt already moved it.
      if (!existsSync(join(folder, name))) continue
      for (const suffix of [...beside, '']) {
        move(join(userData, name + suffix), join(userData, name + SET_ASIDE + decided.stamp + suffix))
      }
      move(join(folder, name), join(userData, name))
    }
  } catch (cause) {
    // Checks which files exist, so that an earlier attempt is undone, too. Books and settings belong together.
    for (const { name, beside } of FILES.toReversed()) {
      if (!existsSync(join(folder, name))) move(join(userData, name), join(folder, name))
      for (const suffix of ['', ...beside]) {
        move(join(userData, name + SET_ASIDE + decided.stamp + suffix), join(userData, name + suffix))
      }
    }
    rmSync(join(folder, READY), { force: true })
    return notRestored(causeText(cause))
  }
  flush(userData)
  removeOlder(userData, decided.stamp)
  rmSync(folder, { recursive: true, force: true })
  return restored(decided)
}

/** Databases that the last restore set aside. Those of earlier restores are deleted (`removeOlder`). */
function databasesSetAside(userData: string): readonly string[] {
  return readdirSync(userData)
    .filter((name) => name.startsWith(FILES[0].name + SET_ASIDE) && !/-(wal|shm)$/.test(name))
    .map((name) => join(userData, name))
}

interface Decided {
  readonly stamp: string
  readonly madeAt: string
}

function decidedIn(folder: string): Decided | null {
  try {
    const content = JSON.parse(readFileSync(join(folder, READY), 'utf8')) as Partial<Decided>
    const { stamp, madeAt } = content
    return typeof stamp === 'string' && typeof madeAt === 'string' ? { stamp, madeAt } : null
  } catch {
    return null
  }
}

/** Keeps one earlier version. More would outlive what retention has deleted. */
function removeOlder(userData: string, stamp: string): void {
  for (const name of readdirSync(userData)) {
    if (name.includes(SET_ASIDE) && !name.includes(SET_ASIDE + stamp)) {
      rmSync(join(userData, name), { force: true })
    }
  }
}

/** Makes a rename survive a power failure. Windows has no such call for folders. */
function flush(path: string): void {
  try {
    const handle = openSync(path, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch {
    // The names are already right. Only a power failure right now could matter.
  }
}

function restored({ stamp, madeAt }: Decided): AppError {
  return appError(
    'file',
    'The backup was restored.',
    'Before you send its drafts, check the accounting application: the backup doesn’t know what was sent after it was saved, from here or from another computer. Backups contain no keys. Enter missing ones under Settings, Connections.',
    { raw: `Backup of ${madeAt}. The names of the files it replaced end in ${SET_ASIDE}${stamp}.` },
  )
}

function notRestored(raw: string): AppError {
  return appError(
    'file',
    'The backup couldn’t be restored, so everything is as it was.',
    'If a file in Bookbridge’s folder is open in another program, close it and restore again.',
    { raw },
  )
}

/*
 * A file that a restore set aside contains the same clients' books. Whatever is deleted from the current file, by the
 * user or because it is too old, is deleted from that one, too.
 */

/** Separates the file's name from the time at which it was set aside. */
export const DAMAGED = '.damaged-'

/**
 * Finds damaged files that were set aside (`store.ts`). They can't be read row by row, and may be the only trace of
 * what was sent, so only the user deletes them.
 * @returns paths, the newest last
 */
export function findDamagedFiles(path: string): readonly string[] {
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(basename(path) + DAMAGED) && !/-(wal|shm)$/.test(name))
    .toSorted()
    .map((name) => join(dirname(path), name))
}

type Work = (database: Database) => void | Promise<void>

/** @param path of the current file */
export async function forEachSetAside(path: string, work: Work): Promise<void> {
  for (const aside of databasesSetAside(dirname(path))) await inOne(aside, work)
}

async function inOne(path: string, work: Work): Promise<void> {
  let connection: DatabaseSync | null = null
  try {
    connection = new DatabaseSync(path, { timeout: 0 })
    connection.exec('PRAGMA trusted_schema = OFF')
    connection.exec('PRAGMA secure_delete = ON')
    await work(createDatabase(connection, null))
  } catch (cause) {
    const raw = cause instanceof StoreError ? cause.error.details.raw : undefined
    throw new StoreError(notDone(path, raw ?? causeText(cause)))
  } finally {
    connection?.close()
  }
}

function notDone(path: string, raw: string) {
  return appError(
    'store',
    'It was deleted from the data in use, but not from the files that the last restore set aside.',
    `Delete this file yourself: ${path}`,
    { raw },
  )
}
