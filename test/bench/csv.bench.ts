// Writes CSV and checks a ledger's sums: the program's own share of a report's time.
import Papa from 'papaparse'
import { csvPieces } from '../../electron/files/csv/csv.ts'
import { checkReport } from '../../electron/rows/reports/checks.ts'
import { levelReport } from '../../shared/reports/levels.ts'
import type { RawReportRow } from '../../shared/reports/reports.ts'
import { ok, type Result } from '../../shared/result.ts'
import { byTurns, longestPause, pauseRow, ratioRow, type Row } from './support/measure.ts'

export const name = 'csv'

const ROWS = 1_000_000
const BATCH = 10_000
const LEDGER_ROWS = 200_000
const ROWS_PER_ACCOUNT = 100

/**
 * One batch of rows with eight cells each, as in a detail report. It is written repeatedly, so that memory isn't
 * measured.
 */
function batchOfRows(): string[][] {
  return Array.from({ length: BATCH }, (_, index) => [
    `Invoice ${index}`,
    '2026-02-03',
    String(1_000 + index),
    'Alder & Finch, builders',
    index % 9 === 0 ? 'a "quoted" memo' : 'a memo of some length',
    `-${index}.50`,
    '0.00',
    `${index * 3}.25`,
  ])
}

/** Yields to the event loop regularly, as between two chunks from the rows worker. */
async function* pulled(batch: string[][]): AsyncGenerator<Result<readonly (readonly string[])[]>> {
  for (let from = 0; from < ROWS; from += BATCH) {
    await new Promise((next) => setImmediate(next))
    yield ok(batch)
  }
}

async function writeOurs(batch: string[][]): Promise<void> {
  for await (const piece of csvPieces(pulled(batch))) {
    if (!piece.ok) throw new Error(piece.error.message)
    // As in the program: each piece is created after the previous one was written.
    await new Promise((next) => setImmediate(next))
  }
}

/** All rows in one piece. Only the pause is measured, so a tenth of the rows is enough. */
function writeNaively(batch: string[][]): Promise<string> {
  const rows = Array.from({ length: ROWS / 10 }, (_, index) => batch[index % BATCH] ?? [])
  return Promise.resolve(Papa.unparse(rows, { newline: '\r\n' }))
}

async function writePeer(batch: string[][]): Promise<void> {
  const encoder = new TextEncoder()
  for (let from = 0; from < ROWS; from += BATCH) {
    await new Promise((next) => setImmediate(next))
    encoder.encode(Papa.unparse(batch, { newline: '\r\n', escapeFormulae: true }))
  }
}

/** A general ledger with correct sums. */
function ledger(): RawReportRow[] {
  const rows: RawReportRow[] = []
  const row = (rowType: string, rowName: string, values: readonly string[]): void =>
    void rows.push({ rowType, name: rowName, id: '', values })
  for (let account = 0; rows.length < LEDGER_ROWS; account += 1) {
    let [debit, credit] = [0, 0]
    row('TextRow', `Account ${account}`, [])
    for (let line = 2; line < ROWS_PER_ACCOUNT; line += 1) {
      const [owed, owned] = [(account * 131 + line * 17) % 100_000, (line * 31) % 7_000]
      debit += owed
      credit += owned
      row('DataRow', 'Invoice', [
        '2026-01-02',
        `memo ${line}`,
        (owed / 100).toFixed(2),
        (owned / 100).toFixed(2),
      ])
    }
    row('SubtotalRow', `Total Account ${account}`, [
      '',
      '',
      (debit / 100).toFixed(2),
      (credit / 100).toFixed(2),
    ])
  }
  return rows
}

export async function run(): Promise<readonly Row[]> {
  const batch = batchOfRows()
  const written = await byTurns(
    () => writeOurs(batch),
    () => writePeer(batch),
  )
  const pauses = { ours: written.pauses.ours, peer: [] as number[] }
  for (let turn = 0; turn < 5; turn += 1) pauses.peer.push(await longestPause(() => writeNaively(batch)))
  const rows = levelReport(ledger())
  const text = JSON.stringify(rows)
  const checked = await byTurns(
    () => {
      const { held } = checkReport('GeneralLedger', ['Date', 'Memo', 'Debit', 'Credit'], rows)
      if (held !== LEDGER_ROWS / ROWS_PER_ACCOUNT) throw new Error(`Only ${held} sums held`)
    },
    () => JSON.parse(text) as unknown,
  )
  return [
    ratioRow({
      what: 'Write 1,000,000 rows of 8 cells as CSV',
      why: 'From rows in memory to bytes, with the guard against formulas. Papa Parse does the same in the same batches.',
      turns: written,
      against: 'papaparse',
      most: 0.75,
    }),
    pauseRow({
      what: '– longest pause, writing CSV',
      why: 'Papa Parse writes a tenth of the rows in one call.',
      turns: pauses,
      against: 'papaparse',
      most: 20,
    }),
    ratioRow({
      what: 'Check the totals of a 200,000-row ledger',
      why: 'Every total added up in exact money. Parsing the same ledger is what reading it costs anyway.',
      turns: checked,
      against: 'JSON.parse',
      most: 1,
    }),
  ]
}
