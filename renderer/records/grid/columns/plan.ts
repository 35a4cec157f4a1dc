/**
 * Plans the columns of a list, their order, and whether they can be edited: the fields of the definition, all
 * other fields found in the records, and those that only the metadata names. No field is ever dropped.
 */
import type { FieldSupport, OpenedSet } from '../../../../shared/contract/records.ts'
import { isReferenceShaped, memberOf, pathOf, topField } from '../../../../shared/records/changes.ts'
import {
  ADDRESS_PARTS,
  CONTACT_PARTS,
  type FieldDefinition,
  fieldDefinition,
  type FieldType,
  NEVER_SENT,
  objectDefinition,
} from '../../../../shared/records/definition.ts'
import { type Editability, editability, fieldsOf } from '../../../../shared/records/fields.ts'

export interface PlannedColumn {
  /** The column's ID, which is the field's path (`Phone`, `BillingAddress.City`, `Terms`). */
  readonly path: string
  readonly header: string
  /** `line`: the members of a collapsed group in one line. */
  readonly type: FieldType | 'line'
  /** When the column is visible in a group that collapses. */
  readonly shown: 'always' | 'folded' | 'unfolded'
  readonly forNew: Editability
  readonly forExisting: Editability
  /** The members of a line. */
  readonly members: readonly string[]
  /** The object that a reference refers to, if the definition knows it. */
  readonly refersTo: string
  /** Pixels. */
  readonly width: number
}

export interface PlannedGroup {
  readonly field: string
  readonly header: string
  readonly columns: readonly PlannedColumn[]
  /** What expanding shows, for the button's name: *the parts of Billing address*. */
  readonly unfolds: string
}

export type PlanEntry =
  | { readonly kind: 'column'; readonly column: PlannedColumn }
  | { readonly kind: 'group'; readonly group: PlannedGroup }

/**
 * The most important fields, visible without scrolling on a laptop. The others follow in the order of the
 * definition.
 */
const EVERYDAY = [
  'Name',
  'Type',
  'Phone',
  'Email',
  'Terms',
  'BillingAddress',
  'Address',
  'Balance',
  'IsActive',
  'CompanyName',
  'Number',
  'Description',
]

const WIDTHS: Readonly<Record<FieldType | 'line', number>> = {
  text: 140,
  money: 112,
  boolean: 64,
  timestamp: 192,
  reference: 108,
  address: 140,
  contact: 140,
  line: 188,
}
const WIDTH_OF: ReadonlyMap<string, number> = new Map([
  ['Name', 216],
  ['FullName', 216],
  ['Email', 264],
  ['Phone', 126],
])

const BY_PARTS: Editability = { editable: false, reason: 'Expand it to edit its parts.' }
const PART_OF_REFERENCE: Editability = {
  editable: false,
  reason: 'Set by the name next to it.',
}

/**
 * Plans the columns of a list.
 * @param found fields found in the records, with their members; empty before a read
 * @param support `null` while metadata is being asked for
 */
export function planColumns(
  object: string,
  found: OpenedSet['fields'],
  support: FieldSupport | null,
): readonly PlanEntry[] {
  const supported = support?.supported ? new Set(support.supported) : null
  const supportedFields = fieldsOf(supported ?? [])
  const defined = objectDefinition(object)?.fields.map((field) => field.name) ?? []
  const names = new Set([...defined, ...found.map((field) => field.name), ...supportedFields.keys()])
  const first = EVERYDAY.filter((name) => names.has(name))
  const members = new Map(found.map((field) => [field.name, field.members]))
  const rightsOf = (path: string): Rights => ({
    forNew: editability(object, path, supported, 'new'),
    forExisting: editability(object, path, supported, 'existing'),
  })
  return [...new Set([...first, ...names])].map((name) => {
    const parts = new Set([...(members.get(name) ?? []), ...(supportedFields.get(name) ?? [])])
    return planField(fieldDefinition(object, name), [...parts], rightsOf)
  })
}

type RightsOf = (path: string) => Rights

/** @param found members found in the records or named by the metadata */
function planField(field: FieldDefinition, found: readonly string[], rightsOf: RightsOf): PlanEntry {
  switch (field.type) {
    case 'address':
      return folding(field, merged(ADDRESS_PARTS, found), rightsOf)
    case 'contact':
      return planContact(field, found, rightsOf)
    case 'reference':
      return planReference(field, found, rightsOf)
    case 'text':
      if (found.length === 0) return single(field, rightsOf)
      return isReferenceShaped(found)
        ? planReference(field, found, rightsOf)
        : folding(field, merged([], found), rightsOf)
    case 'money':
    case 'boolean':
    case 'timestamp':
      return single(field, rightsOf)
  }
}

type Rights = Pick<PlannedColumn, 'forNew' | 'forExisting'>
interface Part {
  readonly name: string
  readonly label: string
}

/** Returns the known parts, followed by those found only in the records. */
function merged(known: readonly Part[], found: readonly string[]): readonly Part[] {
  const names = new Set(known.map((part) => part.name))
  return [...known, ...found.filter((name) => !names.has(name)).map((name) => ({ name, label: name }))]
}

function single(field: FieldDefinition, rightsOf: RightsOf): PlanEntry {
  const path = pathOf(field.name)
  return {
    kind: 'column',
    column: columnOf(path, field.label, field.type, 'always', rightsOf(path), field),
  }
}

function folding(field: FieldDefinition, parts: readonly Part[], rightsOf: RightsOf): PlanEntry {
  const line: PlannedColumn = {
    ...columnOf(
      pathOf(field.name),
      field.label,
      'line',
      'folded',
      { forNew: BY_PARTS, forExisting: BY_PARTS },
      field,
    ),
    members: parts.map((part) => part.name),
  }
  const columns = parts.map((part) => {
    const path = pathOf(field.name, part.name)
    return columnOf(path, part.label, 'text', 'unfolded', rightsOf(path), field)
  })
  return groupOf(field, [line, ...columns], `the parts of ${field.label}`)
}

function planReference(field: FieldDefinition, found: readonly string[], rightsOf: RightsOf): PlanEntry {
  const others = merged([{ name: 'ID', label: `${field.label} ID` }], found)
    .filter((part) => part.name !== 'FullName')
    .map((part) =>
      columnOf(
        pathOf(field.name, part.name),
        part.label,
        'text',
        'unfolded',
        { forNew: PART_OF_REFERENCE, forExisting: PART_OF_REFERENCE },
        field,
      ),
    )
  const path = pathOf(field.name)
  const main = columnOf(path, field.label, 'reference', 'always', rightsOf(path), field)
  return groupOf(field, [main, ...others], `the ID of ${field.label}`)
}

function planContact(field: FieldDefinition, found: readonly string[], rightsOf: RightsOf): PlanEntry {
  const [name = { name: 'Name', label: 'Name' }, ...rest] = merged(CONTACT_PARTS, found)
  const columnFor = (part: Part, label: string, shown: PlannedColumn['shown']): PlannedColumn => {
    const path = pathOf(field.name, part.name)
    return columnOf(path, label, 'text', shown, rightsOf(path), field)
  }
  const main = columnFor(name, field.label, 'always')
  if (rest.length === 0) return { kind: 'column', column: main }
  const others = rest.map((part) => columnFor(part, part.label, 'unfolded'))
  return groupOf(field, [main, ...others], `the parts of ${field.label}`)
}

function groupOf(field: FieldDefinition, columns: readonly PlannedColumn[], unfolds: string): PlanEntry {
  return { kind: 'group', group: { field: field.name, header: field.label, columns, unfolds } }
}

function columnOf(
  path: string,
  header: string,
  type: PlannedColumn['type'],
  shown: PlannedColumn['shown'],
  rights: Rights,
  field: FieldDefinition,
): PlannedColumn {
  const width = WIDTH_OF.get(path) ?? WIDTHS[type]
  return { path, header, type, shown, ...rights, members: [], refersTo: field.refersTo ?? '', width }
}

/** Returns the ID of a field's group, which must differ from the column IDs. */
export function groupIdOf(field: string): string {
  return `group ${field}`
}

/** Returns all columns of a plan, including collapsed ones. */
export function allColumns(plan: readonly PlanEntry[]): readonly PlannedColumn[] {
  return plan.flatMap((entry) => (entry.kind === 'column' ? [entry.column] : entry.group.columns))
}

/** Returns the name of a path for messages: *Billing address, City*. */
export function formatPath(plan: readonly PlanEntry[], path: string): string {
  for (const entry of plan) {
    if (entry.kind === 'column' && entry.column.path === path) return entry.column.header
    if (entry.kind === 'group') {
      const column = entry.group.columns.find((each) => each.path === path)
      if (column)
        return memberOf(column.path) !== null && column.header !== entry.group.header
          ? `${entry.group.header}, ${column.header}`
          : column.header
    }
  }
  return path
}

/*
 * The columns about a row as a whole. The ID of a data column is its field's path, and a field may have any
 * name. But in a path, a backslash only precedes a dot or another backslash (`pathOf`), so none of these is
 * ever a path.
 */

/** The outcome sign. */
export const MARGIN = '\\margin'
/** The check box in the review. */
export const CHECKBOX = '\\tick'
/** The outcome. */
export const OUTCOME = '\\outcome'

/** The columns about a row as a whole. */
export const STATE_COLUMNS: readonly string[] = [MARGIN, CHECKBOX, OUTCOME]

// The columns of a list that is prepared for several applications.

const NOT_SHARED: Editability = {
  editable: false,
  reason: 'Not every application that you prepare this list for has this field.',
}

/**
 * Removes fields that some of the applications don't support. Fields that the application sets itself stay
 * readable. Fields with unsent edits stay visible, but explain why they can't be edited further.
 * @param shared paths of the fields that all applications support; `null` keeps every column
 */
export function sharedColumns(
  plan: readonly PlanEntry[],
  shared: ReadonlySet<string> | null,
  isDrafted: (field: string) => boolean,
): readonly PlanEntry[] {
  if (shared === null) return plan
  const isShared = (path: string): boolean => editability('', path, shared, 'new').editable
  return plan.flatMap((entry) => {
    const field = entry.kind === 'column' ? topField(entry.column.path) : entry.group.field
    if (isShared(pathOf(field)) || NEVER_SENT.includes(field)) return [withShared(entry, isShared)]
    return isDrafted(field) ? [closed(entry)] : []
  })
}

/** Makes the unsupported parts of a group read-only. */
function withShared(entry: PlanEntry, isShared: (path: string) => boolean): PlanEntry {
  if (entry.kind === 'column') return entry
  const columns = entry.group.columns.map((column) =>
    column.type === 'line' || isShared(column.path) ? column : closedColumn(column),
  )
  return { kind: 'group', group: { ...entry.group, columns } }
}

function closed(entry: PlanEntry): PlanEntry {
  if (entry.kind === 'column') return { kind: 'column', column: closedColumn(entry.column) }
  return { kind: 'group', group: { ...entry.group, columns: entry.group.columns.map(closedColumn) } }
}

function closedColumn(column: PlannedColumn): PlannedColumn {
  return { ...column, forNew: NOT_SHARED, forExisting: NOT_SHARED }
}
