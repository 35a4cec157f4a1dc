/**
 * Setups that exist before a company is added, and companies that appear meanwhile: both are reported before anything
 * is saved or sent.
 */
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { plainCompanies, PlainService } from '../support/plain-service.ts'
import { companyRows, shortenDeadlines } from './steps.ts'

async function begin(window: Page, service: PlainService, userId: string): Promise<Locator> {
  await window.getByLabel('Address').fill(service.url)
  await window.getByLabel('API key').fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(companyRows(window).first()).toBeVisible()
  await shortenDeadlines(window)
  await window.getByRole('button', { name: 'Add company' }).first().click()
  const wizard = window.getByRole('dialog', { name: 'Add company' })
  await wizard.getByRole('radio', { name: 'Desktop' }).check()
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('radio', { name: 'Existing client' }).check()
  await wizard.getByRole('radio', { name: 'I have the client’s user ID' }).check()
  await wizard.getByRole('textbox', { name: 'User ID' }).fill(userId)
  await wizard.getByRole('button', { name: 'Continue' }).click()
  return wizard
}

test(
  'an online name isn’t matched with a file’s, and an inactive company is reactivated and billed again',
  { tag: '@deep' },
  async ({ window }) => {
    const service = await PlainService.start(plainCompanies(2))
    const [, dormant] = service.companies
    if (!dormant) throw new Error('There are two.')
    dormant.isActive = false
    service.provisioned = () => ((dormant.isActive = true), dormant)
    const wizard = await begin(window, service, 'u-1')
    await wizard.getByRole('textbox', { name: 'File name' }).fill('ledger-2.qbw')
    await wizard.getByRole('button', { name: 'Back' }).click()
    await wizard.getByRole('button', { name: 'Back' }).click()
    for (const [application, field, value] of [
      ['Online', 'Company name', ''],
      ['Desktop', 'File name', 'ledger-2.qbw'],
    ] as const) {
      await wizard.getByRole('radio', { name: application }).check()
      await wizard.getByRole('button', { name: 'Continue' }).click()
      await wizard.getByRole('button', { name: 'Continue' }).click()
      await expect(wizard.getByRole('textbox', { name: field })).toHaveValue(value)
      if (application === 'Online') {
        await wizard.getByRole('button', { name: 'Back' }).click()
        await wizard.getByRole('button', { name: 'Back' }).click()
      }
    }
    await wizard.getByRole('button', { name: 'Continue' }).click()
    await wizard.getByRole('button', { name: 'Provision company' }).press('Space')
    await expect(
      wizard.getByText('This company was inactive. It is now active and billed again.'),
    ).toBeVisible()
    await expect(wizard.getByText(dormant.fullPath)).toBeVisible()
    await service.close()
  },
)

test(
  'the user is asked about a company that appeared in the meantime before a second attempt is sent',
  { tag: '@deep' },
  async ({ window }) => {
    const service = await PlainService.start(plainCompanies(1))
    service.provisioned = () => null
    const wizard = await begin(window, service, 'u-9')
    await wizard.getByRole('textbox', { name: 'File name' }).fill('juniper.qbw')
    await wizard.getByRole('button', { name: 'Continue' }).click()
    await wizard.getByRole('button', { name: 'Provision company' }).press('Space')
    await expect(wizard.getByText('Not in the company list yet. It may still appear.')).toBeVisible()
    await wizard.getByRole('button', { name: 'Check now' }).click()
    await expect(wizard.getByRole('button', { name: 'Check now' })).toBeEnabled()

    // The list shows another user's company, so it can't be told whether it is the awaited one.
    service.companies.push(...plainCompanies(1, 'Juniper'))
    const sent = (): number => service.asked.filter(({ method }) => method === 'POST').length
    await wizard.getByRole('button', { name: 'Try again…' }).click()
    await expect(
      wizard.getByText(/Active since the first setup was sent: “Juniper 001 Trading”/),
    ).toBeVisible()
    await expect(wizard.getByText(/nothing is billed/i)).toHaveCount(0)
    expect(sent()).toBe(1)
    service.provisioned = () => {
      const [juniper] = plainCompanies(1, 'Juniper Ridge')
      if (juniper) service.companies.push(juniper)
      return juniper ?? null
    }
    await wizard.getByRole('button', { name: 'Provision company' }).press('Space')
    await expect(wizard.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    expect(sent()).toBe(2)
    await service.close()
  },
)
