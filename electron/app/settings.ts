/** Settings: preferences, kept at once when they are changed. */
import { ok } from '../../shared/result.ts'
import { defined } from './defined.ts'
import type { HandlersOf } from './handlers.ts'
import type { Announcer, SettingsStore } from './ports.ts'

export function createSettings(options: {
  readonly settings: SettingsStore
  readonly announcer: Announcer
}): HandlersOf<'settings'> {
  const { settings, announcer } = options
  return {
    'settings.get': () => ok(settings.get()),
    'settings.set': (change) => {
      const kept = settings.set(defined(change))
      if (kept.ok) announcer.emit('settings.changed', kept.value)
      return kept
    },
  }
}
