/**
 * A workbook as bookkeepers receive it: titles, totals, footers, mixed dates, duplicates, hidden rows, and damaged
 * values.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../fixture.ts'
import { count, getRecords, openBooks, requestByOther } from '../records/steps.ts'
import { seriousViolations } from '../support/access.ts'
import { answerOpenDialog } from '../support/dialogs.ts'
import { chooseFile, importDialog, pressImportButton } from './steps.ts'
import { sheetRows, workbookOf } from './workbook-steps.ts'

const ROWS = 300
const HEADINGS = ['Customer full name', 'Main Phone', 'Bill to 1', 'ST', 'ZIP', 'Open Balance', 'Since']

/** 300 rows under two titles: four pages, each with a subtotal, a stamp, and the headings again. */
function messyRows(zip: { readonly name: string; readonly code: string }): {
  readonly rows: readonly (readonly string[])[]
  readonly hidden: readonly number[]
  readonly records: number
} {
  const rows: (readonly string[])[] = [['Finch & Sons'], ['Customer list'], HEADINGS]
  const hidden: number[] = []
  let records = 0
  for (let index = 0; rows.length < ROWS + 1; index += 1) {
    if (index > 0 && index % 70 === 0) {
      rows.push(['Subtotal', '', '', '', '', `${String(index * 10)}.00`])
      rows.push([`Printed 3/3/2026`, '', '', '', '', 'Page 1 of 4'])
      rows.push(HEADINGS)
      continue
    }
    const date = index % 2 === 0 ? `2026-03-${String((index % 28) + 1).padStart(2, '0')}` : '12/31/2025'
    const balance = index % 50 === 1 ? '$ 1,250.00' : ''
    rows.push([
      `Messy ${String(index)}`,
      '(415) 555-0100',
      `${String(index)} High Street`,
      'CA',
      '90210',
      balance,
      date,
    ])
    records += 1
    if (index % 60 === 3) hidden.push(rows.length)
  }
  rows.push(['Messy 1', '(415) 555-0199', 'Elsewhere', 'CA', '90210', '', ''])
  rows.push([zip.name, '(415) 555-0111', '', '', zip.code.replace(/^0+/, ''), '', ''])
  rows.push(['TOTAL', '', '', '', '', '7,500.00'])
  return { rows, hidden, records }
}

test(
  'a messy workbook of 300 rows: rows without a record are set aside, damage is reported, and rows are searched and cleared',
  { tag: '@deep' },
  async ({ program, service }) => {
    const { window, electronApp } = await program.start()
    await openBooks(window, service)
    await getRecords(window)
    const listed = JSON.parse(await requestByOther(service, 'GET')) as {
      readonly Contents: readonly { readonly Object: { readonly ID: string; readonly FullName: string } }[]
    }
    const here = listed.Contents[0]?.Object
    await requestByOther(service, 'PATCH', { ID: here?.ID ?? '', BillingAddress: { PostalCode: '02134' } })
    const { rows, hidden, records } = messyRows({ name: here?.FullName ?? '', code: '02134' })
    const path = join(program.userData, 'messy.xlsx')
    writeFileSync(path, await workbookOf(rows, hidden))

    await getRecords(window)
    await answerOpenDialog(electronApp, path)
    await chooseFile(window)
    const dialog = importDialog(window)
    await expect(dialog.getByRole('combobox', { name: 'Heading row' })).toHaveValue(/^Row 3/)
    await expect(dialog.getByRole('combobox', { name: 'Field for Bill to 1' })).toHaveValue(
      'Billing address, Line 1',
    )
    await expect(dialog.getByRole('combobox', { name: 'Field for ST' })).toHaveValue('Billing address, State')
    await pressImportButton(window, 'Continue')

    // The duplicates differ, so neither is used.
    await expect(dialog.getByRole('radio', { name: `New ${String(records - 1)}` })).toBeVisible()
    await expect(dialog.getByRole('radio', { name: 'Problems 2' })).toBeVisible()
    await expect(dialog.getByRole('radio', { name: 'Skipped 13' })).toBeVisible()
    await expect(dialog.getByText('“$” is ignored.')).toBeVisible()
    await expect(dialog.getByText(/new records have opening balances: 6,250\.00 total/)).toBeVisible()
    await expect(dialog.getByText('In the books: “02134”')).toBeVisible()
    expect(await seriousViolations(window), 'plan').toEqual([])

    await dialog.getByRole('radio', { name: 'Skipped 13' }).check()
    const total = dialog.getByRole('row', { name: /TOTAL/ })
    await expect(total).toContainText('Looks like a total')
    await expect(total.getByRole('checkbox')).not.toBeChecked()
    await dialog.getByRole('radio', { name: 'Hidden 5' }).check()
    await expect(dialog.getByRole('row', { name: /New, hidden/ })).toHaveCount(5)

    const chosen = records - 1 + 1
    const put = dialog.getByRole('button', { name: /^Add .* drafts?$/ })
    await expect(put).toHaveText(`Add ${String(chosen)} drafts`)
    await dialog.getByRole('checkbox', { name: /^Skip 5 rows that are hidden/ }).check()
    await expect(put).toHaveText(`Add ${String(chosen - 5)} drafts`)
    await dialog.getByRole('radio', { name: /^All / }).check()
    await dialog.getByRole('searchbox', { name: 'Search the rows' }).fill('opening balance')
    await dialog.getByRole('checkbox', { name: 'Select all rows' }).uncheck()
    await expect(put).toHaveText(`Add ${String(chosen - 10)} drafts`)
    await dialog.getByRole('checkbox', { name: 'Leave these as they are: ZIP' }).uncheck()
    await dialog.getByRole('searchbox', { name: 'Search the rows' }).fill('02134')
    await expect(dialog.getByRole('row', { name: /02134 → 2134/ })).toBeVisible()
    await dialog.getByRole('checkbox', { name: 'Leave these as they are: ZIP' }).check()

    await pressImportButton(window, 'Save the 2 problem rows')
    await window.getByRole('menuitem', { name: 'Excel (.xlsx)…' }).press('Enter')
    await expect(window.getByText(/^Saved .*messy, skipped rows\.xlsx$/)).toBeVisible()
    const name = program.savedFiles().find((each) => each.includes('skipped rows')) ?? ''
    expect((await sheetRows(join(program.saveDir, name)))['Customers']).toHaveLength(3)
    await put.press('Enter')
    await expect(dialog).toHaveCount(0)
    await expect.poll(() => count(window, 'New')).toBe(chosen - 11)
    await expect.poll(() => count(window, 'Changes')).toBe(chosen - 10)
  },
)

test(
  'a text file in another encoding shows the guess, and another encoding can be chosen with its values in view',
  { tag: '@deep' },
  async ({ program, service }) => {
    const { window, electronApp } = await program.start()
    await openBooks(window, service)
    await getRecords(window)
    const path = join(program.userData, 'old.csv')
    // “Éva” in a DOS encoding.
    writeFileSync(
      path,
      Buffer.from([...Buffer.from('Name~Phone\n'), 0x90, 0x76, 0x61, ...Buffer.from('~555-0100\n')]),
    )
    await answerOpenDialog(electronApp, path)
    await chooseFile(window)
    const dialog = importDialog(window)
    await expect(dialog.getByRole('combobox', { name: 'Encoding' })).toHaveValue('CP850')
    await dialog.getByRole('combobox', { name: 'Encoding' }).fill('Windows-1252')
    await window.keyboard.press('Enter')
    await expect(dialog.getByRole('combobox', { name: 'Encoding' })).toHaveValue('Windows-1252')
    await dialog.getByRole('combobox', { name: 'Encoding' }).fill('CP850')
    await window.keyboard.press('Enter')
    await dialog.getByRole('combobox', { name: 'Delimiter' }).fill('Tilde')
    await window.keyboard.press('Enter')
    await expect(dialog.getByRole('row', { name: /^Name/ })).toContainText('Éva')
    await expect(dialog.getByRole('row', { name: /^Phone/ })).toContainText('555-0100')
    await expect(dialog.getByRole('combobox', { name: 'Encoding' })).toHaveValue('CP850')

    // A choice that doesn't fit is reported, and the next one is used.
    const broken = join(program.userData, 'broken.csv')
    writeFileSync(broken, Buffer.from('Name;Phone\n"Finch;555-0101\n'))
    await pressImportButton(window, 'Back')
    await answerOpenDialog(electronApp, broken)
    await dialog.getByRole('button', { name: 'Choose file…' }).press('Enter')
    await expect(dialog.getByRole('alert')).toContainText('Line 2')
    await expect(dialog.getByRole('combobox', { name: 'Encoding' })).toBeVisible()
  },
)
