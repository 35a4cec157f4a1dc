// The program's start. First: the time from the window's navigation until the first frame and the first screen are
// drawn, against the same with all other code and styles of the window (screens, grid, charts) loaded first. Second:
// the time from the command until the first screen can be used, against a program of a few lines on the same runtime.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Program } from '../e2e/support/program.ts'
import { byTurns, noTurns, ratioRow, type Row } from './support/measure.ts'

export const name = 'shell'

const TURNS = 5
const SMALLEST = join(import.meta.dirname, '../chromium-host/fixture-program')
const ASSETS = join(import.meta.dirname, '../../out/renderer/assets')

export async function run(): Promise<readonly Row[]> {
  const files = (await readdir(ASSETS)).filter((file) => /\.(?:js|css)$/.test(file))
  const [frame, drawn] = [noTurns(), noTurns()]
  for (let turn = 0; turn < TURNS; turn += 1) {
    const program = new Program()
    try {
      const { window } = await program.start()
      await window.getByRole('button', { name: 'Connect' }).waitFor()
      const times = await window.evaluate(async (all) => {
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
      frame.ours.push(times.frame)
      frame.peer.push(times.shell + times.rest)
      drawn.ours.push(times.shell)
      drawn.peer.push(times.shell + times.rest)
    } finally {
      await program.dispose()
    }
  }
  return [
    await usable(),
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
      turns: drawn,
      against: 'all code first',
      most: 0.4,
    }),
  ]
}

/** Starts with an empty profile. Resolves when the first button can be pressed. */
async function usable(): Promise<Row> {
  const times = await byTurns(
    () => started(new Program(), 'Explore the sample'),
    () => started(new Program({ folder: SMALLEST }), null),
  )
  return ratioRow({
    what: 'Start',
    why: 'From the command until a button can be pressed, with an empty profile. A program of a few lines shows what the runtime takes.',
    turns: times,
    against: 'a program of a few lines',
    most: 1.25,
  })
}

async function started(program: Program, button: string | null): Promise<void> {
  try {
    const { window } = await program.start()
    if (button === null) await window.getByRole('heading').first().waitFor()
    else await window.getByRole('button', { name: button }).click({ trial: true })
  } finally {
    await program.dispose()
  }
}
