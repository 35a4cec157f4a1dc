/** What the kit needs from the window, handed down by context from `App.svelte`. */
import { createContext } from 'svelte'
import type { Announcer, Toasts } from './notices/announcer.svelte.ts'
import type { Format } from '../../shared/format/format.ts'

/** The announcer for screen readers. */
export const [getAnnouncer, setAnnouncer] = createContext<Announcer>()

/** The notes at the foot of the window. */
export const [getToasts, setToasts] = createContext<Toasts>()

/** The format in use; `current` changes with the settings, so read it inside markup or `$derived`. */
export const [getFormat, setFormat] = createContext<{ readonly current: Format }>()
