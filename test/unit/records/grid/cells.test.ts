// A cell is found by its IDs, whatever characters they have: the grid writes them into attributes.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { columnIdOf } from '../../../../renderer/ui/grid/cells.ts'
import { gridRowId } from '../../../../renderer/ui/grid/grid.ts'
import { wrapParts } from '../../../../renderer/ui/text/wrap.ts'
import { standIn } from '../list/stand-in.ts'

test('an ID that the grid has escaped reads back unchanged', () => {
  const parts: readonly (readonly [id: string, escaped: string])[] = [
    ['&', '&amp;'],
    ['<', '&lt;'],
    ['>', '&gt;'],
    ['"', '&quot;'],
    ["'", '&#39;'],
    ...['amp;', 'lt;', '#39;', 'a', ' ', 'ü'].map((plain) => [plain, plain] as const),
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts)), (all) => {
      const escaped = all.map(([, part]) => part).join('')
      const id = all.map(([part]) => part).join('')
      expect(columnIdOf(standIn<Element>({ getAttribute: () => escaped }))).toBe(id)
    }),
  )
})

test('each row has a unique ID that isn’t a member of every object', () => {
  const odd = ['__proto__', 'constructor', 'toString', '~constructor', '~', '~~constructor', '']
  const ids = [...odd, '8', '8\u001f2']
  const kept: Record<string, unknown> = {}
  for (const id of ids) {
    expect(kept[gridRowId(id)]).toBeUndefined()
    kept[gridRowId(id)] = id
  }
  expect(Object.keys(kept)).toHaveLength(ids.length)
  expect(gridRowId('8')).toBe('8')
})

test('an email address wraps before its @ and its periods, and no other text does', () => {
  expect(wrapParts('ezra.dunning@orchard.example')).toEqual(['ezra', '.dunning', '@orchard', '.example'])
  expect(wrapParts('Ezra, ezra@orchard.example and Bo')).toEqual([
    'Ezra, ezra',
    '@orchard',
    '.example and Bo',
  ])
  for (const text of ['(415) 555-0142', 'Dunning, Ezra', 'St. Ives @ Bay', ''])
    expect(wrapParts(text)).toEqual([text])
})
