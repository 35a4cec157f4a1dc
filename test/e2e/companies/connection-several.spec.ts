// Several connections and the older service: nothing of one connection appears in another, and each reports its own
// errors.
import type { Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import { seriousViolations } from '../support/access.ts'
import { call } from '../support/bridge.ts'
import { plainCompanies, PlainService } from '../support/plain-service.ts'
import { companyRow, companyRows } from './steps.ts'

async function connectTo(window: Page, name: string, service: PlainService): Promise<void> {
  await window.getByLabel('Name').fill(name)
  await window.getByRole('textbox', { name: 'Address' }).fill(service.url)
  await window.getByLabel('API key').fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(companyRows(window).first()).toBeVisible()
}

async function openSettings(window: Page): Promise<void> {
  await window.getByRole('link', { name: 'Settings' }).click()
  await expect(window.getByRole('button', { name: 'Connect', exact: true })).toBeVisible()
}

test('two connections have separate companies, tests, and drafts, and removing one says what is lost', async ({
  window,
  program,
}) => {
  // Both have the same IDs, so only the connection distinguishes them.
  const north = await PlainService.start(plainCompanies(3, 'Same'), 'north-key')
  const south = await PlainService.start(plainCompanies(2, 'Same'), 'south-key')
  await connectTo(window, 'North', north)
  await companyRow(window, 'Same 001').click()
  await window.getByRole('button', { name: 'Test company' }).click()
  await expect(window.getByText(/Responded in \d/)).toBeVisible()
  const { connections } = await call(window, 'connection.list', {})
  const connectionId = connections[0]?.connectionId ?? ''
  await call(window, 'records.saveDrafts', {
    company: { connectionId, endpointId: 'e-Same-1' },
    object: 'customer',
    drafts: [
      {
        draftId: 'd-1',
        kind: 'insert',
        recordId: '',
        before: {},
        edits: [{ path: 'Name', was: '', now: 'Kept draft' }],
      },
    ],
  })

  await window.getByRole('link', { name: 'Settings' }).click()
  // Escape leaves the form for a further connection, like Cancel, and asks nothing.
  const addConnection = window.getByRole('button', { name: 'Add connection…' })
  await addConnection.click()
  await window.getByRole('textbox', { name: 'Address' }).fill(south.url)
  await window.keyboard.press('Escape')
  await expect(window.getByRole('heading', { name: 'Connections', exact: true })).toBeVisible()
  expect(south.asked).toEqual([])
  await addConnection.click()
  await connectTo(window, 'South', south)
  await expect(companyRows(window)).toHaveCount(2)
  // The button at the lower left switches, too.
  for (const [name, rows] of [
    ['North', 3],
    ['South', 2],
  ] as const) {
    await window.getByRole('button', { name: 'Switch connection' }).click()
    await window.getByRole('menuitemcheckbox', { name }).click()
    await expect(companyRows(window)).toHaveCount(rows)
  }
  await companyRow(window, 'Same 001').click()
  await expect(window.getByText(/Responded in \d/)).toHaveCount(0)
  await expect(window.getByText('1 draft')).toHaveCount(0)
  const askedOfSouth = south.asked.length
  expect(south.asked.every(({ headers }) => headers['x-api-key'] === 'south-key')).toBe(true)

  await openSettings(window)
  await window.getByRole('list', { name: 'Connections' }).getByRole('link', { name: 'North' }).click()
  const asked = await program.answer('Cancel')
  const remove = window.getByRole('button', { name: 'Remove…' })
  await remove.press('Space')
  await expect.poll(asked).toEqual([expect.stringContaining('1 draft in Customers of Same 001 Trading')])
  await expect(remove).toBeFocused()
  await expect(window.getByRole('alert')).toHaveCount(0)
  await window.getByRole('button', { name: 'Use this connection' }).click()
  await window.getByRole('link', { name: 'Companies' }).click()
  await expect(companyRows(window)).toHaveCount(3)
  expect(south.asked.length).toBe(askedOfSouth)

  await openSettings(window)
  await program.answer('Remove with unfinished work')
  await remove.click()
  await expect(window.getByRole('list', { name: 'Connections' }).getByRole('link')).toHaveCount(1)
  await Promise.all([north.close(), south.close()])
})

test('a changed address needs its key. A connection’s own settings are used, and rejected if out of range', async ({
  window,
}) => {
  const service = await PlainService.start(plainCompanies(2))
  await connectTo(window, 'Main', service)
  await openSettings(window)
  await window.getByRole('textbox', { name: 'Address' }).fill(`${service.url}/elsewhere`)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(window.getByLabel('API key')).toHaveAttribute('aria-invalid', 'true')
  expect(service.asked.some(({ path }) => path.startsWith('/elsewhere'))).toBe(false)
  const isSame = window.getByRole('checkbox', { name: 'The service moved to this address' })
  await expect(isSame).not.toBeChecked()
  await window.getByRole('textbox', { name: 'Address' }).fill(service.url)
  await expect(isSame).toHaveCount(0)

  await window.getByText('Only for this connection').click()
  await window.getByLabel('Reading').fill('1')
  await expect(window.getByText('A whole number from 5 to 3600.')).toBeVisible()
  await expect(window.getByRole('button', { name: 'Connect', exact: true })).toBeDisabled()
  await window.getByLabel('Reading').fill('45')
  await window.getByLabel('Schema, records').fill('21.07')
  const before = service.asked.length
  await window.getByLabel('Name').fill('Main office')
  await window.getByRole('button', { name: 'Save' }).click()
  await expect(window.getByText('Saved', { exact: true })).toBeVisible()
  expect(service.asked.length).toBe(before)
  expect(await seriousViolations(window)).toEqual([])

  await window.getByRole('link', { name: 'Companies' }).click()
  await companyRow(window, 'Client 001').click()
  await window.getByRole('button', { name: 'Test company' }).click()
  await expect(window.getByText(/Responded in \d/)).toBeVisible()
  const data = service.asked.find(({ path }) => path.startsWith('/v2/data/'))
  expect(data?.headers['schemaversion']).toBe('21.07')
  await service.close()
})

test(
  'the older service has its own key and messages, shares the list with a v1 mark, and doesn’t affect the other service',
  { tag: '@deep' },
  async ({ window }) => {
    const service = await PlainService.start(plainCompanies(2))
    const [shared] = plainCompanies(1)
    const old = { endpointId: 'e-old', companyName: 'Olden & Sons', fullPath: 'D:\\old.qbw', isActive: true }
    service.older = [{ ...(shared ?? old) }, old]
    await connectTo(window, 'Main', service)
    await openSettings(window)
    const connect = window.getByRole('button', { name: 'Connect', exact: true })
    await window.getByLabel('Older service (v1)').fill(service.olderUrl)
    await connect.click()
    await expect(window.getByLabel('Key of the older service')).toHaveAttribute('aria-invalid', 'true')

    const said: string[] = []
    for (const { address, key, isBroken } of [
      { address: service.olderUrl, key: 'wrong', isBroken: false },
      { address: 'http://127.0.0.1:9', key: service.olderKey, isBroken: false },
      { address: service.olderUrl, key: service.olderKey, isBroken: true },
    ]) {
      service.isOlderBroken = isBroken
      await window.getByLabel('Older service (v1)').fill(address)
      await window.getByLabel('Key of the older service').fill(key)
      await connect.click()
      const alert = window.getByRole('alert')
      await expect(alert).toContainText(/older service/i)
      said.push(await alert.innerText())
    }
    service.isOlderBroken = false
    expect(new Set(said).size).toBe(3)

    await window.getByLabel('Older service (v1)').fill(service.olderUrl)
    await window.getByLabel('Key of the older service').fill(service.olderKey)
    await connect.click()
    await expect(window.getByText(/the older service with 2 companies/)).toBeVisible()
    const older = service.asked.filter(({ path }) => path.startsWith('/older/'))
    expect(older.every(({ headers }) => headers['x-api-key'] === undefined)).toBe(true)
    expect(older.at(-1)?.headers.authorization).toBe(service.olderKey)
    expect(
      service.asked.every(({ path, headers }) => path.startsWith('/older/') || !headers.authorization),
    ).toBe(true)

    await window.getByRole('link', { name: 'Companies' }).click()
    await expect(companyRows(window)).toHaveCount(3)
    await expect(companyRow(window, 'Olden & Sons').getByText('v1', { exact: true })).toBeVisible()
    await expect(companyRow(window, 'Client 001').getByText('v1', { exact: true })).toHaveCount(0)

    service.isOlderBroken = true
    service.companies.push(...plainCompanies(1, 'Newcomer'))
    await window.getByRole('button', { name: 'Refresh' }).click()
    await expect(companyRow(window, 'Newcomer')).toBeVisible()
    await expect(window.getByRole('alert')).toContainText(/older service/i)
    await expect(companyRow(window, 'Olden & Sons')).toBeVisible()
    expect(await seriousViolations(window)).toEqual([])

    service.isOlderBroken = false
    await window.getByRole('button', { name: 'Refresh' }).click()
    await expect(window.getByRole('alert')).toHaveCount(0)
    await companyRow(window, 'Olden & Sons').click()
    await window.getByRole('button', { name: 'De-provision…' }).click()
    const dialog = window.getByRole('dialog', { name: 'De-provision' })
    await expect(dialog.getByRole('list', { name: 'Confirmations' }).getByRole('listitem')).toHaveCount(2)
    expect(service.asked.filter(({ method }) => method === 'PATCH').map(({ path }) => path)).toEqual([
      '/older/v1/manage/Endpoint',
    ])
    expect(service.mostAtOnce).toBe(1)
    await service.close()
  },
)
