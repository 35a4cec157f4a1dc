/**
 * Random histories in virtual time: services of every personality, a simulated user, and a program that is killed at
 * any moment. What the program reports is compared with the books (`claims.ts`). In every fourth history, lists are
 * kept on the computer and opened from their copies after a kill.
 *
 * `BOOKBRIDGE_DEEP=1` runs 5,000. A failing history prints its seed. `BOOKBRIDGE_SEED=n` runs it alone and prints all
 * of it; `BOOKBRIDGE_SEEDS=from-to` runs a range.
 */
import { expect, test } from 'vitest'
import { isDeep, onlySeed } from '../../seeds.ts'
import { type Violation, VIOLATIONS } from './claims.ts'
import { type HistoryOutcome, runHistory } from './history.ts'

const RANGE = process.env['BOOKBRIDGE_SEEDS'] ?? (isDeep ? '1-5000' : '1-40')
const [FIRST = 1, LAST = FIRST] = (onlySeed ?? RANGE).split('-').map(Number)
const MAX_FAILURES = 20

/** What must not happen in any history. */
function findingsOf({ seed, findings, defects }: HistoryOutcome): readonly string[] {
  return [
    ...findings.map(({ wrong, words }) => `BOOKBRIDGE_SEED=${seed}: ${wrong}: ${words}`),
    ...defects.map((words) => `BOOKBRIDGE_SEED=${seed}: defect: ${words}`),
  ]
}

test(
  `histories ${FIRST} to ${LAST}: ${VIOLATIONS.join(', ')}: none`,
  { timeout: 3 * 3_600_000 },
  async () => {
    const tally = { histories: 0, records: 0, writes: 0, kills: 0, late: 0, copies: 0, failed: 0 }
    const counts: Partial<Record<Violation, number>> = {}
    const failed: string[] = []
    for (let seed = FIRST; seed <= LAST; seed += 1) {
      const outcome = await runHistory(seed)
      tally.histories += 1
      tally.records += outcome.records
      tally.writes += outcome.writes
      tally.kills += outcome.kills
      tally.late += outcome.late
      tally.copies += outcome.copies
      const findings = findingsOf(outcome)
      for (const { wrong } of outcome.findings) counts[wrong] = (counts[wrong] ?? 0) + 1
      if (findings.length > 0) tally.failed += 1
      if (failed.length < MAX_FAILURES) failed.push(...findings)
      if (onlySeed !== undefined) process.stdout.write(`${outcome.transcript.join('\n')}\n`)
    }
    process.stdout.write(`Histories: ${JSON.stringify({ ...tally, ...counts })}\n`)
    expect(failed).toEqual([])
  },
)
