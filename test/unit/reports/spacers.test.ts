/** Blank and ruled lines in a report have no effect on levels, checks, charts, comparisons, and files. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reportCsv } from '../../../electron/files/csv/report-csv.ts'
import { checkReport } from '../../../electron/rows/reports/checks.ts'
import { combinedReport } from '../../../electron/rows/reports/combine.ts'
import { chartOf } from '../../../renderer/reports/chart/model.ts'
import { ColumnShapes } from '../../../renderer/reports/table/columns.ts'
import { columnsOf, levelReport } from '../../../shared/reports/levels.ts'
import type { RawReportRow, ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { ok } from '../../../shared/result.ts'
import { value } from '../../result.ts'

const row = (rowType: string, name: string, ...values: string[]): RawReportRow => ({
  rowType,
  name,
  id: '',
  values,
})

const RESULT = [
  row('TextRow', 'Ordinary Income/Expense'),
  row('TextRow', 'Income'),
  row('DataRow', 'Sales', '100.00', '0.10', '100.10'),
  row('DataRow', 'Services', '20.00', '0.00', '20.00'),
  row('SubtotalRow', 'Total Income', '120.00', '0.10', '120.10'),
  row('TextRow', 'Expense'),
  row('DataRow', 'Rent', '80.00', '0.20', '80.20'),
  row('SubtotalRow', 'Total Expense', '80.00', '0.20', '80.20'),
  row('SubtotalRow', 'Net Ordinary Income', '40.00', '-0.10', '39.90'),
  row('TotalRow', 'Net Income', '40.00', '-0.10', '39.90'),
]
const BALANCE = [
  row('TextRow', 'ASSETS'),
  row('TextRow', 'Current Assets'),
  row('DataRow', 'Bank', '70.00', '7.00', '77.00'),
  row('SubtotalRow', 'Total Current Assets', '70.00', '7.00', '77.00'),
  row('TotalRow', 'TOTAL ASSETS', '70.00', '7.00', '77.00'),
  row('TextRow', 'LIABILITIES & EQUITY'),
  row('TextRow', 'Liabilities'),
  row('DataRow', 'Loan', '50.00', '5.00', '55.00'),
  row('SubtotalRow', 'Total Liabilities', '50.00', '5.00', '55.00'),
  row('TextRow', 'Equity'),
  row('DataRow', 'Equity', '20.00', '2.00', '22.00'),
  row('SubtotalRow', 'Total Equity', '20.00', '2.00', '22.00'),
  row('TotalRow', 'TOTAL LIABILITIES & EQUITY', '70.00', '7.00', '77.00'),
]
const VENDORS = [
  row('DataRow', 'Birch Ltd', '12.00', '1.00', '13.00'),
  row('DataRow', 'Elm', '3.00', '0.00', '3.00'),
  row('TotalRow', 'TOTAL', '15.00', '1.00', '16.00'),
]
const REPORTS = [
  { name: 'ProfitAndLoss', raw: RESULT },
  // One total is wrong, and must be found in both.
  {
    name: 'ProfitAndLoss',
    raw: RESULT.with(7, row('SubtotalRow', 'Total Expense', '80.00', '0.30', '80.20')),
  },
  { name: 'BalanceSheet', raw: BALANCE },
  { name: 'VendorExpenses', raw: VENDORS },
]

function made(name: string, raw: readonly RawReportRow[]) {
  const rows = levelReport(raw)
  const { nameColumn, columns } = columnsOf(['', 'Jan', 'Feb', 'Total'], raw)
  const checks = checkReport(name, columns, rows)
  const head: ReportHead = {
    reportId: 'r',
    name,
    reportType: name,
    from: '2026-01-01',
    to: '2026-02-28',
    making: 'single',
    notes: [],
    periods: [],
    startDate: '',
    endDate: '',
    nameColumn,
    columns,
    rowCount: rows.length,
    checks,
    madeAt: '2026-04-01T10:00:00Z',
    requestId: '',
  }
  return { head, rows }
}

const blank = fc.constantFrom('', ' ', '\t', '\u00a0', '-----', '= = = =', '─────', '__________')
const spacer = fc.record({
  rowType: fc.constantFrom('TextRow', 'DataRow', 'SubtotalRow', 'TotalRow', 'BlankRow'),
  name: blank,
  id: fc.constant(''),
  values: fc.array(blank, { maxLength: 5 }),
})
const withSpacers = (raw: readonly RawReportRow[]) =>
  fc
    .array(fc.tuple(fc.nat({ max: raw.length }), spacer), { maxLength: 12 })
    .map((places) =>
      [...raw, null].flatMap((each, index) => [
        ...places.filter(([at]) => at === index).map(([, line]) => line),
        ...(each === null ? [] : [each]),
      ]),
    )

/** Levels and parents by name, without the spacers. */
function tree(rows: readonly ReportRow[]): string[] {
  return rows
    .filter(({ kind }) => kind !== 'spacer')
    .map(({ level, kind, name, parent }) => `${String(level)} ${kind} ${name} < ${rows[parent]?.name ?? ''}`)
}

function shapes({ head, rows }: ReturnType<typeof made>) {
  const columns = new ColumnShapes(head)
  columns.add(rows)
  return columns.columns()
}

async function csvLines(report: ReturnType<typeof made>, shape: 'as-shown' | 'flat'): Promise<string[]> {
  const pieces: Uint8Array[] = []
  const pull = async function* () {
    yield await Promise.resolve(ok(report.rows))
  }
  for await (const piece of reportCsv(report.head, pull, shape, false)) if (piece.ok) pieces.push(piece.value)
  return Buffer.concat(pieces).toString('utf8').trim().split('\r\n')
}

describe('a report with blank and ruled lines', () => {
  it('has the same levels, findings, columns, and chart as without them, wherever they are', () => {
    for (const { name, raw } of REPORTS) {
      const plain = made(name, raw)
      expect(chartOf(plain)).not.toBeNull()
      fc.assert(
        fc.property(withSpacers(raw), (spaced) => {
          const report = made(name, spaced)
          expect(report.head.columns).toEqual(plain.head.columns)
          expect(tree(report.rows)).toEqual(tree(plain.rows))
          const { findings, ...checks } = report.head.checks
          const { findings: expected, ...others } = plain.head.checks
          expect(checks).toEqual(others)
          expect(findings.map((each) => ({ ...each, row: 0 }))).toEqual(
            expected.map((each) => ({ ...each, row: 0 })),
          )
          for (const { row: at, rowName } of findings) expect(report.rows[at]?.name).toBe(rowName)
          expect(chartOf(report)).toEqual(chartOf(plain))
          expect(shapes(report)).toEqual(shapes(plain))
        }),
        { numRuns: 60 },
      )
    }
  })

  it('gives the same comparison as without them', () => {
    const compared = (...reports: readonly (readonly RawReportRow[])[]) => {
      const held = reports.map((raw) => {
        const { head, rows } = made('ProfitAndLoss', raw)
        return { rows, summary: { ...head, errors: [], missing: [] } }
      })
      return value(combinedReport('compared', 'ProfitAndLoss', held, ['A', 'B']))
    }
    const telling = (rows: readonly ReportRow[]) =>
      rows.filter(({ kind }) => kind !== 'spacer').map(({ name, level, values }) => ({ name, level, values }))
    const plain = compared(RESULT, RESULT)
    fc.assert(
      fc.property(withSpacers(RESULT), withSpacers(RESULT), (left, right) => {
        const whole = compared(left, right)
        expect(whole.summary.columns).toEqual(plain.summary.columns)
        expect(telling(whole.rows)).toEqual(telling(plain.rows))
      }),
      { numRuns: 60 },
    )
  })

  it('keeps them as blank lines in a CSV as shown, but the flat one has only rows with amounts', async () => {
    const report = made('ProfitAndLoss', RESULT.toSpliced(5, 0, row('TextRow', '')))
    const shown = await csvLines(report, 'as-shown')
    expect(shown).toHaveLength(RESULT.length + 2)
    expect(shown[6]).toBe(',,,')
    expect(await csvLines(report, 'flat')).toEqual(await csvLines(made('ProfitAndLoss', RESULT), 'flat'))
  })
})

describe('other rows', () => {
  it('a row with an amount, an id, or a name of one or two signs keeps its kind', () => {
    const rows = levelReport([
      row('DataRow', '', '5.00'),
      { rowType: 'TextRow', name: '', id: 'A-1', values: [] },
      row('TextRow', '-'),
      row('DataRow', 'Odd', '', ''),
    ])
    expect(rows.map(({ kind }) => kind)).toEqual(['data', 'section', 'section', 'data'])
  })

  it('a nameless total after sections and rows isn’t certainly the sum of all of them', () => {
    const ledger = [
      row('TextRow', 'Bank'),
      row('DataRow', 'Invoice', '1.00'),
      row('SubtotalRow', 'Total Bank', '1.00'),
      row('TextRow', ''),
      row('DataRow', 'Journal', '2.00'),
      row('SubtotalRow', 'Total', '2.00'),
    ]
    expect(checkReport('GeneralLedger', ['Amount'], levelReport(ledger)).findings).toEqual([])
  })
})
