/** The entries of one queue, in the order and words of Activity. */
import type { RequestQueue, QueueEntry } from '../../shared/contract/activity.ts'
import { dueWords, tryWords, type ShowTime } from '../frame/status/status.ts'

/** The waiting requests by why they wait. */
interface QueueParts {
  /** Runs in parallel: the older service at its own address. */
  readonly beside: readonly QueueEntry[]
  /** In the order in which they are sent. */
  readonly person: readonly QueueEntry[]
  readonly batch: readonly QueueEntry[]
  /** Waiting for another try, with no place in the queue until then. */
  readonly between: readonly QueueEntry[]
}

/** Requests that a person waits for go before sending and checking in the background. */
export function queueParts({ waiting }: Pick<RequestQueue, 'waiting'>): QueueParts {
  const queued = waiting.filter(({ state }) => state === 'waiting')
  return {
    beside: waiting.filter(({ state }) => state === 'running' || state === 'let-go'),
    person: queued.filter(({ priority }) => priority === 'person'),
    batch: queued.filter(({ priority }) => priority === 'batch'),
    between: waiting.filter(({ state }) => state === 'backing-off'),
  }
}

/** What is known about a running request, in a sentence. */
export function runningNote(entry: QueueEntry, time: ShowTime): string {
  if (entry.state === 'let-go') return 'Stopped. The service may still be working on it.'
  if (entry.pausesUntil !== null) {
    return 'No response. Bookbridge waits a moment before the next request.'
  }
  const known = [
    progressWords(entry.progress),
    tryWords(entry) +
      (entry.trouble === '' || entry.attempt < 2 ? '' : ` (before: ${withoutStop(entry.trouble)})`),
    dueWords(entry, time),
  ]
  return sentence(known.filter(Boolean).join(', '))
}

/** Why something is tried again, and when. */
export function betweenNote(entry: QueueEntry, time: ShowTime): string {
  const when = entry.pausesUntil === null ? 'soon' : `at ${time(entry.pausesUntil)}`
  return `${entry.trouble} ${sentence(`${tryWords(entry)} ${when}`)}`.trim()
}

/** A count is what has arrived so far. Anything else says what is being done. */
function progressWords(progress: string): string {
  if (progress === '') return 'no response yet'
  return /^\d/.test(progress) ? `${progress} so far` : progress
}

function sentence(words: string): string {
  return `${words.charAt(0).toLocaleUpperCase()}${words.slice(1)}.`
}

function withoutStop(words: string): string {
  return words.replace(/\.$/, '')
}
