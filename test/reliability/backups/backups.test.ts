/**
 * Backups with one random change each: rejected with a message, or restored and harmless. Harmless means: only our tables,
 * every call answers as the contract says, the next start sends nothing and writes no file, no draft is sent unasked, and
 * no run has a folder. `BOOKBRIDGE_DEEP=1` makes 10,000; a failing seed is in the message and runs alone with
 * `BOOKBRIDGE_SEED=n`.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBackup } from '../../../electron/app/program/backup.ts'
import { openSettings } from '../../../electron/shell/settings.ts'
import { finishRestore } from '../../../electron/store/backup/restore.ts'
import { ownTables, tablesOf } from '../../../electron/store/schema.ts'
import { openStore } from '../../../electron/store/store.ts'
import type { ReportRun } from '../../../shared/reports/runs.ts'
import { createEmptyStore } from '../../empty-store.ts'
import { value } from '../../result.ts'
import { isDeep, onlySeed } from '../../seeds.ts'
import { zipBytes, zipOf } from '../../unit/files/hostile-backup.ts'
import { databaseWithEveryTable } from '../../unit/store/every-table.ts'
import { seeded } from '../../unit/writing/random.ts'
import { COMPANY } from '../../unit/writing/world.ts'
import { inProcessFetch, seededRandom, VirtualClock } from '../../virtual-clock.ts'
import { makeCore } from '../world/core-parts.ts'
import { callCore } from '../world/core-process.ts'
import { emptyFolder } from '../world/world.ts'
import { formatFailure, MAX_FAILURES } from './failed-worlds.ts'
import { corruptBytes, mutateBackup, type Parts } from './mutations.ts'

vi.mock('electron', () => {
  const nothing = { app: undefined, ipcMain: undefined, ipcRenderer: undefined, shell: undefined }
  return { ...nothing, default: nothing }
})

const RUNS = isDeep ? 10_000 : 40

const { connectionId } = COMPANY
const SETTINGS = {
  settings: { theme: 'dark', columnStates: { customer: { order: ['Name'] } }, lastCompany: COMPANY },
  connections: [
    {
      connectionId,
      name: 'Office',
      address: 'https://service.example',
      isSample: false,
      legacyAddress: 'https://old.service.example',
      settings: { readSeconds: 60 },
    },
  ],
  currentConnectionId: connectionId,
}

async function wholeParts(): Promise<Parts> {
  return {
    database: await databaseWithEveryTable(),
    settings: Buffer.from(JSON.stringify(SETTINGS)),
    manifest: {},
  }
}

/** A computer with an empty Bookbridge, and a folder of another user beside its own. */
interface Computer {
  readonly home: string
  readonly userData: string
}

function newComputer(atEnd: (end: () => void) => void): Computer {
  const home = emptyFolder(atEnd)
  const userData = join(home, 'userData')
  mkdirSync(userData)
  mkdirSync(join(home, 'outside'))
  writeFileSync(join(home, 'outside', 'theirs.txt'), 'theirs')
  createEmptyStore(userData)
  return { home, userData }
}

/** Returns whether it was restored. Throws if a rejection has no message or leaves something behind. */
async function tryRestore({ userData }: Computer, file: string, clock: VirtualClock): Promise<boolean> {
  const settings = openSettings(userData, clock)
  const store = value(openStore(join(userData, 'bookbridge.sqlite'), { now: () => clock.now() }))
  try {
    const backup = createBackup({
      userData,
      program: { version: '1.2.3' },
      store,
      settings: settings.store,
      settingsFile: settings.file,
      scheduler: { queues: () => [] },
      dialog: { choose: () => Promise.resolve(null) },
      openDialog: { chooseBackup: () => Promise.resolve(file) },
      clock,
      newId: () => 'restore-1',
      reopen: () => undefined,
    })
    const chosen = await backup['backup.choose']({})
    if (!chosen.ok) {
      expect(chosen.error).toMatchObject({ kind: 'file', message: expect.stringMatching(/\w \w/) as string })
      expect(existsSync(join(userData, 'restore'))).toBe(false)
      return false
    }
    value(await backup['backup.restore']({ restoreId: 'restore-1' }))
    return true
  } finally {
    store.close()
  }
}

/** The program's own files in its folder. */
const OURS =
  /^(?:settings\.json|bookbridge\.sqlite(?:-wal|-shm|\.witness)?|running\.json|connections|(?:settings\.json|bookbridge\.sqlite)\.before-restore-[-\dTZ.]+)$/

/** The next start, and everything that a window requests then. */
async function assertHarmless({ home, userData }: Computer, seed: number): Promise<void> {
  const clock = new VirtualClock()
  expect(finishRestore(userData)?.message).toBe('The backup was restored.')
  const kept = keptIn(userData)
  const settings = openSettings(userData, clock)
  expect(settings.notices).toEqual([])
  const sent: string[] = []
  const { core, defects } = value(
    makeCore(
      {
        userData,
        settings: {},
        beginsAt: clock.now(),
        factor: 1,
        saved: { address: 'https://x.example', key: 'key' },
      },
      {
        settings,
        clock,
        random: seededRandom(seed, clock),
        fetch: inProcessFetch((request) => {
          if (request.method !== 'GET') sent.push(`${request.method} ${request.url}`)
          return Promise.reject(new Error('No network.'))
        }),
      },
    ),
  )
  try {
    core.start()
    await clock.advance(1_000)
    await askAll((name, input) => clock.run(callCore(core, name, input)), kept, settings.store)
    await clock.advance(5 * 60_000)
  } finally {
    await core.close()
  }
  expect(defects).toEqual([])
  expect(sent, 'sent by itself').toEqual([])
  expect(readdirSync(home).toSorted()).toEqual(['outside', 'userData'])
  expect(readdirSync(join(home, 'outside'))).toEqual(['theirs.txt'])
  expect(readdirSync(userData).filter((name) => !OURS.test(name))).toEqual([])
  assertStill(userData)
}

type Ask = (name: string, input: unknown) => Promise<unknown>

/** Every call that shows stored data. `callCore` throws if an answer violates the contract. */
async function askAll(
  ask: Ask,
  { lists, batches }: ReturnType<typeof keptIn>,
  settings: ReturnType<typeof openSettings>['store'],
): Promise<void> {
  for (const name of ['settings.get', 'connection.list', 'reportRuns.sets', 'activity.queues', 'app.about']) {
    await ask(name, {})
  }
  await ask('activity.log', { connectionId: null, before: null, limit: 100 })
  const page = { outcome: null, text: '', cursor: '', limit: 100 }
  for (const { connectionId } of settings.connections()) {
    for (const name of [
      ...['connection.learned', 'companies.list', 'companies.setupDraft', 'companies.provisionings'],
      ...['companies.deprovisionings', 'reportRuns.list', 'activity.unfinished'],
    ]) {
      await ask(name, { connectionId })
    }
    await ask('history.entries', { connectionId, company: null, object: '', ...page })
  }
  for (const { object, ...company } of lists) {
    for (const name of ['records.drafts', 'records.batches', 'import.notAccepted']) {
      await ask(name, { company, object })
    }
  }
  for (const batchId of batches) {
    await ask('history.records', { which: { of: 'batch', batchId }, ...page })
  }
}

/** The lists and batches in a restored file. */
function keptIn(userData: string) {
  const database = new DatabaseSync(join(userData, 'bookbridge.sqlite'), { readOnly: true })
  const lists = database
    .prepare(
      `SELECT connection_id AS connectionId, endpoint_id AS endpointId, object FROM drafts
       UNION SELECT connection_id, endpoint_id, object FROM operations LIMIT 5`,
    )
    .all()
    .map((row) => ({
      connectionId: String(row['connectionId']),
      endpointId: String(row['endpointId']),
      object: String(row['object']),
    }))
  const batches = database
    .prepare('SELECT batch_id FROM batches LIMIT 5')
    .all()
    .map((row) => String(row['batch_id']))
  database.close()
  return { lists, batches }
}

/** Checks that nothing happens automatically, and that only the file's rows are available. */
function assertStill(userData: string): void {
  const database = new DatabaseSync(join(userData, 'bookbridge.sqlite'))
  const count = (sql: string): unknown =>
    database.prepare(`SELECT count(*) AS count FROM ${sql}`).get()?.['count']
  try {
    expect(tablesOf(database)).toBe(ownTables())
    expect(count('drafts WHERE is_stale = 0'), 'drafts that leave unasked').toBe(0)
    expect(count(`operations WHERE is_closed = 0 AND state IN ('queued', 'sending')`), 'in progress').toBe(0)
    expect(count('operations WHERE send_again = 1')).toBe(0)
    expect(count('write_policies WHERE is_proven = 1')).toBe(0)
    expect(count('trusted_external_ids')).toBe(0)
    expect(count(`provisionings WHERE state IN ('queued', 'making-user', 'sending')`)).toBe(0)
    for (const { value: run } of database.prepare('SELECT value FROM report_runs').all()) {
      const { folder, files, items, state } = JSON.parse(String(run)) as ReportRun
      expect([folder, files, items.flatMap((item) => item.files)]).toEqual(['', [], []])
      expect(['stopped', 'finished']).toContain(state)
    }
  } finally {
    database.close()
  }
}

test('an unchanged backup can be restored', async () => {
  const computer = newComputer(onTestFinished)
  const { database, settings } = await wholeParts()
  const file = await zipOf({ 'bookbridge.sqlite': database, 'settings.json': settings })
  expect(await tryRestore(computer, file, new VirtualClock())).toBe(true)
  await assertHarmless(computer, 1)
})

test(`${RUNS} changed backups are rejected with a message, or restored and harmless`, async () => {
  const parts = await wholeParts()
  const scratch = join(emptyFolder(onTestFinished), 'changed.sqlite')
  const failed: string[] = []
  const ended: (() => void)[] = []
  const newOne = (): Computer => newComputer((end) => ended.push(end))
  let [computer, refused, restored] = [newOne(), 0, 0]
  for (const seed of onlySeed === undefined
    ? Array.from({ length: RUNS }, (_, at) => at + 1)
    : [Number(onlySeed)]) {
    const draw = seeded(seed)
    const changed = mutateBackup(parts, draw, scratch)
    let bytes = await zipBytes(
      { 'bookbridge.sqlite': changed.database, 'settings.json': changed.settings },
      changed.manifest,
    )
    if (draw() < 0.05) bytes = corruptBytes(bytes, draw)
    const file = join(computer.home, '..', `changed-${String(seed)}.zip`)
    try {
      writeFileSync(file, bytes)
      if (await tryRestore(computer, file, new VirtualClock())) {
        restored += 1
        await assertHarmless(computer, seed)
        computer = newOne()
      } else refused += 1
    } catch (cause) {
      failed.push(formatFailure(seed, cause))
      if (failed.length >= MAX_FAILURES) break
      computer = newOne()
    } finally {
      rmSync(file, { force: true })
      for (const end of ended.splice(0, ended.length - 1)) end()
    }
  }
  for (const end of ended) end()
  expect(failed).toEqual([])
  // Both outcomes must occur, or the test proves nothing.
  if (onlySeed === undefined) expect(Math.min(refused, restored)).toBeGreaterThan(RUNS / 20)
}, 3_600_000)
