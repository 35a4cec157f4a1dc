/**
 * Connections: the addresses of a service and of its older interface, their keys, and their settings. Nothing is saved
 * before it was tested. The settings file has everything but the keys.
 */
import type { Provisioning } from '../../../shared/contract/companies.ts'
import type { Connection, LearnedBehavior } from '../../../shared/contract/connections.ts'
import type { ConnectionSettings, Settings } from '../../../shared/contract/settings.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import {
  type CompanyList,
  EMPTY_LIST,
  type LegacyCompanyList,
  readCompanyList,
  readLegacyCompanyList,
} from '../../service/companies/company-list.ts'
import { createMask } from '../../service/errors/redact.ts'
import { SAMPLE_ADDRESS } from '../../service/protocol/requests.ts'
import {
  type ServiceClient,
  serviceRequest,
  type ServiceTarget,
  type SlotRequest,
} from '../../service/protocol/wire.ts'
import type { Scheduler } from '../../service/queue/scheduler.ts'
import { defined, type HandlersOf } from '../calls.ts'
import type { Announcer, SavedConnection, SecretStore, SettingsStore } from '../ports.ts'
import {
  type Candidate,
  type ChangeAddresses,
  type ConnectionKeys,
  createConnectionKeys,
  createKeychainState,
  createSavedConnections,
  hasCurrent,
  hasOlder,
  noSuchConnectionError,
  originOf,
  planConnection,
  provisioningError,
} from './saved-connections.ts'

/** The sample's connection always has the same ID, so that its labels and drafts are found again. */
export const SAMPLE_CONNECTION: SavedConnection = {
  connectionId: 'sample',
  name: 'Sample service',
  address: SAMPLE_ADDRESS,
  isSample: true,
  legacyAddress: '',
  settings: {},
}

/** Looks up a connection's address, key, and settings by its ID. */
export interface ConnectionDirectory {
  /** The addresses and keys to use, saved or being tested. */
  target(connectionId: string, isTest?: boolean): Promise<Result<ServiceTarget>>
  /** Whether a connection has an older service. An error if its key is missing. */
  hasOlderService(connectionId: string): Promise<Result<boolean>>
  /** Whether a connection has only an older service. */
  hasOnlyOlderService(connectionId: string): boolean
  /** The settings that apply to it. */
  settings(connectionId: string): Settings
  /** Every key that this process holds. */
  secrets(): readonly string[]
  /** Whether a key was typed that **Connect** hasn't tested yet. */
  hasNewKey(connectionId: string): boolean
}

export interface ConnectionsOptions {
  readonly settings: SettingsStore
  readonly secrets: SecretStore
  /** Keeps entries of tests and developers apart from real ones. Empty for users. */
  readonly keychainNamespace: string
  readonly sampleKey: string
  readonly resetSample: () => Promise<Result<void>>
  readonly announcer: Announcer
  readonly clock: Pick<Clock, 'after'>
  /** A function, since the client in turn needs `keys`. */
  readonly client: () => ServiceClient
  readonly scheduler: () => Scheduler
  /** Deletes everything kept about it. Refused while something that was sent over it is not confirmed. */
  readonly forget: (connectionId: string) => Promise<Result<void>>
  readonly provisionings: (connectionId: string) => readonly Provisioning[]
  /** What writing has shown about its service. */
  readonly learned: (connectionId: string) => readonly LearnedBehavior[]
  readonly changeAddresses: ChangeAddresses
  /** Saves the lists that **Connect** read. The older service's is `null` if it was not read. */
  readonly listed: (connectionId: string, list: CompanyList, older: LegacyCompanyList | null) => number
}

export function createConnections(options: ConnectionsOptions): {
  handlers: HandlersOf<'connection'>
  keys: ConnectionDirectory
} {
  const { settings, secrets, announcer } = options
  const keys = createConnectionKeys(secrets, options.keychainNamespace)
  const keychainState = createKeychainState(secrets, options.clock, () => {
    announcer.emit('connections.changed', {})
  })
  const test = createConnectionTest(options)
  const saved = createSavedConnections(settings, keys, options.changeAddresses)
  const { find } = saved

  /** The last target of each connection. Its keys stay masked as long as it is here. */
  const targets = new Map<string, ServiceTarget>()

  const target: ConnectionDirectory['target'] = async (connectionId, isTest = false) => {
    const tested = isTest ? test.target(connectionId) : null
    if (tested !== null) return ok(tested)
    const connection = find(connectionId)
    if (connection === undefined) return err(noSuchConnectionError())
    const { address, legacyAddress, isSample } = connection
    const key = isSample
      ? ok(options.sampleKey)
      : hasCurrent(connection)
        ? await keys.get(connection, 'v2')
        : ok('')
    if (!key.ok) return key
    // Without this key, the older service isn't used, and the current one doesn't need it.
    const legacyKey = hasOlder(connection) ? await keys.get(connection, 'v1') : ok('')
    const keyOfOlder = legacyKey.ok ? legacyKey.value : ''
    const last = targets.get(connectionId)
    const isSame =
      last?.address === address &&
      last.legacyAddress === legacyAddress &&
      last.key === key.value &&
      last.legacyKey === keyOfOlder
    if (isSame) return ok(last)
    const next = createTarget(connection, key.value, keyOfOlder)
    targets.set(connectionId, next)
    return ok(next)
  }

  const view = (connection: SavedConnection): Connection => ({
    connectionId: connection.connectionId,
    name: connection.name,
    address: connection.address,
    isSample: connection.isSample,
    isLoopback: !connection.isSample && (connection.address || connection.legacyAddress).startsWith('http:'),
    key: connection.isSample || !hasCurrent(connection) ? 'not-needed' : keys.where(connection, 'v2'),
    legacyAddress: hasOlder(connection) ? connection.legacyAddress : '',
    legacyKey: hasOlder(connection) ? keys.where(connection, 'v1') : 'not-needed',
    settings: connection.settings,
  })

  return {
    keys: {
      target,
      async hasOlderService(connectionId) {
        const connection = find(connectionId)
        if (connection === undefined || !hasOlder(connection)) return ok(false)
        const key = await keys.get(connection, 'v1')
        return key.ok ? ok(true) : key
      },
      hasOnlyOlderService(connectionId) {
        const connection = find(connectionId)
        return connection !== undefined && !hasCurrent(connection)
      },
      settings: (connectionId) => settingsFor(settings.get(), find(connectionId)?.settings),
      secrets: () => keys.values(),
      hasNewKey: (connectionId) =>
        (['v2', 'v1'] as const).some((service) => keys.staged(connectionId, service) !== null),
    },
    handlers: {
      'connection.list': async () => {
        const keychain = await keychainState()
        return ok({
          connections: settings.connections().map(view),
          currentId: settings.currentConnectionId(),
          keychain,
        })
      },

      'connection.setKey': ({ connectionId, key, service = 'v2' }) => {
        const offered = keys.stage(connectionId, service, key)
        return offered.ok ? ok({}) : offered
      },

      'connection.connect': async (typed) => {
        const { connectionId, name, address, legacyAddress, isSameService = false, settings: chosen } = typed
        const before = find(connectionId)
        const planned = planConnection({ connectionId, name, address, legacyAddress }, before)
        if (!planned.ok) return planned
        const connection: SavedConnection = {
          ...planned.value,
          settings: chosen === undefined ? planned.value.settings : ownSettings(chosen, settings.get()),
        }
        const candidate = await saved.candidate(connection, before)
        const twin = candidate.ok
          ? await findDuplicate(candidate.value, settings.connections(), (other, service) =>
              keys.get(other, service),
            )
          : null
        if (twin !== null) {
          keys.unstage(connectionId)
          return err(twin)
        }
        const read = candidate.ok ? await test.lists(candidate.value) : candidate
        const kept =
          candidate.ok && read.ok ? await saved.keep(candidate.value, before, isSameService) : ok(undefined)
        keys.unstage(connectionId)
        if (!read.ok) return read
        if (!kept.ok) return kept
        const { list, older } = read.value
        options.listed(connectionId, list, older)
        options.scheduler().resumeKey(connectionId)
        announcer.emit('connections.changed', {})
        return ok({
          connection: view(connection),
          companies: list.companies.length,
          legacyCompanies: hasOlder(connection) ? older.companies.length : null,
          isWhole: list.isWhole && older.isWhole,
        })
      },

      'connection.change': ({ connectionId, name, settings: chosen }) => {
        const before = find(connectionId)
        if (before === undefined) return err(noSuchConnectionError())
        const connection = {
          ...before,
          name: name.trim() === '' ? before.name : name.trim(),
          settings: ownSettings(chosen, settings.get()),
        }
        const kept = saved.save(connection)
        if (!kept.ok) return kept
        announcer.emit('connections.changed', {})
        return ok({ connection: view(connection) })
      },

      'connection.learned': ({ connectionId }) => ok(options.learned(connectionId)),

      'connection.useSample': async () => {
        const sample = find(SAMPLE_CONNECTION.connectionId) ?? SAMPLE_CONNECTION
        const kept = saved.save(sample)
        if (!kept.ok) return kept
        const read = await test.lists({ connection: sample, key: options.sampleKey, legacyKey: '' })
        if (!read.ok) return read
        options.listed(sample.connectionId, read.value.list, read.value.older)
        const chosen = settings.setConnections(settings.connections(), sample.connectionId)
        if (!chosen.ok) return chosen
        announcer.emit('connections.changed', {})
        return ok({ connection: view(sample) })
      },

      'connection.select': ({ connectionId }) => {
        if (find(connectionId) === undefined) return err(noSuchConnectionError())
        const chosen = settings.setConnections(settings.connections(), connectionId)
        if (!chosen.ok) return chosen
        announcer.emit('connections.changed', {})
        return ok({})
      },

      'connection.remove': async ({ connectionId }) => {
        const connection = find(connectionId)
        if (connection === undefined) return err(noSuchConnectionError())
        const settingUp = options.provisionings(connectionId)
        if (settingUp.some(({ state }) => state === 'making-user' || state === 'sending')) {
          return err(provisioningError())
        }
        // Do first what may be refused, so that a refusal changes nothing.
        const forgotten = await options.forget(connectionId)
        if (!forgotten.ok) return forgotten
        const others = settings.connections().filter((each) => each.connectionId !== connectionId)
        const current = settings.currentConnectionId()
        const nextId = current === connectionId ? (others[0]?.connectionId ?? null) : current
        const left = settings.setConnections(others, nextId)
        if (!left.ok) return left
        if (settings.get().lastCompany?.connectionId === connectionId) settings.set({ lastCompany: null })
        targets.delete(connectionId)
        stopWaiting(options.scheduler(), connectionId)
        announcer.emit('connections.changed', {})
        if (connection.isSample) return ok({})
        const removed = hasCurrent(connection) ? await keys.remove(connection, 'v2') : ok(undefined)
        const olderRemoved = hasOlder(connection) ? await keys.remove(connection, 'v1') : ok(undefined)
        if (!removed.ok) return removed
        return olderRemoved.ok ? ok({}) : olderRemoved
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

function createTarget(
  { connectionId, address, legacyAddress }: SavedConnection,
  key: string,
  legacyKey: string,
): ServiceTarget {
  return { connectionId, address, legacyAddress, key, legacyKey, mask: createMask([key, legacyKey]) }
}

/** Stops everything queued for a connection that was removed. */
function stopWaiting(scheduler: Scheduler, connectionId: string): void {
  scheduler.resume(connectionId)
  for (const queue of scheduler.queues().filter((each) => each.connectionId === connectionId)) {
    for (const { entryId } of queue.waiting) scheduler.stop(entryId)
    if (queue.running !== null) scheduler.stop(queue.running.entryId)
  }
}

// A connection's settings override the program's.

/**
 * @param own `undefined` for a connection that was removed
 * @internal
 */
export function settingsFor(program: Settings, own: ConnectionSettings | undefined): Settings {
  return own === undefined ? program : { ...program, ...defined(own) }
}

/**
 * Keeps only what differs from the program's settings, so that later changes to those still apply.
 * @internal
 */
export function ownSettings(chosen: ConnectionSettings, program: Settings): ConnectionSettings {
  const given = Object.entries(defined(chosen)) as [keyof ConnectionSettings, string | number][]
  return Object.fromEntries(given.filter(([name, value]) => program[name] !== value))
}

/*
 * **Connect** tests addresses and keys by listing the companies, of both services if there are two. Only these requests
 * use an address that isn't saved.
 */

export interface ConnectionTest {
  /** The target of a running test, or `null`. */
  target(connectionId: string): ServiceTarget | null
  /** Tries each service once. An error of the older one says so in its details. */
  lists(
    candidate: Candidate,
  ): Promise<Result<{ readonly list: CompanyList; readonly older: LegacyCompanyList }>>
}

const NO_OLDER_SERVICE: LegacyCompanyList = { companies: [], isWhole: true }

function createConnectionTest(options: { readonly client: () => ServiceClient }): ConnectionTest {
  const candidates = new Map<string, Candidate>()

  const list: ConnectionTest['lists'] = async ({ connection, legacyKey }) => {
    const turn = request(connection.connectionId)
    const read = hasCurrent(connection)
      ? await options.client().read(turn, (wire) => readCompanyList(wire), { tries: 1 })
      : ok(EMPTY_LIST)
    if (!read.ok) return read
    if (connection.legacyAddress === '' || legacyKey === '') {
      return ok({ list: read.value, older: NO_OLDER_SERVICE })
    }
    const older = await options
      .client()
      .read({ ...turn, service: 'v1' }, (wire) => readLegacyCompanyList(wire), { tries: 1 })
    return older.ok ? ok({ list: read.value, older: older.value }) : older
  }

  return {
    target(connectionId) {
      const candidate = candidates.get(connectionId)
      if (candidate === undefined) return null
      const { connection, key, legacyKey } = candidate
      return createTarget(connection, key, legacyKey)
    },
    async lists(candidate) {
      const { connectionId } = candidate.connection
      candidates.set(connectionId, candidate)
      try {
        return await list(candidate)
      } finally {
        candidates.delete(connectionId)
      }
    },
  }
}

function request(connectionId: string): SlotRequest {
  const what = 'Connecting: listing the companies'
  return { ...serviceRequest({ connectionId, what, isWrite: false, priority: 'interactive' }), isTest: true }
}

/*
 * A service and a key may have only one connection. The journal belongs to a connection: through a second one, the same
 * books could be written to while the first still searches for an uncertain insert.
 */

/**
 * Returns an error if another connection has the same service and key, otherwise `null`. Compares the older service if
 * either has no current one.
 * @param others all saved connections
 * @param keyOf returns a saved connection's key, which is only compared
 */
async function findDuplicate(
  { connection, key, legacyKey }: Candidate,
  others: readonly SavedConnection[],
  keyOf: ConnectionKeys['get'],
): Promise<AppError | null> {
  for (const other of others) {
    if (other.connectionId === connection.connectionId || other.isSample) continue
    // If both have a current service, compare only that: an office may share one older service.
    const service = hasCurrent(connection) && hasCurrent(other) ? 'v2' : 'v1'
    const [here, there] = [connection, other].map(({ address, legacyAddress }) => {
      const compared = service === 'v2' ? address : legacyAddress
      return originOf(compared) ?? compared
    })
    if (here === '' || here !== there) continue
    const known = await keyOf(other, service)
    if (!known.ok || known.value !== (service === 'v2' ? key : legacyKey)) continue
    return appError(
      'invalid-input',
      `You’re already connected to this service with this key: “${other.name}”.`,
      'Use that connection. A second one could write to the same books twice.',
    )
  }
  return null
}
