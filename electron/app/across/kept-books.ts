/**
 * The kept lists of all companies of a connection, without the service: opened with what was saved from here since they
 * were read, and as searchable text in memory. Everything is done in a rows worker of its own, so that neither the main
 * process nor the window's lists wait for it.
 *
 * An index follows its file: it is rebuilt when the copy is written again or something was saved. Indexes are dropped when
 * no one has searched for a while, and when copies are deleted.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { KeptCopy, Operation } from '../../../shared/contract/records.ts'
import { type RecordData, ownValue, textOf } from '../../../shared/records/changes.ts'
import { mergedRecord, withValueAt } from '../../../shared/records/outcome.ts'
import type { Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { Rows, ValueInRecords } from '../../rows/rows.ts'
import type { Writer } from '../../writing/writer.ts'
import type { SettingsStore } from '../ports.ts'
import type { KeptCopyFile, KeptLists } from '../records/kept-lists.ts'
import { recordOf } from '../records/list-reading.ts'

export interface KeptBooksOptions {
  /** The rows worker that only these lists use. */
  readonly rows: Rows
  readonly keptLists: Pick<KeptLists, 'files' | 'use' | 'metaOf' | 'pathOf'>
  readonly writer: Pick<Writer, 'savedSince'>
  readonly settings: Pick<SettingsStore, 'get'>
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
  /** When it was last read whole (ISO). Records that were deleted since then may still be in it. */
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

export interface KeptBooks {
  /** Returns the indexed lists, and starts to index the others in the background. */
  prepare(connectionId: string): Promise<Prepared>
  /** Waits until all lists of a connection are indexed. */
  prepared(connectionId: string): Promise<readonly KeptBook[]>
  /** Call when a list's copy was replaced. The next search checks the files again. */
  refresh(connectionId: string): void
  /**
   * Opens a kept list with everything saved since it was read; `null` if it isn't kept. The set is closed afterwards.
   */
  withList<T>(company: CompanyRef, object: string, use: (list: OpenList) => Promise<T>): Promise<T | null>
  /** Drops all indexes. */
  forgetAll(): void
  close(): Promise<void>
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
const DAY = 86_400_000

interface Index {
  readonly fingerprint: string
  readonly book: KeptBook | null
  readonly bytes: number
}

/** A copy that was opened as a set, with everything saved since it was read. */
interface OpenFile {
  readonly setId: string
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

export function createKeptBooks(options: KeptBooksOptions): KeptBooks {
  const { rows, keptLists, writer, clock } = options
  const connections = new Map<string, ConnectionIndexes>()
  let cancelIdle = (): void => undefined
  let isClosed = false

  const indexesOf = (connectionId: string): ConnectionIndexes => {
    const existing = connections.get(connectionId)
    if (existing !== undefined) return existing
    const made: ConnectionIndexes = {
      indexes: new Map(),
      waiting: [],
      checkedAt: Number.NEGATIVE_INFINITY,
      building: null,
    }
    connections.set(connectionId, made)
    return made
  }

  const savedSince = ({ set, updated }: KeptCopy): readonly Operation[] =>
    writer.savedSince(set.company, set.object, (updated ?? set).readAt)

  /** What was saved since then may be gone from the history, and the copy doesn't have it. */
  const isTooOld = ({ set, updated }: KeptCopy): boolean =>
    Date.parse((updated ?? set).readAt) < clock.now() - options.settings.get().historyDays * DAY

  const openFile = (connectionId: string, path: string): Promise<OpenFile | null> =>
    keptLists.use(connectionId, path, async (file) => {
      const opened = valueOf(await rows.openKept(file))
      if (opened === null) return null
      const { setId } = opened
      const meta = keptLists.metaOf(connectionId, opened.meta)
      if (meta !== null && !isTooOld(meta) && (await load(setId))) {
        const saved = savedSince(meta)
        if (await patch(setId, saved)) return { setId, meta, saved }
      }
      await rows.closeSet(setId)
      return null
    })

  const load = async (setId: string): Promise<boolean> => {
    for (;;) {
      const loaded = valueOf(await rows.loadKept(setId))
      if (loaded === null || isClosed) return false
      if (loaded.isDone) return true
    }
  }

  const recordsOf = async (setId: string, ids: readonly string[]): Promise<readonly RecordData[]> =>
    (valueOf(await rows.byIds(setId, ids)) ?? []).map(recordOf)

  async function* valuesOf(
    setId: string,
    object: string,
    path: string,
  ): AsyncGenerator<readonly ValueInRecords[]> {
    for (let from = 0; ; from += SLICE) {
      const slice = valueOf(await rows.valuesIn(setId, object, path, from, SLICE))
      if (slice === null) return
      yield slice.values
      if (slice.isDone || isClosed) return
    }
  }

  /** Applies what was saved from here to a list that was read before. */
  const patch = async (setId: string, operations: readonly Operation[]): Promise<boolean> => {
    if (operations.length === 0) return true
    const ids = [...new Set(operations.map(savedId))].filter((id) => id !== '')
    const known = await recordsOf(setId, ids)
    const records = new Map(known.map((record) => [textOf(record['ID']), record]))
    for (const operation of operations) {
      const id = savedId(operation)
      const before = records.get(id)
      // If a changed record isn't in the list, it was deleted or merged since then.
      if (id === '' || (before === undefined && operation.kind === 'change')) continue
      records.set(id, withValueAt(mergedRecord(before ?? {}, operation), 'ID', id))
    }
    return (
      await rows.patch(
        setId,
        [...records.values()].map((record) => JSON.stringify(record)),
      )
    ).ok
  }

  const indexFile = async (connectionId: string, file: KeptCopyFile): Promise<Index> => {
    const { path } = file
    const opened = await openFile(connectionId, path)
    const nothing: Index = { fingerprint: file.fingerprint, book: null, bytes: 0 }
    if (opened === null) return nothing
    const { setId, meta, saved } = opened
    // Records saved while the list is being indexed are missing from the index. The next search sees another
    // fingerprint and rebuilds it.
    const fingerprint = fingerprintWith(file, saved)
    const { company, object, count, readAt: wholeAt } = meta.set
    const { supported } = meta
    const book = { company, object, count, supported, wholeAt, readAt: (meta.updated ?? meta.set).readAt }
    const others = [...connections.values()].flatMap(({ indexes }) => [...indexes])
    const taken = others.reduce((sum, [of, { bytes }]) => (of === path ? sum : sum + bytes), 0)
    for (;;) {
      const more = valueOf(await rows.index(setId, object, SLICE))
      if (more === null || isClosed || taken + more.bytes > MAX_BYTES) {
        await rows.closeIndex(setId)
        return more === null || isClosed
          ? nothing
          : { fingerprint, book: { ...book, indexId: null }, bytes: 0 }
      }
      if (more.isDone) return { fingerprint, book: { ...book, indexId: setId }, bytes: more.bytes }
    }
  }

  const drop = async ({ book }: Index): Promise<void> => {
    if (book?.indexId) await rows.closeIndex(book.indexId)
  }

  /** Identifies the file and everything saved since. */
  const fileFingerprint = (state: ConnectionIndexes, file: KeptCopyFile): string => {
    const book = state.indexes.get(file.path)?.book
    return fingerprintWith(file, book ? writer.savedSince(book.company, book.object, book.readAt) : [])
  }

  const checkFiles = async (connectionId: string, state: ConnectionIndexes): Promise<void> => {
    if (clock.elapsed() - state.checkedAt < FRESH) return
    state.checkedAt = clock.elapsed()
    const files = await keptLists.files(connectionId)
    const paths = new Set(files.map(({ path }) => path))
    for (const [path, index] of state.indexes) {
      if (paths.has(path)) continue
      state.indexes.delete(path)
      await drop(index)
    }
    state.waiting = files.filter(
      (file) => state.indexes.get(file.path)?.fingerprint !== fileFingerprint(state, file),
    )
    if (state.waiting.length > 0) state.building ??= buildIndexes(connectionId, state)
  }

  const buildIndexes = async (connectionId: string, state: ConnectionIndexes): Promise<void> => {
    try {
      for (;;) {
        const [file] = state.waiting
        if (file === undefined || isClosed || connections.get(connectionId) !== state) break
        const made = await indexFile(connectionId, file)
        const before = state.indexes.get(file.path)
        // By now, the list may be waiting to be indexed again, with another fingerprint.
        state.waiting = state.waiting.filter(
          ({ path, fingerprint }) => path !== file.path || fingerprint !== file.fingerprint,
        )
        state.indexes.set(file.path, made)
        if (before) await drop(before)
        options.changed(connectionId)
      }
      if (connections.get(connectionId) !== state) await Promise.all([...state.indexes.values()].map(drop))
    } catch (cause) {
      options.defect(cause)
    } finally {
      state.building = null
    }
  }

  const forgetAll = (): void => {
    cancelIdle()
    for (const { indexes, building } of connections.values()) {
      // A running build notices, and drops its own indexes.
      if (building === null) for (const index of indexes.values()) void drop(index)
    }
    connections.clear()
  }

  const stayAwake = (): void => {
    cancelIdle()
    cancelIdle = clock.after(IDLE, forgetAll)
  }

  const booksOf = (state: ConnectionIndexes): readonly KeptBook[] =>
    [...state.indexes.values()].flatMap(({ book }) => (book === null ? [] : [book]))

  return {
    async prepare(connectionId) {
      stayAwake()
      const state = indexesOf(connectionId)
      await checkFiles(connectionId, state)
      return { books: booksOf(state), waiting: state.waiting.length }
    },
    async prepared(connectionId) {
      stayAwake()
      const state = indexesOf(connectionId)
      state.checkedAt = Number.NEGATIVE_INFINITY
      await checkFiles(connectionId, state)
      await state.building
      return booksOf(state)
    },
    refresh(connectionId) {
      const state = connections.get(connectionId)
      if (state !== undefined) state.checkedAt = Number.NEGATIVE_INFINITY
    },
    async withList(company, object, use) {
      const opened = await openFile(company.connectionId, keptLists.pathOf(company, object))
      if (opened === null) return null
      const { setId, meta } = opened
      try {
        return await use({
          meta,
          setId,
          records: (ids) => recordsOf(setId, ids),
          values: (path) => valuesOf(setId, meta.set.object, path),
        })
      } finally {
        await rows.closeSet(setId)
      }
    },
    forgetAll,
    async close() {
      isClosed = true
      const building = [...connections.values()].flatMap(({ building }) => building ?? [])
      cancelIdle()
      connections.clear()
      await Promise.all(building)
      await rows.close()
    },
  }
}

function fingerprintWith({ fingerprint }: KeptCopyFile, saved: readonly Operation[]): string {
  return saved.length === 0
    ? fingerprint
    : `${fingerprint} ${String(saved.length)} ${saved.at(-1)?.operationId ?? ''}`
}

/** A new record has an ID of its own once it is saved. */
function savedId({ after, recordId }: Operation): string {
  return textOf(ownValue(after ?? {}, 'ID')) || recordId
}

/** A copy that can't be read counts as missing. The service has the list. */
function valueOf<T>(result: Result<T>): T | null {
  return result.ok ? result.value : null
}
