/** What the activity screen holds: the log as far as it was read, its filter, and what a command answered. */
import type { QueueEntry, LogEntry } from '../../shared/contract/activity.ts'
import type { AppError, Result } from '../../shared/result.ts'
import type { Session } from '../frame/session.svelte.ts'
import { normalizeForSearch, searchWords } from '../ui/search.ts'
import type { Outcome } from '../ui/outcomes.ts'

/** Entries of the log in one read. */
const PAGE = 200

export class ActivityState {
  filter = $state<LogFilter>('all')
  search = $state('')
  selectedId = $state<string | null>(null)
  /** Why the last thing asked for here did not happen. */
  error = $state.raw<AppError | null>(null)
  #log = $state.raw<readonly LogEntry[]>([])
  #isRead = $state(false)
  #hasOlder = $state(false)
  readonly #session: Session

  /** The log under filter and search, newest first. */
  readonly shown: readonly LogEntry[] = $derived.by(() => filterLog(this.#log, this.filter, this.search))
  readonly selected: LogEntry | null = $derived(
    this.shown.find(({ entryId }) => entryId === this.selectedId) ?? null,
  )

  constructor(session: Session) {
    this.#session = session
  }

  /** All that was read of the log, for the counts of the filters. */
  get log(): readonly LogEntry[] {
    return this.#log
  }

  /** The log was read at least once. */
  get isRead(): boolean {
    return this.#isRead
  }

  /** There is more in the log than what was read. */
  get hasOlder(): boolean {
    return this.#hasOlder
  }

  /** Follows what runs until the answered function is called: when it changes, the log has news. */
  listen(): () => void {
    void this.#readNewest()
    return this.#session.api.on('activity.changed', () => void this.#readNewest())
  }

  /** **Show older**. */
  async readOlder(): Promise<void> {
    const oldest = this.#log.at(-1)
    if (oldest) await this.#read(oldest.at)
  }

  /** Takes a waiting entry out, or lets go of the running one. */
  async stop(entry: QueueEntry): Promise<void> {
    await this.#ask(this.#session.api.call('activity.stop', { entryId: entry.entryId }))
  }

  async pause(connectionId: string): Promise<void> {
    await this.#ask(this.#session.api.call('activity.pause', { connectionId }))
  }

  async resume(connectionId: string): Promise<void> {
    await this.#ask(this.#session.api.call('activity.resume', { connectionId }))
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
    // Only a read at the old end tells whether there is more there.
    if (before !== null || !this.#isRead) this.#hasOlder = read.value.length === PAGE
    this.#isRead = true
    this.#log = mergeLog(this.#log, read.value)
  }

  async #ask(asked: Promise<Result<unknown>>): Promise<void> {
    const answer = await asked
    this.error = answer.ok ? null : answer.error
  }
}

// The log of what was asked and sent, as values: its filters, its words, and its text for support.

/** What of the log is shown. */
export type LogFilter = 'all' | 'sent' | 'failed'

/** The sign of an entry, and the word that says the same. */
export interface LogSign {
  readonly outcome: Outcome | null
  readonly word: string
}

/** How it went, in one word for the margin. */
export function logSign(outcome: LogEntry['outcome']): LogSign {
  switch (outcome) {
    case 'answered':
      return { outcome: 'saved', word: 'answered' }
    case 'service-error':
      return { outcome: 'refused', word: 'service error' }
    case 'failed':
      return { outcome: 'refused', word: 'unusable answer' }
    case 'let-go':
      return { outcome: 'unconfirmed', word: 'abandoned' }
    case 'stopped':
      return { outcome: null, word: 'stopped' }
    case 'begun':
      return { outcome: 'sending', word: 'in progress' }
    case 'cut-off':
      return { outcome: 'unconfirmed', word: 'Bookbridge closed before the answer' }
  }
}

/** Whether it did not end with an answer that can be used. */
function isFailed(entry: LogEntry): boolean {
  return entry.outcome !== 'answered' && entry.outcome !== 'stopped' && entry.outcome !== 'begun'
}

/** The entries under a filter that have every word of the search in time, company, words, path or RequestId. */
export function filterLog(
  entries: readonly LogEntry[],
  filter: LogFilter,
  search: string,
): readonly LogEntry[] {
  const words = searchWords(search)
  return entries
    .filter((entry) => filter === 'all' || (filter === 'sent' ? entry.isWrite : isFailed(entry)))
    .filter((entry) => {
      const { companyName, what, says, requestId, path, method } = entry
      const text = normalizeForSearch([companyName, what, says, requestId, path, method].join('\n'))
      return words.every((word) => text.includes(word))
    })
}

/** Newer entries before those that are held, each once; the answers of two reads may overlap. */
export function mergeLog(held: readonly LogEntry[], read: readonly LogEntry[]): readonly LogEntry[] {
  const byId = new Map([...held, ...read].map((entry) => [entry.entryId, entry]))
  return [...byId.values()].toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at))
}

/** Lines for a support mail, an entry each. Words are left out, since they may name a record or quote a body. */
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
