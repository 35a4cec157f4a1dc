/**
 * Copies of lists on this computer, encrypted with a key per connection from the keychain. A list that was read to
 * its end is copied; what **Changed since** brings is appended. If anything is wrong (no keychain, a full disk, a damaged
 * file), there is no copy, and the list is read from the service as before.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { companyKey } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type KeptCopy, type ReadTimes, type RecordSet, keptCopy } from '../../../shared/contract/records.ts'
import type { Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { KeptFileRef, Rows } from '../../rows/rows.ts'
import type { SecretStore } from '../ports.ts'

export interface KeptList {
  readonly set: RecordSet
  /** When **Changed since** last received a complete response. `null` since the list itself was read. */
  readonly updated: ReadTimes | null
  /** Paths of the fields that metadata listed then. `null` if it wasn't known. */
  readonly supported: readonly string[] | null
}

export interface KeptLists {
  /** Notes what metadata says, for copies that are made from now on. */
  noteSupport(company: CompanyRef, object: string, paths: readonly string[]): void
  /**
   * Keeps a list that was read whole, in the background. It replaces an older copy when it is complete.
   * @param delay milliseconds until it is written. By default, the window fetches its rows first.
   */
  keep(set: RecordSet, delay?: number): void
  /**
   * Appends what changed since to the copy of a list, if there is one.
   * @param changed an open set; only one that arrived whole moves the time up to which the copy is current
   */
  keepChanges(list: RecordSet, changed: RecordSet): Promise<void>
  /** Opens a copy as a set. Returns `null` if there is none. */
  open(company: CompanyRef, object: string): Promise<KeptList | null>
  /** Waits until a set is no longer being copied, so that it may be closed. Returns whether its copy is on disk. */
  settled(setId: string): Promise<boolean>
  /** The files of a connection's copies. A file's `fingerprint` changes when it is written again. */
  files(connectionId: string): Promise<readonly KeptCopyFile[]>
  /** Uses a file of a connection's copies while nothing else writes to it. `null` if there is no key for it. */
  use<T>(connectionId: string, path: string, work: (file: KeptFileRef) => Promise<T>): Promise<T | null>
  /** What a copy says about itself; `null` if it isn't this connection's, or lists of its company aren't kept. */
  metaOf(connectionId: string, meta: unknown): KeptCopy | null
  /** The file of a list's copy, whether or not there is one. */
  pathOf(company: CompanyRef, object: string): string
  /** Deletes the copies of a company or of a connection, and with a connection its key. */
  forget(whose: { readonly connectionId: string; readonly endpointId?: string }): Promise<void>
  /** Deletes every copy. */
  forgetAll(): Promise<void>
  /**
   * Deletes copies that a crash left: of connections other than these, and of companies whose lists aren't kept.
   * @param companiesOf called only for connections that have copies
   */
  sweep(
    connectionIds: readonly string[],
    companiesOf: (connectionId: string) => readonly CompanyRef[],
  ): Promise<void>
  /** Bytes of all copies. */
  size(): Promise<number>
  /** Stops copying. */
  close(): Promise<void>
}

export interface KeptCopyFile {
  readonly path: string
  readonly fingerprint: string
}

/** A copy that is to be written, or is being written. */
interface Copying {
  readonly company: CompanyRef
  readonly done: Promise<void>
  /** Gives up, and waits until nothing is written anymore. */
  readonly drop: () => Promise<void>
}

export interface KeptListsOptions {
  readonly rows: Rows
  /** Each connection has a folder in it. */
  readonly folder: string
  readonly secrets: SecretStore
  /** As for the API keys: keeps tests and developers apart. */
  readonly keychainNamespace: string
  readonly clock: Pick<Clock, 'after' | 'now'>
  /** The address of a connection. A copy belongs to the service that it was read from. */
  readonly address: (connectionId: string) => string
  readonly isKept: (company: CompanyRef) => boolean
  /** Copies are about to be deleted. What was read from them should go, too. */
  readonly onForget: () => void
  /** A copy of the connection was written or appended to. */
  readonly onKept: (connectionId: string) => void
  /** Reports why a copy can't be used. Nothing is lost: the service has the list. */
  readonly failed: (what: string, reason: unknown) => void
}

/** Milliseconds after a read until its copy is written: the window fetches its rows first. */
const QUIET = 1_500
/** Beyond this part of a list, changes are not appended. The list is copied again. */
const MAX_CHANGES = 0.25

export function createKeptLists(options: KeptListsOptions): KeptLists {
  const { rows, folder, secrets, clock } = options
  const keys = new Map<string, Promise<string | null>>()
  /** What is being done with each file, one after another. */
  const busy = new Map<string, Promise<unknown>>()
  /** Copies to be written, and being written, by set ID. */
  const copying = new Map<string, Copying>()
  /** What each open set's copy says, by set ID. */
  const metas = new Map<string, KeptCopy & { changes: number }>()
  const supports = new Map<string, readonly string[]>()
  /** When copies were deleted, by company and by connection. What was read before then is not kept anymore. */
  const forgotten = new Map<string, number>()
  let isClosed = false

  const serviceName = `Bookbridge${options.keychainNamespace === '' ? '' : `-${options.keychainNamespace}`} lists`

  const createKey = async (connectionId: string): Promise<string | null> => {
    const key = randomBytes(32).toString('base64')
    const saved = await secrets.set(serviceName, connectionId, key)
    if (saved.ok) return key
    options.failed('key', saved.error.details.raw ?? saved.error.message)
    return null
  }

  const readKey = async (connectionId: string): Promise<string | null> => {
    const found = await secrets.get(serviceName, connectionId)
    if (!found.ok) {
      options.failed('key', found.error.details.raw ?? found.error.message)
      return null
    }
    const isKey = found.value !== null && Buffer.from(found.value, 'base64').length === 32
    return isKey ? found.value : createKey(connectionId)
  }

  /** `null` where the keychain can't be used. It is asked again the next time. */
  const keyOf = async (connectionId: string): Promise<string | null> => {
    const asked = keys.get(connectionId) ?? readKey(connectionId)
    keys.set(connectionId, asked)
    const key = await asked
    if (key === null) keys.delete(connectionId)
    return key
  }

  const folderOf = (connectionId: string): string => join(folder, hashOf(connectionId))

  const pathOf = (company: CompanyRef, object: string): string =>
    join(folderOf(company.connectionId), `${hashOf(company.endpointId)}-${hashOf(object.toLowerCase())}.list`)

  const removeFiles = async ({ connectionId, endpointId }: CompanyRef): Promise<void> => {
    const place = folderOf(connectionId)
    const own = `${hashOf(endpointId)}-`
    const names = await readdir(place).catch(() => [])
    for (const name of names) if (name.startsWith(own)) await rm(join(place, name), { force: true })
  }

  const fileOf = async (company: CompanyRef, object: string): Promise<KeptFileRef | null> => {
    const key = await keyOf(company.connectionId)
    return key === null ? null : { path: pathOf(company, object), key }
  }

  /** Does one thing at a time with each file. */
  const inTurn = <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const done = (busy.get(path) ?? Promise.resolve()).then(work)
    const settled = done.catch(() => undefined)
    busy.set(path, settled)
    void settled.then(() => {
      if (busy.get(path) === settled) busy.delete(path)
    })
    return done
  }

  /** Writes a set to its file. Returns whether it is on disk. */
  const write = async (
    file: KeptFileRef,
    setId: string,
    meta: KeptCopy,
    isAppended: boolean,
    isOver = () => isClosed,
  ): Promise<boolean> => {
    const begun = await rows.beginKeeping(setId, file, isAppended)
    if (!begun.ok) return fail(begun)
    for (;;) {
      const more = isOver() ? null : await rows.keepMore(begun.value)
      if (more?.ok === true && !more.value) continue
      const ended = more?.ok === true ? await rows.endKeeping(begun.value, meta) : more
      if (ended?.ok === true) {
        options.onKept(meta.set.company.connectionId)
        return true
      }
      await rows.dropKeeping(begun.value)
      return ended === null ? false : fail(ended)
    }
  }

  const fail = (failed: Result<unknown>): false => {
    if (!failed.ok) options.failed('copy', failed.error.details.raw ?? failed.error.message)
    return false
  }

  const isForgotten = ({ company, readAt }: Pick<RecordSet, 'company' | 'readAt'>): boolean =>
    [companyKey(company), company.connectionId].some(
      (whose) => Date.parse(readAt) <= (forgotten.get(whose) ?? 0),
    )

  const copy = async (set: RecordSet, updated: ReadTimes | null, isOver: () => boolean): Promise<void> => {
    const file = isOver() ? null : await fileOf(set.company, set.object)
    if (file === null || isOver() || isForgotten(set) || !options.isKept(set.company)) return
    const supported = supports.get(companyKey(set.company, set.object)) ?? null
    const meta: KeptCopy = { address: options.address(set.company.connectionId), set, updated, supported }
    await inTurn(file.path, async () => {
      if (!(await write(file, set.setId, meta, false, isOver))) return
      // Nothing of older sets is appended to it anymore.
      const name = companyKey(set.company, set.object)
      for (const [setId, { set: other }] of metas)
        if (companyKey(other.company, other.object) === name) metas.delete(setId)
      metas.set(set.setId, { ...meta, changes: 0 })
    })
  }

  const startCopy = (set: RecordSet, updated: ReadTimes | null, delay: number): void => {
    const quiet = Promise.withResolvers<undefined>()
    let isDropped = false
    const cancelTimer = clock.after(delay, () => {
      quiet.resolve(undefined)
    })
    const done = quiet.promise
      .then(() => copy(set, updated, () => isDropped || isClosed))
      .catch((cause: unknown) => {
        options.failed('copy', cause)
      })
      .finally(() => {
        if (copying.get(set.setId)?.done === done) copying.delete(set.setId)
      })
    const drop = (): Promise<void> => {
      isDropped = true
      cancelTimer()
      quiet.resolve(undefined)
      return done
    }
    copying.set(set.setId, { company: set.company, done, drop })
  }

  /** Gives up copies that are not written yet, and waits for what is being done with files. */
  const dropCopies = async (isTheirs: (company: CompanyRef) => boolean): Promise<void> => {
    const theirs = [...copying.values()].filter(({ company }) => isTheirs(company))
    await Promise.all([...theirs.map(({ drop }) => drop()), ...busy.values()])
  }

  const load = async (file: KeptFileRef, company: CompanyRef, object: string): Promise<KeptList | null> => {
    const opened = await rows.openKept(file)
    if (!opened.ok || opened.value === null) {
      if (!opened.ok) await discard(file.path, opened)
      return null
    }
    const { setId, changes } = opened.value
    const read = keptCopy.safeParse(opened.value.meta)
    const isOurs =
      read.success &&
      companyKey(read.data.set.company, read.data.set.object) === companyKey(company, object) &&
      read.data.address === options.address(company.connectionId)
    if (!isOurs) {
      await rows.closeSet(setId)
      await rm(file.path, { force: true })
      return null
    }
    const meta = read.data
    for (;;) {
      const loaded = await rows.loadKept(setId)
      if (!loaded.ok) {
        await rows.closeSet(setId)
        await discard(file.path, loaded)
        return null
      }
      if (!loaded.value.isDone) continue
      const set = { ...meta.set, setId, count: loaded.value.count }
      const shape = await rows.shape(setId)
      metas.set(setId, { ...meta, changes })
      const { updated, supported } = meta
      const name = companyKey(company, object)
      if (supported !== null && !supports.has(name)) supports.set(name, supported)
      return { set: shape.ok ? { ...set, fields: shape.value } : set, updated, supported }
    }
  }

  /** Deletes a copy that can't be read, so that the next read makes a new one. */
  const discard = async (path: string, reason: Result<unknown>): Promise<void> => {
    fail(reason)
    await rm(path, { force: true })
  }

  return {
    noteSupport(company, object, paths) {
      supports.set(companyKey(company, object), paths)
    },
    keep(set, delay = QUIET) {
      if (options.isKept(set.company) && !isForgotten(set)) startCopy(set, null, delay)
    },
    async keepChanges(list, changed) {
      await copying.get(list.setId)?.done
      const meta = metas.get(list.setId)
      const file = meta === undefined ? null : await fileOf(list.company, list.object)
      if (meta === undefined || file === null || isForgotten(list) || !options.isKept(list.company)) return
      const updated = changed.isWhole ? { readAt: changed.readAt, endedAt: changed.endedAt } : meta.updated
      const changes = meta.changes + changed.count
      const next = { ...meta, updated, changes }
      const isAppended = await inTurn(file.path, async () =>
        metas.get(list.setId) === meta ? write(file, changed.setId, { ...meta, updated }, true) : null,
      )
      // A newer copy has taken its place.
      if (isAppended === null) return
      if (isAppended) metas.set(list.setId, next)
      // Rewritten once it is merged, which the caller does next.
      if (!isAppended || changes > meta.set.count * MAX_CHANGES) {
        metas.delete(list.setId)
        startCopy({ ...meta.set, setId: list.setId }, updated, QUIET)
      }
    },
    async open(company, object) {
      if (!options.isKept(company)) return null
      const file = await fileOf(company, object)
      return file === null ? null : inTurn(file.path, () => load(file, company, object))
    },
    async files(connectionId) {
      const place = folderOf(connectionId)
      const names = (await readdir(place).catch(() => [])).filter((name) => name.endsWith('.list'))
      const found = await Promise.all(
        names.map(async (name) => {
          const path = join(place, name)
          const facts = await stat(path).catch(() => null)
          return facts === null
            ? []
            : [{ path, fingerprint: `${String(facts.ino)} ${String(facts.size)} ${String(facts.mtimeMs)}` }]
        }),
      )
      return found.flat()
    },
    async use(connectionId, path, work) {
      const key = await keyOf(connectionId)
      return key === null ? null : inTurn(path, () => work({ path, key }))
    },
    metaOf(connectionId, meta) {
      const read = keptCopy.safeParse(meta)
      if (!read.success) return null
      const { set, address } = read.data
      const isOurs = set.company.connectionId === connectionId && address === options.address(connectionId)
      return isOurs && options.isKept(set.company) ? read.data : null
    },
    pathOf,
    async settled(setId) {
      await copying.get(setId)?.done
      return metas.delete(setId)
    },
    async forget({ connectionId, endpointId }) {
      const whose = endpointId === undefined ? connectionId : companyKey({ connectionId, endpointId })
      forgotten.set(whose, clock.now())
      options.onForget()
      await dropCopies(
        (company) =>
          company.connectionId === connectionId &&
          (endpointId === undefined || company.endpointId === endpointId),
      )
      const place = folderOf(connectionId)
      if (endpointId === undefined) {
        await rm(place, { recursive: true, force: true })
        await secrets.remove(serviceName, connectionId)
        keys.delete(connectionId)
        return
      }
      await removeFiles({ connectionId, endpointId })
    },
    async sweep(connectionIds, companiesOf) {
      const known = new Map(connectionIds.map((connectionId) => [hashOf(connectionId), connectionId]))
      for (const name of await readdir(folder).catch(() => [])) {
        const connectionId = known.get(name)
        if (connectionId === undefined) await rm(join(folder, name), { recursive: true, force: true })
        else
          for (const company of companiesOf(connectionId))
            if (!options.isKept(company)) await removeFiles(company)
      }
    },
    async forgetAll() {
      options.onForget()
      await dropCopies(() => true)
      await rm(folder, { recursive: true, force: true })
    },
    async size() {
      const names = await readdir(folder, { recursive: true }).catch(() => [])
      const sizes = await Promise.all(
        names
          .filter((name) => name.endsWith('.list'))
          .map(async (name) => (await stat(join(folder, name)).catch(() => null))?.size ?? 0),
      )
      return sizes.reduce((sum, each) => sum + each, 0)
    },
    async close() {
      isClosed = true
      await dropCopies(() => true)
    },
  }
}

/** File names that say nothing about whose list it is. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
