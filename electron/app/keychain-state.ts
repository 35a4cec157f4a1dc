/**
 * Whether this computer's keychain can be used, for a window that waits for nothing: a keychain may answer late or
 * never, so after a moment what is known by then is told, and the window is told again when that was wrong.
 */
import type { CallAnswer } from '../../shared/contract/contract.ts'
import type { Clock } from '../clock.ts'
import type { SecretStore } from './ports.ts'

type KeychainState = CallAnswer<'connection.list'>['keychain']

/** Milliseconds; a keychain that is well answers in a few. */
const PATIENCE = 700

const NOT_YET: KeychainState = { available: false, because: 'it has not answered yet' }

/** @param changed what was told last holds no more */
export function createKeychainState(
  secrets: Pick<SecretStore, 'probe'>,
  clock: Pick<Clock, 'after'>,
  changed: () => void,
): () => Promise<KeychainState> {
  let known = NOT_YET
  const ask = async (): Promise<KeychainState> => {
    const usable = await secrets.probe()
    known = {
      available: usable.ok,
      because: usable.ok ? '' : (usable.error.details.raw ?? usable.error.message),
    }
    return known
  }
  return async () => {
    const answer = ask()
    let stopWaiting = (): void => undefined
    const patience = new Promise<null>((resolve) => {
      stopWaiting = clock.after(PATIENCE, () => {
        resolve(null)
      })
    })
    const inTime = await Promise.race([answer, patience])
    stopWaiting()
    if (inTime !== null) return inTime
    const told = known
    void answer.then(({ available, because }) => {
      if (available !== told.available || because !== told.because) changed()
    })
    return told
  }
}
