/** Decides whether the computer is idle enough to measure speed. */
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** The computer is busy if other programs use more than this share of the processors. */
const BUSY_SHARE = 0.1
const SAMPLE_MS = 1_500
/** How many samples to take before giving up on an idle computer. */
const MAX_SAMPLES = 8

/**
 * Decides by the samples so far.
 * @param shares the share of all processors that other programs used in each sample
 */
export function decide(shares: readonly number[]): 'measure' | 'sample again' | 'refuse' {
  if ((shares.at(-1) ?? 1) <= BUSY_SHARE) return 'measure'
  return shares.length < MAX_SAMPLES ? 'sample again' : 'refuse'
}

/** Waits until the computer is idle. Returns the share of the processors that other programs use if it stays busy. */
export async function waitUntilIdle(): Promise<number | null> {
  const shares: number[] = []
  while (decide(shares) === 'sample again') shares.push(await shareInUse())
  return decide(shares) === 'refuse' ? (shares.at(-1) ?? 1) : null
}

/** The share of all processors that is in use while this process sleeps. */
async function shareInUse(): Promise<number> {
  const before = processorTimes()
  await sleep(SAMPLE_MS)
  const after = processorTimes()
  return 1 - (after.idle - before.idle) / (after.all - before.all)
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((cpu) => cpu.times)
  return {
    idle: times.reduce((sum, each) => sum + each.idle, 0),
    all: times.reduce((sum, each) => sum + each.user + each.nice + each.sys + each.idle + each.irq, 0),
  }
}
