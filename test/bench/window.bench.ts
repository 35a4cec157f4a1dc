// The built program's window with 100,000 customers, against the naive way in the same browser: first rows, all rows,
// the longest pause, memory, search, editing a cell, and scrolling; and how time and memory grow with the list. Electron
// copies rows from the main process to the window in memory; the Chromium host passes them in files, which costs more, so
// this transfer is also measured alone.
import { engineName } from '../e2e/support/program.ts'
import { type Books, serveBooks } from './support/books-server.ts'
import { mebibytes, noTurns, partRow, pauseRow, ratioRow, type Row, type Turns } from './support/measure.ts'
import { NaiveWindow } from './support/naive-window.ts'
import { type ProgramLoad, ProgramWindow } from './support/program-window.ts'

export const name = 'window'

const CUSTOMERS = 100_000
const FEWER = 10_000
const TURNS = 5
/** Occurs in the name of one record. */
const SEARCHED = 'customer 012345'

export async function run(): Promise<readonly Row[]> {
  const books = await serveBooks(CUSTOMERS)
  const fewer = await serveBooks(FEWER)
  let program = new ProgramWindow()
  const naive = await NaiveWindow.open()
  const ours = { first: [] as number[], all: [] as number[], read: [] as number[], crossing: [] as number[] }
  const [pauses, memory] = [noTurns(), noTurns()]
  const small = { all: [] as number[], heap: [] as number[] }
  const naiveLoads: number[] = []
  /** Restarts the program, so that its window has no list, and loads one. */
  const load = async (from: Books, count: number): Promise<ProgramLoad & { readonly heap: number }> => {
    await program.close()
    program = new ProgramWindow()
    await program.connect(from)
    const before = await program.heap()
    const loaded = await program.getRecords(count)
    return { ...loaded, heap: (await program.heap()) - before }
  }
  try {
    for (let turn = 0; turn < TURNS; turn += 1) {
      const few = await load(fewer, FEWER)
      const loaded = await load(books, CUSTOMERS)
      const whole = await naive.load(books.listUrl)
      const alone = await program.stepsAlone(CUSTOMERS)
      ours.first.push(loaded.first)
      ours.all.push(loaded.all)
      ours.read.push(alone.read)
      ours.crossing.push(alone.crossing)
      pauses.ours.push(loaded.pause)
      pauses.peer.push(whole.pause)
      naiveLoads.push(whole.whole)
      memory.ours.push(loaded.heap)
      memory.peer.push(await naive.plainListHeap(books.listUrl))
      small.all.push(few.all)
      small.heap.push(few.heap)
    }
    const againstNaive = (of: number[]): { readonly turns: Turns; readonly against: string } => ({
      turns: { ours: of, peer: naiveLoads },
      against: 'naive load, all rows',
    })
    return [
      ratioRow({
        what: 'First rows of 100,000',
        why: 'From **Get records** until rows are visible. The naive page fetches the list, parses it, and gives it to the grid at once.',
        ...againstNaive(ours.first),
        most: 0.25,
      }),
      partRow({
        what: '– whole list read',
        why: 'By the main process, before any row crosses: how long a window that showed nothing until then would wait.',
        ...againstNaive(ours.read),
      }),
      partRow({
        what: `– crossing alone, in ${engineName()}`,
        why: 'Every row sent to the window and dropped there.',
        ...againstNaive(ours.crossing),
      }),
      ratioRow({
        what: '– all rows in the grid',
        why: 'With the crossing. The naive page has no other process to read in, and checks nothing.',
        ...againstNaive(ours.all),
        most: 1.1,
      }),
      pauseRow({
        what: '– longest pause of the window',
        why: 'No one can type or scroll during a pause.',
        turns: pauses,
        against: 'naive load',
        most: 50,
      }),
      ratioRow({
        what: '– ten times the records',
        why: 'How the time until all rows are in the grid grows with the list. The program restarts for each list.',
        turns: { ours: ours.all, peer: small.all },
        against: '10,000 records',
        most: 10,
      }),
      ratioRow({
        what: 'Memory of 100,000 records',
        why: 'What the window’s script holds with the list on screen. The peer holds the same records in a plain array.',
        turns: memory,
        against: 'a plain array',
        most: 1.3,
        format: mebibytes,
      }),
      ratioRow({
        what: '– ten times the records, memory',
        why: 'How memory grows with the list. Part of it is fixed.',
        turns: { ours: memory.ours, peer: small.heap },
        against: '10,000 records',
        most: 9,
        format: mebibytes,
      }),
      ...(await inUse(program, naive)),
    ]
  } finally {
    await Promise.all([program.close(), naive.close(), books.close(), fewer.close()])
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
      why: 'From Enter until the cell shows it, in a list of 100,000. The grid’s own change of one record is the least that this costs.',
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
