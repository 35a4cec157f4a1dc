/** *Changed since**: asks for what changed since a list was read, and takes it into the rows that stand there. */
import { textOf } from '../../../shared/records/changes.ts'
import type { Api } from '../../api.ts'
import { type ReadTimes, canAskForChanges, changesFilter, latestStamp } from './reader.svelte.ts'
import type { RecordsList } from './records-list.svelte.ts'
import type { RecordRow } from './rows.ts'
import { inTurns } from './turns.ts'

/** What an update brought. */
export interface UpdateReport {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  /** Changed records of which there is a draft. */
  readonly underDrafts: number
  /** Records that came without an ID of their own, and were left out. */
  readonly leftOut: number
  /** Why not everything that changed may have come; empty when it has. */
  readonly partialBecause: string
}

export class ListUpdate {
  readonly #list: RecordsList
  readonly #api: Api
  report = $state.raw<UpdateReport | null>(null)
  /** When the last update was asked for and had come whole; `null` since the list itself was read. */
  #times = $state.raw<(ReadTimes & { readonly ofSet: string }) | null>(null)

  constructor(list: RecordsList, api: Api) {
    this.#list = list
    this.#api = api
  }

  /** ISO time of the last whole update of the list that stands there. */
  get updatedAt(): string | null {
    const { set } = this.#list.reader
    return set && this.#times?.ofSet === set.setId ? this.#times.readAt : null
  }

  get isOffered(): boolean {
    const { set, odd } = this.#list.reader
    return set !== null && odd === 0 && !this.#list.sharesIds && canAskForChanges(set)
  }

  /** Answers whether anything came. */
  async run(): Promise<boolean> {
    const { reader } = this.#list
    const base = reader.set
    if (base === null || reader.isBusy || !this.isOffered) return false
    this.report = null
    const times = this.#times?.ofSet === base.setId ? this.#times : base
    const latest = await new Promise<number | null>((resolve) => {
      inTurns(latestStamp(this.#list.rows), resolve)
    })
    // What was saved before is news no longer, and may be another by now.
    const marked = this.#list.book.markedRows()
    this.#list.book.clearSavedAsSent()
    this.#list.grid?.refresh([...marked])
    const merge = this.#list.merge()
    let leftOut = 0
    const take: ListMerge['take'] = (rows) => {
      // One that shares its ID stands beside the other; one without any can't be told from those that stand there.
      const told = rows.filter(({ record }) => textOf(record['ID']) !== '')
      leftOut += rows.length - told.length
      merge.take(told)
    }
    const set = await reader.update(changesFilter(base.filter, times, latest), {
      onbegin: take,
      onrows: take,
    })
    if (set === null) return false
    if (set.isWhole) this.#times = { readAt: set.readAt, endedAt: set.endedAt, ofSet: base.setId }
    const merged = await this.#api.call('records.merge', { setId: base.setId, newerId: set.setId })
    if (merged.ok) reader.merged(merged.value)
    else reader.error = merged.error
    this.#list.afterMerge()
    const underDrafts = [...merge.changed].filter((rowId) => this.#list.book.draft(rowId) !== undefined)
    this.report = {
      added: merge.added,
      changed: merge.changed.size,
      unchanged: merge.unchanged,
      underDrafts: underDrafts.length,
      leftOut,
      partialBecause: set.partialBecause,
    }
    return true
  }
}

/*
 * Takes records that were read anew into rows that stand there: what is the same stays the same row, so that the
 * grid, the search and the order keep what they worked out for it.
 */

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
