/** Connections as they are saved, with their keys: what is to be tested of one, and keeping it once it was. */
import { type Result, err, ok, appError } from '../../../shared/result.ts'
import { parseAddress, SAMPLE_ADDRESS } from '../../service/protocol/operations.ts'
import type { SavedConnection, SettingsStore } from '../ports.ts'
import type { ConnectionKeys } from './keys.ts'

/** A connection with its keys, to be tested. */
export interface Candidate {
  readonly connection: SavedConnection
  readonly key: string
  /** Empty where there is no older service. */
  readonly legacyKey: string
}

export interface SavedConnections {
  find(connectionId: string): SavedConnection | undefined
  /** A new one comes last and is used at once; one that is known keeps its place, and the one in use stays. */
  save(connection: SavedConnection): Result<void>
  /** What is to be tested: a typed key, or the kept one as long as its address is the same. */
  candidate(connection: SavedConnection, before: SavedConnection | undefined): Promise<Result<Candidate>>
  /**
   * Keys that were typed are kept, and then the connection; not kept, its keys are as they were before. Each key has
   * the place of its own host, so that at no moment one is sent to an address that it was not typed for. Keys of
   * addresses that are gone are taken away last.
   */
  keep(
    candidate: Candidate,
    before: SavedConnection | undefined,
    isSameService: boolean,
  ): Promise<Result<void>>
}

/** Hears where a connection leads, in the same moment in which that is saved. */
export type ChangeAddresses = (
  connectionId: string,
  leads: { readonly v2: string; readonly v1: string },
  isSameService: boolean,
) => Result<void>

/** Whether it names an older service (v1) too. */
export function hasOlder(connection: SavedConnection): boolean {
  return !connection.isSample && connection.legacyAddress !== ''
}

/** Whether the current service is there: a connection may lead to an older one alone. */
export function hasCurrent({ address }: Pick<SavedConnection, 'address'>): boolean {
  return address !== ''
}

/** Whether a saved connection leads where a person could have had it lead; the sample's has no other address. */
export function isValidConnection({ address, isSample, legacyAddress }: SavedConnection): boolean {
  if (isSample) return address === SAMPLE_ADDRESS && legacyAddress === ''
  const isAddress = (text: string): boolean => {
    const parsed = parseAddress(text)
    return parsed.ok && parsed.value.address === text
  }
  const addresses = [address, legacyAddress].filter((each) => each !== '')
  return addresses.length > 0 && addresses.every(isAddress)
}

/** Where a connection leads. */
export function addressesOf(connection: SavedConnection): { readonly v2: string; readonly v1: string } {
  return { v2: connection.address, v1: hasOlder(connection) ? connection.legacyAddress : '' }
}

export function createSavedConnections(
  settings: SettingsStore,
  keys: ConnectionKeys,
  changeAddresses: ChangeAddresses,
): SavedConnections {
  const find: SavedConnections['find'] = (connectionId) =>
    settings.connections().find((each) => each.connectionId === connectionId)

  const save: SavedConnections['save'] = (connection) => {
    const all = settings.connections()
    const isNew = find(connection.connectionId) === undefined
    const next = isNew
      ? [...all, connection]
      : all.map((each) => (each.connectionId === connection.connectionId ? connection : each))
    return settings.setConnections(next, isNew ? connection.connectionId : settings.currentConnectionId())
  }

  const candidate: SavedConnections['candidate'] = async (connection, before) => {
    const keyFor = (
      service: 'v2' | 'v1',
      isSameAddress: boolean,
    ): Promise<Result<string>> | Result<string> => {
      const offered = keys.staged(connection.connectionId, service)
      if (offered !== null) return ok(offered)
      return before !== undefined && isSameAddress ? keys.get(before, service) : err(keyNeededError(service))
    }
    const key = hasCurrent(connection) ? await keyFor('v2', before?.address === connection.address) : ok('')
    if (!key.ok) return key
    if (!hasOlder(connection)) return ok({ connection, key: key.value, legacyKey: '' })
    const legacyKey = await keyFor('v1', before?.legacyAddress === connection.legacyAddress)
    return legacyKey.ok ? ok({ connection, key: key.value, legacyKey: legacyKey.value }) : legacyKey
  }

  /** Nothing may be sent, or looked for, between the one and the other. */
  const saveWhereItLeads = (
    connection: SavedConnection,
    before: SavedConnection | undefined,
    isSameService: boolean,
  ): Result<void> => {
    const { connectionId } = connection
    const led = changeAddresses(connectionId, addressesOf(connection), isSameService)
    if (!led.ok) return led
    const saved = save(connection)
    if (!saved.ok && before !== undefined) changeAddresses(connectionId, addressesOf(before), isSameService)
    return saved
  }

  const keep: SavedConnections['keep'] = async ({ connection, key, legacyKey }, before, isSameService) => {
    const typed = [
      ...(hasCurrent(connection) ? [{ service: 'v2' as const, key }] : []),
      ...(hasOlder(connection) ? [{ service: 'v1' as const, key: legacyKey }] : []),
    ].filter(({ service }) => keys.staged(connection.connectionId, service) !== null)
    const undo: (() => Promise<unknown>)[] = []
    for (const { service, key } of typed) {
      const former =
        before !== undefined && keys.haveSameEntry(before, connection, service)
          ? await keys.get(before, service)
          : null
      undo.push(() =>
        former?.ok === true ? keys.save(connection, service, former.value) : keys.remove(connection, service),
      )
      await keys.save(connection, service, key)
    }
    const saved = saveWhereItLeads(connection, before, isSameService)
    if (!saved.ok) {
      for (const step of undo) await step()
      return saved
    }
    if (before === undefined) return saved
    if (hasCurrent(before) && !keys.haveSameEntry(before, connection, 'v2')) await keys.remove(before, 'v2')
    if (hasOlder(before) && !(hasOlder(connection) && keys.haveSameEntry(before, connection, 'v1'))) {
      await keys.remove(before, 'v1')
    }
    return saved
  }

  return { find, save, candidate, keep }
}

// What a connection would be like with what was typed, and the words for what can't be. Decides only.

export interface TypedConnection {
  readonly connectionId: string
  readonly name: string
  /** Empty: none, where there is an older service. */
  readonly address: string
  /** Empty: none. `undefined`: as it was. */
  readonly legacyAddress: string | undefined
}

/** The connection as it would be saved; refuses an address that can't be one. */
export function planConnection(
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
function keyNeededError(service: 'v2' | 'v1') {
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
export function provisioningError() {
  return appError(
    'invalid-input',
    'A company is being provisioned over this connection right now.',
    'Wait for its answer, or stop waiting under Companies; then remove the connection.',
  )
}
