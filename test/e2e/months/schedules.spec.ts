/**
 * **Settings → Schedules** with a stand-in `crontab` program that stores the table in a file. A deep test has the real
 * cron start a schedule if it is installed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { connect } from '../companies/steps.ts'
import { expect, type Program, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { crontabInFile } from '../support/scheduler.ts'

async function openSchedules(window: Page): Promise<void> {
  await window.getByRole('link', { name: 'Settings' }).click()
  await window.getByRole('link', { name: 'Schedules' }).click()
  await expect(window.getByRole('region', { name: 'Schedules' })).toBeVisible()
}

/** Adds a schedule with every active company's month end, with the keyboard where `fill` types anyway. */
async function addSchedule(window: Page, name: string, time: string, hasReview = false): Promise<void> {
  await window.getByRole('button', { name: 'Add schedule…' }).click()
  const dialog = window.getByRole('dialog', { name: 'Add schedule' })
  await dialog.getByLabel('Name').fill(name)
  expect(await seriousViolations(window), 'Add schedule').toEqual([])
  await dialog.getByLabel('At', { exact: true }).fill(time)
  await dialog.getByRole('checkbox', { name: 'Excel (.xlsx) of each report' }).uncheck()
  const add = dialog.getByRole('button', { name: 'Add schedule' })
  await add.click()
  await expect(dialog.getByRole('alert')).toHaveText('Choose where to save the files.')
  await dialog.getByRole('button', { name: 'Browse…' }).click()
  await expect(dialog.getByLabel('Save to')).not.toHaveValue('')
  await expect(dialog.getByRole('alert')).toHaveText('Choose what to save.')
  await dialog.getByRole('checkbox', { name: 'CSV of each report' }).check()
  if (hasReview) await dialog.getByRole('checkbox', { name: 'Review of the month' }).check()
  await dialog.getByRole('radio', { name: 'These companies' }).check()
  await dialog.getByRole('checkbox', { name: 'Alder & Finch Builders' }).check()
  await add.click()
  await expect(dialog).toBeHidden()
}

/** Returns the schedule's only run file. */
function runFileOf(program: Program): string {
  const folder = join(program.userData, 'schedules')
  const name = readdirSync(folder).find((each) => each.endsWith('.run.json'))
  return join(folder, name ?? '')
}

test('a schedule is added, started, shown as registered, and removed', async ({
  program,
  service,
}, testInfo) => {
  const { crontab, env } = crontabInFile(testInfo.outputPath('system'))
  writeFileSync(crontab, '0 1 * * * backup\n')
  const { window } = await program.start({ env })
  await connect(window, service)
  await openSchedules(window)
  await expect(window.getByRole('heading', { name: 'No schedules yet' })).toBeVisible()
  expect(await seriousViolations(window)).toEqual([])

  await addSchedule(window, 'Month end', '06:30')
  const card = window.getByRole('article', { name: 'Month end' })
  await expect(card).toContainText('Monthly on the 5th at 6:30 AM')
  await expect(window.getByRole('button', { name: 'Add schedule…' })).toBeFocused()
  await expect(card).toContainText('Month end, last month')
  await expect(card).toContainText('Alder & Finch Builders')
  await expect(card).toContainText('Not run yet')
  const [mine = '', mark = '', line = ''] = readFileSync(crontab, 'utf8').split('\n')
  expect(mine).toBe('0 1 * * * backup')
  expect(line).toMatch(/^30 6 5 \* \* /)
  await card.locator('summary').click()
  await expect(card.getByRole('region', { name: 'Registered command' })).toHaveText(`${mark}\n${line}`)
  expect(await seriousViolations(window)).toEqual([])

  await card.getByRole('button', { name: 'Run now' }).click()
  await expect(card).toContainText('5 of 5 reports ready.')
  expect(program.savedFiles().filter((name) => name.endsWith('.csv'))).toHaveLength(5)

  await card.getByRole('button', { name: 'Edit Month end…' }).click()
  const dialog = window.getByRole('dialog', { name: 'Edit schedule' })
  await expect(dialog.getByRole('checkbox', { name: 'Alder & Finch Builders' })).toBeChecked()
  await expect(dialog.getByRole('checkbox', { name: 'CSV of each report' })).toBeChecked()
  await dialog.getByLabel('At', { exact: true }).fill('05:45')
  await dialog.getByRole('checkbox', { name: 'Review of the month' }).check()
  expect(await seriousViolations(window)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(card).toContainText('Monthly on the 5th at 5:45 AM')
  await expect(card).toContainText('Month end with a review, last month')
  expect(readFileSync(crontab, 'utf8')).toMatch(/^45 5 5 \* \* /m)
  await card.getByRole('button', { name: 'Run now' }).click()
  await expect(card).toContainText(/1 of 1 month reviewed, \d+ open findings\./)
  await expect(card.getByRole('button', { name: 'Open Months' })).toBeVisible()

  await card.getByRole('button', { name: 'Remove Month end…' }).click()
  const question = window.getByRole('alertdialog', { name: 'Remove schedule' })
  await expect(question).toBeVisible()
  expect(await seriousViolations(window)).toEqual([])
  await question.getByRole('button', { name: 'Remove' }).click()
  await expect(card).toBeHidden()
  await expect(window.getByRole('button', { name: 'Add schedule…' })).toBeFocused()
  expect(readFileSync(crontab, 'utf8')).toBe('0 1 * * * backup\n')
  expect(readdirSync(join(program.userData, 'schedules'))).toEqual([])
})

test(
  'a schedule says what is wrong with it: lost, without its company, or without its file',
  { tag: '@deep' },
  async ({ program, service }, testInfo) => {
    const { crontab, env } = crontabInFile(testInfo.outputPath('system'))
    const { window } = await program.start({ env })
    await connect(window, service)
    await openSchedules(window)
    await addSchedule(window, 'Month end', '06:30')
    const card = window.getByRole('article', { name: 'Month end' })

    writeFileSync(crontab, '')
    await window.evaluate(() => globalThis.dispatchEvent(new Event('focus')))
    await expect(card).toContainText('This computer’s scheduler doesn’t have it.')
    await card.getByRole('button', { name: 'Register again' }).click()
    await expect(card).not.toContainText('doesn’t have it')
    expect(readFileSync(crontab, 'utf8')).toContain('--run=')

    const runFile = runFileOf(program)
    const content = JSON.parse(readFileSync(runFile, 'utf8')) as object
    writeFileSync(runFile, JSON.stringify({ ...content, companies: [{ id: 'e-0', name: 'Harbor Bakery' }] }))
    await window.evaluate(() => globalThis.dispatchEvent(new Event('focus')))
    await expect(card).toContainText('There is no company named “Harbor Bakery”.')
    await expect(card).toContainText('Won’t run until you fix it')
    await expect(card.getByRole('button', { name: 'Run now' })).toBeDisabled()
    // The scheduler still starts it.
    expect(await program.run(runFile)).toMatchObject({ exitCode: 2 })
    await window.evaluate(() => globalThis.dispatchEvent(new Event('focus')))
    await expect(card).toContainText(/Last.*There is no company named “Harbor Bakery”/)
    expect(program.savedFiles()).toEqual([])

    // The company that is gone can’t be chosen again, so another one has to be.
    await card.getByRole('button', { name: 'Edit Month end…' }).click()
    const dialog = window.getByRole('dialog', { name: 'Edit schedule' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog.getByRole('alert')).toHaveText('Select at least one company.')
    await dialog.getByRole('checkbox', { name: 'Alder & Finch Builders' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(card).not.toContainText('Won’t run until you fix it')

    rmSync(runFile)
    await window.evaluate(() => globalThis.dispatchEvent(new Event('focus')))
    await expect(card).toContainText('The run file can’t be read.')
    expect(await seriousViolations(window)).toEqual([])
  },
)

test(
  'if the computer has no scheduler, there is a message instead of a button',
  { tag: '@deep' },
  async ({ program }, testInfo) => {
    const { env } = crontabInFile(testInfo.outputPath('system'))
    writeFileSync(testInfo.outputPath('system', 'crontab'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const { window } = await program.start({ env })
    await window.getByRole('button', { name: 'Explore the sample' }).click()
    await openSchedules(window)
    await expect(window.getByText('This computer can’t start schedules.')).toBeVisible()
    await expect(window.getByRole('button', { name: 'Add schedule…' })).toBeHidden()
  },
)

const HAS_CRON = existsSync('/usr/sbin/cron') && process.getuid?.() === 0

test('the real cron starts a schedule with a review while Bookbridge is closed @deep', async ({
  program,
  service,
}) => {
  test.skip(!HAS_CRON, 'Cron is not installed here, or this is not root, who alone may start it.')
  test.setTimeout(300_000)
  const before = spawnSync('crontab', ['-l']).stdout.toString()
  const isRunning = spawnSync('pgrep', ['-x', 'cron']).status === 0
  const cron = isRunning ? null : spawn('/usr/sbin/cron', ['-f'], { stdio: 'ignore' })
  try {
    const { window } = await program.start()
    await connect(window, service)
    await openSchedules(window)
    const soon = new Date(Date.now() + 90_000)
    const time = soon.toTimeString().slice(0, 5)
    await addSchedule(window, 'By cron', time, true)
    const last = runFileOf(program).replace('.run.json', '.last.json')
    await program.stop()
    await expect
      .poll(() => (existsSync(last) ? readFileSync(last, 'utf8') : ''), { timeout: 240_000 })
      .toMatch(/5 of 5 reports ready\. 1 of 1 month reviewed, \d+ open findings\./)
    expect(program.savedFiles().filter((name) => name.endsWith('.csv'))).toHaveLength(5)

    const again = await program.start()
    await openSchedules(again.window)
    const card = again.window.getByRole('article', { name: 'By cron' })
    await expect(card).toContainText('5 of 5 reports ready.')
    await again.window.getByRole('link', { name: 'Companies' }).click()
    await again.window.getByRole('radio', { name: 'Months' }).click()
    const months = again.window.getByRole('grid', { name: 'Months' })
    await expect(months.getByRole('row', { name: /Alder & Finch Builders/ })).toContainText(/\d+ findings/)
    await openSchedules(again.window)
    await card.getByRole('button', { name: 'Remove By cron…' }).click()
    await again.window.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await expect(card).toBeHidden()
    expect(spawnSync('crontab', ['-l']).stdout.toString()).toBe(before)
  } finally {
    cron?.kill()
    spawnSync('crontab', before === '' ? ['-r'] : ['-'], { input: before })
  }
})
