/** Parses addresses, to tell whether two differ and whether mail would arrive. */
import { type RecordData, textOf } from '../../shared/records/changes.ts'
import { isHome } from '../../shared/records/contact-details.ts'
import { mayBeZip, stateCode } from './forms.ts'
import { slashedNumbers, wordsOf } from './likeness.ts'

export const STREET_LINES = ['Line1', 'Line2', 'Line3', 'Line4', 'Line5'] as const

const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    street: 'st',
    avenue: 'ave',
    av: 'ave',
    road: 'rd',
    drive: 'dr',
    lane: 'ln',
    court: 'ct',
    boulevard: 'blvd',
    highway: 'hwy',
    suite: 'ste',
    unit: 'ste',
    apartment: 'ste',
    apt: 'ste',
    north: 'n',
    south: 's',
    east: 'e',
    west: 'w',
  }),
)

const STREET = /^\s*(?:\d|p\.?\s*o\.?\s*box)/i
const SPELLED_NUMBER = /^\s*(?:one|two|three|four|five|six|seven|eight|nine|ten)\b/i
const STREET_WORD =
  /\b(?:st|street|ave?|avenue|rd|road|dr|drive|ln|lane|ct|court|blvd|boulevard|hwy|highway|way|pl|place|plaza|sq|square|center|centre|park|parkway|pkwy|terrace|circle|building|tower|pier|route|box|delivery)\b/i
/** *Oakland, CA 94601-1234*, *Oakland, 94601 CA*. */
const WITH_ZIP =
  /^(?<before>.*?)(?<!\d)(?<zip>\d{5})(?:\s*-?\s*\d{4})?(?!\d)(?:[\s,]+(?<after>\p{L}[\p{L}. ]*?))?[\s.,-]*$/u
const COUNTRY = /[\s,]+(?:u\.?\s?s\.?(?:\s?a\.?)?|united states(?: of america)?|america)[\s.,-]*$/i
const ZIP_LABEL = /\bzip(?:\s*code)?[\s.:,-]*$/i
/** Older abbreviations of states, and territories, which only addresses have. */
const ABBREVIATED_STATES: ReadonlyMap<string, string> = new Map(
  'ala AL|ariz AZ|ark AR|cal CA|calif CA|colo CO|conn CT|del DE|fla FL|ill IL|ind IN|kan KS|kans KS|mass MA|mich MI|minn MN|miss MS|mont MT|neb NE|nebr NE|nev NV|okla OK|ore OR|oreg OR|penn PA|penna PA|tenn TN|tex TX|wash WA|wis WI|wisc WI|wyo WY|pr PR|vi VI|gu GU|as AS|mp MP|aa AA|ae AE|ap AP'
    .split('|')
    .map((entry): [string, string] => [entry.slice(0, -3), entry.slice(-2)]),
)
/** *Oakland, CA*. A name may end like a state in lowercase: *Smith, Al*. */
const WITH_STATE = /^[^\d,]+,\s*(?:[A-Z]{2}|[A-Z]\.\s?[A-Z]\.|[\p{L} ]{4,})\s*$/u
/** A box, a suite, or a road with a number of five digits. */
const NUMBERED =
  /(?:\b(?:box|bin|drawer|suite|ste|unit|apartment|apt|room|rm|floor|fl|bldg|building|lot|space|highway|hwy|route|rte|road|rd|fm|cr|sr|no|tel|phone|fax|id|ein|tin|ssn|acct|account)|#)[\s.#]*$/i
/** A part of a street address: *Suite 200*, *#4*. */
const UNIT = /^\s*(?:#|(?:suite|ste|unit|apartment|apt|floor|fl|room|rm|building|bldg)\b)/i

/** Where a record is. Unknown parts are empty. */
export interface Place {
  /** The normalized street or box. */
  readonly street: string
  readonly city: string
  readonly state: string
  readonly zip: string
  readonly country: string
  /** The words of all lines, to compare addresses without a street that can be recognized. */
  readonly lines: string
}

const NOWHERE: Place = { street: '', city: '', state: '', zip: '', country: '', lines: '' }

export function placeOf(address: RecordData | null): Place {
  if (address === null) return NOWHERE
  const lines = linesOf(address)
  const [city, zip] = [textOf(address['City']), textOf(address['PostalCode'])]
  const town = city.trim() === '' && zip.trim() === '' ? townIn(lines) : null
  return {
    street: streetIn(lines),
    city: town?.city ?? city,
    state: town?.state ?? textOf(address['State']),
    zip: town?.zip ?? zip,
    country: textOf(address['Country']),
    lines: lines.join(', '),
  }
}

function linesOf(address: RecordData): readonly string[] {
  const lines: string[] = []
  for (const name of STREET_LINES) {
    const text = textOf(address[name])
    if (text === '') continue
    // Some applications keep all lines in one.
    for (const line of text.split('\n')) if (line.trim() !== '') lines.push(line)
  }
  return lines
}

function streetIn(lines: readonly string[]): string {
  for (const [at, line] of lines.entries()) {
    // The other lines hold a name or a recipient.
    if (!STREET.test(line) && !(SPELLED_NUMBER.test(line) && STREET_WORD.test(line))) continue
    const unit = lines.slice(at + 1).find((below) => UNIT.test(below))
    const whole = `${townOf(line)?.street ?? line} ${unit ?? ''}`.replace(/#\s*(?=\w)/g, ' suite ')
    const words = wordsOf(whole).map((word) => ABBREVIATIONS.get(word) ?? word)
    // *Unit 4A/B* is two units.
    return [...words, ...slashedNumbers(whole)].join(' ')
  }
  return ''
}

/** What a line with a city, a state, or a ZIP code says. */
interface Town {
  /** What precedes the city: *100 Main St* in *100 Main St, Oakland CA 94601*. */
  readonly street: string
  readonly city: string
  readonly state: string
  readonly zip: string
}

function townIn(lines: readonly string[]): Town | null {
  for (const line of lines) {
    const town = townOf(line)
    if (town !== null) return town
  }
  return null
}

/** Reads *Oakland, CA 94601* or *Oakland, CA*; `null` for other lines. */
function townOf(line: string): Town | null {
  // Most lines are streets.
  if (!/\d{5}/.test(line) && !WITH_STATE.test(line)) return null
  const plain = line
    .replace(/[()|;]/g, ',')
    .replace(/[–—]/g, '-')
    .replace(COUNTRY, '')
  const { before = plain, zip = '', after = '' } = WITH_ZIP.exec(plain)?.groups ?? {}
  if (zip === '' && !WITH_STATE.test(plain)) return null
  if (after !== '' && codeOf(after) === '') return null
  const text = before
    .replace(ZIP_LABEL, '')
    .replace(COUNTRY, '')
    .replace(/[\s,-]+$/, '')
    .replace(/[\s,]*,[\s,]*/g, ', ')
    .replace(/\s+/g, ' ')
    .trim()
  const words = text.split(/,? |-/)
  const count = [3, 2, 1].find((some) => codeOf(words.slice(-some).join(' ')) !== '') ?? 0
  const state = count === 0 ? '' : text.slice(text.lastIndexOf(words.at(-count) ?? '', text.length))
  const code = codeOf(state) || codeOf(after)
  // FL is a floor, and ID an identifier, unless the ZIP code is of that state.
  if (zip !== '' && (!/\p{L}/u.test(text) || (NUMBERED.test(text) && !mayBeZip(zip, code)))) return null
  // *AB94601* is a number, and *CA94601* isn't.
  const isAttached = /[^\s,.-]$/.test(before)
  if (code === '' && (zip === '' || isAttached)) return null
  const parts = text
    .slice(0, text.length - state.length)
    .split(',')
    .map((part) => part.replace(/[\s-]+$/, '').trim())
    .filter((part) => part !== '')
  const last = parts.at(-1) ?? ''
  // Without a comma, no one can tell where the street ends.
  if (parts.length === 1 && /\d/.test(last)) return { street: last, city: '', state: code, zip }
  return { street: parts.slice(0, -1).join(' '), city: last, state: code, zip }
}

function codeOf(state: string): string {
  return stateCode(state) || (ABBREVIATED_STATES.get(wordsOf(state).join('')) ?? '')
}

/** Equal for the addresses of one street in one town. Empty if the street or the town is unknown. */
export function addressKey({ street, city, zip }: Place): string {
  const town = zipKey(zip) || wordsOf(city).join(' ')
  return street === '' || town === '' ? '' : `${street}|${town}`
}

/** Whether both addresses name one street and one town. */
export function isSamePlace(one: Place, other: Place): boolean {
  if (one.street === '' || one.street !== other.street || areDifferentPlaces(one, other)) return false
  return isShared(zipKey(one.zip), zipKey(other.zip)) || isShared(cityKey(one), cityKey(other))
}

/** Whether a part that both addresses have shows that they are two places. */
export function areDifferentPlaces(one: Place, other: Place): boolean {
  if (differs(countryKey(one.country), countryKey(other.country))) return true
  // A place may have several names for one ZIP code.
  if (isShared(one.street, other.street) && isShared(zipKey(one.zip), zipKey(other.zip))) return false
  const isUnread = one.street === '' && other.street === ''
  return (
    differs(one.street, other.street) ||
    (isUnread && differs(wordsOf(one.lines).join(' '), wordsOf(other.lines).join(' '))) ||
    differs(cityKey(one), cityKey(other)) ||
    differs(stateKey(one.state), stateKey(other.state)) ||
    differs(zipKey(one.zip), zipKey(other.zip))
  )
}

function cityKey({ city }: Place): string {
  return wordsOf(city).join(' ')
}

function stateKey(state: string): string {
  return codeOf(state) || wordsOf(state).join(' ')
}

function countryKey(country: string): string {
  return country !== '' && isHome(country) ? 'us' : wordsOf(country).join(' ')
}

function zipKey(zip: string): string {
  return zip.trim().slice(0, 5)
}

export function differs(one: string, other: string): boolean {
  return one !== '' && other !== '' && one !== other
}

export function isShared(one: string, other: string): boolean {
  return one !== '' && one === other
}

/** Whether mail would arrive: there is a street or a box, and a city or a ZIP code. */
export function isMailable(address: RecordData): boolean {
  const lines = linesOf(address)
  const hasTown = ['City', 'PostalCode'].some((name) => textOf(address[name]).trim() !== '')
  if (!hasTown && townIn(lines) === null) return false
  return lines
    .map((line) => townOf(line)?.street ?? line)
    .some((line) => /\d/.test(line) || STREET_WORD.test(line))
}
