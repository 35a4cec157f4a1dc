// Column filters: which rows pass, how they are described, and their form.
import { describe, expect, test } from 'vitest'
import {
  type ColumnFilter,
  filterKindsFor,
  filterNeedle,
  formatColumnFilter,
  parseColumnFilterForm,
  passesFilter,
  toColumnFilterForm,
} from '../../../../renderer/records/filters/column-filters.svelte.ts'
import type { PlannedColumn } from '../../../../renderer/records/grid/columns/plan.ts'
import { Format } from '../../../../shared/format/format.ts'
import { type Decimal, parseDecimal } from '../../../../shared/format/money.ts'

const US = new Format({ locale: 'en-US', negatives: 'minus' })
const filtered = (text: string) => ({ text, shown: text, value: text, isEdited: false })
const amount = (text: string): Decimal => {
  const decimal = parseDecimal(text)
  if (decimal === null) throw new Error(`${text} is no amount.`)
  return decimal
}

describe('a column’s filter', () => {
  test('finds a figure whatever its thousands separators', () => {
    expect(filterNeedle(' 1,250.5 ')).toBe('1250.5')
    expect(
      passesFilter({ kind: 'contains', text: '1,250' }, filterNeedle('1,250'), filtered('1,250.00\n1250.00')),
    ).toBe(true)
  })

  test('can show blank, not blank, or edited cells, and says so', () => {
    expect(passesFilter({ kind: 'blank' }, '', filtered(' '))).toBe(true)
    expect(passesFilter({ kind: 'not-blank' }, '', filtered(' '))).toBe(false)
    expect(passesFilter({ kind: 'edited' }, '', { ...filtered(''), isEdited: true })).toBe(true)
    expect(formatColumnFilter('Phone', { kind: 'contains', text: '555' }, US)).toBe('Phone contains “555”')
  })

  test('compares amounts exactly, in the region’s format', () => {
    const balances = ['-0.01', '0', '1250.10', '1250.1', '99999999999999999999.99', '', 'n/a']
    const passing = (kind: 'equals' | 'above' | 'below' | 'between', first: string, second = '') => {
      const read = parseColumnFilterForm(
        { kind, first, second, values: new Set() },
        { decimal: ',', group: '.' },
      )
      if (!read.ok) return read.reason
      const { filter } = read
      return filter && balances.filter((value) => passesFilter(filter, '', filtered(value)))
    }
    expect(passing('equals', '1.250,1')).toEqual(['1250.10', '1250.1'])
    expect(passing('below', '0')).toEqual(['-0.01'])
    expect(passing('above', '99.999.999.999.999.999.999,98')).toEqual(['99999999999999999999.99'])
    expect(passing('between', '1250,10', '0')).toEqual(['0', '1250.10', '1250.1'])
    expect(passing('above', 'much')).toBe('Enter an amount, such as 1.234,50.')
    expect(passing('between', '1', '')).toBe('Enter an amount, such as 1.234,50.')
    expect(passing('above', ' ')).toBeNull()
  })

  test('compares days: a date as written, a time by this computer’s day', () => {
    const written = ['2026-03-30', '2026-03-31', '2026-03-31T12:00:00', '2026-04-01T00:00:00', '', 'soon']
    const passing = (filter: ColumnFilter) =>
      written.filter((value) => passesFilter(filter, '', filtered(value)))
    expect(passing({ kind: 'on', day: '2026-03-31' })).toEqual(['2026-03-31', '2026-03-31T12:00:00'])
    expect(passing({ kind: 'before', day: '2026-03-31' })).toEqual(['2026-03-30'])
    expect(passing({ kind: 'after', day: '2026-03-31' })).toEqual(['2026-04-01T00:00:00'])
    expect(passing({ kind: 'days', from: '2026-03-30', to: '2026-03-31' })).toHaveLength(3)
    const typed = { kind: 'days', first: '2026-03-31', second: 'April', values: new Set<string>() } as const
    expect(parseColumnFilterForm(typed, { decimal: '.', group: ',' })).toMatchObject({ ok: false })
    expect(parseColumnFilterForm({ ...typed, second: '2026-03-01' }, { decimal: '.', group: ',' })).toEqual({
      ok: true,
      filter: { kind: 'days', from: '2026-03-01', to: '2026-03-31' },
    })
  })

  test('shows only the selected values, as they are displayed', () => {
    const filter: ColumnFilter = { kind: 'values', values: ['Net 30', ''] }
    expect(passesFilter(filter, '', filtered('Net 30'))).toBe(true)
    expect(passesFilter(filter, '', filtered(''))).toBe(true)
    expect(passesFilter(filter, '', filtered('Net 3'))).toBe(false)
    expect(formatColumnFilter('Terms', filter, US)).toBe('Terms is Net 30 or blank')
    expect(formatColumnFilter('Terms', { ...filter, values: ['1', '2', '3'] }, US)).toBe(
      'Terms is one of 3 values',
    )
  })

  test('opens again with its settings, whatever the column', () => {
    const filters: readonly [PlannedColumn['type'], ColumnFilter][] = [
      ['text', { kind: 'contains', text: '555' }],
      ['reference', { kind: 'values', values: ['Net 30'] }],
      ['money', { kind: 'between', from: amount('1'), to: amount('2.50') }],
      ['money', { kind: 'above', amount: amount('-3') }],
      ['timestamp', { kind: 'days', from: '2026-01-01', to: '2026-01-31' }],
      ['timestamp', { kind: 'before', day: '2026-01-01' }],
      ['boolean', { kind: 'blank' }],
    ]
    for (const [type, filter] of filters) {
      expect(filterKindsFor(type).map(({ value }) => value)).toContain(filter.kind)
      expect(parseColumnFilterForm(toColumnFilterForm(type, filter), { decimal: '.', group: ',' })).toEqual({
        ok: true,
        filter,
      })
    }
  })
})
