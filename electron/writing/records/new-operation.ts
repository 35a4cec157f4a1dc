/** Turns a draft into an operation. */
import { type FieldEdit, type JsonType, pathOf, topField } from '../../../shared/records/changes.ts'
import { objectDefinition } from '../../../shared/records/definition.ts'
import { nameKey } from '../../../shared/records/names.ts'
import type { StoredDraft } from '../../store/drafts.ts'
import type { NewOperation } from '../../store/journal/journal.ts'
import { fullNameOf, fullNameOfInsert, shownName } from './recognition.ts'

/**
 * *Assumption*: if metadata lists `ExternalID` and the user left it empty, an insert carries our operation's ID there.
 * It identifies the record if the response is lost.
 */
export function newOperation(
  draft: StoredDraft,
  operationId: string,
  takesExternalId: boolean,
  namesakes: ReadonlyMap<string, readonly string[]>,
  known: KnownFields = NOTHING_KNOWN,
): NewOperation {
  const isInsert = draft.kind === 'insert'
  const fullName = isInsert ? fullNameOfInsert(draft.edits) : fullNameOf(draft.before)
  const hasOwnExternalId = draft.edits.some(({ path }) => path === 'ExternalID')
  return {
    operationId,
    draftId: draft.draftId,
    kind: draft.kind,
    recordId: isInsert ? '' : draft.recordId,
    recordName: shownName(draft.edits, draft.before),
    fullName,
    externalId: isInsert && takesExternalId && !hasOwnExternalId ? operationId : '',
    namesakes: isInsert ? (namesakes.get(nameKey(fullName)) ?? []) : [],
    before: draft.before,
    edits: draft.edits.map((edit) => sentEdit(draft.object, edit, known)),
  }
}

const NOTHING_KNOWN: KnownFields = { paths: null, types: new Map() }

/** What is known about a list's fields beyond the data definition. */
export interface KnownFields {
  /** The paths that metadata lists; `null` if it could not be read. */
  readonly paths: ReadonlySet<string> | null
  /** By path, from metadata or from records that were read. */
  readonly types: ReadonlyMap<string, JsonType>
}

/**
 * An edit with how to send it. For a field without a definition, that is the type it appears to have. For a reference,
 * it is the one member that the application takes, if it takes only one.
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
