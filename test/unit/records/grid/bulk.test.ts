// Operations on many cells without a grid: selecting, pasting, filling, finding, and replacing.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filledDown, setCells } from '../../../../renderer/records/bulk/bulk.svelte.ts'
import {
  formatPastePlan,
  formatRefusals,
  type PasteRules,
  planNewRecords,
  planOverCells,
  rowsUnder,
} from '../../../../renderer/records/bulk/paste-plan.ts'
import {
  findCells,
  type FoundCell,
  isFound,
  nextFound,
  replacements,
} from '../../../../renderer/records/find/search.ts'
import { arrowSteps, gridCommand } from '../../../../renderer/records/grid/keys.ts'
import {
  type Block,
  cellCount,
  holds,
  moved,
  rangesOf,
} from '../../../../renderer/records/grid/selection/blocks.ts'
import { type Key, selectionKey } from '../../../../renderer/records/grid/selection/selection.svelte.ts'
import type { RecordRow } from '../../../../renderer/records/list/rows.ts'
import { runInSlices, runToCompletion } from '../../../../renderer/records/list/time-slice.ts'
import { readBlock, writeBlock } from '../../../../shared/import/clipboard-block.ts'
import { textOf } from '../../../../shared/records/changes.ts'

const EXTENT = { rows: 12, columns: 8 }
const position = fc.record({ row: fc.nat(11), column: fc.nat(7) })
const block = fc.record({ anchor: position, head: position })

describe('chosen cells', () => {
  test('are each counted and named once, even if blocks overlap', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), (blocks) => {
        const named = rangesOf(blocks).flatMap(({ top, bottom, columns }) =>
          Array.from({ length: bottom - top + 1 }, (_, down) =>
            columns.map((column) => `${String(top + down)}/${String(column)}`),
          ).flat(),
        )
        const held: string[] = []
        for (let row = 0; row < EXTENT.rows; row += 1) {
          for (let column = 0; column < EXTENT.columns; column += 1) {
            if (holds(blocks, { row, column })) held.push(`${String(row)}/${String(column)}`)
          }
        }
        expect(named).toEqual(held)
        expect(cellCount(blocks)).toBe(held.length)
      }),
    )
  })

  test('stay in the list, whatever key moves their corner', () => {
    const way = fc.constantFrom('up', 'down', 'left', 'right', 'page-up', 'page-down', 'row-start', 'row-end')
    fc.assert(
      fc.property(position, fc.array(fc.tuple(way, fc.boolean())), (from, steps) => {
        const at = steps.reduce((present, [each, far]) => moved(present, each, far, EXTENT, 5), from)
        expect(holds([{ anchor: { row: 0, column: 0 }, head: { row: 11, column: 7 } }], at)).toBe(true)
      }),
    )
  })

  test('are selected with the keys of a spreadsheet, and a plain arrow belongs to the grid', () => {
    const key = (name: string, more: Partial<Key> = {}): Key => ({
      key: name,
      shiftKey: false,
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      ...more,
    })
    expect(selectionKey(key('ArrowDown'))).toBeNull()
    expect(selectionKey(key('ArrowDown', { shiftKey: true }))).toEqual({
      what: 'extend',
      way: 'down',
      far: false,
    })
    expect(selectionKey(key('End', { shiftKey: true, metaKey: true }))).toEqual({
      what: 'extend',
      way: 'row-end',
      far: true,
    })
    expect(selectionKey(key('a', { ctrlKey: true }))).toEqual({ what: 'all' })
    expect(selectionKey(key(' ', { shiftKey: true }))).toEqual({ what: 'rows' })
    expect(selectionKey(key(' ', { ctrlKey: true }))).toEqual({ what: 'columns' })
    expect(gridCommand(key('d', { metaKey: true }), false)).toBe('fill-down')
    expect(gridCommand(key('Enter', { ctrlKey: true }), false)).toBe('next-step')
    expect(gridCommand(key('ArrowDown', { altKey: true }), false)).toBe('filter')
    expect(gridCommand(key('Home'), false)).toBe('row-start')
    expect(gridCommand(key('End', { ctrlKey: true }), false)).toBe('last-cell')
    expect(gridCommand(key('Home', { shiftKey: true, ctrlKey: true }), false)).toBeNull()
    expect(gridCommand(key('d'), false)).toBeNull()
    expect(gridCommand(key('Delete'), false)).toBe('clear')
    expect(gridCommand(key('Backspace'), true)).toBe('clear')
    expect(gridCommand(key('Backspace'), false)).toBeNull()
    expect(arrowSteps(key('ArrowLeft'))).toEqual({ rows: 0, columns: -1 })
    expect(arrowSteps(key('ArrowLeft', { shiftKey: true }))).toBeNull()
  })
})

test('a block of cells survives the clipboard, with tabs, line breaks, and quotes', () => {
  const cells = fc.array(fc.string({ unit: fc.constantFrom('a', '"', '\t', '\n', ' ', '1') }), {
    minLength: 1,
    maxLength: 4,
  })
  fc.assert(
    fc.property(fc.array(cells, { minLength: 1, maxLength: 4 }), (rows) => {
      expect(readBlock(writeBlock(rows))).toEqual(rows)
    }),
    // A column whose last cells are empty, and a single cell.
    {
      examples: [
        [[['555-0'], ['']]],
        [[['a'], [''], ['']]],
        [[['']]],
        [
          [
            ['a', ''],
            ['', ''],
          ],
        ],
      ],
    },
  )
})

describe('filling', () => {
  const cells = {
    value: (rowId: string, path: string) => `${rowId}.${path}`,
    above: (rowId: string) => (rowId === '1' ? undefined : String(Number(rowId) - 1)),
  }

  test('copies the first row of a block down, or the cell above a single one', () => {
    expect(filledDown([{ rowIds: ['1', '2', '3'], paths: ['Phone'] }], cells)).toEqual([
      { rowId: '2', path: 'Phone', now: '1.Phone' },
      { rowId: '3', path: 'Phone', now: '1.Phone' },
    ])
    expect(filledDown([{ rowIds: ['2'], paths: ['Phone'] }], cells)).toEqual([
      { rowId: '2', path: 'Phone', now: '1.Phone' },
    ])
    expect(filledDown([{ rowIds: ['1'], paths: ['Phone'] }], cells)).toEqual([])
  })

  test('reads a text by each column’s type, and says which columns reject it', () => {
    const { edits, refused } = setCells([{ rowIds: ['1'], paths: ['Phone', 'IsActive'] }], (_rowId, path) =>
      path === 'Phone' ? { ok: true, value: 'x' } : { ok: false, reason: 'Type yes or no.' },
    )
    expect(edits).toEqual([{ rowId: '1', path: 'Phone', now: 'x' }])
    expect(refused).toEqual([{ rowId: '1', path: 'IsActive', reason: 'Type yes or no.' }])
  })
})

describe('a block that is pasted', () => {
  const law: PasteRules = {
    read: (_rowId, _path, text) =>
      text === 'bad' ? { ok: false, reason: 'No amount.' } : { ok: true, value: text },
    closed: (rowId, path) => (rowId !== null && path === 'Balance' ? 'Only when a record is new.' : ''),
    isSame: (rowId, _path, now) => rowId === '1' && now === 'same',
  }
  const one = { rows: 1, columns: 1 }

  test('changes what can be changed, adds rows beyond the last one, and reports everything', () => {
    const target = { rowIds: ['1', '2'], paths: ['Phone', 'Balance'], chosen: one }
    const plan = planOverCells(
      [
        ['same', '5', 'x'],
        ['new', '6'],
        ['third', '7'],
        ['', ' '],
      ],
      target,
      law,
    )
    expect(plan.edits).toEqual([{ rowId: '2', path: 'Phone', now: 'new' }])
    expect(plan.added).toEqual([
      {
        values: [
          { path: 'Phone', now: 'third' },
          { path: 'Balance', now: '7' },
        ],
      },
    ])
    expect(plan.refused.map(({ reason }) => reason)).toEqual([
      'Only when a record is new.',
      'Only when a record is new.',
    ])
    expect(plan).toMatchObject({ unchanged: 1, beyond: 1 })
    expect(formatPastePlan(plan, String)).toBe(
      '1 cell changes, 1 new record is added, 1 stays as it is, 2 can’t be changed. 1 column doesn’t fit and is skipped.',
    )
  })

  test('accounts for each of its cells, whatever is in them', () => {
    const text = fc.constantFrom('same', 'bad', 'a', 'b')
    const rows = fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 5 }), (pasted, there) => {
        const rowIds = Array.from({ length: there }, (_, at) => String(at + 1))
        const plan = planOverCells(pasted, { rowIds, paths: ['Phone', 'Balance'], chosen: one }, law)
        const added = plan.added.reduce((sum, { values }) => sum + values.length, 0)
        expect(plan.edits.length + plan.refused.length + plan.unchanged + added).toBe(pasted.length * 2)
      }),
    )
  })

  test('that begins on a new record doesn’t overwrite another one below, unless that is selected, too', () => {
    const rows = (...origins: RecordRow['origin'][]) =>
      origins.map((origin, at) => ({ rowId: String(at), origin }))
    const under = (shown: ReturnType<typeof rows>, most: number, chosen: number) =>
      rowsUnder((down) => shown[down], most, chosen)
    expect(under(rows('new', 'new', 'read', 'read'), 4, 1)).toEqual(['0', '1'])
    expect(under(rows('new', 'kept'), 2, 1)).toEqual(['0'])
    expect(under(rows('new', 'read', 'read'), 4, 2)).toEqual(['0', '1'])
    expect(under(rows('read', 'new', 'read'), 2, 1)).toEqual(['0', '1'])
    expect(under(rows('read'), 3, 3)).toEqual(['0'])
  })

  test('is repeated over a selection that is a multiple of it, and only there', () => {
    const pasted = (columns: number): string => {
      const paths = ['Phone', 'Fax', 'Email', 'City'].slice(0, columns)
      const target = { rowIds: ['1', '2'], paths, chosen: { rows: 2, columns } }
      return planOverCells([['a', 'b']], target, law)
        .edits.map(({ rowId, path, now }) => `${rowId} ${path} ${textOf(now)}`)
        .join(', ')
    }
    expect(pasted(4)).toBe('1 Phone a, 1 Fax b, 1 Email a, 1 City b, 2 Phone a, 2 Fax b, 2 Email a, 2 City b')
    expect(pasted(3)).toBe('1 Phone a, 1 Fax b')
  })

  test('as new records skips empty cells and rows', () => {
    expect(
      planNewRecords(
        [
          ['A', ''],
          ['', ''],
        ],
        ['Name', 'Phone'],
        law,
      ).added,
    ).toEqual([{ values: [{ path: 'Name', now: 'A' }] }])
  })
})

test('what couldn’t be changed is reported with its reasons, the most frequent first', () => {
  const refused = [
    { rowId: '1', path: 'Phone', reason: 'Locked.' },
    { rowId: '1', path: 'Balance', reason: 'Kept.' },
    { rowId: '2', path: 'Balance', reason: 'Kept.' },
  ]
  expect(formatRefusals(refused, (path) => path, String)).toBe(
    '3 cells were left as they are. Balance: Kept. Phone: Locked.',
  )
  expect(formatRefusals(refused.slice(0, 1), (path) => path, String)).toBe('Phone: Locked.')
  expect(formatRefusals([], (path) => path, String)).toBe('')
})

describe('finding and replacing', () => {
  const terms = (find: string, more = {}) => ({ find, matchesCase: false, wholeCell: false, ...more })
  /** A cell's text after a replacement. */
  const replaced = (text: string, sought: ReturnType<typeof terms>, by: string) => {
    const rules = {
      text: () => text,
      closed: () => '',
      read: (_: string, __: string, value: string) => ({ ok: true, value }) as const,
    }
    const { edits } = runToCompletion(replacements([{ rowId: '1', path: 'A' }], sought, by, rules))
    return textOf(edits[0]?.now ?? text)
  }

  test('is for plain text, without special characters', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (text, find, by) => {
        const exact = terms(find, { matchesCase: true })
        expect(isFound(text, exact)).toBe(text.includes(find))
        expect(replaced(text, exact, by)).toBe(text.split(find).join(by))
      }),
    )
  })

  test('ignoring case replaces every match and nothing else', () => {
    expect(replaced('ABC abc', terms('b'), 'x')).toBe('AxC axc')
    expect(replaced('ABC', terms('abc', { wholeCell: true }), '')).toBe('')
    expect(replaced('ABC', terms('b', { matchesCase: true }), 'x')).toBe('ABC')
    expect(isFound('', terms(''))).toBe(false)
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme', minLength: 1 }),
        (text, find) => {
          // Only matches in any case are removed; everything else stays.
          const gone = replaced(text, terms(find), '')
          expect(gone.length).toBeLessThanOrEqual(text.length)
          expect(replaced(text, terms(find), find).toLowerCase()).toBe(text.toLowerCase())
        },
      ),
    )
  })

  const ground = {
    rowCount: 3,
    rowIdAt: (row: number) => String(row),
    columns: [
      { path: 'A', column: 0 },
      { path: 'B', column: 3 },
    ],
    text: (rowId: string, path: string) => `${path}${rowId}`,
  }

  test('goes through rows and columns in order, and wraps around', () => {
    let found: readonly FoundCell[] = []
    runInSlices(findCells(ground, terms('1')), (made) => (found = made))
    expect(found.map(({ rowId, path }) => path + rowId)).toEqual(['A1', 'B1'])
    expect(nextFound(found, null, false)).toBe(0)
    expect(nextFound(found, { row: 1, column: 0 }, false)).toBe(1)
    expect(nextFound(found, { row: 2, column: 0 }, false)).toBe(0)
    expect(nextFound(found, { row: 0, column: 0 }, true)).toBe(1)
    expect(nextFound([], null, false)).toBe(-1)
  })

  test('changes only what can be changed, and says why for the rest', () => {
    const law = {
      text: ground.text,
      read: (_rowId: string, _path: string, text: string) => ({ ok: true as const, value: text }),
      closed: (_rowId: string, path: string) => (path === 'B' ? 'Kept.' : ''),
    }
    const cells = [
      { rowId: '1', path: 'A' },
      { rowId: '1', path: 'B' },
      { rowId: '2', path: 'A' },
    ]
    const { edits, refused } = runToCompletion(replacements(cells, terms('1'), '9', law))
    expect(edits).toEqual([{ rowId: '1', path: 'A', now: 'A9' }])
    expect(refused).toEqual([{ rowId: '1', path: 'B', reason: 'Kept.' }])
  })
})

test('a block holds the same cells whichever corner moved', () => {
  fc.assert(
    fc.property(block, ({ anchor, head }: Block) => {
      expect(rangesOf([{ anchor, head }])).toEqual(rangesOf([{ anchor: head, head: anchor }]))
    }),
  )
})
