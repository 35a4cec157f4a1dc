/** The months of a connection's companies: the list, the reading that is going on, and one month that is looked at. */
import type { CallAnswer } from '../../../shared/contract/contract.ts'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import type {
  MonthRow,
  MonthsProgress,
  OwnReviewSettings,
  Review,
  ReviewedFinding,
} from '../../../shared/contract/review.ts'
import type { RuleId } from '../../../shared/review/rules.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'

/** The full month before today, as `yyyy-mm`. */
export function lastMonth(today: Date): string {
  const at = new Date(Date.UTC(today.getFullYear(), today.getMonth() - 1, 1))
  return at.toISOString().slice(0, 7)
}

export class MonthsModel {
  rows = $state.raw<readonly MonthRow[]>([])
  progress = $state.raw<MonthsProgress | null>(null)
  error = $state.raw<AppError | null>(null)
  review = $state.raw<Review | null>(null)
  changes = $state.raw<CallAnswer<'months.changes'> | null>(null)
  history = $state.raw<CallAnswer<'months.history'> | null>(null)
  settings = $state.raw<CallAnswer<'review.settings'> | null>(null)
  readonly #api: Api
  readonly #connectionId: string
  month: string

  constructor(api: Api, connectionId: string, month: string) {
    this.#api = api
    this.#connectionId = connectionId
    this.month = month
  }

  /** Follows what changes. Returns a function that stops it. */
  listen(): () => void {
    return this.#api.on('months.changed', ({ connectionId, row, progress, error }) => {
      if (connectionId !== this.#connectionId) return
      this.progress = progress
      if (error !== null) this.error = error
      if (row === null || row.month !== this.month) return
      const { endpointId } = row.company
      this.rows = this.rows.map((each) => (each.company.endpointId === endpointId ? row : each))
      if (this.review?.month.company.endpointId === endpointId) void this.open(row)
    })
  }

  async load(): Promise<void> {
    const { month } = this
    const answer = await this.#api.call('months.list', { connectionId: this.#connectionId, month })
    if (!answer.ok) {
      this.error = answer.error
      return
    }
    this.rows = answer.value.rows
    this.progress = answer.value.progress
  }

  async getReports(rows: readonly MonthRow[], again = false): Promise<void> {
    const endpointIds = rows.map(({ company }) => company.endpointId)
    const { month } = this
    this.#take(
      await this.#api.call('months.getReports', {
        connectionId: this.#connectionId,
        month,
        endpointIds,
        again,
      }),
      (progress) => (this.progress = progress),
    )
  }

  async stop(): Promise<void> {
    await this.#api.call('months.stop', { connectionId: this.#connectionId })
  }

  /** Reads what there is to see of a company's month. */
  async open({ company, month }: MonthRow): Promise<void> {
    const of = { company, month }
    this.#takeReview(await this.#api.call('review.findings', of))
    this.#take(await this.#api.call('months.changes', of), (changes) => (this.changes = changes))
    this.#take(await this.#api.call('months.history', of), (history) => (this.history = history))
    this.#take(await this.#api.call('review.settings', company), (settings) => (this.settings = settings))
  }

  leave(): void {
    this.review = null
    void this.load()
  }

  async accept({ company, month }: MonthRow, { key, amount }: ReviewedFinding, note: string): Promise<void> {
    this.#takeReview(await this.#api.call('review.accept', { company, month, key, amount, note }))
  }

  async never({ company, month }: MonthRow, { key, amount }: ReviewedFinding, note: string): Promise<void> {
    this.#takeReview(await this.#api.call('review.never', { company, month, key, amount, note }))
  }

  async undo({ company, month }: MonthRow, { key, amount }: ReviewedFinding): Promise<void> {
    this.#takeReview(await this.#api.call('review.undo', { company, month, key, amount }))
  }

  async checkAgain({ company, month }: MonthRow, rule: RuleId): Promise<void> {
    this.#take(await this.#api.call('review.checkAgain', { company, month, rule }), (progress) => {
      this.progress = progress
    })
  }

  async close({ company, month }: MonthRow, note: string): Promise<void> {
    this.#take(await this.#api.call('months.close', { company, month, note }))
  }

  async reopen({ company, month }: MonthRow, note: string): Promise<void> {
    this.#take(await this.#api.call('months.reopen', { company, month, note }))
  }

  async acceptChange({ company, month }: MonthRow, note: string): Promise<void> {
    this.#take(await this.#api.call('months.acceptChange', { company, month, note }))
  }

  savePack({ company, month }: MonthRow, format: 'pdf' | 'xlsx'): Promise<Result<SavedFile>> {
    return this.#api.call('months.savePack', { company, month, format })
  }

  async setSettings({ company }: MonthRow, own: OwnReviewSettings): Promise<void> {
    this.#take(await this.#api.call('review.setSettings', { ...company, own }))
    this.#take(await this.#api.call('review.settings', company), (settings) => (this.settings = settings))
  }

  #takeReview(answer: Result<Review>): void {
    this.#take(answer, (review) => (this.review = review))
  }

  #take<T>(answer: Result<T>, use: (value: T) => void = () => undefined): void {
    this.error = answer.ok ? null : answer.error
    if (answer.ok) use(answer.value)
  }
}
