/** Which errors say that a record is gone. */
import { isOfAServer, normalCode, words } from './service-errors.ts'
import { spokenMeaning } from './spoken-errors.ts'
import type { ServiceError } from './wire.ts'

/** *Assumption* (application-errors.md): the applications' own codes for a record that is not there. */
const GONE: Readonly<Record<string, readonly string[]>> = { qbd: ['500', '3120'], qbo: ['610'] }

/** A warning of the desktop application: as an error it is somebody else's. */
const WARNING = '500'

/**
 * Whether an error of a read by ids says, for certain, that a record is no longer there. Any other error says that it
 * was not looked for, or not with success.
 * @param application short code; a number means nothing without it
 */
export function saysGone(application: string, error: ServiceError, status: number): boolean {
  const code = normalCode(error.code)
  if (GONE[application.toLowerCase()]?.includes(code) !== true) return false
  if (status >= 400 && code === String(status)) return false
  const said = words(error)
  if (spokenMeaning(application, said) !== null) return false
  return code !== WARNING || (/^(?:$|info|warn)/i.test(error.severity.trim()) && !isOfAServer(code, said))
}
