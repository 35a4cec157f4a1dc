/** What specs do again and again on the way to a company: connecting, and asking the service what it received. */
import { expect, type Locator, type Page } from '@playwright/test'
import type { Service } from './fixture.ts'

/** A request as the service's control answers it; of its members, those that specs look at. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
}

/** Connects by **Connect your service**; resolves when the companies are listed. */
export async function connect(window: Page, service: Service): Promise<void> {
  await window.getByLabel('Name').fill('Loopback')
  await window.getByLabel('Address').fill(service.url)
  await window.getByLabel('API key').fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(companyRows(window).first()).toBeVisible()
}

/** The rows of the grid *Companies*, without its headings. */
export function companyRows(window: Page): Locator {
  return window
    .getByRole('grid', { name: 'Companies' })
    .getByRole('row')
    .filter({ has: window.getByRole('gridcell') })
}

/** The row of one company, by its name here. */
export function companyRow(window: Page, name: string | RegExp): Locator {
  return companyRows(window).filter({ hasText: name })
}

/** The requests that the service received since it started. */
export async function received(service: Service): Promise<readonly ReceivedRequest[]> {
  const { requests } = (await service.control({})) as { readonly requests: readonly ReceivedRequest[] }
  return requests
}
