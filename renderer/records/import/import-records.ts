/** The records of a list as an import sees them: with what was typed and not sent, and which can't be changed now. */
import type { RecordData } from '../../../shared/changes.ts'
import { withValueAt } from '../../../shared/merged-record.ts'
import type { RecordsList } from '../records-list.svelte.ts'
import { isLocked, type RowDraft } from '../row-draft.ts'

export interface ImportRecords {
  readonly records: readonly RecordData[]
  /** Those that can't be changed by an import now, with why. */
  readonly closed: ReadonlyMap<RecordData, string>
}

/** A file that says what a draft says already changes nothing, and adds no record twice. */
export function importRecords(list: Pick<RecordsList, 'rows' | 'book' | 'ambiguity'>): ImportRecords {
  const records: RecordData[] = []
  const closed = new Map<RecordData, string>()
  for (const row of list.rows) {
    const { record } = row
    const draft = list.book.draft(row.rowId)
    const shown = draft ? drafted(record, draft) : record
    records.push(shown)
    const because = list.ambiguity(row) || (draft ? closedBecause(draft) : '')
    if (because !== '') closed.set(shown, because)
  }
  return { records, closed }
}

function drafted(record: RecordData, draft: RowDraft): RecordData {
  return Object.values(draft.edits).reduce<RecordData>(
    (made, { path, now }) => withValueAt(made, path, now),
    record,
  )
}

function closedBecause(draft: RowDraft): string {
  if (isLocked(draft))
    return 'Its last change is being sent, or waits for your decision. Import this row when that is done.'
  if (draft.kind === 'insert')
    return 'A new record of this name is among your drafts already. Send it, or take it back, first.'
  return ''
}
