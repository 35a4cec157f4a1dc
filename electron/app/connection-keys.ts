/**
 * The keys of connections, for either service. A key comes in once, waits in memory while it is tested, and lives in
 * the computer's keychain, or for this run in this process's memory where there is none.
 */
import { appError, err, ok, type Result } from '../../shared/result.ts'
import type { SavedConnection, SecretStore } from './ports.ts'

/** Whose key: the current service's, or the older one's. */
export type KeyService = 'v2' | 'v1'

export interface ConnectionKeys {
  /** A key that is to be tested. Refuses what can't be one. */
  offer(connectionId: string, service: KeyService, key: string): Result<void>
  /** The key that is to be tested, or `null`. */
  offered(connectionId: string, service: KeyService): string | null
  /** Forgets what was to be tested. */
  withdraw(connectionId: string): void
  of(connection: SavedConnection, service: KeyService): Promise<Result<string>>
  keep(connection: SavedConnection, service: KeyService, key: string): Promise<void>
  /** Where a key is, as far as it is known without asking the keychain. */
  where(connection: SavedConnection, service: KeyService): 'keychain' | 'memory' | 'missing'
  remove(connection: SavedConnection, service: KeyService): Promise<Result<void>>
}

/** Characters that a header can't carry: a key with them was not copied well. */
const NOT_IN_A_KEY = /[^\u0021-\u007e]/

/** @param namespace parts keychain entries of tests and developers from real ones; empty for people */
export function createConnectionKeys(secrets: SecretStore, namespace: string): ConnectionKeys {
  const untested = new Map<string, string>()
  /** Keys in use, so that the keychain is asked once a run. */
  const known = new Map<string, { readonly key: string; readonly where: 'keychain' | 'memory' }>()
  const absent = new Set<string>()

  const entry = (connection: SavedConnection, service: KeyService) => {
    const address = service === 'v2' ? connection.address : connection.legacyAddress
    const origin = URL.canParse(address) ? new URL(address).origin : address
    return {
      service: `Bookbridge${namespace === '' ? '' : `-${namespace}`} ${origin}`,
      account: accountOf(connection.connectionId, service),
    }
  }

  return {
    offer(connectionId, service, key) {
      const trimmed = key.trim()
      if (trimmed === '' || NOT_IN_A_KEY.test(trimmed)) {
        return err(
          appError(
            'invalid-input',
            'This can’t be a key: it has spaces or unusual characters in it.',
            'Copy the key again in full, without spaces.',
            service === 'v1' ? { service } : {},
          ),
        )
      }
      untested.set(accountOf(connectionId, service), trimmed)
      return ok(undefined)
    },
    offered: (connectionId, service) => untested.get(accountOf(connectionId, service)) ?? null,
    withdraw(connectionId) {
      untested.delete(accountOf(connectionId, 'v2'))
      untested.delete(accountOf(connectionId, 'v1'))
    },
    async of(connection, service) {
      const { service: name, account } = entry(connection, service)
      const held = known.get(account)
      if (held !== undefined) return ok(held.key)
      const found = await secrets.get(name, account)
      if (!found.ok) return found
      if (found.value === null) {
        absent.add(account)
        return err(missing(service))
      }
      known.set(account, { key: found.value, where: 'keychain' })
      return ok(found.value)
    },
    async keep(connection, service, key) {
      const { service: name, account } = entry(connection, service)
      const kept = await secrets.set(name, account, key)
      known.set(account, { key, where: kept.ok ? 'keychain' : 'memory' })
      absent.delete(account)
    },
    where({ connectionId }, service) {
      const account = accountOf(connectionId, service)
      return known.get(account)?.where ?? (absent.has(account) ? 'missing' : 'keychain')
    },
    async remove(connection, service) {
      const { service: name, account } = entry(connection, service)
      const inMemory = known.get(account)?.where === 'memory'
      const removed = await secrets.remove(name, account)
      known.delete(account)
      absent.delete(account)
      return removed.ok || inMemory ? ok(undefined) : removed
    },
  }
}

/** Two keys of one connection may belong to one host, so the older service's has a name of its own. */
function accountOf(connectionId: string, service: KeyService): string {
  return service === 'v2' ? connectionId : `${connectionId} v1`
}

function missing(service: KeyService) {
  return appError(
    'keychain',
    service === 'v2'
      ? 'The key of this connection is not in this computer’s keychain.'
      : 'The key of the older service is not in this computer’s keychain.',
    'Type it again under Settings, Connections, and press Connect.',
    service === 'v1' ? { service } : {},
  )
}
