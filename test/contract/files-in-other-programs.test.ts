/**
 * Saved files in other programs: LibreOffice opens the workbooks, Python parses the CSV, and every number equals the
 * original to the digit. A test is skipped if its program isn't installed.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reportCsv } from '../../electron/files/csv/report-csv.ts'
import { type ReportForWorkbook, reportWorkbook } from '../../electron/files/workbook/report-workbook.ts'
import { unguardCell } from '../../shared/format/text.ts'
import { levelReport } from '../../shared/reports/levels.ts'
import type { RawReportRow } from '../../shared/reports/reports.ts'
import { ok } from '../../shared/result.ts'
import { bytesOf } from '../unit/files/workbook-fixture.ts'

const run = promisify(execFile)
const PATIENCE_MS = 600_000
/** The same reports in every run, because the other programs are under test. */
const SEED = 20_261_121

function isInstalled(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { timeout: PATIENCE_MS }).status === 0
}

const hasOffice = isInstalled('soffice', '--version')
const hasPython = isInstalled('python3', '-c', 'import csv')
const python = ['/usr/bin/python3', 'python3'].find((each) => isInstalled(each, '-c', 'import openpyxl'))

const text = fc.oneof(
  fc.constantFrom(
    '=1+1',
    '-',
    '0012',
    '1e5',
    '2026-01-31',
    'Æ "q", & <b>',
    "'apostrophe",
    ' blank ',
    '1,000',
  ),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((each) => /^[^\p{C}\p{Z}]+$/u.test(each)),
)
/**
 * Amounts of up to fifteen digits, which a workbook stores as numbers, and some longer ones, which it stores as text.
 */
const amount = fc
  .oneof(
    { weight: 8, arbitrary: fc.bigInt({ min: -99_999_999n, max: 99_999_999n }) },
    { weight: 4, arbitrary: fc.bigInt({ min: -999_999_999_999_999n, max: 999_999_999_999_999n }) },
    { weight: 1, arbitrary: fc.bigInt({ min: 10n ** 16n, max: 10n ** 18n }) },
  )
  .map((cents) => {
    const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0')
    return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
  })
const line = fc
  .tuple(
    fc.constantFrom('TextRow', 'DataRow', 'DataRow', 'SubtotalRow', 'TotalRow'),
    text,
    amount,
    amount,
    text,
  )
  .map(([rowType, name, first, second, memo]): RawReportRow => ({
    rowType,
    name,
    id: '',
    values: rowType === 'TextRow' ? [] : [first, second, memo],
  }))
const reports = fc.sample(fc.array(line, { minLength: 1, maxLength: 60 }), { seed: SEED, numRuns: 12 })
const head = { nameColumn: 'Account', columns: ['Debit', 'Credit', 'Memo'] }

/** The expected cells, as they were written. */
function written(rows: readonly RawReportRow[]): string[][] {
  return rows.map(({ name, values }) => [name, ...head.columns.map((_, column) => values[column] ?? '')])
}

function asSheet(rows: readonly RawReportRow[], at: number): ReportForWorkbook {
  const leveled = levelReport(rows)
  return {
    sheetName: `R${String(at)}`,
    companyName: 'Alder & Finch',
    title: 'Random',
    period: '2026',
    notes: [],
    wrong: ['One total doesn’t add up.'],
    unchecked: [],
    head: { ...head, name: 'ProfitAndLoss' },
    rows: async function* () {
      yield await Promise.resolve(ok(leveled))
    },
    hideZeroRows: false,
  }
}

/** A decimal without trailing zeros: LibreOffice writes 100 for 100.00. */
function plain(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '').replace(/^-0$/, '0') : decimal
}

/** Whether a workbook stores the value as a number. Numbers with more than fifteen digits are text. */
function isHeldAsNumber(value: string): boolean {
  return value.replace(/[-.]/g, '').replace(/^0+|0+$/g, '').length <= 15
}

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookbridge-elsewhere-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

async function workbook(): Promise<string> {
  const path = join(folder, 'book.xlsx')
  const options = { negatives: 'minus', madeAt: '2026-04-01T09:00:00Z' } as const
  writeFileSync(path, await bytesOf(reportWorkbook(reports.map(asSheet), options)))
  return path
}

/** The cells of each CSV file, parsed by Python's csv module. */
async function readByPython(paths: readonly string[]): Promise<string[][][]> {
  const script = [
    'import csv,json,sys',
    'csv.field_size_limit(10**9)',
    "rows=lambda path: list(csv.reader(open(path, newline='', encoding='utf-8-sig')))",
    'print(json.dumps([rows(path) for path in sys.argv[1:]]))',
  ].join('\n')
  const { stdout } = await run('python3', ['-c', script, ...paths], { maxBuffer: 1e8 })
  return JSON.parse(stdout) as string[][][]
}

describe('a workbook in other programs', () => {
  it.skipIf(!hasOffice)(
    hasOffice
      ? 'LibreOffice reads every number of every sheet as it was written, and every text as text'
      : 'LibreOffice is not installed: how it reads workbooks is not tested here',
    async () => {
      const path = await workbook()
      // One file per sheet; numbers as stored, not as formatted; text in quotes.
      const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false,false,false,-1'
      const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`
      const args = [profile, '--headless', '--convert-to', filter, '--outdir', folder, path]
      await run('soffice', args, { timeout: PATIENCE_MS })
      const files = readdirSync(folder).filter((name) => name.endsWith('.csv'))
      expect(files.filter((name) => /-R\d+\.csv$/.test(name))).toHaveLength(reports.length)
      for (const [at, rows] of reports.entries()) {
        const source = readFileSync(join(folder, `book-R${String(at)}.csv`), 'utf8')
        const cells = quotedCells(source).slice(-rows.length)
        for (const [row, wanted] of written(rows).entries()) {
          const found = cells[row] ?? []
          expect(found[0], `name in row ${String(row)} of R${String(at)}`).toEqual({ text: wanted[0] })
          for (const column of [1, 2]) {
            const value = wanted[column] ?? ''
            const cell = found[column]
            const isNumber = isHeldAsNumber(value)
            if (value === '') expect(cell).toEqual({ number: '' })
            else if (isNumber) expect(cell, value).toEqual({ number: plain(value) })
            else expect(cell).toEqual({ text: value })
          }
        }
      }
    },
    PATIENCE_MS,
  )

  it.skipIf(python === undefined)(
    python === undefined
      ? 'openpyxl is not installed: how it reads workbooks is not tested here'
      : 'openpyxl reads every number as it was written, with its looks',
    async () => {
      const path = await workbook()
      const script = [
        'import decimal,json,sys,openpyxl',
        // Numbers with the digits in the file, not as floats.
        'import openpyxl.worksheet._reader as reader',
        'reader._cast_number=decimal.Decimal',
        'book=openpyxl.load_workbook(sys.argv[1])',
        'cell=lambda c: None if c.value is None else [c.data_type, str(c.value) if c.data_type=="n" else c.value, c.font.b, c.alignment.indent]',
        'print(json.dumps({s.title: {"freeze": s.freeze_panes, "titles": s.print_title_rows, "rows": [[cell(c) for c in r] for r in s.iter_rows()]} for s in book}))',
      ].join('\n')
      const { stdout } = await run(python ?? '', ['-c', script, path], { maxBuffer: 1e8 })
      const sheets = JSON.parse(stdout) as Record<
        string,
        { freeze: string; titles: string; rows: ([string, string, boolean, number] | null)[][] }
      >
      for (const [at, rows] of reports.entries()) {
        const sheet = sheets[`R${String(at)}`]
        expect(sheet).toMatchObject({ freeze: 'B7', titles: expect.stringMatching(/^\$?6:\$?6$/) as string })
        const cells = sheet?.rows.slice(-rows.length) ?? []
        const levels = levelReport(rows)
        for (const [row, wanted] of written(rows).entries()) {
          const [name, ...values] = cells[row] ?? []
          expect(name?.[1]).toBe(wanted[0])
          expect(name?.[3]).toBe(Math.min(15, levels[row]?.level ?? 0))
          expect(name?.[2]).toBe(levels[row]?.kind !== 'data')
          for (const column of [0, 1]) {
            const value = wanted[column + 1] ?? ''
            const found = values[column]
            if (value === '') expect(found).toBeNull()
            else expect(found?.slice(0, 2)).toEqual([isHeldAsNumber(value) ? 'n' : 's', value])
          }
        }
      }
    },
    PATIENCE_MS,
  )
})

describe('a CSV file in other programs', () => {
  it.skipIf(!hasPython)(
    hasPython
      ? 'Python reads every cell of every report as it was written'
      : 'Python is not installed: how it reads CSV is not tested here',
    async () => {
      const paths: string[] = []
      for (const [at, rows] of reports.entries()) {
        const path = join(folder, `${String(at)}.csv`)
        writeFileSync(path, await bytesOf(reportCsv(head, asSheet(rows, at).rows, 'as-shown', false)))
        paths.push(path)
      }
      for (const [at, [headings, ...cells]] of (await readByPython(paths)).entries()) {
        expect(headings).toEqual(['Account', 'Debit', 'Credit', 'Memo'])
        expect(cells.map((each) => each.map(unguardCell))).toEqual(written(reports[at] ?? []))
      }
    },
    PATIENCE_MS,
  )
})

/** Parses LibreOffice's CSV: quoted cells are text, the others numbers. */
function quotedCells(source: string): ({ readonly text: string } | { readonly number: string })[][] {
  const lines: ({ text: string } | { number: string })[][] = [[]]
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy
  for (let match = cell.exec(source); match !== null && match[0] !== ''; match = cell.exec(source)) {
    const [, quoted, bare = '', end] = match
    lines.at(-1)?.push(quoted === undefined ? { number: bare } : { text: quoted.replaceAll('""', '"') })
    if (end !== ',') lines.push([])
  }
  return lines.filter((each) => each.length > 0)
}
