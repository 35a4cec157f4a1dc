/** A long list without pauses: 10,000 customers read, searched, sorted, scrolled, and filtered by chips. */
import { expect, test } from '../fixture.ts'
import { longestPause, slowness, watchPauses } from '../support/pauses.ts'
import { cell, count, customers, getRecords, openBooks, rowIdAt, type } from './steps.ts'

const CUSTOMERS = 10_000
/** A pause that a user notices, in ms, on an idle machine. */
const NOTICED = 150
const ROUNDS = 3

test(
  '10,000 customers are loaded, searched, sorted, scrolled, and selected without a pause',
  {
    tag: '@deep',
  },
  async ({ window, startService }, testInfo) => {
    const service = await startService({ customers: CUSTOMERS })
    await openBooks(window, service)
    await getRecords(window)
    await expect.poll(() => count(window, 'All')).toBeGreaterThanOrEqual(CUSTOMERS)
    const rows = async (): Promise<number> => Number(await customers(window).getAttribute('aria-rowcount'))
    await expect.poll(rows).toBeGreaterThan(CUSTOMERS)
    await watchPauses(window)
    const search = window.getByRole('searchbox', { name: 'Search' })
    const heading = (path: string) => customers(window).locator(`.ag-header-cell[col-id="${path}"]`)

    const works: Readonly<Record<string, () => Promise<unknown>>> = {
      get: async () => {
        await getRecords(window)
        await expect.poll(rows).toBeGreaterThan(CUSTOMERS)
      },
      search: async () => {
        await search.fill('alder')
        await expect.poll(rows).toBeLessThan(CUSTOMERS)
        await search.fill('')
        await expect.poll(rows).toBeGreaterThan(CUSTOMERS)
      },
      'sort by text': async () => {
        await heading('Phone').click()
        await expect(heading('Phone')).not.toHaveAttribute('aria-sort', 'none')
      },
      'sort by address': async () => heading('BillingAddress').click(),
      scroll: async () => {
        await customers(window).hover()
        for (let step = 0; step < 10; step += 1) await window.mouse.wheel(0, 4_000)
      },
      chips: async () => {
        await window.getByRole('radio', { name: /^Changes/ }).click()
        await window.getByRole('radio', { name: /^All/ }).click()
        await expect.poll(rows).toBeGreaterThan(CUSTOMERS)
      },
    }
    await type(window, cell(window, await rowIdAt(window, 0), 'Phone'), '(415) 555-0190')

    // The program's own pauses occur in every round, those of the machine only in some, so the shortest one counts.
    const shortest = new Map<string, number>()
    const slow: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      slow.push(await slowness(window))
      for (const [name, work] of Object.entries(works)) {
        await longestPause(window)
        await work()
        shortest.set(name, Math.min(shortest.get(name) ?? Infinity, await longestPause(window)))
      }
    }
    const factor = Math.min(...slow)
    const pauses = [...shortest].map(([name, pause]) => `${name}: ${pause.toFixed(0)} ms`).join(', ')
    testInfo.annotations.push({
      type: 'longest pauses',
      description: `${pauses}; slowness ${factor.toFixed(1)}`,
    })
    for (const [name, pause] of shortest)
      expect(pause, `${name}, of ${pauses}`).toBeLessThan(NOTICED * factor)
  },
)
