/** Mapping the columns of another program's list: templates, splits, combinations, and saved mappings. */
import { expect, test } from '../fixture.ts'
import { getRecords, openBooks } from '../records/steps.ts'
import { seriousViolations } from '../support/access.ts'
import { answerOpenDialog } from '../support/dialogs.ts'
import { chooseFile, csvFile, importDialog, pressImportButton } from './steps.ts'

test('a QuickBooks Desktop list is read with its template, a split city line, and a joined suite, all kept for the next file', async ({
  program,
  service,
}) => {
  const { window, electronApp } = await program.start()
  await openBooks(window, service)
  await getRecords(window)
  const headings = ['Customer', 'Balance Total', 'Bill to 1', 'Bill to 2', 'Bill to 3', 'Job type']
  const first = csvFile(program.userData, 'customers.csv', [
    headings,
    [
      'Elm House Bakery & Catering of the Greater Springfield Area',
      '12.50',
      '1 Main St',
      'Suite 4',
      'Springfield, IL 62701',
      'Retail',
    ],
    ['Elm House:Kitchen', '0.00', '2 Main St', '', 'Portland, Oregon 97201', ''],
    ['Oak Street Dental', '0.00', '3 Main St', '', 'Attn. Bob Crane', ''],
  ])
  await answerOpenDialog(electronApp, first)
  await chooseFile(window)
  const dialog = importDialog(window)
  const mapping = dialog.getByRole('combobox', { name: 'Column matching' })
  await expect(dialog.getByRole('combobox', { name: 'Field for Customer' })).toHaveValue('Name')
  await mapping.click()
  await window.getByRole('option', { name: 'QuickBooks Desktop' }).click()
  await expect(dialog.getByRole('combobox', { name: 'Field for Customer' })).toHaveValue('Full name')
  await expect(dialog.getByRole('combobox', { name: 'Field for Balance Total' })).toHaveValue('Skip')

  await dialog.getByRole('button', { name: 'Split a column…' }).press('Enter')
  await dialog.getByRole('combobox', { name: 'Column to split' }).click()
  await window.getByRole('option', { name: 'Bill to 3' }).click()
  const preview = dialog.getByRole('table', { name: 'Preview' })
  await expect(preview.getByRole('cell', { name: '62701', exact: true })).toBeVisible()
  await expect(dialog.getByText('1 value can’t be split, such as “Attn. Bob Crane”.')).toBeVisible()
  expect(await seriousViolations(window)).toEqual([])
  await dialog.getByRole('button', { name: 'Split', exact: true }).press('Enter')
  await expect(dialog.getByRole('combobox', { name: 'Field for Bill to 3: City' })).toHaveValue(
    'Billing address, City',
  )

  await dialog.getByRole('button', { name: 'Combine columns…' }).press('Enter')
  for (const [box, column] of [
    ['First column', 'Bill to 1'],
    ['Second column', 'Bill to 2'],
  ] as const) {
    await dialog.getByRole('combobox', { name: box }).click()
    await window.getByRole('option', { name: column, exact: true }).click()
  }
  await dialog.getByRole('radio', { name: 'Comma' }).check()
  await expect(preview.getByRole('cell', { name: '1 Main St, Suite 4' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Combine', exact: true }).press('Enter')
  await expect(dialog.getByRole('combobox', { name: 'Field for Bill to 1 + Bill to 2' })).toHaveValue(
    'Billing address, Line 1',
  )

  await dialog.getByRole('button', { name: 'Save matching…' }).press('Enter')
  await dialog.getByRole('textbox', { name: 'Name of the matching' }).fill('Till export')
  await dialog.getByRole('textbox', { name: 'Name of the matching' }).press('Enter')
  await expect(mapping).toHaveValue('Till export')
  expect(await seriousViolations(window)).toEqual([])
  await pressImportButton(window, 'Continue')
  await expect(dialog.getByRole('radio', { name: 'Problems 1' })).toBeVisible()
  await expect(dialog.getByText('Billing address, Line 1: 1 Main St, Suite 4')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter')

  // Another file, which also has other headings.
  const second = csvFile(program.userData, 'again.csv', [
    [...headings, 'Rep'],
    ['Fir Lane Toys', '0.00', '5 Main St', 'Unit 6', 'Eugene, OR 97401', '', 'AC'],
  ])
  await answerOpenDialog(electronApp, second)
  await chooseFile(window)
  await expect(mapping).toHaveValue('Suggested')
  await mapping.click()
  await window.getByRole('option', { name: 'Till export' }).click()
  await expect(dialog.getByRole('combobox', { name: 'Field for Bill to 3: State' })).toHaveValue(
    'Billing address, State',
  )
  await dialog.getByRole('button', { name: 'Undo split' }).press('Enter')
  await expect(dialog.getByRole('combobox', { name: 'Field for Bill to 3: State' })).toHaveCount(0)
  await expect(dialog.getByRole('combobox', { name: 'Field for Bill to 1 + Bill to 2' })).toHaveValue(
    'Billing address, Line 1',
  )
  await dialog.getByRole('button', { name: 'Delete matching' }).press('Enter')
  await expect(mapping).toHaveValue('Suggested')
  await pressImportButton(window, 'Continue')
  await expect(dialog.getByText('Billing address, Line 1: 5 Main St, Unit 6')).toBeVisible()
})
