/** The changes in several companies of one connection, with their progress. */
import type { ShownChange } from '../../../shared/contract/all-companies.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import type { RecordChoice } from './multi-company-change.svelte.ts'

/** The changes of one connection, as the main process reports them, and what can be done with each. */
export class ChangesList {
  changes = $state.raw<readonly ShownChange[]>([])
  /** How the records of the changes that were prepared here were found, by change ID. */
  choices = $state.raw<ReadonlyMap<string, RecordChoice>>(new Map())
  error = $state.raw<AppError | null>(null)
  readonly #api: Api
  readonly #connectionId: string
  /** For each call that is running, the progress that has arrived since it began. */
  readonly #missed = new Set<ShownChange[]>()

  constructor(api: Api, connectionId: string) {
    this.#api = api
    this.#connectionId = connectionId
  }

  /** Loads the changes and follows their progress until the returned function is called. */
  listen(): () => void {
    void this.load()
    return this.#api.on('multiCompanyChanges.changed', (change) => {
      if (change.connectionId !== this.#connectionId) return
      for (const missed of this.#missed) missed.push(change)
      this.#merge(change)
    })
  }

  /** @param progress the change, with only those of its records that have a new state */
  #merge(progress: ShownChange): void {
    this.changes = this.changes.map((each) =>
      each.changeId === progress.changeId ? withProgress(each, progress) : each,
    )
  }

  /** Progress that arrives during a call may be newer than its response, so it is applied again afterward. */
  async #read<T>(call: Promise<Result<T>>, show: (read: T) => void): Promise<Result<T>> {
    const missed: ShownChange[] = []
    this.#missed.add(missed)
    const answer = await call
    this.#missed.delete(missed)
    if (answer.ok) show(answer.value)
    for (const progress of missed) this.#merge(progress)
    return answer
  }

  put(change: ShownChange): void {
    const isKnown = this.changes.some(({ changeId }) => changeId === change.changeId)
    this.changes = isKnown
      ? this.changes.map((each) =>
          each.changeId === change.changeId ? withKnownRecords(change, each) : each,
        )
      : [change, ...this.changes]
  }

  /** Adds a change that was just prepared. */
  add(change: ShownChange, choice: RecordChoice): void {
    this.choices = new Map([...this.choices, [change.changeId, choice]])
    this.put(change)
  }

  async load(): Promise<void> {
    const call = this.#api.call('multiCompanyChanges.list', { connectionId: this.#connectionId })
    this.#showError(await this.#read(call, (changes) => (this.changes = changes)))
  }

  async send({ changeId }: ShownChange, draftIds: readonly string[]): Promise<void> {
    const call = this.#api.call('multiCompanyChanges.send', { changeId, draftIds: [...draftIds] })
    const sent = await this.#read(call, (change) => {
      this.put(change)
    })
    this.error = sent.ok || sent.error.kind === 'declined' ? null : sent.error
  }

  async stop({ changeId }: ShownChange): Promise<void> {
    this.#showError(await this.#api.call('multiCompanyChanges.stop', { changeId }))
  }

  async resume({ changeId }: ShownChange): Promise<void> {
    this.#showError(await this.#api.call('multiCompanyChanges.resume', { changeId }))
  }

  async answer({ changeId }: ShownChange, endpointId: string, answer: 'again' | 'skip'): Promise<void> {
    this.#showError(await this.#api.call('multiCompanyChanges.answer', { changeId, endpointId, answer }))
  }

  async discard({ changeId }: ShownChange): Promise<void> {
    this.#showError(await this.#api.call('multiCompanyChanges.discard', { changeId }))
    await this.load()
  }

  async remove({ changeId }: ShownChange): Promise<void> {
    this.#showError(await this.#api.call('multiCompanyChanges.remove', { changeId }))
    await this.load()
  }

  saveReceipt({ changeId }: ShownChange) {
    return this.#api.call('multiCompanyChanges.saveReceipt', { changeId })
  }

  #showError(result: Result<unknown>): void {
    this.error = result.ok ? null : result.error
  }
}

/** Applies progress to a change. Unchanged records keep their identity, so that their rows aren't drawn again. */
function withProgress(before: ShownChange, progress: ShownChange): ShownChange {
  const known = new Map(before.items.map((item) => [item.itemId, item]))
  return {
    ...progress,
    items: progress.items.map((item) => {
      const changed = new Map(item.records.map((record) => [record.draftId, record]))
      const records = known.get(item.itemId)?.records ?? []
      return {
        ...item,
        records: changed.size === 0 ? records : records.map((each) => changed.get(each.draftId) ?? each),
      }
    }),
  }
}

/** Keeps the identity of records that are as before, so that their rows aren't drawn again. */
function withKnownRecords(change: ShownChange, before: ShownChange): ShownChange {
  const known = new Map(before.items.flatMap(({ records }) => records.map((each) => [each.draftId, each])))
  return {
    ...change,
    items: change.items.map((item) => ({
      ...item,
      records: item.records.map((record) => {
        const same = known.get(record.draftId)
        return same !== undefined && JSON.stringify(same) === JSON.stringify(record) ? same : record
      }),
    })),
  }
}
