// Activity lists every request with its outcome and RequestId, and unfinished work can be continued from there.
import { companyRow, connect } from '../companies/steps.ts'
import { expect, test } from '../fixture.ts'

test('each request is in the log and found by its RequestId. A running one is shown, and can be stopped', async ({
  window,
  service,
}) => {
  await connect(window, service)
  await companyRow(window, 'Desktop').first().click()
  await window.getByRole('button', { name: 'Test company' }).click()
  await expect(window.getByText(/Responded in \d/)).toBeVisible()

  await window.getByRole('link', { name: 'Activity' }).click()
  const log = window.getByRole('grid', { name: 'Activity' })
  const tested = log.getByRole('row').filter({ hasText: 'Tested the company' })
  await expect(tested).toHaveCount(1)
  await tested.click()
  const details = window.getByRole('complementary', { name: 'Details' })
  await details.locator('summary').click()
  const requestId = (await details.locator('dd').last().innerText()).trim()
  expect(requestId).not.toBe('')
  await window.getByRole('searchbox', { name: 'Search the log' }).fill(requestId)
  await expect(log.getByRole('row').filter({ has: window.getByRole('gridcell') })).toHaveCount(1)

  await service.control({ latencyMs: 4_000 })
  await window.getByRole('link', { name: 'Companies' }).click()
  await companyRow(window, 'Desktop').first().click()
  await window.getByRole('button', { name: 'Test company' }).click()
  await window.getByRole('link', { name: 'Activity' }).click()
  const running = window.getByRole('region', { name: 'Running and waiting' })
  await expect(running.getByText('Testing the company')).toBeVisible()
  await running.getByRole('button', { name: /^Stop/ }).click()
  await expect(running.getByRole('button', { name: /^Stop/ })).toHaveCount(0)
})

test('a waiting setup is listed as unfinished, and can be resumed from there', async ({
  window,
  service,
}) => {
  await connect(window, service)
  await service.control({ conditions: { authorization: 'pending' } })
  await window.getByRole('button', { name: 'Add company' }).click()
  const wizard = window.getByRole('dialog', { name: 'Add company' })
  await wizard.getByRole('radio', { name: 'Desktop' }).check()
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('radio', { name: 'New client' }).check()
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('textbox', { name: 'File name' }).fill('Juniper.qbw')
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('button', { name: 'Provision company' }).click()
  await wizard.getByRole('button', { name: 'Stop waiting' }).click()

  await window.getByRole('link', { name: 'Activity' }).click()
  const unfinished = window.getByRole('region', { name: /^Unfinished/ })
  await expect(unfinished.getByText('waiting for authorization')).toBeVisible()
  await unfinished.getByRole('button', { name: /^Continue/ }).click()
  await expect(wizard).toBeVisible()
  await expect(wizard.getByRole('heading', { name: /Waiting for someone/ })).toBeVisible()
})
