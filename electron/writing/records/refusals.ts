/** Checks a draft before it becomes an operation, so that the service doesn't have to refuse it. */
import { type FieldEdit, isEmpty } from '../../../shared/records/changes.ts'
import { fieldDefinition, objectDefinition } from '../../../shared/records/definition.ts'
import { editability, pathHeading } from '../../../shared/records/fields.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import { UNKNOWN_COMPANY } from '../../store/companies.ts'
import type { StoredDraft } from '../../store/drafts.ts'
import type { CompanyFacts } from '../context.ts'
import { type KnownFields, sentEdit } from './new-operation.ts'
import { recordBody } from './payload.ts'
import { shownName } from './recognition.ts'

/** Why nothing may be written to a company; `null` if writing is allowed. */
export function companyRefusal(facts: CompanyFacts | null): AppError | null {
  if (facts === null) return UNKNOWN_COMPANY
  if (facts.isReadOnly) {
    return appError(
      'read-only',
      `${facts.displayName} is read only on this computer.`,
      'To change these books, turn off Read only under Companies.',
    )
  }
  if (!facts.isActive) {
    return appError(
      'invalid-input',
      `${facts.displayName} is inactive, so the service no longer connects to it.`,
      'Provision the company again.',
    )
  }
  return null
}

/** Why a draft can't be sent, naming the record and the field; `null` if it can. */
export function draftRefusal(draft: StoredDraft, known: KnownFields): AppError | null {
  const name = shownName(draft.edits, draft.before)
  const refuse = (reason: string): AppError =>
    appError('invalid-input', name === '' ? reason : `${name}: ${reason}`, 'Correct it, then send again.')

  for (const edit of draft.edits) {
    const can = editability(
      draft.object,
      edit.path,
      known.paths,
      draft.kind === 'insert' ? 'new' : 'existing',
    )
    if (!can.editable) return refuse(`“${pathHeading(draft.object, edit.path)}”: ${can.reason}`)
  }
  for (const field of objectDefinition(draft.object)?.required ?? []) {
    if (isMissing(draft, field)) return refuse(`“${fieldDefinition(draft.object, field).label}” is required.`)
  }
  const body = recordBody({
    object: draft.object,
    kind: draft.kind,
    recordId: draft.recordId,
    edits: draft.edits.map((edit) => sentEdit(draft.object, edit, known)),
    externalId: '',
    current: draft.before,
  })
  return body.ok ? null : refuse(body.error.message)
}

/** Whether a draft lacks a required field: a new record must have it, and an existing record must keep it. */
function isMissing(draft: StoredDraft, field: string): boolean {
  const edit: FieldEdit | undefined = draft.edits.find(({ path }) => path === field)
  if (edit === undefined) return draft.kind === 'insert'
  return isEmpty(edit.now) || (typeof edit.now === 'string' && edit.now.trim() === '')
}
