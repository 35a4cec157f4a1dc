/** Values of fields in one form. Each function returns `null` where the form is right, or where nobody can be sure. */
import { isEmail } from '../../shared/records/contact-details.ts'

// Blanks.

const STRAY = /^\s|\s$|[^\S ]| {2}|\u200b/
/** Most texts are plain and have one blank at a time, which is seen faster than what is stray. */
const PERHAPS_STRAY = /[^ -~]| {2}/
const BLANKS = /[\s\u200b]+/g

/** Without blanks at the ends, and with one where there were several. Line breaks are meant. */
export function withoutStrayBlanks(text: string): string | null {
  if (!PERHAPS_STRAY.test(text) && !text.startsWith(' ') && !text.endsWith(' ')) return null
  if (!STRAY.test(text) || /[\r\n]/.test(text.trim())) return null
  return text.replace(BLANKS, ' ').trim()
}

// Phone numbers of North America.

export type PhoneForm = '(###) ###-####' | '###-###-####' | '###.###.####'

const PHONE_FORMS: readonly (readonly [RegExp, PhoneForm])[] = [
  [/^\(\d{3}\) \d{3}-\d{4}$/, '(###) ###-####'],
  [/^\d{3}-\d{3}-\d{4}$/, '###-###-####'],
  [/^\d{3}\.\d{3}\.\d{4}$/, '###.###.####'],
]
/** Grouped as in North America, or not at all. Other countries group ten digits differently. */
const PHONE = /^(?:\+?1[\s.-]*)?(?:\(([2-9]\d{2})\)|([2-9]\d{2}))[\s./-]*([2-9]\d{2})[\s.-]*(\d{4})$/

/** The form of a number that has one of the usual forms. */
export function phoneForm(text: string): PhoneForm | null {
  return PHONE_FORMS.find(([pattern]) => pattern.test(text))?.[1] ?? null
}

/** The same number in a form. */
export function phoneIn(form: PhoneForm, text: string): string | null {
  const [, inParentheses, plain, exchange = '', line = ''] = PHONE.exec(text.trim()) ?? []
  const area = inParentheses ?? plain
  if (area === undefined) return null
  const digits = `${area}${exchange}${line}`
  let at = 0
  return form.replace(/#/g, () => digits[at++] ?? '')
}

// ZIP codes.

/** Where ZIP codes begin with 0, which spreadsheets drop. */
const ZERO_STATES = new Set(['CT', 'MA', 'ME', 'NH', 'NJ', 'RI', 'VT'])

/**
 * A ZIP code as the post writes it.
 * @param state as its two letters; an empty text if it isn't a state of the US
 */
export function zipOf(text: string, state: string): string | null {
  const [, five = '', four] = /^(\d{5})[\s-]*(\d{4})$/.exec(text.trim()) ?? []
  const zip =
    four !== undefined
      ? `${five}-${four}`
      : /^\d{4}$/.test(text.trim()) && ZERO_STATES.has(state)
        ? `0${text.trim()}`
        : text.trim()
  return zip === text || state === '' ? null : zip
}

// States.

const STATES: Readonly<Record<string, string>> = {
  AL: 'Alabama',
  AK: 'Alaska',
  AZ: 'Arizona',
  AR: 'Arkansas',
  CA: 'California',
  CO: 'Colorado',
  CT: 'Connecticut',
  DE: 'Delaware',
  DC: 'District of Columbia',
  FL: 'Florida',
  GA: 'Georgia',
  HI: 'Hawaii',
  ID: 'Idaho',
  IL: 'Illinois',
  IN: 'Indiana',
  IA: 'Iowa',
  KS: 'Kansas',
  KY: 'Kentucky',
  LA: 'Louisiana',
  ME: 'Maine',
  MD: 'Maryland',
  MA: 'Massachusetts',
  MI: 'Michigan',
  MN: 'Minnesota',
  MS: 'Mississippi',
  MO: 'Missouri',
  MT: 'Montana',
  NE: 'Nebraska',
  NV: 'Nevada',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NM: 'New Mexico',
  NY: 'New York',
  NC: 'North Carolina',
  ND: 'North Dakota',
  OH: 'Ohio',
  OK: 'Oklahoma',
  OR: 'Oregon',
  PA: 'Pennsylvania',
  RI: 'Rhode Island',
  SC: 'South Carolina',
  SD: 'South Dakota',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  VT: 'Vermont',
  VA: 'Virginia',
  WA: 'Washington',
  WV: 'West Virginia',
  WI: 'Wisconsin',
  WY: 'Wyoming',
}
const CODES: ReadonlyMap<string, string> = new Map(
  Object.entries(STATES).map(([code, name]) => [name.toLowerCase(), code]),
)

export type StateForm = 'code' | 'name'

/** The two letters of a state of the US, however it is written; an empty text for anything else. */
export function stateCode(text: string): string {
  const plain = text.trim().replace(/\s+/g, ' ')
  const code = plain.replace(/\./g, '').toUpperCase()
  return code in STATES ? code : (CODES.get(plain.toLowerCase()) ?? '')
}

/** The form of a state that has one of the usual forms. */
export function stateForm(text: string): StateForm | null {
  if (text in STATES) return 'code'
  return STATES[CODES.get(text.toLowerCase()) ?? ''] === text ? 'name' : null
}

/** The same state in a form. */
export function stateIn(form: StateForm, text: string): string | null {
  const code = stateCode(text)
  if (code === '') return null
  return form === 'code' ? code : (STATES[code] ?? null)
}

// Email addresses.

/** Ends of addresses that no domain has. */
const NO_DOMAINS = /\.(?:con|cmo|ocm|comm|coom)$/i

export function isEmailWrong(text: string): boolean {
  return !isEmail(text) || NO_DOMAINS.test(text.trim())
}

/** The address that was meant, if only one can have been. */
export function emailMeant(text: string): string | null {
  const meant = text
    .trim()
    .replace(/^mailto:/i, '')
    .replace(/^[<"'(]+|[>"'),;.:]+$/g, '')
    .replace(/\s*([@.])\s*/g, '$1')
    .replace(/@{2,}/g, '@')
    .replace(/\.{2,}/g, '.')
    .replace(/,(com|net|org)$/i, '.$1')
    .replace(NO_DOMAINS, '.com')
  return meant !== text && !/[,;\s]/.test(meant) && isEmail(meant) ? meant : null
}

// Capital letters.

/** How the letters of a name are written, if it has enough of them to tell. */
export function casingOf(text: string): 'upper' | 'lower' | 'mixed' | null {
  if (!text.includes(' ')) return null
  const [isUpper, isLower] = [!/\p{Ll}/u.test(text), !/\p{Lu}/u.test(text)]
  if (!isUpper && !isLower) return 'mixed'
  if (isUpper === isLower || !/\p{L}{3}.*\s.*\p{L}{3}/u.test(text)) return null
  return isUpper ? 'upper' : 'lower'
}

const SMALL = new Set('of the and for in at on to by de la'.split(' '))
const FORMS = new Set('llc llp lp pllc pc plc usa us'.split(' '))
/** Words whose capital letters nobody can know: initials, brands, and names such as McDonald. */
const UNSURE = /\d|^(?:mc|mac)|^[^aeiouy]+$|^.{1,3}$|[^\p{L}'’]/iu
const WORDS = /[^\s,&/-]+/g

/** A name in capital and small letters; `null` if a word of it may be meant as it is. */
export function inMixedCase(text: string): string | null {
  const isSure = [...text.matchAll(WORDS)].every(([word]) => {
    const small = word.toLowerCase().replace(/\.$/, '')
    return SMALL.has(small) || FORMS.has(small) || KNOWN_SHORT.has(small) || !UNSURE.test(small)
  })
  if (!isSure) return null
  let at = 0
  return text.replace(WORDS, (word) => {
    const small = word.toLowerCase()
    at += 1
    if (FORMS.has(small.replace(/\.$/, ''))) return small.toUpperCase()
    if (SMALL.has(small) && at > 1) return small
    return small.replace(/^\p{L}|(?<=^[od]['’])\p{L}/gu, (letter) => letter.toUpperCase())
  })
}

/** Short words that are no initials. */
const KNOWN_SHORT = new Set(
  'inc co ltd bay new old sea sun oak elm bar car pet san los el st mr mrs ms dr'.split(' '),
)
