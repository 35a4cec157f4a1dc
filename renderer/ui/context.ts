/** The services of the window that the kit uses, provided by `App.svelte` as Svelte contexts. */
import { createContext, getContext, setContext } from 'svelte'
import type { Format } from '../../shared/format/format.ts'
import type { AppError } from '../../shared/result.ts'
import type { LiveAnnouncer, Toasts } from './notices/announcer.svelte.ts'

/** The announcer for screen readers. */
export const [getAnnouncer, setAnnouncer] = createContext<LiveAnnouncer>()

/** Short notes in the status line. */
export const [getToasts, setToasts] = createContext<Toasts>()

/** The format in use. `current` changes with the settings, so read it in markup or `$derived`. */
export const [getFormat, setFormat] = createContext<{ readonly current: Format }>()

/**
 * Returns a function that leads to where a refused key is changed; `null` for any other error, and if the key can't be
 * changed or is being changed already. Without a `connectionId`, it means the connection in use.
 */
type KeyChange = (error: AppError, connectionId?: string) => (() => void) | null

const KEY_CHANGE = Symbol('key change')

export function setKeyChange(keyChange: KeyChange): void {
  setContext(KEY_CHANGE, keyChange)
}

/** `undefined` if the window could not start. */
export function getKeyChange(): KeyChange | undefined {
  return getContext<KeyChange | undefined>(KEY_CHANGE)
}
