/** What records are called, for recognising them (decisions.md, "Names of records"). */
import { textOf, type FieldEdit, type RecordData } from '../../../shared/records/changes.ts'
import { nameFingerprint, nameKey } from '../../../shared/records/names.ts'

function ownText(record: RecordData, field: string): string {
  return Object.hasOwn(record, field) ? textOf(record[field]) : ''
}

/** `FullName` where there is one, else `Name`; empty for a record that has neither. */
export function fullNameOf(record: RecordData): string {
  return ownText(record, 'FullName') || ownText(record, 'Name')
}

export function idOf(record: RecordData): string {
  return ownText(record, 'ID')
}

/** Whether nothing is known of a record but its `ID`. */
export function isOnlyAnId(record: RecordData): boolean {
  return Object.keys(record).length <= 1
}

/** A record by its `ID` and its name: an ID may be reassigned. */
export function identityOf(record: RecordData): string {
  return `${idOf(record)} ${nameFingerprint(fullNameOf(record))}`
}

export function externalIdOf(record: RecordData): string {
  return ownText(record, 'ExternalID')
}

/** When the record was made, as the service writes it; empty where it does not say. */
export function createdAt(record: RecordData): string {
  return ownText(record, 'CreatedDate').trim()
}

/** Whether a date tells its offset from UTC. Without one it is a time of some zone. */
export function hasOffset(date: string): boolean {
  return /T.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(date)
}

function editedText(edits: readonly FieldEdit[], path: string): string | null {
  const now = edits.find((edit) => edit.path === path)?.now
  return typeof now === 'string' ? now : null
}

/**
 * The full name that a new record will have: `Parent.FullName:Name`, or `Name` without a parent.
 * *Assumption* (decisions.md): the application joins them with a colon.
 */
export function fullNameOfInsert(edits: readonly FieldEdit[]): string {
  const name = (editedText(edits, 'Name') ?? '').trim()
  const parent = edits.find((edit) => edit.path === 'Parent')?.now
  const parentName = parent === undefined || typeof parent === 'string' ? (parent ?? '') : parent.FullName
  return parentName.trim() === '' || name === '' ? name : `${parentName.trim()}:${name}`
}

/** The full name of the parent that an insert gives by its name alone, as one of the same batch; empty otherwise. */
export function newParentOf(edits: readonly FieldEdit[]): string {
  const parent = edits.find((edit) => edit.path === 'Parent')?.now
  if (parent === undefined || typeof parent === 'string') return (parent ?? '').trim()
  return parent.ID === '' ? parent.FullName.trim() : ''
}

/** The parent that an insert gives by its `ID` alone, so that nobody here knows its full name; empty otherwise. */
function unnamedParentOf(edits: readonly FieldEdit[]): string {
  const parent = edits.find((edit) => edit.path === 'Parent')?.now
  if (parent === undefined || typeof parent === 'string') return ''
  return parent.FullName.trim() === '' ? parent.ID : ''
}

/** Whether a record has the name of an insert: the full name, or its own under the parent that was given by its `ID`. */
export function isNamedAs(fullName: string, edits: readonly FieldEdit[], record: RecordData): boolean {
  const name = nameKey(fullName)
  if (name === '') return false
  if (nameKey(fullNameOf(record)) === name) return true
  const [parentId, parent] = [unnamedParentOf(edits), record['Parent']]
  if (parentId === '' || typeof parent !== 'object' || parent === null) return false
  return idOf({ ...parent }) === parentId && nameKey(ownText(record, 'Name')) === name
}

/**
 * The name by which a person knows the record, new or as it was read, under its parents: there may be a *Phase 2* for
 * each of fifty customers.
 */
export function shownName(edits: readonly FieldEdit[], before: RecordData): string {
  const [own, full] = [ownText(before, 'Name'), fullNameOf(before)]
  if (full === '') return fullNameOfInsert(edits) || idOf(before)
  const parents = own !== '' && full.endsWith(`:${own}`) ? full.slice(0, -own.length) : ''
  const name = editedText(edits, 'Name') ?? own
  return name === '' ? full : `${parents}${name}`
}

/** Every name under which a record could be taken for another one in the same array, as `nameKey`s. */
export function namesOf(edits: readonly FieldEdit[], before: RecordData): readonly string[] {
  const names = [
    fullNameOf(before),
    ownText(before, 'Name'),
    editedText(edits, 'Name') ?? '',
    fullNameOfInsert(edits),
  ]
  return [...new Set(names.map(nameKey))].filter((name) => name !== '')
}

/** The names that a record says of itself, as `nameKey`s; none where it has neither. */
export function namesOfRecord(record: RecordData): readonly string[] {
  const names = [fullNameOf(record), ownText(record, 'Name')]
  return [...new Set(names.map(nameKey))].filter((name) => name !== '')
}
