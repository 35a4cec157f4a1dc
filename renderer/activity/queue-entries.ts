/** The entries of one queue as Activity groups and describes them. */
import type { QueueEntry, RequestQueue } from '../../shared/contract/activity.ts'
import { capitalized } from '../../shared/format/format.ts'
import { formatDue, formatTry, type ShowTime } from '../frame/status/status.ts'

/** The waiting requests, grouped by why they wait. */
interface QueueParts {
  /** Requests that run in parallel, to the previous service at its own address. */
  readonly parallel: readonly QueueEntry[]
  /** In the order in which they are sent. */
  readonly foreground: readonly QueueEntry[]
  readonly background: readonly QueueEntry[]
  /** Waiting for a retry, without a position in the queue until then. */
  readonly retrying: readonly QueueEntry[]
}

/** Groups the requests. Those that the user waits for precede background work. */
export function queueParts({ waiting }: Pick<RequestQueue, 'waiting'>): QueueParts {
  const queued = waiting.filter(({ state }) => state === 'waiting')
  return {
    parallel: waiting.filter(({ state }) => state === 'running' || state === 'abandoned'),
    foreground: queued.filter(({ priority }) => priority === 'interactive'),
    background: queued.filter(({ priority }) => priority === 'batch'),
    retrying: waiting.filter(({ state }) => state === 'backing-off'),
  }
}

/** Describes a running request. */
export function runningNote(entry: QueueEntry, time: ShowTime): string {
  if (entry.state === 'abandoned') return 'Stopped. The service may still be working on it.'
  if (entry.pausesUntil !== null) {
    return 'No response. Bookbridge waits a moment before the next request.'
  }
  const known = [
    formatProgressNote(entry.progress),
    formatTry(entry) +
      (entry.trouble === '' || entry.attempt < 2 ? '' : ` (before: ${withoutStop(entry.trouble)})`),
    formatDue(entry, time),
  ]
  return sentence(known.filter(Boolean).join(', '))
}

/** Says why and when a request is retried. */
export function retryNote(entry: QueueEntry, time: ShowTime): string {
  const when = entry.pausesUntil === null ? 'soon' : `at ${time(entry.pausesUntil)}`
  return `${entry.trouble} ${sentence(`${formatTry(entry)} ${when}`)}`.trim()
}

/** A count is the amount received so far. Other text describes the current step. */
function formatProgressNote(progress: string): string {
  if (progress === '') return 'no response yet'
  return /^\d/.test(progress) ? `${progress} so far` : progress
}

function sentence(message: string): string {
  return `${capitalized(message)}.`
}

function withoutStop(message: string): string {
  return message.replace(/\.$/, '')
}
