/** Email addresses, phone numbers, and ZIP codes that can't be right, for warnings: nothing is refused because of them. */
import { memberOf, pathOf, topField } from './changes.ts'

export type ContactDetail = 'email' | 'phone' | 'zip'

export const DETAIL_NOUNS: Readonly<Record<ContactDetail, string>> = {
  email: 'an email address',
  phone: 'a phone number',
  zip: 'a ZIP code',
}

/** Whether a text is empty, or one or more addresses. */
export function isEmail(text: string): boolean {
  if (ONE_EMAIL.test(text)) return true
  const addresses = text.split(/[,;]/).map((each) => each.trim())
  return text.trim() === '' || addresses.every((each) => /^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/.test(each))
}

const ONE_EMAIL = /^[^\s@,;]+@[^\s@,;]+\.[^\s@.,;]{2,}$/

/** Empty, or one or more numbers, with words around them. */
export function isPhone(text: string): boolean {
  if (text.trim() === '' || isNumber(text)) return true
  const parts = text.split(SEVERAL).filter((part) => /\d/.test(part))
  return parts.length > 0 && parts.every(isNumber)
}

const SEVERAL = /[/;,|&\n]|\s{2,}|\b(?:or|and)\b/i

/** Letters on a telephone’s keys: *1-800-FLOWERS*, *503-555-CALL*. */
const SPELLED = /^(?:\+?1[-. ]?)?\(?\d{3}\)?(?:[-. ]?[a-z\d]){7}$/i

/** At least the seven digits of a local number, also after an area code in parentheses. */
function isNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '').length
  const least = /^\s*\(\d{3}\)/.test(text) ? 10 : 7
  return (digits >= least && digits <= 20) || SPELLED.test(text.trim())
}

/**
 * Whether a text is empty, or has five digits, optionally with four more. Codes with letters are from other countries.
 */
function isZip(text: string): boolean {
  return /[^\d\s-]/.test(text) || /^(?:\d{5}(?:[\s-]?\d{4})?)?$/.test(text.trim())
}

/** The kind of contact detail in a field, by its name; `null` for anything else. */
export function detailOf(path: string): ContactDetail | null {
  const member = memberOf(path)
  if (member !== null) return member === 'PostalCode' ? 'zip' : null
  if (/email$/i.test(topField(path))) return 'email'
  return /(?:phone|mobile|fax)$/i.test(topField(path)) ? 'phone' : null
}

/**
 * The kind of contact detail that a value should be but isn’t; `null` if it is valid or can't be judged.
 * @param country the address's country, because other countries have other postal codes
 */
export function malformedDetail(path: string, value: string, country: string): ContactDetail | null {
  const detail = detailOf(path)
  switch (detail) {
    case 'email':
      return isEmail(value) ? null : detail
    case 'phone':
      return isPhone(value) ? null : detail
    case 'zip':
      return isZip(value) || !isHome(country) ? null : detail
    case null:
      return null
  }
}

/** Whether a country is the US or empty. */
export function isHome(country: string): boolean {
  if (country === '' || country === 'USA' || country === 'US') return true
  const letters = country.replace(/[^a-z]/gi, '').toLowerCase()
  return ['', 'us', 'usa', 'unitedstates', 'unitedstatesofamerica'].includes(letters)
}

/** The path of the country beside a postal code; `null` for other fields. */
export function countryPath(path: string): string | null {
  return memberOf(path) === 'PostalCode' ? pathOf(topField(path), 'Country') : null
}
