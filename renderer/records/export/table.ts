/** The columns of an export and the contents of their cells. Pure. */
import {
  type Edits,
  isSingleValue,
  memberOf,
  ownValue,
  shownValue,
  textOf,
  topField,
} from '../../../shared/records/changes.ts'
import type { FieldType } from '../../../shared/records/definition.ts'
import { pathHeading } from '../../../shared/records/fields.ts'
import { allColumns, type PlanEntry } from '../grid/columns/plan.ts'
import type { RecordRow } from '../list/rows.ts'

export interface ExportColumn {
  readonly path: string
  /** The heading, from which an import recognizes the field. */
  readonly heading: string
  readonly type: FieldType
  /** Whether this column is for records that have a single value in a field that is otherwise exported in parts. */
  readonly isWhole: boolean
}

/**
 * Returns a column for every field. Addresses are exported in parts, because one line couldn't be split again.
 * @param rows the exported rows. If some have a single value in a field with parts, it gets a column of its
 * own.
 */
export function everyColumn(
  object: string,
  plan: readonly PlanEntry[],
  rows: readonly RecordRow[],
): readonly ExportColumn[] {
  return allColumns(plan).flatMap(({ path, type }): ExportColumn[] => {
    const heading = pathHeading(object, path)
    if (type !== 'line') return [{ path, heading, type, isWhole: false }]
    const isSomeWhole = rows.some(({ record }) => isSingleValue(ownValue(record, topField(path))))
    return isSomeWhole ? [{ path, heading, type: 'text', isWhole: true }] : []
  })
}

/**
 * Returns the visible columns and the ID, so that the file can be imported again. A collapsed group is exported
 * in parts.
 */
export function shownColumns(
  object: string,
  plan: readonly PlanEntry[],
  paths: readonly string[],
  rows: readonly RecordRow[],
): readonly ExportColumn[] {
  const every = everyColumn(object, plan, rows)
  const lines = new Set(allColumns(plan).flatMap(({ path, type }) => (type === 'line' ? [path] : [])))
  const chosen = [...paths, 'ID'].flatMap((path) =>
    every.filter((column) =>
      lines.has(path)
        ? column.isWhole
          ? column.path === path
          : memberOf(column.path) !== null && column.path.startsWith(`${path}.`)
        : column.path === path,
    ),
  )
  return [...new Set(chosen)]
}

/** Returns the cells of a row in canonical form. References are exported by full name. */
export function exportCells(
  object: string,
  { record }: RecordRow,
  edits: Edits | undefined,
  columns: readonly ExportColumn[],
): readonly string[] {
  return columns.map(({ path, isWhole }) => {
    if (isWhole) {
      const whole = ownValue(record, topField(path))
      return isSingleValue(whole) ? textOf(whole) : ''
    }
    const value = shownValue(object, record, edits, path)
    return typeof value === 'string' ? value : value.FullName
  })
}
