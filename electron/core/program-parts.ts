/** The program itself: its data, backups, updates, and what it says about itself. */
import { join } from 'node:path'
import { createActivity } from '../app/program/activity.ts'
import { createBackup } from '../app/program/backup.ts'
import { createLastRun, createProgram, signature } from '../app/program/program.ts'
import { createRetention } from '../app/program/retention.ts'
import { createSettings } from '../app/program/settings.ts'
import { createSupportFile } from '../app/program/support.ts'
import { createUpdates } from '../app/program/updates.ts'
import type { CoreOptions } from './options.ts'
import type { SharedParts } from './service-parts.ts'

export function createProgramParts(
  options: CoreOptions,
  { store, keptLists, service }: SharedParts,
  isShowable: (path: string) => boolean,
) {
  const { clock, random, announcer } = options
  const settings = options.settings.store
  const { scheduler } = service
  const retention = createRetention({
    journal: store.journal,
    imports: store.imports,
    rewrite: () => store.rewrite(),
    settings,
    clock,
    idleSeconds: options.desktop.idleSeconds,
    isBusy: () => scheduler.queues().some(({ running, waiting }) => running !== null || waiting.length > 0),
    failed: (error) => {
      options.log.write('retention', error.details.raw ?? error.message)
    },
  })

  const lastRun = createLastRun({
    path: join(options.folders.userData, 'running.json'),
    unfinished: store.unfinished,
    settings,
    clock,
  })
  const notices = [
    ...options.settings.notices,
    ...store.notices,
    ...(lastRun.notice === null ? [] : [lastRun.notice]),
  ]
  const supportFile = createSupportFile({
    program: options.program.facts,
    userData: options.folders.userData,
    notices,
    settings,
    secrets: options.keychain.secrets,
    scheduler,
    log: store.requestLog,
    dialog: options.dialogs.save,
    logLines: options.log.lastLines,
    clock,
  })

  return {
    retention,
    lastRun,
    handlers: {
      ...createProgram({
        facts: options.program.facts,
        accountName: signature('', options.program.user),
        userData: options.folders.userData,
        notices,
        damagedFiles: () => store.damagedFiles(),
        outside: options.desktop.outside,
        isShowable,
        licenseFiles: options.program.licenseFiles,
        defect: options.log.write,
        reopen: options.reopen,
      }),
      ...createBackup({
        userData: options.folders.userData,
        program: options.program.facts,
        store,
        settings,
        settingsFile: options.settings.file,
        scheduler,
        dialog: options.dialogs.save,
        openDialog: options.dialogs.open,
        clock,
        newId: () => random.id(),
        reopen: options.reopen,
      }),
      ...createActivity({ scheduler, log: store.requestLog, unfinished: store.unfinished, supportFile }),
      ...createSettings({ settings, announcer, openDialog: options.dialogs.open, keptLists }),
      ...createUpdates({
        version: options.program.facts.version,
        source: options.program.updates,
        scheduler,
        unfinished: store.unfinished,
        settings,
        announcer,
      }),
    },
  }
}
