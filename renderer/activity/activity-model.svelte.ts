/**
 * The state of the Activity screen: the loaded log, its filter, and the error of the last command. Also how log
 * entries are filtered and formatted.
 */
import type { LogEntry, QueueEntry, RequestQueue } from '../../shared/contract/activity.ts'
import type { HistoryEntry } from '../../shared/contract/history.ts'
import type { Format } from '../../shared/format/format.ts'
import { normalizeForSearch, searchTerms } from '../../shared/records/search-text.ts'
import type { AppError, Result } from '../../shared/result.ts'
import type { Session } from '../frame/session.svelte.ts'
import type { Outcome } from '../ui/notices/outcomes.ts'
import type { Sort } from '../ui/table/data-table.svelte.ts'

/** Entries per read. */
const PAGE = 200

export class ActivityModel {
  filter = $state<LogFilter>('all')
  search = $state('')
  selectedId = $state<string | null>(null)
  sort = $state.raw<Sort | null>(null)
  /** Why the last command failed. */
  error = $state.raw<AppError | null>(null)
  #log = $state.raw<readonly LogEntry[]>([])
  /** The sent batches of records by ID. */
  #sent = $state.raw<ReadonlyMap<string, HistoryEntry>>(new Map())
  #isRead = $state(false)
  #hasOlder = $state(false)
  readonly #session: Session

  /** The filtered log, newest first. */
  readonly shown: readonly LogEntry[] = $derived.by(() => this.matching(this.filter))
  readonly selected: LogEntry | null = $derived(
    this.shown.find(({ entryId }) => entryId === this.selectedId) ?? null,
  )

  constructor(session: Session) {
    this.#session = session
  }

  /** Returns the outcomes of a batch's records; `null` if the batch is unknown or sent none. */
  outcomesOf(batchId: string): HistoryEntry | null {
    return this.#sent.get(batchId) ?? null
  }

  /**
   * Returns the entries that match a filter and the search. *Failed* includes batches whose records weren't all
   * saved.
   */
  matching(filter: LogFilter): readonly LogEntry[] {
    return filterLog(this.#log, filter, this.search, ({ isWrite, batchId }) => {
      const outcomes = this.#sent.get(batchId)?.outcomes ?? []
      return isWrite && outcomes.some(({ outcome }) => outcome !== 'saved' && outcome !== 'discarded')
    })
  }

  /** How many rows a filter shows. A sorted log has a row for each request. */
  count(filter: LogFilter): number {
    const entries = this.matching(filter)
    return this.sort === null ? groupLog(entries).length : entries.length
  }

  /** The loaded log. */
  get log(): readonly LogEntry[] {
    return this.#log
  }

  /** Whether the log has been read. */
  get isRead(): boolean {
    return this.#isRead
  }

  /** Whether there are older entries to load. */
  get hasOlder(): boolean {
    return this.#hasOlder
  }

  /** Follows the log until the returned function is called. */
  listen(): () => void {
    void this.#readNewest()
    return this.#session.api.on('activity.changed', () => void this.#readNewest())
  }

  /** **Show older**. */
  async readOlder(): Promise<void> {
    const oldest = this.#log.at(-1)
    if (oldest) await this.#read(oldest.at)
  }

  /** Removes a waiting request, or abandons the running one. */
  async stop(entry: QueueEntry): Promise<void> {
    await this.#ask(this.#session.api.call('activity.stop', { entryId: entry.entryId }))
  }

  /** **Pause** or **Resume**. */
  async setPaused({ connectionId }: RequestQueue, paused: boolean): Promise<void> {
    const { api } = this.#session
    await this.#ask(
      paused ? api.call('activity.pause', { connectionId }) : api.call('activity.resume', { connectionId }),
    )
  }

  async #readNewest(): Promise<void> {
    await this.#read(null)
  }

  async #read(before: string | null): Promise<void> {
    const connectionId = this.#session.connection?.connectionId ?? null
    const read = await this.#session.api.call('activity.log', { connectionId, before, limit: PAGE })
    if (!read.ok) {
      this.error = read.error
      return
    }
    // Only reading the oldest entries shows whether there are more.
    if (before !== null || !this.#isRead) this.#hasOlder = read.value.length === PAGE
    this.#isRead = true
    this.#log = mergeLog(this.#log, read.value)
    if (connectionId !== null && this.#log.some(({ isWrite, batchId }) => isWrite && batchId !== '')) {
      await this.#readSent(connectionId)
    }
  }

  async #readSent(connectionId: string): Promise<void> {
    const nothing = { company: null, object: '', outcome: null, text: '', cursor: '' }
    const sent = await this.#session.api.call('history.entries', { connectionId, ...nothing, limit: PAGE })
    if (!sent.ok) return
    const batches = sent.value.entries.filter(({ kind }) => kind === 'records')
    this.#sent = new Map([...this.#sent, ...batches.map((entry) => [entry.entryId, entry] as const)])
  }

  async #ask(asked: Promise<Result<unknown>>): Promise<void> {
    const result = await asked
    this.error = result.ok ? null : result.error
  }
}

// Filters, labels, and the text for support.

/** Which entries are shown. */
type LogFilter = 'all' | 'sent' | 'failed'

/** The sign of an entry and its label. */
interface LogSign {
  readonly outcome: Outcome | null
  readonly word: string
}

/** Returns the sign and label of an outcome. */
export function logSign(outcome: LogEntry['outcome']): LogSign {
  switch (outcome) {
    case 'answered':
      return { outcome: 'saved', word: 'done' }
    case 'service-error':
      return { outcome: 'not-accepted', word: 'error from the service' }
    case 'failed':
      return { outcome: 'not-accepted', word: 'response couldn’t be read' }
    case 'abandoned':
      return { outcome: 'not-confirmed', word: 'abandoned' }
    case 'stopped':
      return { outcome: null, word: 'stopped' }
    case 'begun':
      return { outcome: 'sending', word: 'in progress' }
    case 'cut-off':
      return { outcome: 'not-confirmed', word: 'Bookbridge closed before the response arrived' }
  }
}

/** Whether a request ended without a usable response. */
function isFailed(entry: LogEntry): boolean {
  return entry.outcome !== 'answered' && entry.outcome !== 'stopped' && entry.outcome !== 'begun'
}

/**
 * Returns the entries that match a filter and contain every word of the search.
 * @param isTroubled whether an entry got a response but wasn't accepted completely
 */
function filterLog(
  entries: readonly LogEntry[],
  filter: LogFilter,
  search: string,
  isTroubled: (entry: LogEntry) => boolean,
): readonly LogEntry[] {
  const terms = searchTerms(search)
  return entries
    .filter(
      (entry) =>
        filter === 'all' || (filter === 'sent' ? entry.isWrite : isFailed(entry) || isTroubled(entry)),
    )
    .filter((entry) => {
      const { companyName, what, says, requestId, path, method } = entry
      const text = normalizeForSearch([companyName, what, says, requestId, path, method].join('\n'))
      return terms.every((word) => text.includes(word))
    })
}

/** The requests of one run or batch. */
export interface LogGroup {
  readonly id: string
  /** Newest first. */
  readonly entries: readonly LogEntry[]
}

/**
 * Groups the entries of each batch at the position of its newest one. A check which fields a list has belongs to the
 * request of the same company before or after it. Other entries stay single.
 */
export function groupLog(entries: readonly LogEntry[]): readonly (LogEntry | LogGroup)[] {
  const keys = entries.map(({ batchId, entryId }) => batchId || entryId)
  let older = -1
  for (const [at, entry] of entries.entries()) {
    if (!isFieldCheck(entry)) continue
    // The newer entry already has its key, which may be that of a request further up. Checks in a row share the older one.
    if (older <= at) older = nextRequest(entries, at)
    const found = [older, at - 1].find((index) => isNear(entries[index], entry))
    if (found !== undefined) keys[at] = keys[found] ?? entry.entryId
  }
  const groups = Map.groupBy(entries.keys(), (at) => keys[at] ?? '')
  return [...groups].map(([key, places]) => {
    const same = places.map((at) => entries[at]).filter((each) => each !== undefined)
    const [first] = same
    return first && same.length === 1 ? first : { id: `group ${key}`, entries: same }
  })
}

/** The index of the next request that isn't a check of fields, or the number of entries. */
function nextRequest(entries: readonly LogEntry[], from: number): number {
  let at = from + 1
  for (let entry = entries[at]; entry !== undefined && isFieldCheck(entry); entry = entries[at]) at += 1
  return at
}

function isFieldCheck({ reads, batchId }: LogEntry): boolean {
  return batchId === '' && reads === 'fields'
}

/** Longer than a user waits between two requests of one step, in milliseconds. */
const NEAR_MS = 60_000

function isNear(one: LogEntry | undefined, other: LogEntry): boolean {
  if (one === undefined || one.connectionId !== other.connectionId) return false
  if (one.company?.endpointId !== other.company?.endpointId) return false
  return Math.abs(Date.parse(one.at) - Date.parse(other.at)) <= NEAR_MS
}

/**
 * Names a group by what the user did: *Month end – March 2026*, *Read March 2026 for review*, *Read 10 lists*.
 * @param runTitle the title of the run that made the requests, if it is one
 * @param past puts a request's title into the past tense
 */
export function groupTitle(
  entries: readonly LogEntry[],
  runTitle: string | undefined,
  past: (entry: LogEntry) => string,
  format: Format,
): string {
  if (runTitle !== undefined) return runTitle
  const sent = entries.find(({ isWrite }) => isWrite)
  if (sent !== undefined) return past(sent)
  const reads = entries.filter((entry) => !isFieldCheck(entry))
  const [only] = reads
  if (only === undefined) return 'Checked which fields the lists have'
  const [month, ...otherMonths] = new Set(reads.flatMap(({ reviewedMonth }) => reviewedMonth ?? []))
  if (otherMonths.length > 0) return `Read ${String(otherMonths.length + 1)} months for review`
  if (month !== undefined) return `Read ${format.longMonth(`${month}-01`)} for review`
  const titles = new Set(reads.map(({ what }) => what))
  const isOfSeveral = new Set(reads.map(({ company }) => company?.endpointId)).size > 1
  if (titles.size === 1) {
    const title = past(only)
    return isOfSeveral ? title.replace(/\bthe company$/, 'the companies') : title
  }
  if (reads.every((entry) => entry.reads === 'list')) return `Read ${String(reads.length)} lists`
  if (reads.every((entry) => entry.reads === 'report')) return `Ran ${String(reads.length)} reports`
  return `${past(only)}, and more`
}

/**
 * Summarizes the outcomes of a group: *14 done, 1 error from the service*, *Done*, or what the one request that isn't a
 * check of fields brought.
 */
export function groupOutcome(entries: readonly LogEntry[]): string {
  const counts = new Map<string, number>()
  for (const { outcome } of entries) {
    const { word } = logSign(outcome)
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const [only] = counts.keys()
  if (counts.size === 1) {
    const [main, ...others] = entries.filter((entry) => !isFieldCheck(entry))
    if (only !== 'done') return `All ${only ?? ''}`
    return main !== undefined && others.length === 0 ? main.says : 'Done'
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ')
}

/** Merges two reads that may overlap: newest first, without duplicates. */
function mergeLog(held: readonly LogEntry[], read: readonly LogEntry[]): readonly LogEntry[] {
  const byId = new Map([...held, ...read].map((entry) => [entry.entryId, entry]))
  return [...byId.values()].toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at))
}

/** Formats entries for a support email, one line each. Excludes descriptions, which may name a record. */
export function logForSupport(entries: readonly LogEntry[], version: string): string {
  return [
    `Bookbridge ${version}, ${entries.length} requests`,
    'time\tmethod\tpath\tstatus\tms\toutcome\tcode\tRequestId',
    ...entries.map((entry) =>
      [
        entry.at,
        entry.method,
        entry.path,
        entry.status ?? '-',
        entry.milliseconds,
        entry.outcome,
        entry.code || '-',
        entry.requestId || '-',
      ].join('\t'),
    ),
  ].join('\n')
}
