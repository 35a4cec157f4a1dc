/** Reports: choosing and running one, reading it, and what can be done with it. */
import type { Page } from '@playwright/test'
import type { Step } from './step.ts'

async function run(page: Page, report: string): Promise<void> {
  const name = page.getByRole('combobox', { name: 'Report', exact: true })
  await name.fill(report)
  await name.press('Enter')
  const period = page.getByRole('combobox', { name: 'Period' })
  await period.fill('Last quarter')
  await period.press('Enter')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
}

export const reportSteps: readonly Step[] = [
  {
    name: 'profit-and-loss',
    shows: 'Profit and loss of a quarter, as a table and a chart',
    inDocs: ['light', 'dark'],
    alsoSmall: true,
    go: async (page) => {
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Reports' }).click()
      // The result of sending is shown for some seconds, also over other screens.
      await page.getByRole('status', { name: 'Messages' }).getByText('saved').waitFor({ state: 'hidden' })
      await run(page, 'ProfitAndLoss')
      await page.getByRole('img', { name: /^Profit and loss/ }).waitFor()
      return page.getByRole('treegrid', { name: 'Profit and loss' })
    },
  },
  {
    name: 'report-entries',
    shows: 'The entries behind a row, in the general ledger',
    inDocs: [],
    alsoSmall: true,
    go: async (page) => {
      await page
        .getByRole('treegrid', { name: 'Profit and loss' })
        .getByRole('button', { name: /in general ledger$/ })
        .first()
        .click()
      return page.getByRole('treegrid', { name: 'General ledger' }).getByRole('row', { selected: true })
    },
  },
  {
    name: 'balance-sheet',
    shows: 'A balance sheet: assets, and liabilities and equity',
    inDocs: ['light'],
    go: async (page) => {
      await run(page, 'BalanceSheet')
      await page.getByRole('img', { name: /^Balance sheet/ }).waitFor()
      return page.getByRole('treegrid', { name: 'Balance sheet' })
    },
  },
  {
    name: 'report-export',
    shows: 'What a report can be saved as',
    inDocs: [],
    go: async (page) => {
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      return page.getByRole('menuitem').first()
    },
  },
  {
    name: 'report-compared',
    shows: 'A report beside the year before',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.keyboard.press('Escape')
      await run(page, 'ProfitAndLoss')
      await page.getByRole('treegrid', { name: 'Profit and loss', exact: true }).waitFor()
      await page.getByRole('button', { name: 'Compare' }).click()
      await page.getByRole('menuitem', { name: /^Previous year/ }).click()
      return page.getByRole('treegrid', { name: 'Profit and loss compared' })
    },
  },
  {
    name: 'month-end',
    shows: 'The reports of a month for all companies',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('button', { name: 'For several companies…' }).click()
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      return page.getByRole('progressbar', { name: /^\d+ of \d+ ready/ })
    },
  },
]
