/**
 * The files of kept lists: a folder for each connection, a file for each list, and a key for each connection in the
 * keychain. File names don't reveal whose list it is.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { KeptFileRef } from '../../rows/rows.ts'
import type { SecretStore } from '../ports.ts'

export interface KeptCopyFile {
  readonly path: string
  /** Changes when the file is written again. */
  readonly fingerprint: string
}

/** Follows the name of a copy that is being written (`kept-set.ts`). */
const PART = '.part'

export interface KeptFilesOptions {
  /** Each connection has a folder in it. */
  readonly folder: string
  readonly secrets: SecretStore
  /** As for the API keys: keeps tests and developers apart. */
  readonly keychainNamespace: string
  /** Reports why there is no key. */
  readonly failed: (what: string, reason: unknown) => void
}

export class KeptFiles {
  readonly #options: KeptFilesOptions
  readonly #serviceName: string
  readonly #keys = new Map<string, Promise<string | null>>()
  /** The work in progress on each file, one step after another. */
  readonly #busy = new Map<string, Promise<unknown>>()

  constructor(options: KeptFilesOptions) {
    this.#options = options
    const namespace = options.keychainNamespace === '' ? '' : `-${options.keychainNamespace}`
    this.#serviceName = `Bookbridge${namespace} lists`
  }

  /** The file of a list's copy, whether or not there is one. The copy can be decrypted only under this name. */
  pathOf(company: CompanyRef, object: string): string {
    const name = `${hashOf(company.endpointId)}-${hashOf(object.toLowerCase())}.list`
    return join(this.#folderOf(company.connectionId), name)
  }

  /** Returns `null` where the keychain can't be used. It is asked again the next time. */
  async fileOf(company: CompanyRef, object: string): Promise<KeptFileRef | null> {
    const key = await this.keyOf(company.connectionId)
    return key === null ? null : { path: this.pathOf(company, object), key }
  }

  /** As `fileOf`, for the key of a connection. It is created if there is none. */
  async keyOf(connectionId: string): Promise<string | null> {
    const asked = this.#keys.get(connectionId) ?? this.#readKey(connectionId)
    this.#keys.set(connectionId, asked)
    const key = await asked
    if (key === null) this.#keys.delete(connectionId)
    return key
  }

  /** Runs work on a file after all earlier work on that file. */
  runExclusive<T>(path: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#busy.get(path) ?? Promise.resolve()).then(work)
    const settled = done.catch(() => undefined)
    this.#busy.set(path, settled)
    void settled.then(() => {
      if (this.#busy.get(path) === settled) this.#busy.delete(path)
    })
    return done
  }

  /** Waits for all work on files that is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#busy.values())
  }

  /** The copies of a connection. */
  async list(connectionId: string): Promise<readonly KeptCopyFile[]> {
    const place = this.#folderOf(connectionId)
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
  }

  async remove(path: string): Promise<void> {
    await rm(path, { force: true })
  }

  async removeCompany({ connectionId, endpointId }: CompanyRef): Promise<void> {
    const place = this.#folderOf(connectionId)
    const own = `${hashOf(endpointId)}-`
    const names = await readdir(place).catch(() => [])
    for (const name of names) if (name.startsWith(own)) await rm(join(place, name), { force: true })
  }

  /** Removes the copies of a connection and its key. */
  async removeConnection(connectionId: string): Promise<void> {
    await rm(this.#folderOf(connectionId), { recursive: true, force: true })
    await this.#options.secrets.remove(this.#serviceName, connectionId)
    this.#keys.delete(connectionId)
  }

  /**
   * Removes the copies of connections other than these, and copies of these that a crash left half written. Returns which
   * of these have copies.
   */
  async removeOthers(connectionIds: readonly string[]): Promise<readonly string[]> {
    const known = new Map(connectionIds.map((connectionId) => [hashOf(connectionId), connectionId]))
    const kept: string[] = []
    for (const name of await readdir(this.#options.folder).catch(() => [])) {
      const connectionId = known.get(name)
      if (connectionId === undefined)
        await rm(join(this.#options.folder, name), { recursive: true, force: true })
      else {
        kept.push(connectionId)
        await this.#removeParts(this.#folderOf(connectionId))
      }
    }
    return kept
  }

  async #removeParts(place: string): Promise<void> {
    for (const name of await readdir(place).catch(() => [])) {
      if (!name.endsWith(PART)) continue
      const path = join(place, name)
      // A copy that is being written has its final name by then.
      await this.runExclusive(path.slice(0, -PART.length), () => rm(path, { force: true }))
    }
  }

  async removeAll(): Promise<void> {
    await rm(this.#options.folder, { recursive: true, force: true })
  }

  /** The bytes of all copies, including partly written ones. */
  async size(): Promise<number> {
    const { folder } = this.#options
    const names = await readdir(folder, { recursive: true }).catch(() => [])
    const sizes = await Promise.all(
      names
        .filter((name) => name.endsWith('.list') || name.endsWith(PART))
        .map(async (name) => (await stat(join(folder, name)).catch(() => null))?.size ?? 0),
    )
    return sizes.reduce((sum, each) => sum + each, 0)
  }

  #folderOf(connectionId: string): string {
    return join(this.#options.folder, hashOf(connectionId))
  }

  async #readKey(connectionId: string): Promise<string | null> {
    const { secrets, failed } = this.#options
    const found = await secrets.get(this.#serviceName, connectionId)
    if (!found.ok) {
      failed('key', found.error.details.raw ?? found.error.message)
      return null
    }
    const isKey = found.value !== null && Buffer.from(found.value, 'base64').length === 32
    return isKey ? found.value : this.#createKey(connectionId)
  }

  async #createKey(connectionId: string): Promise<string | null> {
    const { secrets, failed } = this.#options
    const key = randomBytes(32).toString('base64')
    const saved = await secrets.set(this.#serviceName, connectionId, key)
    if (saved.ok) return key
    failed('key', saved.error.details.raw ?? saved.error.message)
    return null
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
