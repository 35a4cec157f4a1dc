// The tour as data: where it goes, in order, and what each picture shows. `npm run tour` walks it on the sample
// and keeps the pictures that the docs show. Each step begins where the one before it ended.
import type { Page } from '@playwright/test'

export type Step = {
  /** The picture's name: `companies` becomes `companies-light.png` and its like. */
  readonly name: string
  /** What the picture shows, for the reader of the docs and for the line that is printed. */
  readonly shows: string
  /** Goes there and waits until what is to be shown is on screen. */
  readonly go: (page: Page) => Promise<void>
  /** Also in a narrow window and at 200 %. */
  readonly alsoSmall?: true
}

/** How each picture is taken. A window at 200 % lays out as one of half its size. */
export const views = [
  { name: 'light', colorScheme: 'light', width: 1366, height: 800, small: false },
  { name: 'dark', colorScheme: 'dark', width: 1366, height: 800, small: false },
  { name: 'narrow', colorScheme: 'light', width: 900, height: 800, small: true },
  { name: '200-percent', colorScheme: 'light', width: 683, height: 400, small: true },
] as const

export const steps: readonly Step[] = [
  {
    name: 'first-start',
    shows: 'First start: explore the sample, or connect your service',
    go: (page) => page.getByRole('button', { name: 'Explore the sample' }).waitFor(),
  },
  {
    name: 'companies',
    shows: 'Companies: all companies of the connection',
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('button', { name: 'Explore the sample' }).click()
      await page.getByRole('grid', { name: 'Companies' }).getByRole('row').nth(1).waitFor()
    },
  },
  {
    name: 'switcher',
    shows: 'The company switcher',
    go: async (page) => {
      await page.getByRole('button', { name: /^Company/ }).click()
      await page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'records',
    shows: 'Records: the customers of one company',
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('option').first().click()
      await page.getByRole('link', { name: 'Records' }).click()
      await page.getByRole('button', { name: 'Get records' }).click()
      await page.getByRole('grid', { name: 'Customers' }).getByRole('row').nth(5).waitFor()
    },
  },
  {
    name: 'review',
    shows: 'Review changes: what was and what will be, before anything is sent',
    go: async (page) => {
      const cell = page.getByRole('grid', { name: 'Customers' }).locator('[col-id="Phone"][role=gridcell]')
      await cell.first().dblclick()
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type('555-0142')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Review changes' }).click()
      await page.getByRole('button', { name: /^Send 1 change/ }).waitFor()
    },
  },
  {
    name: 'report',
    shows: 'A report as a table and a chart',
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('link', { name: 'Reports' }).click()
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('treegrid').getByRole('row').nth(3).waitFor()
    },
  },
  {
    name: 'activity',
    shows: 'Activity: what was asked and sent, and what is unfinished',
    go: async (page) => {
      await page.getByRole('link', { name: 'Activity' }).click()
      await page.getByRole('grid').getByRole('row').nth(1).waitFor()
    },
  },
  {
    name: 'settings',
    shows: 'Settings: light, dark or as the system has it',
    go: async (page) => {
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('link', { name: 'Appearance' }).click()
      // The radios themselves are drawn by their labels.
      await page.getByRole('radio').first().waitFor({ state: 'attached' })
    },
  },
]
