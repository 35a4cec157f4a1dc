/**
 * The request queue on screen: running and waiting requests in the status line, in Activity, and beside the list that
 * is being sent, with the deadline, the position, the next attempt, the reason for a block, and a pause by the user.
 */
import type { Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import {
  askForRecords,
  cell,
  count,
  dataRequests,
  getRecords,
  openBooks,
  rowIdAt,
  shortenDeadlines,
  type,
} from '../records/steps.ts'
import { call } from '../support/bridge.ts'
import { queue, statusLine } from './steps.ts'

function openActivity(window: Page): Promise<void> {
  return window.getByRole('link', { name: 'Activity' }).click()
}

test('the queue says what it waits for, is paused and resumed by the user, and shows what is ahead', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await shortenDeadlines(window)

  await test.step('between two tries, it says what failed, which try is next, and when', async () => {
    await service.control({
      faults: [
        {
          match: { method: 'GET', path: '/v2/data/' },
          fault: { kind: 'status', status: 503, retryAfter: 4, body: 'empty' },
        },
      ],
    })
    await askForRecords(window)
    await expect(statusLine(window)).toContainText(/Reading customers: try 2 of 3 at \d/)
    await expect(statusLine(window)).toContainText('asked Bookbridge to wait 4 seconds')
    await openActivity(window)
    await expect(queue(window)).toContainText('Tries again')
    await expect(queue(window)).toContainText(
      /The service is busy and asked Bookbridge to wait 4 seconds\. Try 2 of 3 at \d[\s\S]*In 0:0\d/,
    )
    await window.getByRole('link', { name: 'Records' }).click()
    await expect(window.getByRole('status', { name: 'What was read' })).toContainText('the whole list')
  })

  await test.step('if the user pauses it by keyboard, nothing is sent, reading continues, and Resume sends what waited', async () => {
    await openActivity(window)
    await queue(window).getByRole('button', { name: 'Pause' }).focus()
    await window.keyboard.press('Enter')
    await expect(queue(window)).toContainText('Paused by you.')
    await expect(queue(window).getByRole('button', { name: 'Resume' }), 'the focus stays').toBeFocused()
    await expect(statusLine(window)).toContainText('Paused by you')

    await window.getByRole('link', { name: 'Records' }).click()
    const row = await rowIdAt(window, 0)
    await type(window, cell(window, row, 'Phone'), '(415) 555-0182')
    await window.getByRole('button', { name: /^Send 1 change to/ }).click()
    await expect(window.getByRole('status', { name: 'Sending' })).toContainText(
      'Waiting until you resume this connection',
    )
    await askForRecords(window)
    await expect(window.getByRole('button', { name: 'What to get' })).toBeVisible()
    expect(await dataRequests(service, 'PATCH')).toHaveLength(0)

    await window.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => count(window, 'Changes')).toBe(0)
    expect(await dataRequests(service, 'PATCH')).toHaveLength(1)
  })

  await test.step('a running request shows its start and deadline; waiting ones are in two queues, the user’s first, with their positions', async () => {
    const row = await rowIdAt(window, 0)
    await type(window, cell(window, row, 'Phone'), '(415) 555-0181')
    // No response comes until the computer is on again.
    await service.control({ conditions: { machine: 'off', answerAfter: 600_000 } })
    await askForRecords(window)
    await expect(statusLine(window)).toContainText('Reading customers')
    await window.getByRole('button', { name: /^Send 1 change to/ }).click()
    await expect(window.getByRole('status', { name: 'Sending' })).toContainText('Waiting in line: 1 ahead')
    const successor = window.getByRole('button', { name: 'Stop after this batch' })
    await expect(successor, 'the focus goes to what takes the place').toBeFocused()
    await window.getByRole('link', { name: 'Reports' }).click()
    await window.getByRole('button', { name: 'Run', exact: true }).click()
    await expect(window.getByRole('main').getByRole('button', { name: 'Stop', exact: true })).toBeFocused()

    await expect(statusLine(window)).toContainText('response due by')
    await expect(statusLine(window)).toContainText('2 waiting')
    await openActivity(window)
    await expect(queue(window)).toContainText(/No response yet, response due by \d[\s\S]* left/)
    await expect(
      queue(window)
        .getByRole('timer')
        .filter({ hasText: /^0:\d\d$/ })
        .first(),
    ).toBeVisible()
    await expect(queue(window).getByRole('heading', { name: /^You wait for/ })).toBeVisible()
    await expect(queue(window).getByRole('listitem').first()).toContainText('Profit and loss')
    await expect(queue(window).getByRole('heading', { name: /^In the background/ })).toBeVisible()
    await expect(queue(window).getByRole('listitem').last()).toContainText(/2[\s\S]*Sending to Customers/)

    await queue(window)
      .getByRole('button', { name: /^Remove: Sending/ })
      .click()
    await expect(queue(window).getByRole('heading', { name: /^In the background/ })).toBeHidden()
    await service.control({ conditions: { machine: 'on' } })
    expect(await dataRequests(service, 'PATCH')).toHaveLength(1)
    await window.getByRole('link', { name: 'Records' }).click()
    await expect(window.getByText('1 change waits to be sent.')).toBeVisible()
    await expect(statusLine(window)).toContainText('Ready · 1 change waits to be sent')
  })
})

test(
  'a request that is stopped while running blocks the queue, which says until when and why, even after a kill',
  { tag: '@deep' },
  async ({ program, service }) => {
    const { window } = await program.start()
    await openBooks(window, service)
    await call(window, 'settings.set', { readSeconds: 16, graceSeconds: 2 })
    await getRecords(window)
    await service.control({
      faults: [{ match: { method: 'GET', path: '/v2/data/' }, fault: { kind: 'hang', when: 'before' } }],
    })
    await askForRecords(window)
    await window.getByRole('button', { name: 'Stop', exact: true }).first().click()
    await expect(statusLine(window)).toContainText(
      /Reading customers: stopped\. Nothing else will be sent until \d/,
    )
    await openActivity(window)
    await expect(queue(window)).toContainText(
      /On hold until \d.*, in 0:\d\d:\s+the response to Reading customers · .* may still arrive/,
    )
    await expect(queue(window).getByRole('button', { name: /^Stop/ })).toHaveCount(0)
    await program.kill()

    const { window: again } = await program.start()
    await expect(statusLine(again)).toContainText(/Waiting until \d.*: no response when reading customers · /)
    const before = (await dataRequests(service, 'GET')).length
    await again.getByRole('link', { name: 'Records' }).click()
    await askForRecords(again)
    await openActivity(again)
    await expect(queue(again).getByRole('listitem').last()).toContainText('Reading customers')
    expect(await dataRequests(service, 'GET'), 'nothing leaves while it is shut').toHaveLength(before)
    await again.getByRole('link', { name: 'Records' }).click()
    await expect(again.getByRole('status', { name: 'What was read' })).toContainText('the whole list')
    await expect(statusLine(again)).not.toContainText('Waiting until')
  },
)
