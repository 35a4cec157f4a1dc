/**
 * The computer's keychain by keytar: Keychain on Mac, Credential Manager on Windows, the Secret Service on Linux.
 * keytar is archived, and the mission names it: this file is all that knows it. It is loaded when first asked, so
 * that a machine without it still starts, and every call has a time limit, since a keychain may sit behind a dialog
 * that nobody sees.
 */
import type * as keytarModule from 'keytar'
import type { SecretStore } from '../app/ports.ts'
import { appError, causeText, err, ok, type Result } from '../../shared/result.ts'

type Keytar = typeof keytarModule

const LIMIT_MILLISECONDS = 30_000

export function createKeychain(): SecretStore {
  let loading: Promise<Keytar> | null = null
  const load = (): Promise<Keytar> => {
    loading ??= import('keytar').then((loaded: Keytar & { default?: Keytar }) => loaded.default ?? loaded)
    return loading
  }

  const ask = async <T>(question: (keytar: Keytar) => Promise<T>): Promise<Result<T>> => {
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`no answer within ${String(LIMIT_MILLISECONDS / 1_000)} s`))
      }, LIMIT_MILLISECONDS)
    })
    try {
      return ok(await Promise.race([load().then(question), limit]))
    } catch (cause) {
      return err(
        appError(
          'keychain',
          'This computer’s keychain could not be used.',
          'Unlock it and try again. Until then a key is only kept in memory, for this run.',
          { raw: causeText(cause) },
        ),
      )
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async probe() {
      const found = await ask((keytar) => keytar.getPassword('Bookbridge', 'probe'))
      return found.ok ? ok(undefined) : found
    },
    get: (service, account) => ask((keytar) => keytar.getPassword(service, account)),
    set: (service, account, secret) => ask((keytar) => keytar.setPassword(service, account, secret)),
    async remove(service, account) {
      const removed = await ask((keytar) => keytar.deletePassword(service, account))
      return removed.ok ? ok(undefined) : removed
    },
  }
}
