// What ten times the records cost in the window of the built program, in time and in memory, and that what costs by
// what changed costs no more in a long list: rows changed at once, and a list opened again after some have changed.
import { serveBooks } from './books-server.ts'
import { median, ratioRow, type Row } from './measure.ts'
import { NaiveWindow } from './naive-window.ts'
import { ProgramWindow } from './program-window.ts'

export const name = 'growth'

const MANY = 100_000
const FEW = 10_000
const CHANGED = 100
const MANY_CHANGED = 1_000
const TURNS = 5
/** At most 2.1 times for twice the records, which is 11.7 for ten times: held to less. */
const MOST_FOR_TEN = 10.5
/** Of what should cost the same; a part that grows with the list would make it ten times. */
const MOST_FOR_SAME = 2

/** What one list cost. */
interface Costs {
  /** Milliseconds from **Get records** until all rows are there. */
  readonly all: number
  /** Bytes that the page holds with all rows, beyond what it held before. */
  readonly heap: number
  /** Milliseconds of **Changed since**, after so many changes. */
  readonly changed: number
  readonly manyChanged: number
  /** Milliseconds of so many rows' phones taken back. */
  readonly takenBack: number
  /** The same rows by one `applyTransaction`, in the naive page. */
  readonly applied: number
}

export async function run(): Promise<readonly Row[]> {
  const naive = await NaiveWindow.open()
  try {
    const few = await costs(FEW, naive)
    const many = await costs(MANY, naive)
    const books = await serveBooks(MANY)
    const plain = await naive.plainListHeap(books.listUrl)
    await books.close()
    const grown = (what: (costs: Costs) => number) => ({ ours: what(many), peer: what(few) })
    return [
      memoryRow(
        'Memory for 100,000 records in the window',
        many.heap,
        plain,
        'the same in a plain list',
        1.3,
      ),
      memoryRow('Ten times the records, memory', many.heap, few.heap, '10,000 records', MOST_FOR_TEN),
      ratioRow(
        'Ten times the records, all rows',
        grown((each) => each.all),
        '10,000 records',
        MOST_FOR_TEN,
      ),
      ratioRow(
        '1,000 rows changed, from Ctrl+Z until shown',
        { ours: many.takenBack, peer: many.applied },
        'applyTransaction',
        0.5,
      ),
      ratioRow(
        'Opening again after 100 changes',
        grown((each) => each.changed),
        'in 10,000 records',
        MOST_FOR_SAME,
      ),
      ratioRow(
        'Opening again after ten times the changes',
        { ours: many.manyChanged, peer: many.changed },
        '100 changes',
        MOST_FOR_TEN,
      ),
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
    const before = await program.heap()
    const { all } = await program.getRecords(customers)
    const heap = (await program.heap()) - before
    await naive.load(books.listUrl)
    for (let turn = 0; turn < TURNS; turn += 1) {
      books.change(CHANGED, `(510) 555-${String(turn)}`)
      changed.push(await program.changedSince(CHANGED))
      books.change(MANY_CHANGED, `(650) 555-${String(turn)}`)
      manyChanged.push(await program.changedSince(MANY_CHANGED))
      takenBack.push(await program.takeBackPhones(MANY_CHANGED))
      applied.push(await naive.change(MANY_CHANGED))
    }
    return {
      all,
      heap,
      changed: median(changed),
      manyChanged: median(manyChanged),
      takenBack: median(takenBack),
      applied: median(applied),
    }
  } finally {
    await Promise.all([program.close(), books.close()])
  }
}

function memoryRow(what: string, ours: number, peer: number, peerName: string, most: number): Row {
  const ratio = ours / peer
  const against = `${peerName}: ${megabytes(peer)}`
  return { what, ours: megabytes(ours), against, ratio, budget: `≤ ${String(most)}`, held: ratio <= most }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`
}
