/** Months: the list of all clients, getting reports, reviewing, deciding, closing, and what changed since. */
import type { CheckedInput } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { KeptMonth, MonthEvent, MonthsProgress, Review } from '../../../shared/contract/review.ts'
import { joinNames } from '../../../shared/format/text.ts'
import { type AppError, err, ok, type Result } from '../../../shared/result.ts'
import type { Source } from '../../../shared/review/rules.ts'
import { type Clock, timestamp } from '../../clock.ts'
import type { RecordSets, ReportRows } from '../../rows/rows.ts'
import type { ServiceClient } from '../../service/protocol/wire.ts'
import type { StoredCompany } from '../../store/companies.ts'
import { resultOf } from '../../store/database.ts'
import type { Store } from '../../store/store.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import type { Announcer, Printer, SaveDialog, SettingsStore } from '../ports.ts'
import { createReportReader } from '../reports/report-reader.ts'
import { createClosing } from './closing.ts'
import { createListMemory, goneLists, toCheckAgain } from './evaluate.ts'
import { type MonthContext, MonthRows, sourcesToRead } from './month-rows.ts'
import { createReviewPack } from './pack.ts'
import { MonthReading, type MonthToRead, newMonth } from './reading.ts'
import { createReviews, IS_CLOSED, NOT_READ, type Reviews } from './reviews.ts'
import type { MonthWatch } from './watch.ts'

export interface MonthsOptions {
  readonly client: ServiceClient
  /** Not the window's, because reading continues without its page. */
  readonly rows: RecordSets & ReportRows
  readonly store: Pick<Store, 'months' | 'companies'>
  readonly companies: Pick<Companies, 'find' | 'test' | 'withProbe'>
  readonly watch: MonthWatch
  readonly dialog: SaveDialog
  readonly printer: Printer
  readonly settings: SettingsStore
  readonly locale: string
  /** The name recorded with what a person does; empty if unknown. */
  readonly signedAs: () => string
  readonly announcer: Pick<Announcer, 'emit'>
  readonly clock: Clock
  readonly newId: () => string
  readonly stopEntry: (entryId: string) => void
  readonly defect: (where: string, cause: unknown) => void
}

export interface Months {
  readonly handlers: HandlersOf<'months'> & HandlersOf<'review'>
  /**
   * Reads a month of companies and waits until that has ended. Returns those of which something is missing, but not those
   * that refused the key, or whose data was deleted in the meantime.
   * @param again whether what was read before is read again
   */
  readonly read: (
    connectionId: string,
    month: string,
    endpointIds: readonly string[],
    again: boolean,
  ) => Promise<Result<readonly string[]>>
  readonly review: (company: CompanyRef, month: string) => Result<Review>
  /** Reviews the open months of a company again, after a setting that their rules use was changed. */
  readonly reviewAgain: Reviews['again']
  /** Tells the window that a month changed. */
  readonly changed: (company: CompanyRef, month: string) => void
  /** Waits until nothing is being read over a connection. */
  readonly ended: (connectionId: string) => Promise<void>
  /** Forgets the lists of a company whose data is deleted. */
  readonly forget: (company: CompanyRef) => void
  close(): void
}

/** Records of lists that stay in memory, over all companies. */
const MAX_LISTED = 300_000

export function createMonths(options: MonthsOptions): Months {
  const { clock, companies, announcer, watch, signedAs } = options
  const store = options.store.months
  const companyStore = options.store.companies
  const memory = createListMemory(MAX_LISTED)

  const reading = new MonthReading({
    ...options,
    store,
    memory,
    reader: createReportReader({ ...options, watch }),
    changed: (connectionId, item, error) => {
      tell(connectionId, item, error)
    },
    finished: (item, isWhole) => reviews.afterReading(item, isWhole),
    defect: (cause) => {
      options.defect('reading a month', cause)
    },
  })
  const isReading = (company: CompanyRef, month: string): boolean => reading.isReading(company, month)
  const rows = new MonthRows({ store, companyStore, companies, isReading })

  /** Tells the window that a month changed, or the run as a whole (`null`). */
  const tell = (
    connectionId: string,
    item: Pick<MonthToRead, 'company' | 'month'> | null,
    error: AppError | null,
  ): void => {
    const row = item === null ? null : resultOf(() => rows.row(item.company, item.month))
    announcer.emit('months.changed', {
      connectionId,
      row: row?.ok === true && row.value.ok ? row.value.value : null,
      progress: reading.progress(connectionId),
      error,
    })
  }
  const changed = (company: CompanyRef, month: string): void => {
    tell(company.connectionId, { company, month }, null)
  }
  const event = (act: MonthEvent['act'], subject = '', note = ''): MonthEvent => ({
    at: timestamp(clock),
    by: signedAs(),
    act,
    subject,
    note,
    otherMonth: null,
  })
  const context: MonthContext = {
    store,
    companies,
    clock,
    rows,
    isReading,
    changed,
    event,
    touched: (value) => ({ ...value, by: signedAs(), at: timestamp(clock) }),
  }
  const reviews = createReviews({ context, companyStore, memory, watch })
  const pack = createReviewPack({ ...options, store })

  const getReports = ({
    connectionId,
    month,
    endpointIds,
    again,
  }: CheckedInput<'months.getReports'>): Result<MonthsProgress> => {
    const items: MonthToRead[] = []
    const unknown: string[] = []
    let error: AppError | null = null
    const wanted = new Set(endpointIds)
    for (const endpointId of wanted) {
      const found = companies.find({ connectionId, endpointId })
      if (!found.ok) {
        unknown.push(endpointId)
        error = found.error
        continue
      }
      const value = store.get(found.value.ref, month)
      const sources = sourcesToRead(found.value, month, value, again)
      if (reading.isReadingAll(found.value.ref, month, sources)) continue
      // The reports of a closed month are read again only as a whole.
      const goesOn = value?.readings.some(({ state }) => state === 'waiting') === true
      if ((value?.closed ?? null) !== null && !again && !goesOn) continue
      items.push(prepareMonth(context, found.value, month, value, sources))
    }
    if (error !== null && unknown.length === wanted.size) return err(error)
    const begun = reading.begin(connectionId, items, false)
    for (const { company } of items) changed(company, month)
    if (error !== null) {
      const message = `Bookbridge doesn’t know ${joinNames(unknown, 5)}.`
      tell(connectionId, null, { ...error, message })
    }
    return ok(begun)
  }

  const handlers: Months['handlers'] = {
    ...createClosing(context, (company, month) => reviews.again(company, '', month)),
    ...reviews.handlers,

    'months.list': ({ connectionId, month }) =>
      ok({ rows: rows.list(connectionId, month), progress: reading.progress(connectionId) }),

    'months.getReports': getReports,

    'months.stop': ({ connectionId }) => {
      reading.stop(connectionId)
      return ok({})
    },

    'review.checkAgain': ({ company, month, rule }) => {
      const found = companies.find(company)
      if (!found.ok) return found
      const value = store.get(company, month)
      if (value === null) return err(NOT_READ)
      // The reports of a closed month are read again only as a whole.
      if (value.closed !== null) return err(IS_CLOSED)
      const sources = toCheckAgain(rule, value.readings, goneLists(memory, company, value.readings))
      const begun = reading.begin(company.connectionId, [{ company, month, sources, rule }], true)
      changed(company, month)
      return ok(begun)
    },

    'months.savePack': async ({ company, month, format }) => {
      const found = companies.find(company)
      if (!found.ok) return found
      const value = store.get(company, month)
      if (value === null) return err(NOT_READ)
      const saved = await pack.save(found.value, month, value, format)
      if (saved.ok && saved.value.saved) {
        store.save(company, month, { events: [event('pack-saved', saved.value.name)] })
      }
      return saved
    },
  }

  return {
    handlers,
    changed,
    async read(connectionId, month, all, again) {
      const known = (): string[] =>
        all.filter((endpointId) => companies.find({ connectionId, endpointId }).ok)
      const begun = getReports({ connectionId, month, endpointIds: known(), again })
      if (!begun.ok) return begun
      await reading.ended(connectionId)
      return resultOf(() =>
        known().filter((endpointId) => {
          const company = { connectionId, endpointId }
          if (reading.isRefusing(company)) return false
          const value = store.get(company, month)
          return value === null || value.readings.some(({ state }) => state === 'waiting')
        }),
      )
    },
    review: (company, month) => reviews.page(company, month),
    reviewAgain: reviews.again,
    ended: (connectionId) => reading.ended(connectionId),
    forget: memory.forget,
    close() {
      reading.close()
    },
  }
}

/** Saves a month before reading begins, so that reading continues after a restart. */
function prepareMonth(
  { store, touched }: MonthContext,
  company: StoredCompany,
  month: string,
  before: KeptMonth | null,
  sources: readonly Source[],
): MonthToRead {
  const fresh = newMonth(company, month)
  // A source that is read again keeps its copy until the new one arrives.
  const readings = fresh.readings.map((each) => {
    const known = before?.readings.find(({ source }) => source === each.source)
    if (known === undefined) return each
    return sources.includes(each.source) ? { ...known, state: 'waiting' as const, reason: '' } : known
  })
  store.save(company.ref, month, {
    value: touched({ ...(before ?? fresh), readings, unreachableReason: '' }),
  })
  return { company: company.ref, month, sources, rule: null }
}
