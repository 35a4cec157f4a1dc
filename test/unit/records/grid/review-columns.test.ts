// The columns of a review: everything that changes and changed, as visible as the room allows.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { Api } from '../../../../renderer/api.ts'
import { reviewWidths, widthsToEdge } from '../../../../renderer/records/grid/columns/column-state.ts'
import { DraftStore } from '../../../../renderer/records/drafts/draft-store.svelte.ts'
import { OUTCOME } from '../../../../renderer/records/grid/columns/plan.ts'
import type { RecordsList } from '../../../../renderer/records/list/records-list.svelte.ts'
import { ReviewColumns } from '../../../../renderer/records/review/review-columns.svelte.ts'
import type { RecordRow } from '../../../../renderer/records/list/rows.ts'
import type { GridApi } from '../../../../renderer/ui/grid/grid.ts'
import type { Operation } from '../../../../shared/contract/records.ts'
import { standIn } from '../list/stand-in.ts'

// Nothing watches here: what Svelte would compile are plain fields.
const plain = <Value>(value: Value): Value => value
vi.stubGlobal('$state', Object.assign(plain, { raw: plain }))

describe('the columns of a list', () => {
  const line = (width: number) => ({ width, least: 150 })

  test('end at the edge: an address gives up width for a column that would be cut', () => {
    expect(widthsToEdge([{ width: 200 }, line(220), { width: 90 }, { width: 80 }], 540)).toEqual([
      200, 170, 90, 80,
    ])
    // What is beyond the edge stays there.
    expect(widthsToEdge([{ width: 200 }, line(220), { width: 90 }], 420)).toEqual([200, 220, 90])
    expect(widthsToEdge([{ width: 200 }, line(220)], 900)).toEqual([200, 220])
  })

  test('or fill the view if little of the cut column is lost', () => {
    expect(widthsToEdge([{ width: 200 }, line(160), { width: 300 }], 400)).toEqual([200, 200, 300])
    expect(widthsToEdge([{ width: 200 }, line(160), { width: 300 }], 500)).toEqual([200, 160, 300])
    expect(widthsToEdge([{ width: 200 }, { width: 160 }, { width: 300 }], 400)).toEqual([200, 160, 300])
  })
})

describe('the columns of a review', () => {
  /** Columns as `[floor, whole, beside]`, with an outcome of 176 to 270 pixels and a name of 150 to 192. */
  const laid = (room: number, ...changes: readonly (readonly [number, number, number])[]) => {
    const {
      others,
      changes: widths,
      hasTwoLines,
    } = reviewWidths(
      new Map(
        changes.map(([floor, whole, beside], index) => [
          String(index),
          { floor, whole, beside, stacked: beside },
        ]),
      ),
      new Map([
        [OUTCOME, { least: 176, most: 270 }],
        ['Name', { least: 150, most: 192 }],
      ]),
      462 + room,
    )
    return [hasTwoLines, [...others.values()], changes.map((_, index) => widths.get(String(index)))]
  }

  test('have their preferred widths if there is room', () => {
    expect(laid(540, [100, 110, 140], [100, 160, 400])).toEqual([false, [270, 192], [140, 400]])
  })

  test('use two lines if there isn’t, and those that want most beyond the complete new value shrink first', () => {
    expect(laid(500, [100, 110, 140], [100, 160, 400])).toEqual([true, [270, 192], [140, 360]])
    // A new value that is long keeps its room where another column could do with less.
    expect(laid(500, [100, 160, 272], [100, 110, 140], [76, 110, 110])).toEqual([
      true,
      [270, 192],
      [250, 140, 110],
    ])
  })

  test('shrink the outcome and the name before a new value is cut, and stay visible if cutting helps', () => {
    expect(laid(300, [100, 160, 272], [100, 200, 300])).toEqual([true, [210, 192], [160, 200]])
    const [, others, widths] = laid(250, [100, 152, 272], [100, 240, 400], [100, 100, 140])
    expect(others).toEqual([176, 150])
    expect(widths).toEqual([152, 134, 100])
    // Too many for any room.
    expect(laid(0, [100, 160, 272], [100, 240, 400])).toEqual([true, [176, 150], [100, 100]])
  })

  test('let new values wrap only where they don’t fit on a line', () => {
    const wraps = (room: number) =>
      reviewWidths(
        new Map([['Email', { floor: 100, whole: 200, beside: 300, stacked: 250 }]]),
        new Map(),
        room,
      ).wraps
    expect([150, 200, 260, 320].map(wraps)).toEqual([true, false, false, false])
  })

  test('use only the available room unless one would be too narrow', () => {
    const change = fc
      .tuple(
        fc.integer({ min: 60, max: 110 }),
        fc.integer({ min: 0, max: 130 }),
        fc.integer({ min: 0, max: 160 }),
      )
      .map(([floor, more, most]) => [floor, floor + more, floor + more + most] as const)
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: -300, max: 900 }),
        (changes, room) => {
          const [, others, widths] = laid(room, ...changes) as [boolean, number[], number[]]
          const all = [...others, ...widths].reduce((sum, width) => sum + width, 0)
          const least = changes.reduce((sum, [floor]) => sum + floor, 176 + 150)
          expect(all).toBeLessThanOrEqual(Math.max(462 + room, least))
          for (const [at, [floor, , beside]] of changes.entries()) {
            expect(widths[at]).toBeGreaterThanOrEqual(floor)
            expect(widths[at]).toBeLessThanOrEqual(beside)
          }
        },
      ),
    )
  })

  test('include those of saved rows, too, when it is opened again', () => {
    const shown = new Map<string, boolean>()
    const paths = ['Name', 'Phone', 'Email', 'Balance', OUTCOME]
    const column = (id: string) => ({
      getColId: () => id,
      isPinned: () => false,
      isVisible: () => true,
      getActualWidth: () => 100,
    })
    const api = standIn<GridApi<RecordRow>>({
      getColumnState: () => [],
      getColumnGroupState: () => [],
      getColumns: () => paths.map(column),
      getColumn: column,
      getAllDisplayedColumns: () => [],
      getHorizontalPixelRange: () => ({ left: 0, right: 900 }),
      applyColumnState: ({ state }: { state: { colId: string; hide: boolean }[] }) =>
        state.forEach(({ colId, hide }) => shown.set(colId, !hide)),
      setColumnWidths: () => undefined,
      setGridOption: () => undefined,
    })
    const row: RecordRow = { rowId: '8', recordId: '8', record: { ID: '8' }, origin: 'read' }
    const company = { connectionId: 'c', endpointId: 'e' }
    const drafts = new DraftStore({
      api: standIn<Api>({ call: () => Promise.resolve({ ok: true, value: { refused: [] } }) }),
      company,
      object: 'customer',
      row: () => row,
      supported: () => null,
      isWholeList: () => true,
      ambiguity: () => '',
    })
    drafts.putAll([{ row, path: 'Email', now: 'x' }])
    const saved = {
      draftId: 'd',
      kind: 'change' as const,
      recordId: '9',
      object: 'customer',
      after: { ID: '9' },
    }
    const edits = [{ path: 'Phone', was: '1', now: '2' }]
    drafts.settle(standIn<Operation>({ ...saved, edits, notAsSent: [], error: null }), '9')
    const list = standIn<RecordsList>({ drafts, column: () => undefined })
    new ReviewColumns(api, list).start()
    expect([...shown].filter(([, isShown]) => isShown).map(([path]) => path)).toEqual([
      'Name',
      'Phone',
      'Email',
    ])
    drafts.stop()
  })
})
