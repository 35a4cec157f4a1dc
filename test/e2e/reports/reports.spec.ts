/**
 * Reports from the service's rows to the file on disk: the table, the chart, and the CSV contain exactly what the
 * service sent.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import { guardCell } from '../../../shared/format/text.ts'
import { expect, test } from '../fixture.ts'
import { copied } from '../records/clipboard-steps.ts'
import { seriousViolations } from '../support/access.ts'
import { companyOf, exportAs, FROM, openReports, parse, reportOf, run, saved, TO } from './steps.ts'

test('profit and loss of a quarter shows the service’s figures in table, chart, and CSV, and sections fold', async ({
  window,
  program,
  service,
}) => {
  const company = await companyOf(service, 'qbd')
  await openReports(window, service, company)
  await run(window, 'ProfitAndLoss')

  const grid = window.getByRole('treegrid', { name: 'Profit and loss', exact: true })
  await expect(grid).toBeVisible()
  // Not earlier, because the service handles one request at a time.
  const answer = await reportOf(service, company, 'ProfitAndLoss')
  await expect(grid).toHaveAttribute('aria-rowcount', String(answer.ReportLineData.length + 1))
  await expect(grid.getByRole('columnheader')).toHaveText([...answer.Columns])
  await expect(window.getByRole('button', { name: /^(\d+) of \1 totals agree$/ })).toBeVisible()
  // The bottom line is visible without scrolling.
  const bottom = answer.ReportLineData.at(-1)
  await expect(grid.getByRole('rowheader', { name: bottom?.EntityRef.FullName ?? '' })).toBeInViewport()

  await expect(window.getByRole('img', { name: /^Profit and loss\. .*income [\d,]+\.\d\d/ })).toBeVisible()
  await window.getByRole('button', { name: 'Show as table' }).click()
  await expect(window.getByRole('table', { name: 'Income, expenses, and net' })).toBeVisible()

  // Sections collapse with the keyboard. A collapsed section shows its subtotal.
  const first = grid.getByRole('row', { expanded: true }).first()
  // The table draws only visible rows, so rows are found by name, not counted.
  const inside = (await grid.getByRole('row', { level: 2 }).first().getByRole('rowheader').innerText()).trim()
  const hidden = grid.getByRole('rowheader', { name: inside, exact: true })
  await expect(hidden).toBeVisible()
  await grid.focus()
  await window.keyboard.press('Home')
  await window.keyboard.press('ArrowLeft')
  const folded = grid.getByRole('row', { expanded: false }).first()
  await expect(folded).toHaveAttribute('aria-level', '1')
  await expect(folded.getByRole('gridcell').last()).toHaveText(/\d/)
  await expect(hidden).toHaveCount(0)
  await window.keyboard.press('ArrowRight')
  await expect(first.getByRole('gridcell').last()).toHaveText('')

  await test.step('a row is copied in spreadsheet format, and the whole report with its headings', async () => {
    await window.keyboard.press('End')
    const total = answer.ReportLineData.at(-1)
    expect((await copied(window)).text).toBe(
      [total?.EntityRef.FullName, ...(total?.Values ?? [])].join('\t') + '\r\n',
    )
    await window.keyboard.press('Control+Shift+c')
    await expect(window.getByRole('status', { name: 'Messages' })).toContainText(/Report copied: \d+ rows/)
  })
  await test.step('selected cells are added up, and copied as a block', async () => {
    const lines = answer.ReportLineData
    const top = lines.findIndex(
      ({ RowType }, at) => RowType === 'DataRow' && lines[at + 1]?.RowType === RowType,
    )
    await grid.press('Home')
    const cell = (row: number, column: number): Locator =>
      grid.locator(`[aria-rowindex="${String(row + 2)}"] [data-column="${String(column)}"]`)
    await cell(top, 0).hover()
    await window.mouse.down()
    await cell(top + 1, 1).hover()
    await window.mouse.up()
    const sum = window.getByRole('status', { name: 'Selected cells' })
    await expect(sum).toHaveText(/^Count 4 · Sum [\d,.]+ · Average [\d,.]+$/)
    const block = [top, top + 1].map((row) => `${(lines[row]?.Values ?? []).slice(0, 2).join('\t')}\r\n`)
    expect((await copied(window)).text).toBe(block.join(''))
    await window.keyboard.press('Shift+ArrowLeft')
    await expect(sum).toContainText('Count 2 ·')
    await window.keyboard.press('Escape')
    await expect(sum).toHaveCount(0)
  })

  await test.step('a row is found by a word in it', async () => {
    const sought = answer.ReportLineData.find(({ RowType }) => RowType === 'DataRow')
    await window.keyboard.press('Control+f')
    await window.keyboard.type(sought?.EntityRef.FullName ?? '')
    const found = grid.getByRole('row', { selected: true })
    await expect(found.getByRole('rowheader')).toHaveText(sought?.EntityRef.FullName ?? '')
    await window.keyboard.type(' nowhere')
    await expect(window.getByRole('status').filter({ hasText: 'No row contains' })).toBeVisible()
    await window.keyboard.press('Escape')
    await expect(grid).toBeFocused()
  })

  await test.step('a period is chosen and run by keyboard in three steps, and a day is picked in the calendar', async () => {
    await window.getByRole('combobox', { name: 'Period' }).focus()
    await window.keyboard.type('last month')
    await window.keyboard.press('Enter')
    await window.keyboard.press('Enter')
    await expect(grid.getByRole('columnheader').nth(1)).not.toHaveText(answer.Columns[1] ?? '')
    await run(window, 'BalanceSheet')
    await expect(window.getByRole('treegrid', { name: 'Balance sheet', exact: true })).toBeVisible()
    const asOf = window.getByLabel('As of', { exact: true })
    await asOf.press('Alt+ArrowDown')
    await expect(window.getByRole('dialog', { name: 'As of: calendar' })).toBeVisible()
    expect(await seriousViolations(window)).toEqual([])
    await window.keyboard.press('ArrowLeft')
    await window.keyboard.press('Enter')
    await expect(asOf).toHaveValue('3/30/2026')
    await asOf.press('Control+Enter')
    await expect(
      window.getByText('As of Mar 30, 2026').or(window.getByText('as of Mar 30, 2026')).first(),
    ).toBeVisible()
    await run(window, 'ProfitAndLoss')
    await expect(grid).toBeVisible()
  })

  await exportAs(window, 'CSV, as shown')
  const name = await saved(program, '.csv')
  expect(name).toBe(`${company.companyName} - Profit and loss - ${FROM} to ${TO}.csv`)
  const text = readFileSync(join(program.saveDir, name), 'utf8')
  expect(text.startsWith('\ufeff')).toBe(true)
  const lines = answer.ReportLineData.map(({ EntityRef, Values }) => [
    guardCell(EntityRef.FullName),
    ...Array.from({ length: answer.Columns.length - 1 }, (_, column) => guardCell(Values[column] ?? '')),
  ])
  expect(parse(text)).toEqual([[...answer.Columns], ...lines])
})

test(
  'in a narrow window, a ledger identifies each entry, and a trend shows whole months and that it continues',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openReports(window, service, await companyOf(service, 'qbd'))
    const narrow = () => window.setViewportSize({ width: 1100, height: 700 })
    await run(window, 'GeneralLedger')
    const ledger = window.getByRole('treegrid', { name: 'General ledger' })
    await expect(ledger).toBeVisible()
    await narrow()
    await expect(ledger.getByRole('columnheader')).toHaveText([
      'Date',
      'Type',
      'No.',
      'Name',
      'Memo',
      'Debit',
      'Credit',
      'Balance',
    ])
    const isOverflowing = (grid: Locator) => grid.evaluate((node) => node.scrollWidth > node.clientWidth)
    expect(await isOverflowing(ledger)).toBe(false)

    await window.setViewportSize({ width: 1366, height: 800 })
    await run(window, 'ProfitAndLoss')
    await expect(window.getByRole('treegrid', { name: 'Profit and loss', exact: true })).toBeVisible()
    await narrow()
    expect(await isOverflowing(window.getByRole('treegrid'))).toBe(false)
    await window.getByRole('button', { name: 'Trend…', exact: true }).click()
    await expect(window.getByRole('dialog', { name: 'Trend' })).toBeVisible()
    expect(await seriousViolations(window)).toEqual([])
    await window.getByRole('button', { name: 'Run trend' }).click()
    const trend = window.getByRole('treegrid', { name: 'Profit and loss trend' })
    await expect(trend).toBeVisible()
    /** Headings that are partly covered by the pinned columns. */
    const cut = () =>
      trend.getByRole('columnheader').evaluateAll((headings) => {
        const boxes = headings.map((heading) => heading.getBoundingClientRect())
        const [left, right] = [boxes[0]?.right ?? 0, boxes.at(-1)?.left ?? 0]
        return boxes
          .slice(1, -1)
          .filter((box) => [left, right].some((edge) => box.left < edge - 1 && box.right > edge + 1)).length
      })
    await expect(window.getByRole('columnheader', { name: 'Total' })).toBeInViewport({ ratio: 1 })
    expect(await isOverflowing(trend)).toBe(true)
    expect(await cut()).toBe(0)
    await expect(window.locator('.edge')).toHaveClass([/after/])
    await trend.press('Shift+ArrowRight')
    await expect(window.locator('.edge')).toHaveClass([/before/, /after/])
    await expect.poll(cut).toBe(0)
    await trend.hover()
    await window.mouse.wheel(2_000, 0)
    await expect(window.locator('.edge')).toHaveClass([/before/])
    await expect.poll(cut).toBe(0)
    // Wherever scrolling ends.
    await window.mouse.wheel(-50, 0)
    await expect.poll(cut).toBe(0)
  },
)

test(
  'a report is kept while other screens and books are open, can be stopped, and an unavailable one says so',
  { tag: '@deep' },
  async ({ window, service }) => {
    const company = await companyOf(service, 'qbd')
    const other = await companyOf(service, 'qbo')
    await openReports(window, service, company)
    await run(window, 'BalanceSheet')
    const sheet = window.getByRole('treegrid', { name: 'Balance sheet', exact: true })
    await expect(sheet).toBeVisible()
    await window.getByRole('link', { name: 'Settings' }).click()
    await window.getByRole('link', { name: 'Reports' }).click()
    await expect(sheet).toBeVisible()
    await window.getByRole('button', { name: /^Company/ }).click()
    await window.getByRole('option', { name: other.companyName }).first().click()
    await expect(window.getByRole('heading', { name: 'No report yet' })).toBeVisible()

    await run(window, 'NoSuchReport')
    await expect(window.getByRole('alert').first()).toBeVisible()
    await window.getByRole('button', { name: 'Details' }).click()
    await expect(window.getByText(/NoSuchReport/).first()).toBeVisible()

    await service.control({ latencyMs: 8_000 })
    await run(window, 'ProfitAndLoss')
    await expect(window.getByText(/no response yet/)).toBeVisible()
    await window.getByRole('toolbar', { name: 'Report' }).getByRole('button', { name: 'Stop' }).click()
    await expect(window.getByText('No report was created.')).toBeVisible()
  },
)

test(
  'a period such as last month is counted from the current day while the window stays open',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openReports(window, service, await companyOf(service, 'qbd'))
    await window.getByRole('link', { name: 'Settings' }).click()
    await window.clock.install({ time: new Date(2026, 10, 30, 23, 55) })
    await window.getByRole('link', { name: 'Reports' }).click()
    const from = window.getByRole('textbox', { name: 'From' })
    await expect(from).toHaveValue('10/1/2026')
    await window.clock.runFor(6 * 60_000)
    await expect(from).toHaveValue('11/1/2026')
  },
)
