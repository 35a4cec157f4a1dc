/** Companies of the older service (v1): its own call, and the confirmations that exist for it. */
import type { Page } from '@playwright/test'
import { expect, type Service, test } from '../fixture.ts'
import { companyRow, companyRows, connect, received } from './steps.ts'

/** The current service and the older one, over one connection. */
async function connectBoth(window: Page, service: Service): Promise<void> {
  await connect(window, service)
  await window.getByRole('link', { name: 'Settings' }).click()
  await window.getByRole('link', { name: /Loopback/ }).click()
  await window.getByLabel('Older service (v1)').fill(service.legacyUrl)
  await window.getByLabel('Key of the older service').fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(window.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
  await window.getByRole('link', { name: 'Companies' }).click()
}

test(
  'a v1 company is de-provisioned over the older service, and its report says so',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connectBoth(window, service)
    await companyRow(window, 'v1').first().click()
    await window.getByRole('button', { name: 'De-provision…' }).first().click()
    const dialog = window.getByRole('dialog', { name: 'De-provision' })
    await expect(dialog.getByRole('heading', { name: /is de-provisioned$/ })).toBeVisible()
    await expect(dialog.getByRole('list', { name: 'Confirmations' }).getByRole('listitem')).toHaveCount(2)
    await expect(dialog.getByText('The older service (v1) has no data requests')).toBeVisible()
    const patches = (await received(service)).filter(({ method }) => method === 'PATCH')
    expect(patches.map(({ path }) => path)).toEqual([expect.stringMatching(/\/v1\/manage\/Endpoint$/)])
    expect(JSON.parse(patches[0]?.body ?? '')).toEqual({ endpointId: expect.any(String), isActive: 'false' })
  },
)

test(
  'a company that both services list is de-provisioned over the older one if that is chosen',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connectBoth(window, service)
    await expect(companyRow(window, 'v1').first()).toBeVisible()
    await companyRows(window).filter({ hasNotText: 'v1' }).first().click()
    await window.getByRole('button', { name: 'De-provision…' }).first().click()
    const dialog = window.getByRole('dialog', { name: 'De-provision' })
    await dialog.getByRole('checkbox', { name: 'Use the older service (v1)' }).check()
    await dialog.getByRole('button', { name: 'De-provision', exact: true }).press('Space')
    await expect(dialog.getByRole('heading', { name: /is de-provisioned$/ })).toBeVisible()
    await expect(dialog.getByRole('list', { name: 'Confirmations' }).getByRole('listitem')).toHaveCount(3)
    const patches = (await received(service)).filter(({ method }) => method === 'PATCH')
    expect(patches.map(({ path }) => path)).toEqual([expect.stringMatching(/\/v1\/manage\/Endpoint$/)])
  },
)

test('a connection with only an older service works from the first screen, and lists its companies', async ({
  window,
  service,
}) => {
  await window.getByLabel('Address').fill(service.legacyUrl)
  await window.getByLabel('API key').fill(service.key)
  await window.getByText('Advanced').click()
  await window.getByRole('checkbox', { name: 'My provider has only the older service (v1)' }).check()
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(companyRow(window, 'v1').first()).toBeVisible()
  expect((await received(service)).every(({ path }) => /\/v1\/manage\/Endpoint$/i.test(path))).toBe(true)
})
