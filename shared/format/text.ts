/** Makes external text safe to show, to put into markup, and to open in a spreadsheet. Pure. */
import { lazy } from '../lazy.ts'
import { parseDecimal } from './money.ts'

/**
 * Invisible characters that change the text direction: embeddings, overrides, isolates, and marks. A name with one would
 * reverse the digits and our own words after it.
 */
const TURNS_DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/**
 * A text for display, without invisible characters that change the text direction. Right-to-left letters still work.
 * Data that is edited, stored, sent, or saved stays unchanged.
 */
export function shownText(text: string): string {
  return text.replace(TURNS_DIRECTION, '')
}

/** Compares names as people sort them: without case and accents, and *2* before *10*. */
export function compareNaturally(one: string, other: string): number {
  return collator().compare(one, other)
}

// The first object of each kind takes milliseconds, because it loads the language's data.
const collator = lazy(() => new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }))
const conjunction = lazy(() => new Intl.ListFormat('en-US', { type: 'conjunction' }))
const disjunction = lazy(() => new Intl.ListFormat('en-US', { type: 'disjunction' }))
const segmenter = lazy(() => new Intl.Segmenter())

/**
 * *Rent, Travel, and Fuel*, or *Rent, Travel, and 3 more*.
 * @param count how many there are in all, if `names` has only the first of them
 */
export function joinNames(names: readonly string[], most = names.length, count = names.length): string {
  const shown = names.slice(0, most)
  const more = count - shown.length
  return conjunction().format(more > 0 ? [...shown, `${String(more)} more`] : shown)
}

/** *Rent, Travel, or Fuel*. */
export function joinAlternatives(names: readonly string[]): string {
  return disjunction().format(names)
}

/** The beginning of a text, without half a character at the end. Accents and joined emoji stay with their letters. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  // The next character shows whether the cut is inside one.
  let end = 0
  for (const { index } of segmenter().segment(text.slice(0, most + LONGEST_CHARACTER)))
    if (index <= most) end = index
  return text.slice(0, end)
}

/** Code units of a character, beyond the longest emoji. */
const LONGEST_CHARACTER = 40

// Text in markup: in printed documents, and in what is copied for a spreadsheet.

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML, between tags and in attributes. */
export function escapeHtml(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (mark) => MARKS[mark] ?? mark)
}

// Text that a spreadsheet would run as a formula.

/**
 * What may precede a formula without being noticed: spaces, apostrophes, control characters, combining marks, and
 * zero-width characters.
 */
const PASSED_OVER = String.raw`(?:[\p{Z}\p{Cc}\p{Cf}'\uff07\u115f\u1160\u3164\uffa0]|\p{M})*`
/** What begins a formula, including full-width and small forms, and what separates cells. */
const RUNS = new RegExp(
  String.raw`^(?:'|${PASSED_OVER}[=+\-@\t\r\n\0\v\f\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])`,
  'u',
)

/**
 * Adds an apostrophe before text that a spreadsheet would run, unless it is an amount. Text that begins with an
 * apostrophe gets another one, so that `unguardCell` always restores the text.
 */
export function guardCell(text: string): string {
  const first = text.charCodeAt(0)
  // Nearly all cells begin with a letter or digit. Among the codes above those of digits, only `=` and `@` matter.
  if (first >= 48 && first < 128 && first !== 61 && first !== 64) return text
  if (text === '' || !RUNS.test(text) || parseDecimal(text) !== null) return text
  return `'${text}`
}

/** Removes the apostrophe that `guardCell` added, and no other. */
export function unguardCell(text: string): string {
  if (!text.startsWith("'")) return text
  const inner = text.slice(1)
  return guardCell(inner) === text ? inner : text
}
