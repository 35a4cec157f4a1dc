/**
 * **Tidy up** of one list. Records are added one after another, and proposals come at the end, because only the whole
 * list shows its usual forms and its duplicates. Pure: reads nothing and changes nothing.
 */
import {
  isActivityClear,
  isInactive,
  isObject,
  type RecordData,
  textOf,
} from '../../shared/records/changes.ts'
import { objectDefinition } from '../../shared/records/definition.ts'
import { nameKey, parentOf } from '../../shared/records/names.ts'
import type { TidiedList } from '../../shared/records/tidy.ts'
import { placeOf } from './address.ts'
import { proposeDuplicates } from './duplicate-proposals.ts'
import type { Card } from './duplicates.ts'
import { createTaxIdReader } from './identifiers.ts'
import { emailKey, phoneKey, repeatedTexts } from './likeness.ts'
import { ListFields } from './list-fields.ts'
import { Proposals } from './proposals.ts'
import { checkInactive, Form1099Check, InvoiceCheck, UnusedCheck } from './record-checks.ts'
import { AddressCheck, CasingCheck, ContactCheck, SpaceCheck } from './value-checks.ts'

export interface ScanOptions {
  readonly object: string
  /** Paths of the fields that the application supports; `null` if unknown, so that nothing can be drafted. */
  readonly supported: readonly string[] | null
  /** The current time (ISO). */
  readonly now: string
  /** Keys of dismissed proposals, which don't count toward the limit. */
  readonly dismissed: readonly string[]
  /** IDs of records with drafts. Their proposals don't count toward the limit either, because they can't be checked. */
  readonly drafted: readonly string[]
}

export class TidyScan {
  readonly #isAccounts: boolean
  readonly #isVendors: boolean
  readonly #cards: Card[] = []
  readonly #parents = new Parents()
  readonly #taxIdsOf = createTaxIdReader()
  readonly #fields: ListFields
  readonly #proposals: Proposals
  readonly #spaces: SpaceCheck
  readonly #addresses: AddressCheck
  readonly #contacts: ContactCheck
  readonly #casing: CasingCheck
  readonly #form1099: Form1099Check
  readonly #invoices: InvoiceCheck
  readonly #unused: UnusedCheck

  constructor(options: ScanOptions) {
    const definition = objectDefinition(options.object)
    const fields = new ListFields(options.object, options.supported)
    const proposals = new Proposals(definition?.plural ?? options.object, fields, options)
    this.#isAccounts = definition?.object === 'account'
    this.#isVendors = definition?.object === 'vendor'
    this.#fields = fields
    this.#proposals = proposals
    this.#spaces = new SpaceCheck(fields.texts, proposals)
    this.#addresses = new AddressCheck(proposals)
    this.#contacts = new ContactCheck(fields.texts, this.#addresses, proposals)
    this.#casing = new CasingCheck(proposals)
    this.#form1099 = new Form1099Check(fields, proposals)
    this.#invoices = new InvoiceCheck(fields, proposals)
    this.#unused = new UnusedCheck(options.now, proposals)
  }

  get count(): number {
    return this.#cards.length
  }

  add(record: RecordData): void {
    const taxIds = this.#isVendors ? this.#taxIdsOf(record) : []
    const card = cardOf(record, taxIds.find((each) => each !== '') ?? '')
    this.#cards.push(card)
    this.#parents.add(record, card)
    this.#fields.add(record, taxIds.length > 0)
    if (card.id === '') return
    if (!card.isActive) {
      checkInactive(card, this.#proposals)
      return
    }
    this.#spaces.add(card, record)
    this.#contacts.add(card, record, this.#addresses.add(card, record))
    if (this.#isAccounts) return
    this.#casing.add(card, record)
    this.#form1099.add(card, record)
    this.#invoices.add(card, record)
    this.#unused.add(card)
  }

  /** @param recordsOf returns the records with some IDs, to show how duplicates differ */
  finish(recordsOf: (ids: readonly string[]) => readonly RecordData[]): TidiedList {
    const cards = this.#cards
    // A change names its record by ID alone, so nothing is proposed for an ID that several records have.
    const sharedIds = repeatedTexts(cards.map(({ id }) => id))
    if (cards.length > 0) this.#proposals.markNotChecked(...this.#fields.uncheckedKinds)
    this.#contacts.finish()
    this.#spaces.finish(cards)
    this.#addresses.finish()
    this.#casing.finish(cards)
    this.#invoices.finish()
    this.#form1099.finish()
    this.#unused.finish(this.#parents)
    const [isAccounts, parents, fields] = [this.#isAccounts, this.#parents, this.#fields]
    proposeDuplicates({ cards, sharedIds, isAccounts, parents, fields, recordsOf }, this.#proposals)
    return this.#proposals.finish(sharedIds)
  }
}

/** The records that have others below them: by ID, or by full name where a child names its parent by that alone. */
class Parents {
  readonly #ids = new Set<string>()
  readonly #names = new Set<string>()

  add(record: RecordData, { parentId }: Card): void {
    if (parentId === '') return
    const parent = record['Parent']
    const id = isObject(parent) ? textOf(parent['ID']) : ''
    if (id === '') this.#names.add(nameKey(parentId))
    else this.#ids.add(id)
  }

  has({ id, fullName }: Pick<Card, 'id' | 'fullName'>): boolean {
    return this.#ids.has(id) || (this.#names.size > 0 && this.#names.has(nameKey(fullName)))
  }
}

function currencyOf(record: RecordData): string {
  const currency = record['Currency']
  return textOf(isObject(currency) ? currency['FullName'] : currency).trim()
}

function cardOf(record: RecordData, taxId: string): Card {
  const name = textOf(record['Name'])
  const fullName = textOf(record['FullName']) || name
  const address = record['BillingAddress'] ?? record['Address']
  return {
    id: textOf(record['ID']),
    name,
    fullName,
    parentId: parentOf(record),
    type: textOf(record['Type']),
    currency: currencyOf(record),
    isActive: !isInactive(record),
    isActivityClear: isActivityClear(record),
    phone: phoneKey(textOf(record['Phone'])),
    email: emailKey(textOf(record['Email'])),
    address: placeOf(isObject(address) ? address : null),
    taxId,
    balance: textOf(record['Balance']).trim(),
    createdAt: textOf(record['CreatedDate']),
    changedAt: textOf(record['LastModifiedDate']),
  }
}
