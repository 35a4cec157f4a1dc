/**
 * The program is killed (SIGKILL) in the middle of a batch of 50, and restarted on the same folder. Once everything has
 * settled, each row's outcome must match the service's books. Then the user continues, and every change must be there
 * exactly once. `BOOKBRIDGE_DEEP=1` kills 20 times instead of once. To repeat one run, set `BOOKBRIDGE_SEED` to the
 * number in its name.
 */
import type { Page } from '@playwright/test'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Operation } from '../../../shared/contract/records.ts'
import { textOf } from '../../../shared/records/changes.ts'
import type { Fault, FaultRule } from '../../sample-server/faults.ts'
import { seeds } from '../../seeds.ts'
import { pick, seeded } from '../../unit/writing/random.ts'
import { companyRow, connect } from '../companies/steps.ts'
import { expect, type Program, type Service, test } from '../fixture.ts'
import { COMPANY, getRecords } from '../records/steps.ts'
import { call } from '../support/bridge.ts'
import {
  books,
  counters,
  LIST,
  openCompany,
  randomDelay,
  saveDrafts,
  type ShownRow,
  shownRows,
  waitFrames,
  waitUntilIdle,
} from './kill-steps.ts'

const SEEDS = seeds(1, 20)

const CUSTOMERS = 90
const CHANGES = 44
const INSERTS = 6
/** Tall enough to draw every row, which is slow, so only while rows are read. */
const TALL = { width: 1_600, height: 4_600 }
const USUAL = { width: 1_280, height: 800 }
/** The shortest deadline that settings allow, and short pauses, because the spec waits wherever a user would. */
const HURRIED = { writeSeconds: 5, readSeconds: 10, graceSeconds: 1, recheckSeconds: 1 }

/** A record that the user sent, identified by a unique phone number. */
interface Intent {
  readonly draftId: string
  readonly name: string
  readonly phone: string
  readonly recordId: string
  /** How often the user confirmed sending it. */
  readonly words: number
}

test.describe('killed in the middle of a batch, with the window', () => {
  for (const seed of SEEDS) {
    test(`seed ${String(seed)}`, async ({ program, startService }) => {
      await oneRun(seed, program, await startService({ customers: CUSTOMERS }))
    })
  }
})

async function oneRun(seed: number, program: Program, service: Service): Promise<void> {
  const random = seeded(seed)
  const { window } = await program.start()
  await connect(window, service)
  await call(window, 'settings.set', HURRIED)
  const company = await openCompany(window)
  await warmUp(window, service, company)

  const meant = [
    ...(await changesOf(window, service, company, CHANGES, `555-${String(seed)}`)),
    ...insertsOf(INSERTS, `556-${String(seed)}`),
  ]
  await save(window, service, company, meant)
  await companyRow(window, COMPANY).dblclick()
  await window.getByRole('link', { name: 'Records' }).click()
  await getRecords(window)
  const sentBefore = (await counters(service)).writes.length
  await sendAndKill(random, program, service, window)

  const { window: again } = await program.start()
  await again.getByRole('link', { name: 'Records' }).click()
  await waitUntilIdle(again, company)
  await service.control({ clearFaults: true })
  const sentUntilKilled = (await counters(service)).writes.length
  const left = await compare(again, service, company, meant, sentBefore)

  const held = await continueSending(again, company, left)
  const said = meant.map((each) => (held.has(each.draftId) ? { ...each, words: 2 } : each))
  const shown = await compare(again, service, company, said, sentBefore)
  expect(shown, 'everything is there in the end').toEqual(new Set(['saved']))
  process.stdout.write(
    `SIGKILL with the window: seed ${String(seed)}, ${String(sentUntilKilled - sentBefore)} requests before, ${String(held.size)} held\n`,
  )
}

async function changesOf(
  window: Page,
  service: Service,
  company: CompanyRef,
  count: number,
  phone: string,
): Promise<readonly Intent[]> {
  const active = (await books(window, service, company)).filter(({ IsActive }) => IsActive === 'true')
  // Two records with the same name are never sent in one array, so each of these has its own name.
  const names = active.map(({ Name }) => textOf(Name).toLowerCase())
  const records = active.filter((_, index) => names.indexOf(names[index] ?? '') === index).slice(0, count)
  expect(records).toHaveLength(count)
  return records.map((record, index) => ({
    draftId: `change-${phone}-${String(index)}`,
    name: textOf(record['Name']),
    phone: `${phone}-${String(index)}`,
    recordId: textOf(record['ID']),
    words: 1,
  }))
}

function insertsOf(count: number, phone: string): readonly Intent[] {
  return Array.from({ length: count }, (_, index) => ({
    draftId: `insert-${phone}-${String(index)}`,
    name: `Aaron, ${phone} ${String(index)}`,
    phone: `${phone}-${String(index)}`,
    recordId: '',
    words: 1,
  }))
}

async function save(
  window: Page,
  service: Service,
  company: CompanyRef,
  meant: readonly Intent[],
): Promise<void> {
  const records = new Map((await books(window, service, company)).map((record) => [record['ID'], record]))
  const drafts = meant.map(({ draftId, name, phone, recordId }) => {
    const before = records.get(recordId) ?? {}
    const was = recordId === '' ? null : textOf(before['Phone'])
    const edits = [{ path: 'Phone', was, now: phone }]
    return recordId === ''
      ? {
          draftId,
          kind: 'insert' as const,
          recordId,
          before,
          edits: [{ path: 'Name', was: null, now: name }, ...edits],
        }
      : { draftId, kind: 'change' as const, recordId, before, edits }
  })
  await saveDrafts(window, company, drafts)
}

/** One change and then ten succeed, so that the next array contains up to fifty. */
async function warmUp(window: Page, service: Service, company: CompanyRef): Promise<void> {
  const meant = await changesOf(window, service, company, 11, 'warm')
  await save(window, service, company, meant)
  await call(window, 'records.send', { company, object: LIST, draftIds: meant.map(({ draftId }) => draftId) })
  await waitUntilIdle(window, company)
}

/** The service delays each request, before or after its work, so that a kill can happen at any moment. */
async function sendAndKill(
  random: () => number,
  program: Program,
  service: Service,
  window: Page,
): Promise<void> {
  const milliseconds = Math.floor(random() * 900)
  const when = pick(random, ['before', 'after'] as const)
  const nth = 1 + Math.floor(random() * 3)
  const delay = Math.floor(random() * (milliseconds + 30))
  const slow: Fault = { kind: 'slow', milliseconds, when }
  // The service may finish a request that is running at the end, or not.
  const last = pick<Fault>(random, [slow, { kind: 'hang', when: 'before', workMs: milliseconds + 500 }])
  const match = { body: '"Phone"' }
  const faults: readonly FaultRule[] = [
    { match, nth, times: 1, fault: last },
    { match, times: 0, fault: slow },
  ]
  await service.control({ faults })
  const before = (await counters(service)).writes.length
  const send = window.getByRole('button', { name: /^Send \d+ changes to/ })
  await send.click()
  await expect(window.getByRole('button', { name: 'Back to list' })).toBeVisible()
  await send.click()
  await expect
    .poll(async () => (await counters(service)).writes.length, { intervals: [15] })
    .toBeGreaterThanOrEqual(before + nth)
  await randomDelay(delay)
  await program.kill()
}

/** The user continues what waits, and sends held records again. Returns the drafts that this concerned. */
async function continueSending(
  window: Page,
  company: CompanyRef,
  said: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  if (said.has('Not sent yet')) {
    await window.getByRole('button', { name: 'Continue' }).click()
    await waitUntilIdle(window, company)
  }
  const findHeld = async (): Promise<readonly Operation[]> => {
    const drafts = await call(window, 'records.drafts', { company, object: LIST })
    return drafts.flatMap(({ operation }) => (operation?.state === 'held' ? [operation] : []))
  }
  const held = await findHeld()
  for (const { operationId } of held) {
    await call(window, 'records.decide', { operationId, decision: { what: 'send-again' } })
  }
  // Between the confirmation and the first request, nothing seems to happen.
  await expect.poll(findHeld).toEqual([])
  await waitUntilIdle(window, company)
  return new Set(held.map(({ draftId }) => draftId))
}

/** Returns the rows of the window, once the rows of all changed records are completely drawn. */
async function drawnRows(window: Page, meant: readonly Intent[]): Promise<readonly ShownRow[]> {
  const changed = meant.flatMap(({ recordId }) => (recordId === '' ? [] : [recordId]))
  let shown: readonly ShownRow[] = []
  await window.setViewportSize(TALL)
  await expect(async () => {
    // The grid draws a row's cells over several frames. It is done once some frames have changed nothing.
    const before = JSON.stringify(await shownRows(window))
    await waitFrames(window)
    shown = await shownRows(window)
    expect(JSON.stringify(shown)).toBe(before)
    expect(changed.filter((recordId) => !shown.some(({ rowId }) => rowId === recordId))).toEqual([])
  }).toPass()
  await window.setViewportSize(USUAL)
  return shown
}

/**
 * Compares every row of the window with the books.
 * @returns the outcome of each row: `saved`, or its text
 */
async function compare(
  window: Page,
  service: Service,
  company: CompanyRef,
  meant: readonly Intent[],
  sentBefore: number,
): Promise<ReadonlySet<string>> {
  await getRecords(window)
  const { writes, mostAtOnce, refused } = await counters(service)
  expect({ mostAtOnce, refused }, 'requests beside another').toEqual({ mostAtOnce: 1, refused: 0 })
  const records = await books(window, service, company)
  const shown = await drawnRows(window, meant)
  const findings: string[] = []
  const said = new Set<string>()
  for (const { name, phone, recordId, words } of meant) {
    const held = records.filter((record) => record['Phone'] === phone)
    const sent = writes.slice(sentBefore).filter(({ body }) => body.includes(JSON.stringify(phone))).length
    const row = shown.find((each) => (recordId === '' ? each.name === name : each.rowId === recordId))
    const outcome = row === undefined ? 'nothing' : row.outcome
    const isSaved = row !== undefined && (row.outcome === '' || row.outcome.startsWith('Saved '))
    const what = `${name} ${phone}: ${String(held.length)} in the books, sent ${String(sent)} times, the window says “${outcome}”`
    if (row === undefined || row.phone !== phone) findings.push(`lost: ${what}, phone “${row?.phone ?? ''}”`)
    if (held.length > 1) findings.push(`doubled: ${what}`)
    if (sent > words) findings.push(`sent without a word: ${what}`)
    const isThere = held.some((record) => recordId === '' || record['ID'] === recordId)
    if (isSaved !== isThere) findings.push(`wrongly reported: ${what}`)
    said.add(isSaved ? 'saved' : outcome)
  }
  expect(findings).toEqual([])
  return said
}
