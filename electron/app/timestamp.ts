import type { Clock } from '../clock.ts'

/** This moment, as it is kept and told: ISO 8601, in UTC, to the millisecond. */
export function timestamp(clock: Pick<Clock, 'now'>): string {
  return new Date(clock.now()).toISOString()
}
