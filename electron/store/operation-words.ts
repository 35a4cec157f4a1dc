/** What an operation is found by in the history: its record's name and the values before and after. */
import { type EditValue, textOf } from '../../shared/records/changes.ts'
import type { Database } from './database.ts'
import type { NewOperation } from './journal.ts'

/** Text as it is kept and looked for: case and the spelling of accents don't matter. */
function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

function valueWords(value: EditValue | null): string {
  return typeof value === 'string' || value === null ? textOf(value) : value.FullName
}

export function insertWords(database: Database, batchId: string, operation: NewOperation): void {
  const { recordName, fullName, recordId, edits } = operation
  const values = edits.flatMap(({ was, now }) => [valueWords(was), valueWords(now)])
  // In a table of its own, narrow: a search reads all of it, and the records beside it are large.
  database.run(
    'INSERT INTO operation_words (operation_id, batch_id, words) VALUES (?, ?, ?)',
    operation.operationId,
    batchId,
    folded([recordName, fullName, recordId, ...values].filter(Boolean).join('\n')),
  )
}

/** Each word of a search, folded; every one of them has to be found. */
export function searchWords(text: string): readonly string[] {
  return folded(text).split(/\s+/).filter(Boolean)
}
