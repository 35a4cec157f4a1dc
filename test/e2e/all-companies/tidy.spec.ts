/**
 * **Tidy up**: kept lists are checked, proposals are selected with the keyboard, drafted, and sent, and others are
 * dismissed.
 */
import type { Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { COMPANY, dataRequests, getRecords, openBooks } from '../records/steps.ts'
import { seriousViolations } from '../support/access.ts'
import { call } from '../support/bridge.ts'
import { plainCompanies, PlainService } from '../support/plain-service.ts'

test('proposes over all companies, drafts what is checked, and hides what was dismissed', async ({
  window,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  const { currentId } = await call(window, 'connection.list', {})
  const { companies } = await call(window, 'companies.list', { connectionId: currentId ?? '' })
  const [, readOnly] = companies.filter(({ isActive }) => isActive)
  if (readOnly === undefined) throw new Error('There are two companies at least.')
  await call(window, 'companies.annotate', { company: readOnly.ref, notes: { readOnly: true } })

  // The lists that aren't kept are named, and read. The page is about several companies, so it has no company’s color.
  await expect(window.getByRole('main')).not.toHaveAttribute('data-band', 'none')
  await window.keyboard.press('Control+k')
  await window.getByRole('combobox', { name: 'Find or go to' }).fill('tidy up lists of all')
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'Tidy up', exact: true })).toBeVisible()
  await expect(window.getByRole('main')).toHaveAttribute('data-band', 'none')
  const footer = window.getByRole('region', { name: 'What was looked through' })
  await expect(footer).toContainText('kept yet')
  await footer.getByRole('button', { name: 'Read them now' }).press('Enter')
  await expect(footer).not.toContainText('kept yet')
  await expect(footer.getByRole('status')).toHaveCount(0)
  const why = window.getByText(`${readOnly.companyName} is read only`)
  await expect(why.filter({ hasText: 'Its proposals can’t be selected.' })).toBeVisible()
  expect(await seriousViolations(window)).toEqual([])

  // Phones: two are checked with the keyboard.
  const kinds = window.getByRole('radiogroup', { name: 'Kinds' })
  await kinds.getByRole('radio', { name: /^Phone number format/ }).check({ force: true })
  const phones = window.getByRole('grid', { name: 'Phone number format' })
  const rows = phones
    .getByRole('row')
    .filter({ has: window.getByRole('gridcell').getByRole('checkbox', { disabled: false }) })
  await rows.first().click()
  await expect(rows.first()).toContainText('→')
  await rows.first().press(' ')
  await window.keyboard.press('ArrowDown')
  await window.keyboard.press(' ')
  await expect(phones.getByRole('checkbox', { checked: true })).toHaveCount(2)
  expect(await seriousViolations(window)).toEqual([])

  // Duplicates: the user keeps the other record, and then dismisses the proposal.
  await kinds.getByRole('radio', { name: /^Likely duplicates/ }).check({ force: true })
  const duplicates = window.getByRole('grid', { name: 'Likely duplicates' })
  const going = duplicates.getByRole('row').filter({ hasText: 'renamed' }).first()
  const name = await going.getByRole('checkbox').getAttribute('aria-label')
  await going.click()
  const panel = window.getByRole('complementary', { name: name ?? '' })
  await expect(panel).toContainText('(duplicate)')
  // Side by side, with what differs marked.
  const beside = panel.getByRole('table', { name: 'Side by side' })
  await expect(beside.getByRole('columnheader')).toHaveText(['Stays', 'Goes inactive'])
  await expect(beside.getByRole('rowheader').first()).toHaveText(/^Name, differs$/)
  await panel.getByRole('button', { name: 'Keep this one instead' }).press('Enter')
  await expect(panel).toContainText('This one stays as it is.')
  expect(await seriousViolations(window)).toEqual([])
  await expect(panel.getByRole('button', { name: 'Not a problem' })).toBeVisible()
  await window.keyboard.press('n')
  await window.getByRole('radio', { name: 'Not a problem 1' }).check({ force: true })
  const dismissed = duplicates.getByRole('row').filter({ hasText: name ?? '' })
  await dismissed.first().click()
  await window.keyboard.press('u')
  await expect(window.getByText('Nothing marked as not a problem')).toBeVisible()
  await window.getByRole('radio', { name: 'To decide' }).check({ force: true })
  // The next row has the focus then.
  await going.click()
  await window.keyboard.press('n')
  await expect(window.getByRole('radio', { name: 'Not a problem 1' })).toBeAttached()
  await window.keyboard.press('n')
  await expect(window.getByRole('radio', { name: 'Not a problem 2' })).toBeAttached()

  // The drafts are reviewed and sent like any other change in several companies.
  await window.getByRole('button', { name: /^Prepare 2 changes in \d compan(y|ies)$/ }).press('Enter')
  const card = window.getByRole('article', { name: /^Tidy up, / })
  await expect(card.getByRole('rowheader').first()).toBeVisible()
  expect(await seriousViolations(window)).toEqual([])
  const before = (await dataRequests(service, 'PATCH')).length
  await card.getByRole('button', { name: /^Send 2 changes to \d compan(y|ies)$/ }).press('Enter')
  await expect(card.getByRole('progressbar', { name: /^2 of 2 saved/ })).toBeVisible()
  const sent = (await dataRequests(service, 'PATCH')).slice(before)
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.some(({ path }) => path.includes(readOnly.ref.endpointId))).toBe(false)

  // Enter opens the record in its list.
  await window.getByRole('radio', { name: 'To decide' }).check({ force: true })
  await kinds.getByRole('radio', { name: /^1099 vendors/ }).check({ force: true })
  const row = window.getByRole('grid', { name: '1099 vendors with missing details' }).getByRole('row').nth(1)
  await row.click()
  await window.keyboard.press('Enter')
  await expect(window.getByRole('grid', { name: 'Vendors' })).toBeVisible()
})

/** Opens it with the keyboard alone. */
async function openTidy(window: Page): Promise<void> {
  await window.keyboard.press('Control+k')
  await window.keyboard.type('tidy up lists of all')
  await expect(window.getByRole('option', { name: /^Tidy up/ }).first()).toBeVisible()
  await window.keyboard.press('Enter')
  await expect(window.getByRole('grid')).toBeVisible()
}

test(
  'works by keyboard alone, and a clicked row keeps the keyboard focus',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await getRecords(window)
    await openTidy(window)
    const phones = window.getByRole('grid', { name: 'Phone number format' })

    await test.step('from the palette to checkboxes, another kind, and drafts', async () => {
      const rows = phones.getByRole('row')
      await tabTo(window, 'row')
      await window.keyboard.press(' ')
      await expect(phones.getByRole('checkbox', { checked: true })).toHaveCount(1)
      await window.keyboard.press('ArrowDown')
      await window.keyboard.press(' ')
      await window.keyboard.press('End')
      await expect(rows.last()).toBeFocused()
      await window.keyboard.press(' ')
      await expect(window.getByRole('button', { name: 'Prepare 3 changes in 1 company' })).toBeVisible()
      // All proposals of a kind, and then none of them.
      await tabTo(window, 'checkbox', 'Shift+Tab')
      await window.keyboard.press(' ')
      await expect(window.getByRole('button', { name: /^Prepare \d\d changes in 1 company$/ })).toBeVisible()
      await window.keyboard.press(' ')
      await expect(window.getByRole('button', { name: 'Prepare changes' })).toBeDisabled()
      await tabTo(window, 'row')
      await window.keyboard.press('Home')
      await window.keyboard.press(' ')
      await tabTo(window, 'button', 'Shift+Tab', 'Prepare 1 change in 1 company')
      await window.keyboard.press('Enter')
      await expect(window.getByRole('article', { name: /^Tidy up, / })).toBeVisible()
    })
    await window.getByRole('link', { name: 'Records' }).click()
    await openTidy(window)

    await test.step('whatever columns or lists appear or disappear', async () => {
      const checked = phones.getByRole('checkbox', { checked: true })
      const row = phones.getByRole('row').filter({ has: window.getByRole('checkbox', { disabled: false }) })
      // The panel needs space, so the clicked column disappears.
      const company = row.first().getByRole('gridcell', { name: COMPANY, exact: true })
      await company.click()
      await expect(company).toHaveCount(0)
      await window.keyboard.press(' ')
      await expect(checked).toHaveCount(1)
      await window.keyboard.press('ArrowDown')

      // More serious kinds arrive, and the visible kind stays.
      const { currentId } = await call(window, 'connection.list', {})
      const connectionId = currentId ?? ''
      const { lists } = await call(window, 'allCompanies.coverage', { connectionId })
      const missing = lists.filter(({ coverage }) => coverage === 'not-kept')
      await call(window, 'allCompanies.read', {
        connectionId,
        lists: missing.map(({ company: { endpointId }, object }) => ({ endpointId, object })),
      })
      await expect(window.getByRole('radio', { name: /^Inactive with a balance/ })).toBeAttached()
      await expect(window.getByRole('region', { name: 'What was looked through' })).not.toContainText(
        'kept yet',
      )
      await window.keyboard.press(' ')
      await expect(checked).toHaveCount(2)
    })
  },
)

/** Connects to a service whose companies have customers with a phone in another form each, and reads these lists. */
async function connectUntidy(window: Page, name: string, count: number): Promise<PlainService> {
  const companies = plainCompanies(count, name)
  const service = await PlainService.start(companies, `${name}-key`)
  for (const { endpointId } of companies) {
    const phones = ['(415) 555-0101', '(415) 555-0102', '(415) 555-0103', '415.555.0104']
    const records = phones.map((Phone, at) => ({
      ID: `${at}`,
      Name: `${name} ${at}`,
      IsActive: 'true',
      Phone,
    }))
    service.lists.set(`${endpointId}/customer`, records)
  }
  await window.getByLabel('Name').fill(name)
  await window.getByRole('textbox', { name: 'Address' }).fill(service.url)
  await window.getByLabel('API key').fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(window.getByRole('grid', { name: 'Companies' })).toBeVisible()
  const connectionId = (await call(window, 'connection.list', {})).currentId ?? ''
  const lists = companies.map(({ endpointId }) => ({ endpointId, object: 'customer' }))
  await call(window, 'allCompanies.read', { connectionId, lists })
  await expect
    .poll(async () => (await call(window, 'allCompanies.coverage', { connectionId })).reading?.isRunning)
    .toBe(false)
  return service
}

async function choose(window: Page, command: string): Promise<void> {
  await window.keyboard.press('Control+k')
  await window.getByRole('combobox', { name: 'Find or go to' }).fill(command)
  await window.keyboard.press('Enter')
}

test(
  'names companies where nothing can be changed, groups many of them, and carries nothing over to another connection',
  { tag: '@deep' },
  async ({ window }) => {
    const north = await connectUntidy(window, 'North', 6)
    const connectionId = (await call(window, 'connection.list', {})).currentId ?? ''
    const setReadOnly = async (at: number, readOnly: boolean): Promise<void> => {
      const endpointId = north.companies[at]?.endpointId ?? ''
      await call(window, 'companies.annotate', { company: { connectionId, endpointId }, notes: { readOnly } })
    }
    for (const at of [0, 1, 2, 3]) await setReadOnly(at, true)
    await choose(window, 'tidy up lists of all')
    const together = window.getByText(
      'Nothing can be changed in 4 companies, so their proposals can’t be selected',
    )
    await expect(together).toContainText(
      'North 001 Trading, North 002 Trading, North 003 Trading, North 004 Trading.',
    )
    await expect(window.getByText('Its proposals can’t be selected.')).toHaveCount(0)
    const phones = window.getByRole('grid', { name: 'Phone number format' })
    const rows = phones.getByRole('row').filter({ hasText: '415.555.0104' })
    await expect(rows).toHaveCount(6)
    const free = phones.getByRole('checkbox', { name: /^North/, disabled: false })
    await expect(free).toHaveCount(2)
    expect(await seriousViolations(window)).toEqual([])

    // Up to three have a line each.
    await setReadOnly(3, false)
    await window.getByRole('link', { name: 'Records' }).click()
    await choose(window, 'tidy up lists of all')
    await expect(window.getByText('Its proposals can’t be selected.')).toHaveCount(3)
    await expect(together).toHaveCount(0)
    await expect(free).toHaveCount(3)

    // One draft is made, and another record is checked, when the connection is changed.
    await free.first().check()
    await window.getByRole('button', { name: 'Prepare 1 change in 1 company' }).click()
    await window.getByRole('radio', { name: 'To decide' }).check({ force: true })
    await free.last().check()
    await expect(window.getByRole('button', { name: 'Prepare 1 change in 1 company' })).toBeEnabled()
    await window.getByRole('link', { name: 'Settings' }).click()
    await window.getByRole('button', { name: 'Add connection…' }).click()
    const south = await connectUntidy(window, 'South', 2)
    await choose(window, 'tidy up lists of all')
    await expect(rows).toHaveCount(2)
    await expect(rows.filter({ hasText: 'North' })).toHaveCount(0)
    await phones
      .getByRole('checkbox', { name: /^South/ })
      .first()
      .check()
    // On the page itself, which shows only what belongs to the connection.
    await choose(window, 'Connection: North')
    // The drafted record shows no change any more.
    await expect(rows.filter({ hasText: 'North' })).toHaveCount(5)
    await expect(phones.getByRole('checkbox', { checked: true })).toHaveCount(0)
    await expect(window.getByRole('button', { name: 'Prepare changes' })).toBeDisabled()
    await expect(window.getByRole('radio', { name: 'Prepared 1' })).toBeAttached()
    await choose(window, 'Connection: South')
    await expect(rows).toHaveCount(2)
    await expect(phones.getByRole('checkbox', { checked: true })).toHaveCount(0)
    await expect(window.getByRole('radio', { name: 'Prepared 0' })).toBeAttached()

    // The same in one change of several companies.
    await choose(window, 'Change in several')
    await window.getByRole('textbox', { name: 'Record name' }).fill('South 1')
    await window.keyboard.press('Enter')
    const comparison = window.getByRole('region', { name: 'Comparison' })
    await expect(comparison).toContainText('2 records in 2 of 2 companies.')
    await choose(window, 'Connection: North')
    await expect(window.getByRole('form', { name: 'Records to change' })).toBeVisible()
    await expect(comparison).toHaveCount(0)
    await expect(window.getByRole('textbox', { name: 'Record name' })).toHaveValue('')
    await window.getByRole('textbox', { name: 'Record name' }).fill('North 1')
    await window.keyboard.press('Enter')
    await expect(comparison).toContainText('6 records in 6 of 6 companies.')
    expect([...north.asked, ...south.asked].filter(({ method }) => method !== 'GET')).toEqual([])
    await Promise.all([north.close(), south.close()])
  },
)

/** Moves the focus to the next element with a role and a name. */
async function tabTo(window: Page, role: string, tab = 'Tab', name?: string): Promise<void> {
  const found = window
    .locator(':focus')
    .and(window.getByRole(role as 'row', name === undefined ? {} : { name, exact: true }))
  for (let presses = 0; presses < 40 && (await found.count()) === 0; presses += 1)
    await window.keyboard.press(tab)
  await expect(found).toHaveCount(1)
}

test(
  'drafts more than a thousand proposals in one change, and then shows the remaining ones',
  { tag: '@deep' },
  async ({ window, startService }) => {
    const service = await startService({ customers: 11_000 })
    await openBooks(window, service)
    await getRecords(window)
    await openTidy(window)
    const kinds = window.getByRole('radiogroup', { name: 'Kinds' })
    const main = window.getByRole('main')
    const whole = main.getByText(/^The first 1,000 of 1,\d\d\d are shown\./)
    await kinds.getByRole('radio', { name: /^Phone number format/ }).check({ force: true })
    await expect(whole).toBeVisible()
    const before = await found(window, /^Phone number format/)

    // Dismissing one makes room for another.
    const phones = window.getByRole('grid', { name: 'Phone number format' })
    await phones.getByRole('row').nth(1).click()
    await window.keyboard.press('n')
    await expect(window.getByRole('radio', { name: 'Not a problem 1' })).toBeAttached()
    await expect.poll(() => found(window, /^Phone number format/)).toBe(before - 1)
    await window.getByRole('link', { name: 'Records' }).click()
    await openTidy(window)
    await kinds.getByRole('radio', { name: /^Phone number format/ }).check({ force: true })
    await expect(whole).toBeVisible()
    await expect.poll(() => found(window, /^Phone number format/)).toBe(before - 1)

    await main.getByRole('checkbox', { name: 'All 1,000' }).check()
    await kinds.getByRole('radio', { name: /^Possibly unused/ }).check({ force: true })
    await main.getByRole('checkbox', { name: /^All \d+/ }).check()
    await window.getByRole('button', { name: /^Prepare 1,\d\d\d changes in 1 company$/ }).press('Enter')
    const cards = window.getByRole('article', { name: /^Tidy up, / })
    await expect(cards).toHaveCount(1)
    await expect(cards.getByRole('button', { name: /^Send 1,\d\d\d changes to 1 company$/ })).toHaveCount(1)
    const { companies } = await call(window, 'companies.list', {
      connectionId: (await call(window, 'connection.list', {})).currentId ?? '',
    })
    const company = companies.find(({ companyName }) => companyName === COMPANY)?.ref
    if (company === undefined) throw new Error('The company is gone.')
    const drafted = await call(window, 'records.drafts', { company, object: 'customer' })
    expect(drafted.length).toBeGreaterThan(1_000)
    expect(await seriousViolations(window)).toEqual([])

    // The rest of the phones follow, and are drafted, too.
    await window.getByRole('radio', { name: 'To decide' }).check({ force: true })
    await kinds.getByRole('radio', { name: /^Phone number format/ }).check({ force: true })
    const left = before - 1_001
    await main.getByRole('checkbox', { name: `All ${String(left)}` }).check()
    await window.getByRole('button', { name: `Prepare ${String(left)} changes in 1 company` }).press('Enter')
    await expect(cards).toHaveCount(2)
    const all = await call(window, 'records.drafts', { company, object: 'customer' })
    expect(all).toHaveLength(drafted.length + left)
  },
)

/** Returns the number of proposals of a kind. */
async function found(window: Page, kind: RegExp): Promise<number> {
  const name = await window.getByRole('radio', { name: kind }).evaluate((radio) => radio.ariaLabel ?? '')
  return Number(/([\d,]+)$/.exec(name)?.[1]?.replaceAll(',', ''))
}
