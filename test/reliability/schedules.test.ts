/**
 * Seeded schedules of faults from the whole table, on reads and on writes, over real sockets. A world (a service, a
 * core, a folder) lives through ten schedules; after each the service's books and the journal are compared record by
 * record. `BOOKBRIDGE_DEEP=1` runs 20,000; a failing world is in the message, and lives again alone with
 * `BOOKBRIDGE_SEED=n`.
 */
import { expect, test } from 'vitest'
import type { FaultRule } from '../sample-server/faults.ts'
import { pick, seeded } from '../unit/writing-random.ts'
import type { RecordData } from '../../shared/changes.ts'
import { anyRule } from './any-fault.ts'
import { failedWorld, MOST_FAILED } from './failed-worlds.ts'
import { NOTHING } from './ledger.ts'
import { pause } from './person.ts'
import { FACTOR, startWorld, type AtEnd, type World } from './world.ts'

const ONE = process.env['BOOKBRIDGE_SEED']
const SCHEDULES_A_WORLD = 10
const SCHEDULES = process.env['BOOKBRIDGE_DEEP'] === '1' ? 20_000 : 500
const SEEDS =
  ONE === undefined
    ? Array.from({ length: SCHEDULES / SCHEDULES_A_WORLD }, (_, index) => index + 1)
    : [Number(ONE)]
/** Worlds that live beside each other; most of their time is spent waiting. */
const BESIDE = 6
const MOST_DRAFTS = 8
/** Where the faults of these schedules strike. */
const RECORDS = { methods: ['GET', 'POST', 'POST', 'PATCH', 'PATCH'], path: '/customer' } as const
/** A machine that is busy with other tests must not make a deadline out of a moment's wait. */
const PATIENT = { readSeconds: 400, writeSeconds: 400 } as const
/** Milliseconds after which the person looks at what holds their list back; longer than any read of it takes. */
const HELD_BACK = 3_000
type Random = () => number

class Schedules {
  readonly #random: Random
  readonly #world: World
  /** Records that nobody has changed yet: each is meant once. */
  readonly #untouched: RecordData[]
  readonly #rewriting: FaultRule | null
  #drafts = 0
  struck = 0
  discarded = 0
  edited = 0

  constructor(random: Random, world: World, records: readonly RecordData[], rewriting: FaultRule | null) {
    this.#random = random
    this.#rewriting = rewriting
    this.#world = world
    this.#untouched = [...records]
  }

  async #draft(): Promise<string> {
    const { ledger, person } = this.#world
    const number = (this.#drafts += 1)
    const phone = `${number}-${Math.floor(this.#random() * 1e9)}`
    const record = this.#random() < 0.5 ? this.#untouched.pop() : undefined
    return record === undefined
      ? ledger.insert(person, `d${number}`, `New ${phone}`, phone)
      : ledger.change(person, `d${number}`, record, phone)
  }

  async run(): Promise<void> {
    const { server, ledger, person } = this.#world
    const random = this.#random
    const count = 1 + Math.floor(random() * MOST_DRAFTS)
    const draftIds: string[] = []
    for (let number = 0; number < count; number += 1) draftIds.push(await this.#draft())
    server.addFaults(...Array.from({ length: 1 + Math.floor(random() * 3) }, () => anyRule(random, RECORDS)))
    this.#rewriteMarks()
    ledger.word(draftIds)
    const sent = await person.send(draftIds)
    // The field names could not be had: the drafts are still drafts.
    const unsent = sent.ok ? [] : draftIds
    const reading = random() < 0.5 ? person.read() : null
    if (random() < 0.1) await this.#letGo()
    if (random() < 0.1) await this.#reload()
    const isMeddling = sent.ok && random() < 0.4
    if (isMeddling && random() < 0.5) await this.#discardOne(draftIds)
    else if (isMeddling) await this.#editOne(draftIds)
    const read = await (reading && this.#goOnUntil(reading))
    if (read?.ok) await person.call('records.close', { setId: read.value.setId })
    await person.settle()
    if (random() < 0.5) await this.#goOn([])
    this.struck += server
      .counters()
      .faults.reduce((sum, { struck, fault }) => sum + (fault.kind === 'rewrittenMarks' ? 0 : struck), 0)
    server.control({ clearFaults: true })
    this.#rewriteMarks()
    await this.#goOn(unsent)
    server.control({ clearFaults: true })
  }

  /** After the other rules, so that each of them strikes all the same. */
  #rewriteMarks(): void {
    if (this.#rewriting !== null) this.#world.server.addFaults(this.#rewriting)
  }

  /** The person discards a record while it is checked, sent, or looked for; what is on its way can't be. */
  async #discardOne(draftIds: readonly string[]): Promise<void> {
    const { ledger, person } = this.#world
    await pause(Math.floor(this.#random() * 15))
    const draftId = pick(this.#random, draftIds)
    const operation = (await person.operations()).find((each) => each.draftId === draftId)
    if (operation === undefined || operation.state === 'acked') return
    const { operationId } = operation
    const decided = await person.call('records.decide', { operationId, decision: { what: 'discard' } })
    if (!decided.ok) return
    this.discarded += 1
    // What never left has no history.
    const isKept = (await person.operations()).some((each) => each.operationId === operationId)
    ledger.discarded(draftId, !isKept)
  }

  /** The person edits a draft while it is sent; where that is let through, it is no longer sent as it was. */
  async #editOne(draftIds: readonly string[]): Promise<void> {
    const { ledger, person } = this.#world
    await pause(Math.floor(this.#random() * 15))
    const draftId = pick(this.#random, draftIds)
    const draft = (await person.drafts()).find((each) => each.draftId === draftId)
    if (draft === undefined) return
    const edited = await person.editDraft(draft, `${draftId}@office.example`)
    if (!edited.ok) {
      expect(edited.error.kind).toBe('invalid-input')
      return
    }
    this.edited += 1
    // A draft again, with its edit: it leaves by another word only.
    const [now] = (await person.drafts()).filter((each) => each.draftId === draftId)
    expect(now?.operation).toBeNull()
    ledger.word([draftId])
    await this.#goOnUntil(person.send([draftId]))
  }

  /** The person stops what is running, and has control back at once. */
  async #letGo(): Promise<void> {
    await pause(Math.floor(this.#random() * 15))
    const lanes = await this.#world.person.call('activity.lanes', {})
    const entryId = lanes.ok ? lanes.value[0]?.running?.entryId : undefined
    if (entryId !== undefined) await this.#world.person.call('activity.stop', { entryId })
  }

  /** A refused key holds back what was asked for before it, so the person goes on until their list is there. */
  async #goOnUntil<T>(asked: Promise<T>): Promise<T> {
    const { person } = this.#world
    const { connectionId } = person.company
    const isThere = (): Promise<boolean> =>
      Promise.race([asked.then(() => true), pause(HELD_BACK).then(() => false)])
    while (!(await isThere())) await person.call('activity.resume', { connectionId })
    return asked
  }

  /** The window crashes or is loaded again: what it waited for goes on, and it asks for everything anew. */
  async #reload(): Promise<void> {
    const { person } = this.#world
    await pause(Math.floor(this.#random() * 15))
    const [read] = await this.#goOnUntil(
      Promise.all([person.read(), person.drafts(), person.batches(), person.operations()]),
    )
    if (read.ok) await person.call('records.close', { setId: read.value.setId })
  }

  /** The person goes on with everything that waits for them, till nothing does. */
  async #goOn(unsent: readonly string[]): Promise<void> {
    const { ledger, person } = this.#world
    const connectionId = person.company.connectionId
    for (let round = 0; round < 5; round += 1) {
      await person.call('activity.resume', { connectionId })
      if (round === 0 && unsent.length > 0) await this.#goOnUntil(person.send(unsent))
      const operations = await person.operations()
      // A list that lied while it was looked at is looked at again.
      await this.#goOnUntil(
        person.checkNow(operations.filter(({ state }) => state === 'unknown' || state === 'held')),
      )
      for (const { operationId, draftId, state } of await person.operations()) {
        if (state !== 'held' || this.#random() < 0.3) continue
        ledger.word([draftId])
        await person.call('records.decide', { operationId, decision: { what: 'send-again' } })
      }
      for (const { batchId, toGo } of await person.batches()) {
        if (toGo > 0) await person.call('records.resumeBatch', { batchId })
      }
      await person.settle()
      const open = (await person.operations()).filter(
        ({ state }) => state === 'queued' || state === 'unknown',
      )
      if (open.length === 0) return
    }
  }
}

/** In every fourth world the service takes marks and shows them in a manner of its own. */
function rewritingOf(seed: number): FaultRule | null {
  if (seed % 4 !== 0) return null
  const how = (['capitals', 'braces', 'cut'] as const)[(seed / 4) % 3] ?? 'cut'
  return { match: { path: RECORDS.path }, times: 0, fault: { kind: 'rewrittenMarks', how } }
}

interface Tally {
  schedules: number
  records: number
  faults: number
  discarded: number
  edited: number
  states: Record<string, number>
}

async function oneWorld(seed: number, atEnd: AtEnd, tally: Tally): Promise<void> {
  const world = await startWorld(atEnd, {
    server: { seed, customers: 60 },
    settings: { ...PATIENT, markWithExternalId: seed % 2 === 0 },
  })
  const { person, ledger, running } = world
  const support = await person.call('records.support', { company: person.company, object: 'customer' })
  expect(support.ok).toBe(true)
  const records = await person.records()
  const settings = await person.call('settings.set', { readSeconds: 120, writeSeconds: 40 })
  expect(settings.ok).toBe(true)
  ledger.waitsFor({ readMilliseconds: 120_000 / FACTOR, writeMilliseconds: 40_000 / FACTOR })
  const schedules = new Schedules(seeded(seed), world, records, rewritingOf(seed))
  for (let number = 1; number <= SCHEDULES_A_WORLD; number += 1) {
    await schedules.run()
    const { toll, findings } = await ledger.compare(person)
    const where = `schedule ${number} (BOOKBRIDGE_SEED=${seed})`
    expect({ toll, findings }, where).toEqual({ toll: NOTHING, findings: [] })
    expect(running.defects, where).toEqual([])
    tally.schedules += 1
  }
  const operations = await person.operations()
  for (const { state } of operations) tally.states[state] = (tally.states[state] ?? 0) + 1
  tally.records += ledger.size
  tally.faults += schedules.struck
  tally.discarded += schedules.discarded
  tally.edited += schedules.edited
}

test(
  `${SCHEDULES} schedules of faults: lost 0, doubled 0, wrongly reported 0, beside 0`,
  { timeout: 3 * 3_600_000 },
  async () => {
    const tally: Tally = { schedules: 0, records: 0, faults: 0, discarded: 0, edited: 0, states: {} }
    const waiting = [...SEEDS]
    const failed: string[] = []
    const lives = async (): Promise<void> => {
      for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
        if (failed.length >= MOST_FAILED) return
        const ends: (() => Promise<void> | void)[] = []
        try {
          await oneWorld(seed, (end) => ends.push(end), tally)
        } catch (cause) {
          failed.push(failedWorld(seed, cause))
        } finally {
          for (const end of ends.toReversed()) await end()
        }
      }
    }
    await Promise.all(Array.from({ length: BESIDE }, lives))
    process.stdout.write(`Schedules: ${JSON.stringify(tally)}\n`)
    expect(failed).toEqual([])
    // Faults were really met, or this would show nothing.
    if (ONE !== undefined) return
    expect(tally.faults).toBeGreaterThan(SCHEDULES / 2)
    expect(tally.discarded).toBeGreaterThan(0)
  },
)
