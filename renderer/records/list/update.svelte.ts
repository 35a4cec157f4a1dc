/** **Changed since** reads what changed since the list was read, and merges it into the rows. */
import type { ReadTimes } from '../../../shared/contract/records.ts'
import { textOf } from '../../../shared/records/changes.ts'
import type { Api } from '../../api.ts'
import type { ListDrafts } from '../drafts/list-drafts.svelte.ts'
import type { ListMerge, ListRows } from './list-rows.svelte.ts'
import { canAskForChanges, changesFilter, latestStamp, type ListReader } from './reader.svelte.ts'
import type { RecordRow } from './rows.ts'
import { runInSlices } from './time-slice.ts'

/** The result of an update. */
export interface UpdateReport {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  /** Number of changed records that have a draft. */
  readonly underDrafts: number
  /** Number of records that were skipped because they have no ID. */
  readonly leftOut: number
  /** Why some changes may be missing; empty if all arrived. */
  readonly partialReason: string
}

interface UpdatedList {
  readonly reader: ListReader
  readonly rows: ListRows
  readonly drafts: ListDrafts
  /** Called after the changes have been merged into the rows. */
  readonly afterMerge: () => void
}

export class ListUpdate {
  readonly #list: UpdatedList
  readonly #api: Api
  report = $state.raw<UpdateReport | null>(null)
  /** When the last complete update was requested and done; `null` if there was none since the list was read. */
  #times = $state.raw<(ReadTimes & { readonly ofSet: string }) | null>(null)

  /**
   * The latest stamp of the list and its complete updates. The records of an incomplete one may have later stamps than
   * those it lacks.
   */
  #latest: { readonly stamp: number | null; readonly ofSet: string } | null = null

  /** The set that was opened from a copy and has not been updated since. */
  #copy = $state.raw<string | null>(null)

  constructor(list: UpdatedList, api: Api) {
    this.#list = list
    this.#api = api
  }

  /** ISO time of the last complete update of the current list. */
  get updatedAt(): string | null {
    const { set } = this.#list.reader
    return set && this.#times?.ofSet === set.setId ? this.#times.readAt : null
  }

  /** Restores the times of the last update of a saved copy. */
  restore(times: ReadTimes | null, setId: string): void {
    this.#times = times === null ? null : { ...times, ofSet: setId }
    this.#copy = setId
  }

  /** Whether the list is a saved copy, which may lack records that were added since. */
  get isCopy(): boolean {
    return this.#list.reader.set?.setId === this.#copy
  }

  get isOffered(): boolean {
    const { set, unidentified } = this.#list.reader
    return set !== null && unidentified === 0 && !this.#list.rows.sharesIds && canAskForChanges(set)
  }

  /**
   * Reads the changes and merges them.
   * @returns whether that succeeded
   */
  async run(): Promise<boolean> {
    const { reader } = this.#list
    const base = reader.set
    if (base === null || reader.isBusy || !this.isOffered) return false
    this.report = null
    const times = this.#times?.ofSet === base.setId ? this.#times : base
    const latest =
      this.#latest?.ofSet === base.setId ? this.#latest.stamp : await findLatestStamp(this.#list.rows)
    this.#latest = { stamp: latest, ofSet: base.setId }
    // Earlier marks are outdated, because the records may have changed again.
    const marked = this.#list.drafts.markedRows()
    this.#list.drafts.clearSavedAsSent()
    this.#list.rows.grid?.refresh([...marked])
    const merge = this.#list.rows.merge()
    const newer: RecordRow[] = []
    let leftOut = 0
    const take: ListMerge['take'] = (rows) => {
      // Records with a shared ID are shown next to each other. Those without an ID can't be matched to existing
      // rows.
      const known = rows.filter(({ record }) => textOf(record['ID']) !== '')
      leftOut += rows.length - known.length
      newer.push(...known)
      merge.take(known)
    }
    const set = await reader.update(changesFilter(base.filter, times, latest), {
      onbegin: take,
      onrows: take,
    })
    if (set === null) return false
    if (set.isWhole) {
      const stamps = [latest, await findLatestStamp(newer)].filter((stamp) => stamp !== null)
      this.#latest = { stamp: stamps.length === 0 ? null : Math.max(...stamps), ofSet: base.setId }
      this.#copy = null
      this.#times = { readAt: set.readAt, endedAt: set.endedAt, ofSet: base.setId }
    }
    const merged = await this.#api.call('records.merge', { setId: base.setId, newerId: set.setId })
    if (merged.ok) reader.merged(merged.value)
    else reader.error = merged.error
    this.#list.afterMerge()
    const underDrafts = [...merge.changed].filter((rowId) => this.#list.drafts.draft(rowId) !== undefined)
    this.report = {
      added: merge.added,
      changed: merge.changed.size,
      unchanged: merge.unchanged,
      underDrafts: underDrafts.length,
      leftOut,
      partialReason: set.partialReason,
    }
    return true
  }
}

function findLatestStamp(rows: Iterable<RecordRow>): Promise<number | null> {
  return new Promise((resolve) => {
    runInSlices(latestStamp(rows), resolve)
  })
}
