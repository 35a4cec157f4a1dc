/**
 * One change in several companies on the whole core, with kills at any moment, faults, and silent or read-only
 * companies. Afterward, the service's books are compared with the program's report, record by record: lost 0, sent
 * twice 0, wrongly reported 0, never two requests at once. `BOOKBRIDGE_DEEP=1` kills 100 times; a failing seed runs
 * alone with `BOOKBRIDGE_SEED=n`.
 */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CoreOptions } from '../../../electron/core/options.ts'
import type { RecordCriteria, ShownChange } from '../../../shared/contract/all-companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type RecordData, textOf } from '../../../shared/records/changes.ts'
import { ok } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import type { SampleServer } from '../../sample-server/server.ts'
import { isDeep, seeds } from '../../seeds.ts'
import { pick, seeded } from '../../unit/writing/random.ts'
import { honestFault } from '../faults/any-fault.ts'
import { KillableCore } from '../kills/killable.ts'
import { CONNECTION_ID, type CorePlan, makeCore } from '../world/core-parts.ts'
import { Ledger } from '../world/ledger.ts'
import { type Caller, LIST, pause, Person } from '../world/person.ts'
import {
  callerOf,
  emptyFolder,
  FACTOR,
  QUICK_SETTINGS,
  startServer,
  startWorld,
  usedFolder,
} from '../world/world.ts'
import { booksOf, contentOf, editElsewhere, ShownList } from './kept-copies.ts'

const SEEDS = seeds(1, 25)
const KILLS = isDeep ? 4 : 2
/** Records that are changed in each company. */
const MANY = 8
/** What waits for a company that goes silent, and how many records that takes. */
const AFTER_SILENCE: readonly (readonly [string, 1 | 2])[] = [
  ['and more of it waits', 2],
  ...(isDeep ? ([['and nothing more of it waits', 1]] as const) : []),
]
/** Leaves time for a kill or a stop before each write. */
const SLOW_WRITES = {
  times: 0,
  match: { method: 'PATCH' },
  fault: { kind: 'slow', milliseconds: 60, when: 'before' },
} as const
/** Before any change, by the service's clock. */
const STARTED_AT = Date.now()

/** A user who makes a change in several companies. */
class Changing {
  readonly call: Caller
  readonly #server: SampleServer

  constructor(call: Caller, server: SampleServer) {
    this.call = call
    this.#server = server
  }

  async companies() {
    const listed = value(await this.call('companies.list', { connectionId: CONNECTION_ID })).companies
    return listed.filter(({ isActive, isListed }) => isActive && isListed)
  }

  /** Keeps a list of these companies; by default, the customers of all. */
  async keepLists(object = LIST, of?: readonly CompanyRef[]): Promise<void> {
    const refs = of ?? (await this.companies()).map(({ ref }) => ref)
    await new Person(this.call).keepLists(refs.map(({ endpointId }) => ({ endpointId, object })))
  }

  /** Compares the records of each company that have a name or that a search finds. */
  async compare(object = LIST, criteria: RecordCriteria = { by: 'text', text: '415' }) {
    const asked = { connectionId: CONNECTION_ID, object, criteria }
    return value(await this.call('multiCompanyChanges.compare', asked)).companies
  }

  /** Drafts one phone number for some active records of each company. */
  async draft(phone: string, from: number, most = MANY): Promise<ShownChange> {
    const companies = await this.compare()
    const picks = companies.flatMap(({ company, records, blockedReason }) => {
      const free = records.filter(
        (record) => record.blockedReason === '' && record.isActive && blockedReason === '',
      )
      const recordIds = free.slice(from, from + most).map(({ recordId }) => recordId)
      return recordIds.length === 0 ? [] : [{ endpointId: company.endpointId, recordIds }]
    })
    return value(
      await this.call('multiCompanyChanges.draft', {
        connectionId: CONNECTION_ID,
        object: LIST,
        path: 'Phone',
        now: phone,
        picks,
      }),
    )
  }

  async send(change: ShownChange): Promise<void> {
    const draftIds = change.items.flatMap(({ records }) => records.map(({ draftId }) => draftId))
    value(await this.call('multiCompanyChanges.send', { changeId: change.changeId, draftIds }))
  }

  /** Sends it, and waits until its first write reaches the service. */
  async sendFirst(change: ShownChange): Promise<void> {
    await this.send(change)
    while (!this.#server.counters().requests.some(({ method }) => method === 'PATCH')) await pause(1)
  }

  async change(changeId: string): Promise<ShownChange> {
    const all = value(await this.call('multiCompanyChanges.list', { connectionId: CONNECTION_ID }))
    const found = all.find((each) => each.changeId === changeId)
    if (found === undefined) throw new Error('The change is lost.')
    return found
  }

  /** Waits until it no longer runs and nothing of it is being sent or rechecked. */
  async atRest(changeId: string): Promise<ShownChange> {
    for (let tries = 0; ; tries += 1) {
      const found = await this.change(changeId)
      const states = found.items.flatMap(({ records }) => records.map(({ state }) => state))
      if (found.state !== 'running' && !states.includes('not-confirmed')) return found
      if (tries > 2_000) throw new Error(`It does not come to rest: ${found.state} ${states.join()}`)
      // A refused key pauses the queue, even while a record is rechecked, until the user confirms the key.
      const [queue] = value(await this.call('activity.queues', {}))
      if (queue?.paused) await this.call('activity.resume', { connectionId: CONNECTION_ID })
      await pause(50)
    }
  }

  /** Waits until it no longer runs. Resumes nothing. */
  async ended(changeId: string): Promise<ShownChange> {
    for (;;) {
      const found = await this.change(changeId)
      if (found.state !== 'running') return found
      await pause(50)
    }
  }

  /** The service's records by ID. No request may be running. */
  async books(company: CompanyRef): Promise<ReadonlyMap<string, RecordData>> {
    const records = await booksOf(this.#server, company, LIST)
    return new Map(records.map((record) => [textOf(record['ID']), record]))
  }

  /**
   * Opens the kept list of each company without the service, and compares it with the books: what the change reports as
   * saved is there, and after **Refresh**, everything equals the service's records.
   */
  async keptFindings(change: ShownChange): Promise<readonly string[]> {
    const found: string[] = []
    const phone = textOf(change.now)
    for (const { endpointId, records } of change.items) {
      const company = { connectionId: CONNECTION_ID, endpointId }
      const list = await ShownList.fromCopy(this.call, company, LIST)
      if (list === null) {
        found.push(`no copy: ${endpointId}`)
        continue
      }
      const shown = new Map(list.records.map((record) => [textOf(record['ID']), record]))
      for (const { recordId, state, isSavedDifferently } of records) {
        const isShown = shown.get(recordId)?.['Phone'] === phone
        if (state === 'saved' ? !isShown && !isSavedDifferently : isShown)
          found.push(`the copy shows another phone: ${endpointId} ${recordId}, ${state}`)
      }
      await list.refresh(STARTED_AT)
      const refreshed = list.shown
      for (const [id, record] of contentOf(await booksOf(this.#server, company, LIST)))
        if (refreshed.get(id) !== record) found.push(`after Refresh: ${endpointId} ${id}`)
      await list.close()
    }
    return found
  }
}

/** Counts, for each record of a change, how often it was written. */
class Writes {
  readonly #server: SampleServer
  readonly #bodies: { readonly path: string; readonly body: string }[] = []

  constructor(server: SampleServer) {
    this.#server = server
  }

  /** Collects the writes so far. Call it before `Ledger.countRequests`, which clears them. */
  take(): void {
    for (const { method, path, body } of this.#server.counters().requests)
      if (method !== 'GET') this.#bodies.push({ path, body })
  }

  get count(): number {
    return this.#bodies.length
  }

  of(endpointId: string, recordId: string, phone: string): number {
    return this.#bodies.filter(
      ({ path, body }) =>
        path.includes(endpointId) &&
        body.includes(JSON.stringify(recordId)) &&
        body.includes(JSON.stringify(phone)),
    ).length
  }
}

/** Describes everything that must not happen. */
async function findings(changing: Changing, change: ShownChange, writes: Writes): Promise<readonly string[]> {
  const phone = textOf(change.now)
  const found: string[] = []
  for (const { company } of change.companies) {
    const books = await changing.books(company)
    const item = change.items.find(({ endpointId }) => endpointId === company.endpointId)
    for (const { recordId, state, isSavedDifferently } of item?.records ?? []) {
      const sent = writes.of(company.endpointId, recordId, phone)
      const isThere = books.get(recordId)?.['Phone'] === phone
      const say = `${company.endpointId} ${recordId}: ${state}, sent ${String(sent)} times, ${isThere ? '' : 'not '}there`
      if (sent > 1) found.push(`doubled: ${say}`)
      if (state === 'saved' && !isThere && !isSavedDifferently) found.push(`wrongly reported: ${say}`)
      if ((state === 'draft' || state === 'not-sent' || state === 'gone') && (isThere || sent > 0))
        found.push(`done and nobody knows: ${say}`)
      if (state === 'gone') found.push(`lost: ${say}`)
      if (state === 'not-accepted' && isThere) found.push(`wrongly reported: ${say}`)
    }
  }
  return found
}

/** Starts a world whose PDFs go to a folder. `printed` returns the HTML of the last one. */
async function startPrintingWorld(onTestFinished: Parameters<typeof startWorld>[0]) {
  const folder = emptyFolder(onTestFinished)
  let printed = ''
  const { person, server } = await startWorld(onTestFinished, {
    core: {
      printer: {
        pdf: ({ html }) => {
          printed = html
          return Promise.resolve(ok(new Uint8Array()))
        },
      },
      dialogs: { save: { choose: (name) => Promise.resolve(join(folder, name)) } },
    },
  })
  return { person, server, printed: () => printed }
}

// Tests that mostly wait run concurrently.
describe('a change in several companies', () => {
  test.for(SEEDS)(
    'is never lost, doubled, or wrongly reported by kills (seed %i)',
    async (seed, { onTestFinished }) => {
      const random = seeded(seed)
      const server = await startServer(onTestFinished, { customers: 60, seed })
      const userData = usedFolder(onTestFinished)
      const plan: CorePlan = {
        userData,
        settings: { ...QUICK_SETTINGS, writeSeconds: 150, readSeconds: 250 },
        beginsAt: Date.now(),
        factor: FACTOR,
        saved: { address: server.url, key: server.key },
        keychain: join(userData, 'keychain-of-the-test'),
      }
      let core = value(await KillableCore.begin(plan))
      onTestFinished(() => core.kill())
      await core.start()
      await new Person(core.call).connect(server.url, server.key)
      let changing = new Changing(core.call, server)
      const ledger = new Ledger(server)
      const writes = new Writes(server)
      const count = (): void => {
        writes.take()
        ledger.countRequests()
      }
      const restart = async (): Promise<void> => {
        await core.kill()
        core = value(await KillableCore.begin(plan))
        await core.start()
        changing = new Changing(core.call, server)
      }
      for (let kill = 0; kill < KILLS; kill += 1) {
        // From then on, each process uses the copies on disk.
        if (kill === 0) await changing.keepLists()
        // Records that were changed before are no longer found by their old number.
        const change = await changing.draft(
          `(999) ${String(seed).padStart(3, '0')}-${String(kill).padStart(4, '0')}`,
          0,
        )
        expect(change.items.length).toBeGreaterThan(1)
        const milliseconds = Math.floor(random() * 40)
        server.addFaults({
          times: 0,
          fault: { kind: 'slow', milliseconds, when: pick(random, ['before', 'after'] as const) },
        })
        await changing.send(change)
        count()
        const before = writes.count
        const wanted = Math.floor(random() * change.items.length * 2)
        for (let tries = 0; tries < 2_000 && writes.count < before + wanted; tries += 1) {
          await pause(1)
          count()
        }
        await pause(Math.floor(random() * 1.5 * (milliseconds + 5)))
        await core.kill()
        await pause(milliseconds + 30)
        server.control({ clearFaults: true })
        count()
        const sent = writes.count
        await restart()
        const left = await changing.atRest(change.changeId)
        count()
        expect(writes.count, 'a restart sent something').toBe(sent)
        expect(await findings(changing, left, writes)).toEqual([])
        if (left.state !== 'finished') {
          expect(['stopped', 'draft']).toContain(left.state)
          if (left.state === 'draft') await changing.send(left)
          else value(await core.call('multiCompanyChanges.resume', { changeId: change.changeId }))
        }
        const ended = await changing.atRest(change.changeId)
        count()
        expect(ended.state).toBe('finished')
        expect(await findings(changing, ended, writes)).toEqual([])
        // Operations that the kill made uncertain may wait for a decision. Everything else is in the books.
        const states = ended.items.flatMap(({ records }) => records.map(({ state }) => state))
        expect(states.filter((state) => state !== 'saved' && state !== 'decision')).toEqual([])
        expect(await changing.keptFindings(ended)).toEqual([])
      }
      expect(ledger.simultaneous).toBe(0)
      expect(await core.defects()).toEqual([])
    },
  )

  test.for(SEEDS)(
    'reports each record’s outcome under faults (seed %i)',
    async (seed, { onTestFinished }) => {
      const random = seeded(seed + 1_000)
      const { person, server, ledger, running } = await startWorld(onTestFinished, {
        server: { customers: 60, seed },
      })
      const changing = new Changing(person.call, server)
      const writes = new Writes(server)
      await changing.keepLists()
      const change = await changing.draft(`(998) 000-${String(seed).padStart(4, '0')}`, 0)
      for (let fault = 0; fault < 6; fault += 1) {
        server.addFaults({
          times: 1,
          nth: 1 + Math.floor(random() * 4),
          match: { method: pick(random, ['PATCH', 'GET'] as const) },
          fault: honestFault(random),
        })
      }
      await changing.send(change)
      for (let round = 0; round < 12; round += 1) {
        const { state, companies } = await changing.atRest(change.changeId)
        if (state === 'finished') break
        if (state === 'needs-you') {
          for (const { company } of companies.filter(({ contact }) => contact === 'silent')) {
            await person.call('multiCompanyChanges.answer', {
              changeId: change.changeId,
              endpointId: company.endpointId,
              answer: 'again',
            })
          }
        } else {
          value(await person.call('multiCompanyChanges.resume', { changeId: change.changeId }))
        }
      }
      server.control({ clearFaults: true })
      await person.settle()
      const ended = await changing.atRest(change.changeId)
      writes.take()
      ledger.countRequests()
      expect(await findings(changing, ended, writes)).toEqual([])
      expect(await changing.keptFindings(ended)).toEqual([])
      expect(ledger.simultaneous).toBe(0)
      expect(running.defects).toEqual([])
    },
  )

  test('sends to the silent company last, and skips a read-only company and one whose application lacks the field', async ({
    onTestFinished,
  }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    await changing.keepLists()
    const [readOnly, silent] = await changing.companies()
    if (readOnly === undefined || silent === undefined) throw new Error('There are two companies at least.')
    value(await person.call('companies.annotate', { company: readOnly.ref, notes: { readOnly: true } }))
    const companies = await changing.compare()
    const all = companies.map(({ company, records }) => ({
      endpointId: company.endpointId,
      recordIds: records
        .filter(({ blockedReason }) => blockedReason === '')
        .slice(0, 2)
        .map(({ recordId }) => recordId),
    }))
    const change = value(
      await person.call('multiCompanyChanges.draft', {
        connectionId: CONNECTION_ID,
        object: LIST,
        path: 'Phone',
        now: '(997) 000-0000',
        picks: all.filter(({ recordIds }) => recordIds.length > 0),
      }),
    )
    expect(change.leftOut).toEqual([
      expect.objectContaining({ endpointId: readOnly.ref.endpointId, recordName: '' }),
    ])
    expect(change.leftOut[0]?.reason).toContain('read only')
    server.control({ company: silent.companyName, conditions: { machine: 'off' } })
    await changing.send(change)
    const waiting = await changing.atRest(change.changeId)
    expect(waiting.state).toBe('needs-you')
    const stateOf = (shown: ShownChange, endpointId: string) =>
      new Set(shown.items.find((item) => item.endpointId === endpointId)?.records.map(({ state }) => state))
    for (const { endpointId } of waiting.items) {
      expect(stateOf(waiting, endpointId)).toEqual(
        new Set([endpointId === silent.ref.endpointId ? 'draft' : 'saved']),
      )
    }
    // Skipped today, and continued when its computer is on again.
    const { endpointId } = silent.ref
    value(
      await person.call('multiCompanyChanges.answer', {
        changeId: change.changeId,
        endpointId,
        answer: 'skip',
      }),
    )
    const skipped = await changing.atRest(change.changeId)
    expect(skipped.state).toBe('finished')
    expect(stateOf(skipped, endpointId)).toEqual(new Set(['draft']))
    server.control({ company: silent.companyName, conditions: { machine: 'on' } })
    value(await person.call('multiCompanyChanges.resume', { changeId: change.changeId }))
    const ended = await changing.atRest(change.changeId)
    expect(ended.state).toBe('finished')
    expect(stateOf(ended, endpointId)).toEqual(new Set(['saved']))
    expect(server.counters().mostAtOnce).toBe(1)

    // Discarding an unsent change discards its drafts and leaves nothing behind.
    const other = await changing.draft('(996) 000-0000', 4)
    value(await person.call('multiCompanyChanges.discard', { changeId: other.changeId }))
    const left = value(await person.call('multiCompanyChanges.list', { connectionId: CONNECTION_ID }))
    expect(left.map(({ changeId }) => changeId)).toEqual([change.changeId])
    for (const { ref } of await changing.companies())
      expect(value(await person.call('records.drafts', { company: ref, object: LIST }))).toEqual([])

    // A field that no metadata lists is written nowhere.
    const refused = await person.call('multiCompanyChanges.draft', {
      connectionId: CONNECTION_ID,
      object: LIST,
      path: 'FavoriteColor',
      now: 'blue',
      picks: all.filter(({ recordIds }) => recordIds.length > 0),
    })
    expect(refused.ok).toBe(false)
  })

  test.concurrent.for(AFTER_SILENCE)(
    'sends to the others first if a company goes silent right after a write, %s',
    async ([, most], { onTestFinished }) => {
      const { person, server } = await startWorld(onTestFinished)
      const changing = new Changing(person.call, server)
      await changing.keepLists()
      const change = await changing.draft('(990) 000-0000', 0, most)
      const [first, ...others] = change.items.map(({ endpointId }) => endpointId)
      const { changeId } = change
      const computer = change.companies[0]?.companyName ?? ''
      server.addFaults({
        match: { method: 'PATCH', path: first ?? '' },
        times: 1,
        fault: { kind: 'drop', when: 'after' },
      })
      // No recheck gets through before the computer is off.
      server.addFaults({
        match: { method: 'GET', path: first ?? '', query: 'id=' },
        nth: 2,
        times: 0,
        fault: { kind: 'drop', when: 'before' },
      })
      // Also a service that answers, but not with the records, holds up only its own company.
      server.addFaults({
        match: { method: 'GET', path: others[0] ?? '', query: 'id=' },
        nth: 2,
        times: 0,
        fault: { kind: 'status', status: 500, when: 'before' },
      })
      server.addFaults({
        match: { method: 'PATCH', path: others[0] ?? '' },
        times: 1,
        fault: { kind: 'drop', when: 'after' },
      })
      const writes = new Writes(server)
      server.control({ clearRequests: true })
      await changing.send(change)
      const isRechecking = (): boolean => {
        const methods = server.counters().requests.map(({ method }) => method)
        return methods.includes('PATCH') && methods.at(-1) === 'GET'
      }
      while (!isRechecking()) await pause(1)
      server.control({ company: computer, conditions: { machine: 'off' } })
      const asked = await changing.ended(changeId)
      const statesIn = (shown: ShownChange, at: number): readonly string[] =>
        shown.items[at]?.records.map(({ state }) => state) ?? []
      expect(asked.state).toBe('needs-you')
      expect(asked.companies.map(({ contact }) => contact === 'silent')).toEqual([true, false, false])
      expect(asked.items.map(({ state }) => state)).toEqual(['waiting', 'failed', 'done'])
      for (const at of [0, 1])
        expect(statesIn(asked, at)).toEqual(['not-confirmed', 'not-sent'].slice(0, most))
      expect(new Set(statesIn(asked, 2))).toEqual(new Set(['saved']))

      // Neither gets another write before its outcome is known.
      value(
        await person.call('multiCompanyChanges.answer', {
          changeId,
          endpointId: first ?? '',
          answer: 'again',
        }),
      )
      const again = await changing.ended(changeId)
      expect(statesIn(again, 0)).toEqual(statesIn(asked, 0))
      server.control({ company: computer, conditions: { machine: 'on' }, clearFaults: true })
      value(await person.call('multiCompanyChanges.resume', { changeId }))
      const ended = await changing.ended(changeId)
      expect(ended.state).toBe('finished')
      expect(new Set(ended.items.flatMap((_, at) => statesIn(ended, at)))).toEqual(new Set(['saved']))
      writes.take()
      expect(await findings(changing, ended, writes)).toEqual([])
      expect(server.counters().mostAtOnce).toBe(1)
    },
  )

  test.concurrent(
    'returns to a company that went silent after a write and responds again meanwhile',
    async ({ onTestFinished }) => {
      const { person, server } = await startWorld(onTestFinished)
      const changing = new Changing(person.call, server)
      await changing.keepLists()
      const change = await changing.draft('(990) 000-0001', 0, 2)
      const path = change.items[0]?.endpointId ?? ''
      server.addFaults({ match: { method: 'PATCH', path }, times: 1, fault: { kind: 'drop', when: 'after' } })
      server.addFaults({
        match: { method: 'GET', path, query: 'id=' },
        nth: 2,
        times: 1,
        fault: { kind: 'drop', when: 'before' },
      })
      // The others take until the queue rechecks it.
      server.addFaults({
        match: { method: 'PATCH', path: change.items.at(-1)?.endpointId ?? '' },
        times: 0,
        fault: { kind: 'slow', milliseconds: 1_500, when: 'before' },
      })
      const writes = new Writes(server)
      server.control({ clearRequests: true })
      await changing.send(change)
      const ended = await changing.ended(change.changeId)
      expect(ended.state).toBe('finished')
      const states = ended.items.flatMap(({ records }) => records.map(({ state }) => state))
      expect(new Set(states)).toEqual(new Set(['saved']))
      writes.take()
      expect(await findings(changing, ended, writes)).toEqual([])
      // The company that was silent came last.
      const patches = server.counters().requests.filter(({ method }) => method === 'PATCH')
      expect(patches.at(-1)?.path).toContain(path)
    },
  )

  test.concurrent.for(AFTER_SILENCE)(
    'doesn’t say that a company was skipped or failed where nothing is left to send, %s',
    async ([, most], { onTestFinished }) => {
      const { person, server, printed } = await startPrintingWorld(onTestFinished)
      const changing = new Changing(person.call, server)
      await changing.keepLists()
      const { changeId, ...change } = await changing.draft('(990) 000-0002', 0, most)
      const [silent = '', failing = ''] = change.items.map(({ endpointId }) => endpointId)
      const computer = change.companies[0]?.companyName ?? ''
      for (const path of [silent, failing])
        server.addFaults({
          match: { method: 'PATCH', path },
          times: 1,
          fault: { kind: 'drop', when: 'after' },
        })
      server.addFaults({
        match: { method: 'GET', path: failing, query: 'id=' },
        nth: 2,
        times: 0,
        fault: { kind: 'status', status: 500, when: 'before' },
      })
      await changing.sendFirst({ changeId, ...change })
      server.control({ company: computer, conditions: { machine: 'off' } })
      const asked = await changing.ended(changeId)
      expect(asked.companies.map(({ contact }) => contact === 'silent')).toEqual([true, false, false])
      value(await person.call('multiCompanyChanges.answer', { changeId, endpointId: silent, answer: 'skip' }))
      const skipped = await changing.ended(changeId)
      expect(skipped.items.map(({ state }) => state)).toEqual([
        most === 1 ? 'done' : 'skipped',
        'failed',
        'done',
      ])
      expect(skipped.items[0]?.records[0]?.state).toBe('not-confirmed')
      value(await person.call('multiCompanyChanges.saveReceipt', { changeId }))
      expect(printed()).toContain(
        most === 1 ? '1 saved, 2 not confirmed' : '2 saved, 2 not confirmed, 2 not sent',
      )
      server.control({ company: computer, conditions: { machine: 'on' }, clearFaults: true })
      const settled = await changing.atRest(changeId)
      const states = most === 1 ? ['done', 'done', 'done'] : ['skipped', 'failed', 'done']
      expect(settled.items.map(({ state }) => state)).toEqual(states)
      expect(settled.items.map(({ error }) => error === null)).toEqual([true, most === 1, true])
    },
  )

  test('names on its receipt each company and record that was left out, and why', async ({
    onTestFinished,
  }) => {
    const { person, server, printed } = await startPrintingWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    const all = await changing.companies()
    const [online] = all.filter(({ application }) => application === 'qbo')
    const [first, saved] = all.filter(({ application }) => application === 'qbd')
    if (!online || !first || !saved) throw new Error('There are three companies at least.')
    const refs = [first.ref, saved.ref, online.ref]
    type Company = typeof saved
    /** Sends a change of some records of each company, without the last record of the last one. */
    const send = async (path: string, now: string, of: readonly Company[], others: readonly Company[]) => {
      const compared = await changing.compare()
      const picks = of.map(({ ref: { endpointId } }) => {
        const found = compared.find(({ company }) => company.endpointId === endpointId)?.records ?? []
        const free = found.filter(({ blockedReason }) => blockedReason === '')
        return { endpointId, recordIds: free.slice(0, 2).map(({ recordId }) => recordId) }
      })
      const change = value(
        await person.call('multiCompanyChanges.draft', {
          ...{ connectionId: CONNECTION_ID, object: LIST, path, now, picks },
          others: others.map(({ ref }, at) => ({ endpointId: ref.endpointId, records: at })),
        }),
      )
      const drafts = change.items.flatMap(({ records }) => records)
      const draftIds = drafts.slice(0, -1).map(({ draftId }) => draftId)
      value(await person.call('multiCompanyChanges.send', { changeId: change.changeId, draftIds }))
      return { ...(await changing.atRest(change.changeId)), unchecked: drafts.at(-1)?.recordName ?? '' }
    }
    const escaped = (text: string): string => text.replaceAll('&', '&amp;')
    /** What the receipt says was left out: the company or its record, and why. */
    const leftOut = async ({ changeId }: { readonly changeId: string }) => {
      value(await person.call('multiCompanyChanges.saveReceipt', { changeId }))
      const [, rows = ''] = printed().split('>Left out</th></tr>')
      return [...rows.matchAll(/<tr class="l1"><th>([^<]*)<\/th><td[^>]*>([^<]*)</g)].map(
        ([, subject, reason]) => [subject, reason],
      )
    }
    const unchecked = (company: Company, name: string) => [
      escaped(`${company.companyName}, ${name}`),
      'Unchecked before it was sent. Its drafts are still in its list.',
    ]

    // One company doesn't respond and is skipped, and the list of another was never read.
    await changing.keepLists(LIST, [first.ref, saved.ref])
    server.control({ company: first.companyName, conditions: { machine: 'off' } })
    const one = await send('Phone', '(993) 000-0000', [first, saved], [online])
    expect(one.state).toBe('needs-you')
    const skipped = { changeId: one.changeId, endpointId: first.ref.endpointId, answer: 'skip' } as const
    value(await person.call('multiCompanyChanges.answer', skipped))
    expect((await changing.atRest(one.changeId)).state).toBe('finished')
    expect(await leftOut(one)).toEqual([
      [escaped(online.companyName), expect.stringContaining('isn’t kept on this computer')],
      unchecked(saved, one.unchecked),
      [escaped(first.companyName), expect.stringMatching(/^Nothing was sent\. \S/)],
    ])
    value(await person.call('multiCompanyChanges.discard', { changeId: one.changeId }))

    // One company is read-only, and the application of another lacks the field.
    server.control({ company: first.companyName, conditions: { machine: 'on' } })
    await changing.keepLists(LIST, refs)
    value(await person.call('companies.annotate', { company: first.ref, notes: { readOnly: true } }))
    const other = await send('AlternateContact', 'Robin Keller', [saved], [first, online])
    expect(await leftOut(other)).toEqual([
      [escaped(first.companyName), expect.stringContaining('read only')],
      [escaped(`${online.companyName} (1 record)`), expect.stringContaining('support')],
      unchecked(saved, other.unchecked),
    ])
    expect(printed()).toContain('Robin Keller')
  })

  test('counts a record once on its receipt, by its last outcome, and lists earlier attempts', async ({
    onTestFinished,
  }) => {
    const { person, server, printed } = await startPrintingWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    const [first] = await changing.companies()
    if (first === undefined) throw new Error('There is no company.')
    const { ref: company } = first
    await changing.keepLists(LIST, [company])
    const [compared] = await changing.compare()
    const recordIds = compared?.records.slice(0, 2).map(({ recordId }) => recordId) ?? []
    const { changeId, items } = value(
      await person.call('multiCompanyChanges.draft', {
        ...{ connectionId: CONNECTION_ID, object: LIST, path: 'Phone', now: '(993) 000-0000' },
        picks: [{ endpointId: company.endpointId, recordIds }],
      }),
    )
    const Errors = [{ Code: '3210', Message: 'Phone isn’t valid.', Severity: 'Error', Detail: '' }]
    server.addFaults({
      match: { method: 'PATCH', path: company.endpointId },
      times: 1,
      fault: {
        kind: 'body',
        text: JSON.stringify({
          ...{ HasErrors: true, RequestId: 'refused', Errors: null },
          Contents: [{ Object: null, Errors, Self: null, Kind: '' }],
        }),
        status: 200,
      },
    })
    const draftIds = items.flatMap(({ records }) => records.map(({ draftId }) => draftId))
    value(await person.call('multiCompanyChanges.send', { changeId, draftIds }))
    await changing.atRest(changeId)
    const [refused] = value(await person.call('records.drafts', { company, object: LIST })).filter(
      ({ operation }) => operation?.state === 'rejected',
    )
    if (refused === undefined) throw new Error('No record was refused.')
    const { draftId, kind, recordId, before, edits } = refused
    const corrected = edits.map((edit) => ({ ...edit, now: '(993) 000-0001' }))
    const draft = { draftId, kind, recordId, before, edits: corrected }
    value(await person.call('records.saveDrafts', { company, object: LIST, drafts: [draft] }))
    value(await person.call('records.send', { company, object: LIST, draftIds: [draftId] }))
    await person.settle()
    await changing.atRest(changeId)
    value(await person.call('multiCompanyChanges.saveReceipt', { changeId }))
    // The service saved the record although it said otherwise, so the correction finds another value.
    expect(printed()).toContain(
      '<dt>Records</dt><dd>2</dd><dt>Outcome</dt><dd>1 saved, 1 changed elsewhere</dd>',
    )
    expect(printed().match(/Earlier attempt: not accepted/g)).toHaveLength(1)
  })

  test('sends to the other companies if one application lacks the field, and clears a value only where possible', async ({
    onTestFinished,
  }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    await changing.keepLists()
    const listed = await changing.companies()
    const companies = await changing.compare()
    const picks = companies.map(({ company, records }) => ({
      endpointId: company.endpointId,
      recordIds: records
        .filter(({ blockedReason, isActive }) => blockedReason === '' && isActive)
        .slice(0, 2)
        .map(({ recordId }) => recordId),
    }))
    const draft = (path: string, now: ShownChange['now']) =>
      person.call('multiCompanyChanges.draft', {
        connectionId: CONNECTION_ID,
        object: LIST,
        path,
        now,
        picks,
      })
    const isOnline = ({ endpointId }: { readonly endpointId: string }): boolean =>
      listed.some(({ ref, application }) => ref.endpointId === endpointId && application === 'qbo')
    const finish = async (change: ShownChange): Promise<void> => {
      await changing.send(change)
      const ended = await changing.atRest(change.changeId)
      const states = ended.items.flatMap(({ records }) => records.map(({ state }) => state))
      expect(states).toEqual(change.items.flatMap(({ records }) => records.map(() => 'saved')))
    }

    // Only the desktop application has this field.
    const partial = value(await draft('AlternateContact', 'Robin Keller'))
    expect(picks.filter(isOnline).length).toBeGreaterThan(0)
    expect(partial.leftOut.map(({ endpointId }) => endpointId)).toEqual(
      picks.filter(isOnline).map(({ endpointId }) => endpointId),
    )
    expect(partial.leftOut[0]?.recordName).toBe('')
    expect(partial.leftOut[0]?.reason).toContain('support')
    expect(partial.items.map(({ endpointId }) => endpointId)).toEqual(
      picks.filter((each) => !isOnline(each)).map(({ endpointId }) => endpointId),
    )
    await finish(partial)

    await finish(value(await draft('Phone', '')))
    await finish(value(await draft('Terms', { ID: '', FullName: '' })))
    for (const { endpointId, recordIds } of picks) {
      const books = await changing.books({ connectionId: CONNECTION_ID, endpointId })
      for (const recordId of recordIds) {
        const record = books.get(recordId)
        const terms = record?.['Terms'] as RecordData | undefined
        expect(textOf(record?.['Phone'])).toBe('')
        expect(textOf(terms?.['FullName'])).toBe('')
        expect(textOf(record?.['AlternateContact'])).toBe(isOnline({ endpointId }) ? '' : 'Robin Keller')
      }
    }
    // A name can't be empty, and neither can a yes or no.
    for (const path of ['Name', 'IsActive']) expect(await draft(path, '')).toMatchObject({ ok: false })
  })

  test('stops if the key is refused for every company, and Continue sends the rest', async ({
    onTestFinished,
  }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    await changing.keepLists()
    const change = await changing.draft('(995) 000-0000', 0)
    await changing.send(change)
    const saved = (shown: ShownChange): number =>
      shown.items.flatMap(({ records }) => records).filter(({ state }) => state === 'saved').length
    while (saved(await changing.change(change.changeId)) === 0) await pause(1)
    server.addFaults({ times: 0, match: {}, fault: { kind: 'status', status: 401, when: 'before' } })
    server.control({ clearRequests: true })
    const stopped = await changing.ended(change.changeId)
    expect([stopped.state, stopped.error?.kind]).toEqual(['stopped', 'unauthorized'])
    // The request that was on its way, the refused one, and one that shows that it isn't only that company.
    expect(server.counters().requests.length).toBeLessThanOrEqual(4)

    server.control({ clearFaults: true })
    value(await person.call('multiCompanyChanges.resume', { changeId: change.changeId }))
    const ended = await changing.ended(change.changeId)
    expect(ended.state).toBe('finished')
    expect(saved(ended)).toBe(ended.items.flatMap(({ records }) => records).length)
  })

  test.for([
    ['every request', {}],
    ['writes, but not for tests', { method: 'PATCH' }],
  ] as const)('stops once a second company refuses the key for %s', async ([, match], { onTestFinished }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    await changing.keepLists()
    const change = await changing.draft('(995) 000-0003', 0)
    expect(change.companies.length).toBeGreaterThan(2)
    server.addFaults({ times: 0, match, fault: { kind: 'status', status: 401, when: 'before' } })
    server.control({ clearRequests: true })
    await changing.send(change)
    const stopped = await changing.ended(change.changeId)
    expect([stopped.state, stopped.error?.kind]).toEqual(['stopped', 'unauthorized'])
    const { requests } = server.counters()
    expect(requests.filter(({ status }) => status === 401)).toHaveLength(2)
  })

  test.for([
    ['the first company’s test', 0, 'GET'],
    ['a write to the second company', 1, 'PATCH'],
    ['the last company’s test', -1, 'GET'],
  ] as const)(
    'sets a company aside if the key is refused for it alone: %s',
    async ([, at, method], { onTestFinished }) => {
      const { person, server } = await startWorld(onTestFinished)
      const changing = new Changing(person.call, server)
      await changing.keepLists()
      const change = await changing.draft('(995) 000-0001', 0)
      const refusing = change.items.at(at)?.endpointId ?? ''
      const { changeId } = change
      server.addFaults({
        times: 0,
        match: { method, path: refusing },
        fault: { kind: 'status', status: 403, when: 'before' },
      })
      /** The outcomes at the company, and of all others. */
      const outcomes = ({ items }: ShownChange): readonly (readonly string[])[] => {
        const isThere = ({ endpointId }: { readonly endpointId: string }): boolean => endpointId === refusing
        const statesOf = (of: ShownChange['items']): readonly string[] => [
          ...new Set(of.flatMap(({ records }) => records.map(({ state }) => state))),
        ]
        return [statesOf(items.filter(isThere)), statesOf(items.filter((item) => !isThere(item)))]
      }
      const isPaused = async (): Promise<boolean> =>
        value(await person.call('activity.queues', {})).some(({ paused }) => paused !== null)
      const expectSetAside = async (): Promise<void> => {
        const shown = await changing.ended(changeId)
        expect(shown.state).toBe('needs-you')
        const [there, others] = outcomes(shown)
        expect(others).toEqual(['saved'])
        expect(there).not.toContain('saved')
        const named = shown.companies.filter(({ contact }) => contact === 'silent')
        expect(named.map(({ company, contactError }) => [company.endpointId, contactError?.kind])).toEqual([
          [refusing, 'unauthorized'],
        ])
        expect(await isPaused()).toBe(false)
      }

      await changing.send(change)
      await expectSetAside()
      value(
        await person.call('multiCompanyChanges.answer', { changeId, endpointId: refusing, answer: 'again' }),
      )
      await expectSetAside()
      value(
        await person.call('multiCompanyChanges.answer', { changeId, endpointId: refusing, answer: 'skip' }),
      )
      expect((await changing.ended(changeId)).state).toBe('finished')

      server.control({ clearFaults: true })
      value(await person.call('multiCompanyChanges.resume', { changeId }))
      const ended = await changing.ended(changeId)
      expect([ended.state, ...outcomes(ended)]).toEqual(['finished', ['saved'], ['saved']])
      for (const { endpointId, records } of ended.items) {
        const books = await changing.books({ connectionId: CONNECTION_ID, endpointId })
        for (const { recordId } of records) expect(books.get(recordId)?.['Phone']).toBe('(995) 000-0001')
      }
    },
  )

  test('loses no record if a refused key is accepted again right away', async ({ onTestFinished }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    await changing.keepLists()
    const change = await changing.draft('(995) 000-0002', 0)
    server.addFaults({
      times: 1,
      nth: 2,
      match: { method: 'PATCH' },
      fault: { kind: 'status', status: 401, when: 'before' },
    })
    await changing.send(change)
    if ((await changing.atRest(change.changeId)).state !== 'finished')
      value(await person.call('multiCompanyChanges.resume', { changeId: change.changeId }))
    const ended = await changing.atRest(change.changeId)
    expect(ended.state).toBe('finished')
    for (const { endpointId, records } of ended.items) {
      expect(new Set(records.map(({ state }) => state))).toEqual(new Set(['saved']))
      const books = await changing.books({ connectionId: CONNECTION_ID, endpointId })
      for (const { recordId } of records) expect(books.get(recordId)?.['Phone']).toBe('(995) 000-0002')
    }
  })

  test('ends at each unexpected result, and Continue sends one more change alone', async ({
    onTestFinished,
  }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    await changing.keepLists()
    const change = await changing.draft('(993) 000-0000', 0)
    expect(change.items.length).toBeGreaterThan(2)
    // Each change clears the email address, too: that is what reading the record back shows.
    for (const { endpointId, records } of change.items) {
      const books = await changing.books({ connectionId: CONNECTION_ID, endpointId })
      for (const { recordId } of records) {
        const damaged = { ...books.get(recordId), Phone: '(993) 000-0000', Email: '', FirstName: '' }
        const Contents = [{ Object: damaged, Errors: null, Kind: LIST }]
        const text = JSON.stringify({ HasErrors: false, RequestId: 'req-read', Contents, Errors: null })
        server.addFaults({
          match: { method: 'GET', path: endpointId, query: `id=${recordId}` },
          nth: 2,
          fault: { kind: 'body', text, status: 200 },
        })
      }
    }
    const patches = (): number => server.counters().requests.filter(({ method }) => method === 'PATCH').length
    await changing.send(change)
    for (let sent = 1; sent <= 3; sent += 1) {
      const stopped = await changing.atRest(change.changeId)
      expect(patches()).toBe(sent)
      expect([stopped.state, stopped.error?.kind]).toEqual(['stopped', 'unexpected-effect'])
      value(await person.call('multiCompanyChanges.resume', { changeId: change.changeId }))
    }
    await changing.atRest(change.changeId)
    server.control({ clearFaults: true })
    value(await person.call('multiCompanyChanges.resume', { changeId: change.changeId }))
    const ended = await changing.atRest(change.changeId)
    expect(ended.state).toBe('finished')
    const states = ended.items.flatMap(({ records }) => records.map(({ state }) => state))
    expect(new Set(states)).toEqual(new Set(['saved']))
  })

  test('doesn’t send a draft that differs from what was reviewed, and names it', async ({
    onTestFinished,
  }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    await changing.keepLists()
    const change = await changing.draft('(991) 000-0000', 0)
    server.addFaults(SLOW_WRITES)
    await changing.sendFirst(change)
    // A receipt now could lack what is sent after it.
    const early = await person.call('multiCompanyChanges.saveReceipt', { changeId: change.changeId })
    expect(early).toMatchObject({ ok: false, error: { message: 'This change is being sent.' } })
    value(await person.call('multiCompanyChanges.stop', { changeId: change.changeId }))
    await changing.atRest(change.changeId)
    server.control({ clearFaults: true })
    const last = change.items.at(-1)
    const [edited, sentThere] = last?.records ?? []
    if (last === undefined || !edited || !sentThere) throw new Error('There are two records.')
    const company = { connectionId: CONNECTION_ID, endpointId: last.endpointId }
    // In the list, the user edits one draft further, sends another one with more edits, and stops that.
    const listed = value(await person.call('records.drafts', { company, object: LIST }))
    const more = listed.flatMap(({ draftId, kind, recordId, before, edits }) =>
      draftId === edited.draftId || draftId === sentThere.draftId
        ? [
            {
              ...{ draftId, kind, recordId, before },
              edits: [...edits, { path: 'Email', was: textOf(before['Email']), now: 'new@example.com' }],
            },
          ]
        : [],
    )
    expect(more).toHaveLength(2)
    value(await person.call('records.saveDrafts', { company, object: LIST, drafts: more }))
    server.control({ company: change.companies.at(-1)?.companyName ?? '', conditions: { machine: 'off' } })
    const { batchId } = value(
      await person.call('records.send', { company, object: LIST, draftIds: [sentThere.draftId] }),
    )
    value(await person.call('records.stopBatch', { batchId }))
    await person.settle()
    server.control({ company: change.companies.at(-1)?.companyName ?? '', conditions: { machine: 'on' } })
    const writes = new Writes(server)
    server.control({ clearRequests: true })
    value(await person.call('multiCompanyChanges.resume', { changeId: change.changeId }))
    const ended = await changing.atRest(change.changeId)
    writes.take()
    for (const { recordId, recordName } of [edited, sentThere]) {
      expect(writes.of(last.endpointId, recordId, 'new@example.com')).toBe(0)
      expect(ended.items.at(-1)?.error?.message).toContain(recordName)
    }
    expect(ended.items.at(-1)?.state).toBe('failed')
    const states = ended.items.flatMap(({ records }) => records.map(({ state }) => state))
    expect(states.filter((state) => state !== 'saved')).toHaveLength(2)
  })

  test('is sent once, whatever was unchecked then', async ({ onTestFinished }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    await changing.keepLists()
    const change = await changing.draft('(990) 000-0000', 0)
    const part = (from: number, to?: number): ShownChange => ({
      ...change,
      items: change.items.map((item) => ({ ...item, records: item.records.slice(from, to) })),
    })
    await changing.send(part(0, 2))
    await changing.atRest(change.changeId)
    for (const again of [part(1, 2), part(2)]) {
      const draftIds = again.items.flatMap(({ records }) => records.map(({ draftId }) => draftId))
      const sent = await person.call('multiCompanyChanges.send', { changeId: change.changeId, draftIds })
      expect(sent).toMatchObject({ ok: false, error: { message: 'This change was sent before.' } })
    }
    const { items, leftOut } = await changing.change(change.changeId)
    expect(items.flatMap(({ records }) => records.map(({ state }) => state))).toEqual(
      part(0, 2).items.flatMap(({ records }) => records.map(() => 'saved')),
    )
    expect(leftOut).toHaveLength(part(2).items.flatMap(({ records }) => records).length)
  })

  test('sends to the others if a company was de-provisioned since, or refuses the key, and what metadata lacks nowhere', async ({
    onTestFinished,
  }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    await changing.keepLists()
    const change = await changing.draft('(989) 000-0000', 0)
    const [gone, refusing] = change.items.map(({ endpointId }) => endpointId)
    if (gone === undefined || refusing === undefined) throw new Error('There are two companies at least.')
    const metadata = async (): Promise<void> => {
      for (const { ref } of await changing.companies())
        value(await person.call('records.support', { company: ref, object: LIST, refresh: true }))
    }
    const answer = (match: { readonly path: string }, status: number, body: object): void => {
      const text = JSON.stringify({ HasErrors: false, RequestId: 'req', Contents: [], Errors: null, ...body })
      server.addFaults({
        ...{ times: 0, match: { method: 'GET', ...match } },
        fault: { kind: 'body', text, status, when: 'before' },
      })
    }
    const stateOf = ({ items }: ShownChange, endpointId: string) =>
      items.find((item) => item.endpointId === endpointId)?.records.map(({ state }) => state)

    answer({ path: '/meta/' }, 200, {
      Contents: [{ Object: { ID: '', Name: '', FullName: '' }, Errors: null, Kind: LIST }],
    })
    await metadata()
    await changing.send(change)
    const unsupported = await changing.atRest(change.changeId)
    for (const { state, error } of unsupported.items) {
      expect(state).toBe('failed')
      expect(error?.message).toContain('doesn’t support this field')
    }
    expect(server.counters().requests.some(({ method }) => method === 'PATCH')).toBe(false)

    server.control({ clearFaults: true })
    await metadata()
    const body = JSON.stringify({ endpointId: gone, isActive: 'false' })
    const headers = { 'x-api-key': server.key, 'content-type': 'application/json' }
    await fetch(`${server.url}/v2/manage/endpoint`, { method: 'PATCH', headers, body })
    answer({ path: refusing }, 403, {
      ...{ HasErrors: true, Errors: [{ Message: `The key may not use endpoint "${refusing}".` }] },
    })
    value(await person.call('multiCompanyChanges.resume', { changeId: change.changeId }))
    const ended = await changing.atRest(change.changeId)
    const states = new Map([
      [gone, 'draft'],
      [refusing, 'not-sent'],
    ])
    for (const { endpointId, records } of change.items)
      expect(stateOf(ended, endpointId)).toEqual(records.map(() => states.get(endpointId) ?? 'saved'))
    expect(ended.state).toBe('needs-you')
    expect(ended.companies.find(({ company }) => company.endpointId === gone)?.contactError?.message).toBe(
      'This company is inactive: its integration has ended.',
    )

    server.control({ clearFaults: true })
    const { changeId } = change
    value(await person.call('multiCompanyChanges.answer', { changeId, endpointId: gone, answer: 'skip' }))
    await changing.atRest(changeId)
    value(await person.call('multiCompanyChanges.resume', { changeId }))
    const again = await changing.atRest(change.changeId)
    expect(new Set(stateOf(again, refusing))).toEqual(new Set(['saved']))
    expect(new Set(stateOf(again, gone))).toEqual(new Set(['draft']))
  })

  test('shows after a restart what is confirmed then, without being asked', async ({ onTestFinished }) => {
    const world = await startWorld(onTestFinished, { settings: { writeSeconds: 30 } })
    const { person, server, plan, running } = world
    const changing = new Changing(person.call, server)
    await changing.keepLists()
    const change = await changing.draft('(994) 000-0000', 0)
    server.addFaults({
      times: 1,
      match: { method: 'PATCH' },
      fault: { kind: 'drop', when: 'after' },
    })
    await changing.send(change)
    const inDoubt = async (): Promise<boolean> =>
      (await changing.change(change.changeId)).items.some(({ records }) =>
        records.some(({ state }) => state === 'not-confirmed'),
      )
    while (!(await inDoubt())) await pause(1)
    await running.core.close()

    const told: ShownChange[] = []
    const emit: CoreOptions['announcer']['emit'] = (name, payload) => {
      if (name === 'multiCompanyChanges.changed') told.push(payload as ShownChange)
    }
    const again = value(
      makeCore(
        { ...plan, saved: { address: server.url, key: server.key } },
        {
          settings: { store: running.settings },
          secrets: running.secrets,
          announcer: { emit, notify: () => undefined },
        },
      ),
    )
    onTestFinished(() => again.core.close())
    again.core.start()
    const later = new Person(callerOf(again))
    await later.openCompany()
    const [first] = change.items
    const record = first?.records[0]
    const state = (): string | undefined =>
      told
        .flatMap(({ items }) => items)
        .flatMap(({ records }) => records)
        .findLast(({ draftId }) => draftId === record?.draftId)?.state
    await later.settle()
    for (let tries = 0; tries < 2_000 && state() !== 'saved'; tries += 1) await pause(5)
    expect(state()).toBe('saved')
  })

  test('finds everyone with a value in a field, says how many have it, and moves them all to another', async ({
    onTestFinished,
  }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    await changing.keepLists()
    const companies = await changing.companies()
    const asked = { connectionId: CONNECTION_ID, object: LIST }
    expect(value(await person.call('multiCompanyChanges.fields', asked)).paths).toContain('Terms')
    /** The terms of each record, according to the service. */
    const termsIn = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
      const ids = new Map<string, string[]>()
      for (const { ref } of companies) {
        for (const [id, record] of await changing.books(ref)) {
          const name = nameOf(record['Terms'])
          ids.set(name, [...(ids.get(name) ?? []), `${ref.endpointId} ${id}`])
        }
      }
      return ids
    }
    const before = await termsIn()
    const { values, isMore } = value(
      await person.call('multiCompanyChanges.values', { ...asked, path: 'Terms' }),
    )
    expect(isMore).toBe(false)
    expect(values.map((each) => each.count)).toEqual(
      values.map((each) => each.count).toSorted((a, b) => b - a),
    )
    expect(new Map(values.map((each) => [nameOf(each.value), each.count]))).toEqual(
      new Map([...before].map(([name, ids]) => [name, ids.length])),
    )
    const wanted = values.find((each) => nameOf(each.value) === 'Net 60')
    if (wanted === undefined) throw new Error('No one is on Net 60.')
    const criteria = { by: 'value', path: 'Terms', value: wanted.value } as const
    const compared = await changing.compare(LIST, criteria)
    const found = compared.flatMap(({ company, records }) =>
      records.map(({ recordId }) => `${company.endpointId} ${recordId}`),
    )
    expect(found.toSorted()).toEqual(before.get('Net 60')?.toSorted())
    expect(wanted.companies).toBe(compared.filter(({ records }) => records.length > 0).length)

    const change = value(
      await person.call('multiCompanyChanges.draft', {
        ...{ ...asked, path: 'Terms', now: { ID: '', FullName: 'Net 30' } },
        picks: compared.map(({ company, records }) => ({
          endpointId: company.endpointId,
          recordIds: records.map(({ recordId }) => recordId),
        })),
      }),
    )
    // Records with a draft make room for others.
    expect((await changing.compare(LIST, criteria)).flatMap(({ records }) => records)).toEqual([])
    await changing.send(change)
    await changing.atRest(change.changeId)
    const after = await termsIn()
    expect(after.get('Net 60')).toBeUndefined()
    expect(after.get('Net 30')?.toSorted()).toEqual(
      [...(before.get('Net 60') ?? []), ...(before.get('Net 30') ?? [])].toSorted(),
    )
    // The copies have the change, too.
    const left = value(await person.call('multiCompanyChanges.values', { ...asked, path: 'Terms' })).values
    expect(left.map((each) => nameOf(each.value))).not.toContain('Net 60')
    // A yes or no, and fields that no one filled in.
    for (const path of ['IsActive', 'Suffix', 'BillingAddress.State']) {
      const told = value(await person.call('multiCompanyChanges.values', { ...asked, path })).values
      const total = [...before.values()].flat().length
      expect(told.reduce((sum, each) => sum + each.count, 0)).toBe(total)
    }
  })

  test('leaves out a company whose kept list lacks the new value, and says where no one knows', async ({
    onTestFinished,
  }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    const [first] = await changing.companies()
    if (first === undefined) throw new Error('There is no company.')
    await changing.keepLists()
    await changing.keepLists('terms', [first.ref])
    const companies = await changing.compare()
    const draft = async (name: string, at: number): Promise<ShownChange> => {
      const picks = companies.flatMap(({ company: { endpointId }, records }) => {
        const recordIds = records.slice(at, at + 1).map(({ recordId }) => recordId)
        return recordIds.length === 0 ? [] : [{ endpointId, recordIds }]
      })
      return value(
        await person.call('multiCompanyChanges.draft', {
          ...{ connectionId: CONNECTION_ID, object: LIST, path: 'Terms', picks },
          now: { ID: '', FullName: name },
        }),
      )
    }
    const lacking = await draft('Net 17', 0)
    const reasonsOf = ({ leftOut }: ShownChange): readonly string[] =>
      leftOut.map(({ endpointId, recordName, reason }) => [endpointId, recordName, reason].join('|'))
    const [reason, ...others] = reasonsOf(lacking)
    expect(
      reason?.startsWith(`${first.ref.endpointId}||Its list terms has no “Net 17”. If it was added`),
    ).toBe(true)
    expect(others).toEqual([])
    expect(lacking.items.length).toBeGreaterThan(0)
    for (const { endpointId, warning } of lacking.items) {
      expect(endpointId).not.toBe(first.ref.endpointId)
      expect(warning).toBe(
        'Bookbridge doesn’t know whether the list terms has “Net 17”. The change may be refused.',
      )
    }
    // A similar name is suggested.
    const alike = await draft('Net15', 1)
    expect(reasonsOf(alike)).toHaveLength(1)
    expect(reasonsOf(alike)[0]).toContain('has no “Net15”. It has “Net 15”.')
    const known = await draft('net 15', 2)
    expect(known.leftOut).toEqual([])
    expect(known.items.find(({ endpointId }) => endpointId === first.ref.endpointId)?.warning).toBe('')
  })

  test('names references by their full name, and sets only a name that has one meaning', async ({
    onTestFinished,
  }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    const [first] = await changing.companies()
    if (first === undefined) throw new Error('There is no company.')
    const { endpointId } = first.ref
    const answer = (object: string, records: readonly RecordData[]): void => {
      const Contents = records.map((record) => ({ Object: record, Errors: null, Kind: object }))
      const text = JSON.stringify({ HasErrors: false, RequestId: 'req-list', Contents, Errors: null })
      server.addFaults({
        match: { method: 'GET', path: `${endpointId}/${object}` },
        times: 0,
        fault: { kind: 'body', text, status: 200 },
      })
    }
    const named = (ID: string, FullName: string, more: RecordData = {}): RecordData => ({
      ...{ ID, FullName, Name: FullName.split(':').at(-1), IsActive: 'true' },
      ...more,
    })
    answer('terms', [named('t1', 'East:Net 60'), named('t2', 'West:Net 60')])
    answer(LIST, [named('1', 'Alder', { Terms: { ID: 't1' } }), named('2', 'Birch', { Terms: { ID: 't2' } })])
    for (const object of [LIST, 'terms']) await changing.keepLists(object, [first.ref])
    const asked = { connectionId: CONNECTION_ID, object: LIST, path: 'Terms' }
    const { values } = value(await person.call('multiCompanyChanges.values', asked))
    expect(values.map((each) => nameOf(each.value)).toSorted()).toEqual(['East:Net 60', 'West:Net 60'])
    const leftOut = async (name: string): Promise<readonly string[]> => {
      const picks = [{ endpointId, recordIds: ['1', '2'] }]
      const drafted = await person.call('multiCompanyChanges.draft', {
        ...{ ...asked, picks, now: { ID: '', FullName: name } },
      })
      return drafted.ok
        ? drafted.value.leftOut.map(({ recordName, reason }) => `${recordName}: ${reason}`)
        : (drafted.error.details.more ?? [])
    }
    expect(await leftOut('Net 60')).toEqual([
      expect.stringContaining('more than one “Net 60”: “East:Net 60” and “West:Net 60”. Set one of them.'),
    ])
    // An ID that means the new value already needs no change.
    expect(await leftOut('East:Net 60')).toEqual(['Alder: It already has this value.'])
  })

  test('by a list name: says who lacks it and who differs, and loses and doubles nothing when stopped midway', async ({
    onTestFinished,
  }) => {
    const { person, server } = await startWorld(onTestFinished)
    const changing = new Changing(person.call, server)
    const [lacking, differing, ...others] = (await changing.companies()).map(({ ref }) => ref)
    if (lacking === undefined || differing === undefined) throw new Error('There are two companies at least.')
    expect(others.length).toBeGreaterThan(0)
    const net60 = async (company: CompanyRef): Promise<RecordData | undefined> =>
      (await booksOf(server, company, 'terms')).find(({ Name }) => Name === 'Net 60')
    const idIn = async (company: CompanyRef): Promise<string> => textOf((await net60(company))?.['ID'])
    await editElsewhere(server, lacking, 'terms', [{ ID: await idIn(lacking), Name: 'Net sixty' }])
    await editElsewhere(server, differing, 'terms', [{ ID: await idIn(differing), DueDays: '61' }])
    await changing.keepLists()
    await changing.keepLists('terms')

    const compared = await changing.compare('terms', { by: 'name', text: 'net 60' })
    const daysIn = new Map(
      compared.map(({ company, records }) => [
        company.endpointId,
        records.map(({ record }) => textOf(record['DueDays'])),
      ]),
    )
    expect(compared.every(({ readAt }) => readAt !== null)).toBe(true)
    expect(daysIn).toEqual(
      new Map<string, readonly string[]>([
        [lacking.endpointId, []],
        [differing.endpointId, ['61']],
        ...others.map(({ endpointId }) => [endpointId, ['60']] as const),
      ]),
    )

    const writes = new Writes(server)
    /** Drafts it, stops it while the first request is on its way, and continues. */
    const stoppedMidway = async (
      what: Pick<ShownChange, 'object' | 'path' | 'now'>,
      records: Awaited<ReturnType<Changing['compare']>>,
      most: number,
    ): Promise<ShownChange> => {
      const picks = records.flatMap(({ company: { endpointId }, records: found }) => {
        const recordIds = found.slice(0, most).map(({ recordId }) => recordId)
        return recordIds.length === 0 ? [] : [{ endpointId, recordIds }]
      })
      const change = value(
        await person.call('multiCompanyChanges.draft', { connectionId: CONNECTION_ID, ...what, picks }),
      )
      server.control({ clearRequests: true })
      server.addFaults(SLOW_WRITES)
      await changing.sendFirst(change)
      value(await person.call('multiCompanyChanges.stop', { changeId: change.changeId }))
      const stopped = await changing.atRest(change.changeId)
      expect(stopped.state).toBe('stopped')
      const left = stopped.items.flatMap((item) => item.records).filter(({ state }) => state === 'draft')
      expect(left.length).toBeGreaterThan(0)
      server.control({ clearFaults: true })
      value(await person.call('multiCompanyChanges.resume', { changeId: change.changeId }))
      const ended = await changing.atRest(change.changeId)
      expect(ended.state).toBe('finished')
      writes.take()
      return ended
    }
    /** Each record with its outcome, how often it was sent, and what the books have. */
    const outcomes = async ({ items, object, path }: ShownChange, sent: string, shown = textOf) => {
      const found: string[] = []
      for (const { endpointId, records } of items) {
        const books = await booksOf(server, { connectionId: CONNECTION_ID, endpointId }, object)
        for (const { recordId, state } of records) {
          const record = books.find(({ ID }) => ID === recordId)
          const times = writes.of(endpointId, recordId, sent)
          found.push(`${endpointId}: ${state}, sent ${String(times)}, has ${shown(record?.[path])}`)
        }
      }
      return found
    }

    const days = await stoppedMidway({ object: 'terms', path: 'DueDays', now: '65' }, compared, 1)
    expect(days.items).toHaveLength(others.length + 1)
    expect(new Set((await outcomes(days, '65')).map((each) => each.replace(/^[^:]*: /, '')))).toEqual(
      new Set(['saved, sent 1, has 65']),
    )

    // The reference itself: the company without these terms is left out.
    const terms = { ID: '', FullName: 'Net 60' }
    const customers = (await changing.compare(LIST)).map((company) => ({
      ...company,
      records: company.records.filter(
        ({ isActive, record }) => isActive && nameOf(record['Terms']) !== 'Net 60',
      ),
    }))
    const change = await stoppedMidway({ object: LIST, path: 'Terms', now: terms }, customers, 3)
    const found = await outcomes(change, 'Net 60', nameOf)
    expect(found.length).toBeGreaterThan(others.length)
    for (const each of found) expect(each).toMatch(/: saved, sent 1, has Net 60$/)
    const leftOut = change.leftOut.filter(({ reason }) => reason.includes('has no “Net 60”'))
    expect(leftOut.map(({ endpointId }) => endpointId)).toEqual([lacking.endpointId])
    expect(change.items.map(({ endpointId }) => endpointId)).not.toContain(lacking.endpointId)
    expect(server.counters().mostAtOnce).toBeLessThan(2)
  })
})

/** The name in a reference. */
function nameOf(reference: unknown): string {
  return textOf((reference as RecordData | undefined)?.['FullName'])
}
