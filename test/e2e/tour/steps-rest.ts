/** Activity, Settings, and what opens from everywhere: the palette and F1. */
import { call } from '../support/bridge.ts'
import type { Step } from './step.ts'

export const restSteps: readonly Step[] = [
  {
    name: 'months',
    shows: 'Months: how far each client’s month is, and what to do next',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Companies' }).click()
      await page.getByRole('radio', { name: 'Months' }).click()
      await page.getByRole('button', { name: /^Get reports for/ }).click()
      // The tour's clock stands still, but reading continues.
      const reviews = page.getByRole('button', { name: /^Review,/ })
      await reviews.nth(2).waitFor()
      await page.getByRole('button', { name: 'Stop reading' }).waitFor({ state: 'hidden' })
      return reviews.first()
    },
  },
  {
    name: 'month-review',
    shows: 'A client’s month: findings by rule, worst first, with the report’s row beside',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page
        .getByRole('button', { name: /^Review,/ })
        .first()
        .click()
      return page.getByRole('heading', { name: 'Where to look' })
    },
  },
  {
    name: 'month-closed',
    shows: 'A closed month: what was decided, and whether it was checked since',
    inDocs: [],
    alsoSmall: true,
    go: async (page) => {
      // The same name on every machine.
      await call(page, 'settings.set', { preparer: 'Ana Ruiz' })
      const open = page.locator('[data-finding]')
      for (let left = await open.count(); left > 0; left -= 1) {
        await page.keyboard.press('a')
        await open.nth(left - 1).waitFor({ state: 'hidden' })
      }
      await page.getByRole('button', { name: 'Close the month…' }).click()
      await page.getByRole('dialog').getByLabel('Note').fill('Sent to the client')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Reopen…' }).waitFor()
      await call(page, 'settings.set', { preparer: '' })
      await page.getByRole('button', { name: 'Save the review pack' }).nth(1).waitFor({ state: 'hidden' })
      return page.getByText(/Not checked since it was closed/)
    },
  },
  {
    name: 'month-changed',
    shows: 'What changed since a month was closed: by account, and by entry',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      const company = await page.getByRole('heading', { level: 1 }).textContent()
      await call(page, 'sample.control', { company: company ?? '', lateEntry: true })
      await page.getByRole('button', { name: /^Check for changes/ }).click()
      await page.getByRole('region', { name: 'Changed amounts' }).waitFor()
      await page.getByRole('button', { name: 'Stop reading' }).waitFor({ state: 'hidden' })
      return page.getByRole('button', { name: 'Accept the change…' })
    },
  },
  {
    name: 'activity',
    shows: 'Activity: what was read and sent, and what is unfinished',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Activity' }).click()
      return page.getByRole('grid', { name: 'Activity' }).getByRole('row').nth(1)
    },
  },
  {
    name: 'activity-details',
    shows: 'One line of the log: its time, its outcome, and what support needs',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      const log = page.getByRole('grid', { name: 'Activity' })
      await log.getByRole('button', { name: 'Show the steps' }).first().click()
      await log.getByRole('row').nth(2).click()
      const details = page.getByRole('complementary', { name: 'Details' })
      await details.locator('summary').click()
      return details
    },
  },
  {
    name: 'settings',
    shows: 'Settings: connections',
    inDocs: ['light'],
    go: async (page) => {
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('link', { name: 'Connections' }).click()
      return page.getByRole('heading', { name: 'Connections' })
    },
  },
  {
    name: 'settings-appearance',
    shows: 'Settings: light, dark or as the system has it',
    inDocs: [],
    go: async (page) => {
      await page.getByRole('link', { name: 'Appearance' }).click()
      return page.getByRole('heading', { name: 'Appearance' })
    },
  },
  {
    name: 'settings-schedules',
    shows: 'Settings: what this computer’s scheduler starts by itself',
    inDocs: [],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('link', { name: 'Schedules' }).click()
      return page.getByRole('heading', { name: 'Schedules', exact: true })
    },
  },
  {
    name: 'palette',
    shows: 'The palette: companies, screens, lists, reports and commands by name',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.keyboard.press('Control+K')
      await page.getByRole('combobox', { name: 'Find or go to…' }).fill('al')
      return page.getByRole('listbox', { name: 'Find or go to…' }).getByRole('option').first()
    },
  },
  {
    name: 'shortcuts',
    shows: 'F1: the shortcuts',
    inDocs: [],
    go: async (page) => {
      await page.keyboard.press('Escape')
      await page.keyboard.press('F1')
      return page.getByRole('dialog', { name: 'Shortcuts' })
    },
  },
]
