/**
 * One connection for a service and a key. The journal and its doubts belong to a connection: through a second one, the
 * same books could be written to while the first still looks for what became of an insert.
 */
import { appError, type AppError } from '../../shared/result.ts'
import type { ConnectionKeys } from './connection-keys.ts'
import type { Candidate } from './connection-test.ts'
import type { SavedConnection } from './ports.ts'
import { hasCurrent } from './saved-connections.ts'

/**
 * The refusal of a connection whose service and key another one has already, the current service's or the older one's
 * where it has that alone; `null` when none has.
 * @param others all connections that are saved
 * @param keyOf the key of a saved one; it is compared here and goes nowhere
 */
export async function connectedAlready(
  { connection, key, legacyKey }: Candidate,
  others: readonly SavedConnection[],
  keyOf: ConnectionKeys['of'],
): Promise<AppError | null> {
  for (const other of others) {
    if (other.connectionId === connection.connectionId || other.isSample) continue
    // With a current service on both sides that alone tells: an office may share one older service.
    const service = hasCurrent(connection) && hasCurrent(other) ? 'v2' : 'v1'
    const [here, there] = [connection, other].map((each) =>
      originOf(service === 'v2' ? each.address : each.legacyAddress),
    )
    if (here === '' || here !== there) continue
    const known = await keyOf(other, service)
    if (!known.ok || known.value !== (service === 'v2' ? key : legacyKey)) continue
    return appError(
      'invalid-input',
      `This service is connected already, with this key: “${other.name}”.`,
      'Use that connection. Through two, the same books could be written to twice.',
    )
  }
  return null
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address
}
