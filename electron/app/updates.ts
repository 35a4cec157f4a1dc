/** Updates: looked for, fetched and put in place only when the person says so, and never in the middle of work. */
import type { UpdateState } from '../../shared/contract/updates.ts'
import { appError, causeText, err, ok, type Result } from '../../shared/result.ts'
import type { Scheduler } from '../service/turns.ts'
import type { Store } from '../store/store.ts'
import type { HandlersOf } from './handlers.ts'
import type { Announcer, SettingsStore, UpdateSource } from './ports.ts'
import { unfinishedItems } from './unfinished-items.ts'
import { isNewer, plainNews, whyNotNow } from './update-decisions.ts'

export function createUpdates(options: {
  readonly version: string
  /** A build that looks for none says why. */
  readonly source: UpdateSource | { readonly off: string }
  readonly scheduler: Pick<Scheduler, 'lanes'>
  readonly unfinished: Store['unfinished']
  readonly settings: Pick<SettingsStore, 'connections'>
  readonly announcer: Announcer
}): HandlersOf<'updates'> {
  const { source } = options
  let state: UpdateState = 'off' in source ? { state: 'off', because: source.off } : { state: 'idle' }

  const become = (next: UpdateState): Result<UpdateState> => {
    state = next
    options.announcer.emit('updates.changed', next)
    return ok(next)
  }
  const failed = (before: UpdateState, cause: unknown): Result<never> => {
    become(before)
    return err(
      appError(
        'unreachable',
        'The update could not be fetched.',
        'Is this computer connected? Bookbridge works on as it is; try again later.',
        { raw: causeText(cause) },
      ),
    )
  }
  return {
    'updates.state': () => ok(state),
    'updates.check': async () => {
      if ('off' in source || state.state === 'checking' || state.state === 'fetching') return ok(state)
      const before = state
      become({ state: 'checking' })
      try {
        const found = await source.look()
        if (found === null || !isNewer(found.version, options.version)) return become({ state: 'newest' })
        return become({ state: 'offered', version: found.version, news: plainNews(found.notes) })
      } catch (cause) {
        return failed(before, cause)
      }
    },
    'updates.fetch': async () => {
      if ('off' in source || state.state !== 'offered') return ok(state)
      const before = state
      const { version, news } = state
      become({ state: 'fetching', version, percent: 0 })
      try {
        await source.fetch((percent) => {
          if (state.state === 'fetching') become({ state: 'fetching', version, percent: Math.round(percent) })
        })
        return become({ state: 'ready', version, news })
      } catch (cause) {
        return failed(before, cause)
      }
    },
    'updates.install': () => {
      if ('off' in source || state.state !== 'ready') {
        return err(appError('not-found', 'There is no update that is ready.', 'Look for updates first.'))
      }
      const items = unfinishedItems(options.unfinished, options.settings)
      if (!items.ok) return items
      const refused = whyNotNow(options.scheduler.lanes(), items.value)
      if (refused !== null) return err(refused)
      source.install()
      return ok({})
    },
  }
}
