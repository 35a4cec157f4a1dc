// What a part of the bench returns, and how it measures: ours and its peer by turns in the same run, so that a
// busy machine slows both, and the median of several turns, so that one slow turn says nothing.

/** One line of the table that `npm run bench` prints. */
export type Row = {
  /** What was measured, in words: "Read 100,000 customers". */
  readonly what: string
  /** Ours and the peer's, with their units: "1,240 ms". */
  readonly ours: string
  readonly against: string
  /** Ours divided by the peer's; undefined where a pause is set against nothing but its budget. */
  readonly ratio: number | undefined
  /** The most that was promised: "≤ 1.3", "≤ 50 ms". */
  readonly budget: string
  readonly held: boolean
}

/** A file `test/bench/<part>.bench.ts` exports these two. */
export type Part = {
  readonly name: string
  readonly run: () => Promise<readonly Row[]>
}

/** The middle value; the mean of the two middle ones where their number is even. Throws for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  if (upper === undefined || lower === undefined) throw new Error('The median of nothing is not defined.')
  return (lower + upper) / 2
}

/** How long something takes, in milliseconds. */
async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** The medians of both, in milliseconds, taken by turns; each is run once before that to warm up. */
export async function byTurns(
  ours: () => unknown,
  peer: () => unknown,
  turns = 5,
): Promise<{ readonly ours: number; readonly peer: number }> {
  if (turns < 5) throw new Error('Fewer than five turns say little.')
  await ours()
  await peer()
  const times = { ours: [] as number[], peer: [] as number[] }
  for (let turn = 0; turn < turns; turn += 1) {
    times.ours.push(await timed(ours))
    times.peer.push(await timed(peer))
  }
  return { ours: median(times.ours), peer: median(times.peer) }
}

/** A row that sets our time against a peer's. `most` is the ratio that was promised. */
export function ratioRow(
  what: string,
  measured: { readonly ours: number; readonly peer: number },
  peerName: string,
  most: number,
): Row {
  const ratio = measured.ours / measured.peer
  return {
    what,
    ours: milliseconds(measured.ours),
    against: `${peerName}: ${milliseconds(measured.peer)}`,
    ratio,
    budget: `≤ ${most}`,
    held: ratio <= most,
  }
}

/** A row that sets a pause, in milliseconds, against what was promised, with the naive way's pause beside it. */
export function pauseRow(what: string, pause: number, naive: number | undefined, most: number): Row {
  return {
    what,
    ours: milliseconds(pause),
    against: naive === undefined ? '–' : `naive: ${milliseconds(naive)}`,
    ratio: naive === undefined ? undefined : pause / naive,
    budget: `≤ ${most} ms`,
    held: pause <= most,
  }
}

/** The longest time that Node's event loop was held up while `work` ran, in milliseconds. */
export async function longestPause(work: () => Promise<unknown>): Promise<number> {
  const every = 1
  let last = performance.now()
  let longest = 0
  const look = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last - every)
    last = now
  }
  const timer = setInterval(look, every)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  look()
  return longest
}

/** A time in milliseconds as the table shows it: tenths below ten, whole ones above. */
export function milliseconds(value: number): string {
  const digits = value < 10 ? 1 : 0
  return `${value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ms`
}
