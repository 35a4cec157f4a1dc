/**
 * The computers where Desktop applications run, and what can be wrong there (section 1): machine, session, agent, token,
 * open file, dialog, mode, and the end user's authorization.
 */
import { COMPANY_FILES } from './profiles/company-files.ts'
import { accepted, type Application, type Outcome, refused } from './responses.ts'
import { type After, parseDay } from './time.ts'

/** The conditions at the computer of a company's file. */
export interface AgentConditions {
  readonly machine: 'on' | 'off'
  readonly session: 'logged-in' | 'logged-out'
  readonly agent: 'running' | 'stopped'
  readonly token: 'entered' | 'missing'
  readonly openFile: 'target' | 'none' | 'another'
  readonly dialog: 'none' | 'open'
  readonly mode: 'expected' | 'other'
  readonly authorization: 'granted' | 'pending' | 'denied'
  /** How long the service waits before it says that the agent is not connected, in milliseconds. */
  readonly answerAfter: number
  /** How long until a pending authorization is granted, in milliseconds. 0 waits until someone grants it. */
  readonly grantedAfter: number
}

/** The conditions where everything works. */
export const ALL_WELL: AgentConditions = {
  machine: 'on',
  session: 'logged-in',
  agent: 'running',
  token: 'entered',
  openFile: 'target',
  dialog: 'none',
  mode: 'expected',
  authorization: 'granted',
  answerAfter: 0,
  grantedAfter: 0,
}

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  machine: ['on', 'off'],
  session: ['logged-in', 'logged-out'],
  agent: ['running', 'stopped'],
  token: ['entered', 'missing'],
  openFile: ['target', 'none', 'another'],
  dialog: ['none', 'open'],
  mode: ['expected', 'other'],
  authorization: ['granted', 'pending', 'denied'],
}

/** What is wrong with a change of conditions. Undefined if nothing is. */
function conditionTrouble(change: object): string | undefined {
  if (Array.isArray(change)) return 'The conditions must be an object'
  for (const [name, value] of Object.entries(change) as [string, unknown][]) {
    const allowed = ALLOWED[name]
    if (allowed === undefined) {
      if ((name === 'answerAfter' || name === 'grantedAfter') && typeof value === 'number' && value >= 0)
        continue
      return `"${name}" is not a condition with the value ${JSON.stringify(value)}`
    }
    if (typeof value !== 'string' || !allowed.includes(value)) {
      return `"${name}" can be ${allowed.join(', ')}, not ${JSON.stringify(value)}`
    }
  }
  return undefined
}

/** The computers of all files. */
export interface Desktop {
  conditions(fileKey: string): AgentConditions
  /** Changes the conditions of one file, or of all. Waiting requests check again. */
  change(conditions: Partial<AgentConditions>, fileKey?: string): void
  reset(): void
  /**
   * Lets a request through or refuses it, as the agent and the application would. Waits while no one answers and while
   * an authorization is pending. Unless `provisioning`, no file has to be open, because the agent opens it.
   */
  reach(fileKey: string, application: Application, provisioning: boolean): Promise<Outcome<undefined>>
}

/** Creates the computers. */
export function createDesktop(initial: AgentConditions, elapsed: () => number, after: After): Desktop {
  let everywhere = initial
  const single = new Map<string, AgentConditions>()
  const waiting = new Set<() => void>()
  const conditions = (fileKey: string): AgentConditions => single.get(fileKey) ?? everywhere
  const changed = (): void => {
    for (const wake of [...waiting]) wake()
  }
  /** Waits until something changes or the time is over. 0 waits only for a change. */
  const wait = async (milliseconds: number): Promise<void> => {
    await new Promise<void>((resolve) => {
      let cancel = (): void => undefined
      const wake = (): void => {
        cancel()
        waiting.delete(wake)
        resolve()
      }
      if (milliseconds > 0) cancel = after(milliseconds, wake)
      waiting.add(wake)
    })
  }
  return {
    conditions,
    change: (change, fileKey) => {
      if (fileKey === undefined) {
        everywhere = { ...everywhere, ...change }
        for (const [key, own] of single) single.set(key, { ...own, ...change })
      } else {
        single.set(fileKey, { ...conditions(fileKey), ...change })
      }
      changed()
    },
    reset: () => {
      everywhere = initial
      single.clear()
      changed()
    },
    reach: async (fileKey, application, provisioning) => {
      const began = elapsed()
      for (;;) {
        const state = conditions(fileKey)
        const patience = application === 'qbd' && isSilent(state) ? state.answerAfter : 0
        const spent = elapsed() - began
        if (patience > spent) {
          await wait(patience - spent)
        } else if (isAsking(state) && (state.grantedAfter === 0 || state.grantedAfter > spent)) {
          await wait(state.grantedAfter === 0 ? 0 : state.grantedAfter - spent)
        } else {
          return application === 'qbd' ? desktopOutcome(state, provisioning) : onlineOutcome(state)
        }
      }
    },
  }
}

function isSilent(state: AgentConditions): boolean {
  return state.machine === 'off' || state.session === 'logged-out' || state.agent === 'stopped'
}

function isAsking(state: AgentConditions): boolean {
  return state.authorization === 'pending' && !isSilent(state) && state.token === 'entered'
}

function desktopOutcome(state: AgentConditions, provisioning: boolean): Outcome<undefined> {
  if (isSilent(state)) {
    return refused(
      504,
      'AgentNotConnected',
      'The agent of this company is not connected.',
      'The machine must be on and logged in, and the agent must be running.',
    )
  }
  if (state.token === 'missing') {
    return refused(200, 'AgentTokenMissing', 'The agent has no valid token for this company.')
  }
  if (state.dialog === 'open') {
    return refused(
      200,
      '0x80040414',
      'A modal dialog box is showing in the application user interface. Your application cannot access the company file until the user dismisses the dialog box.',
    )
  }
  if (state.openFile === 'another') {
    return refused(
      200,
      '0x8004040A',
      'The company data file is already open and it is different from the one requested.',
    )
  }
  if (state.openFile === 'none' && provisioning) {
    return refused(
      200,
      '0x80040408',
      'Could not start the application: no company file is open and it is not clear which one to open.',
    )
  }
  if (state.mode === 'other') {
    return refused(
      200,
      '0x80040410',
      'The company data file is currently open in a mode other than the one specified by your application.',
    )
  }
  if (state.authorization === 'denied') {
    return refused(200, '0x80040420', 'The user has denied access to the company file.')
  }
  return accepted(undefined)
}

function onlineOutcome(state: AgentConditions): Outcome<undefined> {
  if (state.authorization === 'denied') {
    return refused(
      200,
      3200,
      'Token expired or not authorized: the online company has to be authorized again.',
    )
  }
  return accepted(undefined)
}

// One request at a time (section 8.1). A request runs until its work is done, even if the caller has gone.

/** Admits one request at a time and counts all of them. */
export interface Gate {
  /** Admits a request and returns the function that ends it. Undefined if another request is running. */
  enter(): (() => void) | undefined
  readonly counts: GateCounts
  clear(): void
}

/** Counts of requests. */
export interface GateCounts {
  readonly received: number
  /** The largest number of requests at the same time, including refused ones. */
  readonly mostAtOnce: number
  /** Requests that were refused because another was running. */
  readonly refused: number
}

/** Creates a gate with no request in it. */
export function createGate(): Gate {
  let inside = 0
  let counts: GateCounts = { received: 0, mostAtOnce: 0, refused: 0 }
  return {
    enter: () => {
      const second = inside > 0
      counts = {
        received: counts.received + 1,
        mostAtOnce: Math.max(counts.mostAtOnce, inside + 1),
        refused: counts.refused + (second ? 1 : 0),
      }
      if (second) return undefined
      inside++
      let left = false
      return () => {
        if (left) return
        left = true
        inside--
      }
    },
    get counts() {
      return counts
    },
    clear: () => {
      counts = { received: 0, mostAtOnce: inside, refused: 0 }
    },
  }
}

/** What can be changed while the sample runs. */
export interface SampleControl {
  /** The company that `conditions` and `lateEntry` are about. Without it, `conditions` are about every company. */
  readonly company?: string
  readonly conditions?: Partial<AgentConditions>
  /** The file that is open when the next company is provisioned, by name. */
  readonly openFile?: string
  /** Entries on or before this day are refused. Empty opens the books. */
  readonly closingDate?: string
  /** Whether the last full month of `company` has a bill that was entered today. */
  readonly lateEntry?: boolean
  readonly latencyMs?: number
  readonly provisionMs?: number
  readonly pageSize?: number
}

/** The longest time that a timer can wait, in milliseconds. */
const LONGEST = 2_147_483_647

/** What is wrong with a change. Undefined if nothing is. */
export function controlTrouble(change: SampleControl): string | undefined {
  for (const name of ['latencyMs', 'provisionMs', 'pageSize'] as const) {
    const value = change[name]
    if (value !== undefined && (!Number.isInteger(value) || value < 0 || value > LONGEST))
      return `${name} must be a whole number from 0 to ${String(LONGEST)}, not ${JSON.stringify(value)}`
  }
  for (const name of [change.company, change.openFile]) {
    if (name !== undefined && !COMPANY_FILES.some((file) => file.companyName === name))
      return `There is no company "${name}"`
  }
  const { closingDate = '', conditions, lateEntry } = change
  if (lateEntry !== undefined && (typeof lateEntry !== 'boolean' || change.company === undefined))
    return 'lateEntry must be true or false, and needs a company'
  if (closingDate !== '' && (closingDate.length !== 10 || parseDay(closingDate) === undefined))
    return `"${closingDate}" is not a date: use yyyy-mm-dd`
  return conditions === undefined ? undefined : conditionTrouble(conditions)
}
