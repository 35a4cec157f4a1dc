// The naive way to show the same rows in the same browser: a plain page fetches the whole list, parses it, and passes
// all rows to AG Grid at once. Unlike the program's page, it may read from any origin.
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import type { GridApi, GridOptions } from 'ag-grid-community'
import { chromiumPath } from '../../chromium-host/launch.ts'
import { heapOf } from './page-heap.ts'

/** The complete grid, for a page without modules. */
const gridBundle = join(
  import.meta.dirname,
  '../../../node_modules/ag-grid-community/dist/ag-grid-community.min.js',
)

type Item = Readonly<Record<string, unknown>>

/** State of the page's script between calls. */
interface NaivePage {
  readonly agGrid: { createGrid(host: HTMLElement, options: GridOptions<Item>): GridApi<Item> }
  naive: GridApi<Item> | undefined
}

export interface NaiveLoad {
  /** Milliseconds from the request until the first frame with all rows, and the longest pause in that time. */
  readonly whole: number
  readonly pause: number
}

export class NaiveWindow {
  readonly #browser: Browser
  readonly page: Page

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser
    this.page = page
  }

  static async open(): Promise<NaiveWindow> {
    const executablePath = chromiumPath()
    if (executablePath === undefined) throw new Error('Chromium is not installed.')
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-web-security'],
    })
    const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } })
    return new NaiveWindow(browser, page)
  }

  /** Loads the list in a new page. */
  async load(url: string): Promise<NaiveLoad> {
    const { page } = this
    await page.goto('about:blank')
    await page.setContent('<div id="grid" style="height: 700px"></div>')
    await page.addScriptTag({ path: gridBundle })
    return page.evaluate(async (from) => {
      const bench = globalThis as typeof globalThis & NaivePage
      const host = document.querySelector<HTMLElement>('#grid')
      if (!host) throw new Error('The page is not there.')
      let last = performance.now()
      let pause = 0
      const timer = setInterval(() => {
        pause = Math.max(pause, performance.now() - last)
        last = performance.now()
      }, 4)
      const startedAt = performance.now()
      const answer = await fetch(from)
      const envelope = JSON.parse(await answer.text()) as { Contents: { Object: Item }[] }
      const rows = envelope.Contents.map((each) => each.Object)
      bench.naive = bench.agGrid.createGrid(host, {
        columnDefs: Object.keys(rows[0] ?? {}).map((name) => ({
          colId: name,
          headerName: name,
          valueGetter: ({ data }) => {
            const value = data?.[name]
            return typeof value === 'object' && value !== null ? Object.values(value).join(' ') : value
          },
        })),
        rowData: rows,
        getRowId: ({ data }) => String(data['ID']),
      })
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)))
      const whole = performance.now() - startedAt
      await new Promise((later) => setTimeout(later, 20))
      clearInterval(timer)
      return { whole, pause }
    }, url)
  }

  /** The memory of an array of the records in an otherwise empty page, in bytes. */
  async plainListHeap(url: string): Promise<number> {
    const page = await this.#browser.newPage()
    try {
      const before = await heapOf(page)
      await page.evaluate(async (from) => {
        const envelope = JSON.parse(await (await fetch(from)).text()) as { Contents: { Object: Item }[] }
        Object.assign(globalThis, { plainList: envelope.Contents.map((each) => each.Object) })
      }, url)
      return (await heapOf(page)) - before
    } finally {
      await page.close()
    }
  }

  /** Milliseconds that the grid's own quick filter takes, without its cache. */
  async quickFilter(text: string): Promise<number> {
    return this.page.evaluate((words) => {
      const { naive } = globalThis as typeof globalThis & NaivePage
      naive?.setGridOption('quickFilterText', '')
      const startedAt = performance.now()
      naive?.setGridOption('quickFilterText', words)
      const took = performance.now() - startedAt
      naive?.setGridOption('quickFilterText', '')
      return took
    }, text)
  }

  /** Milliseconds to change this many records in one `applyTransaction`. */
  async change(count: number): Promise<number> {
    return this.page.evaluate((many) => {
      const { naive } = globalThis as typeof globalThis & NaivePage
      const update: Item[] = []
      for (let at = 0; at < many; at += 1) {
        const data = naive?.getDisplayedRowAtIndex(at)?.data
        if (data) update.push({ ...data, Phone: String(performance.now()) })
      }
      if (!naive || update.length < many) throw new Error(`The grid has ${String(update.length)} rows.`)
      const startedAt = performance.now()
      naive.applyTransaction({ update })
      return performance.now() - startedAt
    }, count)
  }

  /** The 95th percentile of the frame times of an empty page, in ms. */
  async emptyFrame(): Promise<number> {
    const page = await this.#browser.newPage()
    try {
      return await page.evaluate(async () => {
        const frames: number[] = []
        let last = performance.now()
        for (let frame = 0; frame < 120; frame += 1) {
          await new Promise(requestAnimationFrame)
          frames.push(performance.now() - last)
          last = performance.now()
        }
        return frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? 0
      })
    } finally {
      await page.close()
    }
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }
}
