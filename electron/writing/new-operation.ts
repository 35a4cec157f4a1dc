/** The operation that a draft becomes when it is sent. */
import { nameKey } from '../../shared/names.ts'
import type { NewOperation } from '../store/journal.ts'
import type { StoredDraft } from '../store/store.ts'
import { fullNameOf, fullNameOfInsert, shownName } from './names.ts'

/**
 * *Assumption* (decisions.md, "`ExternalID` as a mark"): where metadata supports it and the person left it empty, an
 * insert carries our operation's id, so that it can be recognised when its answer is lost.
 */
export function newOperation(
  draft: StoredDraft,
  operationId: string,
  takesMark: boolean,
  namesakes: ReadonlyMap<string, readonly string[]>,
): NewOperation {
  const isInsert = draft.kind === 'insert'
  const fullName = isInsert ? fullNameOfInsert(draft.edits) : fullNameOf(draft.before)
  const hasOwnMark = draft.edits.some(({ path }) => path === 'ExternalID')
  return {
    operationId,
    draftId: draft.draftId,
    kind: draft.kind,
    recordId: isInsert ? '' : draft.recordId,
    recordName: shownName(draft.edits, draft.before),
    fullName,
    mark: isInsert && takesMark && !hasOwnMark ? operationId : '',
    namesakes: isInsert ? (namesakes.get(nameKey(fullName)) ?? []) : [],
    before: draft.before,
    edits: draft.edits,
  }
}
