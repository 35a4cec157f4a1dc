// What the sample's worker and the main process say to each other. Bodies travel as transferred bytes.
import { type SampleControl, type SampleState } from './service.ts'
import { type AgentConditions } from './desktop.ts'

/** How the worker makes its service; passed as worker data. */
export interface WorkerSettings {
  readonly key: string
  /** The file that edits are kept in; in memory where there is none. */
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

/** From the main process; `id` comes back with the answer. */
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

/** From the worker. */
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
