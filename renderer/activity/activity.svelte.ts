/** What the activity screen holds: the log as far as it was read, its filter, and what a command answered. */
import type { LaneEntry, LogEntry } from '../../shared/contract/activity.ts'
import type { AppError, Result } from '../../shared/result.ts'
import type { Session } from '../frame/session.svelte.ts'
import { filterLog, mergeLog, type LogFilter } from './log.ts'

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
  async stop(entry: LaneEntry): Promise<void> {
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
