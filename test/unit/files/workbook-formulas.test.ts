/**
 * Formulas and groups in a report's workbook: a sum is a formula only if it gives exactly the service's value, sections
 * are groups, dates and percentages are typed, and failed checks have their own sheet.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dateSerial, percentFraction } from '../../../electron/files/workbook/cells.ts'
import { type ReportForWorkbook, reportWorkbook } from '../../../electron/files/workbook/report-workbook.ts'
import { levelReport } from '../../../shared/reports/levels.ts'
import type { RawReportRow } from '../../../shared/reports/reports.ts'
import { ok } from '../../../shared/result.ts'
import { bytesOf, partsOf } from './workbook-fixture.ts'

/** Above the table: company, report, period, a blank line, the headings. */
const HEAD = 5

function raw(rowType: string, name: string, ...values: string[]): RawReportRow {
  return { rowType, name, id: '', values }
}

async function sheets(
  rows: readonly RawReportRow[],
  columns: readonly string[],
  more: Partial<ReportForWorkbook> = {},
): Promise<Record<string, string>> {
  const report: ReportForWorkbook = {
    sheetName: 'Report',
    companyName: 'Alder',
    title: 'Profit and loss',
    period: 'March 2026',
    notes: [],
    wrong: [],
    unchecked: [],
    head: { name: 'ProfitAndLoss', nameColumn: '', columns },
    rows: async function* () {
      yield await Promise.resolve(ok(levelReport(rows)))
    },
    hideZeroRows: false,
    ...more,
  }
  const options = { negatives: 'minus', madeAt: '2026-04-01T09:00:00Z' } as const
  return partsOf(await bytesOf(reportWorkbook([report], options)))
}

interface Cell {
  readonly formula: string
  readonly value: string
}

/** The numbers and formulas of the first sheet, by reference. */
function cellsOf(parts: Readonly<Record<string, string>>): ReadonlyMap<string, Cell> {
  const cells = (parts['xl/worksheets/sheet1.xml'] ?? '').matchAll(
    /<c r="([A-Z]+\d+)" s="\d+">(?:<f>([^<]*)<\/f>)?<v>([^<]*)<\/v>/g,
  )
  return new Map(
    [...cells].map(([, reference = '', formula = '', value = '']) => [reference, { formula, value }]),
  )
}

function formulas(parts: Readonly<Record<string, string>>): Record<string, string> {
  const all = [...cellsOf(parts)].filter(([, { formula }]) => formula !== '')
  return Object.fromEntries(all.map(([reference, { formula }]) => [reference, formula]))
}

const STATEMENT = [
  raw('TextRow', 'Income'), // 6
  raw('DataRow', 'Design', '100.00'), // 7
  raw('DataRow', 'Planting', '50.50'), // 8
  raw('SubtotalRow', 'Total Income', '150.50'), // 9
  raw('TextRow', 'Cost of Goods Sold'), // 10
  raw('DataRow', 'Plants', '40.25'), // 11
  raw('SubtotalRow', 'Total COGS', '40.25'), // 12
  raw('TotalRow', 'Gross Profit', '110.25'), // 13
  raw('TextRow', 'Expenses'), // 14
  raw('TextRow', 'Utilities'), // 15
  raw('DataRow', 'Gas', '3.00'), // 16
  raw('DataRow', 'Power', '4.00'), // 17
  raw('SubtotalRow', 'Total Utilities', '7.00'), // 18
  raw('DataRow', 'Rent', '20.00'), // 19
  raw('SubtotalRow', 'Total Expenses', '27.00'), // 20
  raw('TotalRow', 'Net Income', '83.25'), // 21
]

it('computes subtotals from their rows, and results from income less cost', async () => {
  const parts = await sheets(STATEMENT, ['Total'])
  expect(formulas(parts)).toEqual({
    B9: 'SUM(B7:B8)',
    B12: 'SUM(B11)',
    B13: 'B9-B12',
    B18: 'SUM(B16:B17)',
    B20: 'SUM(B18,B19)',
    B21: 'B13-B20',
  })
  expect(cellsOf(parts).get('B21')?.value).toBe('83.25')
})

it('keeps the service’s value where the parts don’t add up to it, column by column', async () => {
  const rows = [
    raw('TextRow', 'Income'),
    raw('DataRow', 'Design', '100.00', '1.00', '12.5'),
    raw('DataRow', 'Planting', '50.50', '2.00', '7.5'),
    raw('SubtotalRow', 'Total Income', '150.51', '3.00', '20.0'),
  ]
  const parts = await sheets(rows, ['Jan', 'Feb', '% of income'])
  expect(formulas(parts)).toEqual({ C9: 'SUM(C7:C8)' })
  expect(cellsOf(parts).get('B9')).toEqual({ formula: '', value: '150.51' })
})

it('never makes a formula give a value other than the service’s, whatever the report', async () => {
  const cents = fc.integer({ min: -500, max: 500 }).map((value) => (value / 100).toFixed(2))
  const row = fc.tuple(
    fc.constantFrom('TextRow', 'DataRow', 'DataRow', 'SubtotalRow', 'TotalRow'),
    fc.constantFrom('Income', 'Total Income', 'Expenses', 'Net income', 'Gross profit', 'Total'),
    cents,
  )
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 25 }), async (all) => {
      const rows = all.map(([type, name, value]) =>
        type === 'TextRow' ? raw(type, name) : raw(type, name, value),
      )
      const cells = cellsOf(await sheets(rows, ['Total']))
      const valueAt = (row: number): number => Math.round(Number(cells.get(`B${row}`)?.value ?? 0) * 100)
      for (const [reference, { formula, value }] of cells) {
        if (formula === '') continue
        let total = 0
        for (const [, minus, sum, single] of formula
          .replace(/^ROUND\((.*),\d+\)$/, '$1')
          .matchAll(/(-?)(?:SUM\(([^)]*)\)|B(\d+))/g)) {
          for (const range of (sum ?? `B${single ?? ''}`).split(',')) {
            const [first = 0, last = first] = range.split(':').map((cell) => Number(cell.slice(1)))
            for (let at = first; at <= last; at += 1) total += (minus === '-' ? -1 : 1) * valueAt(at)
            expect(last).toBeLessThan(Number(reference.slice(1)))
            expect(first).toBeGreaterThan(HEAD)
          }
        }
        expect(total, `${reference} ${formula}`).toBe(Math.round(Number(value) * 100))
      }
    }),
    { numRuns: 100 },
  )
})

it('rounds where binary arithmetic would miss the value', async () => {
  const tenths = [raw('DataRow', 'A', '0.10'), raw('DataRow', 'B', '0.20'), raw('TotalRow', 'Total', '0.30')]
  expect(formulas(await sheets(tenths, ['Total']))).toEqual({ B8: 'ROUND(SUM(B6:B7),2)' })
})

it('folds sections, inner ones inside outer ones', async () => {
  const { 'xl/worksheets/sheet1.xml': xml = '' } = await sheets(STATEMENT, ['Total'])
  const levels = Object.fromEntries(
    [...xml.matchAll(/<row r="(\d+)" outlineLevel="(\d)"/g)].map(([, row = '', level]) => [row, level]),
  )
  expect(levels).toEqual({
    7: '1',
    8: '1',
    11: '1',
    15: '1',
    16: '2',
    17: '2',
    18: '1',
    19: '1',
  })
  expect(xml).toContain('outlineLevelRow="2"')
})

it('stores dates as dates and percentages as percentages, and leaves other text unchanged', async () => {
  const rows = [
    raw('DataRow', 'A', '2026-01-05', '12.5'),
    raw('DataRow', 'B', '2026-02-30', 'n/a'),
    raw('DataRow', 'C', '2026-01-06T00:00:00Z', '-0.5'),
  ]
  const parts = await sheets(rows, ['Date', 'Change %'])
  const cells = cellsOf(parts)
  expect(cells.get('B6')?.value).toBe('46027')
  expect(cells.get('B8')?.value).toBe('46028')
  expect(cells.get('C6')?.value).toBe('0.125')
  expect(cells.get('C8')?.value).toBe('-0.005')
  expect(parts['xl/worksheets/sheet1.xml']).toMatch(/r="B7" s="\d+" t="inlineStr".*?2026-02-30/)
  expect(parts['xl/worksheets/sheet1.xml']).toMatch(/r="C7" s="\d+" t="inlineStr".*?n\/a/)
  expect(parts['xl/styles.xml']).toContain('formatCode="0.0#######%"')
  expect(parts['xl/styles.xml']).toContain('numFmtId="14"')
  expect(dateSerial('2026-01-05T14:03:00Z')).toBeNull()
  expect(['100', '7', '-33.3%', '1e5'].map(percentFraction)).toEqual(['1.00', '0.07', '-0.333', null])
})

it('lists what failed on a separate sheet, and in one line above the table', async () => {
  const wrong = [
    '2 totals don’t add up.',
    'Total Income is 1.00 too much.',
    'Total Expenses is 2.00 too much.',
  ]
  const parts = await sheets(STATEMENT, ['Total'], { wrong, unchecked: ['Budgets were not checked.'] })
  expect(parts['xl/workbook.xml']).toMatch(/name="Report".*name="Checks"/)
  expect(parts['xl/worksheets/sheet1.xml']).toContain('2 totals don’t add up. See the sheet Checks.')
  expect(parts['xl/worksheets/sheet1.xml']).not.toContain('too much')
  for (const words of [...wrong, 'Budgets were not checked.']) {
    expect(parts['xl/worksheets/sheet2.xml']).toContain(words)
  }
  expect((await sheets(STATEMENT, ['Total']))['xl/workbook.xml']).not.toContain('Checks')
})
