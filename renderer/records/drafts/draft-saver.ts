/**
 * Saves drafts immediately. Drafts that change together are saved in one call, and only the latest state of each counts.
 * Failed saves are retried, so that no edit is lost while the window is open.
 */
import type { AppError, Result } from '../../../shared/result.ts'
import { yieldToEventLoop } from '../list/time-slice.ts'
import type { RowDraft } from './row-draft.ts'

/**
 * Drafts per call. Filling 100,000 rows must not take 100,000 transactions, and passing a call to the main
 * process blocks the window.
 */
const MAX_PER_CALL = 100

/** A draft that couldn't be saved, and why. The other drafts of its call are saved. */
export interface UnsavedDraft {
  readonly draftId: string
  readonly error: AppError
}

interface SaverPorts {
  /**
   * Saves drafts to disk and deletes those without edits.
   * @returns the rejected drafts
   */
  readonly save: (drafts: readonly RowDraft[]) => Promise<Result<readonly UnsavedDraft[]>>
  /** Called with the error, and with `null` once everything is saved again. */
  readonly onfailure: (error: AppError | null) => void
  /** Milliseconds until a failed save is retried. */
  readonly retryAfter: number
}

export class DraftSaver {
  readonly #ports: SaverPorts
  /** Unsaved drafts by ID, in their latest state. */
  readonly #waiting = new Map<string, RowDraft>()
  /** Errors of drafts that couldn't be saved, until they are retried. */
  readonly #failed = new Map<string, AppError>()
  #run: Promise<void> | null = null
  #reported: AppError | null = null
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(ports: SaverPorts) {
    this.#ports = ports
  }

  /** Whether a draft's latest state isn't on disk yet. */
  isPending(draftId: string): boolean {
    return this.#waiting.has(draftId)
  }

  /** Whether any draft's latest state isn't on disk yet. */
  get hasPending(): boolean {
    return this.#waiting.size > 0
  }

  save(draft: RowDraft): void {
    // Move it to the end of the queue, so that edits that keep coming don't hold up the others.
    this.#waiting.delete(draft.draftId)
    this.#waiting.set(draft.draftId, draft)
    this.#failed.delete(draft.draftId)
    this.#start()
  }

  /** Drops a draft from the queue, because it was sent or discarded. */
  forget(draftId: string): void {
    this.#waiting.delete(draftId)
    this.#failed.delete(draftId)
  }

  /**
   * Tries to save everything.
   * @returns whether all of it is on disk
   */
  async settled(): Promise<boolean> {
    this.#failed.clear()
    this.#start()
    while (this.#run !== null) await this.#run
    return this.#waiting.size === 0
  }

  /** Retries failed saves immediately. */
  retryNow(): void {
    clearTimeout(this.#retry)
    this.#failed.clear()
    this.#start()
  }

  stop(): void {
    clearTimeout(this.#retry)
  }

  #start(): void {
    if (this.#run !== null || this.#waiting.size === 0) return
    this.#run = this.#drain().finally(() => {
      this.#run = null
    })
  }

  /** One call at a time, so that an older state of a draft never overwrites a newer one. */
  async #drain(): Promise<void> {
    // Let everything that changes together, as in a paste, join the queue first. Large queues start in a task
    // of their own.
    await Promise.resolve()
    if (this.#waiting.size > MAX_PER_CALL) await yieldToEventLoop()
    for (;;) {
      const drafts = this.#next()
      if (drafts.length === 0) return this.#say()
      const result = await this.#ports.save(drafts)
      const refused = result.ok
        ? result.value
        : drafts.map(({ draftId }) => ({ draftId, error: result.error }))
      const errors = new Map(refused.map(({ draftId, error }) => [draftId, error]))
      for (const draft of drafts) this.#after(draft, errors.get(draft.draftId))
    }
  }

  #next(): readonly RowDraft[] {
    const drafts: RowDraft[] = []
    for (const draft of this.#waiting.values()) {
      if (drafts.length === MAX_PER_CALL) break
      if (!this.#failed.has(draft.draftId)) drafts.push(draft)
    }
    return drafts
  }

  #after(draft: RowDraft, error: AppError | undefined): void {
    // The draft was edited or dropped in the meantime, so the result no longer matters.
    if (this.#waiting.get(draft.draftId) !== draft) return
    if (error) this.#failed.set(draft.draftId, error)
    else this.#waiting.delete(draft.draftId)
  }

  #say(): void {
    const [error = null] = this.#failed.values()
    if (error !== this.#reported) this.#ports.onfailure(error)
    this.#reported = error
    clearTimeout(this.#retry)
    if (error) this.#retry = setTimeout(() => this.retryNow(), this.#ports.retryAfter)
  }
}
