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
import { UnreadableKeyError, type Vault } from './vault.ts'

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
