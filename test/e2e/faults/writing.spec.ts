/**
 * Faults while writing: a refusal is shown on its row, an uncertain result is not confirmed until it is checked,
 * nothing is sent twice, and nothing is sent that can't be journaled.
 */
import { join } from 'node:path'
import { fillDisk, freeDisk, mountSmallDisk } from '../../small-disk.ts'
import { expect, test } from '../fixture.ts'
import { cell, count, dataRequests, getRecords, openBooks, requestByOther } from '../records/steps.ts'
import { fault, outcome, queue, SECONDS, send, shortenDeadlines, statusLine, typePhones } from './steps.ts'

test(
  'a key that is rejected during a batch: one record isn’t accepted, and the rest waits until a valid key sends it',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await shortenDeadlines(window)
    await getRecords(window)
    const rows = await typePhones(window, ['(415) 555-0201', '(415) 555-0202', '(415) 555-0203'])
    await fault(service, 'PATCH', { kind: 'status', status: 401, body: 'envelope' })
    await send(window)

    const [first = '', second = ''] = rows
    await expect(outcome(window, first)).toContainText('Not accepted')
    await expect(outcome(window, second)).toContainText('Not sent yet')
    await expect(window.getByText('2 changes wait to be sent.')).toBeVisible()
    await expect(statusLine(window)).toContainText('Paused: The service refused this key.')
    expect(await dataRequests(service, 'PATCH'), 'it is not tried again').toHaveLength(1)

    await window.getByRole('link', { name: 'Activity' }).click()
    await expect(queue(window).getByRole('alert')).toHaveCount(1)
    await queue(window).getByRole('button', { name: 'Change the key…' }).click()
    await window.getByLabel('API key', { exact: true }).fill(service.key)
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(window.getByText(/^Responded in/)).toBeVisible()

    await window.getByRole('link', { name: 'Records' }).click()
    await expect(outcome(window, second)).toContainText(/Saved|^$/)
    await expect.poll(() => count(window, 'Changes')).toBe(1)
    const books = await requestByOther(service, 'GET')
    expect(books).not.toContain('(415) 555-0201')
    expect(books).toContain('(415) 555-0202')
    expect(books).toContain('(415) 555-0203')
  },
)

test(
  'an error with 200 but no record is a refusal and keeps the draft. With a record, the change is searched for and saved',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await shortenDeadlines(window)
    await getRecords(window)
    const [row = ''] = await typePhones(window, ['(415) 555-0211'])

    await test.step('refused, with the reason, its details, and Copy for support', async () => {
      await fault(service, 'PATCH', {
        kind: 'body',
        text: '{"Status":200,"RequestId":"req-0815","HasErrors":true,"Errors":[],"Contents":[{"Errors":[{"Code":"77125","Message":"Phone is locked by the practice."}]}]}',
      })
      await send(window)
      await expect(outcome(window, row)).toContainText('Not accepted')
      await outcome(window, row).click()
      const callout = window.getByRole('group', { name: /^Not accepted/ })
      await expect(callout).toContainText('Phone is locked by the practice.')
      await expect(callout).toContainText('Your change is kept as a draft.')
      await callout.getByRole('button', { name: 'Details' }).click()
      await expect(callout).toContainText('77125')
      await expect(callout).toContainText('req-0815')
      await callout.getByRole('button', { name: 'Copy for support' }).click()
      await expect(callout.getByRole('status')).toHaveText('Copied')
      await window.keyboard.press('Escape')
      await expect(cell(window, row, 'Phone')).toContainText('(415) 555-0211')
    })

    await test.step('a record with the error may be saved: searched for, and confirmed', async () => {
      const before = (await dataRequests(service, 'PATCH')).length
      await fault(service, 'PATCH', {
        kind: 'itemError',
        code: '77126',
        message: 'A warning.',
        keepRecord: true,
      })
      await send(window)
      await expect.poll(() => count(window, 'Changes')).toBe(0)
      await expect(outcome(window, row)).toContainText('Saved')
      expect(await dataRequests(service, 'PATCH')).toHaveLength(before + 1)
      expect(await requestByOther(service, 'GET')).toContain('(415) 555-0211')
    })

    await test.step('no answer by the deadline: blocked, not confirmed, then found saved', async () => {
      await typePhones(window, ['(415) 555-0212'])
      const before = (await dataRequests(service, 'PATCH')).length
      await fault(service, 'PATCH', { kind: 'hang', when: 'after' })
      await send(window)
      await expect(outcome(window, row)).toContainText('Not confirmed')
      await expect.poll(() => count(window, 'Changes')).toBe(0)
      await expect(outcome(window, row)).toContainText('Saved')
      expect(await dataRequests(service, 'PATCH'), 'sent once').toHaveLength(before + 1)
    })
  },
)

test(
  'with a full disk, nothing is sent that can’t be journaled. Once there is space, it is sent',
  { tag: '@deep' },
  async ({ program, service }) => {
    const folder = join(program.saveDir, 'small')
    const unmount = mountSmallDisk(folder, '32m')
    test.skip(unmount === null, 'this account may not mount a file system of its own')
    try {
      const { window } = await program.start({
        flags: [`--user-data-dir=${folder}`],
      })
      await openBooks(window, service)
      await shortenDeadlines(window)
      await getRecords(window)
      await typePhones(window, ['(415) 555-0221'])
      await expect(window.getByRole('button', { name: /^Send 1 change to/ })).toBeEnabled()
      fillDisk(folder)
      await send(window)
      const notice = window
        .getByRole('main')
        .getByRole('alert')
        .filter({ hasText: /disk is full/i })
        .first()
      await expect(notice).toBeVisible()
      expect(await dataRequests(service, 'PATCH'), 'nothing left').toHaveLength(0)

      freeDisk(folder)
      await expect(async () => {
        const again = window
          .getByRole('button', { name: /^(Continue|Try again|Send 1 change to.*)$/ })
          .first()
        // Once it is being sent, there is no button.
        if (await again.isVisible()) await again.click({ timeout: SECONDS })
        await expect.poll(() => count(window, 'Changes'), { timeout: 5 * SECONDS }).toBe(0)
      }).toPass()
      expect(await dataRequests(service, 'PATCH'), 'sent once').toHaveLength(1)
      expect(await requestByOther(service, 'GET')).toContain('(415) 555-0221')
    } finally {
      await program.kill()
      unmount?.()
    }
  },
)
