/** Helpers for the specs of faults: cause a fault, and read how the screen reports it. */
import { expect, type Locator, type Page } from '@playwright/test'
import type { FaultRule } from '../../sample-server/faults.ts'
import type { Service } from '../fixture.ts'
import { cell, rowIdAt, type } from '../records/steps.ts'
import { call } from '../support/bridge.ts'

export const SECONDS = 1_000

/** The shortest deadlines that settings allow, and no unnecessary pauses. */
export async function shortenDeadlines(window: Page): Promise<void> {
  await call(window, 'settings.set', {
    readSeconds: 5,
    writeSeconds: 5,
    graceSeconds: 1,
    recheckSeconds: 1,
  })
}

/** From now on, requests to lists of records fail: the next `times` of a method. */
export async function fault(
  service: Service,
  method: 'GET' | 'POST' | 'PATCH',
  what: FaultRule['fault'],
  more: Pick<FaultRule, 'nth' | 'times'> = {},
): Promise<void> {
  await service.control({
    clearFaults: true,
    faults: [{ match: { method, path: '/v2/data/' }, fault: what, ...more }],
  })
}

/** What the screen shows about a fault: a message for the bookkeeper, and support details under **Details**. */
export interface ShownFault {
  readonly says: RegExp
  /** What to do. */
  readonly advises: RegExp
  readonly details: readonly RegExp[]
}

/** The notice appears where the fault occurred, with its message, its **Details**, and **Copy for support**. */
export async function expectNotice(window: Page, { says, advises, details }: ShownFault): Promise<void> {
  const notice = window.getByRole('main').getByRole('alert').filter({ hasText: says })
  await expect(notice).toBeVisible()
  await expect(notice).toContainText(advises)
  await notice.getByRole('button', { name: 'Details' }).click()
  for (const detail of details) await expect(notice).toContainText(detail)
  await notice.getByRole('button', { name: 'Copy for support' }).click()
  await expect(notice.getByRole('status')).toHaveText('Copied')
}

/** The line that says what the service is doing. */
export function statusLine(window: Page): Locator {
  return window.getByRole('status', { name: 'What the service is doing' })
}

/** The part of Activity that shows the queue. */
export function queue(window: Page): Locator {
  return window.getByRole('region', { name: 'Running and waiting' })
}

/** Types a phone number into each of the first rows. Returns their IDs. */
export async function typePhones(window: Page, phones: readonly string[]): Promise<readonly string[]> {
  const rows: string[] = []
  for (const [index, phone] of phones.entries()) {
    const row = await rowIdAt(window, index)
    await type(window, cell(window, row, 'Phone'), phone)
    rows.push(row)
  }
  return rows
}

export async function send(window: Page): Promise<void> {
  await window.getByRole('button', { name: /^Send \d+ changes? to/ }).click()
}

/** Returns the text of a row's Outcome column. */
export function outcome(window: Page, rowId: string): Locator {
  return cell(window, rowId, 'outcome')
}
