/**
 * One connection for a service and a key. The journal and its doubts belong to a connection: through a second one, the
 * same books could be written to while the first still looks for what became of an insert.
 */
import { appError, type AppError, type Result } from '../../shared/result.ts'
import type { Candidate } from './connection-test.ts'
import type { SavedConnection } from './ports.ts'

/**
 * The refusal of a connection whose service and key another one has already; `null` when none has.
 * @param others all connections that are saved
 * @param keyOf the key of a saved one; it is compared here and goes nowhere
 */
export async function connectedAlready(
  { connection, key }: Pick<Candidate, 'connection' | 'key'>,
  others: readonly SavedConnection[],
  keyOf: (other: SavedConnection) => Promise<Result<string>>,
): Promise<AppError | null> {
  const origin = originOf(connection.address)
  for (const other of others) {
    if (other.connectionId === connection.connectionId || other.isSample) continue
    if (originOf(other.address) !== origin) continue
    const known = await keyOf(other)
    if (!known.ok || known.value !== key) continue
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
