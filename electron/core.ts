/**
 * The program without a window: creates each part once and passes it on. Plain Node, so that tests can run it, and kill
 * it, as a process of its own. `main.ts` adds the shell around it.
 */
import { join } from 'node:path'
import { createWindowRows } from './app/window-rows.ts'
import { SAMPLE_QUEUE, createQueueNames } from './service/queue/queue-registry.ts'
import { createBatchNotifier } from './app/program/batch-notifier.ts'
import { createRequestLog } from './app/program/request-log.ts'
import { type GetSupportedFields, createFieldSupport } from './app/records/field-support.ts'
import type { CompanyRef } from '../shared/contract/parts.ts'
import type { Batch } from '../shared/contract/records.ts'
import { type AppError, type Result, ok } from '../shared/result.ts'
import { BackgroundReader } from './app/all-companies/background-reading.ts'
import { createFind } from './app/all-companies/find.ts'
import { KeptBooks } from './app/all-companies/kept-books.ts'
import { createMultiCompanyChanges } from './app/all-companies/multi-company-changes.ts'
import { createTidy } from './app/all-companies/tidy.ts'
import { type Handlers, type HandlersOf, defined } from './app/calls.ts'
import { type CompaniesOptions, createCompanies, listedId, withListedIds } from './app/companies/companies.ts'
import { type ConnectionDirectory, createConnections } from './app/connections/connections.ts'
import { addressesOf } from './app/connections/saved-connections.ts'
import { createExport } from './app/import/export.ts'
import { createImport } from './app/import/import.ts'
import type {
  Announcer,
  Clipboard,
  Confirmation,
  FolderDialog,
  OpenDialog,
  SystemOpener,
  Printer,
  ProgramFacts,
  SampleController,
  SaveDialog,
  SchedulerHost,
  SecretStore,
  SettingsFile,
  SettingsStore,
  UpdateSource,
} from './app/ports.ts'
import { createActivity } from './app/program/activity.ts'
import { createBackup } from './app/program/backup.ts'
import { type UnconfirmedSends, withConfirmations } from './app/program/confirmations.ts'
import { createLastRun, createProgram, createShowableFiles } from './app/program/program.ts'
import { createRetention } from './app/program/retention.ts'
import { createSample } from './app/program/sample.ts'
import { createSettings } from './app/program/settings.ts'
import { signature } from './app/program/signature.ts'
import { createSupportFile } from './app/program/support.ts'
import { createUpdates } from './app/program/updates.ts'
import { createRecords } from './app/records/records.ts'
import { createHistory } from './app/records/history.ts'
import { KeptLists } from './app/records/kept-lists.ts'
import { createListReading, createRecordReader } from './app/records/list-reading.ts'
import { createHistoryFiles } from './app/records/history-files.ts'
import { createReportRuns } from './app/reports/report-runs.ts'
import { createReports } from './app/reports/reports.ts'
import { UnattendedRuns } from './app/reports/unattended-runs.ts'
import { dueStart } from './app/schedules/calendar.ts'
import { createSchedules } from './app/schedules/schedules.ts'
import { createSystemScheduler } from './app/schedules/system-scheduler.ts'
import { type Months, createMonths } from './app/review/months.ts'
import { createMonthWatch } from './app/review/watch.ts'
import { type Clock, type Random, timestamp } from './clock.ts'
import { createImportFiles } from './files/import/import-files.ts'
import { createScheduleFiles, scheduleFolder } from './files/schedule-files.ts'
import { createRows } from './rows/rows-client.ts'
import type { Rows } from './rows/rows.ts'
import { type SampleFetch, SAMPLE_KEY, createSampleFetch } from './sample/sample-fetch.ts'
import { translateErrors } from './service/errors/service-errors.ts'
import { createClient } from './service/protocol/client.ts'
import { SAMPLE_ADDRESS } from './service/protocol/operations.ts'
import { Scheduler } from './service/queue/scheduler.ts'
import { type Fetch, createTransport } from './service/transport/transport.ts'
import { type SharedQueues, openSharedQueues } from './store/blocked-queues.ts'
import { KEPT_LISTS } from './store/backup.ts'
import { resultOf, resultOfAsync } from './store/database.ts'
import { type Store, openStore } from './store/store.ts'
import { openWrites } from './writing/companies/deprovision.ts'
import { ADDRESS_CHANGED } from './writing/records/states.ts'
import { createWriter } from './writing/writer.ts'

/** Returns an error if the store can't be used: without a journal, nothing may be sent. */
export function createCore(given: CoreOptions): Result<Core> {
  const { clock, random } = given
  const settings = given.settings.store
  const path = join(given.folders.userData, 'bookbridge.sqlite')
  const opened = openStore(path, {
    now: () => clock.now(),
    stateFolder: given.folders.state,
    user: given.program.user,
  })
  if (!opened.ok) return opened
  const store = opened.value
  const sharing = openSharedQueues({
    folder: given.folders.queues,
    own: store.queues,
    ownFile: path,
    ownQueue: SAMPLE_QUEUE,
  })
  if (!sharing.ok) {
    store.close()
    return sharing
  }
  const queues = sharing.value
  const showable = createShowableFiles({
    dialog: given.dialogs.save,
    userData: given.folders.userData,
    damagedFiles: () => store.damagedFiles(),
    runs: () =>
      settings.connections().flatMap(({ connectionId }) => {
        const runs = resultOf(() => store.reportRuns.list(connectionId))
        return runs.ok ? runs.value : []
      }),
  })
  const options: CoreOptions = { ...given, dialogs: { ...given.dialogs, save: showable.dialog } }
  const rows = options.rows ?? createRows(options.workers.rows, clock)
  const windowRows = createWindowRows(rows)
  const addressOf = (connectionId: string): string =>
    settings.connections().find((each) => each.connectionId === connectionId)?.address ?? ''
  const keptLists = new KeptLists({
    rows: windowRows,
    folder: join(given.folders.userData, KEPT_LISTS),
    secrets: options.keychain.secrets,
    keychainNamespace: options.keychain.namespace,
    clock,
    address: addressOf,
    isKept: (company) => settings.get().keepLists && store.companies.get(company)?.keepsLists !== false,
    onForget: () => {
      lists.books.forgetAll()
    },
    onKept: (connectionId) => {
      lists.books.refresh(connectionId)
      lists.changed(connectionId)
    },
    failed: (what, reason) => {
      options.log.write(`kept lists: ${what}`, reason)
    },
  })
  const service = createServiceParts(options, {
    store,
    queues,
    rows,
    keptLists,
    onBatch: (batch) => {
      lists.multiCompanyChanges.onBatch(batch)
    },
    onFiscalYear: (company) => reports.months.reviewAgain(company, 'start of the fiscal year'),
  })
  const { companies, writer } = service
  const signedAs = (): string => signature(settings.get().preparer, options.program.user)
  const shared: SharedParts = { store, rows, windowRows, keptLists, service }
  const lists = createListParts(options, shared, {
    support: createFieldSupport(service.client, addressOf),
    signedAs,
    forgetMonths: (company) => {
      reports.months.forget(company)
    },
  })
  const reports = createReportParts(options, shared, signedAs)
  const exports = createExport({
    companies,
    dialog: options.dialogs.save,
    settings,
    clock,
    newId: () => random.id(),
  })
  const imports = createImport({
    files: createImportFiles({ workerUrl: options.workers.import, clock, newId: () => random.id() }),
    store: store.imports,
    companies,
    dialog: options.dialogs.save,
    openDialog: options.dialogs.open,
    clock,
    newId: () => random.id(),
  })

  const program = createProgramParts(options, shared, (path) => showable.has(path))

  return ok({
    handlers: withConfirmations(
      {
        ...service.connections.handlers,
        ...service.companies.handlers,
        ...service.sample,
        ...lists.handlers,
        ...imports.handlers,
        ...exports.handlers,
        ...reports.handlers,
        ...program.handlers,
      },
      {
        confirmation: options.dialogs.confirmation,
        settings,
        companies,
        keys: service.connections.keys,
        unfinished: (connectionId) => store.unfinished.list(connectionId),
        kept: (company) => store.history.counts(company),
        damagedFiles: () => store.damagedFiles(),
        provisionings: (connectionId) => writer.provisionings(connectionId),
        openWrites: (company) => openWrites({ store }, company),
        operation: (operationId) => store.journal.operations.byIds([operationId])[0],
        companiesOfChange: lists.multiCompanyChanges.companiesOf,
        unconfirmedSends: options.unasked,
      },
    ),
    start() {
      service.start()
      reports.start()
      lists.multiCompanyChanges.start()
      program.retention.start()
    },
    wake() {
      service.wake()
    },
    runs: reports.runs,
    pageLoaded() {
      reports.pageLoaded()
      for (const closing of [windowRows.closeAll(), imports.forgetAll(), exports.forgetAll()]) {
        closing.catch((cause: unknown) => {
          options.log.write('closing lists', cause)
        })
      }
    },
    async close() {
      await closeEach(
        [
          () => companies.clearClipboard(),
          () => {
            reports.stop()
            lists.backgroundReader.close()
            lists.multiCompanyChanges.close()
          },
          () => {
            service.stop()
          },
          () => program.retention.stop(),
          () => exports.forgetAll(),
          () => keptLists.close(),
          () => lists.books.close(),
          () => rows.close(),
          () => service.close(),
          () => imports.forgetAll(),
          // Always close these, or the next opening would find them locked.
          () => {
            queues.close()
            store.close()
            program.lastRun.end()
          },
        ],
        options.log.write,
      )
    },
    secrets: () => service.connections.keys.secrets(),
  })
}

/** What the groups of parts below share. */
interface SharedParts {
  readonly store: Store
  readonly rows: Rows
  /** The same worker. What was opened through it is closed with the window's page. */
  readonly windowRows: Rows
  readonly keptLists: KeptLists
  readonly service: ServiceParts
}

/** Records of one company, what is kept of them, and changes in several companies. */
function createListParts(
  options: CoreOptions,
  { store, rows, windowRows, keptLists, service }: SharedParts,
  {
    support,
    signedAs,
    forgetMonths,
  }: {
    readonly support: GetSupportedFields
    readonly signedAs: () => string
    readonly forgetMonths: (company: CompanyRef) => void
  },
) {
  const { clock, random, announcer } = options
  const settings = options.settings.store
  const { client, scheduler, companies, writer } = service
  const { savesMark } = writer
  const readingOptions = { client, scheduler, companies, announcer, settings, keptLists, savesMark, clock }
  const listReading = createListReading({ ...readingOptions, rows: windowRows })
  const booksRows = createRows(options.workers.rows, clock)
  const books = new KeptBooks({
    rows: booksRows,
    keptLists,
    writer,
    clock,
    changed: (connectionId) => {
      changed(connectionId)
    },
    defect: (cause) => {
      options.log.write('kept books', cause)
    },
  })
  const backgroundReader = new BackgroundReader({
    // Not the window's: it goes on when the page is loaded again.
    reading: createListReading({ ...readingOptions, rows }),
    keptLists,
    companies,
    noteSupport: async (company, object) => {
      const supported = await support(company, object)
      if (supported.ok) keptLists.noteSupport(company.ref, object, supported.value.paths)
    },
    newId: () => random.id(),
    stopEntry: (entryId) => void scheduler.stop(entryId),
    changed: (connectionId) => {
      books.refresh(connectionId)
      changed(connectionId)
    },
    defect: (cause) => {
      options.log.write('background reading', cause)
    },
  })
  const records = createRecords({
    reading: listReading,
    rows: windowRows,
    drafts: store.drafts,
    writer,
    companies,
    support,
    keptTypes: (company, object) =>
      books.withList(company, object, async ({ setId }) => {
        const types = await booksRows.types(setId)
        return types.ok ? types.value : null
      }),
    announcer,
    settings,
    keptLists,
    clock,
  })
  const historyFiles = createHistoryFiles({
    store,
    settings,
    dialog: options.dialogs.save,
    printer: options.desktop.printer,
    locale: options.program.facts.locale,
    clock,
  })
  const multiCompanyChanges = createMultiCompanyChanges({
    books,
    rows: booksRows,
    companies,
    store,
    support,
    writer,
    send: async (company, object, draftIds) =>
      records['records.send']({ company, object, draftIds: [...draftIds] }),
    test: companies.test,
    stopEntry: (entryId) => void scheduler.stop(entryId),
    historyFiles,
    announcer,
    clock,
    timestamp: () => timestamp(clock),
    newId: () => random.id(),
    defect: (cause) => {
      options.log.write('multi-company changes', cause)
    },
  })
  const changed = (connectionId: string): void => {
    announcer.emit('allCompanies.changed', { connectionId, reading: backgroundReader.state(connectionId) })
  }
  return {
    books,
    backgroundReader,
    multiCompanyChanges,
    /** Tells the window that lists of a connection were read, kept, or indexed. */
    changed,
    handlers: {
      ...records,
      ...multiCompanyChanges.handlers,
      ...createFind({
        books,
        rows: booksRows,
        reader: backgroundReader,
        companies: store.companies,
        settings,
        clock,
      }),
      ...createTidy({
        books,
        rows: booksRows,
        companies,
        store,
        signedAs,
        draftEdits: multiCompanyChanges.draftEdits,
        timestamp: () => timestamp(clock),
      }),
      ...createHistory({
        keptLists,
        store,
        companies,
        support,
        announcer,
        clock,
        newId: () => random.id(),
        settings,
        files: historyFiles,
        forgetLines: (company) => {
          service.requestLog.forget(company)
          forgetMonths(company)
        },
      }),
    },
  }
}

/** Reports, runs of reports, months, and schedules. */
function createReportParts(
  options: CoreOptions,
  { store, rows, windowRows, service }: SharedParts,
  signedAs: () => string,
) {
  const { clock, random, announcer } = options
  const settings = options.settings.store
  const { client, scheduler, companies } = service
  const watchOf = (watched: Rows) =>
    createMonthWatch({
      store: store.months,
      rows: watched,
      clock,
      changed: (company, month) => {
        months.changed(company, month)
      },
      defect: (cause) => {
        options.log.write('watching months', cause)
      },
    })
  const reports = createReports({
    client,
    rows: windowRows,
    companies,
    watch: watchOf(windowRows),
    dialog: options.dialogs.save,
    clipboard: options.desktop.clipboard,
    printer: options.desktop.printer,
    settings,
    locale: options.program.facts.locale,
    clock,
    stopEntry: (entryId) => void scheduler.stop(entryId),
  })
  const reportRuns = createReportRuns({
    client,
    rows,
    store: store.reportRuns,
    companies,
    watch: watchOf(rows),
    folderDialog: options.dialogs.folder,
    printer: options.desktop.printer,
    settings,
    locale: options.program.facts.locale,
    announcer,
    clock,
    stopEntry: (entryId) => void scheduler.stop(entryId),
    newId: () => random.id(),
    defect: options.log.write,
  })

  const scheduleFiles = createScheduleFiles(scheduleFolder(options.folders.userData))
  const months: Months = createMonths({
    client,
    rows,
    store,
    companies,
    watch: watchOf(rows),
    dialog: options.dialogs.save,
    printer: options.desktop.printer,
    settings,
    locale: options.program.facts.locale,
    signedAs,
    announcer,
    clock,
    newId: () => random.id(),
    stopEntry: (entryId) => void scheduler.stop(entryId),
    defect: options.log.write,
  })

  const systemScheduler = createSystemScheduler(
    options.desktop.schedulerHost,
    scheduleFolder(options.folders.userData),
    clock,
  )
  const runs = new UnattendedRuns({
    settings,
    companies: companies.handlers,
    hasKey: (connectionId) => service.connections.keys.target(connectionId),
    reportRuns,
    months,
    announcer,
    onEnded: (runFile, { endedAt, outcome, message }) => {
      scheduleFiles.noteEnd(runFile, { at: endedAt, outcome, message })
      announcer.emit('schedules.changed', {})
    },
    dueAt: async (runFile) => {
      const schedules = scheduleFiles.using(runFile)
      if (schedules.length === 0) return null
      const kind = await systemScheduler.kind()
      const known = kind.ok ? kind.value : null
      const due = schedules
        .map((each) => dueStart(each, scheduleFiles.last(each.scheduleId), clock.now(), known))
        .filter((each) => each !== null)
      return due.length === 0 ? null : Math.max(...due)
    },
    locale: options.program.facts.locale,
    clock,
  })

  return {
    months,
    runs,
    handlers: {
      ...reports.handlers,
      ...reportRuns.handlers,
      ...months.handlers,
      ...createSchedules({
        files: scheduleFiles,
        scheduler: systemScheduler,
        host: options.desktop.schedulerHost,
        runs,
        settings,
        companies,
        folderDialog: options.dialogs.folder,
        openDialog: options.dialogs.open,
        announcer,
        clock,
        newId: () => random.id(),
        defect: options.log.write,
      }),
    },
    start() {
      reportRuns.start()
    },
    /** Closes the reports of the window's page. */
    pageLoaded() {
      reports.forgetAll()
    },
    /** Starts nothing new. */
    stop() {
      runs.close()
      reportRuns.close()
      months.close()
    },
  }
}

/** The program itself: its data, backups, updates, and what it says about itself. */
function createProgramParts(
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

/*
 * The parts that talk to the service: connections and their keys, queues, client, companies, and writer. They depend on
 * each other (an accepted key resumes what waits, a response says that its company can be reached), so they are created
 * together. A part that is needed before it exists is passed as a function.
 */

/** Milliseconds between `activity.changed` events. */
const ANNOUNCE_EVERY = 80

type ServiceParts = ReturnType<typeof createServiceParts>

/** What the parts below share with others. The caller closes them. */
interface ServiceNeeds {
  readonly store: Store
  readonly queues: SharedQueues
  readonly rows: Rows
  readonly keptLists: KeptLists
  /** Called when a batch has come further. */
  readonly onBatch?: (batch: Batch) => void
  readonly onFiscalYear: CompaniesOptions['onFiscalYear']
}

function createServiceParts(options: CoreOptions, needs: ServiceNeeds) {
  const { store, queues, rows, keptLists, onBatch, onFiscalYear } = needs
  const { clock, random, announcer } = options
  const settings = options.settings.store
  const transport = createTransport({
    resolveProxy: options.network.resolveProxy,
    certificateFile: () => settings.get().certificateFile,
    clock,
  })
  const sample = createSampleFetch({
    workerUrl: options.workers.sample,
    databasePath: join(options.folders.userData, 'sample.sqlite'),
    ...(options.sampleToday === '' ? {} : { today: options.sampleToday }),
  })
  const requestLog = createRequestLog({ store: store.requestLog, clock, defect: options.log.write })
  const forget = (connectionId: string): Promise<Result<void>> =>
    resultOfAsync(async () => {
      await store.companies.removeConnection(connectionId)
      requestLog.forget({ connectionId })
      await keptLists.forget({ connectionId })
      return ok(undefined)
    })
  const sampleControls = createSample({
    settings,
    controller: createSampleController(sample),
    forget,
  })

  // Another keychain namespace means other keys, as in a developer's test.
  const queueOf = createQueueNames(`${queues.secret}\n${options.keychain.namespace}`)
  let announcing: (() => void) | null = null
  const scheduler = new Scheduler({
    clock,
    newId: () => random.id(),
    storage: queues,
    graceMilliseconds: () => settings.get().graceSeconds * 1_000,
    onResume: (connectionId) => {
      writer.resumeAfterKeyAccepted(connectionId)
    },
    onChange: () => {
      announcing ??= clock.after(ANNOUNCE_EVERY, () => {
        announcing = null
        announcer.emit('activity.changed', { queues: scheduler.queues() })
      })
    },
  })
  /** Sends a write only after the witness beside the database recorded it. */
  const witnessed =
    (fetch: Fetch): Fetch =>
    async (input, init, canSend) => {
      if (init?.method !== 'GET') await clock.during(store.witnessed())
      return fetch(input, init, canSend)
    }
  const serviceClient = createClient({
    scheduler,
    clock,
    target: (connectionId, isTest) => connections.keys.target(connectionId, isTest),
    queueOf,
    fetchFor: (target) =>
      witnessed(
        target.address === SAMPLE_ADDRESS ? sample.fetch : (options.network.fetch ?? transport.fetch),
      ),
    settings: (connectionId) => connections.keys.settings(connectionId),
    openLog: () => {
      const since = requestLog.deletions()
      return (entry) => {
        companies.onRequestLogged(entry)
        requestLog.put(entry, since)
      }
    },
    random,
  })
  const client = withListedIds(serviceClient, (company) => listedId(store.companies, company))
  const companies = createCompanies({
    settings,
    store: store.companies,
    setupDrafts: store.setupDrafts,
    client,
    writer: () => writer,
    hasOlderService: (connectionId) => connections.keys.hasOlderService(connectionId),
    hasOnlyOlderService: (connectionId) => connections.keys.hasOnlyOlderService(connectionId),
    clipboard: options.desktop.clipboard,
    dialog: options.dialogs.save,
    keptLists,
    onFiscalYear,
    announcer,
    clock,
  })
  const connections: { handlers: HandlersOf<'connection'>; keys: ConnectionDirectory } = createConnections({
    settings,
    secrets: options.keychain.secrets,
    keychainNamespace: options.keychain.namespace,
    sampleKey: SAMPLE_KEY,
    resetSample: () => sampleControls.reset(),
    announcer,
    clock,
    client: () => client,
    scheduler: () => scheduler,
    forget,
    provisionings: (connectionId) => writer.provisionings(connectionId),
    learned: (connectionId) => {
      const listed = store.journal.writePolicies.list(connectionId)
      return listed.map(({ application, object, kind, policy }) => {
        const { isProven, isStopped, learned } = policy
        const { traits: _traits, ...shown } = learned
        return { application, object, kind, isProven, isStopped, ...shown }
      })
    },
    changeAddresses: (...where) =>
      resultOf(() => {
        writer.changeAddresses(...where)
      }),
    listed: companies.updateFromLists,
  })
  /** Requests of an earlier run may keep queues blocked. Shows them before anything is sent. */
  const restoreQueues = async (): Promise<void> => {
    const current = settings.currentConnectionId()
    const ids = settings.connections().map(({ connectionId }) => connectionId)
    // Read one key at a time from the keychain, the current connection's first.
    for (const connectionId of ids.toSorted((a, b) => Number(b === current) - Number(a === current))) {
      const target = await connections.keys.target(connectionId)
      if (!target.ok) continue
      const { address, legacyAddress, legacyKey } = target.value
      if (address !== '') scheduler.recall(connectionId, queueOf(target.value), undefined, address)
      // Without its key, the older service isn't used.
      if (legacyKey !== '') scheduler.recall(connectionId, queueOf(target.value, 'v1'), 'v1', legacyAddress)
    }
  }
  const tryAtStart = (step: () => unknown): void => {
    const done = resultOf(step)
    if (!done.ok) options.log.write('start', done.error.details.raw ?? done.error.message)
  }
  const noticeOf = createBatchNotifier(announcer, companies)
  const writer = createWriter({
    store,
    client,
    reader: createRecordReader(rows, companies, settings),
    directory: companies,
    translate: translateErrors,
    clock,
    settings: (connectionId) => connections.keys.settings(connectionId),
    newId: () => random.orderedId(),
    onDefect: (cause) => {
      options.log.write('writing', cause)
    },
    listener: {
      operationsChanged(company, object, operations, batch) {
        announcer.emit('records.changed', { company, object, operations: [...operations], batch })
        if (batch !== null) {
          noticeOf(batch)
          onBatch?.(batch)
        }
        announcer.emit('companies.changed', { connectionId: company.connectionId })
      },
      companiesChanged(connectionId) {
        announcer.emit('companies.changed', { connectionId })
      },
      companiesRead: companies.mergeCompanies,
    },
  })

  return {
    client,
    scheduler,
    companies,
    connections,
    requestLog,
    writer,
    sample: sampleControls.handlers,
    /** Resumes what an earlier run left. Sends nothing by itself. */
    start(): void {
      // The settings may have other addresses than the journal: after a restore, or if the file was replaced.
      for (const connection of settings.connections()) {
        const how = { isSameService: false, reason: ADDRESS_CHANGED }
        tryAtStart(() =>
          store.journal.serviceAddresses.change(connection.connectionId, addressesOf(connection), how),
        )
      }
      tryAtStart(() => {
        writer.start()
      })
      keptLists
        .sweep(
          settings.connections().map(({ connectionId }) => connectionId),
          (connectionId) => store.companies.list(connectionId).map(({ ref }) => ref),
        )
        .catch((cause: unknown) => options.log.write('kept lists', cause))
      void restoreQueues()
      requestLog.start()
    },
    wake(): void {
      serviceClient.wake()
      scheduler.wake()
    },
    /** Starts nothing new. */
    stop(): void {
      announcing?.()
      writer.close()
    },
    async close(): Promise<void> {
      await Promise.all([sample.close(), transport.close()])
    },
  }
}

/** Translates between the sample's types and the contract's. */
function createSampleController(sample: SampleFetch): SampleController {
  const told = async (asked: ReturnType<SampleFetch['state']>): ReturnType<SampleController['state']> => {
    const { today, latencyMs, closingDate, files, nextFile, allWell, counts } = await asked
    return { today, latencyMs, closingDate, files, nextFile: nextFile?.companyName ?? '', allWell, counts }
  }
  return {
    state: () => told(sample.state()),
    control: ({ conditions, ...change }) =>
      told(sample.control({ ...change, ...(conditions && { conditions: defined(conditions) }) })),
    reset: () => told(sample.reset()),
  }
}

/** Everything the core needs from outside. */
export interface CoreOptions {
  readonly folders: {
    /** Holds all of this program's files. Must exist. */
    readonly userData: string
    /** Shared by all programs of this user that use the same keys (`blocked-queues.ts`). */
    readonly queues: string
    /** Where this system keeps a program's state apart from its data (`store/lineage.ts`). `null` where there is none. */
    readonly state: string | null
  }
  readonly settings: {
    readonly store: SettingsStore
    readonly file: SettingsFile
    /** Shown at the start, besides those of the store. */
    readonly notices: readonly AppError[]
  }
  readonly keychain: {
    readonly secrets: SecretStore
    /** Keeps entries of tests and developers apart from real ones. Empty for users. */
    readonly namespace: string
  }
  readonly dialogs: {
    readonly save: SaveDialog
    readonly folder: FolderDialog
    readonly open: OpenDialog
    readonly confirmation: Confirmation
  }
  readonly desktop: {
    readonly outside: SystemOpener
    readonly clipboard: Clipboard
    readonly printer: Printer
    /** Seconds since anyone used this computer. */
    readonly idleSeconds: () => number
    readonly schedulerHost: SchedulerHost
  }
  readonly network: {
    /** The system's proxy for an address, in the format of `session.resolveProxy`. */
    readonly resolveProxy: (url: string) => Promise<string>
    /** Handles every request except the sample's. If left out, requests use the transport. */
    readonly fetch?: Fetch
  }
  readonly program: {
    readonly facts: ProgramFacts
    /** The name with which they signed in to this computer. */
    readonly user: string
    /** Lists of the licenses of everything that ships, written by the build. */
    readonly licenseFiles: readonly URL[]
    readonly updates: UpdateSource | { readonly off: string }
  }
  readonly workers: { readonly rows: URL; readonly sample: URL; readonly import: URL }
  /** Holds large responses. If left out, a worker of its own does. */
  readonly rows?: Rows
  /** The day the sample's dates are based on at its first run (`yyyy-mm-dd`). Empty for the computer's date. */
  readonly sampleToday: string
  readonly announcer: Announcer
  readonly clock: Clock
  readonly random: Random
  /** Outlives the core. */
  readonly unasked: UnconfirmedSends
  /** The log of unexpected errors. */
  readonly log: {
    readonly write: (where: string, cause: unknown) => void
    readonly lastLines: () => readonly string[]
  }
  /** Closes this core and opens another one on the same folder, once the current call was answered. */
  readonly reopen: () => void
}

export interface Core {
  readonly handlers: Handlers
  /** Resumes what an earlier run left. Sends nothing by itself. */
  start(): void
  /** Call it when the computer wakes up. */
  wake(): void
  /** Makes reports as a run file says, without the window. */
  readonly runs: Pick<UnattendedRuns, 'run'>
  /** Call it when the window loads a page. Closes the lists and reports of the previous one. */
  pageLoaded(): void
  close(): Promise<void>
  /** Keys in memory, so that none is written to a log. */
  secrets(): readonly string[]
}

/**
 * Runs all steps in order, even if some fail.
 * @param defect called for each failure
 */
async function closeEach(
  steps: readonly (() => unknown)[],
  defect: (where: string, cause: unknown) => void,
): Promise<void> {
  for (const step of steps) {
    try {
      await step()
    } catch (cause) {
      defect('closing', cause)
    }
  }
}
