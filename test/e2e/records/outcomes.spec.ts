/**
 * Outcomes that the user decides row by row: someone else changed the record, too, or the program ended while sending.
 */
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { call } from '../support/bridge.ts'
import {
  cell,
  COMPANY,
  count,
  customers,
  dataRequests,
  getRecords,
  openBooks,
  requestByOther,
  rowIdAt,
  shortenDeadlines,
  type,
} from './steps.ts'

const SECONDS = 1_000

function send(window: Page): Locator {
  return window.getByRole('button', { name: /^Send \d+ changes? to/ })
}

/** The button in a row's outcome. */
function offer(window: Page, rowId: string, name: string): Locator {
  return cell(window, rowId, 'outcome').getByRole('button', { name })
}

test('a field that someone else changed is shown with its values, and the user’s choice applies', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await shortenDeadlines(window)
  await getRecords(window)

  await test.step('all three values are shown after sending, and the choice is sent', async () => {
    const [first, second] = [await rowIdAt(window, 0), await rowIdAt(window, 1)]
    const asRead = (await cell(window, first, 'Phone').textContent()) ?? ''
    await type(window, cell(window, first, 'Phone'), '(669) 555-0101')
    await type(window, cell(window, second, 'Phone'), '(669) 555-0102')
    await requestByOther(service, 'PATCH', [
      { ID: first, Phone: '(628) 555-0901' },
      { ID: second, Phone: '(628) 555-0902' },
    ])

    await send(window).click()
    for (const row of [first, second]) {
      await expect(cell(window, row, 'outcome')).toContainText('Changed elsewhere')
    }
    const wholeDecision = async (row: string, choice: string): Promise<void> => {
      await offer(window, row, 'Choose').click()
      const callout = window.getByRole('group', { name: /^Changed elsewhere/ })
      await expect(callout).toContainText('(628) 555-090')
      await expect(callout).toContainText('(669) 555-010')
      if (row === first) await expect(callout).toContainText(asRead)
      await callout.getByRole('button', { name: choice }).click()
      await expect(callout).toBeHidden()
    }
    await wholeDecision(first, 'Keep yours: (669) 555-0101')
    await wholeDecision(second, 'Use theirs: (628) 555-0902')
    await expect(cell(window, second, 'Phone')).toHaveText('(628) 555-0902')
    await expect(cell(window, second, 'outcome').getByText('elsewhere')).toHaveCount(0)

    // “Yours” is a draft based on their values, which is removed once it is sent.
    await expect(cell(window, first, 'Phone')).toContainText('(669) 555-0101')
    await send(window).click()
    await expect.poll(() => count(window, 'Changes')).toBe(0)
    const books = await requestByOther(service, 'GET')
    expect(books).toContain('(669) 555-0101')
    expect(books).not.toContain('(669) 555-0102')
  })

  await test.step('after Get again, a draft shows what changed underneath, and keeps or discards its value', async () => {
    const row = await rowIdAt(window, 0)
    await type(window, cell(window, row, 'Phone'), '(415) 555-0103')
    await requestByOther(service, 'PATCH', { ID: row, Phone: '(628) 555-0903' })
    const sent = (await dataRequests(service, 'PATCH')).length
    await getRecords(window)
    await expect(cell(window, row, 'outcome')).toContainText('Changed elsewhere')
    await expect(cell(window, row, 'Phone')).toHaveText('(415) 555-0103')
    await expect(cell(window, row, 'Phone')).toHaveClass(/cell-changed-meanwhile/)

    await offer(window, row, 'Choose').click()
    const callout = window.getByRole('group', { name: /^Changed elsewhere/ })
    await callout.getByRole('button', { name: 'Use theirs: (628) 555-0903' }).click()
    await expect(cell(window, row, 'Phone')).toHaveText('(628) 555-0903')
    expect(await count(window, 'Changes')).toBe(0)
    expect(await dataRequests(service, 'PATCH')).toHaveLength(sent)
  })

  await test.step('locked books say so, and accept no change', async () => {
    const { currentId } = await call(window, 'connection.list', {})
    const { companies } = await call(window, 'companies.list', { connectionId: currentId ?? '' })
    const company = companies.find(({ companyName }) => companyName === COMPANY)?.ref
    if (company === undefined) throw new Error('The company is not listed.')
    await call(window, 'companies.annotate', { company, notes: { readOnly: true } })
    // A hint may say so, too.
    await expect(window.getByText('These books are locked').first()).toBeVisible()
    await expect(window.getByRole('button', { name: 'New customer' })).toBeDisabled()
    const phone = cell(window, await rowIdAt(window, 0), 'Phone')
    const before = (await phone.textContent()) ?? ''
    await phone.click()
    await window.keyboard.type('9')
    await expect(window.getByText(/Read only is on/).first()).toBeVisible()
    await expect(phone).toHaveText(before)
  })
})

test(
  'Check now looks for a change that didn’t arrive, and Discard drops it',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await shortenDeadlines(window)
    await getRecords(window)
    const row = await rowIdAt(window, 0)
    const before = (await cell(window, row, 'Phone').textContent()) ?? ''
    await type(window, cell(window, row, 'Phone'), '(415) 555-0104')
    await service.control({
      faults: [{ match: { method: 'PATCH' }, fault: { kind: 'drop', when: 'before' } }],
    })
    await send(window).click()
    await expect(cell(window, row, 'outcome')).toContainText('Not confirmed')
    await expect.poll(() => count(window, 'Not confirmed')).toBe(1)
    await cell(window, row, 'outcome').click()
    await expect(window.getByRole('group', { name: /^Not confirmed/ })).toContainText('No clear response')
    await window.keyboard.press('Escape')

    // It is also checked automatically. Whichever check is first decides.
    await expect(async () => {
      await cell(window, row, 'outcome').click({ position: { x: 12, y: 12 } })
      const check = window.getByRole('button', { name: 'Check now' })
      if (await check.isVisible()) await check.click({ timeout: 2 * SECONDS })
      await expect(cell(window, row, 'outcome')).toContainText('Your decision', { timeout: 5 * SECONDS })
    }).toPass()
    expect(await count(window, 'Problems')).toBe(1)
    // With the keyboard, no button is pressed before it has the focus. Clicking the text presses none.
    await cell(window, row, 'outcome').click({ position: { x: 12, y: 12 } })
    const callout = window.getByRole('group', { name: /^Your decision/ })
    await expect(callout).toContainText(
      `You changed phone to (415) 555-0104. The books still show ${before}.`,
    )
    await window.keyboard.press('Enter')
    await expect(callout.getByRole('button', { name: 'Send again' })).toBeFocused()
    await window.keyboard.press('Tab')
    await expect(callout.getByRole('button', { name: 'Discard' })).toBeFocused()
    await window.keyboard.press('Enter')
    await expect(cell(window, row, 'Phone')).toHaveText(before)
    // Without any outcome, the Outcome column disappears. The focus stays in its row.
    await expect(cell(window, row, 'Name')).toBeFocused()
    expect(await count(window, 'Changes')).toBe(0)
    expect(await dataRequests(service, 'PATCH')).toHaveLength(1)
  },
)

/** Reads the vendors, which have no external ID for recognition, and adds one. @returns its row */
async function addVendor(window: Page, name: string, phone: string): Promise<string> {
  await window.getByRole('combobox', { name: 'List' }).fill('Vendors')
  await window.keyboard.press('Enter')
  await getRecords(window)
  await window.getByRole('button', { name: 'New vendor' }).click()
  await window.keyboard.type(name)
  await window.keyboard.press('Enter')
  const row = window.getByRole('grid', { name: 'Vendors' }).locator('.ag-row', { hasText: name }).first()
  const rowId = (await row.getAttribute('row-id')) ?? ''
  await type(window, cell(window, rowId, 'Phone', 'Vendors'), phone)
  return rowId
}

test(
  'a new record that may exist under an altered name is shown next to what was sent, and claimed by keyboard',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await shortenDeadlines(window)
    const row = await addVendor(window, 'Dunning Plumbing', '(415) 555-0110')
    await service.control({
      faults: [
        { match: { method: 'POST' }, fault: { kind: 'drop', when: 'after' } },
        { match: { method: 'GET', path: '/vendor' }, times: 0, fault: { kind: 'shortNames', length: 7 } },
      ],
    })
    await send(window).click()
    const outcome = cell(window, row, 'outcome', 'Vendors')
    await expect(outcome).toContainText('Your decision')

    await outcome.click({ position: { x: 12, y: 12 } })
    await window.keyboard.press('Enter')
    const callout = window.getByRole('group', { name: /^Your decision/ })
    await expect(callout).toContainText('Bookbridge checked twice')
    await expect(callout.getByRole('row', { name: /^Name/ })).toHaveText(
      /Dunning Plumbing\s*Dunning\sdiffers/,
    )
    await expect(callout.getByRole('row', { name: /^Phone/ })).not.toContainText('differs')
    const claim = callout.getByRole('button', { name: /^This is it: Dunning, ID / })
    await expect(claim).toBeFocused()
    await window.keyboard.press('Enter')

    // It exists with another name than was sent, so the user chooses one.
    await expect(outcome).toContainText('Changed elsewhere')
    await outcome.getByRole('button', { name: 'Choose' }).click()
    const choice = window.getByRole('group', { name: /^Changed elsewhere/ })
    await expect(choice).toContainText('The books have different values than you sent')
    await choice.getByRole('button', { name: 'Use theirs: Dunning' }).click()
    await expect.poll(() => count(window, 'New')).toBe(0)
    expect(await dataRequests(service, 'POST')).toHaveLength(1)
  },
)

test('Send again requires a confirmation if a newer record may be the same; Settings lists what was learned', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  // The connection ends at once, so the shortest deadline can't be missed.
  await call(window, 'settings.set', { writeSeconds: 5, graceSeconds: 0, recheckSeconds: 1 })
  await window.getByRole('link', { name: 'Settings' }).click()
  await window.getByText('What Bookbridge has learned about this service').click()
  await expect(window.getByText('Nothing yet. Bookbridge reads back')).toBeVisible()
  await window.getByRole('link', { name: 'Records' }).click()
  const row = await addVendor(window, 'Ezra Tile', '(415) 555-0111')
  await requestByOther(service, 'POST', { Name: 'Harbor Stone', Phone: '(415) 555-0111' })
  await service.control({
    faults: [{ match: { method: 'POST' }, fault: { kind: 'drop', when: 'before' } }],
  })
  await send(window).click()
  const outcome = cell(window, row, 'outcome', 'Vendors')
  await expect(outcome).toContainText('Your decision')
  await call(window, 'settings.set', { writeSeconds: 60 })
  await outcome.getByRole('button', { name: 'Decide' }).click()
  const callout = window.getByRole('group', { name: /^Your decision/ })
  await expect(callout).toContainText('Harbor Stone')
  const again = callout.getByRole('button', { name: 'Not mine. Send again' })
  await expect(again).toBeDisabled()
  await callout.getByRole('checkbox', { name: /^I checked in the accounting application/ }).check()
  await again.click()
  await expect(callout).toBeHidden()
  // Someone else's record, the lost one, and the one that was sent again.
  await expect.poll(async () => (await dataRequests(service, 'POST')).length, { timeout: 60_000 }).toBe(3)
  await expect.poll(() => count(window, 'New')).toBe(0)

  await window.getByRole('link', { name: 'Settings' }).click()
  const learned = window.getByRole('region', { name: 'What Bookbridge has learned about this service' })
  await learned.getByText('What Bookbridge has learned').click()
  await expect(learned).toContainText('Vendors (Desktop)')
  await expect(learned).toContainText('names come back as sent')
  await expect(learned).toContainText('Responses to new records show what is stored.')
})

test('a value that was saved differently stays on the row until the user has seen it', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const row = await rowIdAt(window, 0)
  // The service's response with a value other than the one that was sent.
  const asRead = (await cell(window, row, 'Phone').textContent()) ?? ''
  const answered = await requestByOther(service, 'PATCH', { ID: row, Phone: '(415) 555-0105' })
  await requestByOther(service, 'PATCH', { ID: row, Phone: asRead })
  await type(window, cell(window, row, 'Phone'), '(415) 555-0177')
  await service.control({
    faults: [
      { match: { method: 'PATCH' }, fault: { kind: 'body', text: answered } },
      // The first read is before the change is sent. Later ones return the altered value.
      {
        match: { method: 'GET', path: '/customer' },
        nth: 2,
        times: 0,
        fault: { kind: 'body', text: answered },
      },
    ],
  })
  await send(window).click()
  await expect(cell(window, row, 'outcome')).toContainText('Saved, but not as sent', {
    timeout: 60 * SECONDS,
  })
  await offer(window, row, 'Show').click()
  const callout = window.getByRole('group', { name: /^Saved, but not as sent/ })
  await expect(callout).toContainText('sent (415) 555-0177')
  await expect(callout).toContainText('now (415) 555-0105')
  await callout.getByRole('button', { name: 'Got it' }).press('Enter')
  await expect(callout).toBeHidden()
  // Its button is gone, too. The focus stays in the rows.
  await expect(customers(window).locator('.ag-cell:focus')).toHaveCount(1)
  // No other row has an outcome.
  await expect(window.getByRole('columnheader', { name: 'Outcome' })).toHaveCount(0)
})
