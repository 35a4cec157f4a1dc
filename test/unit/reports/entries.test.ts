/** The entries of a detail report in columns, parsed from the names that an application writes. */
import { describe, expect, it } from 'vitest'
import { layOutReport } from '../../../renderer/reports/table/column-layout.ts'
import { EntryCollector } from '../../../shared/reports/entries.ts'
import { levelReport } from '../../../shared/reports/levels.ts'
import type { ReportRow } from '../../../shared/reports/reports.ts'

function rowsOf(...rows: readonly (readonly [type: string, name: string, id?: string])[]): ReportRow[] {
  return levelReport(rows.map(([rowType, name, id = '']) => ({ rowType, name, id, values: ['1.00'] })))
}

function entryColumns(name: string, rows: readonly ReportRow[]) {
  const collector = new EntryCollector({ name })
  collector.add(rows)
  return collector.columns()
}

/** Each entry as `Heading: text`, by row. */
function read(name: string, rows: readonly ReportRow[]): (string | null)[] {
  const columns = entryColumns(name, rows)
  return rows.map((row) => {
    const texts = columns?.textsOf(row) ?? null
    if (columns === null || texts === null) return null
    return columns.columns
      .flatMap(({ heading }, at) => (texts[at] === '' ? [] : [`${heading}: ${texts[at] ?? ''}`]))
      .join(' | ')
  })
}

describe('the entries of a detail report', () => {
  it('are shown in columns: date, type, number, name, memo, and the other account', () => {
    const rows = rowsOf(
      ['TextRow', '1000 · Checking'],
      ['DataRow', 'Opening balance', 'a1'],
      ['DataRow', '2026-01-05, Check, 1023, Smith & Sons, Inc., January rent, Rent', 'v1'],
      ['DataRow', '2026-01-06, Deposit, Cash sales, counted twice, -SPLIT-'],
      ['SubtotalRow', 'Total 1000 · Checking'],
      ['TextRow', 'Rent'],
      ['DataRow', '2026-01-05, Check, 1023, Smith & Sons, Inc., January rent, 1000 · Checking', 'v1'],
    )
    expect(read('GeneralLedger', rows)).toEqual([
      null,
      null,
      'Date: 2026-01-05 | Type: Check | No.: 1023 | Name: Smith & Sons, Inc. | Memo: January rent | Split: Rent',
      'Date: 2026-01-06 | Type: Deposit | Memo: Cash sales, counted twice | Split: Several',
      null,
      null,
      'Date: 2026-01-05 | Type: Check | No.: 1023 | Name: Smith & Sons, Inc. | Memo: January rent | Split: 1000 · Checking',
    ])
  })

  it('a name before the date may hold commas, and open invoices have terms, a due date, and days late', () => {
    const rows = rowsOf(
      ['TextRow', '1 - 30'],
      [
        'DataRow',
        'Ames, Brook, and Cole, 2026-01-05, Invoice, A-17, Net 30, due 2026-02-04, 12 days late',
        'c1',
      ],
    )
    expect(read('ARAgingDetail', rows)[1]).toBe(
      'Date: 2026-01-05 | Type: Invoice | No.: A-17 | Name: Ames, Brook, and Cole | Terms: Net 30 | Due: 2026-02-04 | Days late: 12',
    )
  })

  it('a name with a comma is recognized by what its entries have in common', () => {
    const rows = rowsOf(
      ['TextRow', 'Checking'],
      ['DataRow', '2026-01-05, Payment, 9531, Dunning, Alonzo, Invoice 1859', 'c1'],
      ['DataRow', '2026-01-06, Payment, 9532, Dunning, Alonzo, Invoice 1860', 'c1'],
      ['DataRow', '2026-01-07, Check, 17, Amazon, Paper', 'v1'],
      ['DataRow', '2026-01-08, Check, 18, Amazon, Ink', 'v1'],
      ['DataRow', '2026-01-09, Bill, 5, Prosser & Lind, CPAs, Bill 57', 'v2'],
    )
    expect(read('GeneralLedger', rows).map((each) => each?.replace(/.*(?=Name: )/, ''))).toEqual([
      undefined,
      'Name: Dunning, Alonzo | Memo: Invoice 1859',
      'Name: Dunning, Alonzo | Memo: Invoice 1860',
      'Name: Amazon | Memo: Paper',
      'Name: Amazon | Memo: Ink',
      'Name: Prosser & Lind, CPAs | Memo: Bill 57',
    ])
  })

  it('other rows and other reports stay unchanged', () => {
    const other = rowsOf(
      ['TextRow', 'Rent'],
      ['DataRow', 'January'],
      ['DataRow', 'February'],
      ['DataRow', 'March'],
    )
    expect(entryColumns('GeneralLedger', other)).toBeNull()
    expect(entryColumns('ProfitAndLoss', rowsOf(['DataRow', '2026-01-05, Check']))).toBeNull()
  })

  it('of many entries, details that only a few have go to the memo', () => {
    const plain = Array.from({ length: 5_001 }, () => ['DataRow', '2026-01-05, Check, 7'] as const)
    const rows = rowsOf(...plain, ['DataRow', '2026-01-05, Check, 8, due 2026-02-01'])
    expect(read('GeneralLedger', rows).at(-1)).toBe(
      'Date: 2026-01-05 | Type: Check | No.: 8 | Memo: 2026-02-01',
    )
  })

  it('give way to the amounts if space is short, the other account first and the name last', () => {
    const rows = rowsOf(
      ['TextRow', 'Checking'],
      ['DataRow', '2026-01-05, Check, 1023, Smith, January rent, Checking', 'v1'],
    )
    const entries = entryColumns('GeneralLedger', rows)
    const layout = (room: number) => {
      const { texts, isTight } = layOutReport({ columns: [], rows, entries }, room, {})
      return { parts: texts.map(({ part }) => part), isTight }
    }
    const all = ['type', 'number', 'name', 'memo', 'split']
    expect(layout(100)).toEqual({ parts: all, isTight: false })
    // With less padding and shorter names and memos, all of them are visible.
    expect(layout(28)).toEqual({ parts: all, isTight: true })
    expect(layout(23).parts).toEqual(['type', 'number', 'name', 'memo'])
    expect(layout(18).parts).toEqual(['type', 'number', 'name'])
    expect(layout(12).parts).toEqual(['name'])
    expect(layout(9).parts).toEqual([])
  })

  it('show the other account only if names and memos keep enough letters', () => {
    const said = 'Beaumont Vineyards Window replacement, Drawings and site visit'
    const rows = rowsOf(
      ['TextRow', 'Checking'],
      ['DataRow', `2026-01-05, Check, 1023, ${said}, Checking`, 'v1'],
    )
    const entries = entryColumns('GeneralLedger', rows)
    const partsIn = (room: number) =>
      layOutReport({ columns: [], rows, entries }, room, {}).texts.map(({ part }) => part)
    expect(partsIn(34)).toEqual(['type', 'number', 'name', 'memo', 'split'])
    expect(partsIn(32)).toEqual(['type', 'number', 'name', 'memo'])
  })
})
