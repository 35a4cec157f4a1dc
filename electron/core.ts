/**
 * The program without a window: every part made once and handed to those who need it. Plain Node, so that tests can
 * run it, and kill it, as a process of its own. `main.ts` adds the shell around it.
 */
import { join } from 'node:path'
import { createActivity } from './app/activity.ts'
import { createBackup } from './app/backup.ts'
import { confirmedHandlers } from './app/confirmations.ts'
import { createExport } from './app/export.ts'
import { createSupport } from './app/field-support.ts'
import { createHistory } from './app/history.ts'
import { createImport } from './app/import.ts'
import { createLastRun } from './app/last-run.ts'
import { createProgram } from './app/program.ts'
import { createRecords } from './app/records.ts'
import { createReportJobs } from './app/report-jobs.ts'
import { createReports } from './app/reports.ts'
import { createRetention } from './app/retention.ts'
import { createSettings } from './app/settings.ts'
import { createShowableFiles } from './app/showable-files.ts'
import { createSupportFile } from './app/support.ts'
import { createUpdates } from './app/updates.ts'
import { createWindowRows } from './app/window-rows.ts'
import { closeEach } from './app/close-each.ts'
import type { Core, CoreOptions } from './core-options.ts'
import { createServiceParts } from './core-service.ts'
import { createImportFiles } from './files/import/import-files.ts'
import { createRows } from './rows/rows-client.ts'
import { SAMPLE_LANE } from './service/lane-key.ts'
import { openSharedLanes } from './store/shared-lanes.ts'
import { openStore } from './store/open-store.ts'
import { openWrites } from './writing/deprovisioning-books.ts'
import { ok, type Result } from '../shared/result.ts'

/** Answers an error when the store can't be used: without a journal nothing may be sent. */
export function createCore(given: CoreOptions): Result<Core> {
  const { settings, clock, random, announcer } = given
  const path = join(given.userData, 'bookbridge.sqlite')
  const opened = openStore(path, { now: () => clock.now(), stateFolder: given.stateFolder })
  if (!opened.ok) return opened
  const store = opened.value
  const sharing = openSharedLanes({
    folder: given.laneFolder,
    own: store.lanes,
    ownFile: path,
    ownLane: SAMPLE_LANE,
  })
  if (!sharing.ok) {
    store.close()
    return sharing
  }
  const lanes = sharing.value
  const showable = createShowableFiles({
    dialog: given.dialog,
    userData: given.userData,
    damagedFiles: () => store.damagedFiles(),
    jobs: () =>
      settings.connections().flatMap(({ connectionId }) => {
        const jobs = store.reportJobs.list(connectionId)
        return jobs.ok ? jobs.value : []
      }),
  })
  const options: CoreOptions = { ...given, dialog: showable.dialog }
  const rows = createRows(options.rowsWorker, clock)
  const windowRows = createWindowRows(rows)
  const service = createServiceParts(options, store, lanes, rows)
  const { client, scheduler, companies, writer } = service
  const support = createSupport(
    client,
    (connectionId) =>
      settings.connections().find((each) => each.connectionId === connectionId)?.address ?? '',
  )
  const retention = createRetention({
    journal: store.journal,
    imports: store.imports,
    rewrite: () => store.rewrite(),
    settings,
    clock,
    idleSeconds: options.idleSeconds,
    isBusy: () => scheduler.lanes().some(({ running, waiting }) => running !== null || waiting.length > 0),
    failed: (error) => {
      options.defect('retention', error.details.raw ?? error.message)
    },
  })

  const lastRun = createLastRun({
    path: join(options.userData, 'running.json'),
    unfinished: store.unfinished,
    settings,
    clock,
  })
  const notices = [
    ...options.startNotices,
    ...store.notices,
    ...(lastRun.notice === null ? [] : [lastRun.notice]),
  ]
  const supportFile = createSupportFile({
    program: options.program,
    userData: options.userData,
    notices,
    settings,
    secrets: options.secrets,
    scheduler,
    log: store.requestLog,
    dialog: options.dialog,
    logLines: options.logLines,
    clock,
  })

  const reports = createReports({
    client,
    rows: windowRows,
    companies,
    dialog: options.dialog,
    clipboard: options.clipboard,
    printer: options.printer,
    settings,
    locale: options.program.locale,
    clock,
  })
  const reportJobs = createReportJobs({
    client,
    rows,
    store: store.reportJobs,
    companies,
    folderDialog: options.folderDialog,
    printer: options.printer,
    settings,
    locale: options.program.locale,
    announcer,
    clock,
    stopEntry: (entryId) => void scheduler.stop(entryId),
    newId: () => random.id(),
    defect: options.defect,
  })

  const exports = createExport({
    companies,
    dialog: options.dialog,
    settings,
    clock,
    newId: () => random.id(),
  })
  const imports = createImport({
    files: createImportFiles({ workerUrl: options.importWorker, clock, newId: () => random.id() }),
    store: store.imports,
    companies,
    dialog: options.dialog,
    openDialog: options.openDialog,
    clock,
    newId: () => random.id(),
  })

  return ok({
    handlers: confirmedHandlers(
      {
        ...createProgram({
          facts: options.program,
          userData: options.userData,
          notices,
          damagedFiles: () => store.damagedFiles(),
          outside: options.outside,
          isShowable: (path) => showable.has(path),
          licenceFiles: options.licenceFiles,
          defect: options.defect,
          reopen: options.reopen,
        }),
        ...createBackup({
          userData: options.userData,
          program: options.program,
          store,
          settings,
          settingsFile: options.settingsFile,
          scheduler,
          dialog: options.dialog,
          openDialog: options.openDialog,
          clock,
          newId: () => random.id(),
          reopen: options.reopen,
        }),
        ...service.connections.handlers,
        ...companies.handlers,
        ...createRecords({
          client,
          scheduler,
          rows: windowRows,
          drafts: store.drafts,
          writer,
          companies,
          support,
          announcer,
          settings,
          clock,
        }),
        ...createHistory({
          store,
          companies,
          support,
          announcer,
          clock,
          newId: () => random.id(),
          forgetLines: (company) => {
            service.requestLog.forget(company)
          },
        }),
        ...imports.handlers,
        ...exports.handlers,
        ...reports.handlers,
        ...reportJobs.handlers,
        ...createActivity({ scheduler, log: store.requestLog, unfinished: store.unfinished, supportFile }),
        ...createSettings({ settings, announcer, openDialog: options.openDialog }),
        ...service.sample,
        ...createUpdates({
          version: options.program.version,
          source: options.updates,
          scheduler,
          unfinished: store.unfinished,
          settings,
          announcer,
        }),
      },
      {
        confirmation: options.confirmation,
        settings,
        companies,
        keys: service.connections.keys,
        unfinished: (connectionId) => store.unfinished.list(connectionId),
        kept: (company) => store.history.kept(company),
        damagedFiles: () => store.damagedFiles(),
        provisionings: (connectionId) => writer.provisionings(connectionId),
        openWrites: (company) => openWrites({ store }, company),
        unasked: options.unasked,
      },
    ),
    start() {
      service.start()
      reportJobs.start()
      retention.start()
    },
    wake() {
      service.wake()
    },
    pageLoaded() {
      reports.forgetAll()
      for (const closing of [windowRows.closeAll(), imports.forgetAll(), exports.forgetAll()]) {
        closing.catch((cause: unknown) => {
          options.defect('closing lists', cause)
        })
      }
    },
    async close() {
      await closeEach(
        [
          () => companies.clearClipboard(),
          () => {
            reportJobs.close()
          },
          () => {
            service.stop()
          },
          () => retention.stop(),
          () => exports.forgetAll(),
          () => rows.close(),
          () => service.close(),
          () => imports.forgetAll(),
          // Whatever failed: the next opening would meet a lock of ours.
          () => {
            lanes.close()
            store.close()
            lastRun.ended()
          },
        ],
        options.defect,
      )
    },
    secrets: () => service.connections.keys.values(),
  })
}
