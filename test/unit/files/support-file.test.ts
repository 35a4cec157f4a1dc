/** What the support file contains, and above all what it doesn't: keys, tokens, names, and records. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { platform } from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { createSupportFile } from '../../../electron/app/program/support.ts'
import { queueSection } from '../../../electron/files/support-file.ts'
import { openStore } from '../../../electron/store/store.ts'
import type { QueueEntry, RequestQueue } from '../../../shared/contract/activity.ts'
import { appError, ok } from '../../../shared/result.ts'
import { makeCore } from '../../reliability/world/core-parts.ts'
import { callCore } from '../../reliability/world/core-process.ts'
import { Person } from '../../reliability/world/person.ts'
import { callerOf, emptyFolder, QUICK_SETTINGS, startServer } from '../../reliability/world/world.ts'
import { value } from '../../result.ts'

const ENTRY: QueueEntry = {
  entryId: 'x',
  connectionId: 'c1',
  companyName: 'Cedar & Holm',
  company: null,
  what: 'Sending customers of Cedar & Holm',
  isWrite: true,
  priority: 'batch',
  batchId: 'b',
  state: 'running',
  queuedAt: '2026-03-01T09:00:00.000Z',
  startedAt: '2026-03-01T09:00:01.000Z',
  deadlineAt: '2026-03-01T09:03:01.000Z',
  pausesUntil: null,
  attempt: 2,
  attempts: 3,
  position: 0,
  progress: '3 of 9',
  trouble: 'The service says: Cedar owes 12.00',
}
const LANE: RequestQueue = {
  connectionId: 'c1',
  running: ENTRY,
  waiting: [],
  blockedUntil: null,
  blockedBy: null,
  paused: appError('unauthorized', 'Cedar’s key was refused'),
  last: null,
}

/** Saves the file to its own folder. Returns its text, or `null` if nothing was saved. */
async function saved(over: Partial<Parameters<typeof createSupportFile>[0]> = {}): Promise<string | null> {
  const folder = emptyFolder(onTestFinished)
  const userData = join(folder, 'Anna Berg', 'Bookbridge')
  const store = value(openStore(join(folder, 'bookbridge.sqlite'), { now: () => 0 }))
  onTestFinished(() => {
    store.close()
  })
  const path = join(folder, 'support.txt')
  const supportFile = createSupportFile({
    logLines: () => [],
    program: {
      version: '1.2.3',
      electronVersion: '40',
      isChromiumHost: false,
      platform: 'linux',
      locale: 'de-DE',
    },
    userData,
    notices: [appError('file', `It was set aside as ${userData}/settings.json.damaged`)],
    settings: {
      get: () => ({
        ...DEFAULT_SETTINGS,
        certificateFile: '/home/anna/office.pem',
        columnStates: { customers: ['Cedar’s own field'] },
        lastCompany: { connectionId: 'c1', endpointId: 'cedar-endpoint' },
      }),
      set: () => ok(DEFAULT_SETTINGS),
      connections: () => [
        {
          connectionId: 'c1',
          name: 'Cedar & Holm’s service',
          address: 'https://service.test:8443/tenant-cedar',
          isSample: false,
          legacyAddress: 'https://old.service.test/cedar',
          settings: { readSeconds: 60 },
        },
      ],
      currentConnectionId: () => 'c1',
      setConnections: () => ok(undefined),
    },
    secrets: { probe: () => Promise.resolve(ok(undefined)) },
    scheduler: { queues: () => [LANE] },
    log: store.requestLog,
    dialog: { choose: () => Promise.resolve(path) },
    clock: { now: () => Date.parse('2026-03-01T09:30:00Z') },
    ...over,
  })
  const result = value(await supportFile.save())
  return result.saved ? readFileSync(result.path, 'utf8') : null
}

test('it contains the program, its settings, the hosts of connections, the queue, and the notices at the start', async () => {
  const text = (await saved()) ?? ''
  for (const part of [
    'Made 2026-03-01T09:30:00.000Z',
    'Bookbridge: 1.2.3',
    'Electron: 40',
    'language: de-DE',
    'readSeconds: 120',
    'certificateFile: one is chosen',
    '1: https://service.test:8443, older service https://old.service.test, own settings {"readSeconds":60}',
    '== Queue of connection 1',
    'paused: unauthorized',
    'running (write): queued 2026-03-01T09:00:00.000Z',
    'try 2 of 3',
    'file: It was set aside as <folder of Bookbridge>/settings.json.damaged',
  ]) {
    expect(text).toContain(part)
  }
})

test('it contains no name, no path, and nothing from the service’s messages', async () => {
  const text = (await saved()) ?? ''
  for (const part of ['Cedar', 'cedar', 'anna', 'Anna', 'office.pem', 'owes'])
    expect(text).not.toContain(part)
})

test('a canceled dialog saves nothing', async () => {
  expect(await saved({ dialog: { choose: () => Promise.resolve(null) } })).toBeNull()
})

test.skipIf(platform === 'win32')(
  'only its owner can read it, even if a file with its name existed',
  async () => {
    const path = join(emptyFolder(onTestFinished), 'support.txt')
    writeFileSync(path, 'from before', { mode: 0o644 })
    expect(await saved({ dialog: { choose: () => Promise.resolve(path) } })).toContain('Bookbridge')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  },
)

test('a queue of a connection that was removed has no number', () => {
  expect(queueSection({ ...LANE, running: null }, null).title).toBe('Queue of connection -')
})

test('after work with real books, it has every request, but no key, token, company, or record', async () => {
  const server = await startServer(onTestFinished)
  const folder = emptyFolder(onTestFinished)
  const saveTo = emptyFolder(onTestFinished)
  const running = value(
    makeCore(
      { userData: folder, settings: QUICK_SETTINGS, beginsAt: Date.now(), factor: 1, saved: null },
      { dialogs: { save: { choose: (name) => Promise.resolve(join(saveTo, name)) } } },
    ),
  )
  onTestFinished(() => running.core.close())
  running.core.start()
  const person = new Person(callerOf(running))
  await person.connect(server.url, server.key)
  const names = (await person.records()).map(({ Name }) => String(Name)).filter((name) => name.length > 5)
  expect(names.length).toBeGreaterThan(5)
  const text = JSON.stringify({
    Contents: [],
    Errors: [{ Code: '3175', Message: names[0] }],
    RequestId: 'r-5',
  })
  server.control({ faults: [{ match: { method: 'GET' }, times: 1, fault: { kind: 'body', text } }] })
  await person.records().catch(() => [])
  const result = (await callCore(running.core, 'activity.saveSupportFile', {})) as { ok: boolean }
  expect(result.ok).toBe(true)
  const [file = ''] = readdirSync(saveTo)
  expect(file).toMatch(/^Bookbridge support \d{4}-\d{2}-\d{2}\.txt$/)
  const told = readFileSync(join(saveTo, file), 'utf8')
  expect(told.split('\n').filter((line) => line.includes('\tGET\t/v2/')).length).toBeGreaterThanOrEqual(3)
  expect(told).toContain('3175')
  for (const secret of [server.key, 'Alder', ...names]) expect(told).not.toContain(secret)
})
