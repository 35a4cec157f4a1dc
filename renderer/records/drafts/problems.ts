/** Checks on drafts while the user types, before anything is sent. */
import { isExactInJson, parseDecimal } from '../../../shared/format/money.ts'
import {
  editAt,
  type EditValue,
  isEmpty,
  isObject,
  memberOf,
  ownValue,
  pathType,
  type RecordData,
  type Reference,
  textOf,
  topField,
} from '../../../shared/records/changes.ts'
import { objectDefinition } from '../../../shared/records/definition.ts'
import { editability } from '../../../shared/records/fields.ts'
import { nameKey } from '../../../shared/records/names.ts'
import type { ReferenceStatus } from '../list/references.svelte.ts'
import type { RowDraft } from './row-draft.ts'

export type Problem =
  /** A required field is empty. The row isn't sent. */
  | { readonly kind: 'required'; readonly path: string }
  /** Another record of the list has this full name. */
  | { readonly kind: 'name-taken'; readonly path: string; readonly fullName: string }
  /** Names can't contain a colon if records have parents. The part before it belongs in Parent. */
  | { readonly kind: 'colon'; readonly path: string }
  /** The record would be its own parent, directly or indirectly. */
  | { readonly kind: 'own-parent'; readonly path: string }
  /** The application doesn't support the field. The draft is kept, but the row isn't sent. */
  | { readonly kind: 'unsupported'; readonly path: string }
  /** An amount has more digits than can be sent without rounding. The row isn't sent. */
  | { readonly kind: 'inexact'; readonly path: string }
  /** The field contains a list or has parts, and the text isn't JSON of that kind. The row isn't sent. */
  | { readonly kind: 'not-json'; readonly path: string; readonly isList: boolean }
  /** The whole list is loaded, and the record isn't in it. */
  | { readonly kind: 'vanished' }
  /** The list that the field refers to was read and doesn't have the name. The row isn't sent. */
  | { readonly kind: 'no-such-reference'; readonly path: string; readonly fullName: string }
  /** Other records have the same ID, so it is unclear which one is meant. The row isn't sent. */
  | { readonly kind: 'shared-id' }

/** Whether a row with this problem isn't sent. */
export function stopsSending(problem: Problem): boolean {
  return ['required', 'unsupported', 'inexact', 'not-json', 'no-such-reference', 'shared-id'].includes(
    problem.kind,
  )
}

function draftText(draft: RowDraft, path: string): string {
  const now: EditValue | undefined = editAt(draft.edits, path)?.now
  if (now === undefined) {
    const value = draft.before[path]
    return referenceName(value)
  }
  return typeof now === 'string' ? now : now.FullName
}

function referenceName(value: unknown): string {
  if (typeof value !== 'object' || value === null) return textOf(value)
  return Object.hasOwn(value, 'FullName') ? textOf((value as RecordData)['FullName']) : ''
}

/**
 * Returns the full name that a record will have: `Parent:Name` if the object has parents (decisions.md, "Names
 * of records"). Empty if it has no name.
 */
export function draftFullName(object: string, draft: RowDraft): string {
  const name = draftText(draft, 'Name').trim()
  if (name === '') return ''
  const parent = hasParents(object) ? draftText(draft, 'Parent').trim() : ''
  return parent === '' ? name : `${parent}:${name}`
}

/** Whether records of the object can have parents. */
function hasParents(object: string): boolean {
  return objectDefinition(object)?.fields.some((field) => field.name === 'Parent') ?? false
}

/** Whether the new parent is the record itself or one below it. */
function isOwnParent(draft: RowDraft): boolean {
  const parent = draft.edits['Parent']?.now
  if (draft.kind === 'insert' || parent === undefined || typeof parent === 'string') return false
  if (parent.ID !== '') return parent.ID === draft.recordId
  const own = nameKey(textOf(draft.before['FullName']) || textOf(draft.before['Name']))
  const key = nameKey(parent.FullName)
  return own !== '' && (key === own || key.startsWith(`${own}:`))
}

/** Whether a draft may change the record's full name. */
export function touchesName(draft: RowDraft): boolean {
  return draft.kind === 'insert' || 'Name' in draft.edits || 'Parent' in draft.edits
}

interface ProblemContext {
  readonly object: string
  readonly rowId: string
  /** The names that will be in use once all drafts are sent. */
  readonly names: { readonly isTaken: (name: string, rowId: string) => boolean }
  /** Field names in the metadata; `null` while unknown. */
  readonly supported: ReadonlySet<string> | null
  readonly vanished: boolean
  readonly sharesId: boolean
  /** Whether a reference with this name exists. */
  readonly referenceStatus: (path: string, fullName: string) => ReferenceStatus
}

/**
 * Finds all problems of a draft that can be found without the service.
 * @internal
 */
export function problemsOf(draft: RowDraft, context: ProblemContext): readonly Problem[] {
  const problems: Problem[] = []
  const required = objectDefinition(context.object)?.required ?? []
  for (const path of required) {
    const isTouched = draft.kind === 'insert' || path in draft.edits
    if (isTouched && draftText(draft, path).trim() === '') problems.push({ kind: 'required', path })
  }
  if (touchesName(draft)) {
    const fullName = draftFullName(context.object, draft)
    if (context.names.isTaken(fullName, context.rowId)) {
      problems.push({ kind: 'name-taken', path: 'Name', fullName })
    }
  }
  if (hasParents(context.object)) {
    if ('Name' in draft.edits && draftText(draft, 'Name').includes(':'))
      problems.push({ kind: 'colon', path: 'Name' })
    if (isOwnParent(draft)) problems.push({ kind: 'own-parent', path: 'Parent' })
  }
  for (const { path, now } of Object.values(draft.edits)) {
    const amount =
      pathType(context.object, path) === 'money' && typeof now === 'string' ? parseDecimal(now) : null
    if (amount !== null && !isExactInJson(amount)) problems.push({ kind: 'inexact', path })
    if (isTypedName(now) && context.referenceStatus(path, now.FullName) === 'missing')
      problems.push({ kind: 'no-such-reference', path, fullName: now.FullName })
    const structure = structureAt(draft.before, path)
    if (structure !== null && typeof now === 'string') {
      const isList = Array.isArray(structure)
      if (!isJson(now, isList)) problems.push({ kind: 'not-json', path, isList })
    }
    if (context.supported === null) continue
    const right = editability(
      context.object,
      path,
      context.supported,
      draft.kind === 'insert' ? 'new' : 'existing',
    )
    if (!right.editable) problems.push({ kind: 'unsupported', path })
  }
  if (context.vanished) problems.push({ kind: 'vanished' })
  if (context.sharesId) problems.push({ kind: 'shared-id' })
  return problems
}

/** Whether a value is a reference that was typed as a name, and isn't one with a known ID. */
export function isTypedName(value: EditValue): value is Reference {
  return typeof value !== 'string' && !isEmpty(value) && value.ID === ''
}

/** Returns the list or object at a path; `null` for any other value. */
function structureAt(record: RecordData, path: string): object | null {
  const [top, member] = [ownValue(record, topField(path)), memberOf(path)]
  if (typeof top !== 'object' || top === null) return null
  const value = member === null ? top : ownValue(top as RecordData, member)
  return typeof value === 'object' ? value : null
}

function isJson(text: string, isList: boolean): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return isList ? Array.isArray(value) : isObject(value)
  } catch {
    return false
  }
}

/** Cached problems of a draft, with the inputs they depend on. */
interface Known extends Pick<ProblemContext, 'supported' | 'vanished' | 'sharesId'> {
  readonly found: readonly Problem[]
}

/** Finds problems and caches them, because they are read repeatedly and there may be 100,000 drafts. */
export class ProblemFinder {
  readonly #known = new WeakMap<RowDraft, Known>()

  of(draft: RowDraft, context: ProblemContext): readonly Problem[] {
    const { supported, vanished, sharesId } = context
    const known = this.#known.get(draft)
    const isOfThese = known?.vanished === vanished && known.sharesId === sharesId
    if (isOfThese && known.supported === supported) return known.found
    const found = problemsOf(draft, context)
    // Problems with names and references depend on other rows and lists, so they aren't cached.
    const isOfItsOwn = !touchesName(draft) && !Object.values(draft.edits).some(({ now }) => isTypedName(now))
    if (isOfItsOwn) this.#known.set(draft, { found, supported, vanished, sharesId })
    return found
  }
}

/** Formats a problem. `fieldLabel` returns the name of a path. */
export function formatProblem(problem: Problem, fieldLabel: (path: string) => string): string {
  switch (problem.kind) {
    case 'required':
      return `${fieldLabel(problem.path)} is required`
    case 'name-taken':
      return `The name “${problem.fullName}” is already used`
    case 'colon':
      return `${fieldLabel(problem.path)} can’t hold a colon`
    case 'own-parent':
      return `A record can’t be its own ${fieldLabel(problem.path).toLocaleLowerCase()}`
    case 'unsupported':
      return `${fieldLabel(problem.path)} isn’t in this application`
    case 'inexact':
      return `${fieldLabel(problem.path)} has too many decimal places`
    case 'not-json':
      return problem.isList
        ? `${fieldLabel(problem.path)} is a list. Enter it as JSON, in square brackets`
        : `${fieldLabel(problem.path)} has parts. Enter them as JSON, in braces`
    case 'no-such-reference':
      return `No ${fieldLabel(problem.path).toLocaleLowerCase()} called “${problem.fullName}”`
    case 'vanished':
      return 'No longer in the list'
    case 'shared-id':
      return 'Another record has the same ID'
  }
}
