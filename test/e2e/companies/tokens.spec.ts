/**
 * An agent's token in a response where none belongs never appears on screen, in a file, in the log, or in a message.
 */
import type { Page } from '@playwright/test'
import { canarySearch, expect, type Service, test } from '../fixture.ts'
import { call } from '../support/bridge.ts'
import { companyRow, companyRows, connect } from './steps.ts'

const TOKEN = 'agent-token-canary-7f31c9'
const RECORD = {
  endpointId: 'e-odd',
  companyName: 'Odd & Sons',
  fullPath: 'C:\\Books\\odd.qbw',
  endpoint: 'qbd',
  isActive: 'true',
  token: TOKEN,
  connection: { Token: TOKEN },
}
const item = (Object: unknown, Errors: unknown): object => ({
  Object,
  Errors,
  Self: null,
  Kind: 'collection',
})
const answer = (members: object): string =>
  JSON.stringify({ Contents: [], Errors: null, HasErrors: true, RequestId: 'r-odd', ...members })
const echoed = {
  Code: 'E9',
  Message: 'A record could not be read',
  Detail: JSON.stringify(RECORD),
  Record: RECORD,
}

/** Malformed responses, each with part of the message about it. */
const LISTS = [
  [
    'a record with its token in it twice, beside an error that echoes it',
    answer({ Contents: [item(RECORD, null), item(null, [echoed])] }),
  ],
  ['an error of the whole list that echoes a record', answer({ Errors: [echoed] })],
  [
    'entries that aren’t records',
    answer({ Contents: [JSON.stringify(RECORD), item(JSON.stringify(RECORD), [`token=${TOKEN}`])] }),
  ],
  ['a list cut off in the token', `{"Contents":[{"Object":${JSON.stringify(RECORD).slice(0, -30)}`],
] as const

async function respondWith(service: Service, path: string, text: string): Promise<void> {
  await service.control({
    clearFaults: true,
    faults: [{ match: { method: 'GET', path }, times: 0, fault: { kind: 'body', text } }],
  })
}

/** Opens every **Details** and reads the whole window. */
async function visibleText(window: Page): Promise<string> {
  for (const details of await window.getByRole('button', { name: 'Details', expanded: false }).all()) {
    await details.click()
  }
  return window.locator('html').evaluate((page) => page.outerHTML)
}

test(
  'a token in malformed entries or errors is never shown',
  { tag: '@deep' },
  async ({ window, service, program }) => {
    await connect(window, service)
    // After a truncated response, nothing is sent before the read's deadline.
    await call(window, 'settings.set', { readSeconds: 5, graceSeconds: 1 })
    for (const [what, text] of LISTS) {
      await test.step(what, async () => {
        await respondWith(service, 'manage/endpoint', text)
        await window.getByRole('button', { name: 'Refresh' }).click()
        await expect(window.getByRole('button', { name: 'Refresh' })).toBeEnabled()
        expect(await visibleText(window)).not.toContain(TOKEN)
      })
    }
    await expect(
      window.getByRole('alert').first(),
      'the last list, which is cut off, is reported',
    ).toBeVisible()

    await test.step('a test of a company whose response contains it', async () => {
      await respondWith(service, '/v2/data/', answer({ Errors: [echoed] }))
      await companyRow(window, 'Alder & Finch').click()
      const section = window.getByRole('region', { name: 'Test' })
      await section.getByRole('button', { name: 'Test company' }).click()
      await expect(section.getByText('Refused')).toBeVisible()
      expect(await visibleText(window)).not.toContain(TOKEN)
    })
    await window.getByRole('link', { name: 'Activity' }).click()
    await window.getByRole('grid', { name: 'Activity' }).getByRole('row').nth(1).click()
    expect(await visibleText(window)).not.toContain(TOKEN)
    await window.getByRole('link', { name: 'Companies' }).click()
    await expect(companyRows(window).first()).toBeVisible()
    expect(canarySearch(program, [TOKEN])).toEqual([])
  },
)
