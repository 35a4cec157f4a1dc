/**
 * A bookkeeper's first hour against a service on loopback: connect, provision, read, correct, send, report, and save.
 * Then the program is killed, everything is still there, and the key is only in the keychain.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import Papa from 'papaparse'
import { canarySearch, expect, type Service, test } from '../fixture.ts'
import { askForRecords, rowIdAt } from '../records/steps.ts'

interface Seen {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Counters {
  readonly requests: readonly Seen[]
  readonly mostAtOnce: number
  readonly refused: number
}

async function counters(service: Service): Promise<Counters> {
  const answer = await fetch(service.controlUrl)
  return (await answer.json()) as Counters
}

async function connect(window: Page, service: Service, key = service.key): Promise<void> {
  await window.getByRole('textbox', { name: 'Name' }).fill('Main office')
  await window.getByRole('textbox', { name: 'Address' }).fill(service.url)
  await window.getByLabel('API key', { exact: true }).fill(key)
  await window.getByRole('button', { name: 'Connect' }).click()
}

/** Returns a cell in the grid of records, by record and column. */
function cell(window: Page, row: string, column: string) {
  const grid = window.getByRole('grid', { name: 'Customers' })
  return grid.locator(`[row-id="${row}"] [col-id="${column}"]`)
}

test('a first hour connects, provisions, corrects, sends, reports, and saves. After a kill, everything is there', async ({
  program,
  service,
}) => {
  const { window } = await program.start()

  await test.step('connect with an address and a key', async () => {
    await connect(window, service)
    await expect(window.getByRole('grid', { name: 'Companies' })).toBeVisible()
    await expect(window.getByRole('grid', { name: 'Companies' })).toContainText('Alder & Finch Builders')
  })

  await test.step('provision the file that is open at the agent', async () => {
    await window.getByRole('button', { name: 'Add company' }).first().click()
    const dialog = window.getByRole('dialog', { name: 'Add company' })
    await dialog.getByRole('radio', { name: 'Desktop' }).check()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('radio', { name: 'New client' }).check()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('textbox', { name: 'File name' }).fill('Juniper Ridge.qbw')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('button', { name: 'Provision company' }).click()
    await expect(dialog.getByRole('heading', { name: 'Is this the right file?' })).toBeVisible()
    await expect(dialog).toContainText('Juniper Ridge Veterinary')
    await dialog.getByRole('button', { name: 'Yes, keep it' }).click()
    await expect(dialog).toBeHidden()
    await expect(window.getByRole('grid', { name: 'Companies' })).toContainText('Juniper Ridge Veterinary')
  })

  await test.step('read its customers', async () => {
    await window
      .getByRole('grid', { name: 'Companies' })
      .getByText('Alder & Finch Builders')
      .first()
      .dblclick()
    await window.getByRole('link', { name: 'Records' }).click()
    await window.getByRole('button', { name: 'Get records' }).first().click()
    await expect(window.getByRole('grid', { name: 'Customers' })).toBeVisible()
    await expect(window.getByText('the whole list')).toBeVisible()
    await expect(window.locator('[aria-busy="true"]')).toHaveCount(0)
  })

  // All columns that the steps use are visible.
  await window.setViewportSize({ width: 1600, height: 800 })
  const edited = await rowIdAt(window, 0)
  const madeInactive = await rowIdAt(window, 2)

  await test.step('change a phone and Active, and add a customer', async () => {
    await cell(window, edited, 'Phone').dblclick()
    await window.keyboard.press('Control+a')
    await window.keyboard.type('(415) 555-0199')
    await window.keyboard.press('Enter')
    await expect(cell(window, edited, 'Phone')).toContainText('(415) 555-0199')

    await cell(window, madeInactive, 'IsActive').click()
    await window.keyboard.press('Space')
    await expect(cell(window, madeInactive, 'IsActive')).toContainText('No')

    await window.getByRole('button', { name: 'New customer' }).click()
    await window.keyboard.type('Dunning, Ezra')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('radio', { name: /New/ })).toHaveAccessibleName(/1/)
    await expect(
      window.getByRole('button', { name: /^Send 3 changes to Alder & Finch Builders \(Desktop\)$/ }),
    ).toBeEnabled()
  })

  const before = (await counters(service)).requests.length

  await test.step('send them, and see each row’s outcome', async () => {
    await window.getByRole('button', { name: /^Send 3 changes/ }).click()
    await expect(window.getByRole('button', { name: /^Send .*changes/ })).toHaveCount(0)
    await expect(window.getByRole('radio', { name: /^Changes/ })).toHaveAccessibleName(/0/)
    await expect(window.getByRole('radio', { name: /New/ })).toHaveAccessibleName(/0/)
  })

  await test.step('the service received exactly what was intended', async () => {
    const writes = (await counters(service)).requests.slice(before).filter(({ method }) => method !== 'GET')
    const records = (method: string): Record<string, unknown>[] =>
      writes
        .filter((request) => request.method === method)
        .flatMap(({ body }) => {
          const parsed = JSON.parse(body) as Record<string, unknown> | Record<string, unknown>[]
          return Array.isArray(parsed) ? parsed : [parsed]
        })
    expect(
      records('PATCH').toSorted((a, b) => Object.keys(a).join().localeCompare(Object.keys(b).join())),
    ).toEqual(
      [
        { ID: madeInactive, IsActive: false },
        { ID: edited, Phone: '(415) 555-0199' },
      ].toSorted((a, b) => Object.keys(a).join().localeCompare(Object.keys(b).join())),
    )
    const inserted = records('POST')
    expect(inserted).toHaveLength(1)
    expect(inserted[0]).toMatchObject({ ID: '', Name: 'Dunning, Ezra' })
    for (const request of writes) {
      expect(request.headers['content-type']).toContain('application/json')
      expect(request.headers['schemaversion']).toBe('20.04')
      expect(request.headers['x-api-key']).toBe('right key')
    }
  })

  await test.step('a report, and its CSV exact to the character', async () => {
    await window.getByRole('link', { name: 'Reports' }).click()
    await window.getByRole('combobox', { name: 'Report', exact: true }).click()
    await window.getByRole('option', { name: 'Profit and loss', exact: true }).click()
    await window.getByRole('combobox', { name: 'Period' }).click()
    await window.getByRole('option', { name: /Last quarter/ }).click()
    await window.getByRole('button', { name: 'Run', exact: true }).click()
    await expect(window.getByRole('treegrid', { name: 'Profit and loss' })).toBeVisible()
    await expect(window.getByRole('img', { name: /Profit and loss/ })).toBeVisible()
    await window.getByRole('button', { name: /Export/ }).click()
    await window.getByRole('menuitem', { name: /as shown/i }).click()
    const saved = (): string[] => program.savedFiles().filter((file) => file.endsWith('.csv'))
    await expect.poll(saved).toHaveLength(1)
    const [name = ''] = saved()
    expect(name).toMatch(
      /^Alder & Finch Builders - Profit and loss - \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\.csv$/,
    )

    const asked = (await counters(service)).requests.findLast(({ path }) => path.endsWith('/selectReport'))
    const answer = await fetch(
      `${service.url}${asked?.path ?? ''}?${(asked?.query ?? '').replace(/^\?/, '')}`,
      {
        headers: { 'x-api-key': service.key, SchemaVersion: '1' },
      },
    )
    const envelope = (await answer.json()) as {
      Contents: {
        Object: { Columns: string[]; ReportLineData: { EntityRef: { FullName: string }; Values: string[] }[] }
      }[]
    }
    const report = envelope.Contents[0]?.Object
    const text = readFileSync(join(program.saveDir, name), 'utf8')
    expect(text.startsWith('\uFEFF')).toBe(true)
    const lines = Papa.parse<string[]>(text.slice(1), { skipEmptyLines: true }).data
    const width = lines[0]?.length ?? 0
    expect(lines.slice(1)).toEqual(
      report?.ReportLineData.map(({ EntityRef, Values }) => {
        const line = [EntityRef.FullName, ...Values]
        return [...line, ...Array.from({ length: width - line.length }, () => '')]
      }),
    )
  })

  await test.step('type a draft, and kill the program', async () => {
    await window.getByRole('link', { name: 'Records' }).click()
    await cell(window, edited, 'Email').dblclick()
    await window.keyboard.press('Control+a')
    await window.keyboard.type('kept@after.example')
    await window.keyboard.press('Enter')
    await expect(cell(window, edited, 'Email')).toContainText('kept@after.example')
    // The screen was left and opened again. Its counts continue.
    await expect(window.getByRole('button', { name: /^Send 1 change to/ })).toBeEnabled()
    await expect(window.getByRole('radio', { name: /^Changes/ })).toHaveAccessibleName(/1/)
    await program.kill()
  })

  await test.step('after a restart, connection, company, draft, and history are there', async () => {
    const { window: again } = await program.start()
    await expect(again.getByRole('button', { name: /^Company Alder & Finch Builders/ })).toBeVisible()
    await again.getByRole('link', { name: 'Records' }).click()
    await askForRecords(again)
    await expect(cell(again, edited, 'Email')).toContainText('kept@after.example')
    await expect(cell(again, edited, 'Phone')).toContainText('(415) 555-0199')
    await again.getByRole('link', { name: 'Activity' }).click()
    await expect(again.getByText(/^Sent /).first()).toBeVisible()
  })

  await test.step('never two requests at once', async () => {
    const { mostAtOnce } = await counters(service)
    expect(mostAtOnce).toBe(1)
  })

  await test.step('the key is only in the keychain, and no company’s token is anywhere', async () => {
    const listed = await fetch(`${service.url}/v2/Manage/endpoint`, { headers: { 'x-api-key': service.key } })
    const { Contents } = (await listed.json()) as { Contents: { Object: { token: string } }[] }
    const tokens = Contents.map(({ Object: company }) => company.token)
    expect(tokens.length).toBeGreaterThan(2)
    expect(canarySearch(program, [service.key, ...tokens])).toEqual([])
  })
})
