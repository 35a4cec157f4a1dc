/** A record after it was saved. */
import { memberOf, ownValue, topField, type EditValue, type RecordData } from './changes.ts'
import type { Operation } from './contract/records.ts'

/**
 * What was read, with what was sent, with what the service answered over it. An answer may leave fields out that
 * have no value (specification 2.1), so that its absence alone says nothing about a field that was cleared.
 */
export function mergedRecord(before: RecordData, operation: Pick<Operation, 'edits' | 'after'>): RecordData {
  let record: RecordData = before
  for (const edit of operation.edits) record = withValueAt(record, edit.path, edit.now)
  return { ...record, ...operation.after }
}

/** The record with another value in one field, or in one member of it. */
export function withValueAt(record: RecordData, path: string, value: EditValue): RecordData {
  const field = topField(path)
  const member = memberOf(path)
  if (member === null) return { ...record, [field]: value }
  const top = ownValue(record, field)
  const parts = typeof top === 'object' && top !== null && !Array.isArray(top) ? top : {}
  return { ...record, [field]: { ...parts, [member]: value } }
}
