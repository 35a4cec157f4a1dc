/** Steps of the spec that kills the program: the bridge's calls, and rows as the window shows them. */
import { expect, type Page } from '@playwright/test'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Draft } from '../../../shared/contract/records.ts'
import type { Service } from '../fixture.ts'
import { columnIdOf, COMPANY, customers } from '../records/steps.ts'
import { call } from '../support/bridge.ts'

/** The list that the spec uses. */
export const LIST = 'customer'

/** Waits a random time, so that a kill can happen at any moment. */
export async function randomDelay(milliseconds: number): Promise<void> {
  await new Promise((later) => setTimeout(later, milliseconds))
}

/** Lets the window draw several frames. */
export async function waitFrames(window: Page): Promise<void> {
  await window.evaluate(async () => {
    for (let frame = 0; frame < 10; frame += 1) await new Promise((drawn) => requestAnimationFrame(drawn))
  })
}

/** The company whose books are open in the spec. */
export async function openCompany(window: Page): Promise<CompanyRef> {
  const { currentId } = await call(window, 'connection.list', {})
  const { companies } = await call(window, 'companies.list', { connectionId: currentId ?? '' })
  const company = companies.find(({ companyName }) => companyName === COMPANY)
  if (company === undefined) throw new Error(`${COMPANY} is not listed.`)
  return company.ref
}

/** Waits until nothing is being sent and nothing continues by itself. */
export async function waitUntilIdle(window: Page, company: CompanyRef): Promise<void> {
  await expect
    .poll(async () => {
      const queues = await call(window, 'activity.queues', {})
      const batches = await call(window, 'records.batches', { company, object: LIST })
      const busy = queues.filter(({ running, waiting }) => running !== null || waiting.length > 0)
      const going = batches.filter(({ phase }) => !['done', 'paused', 'stopped'].includes(phase))
      return busy.length + going.length
    })
    .toBe(0)
}

/** Returns a row's text in the window. */
export interface ShownRow {
  /** The record's ID, or another key for a record that isn't in the books yet. */
  readonly rowId: string
  readonly name: string
  readonly phone: string
  readonly outcome: string
}

/** Every row of the grid. The window must be tall enough to draw them all. */
export async function shownRows(window: Page): Promise<readonly ShownRow[]> {
  const rows = await customers(window).evaluate((grid) => {
    const cells = new Map<string, Record<string, string>>()
    for (const cell of grid.querySelectorAll('.ag-row[row-id] [col-id]')) {
      const rowId = cell.closest('[row-id]')?.getAttribute('row-id') ?? ''
      const row = cells.get(rowId) ?? {}
      row[cell.getAttribute('col-id') ?? ''] = cell.textContent.trim()
      cells.set(rowId, row)
    }
    return [...cells]
  })
  return rows.map(([rowId, row]) => ({
    rowId,
    name: row['Name'] ?? '',
    phone: row['Phone'] ?? '',
    outcome: row[columnIdOf('outcome')] ?? '',
  }))
}

/** A request that changes something, as the service received it. */
interface Write {
  readonly method: string
  readonly body: string
}

/** The service's counters. */
export async function counters(
  service: Service,
): Promise<{ readonly writes: readonly Write[]; readonly mostAtOnce: number; readonly refused: number }> {
  const { requests, mostAtOnce, refused } = (await (await fetch(service.controlUrl)).json()) as {
    readonly requests: readonly Write[]
    readonly mostAtOnce: number
    readonly refused: number
  }
  return { writes: requests.filter(({ method }) => method !== 'GET'), mostAtOnce, refused }
}

/**
 * Reads the books directly from the service. The program's queue is paused meanwhile, because this is a request, too.
 */
export async function books(
  window: Page,
  service: Service,
  { connectionId, endpointId }: CompanyRef,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  await call(window, 'activity.pause', { connectionId })
  await expect
    .poll(async () => (await call(window, 'activity.queues', {})).filter(({ running }) => running !== null))
    .toEqual([])
  const answer = await fetch(`${service.url}/v2/data/${endpointId}/${LIST}`, {
    headers: { 'x-api-key': service.key },
  })
  const { Contents } = (await answer.json()) as {
    readonly Contents: readonly { readonly Object: Readonly<Record<string, unknown>> }[]
  }
  await call(window, 'activity.resume', { connectionId })
  return Contents.map((item) => item.Object)
}

/** Saves edits as the grid does when a user types them. */
export async function saveDrafts(
  window: Page,
  company: CompanyRef,
  drafts: readonly Pick<Draft, 'draftId' | 'kind' | 'recordId' | 'before' | 'edits'>[],
): Promise<void> {
  const saved = await call(window, 'records.saveDrafts', { company, object: LIST, drafts: [...drafts] })
  expect(saved.refused).toEqual([])
}
