// Work on changed rows in the built program's window must cost no more in a long list than in a short one: changing
// rows at once, and refreshing a list.
import { serveBooks } from './support/books-server.ts'
import { ratioRow, type Row } from './support/measure.ts'
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

/** The cost of one list. */
interface Costs {
  /** Milliseconds of **Changed since** with this many changes. */
  readonly changed: readonly number[]
  readonly manyChanged: readonly number[]
  /** Milliseconds to undo the phone numbers of this many rows. */
  readonly takenBack: readonly number[]
  /** The same rows in one `applyTransaction` in the naive page. */
  readonly applied: readonly number[]
}

export async function run(): Promise<readonly Row[]> {
  const naive = await NaiveWindow.open()
  try {
    const few = await costs(FEW, naive)
    const many = await costs(MANY, naive)
    return [
      ratioRow({
        what: 'Undo 1,000 rows',
        why: 'From Ctrl+Z until the rows are shown. The grid’s own way to change as many rows is the peer.',
        turns: { ours: many.takenBack, peer: many.applied },
        against: 'applyTransaction',
        most: 0.5,
      }),
      ratioRow({
        what: 'Read 100 changes',
        why: '**Changed since** in a list of 100,000. Its cost should not grow with the list.',
        turns: { ours: many.changed, peer: few.changed },
        against: 'in 10,000 records',
        most: MAX_FOR_SAME,
      }),
      ratioRow({
        what: '– ten times the changes',
        why: 'How the cost grows with what changed.',
        turns: { ours: many.manyChanged, peer: many.changed },
        against: '100 changes',
        most: MAX_FOR_TEN,
      }),
    ]
  } finally {
    await naive.close()
  }
}

async function costs(customers: number, naive: NaiveWindow): Promise<Costs> {
  const books = await serveBooks(customers)
  const program = new ProgramWindow()
  const changed: number[] = []
  const manyChanged: number[] = []
  const takenBack: number[] = []
  const applied: number[] = []
  try {
    await program.connect(books)
    await program.getRecords(customers)
    await naive.load(books.listUrl)
    for (let turn = 0; turn < TURNS; turn += 1) {
      books.change(CHANGED, `(510) 555-${String(turn)}`)
      changed.push(await program.changedSince(CHANGED))
      books.change(MANY_CHANGED, `(650) 555-${String(turn)}`)
      manyChanged.push(await program.changedSince(MANY_CHANGED))
      takenBack.push(await program.takeBackPhones(MANY_CHANGED))
      applied.push(await naive.change(MANY_CHANGED))
    }
    return { changed, manyChanged, takenBack, applied }
  } finally {
    await Promise.all([program.close(), books.close()])
  }
}
