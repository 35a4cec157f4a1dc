/** Rows that come piece by piece from elsewhere, for a file that pulls them: nobody runs ahead of the other. */
import type { AppError, Result } from '../../shared/result.ts'
import { err, ok } from '../../shared/result.ts'

type Rows = readonly (readonly string[])[]

export class RowFeed {
  #waiting: Result<Rows> | null = null
  #isEnded = false
  #isLeft = false
  #change = Promise.withResolvers<undefined>()

  /** Hands on rows once those before were taken; answers false when nobody takes any more. */
  give(rows: Rows): Promise<boolean> {
    return this.#put(ok(rows))
  }

  /** Ends the file with an error, so that nothing of it is kept. */
  fail(error: AppError): Promise<boolean> {
    return this.#put(err(error))
  }

  end(): void {
    this.#isEnded = true
    this.#changed()
  }

  /** For the writer; once. */
  async *rows(): AsyncGenerator<Result<Rows>, void, undefined> {
    try {
      for (;;) {
        while (this.#waiting === null && !this.#isEnded) await this.#change.promise
        const batch = this.#waiting
        if (batch === null) return
        this.#waiting = null
        this.#changed()
        yield batch
        if (!batch.ok) return
      }
    } finally {
      this.leave()
    }
  }

  /** The writer takes no more: whoever gives is let go. */
  leave(): void {
    this.#isLeft = true
    this.#changed()
  }

  async #put(batch: Result<Rows>): Promise<boolean> {
    while (this.#waiting !== null && !this.#isLeft) await this.#change.promise
    if (this.#isLeft) return false
    this.#waiting = batch
    this.#changed()
    return true
  }

  #changed(): void {
    const { resolve } = this.#change
    this.#change = Promise.withResolvers()
    resolve(undefined)
  }
}
