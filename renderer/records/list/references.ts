/** What a reference may be: values that the records of the list have already, and records of the list itself. */
import { isEmpty, textOf, valueAt, type Reference } from '../../../shared/records/changes.ts'
import { objectDefinition } from '../../../shared/records/definition.ts'
import { recordName, type RecordRow } from './rows.ts'
import { compareText } from './order.ts'

/** A reference that is offered. */
export interface SuggestedReference {
  readonly reference: Reference
  /** What tells it from another of the same name; empty where none is. */
  readonly note: string
}

/** References by name, as compared; several where different IDs have one name. */
type References = ReadonlyMap<string, readonly Reference[]>

export class ReferenceIndex {
  readonly #object: string
  readonly #rows: () => Iterable<RecordRow>
  /** By field; made when first asked for, because nobody edits every reference. */
  readonly #known = new Map<string, References>()

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
    const [first, another] = this.#of(field).get(key(fullName)) ?? []
    return first && another ? { ID: '', FullName: first.FullName } : first
  }

  /** Those that hold what was typed, best first; at most `most`. Of one name each ID is offered. */
  suggest(field: string, typed: string, most: number): readonly SuggestedReference[] {
    const words = key(typed).split(/\s+/).filter(Boolean)
    const found: SuggestedReference[] = []
    for (const [name, references] of this.#of(field)) {
      if (!words.every((word) => name.includes(word))) continue
      const isShared = references.length > 1
      for (const reference of references)
        found.push({ reference, note: isShared ? `ID ${reference.ID}` : '' })
    }
    const start = key(typed)
    const begins = ({ reference }: SuggestedReference): number =>
      key(reference.FullName).startsWith(start) ? 0 : 1
    return found
      .sort(
        (a, b) =>
          begins(a) - begins(b) ||
          compareText(a.reference.FullName, b.reference.FullName) ||
          compareText(a.reference.ID, b.reference.ID),
      )
      .slice(0, most)
  }

  #of(field: string): References {
    const known = this.#known.get(field)
    if (known) return known
    const made = this.#collect(field)
    this.#known.set(field, made)
    return made
  }

  #collect(field: string): References {
    const collected = new Map<string, Reference[]>()
    const refersTo = objectDefinition(this.#object)?.fields.find((each) => each.name === field)?.refersTo
    const refersHere = refersTo === this.#object.toLowerCase()
    for (const row of this.#rows()) {
      const value = valueAt(this.#object, row.record, field)
      if (typeof value !== 'string' && !isEmpty(value)) add(collected, value)
      if (refersHere && row.origin === 'read') {
        add(collected, { ID: textOf(row.record['ID']), FullName: recordName(row.record) })
      }
    }
    return collected
  }
}

function add(collected: Map<string, Reference[]>, reference: Reference): void {
  const name = key(reference.FullName || reference.ID)
  const known = collected.get(name)
  if (known === undefined) collected.set(name, [reference])
  else if (reference.ID === '' || known.some(({ ID }) => ID === reference.ID)) return
  else if (known[0]?.ID === '') known[0] = reference
  else known.push(reference)
}

function key(name: string): string {
  return name.trim().toLocaleLowerCase()
}
