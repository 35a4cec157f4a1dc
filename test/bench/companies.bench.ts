// The list of companies with 500 rows against 50, in the built program: time that the page's thread spends on a letter
// typed into **Search** and on a sort. It measures processor time, so other work on the machine doesn't count.
import { CompaniesWindow } from './support/companies-window.ts'
import { noTurns, ratioRow, type Row } from './support/measure.ts'

export const name = 'companies'

const MANY = 500
const FEW = 50
const TURNS = 5
const MAX_RATIO = 2.5

export async function run(): Promise<readonly Row[]> {
  const many = new CompaniesWindow()
  const few = new CompaniesWindow()
  const [typing, sorting] = [noTurns(), noTurns()]
  try {
    await many.open(MANY)
    await few.open(FEW)
    // The first turn is a warm-up.
    for (let turn = 0; turn <= TURNS; turn += 1) {
      const [ours, peer] = [await many.work(), await few.work()]
      if (turn === 0) continue
      typing.ours.push(ours.letter)
      typing.peer.push(peer.letter)
      sorting.ours.push(ours.sort)
      sorting.peer.push(peer.sort)
    }
  } finally {
    await Promise.all([many.close(), few.close()])
  }
  return [
    ratioRow({
      what: `Search ${MANY} companies`,
      why: 'Processor time of the page for one letter, until it is drawn. A tenth of the companies shows how the cost grows.',
      turns: typing,
      against: `${FEW} companies`,
      most: MAX_RATIO,
    }),
    ratioRow({
      what: `Sort ${MANY} companies`,
      why: 'Processor time of the page for one click on a heading, until it is drawn.',
      turns: sorting,
      against: `${FEW} companies`,
      most: MAX_RATIO,
    }),
  ]
}
