/** What is said where a connection leads to another service than the one that something was sent to. */
import { appError, type AppError } from '../../shared/result.ts'

/** Of what waits to be sent: it was meant for the service of before. */
export const ADDRESS_CHANGED: AppError = appError(
  'connection-changed',
  'The address of this connection was changed: what is left here was meant for the service of before.',
  'Go on sends it to the new address. Discard it, or change the address back, if that is another service.',
)

/** Of what was sent to the service of before, and waits for an outcome. */
export function sentElsewhere(address: string): AppError {
  return appError(
    'connection-changed',
    `The address of this connection was changed: this was sent to ${address}, so it can’t be looked for here.`,
    'Change the address back under Settings, Connections, and it is looked for again. If the service only moved, change it from there and tick “The same service, only moved”.',
  )
}
