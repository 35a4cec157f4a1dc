/**
 * Backups with one random change each: rejected with a message, or restored and harmless. Harmless means: only our tables,
 * every call answers as the contract says, the next start sends nothing and writes no file, no draft is sent unasked, and
 * no run has a folder. `BOOKBRIDGE_DEEP=1` makes 10,000; a failing seed is in the
 * message and runs alone with `BOOKBRIDGE_SEED=n`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBackup } from '../../../electron/app/program/backup.ts'
import { openSettings } from '../../../electron/shell/settings.ts'
import { digestCopy, packPart } from '../../../electron/store/months.ts'
import { ownTables, tablesOf } from '../../../electron/store/schema.ts'
import { openStore } from '../../../electron/store/store.ts'
import { finishRestore } from '../../../electron/store/backup.ts'
import { appError } from '../../../shared/result.ts'
import { putEmptyStore } from '../../empty-store.ts'
import { zipBytes, zipOf } from '../../unit/files/hostile-backup.ts'
import { seeded } from '../../unit/writing/random.ts'
import { COMPANY, storedCompany, value, World } from '../../unit/writing/world.ts'
import { inProcessFetch, seededRandom, VirtualClock } from '../../virtual-clock.ts'
import { damaged, mutated, type Parts } from './mutations.ts'
import { makeCore } from '../world/core-parts.ts'
import { callCore } from '../world/core-process.ts'
import { failedWorld, MAX_FAILED } from './failed-worlds.ts'
import { emptyFolder } from '../world/world.ts'

vi.mock('electron', () => {
  const nothing = { app: undefined, ipcMain: undefined, ipcRenderer: undefined, shell: undefined }
  return { ...nothing, default: nothing }
})

const ONE = process.env['BOOKBRIDGE_SEED']
const RUNS = process.env['BOOKBRIDGE_DEEP'] === '1' ? 10_000 : 200

const { connectionId, endpointId } = COMPANY
const AT = '2026-02-01T09:00:00.000Z'
const ERROR = appError('dropped', 'No answer came.', 'Look.')

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

const PROVISIONING = {
  provisioningId: 'p1',
  connectionId,
  application: 'qbd',
  userId: 'u1',
  newUser: { state: 'made', askedAt: AT },
  expectedFile: 'C:\\Books\\Birch.qbw',
  place: 'here',
  state: 'waiting',
  stoppedWaiting: false,
  queuedAt: AT,
  sentAt: AT,
  lastRecheckedAt: null,
  nextRecheckAt: null,
  company: null,
  before: 'not-there',
  error: ERROR,
}

const SHARED_CHANGE = {
  changeId: 'change-1',
  connectionId,
  createdAt: AT,
  object: 'customer',
  path: 'Terms',
  now: { ID: '', FullName: 'Net 30' },
  state: 'stopped',
  error: null,
  companies: [
    {
      company: COMPANY,
      companyName: 'Alder',
      application: 'qbd',
      applicationName: 'Desktop',
      contact: 'silent',
      silence: ERROR,
    },
  ],
  items: [
    {
      itemId: 'i1',
      endpointId,
      state: 'waiting',
      error: null,
      records: [{ draftId: 'd1', recordId: '1', recordName: 'Cedar', was: { ID: 't1', FullName: 'Net 60' } }],
    },
  ],
  leftOut: [{ endpointId, companyName: 'Alder', recordName: 'Oak', reason: 'It already has this value.' }],
}
const RUN = {
  runId: 'run-1',
  connectionId,
  title: 'Month end',
  createdAt: AT,
  folder: '/home/somebody/Documents',
  state: 'stopped',
  error: ERROR,
  companies: [
    {
      company: COMPANY,
      companyName: 'Alder',
      application: 'qbd',
      applicationName: 'Desktop',
      from: '2026-01-01',
      to: '2026-01-31',
      contact: 'answered',
      silence: null,
    },
  ],
  items: [
    {
      itemId: 'i1',
      endpointId,
      name: 'BalanceSheet',
      madeAs: 'BalanceSheet',
      state: 'made',
      error: null,
      files: ['Alder.xlsx'],
      marks: ['1 2'],
      findings: 0,
      said: [],
    },
  ],
  fileKinds: ['xlsx'],
  combined: true,
  pack: false,
  hideZeroRows: false,
  files: [{ name: 'All.xlsx', endpointId: '', itemIds: ['i1'], mark: '1 2' }],
}

const READING = {
  source: 'trial-balance',
  name: 'TrialBalance',
  kind: 'report',
  from: '2026-01-01',
  to: '2026-01-31',
  state: 'read',
  said: '',
  readAt: AT,
  copyId: 'copy-1',
}
const MONTH = {
  readings: [READING],
  silence: '',
  open: 0,
  wrong: 0,
  notChecked: 0,
  closed: { version: 1, by: 'Dana', at: AT },
  change: null,
  notCompared: [],
  by: 'Dana',
  at: AT,
}
const OUTCOMES = [{ rule: 'statements-agree', result: 'clean', checkedAt: AT }]
const DECISION = { kind: 'accepted', note: 'Asked the client.', by: 'Dana', at: AT }
const ROWS_OF_COPY = Buffer.from('[]')

/** A row for each table that ordinary use of the store leaves empty. */
const MAPPING = {
  choices: [{ heading: 'Name', path: 'Name', emptyMeans: 'leave' }],
  derived: [{ kind: 'split', column: { heading: 'Name', occurrence: 0 }, by: 'parent-child' }],
}

const ROWS: Readonly<Record<string, readonly unknown[]>> = {
  listings: [connectionId, AT, 1],
  provisionings: [
    'p1',
    connectionId,
    'waiting',
    0,
    AT,
    {
      value: PROVISIONING,
      listBefore: { active: [endpointId], inactive: [], isWhole: true },
      rechecks: 1,
      draftBegunAt: AT,
      again: null,
      askedAbout: [],
    },
    '',
  ],
  user_creations: [
    'u1',
    connectionId,
    'held',
    AT,
    { creationId: 'u1', connectionId, state: 'held', sentAt: AT, userId: '', error: ERROR },
  ],
  deprovisionings: [
    'd1',
    connectionId,
    endpointId,
    'unknown',
    AT,
    {
      deprovisioningId: 'd1',
      company: COMPANY,
      state: 'unknown',
      sentAt: AT,
      confirmations: [{ what: 'answer', result: 'unclear', says: 'No answer.', requestId: '', at: AT }],
      error: ERROR,
      known: {
        companyName: 'Alder',
        label: '',
        applicationName: 'Desktop',
        fullPath: '',
        userId: 'u1',
        sentBy: 'v2',
      },
    },
    '',
  ],
  lanes: ['lane', 1, '', 'answer', 0, null],
  trusted_external_ids: [connectionId, 'qbd', 'customer', AT],
  request_log: [
    'l1',
    AT,
    connectionId,
    {
      entryId: 'l1',
      at: AT,
      connectionId,
      companyName: 'Alder',
      company: COMPANY,
      what: 'Sending customers',
      method: 'POST',
      path: '/v2/data/e1/customer',
      isWrite: true,
      outcome: 'begun',
      says: '',
      code: '',
      status: null,
      milliseconds: 0,
      bytes: 0,
      requestId: '',
      batchId: '',
    },
    300,
    1,
  ],
  setup_drafts: [
    connectionId,
    {
      begunAt: AT,
      step: 2,
      application: 'qbd',
      user: 'new',
      pastedUserId: '',
      file: '',
      place: 'here',
      checkedReminders: ['x'],
      again: null,
    },
  ],
  import_mappings: ['customer', 'name|phone', MAPPING],
  saved_mappings: ['customer', 'Client list', MAPPING],
  imports: ['m1', connectionId, endpointId, 'customer', 'f'.repeat(32), 'clients.csv', AT, ['Name']],
  imported_rows: ['m1', 2, 'a'.repeat(32), 'none', 'insert', ['Cedar', { number: '1' }, true], 0],
  report_runs: ['run-1', connectionId, AT, RUN],
  shared_changes: ['change-1', connectionId, AT, SHARED_CHANGE],
  report_run_heads: ['run-1', 'i1', {}],
  report_run_parts: ['run-1', 'i1', 0, Buffer.from('[]')],
  months: [connectionId, endpointId, '2026-01', 'closed', MONTH],
  month_outcomes: [connectionId, endpointId, '2026-01', OUTCOMES],
  month_copies: ['copy-1', connectionId, endpointId, '2026-01', {}, digestCopy('{}', [ROWS_OF_COPY])],
  month_parts: ['copy-1', 0, connectionId, endpointId, Buffer.from(packPart(ROWS_OF_COPY))],
  month_versions: [
    connectionId,
    endpointId,
    '2026-01',
    1,
    ['copy-1'],
    {
      by: 'Dana',
      at: AT,
      note: '',
      readings: [READING],
      outcomes: OUTCOMES,
      decisions: [{ ...DECISION, key: 'statements-agree Suspense', amount: '1.00' }],
    },
  ],
  month_events: [
    connectionId,
    endpointId,
    '2026-01',
    { at: AT, by: 'Dana', act: 'closed', subject: '', note: '' },
  ],
  review_decisions: [connectionId, endpointId, 'statements-agree Suspense', '1.00', DECISION],
  review_settings: [connectionId, '', { percent: '25', emptyAccounts: ['Suspense'] }],
  service_addresses: [connectionId, 'v2', 'https://service.example'],
}

/** A backup with a row in every table, as `test/fixtures/` keeps of earlier versions. */
async function wholeParts(): Promise<Parts> {
  const world = new World()
  world.store.companies.put(storedCompany({ label: 'Alder, our label', notes: 'Mondays' }))
  const [cedar, birch] = ['Cedar', 'Birch'].map((Name) => world.service.add('customer', { Name, Phone: '1' }))
  await world.sendAndSettle([world.draftChange(cedar ?? '', { Phone: '2' })])
  world.draftChange(birch ?? '', { Phone: '3' })
  const inDoubt = world.draftInsert({ Name: 'Dogwood' })
  world.service.fault = () => 'dropped-after'
  value(world.send([inDoubt]))
  await world.flush()
  const path = join(world.folder, 'whole.sqlite')
  await world.store.backup.copyTo(path)
  world.end()
  const database = new DatabaseSync(path)
  for (const [table, row] of Object.entries(ROWS)) {
    const values = row.map((each) =>
      typeof each === 'object' && each !== null && !Buffer.isBuffer(each) ? JSON.stringify(each) : each,
    ) as string[]
    database
      .prepare(`INSERT OR REPLACE INTO "${table}" VALUES (${values.map(() => '?').join(', ')})`)
      .run(...values)
  }
  database.exec("UPDATE operations SET rechecks = 3 WHERE state = 'unknown'")
  const empty = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
    .all()
    .filter(({ name }) => database.prepare(`SELECT 1 FROM "${String(name)}"`).get() === undefined)
  expect(empty, 'a row in every table').toEqual([])
  database.close()
  return { database: readFileSync(path), settings: Buffer.from(JSON.stringify(SETTINGS)), manifest: {} }
}

/** A computer with an empty Bookbridge, and next to its folder one of someone else. */
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
  putEmptyStore(userData)
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
    .all() as unknown as { connectionId: string; endpointId: string; object: string }[]
  const batches = database
    .prepare('SELECT batch_id FROM batches LIMIT 5')
    .all()
    .map((row) => String(row['batch_id']))
  database.close()
  return { lists, batches }
}

/** Nothing happens automatically, and only the file's rows are available. */
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
      const { folder, files, items, state } = JSON.parse(String(run)) as typeof RUN
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
  for (const seed of ONE === undefined ? Array.from({ length: RUNS }, (_, at) => at + 1) : [Number(ONE)]) {
    const draw = seeded(seed)
    const changed = mutated(parts, draw, scratch)
    let bytes = await zipBytes(
      { 'bookbridge.sqlite': changed.database, 'settings.json': changed.settings },
      changed.manifest,
    )
    if (draw() < 0.05) bytes = damaged(bytes, draw)
    const file = join(computer.home, '..', `changed-${String(seed)}.zip`)
    try {
      writeFileSync(file, bytes)
      if (await tryRestore(computer, file, new VirtualClock())) {
        restored += 1
        await assertHarmless(computer, seed)
        computer = newOne()
      } else refused += 1
    } catch (cause) {
      failed.push(failedWorld(seed, cause))
      if (failed.length >= MAX_FAILED) break
      computer = newOne()
    } finally {
      rmSync(file, { force: true })
      for (const end of ended.splice(0, ended.length - 1)) end()
    }
  }
  for (const end of ended) end()
  expect(failed).toEqual([])
  // Both outcomes must occur, or the test proves nothing.
  if (ONE === undefined) expect(Math.min(refused, restored)).toBeGreaterThan(RUNS / 20)
}, 3_600_000)
