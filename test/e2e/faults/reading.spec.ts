/**
 * Faults while reading, on a real socket. Each is reported where it occurred, with advice and with details for support.
 * Earlier data and drafts stay.
 */
import type { FaultRule } from '../../sample-server/faults.ts'
import { expect, test } from '../fixture.ts'
import { askForRecords, cell, dataRequests, getRecords, openBooks } from '../records/steps.ts'
import { seriousViolations } from '../support/access.ts'
import { call } from '../support/bridge.ts'
import { expectNotice, fault, shortenDeadlines, type ShownFault, statusLine, typePhones } from './steps.ts'

interface Row extends ShownFault {
  readonly name: string
  readonly fault: FaultRule['fault']
}

/** Faults that are responses, although unusable ones. They are reported immediately. */
const ANSWERS: readonly Row[] = [
  {
    name: 'a sign-in page under 200',
    fault: { kind: 'html', status: 200 },
    says: /web page came back/i,
    advises: /address/i,
    details: [/sign in|log in|<html|<!doctype/i],
  },
  {
    name: '500 with a page',
    fault: { kind: 'html', status: 500 },
    says: /HTTP 500|web page/i,
    advises: /provider|address/i,
    details: [/HTTP status\s*500/, /<html|<!doctype|sign in/i],
  },
  {
    name: '500 with nothing',
    fault: { kind: 'status', status: 500, body: 'empty' },
    says: /HTTP 500/,
    advises: /provider/i,
    details: [/HTTP status\s*500/],
  },
  {
    name: 'half an answer',
    fault: { kind: 'truncate', share: 0.5 },
    says: /wasn’t a response from the service/,
    advises: /./,
    details: [/Kind\s*malformed-response/],
  },
  {
    name: 'a redirect',
    fault: { kind: 'redirect', location: 'https://elsewhere.invalid/' },
    says: /redirected to another address/,
    advises: /doesn’t send the key to another address/,
    details: [/HTTP status\s*302|HTTP status\s*30\d/],
  },
  {
    name: '429 that asks to wait longer than we do by ourselves',
    fault: { kind: 'status', status: 429, retryAfter: 420, body: 'empty' },
    says: /asked Bookbridge to wait 7 minutes/,
    advises: /Try again later/,
    details: [/HTTP 429/],
  },
  {
    name: 'a body past the cap',
    fault: { kind: 'body', text: JSON.stringify({ Contents: [], Filler: 'x'.repeat(1_200_000) }) },
    says: /larger than 1 MB/,
    advises: /Request less at once/,
    details: [/too-large/],
  },
  {
    name: 'an error of the whole request',
    fault: {
      kind: 'body',
      text: '{"Status":200,"RequestId":"req-4711","HasErrors":true,"Errors":[{"Code":"77123","Message":"The ledger is being rebuilt."}],"Contents":[]}',
    },
    says: /The ledger is being rebuilt/,
    advises: /./,
    details: [/77123/, /req-4711/],
  },
]

test(
  'an unusable answer has a message with details, and the list and the drafts stay',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await shortenDeadlines(window)
    await call(window, 'settings.set', { responseMebibytes: 1 })
    await getRecords(window)
    const [row = ''] = await typePhones(window, ['(415) 555-0191'])
    for (const { name, fault: what, ...told } of ANSWERS) {
      await test.step(name, async () => {
        const before = (await dataRequests(service, 'GET')).length
        await fault(service, 'GET', what)
        await askForRecords(window)
        await expectNotice(window, told)
        await expect(cell(window, row, 'Phone')).toContainText('(415) 555-0191')
        await expect(window.getByRole('button', { name: /^Send 1 change to/ })).toBeEnabled()
        expect(await dataRequests(service, 'GET'), 'asked once').toHaveLength(before + 1)
      })
    }
    await service.control({ clearFaults: true })
    await window.getByRole('button', { name: 'Try again' }).click()
    await expect(window.getByRole('status', { name: 'What was read' })).toContainText('the whole list')
    await expect(window.getByRole('main').getByRole('alert')).toHaveCount(0)

    await window.getByRole('link', { name: 'Activity' }).click()
    const log = window.getByRole('grid', { name: 'Activity' })
    await expect(log.getByRole('row').filter({ hasText: 'to wait' })).toHaveCount(1)
  },
)

test(
  'a read without an answer is tried again automatically. If that fails, a message names the deadline or the host',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await shortenDeadlines(window)
    await getRecords(window)
    const stamp = window.getByRole('status', { name: 'What was read' })

    await test.step('dropped in the middle of the answer', async () => {
      await fault(service, 'GET', { kind: 'truncate', share: 0.5, abruptly: true })
      const before = (await dataRequests(service, 'GET')).length
      await askForRecords(window)
      await expect
        .poll(async () => (await dataRequests(service, 'GET')).length)
        .toBeGreaterThanOrEqual(before + 2)
      await expect(stamp).toContainText('the whole list')
    })

    await test.step('silence after the headers: the deadline, then another try', async () => {
      await fault(service, 'GET', { kind: 'silence' })
      const before = (await dataRequests(service, 'GET')).length
      await askForRecords(window)
      await expect(statusLine(window)).toContainText('response due by')
      await expect
        .poll(async () => (await dataRequests(service, 'GET')).length)
        .toBeGreaterThanOrEqual(before + 2)
      await expect(stamp).toContainText('the whole list')
    })

    await test.step('an unreachable host', async () => {
      await service.stop()
      await askForRecords(window)
      await expectNotice(window, {
        says: new RegExp(new URL(service.url).hostname.replaceAll('.', '\\.')),
        advises: /running|address/i,
        details: [/unreachable/, /ECONNREFUSED/],
      })
      await expect(
        window.getByRole('grid', { name: 'Customers' }).locator('.ag-row[row-id]').first(),
      ).toBeVisible()
    })
  },
)

test(
  'endless lists, repeated pages, and errors on single records keep what arrived, with a message',
  { tag: '@deep' },
  async ({ window, startService }) => {
    const service = await startService({ customers: 60 })
    await openBooks(window, service)
    const stamp = window.getByRole('status', { name: 'What was read' })

    await test.step('a page that repeats', async () => {
      await fault(service, 'GET', { kind: 'repeatedPage' }, { times: 0 })
      await askForRecords(window)
      await expect(stamp).toContainText(/not the whole list: .*didn’t send it/)
      await expect(stamp).toContainText(/\d+ customers/)
    })

    await test.step('always more, each page new', async () => {
      await call(window, 'settings.set', { responseMebibytes: 1 })
      await fault(service, 'GET', { kind: 'endlessMoreData' }, { times: 0 })
      await askForRecords(window)
      await expect(stamp).toContainText(/not the whole list: .*keeps saying that there is more/)
    })

    await test.step('an error on one record with 200', async () => {
      await fault(service, 'GET', {
        kind: 'itemError',
        index: 2,
        code: '77124',
        message: 'This one is open elsewhere.',
        keepRecord: true,
      })
      await askForRecords(window)
      await expect(
        window.getByRole('main').getByRole('alert').filter({ hasText: 'open elsewhere' }),
      ).toBeVisible()
      await expect(stamp).toContainText(/\d+ customers/)
      await fault(service, 'GET', { kind: 'itemError', index: 2, message: 'This one is locked away.' })
      await askForRecords(window)
      await expect(stamp).toContainText(/not the whole list: .*locked away/)
      await expect(
        window.getByRole('main').getByRole('alert').filter({ hasText: 'locked away' }),
      ).toBeVisible()
    })
  },
)

test('a rejected key pauses the queue once, says where to change it, and reading continues once a key is accepted', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await shortenDeadlines(window)
  await fault(service, 'GET', { kind: 'status', status: 401, body: 'envelope' })
  await askForRecords(window)
  await expectNotice(window, { says: /refused this key/, advises: /key/, details: [/unauthorized/, /401/] })
  await expect(statusLine(window)).toContainText('Paused:')
  expect(await dataRequests(service, 'GET'), 'a refused key is not tried again').toHaveLength(1)

  await expect(window.getByRole('contentinfo').getByRole('button', { name: 'Change the key…' })).toBeVisible()
  await window.getByRole('main').getByRole('button', { name: 'Change the key…' }).click()
  const key = window.getByLabel('API key', { exact: true })
  await expect(key).toBeFocused()
  await expect(key).toHaveAccessibleDescription(/refused this key/)
  expect(await seriousViolations(window)).toEqual([])
  await key.fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(window.getByText(/^Responded in/)).toBeVisible()
  await expect(statusLine(window)).not.toContainText('Paused')
  await window.getByRole('link', { name: 'Records' }).click()
  await getRecords(window)
})
