/** The layout of a report: column types, visible rows, and keyboard navigation. */
import { describe, expect, it } from 'vitest'
import { layOutReport } from '../../../renderer/reports/table/column-layout.ts'
import { ColumnShapes, formatCell, type ReportColumn } from '../../../renderer/reports/table/columns.ts'
import {
  bottomLine,
  foldable,
  ringOf,
  sectionsAbove,
  subtotalsOf,
  type TreeMove,
  treeMove,
  visibleRows,
} from '../../../renderer/reports/table/rows.ts'
import {
  blockColumns,
  type CellBlock,
  extendBlock,
  isRowInBlock,
} from '../../../renderer/reports/table/selection.ts'
import { Format } from '../../../shared/format/format.ts'
import { levelReport } from '../../../shared/reports/levels.ts'
import { headingDays } from '../../../shared/reports/messages.ts'
import type { RawReportRow, ReportRow } from '../../../shared/reports/reports.ts'

const row = (rowType: string, name: string, ...values: string[]): RawReportRow => ({
  rowType,
  name,
  id: '',
  values,
})
const ROWS = levelReport([
  row('TextRow', 'Income'),
  row('TextRow', 'Construction'),
  row('DataRow', 'Design', '5.00'),
  row('DataRow', 'Idle', '0.00'),
  row('SubtotalRow', 'Total Construction', '5.00'),
  row('SubtotalRow', 'Total Income', '5.00'),
  row('TotalRow', 'Net income', '5.00'),
])

describe('which rows are shown', () => {
  it('all, except zero rows if they are hidden', () => {
    expect(visibleRows(ROWS, new Set(), true)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(visibleRows(ROWS, new Set(), false)).toEqual([0, 1, 2, 4, 5, 6])
  })
  it('a folded section hides its rows, including its subtotal, which the section itself shows', () => {
    expect(visibleRows(ROWS, new Set([1]), true)).toEqual([0, 1, 5, 6])
    expect(visibleRows(ROWS, new Set([0]), true)).toEqual([0, 6])
    expect([...subtotalsOf(ROWS)].slice(0, 2)).toEqual([5, 4])
    expect([...foldable(ROWS)]).toEqual([1, 1, 0, 0, 0, 0, 0])
    expect(sectionsAbove(ROWS, 2)).toEqual([1, 0])
  })
  it('the bottom line is the last row if that is a total', () => {
    expect(bottomLine(ROWS)).toBe(6)
    expect(bottomLine(ROWS.slice(0, 6))).toBe(-1)
    expect(bottomLine([])).toBe(-1)
  })
})

describe('the rendered lines', () => {
  it('keep their elements while scrolling, except those that scrolled out of view', () => {
    expect(ringOf(0, 4, 100)).toEqual([0, 1, 2, 3])
    expect(ringOf(2, 4, 100)).toEqual([4, 5, 2, 3])
  })
  it('are empty beyond the end', () => {
    expect(ringOf(0, 4, 2)).toEqual([0, 1, -1, -1])
  })
})

describe('a report’s heading', () => {
  const format = new Format({ locale: 'en-US', negatives: 'minus' })
  const days = (name: string) =>
    headingDays({ name, from: '2026-01-01', to: '2026-03-31', making: 'single', periods: [] }, format)
  it('has the last day for a statement at a date', () => {
    for (const name of ['BalanceSheet', 'BalanceSheetByClass', 'ARAgingDetail', 'AgedReceivables']) {
      expect(days(name)).toBe('as of Mar 31, 2026')
    }
  })
  it('has the period for activity', () => {
    for (const name of ['ProfitAndLoss', 'PandLBalanceSheet']) {
      expect(days(name)).toBe(format.period('2026-01-01', '2026-03-31'))
    }
  })
})

describe('keys in the tree', () => {
  const place = (position: number, folded: readonly number[] = []) => ({
    rows: ROWS,
    visible: visibleRows(ROWS, new Set(folded), true),
    folded: new Set(folded),
    foldable: foldable(ROWS),
    position,
    page: 3,
  })
  it.each<[string, number, readonly number[], TreeMove | null]>([
    ['ArrowDown', 0, [], { what: 'go', position: 1 }],
    ['ArrowUp', 0, [], { what: 'go', position: 0 }],
    ['End', 0, [], { what: 'go', position: 6 }],
    ['Home', 6, [], { what: 'go', position: 0 }],
    ['PageDown', 5, [], { what: 'go', position: 6 }],
    ['ArrowLeft', 1, [], { what: 'fold', row: 1 }],
    ['ArrowRight', 1, [1], { what: 'unfold', row: 1 }],
    ['ArrowRight', 0, [], { what: 'go', position: 1 }],
    ['ArrowLeft', 2, [], { what: 'go', position: 1 }],
    ['ArrowLeft', 6, [], null],
    ['ArrowRight', 2, [], null],
    ['Enter', 0, [], { what: 'fold', row: 0 }],
    ['*', 0, [0], { what: 'unfold-all' }],
    ['a', 0, [], null],
  ])('%s at %i with %j folded', (key, position, folded, move) => {
    expect(treeMove(key, place(position, folded))).toEqual(move)
  })
})

function reportColumns(name: string, columns: readonly string[], rows: readonly ReportRow[]): ReportColumn[] {
  const shapes = new ColumnShapes({ making: 'single', name, columns })
  // In chunks, as they arrive.
  for (const each of rows) shapes.add([each])
  return shapes.columns()
}

describe('the selected block', () => {
  const place = { current: 4, columns: 3 }
  const corners = ({ anchor, focus }: CellBlock): unknown => [
    anchor.row,
    anchor.column,
    focus.row,
    focus.column,
  ]

  it('grows by whole rows from the current one, and back', () => {
    const down = extendBlock(null, 'ArrowDown', { ...place, moved: 6 })
    expect(down && corners(down)).toEqual([4, -1, 6, 2])
    const up = extendBlock(down, 'ArrowUp', { ...place, moved: 3 })
    expect(up && corners(up)).toEqual([4, -1, 3, 2])
    expect(up && [2, 3, 4, 5].map((row) => isRowInBlock(up, row))).toEqual([false, true, true, false])
  })

  it('grows by columns only where there is one, and never beyond the report', () => {
    expect(extendBlock(null, 'ArrowLeft', { ...place, moved: 4 })).toBe(null)
    let block: CellBlock = { anchor: { row: 1, column: 1 }, focus: { row: 2, column: 1 } }
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight'])
      block = extendBlock(block, key, { ...place, moved: 2 }) ?? block
    expect(blockColumns(block)).toEqual([1, 2])
    for (const key of Array.from({ length: 5 }, () => 'ArrowLeft'))
      block = extendBlock(block, key, { ...place, moved: 2 }) ?? block
    expect(blockColumns(block)).toEqual([-1, 1])
    expect(extendBlock(block, 'Home', { ...place, moved: 0 })).toBe(null)
  })
})

describe('the content of columns', () => {
  it('is amounts, percentages, dates, memos, or numbers that are names', () => {
    const rows = levelReport([
      row('DataRow', 'a', '2026-01-31', '1042', 'a memo', '-1234.50', '12.5', '3'),
      row('DataRow', 'b', '2026-02-28', '1043', '77', '5.00', '7', '4'),
    ])
    const columns = ['Date', 'Num', 'Memo', 'Amount', '% of Income', 'Qty']
    const kinds = reportColumns('GeneralLedger', columns, rows).map(({ kind }) => kind)
    expect(kinds).toEqual(['date', 'text', 'text', 'money', 'decimal', 'decimal'])
  })
  it('aligns signed percentages like other figures, as they were written', () => {
    const rows = levelReport([row('DataRow', 'a', '50.0%'), row('DataRow', 'b', '-7 %')])
    const [share] = reportColumns('x', ['Share'], rows)
    expect(share?.kind).toBe('decimal')
    expect(formatCell('50.0%', 'decimal', new Format({ locale: 'en-GB', negatives: 'minus' }))).toBe('50.0%')
  })
  it('gives a change its sign, unless there is none', () => {
    const format = new Format({ locale: 'en-GB', negatives: 'minus' })
    expect(['1350.00', '-70.64', '0.00', ''].map((value) => formatCell(value, 'change', format))).toEqual([
      '+1,350.00',
      format.money('-70.64'),
      '0.00',
      '',
    ])
  })
  it('gives formatted amounts their sign, and leaves their text unchanged', () => {
    const values = ['(1,234.50)', '$5.00', '12.00-', '−3.10']
    const rows = levelReport(values.map((value) => row('DataRow', 'a', value)))
    expect(reportColumns('x', ['Amount'], rows)[0]?.kind).toBe('decimal')
    const format = new Format({ locale: 'en-GB', negatives: 'minus' })
    expect(values.map((value) => formatCell(value, 'decimal', format))).toEqual(values)
    const memos = levelReport([row('DataRow', 'a', '12 chairs'), row('DataRow', 'b', '31.03.2026')])
    expect(reportColumns('x', ['Memo'], memos)[0]?.kind).toBe('text')
  })
  it('treats a last column called Total as the total of the others', () => {
    const isTotal = (columns: string[]): boolean[] =>
      reportColumns('x', columns, []).map((column) => column.isTotal)
    expect(isTotal(['Jan', 'TOTAL'])).toEqual([false, true])
    expect(isTotal(['Total'])).toEqual([false])
  })
  it('needs less room for an amount if its heading takes two lines, but never less than the amount', () => {
    const rows = levelReport([row('DataRow', 'a', '208521.84')])
    const [quarter] = reportColumns('ProfitAndLoss', ['Jan 1 – Mar 31, 2026'], rows)
    expect(quarter).toMatchObject({ width: 17, wrapped: 10 })
    const [word] = reportColumns('ProfitAndLoss', ['Quarterly-adjustments'], rows)
    expect(word?.wrapped).toBe(word?.width)
  })
})

describe('the widths of columns', () => {
  const month = (heading: string, isTotal = false): ReportColumn => ({
    heading,
    kind: 'money',
    width: 16,
    wrapped: 11,
    isTotal,
  })
  const trend = {
    columns: [
      month('Jan 1 – 31, 2026'),
      month('Feb 1 – 28, 2026'),
      month('Mar 1 – 31, 2026'),
      month('Total', true),
    ],
    rows: ROWS,
    entries: null,
  }
  const layOut = (room: number, dragged = {}) => layOutReport(trend, room, dragged)

  it('names take what the columns leave', () => {
    const wide = layOut(60)
    expect([wide.isTight, wide.isWrapped, wide.isWide, wide.leastName]).toEqual([false, false, false, 15])
    expect(layOut(Infinity)).toEqual(wide)
  })
  it('with little room, cells are padded less, then headings take two lines, then columns scroll', () => {
    const stages = [50, 48, 40, 30].map((room) => {
      const { isTight, isWrapped, isWide } = layOut(room)
      return { isTight, isWrapped, isWide }
    })
    expect(stages).toEqual([
      { isTight: false, isWrapped: false, isWide: false },
      { isTight: true, isWrapped: false, isWide: false },
      { isTight: true, isWrapped: true, isWide: false },
      { isTight: true, isWrapped: true, isWide: true },
    ])
  })
  it('where columns scroll, the names, whole columns, and the total fill the room', () => {
    const { scrolled, leastName } = layOut(30)
    const { column, total } = scrolled ?? { column: 0, total: 0 }
    expect(leastName).toBeGreaterThanOrEqual(13)
    expect((30 - leastName - total) / column).toBeCloseTo(1)
  })
  it('a width set by the user stays', () => {
    const { template, scrolled } = layOut(30, { 0: 20 })
    expect(template.split(' ')[2]).toBe('20rem')
    expect(scrolled).toBeNull()
  })
})
