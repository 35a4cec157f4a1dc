/** What is known about a running request, in a sentence. */
import type { LaneEntry } from '../../shared/contract/activity.ts'

/** Counts that are known, which try it is, and when the answer must be there. `time` shows an ISO moment. */
export function runningNote(entry: LaneEntry, time: (iso: string) => string): string {
  const deadline = entry.deadlineAt === null ? '' : `An answer must be there by ${time(entry.deadlineAt)}.`
  switch (entry.state) {
    case 'let-go':
      return `Stopped. The service may still be at work on it, so the next thing waits. ${deadline}`.trim()
    case 'backing-off':
      return `No good answer yet: tried again soon, ${entry.attempt + 1} of ${entry.attempts}.`
    case 'waiting':
    case 'running':
      return [
        entry.progress === ''
          ? 'No answer yet.'
          : `${entry.progress} so far. The service doesn’t say how many there are.`,
        entry.attempt > 1 ? `Try ${entry.attempt} of ${entry.attempts}.` : '',
        deadline,
      ]
        .filter(Boolean)
        .join(' ')
  }
}
