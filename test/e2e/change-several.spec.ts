/** One change in several companies: searched, compared, drafted, reviewed, and sent by keyboard, one company after another. */
import { serious } from './access.ts'
import { call } from './bridge.ts'
import { expect, test } from './fixture.ts'
import { dataRequests, getRecords, openBooks } from './records-steps.ts'

test('gives records of several companies one value, leaves out a read-only company, and saves one receipt', async ({
  window,
  program,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  await window.keyboard.press('Control+Shift+F')
  const footer = window.getByRole('contentinfo', { name: 'What was searched' })
  await footer.getByRole('button', { name: 'Read them now' }).click()
  await expect(footer.getByRole('status')).toContainText(/lists were just read\./)
  const readOnly = (
    await call(window, 'companies.list', { connectionId: await connectionOf(window) })
  ).companies.filter(({ isActive }) => isActive)[1]
  if (readOnly === undefined) throw new Error('There are two companies at least.')
  await call(window, 'companies.annotate', { company: readOnly.ref, notes: { readOnly: true } })

  await window.getByRole('combobox', { name: 'Find anywhere' }).fill('(4')
  await expect(window.getByRole('option').first()).toBeVisible()
  await footer.getByRole('button', { name: 'Change in several companies…' }).press('Enter')
  const table = window.getByRole('table', { name: 'Records side by side' })
  await expect(table).toBeVisible()
  await expect(table).toContainText('read only')
  // Two records of each company that can be changed; the first box of each is the company's.
  let drafts = 0
  for (const company of await table.locator('tbody').all()) {
    const boxes = company.getByRole('rowheader').getByRole('checkbox')
    for (const at of [1, 2]) {
      if (!(await boxes.nth(at).isEnabled())) continue
      await boxes.nth(at).press('Space')
      drafts += 1
    }
  }
  expect(drafts).toBeGreaterThan(3)

  const field = window.getByRole('combobox', { name: 'Field' })
  await field.fill('Phone')
  await field.press('Enter')
  await window.getByRole('combobox', { name: 'New value' }).fill('(415) 555-0199')
  await window.getByRole('combobox', { name: 'New value' }).press('Enter')
  expect(await serious(window)).toEqual([])
  await window
    .getByRole('button', { name: `Make ${String(drafts)} drafts in ${String(drafts / 2)} companies` })
    .press('Enter')

  const card = window.getByRole('article', { name: /^Phone → / })
  await expect(card.getByRole('rowheader').first()).toBeVisible()
  await card.getByRole('rowheader').getByRole('checkbox').nth(1).uncheck()
  const before = (await dataRequests(service, 'PATCH')).length
  await card
    .getByRole('button', { name: `Send ${String(drafts - 1)} changes to ${String(drafts / 2)} companies` })
    .press('Enter')
  await expect(card.getByRole('progressbar', { name: /^Finished: (\d+) of \1 saved$/ })).toBeVisible()
  expect(await serious(window)).toEqual([])
  const sent = (await dataRequests(service, 'PATCH')).slice(before)
  expect(sent.length).toBeGreaterThan(1)
  expect(sent.some(({ path }) => path.includes(readOnly.ref.endpointId))).toBe(false)
  await card.getByRole('button', { name: 'Save a receipt (PDF)…' }).click()
  await expect.poll(() => program.savedFiles().filter((name) => name.includes('Receipt'))).toHaveLength(1)
})

test('clears a value in several companies only if that is chosen, and only where a field can be empty', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  await window.keyboard.press('Control+Shift+F')
  const footer = window.getByRole('contentinfo', { name: 'What was searched' })
  await footer.getByRole('button', { name: 'Read them now' }).click()
  await expect(footer.getByRole('status')).toContainText(/lists were just read\./)
  await window.getByRole('combobox', { name: 'Find anywhere' }).fill('(4')
  await expect(window.getByRole('option').first()).toBeVisible()
  await footer.getByRole('button', { name: 'Change in several companies…' }).press('Enter')
  const table = window.getByRole('table', { name: 'Records side by side' })
  await expect(table).toBeVisible()
  for (const company of await table.locator('tbody').all())
    await company.getByRole('rowheader').getByRole('checkbox').nth(1).press('Space')

  const field = window.getByRole('combobox', { name: 'Field' })
  const box = window.getByRole('combobox', { name: 'New value' })
  const clear = window.getByRole('checkbox', { name: 'Clear the value' })
  const make = window.getByRole('button', { name: /^Make \d drafts in \d companies$/ })
  // Neither an empty box, nor a name, nor a yes or no.
  for (const [name, canBeEmpty] of [
    ['Active', 0],
    ['Name', 0],
    ['Phone', 1],
  ] as const) {
    await field.fill(name)
    await field.press('Enter')
    await expect(clear).toHaveCount(canBeEmpty)
    await expect(make).toBeDisabled()
  }
  await box.fill('(415) 555-0199')
  await clear.check()
  await expect(box).toBeDisabled()
  await expect(box).toHaveValue('')
  await expect(make).toBeEnabled()
  expect(await serious(window)).toEqual([])
  // Another field begins anew.
  await field.fill('Email')
  await field.press('Enter')
  await expect(clear).not.toBeChecked()
  await expect(make).toBeDisabled()
  await field.fill('Phone')
  await field.press('Enter')
  await clear.press('Space')
  await make.press('Enter')
  const card = window.getByRole('article', { name: /^Phone → \(empty\)/ })
  await expect(card.getByRole('rowheader').first()).toBeVisible()
  await card.getByRole('button', { name: /^Send \d changes to \d companies$/ }).press('Enter')
  await expect(card.getByRole('progressbar', { name: /^Finished: (\d+) of \1 saved$/ })).toBeVisible()
  const sent = await dataRequests(service, 'PATCH')
  expect(sent.length).toBeGreaterThan(1)
  for (const { body } of sent) expect(body).toContain('"Phone":""')
})

async function connectionOf(window: Parameters<typeof call>[0]): Promise<string> {
  const { currentId } = await call(window, 'connection.list', {})
  return currentId ?? ''
}
