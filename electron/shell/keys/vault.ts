/**
 * Which place keeps the keys: the computer's keychain by keytar, or `keys.json` by safeStorage where keytar can't load.
 * A key that is found in the other place is moved: written, read back, and only then removed where it was, so a kill at
 * any moment leaves it in one of them.
 *
 * Where both have one, the file's is newer and wins. It is written only while the keychain can't be reached or in place
 * of it, and whenever a key is written to the keychain, the file's goes.
 */
import { causeText } from '../../../shared/result.ts'
import type { KeyFile } from './key-file.ts'
import { UnreadableKeyError, type Vault } from './keychain.ts'

export interface VaultOptions {
  readonly loadKeytar: () => Promise<Vault>
  readonly file: KeyFile
  /** What keeps the keys where both can: `file` is for the release that gives keytar up. */
  readonly first: 'keychain' | 'file'
}

/** Throws where neither can be used. A keychain that loads and does not answer is not replaced: it may be locked. */
export async function openVault({ loadKeytar, file, first }: VaultOptions): Promise<Vault> {
  const keychain = await loadKeytar().catch((cause: unknown) => ({ because: causeText(cause) }))
  if ('because' in keychain) {
    await file.prove().catch((cause: unknown) => {
      throw new Error(`${keychain.because}; ${causeText(cause)}`)
    })
    return fileAlone(file)
  }
  if (first === 'keychain') return keychainFirst(keychain, file)
  return file.prove().then(
    () => fileFirst(keychain, file),
    () => keychainFirst(keychain, file),
  )
}

function fileAlone(file: KeyFile): Vault {
  return {
    ...file,
    deletePassword(service, account) {
      file.deleteEverywhere(service, account)
      return Promise.resolve(true)
    },
  }
}

function keychainFirst(keychain: Vault, file: KeyFile): Vault {
  const settle = async (service: string, account: string): Promise<void> => {
    const found = file.has(service, account)
    if (found === 'nothing') return
    const password = await file.getPassword(service, account)
    if (password === null) await keychain.deletePassword(service, account)
    else await copy(keychain, service, account, password)
    await file.deletePassword(service, account)
  }
  return {
    async getPassword(service, account) {
      const unreadable = await unreadableIn(() => settle(service, account))
      const password = await keychain.getPassword(service, account)
      if (password === null && unreadable !== null) throw unreadable
      return password
    },
    async setPassword(service, account, password) {
      await copy(keychain, service, account, password)
      await unreadableIn(() => file.deletePassword(service, account))
    },
    async deletePassword(service, account) {
      const deleted = await keychain.deletePassword(service, account)
      await unreadableIn(() => file.deletePassword(service, account))
      return deleted
    },
  }
}

function fileFirst(keychain: Vault, file: KeyFile): Vault {
  const settle = async (service: string, account: string): Promise<void> => {
    const password = await keychain.getPassword(service, account)
    const found = file.has(service, account)
    if (found === 'nothing' && password !== null) await copy(file, service, account, password)
    // An unreadable key throws here, so the keychain's stays.
    if (found === 'key') await file.getPassword(service, account)
    if (password !== null) await keychain.deletePassword(service, account)
    if (found === 'deletion') await file.deletePassword(service, account)
  }
  return {
    async getPassword(service, account) {
      await settle(service, account)
      return file.getPassword(service, account)
    },
    async setPassword(service, account, password) {
      await copy(file, service, account, password)
      await keychain.deletePassword(service, account)
    },
    async deletePassword(service, account) {
      const deleted = await keychain.deletePassword(service, account)
      return (await file.deletePassword(service, account)) || deleted
    },
  }
}

/** Writes a key and reads it back; throws when it is not there as it was written. */
async function copy(to: Vault, service: string, account: string, password: string): Promise<void> {
  await to.setPassword(service, account, password)
  if ((await to.getPassword(service, account)) !== password) {
    throw new Error('the key was not there when it was read back')
  }
}

/** What the file could not read stops nothing that the keychain can do. */
async function unreadableIn(work: () => Promise<unknown>): Promise<UnreadableKeyError | null> {
  try {
    await work()
    return null
  } catch (cause) {
    if (cause instanceof UnreadableKeyError) return cause
    throw cause
  }
}
