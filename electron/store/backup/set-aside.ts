/**
 * A file that a restore set aside contains the same clients' books. Whatever is deleted from the current file, by the
 * user or because it is too old, is deleted from that one, too.
 */
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { appError, causeText } from '../../../shared/result.ts'
import { createDatabase, type Database, StoreError } from '../database.ts'
import { databasesSetAside } from './restore.ts'

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
