/** What a person tries first is all there on the built-in sample: the token, a second connection, de-provisioning. */
import { serious } from './access.ts'
import { companyRow, companyRows, connect, nameToType } from './companies-steps.ts'
import { expect, test } from './fixture.ts'

test('on the sample: the token to the clipboard, a connection beside it, and a de-provisioning to its end', async ({
  window,
  service,
}) => {
  test.setTimeout(90_000)
  await window.getByRole('button', { name: 'Explore the sample' }).click()
  await expect(companyRows(window)).toHaveCount(3)

  await companyRow(window, 'Alder & Finch Builders').click()
  const details = window.getByRole('complementary', { name: 'Alder & Finch Builders' })
  await details.getByRole('button', { name: 'Copy agent token' }).click()
  await expect(window.getByText(/leaves the clipboard in/)).toBeVisible()
  await window.getByRole('button', { name: 'Clear now' }).click()

  await window.getByRole('link', { name: 'Settings' }).click()
  await window.getByRole('button', { name: 'Add connection…' }).click()
  await connect(window, service)
  await window.getByRole('link', { name: 'Settings' }).click()
  const connections = window.getByRole('list', { name: 'Connections' })
  await expect(connections.getByRole('link')).toHaveCount(2)
  expect(await serious(window), 'Settings').toEqual([])
  await connections.getByRole('link', { name: /sample/i }).click()
  await window.getByRole('button', { name: 'Use this connection' }).click()
  await window.getByRole('link', { name: 'Companies' }).click()
  await expect(window.getByText('Sample service').first()).toBeVisible()

  await companyRow(window, 'Alder & Finch Builders').click()
  await details.getByRole('button', { name: 'De-provision…' }).click()
  const dialog = window.getByRole('dialog', { name: 'De-provision' })
  await dialog.getByRole('textbox').fill(await nameToType(dialog.getByRole('textbox')))
  await dialog.getByRole('button', { name: 'De-provision', exact: true }).press('Space')
  const confirmations = dialog.getByRole('list', { name: 'Confirmations' }).getByRole('listitem')
  await expect(confirmations).toHaveCount(3)
  for (const confirmation of await confirmations.all())
    await expect(confirmation).toContainText('confirms it')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(companyRows(window)).toHaveCount(2)
})
