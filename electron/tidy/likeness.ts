/**
 * Finds records whose names and contact details are so similar that they may be the same. A month's review shows all of
 * them.
 */
import { phoneDigits } from '../../shared/records/search-text.ts'

/** The parts of a record that are compared. */
export interface Comparable {
  readonly name: string
  /** Empty for a record without a parent. */
  readonly parentId: string
  readonly type: string
  /** Empty if the list has none. Records in different currencies are different records. */
  readonly currency: string
  readonly isActive: boolean
}

/** Active records that are similar. */
export interface Alike<Each> {
  readonly records: readonly Each[]
  readonly by: 'name' | 'contact'
}

/** Legal forms and filler words, which are often omitted. */
const FILLERS = new Set(
  'the inc incorporated llc llp lp ltd limited co corp corporation company pllc pc plc gmbh and'.split(' '),
)

/** Returns the words of a name, normalized. */
export function wordsOf(name: string): readonly string[] {
  // Most characters are plain letters or digits and need no lookup table.
  if (PLAIN.test(name))
    return (
      name
        .toLowerCase()
        .replace(/['.]/g, '')
        .match(/[a-z\d]+/g) ?? []
    )
  return normalized(name)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
}

const PLAIN = /^[ -~]*$/

function normalized(name: string): string {
  return withoutAccents(name)
    .toLowerCase()
    .replace(/['’.]|\p{Variation_Selector}/gu, '')
}

/** In other scripts, marks make other letters and other words. */
function withoutAccents(text: string): string {
  return text.normalize('NFKD').replace(/(?<!\p{Script=Cyrillic})[\u0300-\u036f]/gu, '')
}

/** Whether two names with the same words have different accents, such as *Côté* and *Côte*. Many people type none. */
export function haveDifferentAccents(one: string, other: string): boolean {
  if (PLAIN.test(one) || PLAIN.test(other)) return false
  const accented = new Map(accentedWords(one))
  return accentedWords(other).some(([word, its]) => its !== (accented.get(word) ?? its))
}

function accentedWords(name: string): readonly (readonly [word: string, accented: string])[] {
  const words =
    name
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}]+/gu) ?? []
  return words.flatMap((word) => {
    const plain = withoutAccents(word)
    return plain === word.normalize('NFKD') ? [] : [[plain, word] as const]
  })
}

/**
 * Signs that distinguish names with the same words: numbers with signs between their digits (*Lot 1.5*, *Unit 1/2*),
 * symbols (*Cash €*, *Repairs < $2,500*), raised digits and fractions (*Lot ½*), and a hyphen without a word on one side
 * (*A- Plumbing*, *Sales -*). Trademark signs and separators don't.
 */
const MARKS =
  /\d+(?:\s*[^\p{L}\p{M}\p{N}\s]+\s*\d+)+|(?![®™©|`´¨^¯¸])\p{S}[\u{1f3fb}-\u{1f3ff}]?|\p{No}|[*?%‰§†‡]|(?<=\p{L})#|(?<=[\p{L}\p{N}])[-–—](?=\s|\)|$)|(?<=[\s(]|^)[-–—](?=\s*(?:\)|$))|(?<=^|\()[-–—]/gu
/** Numbers and single letters with slashes between them. */
const SLASHED =
  /(?<![\p{L}\p{N}])(?:\p{L}*\d[\p{L}\p{N}]*|\p{L})(?:\s*\/\s*(?:\p{L}*\d[\p{L}\p{N}]*|\p{L})(?![\p{L}\p{N}]))+/gu
/** Most names have letters and digits, or letters and common punctuation. Neither needs a search for signs. */
const UNMARKED = /^(?:[a-z\d ]*|[a-z ,.'&/()]*)$/i

/** Returns the signs that distinguish names with the same words. */
function marksOf(name: string): string {
  if (UNMARKED.test(name)) return ''
  const marks = name.replace(/\s*\/\s*/g, '/').match(MARKS) ?? []
  return [...marks, ...slashedNumbers(name)].join(' ').toLowerCase()
}

/**
 * Returns numbers with slashes, such as *4A/B* in *Unit 4A / B*. In *A/C* and *Smith/Jones 2*, a slash is only a
 * separator.
 */
export function slashedNumbers(text: string): readonly string[] {
  if (PLAIN.test(text) && !text.includes('/')) return []
  const found = normalized(text).match(SLASHED) ?? []
  return found.filter((each) => /\d/.test(each)).map((each) => each.replace(/\s/g, ''))
}

/** Returns the words of a name without legal forms and filler words. */
export function distinctiveWords(words: readonly string[]): readonly string[] {
  return words.filter((word) => !FILLERS.has(word))
}

/** Sorts the words alphabetically, so that "Last, First" equals "First Last". */
export function sortedNameKey(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : words.toSorted().join(' ')
}

const USUAL_PHONE = /^(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}$/
/** A number that stands for none: *000-000-0000*, *555-5555*, *123-456-7890*. */
const NO_PHONE = /^(?:(\d)\1*|\d{3}0{7}|1?1234567(?:8(?:90?)?)?|0123456789|9876543210)$/
/** What people enter where an email address is required, before its at sign or after it. */
const NO_MAILBOX =
  /^(?:none|no|n[./]?a|no[-._]?e?-?mail|no[-._]?reply|do[-._]?not[-._]?reply|nobody|nothing|unknown|test|null|tbd|x+)@/
const NO_DOMAIN = /^(?:none|no|na|no-?e?mail|unknown|nowhere|test|null|x+)\./

/**
 * Returns the last ten digits, or all digits if there is an extension or another number. Empty if there are fewer than in
 * a local number, and for placeholders.
 */
export function phoneKey(phone: string): string {
  const digits = phone.replace(/\D/g, '')
  if (digits.length < 7) return ''
  const isOne = USUAL_PHONE.test(phone) || phoneDigits(phone.trim()) === digits
  const key = isOne ? digits.slice(-10) : digits
  return NO_PHONE.test(key) ? '' : key
}

/** Returns an email address in lowercase; empty for placeholders. */
export function emailKey(email: string): string {
  const key = email.trim().toLowerCase()
  return NO_MAILBOX.test(key) || NO_DOMAIN.test(key.slice(key.indexOf('@') + 1)) ? '' : key
}

// A list may have 100,000 records, and few of them are similar. Hashes select candidates, and only those are compared
// as text.

const START = 5_381
const BLANK = 0x20
const APOSTROPHE = 0x27
const DOT = 0x2e
const FILLER_HASHES: ReadonlySet<number> = new Set([...FILLERS].map(hashOf))

function withCode(hash: number, code: number): number {
  return (Math.imul(hash, 33) + code) | 0
}

function hashOf(text: string): number {
  let hash = START
  for (let at = 0; at < text.length; at += 1) hash = withCode(hash, text.charCodeAt(at))
  return hash
}

/** Passes on the hash of each word of `wordsOf`. */
function hashWords(name: string, use: (hash: number) => void): void {
  const text = PLAIN.test(name) ? name : wordsOf(name).join(' ')
  let hash = START
  for (let at = 0; at <= text.length; at += 1) {
    // A space after the text ends its last word.
    let code = at < text.length ? text.charCodeAt(at) : BLANK
    if (code >= 0x41 && code <= 0x5a) code += 0x20
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code > 0x7f) {
      hash = withCode(hash, code)
    } else if (code !== APOSTROPHE && code !== DOT && hash !== START) {
      use(hash)
      hash = START
    }
  }
}

/** Counts hashes in little memory. May report a hash as repeated that isn't, but never the reverse. */
class HashCounts {
  readonly #counts: Uint8Array

  constructor(hashes: number) {
    this.#counts = new Uint8Array(2 ** Math.ceil(Math.log2(32 * hashes + 8)))
  }

  add(hash: number): void {
    const place = this.#place(hash)
    this.#counts[place] = Math.min(2, (this.#counts[place] ?? 0) + 1)
  }

  areSeveral(hash: number): boolean {
    return this.#counts[this.#place(hash)] === 2
  }

  #place(hash: number): number {
    return (hash ^ (hash >>> 15)) & (this.#counts.length - 1)
  }
}

/** A record with the words of its name and their hashes, both computed on demand, which is rare. */
class NamedRecord<Each extends Comparable> {
  readonly record: Each
  readonly #isAccount: boolean
  #words: readonly string[] | null = null
  #hashes: readonly number[] | null = null

  constructor(record: Each, isAccount: boolean) {
    this.record = record
    this.#isAccount = isAccount
  }

  get hashes(): readonly number[] {
    if (this.#hashes !== null) return this.#hashes
    const hashes: number[] = []
    hashWords(this.record.name, (hash) => {
      if (this.#isAccount || !FILLER_HASHES.has(hash)) hashes.push(hash)
    })
    this.#hashes = hashes
    return hashes
  }

  /** Equal for names with the same words, in any order. */
  get sum(): number {
    let sum = 0
    hashWords(this.record.name, (hash) => {
      if (this.#isAccount || !FILLER_HASHES.has(hash)) sum = (sum + Math.imul(hash, hash)) | 0
    })
    return sum
  }

  get words(): readonly string[] {
    const all = this.#words ?? wordsOf(this.record.name)
    this.#words ??= this.#isAccount ? all : distinctiveWords(all)
    return this.#words
  }

  /** The same name under different parents is common, such as for jobs and kinds of expenses. */
  get key(): string {
    const key = sortedNameKey(this.words)
    const { name, parentId, type, currency } = this.record
    return key === '' ? '' : [key, marksOf(name), parentId, type, currency].join('|')
  }
}

/**
 * Finds active records with the same name (in any order, with or without a legal form), and records without a parent
 * that have similar names and share a contact detail.
 * @param isAccounts accounts have no legal forms and no contact details
 * @param contactKeys return a key for each contact detail, and an empty text for none
 * @param mostSharing ignores a detail that more records share
 */
export function likelyDuplicates<Each extends Comparable>(
  records: readonly Each[],
  isAccounts: boolean,
  contactKeys: readonly ((record: Each) => string)[],
  mostSharing = Infinity,
): readonly Alike<Each>[] {
  const all = records.filter(({ isActive }) => isActive).map((each) => new NamedRecord(each, isAccounts))
  const found: Alike<Each>[] = []
  const add = (group: readonly NamedRecord<Each>[], by: Alike<Each>['by']): void => {
    found.push({ records: group.map(({ record }) => record), by })
  }
  const sums = all.map(({ sum }) => sum)
  for (const group of groupsBy(all, sums, ({ key }) => key)) add(group, 'name')
  if (isAccounts) return found
  const parentless = all.filter(({ record }) => record.parentId === '')
  for (const keyOf of contactKeys) {
    const keys = parentless.map(({ record }) => keyOf(record))
    for (const group of groupsBy(parentless, keys.map(hashOf), (_, at) => keys[at] ?? '')) {
      if (group.length > mostSharing) continue
      // Offices and families share phone numbers, so the names must be similar, too.
      const [first] = similarPair(group) ?? []
      if (first === undefined) continue
      add(
        group.filter((one) => one === first || areSimilar(one, first)),
        'contact',
      )
    }
  }
  return found
}

/** Returns the texts that occur more than once, except the empty one. */
export function repeatedTexts(texts: readonly string[]): ReadonlySet<string> {
  const groups = groupsBy(texts, texts.map(hashOf), (text) => text)
  return new Set(groups.flatMap(([text]) => text ?? []))
}

/**
 * Groups records that share a key, in their order.
 * @param hashes the same number for the same key
 * @param keyOf returns an empty text for none
 */
function groupsBy<Each>(
  records: readonly Each[],
  hashes: readonly number[],
  keyOf: (record: Each, at: number) => string,
): readonly (readonly Each[])[] {
  const counts = new HashCounts(records.length)
  for (const hash of hashes) counts.add(hash)
  const groups = new Map<string, Each[]>()
  for (const [at, record] of records.entries()) {
    if (!counts.areSeveral(hashes[at] ?? 0)) continue
    const key = keyOf(record, at)
    if (key === '') continue
    const group = groups.get(key)
    if (group) group.push(record)
    else groups.set(key, [record])
  }
  return [...groups.values()].filter(({ length }) => length > 1)
}

/**
 * Up to this many records that share a phone number are all compared with each other. In larger groups, only those that
 * also share a word are compared.
 */
const FEW = 30

function similarPair<Each extends Comparable>(
  group: readonly NamedRecord<Each>[],
): readonly [NamedRecord<Each>, NamedRecord<Each>] | null {
  for (const some of group.length <= FEW ? [group] : byWord(group)) {
    for (const [at, one] of some.entries()) {
      const other = some.slice(at + 1).find((each) => areSimilar(one, each))
      if (other !== undefined) return [one, other]
    }
  }
  return null
}

/** Groups the records that share a rare word. */
function byWord<Each extends Comparable>(
  group: readonly NamedRecord<Each>[],
): readonly (readonly NamedRecord<Each>[])[] {
  const counts = new HashCounts(group.reduce((sum, { hashes }) => sum + hashes.length, 0))
  for (const { hashes } of group) for (const hash of hashes) counts.add(hash)
  const found = new Map<number, NamedRecord<Each>[]>()
  for (const one of group) {
    for (const hash of one.hashes) {
      if (!counts.areSeveral(hash)) continue
      const those = found.get(hash)
      if (those === undefined) found.set(hash, [one])
      // A name may contain the same word twice.
      else if (those.at(-1) !== one) those.push(one)
    }
  }
  return [...found.values()].filter(({ length }) => length > 1 && length <= FEW)
}

function areSimilar<Each extends Comparable>(one: NamedRecord<Each>, other: NamedRecord<Each>): boolean {
  if (one.record.currency !== other.record.currency) return false
  // Similar names share a word.
  if (!one.hashes.some((hash) => other.hashes.includes(hash)) || !isSimilar(one.words, other.words))
    return false
  return marksOf(one.record.name) === marksOf(other.record.name)
}

/** Words that distinguish relatives with the same name. */
export const RELATIVES = new Set('jr junior sr senior ii iii iv'.split(' '))

/**
 * Whether one name has more words than the other, or one misspelled word. If each has words that the other lacks, they
 * are two branches or two relatives.
 */
function isSimilar(left: readonly string[], right: readonly string[]): boolean {
  const [onlyLeft, onlyRight] = [wordsMissingFrom(left, right), wordsMissingFrom(right, left)]
  if ([...onlyLeft, ...onlyRight].some((word) => RELATIVES.has(word))) return false
  const shared = left.length - onlyLeft.length
  if (shared === 0) return false
  if (onlyLeft.length === 0 || onlyRight.length === 0) {
    return shared * 2 >= Math.max(left.length, right.length)
  }
  const [first = '', second = ''] = [onlyLeft[0], onlyRight[0]]
  return onlyLeft.length === 1 && onlyRight.length === 1 && misspelling(first, second) !== null
}

export function wordsMissingFrom(words: readonly string[], others: readonly string[]): readonly string[] {
  return words.filter((word) => !others.includes(word))
}

/**
 * Returns how two long words differ by one letter: two swapped letters, an extra one, or a replaced one; `null` if they
 * differ in another way. `at` is its index in the shorter word.
 */
export function misspelling(
  one: string,
  other: string,
): { readonly kind: 'swapped' | 'extra' | 'replaced'; readonly at: number } | null {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (short.length < 5 || long.length - short.length > 1 || /\d/.test(one + other)) return null
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1) ? { kind: 'extra', at } : null
  const isSwapped =
    short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2)
  if (isSwapped) return { kind: 'swapped', at }
  return short.slice(at + 1) === long.slice(at + 1) ? { kind: 'replaced', at } : null
}
