/** Records of one company, what is kept of them, and changes in several companies. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { BackgroundReader } from '../app/all-companies/background-reading.ts'
import { createFind } from '../app/all-companies/find.ts'
import { KeptBooks } from '../app/all-companies/kept-books.ts'
import { createMultiCompanyChanges } from '../app/all-companies/multi-company-changes.ts'
import { createTidy } from '../app/all-companies/tidy.ts'
import type { GetSupportedFields } from '../app/records/field-support.ts'
import { createHistory } from '../app/records/history.ts'
import { createHistoryFiles } from '../app/records/history-files.ts'
import { createListReading } from '../app/records/list-reading.ts'
import { createRecords } from '../app/records/records.ts'
import { timestamp } from '../clock.ts'
import { createRows } from '../rows/rows-client.ts'
import type { CoreOptions } from './options.ts'
import type { SharedParts } from './service-parts.ts'

export function createListParts(
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
