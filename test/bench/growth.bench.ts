// Work on changed rows in the built program's window must cost no more in a long list than in a short one: changing
// rows at once, and refreshing a list.
import { type Books, serveBooks } from './support/books-server.ts'
import { noTurns, ratioRow, type Row } from './support/measure.ts'
import { NaiveWindow } from './support/naive-window.ts'
import { ProgramWindow } from './support/program-window.ts'

export const name = 'growth'

const MANY = 100_000
const FEW = 10_000
const CHANGED = 100
const MANY_CHANGED = 1_000
const TURNS = 5
/** Ten times the changes may take ten times as long. */
const MAX_FOR_TEN = 10
/**
 * The limit for work whose cost shouldn't depend on the list's length. Work that grows with the list would cost ten
 * times as much.
 */
const MAX_FOR_SAME = 2

export async function run(): Promise<readonly Row[]> {
  const naive = await NaiveWindow.open()
  try {
    const few: number[] = []
    await withList(FEW, async (program, books) => {
      for (let turn = 0; turn < TURNS; turn += 1) few.push(await readChanges(program, books, CHANGED, turn))
    })
    const [changed, manyChanged, undone] = [noTurns(), noTurns(), noTurns()]
    await withList(MANY, async (program, books) => {
      await naive.load(books.listUrl)
      for (let turn = 0; turn < TURNS; turn += 1) {
        changed.ours.push(await readChanges(program, books, CHANGED, turn))
        manyChanged.ours.push(await readChanges(program, books, MANY_CHANGED, turn))
        undone.ours.push(await program.takeBackPhones(MANY_CHANGED))
        undone.peer.push(await naive.change(MANY_CHANGED))
      }
    })
    changed.peer.push(...few)
    manyChanged.peer.push(...changed.ours)
    return [
      ratioRow({
        what: 'Undo 1,000 rows',
        why: 'From Ctrl+Z until the rows are shown. The grid’s own way to change as many rows is the peer.',
        turns: undone,
        against: 'applyTransaction',
        most: 0.5,
      }),
      ratioRow({
        what: 'Read 100 changes',
        why: '**Changed since** in a list of 100,000. Its cost should not grow with the list.',
        turns: changed,
        against: 'in 10,000 records',
        most: MAX_FOR_SAME,
      }),
      ratioRow({
        what: '– ten times the changes',
        why: 'How the cost grows with what changed.',
        turns: manyChanged,
        against: '100 changes',
        most: MAX_FOR_TEN,
      }),
    ]
  } finally {
    await naive.close()
  }
}

/** Opens a list of this many customers in the window. */
async function withList(
  customers: number,
  work: (program: ProgramWindow, books: Books) => Promise<void>,
): Promise<void> {
  const books = await serveBooks(customers)
  const program = new ProgramWindow()
  try {
    await program.connect(books)
    await program.getRecords(customers)
    await work(program, books)
  } finally {
    await Promise.all([program.close(), books.close()])
  }
}

/** **Changed since** with this many changes, in ms. */
function readChanges(program: ProgramWindow, books: Books, count: number, turn: number): Promise<number> {
  books.change(count, `(510) 555-${String(count)}${String(turn)}`)
  return program.changedSince(count)
}
