// The built program's window, driven by roles and names as by a user, with clocks inside the page.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { RECORD_VARIABLE } from '../../chromium-host/recorder.ts'
import { paste } from '../../e2e/records/clipboard-steps.ts'
import { Program } from '../../e2e/support/program.ts'
import type { Books } from './books-server.ts'
import { heapOf } from './page-heap.ts'

const COMPANY = 'Alder & Finch Builders'
/** The window finishes its work within this time after all rows are shown, in ms. */
const AFTERWARDS = 1_500

export interface ProgramLoad {
  /** Milliseconds since the click on **Get records**. */
  readonly first: number
  readonly all: number
  /** The longest time that the page was blocked, in ms. */
  readonly pause: number
}

/** The steps before rows can be created, measured separately, in ms. */
export interface StepsAlone {
  /** Reading the list, from the call to its result. */
  readonly read: number
  /** Requesting its chunks and discarding them. */
  readonly crossing: number
}

interface Bridge {
  call(name: string, input: unknown): Promise<{ ok: boolean; value: unknown }>
}

export class ProgramWindow {
  readonly #program = new Program()
  // Recording messages would cost more than what is measured.
  readonly #env: Readonly<Record<string, string | undefined>>
  #window: Page | undefined
  #electronApp: ElectronApplication | undefined

  /** @param env additional environment variables, such as those of a keyring */
  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = { ...env, [RECORD_VARIABLE]: undefined }
  }

  get page(): Page {
    if (!this.#window) throw new Error('The program does not run.')
    return this.#window
  }

  /** Its main process. */
  get electronApp(): ElectronApplication {
    if (!this.#electronApp) throw new Error('The program does not run.')
    return this.#electronApp
  }

  /** A folder of its own. */
  get folder(): string {
    return this.#program.userData
  }

  /** Starts it with an empty profile, connects, and opens the records of a company. */
  async connect(books: Books): Promise<void> {
    const { window: page, electronApp } = await this.#program.start({ env: this.#env })
    this.#window = page
    this.#electronApp = electronApp
    await page.getByRole('textbox', { name: 'Name' }).fill('Bench')
    await page.getByRole('textbox', { name: 'Address' }).fill(books.url)
    await page.getByLabel('API key', { exact: true }).fill(books.key)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('grid', { name: 'Companies' }).getByText(COMPANY).first().dblclick()
    await page.getByRole('link', { name: 'Records' }).click()
    await page.getByRole('button', { name: 'Get records' }).first().waitFor()
    // The grid's code loads in a quarter of a second, faster than a user clicks.
    await page.locator('.ag-root').waitFor({ state: 'attached' })
  }

  /** **Get records**, until the grid says that it has this many rows. */
  getRecords(count: number): Promise<ProgramLoad> {
    return this.#load('Get records', count)
  }

  /**
   * Restarts the program once the list's copy is on disk, and opens **Records**, until the grid says that it has this
   * many rows.
   */
  async openKept(count: number): Promise<ProgramLoad> {
    const names = (): readonly string[] => {
      const folder = join(this.folder, 'lists')
      return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
    }
    while (!names().some((name) => name.endsWith('.list')) || names().some((name) => name.endsWith('.part')))
      await this.page.waitForTimeout(100)
    await this.#program.kill()
    const { window: page, electronApp } = await this.#program.start({ env: this.#env })
    this.#window = page
    this.#electronApp = electronApp
    await page.getByRole('grid', { name: 'Companies' }).getByText(COMPANY).first().waitFor()
    await page.waitForTimeout(AFTERWARDS)
    return this.#load('Records', count)
  }

  #load(pressed: string, count: number): Promise<ProgramLoad> {
    return this.page.evaluate(
      async ([words, wanted]) => {
        const button = [...document.querySelectorAll<HTMLElement>('button, a')].find((each) =>
          each.textContent.includes(words),
        )
        if (!button) throw new Error(`There is no button ${words}.`)
        let last = performance.now()
        let pause = 0
        let first = 0
        const startedAt = performance.now()
        button.click()
        for (;;) {
          await new Promise((next) => setTimeout(next, 4))
          const now = performance.now()
          pause = Math.max(pause, now - last)
          last = now
          if (first === 0 && document.querySelector('.ag-row[row-id]')) first = now - startedAt
          const rows = Number(document.querySelector('[aria-rowcount]')?.getAttribute('aria-rowcount') ?? 0)
          if (rows >= wanted) return { first, all: now - startedAt, pause }
          if (now - startedAt > 180_000)
            throw new Error(`After three minutes there were ${String(rows)} rows.`)
        }
      },
      [pressed, count] as const,
    )
  }

  async stepsAlone(count: number): Promise<StepsAlone> {
    // The checks that the window makes once all rows are shown aren't one of these steps.
    await this.page.waitForTimeout(AFTERWARDS)
    return this.page.evaluate(
      async ([name, all]) => {
        const { bookbridge } = globalThis as typeof globalThis & { bookbridge: Bridge }
        const { currentId } = (await bookbridge.call('connection.list', {})).value as { currentId: string }
        const { companies } = (await bookbridge.call('companies.list', { connectionId: currentId }))
          .value as {
          companies: { ref: unknown; companyName: string }[]
        }
        const company = companies.find((each) => each.companyName.startsWith(name))?.ref
        const filter = { modifiedFrom: null, modifiedTo: null, ids: [] }
        const readAt = performance.now()
        const opened = await bookbridge.call('records.open', { company, object: 'customer', filter })
        if (!opened.ok) throw new Error(`The list was not opened: ${JSON.stringify(opened)}`)
        const { setId } = opened.value as { setId: string }
        const crossAt = performance.now()
        for (let from = 0; from < all; from += 1_000) {
          await bookbridge.call('records.rows', { setId, from, count: 1_000 })
        }
        const crossing = performance.now() - crossAt
        await bookbridge.call('records.close', { setId })
        return { read: crossAt - readAt, crossing }
      },
      [COMPANY, count] as const,
    )
  }

  /** Milliseconds from typing into **Search** until the grid shows the result. Then the search is cleared. */
  async search(text: string): Promise<number> {
    return this.page.evaluate(async (words) => {
      const box = document.querySelector<HTMLInputElement>('input[type="search"]')
      const grid = document.querySelector('[aria-rowcount]')
      if (!box || !grid) throw new Error('There is nothing to search.')
      const type = async (value: string): Promise<number> => {
        const before = grid.getAttribute('aria-rowcount')
        const startedAt = performance.now()
        box.value = value
        box.dispatchEvent(new InputEvent('input', { bubbles: true }))
        while (grid.getAttribute('aria-rowcount') === before) await new Promise((next) => setTimeout(next, 0))
        return performance.now() - startedAt
      }
      const took = await type(words)
      await type('')
      return took
    }, text)
  }

  /**
   * Milliseconds from a text typed into **Find anywhere** until a record is shown. Other texts must find something
   * else first, so that the lists are indexed and earlier results are gone.
   */
  async findAnywhere(text: string): Promise<number> {
    const { page } = this
    await page.keyboard.press('Control+Shift+F')
    const took = await page.getByRole('combobox', { name: 'Find anywhere' }).evaluate(async (box, words) => {
      const shown = (): string | null | undefined => document.querySelector('[role="option"]')?.textContent
      const startedAt = performance.now()
      const input = box as HTMLInputElement
      input.value = words
      input.dispatchEvent(new InputEvent('input', { bubbles: true }))
      while (!shown()?.includes(words)) {
        if (performance.now() - startedAt > 60_000) throw new Error(`Nothing was found for “${words}”.`)
        await new Promise((next) => setTimeout(next, 0))
      }
      return performance.now() - startedAt
    }, text)
    await page.keyboard.press('Escape')
    return took
  }

  /**
   * Types a phone number into the first row. Returns the milliseconds from the Enter that ends the edit until the cell
   * shows it.
   */
  async editCell(text: string): Promise<number> {
    const { page } = this
    const cell = page.locator('.ag-row[row-index="0"] [col-id="Phone"]')
    await cell.click()
    await page.keyboard.type(text)
    return page.evaluate(async (wanted) => {
      const input = document.activeElement
      const startedAt = performance.now()
      input?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', bubbles: true }))
      for (;;) {
        const shown = document.querySelector('.ag-row[row-index="0"] [col-id="Phone"]')
        if (shown?.textContent.includes(wanted) && !shown.querySelector('input')) break
        if (performance.now() - startedAt > 20_000) throw new Error('The edit was not taken.')
        await new Promise((next) => setTimeout(next, 0))
      }
      return performance.now() - startedAt
    }, text)
  }

  /** **Changed since**, until the screen says that this many have changed; in ms. */
  async changedSince(count: number): Promise<number> {
    const button = this.page.getByRole('button', { name: 'Refresh', exact: true })
    return button.evaluate(
      async (element, words) => {
        const says = (): boolean => document.querySelector('main')?.textContent.includes(words) ?? false
        const startedAt = performance.now()
        if (element instanceof HTMLElement) element.click()
        // The previous message disappears first.
        for (const awaited of [false, true]) {
          while (says() !== awaited) {
            if (performance.now() - startedAt > 60_000) throw new Error(`It never said “${words}”.`)
            await new Promise((next) => setTimeout(next, 0))
          }
        }
        return performance.now() - startedAt
      },
      `${count.toLocaleString('en')} changed`,
    )
  }

  /**
   * Pastes this many phone numbers over the first rows, and undoes it. Returns the milliseconds from Ctrl+Z until the
   * first row shows it.
   */
  async takeBackPhones(count: number): Promise<number> {
    const { page } = this
    const phone = page.locator('.ag-row[row-index="0"] [col-id="Phone"]')
    await page.locator('.ag-row[row-id] [col-id="Name"]').first().click()
    await page.keyboard.press('Control+Home')
    await phone.click()
    const before = await phone.textContent()
    await paste(page, Array.from({ length: count }, (_, at) => `pasted ${String(at)}`).join('\r\n'))
    await page.getByRole('dialog', { name: 'Paste' }).getByRole('button', { name: 'Paste' }).press('Enter')
    await page.getByRole('radio', { name: `Changes ${count.toLocaleString('en')}` }).waitFor()
    await phone.click()
    const took = await page.evaluate(async (wanted) => {
      const shown = (): string | null | undefined =>
        document.querySelector('.ag-row[row-index="0"] [col-id="Phone"]')?.textContent
      const startedAt = performance.now()
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'z', code: 'KeyZ', ctrlKey: true, bubbles: true }),
      )
      while (shown() !== wanted) {
        if (performance.now() - startedAt > 20_000) throw new Error('It was not taken back.')
        await new Promise((next) => setTimeout(next, 0))
      }
      return performance.now() - startedAt
    }, before)
    await page.getByRole('radio', { name: 'Changes 0' }).waitFor()
    return took
  }

  /** The memory of the page's script, in bytes. */
  async heap(): Promise<number> {
    return heapOf(this.page)
  }

  /** The 95th percentile of the frame times while the grid is scrolled, in ms. */
  async scrollingFrame(): Promise<number> {
    return this.page.evaluate(async () => {
      let viewport = document.querySelector('.ag-row[row-id]')
      while (viewport && viewport.scrollHeight < viewport.clientHeight + 1_000)
        viewport = viewport.parentElement
      if (!viewport) throw new Error('There is nothing to scroll.')
      const frames: number[] = []
      viewport.scrollTop = 0
      await new Promise(requestAnimationFrame)
      let last = performance.now()
      for (let frame = 0; frame < 120; frame += 1) {
        viewport.scrollTop += 600
        await new Promise(requestAnimationFrame)
        frames.push(performance.now() - last)
        last = performance.now()
      }
      viewport.scrollTop = 0
      await new Promise(requestAnimationFrame)
      return frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? 0
    })
  }

  async close(): Promise<void> {
    await this.#program.dispose()
  }
}
