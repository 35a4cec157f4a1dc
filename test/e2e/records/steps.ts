/** Shared steps of the specs about the records screen: reading a list, typing into cells, and querying the service. */
import { expect, type Locator, type Page } from '@playwright/test'
import type { Service } from '../fixture.ts'
import { call } from '../support/bridge.ts'

export const COMPANY = 'Alder & Finch Builders'

/** Connects, and opens the records of the first company. */
export async function openBooks(window: Page, service: Service): Promise<void> {
  await window.getByRole('textbox', { name: 'Name' }).fill('Main office')
  await window.getByRole('textbox', { name: 'Address' }).fill(service.url)
  await window.getByLabel('API key', { exact: true }).fill(service.key)
  await window.getByRole('button', { name: 'Connect' }).click()
  await window.getByRole('grid', { name: 'Companies' }).getByText(COMPANY).first().dblclick()
  await window.getByRole('link', { name: 'Records' }).click()
}

/** Requests the list, for the first time or again. */
export async function askForRecords(window: Page): Promise<void> {
  const get = window.getByRole('button', { name: 'Get records' })
  await expect(get.or(window.getByRole('button', { name: 'What to get' }))).toBeVisible()
  if (await get.isVisible()) await get.click()
  else await refresh(window, 'Get again')
}

export async function getRecords(window: Page): Promise<void> {
  await askForRecords(window)
  await expect(window.getByRole('status', { name: 'What was read' })).toContainText('the whole list')
  await expect(window.locator('[aria-busy="true"]')).toHaveCount(0)
}

/** Chooses what a refresh requests. The button itself requests changes, where that is possible. */
export async function refresh(window: Page, what: 'Changed since' | 'Get again'): Promise<void> {
  await window.getByRole('button', { name: 'What to get' }).click()
  await window.getByRole('menuitem', { name: what }).click()
}

export function customers(window: Page): Locator {
  return listOf(window, 'Customers')
}

function listOf(window: Page, list: string): Locator {
  return window.getByRole('grid', { name: list })
}

/** The grid's own columns. */
const OWN = ['margin', 'tick', 'outcome']

/** Returns the grid's ID of a column. The IDs of its own columns can't be those of fields. */
export function columnIdOf(column: string): string {
  return OWN.includes(column) ? `\\${column}` : column
}

/** @param column the path of a field, or the grid's own `margin`, `tick`, `outcome` */
export function cell(window: Page, rowId: string, column: string, list = 'Customers'): Locator {
  const id = columnIdOf(column).replace('\\', '\\\\')
  return listOf(window, list).locator(`[row-id="${rowId}"] [col-id="${id}"]`)
}

export async function rowIdAt(window: Page, index: number): Promise<string> {
  const row = customers(window)
    .locator(`.ag-row[row-id][row-index="${String(index)}"]`)
    .first()
  return (await row.getAttribute('row-id')) ?? ''
}

/** Types into a cell as in a spreadsheet, replacing its value. */
export async function type(window: Page, target: Locator, text: string): Promise<void> {
  await target.click()
  await window.keyboard.type(text)
  await window.keyboard.press('Enter')
  await expect(target).toContainText(text)
}

/** Returns the number of rows that a chip shows. */
export async function count(window: Page, chip: string): Promise<number> {
  const name = await window.getByRole('radio', { name: new RegExp(`^${chip} `) }).getAttribute('aria-label')
  return Number((name ?? '').replace(/\D/g, ''))
}

/** Short deadlines and pauses, so that a spec doesn't wait as long as a user would. */
export async function shortenDeadlines(window: Page): Promise<void> {
  await call(window, 'settings.set', { writeSeconds: 10, graceSeconds: 1, recheckSeconds: 2 })
}

interface Received {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
}

/** Returns the data requests of a method that the service received. */
export async function dataRequests(service: Service, method: string): Promise<readonly Received[]> {
  const { requests } = (await service.control({})) as { readonly requests: readonly Received[] }
  return requests.filter((request) => request.method === method && /\/v2\/data\//i.test(request.path))
}

/** Makes a request by someone else to the list that the window read last. Returns the response's body. */
export async function requestByOther(
  service: Service,
  method: 'GET' | 'PATCH' | 'POST',
  body?: unknown,
): Promise<string> {
  const path = (await dataRequests(service, 'GET')).at(-1)?.path ?? ''
  const response = await fetch(`${new URL(service.url).origin}${path}`, {
    method,
    headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  expect(response.ok, text).toBe(true)
  return text
}
