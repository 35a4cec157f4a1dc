/** Reads a list: requests it, tracks the progress, and loads its rows, the first ones while others still arrive. */
import type { CallOutput, EventPayload } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { ChangedSet, OpenedSet, ReadTimes, RecordsFilter } from '../../../shared/contract/records.ts'
import { withOffset } from '../../../shared/format/format.ts'
import { textOf } from '../../../shared/records/changes.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { clock } from '../../clock.ts'
import { NO_FILTER } from '../filters/records-filter.ts'
import { isAsListed, type RecordRow, RowFactory } from './rows.ts'
import { type Interruptible, ROWS_PER_STEP, yieldToEventLoop } from './time-slice.ts'

export interface ReadProgress {
  /** Start time in ISO format. */
  readonly since: string
  readonly records: number
  readonly pages: number
  readonly stopping: boolean
  /** Whether only changes are read. */
  readonly isUpdate: boolean
}

/** Receives the rows of one read. */
export interface RowConsumer {
  readonly onbegin: (rows: readonly RecordRow[]) => Promise<void> | void
  readonly onrows: (rows: readonly RecordRow[]) => void
}

interface ReaderPorts {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
  /**
   * Whether the rows on screen come from a read with this filter. New rows are then merged into them once all
   * have arrived.
   */
  readonly isShown: (filter: RecordsFilter) => boolean
  /** Whether the list has no rows from another read, so that new rows can be shown as they arrive. */
  readonly isEmpty: () => boolean
  /** Called before the rows of a read arrive. `isAgain` means that rows with the same filter are on screen. */
  readonly consumer: (isAgain: boolean) => RowConsumer
  /** Called when all rows have arrived. */
  readonly onend: (set: OpenedSet) => void
  /** Called when rows that were shown early turn out to be invalid, because the response broke off or failed. */
  readonly ondiscard: () => void
}

/** The rows of a running read that are already shown. */
interface EarlyRows {
  readonly setId: string
  readonly loader: RowLoader
}

export class ListReader {
  readonly #ports: ReaderPorts
  /** The last read. Its rows may still be arriving. */
  set = $state.raw<OpenedSet | null>(null)
  progress = $state.raw<ReadProgress | null>(null)
  /** Whether rows are still being loaded into the window. */
  isFilling = $state(false)
  error = $state.raw<AppError | null>(null)
  /** Whether the user stopped the last refresh, which left the list unchanged. */
  isRefreshStopped = $state(false)
  /** Number of records in the last read that have no unique ID. Nothing can be merged into such a list. */
  unidentified = 0
  #hasAskedForKept = false
  #filter: RecordsFilter | null = null
  #early: EarlyRows | null = null
  /** Whether the user stopped the last read. */
  #wasStopped = false

  constructor(ports: ReaderPorts) {
    this.#ports = ports
  }

  get isBusy(): boolean {
    return this.progress !== null || this.isFilling
  }

  /** Handles a progress event from the main process. */
  report(progress: EventPayload<'records.progress'>): void {
    if (!this.progress) return
    const { records, pages } = progress
    this.progress = { ...this.progress, records, pages }
    if (this.#early === null && (this.progress.isUpdate || records === 0 || !this.#ports.isEmpty())) return
    if (this.#early?.setId !== progress.setId) this.#beginEarly(progress)
    this.#early?.loader.setAvailable(records)
  }

  /**
   * Opens the copy of the list that is saved on this computer, unless the list is already loaded or loading.
   * @returns `null` if there is none
   */
  async openKept(): Promise<CallOutput<'records.openKept'>> {
    if (!this.#isUntouched() || this.#hasAskedForKept) return null
    this.#hasAskedForKept = true
    const { api, company, object } = this.#ports
    const opened = await api.call('records.openKept', { company, object })
    const kept = opened.ok ? opened.value : null
    if (kept === null) return null
    if (this.#isUntouched()) {
      this.#filter = kept.set.filter
      await this.#fill(kept.set, null)
      return kept
    }
    // Another read has started in the meantime.
    await api.call('records.close', { setId: kept.set.setId })
    return null
  }

  #isUntouched(): boolean {
    return !this.isBusy && this.set === null
  }

  /** Reads the records. The current rows stay until new ones arrive. */
  async read(filter: RecordsFilter): Promise<void> {
    if (this.isBusy) return
    this.#filter = filter
    const opened = await this.#open(filter, false)
    if (await this.#keepsList(filter, opened)) return
    const early = this.#early
    this.#early = null
    if (!opened.ok || early?.setId !== opened.value.setId) this.#discardEarly(early)
    if (!opened.ok) {
      this.isFilling = false
      return
    }
    await this.#fill(opened.value, early?.setId === opened.value.setId ? early.loader : null)
  }

  /** A stopped refresh leaves the list unchanged, because part of the list would replace all of it. */
  async #keepsList(filter: RecordsFilter, opened: Result<OpenedSet>): Promise<boolean> {
    const isPart = opened.ok ? !opened.value.isWhole : opened.error.kind === 'stopped'
    // If rows of this read are already shown, the earlier list is gone.
    if (!this.#wasStopped || !isPart || this.#early !== null || !this.#ports.isShown(filter)) return false
    this.error = null
    this.isRefreshStopped = true
    if (opened.ok) await this.#ports.api.call('records.close', { setId: opened.value.setId })
    return true
  }

  /**
   * Reads only the changes and passes their rows on. The list itself stays as it is.
   * @returns `null` if nothing arrived; `error` says why
   */
  async update(filter: RecordsFilter, consumer: RowConsumer): Promise<OpenedSet | null> {
    if (this.isBusy) return null
    const opened = await this.#open(filter, true)
    if (!opened.ok) return null
    this.isFilling = true
    const loader = this.#loader(opened.value.setId, consumer)
    const filled = await loader.end(opened.value.count)
    this.isFilling = false
    if (filled.ok) return opened.value
    this.error = filled.error
    return null
  }

  async #open(filter: RecordsFilter, isUpdate: boolean): Promise<Result<OpenedSet>> {
    const { api, company, object } = this.#ports
    this.error = null
    this.isRefreshStopped = false
    this.progress = { since: clock.date().toISOString(), records: 0, pages: 0, stopping: false, isUpdate }
    const opened = await api.call('records.open', { company, object, filter })
    this.#wasStopped = this.progress.stopping
    this.progress = null
    if (!opened.ok) this.error = opened.error
    return opened
  }

  /** Counts records that were added from here, or stops counting one that was deleted. */
  countRecords(more: number): void {
    if (this.set) this.set = { ...this.set, count: Math.max(0, this.set.count + more) }
  }

  /** Updates count and fields after the main process merged changes into the list. */
  merged({ count, fields }: ChangedSet): void {
    if (this.set) this.set = withKnownFields({ ...this.set, count, fields }, this.set)
  }

  /** Releases the list in the main process. */
  close(): void {
    if (this.set) void this.#ports.api.call('records.close', { setId: this.set.setId })
    this.set = null
  }

  /** Stops the running read and keeps what has arrived. */
  async stop(): Promise<void> {
    if (!this.progress) return
    this.progress = { ...this.progress, stopping: true }
    const { api, company, object } = this.#ports
    await api.call('records.stop', { company, object })
  }

  #beginEarly({ setId, fields, company, object, records }: EventPayload<'records.progress'>): void {
    this.#discardEarly(this.#early)
    this.isFilling = true
    const since = this.progress?.since ?? clock.date().toISOString()
    const set: OpenedSet = {
      ...{ setId, company, object, fields, count: records, readAt: since, endedAt: since },
      ...{ pages: 0, problems: [], requestIds: [], savesMark: '' },
      filter: this.#filter ?? { modifiedFrom: null, modifiedTo: null, ids: [] },
      isWhole: false,
      partialReason: 'Still loading.',
    }
    const consumer = this.#ports.consumer(false)
    const loader = this.#loader(setId, {
      ...consumer,
      onbegin: (rows) => this.#show(set, () => consumer.onbegin(rows)),
    })
    this.#early = { setId, loader }
  }

  /** Removes rows that were shown before their response turned out to be invalid. */
  #discardEarly(early: EarlyRows | null): void {
    if (early === null) return
    early.loader.stop()
    if (this.set?.setId !== early.setId) return
    this.set = null
    this.#ports.ondiscard()
  }

  async #fill(set: OpenedSet, early: RowLoader | null): Promise<void> {
    this.isFilling = true
    const loader = early ?? this.#completeLoader(set)
    const filled = await loader.end(set.count)
    // Only now is it known whether the list is complete.
    if (filled.ok) this.set = withKnownFields(set, this.set)
    this.unidentified = loader.unidentified
    this.isFilling = false
    if (filled.ok) this.#ports.onend(set)
    else this.error = filled.error
  }

  /** Creates the loader of a set that has arrived completely. */
  #completeLoader(set: OpenedSet): RowLoader {
    const consumer = this.#ports.consumer(this.#ports.isShown(set.filter))
    return this.#loader(set.setId, {
      ...consumer,
      onbegin: (rows) => this.#show(set, () => consumer.onbegin(rows)),
    })
  }

  /** Builds the columns first and adds the rows one frame later, so that neither blocks the window. */
  async #show(set: OpenedSet, takeRows: () => unknown): Promise<void> {
    const known = withKnownFields(set, this.set)
    this.close()
    this.set = known
    await nextFrame()
    if (this.set === known) takeRows()
  }

  #loader(setId: string, consumer: RowConsumer): RowLoader {
    return new RowLoader({
      ...consumer,
      ask: (from, count) => this.#ports.api.call('records.rows', { setId, from, count }),
    })
  }
}

/** Keeps the identity of unchanged fields, so that no column is rebuilt. */
function withKnownFields(set: OpenedSet, before: OpenedSet | null): OpenedSet {
  const isSame = before !== null && JSON.stringify(before.fields) === JSON.stringify(set.fields)
  return isSame ? { ...set, fields: before.fields } : set
}

/* Loads the records of one set in pieces, as far as the main process has them, without blocking the window. */

/** Records per call, few enough to read within a frame. */
const PIECE = 1_000
/** Records in the first call, so that something appears quickly. */
const FIRST_PIECE = 100
/** Pieces on their way at a time, so that neither side waits for the other. */
const AHEAD = 3
/** Rows drawn first. The number doubles each frame, so that the first screen isn't drawn in one go. */
const FIRST_ROWS = 8
/** Rows added to the grid at a time after the first screen. */
const BATCH = 10_000
/** Longest time in ms that rows wait for others while the list is still being read. */
const MAX_WAIT = 500

type Piece = Result<CallOutput<'records.rows'>>

interface LoaderPorts {
  readonly ask: (from: number, count: number) => Promise<Piece>
  /** Called with the first rows. The others wait until it is done. */
  readonly onbegin: (rows: readonly RecordRow[]) => Promise<void> | void
  readonly onrows: (rows: readonly RecordRow[]) => void
}

export class RowLoader {
  readonly #ports: LoaderPorts
  readonly #factory = new RowFactory()
  readonly #filled = Promise.withResolvers<Result<void>>()
  /** Number of records that can be loaded, and whether these are all of them. */
  #available = 0
  #isAll = false
  #isStopped = false
  /** Number of records that were asked for. */
  #from = 0
  /** Pieces that are on their way, in order. */
  readonly #asked: Promise<Piece>[] = []
  #waiting: RecordRow[] = []
  #shownAt = 0
  #wake: () => void = () => undefined

  constructor(ports: LoaderPorts) {
    this.#ports = ports
    void this.#run().then(this.#filled.resolve)
  }

  /** Number of records without an ID or with the ID of an earlier one. */
  get unidentified(): number {
    return this.#factory.unidentified
  }

  /** Sets how many records can be loaded by now. */
  setAvailable(count: number): void {
    this.#available = Math.max(this.#available, count)
    this.#wake()
  }

  /** Sets the final number of records. Resolves when all are in the window, or with the error. */
  end(count: number): Promise<Result<void>> {
    this.#available = count
    this.#isAll = true
    this.#wake()
    return this.#filled.promise
  }

  /** Stops showing rows, because the set is invalid. */
  stop(): void {
    this.#isStopped = true
    this.#wake()
  }

  async #run(): Promise<Result<void>> {
    for (;;) {
      if (!(await this.#hasMore())) break
      const failed = await this.#loadAvailable()
      if (failed !== null) return failed
      if (!this.#isAll) this.#show(MAX_WAIT)
    }
    if (this.#isStopped) return ok(undefined)
    if (this.#from === 0) await this.#ports.onbegin([])
    await nextFrame()
    this.#show(0)
    return ok(undefined)
  }

  /** Waits until there is something to load; `false` if there will be nothing more. */
  async #hasMore(): Promise<boolean> {
    while (!this.#isStopped && this.#from >= this.#available) {
      if (this.#isAll) return false
      await new Promise<void>((wake) => (this.#wake = wake))
    }
    return !this.#isStopped
  }

  async #loadAvailable(): Promise<Result<never> | null> {
    for (;;) {
      const isFirst = this.#shownAt === 0
      while (this.#asked.length < (isFirst ? 1 : AHEAD) && this.#askNext());
      const next = this.#asked.shift()
      if (next === undefined) return null
      const piece = await next
      if (this.#isStopped) return null
      const rows = this.#rowsOf(piece)
      if (!rows.ok) return rows
      this.#waiting.push(...rows.value)
      if (isFirst) await this.#showFirst()
      else if (this.#waiting.length >= BATCH) {
        await yieldToEventLoop()
        this.#show(0)
        await nextFrame()
      }
    }
  }

  async #showFirst(): Promise<void> {
    this.#shownAt = clock.elapsed()
    await this.#ports.onbegin(this.#waiting.splice(0, FIRST_ROWS))
    await nextFrame()
    for (let count = FIRST_ROWS * 2; this.#waiting.length > 0 && !this.#isStopped; count *= 2) {
      this.#ports.onrows(this.#waiting.splice(0, count))
      await nextFrame()
    }
  }

  /** @returns whether there was another piece to ask for */
  #askNext(): boolean {
    const count = Math.min(this.#available - this.#from, this.#from === 0 ? FIRST_PIECE : PIECE)
    if (count <= 0) return false
    this.#asked.push(this.#ports.ask(this.#from, count))
    this.#from += count
    return true
  }

  #show(mostWait: number): void {
    if (this.#isStopped || this.#waiting.length === 0) return
    if (clock.elapsed() - this.#shownAt < mostWait) return
    this.#shownAt = clock.elapsed()
    this.#ports.onrows(this.#takeWaiting())
  }

  #takeWaiting(): readonly RecordRow[] {
    const rows = this.#waiting
    this.#waiting = []
    return rows
  }

  #rowsOf(piece: Piece): Result<readonly RecordRow[]> {
    if (!piece.ok) return piece
    try {
      return ok(this.#factory.rowsOf(piece.value))
    } catch (cause) {
      return err(
        appError('internal', 'The records couldn’t be shown.', 'Get them again.', {
          raw: causeText(cause),
        }),
      )
    }
  }
}

/**
 * Waits for the next frame and then for a task of its own, so that the window can draw and handle input. A
 * hidden window draws no frames, so a timer replaces them.
 */
async function nextFrame(): Promise<void> {
  if (typeof document !== 'undefined' && !document.hidden) {
    await new Promise((drawn) => requestAnimationFrame(drawn))
  }
  await yieldToEventLoop()
}

/*
 * The start of the time range for reading changes, early enough to miss none. *Assumption* (decisions.md,
 * "Timestamps of records"): the application's clock differs from this computer's, and the timestamps on records
 * may differ from both.
 */

const MINUTE = 60_000
/** Added to the duration of the earlier read. */
const OVERLAP = 10 * MINUTE
/** If records have no timestamps, the application's clock is unknown: the largest possible time zone difference. */
const OVERLAP_WITHOUT_STAMPS = 24 * 60 * MINUTE

/**
 * Whether changes to a list can be read separately. Not for partial lists or for lists limited by an end date
 * or by IDs.
 */
export function canAskForChanges(set: OpenedSet): boolean {
  return set.isWhole && set.filter.modifiedTo === null && set.filter.ids.length === 0
}

/**
 * Finds the latest modification time of the records as the service listed them, in ms; `null` if they have none. A record
 * that was saved from here may be later than changes of others, which are still unknown.
 */
export function* latestStamp(rows: Iterable<RecordRow>): Interruptible<number | null> {
  let latest: number | null = null
  let looked = 0
  for (const row of rows) {
    const stamp = isAsListed(row) ? Date.parse(textOf(row.record['LastModifiedDate'])) : Number.NaN
    if (!Number.isNaN(stamp) && (latest === null || stamp > latest)) latest = stamp
    looked += 1
    if (looked % ROWS_PER_STEP === 0) yield
  }
  return latest
}

/** Returns the filter for everything that may have changed since a read, by the earlier of both clocks. */
export function changesFilter(asked: RecordsFilter, times: ReadTimes, latest: number | null): RecordsFilter {
  const readAt = Date.parse(times.readAt)
  const took = Math.max(0, Date.parse(times.endedAt) - readAt)
  const from =
    latest === null ? readAt - took - OVERLAP_WITHOUT_STAMPS : Math.min(readAt, latest) - took - OVERLAP
  const askedFrom = asked.modifiedFrom === null ? -Infinity : Date.parse(asked.modifiedFrom)
  if (askedFrom >= from) return asked
  return { ...NO_FILTER, modifiedFrom: withOffset(new Date(from)) }
}
