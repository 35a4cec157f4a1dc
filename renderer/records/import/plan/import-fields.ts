/** Reads a file's rows as values of the fields that its columns are mapped to. */
import {
  type HeadedTable,
  type ImportCell,
  type ImportRow,
  isBlank,
} from '../../../../shared/import/table.ts'
import {
  type EditValue,
  isReferenceShaped,
  memberOf,
  pathType,
  type RecordData,
  topField,
  valueAt,
} from '../../../../shared/records/changes.ts'
import { type FieldType, isDescribed, objectDefinition } from '../../../../shared/records/definition.ts'
import { fieldsOf, pathHeading } from '../../../../shared/records/fields.ts'
import type { Interruptible } from '../../list/time-slice.ts'
import type { ColumnTarget } from '../columns/headings.ts'
import type { ImportTarget } from './fingerprint.ts'
import {
  type ChosenFormats,
  columnKind,
  type ColumnReader,
  createColumnReader,
  type ImportColumnKind,
  type LocalFormats,
} from './values.ts'

/** What reading a file's fields depends on. */
export interface ImportFieldsInput {
  readonly target: ImportTarget
  readonly table: HeadedTable
  readonly columns: readonly ColumnTarget[]
  /** The records of the list, with their drafts applied. */
  readonly records: readonly RecordData[]
  /** Field names in the metadata; `null` if it couldn't be read. */
  readonly supported: ReadonlySet<string> | null
  readonly local: LocalFormats
  readonly formats: ChosenFormats
}

/** A column that is mapped to a field, with its reader. */
export interface FieldColumn extends ColumnTarget {
  readonly path: string
  readonly label: string
  readonly type: FieldType
  readonly reader: ColumnReader
  /** What most of its values are. */
  readonly kind: ImportColumnKind
}

/** A cell that can't be read as a value of its field. */
export interface UnreadCell {
  readonly column: number
  readonly path: string
  readonly reason: string
}

/** Fields that identify a record or that only the application sets. They are skipped silently. */
export const NEVER_WRITTEN = ['ID', 'FullName', 'CreatedDate', 'LastModifiedDate']

/** The values of one row. */
export interface RowValues {
  readonly values: ReadonlyMap<string, EditValue>
  /** Columns with an empty cell that clears the field. */
  readonly cleared: readonly FieldColumn[]
  readonly unread: readonly UnreadCell[]
}

/** The fields of a file: its columns with their inferred formats, and the values of its rows. */
export class ImportFields {
  readonly #input: ImportFieldsInput
  #columns: readonly FieldColumn[] = []

  constructor(input: ImportFieldsInput) {
    this.#input = input
  }

  /** Sentences about ambiguous columns. */
  get notes(): readonly string[] {
    return this.#columns.flatMap(({ heading, reader }) => reader.notes.map((note) => `“${heading}”: ${note}`))
  }

  /**
   * Infers the formats of all columns.
   * @returns the columns that are mapped to a field
   */
  *prepare(): Interruptible<readonly FieldColumn[]> {
    const { table, columns, records, local, formats, target } = this.#input
    const fields: FieldColumn[] = []
    for (const column of columns) {
      const { path } = column
      if (path === null) continue
      const cells = table.rows.map(({ cells: all }) => all[column.column] ?? '')
      const type = importType(target.object, path, records, this.#input.supported)
      const reader = createColumnReader(type, cells, local, formats)
      const kind = type === 'text' ? columnKind(cells, memberOf(path) === 'PostalCode') : 'other'
      fields.push({ ...column, path, label: pathHeading(target.object, path), type, reader, kind })
      yield
    }
    this.#columns = fields
    return fields
  }

  type(path: string): FieldType {
    const known = this.#columns.find((column) => column.path === path)?.type
    return known ?? pathType(this.#input.target.object, path)
  }

  kind(path: string): ImportColumnKind {
    return this.#columns.find((column) => column.path === path)?.kind ?? 'other'
  }

  /** Creates a reader for one field; `null` if no column is mapped to it. */
  textReader(path: string): ((row: ImportRow) => string) | null {
    const column = this.#columns.find((each) => each.path === path)
    if (!column) return null
    return (row) => {
      const cell: ImportCell = row.cells[column.column] ?? ''
      const read = isBlank(cell) ? null : column.reader.read(cell)
      return read?.ok && typeof read.value === 'string' ? read.value.trim() : ''
    }
  }

  read(row: ImportRow): RowValues {
    const values = new Map<string, EditValue>()
    const cleared: FieldColumn[] = []
    const unread: UnreadCell[] = []
    for (const column of this.#columns) {
      const cell: ImportCell = row.cells[column.column] ?? ''
      if (isBlank(cell)) {
        if (column.emptyMeans === 'clear' && !NEVER_WRITTEN.includes(column.path)) cleared.push(column)
        continue
      }
      const read = column.reader.read(cell)
      if (read.ok) values.set(column.path, read.value)
      else if (!NEVER_WRITTEN.includes(column.path) || column.path === 'ID')
        unread.push({
          column: column.column,
          path: column.path,
          reason:
            (typeof cell === 'object' && 'error' in cell ? cell.reason : undefined) ??
            `“${column.heading}”: ${read.reason}`,
        })
    }
    return { values, cleared, unread }
  }
}

/** Says why a column's field can't be cleared; empty if it can (decisions.md, "Clearing a field"). */
export function clearRefusal(object: string, column: Pick<FieldColumn, 'heading' | 'path' | 'type'>): string {
  if (column.type === 'money') return `“${column.heading}” can’t be blank. Enter 0.`
  if (column.type === 'boolean') return `“${column.heading}” must be yes or no.`
  if (objectDefinition(object)?.required.includes(column.path) === true)
    return `“${column.heading}” can’t be blank.`
  return ''
}

/**
 * Returns the type of a field. For a field that isn't in the definition, metadata and records tell references
 * from text, and a field that contains only dates is a date.
 */
export function importType(
  object: string,
  path: string,
  records: readonly RecordData[],
  supported: ReadonlySet<string> | null = null,
): FieldType {
  const type = pathType(object, path)
  if (type !== 'text' || isDescribed(object, topField(path))) return type
  const members = fieldsOf(supported ?? []).get(topField(path)) ?? []
  if (memberOf(path) === null && isReferenceShaped(members)) return 'reference'
  let dates = 0
  for (const record of records.slice(0, 1_000)) {
    const value = valueAt(object, record, path)
    if (typeof value !== 'string') return 'reference'
    if (value === '') continue
    if (!/^\d{4}-\d{2}-\d{2}(?:T|$)/.test(value)) return 'text'
    dates += 1
  }
  return dates > 0 ? 'timestamp' : 'text'
}
