/** Cells of a sheet as SpreadsheetML: text that is never run, and numbers with the digits that were written. */
import { parseDecimal } from '../../../shared/money.ts'

/** Excel's own limits. */
export const MOST_ROWS = 1_048_576
export const MOST_COLUMNS = 16_384
export const MOST_CHARACTERS = 32_767
/** A spreadsheet keeps this many significant digits of a number; longer ones would be rounded. */
const MOST_DIGITS = 15

/** What cannot stand in XML as it is, control characters included, and what would be read as an escape. */
// eslint-disable-next-line no-control-regex -- control characters are what has to be escaped
const SPECIAL = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g
// eslint-disable-next-line no-control-regex -- as above
const PERHAPS_SPECIAL = /[&<>_\u0000-\u0008\u000b-\u001f\ufffe\uffff]/
const LONE_SURROGATE = /[\ud800-\udfff]/gu

function escapedCharacter(character: string): string {
  switch (character) {
    case '&':
      return '&amp;'
    case '<':
      return '&lt;'
    case '>':
      return '&gt;'
    default:
      return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
  }
}

/**
 * Text as the content of an element. Characters that XML has no place for are written as `_xHHHH_`, as Excel does
 * (ECMA-376 part 1, 22.9.2.19), and text that looks like such an escape is kept from being read as one.
 */
export function xmlText(text: string): string {
  const whole = text.isWellFormed() ? text : text.replace(LONE_SURROGATE, escapedCharacter)
  return PERHAPS_SPECIAL.test(whole) ? whole.replace(SPECIAL, escapedCharacter) : whole
}

/** Text as an attribute's value in double quotes. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')
}

const LETTERS: string[] = []

/** `A` for 0, `AA` for 26. */
export function columnLetters(column: number): string {
  const known = LETTERS[column]
  if (known !== undefined) return known
  const last = String.fromCharCode(65 + (column % 26))
  const letters = column < 26 ? last : columnLetters(Math.floor(column / 26) - 1) + last
  LETTERS[column] = letters
  return letters
}

/** Text cut to what a cell holds, never in the middle of a character. */
export function cutText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  const cut = text.slice(0, MOST_CHARACTERS)
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** How a decimal goes into a sheet: as a number, as text because a number would round it, or it is none. */
export type NumberFate = 'number' | 'too-long' | 'no-number'

/** `"1234.50"` is a number; one with more than 15 significant digits is too long. */
export function numberFate(text: string): NumberFate {
  if (text === '' || parseDecimal(text) === null) return 'no-number'
  // Short ones need no counting: sign and dot aside, they can't have too many digits.
  if (text.length <= MOST_DIGITS) return 'number'
  const significant = text.replace(/[-.]/g, '').replace(/^0+|0+$/g, '')
  return significant.length <= MOST_DIGITS ? 'number' : 'too-long'
}

export function numberCell(reference: string, style: number, digits: string): string {
  return `<c r="${reference}" s="${String(style)}"><v>${digits}</v></c>`
}

export function booleanCell(reference: string, style: number, value: boolean): string {
  return `<c r="${reference}" s="${String(style)}" t="b"><v>${value ? '1' : '0'}</v></c>`
}

/** Text in the cell itself, blanks kept. The cell's type keeps a spreadsheet from running it. */
export function textCell(reference: string, style: number, text: string): string {
  return `<c r="${reference}" s="${String(style)}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`
}

/** A cell with nothing but its looks. */
export function emptyCell(reference: string, style: number): string {
  return `<c r="${reference}" s="${String(style)}"/>`
}

const MINUTE = 60_000
const DAY = 86_400_000
/** Serial 0 of the 1900 system; right from 1 March 1900 on, before which the system counts a day that never was. */
const SERIAL_ZERO = Date.UTC(1899, 11, 30)
const FIRST_SERIAL = 61
const LAST_SERIAL = 2_958_466

/**
 * A moment (ISO 8601) as a serial of days in the machine's zone, to the second; `null` for what is no moment or lies
 * where a spreadsheet has no dates.
 */
export function momentSerial(iso: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(iso)) return null
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return null
  const wall = at.getTime() - at.getTimezoneOffset() * MINUTE
  const serial = (Math.floor(wall / 1_000) * 1_000 - SERIAL_ZERO) / DAY
  return serial >= FIRST_SERIAL && serial < LAST_SERIAL ? serial.toFixed(10).replace(/\.?0+$/, '') : null
}
