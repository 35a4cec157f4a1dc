// Reviewing a month from its kept copies, against parsing the responses once; and opening **Months** for 500 companies,
// against opening **Companies**.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createListMemory, evaluateMonth } from '../../electron/app/review/evaluate.ts'
import { newMonth } from '../../electron/app/review/reading.ts'
import { createListedRecordReader, type FullReport } from '../../electron/review/evidence/evidence.ts'
import { checkReport } from '../../electron/rows/reports/checks.ts'
import type { StoredCompany } from '../../electron/store/companies.ts'
import { digestCopy, type MonthCopy, type MonthStore, packPart } from '../../electron/store/months.ts'
import { openStore } from '../../electron/store/store.ts'
import type { KeptMonth, KeptReading } from '../../shared/contract/review.ts'
import type { RecordData } from '../../shared/records/changes.ts'
import { columnsOf, levelReport } from '../../shared/reports/levels.ts'
import type { RawReportRow } from '../../shared/reports/reports.ts'
import { createEmptyStore, makeTestFolder } from '../empty-store.ts'
import { evidenceOfMade, type MadeBooks, makeBooks } from '../unit/review/books.ts'
import { CompaniesWindow } from './support/companies-window.ts'
import { customersBody } from './support/customers.ts'
import { byTurns, noTurns, ratioRow, type Row } from './support/measure.ts'

export const name = 'review'

const LEDGER_ROWS = 200_000
const RECORDS = 100_000
const MONTH = '2026-03'
/** Rows per part of a copy, as in the program. */
const AT_ONCE = 2_000
const COMPANIES = 500
const TURNS = 7

const COMPANY = {
  ref: { connectionId: 'connection', endpointId: 'company' },
  companyName: 'Cedar & Holm',
  application: 'qbd',
  applicationName: 'Desktop',
  fiscalYearStart: 1,
} as StoredCompany

export async function run(): Promise<readonly Row[]> {
  return [await reviewOfOne(), await openMonths()]
}

async function reviewOfOne(): Promise<Row> {
  const folder = makeTestFolder()
  try {
    createEmptyStore(folder)
    const opened = openStore(join(folder, 'bookbridge.sqlite'), { now: () => Date.parse(`${MONTH}-31`) })
    if (!opened.ok) throw new Error(opened.error.message)
    const { months } = opened.value
    const ledger = ledgerRows()
    const answers = [new TextEncoder().encode(JSON.stringify(ledger)), customersBody(RECORDS)]
    const books = makeBooks()
    const { value, reports } = keep(months, books, ledger)
    for (const report of reports) answers.push(new TextEncoder().encode(JSON.stringify(report.rows)))
    const decoder = new TextDecoder()
    const parse = (): void => {
      for (const answer of answers) JSON.parse(decoder.decode(answer))
    }
    const records = recordsIn(customersBody(RECORDS))
    const vendors = books.lists.get('vendors') ?? []
    const memory = createListMemory(3 * RECORDS)
    const ours = async (): Promise<void> => {
      memory.put(COMPANY.ref, 'customers', records.map(createListedRecordReader('customers')))
      memory.put(COMPANY.ref, 'vendors', vendors)
      const outcomes = await evaluateMonth(months, memory, COMPANY, MONTH, value)
      const unchecked = outcomes.filter(({ result }) => result === 'not-checked').map(({ rule }) => rule)
      if (unchecked.length > 0) throw new Error(`Not checked: ${unchecked.join(', ')}.`)
    }
    const turns = await byTurns(ours, parse)
    opened.value.close()
    return ratioRow({
      what: 'Review a month: 200,000 rows of a ledger, 100,000 customers',
      why: 'Opening the kept copies, with their checksums, and running every rule. Parsing the answers is what reading them costs anyway.',
      turns,
      against: 'JSON.parse',
      most: 1,
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function recordsIn(body: Uint8Array): readonly RecordData[] {
  const envelope = JSON.parse(new TextDecoder().decode(body)) as {
    readonly Contents: readonly { readonly Object: RecordData }[]
  }
  return envelope.Contents.map(({ Object: record }) => record)
}

/** Keeps a month with the reports of generated books and a long ledger. */
function keep(
  months: MonthStore,
  books: MadeBooks,
  ledger: readonly RawReportRow[],
): { readonly value: KeptMonth; readonly reports: readonly FullReport[] } {
  const evidence = evidenceOfMade(books)
  const fresh = newMonth(COMPANY, MONTH)
  const reports: FullReport[] = []
  const copies: MonthCopy[] = []
  const readings = fresh.readings.map((reading): KeptReading => {
    const { source, kind } = reading
    const read = { ...reading, state: 'read', readAt: '2026-04-01T08:00:00.000Z' } as const
    if (source === 'customers' || source === 'vendors') return read
    if (kind === 'list') {
      copies.push(copyOf(source, {}, books.lists.get(source) ?? []))
      return { ...read, copyId: source }
    }
    const given = source === 'ledger' ? ledgerStatement(ledger) : evidence.statement(source)
    if (!given.ok) return { ...read, state: 'failed', reason: 'It was not made.' }
    if (source !== 'ledger') reports.push(given.value)
    const { rows, ...head } = given.value
    copies.push(copyOf(source, { ...head, name: reading.name }, rows))
    return { ...read, copyId: source }
  })
  const value: KeptMonth = { ...fresh, readings }
  months.save(COMPANY.ref, MONTH, { value })
  for (const copy of copies) months.save(COMPANY.ref, MONTH, { copy })
  return { value, reports }
}

function copyOf(copyId: string, head: object, rows: readonly unknown[]): MonthCopy {
  const parts: Uint8Array[] = []
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    parts.push(Buffer.from(JSON.stringify(rows.slice(from, from + AT_ONCE))))
  }
  const text = JSON.stringify(head)
  return { copyId, head: text, parts: parts.map(packPart), digest: digestCopy(text, parts) }
}

function ledgerStatement(raw: readonly RawReportRow[]): { readonly ok: true; readonly value: FullReport } {
  const { columns } = columnsOf(['Entry', 'Debit', 'Credit', 'Balance'], raw)
  const rows = levelReport(raw)
  const checks = checkReport('GeneralLedger', columns, rows)
  return {
    ok: true,
    value: { name: 'GeneralLedger', from: `${MONTH}-01`, to: `${MONTH}-31`, columns, rows, checks },
  }
}

/** Entries of two rows each, in 400 accounts. */
function ledgerRows(): RawReportRow[] {
  const rows: RawReportRow[] = []
  const perAccount = 500
  for (let account = 0; rows.length < LEDGER_ROWS; account += 1) {
    const id = `80000${String(account)}-1234567890`
    rows.push({ rowType: 'TextRow', name: `${String(1_000 + account)} · Account`, id, values: [] })
    for (let at = 0; at < perAccount - 2; at += 1) {
      const entry = (account >> 1) * perAccount + at
      const day = String(1 + (entry % 31)).padStart(2, '0')
      const amount = `${String(10 + (entry % 9_000))}.${String(10 + (entry % 90))}`
      rows.push({
        rowType: 'DataRow',
        name: `${MONTH}-${day}, Bill, ${String(entry)}, Cedar & Holm Supply, Materials`,
        id: `v${String(entry % 300)}`,
        values: account % 2 === 0 ? [amount, '', amount] : ['', amount, amount],
      })
    }
    rows.push({ rowType: 'SubtotalRow', name: `Total ${String(1_000 + account)} · Account`, id, values: [] })
  }
  return rows
}

async function openMonths(): Promise<Row> {
  const window = new CompaniesWindow()
  const turns = noTurns()
  try {
    await window.open(COMPANIES)
    // The first turn is a warm-up.
    for (let turn = 0; turn <= TURNS; turn += 1) {
      const ours = await window.openView('Months', COMPANIES)
      const peer = await window.openView('Companies', COMPANIES)
      if (turn === 0) continue
      turns.ours.push(ours)
      turns.peer.push(peer)
    }
  } finally {
    await window.close()
  }
  return ratioRow({
    what: `Open the months of ${String(COMPANIES)} companies`,
    why: 'From the click on Months until its rows are drawn, and the same for Companies.',
    turns,
    against: 'Companies',
    most: 1.25,
  })
}
