/** What a screen reader and weak eyes meet on the records screen: read, edited and under review; edited in both themes. */
import { serious } from './access.ts'
import { expect, test } from './fixture.ts'
import { bySomebody, cell, customers, getRecords, openBooks, rowIdAt, type } from './records-steps.ts'

test('axe finds nothing serious on the records screen', async ({ window, service }) => {
  await openBooks(window, service)
  await getRecords(window)
  expect(await serious(window), 'as read').toEqual([])

  const [first, second] = [await rowIdAt(window, 0), await rowIdAt(window, 1)]
  await test.step('what is pinned stays in its place while the rest goes sideways, and at rest', async () => {
    const viewport = window.locator('.ag-grid-viewport')
    const places = () =>
      Promise.all(['margin', 'Name'].map(async (path) => cell(window, first, path).boundingBox()))
    const before = await places()
    await customers(window).hover()
    for (const [sideways, scrolled] of [
      [300, 300],
      [-900, 0],
    ] as const) {
      await window.mouse.wheel(sideways, 0)
      await expect(viewport).toHaveJSProperty('scrollLeft', scrolled)
      expect(await places()).toEqual(before)
      await expect(viewport).toHaveClass(/pinned-at-rest/)
      expect(await places()).toEqual(before)
    }
  })
  await type(window, cell(window, first, 'Phone'), '(415) 555-0101')
  await cell(window, second, 'Terms').click()
  await window.keyboard.press('F2')
  await window.keyboard.press('Control+a')
  await window.keyboard.press('Delete')
  await expect(window.getByRole('listbox', { name: 'Terms' })).toBeVisible()
  expect(await serious(window), 'editing').toEqual([])
  await window.keyboard.press('Escape')

  await bySomebody(service, 'PATCH', { ID: first, Phone: '(628) 555-0901' })
  await getRecords(window)
  await window.getByRole('button', { name: 'New customer' }).click()
  await window.keyboard.press('Escape')
  await window.getByRole('button', { name: 'Review changes' }).click()
  await cell(window, first, 'outcome').getByRole('button', { name: 'Choose' }).click()
  await expect(window.getByRole('group', { name: /^Changed meanwhile/ })).toBeVisible()
  await expect(customers(window).locator('.ag-row[row-id]').first()).toBeVisible()
  expect(await serious(window), 'under review, with a callout').toEqual([])
})
