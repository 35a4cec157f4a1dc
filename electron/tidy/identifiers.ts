/** Fields that identify a record. Tax IDs are for a month's review, too. */
import { detailOf } from '../../shared/records/contact-details.ts'
import { type RecordData, isObject, textOf } from '../../shared/records/changes.ts'
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
  /(?:number|num|acc(?:oun)?t|code|fax|phone|mobile|cell|email|description|(?:external|customer|client|vendor|supplier|member|account|tenant|patient|student|license)_?id)$/i
const NUMBER = /(?:[a-z]No|_no)$/
/** Codes that many records have. */
const COMMON_CODE = /(?:tax|currency|terms|price|postal|zip|country)_?code$/i
const COMPARED: ReadonlySet<string> = new Set(['Phone', 'Email'])
/** Says nothing: *none*, *N/A*, *0*. */
const NONE = /^(?:none|no|na|tbd|unknown|null|same|x+|0*)$/
/** An ID that a program made, such as the external ID of a record that Bookbridge added. Two may be of one record. */
const GENERATED = /^[\da-f]{32}$/

/** Returns the values that set a record apart, by field. */
export function identifiersOf(record: RecordData): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [field, raw] of Object.entries(record)) {
    // Some services send numbers as JSON numbers.
    const value = typeof raw === 'string' || typeof raw === 'number' ? String(raw) : ''
    if (value === '' || COMPARED.has(field) || !isIdentifying(field)) continue
    const key = identifierKey(field, value)
    if (key !== '' && value !== record['ID']) found.set(field, key)
  }
  return found
}

function isIdentifying(field: string): boolean {
  // A second one has a number: *Phone2*.
  const name = field.replace(/[_\d]+$/, '')
  return (IDENTIFYING.test(name) && !COMMON_CODE.test(name)) || NUMBER.test(name) || TAX_ID.test(name)
}

function identifierKey(field: string, value: string): string {
  const detail = detailOf(field)
  if (detail === 'phone') return phoneKey(value)
  if (detail === 'email') return emailKey(value)
  const key = wordsOf(value).join('')
  return NONE.test(key) || GENERATED.test(key) ? '' : key
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
  for (const [field, value] of one) if (value !== (other.get(field) ?? value)) return true
  return false
}
