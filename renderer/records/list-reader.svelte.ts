/** Reads a list: asks for it, follows its progress, and has its rows pulled, the first ones while others still come. */
import type { EventPayload } from '../../shared/contract.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { ChangedSet, RecordSet, RecordsFilter } from '../../shared/contract/records.ts'
import type { AppError, Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { ListFiller, nextFrame } from './list-filler.ts'
import type { RecordRow } from './rows.ts'

export interface ReadProgress {
  /** ISO time at which it began. */
  readonly since: string
  readonly records: number
  readonly pages: number
  readonly stopping: boolean
  /** Whether only what changed is asked for. */
  readonly isUpdate: boolean
}

/** Hears of the rows of one read. */
export interface RowsTaker {
  readonly onbegin: (rows: readonly RecordRow[]) => Promise<void> | void
  readonly onrows: (rows: readonly RecordRow[]) => void
}

interface Ports {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
  /** Whether rows of a read that asked for the same stand there: then new ones are compared, when all have come. */
  readonly isShown: (filter: RecordsFilter) => boolean
  /** Whether rows may be shown while more are still being read: none of another read stand there. */
  readonly isEmpty: () => boolean
  /** A read's rows are about to come; `isAgain` when those of the same question stand there. */
  readonly taker: (isAgain: boolean) => RowsTaker
  /** All rows are there. */
  readonly onend: (set: RecordSet) => void
  /** The rows that came are void: the answer broke off, and is asked for again, or was none. */
  readonly onvoid: () => void
}

/** What a read that goes on has shown already. */
interface Early {
  readonly setId: string
  readonly filler: ListFiller
}

export class ListReader {
  readonly #ports: Ports
  /** What was read last; its rows may still be coming. */
  set = $state.raw<RecordSet | null>(null)
  progress = $state.raw<ReadProgress | null>(null)
  /** Whether rows are still being taken over into the window. */
  isFilling = $state(false)
  error = $state.raw<AppError | null>(null)
  /** Records of what was read last that came without an ID of their own: nothing can be merged into them. */
  odd = 0
  #filter: RecordsFilter | null = null
  #early: Early | null = null

  constructor(ports: Ports) {
    this.#ports = ports
  }

  get isBusy(): boolean {
    return this.progress !== null || this.isFilling
  }

  /** Follows what the main process tells of a read. */
  report(told: EventPayload<'records.progress'>): void {
    if (!this.progress) return
    const { records, pages } = told
    this.progress = { ...this.progress, records, pages }
    if (this.#early === null && (this.progress.isUpdate || records === 0 || !this.#ports.isEmpty())) return
    if (this.#early?.setId !== told.setId) this.#beginEarly(told)
    this.#early?.filler.hold(records)
  }

  /** Gets the records. What stood there before stays until new rows are there. */
  async read(filter: RecordsFilter): Promise<void> {
    if (this.isBusy) return
    this.#filter = filter
    const opened = await this.#open(filter, false)
    const early = this.#early
    this.#early = null
    if (!opened.ok || early?.setId !== opened.value.setId) this.#void(early)
    if (!opened.ok) {
      this.isFilling = false
      return
    }
    await this.#fill(opened.value, early?.setId === opened.value.setId ? early.filler : null)
  }

  /**
   * Asks for what changed, and hands its rows on; what was read stays as it is.
   * @returns `null` when nothing came; why is in `error`
   */
  async update(filter: RecordsFilter, taker: RowsTaker): Promise<RecordSet | null> {
    if (this.isBusy) return null
    const opened = await this.#open(filter, true)
    if (!opened.ok) return null
    this.isFilling = true
    const filler = this.#filler(opened.value.setId, taker)
    const filled = await filler.end(opened.value.count)
    this.isFilling = false
    if (filled.ok) return opened.value
    this.error = filled.error
    return null
  }

  async #open(filter: RecordsFilter, isUpdate: boolean): Promise<Result<RecordSet>> {
    const { api, company, object } = this.#ports
    this.error = null
    this.progress = { since: new Date().toISOString(), records: 0, pages: 0, stopping: false, isUpdate }
    const opened = await api.call('records.open', { company, object, filter })
    this.progress = null
    if (!opened.ok) this.error = opened.error
    return opened
  }

  /** The main process took what changed over into the list. */
  merged({ count, fields }: ChangedSet): void {
    if (this.set) this.set = withKnownFields({ ...this.set, count, fields }, this.set)
  }

  /** Gives back what the main process holds of the list. */
  close(): void {
    if (this.set) void this.#ports.api.call('records.close', { setId: this.set.setId })
    this.set = null
  }

  /** Stops the read that is on its way; what came is kept. */
  async stop(): Promise<void> {
    if (!this.progress) return
    this.progress = { ...this.progress, stopping: true }
    const { api, company, object } = this.#ports
    await api.call('records.stop', { company, object })
  }

  #beginEarly({ setId, fields, company, object, records }: EventPayload<'records.progress'>): void {
    this.#void(this.#early)
    this.isFilling = true
    const since = this.progress?.since ?? new Date().toISOString()
    const set: RecordSet = {
      ...{ setId, company, object, fields, count: records, readAt: since, endedAt: since },
      ...{ pages: 0, problems: [], requestIds: [] },
      filter: this.#filter ?? { modifiedFrom: null, modifiedTo: null, ids: [] },
      isWhole: false,
      partialBecause: 'It is still being read.',
    }
    const taker = this.#ports.taker(false)
    const filler = this.#filler(setId, {
      ...taker,
      onbegin: (rows) => this.#show(set, () => taker.onbegin(rows)),
    })
    this.#early = { setId, filler }
  }

  /** Takes back what was shown before its answer was known to be one. */
  #void(early: Early | null): void {
    if (early === null) return
    early.filler.stop()
    if (this.set?.setId !== early.setId) return
    this.set = null
    this.#ports.onvoid()
  }

  async #fill(set: RecordSet, early: ListFiller | null): Promise<void> {
    this.isFilling = true
    const filler = early ?? this.#laterFiller(set)
    const filled = await filler.end(set.count)
    // Known only now to be whole; shown early, it was not.
    if (filled.ok) this.set = withKnownFields(set, this.set)
    this.odd = filler.odd
    this.isFilling = false
    if (filled.ok) this.#ports.onend(set)
    else this.error = filled.error
  }

  /** Shows a set that has come whole. */
  #laterFiller(set: RecordSet): ListFiller {
    const taker = this.#ports.taker(this.#ports.isShown(set.filter))
    return this.#filler(set.setId, {
      ...taker,
      onbegin: (rows) => this.#show(set, () => taker.onbegin(rows)),
    })
  }

  /** The columns are built from what was found; the rows come a frame later, so that neither makes a pause. */
  async #show(set: RecordSet, takeRows: () => unknown): Promise<void> {
    const known = withKnownFields(set, this.set)
    this.close()
    this.set = known
    await nextFrame()
    if (this.set === known) takeRows()
  }

  #filler(setId: string, taker: RowsTaker): ListFiller {
    return new ListFiller({
      ...taker,
      ask: (from, count) => this.#ports.api.call('records.rows', { setId, from, count }),
    })
  }
}

/** The same fields stay the same value, so that no column is made anew for them. */
function withKnownFields(set: RecordSet, before: RecordSet | null): RecordSet {
  const isSame = before !== null && JSON.stringify(before.fields) === JSON.stringify(set.fields)
  return isSame ? { ...set, fields: before.fields } : set
}
