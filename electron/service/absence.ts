/** Which errors say that a record is gone. */
import { normalCode } from './service-errors.ts'
import { spokenMeaning } from './spoken-errors.ts'
import type { ServiceError } from './wire.ts'

/** *Assumption* (application-errors.md): the applications' own codes for a record that is not there. */
const GONE: Readonly<Record<string, readonly string[]>> = { qbd: ['500', '3120'], qbo: ['610'] }

/** The code of a warning on the desktop, and of anything at all where servers fail. */
const AMBIGUOUS = '500'
const OF_A_SERVER = /\b(?:internal|server|unexpected|unhandled|exception)\b/i

/**
 * Whether an error of a read by ids says, for certain, that a record is no longer there. Any other error says that it
 * was not looked for, or not with success.
 * @param application short code; a number means nothing without it
 */
export function saysGone(application: string, error: ServiceError, status: number): boolean {
  const code = normalCode(error.code)
  if (GONE[application.toLowerCase()]?.includes(code) !== true) return false
  if (status >= 400 && code === String(status)) return false
  const words = `${error.message} ${error.detail}`
  if (spokenMeaning(application, words) !== null) return false
  return code !== AMBIGUOUS || (/^(?:$|info|warn)/i.test(error.severity.trim()) && !OF_A_SERVER.test(words))
}
