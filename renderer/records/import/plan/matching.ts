/** Matches rows of a file to existing records: by ID, by name, or by number, as the person chooses. */
import { ROWS_PER_STEP, type Interruptible } from '../../list/time-slice.ts'
import {
  type EditValue,
  isEmpty,
  type RecordData,
  type Reference,
  textOf,
  valueAt,
} from '../../../../shared/records/changes.ts'
import { objectDefinition } from '../../../../shared/records/definition.ts'
import { nameKey, typedNameKey } from '../../../../shared/records/names.ts'

/** The keys of a row; empty where it has none. */
export interface RowKeys {
  readonly id: string
  /** `Parent:Child`, from its own column or from parent and name. */
  readonly fullName: string
  readonly number: string
  readonly name: string
  /** The parent's full name, from a column of its own. */
  readonly parent: string
  /** The full name after what the file's own rows renamed before, the same where they renamed nothing. */
  readonly fullNameToday: string
}

/** What rows are matched by. A row without that key is matched by its name. */
export type MatchBy = 'id' | 'name' | 'number'

export type Match =
  | { readonly kind: 'found'; readonly record: RecordData; readonly by: MatchBy }
  | { readonly kind: 'new' }
  | { readonly kind: 'refused'; readonly because: string }

/** `FullName` where there is one, else `Name`. */
export function recordFullName(record: RecordData): string {
  return own(record, 'FullName') || own(record, 'Name')
}

export function own(record: RecordData, field: string): string {
  return Object.hasOwn(record, field) ? textOf(record[field]) : ''
}

type Index = Map<string, RecordData[]>

/** Records by name: as written, else as a keyboard types it (*O'Leary* for *O’Leary*). */
class NameLookup {
  readonly #written: Index = new Map()
  readonly #typed: Index = new Map()

  add(name: string, record: RecordData): void {
    put(this.#written, nameKey(name), record)
    put(this.#typed, typedNameKey(name), record)
  }

  get(name: string): readonly RecordData[] {
    return this.#written.get(nameKey(name)) ?? this.#typed.get(typedNameKey(name)) ?? []
  }
}

/** Indexes the records of a list by their keys. */
export class RecordIndex {
  readonly #ids: Index = new Map()
  readonly #fullNames = new NameLookup()
  readonly #numbers: Index = new Map()
  readonly #names = new NameLookup()
  readonly #numberField: string
  readonly #singular: string

  /** @param numberField `Number`, or what an application calls it; @param singular *customer*, for messages */
  constructor(numberField: string, singular: string) {
    this.#numberField = numberField
    this.#singular = singular
  }

  add(record: RecordData): void {
    put(this.#ids, own(record, 'ID'), record)
    this.#fullNames.add(recordFullName(record), record)
    put(this.#numbers, own(record, this.#numberField).trim(), record)
    this.#names.add(own(record, 'Name'), record)
  }

  /** A row that matches nothing is new, unless it has an ID: new records can't be given one. */
  match(keys: RowKeys, by: MatchBy): Match {
    if (by === 'id' && keys.id !== '') return this.#byId(keys)
    const named = this.#namedAs(keys)
    const numbered = keys.number === '' ? [] : (this.#numbers.get(keys.number) ?? [])
    const called = keys.fullName || keys.name
    if (by === 'number' && numbered.length > 0)
      return this.#only(numbered, named, 'number', keys.number, called)
    if (named.length === 0) return { kind: 'new' }
    // The number tells namesakes apart.
    const both = named.length > 1 ? named.filter((record) => numbered.includes(record)) : []
    return this.#only(both.length > 0 ? both : named, [], 'name', called, '')
  }

  /** How each key of a row fits the list. `other` means a record with another name; `null` that the row lacks the key. */
  fit(keys: RowKeys): { readonly [By in MatchBy]: 'same' | 'other' | 'none' | null } {
    const named = this.#namedAs(keys)
    const hasName = keys.fullName !== '' || keys.name !== ''
    const fitOf = (records: readonly RecordData[]): 'same' | 'other' | 'none' =>
      records.length === 0
        ? 'none'
        : !hasName || records.some((record) => named.includes(record))
          ? 'same'
          : 'other'
    return {
      id: keys.id === '' ? null : fitOf(this.#ids.get(keys.id) ?? []),
      name: !hasName ? null : named.length > 0 ? 'same' : 'none',
      number: keys.number === '' ? null : fitOf(this.#numbers.get(keys.number) ?? []),
    }
  }

  #namedAs({ fullName, name }: RowKeys): readonly RecordData[] {
    return fullName === '' ? this.#named(name) : this.#fullNames.get(fullName)
  }

  /** Records with that full name, else those that share its last part. */
  #named(name: string): readonly RecordData[] {
    if (name.trim() === '') return []
    const whole = this.#fullNames.get(name)
    return whole.length > 0 ? whole : this.#names.get(name)
  }

  /** The first record of an ID; `undefined` where nobody has it. */
  byId(id: string): RecordData | undefined {
    return this.#ids.get(id)?.[0]
  }

  #byId(keys: RowKeys): Match {
    const [record, another] = this.#ids.get(keys.id) ?? []
    if (record === undefined)
      return refused(`There’s no ${this.#singular} with the ID ${keys.id}, and new records can’t have one.`)
    if (another !== undefined) return refused(`Several records have the ID ${keys.id}.`)
    const here = recordFullName(record)
    // The ID may come from another company, so the name must not contradict it.
    const isSame = [keys.fullName, keys.fullNameToday].some(
      (name) => typedNameKey(name) === typedNameKey(here),
    )
    if (keys.fullName !== '' && !isSame && !isRenamed(keys, here))
      return refused(
        `The ID ${keys.id} belongs to “${here}”, not “${keys.fullName}”. Full names can’t be changed. Change the name instead.`,
      )
    const others =
      keys.fullName === '' ? this.#named(keys.name) : isSame ? [] : this.#fullNames.get(keys.fullName)
    if (others.length > 0 && !others.includes(record))
      return refused(
        `The ID ${keys.id} belongs to “${here}”, and “${keys.name}” is another ${this.#singular}.`,
      )
    return { kind: 'found', record, by: 'id' }
  }

  /** The one record in both lists; `second` is empty where the row lacks that key. */
  #only(
    first: readonly RecordData[],
    second: readonly RecordData[],
    by: MatchBy,
    firstKey: string,
    secondKey: string,
  ): Match {
    const both = second.length === 0 ? first : first.filter((record) => second.includes(record))
    const [record, another] = both
    if (record === undefined) return refused(`“${firstKey}” and “${secondKey}” are two different records.`)
    if (another !== undefined)
      return refused(`${String(both.length)} records are named “${firstKey}”. Add the ID or full name.`)
    return { kind: 'found', record, by }
  }
}

/** Whether the row's parent and name rename a record under the same parent. */
function isRenamed({ fullName, parent, name }: RowKeys, here: string): boolean {
  return (
    parent !== '' &&
    fullName === joinedName(parent, name) &&
    nameKey(parent) === nameKey(partsOfFullName(here).parent)
  )
}

function refused(because: string): Match {
  return { kind: 'refused', because }
}

function put(index: Index, key: string, record: RecordData): void {
  if (key === '') return
  const there = index.get(key)
  if (there === undefined) index.set(key, [record])
  else there.push(record)
}

/** Counts how all rows of a file fit the list, to find the best key. */
export class MatchSurvey {
  #ids = 0
  #sameIds = 0
  #otherIds = 0
  #names = 0
  #knownNames = 0
  #sameNumbers = 0
  #otherNumbers = 0

  add(fit: ReturnType<RecordIndex['fit']>): void {
    this.#ids += fit.id === null ? 0 : 1
    this.#sameIds += fit.id === 'same' ? 1 : 0
    this.#otherIds += fit.id === 'other' ? 1 : 0
    this.#names += fit.name === null ? 0 : 1
    this.#knownNames += fit.name === 'same' ? 1 : 0
    this.#sameNumbers += fit.number === 'same' ? 1 : 0
    this.#otherNumbers += fit.number === 'other' ? 1 : 0
  }

  /**
   * IDs where the list has most of them, or nothing else fits. Numbers where rows have no names, or where most numbers
   * are here under the same name, and names find no more. Names otherwise: a file may have numbers of its own.
   */
  get best(): MatchBy {
    const knownIds = this.#sameIds + this.#otherIds
    if (this.#ids > 0 && (knownIds * 2 >= this.#ids || this.#knownNames === 0)) return 'id'
    if (this.#names === 0) return 'number'
    const areNumbersOurs = this.#sameNumbers > this.#otherNumbers
    return areNumbersOurs && this.#sameNumbers + this.#otherNumbers >= this.#knownNames ? 'number' : 'name'
  }

  /** Rows whose number is another record’s here. */
  get otherNumbers(): number {
    return this.#otherNumbers
  }

  /** Whether most IDs belong to other records here, as in a file from another company. */
  get areIdsForeign(): boolean {
    return this.#otherIds >= FOREIGN_IDS && this.#otherIds > this.#sameIds
  }
}

/** Fewer renamed records than these are a person’s own work. */
const FOREIGN_IDS = 5

/** The text at a path, a reference's full name; empty where there is none. */
export function nameAt(values: ReadonlyMap<string, EditValue>, path: string): string {
  const value = values.get(path)
  return (typeof value === 'string' ? value : (value?.FullName ?? '')).trim()
}

/** `Alder:Garden` is *Garden* under *Alder*. */
export function partsOfFullName(fullName: string): { readonly name: string; readonly parent: string } {
  const parts = fullName.split(':').map((part) => part.trim())
  return { name: parts.at(-1) ?? '', parent: parts.slice(0, -1).join(':') }
}

/** The full name of a record under a parent; empty if either is empty. */
export function joinedName(parent: string, name: string): string {
  return parent !== '' && name !== '' ? `${parent}:${name}` : ''
}

/** Why the full name of a new record can't be used: a part of it is empty, or it contradicts the name or parent. */
export function nameContradiction(values: ReadonlyMap<string, EditValue>): string {
  const fullName = nameAt(values, 'FullName')
  if (fullName === '') return ''
  if (fullName.split(':').some((part) => part.trim() === ''))
    return `A part of the full name “${fullName}” is empty.`
  const { name, parent } = partsOfFullName(fullName)
  const [ownName, ownParent] = [nameAt(values, 'Name'), nameAt(values, 'Parent')]
  if (ownName !== '' && nameKey(ownName) !== nameKey(name))
    return `The full name “${fullName}” and the name “${ownName}” are not of one record.`
  if (ownParent !== '' && nameKey(ownParent) !== nameKey(parent))
    return `The full name “${fullName}” and the parent “${ownParent}” are not of one record.`
  return ''
}

/** Finds the IDs of references, such as payment terms, among those that records already have: files only have names. */

export class KnownReferences {
  readonly #object: string
  readonly #records: readonly RecordData[]
  /** By field, then by name; `null` where one name has several IDs. */
  readonly #known = new Map<string, ReadonlyMap<string, Reference | null>>()

  constructor(object: string, records: readonly RecordData[]) {
    this.#object = object
    this.#records = records
  }

  /** Adds the ID to a reference if exactly one is known by its name. Call `collect` for the field first. */
  resolve(field: string, reference: Reference): Reference {
    return this.#known.get(field)?.get(nameKey(reference.FullName)) ?? reference
  }

  /** Collects the references in a field of all records. */
  *collect(field: string): Interruptible<void> {
    if (this.#known.has(field)) return
    const found = new Map<string, Reference | null>()
    const remember = (reference: Reference): void => {
      const name = nameKey(reference.FullName)
      const known = found.get(name)
      if (known === undefined) found.set(name, reference)
      else if (known !== null && known.ID !== reference.ID) found.set(name, null)
    }
    const definition = objectDefinition(this.#object)
    const refersTo = definition?.fields.find(({ name }) => name === field)?.refersTo
    for (const [index, record] of this.#records.entries()) {
      if (index % ROWS_PER_STEP === 0) yield
      const value = valueAt(this.#object, record, field)
      if (typeof value !== 'string' && !isEmpty(value) && value.ID !== '') remember(value)
      const id = own(record, 'ID')
      if (refersTo === definition?.object && refersTo !== undefined && id !== '')
        remember({ ID: id, FullName: recordFullName(record) })
    }
    this.#known.set(field, found)
  }
}

/**
 * Records that the file itself renamed when it was imported before. Imported again, it still has their old full names,
 * and those of the records under them.
 */

export class RenamedRecords {
  /** Current names by the key of the full name in the file. */
  readonly #names = new Map<string, string>()

  /** Notes a row with an ID if its record already has the name that the row wants. */
  note(fullName: string, name: string, record: RecordData): void {
    const here = own(record, 'Name')
    const isRename = name !== '' && nameKey(name) !== nameKey(partsOfFullName(fullName).name)
    if (isRename && nameKey(here) === nameKey(name)) this.#names.set(nameKey(fullName), here)
  }

  /** The current full name of a record with this full name in the file. */
  today(fullName: string): string {
    const { name, parent } = partsOfFullName(fullName)
    const here = this.#names.get(nameKey(fullName)) ?? name
    return parent === '' ? here : `${this.today(parent)}:${here}`
  }
}
