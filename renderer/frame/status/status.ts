/** What the status line says about a queue. Pure. */
import type { QueueEntry, RequestQueue } from '../../../shared/contract/activity.ts'
import { type Format, uncapitalized } from '../../../shared/format/format.ts'

export interface StatusText {
  /** `works` and `waits` show a dot and a clock, `pauses` a warning. `rests` is without a connection or after a failure. */
  readonly state: 'rests' | 'ready' | 'works' | 'waits' | 'pauses'
  readonly what: string
  readonly companyName: string
  /** More details, in order: counts, the attempt, when the response is due. Changes are not announced. */
  readonly notes: readonly string[]
  /** When the clock started, ISO; `null` for no clock. */
  readonly since: string | null
  /** When the countdown ends, ISO; `null` for none. */
  readonly until: string | null
  /** When the last request was done, ISO; `null` for none. */
  readonly doneAt: string | null
  /** How long it took, in milliseconds; `null` for none. */
  readonly tookMs: number | null
  readonly waiting: number
  /** The entry that **Stop** stops; `null` if nothing can be stopped. */
  readonly stoppable: QueueEntry | null
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

const READY: StatusText = { ...RESTING, state: 'ready' }

/**
 * The status line for a queue. `isConnected` is false before the first connection, even while it is being tested.
 * @param shownCompany the name of the company on screen, the only one whose last request is named; empty for a screen of
 *   all companies
 * @param unsent what waits to be sent to that company until the user continues (`unsentText`); empty for nothing
 */
export function statusText(
  queue: RequestQueue | null,
  isConnected: boolean,
  time: ShowTime,
  shownCompany = '',
  unsent = '',
): StatusText {
  if (!isConnected && !queue?.running) return { ...RESTING, what: 'Not connected' }
  const ready = unsent === '' ? READY : { ...RESTING, what: `Ready · ${unsent}`, companyName: shownCompany }
  if (!queue) return ready
  const waiting = queue.waiting.length
  if (queue.running) return runningText(queue, queue.running, time)
  if (queue.paused) return { ...RESTING, state: 'pauses', what: `Paused: ${queue.paused.message}`, waiting }
  const next = nextOf(queue)
  if (queue.blockedUntil !== null && !opensBeforeNextTry(queue.blockedUntil, next)) {
    return {
      ...RESTING,
      state: 'waits',
      what: `Waiting until ${time(queue.blockedUntil)}: ${blockReason({ blockedBy: withoutCompany(queue.blockedBy, shownCompany) })}`,
      until: queue.blockedUntil,
      waiting,
      stoppable: next ?? null,
    }
  }
  if (next) return nextText(next, waiting - 1, time)
  if (unsent !== '' || !queue.last) return ready
  const { what, companyName, at, milliseconds, ended } = queue.last
  if (companyName !== '' && companyName !== shownCompany) return READY
  const isDone = ended === 'done'
  const text = isDone ? pastTense(what) : `${what}: ${ended}`
  const base = isDone ? READY : RESTING
  return { ...base, what: `Ready · ${text}`, companyName, doneAt: at, tookMs: milliseconds }
}

/** Leaves out the company on screen, so that the rest has space. */
function withoutCompany(
  blockedBy: RequestQueue['blockedBy'],
  shownCompany: string,
): RequestQueue['blockedBy'] {
  return blockedBy?.companyName === shownCompany ? { ...blockedBy, companyName: '' } : blockedBy
}

/** What a stopped batch left: *3 changes wait to be sent*. */
export function unsentText(count: number, format: Format): string {
  return `${format.count(count)} ${count === 1 ? 'change waits' : 'changes wait'} to be sent`
}

/** The button that stops a request. The service may carry out what was sent to it, so only the wait can be stopped. */
export function stopLabel({ isWrite, state }: QueueEntry): 'Stop' | 'Stop waiting' {
  return isWrite && state === 'running' ? 'Stop waiting' : 'Stop'
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
  ['Checking', 'checked'],
  ['Connecting', 'connected'],
  ['Reading', 'read'],
  ['Running', 'ran'],
  ['Testing', 'tested'],
  ['Getting', 'got'],
  ['Listing', 'listed'],
  ['Looking', 'looked'],
  ['Asking', 'asked'],
  ['Sending', 'sent'],
  ['Confirming', 'confirmed'],
  ['Creating', 'created'],
  ['Provisioning', 'provisioned'],
  ['De-provisioning', 'de-provisioned'],
])

/** The waiting entry to show: a retry that the service delayed, otherwise the first in the queue. */
function nextOf({ waiting, blockedUntil, blockedBy }: RequestQueue): QueueEntry | undefined {
  const isAsked = blockedUntil !== null && blockedBy?.reason === 'asked'
  const asked = isAsked ? waiting.find((each) => opensBeforeNextTry(blockedUntil, each)) : undefined
  return asked ?? waiting[0]
}

/** Whether the next attempt waits longer than the queue is blocked, so that its own words say why. */
function opensBeforeNextTry(blockedUntil: string, next: QueueEntry | undefined): boolean {
  return next?.state === 'backing-off' && next.pausesUntil !== null && next.pausesUntil >= blockedUntil
}

function runningText(queue: RequestQueue, running: QueueEntry, time: ShowTime): StatusText {
  const waiting = queue.waiting.length
  const paused = queue.paused === null ? '' : 'then pauses'
  if (running.state === 'abandoned') {
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
    notes: [running.progress, formatTry(running), formatDue(running, time), paused].filter(Boolean),
    since: running.startedAt ?? running.queuedAt,
    waiting,
    stoppable: running,
  }
}

/** The status while nothing runs but something is queued: about to begin, or between two attempts. */
function nextText(next: QueueEntry, waiting: number, time: ShowTime): StatusText {
  const base = {
    ...RESTING,
    state: 'waits' as const,
    companyName: next.companyName,
    waiting,
    stoppable: next,
  }
  if (next.state !== 'backing-off' || next.pausesUntil === null) {
    return { ...base, what: next.what, since: next.queuedAt }
  }
  return {
    ...base,
    what: `${next.what}: ${formatTry(next)} at ${time(next.pausesUntil)}`,
    notes: [next.trouble].filter(Boolean),
    until: next.pausesUntil,
  }
}

// Why a queue waits, in words that the status line, Activity, and Records share. Pure.

/** Shows an ISO moment as a time of day, in the computer's format. */
export type ShowTime = (iso: string) => string

/** *Reading customers · Alder & Finch*; only the title if there is no company. */
export function formatEntry({
  what,
  companyName,
}: {
  readonly what: string
  readonly companyName: string
}): string {
  return companyName === '' ? what : `${what} · ${companyName}`
}

/** Why nothing is sent now: *the response to Reading customers · Alder & Finch may still arrive*. */
export function blockReason({ blockedBy }: Pick<RequestQueue, 'blockedBy'>): string {
  if (blockedBy?.reason === 'elsewhere')
    return 'another Bookbridge window on this computer is using this connection'
  if (blockedBy === null || blockedBy.what === '')
    return 'the response to an earlier request may still arrive'
  switch (blockedBy.reason) {
    case 'answer':
      return `the response to ${formatEntry(blockedBy)} may still arrive`
    case 'at-work':
      return `no response when ${uncapitalized(formatEntry(blockedBy))}`
    case 'settling':
      return `the outcome of ${formatEntry(blockedBy)} is unknown, so Bookbridge gives the service a moment`
    case 'asked':
      return `the service asked Bookbridge to wait after ${formatEntry(blockedBy)}`
  }
}

/** Why a request waits. */
export interface QueueWait {
  readonly text: string
  /** When the wait ends, ISO; `null` if unknown. */
  readonly until: string | null
}

/** Why the whole queue waits: a pause, or a response that may still arrive. `null` if it doesn't. */
export function heldWait(queue: RequestQueue | null, time: ShowTime): QueueWait | null {
  if (queue?.paused) {
    const { kind, message } = queue.paused
    const text =
      kind === 'unauthorized'
        ? 'Waiting until you change the key: the service rejected it'
        : kind === 'paused'
          ? 'Waiting until you resume this connection'
          : `Waiting: ${message}`
    return { text, until: null }
  }
  if (!queue?.blockedUntil) return null
  return {
    text: `Waiting until ${time(queue.blockedUntil)}: ${blockReason(queue)}`,
    until: queue.blockedUntil,
  }
}

/**
 * Why a request waits; `null` once it runs, or if nothing is ahead of it. Most pauses let reads through, so for a read
 * that a user waits for, a pause is named only if nothing else holds it up.
 */
export function queueWait(
  queue: RequestQueue | null,
  isMine: (entry: QueueEntry) => boolean,
  time: ShowTime,
): QueueWait | null {
  if (!queue || (queue.running && isMine(queue.running))) return null
  const mine = queue.waiting.find(isMine)
  const ahead = mine ? Math.max(0, mine.position - 1) + (queue.running ? 1 : 0) : 0
  const inLine = ahead === 0 ? null : { text: `Waiting in line: ${String(ahead)} ahead`, until: null }
  if (mine?.priority !== 'interactive' || mine.isWrite) return heldWait(queue, time) ?? inLine
  return heldWait({ ...queue, paused: null }, time) ?? inLine ?? heldWait(queue, time)
}

/** *try 2 of 3*; empty for the first attempt. */
export function formatTry({ attempt, attempts }: Pick<QueueEntry, 'attempt' | 'attempts'>): string {
  return attempt > 1 ? `try ${attempt} of ${attempts}` : ''
}

/** *response due by 9:12*; empty unless a request is running. */
export function formatDue({ deadlineAt }: Pick<QueueEntry, 'deadlineAt'>, time: ShowTime): string {
  return deadlineAt === null ? '' : `response due by ${time(deadlineAt)}`
}
