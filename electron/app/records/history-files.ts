/**
 * Files about what was sent: the receipt of one batch, and the history of a company, a list, or a record in a period,
 * oldest first.
 */
import { displayName } from '../../../shared/companies/companies.ts'
import type { LeftOut } from '../../../shared/contract/all-companies.ts'
import type { CallInput } from '../../../shared/contract/contract.ts'
import type { HistoryRecord } from '../../../shared/contract/history.ts'
import type { CompanyRef, SavedFile } from '../../../shared/contract/parts.ts'
import { Format, localDay } from '../../../shared/format/format.ts'
import { listName } from '../../../shared/records/definition.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { fileName } from '../../files/file-name.ts'
import { letterheadOf } from '../../files/print/letterhead.ts'
import {
  historyPrint,
  multiCompanyReceiptPrint,
  receiptPrint,
  rowsToPrint,
} from '../../files/print/receipt-print.ts'
import { MAX_PRINTED_ROWS } from '../../files/print/report-print.ts'
import {
  type HistoryFileFacts,
  type HistoryPart,
  historyWorkbook,
} from '../../files/workbook/history-workbook.ts'
import { writeFileAtomically } from '../../files/write-file.ts'
import type { HistoryBatch, HistoryCursor } from '../../store/journal/history.ts'
import type { Store } from '../../store/store.ts'
import type { PrintDocument, Printer, SaveDialog, SettingsStore } from '../ports.ts'
import { batchEntry, entryWith, manageEntries, newestFirst, recordView, sentTimeOf } from './sent-entries.ts'

export type HistoryFileRequest = CallInput<'history.saveHistory'>

export interface HistoryFilesOptions {
  readonly store: Pick<Store, 'companies' | 'history' | 'journal'>
  readonly settings: Pick<SettingsStore, 'get' | 'connections'>
  readonly dialog: SaveDialog
  readonly printer: Printer
  /** BCP 47, of the computer. */
  readonly locale: string
  readonly clock: Clock
}

export interface HistoryFiles {
  saveReceipt(batchId: string): Promise<Result<SavedFile>>
  /** One receipt of what one change sent to several companies. */
  saveMultiCompanyReceipt(
    object: string,
    title: string,
    sent: readonly {
      readonly company: CompanyRef
      readonly companyName: string
      readonly operationIds: readonly string[]
      /** Attempts that were followed by others. They are listed, but not counted. */
      readonly earlierIds: readonly string[]
    }[],
    leftOut: readonly LeftOut[],
  ): Promise<Result<SavedFile>>
  save(asked: HistoryFileRequest): Promise<Result<SavedFile>>
}

/** Records to read from the journal at once. */
const PAGE = 500
/** More than any batch, record, or page has. */
const ALL = Number.MAX_SAFE_INTEGER

const NOTHING = appError(
  'not-found',
  'Nothing in this list and period was sent from this computer.',
  'Choose a longer period, or another list.',
)

export function createHistoryFiles(options: HistoryFilesOptions): HistoryFiles {
  const { store, clock } = options
  const { history } = store

  const nameOf = (company: CompanyRef): string => {
    const found = store.companies.get(company)
    return found === null ? '' : displayName(found)
  }

  const choice = () => ({ locale: options.locale, negatives: options.settings.get().negatives })

  const whose = (company: CompanyRef) => ({
    companyName: nameOf(company) || 'Unknown company',
    applicationName: store.companies.get(company)?.applicationName ?? '',
    connection: connectionNames([company.connectionId]),
  })

  const connectionNames = (ids: readonly string[]): string =>
    options.settings
      .connections()
      .filter(({ connectionId }) => ids.includes(connectionId))
      .map(({ name, address }) => [name, address].filter(Boolean).join(', '))
      .join('; ')

  /** The same company under each connection to its service: other API keys reach the same books. */
  const everyRef = (company: CompanyRef): readonly CompanyRef[] => {
    const connections = options.settings.connections()
    const own = connections.find(({ connectionId }) => connectionId === company.connectionId)
    const others = connections.filter(
      ({ connectionId, address }) => connectionId !== company.connectionId && address === own?.address,
    )
    return [company, ...others.map(({ connectionId }) => ({ ...company, connectionId }))]
  }

  /** The records of a batch, a page at a time. */
  function* batchPages(batchId: string): Generator<readonly HistoryRecord[]> {
    for (let after = ''; ;) {
      const which = { of: 'batch', batchId } as const
      const found = history.operations({ which, outcome: null, text: '', after, limit: PAGE })
      if (found.length > 0) yield found.map(recordView)
      if (found.length < PAGE) return
      after = found.at(-1)?.operationId ?? ''
    }
  }

  /** What was sent to a company or one of its lists. Records are read on demand. */
  function ofCompany(
    company: CompanyRef,
    { object }: HistoryFileRequest,
    since: string,
    until: string,
  ): readonly HistoryPart[] {
    const { connectionId, endpointId } = company
    const isInside = (at: string): boolean => at >= since && (until === '' || at < until)
    const parts: HistoryPart[] = []
    for (let before: HistoryCursor | null = null; ;) {
      const page: readonly HistoryBatch[] = history.batches({
        ...{ connectionId, endpointId, object, outcome: null, text: '' },
        before,
        period: { since, until },
        limit: PAGE,
      })
      for (const batch of page) {
        const entry = batchEntry(batch, nameOf)
        // A batch that was paused may have been sent on several days. Its records decide.
        if ([batch.batch.queuedAt, entry.at, entry.lastAt].every(isInside)) {
          parts.push({ entry, pages: () => batchPages(entry.entryId) })
          continue
        }
        const records = [...batchPages(entry.entryId)]
          .flat()
          .filter((record) => timesOf(record).some(isInside))
        if (records.length > 0) parts.push({ entry: entryWith(entry, records), pages: () => [records] })
      }
      const last = page.at(-1)
      if (page.length < PAGE || last === undefined) break
      const { at, entryId: id } = batchEntry(last, nameOf)
      before = { at, id }
    }
    const others =
      object === ''
        ? manageEntries(store, connectionId, { company, outcome: null, text: '', before: null, nameOf })
        : []
    return [
      ...parts,
      ...others
        .filter((entry) => entry.company !== null && isInside(entry.at))
        .map((entry) => ({ entry, pages: () => [] })),
    ]
  }

  /** What was sent about one record. */
  function ofRecord(
    company: CompanyRef,
    { object, recordId }: HistoryFileRequest,
    since: string,
    until: string,
  ): readonly HistoryPart[] {
    const which = { of: 'record', company, object, recordId } as const
    return history
      .operations({ which, outcome: null, text: '', after: '', limit: ALL })
      .map(recordView)
      .filter((record) => timesOf(record).some((at) => at >= since && (until === '' || at < until)))
      .flatMap((record) => {
        const batch = history.batch(record.batchId)
        return batch === null
          ? []
          : { entry: entryWith(batchEntry(batch, nameOf), [record]), pages: () => [[record]] }
      })
  }

  /** Reads no more records than fit on paper. */
  function print(parts: readonly HistoryPart[], facts: HistoryFileFacts): ReturnType<typeof historyPrint> {
    const read: { readonly entry: HistoryPart['entry']; readonly records: readonly HistoryRecord[] }[] = []
    let rows = 0
    for (const { entry, pages } of parts) {
      const records: HistoryRecord[] = []
      for (const page of rows > MAX_PRINTED_ROWS ? [] : pages()) {
        records.push(...page)
        rows += rowsToPrint(page)
      }
      rows += 1
      read.push({ entry, records })
    }
    return historyPrint(read, facts, choice(), letterheadOf(options.settings.get()))
  }

  /** Saves a document where the user chooses to. */
  const savePdf = async (
    nameParts: readonly string[],
    document: PrintDocument,
  ): Promise<Result<SavedFile>> => {
    const path = await options.dialog.choose(fileName(nameParts, 'pdf'), 'pdf')
    if (path === null) return ok({ saved: false })
    const bytes = await options.printer.pdf(document)
    return bytes.ok ? writeFileAtomically(path, [bytes]) : bytes
  }

  return {
    async saveReceipt(batchId) {
      const batch = history.batch(batchId)
      const records = [...batchPages(batchId)].flat()
      const [first] = records
      if (batch === null || first === undefined) {
        return err(appError('not-found', 'This batch is no longer in the history.', ''))
      }
      const { company, object } = first
      const sent = sentTimeOf(records)
      const receipt = { ...whose(company), object, sentBy: batch.sentBy, sent }
      const printed = receiptPrint(
        { ...receipt, madeAt: timestamp(clock), records },
        choice(),
        letterheadOf(options.settings.get()),
      )
      if (!printed.ok) return printed
      const title = `Receipt, ${listName(object)}`
      return savePdf([receipt.companyName, title, localDay(new Date(sent.at))], printed.value)
    },

    async saveMultiCompanyReceipt(object, title, sent, leftOut) {
      const operationsOf = (ids: readonly string[]) => ids.flatMap((each) => history.operation(each) ?? [])
      const companies = sent.flatMap(({ company, companyName, operationIds, earlierIds }) => {
        const found = operationsOf(operationIds)
        const earlier = operationsOf(earlierIds).map(recordView)
        const batchIds = [...new Set(found.map(({ batchId }) => batchId))]
        const by = [...new Set(batchIds.map((batchId) => history.batch(batchId)?.sentBy ?? ''))]
        const records = found.map(recordView)
        return records.length === 0
          ? []
          : [{ ...whose(company), companyName, sentBy: by.filter(Boolean).join(', '), records, earlier }]
      })
      const [first] = companies
      if (first === undefined) {
        return err(appError('not-found', 'None of this change is in the history.', 'Send it first.'))
      }
      const time = sentTimeOf(companies.flatMap(({ records }) => records))
      const printed = multiCompanyReceiptPrint(
        {
          ...{ title, object, connection: first.connection, sent: time, madeAt: timestamp(clock) },
          ...{ companies, leftOut },
        },
        choice(),
        letterheadOf(options.settings.get()),
      )
      if (!printed.ok) return printed
      return savePdf([title, 'Receipt', localDay(new Date(time.at))], printed.value)
    },

    async save(asked) {
      const { company, object, recordId, from, to, kind } = asked
      const since = from === null ? '' : startOf(from)
      const until = to === null ? '' : startOf(to, 1)
      const partsOf = recordId === '' ? ofCompany : ofRecord
      const sent = everyRef(company).map((ref) => ({ ref, parts: partsOf(ref, asked, since, until) }))
      const parts = sent
        .flatMap((each) => each.parts)
        .toSorted((one, other) => newestFirst(one.entry, other.entry))
        .toReversed()
      const [first] = parts
      if (first === undefined) return err(NOTHING)
      const name = recordId === '' ? '' : lastName(parts) || recordId
      const madeAt = timestamp(clock)
      const format = new Format(choice())
      const facts: HistoryFileFacts = {
        ...whose(company),
        connection: connectionNames(
          sent.flatMap((each) => (each.parts.length > 0 ? [each.ref.connectionId] : [])),
        ),
        subject: name || (object === '' ? 'History' : `History, ${listName(object)}`),
        list: object === '' ? '' : listName(object),
        period: formatPeriod(from, to, format),
        madeAt,
        historyDays: options.settings.get().historyDays,
      }
      const last = [from ?? localDay(new Date(first.entry.at)), to ?? localDay(new Date(madeAt))].join(' to ')
      const title = name === '' ? facts.subject : `History, ${name}`
      const nameParts = [facts.companyName, title, last]
      if (kind === 'pdf') {
        const printed = print(parts, facts)
        return printed.ok ? savePdf(nameParts, printed.value) : printed
      }
      const path = await options.dialog.choose(fileName(nameParts, kind), kind)
      return path === null
        ? ok({ saved: false })
        : writeFileAtomically(path, historyWorkbook(parts, facts, choice()))
    },
  }
}

/** When requests with a record were sent, or when it was queued if none was. */
function timesOf({ earlier, lastAt }: HistoryRecord): readonly string[] {
  return [...earlier.map(({ at }) => at), lastAt]
}

/** The last known name of a record. */
function lastName(parts: readonly HistoryPart[]): string {
  for (const { pages } of parts.toReversed()) {
    for (const page of pages()) {
      const named = page.findLast(({ recordName }) => recordName !== '')
      if (named !== undefined) return named.recordName
    }
  }
  return ''
}

/** The start of a day in this computer's time zone, as ISO 8601 in UTC. */
function startOf(day: string, later = 0): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

function formatPeriod(from: string | null, to: string | null, format: Format): string {
  if (from !== null && to !== null) return format.period(from, to)
  if (from !== null) return `From ${format.date(from)}`
  return to === null ? 'Everything in the history' : `Until ${format.date(to)}`
}
