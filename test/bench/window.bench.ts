// The built program's window with 100,000 customers, against the naive way in the same browser: first rows, all rows,
// the longest pause, search, editing a cell, and scrolling. Electron copies rows from the main process to the window in
// memory; the Chromium host passes them in files, which costs more, so this transfer is also measured alone.
import { engineName } from '../e2e/support/program.ts'
import { serveBooks } from './support/books-server.ts'
import { noTurns, partRow, pauseRow, ratioRow, type Row, type Turns } from './support/measure.ts'
import { NaiveWindow } from './support/naive-window.ts'
import { ProgramWindow } from './support/program-window.ts'

export const name = 'window'

const CUSTOMERS = 100_000
const TURNS = 5
/** Occurs in the name of one record. */
const SEARCHED = 'customer 012345'

export async function run(): Promise<readonly Row[]> {
  const books = await serveBooks(CUSTOMERS)
  let program = new ProgramWindow()
  const naive = await NaiveWindow.open()
  const ours = { first: [] as number[], all: [] as number[], read: [] as number[], crossing: [] as number[] }
  const pauses = noTurns()
  const naiveLoads: number[] = []
  try {
    for (let turn = 0; turn < TURNS; turn += 1) {
      // The program is restarted each time, so that its window has no list.
      await program.close()
      program = new ProgramWindow()
      await program.connect(books)
      const loaded = await program.getRecords(CUSTOMERS)
      const whole = await naive.load(books.listUrl)
      const alone = await program.stepsAlone(CUSTOMERS)
      ours.first.push(loaded.first)
      ours.all.push(loaded.all)
      ours.read.push(alone.read)
      ours.crossing.push(alone.crossing)
      pauses.ours.push(loaded.pause)
      pauses.peer.push(whole.pause)
      naiveLoads.push(whole.whole)
    }
    const load = (of: number[]): { readonly turns: Turns; readonly against: string } => ({
      turns: { ours: of, peer: naiveLoads },
      against: 'naive load, all rows',
    })
    return [
      ratioRow({
        what: 'First rows of 100,000',
        why: 'From **Get records** until rows are visible. The naive page fetches the list, parses it, and gives it to the grid at once.',
        ...load(ours.first),
        most: 0.25,
      }),
      partRow({
        what: '– whole list read',
        why: 'By the main process, before any row crosses.',
        ...load(ours.read),
      }),
      partRow({
        what: `– crossing alone, in ${engineName()}`,
        why: 'Every row sent to the window and dropped there.',
        ...load(ours.crossing),
      }),
      ratioRow({
        what: '– all rows in the grid',
        why: 'With the crossing.',
        ...load(ours.all),
        most: 1.1,
      }),
      pauseRow({
        what: '– longest pause of the window',
        why: 'No one can type or scroll during a pause.',
        turns: pauses,
        against: 'naive load',
        most: 50,
      }),
      ...(await inUse(program, naive)),
    ]
  } finally {
    await Promise.all([program.close(), naive.close(), books.close()])
  }
}

/** Measures search, editing a cell, and scrolling with all rows, in turns. */
async function inUse(program: ProgramWindow, naive: NaiveWindow): Promise<readonly Row[]> {
  const [search, edit, frame] = [noTurns(), noTurns(), noTurns()]
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
  return [
    ratioRow({
      what: 'Search 100,000 rows',
      why: 'From a letter until the rows are filtered, warm. The grid’s quick filter without its cache is the peer.',
      turns: search,
      against: 'the grid’s quick filter',
      most: 0.3,
    }),
    ratioRow({
      what: 'Edit one cell',
      why: 'From Enter until the cell shows it, in a list of 100,000.',
      turns: edit,
      against: 'applyTransaction',
      most: 0.3,
    }),
    ratioRow({
      what: 'Scroll 100,000 rows',
      why: '95th percentile of a frame, drawn in software. An empty page’s frame is the floor; 2.0 is two frames of 60 Hz.',
      turns: frame,
      against: 'an empty page',
      most: 2,
    }),
  ]
}
