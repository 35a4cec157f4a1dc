/** What the status line says, from the lane; pure. */
import type { Lane } from '../../shared/contract/activity.ts'

export interface StatusText {
  /** `works` and `waits` have a filled dot and a clock, `pauses` a warning. */
  readonly state: 'rests' | 'works' | 'waits' | 'pauses'
  readonly what: string
  readonly companyName: string
  /** Counts that are known, e.g. *3 pages, 6,000 records*. */
  readonly progress: string
  /** ISO moment from which the clock runs; `null` for none. */
  readonly since: string | null
  /** ISO moment at which the last thing was done; `null` for none. */
  readonly doneAt: string | null
  /** How long that took, in ms; `null` when none. */
  readonly tookMs: number | null
  readonly waiting: number
  /** What **Stop** stops; `null` when nothing can be stopped. */
  readonly stoppable: string | null
}

const RESTING: StatusText = {
  state: 'rests',
  what: 'Nothing running',
  companyName: '',
  progress: '',
  since: null,
  doneAt: null,
  tookMs: null,
  waiting: 0,
  stoppable: null,
}

/** The status line for a lane; `isConnected` false before a first connection. */
export function statusText(lane: Lane | null, isConnected: boolean): StatusText {
  if (!isConnected) return { ...RESTING, what: 'Not connected' }
  if (!lane) return RESTING
  const waiting = lane.waiting.length
  if (lane.running) {
    const { running } = lane
    const base = {
      companyName: running.companyName,
      progress: running.progress,
      waiting,
      doneAt: null,
      tookMs: null,
    }
    switch (running.state) {
      case 'let-go':
        return {
          ...base,
          state: 'waits',
          what: `${running.what}: stopped, waiting until the service is free`,
          since: running.startedAt,
          stoppable: null,
        }
      case 'backing-off':
        return {
          ...base,
          state: 'waits',
          what: `${running.what}: trying again, ${running.attempt + 1} of ${running.attempts}`,
          since: running.startedAt,
          stoppable: running.entryId,
        }
      case 'waiting':
      case 'running':
        return {
          ...base,
          state: 'works',
          what: running.what,
          since: running.startedAt ?? running.queuedAt,
          stoppable: running.entryId,
        }
    }
  }
  if (lane.paused) return { ...RESTING, state: 'pauses', what: `Paused: ${lane.paused.message}`, waiting }
  const next = lane.waiting[0]
  if (next) {
    const what = lane.shutUntil === null ? next.what : `${next.what}: waiting until the service is free`
    return {
      ...RESTING,
      state: 'waits',
      what,
      companyName: next.companyName,
      since: next.queuedAt,
      waiting: waiting - 1,
      stoppable: next.entryId,
    }
  }
  if (lane.shutUntil !== null)
    return { ...RESTING, state: 'waits', what: 'Waiting until the service is free' }
  if (!lane.last) return RESTING
  const { what, companyName, at, milliseconds, ok } = lane.last
  return { ...RESTING, what: ok ? what : `${what}: failed`, companyName, doneAt: at, tookMs: milliseconds }
}
