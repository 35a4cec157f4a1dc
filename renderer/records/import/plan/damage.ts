/** Recognizes text that a spreadsheet has damaged by taking it for a number or a date. */

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
  return ''
}

/** A spreadsheet keeps 15 digits, and shows six of a long number in a narrow column. */
function isCutOff(value: string): boolean {
  return /^[1-9]\d{14}0+$/.test(value) || /^[1-9]\d{5}0{6,}$/.test(value)
}
