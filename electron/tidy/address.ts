/** Parses addresses, to tell whether two differ and whether mail would arrive. */
import { type RecordData, textOf } from '../../shared/records/changes.ts'
import { isHome } from '../../shared/records/contact-details.ts'
import { stateCode } from './forms.ts'
import { wordsOf } from './likeness.ts'

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
/** The last line of an address that has only lines: *Oakland, CA 94601*. */
const STATE_AND_ZIP = /\b[a-z]{2}\.?\s+\d{5}(?:-?\d{4})?\s*$/i

/** Where a record is. Unknown parts are empty. */
export interface Place {
  /** The normalized street or box, with the first five digits of the ZIP code. */
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
  return {
    street: streetKey(address),
    city: textOf(address['City']),
    state: textOf(address['State']),
    zip: textOf(address['PostalCode']),
    country: textOf(address['Country']),
    lines: STREET_LINES.map((name) => textOf(address[name]))
      .filter((line) => line.trim() !== '')
      .join(', '),
  }
}

/** A part of a street address: *Suite 200*, *#4*. */
const UNIT = /^\s*(?:#|(?:suite|ste|unit|apartment|apt|floor|fl|room|rm|building|bldg)\b)/i

function streetKey(address: RecordData): string {
  for (const [at, name] of STREET_LINES.entries()) {
    const line = textOf(address[name])
    // The other lines hold a name or a recipient.
    if (!STREET.test(line) && !(SPELLED_NUMBER.test(line) && STREET_WORD.test(line))) continue
    let key = ''
    const unit = STREET_LINES.slice(at + 1)
      .map((below) => textOf(address[below]))
      .find((below) => UNIT.test(below))
    const whole = `${line} ${unit ?? ''}`.replace(/#\s*(?=\w)/g, ' suite ')
    for (const word of wordsOf(whole)) key += `${ABBREVIATIONS.get(word) ?? word} `
    return key + zipKey(textOf(address['PostalCode']))
  }
  return ''
}

/** Whether a part that both addresses have shows that they are two places. */
export function areDifferentPlaces(one: Place, other: Place): boolean {
  if (differs(countryKey(one.country), countryKey(other.country))) return true
  if (one.street !== '' && one.street === other.street) return false
  const isUnread = one.street === '' && other.street === ''
  return (
    differs(one.street, other.street) ||
    (isUnread && differs(wordsOf(one.lines).join(' '), wordsOf(other.lines).join(' '))) ||
    differs(wordsOf(one.city).join(' '), wordsOf(other.city).join(' ')) ||
    differs(stateKey(one.state), stateKey(other.state)) ||
    differs(zipKey(one.zip), zipKey(other.zip))
  )
}

function stateKey(state: string): string {
  return stateCode(state) || wordsOf(state).join(' ')
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

/** Whether mail would arrive: there is a street or a box, and a city or a ZIP code. */
export function isMailable(address: RecordData): boolean {
  const lines = STREET_LINES.map((name) => textOf(address[name]))
  const last = lines.some((line) => STATE_AND_ZIP.test(line))
  const hasTown = last || ['City', 'PostalCode'].some((name) => textOf(address[name]).trim() !== '')
  return (
    hasTown && lines.some((line) => !STATE_AND_ZIP.test(line) && (/\d/.test(line) || STREET_WORD.test(line)))
  )
}
