/**
 * Saves drafts at once, one call a draft at a time, the last state winning. What could not be saved is kept and
 * tried again: no typing is lost while the window lives.
 */
import type { AppError, Result } from '../../shared/result.ts'
import type { RowDraft } from './row-draft.ts'

interface Ports {
  /** Puts the draft's present state on disk; a draft without edits is taken away there. */
  readonly save: (draft: RowDraft) => Promise<Result<unknown>>
  /** Called with what stands in the way, `null` once everything is on disk again. */
  readonly onfailure: (error: AppError | null) => void
  /** Milliseconds until a failed save is tried again. */
  readonly retryAfter: number
}

export class DraftSaver {
  readonly #ports: Ports
  /** What is not on disk yet, by draft; the newest state of each. */
  readonly #waiting = new Map<string, RowDraft>()
  readonly #running = new Map<string, Promise<void>>()
  #failed = false
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Whether a draft has a state that is not on disk yet. */
  isPending(draftId: string): boolean {
    return this.#waiting.has(draftId) || this.#running.has(draftId)
  }

  save(draft: RowDraft): void {
    this.#waiting.set(draft.draftId, draft)
    void this.#run(draft.draftId)
  }

  /** Forgets what waits: the draft is gone for good, saved or thrown away. */
  forget(draftId: string): void {
    this.#waiting.delete(draftId)
  }

  /** Waits until everything was tried; answers whether all of it is on disk. */
  async settled(): Promise<boolean> {
    for (const draftId of this.#waiting.keys()) void this.#run(draftId)
    while (this.#running.size > 0) await Promise.all(this.#running.values())
    return this.#waiting.size === 0
  }

  /** Tries again at once what failed. */
  retryNow(): void {
    clearTimeout(this.#retry)
    for (const draftId of this.#waiting.keys()) void this.#run(draftId)
  }

  stop(): void {
    clearTimeout(this.#retry)
  }

  #run(draftId: string): Promise<void> {
    const running = this.#running.get(draftId)
    if (running) return running
    const run = this.#drain(draftId).finally(() => this.#running.delete(draftId))
    this.#running.set(draftId, run)
    return run
  }

  async #drain(draftId: string): Promise<void> {
    for (;;) {
      const draft = this.#waiting.get(draftId)
      if (!draft) return
      const result = await this.#ports.save(draft)
      if (!result.ok) return this.#failure(result.error)
      if (this.#waiting.get(draftId) === draft) this.#waiting.delete(draftId)
      if (this.#failed && this.#waiting.size === 0) {
        this.#failed = false
        this.#ports.onfailure(null)
      }
    }
  }

  #failure(error: AppError): void {
    this.#failed = true
    this.#ports.onfailure(error)
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => this.retryNow(), this.#ports.retryAfter)
  }
}
