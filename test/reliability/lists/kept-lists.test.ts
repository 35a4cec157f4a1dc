/**
 * The copies of lists on disk if the program is killed (SIGKILL) before, during, or after a copy is written, appended
 * to, or rewritten. The next start opens the complete old or new copy, never a mixture, and after **Refresh**, the list
 * equals the service's. `BOOKBRIDGE_DEEP=1` kills 240 times; a failing seed runs alone with `BOOKBRIDGE_SEED=n`.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSystemClock } from '../../../electron/clock.ts'
import { textOf } from '../../../shared/records/changes.ts'
import { value } from '../../result.ts'
import type { SampleServer } from '../../sample-server/server.ts'
import { isDeep, onlySeed, seeds } from '../../seeds.ts'
import { pick, seeded } from '../../unit/writing/random.ts'
import { KillableCore, ProcessGone } from '../kills/killable.ts'
import { CONNECTION_ID, type CorePlan, makeCore } from '../world/core-parts.ts'
import { collectLists, LIST, pause, Person } from '../world/person.ts'
import {
  type AtEnd,
  callerOf,
  emptyFolder,
  QUICK_SETTINGS,
  startServer,
  startWorld,
  usedFolder,
} from '../world/world.ts'
import { booksOf, type Content, contentOf, editElsewhere, ShownList } from './kept-copies.ts'

const SEEDS = seeds(1, 30)
const KILLS = isDeep ? 8 : 3
/** Enough for a copy with two frames. */
const CUSTOMERS = 3_600
/** Enough changes that the copy is rewritten. */
const MANY = 1_000

/** The possible contents of a copy, by the times that it states. */
interface Version {
  readonly readAt: string
  readonly updatedAt: string | null
  readonly content: Content
}

type Moment = 'before' | 'during' | 'after'

class KillRun {
  readonly #random: () => number
  readonly #server: SampleServer
  readonly #plan: CorePlan
  readonly #versions: Version[] = []
  #hasCopy = false
  #edits = 0
  #core: KillableCore | null = null
  #person = new Person(() => Promise.reject(new ProcessGone('Nothing was started.')))

  constructor(seed: number, server: SampleServer, folder: string) {
    this.#random = seeded(seed)
    this.#server = server
    this.#plan = {
      userData: folder,
      settings: QUICK_SETTINGS,
      beginsAt: Date.now(),
      // Requests for changes use both clocks, so they have to agree.
      factor: 1,
      saved: { address: server.url, key: server.key },
      keychain: join(folder, 'keychain-of-the-test'),
    }
  }

  async start(): Promise<void> {
    this.#core = value(await KillableCore.begin(this.#plan))
    await this.#core.start()
    this.#person = new Person(this.#core.call)
  }

  async connect(): Promise<void> {
    await this.start()
    await this.#person.connect(this.#server.url, this.#server.key)
  }

  async kill(): Promise<void> {
    await this.#core?.kill()
  }

  async #books(): Promise<Content> {
    return contentOf(await booksOf(this.#server, this.#person.company, LIST))
  }

  #learn(list: ShownList, content: Content): void {
    this.#versions.push({ readAt: list.set.readAt, updatedAt: list.updated?.readAt ?? null, content })
  }

  /**
   * Someone else edits some of the records.
   * @returns the books afterward
   */
  async #editSome(list: ShownList, count: number): Promise<Content> {
    this.#edits += 1
    const records = list.records.toSorted(() => this.#random() - 0.5).slice(0, count)
    await editElsewhere(
      this.#server,
      this.#person.company,
      LIST,
      records.map((record) => ({ ID: record['ID'], Phone: `555-${String(this.#edits)}` })),
    )
    return this.#books()
  }

  /** Reads the whole list, so that a copy is about to be written. */
  async readWhole(): Promise<void> {
    const list = await ShownList.fromService(this.#person.call, this.#person.company, LIST)
    this.#learn(list, await this.#books())
  }

  /**
   * Opens a copy and refreshes it, so that the changes are about to be appended or the copy rewritten. Before that
   * moment, they have only arrived.
   */
  async refresh(count: number, moment: Moment): Promise<void> {
    const list = await this.#open()
    if (list === null) return this.readWhole()
    const content = await this.#editSome(list, count)
    const { set, merge } = await list.changes()
    this.#versions.push({ readAt: list.set.readAt, updatedAt: set.readAt, content })
    if (moment === 'before') return
    // The program may end during this call.
    const merged = merge().catch((cause: unknown) => {
      if (!(cause instanceof ProcessGone)) throw cause
    })
    if (count === MANY && this.#random() < 0.7) await merged
  }

  /**
   * Waits until a copy has begun to change, until it has changed, or not at all.
   * @param before the files before the change
   */
  async untilMoment(moment: Moment, before: string): Promise<void> {
    if (moment === 'before') return
    for (let tries = 0; tries < 4_000 && this.files() === before; tries += 1) await pause(1)
    if (moment === 'during') {
      await pause(Math.floor(this.#random() * 8))
      return
    }
    for (let tries = 0; tries < 4_000 && this.files().includes('.part'); tries += 1) await pause(1)
  }

  /** The copies' files and their sizes. */
  files(): string {
    const folder = join(this.#plan.userData, 'lists')
    if (!existsSync(folder)) return ''
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('.list'),
    )
    return names
      .map((name) => `${name} ${String(statSync(join(folder, name), { throwIfNoEntry: false })?.size)}`)
      .join()
  }

  #open(): Promise<ShownList | null> {
    return ShownList.fromCopy(this.#person.call, this.#person.company, LIST)
  }

  /**
   * Restarts the program, and compares the copy with its possible contents.
   * @returns which one it is
   */
  async restart(): Promise<'none' | 'old' | 'new'> {
    await this.start()
    await this.#person.openCompany()
    const list = await this.#open()
    if (list === null) {
      expect(this.#hasCopy, 'the copy is gone').toBe(false)
      return 'none'
    }
    this.#hasCopy = true
    const is = this.#versions.findLastIndex(
      ({ readAt, updatedAt }) => readAt === list.set.readAt && updatedAt === (list.updated?.readAt ?? null),
    )
    expect(is, 'the copy is as old as no read').toBeGreaterThanOrEqual(0)
    expect(differences(list.shown, this.#versions[is]?.content), 'the copy is a mixture').toEqual([])

    const books = await this.#editSome(list, 3)
    await list.refresh()
    expect(differences(list.shown, books), 'after Refresh').toEqual([])
    this.#learn(list, books)
    await list.close()
    const again = await this.#open()
    expect(differences(again?.shown, books), 'the refreshed copy').toEqual([])
    await again?.close()
    expect(await this.#core?.defects()).toEqual([])
    return is === this.#versions.length - 2 ? 'new' : 'old'
  }
}

/** The IDs of records that differ. */
function differences(one: Content | undefined, other: Content | undefined): readonly string[] {
  const ids = new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])
  return [...ids].filter((id) => one?.get(id) !== other?.get(id))
}

async function oneRun(seed: number, tally: Record<string, number>, atEnd: AtEnd): Promise<void> {
  const random = seeded(seed + 500)
  const run = new KillRun(seed, await startServer(atEnd, { customers: CUSTOMERS, seed }), usedFolder(atEnd))
  atEnd(() => run.kill())
  await run.connect()
  for (let kill = 0; kill < KILLS; kill += 1) {
    const what = pick(random, ['read', 'append', 'append', 'again'] as const)
    // The first two kills leave a new copy and an old one on any machine. Those in between are left to chance.
    const moment =
      (['after', 'before'] as const)[kill] ?? pick(random, ['during', 'during', 'after'] as const)
    const before = run.files()
    if (kill === 0 || (kill > 1 && what === 'read')) await run.readWhole()
    else await run.refresh(what === 'append' ? 1 + Math.floor(random() * 300) : MANY, moment)
    await run.untilMoment(moment, before)
    await run.kill()
    const found = await run.restart()
    tally[found] = (tally[found] ?? 0) + 1
  }
}

describe('killed while a list is copied', () => {
  const tally: Record<string, number> = {}

  test.for(SEEDS)('seed %i', async (seed, { onTestFinished }) => oneRun(seed, tally, onTestFinished))

  test('the kills happened at every moment, or the test would prove nothing', () => {
    process.stdout.write(
      `SIGKILL while copying: ${String(SEEDS.length * KILLS)} kills, ${JSON.stringify(tally)}\n`,
    )
    if (onlySeed === undefined) expect(Object.keys(tally)).toEqual(expect.arrayContaining(['old', 'new']))
  })
})

const HOURS = 3_600_000
const THEIRS = '(212) 555-1111'
const OURS = '(415) 555-7777'

/** A program whose computer has a wrong clock, or whose data is replaced. */
async function changeable(atEnd: AtEnd) {
  const server = await startServer(atEnd)
  const folder = usedFolder(atEnd)
  let close = (): Promise<void> => Promise.resolve()
  atEnd(() => close())
  let draft = 0

  const start = async (clockAhead: number, isFirst = false): Promise<Person> => {
    const plan: CorePlan = {
      userData: folder,
      settings: QUICK_SETTINGS,
      beginsAt: Date.now(),
      factor: 1,
      saved: isFirst ? null : { address: server.url, key: server.key },
      keychain: join(folder, 'keychain-of-the-test'),
    }
    const clock = { ...createSystemClock(), now: () => Date.now() + clockAhead }
    const running = value(makeCore(plan, { clock }))
    running.core.start()
    close = () => running.core.close()
    const person = new Person(callerOf(running))
    if (isFirst) await person.connect(server.url, server.key)
    else await person.openCompany()
    return person
  }
  return {
    server,
    folder,
    start,
    restart: async (clockAhead: number) => {
      await close()
      return start(clockAhead)
    },
    stop: () => close(),
    /** Reads the list, and waits until it is copied. */
    async read(person: Person, at: number): Promise<{ readonly ID: string; readonly Phone: string }> {
      const list = await ShownList.fromService(person.call, person.company, LIST)
      await list.close()
      return list.records[at] as { readonly ID: string; readonly Phone: string }
    },
    async send(person: Person, record: { readonly ID: string }, phone: string): Promise<void> {
      draft += 1
      const draftId = `draft-${String(draft)}`
      await person.draftChange(draftId, record, phone)
      value(await person.send([draftId]))
      await person.settle()
      expect((await person.operations()).at(-1)).toMatchObject({ state: 'acked' })
    },
    /** The phone of a record in the list's copy; `null` if there is no copy that may be used. */
    async keptPhone(person: Person, recordId: string) {
      const list = await ShownList.fromCopy(person.call, person.company, LIST)
      const record = list?.records.find(({ ID }) => ID === recordId)
      await list?.close()
      return record === undefined ? null : record['Phone']
    },
    async found(person: Person, text: string): Promise<readonly string[]> {
      const lists = await collectLists((after) =>
        person.call('allCompanies.find', { connectionId: CONNECTION_ID, text, after }),
      )
      return lists.flatMap(({ hits }) => hits.map(({ recordId }) => recordId))
    },
  }
}

describe('what was saved from here is shown over a copy', () => {
  test('that was read when the clock was ahead', async ({ onTestFinished }) => {
    const made = await changeable(onTestFinished)
    const ahead = await made.start(7 * HOURS, true)
    const record = await made.read(ahead, 3)
    await made.send(await made.restart(0), record, OURS)
    const person = await made.restart(0)
    expect(await made.keptPhone(person, record.ID)).toBe(OURS)
    expect(await made.found(person, OURS)).toEqual([record.ID])
    expect(await made.found(person, record.Phone)).not.toContain(record.ID)
  })

  test('but not over one that was read later by a corrected clock', async ({ onTestFinished }) => {
    const made = await changeable(onTestFinished)
    const ahead = await made.start(7 * HOURS, true)
    const record = await made.read(ahead, 3)
    await made.send(ahead, record, OURS)
    const corrected = await made.restart(0)
    await editElsewhere(made.server, corrected.company, LIST, [{ ID: record.ID, Phone: THEIRS }])
    rmSync(join(made.folder, 'lists'), { recursive: true })
    await made.read(corrected, 3)
    const person = await made.restart(0)
    expect(await made.keptPhone(person, record.ID)).toBe(THEIRS)
    expect(await made.found(person, OURS)).toEqual([])
  })

  test('in the order in which it was saved, whatever the clock said', async ({ onTestFinished }) => {
    const made = await changeable(onTestFinished)
    const ahead = await made.start(7 * HOURS, true)
    const record = await made.read(ahead, 3)
    await made.send(ahead, record, THEIRS)
    await made.send(await made.restart(0), { ...record, Phone: THEIRS } as typeof record, OURS)
    expect(await made.keptPhone(await made.restart(0), record.ID)).toBe(OURS)
  })

  test('unless older data took the place of what sent it: then the copy isn’t used', async ({
    onTestFinished,
  }) => {
    const made = await changeable(onTestFinished)
    const record = await made.read(await made.start(0, true), 3)
    await made.stop()
    const aside = emptyFolder(onTestFinished)
    const files = (of: string) =>
      readdirSync(of).filter((name) => name.startsWith('bookbridge.sqlite') && !name.includes('witness'))
    for (const name of files(made.folder)) cpSync(join(made.folder, name), join(aside, name))
    await made.send(await made.start(0), record, OURS)
    await made.stop()
    for (const name of files(made.folder)) rmSync(join(made.folder, name))
    for (const name of files(aside)) cpSync(join(aside, name), join(made.folder, name))
    const person = await made.start(0)
    expect(await made.keptPhone(person, record.ID)).toBeNull()
    expect(await made.found(person, record.Phone)).toEqual([])
    // Read again, it is used again.
    await made.read(person, 3)
    expect(await made.keptPhone(await made.restart(0), record.ID)).toBe(OURS)
  })
})

test('changes aren’t appended to an older file that took the copy’s place, and Refresh catches up on one', async ({
  onTestFinished,
}) => {
  const { server, person, plan } = await startWorld(onTestFinished)
  const { company } = person
  const folder = join(plan.userData, 'lists')
  const copies = () =>
    (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [])
      .filter((name) => name.endsWith('.list'))
      .map((name) => join(folder, name))
  const edit = async (list: ShownList, phone: string) => {
    const records = list.records.slice(0, 2).map((record) => ({ ID: record['ID'], Phone: phone }))
    await editElsewhere(server, company, LIST, records)
    return contentOf(await booksOf(server, company, LIST))
  }
  const list = await ShownList.fromService(person.call, company, LIST)
  for (let tries = 0; copies().length === 0 && tries < 4_000; tries += 1) await pause(1)
  const [path = ''] = copies()
  const older = readFileSync(path)
  const before = list.shown
  await edit(list, '555-0001')
  await list.refresh()

  // What is shown is as old as it says.
  writeFileSync(path, older)
  const restored = await ShownList.fromCopy(person.call, company, LIST)
  expect([restored?.set.readAt, restored?.updated]).toEqual([list.set.readAt, null])
  expect(differences(restored?.shown, before)).toEqual([])

  // The list on screen is newer than the file. What the file lacks would never be requested again.
  const other = list.records.at(-1)?.['ID']
  await editElsewhere(server, company, LIST, [{ ID: other, Phone: '555-0002' }])
  const books = contentOf(await booksOf(server, company, LIST))
  const filter = { ids: [textOf(other)], modifiedFrom: null, modifiedTo: null }
  const newer = value(await person.call('records.open', { company, object: LIST, filter }))
  value(await person.call('records.merge', { setId: list.set.setId, newerId: newer.setId }))
  let copy: ShownList | null = null
  for (let tries = 0; copy?.updated?.readAt !== newer.readAt && tries < 1_000; tries += 1) {
    await pause(5)
    copy = await ShownList.fromCopy(person.call, company, LIST)
  }
  expect(differences(copy?.shown, books)).toEqual([])

  await restored?.refresh()
  expect(differences(restored?.shown, books)).toEqual([])
})
