/** A clock that runs faster, so that pauses and deadlines of minutes take moments. It is the same in all processes. */
import { type Clock, createSystemClock } from '../../../electron/clock.ts'

/**
 * @param beginsAt milliseconds since 1970 at which the clocks agree; the same for a program that is started again
 * @param factor how many of its seconds pass in a real one
 * @param ahead additional milliseconds, which passed while the program was off
 */
export function fastClock(beginsAt: number, factor: number, ahead = 0): Clock {
  const real = createSystemClock()
  return {
    ...real,
    now: () => beginsAt + (Date.now() - beginsAt) * factor + ahead,
    elapsed: () => real.elapsed() * factor + ahead,
    // Rounded up, because a timer that fires early would find nothing due.
    after: (milliseconds, callback) => real.after(Math.ceil(milliseconds / factor), callback),
  }
}
