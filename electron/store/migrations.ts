/** Brings a file's tables to this program's: its `user_version` says how many of the steps it has taken. */
import { DatabaseSync } from 'node:sqlite'
import { STEPS } from './schema-steps.ts'

/** The version that this program writes. */
export const SCHEMA_VERSION = STEPS.length

export function schemaVersion(connection: DatabaseSync): number {
  return Number(connection.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
}

/** Takes the steps that the file lacks, up to a version, all of them or none. Throws what SQLite throws. */
export function migrate(connection: DatabaseSync, target = SCHEMA_VERSION): void {
  const version = schemaVersion(connection)
  if (version >= target) return
  connection.exec('BEGIN IMMEDIATE')
  try {
    for (const step of STEPS.slice(version, target)) connection.exec(step)
    connection.exec(`PRAGMA user_version = ${target}`)
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** What SQLite itself keeps about indexes; every other table whose name begins so is somebody's. */
const STATISTICS: ReadonlyMap<unknown, unknown> = new Map([
  ['sqlite_stat1', 'CREATE TABLE sqlite_stat1(tbl,idx,stat)'],
  ['sqlite_stat4', 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)'],
])

/** The tables, indexes, views and triggers of a file, as SQLite tells them. */
export function tablesOf(connection: DatabaseSync): string {
  const rows = connection
    .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
    .all()
  return JSON.stringify(
    rows.filter(({ type, name, sql }) => type !== 'table' || STATISTICS.get(name) !== sql),
  )
}

const knownTables = new Map<number, string>()

/** Those that a file of this version has, and no others. */
export function tablesAt(version: number): string {
  const known = knownTables.get(version) ?? newTables(version)
  knownTables.set(version, known)
  return known
}

function newTables(version: number): string {
  const empty = new DatabaseSync(':memory:')
  try {
    migrate(empty, version)
    return tablesOf(empty)
  } finally {
    empty.close()
  }
}
