// The program's start with an empty profile: from the command until the first screen can be used, against a program of
// a few lines on the same runtime; and from the window's navigation until the first frame and the first screen are
// drawn, against the same with all other code and styles of the window (screens, grid, charts) loaded first.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { Program } from '../e2e/support/program.ts'
import { noTurns, ratioRow, type Row } from './support/measure.ts'

export const name = 'shell'

const TURNS = 5
const SMALLEST = join(import.meta.dirname, '../chromium-host/fixture-program')
const ASSETS = join(import.meta.dirname, '../../out/renderer/assets')

export async function run(): Promise<readonly Row[]> {
  const [start, frame, shell] = [noTurns(), noTurns(), noTurns()]
  // The first turn is a warm-up.
  for (let turn = 0; turn <= TURNS; turn += 1) {
    const { usable, drawn } = await startOnce()
    const smallest = await startSmallest()
    if (turn === 0) continue
    start.ours.push(usable)
    start.peer.push(smallest)
    frame.ours.push(drawn.frame)
    shell.ours.push(drawn.shell)
    for (const { peer } of [frame, shell]) peer.push(drawn.shell + drawn.rest)
  }
  return [
    ratioRow({
      what: 'Start',
      why: 'From the command until a button can be pressed, with an empty profile. A program of a few lines shows what the runtime takes.',
      turns: start,
      against: 'a program of a few lines',
      most: 1.25,
    }),
    ratioRow({
      what: 'First frame',
      why: 'From loading the page until the window is shown, with its status line. The peer loads the code of every screen first.',
      turns: frame,
      against: 'all code first',
      most: 0.4,
    }),
    ratioRow({
      what: 'Shell on screen',
      why: 'From loading the page until the first screen is drawn. The peer loads the code of every screen first.',
      turns: shell,
      against: 'all code first',
      most: 0.4,
    }),
  ]
}

export async function quick(): Promise<readonly Row[]> {
  return (await run()).filter(({ what }) => what !== 'First frame')
}

async function startOnce(): Promise<{ readonly usable: number; readonly drawn: FirstScreen }> {
  const program = new Program()
  try {
    const startedAt = performance.now()
    const { window } = await program.start()
    await window.getByRole('button', { name: 'Explore the sample' }).click({ trial: true })
    return { usable: performance.now() - startedAt, drawn: await firstScreen(window) }
  } finally {
    await program.dispose()
  }
}

async function startSmallest(): Promise<number> {
  const program = new Program({ folder: SMALLEST })
  try {
    const startedAt = performance.now()
    const { window } = await program.start()
    await window.getByRole('heading').first().waitFor()
    return performance.now() - startedAt
  } finally {
    await program.dispose()
  }
}

interface FirstScreen {
  /** Milliseconds from loading the page. */
  readonly frame: number
  readonly shell: number
  /** Milliseconds to load the code and styles of all other screens. */
  readonly rest: number
}

/** Reads when the page was drawn, then loads the rest of its code. */
async function firstScreen(window: Page): Promise<FirstScreen> {
  const files = (await readdir(ASSETS)).filter((file) => /\.(?:js|css)$/.test(file))
  return window.evaluate(async (all) => {
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    // The heading of the first screen is larger than everything in the first frame.
    const largest = await new Promise<PerformanceEntry | undefined>((seen) =>
      new PerformanceObserver((list) => seen(list.getEntries().at(-1))).observe({
        type: 'largest-contentful-paint',
        buffered: true,
      }),
    )
    if (!paint || !largest) throw new Error('Nothing was drawn.')
    const load = (file: string): Promise<unknown> => {
      const address = `/assets/${file}`
      if (file.endsWith('.js')) return import(/* @vite-ignore */ address)
      const sheet = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: address })
      document.head.append(sheet)
      return new Promise((loaded) => sheet.addEventListener('load', loaded))
    }
    const startedAt = performance.now()
    await Promise.all(all.map(load))
    const rest = performance.now() - startedAt
    return { frame: paint.startTime, shell: largest.startTime, rest }
  }, files)
}
