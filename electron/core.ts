/**
 * The program without a window: creates each part once and passes it on. Plain Node, so that tests can run it, and kill
 * it, as a process of its own. `main.ts` adds the shell around it.
 */
import { join } from 'node:path'
import type { CompanyRef } from '../shared/contract/parts.ts'
import { ok, type Result } from '../shared/result.ts'
import { BackgroundReader } from './app/all-companies/background-reading.ts'
import { createFind } from './app/all-companies/find.ts'
import { KeptBooks } from './app/all-companies/kept-books.ts'
import { createMultiCompanyChanges } from './app/all-companies/multi-company-changes.ts'
import { createTidy } from './app/all-companies/tidy.ts'
import type { Handlers } from './app/calls.ts'
import { findConnection } from './app/connections/saved-connections.ts'
import { createImport } from './app/import/import.ts'
import { withConfirmations } from './app/program/confirmations.ts'
import { createShowableFiles, signature } from './app/program/program.ts'
import { createExport } from './app/records/export.ts'
import { createFieldSupport, type GetSupportedFields } from './app/records/field-support.ts'
import { createHistory } from './app/records/history.ts'
import { createHistoryFiles } from './app/records/history-files.ts'
import { KeptLists } from './app/records/kept-lists.ts'
import { ListReading } from './app/records/list-reading.ts'
import { createRecords } from './app/records/records.ts'
import type { UnattendedRuns } from './app/reports/unattended-runs.ts'
import { createWindowRows } from './app/window-rows.ts'
import { timestamp } from './clock.ts'
import type { CoreOptions } from './core/options.ts'
import { createProgramParts } from './core/program-parts.ts'
import { createReportParts } from './core/report-parts.ts'
import { createServiceParts, type SharedParts } from './core/service-parts.ts'
import { createImportFiles } from './files/import/import-files.ts'
import { createRows } from './rows/rows-client.ts'
import { SAMPLE_QUEUE } from './service/queue/request-queue.ts'
import { KEPT_LISTS } from './store/backup/restore.ts'
import { openSharedQueues } from './store/blocked-queues.ts'
import { resultOf } from './store/database.ts'
import { openStore } from './store/store.ts'
import { openWrites } from './writing/companies/deprovision.ts'

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
  /** Parts that are created after those that call them. */
  const later: {
    lists?: ReturnType<typeof createListParts>
    reports?: ReturnType<typeof createReportParts>
  } = {}
  const keptLists = new KeptLists({
    rows: windowRows,
    folder: join(given.folders.userData, KEPT_LISTS),
    secrets: options.keychain.secrets,
    keychainNamespace: options.keychain.namespace,
    clock,
    address: (connectionId) => findConnection(settings, connectionId)?.address ?? '',
    isKept: (company) => settings.get().keepLists && store.companies.get(company)?.keepsLists !== false,
    onForget: () => later.lists?.books.forgetAll(),
    onKept: (connectionId) => {
      later.lists?.books.refresh(connectionId)
      later.lists?.changed(connectionId)
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
    onFiscalYear: async (company) => {
      await later.reports?.months.reviewAgain(company, 'start of the fiscal year')
    },
  })
  const { companies, writer } = service
  const signedAs = (): string => signature(settings.get().preparer, options.program.user)
  const shared: SharedParts = { store, rows, windowRows, keptLists, service }
  const reports = createReportParts(options, shared, signedAs)
  const lists = createListParts(options, shared, {
    support: createFieldSupport(service.client, settings),
    signedAs,
    forgetMonths: (company) => {
      reports.months.forget(company)
    },
  })
  later.reports = reports
  later.lists = lists
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
        unconfirmedSends: options.unconfirmedSends,
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

export interface Core {
  readonly handlers: Handlers
  /** Resumes what an earlier run left. Sends nothing by itself. */
  start(): void
  /** Call when the computer wakes up. */
  wake(): void
  /** Makes the reports of a run file without the window. */
  readonly runs: Pick<UnattendedRuns, 'run'>
  /** Call when the window loads a page. Closes the lists and reports of the previous one. */
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

/* Records of one company, what is kept of them, and changes in several companies. */

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
  const { client, scheduler, companies, writer, operationListeners } = service
  const { savesMark } = writer
  const readingOptions = { client, scheduler, companies, announcer, settings, keptLists, savesMark, clock }
  const listReading = new ListReading({ ...readingOptions, rows: windowRows })
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
    // Not the window's rows, because reading continues when the page is reloaded.
    reading: new ListReading({ ...readingOptions, rows }),
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
    operationListeners,
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
