/**
 * Ends the program at every step of its journal and of the wire, in random batches over a service with random faults.
 * Then it is restarted on the same folder, and after it settles, service and journal are compared record by record.
 * Lost: 0, doubled: 0, wrongly reported as done: 0. `BOOKBRIDGE_DEEP=1` runs 50,000; a failing seed is in the message
 * and runs alone with `BOOKBRIDGE_SEED=n`.
 */
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Operation } from '../../../shared/contract/records.ts'
import { value } from '../../result.ts'
import { onlySeed, seeds } from '../../seeds.ts'
import { Killed, KillSwitch, pick, seeded, withKillPoints } from './random.ts'
import { type Fault, TestService } from './service.ts'
import { COMPANY, World } from './world.ts'

const SEEDS = seeds(100, 50_000)

const FAULTS: readonly Fault[] = [
  'not-sent',
  'refused-key',
  'dropped-before',
  'dropped-after',
  'whole-error-before',
  'whole-error-after',
  'fewer-items',
  'more-items',
  'reordered-items',
  'warning-beside-record',
  'short-records',
  'unexplained-error',
]

/** A record that a test sent, identified by its unique phone number. */
interface Intent {
  readonly kind: 'insert' | 'change'
  readonly phone: string
  readonly recordId: string
}

interface Run {
  readonly service: TestService
  readonly meant: Map<string, Intent>
  readonly steps: number
}

function makeService(random: () => number): TestService {
  const service = new TestService()
  service.manner = { keepsExternalIds: random() < 0.5, uniqueNames: random() < 0.5 }
  const faultRate = pick(random, [0, 0.1, 0.4])
  service.fault = () => (random() < faultRate ? pick(random, FAULTS) : 'none')
  service.refusal = (record) => (String(record['Phone']).endsWith('7') ? { Message: 'Phone refused' } : null)
  return service
}

function makeDrafts(world: World, random: () => number, meant: Map<string, Intent>): string[] {
  const count = 1 + Math.floor(random() * 14)
  return Array.from({ length: count }, (_, index) => {
    const phone = `${Math.floor(random() * 1e9)}-${index}`
    if (random() < 0.5) {
      // Names may repeat: the same customer typed twice.
      const name = random() < 0.2 ? 'Twin' : `Customer ${phone}`
      const draftId = world.draftInsert({ Name: name, Phone: phone })
      meant.set(draftId, { kind: 'insert', phone, recordId: '' })
      return draftId
    }
    const name = `Old ${phone}`
    const recordId = world.service.add('customer', { Name: name, FullName: name, Phone: 'old' })
    const draftId = world.draftChange(recordId, { Phone: phone })
    meant.set(draftId, { kind: 'change', phone, recordId })
    return draftId
  })
}

/** What the service has of a record. */
function inService(service: TestService, { phone }: Intent): number {
  return [...service.of('customer').values()].filter((record) => record['Phone'] === phone).length
}

function check(
  seed: number,
  run: Run,
  operations: readonly Operation[],
  draftIds: ReadonlySet<string>,
): void {
  const say = (problem: string): string => `${problem} (BOOKBRIDGE_SEED=${seed})`
  const byDraft = new Map<string, Operation[]>()
  for (const operation of operations) {
    byDraft.set(operation.draftId, [...(byDraft.get(operation.draftId) ?? []), operation])
  }
  for (const [draftId, meant] of run.meant) {
    const held = inService(run.service, meant)
    if (held > 1) throw new Error(say(`doubled: ${meant.phone}`))
    const of = byDraft.get(draftId) ?? []
    if (of.length === 0 && !draftIds.has(draftId)) throw new Error(say(`lost: ${meant.phone}`))
    if (of.length > 1) throw new Error(say(`two operations of one draft: ${meant.phone}`))
    for (const { state } of of) {
      if (state === 'acked' && held !== 1) throw new Error(say(`wrongly reported as done: ${meant.phone}`))
      if (state === 'rejected' && held !== 0)
        throw new Error(say(`wrongly reported as refused: ${meant.phone}`))
      if (state === 'held' && held !== 0) throw new Error(say(`held although it is there: ${meant.phone}`))
      if (state === 'queued' && held !== 0)
        throw new Error(say(`queued although it is there: ${meant.phone}`))
    }
    // Executed without being reported: a draft or an unfinished operation still represents it.
    if (held === 1 && of.every(({ state }) => state === 'rejected' || state === 'held')) {
      throw new Error(say(`done and not known: ${meant.phone}`))
    }
  }
}

/** The user selects Continue wherever something waits. */
function resume(world: World): void {
  for (const { batchId, unsent } of world.writer.batches(COMPANY, 'customer')) {
    if (unsent > 0) value(world.writer.resumeBatch(batchId))
  }
}

async function oneRun(seed: number): Promise<number> {
  const random = seeded(seed)
  const service = makeService(random)
  const kill = new KillSwitch(1 + Math.floor(random() * 60))
  const world = new World({ service, wrap: (store) => withKillPoints(store, kill) })
  const meant = new Map<string, Intent>()
  const draftIds = makeDrafts(world, random, meant)
  service.step = kill.step
  try {
    world.send(draftIds)
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  }
  await world.settle(200_000)
  for (const defect of world.defects) if (!(defect instanceof Killed)) throw defect

  service.step = () => undefined
  service.fault = () => 'none'
  const again = world.restart()
  const sentBefore = writesOf(service)
  await again.settle()
  expect(writesOf(service), `a restart sent something (BOOKBRIDGE_SEED=${seed})`).toBe(sentBefore)
  for (const defect of again.defects) throw defect
  const run: Run = { service, meant, steps: kill.count }
  const stillDrafts = (): Set<string> => new Set(again.drafts().map(({ draftId }) => draftId))
  check(seed, run, again.operations(), stillDrafts())
  expect(
    again.states().filter((state) => state === 'unknown' || state === 'sending'),
    `not settled (BOOKBRIDGE_SEED=${seed})`,
  ).toEqual([])

  // The user resumes everything: each record ends up there once, or refused.
  resume(again)
  for (const operation of again.operations()) {
    if (operation.state === 'held') again.writer.decide(operation.operationId, { what: 'send-again' })
  }
  const unsent = again.drafts().filter(({ operation }) => operation === null)
  if (unsent.length > 0) value(again.send(unsent.map(({ draftId }) => draftId)))
  await again.settle()
  // Killed right after it was stopped, it stays stopped and asks again.
  resume(again)
  await again.settle()
  check(seed, run, again.operations(), stillDrafts())
  const open = again.states().filter((state) => !['acked', 'rejected', 'conflict', 'held'].includes(state))
  expect(open, `left open (BOOKBRIDGE_SEED=${seed})`).toEqual([])
  expect(service.mostBeside, `two requests at once (BOOKBRIDGE_SEED=${seed})`).toBe(1)
  again.end()
  // The folders are in memory, which thousands of them would fill.
  rmSync(world.folder, { recursive: true, force: true })
  return kill.isDead ? 1 : 0
}

function writesOf(service: TestService): number {
  return service.requests.filter(({ method }) => method === 'POST' || method === 'PATCH').length
}

test(
  `killed at any step of ${SEEDS.length} random batches: nothing is lost, doubled, or wrongly reported`,
  { timeout: 3_600_000 },
  async () => {
    let killed = 0
    for (const seed of SEEDS) {
      killed += await oneRun(seed).catch((error: unknown) => {
        throw new Error(
          `BOOKBRIDGE_SEED=${seed}: ${error instanceof Error ? error.message : String(error)}`,
          {
            cause: error,
          },
        )
      })
    }
    // The kill points must be reached, or the test would prove nothing.
    if (onlySeed === undefined) expect(killed).toBeGreaterThan(SEEDS.length / 2)
  },
)
