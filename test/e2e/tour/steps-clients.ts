/** Forty clients, some with long names, as in a full-time bookkeeper's office. */
import { plainCompanies } from '../support/plain-service.ts'
import type { Step } from './step.ts'

const NAMES = [
  'Bright Dental',
  'Northern California Veterinary Hospital Holdings of Greater Sacramento, LLC',
  'Oak & Rye',
  'Harbor Bakery',
  'Kowalczyk-Featherstonehaugh Family Irrevocable Trust',
  'Summit Roofing',
  'Lakeview Pediatrics',
  'Delgado Freight',
]

export const FORTY_CLIENTS = plainCompanies(40).map((company, at) => ({
  ...company,
  companyName: `${NAMES[at % NAMES.length] ?? ''}${at < NAMES.length ? '' : ` ${String(Math.floor(at / NAMES.length) + 1)}`}`,
}))

export const clientSteps: readonly Step[] = [
  {
    name: 'companies-forty',
    shows: 'Forty clients, some with long names',
    inDocs: [],
    alsoSmall: true,
    go: async (page, { clients }) => {
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('link', { name: 'Connections' }).click()
      await page.getByRole('button', { name: 'Add connection…' }).click()
      await page.getByLabel('Address').fill(clients.url)
      await page.getByLabel('API key', { exact: true }).fill(clients.key)
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
      const companies = page.getByRole('grid', { name: 'Companies' })
      await companies
        .getByText(NAMES[0] ?? '')
        .first()
        .waitFor()
      return companies
    },
  },
  {
    name: 'months-forty',
    shows: 'The month of forty clients',
    inDocs: [],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('radio', { name: 'Months' }).check({ force: true })
      const months = page.getByRole('grid', { name: 'Months' })
      await months.waitFor()
      return months
    },
  },
]
