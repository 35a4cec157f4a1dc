/**
 * The computer's keychain by keytar: Keychain on Mac, Credential Manager on Windows, the Secret Service on Linux.
 * keytar is archived, so only this file uses it. It is loaded on first use, so that a computer without it still starts.
 * Every call has a time limit, since a keychain may wait behind a dialog that no one sees. A hanging call holds one of
 * the few threads on which this process also reads files, and can't be canceled. So there is one call at a time, and
 * while it hangs, others are refused.
 */
import { type AppError, appError, causeText, err, ok, type Result } from '../../../shared/result.ts'
import type { SecretStore } from '../../app/ports.ts'
import type { Clock } from '../../clock.ts'

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

export interface Keychain extends SecretStore {
  /** Whether a call has held its thread for so long that the process might never exit. */
  isHanging(): boolean
}

/** The pending call. */
interface Flight {
  isLate: boolean
  /** By `Clock.elapsed`. */
  readonly beganAt: number
  /** Resolves when the call was answered or abandoned. Never rejects. */
  readonly over: Promise<unknown>
}

const LIMIT_MILLISECONDS = 30_000
/** Milliseconds within which a working keychain answers. Quitting doesn't wait longer. */
const ANSWERED_BY = 1_500

/**
 * @param load opens the vault; called once
 * @param limit milliseconds until a call is given up
 */
export function createKeychain(
  clock: Clock,
  load: () => Promise<Vault>,
  limit: number = LIMIT_MILLISECONDS,
): Keychain {
  let loading: Promise<Vault> | null = null
  let flight: Flight | null = null
  let probing: Promise<Result<void>> | null = null
  const late = `no response within ${String(limit / 1_000)} s`

  const resultOf = async <T>(question: (vault: Vault) => Promise<T>): Promise<Result<T>> => {
    try {
      loading ??= load()
      return ok(await question(await loading))
    } catch (cause) {
      return err(cause instanceof UnreadableKeyError ? cause.error : unusable(causeText(cause)))
    }
  }

  const begin = <T>(question: (vault: Vault) => Promise<T>): Promise<Result<T>> => {
    const over = Promise.withResolvers<Result<T>>()
    const own: Flight = { isLate: false, beganAt: clock.elapsed(), over: over.promise }
    flight = own
    const cancelLimit = clock.after(limit, () => {
      own.isLate = true
      over.resolve(err(unusable(late)))
    })
    void resultOf(question).then((result) => {
      cancelLimit()
      flight = null
      over.resolve(result)
    })
    return over.promise
  }

  const ask = async <T>(question: (vault: Vault) => Promise<T>): Promise<Result<T>> => {
    while (flight !== null) {
      if (flight.isLate) return err(unusable(late))
      await flight.over
    }
    return begin(question)
  }

  const probe = async (): Promise<Result<void>> => {
    const found = await ask((vault) => vault.getPassword('Bookbridge', 'probe'))
    probing = null
    return found.ok ? ok(undefined) : found
  }

  return {
    probe: () => (probing ??= probe()),
    get: (service, account) => ask((vault) => vault.getPassword(service, account)),
    set: (service, account, secret) => ask((vault) => vault.setPassword(service, account, secret)),
    async remove(service, account) {
      const removed = await ask((vault) => vault.deletePassword(service, account))
      return removed.ok ? ok(undefined) : removed
    },
    isHanging: () => flight !== null && clock.elapsed() - flight.beganAt >= Math.min(limit, ANSWERED_BY),
  }
}

/** Throws if keytar, or a library it needs, is missing. */
export async function loadKeytar(): Promise<Vault> {
  const loaded: Vault & { default?: Vault } = await import('keytar')
  return loaded.default ?? loaded
}

function unusable(raw: string): AppError {
  return appError(
    'keychain',
    'This computer’s keychain can’t be used.',
    'Unlock it and try again. Until then, keys are kept only until Bookbridge closes.',
    { raw },
  )
}

/*
 * Where keys are stored: in the computer's keychain, or in `keys.json` if keytar can't load. A key found in the other
 * place is moved: written, read back, and only then removed from the old place, so that a kill at any moment leaves it
 * in one of them.
 *
 * If both have one, the file's is newer and wins: the file is written only in place of the keychain, and its key is
 * removed when one is written to the keychain.
 */

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
