/**
 * Decides which similar records are the same, as a careful person would. A wrong proposal costs more than a missing
 * one, so what distinguishes two records outweighs what they share.
 */
import { isZero, parseDecimal } from '../../shared/format/money.ts'
import { type Sentence, says } from '../../shared/review/review.ts'
import type { ProposedEdit, ProposedRecord } from '../../shared/records/tidy.ts'
import { type Place, areDifferentPlaces, differs } from './address.ts'
import {
  type Alike,
  type Comparable,
  RELATIVES,
  wordsMissingFrom,
  likelyDuplicates,
  misspelling,
  nameKey,
  distinctiveWords,
  wordsOf,
} from './likeness.ts'
import { joinNames } from '../../shared/format/text.ts'

/** The parts of a record that are kept in memory until the whole list was read. */
export interface Card extends Comparable {
  readonly id: string
  readonly fullName: string
  /** Whether the field that says whether it is active holds yes or no, so that it can be changed. */
  readonly isActivityClear: boolean
  readonly phone: string
  readonly email: string
  readonly mobile: string
  readonly alternatePhone: string
  /** Of a customer, the billing address. */
  readonly address: Place
  readonly shipping: Place
  readonly companyName: string
  readonly firstName: string
  readonly middleName: string
  readonly suffix: string
  readonly bankNumber: string
  /** Letters and digits of a vendor's tax ID; empty if there is none. */
  readonly taxId: string
  /** An account's place in the chart of accounts; for other records, the company's own number. */
  readonly number: string
  /** As the service writes it; empty if the list has no such field. */
  readonly balance: string
  readonly createdAt: string
  readonly changedAt: string
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

/**
 * @param isDismissed whether the user said that these records are different. They are found as one group, so that the
 * user can take it back, but in no larger one.
 */
export function findDuplicates(
  cards: readonly Card[],
  isAccounts: boolean,
  parents: HasChildren,
  isDismissed: (cards: readonly Card[]) => boolean,
): readonly Duplicates[] {
  const contactKeys = [
    ({ phone }: Card) => phone,
    ({ email }: Card) => email,
    ({ address }: Card) => address.street,
  ]
  const alike = likelyDuplicates(cards, isAccounts, contactKeys, MAX_SHARING)
  const taken = new Set<Card>()
  const found: Duplicates[] = []
  for (const group of alike) {
    for (const one of split(group, { isAccounts, parents, isDismissed })) {
      // A record is proposed once, with the first record that it equals.
      if (one.cards.some((card) => taken.has(card))) continue
      for (const card of one.cards) taken.add(card)
      found.push(one)
    }
  }
  return found
}

/** If more records than a family share a detail, it belongs to an office or a switchboard and proves nothing. */
const MAX_SHARING = 12
/** A name that this many records share is a common word, such as Cash. */
const MAX_NAMESAKES = 60

interface Splitting {
  readonly isAccounts: boolean
  readonly parents: HasChildren
  readonly isDismissed: (cards: readonly Card[]) => boolean
}

function split(
  { records }: Alike<Card>,
  { isAccounts, parents, isDismissed }: Splitting,
): readonly Duplicates[] {
  if (records.length > MAX_NAMESAKES) return []
  const left = records.toSorted(
    (one, other) => worth(other, parents) - worth(one, parents) || older(one, other),
  )
  const matches = new Map(left.map((card) => [card, new Map<Card, Same>()]))
  for (const [at, one] of left.entries()) {
    for (const other of left.slice(at + 1)) {
      const match = matchBetween(one, other, isAccounts)
      if (match === null) continue
      matches.get(one)?.set(other, match)
      matches.get(other)?.set(one, match)
    }
  }
  // Without details, a record may be either of two that are different.
  const isSure = (one: Card, other: Card): boolean =>
    records.every(
      (third) =>
        third === one || third === other || matches.get(one)?.has(third) === matches.get(other)?.has(third),
    )
  const found: Duplicates[] = []
  while (left.length > 1) {
    const [keep] = left.splice(0, 1)
    if (keep === undefined) break
    const all = left.flatMap((card) => {
      const match = matches.get(keep)?.get(card)
      return match === undefined || !isSure(keep, card) ? [] : [{ card, match }]
    })
    const same: typeof all = []
    const isWhole = isDismissed([keep, ...all.map(({ card }) => card)])
    for (const each of all) {
      const isApart = [keep, ...same.map(({ card }) => card)].some((one) => isDismissed([one, each.card]))
      if (isWhole || !isApart) same.push(each)
    }
    const [first] = same
    if (first === undefined) continue
    const cards = same.map(({ card }) => card)
    found.push({ cards: [keep, ...cards], reason: reasonOf(first.match) })
    for (const card of cards) left.splice(left.indexOf(card), 1)
  }
  return found
}

/** Scores what would be missed most: a balance, then subrecords, then details. */
function worth(card: Card, parents: HasChildren): number {
  const details = [card.phone, card.email, card.address.street, card.companyName].filter(
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

interface Same {
  /** Whether the names differ only in form. */
  readonly isSameName: boolean
  readonly shared: readonly string[]
  /** Whether the addresses could be compared, or there is none. */
  readonly isAddressKnown: boolean
}

/** Returns why two records are the same; `null` if they may be different ones. */
function matchBetween(one: Card, other: Card, isAccounts: boolean): Same | null {
  if (one.parentId !== other.parentId || one.type !== other.type || one.currency !== other.currency)
    return null
  const [left, right] = [wordsOf(one.name), wordsOf(other.name)]
  if (isAccounts) {
    const isSame =
      left.join(' ') === right.join(' ') &&
      !differs(one.bankNumber, other.bankNumber) &&
      !differs(one.number, other.number)
    return isSame ? { isSameName: true, shared: [], isAddressKnown: true } : null
  }
  if (!isSameForm(left, right) || !isSamePerson(one, other)) return null
  if (isApart(one, other)) return null
  if (isPersonAndFirm(one, left, right) || isPersonAndFirm(other, right, left)) return null
  const likeness = nameLikeness(one.name, other.name)
  if (likeness === null) return null
  const text = (word: string, mine: string, theirs: string): Detail => ({
    word,
    isShared: mine !== '' && mine === theirs,
    isContrary: differs(mine, theirs),
  })
  const details: readonly Detail[] = [
    text('phone', one.phone, other.phone),
    text('email', one.email, other.email),
    {
      ...text('address', one.address.street, other.address.street),
      isContrary: areDifferentPlaces(one.address, other.address),
    },
  ]
  // A job has its customer's details, so they prove nothing.
  const known = one.parentId === '' ? details : []
  const shared = known.flatMap(({ word, isShared }) => (isShared ? [word] : []))
  const contrary = known.filter(({ isContrary }) => isContrary).length
  // Only the name suggests that they are the same.
  if (shared.length === 0 && contrary > 0) return null
  const arePeople = isPerhapsPerson(one, left) && isPerhapsPerson(other, right)
  // A letter more is an initial only in a person's name. Companies and trusts of one owner are counted by letters.
  if (likeness === 'near-initial' && !arePeople) return null
  // Relatives share a home and its phone, but rarely a mailbox.
  if (likeness.startsWith('near-') && arePeople && !shared.includes('email')) return null
  const isOther = differs(companyKey(one), companyKey(other))
  const isUncertain = [one, other].some(({ address }) => address.street === '' && address.lines !== '')
  const differences = contrary + (isOther ? 1 : 0)
  const isSameName = likeness === 'same'
  const enough = differences === 0 ? (isSameName ? 0 : 1) : differences === 1 && isSameName ? 2 : Infinity
  return shared.length >= enough ? { isSameName, shared, isAddressKnown: !isUncertain } : null
}

interface Detail {
  readonly word: string
  readonly isShared: boolean
  readonly isContrary: boolean
}

/**
 * Whether two records differ in a detail that sets relatives and branches apart, whatever else they share. It would prove
 * nothing if they shared it.
 */
function isApart(one: Card, other: Card): boolean {
  return (
    differs(one.number, other.number) ||
    differs(one.taxId, other.taxId) ||
    differs(one.mobile, other.mobile) ||
    differs(one.alternatePhone, other.alternatePhone) ||
    areDifferentPlaces(one.shipping, other.shipping)
  )
}

function companyKey({ companyName, name }: Card): string {
  const key = nameKey(distinctiveWords(wordsOf(companyName)))
  return key === nameKey(distinctiveWords(wordsOf(name))) ? '' : key
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
function isPersonAndFirm(card: Card, words: readonly string[], others: readonly string[]): boolean {
  return isPerhapsPerson(card, words) && formsOf(others).length > 0
}

function isPerhapsPerson({ companyName }: Card, words: readonly string[]): boolean {
  return companyName === '' && words.length <= PERSON_WORDS && formsOf(words).length === 0
}

/** Whether neither name has a legal form that contradicts the other's. */
function isSameForm(left: readonly string[], right: readonly string[]): boolean {
  const [mine, theirs] = [formsOf(left), formsOf(right)]
  return mine.every((form) => theirs.includes(form)) || theirs.every((form) => mine.includes(form))
}

/** Whether nothing suggests that they are relatives. */
function isSamePerson(one: Card, other: Card): boolean {
  const relative = ({ suffix, name }: Card): string =>
    [...new Set([...wordsOf(suffix), ...wordsOf(name).filter((word) => RELATIVES.has(word))])]
      .toSorted()
      .join(' ')
  const initial = ({ middleName }: Card): string => middleName.trim().charAt(0).toLowerCase()
  return (
    relative(one) === relative(other) &&
    !differs(initial(one), initial(other)) &&
    isSameGivenName(one.firstName, other.firstName)
  )
}

/** Whether two first names may be one: the same, one of them missing, or an initial of the other. A typo is allowed. */
function isSameGivenName(one: string, other: string): boolean {
  const [left = '', right = ''] = [wordsOf(one)[0], wordsOf(other)[0]]
  if (!differs(left, right)) return true
  const isInitial = left.length === 1 || right.length === 1
  return isInitial ? left.charAt(0) === right.charAt(0) : isSlip(left, right)
}

/**
 * `same`: the same words. `near`: a typo. `near-given`: a typo in a word before the last one, which may be two first names,
 * such as Kirsten and Kristen. `near-initial`: an initial more. `null`: different names.
 */
function nameLikeness(one: string, other: string): 'same' | 'near' | 'near-given' | 'near-initial' | null {
  const [left, right] = [distinctiveWords(wordsOf(one)), distinctiveWords(wordsOf(other))]
  if (left.length === 0 || right.length === 0) return null
  // Smith & Jones is not Smith Jones, and Côté is not Côte.
  if (isJoined(one) !== isJoined(other) || haveOtherAccents(one, other)) return null
  if (nameKey(left) === nameKey(right)) {
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

/** Whether a word has accents in both names, and not the same ones. Without any, it was only typed so. */
function haveOtherAccents(one: string, other: string): boolean {
  const accented = accentedWords(one)
  if (accented.size === 0) return false
  return [...accentedWords(other)].some(([plain, word]) => differs(accented.get(plain) ?? '', word))
}

/** The words that have accents, by their plain letters. */
function accentedWords(name: string): ReadonlyMap<string, string> {
  const words = name
    .toLowerCase()
    .normalize('NFD')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
  return new Map(
    words.flatMap((word) => {
      const plain = word.replace(/\p{M}/gu, '')
      return plain === word ? [] : [[plain, word] as const]
    }),
  )
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

function reasonOf({ isSameName, shared, isAddressKnown }: Same): Sentence {
  const name = isSameName ? 'The same name in another form' : 'Nearly the same name'
  if (shared.length === 0) {
    const compared = isAddressKnown ? 'address, phone, email, or number' : 'phone, email, or number'
    return says`${name}, and no ${compared} differs.`
  }
  return says`${name}, and the same ${joinNames(shared)}.`
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
    const made = `${name.slice(0, most - mark.length).trimEnd()}${mark}`
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
