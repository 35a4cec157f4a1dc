/**
 * Weighs the evidence that a record from the service is the one that was sent. A service may cut, escape, or normalize
 * what it stores. A different name is therefore weak evidence against a record, and equal values are strong evidence
 * for it. Pure functions, which `response.ts`, `reconcile.ts`, and `precheck.ts` use to decide.
 */
import type { Difference } from '../../../shared/contract/records.ts'
import {
  type EditValue,
  type FieldEdit,
  isEmpty,
  ownValue,
  pathType,
  type RecordData,
  textOf,
  topField,
  valueAt,
} from '../../../shared/records/changes.ts'
import {
  areAlike,
  externalIdKey,
  isAlteredForm,
  isCompletelyLost,
  looseKey,
  nameFingerprint,
  nameKey,
} from '../../../shared/records/names.ts'
import type { KnownRecord } from '../../store/services.ts'
import { differencesFrom, hasValue, isAsSent, type SentFields } from './compare.ts'

/** The insert as it was sent. */
export interface SentInsert {
  readonly object: string
  readonly edits: readonly FieldEdit[]
}

/**
 * `alike`: the same letters and digits apart from punctuation, case, and encoding, or a shortened form of them.
 * `unknown`: one of the two has no name.
 */
export type NameMatch = 'same' | 'alike' | 'different' | 'unknown'

/** A record compared with what was sent. The counts cover fields other than the name. */
export interface MatchEvidence {
  readonly name: NameMatch
  readonly equal: number
  /** Fields that were sent with a value and that the record lacks. */
  readonly missing: number
  readonly different: number
}

function matchName(sent: SentInsert, record: RecordData): NameMatch {
  const [own, returned] = [namesOf(sent.edits, {}), namesOfRecord(record)]
  if (own.length === 0 || returned.length === 0) return 'unknown'
  if (returned.some((name) => own.includes(name))) return 'same'
  if (isAlteredName(own, returned)) return 'alike'
  return returned.every(isCompletelyLost) ? 'unknown' : 'different'
}

function isAlteredName(sent: readonly string[], returned: readonly string[]): boolean {
  return returned.some((name) => sent.some((each) => isAlteredForm(each, name)))
}

export function evidenceFor(sent: SentInsert, record: RecordData): MatchEvidence {
  const counts = { equal: 0, missing: 0, different: 0 }
  for (const edit of sent.edits) {
    if (edit.path === 'Name' || edit.path === 'ExternalID' || isEmpty(edit.now)) continue
    // Most services set it by default, so it identifies nothing.
    const isDefault = pathType(sent.object, edit.path) === 'boolean'
    const held = compareValue(sent.object, edit, record)
    if (held === 'equal' && isDefault) continue
    counts[held] += 1
  }
  return { name: matchName(sent, record), ...counts }
}

function compareValue(
  object: string,
  edit: FieldEdit,
  record: RecordData,
): 'equal' | 'missing' | 'different' {
  const { path, now } = edit
  const type = pathType(object, path)
  const is = valueAt(object, record, path)
  if (isAsSent(object, edit, record)) return 'equal'
  if (isEmpty(is) || !hasValue(ownValue(record, topField(path)))) return 'missing'
  // A reference with only an ID and one with only a name can't be compared.
  if (type === 'reference' && (wordsOf(now) === '' || wordsOf(is) === '')) return 'missing'
  if (type === 'money' || type === 'boolean') return 'different'
  if (isAlteredForm(wordsOf(now), wordsOf(is))) return 'equal'
  return isCompletelyLost(wordsOf(is)) ? 'missing' : 'different'
}

function wordsOf(value: EditValue): string {
  return typeof value === 'string' ? value : value.FullName
}

/**
 * Whether the record contradicts every form that the service may have given the sent record. Nothing contradicts an
 * insert that has only a name.
 */
export function isContradicted({ name, equal, different }: MatchEvidence): boolean {
  return name === 'different' && different > 0 && different >= equal
}

/** Whether to show the record as a possible match. It must have at least as much evidence for it as against it. */
export function isPossibleMatch(evidence: MatchEvidence): boolean {
  return !isContradicted(evidence) || (evidence.equal > 0 && evidence.different <= evidence.equal)
}

/** Whether everything agrees except the spelling of the name. */
export function differsOnlyInSpelling({ name, missing, different }: MatchEvidence): boolean {
  return (name === 'same' || name === 'alike') && missing === 0 && different === 0
}

/** How well a record fits; larger is better. */
export function matchScore({ name, equal, different }: MatchEvidence): number {
  const names: Readonly<Record<NameMatch, number>> = { same: 1000, alike: 500, unknown: 1, different: 0 }
  return names[name] + 10 * equal - 20 * different
}

/** Whether the record can be the one that was known by its `ID`. An unknown name shows that the ID was reassigned. */
export function isKnownAs(known: KnownRecord | undefined, record: RecordData): known is KnownRecord {
  if (known === undefined) return false
  const [names, returned] = [known.names.map(looseKey), namesOfRecord(record).map(looseKey)]
  const isNameless = names.length === 0 || returned.length === 0
  return isNameless || returned.some((name) => names.some((each) => name === each || areAlike(name, each)))
}

/**
 * Whether a record was in its list before, under the same name. A response may contain only its `ID`.
 * @param baseline fingerprints of names by `ID`; `null` if the list was not read
 */
export function wasInBaseline(baseline: ReadonlyMap<string, string> | null, record: RecordData): boolean {
  const known = baseline?.get(idOf(record))
  const name = fullNameOf(record)
  return known !== undefined && (name === '' || known === nameFingerprint(name))
}

/**
 * Whether one `ID` belonged to two records, judged by the values that identify a record. An ID may be reassigned, for
 * example when a company file is restored. A change of only the name or only the number doesn't count.
 * @param edits what we changed ourselves between the two reads
 */
export function isAnotherRecord(
  object: string,
  before: RecordData,
  after: RecordData,
  edits: readonly FieldEdit[],
): boolean {
  const renamed = new Set(edits.map(({ path }) => topField(path)))
  const [was, is] = [namesOf([], before), namesOfRecord(after)]
  if (is.some((name) => was.includes(name))) return areCreatedApart(before, after)
  const created = differs(instantOf(createdAt(before)), instantOf(createdAt(after)))
  const number = textOf(ownValue(after, 'Number'))
  const isOurNumber = edits.some(({ path, now }) => path === 'Number' && now === number)
  const numbered = isOurNumber ? 'unknown' : differs(textOf(ownValue(before, 'Number')), number)
  // Invoices and the like have no names. Both other identifiers must differ, or one of them and most values.
  if (was.length === 0 || is.length === 0) {
    const known = [created, numbered].filter((each) => each !== 'unknown')
    if (!known.includes('yes') || known.includes('no')) return false
    return known.length === 2 || areMostOthersDifferent(object, before, after, renamed, false)
  }
  if (created === 'yes' || numbered === 'yes') return true
  if (isAlteredName(namesOf(edits, {}), is)) return false
  // An equal date proves little, because books that were imported at once have a single date.
  return (
    numbered === 'unknown' && areMostOthersDifferent(object, before, after, renamed, created === 'unknown')
  )
}

/**
 * Whether a record may be another one of the same name, because neither dates nor most of its other values say that it is
 * the same. Only right before a first sending: a change of ours may have such an effect, too.
 */
export function mayBeNamesake(object: string, before: RecordData, current: RecordData): boolean {
  return (
    isUndatedNamesake(before, current) && areMostOthersDifferent(object, before, current, new Set(), false)
  )
}

/**
 * Whether only a list without another record of that name would show that it is the same: no date or number says so, and
 * a contact detail differs.
 */
export function mayBeOneOfSeveral(before: RecordData, current: RecordData): boolean {
  const detail = (record: RecordData, field: string): string => textOf(ownValue(record, field)).trim()
  return (
    isUndatedNamesake(before, current) &&
    differs(detail(before, 'Number'), detail(current, 'Number')) !== 'no' &&
    OWN_DETAILS.some((field) => differs(detail(before, field), detail(current, field)) === 'yes')
  )
}

function isUndatedNamesake(before: RecordData, current: RecordData): boolean {
  const isDated = [before, current].every((record) => hasOffset(createdAt(record)))
  const names = namesOf([], before)
  return !isDated && namesOfRecord(current).some((name) => names.includes(name))
}

/** Details that two customers of one name rarely share. */
const OWN_DETAILS = ['Phone', 'Mobile', 'Email', 'BankNumber', 'ExternalID', 'CompanyName']

const ONE_HOUR = 3_600_000
const ONE_DAY = 24 * ONE_HOUR

/**
 * Whether two records with the same name were certainly created at different times. Some applications shift their dates
 * by whole hours when daylight saving time begins or ends.
 */
function areCreatedApart(before: RecordData, after: RecordData): boolean {
  const [was, is] = [createdAt(before), createdAt(after)]
  if (!hasOffset(was) || !hasOffset(is)) return false
  const apart = Math.abs(Date.parse(was) - Date.parse(is))
  return apart > ONE_DAY || apart % ONE_HOUR > 0
}

/** A date as comparable text. A date without a time of day isn't an instant. */
function instantOf(text: string): string {
  const at = /T\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? text : String(at)
}

function differs(was: string, is: string): 'yes' | 'no' | 'unknown' {
  return was === '' || is === '' ? 'unknown' : was === is ? 'no' : 'yes'
}

/**
 * Whether most other values differ. Used for records without a creation date or a number to compare.
 * @param isNameAlone the result if there are too few values to compare
 */
function areMostOthersDifferent(
  object: string,
  before: RecordData,
  after: RecordData,
  edited: ReadonlySet<string>,
  isNameAlone: boolean,
): boolean {
  const IGNORED = new Set([
    'ID',
    'Name',
    'FullName',
    'IsActive',
    'Balance',
    'CreatedDate',
    'LastModifiedDate',
  ])
  const fields = Object.keys(before).filter(
    (field) =>
      !IGNORED.has(field) &&
      !edited.has(field) &&
      hasValue(before[field]) &&
      hasValue(ownValue(after, field)) &&
      pathType(object, field) !== 'boolean',
  )
  const other = fields.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(ownValue(after, field)),
  )
  return fields.length >= 2 ? other.length * 2 > fields.length : isNameAlone
}

// Interprets a record's `ExternalID` for an insert of ours that carried one.

/**
 * `silent`: the record has none, or we sent none. `cut`: it is the beginning of ours, which several inserts may share.
 * For these two, other evidence decides.
 */
export type ExternalIdMatch = 'ours' | 'cut' | 'silent' | 'other'

/** How many characters of a truncated external ID are needed to recognize it. */
const SHORTEST_CUT = 8

/**
 * Compares external IDs.
 * @param externalId the one that the insert carried; empty if it carried none
 */
export function compareExternalId(externalId: string, record: RecordData): ExternalIdMatch {
  const [ours, theirs] = [externalIdKey(externalId), externalIdKey(externalIdOf(record))]
  if (ours === '' || theirs === '') return 'silent'
  if (theirs === ours) return 'ours'
  return theirs.length >= SHORTEST_CUT && ours.startsWith(theirs) ? 'cut' : 'other'
}

/** The difference if the application replaced our external ID with its own. */
export function externalIdDifferences(externalId: string, record: RecordData): readonly Difference[] {
  if (compareExternalId(externalId, record) !== 'other') return []
  return [{ path: 'ExternalID', asRead: null, theirs: externalIdOf(record), yours: externalId }]
}

/** The differences between a written record and what was sent, including the external ID. */
export function savedDifferences(
  sent: SentFields & { readonly externalId: string },
  record: RecordData,
): readonly Difference[] {
  return [...differencesFrom(sent, record), ...externalIdDifferences(sent.externalId, record)]
}

/* The names of records, for recognizing them (decisions.md, "Names of records"). */

function ownText(record: RecordData, field: string): string {
  return Object.hasOwn(record, field) ? textOf(record[field]) : ''
}

/** `FullName`, or else `Name`; empty for a record without either. */
export function fullNameOf(record: RecordData): string {
  return ownText(record, 'FullName') || ownText(record, 'Name')
}

export function idOf(record: RecordData): string {
  return ownText(record, 'ID')
}

/** Whether only the `ID` of a record is known. */
export function isOnlyAnId(record: RecordData): boolean {
  return Object.keys(record).length <= 1
}

/** A record's `ID` and name, because an ID may be reassigned. */
export function identityOf(record: RecordData): string {
  return `${idOf(record)} ${nameFingerprint(fullNameOf(record))}`
}

function externalIdOf(record: RecordData): string {
  return ownText(record, 'ExternalID')
}

/** When the record was created, in the service's notation; empty if it doesn't say. */
export function createdAt(record: RecordData): string {
  return ownText(record, 'CreatedDate').trim()
}

/** Whether a date has an offset from UTC. Without one, its time zone is unknown. */
export function hasOffset(date: string): boolean {
  return /T.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(date)
}

function editedText(edits: readonly FieldEdit[], path: string): string | null {
  const now = edits.find((edit) => edit.path === path)?.now
  return typeof now === 'string' ? now : null
}

/**
 * The full name that a new record will have: `Parent.FullName:Name`, or `Name` without a parent.
 * *Assumption* (decisions.md): the application joins them with a colon.
 */
export function fullNameOfInsert(edits: readonly FieldEdit[]): string {
  const name = (editedText(edits, 'Name') ?? '').trim()
  const parent = edits.find((edit) => edit.path === 'Parent')?.now
  const parentName = parent === undefined || typeof parent === 'string' ? (parent ?? '') : parent.FullName
  return parentName.trim() === '' || name === '' ? name : `${parentName.trim()}:${name}`
}

/**
 * The full name of the parent if an insert refers to it only by name, as it does to one in the same batch. Otherwise
 * empty.
 */
export function newParentOf(edits: readonly FieldEdit[]): string {
  const parent = edits.find((edit) => edit.path === 'Parent')?.now
  if (parent === undefined || typeof parent === 'string') return (parent ?? '').trim()
  return parent.ID === '' ? parent.FullName.trim() : ''
}

/** The parent's ID if an insert gives nothing else, so that its full name is unknown here. Otherwise empty. */
function unnamedParentOf(edits: readonly FieldEdit[]): string {
  const parent = edits.find((edit) => edit.path === 'Parent')?.now
  if (parent === undefined || typeof parent === 'string') return ''
  return parent.FullName.trim() === '' ? parent.ID : ''
}

/**
 * Whether a record has the name of an insert: either its full name, or its own name under the parent that the insert
 * gives by `ID`.
 */
export function isNamedAs(fullName: string, edits: readonly FieldEdit[], record: RecordData): boolean {
  const name = nameKey(fullName)
  if (name === '') return false
  if (nameKey(fullNameOf(record)) === name) return true
  const [parentId, parent] = [unnamedParentOf(edits), record['Parent']]
  if (parentId === '' || typeof parent !== 'object' || parent === null) return false
  return idOf({ ...parent }) === parentId && nameKey(ownText(record, 'Name')) === name
}

/**
 * The name by which a user knows the record, including its parents, because fifty customers may each have a *Phase 2*.
 * For a new record, the name comes from the edits.
 */
export function shownName(edits: readonly FieldEdit[], before: RecordData): string {
  const [own, full] = [ownText(before, 'Name'), fullNameOf(before)]
  if (full === '') return fullNameOfInsert(edits) || idOf(before)
  const parents = own !== '' && full.endsWith(`:${own}`) ? full.slice(0, -own.length) : ''
  const name = editedText(edits, 'Name') ?? own
  return name === '' ? full : `${parents}${name}`
}

/** Every name under which a record could be mistaken for another one in the same array, as `nameKey`s. */
export function namesOf(edits: readonly FieldEdit[], before: RecordData): readonly string[] {
  const names = [
    fullNameOf(before),
    ownText(before, 'Name'),
    editedText(edits, 'Name') ?? '',
    fullNameOfInsert(edits),
  ]
  return [...new Set(names.map(nameKey))].filter((name) => name !== '')
}

/** The names of a record, as `nameKey`s. */
export function namesOfRecord(record: RecordData): readonly string[] {
  const names = [fullNameOf(record), ownText(record, 'Name')]
  return [...new Set(names.map(nameKey))].filter((name) => name !== '')
}
