/**
 * De-provisioning one and several companies: one question and one call each, stopping in between, and the report that
 * proves it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { expect, type Program, type Service, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { companyRow, companyRows, connect, received, shortenDeadlines } from './steps.ts'

async function patches(service: Service): Promise<readonly string[]> {
  return (await received(service)).filter(({ method }) => method === 'PATCH').map(({ body }) => body)
}

/** Checks every company with the keyboard, and requests to de-provision them. */
async function askForAll(window: Page): Promise<Locator> {
  for (const box of await companyRows(window).getByRole('checkbox').all()) await box.press('Space')
  await window
    .getByRole('toolbar', { name: 'Selected companies' })
    .getByRole('button', { name: 'De-provision…' })
    .click()
  const dialog = window.getByRole('dialog', { name: 'De-provision' })
  await expect(dialog).toBeVisible()
  return dialog
}

/** Milliseconds for each response: enough time to stop after the first company, even on a busy machine. */
const SLOW = 3_000

/** De-provisions all companies of a slow service. Returns the dialog and the number of companies. */
async function deprovisionAll(
  window: Page,
  service: Service,
): Promise<{ readonly dialog: Locator; readonly count: number }> {
  await connect(window, service)
  const count = await companyRows(window).count()
  await service.control({ latencyMs: SLOW })
  return { dialog: await askForAll(window), count }
}

/** Returns the text of the only file that was saved. */
function savedText(program: Program): string {
  const [name = ''] = program.savedFiles()
  return readFileSync(join(program.saveDir, name), 'utf8')
}

test('its report says what, when, each confirmation, and its RequestId, and can be saved again later', async ({
  program,
  service,
}) => {
  const first = await program.start()
  await connect(first.window, service)
  await companyRow(first.window, 'Desktop').first().click()
  await first.window.getByRole('button', { name: 'De-provision…' }).first().click()
  const dialog = first.window.getByRole('dialog', { name: 'De-provision' })
  await expect(dialog.getByRole('list', { name: 'Confirmations' }).getByRole('listitem')).toHaveCount(3)
  const [name = ''] = (await dialog.getByRole('heading', { name: / is de-provisioned$/ }).innerText()).split(
    ' is de-provisioned',
  )
  await dialog.getByRole('button', { name: 'Save confirmations…' }).click()
  await expect(dialog.getByText('Saved as')).toBeVisible()

  const { endpointId } = JSON.parse((await patches(service))[0] ?? '{}') as { readonly endpointId: string }
  const report = savedText(program)
  expect(report).toContain(name)
  expect(report).toContain(endpointId)
  expect(report).toContain(service.url)
  expect(report.match(/\bCONFIRMED$/gm)).toHaveLength(3)
  expect(report.match(/RequestId \S{8,}/g)).toHaveLength(3)
  expect(report).toMatch(/Asked for:\s+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
  await program.kill()

  const { window } = await program.start()
  await window.getByRole('radio', { name: 'Inactive' }).check()
  await companyRow(window, name).click()
  const record = window.getByRole('region', { name: 'De-provisioned' })
  await record.getByRole('button', { name: 'Save confirmations…' }).click()
  await expect(record.getByText('Saved as')).toBeVisible()
  expect(program.savedFiles()).toHaveLength(2)

  // Activity has one row for its three requests.
  await window.getByRole('link', { name: /^Activity/ }).click()
  const rows = window.getByRole('grid', { name: 'Activity' }).getByRole('row')
  const deprovisioned = rows.filter({ hasText: 'De-provisioned' })
  await expect(rows.filter({ hasText: /de-?provision/i })).toHaveCount(1)
  await deprovisioned.getByRole('button', { name: 'Show the steps' }).click()
  await expect(rows.filter({ hasText: /de-?provision/i })).toHaveCount(4)
})

test(
  'several at once: each one is confirmed and sent, one after another, with one report for all',
  { tag: '@deep' },
  async ({ window, service, program }) => {
    await connect(window, service)
    const count = await companyRows(window).count()
    const first = await program.answer('De-provision', 'Cancel')
    const dialog = await askForAll(window)
    await expect(dialog.getByText(`1 of ${count} done`)).toBeVisible()
    await expect(dialog.getByRole('heading', { name: /not sent yet$/ })).toHaveCount(count - 1)
    await expect(dialog.getByRole('alert')).toHaveCount(0)
    const names = (await first()).slice(0, 1)
    const others = await program.answer('De-provision')
    await dialog.getByRole('button', { name: `De-provision the other ${count - 1}` }).press('Space')
    await expect(dialog.getByText(`${count} of ${count} done`)).toBeVisible()
    await expect(dialog.getByRole('list', { name: /^Confirmations of/ })).toHaveCount(count)
    expect(await seriousViolations(window), 'each with its confirmations').toEqual([])
    const sent = await patches(service)
    expect(new Set(sent).size).toBe(count)
    expect(new Set([...names, ...(await others())]).size).toBe(count)
    expect(sent).toHaveLength(count)

    await dialog.getByRole('button', { name: 'Save confirmations…' }).click()
    await expect(dialog.getByText('Saved as')).toBeVisible()
    expect(savedText(program)).toContain(`Companies de-provisioned and confirmed: ${count} of ${count}`)
  },
)

test(
  'it continues behind another screen, stops after the current one, and can be resumed',
  { tag: '@deep' },
  async ({ window, service }) => {
    const { dialog, count } = await deprovisionAll(window, service)
    await expect(dialog.getByRole('button', { name: 'Stop after this one' })).toBeVisible()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    const bar = window.getByRole('toolbar', { name: 'De-provisioning' })
    await expect(bar.getByRole('status')).toContainText(
      `De-provisioning ${count} companies: 0 of ${count} done`,
    )
    await window.getByRole('link', { name: 'Activity' }).click()
    await window.getByRole('link', { name: 'Companies', exact: true }).click()
    await bar.getByRole('button', { name: 'Stop after this one' }).click()
    await service.control({ latencyMs: 0 })
    await expect(bar.getByRole('status')).toContainText('Stopping after this one.')
    await bar.getByRole('button', { name: 'Show' }).click()
    await expect(dialog.getByText(`1 of ${count} done. Stopping after this one.`)).toBeVisible()
    await expect(dialog.getByRole('heading', { name: /not sent yet$/ })).toHaveCount(count - 1)
    expect(await patches(service)).toHaveLength(1)

    await dialog.getByRole('button', { name: `De-provision the other ${count - 1}` }).press('Space')
    await expect(dialog.getByText(`${count} of ${count} done`)).toBeVisible()
    expect(await patches(service)).toHaveLength(count)
  },
)

test(
  'a denial is shown as such, whatever the response claimed',
  { tag: '@deep' },
  async ({ window, service }) => {
    await connect(window, service)
    await shortenDeadlines(window)
    await service.control({
      faults: [{ match: { method: 'PATCH' }, times: 1, fault: { kind: 'drop', when: 'before' } }],
    })
    await companyRow(window, 'Desktop').first().click()
    await window.getByRole('button', { name: 'De-provision…' }).first().click()
    const dialog = window.getByRole('dialog', { name: 'De-provision' })
    await expect(dialog.getByRole('heading', { name: /^Not confirmed:/ })).toBeVisible()
    await expect(dialog.getByText('denies it').first()).toBeVisible()
  },
)
