// Saving a large list as a workbook with bounded memory and short pauses, and reading one for import.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { csvPieces } from '../../electron/files/csv/csv.ts'
import { type RecordsExport, recordsWorkbook } from '../../electron/files/csv/records-export.ts'
import { createImportFiles, type ImportFiles } from '../../electron/files/import/import-files.ts'
import { writeFileAtomically } from '../../electron/files/write-file.ts'
import { proposeColumns } from '../../renderer/records/import/columns/headings.ts'
import { type ImportRow, withHeadings } from '../../shared/import/table.ts'
import type { RecordData } from '../../shared/records/changes.ts'
import { objectDefinition } from '../../shared/records/definition.ts'
import { importPaths, pathHeading } from '../../shared/records/fields.ts'
import { ok, type Result } from '../../shared/result.ts'
import { IMPORT_OPTIONS } from '../import-options.ts'
import { planImport } from '../import-sync.ts'
import { byTurns, longestPause, noTurns, pauseRow, ratioRow, type Row } from './support/measure.ts'

export const name = 'files'

const ROWS = 200_000
/** Rows of the workbook that is read. */
const READ_ROWS = 40_000
const BATCH = 1_000
const IMPORTED = 10_000

/** Rows with ten cells, as in a list. One batch is written repeatedly, so that its memory isn't measured. */
const BATCH_OF_ROWS = Array.from({ length: BATCH }, (_, index) => [
  `8000-${index}`,
  `Customer ${index}`,
  'Alder & Finch, builders',
  `555-01${index}`,
  `someone${index}@example.com`,
  'Net 30',
  'Bath',
  `-${index}.50`,
  index % 7 === 0 ? 'false' : 'true',
  '2026-02-03T10:00:00+00:00',
])

async function* batches(rowCount: number): ReturnType<RecordsExport['rows']> {
  for (let from = 0; from < rowCount; from += BATCH) {
    await new Promise((next) => setImmediate(next))
    yield ok(BATCH_OF_ROWS)
  }
}

const RECORDS: RecordsExport = {
  companyName: 'Alder & Finch',
  application: 'Desktop',
  list: 'Customers',
  readAt: '2026-03-31T09:00:00Z',
  askedFor: '',
  partialReason: '',
  withDrafts: false,
  columns: [
    ...['ID', 'Name', 'Company name', 'Phone', 'Email', 'Terms', 'City'].map((heading) => ({
      heading,
      type: 'text' as const,
    })),
    { heading: 'Balance', type: 'money' },
    { heading: 'Active', type: 'boolean' },
    { heading: 'Created', type: 'timestamp' },
  ],
  rows: () => batches(ROWS),
}

async function writeWorkbook(path: string, records = RECORDS): Promise<void> {
  const options = { negatives: 'minus', madeAt: records.readAt } as const
  const saved = await writeFileAtomically(path, recordsWorkbook(records, options))
  if (!saved.ok) throw new Error(saved.error.message)
}

/** Cells without references, styles, or escapes. */
function plainLine(cells: readonly string[]): string {
  return cells
    .map((cell) => `<c r="AA1" s="3" t="inlineStr"><is><t xml:space="preserve">${cell}</t></is></c>`)
    .join('')
}

/** The same rows through the same zip writer without cells, styles, or escapes: the cost of compression alone. */
async function writeZipped(path: string): Promise<void> {
  const zip = new ZipFile()
  const lines = async function* (): AsyncGenerator<Buffer> {
    for await (const batch of RECORDS.rows())
      if (batch.ok) yield Buffer.from(batch.value.map(plainLine).join(''))
  }
  zip.addReadStream(Readable.from(lines()), 'sheet.xml')
  zip.end()
  await once(zip.outputStream.pipe(createWriteStream(path)), 'finish')
}

/** A tenth of the rows in one piece. Only the pause is measured. */
function makeNaively(): Promise<number> {
  const rows = Array.from({ length: ROWS / 10 }, (_, index) => BATCH_OF_ROWS[index % BATCH] ?? [])
  return Promise.resolve(Buffer.from(rows.map(plainLine).join('')).length)
}

/** The peak memory of the process beyond what it used before, in megabytes. */
async function mostMemory(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 20)
  await work().finally(() => {
    clearInterval(timer)
  })
  return (most - before) / 1_000_000
}

function customers(): RecordData[] {
  return Array.from({ length: IMPORTED }, (_, index) => ({
    ID: `8000-${index}`,
    Name: `Customer ${index}`,
    FullName: `Customer ${index}`,
    Phone: `555-01${index}`,
    Balance: `${index}.50`,
    IsActive: 'true',
    Terms: { ID: '7', FullName: 'Net 30' },
    BillingAddress: { Line1: `${index} High St`, City: 'Bath' },
  }))
}

/** The list as an exported file in which every second phone number was changed. */
async function writeCsv(path: string): Promise<void> {
  const words = ['ID', 'FullName', 'Phone', 'IsActive', 'Terms', 'BillingAddress.City'].map((each) =>
    pathHeading('customer', each),
  )
  async function* lines(): AsyncGenerator<Result<readonly (readonly string[])[]>> {
    const rows = Array.from({ length: IMPORTED }, (_, index) => [
      `8000-${index}`,
      `Customer ${index}`,
      index % 2 === 0 ? `555-01${index}` : `555-02${index}`,
      'yes',
      'Net 30',
      'Bath',
    ])
    yield await Promise.resolve(ok([words, ...rows]))
  }
  const saved = await writeFileAtomically(path, csvPieces(lines()))
  if (!saved.ok) throw new Error(saved.error.message)
}

/** Opens a file and reads its rows as the window does. */
async function readRows(files: ImportFiles, path: string): Promise<ImportRow[]> {
  const opened = await files.open({ kind: 'file', path, sheet: '' })
  if (!opened.ok) throw new Error(opened.error.message)
  const rows: ImportRow[] = []
  const decoder = new TextDecoder()
  for (let from = 0; from < opened.value.rowCount; from += 1_000) {
    const bytes = await files.rows(opened.value.tableId, from, 1_000)
    if (!bytes.ok) throw new Error(bytes.error.message)
    rows.push(...(JSON.parse(decoder.decode(bytes.value)) as ImportRow[]))
  }
  await files.close(opened.value.tableId)
  return rows
}

async function importCustomers(
  files: ImportFiles,
  path: string,
  records: readonly RecordData[],
): Promise<void> {
  const table = withHeadings(await readRows(files, path))
  const { counts } = planImport({
    target: { connectionId: 'c', endpointId: 'e', object: 'customer' },
    table,
    columns: proposeColumns('customer', table.headings, importPaths('customer', []), []),
    records,
    isWholeList: true,
    supported: new Set(objectDefinition('customer')?.fields.map((field) => field.name)),
    locked: new Map(),
    local: { separators: { decimal: '.', group: ',' }, dates: 'day-first' },
    formats: { separators: null, dates: null },
    matchBy: null,
    acceptedDamage: new Set(),
  })
  if (counts.changes !== IMPORTED / 2 || counts.unchanged !== IMPORTED / 2)
    throw new Error(`Planned ${JSON.stringify(counts)}`)
}

async function openAndClose(files: ImportFiles, path: string): Promise<void> {
  const opened = await files.open({ kind: 'file', path, sheet: '' })
  if (!opened.ok) throw new Error(opened.error.message)
  await files.close(opened.value.tableId)
}

export async function run(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bookbridge-bench-files-'))
  const path = join(folder, 'list.xlsx')
  const csv = join(folder, 'list.csv')
  const files = createImportFiles(IMPORT_OPTIONS)
  try {
    // Runs first, while the process is small. Later runs would reuse memory that is already allocated.
    const memory = await mostMemory(() => writeWorkbook(path))
    const written = await byTurns(
      () => writeWorkbook(path),
      () => writeZipped(join(folder, 'zipped')),
    )
    const { size } = await stat(path)
    await writeWorkbook(path, { ...RECORDS, rows: () => batches(READ_ROWS) })
    const reading = noTurns()
    for (let turn = 0; turn < 5; turn += 1) {
      reading.ours.push(await longestPause(() => openAndClose(files, path)))
      reading.peer.push(await longestPause(makeNaively))
    }
    await writeCsv(csv)
    const records = customers()
    const text = JSON.stringify(records)
    const planned = await byTurns(
      () => importCustomers(files, csv, records),
      () => {
        for (let turn = 0; turn < 10; turn += 1) JSON.parse(text)
      },
    )
    return [
      ratioRow({
        what: `Write ${ROWS.toLocaleString('en')} rows of 10 cells as a workbook`,
        why: `${(size / 1e6).toFixed(1)} MB. Plain cells through the same zip library are the least that a workbook costs.`,
        turns: written,
        against: 'packing alone',
        most: 2,
      }),
      pauseRow({
        what: '– longest pause, writing a workbook',
        why: 'A tenth of the rows made in one call.',
        turns: { ours: written.pauses.ours, peer: reading.peer },
        against: 'in one call',
        most: 50,
      }),
      {
        what: '– memory beyond what was there',
        why: 'The highest resident size while the first workbook is written. Measured once.',
        ours: `${memory.toFixed(0)} MB`,
        against: '–',
        ratio: null,
        budget: '≤ 120 MB',
        held: memory <= 120,
      },
      pauseRow({
        what: '– longest pause, reading the workbook',
        why: 'A worker reads a workbook of 40,000 rows for an import.',
        turns: reading,
        against: 'making half of it in one call',
        most: 50,
      }),
      ratioRow({
        what: 'Plan an import of 10,000 rows',
        why: 'Reading the CSV file, reading its values, and comparing each with its record. The peer parses the list’s JSON ten times.',
        turns: planned,
        against: 'JSON.parse × 10',
        most: 4,
      }),
    ]
  } finally {
    await files.closeAll()
    await rm(folder, { recursive: true, force: true })
  }
}
