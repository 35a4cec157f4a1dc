/** Reads one report or list of a company's month from the service, and makes the copy that is kept of it. */
import { displayName } from '../../../shared/companies/companies.ts'
import type { KeptReading } from '../../../shared/contract/review.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import { listName } from '../../../shared/records/definition.ts'
import { monthsUpTo, type Period } from '../../../shared/reports/periods.ts'
import type { ReportHead } from '../../../shared/reports/reports.ts'
import { ok, type Result } from '../../../shared/result.ts'
import type { Source } from '../../../shared/review/rules.ts'
import type { Clock } from '../../clock.ts'
import { createListedRecordReader, type ListedRecord } from '../../review/evidence/evidence.ts'
import { monthColumns } from '../../review/evidence/month-columns.ts'
import { monthHeading, monthsBetween } from '../../review/evidence/month-headings.ts'
import type { RecordSets, ReportRows } from '../../rows/rows.ts'
import type { ServiceClient, SlotRequest } from '../../service/protocol/wire.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { MonthCopy } from '../../store/months.ts'
import type { Companies } from '../companies/companies.ts'
import type { SettingsStore } from '../ports.ts'
import { readPages } from '../records/pages.ts'
import { combinedHead, type ReportReader } from '../reports/report-reader.ts'
import { copyRecords, copyReport } from './copies.ts'
import type { ListMemory } from './evaluate.ts'

export interface SourceReaderOptions {
  readonly client: ServiceClient
  /** Not the window's, because reading continues without its page. */
  readonly rows: RecordSets & ReportRows
  readonly reader: ReportReader
  readonly companies: Pick<Companies, 'withProbe'>
  readonly memory: ListMemory
  readonly settings: Pick<SettingsStore, 'get'>
  readonly clock: Clock
  readonly newId: () => string
}

/** What to read, and for which run. */
export interface SourceToRead {
  readonly company: StoredCompany
  /** `yyyy-mm`. */
  readonly month: string
  readonly reading: KeptReading
  readonly priority: SlotRequest['priority']
  readonly runId: string
  readonly onEntry: (entryId: string) => void
  readonly isStopped: () => boolean
  /** Called with how many more requests the report takes; negative for fewer. */
  readonly onParts: (count: number) => void
  readonly onPartRead: () => void
}

/** What was read. `reason`: why it may be incomplete; empty if it is whole. */
export interface ReadSource {
  /** `null` for a list that is not kept. */
  readonly copy: MonthCopy | null
  readonly reason: string
  /** `false` for a report of which no amount has decimals. */
  readonly hasCents: boolean
}

const WHOLE_LIST = { ids: [], modTimeStart: null, modTimeEnd: null }

export class SourceReader {
  readonly #options: SourceReaderOptions

  constructor(options: SourceReaderOptions) {
    this.#options = options
  }

  read(source: SourceToRead): Promise<Result<ReadSource>> {
    return source.reading.kind === 'report' ? this.#readReport(source) : this.#readList(source)
  }

  async #readReport(source: SourceToRead): Promise<Result<ReadSource>> {
    const { rows, clock, newId } = this.#options
    const { month, reading } = source
    const { from, to } = reading
    const whole = await this.#readPeriod(source, { from, to })
    if (!whole.ok) return whole
    let head = whole.value
    if (reading.source === 'profit-and-loss' && monthColumns(head, month) === null) {
      await rows.closeReport(head.reportId)
      const byMonth = await this.#readByMonth(source)
      if (!byMonth.ok) return byMonth
      head = byMonth.value
    }
    const copy = await clock.during(copyReport(rows, head, newId()))
    await rows.closeReport(head.reportId)
    if (!copy.ok) return copy
    const { hasCents, ...value } = copy.value
    return ok({ copy: value, reason: head.notes.join(' '), hasCents })
  }

  #readPeriod(source: SourceToRead, period: Period): Promise<Result<ReportHead>> {
    const { company, month, reading, priority, runId, onEntry } = source
    return this.#options.reader.read({
      company: company.ref,
      companyName: displayName(company),
      application: company.application,
      name: reading.name,
      ...period,
      priority,
      batchId: runId,
      reviewedMonth: month,
      onEntry,
    })
  }

  /** Reads each month of a report by itself, and puts them side by side: some applications give several months as one. */
  async #readByMonth(source: SourceToRead): Promise<Result<ReportHead>> {
    const { rows } = this.#options
    const { name, from, to } = source.reading
    const periods = monthsUpTo(to, monthsBetween(from, to))
    const heads: ReportHead[] = []
    source.onParts(periods.length)
    try {
      for (const period of periods) {
        const head = await this.#readPeriod(source, period)
        if (!head.ok) return head
        heads.push(head.value)
        source.onPartRead()
      }
      const parts = heads.map((head) => ({ reportId: head.reportId, label: monthHeading(head.from) }))
      const combined = await rows.combineReports('trend', name, parts)
      return combined.ok ? ok(combinedHead('trend', heads, combined.value)) : combined
    } finally {
      source.onParts(heads.length - periods.length)
      for (const { reportId } of heads) await rows.closeReport(reportId)
    }
  }

  async #readList(source: SourceToRead): Promise<Result<ReadSource>> {
    const { rows, clock, client, companies, memory, settings, newId } = this.#options
    const { company, reading, onEntry, isStopped } = source
    const object = reading.name
    const read = await readPages({
      rows,
      endpointId: company.ref.endpointId,
      object,
      application: company.application,
      query: WHOLE_LIST,
      mostMebibytes: settings.get().responseMebibytes,
      ask: (operation) =>
        client.read(listRequest(source), companies.withProbe(company.ref, object, 'quiet', operation), {
          onEntry,
        }),
      isStopped,
      tellsEarly: false,
      onProgress: () => undefined,
    })
    if (!read.ok) return read
    const { setId, count, partialReason, problems, recordErrors, hasMoved } = read.value
    try {
      const records = await clock.during(listedRecords(rows, { source: reading.source, setId, count }))
      if (!records.ok) return records
      memory.put(company.ref, reading.source, records.value)
      const isWhole = partialReason === '' && recordErrors.length === 0 && !hasMoved
      const reason = isWhole ? '' : partialReason || (problems[0]?.message ?? 'Some records didn’t arrive.')
      // The other lists hold addresses and phone numbers.
      const copy =
        reading.source === 'accounts' ? await clock.during(copyRecords(records.value, newId())) : null
      return ok({ copy, reason, hasCents: true })
    } finally {
      await rows.closeSet(setId)
    }
  }
}

function listRequest({ company, month, reading, priority, runId }: SourceToRead): SlotRequest {
  return {
    connectionId: company.ref.connectionId,
    company: company.ref,
    companyName: displayName(company),
    what: `Reading ${listName(reading.name).toLowerCase()} for a review`,
    isWrite: false,
    priority,
    batchId: runId,
    reads: 'list',
    reviewedMonth: month,
  }
}

/** Records per piece. */
const AT_ONCE = 2_000

async function listedRecords(
  rows: Pick<RecordSets, 'chunk'>,
  { source, setId, count }: { readonly source: Source; readonly setId: string; readonly count: number },
): Promise<Result<readonly ListedRecord[]>> {
  const decoder = new TextDecoder()
  const records: ListedRecord[] = []
  const read = createListedRecordReader(source)
  for (let from = 0; from < count; from += AT_ONCE) {
    const chunk = await rows.chunk(setId, from, AT_ONCE)
    if (!chunk.ok) return chunk
    for (const record of JSON.parse(decoder.decode(chunk.value.bytes)) as readonly RecordData[]) {
      records.push(read(record))
    }
  }
  return ok(records)
}
