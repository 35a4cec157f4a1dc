/**
 * Accessibility of the records screen: after reading, after editing, and in the review; after editing, in both themes.
 */
import type { Locator } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { cell, customers, getRecords, openBooks, requestByOther, rowIdAt, type } from './steps.ts'

test('axe finds nothing serious on the records screen', async ({ window, service }) => {
  await openBooks(window, service)
  await getRecords(window)
  expect(await seriousViolations(window), 'as read').toEqual([])
  await window.getByRole('button', { name: 'Get only…' }).click()
  await expect(window.getByRole('form', { name: 'Get only' })).toBeVisible()
  expect(await seriousViolations(window), 'the filter').toEqual([])
  await window.keyboard.press('Escape')

  const [first, second] = [await rowIdAt(window, 0), await rowIdAt(window, 1)]
  await test.step('pinned columns stay in place while the others scroll, and afterward', async () => {
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
  expect(await seriousViolations(window), 'editing').toEqual([])
  await window.keyboard.press('Escape')

  await requestByOther(service, 'PATCH', { ID: first, Phone: '(628) 555-0901' })
  await getRecords(window)
  await window.getByRole('button', { name: 'New customer' }).click()
  await window.keyboard.press('Escape')
  await window.getByRole('button', { name: 'Review changes' }).click()
  await cell(window, first, 'outcome').getByRole('button', { name: 'Choose' }).click()
  await expect(window.getByRole('group', { name: /^Changed elsewhere/ })).toBeVisible()
  await expect(customers(window).locator('.ag-row[row-id]').first()).toBeVisible()
  expect(await seriousViolations(window), 'under review, with a callout').toEqual([])

  await window.getByRole('button', { name: 'More', exact: true }).click()
  await window.getByRole('menuitem', { name: 'Revert all…' }).click()
  const question = window.getByRole('alertdialog', { name: 'Revert all' })
  await expect(question).toContainText('Sent changes stay.')
  expect(await seriousViolations(window), 'the question').toEqual([])
  await question.getByRole('button', { name: 'Keep them' }).click()
  await expect(question).toBeHidden()
})

/** Controls inside an element, by name. */
function covered(by: Locator): Promise<readonly string[]> {
  return by.evaluate((note) => {
    const { left, right, top, bottom } = note.getBoundingClientRect()
    const under = new Set<Element>()
    for (let x = left + 1; x < right; x += 4) {
      for (let y = top + 1; y < bottom; y += 4) {
        for (const element of document.elementsFromPoint(x, y)) {
          const control = element.closest('button, a[href], input, [role="gridcell"]')
          if (control && !note.contains(control)) under.add(control)
        }
      }
    }
    return [...under].map((control) => control.textContent.trim() || control.outerHTML.slice(0, 80))
  })
}

test(
  'a message covers no control, and disappears with its page or when it no longer applies',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await getRecords(window)
    const messages = window.getByRole('status', { name: 'Messages' })
    const note = messages.locator('.toast')
    const refuse = async (): Promise<void> => {
      await window.keyboard.press('Control+Shift+H')
      await expect(note).toHaveText('Select a saved record first.')
    }
    for (const [width, height] of [
      [1366, 800],
      [900, 700],
      [683, 400],
    ] as const) {
      await window.setViewportSize({ width, height })
      await refuse()
      expect(await covered(note), `at ${String(width)} px`).toEqual([])
      expect(await seriousViolations(window)).toEqual([])
    }
    await window.setViewportSize({ width: 1366, height: 800 })

    await refuse()
    await window.getByRole('combobox', { name: 'List' }).fill('Vendors')
    await window.getByRole('combobox', { name: 'List' }).press('Enter')
    await expect(note).toHaveCount(0)
    await refuse()
    await window.getByRole('link', { name: 'Companies', exact: true }).click()
    await expect(note).toHaveCount(0)

    await window.getByRole('link', { name: 'Records' }).click()
    await refuse()
    await cell(window, await rowIdAt(window, 0), 'Phone').click()
    await window.keyboard.press('Control+Shift+H')
    await expect(window.getByRole('dialog').filter({ hasText: 'History' })).toBeVisible()
    await expect(note).toHaveCount(0)

    await window.keyboard.press('Escape')
    const now = Date.now()
    await window.clock.install({ time: now })
    await window.getByRole('combobox', { name: 'List' }).fill('Accounts')
    await window.getByRole('combobox', { name: 'List' }).press('Enter')
    await expect(window.getByRole('button', { name: 'New account' })).toBeVisible()
    // From here on, time passes only when the spec says so.
    await window.clock.pauseAt(now + 3_600_000)
    await refuse()
    await window.clock.runFor(5_900)
    await expect(note).toBeVisible()
    await window.clock.runFor(200)
    await expect(note).toHaveCount(0)
  },
)
