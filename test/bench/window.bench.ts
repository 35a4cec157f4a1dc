// The window of the built program with 100,000 customers, against the naive way in the same browser and run: first
// rows, all rows, the longest pause, search, one cell, scrolling. Crossing between the two sides is a copy in memory in
// Electron and costs more in the Chromium host, and rows are made while the next ones cross. So what is held to the
// budget is the reading, and what the page's own thread has to do with the rows: its work while they are loaded, less
// its work while the same pieces cross and are dropped.
import { engineName } from '../e2e/fixture-program.ts'
import { serveBooks } from './books-server.ts'
import { median, milliseconds, pauseRow, ratioRow, type Row } from './measure.ts'
import { NaiveWindow } from './naive-window.ts'
import { ProgramWindow } from './program-window.ts'

export const name = 'window'

const CUSTOMERS = 100_000
const TURNS = 5
/** In the name of one record of the list. */
const SEARCHED = 'customer 012345'

export async function run(): Promise<readonly Row[]> {
  const books = await serveBooks(CUSTOMERS)
  let program = new ProgramWindow()
  const naive = await NaiveWindow.open()
  const ours = { first: [] as number[], all: [] as number[], pause: [] as number[] }
  const steps = { read: [] as number[], crossing: [] as number[], without: [] as number[] }
  const peer = { whole: [] as number[], pause: [] as number[] }
  try {
    for (let turn = 0; turn < TURNS; turn += 1) {
      // Begun anew each time, so that no list is in its window.
      await program.close()
      program = new ProgramWindow()
      await program.connect(books)
      const loaded = await program.getRecords(CUSTOMERS)
      const whole = await naive.load(books.listUrl)
      const alone = await program.stepsAlone(CUSTOMERS)
      ours.first.push(loaded.first)
      ours.all.push(loaded.all)
      ours.pause.push(loaded.pause)
      steps.read.push(alone.read)
      steps.crossing.push(alone.crossing)
      steps.without.push(alone.read + loaded.busy - alone.crossingBusy)
      peer.whole.push(whole.whole)
      peer.pause.push(whole.pause)
    }
    const whole = median(peer.whole)
    const naiveLoad = 'naive load, all rows'
    return [
      ratioRow('First rows, from Get records', { ours: median(ours.first), peer: whole }, naiveLoad, 0.25),
      step('… of it the reading, until the list is held', median(steps.read), whole, naiveLoad),
      step('All rows, from Get records', median(ours.all), whole, naiveLoad),
      step(`The crossing alone, in ${engineName()}`, median(steps.crossing), whole, naiveLoad),
      ratioRow(
        'All rows, without the crossing',
        { ours: median(steps.without), peer: whole },
        naiveLoad,
        1.5,
      ),
      pauseRow('The window’s longest pause meanwhile', median(ours.pause), median(peer.pause), 100),
      ...(await inUse(program, naive)),
    ]
  } finally {
    await Promise.all([program.close(), naive.close(), books.close()])
  }
}

/** A row that explains another one, and is held to no budget. */
function step(what: string, ours: number, peer: number, peerName: string): Row {
  const against = `${peerName}: ${milliseconds(peer)}`
  return { what, ours: milliseconds(ours), against, ratio: ours / peer, budget: '–', held: true }
}

/** With all rows there: search, one cell, scrolling; by turns. */
async function inUse(program: ProgramWindow, naive: NaiveWindow): Promise<readonly Row[]> {
  const search = { ours: [] as number[], peer: [] as number[] }
  const edit = { ours: [] as number[], peer: [] as number[] }
  const frame = { ours: [] as number[], peer: [] as number[] }
  await program.search(SEARCHED)
  for (let turn = 0; turn < TURNS; turn += 1) {
    search.ours.push(await program.search(SEARCHED))
    search.peer.push(await naive.quickFilter(SEARCHED))
    frame.ours.push(await program.scrollingFrame())
    frame.peer.push(await naive.emptyFrame())
  }
  for (let turn = 0; turn < TURNS; turn += 1) {
    edit.ours.push(await program.editCell(`(415) 555-019${String(turn)}`))
    edit.peer.push(await naive.change(1))
  }
  const of = (times: { ours: number[]; peer: number[] }) => ({
    ours: median(times.ours),
    peer: median(times.peer),
  })
  return [
    ratioRow('Search in 100,000 rows, warm', of(search), 'the grid’s quick filter, uncached', 0.3),
    ratioRow('One cell, from Enter until it is shown', of(edit), 'applyTransaction', 0.3),
    ratioRow('Scrolling 100,000 rows, p95 frame', of(frame), 'an empty page’s frame', 2.2),
  ]
}
