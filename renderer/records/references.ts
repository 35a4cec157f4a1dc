/** What a reference may be: values that the records of the list have already, and records of the list itself. */
import { isEmpty, textOf, valueAt, type Reference } from '../../shared/changes.ts'
import { objectDefinition } from '../../shared/records.ts'
import { recordName, type RecordRow } from './rows.ts'
import { compareText } from './order.ts'

export class ReferenceIndex {
  readonly #object: string
  readonly #rows: () => Iterable<RecordRow>
  /** By field; made when first asked for, because nobody edits every reference. */
  readonly #known = new Map<string, ReadonlyMap<string, Reference>>()

  constructor(object: string, rows: () => Iterable<RecordRow>) {
    this.#object = object
    this.#rows = rows
  }

  /** Forgets what it knows; the rows are others now. */
  clear(): void {
    this.#known.clear()
  }

  has(field: string, fullName: string): boolean {
    return this.#of(field).has(key(fullName))
  }

  /** The reference of that name, with its ID where exactly one is known; nobody can tell several apart by name. */
  find(field: string, fullName: string): Reference | undefined {
    return this.#of(field).get(key(fullName))
  }

  /** Those that hold what was typed, best first; at most `most`. */
  suggest(field: string, typed: string, most: number): readonly Reference[] {
    const words = key(typed).split(/\s+/).filter(Boolean)
    const found: Reference[] = []
    for (const [name, reference] of this.#of(field)) {
      if (words.every((word) => name.includes(word))) found.push(reference)
    }
    const start = key(typed)
    const begins = (reference: Reference): number => (key(reference.FullName).startsWith(start) ? 0 : 1)
    return found.sort((a, b) => begins(a) - begins(b) || compareText(a.FullName, b.FullName)).slice(0, most)
  }

  #of(field: string): ReadonlyMap<string, Reference> {
    const known = this.#known.get(field)
    if (known) return known
    const made = this.#collect(field)
    this.#known.set(field, made)
    return made
  }

  #collect(field: string): ReadonlyMap<string, Reference> {
    const collected = new Collected()
    const refersTo = objectDefinition(this.#object)?.fields.find((each) => each.name === field)?.refersTo
    const refersHere = refersTo === this.#object.toLowerCase()
    for (const row of this.#rows()) {
      const value = valueAt(this.#object, row.record, field)
      if (typeof value !== 'string' && !isEmpty(value)) collected.add(value)
      if (refersHere && row.origin === 'read') {
        collected.add({ ID: textOf(row.record['ID']), FullName: recordName(row.record) })
      }
    }
    return collected.found
  }
}

/** The references of a field by name, and the names that several IDs have. */
class Collected {
  readonly found = new Map<string, Reference>()
  readonly #ambiguous = new Set<string>()

  add(reference: Reference): void {
    const name = key(reference.FullName || reference.ID)
    if (this.#ambiguous.has(name)) return
    const known = this.found.get(name)
    if (known === undefined || (known.ID === '' && reference.ID !== '')) this.found.set(name, reference)
    else if (reference.ID !== '' && reference.ID !== known.ID) {
      this.#ambiguous.add(name)
      this.found.set(name, { ID: '', FullName: known.FullName || reference.FullName })
    }
  }
}

function key(name: string): string {
  return name.trim().toLocaleLowerCase()
}
