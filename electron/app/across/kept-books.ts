/**
 * The kept lists of all companies of a connection, without the service: opened with what was saved from here since they
 * were read, and as searchable text in memory. Everything is done in a rows worker of its own, so that neither the main
 * process nor the window's lists wait for it.
 *
 * An index follows its file: when the copy is written again, or something was saved, it is rebuilt. Indexes go when
 * no one has searched for a while, and when copies are deleted.
 */
import { companyKey } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { KeptCopy, Operation } from '../../../shared/contract/records.ts'
import { type RecordData, ownValue, textOf } from '../../../shared/records/changes.ts'
import { mergedRecord, withValueAt } from '../../../shared/records/outcome.ts'
import type { Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { Rows } from '../../rows/rows.ts'
import type { Writer } from '../../writing/writer.ts'
import type { SettingsStore } from '../ports.ts'
import type { KeptCopyFile, KeptLists } from '../records/kept-lists.ts'
import { recordOf } from '../records/list-reading.ts'

export interface KeptBooksOptions {
  /** A worker of its own. */
  readonly rows: Rows
  readonly keptLists: Pick<KeptLists, 'files' | 'use' | 'metaOf' | 'pathOf'>
  readonly writer: Pick<Writer, 'savedSince'>
  readonly settings: Pick<SettingsStore, 'get'>
  readonly clock: Clock
  /** Indexes of a connection have changed. */
  readonly changed: (connectionId: string) => void
  readonly defect: (cause: unknown) => void
}

/** A kept list that can be searched. */
export interface KeptBook {
  readonly company: CompanyRef
  readonly object: string
  readonly count: number
  /** When it was read, or when **Changed since** last had its whole answer (ISO). */
  readonly readAt: string
  /** Its index in the rows worker; `null` if the indexes would take more memory than they may. */
  readonly indexId: string | null
}

export interface Prepared {
  readonly books: readonly KeptBook[]
  /** How many lists still have to be made searchable. */
  readonly waiting: number
}

export interface KeptBooks {
  /** The lists that can be searched now. Begins to prepare the others, in the background. */
  prepare(connectionId: string): Promise<Prepared>
  /** Waits until all lists of a connection are prepared. */
  prepared(connectionId: string): Promise<readonly KeptBook[]>
  /** A copy of a list was replaced: the files are checked again with the next search. */
  refresh(connectionId: string): void
  /** Opens a kept list with what was saved since. `null` if it isn't kept. The set is closed afterwards. */
  withList<T>(company: CompanyRef, object: string, use: (list: OpenList) => Promise<T>): Promise<T | null>
  /** Drops all indexes. */
  forgetAll(): void
  close(): Promise<void>
}

export interface OpenList {
  readonly meta: KeptCopy
  /** The records with these IDs, with numbers as text. Several may share an ID. */
  records(ids: readonly string[]): Promise<readonly RecordData[]>
}

/** Bytes that all indexes take together. Half a million customers take a third of it. */
const MOST_BYTES = 600_000_000
/** Records that are made searchable between two looks at what else is asked of the worker. */
const SLICE = 1_000
/** Milliseconds for which the files are taken as they were. */
const FRESH = 1_000
/** Milliseconds without a search after which the indexes go. */
const IDLE = 15 * 60_000
const DAY = 86_400_000

interface Index {
  readonly mark: string
  readonly book: KeptBook | null
  readonly bytes: number
}

/** What is known of a connection. */
interface Shelf {
  /** By path. */
  readonly indexes: Map<string, Index>
  waiting: readonly KeptCopyFile[]
  lookedAt: number
  working: Promise<void> | null
}

export function createKeptBooks(options: KeptBooksOptions): KeptBooks {
  const { rows, keptLists, writer, clock } = options
  const shelves = new Map<string, Shelf>()
  let cancelIdle = (): void => undefined
  let isClosed = false

  const shelfOf = (connectionId: string): Shelf => {
    const known = shelves.get(connectionId)
    if (known !== undefined) return known
    const made: Shelf = {
      indexes: new Map(),
      waiting: [],
      lookedAt: Number.NEGATIVE_INFINITY,
      working: null,
    }
    shelves.set(connectionId, made)
    return made
  }

  const savedSince = ({ set, updated }: KeptCopy): readonly Operation[] =>
    writer.savedSince(set.company, set.object, (updated ?? set).readAt)

  /** What was saved since may no longer be in the history, and the copy doesn't have it. */
  const isTooOld = ({ set, updated }: KeptCopy): boolean =>
    Date.parse((updated ?? set).readAt) < clock.now() - options.settings.get().historyDays * DAY

  const openFile = (
    connectionId: string,
    path: string,
  ): Promise<{ readonly setId: string; readonly meta: KeptCopy } | null> =>
    keptLists.use(connectionId, path, async (file) => {
      const opened = valueOf(await rows.openKept(file))
      if (opened === null) return null
      const { setId } = opened
      const meta = keptLists.metaOf(connectionId, opened.meta)
      const isRead = meta !== null && !isTooOld(meta) && (await load(setId))
      if (isRead && (await patch(setId, savedSince(meta)))) return { setId, meta }
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

  /** Puts what was saved from here into a list that was read before. */
  const patch = async (setId: string, operations: readonly Operation[]): Promise<boolean> => {
    if (operations.length === 0) return true
    const ids = [...new Set(operations.map(savedId))].filter((id) => id !== '')
    const known = await recordsOf(setId, ids)
    const records = new Map(known.map((record) => [textOf(record['ID']), record]))
    for (const operation of operations) {
      const id = savedId(operation)
      const before = records.get(id)
      // A change of a record that the list doesn't have is of one that was deleted or merged away since.
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

  const indexFile = async (connectionId: string, { path, mark }: KeptCopyFile): Promise<Index> => {
    const nothing: Index = { mark, book: null, bytes: 0 }
    const opened = await openFile(connectionId, path)
    if (opened === null) return nothing
    const { setId, meta } = opened
    const { company, object, count } = meta.set
    const book = { company, object, count, readAt: (meta.updated ?? meta.set).readAt }
    const others = [...shelves.values()].flatMap(({ indexes }) => [...indexes])
    const taken = others.reduce((sum, [of, { bytes }]) => (of === path ? sum : sum + bytes), 0)
    for (;;) {
      const more = valueOf(await rows.index(setId, object, SLICE))
      if (more === null || isClosed || taken + more.bytes > MOST_BYTES) {
        await rows.closeIndex(setId)
        return more === null || isClosed ? nothing : { mark, book: { ...book, indexId: null }, bytes: 0 }
      }
      if (more.isDone) return { mark, book: { ...book, indexId: setId }, bytes: more.bytes }
    }
  }

  const drop = async ({ book }: Index): Promise<void> => {
    if (book?.indexId) await rows.closeIndex(book.indexId)
  }

  /** The file, and what was saved since. */
  const fileFingerprint = (shelf: Shelf, { path, mark }: KeptCopyFile): string => {
    const book = shelf.indexes.get(path)?.book
    if (!book) return mark
    const saved = writer.savedSince(book.company, book.object, book.readAt)
    return saved.length === 0 ? mark : `${mark} ${String(saved.length)} ${saved.at(-1)?.operationId ?? ''}`
  }

  const look = async (connectionId: string, shelf: Shelf): Promise<void> => {
    if (clock.elapsed() - shelf.lookedAt < FRESH) return
    shelf.lookedAt = clock.elapsed()
    const files = await keptLists.files(connectionId)
    const paths = new Set(files.map(({ path }) => path))
    for (const [path, index] of shelf.indexes) {
      if (paths.has(path)) continue
      shelf.indexes.delete(path)
      await drop(index)
    }
    shelf.waiting = files.filter(
      (file) => shelf.indexes.get(file.path)?.mark !== fileFingerprint(shelf, file),
    )
    if (shelf.waiting.length > 0) shelf.working ??= work(connectionId, shelf)
  }

  const work = async (connectionId: string, shelf: Shelf): Promise<void> => {
    try {
      for (;;) {
        const [file] = shelf.waiting
        if (file === undefined || isClosed || shelves.get(connectionId) !== shelf) break
        const made = await indexFile(connectionId, file)
        const before = shelf.indexes.get(file.path)
        // It may be waiting again by now, with another mark.
        shelf.waiting = shelf.waiting.filter(({ path, mark }) => path !== file.path || mark !== file.mark)
        // Includes what has been saved so far. The next save rebuilds it.
        shelf.indexes.set(file.path, made)
        shelf.indexes.set(file.path, { ...made, mark: fileFingerprint(shelf, file) })
        if (before) await drop(before)
        options.changed(connectionId)
      }
      if (shelves.get(connectionId) !== shelf) await Promise.all([...shelf.indexes.values()].map(drop))
    } catch (cause) {
      options.defect(cause)
    } finally {
      shelf.working = null
    }
  }

  const forgetAll = (): void => {
    cancelIdle()
    for (const { indexes, working } of shelves.values()) {
      // One that is at work drops its own when it notices.
      if (working === null) for (const index of indexes.values()) void drop(index)
    }
    shelves.clear()
  }

  const stayAwake = (): void => {
    cancelIdle()
    cancelIdle = clock.after(IDLE, forgetAll)
  }

  const booksOf = (shelf: Shelf): readonly KeptBook[] =>
    [...shelf.indexes.values()].flatMap(({ book }) => (book === null ? [] : [book]))

  return {
    async prepare(connectionId) {
      stayAwake()
      const shelf = shelfOf(connectionId)
      await look(connectionId, shelf)
      return { books: booksOf(shelf), waiting: shelf.waiting.length }
    },
    async prepared(connectionId) {
      stayAwake()
      const shelf = shelfOf(connectionId)
      shelf.lookedAt = Number.NEGATIVE_INFINITY
      await look(connectionId, shelf)
      await shelf.working
      return booksOf(shelf)
    },
    refresh(connectionId) {
      const shelf = shelves.get(connectionId)
      if (shelf !== undefined) shelf.lookedAt = Number.NEGATIVE_INFINITY
    },
    async withList(company, object, use) {
      const opened = await openFile(company.connectionId, keptLists.pathOf(company, object))
      if (opened === null) return null
      const { setId, meta } = opened
      try {
        return await use({ meta, records: (ids) => recordsOf(setId, ids) })
      } finally {
        await rows.closeSet(setId)
      }
    },
    forgetAll,
    async close() {
      isClosed = true
      const atWork = [...shelves.values()].flatMap(({ working }) => working ?? [])
      cancelIdle()
      shelves.clear()
      await Promise.all(atWork)
      await rows.close()
    },
  }
}

/** A map key for a list, whatever the casing of its name. */
export function bookKey(company: CompanyRef, object: string): string {
  return companyKey(company, object.toLowerCase())
}

/** A new record has an ID of its own once it is saved. */
function savedId({ after, recordId }: Operation): string {
  return textOf(ownValue(after ?? {}, 'ID')) || recordId
}

/** A copy that can't be read is none; the service has the list. */
function valueOf<T>(result: Result<T>): T | null {
  return result.ok ? result.value : null
}
