/**
 * The file that a restore has set aside holds the same people's books: what is deleted from the file in use, because a
 * person said so or because it is too old, is deleted from it too.
 */
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { appError, causeText, err, ok, type Result } from '../../shared/result.ts'
import { makeDatabase, type Database } from './database.ts'
import { migrate } from './migrations.ts'
import { databasesSetAside } from './restoring.ts'

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
