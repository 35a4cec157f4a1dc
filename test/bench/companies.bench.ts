// The list of companies with 500 in it against 50, in the built program: what the page's thread spends on a letter
// typed into **Search** and on a sort. Its processor time is taken, not the time that passes: what else the machine
// does meanwhile is not counted.
import type { CDPSession, Page } from '@playwright/test'
import { RECORD_VARIABLE } from '../chromium-host/recorder.ts'
import { Program } from '../e2e/fixture-program.ts'
import { PlainService, plainCompanies } from '../e2e/plain-service.ts'
import { noTurns, ratioRow, type Row } from './measure.ts'

export const name = 'companies'

const MANY = 500
const FEW = 50
const TURNS = 5
const MOST = 2.5
/** In the name of every company, so that all of them stay in the list. */
const LETTERS = ['l', 'i', 'e']

export async function run(): Promise<readonly Row[]> {
  const many = new CompaniesWindow()
  const few = new CompaniesWindow()
  const [typing, sorting] = [noTurns(), noTurns()]
  try {
    await many.open(MANY)
    await few.open(FEW)
    // Once more than is counted, to warm up.
    for (let turn = 0; turn <= TURNS; turn += 1) {
      const [ours, peer] = [await many.work(), await few.work()]
      if (turn === 0) continue
      typing.ours.push(ours.letter)
      typing.peer.push(peer.letter)
      sorting.ours.push(ours.sort)
      sorting.peer.push(peer.sort)
    }
  } finally {
    await Promise.all([many.close(), few.close()])
  }
  return [
    ratioRow({
      what: `Search ${MANY} companies`,
      why: 'Processor time of the page for one letter, until it is drawn. A tenth of the companies shows how the cost grows.',
      turns: typing,
      against: `${FEW} companies`,
      most: MOST,
    }),
    ratioRow({
      what: `Sort ${MANY} companies`,
      why: 'Processor time of the page for one click on a heading, until it is drawn.',
      turns: sorting,
      against: `${FEW} companies`,
      most: MOST,
    }),
  ]
}

class CompaniesWindow {
  readonly #program = new Program()
  #service: PlainService | undefined
  #opened: { readonly page: Page; readonly devtools: CDPSession } | undefined

  /** Starts it with an empty profile, and connects to a service with so many companies. */
  async open(count: number): Promise<void> {
    this.#service = await PlainService.start(plainCompanies(count))
    // Keeping what crosses would cost the program more than it does for a person.
    const { window: page } = await this.#program.start({ env: { [RECORD_VARIABLE]: undefined } })
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    this.#opened = { page, devtools }
    await page.getByLabel('Address').fill(this.#service.url)
    await page.getByLabel('API key').fill(this.#service.key)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.locator(`[role="grid"][aria-label="Companies"][aria-rowcount="${count + 1}"]`).waitFor()
  }

  /** The work of one letter, the mean of several, and of one sort; in ms of the processor. */
  async work(): Promise<{ readonly letter: number; readonly sort: number }> {
    const { page } = this.#running()
    const search = page.getByRole('searchbox', { name: 'Search' })
    let letters = 0
    for (const letter of LETTERS) letters += await this.#spentOn(() => search.press(letter))
    await search.fill('')
    const heading = page.getByRole('columnheader', { name: 'Company file' })
    const sort = await this.#spentOn(() => heading.click())
    return { letter: letters / LETTERS.length, sort }
  }

  async close(): Promise<void> {
    await Promise.all([this.#program.dispose(), this.#service?.close()])
  }

  /** What the page's thread spends until the outcome is drawn. */
  async #spentOn(act: () => Promise<void>): Promise<number> {
    const before = await this.#spent()
    await act()
    // Two frames on: it is drawn.
    await this.#running().page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    )
    return (await this.#spent()) - before
  }

  async #spent(): Promise<number> {
    const { metrics } = await this.#running().devtools.send('Performance.getMetrics')
    const found = metrics.find((metric) => metric.name === 'TaskDuration')
    if (!found) throw new Error('Chromium does not say how long the page was at work.')
    return found.value * 1_000
  }

  #running(): { readonly page: Page; readonly devtools: CDPSession } {
    if (!this.#opened) throw new Error('The program does not run.')
    return this.#opened
  }
}
