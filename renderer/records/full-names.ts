/**
 * A new record typed by its full name, `Alder:Porch`: a name holds no colon, so what stands before it goes into
 * **Parent**, where that is a record of the list. Else the name stays as typed, and is said (`problems.ts`).
 */
import { isEmpty, type Reference } from '../../shared/changes.ts'
import type { CellEdit } from './list-editing.ts'

interface Surroundings {
  /** Whether the row is a new record that has no parent yet. */
  readonly lacksParent: (rowId: string) => boolean
  /** The record of that full name; `undefined` where there is none. */
  readonly parent: (fullName: string) => Reference | undefined
}

/** @returns the edits, with the parent of a full name as an edit of its own */
export function withParentsApart(edits: readonly CellEdit[], around: Surroundings): readonly CellEdit[] {
  const isFullName = ({ path, now }: CellEdit): boolean =>
    path === 'Name' && typeof now === 'string' && now.includes(':')
  if (!edits.some(isFullName)) return edits
  const given = new Set(
    edits.flatMap(({ rowId, path, now }) => (path === 'Parent' && hasValue(now) ? rowId : [])),
  )
  return edits.flatMap((edit) => {
    const { rowId, now } = edit
    if (!isFullName(edit) || typeof now !== 'string' || given.has(rowId) || !around.lacksParent(rowId))
      return [edit]
    const colon = now.lastIndexOf(':')
    const name = now.slice(colon + 1).trim()
    const parent = around.parent(now.slice(0, colon).trim())
    if (name === '' || parent === undefined) return [edit]
    return [
      { rowId, path: 'Parent', now: parent },
      { ...edit, now: name },
    ]
  })
}

function hasValue(now: CellEdit['now']): boolean {
  return now !== null && !isEmpty(now)
}
