/** History and Change back, by roles and keyboard: who changed this phone number, when, and what was it before? */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { companyRow, connect, provisionDesktop } from '../companies/steps.ts'
import { expect, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { cell, COMPANY, customers, getRecords, openBooks, requestByOther, rowIdAt, type } from './steps.ts'

const NEW_PHONE = '(415) 555-0142'

/** Types another phone number into the first record and sends it. Returns its row, its name, and the previous value. */
async function sendPhone(
  window: Page,
  phone = NEW_PHONE,
): Promise<{ readonly rowId: string; readonly name: string; readonly before: string }> {
  const rowId = await rowIdAt(window, 0)
  const target = cell(window, rowId, 'Phone')
  const before = (await target.innerText()).trim()
  const name = (await cell(window, rowId, 'Name').innerText()).trim()
  await type(window, target, phone)
  await window.getByRole('button', { name: /^Send 1 change to/ }).click()
  await expect(window.getByRole('button', { name: 'Show what was sent' })).toBeVisible()
  return { rowId, name, before }
}

function lines(dialog: Locator): Locator {
  return dialog.getByRole('row').filter({ has: dialog.page().getByRole('gridcell') })
}

test('a sent phone number’s history opens from its row, and its change can be undone once', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const { rowId, before, name } = await sendPhone(window)

  await test.step('its history opens by keyboard, with request and answer', async () => {
    const phone = cell(window, rowId, 'Phone')
    // The sent row may be rendered again under the pointer.
    await expect(async () => {
      await phone.click()
      await expect(phone).toBeFocused({ timeout: 500 })
    }).toPass()
    await window.keyboard.press('Control+Shift+H')
    const dialog = window.getByRole('dialog', { name: 'History' })
    const line = lines(dialog).filter({ hasText: 'Phone' })
    await expect(line).toHaveCount(1)
    await expect(line).toContainText(before)
    await expect(line).toContainText(NEW_PHONE)
    await expect(line).toContainText('saved')
    await expect(line).toContainText(/today/i)
    await line.click()
    const how = dialog.getByRole('region', { name: 'What was sent' })
    await expect(how.getByText('RequestId')).toBeHidden()
    await how.getByText('Details').click()
    await expect(how.getByText('RequestId')).toBeVisible()
    await expect(how.getByText(`"Phone":"${NEW_PHONE}"`).first()).toBeVisible()
    expect(await seriousViolations(window)).toEqual([])
    await window.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })

  await test.step('it is undone right after sending, and a second time is refused', async () => {
    await window.getByRole('button', { name: 'Undo…' }).click()
    const dialog = window.getByRole('dialog', { name: 'Undo changes' })
    const line = lines(dialog).filter({ hasText: 'Phone' })
    await expect(line).toContainText(NEW_PHONE)
    await expect(line).toContainText(before)
    await expect(dialog.getByRole('checkbox', { name: `Undo ${name}` })).toBeChecked()
    expect(await seriousViolations(window)).toEqual([])
    await dialog.getByRole('button', { name: `Send 1 change to ${COMPANY} (Desktop)` }).click()
    await expect(dialog).toHaveCount(0)
    await expect(cell(window, rowId, 'Phone')).toHaveText(before)

    await window.getByRole('link', { name: 'Activity' }).click()
    await window.getByRole('radio', { name: 'History' }).check()
    const history = window.getByRole('grid', { name: 'History' })
    await expect(history.getByRole('row').filter({ hasText: 'Reverses an earlier change' })).toHaveCount(1)
    const first = history.getByRole('row').filter({ hasText: /Undone today/i })
    await first.click()
    const panel = window.getByRole('complementary', { name: 'What was sent' })
    await panel.getByRole('button', { name: 'Undo…' }).click()
    await expect(dialog.getByText(/Already undone .*\.$/)).toBeVisible()
    await expect(dialog.getByRole('button', { name: /^Send changes to/ })).toBeDisabled()
    await window.keyboard.press('Escape')
  })
})

test(
  'from Activity, undoing goes through the review, and doesn’t overwrite what someone else has changed',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await getRecords(window)
    const { rowId, before } = await sendPhone(window)
    await requestByOther(service, 'PATCH', { ID: rowId, Phone: '(999) 999-9999' })

    await window.getByRole('link', { name: 'Activity' }).click()
    await window.getByRole('radio', { name: 'History' }).check()
    await window.getByRole('searchbox', { name: 'Search the history' }).fill(NEW_PHONE)
    const history = window.getByRole('grid', { name: 'History' })
    const entry = history.getByRole('row').filter({ hasText: '1 change in Customers' })
    await expect(entry).toContainText('1 saved')
    await entry.focus()
    await window.keyboard.press('Enter')
    const sent = window.getByRole('dialog', { name: 'History' })
    await expect(lines(sent).filter({ hasText: NEW_PHONE })).toHaveCount(1)
    await sent.getByRole('button', { name: 'Undo…' }).click()
    const dialog = window.getByRole('dialog', { name: 'Undo changes' })
    await dialog.getByRole('button', { name: 'Review in Records' }).click()

    await expect(window.getByRole('radio', { name: /^Changes/ })).toBeChecked()
    await expect(cell(window, rowId, 'Phone')).toContainText(before)
    await window.getByRole('button', { name: /^Send 1 change to/ }).click()
    await expect(cell(window, rowId, 'outcome')).toContainText(/changed elsewhere/i)
    expect(await requestByOther(service, 'GET')).toContain('(999) 999-9999')
  },
)

test('a new record is undone by setting it inactive', { tag: '@deep' }, async ({ window, service }) => {
  await openBooks(window, service)
  await getRecords(window)
  await window.getByRole('button', { name: 'New customer' }).click()
  const fresh = customers(window).locator('.row-new')
  await fresh.locator('[col-id="Name"]').click()
  await window.keyboard.type('Quince & Daughters')
  await window.keyboard.press('Enter')
  await window.getByRole('button', { name: /^Send 1 change to/ }).click()
  await window.getByRole('button', { name: 'Undo…' }).click()
  const dialog = window.getByRole('dialog', { name: 'Undo changes' })
  await expect(lines(dialog)).toContainText('Active')
  await expect(dialog.getByText(/It is made inactive/)).toBeVisible()
  await dialog.getByRole('button', { name: /^Send 1 change to/ }).click()
  await expect(dialog).toHaveCount(0)

  await window.getByRole('link', { name: 'Activity' }).click()
  await window.getByRole('radio', { name: 'History' }).check()
  const history = window.getByRole('grid', { name: 'History' })
  const back = history.getByRole('row').filter({ hasText: 'Reverses an earlier change' })
  await expect(back).toContainText('1 saved')
  const list = JSON.parse(await requestByOther(service, 'GET')) as {
    readonly Contents: readonly { readonly Object: Readonly<Record<string, string>> }[]
  }
  const made = list.Contents.find(({ Object: record }) => record['Name'] === 'Quince & Daughters')
  expect(made?.Object['IsActive']).toBe('false')
})

test('a client’s history is saved to files, and deleted to the last byte', async ({
  window,
  program,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const { rowId, name } = await sendPhone(window, 'canary-555-0199')

  await test.step('it is saved from a company, from Activity, and for one record', async () => {
    const dialog = window.getByRole('dialog', { name: 'Save history' })

    await cell(window, rowId, 'Phone').click()
    await window.keyboard.press('Control+Shift+H')
    await window
      .getByRole('dialog', { name: 'History' })
      .getByRole('button', { name: 'Save history…' })
      .click()
    await expect(dialog).toContainText(name)
    await dialog.getByRole('button', { name: 'Save Excel file…' }).click()
    await expect(dialog).toHaveCount(0)

    await window.getByRole('link', { name: 'Companies', exact: true }).click()
    await companyRow(window, COMPANY).first().click()
    await window.getByRole('button', { name: 'Save its history…' }).click()
    await expect(dialog).toContainText(COMPANY)
    expect(await seriousViolations(window)).toEqual([])
    await dialog.getByRole('radio', { name: 'PDF' }).check()
    await dialog.getByRole('button', { name: 'Save PDF…' }).click()
    await expect(dialog).toHaveCount(0)

    await window.getByRole('link', { name: 'Activity' }).click()
    await window.getByRole('radio', { name: 'History' }).check()
    await window.getByRole('button', { name: 'Save history…' }).click()
    await expect(dialog.getByRole('button', { name: 'Save Excel file…' })).toBeDisabled()
    await dialog.getByRole('combobox', { name: 'Company' }).fill('Alder')
    await window.keyboard.press('Enter')
    await dialog.getByRole('combobox', { name: 'Period' }).fill('Last year')
    await window.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Save Excel file…' }).click()
    await expect(dialog.getByRole('alert')).toContainText('Nothing in this list and period was sent')
    await dialog.getByRole('combobox', { name: 'Period' }).fill('This month')
    await window.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Save Excel file…' }).click()
    await expect(dialog).toHaveCount(0)
    expect(
      program
        .savedFiles()
        .map((file) => file.replace(/ - \d.*\./, '.'))
        .toSorted(),
    ).toEqual([
      expect.stringMatching(/ - History, .+\.xlsx$/),
      expect.stringMatching(/ - History\.pdf$/),
      expect.stringMatching(/ - History\.xlsx$/),
    ])
  })

  await test.step('it is deleted with the company’s data, and only the owner can read the files', async () => {
    const folder = program.userData
    const bytes = (): string =>
      readdirSync(folder)
        .filter((name) => name.startsWith('bookbridge.sqlite'))
        .map((name) => readFileSync(join(folder, name), 'latin1'))
        .join('\n')
    expect(bytes()).toContain('canary-555-0199')
    for (const name of ['bookbridge.sqlite', 'bookbridge.sqlite-wal', 'settings.json']) {
      expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0)
    }

    await window.getByRole('link', { name: 'Companies' }).click()
    await companyRow(window, COMPANY).first().click()
    const asked = await program.answer('Cancel')
    const remove = window.getByRole('button', { name: 'Delete this company’s data…' })
    await remove.press('Space')
    await expect.poll(asked).toEqual([expect.stringContaining('history of 1 record')])
    await expect(remove).toBeFocused()
    await expect(window.getByRole('alert')).toHaveCount(0)
    expect(bytes()).toContain('canary-555-0199')
    await program.answer('Delete')
    await remove.press('Space')
    await expect(window.getByText(/^Data about .* was deleted from this computer\.$/)).toBeVisible()
    expect(bytes()).not.toContain('canary-555-0199')
    await window.getByRole('link', { name: 'Activity' }).click()
    await window.getByRole('radio', { name: 'History' }).check()
    await expect(window.getByText('Nothing has been sent yet')).toBeVisible()
  })
})

test('anything but a record says why it can’t be undone', { tag: '@deep' }, async ({ window, service }) => {
  await connect(window, service)
  const wizard = await provisionDesktop(window)
  await expect(wizard.getByRole('heading', { name: /right file/ })).toBeVisible()
  await window.keyboard.press('Escape')
  await window.getByRole('link', { name: 'Activity' }).click()
  await window.getByRole('radio', { name: 'History' }).check()
  const history = window.getByRole('grid', { name: 'History' })
  await expect(history.getByRole('row').filter({ hasText: 'Creating a client' })).toContainText('Done')
  await history.getByRole('row').filter({ hasText: 'Provisioning' }).click()
  const panel = window.getByRole('complementary', { name: 'What was sent' })
  await expect(panel.getByText(/Provisioning can’t be undone/)).toBeVisible()
  await panel.locator('summary').click()
  await expect(panel.getByText('RequestId')).toBeVisible()
  await expect(panel.getByRole('button', { name: 'Undo…' })).toHaveCount(0)
})
