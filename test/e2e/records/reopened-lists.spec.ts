/** Opening a list again: it is shown immediately with its age, then updated with changed and deleted records. */
import type { Page } from '@playwright/test'
import { fault } from '../faults/steps.ts'
import { expect, type Service, test } from '../fixture.ts'
import {
  cell,
  count,
  customers,
  dataRequests,
  getRecords,
  openBooks,
  refresh,
  requestByOther,
  rowIdAt,
  type,
} from './steps.ts'

const SECONDS = 1_000

function stamp(window: Page) {
  return window.getByRole('status', { name: 'What was read' })
}

/** Returns the query of the last read of a list. */
async function lastRead(service: Service): Promise<URLSearchParams> {
  return new URLSearchParams((await dataRequests(service, 'GET')).at(-1)?.query)
}

test(
  'a list opened before appears at once with its age; Changed since adds the changes, and Get again removes what is gone',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await getRecords(window)

    await test.step('a refresh while the service is busy is tried three times, then reported, and keeps the rows', async () => {
      const all = await count(window, 'All')
      const asked = (await dataRequests(service, 'GET')).length
      const alert = window.getByRole('main').getByRole('alert')
      await fault(service, 'GET', { kind: 'status', status: 429, retryAfter: 1, body: 'empty' }, { times: 3 })
      await window.getByRole('button', { name: 'Refresh', exact: true }).click()
      await expect(alert).toBeVisible()
      expect(await dataRequests(service, 'GET')).toHaveLength(asked + 3)
      expect(await count(window, 'All')).toBe(all)
      await expect(customers(window).locator('.ag-row[row-id]').first()).toBeVisible()
      await alert.getByRole('button', { name: 'Try again' }).click()
      await expect(alert).toHaveCount(0)
      await expect(stamp(window)).toContainText('the whole list')
    })

    const [mine, theirs] = [await rowIdAt(window, 0), await rowIdAt(window, 1)]
    await type(window, cell(window, mine, 'Phone'), '(415) 555-0101')
    const all = await count(window, 'All')
    const asked = (await dataRequests(service, 'GET')).length

    await test.step('another list and back: no request, and its age', async () => {
      await window.getByRole('combobox', { name: 'List' }).fill('Vendors')
      await window.keyboard.press('Enter')
      await expect(stamp(window)).toHaveText('Not read yet')
      await window.getByRole('combobox', { name: 'List' }).fill('Customers')
      await window.keyboard.press('Enter')
      await expect(stamp(window)).toContainText(/Read (?:just now|\d+ minutes? ago)/)
      await expect(cell(window, theirs, 'Phone')).toBeVisible()
      expect(await count(window, 'All')).toBe(all)
      expect(await dataRequests(service, 'GET')).toHaveLength(asked)
    })

    await test.step('Changed since asks for changes from before the last read, merges them, and says what was added', async () => {
      await requestByOther(service, 'PATCH', { ID: mine, Phone: '(415) 555-0102' })
      await requestByOther(service, 'PATCH', { ID: theirs, Phone: '(415) 555-0103' })
      await refresh(window, 'Changed since')
      const main = window.getByRole('main')
      await expect(main.getByText(/2 changed/)).toContainText('One of them has your draft on it')
      const since = Date.parse((await lastRead(service)).get('modTimeStart') ?? '')
      expect(since).toBeLessThan(Date.now() - 10 * 60 * SECONDS)
      await expect(cell(window, theirs, 'Phone')).toHaveText('(415) 555-0103')
      // The typed value stays, and is marked as changed underneath.
      await expect(cell(window, mine, 'Phone')).toHaveText('(415) 555-0101')
      await expect(cell(window, mine, 'Phone')).toHaveClass(/cell-changed-meanwhile/)
      await expect(stamp(window)).toContainText('the whole list')
      expect(await count(window, 'All')).toBe(all)
    })

    await test.step('a record that was renamed meanwhile moves to where its new name belongs', async () => {
      const third = await rowIdAt(window, 2)
      await requestByOther(service, 'PATCH', { ID: third, Name: 'AAA First in line' })
      await refresh(window, 'Changed since')
      await expect.poll(() => rowIdAt(window, 0)).toBe(third)
      expect(await count(window, 'All')).toBe(all)
    })

    await test.step('Get again finds what no longer exists', async () => {
      const kept = {
        Object: { ID: theirs, Name: 'Alone', FullName: 'Alone' },
        Errors: null,
        Kind: 'customer',
      }
      const text = JSON.stringify({ MoreData: false, RequestId: 'r', Contents: [kept], Errors: null })
      await service.control({
        faults: [{ match: { method: 'GET', path: '/v2/data/' }, fault: { kind: 'body', text } }],
      })
      await refresh(window, 'Get again')
      await expect(cell(window, theirs, 'Name')).toHaveText('Alone')
      expect((await lastRead(service)).has('modTimeStart')).toBe(false)
      // The draft of the deleted record stays.
      await expect.poll(() => count(window, 'All')).toBe(2)
      await expect(cell(window, mine, 'Phone')).toHaveText('(415) 555-0101')
    })

    await test.step('a draft of a deleted record can be added as a new record, with the record’s other values', async () => {
      const name = (await cell(window, mine, 'Name').innerText()).trim()
      await expect(cell(window, mine, 'outcome')).toContainText('No longer in the list')
      await cell(window, mine, 'outcome').getByRole('button', { name: 'Choose' }).click()
      await expect(window.getByRole('group', { name: /^No longer in the list: / })).toBeVisible()
      await window.getByRole('button', { name: 'Add as new' }).click()
      await expect(cell(window, mine, 'Name')).toHaveCount(0)
      await expect.poll(() => count(window, 'New')).toBe(1)
      expect(await count(window, 'All')).toBe(2)
      expect(await count(window, 'Changes')).toBe(1)
      const added = await rowIdAt(window, 0)
      await expect(cell(window, added, 'Phone')).toHaveText('(415) 555-0101')
      await expect(cell(window, added, 'Name')).toContainText(name.split(':').at(-1) ?? name)
    })
  },
)

test(
  'a list keeps its order and position while another is shown, and offers to clear a filter that hides every row',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await getRecords(window)
    const grid = customers(window)
    const heading = grid.getByRole('columnheader', { name: 'Name', exact: true })
    /** The name of the first visible row. */
    const top = () =>
      grid.evaluate((node) => {
        const viewport = node.querySelector('.ag-grid-viewport')?.getBoundingClientRect().top ?? 0
        const head = node.querySelector('.ag-header')?.getBoundingClientRect().bottom ?? viewport
        const rows = [...node.querySelectorAll<HTMLElement>('.ag-row[row-id]')]
          .map((row) => ({ row, at: row.getBoundingClientRect().top }))
          .filter(({ at }) => at >= head - 2)
          .toSorted((left, right) => left.at - right.at)
        return rows[0]?.row.querySelector('[col-id="Name"]')?.textContent.trim()
      })
    const show = async (list: string): Promise<void> => {
      await window.getByRole('combobox', { name: 'List' }).fill(list)
      await window.keyboard.press('Enter')
    }
    await heading.click()
    await expect(heading).toHaveAttribute('aria-sort', 'descending')
    await expect.poll(top).toMatch(/^[T-Z]/)
    const before = await top()
    await grid.hover()
    await window.mouse.wheel(0, 2_800)
    await expect.poll(top).not.toBe(before)
    let place: string | undefined
    const isAtRest = async (): Promise<boolean> => {
      const last = place
      place = await top()
      return place === last
    }
    await expect.poll(isAtRest).toBe(true)
    await show('Vendors')
    await expect(stamp(window)).toHaveText('Not read yet')
    await show('Customers')
    await expect(heading).toHaveAttribute('aria-sort', 'descending')
    await expect.poll(top).toBe(place)

    const rows = grid.locator('.ag-row[row-id]')
    const focusIsLost = () => window.evaluate(() => document.activeElement === document.body)
    await window.getByRole('radio', { name: /^Problems/ }).check()
    await expect(window.getByRole('heading', { name: 'No problems' })).toBeVisible()
    await window.getByRole('button', { name: 'Show all customers' }).press('Enter')
    await expect(rows.first()).toBeVisible()
    await expect.poll(focusIsLost).toBe(false)
    await cell(window, await rowIdAt(window, 0), 'Name').click()
    await window.keyboard.press('Alt+ArrowDown')
    const filter = window.getByRole('form', { name: 'Filter Name' })
    await filter.getByRole('textbox').first().fill('no such name')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('heading', { name: 'No customers found' })).toBeVisible()
    await window.getByRole('searchbox', { name: 'Search' }).fill('nor this')
    await window.getByRole('button', { name: 'Clear filters' }).press('Enter')
    await expect(window.getByText('None of the rows contains “nor this”.')).toBeVisible()
    await window.getByRole('button', { name: 'Clear search' }).press('Enter')
    await expect(rows.first()).toBeVisible()
    await expect.poll(focusIsLost).toBe(false)

    await test.step('in a review of the sorted list, Tab follows the changes as shown, and F6 goes around it and back', async () => {
      const [upper, lower] = [await rowIdAt(window, 0), await rowIdAt(window, 1)]
      for (const row of [lower, upper]) {
        await type(window, cell(window, row, 'Phone'), '(415) 555-0101')
        await type(window, cell(window, row, 'Email'), 'office@example.com')
      }
      await window.getByRole('button', { name: 'Review changes' }).click()
      await expect(grid.locator('.ag-row[row-id]')).toHaveCount(2)
      await expect(cell(window, upper, 'Phone')).toBeFocused()
      await window.keyboard.press('Tab')
      await expect(cell(window, upper, 'Email')).toBeFocused()
      // The row below begins with its check box.
      await window.keyboard.press('Tab')
      await expect(cell(window, lower, 'tick')).toBeFocused()
      await window.keyboard.press('Shift+Tab')
      await expect(cell(window, upper, 'Email')).toBeFocused()
      await window.keyboard.press('F6')
      await expect
        .poll(() => window.evaluate(() => document.activeElement?.closest('aside')?.ariaLabel))
        .toBe('Review')
      await window.keyboard.press('Shift+F6')
      await expect(cell(window, upper, 'Email')).toBeFocused()
    })
  },
)
