/**
 * Import with the keyboard beyond the guide (`correct-two-hundred.spec.ts`): files that aren't tables, ten thousand
 * rows, and other services.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { paste } from '../records/clipboard-steps.ts'
import { count, customers, getRecords, openBooks, requestByOther, rowIdAt } from '../records/steps.ts'
import { seriousViolations } from '../support/access.ts'
import { call } from '../support/bridge.ts'
import { startClients } from '../support/clients-service.ts'
import { answerOpenDialog } from '../support/dialogs.ts'
import { longestPause, watchPauses } from '../support/pauses.ts'
import { chooseFile, csvFile, importDialog, pressImportButton } from './steps.ts'

/** Drafts of all companies, as the program saved them. */
async function draftsOnDisk(window: Page): Promise<number> {
  const { currentId } = await call(window, 'connection.list', {})
  const items = await call(window, 'activity.unfinished', { connectionId: currentId ?? '' })
  return items.reduce((sum, { kind, count }) => (kind === 'draft' ? sum + count : sum), 0)
}

test(
  'an invalid file, a harmful one, and an empty paste are refused with a message, and the next file is accepted',
  { tag: '@deep' },
  async ({ program, service }) => {
    const { window, electronApp } = await program.start()
    await openBooks(window, service)
    const page = join(program.userData, 'clients.xlsx')
    writeFileSync(page, '<!doctype html><html><table><tr><td>Name</td></tr></table></html>')
    await answerOpenDialog(electronApp, page)
    await chooseFile(window)
    const dialog = importDialog(window)
    await expect(dialog.getByRole('alert').filter({ hasText: 'web page' })).toBeVisible()
    await paste(window, ' ')
    await expect(dialog.getByRole('alert').filter({ hasText: 'no rows on the clipboard' })).toBeVisible()
    await expect(dialog.getByText('Only some customers are loaded.')).toBeVisible()

    await paste(window, 'Name\tPhone\nImported Garden Works\t(415) 555-0193\n')
    await pressImportButton(window, 'Continue')
    await expect(dialog.getByRole('radio', { name: 'Problems 1' })).toBeVisible()
    await pressImportButton(window, 'Get records')
    await expect(dialog.getByRole('radio', { name: 'New 1' })).toBeVisible()
  },
)

test('a file with its own numbers is matched by name, and matching by number renames nothing without confirmation', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  await expect(window.getByRole('status', { name: 'What was read' })).toContainText('the whole list')
  await window.getByRole('button', { name: 'Import…' }).press('Enter')
  const own = ['00001', '00002', '00003', '00004'].map((number) => `${number}\tOwn ${number}`)
  await paste(window, `Number\tName\n${own.join('\n')}\n`)
  await pressImportButton(window, 'Continue')
  const dialog = importDialog(window)
  await expect(dialog.getByRole('radio', { name: 'Name', exact: true })).toBeChecked()
  await expect(dialog.getByRole('radio', { name: 'New 4' })).toBeVisible()
  await dialog.getByRole('radio', { name: 'Number', exact: true }).check()
  await expect(dialog.getByRole('radio', { name: /^Would be renamed [1-4]$/ })).toBeVisible()
  expect(await seriousViolations(window), 'plan').toEqual([])
  const put = dialog.getByRole('button', { name: /^Add .* drafts?$/ })
  const before = (await put.textContent()) ?? ''
  await dialog.getByRole('radio', { name: /^Would be renamed/ }).check()
  const first = dialog.getByRole('checkbox', { name: /^Select row/ }).first()
  await expect(first).not.toBeChecked()
  await first.check()
  await expect(put).not.toHaveText(before)
})

test(
  '10,000 rows are planned and become drafts; the pause is recorded, and npm run bench judges it',
  { tag: '@deep' },
  async ({ program, startService }, testInfo) => {
    const service = await startService({ customers: 10_000 })
    const { window, electronApp } = await program.start()
    await openBooks(window, service)
    await getRecords(window)
    await expect.poll(() => count(window, 'All')).toBeGreaterThanOrEqual(10_000)
    const listed = JSON.parse(await requestByOther(service, 'GET')) as {
      readonly Contents: readonly { readonly Object: { readonly ID: string } }[]
    }
    const changed = listed.Contents.slice(0, 5_000).map(({ Object: { ID } }, index) => [
      ID,
      '',
      `(415) 555-${String(index).padStart(4, '0')}`,
      `${String(index)} High Street`,
      'Bath',
    ])
    const added = Array.from({ length: 5_000 }, (_, index) => [
      '',
      `Imported ${String(index)}`,
      `(628) 555-${String(index).padStart(4, '0')}`,
      `${String(index)} Low Street`,
      'Wells',
    ])
    const headings = ['ID', 'Name', 'Phone', 'Billing address, Line 1', 'Billing address, City']
    await answerOpenDialog(
      electronApp,
      csvFile(program.userData, 'large.csv', [headings, ...changed, ...added]),
    )
    await watchPauses(window)
    const took: string[] = []
    const timed = async (name: string, work: () => Promise<void>): Promise<void> => {
      await longestPause(window)
      const startedAt = Date.now()
      await work()
      const milliseconds = Date.now() - startedAt
      const pause = await longestPause(window)
      took.push(`${name}: ${String(milliseconds)} ms, longest pause ${pause.toFixed(0)} ms`)
    }

    const dialog = importDialog(window)
    await timed('read', async () => {
      await chooseFile(window)
      await expect(dialog.getByText('10,000 rows')).toBeVisible()
    })
    await timed('plan', async () => {
      await pressImportButton(window, 'Continue')
      await expect(dialog.getByRole('radio', { name: 'Changed 5,000' })).toBeVisible()
    })
    await timed('put', async () => {
      await pressImportButton(window, 'Add 10,000 drafts')
      await expect(dialog).toHaveCount(0)
      expect(await draftsOnDisk(window), 'what a crash would leave').toBe(10_000)
      await expect.poll(() => count(window, 'Changes')).toBe(10_000)
      expect(await count(window, 'New')).toBe(5_000)
    })
    await timed('undo', async () => {
      await customers(window).locator('.ag-row[row-id]').first().click()
      await window.keyboard.press('Control+z')
      await expect.poll(() => count(window, 'New')).toBe(0)
    })
    testInfo.annotations.push({ type: 'measured', description: took.join('; ') })
  },
)

test(
  'axe finds nothing serious in any step of Import or in Export',
  { tag: '@deep' },
  async ({ program, service }) => {
    const { window, electronApp } = await program.start()
    await openBooks(window, service)
    await getRecords(window)
    const first = await rowIdAt(window, 0)
    const rows = [
      ['ID', 'Name', 'Phone', 'Opening balance', 'Created', 'Fax'],
      [first, '', '(415) 555-0191', '', '2026-01-01', '1'],
      ['', 'Imported Garden Works', '(415) 555-0193', '1.500', '', ''],
      ['', 'Imported by mistake', '', 'a lot', '', ''],
    ]
    await answerOpenDialog(electronApp, csvFile(program.userData, 'clients.csv', rows))
    const shown = async (step: string): Promise<void> => {
      expect(await seriousViolations(window), step).toEqual([])
    }
    await window.keyboard.press('Control+k')
    await window.keyboard.type('Import…')
    await window.keyboard.press('Enter')
    const dialog = importDialog(window)
    await expect(dialog.getByRole('button', { name: 'Choose file…' })).toBeFocused()
    await shown('file')
    await window.keyboard.press('Enter')
    await expect(dialog.getByRole('radiogroup', { name: 'Amounts look like' })).toBeVisible()
    await dialog.getByRole('combobox', { name: 'Field for Fax' }).press('ArrowDown')
    await shown('columns')
    await window.keyboard.press('Escape')
    await pressImportButton(window, 'Continue')
    await expect(dialog.getByRole('radio', { name: 'Problems 1' })).toBeVisible()
    expect(await seriousViolations(window), 'plan').toEqual([])
    await pressImportButton(window, 'Add 2 drafts')
    await expect(dialog).toHaveCount(0)
    await window.getByRole('button', { name: 'Export…' }).press('Enter')
    await expect(window.getByRole('dialog', { name: 'Export' })).toBeVisible()
    await shown('export')
  },
)

test(
  'a list from another service with unknown fields is imported by its own names and dates',
  { tag: '@deep' },
  async ({ program }) => {
    const service = await startClients()
    try {
      const { window, electronApp } = await program.start()
      await window.getByRole('textbox', { name: 'Name' }).fill('Elsewhere')
      await window.getByRole('textbox', { name: 'Address' }).fill(service.url)
      await window.getByLabel('API key', { exact: true }).fill(service.key)
      await window.getByRole('button', { name: 'Connect' }).click()
      await window.getByRole('grid', { name: 'Companies' }).getByText('Marsh Lane Dental').first().dblclick()
      await window.getByRole('link', { name: 'Records' }).click()
      await window.getByRole('combobox', { name: 'List' }).fill('patient')
      await window.keyboard.press('Enter')
      await getRecords(window)
      // Titles may precede the headings.
      const file = csvFile(program.userData, 'recalls.csv', [
        ['Recalls of spring'],
        [],
        ['id', 'Chart color', 'SEEN ON', 'Insurer', 'Ward'],
        ['p-1', 'Green', '03/04/2025', 'Acme', 'East'],
        ['p-2', 'Blue', '05/06/2025', 'Acme', 'East'],
      ])
      await answerOpenDialog(electronApp, file)
      await chooseFile(window)
      const dialog = importDialog(window)
      await expect(dialog.getByRole('combobox', { name: 'Field for SEEN ON' })).toHaveValue('SeenOn')
      // It shows a record, while a column could only be one of its fields.
      await expect(dialog.getByRole('combobox', { name: 'Field for Insurer' })).toHaveValue('Skip')
      await expect(dialog.getByRole('row', { name: /^Ward/ })).toContainText('doesn’t support this field')
      await dialog.getByRole('combobox', { name: 'Field for Chart color' }).fill('Ward')
      await expect(dialog.getByRole('option', { name: /^Ward/ })).toHaveAttribute('aria-disabled', 'true')
      await dialog.getByRole('combobox', { name: 'Field for Chart color' }).fill('Folder')
      await window.keyboard.press('Enter')
      await dialog.getByRole('radio', { name: 'Day first' }).press('Space')
      await pressImportButton(window, 'Continue')
      await expect(dialog.getByRole('row', { name: /Changed/ }).first()).toContainText('Red → Green')
      await expect(dialog.getByRole('radio', { name: 'Changed 2' })).toBeVisible()
      await pressImportButton(window, 'Add 2 drafts')
      const seen = window.getByRole('grid', { name: 'patient' }).locator('[row-id="p-1"] [col-id="SeenOn"]')
      await expect(seen).toContainText('2025-04-03')
    } finally {
      await service.close()
    }
  },
)
