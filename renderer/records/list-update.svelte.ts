/** **Changed since**: asks for what changed since a list was read, and takes it into the rows that stand there. */
import { textOf } from '../../shared/changes.ts'
import type { Api } from '../api.ts'
import { canAskForChanges, changesFilter, latestStamp, type ReadTimes } from './changed-since.ts'
import type { ListMerge } from './list-merge.ts'
import type { RecordsList } from './records-list.svelte.ts'
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
