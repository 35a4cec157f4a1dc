/** Activity, settings, and what is reached from everywhere: the palette and F1. */
import type { Step } from './step.ts'

export const restSteps: readonly Step[] = [
  {
    name: 'activity',
    shows: 'Activity: what was asked and sent, and what is unfinished',
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
    shows: 'One request: its moments, its outcome and its RequestId',
    inDocs: ['light'],
    go: async (page) => {
      const log = page.getByRole('grid', { name: 'Activity' })
      await log.getByRole('button', { name: 'Expand the requests' }).first().click()
      await log.getByRole('row').nth(2).click()
      return page.getByRole('complementary', { name: 'Details' })
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
      return page.getByRole('heading', { name: 'Schedules' })
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
