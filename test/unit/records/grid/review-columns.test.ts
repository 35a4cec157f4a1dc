// The columns of a review: all changed values, as visible as the space allows.
import '../../runes.ts'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { Api } from '../../../../renderer/api.ts'
import { ListDrafts } from '../../../../renderer/records/drafts/list-drafts.svelte.ts'
import { reviewWidths, widthsToEdge } from '../../../../renderer/records/grid/columns/column-state.ts'
import { OUTCOME } from '../../../../renderer/records/grid/columns/plan.ts'
import type { RecordsList } from '../../../../renderer/records/list/records-list.svelte.ts'
import type { RecordRow } from '../../../../renderer/records/list/rows.ts'
import { countLines, ReviewColumns } from '../../../../renderer/records/review/review-columns.svelte.ts'
import type { GridApi } from '../../../../renderer/ui/grid/grid.ts'
import type { Operation } from '../../../../shared/contract/records.ts'
import { standIn } from '../list/stand-in.ts'

vi.stubGlobal('matchMedia', () => ({ matches: false }))

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
  /** Columns as `[whole, beside]`, with an outcome of 176 to 270 pixels and a name of 150 to 192. */
  const laid = (room: number, changes: readonly (readonly [number, number])[], low: 1 | 2 | null = null) => {
    const {
      others,
      changes: widths,
      hasTwoLines,
    } = reviewWidths(
      new Map(
        changes.map(([whole, beside], index) => [
          String(index),
          { whole, beside, stacked: beside, wrapped: whole / 2 },
        ]),
      ),
      new Map([
        [OUTCOME, { least: 176, most: 270 }],
        ['Name', { least: 150, most: 192 }],
      ]),
      462 + room,
      low,
    )
    return [hasTwoLines, [...others.values()], changes.map((_, index) => widths.get(String(index)))]
  }
  const PHONE_AND_EMAIL = [
    [110, 140],
    [160, 400],
  ] as const

  test('have their preferred widths if there is room', () => {
    expect(laid(540, PHONE_AND_EMAIL)).toEqual([false, [270, 192], [140, 400]])
  })

  test('use two lines if there isn’t, and those that want most beyond the complete new value shrink first', () => {
    expect(laid(500, PHONE_AND_EMAIL)).toEqual([true, [270, 192], [140, 360]])
    // A long new value keeps its width if another column needs less.
    const three = [
      [160, 272],
      [110, 140],
      [110, 110],
    ] as const
    expect(laid(500, three)).toEqual([true, [270, 192], [250, 140, 110]])
  })

  test('shrink the outcome and the name, and then scroll sideways, before a new value is cut', () => {
    const two = [
      [160, 272],
      [200, 300],
    ] as const
    expect(laid(300, two)).toEqual([true, [210, 192], [160, 200]])
    expect(laid(250, two)).toEqual([true, [176, 176], [160, 200]])
    expect(laid(0, two)).toEqual([true, [176, 150], [160, 200]])
  })

  test('have old and new values on one line in a low window, and scroll sideways', () => {
    expect(laid(540, PHONE_AND_EMAIL, 1)).toEqual([false, [270, 192], [140, 400]])
    expect(laid(0, PHONE_AND_EMAIL, 1)).toEqual([false, [176, 150], [140, 400]])
    expect(laid(2_000, PHONE_AND_EMAIL, 2)[0]).toBe(false)
    // A few rows have two lines, and no old value is cut, either.
    const short = [
      [110, 140],
      [160, 300],
    ] as const
    expect(laid(310, short, 2)).toEqual([true, [176, 156], [140, 300]])
    // Where columns would be out of sight, new values wrap.
    expect(laid(100, short, 2)).toEqual([true, [176, 150], [83, 153]])
  })

  test('use only the available room unless a new value would be cut', () => {
    const change = fc
      .tuple(fc.integer({ min: 60, max: 240 }), fc.integer({ min: 0, max: 160 }))
      .map(([whole, more]) => [whole, whole + more] as const)
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: -300, max: 900 }),
        (changes, room) => {
          const [, others, widths] = laid(room, changes) as [boolean, number[], number[]]
          const all = [...others, ...widths].reduce((sum, width) => sum + width, 0)
          const least = changes.reduce((sum, [whole]) => sum + whole, 176 + 150)
          expect(all).toBeLessThanOrEqual(Math.max(462 + room, least))
          for (const [at, [whole, beside]] of changes.entries()) {
            expect(widths[at]).toBeGreaterThanOrEqual(whole)
            expect(widths[at]).toBeLessThanOrEqual(beside)
          }
        },
      ),
    )
  })

  test('make a row as high as its values need: words wrap, and so does a word that is too long', () => {
    const lines = (text: string): number => countLines(text, 10, ({ length }) => length)
    expect(['', 'Net 30', 'Due on receipt', '415-555-0142', 'abcdefghijklmno'].map(lines)).toEqual([
      1, 1, 2, 2, 2,
    ])
    expect(lines('ezra.dunning@orchard.example')).toBe(4)
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
    const drafts = new ListDrafts({
      api: standIn<Api>({ call: () => Promise.resolve({ ok: true, value: { refused: [] } }) }),
      company,
      object: 'customer',
      row: () => row,
      supported: () => null,
      isWholeList: () => true,
      referenceStatus: () => 'unknown',
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
