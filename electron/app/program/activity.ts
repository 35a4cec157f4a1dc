/** Activity: what runs and waits, what is unfinished, and what was asked and sent. */
import type { UnfinishedItem } from '../../../shared/contract/activity.ts'
import { appError, ok } from '../../../shared/result.ts'
import type { Scheduler } from '../../service/queue/scheduler.ts'
import type { RequestLogStore, UnfinishedStore } from '../../store/activity.ts'
import type { HandlersOf } from '../calls.ts'
import type { SettingsStore } from '../ports.ts'
import type { SupportFile } from './support.ts'

export interface ActivityOptions {
  readonly scheduler: Scheduler
  readonly log: RequestLogStore
  readonly unfinished: UnfinishedStore
  readonly supportFile: SupportFile
}

export function createActivity({
  scheduler,
  log,
  unfinished,
  supportFile,
}: ActivityOptions): HandlersOf<'activity'> {
  return {
    'activity.queues': () => ok(scheduler.queues()),
    'activity.log': (query) => ok(log.list(query)),
    'activity.unfinished': ({ connectionId }) => ok(unfinished.list(connectionId)),
    'activity.saveSupportFile': () => supportFile.save(),
    'activity.stop': ({ entryId }) => {
      const stopped = scheduler.stop(entryId)
      return stopped.ok ? ok({}) : stopped
    },
    'activity.pause': ({ connectionId }) => {
      scheduler.pause(
        connectionId,
        appError(
          'paused',
          'Paused by you.',
          'Nothing is sent until you resume. You can still load lists and run reports.',
        ),
      )
      return ok({})
    },
    'activity.resume': ({ connectionId }) => {
      scheduler.resume(connectionId)
      return ok({})
    },
  }
}

// Unfinished work on this computer.

/** Unfinished work of all connections, in the order of the settings. */
export function unfinishedItems(
  unfinished: UnfinishedStore,
  settings: Pick<SettingsStore, 'connections'>,
): readonly UnfinishedItem[] {
  return settings.connections().flatMap(({ connectionId }) => unfinished.list(connectionId))
}
