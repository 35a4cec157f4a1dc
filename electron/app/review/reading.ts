/**
 * Reads the reports and lists of months, one request at a time, one company after another. Companies that don't answer
 * are asked once more at the end. Each report is kept as soon as it is there, so a run that is stopped, or a program
 * that is killed, reads only the rest the next time.
 */
import { companyKey, displayName } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { KeptMonth, KeptReading, MonthsProgress } from '../../../shared/contract/review.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import { listName } from '../../../shared/records/definition.ts'
import { type Period, monthsUpTo } from '../../../shared/reports/periods.ts'
import { type ReportHead, isKnownApplication, reportTitle } from '../../../shared/reports/reports.ts'
import type { RuleId, Source } from '../../../shared/review/rules.ts'
import { type AppError, type Result, ok } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import {
  type ListedRecord,
  createRecordReader,
  monthColumns,
  monthHeading,
  monthsBetween,
} from '../../review/evidence.ts'
import { planReadings } from '../../review/plan.ts'
import type { Rows } from '../../rows/rows.ts'
import type { ServiceClient, SlotRequest } from '../../service/protocol/wire.ts'
import type { StoredCompany } from '../../store/companies.ts'
import { resultOf } from '../../store/database.ts'
import { type MonthCopy, type MonthStore, STATEMENTS } from '../../store/months.ts'
import type { Companies } from '../companies/companies.ts'
import type { SettingsStore } from '../ports.ts'
import { readPages } from '../records/pages.ts'
import { FAILS_FOR_ALL, OUT_OF_REACH } from '../reports/report-runner.ts'
import { type ReportReader, combinedHead } from '../reports/reports.ts'
import { copyRecords, copyReport } from './copies.ts'
import type { ListMemory } from './evaluate.ts'

/** What to read of a company's month. */
export interface MonthToRead {
  readonly company: CompanyRef
  readonly month: string
  readonly sources: readonly Source[]
  /** The rule that is checked again; `null` when the month as a whole is read. */
  readonly rule: RuleId | null
}

export interface MonthReadingOptions {
  readonly client: ServiceClient
  /** Of its own, since it outlives the window's page. */
  readonly rows: Rows
  readonly reader: ReportReader
  readonly companies: Pick<Companies, 'find' | 'withProbe'>
  readonly store: MonthStore
  readonly memory: ListMemory
  readonly settings: Pick<SettingsStore, 'get'>
  readonly clock: Clock
  readonly newId: () => string
  readonly stopEntry: (entryId: string) => void
  /** A reading of a month was saved, or the run went on. */
  readonly changed: (connectionId: string, item: MonthToRead | null, error: AppError | null) => void
  /** An item was read as far as possible. `isWhole`: the reading of a rule that is checked again did not end early. */
  readonly finished: (item: MonthToRead, isWhole: boolean) => Promise<Result<void>>
  readonly defect: (cause: unknown) => void
}

export interface MonthReading {
  /** Begins, or adds to what is being read. What is being read already is not read twice. */
  begin(connectionId: string, items: readonly MonthToRead[], isUrgent: boolean): MonthsProgress
  progress(connectionId: string): MonthsProgress | null
  isReading(company: CompanyRef, month: string): boolean
  stop(connectionId: string): void
  /** Waits until nothing is being read over a connection. */
  ended(connectionId: string): Promise<void>
  close(): void
}

interface Item extends MonthToRead {
  isAskedAgain: boolean
  /** What is still to be read of it. */
  left: readonly Source[]
}

interface Run {
  readonly runId: string
  queue: Item[]
  current: Item | null
  done: number
  of: number
  companyName: string
  what: string
  entryId: string | null
  isStopping: boolean
  ended: Promise<void>
}

/** The result of a step: the item is done, its company is silent, or the run ends. */
type Step = { readonly then: 'go-on' | 'silent' } | { readonly then: 'end'; readonly error: AppError | null }

/** A user waits for a rule that is checked again. */
function priorityOf({ rule }: MonthToRead): SlotRequest['priority'] {
  return rule === null ? 'batch' : 'interactive'
}

const WHOLE_LIST = { ids: [], modTimeStart: null, modTimeEnd: null }

export function createMonthReading(options: MonthReadingOptions): MonthReading {
  const { store, clock, companies, memory } = options
  const runs = new Map<string, Run>()
  let isClosed = false

  const progressOf = (run: Run): MonthsProgress => ({
    done: run.done,
    of: run.of,
    companyName: run.companyName,
    what: run.what,
    silent: run.queue.filter(({ isAskedAgain }) => isAskedAgain).length,
    isStopping: run.isStopping,
  })

  const isSame = (left: MonthToRead, right: MonthToRead): boolean =>
    left.month === right.month && companyKey(left.company) === companyKey(right.company)

  /** Whether some of the copies of a rule that is checked again are newer than the others. */
  const isMixed = ({ rule, sources, left }: Item): boolean =>
    rule !== null && left.length > 0 && left.length < sources.length

  /**
   * Saves a reading, unless the company's data was deleted in the meantime. From the first on, what is still to be read
   * of a rule that is checked again counts as not read, so that nothing old is compared with it.
   */
  const saveReading = (item: Item, reading: KeptReading, copy: MonthCopy | null): Result<void> =>
    resultOf(() => {
      const value = store.get(item.company, item.month)
      if (value === null) return
      const old = item.rule === null ? [] : item.left.slice(1)
      const readings = value.readings.map((each) => {
        if (each.source === reading.source) return reading
        return old.includes(each.source) ? { ...each, state: 'waiting' as const, said: '' } : each
      })
      store.save(item.company, item.month, {
        value: { ...value, readings, silence: '', at: timestamp(clock) },
        ...(copy === null ? {} : { copy }),
      })
    })

  const listRequest = (run: Run, item: Item, company: StoredCompany, object: string): SlotRequest => ({
    connectionId: item.company.connectionId,
    company: item.company,
    companyName: displayName(company),
    what: `Reading ${listName(object).toLowerCase()} for a review`,
    isWrite: false,
    priority: priorityOf(item),
    batchId: run.runId,
    reads: 'list',
    reviewedMonth: item.month,
  })

  const readReport = async (
    run: Run,
    item: Item,
    company: StoredCompany,
    reading: KeptReading,
  ): Promise<Result<{ readonly copy: MonthCopy; readonly said: string }>> => {
    const read = (period: Period): Promise<Result<ReportHead>> =>
      options.reader.read({
        company: item.company,
        companyName: displayName(company),
        application: company.application,
        name: reading.name,
        ...period,
        priority: priorityOf(item),
        batchId: run.runId,
        reviewedMonth: item.month,
        onEntry: onEntry(run),
      })
    const { from, to } = reading
    const whole = await read({ from, to })
    if (!whole.ok) return whole
    let head = whole.value
    if (reading.source === 'profit-and-loss' && monthColumns(head, item.month) === null) {
      await options.rows.closeReport(head.reportId)
      const byMonth = await readByMonth(run, item, reading, read)
      if (!byMonth.ok) return byMonth
      head = byMonth.value
    }
    const copy = await clock.during(copyReport(options.rows, head, options.newId()))
    await options.rows.closeReport(head.reportId)
    return copy.ok ? ok({ copy: copy.value, said: head.said.join(' ') }) : copy
  }

  /** Reads each month of a report by itself, and puts them side by side: some applications give several months as one. */
  const readByMonth = async (
    run: Run,
    item: Item,
    { name, from, to }: KeptReading,
    read: (period: Period) => Promise<Result<ReportHead>>,
  ): Promise<Result<ReportHead>> => {
    const periods = monthsUpTo(to, monthsBetween(from, to))
    const heads: ReportHead[] = []
    run.of += periods.length
    try {
      for (const period of periods) {
        const head = await read(period)
        if (!head.ok) return head
        heads.push(head.value)
        run.done += 1
        options.changed(item.company.connectionId, item, null)
      }
      const parts = heads.map((head) => ({ reportId: head.reportId, label: monthHeading(head.from) }))
      const combined = await options.rows.combineReports('trend', name, parts)
      return combined.ok ? ok(combinedHead('trend', heads, combined.value)) : combined
    } finally {
      run.of -= periods.length - heads.length
      for (const { reportId } of heads) await options.rows.closeReport(reportId)
    }
  }

  const readList = async (
    run: Run,
    item: Item,
    company: StoredCompany,
    reading: KeptReading,
  ): Promise<Result<{ readonly copy: MonthCopy | null; readonly said: string }>> => {
    const object = reading.name
    const asked = listRequest(run, item, company, object)
    const read = await readPages({
      rows: options.rows,
      endpointId: item.company.endpointId,
      object,
      application: company.application,
      query: WHOLE_LIST,
      mostMebibytes: options.settings.get().responseMebibytes,
      ask: (operation) =>
        options.client.read(asked, companies.withProbe(item.company, object, 'quiet', operation), {
          onEntry: onEntry(run),
        }),
      isStopped: () => run.isStopping,
      tellsEarly: false,
      onProgress: () => undefined,
    })
    if (!read.ok) return read
    const { setId, count, partialReason, problems, recordErrors, hasMoved } = read.value
    try {
      const records = await clock.during(
        listedRecords(options.rows, { source: reading.source, setId, count }),
      )
      if (!records.ok) return records
      memory.put(item.company, reading.source, records.value)
      const isWhole = partialReason === '' && recordErrors.length === 0 && !hasMoved
      const said = isWhole ? '' : partialReason || (problems[0]?.message ?? 'Some records didn’t arrive.')
      // The other lists hold addresses and phone numbers.
      const copy =
        reading.source === 'accounts' ? await clock.during(copyRecords(records.value, options.newId())) : null
      return ok({ copy, said })
    } finally {
      await options.rows.closeSet(setId)
    }
  }

  const onEntry =
    (run: Run) =>
    (entryId: string): void => {
      run.entryId = entryId
      if (run.isStopping) options.stopEntry(entryId)
    }

  const readOne = async (
    run: Run,
    item: Item,
    company: StoredCompany,
    reading: KeptReading,
  ): Promise<Step> => {
    const read =
      reading.kind === 'report'
        ? await readReport(run, item, company, reading)
        : await readList(run, item, company, reading)
    run.entryId = null
    if (!read.ok) {
      const { error } = read
      if (error.kind === 'stopped') return { then: 'end', error: null }
      if (FAILS_FOR_ALL.has(error.kind)) return { then: 'end', error }
      if (OUT_OF_REACH.has(error.kind)) return silent(item, error)
      const state = isLacking(company, reading, error) ? 'not-offered' : 'failed'
      const refused = { ...reading, state, said: `${error.message} ${error.advice}`.trim() } as const
      const saved = saveReading(item, { ...refused, copyId: '', readAt: timestamp(clock) }, null)
      return saved.ok ? { then: 'go-on' } : { then: 'end', error: saved.error }
    }
    const { copy, said } = read.value
    const kept = {
      ...reading,
      state: 'read',
      said,
      copyId: copy?.copyId ?? '',
      readAt: timestamp(clock),
    } as const
    const saved = saveReading(item, kept, copy)
    return saved.ok ? { then: 'go-on' } : { then: 'end', error: saved.error }
  }

  const silent = (item: Item, error: AppError): Step => {
    const saved = resultOf(() => {
      const value = store.get(item.company, item.month)
      if (value === null) return
      store.save(item.company, item.month, { value: { ...value, silence: error.message } })
    })
    return saved.ok ? { then: 'silent' } : { then: 'end', error: saved.error }
  }

  /** Reads what is left of an item. */
  const readItem = async (run: Run, item: Item): Promise<Step> => {
    for (;;) {
      const [source] = item.left
      const company = companies.find(item.company)
      const value = resultOf(() => store.get(item.company, item.month))
      if (!value.ok) return { then: 'end', error: value.error }
      const reading = value.value?.readings.find((each) => each.source === source)
      // The company's data was deleted, or nothing is left.
      if (source === undefined || !company.ok || reading === undefined) break
      if (run.isStopping || isClosed) return { then: 'end', error: null }
      run.companyName = displayName(company.value)
      run.what = reading.kind === 'report' ? reportTitle(reading.name) : listName(reading.name)
      options.changed(item.company.connectionId, item, null)
      const step = await readOne(run, item, company.value, reading)
      if (step.then === 'silent' && !item.isAskedAgain) {
        item.isAskedAgain = true
        run.queue.push(item)
        return step
      }
      if (step.then === 'silent') {
        run.done += item.left.length
        return isMixed(item) ? finish(item, false) : step
      }
      if (step.then === 'end') return step
      run.done += 1
      item.left = item.left.slice(1)
    }
    run.done += item.left.length
    return finish(item, true)
  }

  const finish = async (item: Item, isWhole: boolean): Promise<Step> => {
    const finished = await clock.during(options.finished(item, isWhole))
    return finished.ok ? { then: 'go-on' } : { then: 'end', error: finished.error }
  }

  const work = async (connectionId: string, run: Run): Promise<void> => {
    let error: AppError | null = null
    try {
      for (;;) {
        const item = run.queue.shift()
        if (item === undefined) break
        run.current = item
        const step = await readItem(run, item)
        if (step.then === 'end') {
          ;({ error } = step)
          break
        }
        run.current = null
        options.changed(connectionId, item, null)
      }
      for (const item of [run.current, ...run.queue]) {
        if (item !== null && isMixed(item) && !isClosed) await finish(item, false)
      }
    } catch (cause) {
      options.defect(cause)
    } finally {
      const left = [...(run.current === null ? [] : [run.current]), ...run.queue]
      runs.delete(connectionId)
      for (const item of left) options.changed(connectionId, item, null)
      options.changed(connectionId, null, error)
    }
  }

  return {
    begin(connectionId, items, isUrgent) {
      const running = runs.get(connectionId)
      const run = running ?? {
        runId: options.newId(),
        queue: [],
        current: null,
        done: 0,
        of: 0,
        companyName: '',
        what: '',
        entryId: null,
        isStopping: false,
        ended: Promise.resolve(),
      }
      const added = items
        .filter((item) => item.sources.length > 0)
        .filter(
          (item) =>
            item.rule !== null ||
            ![run.current, ...run.queue].some((each) => each?.rule === null && isSame(each, item)),
        )
        .map((item): Item => ({ ...item, isAskedAgain: false, left: item.sources }))
      run.queue = isUrgent ? [...added, ...run.queue] : [...run.queue, ...added]
      run.of += added.reduce((sum, { sources }) => sum + sources.length, 0)
      if (running === undefined && added.length > 0 && !isClosed) {
        runs.set(connectionId, run)
        run.ended = Promise.resolve().then(() => work(connectionId, run))
      }
      return progressOf(run)
    },
    progress(connectionId) {
      const run = runs.get(connectionId)
      return run === undefined ? null : progressOf(run)
    },
    isReading(company, month) {
      const run = runs.get(company.connectionId)
      if (run === undefined) return false
      const wanted = { company, month, sources: [], rule: null }
      return [run.current, ...run.queue].some((item) => item !== null && isSame(item, wanted))
    },
    stop(connectionId) {
      const run = runs.get(connectionId)
      if (run === undefined) return
      run.isStopping = true
      // What is mixed is reviewed at the end.
      run.queue = run.queue.filter(isMixed)
      if (run.entryId !== null) options.stopEntry(run.entryId)
      options.changed(connectionId, null, null)
    },
    ended: (connectionId) => runs.get(connectionId)?.ended ?? Promise.resolve(),
    close() {
      isClosed = true
    },
  }
}

/**
 * Whether a report was refused that the application need not have: nobody knows what it offers. No review goes without the
 * statements.
 */
function isLacking({ application }: StoredCompany, { kind, source }: KeptReading, error: AppError): boolean {
  const isRefused = error.kind === 'service-error' || error.kind === 'not-found'
  return isRefused && kind === 'report' && !STATEMENTS.has(source) && !isKnownApplication(application)
}

/** Records per piece. */
const AT_ONCE = 2_000

async function listedRecords(
  rows: Pick<Rows, 'chunk'>,
  { source, setId, count }: { readonly source: Source; readonly setId: string; readonly count: number },
): Promise<Result<readonly ListedRecord[]>> {
  const decoder = new TextDecoder()
  const records: ListedRecord[] = []
  const read = createRecordReader(source)
  for (let from = 0; from < count; from += AT_ONCE) {
    const chunk = await rows.chunk(setId, from, AT_ONCE)
    if (!chunk.ok) return chunk
    for (const record of JSON.parse(decoder.decode(chunk.value.bytes)) as readonly RecordData[]) {
      records.push(read(record))
    }
  }
  return ok(records)
}

/** A month of which nothing has been read yet. */
export function newMonth(company: StoredCompany, month: string): KeptMonth {
  const readings = planReadings(company.application, month).map((reading) => ({ ...reading, copyId: '' }))
  return {
    readings,
    silence: '',
    open: 0,
    wrong: 0,
    notChecked: 0,
    closed: null,
    change: null,
    notCompared: [],
    by: '',
    at: '',
  }
}
