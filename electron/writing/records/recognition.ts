/**
 * How much a record from the service speaks for being the one that was sent. A service may cut, escape, or normalize
 * what it stores, so a name that differs is weak evidence against a record, and other values that agree are strong
 * evidence for it. Pure functions; `matching.ts`, `reconcile.ts`, and the guard decide with them.
 */
import type { Difference } from '../../../shared/contract/records.ts'
import {
  type EditValue,
  type FieldEdit,
  type RecordData,
  isEmpty,
  ownValue,
  pathType,
  textOf,
  topField,
  valueAt,
} from '../../../shared/records/changes.ts'
import {
  areAlike,
  isAlteredForm,
  isWhollyLost,
  looseKey,
  markKey,
  nameFingerprint,
  nameKey,
} from '../../../shared/records/names.ts'
import type { KnownRecord } from '../../store/services.ts'
import { hasValue, isAsSent } from './compare.ts'

/** What was sent of a new record. */
export interface SentInsert {
  readonly object: string
  readonly edits: readonly FieldEdit[]
}

/**
 * `alike`: the same letters and digits once punctuation, case, and encoding are set aside, or a shortened form of them.
 * `unknown`: one of the two has no name.
 */
export type NameMatch = 'same' | 'alike' | 'different' | 'unknown'

/** A record held against what was sent. Counts are of fields other than the name. */
export interface Evidence {
  readonly name: NameMatch
  readonly equal: number
  /** Sent with a value; the record has none. */
  readonly missing: number
  readonly different: number
}

function matchName(sent: SentInsert, record: RecordData): NameMatch {
  const [own, told] = [namesOf(sent.edits, {}), namesOfRecord(record)]
  if (own.length === 0 || told.length === 0) return 'unknown'
  if (told.some((name) => own.includes(name))) return 'same'
  if (isAlteredName(own, told)) return 'alike'
  return told.every(isWhollyLost) ? 'unknown' : 'different'
}

function isAlteredName(sent: readonly string[], told: readonly string[]): boolean {
  return told.some((name) => sent.some((each) => isAlteredForm(each, name)))
}

export function evidenceFor(sent: SentInsert, record: RecordData): Evidence {
  const counts = { equal: 0, missing: 0, different: 0 }
  for (const edit of sent.edits) {
    if (edit.path === 'Name' || edit.path === 'ExternalID' || isEmpty(edit.now)) continue
    // Most services set it by default, so that it tells nothing apart.
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
  // A reference by its ID alone and one by its name alone say nothing of each other.
  if (type === 'reference' && (wordsOf(now) === '' || wordsOf(is) === '')) return 'missing'
  if (type === 'money' || type === 'boolean') return 'different'
  if (isAlteredForm(wordsOf(now), wordsOf(is))) return 'equal'
  return isWhollyLost(wordsOf(is)) ? 'missing' : 'different'
}

function wordsOf(value: EditValue): string {
  return typeof value === 'string' ? value : value.FullName
}

/**
 * Whether the record says what no form of the record that was sent would say. An insert of nothing but a name is
 * contradicted by none.
 */
export function isContradicted({ name, equal, different }: Evidence): boolean {
  return name === 'different' && different > 0 && different >= equal
}

/** Whether to show the record as a possible match: there is as much evidence for it as against it. */
export function isPossibleMatch(evidence: Evidence): boolean {
  return !isContradicted(evidence) || (evidence.equal > 0 && evidence.different <= evidence.equal)
}

/** Whether everything but the spelling of the name agrees. */
export function differsOnlyInSpelling({ name, missing, different }: Evidence): boolean {
  return (name === 'same' || name === 'alike') && missing === 0 && different === 0
}

/** How well a record fits, for choosing between several: larger is better. */
export function fitOf({ name, equal, different }: Evidence): number {
  const names: Readonly<Record<NameMatch, number>> = { same: 1000, alike: 500, unknown: 1, different: 0 }
  return names[name] + 10 * equal - 20 * different
}

/**
 * Whether the record can be the one that was known by its `ID`. An ID may be reassigned; a name that nobody here knows
 * for it tells.
 */
export function isKnownAs(known: KnownRecord | undefined, record: RecordData): known is KnownRecord {
  if (known === undefined) return false
  const [names, told] = [known.names.map(looseKey), namesOfRecord(record).map(looseKey)]
  const isNameless = names.length === 0 || told.length === 0
  return isNameless || told.some((name) => names.some((each) => name === each || areAlike(name, each)))
}

/**
 * Whether a record was in its list before, under the name that it has; an answer may tell its `ID` alone.
 * @param baseline fingerprints of names by `ID`; `null` where the list was not read
 */
export function wasInBaseline(baseline: ReadonlyMap<string, string> | null, record: RecordData): boolean {
  const known = baseline?.get(idOf(record))
  const name = fullNameOf(record)
  return known !== undefined && (name === '' || known === nameFingerprint(name))
}

/**
 * Whether one `ID` stands for two records: what identifies a record beside its ID is not what it was. An ID may be
 * reassigned, as by a restored company file. Its name alone may change, and so may its number.
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
  // Invoices and their like have no names: both of the others have to differ, or one of them and most values.
  if (was.length === 0 || is.length === 0) {
    const told = [created, numbered].filter((each) => each !== 'unknown')
    if (!told.includes('yes') || told.includes('no')) return false
    return told.length === 2 || areMostOthersDifferent(object, before, after, renamed, false)
  }
  if (created === 'yes' || numbered === 'yes') return true
  if (isAlteredName(namesOf(edits, {}), is)) return false
  // An equal date proves little: books that were imported in one moment have one date.
  return (
    numbered === 'unknown' && areMostOthersDifferent(object, before, after, renamed, created === 'unknown')
  )
}

const ONE_HOUR = 3_600_000
const ONE_DAY = 24 * ONE_HOUR

/**
 * Whether two records of one name were surely created at different times. Some applications shift their dates by
 * whole hours when daylight saving time begins or ends.
 */
function areCreatedApart(before: RecordData, after: RecordData): boolean {
  const [was, is] = [createdAt(before), createdAt(after)]
  if (!hasOffset(was) || !hasOffset(is)) return false
  const apart = Math.abs(Date.parse(was) - Date.parse(is))
  return apart > ONE_DAY || apart % ONE_HOUR > 0
}

/** A day without a time of day is the same instant in no zone: it is compared as text. */
function instantOf(text: string): string {
  const at = /T\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? text : String(at)
}

function differs(was: string, is: string): 'yes' | 'no' | 'unknown' {
  return was === '' || is === '' ? 'unknown' : was === is ? 'no' : 'yes'
}

/**
 * Where neither a date of creation nor a number tells, another record differs in most of what it says.
 * @param isNameAlone where it says next to nothing, another name is all there is to go by
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

// What the mark on a record (its `ExternalID`) says about an insert of ours that carried one.

/**
 * `silent`: the record has no mark, or ours was sent without one. `cut`: it begins as ours does, as marks made in one
 * moment may. In both other things have to tell.
 */
export type ExternalIdMatch = 'ours' | 'cut' | 'silent' | 'other'

/** Characters of a mark, as it is compared, from which on a cut one can't be anybody's. */
const SHORTEST_CUT = 8

/** @param mark what the insert carried; empty when it carried none of ours */
export function compareExternalId(mark: string, record: RecordData): ExternalIdMatch {
  const [ours, theirs] = [markKey(mark), markKey(externalIdOf(record))]
  if (ours === '' || theirs === '') return 'silent'
  if (theirs === ours) return 'ours'
  return theirs.length >= SHORTEST_CUT && ours.startsWith(theirs) ? 'cut' : 'other'
}

/** A mark that the application replaced by one of its own: a field that is not as sent. */
export function markDifferences(mark: string, record: RecordData): readonly Difference[] {
  if (compareExternalId(mark, record) !== 'other') return []
  return [{ path: 'ExternalID', asRead: null, theirs: externalIdOf(record), yours: mark }]
}

/*
 * What records are called, for recognising them (decisions.md, "Names of records").
 */

function ownText(record: RecordData, field: string): string {
  return Object.hasOwn(record, field) ? textOf(record[field]) : ''
}

/** `FullName` where there is one, else `Name`; empty for a record that has neither. */
export function fullNameOf(record: RecordData): string {
  return ownText(record, 'FullName') || ownText(record, 'Name')
}

export function idOf(record: RecordData): string {
  return ownText(record, 'ID')
}

/** Whether nothing is known of a record but its `ID`. */
export function isOnlyAnId(record: RecordData): boolean {
  return Object.keys(record).length <= 1
}

/** A record by its `ID` and its name: an ID may be reassigned. */
export function identityOf(record: RecordData): string {
  return `${idOf(record)} ${nameFingerprint(fullNameOf(record))}`
}

function externalIdOf(record: RecordData): string {
  return ownText(record, 'ExternalID')
}

/** When the record was made, as the service writes it; empty where it does not say. */
export function createdAt(record: RecordData): string {
  return ownText(record, 'CreatedDate').trim()
}

/** Whether a date tells its offset from UTC. Without one it is a time of some zone. */
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

/** The full name of the parent that an insert gives by its name alone, as one of the same batch; empty otherwise. */
export function newParentOf(edits: readonly FieldEdit[]): string {
  const parent = edits.find((edit) => edit.path === 'Parent')?.now
  if (parent === undefined || typeof parent === 'string') return (parent ?? '').trim()
  return parent.ID === '' ? parent.FullName.trim() : ''
}

/** The parent that an insert gives by its `ID` alone, so that nobody here knows its full name; empty otherwise. */
function unnamedParentOf(edits: readonly FieldEdit[]): string {
  const parent = edits.find((edit) => edit.path === 'Parent')?.now
  if (parent === undefined || typeof parent === 'string') return ''
  return parent.FullName.trim() === '' ? parent.ID : ''
}

/** Whether a record has the name of an insert: the full name, or its own under the parent that was given by its `ID`. */
export function isNamedAs(fullName: string, edits: readonly FieldEdit[], record: RecordData): boolean {
  const name = nameKey(fullName)
  if (name === '') return false
  if (nameKey(fullNameOf(record)) === name) return true
  const [parentId, parent] = [unnamedParentOf(edits), record['Parent']]
  if (parentId === '' || typeof parent !== 'object' || parent === null) return false
  return idOf({ ...parent }) === parentId && nameKey(ownText(record, 'Name')) === name
}

/**
 * The name by which a person knows the record, new or as it was read, under its parents: there may be a *Phase 2* for
 * each of fifty customers.
 */
export function shownName(edits: readonly FieldEdit[], before: RecordData): string {
  const [own, full] = [ownText(before, 'Name'), fullNameOf(before)]
  if (full === '') return fullNameOfInsert(edits) || idOf(before)
  const parents = own !== '' && full.endsWith(`:${own}`) ? full.slice(0, -own.length) : ''
  const name = editedText(edits, 'Name') ?? own
  return name === '' ? full : `${parents}${name}`
}

/** Every name under which a record could be taken for another one in the same array, as `nameKey`s. */
export function namesOf(edits: readonly FieldEdit[], before: RecordData): readonly string[] {
  const names = [
    fullNameOf(before),
    ownText(before, 'Name'),
    editedText(edits, 'Name') ?? '',
    fullNameOfInsert(edits),
  ]
  return [...new Set(names.map(nameKey))].filter((name) => name !== '')
}

/** The names that a record says of itself, as `nameKey`s; none where it has neither. */
export function namesOfRecord(record: RecordData): readonly string[] {
  const names = [fullNameOf(record), ownText(record, 'Name')]
  return [...new Set(names.map(nameKey))].filter((name) => name !== '')
}
