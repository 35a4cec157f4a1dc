/**
 * Takes records that were read anew into rows that stand there: what is the same stays the same row, so that the
 * grid, the search and the order keep what they worked out for it.
 */
import type { RecordRow } from './rows.ts'

interface Ports {
  readonly row: (rowId: string) => RecordRow | undefined
  /** Puts rows with other content in the place of those that they are of, and new ones at the end. */
  readonly put: (changed: readonly RecordRow[], added: readonly RecordRow[]) => void
}

export class ListMerge {
  readonly #ports: Ports
  readonly #seen = new Set<string>()
  added = 0
  unchanged = 0
  /** The rows whose records have other values now. */
  readonly changed = new Set<string>()

  constructor(ports: Ports) {
    this.#ports = ports
  }

  take(rows: readonly RecordRow[]): void {
    const changed: RecordRow[] = []
    const added: RecordRow[] = []
    for (const row of rows) {
      this.#seen.add(row.rowId)
      const before = this.#ports.row(row.rowId)
      const isSame = before !== undefined && isSameValue(before.record, row.record)
      if (before === undefined) added.push(row)
      else if (!isSame || before.origin !== 'read') changed.push(row)
      if (isSame) this.unchanged += 1
      else if (before !== undefined) this.changed.add(row.rowId)
    }
    this.added += added.length
    if (changed.length > 0 || added.length > 0) this.#ports.put(changed, added)
  }

  /** Those of the rows that did not come again. */
  missing(rows: Iterable<RecordRow>): readonly string[] {
    const missing: string[] = []
    for (const { rowId, origin } of rows) {
      if (origin === 'read' && !this.#seen.has(rowId)) missing.push(rowId)
    }
    return missing
  }
}

/** Whether two values of JSON say the same, in whatever order their members stand. */
export function isSameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  const [one, other] = [left as Record<string, unknown>, right as Record<string, unknown>]
  return names.every((name) => Object.hasOwn(other, name) && isSameValue(one[name], other[name]))
}
