/**
 * The built-in sample supports everything that a user tries first: adding companies on its computers, the token, a
 * second connection, and de-provisioning.
 */
import { expect, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { companyRow, companyRows, connect, provisionDesktop } from './steps.ts'

test(
  'in the sample: copying a token, a second connection, and a complete de-provisioning',
  { tag: '@deep' },
  async ({ window, service }) => {
    await window.getByRole('button', { name: 'Explore the sample' }).click()
    await expect(companyRows(window)).toHaveCount(3)
    // The window always says that this is the sample.
    for (const screen of ['Records', 'Reports', 'Activity', 'Settings', 'Companies']) {
      await window.getByRole('link', { name: screen }).click()
      await expect(window.getByText('Sample service').first()).toBeVisible()
    }

    await companyRow(window, 'Alder & Finch Builders').click()
    const details = window.getByRole('complementary', { name: 'Alder & Finch Builders' })
    await details.getByRole('button', { name: 'Copy agent token' }).click()
    await expect(window.getByText(/clipboard is cleared in/)).toBeVisible()
    await window.getByRole('button', { name: 'Clear now' }).click()

    await window.getByRole('link', { name: 'Settings' }).click()
    await window.getByRole('button', { name: 'Add connection…' }).click()
    await connect(window, service)
    await window.getByRole('link', { name: 'Settings' }).click()
    const connections = window.getByRole('list', { name: 'Connections' })
    await expect(connections.getByRole('link')).toHaveCount(2)
    expect(await seriousViolations(window), 'Settings').toEqual([])
    await connections.getByRole('link', { name: /sample/i }).click()
    await window.getByRole('button', { name: 'Use this connection' }).click()
    await window.getByRole('link', { name: 'Companies' }).click()
    await expect(window.getByText('Sample service').first()).toBeVisible()

    await companyRow(window, 'Alder & Finch Builders').click()
    await details.getByRole('button', { name: 'De-provision…' }).click()
    const dialog = window.getByRole('dialog', { name: 'De-provision' })
    const confirmations = dialog.getByRole('list', { name: 'Confirmations' }).getByRole('listitem')
    await expect(confirmations).toHaveCount(3)
    for (const confirmation of await confirmations.all())
      await expect(confirmation).toContainText('confirmed')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect(companyRows(window)).toHaveCount(2)
  },
)

test(
  'in the sample: a company is added while its computer makes it wait, and a wrong file isn’t kept',
  { tag: '@deep' },
  async ({ window }) => {
    await window.getByRole('button', { name: 'Explore the sample' }).click()
    await expect(companyRows(window)).toHaveCount(3)
    await window.getByRole('button', { name: 'Sample service' }).click()
    const desk = window.getByRole('complementary', { name: 'Sample desktop' })
    const openFile = desk.getByRole('combobox', { name: 'File open for the next Add company' })
    await expect(openFile).toHaveValue('Juniper Ridge Veterinary')
    await desk.getByRole('combobox', { name: 'Company', exact: true }).click()
    await window.getByRole('option', { name: /^Juniper Ridge/ }).click()
    await desk.getByRole('radio', { name: 'Pending' }).check()

    const wizard = await provisionDesktop(window, 'Juniper Ridge.qbw')
    await expect(wizard.getByText('Nothing is billed.')).toBeVisible()
    await expect(wizard.getByText('Company requested')).toBeVisible()
    await expect(wizard.getByRole('timer')).toBeVisible()
    await wizard.getByRole('button', { name: 'Stop waiting' }).click()
    await companyRow(window, 'Waiting for authorization').click()
    await desk.getByRole('radio', { name: 'Granted' }).check()
    await window.getByRole('button', { name: 'Continue' }).click()
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    await expect(wizard.getByText('The file name matches.')).toBeVisible()
    await expect(wizard).toContainText('C:\\Users\\Public\\Documents\\Books\\Juniper Ridge.qbw')
    await wizard.getByLabel('Label').fill('The vet')
    await wizard.getByRole('button', { name: 'Yes, keep it' }).click()
    await expect(companyRow(window, 'The vet')).toBeVisible()
    await expect(desk.getByRole('status')).toHaveText('Everything works.')

    // The next computer has another file open than the intended one.
    await openFile.click()
    await window.getByRole('option', { name: /^Cobb & Daughters/ }).click()
    await provisionDesktop(window, 'Fernhill.qbw')
    await expect(wizard.getByText('This is not the file you named.')).toBeVisible()
    await expect(wizard.getByText('Cobb & Daughters Remodeling').first()).toBeVisible()
    await wizard.getByRole('button', { name: 'No, wrong file…' }).click()
    await wizard.getByRole('button', { name: 'De-provision…' }).click()
    const dialog = window.getByRole('dialog', { name: 'De-provision' })
    await expect(dialog.getByRole('list', { name: 'Confirmations' }).getByRole('listitem')).toHaveCount(3)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect(companyRows(window)).toHaveCount(4)
  },
)
