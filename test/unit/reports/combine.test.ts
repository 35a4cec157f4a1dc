/**
 * Combining reports: each row is in the result once, and no amount is lost. Rows are matched by ID, or else by path and
 * name. Changes are exact, and findings are kept.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkReport } from '../../../electron/rows/reports/checks.ts'
import { combinedReport, type CombinedSource, mergeReports } from '../../../electron/rows/reports/combine.ts'
import type { ReportSummary } from '../../../electron/rows/rows.ts'
import { accountReport, drillTarget, findAccount, otherSections } from '../../../renderer/reports/drill.ts'
import { ColumnShapes } from '../../../renderer/reports/table/columns.ts'
import { bottomLine } from '../../../renderer/reports/table/rows.ts'
import { addDecimals, type Decimal, parseDecimal } from '../../../shared/format/money.ts'
import { changeEffect } from '../../../shared/reports/columns.ts'
import { levelReport } from '../../../shared/reports/levels.ts'
import type { RawReportRow, ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { isTotalAssets, resultSigns } from '../../../shared/reports/subjects.ts'
import { value } from '../../result.ts'
import { standIn } from '../records/list/stand-in.ts'

function row(rowType: string, name: string, id = '', ...values: string[]): RawReportRow {
  return { rowType, name, id, values }
}

function source(label: string, columns: readonly string[], raw: readonly RawReportRow[]): CombinedSource {
  const rows = levelReport(raw)
  return { label, columns, rows, checks: checkReport('ProfitAndLoss', columns, rows) }
}

function combined(making: 'compared' | 'trend', name: string, sources: readonly CombinedSource[]) {
  const held = sources.map(({ columns, rows, checks }) => ({
    rows,
    summary: standIn<ReportSummary>({ columns, checks }),
  }))
  const labels = sources.map(({ label }) => label)
  const { rows, summary } = value(combinedReport(making, name, held, labels))
  return { rows, columns: summary.columns, checks: summary.checks }
}

function compareReports(name: string, current: CombinedSource, other: CombinedSource) {
  return combined('compared', name, [current, other])
}

function trendOfReports(name: string, sources: readonly CombinedSource[]) {
  return combined('trend', name, sources)
}

const NOW = source(
  '2026',
  ['Total'],
  [
    row('TextRow', 'Income'),
    row('DataRow', 'Sales', '1', '120.10'),
    row('DataRow', 'Repairs', '2', '30.00'),
    row('SubtotalRow', 'Total Income', '', '150.10'),
    row('TotalRow', 'Net Income', '', '150.10'),
  ],
)
const BEFORE = source(
  '2025',
  ['Total'],
  [
    row('TextRow', 'Income'),
    row('DataRow', 'Deposits', '3', '5.00'),
    row('DataRow', 'Sales and fees', '1', '100.00'),
    row('SubtotalRow', 'Total Income', '', '106.00'),
    row('TotalRow', 'Net Income', '', '106.00'),
  ],
)

describe('a report compared with another period', () => {
  const { columns, rows, checks } = compareReports('ProfitAndLoss', NOW, BEFORE)
  const values = (name: string): readonly string[] => rows.find((each) => each.name === name)?.values ?? []

  it('has both amounts, the change, and the change in percent', () => {
    expect(columns).toEqual(['2026', '2025', 'Change', 'Change %'])
    expect(values('Net Income')).toEqual(['150.10', '106.00', '44.10', '41.6'])
  })
  it('matches a renamed account by its ID, and keeps rows that only one of them has in order', () => {
    expect(rows.map(({ name }) => name)).toEqual([
      'Income',
      'Deposits',
      'Sales',
      'Repairs',
      'Total Income',
      'Net Income',
    ])
    expect(values('Sales')).toEqual(['120.10', '100.00', '20.10', '20.1'])
    // A row that one of them lacks is zero there.
    expect(values('Repairs')).toEqual(['30.00', '0.00', '30.00', ''])
    expect(values('Deposits')).toEqual(['0.00', '5.00', '-5.00', '-100.0'])
  })
  it('says what each change does to net income, whatever an account is called', () => {
    const statement = levelReport([
      row('TextRow', 'Ordinary Income/Expense'),
      row('TextRow', 'Income'),
      row('DataRow', '4900 · Discount expense'),
      row('SubtotalRow', 'Total Income'),
      row('TextRow', 'Cost of Goods Sold'),
      row('DataRow', '5010 · Sales income paid on'),
      row('SubtotalRow', 'Total Cost of Goods Sold'),
      row('SubtotalRow', 'Gross Profit'),
      row('TextRow', 'Expense'),
      row('TextRow', '6100 · Sales'),
      row('DataRow', '6110 · Fuel'),
      row('SubtotalRow', 'Total 6100 · Sales'),
      row('SubtotalRow', 'Total Expense'),
      row('SubtotalRow', 'Net Ordinary Income'),
      row('TotalRow', 'Net Income'),
    ])
    const signs = resultSigns('ProfitAndLoss', statement)
    expect(signs).toEqual([0, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, -1, -1, 1, 1])
    expect(resultSigns('BalanceSheet', statement).every((sign) => sign === 0)).toBe(true)
    expect([changeEffect('5.00', 1), changeEffect('-5.00', 1), changeEffect('5.00', -1)]).toEqual([1, -1, -1])
    expect([changeEffect('-5.00', -1), changeEffect('0.00', -1), changeEffect('5.00', 0)]).toEqual([1, 0, 0])
  })
  it('sets off the total of all assets of a balance sheet, and no other one', () => {
    const rows = levelReport([
      row('TextRow', 'Assets'),
      row('TextRow', 'Fixed Assets'),
      row('SubtotalRow', 'Total Fixed Assets', '', '5.00'),
      row('SubtotalRow', 'TOTAL ASSETS', '', '5.00'),
      row('TextRow', 'Liabilities'),
      row('SubtotalRow', 'Total Liabilities', '', '5.00'),
      row('TotalRow', 'Total Liabilities and Equity', '', '5.00'),
    ])
    const setOff = (name: string): readonly string[] =>
      rows.filter((each) => isTotalAssets(name, each)).map(({ name: of }) => of)
    expect(setOff('BalanceSheet')).toEqual(['TOTAL ASSETS'])
    expect(setOff('TrialBalance')).toEqual([])
  })
  it('still says what didn’t add up in one of them, at its new row and column', () => {
    expect(checks.findings).toEqual([
      expect.objectContaining({ row: 4, column: 1, columnName: '2025', difference: '-1.00' }),
    ])
    expect(checks.held).toBe(NOW.checks.held + BEFORE.checks.held)
  })
  it('doesn’t say that totals agree if none of one period was checked', () => {
    const unchecked = {
      ...BEFORE,
      checks: { held: 0, findings: [], unchecked: ['Its amounts can’t be read.'] },
    }
    expect(compareReports('ProfitAndLoss', NOW, unchecked).checks).toEqual(unchecked.checks)
    // Where some are wrong, the others still count.
    const wrong = { ...NOW, checks: BEFORE.checks }
    expect(compareReports('ProfitAndLoss', wrong, unchecked).checks.held).toBe(BEFORE.checks.held)
    // A period without activity has no totals.
    const empty = source('2025', ['Total'], [])
    expect(compareReports('ProfitAndLoss', NOW, empty).checks.held).toBe(NOW.checks.held)
  })
  it('compares column by column if both have the same ones, and by the total if months differ', () => {
    const trial = (label: string): CombinedSource =>
      source(label, ['Debit', 'Credit'], [row('DataRow', 'Bank', '1', '1.00', '2.00')])
    expect(compareReports('TrialBalance', trial('A'), trial('B')).columns).toEqual([
      'Debit, A',
      'Debit, B',
      'Debit, change',
      'Debit, change %',
      'Credit, A',
      'Credit, B',
      'Credit, change',
      'Credit, change %',
    ])
    const months = (label: string, ...names: string[]): CombinedSource =>
      source(label, [...names, 'Total'], [row('DataRow', 'Sales', '1', '1.00', '2.00', '3.00')])
    const compared = compareReports('ProfitAndLoss', months('A', 'Jan', 'Feb'), months('B', 'Nov', 'Dec'))
    expect(compared.columns).toEqual(['A', 'B', 'Change', 'Change %'])
    expect(compared.rows[0]?.values.slice(0, 2)).toEqual(['3.00', '3.00'])
  })
})

describe('a report over several periods', () => {
  it('has a column per period and, for activity, their exact sum', () => {
    const { columns, rows } = trendOfReports('ProfitAndLoss', [BEFORE, NOW])
    expect(columns).toEqual(['2025', '2026', 'Total'])
    expect(rows.find(({ id }) => id === '1')?.values).toEqual(['100.00', '120.10', '220.10'])
    expect(rows.find(({ id }) => id === '2')?.values).toEqual(['0.00', '30.00', '30.00'])
  })
  it('has no sums of balances', () => {
    expect(trendOfReports('BalanceSheet', [BEFORE, NOW]).columns).toEqual(['2025', '2026'])
    // Nothing happened in one of them, and its heading is left out, too.
    const empty = trendOfReports('ProfitAndLoss', [BEFORE, source('In between', [], []), NOW])
    expect(empty.columns).toEqual(['2025', 'In between', '2026', 'Total'])
    expect(empty.rows.find(({ name }) => name === 'Net Income')?.values).toEqual([
      ...['106.00', '0.00', '150.10', '256.10'],
    ])
  })
})

describe('a change in percent', () => {
  it('is rounded to one decimal, halves away from zero, and empty if there was nothing', () => {
    const changes = [
      ['1.005', '1', '0.5'],
      ['100.05', '100', '0.1'],
      ['99.95', '100', '-0.1'],
      ['99.99', '100', '0.0'],
      ['-50', '-100', '50.0'],
      ['', '200.00', '-100.0'],
      ['5', '0.00', ''],
      ['5', '', ''],
      ['5', 'n/a', ''],
    ]
    const of = (label: string, column: number) => {
      const rows = changes.map((each, at) => row('DataRow', `Row ${at}`, String(at), each[column] ?? ''))
      return source(label, ['Total'], rows)
    }
    const { rows } = compareReports('ProfitAndLoss', of('2026', 0), of('2025', 1))
    expect(rows.map(({ values }) => values[3])).toEqual(changes.map(([, , percent]) => percent))
  })
})

const rawRow = fc.record({
  rowType: fc.constantFrom('TextRow', 'DataRow', 'DataRow', 'DataRow', 'SubtotalRow', 'TotalRow', 'Odd'),
  name: fc.constantFrom('Income', 'Sales', 'Total Income', 'Rent', 'Gross Profit', '', 'Expense'),
  id: fc.constantFrom('', '', '1', '2', '3', '4', '5'),
  values: fc.array(fc.constantFrom('', '0.00', '1.50', '-2.25', '900719925474099.31'), {
    maxLength: 2,
  }),
})
const report = fc.array(rawRow, { maxLength: 40 }).map((raw) => levelReport(raw))

describe('whatever the reports contain', () => {
  it('each row of each is in the result once, at a level below its parent', () => {
    fc.assert(
      fc.property(fc.array(report, { minLength: 1, maxLength: 4 }), fc.boolean(), (reports, matchIds) => {
        const merged = mergeReports(reports, matchIds)
        reports.forEach((rows, at) => {
          const rowIndexes = merged.map(({ rowIndexes: all }) => all[at] ?? -1).filter((index) => index >= 0)
          expect(rowIndexes.toSorted((a, b) => a - b)).toEqual(rows.map((_, index) => index))
        })
        merged.forEach(({ row: each, rowIndexes }, index) => {
          expect(rowIndexes.some((index) => index >= 0)).toBe(true)
          expect(each.parent).toBeLessThan(index)
          const parent = merged[each.parent]?.row
          if (!parent) return
          expect(parent.kind).toBe('section')
          expect([parent.level, parent.level + 1]).toContain(each.level)
        })
      }),
      { numRuns: 400 },
    )
  })

  it('a report merged with itself equals itself, row by row', () => {
    fc.assert(
      fc.property(report, fc.boolean(), (rows, matchIds) => {
        const merged = mergeReports([rows, rows], matchIds)
        expect(merged.length).toBe(rows.length)
        for (const { rowIndexes } of merged) expect(rowIndexes[0]).toBe(rowIndexes[1])
      }),
      { numRuns: 300 },
    )
  })

  it('no amount of either is lost in a comparison, and each change is their difference', () => {
    fc.assert(
      fc.property(report, report, (left, right) => {
        const part = (label: string, rows: readonly ReportRow[]): CombinedSource => ({
          label,
          columns: ['Amount'],
          rows,
          checks: { held: 0, findings: [], unchecked: [] },
        })
        const { rows } = compareReports('ProfitAndLoss', part('A', left), part('B', right))
        const bag = (values: readonly (string | undefined)[]): readonly string[] =>
          values.flatMap((value) => (value === undefined || /^[0.]*$/.test(value) ? [] : [value])).toSorted()
        expect(bag(rows.map(({ values }) => values[0]))).toEqual(bag(left.map(({ values }) => values[0])))
        expect(bag(rows.map(({ values }) => values[1]))).toEqual(bag(right.map(({ values }) => values[0])))
        for (const { values } of rows) {
          const [now, before, change] = [0, 1, 2].map((at) => parseDecimal(values[at] ?? ''))
          if (now && before && change)
            expect(parseDecimal(addDecimals(before, change))).toEqual(sameDigits(now, change, before))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('takes time in proportion to the rows, however deep they nest', () => {
    const deep = levelReport(Array.from({ length: 50_000 }, (_, at) => row('TextRow', `Level ${String(at)}`)))
    expect(mergeReports([deep, deep], true)).toHaveLength(50_000)
  })
})

/** The amount with as many decimals as the sum of the others. */
function sameDigits(amount: Decimal, left: Decimal, right: Decimal): Decimal {
  const zero = addDecimals(left, right).replace(/[1-9-]/g, '0') as Decimal
  return addDecimals(amount, zero)
}

describe('from a row to its entries', () => {
  const ledger = levelReport([
    row('TextRow', '1010 · Checking', 'A'),
    row('DataRow', 'Somebody', 'X', '1.00'),
    row('SubtotalRow', 'Total 1010 · Checking', 'A', '1.00'),
    row('TextRow', '4010 · Income:Design', 'B'),
    row('DataRow', 'Somebody', 'X', '1.00'),
    row('SubtotalRow', 'Total', 'B', '1.00'),
  ])
  it('finds the account by id, by name, or by the last part of its name', () => {
    expect(findAccount(ledger, { id: 'B', name: 'anything' })).toBe(3)
    expect(findAccount(ledger, { id: '', name: '1010 ·  checking' })).toBe(0)
    expect(findAccount(ledger, { id: '', name: '4010 · Design' })).toBe(3)
    expect(findAccount(ledger, { id: '', name: 'Rent' })).toBe(-1)
  })
  it('folds all other accounts', () => {
    expect([...otherSections(ledger, 3)]).toEqual([0])
  })
  it('shows an account alone, with its own total at the bottom and columns as wide as it needs', () => {
    const rows = levelReport([
      row('TextRow', '1010 · Checking', 'A'),
      row('DataRow', 'Somebody', 'X', '1000000.00'),
      row('SubtotalRow', 'Total 1010 · Checking', 'A', '1000000.00'),
      row('TextRow', '4010 · Income:Design', 'B'),
      row('DataRow', 'Somebody', 'X', '1.00'),
      row('SubtotalRow', 'Total', 'B', '1.50'),
      row('TotalRow', 'TOTAL', '', '1000001.00'),
    ])
    const head: ReportHead = {
      ...{ reportId: 'r', name: 'GeneralLedger', reportType: 'GeneralLedger', making: 'single', periods: [] },
      ...{ from: '2026-01-01', to: '2026-03-31', startDate: '', endDate: '', madeAt: '', requestId: '' },
      ...{ nameColumn: '', columns: ['Amount'], rowCount: rows.length, notes: [] },
      checks: checkReport('GeneralLedger', ['Amount'], rows),
    }
    expect(head.checks.findings.map(({ row: at }) => at)).toContain(5)
    const shapes = new ColumnShapes(head)
    shapes.add(rows)
    const whole = { head, rows, columns: shapes.columns(), entries: null }
    const alone = accountReport(whole, 3)
    expect(alone.rows.map(({ name, kind, parent }) => [name, kind, parent])).toEqual([
      ['4010 · Income:Design', 'section', -1],
      ['Somebody', 'data', 0],
      ['Total', 'total', -1],
    ])
    expect(bottomLine(alone.rows)).toBe(2)
    expect(alone.head.checks.findings.map(({ row: at }) => at)).toEqual([2])
    // Only its own totals are counted.
    expect([alone, accountReport(whole, 0)].map(({ head: { checks } }) => checks.held)).toEqual([0, 1])
    expect(alone.columns[0]?.width).toBeLessThan(whole.columns[0]?.width ?? 0)
  })
  it('is offered for statements of accounts if the application has a ledger', () => {
    expect(drillTarget('qbd', 'ProfitAndLoss')).toBe('GeneralLedger')
    expect(drillTarget('qbd', 'TrialBalance')).toBe('GeneralLedger')
    expect(drillTarget('qbd', 'VendorExpenseSummary')).toBeNull()
    expect(drillTarget('qbd', 'GeneralLedger')).toBeNull()
    expect(drillTarget('qbo', 'ProfitAndLoss')).toBeNull()
  })
})
