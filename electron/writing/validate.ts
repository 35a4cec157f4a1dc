/** What is checked before anything becomes an operation: our own rules, so that the service need not refuse it. */
import { isEmpty, type FieldEdit } from '../../shared/records/changes.ts'
import { editability, fieldWords } from '../../shared/records/fields.ts'
import { fieldDefinition, objectDefinition } from '../../shared/records/definition.ts'
import { appError, type AppError } from '../../shared/result.ts'
import type { StoredDraft } from '../store/store.ts'
import { recordBody } from './body.ts'
import { sentEdit, type KnownFields } from './new-operation.ts'
import type { CompanyFacts } from './ports.ts'
import { shownName } from './names.ts'

/** Why nothing may be written to the company at all; `null` when it may. */
export function companyRefusal(facts: CompanyFacts | null): AppError | null {
  if (facts === null) {
    return appError('not-found', 'This company is not known here.', 'Get the list of companies again.')
  }
  if (facts.isReadOnly) {
    return appError(
      'read-only',
      `${facts.displayName} is locked against writing on this computer.`,
      'Take Read only off under Companies, if these books are to be changed.',
    )
  }
  if (!facts.isActive) {
    return appError(
      'invalid-input',
      `${facts.displayName} is inactive: the service no longer passes anything on to it.`,
      'Provision the company again.',
    )
  }
  return null
}

/** Why a draft can't be sent, in words that name the record and the field; `null` when it can. */
export function draftRefusal(draft: StoredDraft, known: KnownFields): AppError | null {
  const name = shownName(draft.edits, draft.before)
  const refuse = (because: string): AppError =>
    appError('invalid-input', name === '' ? because : `${name}: ${because}`, 'Correct it, then send again.')

  for (const edit of draft.edits) {
    const can = editability(
      draft.object,
      edit.path,
      known.paths,
      draft.kind === 'insert' ? 'new' : 'existing',
    )
    if (!can.editable) return refuse(`“${fieldWords(draft.object, edit.path)}”: ${can.because}`)
  }
  for (const field of objectDefinition(draft.object)?.required ?? []) {
    if (isMissing(draft, field)) return refuse(`“${fieldDefinition(draft.object, field).label}” is needed.`)
  }
  const body = recordBody({
    object: draft.object,
    kind: draft.kind,
    recordId: draft.recordId,
    edits: draft.edits.map((edit) => sentEdit(draft.object, edit, known)),
    mark: '',
    fresh: draft.before,
  })
  return body.ok ? null : refuse(body.error.message)
}

/** A new record needs it; of an existing one it must not be emptied. */
function isMissing(draft: StoredDraft, field: string): boolean {
  const edit: FieldEdit | undefined = draft.edits.find(({ path }) => path === field)
  if (edit === undefined) return draft.kind === 'insert'
  return isEmpty(edit.now) || (typeof edit.now === 'string' && edit.now.trim() === '')
}
