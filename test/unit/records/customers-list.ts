/** A list of customers that can be edited without a window. Its drafts are real; saving is recorded. */
import '../runes.ts'
import type { Api } from '../../../renderer/api.ts'
import { ListDrafts } from '../../../renderer/records/drafts/list-drafts.svelte.ts'
import { type EditableList, ListEditing } from '../../../renderer/records/list/editing.svelte.ts'
import type { ListOutcomes } from '../../../renderer/records/list/list-outcomes.ts'
import { ListRows } from '../../../renderer/records/list/list-rows.svelte.ts'
import type { RecordRow } from '../../../renderer/records/list/rows.ts'
import { shownValue } from '../../../shared/records/changes.ts'
import { ok } from '../../../shared/result.ts'
import { standIn } from './list/stand-in.ts'

/** Creates a list of `count` customers whose phone can be edited. `saved` has the records whose drafts were saved. */
export function customers(count: number) {
  const saved = new Set<string>()
  const call = (_name: string, { drafts }: { readonly drafts: readonly { recordId: string }[] }) => {
    for (const { recordId } of drafts) saved.add(recordId)
    return Promise.resolve(ok({ refused: [] }))
  }
  const read: RecordRow[] = []
  for (let at = 0; at < count; at += 1) {
    const id = String(at)
    const record = { ID: id, Name: `Birch ${id}`, Phone: '1' }
    read.push({ rowId: id, recordId: id, record, origin: 'read' })
  }
  const row = (rowId: string): RecordRow | undefined => rows.get(rowId)
  const drafts = new ListDrafts({
    api: standIn<Api>({ call }),
    company: { connectionId: 'c', endpointId: 'e' },
    object: 'customer',
    row,
    supported: () => new Set(['ID', 'Name', 'Phone', 'Email']),
    isWholeList: () => true,
    referenceStatus: () => 'unknown',
    ambiguity: () => '',
  })
  const rows = new ListRows(drafts)
  rows.replaceAll(read)
  const right = { editable: true }
  const column = (path: string) => ({ path, type: 'text', forNew: right, forExisting: right })
  const list = standIn<EditableList & ConstructorParameters<typeof ListOutcomes>[0]>({
    object: 'customer',
    closedReason: '',
    reader: { isFilling: false },
    references: { clear: () => undefined },
    rows,
    column,
    drafts,
  })
  const editing = new ListEditing(list)
  const value = (rowId: string, path: string) =>
    shownValue('customer', row(rowId)?.record ?? {}, drafts.draft(rowId)?.edits, path)
  return { editing, drafts, value, saved, list: Object.assign(list, { editing }) }
}
