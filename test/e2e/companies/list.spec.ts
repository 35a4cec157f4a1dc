// The list of companies: large and fast, searched in every column, copied, tested, starred, and opened with Ctrl K.
import type { Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { plainCompanies, PlainService } from '../support/plain-service.ts'
import { companyRow, companyRows } from './steps.ts'

async function connectTo(window: Page, service: PlainService): Promise<void> {
  await window.getByLabel('Address').fill(service.url)
  await window.getByLabel('API key').fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(companyRows(window).first()).toBeVisible()
}

test('500 companies are sorted and searched, and only visible rows are rendered', async ({ window }) => {
  const service = await PlainService.start(plainCompanies(500))
  await connectTo(window, service)
  await expect(window.getByRole('grid', { name: 'Companies' })).toHaveAttribute('aria-rowcount', '501')
  expect(await companyRows(window).count()).toBeLessThan(150)

  const heading = window.getByRole('columnheader', { name: /Company$/ })
  await expect(companyRows(window).first()).toContainText('Client 001')
  await heading.click()
  await expect(companyRows(window).first()).toContainText('Client 500')
  const search = window.getByRole('searchbox', { name: 'Search' })
  await search.fill('books\\client\\7\\ledger')
  await expect(companyRows(window)).toHaveCount(1)
  await expect(companyRow(window, 'Client 007')).toBeVisible()
  await service.close()
})

test('selected companies are tested, copied, and de-provisioned together, and copied in Excel’s format', async ({
  window,
  program,
}) => {
  const service = await PlainService.start(plainCompanies(4))
  await connectTo(window, service)
  await companyRow(window, 'Client 002').getByRole('checkbox').check()
  await companyRow(window, 'Client 003').focus()
  await window.keyboard.press('Space')
  const bar = window.getByRole('toolbar', { name: 'Selected companies' })
  await expect(bar.getByRole('status')).toHaveText('2 selected')
  await expect(window.getByRole('complementary', { name: 'Client 002 Trading' })).toHaveCount(0)
  expect(await seriousViolations(window)).toEqual([])

  await bar.getByRole('button', { name: 'Test companies' }).click()
  await expect(companyRows(window).filter({ has: window.getByLabel('Answered') })).toHaveCount(2)
  expect(service.mostAtOnce).toBe(1)

  await companyRow(window, 'Client 003').focus()
  await window.keyboard.press('Control+c')
  await expect(window.getByText('2 rows copied.')).toBeVisible()
  const search = window.getByRole('searchbox', { name: 'Search' })
  await search.focus()
  await window.keyboard.press('Control+v')
  await expect(search).toHaveValue(/^Company\s+Name in the service.*Client 002 Trading.*Client 003 Trading/)
  await search.fill('')
  await companyRow(window, 'Client 004').focus()
  await window.keyboard.press('ArrowRight')
  await window.keyboard.press('Control+c')
  await expect(window.getByText('Copied.', { exact: true })).toBeVisible()
  await search.focus()
  await window.keyboard.press('Control+v')
  await expect(search).toHaveValue('Client 004 Trading')
  await search.fill('')
  await companyRow(window, 'Client 001').getByText('Client 001 Trading').click({ button: 'right' })
  const menu = window.getByRole('menu', { name: 'Copy from Companies' })
  await expect(menu.getByRole('menuitem')).toHaveText(['Copy Company', 'Copy 2 rows'])
  await menu.getByRole('menuitem', { name: 'Copy Company' }).click()
  await search.focus()
  await window.keyboard.press('Control+v')
  await expect(search).toHaveValue('Client 001 Trading')
  await search.fill('')

  const asked = await program.answer('Cancel')
  await bar.getByRole('button', { name: 'De-provision…' }).press('Space')
  await expect.poll(asked).toEqual([expect.stringContaining('Client 002 Trading')])
  await expect(window.getByRole('dialog', { name: 'De-provision' })).toHaveCount(0)
  await expect(bar.getByRole('button', { name: 'De-provision…' })).toBeFocused()
  await bar.getByRole('button', { name: 'Clear selection' }).click()
  await expect(bar).toHaveCount(0)

  const selectedText = () => window.evaluate(() => getSelection()?.toString())
  await companyRow(window, 'Client 003').focus()
  await window.keyboard.press('Control+a')
  await expect(bar.getByRole('status')).toHaveText('4 selected')
  await window.getByRole('button', { name: 'Add company' }).focus()
  await window.keyboard.press('Control+a')
  expect(await selectedText(), 'no text of the window').toBe('')
  await search.fill('Client')
  await search.press('Control+a')
  await search.press('Delete')
  await expect(search).toHaveValue('')
  await service.close()
})

test(
  'finds companies by label, star, and Ctrl+K, even one that is no longer listed',
  { tag: '@deep' },
  async ({ window }) => {
    const service = await PlainService.start(plainCompanies(20))
    await connectTo(window, service)
    await companyRow(window, 'Client 013').click()
    await window.getByLabel('Label').fill('Ines’ bakery')
    await window.getByLabel('Label').press('Tab')
    await window.getByRole('button', { name: 'Favorite', exact: true }).click()
    await expect(window.getByRole('list', { name: 'Favorites' }).getByRole('link')).toHaveText(/Ines’ bakery/)
    await window.getByRole('searchbox', { name: 'Search' }).fill('bakery')
    await expect(companyRows(window)).toHaveCount(1)
    await window.getByRole('searchbox', { name: 'Search' }).fill('')

    const palette = window.getByRole('dialog', { name: 'Find or go to…' })
    for (const [typed, option] of [
      ['Client 020', /Client 020 Trading/],
      ['ledger-9', /Client 009 Trading/],
      ['Reports', /^Reports/],
      ['theme dark', /Theme: dark/],
      ['add connection', /Add connection/],
    ] as const) {
      await window.keyboard.press('Control+k')
      await palette.getByRole('combobox').fill(typed)
      await expect(palette.getByRole('option', { name: option }).first()).toBeVisible()
      await window.keyboard.press('Escape')
    }
    await window.keyboard.press('Control+k')
    // With no text, screens and commands are listed after the first few companies.
    await expect(palette.getByRole('option').first()).toContainText('Ines’ bakery')
    await expect(palette.getByRole('option', { name: 'Add company…' })).toBeVisible()
    expect(await seriousViolations(window)).toEqual([])
    await window.keyboard.press('Escape')

    service.companies.splice(12, 1)
    await window.getByRole('button', { name: 'Refresh' }).click()
    await expect(companyRow(window, 'Ines’ bakery')).toContainText('no longer listed')
    await companyRow(window, 'Ines’ bakery').click()
    await expect(window.getByText('The service no longer lists this company.')).toBeVisible()
    await expect(window.getByRole('region', { name: 'Facts' })).toContainText('r-e-Client-13')
    await window.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill('bakery')
    await expect(palette.getByRole('option', { name: /no longer listed/ })).toBeVisible()
    await window.keyboard.press('Enter')
    await expect(window.getByRole('heading', { name: 'Ines’ bakery' })).toBeVisible()
    await service.close()
  },
)

test(
  'an incomplete list says so, and a warning with a complete one rejects nothing',
  { tag: '@deep' },
  async ({ window }) => {
    const service = await PlainService.start(plainCompanies(3))
    service.saysMore = true
    await connectTo(window, service)
    const notice = window.getByRole('alert').filter({ hasText: 'This list of companies is incomplete.' })
    await expect(notice).toContainText('Page parameter')
    expect(await seriousViolations(window)).toEqual([])

    await window.getByRole('link', { name: 'Settings', exact: true }).first().click()
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(window.getByText('Responded in')).toBeVisible()
    await expect(notice).toBeVisible()

    await window.getByRole('link', { name: 'Companies', exact: true }).click()
    await expect(notice).toBeVisible()
    service.saysMore = false
    service.warning = 'Last access times are estimates.'
    await window.getByRole('button', { name: 'Refresh' }).click()
    await expect(notice).toHaveCount(0)
    await expect(window.getByText('Last access times are estimates.')).toBeVisible()
    await expect(window.getByRole('alert')).toHaveCount(0)
    await expect(companyRows(window)).toHaveCount(3)
    await service.close()
  },
)

test(
  'selected companies are tested from the top, with a count, and the test can be stopped',
  { tag: '@deep' },
  async ({ window }) => {
    const service = await PlainService.start(plainCompanies(12))
    await connectTo(window, service)
    const heading = window.getByRole('columnheader', { name: /Company$/ })
    await heading.click()
    await expect(companyRows(window).first()).toContainText('Client 012')
    await companyRow(window, 'Client 012').getByRole('checkbox').check()
    const bar = window.getByRole('toolbar', { name: 'Selected companies' })
    await bar.getByRole('button', { name: 'Select all 12' }).click()
    service.latencyMs = 1_500
    await bar.getByRole('button', { name: 'Test companies' }).click()
    await expect(bar.getByRole('status')).toHaveText(/^12 selected, testing (?:[2-9]|1\d) of 12$/)
    await bar.getByRole('button', { name: 'Stop testing' }).click()
    await expect(bar.getByRole('button', { name: 'Test companies' })).toBeVisible()
    await expect(bar.getByRole('status')).toHaveText('12 selected')
    const tested = service.asked.flatMap(({ path }) => /^\/v2\/data\/([^/?]+)/.exec(path)?.[1] ?? [])
    expect(tested.slice(0, 2)).toEqual(['e-Client-12', 'e-Client-11'])
    expect(tested.length).toBeLessThan(12)

    // The status line’s Stop stops all of them, too, and passes the focus on.
    await bar.getByRole('button', { name: 'Test companies' }).click()
    const line = window.getByRole('contentinfo')
    await line.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(line.getByRole('button', { name: 'Show in Activity' })).toBeFocused()
    await expect(bar.getByRole('button', { name: 'Test companies' })).toBeVisible()
    await service.close()
  },
)

test(
  'at 200%, eight rows are visible in Companies and Activity, where unfinished work is a separate view',
  { tag: '@deep' },
  async ({ window }) => {
    const service = await PlainService.start(plainCompanies(100))
    await connectTo(window, service)
    await companyRow(window, 'Client 001').click()
    for (let done = 0; done < 10; done += 1) {
      await window.getByRole('button', { name: 'Test company' }).click()
      await expect.poll(() => service.asked.length).toBeGreaterThan(done + 1)
      await expect(window.getByText(/Responded in \d/)).toBeVisible()
    }
    await window.getByRole('button', { name: 'Close details' }).click()
    await window.setViewportSize({ width: 683, height: 384 })
    const eighthIsInSight = (name: string): Promise<void> =>
      expect(window.getByRole('grid', { name }).getByRole('row').nth(8)).toBeInViewport({ ratio: 1 })
    await eighthIsInSight('Companies')
    // Rows are lower then, and the selected row must not be behind the heading.
    const companies = window.getByRole('grid', { name: 'Companies' })
    await companies.getByRole('row').nth(1).focus()
    for (let pages = 0; pages < 10; pages += 1) await window.keyboard.press('PageDown')
    const focused = companies.locator('tr:focus')
    await expect(focused).toBeInViewport({ ratio: 1 })
    const heading = await companies.locator('thead th').first().boundingBox()
    const row = await focused.boundingBox()
    expect(row?.y).toBeGreaterThanOrEqual((heading?.y ?? 0) + (heading?.height ?? 0) - 1)
    await window.getByRole('link', { name: 'Activity' }).click()
    await eighthIsInSight('Activity')
    await expect(window.getByRole('heading', { name: 'Unfinished' })).toHaveCount(0)
    await window.getByRole('radio', { name: 'Now' }).check()
    await expect(window.getByRole('heading', { name: 'Unfinished' })).toBeVisible()
    await service.close()
  },
)
