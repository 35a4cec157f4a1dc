/** First start: both ways in, and an error where it occurred. */
import type { Step } from './step.ts'

/** Nothing listens there: the port belongs to an obsolete service. */
const NOBODY = 'http://127.0.0.1:9'

export const firstStartSteps: readonly Step[] = [
  {
    name: 'first-start',
    shows: 'First start: explore the sample, or connect your service',
    inDocs: ['light'],
    alsoSmall: true,
    go: (page) => Promise.resolve(page.getByRole('button', { name: 'Explore the sample' })),
  },
  {
    name: 'connect-error',
    shows: 'Connect your service: an address where no one answers',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.getByLabel('Name').fill('Main office')
      await page.getByLabel('Address').fill(NOBODY)
      await page.getByLabel('API key', { exact: true }).fill('nobodys-key-0001')
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
      return page.getByRole('alert')
    },
  },
]
