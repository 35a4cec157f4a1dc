/**
 * **Read them now**: reads lists of several companies in the background, one request at a time, and keeps copies of
 * them.
 */
import { companyKey } from '../../../shared/companies/companies.ts'
import type { BackgroundReading } from '../../../shared/contract/all-companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type Result, appError, err } from '../../../shared/result.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { Companies } from '../companies/companies.ts'
import type { KeptLists } from '../records/kept-lists.ts'
import type { ListReading } from '../records/list-reading.ts'
import { failsForAll, isOutOfReach } from '../companies/company-tests.ts'

export interface BackgroundReadingOptions {
  readonly reading: Pick<ListReading, 'readToKeep'>
  readonly keptLists: Pick<KeptLists, 'deletions' | 'wants'>
  readonly companies: Pick<Companies, 'find'>
  /** Requests which fields the company's application supports, and saves that with the copy. */
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
  waiting: RequestedList[]
  entryId: string | null
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

  /** Reads these lists. If a reading is running, they are added to it. */
  read(connectionId: string, wanted: readonly ListToRead[]): void {
    const since = this.#options.keptLists.deletions
    const lists = [...new Map(wanted.map((list) => [listKey(list), { ...list, since }])).values()]
    const running = this.#runs.get(connectionId)
    if (running?.state.isRunning === true) {
      const known = new Set(
        [...running.waiting, ...(running.state.now ? [running.state.now] : [])].map(listKey),
      )
      const more = lists.filter((list) => !known.has(listKey(list)))
      running.waiting.push(...more)
      this.#tell(connectionId, running, { total: running.state.total + more.length })
      return
    }
    const run: Running = {
      state: { total: lists.length, done: 0, isRunning: true, now: null, failed: [] },
      waiting: [...lists],
      entryId: null,
      isStopped: false,
      ended: Promise.resolve(),
    }
    this.#runs.set(connectionId, run)
    run.ended = this.#work(connectionId, run)
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

  /** Whether it would still be kept. The user may have turned its company off, or deleted its data. */
  #isWanted({ company, since }: RequestedList): boolean {
    return this.#options.keptLists.wants(company, since)
  }

  async #readOne(run: Running, list: RequestedList, batchId: string): Promise<Result<unknown>> {
    const { company, object, since } = list
    const found = this.#options.companies.find(company)
    if (!found.ok) return found
    const read = await this.#options.reading.readToKeep(found.value, object, {
      batchId,
      onEntry: (entryId) => {
        run.entryId = entryId
        if (run.isStopped) this.#options.stopEntry(entryId)
      },
      isStopped: () => run.isStopped || !this.#isWanted(list),
      since,
      beforeKeeping: () => this.#options.noteSupport(found.value, object),
    })
    if (!read.ok || read.value.reason === '') return read
    return err(appError('service-error', `The list could not be read whole. ${read.value.reason}`))
  }

  async #work(connectionId: string, run: Running): Promise<void> {
    const batchId = this.#options.newId()
    /** Companies that didn't respond. Their other lists are skipped, too. */
    const silent = new Set<string>()
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
        this.#tell(connectionId, run, { now: { company: list.company, object: list.object } })
        const read = silent.has(companyKey(list.company))
          ? err(
              appError(
                'company-unavailable',
                'The company isn’t responding.',
                'Check its computer, then try again.',
              ),
            )
          : await this.#readOne(run, list, batchId)
        run.entryId = null
        const isWanted = this.#isWanted(list)
        if (!read.ok && read.error.kind === 'stopped' && isWanted) break
        if (!read.ok && isWanted) {
          fail(list, read.error)
          if (failsForAll(read.error)) break
          if (isOutOfReach(read.error)) silent.add(companyKey(list.company))
        }
        this.#tell(connectionId, run, { done: run.state.done + 1 })
      }
    } catch (cause) {
      this.#options.defect(cause)
    } finally {
      run.waiting = []
      this.#tell(connectionId, run, { now: null, isRunning: false })
    }
  }
}

function listKey({ company, object }: ListToRead): string {
  return companyKey(company, object)
}
