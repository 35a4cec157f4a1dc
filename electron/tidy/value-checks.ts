/** Checks of the values that records have: extra spaces, contact details, addresses, and the capitalization of names. */
import { capitalized, says } from '../../shared/format/format.ts'
import { shortened } from '../../shared/format/text.ts'
import { isObject, pathOf, type RecordData, textOf } from '../../shared/records/changes.ts'
import { isHome, isPhone } from '../../shared/records/contact-details.ts'
import type { ProposedEdit } from '../../shared/records/tidy.ts'
import type { Card } from './duplicates.ts'
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
import { wordsOf } from './likeness.ts'
import { ADDRESS_PATHS, type AddressPaths, type TextField } from './list-fields.ts'
import { keyWithFacts, type Proposals } from './proposals.ts'

/** Prose, in which spacing is a matter of style. */
const PROSE = new Set(['Notes', 'Description'])
/** The share of names in mixed case above which the others stand out. */
const MOSTLY = 0.8

/** ***Extra spaces***. */
export class SpaceCheck {
  readonly #texts: readonly TextField[]
  readonly #proposals: Proposals
  readonly #found: { readonly card: Card; readonly edits: readonly ProposedEdit[] }[] = []

  constructor(texts: readonly TextField[], proposals: Proposals) {
    this.#texts = texts
    this.#proposals = proposals
  }

  add(card: Card, record: RecordData): void {
    const edits: ProposedEdit[] = []
    for (const { name } of this.#texts) {
      const now = withoutExtraSpaces(name, record[name])
      if (now !== null) edits.push({ path: name, was: textOf(record[name]), now })
    }
    for (const { name } of ADDRESS_PATHS) {
      const address = record[name]
      if (!isObject(address)) continue
      for (const member in address) {
        const now = withoutExtraSpaces(member, address[member])
        if (now !== null) edits.push({ path: pathOf(name, member), was: textOf(address[member]), now })
      }
    }
    if (edits.length > 0) this.#found.push({ card, edits })
  }

  /** A record can't get a name that another record has or would get. */
  finish(cards: readonly Card[]): void {
    if (this.#found.length === 0) return
    const keyOf = (parentId: string, name: string): string => `${parentId}|${name.toLowerCase()}`
    const taken = new Set(cards.map(({ parentId, name }) => keyOf(parentId, name)))
    for (const { card, edits } of this.#found) {
      const possible = edits.filter(({ path, now }) => {
        if (path !== 'Name') return true
        const key = keyOf(card.parentId, textOf(now))
        const isFree = !taken.has(key)
        taken.add(key)
        return isFree
      })
      if (possible.length > 0) this.#proposals.propose('blanks', card, says`Extra spaces.`, possible)
    }
  }
}

/** Returns a value with its extra spaces removed; `null` if there are none, or if they don't matter. */
function withoutExtraSpaces(name: string, value: unknown): string | null {
  return typeof value !== 'string' || PROSE.has(name) ? null : withoutStraySpaces(value)
}

/**
 * Values that have a common form or can be converted to one. Stored in parallel arrays, because there may be one per
 * record, and an object for each would take more memory than everything else.
 */
class FormedValues<Form> {
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

  /** Returns the edits that convert the other values to a form, by record. */
  editsTo(
    usual: Form,
    convert: (form: Form, value: string) => string | null,
  ): ReadonlyMap<Card, readonly ProposedEdit[]> {
    const found = new Map<Card, ProposedEdit[]>()
    for (const [at, card] of this.#cards.entries()) {
      if (this.#forms[at] === usual) continue
      const [path = '', was = ''] = [this.#paths[at], this.#values[at]]
      const now = convert(usual, was)
      if (now === null || now === was) continue
      found.set(card, [...(found.get(card) ?? []), { path, was, now }])
    }
    return found
  }
}

/** What a record's addresses say about its phone numbers. */
interface PhoneArea {
  readonly isHome: boolean
  /** Whether numbers of ten digits are those of North America. */
  readonly isNearby: boolean
  /** Whether it is in a US state, as far as its ZIP code doesn’t say otherwise. */
  readonly isInState: boolean
}

/** ***State format*** and ***ZIP code format***. */
export class AddressCheck {
  readonly #proposals: Proposals
  readonly #states = new FormedValues<StateForm>()
  /** Caches what is known about each spelling of a state. */
  readonly #spellings = new Map<string, { readonly form: StateForm | null; readonly code: string }>()
  readonly #zips = { all: 0, ofStates: 0 }

  constructor(proposals: Proposals) {
    this.#proposals = proposals
  }

  /** Returns ZIP codes that can't be right if the list is of the US. */
  add(card: Card, record: RecordData): readonly string[] {
    const oddZips: string[] = []
    for (const paths of ADDRESS_PATHS) {
      const address = record[paths.name]
      if (isObject(address)) this.#addAddress(card, paths, address, oddZips)
    }
    return oddZips
  }

  #addAddress(card: Card, paths: AddressPaths, address: RecordData, oddZips: string[]): void {
    const [state, zip] = [textOf(address['State']), textOf(address['PostalCode'])]
    if (state === '' || !isHome(textOf(address['Country']))) return
    const { form, code } = this.#spellingOf(state)
    const isOfState = code !== '' && mayBeZip(zip, code)
    if (isOfState) this.#states.add(card, paths.state, state, form)
    if (zip === '') return
    this.#zips.all += 1
    if (isOfState) this.#zips.ofStates += 1
    const now = zipOf(zip, code)
    if (now === null && code !== '' && !isOfState && isOddZip(zip, code)) oddZips.push(zip)
    if (now === null) return
    const reason =
      now.startsWith('0') && !zip.startsWith('0')
        ? says`Its leading zero is missing.`
        : says`In a different format.`
    this.#proposals.propose('zip', card, reason, [{ path: paths.zip, was: zip, now }])
  }

  finish(): void {
    const { usual } = this.#states
    if (usual === null) return
    const reason = usual === 'code' ? says`Most are two letters.` : says`Most are written out.`
    for (const [card, edits] of this.#states.editsTo(usual, stateIn))
      this.#proposals.propose('state', card, reason, edits)
  }

  /** Whether most ZIP codes are those of their US states. */
  get hasUsZips(): boolean {
    return this.#zips.ofStates * 2 > this.#zips.all
  }

  phoneAreaOf(record: RecordData): PhoneArea {
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
}

/** Returns the first value that a record's addresses have in a member; empty if there is none. */
function inAddresses(record: RecordData, member: 'Country' | 'State' | 'PostalCode'): string {
  for (const { name } of ADDRESS_PATHS) {
    const address = record[name]
    if (isObject(address) && textOf(address[member]) !== '') return textOf(address[member])
  }
  return ''
}

/** Contact details of a record that can’t be right. The odd ones may be right in a list that isn’t of the US. */
interface Malformed {
  readonly card: Card
  readonly wrong: readonly string[]
  readonly corrections: readonly ProposedEdit[]
  readonly oddPhones: readonly string[]
  readonly oddZips: readonly string[]
}

/** ***Invalid emails, phones, and ZIP codes***, and ***Phone number format***. */
export class ContactCheck {
  readonly #details: readonly TextField[]
  readonly #addresses: AddressCheck
  readonly #proposals: Proposals
  readonly #phones = new FormedValues<PhoneForm>()
  readonly #malformed: Malformed[] = []

  constructor(texts: readonly TextField[], addresses: AddressCheck, proposals: Proposals) {
    this.#details = texts.filter(({ detail }) => detail !== null)
    this.#addresses = addresses
    this.#proposals = proposals
  }

  /** @param oddZips as `AddressCheck.add` returned them */
  add(card: Card, record: RecordData, oddZips: readonly string[]): void {
    const wrong: string[] = []
    const corrections: ProposedEdit[] = []
    const oddPhones: string[] = []
    let area: PhoneArea | null = null
    for (const { name, detail } of this.#details) {
      const value = record[name]
      if (typeof value !== 'string' || value === '') continue
      if (detail === 'email') {
        if (!isInvalidEmail(value)) continue
        wrong.push(`the email address “${shortened(value, 80)}”`)
        const right = suggestEmail(value)
        if (right !== null) corrections.push({ path: name, was: value, now: right })
      } else if (detail === 'phone') {
        const form = phoneForm(value)
        area ??= this.#addresses.phoneAreaOf(record)
        // Other countries have shorter numbers.
        if (!area.isHome) continue
        if (form === null && !isPhone(value)) wrong.push(phoneTitle(value))
        else if (area.isNearby) this.#phones.add(card, name, value, form)
        if (form === null && area.isInState && isOddPhone(value)) oddPhones.push(phoneTitle(value))
      }
    }
    if (wrong.length + oddPhones.length + oddZips.length > 0)
      this.#malformed.push({ card, wrong, corrections, oddPhones, oddZips: oddZips.map(zipTitle) })
  }

  finish(): void {
    const { usual } = this.#phones
    const { hasUsZips } = this.#addresses
    for (const { card, wrong, corrections, oddPhones, oddZips } of this.#malformed) {
      const all = [...wrong, ...(usual === null ? [] : oddPhones), ...(hasUsZips ? oddZips : [])]
      if (all.length === 0) continue
      const reason = says`${capitalized(all.join(' and '))} can’t be right.`
      const key = keyWithFacts(`malformed|${this.#proposals.list}|${card.id}`, all)
      this.#proposals.propose('malformed', card, reason, corrections, key)
    }
    if (usual === null) return
    for (const [card, edits] of this.#phones.editsTo(usual, phoneIn))
      this.#proposals.propose('phone', card, says`Most numbers look like ${usual.replace(/#/g, '0')}.`, edits)
  }
}

function phoneTitle(value: string): string {
  return `the phone number “${shortened(value, 40)}”`
}

function zipTitle(value: string): string {
  return `the ZIP code “${shortened(value, 40)}”`
}

/** A field that holds a name or a part of it. */
interface NameField {
  readonly path: string
  readonly was: string
}

/** ***Capitalization*** of names. */
export class CasingCheck {
  readonly #proposals: Proposals
  /** Names that are not in mixed case, with the fields that hold them. */
  readonly #uncased: { readonly card: Card; readonly fields: readonly NameField[] }[] = []
  /** How many names are in mixed case. */
  #cased = 0

  constructor(proposals: Proposals) {
    this.#proposals = proposals
  }

  add(card: Card, record: RecordData): void {
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

  /** @param cards all records, whose names show how a word is written */
  finish(cards: readonly Card[]): void {
    if (this.#uncased.length === 0) return
    if (this.#cased < MOSTLY * (this.#cased + this.#uncased.length)) return
    const casings = new Casings(this.#uncased.map(({ card }) => card.name))
    for (const { name } of cards) if (casingOf(name) === 'mixed') casings.learn(name)
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
      const key = this.#proposals.keyOf('casing', card, names)
      this.#proposals.propose('casing', card, reason, edits, key)
    }
  }
}
