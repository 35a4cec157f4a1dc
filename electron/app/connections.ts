/**
 * Connections: an address and a key each. The key comes in once, waits in memory while it is tested, and lives in
 * the computer's keychain; settings keep the rest.
 */
import type { Connection } from '../../shared/contract/connections.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import { parseAddress, SAMPLE_ADDRESS } from '../service/addresses.ts'
import { readCompanyList, type CompanyList } from '../service/company-list.ts'
import type { Scheduler } from '../service/scheduler.ts'
import type { ServiceClient, ServiceTarget, TurnRequest } from '../service/wire.ts'
import type { CompanyStore } from '../store/store.ts'
import type { HandlersOf } from './handlers.ts'
import type { Announcer, SavedConnection, SecretStore, SettingsStore } from './ports.ts'

/** The sample's connection has one id for good, so that its labels and drafts are found again. */
export const SAMPLE_CONNECTION: SavedConnection = {
  connectionId: 'sample',
  name: 'Sample service',
  address: SAMPLE_ADDRESS,
  isSample: true,
  legacyAddress: SAMPLE_ADDRESS,
}

/** Where keys are: the keychain, or this process's memory where there is none. Knows no connection but by its id. */
export interface Keys {
  /** Address and key of a connection as they are now. */
  target(connectionId: string): Promise<Result<ServiceTarget>>
}

export interface ConnectionsOptions {
  readonly settings: SettingsStore
  readonly secrets: SecretStore
  /** Parts keychain entries of tests and developers from real ones; empty for people. */
  readonly keychainNamespace: string
  readonly sampleKey: string
  readonly resetSample: () => Promise<Result<void>>
  readonly announcer: Announcer
  /** Given a little later, since the client asks here for its targets. */
  readonly client: () => ServiceClient
  readonly scheduler: () => Scheduler
  readonly companies: () => Pick<CompanyStore, 'removeConnection'>
  /** Takes over a list that Connect has read already. */
  readonly listed: (connectionId: string, list: CompanyList) => Result<number>
}

/** Characters that a header can't carry: a key with them was not copied well. */
const NOT_IN_A_KEY = /[^\u0021-\u007e]/

export function createConnections(options: ConnectionsOptions): {
  handlers: HandlersOf<'connection'>
  keys: Keys
} {
  const { settings, secrets, announcer } = options
  /** Keys that were given and are being tested, by connection. */
  const untested = new Map<string, string>()
  /** Addresses being tested: no saved connection has them yet. */
  const candidates = new Map<string, SavedConnection>()
  /** Keys in use, so that the keychain is asked once a run. */
  const known = new Map<string, { readonly key: string; readonly where: 'keychain' | 'memory' }>()
  const absent = new Set<string>()

  const keychainName = (address: string): string => {
    const origin = URL.canParse(address) ? new URL(address).origin : address
    return `Bookbridge${options.keychainNamespace === '' ? '' : `-${options.keychainNamespace}`} ${origin}`
  }

  const find = (connectionId: string): SavedConnection | undefined =>
    settings.connections().find((each) => each.connectionId === connectionId)

  const keyOf = async (connection: SavedConnection): Promise<Result<string>> => {
    if (connection.isSample) return ok(options.sampleKey)
    const held = known.get(connection.connectionId)
    if (held !== undefined) return ok(held.key)
    const found = await secrets.get(keychainName(connection.address), connection.connectionId)
    if (!found.ok) return found
    if (found.value === null) {
      absent.add(connection.connectionId)
      return err(
        appError(
          'keychain',
          'The key of this connection is not in this computer’s keychain.',
          'Give it again: Settings, Connections, Change key.',
        ),
      )
    }
    known.set(connection.connectionId, { key: found.value, where: 'keychain' })
    return ok(found.value)
  }

  const target = async (connectionId: string): Promise<Result<ServiceTarget>> => {
    const candidate = candidates.get(connectionId)
    const candidateKey = untested.get(connectionId)
    if (candidate !== undefined && candidateKey !== undefined) return ok(toTarget(candidate, candidateKey))
    const connection = find(connectionId)
    if (connection === undefined) return err(noSuchConnection())
    const key = await keyOf(connection)
    return key.ok ? ok(toTarget(connection, key.value)) : key
  }

  const view = (connection: SavedConnection): Connection => ({
    connectionId: connection.connectionId,
    name: connection.name,
    address: connection.address,
    isSample: connection.isSample,
    isLoopback: !connection.isSample && connection.address.startsWith('http:'),
    key: connection.isSample
      ? 'not-needed'
      : (known.get(connection.connectionId)?.where ??
        (absent.has(connection.connectionId) ? 'missing' : 'keychain')),
    legacyAddress: connection.isSample ? '' : connection.legacyAddress,
  })

  const save = (connection: SavedConnection): Result<void> => {
    const others = settings.connections().filter((each) => each.connectionId !== connection.connectionId)
    return settings.setConnections([...others, connection], connection.connectionId)
  }

  const testByListing = (connectionId: string): Promise<Result<CompanyList>> => {
    const request: TurnRequest = {
      connectionId,
      company: null,
      companyName: '',
      what: 'Connecting: listing the companies',
      isWrite: false,
      priority: 'person',
      batchId: '',
    }
    return options.client().read(request, (wire) => readCompanyList(wire), { tries: 1 })
  }

  const keepKey = async (connection: SavedConnection, key: string): Promise<void> => {
    const kept = await secrets.set(keychainName(connection.address), connection.connectionId, key)
    known.set(connection.connectionId, { key, where: kept.ok ? 'keychain' : 'memory' })
    absent.delete(connection.connectionId)
  }

  return {
    keys: { target },
    handlers: {
      'connection.list': async () => {
        const usable = await secrets.probe()
        return ok({
          connections: settings.connections().map(view),
          currentId: settings.currentConnectionId(),
          keychain: {
            available: usable.ok,
            because: usable.ok ? '' : (usable.error.details.raw ?? usable.error.message),
          },
        })
      },

      'connection.setKey': ({ connectionId, key }) => {
        const trimmed = key.trim()
        if (trimmed === '' || NOT_IN_A_KEY.test(trimmed)) {
          return err(
            appError(
              'invalid-input',
              'This can’t be a key: it has spaces or unusual characters in it.',
              'Copy the key again in full, without spaces.',
            ),
          )
        }
        untested.set(connectionId, trimmed)
        return ok({})
      },

      'connection.connect': async ({ connectionId, name, address }) => {
        const parsed = parseAddress(address)
        if (!parsed.ok) return parsed
        const key = untested.get(connectionId)
        if (key === undefined)
          return err(appError('invalid-input', 'Type the API key.', 'Your provider gave it to you.'))
        const before = find(connectionId)
        const candidate: SavedConnection = {
          connectionId,
          name: name.trim() === '' ? new URL(parsed.value.address).host : name.trim(),
          address: parsed.value.address,
          isSample: false,
          legacyAddress: before?.legacyAddress ?? '',
        }
        candidates.set(connectionId, candidate)
        options.scheduler().resume(connectionId)
        const listed = await testByListing(connectionId)
        candidates.delete(connectionId)
        untested.delete(connectionId)
        if (!listed.ok) {
          // The pause was for a key that nobody keeps.
          if (before === undefined) options.scheduler().resume(connectionId)
          return listed
        }
        if (before !== undefined && before.address !== candidate.address) {
          await secrets.remove(keychainName(before.address), connectionId)
        }
        await keepKey(candidate, key)
        const saved = save(candidate)
        if (!saved.ok) return saved
        const companies = options.listed(connectionId, listed.value)
        if (!companies.ok) return companies
        announcer.emit('connections.changed', {})
        return ok({ connection: view(candidate), companies: companies.value })
      },

      'connection.useSample': async () => {
        const listed = await (async () => {
          const saved = save(SAMPLE_CONNECTION)
          return saved.ok ? testByListing(SAMPLE_CONNECTION.connectionId) : saved
        })()
        if (!listed.ok) return listed
        const companies = options.listed(SAMPLE_CONNECTION.connectionId, listed.value)
        if (!companies.ok) return companies
        announcer.emit('connections.changed', {})
        return ok({ connection: view(SAMPLE_CONNECTION) })
      },

      'connection.select': ({ connectionId }) => {
        if (find(connectionId) === undefined) return err(noSuchConnection())
        const saved = settings.setConnections(settings.connections(), connectionId)
        if (!saved.ok) return saved
        announcer.emit('connections.changed', {})
        return ok({})
      },

      'connection.remove': async ({ connectionId }) => {
        const connection = find(connectionId)
        if (connection === undefined) return err(noSuchConnection())
        if (!connection.isSample) {
          const removed = await secrets.remove(keychainName(connection.address), connectionId)
          if (!removed.ok && known.get(connectionId)?.where === 'keychain') return removed
        }
        const others = settings.connections().filter((each) => each.connectionId !== connectionId)
        const current = settings.currentConnectionId()
        const nextId = current === connectionId ? (others[0]?.connectionId ?? null) : current
        const saved = settings.setConnections(others, nextId)
        if (!saved.ok) return saved
        known.delete(connectionId)
        const forgotten = options.companies().removeConnection(connectionId)
        if (!forgotten.ok) return forgotten
        announcer.emit('connections.changed', {})
        return ok({})
      },

      'connection.resetSample': async () => {
        const reset = await options.resetSample()
        if (!reset.ok) return reset
        announcer.emit('companies.changed', { connectionId: SAMPLE_CONNECTION.connectionId })
        return ok({})
      },
    },
  }
}

function toTarget(connection: SavedConnection, key: string): ServiceTarget {
  return {
    connectionId: connection.connectionId,
    address: connection.address,
    legacyAddress: connection.legacyAddress,
    key,
    // One key serves both interfaces until Settings can hold another (specification 5.2).
    legacyKey: key,
  }
}

function noSuchConnection() {
  return appError(
    'not-found',
    'There is no such connection any more.',
    'Choose another one, or add it again.',
  )
}
