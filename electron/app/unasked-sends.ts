/**
 * How many records were sent in batches too small to be asked about, so that a page that was taken over can't send
 * many of them. It outlives the core, which the page may have opened anew (`app.restart`).
 */
import type { Clock } from '../clock.ts'

/** Records without a question; a bookkeeper corrects fewer customers, vendors, and accounts by hand in a day. */
const MOST_UNASKED = 300

const DAY_MS = 24 * 60 * 60_000

export interface UnaskedSends {
  /** Records of the last day, or since the person's last yes to a batch. */
  count(): number
  /** Whether so many more would be too many to go on without a question. */
  areTooMany(records: number): boolean
  /** Counts records as sent; answers how to take them back when they were not. */
  add(records: number): () => void
  /** The person said yes to a batch. */
  clear(): void
}

/** @param clock `elapsed` decides, which nobody can set forward */
export function createUnaskedSends(clock: Pick<Clock, 'elapsed'>): UnaskedSends {
  let sends: readonly { readonly at: number; readonly records: number }[] = []

  const count = (): number => {
    sends = sends.filter(({ at }) => clock.elapsed() - at < DAY_MS)
    return sends.reduce((total, { records }) => total + records, 0)
  }

  return {
    count,
    areTooMany: (records) => count() + records > MOST_UNASKED,
    add(records) {
      const send = { at: clock.elapsed(), records }
      sends = [...sends, send]
      return () => (sends = sends.filter((each) => each !== send))
    },
    clear: () => (sends = []),
  }
}
