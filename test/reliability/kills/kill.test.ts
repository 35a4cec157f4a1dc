/**
 * SIGKILL during a batch of 50, then a restart on the same folder. After it settles, service and journal are compared
 * record by record. Lost: 0, doubled: 0, wrongly reported as done: 0, simultaneous requests: 0. `BOOKBRIDGE_DEEP=1` kills 500 times;
 * a failing seed is in the message and runs alone with `BOOKBRIDGE_SEED=n`.
 */
import { describe, expect, test } from 'vitest'
import { type RecordData, textOf } from '../../../shared/records/changes.ts'
import { value } from '../../result.ts'
import type { SampleServer } from '../../sample-server/server.ts'
import { onlySeed, seeds } from '../../seeds.ts'
import { pick, seeded } from '../../unit/writing/random.ts'
import type { CorePlan } from '../world/core-parts.ts'
import { Ledger, NO_VIOLATIONS } from '../world/ledger.ts'
import { pause, Person, type ShownOperation } from '../world/person.ts'
import { type AtEnd, FACTOR, QUICK_SETTINGS, startServer, usedFolder } from '../world/world.ts'
import { KillableCore, ProcessGone } from './killable.ts'

/** Prefix of the names of inserted records. */
const NEW = 'New '
/** Kills of a program, one after another, on the same folder. */
const KILLS = 4
const SEEDS = seeds(2, 125)
/** Records of each kind in the batch. */
const MANY = 50

class KillRun {
  readonly #seed: number
  readonly #random: () => number
  readonly #server: SampleServer
  readonly #ledger: Ledger
  readonly #plan: CorePlan
  readonly #drafted = new Set<string>()
  #core: KillableCore | null = null
  person: Person

  constructor(seed: number, server: SampleServer, folder: string) {
    this.#seed = seed
    this.#random = seeded(seed)
    this.#server = server
    this.#ledger = new Ledger(server)
    this.person = new Person(() => Promise.reject(new ProcessGone('Nothing was started.')))
    this.#plan = {
      userData: folder,
      settings: { ...QUICK_SETTINGS, writeSeconds: 150, readSeconds: 250 },
      beginsAt: Date.now(),
      factor: FACTOR,
      saved: { address: server.url, key: server.key },
    }
  }

  get core(): KillableCore {
    if (this.#core === null) throw new Error('Nothing was started.')
    return this.#core
  }

  /** Starts the program on the folder. It has sent nothing yet when this resolves. */
  async start(): Promise<void> {
    this.#core = value(await KillableCore.begin(this.#plan))
    this.person = new Person(this.core.call)
    await this.core.start()
  }

  async end(): Promise<void> {
    await this.#core?.kill()
  }

  /** Bodies of writes. */
  #writes(): readonly string[] {
    const writes = this.#server.counters().requests.filter(({ method }) => method !== 'GET')
    return writes.map(({ body }) => body)
  }

  async #say(draftIds: readonly string[]): Promise<void> {
    this.#ledger.allowSend(draftIds)
    value(await this.person.send(draftIds))
  }

  /** Sends one and then ten of each kind without a kill, so that the next arrays have fifty. */
  async warmUp(): Promise<void> {
    const { server, ledger, person } = { server: this.#server, ledger: this.#ledger, person: this.person }
    await person.connect(server.url, server.key)
    const records = await this.#records()
    for (const [count, kind] of [
      [11, 'i'],
      [11, 'c'],
    ] as const) {
      const draftIds: string[] = []
      for (let number = 0; number < count; number += 1) {
        draftIds.push(await this.#draft(`w${kind}${number}`, kind === 'i' ? null : (records[number] ?? null)))
      }
      await this.#say(draftIds)
      await person.settle()
    }
    expect(new Set((await person.operations()).map(({ state }) => state))).toEqual(new Set(['acked']))
    ledger.countRequests()
  }

  /** Active records without drafts, with unique names, because equal names are never in the same array. */
  async #records(): Promise<readonly RecordData[]> {
    const active = (await this.person.records()).filter(({ IsActive }) => IsActive === 'true')
    const names = active.map(({ Name }) => textOf(Name).toLowerCase())
    return active.filter(
      ({ ID, Name }, index) =>
        names.indexOf(names[index] ?? '') === index &&
        !this.#drafted.has(textOf(ID)) &&
        !textOf(Name).startsWith(NEW),
    )
  }

  #draft(draftId: string, record: Readonly<Record<string, unknown>> | null): Promise<string> {
    const phone = `${this.#seed}-${draftId}-${Math.floor(this.#random() * 1e9)}`
    if (record !== null) this.#drafted.add(textOf(record['ID']))
    return record === null
      ? this.#ledger.insert(this.person, draftId, `${NEW}${phone}`, phone)
      : this.#ledger.change(this.person, draftId, record, phone)
  }

  /**
   * Sends fifty inserts, fifty changes, or both, and kills the program in between.
   * @returns how many records were in the largest array that was sent by then
   */
  async sendAndKill(kill: number): Promise<number> {
    const records = await this.#records()
    const kinds = pick(this.#random, ['inserts', 'changes', 'both'] as const)
    const draftIds: string[] = []
    for (let number = 0; number < MANY; number += 1) {
      if (kinds !== 'changes') draftIds.push(await this.#draft(`${kill}i${number}`, null))
      if (kinds !== 'inserts') draftIds.push(await this.#draft(`${kill}c${number}`, records[number] ?? null))
    }
    // The service delays each request, before or after its work, so that a kill can happen at any moment. Sometimes the
    // delay is so long that the service is still working when the program has restarted.
    const isLong = this.#random() < 0.3
    const milliseconds = Math.floor(this.#random() * (isLong ? 900 : 40))
    const when = pick(this.#random, ['before', 'after'] as const)
    this.#server.addFaults({ times: 0, fault: { kind: 'slow', milliseconds, when } })
    const nth = kinds === 'both' ? 1 + Math.floor(this.#random() * 2) : 1
    const delay = Math.floor(this.#random() * 1.5 * (milliseconds + 10))
    const before = this.#writes().length
    const isBefore = this.#random() < 0.2
    await this.#say(draftIds)
    if (!isBefore) await this.#untilWrites(before + nth)
    await pause(delay)
    await this.core.kill()
    if (!isLong) {
      // Data in the system's buffers still arrives.
      await pause(milliseconds + 30)
      this.#server.control({ clearFaults: true })
    }
    const sizes = this.#writes().slice(before).map(recordsIn)
    return Math.max(0, ...sizes)
  }

  async #untilWrites(count: number): Promise<void> {
    for (let tries = 0; tries < 400 && this.#writes().length < count; tries += 1) await pause(1)
  }

  /** Restarts, and is sometimes killed again during a recheck. */
  async restart(): Promise<void> {
    const before = this.#writes()
    this.#server.control({ clearFaults: true })
    if (this.#random() < 0.3) {
      await this.start()
      await pause(Math.floor(this.#random() * 300))
      await this.core.kill()
    }
    await this.start()
    await this.person.openCompany()
    await this.person.settle()
    expect(this.#writes(), this.words('a restart sent something')).toEqual(before)
    const fromBefore = (await this.person.drafts()).filter((draft) => draft.isStale)
    expect(fromBefore, this.words('taken for an older database')).toEqual([])
  }

  /** The user decides about held operations, and resumes what waits. */
  async decide(): Promise<void> {
    const { person } = this
    const held = (await person.operations()).filter(({ state }) => state === 'held')
    for (const { operationId, draftId } of held) {
      if (this.#random() < 0.2) continue
      this.#ledger.allowSend([draftId])
      value(await person.call('records.decide', { operationId, decision: { what: 'send-again' } }))
    }
    for (const { batchId, unsent } of await person.batches()) {
      if (unsent > 0) value(await person.call('records.resumeBatch', { batchId }))
    }
    await person.settle()
  }

  async compare(): Promise<readonly ShownOperation[]> {
    const { violations, findings } = await this.#ledger.compare(this.person)
    expect({ violations, findings }, this.words('service and journal differ')).toEqual({
      violations: NO_VIOLATIONS,
      findings: [],
    })
    expect(await this.core.defects(), this.words('a defect')).toEqual([])
    return this.person.operations()
  }

  words(problem: string): string {
    return `${problem} (BOOKBRIDGE_SEED=${this.#seed})`
  }
}

/** How many records a body has. */
function recordsIn(body: string): number {
  const sent: unknown = body === '' ? [] : JSON.parse(body)
  return Array.isArray(sent) ? sent.length : 1
}

interface Tally {
  records: number
  /** Kills while an array of fifty is being sent, or right after. */
  ofFifty: number
  inDoubt: number
  waited: number
}

async function oneRun(seed: number, atEnd: AtEnd): Promise<Tally> {
  const server = await startServer(atEnd, { customers: 320, seed })
  const run = new KillRun(seed, server, usedFolder(atEnd))
  try {
    await run.start()
    await run.warmUp()
    const tally: Tally = { records: 0, ofFifty: 0, inDoubt: 0, waited: 0 }
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const before = new Set((await run.person.operations()).map(({ operationId }) => operationId))
      const largest = await run.sendAndKill(kill)
      await run.restart()
      const settled = (await run.compare()).filter(({ operationId }) => !before.has(operationId))
      await run.decide()
      const ended = await run.compare()
      const open = ended.filter(({ state }) => !['acked', 'rejected', 'held', 'conflict'].includes(state))
      expect(open, run.words('left open')).toEqual([])
      tally.records += settled.length
      tally.ofFifty += largest === MANY ? 1 : 0
      tally.inDoubt += settled.filter(
        ({ confirmedByReading, state }) => confirmedByReading || state === 'held',
      ).length
      tally.waited += settled.filter(({ state }) => state === 'queued').length
    }
    return tally
  } finally {
    await run.end()
  }
}

describe('killed without warning', () => {
  const total: Tally = { records: 0, ofFifty: 0, inDoubt: 0, waited: 0 }

  test.concurrent.for(SEEDS)('seed %i', async (seed, { onTestFinished }) => {
    const tally = await oneRun(seed, onTestFinished)
    total.records += tally.records
    total.ofFifty += tally.ofFifty
    total.inDoubt += tally.inDoubt
    total.waited += tally.waited
  })

  test('the kills happened at every moment, or the test would prove nothing', () => {
    process.stdout.write(`SIGKILL: ${SEEDS.length * KILLS} kills, ${JSON.stringify(total)}\n`)
    if (onlySeed === undefined) {
      expect(total.ofFifty).toBeGreaterThan((SEEDS.length * KILLS) / 4)
      expect(total.inDoubt).toBeGreaterThan(SEEDS.length * KILLS)
      expect(total.waited).toBeGreaterThan(SEEDS.length * KILLS)
    }
  })
})
