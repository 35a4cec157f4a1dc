/** Records: reading a list, editing it like a spreadsheet, reviewing, sending, and what became of each row. */
import type { Locator, Page } from '@playwright/test'
import { csvFile } from '../import/steps.ts'
import { answerOpenDialog } from '../support/dialogs.ts'
import type { Step } from './step.ts'

function customers(page: Page): Locator {
  return page.getByRole('grid', { name: 'Customers' })
}

/** A cell of a row that was read, counted from the top. */
async function cell(page: Page, row: number, column: string): Promise<Locator> {
  const rowId = (await customers(page).locator('.ag-row[row-id]').nth(row).getAttribute('row-id')) ?? ''
  return customers(page).locator(`[row-id="${rowId}"] [col-id="${column}"]`)
}

/** Types over a cell as in a spreadsheet. */
async function type(page: Page, target: Locator, text: string): Promise<void> {
  await target.click()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
  await target.filter({ hasText: text }).waitFor()
}

export const recordSteps: readonly Step[] = [
  {
    name: 'switcher',
    shows: 'The company switcher',
    inDocs: [],
    go: async (page) => {
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
      await page.getByRole('button', { name: /^Company/ }).click()
      return page.getByRole('option').first()
    },
  },
  {
    name: 'records-empty',
    shows: 'Records: nothing read yet, and what to do first',
    inDocs: [],
    go: async (page) => {
      await page.getByRole('option', { name: /Alder & Finch/ }).click()
      await page.getByRole('link', { name: 'Records' }).click()
      return page.getByRole('button', { name: 'Get records' }).first()
    },
  },
  {
    name: 'records',
    shows: 'Records: the customers of one company',
    inDocs: ['light', 'dark'],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('button', { name: 'Get records' }).first().click()
      await page.getByRole('status', { name: 'What was read' }).getByText('the whole list').waitFor()
      return customers(page).locator('.ag-row[row-id]').nth(5)
    },
  },
  {
    name: 'records-filter',
    shows: 'What to get the next time: changed since, until, and IDs',
    inDocs: [],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('button', { name: 'Get only…' }).click()
      const filter = page.getByRole('form', { name: 'Get only' })
      await filter.getByRole('textbox', { name: 'Changed since' }).fill('3/1/2026')
      return filter
    },
  },
  {
    name: 'records-find',
    shows: 'Find and replace above the list',
    inDocs: [],
    alsoSmall: true,
    go: async (page) => {
      await page.keyboard.press('Escape')
      await (await cell(page, 0, 'Phone')).click()
      await page.keyboard.press('Control+H')
      const find = page.getByRole('search', { name: 'Find and replace' })
      await find.getByRole('textbox', { name: 'Find' }).fill('Net 30')
      await find.getByRole('textbox', { name: 'Find' }).press('Enter')
      await find.getByRole('textbox', { name: 'Replace with' }).fill('Net 45')
      return find.getByRole('status').getByText(/^1 of \d+$/)
    },
  },
  {
    name: 'import-columns',
    shows: 'Import: which column goes into which field',
    inDocs: [],
    alsoSmall: true,
    go: async (page, { program, electronApp }) => {
      await page.getByRole('button', { name: 'Close find' }).click()
      const ids = await customers(page)
        .locator('.ag-row[row-id]')
        .evaluateAll((rows) => rows.slice(0, 3).map((row) => row.getAttribute('row-id') ?? ''))
      const file = csvFile(program.userData, 'New clients.csv', [
        ['ID', 'Customer', 'Phone', 'Email', 'Terms', 'Opening balance', 'Fax no.'],
        ...ids.map((id, at) => [id, '', `(415) 555-016${String(at)}`, '', 'Net 30', '', '']),
        ['', 'Calloway Print Shop', '(510) 555-0173', 'office@callowayprint.example', 'Net 30', '', '1'],
        ['', 'Eastlake Dental', '(510) 555-0188', 'front.desk@eastlakedental.example', 'Net 15', '', '2'],
        ['', 'Quarry Street Deli', '(510) 555-0126', '', 'Net 15', 'about 200', ''],
      ])
      await answerOpenDialog(electronApp, file)
      await page.getByRole('button', { name: 'Import…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Import' })
      await dialog.getByRole('button', { name: 'Choose file…' }).click()
      return dialog.getByRole('combobox', { name: /^Field for/ }).first()
    },
  },
  {
    name: 'import-plan',
    shows: 'Import: what the rows will change and add, before they become drafts',
    inDocs: [],
    alsoSmall: true,
    go: async (page) => {
      const dialog = page.getByRole('dialog', { name: 'Import' })
      await dialog.getByRole('button', { name: 'Continue' }).click()
      return dialog.getByRole('button', { name: /^Add \d+ drafts?$/ })
    },
  },
  {
    name: 'records-editing',
    shows: 'Editing: a cell that is typed into, drafts, a new row',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.keyboard.press('Escape')
      await page.getByRole('dialog', { name: 'Import' }).waitFor({ state: 'hidden' })
      await type(page, await cell(page, 0, 'Phone'), '(415) 555-0142')
      await type(page, await cell(page, 1, 'Email'), 'accounts@example.com')
      await type(page, await cell(page, 3, 'Terms'), 'Net 33')
      await type(page, await cell(page, 4, 'Phone'), '(408) 555-0110 ext. 77')
      await page.getByRole('button', { name: 'New customer' }).click()
      await page.keyboard.type('Dunning, Ezra')
      await page.keyboard.press('Enter')
      await page.getByRole('radio', { name: /^New.*1/ }).waitFor({ state: 'attached' })
      await (await cell(page, 5, 'Phone')).click()
      // Leaving the empty row that Enter added moves the other rows.
      await customers(page).locator('.row-new').nth(1).waitFor({ state: 'detached' })
      await page.keyboard.type('(415) 555-01')
      return customers(page).getByRole('textbox')
    },
  },
  {
    name: 'records-review',
    shows: 'Review changes: what was and what will be, before anything is sent',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Review changes' }).click()
      await page.getByRole('button', { name: 'Use Net 30' }).waitFor()
      return page.getByRole('button', { name: /^Send 4 changes/ })
    },
  },
  {
    name: 'records-sent',
    shows: 'Sent: rows that were saved, and one that was not accepted, with the reason',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('button', { name: /^Send 4 changes/ }).click()
      const refused = customers(page).locator('[col-id$="outcome"]').filter({ hasText: 'Not accepted' })
      await refused.getByRole('button', { name: 'Why' }).click()
      return page.getByRole('group', { name: /^Not accepted/ })
    },
  },
  {
    name: 'find-anywhere',
    shows: 'Find anywhere: one name over the lists of all companies',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+Shift+F')
      await page.getByRole('button', { name: 'Read them now' }).click()
      // What was searched may disappear for a moment before all is read.
      await page.getByText(/ in 11 lists\s+searched\./).waitFor()
      await page.getByRole('combobox', { name: 'Find anywhere' }).fill('har')
      return page.getByRole('option').first()
    },
  },
  {
    name: 'change-several',
    shows: 'A change in several companies: what was and what will be, by company',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('button', { name: 'Change in several companies…' }).click()
      const all = page
        .getByRole('table', { name: 'Records side by side' })
        .getByRole('checkbox', { name: /^All of / })
      await all.first().waitFor()
      for (const box of await all.all()) await box.check()
      const field = page.getByRole('combobox', { name: 'Field' })
      await field.fill('Alternate contact')
      await field.press('Enter')
      const value = page.getByRole('combobox', { name: 'New value' })
      await value.fill('Front desk')
      await value.press('Enter')
      await page.getByRole('checkbox', { name: /^Replace other values/ }).check()
      await page.getByRole('button', { name: /^Prepare \d+ changes? in/ }).click()
      return page.getByRole('button', { name: /^Review \d+ overwrites$/ })
    },
  },
  {
    name: 'tidy-up',
    shows: 'Tidy up: likely duplicates, which one stays, and what becomes of the other',
    inDocs: ['light'],
    alsoSmall: true,
    go: async (page) => {
      await page.getByRole('button', { name: 'Back to records' }).click()
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Tidy up this list…' }).click()
      // The first kind may change until all lists are checked.
      const looked = page.getByRole('region', { name: 'What was looked through' })
      await looked.getByText(/^[1-9][\d,]* records in/).waitFor()
      const company = page.getByRole('combobox', { name: 'Company' })
      await company.fill('All companies')
      await company.press('Enter')
      const list = page.getByRole('combobox', { name: 'List', exact: true })
      await list.fill('All lists')
      await list.press('Enter')
      await page.getByRole('radio', { name: /^Likely duplicates/ }).check({ force: true })
      const row = page.getByRole('grid', { name: 'Likely duplicates' }).getByRole('row').nth(2)
      await row.click()
      await row.getByRole('checkbox').check()
      return page.getByRole('button', { name: /^Prepare \d+ changes? in/ })
    },
  },
]
