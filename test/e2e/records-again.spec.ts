/** A list again, quickly: at once with its age, what changed since, what is gone. */
import type { Page } from '@playwright/test'
import { expect, test, type Service } from './fixture.ts'
import {
  bySomebody,
  cell,
  count,
  dataRequests,
  getRecords,
  openBooks,
  refresh,
  rowIdAt,
  type,
} from './records-steps.ts'

const SECONDS = 1_000

function stamp(window: Page) {
  return window.getByRole('status', { name: 'What was read' })
}

/** What the last read of a list asked for. */
async function lastRead(service: Service): Promise<URLSearchParams> {
  return new URLSearchParams((await dataRequests(service, 'GET')).at(-1)?.query)
}

test('a list opened before is there at once with its age; Changed since brings what changed, Get again what is gone', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const [mine, theirs] = [await rowIdAt(window, 0), await rowIdAt(window, 1)]
  await type(window, cell(window, mine, 'Phone'), '(415) 555-0101')
  const all = await count(window, 'All')
  const asked = (await dataRequests(service, 'GET')).length

  await test.step('another list, and back: no request, and its age', async () => {
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

  await test.step('Changed since asks from before the read on, merges, and says what came', async () => {
    await bySomebody(service, 'PATCH', { ID: mine, Phone: '(415) 555-0102' })
    await bySomebody(service, 'PATCH', { ID: theirs, Phone: '(415) 555-0103' })
    await refresh(window, 'Changed since')
    const main = window.getByRole('main')
    await expect(main.getByText(/2 changed/)).toContainText('One of them has your draft on it')
    const since = Date.parse((await lastRead(service)).get('modTimeStart') ?? '')
    expect(since).toBeLessThan(Date.now() - 10 * 60 * SECONDS)
    await expect(cell(window, theirs, 'Phone')).toHaveText('(415) 555-0103')
    // What was typed stands, and is marked as changed underneath.
    await expect(cell(window, mine, 'Phone')).toHaveText('(415) 555-0101')
    await expect(cell(window, mine, 'Phone')).toHaveClass(/cell-meanwhile/)
    await expect(stamp(window)).toContainText('the whole list')
    expect(await count(window, 'All')).toBe(all)
  })

  await test.step('Get again finds what is no longer there', async () => {
    const kept = { Object: { ID: theirs, Name: 'Alone', FullName: 'Alone' }, Errors: null, Kind: 'customer' }
    const text = JSON.stringify({ MoreData: false, RequestId: 'r', Contents: [kept], Errors: null })
    await service.control({
      faults: [{ match: { method: 'GET', path: '/v2/data/' }, fault: { kind: 'body', text } }],
    })
    await refresh(window, 'Get again')
    await expect(cell(window, theirs, 'Name')).toHaveText('Alone')
    expect((await lastRead(service)).has('modTimeStart')).toBe(false)
    // The draft of the one that is gone stays.
    await expect.poll(() => count(window, 'All')).toBe(2)
    await expect(cell(window, mine, 'Phone')).toHaveText('(415) 555-0101')
  })

  await test.step('What was typed into it can be added as a new record, with what the record had', async () => {
    const name = (await cell(window, mine, 'Name').innerText()).trim()
    await expect(cell(window, mine, 'outcome')).toContainText('No longer in the list')
    await cell(window, mine, 'outcome').getByRole('button', { name: 'Choose' }).click()
    await expect(window.getByRole('group', { name: /^No longer in the list: / })).toBeVisible()
    await window.getByRole('button', { name: 'Add as new' }).click()
    await expect(cell(window, mine, 'Name')).toHaveCount(0)
    await expect.poll(() => count(window, 'New')).toBe(1)
    expect(await count(window, 'All')).toBe(2)
    expect(await count(window, 'Edited')).toBe(0)
    const added = await rowIdAt(window, 0)
    await expect(cell(window, added, 'Phone')).toHaveText('(415) 555-0101')
    await expect(cell(window, added, 'Name')).toContainText(name.split(':').at(-1) ?? name)
  })
})
