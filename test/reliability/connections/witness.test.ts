/**
 * A database that is older than what was last sent from this computer is detected at the start. Nothing in it is sent again
 * unless the user confirms it and it was searched for.
 */
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { value } from '../../result.ts'
import type { SampleServer } from '../../sample-server/server.ts'
import { KillableCore } from '../kills/killable.ts'
import type { CorePlan } from '../world/core-parts.ts'
import { Ledger, NO_VIOLATIONS } from '../world/ledger.ts'
import { pause, Person } from '../world/person.ts'
import { type AtEnd, emptyFolder, FACTOR, QUICK_SETTINGS, startServer } from '../world/world.ts'

const OLDER = 'The data here is older than the last changes sent from this computer.'
const OTHER = 'The data here isn’t what was last used on this computer'
const GONE = 'The file with your drafts and history is missing'

/** A computer: a folder, and the runs of the program on it. */
class Computer {
  readonly server: SampleServer
  readonly ledger: Ledger
  readonly plan: CorePlan
  #core: KillableCore | null = null
  person = new Person(() => Promise.reject(new Error('Nothing was started.')))

  constructor(server: SampleServer, atEnd: AtEnd, stateFolder?: string) {
    this.server = server
    this.ledger = new Ledger(server)
    this.plan = {
      userData: emptyFolder(atEnd),
      ...(stateFolder === undefined ? {} : { stateFolder }),
      settings: { ...QUICK_SETTINGS, batchSize: 1 },
      beginsAt: Date.now(),
      factor: FACTOR,
      saved: { address: server.url, key: server.key },
    }
    atEnd(() => this.kill())
  }

  get database(): string {
    return join(this.plan.userData, 'bookbridge.sqlite')
  }

  /** @returns the notices at the start */
  async start(): Promise<readonly string[]> {
    const core = value(await KillableCore.begin(this.plan))
    this.#core = core
    this.person = new Person(core.call)
    await core.start()
    await this.person.connect(this.server.url, this.server.key)
    await this.person.settle()
    return value(await core.call('app.about', {})).notices.map(({ message }) => message)
  }

  async kill(): Promise<void> {
    await this.#core?.kill()
  }

  /** Ends the program like a user does, so that everything is in a single file. */
  async close(): Promise<void> {
    await this.#core?.close()
  }

  async draft(count: number): Promise<readonly string[]> {
    const draftIds: string[] = []
    for (let number = 1; number <= count; number += 1) {
      draftIds.push(await this.ledger.insert(this.person, `d${number}`, `Before, ${number}`, `777-${number}`))
    }
    return draftIds
  }

  async send(draftIds: readonly string[]): Promise<void> {
    this.ledger.allowSend(draftIds)
    value(await this.person.send(draftIds))
  }

  /** Replaces the database with the copy, without the previous log. */
  putInPlace(copy: string): void {
    for (const suffix of ['-wal', '-shm']) rmSync(this.database + suffix, { force: true })
    copyFileSync(copy, this.database)
  }

  writes(): number {
    return this.server.counters().requests.filter(({ method }) => method !== 'GET').length
  }

  async sendAnyway(draftIds: readonly string[]): Promise<void> {
    const { person } = this
    const input = { company: person.company, object: 'customer', draftIds: [...draftIds] }
    const before = this.writes()
    expect(await person.call('records.send', input)).toMatchObject({
      ok: false,
      error: { kind: 'invalid-input' },
    })
    await person.settle()
    expect(this.writes()).toBe(before)
    value(await person.call('records.send', { ...input, evenIfStale: true }))
  }

  async untilAcked(count: number): Promise<void> {
    // Concurrent tests can't use `expect.poll` of the module.
    const isAcked = async (): Promise<boolean> => {
      const operations = await this.person.operations()
      return operations.length === count && operations.every(({ state }) => state === 'acked')
    }
    while (!(await isAcked())) await pause(25)
    await this.person.settle()
  }

  async expectNoViolations(): Promise<void> {
    const { violations, findings } = await this.ledger.compare(this.person)
    expect({ violations, findings }).toEqual({ violations: NO_VIOLATIONS, findings: [] })
  }
}

test('the log is lost after a SIGKILL in the middle of a batch', async ({ onTestFinished }) => {
  const server = await startServer(onTestFinished, { latencyMs: 15 })
  const computer = new Computer(server, onTestFinished)
  expect(await computer.start()).toEqual([])
  const draftIds = await computer.draft(8)
  await computer.close()
  expect(await computer.start()).toEqual([])
  await computer.send(draftIds)
  await expect.poll(() => computer.writes(), { interval: 2, timeout: 30_000 }).toBeGreaterThanOrEqual(3)
  await computer.kill()
  rmSync(`${computer.database}-wal`)

  expect(await computer.start()).toContain(OLDER)
  const drafts = await computer.person.drafts()
  expect(drafts.map(({ isStale }) => isStale)).toEqual(Array<boolean>(8).fill(true))
  expect(computer.writes()).toBeLessThan(8)
  await computer.sendAnyway(draftIds)
  await computer.untilAcked(8)
  expect(computer.writes()).toBe(8)
  await computer.expectNoViolations()
  await computer.close()
  // There is one notice.
  expect(await computer.start()).toEqual([])
})

test('an older copy replaces it: drafts are confirmed and searched for, and what waits is held', async ({
  onTestFinished,
}) => {
  const computer = new Computer(await startServer(onTestFinished), onTestFinished)
  await computer.start()
  const draftIds = await computer.draft(4)
  const waiting = draftIds.slice(2)
  const { batchId } = value(await computer.person.send(waiting))
  value(await computer.person.call('records.stopBatch', { batchId }))
  await computer.person.settle()
  const before = computer.writes()
  await computer.close()
  const copy = join(emptyFolder(onTestFinished), 'copy.sqlite')
  copyFileSync(computer.database, copy)
  await computer.start()
  computer.ledger.allowSend(waiting)
  value(await computer.person.call('records.resumeBatch', { batchId }))
  await computer.send(draftIds.slice(0, 2))
  await computer.untilAcked(4)
  expect(computer.writes()).toBe(4)
  await computer.close()
  computer.putInPlace(copy)

  expect(await computer.start()).toContain(OLDER)
  const held = (await computer.person.operations()).filter(({ state }) => state === 'held')
  expect(held).toHaveLength(4 - 2 - before)
  value(await computer.person.call('records.resumeBatch', { batchId }))
  await computer.person.settle()
  expect(computer.writes()).toBe(4)
  for (const { operationId } of held) {
    const decision = { what: 'send-again' } as const
    value(await computer.person.call('records.decide', { operationId, decision }))
  }
  await computer.sendAnyway(draftIds.slice(0, 2))
  await computer.untilAcked(4)
  expect(computer.writes()).toBe(4)
  await computer.expectNoViolations()
})

test.concurrent(
  'an older copy of the whole folder is detected by the witness elsewhere',
  async ({ onTestFinished }) => {
    const stateFolder = emptyFolder(onTestFinished)
    const computer = new Computer(await startServer(onTestFinished), onTestFinished, stateFolder)
    await computer.start()
    const draftIds = await computer.draft(2)
    await computer.close()
    const copy = emptyFolder(onTestFinished)
    cpSync(computer.plan.userData, copy, { recursive: true })
    await computer.start()
    await computer.send(draftIds)
    await computer.untilAcked(2)
    await computer.close()
    rmSync(computer.plan.userData, { recursive: true })
    cpSync(copy, computer.plan.userData, { recursive: true })

    expect(await computer.start()).toContain(OLDER)
    await computer.sendAnyway(draftIds)
    await computer.untilAcked(2)
    expect(computer.writes()).toBe(2)
    await computer.expectNoViolations()
  },
)

test.concurrent(
  'a witness without its database, and a database without its witness, cause a notice',
  async ({ onTestFinished }) => {
    const computer = new Computer(await startServer(onTestFinished), onTestFinished)
    await computer.start()
    const draftIds = await computer.draft(1)
    await computer.send(draftIds)
    await computer.untilAcked(1)
    await computer.close()
    const copy = join(emptyFolder(onTestFinished), 'copy.sqlite')
    copyFileSync(computer.database, copy)
    rmSync(computer.database)
    expect((await computer.start()).join()).toContain(GONE)
    await computer.close()
    expect(await computer.start()).toEqual([])
    await computer.close()
    // The previous one: the witness belongs to the new one now.
    computer.putInPlace(copy)
    expect((await computer.start()).join()).toContain(OTHER)
    await computer.close()
    rmSync(`${computer.database}.witness`)
    expect((await computer.start()).join()).toContain(OTHER)
    await computer.close()
    expect(await computer.start()).toEqual([])
  },
)

test.concurrent(
  'a changed byte in a row makes it uncertain: the user may discard it, and it isn’t sent',
  async ({ expect, onTestFinished }) => {
    const computer = new Computer(await startServer(onTestFinished), onTestFinished)
    const { server } = computer
    await computer.start()
    const draftIds = await computer.draft(2)
    server.addFaults({ match: { method: 'POST' }, times: 1, fault: { kind: 'drop', when: 'before' } })
    await computer.send(draftIds.slice(0, 1))
    const first = async () => (await computer.person.operations()).find(({ draftId }) => draftId === 'd1')
    await expect.poll(async () => (await first())?.state, { timeout: 30_000 }).toBe('held')
    await computer.send(draftIds.slice(1))
    await computer.person.settle()
    const operationId = (await first())?.operationId ?? ''
    await computer.close()
    expect(existsSync(`${computer.database}-wal`)).toBe(false)
    const bytes = readFileSync(computer.database)
    const altered = bytes.toString('latin1').replaceAll('777-1', '777-7')
    writeFileSync(computer.database, Buffer.from(altered, 'latin1'))
    const before = computer.writes()

    expect(await computer.start()).toEqual([])
    const [draft] = await computer.person.drafts()
    expect(draft?.operation).toMatchObject({ operationId, state: 'conflict', error: { kind: 'store' } })
    expect(draft?.operation?.error?.message).toContain('changed by something other than Bookbridge')
    const [request] = value(await computer.person.call('history.requests', { operationId }))
    expect(request).toMatchObject({ outcome: 'uncertain' })
    const again = { operationId, decision: { what: 'send-again' } } as const
    expect((await computer.person.call('records.decide', again)).ok).toBe(false)
    expect((await computer.person.send(draftIds.slice(0, 1))).ok).toBe(false)
    await computer.person.settle()
    expect(computer.writes()).toBe(before)
    // The other row is unchanged.
    expect((await computer.person.operations()).map(({ state }) => state).toSorted()).toEqual([
      'acked',
      'conflict',
    ])
    const discard = { operationId, decision: { what: 'discard' } } as const
    value(await computer.person.call('records.decide', discard))
    expect(await computer.person.drafts()).toEqual([])
  },
)
