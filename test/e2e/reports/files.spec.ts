/**
 * Saved reports, comparisons, and trends: workbook and PDF are complete and match the service's response. A comparison,
 * a trend, and the entries behind a row each need one request per report.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../fixture.ts'
import { call } from '../support/bridge.ts'
import { companyOf, exportAs, FROM, openReports, reportOf, run, saved, TO } from './steps.ts'

test('a profit and loss is saved as a workbook and as a PDF, and its chart as SVG, as PNG, and to the clipboard', async ({
  window,
  program,
  service,
}) => {
  const company = await companyOf(service, 'qbd')
  await openReports(window, service, company)
  await run(window, 'ProfitAndLoss')
  await expect(window.getByRole('img', { name: /^Profit and loss\./ })).toBeVisible()
  const stem = `${company.companyName} - Profit and loss - ${FROM} to ${TO}`

  await exportAs(window, 'Excel (.xlsx)')
  expect(await saved(program, '.xlsx')).toBe(`${stem}.xlsx`)
  expect(
    readFileSync(join(program.saveDir, `${stem}.xlsx`))
      .subarray(0, 2)
      .toString(),
  ).toBe('PK')

  await exportAs(window, 'PDF')
  expect(await saved(program, '.pdf')).toBe(`${stem}.pdf`)
  const pdf = readFileSync(join(program.saveDir, `${stem}.pdf`)).toString('latin1')
  expect(pdf.startsWith('%PDF-')).toBe(true)
  expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThanOrEqual(1)

  await exportAs(window, 'Chart as SVG')
  const svg = readFileSync(join(program.saveDir, await saved(program, '.svg')), 'utf8')
  expect(svg).toContain('Income')
  expect(svg).not.toContain('var(')
  await exportAs(window, 'Chart as PNG')
  const png = readFileSync(join(program.saveDir, await saved(program, '.png')))
  expect(png.subarray(1, 4).toString('latin1')).toBe('PNG')
  expect(png.byteLength).toBeGreaterThan(5_000)
  await exportAs(window, 'Copy chart')
  await expect(window.getByRole('status', { name: 'Messages' }).getByText('Chart copied')).toBeVisible()
})

test('a report is compared with the year before, shown over three months, and its rows lead to their entries', async ({
  window,
  service,
}) => {
  const company = await companyOf(service, 'qbd')
  await openReports(window, service, company)
  await run(window, 'ProfitAndLoss')
  await expect(window.getByRole('treegrid', { name: 'Profit and loss', exact: true })).toBeVisible()

  await window.getByRole('button', { name: 'Compare' }).click()
  await window.getByRole('menuitem', { name: /^Previous year/ }).click()
  const compared = window.getByRole('treegrid', { name: 'Profit and loss compared' })
  await expect(compared.getByRole('columnheader', { name: 'Change %' })).toBeVisible()
  // The status line names both periods.
  await expect(window.getByRole('status', { name: 'What the service is doing' })).toContainText(' vs. ')
  const now = await reportOf(service, company, 'ProfitAndLoss')
  const net = now.ReportLineData.at(-1)
  const bottom = compared.getByRole('row', { name: net?.EntityRef.FullName ?? '' })
  await expect(bottom.getByRole('gridcell').first()).toHaveText(
    new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 })
      .format(net?.Values.at(-1) as Intl.StringNumericLiteral)
      .replace('-', '\u2212'),
  )

  await window.getByRole('button', { name: 'Trend…' }).click()
  await window.getByRole('textbox', { name: 'Months' }).fill('3')
  await service.control({ latencyMs: 1_200 })
  await call(window, 'settings.set', { graceSeconds: 0 })
  await window.getByRole('button', { name: 'Run trend' }).click()
  // Reports that arrived before stopping are kept, and only the rest is requested afterward.
  await expect(window.getByRole('progressbar', { name: /: 1 of 3 periods$/ })).toBeVisible()
  await window.getByRole('toolbar', { name: 'Report' }).getByRole('button', { name: 'Stop' }).click()
  await expect(window.getByText(/^Stopped\. [12] of 3 periods are here\./)).toBeVisible()
  await service.control({ latencyMs: 0 })
  await window.getByRole('button', { name: 'Continue' }).click()
  const trend = window.getByRole('treegrid', { name: 'Profit and loss trend' })
  // A name, three months, and their sum.
  await expect(trend.getByRole('columnheader')).toHaveCount(5)

  await run(window, 'ProfitAndLoss')
  const grid = window.getByRole('treegrid', { name: 'Profit and loss', exact: true })
  await expect(grid).toBeVisible()
  const open = grid.getByRole('button', { name: /in general ledger$/ }).first()
  const account = /^Open (?:\d+ · )?(.*) in general ledger$/.exec(
    (await open.getAttribute('aria-label')) ?? '',
  )
  await open.click({ force: true })
  const ledger = window.getByRole('treegrid', { name: 'General ledger' })
  const section = ledger.getByRole('row', { selected: true, expanded: true })
  await expect(section.getByRole('rowheader')).toHaveText(new RegExp(`${account?.[1] ?? 'none'}\\s*$`))
  // The account alone, with its own total below, and the picker says what is shown.
  const picker = window.getByRole('combobox', { name: 'Report' })
  await expect(picker).toHaveValue('General ledger')
  const total = ledger.getByRole('row', { name: /^TOTAL/ })
  await expect(ledger.getByRole('row', { expanded: false })).toHaveCount(0)
  await expect(total).toBeHidden()
  await window.getByRole('button', { name: 'Show all accounts' }).click()
  await expect(total).toBeVisible()
  await expect(section).toBeVisible()
  await expect(ledger.getByRole('row', { expanded: false })).not.toHaveCount(0)
  await window.getByRole('button', { name: 'Back to Profit and loss' }).click()
  await expect(grid).toBeVisible()
  await expect(picker).toHaveValue('Profit and loss')
})
