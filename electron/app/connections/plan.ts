/** What a connection would be like with what was typed, and the words for what can't be. Decides only. */
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { parseAddress } from '../../service/protocol/operations.ts'
import type { SavedConnection } from '../ports.ts'

export interface TypedConnection {
  readonly connectionId: string
  readonly name: string
  /** Empty: none, where there is an older service. */
  readonly address: string
  /** Empty: none. `undefined`: as it was. */
  readonly legacyAddress: string | undefined
}

/** The connection as it would be saved; refuses an address that can't be one. */
export function plannedConnection(
  typed: TypedConnection,
  before: SavedConnection | undefined,
): Result<SavedConnection> {
  const older = plannedOlder(typed.legacyAddress ?? before?.legacyAddress ?? '')
  const isOlderAlone = typed.address.trim() === '' && older.ok && older.value !== ''
  const address = isOlderAlone ? ok({ address: '' }) : parseAddress(typed.address)
  if (!address.ok) return address
  if (!older.ok) return older
  return ok({
    connectionId: typed.connectionId,
    name: typed.name.trim() === '' ? new URL(address.value.address || older.value).host : typed.name.trim(),
    address: address.value.address,
    isSample: false,
    legacyAddress: older.value,
    settings: before?.settings ?? {},
  })
}

function plannedOlder(typed: string): Result<string> {
  if (typed.trim() === '') return ok('')
  const parsed = parseAddress(typed)
  if (parsed.ok) return ok(parsed.value.address)
  const { error } = parsed
  return err({ ...error, details: { ...error.details, service: 'v1' } })
}

/** A key is given for one address; for another it is asked for again. */
export function needsKey(service: 'v2' | 'v1') {
  return service === 'v2'
    ? appError(
        'invalid-input',
        'Type the API key for this address.',
        'A key is given for one address; it is never sent to another one by itself.',
        { code: 'needs-key' },
      )
    : appError(
        'invalid-input',
        'Type the older service’s API key for this address.',
        'A key is given for one address; it is never sent to another one by itself.',
        { code: 'needs-key', service: 'v1' },
      )
}

export function noSuchConnection() {
  return appError(
    'not-found',
    'There is no such connection any more.',
    'Choose another one, or add it again.',
  )
}

/** Refused while it may start billing: its answer would have no place to go. */
export function isSettingUp() {
  return appError(
    'invalid-input',
    'A company is being provisioned over this connection right now.',
    'Wait for its answer, or stop waiting under Companies; then remove the connection.',
  )
}
