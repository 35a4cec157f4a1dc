/**
 * Reads a list: asks for it, follows its progress, and has its rows pulled, the first ones while others still come.
 */
import type { CallAnswer, EventPayload } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { ChangedSet, ReadTimes, RecordSet, RecordsFilter } from '../../../shared/contract/records.ts'
import { withOffset } from '../../../shared/format/offset-time.ts'
import { textOf } from '../../../shared/records/changes.ts'
import { type AppError, type Result, appError, causeText, err, ok } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { NO_FILTER } from './filter.ts'
import { type RecordRow, RowMaker, parsePiece } from './rows.ts'
import { type Interruptible, yieldToEventLoop } from './time-slice.ts'

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

interface ReaderPorts {
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
  readonly #ports: ReaderPorts
  /** What was read last; its rows may still be coming. */
  set = $state.raw<RecordSet | null>(null)
  progress = $state.raw<ReadProgress | null>(null)
  /** Whether rows are still being taken over into the window. */
  isFilling = $state(false)
  error = $state.raw<AppError | null>(null)
  /** Whether the person stopped the last refresh, so that the list stayed as it was. */
  isRefreshStopped = $state(false)
  /** Records of what was read last that came without an ID of their own: nothing can be merged into them. */
  odd = 0
  #hasAskedForKept = false
  #filter: RecordsFilter | null = null
  #early: Early | null = null
  /** Whether the person stopped the last read. */
  #wasStopped = false

  constructor(ports: ReaderPorts) {
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

  /**
   * Opens the copy that is kept on this computer, unless something stands there or is on its way.
   * @returns `null` if there is none
   */
  async openKept(): Promise<CallAnswer<'records.openKept'>> {
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
    // A read was begun meanwhile.
    await api.call('records.close', { setId: kept.set.setId })
    return null
  }

  #isUntouched(): boolean {
    return !this.isBusy && this.set === null
  }

  /** Gets the records. What stood there before stays until new rows are there. */
  async read(filter: RecordsFilter): Promise<void> {
    if (this.isBusy) return
    this.#filter = filter
    const opened = await this.#open(filter, false)
    if (await this.#keepsList(filter, opened)) return
    const early = this.#early
    this.#early = null
    if (!opened.ok || early?.setId !== opened.value.setId) this.#void(early)
    if (!opened.ok) {
      this.isFilling = false
      return
    }
    await this.#fill(opened.value, early?.setId === opened.value.setId ? early.filler : null)
  }

  /** A refresh that the person stopped leaves the list as it was: part of the list would replace all of it. */
  async #keepsList(filter: RecordsFilter, opened: Result<RecordSet>): Promise<boolean> {
    const isPart = opened.ok ? !opened.value.isWhole : opened.error.kind === 'stopped'
    // Rows of this very read that were shown early are no list to go back to.
    if (!this.#wasStopped || !isPart || this.#early !== null || !this.#ports.isShown(filter)) return false
    this.error = null
    this.isRefreshStopped = true
    if (opened.ok) await this.#ports.api.call('records.close', { setId: opened.value.setId })
    return true
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
    this.isRefreshStopped = false
    this.progress = { since: new Date().toISOString(), records: 0, pages: 0, stopping: false, isUpdate }
    const opened = await api.call('records.open', { company, object, filter })
    this.#wasStopped = this.progress.stopping
    this.progress = null
    if (!opened.ok) this.error = opened.error
    return opened
  }

  /** A record is known to be deleted, and is no longer counted. */
  dropRecord(): void {
    if (this.set) this.set = { ...this.set, count: Math.max(0, this.set.count - 1) }
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
      partialBecause: 'Still loading.',
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

/*
 * Pulls the records of one set into the window in pieces, as far as they are held, so that the window never stops.
 */

/** Records a call: small enough to parse within a frame. */
const PIECE = 1_000
/** The first rows come alone, so that something stands there at once. */
const FIRST_PIECE = 100
/** Of it the very first ones, and then twice as many each time: what is in sight is not drawn in one go. */
const FIRST_ROWS = 8
/** Rows added to the grid at a time, once the first ones are there. */
const BATCH = 10_000
/** While the list is still being read, rows wait no longer than this for others, in ms. */
const PATIENCE = 500

type Piece = Result<CallAnswer<'records.rows'>>

interface FillerPorts {
  readonly ask: (from: number, count: number) => Promise<Piece>
  /** The first rows; the others wait until they are taken. */
  readonly onbegin: (rows: readonly RecordRow[]) => Promise<void> | void
  readonly onrows: (rows: readonly RecordRow[]) => void
}

export class ListFiller {
  readonly #ports: FillerPorts
  readonly #maker = new RowMaker()
  readonly #filled = Promise.withResolvers<Result<void>>()
  /** How many can be pulled, and whether these are all. */
  #held = 0
  #isAll = false
  #isStopped = false
  #from = 0
  #waiting: RecordRow[] = []
  #shownAt = 0
  #wake: () => void = () => undefined

  constructor(ports: FillerPorts) {
    this.#ports = ports
    void this.#run().then(this.#filled.resolve)
  }

  /** Records that came without an ID of their own, or with one that was there before. */
  get odd(): number {
    return this.#maker.odd
  }

  /** So many records can be pulled by now. */
  hold(count: number): void {
    this.#held = Math.max(this.#held, count)
    this.#wake()
  }

  /** These are all; answers when they are in the window, or why they could not be had. */
  end(count: number): Promise<Result<void>> {
    this.#held = count
    this.#isAll = true
    this.#wake()
    return this.#filled.promise
  }

  /** The set is void: nothing more of it is shown. */
  stop(): void {
    this.#isStopped = true
    this.#wake()
  }

  async #run(): Promise<Result<void>> {
    for (;;) {
      if (!(await this.#moreHeld())) break
      const failed = await this.#pullHeld()
      if (failed !== null) return failed
      if (!this.#isAll) this.#show(PATIENCE)
    }
    if (this.#isStopped) return ok(undefined)
    if (this.#from === 0) await this.#ports.onbegin([])
    await nextFrame()
    this.#show(0)
    return ok(undefined)
  }

  /** Waits until there is something to pull; answers `false` when there will be nothing more. */
  async #moreHeld(): Promise<boolean> {
    while (!this.#isStopped && this.#from >= this.#held) {
      if (this.#isAll) return false
      await new Promise<void>((wake) => (this.#wake = wake))
    }
    return !this.#isStopped
  }

  async #pullHeld(): Promise<Result<never> | null> {
    let asked = this.#ask()
    while (asked !== null) {
      const piece = await asked.piece
      if (this.#isStopped) return null
      this.#from += asked.count
      const isFirst = this.#shownAt === 0
      // One piece is on its way while the one before it is worked through; more of them would add up to a pause.
      asked = isFirst ? null : this.#ask()
      const rows = this.#rowsOf(piece)
      if (!rows.ok) return rows
      this.#waiting.push(...rows.value)
      if (isFirst) {
        await this.#showFirst()
        asked = this.#ask()
      } else if (this.#waiting.length >= BATCH) {
        // Neither parsing nor drawing comes with it in one go: in between, what else the window does has its turn.
        await nextFrame()
        this.#show(0)
        await nextFrame()
      }
    }
    return null
  }

  async #showFirst(): Promise<void> {
    this.#shownAt = performance.now()
    await this.#ports.onbegin(this.#waiting.splice(0, FIRST_ROWS))
    await nextFrame()
    for (let count = FIRST_ROWS * 2; this.#waiting.length > 0 && !this.#isStopped; count *= 2) {
      this.#ports.onrows(this.#waiting.splice(0, count))
      await nextFrame()
    }
  }

  #ask(): { readonly piece: Promise<Piece>; readonly count: number } | null {
    const count = Math.min(this.#held - this.#from, this.#from === 0 ? FIRST_PIECE : PIECE)
    return count > 0 ? { piece: this.#ports.ask(this.#from, count), count } : null
  }

  #show(patience: number): void {
    if (this.#isStopped || this.#waiting.length === 0) return
    if (performance.now() - this.#shownAt < patience) return
    this.#shownAt = performance.now()
    this.#ports.onrows(this.#taken())
  }

  #taken(): readonly RecordRow[] {
    const rows = this.#waiting
    this.#waiting = []
    return rows
  }

  #rowsOf(piece: Piece): Result<readonly RecordRow[]> {
    if (!piece.ok) return piece
    try {
      return ok(this.#maker.rowsOf(parsePiece(piece.value)))
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
 * Lets the window draw and listen; what comes then is a turn of its own, and no part of that drawing. A hidden window
 * draws no frames, so a timer goes on there.
 */
async function nextFrame(): Promise<void> {
  if (typeof document !== 'undefined' && !document.hidden) {
    await new Promise((drawn) => requestAnimationFrame(drawn))
  }
  await yieldToEventLoop()
}

/*
 * From when on changes are asked for, so that none falls between two reads. *Assumption* (decisions.md, "changes
 * since a read"): the application's clock is not ours, and what it stamps a record with may be neither.
 */

const MINUTE = 60_000
/** Beyond the time that the earlier read took. */
const OVERLAP = 10 * MINUTE
/** Where records bear no stamp, the application's clock is unknown: as much as any time zone makes. */
const OVERLAP_WITHOUT_STAMPS = 24 * 60 * MINUTE
/** Rows between two looks at the clock. */
const STRIDE = 1_000

/** Whether what changed can be asked for by itself: not of a list between two days, of single IDs, or in part. */
export function canAskForChanges(set: RecordSet): boolean {
  return set.isWhole && set.filter.modifiedTo === null && set.filter.ids.length === 0
}

/** The latest stamp that the application put on one of the records, in ms; `null` when they bear none. */
export function* latestStamp(rows: Iterable<RecordRow>): Interruptible<number | null> {
  let latest: number | null = null
  let looked = 0
  for (const { record } of rows) {
    const stamp = Date.parse(textOf(record['LastModifiedDate']))
    if (!Number.isNaN(stamp) && (latest === null || stamp > latest)) latest = stamp
    looked += 1
    if (looked % STRIDE === 0) yield
  }
  return latest
}

/** What is asked for after a read: everything that the earlier of both clocks may have stamped since. */
export function changesFilter(asked: RecordsFilter, times: ReadTimes, latest: number | null): RecordsFilter {
  const readAt = Date.parse(times.readAt)
  const took = Math.max(0, Date.parse(times.endedAt) - readAt)
  const from =
    latest === null ? readAt - took - OVERLAP_WITHOUT_STAMPS : Math.min(readAt, latest) - took - OVERLAP
  const askedFrom = asked.modifiedFrom === null ? -Infinity : Date.parse(asked.modifiedFrom)
  if (askedFrom >= from) return asked
  return { ...NO_FILTER, modifiedFrom: withOffset(new Date(from)) }
}
