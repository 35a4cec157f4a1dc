/**
 * Everything that can be done with records, with 100,000 of them on a slow service: read and stopped, refreshed,
 * edited, replaced, filtered, undone, imported, exported, reviewed, sent, and reverted.
 */
import type { Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { chooseFile, csvFile, importDialog, pressImportButton, saved } from '../import/steps.ts'
import { answerOpenDialog } from '../support/dialogs.ts'
import { cell, count, customers, openBooks, refresh, requestByOther, rowIdAt, type } from './steps.ts'

const SECONDS = 1_000
const MANY = 100_000
const SLOW = { latencyMs: 700 }

function stamp(window: Page) {
  return window.getByRole('status', { name: 'What was read' })
}

async function press(window: Page, name: string | RegExp): Promise<void> {
  await window.getByRole('main').getByRole('button', { name, exact: true }).press('Enter')
}

test(
  '100,000 records on a slow service are read, edited, searched, imported, exported, sent, and changed back',
  {
    tag: '@deep',
  },
  async ({ program, startService }) => {
    test.setTimeout(600 * SECONDS)
    const { window, electronApp } = await program.start()
    const service = await startService({ customers: MANY, pageSize: 5_000, latencyMs: 700 })
    await openBooks(window, service)
    // Rows move as more arrive, because they are sorted by name.
    let drafted = ''
    const reading = window.getByRole('status').filter({ hasText: 'Reading customers' }).first()

    await test.step('rows and a growing count while it reads; typing and other screens keep working', async () => {
      await press(window, 'Get records')
      await expect(customers(window).locator('.ag-row[row-id]').first()).toBeVisible()
      await expect(reading).toContainText(/[1-9][\d,]* customers/)
      drafted = await rowIdAt(window, 0)
      await type(window, cell(window, drafted, 'Phone'), '(415) 555-0188')
      await window.getByRole('link', { name: 'Companies' }).click()
      await expect(window.getByRole('grid', { name: 'Companies' })).toBeVisible()
      await window.getByRole('link', { name: 'Records' }).click()
      await expect(reading).toBeVisible()
      await expect(cell(window, drafted, 'Phone')).toHaveText('(415) 555-0188')
    })

    await test.step('Stop keeps what arrived, marked as partial; Changed since isn’t offered for it', async () => {
      await press(window, 'Stop')
      await expect(stamp(window)).toContainText('not the whole list: You stopped it.')
      const came = await count(window, 'All')
      expect(came).toBeGreaterThanOrEqual(5_000)
      expect(came).toBeLessThan(MANY)
      await window.getByRole('button', { name: 'What to get' }).click()
      await expect(window.getByRole('menuitem', { name: 'Changed since' })).toHaveAttribute(
        'aria-disabled',
        'true',
      )
      await window.keyboard.press('Escape')
    })

    await test.step('Get again loads all of them, and Changed since requests almost nothing', async () => {
      await service.control({ latencyMs: 0, pageSize: 0 })
      await refresh(window, 'Get again')
      await expect(stamp(window)).toContainText('the whole list')
      await expect.poll(() => count(window, 'All')).toBeGreaterThanOrEqual(MANY)
      expect(await count(window, 'Changes')).toBe(1)
      await service.control(SLOW)
      await refresh(window, 'Changed since')
      await expect(window.getByRole('main').getByText(/Nothing has changed/)).toBeVisible()
    })

    const all = await count(window, 'All')
    const [first, second, third] = [
      await rowIdAt(window, 0),
      await rowIdAt(window, 1),
      await rowIdAt(window, 2),
    ]

    await test.step('a column is filtered; text is replaced in thousands of cells, as one step that can be undone', async () => {
      await cell(window, first, 'Phone').click()
      await window.keyboard.press('Alt+ArrowDown')
      await window.getByRole('form', { name: 'Filter Phone' }).getByRole('textbox').fill('(415)')
      await window.keyboard.press('Enter')
      await expect(window.getByRole('status').filter({ hasText: /[\d,]+ of 100,\d+ shown/ })).toBeVisible()
      await press(window, 'Remove filter: Phone contains “(415)”')
      await cell(window, first, 'Phone').click()
      await window.keyboard.press('Control+h')
      const find = window.getByRole('search', { name: 'Find and replace' })
      await find.getByRole('textbox', { name: 'Find' }).fill('(415)')
      await find.getByRole('combobox', { name: 'In' }).selectOption({ label: 'Phone' })
      await find.getByRole('textbox', { name: 'Replace with' }).fill('(628)')
      await expect(find.getByRole('status')).toContainText(/[\d,]+ cells$/)
      await find.getByRole('button', { name: 'Replace all' }).press('Enter')
      await expect.poll(() => count(window, 'Changes')).toBeGreaterThan(MANY / 100)
      await window.keyboard.press('Escape')
      await window.keyboard.press('Control+z')
      await expect.poll(() => count(window, 'Changes')).toBe(1)
    })

    await test.step('a file is matched with its records, and becomes drafts', async () => {
      const rows = [
        ['ID', 'Name', 'Phone'],
        [second, '', '(212) 555-0102'],
        ['', 'Imported Garden Works', '(212) 555-0103'],
      ]
      await answerOpenDialog(electronApp, csvFile(program.userData, 'some.csv', rows))
      await chooseFile(window)
      await pressImportButton(window, 'Continue')
      await expect(importDialog(window).getByRole('radio', { name: 'Changed 1' })).toBeVisible()
      await pressImportButton(window, 'Add 2 drafts')
      await expect(importDialog(window)).toHaveCount(0)
      await expect.poll(() => count(window, 'Changes')).toBe(3)
      expect(await count(window, 'New')).toBe(1)
    })

    await test.step('the review has its three rows, and each shows its outcome', async () => {
      await requestByOther(service, 'PATCH', { ID: drafted, Phone: '(999) 999-9999' })
      await press(window, 'Review changes')
      await expect(customers(window).locator('.ag-row[row-id]')).toHaveCount(3)
      await press(window, /^Send 3 changes to/)
      await expect(cell(window, second, 'outcome')).toContainText('Saved')
      await expect(cell(window, drafted, 'outcome')).toContainText('Changed elsewhere', {
        timeout: 120 * SECONDS,
      })
      await press(window, 'Undo…')
      const back = window.getByRole('dialog', { name: 'Undo changes' })
      await expect(back.getByRole('button', { name: 'Review in Records' })).toBeEnabled()
      await back.getByRole('button', { name: 'Review in Records' }).press('Enter')
      await expect(back).toHaveCount(0)
      await expect(cell(window, second, 'outcome')).toContainText('Undoes a change')
      await press(window, 'Back to list')
      await window.getByRole('radio', { name: /^All/ }).press('Space')
      await expect(cell(window, third, 'Phone')).toBeVisible()
    })

    await test.step('all of them are saved to a file', async () => {
      await press(window, 'Export…')
      const dialog = window.getByRole('dialog', { name: 'Export' })
      await dialog.getByRole('radio', { name: 'CSV for spreadsheets' }).press('Space')
      await expect(dialog.getByRole('button', { name: 'Save file…' })).toBeEnabled()
      await dialog.getByRole('button', { name: 'Save file…' }).press('Enter')
      await expect(window.getByText(/^Saved .*\.csv$/)).toBeVisible()
      expect(saved(program.saveDir, 'Customers').length).toBeGreaterThan(all)
    })
  },
)
