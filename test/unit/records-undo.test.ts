// Undo takes back what was typed into a record as long as it is not in the books, and says what it can't touch just now.
import { expect, test } from 'vitest'
import { ListOutcomes } from '../../renderer/records/list/records-list.svelte.ts'
import type { Operation } from '../../shared/contract/records.ts'
import { customers } from './customers-list.ts'
import { standIn } from './stand-in.ts'

/** Three customers with a phone typed into each, one after the other, and what becomes of what is sent of them. */
function typed() {
  const made = customers(3)
  const outcomes = new ListOutcomes(made.list)
  for (const rowId of ['0', '1', '2']) made.editing.edit([{ rowId, path: 'Phone', now: `new ${rowId}` }])
  const report = (rowId: string, state: Operation['state'], more: Partial<Operation> = {}): void => {
    const draft = made.drafts.draft(rowId)
    const edits = Object.values(draft?.edits ?? {})
    const facts = {
      draftId: draft?.draftId,
      kind: 'change' as const,
      recordId: rowId,
      object: 'customer',
      edits,
      state,
    }
    const known = { notAsSent: [], conflicts: [], error: null, errorPath: '', after: null, queuedAt: '2026' }
    outcomes.report({ operations: [standIn<Operation>({ ...known, ...facts, ...more })], batch: null })
  }
  const phones = (): unknown[] => ['0', '1', '2'].map((rowId) => made.value(rowId, 'Phone'))
  return { ...made, report, phones }
}

test('what was typed into a row that was not accepted is taken back, and done again', () => {
  const { editing, drafts, report, phones } = typed()
  for (const state of ['queued', 'sending', 'rejected'] as const) report('2', state, { errorPath: 'Phone' })
  expect(drafts.outcome('2').kind).toBe('refused')
  expect(editing.undo()).toMatchObject({ step: { cells: [{ rowId: '2' }] }, because: '' })
  expect(phones()).toEqual(['new 0', 'new 1', '1'])
  expect(drafts.draft('2')).toBeUndefined()
  editing.redo()
  expect(phones()).toEqual(['new 0', 'new 1', 'new 2'])
})

test('rows that are under way are passed over, which is said, and are taken back once they may be', () => {
  const { editing, report, phones } = typed()
  report('2', 'sending')
  expect(editing.undo()).toMatchObject({
    step: { cells: [{ rowId: '1' }] },
    because: 'This row is being sent.',
  })
  expect(phones()).toEqual(['new 0', '1', 'new 2'])
  report('2', 'rejected')
  editing.undo()
  expect(phones()).toEqual(['new 0', '1', '1'])
})

test('of many cells in one step those of a row that is under way stay, and wait for it', async () => {
  const { editing, report, phones } = typed()
  await editing.apply(['0', '1', '2'].map((rowId) => ({ rowId, path: 'Phone', now: 'all' })))
  report('1', 'unknown')
  const { step, because } = editing.undo()
  expect(step?.cells.map(({ rowId }) => rowId)).toEqual(['2', '0'])
  expect(because).toMatch(/isn’t confirmed yet/)
  expect(phones()).toEqual(['new 0', 'all', 'new 2'])
  report('1', 'rejected')
  editing.undo()
  expect(phones()).toEqual(['new 0', 'new 1', 'new 2'])
})

test('what is in the books is not taken back here, and where nothing may be changed it is said', () => {
  const { editing, list, report, phones } = typed()
  report('2', 'acked', { after: { ID: '2', Name: 'Birch 2', Phone: 'new 2' } })
  editing.undo()
  expect(phones()).toEqual(['new 0', '1', 'new 2'])
  Object.assign(list, { closedBecause: 'These books are read only.' })
  expect(editing.undo()).toEqual({ step: null, because: 'These books are read only.' })
  Object.assign(list, { closedBecause: '' })
  editing.undo()
  expect(phones()).toEqual(['1', '1', 'new 2'])
  expect(editing.undo()).toEqual({ step: null, because: '' })
})
