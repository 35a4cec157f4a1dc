/** The program without its window, in this process: real store on real SQLite, scheduler, client, writer and rows. */
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createActivity } from '../../../electron/app/program/activity.ts'
import { type Handlers, runCall } from '../../../electron/app/calls.ts'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { createRecords, createFieldSupport } from '../../../electron/app/records/records.ts'
import type { SavedConnection, SettingsStore } from '../../../electron/app/ports.ts'
import { createServiceParts } from '../../../electron/core.ts'
import type { Rows } from '../../../electron/rows/rows.ts'
import { makeAnswers } from '../../../electron/rows/rows-worker.ts'
import type { Fetch } from '../../../electron/service/transport/transport.ts'
import { SAMPLE_QUEUE } from '../../../electron/service/queue/request-queue.ts'
import { openStore } from '../../../electron/store/store.ts'
import { openSharedQueues } from '../../../electron/store/blocked-queues.ts'
import type { CallAnswer, CallInput, CallName } from '../../../shared/contract/contract.ts'
import type { Operation } from '../../../shared/contract/records.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { seededRandom } from '../../virtual-clock.ts'
import { NO_KEPT_LISTS } from '../../unit/stand-in.ts'
import { coreOptions, memorySecrets } from '../core-parts.ts'
import type { TimerOwner, VirtualTime } from './virtual-time.ts'

export const CONNECTION_ID = 'c1'
const ADDRESS = 'https://books.example'

export interface ProgramOptions {
  readonly time: VirtualTime
  /** Another one for each program. */
  readonly seed: number
  readonly folder: string
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
  readonly #handlers: Handlers
  readonly #wake: () => void
  readonly #end: () => Promise<void>
  readonly #closeFile: () => void

  constructor(options: ProgramOptions) {
    this.folder = options.folder
    const clock = options.time.clockOf(this)
    const ownFile = join(options.folder, 'bookbridge.sqlite')
    const opened = openStore(ownFile, { now: clock.now })
    if (!opened.ok) throw new Error(`${opened.error.message} ${opened.error.details.raw ?? ''}`)
    const store = opened.value
    const core = coreOptions(
      { userData: options.folder, queues: join(options.folder, 'connections'), state: null },
      settingsInMemory(options.settings),
      memorySecrets('a-key'),
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
      },
    )
    const rows = rowsInThisThread()
    const sharing = openSharedQueues({
      folder: core.folders.queues,
      own: store.queues,
      ownFile,
      ownQueue: SAMPLE_QUEUE,
    })
    if (!sharing.ok) throw new Error(sharing.error.message)
    const queues = sharing.value
    const service = createServiceParts(core, { store, queues, rows, keptLists: NO_KEPT_LISTS })
    const { client, scheduler, companies, writer } = service
    const handlers = {
      ...service.connections.handlers,
      ...companies.handlers,
      ...createRecords({
        client,
        scheduler,
        rows,
        drafts: store.drafts,
        writer,
        companies,
        support: createFieldSupport(client, () => ADDRESS),
        announcer: core.announcer,
        settings: core.settings.store,
        keptLists: NO_KEPT_LISTS,
        clock,
      }),
      ...createActivity({
        scheduler,
        log: store.requestLog,
        unfinished: store.unfinished,
        supportFile: { save: () => Promise.resolve(err(appError('internal', 'Not in this test.'))) },
      }),
    }
    this.#handlers = handlers as unknown as Handlers
    this.#wake = () => {
      service.wake()
    }
    this.#closeFile = () => {
      queues.close()
      store.close()
    }
    this.#end = async () => {
      service.stop()
      await service.close()
    }
    service.start()
  }

  /** A call of the window. `null` when the program ended before it answered. */
  async call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Result<CallAnswer<Name>>> {
    const { result, refused, defect } = await runCall(this.#handlers, name, input)
    if (this.isDead) return new Promise(() => undefined)
    if (refused !== null) throw new Error(`${name} was refused: ${refused}`)
    if (defect !== null) throw new Error(`${name} is a defect.`, { cause: defect })
    return result as Result<CallAnswer<Name>>
  }

  wake(): void {
    this.#wake()
  }

  /** Ends as a killed process does: what is on the disk now is all that is left, in the folder that is answered. */
  kill(): string {
    const next = `${this.folder}x`
    mkdirSync(next)
    cpSync(this.folder, next, { recursive: true })
    this.isDead = true
    return next
  }

  /** Releases what a dead program holds in this process. */
  async end(): Promise<void> {
    this.isDead = true
    await this.#end()
    this.#closeFile()
  }
}

function rowsInThisThread(): Rows {
  const answers = makeAnswers()
  const asked = Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      (...input: never[]) => Promise.resolve((answer as (...given: never[]) => unknown)(...input)),
    ]),
  )
  return { ...asked, close: () => Promise.resolve() } as unknown as Rows
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
