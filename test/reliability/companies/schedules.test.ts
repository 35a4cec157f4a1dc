/**
 * Random faults during actions on companies: user creation, provisioning, de-provisioning, and the older service. A
 * world runs as many actions as it has companies. After each, the program's report is compared with the service's data:
 * lost 0, doubled 0, wrongly reported 0, simultaneous requests 0. `BOOKBRIDGE_DEEP=1` runs 4,000 schedules. A failing
 * seed is in the message and runs alone with `BOOKBRIDGE_SEED=n`.
 */
import { expect, test } from 'vitest'
import { createMemoryStorage } from '../../../electron/sample/storage.ts'
import { value } from '../../result.ts'
import type { FaultRule } from '../../sample-server/faults.ts'
import { isDeep, onlySeed } from '../../seeds.ts'
import { pick, seeded } from '../../unit/writing/random.ts'
import { formatFailure, MAX_FAILURES } from '../backups/failed-worlds.ts'
import { anyFault, honestFault } from '../faults/any-fault.ts'
import { CONNECTION_ID } from '../world/core-parts.ts'
import { pause } from '../world/person.ts'
import { type AtEnd, FACTOR, startWorld } from '../world/world.ts'
import { type Action, ACTIONS, type CompanyWorld, methodOf, perform } from './company-actions.ts'

const SCHEDULES = isDeep ? 4_000 : 200
const BESIDE = 6
/** A world has enough companies for this many actions. */
const MAX_ACTS = 12

type Random = () => number

/** Writes fail in any way; the lists that are read along with them are correct or fail. */
function anyRule(random: Random, action: Action): FaultRule {
  const isWrite = random() < 0.7
  return {
    match: { method: isWrite ? methodOf(action) : 'GET', path: '/manage/' },
    nth: isWrite ? 1 : 1 + Math.floor(random() * 3),
    times: 1 + Math.floor(random() * 3),
    fault: isWrite ? anyFault(random) : honestFault(random),
  }
}

async function startCompanies(atEnd: AtEnd, seed: number): Promise<CompanyWorld> {
  const storage = createMemoryStorage()
  const world = await startWorld(atEnd, {
    server: { seed, customers: 5, storage },
    // Generous, so that no deadline passes because the machine is busy with other tests.
    settings: { readSeconds: 400, writeSeconds: 400, provisionSeconds: 60 },
  })
  const { person, server } = world
  const connectionId = CONNECTION_ID
  value(await person.call('connection.setKey', { connectionId, key: server.key, service: 'v1' }))
  const { url: address, legacyUrl: legacyAddress } = server
  value(await person.call('connection.connect', { connectionId, name: 'Sample', address, legacyAddress }))
  value(await person.call('companies.refresh', { connectionId }))
  value(await person.call('settings.set', { readSeconds: 250, writeSeconds: 60 }))
  world.ledger.setDeadlines({ readMilliseconds: 250_000 / FACTOR, writeMilliseconds: 60_000 / FACTOR })
  return { ...world, storage }
}

interface Tally {
  schedules: number
  faults: number
  ends: Record<string, number>
}

async function oneWorld(seed: number, atEnd: AtEnd, tally: Tally): Promise<void> {
  const random = seeded(seed)
  const world = await startCompanies(atEnd, seed)
  const { server, person, ledger, running } = world
  const left = new Set<Action>(ACTIONS)
  for (let number = 1; number <= MAX_ACTS && left.size > 0; number += 1) {
    const action = pick(random, [...left])
    ledger.countRequests()
    server.addFaults(...Array.from({ length: 1 + Math.floor(random() * 2) }, () => anyRule(random, action)))
    const isAbandoned = random() < 0.15
    const after = Math.floor(random() * 12)
    const [end] = await Promise.all([perform(world, action), isAbandoned ? abandon(world, after) : null])
    tally.faults += server.counters().requests.filter(({ fault }) => fault !== undefined).length
    server.control({ clearFaults: true })
    await person.call('activity.resume', { connectionId: CONNECTION_ID })
    if (end === null) {
      left.delete(action)
      continue
    }
    ledger.countRequests()
    const where = `${action}, schedule ${number} (BOOKBRIDGE_SEED=${seed})`
    expect(end.findings, where).toEqual([])
    expect(ledger.simultaneous, where).toBe(0)
    expect(running.defects, where).toEqual([])
    tally.schedules += 1
    const name = `${action}: ${end.end}`
    tally.ends[name] = (tally.ends[name] ?? 0) + 1
  }
}

/** The user stops what is running. */
async function abandon({ person }: CompanyWorld, after: number): Promise<void> {
  await pause(after)
  const queues = await person.call('activity.queues', {})
  const entryId = queues.ok
    ? queues.value.find(({ running }) => running !== null)?.running?.entryId
    : undefined
  if (entryId !== undefined) await person.call('activity.stop', { entryId })
}

// These worlds run on a sped-up real clock, so a busy machine can make them miss deadlines. Deep runs only.
test.runIf(isDeep || onlySeed !== undefined)(
  `${SCHEDULES} schedules of faults on companies: lost 0, doubled 0, wrongly reported 0, beside 0`,
  { timeout: 3 * 3_600_000 },
  async () => {
    const tally: Tally = { schedules: 0, faults: 0, ends: {} }
    let next = onlySeed === undefined ? 1 : Number(onlySeed)
    const failed: string[] = []
    const isMore = (): boolean =>
      failed.length < MAX_FAILURES &&
      (onlySeed === undefined ? tally.schedules < SCHEDULES : next === Number(onlySeed))
    const lives = async (): Promise<void> => {
      while (isMore()) {
        const seed = next
        next += 1
        const ends: (() => Promise<void> | void)[] = []
        try {
          await oneWorld(seed, (end) => ends.push(end), tally)
        } catch (cause) {
          failed.push(formatFailure(seed, cause))
        } finally {
          for (const end of ends.toReversed()) await end()
        }
      }
    }
    await Promise.all(Array.from({ length: onlySeed === undefined ? BESIDE : 1 }, lives))
    process.stdout.write(`Schedules on companies: ${JSON.stringify(tally)}\n`)
    expect(failed).toEqual([])
    // Faults must have occurred, and each action must have had several outcomes, or the test would prove nothing.
    if (onlySeed !== undefined) return
    expect(tally.faults).toBeGreaterThan(SCHEDULES / 2)
    for (const action of ACTIONS) {
      expect(
        Object.keys(tally.ends).filter((name) => name.startsWith(`${action}: `)).length,
        action,
      ).toBeGreaterThan(1)
    }
  },
)
