// The sample service implements the whole specification over generated books, as a function from Request to Response. It
// is written from the specification alone and imports nothing of the program, so it shares none of its mistakes.
import {
  type AgentConditions,
  ALL_WELL,
  controlTrouble,
  createDesktop,
  createGate,
  type GateCounts,
  type SampleControl,
} from './desktop.ts'
import { createLegacyService, type LegacyService } from './manage.ts'
import { handleRequest, refuse } from './operations.ts'
import { COMPANY_FILES } from './profiles/company-files.ts'
import { hexOf, randomOf } from './random.ts'
import { createRegistry, fileOf, type Registry } from './registry.ts'
import { refused } from './responses.ts'
import { createMemoryStorage, type SampleStorage } from './storage.ts'
import { type After, dayOfMoment, formatDay, machineTimer, parseDay, wait } from './time.ts'

export { type SampleControl } from './desktop.ts'

/** Settings of the sample. All but the key have defaults. */
export interface SampleOptions {
  readonly key: string
  readonly seed?: number | string
  /** The day that dates are based on at the first run, `yyyy-mm-dd`. It is kept until a reset. */
  readonly today?: string
  /** The number of customers of the first company. */
  readonly customers?: number
  /** How many times the usual number of invoices, bills, and charges. */
  readonly volume?: number
  readonly latencyMs?: number
  /** How long an end user takes to authorize a provisioning, in milliseconds. */
  readonly provisionMs?: number
  /** Records per page. 0 sends all at once. */
  readonly pageSize?: number
  /** The conditions at the start. */
  readonly conditions?: Partial<AgentConditions>
  /** Where edits are kept, by default in memory. */
  readonly storage?: SampleStorage
  /** The clock for the timestamps of records, in milliseconds since 1970. */
  readonly now?: () => number
  /** Timers that run with `now`, by default those of the system. */
  readonly after?: After
}

/** The state of the sample. */
export interface SampleState {
  readonly today: string
  readonly latencyMs: number
  readonly provisionMs: number
  readonly pageSize: number
  readonly closingDate: string
  readonly companies: readonly {
    readonly companyName: string
    readonly endpointId: string
    readonly endpoint: string
    readonly isActive: boolean
    readonly conditions: AgentConditions
  }[]
  /** Every file that an end user has, provisioned or not. */
  readonly files: readonly {
    readonly companyName: string
    readonly endpoint: string
    readonly isProvisioned: boolean
    /** Whether its last full month has a bill that was entered today. */
    readonly hasLateEntry: boolean
    readonly conditions: AgentConditions
  }[]
  /** The file that the next Desktop provisioning finds open. */
  readonly nextFile: { readonly companyName: string; readonly conditions: AgentConditions } | undefined
  /** The conditions where everything works. */
  readonly allWell: AgentConditions
  readonly counts: GateCounts
}

/** Lets a server delay or replace the response to a request. */
interface HandleContext {
  /** Wraps the work. It isn't called for a second request that is refused. */
  readonly around?: (work: () => Promise<Response>) => Promise<Response>
  /** The request counts as running until this settles, too, such as until its response is sent. */
  readonly done?: Promise<unknown>
}

/** The sample service. */
export interface SampleService {
  handle(request: Request, context?: HandleContext): Promise<Response>
  /** Changes conditions and settings. Returns a message if that isn't possible. */
  control(change: SampleControl): SampleState | string
  state(): SampleState
  clearCounts(): void
  /** Drops all edits, companies, and users since the first run, and starts over. */
  reset(): void
}

const TODAY_KEY = 'today'
const SECOND_REQUEST = refused(
  409,
  'ConcurrentRequest',
  'Another request is being processed. Concurrent requests are not supported.',
  'Wait for the response to one request before sending the next.',
).refusal
const RESET_MEANWHILE = refused(
  503,
  'SampleReset',
  'The sample was reset while this request was running. Its changes were discarded.',
).refusal

const TURNS = 6

/**
 * Yields to the event loop a few times, so that a second request is noticed while this one runs. Otherwise, a quick
 * answer would hide a client that doesn't wait.
 */
async function yieldToEventLoop(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** What requests work on between two resets. */
interface SampleWorld {
  readonly today: number
  readonly registry: Registry
  readonly legacy: LegacyService
  /** Stops requests that are still running from saving anything. */
  end(): void
}

/** Creates a sample service. Books and records are generated when they are first read. */
export function createSampleService(options: SampleOptions): SampleService {
  const storage = options.storage ?? createMemoryStorage()
  const now = options.now ?? Date.now
  const seed = String(options.seed ?? 1)
  const gate = createGate()
  const after = options.after ?? machineTimer
  // Custom timers run with `now`. Without them, `now` may stand still and can't measure time.
  const elapsed = options.after === undefined ? Date.now : now
  const desktop = createDesktop({ ...ALL_WELL, ...options.conditions }, elapsed, after)
  const settings = {
    latencyMs: options.latencyMs ?? 0,
    provisionMs: options.provisionMs ?? 0,
    pageSize: options.pageSize ?? 0,
    closingDate: '',
  }
  let requests = 0
  let world = openWorld()

  function openWorld(): SampleWorld {
    const stored = [...storage.entries()].find(([key]) => key === TODAY_KEY)?.[1]
    const text = stored ?? options.today ?? formatDay(dayOfMoment(now()))
    const today = parseDay(text)
    if (today === undefined) throw new RangeError(`"${text}" is not a date: use yyyy-mm-dd`)
    if (stored !== text) storage.put(TODAY_KEY, text)
    const { customers, volume = 1 } = options
    let hasEnded = false
    // A request that was waiting during a reset must not save its edit afterward.
    const put: SampleStorage['put'] = (key, value) => {
      if (!hasEnded) storage.put(key, value)
    }
    const own: SampleStorage = { ...storage, put }
    const registry = createRegistry({ seed, today, customers, volume, storage: own, now })
    const end = (): void => {
      hasEnded = true
    }
    return { today, registry, legacy: createLegacyService(registry, own, today), end }
  }

  /** Answers from the world in which the request arrived, even after a reset. */
  const work = async (request: Request, begun: SampleWorld): Promise<Response> => {
    const requestId = hexOf(randomOf(seed, 'request', ++requests), 24)
    if (settings.latencyMs > 0) await wait(after, settings.latencyMs)
    const { registry, legacy } = begun
    const parts = { key: options.key, registry, legacy, desktop, now, after, ...settings }
    const response = await handleRequest(parts, request, requestId)
    return begun === world ? response : refuse(request, RESET_MEANWHILE, requestId)
  }

  const turnAway = (request: Request): Response =>
    refuse(request, SECOND_REQUEST, hexOf(randomOf(seed, 'request', ++requests), 24))

  const state = (): SampleState => {
    const next = world.registry.fileToProvision('qbd')
    return {
      ...settings,
      today: formatDay(world.today),
      companies: world.registry.endpoints.map((endpoint) => {
        const { key, companyName, application } = fileOf(endpoint)
        const { endpointId, isActive } = endpoint
        return {
          companyName,
          endpointId,
          endpoint: application,
          isActive,
          conditions: desktop.conditions(key),
        }
      }),
      files: COMPANY_FILES.map((file) => ({
        companyName: file.companyName,
        endpoint: file.application,
        isProvisioned: world.registry.isProvisioned(file),
        hasLateEntry: world.registry.company(file).hasLateEntry(),
        conditions: desktop.conditions(file.key),
      })),
      nextFile:
        next === undefined
          ? undefined
          : { companyName: next.companyName, conditions: desktop.conditions(next.key) },
      allWell: ALL_WELL,
      counts: gate.counts,
    }
  }

  return {
    handle: async (request, context = {}) => {
      const leave = gate.enter()
      if (leave === undefined) return turnAway(request)
      const begun = world
      try {
        const { around = async (perform) => await perform() } = context
        await yieldToEventLoop()
        const response = await around(async () => await work(request, begun))
        await yieldToEventLoop()
        return response
      } finally {
        void Promise.resolve(context.done).then(leave, leave)
      }
    },
    control: (change) => {
      const trouble = controlTrouble(change)
      if (trouble !== undefined) return trouble
      const file = COMPANY_FILES.find(({ companyName }) => companyName === change.company)
      if (change.openFile !== undefined) world.registry.openFile(change.openFile)
      if (change.conditions !== undefined) desktop.change(change.conditions, file?.key)
      if (change.lateEntry !== undefined && file !== undefined)
        world.registry.company(file).setLateEntry(change.lateEntry)
      settings.closingDate = change.closingDate ?? settings.closingDate
      settings.latencyMs = change.latencyMs ?? settings.latencyMs
      settings.provisionMs = change.provisionMs ?? settings.provisionMs
      settings.pageSize = change.pageSize ?? settings.pageSize
      return state()
    },
    state,
    clearCounts: gate.clear,
    reset: () => {
      world.end()
      storage.clear()
      settings.closingDate = ''
      world = openWorld()
      desktop.reset()
    },
  }
}
