/** Fields that identify a record. Tax IDs are for a month's review, too. */
import { isObject, pathOf, type RecordData, textOf } from '../../shared/records/changes.ts'
import { detailOf } from '../../shared/records/contact-details.ts'
import { phoneIn } from './forms.ts'
import { emailKey, phoneKey, wordsOf } from './likeness.ts'

/**
 * Names of a vendor’s tax ID in accounting applications. The specification has none.
 *
 * *Assumption* (decisions.md, “A vendor’s tax ID”).
 */
const TAX_ID =
  /^(?:(?:vendor|federal|us|business)?_?tax_?(?:payer_?)?(?:id(?:ent(?:ifier|ity)?)?|identification)(?:_?(?:number|no))?|tin|ein|ssn)$/i

/**
 * Creates a function that returns a record's tax IDs, without punctuation. It returns an empty text for an empty field, and
 * an empty list if there is no such field. Records of one list have the same few fields.
 */
export function createTaxIdReader(): (record: RecordData) => readonly string[] {
  const known = new Map<string, boolean>()
  const isTaxId = (field: string): boolean => {
    const is = known.get(field) ?? TAX_ID.test(field)
    known.set(field, is)
    return is
  }
  return (record) =>
    Object.keys(record)
      .filter(isTaxId)
      .map((field) =>
        textOf(record[field])
          .replace(/[^\p{L}\p{N}]/gu, '')
          .toLowerCase(),
      )
}

/**
 * Names of fields whose values set records apart: *AccountNumber*, *AcctNum*, *ExternalID*, *Fax*. Services may have fields
 * that the specification doesn't. A customer's phone and email address are compared with its address instead.
 */
const IDENTIFYING =
  /(?:number|num|acc(?:oun)?t|code|fax|phone|(?:^|_)tel|whats_?app|mobile|cell|email|description|(?:external|customer|client|vendor|supplier|member|account|tenant|patient|student|license)_?id)$/i
const NUMBER = /(?:[a-z]No|_[Nn][Oo])$/
/** Codes that many records have. */
const COMMON_CODE = /(?:tax|currency|terms|price|postal|zip|country)_?code$/i
/** Numbers that count changes. */
const REVISION = /(?:revision|version|edit_?sequence|sync)_?(?:number|num|no|code)$/i
const COMPARED: ReadonlySet<string> = new Set(['Phone', 'Email'])
/** Says nothing: *none*, *N/A*, *0*, *0.00*. */
const NONE = /^(?:none|no|na|tbd|unknown|null|same|x+|[0.]*)$/
/** The external ID of a record that Bookbridge added: a UUID of version 7. Two may be of one record. */
const OWN_ID = /^[\da-f]{12}7[\da-f]{3}[89ab][\da-f]{15}$/
/** A field of the user's own, in which any number identifies the record. */
const CUSTOM = /custom(?!er)|user_?defined|udf|data_?ext/i
/** Members that hold the name and the value of a custom field. */
const FIELD_NAME = /^(?:(?:field|custom|definition|data_?ext)_?)?(?:name|label|key)$/i
const FIELD_VALUE = /^(?:(?:field|custom|string|text|number|data_?ext)_?)*value$/i
const [YEAR, MONTH, DAY] = ['(?:19|20)\\d{2}', '(?:0?[1-9]|1[0-2])', '(?:0?[1-9]|[12]\\d|3[01])']
const MONTH_NAME = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?'
/** Says when something happened. Two records of one customer may be of different days, unless it is a birthday. */
const DATE = new RegExp(
  `^(?:${YEAR}([/-])${MONTH}\\1${DAY}|(?:${MONTH}([/.-])${DAY}\\2|${DAY}([/.-])${MONTH}\\3)${YEAR}|(?:${MONTH}/${DAY}|${DAY}/${MONTH})/\\d{2}|${MONTH_NAME} ${DAY},? ${YEAR}|${DAY} ${MONTH_NAME} ${YEAR})(?:(?:T|,? )\\d{1,2}:\\d{2}.*)?$`,
  'i',
)
const BIRTHDAY = /birth|born(?!e)|dob(?!e)|d\.o\.b|b-?day/i
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
/** A day of birth: its year, and its month and day. With `?`, the month may come first or second. */
const DAY_KEY = /^day (\d+) (\?)?(\d+) (\d+)$/
/** Members that are compared elsewhere. */
const COMPARED_PARTS = /address$|contact$/i
/** Transactions of a record, which have numbers of their own. */
const TRANSACTIONS =
  /^(?:(?:last|latest)_?(?:(?:sales|purchase)_?)?(?:invoice|bill|transaction|order|estimate|quote|check|deposit|receipt|payment|sale)|(?:(?:sales|purchase)_?)?(?:invoice|transaction|order|estimate|quote|receipt)s)$/i
/** Fields that hold phone numbers: *HomePhone*, *WhatsApp*, *Contact No.*, *Work*. */
const PHONES =
  /phone|mobile|fax|(?<![a-z])(?:cell(?!ar)|tel(?![a-z]))|whats_?app|contact[\s_]*(?:no\b|num|#)|\.(?:work|home|office|main|direct|day|evening)(?:[\s_]*(?:no|num(?:ber)?|line|#))?\.?\s*\d*$/i
/** A phone number as people write it, not only its digits. */
const WRITTEN_PHONE = /[(+]|\d[\s./-]+\d/
/** How many levels of nested members are examined. */
const DEEPEST = 4

/** Returns the values that set a record apart, by field. Fields may be members of others. */
export function identifiersOf(record: RecordData): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const put = (path: string, field: string, raw: unknown, isCustom: boolean): void => {
    // Some services send numbers as JSON numbers.
    const value = typeof raw === 'string' || typeof raw === 'number' ? String(raw) : ''
    if (value === '' || value === record['ID']) return
    if (!isIdentifying(field, value) && !(isCustom && isCustomNumber(field, value))) return
    const key = identifierKey(path, field, value, isCustom)
    if (key !== '') found.set(path, key)
  }
  const read = (path: string, field: string, raw: unknown, isCustom: boolean, depth: number): void => {
    if (depth > DEEPEST || (!isCustom && typeof raw === 'object' && TRANSACTIONS.test(field))) return
    if (Array.isArray(raw)) {
      for (const [at, each] of raw.entries()) read(`${path}.${String(at)}`, field, each, isCustom, depth + 1)
    } else if (!isObject(raw)) put(path, field, raw, isCustom)
    else if (!COMPARED_PARTS.test(field)) {
      const names = Object.keys(raw)
      // A reference.
      if (names.includes('FullName')) return
      const [named, valued] = [FIELD_NAME, FIELD_VALUE].map((pattern) =>
        names.find((name) => pattern.test(name)),
      )
      if (named !== undefined && valued !== undefined) {
        const own = textOf(raw[named])
        put(`${path.replace(/\.\d+$/, '')}.${own}`, own, raw[valued], true)
      } else for (const name of names) read(`${path}.${name}`, name, raw[name], isCustom, depth + 1)
    }
  }
  for (const [field, raw] of Object.entries(record))
    if (!COMPARED.has(field)) read(field, field, raw, CUSTOM.test(field), 0)
  // A corporation gets no 1099, but its owner does.
  const eligible = textOf(record['EligibleFor1099']).toLowerCase()
  if (eligible !== '') found.set('EligibleFor1099', eligible)
  return found
}

function isIdentifying(field: string, value: string): boolean {
  // *Member No.* and *Account #* in words, and a second one with a number: *Phone2*.
  const name = field
    .trim()
    .replace(/\s*#$/, ' no')
    .replace(/[\s.]+(?=.)/g, '_')
    .replace(/[_\d.]+$/, '')
  if (COMMON_CODE.test(name) || REVISION.test(name)) return false
  return (
    IDENTIFYING.test(name) ||
    NUMBER.test(name) ||
    TAX_ID.test(name) ||
    (BIRTHDAY.test(field) && /\d/.test(value))
  )
}

function isCustomNumber(field: string, value: string): boolean {
  return /\d/.test(value) && (!DATE.test(value.trim()) || BIRTHDAY.test(field))
}

function identifierKey(path: string, field: string, value: string, isCustom: boolean): string {
  const detail = detailOf(pathOf(field))
  if (detail === 'phone') return phoneKey(value)
  if (detail === 'email') return emailKey(value)
  // The service’s own account numbers may look like phone numbers.
  const mayBePhone = PHONES.test(`.${path}`) || (isCustom && WRITTEN_PHONE.test(value))
  const phone = mayBePhone ? phoneIn('###-###-####', value) : null
  if (phone !== null) return phoneKey(phone)
  const day = BIRTHDAY.test(field) ? dayKey(value) : null
  if (day !== null) return day
  const text = value.trim()
  // As written: without its point, *12.5* would be *125*, and lot *1.10* is not lot *1.1*.
  const key = /^\d+\.\d+$/.test(text) ? text : wordsOf(text).join('')
  return NONE.test(key) || OWN_ID.test(key) ? '' : key
}

/** Returns a day in one form, so that *1980-01-02* and *2 Jan 1980* are equal; `null` if it isn't a day. */
function dayKey(value: string): string | null {
  if (!DATE.test(value.trim())) return null
  const text = value
    .trim()
    .toLowerCase()
    .replace(/[t, ]+\d{1,2}:\d{2}.*$/, '')
  const [, iso = '', ...isoParts] = /^(\d{4})[/-](\d+)[/-](\d+)/.exec(text) ?? []
  if (iso !== '') return `day ${iso} ${isoParts.map(Number).join(' ')}`
  const month = 1 + MONTHS.findIndex((name) => new RegExp(`\\b${name}`).test(text))
  const [first = 0, second = 0, year = second] = (text.match(/\d+/g) ?? []).map(Number)
  if (month > 0) return `day ${String(year)} ${String(month)} ${String(first)}`
  if (first > 12) return `day ${String(year)} ${String(second)} ${String(first)}`
  if (second > 12) return `day ${String(year)} ${String(first)} ${String(second)}`
  return `day ${String(year)} ?${String(first)} ${String(second)}`
}

/** Whether two days may be one. Two in the same form are compared as they are. */
function isSameDay(one: string, other: string): boolean {
  const [mine, theirs] = [DAY_KEY.exec(one), DAY_KEY.exec(other)]
  if (mine === null || theirs === null) return false
  const [, year, isUnclear, first, second] = mine
  const [, itsYear, isItsUnclear, itsFirst, itsSecond] = theirs
  const isShort = [year, itsYear].some((each) => Number(each) < 100)
  if (isShort ? Number(year) % 100 !== Number(itsYear) % 100 : year !== itsYear) return false
  if (first === itsFirst && second === itsSecond) return true
  return (
    (isUnclear !== undefined) !== (isItsUnclear !== undefined) && first === itsSecond && second === itsFirst
  )
}

/** Returns who or what a record is for: its contacts, class, and department. Each may be one of a customer's several. */
export function purposesOf(record: RecordData): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const field of ['Contact', 'AlternateContact', 'Class', 'Department', 'Location']) {
    const value = record[field]
    const text = isObject(value) ? textOf(value['FullName']) || textOf(value['Name']) : textOf(value)
    const key = wordsOf(text).join(' ')
    if (key !== '') found.set(field, key)
  }
  return found
}

/** Whether both have a value of some field, and the values differ. */
export function haveDifferent(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  for (const [field, value] of one) {
    const its = other.get(field) ?? value
    if (value !== its && !isSameDay(value, its)) return true
  }
  return false
}
