/** The time in the window. Lint bans `Date.now()` and the like elsewhere in it, so that a test can set the time here. */
export const clock = {
  /** The wall clock in milliseconds since 1970. */
  now: (): number => Date.now(),
  /** The same as a date. */
  date: (): Date => new Date(clock.now()),
  /** Milliseconds since the window was opened. Unlike the wall clock, it never jumps, so it measures durations. */
  elapsed: (): number => performance.now(),
}
