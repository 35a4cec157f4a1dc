/** Whether a record is active, and whether an edit makes it inactive. */
import { type FieldEdit, ownValue, type RecordData, textOf } from './changes.ts'

/** An application may leave the field out or write it in another way. */
export function isInactive(record: RecordData): boolean {
  return ['false', 'no', 'n', '0'].includes(activeText(record))
}

/** Whether the field holds what the data definition says, so that it can be changed. */
export function isActivityClear(record: RecordData): boolean {
  return ['true', 'false'].includes(activeText(record))
}

/** Whether an edit makes its record inactive. */
export function isDeactivation({ path, now }: Pick<FieldEdit, 'path' | 'now'>): boolean {
  return path === 'IsActive' && now === 'false'
}

function activeText(record: RecordData): string {
  return textOf(ownValue(record, 'IsActive')).trim().toLowerCase()
}
