/**
 * A copy of the file for a backup, and what is asked of such a copy before it may take the file's place: that it is
 * whole, that its tables are ours and nothing else, and that it is not newer than this program.
 */
import { backup, DatabaseSync } from 'node:sqlite'
import { appError, causeText, err, ok, type AppError, type Result } from '../../shared/result.ts'
import { isSqliteError, storeError, text, type Database } from './database.ts'
import { migrate, SCHEMA_VERSION, schemaVersion, tablesAt, tablesOf } from './migrations.ts'

/** How much is in a copy. */
export interface CopyContents {
  readonly companies: number
  readonly drafts: number
  /** Records that were sent. */
  readonly sent: number
  readonly sets: number
  /** Drafts that the file here knows to have been sent since; they were left out of the copy. */
  readonly draftsSentSince: number
}

/** An operation that left, or may have left, this computer. */
export interface SentOperation {
  readonly operationId: string
  readonly draftId: string
}

/** What a backup needs of the open file. */
export interface BackupStore {
  /** Copies it as it is, while it stays in use. An error of kind `store` when the disk does not let us. */
  copyTo(path: string): Promise<Result<void>>
  /** All that was sent from here and not refused. */
  sent(): Result<readonly SentOperation[]>
}

export function makeBackupStore(database: Database, connection: DatabaseSync): BackupStore {
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

async function copyTo(connection: DatabaseSync, path: string): Promise<Result<void>> {
  try {
    await backup(connection, path)
    // One file: a copy with a log beside it would be half of one.
    const copy = new DatabaseSync(path)
    try {
      copy.exec('PRAGMA journal_mode = DELETE')
    } finally {
      copy.close()
    }
    return ok(undefined)
  } catch (cause) {
    if (isSqliteError(cause)) return err(storeError(cause))
    const raw = causeText(cause)
    return err(appError('store', 'What is kept here could not be copied.', 'Look at the disk.', { raw }))
  }
}

/**
 * Checks a copy, brings it to this program's tables, and takes out the drafts that were sent since it was made.
 * @param sent what the file here knows to have been sent
 * @returns an error of kind `file` when it can't take the file's place; it must not be used then
 */
export function readyCopy(path: string, sent: readonly SentOperation[]): Result<CopyContents> {
  let copy: DatabaseSync | null = null
  try {
    copy = new DatabaseSync(path, { timeout: 0 })
    // It comes from outside: nothing in it runs before it is known to be ours.
    copy.exec('PRAGMA trusted_schema = OFF')
    copy.enableDefensive(true)
    const refused = refusal(copy)
    if (refused !== null) return err(refused)
    migrate(copy)
    copy.exec('PRAGMA secure_delete = ON')
    const draftsSentSince = dropSentDrafts(copy, sent)
    // It is from before, whatever the witness beside the file says (`lineage.ts`).
    copy.exec('UPDATE lineage SET is_restored = 1')
    copy.exec('PRAGMA journal_mode = DELETE')
    return ok({ ...contentsOf(copy), draftsSentSince })
  } catch (cause) {
    return err(notOurs(causeText(cause)))
  } finally {
    copy?.close()
  }
}

function refusal(copy: DatabaseSync): AppError | null {
  const version = schemaVersion(copy)
  if (version > SCHEMA_VERSION) {
    return appError(
      'file',
      'A newer Bookbridge made this backup.',
      'Install the newer Bookbridge here first, then restore it. Nothing was changed here.',
    )
  }
  if (version < 1) return notOurs('It has no version.')
  if (tablesOf(copy) !== tablesAt(version)) return notOurs('Its tables are not those of its version.')
  const check = copy.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
  return check === 'ok' ? null : notOurs(String(check))
}

/** A draft that is sent again is a record twice in somebody's books. */
function dropSentDrafts(copy: DatabaseSync, sent: readonly SentOperation[]): number {
  const isKnown = copy.prepare('SELECT 1 FROM operations WHERE operation_id = ?')
  const drop = copy.prepare('DELETE FROM drafts WHERE draft_id = ? AND operation_id IS NULL')
  let dropped = 0
  copy.exec('BEGIN')
  for (const { operationId, draftId } of sent) {
    if (isKnown.get(operationId) === undefined) dropped += Number(drop.run(draftId).changes)
  }
  copy.exec('COMMIT')
  return dropped
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
    'What this backup holds is damaged, or was not written by Bookbridge.',
    'Choose another file. Nothing was changed here.',
    { raw },
  )
}
