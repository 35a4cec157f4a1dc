/**
 * Reads the reports and lists of months, one request at a time, one company after another. Companies that don't answer
 * are asked once more at the end, and a company that is the only one to refuse the key is set aside. Each report is
 * saved as soon as it arrives, so after a stop or a crash, the next run reads only the rest.
 */
import { companyKey, displayName } from '../../../shared/companies/companies.ts'
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { KeptMonth, KeptReading, MonthsProgress } from '../../../shared/contract/review.ts'
import { localDay } from '../../../shared/format/format.ts'
import { listName } from '../../../shared/records/definition.ts'
import { isKnownApplication, reportTitle } from '../../../shared/reports/reports.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { RuleId, Source } from '../../../shared/review/rules.ts'
import { timestamp } from '../../clock.ts'
import { planReadings } from '../../review/plan.ts'
import { saysNotAvailable } from '../../service/errors/error-meanings.ts'
import type { StoredCompany } from '../../store/companies.ts'
import { resultOf } from '../../store/database.ts'
import { type MonthCopy, type MonthStore, STATEMENTS } from '../../store/months.ts'
import type { Companies } from '../companies/companies.ts'
import { failsForAll, isOutOfReach, KeyRefusals, PROBE_LIST } from '../companies/company-tests.ts'
import { SourceReader, type SourceReaderOptions } from './source-reader.ts'

/** What to read of a company's month. */
export interface MonthToRead {
  readonly company: CompanyRef
  readonly month: string
  readonly sources: readonly Source[]
  /** The rule that is checked again; `null` when the month as a whole is read. */
  readonly rule: RuleId | null
}

export interface MonthReadingOptions extends SourceReaderOptions {
  readonly companies: Pick<Companies, 'find' | 'test' | 'withProbe'>
  readonly store: MonthStore
  readonly stopEntry: (entryId: string) => void
  /** Called when a reading of a month was saved, or when the run made progress. */
  readonly changed: (connectionId: string, item: MonthToRead | null, error: AppError | null) => void
  /**
   * Called when an item was read as far as possible. `isWhole`: the reading of a rule that is checked again did not end
   * early.
   */
  readonly finished: (item: MonthToRead, isWhole: boolean) => Promise<Result<void>>
  readonly defect: (cause: unknown) => void
}

interface Item extends MonthToRead {
  isAskedAgain: boolean
  /** What is still to be read of it. */
  left: readonly Source[]
  /** How many of its reports and lists were refused individually. */
  refused: number
}

/** How much may be refused individually before anything is accepted. Beyond that, the key counts as refused. */
const MOST_REFUSED = 3

function onlyThisRefused({ kind }: KeptReading): string {
  return `The service doesn’t let your key read this ${kind} (HTTP 403). It accepts the key for this company’s other data. Ask your provider for access.`
}

/** What is being read over a connection. */
interface Run {
  readonly runId: string
  queue: Item[]
  current: Item | null
  done: number
  of: number
  companyName: string
  what: string
  entryId: string | null
  /** Companies that accepted the key in this run, by endpoint ID. */
  readonly answered: Map<string, CompanyRef>
  readonly keyRefusals: KeyRefusals
  /** Whether an earlier run left a refused key, and no company has been tested since. */
  isTestDue: boolean
  isStopping: boolean
  ended: Promise<void>
}

/** The result of a step: the item is done, its company is silent or set aside, or the run ends. */
type Step =
  | { readonly then: 'continue' | 'silent' | 'aside' }
  | { readonly then: 'end'; readonly error: AppError | null }

export class MonthReading {
  readonly #options: MonthReadingOptions
  readonly #sources: SourceReader
  /** By connection ID. */
  readonly #runs = new Map<string, Run>()
  /** The companies that refused the key the last time, by connection ID. */
  readonly #refusing = new Map<string, ReadonlySet<string>>()
  /** The connections whose last run left a refused key, which paused the queue. */
  readonly #pausing = new Set<string>()
  #isClosed = false

  constructor(options: MonthReadingOptions) {
    this.#options = options
    this.#sources = new SourceReader(options)
  }

  /** Begins, or adds to what is being read. */
  begin(connectionId: string, items: readonly MonthToRead[], isUrgent: boolean): MonthsProgress {
    const running = this.#runs.get(connectionId)
    const run = running ?? newRun(this.#options.newId())
    if (running === undefined) {
      run.keyRefusals.addEarlier(this.#refusing.get(connectionId) ?? [])
      run.isTestDue = this.#pausing.has(connectionId)
    }
    const isRefusing = ({ company }: MonthToRead): boolean => this.isRefusing(company)
    const added = items
      .filter((item) => item.sources.length > 0)
      .map((item): Item => ({ ...item, isAskedAgain: false, left: item.sources, refused: 0 }))
      .toSorted((one, other) => Number(isRefusing(one)) - Number(isRefusing(other)))
    run.queue = isUrgent ? [...added, ...run.queue] : [...run.queue, ...added]
    run.of += added.reduce((sum, { sources }) => sum + sources.length, 0)
    if (running === undefined && added.length > 0 && !this.#isClosed) {
      this.#runs.set(connectionId, run)
      run.ended = Promise.resolve().then(() => this.#work(connectionId, run))
    }
    return progressOf(run)
  }

  progress(connectionId: string): MonthsProgress | null {
    const run = this.#runs.get(connectionId)
    return run === undefined ? null : progressOf(run)
  }

  isReading(company: CompanyRef, month: string): boolean {
    const run = this.#runs.get(company.connectionId)
    return run !== undefined && itemsOf(run).some((item) => isSameMonth(item, { company, month }))
  }

  /** Whether all of these will be read for a month anyway. The check of a rule may end early, so it doesn't count. */
  isReadingAll(company: CompanyRef, month: string, sources: readonly Source[]): boolean {
    const run = this.#runs.get(company.connectionId)
    const items =
      run === undefined ? [] : itemsOf(run).filter((item) => isSameMonth(item, { company, month }))
    return items.some((item) => item.rule === null && sources.every((each) => item.sources.includes(each)))
  }

  /** Whether a company refused the key the last time. */
  isRefusing({ connectionId, endpointId }: CompanyRef): boolean {
    return this.#refusing.get(connectionId)?.has(endpointId) === true
  }

  stop(connectionId: string): void {
    const run = this.#runs.get(connectionId)
    if (run === undefined) return
    run.isStopping = true
    // Items with old and new copies are reviewed at the end.
    run.queue = run.queue.filter(isMixed)
    if (run.entryId !== null) this.#options.stopEntry(run.entryId)
    this.#options.changed(connectionId, null, null)
  }

  /** Waits until nothing is being read over a connection. */
  async ended(connectionId: string): Promise<void> {
    await this.#runs.get(connectionId)?.ended
  }

  close(): void {
    this.#isClosed = true
  }

  async #work(connectionId: string, run: Run): Promise<void> {
    let error: AppError | null = null
    try {
      error = await this.#readItems(connectionId, run)
      for (const item of itemsOf(run)) {
        if (isMixed(item) && !this.#isClosed) await this.#finish(item, false)
      }
    } catch (cause) {
      this.#options.defect(cause)
    } finally {
      const left = itemsOf(run)
      const refusing = [...run.keyRefusals.endpointIds].filter((id) => !run.answered.has(id))
      this.#refusing.set(connectionId, new Set(refusing))
      if (run.isTestDue || run.keyRefusals.pending !== null) this.#pausing.add(connectionId)
      else this.#pausing.delete(connectionId)
      this.#runs.delete(connectionId)
      for (const item of left) this.#options.changed(connectionId, item, null)
      this.#options.changed(connectionId, null, error)
    }
  }

  /** Reads item after item, until none is left or the run ends early, with an error or `null`. */
  async #readItems(connectionId: string, run: Run): Promise<AppError | null> {
    for (let item = run.queue.shift(); item !== undefined; item = run.queue.shift()) {
      run.current = item
      const step = await this.#readItem(run, item)
      if (step.then === 'end') return step.error
      run.current = null
      this.#options.changed(connectionId, item, null)
    }
    return run.keyRefusals.pending
  }

  /** Reads what is left of an item. */
  async #readItem(run: Run, item: Item): Promise<Step> {
    const { store, companies } = this.#options
    for (;;) {
      const [source] = item.left
      const company = companies.find(item.company)
      const value = resultOf(() => store.get(item.company, item.month))
      if (!value.ok) return { then: 'end', error: value.error }
      const reading = value.value?.readings.find((each) => each.source === source)
      // The company's data was deleted, or nothing is left.
      if (source === undefined || !company.ok || reading === undefined) break
      if (run.isStopping || this.#isClosed) return { then: 'end', error: null }
      run.companyName = displayName(company.value)
      run.what = reading.kind === 'report' ? reportTitle(reading.name) : listName(reading.name)
      this.#options.changed(item.company.connectionId, item, null)
      const step = await this.#readOne(run, item, company.value, reading)
      if (step.then === 'silent' && !item.isAskedAgain) {
        item.isAskedAgain = true
        run.queue.push(item)
        return step
      }
      if (step.then === 'silent' || step.then === 'aside') {
        run.done += item.left.length
        return isMixed(item) ? this.#finish(item, false) : step
      }
      if (step.then === 'end') return step
      run.done += 1
      item.left = item.left.slice(1)
    }
    run.done += item.left.length
    return this.#finish(item, true)
  }

  async #readOne(run: Run, item: Item, company: StoredCompany, reading: KeptReading): Promise<Step> {
    const { connectionId, endpointId } = item.company
    if (run.isTestDue || run.keyRefusals.pending !== null) {
      const tested = await this.#test(run, item.company)
      if (!tested.ok) return endOf(tested.error)
      if (tested.value.outcome !== 'answered') return this.#untested(run, item, tested.value.error)
    }
    const read = await this.#sources.read({
      company,
      month: item.month,
      reading,
      // A user waits for a rule that is checked again.
      priority: item.rule === null ? 'batch' : 'interactive',
      runId: run.runId,
      onEntry: this.#onEntry(run),
      isStopped: () => run.isStopping,
      onParts: (count) => {
        run.of += count
      },
      onPartRead: () => {
        run.done += 1
        this.#options.changed(connectionId, item, null)
      },
    })
    run.entryId = null
    const { clock } = this.#options
    const when = {
      readAt: timestamp(clock),
      isEarly: localDay(new Date(clock.now())) <= reading.to,
    }
    if (read.ok) {
      run.answered.set(endpointId, item.company)
      run.keyRefusals.onItemAccepted()
      const { copy, reason, hasCents } = read.value
      const copyId = copy?.copyId ?? ''
      const kept = { ...reading, state: 'read', reason, copyId, hasCents, ...when } as const
      return stepOf(this.#saveReading(item, kept, copy), 'continue')
    }
    const { error } = read
    const saveRefused = (state: 'failed' | 'not-offered', reason: string): Step =>
      stepOf(this.#saveReading(item, { ...reading, state, reason, copyId: '', ...when }, null), 'continue')
    if (error.kind === 'unauthorized') {
      const mayBeOnlyThis = error.details.status === 403
      if (mayBeOnlyThis && (item.refused < MOST_REFUSED || run.answered.has(endpointId))) {
        item.refused += 1
        // The list that a test reads may be the only one that is refused.
        const object = reading.name === PROBE_LIST ? 'account' : PROBE_LIST
        const tested = await this.#test(run, item.company, object)
        if (!tested.ok) return endOf(tested.error)
        if (tested.value.outcome === 'answered') return saveRefused('failed', onlyThisRefused(reading))
      }
      return this.#setAside(run, item, 'item', error)
    }
    if (error.kind === 'stopped' || failsForAll(error)) return endOf(error)
    if (isOutOfReach(error)) return stepOf(this.#saveReason(item, error), 'silent')
    run.keyRefusals.onItemAccepted()
    const state = isLacking(company, reading, error) ? 'not-offered' : 'failed'
    return saveRefused(state, `${error.message} ${error.advice}`.trim())
  }

  /** Remembers the queue entry of the current request, so that it can be stopped. */
  #onEntry(run: Run): (entryId: string) => void {
    return (entryId) => {
      run.entryId = entryId
      if (run.isStopping) this.#options.stopEntry(entryId)
    }
  }

  /** Interactive: while a refused key pauses the queue, only reads that a user waits for are sent. */
  async #test(run: Run, company: CompanyRef, object = PROBE_LIST): Promise<Result<TestOutcome>> {
    const onEntry = this.#onEntry(run)
    const options = { priority: 'interactive', object, batchId: run.runId, onEntry } as const
    const tested = await this.#options.companies.test(company, options)
    run.entryId = null
    if (tested.ok && tested.value.outcome === 'answered') run.isTestDue = false
    run.keyRefusals.onTested(tested)
    return tested
  }

  /** What a failed test means while a refused key pauses the queue. */
  async #untested(run: Run, item: Item, error: AppError): Promise<Step> {
    if (error.kind === 'unauthorized') return this.#setAside(run, item, 'test', error)
    if (failsForAll(error)) return endOf(error)
    // Anything else would only wait in the paused queue.
    return stepOf(this.#saveReason(item, error), 'silent')
  }

  /** Sets a company aside that refused the key. If that concerns the others, too, the run ends. */
  async #setAside(run: Run, item: Item, of: 'item' | 'test', error: AppError): Promise<Step> {
    const saved = this.#saveReason(item, error)
    if (!saved.ok) return endOf(saved.error)
    const { endpointId } = item.company
    run.answered.delete(endpointId)
    const answered = [...run.answered.values()]
    const reason = await run.keyRefusals.add({ endpointId, of, error }, answered, (company) =>
      this.#test(run, company),
    )
    return reason === null ? { then: 'aside' } : endOf(reason)
  }

  /**
   * Saves a reading, unless the company's data was deleted in the meantime. Once a rule that is checked again has its
   * first reading, the rest of what it needs counts as not read, so that nothing old is compared with the new.
   */
  #saveReading(item: Item, reading: KeptReading, copy: MonthCopy | null): Result<void> {
    const { store, clock } = this.#options
    return resultOf(() => {
      const value = store.get(item.company, item.month)
      if (value === null) return
      const old = item.rule === null ? [] : item.left.slice(1)
      const readings = value.readings.map((each) => {
        if (each.source === reading.source) return reading
        return old.includes(each.source) ? { ...each, state: 'waiting' as const, reason: '' } : each
      })
      store.save(item.company, item.month, {
        value: { ...value, readings, unreachableReason: '', at: timestamp(clock) },
        ...(copy === null ? {} : { copy }),
      })
    })
  }

  /** Saves why the rest of a month was not read. */
  #saveReason({ company, month }: Item, error: AppError): Result<void> {
    const { store } = this.#options
    return resultOf(() => {
      const value = store.get(company, month)
      if (value !== null)
        store.save(company, month, { value: { ...value, unreachableReason: error.message } })
    })
  }

  async #finish(item: Item, isWhole: boolean): Promise<Step> {
    return stepOf(await this.#options.clock.during(this.#options.finished(item, isWhole)), 'continue')
  }
}

function newRun(runId: string): Run {
  return {
    runId,
    queue: [],
    current: null,
    done: 0,
    of: 0,
    companyName: '',
    what: '',
    entryId: null,
    answered: new Map(),
    keyRefusals: new KeyRefusals(),
    isTestDue: false,
    isStopping: false,
    ended: Promise.resolve(),
  }
}

/** What is being read and what is still to be read. */
function itemsOf({ current, queue }: Run): readonly Item[] {
  return current === null ? queue : [current, ...queue]
}

function progressOf(run: Run): MonthsProgress {
  const { done, of, companyName, what, isStopping } = run
  const silent = run.queue.filter(({ isAskedAgain }) => isAskedAgain).length
  return { done, of, companyName, what, silent, isStopping }
}

/** Ends the run if saving failed. */
function stepOf(saved: Result<void>, then: 'continue' | 'silent'): Step {
  return saved.ok ? { then } : endOf(saved.error)
}

function endOf(error: AppError): Step {
  return { then: 'end', error: error.kind === 'stopped' ? null : error }
}

type MonthOfCompany = Pick<MonthToRead, 'company' | 'month'>

function isSameMonth(left: MonthOfCompany, right: MonthOfCompany): boolean {
  return left.month === right.month && companyKey(left.company) === companyKey(right.company)
}

/** Whether some of the copies of a rule that is checked again are newer than the others. */
function isMixed({ rule, sources, left }: Item): boolean {
  return rule !== null && left.length > 0 && left.length < sources.length
}

/**
 * Whether a refused report is one that the company may lack: the service says so, or no one knows what its application
 * offers. Every review needs the statements.
 */
function isLacking({ application }: StoredCompany, { kind, source }: KeptReading, error: AppError): boolean {
  if (kind !== 'report' || STATEMENTS.has(source)) return false
  if (error.kind === 'service-error' && saysNotAvailable(error.message)) return true
  const isRefused = error.kind === 'service-error' || error.kind === 'not-found'
  return isRefused && !isKnownApplication(application)
}

/** A month of which nothing has been read yet. */
export function newMonth(company: StoredCompany, month: string): KeptMonth {
  const readings = planReadings(company.application, month).map((reading) => ({
    ...reading,
    ...{ copyId: '', hasCents: true },
  }))
  return {
    readings,
    unreachableReason: '',
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
