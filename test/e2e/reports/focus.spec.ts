/**
 * Reports with the keyboard alone: the focus moves on when an element disappears, and the palette offers the report's
 * commands.
 */
import { expect, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { companyOf, openReports, saved } from './steps.ts'

test('the focus is never lost, and the palette saves the report', async ({ window, program, service }) => {
  const company = await companyOf(service, 'qbd')
  await openReports(window, service, company)
  const keyboard = window.keyboard

  await test.step('Enter in Period selects the choice, and Enter again runs it, starting with the last month', async () => {
    const period = window.getByRole('combobox', { name: 'Period' })
    await expect(period).toHaveValue('Last month')
    await period.focus()
    await keyboard.type('Last quarter')
    await keyboard.press('Enter')
    await keyboard.press('Enter')
    await expect(window.getByRole('treegrid', { name: 'Profit and loss' })).toBeVisible()
  })

  await test.step('Escape in the chart returns to the report', async () => {
    await window.getByRole('button', { name: 'Show as table' }).focus()
    expect(await seriousViolations(window)).toEqual([])
    await keyboard.press('Escape')
    await expect(window.getByRole('complementary', { name: 'Chart' })).toBeHidden()
    await expect(window.getByRole('treegrid', { name: 'Profit and loss' })).toBeFocused()
  })

  await test.step('the basis is asked for once, and the next report of these books shows it', async () => {
    await window.getByRole('button', { name: 'Basis not set' }).press('Enter')
    await window.getByRole('menuitem', { name: 'Accrual' }).press('Enter')
    await expect(window.getByText('Accrual basis')).toBeVisible()
    await expect.poll(() => window.evaluate(() => document.activeElement !== document.body)).toBe(true)
  })

  await test.step('a search without results says so, and Clear search starts over', async () => {
    await keyboard.press('Control+f')
    await keyboard.type('no such row')
    await expect(window.getByText('No row contains “no such row”.')).toBeVisible()
    await window.getByRole('button', { name: 'Clear search' }).click()
    const field = window.getByRole('searchbox', { name: 'Find in the report' })
    await expect(field).toBeFocused()
    await expect(field).toHaveValue('')
    await keyboard.press('Escape')
  })

  await test.step('the palette saves the report as a PDF', async () => {
    await keyboard.press('Control+k')
    await keyboard.type('print')
    await keyboard.press('Enter')
    expect(await saved(program, '.pdf')).toContain('Profit and loss')
  })
})
