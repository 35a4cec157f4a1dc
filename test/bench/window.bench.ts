// The built program's window with 100,000 customers, against the naive way in the same browser: first rows, all rows,
// the longest pause, memory, search, editing a cell, and scrolling; how time and memory grow with the list; and opening
// its kept copy after a restart. Electron copies rows from the main process to the window in memory; the Chromium host
// passes them in files, which costs more, so this transfer is also measured alone.
import { openTemporaryKeyring } from '../../scripts/keyring.ts'
import { engineName } from '../e2e/support/program.ts'
import { type Books, serveBooks } from './support/books-server.ts'
import { mebibytes, noTurns, partRow, pauseRow, ratioRow, type Row, type Turns } from './support/measure.ts'
import { NaiveWindow } from './support/naive-window.ts'
import { type ProgramLoad, ProgramWindow, type StepsAlone } from './support/program-window.ts'

export const name = 'window'

const CUSTOMERS = 100_000
const FEWER = 10_000
const TURNS = 5
/** Occurs in the name of one record. */
const SEARCHED = 'customer 012345'
/** What people perceive as immediate, in ms. */
const IMMEDIATE = 100

interface ListLoad extends ProgramLoad {
  /** The memory of the page's script beyond that before the list, in bytes. */
  readonly heap: number
}

/** Opening the kept copy after a restart. */
interface KeptLoad extends ProgramLoad {
  /** Milliseconds until **Find anywhere** shows a record of the indexed list. */
  readonly found: number
}

interface Loads {
  readonly ours: ListLoad[]
  /** Naive loads of all rows, in ms, and their longest pauses. */
  readonly naive: number[]
  readonly naivePauses: number[]
  readonly kept: KeptLoad[]
}

/** What is measured once. */
interface Once {
  readonly fewer: ListLoad
  readonly alone: StepsAlone
}

export function run(): Promise<readonly Row[]> {
  return measure(true)
}

export function quick(): Promise<readonly Row[]> {
  return measure(false)
}

async function measure(isWhole: boolean): Promise<readonly Row[]> {
  // Copies need a keychain that outlives the program.
  const keyring = process.platform === 'linux' ? await openTemporaryKeyring() : null
  const books = await serveBooks(CUSTOMERS)
  const naive = await NaiveWindow.open()
  const loads: Loads = { ours: [], naive: [], naivePauses: [], kept: [] }
  let program = new ProgramWindow(keyring?.env)
  try {
    let alone: StepsAlone | null = null
    for (let turn = 0; turn < TURNS; turn += 1) {
      // Restarted, so that its window has no list.
      await program.close()
      program = new ProgramWindow(keyring?.env)
      loads.ours.push(await load(program, books, CUSTOMERS))
      const { whole, pause } = await naive.load(books.listUrl)
      loads.naive.push(whole)
      loads.naivePauses.push(pause)
      if (!isWhole) continue
      alone ??= await program.stepsAlone(CUSTOMERS)
      loads.kept.push(await openKept(program, turn))
    }
    // Not first, because the first start of a run is slower.
    const fewer = isWhole ? await loadFewer(new ProgramWindow(keyring?.env)) : null
    const plainHeap = await naive.plainListHeap(books.listUrl)
    return [
      ...rowsOf(loads, plainHeap, fewer && alone ? { fewer, alone } : null),
      ...(await inUse(program, naive)),
    ]
  } finally {
    await Promise.all([program.close(), naive.close(), books.close()])
    await keyring?.close()
  }
}

async function load(program: ProgramWindow, from: Books, count: number): Promise<ListLoad> {
  await program.connect(from)
  const before = await program.heap()
  const loaded = await program.getRecords(count)
  return { ...loaded, heap: (await program.heap()) - before }
}

async function loadFewer(program: ProgramWindow): Promise<ListLoad> {
  const books = await serveBooks(FEWER)
  try {
    return await load(program, books, FEWER)
  } finally {
    await Promise.all([program.close(), books.close()])
  }
}

async function openKept(program: ProgramWindow, turn: number): Promise<KeptLoad> {
  const opened = await program.openKept(CUSTOMERS)
  // The first search indexes the list.
  await program.findAnywhere('Customer 000001')
  return { ...opened, found: await program.findAnywhere(`Customer 0${String(turn)}4321`) }
}

function rowsOf(loads: Loads, plainHeap: number, once: Once | null): readonly Row[] {
  const of = (key: keyof ListLoad): readonly number[] => loads.ours.map((each) => each[key])
  const againstNaive = (ours: readonly number[]): { readonly turns: Turns; readonly against: string } => ({
    turns: { ours, peer: loads.naive },
    against: 'naive load, all rows',
  })
  return [
    ratioRow({
      what: 'First rows of 100,000',
      why: 'From **Get records** until rows are visible. The naive page fetches the list, parses it, and gives it to the grid at once.',
      ...againstNaive(of('first')),
      most: 0.25,
    }),
    ratioRow({
      what: '– all rows in the grid',
      why: 'With the crossing. The naive page has no other process to read in, and checks nothing.',
      ...againstNaive(of('all')),
      most: 1.1,
    }),
    pauseRow({
      what: '– longest pause of the window',
      why: 'No one can type or scroll during a pause.',
      turns: { ours: of('pause'), peer: loads.naivePauses },
      against: 'naive load',
      most: 50,
    }),
    ratioRow({
      what: 'Memory of 100,000 records',
      why: 'What the window’s script holds with the list on screen. The peer holds the same records in a plain array, measured once.',
      turns: { ours: of('heap'), peer: [plainHeap] },
      against: 'a plain array',
      most: 1.3,
      format: mebibytes,
    }),
    ...(once ? growthRows(loads, once) : []),
  ]
}

/** The steps alone, how the cost grows with the list, and the kept copy. */
function growthRows({ ours, naive, kept }: Loads, { fewer, alone }: Once): readonly Row[] {
  return [
    partRow({
      what: 'Read 100,000 records alone',
      why: 'By the main process, before any row crosses: how long a window that showed nothing until then would wait. Measured once.',
      turns: { ours: [alone.read], peer: naive },
      against: 'naive load, all rows',
    }),
    partRow({
      what: `– crossing alone, in ${engineName()}`,
      why: 'Every row sent to the window and dropped there. Measured once.',
      turns: { ours: [alone.crossing], peer: naive },
      against: 'naive load, all rows',
    }),
    ratioRow({
      what: '– ten times the records',
      why: 'How the time until all rows are in the grid grows with the list. The program restarts for each list. The shorter list is measured once.',
      turns: { ours: ours.map(({ all }) => all), peer: [fewer.all] },
      against: '10,000 records',
      most: 10,
    }),
    ratioRow({
      what: '– ten times the records, memory',
      why: 'How memory grows with the list. Part of it is fixed. The shorter list is measured once.',
      turns: { ours: ours.map(({ heap }) => heap), peer: [fewer.heap] },
      against: '10,000 records',
      most: 9,
      format: mebibytes,
    }),
    ratioRow({
      what: 'Show a kept list of 100,000',
      why: 'After a restart, from the click on **Records** until rows are visible. The peer is **Get records** from a service that answers at once, until all rows are there.',
      turns: { ours: kept.map(({ first }) => first), peer: ours.map(({ all }) => all) },
      against: 'reading it',
      most: 0.25,
    }),
    pauseRow({
      what: '– longest pause of the window, opening it',
      why: 'No one can type or scroll during a pause.',
      turns: { ours: kept.map(({ pause }) => pause), peer: ours.map(({ pause }) => pause) },
      against: 'reading it',
      most: 50,
    }),
    pauseRow({
      what: '– find a record in it, on screen',
      why: 'From a key in **Find anywhere** until a result is drawn, with the list indexed. The peer is what people perceive as immediate.',
      turns: { ours: kept.map(({ found }) => found), peer: [IMMEDIATE] },
      against: 'immediate',
      most: IMMEDIATE,
    }),
  ]
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
