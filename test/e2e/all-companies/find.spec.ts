/** **Find anywhere** with the keyboard alone, from one list across all companies, without the service. */
import { expect, test } from '../fixture.ts'
import { cell, COMPANY, customers, getRecords, openBooks, rowIdAt } from '../records/steps.ts'
import { seriousViolations } from '../support/access.ts'
import { call } from '../support/bridge.ts'

test('records of all companies are found by name, in the palette and anywhere, and what is missing is read', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const row = await rowIdAt(window, 3)
  const name = (await cell(window, row, 'Name').textContent())?.trim() ?? ''

  await test.step('the palette finds records by name, in the visible list and in kept ones, and sends drafts', async () => {
    const palette = window.getByRole('combobox', { name: 'Find or go to…' })
    const option = window.getByRole('option').filter({ hasText: name }).filter({ hasText: 'Customers' })
    const find = async (): Promise<void> => {
      await window.keyboard.press('Control+k')
      await palette.fill(name)
      await expect(option).toHaveCount(1)
      await expect(option).toHaveAttribute('aria-selected', 'true')
      await palette.press('Enter')
      await expect(cell(window, row, 'Name')).toBeFocused()
    }

    await find()
    await window.keyboard.press('ArrowRight')
    await window.keyboard.type('(415) 555-0199')
    await window.keyboard.press('Enter')
    await window.keyboard.press('Control+k')
    await palette.fill('send 1')
    await expect(window.getByRole('option').first()).toHaveText(`Send 1 change to ${COMPANY} (Desktop)`)
    await palette.press('Enter')
    await expect(window.getByRole('status').filter({ hasText: '1 saved' }).first()).toBeVisible()
    await window.keyboard.press('Control+k')
    await palette.fill('send 1')
    await expect(window.getByRole('option', { name: /^Send 1/ })).toHaveCount(0)
    await window.keyboard.press('Escape')

    // The list is no longer shown. Its kept copy is searched.
    await window.keyboard.press('Control+1')
    await expect(window.getByRole('grid', { name: 'Companies' })).toBeVisible()
    const { currentId } = await call(window, 'connection.list', {})
    const keptLists = async (): Promise<readonly string[]> => {
      const { lists } = await call(window, 'allCompanies.coverage', { connectionId: currentId ?? '' })
      return lists.filter(({ coverage }) => coverage === 'kept').map(({ object }) => object)
    }
    await expect.poll(keptLists).toEqual(['customer'])
    await find()
  })

  await test.step('Find anywhere finds records as the user types, reads what is missing, and opens one in its list', async () => {
    const field = window.getByRole('combobox', { name: 'Find anywhere' })
    const footer = window.getByRole('region', { name: 'What was searched' })
    const options = window.getByRole('listbox', { name: 'Records' }).getByRole('option')

    await cell(window, await rowIdAt(window, 0), 'Name').click()
    await window.keyboard.press('Control+Shift+F')
    await expect(field).toBeFocused()
    await window.keyboard.type(name)
    await expect(options.first()).toContainText(name)
    await expect(window.getByRole('group', { name: COMPANY })).toBeVisible()
    await expect(footer).toContainText(/lists aren’t kept yet/)
    await footer.getByRole('button', { name: 'Read them now' }).click()
    await expect(footer).not.toContainText('kept yet')
    await expect(footer.getByRole('status')).toHaveCount(0)
    expect(await seriousViolations(window)).toEqual([])

    // The best five of each company, and the others on request.
    await field.fill('har')
    const found = window.getByRole('group', { name: COMPANY }).getByRole('option')
    await expect(found).toHaveCount(6)
    await found.filter({ hasText: /^Show more$/ }).click()
    await expect.poll(() => found.count()).toBeGreaterThan(6)
    await expect(field).toBeFocused()

    await field.fill(name)
    await expect(options.first()).toContainText(name)
    await window.keyboard.press('ArrowDown')
    await window.keyboard.press('ArrowUp')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('dialog', { name: 'Find anywhere' })).toHaveCount(0)
    await expect(customers(window)).toBeVisible()
    await expect(
      cell(window, row, 'FullName')
        .or(cell(window, row, 'Name'))
        .first(),
    ).toBeVisible()
    await expect(window.locator(`[row-id="${row}"] .ag-cell-focus`).first()).toBeVisible()

    // Neither the service nor the open list is needed.
    await service.stop()
    await window.keyboard.press('Control+k')
    await window.keyboard.type('find anywhere')
    await window.keyboard.press('Enter')
    await expect(field).toBeFocused()
    await field.fill('no such record anywhere')
    await expect(window.getByRole('dialog', { name: 'Find anywhere' })).toContainText('Nothing found')
    await window.keyboard.press('Escape')
    await expect(field).toHaveCount(0)
  })
})
