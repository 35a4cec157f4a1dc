/**
 * Loaded into the program's own threads by `clock.ts`: there, time stands still at the tour's moment and passes only
 * when the tour says so, when a pause of a second or more is over, and by the same little for each answer of the sample
 * service. So the same tour makes the same pictures, on any day and however long a machine takes.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'
import process from 'node:process'
import type Threads from 'node:worker_threads'

declare global {
  /** Advances the time in this thread, in milliseconds. Returns the current time. */
  var letTimePass: ((milliseconds: number) => number) | undefined
  /** Ends the pauses of the sample service. */
  var endPauses: (() => void) | undefined
}

/** The environment variable with the time, in milliseconds since 1970. Threads inherit it. */
const MOMENT_VARIABLE = 'BOOKBRIDGE_TOUR_MOMENT'
/** Shorter pauses are technical. They don't show in the time that a user sees. */
const SHORTEST_PAUSE = 1_000
/** A pause of the sample service takes up to this many times as long, so that there is time for its pictures. */
const STRETCHED = 10
/** How long an answer of the sample service seems to take. */
const ANSWER = 400

// The same object that the program's modules import from, so that its classes can be replaced.
const threads = createRequire(import.meta.url)('node:worker_threads') as typeof Threads

const moment = Number(process.env[MOMENT_VARIABLE])
let passed = 0
const now = (): number => moment + passed

globalThis.letTimePass = (milliseconds) => {
  passed += milliseconds
  return now()
}

globalThis.Date = new Proxy(Date, {
  construct: (target, given: unknown[], made) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, made) as object,
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
})

const pauses = new BroadcastChannel('tour-pauses')
// It must not keep a thread alive.
;(pauses as unknown as { unref(): void }).unref()
globalThis.endPauses = () => {
  pauses.postMessage(null)
}

const realTimeout = globalThis.setTimeout
const stretch = threads.isMainThread ? 1 : STRETCHED
function standingTimeout(
  callback: (...given: unknown[]) => void,
  milliseconds = 0,
  ...given: unknown[]
): NodeJS.Timeout {
  if (milliseconds < SHORTEST_PAUSE) return realTimeout(callback, milliseconds, ...given)
  const end = (): void => {
    pauses.removeEventListener('message', endEarly)
    passed += milliseconds
    callback(...given)
  }
  const timer = realTimeout(end, milliseconds * stretch)
  const endEarly = (): void => {
    // A timer that was cleared meanwhile doesn't keep the thread alive anymore.
    if (!timer.hasRef()) return
    clearTimeout(timer)
    end()
  }
  if (!threads.isMainThread) pauses.addEventListener('message', endEarly)
  return timer
}
// With all of its properties, such as what util.promisify uses.
Object.defineProperties(standingTimeout, Object.getOwnPropertyDescriptors(realTimeout))
globalThis.setTimeout = standingTimeout as unknown as typeof setTimeout

if (threads.isMainThread) {
  threads.Worker = class extends threads.Worker {
    constructor(script: string | URL, options?: Threads.WorkerOptions) {
      super(script, { ...options, execArgv: [...process.execArgv, '-r', import.meta.filename] })
      this.on('message', () => {
        passed += ANSWER
      })
    }
  }
  syncBuiltinESMExports()
}
