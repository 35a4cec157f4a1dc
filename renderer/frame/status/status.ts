/** What the status line says, from the queue; pure. */
import type { RequestQueue, QueueEntry } from '../../../shared/contract/activity.ts'

export interface StatusText {
  /** `works` and `waits` have a filled dot and a clock, `pauses` a warning. */
  readonly state: 'rests' | 'works' | 'waits' | 'pauses'
  readonly what: string
  readonly companyName: string
  /** What else is known, in order: counts, which try it is, when the answer is due. Not announced when it changes. */
  readonly notes: readonly string[]
  /** ISO moment from which the clock runs; `null` for none. */
  readonly since: string | null
  /** ISO moment towards which the clock runs; `null` for none. */
  readonly until: string | null
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
  what: 'Ready',
  companyName: '',
  notes: [],
  since: null,
  until: null,
  doneAt: null,
  tookMs: null,
  waiting: 0,
  stoppable: null,
}

/** The status line for a queue; `isConnected` false before a first connection, which may be under way. */
export function statusText(queue: RequestQueue | null, isConnected: boolean, time: ShowTime): StatusText {
  if (!isConnected && !queue?.running) return { ...RESTING, what: 'Not connected' }
  if (!queue) return RESTING
  const waiting = queue.waiting.length
  if (queue.running) return runningText(queue, queue.running, time)
  if (queue.paused) return { ...RESTING, state: 'pauses', what: `Paused: ${queue.paused.message}`, waiting }
  const next = nextOf(queue)
  if (queue.blockedUntil !== null && !opensBeforeNextTry(queue.blockedUntil, next)) {
    return {
      ...RESTING,
      state: 'waits',
      what: `Waiting until ${time(queue.blockedUntil)}: ${blockReason(queue)}`,
      until: queue.blockedUntil,
      waiting,
      stoppable: next?.entryId ?? null,
    }
  }
  if (next) return nextText(next, waiting - 1, time)
  if (!queue.last) return RESTING
  const { what, companyName, at, milliseconds, ended } = queue.last
  const words = ended === 'done' ? pastTense(what) : `${what}: ${ended}`
  return { ...RESTING, what: `Ready · ${words}`, companyName, doneAt: at, tookMs: milliseconds }
}

/**
 * A finished request's title in the past tense, without the details after a colon: *Running Profit and loss* becomes
 * *ran Profit and loss*.
 */
export function pastTense(what: string): string {
  const [title = what] = what.split(': ')
  const space = title.indexOf(' ')
  const verb = PAST.get(space < 0 ? title : title.slice(0, space))
  if (verb === undefined) return what
  return space < 0 ? verb : `${verb}${title.slice(space)}`
}

const PAST: ReadonlyMap<string, string> = new Map([
  ['Connecting', 'connected'],
  ['Reading', 'read'],
  ['Running', 'ran'],
  ['Testing', 'tested'],
  ['Getting', 'got'],
  ['Listing', 'listed'],
  ['Asking', 'asked'],
  ['Sending', 'sent'],
  ['Confirming', 'confirmed'],
  ['Creating', 'created'],
  ['Provisioning', 'provisioned'],
])

/** What is shown of what waits: the try that waits as long as the service asks, else the first in the queue. */
function nextOf({ waiting, blockedUntil, blockedBy }: RequestQueue): QueueEntry | undefined {
  const isAsked = blockedUntil !== null && blockedBy?.because === 'asked'
  const asked = isAsked ? waiting.find((each) => opensBeforeNextTry(blockedUntil, each)) : undefined
  return asked ?? waiting[0]
}

/** The next try waits longer than the queue is shut, so its own words say what is waited for. */
function opensBeforeNextTry(blockedUntil: string, next: QueueEntry | undefined): boolean {
  return next?.state === 'backing-off' && next.pausesUntil !== null && next.pausesUntil >= blockedUntil
}

function runningText(queue: RequestQueue, running: QueueEntry, time: ShowTime): StatusText {
  const waiting = queue.waiting.length
  const paused = queue.paused === null ? '' : 'then pauses'
  if (running.state === 'let-go') {
    const until = queue.blockedUntil
    const shut =
      until === null
        ? ''
        : `. Nothing else will be sent until ${time(until)}, because a response may still arrive`
    return {
      ...RESTING,
      state: 'waits',
      what: `${running.what}: stopped${shut}`,
      companyName: running.companyName,
      notes: [paused].filter(Boolean),
      until,
      waiting,
    }
  }
  return {
    ...RESTING,
    state: 'works',
    what: running.what,
    companyName: running.companyName,
    notes: [running.progress, tryWords(running), dueWords(running, time), paused].filter(Boolean),
    since: running.startedAt ?? running.queuedAt,
    waiting,
    stoppable: running.entryId,
  }
}

/** Nothing runs, but something is in the queue: about to begin, or between two tries. */
function nextText(next: QueueEntry, waiting: number, time: ShowTime): StatusText {
  const base = {
    ...RESTING,
    state: 'waits' as const,
    companyName: next.companyName,
    waiting,
    stoppable: next.entryId,
  }
  if (next.state !== 'backing-off' || next.pausesUntil === null) {
    return { ...base, what: next.what, since: next.queuedAt }
  }
  return {
    ...base,
    what: `${next.what}: ${tryWords(next)} at ${time(next.pausesUntil)}`,
    notes: [next.trouble].filter(Boolean),
    until: next.pausesUntil,
  }
}

// What a queue waits for, in words that the status line, Activity and a list that is being sent share; pure.

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

/** Why nothing leaves just now: *the response to Reading customers · Alder & Finch may still arrive*. */
export function blockReason({ blockedBy }: Pick<RequestQueue, 'blockedBy'>): string {
  if (blockedBy?.because === 'elsewhere')
    return 'another Bookbridge window on this computer is using this connection'
  if (blockedBy === null || blockedBy.what === '')
    return 'the response to an earlier request may still arrive'
  switch (blockedBy.because) {
    case 'answer':
      return `the response to ${entryWords(blockedBy)} may still arrive`
    case 'at-work':
      return `the service may still be working on ${entryWords(blockedBy)}. Its response was lost`
    case 'settling':
      return `the outcome of ${entryWords(blockedBy)} is unknown, so Bookbridge gives the service a moment`
    case 'asked':
      return `the service asked Bookbridge to wait after ${entryWords(blockedBy)}`
  }
}

/** What keeps a request from leaving. */
export interface QueueWait {
  readonly words: string
  /** The ISO moment at which it ends; `null` when nobody knows. */
  readonly until: string | null
}

/** What holds everything in a queue: a pause, or an answer that may still arrive. `null` when it is open. */
export function heldWait(queue: RequestQueue | null, time: ShowTime): QueueWait | null {
  if (queue?.paused) {
    const { kind, message } = queue.paused
    const words =
      kind === 'unauthorised'
        ? 'On hold: the service rejected the key'
        : kind === 'paused'
          ? 'On hold: you paused this connection'
          : `Waiting: ${message}`
    return { words, until: null }
  }
  if (!queue?.blockedUntil) return null
  return {
    words: `Waiting until ${time(queue.blockedUntil)}: ${blockReason(queue)}`,
    until: queue.blockedUntil,
  }
}

/**
 * What a request waits for before it leaves; `null` once it runs, and when nothing is ahead of it. Most pauses let
 * through what a person reads, so for a read a pause is named only if nothing else holds it.
 */
export function queueWait(
  queue: RequestQueue | null,
  isMine: (entry: QueueEntry) => boolean,
  time: ShowTime,
): QueueWait | null {
  if (!queue || (queue.running && isMine(queue.running))) return null
  const mine = queue.waiting.find(isMine)
  const ahead = mine ? Math.max(0, mine.position - 1) + (queue.running ? 1 : 0) : 0
  const inLine = ahead === 0 ? null : { words: `Waiting in line: ${String(ahead)} ahead`, until: null }
  if (mine?.priority !== 'person' || mine.isWrite) return heldWait(queue, time) ?? inLine
  return heldWait({ ...queue, paused: null }, time) ?? inLine ?? heldWait(queue, time)
}

/** *try 2 of 3*; empty for the first, and where there is only one. */
export function tryWords({ attempt, attempts }: Pick<QueueEntry, 'attempt' | 'attempts'>): string {
  return attempt > 1 ? `try ${attempt} of ${attempts}` : ''
}

/** *response due by 9:12*; empty while nothing is on its way. */
export function dueWords({ deadlineAt }: Pick<QueueEntry, 'deadlineAt'>, time: ShowTime): string {
  return deadlineAt === null ? '' : `response due by ${time(deadlineAt)}`
}
