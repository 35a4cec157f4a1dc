// An hour of use in fast motion: lists are read and edited, changes sent, and reports, history, and settings opened,
// over and over. Compares the memory of the window and the main process at the end with that after the first rounds, to
// find leaks.
import type { CDPSession, ElectronApplication, Page } from '@playwright/test'
import { RECORD_VARIABLE } from '../chromium-host/recorder.ts'
import { cell, getRecords, openBooks, rowIdAt, type } from '../e2e/records/steps.ts'
import { Program } from '../e2e/support/program.ts'
import { startService } from '../e2e/support/service.ts'
import { mebibytes, ratioRow, type Row } from './support/measure.ts'

export const name = 'hour'

const CUSTOMERS = 3_000
/** After these rounds, caches are full and V8 has compiled most of the code, which is most of the initial growth. */
const FIRST_ROUNDS = 9
/** Twelve more, with as many lists, reports, and sends as in a busy hour. */
const ROUNDS = 21
const EDITS = 3
const REPORTS = ['ProfitAndLoss', 'BalanceSheet', 'TrialBalance']
const MAX_RATIO = 1.15

/** What is still reachable after garbage collection, in bytes and counts. */
interface Held {
  readonly window: number
  readonly elements: number
  readonly main: number
}

export async function run(): Promise<readonly Row[]> {
  const service = await startService({ customers: CUSTOMERS, latencyMs: 5 })
  const program = new Program()
  try {
    // Recording messages would use the memory that is measured.
    const { window, electronApp } = await program.start({ env: { [RECORD_VARIABLE]: undefined } })
    await openBooks(window, service)
    const devtools = await window.context().newCDPSession(window)
    await devtools.send('Performance.enable')
    for (let round = 0; round < FIRST_ROUNDS; round += 1) await useOnce(window, round)
    const before = await held(devtools, electronApp)
    for (let round = FIRST_ROUNDS; round < ROUNDS; round += 1) await useOnce(window, round)
    const after = await held(devtools, electronApp)
    return [
      row('Memory of the window after an hour of use', before.window, after.window, mebibytes),
      row('– elements and texts in the window', before.elements, after.elements, plainly),
      row('– memory of the main process', before.main, after.main, mebibytes),
    ]
  } finally {
    await program.dispose()
    await service.stop()
  }
}

async function useOnce(window: Page, round: number): Promise<void> {
  await window.getByRole('link', { name: 'Records' }).click()
  await getRecords(window)
  for (let edit = 0; edit < EDITS; edit += 1) {
    const digits = String(1_000 + round * EDITS + edit)
    await type(window, cell(window, await rowIdAt(window, edit), 'Phone'), `(415) 555-${digits}`)
  }
  await window.getByRole('button', { name: 'Review changes' }).click()
  await window.getByRole('button', { name: /^Send \d/ }).click()
  // The review closes once everything is saved.
  await window.getByRole('radio', { name: /^Changes 0/ }).waitFor({ state: 'attached' })

  await window.getByRole('link', { name: 'Reports' }).click()
  const report = window.getByRole('combobox', { name: 'Report', exact: true })
  await report.fill(REPORTS[round % REPORTS.length] ?? '')
  await report.press('Enter')
  await window.getByRole('button', { name: 'Run', exact: true }).click()
  await window.getByRole('button', { name: 'Export', exact: true }).waitFor()
  await window.getByRole('treegrid').getByRole('row').nth(3).waitFor()

  await window.getByRole('link', { name: 'Activity' }).click()
  await window.getByRole('grid', { name: 'Activity' }).getByRole('row').nth(1).click()
  await window.getByRole('radio', { name: 'History' }).check({ force: true })
  await window.getByRole('grid', { name: 'History' }).getByRole('row').nth(1).waitFor()
  await window.getByRole('link', { name: 'Settings' }).click()
  await window.getByRole('link', { name: 'Companies' }).click()
  await window.getByRole('grid', { name: 'Companies' }).getByRole('row').nth(1).waitFor()
}

async function held(devtools: CDPSession, electronApp: ElectronApplication): Promise<Held> {
  // Objects that only collected objects referenced need another collection.
  for (let round = 0; round < 3; round += 1) await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  const metric = (wanted: string): number => metrics.find(({ name: each }) => each === wanted)?.value ?? 0
  const main = await electronApp.evaluate(() => {
    const { setFlagsFromString } = process.getBuiltinModule('node:v8')
    setFlagsFromString('--expose-gc')
    const collect = process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  })
  return { window: metric('JSHeapUsedSize'), elements: metric('Nodes'), main }
}

function row(what: string, before: number, after: number, format: (value: number) => string): Row {
  return ratioRow({
    what,
    why: 'After 21 rounds of reading, editing, sending, reports, and history. What grows with each round would grow all day. The first nine fill caches and compile code. Measured once.',
    turns: { ours: [after], peer: [before] },
    against: 'after 9 rounds',
    most: MAX_RATIO,
    format,
  })
}

function plainly(count: number): string {
  return count.toLocaleString('en')
}
