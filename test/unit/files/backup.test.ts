/**
 * A backup contains everything that is stored except keys, and is restored completely or not at all: with a hostile,
 * damaged, older, or newer file, with a full disk, and if the program ends at any step.
 */
import * as files from 'node:fs'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { platform } from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { createBackup } from '../../../electron/app/program/backup.ts'
import { createSystemClock, createSystemRandom } from '../../../electron/clock.ts'
import { openSettings } from '../../../electron/shell/settings.ts'
import { finishRestore, KEPT_LISTS } from '../../../electron/store/backup/restore.ts'
import { SCHEMA_VERSION } from '../../../electron/store/schema.ts'
import { openStore, type Store } from '../../../electron/store/store.ts'
import type { RequestQueue, UnfinishedItem } from '../../../shared/contract/activity.ts'
import type { ReportRun } from '../../../shared/reports/runs.ts'
import { value } from '../../result.ts'
import { isDeep } from '../../seeds.ts'
import { standIn } from '../records/list/stand-in.ts'
import { COMPANY, storedCompany, testFolder, World } from '../writing/world.ts'
import { emptyDatabase, HIDDEN, hidden, lying, written, zipOf } from './hostile-backup.ts'

vi.mock('electron', () => {
  const nothing = { app: undefined, ipcMain: undefined, ipcRenderer: undefined, shell: undefined }
  return { ...nothing, default: nothing }
})
vi.mock('node:fs', async (original) => {
  const real = await original<typeof files>()
  return { ...real, renameSync: vi.fn(real.renameSync), rmSync: vi.fn(real.rmSync) }
})
const { renameSync: realRename, rmSync: realRemove } = await vi.importActual<typeof files>('node:fs')

/** From now on, the disk works. */
function revive(): void {
  vi.mocked(files.renameSync).mockImplementation(realRename)
  vi.mocked(files.rmSync).mockImplementation(realRemove)
}

afterEach(revive)

const CONNECTION = {
  connectionId: COMPANY.connectionId,
  name: 'Office',
  address: 'https://service.example',
  isSample: false,
  legacyAddress: '',
  settings: {},
}

const RUN: ReportRun = {
  runId: 'run-1',
  connectionId: CONNECTION.connectionId,
  title: 'Month end',
  createdAt: '2026-03-01T09:00:00.000Z',
  folder: '/home/somebody/Documents',
  state: 'stopped',
  error: null,
  companies: [],
  items: [
    {
      itemId: 'item-1',
      endpointId: COMPANY.endpointId,
      name: 'Profit and loss',
      offeredName: 'Profit and loss',
      state: 'done',
      error: null,
      files: ['../.profile'],
      fingerprints: ['1 2'],
      totals: 'agree',
      findings: 0,
      notes: [],
    },
  ],
  fileKinds: [],
  combined: false,
  pack: false,
  hideZeroRows: false,
  files: [],
}

/** A program on a world's folder. Its dialogs answer with `file`. */
function deskOf(world: World, file: string | null, queues: readonly RequestQueue[] = []) {
  const settings = openSettings(world.folder, createSystemClock())
  value(settings.store.setConnections([CONNECTION], CONNECTION.connectionId))
  const reopened: number[] = []
  const handlers = createBackup({
    userData: world.folder,
    program: { version: '1.2.3' },
    store: world.store,
    settings: settings.store,
    settingsFile: settings.file,
    scheduler: { queues: () => queues },
    dialog: { choose: () => Promise.resolve(file) },
    openDialog: { chooseBackup: () => Promise.resolve(file) },
    clock: world.clock,
    newId: () => createSystemRandom().id(),
    reopen: () => {
      reopened.push(1)
    },
  })
  return { handlers, settings, reopened }
}

/** A backup of what is here, with a database that someone has changed. */
async function withDatabase(world: World, change: (database: DatabaseSync) => void): Promise<string> {
  const path = join(testFolder(), 'changed.sqlite')
  await world.store.backup.copyTo(path)
  const changed = new DatabaseSync(path)
  change(changed)
  changed.close()
  return zipOf({ 'bookbridge.sqlite': readFileSync(path) })
}

/** The store of another computer on which a backup was restored. */
async function restored(file: string): Promise<Store> {
  const there = new World()
  const { handlers } = deskOf(there, file)
  const chosen = value(await handlers['backup.choose']({}))
  value(await handlers['backup.restore']({ restoreId: chosen?.restoreId ?? '' }))
  there.end()
  finishRestore(there.folder)
  return new World({ folder: there.folder }).store
}

/** A world with a sent record, a draft, a label, and a report set. */
async function workedWorld(): Promise<World> {
  const world = new World()
  world.store.companies.put(storedCompany({ label: 'Alder, our label' }))
  const id = world.service.add('customer', { Name: 'Cedar', Phone: '555-1' })
  await world.sendAndSettle([world.draftChange(id, { Phone: '555-2' })])
  world.draftInsert({ Name: 'A new one' })
  return world
}

async function savedBackup(world: World, passphrase: string | null = null): Promise<string> {
  const file = join(testFolder(), 'backup.zip')
  const { handlers, settings } = deskOf(world, file)
  value(settings.store.set({ theme: 'dark', certificateFile: '/elsewhere/authority.pem' }))
  expect(value(await handlers['backup.save']({ passphrase }))).toMatchObject({ saved: true, path: file })
  return file
}

const EVERY_BATCH = { ...COMPANY, object: '', outcome: null, text: '', before: null, limit: 100 } as const

/** The data in our files that a backup must contain. */
function heldIn(folder: string) {
  const store = value(openStore(join(folder, 'bookbridge.sqlite'), { now: () => 0 }))
  const held = {
    label: store.companies.get(COMPANY)?.label,
    drafts: store.drafts.list(COMPANY, 'customer').map(({ edits }) => edits[0]?.now),
    sent: store.history.batches(EVERY_BATCH).flatMap(({ outcomes }) => [...outcomes.keys()]),
    times: store.history.batches(EVERY_BATCH).map(({ firstSentAt, lastSentAt }) => [firstSentAt, lastSentAt]),
    theme: openSettings(folder, createSystemClock()).store.get().theme,
  }
  store.close()
  return held
}

const WORKED = {
  ...{ label: 'Alder, our label', drafts: ['A new one'], sent: ['saved'], theme: 'dark' },
  times: [['2026-03-01T09:00:00.000Z', '2026-03-01T09:00:00.000Z']],
}

describe('a backup', () => {
  test('is one file with three parts, without a key, and leaves nothing else behind', async () => {
    const world = await workedWorld()
    mkdirSync(join(world.folder, KEPT_LISTS))
    writeFileSync(join(world.folder, KEPT_LISTS, 'customer.list'), 'Records that someone has read')
    const before = readdirSync(world.folder)
    const zip = await fromBufferPromise(readFileSync(await savedBackup(world)))
    const names: string[] = []
    for await (const entry of zip.eachEntry()) names.push(entry.fileName)
    // No kept list is in it: a backup can be read by anyone who has it.
    expect(names).toEqual(['manifest.json', 'settings.json', 'bookbridge.sqlite'])
    expect(readdirSync(world.folder).filter((name) => !before.includes(name))).toEqual(['settings.json'])
  })

  test.skipIf(platform === 'win32')('only its owner can read', async () => {
    const file = await savedBackup(await workedWorld())
    expect(files.statSync(file).mode & 0o777).toBe(0o600)
  })

  test('can be restored on another computer: labels, drafts, history, and settings, but not whom it trusts', async () => {
    const world = await workedWorld()
    const file = await savedBackup(world)
    const other = new World()
    const { handlers, reopened } = deskOf(other, file)
    const contents = value(await handlers['backup.choose']({}))
    expect(contents?.contents).toMatchObject({
      companies: 1,
      drafts: 1,
      sent: 1,
      connections: 1,
      program: '1.2.3',
    })
    expect(heldIn(testFolder()).drafts).toEqual([])
    value(await handlers['backup.restore']({ restoreId: contents?.restoreId ?? '' }))
    expect(reopened).toHaveLength(1)
    other.end()
    expect(finishRestore(other.folder)?.message).toBe('The backup was restored.')
    expect(heldIn(other.folder)).toEqual(WORKED)
    // Its drafts may have been sent since.
    const store = value(openStore(join(other.folder, 'bookbridge.sqlite'), { now: () => 0 }))
    expect(store.drafts.list(COMPANY, 'customer').map(({ isStale }) => isStale)).toEqual([true])
    expect(store.notices).toEqual([])
    store.close()
    expect(openSettings(other.folder, createSystemClock()).store.get().certificateFile).toBe('')
    expect(openSettings(other.folder, createSystemClock()).store.connections()).toEqual([CONNECTION])
  })

  test('adds nothing unknown to the settings', async () => {
    const world = new World()
    const theirs = {
      settings: { theme: 'dark', trusted: true },
      connections: [{ ...CONNECTION, command: 'rm' }],
      hooks: ['rm'],
    }
    const file = await zipOf({ 'settings.json': Buffer.from(JSON.stringify(theirs)) })
    value(await deskOf(world, file).handlers['backup.choose']({}))
    expect(JSON.parse(readFileSync(join(world.folder, 'restore', 'settings.json'), 'utf8'))).toEqual({
      settings: { theme: 'dark', historyDays: 365 },
      connections: [CONNECTION],
      currentConnectionId: CONNECTION.connectionId,
    })
  })

  test.each([
    [1, 365, 365],
    [undefined, 3_000, 3_000],
    [900, 30, 900],
  ])('with a retention of %s days never shortens the %i days here', async (theirs, here, days) => {
    const world = new World()
    const settings = theirs === undefined ? {} : { historyDays: theirs }
    const theirFile = JSON.stringify({ settings, connections: [CONNECTION] })
    const { handlers, settings: ours } = deskOf(
      world,
      await zipOf({ 'settings.json': Buffer.from(theirFile) }),
    )
    value(ours.store.set({ historyDays: here }))
    value(await handlers['backup.choose']({}))
    const taken: unknown = JSON.parse(readFileSync(join(world.folder, 'restore', 'settings.json'), 'utf8'))
    expect(taken).toMatchObject({ settings: { historyDays: days } })
  })

  test('sets aside what was here, unchanged, and keeps only one earlier version', async () => {
    const world = await workedWorld()
    const file = await savedBackup(world)
    world.store.companies.annotate(COMPANY, { label: 'renamed since' })
    let folder = world.folder
    for (const turn of [1, 2]) {
      const again = turn === 1 ? world : new World({ folder, service: world.service, clock: world.clock })
      folder = again.folder
      again.clock.time += 1_000
      const { handlers } = deskOf(again, file)
      const contents = value(await handlers['backup.choose']({}))
      value(await handlers['backup.restore']({ restoreId: contents?.restoreId ?? '' }))
      again.end()
      expect(finishRestore(folder)).not.toBeNull()
      const aside = readdirSync(folder).filter((name) =>
        /^bookbridge\.sqlite\.before-restore-.*Z$/.test(name),
      )
      expect(aside).toHaveLength(1)
      const held = readFileSync(join(folder, aside[0] ?? ''), 'latin1')
      expect(held.includes('renamed since')).toBe(turn === 1)
    }
    expect(finishRestore(folder), 'said once').toBeNull()
  })

  test('restores a report run without its folder and files, which another computer can’t choose', async () => {
    const world = await workedWorld()
    world.store.reportRuns.add(RUN)
    const file = await savedBackup(world)
    const store = await restored(file)
    const items = RUN.items.map((item) => ({ ...item, state: 'waiting', files: [], fingerprints: [] }))
    expect(store.reportRuns.all(), 'all of it is made again, in one folder').toEqual([
      { ...RUN, folder: '', items, files: [] },
    ])
  })

  test.each([
    ['with a state that no run has', { state: 'mine' }],
    ['with more than a run has to say', { items: 'all of them' }],
    ['under another name', { runId: 'another' }],
  ])('with a run %s is rejected', async (_what, wrong) => {
    const world = new World()
    world.store.reportRuns.add(RUN)
    const file = await withDatabase(world, (database) => {
      database.prepare('UPDATE report_runs SET value = ?').run(JSON.stringify({ ...RUN, ...wrong }))
    })
    const answer = await deskOf(world, file).handlers['backup.choose']({})
    expect(answer).toMatchObject({ ok: false, error: { kind: 'file' } })
  })

  test.each([
    ['a change of no record', `UPDATE drafts SET kind = 'change'`],
    ['a draft that isn’t JSON', `UPDATE drafts SET edits = 'all'`],
    ['a draft without anything in it', `UPDATE drafts SET edits = '[]'`],
    ['a draft of no company', `UPDATE drafts SET endpoint_id = ''`],
    ['a sent record in a state that doesn’t exist', `UPDATE operations SET state = 'ready'`],
    ['values that aren’t text', `UPDATE operations SET edits = '[{"path":"Name","was":null,"now":5}]'`],
    ['notes of another company', `UPDATE companies SET endpoint_id = 'another'`],
    [
      'a company that is always active',
      `UPDATE companies SET listing = json_set(listing, '$.isActive', 'yes')`,
    ],
    ['a time that is none', `UPDATE requests SET sent_at = 'soon'`],
    ['a set that is no list', `INSERT INTO report_sets VALUES ('mine', '{}', 1)`],
    [
      'a name longer than any screen shows',
      `UPDATE companies SET label = hex(zeroblob(2000)), notes = json_set(notes, '$.label', hex(zeroblob(2000)))`,
    ],
    ['another name than its notes have', `UPDATE companies SET label = 'Birch'`],
    [
      'a field that is changed twice',
      `UPDATE drafts SET edits = '[' || substr(edits, 2, length(edits) - 2) || ',' || substr(edits, 2)`,
    ],
    [
      'a record that nests without end',
      `UPDATE drafts SET before = '{"a":' || replace(hex(zeroblob(500)), '0', '[') || replace(hex(zeroblob(500)), '0', ']') || '}'`,
    ],
    ['a count to which nothing can be added', `UPDATE lineage SET sequence = ${String(2 ** 53 - 1)}`],
  ])('with %s is refused', async (_what, sql) => {
    const world = await workedWorld()
    const file = await withDatabase(world, (database) => {
      database.exec(sql)
    })
    const answer = await deskOf(world, file).handlers['backup.choose']({})
    expect(answer).toMatchObject({ ok: false, error: { kind: 'file' } })
  })

  test('leaves out drafts that were sent from here since, so that nothing is sent twice', async () => {
    const world = await workedWorld()
    const file = await savedBackup(world)
    const [draft] = world.drafts()
    await world.sendAndSettle([draft?.draftId ?? ''])
    const { handlers } = deskOf(world, file)
    expect(value(await handlers['backup.choose']({}))).toMatchObject({
      contents: { drafts: 0, draftsSentSince: 1 },
    })
  })

  test('leaves them out even if they were refused once before', async () => {
    const world = await workedWorld()
    const [draft] = world.drafts()
    world.service.refusal = () => 'Not like this.'
    await world.sendAndSettle([draft?.draftId ?? ''])
    world.service.refusal = () => null
    expect(world.states()).toEqual(['acked', 'rejected'])
    const file = await savedBackup(world)
    await world.sendAndSettle([draft?.draftId ?? ''])
    const { handlers } = deskOf(world, file)
    expect(value(await handlers['backup.choose']({}))).toMatchObject({
      contents: { drafts: 0, draftsSentSince: 1 },
    })
  })

  test('proves nothing about a service: what allows larger requests is learned again', async () => {
    const world = await workedWorld()
    const key = {
      connectionId: COMPANY.connectionId,
      application: 'qbd',
      object: 'customer',
      kind: 'change',
    } as const
    expect(world.store.journal.writePolicies.get(key)).toMatchObject({ isProven: true })
    const { writePolicies } = (await restored(await savedBackup(world))).journal
    expect(writePolicies.get(key)).toMatchObject({ stage: 0, isProven: false })
  })

  test('of an older program, or of a newer one, is rejected with a message', async () => {
    const world = await workedWorld()
    const old = emptyDatabase(SCHEMA_VERSION - 1)
    const older = [
      await zipOf({ 'bookbridge.sqlite': old }, { schema: SCHEMA_VERSION - 1 }),
      await zipOf({ 'bookbridge.sqlite': old }),
    ]
    for (const file of older) {
      const refused = await deskOf(world, file).handlers['backup.choose']({})
      expect(refused.ok ? '' : refused.error.message).toContain('older Bookbridge')
    }
    const strange = { 'settings.json': Buffer.from('[]'), 'bookbridge.sqlite': Buffer.from('not read') }
    const newer = await zipOf(strange, { schema: 99 })
    const lies = await zipOf({ 'bookbridge.sqlite': emptyDatabase(99) })
    for (const file of [newer, lies, await zipOf({}, { version: 2 })]) {
      const refused = await deskOf(world, file).handlers['backup.choose']({})
      expect(refused.ok ? '' : refused.error.message).toContain('newer Bookbridge')
    }
  })

  test('is refused while something is requested, sent, or not confirmed. Saving doesn’t wait for rechecks', async () => {
    const world = await workedWorld()
    const file = await savedBackup(world)
    const kindsRefused = async (kind: UnfinishedItem['kind']): Promise<readonly boolean[]> => {
      const item = { kind, companyName: 'Alder', count: 1 } as UnfinishedItem
      const store = { ...world.store, unfinished: { ...world.store.unfinished, list: () => [item] } }
      const handlers = deskOf(Object.assign(Object.create(world) as World, { store }), file).handlers
      return [
        (await handlers['backup.save']({ passphrase: null })).ok,
        (await handlers['backup.choose']({})).ok,
      ]
    }
    expect(await kindsRefused('queued')).toEqual([false, false])
    expect(await kindsRefused('sending')).toEqual([false, false])
    expect(await kindsRefused('not-confirmed')).toEqual([true, false])
    expect(await kindsRefused('provisioning')).toEqual([true, false])
    expect(await kindsRefused('draft')).toEqual([true, true])
    const queue = standIn<RequestQueue>({ connectionId: 'c1', running: {}, waiting: [] })
    const { handlers } = deskOf(world, file, [queue])
    expect((await handlers['backup.save']({ passphrase: null })).ok).toBe(false)
    expect((await handlers['backup.choose']({})).ok).toBe(false)
  })

  test('doesn’t replace a newer program’s file that can’t be read here, because what was sent is unknown', async () => {
    const world = await workedWorld()
    const file = await savedBackup(world)
    world.end()
    const path = join(world.folder, 'bookbridge.sqlite')
    const newer = new DatabaseSync(path)
    newer.exec(`ALTER TABLE operations RENAME COLUMN draft_id TO draft_key`)
    newer.exec(`PRAGMA user_version = ${String(SCHEMA_VERSION + 1)}`)
    newer.close()
    const store = value(openStore(path, { now: () => 0 }))
    const { handlers } = deskOf(Object.assign(Object.create(world) as World, { store }), file)
    const refused = await handlers['backup.choose']({})
    store.close()
    expect(refused.ok ? '' : refused.error.message).toContain(
      'The data on this computer was saved by a newer',
    )
  })

  test('that was being saved when the program ended leaves no copy of the data', async () => {
    const world = await workedWorld()
    const left = join(world.folder, 'backup-Xy12aB')
    files.mkdirSync(left)
    writeFileSync(join(left, 'bookbridge.sqlite'), 'all the books')
    world.end()
    expect(finishRestore(world.folder)).toBeNull()
    expect(existsSync(left)).toBe(false)
    expect(heldIn(world.folder).label).toBe('Alder, our label')
  })

  test('can’t be restored twice, or after it was canceled', async () => {
    const world = await workedWorld()
    const { handlers } = deskOf(world, await savedBackup(world))
    const contents = value(await handlers['backup.choose']({}))
    value(await handlers['backup.forget']({}))
    expect((await handlers['backup.restore']({ restoreId: contents?.restoreId ?? '' })).ok).toBe(false)
    world.end()
    expect(finishRestore(world.folder)).toBeNull()
  })
})

describe('a sealed backup', () => {
  const PASSPHRASE = 'Zwölf Ähren im Wind'
  const HELD = { companies: 1, drafts: 1, sent: 1 }
  /** Each derives a key, which is slow by design. */
  const CHANGES = isDeep ? 12 : 4

  test('contains no readable data, and opens only with its passphrase, however that is typed', async () => {
    const world = await workedWorld()
    const file = await savedBackup(world, PASSPHRASE)
    const bytes = readFileSync(file)
    for (const word of ['Alder', 'Cedar', 'service.example', 'SQLite format', 'manifest', PASSPHRASE]) {
      expect(bytes.includes(word), word).toBe(false)
    }
    const other = new World()
    const { handlers } = deskOf(other, file)
    const chosen = value(await handlers['backup.choose']({}))
    expect(chosen).toMatchObject({ fileName: 'backup.zip', contents: null })
    const restoreId = chosen?.restoreId ?? ''
    expect((await handlers['backup.restore']({ restoreId })).ok, 'nothing is known of it yet').toBe(false)
    const wrong = await handlers['backup.unseal']({ restoreId, passphrase: PASSPHRASE.toLowerCase() })
    expect(wrong).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
    expect(existsSync(join(other.folder, 'restore'))).toBe(false)
    const typed = ` ${PASSPHRASE.normalize('NFD')} `
    const contents = value(await handlers['backup.unseal']({ restoreId, passphrase: typed }))
    expect(contents).toMatchObject(HELD)
    expect(readdirSync(join(other.folder, 'restore')).toSorted()).toEqual([
      'bookbridge.sqlite',
      'settings.json',
    ])
    value(await handlers['backup.restore']({ restoreId }))
    other.end()
    finishRestore(other.folder)
    expect(heldIn(other.folder)).toEqual(WORKED)
    expect(files.statSync(file).mode & 0o777).toBe(0o600)
  })

  test('that was changed anywhere is rejected, or has the same content', async () => {
    const world = await workedWorld()
    const good = readFileSync(await savedBackup(world, PASSPHRASE))
    let refused = 0
    for (let at = 20; at < good.length; at += Math.ceil(good.length / CHANGES)) {
      const changed = Buffer.from(good)
      changed[at] = (changed[at] ?? 0) ^ 0x41
      const { handlers } = deskOf(world, written(changed))
      const chosen = await handlers['backup.choose']({})
      if (!chosen.ok) {
        refused += 1
        continue
      }
      const { restoreId = '' } = chosen.value ?? {}
      const answer = await handlers['backup.unseal']({ restoreId, passphrase: PASSPHRASE })
      if (answer.ok) expect(answer.value, `byte ${String(at)}`).toMatchObject(HELD)
      else expect(existsSync(join(world.folder, 'restore'))).toBe(false)
      refused += answer.ok ? 0 : 1
    }
    // Bytes without effect, such as a time in the zip, may change.
    expect(refused).toBeGreaterThan(CHANGES / 2)
  })
})

describe('a hostile or damaged file', () => {
  test('is rejected, whatever is wrong with it, and leaves nothing behind', async () => {
    const world = await workedWorld()
    const good = readFileSync(await savedBackup(world))
    const database = emptyDatabase()
    const trigger = emptyDatabase(SCHEMA_VERSION, [
      'CREATE TRIGGER mine AFTER INSERT ON drafts BEGIN DELETE FROM operations; END',
    ])
    const view = emptyDatabase(SCHEMA_VERSION, ['CREATE VIEW mine AS SELECT * FROM drafts'])
    const hiding: Record<string, string> = {}
    for (const [what, made] of HIDDEN) {
      const bytes = emptyDatabase(SCHEMA_VERSION, hidden(made))
      hiding[`hidden as SQLite’s own: ${what}`] = await zipOf({ 'bookbridge.sqlite': bytes })
    }
    const hostile: Readonly<Record<string, string>> = {
      'no zip': written(Buffer.from('not a zip')),
      'cut off': written(good.subarray(0, good.length - 100)),
      'one part more': await zipOf({ 'evil.txt': Buffer.from('x') }),
      'a name that leads elsewhere': await zipOf({ '../evil.txt': Buffer.from('x') }, {}, true),
      'no settings': await zipOf({ 'settings.json': null }),
      'no database': await zipOf({ 'bookbridge.sqlite': null }),
      'no manifest': await zipOf({ 'manifest.json': null }),
      'a manifest that lies about a size': await zipOf({}, { parts: lying({ bytes: 3 }) }),
      'a manifest that lies about a checksum': await zipOf({}, { parts: lying({ sha256: '0'.repeat(64) }) }),
      'a manifest as large as a zip bomb': await zipOf({ 'manifest.json': Buffer.alloc(1024 * 1024, ' ') }),
      'a size past all bounds': await zipOf({}, { parts: lying({ bytes: 5 * 1024 ** 3 }) }),
      'another program’s': await zipOf({}, { format: 'another' }),
      'settings that are a list': await zipOf({ 'settings.json': Buffer.from('[]') }),
      'a setting that makes no sense': await zipOf({
        'settings.json': Buffer.from('{"settings":{"theme":"purple"}}'),
      }),
      'two connections under one ID': await zipOf({
        'settings.json': Buffer.from(JSON.stringify({ connections: [CONNECTION, CONNECTION] })),
      }),
      'a connection with a name without end': await zipOf({
        'settings.json': Buffer.from(
          JSON.stringify({ connections: [{ ...CONNECTION, name: 'x'.repeat(100_000) }] }),
        ),
      }),
      'a time without end': await zipOf({}, { madeAt: `2026-03-01T09:00:00.${'0'.repeat(10_000)}Z` }),
      'no SQLite': await zipOf({ 'bookbridge.sqlite': Buffer.from('SQLite? '.repeat(1_000)) }),
      'a trigger of somebody': await zipOf({ 'bookbridge.sqlite': trigger }),
      'a view of somebody': await zipOf({ 'bookbridge.sqlite': view }),
      ...hiding,
      'pages overwritten': await zipOf({
        'bookbridge.sqlite': database.map((byte, index) => (index > 4_500 && index < 20_000 ? 0x5a : byte)),
      }),
    }
    for (const [what, file] of Object.entries(hostile)) {
      const answer = await deskOf(world, file).handlers['backup.choose']({})
      expect(answer.ok, what).toBe(false)
      expect(answer.ok ? '' : `${answer.error.message} ${answer.error.advice}`, what).toContain('Nothing was')
      expect(existsSync(join(world.folder, 'restore')), what).toBe(false)
    }
    world.end()
    expect(heldIn(world.folder)).toMatchObject({ label: 'Alder, our label', sent: ['saved'] })
  })

  test('with any byte changed is rejected, or has the same content', async () => {
    const world = await workedWorld()
    const good = readFileSync(await savedBackup(world))
    const expected = value(await deskOf(world, written(good)).handlers['backup.choose']({}))
    for (let at = 0; at < good.length; at += Math.ceil(good.length / 60)) {
      const changed = Buffer.from(good)
      changed[at] = (changed[at] ?? 0) ^ 0x41
      const answer = await deskOf(world, written(changed)).handlers['backup.choose']({})
      if (answer.ok) {
        expect(answer.value?.contents, `byte ${String(at)}`).toEqual(expected?.contents)
      }
    }
  })
})

describe('ending the program at any step of a restore', () => {
  /** A folder with a scheduled restore, after the program has closed its files. */
  async function decided(): Promise<string> {
    const file = await savedBackup(await workedWorld())
    const other = new World()
    other.store.companies.put(storedCompany({ label: 'what was here' }))
    const { handlers } = deskOf(other, file)
    const contents = value(await handlers['backup.choose']({}))
    value(await handlers['backup.restore']({ restoreId: contents?.restoreId ?? '' }))
    other.end()
    return other.folder
  }

  /**
   * Renames fail from the nth on: forever, as if the program died, or once, as if another program has the file open.
   */
  function failing(nth: number, forEver: boolean): void {
    let calls = 0
    vi.mocked(files.renameSync).mockImplementation((from, to) => {
      calls += 1
      if (forEver ? calls >= nth : calls === nth) throw new Error('EBUSY')
      realRename(from, to)
    })
    // A dead program doesn't delete anything either.
    if (forEver) {
      vi.mocked(files.rmSync).mockImplementation(() => {
        throw new Error('dead')
      })
    }
  }

  test('leaves a restore that the next start finishes', async () => {
    for (const nth of [1, 2, 3, 4]) {
      const folder = await decided()
      failing(nth, true)
      expect(() => finishRestore(folder)).toThrow()
      revive()
      finishRestore(folder)
      const { label, theme } = heldIn(folder)
      expect([label, theme], `ended at ${String(nth)}`).toEqual([WORKED.label, WORKED.theme])
    }
  })

  test('and a file that is held open at the next start never mix the data of one with the settings of the other', async () => {
    for (const nth of [1, 2, 3, 4]) {
      const folder = await decided()
      failing(nth, true)
      expect(() => finishRestore(folder)).toThrow()
      revive()
      failing(1, false)
      const said = finishRestore(folder)?.message
      revive()
      expect(said).toContain('everything is as it was')
      expect(finishRestore(folder)).toBeNull()
      const { label, theme } = heldIn(folder)
      expect([label, theme], `ended at ${String(nth)}`).toEqual(['what was here', 'system'])
    }
  })

  test('with a file held open leaves everything as it was, with a message', async () => {
    for (const nth of [1, 2, 3, 4]) {
      const folder = await decided()
      failing(nth, false)
      expect(finishRestore(folder)?.message).toContain('everything is as it was')
      revive()
      expect(finishRestore(folder), 'it is not tried again by itself').toBeNull()
      const { label, theme } = heldIn(folder)
      expect([label, theme], `failed at ${String(nth)}`).toEqual(['what was here', 'system'])
    }
  })
})
