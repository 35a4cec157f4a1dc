/**
 * **Read them now**: reads lists of several companies in the background, one request at a time, and keeps copies of
 * them.
 */
import { companyKey } from '../../../shared/companies/companies.ts'
import type { BackgroundReading } from '../../../shared/contract/all-companies.ts'
import type { TestOutcome } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type AppError, appError, err, type Result } from '../../../shared/result.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { Companies } from '../companies/companies.ts'
import { failsForAll, isOutOfReach, KeyRefusals } from '../companies/company-tests.ts'
import type { KeptLists } from '../records/kept-lists.ts'
import type { ListReading } from '../records/list-reading.ts'

export interface BackgroundReadingOptions {
  readonly reading: Pick<ListReading, 'readToKeep'>
  readonly keptLists: Pick<KeptLists, 'deletions' | 'wants'>
  readonly companies: Pick<Companies, 'find' | 'test'>
  /** Reads which fields the company's application supports, and saves them with the copy. */
  readonly noteSupport: (company: StoredCompany, object: string) => Promise<unknown>
  readonly newId: () => string
  readonly stopEntry: (entryId: string) => void
  readonly changed: (connectionId: string) => void
  readonly defect: (cause: unknown) => void
}

export interface ListToRead {
  readonly company: CompanyRef
  readonly object: string
}

interface RequestedList extends ListToRead {
  /** `KeptLists.deletions` when it was requested. */
  readonly since: number
}

interface Running {
  state: BackgroundReading
  /** The list that is being read. */
  now: RequestedList | null
  waiting: RequestedList[]
  entryId: string | null
  /** Why a company's other lists are skipped, by company. */
  readonly skipped: Map<string, AppError>
  /** Companies that answered. */
  readonly answered: Map<string, CompanyRef>
  readonly keyRefusals: KeyRefusals
  isStopped: boolean
  ended: Promise<void>
}

export class BackgroundReader {
  readonly #options: BackgroundReadingOptions
  readonly #runs = new Map<string, Running>()
  #isClosed = false

  constructor(options: BackgroundReadingOptions) {
    this.#options = options
  }

  /** The state of a connection's last reading; `null` if there was none in this run. */
  state(connectionId: string): BackgroundReading | null {
    return this.#runs.get(connectionId)?.state ?? null
  }

  /** Reads these lists. If a read is running, adds them to it. If one was stopped, waits for it to end first. */
  read(connectionId: string, wanted: readonly ListToRead[]): void {
    const since = this.#options.keptLists.deletions
    const lists = [...new Map(wanted.map((list) => [listKey(list), { ...list, since }])).values()]
    const running = this.#runs.get(connectionId)
    if (running?.state.isRunning === true && !running.isStopped) {
      // A list requested before its copies were deleted is no longer wanted. This request replaces it.
      const requested = new Map(lists.map((list) => [listKey(list), list]))
      running.waiting = running.waiting.map((list) => requested.get(listKey(list)) ?? list)
      const { now } = running
      // A list that failed stays current while other companies are tested to see whether they refuse the key, too.
      const isBeingRead =
        now !== null &&
        this.#isWanted(now) &&
        !running.state.failed.some((list) => listKey(list) === listKey(now))
      const known = new Set([...running.waiting, ...(isBeingRead ? [now] : [])].map(listKey))
      const more = lists.filter((list) => !known.has(listKey(list)))
      running.waiting.push(...more)
      // Try skipped companies again.
      for (const { company } of lists) running.skipped.delete(companyKey(company))
      const failed = running.state.failed.filter((list) => !requested.has(listKey(list)))
      this.#tell(connectionId, running, { total: running.state.total + more.length, failed })
      return
    }
    const keyRefusals = new KeyRefusals()
    keyRefusals.addEarlier(running?.keyRefusals.endpointIds ?? [])
    const isRefused = ({ company }: ListToRead): boolean => keyRefusals.endpointIds.has(company.endpointId)
    const run: Running = {
      state: { total: lists.length, done: 0, isRunning: true, now: null, failed: [] },
      now: null,
      waiting: lists.toSorted((one, other) => Number(isRefused(one)) - Number(isRefused(other))),
      entryId: null,
      skipped: new Map(),
      answered: new Map(),
      keyRefusals,
      isStopped: false,
      ended: Promise.resolve(),
    }
    this.#runs.set(connectionId, run)
    run.ended =
      running?.state.isRunning === true
        ? running.ended.then(() => this.#work(connectionId, run))
        : this.#work(connectionId, run)
  }

  stop(connectionId: string): void {
    const run = this.#runs.get(connectionId)
    if (run === undefined) return
    run.isStopped = true
    if (run.entryId !== null) this.#options.stopEntry(run.entryId)
  }

  /** Waits until no list is being read. */
  ended(connectionId: string): Promise<void> {
    return this.#runs.get(connectionId)?.ended ?? Promise.resolve()
  }

  close(): void {
    this.#isClosed = true
  }

  #tell(connectionId: string, run: Running, change: Partial<BackgroundReading>): void {
    run.state = { ...run.state, ...change }
    this.#options.changed(connectionId)
  }

  /** Whether a copy would still be kept. The user may have turned off copies for its company, or deleted its data. */
  #isWanted({ company, since }: RequestedList): boolean {
    return this.#options.keptLists.wants(company, since)
  }

  /** Remembers the queue entry of the current request, so that it can be stopped. */
  #onEntry(run: Running): (entryId: string) => void {
    return (entryId) => {
      run.entryId = entryId
      if (run.isStopped) this.#options.stopEntry(entryId)
    }
  }

  /** Interactive: while a refused key pauses the queue, only reads that a user waits for are sent. */
  async #test(
    run: Running,
    company: CompanyRef,
    object: string,
    batchId: string,
  ): Promise<Result<TestOutcome>> {
    const onEntry = this.#onEntry(run)
    const tested = await this.#options.companies.test(company, {
      priority: 'interactive',
      batchId,
      object,
      onEntry,
    })
    run.entryId = null
    run.keyRefusals.onTested(tested)
    return tested
  }

  async #readOne(run: Running, list: RequestedList, batchId: string): Promise<Result<unknown>> {
    const { company, object, since } = list
    if (run.keyRefusals.pending !== null) {
      const tested = await this.#test(run, company, object, batchId)
      if (!tested.ok) return tested
      if (tested.value.outcome !== 'answered') return err(tested.value.error)
    }
    const found = this.#options.companies.find(company)
    if (!found.ok) return found
    const read = await this.#options.reading.readToKeep(found.value, object, {
      batchId,
      onEntry: this.#onEntry(run),
      isStopped: () => run.isStopped || !this.#isWanted(list),
      since,
      beforeKeeping: () => this.#options.noteSupport(found.value, object),
    })
    if (!read.ok || read.value.reason === '') return read
    return err(appError('service-error', `The list could not be read completely. ${read.value.reason}`))
  }

  async #work(connectionId: string, run: Running): Promise<void> {
    const batchId = this.#options.newId()
    const fail = (
      { company, object }: ListToRead,
      error: BackgroundReading['failed'][number]['error'],
    ): void => {
      this.#tell(connectionId, run, {
        failed: [
          ...run.state.failed.filter((each) => listKey(each) !== listKey({ company, object })),
          { company, object, error },
        ],
      })
    }
    try {
      for (let list = run.waiting.shift(); list !== undefined; list = run.waiting.shift()) {
        if (run.isStopped || this.#isClosed) break
        if (!this.#isWanted(list)) {
          this.#tell(connectionId, run, { done: run.state.done + 1 })
          continue
        }
        run.now = list
        this.#tell(connectionId, run, { now: { company: list.company, object: list.object } })
        const ofCompany = companyKey(list.company)
        const skipped = run.skipped.get(ofCompany)
        const read = skipped === undefined ? await this.#readOne(run, list, batchId) : err(skipped)
        run.entryId = null
        const isWanted = this.#isWanted(list)
        if (read.ok) {
          run.answered.set(ofCompany, list.company)
          run.keyRefusals.onItemAccepted()
        } else {
          const { error } = read
          if (isWanted && error.kind === 'stopped') break
          if (isWanted) fail(list, error)
          if (skipped === undefined && error.kind === 'unauthorized') {
            run.answered.delete(ofCompany)
            run.skipped.set(ofCompany, error)
            const { endpointId } = list.company
            const reason = await run.keyRefusals.add(
              { endpointId, of: 'item', error },
              [...run.answered.values()],
              (company) => this.#test(run, company, list.object, batchId),
            )
            if (reason !== null) break
          } else if (isOutOfReach(error)) run.skipped.set(ofCompany, NOT_RESPONDING)
          else if (failsForAll(error)) {
            if (isWanted && skipped === undefined) break
          } else if (error.kind !== 'stopped') run.keyRefusals.onItemAccepted()
        }
        this.#tell(connectionId, run, { done: run.state.done + 1 })
      }
    } catch (cause) {
      this.#options.defect(cause)
    } finally {
      run.now = null
      run.waiting = []
      this.#tell(connectionId, run, { now: null, isRunning: false })
    }
  }
}

const NOT_RESPONDING = appError(
  'company-unavailable',
  'The company isn’t responding.',
  'Check its computer, then try again.',
)

function listKey({ company, object }: ListToRead): string {
  return companyKey(company, object)
}
