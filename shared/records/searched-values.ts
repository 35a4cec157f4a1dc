/** What of a record is searched. Shared by a list's search and **Find anywhere**, so that both find the same records. */
import { type EditValue, isObject, pathOf, pathType, type RecordData, textOf, topField } from './changes.ts'
import { detailOf } from './contact-details.ts'
import { isDescribed } from './definition.ts'
import { amountKey, type FindQuery, withoutThousands } from './search-text.ts'

/** Called for each value. */
export interface ValueReader {
  text(path: string, value: string): void
  /** @param amount as `amountKey`; amounts are compared as a whole */
  amount(path: string, value: string, amount: string): void
  /** Timestamps. No one sees their hour and zone, and a search for `01` would find every record. */
  moment?(value: string): void
}

/** A timestamp. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
/** Characters of one value that are searched. */
const LONGEST_VALUE = 20_000

/** A path of the list's records. Paths are looked up by their names, because there are millions of values. */
interface Path {
  readonly path: string
  /** What its values are. In `unknown`, one with cents is an amount, and any other is text. */
  readonly kind: 'money' | 'text' | 'unknown'
  readonly members: Map<string, Path>
}

/** Reads the records of one list. */
export class SearchedValues {
  readonly #object: string
  readonly #paths = new Map<string, Path>()

  /** @param object the object's name, such as `customer` */
  constructor(object: string) {
    this.#object = object
  }

  /** The name that the record is known by comes first, and then its name alone if that is another one. */
  read(record: RecordData, reader: ValueReader): void {
    const fullName = textOf(record['FullName'])
    const name = textOf(record['Name'])
    const known = fullName || name
    reader.text(fullName === '' ? 'Name' : 'FullName', cut(known))
    if (name !== known) reader.text('Name', cut(name))
    for (const field of Object.keys(record)) {
      if (field === 'ID' || field === 'Name' || field === 'FullName') continue
      const path = this.#paths.get(field) ?? this.#newPath(pathOf(field))
      this.#paths.set(field, path)
      this.#read(path, record[field], reader)
    }
  }

  /** The value that an edit gives to a path. */
  readEdited(path: string, value: EditValue, reader: ValueReader): void {
    readText(this.#newPath(path), typeof value === 'string' ? value : value.FullName, reader)
  }

  #newPath(path: string): Path {
    return { path, kind: kindOf(this.#object, path), members: new Map() }
  }

  #read(path: Path, value: unknown, reader: ValueReader): void {
    if (typeof value === 'string') readText(path, value, reader)
    else if (Array.isArray(value)) for (const each of value) this.#read(path, each, reader)
    else if (isObject(value)) this.#readMembers(path, value, reader)
    else readText(path, textOf(value), reader)
  }

  /** A reference is found by its name, any other object by each of its members. */
  #readMembers(path: Path, members: RecordData, reader: ValueReader): void {
    if ('FullName' in members) {
      this.#read(path, members['FullName'], reader)
      return
    }
    for (const name of Object.keys(members)) {
      if (name === 'ID') continue
      const known = path.members.get(name) ?? this.#newPath(`${path.path}.${name}`)
      path.members.set(name, known)
      this.#read(known, members[name], reader)
    }
  }
}

/** By the field's definition, or by its name: *5550.01* may be a price, but not a phone or a bank's number. */
function kindOf(object: string, path: string): Path['kind'] {
  if (pathType(object, path) === 'money') return 'money'
  const isText = isDescribed(object, topField(path)) || detailOf(path) !== null
  return isText || /(?:^Name|^FullName|[Nn]umber|[Cc]ode|No|I[Dd])$/.test(path) ? 'text' : 'unknown'
}

function readText({ path, kind }: Path, value: string, reader: ValueReader): void {
  if (value === '' || value === 'true' || value === 'false') return
  if (MOMENT.test(value)) {
    reader.moment?.(value)
    return
  }
  if (kind === 'money' || (kind === 'unknown' && value.includes('.'))) {
    const amount = amountKey(value.includes(',') ? withoutThousands(value) : value)
    if (amount !== '') reader.amount(path, value, amount)
    if (amount !== '' || kind === 'money') return
  }
  reader.text(path, cut(value))
}

function cut(value: string): string {
  return value.length > LONGEST_VALUE ? value.slice(0, LONGEST_VALUE) : value
}

/**
 * Whether a record has what was typed.
 * @param has whether its text has a word or digits
 * @param hasAmount whether one of its amounts is this one
 */
export function matchesQuery(
  { spellings, digits, amounts }: FindQuery,
  has: (word: string) => boolean,
  hasAmount: (amount: string) => boolean,
): boolean {
  return spellings.some((words) => words.every(has)) || digits.some(has) || amounts.some(hasAmount)
}
