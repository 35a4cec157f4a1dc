// A day in Records with a service that differs from the sample, using the keyboard and names: unusual IDs, values as
// JSON, and errors as strings.
import { expect, test } from '../fixture.ts'
import { OrchardService } from '../support/orchard-service.ts'
import { cell, count, customers, getRecords, openBooks } from './steps.ts'

const id = (index: number): string => `8000/${String(index)}&amp;ü=&#39;+ %`

test(
  'records with unusual IDs and values are edited, filtered, flagged, sent, and explained; dropped files and the palette work like the buttons',
  { tag: '@deep' },
  async ({ window }) => {
    const orchard = await OrchardService.start()
    try {
      await window.setViewportSize({ width: 1366, height: 768 })
      await window.getByRole('textbox', { name: 'Name' }).fill('Orchard')
      await window.getByRole('textbox', { name: 'Address' }).fill(orchard.url)
      await window.getByLabel('API key', { exact: true }).fill(orchard.key)
      await window.getByRole('button', { name: 'Connect' }).click()
      await window.getByRole('grid', { name: 'Companies' }).getByText('Kōwhai').first().dblclick()
      await window.getByRole('link', { name: 'Records' }).click()
      await getRecords(window)
      const toolbar = window.getByRole('toolbar', { name: 'List and changes' })
      const send = window.getByRole('button', { name: /^Send 4 changes to Kōwhai & Söhne \(Desktop\)$/ })

      await test.step('cells accept text, and selected ones are marked', async () => {
        await cell(window, id(1), 'Phone').click()
        await window.keyboard.type('123')
        await window.keyboard.press('Enter')
        await window.keyboard.press('Shift+ArrowDown')
        await window.keyboard.press('Shift+ArrowDown')
        await expect(customers(window).getByRole('gridcell', { selected: true })).toHaveCount(3)
        await cell(window, id(2), 'Name').click()
        await window.keyboard.type('Grower!')
        await window.keyboard.press('Enter')
        await cell(window, id(3), 'IsActive').click()
        await window.keyboard.press('Space')
        await cell(window, id(4), 'Terms').click()
        await window.keyboard.type('Net 77')
        await window.keyboard.press('Enter')
      })

      await test.step('a column is filtered by keyboard', async () => {
        await cell(window, id(5), 'Phone').click()
        await window.keyboard.press('Alt+ArrowDown')
        await window.getByRole('form', { name: 'Filter Phone' }).getByRole('textbox').fill('+64 9')
        await window.keyboard.press('Enter')
        await expect(window.getByRole('status').filter({ hasText: '1 of 40 shown' })).toBeVisible()
        await window.getByRole('button', { name: 'Remove filter: Phone contains “+64 9”' }).click()
      })

      await test.step('one row of controls is enough, and the review points out what is unusual', async () => {
        const box = await toolbar.boundingBox()
        expect(box?.height).toBeLessThan(56)
        await window.keyboard.press('Control+k')
        await window.getByRole('combobox', { name: 'Find or go to…' }).fill('review')
        await window.keyboard.press('Enter')
        const review = window.getByRole('complementary', { name: 'Review' })
        await expect(review).toContainText('Grower 03 would be made inactive with a balance of 30.75.')
        await expect(review).toContainText('Grower 04 uses terms “Net 77”, which no other record uses.')
        await expect(send).toBeVisible()
      })

      await test.step('a refusal shows the service’s reason under its cell', async () => {
        await send.click()
        await expect(window.getByText('3 saved, 1 not accepted').first()).toBeVisible()
        await window.getByRole('button', { name: 'Why' }).click()
        await expect(window.getByRole('group', { name: /^Not accepted/ })).toContainText(
          'The name has a sign that is not allowed',
        )
        await window.keyboard.press('Escape')
        // Saved rows are no longer counted but still shown, and all rows have the same height at any size.
        await expect(window.getByRole('radio', { name: 'Changes 1' })).toBeChecked()
        const heights = (): Promise<readonly number[]> =>
          window
            .locator('.ag-row[row-id]')
            .evaluateAll((rows) => [...new Set(rows.map((row) => row.clientHeight))])
        const size = window.viewportSize()
        for (const small of [{ width: 683, height: 400 }, size, { width: 900, height: 700 }]) {
          if (small) await window.setViewportSize(small)
          await expect.poll(heights).toHaveLength(1)
        }
        // The panel goes under the rows, not over them.
        await expect(window.getByRole('complementary', { name: 'Review' })).toHaveCSS('position', 'static')
        if (size) await window.setViewportSize(size)
        expect(JSON.stringify(orchard.written)).toContain('{"ID":"8000/3&ü=\'+ %","IsActive":false}')
        await window.getByRole('button', { name: 'Back to list' }).click()
      })

      await test.step('the history of the record leads to everything that was sent with it', async () => {
        await cell(window, id(4), 'Terms').click()
        await window.keyboard.press('Control+Shift+H')
        const history = window.getByRole('dialog', { name: 'History' })
        await history.getByRole('row').nth(1).click()
        await history.getByRole('button', { name: 'Show the whole batch' }).click()
        await expect(history).toContainText('Grower 03')
        await window.keyboard.press('Escape')
      })

      await test.step('a field that the application no longer accepts: the draft is kept, explained, and held back', async () => {
        await cell(window, id(6), 'Phone').click()
        await window.keyboard.type('777')
        await window.keyboard.press('Enter')
        orchard.taken = orchard.taken.filter((name) => name !== 'Phone')
        await getRecords(window)
        const phone = cell(window, id(6), 'Phone')
        await expect(cell(window, id(6), 'outcome')).toContainText('Phone')
        await expect(phone).toHaveText('777')
        await cell(window, id(7), 'Phone').click()
        await window.keyboard.type('8')
        await expect(window.getByText(/doesn’t support this field/).first()).toBeVisible()
        expect(await count(window, 'Problems')).toBe(2)
        await phone.click()
        await window.keyboard.press('Control+Shift+Backspace')
        await expect(phone).not.toHaveText('777')
      })

      await test.step('a dropped file works like Import…', async () => {
        const data = await window.evaluateHandle(() => {
          const transfer = new DataTransfer()
          transfer.items.add(new File(['Full name,Email\nGrower 06,six@here.example\n'], 'emails.csv'))
          return transfer
        })
        await customers(window).dispatchEvent('drop', { dataTransfer: data })
        const dialog = window.getByRole('dialog', { name: 'Import' })
        await expect(dialog).toContainText('emails.csv')
        await dialog.getByRole('button', { name: 'Continue' }).press('Enter')
        await expect(dialog.getByRole('button', { name: 'Add 1 draft' })).toBeVisible()
      })
    } finally {
      await orchard.close()
    }
  },
)

test(
  'a misspelled list name suggests the intended one, and isn’t remembered',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    const lists = window.getByRole('combobox', { name: 'List' })
    await lists.fill('Vendros')
    await window.keyboard.press('Enter')
    await window.getByRole('button', { name: 'Get records' }).click()
    await window.getByRole('button', { name: 'Did you mean Vendors?' }).click()
    await expect(lists).toHaveValue('Vendors')
    await getRecords(window)
    await lists.click()
    await expect(window.getByRole('option', { name: 'Vendors' })).toBeVisible()
    await expect(window.getByRole('option', { name: 'Vendros' })).toHaveCount(0)
  },
)
