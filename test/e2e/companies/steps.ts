/** Shared steps of the specs about companies: connecting, and reading the service's request log. */
import { expect, type Locator, type Page } from '@playwright/test'
import type { Service } from '../fixture.ts'
import { call } from '../support/bridge.ts'

/** A request as the service's control reports it, with the members that specs use. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
}

/** Connects with **Connect your service**. Resolves when the companies are listed. */
export async function connect(window: Page, service: Service): Promise<void> {
  await window.getByLabel('Name').fill('Loopback')
  await window.getByLabel('Address').fill(service.url)
  await window.getByLabel('API key').fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(companyRows(window).first()).toBeVisible()
}

/** Sets short deadlines, so that a lost response is checked soon. */
export async function shortenDeadlines(window: Page): Promise<void> {
  await call(window, 'settings.set', { provisionSeconds: 8, writeSeconds: 8, graceSeconds: 0 })
}

/** The rows of the grid *Companies*, without its headings. */
export function companyRows(window: Page): Locator {
  return window
    .getByRole('grid', { name: 'Companies' })
    .getByRole('row')
    .filter({ has: window.getByRole('gridcell') })
}

/** Returns the row of a company, by its name here. */
export function companyRow(window: Page, name: string | RegExp): Locator {
  return companyRows(window).filter({ hasText: name })
}

/** Goes through the steps with the mouse, for a new user's desktop company. Resolves when it was requested. */
export async function provisionDesktop(window: Page, fileName = 'Juniper.qbw'): Promise<Locator> {
  await window.getByRole('button', { name: 'Add company' }).first().click()
  const wizard = window.getByRole('dialog', { name: 'Add company' })
  await wizard.getByRole('radio', { name: 'Desktop' }).check()
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('radio', { name: 'New client' }).check()
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('textbox', { name: 'File name' }).fill(fileName)
  await wizard.getByRole('button', { name: 'Continue' }).click()
  await wizard.getByRole('button', { name: 'Provision company' }).click()
  return wizard
}

/** Returns the requests that the service received since it started. */
export async function received(service: Service): Promise<readonly ReceivedRequest[]> {
  const { requests } = (await service.control({})) as { readonly requests: readonly ReceivedRequest[] }
  return requests
}

/** Returns how many provisionings the service received. */
export async function provisionings(service: Service): Promise<number> {
  return (await received(service)).filter(
    ({ method, path }) => method === 'POST' && /\/v2\/manage\/company$/i.test(path),
  ).length
}
