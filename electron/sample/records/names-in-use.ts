// Full names, and which are taken. A desktop file wants names unique across customers, vendors and employees
// (the application's own rule behind code 3100); an online company does too.
import { type Company } from '../company.ts'
import { type ObjectName } from './definition.ts'
import { type SampleRecord } from './table.ts'

const DEEPEST = 10
const SHARED_NAMES: readonly ObjectName[] = ['customer', 'vendor', 'employee']

/** `Parent:Name` through all parents. */
export function fullNameOf(company: Company, object: ObjectName, record: SampleRecord, depth = 0): string {
  const name = textOf(record, 'Name')
  const parentId = textOf(record, 'Parent')
  if (parentId === '' || depth > DEEPEST) return name
  const parent = company.table(object).get(parentId)
  return parent === undefined ? name : `${fullNameOf(company, object, parent, depth + 1)}:${name}`
}

/** A text of a record, empty where there is none. */
export function textOf(record: SampleRecord, field: string): string {
  const value = record.values[field]
  return typeof value === 'string' ? value : ''
}

/** The ids of a list by full name, in any casing; made at the first use, since most runs never write. */
export interface NameIndex {
  idOf(fullName: string): string | undefined
  /** Heeds that a record was put in the list in place of `before`. */
  heed(record: SampleRecord, before: SampleRecord | undefined): void
}

/** An index over a list of a company. */
export function createNameIndex(company: Company, object: ObjectName): NameIndex {
  let ids: Map<string, string> | undefined
  const keyOf = (record: SampleRecord): string => comparable(fullNameOf(company, object, record))
  return {
    idOf: (fullName) => {
      if (ids === undefined) {
        ids = new Map()
        for (const record of company.table(object).all()) ids.set(keyOf(record), record.id)
      }
      return ids.get(comparable(fullName))
    },
    heed: (record, before) => {
      if (before === undefined) ids?.set(keyOf(record), record.id)
      // Another name or parent is another full name for everything under the record, too.
      else if (['Name', 'Parent'].some((field) => textOf(before, field) !== textOf(record, field)))
        ids = undefined
    },
  }
}

/** A full name as it is compared: in one casing, without blanks around any of its names. */
function comparable(fullName: string): string {
  return fullName
    .split(':')
    .map((name) => name.trim())
    .join(':')
    .toLowerCase()
}

/** Finds a record of a list by its full name, in any casing. */
export function findByFullName(
  company: Company,
  object: ObjectName,
  fullName: string,
): SampleRecord | undefined {
  const id = company.names(object).idOf(fullName)
  return id === undefined ? undefined : company.table(object).get(id)
}

/** True where another record, of this list or one that shares its names, already has this full name. */
export function isNameTaken(
  company: Company,
  object: ObjectName,
  fullName: string,
  exceptId: string,
): boolean {
  const lists = SHARED_NAMES.includes(object) ? SHARED_NAMES : [object]
  return lists.some((list) => {
    const found = findByFullName(company, list, fullName)
    return found !== undefined && (list !== object || found.id !== exceptId)
  })
}
