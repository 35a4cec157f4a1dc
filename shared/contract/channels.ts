/**
 * The bare names of the calls and events, held to the contract by the compiler: all that the preload needs, so
 * that its bundle has no schemas in it.
 */
import type { CallName, EventName } from './contract.ts'

/** Answers the names as they are; does not compile when one of `All` is missing, and says which. */
function complete<All extends string>() {
  return <const Names extends readonly All[]>(
    names: Names &
      ([Exclude<All, Names[number]>] extends [never]
        ? unknown
        : { readonly missing: Exclude<All, Names[number]> }),
  ): Names => names
}

export const CALL_NAMES = complete<CallName>()([
  'app.about',
  'app.licences',
  'app.openGuide',
  'app.showFile',
  'app.reportDefect',
  'app.restart',
  'backup.save',
  'backup.choose',
  'backup.unseal',
  'backup.restore',
  'backup.forget',
  'connection.list',
  'connection.setKey',
  'connection.connect',
  'connection.change',
  'connection.learned',
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
  'companies.provision',
  'companies.visit',
  'companies.saveVisit',
  'companies.provisionings',
  'companies.stopWaiting',
  'companies.lookForProvisioned',
  'companies.decideProvisioning',
  'companies.deprovision',
  'companies.deprovisionings',
  'companies.lookForDeprovisioned',
  'companies.saveDeprovisionReport',
  'records.open',
  'records.stop',
  'records.rows',
  'records.merge',
  'records.close',
  'records.support',
  'records.drafts',
  'records.saveDrafts',
  'records.discardDrafts',
  'records.send',
  'records.batches',
  'records.stopBatch',
  'records.resumeBatch',
  'records.checkNow',
  'records.decide',
  'import.chooseFile',
  'import.takeFile',
  'import.openFile',
  'import.openPasted',
  'import.rows',
  'import.close',
  'import.mapping',
  'import.keepMapping',
  'import.repeats',
  'import.keep',
  'import.saveNotTaken',
  'import.notAccepted',
  'import.saveNotAccepted',
  'export.begin',
  'export.rows',
  'export.end',
  'export.cancel',
  'reports.select',
  'reports.rows',
  'reports.close',
  'reports.combine',
  'reports.saveCsv',
  'reports.saveDocument',
  'reports.saveChart',
  'reports.copyChart',
  'reportJobs.list',
  'reportJobs.start',
  'reportJobs.stop',
  'reportJobs.goOn',
  'reportJobs.retry',
  'reportJobs.answer',
  'reportJobs.remove',
  'reportJobs.sets',
  'reportJobs.saveSet',
  'reportJobs.removeSet',
  'activity.lanes',
  'activity.log',
  'activity.unfinished',
  'activity.stop',
  'activity.pause',
  'activity.resume',
  'activity.saveSupportFile',
  'history.entries',
  'history.records',
  'history.requests',
  'history.planChangeBack',
  'history.changeBack',
  'history.deleteCompany',
  'sample.state',
  'sample.control',
  'settings.get',
  'settings.set',
  'settings.chooseCertificate',
  'updates.state',
  'updates.check',
  'updates.fetch',
  'updates.install',
])

export const EVENT_NAMES = complete<EventName>()([
  'activity.changed',
  'companies.changed',
  'connections.changed',
  'records.changed',
  'records.progress',
  'reportJobs.changed',
  'settings.changed',
  'updates.changed',
  'window.command',
])

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
