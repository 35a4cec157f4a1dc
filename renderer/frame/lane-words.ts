/** What a queue waits for, in words that the status line, Activity and a list that is being sent share; pure. */
import type { Lane, LaneEntry } from '../../shared/contract/activity.ts'

/** Shows an ISO moment as a time of day, in the machine's format. */
export type ShowTime = (iso: string) => string

/** *Reading customers · Alder & Finch*; without the company where none is concerned. */
export function entryWords({
  what,
  companyName,
}: {
  readonly what: string
  readonly companyName: string
}): string {
  return companyName === '' ? what : `${what} · ${companyName}`
}

/** Why nothing leaves just now: *the answer to Reading customers · Alder & Finch may still arrive*. */
export function shutReason({ shutBy }: Pick<Lane, 'shutBy'>): string {
  if (shutBy?.because === 'elsewhere') return 'another Bookbridge on this computer is using this connection'
  if (shutBy === null || shutBy.what === '') return 'the answer to an earlier request may still arrive'
  switch (shutBy.because) {
    case 'answer':
      return `the answer to ${entryWords(shutBy)} may still arrive`
    case 'at-work':
      return `the service may still be at work on ${entryWords(shutBy)}, whose answer was lost`
    case 'settling':
      return `the service is given a moment after ${entryWords(shutBy)}, which came to no sure end`
    case 'asked':
      return `the service asks to wait until then, after ${entryWords(shutBy)}`
  }
}

/** *try 2 of 3*; empty for the first, and where there is only one. */
export function tryWords({ attempt, attempts }: Pick<LaneEntry, 'attempt' | 'attempts'>): string {
  return attempt > 1 ? `try ${attempt} of ${attempts}` : ''
}

/** *answer due by 9:12*; empty while nothing is on its way. */
export function dueWords({ deadlineAt }: Pick<LaneEntry, 'deadlineAt'>, time: ShowTime): string {
  return deadlineAt === null ? '' : `answer due by ${time(deadlineAt)}`
}
