// A list of one company: its records, their IDs, and their full names. Base records are generated when they
// are read; inserted and changed records are kept on top of them.
import { type Application } from '../responses.ts'
import { type ObjectName } from './definition.ts'

/** An address. Members without text are left out. */
export type Address = Readonly<Record<string, string>>

/** The value of a field. A reference is the ID of the record that it points to. */
export type FieldValue = string | boolean | Address

/** A stored record. It has no balance: the ledger computes it. */
export interface SampleRecord {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly created: number
  readonly modified: number
  readonly values: Readonly<Record<string, FieldValue>>
}

/** The generated records of a list. `make` always returns the same record for the same index. */
export interface BaseList {
  readonly count: number
  make(index: number): SampleRecord
  /** The index that a record with this ID would have, whether or not it exists. */
  indexOf(id: string): number
}

/** A list that can be read and written. */
export interface RecordTable {
  get(id: string): SampleRecord | undefined
  /** Base records first, then inserted ones, each in order. */
  all(): Iterable<SampleRecord>
  put(record: SampleRecord): void
  /** How many records the list has ever had. The next record takes the next sequence number. */
  readonly size: number
}

/** Creates a writable table on top of a base list. */
export function createTable(base: BaseList): RecordTable {
  const changed = new Map<string, SampleRecord>()
  const inserted = new Set<string>()
  const baseRecord = (id: string): SampleRecord | undefined => {
    const index = base.indexOf(id)
    if (!Number.isInteger(index) || index < 0 || index >= base.count) return undefined
    const record = base.make(index)
    return record.id === id ? record : undefined
  }
  return {
    get: (id) => changed.get(id) ?? baseRecord(id),
    *all() {
      for (let index = 0; index < base.count; index++) {
        const record = base.make(index)
        yield changed.get(record.id) ?? record
      }
      for (const id of inserted) {
        const record = changed.get(id)
        if (record !== undefined) yield record
      }
    },
    put: (record) => {
      if (!changed.has(record.id) && baseRecord(record.id) === undefined) inserted.add(record.id)
      changed.set(record.id, record)
    },
    get size() {
      return base.count + inserted.size
    },
  }
}

/** Makes a base list of records that already exist. For short lists. */
export function listOf(records: readonly SampleRecord[]): BaseList {
  const indexes = new Map(records.map((record, index) => [record.id, index]))
  return {
    count: records.length,
    make: (index) => {
      const record = records[index]
      if (record === undefined) throw new RangeError(`There is no record ${String(index)}`)
      return record
    },
    indexOf: (id) => indexes.get(id) ?? -1,
  }
}

// IDs look as the applications make them: "80000012-1767225600" on Desktop, "58" online.

const FIRST_ONLINE: Readonly<Record<ObjectName, number>> = {
  account: 31,
  class: 5_000_000_001,
  currency: 1,
  customer: 1001,
  employee: 501,
  item: 11,
  itemsalestax: 801,
  taxcode: 2,
  terms: 3,
  vendor: 601,
}
const FIRST_DESKTOP = 0x80000001

/**
 * The ID of a record.
 * @param index the record's place in its list, from 0
 * @param created milliseconds since 1970
 */
export function idOf(application: Application, object: ObjectName, index: number, created: number): string {
  if (application === 'qbo') return String(FIRST_ONLINE[object] + index)
  const sequence = (FIRST_DESKTOP + index).toString(16).toUpperCase()
  return `${sequence}-${String(Math.floor(created / 1000))}`
}

/** The index that an ID was made from. Negative or NaN if the ID is not of this application. */
export function indexOfId(application: Application, object: ObjectName, id: string): number {
  if (application === 'qbo') return /^\d+$/.test(id) ? Number(id) - FIRST_ONLINE[object] : Number.NaN
  const match = /^([0-9A-F]{8})-\d+$/.exec(id)
  return match?.[1] === undefined ? Number.NaN : Number.parseInt(match[1], 16) - FIRST_DESKTOP
}

// Both applications require names to be unique across customers, vendors, and employees (codes 3100 and 6240).

const DEEPEST = 10
const SHARED_NAMES: readonly ObjectName[] = ['customer', 'vendor', 'employee']

/** What resolving names needs of a company. */
interface NamedLists {
  table(object: ObjectName): RecordTable
  names(object: ObjectName): NameIndex
}

/** The name with the names of all parents before it: `Parent:Name`. */
export function fullNameOf(lists: NamedLists, object: ObjectName, record: SampleRecord, depth = 0): string {
  const name = textOf(record, 'Name')
  const parentId = textOf(record, 'Parent')
  if (parentId === '' || depth > DEEPEST) return name
  const parent = lists.table(object).get(parentId)
  return parent === undefined ? name : `${fullNameOf(lists, object, parent, depth + 1)}:${name}`
}

/** The text of a field. Empty if the field has no text. */
export function textOf(record: SampleRecord, field: string): string {
  const value = record.values[field]
  return typeof value === 'string' ? value : ''
}

/** IDs of a list by full name, ignoring case. Built at first use, because most runs never write. */
export interface NameIndex {
  idOf(fullName: string): string | undefined
  /** Updates the index after a record was inserted (`before` is undefined) or replaced. */
  update(record: SampleRecord, before: SampleRecord | undefined): void
}

/** Creates the name index of a list. */
export function createNameIndex(lists: NamedLists, object: ObjectName): NameIndex {
  let ids: Map<string, string> | undefined
  const keyOf = (record: SampleRecord): string => normalizeName(fullNameOf(lists, object, record))
  return {
    idOf: (fullName) => {
      if (ids === undefined) {
        ids = new Map()
        for (const record of lists.table(object).all()) ids.set(keyOf(record), record.id)
      }
      return ids.get(normalizeName(fullName))
    },
    update: (record, before) => {
      if (before === undefined) ids?.set(keyOf(record), record.id)
      // A new name or parent changes the full name of every record below this one, too.
      else if (['Name', 'Parent'].some((field) => textOf(before, field) !== textOf(record, field)))
        ids = undefined
    },
  }
}

/** Lowercases a full name and trims each of its parts. */
function normalizeName(fullName: string): string {
  return fullName
    .split(':')
    .map((name) => name.trim())
    .join(':')
    .toLowerCase()
}

/** Finds a record by its full name, ignoring case. */
export function findByFullName(
  lists: NamedLists,
  object: ObjectName,
  fullName: string,
): SampleRecord | undefined {
  const id = lists.names(object).idOf(fullName)
  return id === undefined ? undefined : lists.table(object).get(id)
}

/** Whether another record has this full name, in this list or in one that must not share names with it. */
export function isNameTaken(
  lists: NamedLists,
  object: ObjectName,
  fullName: string,
  exceptId: string,
): boolean {
  const searched = SHARED_NAMES.includes(object) ? SHARED_NAMES : [object]
  return searched.some((list) => {
    const found = findByFullName(lists, list, fullName)
    return found !== undefined && (list !== object || found.id !== exceptId)
  })
}
