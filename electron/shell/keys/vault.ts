/**
 * Where keys are stored: in the computer's keychain, or in `keys.json` if keytar can't load. A key found in the other
 * place is moved: written, read back, and only then removed from the old place, so that a kill at any moment leaves it
 * in one of them.
 *
 * If both have one, the file's is newer and wins: the file is written only in place of the keychain, and its key is
 * removed when one is written to the keychain.
 */
import { type AppError, appError, causeText } from '../../../shared/result.ts'

/** Stores keys, as keytar does. A service and an account name an entry. */
export interface Vault {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  /** Returns false if there was no such entry. */
  deletePassword(service: string, account: string): Promise<boolean>
}

/** A stored key can't be read on this computer. Carries its own message for the user. */
export class UnreadableKeyError extends Error {
  readonly error: AppError

  constructor(message: string, raw: string) {
    super(message)
    this.error = appError(
      'keychain',
      message,
      'Enter the key again under Settings, Connections, and choose Connect.',
      { raw },
    )
  }
}

export interface KeyFile extends Vault {
  /** Throws, with the reason, if the system has no key to encrypt with. */
  prove(): Promise<void>
  /** Whether the file has a key, or a note to delete the keychain's. */
  has(service: string, account: string): 'key' | 'deletion' | 'nothing'
  /** Deletes the key, and notes to delete the keychain's once it is available. */
  deleteEverywhere(service: string, account: string): void
}

export interface VaultOptions {
  readonly loadKeytar: () => Promise<Vault>
  readonly file: KeyFile
  /** Which one stores the keys if both can. `file` is for a release without keytar. */
  readonly first: 'keychain' | 'file'
}

/**
 * Throws if neither can be used. A keychain that loads but doesn't answer isn't replaced: it may be locked.
 */
export async function openVault({ loadKeytar, file, first }: VaultOptions): Promise<Vault> {
  const keychain = await loadKeytar().catch((cause: unknown) => ({ reason: causeText(cause) }))
  if ('reason' in keychain) {
    await file.prove().catch((cause: unknown) => {
      throw new Error(`${keychain.reason}; ${causeText(cause)}`)
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
  const moveToKeychain = async (service: string, account: string): Promise<void> => {
    const found = file.has(service, account)
    if (found === 'nothing') return
    const password = await file.getPassword(service, account)
    if (password === null) await keychain.deletePassword(service, account)
    else await copy(keychain, service, account, password)
    await file.deletePassword(service, account)
  }
  return {
    async getPassword(service, account) {
      const unreadable = await unreadableIn(() => moveToKeychain(service, account))
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
  const moveToFile = async (service: string, account: string): Promise<void> => {
    const password = await keychain.getPassword(service, account)
    const found = file.has(service, account)
    if (found === 'nothing' && password !== null) await copy(file, service, account, password)
    // An unreadable key throws here, so the keychain's key stays.
    if (found === 'key') await file.getPassword(service, account)
    if (password !== null) await keychain.deletePassword(service, account)
    if (found === 'deletion') await file.deletePassword(service, account)
  }
  return {
    async getPassword(service, account) {
      await moveToFile(service, account)
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

/** Writes a key and reads it back. Throws if it differs. */
async function copy(to: Vault, service: string, account: string, password: string): Promise<void> {
  await to.setPassword(service, account, password)
  if ((await to.getPassword(service, account)) !== password) {
    throw new Error('the key was not there when it was read back')
  }
}

/** An error in the file doesn't stop the keychain. */
async function unreadableIn(work: () => Promise<unknown>): Promise<UnreadableKeyError | null> {
  try {
    await work()
    return null
  } catch (cause) {
    if (cause instanceof UnreadableKeyError) return cause
    throw cause
  }
}
