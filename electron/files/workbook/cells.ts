/** Cells in SpreadsheetML: text that is never run as a formula, and numbers with their original digits. */
import { parseDecimal } from '../../../shared/format/money.ts'
import type { ChangeKind } from '../../../shared/reports/columns.ts'

/** Excel's limits. */
export const MAX_ROWS = 1_048_576
export const MAX_COLUMNS = 16_384
export const MAX_CHARACTERS = 32_767
/** Significant digits that a spreadsheet keeps. Longer numbers would be rounded. */
const MAX_DIGITS = 15

/** Characters that must be escaped in XML, including control characters, and text that looks like an escape. */
// eslint-disable-next-line no-control-regex -- control characters must be escaped
const SPECIAL = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g
// eslint-disable-next-line no-control-regex -- as above
const MAYBE_SPECIAL = /[&<>_\u0000-\u0008\u000b-\u001f\ufffe\uffff]/
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
 * Escapes text for the content of an element. Characters that XML doesn't allow become `_xHHHH_`, as in Excel
 * (ECMA-376 part 1, 22.9.2.19), and text that looks like such an escape is escaped, too.
 */
export function xmlText(text: string): string {
  const whole = text.isWellFormed() ? text : text.replace(LONE_SURROGATE, escapedCharacter)
  return MAYBE_SPECIAL.test(whole) ? whole.replace(SPECIAL, escapedCharacter) : whole
}

/** Escapes text for an attribute in double quotes. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')
}

const LETTERS: string[] = []

/** Returns a column's letters: `A` for 0, `AA` for 26. */
export function columnLetters(column: number): string {
  const known = LETTERS[column]
  if (known !== undefined) return known
  const last = String.fromCharCode(65 + (column % 26))
  const letters = column < 26 ? last : columnLetters(Math.floor(column / 26) - 1) + last
  LETTERS[column] = letters
  return letters
}

/** Shortens text to the limit of a cell without splitting characters. */
export function cutText(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text
  const cut = text.slice(0, MAX_CHARACTERS)
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
}

/**
 * How a decimal is written: as a number, as text because a number would be rounded, or as text because it isn't
 * a number.
 */
export type NumberClass = 'number' | 'too-long' | 'no-number'

/** Classifies a text: `"1234.50"` is a number. One with more than 15 significant digits is too long. */
export function classifyNumber(text: string): NumberClass {
  if (text === '' || parseDecimal(text) === null) return 'no-number'
  // Short texts can't have too many digits.
  if (text.length <= MAX_DIGITS) return 'number'
  const significant = text.replace(/[-.]/g, '').replace(/^0+|0+$/g, '')
  return significant.length <= MAX_DIGITS ? 'number' : 'too-long'
}

export function numberCell(reference: string, style: number, digits: string): string {
  return `<c r="${reference}" s="${String(style)}"><v>${digits}</v></c>`
}

/** Creates a sum with its formula. `digits` is the cached value, shown until a part changes. */
export function formulaCell(reference: string, style: number, formula: string, digits: string): string {
  return `<c r="${reference}" s="${String(style)}"><f>${formula}</f><v>${digits}</v></c>`
}

export function booleanCell(reference: string, style: number, value: boolean): string {
  return `<c r="${reference}" s="${String(style)}" t="b"><v>${value ? '1' : '0'}</v></c>`
}

/** Creates a cell with inline text and preserved whitespace. Its type keeps a spreadsheet from running it. */
export function textCell(reference: string, style: number, text: string): string {
  return `<c r="${reference}" s="${String(style)}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`
}

/** Creates an empty cell with a style. */
export function emptyCell(reference: string, style: number): string {
  return `<c r="${reference}" s="${String(style)}"/>`
}

const MINUTE = 60_000
const DAY = 86_400_000
/** Serial 0 of the 1900 system, correct from March 1, 1900. Before that, the system counts a day that never existed. */
const SERIAL_ZERO = Date.UTC(1899, 11, 30)
const FIRST_SERIAL = 61
const LAST_SERIAL = 2_958_466

/**
 * Converts an ISO 8601 time to a serial number of days in this computer's zone, to the second; `null` if it
 * isn't a time or is out of range.
 */
export function momentSerial(iso: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(iso)) return null
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return null
  const wall = at.getTime() - at.getTimezoneOffset() * MINUTE
  const serial = (Math.floor(wall / 1_000) * 1_000 - SERIAL_ZERO) / DAY
  return serial >= FIRST_SERIAL && serial < LAST_SERIAL ? serial.toFixed(10).replace(/\.?0+$/, '') : null
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/

/**
 * Converts a date (`2026-01-31`, `2026-01-31T00:00:00Z`) to a serial number of days. The day is taken as
 * written, without a zone. `null` for anything else.
 */
export function dateSerial(text: string): string | null {
  const [, year, month, day] = DATE.exec(text) ?? []
  if (day === undefined) return null
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day))
  // February 30 would become March 2.
  if (new Date(at).getUTCDate() !== Number(day) || Number(month) > 12) return null
  const serial = (at - SERIAL_ZERO) / DAY
  return serial >= FIRST_SERIAL && serial < LAST_SERIAL ? String(serial) : null
}

/** Converts a percentage (`12.5` or `12.5%`) to the exact fraction: `0.125`. */
export function percentFraction(text: string): string | null {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?\s?%?$/.exec(text) ?? []
  if (whole === '') return null
  const digits = whole.padStart(3, '0')
  return `${sign}${digits.slice(0, -2).replace(/^0+(?=\d)/, '')}.${digits.slice(-2)}${fraction}`
}

// Cell styles for `styles.xml`. Each combination is written once and has an index.

/**
 * The type of a column's cells. `amount` shows at least two decimals, `integer` none. Changes always show their sign.
 */
export type CellKind = 'text' | 'amount' | 'integer' | 'percent' | 'boolean' | 'moment' | 'date' | ChangeKind

/** The look of a row. Equal looks share one object, so that styles are found by identity. */
export interface RowStyle {
  readonly role: 'body' | 'marked' | 'heading' | 'title' | 'note' | 'caution'
  /** Indentation of the first cell in steps. */
  readonly indent: number
  readonly bold: boolean
  /** `subtotal`: a line above its numbers. `total`: a line above and a double line below. */
  readonly rule: 'none' | 'subtotal' | 'total'
  /** Whether long texts wrap. */
  readonly wraps?: true
}

export const PLAIN: RowStyle = { role: 'body', indent: 0, bold: false, rule: 'none' }
/** A highlighted cell. */
export const MARKED: RowStyle = { role: 'marked', indent: 0, bold: false, rule: 'none' }
export const HEADING: RowStyle = { role: 'heading', indent: 0, bold: true, rule: 'none' }
export const TITLE: RowStyle = { role: 'title', indent: 0, bold: true, rule: 'none' }
export const NOTE: RowStyle = { role: 'note', indent: 0, bold: false, rule: 'none' }
export const CAUTION: RowStyle = { role: 'caution', indent: 0, bold: false, rule: 'none' }

/** The format of negative numbers: −1,234.50 or (1,234.50). */
export type Negatives = 'minus' | 'brackets'

/** Excel's limit. */
const MAX_INDENT = 15
const TEXT_FORMAT = 49

const FONTS = {
  plain: '<font><sz val="11"/><name val="Calibri"/><family val="2"/></font>',
  bold: '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font>',
  title: '<font><b/><sz val="14"/><name val="Calibri"/><family val="2"/></font>',
  note: '<font><sz val="10"/><color rgb="FF5F6368"/><name val="Calibri"/><family val="2"/></font>',
  caution: '<font><b/><sz val="10"/><color rgb="FF8A4A00"/><name val="Calibri"/><family val="2"/></font>',
}
const BORDERS = {
  none: '<border><left/><right/><top/><bottom/><diagonal/></border>',
  heading: '<border><left/><right/><top/><bottom style="thin"><color auto="1"/></bottom><diagonal/></border>',
  subtotal: '<border><left/><right/><top style="thin"><color auto="1"/></top><bottom/><diagonal/></border>',
  total:
    '<border><left/><right/><top style="thin"><color auto="1"/></top><bottom style="double"><color auto="1"/></bottom><diagonal/></border>',
}
const FONT_NAMES = Object.keys(FONTS)
const BORDER_NAMES = Object.keys(BORDERS)

/** IDs of custom formats start at 164. */
const FORMAT_IDS: Readonly<Record<CellKind, number>> = {
  text: TEXT_FORMAT,
  amount: 164,
  integer: 1,
  boolean: 0,
  moment: 165,
  percent: 166,
  // The short date format of the reader's locale.
  date: 14,
  change: 167,
  'change-percent': 168,
}
const AMOUNTS: Readonly<Record<Negatives, string>> = {
  minus: '#,##0.00######',
  brackets: '#,##0.00######_);(#,##0.00######)',
}

/** Positive; negative; zero. */
const CHANGES: Readonly<Record<Negatives, string>> = {
  minus: '+#,##0.00######;-#,##0.00######;0.00',
  brackets: '+#,##0.00######_);(#,##0.00######);0.00_)',
}
const CHANGE_PERCENT = '+0.0#######%;-0.0#######%;0.0%'

/** Collects the styles while the sheets are written. `styles.xml` comes last. */
export class Styles {
  readonly #negatives: Negatives
  readonly #numbers = new Map<string, number>()
  readonly #rows = new Map<RowStyle, Map<CellKind, readonly [first: number, others: number]>>()

  constructor(negatives: Negatives) {
    this.#negatives = negatives
    // The first style is the default.
    this.#number('<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>')
  }

  /** Returns the style index for a cell type in a row look. */
  of(look: RowStyle, kind: CellKind, isFirst: boolean): number {
    const byKind = this.#rows.get(look) ?? new Map<CellKind, readonly [first: number, others: number]>()
    this.#rows.set(look, byKind)
    const known = byKind.get(kind)
    if (known !== undefined) return known[isFirst ? 0 : 1]
    const both = [this.#number(format(look, kind, true)), this.#number(format(look, kind, false))] as const
    byKind.set(kind, both)
    return both[isFirst ? 0 : 1]
  }

  xml(): string {
    const formats = [...this.#numbers.keys()]
    return [
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n',
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">',
      `<numFmts count="5"><numFmt numFmtId="164" formatCode="${AMOUNTS[this.#negatives]}"/>`,
      '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/>',
      '<numFmt numFmtId="166" formatCode="0.0#######%"/>',
      `<numFmt numFmtId="167" formatCode="${CHANGES[this.#negatives]}"/>`,
      `<numFmt numFmtId="168" formatCode="${CHANGE_PERCENT}"/></numFmts>`,
      `<fonts count="${String(FONT_NAMES.length)}">${Object.values(FONTS).join('')}</fonts>`,
      '<fills count="4"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>',
      '<fill><patternFill patternType="solid"><fgColor rgb="FFF1F3F4"/><bgColor indexed="64"/></patternFill></fill>',
      '<fill><patternFill patternType="solid"><fgColor rgb="FFFFE0A3"/><bgColor indexed="64"/></patternFill></fill></fills>',
      `<borders count="${String(BORDER_NAMES.length)}">${Object.values(BORDERS).join('')}</borders>`,
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
      `<cellXfs count="${String(formats.length)}">${formats.join('')}</cellXfs>`,
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
      '</styleSheet>',
    ].join('')
  }

  #number(xml: string): number {
    const known = this.#numbers.get(xml)
    if (known !== undefined) return known
    const next = this.#numbers.size
    this.#numbers.set(xml, next)
    return next
  }
}

function isNumber(kind: CellKind): boolean {
  return (
    kind === 'amount' ||
    kind === 'integer' ||
    kind === 'percent' ||
    kind === 'change' ||
    kind === 'change-percent'
  )
}

function fontOf(look: RowStyle): keyof typeof FONTS {
  if (look.role === 'title' || look.role === 'note' || look.role === 'caution') return look.role
  return look.bold ? 'bold' : 'plain'
}

/** Creates one `xf`. Headings are aligned with their column's numbers. Rules are only drawn at numbers. */
function format(look: RowStyle, kind: CellKind, isFirst: boolean): string {
  const isBody = look.role === 'body' || look.role === 'marked'
  const border = look.role === 'heading' ? 'heading' : isBody && isNumber(kind) ? look.rule : 'none'
  const numbers = {
    numFmtId: isBody ? FORMAT_IDS[kind] : TEXT_FORMAT,
    fontId: FONT_NAMES.indexOf(fontOf(look)),
    fillId: look.role === 'heading' ? 2 : look.role === 'marked' ? 3 : 0,
    borderId: BORDER_NAMES.indexOf(border),
    xfId: 0,
  }
  const attributes = Object.entries(numbers).map(([name, value]) => `${name}="${String(value)}"`)
  const alignment = alignmentOf(look, kind, isFirst)
  const open = `<xf ${attributes.join(' ')} applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1"`
  return alignment === '' ? `${open}/>` : `${open} applyAlignment="1"><alignment ${alignment}/></xf>`
}

function alignmentOf(look: RowStyle, kind: CellKind, isFirst: boolean): string {
  if (look.role === 'heading') {
    if (isNumber(kind)) return 'horizontal="right" wrapText="1"'
    return `horizontal="left"${isFirst ? '' : ' indent="1"'} wrapText="1"`
  }
  if (look.wraps)
    return `${isFirst || isNumber(kind) ? '' : 'horizontal="left" indent="1" '}vertical="top" wrapText="1"`
  if (look.role !== 'body' || isNumber(kind)) return ''
  // Keep text away from an amount beside it.
  if (!isFirst) return kind === 'text' || kind === 'date' ? 'horizontal="left" indent="1"' : ''
  return look.indent > 0 ? `horizontal="left" indent="${String(Math.min(MAX_INDENT, look.indent))}"` : ''
}
