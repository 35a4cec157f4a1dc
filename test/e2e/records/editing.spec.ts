// Many cells at once, with the keyboard, as in a spreadsheet: selecting, filling, setting, pasting, finding, and
// filtering.
import type { Page } from '@playwright/test'
import { expect, type Service, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { copied, paste } from './clipboard-steps.ts'
import { cell, count, customers, getRecords, openBooks, requestByOther, rowIdAt, type } from './steps.ts'

/** Number of rows, once the list has everything that the service has. */
async function allRows(window: Page, service: Service): Promise<number> {
  const { Contents } = JSON.parse(await requestByOther(service, 'GET')) as {
    readonly Contents: readonly unknown[]
  }
  await expect.poll(() => count(window, 'All')).toBe(Contents.length)
  return Contents.length
}

test('cells are selected by keyboard, copied in spreadsheet format, filled, cleared, and undone', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const rowIds = [await rowIdAt(window, 0), await rowIdAt(window, 1), await rowIdAt(window, 2)]
  const phones = rowIds.map((rowId) => cell(window, rowId, 'Phone'))
  const before = await Promise.all(phones.map((phone) => phone.textContent()))
  await phones[0]?.click()
  await window.keyboard.press('Shift+ArrowDown')
  await window.keyboard.press('Shift+ArrowDown')
  await window.keyboard.press('Shift+ArrowRight')
  await expect(window.getByText('6 cells selected').first()).toBeAttached()
  await expect(customers(window).locator('.cell-chosen')).toHaveCount(6)
  const copiedBlock = await copied(window)
  expect(copiedBlock.html).toContain(`mso-number-format:"\\@"`)
  const block = copiedBlock.text
    .replace(/\r\n$/, '')
    .split('\r\n')
    .map((line) => line.split('\t'))
  expect(block.map(([phone]) => phone)).toEqual(before)
  expect(block.every((line) => line.length === 2)).toBe(true)

  await window.keyboard.press('Shift+ArrowLeft')
  await window.keyboard.press('Control+d')
  for (const phone of phones) await expect(phone).toHaveText(before[0] ?? '')
  await window.keyboard.press('Control+z')
  await expect(phones[2] ?? customers(window)).toHaveText(before[2] ?? '')

  await phones[0]?.click()
  await phones[2]?.click({ modifiers: ['Shift'] })
  await window.keyboard.press('Delete')
  for (const phone of phones) await expect(phone).toHaveText('')
  expect(await count(window, 'Changes')).toBe(3)
  await window.keyboard.press('Control+Shift+Backspace')
  expect(await count(window, 'Changes')).toBe(0)

  // Typing and Ctrl+Enter fills the whole selection. A balance explains why it can't be changed.
  await window.keyboard.type('(415) 555-0100')
  await window.keyboard.press('Control+Enter')
  for (const phone of phones) await expect(phone).toHaveText('(415) 555-0100')

  // Down the column: type, arrow, type. After F2, arrow keys move within the text.
  await phones[0]?.click()
  for (const typed of ['111', '222', '333']) {
    await window.keyboard.type(typed)
    await window.keyboard.press(typed === '333' ? 'Enter' : 'ArrowDown')
  }
  for (const [at, text] of ['111', '222', '333'].entries()) {
    await expect(cell(window, rowIds[at] ?? '', 'Phone')).toHaveText(text)
  }
  // Tab moves along the row, with or without typing. Enter returns below the cell where it began. An arrow key
  // continues from the cell that Tab reached.
  const focused = customers(window).locator('.ag-cell-focus')
  await phones[0]?.click()
  await window.keyboard.press('Shift+Tab')
  await expect(phones[0] ?? customers(window)).not.toHaveClass(/ag-cell-focus/)
  await window.keyboard.press('Tab')
  await window.keyboard.type('111')
  await window.keyboard.press('Tab')
  await window.keyboard.type('first@example.com')
  await window.keyboard.press('Enter')
  await expect(cell(window, rowIds[0] ?? '', 'Email')).toHaveText('first@example.com')
  await expect(phones[1] ?? customers(window)).toHaveClass(/ag-cell-focus/)
  await window.keyboard.type('222')
  await window.keyboard.press('Tab')
  await window.keyboard.press('ArrowUp')
  await expect(cell(window, rowIds[0] ?? '', 'Email')).toHaveClass(/ag-cell-focus/)
  await window.keyboard.press('Control+End')
  await expect(focused).not.toHaveAttribute('col-id', 'Email')
  // From the last cell of the list, Tab leaves the grid and comes back to it. From a row's last cell, it moves to the
  // next row.
  await window.keyboard.press('Tab')
  await expect(customers(window).locator(':focus')).toHaveCount(0)
  await window.keyboard.press('Shift+Tab')
  await expect(focused).toBeFocused()
  await window.keyboard.press('Control+Home')
  await expect(cell(window, rowIds[0] ?? '', 'Name')).toHaveClass(/ag-cell-focus/)
  await window.keyboard.press('End')
  await window.keyboard.press('Tab')
  await expect(cell(window, rowIds[1] ?? '', 'Name')).toBeFocused()
  await expect(window.locator('.ag-grid-viewport')).toHaveJSProperty('scrollLeft', 0)
  await window.keyboard.press('Shift+Tab')
  const leaving = [
    { keys: ['F6'], back: 'Shift+F6' },
    { keys: ['Shift+F6'], back: 'F6' },
    { keys: ['Escape', 'Tab'], back: 'Shift+Tab' },
    { keys: ['Escape', 'Shift+Tab'], back: 'Tab' },
  ]
  for (const { keys, back } of leaving) {
    for (const key of keys) await window.keyboard.press(key)
    await expect(customers(window).locator(':focus')).toHaveCount(0)
    await window.keyboard.press(back)
    await expect(focused).toBeFocused()
  }
  await window.keyboard.press('Home')
  await expect(cell(window, rowIds[0] ?? '', 'Name')).toHaveClass(/ag-cell-focus/)

  // A second line is kept when the text is edited again. Cut is one step for Undo.
  await phones[0]?.click()
  for (const key of ['F2', 'Alt+Enter', 'b', 'Enter']) await window.keyboard.press(key)
  await phones[0]?.click()
  for (const key of ['F2', 'Control+End', '!', 'Enter']) await window.keyboard.press(key)
  await phones[0]?.click()
  expect((await copied(window)).text).toBe('"111\nb!"\r\n')
  await window.keyboard.press('Control+x')
  await expect(phones[0] ?? customers(window)).toHaveText('')
  await window.keyboard.press('Control+z')
  await expect(phones[0] ?? customers(window)).toContainText('111')
  // An edited cell at the edge is scrolled into view.
  const active = cell(window, rowIds[0] ?? '', 'IsActive')
  const whole = await active.boundingBox()
  const middle = Math.round((whole?.x ?? 0) + (whole?.width ?? 0) / 2)
  await window.setViewportSize({ width: middle, height: 800 })
  const isCut = async (): Promise<boolean> => {
    const [cellBox, grid] = [await active.boundingBox(), await customers(window).boundingBox()]
    return !cellBox || !grid || cellBox.x + cellBox.width > grid.x + grid.width
  }
  await active.click({ position: { x: 6, y: 6 } })
  expect(await isCut()).toBe(true)
  await window.keyboard.press('F2')
  await expect.poll(isCut).toBe(false)
  await window.keyboard.press('Escape')
  await cell(window, rowIds[0] ?? '', 'Balance').click()
  await window.keyboard.press('Shift+ArrowDown')
  await window.keyboard.press('Delete')
  await expect(
    window.getByText(/2 cells were left as they are.*enter this only for a new record/).first(),
  ).toBeVisible()
})

test('pasting a large block previews its changes, and adds the rows beyond the last one', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const total = await allRows(window, service)
  const [first, second] = [await rowIdAt(window, 0), await rowIdAt(window, 1)]
  await cell(window, first, 'Phone').click()
  await paste(window, 'a\tone@example.com\r\n"b\tc"\ttwo@example.com\r\n')
  await expect(cell(window, second, 'Phone')).toHaveText('b\tc')
  await window.keyboard.press('Control+z')
  expect(await count(window, 'Changes')).toBe(0)

  await cell(window, first, 'Name').first().click()
  await paste(window, Array.from({ length: 14 }, (_, at) => `New ${String(at)}\tx`).join('\n'))
  const dialog = window.getByRole('dialog', { name: 'Paste' })
  await expect(dialog.getByRole('status')).toContainText(/28 cells change/)
  expect(await seriousViolations(window)).toEqual([])
  await dialog.getByRole('radio', { name: 'As new records' }).check()
  await expect(dialog.getByRole('status')).toContainText('14 new records are added')
  await dialog.getByRole('button', { name: 'Paste' }).click()
  expect(await count(window, 'New')).toBe(14)
  expect(await count(window, 'All')).toBe(total + 14)
  await window.keyboard.press('Control+z')
  expect(await count(window, 'New')).toBe(0)
  expect(await count(window, 'All')).toBe(total)
  await window.keyboard.press('Control+y')
  expect(await count(window, 'New')).toBe(14)
  await window.getByRole('radio', { name: /^New/ }).check({ force: true })
  await window.keyboard.press('Control+z')
  // The chip has no rows anymore, so the whole list is shown again.
  await expect(window.getByRole('radio', { name: /^All/ })).toBeChecked()

  // A block that begins on a new record continues in new ones, in order, and doesn't overwrite a record below.
  await window.getByRole('button', { name: 'New customer' }).click()
  await expect(customers(window).locator('.row-new [col-id="Name"]')).toBeFocused()
  await paste(window, 'Ash\r\nBirch\r\nCedar\r\n')
  await expect(customers(window).locator('.row-new [col-id="Name"]')).toHaveText(['Ash', 'Birch', 'Cedar'])
  expect(await count(window, 'Changes')).toBe(3)
})

test('text is found and replaced in the visible columns, and rows are filtered by amounts, values, or texts, by keyboard', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const first = await rowIdAt(window, 0)
  const shownRows = window.getByRole('group', { name: 'Filters' }).getByRole('status')
  const openFilter = async (column: string, name: string) => {
    await cell(window, first, column).click()
    await window.keyboard.press('Alt+ArrowDown')
    return window.getByRole('form', { name: `Filter ${name}` })
  }

  await test.step('amounts', async () => {
    const filter = await openFilter('Balance', 'Balance')
    await filter.getByRole('radio', { name: 'Greater than' }).check()
    await filter.getByRole('textbox', { name: 'Amount' }).fill('much')
    await window.keyboard.press('Enter')
    await expect(filter.getByRole('alert')).toHaveText('Enter an amount, such as 1,234.50.')
    await filter.getByRole('textbox', { name: 'Amount' }).fill('1,000')
    expect(await seriousViolations(window)).toEqual([])
    await window.keyboard.press('Enter')
    await expect(
      window.getByRole('button', { name: 'Remove filter: Balance is greater than 1,000.00' }),
    ).toBeVisible()
    const balances = await customers(window).locator('.ag-row[row-id] [col-id="Balance"]').allTextContents()
    expect(balances.length).toBeGreaterThan(0)
    for (const balance of balances) expect(Number(balance.replace(/[^\d.-]/g, ''))).toBeGreaterThan(1_000)
    await window.getByRole('button', { name: /^Remove filter: Balance/ }).click()
  })

  await test.step('values, with their counts', async () => {
    const filter = await openFilter('Terms', 'Terms')
    await filter.getByRole('radio', { name: 'Is one of these values' }).check()
    const values = filter.getByRole('group', { name: 'Values' })
    await expect(values.getByRole('checkbox', { name: 'Select all' })).toBeVisible()
    await filter.getByRole('searchbox', { name: 'Search values' }).fill('net 30')
    await expect(values.getByRole('checkbox')).toHaveCount(2)
    await values.getByRole('checkbox', { name: 'Net 30' }).check()
    expect(await seriousViolations(window)).toEqual([])
    await window.keyboard.press('Enter')
    await expect(window.getByRole('button', { name: 'Remove filter: Terms is Net 30' })).toBeVisible()
    await expect(shownRows).toContainText(/[1-9]\d* of \d+ shown/)
    const terms = await customers(window).locator('.ag-row[row-id] [col-id="Terms"]').allTextContents()
    expect(new Set(terms.map((text) => text.trim()))).toEqual(new Set(['Net 30']))
    await window.getByRole('button', { name: /^Remove filter: Terms/ }).click()
    await expect(window.getByRole('group', { name: 'Filters' })).toBeHidden()
  })

  await test.step('found and replaced; active filters are listed above the grid', async () => {
    await cell(window, first, 'Phone').click()
    await window.keyboard.press('Control+h')
    const find = window.getByRole('search', { name: 'Find and replace' })
    await find.getByRole('textbox', { name: 'Find' }).fill('(415)')
    await expect(find.getByRole('status')).toContainText(/cells?$/)
    await find.getByRole('combobox', { name: 'In' }).selectOption({ label: 'Phone' })
    // The matches are marked, and most the current one.
    const matches = customers(window).locator('.cell-match')
    const current = customers(window).locator('.cell-current-match')
    await expect(matches.filter({ hasText: '(415)' })).not.toHaveCount(0)
    await expect(matches.filter({ hasNotText: '(415)' })).toHaveCount(0)
    await expect(current).toHaveCount(0)
    await find.getByRole('button', { name: 'Next' }).click()
    await expect(current).toHaveText(/^\(415\)/)
    const firstMatch = await current.textContent()
    await find.getByRole('button', { name: 'Next' }).click()
    await expect(current).not.toHaveText(firstMatch ?? '')
    expect(await seriousViolations(window)).toEqual([])
    await find.getByRole('textbox', { name: 'Replace with' }).fill('(628)')
    await find.getByRole('button', { name: 'Replace all' }).click()
    await expect(find.getByRole('status')).toHaveText(/^\d+ replaced$/)
    expect(await count(window, 'Changes')).toBeGreaterThan(0)
    await expect(matches).toHaveCount(0)
    await window.keyboard.press('Escape')
    await window.keyboard.press('Control+z')
    expect(await count(window, 'Changes')).toBe(0)

    // If several cells are selected, only these are changed. The line below the grid counts them.
    await cell(window, first, 'Phone').click()
    await window.keyboard.press('Shift+ArrowDown')
    await expect(window.getByText('Count 2', { exact: true })).toBeVisible()
    await window.keyboard.press('Control+h')
    await expect(find.getByRole('combobox', { name: 'In' })).toHaveValue(/selected/)
    await find.getByRole('textbox', { name: 'Find' }).fill('(')
    await find.getByRole('textbox', { name: 'Replace with' }).fill('[')
    await expect(find.getByRole('status')).toHaveText('2 cells')
    await find.getByRole('button', { name: 'Replace all' }).click()
    await expect(find.getByRole('status')).toHaveText('2 replaced')
    expect(await count(window, 'Changes')).toBe(2)
    await window.keyboard.press('Escape')
    await window.keyboard.press('Control+z')
    expect(await count(window, 'Changes')).toBe(0)

    await window.keyboard.press('Control+Home')
    await cell(window, first, 'Phone').click()
    await window.keyboard.press('Alt+ArrowDown')
    const filter = window.getByRole('form', { name: 'Filter Phone' })
    await filter.getByRole('textbox').fill('(415)')
    expect(await seriousViolations(window)).toEqual([])
    await window.keyboard.press('Enter')
    const chip = window.getByRole('button', { name: 'Remove filter: Phone contains “(415)”' })
    await expect(chip).toBeVisible()
    const shown = customers(window).locator('.ag-row[row-id] [col-id="Phone"]')
    await expect(shown.first()).toContainText('(415)')
    await chip.click()
    await expect(chip).toBeHidden()

    await cell(window, first, 'Phone').click()
    await window.keyboard.press('Shift+F10')
    const menu = window.getByRole('menu', { name: 'Cells' })
    await expect(menu.getByRole('menuitem', { name: /^History…/ })).toBeVisible()
    await menu.getByRole('menuitem', { name: /^Set value…/ }).click()
    const dialog = window.getByRole('dialog', { name: 'Set value' })
    // Enter in an empty box clears nothing. A reverted row has its previous values.
    await window.keyboard.press('Enter')
    await expect(dialog.getByRole('button', { name: 'Clear 1 cell' })).toBeVisible()
    expect(await seriousViolations(window)).toEqual([])
    await dialog.getByRole('textbox', { name: 'Value' }).fill('(415) 555-0199')
    await window.keyboard.press('Enter')
    await expect(cell(window, first, 'Phone')).toHaveText('(415) 555-0199')
    await cell(window, first, 'Phone').click()
    await window.getByRole('button', { name: 'More', exact: true }).click()
    await window.getByRole('menuitem', { name: 'Revert row' }).click()
    await expect(cell(window, first, 'Phone')).not.toHaveText('(415) 555-0199')
    await cell(window, first, 'Phone').click()
    await window.keyboard.press('Control+z')
    await expect(cell(window, first, 'Phone')).toHaveText('(415) 555-0199')
    expect(await count(window, 'Changes')).toBe(1)
  })
})

test(
  'a list can be limited to the fields that every application accepts, and back; the review marks changes that undo others',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await getRecords(window)
    const rowId = await rowIdAt(window, 0)
    await window.getByRole('button', { name: 'More', exact: true }).click()
    await window.getByRole('menuitem', { name: 'Columns…' }).click()
    const dialog = window.getByRole('dialog', { name: 'Columns of Customers' })
    await dialog.getByRole('checkbox', { name: 'Desktop' }).check()
    await dialog.getByRole('checkbox', { name: 'Online' }).check()
    await expect(dialog.getByRole('status')).toContainText(/^\d+ fields$/)
    expect(await seriousViolations(window)).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    const chip = window.getByRole('button', {
      name: 'Show all fields again: Only fields that Desktop and Online have',
    })
    await chip.click()
    await expect(chip).toBeHidden()
    const { requests } = (await service.control({})) as { requests: { path: string; query: string }[] }
    const asked = requests.filter(({ path }) => /\/v2\/meta\/customer/i.test(path)).map(({ query }) => query)
    expect(asked.at(-1)).toMatch(/^\??app=qbd&app=qbo&overlap=true$/)

    // Undoing sent values creates a draft that says what it is.
    await type(window, cell(window, rowId, 'Phone'), '(415) 555-0142')
    await window.getByRole('button', { name: /^Send 1 change/ }).click()
    await window.getByRole('button', { name: 'Undo…' }).click()
    const back = window.getByRole('dialog', { name: 'Undo changes' })
    await back.getByRole('button', { name: 'Review in Records' }).click()
    await expect(cell(window, rowId, 'outcome')).toContainText('Undoes a change')

    // However narrow the window, the old value is completely visible in the cell, beside or above the new one.
    await window.getByRole('button', { name: 'Back to list' }).click()
    await type(window, cell(window, rowId, 'Email'), 'accounts@example.com')
    await window.setViewportSize({ width: 900, height: 700 })
    await window.getByRole('button', { name: 'Review changes' }).click()
    const oldValue = (path: string) => async (): Promise<string> => {
      const change = cell(window, rowId, path)
      const [around, was] = await Promise.all(
        ['.cell-change', '.was'].map((part) => change.locator(part).boundingBox()),
      )
      if (!around || !was) return 'no change'
      const isWithin =
        was.x >= around.x &&
        was.y >= around.y &&
        was.x + was.width <= around.x + around.width &&
        was.y + was.height <= around.y + around.height
      return isWithin ? 'whole' : 'cut'
    }
    await expect.poll(oldValue('Phone')).toBe('whole')
    // At 200 %, too: few rows have two lines, and many rows one. The grid scrolls sideways, and the page doesn't.
    await window.setViewportSize({ width: 683, height: 400 })
    await expect.poll(oldValue('Phone')).toBe('whole')
    await expect.poll(oldValue('Email')).toBe('whole')
    const isCut = (text: Element): boolean =>
      text.scrollHeight > text.clientHeight || text.scrollWidth > text.clientWidth
    for (const part of ['.was', '.is'])
      expect(await cell(window, rowId, 'Email').locator(part).evaluate(isCut)).toBe(false)
    expect(await window.getByRole('main').evaluate(isCut)).toBe(false)
  },
)

test('names typed one after another become new records, and change no existing ones', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  await window.getByRole('button', { name: 'New customer' }).click()
  const fresh = customers(window).locator('.row-new [col-id="Name"]')
  await expect(fresh).toBeFocused()
  const names = ['Ash Interiors', 'Beech Joinery', 'Cedar Roofing']
  for (const name of names) {
    await window.keyboard.type(name)
    await window.keyboard.press('Enter')
  }
  await expect(fresh).toHaveText([...names, ''])
  await window.keyboard.type('Dogwood Landscapes')
  await window.keyboard.press('Tab')
  await window.keyboard.type('(415) 555-0100')
  await window.keyboard.press('Enter')
  await expect(fresh).toHaveText([...names, 'Dogwood Landscapes', ''])
  expect(await count(window, 'New')).toBe(4)
  expect(await count(window, 'Changes')).toBe(4)
  await expect(window.getByRole('button', { name: /^Send 4 changes/ })).toBeVisible()
  // An empty new row is removed when the focus leaves it. The next text goes into the row that was clicked, although
  // that row moves up.
  await type(window, cell(window, await rowIdAt(window, 6), 'Phone'), '(415) 555-0101')
  await expect(fresh).toHaveText([...names, 'Dogwood Landscapes'])
  expect(await count(window, 'Changes')).toBe(5)
})

test(
  'what is typed goes into the row that was clicked, although the rows move under the editor',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await getRecords(window)
    await window.getByRole('button', { name: 'New customer' }).click()
    await window.keyboard.type('Ash Interiors')
    await window.keyboard.press('Enter')
    await expect(customers(window).locator('.row-new')).toHaveCount(2)
    const [rowId, below] = [await rowIdAt(window, 5), await rowIdAt(window, 6)]
    const phone = cell(window, rowId, 'Phone')
    const phoneBelow = await cell(window, below, 'Phone').textContent()
    // As on a busy computer: the key arrives before the grid handles the click, which removes the empty row.
    await phone.evaluate((element) => {
      const { left, top } = element.getBoundingClientRect()
      const at = { bubbles: true, cancelable: true, composed: true, clientX: left + 9, clientY: top + 9 }
      for (const kind of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
        element.dispatchEvent(new PointerEvent(kind, at))
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { bubbles: true, cancelable: true, composed: true, key: '(' }),
      )
    })
    await expect(customers(window).locator('.row-new')).toHaveCount(1)
    await window.keyboard.type('415) 555-0199')
    await window.keyboard.press('Enter')
    await expect(phone).toHaveText('(415) 555-0199')
    await expect(cell(window, below, 'Phone')).toHaveText(phoneBelow ?? '')
    expect(await count(window, 'Changes')).toBe(2)
  },
)
