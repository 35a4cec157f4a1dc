// Changing many cells of a list in time slices: in order, undone as one step, and without losing edits in between.
import { expect, test } from 'vitest'
import { splitParentNames } from '../../../../renderer/records/list/editing.svelte.ts'
import { customers } from '../customers-list.ts'

const MANY = 20_000

function phones(count: number, now: string): { rowId: string; path: string; now: string }[] {
  return Array.from({ length: count }, (_each, at) => ({ rowId: String(at), path: 'Phone', now }))
}

test('a few cells are changed synchronously', () => {
  const { editing, value } = customers(3)
  void editing.apply(phones(3, '2'))
  expect(editing.isBusy).toBe(false)
  expect(value('2', 'Phone')).toBe('2')
})

test('many are changed in time slices, saved, and undone as one step', async () => {
  const { editing, drafts, value, saved } = customers(MANY)
  const applied = editing.apply(phones(MANY, '2'))
  expect(editing.isBusy).toBe(true)
  expect(editing.editability('0', 'Phone')).toMatchObject({ editable: false })
  expect(editing.undo()).toMatchObject({
    step: null,
    reason: expect.stringMatching(/Updating many cells/) as string,
  })
  // An editor that was already open: its text is kept.
  editing.edit([{ rowId: '5', path: 'Email', now: 'five@example.com' }])
  expect(await applied).toEqual({ changed: MANY, refused: [] })
  expect(editing.editability('0', 'Phone')).toMatchObject({ editable: true })
  expect(value(String(MANY - 1), 'Phone')).toBe('2')
  expect(await drafts.settled()).toBe(true)
  expect(saved.size).toBe(MANY)

  expect(editing.undo().step?.cells).toHaveLength(MANY)
  await editing.settled()
  expect([...drafts.all].map(({ edits }) => Object.keys(edits))).toEqual([['Email']])
})

test('edits made during a large change are applied after it, in order', async () => {
  const { editing, value } = customers(MANY)
  const steps = [editing.apply(phones(MANY, '2')), editing.apply(phones(MANY, '3'))]
  steps.push(editing.apply(phones(2, '4')))
  for (const step of steps) expect((await step).refused).toEqual([])
  expect(['0', '1', '2', String(MANY - 1)].map((row) => value(row, 'Phone'))).toEqual(['4', '4', '3', '3'])
  editing.undo()
  editing.undo()
  await editing.settled()
  expect(value('0', 'Phone')).toBe('2')
})

test('a new record that is typed by its full name gets its parent if that exists', () => {
  const alder = { ID: '1', FullName: 'Alder' }
  const around = {
    lacksParent: (rowId: string) => rowId !== 'old',
    parent: (fullName: string) => (fullName === 'Alder' ? alder : undefined),
  }
  const typed = (rowId: string, now: string) => ({ rowId, path: 'Name', now })
  const parent = (rowId: string) => ({ rowId, path: 'Parent', now: alder })
  expect(splitParentNames([typed('new', 'Alder: Porch')], around)).toEqual([
    parent('new'),
    typed('new', 'Porch'),
  ])
  for (const kept of [typed('old', 'Alder:Porch'), typed('new', 'Birch:Porch'), typed('new', 'Alder:')])
    expect(splitParentNames([kept], around)).toEqual([kept])
  const both = [typed('new', 'Alder:Porch'), parent('new')]
  expect(splitParentNames(both, around)).toEqual(both)
})
