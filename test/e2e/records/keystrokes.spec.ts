/** What an experienced user types: few groups of keys from the companies to a sent record, and to a report. */
import type { Page } from '@playwright/test'
import { companyRows } from '../companies/steps.ts'
import { expect, test } from '../fixture.ts'
import { dataRequests, getRecords, openBooks } from './steps.ts'

/** Counts groups of keys. The same key several times in a row, or a typed word, is one group. */
class Typist {
  readonly #window: Page
  #last = ''
  groups = 0

  constructor(window: Page) {
    this.#window = window
  }

  async press(key: string): Promise<void> {
    if (key !== this.#last) this.groups += 1
    this.#last = key
    await this.#window.keyboard.press(key)
  }

  async type(text: string): Promise<void> {
    this.groups += 1
    this.#last = ''
    await this.#window.keyboard.type(text)
  }
}

test(
  'the first record is sent after at most twelve groups of keys, and a report runs after three',
  { tag: '@deep' },
  async ({ window }) => {
    await window.getByRole('button', { name: 'Explore the sample' }).click()
    await expect(companyRows(window)).toHaveCount(3)
    const keys = new Typist(window)
    await keys.press('Control+k')
    await keys.type('alder cust')
    await expect(window.getByRole('option', { name: /Customers/ }).first()).toBeVisible()
    await keys.press('Enter')
    await expect(window.getByRole('button', { name: 'Get records' })).toBeVisible()
    await keys.press('Control+Enter')
    const grid = window.getByRole('grid', { name: 'Customers' })
    await expect(window.getByText('the whole list').first()).toBeVisible()
    await expect(window.locator('[aria-busy="true"]')).toHaveCount(0)
    const first = grid.locator('.ag-row[row-index="0"]')
    await expect(first.locator('[col-id="Phone"]')).toBeVisible()
    await keys.press('F6')
    await keys.press('F6')
    await expect(first.locator('[col-id="Name"]')).toBeFocused()
    await keys.press('ArrowRight')
    await keys.type('(415) 555-0199')
    await keys.press('Enter')
    await expect(first.locator('[col-id="Phone"]')).toContainText('(415) 555-0199')
    // Nothing is sent before the review is shown.
    await keys.press('Control+Enter')
    await expect(window.getByRole('complementary', { name: 'Review' })).toContainText(
      'Nothing has been sent yet.',
    )
    // The key only goes to **Send**, because it fills cells while one is being edited. Enter sends.
    const send = window.getByRole('button', { name: 'Send 1 change to Alder & Finch Builders (Desktop)' })
    await keys.press('Control+Enter')
    await expect(send).toBeFocused()
    await keys.press('Enter')
    await expect(window.getByRole('status').filter({ hasText: '1 saved' }).first()).toBeVisible()
    expect(keys.groups).toBeLessThanOrEqual(12)

    await window.getByRole('link', { name: 'Reports' }).click()
    const period = window.getByRole('combobox', { name: 'Period' })
    await period.focus()
    const reportKeys = new Typist(window)
    await reportKeys.type('last month')
    await reportKeys.press('Enter')
    await reportKeys.press('Enter')
    await expect(window.getByRole('treegrid').first()).toBeVisible()
    expect(reportKeys.groups).toBeLessThanOrEqual(3)
  },
)

test('Ctrl+Enter sends nothing before the changes were reviewed, however long or often', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const grid = window.getByRole('grid', { name: 'Customers' })
  const phone = (row: number) => grid.locator(`.ag-row[row-index="${row}"] [col-id="Phone"]`)

  await test.step('held, it opens the review', async () => {
    await phone(0).click()
    await window.keyboard.type('(415) 555-0199')
    await window.keyboard.press('Enter')
    const review = window.getByRole('complementary', { name: 'Review' })
    await window.keyboard.down('Control')
    await window.keyboard.down('Enter')
    await expect(review).toContainText('Nothing has been sent yet.')
    for (let held = 0; held < 20; held += 1) await window.keyboard.down('Enter')
    await window.keyboard.up('Enter')
    await window.keyboard.up('Control')
    await expect(review).toContainText('Nothing has been sent yet.')
    expect(await dataRequests(service, 'POST')).toEqual([])
    expect(await dataRequests(service, 'PATCH')).toEqual([])
  })
  await window.getByRole('button', { name: 'Back to list' }).click()

  await test.step('pressed again and again, it fills cells, opens the review, and goes to Send', async () => {
    await phone(0).click()
    await window.keyboard.press('Shift+ArrowDown')
    await window.keyboard.type('(415) 555-0188')
    await window.keyboard.press('Control+Enter')
    for (const row of [0, 1]) await expect(phone(row)).toContainText('(415) 555-0188')
    // The next press opens the review. After that, the key goes to **Send**, and stays there.
    const send = window.getByRole('button', { name: 'Send 2 changes to Alder & Finch Builders (Desktop)' })
    await window.keyboard.press('Control+Enter')
    await expect(window.getByRole('complementary', { name: 'Review' })).toBeVisible()
    await phone(0).click()
    for (let pressed = 0; pressed < 3; pressed += 1) {
      await window.keyboard.press('Control+Enter')
      await expect(send).toBeFocused()
    }
    expect(await dataRequests(service, 'POST')).toEqual([])
    expect(await dataRequests(service, 'PATCH')).toEqual([])
  })
  await window.getByRole('button', { name: 'Back to list' }).click()

  await test.step('after many cells were filled, it opens the review at its first row', async () => {
    await phone(0).click()
    for (let row = 0; row < 40; row += 1) await window.keyboard.press('Shift+ArrowDown')
    await window.keyboard.type('(415) 555-0177')
    await window.keyboard.press('Control+Enter')
    await expect(window.getByRole('button', { name: /^Send 41 changes/ })).toBeVisible()
    await window.keyboard.press('Control+Enter')
    await expect(window.getByRole('complementary', { name: 'Review' })).toBeVisible()
    await expect(phone(0)).toBeInViewport()
    await window.getByRole('button', { name: 'Back to list' }).click()
  })

  await test.step('on a heading, it opens the review, too, and doesn’t sort', async () => {
    const heading = grid.getByRole('columnheader', { name: 'Phone' })
    await heading.focus()
    await window.keyboard.press('Control+Enter')
    await expect(window.getByRole('complementary', { name: 'Review' })).toBeVisible()
    await expect(heading).toHaveAttribute('aria-sort', 'none')
  })
})
