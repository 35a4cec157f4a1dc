/** What a user decides row by row, with a service on this computer that loses responses. */
import type { Locator, Page } from '@playwright/test'
import {
  cell,
  getRecords,
  openBooks,
  requestByOther,
  rowIdAt,
  shortenDeadlines,
  type,
} from '../records/steps.ts'
import { call } from '../support/bridge.ts'
import type { Step } from './step.ts'

function outcome(page: Page, rowId: string): Locator {
  return cell(page, rowId, 'outcome')
}

async function send(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Send \d+ changes? to/ }).click()
}

export const outcomeSteps: readonly Step[] = [
  {
    name: 'records-conflict',
    shows: 'Changed elsewhere: what was read, what the books show now, and which value to keep',
    inDocs: [],
    alsoSmall: true,
    go: async (page, { service }) => {
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('link', { name: 'Connections' }).click()
      await page.getByRole('button', { name: 'Add connection…' }).click()
      await openBooks(page, service)
      await getRecords(page)
      const [first, second] = [await rowIdAt(page, 0), await rowIdAt(page, 1)]
      await type(page, cell(page, first, 'Phone'), '(415) 555-0142')
      await type(page, cell(page, second, 'Email'), 'accounts@example.com')
      await requestByOther(service, 'PATCH', { ID: first, Phone: '(415) 555-0199' })
      await send(page)
      await outcome(page, first).getByRole('button', { name: 'Choose' }).click()
      return page.getByRole('group', { name: /^Changed elsewhere/ })
    },
  },
  {
    name: 'records-decision',
    shows: 'Your decision: a change that didn’t arrive can be sent again or discarded',
    inDocs: [],
    alsoSmall: true,
    go: async (page, { service }) => {
      const choice = page.getByRole('group', { name: /^Changed elsewhere/ })
      await choice.getByRole('button', { name: /^Use / }).click()
      await shortenDeadlines(page)
      const row = await rowIdAt(page, 2)
      await type(page, cell(page, row, 'Phone'), '(831) 555-0177')
      await service.control({
        faults: [{ match: { method: 'PATCH' }, fault: { kind: 'drop', when: 'before' } }],
      })
      await send(page)
      const asks = outcome(page, row).getByText('Your decision')
      await asks.waitFor()
      await outcome(page, row).click({ position: { x: 12, y: 12 } })
      return asks
    },
  },
  {
    name: 'records-not-confirmed',
    shows: 'Not confirmed: no clear response, and when it was last looked for',
    inDocs: [],
    alsoSmall: true,
    go: async (page, { service }) => {
      await page.keyboard.press('Escape')
      await call(page, 'settings.set', { writeSeconds: 300, graceSeconds: 30, recheckSeconds: 600 })
      const row = await rowIdAt(page, 3)
      await type(page, cell(page, row, 'Phone'), '(831) 555-0178')
      await service.control({
        faults: [{ match: { method: 'PATCH' }, fault: { kind: 'drop', when: 'before' } }],
      })
      await send(page)
      await outcome(page, row).getByText('Not confirmed').click()
      return page.getByRole('group', { name: /^Not confirmed/ })
    },
  },
]
