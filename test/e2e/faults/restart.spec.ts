/**
 * The program or its window ends unexpectedly. After a kill, the user sees what is unfinished and decides. A window
 * that reloads or crashes loses nothing. A second start says that the program is already open, and exits.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Program } from '../fixture.ts'
import { expect, type Service, test } from '../fixture.ts'
import {
  askForRecords,
  cell,
  count,
  dataRequests,
  getRecords,
  openBooks,
  requestByOther,
} from '../records/steps.ts'
import { seriousViolations } from '../support/access.ts'
import { call } from '../support/bridge.ts'
import { openCompany } from './kill-steps.ts'
import { outcome, queue, send, shortenDeadlines, statusLine, typePhones } from './steps.ts'

const PHONES = ['(415) 555-0301', '(415) 555-0302', '(415) 555-0303']

/** Sends three changes, and kills the program while the first, which is sent alone, is running. Returns the rows. */
async function killedInABatch(program: Program, service: Service): Promise<readonly string[]> {
  const { window } = await program.start()
  await openBooks(window, service)
  await shortenDeadlines(window)
  await getRecords(window)
  const rows = await typePhones(window, PHONES)
  await service.control({
    faults: [{ match: { method: 'PATCH' }, fault: { kind: 'slow', milliseconds: 2_000, when: 'after' } }],
  })
  await send(window)
  await expect.poll(() => dataRequests(service, 'PATCH')).toHaveLength(1)
  await program.kill()
  return rows
}

async function openRecords(window: Page): Promise<void> {
  await window.getByRole('link', { name: 'Records' }).click()
  await getRecords(window)
}

test(
  'killed in the middle of a batch: what was being sent is searched for, the rest waits, and Continue finishes it',
  { tag: '@deep' },
  async ({ program, service }) => {
    const [first = '', second = ''] = await killedInABatch(program, service)
    const { window } = await program.start()
    await expect(statusLine(window)).toContainText(/Waiting until|Checking/)

    await test.step('Activity lists what is left, and leads there', async () => {
      await window.getByRole('link', { name: 'Activity' }).click()
      const unfinished = window.getByRole('region', { name: /^Unfinished/ })
      await expect(unfinished).toContainText('2 not sent yet')
      await unfinished.getByRole('button', { name: /^Continue/ }).click()
    })
    await getRecords(window)
    await expect(outcome(window, first)).toContainText(/Saved|^$/)
    await expect(outcome(window, second)).toContainText('Not sent yet')
    const notice = window.getByRole('alert').filter({ hasText: '2 changes wait to be sent.' })
    await expect(notice).toContainText('Nothing is sent until you continue.')
    expect(await dataRequests(service, 'PATCH'), 'a restart sends nothing by itself').toHaveLength(1)

    await notice.getByRole('button', { name: 'Continue' }).click()
    await expect.poll(() => count(window, 'Changes')).toBe(0)
    await expect(window.locator('body'), 'the focus goes on as buttons come and go').not.toBeFocused()
    const books = await requestByOther(service, 'GET')
    for (const phone of PHONES) expect(books).toContain(phone)
    await window.getByRole('link', { name: 'Activity' }).click()
    await expect(window.getByRole('region', { name: /^Unfinished/ })).toContainText('Nothing is unfinished.')
  },
)

test(
  'killed in the middle of a batch: Discard asks, and discards only what wasn’t sent',
  { tag: '@deep' },
  async ({ program, service }) => {
    const [first = '', second = ''] = await killedInABatch(program, service)
    const { window } = await program.start()
    await openRecords(window)
    await expect(outcome(window, first)).toContainText(/Saved|^$/)
    // A draft from this run isn't discarded with them.
    const other = (await typePhones(window, ['(415) 555-0309']))[0] ?? ''
    expect(other).toBe(first)

    const notice = window.getByRole('alert').filter({ hasText: '2 changes wait to be sent.' })
    await notice.getByRole('button', { name: 'Discard' }).click()
    const question = window.getByRole('alertdialog')
    await expect(question).toContainText('none has been sent')
    expect(await seriousViolations(window)).toEqual([])
    await question.getByRole('button', { name: /^Discard/ }).click()
    await expect(notice).toBeHidden()
    // Without any outcome, the Outcome column is hidden.
    await expect(outcome(window, second)).toHaveCount(0)
    await expect(cell(window, second, 'Phone')).not.toContainText('(415) 555-0302')
    await expect(cell(window, first, 'Phone')).toContainText('(415) 555-0309')
    expect(await count(window, 'Changes')).toBe(1)
    expect(await dataRequests(service, 'PATCH')).toHaveLength(1)
    const books = await requestByOther(service, 'GET')
    expect(books).toContain('(415) 555-0301')
    expect(books).not.toContain('(415) 555-0302')
  },
)

test(
  'the window reloads and crashes while a request is running: it returns, and nothing is lost',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)

    await test.step('after a reload, the page has no list in memory', async () => {
      const company = await openCompany(window)
      const filter = { ids: [], modifiedFrom: null, modifiedTo: null }
      const { setId } = await call(window, 'records.open', { company, object: 'customer', filter })
      const piece = { setId, from: 0, count: 10 }
      await call(window, 'records.rows', piece)
      await window.reload()
      await expect(call(window, 'records.rows', piece)).rejects.toThrow('records.rows')
    })

    await getRecords(window)
    const [row = ''] = await typePhones(window, ['(415) 555-0311'])
    await service.control({ latencyMs: 6_000 })
    await askForRecords(window)
    await expect(statusLine(window)).toContainText('Reading customers')
    const asked = (await dataRequests(service, 'GET')).length

    await test.step('reloaded', async () => {
      await window.reload()
      await expect(statusLine(window)).toContainText('Reading customers')
      await window.getByRole('link', { name: 'Activity' }).click()
      await expect(queue(window)).toContainText('Reading customers')
      await service.control({ latencyMs: 0 })
      await expect(statusLine(window)).toContainText('Ready')
      await openRecords(window)
      await expect(cell(window, row, 'Phone')).toContainText('(415) 555-0311')
      const { mostAtOnce } = (await (await fetch(service.controlUrl)).json()) as { mostAtOnce: number }
      expect(mostAtOnce).toBe(1)
      expect((await dataRequests(service, 'GET')).length).toBeGreaterThan(asked)
    })

    await test.step('crashed', async () => {
      const session = await window.context().newCDPSession(window)
      // The page can't respond anymore.
      session.send('Page.crash').catch(() => undefined)
      await expect
        .poll(async () => {
          const { result } = (await session
            .send('Runtime.evaluate', { expression: 'document.body.innerText' })
            .catch(() => ({ result: { value: '' } }))) as { result: { value?: unknown } }
          return typeof result.value === 'string' ? result.value : ''
        })
        .toMatch(/Changes\s*1/)
    })
  },
)

test(
  'with an older copy of the database, what was sent since needs a confirmation',
  { tag: '@deep' },
  async ({ program, service }) => {
    const { window } = await program.start()
    await openBooks(window, service)
    await getRecords(window)
    const [row = ''] = await typePhones(window, ['(415) 555-0321'])
    const { currentId } = await call(window, 'connection.list', {})
    await expect
      .poll(() => call(window, 'activity.unfinished', { connectionId: currentId ?? '' }))
      .toHaveLength(1)
    await program.stop()
    const database = join(program.userData, 'bookbridge.sqlite')
    const older = readFileSync(database)

    const again = await program.start()
    await openRecords(again.window)
    await send(again.window)
    await expect.poll(() => count(again.window, 'Changes')).toBe(0)
    await program.stop()
    for (const end of ['-wal', '-shm']) rmSync(database + end, { force: true })
    writeFileSync(database, older)

    const { window: restored } = await program.start()
    await openRecords(restored)
    await expect(cell(restored, row, 'Phone')).toContainText('(415) 555-0321')
    await send(restored)
    const question = restored.getByRole('alertdialog', { name: 'Send anyway' })
    await expect(question).toContainText('may already have been sent')
    expect(await seriousViolations(restored)).toEqual([])
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await dataRequests(service, 'PATCH')).toHaveLength(1)
  },
)

test(
  'a second start on the same folder says so and stops, and the first one continues',
  { tag: '@deep' },
  async ({ window, program, service }) => {
    await openBooks(window, service)
    const second = await program.startBeside()
    expect(second).toMatchObject({ exitCode: 0, warned: expect.stringContaining('already running') })
    await getRecords(window)
  },
)
