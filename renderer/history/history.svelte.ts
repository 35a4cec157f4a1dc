/**
 * The history of what was sent from this computer: the list of entries, the records of one entry, and which
 * dialog is open.
 */
import type {
  HistoryEntry,
  HistoryOutcome,
  HistoryRecord,
  HistoryRequest,
  HistoryScope,
  UndoTarget,
} from '../../shared/contract/history.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { AppError } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import type { Session } from '../frame/session.svelte.ts'
import { UndoModel } from './undo.svelte.ts'

/** Initial values of the *Save history* dialog. */
export interface HistoryToSave {
  /** `null` lets the user choose. */
  readonly company: CompanyRef | null
  /** Empty for all lists. */
  readonly object: string
  readonly record: { readonly recordId: string; readonly name: string } | null
}

/** Opens the dialogs *History*, *Undo changes*, and *Save history*, at most one at a time. */
export class HistoryController {
  readonly #api: Api
  sent = $state.raw<SentRecords | null>(null)
  undo = $state.raw<UndoModel | null>(null)
  saving = $state.raw<HistoryToSave | null>(null)

  constructor(api: Api) {
    this.#api = api
  }

  /** @param text limits the records to those that contain it */
  showBatch(batchId: string, text = ''): void {
    this.#show({ of: 'batch', batchId }, text)
  }

  showRecord(company: CompanyRef, object: string, recordId: string): void {
    this.#show({ of: 'record', company, object, recordId }, '')
  }

  undoBatch(batchId: string): void {
    this.undoSent({ of: 'batch', batchId })
  }

  undoSent(which: UndoTarget): void {
    this.sent = null
    this.undo = new UndoModel(this.#api, which)
    void this.undo.read()
  }

  saveHistory(of: HistoryToSave): void {
    this.close()
    this.saving = of
  }

  close(): void {
    this.sent = null
    this.undo = null
    this.saving = null
  }

  #show(which: HistoryScope, text: string): void {
    this.undo = null
    this.sent = new SentRecords(this.#api, which, text)
    void this.sent.read()
  }
}

// The list of entries in Activity, filtered, newest first, one page at a time.

const PAGE = 100
/** Delay in ms before reading, so that typing or many changes cause a single read. */
const READ_DELAY = 150

export class HistoryList {
  /** Endpoint ID; empty for all companies. */
  companyId = $state('')
  object = $state('')
  outcome = $state<HistoryOutcome | ''>('')
  text = $state('')
  selectedId = $state<string | null>(null)
  entries = $state.raw<readonly HistoryEntry[]>([])
  error = $state.raw<AppError | null>(null)
  isRead = $state(false)
  #next = $state('')
  /** Number of the latest request. Responses to earlier ones are ignored. */
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

  /** Follows changes until the returned function is called. */
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

  /** Reads again after a short delay. Call it when the filter changes. */
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
      void this.#reread()
    }, READ_DELAY)
  }

  /** Reads at least as many entries as are shown, so that none disappears. */
  async #reread(): Promise<void> {
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

// The records of one batch, or the changes of one record, for the *History* dialog.

const RECORDS_PAGE = 200

/** One field of one record that was sent. */
export interface SentLine {
  readonly id: string
  readonly record: HistoryRecord
  /** The record’s first line shows its name and outcome. */
  readonly isFirst: boolean
  readonly field: HistoryRecord['fields'][number] | null
}

export class SentRecords {
  readonly which: HistoryScope
  readonly #api: Api
  text = $state('')
  records = $state.raw<readonly HistoryRecord[]>([])
  requests = $state.raw<readonly HistoryRequest[]>([])
  error = $state.raw<AppError | null>(null)
  isRead = $state(false)
  selectedId = $state<string | null>(null)
  #next = $state('')
  #asked = 0

  readonly lines: readonly SentLine[] = $derived(this.records.flatMap(linesOf))
  readonly selected: HistoryRecord | null = $derived(
    this.lines.find(({ id }) => id === this.selectedId)?.record ?? null,
  )

  constructor(api: Api, which: HistoryScope, text = '') {
    this.#api = api
    this.which = which
    this.text = text
  }

  get hasMore(): boolean {
    return this.#next !== ''
  }

  async read(): Promise<void> {
    await this.#page('')
    this.isRead = true
  }

  async readMore(): Promise<void> {
    await this.#page(this.#next)
  }

  /** Reads the request and response as they were sent. */
  async readRequests(record: HistoryRecord): Promise<void> {
    const result = await this.#api.call('history.requests', { operationId: record.operationId })
    if (this.selected?.operationId !== record.operationId) return
    this.requests = result.ok ? result.value : []
    if (!result.ok) this.error = result.error
  }

  async #page(cursor: string): Promise<void> {
    this.#asked += 1
    const asked = this.#asked
    const page = await this.#api.call('history.records', {
      which: this.which,
      outcome: null,
      text: this.text,
      cursor,
      limit: RECORDS_PAGE,
    })
    if (asked !== this.#asked) return
    if (!page.ok) {
      this.error = page.error
      return
    }
    this.error = null
    this.records = cursor === '' ? page.value.records : [...this.records, ...page.value.records]
    this.#next = page.value.next
  }
}

function linesOf(record: HistoryRecord): readonly SentLine[] {
  if (record.fields.length === 0) return [{ id: record.operationId, record, isFirst: true, field: null }]
  return record.fields.map((field, index) => ({
    id: `${record.operationId} ${field.path}`,
    record,
    isFirst: index === 0,
    field,
  }))
}
