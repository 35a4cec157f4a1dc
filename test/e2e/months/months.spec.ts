/** **Months** and **Review** with the keyboard: from the start to a closed month, and what changes afterward. */
import { chromium, type Page } from '@playwright/test'
import { reportsPrint } from '../../../electron/files/print/report-print.ts'
import type { ReportForFile } from '../../../electron/files/report-file.ts'
import { reviewSection } from '../../../electron/files/review-pack.ts'
import { checkReport } from '../../../electron/rows/reports/checks.ts'
import { Format } from '../../../shared/format/format.ts'
import { levelReport } from '../../../shared/reports/levels.ts'
import { ok } from '../../../shared/result.ts'
import { chromiumPath } from '../../chromium-host/launch.ts'
import { value } from '../../result.ts'
import { connect } from '../companies/steps.ts'
import { expect, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { call } from '../support/bridge.ts'

async function openMonths(window: Page): Promise<void> {
  await window.getByRole('link', { name: 'Companies' }).click()
  await window.getByRole('radio', { name: 'Months' }).click()
  await expect(window.getByRole('grid', { name: 'Months' })).toBeVisible()
}

const rowOf = (window: Page, name: string) =>
  window.getByRole('grid', { name: 'Months' }).getByRole('row', { name: new RegExp(name) })

/** One button for all companies, and no further click. */
async function getAllReports(window: Page): Promise<void> {
  await window.getByRole('button', { name: 'Get reports for 3 companies' }).click()
  await expect(window.getByRole('grid', { name: 'Months' }).getByText(/\d findings/)).toHaveCount(3)
  await expect(window.getByRole('button', { name: 'Stop reading' })).toBeHidden()
  await expect(window.getByRole('grid', { name: 'Months' }).locator('tr:focus')).toBeVisible()
}

test('a month is read, reviewed with one key per finding, closed, saved, and reopened', async ({
  window,
  program,
  service,
}) => {
  await connect(window, service)
  await openMonths(window)
  await expect(rowOf(window, 'Alder')).toContainText('Not started')
  expect(await seriousViolations(window)).toEqual([])
  await getAllReports(window)
  // The most serious findings come first: contradictions before doubts.
  await expect(window.getByRole('grid', { name: 'Months' }).getByRole('row').nth(1)).toContainText(
    'definitely wrong',
  )
  expect(await seriousViolations(window)).toEqual([])

  await window.getByRole('button', { name: 'Review, Northgate Animal Hospital' }).click()
  const panel = window.getByRole('complementary').last()
  await expect(panel).toContainText('Retained Earnings')
  await expect(panel.getByRole('heading', { name: 'Where to look' })).toBeVisible()
  await expect(window.getByRole('button', { name: 'Close the month…' })).toBeDisabled()
  await expect(window.getByRole('button', { name: 'Close the month…' })).toHaveAccessibleDescription(
    /^Decide \d+ findings to close$/,
  )
  // What the numbers are, and of which day.
  await expect(panel).toContainText(/Change\s+[\d,.]+ (?:Dr|Cr)/)
  await expect(panel).toContainText(/from [\d,.]+ to [\d,.]+\./)
  await expect(panel).toContainText(/As of \w+ \d+, \d{4}/)
  expect(await seriousViolations(window)).toEqual([])

  // Accepts with a note, undoes that, excludes for good, and accepts the rest, with one key each.
  await window.keyboard.press('t')
  await panel.getByLabel('Note').fill('Agreed with the owner')
  await window.keyboard.press('Enter')
  await expect(window.getByRole('radio', { name: /Decided/ })).toBeVisible()
  await window.getByRole('radio', { name: /Decided/ }).check()
  await expect(panel).toContainText('“Agreed with the owner”')
  await window.keyboard.press('u')
  await expect(window.getByText('Nothing has been accepted or excluded yet.')).toBeVisible()
  await window.getByRole('radio', { name: /Open/ }).check()
  const open = window.locator('[data-finding]')
  let left = await open.count()
  await open.first().focus()
  await window.keyboard.press('n')
  await expect(open).toHaveCount(left - 1)
  await expect(window.getByText('Retained Earnings: never shown again, in any month.')).toBeVisible()
  await window.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(open).toHaveCount(left)
  await expect(open.first()).toBeFocused()
  await window.keyboard.press('n')
  left -= 1
  await expect(open).toHaveCount(left)
  while (left > 0) {
    await window.keyboard.press('a')
    left -= 1
    await expect(open).toHaveCount(left)
  }
  await expect(window.getByText('The month can be closed.')).toBeVisible()

  await window.getByRole('button', { name: 'Close the month…' }).click()
  const dialog = window.getByRole('dialog', { name: 'Close the month' })
  await dialog.getByLabel('Note').fill('Sent to the client')
  await window.keyboard.press('Enter')
  await expect(window.getByRole('button', { name: 'Reopen…' })).toBeVisible()
  // Its reports were read before the close, which says nothing about what came after.
  await expect(window.getByText(/Not checked since it was closed\. Its reports were read /)).toBeVisible()
  // Every finding is decided. There is nothing to filter.
  await expect(window.getByRole('radio', { name: /^Open / })).toHaveCount(0)
  await expect(open.first()).toBeVisible()
  expect(await seriousViolations(window)).toEqual([])

  // Saves the pack with two clicks.
  await window.getByRole('button', { name: 'Save the review pack' }).first().click()
  await window.getByRole('menuitem', { name: 'Excel (.xlsx)' }).click()
  await expect.poll(() => program.savedFiles().filter((name) => name.endsWith('.xlsx'))).toHaveLength(1)
  await window.getByText('History of this month').click()
  await expect(window.getByText('“Sent to the client”')).toBeVisible()

  await window.getByRole('button', { name: 'Reopen…' }).click()
  expect(await seriousViolations(window)).toEqual([])
  await window.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click()
  await expect(window.getByRole('button', { name: 'Close the month…' })).toBeEnabled()
  await window.getByRole('button', { name: 'Next company' }).click()
  await expect(window.getByRole('heading', { name: 'Alder & Finch Builders' })).toBeVisible()
  await window.getByRole('button', { name: 'Back to all months' }).click()
  await expect(rowOf(window, 'Northgate')).toContainText('Reviewed')
})

test('a finding says why it could not be checked again, and leads to its report and to its records', async ({
  window,
  service,
}) => {
  await connect(window, service)
  await openMonths(window)
  await getAllReports(window)

  await test.step('a finding that could not be checked again says why', async () => {
    await window.getByRole('button', { name: 'Review, Alder & Finch Builders' }).click()
    await window.locator('[data-finding]').filter({ hasText: 'Uncategorized' }).click()
    const company = 'Alder & Finch Builders'
    await service.control({ company, conditions: { machine: 'off' } })
    await window.getByRole('button', { name: 'Check again' }).click()
    await expect(window.getByText(/It was not checked again: ./)).toBeVisible()
    await expect(window.locator('[data-finding]').filter({ hasText: 'Uncategorized' })).toBeVisible()
    expect(await seriousViolations(window)).toEqual([])
    await service.control({ company, conditions: { machine: 'on' } })
    await window.getByRole('button', { name: 'Check again' }).click()
    await expect(window.getByText(/It was not checked again/)).toHaveCount(0)
  })
  await openMonths(window)

  await test.step('a finding leads to its report and to its records', async () => {
    await window.getByRole('button', { name: 'Review, Alder & Finch Builders' }).click()
    await window.locator('[data-finding]').filter({ hasText: 'Uncategorized' }).click()
    await window.keyboard.press('o')
    await expect(window.getByRole('heading', { name: /Trial balance/ }).first()).toBeVisible()
    // Its row is in sight and chosen.
    const sought = window.getByRole('row', { name: /Uncategorized Income/ })
    await expect(sought).toHaveAttribute('aria-selected', 'true')
    await expect(sought).toBeInViewport()

    await openMonths(window)
    await window.getByRole('button', { name: 'Review, Alder & Finch Builders' }).click()
    const doubled = window.getByRole('region', { name: 'Entries that look doubled' })
    await doubled.locator('[data-finding]').first().click()
    await window.getByRole('button', { name: 'Open the report' }).click()
    await expect(window.getByRole('heading', { name: /General ledger/ }).first()).toBeVisible()
    const entry = window.getByRole('treegrid').locator('[role="row"][aria-selected="true"]')
    await expect(entry).toContainText('Bill')
    await expect(entry).toBeInViewport()

    await openMonths(window)
    await window.getByRole('button', { name: 'Review, Hollis & Vane Landscape Architects' }).click()
    const duplicates = window.getByRole('region', { name: 'Likely duplicates' })
    await duplicates.locator('[data-finding]').first().click()
    await window.keyboard.press('r')
    await expect(window).toHaveURL(/#\/records\//)
    await window.getByRole('button', { name: 'Get records' }).first().click()
    await expect(window.getByRole('button', { name: /^Remove filter: / })).toBeVisible()
    await expect(window.getByText(/^[12] of [\d,]+/).first()).toBeVisible()
  })
})

test('an entry in a closed month is noticed when its reports are read again, and accepted', async ({
  window,
  service,
}) => {
  await connect(window, service)
  await openMonths(window)
  await getAllReports(window)
  await window.getByRole('button', { name: 'Review, Alder & Finch Builders' }).click()
  const open = window.locator('[data-finding]')
  await expect(open.first()).toBeFocused()
  for (let left = await open.count(); left > 0; left -= 1) {
    await window.keyboard.press('a')
    await expect(open).toHaveCount(left - 1)
  }
  await window.getByRole('button', { name: 'Close the month…' }).click()
  await window.keyboard.press('Enter')
  await expect(window.getByText(/Not checked since it was closed/)).toBeVisible()
  await window.getByRole('button', { name: /^Check for changes/ }).click()
  await expect(window.getByText(/No changes as of /)).toBeVisible()
  await expect(window.getByRole('button', { name: 'Stop reading' })).toBeHidden()

  const company = 'Alder & Finch Builders'
  await service.control({ company, lateEntry: true, conditions: { machine: 'off' } })
  await window.getByRole('button', { name: /^Check for changes/ }).click()
  await expect(window.getByText('It wasn’t read again.')).toBeVisible()
  await expect(window.getByText(/No changes as of /)).toBeHidden()
  await expect(window.getByRole('button', { name: 'Save the review pack' }).first()).toBeVisible()
  await service.control({ company, conditions: { machine: 'on' } })
  await window.getByRole('button', { name: /^Check for changes/ }).click()
  const amounts = window.getByRole('region', { name: 'Changed amounts' })
  await expect(amounts).toBeVisible()
  await expect(
    window.getByRole('status').filter({ hasText: /Changed since it was closed \(\d+ accounts?/ }),
  ).toBeVisible()
  await expect(window.getByRole('button', { name: 'Stop reading' })).toBeHidden()
  // Beside what changed, a finding is shown only if it is chosen.
  const panel = window.getByRole('complementary').filter({ hasText: 'Why it matters' })
  await expect(open.first()).toBeHidden()
  await window.getByText(/^Findings at close \(\d+\)$/).click()
  await expect(open.first()).toBeVisible()
  await expect(panel).toHaveCount(0)
  await open.first().click()
  await expect(panel).toBeVisible()
  await panel.getByRole('button', { name: 'Close details' }).click()
  await expect(panel).toHaveCount(0)
  await expect(open.first()).toBeFocused()
  expect(await seriousViolations(window)).toEqual([])
  await window.getByRole('button', { name: 'Back to all months' }).click()
  // The rail says so everywhere.
  await expect(window.getByRole('link', { name: 'Companies 1 closed month changed' })).toBeVisible()
  await window.getByRole('button', { name: 'See what changed, Alder & Finch Builders' }).click()
  await window.getByRole('button', { name: 'Accept the change…' }).click()
  await window.getByRole('dialog').getByLabel('Note').fill('Late bill')
  await window.keyboard.press('Enter')
  await expect(window.getByText(/Not checked since it was closed/)).toBeVisible()
  await expect(amounts).toBeHidden()
  await window.getByText('History of this month').click()
  await expect(window.getByText('“Late bill”')).toBeVisible()
})

test('thresholds and words are set for a connection, and overridden for one company', async ({
  window,
  service,
}) => {
  const { connectionId } = await connect(window, service).then(() =>
    call(window, 'connection.list', {}).then((all) => ({
      connectionId: all.connections[0]?.connectionId ?? '',
    })),
  )
  await window.getByRole('link', { name: 'Settings' }).click()
  await window.getByRole('link', { name: 'Review' }).click()
  const form = window.getByRole('form', { name: 'Review settings' })
  await expect(form.getByLabel('Unusual from')).toHaveAttribute('placeholder', '40')
  await form.getByLabel('Unusual from').fill('a lot')
  await expect(form.getByRole('alert')).toHaveText('This is not an amount.')
  await form.getByLabel('Unusual from').fill('25')
  await form.getByLabel('Accounts that should be empty').fill('suspense\nwash account')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form).toContainText('Open months are reviewed again.')
  const saved = await call(window, 'review.settings', { connectionId, endpointId: null })
  expect(saved.own).toEqual({ percent: '25', emptyAccounts: ['suspense', 'wash account'] })
  expect(await seriousViolations(window)).toEqual([])

  await window.getByRole('link', { name: 'Companies' }).click()
  await window.getByRole('row', { name: /Alder & Finch/ }).click()
  await window.getByText('Review of its months').click()
  const own = window.getByRole('form', { name: 'Review settings' })
  await expect(own.getByLabel('Unusual from')).toHaveAttribute('placeholder', '25')
})

test('words of any length stay on the pages of a review pack', { tag: '@deep' }, async () => {
  const word = 'Donaudampfschifffahrt'.repeat(12)
  const choice = { locale: 'en-US', negatives: 'minus' } as const
  const format = new Format(choice)
  const [from, to, at] = ['2026-02-01', '2026-02-28', '2026-03-02T09:00:00Z']
  const columns = ['Feb 2026', word]
  const rows = levelReport([
    { rowType: 'TextRow', id: '', name: word, values: [] },
    { rowType: 'DataRow', id: '', name: word, values: ['-1234567.89', '1234567.89'] },
    { rowType: 'SubtotalRow', id: '', name: `Total ${word}`, values: ['-1234567.89', '1234567.89'] },
  ])
  const report: ReportForFile = {
    head: {
      ...{ reportId: 'r', name: 'ProfitAndLoss', reportType: '', from, to, making: 'single', notes: [word] },
      ...{ periods: [{ from, to }], startDate: '', endDate: '', nameColumn: word, columns, madeAt: at },
      ...{ rowCount: rows.length, checks: checkReport('ProfitAndLoss', columns, rows), requestId: '' },
    },
    ...{ companyName: word, basis: 'accrual', hideZeroRows: false },
    rows: async function* () {
      yield await Promise.resolve(ok(rows))
    },
  }
  const finding = { group: 'Entries', rule: 'Entries that look doubled', subject: word, detail: word }
  const decision = { decision: 'Never for this account', note: word, by: word, at }
  const review = {
    ...{ hasCents: true, companyName: word, period: 'Feb 2026', signature: word, note: word },
    findings: [{ ...finding, ...decision, amount: '-123456789012.50', side: 'credit' }],
    ...{ notChecked: [{ rule: 'Budget', reason: word }], off: [{ rule: 'Budget', reason: word }] },
    ...{ clean: ['Undeposited funds'], nothingFound: '' },
  } as const
  const contents = [{ title: word, note: word }]
  const cover = { companyName: word, title: 'Review of the month', period: 'Feb 2026', madeAt: at }
  const letterhead = { firm: word, preparer: word, logo: null }
  const printed = value(
    await reportsPrint([report], choice, letterhead, { ...cover, signature: word, note: word, contents }, [
      reviewSection(review, format),
    ]),
  )
  const browser = await chromium.launch({ executablePath: chromiumPath() ?? '', args: ['--no-sandbox'] })
  try {
    // The width between the margins of an A4 page.
    const page = await browser.newPage({ viewport: { width: 678, height: 900 } })
    await page.emulateMedia({ media: 'print' })
    await page.setContent(printed.html.replace(/<link [^>]*>/, ''))
    await page.addStyleTag({ content: printed.css })
    await expect(page.getByRole('row').first()).toBeVisible()
    const beyond = await page.evaluate(() => {
      const { clientWidth } = document.documentElement
      // What is cut off with an ellipsis stays inside.
      const isBeyond = (each: Element): boolean =>
        each.getBoundingClientRect().right > clientWidth + 1 ||
        (each.scrollWidth > clientWidth + 1 && getComputedStyle(each).overflowX === 'visible')
      return [...document.querySelectorAll('body *')]
        .filter(isBeyond)
        .map((each) => `${each.tagName} ${each.className}`)
    })
    expect(beyond).toEqual([])
  } finally {
    await browser.close()
  }
})
