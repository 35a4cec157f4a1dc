// The built program with a list of companies, and the time its page spends on it.
import type { CDPSession, Page } from '@playwright/test'
import { RECORD_VARIABLE } from '../../chromium-host/recorder.ts'
import { plainCompanies, PlainService } from '../../e2e/support/plain-service.ts'
import { Program } from '../../e2e/support/program.ts'

/** A letter in every company's name, so that all of them stay in the list. */
const LETTERS = ['l', 'i', 'e']

export class CompaniesWindow {
  readonly #program = new Program()
  #service: PlainService | undefined
  #opened: { readonly page: Page; readonly devtools: CDPSession } | undefined

  /** Starts it with an empty profile and connects to a service with this many companies. */
  async open(count: number): Promise<void> {
    this.#service = await PlainService.start(plainCompanies(count))
    // Recording messages would cost more than the program spends for a user.
    const { window: page } = await this.#program.start({ env: { [RECORD_VARIABLE]: undefined } })
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    this.#opened = { page, devtools }
    await page.getByLabel('Address').fill(this.#service.url)
    await page.getByLabel('API key').fill(this.#service.key)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.locator(`[role="grid"][aria-label="Companies"][aria-rowcount="${count + 1}"]`).waitFor()
  }

  /** Processor time for one letter, as the mean of several, and for one sort, in ms. */
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

  /** Opens one of the views and waits until its rows are drawn. @returns milliseconds since the click */
  async openView(view: 'Companies' | 'Months', rows: number): Promise<number> {
    const { page } = this.#running()
    const grid = `[role="grid"][aria-label="${view}"][aria-rowcount="${rows + 1}"]`
    // Measured in the page, because Playwright spends more time on a click than the page on either view.
    const drawn = page.evaluate(
      (row) =>
        new Promise<number>((done) => {
          let began: number | null = null
          addEventListener('click', () => (began = performance.now()), { capture: true, once: true })
          const look = (): void => {
            if (began !== null && document.querySelectorAll(row).length > 5) done(performance.now() - began)
            else requestAnimationFrame(look)
          }
          requestAnimationFrame(look)
        }),
      `${grid} tbody tr`,
    )
    await page.getByRole('radio', { name: view, exact: true }).click()
    return drawn
  }

  async close(): Promise<void> {
    await Promise.all([this.#program.dispose(), this.#service?.close()])
  }

  /** The time that the page's thread is busy until the result is drawn. */
  async #spentOn(act: () => Promise<void>): Promise<number> {
    const before = await this.#spent()
    await act()
    // The result is drawn within two frames.
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
