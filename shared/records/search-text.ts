/** Normalizes text for searching. Shared by a list's search and **Find anywhere**. */
import { canonicalDecimal, isZero, parseDecimal } from '../format/money.ts'
import { asTyped } from './names.ts'

/** A timestamp. No one sees its hour and zone, and a search for `01` would find every record. */
export const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

const PHONE = /^(?<number>\+?[\d\s()./-]{9,20}?)(?:\s*(?:x|ext\.?|#)\s*\d{1,6})?$/i
const DATE = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/

/** The digits of a phone number without those of its extension; empty for anything else. Hyphens are as typed. */
export function phoneDigits(text: string): string {
  const number = PHONE.exec(text)?.groups?.['number']
  return number === undefined || DATE.test(number) ? '' : number.replace(/\D/g, '')
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
}
/** Accents only. In other scripts, combining marks distinguish words. */
const ACCENTS = /[\u0300-\u036f]/g
const PLAIN = /^[\n\t\u0020-\u007e]*$/

/** A text in lowercase, without accents, with quotes and dashes as a keyboard types them. */
export function normalizeForSearch(text: string): string {
  if (PLAIN.test(text)) return text.replaceAll('`', "'").toLowerCase()
  const letters = asTyped(text).toLowerCase().normalize('NFD').replace(ACCENTS, '')
  return letters.replace(/[ßæœøđðłħıþ]/g, (letter) => TYPED_AS[letter] ?? letter)
}

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe' }

/** A text with its umlauts spelled out, as on a keyboard without them: *mueller*. Empty if there are none. */
export function spelledOut(text: string): string {
  if (PLAIN.test(text)) return ''
  const letters = text.normalize('NFC').toLowerCase()
  const spelled = letters.replace(/[äöüø]/g, (letter) => UMLAUTS[letter] ?? letter)
  return spelled === letters ? '' : normalizeForSearch(spelled)
}

/**
 * The typed words, normalized, in each spelling: *Müller* is searched as *muller* and as *mueller*. A record matches if
 * it has every word of one spelling. Empty if no word was typed.
 */
export function searchSpellings(typed: string): readonly (readonly string[])[] {
  return [normalizeForSearch(typed), spelledOut(typed)]
    .map((text) => text.split(/\s+/).filter(Boolean).map(withoutThousands))
    .filter((words) => words.length > 0)
}

/** A typed word without thousands separators, if it is a number. */
export function withoutThousands(word: string): string {
  return /^[-−(]?[\d.,' ]+\)?$/.test(word) ? word.replace(/(?<=\d)[,'](?=\d{3})/g, '') : word
}

/** A key for comparing amounts; empty for zero and for text that isn't an amount. */
export function amountKey(text: string): string {
  const decimal = parseDecimal(text)
  return decimal === null || isZero(decimal) ? '' : canonicalDecimal(decimal)
}

/** A query over all lists. A record matches if it has the words, the digits, or an amount. */
export interface FindQuery {
  /** See `searchSpellings`. */
  readonly spellings: readonly (readonly string[])[]
  /** The digits of a phone number; empty for anything else. */
  readonly digits: string
  /** As `amountKey`. Empty if the text isn't an amount. An amount without a sign also matches credits. */
  readonly amounts: readonly string[]
}

/** Fewer digits would match too many phone numbers. */
const FEWEST_DIGITS = 6

export function findQuery(typed: string): FindQuery {
  const text = normalizeForSearch(typed).trim()
  const digits = /^\+?[\d\s()./-]+$/.test(text) ? text.replace(/\D/g, '') : ''
  // Most lists omit the domestic country code.
  const isWithCode = digits.length === 11 && digits.startsWith('1')
  const figure = text.replace(/[$\s]/g, '').replace(/(?<=\d),(?=\d{3})/g, '')
  const inBrackets = /^\((?<amount>[\d.]+)\)$/.exec(figure)?.groups?.['amount']
  const amount = amountKey(inBrackets === undefined ? figure.replace(/^\+/, '') : `-${inBrackets}`)
  return {
    spellings: searchSpellings(typed),
    digits: digits.length >= FEWEST_DIGITS && !/\.\d\d$/.test(text) ? digits.slice(isWithCode ? 1 : 0) : '',
    amounts: amount === '' ? [] : /^[\d.]/.test(figure) ? [amount, `-${amount}`] : [amount],
  }
}
