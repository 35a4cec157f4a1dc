import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnsOf, isZeroRow, levelReport } from '../../../shared/reports/levels.ts'
import type { RawReportRow } from '../../../shared/reports/reports.ts'

function row(rowType: string, name: string, ...values: string[]): RawReportRow {
  return { rowType, name, id: '', values }
}

function shape(rows: readonly RawReportRow[]): string[] {
  return levelReport(rows).map(
    (each) => `${'  '.repeat(each.level)}${each.kind} ${each.name} <${String(each.parent)}`,
  )
}

describe('levels of a report', () => {
  it('a TextRow opens a section, the next SubtotalRow at that depth closes it, and a TotalRow is at the top', () => {
    expect(
      shape([
        row('TextRow', 'Income'),
        row('TextRow', 'Construction'),
        row('DataRow', 'Design', '1.00'),
        row('SubtotalRow', 'Total Construction', '1.00'),
        row('DataRow', 'Other', '2.00'),
        row('SubtotalRow', 'Total Income', '3.00'),
        row('TotalRow', 'Net income', '3.00'),
      ]),
    ).toEqual([
      'section Income <-1',
      '  section Construction <0',
      '    data Design <1',
      '  subtotal Total Construction <1',
      '  data Other <0',
      'subtotal Total Income <0',
      'total Net income <-1',
    ])
  })

  it('RowTypes are read in any case; an unknown type is a data row that keeps its type', () => {
    const rows = levelReport([row('TEXTROW', 'A'), row('datarow', 'b', '1'), row('NoteRow', 'c', '2')])
    expect(rows.map((each) => each.kind)).toEqual(['section', 'data', 'other'])
    expect(rows[2]).toMatchObject({ rowType: 'NoteRow', level: 1, parent: 0 })
  })

  it('sections that nothing closes end at the next total', () => {
    expect(
      shape([
        row('TextRow', 'ASSETS'),
        row('DataRow', 'Bank', '1'),
        row('TotalRow', 'TOTAL ASSETS', '1'),
        row('DataRow', 'x', '1'),
      ]),
    ).toEqual(['section ASSETS <-1', '  data Bank <0', 'total TOTAL ASSETS <-1', 'data x <-1'])
  })

  it('a subtotal without a section stays in place', () => {
    expect(shape([row('DataRow', 'a', '1'), row('SubtotalRow', 'Total', '1')])).toEqual([
      'data a <-1',
      'subtotal Total <-1',
    ])
  })

  it('a subtotal that names an outer section ends the inner ones too', () => {
    expect(
      shape([
        row('TextRow', 'Expense'),
        row('TextRow', 'A heading without a subtotal'),
        row('DataRow', 'Rent', '5'),
        row('SubtotalRow', 'Total Expense', '5'),
        row('DataRow', 'after', '5'),
      ]),
    ).toEqual([
      'section Expense <-1',
      '  section A heading without a subtotal <0',
      '    data Rent <1',
      'subtotal Total Expense <0',
      'data after <-1',
    ])
  })

  it('gross profit in the middle of nested sections doesn’t close them', () => {
    const levels = shape([
      row('TextRow', 'Ordinary Income/Expense'),
      row('TextRow', 'Income'),
      row('DataRow', 'Sales', '9'),
      row('SubtotalRow', 'Total Income', '9'),
      row('SubtotalRow', 'Gross Profit', '9'),
      row('TextRow', 'Expense'),
      row('DataRow', 'Rent', '4'),
      row('SubtotalRow', 'Total Expense', '4'),
      row('SubtotalRow', 'Net Ordinary Income', '5'),
      row('TotalRow', 'Net Income', '5'),
    ])
    expect(levels[4]).toBe('  subtotal Gross Profit <0')
    expect(levels[5]).toBe('  section Expense <0')
    expect(levels[8]).toBe('subtotal Net Ordinary Income <0')
  })

  it('any list of rows keeps its order and values, parents are sections above, and levels grow by one at most', () => {
    const any = fc.record({
      rowType: fc.constantFrom('TextRow', 'DataRow', 'SubtotalRow', 'TotalRow', 'Odd', ''),
      name: fc.constantFrom('', 'Total', 'Income', 'Total Income', 'Gross Profit', '__proto__'),
      id: fc.constant(''),
      values: fc.array(fc.constantFrom('', '1.00', '-2.50', 'memo'), { maxLength: 4 }),
    })
    fc.assert(
      fc.property(fc.array(any, { maxLength: 60 }), (raw) => {
        const rows = levelReport(raw)
        expect(rows.map(({ rowType, name, id, values }) => ({ rowType, name, id, values }))).toEqual(raw)
        rows.forEach((each, index) => {
          expect(each.parent).toBeLessThan(index)
          const parent = rows[each.parent]
          if (each.parent >= 0) expect(parent?.kind).toBe('section')
          if (each.kind === 'total') expect(each.level).toBe(0)
          expect(each.level).toBeLessThanOrEqual((rows[index - 1]?.level ?? -1) + 1)
          if (parent) expect([0, 1]).toContain(each.level - parent.level)
        })
      }),
    )
  })

  it('200,000 nested rows get their levels without a stack overflow', () => {
    const deep = Array.from({ length: 200_000 }, (_, index) => row('TextRow', String(index)))
    expect(levelReport(deep)).toHaveLength(deep.length)
  })
})

describe('columns and values', () => {
  const two = [row('DataRow', 'a', '1', '2'), row('TextRow', 'b')]
  it('one more heading than values: the first is for the name', () => {
    expect(columnsOf(['Account', 'Jan', 'Feb'], two)).toEqual({
      nameColumn: 'Account',
      columns: ['Jan', 'Feb'],
    })
  })
  it('as many headings as values: the name column has none', () => {
    expect(columnsOf(['Jan', 'Feb'], two)).toEqual({ nameColumn: '', columns: ['Jan', 'Feb'] })
  })
  it('values beyond the headings have empty headings', () => {
    expect(columnsOf(['Jan'], two)).toEqual({ nameColumn: '', columns: ['Jan', ''] })
    expect(columnsOf(['', 'Jan', 'Feb'], [...two, row('DataRow', 'c', '1', '2', '3', '4')])).toEqual({
      nameColumn: '',
      columns: ['Jan', 'Feb', '', ''],
    })
  })
  it('without rows, the first heading is the name', () => {
    expect(columnsOf(['Account', 'Total'], [])).toEqual({ nameColumn: 'Account', columns: ['Total'] })
    expect(columnsOf([], [])).toEqual({ nameColumn: '', columns: [] })
  })
})

describe('zero rows', () => {
  it('are data rows with nothing but zeros', () => {
    const zero = (kind: 'data' | 'subtotal', ...values: string[]): boolean => isZeroRow({ kind, values })
    expect(zero('data', '0.00', '', '-0.0', '0')).toBe(true)
    expect(zero('data', '0.00', '0.01')).toBe(false)
    expect(zero('data', '0.00', 'a memo')).toBe(false)
    expect(zero('data')).toBe(false)
    expect(zero('subtotal', '0.00')).toBe(false)
  })
})
