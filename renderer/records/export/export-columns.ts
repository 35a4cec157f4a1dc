/** Which columns leave in a file, and what stands in their cells; pure. */
import { memberOf, shownValue, type Edits } from '../../../shared/changes.ts'
import { fieldWords } from '../../../shared/field-words.ts'
import type { FieldType } from '../../../shared/records.ts'
import { allColumns, type PlanEntry } from '../columns.ts'
import type { RecordRow } from '../rows.ts'

export interface ExportColumn {
  readonly path: string
  /** From which import finds the field again. */
  readonly heading: string
  readonly type: FieldType
}

/** Every field of the list. Addresses leave in parts: in one line nobody could take them apart again. */
export function everyColumn(object: string, plan: readonly PlanEntry[]): readonly ExportColumn[] {
  return allColumns(plan).flatMap(({ path, type }) =>
    type === 'line' ? [] : [{ path, heading: fieldWords(object, path), type }],
  )
}

/** The columns that are seen, a folded group by all its parts; the ID goes along, so that import finds the records. */
export function shownColumns(
  object: string,
  plan: readonly PlanEntry[],
  paths: readonly string[],
): readonly ExportColumn[] {
  const every = everyColumn(object, plan)
  const lines = new Set(allColumns(plan).flatMap(({ path, type }) => (type === 'line' ? [path] : [])))
  const chosen = [...paths, 'ID'].flatMap((path) =>
    every.filter((column) =>
      lines.has(path)
        ? memberOf(column.path) !== null && column.path.startsWith(`${path}.`)
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
  return columns.map(({ path }) => {
    const value = shownValue(object, record, edits, path)
    return typeof value === 'string' ? value : value.FullName
  })
}
