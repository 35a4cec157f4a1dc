/** Activity: what runs and waits, what is unfinished, and what was asked and sent. */
import { appError, ok } from '../../shared/result.ts'
import type { Scheduler } from '../service/turns.ts'
import type { RequestLogStore, UnfinishedStore } from '../store/store.ts'
import type { HandlersOf } from './handlers.ts'
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
    'activity.lanes': () => ok(scheduler.lanes()),
    'activity.log': (query) => log.list(query),
    'activity.unfinished': ({ connectionId }) => unfinished.list(connectionId),
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
          'Nothing is sent until you resume; what waits is kept. Lists and reports that you ask for are still read.',
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
