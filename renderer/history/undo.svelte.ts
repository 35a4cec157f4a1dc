/** The state of the *Undo changes* dialog: the plan, the selected records, and the result. */
import type { UndoPlan, UndoRecord, UndoTarget } from '../../shared/contract/history.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { AppError } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { errorToShow } from '../ui/notices/errors.ts'

/** One field of one record to undo. */
export interface UndoLine {
  readonly id: string
  readonly record: UndoRecord
  readonly isFirst: boolean
  readonly field: UndoRecord['fields'][number]
}

/** The drafts that were created, and whether they are being sent. */
export interface UndoDrafts {
  readonly company: CompanyRef
  readonly object: string
  readonly count: number
  readonly isSent: boolean
}

export class UndoModel {
  readonly #api: Api
  readonly which: UndoTarget
  plan = $state.raw<UndoPlan | null>(null)
  error = $state.raw<AppError | null>(null)
  isWorking = $state(false)
  #excluded = $state.raw<ReadonlySet<string>>(new Set())

  readonly lines: readonly UndoLine[] = $derived((this.plan?.records ?? []).flatMap(linesOf))
  /** Records that can be undone; none if the company is read-only. */
  readonly possible: readonly UndoRecord[] = $derived(
    this.plan === null || this.plan.refusal !== null
      ? []
      : this.plan.records.filter(({ refused }) => refused === null),
  )
  readonly chosen: readonly UndoRecord[] = $derived(
    this.possible.filter(({ operationId }) => !this.#excluded.has(operationId)),
  )

  constructor(api: Api, which: UndoTarget) {
    this.#api = api
    this.which = which
  }

  async read(): Promise<void> {
    const plan = await this.#api.call('history.planUndo', { which: this.which })
    this.error = plan.ok ? null : plan.error
    if (plan.ok) this.plan = plan.value
  }

  isSelected(record: UndoRecord): boolean {
    return this.chosen.includes(record)
  }

  select(record: UndoRecord, isSelected: boolean): void {
    const next = new Set(this.#excluded)
    if (isSelected) next.delete(record.operationId)
    else next.add(record.operationId)
    this.#excluded = next
  }

  selectAll(isSelected: boolean): void {
    this.#excluded = isSelected ? new Set() : new Set(this.possible.map(({ operationId }) => operationId))
  }

  /**
   * Creates the drafts and, with `sends`, sends them.
   * @returns `null` on failure; `error` says why
   */
  async run(sends: boolean): Promise<UndoDrafts | null> {
    if (this.isWorking || this.chosen.length === 0) return null
    this.isWorking = true
    try {
      const operationIds = this.chosen.map(({ operationId }) => operationId)
      const made = await this.#api.call('history.undo', { operationIds })
      if (!made.ok) {
        await this.#readAfter(made.error)
        return null
      }
      const { company, object, draftIds } = made.value
      const sent = sends
        ? await this.#api.call('records.send', { company, object, draftIds: [...draftIds] })
        : null
      // If the user declined to send, the drafts still exist and the list shows them.
      if (sent?.ok === false && errorToShow(sent.error) !== null) {
        await this.#readAfter(sent.error)
        return null
      }
      return { company, object, count: draftIds.length, isSent: sent?.ok === true }
    } finally {
      this.isWorking = false
    }
  }

  /** Reads the plan again after a failure, and keeps the reason on screen. */
  async #readAfter(error: AppError): Promise<void> {
    await this.read()
    this.error = error
  }
}

function linesOf(record: UndoRecord): readonly UndoLine[] {
  return record.fields.map((field, index) => ({
    id: `${record.operationId} ${field.path}`,
    record,
    isFirst: index === 0,
    field,
  }))
}
