/**
 * Saved connections and their keys: planning a change, collecting the keys to test, and saving both after the test; where
 * each key is kept; and whether the keychain can be used.
 */
import type { CallOutput } from '../../../shared/contract/contract.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import { parseAddress, SAMPLE_ADDRESS } from '../../service/protocol/requests.ts'
import type { SavedConnection, SecretStore, SettingsStore } from '../ports.ts'

/** The protocol, host, and port of an address; `null` if it is none. */
export function originOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).origin : null
}

/** A connection and its keys, to be tested. */
export interface Candidate {
  readonly connection: SavedConnection
  readonly key: string
  /** Empty where there is no older service. */
  readonly legacyKey: string
}

export interface SavedConnections {
  find(connectionId: string): SavedConnection | undefined
  /** Adds a new connection at the end and selects it, or replaces a known one in place. */
  save(connection: SavedConnection): Result<void>
  /** Collects the keys to test: a typed one, or the saved one if the address is the same. */
  candidate(connection: SavedConnection, before: SavedConnection | undefined): Promise<Result<Candidate>>
  /**
   * Saves the typed keys, then the connection. If that fails, restores the previous keys. Each host has a keychain
   * entry of its own, so a key is never sent to an address it was not typed for. Removes the keys of previous addresses
   * last.
   */
  keep(
    candidate: Candidate,
    before: SavedConnection | undefined,
    isSameService: boolean,
  ): Promise<Result<void>>
}

/** Called with a connection's addresses, in the same step in which they are saved. */
export type ChangeAddresses = (
  connectionId: string,
  leads: { readonly v2: string; readonly v1: string },
  isSameService: boolean,
) => Result<void>

/** Whether a connection has an older service (v1). */
export function hasOlder(connection: SavedConnection): boolean {
  return !connection.isSample && connection.legacyAddress !== ''
}

/** Whether a connection has the current service. It may have only an older one. */
export function hasCurrent({ address }: Pick<SavedConnection, 'address'>): boolean {
  return address !== ''
}

/** Whether a saved connection has addresses that a user could have entered. The sample's is fixed. */
export function isValidConnection({ address, isSample, legacyAddress }: SavedConnection): boolean {
  if (isSample) return address === SAMPLE_ADDRESS && legacyAddress === ''
  const isAddress = (text: string): boolean => {
    const parsed = parseAddress(text)
    return parsed.ok && parsed.value.address === text
  }
  const addresses = [address, legacyAddress].filter((each) => each !== '')
  return addresses.length > 0 && addresses.every(isAddress)
}

/** A connection's addresses. */
export function addressesOf(connection: SavedConnection): { readonly v2: string; readonly v1: string } {
  return { v2: connection.address, v1: hasOlder(connection) ? connection.legacyAddress : '' }
}

/** The saved connection with this ID. */
export function findConnection(
  settings: Pick<SettingsStore, 'connections'>,
  connectionId: string,
): SavedConnection | undefined {
  return settings.connections().find((each) => each.connectionId === connectionId)
}

export function createSavedConnections(
  settings: SettingsStore,
  keys: ConnectionKeys,
  changeAddresses: ChangeAddresses,
): SavedConnections {
  const find: SavedConnections['find'] = (connectionId) => findConnection(settings, connectionId)

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

  /** Nothing may be sent or rechecked between these two steps. */
  const saveAddresses = (
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
    const saved = saveAddresses(connection, before, isSameService)
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

// Plans a connection from what was typed. Pure functions.

export interface TypedConnection {
  readonly connectionId: string
  readonly name: string
  /** Empty if the connection has only an older service. */
  readonly address: string
  /** Empty for none. `undefined` leaves it unchanged. */
  readonly legacyAddress: string | undefined
}

/** Returns the connection as it would be saved, or an error for an invalid address. */
export function planConnection(
  typed: TypedConnection,
  before: SavedConnection | undefined,
): Result<SavedConnection> {
  const older = plannedOlder(typed.legacyAddress ?? before?.legacyAddress ?? '')
  const hasOnlyOlderService = typed.address.trim() === '' && older.ok && older.value !== ''
  const address = hasOnlyOlderService ? ok({ address: '' }) : parseAddress(typed.address)
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

/** A key belongs to one address. Another address needs the key again. */
function keyNeededError(service: 'v2' | 'v1') {
  return service === 'v2'
    ? appError(
        'invalid-input',
        'Enter the API key for this address.',
        'A key belongs to one address. Bookbridge never sends it to another one on its own.',
        { code: 'needs-key' },
      )
    : appError(
        'invalid-input',
        'Enter the older service’s API key for this address.',
        'A key belongs to one address. Bookbridge never sends it to another one on its own.',
        { code: 'needs-key', service: 'v1' },
      )
}

export function noSuchConnectionError() {
  return appError('not-found', 'This connection no longer exists.', 'Choose another one, or add it again.')
}

/** Removing it now would lose the response to a request that may start billing. */
export function provisioningError() {
  return appError(
    'invalid-input',
    'A company is being provisioned over this connection right now.',
    'Wait for the response, or stop waiting under Companies. Then remove the connection.',
  )
}

/*
 * The keys of connections. A key waits in memory while it is tested, and is then saved in the computer's keychain.
 * Without a keychain, it stays in this process's memory for this run.
 */

/** Which service a key is for: the current one, or the older one. */
export type KeyService = 'v2' | 'v1'

export interface ConnectionKeys {
  /** Keeps a typed key for a test. Refuses what can't be a key. */
  stage(connectionId: string, service: KeyService, key: string): Result<void>
  /** The key waiting for a test, or `null`. */
  staged(connectionId: string, service: KeyService): string | null
  /** Forgets the keys waiting for a test. */
  unstage(connectionId: string): void
  get(connection: SavedConnection, service: KeyService): Promise<Result<string>>
  /** Saves a key for the connection's current address only, not for its earlier or later ones. */
  save(connection: SavedConnection, service: KeyService, key: string): Promise<void>
  /** Every key in memory, so that none is written to a log. */
  values(): readonly string[]
  /** Where a key is, as far as is known without asking the keychain. */
  where(connection: SavedConnection, service: KeyService): 'keychain' | 'memory' | 'missing'
  remove(connection: SavedConnection, service: KeyService): Promise<Result<void>>
  /** Whether two versions of a connection share the keychain entry of this key: they have the same host. */
  haveSameEntry(one: SavedConnection, other: SavedConnection, service: KeyService): boolean
}

/** What a header can carry. The length is the contract's limit. */
const KEY = /^[\u0021-\u007e]{1,4096}$/

/** @param namespace keeps entries of tests and developers apart from real ones. Empty for users. */
export function createConnectionKeys(secrets: SecretStore, namespace: string): ConnectionKeys {
  const untested = new Map<string, string>()
  /**
   * Keys in use, by host and account as in the keychain: each entry is read once, and no key moves to another host.
   */
  const known = new Map<string, { readonly key: string; readonly where: 'keychain' | 'memory' }>()
  const absent = new Set<string>()

  const entry = (connection: SavedConnection, service: KeyService) => {
    const address = service === 'v2' ? connection.address : connection.legacyAddress
    const origin = URL.canParse(address) ? new URL(address).origin : address
    const name = `Bookbridge${namespace === '' ? '' : `-${namespace}`} ${origin}`
    const account = accountOf(connection.connectionId, service)
    return { name, account, entryKey: JSON.stringify([name, account]) }
  }

  return {
    stage(connectionId, service, key) {
      const trimmed = key.trim()
      if (!KEY.test(trimmed)) {
        return err(
          appError(
            'invalid-input',
            'This isn’t a valid key. It contains spaces or unusual characters.',
            'Copy the whole key again, without spaces.',
            service === 'v1' ? { service } : {},
          ),
        )
      }
      untested.set(accountOf(connectionId, service), trimmed)
      return ok(undefined)
    },
    staged: (connectionId, service) => untested.get(accountOf(connectionId, service)) ?? null,
    unstage(connectionId) {
      untested.delete(accountOf(connectionId, 'v2'))
      untested.delete(accountOf(connectionId, 'v1'))
    },
    async get(connection, service) {
      const { name, account, entryKey } = entry(connection, service)
      const held = known.get(entryKey)
      if (held !== undefined) return ok(held.key)
      const found = await secrets.get(name, account)
      if (!found.ok) return found
      if (found.value === null) {
        absent.add(entryKey)
        return err(missing(service))
      }
      // Another program may have changed the entry.
      if (!KEY.test(found.value)) return err(unusable(service))
      known.set(entryKey, { key: found.value, where: 'keychain' })
      return ok(found.value)
    },
    async save(connection, service, key) {
      const { name, account, entryKey } = entry(connection, service)
      const kept = await secrets.set(name, account, key)
      known.set(entryKey, { key, where: kept.ok ? 'keychain' : 'memory' })
      absent.delete(entryKey)
    },
    values: () => [...untested.values(), ...[...known.values()].map(({ key }) => key)],
    where(connection, service) {
      const { entryKey } = entry(connection, service)
      return known.get(entryKey)?.where ?? (absent.has(entryKey) ? 'missing' : 'keychain')
    },
    async remove(connection, service) {
      const { name, account, entryKey } = entry(connection, service)
      const inMemory = known.get(entryKey)?.where === 'memory'
      const removed = await secrets.remove(name, account)
      known.delete(entryKey)
      absent.delete(entryKey)
      return removed.ok || inMemory ? ok(undefined) : removed
    },
    haveSameEntry: (one, other, service) => entry(one, service).entryKey === entry(other, service).entryKey,
  }
}

/** Both keys of a connection may belong to one host, so the older service's has an account of its own. */
function accountOf(connectionId: string, service: KeyService): string {
  return service === 'v2' ? connectionId : `${connectionId} v1`
}

function missing(service: KeyService) {
  return appError(
    'keychain',
    service === 'v2'
      ? 'The key of this connection isn’t in this computer’s keychain.'
      : 'The key of the older service isn’t in this computer’s keychain.',
    'Enter it again under Settings, Connections, and choose Connect.',
    service === 'v1' ? { service } : {},
  )
}

function unusable(service: KeyService) {
  return appError(
    'keychain',
    'The keychain entry for this connection isn’t a valid key.',
    'Enter the key again under Settings, Connections, and choose Connect.',
    service === 'v1' ? { service } : {},
  )
}

/*
 * Whether this computer's keychain can be used. A keychain may answer late or never, and the window doesn't wait: after
 * a moment it gets what is known so far, and an event if that turns out to be wrong.
 */

type KeychainState = CallOutput<'connection.list'>['keychain']

/** Milliseconds. A working keychain answers in a few. */
const PATIENCE = 700

const NOT_YET: KeychainState = { available: false, reason: 'it hasn’t responded yet' }

/** @param changed called when the last response is no longer true */
export function createKeychainState(
  secrets: Pick<SecretStore, 'probe'>,
  clock: Pick<Clock, 'after'>,
  changed: () => void,
): () => Promise<KeychainState> {
  let known = NOT_YET
  const ask = async (): Promise<KeychainState> => {
    const usable = await secrets.probe()
    known = {
      available: usable.ok,
      reason: usable.ok ? '' : (usable.error.details.raw ?? usable.error.message),
    }
    return known
  }
  return async () => {
    const response = ask()
    let stopWaiting = (): void => undefined
    const patience = new Promise<null>((resolve) => {
      stopWaiting = clock.after(PATIENCE, () => {
        resolve(null)
      })
    })
    const inTime = await Promise.race([response, patience])
    stopWaiting()
    if (inTime !== null) return inTime
    const lastKnown = known
    void response.then(({ available, reason }) => {
      if (available !== lastKnown.available || reason !== lastKnown.reason) changed()
    })
    return lastKnown
  }
}
