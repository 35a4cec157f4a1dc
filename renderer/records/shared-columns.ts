/** The columns of a list that is prepared for several applications; pure. */
import { pathOf, topField } from '../../shared/changes.ts'
import { editability, type Editability } from '../../shared/editability.ts'
import { NEVER_SENT } from '../../shared/records.ts'
import type { PlanEntry, PlannedColumn } from './columns.ts'

const NOT_SHARED: Editability = {
  editable: false,
  because: 'Not every application that you prepare this list for takes this field.',
}

/**
 * Leaves out the fields that not all applications take. Those that the application keeps by itself stay to be read;
 * those that somebody has typed into stay too, so that no draft is out of sight, and say why nothing more can be typed.
 * @param shared paths of the fields that all of them take; `null` leaves every column as it is
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

/** A part that not all of them take can’t be changed. */
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
