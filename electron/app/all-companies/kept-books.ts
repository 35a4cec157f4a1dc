/**
 * Opens the kept lists of a connection's companies without the service: as records, with everything saved from here
 * since they were read, and as searchable text in memory. All of this runs in its own rows worker, so that neither the
 * main process nor the window's lists wait for it.
 *
 * An index follows its file: it is rebuilt when the copy is written again or something was saved. Indexes are dropped
 * when no one has searched for a while, and when copies are deleted.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { KeptCopy, Operation } from '../../../shared/contract/records.ts'
import { ownValue, type RecordData, textOf } from '../../../shared/records/changes.ts'
import { mergedRecord, withValueAt } from '../../../shared/records/outcome.ts'
import type { Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { Rows, ValueInRecords } from '../../rows/rows.ts'
import type { Writer } from '../../writing/writer.ts'
import type { KeptCopyFile } from '../records/kept-files.ts'
import type { KeptLists } from '../records/kept-lists.ts'
import { recordOf } from '../records/record-reader.ts'

export interface KeptBooksOptions {
  /** The rows worker that only these lists use. */
  readonly rows: Rows
  readonly keptLists: Pick<KeptLists, 'files' | 'canUse' | 'use' | 'metaOf' | 'pathOf'>
  readonly writer: Pick<Writer, 'savedSince'>
  readonly clock: Clock
  /** Called when the indexes of a connection have changed. */
  readonly changed: (connectionId: string) => void
  readonly defect: (cause: unknown) => void
}

/** A kept list that is or will be indexed. */
export interface KeptBook {
  readonly company: CompanyRef
  readonly object: string
  readonly count: number
  /** When it was read, or when **Changed since** last received a complete response (ISO). */
  readonly readAt: string
  /** When it was last read completely (ISO). Records that were deleted since then may still be in it. */
  readonly wholeAt: string
  /** Paths of the fields that metadata listed when the list was read; `null` if that isn't known. */
  readonly supported: readonly string[] | null
  /** Its index in the rows worker; `null` if the indexes would take more memory than they may. */
  readonly indexId: string | null
}

export interface Prepared {
  readonly books: readonly KeptBook[]
  /** How many lists are still to be indexed. */
  readonly waiting: number
}

export interface OpenList {
  readonly meta: KeptCopy
  /** The ID of the set in the rows worker. */
  readonly setId: string
  /** Returns the records with these IDs, with numbers as text. Several may share an ID. */
  records(ids: readonly string[]): Promise<readonly RecordData[]>
  /** The values in one field of all records, slice by slice. */
  values(path: string): AsyncGenerator<readonly ValueInRecords[]>
}

/** Memory limit of all indexes together, in bytes. Half a million customers take a third of it. */
const MAX_BYTES = 600_000_000
/** How many records are indexed before the worker handles other requests. */
const SLICE = 1_000
/** Milliseconds until the files are checked again. */
const FRESH = 1_000
/** Milliseconds after the last search when the indexes are dropped. */
const IDLE = 15 * 60_000

interface Index {
  readonly fingerprint: string
  readonly book: KeptBook | null
  /** The copy that it was made from; `null` if it couldn't be used. */
  readonly meta: KeptCopy | null
  readonly bytes: number
}

/** A copy that was opened as a set, with everything saved since it was read. */
interface OpenFile {
  readonly setId: string
  /** With the counts of the set as it is now. */
  readonly meta: KeptCopy
  readonly saved: readonly Operation[]
}

/** The indexes of a connection, and the lists that are still to be indexed. */
interface ConnectionIndexes {
  /** By path. */
  readonly indexes: Map<string, Index>
  waiting: readonly KeptCopyFile[]
  checkedAt: number
  building: Promise<void> | null
}

export class KeptBooks {
  readonly #options: KeptBooksOptions
  readonly #connections = new Map<string, ConnectionIndexes>()
  #cancelIdle = (): void => undefined
  #isClosed = false

  constructor(options: KeptBooksOptions) {
    this.#options = options
  }

  /** Returns the indexed lists, and starts to index the others in the background. */
  async prepare(connectionId: string): Promise<Prepared> {
    this.#stayAwake()
    const state = this.#indexesOf(connectionId)
    await this.#checkFiles(connectionId, state)
    return { books: this.#booksOf(state), waiting: state.waiting.length }
  }

  /** Waits until all lists of a connection are indexed. */
  async prepared(connectionId: string): Promise<readonly KeptBook[]> {
    this.#stayAwake()
    const state = this.#indexesOf(connectionId)
    state.checkedAt = Number.NEGATIVE_INFINITY
    await this.#checkFiles(connectionId, state)
    await state.building
    return this.#booksOf(state)
  }

  /** Call when a list's copy was replaced. The next search checks the files again. */
  refresh(connectionId: string): void {
    const state = this.#connections.get(connectionId)
    if (state !== undefined) state.checkedAt = Number.NEGATIVE_INFINITY
  }

  /**
   * Opens a kept list with everything saved since it was read; `null` if it isn't kept. The set is closed afterwards.
   */
  async withList<T>(
    company: CompanyRef,
    object: string,
    use: (list: OpenList) => Promise<T>,
  ): Promise<T | null> {
    const opened = await this.#openFile(company.connectionId, this.#options.keptLists.pathOf(company, object))
    if (opened === null) return null
    const { setId, meta } = opened
    try {
      return await use({
        meta,
        setId,
        records: (ids) => this.#recordsOf(setId, ids),
        values: (path) => this.#valuesOf(setId, meta.set.object, path),
      })
    } finally {
      await this.#options.rows.closeSet(setId)
    }
  }

  /** Drops all indexes. */
  forgetAll(): void {
    this.#cancelIdle()
    for (const { indexes, building } of this.#connections.values()) {
      // A running build notices, and drops its own indexes.
      if (building === null) for (const index of indexes.values()) void this.#drop(index)
    }
    this.#connections.clear()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const building = [...this.#connections.values()].flatMap(({ building }) => building ?? [])
    this.#cancelIdle()
    this.#connections.clear()
    await Promise.all(building)
    await this.#options.rows.close()
  }

  #indexesOf(connectionId: string): ConnectionIndexes {
    const existing = this.#connections.get(connectionId)
    if (existing !== undefined) return existing
    const made: ConnectionIndexes = {
      indexes: new Map(),
      waiting: [],
      checkedAt: Number.NEGATIVE_INFINITY,
      building: null,
    }
    this.#connections.set(connectionId, made)
    return made
  }

  #savedSince({ set, updated }: KeptCopy): readonly Operation[] | null {
    return this.#options.writer.savedSince(set.company, set.object, (updated ?? set).savesMark)
  }

  #openFile(connectionId: string, path: string): Promise<OpenFile | null> {
    const { keptLists, rows } = this.#options
    return keptLists.use(connectionId, path, async (file) => {
      const opened = valueOf(await rows.openKept(file))
      if (opened === null) return null
      const { setId } = opened
      const meta = keptLists.metaOf(connectionId, opened.meta)
      const loaded = meta === null ? null : await this.#load(setId)
      const saved = meta === null ? null : this.#savedSince(meta)
      if (meta !== null && loaded !== null && saved !== null) {
        const count = saved.length === 0 ? loaded : await this.#patch(setId, saved)
        if (count !== null) return { setId, meta: { ...meta, set: { ...meta.set, count } }, saved }
      }
      await rows.closeSet(setId)
      return null
    })
  }

  /** Loads a set from its file. Returns how many records it has; `null` if that failed. */
  async #load(setId: string): Promise<number | null> {
    for (;;) {
      const loaded = valueOf(await this.#options.rows.loadKept(setId))
      if (loaded === null || this.#isClosed) return null
      if (loaded.isDone) return loaded.count
    }
  }

  async #recordsOf(setId: string, ids: readonly string[]): Promise<readonly RecordData[]> {
    return (valueOf(await this.#options.rows.byIds(setId, ids)) ?? []).map(recordOf)
  }

  async *#valuesOf(setId: string, object: string, path: string): AsyncGenerator<readonly ValueInRecords[]> {
    for (let from = 0; ; from += SLICE) {
      const slice = valueOf(await this.#options.rows.valuesIn(setId, object, path, from, SLICE))
      if (slice === null) return
      yield slice.values
      if (slice.isDone || this.#isClosed) return
    }
  }

  /** Applies what was saved from here to a list that was read before. Returns as `#load`. */
  async #patch(setId: string, operations: readonly Operation[]): Promise<number | null> {
    const ids = [...new Set(operations.map(savedId))].filter((id) => id !== '')
    const known = await this.#recordsOf(setId, ids)
    const records = new Map(known.map((record) => [textOf(record['ID']), record]))
    for (const operation of operations) {
      const id = savedId(operation)
      const before = records.get(id)
      // If a changed record isn't in the list, it was deleted or merged since then.
      if (id === '' || (before === undefined && operation.kind === 'change')) continue
      records.set(id, withValueAt(mergedRecord(before ?? {}, operation), 'ID', id))
    }
    return valueOf(
      await this.#options.rows.patch(
        setId,
        [...records.values()].map((record) => JSON.stringify(record)),
      ),
    )
  }

  async #indexFile(connectionId: string, file: KeptCopyFile): Promise<Index> {
    const { rows } = this.#options
    const { path } = file
    const opened = await this.#openFile(connectionId, path)
    const nothing: Index = { fingerprint: file.fingerprint, book: null, meta: null, bytes: 0 }
    if (opened === null) return nothing
    const { setId, meta, saved } = opened
    // Records saved while the list is being indexed are missing from the index. The next search sees another
    // fingerprint and rebuilds it.
    const fingerprint = fingerprintWith(file, saved)
    const { company, object, count, readAt: wholeAt } = meta.set
    const { supported } = meta
    const book = { company, object, count, supported, wholeAt, readAt: (meta.updated ?? meta.set).readAt }
    const others = [...this.#connections.values()].flatMap(({ indexes }) => [...indexes])
    const taken = others.reduce((sum, [of, { bytes }]) => (of === path ? sum : sum + bytes), 0)
    for (;;) {
      const more = valueOf(await rows.index(setId, object, SLICE))
      if (more === null || this.#isClosed || taken + more.bytes > MAX_BYTES) {
        await rows.closeIndex(setId)
        return more === null || this.#isClosed
          ? nothing
          : { fingerprint, book: { ...book, indexId: null }, meta, bytes: 0 }
      }
      if (more.isDone) return { fingerprint, book: { ...book, indexId: setId }, meta, bytes: more.bytes }
    }
  }

  async #drop({ book }: Index): Promise<void> {
    if (book?.indexId) await this.#options.rows.closeIndex(book.indexId)
  }

  /** Identifies the file and everything saved since. */
  #fileFingerprint(state: ConnectionIndexes, file: KeptCopyFile): string {
    const meta = state.indexes.get(file.path)?.meta
    return fingerprintWith(file, meta ? this.#savedSince(meta) : [])
  }

  async #checkFiles(connectionId: string, state: ConnectionIndexes): Promise<void> {
    const { clock, keptLists } = this.#options
    if (clock.elapsed() - state.checkedAt < FRESH) return
    state.checkedAt = clock.elapsed()
    const files = await keptLists.files(connectionId)
    const paths = new Set(files.map(({ path }) => path))
    for (const [path, index] of state.indexes) {
      if (paths.has(path)) continue
      state.indexes.delete(path)
      await this.#drop(index)
    }
    // While the keychain is locked, save nothing about the files, so that the next search tries them again.
    const canUse = files.length > 0 && (await keptLists.canUse(connectionId))
    state.waiting = canUse
      ? files.filter(
          (file) => state.indexes.get(file.path)?.fingerprint !== this.#fileFingerprint(state, file),
        )
      : []
    if (state.waiting.length > 0) state.building ??= this.#buildIndexes(connectionId, state)
  }

  async #buildIndexes(connectionId: string, state: ConnectionIndexes): Promise<void> {
    try {
      for (;;) {
        const [file] = state.waiting
        if (file === undefined || this.#isClosed || this.#connections.get(connectionId) !== state) break
        const made = await this.#indexFile(connectionId, file)
        const before = state.indexes.get(file.path)
        // By now, the list may be waiting to be indexed again, with another fingerprint.
        state.waiting = state.waiting.filter(
          ({ path, fingerprint }) => path !== file.path || fingerprint !== file.fingerprint,
        )
        state.indexes.set(file.path, made)
        if (before) await this.#drop(before)
        this.#options.changed(connectionId)
      }
      if (this.#connections.get(connectionId) !== state)
        await Promise.all([...state.indexes.values()].map((index) => this.#drop(index)))
    } catch (cause) {
      this.#options.defect(cause)
    } finally {
      state.building = null
    }
  }

  #stayAwake(): void {
    this.#cancelIdle()
    this.#cancelIdle = this.#options.clock.after(IDLE, () => {
      this.forgetAll()
    })
  }

  #booksOf(state: ConnectionIndexes): readonly KeptBook[] {
    return [...state.indexes.values()].flatMap(({ book }) => (book === null ? [] : [book]))
  }
}

function fingerprintWith({ fingerprint }: KeptCopyFile, saved: readonly Operation[] | null): string {
  if (saved === null) return ''
  return saved.length === 0
    ? fingerprint
    : `${fingerprint} ${String(saved.length)} ${saved.at(-1)?.operationId ?? ''}`
}

/** A new record gets its ID when it is saved. */
function savedId({ after, recordId }: Operation): string {
  return textOf(ownValue(after ?? {}, 'ID')) || recordId
}

/** A copy that can't be read counts as missing. The service has the list. */
function valueOf<T>(result: Result<T>): T | null {
  return result.ok ? result.value : null
}
