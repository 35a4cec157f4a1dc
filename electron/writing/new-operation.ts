/** The operation that a draft becomes when it is sent. */
import { pathOf, topField, type FieldEdit, type JsonType } from '../../shared/records/changes.ts'
import { nameKey } from '../../shared/records/names.ts'
import { objectDefinition } from '../../shared/records/definition.ts'
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
  known: KnownFields = NOTHING_KNOWN,
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
    edits: draft.edits.map((edit) => sentEdit(draft.object, edit, known)),
  }
}

const NOTHING_KNOWN: KnownFields = { paths: null, types: new Map() }

/** What is known of a list's fields beyond the data definition. */
export interface KnownFields {
  /** What metadata lists; `null` when it could not be read. */
  readonly paths: ReadonlySet<string> | null
  /** As metadata shows them or records were read, by path. */
  readonly types: ReadonlyMap<string, JsonType>
}

/**
 * The edit with how it is sent: of a field that the definition does not describe, the type that shows; of a reference,
 * the one member that the application takes, where it takes only one.
 */
export function sentEdit(object: string, edit: FieldEdit, { paths, types }: KnownFields): FieldEdit {
  const { path } = edit
  const field = topField(path)
  const definition = objectDefinition(object)?.fields.find(({ name }) => name === field)
  const isReference = definition?.type === 'reference' || typeof edit.now !== 'string'
  if (isReference) {
    const [byId, byName] = ['ID', 'FullName'].map((member) => paths?.has(pathOf(field, member)) ?? false)
    return byId === byName ? edit : { ...edit, as: byId ? 'ID' : 'FullName' }
  }
  const type = definition === undefined ? types.get(path) : undefined
  return type === undefined ? edit : { ...edit, as: type }
}
