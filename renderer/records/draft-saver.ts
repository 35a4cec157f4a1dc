/**
 * Saves drafts at once, many in a call where many changed together, the last state of each winning. What could not
 * be saved is kept and tried again: no typing is lost while the window lives.
 */
import type { AppError, Result } from '../../shared/result.ts'
import type { RowDraft } from './row-draft.ts'
import { nextTurn } from './turns.ts'

/**
 * Drafts a call: a fill of 100,000 rows must not be 100,000 transactions, and the crossing of a call is a turn of the
 * window's, in which nothing else is done.
 */
const MOST_IN_A_CALL = 100

/** A draft that could not be kept, and why; the others of its call are. */
export interface UnsavedDraft {
  readonly draftId: string
  readonly error: AppError
}

interface Ports {
  /** Puts the drafts' present states on disk; a draft without edits is taken away there. Answers those refused. */
  readonly save: (drafts: readonly RowDraft[]) => Promise<Result<readonly UnsavedDraft[]>>
  /** Called with what stands in the way, `null` once everything is on disk again. */
  readonly onfailure: (error: AppError | null) => void
  /** Milliseconds until a failed save is tried again. */
  readonly retryAfter: number
}

export class DraftSaver {
  readonly #ports: Ports
  /** What is not on disk yet, by draft; the newest state of each. */
  readonly #waiting = new Map<string, RowDraft>()
  /** Those of them that were tried in vain; left alone until they are tried again. */
  readonly #failed = new Map<string, AppError>()
  #run: Promise<void> | null = null
  #said: AppError | null = null
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Whether a draft has a state that is not on disk yet. */
  isPending(draftId: string): boolean {
    return this.#waiting.has(draftId)
  }

  /** Whether any has. */
  get hasPending(): boolean {
    return this.#waiting.size > 0
  }

  save(draft: RowDraft): void {
    // Last in the queue, so that a large fill that is still being saved does not run ahead of a new one for ever.
    this.#waiting.delete(draft.draftId)
    this.#waiting.set(draft.draftId, draft)
    this.#failed.delete(draft.draftId)
    this.#start()
  }

  /** Forgets what waits: the draft is gone for good, saved or thrown away. */
  forget(draftId: string): void {
    this.#waiting.delete(draftId)
    this.#failed.delete(draftId)
  }

  /** Waits until everything was tried; answers whether all of it is on disk. */
  async settled(): Promise<boolean> {
    this.#failed.clear()
    this.#start()
    while (this.#run !== null) await this.#run
    return this.#waiting.size === 0
  }

  /** Tries again at once what failed. */
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

  /** One call after the other, so that a draft's older state never lands on its newer one. */
  async #drain(): Promise<void> {
    // What changes together, as in a paste, is put in before the first call leaves; many leave in a turn of their own.
    await Promise.resolve()
    if (this.#waiting.size > MOST_IN_A_CALL) await nextTurn()
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
      if (drafts.length === MOST_IN_A_CALL) break
      if (!this.#failed.has(draft.draftId)) drafts.push(draft)
    }
    return drafts
  }

  #after(draft: RowDraft, error: AppError | undefined): void {
    // Typed into or forgotten meanwhile: what was answered is about a state that nobody asks for any more.
    if (this.#waiting.get(draft.draftId) !== draft) return
    if (error) this.#failed.set(draft.draftId, error)
    else this.#waiting.delete(draft.draftId)
  }

  #say(): void {
    const [error = null] = this.#failed.values()
    if (error !== this.#said) this.#ports.onfailure(error)
    this.#said = error
    clearTimeout(this.#retry)
    if (error) this.#retry = setTimeout(() => this.retryNow(), this.#ports.retryAfter)
  }
}
