/**
 * The program without a window: every part made once and handed to those who need it. Plain Node, so that tests can
 * run it, and kill it, as a process of its own. `main.ts` adds the shell around it.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createActivity } from './app/activity.ts'
import { createBackup } from './app/backup.ts'
import { createBatchNotice } from './app/batch-notice.ts'
import { createCompanies } from './app/companies.ts'
import { createConnections, type Keys } from './app/connections.ts'
import { defined } from './app/defined.ts'
import { createExport } from './app/export.ts'
import { createSupport } from './app/field-support.ts'
import type { Handlers, HandlersOf } from './app/handlers.ts'
import { listedId, withListedIds } from './app/listed-ids.ts'
import { createHistory } from './app/history.ts'
import { createImport } from './app/import.ts'
import type {
  Announcer,
  Clipboard,
  Clock,
  FolderDialog,
  SampleDesks,
  OpenDialog,
  Outside,
  Printer,
  ProgramFacts,
  SaveDialog,
  SecretStore,
  SettingsFile,
  SettingsStore,
  UpdateSource,
} from './app/ports.ts'
import { createLastRun } from './app/last-run.ts'
import { createProgram } from './app/program.ts'
import { createRecordReader } from './app/record-reader.ts'
import { createRecords } from './app/records.ts'
import { createReportJobs } from './app/report-jobs.ts'
import { createReports } from './app/reports.ts'
import { createRetention } from './app/retention.ts'
import { createRequestLog } from './app/request-log.ts'
import { createSample } from './app/sample.ts'
import { createSettings } from './app/settings.ts'
import { createSupportFile } from './app/support.ts'
import { createUpdates } from './app/updates.ts'
import { createWindowRows } from './app/window-rows.ts'
import { createImportFiles } from './files/import/import-files.ts'
import { createRows } from './rows/rows-client.ts'
import { createSampleFetch, SAMPLE_KEY, type SampleFetch } from './sample/sample-fetch.ts'
import { SAMPLE_ADDRESS } from './service/addresses.ts'
import { createClient } from './service/client.ts'
import { laneFor } from './service/lane-key.ts'
import { createScheduler } from './service/scheduler.ts'
import { translateErrors } from './service/service-errors.ts'
import { createTransport } from './service/transport.ts'
import { openStore } from './store/open-store.ts'
import { createWriter } from './writing/writer.ts'
import { ok, type AppError, type Result } from '../shared/result.ts'

export interface CoreOptions {
  /** Everything of ours lies there; the folder exists. */
  readonly userData: string
  readonly settings: SettingsStore
  readonly settingsFile: SettingsFile
  readonly secrets: SecretStore
  readonly keychainNamespace: string
  readonly dialog: SaveDialog
  readonly folderDialog: FolderDialog
  readonly openDialog: OpenDialog
  readonly program: ProgramFacts
  readonly outside: Outside
  /** What has to be said at the start, besides what the store says. */
  readonly startNotices: readonly AppError[]
  readonly clipboard: Clipboard
  readonly printer: Printer
  readonly announcer: Announcer
  readonly clock: Clock
  readonly rowsWorker: URL
  readonly sampleWorker: URL
  readonly importWorker: URL
  /** The day that the sample's dates are counted from at its first run, `yyyy-mm-dd`; the machine's when empty. */
  readonly sampleToday: string
  /** The system's proxy for an address, as `session.resolveProxy` says it. */
  readonly resolveProxy: (url: string) => Promise<string>
  /** What the build wrote of the licences of all that ships. */
  readonly licenceFiles: readonly URL[]
  readonly updates: UpdateSource | { readonly off: string }
  /** Closes this core and opens another on the same folder, as soon as this call has been answered. */
  readonly reopen: () => void
  /** The last lines of that log. */
  readonly logLines: () => readonly string[]
  /** Seconds since anybody used this computer. */
  readonly idleSeconds: () => number
  /** A defect of ours, for the log. */
  readonly defect: (where: string, cause: unknown) => void
}

export interface Core {
  readonly handlers: Handlers
  /** Takes up what an earlier run left; sends nothing by itself. */
  start(): void
  /** The machine woke up. */
  wake(): void
  /** The window has another page: the lists and reports that the one before held are let go of. */
  pageLoaded(): void
  close(): Promise<void>
  /** Keys that this process holds, to be kept out of what it writes. */
  secrets(): readonly string[]
}

/** Often enough to look alive, seldom enough to cost nothing. */
const ANNOUNCE_EVERY = 80

/** Answers an error when the store can't be used: without a journal nothing may be sent. */
export function createCore(options: CoreOptions): Result<Core> {
  const { settings, clock, announcer } = options
  const opened = openStore(join(options.userData, 'bookbridge.sqlite'), { now: () => clock.now() })
  if (!opened.ok) return opened
  const store = opened.value
  const rows = createRows(options.rowsWorker)
  const windowRows = createWindowRows(rows)
  const transport = createTransport({
    resolveProxy: options.resolveProxy,
    certificateFile: () => settings.get().certificateFile,
  })
  const sample = createSampleFetch({
    workerUrl: options.sampleWorker,
    databasePath: join(options.userData, 'sample.sqlite'),
    ...(options.sampleToday === '' ? {} : { today: options.sampleToday }),
  })
  const sampleDesk = createSample({
    settings,
    desks: desksOf(sample),
    forget: (connectionId) => store.companies.removeConnection(connectionId),
  })

  let announcing: (() => void) | null = null
  const scheduler = createScheduler({
    clock,
    memory: store.lanes,
    settleMilliseconds: () => settings.get().settleSeconds * 1_000,
    onResume: (connectionId) => {
      writer.goOnWithKey(connectionId)
    },
    onChange: () => {
      announcing ??= clock.after(ANNOUNCE_EVERY, () => {
        announcing = null
        announcer.emit('activity.changed', { lanes: scheduler.lanes() })
      })
    },
  })
  const requestLog = createRequestLog({ store: store.requestLog, clock, defect: options.defect })
  const serviceClient = createClient({
    scheduler,
    clock,
    target: (connectionId, isTest) => connections.keys.target(connectionId, isTest),
    fetchFor: (target) => (target.address === SAMPLE_ADDRESS ? sample.fetch : transport.fetch),
    settings: (connectionId) => connections.keys.settings(connectionId),
    log: (entry) => {
      companies.heard(entry)
      requestLog.put(entry)
    },
    random: Math.random,
  })
  const client = withListedIds(serviceClient, (company) => listedId(store.companies, company))
  const companies = createCompanies({
    settings,
    store: store.companies,
    visits: store.visits,
    client,
    writer: () => writer,
    olderService: (connectionId) => connections.keys.olderService(connectionId),
    clipboard: options.clipboard,
    dialog: options.dialog,
    announcer,
    clock,
  })
  const connections: { handlers: HandlersOf<'connection'>; keys: Keys } = createConnections({
    settings,
    secrets: options.secrets,
    keychainNamespace: options.keychainNamespace,
    sampleKey: SAMPLE_KEY,
    resetSample: () => sampleDesk.reset(),
    announcer,
    client: () => client,
    scheduler: () => scheduler,
    companies: () => store.companies,
    provisionings: (connectionId) => writer.provisionings(connectionId),
    listed: companies.listed,
  })
  /** What an earlier run left on its way may keep lanes shut; they are shown before anything is asked. */
  const recallLanes = async (): Promise<void> => {
    const current = settings.currentConnectionId()
    const ids = settings.connections().map(({ connectionId }) => connectionId)
    // The keychain is asked for one key after another, the one that is waited for first.
    for (const connectionId of ids.toSorted((a, b) => Number(b === current) - Number(a === current))) {
      const target = await connections.keys.target(connectionId)
      if (!target.ok) continue
      scheduler.recall(connectionId, laneFor(target.value))
      // Without its key the older service is not asked.
      if (target.value.legacyKey !== '') scheduler.recall(connectionId, laneFor(target.value, 'v1'), 'v1')
    }
  }
  const noticeOf = createBatchNotice(announcer, companies)
  const writer = createWriter({
    store,
    client,
    reader: createRecordReader(rows, companies, settings),
    directory: companies,
    translate: translateErrors,
    clock,
    settings: (connectionId) => connections.keys.settings(connectionId),
    newId: () => randomUUID(),
    onDefect: (cause) => {
      options.defect('writing', cause)
    },
    listener: {
      operationsChanged(company, object, operations, batch) {
        announcer.emit('records.changed', { company, object, operations: [...operations], batch })
        if (batch !== null) noticeOf(batch)
        announcer.emit('companies.changed', { connectionId: company.connectionId })
      },
      companiesChanged(connectionId) {
        announcer.emit('companies.changed', { connectionId })
      },
      companiesRead: companies.cameBy,
    },
  })

  const support = createSupport(client)
  const retention = createRetention({
    journal: store.journal,
    imports: store.imports,
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
    newId: () => randomUUID(),
    defect: options.defect,
  })

  const exports = createExport({
    companies,
    dialog: options.dialog,
    settings,
    clock,
    newId: () => randomUUID(),
  })
  const imports = createImport({
    files: createImportFiles(options.importWorker),
    store: store.imports,
    companies,
    dialog: options.dialog,
    openDialog: options.openDialog,
    clipboard: options.clipboard,
    clock,
    newId: () => randomUUID(),
  })

  return ok({
    handlers: {
      ...createProgram({
        facts: options.program,
        userData: options.userData,
        notices,
        outside: options.outside,
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
        reopen: options.reopen,
      }),
      ...connections.handlers,
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
      ...createHistory({ store, companies, support, announcer, clock, newId: () => randomUUID() }),
      ...imports.handlers,
      ...exports.handlers,
      ...reports.handlers,
      ...reportJobs.handlers,
      ...createActivity({ scheduler, log: store.requestLog, unfinished: store.unfinished, supportFile }),
      ...createSettings({ settings, announcer, openDialog: options.openDialog }),
      ...sampleDesk.handlers,
      ...createUpdates({
        version: options.program.version,
        source: options.updates,
        scheduler,
        unfinished: store.unfinished,
        settings,
        announcer,
      }),
    },
    start() {
      const started = writer.start()
      if (!started.ok) options.defect('start', started.error.details.raw ?? started.error.message)
      void recallLanes()
      requestLog.start()
      reportJobs.start()
      retention.start()
    },
    wake() {
      serviceClient.wake()
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
      announcing?.()
      await companies.clearClipboard()
      retention.stop()
      reportJobs.close()
      writer.close()
      await exports.forgetAll()
      await Promise.all([rows.close(), sample.close(), transport.close(), imports.forgetAll()])
      store.close()
      lastRun.ended()
    },
    secrets: () => connections.keys.values(),
  })
}

/** The sample's own words, in those of the contract. */
function desksOf(sample: SampleFetch): SampleDesks {
  const told = async (asked: ReturnType<SampleFetch['state']>): ReturnType<SampleDesks['state']> => {
    const { today, latencyMs, closingDate, files, nextFile, counts } = await asked
    return { today, latencyMs, closingDate, files, nextFile: nextFile?.companyName ?? '', counts }
  }
  return {
    state: () => told(sample.state()),
    control: ({ conditions, ...change }) =>
      told(sample.control({ ...change, ...(conditions && { conditions: defined(conditions) }) })),
    reset: () => told(sample.reset()),
  }
}
