/** The columns of a file that are fields: how their cells are written, and what those of one row say. */
import { isReferenceShaped, pathType, topField, valueAt, type EditValue, type RecordData } from './changes.ts'
import { fieldsOf } from './editability.ts'
import { fieldWords } from './field-words.ts'
import type { ColumnChoice } from './import-columns.ts'
import type { ImportInput } from './import-plan.ts'
import { isBlank, type ImportCell, type ImportRow } from './import-table.ts'
import { columnReader, type ColumnReader } from './import-values.ts'
import { isDescribed, objectDefinition, type FieldType } from './records.ts'
import type { Steps } from './steps.ts'

/** A column that is a field, with what its cells mean. */
export interface FieldColumn extends ColumnChoice {
  readonly path: string
  readonly words: string
  readonly type: FieldType
  readonly reader: ColumnReader
}

/** A cell that says nothing its field can be. */
export interface UnreadCell {
  readonly path: string
  readonly reason: string
}

/** Fields that say who a record is, or that the application writes: never edited, and nothing to be said about it. */
export const KEPT = ['ID', 'FullName', 'CreatedDate', 'LastModifiedDate']

/** What the cells of a row say. */
interface RowRead {
  readonly values: ReadonlyMap<string, EditValue>
  /** Columns whose empty cell empties the field. */
  readonly cleared: readonly FieldColumn[]
  readonly unread: readonly UnreadCell[]
}

export class ImportFields {
  readonly #input: ImportInput
  #columns: readonly FieldColumn[] = []

  constructor(input: ImportInput) {
    this.#input = input
  }

  /** How columns were read, where that was in doubt, by the column's heading. */
  get notes(): readonly string[] {
    return this.#columns.flatMap(({ heading, reader }) => reader.notes.map((note) => `“${heading}”: ${note}`))
  }

  /** Learns from whole columns how their cells are written. @returns those that are fields */
  *prepare(): Steps<readonly FieldColumn[]> {
    const { table, columns, records, local, chosen, target } = this.#input
    const fields: FieldColumn[] = []
    for (const column of columns) {
      const { path } = column
      if (path === null) continue
      const cells = table.rows.map(({ cells: all }) => all[column.column] ?? '')
      const type = importType(target.object, path, records, this.#input.supported)
      const reader = columnReader(type, cells, local, chosen)
      fields.push({ ...column, path, words: fieldWords(target.object, path), type, reader })
      yield
    }
    this.#columns = fields
    return fields
  }

  type(path: string): FieldType {
    const known = this.#columns.find((column) => column.path === path)?.type
    return known ?? pathType(this.#input.target.object, path)
  }

  /** Reads one field of a row alone; `null` where no column of the file is that field. */
  textReader(path: string): ((row: ImportRow) => string) | null {
    const column = this.#columns.find((each) => each.path === path)
    if (!column) return null
    return (row) => {
      const cell: ImportCell = row.cells[column.column] ?? ''
      const read = isBlank(cell) ? null : column.reader.read(cell)
      return read?.ok && typeof read.value === 'string' ? read.value.trim() : ''
    }
  }

  read(row: ImportRow): RowRead {
    const values = new Map<string, EditValue>()
    const cleared: FieldColumn[] = []
    const unread: UnreadCell[] = []
    for (const column of this.#columns) {
      const cell: ImportCell = row.cells[column.column] ?? ''
      if (isBlank(cell)) {
        if (column.emptyMeans === 'clear' && !KEPT.includes(column.path)) cleared.push(column)
        continue
      }
      const read = column.reader.read(cell)
      if (read.ok) values.set(column.path, read.value)
      else if (!KEPT.includes(column.path) || column.path === 'ID')
        unread.push({ path: column.path, reason: `“${column.heading}”: ${read.because}` })
    }
    return { values, cleared, unread }
  }
}

/** Why a column's field can't be emptied; empty when it can (decisions.md, "clearing a field"). */
export function clearRefusal(object: string, column: FieldColumn): string {
  if (column.type === 'money')
    return `“${column.heading}”: an amount can’t be emptied; write 0 if that is what it is.`
  if (column.type === 'boolean') return `“${column.heading}”: it is either yes or no, and can’t be emptied.`
  if (objectDefinition(object)?.required.includes(column.path) === true)
    return `“${column.heading}”: it can’t be emptied.`
  return ''
}

/**
 * A field that the definition does not know is what metadata or the records show: a reference, else text; where all its
 * values in the records are dates, what people write there is a date too.
 */
export function importType(
  object: string,
  path: string,
  records: readonly RecordData[],
  supported: ReadonlySet<string> | null = null,
): FieldType {
  const type = pathType(object, path)
  if (type !== 'text' || isDescribed(object, topField(path))) return type
  if (isReferenceShaped(fieldsOf(supported ?? []).get(topField(path)) ?? [])) return 'reference'
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
