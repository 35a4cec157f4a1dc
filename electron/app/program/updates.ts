/** Updates: checked for, downloaded, and installed only when the user says so, and never during work. */
import type { RequestQueue, UnfinishedItem } from '../../../shared/contract/activity.ts'
import type { UpdateState } from '../../../shared/contract/app.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../../../shared/result.ts'
import type { Scheduler } from '../../service/queue/scheduler.ts'
import type { Store } from '../../store/store.ts'
import type { HandlersOf } from '../calls.ts'
import type { Announcer, SettingsStore, UpdateSource } from '../ports.ts'
import { unfinishedItems } from './activity.ts'

export function createUpdates(options: {
  readonly version: string
  /** `off` says why this build doesn't check for updates. */
  readonly source: UpdateSource | { readonly off: string }
  readonly scheduler: Pick<Scheduler, 'queues'>
  readonly unfinished: Store['unfinished']
  readonly settings: Pick<SettingsStore, 'connections'>
  readonly announcer: Announcer
}): HandlersOf<'updates'> {
  const { source } = options
  let state: UpdateState = 'off' in source ? { state: 'off', reason: source.off } : { state: 'idle' }

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
        'The update couldn’t be downloaded.',
        'Check this computer’s internet connection, and try again later. Bookbridge keeps working as it is.',
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
        const found = await source.check()
        if (found === null || !isNewer(found.version, options.version)) return become({ state: 'newest' })
        return become({ state: 'offered', version: found.version, news: plainReleaseNotes(found.notes) })
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
        return err(appError('not-found', 'No update is ready.', 'Check for updates first.'))
      }
      const items = unfinishedItems(options.unfinished, options.settings)
      const refused = installBlocker(options.scheduler.queues(), items)
      if (refused !== null) return err(refused)
      source.install()
      return ok({})
    },
  }
}

/* Decides when a build may check for updates, and when it may install one. Pure functions. */

export interface BuildFacts {
  readonly isPackaged: boolean
  readonly platform: string
  /**
   * The text of `app-update.yml`, which only a signed package has (scripts/parts/package-config.ts), or `null`.
   */
  readonly updateFile: string | null
}

/** Returns why this build doesn't check for updates, or `null` if it does. */
export function updatesOffReason({ isPackaged, platform, updateFile }: BuildFacts): string | null {
  if (!isPackaged) return 'This is a developer build.'
  if (platform !== 'win32' && platform !== 'darwin') return 'Packages for Linux are updated by hand.'
  if (updateFile === null) return 'This build is not signed or has no update address.'
  const address = /^url:\s*(\S+)\s*$/m.exec(updateFile)?.[1]?.replaceAll(/^['"]|['"]$/g, '') ?? ''
  if (!URL.canParse(address) || new URL(address).protocol !== 'https:') {
    return 'The update address in this build is not secure.'
  }
  // On Windows, an update's signature is checked against this name. macOS checks it itself.
  if (platform === 'win32' && !/^publisherName:\s*\S|^publisherName:\s*\n\s*-\s*\S/m.test(updateFile)) {
    return 'This build doesn’t name the signer of its updates.'
  }
  return null
}

const BEING_SENT: readonly UnfinishedItem['kind'][] = [
  'sending',
  'queued',
  'not-confirmed',
  'provisioning',
  'deprovisioning',
]

/** Returns why no update may be installed now, or `null` if one may. Drafts and decisions survive an update. */
function installBlocker(
  queues: readonly RequestQueue[],
  unfinished: readonly UnfinishedItem[],
): AppError | null {
  if (queues.some(({ running, waiting }) => running !== null || waiting.length > 0)) {
    return appError(
      'invalid-input',
      'Bookbridge is busy.',
      'Wait until it’s done, or stop it in Activity. You can install the update later.',
    )
  }
  const open = unfinished.find(({ kind }) => BEING_SENT.includes(kind))
  if (open === undefined) return null
  return appError(
    'invalid-input',
    'Some changes are not sent or confirmed yet.',
    'Finish them first under Activity, Unfinished. You can install the update later.',
  )
}

/** Compares versions part by part. A pre-release is never newer. */
function isNewer(offered: string, own: string): boolean {
  const parts = (version: string): readonly number[] | null =>
    /^\d+\.\d+\.\d+$/.test(version) ? version.split('.').map(Number) : null
  const [left, right] = [parts(offered), parts(own)]
  if (left === null || right === null) return false
  const at = left.findIndex((part, index) => part !== right[index])
  return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0)
}

/** Converts release notes to plain text, and limits their length. */
function plainReleaseNotes(notes: unknown): string {
  const texts = Array.isArray(notes)
    ? notes.map((each: unknown) =>
        typeof each === 'object' && each !== null && 'note' in each ? each.note : '',
      )
    : [notes]
  return texts
    .filter((each) => typeof each === 'string')
    .join('\n\n')
    .replaceAll(/<(?:br|\/p|\/li|\/h\d)[^>]*>/gi, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .slice(0, 5_000)
    .trim()
}
