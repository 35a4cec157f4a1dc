/** One queue's entries, as Activity orders and words them; pure. */
import type { RequestQueue, QueueEntry } from '../../shared/contract/activity.ts'
import { dueWords, tryWords, type ShowTime } from '../frame/status.ts'

/** What waits, apart by what it waits for. */
export interface QueueParts {
  /** Runs beside the first: the older service at an address of its own. */
  readonly beside: readonly QueueEntry[]
  /** In the order in which they go. */
  readonly person: readonly QueueEntry[]
  readonly batch: readonly QueueEntry[]
  /** Between two tries; no place in the queue until then. */
  readonly between: readonly QueueEntry[]
}

/** What a person waits for goes before what is sent and checked in the background (specification 8.1). */
export function queueParts({ waiting }: Pick<RequestQueue, 'waiting'>): QueueParts {
  const queued = waiting.filter(({ state }) => state === 'waiting')
  return {
    beside: waiting.filter(({ state }) => state === 'running' || state === 'let-go'),
    person: queued.filter(({ priority }) => priority === 'person'),
    batch: queued.filter(({ priority }) => priority === 'batch'),
    between: waiting.filter(({ state }) => state === 'backing-off'),
  }
}

/** What is known of a running request, in a sentence; its end is counted down beside it. */
export function runningNote(entry: QueueEntry, time: ShowTime): string {
  if (entry.state === 'let-go') return 'Stopped. The service may still be working on it.'
  if (entry.pausesUntil !== null) {
    return 'No answer. Bookbridge waits a moment before the next request.'
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

/** Counts are what came so far; anything else says what is being done. */
function progressWords(progress: string): string {
  if (progress === '') return 'no answer yet'
  return /^\d/.test(progress) ? `${progress} so far` : progress
}

function sentence(words: string): string {
  return `${words.charAt(0).toLocaleUpperCase()}${words.slice(1)}.`
}

function withoutStop(words: string): string {
  return words.replace(/\.$/, '')
}
