/** References by name: a file has no IDs of payment terms, so they are found among those that records have already. */
import { isEmpty, valueAt, type RecordData, type Reference } from './changes.ts'
import { own, recordFullName } from './import-matching.ts'
import { nameKey } from './names.ts'
import { objectDefinition } from './records.ts'

export class KnownReferences {
  readonly #object: string
  readonly #records: readonly RecordData[]
  /** By field, then by name; `null` where one name has several IDs. */
  readonly #known = new Map<string, ReadonlyMap<string, Reference | null>>()

  constructor(object: string, records: readonly RecordData[]) {
    this.#object = object
    this.#records = records
  }

  /** The reference of that name with its ID, where exactly one is known; else as it is. */
  resolve(field: string, reference: Reference): Reference {
    let known = this.#known.get(field)
    if (known === undefined) {
      known = this.#collect(field)
      this.#known.set(field, known)
    }
    return known.get(nameKey(reference.FullName)) ?? reference
  }

  #collect(field: string): ReadonlyMap<string, Reference | null> {
    const found = new Map<string, Reference | null>()
    const remember = (reference: Reference): void => {
      const name = nameKey(reference.FullName)
      const known = found.get(name)
      if (known === undefined) found.set(name, reference)
      else if (known !== null && known.ID !== reference.ID) found.set(name, null)
    }
    const definition = objectDefinition(this.#object)
    const refersTo = definition?.fields.find(({ name }) => name === field)?.refersTo
    for (const record of this.#records) {
      const value = valueAt(this.#object, record, field)
      if (typeof value !== 'string' && !isEmpty(value) && value.ID !== '') remember(value)
      const id = own(record, 'ID')
      if (refersTo === definition?.object && refersTo !== undefined && id !== '')
        remember({ ID: id, FullName: recordFullName(record) })
    }
    return found
  }
}
