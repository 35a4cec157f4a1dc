/**
 * The frame and each screen by keyboard alone, in a small window. The focus follows the user and is never lost when a
 * button or a panel disappears, and the window's accessible structure stays the same. axe checks the screens that no
 * other spec checks. In high contrast, the selected item has an outline.
 */
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { cell, getRecords, rowIdAt } from '../records/steps.ts'
import { seriousViolations } from '../support/access.ts'

/** Half of 1366 × 768, which such a screen shows at 200 %. */
const AT_200_PERCENT = { width: 683, height: 384 }
const SMALL = { width: 1024, height: 700 }

/** A screen's own code loads when it is first opened. Press Tab only once the screen is visible. */
async function tabTo(window: Page, first: Locator): Promise<void> {
  await expect(window.getByRole('main')).toBeFocused()
  await expect(first).toBeVisible()
  await window.keyboard.press('Tab')
  await expect(first).toBeFocused()
}

async function fits(window: Page): Promise<void> {
  await window.setViewportSize(AT_200_PERCENT)
  expect(await window.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
    0,
  )
  await window.setViewportSize(SMALL)
}

test('every screen is reached, used, and left by keyboard alone, and fits a small window', async ({
  window,
}) => {
  await window.setViewportSize(SMALL)
  const main = window.getByRole('main')
  const button = (name: string | RegExp) => window.getByRole('button', { name, exact: true })
  await button('Explore the sample').focus()
  await window.keyboard.press('Enter')
  await expect(window.getByRole('grid', { name: 'Companies' })).toContainText('Alder & Finch')
  await expect(main).toBeFocused()
  await expect(window.locator('body')).toMatchAriaSnapshot(`
    - complementary "Companies and screens":
      - button /Find or go to…/
      - button /^Company/
      - list "Recent companies"
      - navigation "Screens":
        - list:
          - listitem:
            - link "Companies"
          - listitem:
            - link "Records"
          - listitem:
            - link "Reports"
          - listitem:
            - link "Activity"
          - listitem:
            - link "Settings"
    - main:
      - heading "Companies" [level=1]
      - toolbar "Companies"
      - grid "Companies"
    - contentinfo:
      - status "What the service is doing"
      - button "Sample service"
      - button "F1 shortcuts"
  `)

  await test.step('the palette leads to a company, F1 is searched, and Escape restores the focus', async () => {
    await window.keyboard.press('Control+k')
    await window.keyboard.type('hollis')
    await expect(window.getByRole('option', { name: 'Hollis & Vane Landscape Architects' })).toBeVisible()
    await window.keyboard.press('Enter')
    await expect(main).toBeFocused()
    await button('F1 shortcuts').focus()
    await window.keyboard.press('F1')
    const shortcuts = window.getByRole('dialog', { name: 'Shortcuts' })
    await expect(shortcuts.getByRole('term').filter({ hasText: 'Accept the finding' })).toBeVisible()
    expect(await seriousViolations(window), 'the shortcuts').toEqual([])
    // Typing searches it.
    await window.keyboard.type('fill down')
    await expect(shortcuts.getByRole('term')).toHaveText(['Fill down'])
    await window.keyboard.press('Escape')
    await expect(button('F1 shortcuts')).toBeFocused()
  })

  await test.step('F6 cycles through the regions in both directions, and the palette finds a report by its company', async () => {
    const region = () =>
      window.evaluate(
        () =>
          document.activeElement?.closest('aside, [role="toolbar"], [role="grid"], footer')?.className ?? '',
      )
    await window.keyboard.press('F6')
    await expect.poll(region).toMatch(/rail/)
    // Only existing regions are in the cycle, and the screen of the company may still be loading.
    await expect(main.getByRole('toolbar').first()).toBeVisible()
    await window.keyboard.press('F6')
    await expect.poll(region).toMatch(/toolbar/)
    await window.keyboard.press('Shift+F6')
    await window.keyboard.press('Shift+F6')
    await expect.poll(region).toMatch(/status-line/)
    await window.keyboard.press('Control+k')
    await window.keyboard.type('alder profit')
    await expect(
      window.getByRole('option', { name: /^Profit and loss.*Alder & Finch/ }).first(),
    ).toBeVisible()
    await window.keyboard.press('Escape')
    await main.focus()
  })

  await test.step('Records: the review starts at the first change, and a button that turns into another keeps the focus', async () => {
    await window.keyboard.press('Control+2')
    await tabTo(window, window.getByRole('combobox', { name: 'List' }))
    await getRecords(window)
    // It is replaced by Stop while the list is read. The status bar has one, too.
    await button('Refresh').press('Enter')
    await expect(button('Stop')).toHaveCount(0)
    await expect(button('Refresh')).toBeFocused()
    const changed = cell(window, await rowIdAt(window, 0), 'Phone')
    await changed.click()
    await window.keyboard.type('1')
    await window.keyboard.press('Enter')
    await button('Review changes').focus()
    await window.keyboard.press('Enter')
    await expect(changed).toBeFocused()
    await button('Back to list').focus()
    await window.keyboard.press('Enter')
    await expect(button('Review changes')).toBeFocused()
    await fits(window)
  })

  await test.step('Reports: a page that replaces another gets the focus', async () => {
    await window.keyboard.press('Control+3')
    await tabTo(window, window.getByRole('combobox', { name: 'Report', exact: true }))
    await window.keyboard.type('ProfitAndLoss')
    await window.keyboard.press('Enter')
    await button('Run').focus()
    await window.keyboard.press('Enter')
    await expect(window.getByRole('treegrid', { name: 'Profit and loss' })).toBeVisible()
    await fits(window)
    expect(await seriousViolations(window), 'a report').toEqual([])
    await button('For several companies…').focus()
    await window.keyboard.press('Enter')
    await expect(main).toBeFocused()
    await fits(window)
    await button(/^(New|Edit) set…$/).focus()
    await window.keyboard.press('Enter')
    const set = window.getByRole('dialog', { name: 'Set of reports' })
    await expect(set).toBeVisible()
    expect(await seriousViolations(window), 'a set of reports').toEqual([])
    await window.keyboard.press('Escape')
    await expect(set).toHaveCount(0)
  })

  await test.step('Activity: closing the details returns the focus to their row', async () => {
    await window.keyboard.press('Control+4')
    await expect(main).toBeFocused()
    const row = window.getByRole('grid', { name: 'Activity' }).getByRole('row').nth(1)
    await row.focus()
    await window.keyboard.press('ArrowDown')
    await window.keyboard.press('Tab')
    await expect(button('Close details')).toBeFocused()
    expect(await seriousViolations(window), 'Activity, with details').toEqual([])
    // In high contrast, colors have no meaning, so the selection has an outline.
    await window.emulateMedia({ forcedColors: 'active' })
    const chosen = window.getByRole('grid', { name: 'Activity' }).locator('[aria-selected="true"] td').first()
    await expect(chosen).toHaveCSS('border-top-style', 'solid')
    await expect(window.getByRole('link', { name: 'Activity' })).toHaveCSS('outline-style', 'solid')
    await window.emulateMedia({ forcedColors: 'none' })
    await window.keyboard.press('Enter')
    await expect(window.getByRole('grid', { name: 'Activity' }).getByRole('row').nth(2)).toBeFocused()
    // At 200 %, details are a page. Arrows only move there.
    await window.setViewportSize(AT_200_PERCENT)
    await window.keyboard.press('ArrowUp')
    await expect(row).toBeFocused()
    await expect(window.getByRole('complementary', { name: 'Details' })).toHaveCount(0)
    await window.keyboard.press('Space')
    await expect(button('Back')).toBeFocused()
    expect(await seriousViolations(window), 'details as a page').toEqual([])
    await window.keyboard.press('Enter')
    await expect(row).toBeFocused()
    await window.setViewportSize(SMALL)
    await window.getByRole('radio', { name: 'Log' }).focus()
    await window.keyboard.press('ArrowRight')
    await expect(window.getByRole('searchbox', { name: 'Search the history' })).toBeVisible()
    await expect(window.getByRole('radio', { name: 'History' })).toBeFocused()
    await fits(window)
  })

  await test.step('Settings: each section is a link, and starts after the links', async () => {
    await window.keyboard.press('Control+5')
    await tabTo(window, window.getByRole('link', { name: 'Connections' }))
    const others = [
      'Appearance',
      'Numbers and dates',
      'Documents',
      'Sending and waiting',
      'Review',
      'Schedules',
    ]
    for (const name of [...others, 'Certificates', 'Backup']) {
      await window.keyboard.press('Tab')
      await window.keyboard.press('Enter')
      await expect(window.getByRole('region', { name })).toBeVisible()
      await expect(window.getByRole('link', { name })).toBeFocused()
      await fits(window)
    }
    expect(await seriousViolations(window), 'Settings').toEqual([])
    await window.keyboard.press('Tab')
    await window.keyboard.press('Tab')
    await expect(button('Save a backup…')).toBeFocused()
  })
})

/** Everything that can be pressed is fully visible, only tables scroll sideways, and at least one row is visible. */
async function isUsable(window: Page, part: Locator, row: Locator): Promise<void> {
  for (const size of [SMALL, AT_200_PERCENT]) {
    await window.setViewportSize(size)
    const where = `${String(size.width)} pixels`
    const room = () => window.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    await expect.poll(room, where).toBeLessThanOrEqual(0)
    const clipped = () =>
      part.getByRole('button').evaluateAll((buttons) =>
        buttons
          .filter(
            (button) => button.checkVisibility({ visibilityProperty: true }) && !button.closest('table'),
          )
          .filter((button) => {
            const { left, right } = button.getBoundingClientRect()
            return left < 0 || right > innerWidth || button.scrollWidth > button.clientWidth + 1
          })
          .map((button) => button.textContent.trim()),
      )
    await expect.poll(clipped, where).toEqual([])
    await row.scrollIntoViewIfNeeded()
    await expect(row, where).toBeInViewport()
    expect(await seriousViolations(window)).toEqual([])
  }
}

test(
  'Find, Tidy up, and a change in several companies fit a small window, and one at 200 %',
  { tag: '@deep' },
  async ({ window }) => {
    await window.setViewportSize(SMALL)
    await window.getByRole('button', { name: 'Explore the sample' }).click()
    await expect(window.getByRole('grid', { name: 'Companies' })).toContainText('Alder & Finch')
    await window.keyboard.press('Control+Shift+F')
    const find = window.getByRole('dialog', { name: 'Find anywhere' })
    const footer = window.getByRole('region', { name: 'What was searched' })
    await footer.getByRole('button', { name: 'Read them now' }).click()
    await expect(footer).not.toContainText('kept yet')
    await expect(footer.getByRole('status')).toHaveCount(0)
    await window.getByRole('combobox', { name: 'Find anywhere' }).fill('(541) 555-015')
    await isUsable(window, find, find.getByRole('option').first())
    await footer.getByRole('button', { name: 'Change in several companies…' }).press('Enter')

    const main = window.getByRole('main')
    const table = window.getByRole('table', { name: 'Records side by side' })
    const box = table.locator('tbody').first().getByRole('rowheader').getByRole('checkbox').nth(1)
    await box.press('Space')
    const field = window.getByRole('combobox', { name: 'Field' })
    await field.fill('Phone')
    await field.press('Enter')
    await window.getByRole('checkbox', { name: 'Clear the value' }).check()
    await isUsable(window, main, box)
    await window.getByRole('button', { name: 'Prepare 1 change in 1 company' }).press('Enter')
    const card = window.getByRole('article', { name: /^Phone → \(empty\)/ })
    await isUsable(window, main, card.getByRole('rowheader').first())

    await window.setViewportSize(SMALL)
    await window.keyboard.press('Control+k')
    await window.keyboard.type('tidy up lists of all')
    await expect(window.getByRole('option', { name: /^Tidy up/ }).first()).toBeVisible()
    await window.keyboard.press('Enter')
    const kind = window.getByRole('combobox', { name: 'Kind' })
    // The lists arrive one by one, and each may add kinds.
    await kind.fill('Phone number format')
    await expect(window.getByRole('option', { name: /^Phone number format/ })).toBeVisible()
    await kind.press('Enter')
    const rows = window.getByRole('grid', { name: 'Phone number format' }).getByRole('row')
    await isUsable(window, main, rows.nth(1))
    await rows.nth(1).click()
    await isUsable(window, main, rows.nth(1))
  },
)
