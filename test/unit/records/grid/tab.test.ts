// In the grid of records, Tab goes from cell to cell, as in a spreadsheet, and always leaves in the end.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { leavingKey, tabStep } from '../../../../renderer/records/grid/keys.ts'
import { GridTab, tabbed } from '../../../../renderer/records/grid/tab.ts'
import type { RecordRow } from '../../../../renderer/records/list/rows.ts'
import type { GridApi } from '../../../../renderer/ui/grid/grid.ts'
import { standIn } from '../list/stand-in.ts'

const NO_MODIFIER = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false }
const COLUMNS = ['margin', 'Name', 'Phone', 'Email', 'outcome']

/**
 * The part of a grid that Tab needs: rows `r0`, `r1`, … and the columns above, of which only fields are tab stops.
 * @param fresh how many of the first rows are new records
 */
function grid(rows: number, at: { row: number; path: string }, fresh = 0) {
  let focus = at
  const column = (path: string) => ({ getColId: () => path })
  const api = standIn<GridApi<RecordRow>>({
    getFocusedCell: () => ({ rowIndex: focus.row, column: column(focus.path) }),
    getAllDisplayedColumns: () => COLUMNS.map(column),
    getDisplayedRowCount: () => rows,
    getDisplayedRowAtIndex: (row: number) =>
      row >= 0 && row < rows
        ? { rowIndex: row, data: { rowId: `r${String(row)}`, origin: row < fresh ? 'new' : 'read' } }
        : undefined,
    ensureIndexVisible: () => undefined,
    ensureColumnVisible: () => undefined,
    getHorizontalPixelRange: () => ({ left: 0, right: 900 }),
    getDisplayedCenterColumns: () => [],
    setFocusedCell: (row: number, path: string) => (focus = { row, path }),
  })
  const tab = new GridTab(
    api,
    (_, path) => path !== 'margin' && path !== 'outcome',
    (_, isTyped) => {
      if (!isTyped) return null
      rows += 1
      return (fresh += 1) - 1
    },
  )
  const focused = (): string => `r${String(focus.row)} ${focus.path}`
  return { tab, focused, goTo: (row: number, path: string) => (focus = { row, path }) }
}

test('from the first cell, Tab reaches every stop once and leaves. Shift+Tab returns the same way', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
      (rows, stopsAt) => {
        const extent = { rows, columns: stopsAt.length }
        const stops = ({ column }: { column: number }): boolean => stopsAt[column] ?? false
        const walk = (from: { row: number; column: number }, step: 1 | -1): string[] => {
          const places: string[] = []
          for (let at = tabbed(from, step, extent, stops); at; at = tabbed(at, step, extent, stops)) {
            places.push(`${String(at.row)} ${String(at.column)}`)
          }
          return places
        }
        const all = Array.from({ length: rows }, (_, row) =>
          stopsAt.flatMap((stop, column) => (stop ? [`${String(row)} ${String(column)}`] : [])),
        ).flat()
        expect(walk({ row: 0, column: -1 }, 1)).toEqual(all)
        expect(walk({ row: rows - 1, column: stopsAt.length }, -1)).toEqual(all.toReversed())
      },
    ),
  )
})

describe('Enter after Tab', () => {
  test('goes below the cell where the row was begun', () => {
    const { tab, focused } = grid(3, { row: 0, path: 'Name' })
    expect(tab.ledHere).toBe(false)
    expect([tab.go(1, true), tab.go(1, true)]).toEqual([true, true])
    expect(focused()).toBe('r0 Email')
    expect(tab.ledHereTyping).toBe(true)
    expect(tab.goBack()).toBe(true)
    expect(focused()).toBe('r1 Name')
    expect(tab.ledHere).toBe(false)
  })

  test('edits a cell that Tab reached without typing', () => {
    const { tab } = grid(3, { row: 0, path: 'Name' })
    tab.go(1, false)
    expect([tab.ledHere, tab.ledHereTyping]).toEqual([true, false])
  })

  test('remembers the way in its row, and forgets it elsewhere', () => {
    const { tab, focused, goTo } = grid(3, { row: 0, path: 'Phone' })
    for (let times = 0; times < 3; times += 1) tab.go(1, true)
    expect(focused()).toBe('r1 Phone')
    tab.goBack()
    expect(focused()).toBe('r2 Name')
    tab.go(1, true)
    goTo(0, 'Email')
    expect(tab.goBack()).toBe(false)
  })

  test('stays in the last row', () => {
    const { tab, focused } = grid(1, { row: 0, path: 'Name' })
    tab.go(1, true)
    tab.goBack()
    expect(focused()).toBe('r0 Name')
  })
})

describe('on new records', () => {
  test('Enter and Tab stay on them, and begin another one below the last', () => {
    const { tab, focused, goTo } = grid(4, { row: 0, path: 'Name' }, 2)
    tab.down('Name', true)
    expect(focused()).toBe('r1 Name')
    tab.down('Name', true)
    expect(focused()).toBe('r2 Name')
    tab.go(1, true)
    tab.goBack()
    expect(focused()).toBe('r3 Name')
    goTo(3, 'Email')
    expect(tab.go(1, true)).toBe(true)
    expect(focused()).toBe('r4 Name')
    expect(tab.isOnNew).toBe(true)
  })

  test('an empty one is the last. Enter stays, and Tab leaves the grid', () => {
    const { tab, focused, goTo } = grid(3, { row: 0, path: 'Name' }, 1)
    tab.down('Name', false)
    expect(focused()).toBe('r0 Name')
    goTo(0, 'Email')
    expect(tab.go(1, false)).toBe(false)
    expect(focused()).toBe('r0 Email')
  })
})

test('Tab leaves at the last cell, and Shift+Tab at the first one', () => {
  const { tab, focused } = grid(2, { row: 1, path: 'Email' })
  expect(tab.go(1, false)).toBe(false)
  expect(focused()).toBe('r1 Email')
  const first = grid(2, { row: 0, path: 'Name' })
  expect(first.tab.go(-1, false)).toBe(false)
})

test('the grid ignores Tab with Ctrl or Alt, and F6 leaves it in either direction', () => {
  expect(tabStep({ ...NO_MODIFIER, key: 'Tab' })).toBe(1)
  expect(tabStep({ ...NO_MODIFIER, key: 'Tab', shiftKey: true })).toBe(-1)
  expect(tabStep({ ...NO_MODIFIER, key: 'Tab', ctrlKey: true })).toBeNull()
  expect(leavingKey({ ...NO_MODIFIER, key: 'F6' })).toBe(true)
  expect(leavingKey({ ...NO_MODIFIER, key: 'F6', shiftKey: true })).toBe(true)
  expect(leavingKey({ ...NO_MODIFIER, key: 'F6', ctrlKey: true })).toBe(false)
})
