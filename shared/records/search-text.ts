/** Normalizes text for searching. `searched-values.ts` says what of a record is searched. */
import { canonicalDecimal, isZero, parseDecimal } from '../format/money.ts'
import { withPlainPunctuation } from './names.ts'

const PHONE = /^(?<number>\+?[\d\s()./-]{7,20}?)(?:,?\s*(?:x|ext(?:ension)?\.?|#)\s*\d{1,6})?$/i
/** Of a local number. */
const FEWEST_PHONE_DIGITS = 7
/** Of any number, with its country code. */
const MOST_PHONE_DIGITS = 15
const DATE = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/
/** Numbers of North America, of which one field may have several. */
const NUMBERS = /(?<!\d)(?:\+?1[\s.-]*)?(?:\(\d{3}\)|\d{3})[\s./-]*\d{3}[\s.-]*\d{4}(?!\d)/g
const SEVEN_DIGITS = /\d(?:[\s()./-]{0,3}\d){6}/

/** The digits of a phone number without those of its extension; empty for anything else. Hyphens are as typed. */
export function phoneDigits(text: string): string {
  const number = PHONE.exec(text)?.groups?.['number']
  return number === undefined ? '' : digitsOf(number)
}

/** The digits of each phone number in a text: *C: 415-555-0101*, *415-555-0101 / 415-555-0102*. */
export function phoneNumbers(written: string): readonly string[] {
  const text = PLAIN.test(written) ? written : normalizeForSearch(written)
  if (!SEVEN_DIGITS.test(text)) return []
  const whole = phoneDigits(text)
  if (whole !== '') return [whole]
  return text.split(/[^\d\s()./+-]+/).flatMap((part) => {
    const several = part.match(NUMBERS) ?? [part.trim()]
    return several.map(digitsOf).filter((digits) => digits !== '' && digits.length <= MOST_PHONE_DIGITS)
  })
}

function digitsOf(number: string): string {
  if (DATE.test(number)) return ''
  // *+44 (0)20*: the zero is for calls within the country.
  const digits = number.replace('(0)', '').replace(/\D/g, '')
  return digits.length >= FEWEST_PHONE_DIGITS ? digits : ''
}

/** Letters that Unicode doesn't decompose, with how people type them on a keyboard without them. */
const TYPED_AS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  þ: 'th',
  ς: 'σ',
}
/** Accents and invisible characters. In other scripts, combining marks distinguish words. */
const IGNORED = /[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff]/g
const PLAIN = /^[\n\t\u0020-\u007e]*$/

/** A text in lowercase, without accents, with letters, quotes, and dashes as a keyboard types them. */
export function normalizeForSearch(text: string): string {
  if (PLAIN.test(text)) return text.replaceAll('`', "'").toLowerCase()
  const letters = withPlainPunctuation(text).toLowerCase().normalize('NFKD').replace(IGNORED, '')
  return letters.replace(/[ßæœøđðłħıþς]/g, (letter) => TYPED_AS[letter] ?? letter)
}

/** The typed words, normalized. A text matches if it has all of them. */
export function searchTerms(typed: string): readonly string[] {
  return normalizeForSearch(typed).split(/\s+/).filter(Boolean)
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe' }

/** An apostrophe within a word. */
const APOSTROPHE = /(?<=\p{L})'(?=\p{L})/gu
/** *A.B.* */
const INITIALS = /(?<![\p{L}\p{N}])(?:\p{L}\.)+\p{L}(?![\p{L}\p{N}])\.?/gu

/**
 * A text as others type it, normalized: with its umlauts spelled out (*mueller*), and without apostrophes and the dots of
 * initials (*oleary*, *ab plumbing*). Empty if it has none of these.
 */
export function otherSpellings(text: string): readonly string[] {
  return [spellOutUmlauts(text), joinWords(text)].filter((spelled) => spelled !== '')
}

function spellOutUmlauts(text: string): string {
  if (PLAIN.test(text)) return ''
  const letters = text.normalize('NFC').toLowerCase()
  const spelled = letters.replace(/[äöüø]/g, (letter) => UMLAUTS[letter] ?? letter)
  return spelled === letters ? '' : normalizeForSearch(spelled)
}

function joinWords(text: string): string {
  if (PLAIN.test(text) && !/['.`]/.test(text)) return ''
  const letters = normalizeForSearch(text)
  const joined = letters.replace(APOSTROPHE, '').replace(INITIALS, (initials) => initials.replaceAll('.', ''))
  return joined === letters ? '' : joined
}

/**
 * The typed words, normalized, in each spelling: *Müller* is searched as *muller* and as *mueller*. A record matches if
 * it has every word of one spelling. Empty if no word was typed.
 */
function searchSpellings(typed: string): readonly (readonly string[])[] {
  return [normalizeForSearch(typed), ...otherSpellings(typed)]
    .map((text) => text.split(/\s+/).filter(Boolean))
    .filter((words) => words.length > 0)
    .flatMap((words) => {
      const plain = words.map(withoutThousands)
      // A name may have the mark that amounts are compared without: *1,000 Oaks*.
      return plain.join(' ') === words.join(' ') ? [words] : [plain, words]
    })
}

/** A typed word without thousands separators, if it is a number. */
export function withoutThousands(word: string): string {
  return /^[-−(]?[\d.,' ]+\)?$/.test(word) ? word.replace(/(?<=\d)[,'](?=\d{3})/g, '') : word
}

/** A key for comparing amounts; empty for zero and for text that isn't an amount. */
export function amountKey(text: string): string {
  // *.50*
  const decimal = parseDecimal(text.replace(/^(-?)\./, '$10.'))
  return decimal === null || isZero(decimal) ? '' : canonicalDecimal(decimal)
}

/** What was typed. A record matches if it has the words, the digits, or an amount: see `matchesQuery`. */
export interface FindQuery {
  /** See `searchSpellings`. Empty if no word was typed. */
  readonly spellings: readonly (readonly string[])[]
  /** What looks like a phone number, with and without its country code; empty for anything else. */
  readonly digits: readonly string[]
  /** As `amountKey`. Empty if the text isn't an amount. An amount without a sign also matches credits. */
  readonly amounts: readonly string[]
}

/** Fewer digits would match too many phone numbers. */
const FEWEST_DIGITS = 6

export function findQuery(typed: string): FindQuery {
  const text = normalizeForSearch(typed).trim()
  const number = PHONE.exec(text)?.groups?.['number'] ?? text
  const digits = /^\+?[\d\s()./-]+$/.test(number) ? number.replace('(0)', '').replace(/\D/g, '') : ''
  const isPhone = digits.length >= FEWEST_DIGITS && !/\.\d\d$/.test(text)
  return {
    spellings: searchSpellings(typed),
    digits: isPhone ? phoneForms(digits, text.startsWith('+')) : [],
    amounts: amountsOf(text.replace(/[\p{Sc}\s]/gu, '')),
  }
}

/** What a typed amount may mean. *1.234,50* and *,50* have a decimal comma, *1.234* may have one thousand, and *500.* is unfinished. */
function amountsOf(figure: string): readonly string[] {
  const { open, plus, minus, number, after } =
    /^(?<open>\()?(?:(?<plus>\+)|(?<minus>[-−]))?(?<number>[\d.,']*\d)\.?(?<after>[-−)])?$/.exec(figure)
      ?.groups ?? {}
  if (number === undefined || (open === undefined) !== (after !== ')')) return []
  const isThousand = /^\d{1,3}(?:\.\d{3})+$/.test(number)
  const forms = /^(?:\d{1,3}(?:[.']\d{3})*|\d*),\d{1,2}$/.test(number)
    ? [number.replace(/[.']/g, '').replace(',', '.')]
    : [number.replace(/(?<=\d)[,'](?=\d{3})/g, ''), ...(isThousand ? [number.replaceAll('.', '')] : [])]
  const keys = forms.map(amountKey).filter((key) => key !== '')
  if (plus !== undefined) return keys
  const credits = keys.map((key) => `-${key}`)
  return minus !== undefined || after !== undefined ? credits : [...keys, ...credits]
}

/**
 * The digits by which a number is found that may be written with a country code or for calls within the country:
 * *+44 20 7946 0958* is *020 7946 0958*. Each finds numbers that contain it.
 */
function phoneForms(digits: string, hasPlus: boolean): readonly string[] {
  // Most lists leave North America's own code out.
  if (digits.length === 11 && digits.startsWith('1')) return [digits.slice(1)]
  // No country code begins with a zero, and with few digits, the zeros are part of an account number.
  const afterPrefix = /^00([1-9]\d*)$/.exec(digits)?.[1] ?? ''
  if (afterPrefix.length >= FEWEST_WITH_PREFIX) return phoneForms(afterPrefix, true)
  if (digits.length < FEWEST_WITH_PREFIX || digits.startsWith('00')) return [digits]
  if (digits.startsWith('0')) return [digits.slice(1)]
  // A country code has one to three digits. Within the country, a zero takes its place.
  return hasPlus ? [digits, ...[1, 2, 3].map((code) => `0${digits.slice(code)}`)] : [digits]
}

/** Digits of a number that may begin with a country code or a zero. */
const FEWEST_WITH_PREFIX = 10
