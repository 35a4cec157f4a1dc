/** **Changed since** reads what changed since the list was read, and merges it into the rows. */
import { textOf } from '../../../shared/records/changes.ts'
import type { ReadTimes } from '../../../shared/contract/records.ts'
import type { Api } from '../../api.ts'
import { type ListReader, canAskForChanges, changesFilter, latestStamp } from './reader.svelte.ts'
import type { DraftStore } from '../drafts/draft-store.svelte.ts'
import type { ListMerge, ListRows } from './list-rows.svelte.ts'
import { runInSlices } from './time-slice.ts'

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

interface UpdatedList {
  readonly reader: ListReader
  readonly rows: ListRows
  readonly drafts: DraftStore
  /** Called after the changes have been merged into the rows. */
  readonly afterMerge: () => void
}

export class ListUpdate {
  readonly #list: UpdatedList
  readonly #api: Api
  report = $state.raw<UpdateReport | null>(null)
  /** When the last update was asked for and had come whole; `null` since the list itself was read. */
  #times = $state.raw<(ReadTimes & { readonly ofSet: string }) | null>(null)

  /** The set that was opened from a copy and has not been updated since. */
  #copy = $state.raw<string | null>(null)

  constructor(list: UpdatedList, api: Api) {
    this.#list = list
    this.#api = api
  }

  /** ISO time of the last whole update of the list that stands there. */
  get updatedAt(): string | null {
    const { set } = this.#list.reader
    return set && this.#times?.ofSet === set.setId ? this.#times.readAt : null
  }

  /** Takes the times of the last update of a list that was kept on this computer. */
  restore(times: ReadTimes | null, setId: string): void {
    this.#times = times === null ? null : { ...times, ofSet: setId }
    this.#copy = setId
  }

  /** Whether the list is a copy from before, so that what it lacks may have been added since. */
  get isCopy(): boolean {
    return this.#list.reader.set?.setId === this.#copy
  }

  get isOffered(): boolean {
    const { set, odd } = this.#list.reader
    return set !== null && odd === 0 && !this.#list.rows.sharesIds && canAskForChanges(set)
  }

  /** Answers whether anything came. */
  async run(): Promise<boolean> {
    const { reader } = this.#list
    const base = reader.set
    if (base === null || reader.isBusy || !this.isOffered) return false
    this.report = null
    const times = this.#times?.ofSet === base.setId ? this.#times : base
    const latest = await new Promise<number | null>((resolve) => {
      runInSlices(latestStamp(this.#list.rows), resolve)
    })
    // What was saved before is news no longer, and may be another by now.
    const marked = this.#list.drafts.markedRows()
    this.#list.drafts.clearSavedAsSent()
    this.#list.rows.grid?.refresh([...marked])
    const merge = this.#list.rows.merge()
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
    if (set.isWhole) this.#copy = null
    if (set.isWhole) this.#times = { readAt: set.readAt, endedAt: set.endedAt, ofSet: base.setId }
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
      partialBecause: set.partialBecause,
    }
    return true
  }
}
