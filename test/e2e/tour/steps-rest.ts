/** Activity, Settings, and what opens from everywhere: the palette and F1. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { CallInput } from '../../../shared/contract/contract.ts'
import { call } from '../support/bridge.ts'
import type { Program } from '../support/program.ts'
import type { Step } from './step.ts'

/** Adds a schedule that ran, one whose company is gone, and one with a damaged file. */
async function addSchedules(page: Page, { userData }: Program): Promise<void> {
  const { connections } = await call(page, 'connection.list', {})
  const connectionId = connections[0]?.connectionId ?? ''
  const { companies } = await call(page, 'companies.list', { connectionId })
  const { path } = await call(page, 'schedules.choose', { what: 'folder' })
  const add = async (
    input: Omit<CallInput<'schedules.add'>, 'run'>,
    endpointIds: readonly string[] | null,
  ) => {
    const { scheduleId } = await call(page, 'schedules.add', {
      ...input,
      run: {
        ...{ from: 'choices', connectionId, endpointIds, set: 'Month end', period: 'last-month' },
        ...{
          fileKinds: ['xlsx'],
          pack: false,
          combined: false,
          review: endpointIds === null,
          until: '11:00',
          folder: path ?? '',
        },
      },
    })
    return scheduleId
  }
  const folder = join(userData, 'schedules')
  const ran = await add({ name: 'Month end', when: { every: 'month', day: 5, time: '06:00' } }, null)
  await call(page, 'schedules.runNow', { scheduleId: ran })
  const weekly = { name: 'Owner’s reports', when: { every: 'week', weekday: 1, time: '07:30' } } as const
  const troubled = await add(weekly, [companies[0]?.ref.endpointId ?? ''])
  const runFile = join(folder, `${troubled}.run.json`)
  const run = JSON.parse(readFileSync(runFile, 'utf8')) as object
  writeFileSync(runFile, JSON.stringify({ ...run, companies: [{ id: 'gone', name: 'Harbor Bakery' }] }))
  const damaged = await add({ name: 'Damaged', when: { every: 'day', time: '06:00' } }, null)
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${damaged}.schedule`)) writeFileSync(join(folder, name), '{')
  }
}

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
    name: 'month-close',
    shows: 'Close the month: what follows from it, who signs, and a note',
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
      const dialog = page.getByRole('dialog', { name: 'Close the month' })
      await dialog.getByLabel('Note').fill('Sent to the client')
      return dialog
    },
  },
  {
    name: 'month-closed',
    shows: 'A closed month: what was decided, and whether it was checked since',
    inDocs: [],
    alsoSmall: true,
    go: async (page) => {
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
    go: async (page, { program }) => {
      await page.getByRole('link', { name: 'Schedules' }).click()
      await page.getByRole('button', { name: 'Add schedule…' }).waitFor()
      await addSchedules(page, program)
      const schedules = page.getByRole('list', { name: 'Schedules' })
      await schedules.getByText(/reports ready/).waitFor()
      await schedules.getByText('Harbor Bakery').first().waitFor()
      return page.getByText('is damaged')
    },
  },
  {
    name: 'add-schedule',
    shows: 'Add schedule: what it reads, for whom, and when',
    inDocs: [],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('button', { name: 'Add schedule…' }).click()
      return page.getByRole('dialog', { name: 'Add schedule' })
    },
  },
  {
    name: 'palette',
    shows: 'The palette: companies, screens, lists, reports and commands by name',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.keyboard.press('Escape')
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
