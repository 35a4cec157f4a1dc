/** Companies: the list, one company's details, and Add company with each of its steps. */
import type { Locator, Page } from '@playwright/test'
import type { Step } from './step.ts'

function companies(page: Page): Locator {
  return page.getByRole('grid', { name: 'Companies' })
}

function wizard(page: Page): Locator {
  return page.getByRole('dialog', { name: 'Add company' })
}

async function pressContinue(page: Page): Promise<void> {
  await wizard(page).getByRole('button', { name: 'Continue' }).click()
}

export const companySteps: readonly Step[] = [
  {
    name: 'companies',
    shows: 'Companies: all companies of the connection',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('button', { name: 'Explore the sample' }).click()
      return companies(page).getByText('Alder & Finch Builders').first()
    },
  },
  {
    name: 'company-details',
    shows: 'A company: facts, test, what is yours about it',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('button', { name: 'Details of Alder & Finch Builders' }).click()
      await page.getByRole('button', { name: 'Test company' }).click()
      return page.getByText(/Responded in \d/)
    },
  },
  {
    name: 'add-company-1-application',
    shows: 'Add company, 1: which application',
    inDocs: ['light', 'dark'],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('button', { name: 'Add company' }).first().click()
      await wizard(page).getByRole('radio', { name: 'Desktop' }).check()
      return wizard(page).getByText('The books are in QuickBooks Desktop')
    },
  },
  {
    name: 'add-company-2-user',
    shows: 'Add company, 2: whose books',
    inDocs: ['light', 'dark'],
    alsoSmall: true,
    go: async (page) => {
      await pressContinue(page)
      await wizard(page).getByRole('radio', { name: 'New client' }).check()
      return wizard(page).getByRole('heading', { name: 'Whose books are these?' })
    },
  },
  {
    name: 'add-company-3-ready',
    shows: 'Add company, 3: what has to be ready, and the name of the file',
    inDocs: ['light', 'dark'],
    alsoSmall: true,
    go: async (page) => {
      await pressContinue(page)
      await wizard(page).getByRole('textbox', { name: 'File name' }).fill('Juniper Ridge.qbw')
      for (const reminder of await wizard(page).getByRole('checkbox').all()) await reminder.check()
      return wizard(page).getByRole('heading', { name: 'Get ready' })
    },
  },
  {
    name: 'add-company-4-provision',
    shows: 'Add company, 4: what follows from it, before it is sent',
    inDocs: ['light', 'dark'],
    alsoSmall: true,
    go: async (page) => {
      await pressContinue(page)
      await wizard(page).getByRole('button', { name: 'Provision company' }).waitFor()
      return wizard(page).getByText('With a real service, this starts billing')
    },
  },
  {
    name: 'add-company-4-wait',
    shows: 'Add company, 4: the wait, what is known and what to do meanwhile',
    inDocs: ['light', 'dark'],
    alsoSmall: true,
    go: async (page, { clock }) => {
      await wizard(page).getByRole('button', { name: 'Provision company' }).click()
      await wizard(page).getByRole('heading', { name: 'Waiting for someone to authorize' }).waitFor()
      await clock.pass(42)
      // Each response in the meantime advances the clock by a fraction of a second.
      return wizard(page)
        .getByRole('timer')
        .filter({ hasText: /0:4[2-5]/ })
    },
  },
  {
    name: 'add-company-5-file',
    shows: 'Add company, 5: is this the right file?',
    inDocs: ['light', 'dark'],
    alsoSmall: true,
    go: async (page, { clock }) => {
      await clock.endPauses()
      const question = wizard(page).getByRole('heading', { name: 'Is this the right file?' })
      await question.waitFor()
      return question
    },
  },
  {
    name: 'de-provisioned',
    shows: 'De-provisioned: the three confirmations, each with its result',
    inDocs: ['light', 'dark'],
    go: async (page) => {
      await wizard(page).getByLabel('Label').fill('Juniper Ridge')
      await wizard(page).getByRole('button', { name: 'Yes, keep it' }).click()
      await page.getByRole('button', { name: 'Details of Juniper Ridge' }).click()
      await page.getByRole('button', { name: 'De-provision…' }).click()
      const dialog = page.getByRole('dialog', { name: 'De-provision' })
      return dialog.getByRole('list', { name: 'Confirmations' }).getByRole('listitem').nth(2)
    },
  },
]
