/** The settings that hold for a connection: the program's, and over them what differs there. */
import type { ConnectionSettings, Settings } from '../../shared/contract/settings.ts'
import { defined } from './defined.ts'

/** @param own what differs; `undefined` for a connection that is gone, which has the program's */
export function settingsFor(program: Settings, own: ConnectionSettings | undefined): Settings {
  return own === undefined ? program : { ...program, ...defined(own) }
}

/** Only what differs from the program's settings, so that a change of those still counts here. */
export function ownSettings(chosen: ConnectionSettings, program: Settings): ConnectionSettings {
  const given = Object.entries(defined(chosen)) as [keyof ConnectionSettings, string | number][]
  return Object.fromEntries(given.filter(([name, value]) => program[name] !== value))
}
