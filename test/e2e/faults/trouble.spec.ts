/**
 * Lost responses and impatient clicks: each problem has its own message, nothing is lost or sent twice, and there are
 * never two requests at once.
 */
import type { Locator, Page } from '@playwright/test'
import { companyRow, connect, received } from '../companies/steps.ts'
import { expect, type Service, test } from '../fixture.ts'
import { shortenDeadlines } from '../records/steps.ts'
import { call } from '../support/bridge.ts'

const SECONDS = 1_000

function customers(window: Page): Locator {
  return window.getByRole('grid', { name: 'Customers' })
}

function cell(window: Page, row: string, column: string): Locator {
  return customers(window).locator(`[row-id="${row}"] [col-id="${column}"]`)
}

/** Connects, opens the first company, and reads its customers. Returns the ID of the first row. */
async function readCustomers(window: Page, service: Service): Promise<string> {
  await connect(window, service)
  await companyRow(window, 'Alder & Finch Builders').dblclick()
  await window.getByRole('link', { name: 'Records' }).click()
  await window.getByRole('button', { name: 'Get records' }).first().click()
  await expect(window.getByText('the whole list')).toBeVisible()
  return (await customers(window).locator('.ag-row[row-id]').first().getAttribute('row-id')) ?? ''
}

/** Types over a cell as in a spreadsheet. */
async function type(window: Page, row: string, column: string, text: string): Promise<void> {
  await cell(window, row, column).click()
  await window.keyboard.type(text)
  await window.keyboard.press('Enter')
  await expect(cell(window, row, column)).toContainText(text)
}

async function writes(service: Service, method: string): Promise<number> {
  const path = /\/v2\/data\//i
  return (await received(service)).filter((request) => request.method === method && path.test(request.path))
    .length
}

test('a change that didn’t arrive is your decision, and is sent again only if you say so', async ({
  window,
  service,
}) => {
  const row = await readCustomers(window, service)
  // The connection ends at once, so the shortest deadline can't be missed.
  await call(window, 'settings.set', { writeSeconds: 5, graceSeconds: 0, recheckSeconds: 1 })
  await type(window, row, 'Phone', '(415) 555-0172')
  await service.control({
    faults: [{ match: { method: 'PATCH' }, times: 1, fault: { kind: 'reset', when: 'before' } }],
  })
  await window.getByRole('button', { name: /^Send 1 change to/ }).click()
  await expect(window.getByText('Your decision').first()).toBeVisible()
  expect(await writes(service, 'PATCH')).toBe(1)
  await call(window, 'settings.set', { writeSeconds: 60 })
  await window.getByRole('button', { name: 'Decide' }).click()
  await window.getByRole('button', { name: 'Send again' }).click()
  await expect(window.getByRole('radio', { name: /^Changes/ })).toHaveAccessibleName(/0/)
  expect(await writes(service, 'PATCH')).toBe(2)
})

test(
  'an insert whose answer is a sign-in page is found in the list, and inserted once',
  { tag: '@deep' },
  async ({ window, service }) => {
    await readCustomers(window, service)
    await shortenDeadlines(window)
    await window.getByRole('button', { name: 'New customer' }).click()
    await window.keyboard.type('Lomax, Annika')
    await window.keyboard.press('Enter')
    await service.control({
      faults: [{ match: { method: 'POST' }, times: 1, fault: { kind: 'html', when: 'after' } }],
    })
    await window.getByRole('button', { name: /^Send 1 change to/ }).click()
    await expect(window.getByRole('radio', { name: /New/ })).toHaveAccessibleName(/0/)
    expect(await writes(service, 'POST')).toBe(1)
    const body = await fetchCustomers(service)
    expect(body.split('"Lomax, Annika"').length - 1).toBeLessThanOrEqual(2)
  },
)

test('many clicks never make two requests at once', { tag: '@deep' }, async ({ window, service }) => {
  await readCustomers(window, service)
  await service.control({ latencyMs: 120 })
  const click = async (target: Locator): Promise<void> => {
    await target.click({ timeout: 2 * SECONDS, noWaitAfter: true }).catch(() => undefined)
  }
  for (let round = 0; round < 2; round += 1) {
    await click(window.getByRole('button', { name: /^(Get records|Refresh)$/ }).first())
    await click(window.getByRole('link', { name: 'Reports' }))
    await click(window.getByRole('button', { name: 'Run', exact: true }))
    await click(window.getByRole('link', { name: 'Companies' }))
    await click(window.getByRole('button', { name: /Refresh|Get the list/ }).first())
    await click(window.getByRole('button', { name: /^Test/ }).first())
    if (round % 2 === 1) await click(window.getByRole('status').getByRole('button', { name: /Stop/ }).first())
    await click(window.getByRole('link', { name: 'Records' }))
  }
  await expect(
    window
      .getByText('Ready')
      .or(window.getByText(/· today/))
      .first(),
  ).toBeVisible()
  const counts = (await (await fetch(service.controlUrl)).json()) as {
    mostAtOnce: number
    refused: number
    received: number
  }
  expect(counts.mostAtOnce).toBe(1)
  expect(counts.refused).toBe(0)
  expect((await received(service)).length).toBeGreaterThan(4)
})

async function fetchCustomers(service: Service): Promise<string> {
  const asked = (await received(service)).findLast(({ path }) => /\/customer$/i.test(path))
  const answer = await fetch(`${service.url}${asked?.path ?? ''}`, { headers: { 'x-api-key': service.key } })
  return answer.text()
}
