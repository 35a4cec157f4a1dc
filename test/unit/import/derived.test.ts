// Columns that are derived from a file's columns: split, combined, and mapped by templates.
import { describe, expect, test } from 'vitest'
import {
  applicable,
  columnName,
  type SplitBy,
  SPLITS,
  unsplitValues,
  withDerived,
} from '../../../renderer/records/import/columns/derived.ts'
import { type ColumnTarget, proposeColumns } from '../../../renderer/records/import/columns/headings.ts'
import { templatesFor } from '../../../renderer/records/import/columns/templates.ts'
import type { DerivedColumn } from '../../../shared/contract/import.ts'
import { type ImportCell, withHeadings } from '../../../shared/import/table.ts'
import { importPaths } from '../../../shared/records/fields.ts'
import { planImport } from '../../import-sync.ts'

function fileOf(...rows: readonly (readonly ImportCell[])[]) {
  return withHeadings(rows.map((cells, index) => ({ number: index + 1, cells })))
}

function splitOf(headings: readonly string[], column: number, by: SplitBy): DerivedColumn {
  return { kind: 'split', column: columnName(headings, column), by }
}

describe('a split', () => {
  test.each([
    ['Springfield, IL 62701', ['Springfield', 'IL', '62701']],
    ['St. Louis,  MO  63101-1234', ['St. Louis', 'MO', '63101-1234']],
    ['Portland, Oregon, 97201', ['Portland', 'Oregon', '97201']],
    ['Oklahoma City OK 73102', ['Oklahoma City', 'OK', '73102']],
    ['Springfield, IL', ['Springfield', 'IL', '']],
    ['Toronto, ON M5V 2T6', ['Toronto', 'ON', 'M5V 2T6']],
    ['London SW1A 1AA', ['London', '', 'SW1A 1AA']],
    ['Sydney NSW 2000', ['Sydney', 'NSW', '2000']],
    ['Suite 12345', null],
    ['Attn. Bob Crane', null],
    ['12 Main Street, Springfield, IL 62701', null],
    ['62701', null],
  ])('of a city line: %s', (text, pieces) => {
    expect(SPLITS['city-state-zip'].split(text)).toEqual(pieces)
  })

  test.each([
    ['Finch & Sons', ['', 'Finch & Sons']],
    ['Finch & Sons:Kitchen', ['Finch & Sons', 'Kitchen']],
    ['A : B : C', ['A:B', 'C']],
    ['A:', null],
  ])('of a full name: %s', (text, pieces) => {
    expect(SPLITS['parent-child'].split(text)).toEqual(pieces)
  })

  test.each([
    ['Crane, Ada', ['Crane', 'Ada']],
    ['Ada Crane', null],
    ['Crane, Ada, Jr.', null],
  ])('of a user’s name: %s', (text, pieces) => {
    expect(SPLITS['last-first'].split(text)).toEqual(pieces)
  })

  test('says how many values it can’t split', () => {
    expect(unsplitValues(['Springfield, IL 62701', '', 'Attn. Bob', 'c/o Ada'], 'city-state-zip')).toEqual({
      count: 2,
      example: 'Attn. Bob',
    })
  })
})

describe('derived columns', () => {
  const file = fileOf(
    ['Name', 'Street', 'Suite', 'Street'],
    ['Elm', '1 Main St', 'Suite 4', 'Springfield, IL 62701'],
    ['Oak', '2 Main St', '', 'Attn. Bob'],
    ['Ash', { error: '#N/A' }, 'Suite 5', ''],
    ['Fir', '3 Main St', '', '', 'beyond'],
  )
  const combined: DerivedColumn = {
    kind: 'combine',
    columns: [columnName(file.headings, 1), columnName(file.headings, 2)],
    separator: ', ',
  }
  const derived = [splitOf(file.headings, 3, 'city-state-zip'), combined]

  test('follow the file’s own, even if two have the same heading', () => {
    const table = withDerived(file, derived)
    expect(table.headings.slice(4)).toEqual([
      'Street: City',
      'Street: State',
      'Street: Postal code',
      'Street + Suite',
    ])
    expect(table.rows[0]?.cells.slice(4)).toEqual(['Springfield', 'IL', '62701', '1 Main St, Suite 4'])
    expect(table.rows[1]?.cells.slice(7)).toEqual(['2 Main St'])
    expect(table.rows[2]?.cells.slice(4)).toEqual(['', '', '', { error: '#N/A' }])
    expect(table.rows[3]?.cells.slice(8)).toEqual(['beyond'])
  })

  test('that need a missing column are left out', () => {
    expect(applicable(['Name', 'Street'], derived)).toEqual([])
    expect(applicable(file.headings, derived)).toEqual(derived)
  })

  test('become fields. What can’t be split is rejected once, at the file’s own column', () => {
    const table = withDerived(file, derived)
    const path = (column: number): string | null =>
      [
        'Name',
        null,
        null,
        null,
        'BillingAddress.City',
        'BillingAddress.State',
        'BillingAddress.PostalCode',
        'BillingAddress.Line1',
      ][column] ?? null
    const columns = table.headings.map((heading, column): ColumnTarget => {
      return { column, heading, path: path(column), emptyMeans: 'leave' }
    })
    const plan = planImport({
      target: { connectionId: 'c', endpointId: 'e', object: 'customer' },
      table,
      columns,
      records: [],
      isWholeList: true,
      supported: new Set(['Name', 'BillingAddress']),
      locked: new Map(),
      local: { separators: { decimal: '.', group: ',' }, dates: 'month-first' },
      formats: { separators: null, dates: null },
      matchBy: null,
      acceptedDamage: new Set(),
    })
    const [elm, oak, ash, fir] = plan.outcomes
    expect(
      elm?.kind === 'insert' &&
        Object.fromEntries(Object.values(elm.draft.edits).map((e) => [e.path, e.now])),
    ).toEqual({
      Name: 'Elm',
      'BillingAddress.City': 'Springfield',
      'BillingAddress.State': 'IL',
      'BillingAddress.PostalCode': '62701',
      'BillingAddress.Line1': '1 Main St, Suite 4',
    })
    expect(oak).toMatchObject({
      kind: 'refused',
      reasons: ['“Street”: “Attn. Bob” can’t be split into a city, state, and postal code.'],
      columns: [3],
    })
    expect(ash).toMatchObject({ kind: 'refused', columns: [1, 2] })
    expect(fir).toMatchObject({
      kind: 'refused',
      reasons: ['This row has more cells than headings (column 5).'],
      columns: [4],
    })
  })
})

describe('templates', () => {
  test('name fields that the list has', () => {
    for (const object of ['customer', 'vendor', 'account']) {
      const paths = new Set(importPaths(object, []))
      expect(templatesFor(object).map(({ name }) => name)).toEqual([
        'QuickBooks Desktop',
        'QuickBooks Online',
        'Xero',
      ])
      for (const { mapping } of templatesFor(object))
        for (const { path } of mapping.choices)
          expect(path === null || paths.has(path), path ?? '').toBe(true)
    }
    expect(templatesFor('constructor')).toEqual([])
  })

  test('read a job of QuickBooks Desktop as a full name, and leave its balances out', () => {
    const [desktop] = templatesFor('customer')
    const headings = ['Active Status', 'Customer', 'Balance Total', 'Bill to 1', 'Account No.']
    const columns = proposeColumns(
      'customer',
      headings,
      importPaths('customer', []),
      desktop?.mapping.choices ?? [],
    )
    expect(columns.map(({ path }) => path)).toEqual([
      'IsActive',
      'FullName',
      null,
      'BillingAddress.Line1',
      'Number',
    ])
  })
})
