/**
 * Reports of a service whose books have errors or are larger than any real ones: what doesn't add up and what didn't
 * arrive is reported and leads to its row, a ledger of 200,000 rows is as fast as one of ten, and only the failed
 * reports of a run are made again.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { partsOf } from '../../unit/files/workbook-fixture.ts'
import { expect, test } from '../fixture.ts'
import { longestPause, slowness, watchPauses } from '../support/pauses.ts'
import { type ReportAnswer, type ReportsCompany, ReportsService, row } from './service.ts'
import { exportAs, FROM, openReports, run, saved, TO } from './steps.ts'

const HOLM: ReportsCompany = { endpointId: 'h 1/x', companyName: 'Holm & Daughters', endpoint: 'qbd' }
const KITE: ReportsCompany = { endpointId: 'kite', companyName: 'Kite Bakery', endpoint: 'qbd' }

/** A report's content item. */
function report(Columns: readonly string[], ReportLineData: readonly unknown[]): ReportAnswer {
  const [StartDate, EndDate] = [`${FROM}T00:00:00`, `${TO}T00:00:00`]
  return { report: { ReportType: '', StartDate, EndDate, Columns, ReportLineData } }
}

/** Each spec has its own service, which ends with the spec. */
async function withService(
  answer: ReportsService['answer'],
  work: (service: ReportsService) => Promise<void>,
): Promise<void> {
  const service = await ReportsService.start([HOLM, KITE], answer)
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

test('what doesn’t add up, and what the service couldn’t read, is stated above the report and in its files', async ({
  window,
  program,
}) => {
  const answer: ReportAnswer = {
    ...(report(
      ['', 'Jan 2026', 'Feb 2026'],
      [
        row('TextRow', 'Overheads'),
        ...Array.from({ length: 60 }, (_, index) =>
          row('DataRow', `Cost ${String(index)}`, ['1.00', '-2.50']),
        ),
        row('SubtotalRow', 'Total Overheads', ['60.01', '-150.00']),
        row('TextRow', 'Other'),
        row('DataRow', 'Fines', ['0.10', '0.20']),
        row('SubtotalRow', 'Total Other', ['0.10', '0.30']),
      ],
    ) as { report: Record<string, unknown> }),
    errors: [{ Code: '77', Message: 'Three accounts could not be read.' }],
  }
  await withService(
    () => answer,
    async (service) => {
      await openReports(window, service, HOLM)
      await run(window, 'CostsByRoom')
      const grid = window.getByRole('treegrid', { name: 'CostsByRoom' })
      await expect(window.getByText('2 totals don’t add up.')).toBeVisible()
      await expect(
        window.getByText(/Total Overheads in Jan 2026 is 60\.01 and its parts come to 60\.00/),
      ).toBeVisible()
      await expect(window.getByText('This report may be incomplete.')).toBeVisible()
      await expect(window.getByText('The service says: Three accounts could not be read.')).toBeVisible()

      const wrong = grid.getByRole('row', { name: /Total Overheads/ })
      await expect(wrong).toHaveCount(0)
      await window.getByRole('button', { name: 'Go to the row' }).click()
      await expect(wrong).toBeInViewport()
      await expect(wrong).toHaveAttribute('aria-selected', 'true')
      await expect(wrong.getByRole('img', { name: 'Does not add up' })).toBeVisible()
      await expect(grid).toBeFocused()
      await window.getByRole('button', { name: 'Show the other one' }).click()
      await window.getByRole('button', { name: 'Go to the row' }).nth(1).click()
      await expect(grid.getByRole('row', { selected: true })).toContainText('Total Other')

      await exportAs(window, 'Excel (.xlsx)')
      const parts = await partsOf(readFileSync(join(program.saveDir, await saved(program, '.xlsx'))))
      expect(parts['xl/worksheets/sheet1.xml']).toContain('See the sheet Checks.')
      expect(parts['xl/worksheets/sheet2.xml']).toContain('Three accounts could not be read.')
      expect(parts['xl/worksheets/sheet2.xml']).toContain('Total Other in Feb 2026 is 0.30')
    },
  )
})

const LEDGER_ROWS = 200_000
/** A pause that a user notices, in ms, on an idle machine. */
const NOTICED = 150

/** Accounts with 98 entries each and correct subtotals. */
function ledger(): ReportAnswer {
  const rows: unknown[] = []
  for (let account = 1; rows.length < LEDGER_ROWS; account += 1) {
    rows.push(row('TextRow', `${String(account)} Account`, [], String(account)))
    let cents = 0
    for (let entry = 0; entry < 98; entry += 1) {
      const amount = ((account * 131 + entry * 17) % 100_000) - 40_000
      cents += amount
      rows.push(row('DataRow', 'Cheque', ['2026-02-03', `memo ${String(entry)}`, (amount / 100).toFixed(2)]))
    }
    rows.push(row('SubtotalRow', `Total ${String(account)} Account`, ['', '', (cents / 100).toFixed(2)]))
  }
  return report(['', 'Date', 'Memo', 'Amount'], rows)
}

test(
  'a ledger of 200,000 rows loads, scrolls, folds, and hides its zero rows without a pause',
  { tag: '@deep' },
  async ({ window }, testInfo) => {
    const whole = ledger()
    await withService(
      () => whole,
      async (service) => {
        await openReports(window, service, HOLM)
        await watchPauses(window)
        const factor = await slowness(window)
        await longestPause(window)
        await run(window, 'GeneralLedger')
        const grid = window.getByRole('treegrid', { name: 'General ledger' })
        await expect(grid).toHaveAttribute('aria-rowcount', String(LEDGER_ROWS + 1))
        await expect(window.getByRole('button', { name: '2,000 of 2,000 totals agree' })).toBeVisible()
        const pauses: Record<string, number> = { read: await longestPause(window) }

        await grid.hover()
        for (let step = 0; step < 20; step += 1) await window.mouse.wheel(0, 30_000)
        pauses['scroll'] = await longestPause(window)
        await grid.focus()
        await window.keyboard.press('End')
        await expect(grid.getByRole('row', { selected: true })).toContainText('Total 2000 Account')
        await window.keyboard.press('Home')
        await window.keyboard.press('ArrowLeft')
        await expect(grid.getByRole('row', { selected: true })).toHaveAttribute('aria-expanded', 'false')
        pauses['fold'] = await longestPause(window)
        await window.getByRole('checkbox', { name: 'Zero rows' }).uncheck()
        await expect(grid.getByRole('row', { name: /2 Account/ }).first()).toBeVisible()
        pauses['zero rows'] = await longestPause(window)

        const all = Object.entries(pauses).map(([name, pause]) => `${name}: ${pause.toFixed(0)} ms`)
        testInfo.annotations.push({
          type: 'longest pauses',
          description: `${all.join(', ')}; slowness ${factor.toFixed(1)}`,
        })
        for (const [name, pause] of Object.entries(pauses)) {
          expect(pause, `${name}, of ${all.join(', ')}`).toBeLessThan(NOTICED * factor)
        }
      },
    )
  },
)

async function startRun(window: Page): Promise<void> {
  await window.getByRole('button', { name: 'For several companies…' }).click()
  // The single report's Period is shown until the form opens.
  const reports = window.getByRole('combobox', { name: 'Reports' })
  await reports.fill('ProfitAndLoss')
  await reports.press('Enter')
  const period = window.getByRole('combobox', { name: 'Period' })
  await period.fill('Custom dates')
  await period.press('Enter')
  await window.getByLabel('From', { exact: true }).fill(FROM)
  await window.getByLabel('To', { exact: true }).fill(TO)
  await expect(window.getByRole('checkbox', { name: 'All 2 active companies' })).toBeChecked()
  await window.getByRole('button', { name: 'Start', exact: true }).click()
}

test(
  'Retry repeats only what failed in a run, and both companies are shown side by side',
  { tag: '@deep' },
  async ({ window, program }) => {
    let refuses = true
    const statement = (rent: string): ReportAnswer =>
      report(['', 'Total'], [row('DataRow', 'Rent', [rent], '1'), row('TotalRow', 'TOTAL', [rent])])
    await withService(
      ({ companyName }) => {
        if (companyName === HOLM.companyName) return statement('0.10')
        return refuses ? { error: 'You may not see this report.' } : statement('0.20')
      },
      async (service) => {
        await openReports(window, service, HOLM)
        await startRun(window)
        await expect(
          window.getByRole('progressbar', { name: '1 of 2 ready, 1 failed', exact: true }),
        ).toBeVisible()
        const table = window.getByRole('table', { name: /^Reports of Profit and loss – / })
        await expect(table.getByText('The service says: You may not see this report.')).toBeVisible()
        refuses = false
        service.asked.length = 0
        await window.getByRole('button', { name: 'Retry failed reports' }).click()
        await expect(window.getByRole('progressbar', { name: '2 of 2 ready', exact: true })).toBeVisible()
        expect(service.asked).toEqual([`Kite Bakery ProfitAndLoss ${FROM} ${TO}`])
        expect(service.mostAtOnce).toBe(1)

        // The form still works above a run that has ended.
        await window.getByRole('button', { name: 'New run…' }).click()
        const reports = window.getByRole('combobox', { name: 'Reports' })
        await reports.fill('TrialBalance')
        await reports.press('Enter')
        await expect(reports).toHaveValue('Trial balance')

        const stem = `2 companies - Profit and loss - ${FROM} to ${TO}`
        // Each company's workbook, and the combined one, which is complete now.
        const folders = ['', HOLM.companyName, KITE.companyName].map((name) => join(program.saveDir, name))
        const workbooks = folders
          .flatMap((folder) => readdirSync(folder))
          .filter((name) => name.endsWith('.xlsx'))
        expect(workbooks).toHaveLength(3)
        const parts = await partsOf(readFileSync(join(program.saveDir, `${stem}.xlsx`)))
        const sheet = parts['xl/worksheets/sheet1.xml'] ?? ''
        expect([...sheet.matchAll(/<v>([^<]*)<\/v>/g)].map(([, value]) => value)).toEqual(
          // Rent, and the total: each company's, and their sum to the cent.
          ['0.10', '0.20', '0.30', '0.10', '0.20', '0.30'],
        )
      },
    )
  },
)
