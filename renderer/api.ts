/**
 * The one file that uses the bridge. Each call returns a `Result`, typed by the contract. Only types are imported from
 * the contract, so that the window contains no schemas (zod).
 */
import type { Bridge } from '../shared/contract/channels.ts'
import type { CallInput, CallName, CallOutput, EventName, EventPayload } from '../shared/contract/contract.ts'
import { appError, causeText, err, type Result } from '../shared/result.ts'

declare global {
  interface Window {
    readonly bookbridge: Bridge
  }
}

/** The main process, as the screens see it. */
export interface Api {
  /** Calls the main process. If the call itself fails, returns an `internal` error and never throws. */
  readonly call: <Name extends CallName>(
    name: Name,
    input: CallInput<Name>,
  ) => Promise<Result<CallOutput<Name>>>
  /** Listens to an event. Returns a function that stops listening. */
  readonly on: <Name extends EventName>(
    event: Name,
    listener: (payload: EventPayload<Name>) => void,
  ) => () => void
}

/** Types the bridge. The main side has checked every response against the contract, so it is trusted here. */
export function createApi(bridge: Bridge): Api {
  return {
    async call<Name extends CallName>(name: Name, input: CallInput<Name>) {
      try {
        return (await bridge.call(name, plain(input))) as Result<CallOutput<Name>>
      } catch (cause) {
        return err(
          appError(
            'internal',
            'Bookbridge couldn’t do that.',
            'Try again. If that fails, restart Bookbridge.',
            {
              code: name,
              raw: causeText(cause),
            },
          ),
        )
      }
    },
    on(event, listener) {
      return bridge.on(event, listener as (payload: unknown) => void)
    },
  }
}

/** A copy without Svelte's state proxies, which can't cross the bridge. Bytes stay as they are. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  // 30 times as fast as `Object.fromEntries`, which matters for thousands of drafts.
  const copy: Record<string, unknown> = { ...value }
  for (const key of Object.keys(copy)) copy[key] = plain(copy[key])
  return copy
}
