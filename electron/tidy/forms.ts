/**
 * Normalizes the form of field values. Each function returns `null` if the form is right or can't be judged with
 * certainty.
 */
import { isEmail } from '../../shared/records/contact-details.ts'

// Whitespace.

const STRAY = /^\s|\s$|[^\S ]| {2}|\u200b/
const BLANKS = /[\s\u200b]+/g

/** Trims the text and collapses repeated spaces. Keeps line breaks, which are intended. */
export function withoutStraySpaces(text: string): string | null {
  if (isPlain(text)) return null
  if (!STRAY.test(text) || /[\r\n]/.test(text.trim())) return null
  return text.replace(BLANKS, ' ').trim()
}

const SPACE = 0x20
const TILDE = 0x7e

/** Whether a text has only printable ASCII characters, with single spaces between words, as most do. */
function isPlain(text: string): boolean {
  // A list has millions of texts, and a regular expression takes several times as long.
  let before = SPACE
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < SPACE || code > TILDE || (code === SPACE && before === SPACE)) return false
    before = code
  }
  return before !== SPACE
}

// Phone numbers of North America.

export type PhoneForm = '(###) ###-####' | '###-###-####' | '###.###.####'

const PHONE_FORMS: readonly (readonly [RegExp, PhoneForm])[] = [
  [/^\(\d{3}\) \d{3}-\d{4}$/, '(###) ###-####'],
  [/^\d{3}-\d{3}-\d{4}$/, '###-###-####'],
  [/^\d{3}\.\d{3}\.\d{4}$/, '###.###.####'],
]
/** Grouped as in North America, or not grouped. Other countries group ten digits differently. */
const PHONE = /^(?:\+?1[\s.-]*)?(?:\(([2-9]\d{2})\)|([2-9]\d{2}))[\s./-]*([2-9]\d{2})[\s.-]*(\d{4})$/

/** Returns the form of a number; `null` if it isn't a common one. */
export function phoneForm(text: string): PhoneForm | null {
  return PHONE_FORMS.find(([pattern]) => pattern.test(text))?.[1] ?? null
}

/** Whether a number in a US list has a digit too many or too few, before any extension. */
export function isOddPhone(text: string): boolean {
  const number = text.trim().replace(/[\s,;]*(?:x|ext\.?|extension|#)\s*\d{1,6}$/i, '')
  const digits = number.replace(/\D/g, '')
  if (!/^[\d\s().-]+$/.test(number) || /^0|^11/.test(digits)) return false
  return [8, 9].includes(digits.length) || (digits.length === 11 && !digits.startsWith('1'))
}

/** Whether a ZIP code of a US state has a digit too many or too few, or a letter in place of one. */
export function isOddZip(text: string, state: string): boolean {
  const zip = text.replace(/[\s-]/g, '')
  // Western Australia has four.
  if (state === 'WA' && zip.length === 4) return false
  return /^\d+$/.test(zip) ? ![5, 9].includes(zip.length) : /^(?=.*\d)[\doil]{5}$/i.test(zip)
}

/** States, territories, and provinces beside the 50 states whose numbers have this form, too. */
const NEARBY = new Set('PR VI GU AS MP AA AE AP AB BC MB NB NL NS NT NU ON PE QC SK YT'.split(' '))

/**
 * Whether something that isn't a state may still be a nearby region. Elsewhere, numbers of ten digits may look alike.
 */
export function mayBeNearby(state: string): boolean {
  return state.trim() === '' || NEARBY.has(state.trim().toUpperCase())
}

/** Returns the same number in another form. */
export function phoneIn(form: PhoneForm, text: string): string | null {
  const [, inParentheses, plain, exchange = '', line = ''] = PHONE.exec(text.trim()) ?? []
  const area = inParentheses ?? plain
  if (area === undefined) return null
  const digits = `${area}${exchange}${line}`
  let at = 0
  return form.replace(/#/g, () => digits[at++] ?? '')
}

// ZIP codes.

const FIVE_DIGITS = /^\d{5}$/
/** The first two digits of the ZIP codes of each state. Foreign postal codes rarely have the same ones. */
const ZIP_STARTS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  'AL 35 36|AK 99|AZ 85 86|AR 71 72 75|CA 90 91 92 93 94 95 96|CO 80 81|CT 06|DE 19|DC 20 56|FL 32 33 34|GA 30 31 39|HI 96|ID 83|IL 60 61 62|IN 46 47|IA 50 51 52|KS 66 67|KY 40 41 42|LA 70 71|ME 03 04|MD 20 21|MA 01 02 05|MI 48 49|MN 55 56|MS 38 39|MO 63 64 65|MT 59|NE 68 69|NV 88 89|NH 03|NJ 07 08|NM 87 88|NY 00 06 10 11 12 13 14|NC 27 28|ND 58|OH 43 44 45|OK 73 74|OR 97|PA 15 16 17 18 19|RI 02|SC 29|SD 57|TN 37 38|TX 73 75 76 77 78 79 88|UT 84|VT 05|VA 20 22 23 24|WA 98 99|WV 24 25 26|WI 53 54|WY 82 83'
    .split('|')
    .map((entry) => entry.split(' '))
    .map(([state = '', ...starts]) => [state, new Set(starts)]),
)
/** Parts of the starts that two states share. */
const SHARED_STARTS: Readonly<Record<string, RegExp>> = {
  MA: /^(?:01|02[0-7]|055)/,
  ME: /^(?:039|04)/,
  NH: /^03[0-8]/,
  RI: /^02[89]/,
  VT: /^05(?!5)/,
}

/**
 * Returns a ZIP code as the postal service writes it.
 * @param state its two letters; empty if it isn't a US state
 */
export function zipOf(text: string, state: string): string | null {
  if (FIVE_DIGITS.test(text)) return null
  const [, five = '', four] = /^(\d{5})[\s-]*(\d{4})$/.exec(text.trim()) ?? []
  const whole = four === undefined ? text.trim() : `${five}-${four}`
  const zip = lacksZero(whole) ? `0${whole}` : whole
  return zip === text || state === '' || !mayBeZip(text, state) ? null : zip
}

/** Whether a spreadsheet may have dropped a leading zero. Codes with two zeros at the end are from elsewhere. */
function lacksZero(zip: string): boolean {
  return zip.length === 4 && /^\d{4}$/.test(zip) && !zip.endsWith('00')
}

/** Whether a text is empty or may be a ZIP code of a state. Georgia and Washington are elsewhere, too. */
export function mayBeZip(text: string, state: string): boolean {
  const trimmed = text.trim()
  if (trimmed === '') return true
  const zip = lacksZero(trimmed) ? `0${trimmed}` : trimmed
  const isOfState = ZIP_STARTS.get(state)?.has(zip.slice(0, 2)) === true
  return isOfState && SHARED_STARTS[state]?.test(zip) !== false && /^\d{5}(?:[\s-]*\d{4})?$/.test(zip)
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

/** Returns the two letters of a US state, however it is written; empty for anything else. */
export function stateCode(text: string): string {
  const plain = text.trim().replace(/\s+/g, ' ')
  const code = plain.replace(/\./g, '').toUpperCase()
  return code in STATES ? code : (CODES.get(plain.toLowerCase()) ?? '')
}

/** Returns the form of a state; `null` if it isn't a common one. */
export function stateForm(text: string): StateForm | null {
  if (text in STATES) return 'code'
  return STATES[CODES.get(text.toLowerCase()) ?? ''] === text ? 'name' : null
}

/** Returns the same state in another form. */
export function stateIn(form: StateForm, text: string): string | null {
  const code = stateCode(text)
  if (code === '') return null
  return form === 'code' ? code : (STATES[code] ?? null)
}

// Email addresses.

/** Endings that no domain has. */
const NO_DOMAINS = /\.(?:con|cmo|ocm|comm|coom)$/i

export function isInvalidEmail(text: string): boolean {
  return !isEmail(text) || NO_DOMAINS.test(text.trim())
}

/** Returns the intended address, if there is only one candidate. */
export function suggestEmail(text: string): string | null {
  const meant = text
    .trim()
    .replace(/^mailto:/i, '')
    .replace(/^(?:<(.*)>|"(.*)"|'(.*)'|\((.*)\))[,;.:]*$/, '$1$2$3$4')
    .replace(/[>"'),;.:]+$/, '')
    .replace(/\s*@\s*/g, '@')
    .replace(/(?<=@.*)\s*\.\s*/g, '.')
    .replace(/@{2,}/g, '@')
    .replace(/\.{2,}/g, '.')
    .replace(/,(com|net|org)$/i, '.$1')
    .replace(NO_DOMAINS, '.com')
  return meant !== text && !/[,;\s()<>"]|^'/.test(meant) && isEmail(meant) ? meant : null
}

// Capital letters.

/** Returns how the letters of a name are cased, if it has enough letters to tell. */
export function casingOf(text: string): 'upper' | 'lower' | 'mixed' | null {
  if (!text.includes(' ')) return null
  const [isUpper, isLower] = [!/\p{Ll}/u.test(text), !/\p{Lu}/u.test(text)]
  if (!isUpper && !isLower) return 'mixed'
  if (isUpper === isLower || !/\p{L}{3}.*\s.*\p{L}{3}/u.test(text)) return null
  return isUpper ? 'upper' : 'lower'
}

const WORDS = /[^\s,&/-]+/g

/** How a word is written, and how often; `null` if it is written in several ways. */
type Casing = { readonly form: string; readonly count: number } | null

/** *Smith* and *O’Brien*. Others, such as *SMith*, may be a typo. */
const CAPITALIZED = /^\p{Lu}[^\p{Lu}]*(?:['’]\p{Lu}[^\p{Lu}]*)?$/u

/** Words that have a capital only where a name begins, in many names. */
const SMALL = new Set(
  'a an and as at by d da das de del della der di do dos du e el en et for from in la las le los of on or the to und van vom von y zu'.split(
    ' ',
  ),
)

/**
 * The capitals that words have in the names of a list. Only the list shows whether someone is O’Brien or Obrien, and
 * whether UCLA is an abbreviation.
 */
export class Casings {
  /** By the word in lowercase: as the first word of a name, and elsewhere. */
  readonly #words = new Map<string, { first?: Casing; inside?: Casing }>()

  /** @param texts their words are looked for */
  constructor(texts: readonly string[]) {
    for (const word of texts.flatMap(wordsIn)) this.#words.set(word.toLowerCase(), {})
  }

  /** @param name in mixed case */
  learn(name: string): void {
    for (const [at, word] of wordsIn(name).entries()) {
      const places = this.#words.get(word.toLowerCase())
      if (places === undefined) continue
      const place = at === 0 ? 'first' : 'inside'
      const known = places[place] ?? { form: word, count: 0 }
      if (places[place] !== null)
        places[place] = known.form === word ? { form: word, count: known.count + 1 } : null
    }
  }

  /** Returns a name with the capitals of the list; `null` if one of its words isn't in it, or in several forms. */
  apply(text: string): string | null {
    const forms = wordsIn(text).map((word, at) => this.#formOf(word, at === 0))
    if (forms.includes(null)) return null
    let at = 0
    return text.replace(WORDS, () => forms[at++] ?? '')
  }

  #formOf(word: string, isFirst: boolean): string | null {
    if (word.toLowerCase() === word.toUpperCase()) return word
    const { first, inside } = this.#words.get(word.toLowerCase()) ?? {}
    const known = (isFirst ? first : inside) === undefined ? (first ?? inside) : isFirst ? first : inside
    if (!known) return null
    if (!isFirst && known === first && SMALL.has(word.toLowerCase())) return null
    // *of* begins no name.
    if (isFirst && known === inside && known.form === word.toLowerCase()) return null
    return CAPITALIZED.test(known.form) || known.form === known.form.toLowerCase() || known.count > 1
      ? known.form
      : null
  }
}

/** Returns a text with the capitals that its words have in a name; `null` if one of them isn't in it. */
export function inFormsOf(name: string, text: string): string | null {
  const forms = new Map(wordsIn(name).map((word) => [word.toLowerCase(), word]))
  if (!wordsIn(text).every((word) => forms.has(word.toLowerCase()))) return null
  return text.replace(WORDS, (word) => forms.get(word.toLowerCase()) ?? word)
}

function wordsIn(text: string): readonly string[] {
  return text.match(WORDS) ?? []
}
