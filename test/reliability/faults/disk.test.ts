/**
 * A full disk, a locked folder, and a file that another program has locked: nothing is sent without being journaled.
 */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { value } from '../../result.ts'
import { fillDisk, freeDisk, mountSmallDisk } from '../../small-disk.ts'
import { KillableCore } from '../kills/killable.ts'
import { CONNECTION_ID, makeCore } from '../world/core-parts.ts'
import { NO_VIOLATIONS } from '../world/ledger.ts'
import { pause, Person } from '../world/person.ts'
import { type AtEnd, callerOf, emptyFolder, startWorld, type World } from '../world/world.ts'

/** Windows has no such permissions of folders. */
const onRights = test.skipIf(process.platform === 'win32')
/** An administrator may write anywhere. With these, only where the folder's permissions allow it. */
const AS_ANYBODY =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all']
    : []

/** More than SQLite's log grows to before it is moved into the file. */
const DISK = '16m'

/** A separate file system that is small enough to fill; `null` if this account may not create one. */
function smallDisk(atEnd: AtEnd, size: typeof DISK): string | null {
  const folder = join(emptyFolder(atEnd), 'disk')
  const unmount = mountSmallDisk(folder, size)
  if (unmount === null) return null
  atEnd(unmount)
  return folder
}

function writes({ server }: World): number {
  return server.counters().requests.filter(({ method }) => method !== 'GET').length
}

/** Waits until no write has arrived for a while, because failed rechecks are repeated forever. */
async function quiet(world: World): Promise<number> {
  for (let before = -1; before !== writes(world);) {
    before = writes(world)
    await pause(250)
  }
  return writes(world)
}

async function drafts(world: World, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < count; number += 1) {
    ids.push(await world.ledger.insert(world.person, `d${number}`, `Full, ${number}`, `777-${number}`))
  }
  return ids
}

async function expectNoViolations(world: World): Promise<void> {
  const { violations, findings } = await world.ledger.compare(world.person)
  expect({ violations, findings }).toEqual({ violations: NO_VIOLATIONS, findings: [] })
}

describe('the disk becomes full during a batch', () => {
  test('nothing is sent that is not written down; once there is space, everything arrives once', async (context) => {
    const folder = smallDisk(context.onTestFinished, DISK)
    if (folder === null) {
      context.skip('this account may not mount a file system of its own')
      return
    }
    const world = await startWorld(context.onTestFinished, { folder, server: { latencyMs: 15 } })
    const { person, server } = world
    const draftIds = await drafts(world, 60)
    value(await person.call('settings.set', { batchSize: 1 }))
    world.ledger.allowSend(draftIds)
    value(await person.send(draftIds))
    for (let tries = 0; tries < 2_000 && writes(world) < 10; tries += 1) await pause(1)
    fillDisk(folder)
    const sent = await quiet(world)
    expect(sent).toBeLessThan(60)
    // The user tries while the disk is still full: there is a message, and nothing is sent.
    const [batch] = await person.batches()
    expect(batch).toMatchObject({ phase: 'paused', error: { kind: 'store' } })
    expect(batch?.error?.message).toContain('disk is full')
    expect(batch?.unsent).toBeGreaterThan(0)
    const resumed = await person.call('records.resumeBatch', { batchId: batch?.batchId ?? '' })
    await quiet(world)
    if (!resumed.ok) expect(resumed.error).toMatchObject({ kind: 'store' })
    expect(writes(world)).toBe(sent)
    const answered = server.counters().requests.filter(({ method }) => method !== 'GET')
    expect(new Set(answered.map(({ body }) => body)).size).toBe(sent)

    freeDisk(folder)
    for (let round = 0; round < 3; round += 1) {
      await person.checkNow(
        (await person.operations()).filter(({ state }) => state === 'unknown' || state === 'sending'),
      )
      value(await person.call('records.resumeBatch', { batchId: batch?.batchId ?? '' }))
      await person.settle()
    }
    expect(new Set((await person.operations()).map(({ state }) => state))).toEqual(new Set(['acked']))
    expect(writes(world)).toBe(60)
    await expectNoViolations(world)
  })

  test('a change in several companies stops with a message, and continues once there is space', async (context) => {
    const folder = smallDisk(context.onTestFinished, DISK)
    if (folder === null) {
      context.skip('this account may not mount a file system of its own')
      return
    }
    const world = await startWorld(context.onTestFinished, { folder, server: { latencyMs: 15 } })
    const { person, server, running } = world
    value(await person.call('settings.set', { batchSize: 1 }))
    const { companies } = value(await person.call('companies.list', { connectionId: CONNECTION_ID }))
    const refs = companies.filter(({ isActive, isListed }) => isActive && isListed).map(({ ref }) => ref)
    const lists = refs.map(({ endpointId }) => ({ endpointId, object: 'customer' }))
    await person.keepLists(lists)
    const criteria = { by: 'text', text: '415' } as const
    const asked = { connectionId: CONNECTION_ID, object: 'customer' }
    const compared = value(await person.call('multiCompanyChanges.compare', { ...asked, criteria })).companies
    const draft = async () => {
      const picks = compared.flatMap(({ company, records }) => {
        const free = records.filter(({ blockedReason, isActive }) => blockedReason === '' && isActive)
        const recordIds = free.slice(0, 6).map(({ recordId }) => recordId)
        return recordIds.length === 0 ? [] : [{ endpointId: company.endpointId, recordIds }]
      })
      return value(
        await person.call('multiCompanyChanges.draft', {
          ...asked,
          path: 'Phone',
          now: '(999) 000-0001',
          picks,
        }),
      )
    }
    const change = await draft()
    const all = change.items.flatMap(({ records }) => records)
    const { changeId } = change
    server.control({ clearRequests: true })
    value(
      await person.call('multiCompanyChanges.send', {
        changeId,
        draftIds: all.map(({ draftId }) => draftId),
      }),
    )
    for (let tries = 0; tries < 2_000 && writes(world) < 8; tries += 1) await pause(1)
    fillDisk(folder)
    const sent = await quiet(world)
    expect(sent).toBeLessThan(all.length)
    const shown = async () =>
      value(await person.call('multiCompanyChanges.list', { connectionId: CONNECTION_ID })).find(
        (each) => each.changeId === changeId,
      )
    for (let tries = 0; tries < 500 && (await shown())?.state === 'running'; tries += 1) await pause(10)
    expect((await shown())?.state).toBe('stopped')

    freeDisk(folder)
    for (let round = 0; round < 5 && (await shown())?.state !== 'finished'; round += 1) {
      value(await person.call('multiCompanyChanges.resume', { changeId }))
      for (let tries = 0; tries < 1_000 && (await shown())?.state === 'running'; tries += 1) await pause(10)
      await person.settle()
    }
    const ended = await shown()
    expect(ended?.state).toBe('finished')
    expect(new Set(ended?.items.flatMap(({ records }) => records.map(({ state }) => state)))).toEqual(
      new Set(['saved']),
    )
    const written = server.counters().requests.filter(({ method }) => method !== 'GET')
    expect(new Set(written.map(({ path, body }) => `${path} ${body}`)).size).toBe(written.length)
    expect(written).toHaveLength(all.length)
    // Only what the log of requests lacks is reported.
    expect(running.defects.filter((defect) => !defect.includes('disk is full'))).toEqual([])
    value(await person.call('multiCompanyChanges.remove', { changeId }))
  })

  test('full from the first moment: the draft is rejected with a message, and nothing is sent', async (context) => {
    const folder = smallDisk(context.onTestFinished, DISK)
    if (folder === null) {
      context.skip('this account may not mount a file system of its own')
      return
    }
    const world = await startWorld(context.onTestFinished, { folder })
    const draftIds = await drafts(world, 3)
    fillDisk(folder)
    const long = 'x'.repeat(60_000)
    const edits = [{ path: 'Name', was: null, now: long }]
    const saved = await world.person.saveDraft({
      draftId: 'long',
      kind: 'insert',
      recordId: '',
      before: {},
      edits,
    })
    expect(saved).toMatchObject({ ok: false, error: { kind: 'store' } })
    if (!saved.ok) expect(saved.error.message).toContain('disk is full')
    // Reading works.
    expect(await world.person.read()).toMatchObject({ ok: true, value: { count: 30, isWhole: true } })
    expect((await world.person.drafts()).map(({ draftId }) => draftId).toSorted()).toEqual(draftIds)
    expect(writes(world)).toBe(0)
  })
})

describe('the file can’t be used', () => {
  test('a second start on the same folder says so, sends nothing, and damages nothing', async (context) => {
    const world = await startWorld(context.onTestFinished)
    const draftIds = await drafts(world, 2)
    const second = await KillableCore.begin(world.plan)
    expect(second).toMatchObject({ ok: false, error: { kind: 'store' } })
    if (!second.ok) expect(second.error.message).toContain('Another Bookbridge is using this folder')
    expect((await world.person.drafts()).map(({ draftId }) => draftId).toSorted()).toEqual(draftIds)
  })

  test('another program locks the file before the start: there is a message, and nothing is set aside', (context) => {
    const folder = emptyFolder(context.onTestFinished)
    const path = join(folder, 'bookbridge.sqlite')
    const other = new DatabaseSync(path)
    other.exec('PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE theirs (a); BEGIN EXCLUSIVE')
    const plan = { userData: folder, settings: {}, beginsAt: Date.now(), factor: 1, saved: null }
    expect(makeCore(plan)).toMatchObject({ ok: false, error: { kind: 'store' } })
    expect(readdirSync(folder).some((name) => name.includes('damaged'))).toBe(false)
    other.close()
  })

  test('a damaged file is set aside with a notice, and reading works', async (context) => {
    const folder = emptyFolder(context.onTestFinished)
    writeFileSync(join(folder, 'bookbridge.sqlite'), 'this was a database once '.repeat(400))
    const world = await startWorld(context.onTestFinished, { folder })
    expect(await world.running.core.handlers['app.about']({})).toMatchObject({
      ok: true,
      value: { notices: [{ kind: 'store' }] },
    })
    expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true)
    expect(await world.person.read()).toMatchObject({ ok: true, value: { count: 30 } })
    const draftIds = await drafts(world, 1)
    world.ledger.allowSend(draftIds)
    value(await world.person.send(draftIds))
    await world.person.settle()
    expect(await world.person.operations()).toMatchObject([{ state: 'acked' }])
    await expectNoViolations(world)
  })

  onRights(
    'a folder that cannot be written to is an error in words at the start',
    async ({ onTestFinished }) => {
      const userData = join(emptyFolder(onTestFinished), 'locked')
      mkdirSync(userData)
      chmodSync(userData, 0o500)
      const plan = { userData, settings: {}, beginsAt: Date.now(), factor: 1, saved: null }
      const begun = await KillableCore.begin(plan, { through: AS_ANYBODY })
      expect(begun).toMatchObject({ ok: false, error: { kind: 'store' } })
      expect(readdirSync(userData)).toEqual([])
    },
  )

  onRights(
    'a folder that is locked after the start: what is open is written on, nothing is lost',
    async (context) => {
      const world = await startWorld(context.onTestFinished)
      await world.running.core.close()
      chmodSync(world.plan.userData, 0o500)
      context.onTestFinished(() => {
        chmodSync(world.plan.userData, 0o700)
      })
      const saved = { address: world.server.url, key: world.server.key }
      const begun = await KillableCore.begin({ ...world.plan, saved }, { through: AS_ANYBODY })
      expect(begun).toMatchObject({ ok: false, error: { kind: 'store' } })
      expect(writes(world)).toBe(0)

      chmodSync(world.plan.userData, 0o700)
      const core = value(await KillableCore.begin({ ...world.plan, saved }, { through: AS_ANYBODY }))
      context.onTestFinished(() => core.kill())
      await core.start()
      const person = new Person(core.call)
      await person.openCompany()
      chmodSync(world.plan.userData, 0o500)
      const draftIds = [await world.ledger.insert(person, 'd1', 'Locked, 1', '777-1')]
      world.ledger.allowSend(draftIds)
      value(await person.send(draftIds))
      await person.settle()
      expect(await person.operations()).toMatchObject([{ state: 'acked' }])
      expect(await core.defects()).toEqual([])
      await world.ledger.compare(person).then(({ violations, findings }) => {
        expect({ violations, findings }).toEqual({ violations: NO_VIOLATIONS, findings: [] })
      })
    },
  )
})

test('changes that are unsent when the program ends are there at the next start', async (context) => {
  const world = await startWorld(context.onTestFinished)
  const draftIds = await drafts(world, 3)
  await world.running.core.close()
  const saved = { address: world.server.url, key: world.server.key }
  const again = value(makeCore({ ...world.plan, saved }))
  context.onTestFinished(() => again.core.close())
  again.core.start()
  const person = new Person(callerOf(again))
  await person.openCompany()
  await person.settle()
  expect(person.company.connectionId).toBe(CONNECTION_ID)
  expect((await person.drafts()).map(({ draftId }) => draftId).toSorted()).toEqual(draftIds)
  expect(writes(world)).toBe(0)
})
