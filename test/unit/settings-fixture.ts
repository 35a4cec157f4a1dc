/** The calls on settings, over settings that are kept in memory. */
import { createSettings } from '../../electron/app/program/settings.ts'
import type { Settings } from '../../shared/contract/settings.ts'
import { NO_KEPT_LISTS } from './stand-in.ts'
import { ok } from '../../shared/result.ts'

/** @param certificate the path that its dialog answers; `null` when it is cancelled */
export function settingsCalls(first: Settings, certificate: string | null) {
  let kept = first
  const handlers = createSettings({
    settings: {
      get: () => kept,
      set(change) {
        kept = { ...kept, ...change }
        return ok(kept)
      },
      connections: () => [],
      currentConnectionId: () => null,
      setConnections: () => ok(undefined),
    },
    keptLists: NO_KEPT_LISTS,
    announcer: { emit: () => undefined, notify: () => undefined },
    openDialog: {
      chooseCertificate: () => Promise.resolve(certificate),
      chooseTable: () => Promise.resolve(null),
      chooseBackup: () => Promise.resolve(null),
    },
  })
  return { handlers, kept: () => kept }
}
