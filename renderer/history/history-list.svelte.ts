/** What was sent, as Activity shows it: a page at a time from the newest on, under the person's filter. */
import type { HistoryEntry, HistoryOutcome } from '../../shared/contract/history.ts'
import type { AppError } from '../../shared/result.ts'
import type { Session } from '../frame/session.svelte.ts'

const PAGE = 100
/** While somebody types, or many rows are answered, it is not asked each time. */
const PAUSE = 150

export class HistoryList {
  /** Endpoint id; empty for all companies. */
  companyId = $state('')
  object = $state('')
  outcome = $state<HistoryOutcome | ''>('')
  text = $state('')
  selectedId = $state<string | null>(null)
  entries = $state.raw<readonly HistoryEntry[]>([])
  error = $state.raw<AppError | null>(null)
  isRead = $state(false)
  #next = $state('')
  /** The answer to an earlier question must not stand for a later one. */
  #asked = 0
  #timer: ReturnType<typeof setTimeout> | null = null
  readonly #session: Session

  readonly selected: HistoryEntry | null = $derived(
    this.entries.find(({ entryId }) => entryId === this.selectedId) ?? null,
  )

  constructor(session: Session) {
    this.#session = session
  }

  get isFiltered(): boolean {
    return this.companyId !== '' || this.object !== '' || this.outcome !== '' || this.text.trim() !== ''
  }

  get hasOlder(): boolean {
    return this.#next !== ''
  }

  /** Follows filter and outcomes until the answered function is called. */
  listen(): () => void {
    const stops = [
      this.#session.api.on('records.changed', () => this.#soon()),
      this.#session.api.on('companies.changed', () => this.#soon()),
    ]
    return () => {
      for (const stop of stops) stop()
      if (this.#timer !== null) clearTimeout(this.#timer)
    }
  }

  /** To be called when the filter has changed; reads anew in a moment. */
  refresh(): void {
    this.#soon()
  }

  /** **Show older**. */
  async readOlder(): Promise<void> {
    const page = await this.#read(this.#next, PAGE)
    if (page === null) return
    const held = new Set(this.entries.map(({ entryId }) => entryId))
    this.entries = [...this.entries, ...page.entries.filter(({ entryId }) => !held.has(entryId))]
    this.#next = page.next
  }

  clearFilter(): void {
    this.companyId = ''
    this.object = ''
    this.outcome = ''
    this.text = ''
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      void this.#readAnew()
    }, PAUSE)
  }

  /** As many as are held, so that nothing that was shown goes away. */
  async #readAnew(): Promise<void> {
    const page = await this.#read('', Math.min(500, Math.max(PAGE, this.entries.length)))
    if (page === null) return
    this.entries = page.entries
    this.#next = page.next
    this.isRead = true
  }

  async #read(cursor: string, limit: number) {
    const connectionId = this.#session.connection?.connectionId
    if (connectionId === undefined) return null
    this.#asked += 1
    const asked = this.#asked
    const { companyId, object, outcome, text } = this
    const page = await this.#session.api.call('history.entries', {
      connectionId,
      company: companyId === '' ? null : { connectionId, endpointId: companyId },
      object,
      outcome: outcome === '' ? null : outcome,
      text,
      cursor,
      limit,
    })
    if (asked !== this.#asked) return null
    this.error = page.ok ? null : page.error
    return page.ok ? page.value : null
  }
}
