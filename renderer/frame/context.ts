/** The session, the router, and the screen's commands, as contexts that `App.svelte` provides. */
import { createContext } from 'svelte'
import type { Router } from './router.svelte.ts'
import type { Session } from './session.svelte.ts'
import type { ScreenCommands } from './shortcuts.ts'

/** What is open: connection, companies, the company, settings, what runs. */
export const [getSession, setSession] = createContext<Session>()

/** Which screen is shown. */
export const [getRouter, setRouter] = createContext<Router>()

/** The commands of the current screen, for the palette. */
export const [getScreenCommands, setScreenCommands] = createContext<ScreenCommands>()
