/** Brings a file's tables to this program's: its `user_version` says how many of the steps it has taken. */
import { DatabaseSync } from 'node:sqlite'
import { STEPS } from './schema-steps.ts'

/** The version that this program writes. */
export const SCHEMA_VERSION = STEPS.length

export function schemaVersion(connection: DatabaseSync): number {
  return Number(connection.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
}

/** Takes the steps that the file lacks, all of them or none. Throws what SQLite throws. */
export function migrate(connection: DatabaseSync): void {
  const version = schemaVersion(connection)
  if (version >= SCHEMA_VERSION) return
  connection.exec('BEGIN IMMEDIATE')
  try {
    for (const step of STEPS.slice(version)) connection.exec(step)
    connection.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** The tables, indexes and triggers of a file, as SQLite tells them. */
export function tablesOf(connection: DatabaseSync): string {
  const rows = connection
    .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
    .all()
  return JSON.stringify(rows.filter(({ name }) => !String(name).startsWith('sqlite_stat')))
}

/** Those that a file of this version has, and no others. */
export function tablesAt(version: number): string {
  const empty = new DatabaseSync(':memory:')
  try {
    for (const step of STEPS.slice(0, version)) empty.exec(step)
    return tablesOf(empty)
  } finally {
    empty.close()
  }
}
