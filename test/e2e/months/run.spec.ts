/** `--run=FILE`: reports without a window, alone and beside an open program. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { connect } from '../companies/steps.ts'
import { expect, test } from '../fixture.ts'
import { Program } from '../support/program.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let program: Program
let runFile: string

test.beforeEach(async ({}, testInfo) => {
  service = await startService()
  program = new Program()
  runFile = testInfo.outputPath('run.json')
  mkdirSync(testInfo.outputPath(), { recursive: true })
})

test.afterEach(async () => {
  await program.dispose()
  await service.stop()
})

function writeRun(change: object = {}): void {
  const plan = {
    title: 'Month end',
    companies: ['Alder & Finch Builders'],
    reports: ['Profit and loss', 'Balance sheet'],
    period: 'last month',
    files: ['workbook', 'pdf'],
    folder: 'month end',
    ...change,
  }
  writeFileSync(runFile, JSON.stringify(plan))
}

const made = (): string[] => readdirSync(join(runFile, '..', 'month end')).sort()

test('a run makes its files and exits with 0, with 1 if a company doesn’t respond, and with 2 if it can’t start', async () => {
  const { window } = await program.start()
  await connect(window, service)
  await program.stop()

  writeRun()
  expect(await program.run(runFile)).toMatchObject({ exitCode: 0, said: 'Month end: 2 of 2 reports ready.' })
  const files = made()
  expect(files.filter((name) => name.startsWith('Alder & Finch Builders - '))).toHaveLength(4)
  const summary = files.find((name) => name.startsWith('Month end - summary'))
  expect(readFileSync(join(runFile, '..', 'month end', summary ?? ''), 'utf8')).toContain('Totals agree.')
  const pdf = files.find((name) => name.endsWith('.pdf')) ?? ''
  expect(
    readFileSync(join(runFile, '..', 'month end', pdf))
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-')

  await service.control({ company: 'Alder & Finch Builders', conditions: { machine: 'off' } })
  writeRun()
  const silent = await program.run(runFile)
  expect(silent).toMatchObject({ exitCode: 1, said: 'Month end: 0 of 2 reports ready.' })

  writeRun({ send: ['everything'] })
  const refused = await program.run(runFile)
  expect(refused.exitCode).toBe(2)
  expect(refused.said).toContain('“send” isn’t allowed here')
})

/** Someone starts Bookbridge, or clicks its icon. */
async function openWindow(electronApp: ElectronApplication): Promise<Page> {
  // At first, the program doesn’t listen yet.
  await expect.poll(() => electronApp.evaluate(({ app }) => app.emit('activate'))).toBe(true)
  return program.firstWindow()
}

/** Starts a run that keeps asking a company that doesn’t respond. */
async function startSilentRun(): ReturnType<Program['startRun']> {
  const { window } = await program.start()
  await connect(window, service)
  await program.stop()
  await service.control({ company: 'Alder & Finch Builders', conditions: { machine: 'off' } })
  // It wouldn't stop asking before midnight.
  writeRun({ until: new Date(Date.now() - 60_000).toTimeString().slice(0, 5) })
  return program.startRun(runFile)
}

test(
  'a run keeps its exit code if a window is opened meanwhile, and continues if that is closed',
  { tag: '@deep' },
  async () => {
    const { electronApp, ended } = await startSilentRun()
    const early = await openWindow(electronApp)
    await early.close()
    await expect
      .poll(() => electronApp.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length))
      .toBe(0)
    const later = await openWindow(electronApp)
    await later.evaluate(() => (location.hash = '/reports/several'))
    await later.getByRole('button', { name: 'Skip Alder & Finch Builders' }).click()
    await expect(later.getByRole('progressbar', { name: /^0 of 2 ready/ })).toBeVisible()
    await later.close()
    expect(await ended).toMatchObject({ exitCode: 1, said: 'Month end: 0 of 2 reports ready.' })
  },
)

test('a run that is cut off by quitting from its window exits with 1', { tag: '@deep' }, async () => {
  const { electronApp, ended } = await startSilentRun()
  await openWindow(electronApp)
  await electronApp.evaluate(({ app }) => {
    app.quit()
  })
  expect((await ended).exitCode).toBe(1)
})

test('a run while Bookbridge is open is passed to the open program', async () => {
  const { window } = await program.start()
  await connect(window, service)
  writeRun()
  expect(await program.run(runFile)).toMatchObject({ exitCode: 0, said: 'Month end: 2 of 2 reports ready.' })
  expect(made().filter((name) => name.startsWith('Alder & Finch Builders - '))).toHaveLength(4)
  await window.getByRole('link', { name: 'Activity' }).click()
  const activity = window.getByRole('grid', { name: 'Activity' })
  await expect(activity.getByRole('row', { name: /Month end.*Done/ })).toBeVisible()
  await expect(activity.getByText('Running Profit and loss')).toHaveCount(0)
  await activity.getByRole('button', { name: 'Show the steps' }).click()
  await expect(activity.getByText('Ran Profit and loss')).toBeVisible()
  // The run left nothing behind.
  expect(readdirSync(join(program.userData, 'runs'))).toEqual([])
})
