// The sample service as a `fetch` for the main process. Its worker starts with the first request.
import { Worker } from 'node:worker_threads'
// Types only. Loading the module would start a service.
import type { FromWorker, ToWorker, WorkerSettings } from './sample-worker.ts'
import type { SampleControl, SampleOptions, SampleState } from './service.ts'

/** The sample's default key. It protects nothing, because the books are fictional. */
export const SAMPLE_KEY = 'sample-key'

/** Long enough to see, and short enough not to be annoying. */
const PROVISION_MS = 3000

/** Settings of the sample in the program. */
export interface SampleFetchOptions extends Partial<Omit<SampleOptions, 'storage' | 'now' | 'after'>> {
  /** The worker's script: `sample-worker.js` of the build, or `sample-worker.ts` under Node. */
  readonly workerUrl: URL
  /** The SQLite file that keeps edits (`<userData>/sample.sqlite`). Without it, they are kept in memory. */
  readonly databasePath?: string
}

/** The sample in the program. */
export interface SampleFetch {
  /**
   * Works like `fetch`. An aborted signal rejects at once with its reason, while the service goes on working, as a real
   * one would.
   * @throws TypeError if the worker ended
   */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>
  /** Changes conditions and settings. @throws Error with a message if that isn't possible */
  control(change: SampleControl): Promise<SampleState>
  state(): Promise<SampleState>
  /** Drops all edits and starts over. */
  reset(): Promise<SampleState>
  /** Closes the database and ends the worker. The next call starts it again. */
  close(): Promise<void>
}

interface Waiting {
  resolve(message: FromWorker): void
  reject(error: Error): void
}

/** Creates the sample. Nothing runs before the first call. */
export function createSampleFetch(options: SampleFetchOptions): SampleFetch {
  let worker: Worker | undefined
  let lastId = 0
  const waiting = new Map<number, Waiting>()

  const started = (): Worker => {
    if (worker !== undefined) return worker
    const settings: WorkerSettings = {
      key: options.key ?? SAMPLE_KEY,
      databasePath: options.databasePath,
      seed: options.seed,
      today: options.today,
      customers: options.customers,
      volume: options.volume,
      latencyMs: options.latencyMs,
      provisionMs: options.provisionMs ?? PROVISION_MS,
      pageSize: options.pageSize,
      conditions: options.conditions,
    }
    const made = new Worker(options.workerUrl, { workerData: settings, name: 'sample' })
    const gone = (error: Error): void => {
      if (worker === made) worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    made.on('message', (message: FromWorker) => {
      waiting.get(message.id)?.resolve(message)
      waiting.delete(message.id)
      if (waiting.size === 0) made.unref()
    })
    made.on('error', (error) => {
      gone(new TypeError('The sample service stopped', { cause: error }))
    })
    made.on('exit', () => {
      gone(new TypeError('The sample service stopped'))
    })
    worker = made
    return made
  }

  const ask = async (message: ToWorker, transfer: readonly ArrayBuffer[] = []): Promise<FromWorker> => {
    const target = started()
    // Only an unanswered request keeps the process alive.
    target.ref()
    return await new Promise((resolve, reject) => {
      waiting.set(message.id, { resolve, reject })
      target.postMessage(message, [...transfer])
    })
  }

  const askState = async (message: ToWorker): Promise<SampleState> => {
    const reply = await ask(message)
    if (reply.kind === 'state') return reply.state
    throw new Error(reply.kind === 'failed' ? reply.message : 'The sample service answered something else')
  }

  return {
    fetch: async (input, init) => {
      const request = new Request(input, init)
      request.signal.throwIfAborted()
      const body = request.body === null ? undefined : await request.arrayBuffer()
      const { method, url } = request
      const reply = await untilAborted(
        request.signal,
        ask(
          { id: ++lastId, kind: 'request', method, url, headers: [...request.headers], body },
          body === undefined ? [] : [body],
        ),
      )
      if (reply.kind === 'response') {
        const headers = reply.headers.map(([name, value]): [string, string] => [name, value])
        return new Response(reply.body, { status: reply.status, headers })
      }
      throw new TypeError('The sample service failed', {
        cause: reply.kind === 'failed' ? reply.message : reply.kind,
      })
    },
    control: async (change) => await askState({ id: ++lastId, kind: 'control', change }),
    state: async () => await askState({ id: ++lastId, kind: 'state' }),
    reset: async () => await askState({ id: ++lastId, kind: 'reset' }),
    close: async () => {
      const closing = worker
      if (closing === undefined) return
      await ask({ id: ++lastId, kind: 'close' })
      worker = undefined
      await closing.terminate()
    },
  }
}

async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return await new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new DOMException('Aborted', 'AbortError'))
    }
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort)
    })
  })
}
