/** Import and export by keyboard: a file becomes drafts, what can't be used leaves with the reason, nothing twice. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, test } from './fixture.ts'
import { answerWith, chooseFile, csvFile, importDialog } from './import-steps.ts'
import { cell, count, customers, getRecords, hurry, openBooks, rowIdAt } from './records-steps.ts'

/** The rows of a file that was saved, by a part of its name. */
function saved(saveDir: string, part: string): readonly string[] {
  const name = readdirSync(saveDir).find((each) => each.includes(part)) ?? ''
  return readFileSync(join(saveDir, name), 'utf8').replace('\ufeff', '').trimEnd().split('\r\n')
}

async function goOn(window: Page, button: string | RegExp): Promise<void> {
  await importDialog(window).getByRole('button', { name: button }).press('Enter')
}

test('a file becomes drafts as one step; rows not taken and rows not accepted are saved with the reason; the same file is known again', async ({
  program,
  service,
}) => {
  test.setTimeout(120_000)
  const { window, electronApp } = await program.start()
  await openBooks(window, service)
  await hurry(window)
  await getRecords(window)
  const [first, second] = [await rowIdAt(window, 0), await rowIdAt(window, 1)]
  const file = csvFile(program.userData, 'clients.csv', [
    ['Customer', 'ID', 'Telephone', 'Payment terms', 'Opening balance', 'Active'],
    ['', first, '(415) 555-0191', '', '', ''],
    ['', second, '', 'Net 33', '', ''],
    ['Imported Garden Works', '', '(415) 555-0193', '', '1,500.00', 'yes'],
    ['Imported by mistake', '', '1', '', 'a lot', 'yes'],
  ])
  await answerWith(electronApp, file)

  await chooseFile(window)
  const dialog = importDialog(window)
  await expect(dialog.getByRole('combobox', { name: 'Field for Telephone' })).toHaveValue('Phone')
  await expect(dialog.getByRole('combobox', { name: 'Field for Customer' })).toHaveValue('Name')
  await expect(dialog.getByRole('row', { name: /^Telephone/ })).toContainText('(415) 555-0191')
  await goOn(window, 'Continue')
  await expect(dialog.getByRole('radio', { name: 'Changed 2' })).toBeVisible()
  await expect(dialog.getByRole('row', { name: /a lot/ })).toContainText('is not an amount')
  await goOn(window, 'Save rows not taken…')
  await expect(window.getByText(/^Saved .*rows not taken\.csv$/)).toBeVisible()
  expect(saved(program.saveDir, 'rows not taken')).toEqual([
    'Customer,ID,Telephone,Payment terms,Opening balance,Active,Why it was not imported',
    'Imported by mistake,,1,,a lot,yes,“Opening balance”: “a lot” is not an amount.',
  ])
  await goOn(window, 'Put 3 changes into the list')
  await expect(dialog).toHaveCount(0)

  await expect.poll(() => count(window, 'Edited')).toBe(2)
  expect(await count(window, 'New')).toBe(1)
  await expect(cell(window, first, 'Phone')).toContainText('0191')
  await customers(window).locator('.ag-row[row-id]').first().click()
  await window.keyboard.press('Control+z')
  await expect.poll(() => count(window, 'Edited')).toBe(0)
  expect(await count(window, 'New')).toBe(0)
  await window.keyboard.press('Control+y')
  await expect.poll(() => count(window, 'Edited')).toBe(2)
  expect(await count(window, 'New')).toBe(1)

  await window.getByRole('button', { name: /^Send 3 changes to/ }).press('Enter')
  await expect(window.getByText('1 row of clients.csv').first()).toBeVisible({ timeout: 40_000 })
  await window.getByRole('button', { name: 'Save rows not accepted…' }).press('Enter')
  await expect(window.getByText(/^Saved .*rows not accepted\.csv$/)).toBeVisible()
  const [headings, refused] = saved(program.saveDir, 'rows not accepted')
  expect(headings).toMatch(/^Customer,ID,Telephone,.*,Why it was not imported$/)
  expect(refused).toMatch(new RegExp(`^,${second},,Net 33,,,.+`))

  await chooseFile(window)
  await goOn(window, 'Continue')
  await expect(dialog).toContainText(/This file was imported before: imported today.*1 added and 1 changed/)
  await expect(dialog.getByRole('radio', { name: 'Unchanged 3' })).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Put 0 changes into the list' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
})

test('what is exported as it is shown is imported again without a change, and a part of a list says so', async ({
  program,
  service,
}) => {
  test.setTimeout(90_000)
  const { window, electronApp } = await program.start()
  await openBooks(window, service)
  await getRecords(window)
  await window.getByRole('button', { name: 'Export…' }).press('Enter')
  const dialog = window.getByRole('dialog', { name: 'Export' })
  await dialog.getByRole('button', { name: 'Save file…' }).press('Enter')
  await expect(window.getByText(/^Saved Alder & Finch Builders - Customers - .*\.xlsx$/)).toBeVisible()
  const [workbook = ''] = readdirSync(program.saveDir)
  expect(workbook).not.toContain('partial')

  await answerWith(electronApp, join(program.saveDir, workbook))
  await chooseFile(window)
  const imported = importDialog(window)
  await expect(imported.getByRole('combobox', { name: 'Sheet' })).toHaveValue('Customers')
  await expect(imported.getByText('The accounting application keeps this field.').first()).toBeVisible()
  await goOn(window, 'Continue')
  const all = Number(
    (await imported.getByRole('radio', { name: /^All/ }).getAttribute('aria-label'))?.slice(4),
  )
  expect(all).toBeGreaterThan(500)
  await expect(imported.getByRole('radio', { name: `Unchanged ${all}` })).toBeVisible()
  await window.keyboard.press('Escape')

  await window.getByRole('searchbox', { name: 'Search' }).fill('garden')
  await window.getByRole('button', { name: 'Export…' }).press('Enter')
  await expect(dialog).toContainText(/Not the whole list: \d+ of \d+ rows, with “garden”/)
  await dialog.getByRole('radio', { name: 'CSV' }).press('Space')
  await dialog.getByRole('radio', { name: 'The columns that are shown' }).press('Space')
  await dialog.getByRole('button', { name: 'Save file…' }).press('Enter')
  await expect(window.getByText(/^Saved .*\(partial\)\.csv$/)).toBeVisible()
  const lines = saved(program.saveDir, '(partial).csv')
  expect(lines[0]).toContain('"Billing address, Line 1"')
  expect(lines.slice(1).every((line) => /garden/i.test(line))).toBe(true)
})

test('a file that is none, a harmful one and an empty clipboard are refused in words, and the next one is taken', async ({
  program,
  service,
}) => {
  const { window, electronApp } = await program.start()
  await openBooks(window, service)
  const page = join(program.userData, 'clients.xlsx')
  writeFileSync(page, '<!doctype html><html><table><tr><td>Name</td></tr></table></html>')
  await answerWith(electronApp, page)
  await chooseFile(window)
  const dialog = importDialog(window)
  await expect(dialog.getByRole('alert').filter({ hasText: 'web page' })).toBeVisible()
  await goOn(window, 'From the clipboard')
  await expect(dialog.getByRole('alert').filter({ hasText: 'no table on the clipboard' })).toBeVisible()
  await expect(dialog.getByText('Not all customers were read.')).toBeVisible()

  await electronApp.evaluate(({ clipboard }) =>
    clipboard.writeText('Name\tPhone\nImported Garden Works\t(415) 555-0193\n'),
  )
  await goOn(window, 'From the clipboard')
  await goOn(window, 'Continue')
  await expect(dialog.getByRole('radio', { name: 'Problems 1' })).toBeVisible()
  await goOn(window, 'Get records')
  await expect(dialog.getByRole('radio', { name: 'New 1' })).toBeVisible({ timeout: 30_000 })
})
