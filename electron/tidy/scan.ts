/**
 * **Tidy up** of one list. Records are added one after another, and proposals come at the end, because only the whole
 * list shows its usual forms and its duplicates. Pure: reads nothing and changes nothing.
 */
import { createHash } from 'node:crypto'
import { capitalized, says, type Sentence } from '../../shared/format/format.ts'
import { isNegative, parseDecimal } from '../../shared/format/money.ts'
import { shortened } from '../../shared/format/text.ts'
import {
  isActivityClear,
  isInactive,
  isObject,
  pathOf,
  type RecordData,
  textOf,
} from '../../shared/records/changes.ts'
import { detailOf, isHome, isPhone } from '../../shared/records/contact-details.ts'
import { fieldDefinition, objectDefinition } from '../../shared/records/definition.ts'
import { editability } from '../../shared/records/fields.ts'
import { nameKey, parentOf } from '../../shared/records/names.ts'
import type {
  Proposal,
  ProposedEdit,
  ProposedRecord,
  TidiedList,
  TidyKind,
} from '../../shared/records/tidy.ts'
import { dismissedBy, TIDY_KIND_IDS } from '../../shared/records/tidy.ts'
import { addressKey, isMailable, placeOf, STREET_LINES } from './address.ts'
import { type Card, duplicateName, findDuplicates, hasBalance, planRetirement } from './duplicates.ts'
import {
  casingOf,
  Casings,
  inFormsOf,
  isInvalidEmail,
  isOddPhone,
  isOddZip,
  mayBeNearby,
  mayBeZip,
  type PhoneForm,
  phoneForm,
  phoneIn,
  stateCode,
  type StateForm,
  stateForm,
  stateIn,
  suggestEmail,
  withoutStraySpaces,
  zipOf,
} from './forms.ts'
import { createTaxIdReader } from './identifiers.ts'
import { emailKey, phoneKey, repeatedTexts, wordsOf } from './likeness.ts'

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

/** How many proposals of one kind a list shows at a time. The rest follow once these are decided. */
const MAX_PROPOSALS = 1_000

/** Milliseconds without a change after which a record may be unused: three years. */
const UNUSED = 3 * 365 * 86_400_000
/** An ISO date of a year in which such programs existed. Others, such as 0001-01-01, stand for none. */
const REAL_DATE = /^(?:19[89]\d|20\d\d)-\d\d-\d\d/
/** The share of names in mixed case above which the others stand out. */
const MOSTLY = 0.8

/** Prose, in which spacing is a matter of style. */
const SENTENCES = new Set(['Notes', 'Description'])
const UNKNOWN_FIELDS = says`Bookbridge doesn’t know which fields this application can change. Get the list again.`

/**
 * Values that have a common form or can be converted to one. Stored in parallel arrays, because there may be one per
 * record, and an object for each would take more memory than everything else.
 */
class Formed<Form> {
  readonly #cards: Card[] = []
  readonly #paths: string[] = []
  readonly #values: string[] = []
  readonly #forms: (Form | null)[] = []
  readonly #counts = new Map<Form, number>()

  add(card: Card, path: string, value: string, form: Form | null): void {
    this.#cards.push(card)
    this.#paths.push(path)
    this.#values.push(value)
    this.#forms.push(form)
    if (form !== null) this.#counts.set(form, (this.#counts.get(form) ?? 0) + 1)
  }

  /** The form of more than half of all values, in whatever form the others are; `null` if there is none. */
  get usual(): Form | null {
    for (const [form, count] of this.#counts) if (count * 2 > this.#values.length) return form
    return null
  }

  /** Converts the other values to a form, by record. */
  edits(
    usual: Form,
    into: (form: Form, value: string) => string | null,
  ): ReadonlyMap<Card, readonly ProposedEdit[]> {
    const found = new Map<Card, ProposedEdit[]>()
    for (const [at, card] of this.#cards.entries()) {
      if (this.#forms[at] === usual) continue
      const [path = '', was = ''] = [this.#paths[at], this.#values[at]]
      const now = into(usual, was)
      if (now === null || now === was) continue
      found.set(card, [...(found.get(card) ?? []), { path, was, now }])
    }
    return found
  }
}

/** Contact details of a record that can’t be right. The odd ones may be right in a list that isn’t of the US. */
interface Malformed {
  readonly card: Card
  readonly wrong: string[]
  readonly meant: ProposedEdit[]
  readonly oddPhones: string[]
  readonly oddZips: string[]
}

/** A field that holds a name or a part of it. */
interface NameField {
  readonly path: string
  readonly was: string
}

/** An address of a record, with the paths of its members. */
const ADDRESS_PATHS = ['BillingAddress', 'ShippingAddress', 'Address'].map((name) => ({
  name,
  state: pathOf(name, 'State'),
  zip: pathOf(name, 'PostalCode'),
}))

export class TidyScan {
  readonly #options: ScanOptions
  readonly #isAccounts: boolean
  readonly #list: string
  readonly #canEdit: (path: string) => boolean
  /** Text fields of the records, and the kind of each. */
  readonly #texts: readonly { readonly name: string; readonly detail: ReturnType<typeof detailOf> }[]
  readonly #cards: Card[] = []
  readonly #parents = new Parents()
  /** IDs of several records. A change names its record by ID alone, so nothing is proposed for these. */
  #sharedIds: ReadonlySet<string> = new Set()
  readonly #isDismissed: (proposal: Pick<Proposal, 'kind' | 'key'>) => boolean
  readonly #drafted: ReadonlySet<string>
  readonly #proposals = new Map<TidyKind, Proposal[]>()
  /** Proposals that are still undecided. */
  readonly #undecided = new Map<TidyKind, number>()
  readonly #withDrafts = new Map<TidyKind, number>()
  readonly #phones = new Formed<PhoneForm>()
  readonly #states = new Formed<StateForm>()
  /** Caches what is known about each spelling of a state. */
  readonly #spellings = new Map<string, { readonly form: StateForm | null; readonly code: string }>()
  /** Names that are not in mixed case, with the fields that hold them, and the total count. */
  readonly #uncased: { readonly card: Card; readonly fields: readonly NameField[] }[] = []
  /** Contact details that can’t be right, or not in a US list. */
  readonly #malformed: Malformed[] = []
  readonly #zips = { all: 0, ofStates: 0 }
  readonly #blanks: { readonly card: Card; readonly edits: readonly ProposedEdit[] }[] = []
  #cased = 0
  #hasInvoiceAddresses = false
  /** Whether the records of this object have a billing address, as far as the data definition knows. */
  readonly #hasInvoices: boolean
  #hasBillingField: boolean
  /** Whether the list has an address field at all. Otherwise, a missing address says nothing. */
  #hasAddresses: boolean
  readonly #notChecked: TidyKind[] = []
  /** Fields of the data definition that neither metadata nor a record has. */
  readonly #missing: Set<string>
  readonly #isVendors: boolean
  readonly #taxIdsOf = createTaxIdReader()
  /** Whether the list has a field for tax IDs. Otherwise, a missing one says nothing. */
  #hasTaxIds = false
  readonly #without1099: { readonly card: Card; readonly hasAddress: boolean }[] = []
  readonly #withoutInvoice: Card[] = []
  readonly #unused: Card[] = []
  /** Times are ISO, so they compare as text. An offset doesn't matter over years. */
  readonly #unusedBefore: string

  constructor(options: ScanOptions) {
    const { object, supported } = options
    const definition = objectDefinition(object)
    this.#options = options
    this.#isDismissed = dismissedBy(options.dismissed)
    this.#drafted = new Set(options.drafted)
    this.#unusedBefore = new Date(Date.parse(options.now) - UNUSED).toISOString()
    this.#isAccounts = definition?.object === 'account'
    this.#isVendors = definition?.object === 'vendor'
    this.#list = definition?.plural ?? object
    const paths = supported === null ? null : new Set(supported)
    this.#hasAddresses = ADDRESS_PATHS.some(({ name }) => paths?.has(name) === true)
    this.#hasInvoices = definition?.fields.some(({ name }) => name === 'BillingAddress') === true
    this.#hasBillingField = paths?.has('BillingAddress') === true
    const known = new Map<string, boolean>()
    this.#canEdit = (path) => {
      const can = known.get(path) ?? editability(object, path, paths, 'existing').editable
      known.set(path, can)
      return can
    }
    const described = definition?.fields.filter(({ type }) => type === 'text').map(({ name }) => name) ?? []
    // Some services also give vendors an email address. Others call contact details something else.
    const details = (supported ?? []).filter((path) => !path.includes('.') && detailOf(path) !== null)
    this.#texts = [...new Set([...described, 'Email', 'Fax', ...details])]
      .filter((name) => fieldDefinition(object, name).editable === 'yes')
      .map((name) => ({ name, detail: detailOf(name) }))
    const needed = definition?.fields.map(({ name }) => name) ?? []
    this.#missing = new Set(paths === null ? [] : needed.filter((name) => !paths.has(name)))
  }

  get count(): number {
    return this.#cards.length
  }

  add(record: RecordData): void {
    for (const name of this.#missing) if (name in record) this.#missing.delete(name)
    const taxIds = this.#isVendors ? this.#taxIdsOf(record) : []
    this.#hasTaxIds ||= taxIds.length > 0
    const card = cardOf(record, taxIds.find((each) => each !== '') ?? '')
    this.#cards.push(card)
    this.#parents.add(record, card)
    this.#hasAddresses ||= ADDRESS_PATHS.some(({ name }) => name in record)
    this.#hasBillingField ||= 'BillingAddress' in record
    if (card.id === '') return
    if (!card.isActive) {
      this.#checkInactive(card)
      return
    }
    this.#checkValues(card, record)
    if (this.#isAccounts) return
    this.#checkName(card, record)
    this.#checkTaxAndInvoice(card, record)
    this.#checkUse(card)
  }

  /** @param recordsOf returns the records with some IDs, to show how duplicates differ */
  finish(recordsOf: (ids: readonly string[]) => readonly RecordData[]): TidiedList {
    this.#sharedIds = repeatedTexts(this.#cards.map(({ id }) => id))
    this.#finishMalformed()
    this.#finishSpaces()
    this.#finishForms()
    this.#finishMissing()
    this.#finishTaxAndInvoice()
    this.#finishDuplicates(recordsOf)
    for (const card of this.#unused) {
      if (this.#parents.has(card)) continue
      this.#propose(
        'unused',
        card,
        says`It owes nothing. Last changed ${{ date: card.changedAt.slice(0, 10) }}.`,
        [{ path: 'IsActive', was: 'true', now: 'false', balance: card.balance }],
      )
    }
    this.#withoutSharedIds()
    const proposals = TIDY_KIND_IDS.flatMap((kind) => this.#proposals.get(kind) ?? [])
    const more = [...this.#undecided].flatMap(([kind, count]) =>
      count > MAX_PROPOSALS ? [{ kind, count: count - MAX_PROPOSALS }] : [],
    )
    return { proposals, more, notChecked: this.#notChecked }
  }

  #propose(
    kind: TidyKind,
    card: Card,
    reason: Sentence,
    edits: readonly ProposedEdit[],
    key = this.#keyOf(kind, card, edits),
  ): void {
    const possible = edits.filter(({ path }) => this.#canEdit(path))
    // A value that only has another form and can't be changed isn't worth mentioning.
    const isForm = FORM_KINDS.has(kind)
    if (isForm && possible.length === 0 && this.#options.supported !== null) return
    const isKnown = this.#options.supported !== null
    const blockedReason =
      possible.length > 0
        ? []
        : edits.length === 0
          ? says`Only you know what is right. Open the record.`
          : isKnown
            ? says`This application can’t change it from here.`
            : UNKNOWN_FIELDS
    this.#put({
      kind,
      key,
      reason,
      records: [{ recordId: card.id, name: card.fullName, edits: possible, blockedReason, facts: [] }],
    })
  }

  /** Dismissing another form of a value concerns that value, not what its field has later. */
  #keyOf(kind: TidyKind, { id }: Card, edits: readonly ProposedEdit[]): string {
    const key = `tidy-${kind}|${this.#list}|${id}`
    return FORM_KINDS.has(kind)
      ? withFacts(
          key,
          edits.map(({ path, was }) => [path, was]),
        )
      : key
  }

  #put(proposal: Proposal): void {
    const { kind, key, records } = proposal
    const ids = records.map(({ recordId }) => recordId)
    if (!this.#hasPlace(kind, key, ids)) return
    const proposals = this.#proposals.get(kind)
    if (proposals) proposals.push(proposal)
    else this.#proposals.set(kind, [proposal])
  }

  /** Counts a proposal. Returns whether it is listed. */
  #hasPlace(kind: TidyKind, key: string, recordIds: readonly string[]): boolean {
    if (this.#isDismissed({ kind, key })) return true
    const counts = recordIds.some((id) => this.#drafted.has(id)) ? this.#withDrafts : this.#undecided
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return count <= MAX_PROPOSALS
  }

  /** Drops what was proposed before another record with the same ID came. */
  #withoutSharedIds(): void {
    if (this.#sharedIds.size === 0) return
    for (const [kind, all] of this.#proposals) {
      const left = all.filter(({ records }) =>
        records.every(({ recordId }) => !this.#sharedIds.has(recordId)),
      )
      this.#proposals.set(kind, left)
      this.#undecided.set(kind, (this.#undecided.get(kind) ?? 0) - (all.length - left.length))
    }
  }

  #checkInactive(card: Card): void {
    if (!hasBalance(card)) return
    this.#propose(
      'inactive-balance',
      card,
      says`Inactive, with a balance of ${{ amount: card.balance }}.`,
      card.isActivityClear ? [{ path: 'IsActive', was: 'false', now: 'true', balance: card.balance }] : [],
      // A month’s review has findings about what was posted to inactive records, which is something else.
      withFacts(`tidy-inactive-balance|${this.#list}|${card.id}`, card.balance),
    )
  }

  /** Checks whitespace and contact details. */
  #checkValues(card: Card, record: RecordData): void {
    const blanks: ProposedEdit[] = []
    const found: Malformed = { card, wrong: [], meant: [], oddPhones: [], oddZips: [] }
    const { wrong, meant } = found
    let where: Where | null = null
    for (const { name, detail } of this.#texts) {
      const value = record[name]
      if (typeof value !== 'string' || value === '') continue
      const now = SENTENCES.has(name) ? null : withoutStraySpaces(value)
      if (now !== null) blanks.push({ path: name, was: value, now })
      if (detail === 'email' && isInvalidEmail(value)) {
        wrong.push(`the email address “${shortened(value, 80)}”`)
        const right = suggestEmail(value)
        if (right !== null) meant.push({ path: name, was: value, now: right })
      } else if (detail === 'phone') {
        const form = phoneForm(value)
        where ??= this.#locate(record)
        // Other countries have shorter numbers.
        if (!where.isHome) continue
        if (form === null && !isPhone(value)) wrong.push(phoneTitle(value))
        else if (where.isNearby) this.#phones.add(card, name, value, form)
        if (form === null && where.isInState && isOddPhone(value)) found.oddPhones.push(phoneTitle(value))
      }
    }
    for (const paths of ADDRESS_PATHS) {
      const address = record[paths.name]
      if (isObject(address)) this.#checkAddress(card, paths, address, blanks, found.oddZips)
    }
    if (blanks.length > 0) this.#blanks.push({ card, edits: blanks })
    if (wrong.length + found.oddPhones.length + found.oddZips.length > 0) this.#malformed.push(found)
  }

  #finishMalformed(): void {
    const isOfUsNumbers = this.#phones.usual !== null
    const isOfZips = this.#zips.ofStates * 2 > this.#zips.all
    for (const { card, wrong, meant, oddPhones, oddZips } of this.#malformed) {
      const all = [...wrong, ...(isOfUsNumbers ? oddPhones : []), ...(isOfZips ? oddZips : [])]
      if (all.length === 0) continue
      const reason = says`${capitalized(all.join(' and '))} can’t be right.`
      this.#propose('malformed', card, reason, meant, withFacts(`malformed|${this.#list}|${card.id}`, all))
    }
  }

  #checkAddress(
    card: Card,
    { name, state: statePath, zip: zipPath }: (typeof ADDRESS_PATHS)[number],
    address: RecordData,
    blanks: ProposedEdit[],
    oddZips: string[],
  ): void {
    for (const member in address) {
      const value = address[member]
      if (typeof value !== 'string' || value === '' || SENTENCES.has(member)) continue
      const now = withoutStraySpaces(value)
      if (now !== null) blanks.push({ path: pathOf(name, member), was: value, now })
    }
    const [state, zip] = [textOf(address['State']), textOf(address['PostalCode'])]
    if (state === '' || !isHome(textOf(address['Country']))) return
    const { form, code } = this.#spellingOf(state)
    const isOfState = code !== '' && mayBeZip(zip, code)
    if (isOfState) this.#states.add(card, statePath, state, form)
    if (zip === '') return
    this.#zips.all += 1
    if (isOfState) this.#zips.ofStates += 1
    const now = zipOf(zip, code)
    if (now === null && code !== '' && !isOfState && isOddZip(zip, code))
      oddZips.push(`the ZIP code “${shortened(zip, 40)}”`)
    if (now === null) return
    const reason =
      now.startsWith('0') && !zip.startsWith('0')
        ? says`Its leading zero is missing.`
        : says`In a different format.`
    this.#propose('zip', card, reason, [{ path: zipPath, was: zip, now }])
  }

  /** Where a record's phone numbers are from, by its addresses. */
  #locate(record: RecordData): Where {
    const state = inAddresses(record, 'State')
    const { code } = this.#spellingOf(state)
    const isNearby = code === '' ? mayBeNearby(state) : mayBeZip(inAddresses(record, 'PostalCode'), code)
    const isInState = code !== '' && isNearby
    return { isHome: isHome(inAddresses(record, 'Country')), isNearby, isInState }
  }

  #spellingOf(state: string): { readonly form: StateForm | null; readonly code: string } {
    const known = this.#spellings.get(state)
    if (known !== undefined) return known
    const spelling = { form: stateForm(state), code: stateCode(state) }
    this.#spellings.set(state, spelling)
    return spelling
  }

  #checkName(card: Card, record: RecordData): void {
    const casing = casingOf(card.name)
    if (casing === null) return
    if (casing === 'mixed') {
      this.#cased += 1
      return
    }
    const parts = ['FirstName', 'LastName'].map((name) => ({ path: name, was: textOf(record[name]).trim() }))
    const words = wordsOf(card.name)
    const isPerson = parts.every(
      ({ was }) => was !== '' && wordsOf(was).every((word) => words.includes(word)),
    )
    // A company name in capitals may be an abbreviation.
    if (casing === 'upper' && !isPerson) return
    this.#uncased.push({ card, fields: [{ path: 'Name', was: card.name }, ...(isPerson ? parts : [])] })
  }

  /** Checks what a 1099 or an invoice needs. */
  #checkTaxAndInvoice(card: Card, record: RecordData): void {
    if (textOf(record['EligibleFor1099']).toLowerCase() === 'true') {
      const hasAddress = ADDRESS_PATHS.some(({ name }) => {
        const address = record[name]
        return isObject(address) && isMailable(address)
      })
      if (!hasAddress || card.taxId === '') this.#without1099.push({ card, hasAddress })
    }
    if (!this.#hasInvoices) return
    // An empty address may be left out (specification 2.1).
    const hasAny = card.email !== '' || hasContent(record['BillingAddress'])
    if (hasAny) this.#hasInvoiceAddresses = true
    else if (card.parentId === '' && hasBalance(card) && !isCredit(card)) this.#withoutInvoice.push(card)
  }

  #checkUse(card: Card): void {
    const isOld = [card.createdAt, card.changedAt].every(
      (date) => date < this.#unusedBefore && REAL_DATE.test(date),
    )
    if (!isOld || !card.isActivityClear) return
    if (parseDecimal(card.balance) !== null && !hasBalance(card)) this.#unused.push(card)
  }

  /** A record can't get a name that another record has or would get. */
  #finishSpaces(): void {
    if (this.#blanks.length === 0) return
    const keyOf = (parentId: string, name: string): string => `${parentId}|${name.toLowerCase()}`
    const taken = new Set(this.#cards.map(({ parentId, name }) => keyOf(parentId, name)))
    for (const { card, edits } of this.#blanks) {
      const possible = edits.filter(({ path, now }) => {
        if (path !== 'Name') return true
        const key = keyOf(card.parentId, textOf(now))
        const isFree = !taken.has(key)
        taken.add(key)
        return isFree
      })
      if (possible.length > 0) this.#propose('blanks', card, says`Extra spaces.`, possible)
    }
  }

  #finishForms(): void {
    const [phone, state] = [this.#phones.usual, this.#states.usual]
    if (phone !== null) {
      for (const [card, edits] of this.#phones.edits(phone, phoneIn))
        this.#propose('phone', card, says`Most are ${phone.replace(/#/g, '0')}.`, edits)
    }
    if (state !== null) {
      const reason = state === 'code' ? says`Most are two letters.` : says`Most are written out.`
      for (const [card, edits] of this.#states.edits(state, stateIn))
        this.#propose('state', card, reason, edits)
    }
    if (this.#cased < MOSTLY * (this.#cased + this.#uncased.length)) return
    if (this.#uncased.length === 0) return
    const casings = new Casings(this.#uncased.map(({ card }) => card.name))
    for (const { name } of this.#cards) if (casingOf(name) === 'mixed') casings.learn(name)
    for (const { card, fields } of this.#uncased) {
      const name = casings.apply(card.name)
      if (name === null) continue
      const forms = fields.map(({ path, was }) => {
        const isUncased = was === was.toUpperCase() || was === was.toLowerCase()
        return { path, was, now: isUncased ? inFormsOf(name, was) : was }
      })
      const edits = forms.flatMap(({ path, was, now }): readonly ProposedEdit[] =>
        now === null || now === was ? [] : [{ path, was, now }],
      )
      const names = edits.filter(({ path }) => path === 'Name')
      // A first or last name in capitals would contradict the name.
      if (names.length === 0 || forms.some(({ now }) => now === null)) continue
      const reason =
        card.name === card.name.toUpperCase()
          ? says`In capitals, unlike most.`
          : says`In lowercase, unlike most.`
      // Other names in the list decide whether its first and last names are corrected, too.
      this.#propose('casing', card, reason, edits, this.#keyOf('casing', card, names))
    }
  }

  /** A list without a field of the data definition, such as one that calls it something else, has no proposals about it. */
  #finishMissing(): void {
    if (this.#cards.length === 0) return
    if (this.#missing.has('Name')) this.#notChecked.push('duplicate')
    if (this.#missing.has('IsActive') || this.#missing.has('Balance'))
      this.#notChecked.push('inactive-balance')
    const details = this.#texts.filter(({ name, detail }) => detail !== null && this.#isDescribed(name))
    const hasOthers = this.#texts.some(
      ({ name, detail }) =>
        detail !== null && !this.#isDescribed(name) && this.#options.supported?.includes(name) === true,
    )
    if (details.length > 0 && !hasOthers && details.every(({ name }) => this.#missing.has(name)))
      this.#notChecked.push('malformed')
  }

  #isDescribed(name: string): boolean {
    return objectDefinition(this.#options.object)?.fields.some((field) => field.name === name) === true
  }

  #finishTaxAndInvoice(): void {
    if (!this.#hasBillingField && this.#withoutInvoice.length > 0) this.#notChecked.push('no-invoice-address')
    const lacksAddress = this.#without1099.some(({ hasAddress }) => !hasAddress)
    if (!this.#hasAddresses && lacksAddress) this.#notChecked.push('incomplete-1099')
    for (const { card, hasAddress } of this.#without1099) {
      const missing = [
        ...(hasAddress || !this.#hasAddresses ? [] : ['complete address']),
        ...(card.taxId !== '' || !this.#hasTaxIds ? [] : ['tax ID']),
      ]
      if (missing.length === 0) continue
      const reason = says`No ${missing.join(', and no ')}.`
      this.#propose('incomplete-1099', card, reason, [], withFacts(`incomplete-1099|${card.id}`, missing))
    }
    if (!this.#hasAddresses) return
    if (!this.#hasInvoiceAddresses || !this.#hasBillingField) return
    for (const card of this.#withoutInvoice) {
      const reason = says`Owes ${{ amount: card.balance }}. No billing address, and no email address.`
      this.#propose('no-invoice-address', card, reason, [])
    }
  }

  #finishDuplicates(recordsOf: (ids: readonly string[]) => readonly RecordData[]): void {
    const groups = findDuplicates(
      this.#cards.filter(({ id }) => id !== '' && !this.#sharedIds.has(id)),
      {
        isAccounts: this.#isAccounts,
        parents: this.#parents,
        isDismissed: (cards) => this.#isDismissed({ kind: 'duplicate', key: this.#keyOfDuplicates(cards) }),
        recordsOf,
      },
    )
    if (groups.length === 0) return
    const taken = new Set(this.#cards.map(({ name }) => name.toLowerCase()))
    const shown = groups.flatMap(({ cards, reason }) => {
      const key = this.#keyOfDuplicates(cards)
      const ids = cards.map(({ id }) => id)
      return this.#hasPlace('duplicate', key, ids) ? [{ cards, reason, key }] : []
    })
    const ids = shown.flatMap(({ cards }) => cards.map(({ id }) => id))
    const records = new Map(recordsOf(ids).map((record) => [textOf(record['ID']), record]))
    this.#proposals.set(
      'duplicate',
      shown.map(({ cards, reason, key }) => ({
        kind: 'duplicate',
        key,
        reason,
        records: cards.map((card) => this.#describeDuplicate(card, records.get(card.id) ?? {}, taken)),
      })),
    )
  }

  #keyOfDuplicates(cards: readonly Card[]): string {
    const each = cards
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ id, name, phone, email, address }) =>
        withFacts(id, [wordsOf(name), phone, email, addressKey(address)]),
      )
    return `duplicates|${this.#list}|${each.join(',')}`
  }

  #describeDuplicate(card: Card, record: RecordData, taken: Set<string>): ProposedRecord {
    const now = duplicateName(card.name, this.#isAccounts, taken)
    taken.add(now.toLowerCase())
    const retired =
      this.#options.supported === null
        ? { edits: [], blockedReason: UNKNOWN_FIELDS }
        : planRetirement(card, this.#parents.has(card), now, this.#canEdit)
    return { recordId: card.id, name: card.fullName, ...retired, facts: factsOf(card, record) }
  }
}

function phoneTitle(value: string): string {
  return `the phone number “${shortened(value, 40)}”`
}

/** Kinds of proposals that only change the form of a value. */
const FORM_KINDS: ReadonlySet<TidyKind> = new Set(['phone', 'zip', 'state', 'blanks', 'casing'])

/** A key that changes with the values that its proposal is about. */
function withFacts(key: string, facts: unknown): string {
  return `${key}#${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16)}`
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

function currencyOf(record: RecordData): string {
  const currency = record['Currency']
  return textOf(isObject(currency) ? currency['FullName'] : currency).trim()
}

/** What a record's addresses say about its phone numbers. */
interface Where {
  readonly isHome: boolean
  /** Whether numbers of ten digits are those of North America. */
  readonly isNearby: boolean
  /** Whether it is in a US state, as far as its ZIP code doesn’t say otherwise. */
  readonly isInState: boolean
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

/** Returns the first value that a record's addresses have in a member; empty if there is none. */
function inAddresses(record: RecordData, member: 'Country' | 'State' | 'PostalCode'): string {
  for (const { name } of ADDRESS_PATHS) {
    const address = record[name]
    if (isObject(address) && textOf(address[member]) !== '') return textOf(address[member])
  }
  return ''
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

/** Describes how duplicates differ, for a person who compares them. */
function factsOf(card: Card, record: RecordData): ProposedRecord['facts'] {
  const linesOf = (address: unknown): string =>
    isObject(address)
      ? [...STREET_LINES, 'City', 'State', 'PostalCode']
          .map((line) => textOf(address[line]))
          .filter(Boolean)
          .join(', ')
      : ''
  const facts = ['Phone', 'Mobile', 'AlternatePhone', 'Email', 'CompanyName', 'Number', 'Type'].map(
    (path) => ({
      path,
      value: textOf(record[path]),
    }),
  )
  return [
    ...facts,
    { path: 'Currency', value: card.currency },
    ...['BillingAddress', 'Address', 'ShippingAddress'].map((path) => ({
      path,
      value: linesOf(record[path]),
    })),
    { path: 'Balance', value: card.balance },
    { path: 'CreatedDate', value: card.createdAt },
  ].filter(({ value }) => value !== '')
}
