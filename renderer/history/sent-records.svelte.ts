/** The records of one batch, or what was sent of one record: for the dialog *History*. */
import type { CallInput } from '../../shared/contract.ts'
import type { HistoryRecord, HistoryRequest } from '../../shared/contract/history.ts'
import type { AppError } from '../../shared/result.ts'
import type { Api } from '../api.ts'

const PAGE = 200

export type WhichSent = CallInput<'history.records'>['which']

/** One field of one record that was sent. */
export interface SentLine {
  readonly id: string
  readonly record: HistoryRecord
  /** The record’s first line bears its name and outcome. */
  readonly isFirst: boolean
  readonly field: HistoryRecord['fields'][number] | null
}

export class SentRecords {
  readonly which: WhichSent
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

  constructor(api: Api, which: WhichSent, text = '') {
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

  /** What was sent and answered, as it was on the wire. */
  async readRequests(record: HistoryRecord): Promise<void> {
    const answer = await this.#api.call('history.requests', { operationId: record.operationId })
    if (this.selected?.operationId !== record.operationId) return
    this.requests = answer.ok ? answer.value : []
    if (!answer.ok) this.error = answer.error
  }

  async #page(cursor: string): Promise<void> {
    this.#asked += 1
    const asked = this.#asked
    const page = await this.#api.call('history.records', {
      which: this.which,
      outcome: null,
      text: this.text,
      cursor,
      limit: PAGE,
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
