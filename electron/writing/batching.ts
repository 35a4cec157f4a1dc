/**
 * How many records travel in one array (decisions.md, "rate limits, sizes, time-outs"): one the first time, then
 * ten, then the setting's size while answers account for every item; one again after an answer that does not.
 */
import type { JournalOperation, Manners } from '../store/journal.ts'
import { namesOf } from './names.ts'

const SECOND_SIZE = 10

/** @param largest the setting, at least 1 */
export function arraySize(manners: Manners, largest: number): number {
  // The first insert and the first change go alone and are read back: what a service does with them is an Assumption.
  if (manners.stage === 0 || !manners.isProven) return 1
  return Math.max(1, manners.stage === 1 ? Math.min(SECOND_SIZE, largest) : largest)
}

/** What an answer taught. */
export function mannersAfter(manners: Manners, accountsForAll: boolean): Manners {
  return { ...manners, stage: accountsForAll ? Math.min(manners.stage + 1, 2) : 0 }
}

/**
 * The operations that travel together: the first of the queue and those after it of the same kind, in order, until
 * the array is full or a name would be in it twice.
 */
export function nextArray(queued: readonly JournalOperation[], size: number): readonly JournalOperation[] {
  const [first] = queued
  if (first === undefined) return []
  const taken: JournalOperation[] = []
  const names = new Set<string>()
  for (const operation of queued) {
    if (taken.length === size || operation.kind !== first.kind) break
    const own = namesOf(operation.edits, operation.before)
    if (own.some((name) => names.has(name))) break
    for (const name of own) names.add(name)
    taken.push(operation)
  }
  return taken
}
