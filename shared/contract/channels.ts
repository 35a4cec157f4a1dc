/** The bridge between the window and the main process. Has no schemas, so that the preload script stays small. */

/** `window.bookbridge`, which the preload script creates. `renderer/api.ts` types it per call. */
export interface Bridge {
  /** Resolves to a `Result`. An unknown name is an error. */
  readonly call: (name: string, input: unknown) => Promise<unknown>
  /** Listens to an event. Returns a function that stops listening. */
  readonly on: (event: string, listener: (payload: unknown) => void) => () => void
}

/** The two IPC channels, one for all calls and one for all events. */
export const CALL_CHANNEL = 'bookbridge:call'
export const EVENT_CHANNEL = 'bookbridge:event'
