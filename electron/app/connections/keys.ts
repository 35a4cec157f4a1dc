/**
 * The keys of connections. A key waits in memory while it is tested, and is then saved in the computer's keychain.
 * Without a keychain, it stays in this process's memory for this run.
 */
import type { CallAnswer } from '../../../shared/contract/contract.ts'
import { type Result, appError, err, ok } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { SavedConnection, SecretStore } from '../ports.ts'

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
    return { name, account, place: JSON.stringify([name, account]) }
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
      const { name, account, place } = entry(connection, service)
      const held = known.get(place)
      if (held !== undefined) return ok(held.key)
      const found = await secrets.get(name, account)
      if (!found.ok) return found
      if (found.value === null) {
        absent.add(place)
        return err(missing(service))
      }
      // Another program may have changed the entry.
      if (!KEY.test(found.value)) return err(unusable(service))
      known.set(place, { key: found.value, where: 'keychain' })
      return ok(found.value)
    },
    async save(connection, service, key) {
      const { name, account, place } = entry(connection, service)
      const kept = await secrets.set(name, account, key)
      known.set(place, { key, where: kept.ok ? 'keychain' : 'memory' })
      absent.delete(place)
    },
    values: () => [...untested.values(), ...[...known.values()].map(({ key }) => key)],
    where(connection, service) {
      const { place } = entry(connection, service)
      return known.get(place)?.where ?? (absent.has(place) ? 'missing' : 'keychain')
    },
    async remove(connection, service) {
      const { name, account, place } = entry(connection, service)
      const inMemory = known.get(place)?.where === 'memory'
      const removed = await secrets.remove(name, account)
      known.delete(place)
      absent.delete(place)
      return removed.ok || inMemory ? ok(undefined) : removed
    },
    haveSameEntry: (one, other, service) => entry(one, service).place === entry(other, service).place,
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
      ? 'The key of this connection is not in this computer’s keychain.'
      : 'The key of the older service is not in this computer’s keychain.',
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

type KeychainState = CallAnswer<'connection.list'>['keychain']

/** Milliseconds. A working keychain answers in a few. */
const PATIENCE = 700

const NOT_YET: KeychainState = { available: false, because: 'it has not answered yet' }

/** @param changed called when the last answer is no longer true */
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
      because: usable.ok ? '' : (usable.error.details.raw ?? usable.error.message),
    }
    return known
  }
  return async () => {
    const answer = ask()
    let stopWaiting = (): void => undefined
    const patience = new Promise<null>((resolve) => {
      stopWaiting = clock.after(PATIENCE, () => {
        resolve(null)
      })
    })
    const inTime = await Promise.race([answer, patience])
    stopWaiting()
    if (inTime !== null) return inTime
    const told = known
    void answer.then(({ available, because }) => {
      if (available !== told.available || because !== told.because) changed()
    })
    return told
  }
}
