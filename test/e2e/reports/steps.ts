/**
 * Shared steps of the specs about reports: querying the service directly, opening Reports, running, saving, and reading
 * files.
 */
import type { Page } from '@playwright/test'
import Papa from 'papaparse'
import { expect, type Program, type Service } from '../fixture.ts'

export const FROM = '2026-01-01'
export const TO = '2026-03-31'

export interface WireReport {
  readonly Columns: readonly string[]
  readonly ReportLineData: readonly {
    readonly RowType: string
    readonly EntityRef: { readonly FullName: string; readonly ID: string }
    readonly Values: readonly string[]
  }[]
}

export interface WireCompany {
  readonly endpointId: string
  readonly endpoint: string
  readonly companyName: string
}

async function ask(service: Service, path: string): Promise<readonly unknown[]> {
  const response = await fetch(`${service.url}${path}`, {
    headers: { 'x-api-key': service.key, SchemaVersion: '1' },
  })
  const { Contents } = (await response.json()) as { Contents: readonly { readonly Object: unknown }[] }
  return Contents.map((item) => item.Object)
}

/** The first active company of an application, as the service lists it. */
export async function companyOf(service: Service, application: string): Promise<WireCompany> {
  const companies = (await ask(service, '/v2/Manage/endpoint?isactive=true')) as readonly WireCompany[]
  const found = companies.find(({ endpoint }) => endpoint === application)
  if (!found) throw new Error(`The sample has no ${application} company`)
  return found
}

/** The report as the service returns it, requested directly. */
export async function reportOf(service: Service, company: WireCompany, name: string): Promise<WireReport> {
  const query = new URLSearchParams({
    name,
    modTimeStart: `${FROM}T00:00:00`,
    modTimeEnd: `${TO}T23:59:59`,
  })
  const [report] = await ask(service, `/v2/Data/${company.endpointId}/selectReport?${query.toString()}`)
  return report as WireReport
}

/** Connects to the service and opens Reports for a company. */
export async function openReports(
  window: Page,
  service: Pick<Service, 'url' | 'key'>,
  company: Pick<WireCompany, 'companyName'>,
): Promise<void> {
  await window.getByRole('textbox', { name: 'Name' }).fill('Main office')
  await window.getByRole('textbox', { name: 'Address' }).fill(service.url)
  await window.getByLabel('API key', { exact: true }).fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(window.getByRole('grid', { name: 'Companies' })).toBeVisible()
  await window.getByRole('link', { name: 'Reports' }).click()
  await window.getByRole('button', { name: /^Company/ }).click()
  await window.getByRole('option', { name: company.companyName }).first().click()
  await expect(window.getByRole('combobox', { name: 'Report' })).toBeVisible()
}

export async function run(window: Page, name: string): Promise<void> {
  const report = window.getByRole('combobox', { name: 'Report' })
  await report.fill(name)
  await report.press('Enter')
  const from = window.getByLabel('From', { exact: true })
  const asOf = window.getByLabel('As of', { exact: true })
  await expect(from.or(asOf)).toBeVisible()
  if (await asOf.isVisible()) await asOf.fill(TO)
  else {
    await from.fill(FROM)
    await window.getByLabel('To', { exact: true }).fill(TO)
  }
  await window.getByRole('button', { name: 'Run', exact: true }).click()
}

export async function exportAs(window: Page, entry: string): Promise<void> {
  await window.getByRole('button', { name: 'Export', exact: true }).click()
  await window.getByRole('menuitem', { name: entry }).click()
}

/** Returns the saved file with an extension, once it is available. */
export async function saved(program: Program, ending: string): Promise<string> {
  const names = (): string[] => program.savedFiles().filter((name) => name.endsWith(ending))
  await expect.poll(names).toHaveLength(1)
  return names()[0] ?? ''
}

/** Parses CSV with an independent reader, which removes the byte order mark. */
export function parse(text: string): string[][] {
  return Papa.parse<string[]>(text, { delimiter: ',', newline: '\r\n' }).data.slice(0, -1)
}
