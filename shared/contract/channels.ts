/** The bridge between the window and the main process. Without schemas: the preload’s bundle has none. */

/** What the preload puts on `window.bookbridge`. Typed per call by `renderer/api.ts`. */
export interface Bridge {
  /** Answers a `Result`; an error for a name that the main process does not know. */
  readonly call: (name: string, input: unknown) => Promise<unknown>
  /** Listens to an event; answers a function that stops listening. */
  readonly on: (event: string, listener: (payload: unknown) => void) => () => void
}

/** The two IPC channels: every call goes through the one, every event through the other. */
export const CALL_CHANNEL = 'bookbridge:call'
export const EVENT_CHANNEL = 'bookbridge:event'
