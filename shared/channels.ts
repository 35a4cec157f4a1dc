/**
 * The bare names of the calls and events, held to the contract by the compiler: all that the preload needs, so
 * that its bundle has no schemas in it.
 */
import type { CallName, EventName } from './contract.ts'

export const CALL_NAMES = [
  'app.about',
  'app.openLink',
  'app.showFile',
  'connection.list',
  'connection.setKey',
  'connection.connect',
  'connection.useSample',
  'connection.select',
  'connection.remove',
  'connection.resetSample',
  'companies.list',
  'companies.refresh',
  'companies.annotate',
  'companies.opened',
  'companies.test',
  'companies.copyToken',
  'companies.clearToken',
  'companies.createUser',
  'companies.provision',
  'companies.provisionings',
  'companies.stopWaiting',
  'companies.lookForProvisioned',
  'companies.decideProvisioning',
  'companies.deprovision',
  'records.open',
  'records.stop',
  'records.rows',
  'records.close',
  'records.support',
  'records.drafts',
  'records.saveDraft',
  'records.discardDrafts',
  'records.send',
  'records.batches',
  'records.stopBatch',
  'records.resumeBatch',
  'records.checkNow',
  'records.decide',
  'records.history',
  'reports.select',
  'reports.rows',
  'reports.close',
  'reports.saveCsv',
  'reports.saveChart',
  'activity.lanes',
  'activity.log',
  'activity.unfinished',
  'activity.stop',
  'activity.pause',
  'activity.resume',
  'sample.state',
  'sample.control',
  'settings.get',
  'settings.set',
] as const satisfies readonly CallName[]

export const EVENT_NAMES = [
  'activity.changed',
  'companies.changed',
  'connections.changed',
  'records.changed',
  'records.progress',
  'settings.changed',
  'window.command',
] as const satisfies readonly EventName[]

/** Does not compile when a name of the contract is missing above. */
type Missing =
  Exclude<CallName, (typeof CALL_NAMES)[number]> | Exclude<EventName, (typeof EVENT_NAMES)[number]>
export type NamesAreComplete = [Missing] extends [never] ? true : { readonly missing: Missing }
export const NAMES_ARE_COMPLETE: NamesAreComplete = true

/** What the preload puts on `window.bookbridge`. Typed per call by `renderer/api.ts`. */
export interface Bridge {
  /** Answers a `Result` for a known name; refuses any other. */
  readonly call: (name: string, input: unknown) => Promise<unknown>
  /** Listens to an event; answers a function that stops listening. */
  readonly on: (event: string, listener: (payload: unknown) => void) => () => void
}

/** The two IPC channels: every call goes through the one, every event through the other. */
export const CALL_CHANNEL = 'bookbridge:call'
export const EVENT_CHANNEL = 'bookbridge:event'
