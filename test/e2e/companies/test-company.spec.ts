/** **Test company** on screen: answered, refused with the message, and silent, each with what to try if that helps. */
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { call } from '../support/bridge.ts'
import { companyRow, connect, received } from './steps.ts'

const NAME = 'Alder & Finch Builders'

async function openDetails(window: Page): Promise<Locator> {
  await companyRow(window, NAME).first().click()
  return window.getByRole('region', { name: 'Test' })
}

test('a company that refuses says why in our words, with what to try, and responds once that is done', async ({
  window,
  service,
}) => {
  await connect(window, service)
  const section = await openDetails(window)
  await service.control({ company: NAME, conditions: { dialog: 'open' } })
  await section.getByRole('button', { name: 'Test company' }).click()
  await expect(section.getByText('Refused')).toBeVisible()
  const refusal = section.getByRole('alert')
  await expect(refusal).toContainText('A dialog is open in QuickBooks.')
  await expect(section.getByText('Is the agent running there')).toBeVisible()
  await refusal.getByRole('button', { name: 'Details' }).click()
  await expect(refusal).toContainText('0x80040414')
  await expect(refusal).toContainText('RequestId')

  await service.control({ company: NAME, conditions: { dialog: 'none' } })
  await section.getByRole('button', { name: 'Test company' }).click()
  await expect(section.getByText(/Responded in \d/)).toBeVisible()
  await expect(section.getByRole('alert')).toHaveCount(0)
})

test(
  'a company that doesn’t respond says so after the deadline, even in place of a list or a report, with what to try',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connect(window, service)
    await call(window, 'settings.set', { readSeconds: 5, graceSeconds: 0 })
    const section = await openDetails(window)
    await service.control({
      faults: [
        { match: { method: 'GET', path: '/v2/data/' }, times: 0, fault: { kind: 'hang', when: 'before' } },
      ],
    })
    await section.getByRole('button', { name: 'Test company' }).click()
    await expect(section.getByText('No response', { exact: true })).toBeVisible()
    await expect(section.getByRole('alert')).toContainText('No response came within 5 seconds.')
    await expect(section.getByText('Is the computer on, and is someone signed in?')).toBeVisible()

    // Where the list and the report would be. Each requests something small, once.
    const silence = window.getByRole('main').getByRole('alert').filter({ hasText: 'What to try' })
    const asked = async (): Promise<readonly string[]> =>
      (await received(service))
        .filter(({ path }) => /^\/v2\/data\//i.test(path))
        .map(({ path, query }) => `${path.split('/').at(-1) ?? ''} ${query.split('=')[0] ?? ''}`.trim())
    await companyRow(window, NAME).first().dblclick()
    await window.getByRole('button', { name: 'Get records' }).first().click()
    await expect(silence).toContainText('Alder & Finch Builders isn’t responding')
    await expect(silence).toContainText('Is the agent running there')
    await window.getByRole('link', { name: 'Reports' }).click()
    await window.getByRole('button', { name: 'Run', exact: true }).first().click()
    await expect(silence).toContainText('No response came within 5 seconds.')
    expect(new Set(await asked())).toEqual(new Set(['customer modTimeStart']))
    expect(await asked()).toHaveLength(3)

    await service.control({ clearFaults: true })
    await window.getByRole('link', { name: 'Records' }).click()
    await window.getByRole('button', { name: 'Try again' }).click()
    await expect(window.getByRole('status', { name: 'What was read' })).toContainText('the whole list')
    await expect(silence).toHaveCount(0)
  },
)
