/** **Tidy up**: what is kept is looked through, ticked by keyboard, drafted, and sent; what is no problem is waved off. */
import { serious } from './access.ts'
import { call } from './bridge.ts'
import { expect, test } from './fixture.ts'
import { dataRequests, getRecords, openBooks } from './records-steps.ts'

test('proposes over all companies, drafts what is ticked, and stays quiet about what is no problem', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const { currentId } = await call(window, 'connection.list', {})
  const { companies } = await call(window, 'companies.list', { connectionId: currentId ?? '' })
  const [, readOnly] = companies.filter(({ isActive }) => isActive)
  if (readOnly === undefined) throw new Error('There are two companies at least.')
  await call(window, 'companies.annotate', { company: readOnly.ref, notes: { readOnly: true } })

  // Everything that isn't kept is said, and read.
  await window.keyboard.press('Control+k')
  await window.getByRole('combobox', { name: 'Find or go to' }).fill('tidy up lists of all')
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'Tidy up', exact: true })).toBeVisible()
  const footer = window.getByRole('region', { name: 'What was looked through' })
  await expect(footer).toContainText('kept yet')
  await footer.getByRole('button', { name: 'Read them now' }).press('Enter')
  await expect(footer.getByRole('status')).toContainText(/lists were just read\./)
  await expect(window.getByText(`${readOnly.companyName} is read only`)).toContainText('It gets no ticks.')
  expect(await serious(window)).toEqual([])

  // Phones: two are ticked by keyboard.
  const kinds = window.getByRole('radiogroup', { name: 'Kinds' })
  await kinds.getByRole('radio', { name: /^Phones in one form/ }).check({ force: true })
  const phones = window.getByRole('grid', { name: 'Phones in one form' })
  const rows = phones.getByRole('row').filter({ has: window.getByRole('checkbox', { disabled: false }) })
  await rows.first().click()
  await expect(rows.first()).toContainText('→')
  await rows.first().press(' ')
  await window.keyboard.press('ArrowDown')
  await window.keyboard.press(' ')
  await expect(phones.getByRole('checkbox', { checked: true })).toHaveCount(2)
  expect(await serious(window)).toEqual([])

  // Duplicates: the other one is kept, and then it is no problem at all.
  await kinds.getByRole('radio', { name: /^Likely duplicates/ }).check({ force: true })
  const duplicates = window.getByRole('grid', { name: 'Likely duplicates' })
  const going = duplicates.getByRole('row').filter({ hasText: '(duplicate)' }).first()
  const name = await going.getByRole('checkbox').getAttribute('aria-label')
  await going.click()
  const panel = window.getByRole('complementary', { name: name ?? '' })
  await expect(panel).toContainText('(duplicate)')
  await panel.getByRole('button', { name: 'Keep this one instead' }).press('Enter')
  await expect(panel).toContainText('This one stays as it is.')
  expect(await serious(window)).toEqual([])
  await expect(panel.getByRole('button', { name: 'Not a problem' })).toBeVisible()
  await window.keyboard.press('n')
  await window.getByRole('radio', { name: 'Waved off 1' }).check({ force: true })
  const wavedOff = duplicates.getByRole('row').filter({ hasText: name ?? '' })
  await wavedOff.first().click()
  await window.keyboard.press('u')
  await expect(window.getByText('Nothing waved off')).toBeVisible()
  await window.getByRole('radio', { name: 'To decide' }).check({ force: true })
  // The next one has the keyboard then.
  await going.click()
  await window.keyboard.press('n')
  await expect(window.getByRole('radio', { name: 'Waved off 1' })).toBeAttached()
  await window.keyboard.press('n')
  await expect(window.getByRole('radio', { name: 'Waved off 2' })).toBeAttached()

  // Drafts, reviewed and sent like any other change in several companies.
  await window.getByRole('button', { name: /^Make 2 drafts in \d compan(y|ies)$/ }).press('Enter')
  const card = window.getByRole('article', { name: /^Tidy up, / })
  await expect(card.getByRole('rowheader').first()).toBeVisible()
  expect(await serious(window)).toEqual([])
  const before = (await dataRequests(service, 'PATCH')).length
  await card.getByRole('button', { name: /^Send 2 changes to \d compan(y|ies)$/ }).press('Enter')
  await expect(card.getByRole('progressbar', { name: /^Finished: 2 of 2 saved/ })).toBeVisible()
  const sent = (await dataRequests(service, 'PATCH')).slice(before)
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.some(({ path }) => path.includes(readOnly.ref.endpointId))).toBe(false)

  // Enter leads to the record in its list.
  await window.getByRole('radio', { name: 'To decide' }).check({ force: true })
  await kinds.getByRole('radio', { name: /^1099 vendors/ }).check({ force: true })
  const row = window.getByRole('grid', { name: '1099 vendors with missing details' }).getByRole('row').nth(1)
  await row.click()
  await window.keyboard.press('Enter')
  await expect(window.getByRole('grid', { name: 'Vendors' })).toBeVisible()
})
