/**
 * Loaded into the program's threads by `clock.ts`. Time stands still and advances only when the tour advances it, after
 * a pause of at least a second, and by a fixed amount for each response of the sample service. So the pictures are the
 * same on any day and on any machine.
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
/** Shorter pauses are technical and don't advance the time on screen. */
const SHORTEST_PAUSE = 1_000
/** The sample service's pauses are lengthened up to this factor, so that there is time for pictures. */
const STRETCHED = 10
/** The time that a response of the sample service appears to take. */
const ANSWER = 400

// The same object that the program's modules import from, so that its classes can be replaced.
const threads = createRequire(import.meta.url)('node:worker_threads') as typeof Threads

const moment = Number(process.env[MOMENT_VARIABLE])
let passed = 0
const now = (): number => moment + passed

// The sample's clock follows the program's, so that nothing is entered before a month that was already closed.
const times = new BroadcastChannel('tour-time')
;(times as BroadcastChannel & { unref(): void }).unref()
function advance(milliseconds: number): void {
  passed += milliseconds
  if (threads.isMainThread) times.postMessage(passed)
}
if (!threads.isMainThread) {
  times.addEventListener('message', ({ data }) => {
    passed = Math.max(passed, Number(data))
  })
}

globalThis.letTimePass = (milliseconds) => {
  advance(milliseconds)
  return now()
}

globalThis.Date = new Proxy(Date, {
  construct: (target, given: unknown[], made) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, made) as object,
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
})

const pauses = new BroadcastChannel('tour-pauses')
// Doesn't keep the thread alive.
;(pauses as BroadcastChannel & { unref(): void }).unref()
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
    advance(milliseconds)
    callback(...given)
  }
  const timer = realTimeout(end, milliseconds * stretch)
  const endEarly = (): void => {
    // A timer that was cleared in the meantime no longer keeps the thread alive.
    if (!timer.hasRef()) return
    clearTimeout(timer)
    end()
  }
  if (!threads.isMainThread) pauses.addEventListener('message', endEarly)
  return timer
}
// Copies its properties, such as the symbol that util.promisify uses.
Object.defineProperties(standingTimeout, Object.getOwnPropertyDescriptors(realTimeout))
globalThis.setTimeout = standingTimeout as unknown as typeof setTimeout

if (threads.isMainThread) {
  threads.Worker = class extends threads.Worker {
    constructor(script: string | URL, options?: Threads.WorkerOptions) {
      super(script, { ...options, execArgv: [...process.execArgv, '-r', import.meta.filename] })
      this.on('message', () => {
        advance(ANSWER)
      })
    }
  }
  syncBuiltinESMExports()
}
