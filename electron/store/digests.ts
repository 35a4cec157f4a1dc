/**
 * Checksums of the journal's rows. SQLite notices damaged pages, but not a byte that was changed within a row. Such a
 * row is treated as uncertain.
 */
import type { SQLInputValue } from 'node:sqlite'
import { crc32 } from 'node:zlib'

/** The name of `digestOf` in SQL. */
export const ROW_DIGEST = 'row_digest'

/**
 * The columns that are checked: whom the row is about, what was sent, and what became of it. Changing this list takes a
 * migration that sets every `digest` to NULL.
 */
export const SEALED = {
  operations: [
    'operation_id',
    'batch_id',
    'draft_id',
    'connection_id',
    'endpoint_id',
    'object',
    'kind',
    'record_id',
    'full_name',
    'mark',
    'namesakes',
    'state',
    'is_closed',
    'before',
    'edits',
    'not_as_sent',
    'conflicts',
    'theirs',
    'error',
    'after',
    'fresh',
  ],
  attempts: ['operation_id', 'request_key', 'position'],
  requests: [
    'request_key',
    'batch_id',
    'kind',
    'connection_id',
    'endpoint_id',
    'object',
    'body',
    'sent_at',
    'outcome',
  ],
} as const

export type SealedTable = keyof typeof SEALED

export function digestOf(values: readonly SQLInputValue[]): number {
  return crc32(JSON.stringify(values))
}

/** SQL that stores the checksum of rows as they are now. Run it in the transaction that wrote them. */
export function sealing(table: SealedTable, where: string): string {
  return `UPDATE ${table} SET digest = ${ROW_DIGEST}(${SEALED[table].join(', ')}) WHERE ${where}`
}

/** True when a row, read with all columns, matches its checksum, or has none. */
export function isIntact(table: SealedTable, row: Readonly<Record<string, unknown>>): boolean {
  if (row['digest'] === null) return true
  return digestOf(SEALED[table].map((column) => row[column] as SQLInputValue)) === row['digest']
}

/** The same in SQL. */
export function intactInSql(table: SealedTable): string {
  const columns = SEALED[table].map((column) => `${table}.${column}`)
  return `(${table}.digest IS NULL OR ${table}.digest = ${ROW_DIGEST}(${columns.join(', ')}))`
}
