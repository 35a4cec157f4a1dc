/** The program without its window, in this process: the real store on SQLite, scheduler, client, writer, and rows. */
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runCall } from '../../../electron/app/calls.ts'
import type { SavedConnection, SecretStore, SettingsStore } from '../../../electron/app/ports.ts'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { type Core, createCore } from '../../../electron/core.ts'
import type { Fetch } from '../../../electron/service/transport/transport.ts'
import type { CallInput, CallName, CallOutput } from '../../../shared/contract/contract.ts'
import type { Operation } from '../../../shared/contract/records.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { createRowsInThread } from '../../rows-in-thread.ts'
import { seededRandom } from '../../virtual-clock.ts'
import { coreOptions } from '../world/core-parts.ts'
import type { TimerOwner, VirtualTime } from './virtual-time.ts'

export const CONNECTION_ID = 'c1'
const ADDRESS = 'https://books.example'

export interface ProgramOptions {
  readonly time: VirtualTime
  /** Different for each program. */
  readonly seed: number
  readonly folder: string
  /** The system's keychain, which survives the program. */
  readonly secrets: SecretStore
  readonly settings: Partial<Settings>
  readonly fetch: (
    caller: TimerOwner,
    input: Parameters<Fetch>[0],
    init: Parameters<Fetch>[1],
  ) => Promise<Response>
  readonly onOperations: (operations: readonly Operation[]) => void
  readonly onDefect: (words: string) => void
}

export class Program implements TimerOwner {
  isDead = false
  readonly folder: string
  readonly #core: Core

  constructor(options: ProgramOptions) {
    this.folder = options.folder
    const clock = options.time.clockOf(this)
    const created = createCore(
      coreOptions(
        { userData: options.folder, queues: join(options.folder, 'connections'), state: null },
        settingsInMemory(options.settings),
        options.secrets,
        (where, cause) => {
          if (this.isDead) return
          options.onDefect(
            `${where}: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`,
          )
        },
        {
          announcer: {
            emit: (event, payload) => {
              if (event !== 'records.changed' || !('operations' in payload)) return
              if (!this.isDead) options.onOperations(payload.operations)
            },
            notify: () => undefined,
          },
          clock,
          random: seededRandom(options.seed, clock),
          fetch: (input, init) => options.fetch(this, input, init),
          rows: createRowsInThread(),
        },
      ),
    )
    if (!created.ok) throw new Error(`${created.error.message} ${created.error.details.raw ?? ''}`)
    this.#core = created.value
    this.#core.start()
  }

  /** Makes a call like the window. Returns `null` if the program ended before it answered. */
  async call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Result<CallOutput<Name>>> {
    const { result, refused, defect } = await runCall(this.#core.handlers, name, input)
    if (this.isDead) return new Promise(() => undefined)
    if (refused !== null) throw new Error(`${name} was refused: ${refused}`)
    if (defect !== null) throw new Error(`${name} is a defect.`, { cause: defect })
    return result as Result<CallOutput<Name>>
  }

  wake(): void {
    this.#core.wake()
  }

  /** Ends like a killed process: only what is on disk now survives. Returns the folder with it. */
  kill(): string {
    const next = `${this.folder}x`
    mkdirSync(next)
    cpSync(this.folder, next, { recursive: true })
    this.isDead = true
    return next
  }

  /** Releases the resources of a dead program in this process. */
  async end(): Promise<void> {
    this.isDead = true
    await this.#core.close()
  }
}

function settingsInMemory(settings: Partial<Settings>): SettingsStore {
  let kept: Settings = { ...DEFAULT_SETTINGS, ...settings }
  const connection: SavedConnection = {
    connectionId: CONNECTION_ID,
    name: 'Books',
    address: ADDRESS,
    isSample: false,
    legacyAddress: '',
    settings: {},
  }
  return {
    get: () => kept,
    set(change) {
      kept = { ...kept, ...change }
      return ok(kept)
    },
    connections: () => [connection],
    currentConnectionId: () => CONNECTION_ID,
    setConnections: () => ok(undefined),
  }
}
