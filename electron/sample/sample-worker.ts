// Runs the sample service in a worker thread, because generating three years of books would block the program.
import { parentPort, workerData } from 'node:worker_threads'
import { type AgentConditions } from './desktop.ts'
import {
  createSampleService,
  type SampleControl,
  type SampleOptions,
  type SampleService,
  type SampleState,
} from './service.ts'
import { createMemoryStorage, createSqliteStorage, type SampleStorage } from './storage.ts'

// Messages between the worker and the main process. Bodies are transferred, not copied.

/** Settings of the worker's service, passed as worker data. */
export interface WorkerSettings {
  readonly key: string
  /** The file that keeps edits. Undefined keeps them in memory. */
  readonly databasePath: string | undefined
  readonly seed: number | string | undefined
  readonly today: string | undefined
  readonly customers: number | undefined
  readonly volume: number | undefined
  readonly latencyMs: number | undefined
  readonly provisionMs: number
  readonly pageSize: number | undefined
  readonly conditions: Partial<AgentConditions> | undefined
}

/** A message from the main process. The response has the same `id`. */
export type ToWorker =
  | {
      readonly id: number
      readonly kind: 'request'
      readonly method: string
      readonly url: string
      readonly headers: readonly (readonly [string, string])[]
      readonly body: ArrayBuffer | undefined
    }
  | { readonly id: number; readonly kind: 'control'; readonly change: SampleControl }
  | { readonly id: number; readonly kind: 'state' | 'reset' | 'close' }

/** A message from the worker. */
export type FromWorker =
  | {
      readonly id: number
      readonly kind: 'response'
      readonly status: number
      readonly headers: readonly (readonly [string, string])[]
      readonly body: ArrayBuffer
    }
  | { readonly id: number; readonly kind: 'state'; readonly state: SampleState }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string }

function start(settings: WorkerSettings): { service: SampleService; storage: SampleStorage } {
  const { key, databasePath, seed, today, customers, volume, latencyMs, provisionMs, pageSize, conditions } =
    settings
  const storage = databasePath === undefined ? createMemoryStorage() : createSqliteStorage(databasePath)
  const options: SampleOptions = {
    key,
    storage,
    provisionMs,
    ...(seed === undefined ? {} : { seed }),
    ...(today === undefined ? {} : { today }),
    ...(customers === undefined ? {} : { customers }),
    ...(volume === undefined ? {} : { volume }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
    ...(pageSize === undefined ? {} : { pageSize }),
    ...(conditions === undefined ? {} : { conditions }),
  }
  return { service: createSampleService(options), storage }
}

const port = parentPort
if (port === null) throw new Error('The sample worker runs as a worker thread only')
const { service, storage } = start(workerData as WorkerSettings)

async function handle(message: ToWorker): Promise<FromWorker> {
  const { id } = message
  switch (message.kind) {
    case 'request': {
      const { method, url, headers, body } = message
      const request = new Request(url, {
        method,
        headers: headers.map(([name, value]): [string, string] => [name, value]),
        ...(body === undefined ? {} : { body }),
      })
      const response = await service.handle(request)
      const bytes = await response.arrayBuffer()
      return { id, kind: 'response', status: response.status, headers: [...response.headers], body: bytes }
    }
    case 'control': {
      const state = service.control(message.change)
      return typeof state === 'string' ? { id, kind: 'failed', message: state } : { id, kind: 'state', state }
    }
    case 'reset':
      service.reset()
      return { id, kind: 'state', state: service.state() }
    case 'state':
      return { id, kind: 'state', state: service.state() }
    case 'close':
      storage.close()
      return { id, kind: 'state', state: service.state() }
  }
}

port.on('message', (message: ToWorker) => {
  handle(message).then(
    (reply) => {
      port.postMessage(reply, reply.kind === 'response' ? [reply.body] : [])
    },
    (error: unknown) => {
      port.postMessage({ id: message.id, kind: 'failed', message: String(error) } satisfies FromWorker)
    },
  )
})
