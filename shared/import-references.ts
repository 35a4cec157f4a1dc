/** References by name: a file has no IDs of payment terms, so they are found among those that records have already. */
import { isEmpty, valueAt, type RecordData, type Reference } from './changes.ts'
import { own, recordFullName } from './import-matching.ts'
import { nameKey } from './names.ts'
import { objectDefinition } from './records.ts'
import { ROWS_A_STEP, type Steps } from './steps.ts'

export class KnownReferences {
  readonly #object: string
  readonly #records: readonly RecordData[]
  /** By field, then by name; `null` where one name has several IDs. */
  readonly #known = new Map<string, ReadonlyMap<string, Reference | null>>()

  constructor(object: string, records: readonly RecordData[]) {
    this.#object = object
    this.#records = records
  }

  /** The reference of that name with its ID, where exactly one is known in a field that was collected; else as it is. */
  resolve(field: string, reference: Reference): Reference {
    return this.#known.get(field)?.get(nameKey(reference.FullName)) ?? reference
  }

  /** Learns the references that records have in a field. */
  *collect(field: string): Steps<void> {
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
      if (index % ROWS_A_STEP === 0) yield
      const value = valueAt(this.#object, record, field)
      if (typeof value !== 'string' && !isEmpty(value) && value.ID !== '') remember(value)
      const id = own(record, 'ID')
      if (refersTo === definition?.object && refersTo !== undefined && id !== '')
        remember({ ID: id, FullName: recordFullName(record) })
    }
    this.#known.set(field, found)
  }
}
