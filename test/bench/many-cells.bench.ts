// Changes many cells at once in the window of the built program: pasting a block, setting a value for a whole column,
// and applying an import. The budget limits the longest time that the page is blocked. The naive way beside it is one
// `applyTransaction` with as many records.
import { csvFile, importDialog } from '../e2e/import/steps.ts'
import { paste } from '../e2e/records/clipboard-steps.ts'
import { answerOpenDialog } from '../e2e/support/dialogs.ts'
import { longestPause, watchPauses } from '../e2e/support/pauses.ts'
import { serveBooks } from './support/books-server.ts'
import { noTurns, pauseRow, type Row, type Turns } from './support/measure.ts'
import { NaiveWindow } from './support/naive-window.ts'
import { ProgramWindow } from './support/program-window.ts'

export const name = 'many-cells'

const CUSTOMERS = 30_000
/** Two cells in each row. */
const PASTED_ROWS = 5_000
const IMPORTED = 10_000
const TURNS = 5
const MAX_MS = 50

export async function run(): Promise<readonly Row[]> {
  const books = await serveBooks(CUSTOMERS)
  const program = new ProgramWindow()
  const naive = await NaiveWindow.open()
  const [pasted, set, planned] = [noTurns(), noTurns(), noTurns()]
  try {
    await program.connect(books)
    await program.getRecords(CUSTOMERS)
    await naive.load(books.listUrl)
    await watchPauses(program.page)
    for (let turn = 0; turn < TURNS; turn += 1) {
      pasted.ours.push(await pasteMany(program, turn))
      pasted.peer.push(await naive.change(PASTED_ROWS))
      set.ours.push(await setColumn(program, turn))
      set.peer.push(await naive.change(CUSTOMERS))
      planned.ours.push(await addPlan(program, turn))
      planned.peer.push(await naive.change(IMPORTED))
    }
    const row = (what: string, why: string, turns: Turns): Row =>
      pauseRow({ what, why, turns, against: 'applyTransaction', most: MAX_MS })
    return [
      row(
        'Paste 10,000 cells',
        'The longest pause of the window. The grid’s own change of as many rows is the peer.',
        pasted,
      ),
      row('Set a value for 30,000 rows', 'The longest pause of the window. The peer is the same.', set),
      row(
        'Add a plan of 10,000 rows',
        'The longest pause of the window while an import’s plan becomes drafts. The peer is the same.',
        planned,
      ),
    ]
  } finally {
    await Promise.all([program.close(), naive.close(), books.close()])
  }
}

/** Pastes a block over the first rows, from the key until all rows are drafts. Undoes it afterwards. */
async function pasteMany(program: ProgramWindow, turn: number): Promise<number> {
  const { page } = program
  const lines = Array.from(
    { length: PASTED_ROWS },
    (_, at) => `(628) 555-${String(at)}${String(turn)}\toffice${String(at)}.${String(turn)}@new.example`,
  )
  await firstCell(program, 'Phone')
  await longestPause(page)
  await paste(page, lines.join('\r\n'))
  await page.getByRole('dialog', { name: 'Paste' }).getByRole('button', { name: 'Paste' }).press('Enter')
  await edited(program, PASTED_ROWS)
  return taken(program)
}

/** Sets one value in a whole column, from the key until all rows are drafts. Undoes it afterwards. */
async function setColumn(program: ProgramWindow, turn: number): Promise<number> {
  const { page } = program
  await firstCell(program, 'Phone')
  await page.keyboard.press('Control+Space')
  await page.keyboard.type(`(628) 555-${String(turn)}`)
  // A page runs no timer between keys that are typed without a break, so they would look like a pause.
  await longestPause(page)
  await page.keyboard.press('Control+Enter')
  await edited(program, CUSTOMERS)
  return taken(program)
}

/** Imports a file of changed records. The measurement begins when the plan is shown. */
async function addPlan(program: ProgramWindow, turn: number): Promise<number> {
  const { page } = program
  const rows = Array.from({ length: IMPORTED }, (_, at) => [
    `80${String(at).padStart(6, '0')}-1234567890`,
    `(415) 555-${String(at)}${String(turn)}`,
  ])
  const file = csvFile(program.folder, `changes-${String(turn)}.csv`, [['ID', 'Phone'], ...rows])
  await answerOpenDialog(program.electronApp, file)
  await page.getByRole('button', { name: 'Import…' }).press('Enter')
  const dialog = importDialog(page)
  await dialog.getByRole('button', { name: 'Choose file…' }).press('Enter')
  await dialog.getByRole('button', { name: 'Continue' }).press('Enter')
  // Shows the number of changes once they are known.
  const add = dialog.getByRole('button', { name: /^Add 10,000 / })
  await add.waitFor()
  await longestPause(page)
  await add.press('Enter')
  await edited(program, IMPORTED)
  return taken(program)
}

/** Focuses a cell of the first row, wherever undoing has left the focus. */
async function firstCell({ page }: ProgramWindow, path: string): Promise<void> {
  await page.locator('.ag-row[row-id] [col-id="Name"]').first().click()
  await page.keyboard.press('Control+Home')
  await page.locator(`.ag-row[row-index="0"] [col-id="${path}"]`).click()
}

/** Returns the longest pause of the last action, then undoes the action. */
async function taken(program: ProgramWindow): Promise<number> {
  const pause = await longestPause(program.page)
  await firstCell(program, 'Email')
  await program.page.keyboard.press('Control+z')
  await edited(program, 0)
  // After an import, only its records are shown.
  await program.page.getByRole('radio', { name: /^All/ }).click()
  return pause
}

/** Waits until the chip **Changes** shows this count. */
async function edited({ page }: ProgramWindow, count: number): Promise<void> {
  const chip = page.getByRole('radio', { name: /^Changes/ })
  for (const until = Date.now() + 60_000; Date.now() < until;) {
    const said = (await chip.getAttribute('aria-label')) ?? ''
    if (Number(said.replace(/\D/g, '')) === count) return
    await page.waitForTimeout(50)
  }
  throw new Error(`After a minute there are not ${String(count)} edited rows.`)
}
