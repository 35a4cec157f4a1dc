/**
 * Controls the sample: its simulated computers, their faults, and starting over. Only while the sample is selected.
 */
import type { SampleState } from '../../../shared/contract/sample.ts'
import { appError, causeText, err, ok, type Result } from '../../../shared/result.ts'
import type { HandlersOf } from '../calls.ts'
import { SAMPLE_CONNECTION } from '../connections/connections.ts'
import type { SampleController, SettingsStore } from '../ports.ts'

export interface SampleOptions {
  readonly settings: Pick<SettingsStore, 'currentConnectionId'>
  readonly controller: SampleController
  /** Deletes what is kept about a connection. Refused while something that was sent is not confirmed. */
  readonly forget: (connectionId: string) => Promise<Result<void>>
}

export function createSample({ settings, controller, forget }: SampleOptions): {
  readonly handlers: HandlersOf<'sample'>
  /** Resets its books, and deletes what is kept here about them. */
  readonly reset: () => Promise<Result<void>>
} {
  const whileInUse = async (ask: () => Promise<SampleState>): Promise<Result<SampleState>> => {
    if (settings.currentConnectionId() !== SAMPLE_CONNECTION.connectionId) return err(notInUse())
    return attempt(ask, 'The sample rejected that.')
  }
  return {
    handlers: {
      'sample.state': () => whileInUse(() => controller.state()),
      'sample.control': (change) => whileInUse(() => controller.control(change)),
    },
    async reset() {
      const forgotten = await forget(SAMPLE_CONNECTION.connectionId)
      if (!forgotten.ok) return forgotten.error.kind === 'invalid-input' ? err(notConfirmed()) : forgotten
      const reset = await attempt(() => controller.reset(), 'The sample couldn’t be reset.')
      return reset.ok ? ok(undefined) : reset
    },
  }
}

async function attempt<T>(ask: () => Promise<T>, message: string): Promise<Result<T>> {
  try {
    return ok(await ask())
  } catch (cause) {
    return err(
      appError('internal', message, 'Restart Bookbridge and try again.', {
        raw: causeText(cause),
      }),
    )
  }
}

function notInUse() {
  return appError(
    'invalid-input',
    'The sample isn’t in use. These are real books.',
    'Choose the sample under Settings, Connections, then try again.',
  )
}

function notConfirmed() {
  return appError(
    'invalid-input',
    'Some changes sent to the sample aren’t confirmed yet.',
    'Wait for confirmation, or check them under Activity. Then reset the sample.',
  )
}
