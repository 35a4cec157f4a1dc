/**
 * Decides which similar records are the same, as a careful person would. A wrong proposal costs more than a missing
 * one, so what distinguishes two records outweighs what they share.
 */
import { says, type Sentence } from '../../shared/format/format.ts'
import { isZero, parseDecimal } from '../../shared/format/money.ts'
import { joinAlternatives, joinNames, shortened } from '../../shared/format/text.ts'
import { isObject, type RecordData, textOf } from '../../shared/records/changes.ts'
import type { ProposedEdit, ProposedRecord } from '../../shared/records/tidy.ts'
import {
  addressKey,
  areDifferentPlaces,
  differs,
  isSamePlace,
  isShared,
  type Place,
  placeOf,
} from './address.ts'
import { haveDifferent, identifiersOf, purposesOf } from './identifiers.ts'
import {
  type Comparable,
  distinctiveWords,
  haveDifferentAccents,
  likelyDuplicates,
  misspelling,
  RELATIVES,
  sortedNameKey,
  wordsMissingFrom,
  wordsOf,
} from './likeness.ts'

/** The parts of a record that are kept in memory until the whole list was read. */
export interface Card extends Comparable {
  readonly id: string
  readonly fullName: string
  /** Whether the field that says whether it is active holds yes or no, so that it can be changed. */
  readonly isActivityClear: boolean
  readonly phone: string
  readonly email: string
  /** Of a customer, the billing address. */
  readonly address: Place
  /** Letters and digits of a vendor's tax ID; empty if there is none. */
  readonly taxId: string
  /** As the service writes it; empty if the list has no such field. */
  readonly balance: string
  readonly createdAt: string
  readonly changedAt: string
}

/** A record that has similar ones, with what only their comparison needs. */
interface Candidate {
  readonly card: Card
  /** The words of its name, those without legal forms and fillers, and its legal forms. */
  readonly words: readonly string[]
  readonly distinctive: readonly string[]
  readonly forms: readonly string[]
  /** Words such as *Jr.* */
  readonly relatives: string
  readonly shipping: Place
  readonly companyName: string
  readonly salutation: string
  readonly firstName: string
  readonly middleName: string
  readonly lastName: string
  readonly identifiers: ReadonlyMap<string, string>
  readonly purposes: ReadonlyMap<string, string>
}

function candidateOf(card: Card, record: RecordData): Candidate {
  const shipping = record['ShippingAddress']
  const suffix = textOf(record['Suffix'])
  const words = wordsOf(card.name)
  return {
    card,
    words,
    distinctive: distinctiveWords(words),
    forms: formsOf(words),
    relatives: relativesIn(card.name, suffix),
    shipping: placeOf(isObject(shipping) ? shipping : null),
    companyName: textOf(record['CompanyName']).trim(),
    salutation: textOf(record['Salutation']),
    firstName: textOf(record['FirstName']),
    middleName: textOf(record['MiddleName']),
    lastName: textOf(record['LastName']),
    identifiers: identifiersOf(record),
    purposes: purposesOf(record),
  }
}

/** A group of records that are the same. */
export interface Duplicates {
  /** The record to keep comes first. */
  readonly cards: readonly Card[]
  readonly reason: Sentence
}

/** Says whether a record has others below it. */
export interface HasChildren {
  has(card: Pick<Card, 'id' | 'fullName'>): boolean
}

interface Finding {
  readonly isAccounts: boolean
  readonly parents: HasChildren
  /**
   * Whether the user said that these records are different. They are found as one group, so that the user can take it
   * back, but in no larger one.
   */
  readonly isDismissed: (cards: readonly Card[]) => boolean
  readonly recordsOf: (ids: readonly string[]) => readonly RecordData[]
}

/** Finds the groups in which every record is the same as every other. */
export function groupDuplicates(
  cards: readonly Card[],
  { isAccounts, parents, isDismissed, recordsOf }: Finding,
): readonly Duplicates[] {
  const contactKeys = [
    ({ phone }: Card) => phone,
    ({ email }: Card) => email,
    ({ address }: Card) => addressKey(address),
  ]
  const alike = likelyDuplicates(cards, isAccounts, contactKeys, MAX_SHARING)
    .map(({ records }) => records)
    .filter(({ length }) => length <= MAX_NAMESAKES)
  const sharers = new Sharers(cards, alike.flat())
  const matches = new Matches(isAccounts, sharers)
  for (const group of alike) matches.compare(group, recordsOf)
  const found: Duplicates[] = []
  for (const group of matches.groups()) {
    const sorted = group.toSorted(
      (one, other) => worth(other, parents) - worth(one, parents) || older(one.card, other.card),
    )
    for (const same of withoutDismissed(sorted, isDismissed))
      found.push({ cards: same.map(({ card }) => card), reason: matches.reasonOf(same) })
  }
  return found
}

/** If more records than a family share a detail, it belongs to an office or a switchboard and is ignored. */
const MAX_SHARING = 12
/** A name that this many records share is a common word, such as Cash. */
const MAX_NAMESAKES = 60
/** If more names than these share a detail, it belongs to an office or a switchboard and proves nothing. */
const MAX_NAMES = 3

const DETAILS = ['address', 'phone', 'email'] as const
type Detail = (typeof DETAILS)[number]

/** The details that jobs usually get from their manager. */
const MANAGERS = ['phone', 'email'] as const

/** Counts the names that share a contact detail. */
class Sharers {
  readonly #names: Readonly<Record<Detail, Map<string, Set<string>>>> = {
    address: new Map(),
    phone: new Map(),
    email: new Map(),
  }
  /** The names of jobs below one record that share a detail. */
  readonly #jobs = new Map<string, Set<string>>()
  /** Details of records that have jobs. */
  readonly #managers = new Set<string>()

  constructor(cards: readonly Card[], candidates: readonly Card[]) {
    const parents = new Set<string>()
    for (const card of candidates) {
      for (const detail of DETAILS) this.#names[detail].set(detailKey(card, detail), new Set())
      if (card.parentId === '') continue
      parents.add(card.parentId)
      for (const detail of MANAGERS) this.#jobs.set(jobKey(card.parentId, card[detail]), new Set())
    }
    if (candidates.length === 0) return
    for (const card of cards) {
      let name: string | null = null
      if (parents.size > 0)
        for (const key of [card.id, card.fullName])
          if (parents.has(key)) for (const detail of MANAGERS) this.#managers.add(jobKey(key, card[detail]))
      // A job has its customer's details.
      for (const detail of card.parentId === '' ? DETAILS : MANAGERS) {
        const names =
          card.parentId === ''
            ? this.#names[detail].get(detailKey(card, detail))
            : this.#jobs.get(jobKey(card.parentId, detailKey(card, detail)))
        if (names !== undefined && names.size <= MAX_NAMES)
          names.add((name ??= sortedNameKey(distinctiveWords(wordsOf(card.name)))))
      }
    }
  }

  /** Whether a job's detail is its manager's: that of the record above it, or of many jobs. */
  isManagers({ parentId, ...card }: Card, detail: (typeof MANAGERS)[number]): boolean {
    const key = jobKey(parentId, card[detail])
    return this.#managers.has(key) || (this.#jobs.get(key)?.size ?? 0) > MAX_NAMES
  }

  areFew(card: Card, detail: Detail): boolean {
    return (this.#names[detail].get(detailKey(card, detail))?.size ?? 0) <= MAX_NAMES
  }
}

function jobKey(parentId: string, detail: string): string {
  return `${parentId}|${detail}`
}

function detailKey(card: Card, detail: Detail): string {
  return detail === 'address' ? addressKey(card.address) : card[detail]
}

/** Which records are the same, pair by pair. */
class Matches {
  readonly #isAccounts: boolean
  readonly #sharers: Sharers
  readonly #candidates = new Map<Card, Candidate>()
  readonly #matches = new Map<Candidate, Map<Candidate, Same>>()

  constructor(isAccounts: boolean, sharers: Sharers) {
    this.#isAccounts = isAccounts
    this.#sharers = sharers
  }

  compare(group: readonly Card[], recordsOf: Finding['recordsOf']): void {
    const unknown = group.filter((card) => !this.#candidates.has(card))
    const records = new Map(
      recordsOf(unknown.map(({ id }) => id)).map((record) => [textOf(record['ID']), record]),
    )
    for (const card of unknown) this.#candidates.set(card, candidateOf(card, records.get(card.id) ?? {}))
    const all = group.flatMap((card) => this.#candidates.get(card) ?? [])
    for (const [at, one] of all.entries()) for (const other of all.slice(at + 1)) this.#isMatch(one, other)
  }

  /**
   * Returns groups in which every pair matches. A record may match two that don't match each other. Then no one can tell
   * which of them it is, and it is in no group.
   */
  *groups(): Generator<readonly Candidate[]> {
    const clear = new Set([...this.#matches.keys()].filter((one) => this.#isClear(one)))
    const taken = new Set<Candidate>()
    for (const one of clear) {
      if (taken.has(one)) continue
      const group = [one, ...this.#matchesOf(one).filter((other) => clear.has(other))]
      for (const each of group) taken.add(each)
      if (group.length > 1) yield group
    }
  }

  #matchesOf(one: Candidate): readonly Candidate[] {
    return [...(this.#matches.get(one)?.keys() ?? [])]
  }

  /** Whether all records that match this one match each other. */
  #isClear(one: Candidate): boolean {
    const others = this.#matchesOf(one)
    return others.every((other, at) => others.slice(at + 1).every((third) => this.#isMatch(other, third)))
  }

  #isMatch(one: Candidate, other: Candidate): boolean {
    if (this.#matches.get(one)?.has(other) === true) return true
    const match = matchBetween(one, other, this.#isAccounts, this.#sharers)
    if (match === null) return false
    this.#put(one, other, match)
    this.#put(other, one, match)
    return true
  }

  #put(one: Candidate, other: Candidate, match: Same): void {
    const known = this.#matches.get(one)
    if (known === undefined) this.#matches.set(one, new Map([[other, match]]))
    else known.set(other, match)
  }

  /** Says what is true of every pair. */
  reasonOf(group: readonly Candidate[]): Sentence {
    const pairs = group.flatMap((one, at) =>
      group.slice(at + 1).flatMap((other) => this.#matches.get(one)?.get(other) ?? []),
    )
    const name = pairs.every(({ isSameName }) => isSameName)
      ? 'The same name in another form'
      : 'Nearly the same name'
    const shared = DETAILS.filter((detail) => pairs.every((pair) => pair.shared.includes(detail)))
    if (shared.length > 0) return says`${name}, and the same ${joinNames(shared)}.`
    const compared = this.#isAccounts
      ? ['number', 'description']
      : [...DETAILS.filter((detail) => pairs.every((pair) => !pair.unclear.includes(detail))), 'number']
    return says`${name}, and no ${joinAlternatives(compared)} differs.`
  }
}

/** Scores what would be missed most: a balance, then subrecords, then details. */
function worth({ card, companyName }: Candidate, parents: HasChildren): number {
  const details = [card.phone, card.email, card.address.street, companyName].filter(
    (detail) => detail !== '',
  ).length
  return (hasBalance(card) ? 100 : 0) + (parents.has(card) ? 10 : 0) + details
}

function older(one: Card, other: Card): number {
  return one.createdAt.localeCompare(other.createdAt)
}

export function hasBalance({ balance }: Pick<Card, 'balance'>): boolean {
  const amount = parseDecimal(balance)
  return amount !== null && !isZero(amount)
}

/** Splits a group so that no records that the user called different are together, except in a dismissed group. */
function withoutDismissed(
  group: readonly Candidate[],
  isDismissed: Finding['isDismissed'],
): readonly (readonly Candidate[])[] {
  const areDismissed = (all: readonly Candidate[]): boolean => isDismissed(all.map(({ card }) => card))
  const found: (readonly Candidate[])[] = []
  let left = group
  while (left.length > 1) {
    const isWhole = areDismissed(left)
    const same: Candidate[] = []
    for (const each of left) if (isWhole || !same.some((one) => areDismissed([one, each]))) same.push(each)
    if (same.length > 1) found.push(same)
    left = left.filter((each) => !same.includes(each))
  }
  return found
}

/** What two records that are the same have in common. */
interface Same {
  /** Whether the names differ only in form. */
  readonly isSameName: boolean
  readonly shared: readonly Detail[]
  /** Details that differ, or that can't be compared. */
  readonly unclear: readonly Detail[]
}

/** Returns why two records are the same; `null` if they may be different ones. */
function matchBetween(one: Candidate, other: Candidate, isAccounts: boolean, sharers: Sharers): Same | null {
  const [mine, theirs] = [one.card, other.card]
  if (mine.parentId !== theirs.parentId || mine.type !== theirs.type || mine.currency !== theirs.currency)
    return null
  const [left, right] = [one.words, other.words]
  if (haveDifferent(one.identifiers, other.identifiers)) return null
  if (haveDifferentAccents(mine.name, theirs.name)) return null
  if (isAccounts)
    return left.join(' ') === right.join(' ') ? { isSameName: true, shared: [], unclear: [] } : null
  if (!isSameForm(one, other) || !isSamePerson(one, other)) return null
  if (areDifferentPlaces(one.shipping, other.shipping)) return null
  const likeness = nameLikeness(one, other)
  if (likeness === null) return null
  const contrary = DETAILS.filter((detail) =>
    detail === 'address'
      ? areDifferentPlaces(mine.address, theirs.address)
      : differs(mine[detail], theirs[detail]),
  )
  const shared = DETAILS.filter((detail) => {
    // A job has its customer's details, so they prove nothing.
    if (mine.parentId !== '' || !sharers.areFew(mine, detail)) return false
    return detail === 'address'
      ? isSamePlace(mine.address, theirs.address)
      : isShared(mine[detail], theirs[detail])
  })
  // How many details say that both are the company.
  const ofFirm = isPersonAndFirm(one, other) || isPersonAndFirm(other, one)
  if (
    ofFirm &&
    (likeness !== 'same' || shared.length < sharedByFirm(left.length < right.length ? left : right))
  )
    return null
  // Jobs have their manager's phone, so without a detail of their own, names in another order may be two tenants'.
  const isOwn = (detail: (typeof MANAGERS)[number]): boolean =>
    isShared(mine[detail], theirs[detail]) && !sharers.isManagers(mine, detail)
  const isInOrder = one.distinctive.join(' ') === other.distinctive.join(' ')
  if (
    mine.parentId !== '' &&
    !isInOrder &&
    !MANAGERS.some(isOwn) &&
    !isSamePlace(mine.address, theirs.address)
  )
    return null
  const isOther = differs(companyKey(one), companyKey(other)) || haveDifferent(one.purposes, other.purposes)
  const differences = contrary.length + (isOther ? 1 : 0)
  // Only the name suggests that they are the same.
  if (shared.length === 0 && differences > 0) return null
  // Branches share the phone and the mailbox of their head office. A person moves.
  if (contrary.includes('address') && !(isNamedPerson(one) && isNamedPerson(other))) return null
  const arePeople = mayBePerson(one) && mayBePerson(other)
  // An extra letter is an initial only in a person's name. Companies and trusts of one owner are counted by letters.
  if (likeness === 'near-initial' && !arePeople) return null
  // Relatives share a home and its phone, but rarely a mailbox.
  if (likeness.startsWith('near-') && arePeople && !shared.includes('email')) return null
  const isSameName = likeness === 'same'
  const enough = differences === 0 ? (isSameName ? 0 : 1) : differences === 1 && isSameName ? 2 : Infinity
  if (shared.length < enough) return null
  const isUnread = [mine, theirs].some(({ address }) => address.street === '' && address.lines !== '')
  return { isSameName, shared, unclear: isUnread ? [...contrary, 'address'] : contrary }
}

function companyKey({ companyName, distinctive }: Candidate): string {
  const key = sortedNameKey(distinctiveWords(wordsOf(companyName)))
  return key === sortedNameKey(distinctive) ? '' : key
}

/** One word for each legal form. Two companies of one owner often differ only in their legal form. */
const LEGAL_FORMS: Readonly<Record<string, string>> = {
  inc: 'inc',
  incorporated: 'inc',
  corp: 'corp',
  corporation: 'corp',
  co: 'co',
  company: 'co',
  ltd: 'ltd',
  limited: 'ltd',
  ...Object.fromEntries(['llc', 'llp', 'lp', 'pllc', 'pc', 'plc', 'gmbh'].map((form) => [form, form])),
}

function formsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => LEGAL_FORMS[word] ?? [])
}

/** The most words in a person's name. */
const PERSON_WORDS = 3

/**
 * Whether the first record may be a person and the other that person's company, which has its own tax ID. If the first
 * has a company name, it is the company, without its legal form.
 */
function isPersonAndFirm(one: Candidate, other: Candidate): boolean {
  return mayBePerson(one) && other.forms.length > 0
}

/**
 * How many details must match before a short name counts as the company that another record lists with its legal form.
 */
function sharedByFirm(words: readonly string[]): number {
  if (words.some((word) => TRADES.has(word))) return 1
  // Hardly anyone is listed by one name. *John Smith* may own *John Smith LLC*.
  return words.length === 1 ? 2 : Infinity
}

/** Words that say what a company does. None of them is a usual family name. */
const TRADES = new Set(
  (
    'accounting advertising agency airlines apparel appliance appliances architects associates auto automotive bakery ' +
    'bank bistro boutique brewery brewing builders cabinets cafe carpentry carpet catering cleaners cleaning clinic ' +
    'coffee communications computer computers concrete constructors construction consultants consulting contracting ' +
    'contractors copiers deli delivery demolition dental design designs developers development dining distributing ' +
    'distributors drywall electric electrical electronics energy engineering enterprises entertainment environmental ' +
    'equipment excavating excavation exteriors fabrication farms fencing fitness flooring florist foods freight ' +
    'furnishings furniture garage grading graphics grocery gym hardware healthcare heating hospital hotel ' +
    'hvac importers industries insulation insurance interiors investments irrigation janitorial jewelers jewelry ' +
    'kitchen laboratories landscape landscaping laundry leasing lighting logistics lumber machine machinery ' +
    'maintenance management manufacturing marketing masonry mechanical media medical mortgage motors moving nursery ' +
    'office optical outfitters packaging painting partners parts paving pharmacy photography physicians pizza plastering ' +
    'plumbing pools printing productions products properties propane realtors realty recycling refrigeration remodeling ' +
    'rentals repair repairs restaurant restoration roofing salon sanitation security septic services shipping signs ' +
    'software solutions spa staffing storage stores studios supplies supply surveying systems technologies technology ' +
    'textiles tile tires towing tractor trading transport transportation travel trucking upholstery veterinary welding ' +
    'windows winery woodworking wholesale'
  ).split(' '),
)

function mayBePerson({ companyName, words, forms }: Candidate): boolean {
  return companyName === '' && words.length <= PERSON_WORDS && forms.length === 0
}

/** Whether a record is a person's, by more than its name. */
function isNamedPerson(one: Candidate): boolean {
  return one.firstName !== '' && one.lastName !== '' && mayBePerson(one)
}

/** Whether neither name has a legal form that contradicts the other's. */
function isSameForm({ forms: mine }: Candidate, { forms: theirs }: Candidate): boolean {
  return mine.every((form) => theirs.includes(form)) || theirs.every((form) => mine.includes(form))
}

/** Whether nothing suggests that they are relatives. */
function isSamePerson(one: Candidate, other: Candidate): boolean {
  const initial = ({ middleName }: Candidate): string => middleName.trim().charAt(0).toLowerCase()
  const family = ({ lastName }: Candidate): string => wordsOf(lastName).join('')
  const [mine, theirs] = [family(one), family(other)]
  return (
    one.relatives === other.relatives &&
    !differs(initial(one), initial(other)) &&
    !differs(genderOf(one), genderOf(other)) &&
    (!differs(mine, theirs) || isSlip(mine, theirs)) &&
    isSameGivenName(one.firstName, other.firstName)
  )
}

function relativesIn(name: string, suffix: string): string {
  // *J.R.* are initials.
  const words = wordsOf(name.replace(/\b(\p{L})\.(?=\p{L}\b)/gu, '$1 '))
  const relatives = [...wordsOf(suffix), ...words.filter((word) => RELATIVES.has(word))]
  return [...new Set(relatives)].toSorted().join(' ')
}

function genderOf({ salutation }: Candidate): string {
  const [title = ''] = wordsOf(salutation)
  return /^(?:mr|mister|sir)$/.test(title) ? 'm' : /^(?:mrs|ms|miss|madam)$/.test(title) ? 'f' : ''
}

/**
 * Whether two first names may be the same person's: the same, one of them missing, or an initial of the other. A typo
 * is allowed.
 */
function isSameGivenName(one: string, other: string): boolean {
  const [left = '', right = ''] = [wordsOf(one)[0], wordsOf(other)[0]]
  if (!differs(left, right)) return true
  const isInitial = left.length === 1 || right.length === 1
  return isInitial ? left.charAt(0) === right.charAt(0) : isSlip(left, right)
}

/**
 * `same`: the same words. `near`: a typo. `near-given`: a typo in a word before the last one, which may be two first
 * names, such as Kirsten and Kristen. `near-initial`: an extra initial. `null`: different names.
 */
function nameLikeness(
  { card: { name: one }, distinctive: left }: Candidate,
  { card: { name: other }, distinctive: right }: Candidate,
): 'same' | 'near' | 'near-given' | 'near-initial' | null {
  if (left.length === 0 || right.length === 0) return null
  // Smith & Jones is not Smith Jones.
  if (isJoined(one) !== isJoined(other)) return null
  if (sortedNameKey(left) === sortedNameKey(right)) {
    // “Smith, John” is John Smith. Thomas James is not James Thomas.
    const isInOrder =
      left.join(' ') === right.join(' ') ||
      (one.includes(',') ? !other.includes(',') && isTurned(one, right) : isTurned(other, left))
    return isInOrder ? 'same' : null
  }
  const [onlyLeft, onlyRight] = [wordsMissingFrom(left, right), wordsMissingFrom(right, left)]
  const [more, less] = left.length > right.length ? [onlyLeft, onlyRight] : [onlyRight, onlyLeft]
  const [first = '', second = ''] = [more[0], less[0]]
  // One name has an initial that the other lacks. Two different initials are two people.
  if (more.length === 1 && less.length === 0) {
    const [name, its] = left.length > right.length ? [one, left] : [other, right]
    // *John Smith A* is no initial, but *Smith, John A* is.
    const isPlaced = its.at(-1) !== first || name.includes(',')
    return isPlaced && /^\p{L}$/u.test(first) ? 'near-initial' : null
  }
  if (more.length !== 1 || less.length !== 1 || left.length !== right.length) return null
  if (!isSlip(first, second)) return null
  const isFamily =
    isFamilyName(one, left, onlyLeft[0] ?? '') && isFamilyName(other, right, onlyRight[0] ?? '')
  return isFamily ? 'near' : 'near-given'
}

/** Whether a name joins two others. *Smith & Co.* doesn't. */
function isJoined(name: string): boolean {
  return /(?:&|\band\b)\s*(?!co\b|company\b)[\p{L}\d]/iu.test(name)
}

/** Whether a name has these words when what is before its comma comes last. Jr. may be anywhere. */
function isTurned(name: string, words: readonly string[]): boolean {
  const comma = name.indexOf(',')
  const turned = distinctiveWords([...wordsOf(name.slice(comma + 1)), ...wordsOf(name.slice(0, comma))])
  const [mine, theirs] = [turned, words].map((all) => all.filter((word) => !RELATIVES.has(word)))
  return comma >= 0 && mine?.join(' ') === theirs?.join(' ')
}

/** Whether a word of a person's name is the family name: the last word, or the one before a comma. */
function isFamilyName(name: string, words: readonly string[], word: string): boolean {
  const comma = name.indexOf(',')
  return comma < 0 ? words.at(-1) === word : wordsOf(name.slice(0, comma)).includes(word)
}

/** The shortest word in which a replaced letter counts as a typo. Smith is not Smyth, and Marta is not Maria. */
const LONG_WORD = 8

/**
 * Whether one word is the other with a typo: swapped letters, a doubled letter, or, in a long word, a wrong letter.
 * First and last letters make different names, such as Daniel and Daniela.
 */
function isSlip(one: string, other: string): boolean {
  const slip = misspelling(one, other)
  if (slip === null) return false
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  const isInside = slip.at > 0 && slip.at < short.length - 1
  switch (slip.kind) {
    case 'swapped':
      return slip.at > 0 && slip.at < short.length - 2
    case 'extra':
      return isInside && (long[slip.at] === long[slip.at - 1] || short.length >= LONG_WORD)
    case 'replaced':
      return isInside && short.length >= LONG_WORD
  }
}

// Proposes what to do with a duplicate.

/** *Assumption* (decisions.md, “Longest name”): as in QuickBooks Desktop. Other applications allow more. */
const LONGEST_NAME = 41
const LONGEST_ACCOUNT = 31

/** Returns a name that marks the duplicate and that no other record has. */
export function duplicateName(name: string, isAccounts: boolean, taken: ReadonlySet<string>): string {
  const most = isAccounts ? LONGEST_ACCOUNT : LONGEST_NAME
  for (let number = 1; ; number += 1) {
    const mark = number === 1 ? ' (duplicate)' : ` (duplicate ${String(number)})`
    const made = `${shortened(name, most - mark.length).trimEnd()}${mark}`
    if (!taken.has(made.toLowerCase())) return made
  }
}

/** Returns the edits that a checked duplicate gets, or why it can't get any. */
export function planRetirement(
  card: Card,
  hasChildren: boolean,
  now: string,
  canEdit: (path: string) => boolean,
): Pick<ProposedRecord, 'edits' | 'blockedReason'> {
  if (hasBalance(card))
    return {
      edits: [],
      blockedReason: says`It has a balance of ${{ amount: card.balance }}. Merge it in the application.`,
    }
  if (hasChildren)
    return { edits: [], blockedReason: says`Other records are below it. Merge it in the application.` }
  if (!card.isActivityClear)
    return {
      edits: [],
      blockedReason: says`Its list doesn’t say whether it is active. Merge it in the application.`,
    }
  if (!canEdit('IsActive'))
    return { edits: [], blockedReason: says`This application can’t make it inactive from here.` }
  const edits: readonly ProposedEdit[] = [
    { path: 'IsActive', was: 'true', now: 'false', balance: card.balance },
    ...(canEdit('Name') ? [{ path: 'Name', was: card.name, now }] : []),
  ]
  return { edits, blockedReason: [] }
}
