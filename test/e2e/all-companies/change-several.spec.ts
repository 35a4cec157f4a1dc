/**
 * One change in several companies: found, compared, drafted, reviewed, and sent with the keyboard, one company after
 * another.
 */
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { dataRequests, getRecords, openBooks } from '../records/steps.ts'
import { seriousViolations } from '../support/access.ts'
import { call } from '../support/bridge.ts'
import { plainCompanies, PlainService } from '../support/plain-service.ts'

/** Part of the phone numbers of a few customers of each company. */
const PART_OF_PHONE = '(541) 555-015'

test('gives records of several companies one value, leaves out a read-only company, and saves one receipt', async ({
  window,
  program,
  service,
}) => {
  await openBooks(window, service)
  await getRecords(window)
  await readAllLists(window)
  const readOnly = (
    await call(window, 'companies.list', { connectionId: await connectionOf(window) })
  ).companies.filter(({ isActive }) => isActive)[1]
  if (readOnly === undefined) throw new Error('There are two companies at least.')
  await call(window, 'companies.annotate', { company: readOnly.ref, notes: { readOnly: true } })

  const table = await compareFound(window)
  await expect(table).toContainText('read only')
  // Each company has two records that can be changed. The first check box of each is the company's.
  let drafts = 0
  for (const company of await table.locator('tbody').all()) {
    const boxes = company.getByRole('rowheader').getByRole('checkbox')
    for (const at of [1, 2]) {
      if (!(await boxes.nth(at).isEnabled())) continue
      await boxes.nth(at).press('Space')
      drafts += 1
    }
  }
  expect(drafts).toBeGreaterThan(3)

  const field = window.getByRole('combobox', { name: 'Field' })
  await field.fill('Phone')
  await field.press('Enter')
  await window.getByRole('combobox', { name: 'New value' }).fill('(415) 555-0199')
  await window.getByRole('combobox', { name: 'New value' }).press('Enter')
  // Each has a phone. None is replaced until that is chosen.
  await expect(window.getByRole('button', { name: 'Prepare changes' })).toBeDisabled()
  await expect(window.getByRole('form', { name: 'New value' })).toContainText(
    'The selected records have other values.',
  )
  await window.getByRole('checkbox', { name: `Replace other values (${String(drafts)})` }).press('Space')
  expect(await seriousViolations(window)).toEqual([])
  await window
    .getByRole('button', { name: `Prepare ${String(drafts)} changes in ${String(drafts / 2)} companies` })
    .press('Enter')

  const card = window.getByRole('article', { name: /^Phone → / })
  await expect(card.getByRole('rowheader').first()).toBeVisible()
  await card.getByRole('rowheader').getByRole('checkbox').nth(1).uncheck()
  const before = (await dataRequests(service, 'PATCH')).length
  await card
    .getByRole('button', { name: `Send ${String(drafts - 1)} changes to ${String(drafts / 2)} companies` })
    .press('Enter')
  await expect(card.getByRole('progressbar', { name: /^(\d+) of \1 saved$/ })).toBeVisible()
  expect(await seriousViolations(window)).toEqual([])
  const sent = (await dataRequests(service, 'PATCH')).slice(before)
  expect(sent.length).toBeGreaterThan(1)
  expect(sent.some(({ path }) => path.includes(readOnly.ref.endpointId))).toBe(false)
  await card.getByRole('button', { name: 'Save a receipt (PDF)…' }).click()
  await expect.poll(() => program.savedFiles().filter((name) => name.includes('Receipt'))).toHaveLength(1)
})

test(
  'clears a value in several companies only if that is chosen, and only where a field can be empty',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await readCustomers(window)
    const table = await compareFound(window)
    for (const company of await table.locator('tbody').all())
      await company.getByRole('rowheader').getByRole('checkbox').nth(1).press('Space')

    const field = window.getByRole('combobox', { name: 'Field' })
    const box = window.getByRole('combobox', { name: 'New value' })
    const clear = window.getByRole('checkbox', { name: 'Clear the value' })
    const make = window.getByRole('button', { name: /^Prepare (?:changes|\d changes in \d companies)$/ })
    // A required field, a name, and a yes/no field can't be cleared.
    for (const [name, canBeEmpty] of [
      ['Active', 0],
      ['Name', 0],
      ['Phone', 1],
    ] as const) {
      await field.fill(name)
      await field.press('Enter')
      await expect(clear).toHaveCount(canBeEmpty)
      await expect(make).toBeDisabled()
    }
    await box.fill('(415) 555-0199')
    await clear.check()
    await expect(box).toBeDisabled()
    await expect(box).toHaveValue('')
    await expect(make).toBeEnabled()
    expect(await seriousViolations(window)).toEqual([])
    // Choosing another field starts over.
    await field.fill('Email')
    await field.press('Enter')
    await expect(clear).not.toBeChecked()
    await expect(make).toBeDisabled()
    await field.fill('Phone')
    await field.press('Enter')
    await clear.press('Space')
    await make.press('Enter')
    const card = window.getByRole('article', { name: /^Phone → \(empty\)/ })
    await expect(card.getByRole('rowheader').first()).toBeVisible()
    await card.getByRole('button', { name: /^Send \d changes to \d companies$/ }).press('Enter')
    await expect(card.getByRole('progressbar', { name: /^(\d+) of \1 saved$/ })).toBeVisible()
    const sent = await dataRequests(service, 'PATCH')
    expect(sent.length).toBeGreaterThan(1)
    for (const { body } of sent) expect(body).toContain('"Phone":""')
  },
)

test(
  'moves everyone with a value to another one in few steps, and selects by value in a comparison',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    await window.keyboard.press('Control+k')
    await window.getByRole('combobox', { name: 'Find or go to' }).fill('Change in several')
    await window.keyboard.press('Enter')
    await window.getByRole('radio', { name: 'With this value' }).check()
    await choose(window, 'Field to look in', 'Terms')
    // No list is kept yet.
    const comparison = window.getByRole('region', { name: 'Comparison' })
    await comparison.getByRole('button', { name: 'Read them now' }).press('Enter')
    const look = window.getByRole('combobox', { name: 'Value to look for' })
    await expect(look).toBeEnabled()
    await look.fill('Net 60')
    const option = window.getByRole('option', { name: /^Net 60 \d+ in \d companies$/ })
    const [found, companies] = ((await option.textContent()) ?? '').match(/\d+(?= in| comp)/g) ?? []
    await look.press('Enter')
    await expect(comparison).toContainText(`${String(found)} records in ${String(companies)} of`)
    // Inactive records are marked, and left to the user.
    const inactive = comparison.getByRole('rowheader').filter({ hasText: 'Inactive' })
    const inactives = await inactive.count()
    expect(inactives).toBeGreaterThan(0)
    await expect(comparison).toContainText(`${String(inactives)} inactive ones aren’t selected.`)
    await expect(inactive.getByRole('checkbox', { checked: false })).toHaveCount(inactives)
    await expect(
      comparison
        .getByRole('rowheader')
        .filter({ hasNotText: 'Inactive' })
        .getByRole('checkbox', { checked: false }),
    ).toHaveCount(0)
    const count = Number(found) - inactives
    expect(await seriousViolations(window)).toEqual([])
    // The field to change is the one that was looked in.
    await expect(window.getByRole('combobox', { name: 'Field', exact: true })).toHaveValue('Terms')
    await choose(window, 'New value', 'Net 30')
    await window
      .getByRole('button', { name: `Prepare ${String(count)} changes in ${String(companies)} companies` })
      .press('Enter')
    const card = window.getByRole('article', { name: /^Terms → Net 30/ })
    await card
      .getByRole('button', { name: `Send ${String(count)} changes to ${String(companies)} companies` })
      .press('Enter')
    const all = `${String(count)} of ${String(count)} saved`
    await expect(card.getByRole('progressbar', { name: all, exact: true })).toBeVisible()

    // Of what a search found, a heading selects all records with a value.
    await window.getByRole('radio', { name: 'Found by a search' }).check()
    await window.getByRole('textbox', { name: 'Search for' }).fill(PART_OF_PHONE)
    await window.getByRole('textbox', { name: 'Search for' }).press('Enter')
    await choose(window, 'Field', 'Terms')
    await expect(comparison.getByRole('checkbox', { checked: true })).toHaveCount(0)
    const table = window.getByRole('table', { name: 'Records side by side' })
    await table.getByRole('button', { name: 'Terms' }).press('Enter')
    const entry = window.getByRole('menuitemcheckbox', { name: /^Net 30 \(\d+\)$/ })
    const selected = Number(/\d+(?=\)$)/.exec((await entry.textContent())?.trim() ?? '')?.[0])
    expect(await seriousViolations(window)).toEqual([])
    await entry.press('Enter')
    const rows = table.getByRole('row').filter({ has: window.getByRole('checkbox', { checked: true }) })
    await expect(rows.filter({ hasText: 'Net 30' })).toHaveCount(selected)
    await expect(rows.filter({ hasText: 'Net 15' })).toHaveCount(0)
  },
)

test(
  'fills only empty fields unless replacing is chosen, and shows just the records that lose a value',
  { tag: '@deep' },
  async ({ window }) => {
    const companies = plainCompanies(2)
    const service = await PlainService.start(companies)
    const contacts = [
      ['', '', 'Dana Cole', 'Front desk'],
      ['', 'Lee Park'],
    ]
    for (const [at, { endpointId }] of companies.entries()) {
      const customers = (contacts[at] ?? []).map((contact, row) => ({
        ID: `c-${String(row)}`,
        Name: `Oak ${String(row)}`,
        IsActive: 'true',
        AlternateContact: contact,
      }))
      service.lists.set(`${endpointId}/customer`, customers)
    }
    try {
      await window.getByLabel('Address').fill(service.url)
      await window.getByLabel('API key', { exact: true }).fill(service.key)
      await window.getByRole('button', { name: 'Connect', exact: true }).click()
      await expect(window.getByRole('grid', { name: 'Companies' })).toHaveAttribute('aria-rowcount', '3')
      await readCustomers(window)
      await window.keyboard.press('Control+k')
      await window.getByRole('combobox', { name: 'Find or go to' }).fill('Change in several')
      await window.keyboard.press('Enter')
      await window.getByRole('radio', { name: 'Found by a search' }).check()
      await window.getByRole('textbox', { name: 'Search for' }).fill('Oak')
      await window.keyboard.press('Enter')
      const comparison = window.getByRole('region', { name: 'Comparison' })
      const everyRecord = comparison.getByRole('checkbox', { name: /^All of / })
      await expect(everyRecord).toHaveCount(2)
      for (const box of await everyRecord.all()) await box.check()
      await choose(window, 'Field', 'Alternate contact')
      await choose(window, 'New value', 'Front desk')
      await comparison.getByRole('radio', { name: 'Another value 2' }).check()
      await expect(comparison.getByRole('checkbox', { name: /^Oak/ })).toHaveCount(2)
      await expect(comparison).toContainText('4 records, 2 empty')
      const form = window.getByRole('form', { name: 'New value' })
      await expect(form).toContainText('2 records keep their value. 1 has the new value already.')
      await expect(window.getByRole('button', { name: 'Prepare 3 changes in 2 companies' })).toBeEnabled()
      await form.getByRole('checkbox', { name: 'Replace other values (2)' }).press('Space')
      await window.getByRole('button', { name: 'Prepare 5 changes in 2 companies' }).press('Enter')
      // In the review, those that lose a value can be seen, and unchecked, by themselves.
      const card = window.getByRole('article', { name: /→ Front desk/ })
      await expect(card).toContainText('Overwrites 2 of 5 values')
      await card.getByRole('button', { name: 'Review 2 overwrites' }).press('Enter')
      await expect(card.getByRole('radio', { name: 'Has a value 2' })).toBeChecked()
      await expect(card.getByRole('checkbox', { name: /^Oak/ })).toHaveCount(2)
      expect(await seriousViolations(window)).toEqual([])
      await card.getByRole('checkbox', { name: 'All 2 records' }).uncheck()
      await card.getByRole('button', { name: 'Send 3 changes to 2 companies' }).press('Enter')
      await expect(card.getByRole('progressbar', { name: '3 of 3 saved', exact: true })).toBeVisible()
      const now = companies.map(({ endpointId }) =>
        service.lists.get(`${endpointId}/customer`)?.map((record) => record['AlternateContact']),
      )
      expect(now).toEqual([
        ['Front desk', 'Front desk', 'Dana Cole', 'Front desk'],
        ['Front desk', 'Lee Park'],
      ])
    } finally {
      await service.close()
    }
  },
)

test(
  'over forty clients with long names, moves everyone on some terms to others with nine clicks',
  { tag: '@deep' },
  async ({ window }) => {
    const companies = plainCompanies(40).map((company, at) => ({
      ...company,
      companyName: `Northern California Veterinary Hospital Holdings of Greater Sacramento, LLC ${String(at + 1)}`,
    }))
    const service = await PlainService.start(companies)
    const net = (days: number) => ({ ID: `t-${String(days)}`, FullName: `Net ${String(days)}` })
    for (const { endpointId } of companies) {
      const customers = Array.from({ length: 9 }, (_, at) => ({
        ...{ ID: `c-${String(at)}`, Name: `Customer ${String(at)} of a rather long name`, IsActive: 'true' },
        ...{ Phone: `(415) 555-01${String(at).padStart(2, '0')}`, Terms: net(at % 3 === 0 ? 60 : 15) },
      }))
      service.lists.set(`${endpointId}/customer`, customers)
    }
    let clicks = 0
    const click = async (target: Locator): Promise<void> => {
      clicks += 1
      await target.click()
    }
    const choose = async (name: string, option: string | RegExp): Promise<void> => {
      await click(window.getByRole('combobox', { name, exact: true }))
      await click(window.getByRole('option', { name: option }))
    }
    try {
      await window.getByLabel('Address').fill(service.url)
      await window.getByLabel('API key', { exact: true }).fill(service.key)
      await window.getByRole('button', { name: 'Connect', exact: true }).click()
      await expect(window.getByRole('grid', { name: 'Companies' })).toHaveAttribute('aria-rowcount', '41')
      await readCustomers(window, { timeout: 120_000 })
      await window.keyboard.press('Control+k')
      await window.getByRole('combobox', { name: 'Find or go to' }).fill('Change in several')
      await window.keyboard.press('Enter')

      await click(window.getByRole('radio', { name: 'With this value' }))
      await choose('Field to look in', 'Terms')
      await choose('Value to look for', /^Net 60 120 in 40 companies$/)
      await expect(window.getByRole('region', { name: 'Comparison' })).toContainText(
        '120 records in 40 of 40 companies.',
      )
      expect(await seriousViolations(window)).toEqual([])
      // As typed: no one has them yet.
      clicks += 2
      await window.getByRole('combobox', { name: 'New value' }).fill('Net 30')
      await window.getByRole('combobox', { name: 'New value' }).press('Enter')
      await click(window.getByRole('button', { name: 'Prepare 120 changes in 40 companies' }))
      const card = window.getByRole('article', { name: /^Terms → Net 30/ })
      await click(card.getByRole('button', { name: 'Send 120 changes to 40 companies' }))
      // The guide says so.
      expect(clicks).toBe(9)
      await expect(card.getByRole('progressbar', { name: '120 of 120 saved', exact: true })).toBeVisible({
        timeout: 240_000,
      })
      expect(service.mostAtOnce).toBe(1)
      for (const records of service.lists.values()) {
        const terms = records.map((record) => (record['Terms'] as { readonly FullName: string }).FullName)
        expect(terms.filter((name) => name === 'Net 60')).toEqual([])
        expect(terms.filter((name) => name === 'Net 30')).toHaveLength(3)
      }
    } finally {
      await service.close()
    }
  },
)

test(
  'compares records by their name, and stops and continues a change',
  { tag: '@deep' },
  async ({ window, service }) => {
    await openBooks(window, service)
    const connectionId = await connectionOf(window)
    const [lacking, differing] = (await call(window, 'companies.list', { connectionId })).companies.filter(
      ({ isActive }) => isActive,
    )
    if (lacking === undefined || differing === undefined)
      throw new Error('There are three companies at least.')
    // Someone else renames the terms in one company and changes them in another.
    for (const [{ ref }, change] of [
      [lacking, { Name: 'Net sixty' }],
      [differing, { DueDays: '61' }],
    ] as const) {
      const address = `${new URL(service.url).origin}/v2/data/${ref.endpointId}/terms`
      const headers = { 'x-api-key': service.key, 'content-type': 'application/json' }
      const { Contents } = (await (await fetch(address, { headers })).json()) as {
        Contents: readonly { readonly Object: { readonly ID: string; readonly Name: string } }[]
      }
      const terms = Contents.find(({ Object: { Name } }) => Name === 'Net 60')?.Object
      const body = JSON.stringify([{ ID: terms?.ID, ...change }])
      expect((await fetch(address, { method: 'PATCH', headers, body })).ok).toBe(true)
    }

    await window.keyboard.press('Control+k')
    await window.getByRole('combobox', { name: 'Find or go to' }).fill('Change in several')
    await window.keyboard.press('Enter')
    const form = window.getByRole('form', { name: 'Records to change' })
    const list = form.getByRole('combobox', { name: 'List' })
    await list.fill('terms')
    await list.press('Enter')
    await expect(form.getByRole('radio', { name: 'With this name' })).toBeChecked()
    await window.getByRole('textbox', { name: 'Record name' }).fill('net 60')
    await window.getByRole('button', { name: 'Compare', exact: true }).press('Enter')
    const comparison = window.getByRole('region', { name: 'Comparison' })
    await comparison.getByRole('button', { name: 'Read them now' }).press('Enter')
    await expect(comparison).toContainText('2 records in 2 of 3 companies.')
    await expect(comparison).toContainText(`Not there: ${lacking.companyName}.`)
    await expect(comparison.getByRole('columnheader', { name: /Due ?days/i })).toBeVisible()
    await expect(comparison.getByRole('cell').filter({ hasText: /^\s*6[01]\s*, differs/ })).toHaveCount(1)
    expect(await seriousViolations(window)).toEqual([])

    const field = window.getByRole('combobox', { name: 'Field' })
    await field.fill('Due')
    await field.press('Enter')
    const box = window.getByRole('combobox', { name: 'New value' })
    await box.fill('65')
    await window.getByRole('checkbox', { name: 'Replace other values (2)' }).press('Space')
    await window.getByRole('button', { name: 'Prepare 2 changes in 2 companies' }).press('Enter')
    const card = window.getByRole('article', { name: /→ 65/ })
    await service.control({ clearRequests: true })
    // Long enough to press the button. The test doesn't wait for it.
    const slow = { kind: 'slow', milliseconds: 5_000, when: 'before' }
    await service.control({ faults: [{ match: { method: 'PATCH' }, times: 1, fault: slow }] })
    await card.getByRole('button', { name: 'Send 2 changes to 2 companies' }).press('Enter')
    await expect.poll(async () => (await dataRequests(service, 'PATCH')).length).toBe(1)
    const stop = card.getByRole('button', { name: 'Stop', exact: true })
    await expect(stop, 'it replaces Send').toBeFocused()
    await stop.press('Enter')
    await expect(card.getByRole('progressbar', { name: /^Stopped: / })).toBeVisible()
    await card.getByRole('button', { name: 'Continue' }).press('Enter')
    await expect(card.getByRole('progressbar', { name: '2 of 2 saved', exact: true })).toBeVisible()
    const sent = await dataRequests(service, 'PATCH')
    // Each company exactly once, although the change was stopped.
    expect(sent.map(({ path }) => path.includes(differing.ref.endpointId)).toSorted()).toEqual([false, true])
    for (const { body } of sent) expect(body).toContain('"DueDays":"65"')
  },
)

test('asks about companies that don’t respond, also after a kill, and sends to them last or not at all', async ({
  program,
  service,
}) => {
  const { window } = await program.start()
  await openBooks(window, service)
  await readCustomers(window)
  const connectionId = await connectionOf(window)
  const [skipped, late] = (await call(window, 'companies.list', { connectionId })).companies.filter(
    ({ isActive }) => isActive,
  )
  if (skipped === undefined || late === undefined) throw new Error('There are three companies at least.')
  const table = await compareFound(window)
  for (const company of await table.locator('tbody').all())
    await company.getByRole('rowheader').getByRole('checkbox').nth(1).press('Space')
  await choose(window, 'Field', 'Phone')
  await choose(window, 'New value', '(415) 555-0188')
  await window.getByRole('checkbox', { name: 'Replace other values (3)' }).press('Space')
  await window.getByRole('button', { name: 'Prepare 3 changes in 3 companies' }).press('Enter')
  for (const { companyName: company } of [skipped, late])
    await service.control({ company, conditions: { machine: 'off' } })
  const card = window.getByRole('article', { name: /^Phone → / })
  await card.getByRole('button', { name: 'Send 3 changes to 3 companies' }).press('Enter')
  await expect(
    card.getByRole('progressbar', { name: 'Waiting for you: 1 of 3 saved, 2 not sent' }),
  ).toBeVisible()
  for (const { companyName } of [skipped, late])
    await expect(card).toContainText(`${companyName} can’t be reached.`)
  expect(await seriousViolations(window)).toEqual([])
  expect(await dataRequests(service, 'PATCH')).toHaveLength(1)
  await program.kill()

  const again = (await program.start()).window
  await again.getByRole('link', { name: 'Records' }).waitFor()
  await again.keyboard.press('Control+k')
  await again.getByRole('combobox', { name: 'Find or go to' }).fill('Change in several')
  await again.keyboard.press('Enter')
  const left = again.getByRole('article', { name: /^Phone → / })
  await left.getByRole('button', { name: `Skip ${skipped.companyName}` }).press('Enter')
  await expect(left).toContainText('Skipped. Its drafts are in its list.')
  // Still off: it is tested, and nothing is sent to it.
  const reads = (await dataRequests(service, 'GET')).length
  await left.getByRole('button', { name: `Try ${late.companyName} again` }).press('Enter')
  await expect.poll(async () => (await dataRequests(service, 'GET')).length).toBeGreaterThan(reads)
  await expect(left.getByRole('button', { name: `Try ${late.companyName} again` })).toBeVisible()
  expect(await dataRequests(service, 'PATCH')).toHaveLength(1)
  await service.control({ company: late.companyName, conditions: { machine: 'on' } })
  await left.getByRole('button', { name: `Try ${late.companyName} again` }).press('Enter')
  await expect(left.getByRole('progressbar', { name: '2 of 3 saved, 1 not sent', exact: true })).toBeVisible()
  const sent = await dataRequests(service, 'PATCH')
  expect(sent).toHaveLength(2)
  expect(sent[1]?.path).toContain(late.ref.endpointId)
})

test(
  'names a company for which alone the key is refused, and sends to the others',
  { tag: '@deep' },
  async ({ program, service }) => {
    const { window } = await program.start()
    await openBooks(window, service)
    await readCustomers(window)
    const connectionId = await connectionOf(window)
    const [refusing] = (await call(window, 'companies.list', { connectionId })).companies.filter(
      ({ isActive }) => isActive,
    )
    if (refusing === undefined) throw new Error('There are three companies at least.')
    const table = await compareFound(window)
    for (const company of await table.locator('tbody').all())
      await company.getByRole('rowheader').getByRole('checkbox').nth(1).press('Space')
    await choose(window, 'Field', 'Phone')
    await choose(window, 'New value', '(415) 555-0177')
    await window.getByRole('checkbox', { name: 'Replace other values (3)' }).press('Space')
    await window.getByRole('button', { name: 'Prepare 3 changes in 3 companies' }).press('Enter')
    await service.control({
      faults: [
        {
          times: 0,
          match: { path: refusing.ref.endpointId },
          fault: { kind: 'status', status: 403, when: 'before' },
        },
      ],
    })
    const card = window.getByRole('article', { name: /^Phone → / })
    await card.getByRole('button', { name: 'Send 3 changes to 3 companies' }).press('Enter')
    await expect(
      card.getByRole('progressbar', { name: 'Waiting for you: 2 of 3 saved, 1 not sent' }),
    ).toBeVisible()
    await expect(card).toContainText(`The service refused the key for ${refusing.companyName}.`)
    await expect(card).toContainText('It accepts the key for other companies.')
    expect(await seriousViolations(window)).toEqual([])
    await card.getByRole('button', { name: `Skip ${refusing.companyName}` }).press('Enter')
    await expect(
      card.getByRole('progressbar', { name: '2 of 3 saved, 1 not sent', exact: true }),
    ).toBeVisible()
  },
)

/** Opens **Find anywhere**, reads every list, and closes it. */
async function readAllLists(window: Page): Promise<void> {
  await window.keyboard.press('Control+Shift+F')
  const footer = window.getByRole('region', { name: 'What was searched' })
  await footer.getByRole('button', { name: 'Read them now' }).click()
  await expect(footer).not.toContainText('kept yet')
  await expect(footer.getByRole('status')).toHaveCount(0)
  await window.keyboard.press('Escape')
}

/** Reads the customers of every company. */
async function readCustomers(window: Page, options: { readonly timeout?: number } = {}): Promise<void> {
  const connectionId = await connectionOf(window)
  const { companies } = await call(window, 'companies.list', { connectionId })
  const lists = companies
    .filter(({ isActive }) => isActive)
    .map(({ ref: { endpointId } }) => ({ endpointId, object: 'customer' }))
  await call(window, 'allCompanies.read', { connectionId, lists })
  await expect
    .poll(
      async () => (await call(window, 'allCompanies.coverage', { connectionId })).reading?.isRunning,
      options,
    )
    .toBe(false)
}

/** Compares the records that **Find anywhere** finds for part of a phone number. Returns the table. */
async function compareFound(window: Page): Promise<Locator> {
  await window.keyboard.press('Control+Shift+F')
  await window.getByRole('combobox', { name: 'Find anywhere' }).fill(PART_OF_PHONE)
  await expect(window.getByRole('option').first()).toBeVisible()
  const footer = window.getByRole('region', { name: 'What was searched' })
  await footer.getByRole('button', { name: 'Change in several companies…' }).press('Enter')
  const table = window.getByRole('table', { name: 'Records side by side' })
  await expect(table).toBeVisible()
  return table
}

async function connectionOf(window: Page): Promise<string> {
  const { currentId } = await call(window, 'connection.list', {})
  return currentId ?? ''
}

/** Chooses an option of a combobox by what is typed. */
async function choose(window: Page, name: string, option: string): Promise<void> {
  const box = window.getByRole('combobox', { name, exact: true })
  await box.fill(option)
  await box.press('Enter')
}
