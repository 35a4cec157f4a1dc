/** Text of others as it is shown. Pure. */

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
