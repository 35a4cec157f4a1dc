/** The core with everything real except the window, the keychain, and the settings file, which are in memory. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  SavedConnection,
  SchedulerHost,
  SecretStore,
  SettingsStore,
} from '../../../electron/app/ports.ts'
import { createUnconfirmedSends } from '../../../electron/app/program/confirmations.ts'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { createSystemClock, createSystemRandom } from '../../../electron/clock.ts'
import { type Core, createCore } from '../../../electron/core.ts'
import type { CoreOptions } from '../../../electron/core/options.ts'
import type { Fetch } from '../../../electron/service/transport/transport.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { fastClock } from './fast-clock.ts'

/** Everything that a core needs to know, as plain data, so that it can be passed to another process. */
export interface CorePlan {
  readonly userData: string
  /** The folder that programs on a computer share. By default in the user data, so that tests share nothing. */
  readonly queueFolder?: string
  /** The system's folder for state; none if left out. */
  readonly stateFolder?: string
  readonly settings: Partial<Settings>
  /** See `fastClock`. */
  readonly beginsAt: number
  readonly factor: number
  readonly ahead?: number
  /**
   * The connection that an earlier run left in the settings, and its key if the keychain has it; `null` at the first
   * start.
   */
  readonly saved: { readonly address: string; readonly key: string | null } | null
  /** A file in the place of the system's keychain, which outlives a kill. By default, the keychain is in memory. */
  readonly keychain?: string
}

export interface RunningCore {
  readonly core: Core
  readonly settings: SettingsStore
  readonly secrets: SecretStore
  /** Defects that the core has reported. */
  readonly defects: readonly string[]
  /** Adds a defect that the test found. */
  readonly report: CoreOptions['log']['write']
}

export const CONNECTION_ID = 'reliability'

/** A saved connection. */
export function savedConnection(address: string): SavedConnection {
  return {
    connectionId: CONNECTION_ID,
    name: 'Sample',
    address,
    isSample: false,
    legacyAddress: '',
    settings: {},
  }
}

/** Points the saved connection to another address, for which the keychain has a key. */
export async function moveConnection(
  { settings, secrets }: RunningCore,
  address: string,
  key: string,
): Promise<void> {
  await secrets.set(`Bookbridge ${new URL(address).origin}`, CONNECTION_ID, key)
  settings.setConnections([savedConnection(address)], CONNECTION_ID)
}

/** What a test replaces: dialogs, which cancel otherwise; the printer; the window; time, randomness, and the service; the settings file. */
export interface CoreOverrides extends Partial<Pick<CoreOptions, 'announcer' | 'clock' | 'random' | 'rows'>> {
  /** The keychain of an earlier run. */
  readonly secrets?: SecretStore
  readonly dialogs?: Partial<CoreOptions['dialogs']>
  readonly printer?: CoreOptions['desktop']['printer']
  readonly settings?: Partial<CoreOptions['settings']>
  readonly fetch?: Fetch
  readonly schedulerHost?: Partial<SchedulerHost>
}

/** A computer whose commands don't exist. */
const NO_SCHEDULER: SchedulerHost = {
  platform: 'test',
  home: '/home/test',
  configFolder: '/home/test/.config',
  user: 'test',
  userId: 1_000,
  program: { command: '/opt/Bookbridge/bookbridge', args: [] },
  sessionVariables: {},
  ownVariables: {},
  run: () => Promise.resolve({ exitCode: null, stdout: '', stderr: '' }),
}

/** Options of a core whose window, keychain, and settings are in memory. */
export function coreOptions(
  folders: CoreOptions['folders'],
  settings: SettingsStore,
  secrets: SecretStore,
  log: CoreOptions['log']['write'],
  more: CoreOverrides = {},
): CoreOptions {
  const cancel = (): Promise<null> => Promise.resolve(null)
  const clock = more.clock ?? createSystemClock()
  return {
    folders,
    settings: {
      store: settings,
      file: { content: () => ({}), read: () => ({ content: {}, connections: 0, leftOut: [] }) },
      notices: [],
      ...more.settings,
    },
    keychain: { secrets, namespace: '' },
    dialogs: {
      save: { choose: cancel },
      folder: { choose: cancel },
      open: {
        chooseCertificate: cancel,
        chooseTable: cancel,
        chooseBackup: cancel,
        chooseLogo: cancel,
        chooseRunFile: cancel,
      },
      confirmation: { ask: () => Promise.resolve(true) },
      ...more.dialogs,
    },
    desktop: {
      outside: {
        openGuide: () => Promise.resolve(''),
        showFile: () => undefined,
        openFile: () => Promise.resolve(''),
      },
      clipboard: {
        read: () => Promise.resolve(''),
        write: () => Promise.resolve(),
        writePicture: () => Promise.resolve(),
      },
      printer: more.printer ?? { pdf: () => Promise.resolve(ok(new Uint8Array())) },
      idleSeconds: () => 0,
      schedulerHost: { ...NO_SCHEDULER, ...more.schedulerHost },
    },
    network: {
      resolveProxy: () => Promise.resolve('DIRECT'),
      ...(more.fetch === undefined ? {} : { fetch: more.fetch }),
    },
    program: {
      facts: {
        version: '0',
        electronVersion: '0',
        isChromiumHost: true,
        platform: 'test',
        locale: 'en-US',
      },
      user: 'tester',
      licenseFiles: [],
      updates: { off: 'a test' },
    },
    workers: {
      rows: new URL('../../../electron/rows/rows-worker.ts', import.meta.url),
      sample: new URL('../../../electron/sample/sample-worker.ts', import.meta.url),
      import: new URL('../../../electron/files/import/import-worker.ts', import.meta.url),
    },
    ...(more.rows === undefined ? {} : { rows: more.rows }),
    sampleToday: '',
    announcer: more.announcer ?? { emit: () => undefined, notify: () => undefined },
    clock,
    random: more.random ?? createSystemRandom(),
    unconfirmedSends: createUnconfirmedSends(createSystemClock()),
    log: { write: log, lastLines: () => [] },
    reopen: () => undefined,
  }
}

/** @returns an error if the store can't be used, as when the program starts */
export function makeCore(plan: CorePlan, more: CoreOverrides = {}): Result<RunningCore> {
  const defects: string[] = []
  const report: RunningCore['report'] = (where, cause) => {
    defects.push(`${where}: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`)
  }
  const settings = memorySettings(plan)
  const everyKey = plan.saved?.key ?? null
  const inFile = plan.keychain === undefined ? null : secretsInFile(plan.keychain, everyKey)
  const secrets = more.secrets ?? inFile ?? memorySecrets(everyKey)
  const folders = {
    userData: plan.userData,
    queues: plan.queueFolder ?? join(plan.userData, 'connections'),
    state: plan.stateFolder ?? null,
  }
  const clock = fastClock(plan.beginsAt, plan.factor, plan.ahead)
  const core = createCore(coreOptions(folders, settings, secrets, report, { clock, ...more }))
  return core.ok ? ok({ core: core.value, settings, secrets, defects, report }) : core
}

function memorySettings(plan: CorePlan): SettingsStore {
  let kept: Settings = { ...DEFAULT_SETTINGS, ...plan.settings }
  let connections: readonly SavedConnection[] =
    plan.saved === null ? [] : [savedConnection(plan.saved.address)]
  let currentId: string | null = connections[0]?.connectionId ?? null
  return {
    get: () => kept,
    set(change) {
      kept = { ...kept, ...change }
      return ok(kept)
    },
    connections: () => connections,
    currentConnectionId: () => currentId,
    setConnections(next, current) {
      connections = next
      currentId = current
      return ok(undefined)
    },
  }
}

/** @param everyKey the key that every connection has; `null` if the keychain is empty */
export function memorySecrets(everyKey: string | null): SecretStore {
  return secretsIn(new Map(), everyKey, () => undefined)
}

/** Each change is completely on disk before the call resolves. */
function secretsInFile(path: string, everyKey: string | null): SecretStore {
  const entries = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as [string, string][]) : []
  return secretsIn(new Map(entries), everyKey, (kept) => {
    writeFileSync(`${path}.new`, JSON.stringify([...kept]))
    renameSync(`${path}.new`, path)
  })
}

function secretsIn(
  kept: Map<string, string>,
  everyKey: string | null,
  changed: (kept: ReadonlyMap<string, string>) => void,
): SecretStore {
  const name = (service: string, account: string): string => JSON.stringify([service, account])
  return {
    probe: () => Promise.resolve(ok(undefined)),
    get: (service, account) => Promise.resolve(ok(kept.get(name(service, account)) ?? everyKey)),
    set(service, account, secret) {
      kept.set(name(service, account), secret)
      changed(kept)
      return Promise.resolve(ok(undefined))
    },
    remove(service, account) {
      kept.delete(name(service, account))
      changed(kept)
      return Promise.resolve(ok(undefined))
    },
  }
}
