/**
 * The file that a restore has set aside holds the same people's books: what is deleted from the file in use, because a
 * person said so or because it is too old, is deleted from it too.
 */
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { appError, causeText, err, ok, type Result } from '../../shared/result.ts'
import { makeDatabase, type Database } from './database.ts'
import { migrate } from './migrations.ts'
import { databasesSetAside } from './restoring.ts'

/** Stands between the file's own name and the moment at which it was set aside. */
export const DAMAGED = '.damaged-'

/**
 * What was damaged and set aside beside it (`open-store.ts`). It can't be read row by row, and may be the only trace of
 * what was sent: nobody but its owner deletes it.
 * @returns paths, the newest last
 */
export function damagedBeside(path: string): readonly string[] {
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(basename(path) + DAMAGED) && !/-(wal|shm)$/.test(name))
    .toSorted()
    .map((name) => join(dirname(path), name))
}

type Work = (database: Database) => Result<void> | Promise<Result<void>>

/** @param path of the file in use */
export async function inEachSetAside(path: string, work: Work): Promise<Result<void>> {
  for (const aside of databasesSetAside(dirname(path))) {
    const done = await inOne(aside, work)
    if (!done.ok) return err(notDone(aside, done.error.details.raw ?? done.error.message))
  }
  return ok(undefined)
}

async function inOne(path: string, work: Work): Promise<Result<void>> {
  let connection: DatabaseSync | null = null
  try {
    connection = new DatabaseSync(path, { timeout: 0 })
    connection.exec('PRAGMA trusted_schema = OFF')
    connection.exec('PRAGMA secure_delete = ON')
    migrate(connection)
    return await work(makeDatabase(connection, null))
  } catch (cause) {
    return err(notDone(path, causeText(cause)))
  } finally {
    connection?.close()
  }
}

function notDone(path: string, raw: string) {
  return appError(
    'store',
    'It is deleted from what is in use, but not from what the last restore set aside.',
    `Delete this file yourself: ${path}`,
    { raw },
  )
}
