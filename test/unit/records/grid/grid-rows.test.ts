/** The rows that the grid shows, while they are filtered and sorted in time slices. */
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { GridRows } from '../../../../renderer/records/grid/grid-rows.ts'
import { compareText, createSorter } from '../../../../renderer/records/list/order.ts'
import type { RecordRow } from '../../../../renderer/records/list/rows.ts'
import type { RecordsView } from '../../../../renderer/records/screen/records-view.svelte.ts'
import type { GridApi } from '../../../../renderer/ui/grid/grid.ts'
import type { LazyRows } from '../../../../renderer/ui/grid/lazy-row-model.ts'
import { standIn } from '../list/stand-in.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const isNew = ({ origin }: RecordRow): boolean => origin === 'new'

const steps = fc.array(
  fc.oneof(
    fc.record({
      what: fc.constantFrom('add', 'new', 'draft', 'save', 'change'),
      name: fc.constantFrom('Abe', 'bo', 'Cy', 'dee', 'x'),
    }),
    fc.record({ what: fc.constantFrom('remove', 'wait', 'sort') }),
  ),
  { maxLength: 40 },
)

/** The rows of a list that is filtered in slices and sorted by name. */
function gridRows(
  list: ReadonlyMap<string, RecordRow>,
  {
    shows,
    sort,
    onshown,
  }: {
    readonly shows: (row: RecordRow) => boolean
    readonly sort: () => 'asc' | 'desc'
    readonly onshown: (rows: readonly RecordRow[]) => void
  },
): GridRows {
  return new GridRows(
    standIn<GridApi<RecordRow>>({
      getGridOption: () => undefined,
      setGridOption: (_: 'context', { rows }: LazyRows<RecordRow>) => onshown(rows),
      getColumnState: () => [{ colId: 'Name', sort: sort() }],
      getRenderedNodes: () => [],
    }),
    {
      view: standIn<RecordsView>({
        isFiltered: true,
        passes: shows,
        *prepareSearch() {
          yield
        },
        filters: { all: new Map() },
        list: {
          rows: { [Symbol.iterator]: () => list.values() },
          reader: { isFilling: false },
        },
      }),
      format: () => {
        throw new Error('No amounts.')
      },
      sorterOf: () => createSorter(({ record }) => String(record['Name']), compareText),
      onsorting: () => undefined,
      onreplace: () => undefined,
      onmove: () => undefined,
      onmoved: () => undefined,
      onstates: () => {
        throw new Error('Nothing is redrawn.')
      },
    },
  )
}

test.each([
  { of: 'the whole list', shows: () => true },
  {
    of: 'a filtered list',
    shows: ({ origin, record }: RecordRow) => origin === 'new' || record['Name'] !== 'x',
  },
])('the rows of $of end up filtered and sorted, whatever changes in the meantime', ({ shows }) => {
  vi.useFakeTimers()
  // Each slice ends at its first pause.
  let clock = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1_000))
  fc.assert(
    fc.property(steps, (taken) => {
      const list = new Map<string, RecordRow>()
      let shown: readonly RecordRow[] = []
      let sort: 'asc' | 'desc' = 'asc'
      const rows = gridRows(list, {
        shows,
        sort: () => sort,
        onshown: (now) => (shown = now),
      })
      let made = 0
      const rowOf = (
        name: string,
        origin: RecordRow['origin'],
        rowId = `row ${String((made += 1))}`,
      ): RecordRow => ({
        rowId,
        recordId: rowId,
        record: { Name: name },
        origin,
      })
      const put = (...added: readonly RecordRow[]): void => {
        for (const row of added) list.set(row.rowId, row)
      }
      rows.setRows()
      for (const step of taken) {
        const last = [...list.values()].at(-1)
        switch (step.what) {
          case 'add': {
            const row = rowOf(step.name, 'read')
            put(row)
            rows.mergeRows([], [row])
            break
          }
          case 'new': {
            const row = rowOf(step.name, 'new')
            put(row)
            rows.addRows([row], step.name === 'x' ? 'below-new' : 'top')
            break
          }
          case 'draft': {
            const drafted = [rowOf(step.name, 'kept'), rowOf(step.name, 'new')]
            put(...drafted)
            rows.addRows(drafted, 'top')
            break
          }
          case 'save': {
            const before = [...list.values()].find(({ origin }) => origin === 'new')
            if (!before) break
            // The service may answer with a record that is in the list.
            const known =
              step.name === 'x' ? [...list.values()].find(({ origin }) => origin === 'read') : null
            const row = rowOf(step.name, 'read', known?.rowId)
            list.delete(before.rowId)
            put(row)
            rows.replaceRow(before, row)
            break
          }
          case 'change':
            if (!last) break
            put(rowOf(step.name, last.origin, last.rowId))
            rows.mergeRows([...list.values()].slice(-1), [])
            break
          case 'remove':
            if (last) list.delete(last.rowId)
            rows.removeRows(last ? [last.rowId] : [])
            break
          case 'sort':
            sort = sort === 'asc' ? 'desc' : 'asc'
            rows.sort()
            break
          case 'wait':
            vi.advanceTimersByTime(3)
        }
        // A row is never shown twice, and none that is gone.
        expect(new Set(shown.map(({ rowId }) => rowId)).size).toBe(shown.length)
        expect(shown.every(({ rowId }) => list.has(rowId))).toBe(true)
      }
      vi.runAllTimers()
      const expected = [...list.values()].filter(shows)
      expect(new Set(shown)).toEqual(new Set(expected))
      expect(shown.findLastIndex(isNew)).toBe(shown.filter(isNew).length - 1)
      const names = shown.filter((row) => !isNew(row)).map(({ record }) => String(record['Name']))
      const sorted = names.toSorted((left, right) => left.localeCompare(right))
      expect(names).toEqual(sort === 'asc' ? sorted : sorted.reverse())
    }),
    { numRuns: 200 },
  )
})

test('a filter ends while rows keep changing, and what changed is filtered afterward', () => {
  vi.useFakeTimers()
  let clock = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1_000))
  const row = (at: number, name: string): RecordRow => ({
    rowId: String(at),
    recordId: String(at),
    record: { Name: name },
    origin: 'read',
  })
  const list = new Map(Array.from({ length: 2_000 }, (_, at) => [String(at), row(at, `Name ${String(at)}`)]))
  let shown: readonly RecordRow[] = []
  const rows = gridRows(list, {
    shows: ({ record }) => record['Name'] !== 'x',
    sort: () => 'asc',
    onshown: (now) => (shown = now),
  })
  const filtered = vi.fn()
  rows.filter(filtered)
  for (let at = 0; at < 100; at += 1) {
    const changed = row(at, 'x')
    list.set(changed.rowId, changed)
    rows.mergeRows([changed], [])
    vi.advanceTimersByTime(3)
  }
  expect(filtered).toHaveBeenCalledTimes(1)
  vi.runAllTimers()
  expect(shown).toHaveLength(1_900)
})

test('rows are filtered again after work on them failed', () => {
  vi.useFakeTimers()
  let clock = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1_000))
  const list = new Map(
    Array.from({ length: 2_000 }, (_, at): [string, RecordRow] => [
      String(at),
      { rowId: String(at), recordId: String(at), record: { Name: 'Ash' }, origin: 'read' },
    ]),
  )
  let fails = true
  let shown: readonly RecordRow[] = []
  const rows = gridRows(list, {
    shows: ({ rowId }) => {
      if (fails && rowId === '1999') throw new Error('A broken record.')
      return true
    },
    sort: () => 'asc',
    onshown: (now) => (shown = now),
  })
  const arranged = vi.fn()
  rows.setRows()
  rows.whenArranged(arranged)
  expect(() => vi.runAllTimers()).toThrow('A broken record.')
  expect(arranged).not.toHaveBeenCalled()
  fails = false
  rows.filterAgain(() => undefined)
  vi.runAllTimers()
  expect(arranged).toHaveBeenCalledTimes(1)
  expect(shown).toHaveLength(2_000)
})
