/** The order of rows, computed in time slices, is the same as that of a stable sort. */
import fc from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { clock } from '../../../../renderer/clock.ts'
import { compareNames, compareText, createSorter, RowOrder } from '../../../../renderer/records/list/order.ts'
import type { RecordRow } from '../../../../renderer/records/list/rows.ts'
import {
  type Interruptible,
  runInSlices,
  runToCompletion,
} from '../../../../renderer/records/list/time-slice.ts'

function rowsOf(records: readonly Readonly<Record<string, string>>[]): RecordRow[] {
  return records.map((record, index) => {
    const id = String(index)
    return { rowId: id, recordId: id, record, origin: 'read' }
  })
}

function orderOf(rows: () => readonly RecordRow[], onready = (): void => undefined): RowOrder {
  return new RowOrder({
    rows,
    sorterOf: (path) => createSorter((row) => row.record[path] as string, compareText),
    isFilling: () => false,
    onready,
    onsorting: () => undefined,
  })
}

const ids = (rows: readonly RecordRow[]) => rows.map(({ rowId }) => rowId)
const arranged = (order: RowOrder, ...[rows, sortedBy]: Parameters<RowOrder['arrange']>) =>
  runToCompletion(order.arrange(rows, sortedBy))

test('sorting in time slices gives equal values equal ranks, and the others ranks in order, for any list', () => {
  const sorter = createSorter(
    (row) => Number(row.record['Name']),
    (left, right) => left - right,
  )
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 2_000 }), (numbers) => {
      const { of, count } = runToCompletion(sorter(rowsOf(numbers.map((each) => ({ Name: String(each) })))))
      const inOrder = [...new Set(numbers)].toSorted((left, right) => left - right)
      expect([...numbers.keys()].map((at) => of.get(String(at)))).toEqual(
        numbers.map((each) => inOrder.indexOf(each)),
      )
      expect(count).toBe(inOrder.length)
    }),
    { numRuns: 50 },
  )
})

describe('rows', () => {
  // A time slice never ends, so that the amount of work in the first one doesn't depend on the machine.
  beforeEach(() => {
    vi.spyOn(clock, 'elapsed').mockReturnValue(0)
  })

  const records = fc.array(
    fc.record({ Name: fc.constantFrom('Abe', 'abe', 'Bo', ''), City: fc.constantFrom('x', 'y', '') }),
    { maxLength: 60 },
  )

  test('are sorted by the first column, then by the next, in each direction', () => {
    fc.assert(
      fc.property(records, fc.boolean(), fc.boolean(), (made, nameDown, cityDown) => {
        const rows = rowsOf(made)
        const shown = arranged(
          orderOf(() => rows),
          rows,
          [
            { path: 'Name', descending: nameDown },
            { path: 'City', descending: cityDown },
          ],
        )
        const by = (path: string, down: boolean) => (left: RecordRow, right: RecordRow) =>
          (down ? -1 : 1) * compareText(left.record[path] as string, right.record[path] as string)
        const expected = rows.toSorted(
          (left, right) => by('Name', nameDown)(left, right) || by('City', cityDown)(left, right),
        )
        expect(ids(shown)).toEqual(expected.map(({ rowId }) => rowId))
      }),
    )
  })

  test('that arrive later are sorted in once they are known', () => {
    let rows = rowsOf([{ Name: 'b' }, { Name: 'a' }])
    const order = orderOf(() => rows)
    const byName = [{ path: 'Name', descending: false }]
    expect(ids(arranged(order, rows, byName))).toEqual(['1', '0'])
    rows = rowsOf([{ Name: 'b' }, { Name: 'a' }, { Name: 'Aa' }])
    order.invalidate()
    expect(ids(arranged(order, rows, byName))).toEqual(['1', '2', '0'])
  })

  test('are ranked ahead, and an event is sent only if that changes their order', () => {
    const rows = rowsOf([{ Name: 'b' }, { Name: 'a' }])
    const onready = vi.fn()
    const order = orderOf(() => rows, onready)
    const byName = [{ path: 'Name', descending: false }]
    order.prepare(byName)
    expect(onready).toHaveBeenCalledOnce()
    expect(ids(arranged(order, rows, byName))).toEqual(['1', '0'])
    order.invalidate()
    order.prepare(byName)
    expect(onready).toHaveBeenCalledOnce()
  })

  test('of a long list stay where they are until the order is ready, and then an event is sent', async () => {
    vi.mocked(clock.elapsed).mockRestore()
    const count = 60_000
    const rows = rowsOf(
      Array.from({ length: count }, (_, index) => ({ Name: `n${(index * 7_919) % count}` })),
    )
    const ready = Promise.withResolvers<undefined>()
    const order = orderOf(
      () => rows,
      () => ready.resolve(undefined),
    )
    const byName = [{ path: 'Name', descending: false }]
    expect(ids(arranged(order, rows, byName).slice(0, 3))).toEqual(['0', '1', '2'])
    await ready.promise
    const sorted = arranged(order, rows, byName)
    expect(sorted.slice(0, 3).map(({ record }) => record['Name'])).toEqual(['n0', 'n1', 'n2'])
  })
})

test('stopped work delivers nothing', async () => {
  const finished: string[] = []
  let isOver = false
  const work = function* (): Interruptible<undefined> {
    while (!isOver) yield
    return undefined
  }
  const leftAlone = new Promise((resolve) => runInSlices(work(), resolve))
  runInSlices(work(), () => finished.push('stopped'))()
  isOver = true
  await leftAlone
  expect(finished).toEqual([])
})

test('a job is listed under its customer, whatever other names begin with', () => {
  const names = [
    'Smith:Kitchen',
    'Smith Jr.',
    'Smith',
    'Smith:Bath:Phase 10',
    'Smith:Bath:Phase 9',
    'Smith:Bath',
  ]
  expect(
    names
      .map((name) => name.split(':'))
      .toSorted(compareNames)
      .map((parts) => parts.join(':')),
  ).toEqual([
    'Smith',
    'Smith:Bath',
    'Smith:Bath:Phase 9',
    'Smith:Bath:Phase 10',
    'Smith:Kitchen',
    'Smith Jr.',
  ])
})
