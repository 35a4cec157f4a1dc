/** Matches rows of a file to existing records by ID, name, or number, as the user chooses. */
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
import { type Interruptible, ROWS_PER_STEP } from '../../list/time-slice.ts'

/** The keys of a row; empty if it has none. */
export interface RowKeys {
  readonly id: string
  /** `Parent:Child`, from the full name's own column or built from parent and name. */
  readonly fullName: string
  readonly number: string
  readonly name: string
  /** The parent's full name, if the file has a column for it. */
  readonly parent: string
  /** The current full name, after renames that an earlier import of the same file made. */
  readonly currentFullName: string
}

/** The key that rows are matched by. A row without that key is matched by its name. */
export type MatchBy = 'id' | 'name' | 'number'

export type Match =
  | { readonly kind: 'found'; readonly record: RecordData; readonly by: MatchBy }
  | { readonly kind: 'new' }
  | { readonly kind: 'refused'; readonly reason: string }

/** Returns `FullName`, or `Name` if there is none. */
export function recordFullName(record: RecordData): string {
  return fieldText(record, 'FullName') || fieldText(record, 'Name')
}

export function fieldText(record: RecordData, field: string): string {
  return Object.hasOwn(record, field) ? textOf(record[field]) : ''
}

type Index = Map<string, RecordData[]>

/** Records by name: an exact match first, otherwise a match as typed on a keyboard (*O'Leary* for *O’Leary*). */
class NameLookup {
  readonly #written: Index = new Map()
  readonly #typed: Index = new Map()

  add(name: string, record: RecordData): void {
    addTo(this.#written, nameKey(name), record)
    addTo(this.#typed, typedNameKey(name), record)
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

  /**
   * @param numberField `Number`, or the application's name for it
   * @param singular *customer*, for messages
   */
  constructor(numberField: string, singular: string) {
    this.#numberField = numberField
    this.#singular = singular
  }

  add(record: RecordData): void {
    addTo(this.#ids, fieldText(record, 'ID'), record)
    this.#fullNames.add(recordFullName(record), record)
    addTo(this.#numbers, fieldText(record, this.#numberField).trim(), record)
    this.#names.add(fieldText(record, 'Name'), record)
  }

  /**
   * Finds the record of a row. A row without a match is new, unless it has an ID, because new records can't be
   * given one.
   */
  match(keys: RowKeys, by: MatchBy): Match {
    if (by === 'id' && keys.id !== '') return this.#byId(keys)
    const named = this.#namedAs(keys)
    const numbered = keys.number === '' ? [] : (this.#numbers.get(keys.number) ?? [])
    const called = keys.fullName || keys.name
    if (by === 'number' && numbered.length > 0)
      return this.#uniqueMatch(numbered, named, 'number', keys.number, called)
    if (named.length === 0) return { kind: 'new' }
    // The number distinguishes records with the same name.
    const both = named.length > 1 ? named.filter((record) => numbered.includes(record)) : []
    return this.#uniqueMatch(both.length > 0 ? both : named, [], 'name', called, '')
  }

  /**
   * Says what each key of a row finds: `same` for a record with the row's name, `other` for one with another
   * name, `none` for no record, and `null` if the row lacks the key.
   */
  fit(keys: RowKeys): { readonly [By in MatchBy]: 'same' | 'other' | 'none' | null } {
    const named = this.#namedAs(keys)
    const hasName = keys.fullName !== '' || keys.name !== ''
    const matchScore = (records: readonly RecordData[]): 'same' | 'other' | 'none' =>
      records.length === 0
        ? 'none'
        : !hasName || records.some((record) => named.includes(record))
          ? 'same'
          : 'other'
    return {
      id: keys.id === '' ? null : matchScore(this.#ids.get(keys.id) ?? []),
      name: !hasName ? null : named.length > 0 ? 'same' : 'none',
      number: keys.number === '' ? null : matchScore(this.#numbers.get(keys.number) ?? []),
    }
  }

  #namedAs({ fullName, name }: RowKeys): readonly RecordData[] {
    return fullName === '' ? this.#named(name) : this.#fullNames.get(fullName)
  }

  /** Finds records with this full name, or else with this last part of it. */
  #named(name: string): readonly RecordData[] {
    if (name.trim() === '') return []
    const whole = this.#fullNames.get(name)
    return whole.length > 0 ? whole : this.#names.get(name)
  }

  /** Returns the first record with an ID; `undefined` if there is none. */
  byId(id: string): RecordData | undefined {
    return this.#ids.get(id)?.[0]
  }

  /** Whether a record has that name by itself. */
  isName(name: string): boolean {
    return this.#names.get(name).length > 0
  }

  #byId(keys: RowKeys): Match {
    const [record, another] = this.#ids.get(keys.id) ?? []
    if (record === undefined)
      return refused(`There’s no ${this.#singular} with the ID ${keys.id}, and new records can’t have one.`)
    if (another !== undefined) return refused(`Several records have the ID ${keys.id}.`)
    const here = recordFullName(record)
    // The ID may come from another company, so the name must agree.
    const isSame = [keys.fullName, keys.currentFullName].some(
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

  /** Returns the single record that both keys find. `second` is empty if the row lacks that key. */
  #uniqueMatch(
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

/** Whether parent and name of the row rename a record without moving it to another parent. */
function isRenamed({ fullName, parent, name }: RowKeys, here: string): boolean {
  return (
    parent !== '' &&
    fullName === joinedName(parent, name) &&
    nameKey(parent) === nameKey(partsOfFullName(here).parent)
  )
}

function refused(reason: string): Match {
  return { kind: 'refused', reason }
}

function addTo(index: Index, key: string, record: RecordData): void {
  if (key === '') return
  const there = index.get(key)
  if (there === undefined) index.set(key, [record])
  else there.push(record)
}

/** Counts what the keys of all rows find, to choose the best key. */
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
   * The best key for the whole file. IDs, if at least half of them are in the list or names find nothing.
   * Numbers, if the rows have no names, or if most numbers belong to a record with the same name and numbers
   * find at least as many records as names do. Names otherwise, because a file may have its own numbers.
   */
  get best(): MatchBy {
    const knownIds = this.#sameIds + this.#otherIds
    if (this.#ids > 0 && (knownIds * 2 >= this.#ids || this.#knownNames === 0)) return 'id'
    if (this.#names === 0) return 'number'
    const areNumbersOurs = this.#sameNumbers > this.#otherNumbers
    return areNumbersOurs && this.#sameNumbers + this.#otherNumbers >= this.#knownNames ? 'number' : 'name'
  }

  /** Number of rows whose number belongs to a record with another name. */
  get otherNumbers(): number {
    return this.#otherNumbers
  }

  /** Whether most IDs belong to records with other names, as in a file from another company. */
  get areIdsForeign(): boolean {
    return this.#otherIds >= FOREIGN_IDS && this.#otherIds > this.#sameIds
  }
}

/** Fewer mismatches than this are treated as records that the user renamed. */
const FOREIGN_IDS = 5

/** Returns the text at a path, or the full name of a reference; empty if there is none. */
export function nameAt(values: ReadonlyMap<string, EditValue>, path: string): string {
  const value = values.get(path)
  return (typeof value === 'string' ? value : (value?.FullName ?? '')).trim()
}

/** Splits a full name: `Alder:Garden` is *Garden* under *Alder*. */
export function partsOfFullName(fullName: string): { readonly name: string; readonly parent: string } {
  const parts = fullName.split(':').map((part) => part.trim())
  return { name: parts.at(-1) ?? '', parent: parts.slice(0, -1).join(':') }
}

/** Joins a parent's full name and a name; empty if either is empty. */
export function joinedName(parent: string, name: string): string {
  return parent !== '' && name !== '' ? `${parent}:${name}` : ''
}

/** Says why the full name of a new record can't be used: a part of it is empty, or it contradicts name or parent. */
export function nameContradiction(values: ReadonlyMap<string, EditValue>): string {
  const fullName = nameAt(values, 'FullName')
  if (fullName === '') return ''
  if (fullName.split(':').some((part) => part.trim() === ''))
    return `A part of the full name “${fullName}” is empty.`
  const { name, parent } = partsOfFullName(fullName)
  const [ownName, ownParent] = [nameAt(values, 'Name'), nameAt(values, 'Parent')]
  if (ownName !== '' && nameKey(ownName) !== nameKey(name))
    return `The full name “${fullName}” and the name “${ownName}” don’t belong to the same record.`
  if (ownParent !== '' && nameKey(ownParent) !== nameKey(parent))
    return `The full name “${fullName}” and the parent “${ownParent}” don’t belong to the same record.`
  return ''
}

/**
 * Looks up the IDs of references, such as payment terms, among those that records already use, because files
 * contain only names.
 */

export class KnownReferences {
  readonly #object: string
  readonly #records: readonly RecordData[]
  /** By field, then by name; `null` if a name has several IDs. */
  readonly #known = new Map<string, ReadonlyMap<string, Reference | null>>()

  constructor(object: string, records: readonly RecordData[]) {
    this.#object = object
    this.#records = records
  }

  /** Adds the ID to a reference if its name has exactly one. Call `collect` for the field first. */
  resolve(field: string, reference: Reference): Reference {
    return this.#known.get(field)?.get(nameKey(reference.FullName)) ?? reference
  }

  /** Collects the references in one field of all records. */
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
      const id = fieldText(record, 'ID')
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
  add(fullName: string, name: string, record: RecordData): void {
    const here = fieldText(record, 'Name')
    const isRename = name !== '' && nameKey(name) !== nameKey(partsOfFullName(fullName).name)
    if (isRename && nameKey(here) === nameKey(name)) this.#names.set(nameKey(fullName), here)
  }

  /** The current full name of a record with this full name in the file. */
  currentName(fullName: string): string {
    const { name, parent } = partsOfFullName(fullName)
    const here = this.#names.get(nameKey(fullName)) ?? name
    return parent === '' ? here : `${this.currentName(parent)}:${here}`
  }
}
