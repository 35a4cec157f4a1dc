// Measures for the bench. Bookbridge and its peer take turns in one run, so that a slow machine slows both. Medians
// keep single slow turns from mattering.

/** One row of the table that `npm run bench` prints and docs/measured.md contains. */
export type Row = {
  /** What was measured: "Read 100,000 customers". */
  readonly what: string
  /** What exactly was measured, and why the peer is a fair one. One or two sentences. */
  readonly why: string
  /** Medians with their units: "1,240 ms". */
  readonly ours: string
  readonly against: string
  /** Our time divided by the peer's; null if only a limit in ms or MB counts. */
  readonly ratio: Ratio | null
  /** The limit: "≤ 1.3", "≤ 50 ms"; a dash for a row that only explains another one. */
  readonly budget: string
  readonly held: boolean
}

/** The ratio of the medians, with the lowest and highest ratio of single turns. */
export type Ratio = { readonly median: number; readonly low: number; readonly high: number }

/** The results of each turn: Bookbridge and its peer, in the same order. In ms unless the row says otherwise. */
export type Turns = { readonly ours: readonly number[]; readonly peer: readonly number[] }

/** What a file `test/bench/<part>.bench.ts` exports. */
export type Part = {
  readonly name: string
  readonly run: () => Promise<readonly Row[]>
  /** The rows for `-- quick`, if the part has any of them. */
  readonly quick?: () => Promise<readonly Row[]>
}

/** Empty lists of times, for a part that runs its own turns. */
export function noTurns(): { readonly ours: number[]; readonly peer: number[] } {
  return { ours: [], peer: [] }
}

/** The middle value, or the mean of the two middle ones. Throws for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  if (upper === undefined || lower === undefined) throw new Error('An empty list has no median.')
  return (lower + upper) / 2
}

/** Measures how long something takes and the longest pause of Node's event loop meanwhile, in milliseconds. */
async function timed(work: () => unknown): Promise<{ readonly took: number; readonly pause: number }> {
  const startedAt = performance.now()
  const pause = await longestPause(async () => {
    await work()
  })
  return { took: performance.now() - startedAt, pause }
}

/** Runs both alternately, after one warm-up of each, and returns their times and pauses in milliseconds. */
export async function byTurns(
  ours: () => unknown,
  peer: () => unknown,
  turns = 5,
): Promise<Turns & { readonly pauses: Turns }> {
  if (turns < 5) throw new Error('Measure at least five turns.')
  await ours()
  await peer()
  const [times, pauses] = [noTurns(), noTurns()]
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [who, work] of [
      ['ours', ours],
      ['peer', peer],
    ] as const) {
      const { took, pause } = await timed(work)
      times[who].push(took)
      pauses[who].push(pause)
    }
  }
  return { ...times, pauses }
}

type Measured = {
  readonly what: string
  readonly why: string
  readonly turns: Turns
  /** The peer's name, shown before its time: "fetch and JSON.parse". */
  readonly against: string
}

/** A row with a limit on the ratio. */
export function ratioRow(
  measured: Measured & { readonly most: number; readonly format?: (value: number) => string },
): Row {
  const { what, why, turns, most, format = milliseconds } = measured
  const ratio = ratioOf(turns)
  return {
    what,
    why,
    ours: format(median(turns.ours)),
    against: `${measured.against}: ${format(median(turns.peer))}`,
    ratio,
    budget: `≤ ${String(most)}`,
    held: ratio.median <= most,
  }
}

/** A row with a limit on the pause, in milliseconds. The peer's pause is only shown beside it. */
export function pauseRow(measured: Measured & { readonly most: number }): Row {
  const { what, why, turns, most } = measured
  const pause = median(turns.ours)
  return {
    what,
    why,
    ours: `${milliseconds(pause)} (${milliseconds(Math.min(...turns.ours))} to ${milliseconds(Math.max(...turns.ours))})`,
    against: `${measured.against}: ${milliseconds(median(turns.peer))}`,
    ratio: ratioOf(turns),
    budget: `≤ ${String(most)} ms`,
    held: pause <= most,
  }
}

/** A row without a budget that explains another one. */
export function partRow(measured: Measured): Row {
  return { ...ratioRow({ ...measured, most: Infinity }), budget: '–' }
}

function ratioOf({ ours, peer }: Turns): Ratio {
  const peers = median(peer)
  const each = ours.map((value, turn) => value / (peer[turn] ?? peers))
  return { median: median(ours) / peers, low: Math.min(...each), high: Math.max(...each) }
}

/** Returns the longest time that Node's event loop was blocked while `work` ran, in milliseconds. */
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

/** Formats milliseconds: with tenths below ten. */
export function milliseconds(value: number): string {
  const digits = value < 10 ? 1 : 0
  return `${value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ms`
}

/** Formats an amount of memory, given in bytes. */
export function mebibytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`
}
