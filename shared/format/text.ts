/** Text of others as it is shown. Pure. */
import { parseDecimal } from './money.ts'

/**
 * Signs that nobody sees and that turn the direction of what stands after them: embeddings, overrides, isolates, and marks.
 * A name that holds one would turn the digits, and our own words, behind it.
 */
const TURNS_DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/**
 * As it is shown and said, without signs that turn what stands beside it; what reads from right to left by its own letters
 * still does. What is edited, kept, sent, or saved as data stays as it came.
 */
export function shownText(text: string): string {
  return text.replace(TURNS_DIRECTION, '')
}

// Text inside of markup: of the documents that are printed, and of what is copied for a spreadsheet.

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** What the service says and a person types is text: none of it becomes markup, neither between tags nor in an attribute. */
export function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (mark) => MARKS[mark] ?? mark)
}

// Text that a spreadsheet would run as a formula, and the apostrophe that makes it harmless. Pure.

/** Blanks, apostrophes, control characters, combining marks and marks of no width: what may stand unseen before a formula. */
const PASSED_OVER = String.raw`(?:[\p{Z}\p{Cc}\p{Cf}'\uff07\u115f\u1160\u3164\uffa0]|\p{M})*`
/** What begins a formula, also in its full-width and small forms, and the marks by which cells are broken up. */
const RUNS = new RegExp(
  String.raw`^(?:'|${PASSED_OVER}[=+\-@\t\r\n\0\v\f\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])`,
  'u',
)

/**
 * Makes text harmless for spreadsheets by one leading apostrophe, unless it is an amount. Text that begins with an
 * apostrophe gets one more, so that taking one off (`unguardCell`) always gives the text back.
 */
export function guardCell(text: string): string {
  const first = text.charCodeAt(0)
  // Nearly all cells begin with a letter or digit; `=` and `@` are the only ones to mind up there.
  if (first >= 48 && first < 128 && first !== 61 && first !== 64) return text
  if (text === '' || !RUNS.test(text) || parseDecimal(text) !== null) return text
  return `'${text}`
}

/** Takes off the apostrophe that `guardCell` put on, and no other. */
export function unguardCell(text: string): string {
  if (!text.startsWith("'")) return text
  const inner = text.slice(1)
  return guardCell(inner) === text ? inner : text
}
