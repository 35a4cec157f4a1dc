/** Which columns leave in a file, and what stands in their cells; pure. */
import {
  isGivenWhole,
  memberOf,
  ownValue,
  shownValue,
  textOf,
  topField,
  type Edits,
} from '../../../shared/changes.ts'
import { fieldWords } from '../../../shared/field-words.ts'
import type { FieldType } from '../../../shared/records.ts'
import { allColumns, type PlanEntry } from '../columns.ts'
import type { RecordRow } from '../rows.ts'

export interface ExportColumn {
  readonly path: string
  /** From which import finds the field again. */
  readonly heading: string
  readonly type: FieldType
  /** A field that leaves in parts, and that some records have as one value: this is the column for those. */
  readonly isWhole: boolean
}

/**
 * Every field of the list. Addresses leave in parts: in one line nobody could take them apart again.
 * @param rows those that leave; a field in parts that some of them have as one value has a column for that too
 */
export function everyColumn(
  object: string,
  plan: readonly PlanEntry[],
  rows: readonly RecordRow[],
): readonly ExportColumn[] {
  return allColumns(plan).flatMap(({ path, type }): ExportColumn[] => {
    const heading = fieldWords(object, path)
    if (type !== 'line') return [{ path, heading, type, isWhole: false }]
    const isSomeWhole = rows.some(({ record }) => isGivenWhole(ownValue(record, topField(path))))
    return isSomeWhole ? [{ path, heading, type: 'text', isWhole: true }] : []
  })
}

/** The columns that are seen, a folded group by all its parts; the ID goes along, so that import finds the records. */
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

/** A row's cells in canonical form, references by their full names. */
export function exportCells(
  object: string,
  { record }: RecordRow,
  edits: Edits | undefined,
  columns: readonly ExportColumn[],
): readonly string[] {
  return columns.map(({ path, isWhole }) => {
    if (isWhole) {
      const whole = ownValue(record, topField(path))
      return isGivenWhole(whole) ? textOf(whole) : ''
    }
    const value = shownValue(object, record, edits, path)
    return typeof value === 'string' ? value : value.FullName
  })
}
