/**
 * Copies of lists on this computer, encrypted with a key per connection from the keychain. A list that was read to
 * its end is copied; what **Changed since** brings is appended. If anything is wrong (no keychain, a full disk, a damaged
 * file), there is no copy, and the list is read from the service as before.
 */
import { companyKey } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type KeptCopy, keptCopy, type OpenedSet } from '../../../shared/contract/records.ts'
import type { Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { KeptFileRef, Rows } from '../../rows/rows.ts'
import { type KeptCopyFile, KeptFiles, type KeptFilesOptions } from './kept-files.ts'

export interface KeptList {
  readonly set: OpenedSet
  /** When **Changed since** last received a complete response. `null` since the list itself was read. */
  readonly updated: KeptCopy['updated']
  /** Paths of the fields that metadata listed then. `null` if it wasn't known. */
  readonly supported: readonly string[] | null
}

/** A copy that is to be written, or is being written. */
interface Copying {
  readonly company: CompanyRef
  readonly done: Promise<void>
  /** Cancels it, and waits until nothing is being written. */
  readonly drop: () => Promise<void>
}

export interface KeptListsOptions extends KeptFilesOptions {
  readonly rows: Rows
  readonly clock: Pick<Clock, 'after'>
  /** The address of a connection. A copy belongs to the service that it was read from. */
  readonly address: (connectionId: string) => string
  readonly isKept: (company: CompanyRef) => boolean
  /** Called before copies are deleted, so that data read from them can be dropped, too. */
  readonly onForget: () => void
  /** Called when a copy of the connection was written or appended to. */
  readonly onKept: (connectionId: string) => void
  /** Reports why a copy can't be used. Nothing is lost: the service has the list. */
  readonly failed: (what: string, reason: unknown) => void
}

/** Milliseconds after a read until its copy is written: the window fetches its rows first. */
const QUIET = 1_500
/** The key of what concerns every connection. */
const EVERYTHING = ''
/** If more than this share of a list changed, the list is copied again instead of appended to. */
const MAX_CHANGES = 0.25

export class KeptLists {
  readonly #options: KeptListsOptions
  readonly #files: KeptFiles
  /** Copies to be written, and being written, by set ID. */
  readonly #copying = new Map<string, Copying>()
  /** What each open set's copy says, by set ID, and `deletions` when its read began. */
  readonly #metas = new Map<string, KeptCopy & { readonly changes: number; readonly since: number }>()
  readonly #supports = new Map<string, readonly string[]>()
  /** The last deletion by company, by connection, and of everything. Lists read before it are no longer kept. */
  readonly #forgotten = new Map<string, number>()
  #deletions = 0
  #isClosed = false

  constructor(options: KeptListsOptions) {
    this.#options = options
    this.#files = new KeptFiles(options)
  }

  /** Remembers which fields metadata lists, for copies made from now on. */
  noteSupport(company: CompanyRef, object: string, paths: readonly string[]): void {
    this.#supports.set(companyKey(company, object), paths)
  }

  /** How often copies were deleted. Unlike times, it can't go back. */
  get deletions(): number {
    return this.#deletions
  }

  /**
   * Whether a list of this company would be kept.
   * @param since `deletions` when it was requested
   */
  wants(company: CompanyRef, since: number): boolean {
    return this.#options.isKept(company) && !this.#isForgotten(company, since)
  }

  /**
   * Keeps a list that was read completely, in the background. It replaces an older copy when it is complete.
   * @param since `deletions` when its read began
   * @param delay milliseconds until it is written. By default, the window fetches its rows first.
   */
  keep(set: OpenedSet, since: number, delay = QUIET): void {
    if (this.#options.isKept(set.company)) this.#startCopy(set, null, since, delay)
  }

  /**
   * Appends what changed since to the copy of a list, if there is one.
   * @param changed an open set. One that didn't arrive whole isn't kept: its records may have later stamps than those it
   * lacks, and the next changes are requested from the latest stamp.
   */
  async keepChanges(list: OpenedSet, changed: OpenedSet): Promise<void> {
    // The caller merges the changes into the list next, so a copy that is being written has to be done by then.
    await this.#copying.get(list.setId)?.done
    if (!changed.isWhole) return
    const meta = this.#metas.get(list.setId)
    const file = meta === undefined ? null : await this.#files.fileOf(list.company, list.object)
    if (meta === undefined || file === null) return
    if (!this.wants(list.company, meta.since)) return
    const { readAt, endedAt, savesMark } = changed
    const updated = { readAt, endedAt, savesMark }
    const changes = meta.changes + changed.count
    const supported = this.#supports.get(companyKey(list.company, list.object)) ?? meta.supported
    const next = { ...meta, updated, supported, changes }
    const isAppended = await this.#files.runExclusive(file.path, async () =>
      this.#metas.get(list.setId) === meta
        ? (await this.#isCopyOf(file, meta)) &&
          this.#write(file, changed.setId, { ...meta, updated, supported }, true)
        : null,
    )
    // A newer copy has taken its place.
    if (isAppended === null) return
    if (isAppended) this.#metas.set(list.setId, next)
    // Rewritten once it is merged, which the caller does next.
    if (!isAppended || changes > meta.set.count * MAX_CHANGES) {
      this.#metas.delete(list.setId)
      this.#startCopy({ ...meta.set, setId: list.setId }, updated, meta.since, QUIET)
    }
  }

  /** Opens a copy as a set. Returns `null` if there is none. */
  async open(company: CompanyRef, object: string): Promise<KeptList | null> {
    if (!this.#options.isKept(company)) return null
    const file = await this.#files.fileOf(company, object)
    return file === null ? null : this.#files.runExclusive(file.path, () => this.#load(file, company, object))
  }

  /** The files of a connection's copies. A file's `fingerprint` changes when it is written again. */
  files(connectionId: string): Promise<readonly KeptCopyFile[]> {
    return this.#files.list(connectionId)
  }

  /** Uses a file of a connection's copies while nothing else writes to it. `null` if there is no key for it. */
  async use<T>(
    connectionId: string,
    path: string,
    work: (file: KeptFileRef) => Promise<T>,
  ): Promise<T | null> {
    const key = await this.#files.keyOf(connectionId)
    return key === null ? null : this.#files.runExclusive(path, () => work({ path, key }))
  }

  /** Whether the keychain has a key for a connection's copies now. One that refuses is asked again the next time. */
  async canUse(connectionId: string): Promise<boolean> {
    return (await this.#files.keyOf(connectionId)) !== null
  }

  /** What a copy says about itself; `null` if it isn't this connection's, or lists of its company aren't kept. */
  metaOf(connectionId: string, meta: unknown): KeptCopy | null {
    const read = keptCopy.safeParse(meta)
    if (!read.success) return null
    const { set, address } = read.data
    const isOurs =
      set.company.connectionId === connectionId && address === this.#options.address(connectionId)
    return isOurs && this.#options.isKept(set.company) ? read.data : null
  }

  /** The file of a list's copy, whether or not there is one. */
  pathOf(company: CompanyRef, object: string): string {
    return this.#files.pathOf(company, object)
  }

  /** Waits until a set is no longer being copied, so that it may be closed. Returns whether its copy is on disk. */
  async settled(setId: string): Promise<boolean> {
    await this.#copying.get(setId)?.done
    return this.#metas.delete(setId)
  }

  /** Deletes the copies of a company or of a connection, and with a connection its key. */
  async forget({
    connectionId,
    endpointId,
  }: {
    readonly connectionId: string
    readonly endpointId?: string
  }): Promise<void> {
    const whose = endpointId === undefined ? connectionId : companyKey({ connectionId, endpointId })
    this.#noteDeletion(whose)
    await this.#dropCopies(
      (company) =>
        company.connectionId === connectionId &&
        (endpointId === undefined || company.endpointId === endpointId),
    )
    if (endpointId === undefined) await this.#files.removeConnection(connectionId)
    else await this.#files.removeCompany({ connectionId, endpointId })
  }

  /**
   * Deletes copies that a crash left: of connections other than these, and of companies whose lists aren't kept.
   * @param companiesOf called only for connections that have copies
   */
  async sweep(
    connectionIds: readonly string[],
    companiesOf: (connectionId: string) => readonly CompanyRef[],
  ): Promise<void> {
    for (const connectionId of await this.#files.removeOthers(connectionIds)) {
      for (const company of companiesOf(connectionId))
        if (!this.#options.isKept(company)) await this.#files.removeCompany(company)
    }
  }

  /** Deletes every copy. */
  async forgetAll(): Promise<void> {
    this.#noteDeletion(EVERYTHING)
    await this.#dropCopies(() => true)
    await this.#files.removeAll()
  }

  /** Bytes of all copies. */
  size(): Promise<number> {
    return this.#files.size()
  }

  /** Stops copying. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#dropCopies(() => true)
  }

  /** Writes a set to its file. Returns whether it is on disk. */
  async #write(
    file: KeptFileRef,
    setId: string,
    meta: KeptCopy,
    isAppended: boolean,
    isOver = () => this.#isClosed,
  ): Promise<boolean> {
    const { rows } = this.#options
    const begun = await rows.beginKeeping(setId, file, isAppended)
    if (!begun.ok) return this.#fail(begun)
    for (;;) {
      const more = isOver() ? null : await rows.keepMore(begun.value)
      if (more?.ok === true && !more.value) continue
      const ended = more?.ok === true ? await rows.endKeeping(begun.value, meta) : more
      if (ended?.ok === true) {
        this.#options.onKept(meta.set.company.connectionId)
        return true
      }
      await rows.dropKeeping(begun.value)
      return ended === null ? false : this.#fail(ended)
    }
  }

  /**
   * Whether a file is the copy of a list as it is open. If an older one took its place, such as from a backup of the disk,
   * it lacks changes that are never requested again.
   */
  async #isCopyOf(file: KeptFileRef, { set, updated }: KeptCopy): Promise<boolean> {
    const opened = await this.#options.rows.openKept(file)
    if (!opened.ok || opened.value === null) return false
    await this.#options.rows.closeSet(opened.value.setId)
    const read = keptCopy.safeParse(opened.value.meta)
    return (
      read.success && read.data.set.readAt === set.readAt && read.data.updated?.readAt === updated?.readAt
    )
  }

  #fail(failed: Result<unknown>): false {
    if (!failed.ok) this.#options.failed('copy', failed.error.details.raw ?? failed.error.message)
    return false
  }

  #noteDeletion(whose: string): void {
    this.#deletions += 1
    this.#forgotten.set(whose, this.#deletions)
    this.#options.onForget()
  }

  #isForgotten(company: CompanyRef, since: number): boolean {
    return [companyKey(company), company.connectionId, EVERYTHING].some(
      (whose) => since < (this.#forgotten.get(whose) ?? 0),
    )
  }

  async #copy(
    set: OpenedSet,
    updated: KeptCopy['updated'],
    since: number,
    isOver: () => boolean,
  ): Promise<void> {
    const isUnwanted = (): boolean => isOver() || !this.wants(set.company, since)
    const file = isUnwanted() ? null : await this.#files.fileOf(set.company, set.object)
    if (file === null || isUnwanted()) return
    const supported = this.#supports.get(companyKey(set.company, set.object)) ?? null
    const meta: KeptCopy = {
      address: this.#options.address(set.company.connectionId),
      set,
      updated,
      supported,
    }
    await this.#files.runExclusive(file.path, async () => {
      if (!(await this.#write(file, set.setId, meta, false, isOver))) return
      // Changes of older sets are no longer appended to it.
      const name = companyKey(set.company, set.object)
      for (const [setId, { set: other }] of this.#metas)
        if (companyKey(other.company, other.object) === name) this.#metas.delete(setId)
      this.#metas.set(set.setId, { ...meta, changes: 0, since })
    })
  }

  #startCopy(set: OpenedSet, updated: KeptCopy['updated'], since: number, delay: number): void {
    const quiet = Promise.withResolvers<undefined>()
    let isDropped = false
    const cancelTimer = this.#options.clock.after(delay, () => {
      quiet.resolve(undefined)
    })
    const done = quiet.promise
      .then(() => this.#copy(set, updated, since, () => isDropped || this.#isClosed))
      .catch((cause: unknown) => {
        this.#options.failed('copy', cause)
      })
      .finally(() => {
        if (this.#copying.get(set.setId)?.done === done) this.#copying.delete(set.setId)
      })
    const drop = (): Promise<void> => {
      isDropped = true
      cancelTimer()
      quiet.resolve(undefined)
      return done
    }
    this.#copying.set(set.setId, { company: set.company, done, drop })
  }

  /** Cancels pending copies, and waits until nothing is using the files. */
  async #dropCopies(isTheirs: (company: CompanyRef) => boolean): Promise<void> {
    const theirs = [...this.#copying.values()].filter(({ company }) => isTheirs(company))
    await Promise.all([...theirs.map(({ drop }) => drop()), this.#files.settled()])
  }

  async #load(file: KeptFileRef, company: CompanyRef, object: string): Promise<KeptList | null> {
    const { rows } = this.#options
    const since = this.#deletions
    const opened = await rows.openKept(file)
    if (!opened.ok || opened.value === null) {
      if (!opened.ok) await this.#discard(file.path, opened)
      return null
    }
    const { setId, changes } = opened.value
    const read = keptCopy.safeParse(opened.value.meta)
    if (!read.success || read.data.address !== this.#options.address(company.connectionId)) {
      await rows.closeSet(setId)
      await this.#files.remove(file.path)
      return null
    }
    const meta = read.data
    for (;;) {
      const loaded = await rows.loadKept(setId)
      if (!loaded.ok) {
        await rows.closeSet(setId)
        await this.#discard(file.path, loaded)
        return null
      }
      if (!loaded.value.isDone) continue
      const set = { ...meta.set, setId, count: loaded.value.count }
      const shape = await rows.shape(setId)
      // Changes that were appended may have added records.
      this.#metas.set(setId, { ...meta, set: { ...meta.set, count: set.count }, changes, since })
      const { updated, supported } = meta
      const name = companyKey(company, object)
      if (supported !== null && !this.#supports.has(name)) this.#supports.set(name, supported)
      return { set: shape.ok ? { ...set, fields: shape.value } : set, updated, supported }
    }
  }

  /** Deletes a copy that can't be read, so that the next read makes a new one. */
  async #discard(path: string, reason: Result<unknown>): Promise<void> {
    this.#fail(reason)
    await this.#files.remove(path)
  }
}
