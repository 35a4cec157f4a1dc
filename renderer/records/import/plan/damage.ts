/** Recognizes text that a spreadsheet has damaged by taking it for a number or a date. */
import {
  type Decimal,
  compareDecimals,
  parseDecimal,
  parseTypedDecimal,
} from '../../../../shared/format/money.ts'
import { plainDigits } from '../../../../shared/import/table.ts'

/** Part numbers that Excel reads as dates: `3-4`, `1/2`, `APR3`, `MAR-01`. */
const DATE_LIKE = /^(?:\d{1,4}[-/]\d{1,4}(?:[-/]\d{1,4})?|[a-z]{3,9}[-/ ]?\d{1,4}|\d{1,2}[-/ ]?[a-z]{3,9})$/i
const DATE = /^(?:\d{4}-\d{2}-\d{2}(?:T[\d:]+)?|\d{1,2}-[a-z]{3}(?:-\d{2,4})?|[a-z]{3}-\d{2})$/i
const EXPONENT = /^[-+]?\d(?:[.,]\d+)?E\+?\d{2,3}$/i

/** Whether a text is a date as spreadsheets write one. */
export function isDateText(text: string): boolean {
  return DATE.test(text)
}

/**
 * Says how a value was damaged; empty when nothing shows it.
 * @param was the record's value; empty for a new record
 * @param isDateColumn whether most of the column's values are dates
 */
export function describeDamage(value: string, was: string, isDateColumn: boolean): string {
  if (EXPONENT.test(value)) return 'has lost its last digits to an exponent'
  if (isCutOff(value)) return 'may have lost its last digits'
  if (/^0\d+$/.test(was) && /^\d+$/.test(value) && value === was.replace(/^0+(?=\d)/, ''))
    return 'has lost its leading zeros'
  if (
    isDateText(value) &&
    !isDateColumn &&
    (was === '' ? /^\d{1,2}-[a-z]{3}$/i.test(value) : DATE_LIKE.test(was) && !isDateText(was))
  )
    return 'was turned into a date'
  if (isNumberOf(value, was)) return 'was turned into a number'
  if (/^(?:true|false)$/i.test(was) && value === was.toUpperCase() && value !== was)
    return 'was turned into yes or no'
  return ''
}

/** How spreadsheets write a number: without thousands marks, and without zeros at the end. */
const PLAIN_NUMBER = /^-?\d+(?:[.,]\d*[1-9])?$/
const EXPONENT_TEXT = /^\d+(?:\.\d+)?E[-+]?\d{1,3}$/i
const MARKS = [
  { decimal: '.', group: ',' },
  { decimal: ',', group: '.' },
] as const

/** Whether a value is what a spreadsheet makes of a text that looks like a number: 12.5 of `12.50`, 100000 of `1E5`. */
function isNumberOf(value: string, was: string): boolean {
  if (value === was || !PLAIN_NUMBER.test(value)) return false
  const number = parseDecimal(value.replace(',', '.'))
  const readings: readonly (Decimal | null)[] = EXPONENT_TEXT.test(was)
    ? [plainDigits(was)?.shown ?? null]
    : MARKS.map((marks) => parseTypedDecimal(was, marks))
  return number !== null && readings.some((read) => read !== null && compareDecimals(number, read) === 0)
}

/** A spreadsheet keeps 15 digits, and shows six of a long number in a narrow column. */
function isCutOff(value: string): boolean {
  return /^[1-9]\d{14}0+$/.test(value) || /^[1-9]\d{5}0{6,}$/.test(value)
}
