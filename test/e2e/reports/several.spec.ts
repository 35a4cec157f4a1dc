/**
 * Reports for several companies as one run, and month end: each company is tested first, and silent ones come last, if
 * the user says so. Reports that an application lacks are listed. A kill in the middle loses nothing and creates
 * nothing twice.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { call } from '../support/bridge.ts'
import { companyOf, FROM, openReports, parse, reportOf, TO } from './steps.ts'

async function choosePeriod(window: Page): Promise<void> {
  const period = window.getByRole('combobox', { name: 'Period' })
  await period.fill('Custom dates')
  await period.press('Enter')
  await window.getByLabel('From', { exact: true }).fill(FROM)
  await window.getByLabel('To', { exact: true }).fill(TO)
}

test(
  'a set for all companies asks silent ones last, skips or retries them, and continues after a kill',
  { tag: '@deep' },
  async ({ window, program, service }) => {
    const desktop = await companyOf(service, 'qbd')
    const online = await companyOf(service, 'qbo')
    await service.control({ company: desktop.companyName, conditions: { agent: 'stopped' } })
    await openReports(window, service, desktop)
    // A page about several companies has no company’s color.
    const page = window.getByRole('main')
    await expect(page).not.toHaveAttribute('data-band', 'none')
    await window.getByRole('button', { name: 'For several companies…' }).click()
    await expect(page).toHaveAttribute('data-band', 'none')
    const reports = window.getByRole('combobox', { name: 'Reports' })
    await reports.fill('ARAgingDetail')
    await reports.press('Enter')
    await choosePeriod(window)
    await expect(window.getByRole('checkbox', { name: /^All \d+ active companies$/ })).toBeChecked()
    await window.getByRole('checkbox', { name: 'CSV of each report' }).check()
    await window.getByRole('button', { name: 'Start', exact: true }).click()

    // The others come first. Then the user is asked about the silent one.
    await expect(window.getByRole('button', { name: `Try ${desktop.companyName} again` })).toBeVisible()
    await expect(window.getByText(/called Aged receivables in Online/)).toBeVisible()

    // The form, and a run that needs the user.
    expect(await seriousViolations(window)).toEqual([])
    await program.kill()
    const again = (await program.start()).window
    await again.getByRole('link', { name: 'Reports' }).click()
    await again.getByRole('button', { name: 'For several companies…' }).click()
    await service.control({ company: desktop.companyName, conditions: { agent: 'running' } })
    await again.getByRole('button', { name: `Try ${desktop.companyName} again` }).click()
    await expect(again.getByRole('progressbar', { name: /^(\d+) of \1 ready$/ })).toBeVisible()

    // Each company's files are in its folder, and the combined ones are beside the folders.
    const files = [
      ...program.savedFiles(),
      ...[online, desktop].flatMap(({ companyName }) => readdirSync(join(program.saveDir, companyName))),
    ]
    const csv = `${online.companyName} - Aged receivables - ${FROM} to ${TO}.csv`
    expect(files).toContain(csv)
    expect(files).toContain(`${desktop.companyName} - Receivables aging detail - ${FROM} to ${TO}.xlsx`)
    expect(
      files.filter((name) => / companies - Receivables aging detail - .*\.xlsx$/.test(name)),
    ).toHaveLength(1)
    // Nothing was created twice.
    expect(files.filter((name) => / \(2\)\./.test(name))).toEqual([])
    const answer = await reportOf(service, online, 'AgedReceivables')
    const rows = parse(readFileSync(join(program.saveDir, online.companyName, csv), 'utf8'))
    expect(rows.slice(1).map((row) => row.at(-1))).toEqual(
      answer.ReportLineData.map(({ Values }) => Values.at(-1) ?? ''),
    )
  },
)

test('the month-end reports of one company are saved as files, and as one PDF with a cover', async ({
  window,
  program,
  service,
}) => {
  const company = await companyOf(service, 'qbo')
  await openReports(window, service, company)
  await window.getByRole('button', { name: 'For several companies…' }).click()
  await expect(window.getByRole('combobox', { name: 'Reports' })).toHaveValue('Month end')
  await window.getByRole('checkbox', { name: /^All \d+ active companies$/ }).uncheck()
  await window.getByRole('checkbox', { name: company.companyName }).check()
  await expect(window.getByRole('textbox', { name: 'Name' })).toHaveValue(/^Month end – \w+ \d{4}$/)
  await choosePeriod(window)
  await service.control({ latencyMs: 1_500 })
  await call(window, 'settings.set', { graceSeconds: 0 })
  await window.getByRole('button', { name: 'Start', exact: true }).click()
  await expect(window.getByText('running', { exact: true })).toBeVisible()
  const runs = window.getByRole('region', { name: 'Runs' })
  await runs.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(window.getByRole('progressbar', { name: /^Stopped: / })).toBeVisible()
  await service.control({ latencyMs: 0 })
  await window.getByRole('button', { name: 'Continue' }).click()
  await expect(window.getByRole('progressbar', { name: '5 of 5 ready', exact: true })).toBeVisible()

  const files = program.savedFiles()
  expect(files.filter((name) => name.endsWith('.xlsx'))).toHaveLength(5)
  const pack = `${company.companyName} - Month end - ${FROM} to ${TO}.pdf`
  expect(files).toContain(pack)
  const pdf = readFileSync(join(program.saveDir, pack)).toString('latin1')
  // A cover, and at least one page for each report.
  expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThanOrEqual(6)
})
