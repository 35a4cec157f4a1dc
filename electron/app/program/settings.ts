/** Settings: preferences, saved as soon as they change. */
import type { Settings } from '../../../shared/contract/settings.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { readLogo } from '../../files/print/letterhead.ts'
import { readCertificateFile } from '../../service/transport/certificates.ts'
import { defined, type HandlersOf } from '../calls.ts'
import type { Announcer, OpenDialog, SettingsStore } from '../ports.ts'
import type { KeptLists } from '../records/kept-lists.ts'

export function createSettings(options: {
  readonly settings: SettingsStore
  readonly announcer: Announcer
  readonly openDialog: OpenDialog
  readonly keptLists: Pick<KeptLists, 'forgetAll'>
}): HandlersOf<'settings'> {
  const { settings, announcer } = options

  const keep = (change: Partial<Settings>): Result<Settings> => {
    const kept = settings.set(change)
    if (kept.ok) announcer.emit('settings.changed', kept.value)
    return kept
  }

  return {
    'settings.get': () => ok(settings.get()),
    'settings.set': async (change) => {
      const kept = keep(defined(change))
      if (kept.ok && change.keepLists === false) await options.keptLists.forgetAll()
      return kept
    },
    'settings.chooseCertificate': async () => {
      const certificateFile = await options.openDialog.chooseCertificate()
      if (certificateFile === null) return ok(settings.get())
      const read = readCertificateFile(certificateFile)
      return read.ok ? keep({ certificateFile }) : read
    },
    'settings.chooseLogo': async () => {
      const path = await options.openDialog.chooseLogo()
      if (path === null) return ok(settings.get())
      const logo = readLogo(path)
      return logo.ok ? keep({ logo: logo.value }) : logo
    },
  }
}

// The preferences of a new installation. decisions.md explains the figures.

export const DEFAULT_SETTINGS: Settings = {
  theme: 'system',
  textSize: 100,
  negatives: 'minus',
  readSeconds: 120,
  writeSeconds: 180,
  provisionSeconds: 600,
  reportSeconds: 300,
  graceSeconds: 5,
  recheckSeconds: 60,
  batchSize: 50,
  responseMebibytes: 400,
  markWithExternalId: true,
  reviewFirst: true,
  keepLists: true,
  pageParameter: 'page',
  dataSchemaVersion: '20.04',
  reportSchemaVersion: '1',
  certificateFile: '',
  firmName: '',
  preparer: '',
  logo: '',
  historyDays: 365,
  columnStates: {},
  listNames: [],
  reportPeriod: 'last-month',
  lastCompany: null,
}
