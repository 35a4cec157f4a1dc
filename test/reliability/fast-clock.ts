/** Time that runs faster: pauses and deadlines of minutes, waited for in moments, on one clock for all processes. */
import type { Clock } from '../../electron/app/ports.ts'

/**
 * @param beginsAt milliseconds since 1970 at which the clocks agree; the same for a program that is started again
 * @param factor how many of its seconds pass in one of ours
 */
export function fastClock(beginsAt: number, factor: number): Clock {
  return {
    now: () => beginsAt + (Date.now() - beginsAt) * factor,
    after(milliseconds, callback) {
      // Rounded up: a timer that rang early would find nothing due.
      const timer = setTimeout(callback, Math.ceil(milliseconds / factor))
      return () => {
        clearTimeout(timer)
      }
    },
  }
}
