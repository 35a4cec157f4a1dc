/** Interprets a window's `webPreferences`. */
import type { WebPreferences } from 'electron'
import type { Host } from './host.ts'
import type { HostSession } from './session.ts'

/** Refuses preferences that the host can't honor. */
export function refuseUnfaithful(preferences: WebPreferences): void {
  const { contextIsolation, nodeIntegration, webviewTag, webSecurity, nodeIntegrationInSubFrames } =
    preferences
  const refused = { nodeIntegration, webviewTag, nodeIntegrationInSubFrames }
  for (const [name, value] of Object.entries(refused)) {
    if (value === true) throw new Error(`The Chromium host has no webPreferences.${name}`)
  }
  if (contextIsolation === false || webSecurity === false) {
    throw new Error('The Chromium host has no window without contextIsolation and webSecurity')
  }
}

/** The given session, or the one of the named partition. */
export function sessionOf({ sessions }: Host, preferences: WebPreferences): HostSession {
  const given = sessions.all().find((session) => (session as unknown) === preferences.session)
  return given ?? sessions.fromPartition(preferences.partition ?? '')
}
