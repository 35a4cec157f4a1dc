/**
 * Connections: the addresses of a service and of its older interface, a key each, and what differs in how it is
 * spoken to. Nothing is saved that was not tested; settings keep all but the keys.
 */
import type { Provisioning } from '../../../shared/contract/companies.ts'
import type { Connection, LearnedBehavior } from '../../../shared/contract/connections.ts'
import type { ConnectionSettings, Settings } from '../../../shared/contract/settings.ts'
import { type Result, type AppError, err, ok, appError } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import {
  type CompanyList,
  type LegacyCompanyList,
  EMPTY_LIST,
  readCompanyList,
  readLegacyCompanyList,
} from '../../service/companies/company-list.ts'
import { SAMPLE_ADDRESS } from '../../service/protocol/operations.ts'
import {
  type ServiceClient,
  type ServiceTarget,
  type SlotRequest,
  serviceRequest,
} from '../../service/protocol/wire.ts'
import type { Scheduler } from '../../service/queue/scheduler.ts'
import { type HandlersOf, defined } from '../calls.ts'
import type { Announcer, SavedConnection, SecretStore, SettingsStore } from '../ports.ts'
import { type ConnectionKeys, createConnectionKeys, createKeychainState } from './keys.ts'
import {
  type ChangeAddresses,
  type Candidate,
  provisioningError,
  noSuchConnection,
  planConnection,
  createSavedConnections,
  hasCurrent,
  hasOlder,
} from './saved-connections.ts'

/** The sample's connection has one id for good, so that its labels and drafts are found again. */
export const SAMPLE_CONNECTION: SavedConnection = {
  connectionId: 'sample',
  name: 'Sample service',
  address: SAMPLE_ADDRESS,
  isSample: true,
  legacyAddress: '',
  settings: {},
}

/** Where keys are: the keychain, or this process's memory where there is none. Knows no connection but by its id. */
export interface ConnectionDirectory {
  /** Addresses and keys of a connection as they are now, or as they are being tested. */
  target(connectionId: string, isTest?: boolean): Promise<Result<ServiceTarget>>
  /** Whether a connection has an older service that can be asked; an error where its key is missing. */
  hasOlderService(connectionId: string): Promise<Result<boolean>>
  /** Whether a connection leads to an older service alone. */
  hasOnlyOlderService(connectionId: string): boolean
  /** The settings that hold for it. */
  settings(connectionId: string): Settings
  /** Every key that this process holds. */
  secrets(): readonly string[]
  /** A key was typed that no **Connect** has tested yet. */
  hasNewKey(connectionId: string): boolean
}

export interface ConnectionsOptions {
  readonly settings: SettingsStore
  readonly secrets: SecretStore
  /** Parts keychain entries of tests and developers from real ones; empty for people. */
  readonly keychainNamespace: string
  readonly sampleKey: string
  readonly resetSample: () => Promise<Result<void>>
  readonly announcer: Announcer
  readonly clock: Pick<Clock, 'after'>
  /** Given a little later, since the client asks here for its targets. */
  readonly client: () => ServiceClient
  readonly scheduler: () => Scheduler
  /** All that is kept of it; refused while something that was sent over it is not confirmed. */
  readonly forget: (connectionId: string) => Promise<Result<void>>
  readonly provisionings: (connectionId: string) => readonly Provisioning[]
  /** What writing over it has shown about the service. */
  readonly learned: (connectionId: string) => readonly LearnedBehavior[]
  readonly changeAddresses: ChangeAddresses
  /** Takes over the lists that Connect has read already; the older service's is `null` when it was not read. */
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

  const target: ConnectionDirectory['target'] = async (connectionId, isTest = false) => {
    const tested = isTest ? test.target(connectionId) : null
    if (tested !== null) return ok(tested)
    const connection = find(connectionId)
    if (connection === undefined) return err(noSuchConnection())
    const { address, legacyAddress, isSample } = connection
    const key = isSample
      ? ok(options.sampleKey)
      : hasCurrent(connection)
        ? await keys.get(connection, 'v2')
        : ok('')
    if (!key.ok) return key
    // Without its key the older service is not asked (`olderService`); the other one needs none of it.
    const legacyKey = hasOlder(connection) ? await keys.get(connection, 'v1') : ok('')
    return ok({
      connectionId,
      address,
      legacyAddress,
      key: key.value,
      legacyKey: legacyKey.ok ? legacyKey.value : '',
    })
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
        if (before === undefined) return err(noSuchConnection())
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
        if (find(connectionId) === undefined) return err(noSuchConnection())
        const chosen = settings.setConnections(settings.connections(), connectionId)
        if (!chosen.ok) return chosen
        announcer.emit('connections.changed', {})
        return ok({})
      },

      'connection.remove': async ({ connectionId }) => {
        const connection = find(connectionId)
        if (connection === undefined) return err(noSuchConnection())
        const settingUp = options.provisionings(connectionId)
        if (settingUp.some(({ state }) => state === 'making-user' || state === 'sending')) {
          return err(provisioningError())
        }
        // First what may be refused, so that a refusal leaves everything as it was.
        const forgotten = await options.forget(connectionId)
        if (!forgotten.ok) return forgotten
        const others = settings.connections().filter((each) => each.connectionId !== connectionId)
        const current = settings.currentConnectionId()
        const nextId = current === connectionId ? (others[0]?.connectionId ?? null) : current
        const left = settings.setConnections(others, nextId)
        if (!left.ok) return left
        if (settings.get().lastCompany?.connectionId === connectionId) settings.set({ lastCompany: null })
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

/** What waits for a connection that is gone has nowhere to go. */
function stopWaiting(scheduler: Scheduler, connectionId: string): void {
  scheduler.resume(connectionId)
  for (const queue of scheduler.queues().filter((each) => each.connectionId === connectionId)) {
    for (const { entryId } of queue.waiting) scheduler.stop(entryId)
    if (queue.running !== null) scheduler.stop(queue.running.entryId)
  }
}

// The settings that hold for a connection: the program's, and over them what differs there.

/** @param own what differs; `undefined` for a connection that is gone, which has the program's */
export function settingsFor(program: Settings, own: ConnectionSettings | undefined): Settings {
  return own === undefined ? program : { ...program, ...defined(own) }
}

/** Only what differs from the program's settings, so that a change of those still counts here. */
export function ownSettings(chosen: ConnectionSettings, program: Settings): ConnectionSettings {
  const given = Object.entries(defined(chosen)) as [keyof ConnectionSettings, string | number][]
  return Object.fromEntries(given.filter(([name, value]) => program[name] !== value))
}

/*
 * Connect tries addresses and keys by listing the companies, of both services where there are two. Only the turns of
 * the test go there: nothing else of the connection goes to an address that is not saved.
 */

export interface ConnectionTest {
  /** The target of a test under way; `null` for none. */
  target(connectionId: string): ServiceTarget | null
  /** One try for each service. An error of the older one says so in its details. */
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
      const { address, legacyAddress } = connection
      return { connectionId, address, legacyAddress, key, legacyKey }
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
  return { ...serviceRequest({ connectionId, what, isWrite: false, priority: 'person' }), isTest: true }
}

/*
 * One connection for a service and a key. The journal and its doubts belong to a connection: through a second one, the
 * same books could be written to while the first still looks for what became of an insert.
 */

/**
 * The refusal of a connection whose service and key another one has already, the current service's or the older one's
 * where it has that alone; `null` when none has.
 * @param others all connections that are saved
 * @param keyOf the key of a saved one; it is compared here and goes nowhere
 */
async function findDuplicate(
  { connection, key, legacyKey }: Candidate,
  others: readonly SavedConnection[],
  keyOf: ConnectionKeys['get'],
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
