/** Settings: preferences, kept at once when they are changed. */
import type { Settings } from '../../shared/contract/settings.ts'
import { ok, type Result } from '../../shared/result.ts'
import { readCertificateFile } from '../service/certificates.ts'
import { defined } from './defined.ts'
import type { HandlersOf } from './handlers.ts'
import type { Announcer, OpenDialog, SettingsStore } from './ports.ts'

export function createSettings(options: {
  readonly settings: SettingsStore
  readonly announcer: Announcer
  readonly openDialog: OpenDialog
}): HandlersOf<'settings'> {
  const { settings, announcer } = options

  const keep = (change: Partial<Settings>): Result<Settings> => {
    const kept = settings.set(change)
    if (kept.ok) announcer.emit('settings.changed', kept.value)
    return kept
  }

  return {
    'settings.get': () => ok(settings.get()),
    'settings.set': (change) => keep(defined(change)),
    'settings.chooseCertificate': async () => {
      const certificateFile = await options.openDialog.chooseCertificate()
      if (certificateFile === null) return ok(settings.get())
      const read = readCertificateFile(certificateFile)
      return read.ok ? keep({ certificateFile }) : read
    },
  }
}
