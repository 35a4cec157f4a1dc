/** Checks of whole records: what they owe, what a 1099 or an invoice needs, and whether they are still used. */
import { says } from '../../shared/format/format.ts'
import { isNegative, parseDecimal } from '../../shared/format/money.ts'
import { isObject, type RecordData, textOf } from '../../shared/records/changes.ts'
import { isMailable } from './address.ts'
import { type Card, hasBalance, type HasChildren } from './duplicates.ts'
import { ADDRESS_PATHS, type ListFields } from './list-fields.ts'
import { keyWithFacts, type Proposals } from './proposals.ts'

/** Milliseconds without a change after which a record may be unused: three years. */
const UNUSED = 3 * 365 * 86_400_000
/** An ISO date of a year in which such programs existed. Others, such as 0001-01-01, stand for none. */
const REAL_DATE = /^(?:19[89]\d|20\d\d)-\d\d-\d\d/

/** Proposes to make an inactive record with a balance active. */
export function checkInactive(card: Card, proposals: Proposals): void {
  if (!hasBalance(card)) return
  proposals.propose(
    'inactive-balance',
    card,
    says`Inactive, with a balance of ${{ amount: card.balance }}.`,
    card.isActivityClear ? [{ path: 'IsActive', was: 'false', now: 'true', balance: card.balance }] : [],
    // A month’s review has findings about what was posted to inactive records, which is something else.
    keyWithFacts(`tidy-inactive-balance|${proposals.list}|${card.id}`, card.balance),
  )
}

/** ***No address for an invoice***. */
export class InvoiceCheck {
  readonly #fields: ListFields
  readonly #proposals: Proposals
  /** Records that owe something and have no address. */
  readonly #found: Card[] = []
  /** Whether any record has an address. */
  #hasAddresses = false

  constructor(fields: ListFields, proposals: Proposals) {
    this.#fields = fields
    this.#proposals = proposals
  }

  add(card: Card, record: RecordData): void {
    if (!this.#fields.hasInvoices) return
    // An empty address may be left out (specification 2.1).
    const hasAny = card.email !== '' || hasContent(record['BillingAddress'])
    if (hasAny) this.#hasAddresses = true
    else if (card.parentId === '' && hasBalance(card) && !isCredit(card)) this.#found.push(card)
  }

  finish(): void {
    if (this.#found.length === 0) return
    if (!this.#fields.hasBillingAddress) this.#proposals.markNotChecked('no-invoice-address')
    if (!this.#hasAddresses || !this.#fields.hasBillingAddress) return
    for (const card of this.#found) {
      const reason = says`Owes ${{ amount: card.balance }}. No billing address, and no email address.`
      this.#proposals.propose('no-invoice-address', card, reason, [])
    }
  }
}

function isCredit({ balance }: Card): boolean {
  const amount = parseDecimal(balance)
  return amount !== null && isNegative(amount)
}

function hasContent(address: unknown): boolean {
  return (
    isObject(address) &&
    Object.values(address).some((value) => typeof value === 'string' && value.trim() !== '')
  )
}

/** ***1099 vendors with missing details***. */
export class Form1099Check {
  readonly #fields: ListFields
  readonly #proposals: Proposals
  readonly #found: { readonly card: Card; readonly hasAddress: boolean }[] = []

  constructor(fields: ListFields, proposals: Proposals) {
    this.#fields = fields
    this.#proposals = proposals
  }

  add(card: Card, record: RecordData): void {
    if (textOf(record['EligibleFor1099']).toLowerCase() !== 'true') return
    const hasAddress = ADDRESS_PATHS.some(({ name }) => {
      const address = record[name]
      return isObject(address) && isMailable(address)
    })
    if (!hasAddress || card.taxId === '') this.#found.push({ card, hasAddress })
  }

  finish(): void {
    const { hasAddresses, hasTaxIds } = this.#fields
    if (!hasAddresses && this.#found.some(({ hasAddress }) => !hasAddress))
      this.#proposals.markNotChecked('incomplete-1099')
    for (const { card, hasAddress } of this.#found) {
      const missing = [
        ...(hasAddress || !hasAddresses ? [] : ['complete address']),
        ...(card.taxId !== '' || !hasTaxIds ? [] : ['tax ID']),
      ]
      if (missing.length === 0) continue
      const reason = says`No ${missing.join(', and no ')}.`
      const key = keyWithFacts(`incomplete-1099|${card.id}`, missing)
      this.#proposals.propose('incomplete-1099', card, reason, [], key)
    }
  }
}

/** ***Possibly unused***. */
export class UnusedCheck {
  readonly #proposals: Proposals
  /** Times are ISO, so they compare as text. An offset doesn't matter over years. */
  readonly #before: string
  readonly #found: Card[] = []

  /** @param now the current time (ISO) */
  constructor(now: string, proposals: Proposals) {
    this.#before = new Date(Date.parse(now) - UNUSED).toISOString()
    this.#proposals = proposals
  }

  add(card: Card): void {
    const isOld = [card.createdAt, card.changedAt].every(
      (date) => date < this.#before && REAL_DATE.test(date),
    )
    if (!isOld || !card.isActivityClear) return
    if (parseDecimal(card.balance) !== null && !hasBalance(card)) this.#found.push(card)
  }

  finish(parents: HasChildren): void {
    for (const card of this.#found) {
      if (parents.has(card)) continue
      const reason = says`It owes nothing. Last changed ${{ date: card.changedAt.slice(0, 10) }}.`
      this.#proposals.propose('unused', card, reason, [
        { path: 'IsActive', was: 'true', now: 'false', balance: card.balance },
      ])
    }
  }
}
