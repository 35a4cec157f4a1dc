// A saved record is in the list as in the response, in a single row with a permanent ID.
import { expect, test } from 'vitest'
import { ListOutcomes } from '../../../../renderer/records/list/list-outcomes.ts'
import type { Operation } from '../../../../shared/contract/records.ts'
import { customers } from '../customers-list.ts'
import { standIn } from '../list/stand-in.ts'

test.each([
  ['tells the ID', { ID: '1', Phone: 'new' }],
  ['leaves the ID out', { Phone: 'new' }],
  ['leaves the ID empty', { ID: '', Phone: 'new' }],
])('a saved record stays in its row if the answer %s', (_, after) => {
  const { editing, drafts, list, value } = customers(3)
  editing.edit([{ rowId: '1', path: 'Phone', now: 'new' }])
  const draft = drafts.draft('1')
  const operation = { ...draft, object: 'customer', edits: Object.values(draft?.edits ?? {}), after }
  const facts = { state: 'acked' as const, notAsSent: [], conflicts: [], error: null, queuedAt: '2026' }
  const operations = [standIn<Operation>({ ...operation, ...facts })]
  new ListOutcomes(list).report({ operations, batch: null })
  expect(list.rows.get('1')).toMatchObject({ rowId: '1', recordId: '1', origin: 'read', record: { ID: '1' } })
  expect(value('1', 'Phone')).toBe('new')
  expect(drafts.outcome('1').kind).toBe('saved')
  expect(drafts.draft('1')).toBeUndefined()
})
