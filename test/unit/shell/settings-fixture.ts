/** The settings calls, with settings in memory. */
import { createSettings } from '../../../electron/app/program/settings.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { ok } from '../../../shared/result.ts'
import { NO_KEPT_LISTS } from '../records/list/stand-in.ts'

/** @param chosen the path that its dialogs return; `null` if they are canceled */
export function settingsCalls(first: Settings, chosen: string | null) {
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
      chooseCertificate: () => Promise.resolve(chosen),
      chooseTable: () => Promise.resolve(null),
      chooseBackup: () => Promise.resolve(null),
      chooseLogo: () => Promise.resolve(chosen),
      chooseRunFile: () => Promise.resolve(null),
    },
  })
  return { handlers, kept: () => kept }
}
