/** A list that was read before is shown at once: after a restart, and without the service. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, type Program, test } from '../fixture.ts'
import { saved } from '../import/steps.ts'
import {
  cell,
  count,
  customers,
  dataRequests,
  getRecords,
  openBooks,
  refresh,
  rowIdAt,
  type,
} from './steps.ts'

/** The copies on disk. Neither names nor contents show whose they are. */
function copies(program: Program): readonly string[] {
  const folder = join(program.userData, 'lists')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.list'))
}

async function copied(program: Program, many = 1): Promise<void> {
  await expect.poll(() => copies(program).length).toBe(many)
}

const stamp = (window: Page) => window.getByRole('status', { name: 'What was read' })

test('after a restart, a kept list opens at once with what was sent since, and requests only changes', async ({
  program,
  service,
}) => {
  const first = await program.start()
  await openBooks(first.window, service)
  await getRecords(first.window)
  await copied(program)
  const all = await count(first.window, 'All')
  const row = await rowIdAt(first.window, 0)
  await type(first.window, cell(first.window, row, 'Phone'), '(415) 555-0177')
  await first.window.getByRole('button', { name: /^Send 1 change to/ }).click()
  await expect.poll(() => count(first.window, 'Changes')).toBe(0)
  const asked = (await dataRequests(service, 'GET')).length
  await program.kill()

  const { window } = await program.start()
  await window.getByRole('link', { name: 'Records' }).click()
  await expect(stamp(window)).toContainText('the whole list')
  await expect.poll(() => count(window, 'All')).toBe(all)
  await expect(cell(window, row, 'Phone')).toHaveText('(415) 555-0177')
  await expect(customers(window)).not.toContainText('Saved')
  expect(await dataRequests(service, 'GET')).toHaveLength(asked)

  // A copy may lack records that others added since, so no row of a file becomes a new record before it is refreshed.
  const imported = window.getByRole('dialog', { name: 'Import' })
  const isCopy = imported.getByText('This is a saved copy of the list.')
  await window.getByRole('button', { name: 'Import…' }).click()
  await expect(isCopy).toBeVisible()
  await window.keyboard.press('Escape')
  await expect(imported).toHaveCount(0)

  await window.getByRole('button', { name: 'Refresh' }).click()
  await expect(
    window
      .getByRole('main')
      .getByText(/Nothing has changed|changed/)
      .first(),
  ).toBeVisible()
  const reads = await dataRequests(service, 'GET')
  expect(reads.at(-1)?.query).toContain('modTimeStart')
  await expect(stamp(window)).toContainText('the whole list')
  await window.getByRole('button', { name: 'Import…' }).click()
  await expect(imported).toBeVisible()
  await expect(isCopy).toHaveCount(0)
})

test(
  'without the service, a kept list can be read, filtered, exported, and edited, and a send says that it waits',
  { tag: '@deep' },
  async ({ program, service }) => {
    const first = await program.start()
    await openBooks(first.window, service)
    await getRecords(first.window)
    const all = await count(first.window, 'All')
    const row = await rowIdAt(first.window, 0)
    await copied(program)
    await program.kill()
    await service.stop()

    const { window } = await program.start()
    await window.getByRole('link', { name: 'Records' }).click()
    const rows = customers(window).locator('.ag-row[row-id]')
    await expect(rows.first()).toBeVisible()
    await expect(stamp(window)).toContainText('the whole list')
    await type(window, cell(window, row, 'Phone'), '(415) 555-0178')
    expect(await count(window, 'Changes')).toBe(1)
    const search = window.getByRole('searchbox', { name: 'Search' })
    await search.fill('(415) 555-0178')
    await expect(rows).toHaveCount(1)
    await search.fill('')
    await window.getByRole('radio', { name: /^Changes/ }).check({ force: true })
    await expect(rows).toHaveCount(1)
    await window.getByRole('radio', { name: /^All/ }).check({ force: true })

    await window.getByRole('button', { name: 'Export…' }).click()
    const dialog = window.getByRole('dialog', { name: 'Export' })
    await dialog.getByRole('radio', { name: 'CSV for programs' }).check()
    await dialog.getByRole('button', { name: 'Save file…' }).click()
    await expect(window.getByText(/^Saved .*\.csv$/)).toBeVisible()
    expect(saved(program.saveDir, 'Customers')).toHaveLength(all + 1)

    await window.getByRole('button', { name: /^Send 1 change to/ }).click()
    const main = window.getByRole('main')
    await expect(main).toContainText('couldn’t be reached. Nothing was sent, and your changes stay drafts.')
    expect(await count(window, 'Changes')).toBe(1)
  },
)

test(
  'copies are deleted when they are turned off, for one company or for all',
  { tag: '@deep' },
  async ({ window, program, service }) => {
    await openBooks(window, service)
    await getRecords(window)
    await copied(program)
    await window.getByRole('link', { name: 'Companies', exact: true }).click()
    await window.getByRole('button', { name: 'Details of Alder & Finch Builders' }).click()
    await window.getByRole('switch', { name: 'Keep copies of this company’s lists' }).click()
    await copied(program, 0)
    await window.getByRole('switch', { name: 'Keep copies of this company’s lists' }).click()
    await window.getByRole('link', { name: 'Records' }).click()
    await refresh(window, 'Get again')
    await copied(program)

    await window.getByRole('link', { name: 'Settings' }).click()
    await window.getByRole('link', { name: 'Storage and about' }).click()
    const lists = window.getByRole('group', { name: 'Lists' })
    await expect(lists).toContainText('They use 1 MB on this computer now.')
    await lists.getByRole('checkbox', { name: 'Keep copies of lists on this computer' }).uncheck()
    await copied(program, 0)
    await expect(lists).not.toContainText('MB')
  },
)
