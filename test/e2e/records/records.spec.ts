/**
 * Records with the keyboard, by roles and names, against a service on loopback: reading, editing, reviewing, and
 * sending.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '../fixture.ts'
import {
  askForRecords,
  cell,
  count,
  customers,
  dataRequests,
  getRecords,
  openBooks,
  rowIdAt,
  shortenDeadlines,
  type,
} from './steps.ts'

/** More characters than Desktop accepts for a phone number. */
const TOO_LONG = '(415) 555-0142 ext. 7731'

test('rows are sorted by name, and cells are edited like a spreadsheet’s, checked as the user types', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)

  await test.step('jobs are under their customer; a job whose customer is hidden shows its full name', async () => {
    await expect(window.getByRole('columnheader', { name: 'Name', exact: true })).toHaveAttribute(
      'aria-sort',
      'ascending',
    )
    const names = customers(window).locator('.ag-row[row-id] [col-id="Name"]')
    const job = names.filter({ hasText: /^Window replacement$/ }).first()
    await expect(job).toHaveClass(/depth-1/)
    const id = (await job.locator('xpath=ancestor::*[@row-id]').getAttribute('row-id')) ?? ''
    await window.getByRole('searchbox', { name: 'Search' }).fill('window replacement')
    await expect(cell(window, id, 'Name')).toHaveText(/^[^:]+:Window replacement$/)
    await window.getByRole('searchbox', { name: 'Search' }).fill('')
    await expect(cell(window, id, 'Name')).toHaveText('Window replacement')
  })

  await test.step('a reference accepts a suggested record by keyboard', async () => {
    const terms = cell(window, await rowIdAt(window, 0), 'Terms')
    const before = await terms.textContent()
    await terms.click()
    await window.keyboard.press('F2')
    await window.keyboard.press('Control+a')
    await window.keyboard.press('Delete')
    const options = window.getByRole('listbox', { name: 'Terms' }).getByRole('option')
    const other = options.filter({ hasNotText: before ?? '' }).first()
    const wanted = (await other.textContent())?.trim() ?? ''
    await window.keyboard.type(wanted)
    await window.keyboard.press('Enter')
    await expect(terms).toHaveText(wanted)
    await window.keyboard.press('Control+z')
    await expect(terms).toHaveText(before ?? '')
  })

  await test.step('changes are undone and redone', async () => {
    const rowId = await rowIdAt(window, 1)
    const phone = cell(window, rowId, 'Phone')
    const before = await phone.textContent()

    await type(window, phone, '(415) 555-0142')
    await expect(phone).toHaveClass(/cell-draft/)
    expect(await count(window, 'Changes')).toBe(1)

    await phone.click()
    await window.keyboard.press('Delete')
    await expect(phone).toHaveText('')
    await window.keyboard.press('Control+z')
    await expect(phone).toHaveText('(415) 555-0142')
    await window.keyboard.press('Control+z')
    await expect(phone).toHaveText(before ?? '')
    expect(await count(window, 'Changes')).toBe(0)
    await window.keyboard.press('Control+y')
    await expect(phone).toHaveText('(415) 555-0142')

    await phone.click()
    await window.keyboard.press('F2')
    await window.keyboard.type('9')
    await expect(phone.locator('textarea')).toHaveValue('(415) 555-01429')
    await window.keyboard.press('Escape')
    await expect(phone).toHaveText('(415) 555-0142')

    // The balance can only be set on a new record. Otherwise, the cell says so.
    await cell(window, rowId, 'Balance').click()
    await window.keyboard.type('5')
    await expect(window.getByText(/You can enter this only for a new record/).first()).toBeVisible()

    await window.getByRole('button', { name: 'New customer' }).click()
    const fresh = customers(window).locator('.row-new').first()
    await fresh.locator('[col-id="Balance"]').click()
    await window.keyboard.type('12,5x')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('alert').filter({ hasText: 'is not an amount' })).toBeVisible()
    await expect(fresh.locator('input')).toHaveValue('12,5x')
    await window.keyboard.press('Control+a')
    await window.keyboard.type('($1,250.50)')
    await window.keyboard.press('Enter')
    await expect(fresh.locator('[col-id="Balance"]')).toHaveText('\u22121,250.50')
    // A missing name is a problem, so the row doesn't count among those that can be sent.
    expect(await count(window, 'Problems')).toBe(1)
    await expect(window.getByRole('button', { name: /^Send 1 change to/ })).toBeEnabled()
  })

  await test.step('an account’s type is text, and is chosen from those in use', async () => {
    await window.getByRole('combobox', { name: 'List' }).fill('Accounts')
    await window.keyboard.press('Enter')
    await getRecords(window)
    const type = window.getByRole('grid', { name: 'Accounts' }).locator('[row-index="0"] [col-id="Type"]')
    await type.click()
    await window.keyboard.type('expens')
    await window
      .getByRole('listbox', { name: 'Type' })
      .getByRole('option', { name: 'Expense', exact: true })
      .click()
    await expect(type).toHaveText('Expense')
  })
})

test('the review shows old and new values, and only selected changes are sent', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const [first, second] = [await rowIdAt(window, 0), await rowIdAt(window, 1)]
  const before = await cell(window, first, 'Phone').textContent()
  await type(window, cell(window, first, 'Phone'), '(415) 555-0101')
  await type(window, cell(window, second, 'Phone'), '(415) 555-0102')

  // Another list may have been opened.
  await cell(window, second, 'Phone').click()
  await window.keyboard.press('End')
  await window.getByRole('button', { name: 'Review changes' }).click()
  await expect(window.getByRole('radio', { name: /^Changes/ })).toBeChecked()
  await expect(customers(window).locator('.ag-row[row-id]')).toHaveCount(2)
  await expect(cell(window, first, 'Phone')).toBeFocused()
  await expect(cell(window, first, 'Phone')).toBeInViewport()
  if (before) await expect(cell(window, first, 'Phone')).toContainText(before)
  await expect(cell(window, first, 'Phone')).toContainText('(415) 555-0101')

  await cell(window, second, 'tick').getByRole('checkbox').uncheck()
  await window.getByRole('button', { name: /^Send 1 change to Alder & Finch Builders \(Desktop\)$/ }).click()
  await expect(cell(window, first, 'outcome')).toContainText(/Saved/)
  await expect(cell(window, second, 'margin')).toContainText('draft')
  await window.getByRole('button', { name: 'Back to list' }).click()
  expect(await count(window, 'Changes')).toBe(1)
})

test('a refusal stays on its cell with the reason, and the draft is kept', async ({ window, service }) => {
  await openBooks(window, service)
  await getRecords(window)
  const rowId = await rowIdAt(window, 0)
  // Desktop takes at most 21 characters. The name is taken, which only needs a look.
  const second = await cell(window, await rowIdAt(window, 1), 'Name').innerText()
  await type(window, cell(window, rowId, 'Phone'), TOO_LONG)
  await type(window, cell(window, rowId, 'Name'), second.trim())
  const send = window.getByRole('button', { name: /^Send 1 change/ })
  // A warning leads to the review. Neither a second Enter nor a double-click sends.
  const review = window.getByRole('complementary', { name: 'Review' })
  await send.press('Enter')
  await expect(review.getByRole('heading').first()).toBeFocused()
  await expect(review).toContainText('has a name that already exists.')
  await window.getByRole('button', { name: 'Back to list' }).click()
  await send.dblclick()
  await expect(review).toContainText('Nothing has been sent yet.')
  await expect(cell(window, rowId, 'margin')).toContainText('warning')
  await window.keyboard.press('Escape')
  await type(window, cell(window, rowId, 'Name'), 'Abernathy Orchards Ltd')
  await send.click()
  await expect(cell(window, rowId, 'outcome')).toContainText('Not accepted')
  // As it is, it would be refused again: it isn't selected until it is corrected, or the user says so.
  const tick = cell(window, rowId, 'tick').getByRole('checkbox')
  const sendNone = window.getByRole('button', { name: 'Send changes to Alder & Finch Builders (Desktop)' })
  await expect(tick).not.toBeChecked()
  await expect(sendNone).toBeDisabled()
  await tick.check()
  await expect(send).toBeEnabled()
  await tick.uncheck()
  await window.getByRole('button', { name: 'Back to list' }).click()
  await expect(cell(window, rowId, 'Phone')).toHaveText(TOO_LONG)
  await expect(send).toHaveCount(0)
  expect(await count(window, 'Problems')).toBe(1)

  const why = cell(window, rowId, 'outcome').getByRole('button', { name: 'Why' })
  const callout = window.getByRole('group', { name: /^Not accepted/ })
  // However it was closed, it stays closed, and the focus is in the grid.
  for (const close of [
    () => window.keyboard.press('Escape'),
    () => callout.getByRole('button', { name: 'Close' }).click(),
  ]) {
    await why.click()
    await expect(callout.getByRole('button').first()).toBeFocused()
    await close()
    await expect(callout).toBeHidden()
    await expect(cell(window, rowId, 'outcome')).toBeFocused()
  }
  await why.click()
  await expect(callout).toContainText('Phone is too long.')
  await callout.getByRole('button', { name: 'Edit phone' }).click()
  await expect(cell(window, rowId, 'Phone').getByRole('textbox')).toBeFocused()
  await window.keyboard.press('Escape')
  await why.click()
  await callout.getByRole('button', { name: 'Details' }).click()
  await expect(callout).toContainText('RequestId')
  await callout.getByRole('button', { name: 'Revert row' }).click()
  await expect(cell(window, rowId, 'Phone')).not.toHaveText(TOO_LONG)
  expect(await count(window, 'Problems')).toBe(0)
})

test(
  'at 200 %, a review shows eight rows, and what was sent keeps its actions and the file in sight',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await getRecords(window)
    const rowIds = await Promise.all(Array.from({ length: 9 }, (_, row) => rowIdAt(window, row)))
    const [refused = ''] = rowIds
    await cell(window, refused, 'Phone').click()
    for (let row = 1; row < rowIds.length; row += 1) await window.keyboard.press('Shift+ArrowDown')
    await window.keyboard.type('(415) 555-0101')
    await window.keyboard.press('Control+Enter')
    await expect.poll(() => count(window, 'Changes')).toBe(9)
    await type(window, cell(window, refused, 'Phone'), TOO_LONG)
    await window.setViewportSize({ width: 683, height: 400 })
    await expect(window.locator('.top-bar').getByText('Alder Finch.qbw')).toBeInViewport()
    await window.getByRole('button', { name: 'Review changes' }).click()
    const send = window.getByRole('button', { name: /^Send 9 changes to/ })
    await expect(send).toBeInViewport()
    // In sight, and not only in part.
    for (const rowId of rowIds.slice(0, 8))
      await expect(cell(window, rowId, 'margin')).toBeInViewport({ ratio: 0.9 })

    await send.click()
    await expect(window.getByText('8 saved, 1 not accepted.')).toBeVisible()
    await expect(window.getByRole('button', { name: 'Undo…' })).toBeInViewport({ ratio: 1 })
    await window.getByRole('button', { name: 'More about what was sent' }).click()
    await expect(window.getByRole('menuitem')).toHaveText(['Show what was sent', 'Save a receipt (PDF)…'])
    await window.keyboard.press('Escape')
    await cell(window, refused, 'outcome').getByRole('button', { name: 'Why' }).click()
    const callout = window.getByRole('group', { name: /^Not accepted/ })
    await expect(callout.getByRole('button', { name: 'Revert row' })).toBeInViewport({ ratio: 1 })
    const [note, name] = await Promise.all([
      callout.boundingBox(),
      cell(window, refused, 'Name').boundingBox(),
    ])
    expect((name?.y ?? 0) + (name?.height ?? 0)).toBeLessThanOrEqual((note?.y ?? 0) + 1)
  },
)

test(
  'at 200 %, a review of several fields shows the new values in full, as the list does',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await getRecords(window)
    const [phone, email, terms] = [
      await rowIdAt(window, 0),
      await rowIdAt(window, 1),
      await rowIdAt(window, 2),
    ]
    await type(window, cell(window, phone, 'Phone'), TOO_LONG)
    // The column got wider.
    const cut = await cell(window, phone, 'Phone').evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return range.getBoundingClientRect().right - element.getBoundingClientRect().right
    })
    expect(cut).toBeLessThan(0)
    await type(window, cell(window, email, 'Email'), 'accounts@example.com')
    await type(window, cell(window, terms, 'Terms'), 'Net 33')
    await window.setViewportSize({ width: 683, height: 400 })
    await window.getByRole('button', { name: 'Review changes' }).click()
    // The panel says why this row isn't sent, so that the changes get the space of the outcomes.
    await expect(window.getByRole('complementary', { name: 'Review' })).toContainText('uses terms “Net 33”')
    await expect(cell(window, terms, 'outcome')).toHaveCount(0)
    await expect(cell(window, phone, 'Phone').locator('.is')).toBeInViewport({ ratio: 1 })
    await expect(cell(window, email, 'Email').locator('.is')).toBeInViewport({ ratio: 1 })
    await expect(cell(window, email, 'Email').locator('.was')).toBeInViewport({ ratio: 0.9 })

    await window.getByRole('button', { name: /^Send 2 changes to/ }).click()
    await expect(cell(window, email, 'outcome')).toContainText('Saved')
    await expect(cell(window, email, 'Email').locator('.was')).toBeVisible()
    const lines = await cell(window, email, 'Email')
      .locator('.is')
      .evaluate((element) => {
        return (
          element.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(element).lineHeight)
        )
      })
    expect(lines).toBeLessThan(2.5)
  },
)

test(
  'a row with terms that the company lacks isn’t sent, and the closest terms are suggested',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await getRecords(window)
    const [first, second] = [await rowIdAt(window, 0), await rowIdAt(window, 1)]
    await type(window, cell(window, first, 'Terms'), 'Net 33')
    await type(window, cell(window, second, 'Phone'), '(415) 555-0102')
    const review = window.getByRole('complementary', { name: 'Review' })
    await window.getByRole('button', { name: 'Review changes' }).click()
    // The review reads the list of terms to check the name.
    await expect(review).toContainText('1 change can’t be sent yet')
    await expect(review).toContainText('uses terms “Net 33”, which this company doesn’t have.')
    const reads = async () =>
      (await dataRequests(service, 'GET')).filter(({ path }) => path.endsWith('/terms')).length
    expect(await reads()).toBe(1)
    await expect(cell(window, first, 'tick').getByRole('checkbox')).toHaveCount(0)
    await expect(cell(window, first, 'outcome')).toContainText('No terms called “Net 33”')
    await window.getByRole('button', { name: /^Send 1 change to/ }).click()
    // One count of what is left: in the banner, its button, the chips, and the rail.
    await expect(window.getByText('1 saved, 1 not sent.')).toBeVisible()
    await expect(window.getByRole('button', { name: 'Show the problem' })).toBeVisible()
    expect(await count(window, 'Problems')).toBe(1)
    expect(await count(window, 'Changes')).toBe(1)
    await expect(window.getByRole('link', { name: 'Activity' })).toHaveAccessibleName(/ 1 unfinished$/)
    // It may have been added in the application meanwhile.
    await review.getByRole('button', { name: 'Check again' }).click()
    await expect.poll(reads).toBe(2)
    await review.getByRole('button', { name: 'Use Net 30' }).click()
    await expect(cell(window, first, 'Terms')).toContainText('Net 30')
    await expect(review).not.toContainText('can’t be sent yet')
    await window.getByRole('button', { name: /^Send 1 change to/ }).click()
    await expect(window.getByText('1 saved.', { exact: true })).toBeVisible()
    const sent = JSON.stringify((await dataRequests(service, 'PATCH')).map(({ body }) => body))
    expect(sent).toContain('Net 30')
    expect(sent).not.toContain('Net 33')
  },
)

test(
  'a change whose response was lost is not confirmed, then checked and found',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await shortenDeadlines(window)
    await getRecords(window)
    const rowId = await rowIdAt(window, 0)
    await type(window, cell(window, rowId, 'Phone'), '(415) 555-0177')
    await service.control({
      faults: [{ match: { method: 'PATCH' }, fault: { kind: 'drop', when: 'after' } }],
    })
    await window.getByRole('button', { name: /^Send 1 change/ }).click()
    await expect(cell(window, rowId, 'outcome')).toContainText(/Not confirmed|Saved/)
    // Reconciled by reading back, never by sending again.
    await expect.poll(() => count(window, 'Changes')).toBe(0)
    await expect(cell(window, rowId, 'Phone')).toHaveText('(415) 555-0177')
  },
)

test('drafts and new rows survive a kill, a refresh of the list, and more open lists than are kept', async ({
  program,
  service,
}) => {
  const { window } = await program.start()
  await openBooks(window, service)
  await getRecords(window)
  const rowId = await rowIdAt(window, 0)
  await type(window, cell(window, rowId, 'Phone'), '(415) 555-0188')
  // The full name of a new record is split into its parent and its name.
  const parent = (await cell(window, rowId, 'Name').innerText()).trim()
  await window.getByRole('button', { name: 'New customer' }).click()
  await window.keyboard.type(`${parent}:Porch`)
  await window.keyboard.press('Tab')
  await expect.poll(() => count(window, 'New')).toBe(1)
  // A kill right after typing may happen before the draft is on disk.
  const database = join(program.userData, 'bookbridge.sqlite')
  const isOnDisk = (): boolean =>
    [database, `${database}-wal`].some((file) => readFileSync(file, 'latin1').includes('Porch'))
  await expect.poll(isOnDisk).toBe(true)
  await program.kill()

  const { window: again } = await program.start()
  await again.getByRole('link', { name: 'Records' }).click()
  // The drafts are there before anything is read.
  await expect(cell(again, rowId, 'Phone')).toHaveText('(415) 555-0188')
  const fresh = customers(again).locator('.row-new [col-id="Name"]')
  await expect(fresh).toHaveText('Porch')
  await again.getByRole('button', { name: 'Review changes' }).click()
  await expect(customers(again).locator('.row-new [col-id="Parent"]')).toContainText(parent)
  await again.getByRole('button', { name: 'Back to list' }).click()
  expect(await count(again, 'Changes')).toBe(2)
  expect(await count(again, 'New')).toBe(1)
  // The rail says so.
  const books = again.getByRole('list', { name: 'Recent companies' }).locator('[aria-current="true"]')
  await expect(books).toHaveAttribute('title', /: 2 drafts$/)
  await getRecords(again)
  await expect(cell(again, rowId, 'Phone')).toHaveText('(415) 555-0188')

  const list = again.getByRole('combobox', { name: 'List' })
  for (const other of ['vendor', 'account', 'employee', 'item', 'class', 'invoice', 'bill', 'customer']) {
    await list.fill(other)
    await list.press('Enter')
    await expect(again).toHaveURL(new RegExp(`records/${other}$`))
    // The customers were read already.
    await expect(again.getByRole('button', { name: /^(Get records|Refresh)$/ })).toBeVisible()
  }
  await expect(cell(again, rowId, 'Phone')).toHaveText('(415) 555-0188')
  expect(await count(again, 'New')).toBe(1)
})

test(
  'an incomplete list says so, and so do records that share an ID',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await service.control({
      faults: [{ match: { method: 'GET', path: '/v2/data/' }, times: 0, fault: { kind: 'repeatedPage' } }],
    })
    await askForRecords(window)
    await expect(window.getByRole('status', { name: 'What was read' })).toContainText('not the whole list')

    const record = (ID: string, Name: string) => ({ Object: { ID, Name, Phone: '1' }, Errors: null })
    const Contents = [record('1', 'Ash'), record('1', 'Birch'), record('2', 'Cedar')]
    const text = JSON.stringify({ Contents, Errors: null, MoreData: false, HasErrors: false })
    const match = { method: 'GET', path: '/v2/data/' }
    await service.control({ clearFaults: true, faults: [{ match, times: 0, fault: { kind: 'body', text } }] })
    await askForRecords(window)
    await expect(customers(window).getByText('Birch')).toBeVisible()
    await expect(window.getByText(/^1 more record has an ID that is already in use \(1\)/)).toBeVisible()
    await cell(window, '1', 'Phone').click()
    await window.keyboard.type('5')
    await expect(window.getByText(/Several records share the ID 1/).first()).toBeVisible()
    await type(window, cell(window, '2', 'Phone'), '2')
    expect(await count(window, 'Changes')).toBe(1)
  },
)

test('more than ten changes are reviewed before they are sent, unless Settings says otherwise', async ({
  window,
  program,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const send = window.getByRole('button', { name: /^Send \d+ changes? to/ })
  const editFirst = async (many: number, value: string): Promise<void> => {
    for (let index = 0; index < many; index += 1) {
      await type(window, cell(window, await rowIdAt(window, index), 'Phone'), `${value}${index}`)
    }
  }
  await editFirst(11, '555-010')
  await send.click()
  await expect(window.getByRole('complementary', { name: 'Review' })).toContainText(
    'Nothing has been sent yet.',
  )
  await send.click()
  await expect(window.getByRole('status').filter({ hasText: '11 saved' }).first()).toBeVisible()
  await window.getByRole('button', { name: 'Save a receipt (PDF)…' }).click()
  await expect
    .poll(() => program.savedFiles())
    .toEqual([expect.stringMatching(/ - Receipt, Customers - .*\.pdf$/)])
  const receipt = readFileSync(join(program.saveDir, program.savedFiles()[0] ?? '')).toString('latin1')
  expect(receipt.startsWith('%PDF-')).toBe(true)
  // The review ends when there is nothing left to send.
  await expect(window.getByRole('complementary', { name: 'Review' })).toHaveCount(0)
  await expect(window.getByRole('radio', { name: /^All / })).toBeChecked()

  await window.getByRole('link', { name: 'Settings' }).click()
  await window.getByRole('link', { name: 'Sending and waiting', exact: true }).click()
  await window.getByRole('checkbox', { name: /^Always review before sending/ }).uncheck()
  await window.getByRole('button', { name: 'Save', exact: true }).click()
  await window.getByRole('link', { name: 'Records' }).click()
  await editFirst(11, '555-020')
  await send.click()
  await expect(window.getByRole('status').filter({ hasText: '11 saved' }).first()).toBeVisible()
  await expect(window.getByRole('complementary', { name: 'Review' })).toHaveCount(0)
})
