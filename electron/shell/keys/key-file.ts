/**
 * Keys in `keys.json`, for a computer on which keytar can't load. Each is encrypted by Electron's safeStorage, whose
 * own key the system keeps. Refused if the system has no such key, since Chromium would then use a well-known one. A
 * key is encrypted together with its entry's name, so a copied entry is noticed and no key goes to another host.
 *
 * Calls must not overlap; `createKeychain` sees to that.
 */
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { SafeStorage } from 'electron'
import ElectronStore from 'electron-store'
import { z } from 'zod'
import { causeText } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { type KeyFile, UnreadableKeyError } from './vault.ts'

/** The part of Electron's safeStorage that is used. */
export type Encryption = Pick<
  SafeStorage,
  'getSelectedStorageBackend' | 'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync'
>

export interface KeyFileOptions {
  /** The user-data folder. */
  readonly folder: string
  readonly encryption: Encryption
  readonly platform: NodeJS.Platform
  readonly clock: Pick<Clock, 'now'>
}

const NAME = 'keys'
const VERSION = 1

const fileSchema = z.looseObject({ version: z.literal(VERSION), keys: z.array(z.unknown()) })
const newerSchema = z.looseObject({ version: z.number().min(VERSION + 1) })
const entrySchema = z.object({
  service: z.string(),
  account: z.string(),
  /** `null` if the key was deleted while the keychain, which may still have it, was unavailable. */
  ciphertext: z.base64().nullable(),
})
const plainSchema = z.tuple([z.string(), z.string(), z.string()])

export function createKeyFile({ folder, encryption, platform, clock }: KeyFileOptions): KeyFile {
  const path = join(folder, `${NAME}.json`)

  const prove = async (): Promise<void> => {
    const backend = platform === 'linux' ? encryption.getSelectedStorageBackend() : 'system'
    if (backend === 'basic_text' || backend === 'unknown') {
      throw new Error(`safeStorage: this session has no keyring (${backend})`)
    }
    if (!(await encryption.isAsyncEncryptionAvailable())) {
      throw new Error('safeStorage: the system gives no key to encrypt with')
    }
  }

  const encrypt = async (plain: string): Promise<string> => {
    await prove()
    const sealed = await encryption.encryptStringAsync(plain)
    // On Linux, Chromium uses this prefix with its well-known key, whatever the backend.
    if (platform === 'linux' && sealed.subarray(0, 3).toString('latin1') === 'v10') {
      throw new Error('safeStorage: the session’s keyring gave no key')
    }
    return sealed.toString('base64')
  }

  const decrypt = async (service: string, account: string, ciphertext: string): Promise<string> => {
    let plain: unknown
    try {
      await prove()
      const { result } = await encryption.decryptStringAsync(Buffer.from(ciphertext, 'base64'))
      plain = JSON.parse(result)
    } catch (cause) {
      throw unreadableKey(causeText(cause))
    }
    const read = plainSchema.safeParse(plain)
    if (!read.success || read.data[0] !== service || read.data[1] !== account) {
      throw unreadableKey('the entry holds something else')
    }
    return read.data[2]
  }

  /** All entries, including those this program doesn't understand. */
  const entries = (): readonly unknown[] => {
    const text = textOf(path)
    if (text === null) return []
    const content = parsed(text)
    if (newerSchema.safeParse(content).success) {
      throw new UnreadableKeyError('keys.json was written by a newer Bookbridge.', 'newer version')
    }
    const read = fileSchema.safeParse(content)
    if (!read.success) throw new DamagedFileError(path)
    return read.data.keys
  }

  const write = (keys: readonly unknown[]): void => {
    // Writes a temporary file, flushes, and renames it. Created for each write, as in `settings.ts`.
    const file = new ElectronStore<Record<string, unknown>>({
      cwd: folder,
      name: NAME,
      configFileMode: 0o600,
    })
    file.store = { version: VERSION, keys }
  }

  /** A damaged file is set aside when a key is typed again. */
  const entriesToChange = (): readonly unknown[] => {
    try {
      return entries()
    } catch (cause) {
      if (!(cause instanceof DamagedFileError)) throw cause
      renameSync(path, `${path}.damaged-${timestamp(clock).replaceAll(':', '-')}`)
      return []
    }
  }

  const put = (service: string, account: string, ciphertext: string | null): void => {
    const others = entriesToChange().filter((entry) => entryOf(entry, service, account) === null)
    write([...others, { service, account, ciphertext }])
  }

  const find = (service: string, account: string) => {
    for (const entry of entries()) {
      const found = entryOf(entry, service, account)
      if (found !== null) return found
    }
    return null
  }

  return {
    prove,
    has(service, account) {
      const found = find(service, account)
      if (found === null) return 'nothing'
      return found.ciphertext === null ? 'deletion' : 'key'
    },
    async getPassword(service, account) {
      const ciphertext = find(service, account)?.ciphertext ?? null
      return ciphertext === null ? null : decrypt(service, account, ciphertext)
    },
    async setPassword(service, account, password) {
      put(service, account, await encrypt(JSON.stringify([service, account, password])))
    },
    deletePassword(service, account) {
      const all = entries()
      const others = all.filter((entry) => entryOf(entry, service, account) === null)
      if (others.length < all.length) write(others)
      return Promise.resolve(others.length < all.length)
    },
    deleteEverywhere(service, account) {
      put(service, account, null)
    },
  }
}

class DamagedFileError extends UnreadableKeyError {
  constructor(path: string) {
    super('The file with the keys is damaged.', path)
  }
}

function unreadableKey(raw: string): UnreadableKeyError {
  return new UnreadableKeyError('The key of this connection can’t be read on this computer.', raw)
}

function entryOf(value: unknown, service: string, account: string): z.infer<typeof entrySchema> | null {
  const entry = entrySchema.safeParse(value)
  return entry.success && entry.data.service === service && entry.data.account === account ? entry.data : null
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null
    throw new UnreadableKeyError('The file with the keys can’t be read.', causeText(cause))
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
