/**
 * The computer's keychain by keytar: Keychain on Mac, Credential Manager on Windows, the Secret Service on Linux.
 * keytar is archived: this file is all that knows it. It is loaded when first asked, so
 * that a machine without it still starts, and every call has a time limit, since a keychain may sit behind a dialog
 * that nobody sees. A call that keytar does not answer holds one of the few threads on which this process also reads
 * its files, and nothing takes it back: so one call is out at a time, and while it hangs the others are refused.
 */
import { type AppError, type Result, appError, causeText, err, ok } from '../../../shared/result.ts'
import type { SecretStore } from '../../app/ports.ts'
import type { Clock } from '../../clock.ts'

/** Stores keys, as keytar does. A service and an account name an entry. */
export interface Vault {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  /** False when there was no such entry. */
  deletePassword(service: string, account: string): Promise<boolean>
}

/** A stored key can't be read on this computer. Carries its own message for the person. */
export class UnreadableKeyError extends Error {
  readonly error: AppError

  constructor(message: string, raw: string) {
    super(message)
    this.error = appError(
      'keychain',
      message,
      'Type the key again under Settings, Connections, and press Connect.',
      { raw },
    )
  }
}

export interface KeyFile extends Vault {
  /** Throws, with the reason, where the system gives no key to encrypt with. */
  prove(): Promise<void>
  /** Whether the file has a key, or has noted that the keychain's is to be deleted. */
  has(service: string, account: string): 'key' | 'deletion' | 'nothing'
  /** Deletes the key, and notes that the keychain, which can't be asked now, may have one to delete. */
  deleteEverywhere(service: string, account: string): void
}

export interface Keychain extends SecretStore {
  /** A call has held its thread for long: this process would wait for it as it ends, perhaps for ever. */
  isHanging(): boolean
}

/** The call that keytar has not answered yet. */
interface Flight {
  isLate: boolean
  /** By `Clock.elapsed`. */
  readonly beganAt: number
  /** Settles when it was answered or given up; never rejects. */
  readonly over: Promise<unknown>
}

const LIMIT_MILLISECONDS = 30_000
/** Milliseconds in which one that is well answers; who ends the program does not wait for more. */
const ANSWERED_BY = 1_500

/** @param load opens what keeps the keys; asked once. @param limit milliseconds until a call is given up */
export function createKeychain(
  clock: Clock,
  load: () => Promise<Vault>,
  limit: number = LIMIT_MILLISECONDS,
): Keychain {
  let loading: Promise<Vault> | null = null
  let flight: Flight | null = null
  let probing: Promise<Result<void>> | null = null
  const late = `no answer within ${String(limit / 1_000)} s`

  const answerOf = async <T>(question: (vault: Vault) => Promise<T>): Promise<Result<T>> => {
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
    void answerOf(question).then((answer) => {
      cancelLimit()
      flight = null
      over.resolve(answer)
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

/** Throws where keytar is missing, or a library that it needs. */
export async function loadKeytar(): Promise<Vault> {
  const loaded: Vault & { default?: Vault } = await import('keytar')
  return loaded.default ?? loaded
}

function unusable(raw: string): AppError {
  return appError(
    'keychain',
    'This computer’s keychain could not be used.',
    'Unlock it and try again. Until then a key is only kept in memory, for this run.',
    { raw },
  )
}

/*
 * Which place keeps the keys: the computer's keychain by keytar, or `keys.json` by safeStorage where keytar can't load.
 * A key that is found in the other place is moved: written, read back, and only then removed where it was, so a kill at
 * any moment leaves it in one of them.
 *
 * Where both have one, the file's is newer and wins. It is written only while the keychain can't be reached or in place
 * of it, and whenever a key is written to the keychain, the file's goes.
 */

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
