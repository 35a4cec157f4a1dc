/** The sample for learning: computers that cause trouble, edits that are kept, and starting over. */
import type { Locator, Page } from '@playwright/test'
import { companyRow, companyRows } from '../companies/steps.ts'
import { expect, test } from '../fixture.ts'
import { askForRecords } from '../records/steps.ts'
import { seriousViolations } from '../support/access.ts'

const FIRST_DAY = '2026-03-31'

function desktop(window: Page): Locator {
  return window.getByRole('complementary', { name: 'Sample desktop' })
}

async function explore(window: Page): Promise<void> {
  await window.getByRole('button', { name: 'Explore the sample' }).click()
  await expect(companyRows(window)).toHaveCount(3)
}

async function openDesktop(window: Page): Promise<Locator> {
  await window.getByRole('button', { name: 'Sample service' }).click()
  await expect(desktop(window)).toContainText('Everything works.')
  return desktop(window)
}

async function openCustomers(window: Page): Promise<void> {
  await companyRow(window, 'Alder & Finch Builders').dblclick()
  await window.getByRole('link', { name: 'Records' }).click()
}

function phone(window: Page): Locator {
  return window
    .getByRole('grid', { name: 'Customers' })
    .locator('.ag-row[row-id]')
    .first()
    .locator('[col-id="Phone"]')
}

test('a stopped agent has a message with advice, and reads work again once it runs', async ({ window }) => {
  await explore(window)
  await openCustomers(window)
  const desk = await openDesktop(window)
  await expect(desk.getByRole('combobox', { name: 'Company', exact: true })).toHaveValue(
    'Alder & Finch Builders',
  )

  const agent = desk.getByRole('checkbox', { name: 'Agent running' })
  await expect(agent).toBeChecked()
  await agent.uncheck()
  await expect(desk.getByRole('status')).toHaveText('Something is wrong at Alder & Finch Builders.')
  await askForRecords(window)
  const alert = window
    .getByRole('alert')
    .filter({ hasText: 'The agent on the client’s computer isn’t responding.' })
  await expect(alert.first()).toBeVisible()
  await expect(alert.first()).toContainText('the agent running with its token')

  await agent.check()
  await expect(desk.getByRole('status')).toHaveText('Everything works.')
  await askForRecords(window)
  await expect(window.getByRole('status', { name: 'What was read' })).toContainText('the whole list')
})

test(
  'the panel can be reached by keyboard, and Fix everything ends every fault',
  { tag: '@deep' },
  async ({ window }) => {
    await explore(window)
    await window.keyboard.press('Control+k')
    await window.keyboard.type('sample desk')
    await window.keyboard.press('Enter')
    const desk = desktop(window)
    await expect(desk.getByRole('checkbox', { name: 'Computer on' })).toBeChecked()
    await expect(desk.getByRole('heading', { name: 'Sample desktop' })).toBeFocused()

    await desk.getByRole('checkbox', { name: 'Computer on' }).press('Space')
    await desk.getByRole('checkbox', { name: 'A dialog is open' }).press('Space')
    await desk.getByRole('radio', { name: 'Another' }).press('Space')
    await desk.getByRole('radio', { name: 'Denied' }).press('Space')
    await expect(desk.getByRole('status')).toHaveText('Something is wrong at Alder & Finch Builders.')
    await desk.getByRole('button', { name: 'Fix everything' }).press('Enter')
    await expect(desk.getByRole('status')).toHaveText('Everything works.')
    await expect(desk.getByRole('checkbox', { name: 'Computer on' })).toBeChecked()
    await expect(desk.getByRole('checkbox', { name: 'A dialog is open' })).not.toBeChecked()
    await expect(desk.getByRole('radio', { name: 'This company’s' })).toBeChecked()
    await expect(desk.getByRole('radio', { name: 'Granted' })).toBeChecked()

    await desk.getByRole('button', { name: 'Fix everything' }).press('Escape')
    await expect(desk).toHaveCount(0)
    await expect(window.getByRole('main')).toBeFocused()

    const opener = window.getByRole('button', { name: 'Sample service' })
    await opener.press('Enter')
    await desk.getByRole('button', { name: 'Close sample desktop' }).press('Enter')
    await expect(opener).toBeFocused()
  },
)

test(
  'an online company has only its authorization, and a denial has a message',
  { tag: '@deep' },
  async ({ window }) => {
    await explore(window)
    const desk = await openDesktop(window)
    await desk.getByRole('combobox', { name: 'Company', exact: true }).click()
    await window.getByRole('option', { name: /Hollis & Vane/ }).click()
    await expect(desk.getByRole('checkbox', { name: 'Late entry' })).toBeVisible()
    await expect(desk.getByRole('checkbox')).toHaveCount(1)
    await desk.getByRole('radio', { name: 'Denied' }).check()
    await expect(desk.getByRole('status')).toHaveText(
      'Something is wrong at Hollis & Vane Landscape Architects.',
    )

    await companyRow(window, /Hollis & Vane/)
      .getByText('Hollis & Vane')
      .dblclick()
    await window.getByRole('link', { name: 'Records' }).click()
    await askForRecords(window)
    await expect(window.getByRole('alert').filter({ hasText: 'Authorize it again.' }).first()).toBeVisible()
  },
)

test(
  'a request that waits for an authorization continues once it is granted',
  { tag: '@deep' },
  async ({ window }) => {
    await explore(window)
    await openCustomers(window)
    const desk = await openDesktop(window)
    await desk.getByRole('radio', { name: 'Pending' }).check()
    await askForRecords(window)
    const doing = window.getByRole('status', { name: 'What the service is doing' })
    await expect(doing).toContainText('Reading customers')
    await expect(window.getByRole('button', { name: 'Stop', exact: true }).first()).toBeVisible()
    await desk.getByRole('radio', { name: 'Granted' }).check()
    await expect(window.getByRole('status', { name: 'What was read' })).toContainText('the whole list')
  },
)

test(
  'a late entry changes last month’s report, and a reset removes both',
  { tag: '@deep' },
  async ({ window }) => {
    await explore(window)
    await companyRow(window, 'Alder & Finch Builders').dblclick()
    await window.getByRole('link', { name: 'Reports' }).click()
    await window.getByRole('button', { name: 'Run', exact: true }).click()
    const report = window.getByRole('treegrid').or(window.getByRole('table'))
    await expect(report.first()).toBeVisible()
    const net = report
      .first()
      .getByRole('row', { name: /^Net income/i })
      .last()
    const before = await net.textContent()
    const desk = await openDesktop(window)
    const late = desk.getByRole('checkbox', { name: 'Late entry' })
    await late.check()
    await window.getByRole('button', { name: 'Run', exact: true }).click()
    await expect(net).not.toHaveText(before ?? '')
    await desk.getByRole('button', { name: 'Reset the sample' }).click()
    const asked = window.getByRole('alertdialog', { name: 'Reset the sample' })
    await expect(asked).toBeVisible()
    expect(await seriousViolations(window)).toEqual([])
    await asked.getByRole('button', { name: 'Reset the sample' }).click()
    await expect(companyRows(window)).toHaveCount(3)
    await companyRow(window, 'Alder & Finch Builders').dblclick()
    await window.getByRole('link', { name: 'Reports' }).click()
    await expect(window.getByRole('button', { name: 'Run', exact: true })).toBeVisible()
    await expect(report).toHaveCount(0)
    await expect(late).not.toBeChecked()
  },
)

test(
  'edits and the first day survive a restart, and a reset starts over after a confirmation',
  { tag: '@deep' },
  async ({ program }) => {
    test.slow()
    const env = { BOOKBRIDGE_SAMPLE_TODAY: FIRST_DAY }
    let { window } = await program.start({ env })
    await explore(window)
    await openCustomers(window)
    await askForRecords(window)
    await expect(window.getByRole('status', { name: 'What was read' })).toContainText('the whole list')
    const before = (await phone(window).textContent()) ?? ''
    await phone(window).click()
    await window.keyboard.type('(415) 555-0142')
    await window.keyboard.press('Enter')
    await window.getByRole('button', { name: /^Send/ }).last().click()
    await expect(window.getByText(/1 saved/i).first()).toBeVisible()
    await program.stop()

    ;({ window } = await program.start({ env: { BOOKBRIDGE_SAMPLE_TODAY: undefined } }))
    await openCustomers(window)
    await askForRecords(window)
    await expect(phone(window)).toHaveText('(415) 555-0142')
    const desk = await openDesktop(window)
    await expect(desk).toContainText('Dates are counted from Mar 31, 2026')

    await desk.getByRole('button', { name: 'Reset the sample' }).click()
    const asked = window.getByRole('alertdialog', { name: 'Reset the sample' })
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await askForRecords(window)
    await expect(phone(window)).toHaveText('(415) 555-0142')

    await phone(window).click()
    await window.keyboard.type('(415) 555-0155')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('radio', { name: /^Changes 1/ })).toBeVisible()

    await desk.getByRole('button', { name: 'Reset the sample' }).click()
    await asked.getByRole('button', { name: 'Reset the sample' }).click()
    await expect(companyRows(window)).toHaveCount(3)
    await expect(desk).toContainText('Dates are counted from')
    await expect(desk).not.toContainText('Mar 31, 2026')
    await openCustomers(window)
    await askForRecords(window)
    await expect(phone(window)).toHaveText(before)
    await expect(window.getByRole('radio', { name: /^Changes 0/ })).toBeVisible()
  },
)
