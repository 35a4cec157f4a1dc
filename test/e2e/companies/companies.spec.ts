// Companies: browsing, finding, opening, and testing them, our own notes about them, and removing one.
import { expect, test } from '../fixture.ts'
import { companyRow, companyRows, connect, received } from './steps.ts'

test('label, color, notes, and the lock survive a restart', async ({ program, service }) => {
  const first = await program.start()
  await connect(first.window, service)
  await companyRows(first.window).first().click()
  await first.window.getByLabel('Label').fill('Dana’s builders')
  await first.window.getByLabel('Notes').fill('Ask Dana before changing terms.')
  await first.window.getByRole('radio', { name: 'rose' }).check()
  await first.window.getByRole('combobox', { name: 'Fiscal year starts in' }).fill('October')
  await first.window.getByRole('combobox', { name: 'Fiscal year starts in' }).press('Enter')
  await first.window.getByRole('radio', { name: 'Accrual' }).check()
  await first.window.getByRole('switch', { name: 'Read only' }).check()
  // What the row shows is on disk.
  await expect(companyRow(first.window, 'Dana’s builders').getByLabel('read only')).toBeVisible()
  await program.kill()

  const { window } = await program.start()
  await companyRow(window, 'Dana’s builders').click()
  await expect(window.getByLabel('Notes')).toHaveValue('Ask Dana before changing terms.')
  await expect(window.getByRole('radio', { name: 'rose' })).toBeChecked()
  await expect(window.getByRole('combobox', { name: 'Fiscal year starts in' })).toHaveValue('October')
  await expect(window.getByRole('radio', { name: 'Accrual' })).toBeChecked()
  await expect(window.getByRole('switch', { name: 'Read only' })).toBeChecked()
})

test('companies are found by keyboard, their tokens are copied, and they are de-provisioned', async ({
  window,
  service,
  program,
}) => {
  await connect(window, service)

  await test.step('the table is searched, filtered, and opened by keyboard alone', async () => {
    const all = await companyRows(window).count()
    const name =
      (await companyRows(window).nth(1).getByRole('gridcell').first().innerText())
        .trim()
        .split('\n')
        .at(-1) ?? ''

    await window.getByRole('searchbox', { name: 'Search' }).fill(name)
    await expect(companyRows(window)).toHaveCount(1)
    await window.getByRole('searchbox', { name: 'Search' }).fill('no such company')
    await expect(window.getByText('Nothing found')).toBeVisible()
    await window.getByRole('button', { name: 'Clear the search' }).press('Enter')
    await expect(companyRows(window)).toHaveCount(all)

    await window.getByRole('radio', { name: 'Active', exact: true }).focus()
    await window.keyboard.press('ArrowRight')
    await expect(window.getByRole('radio', { name: 'Inactive' })).toBeChecked()
    await window.keyboard.press('ArrowRight')
    await expect(window.getByRole('radio', { name: 'All' })).toBeChecked()
    await expect(companyRows(window).first()).toBeVisible()

    await companyRow(window, name).focus()
    await window.keyboard.press('Enter')
    await expect(window.getByRole('heading', { level: 1, name })).toBeVisible()
  })
  await window.getByRole('link', { name: 'Companies' }).click()
  await window.getByRole('radio', { name: 'Active', exact: true }).check()

  await test.step('the agent token is copied to the clipboard and is in no message. De-provision asks, sends once, and shows three confirmations', async () => {
    const row = companyRow(window, 'Desktop').first()
    const name = (await row.getByRole('gridcell').first().innerText()).trim().split('\n').at(-1) ?? ''
    await row.click()
    await window.getByRole('button', { name: 'Copy agent token' }).click()
    await expect(window.getByText(/clipboard is cleared in/)).toBeVisible()
    await window.getByRole('button', { name: 'Clear now' }).click()
    await expect(window.getByText(/clipboard is cleared in/)).toHaveCount(0)
    const copied = program.messages().filter((message) => JSON.stringify(message).includes('"token"'))
    expect(copied).toEqual([])

    const asked = await program.answer('Cancel')
    const deprovision = window.getByRole('button', { name: 'De-provision…' })
    const dialog = window.getByRole('dialog', { name: 'De-provision' })
    await deprovision.press('Space')
    await expect.poll(asked).toEqual([expect.stringContaining(`De-provision “${name}”?`)])
    // Canceling isn't an error. There is no message, and the user continues where they were.
    await expect(dialog).toHaveCount(0)
    await expect(deprovision).toBeFocused()
    expect((await received(service)).filter(({ method }) => method === 'PATCH')).toEqual([])

    await program.answer('De-provision')
    await deprovision.press('Space')
    await expect(dialog.getByRole('list', { name: 'Confirmations' }).getByRole('listitem')).toHaveCount(3)
    await expect(dialog.getByText(`${name} is de-provisioned`)).toBeVisible()
    const patches = (await received(service)).filter(({ method }) => method === 'PATCH')
    expect(patches.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { endpointId: expect.any(String), isActive: 'false' },
    ])

    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect(companyRow(window, name)).toHaveCount(0)
    await window.getByRole('radio', { name: 'Inactive' }).check()
    await expect(companyRow(window, name)).toBeVisible()
  })
})
