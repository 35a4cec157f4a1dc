/**
 * The computer's keychain by keytar: Keychain on Mac, Credential Manager on Windows, the Secret Service on Linux.
 * keytar is archived: this file is all that knows it. It is loaded when first asked, so
 * that a machine without it still starts, and every call has a time limit, since a keychain may sit behind a dialog
 * that nobody sees. A call that keytar does not answer holds one of the few threads on which this process also reads
 * its files, and nothing takes it back: so one call is out at a time, and while it hangs the others are refused.
 */
import type * as keytarModule from 'keytar'
import type { Clock } from '../../clock.ts'
import type { SecretStore } from '../../app/ports.ts'
import { appError, causeText, err, ok, type AppError, type Result } from '../../../shared/result.ts'

/** What keeps keys: keytar, as far as it is used, or what stands in for it. */
export type Vault = Pick<typeof keytarModule, 'getPassword' | 'setPassword' | 'deletePassword'>

/** A key can't be read on this computer, which is told in these words instead of the keychain's. */
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
