/** Follows the guide's page "Correct two hundred customers" step by step with the keyboard, to keep the page true. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { chooseFile, importDialog, pressImportButton, saved } from '../import/steps.ts'
import { sheetRows, workbookOf } from '../import/workbook-steps.ts'
import {
  cell,
  count,
  customers,
  dataRequests,
  getRecords,
  openBooks,
  requestByOther,
  type,
} from '../records/steps.ts'
import { answerOpenDialog } from '../support/dialogs.ts'

const SECONDS = 1_000
/** Enough customers for two hundred changes and some unchanged rows. */
const KEPT_ROWS = 250
const CHANGED = 199

/** What a user does in the spreadsheet, by column heading. */
function corrected(
  rows: readonly (readonly string[])[],
  ids: { readonly deleted: string },
): (readonly string[])[] {
  const headings = rows[0] ?? []
  const at = (heading: string): number => headings.indexOf(heading)
  const put = (row: readonly string[], values: Readonly<Record<string, string>>): readonly string[] =>
    headings.map((heading, column) => (Object.hasOwn(values, heading) ? values[heading] : row[column]) ?? '')
  const [first = [], second = [], ...others] = rows
    .slice(1, KEPT_ROWS + 1)
    .filter((row) => row[at('ID')] !== ids.deleted)
  const phones = others
    .slice(0, CHANGED - 2)
    .map((row, index) => put(row, { Phone: `(212) 555-${String(index).padStart(4, '0')}` }))
  return [
    // Titles may precede the headings.
    ['Customers to correct'],
    [],
    [...headings],
    // A new name, found by its ID. An empty cell in another column means no change.
    put(first, { Name: `${first[at('Name')] ?? ''} & Co`, Phone: '' }),
    // Without an ID, it is found by its full name. The service won't accept such a long number.
    put(second, { ID: '', Phone: TOO_LONG, Email: '' }),
    ...phones,
    ...others.slice(CHANGED - 2),
    put([], { Name: 'Imported Garden Works', Balance: '$1,500.00', Active: 'yes' }),
    put([], { Name: 'Imported by mistake', Balance: 'a lot' }),
  ]
}

/** More characters than Desktop accepts for a phone number. */
const TOO_LONG = '(212) 555-0177 ext. 1234'

/** Returns the ID of the record in a row of the exported sheet. */
function idOf(rows: readonly (readonly string[])[], row: number): string {
  return rows[row]?.[rows[0]?.indexOf('ID') ?? -1] ?? ''
}

async function press(window: Page, name: string | RegExp): Promise<void> {
  await window.getByRole('button', { name }).press('Enter')
}

test(
  'two hundred customers are corrected as the guide says',
  { tag: '@deep' },
  async ({ program, service }) => {
    test.setTimeout(240 * SECONDS)
    const { window, electronApp } = await program.start()
    const imported = importDialog(window)
    const file = join(program.userData, 'customers corrected.xlsx')
    let rows: string[][] = []

    await test.step('1. Get the whole list', async () => {
      await openBooks(window, service)
      await window.getByRole('combobox', { name: 'List' }).fill('Customers')
      await window.keyboard.press('Enter')
      await getRecords(window)
    })

    await test.step('2. Export…: a workbook that says what it is; a part says so in its name, and has the ID', async () => {
      await press(window, 'Export…')
      const dialog = window.getByRole('dialog', { name: 'Export' })
      await expect(dialog.getByRole('radio', { name: 'Excel (.xlsx)' })).toBeChecked()
      await expect(dialog.getByRole('radio', { name: 'All columns' })).toBeChecked()
      await expect(dialog.getByRole('button', { name: 'Save file…' })).toBeEnabled()
      await dialog.getByRole('button', { name: 'Save file…' }).press('Enter')
      await expect(window.getByText(/^Saved Alder & Finch Builders - Customers - .*\.xlsx$/)).toBeVisible()
      const [workbook = ''] = program.savedFiles()
      expect(workbook).not.toContain('partial')
      const sheets = await sheetRows(join(program.saveDir, workbook))
      rows = sheets['Customers'] ?? []
      expect(rows[0]).toContain('ID')
      // Names are sorted, so the first number is further down. Its leading zeros are kept.
      expect(rows.flat()).toContain('00001')
      const about = Object.fromEntries(sheets['About'] ?? []) as Record<string, string>
      expect(about).toMatchObject({ Company: 'Alder & Finch Builders', 'Whole list': 'yes' })
      expect(about['Read']).toMatch(/^20\d\d-/)

      await window.getByRole('searchbox', { name: 'Search' }).fill('marine')
      await press(window, 'Export…')
      await expect(dialog).toContainText(/Not the whole list: \d+ of \d+ rows, with “marine”/)
      await dialog.getByRole('radio', { name: 'CSV for spreadsheets' }).press('Space')
      await dialog.getByRole('radio', { name: 'Visible columns' }).press('Space')
      await expect(dialog.getByRole('button', { name: 'Save file…' })).toBeEnabled()
      await dialog.getByRole('button', { name: 'Save file…' }).press('Enter')
      await expect(window.getByText(/^Saved .*\(partial\)\.csv$/)).toBeVisible()
      const [headings, ...lines] = saved(program.saveDir, '(partial).csv')
      expect(headings).toMatch(/"Billing address, Line 1".*(?:^|,)ID(?:,|$)/)
      expect(lines.length).toBeLessThan(rows.length)
      expect(lines.every((line) => /marine/i.test(line))).toBe(true)
      await window.getByRole('searchbox', { name: 'Search' }).fill('')
    })

    await test.step('3. Correct them in the spreadsheet', async () => {
      writeFileSync(file, await workbookOf(corrected(rows, { deleted: idOf(rows, 4) })))
      await answerOpenDialog(electronApp, file)
    })

    await test.step('4. Import…: columns by their names, and why one can’t be chosen', async () => {
      await chooseFile(window)
      await expect(imported.getByRole('combobox', { name: 'Heading row' })).toHaveValue(/^Row 3/)
      const names = rows.slice(1).map(([name = '']) => name)
      const example = await imported.getByRole('row', { name: /^Name/ }).textContent()
      expect(names.filter((name) => example?.includes(name))).not.toEqual([])
      await expect(imported.getByRole('combobox', { name: 'Field for Phone' })).toHaveValue('Phone')
      await expect(imported.getByRole('row', { name: /^Created/ })).toContainText(
        'The accounting application fills in this field.',
      )
      await imported.getByRole('combobox', { name: 'Field for Contact' }).fill('Skip')
      await window.keyboard.press('Enter')
      await imported.getByRole('checkbox', { name: 'Clear the field where Email is empty' }).press('Space')
      await expect(imported.getByRole('checkbox', { name: /^Clear the field where ID/ })).toHaveCount(0)
      await pressImportButton(window, 'Continue')
    })

    await test.step('4. Preview, row by row; the problems leave as a file', async () => {
      await expect(imported.getByRole('radio', { name: `Changed ${String(CHANGED)}` })).toBeVisible()
      for (const chip of ['New 1', 'Problems 1', `Unchanged ${String(KEPT_ROWS - 1 - CHANGED)}`])
        await expect(imported.getByRole('radio', { name: chip })).toBeVisible()
      await expect(imported.getByRole('row', { name: /^5 / })).toContainText(
        /Phone: .* → \(212\) 555-0177 ext\. 1234.*Email: \S+ → empty/,
      )
      await imported.getByRole('radio', { name: 'Problems 1' }).press('Space')
      await expect(imported.getByRole('row', { name: /Imported by mistake/ })).toContainText(
        'is not an amount',
      )
      await pressImportButton(window, 'Save the problem row')
      await window.getByRole('menuitem', { name: 'Excel (.xlsx)…' }).press('Enter')
      await expect(window.getByText(/^Saved .*skipped rows\.xlsx$/)).toBeVisible()
      const failed = program.savedFiles().find((each) => each.includes('skipped rows')) ?? ''
      expect((await sheetRows(join(program.saveDir, failed)))['Customers']).toHaveLength(2)
      // Enter continues from the heading at which a step begins.
      await imported.getByRole('button', { name: 'Back' }).press('Enter')
      await expect(imported.getByRole('heading', { name: 'Match columns to fields' })).toBeFocused()
      await window.keyboard.press('Enter')
      await pressImportButton(window, 'Add 200 drafts')
      await expect(imported).toHaveCount(0)
      await expect.poll(() => count(window, 'Changes')).toBe(CHANGED + 1)
      expect(await count(window, 'New')).toBe(1)
      await window.keyboard.press('Control+z')
      await expect.poll(() => count(window, 'Changes')).toBe(0)
      expect(await count(window, 'New')).toBe(0)
      await window.keyboard.press('Control+y')
      await expect.poll(() => count(window, 'Changes')).toBe(CHANGED + 1)
    })

    await test.step('5. Review and send: was and is, what to look at, and what the button says', async () => {
      // Someone changes one of them meanwhile. The review reads other lists.
      await requestByOther(service, 'PATCH', { ID: idOf(rows, 6), Phone: '(628) 555-0901' })
      await press(window, 'Review changes')
      const review = window.getByRole('complementary', { name: 'Review' })
      await expect(review).toContainText('Imported Garden Works has an opening balance of 1,500.00')
      const phone = cell(window, idOf(rows, 3), 'Phone')
      await expect(phone).toContainText('(212) 555-0000')
      await expect(phone).toContainText(rows[3]?.[rows[0]?.indexOf('Phone') ?? -1] ?? '?')
      await cell(window, idOf(rows, 3), 'tick').getByRole('checkbox').press('Space')
      await expect(
        window.getByRole('button', { name: /^Send 199 changes to Alder & Finch Builders/ }),
      ).toBeEnabled()
      await cell(window, idOf(rows, 3), 'tick').getByRole('checkbox').press('Space')
      await type(window, cell(window, idOf(rows, 5), 'Phone'), '(212) 555-9999')
      await service.control({ latencyMs: 2_000 })
      await press(window, /^Send 200 changes to Alder & Finch Builders \(Desktop\)$/)
      const stop = window.getByRole('button', { name: 'Stop after this batch' })
      await expect(stop).toBeEnabled()
      await stop.press('Enter')
      await expect(window.getByText(/changes wait to be sent/).first()).toBeVisible()
      await expect(review).not.toContainText('nothing left to send')
      await service.control({ latencyMs: 0 })
      await press(window, 'Continue')
      await expect(cell(window, idOf(rows, 6), 'outcome')).toContainText('Changed elsewhere')
    })

    await test.step('If some were not accepted: they keep their drafts, leave as a file, and come back', async () => {
      await expect(window.getByText('1 row of customers corrected.xlsx').first()).toBeVisible()
      await expect(cell(window, idOf(rows, 2), 'Phone')).toContainText(TOO_LONG)
      await window.getByRole('button', { name: 'Save as CSV…' }).press('Enter')
      await expect(window.getByText(/^Saved .*rows not accepted\.csv$/)).toBeVisible()
      const name = program.savedFiles().find((each) => each.includes('rows not accepted')) ?? ''
      const text = readFileSync(join(program.saveDir, name), 'utf8')
      expect(text).toContain('Why it was not imported')
      writeFileSync(join(program.saveDir, name), text.replace(TOO_LONG, '(212) 555-0177'))
      await answerOpenDialog(electronApp, join(program.saveDir, name))
      await chooseFile(window)
      await pressImportButton(window, 'Continue')
      await pressImportButton(window, 'Add 1 draft')
      await expect(imported).toHaveCount(0)
      await expect(cell(window, idOf(rows, 2), 'Phone')).toContainText('(212) 555-0177')
    })

    await test.step('The same file is known again, its choices too, and nothing is sent twice', async () => {
      // Someone reverted one record. Importing it would change it again, so it is skipped unless the user decides
      // otherwise.
      await requestByOther(service, 'PATCH', { ID: idOf(rows, 7), Phone: '(628) 555-0907' })
      await press(window, 'Refresh')
      await window.getByRole('radio', { name: /^All/ }).press('Space')
      await expect(cell(window, idOf(rows, 7), 'Phone')).toContainText('(628) 555-0907')
      await answerOpenDialog(electronApp, file)
      await chooseFile(window)
      await expect(imported.getByRole('combobox', { name: 'Field for Contact' })).toHaveValue('Skip')
      await expect(
        imported.getByRole('checkbox', { name: 'Clear the field where Email is empty' }),
      ).toBeChecked()
      await pressImportButton(window, 'Continue')
      await expect(imported).toContainText(
        /You imported this file before: imported today.*1 added and \d+ changed/,
      )
      // That record, and the one that was corrected in the review.
      const leaveOut = imported.getByRole('checkbox', { name: 'Skip 2 rows already sent' })
      await expect(leaveOut).toBeChecked()
      await expect(imported.getByRole('button', { name: 'Add 1 draft' })).toBeVisible()
      await leaveOut.press('Space')
      await expect(imported.getByRole('button', { name: 'Add 3 drafts' })).toBeVisible()
      await window.keyboard.press('Escape')
      expect(await dataRequests(service, 'POST')).toHaveLength(1)
    })

    await test.step('If the whole correction was a mistake: Undo…', async () => {
      await press(window, /^Send 1 change to/)
      await expect(customers(window).getByText(TOO_LONG)).toHaveCount(0)
      await press(window, 'Undo…')
      const back = window.getByRole('dialog', { name: 'Undo changes' })
      await expect(back.getByRole('button', { name: /^Send 1 change to/ })).toBeVisible()
      await window.keyboard.press('Escape')
    })
  },
)
