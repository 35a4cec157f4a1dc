/** Why a write is in doubt, beside why a look for it could not tell, and what of it outlives the doubt. */
import type { RecordData } from '../../../shared/records/changes.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import { fullNameOf, idOf } from './names.ts'

/**
 * @param own why it is in doubt, perhaps with what a look before said; `null` when nothing is known of that
 * @param look why the latest recheck was inconclusive; `null` when it was conclusive
 * @returns the error to store with the operation; it includes only the latest recheck
 */
export function uncertaintyAfterRecheck(own: AppError | null, look: AppError | null): AppError | null {
  if (look === null) {
    if (own === null) return null
    const { look: _before, ...details } = own.details
    return { ...own, details }
  }
  const doubt = own ?? NO_ANSWER
  return { ...doubt, details: { ...doubt.details, look: look.message } }
}

/** An error that the service gives for a record, as it is kept beside it. */
export function warned(error: AppError, isWarned = false): AppError {
  return isWarned ? { ...error, details: { ...error.details, isWarning: true } } : error
}

/** The error to keep for a record that was found as sent: warnings still apply, uncertainty does not. */
export function warningAfterRecheck(own: AppError | null): AppError | null {
  return own?.details.isWarning === true ? uncertaintyAfterRecheck(own, null) : null
}

/**
 * The `ID` that a change was meant for is another record's now.
 * @param isSent the change may have been made to that record
 */
export function anotherRecord(name: string, found: RecordData, isSent: boolean): AppError {
  const now = fullNameOf(found) || idOf(found)
  return isSent
    ? appError(
        'service-error',
        `The ID of “${name}” now belongs to “${now}”, so this change may have been made to the wrong record.`,
        `Check both records in the accounting application and correct “${now}” there if needed. Then discard this change and read the list again.`,
      )
    : appError(
        'service-error',
        `The ID of “${name}” now belongs to “${now}”. Nothing was sent.`,
        'Discard this change, read the list again, and make the change in the right record.',
      )
}

const NO_ANSWER = appError(
  'service-error',
  'What became of it is not known.',
  'It is looked up, and never sent again by itself.',
)

// What is said where a connection leads to another service than the one that something was sent to.

/** Of what waits to be sent: it was meant for the service of before. */
export const ADDRESS_CHANGED: AppError = appError(
  'connection-changed',
  'The address of this connection was changed: what is left here was meant for the service of before.',
  'Go on sends it to the new address. Discard it, or change the address back, if that is another service.',
)

/** The error for changes that were sent to the previous service and still await an outcome. */
export function sentToPreviousService(address: string): AppError {
  return appError(
    'connection-changed',
    `The address of this connection was changed: this was sent to ${address}, so it can’t be looked for here.`,
    'Change the address back under Settings, Connections, and it is looked for again. If the service only moved, change it from there and tick “The same service, only moved”.',
  )
}
