/** The fields that a list has, by its metadata and in its records. */
import { pathOf, type RecordData } from '../../shared/records/changes.ts'
import { type ContactDetail, detailOf } from '../../shared/records/contact-details.ts'
import { fieldDefinition, objectDefinition } from '../../shared/records/definition.ts'
import { editability } from '../../shared/records/fields.ts'
import type { TidyKind } from '../../shared/records/tidy.ts'

/** An address of a record, with the paths of its members. */
export interface AddressPaths {
  readonly name: string
  readonly state: string
  readonly zip: string
}

export const ADDRESS_PATHS: readonly AddressPaths[] = ['BillingAddress', 'ShippingAddress', 'Address'].map(
  (name) => ({
    name,
    state: pathOf(name, 'State'),
    zip: pathOf(name, 'PostalCode'),
  }),
)

/** A text field of the records, and the kind of contact detail that it holds. */
export interface TextField {
  readonly name: string
  readonly detail: ContactDetail | null
}

export class ListFields {
  /** The text fields that are checked. */
  readonly texts: readonly TextField[]
  /** Whether the data definition gives records of this object a billing address. */
  readonly hasInvoices: boolean
  /** Whether metadata or a record has an address. Otherwise, a missing address says nothing. */
  hasAddresses: boolean
  /** The same for the billing address. */
  hasBillingAddress: boolean
  /** Whether a record has a field for tax IDs. Otherwise, a missing one says nothing. */
  hasTaxIds = false
  readonly #object: string
  /** Paths of the fields that the application supports; `null` if unknown. */
  readonly #supported: ReadonlySet<string> | null
  /** Names of the fields that the data definition has. */
  readonly #defined: ReadonlySet<string>
  /** Those of them that neither metadata nor a record has. */
  readonly #missing: Set<string>
  /** Caches `canEdit`. */
  readonly #editable = new Map<string, boolean>()

  constructor(object: string, supported: readonly string[] | null) {
    const fields = objectDefinition(object)?.fields ?? []
    const paths = supported === null ? null : new Set(supported)
    this.#object = object
    this.#supported = paths
    this.#defined = new Set(fields.map(({ name }) => name))
    this.#missing = new Set(paths === null ? [] : [...this.#defined].filter((name) => !paths.has(name)))
    this.hasInvoices = this.#defined.has('BillingAddress')
    this.hasAddresses = ADDRESS_PATHS.some(({ name }) => paths?.has(name) === true)
    this.hasBillingAddress = paths?.has('BillingAddress') === true
    const defined = fields.filter(({ type }) => type === 'text').map(({ name }) => name)
    // Some services also give vendors an email address. Others call contact details something else.
    const details = (supported ?? []).filter((path) => !path.includes('.') && detailOf(path) !== null)
    this.texts = [...new Set([...defined, 'Email', 'Fax', ...details])]
      .filter((name) => fieldDefinition(object, name).editable === 'yes')
      .map((name) => ({ name, detail: detailOf(name) }))
  }

  /** Whether it is known which fields the application supports. If not, nothing can be drafted. */
  get areKnown(): boolean {
    return this.#supported !== null
  }

  add(record: RecordData, hasTaxIds: boolean): void {
    for (const name of this.#missing) if (name in record) this.#missing.delete(name)
    this.hasAddresses ||= ADDRESS_PATHS.some(({ name }) => name in record)
    this.hasBillingAddress ||= 'BillingAddress' in record
    this.hasTaxIds ||= hasTaxIds
  }

  canEdit(path: string): boolean {
    const known = this.#editable.get(path)
    if (known !== undefined) return known
    const { editable } = editability(this.#object, path, this.#supported, 'existing')
    this.#editable.set(path, editable)
    return editable
  }

  /** Kinds that can't be checked because the list lacks fields of the data definition, or calls them something else. */
  get uncheckedKinds(): readonly TidyKind[] {
    const details = this.texts.filter(({ detail }) => detail !== null)
    const defined = details.filter(({ name }) => this.#defined.has(name))
    const hasOthers = details.some(
      ({ name }) => !this.#defined.has(name) && this.#supported?.has(name) === true,
    )
    const lacksDetails =
      defined.length > 0 && !hasOthers && defined.every(({ name }) => this.#missing.has(name))
    return [
      ...(this.#missing.has('Name') ? (['duplicate'] as const) : []),
      ...(this.#missing.has('IsActive') || this.#missing.has('Balance')
        ? (['inactive-balance'] as const)
        : []),
      ...(lacksDetails ? (['malformed'] as const) : []),
    ]
  }
}
