/**
 * The computer's keychain by keytar: Keychain on Mac, Credential Manager on Windows, the Secret Service on Linux.
 * keytar is archived, and the mission names it: this file is all that knows it. It is loaded when first asked, so
 * that a machine without it still starts, and every call has a time limit, since a keychain may sit behind a dialog
 * that nobody sees. A call that keytar does not answer holds one of the few threads on which this process also reads
 * its files, and nothing takes it back: so one call is out at a time, and while it hangs the others are refused.
 */
import type * as keytarModule from 'keytar'
import type { Clock } from '../clock.ts'
import type { SecretStore } from '../app/ports.ts'
import { appError, causeText, err, ok, type AppError, type Result } from '../../shared/result.ts'

/** What is used of keytar. */
export type Keytar = Pick<typeof keytarModule, 'getPassword' | 'setPassword' | 'deletePassword'>

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

/** @param load finds keytar; asked once. @param limit milliseconds until a call is given up */
export function createKeychain(
  clock: Clock,
  load: () => Promise<Keytar> = loadKeytar,
  limit: number = LIMIT_MILLISECONDS,
): Keychain {
  let loading: Promise<Keytar> | null = null
  let flight: Flight | null = null
  let probing: Promise<Result<void>> | null = null
  const late = `no answer within ${String(limit / 1_000)} s`

  const answerOf = async <T>(question: (keytar: Keytar) => Promise<T>): Promise<Result<T>> => {
    try {
      loading ??= load()
      return ok(await question(await loading))
    } catch (cause) {
      return err(unusable(causeText(cause)))
    }
  }

  const begin = <T>(question: (keytar: Keytar) => Promise<T>): Promise<Result<T>> => {
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

  const ask = async <T>(question: (keytar: Keytar) => Promise<T>): Promise<Result<T>> => {
    while (flight !== null) {
      if (flight.isLate) return err(unusable(late))
      await flight.over
    }
    return begin(question)
  }

  const probe = async (): Promise<Result<void>> => {
    const found = await ask((keytar) => keytar.getPassword('Bookbridge', 'probe'))
    probing = null
    return found.ok ? ok(undefined) : found
  }

  return {
    probe: () => (probing ??= probe()),
    get: (service, account) => ask((keytar) => keytar.getPassword(service, account)),
    set: (service, account, secret) => ask((keytar) => keytar.setPassword(service, account, secret)),
    async remove(service, account) {
      const removed = await ask((keytar) => keytar.deletePassword(service, account))
      return removed.ok ? ok(undefined) : removed
    },
    isHanging: () => flight !== null && clock.elapsed() - flight.beganAt >= Math.min(limit, ANSWERED_BY),
  }
}

async function loadKeytar(): Promise<Keytar> {
  const loaded: Keytar & { default?: Keytar } = await import('keytar')
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
