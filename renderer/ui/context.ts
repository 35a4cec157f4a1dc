/** What the kit needs from the window, handed down by context from `App.svelte`. */
import { createContext, getContext, setContext } from 'svelte'
import type { Announcer, Toasts } from './notices/announcer.svelte.ts'
import type { Format } from '../../shared/format/format.ts'
import type { AppError } from '../../shared/result.ts'

/** The announcer for screen readers. */
export const [getAnnouncer, setAnnouncer] = createContext<Announcer>()

/** The notes at the foot of the window. */
export const [getToasts, setToasts] = createContext<Toasts>()

/** The format in use; `current` changes with the settings, so read it inside markup or `$derived`. */
export const [getFormat, setFormat] = createContext<{ readonly current: Format }>()

/**
 * Answers how to get to where a refused key is changed; `null` for any other error, and where the key can't be changed
 * or is being changed already.
 * Without a `connectionId`, the key is that of the connection in use.
 */
type KeyChange = (error: AppError, connectionId?: string) => (() => void) | null

const KEY_CHANGE = Symbol('key change')

export function setKeyChange(keyChange: KeyChange): void {
  setContext(KEY_CHANGE, keyChange)
}

/** `undefined` before there is a window to lead anywhere, as when the start failed. */
export function getKeyChange(): KeyChange | undefined {
  return getContext<KeyChange | undefined>(KEY_CHANGE)
}
