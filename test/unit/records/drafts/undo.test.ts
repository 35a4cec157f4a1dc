// Undo reverts edits of a record until they are in the books, and says what it can't change now.
import { expect, test } from 'vitest'
import { ListOutcomes } from '../../../../renderer/records/list/list-outcomes.ts'
import type { UndoStep } from '../../../../renderer/records/list/undo-history.svelte.ts'
import type { Operation } from '../../../../shared/contract/records.ts'
import { customers } from '../customers-list.ts'
import { standIn } from '../list/stand-in.ts'

/** Three customers with an edited phone number each, and the outcomes of those that are sent. */
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

test('edits of a row that was not accepted can be undone and redone', () => {
  const { editing, drafts, report, phones } = typed()
  for (const state of ['queued', 'sending', 'rejected'] as const) report('2', state, { errorPath: 'Phone' })
  expect(drafts.outcome('2').kind).toBe('not-accepted')
  expect(editing.undo()).toMatchObject({ step: { cells: [{ rowId: '2' }] }, reason: '' })
  expect(phones()).toEqual(['new 0', 'new 1', '1'])
  expect(drafts.draft('2')).toBeUndefined()
  editing.redo()
  expect(phones()).toEqual(['new 0', 'new 1', 'new 2'])
})

test('a step is passed on before its cells change, so that the grid can scroll to them first', () => {
  const { editing, phones } = typed()
  const seen: unknown[] = []
  const before = (step: UndoStep): number =>
    seen.push(
      step.cells.map(({ rowId }) => rowId),
      phones(),
    )
  editing.undo(before)
  editing.redo(before)
  expect(seen).toEqual([['2'], ['new 0', 'new 1', 'new 2'], ['2'], ['new 0', 'new 1', '1']])
})

test('rows that are being sent are skipped with a message, and undone later', () => {
  const { editing, report, phones } = typed()
  report('2', 'sending')
  expect(editing.undo()).toMatchObject({
    step: { cells: [{ rowId: '1' }] },
    reason: 'This row is being sent.',
  })
  expect(phones()).toEqual(['new 0', '1', 'new 2'])
  report('2', 'rejected')
  editing.undo()
  expect(phones()).toEqual(['new 0', '1', '1'])
})

test('of many cells in one step, those of a row that is being sent stay, and wait for it', async () => {
  const { editing, report, phones } = typed()
  await editing.apply(['0', '1', '2'].map((rowId) => ({ rowId, path: 'Phone', now: 'all' })))
  report('1', 'unknown')
  const { step, reason } = editing.undo()
  expect(step?.cells.map(({ rowId }) => rowId)).toEqual(['2', '0'])
  expect(reason).toMatch(/isn’t confirmed yet/)
  expect(phones()).toEqual(['new 0', 'all', 'new 2'])
  report('1', 'rejected')
  editing.undo()
  expect(phones()).toEqual(['new 0', 'new 1', 'new 2'])
})

test('what is in the books can’t be undone here, and if nothing may be changed, there is a message', () => {
  const { editing, list, report, phones } = typed()
  report('2', 'acked', { after: { ID: '2', Name: 'Birch 2', Phone: 'new 2' } })
  editing.undo()
  expect(phones()).toEqual(['new 0', '1', 'new 2'])
  Object.assign(list, { closedReason: 'These books are read only.' })
  expect(editing.undo()).toEqual({ step: null, reason: 'These books are read only.' })
  Object.assign(list, { closedReason: '' })
  editing.undo()
  expect(phones()).toEqual(['1', '1', 'new 2'])
  expect(editing.undo()).toEqual({ step: null, reason: '' })
})
