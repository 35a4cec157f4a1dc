/**
 * The first page of a list that somebody waits for: its records can be shown while it is still coming. A try that
 * fails takes them back, into a new set, unless it only broke off.
 */
import { appError, err, type AppError } from '../../shared/result.ts'
import type { Rows } from '../rows/rows.ts'
import type { Decoder, Numbered, OnBytes } from '../service/wire.ts'

/** What came before these was good as far as it went. */
const BREAKS: ReadonlySet<AppError['kind']> = new Set(['stopped', 'dropped', 'timed-out'])

export class FirstPage {
  readonly #rows: Rows
  #setId: string
  /** Counts the tries, so that what still comes of one that is over is passed by. */
  #tried = 0
  #hasBegun = false

  constructor(rows: Rows, setId: string) {
    this.#rows = rows
    this.#setId = setId
  }

  /** The set of the try that goes on, and of all that follows. */
  get setId(): string {
    return this.#setId
  }

  /** Another try: what came of the one before it is void. */
  async beginTry(): Promise<void> {
    this.#tried += 1
    if (!this.#hasBegun) return
    this.#hasBegun = false
    await this.#rows.closeSet(this.#setId)
    this.#setId = await this.#rows.openSet()
  }

  /** Takes the bytes of this try as they come; `onEarly` hears how many records are held. */
  listener(onEarly: (count: number) => void): OnBytes {
    const [tried, setId] = [this.#tried, this.#setId]
    return (bytes) => {
      if (this.#tried !== tried) return
      this.#hasBegun = true
      void this.#rows.addBytes(setId, bytes).then((count) => {
        if (count.ok && count.value > 0 && this.#tried === tried) onEarly(count.value)
      })
    }
  }

  /** The late answer of a try that is over adds nothing to what was told; of it the log keeps the RequestId. */
  unlessOver<T extends Numbered>(decode: Decoder<T>): Decoder<T> {
    const tried = this.#tried
    return async (raw) => {
      if (this.#tried === tried) return decode(raw)
      const late = await this.#rows.addPage('', raw)
      return late.ok ? err(appError('not-found', 'Its answer came late.')) : late
    }
  }

  /** The read ended with this error. Answers how many records are held of a page that only broke off. */
  async end(error: AppError): Promise<number> {
    this.#tried += 1
    if (!this.#hasBegun || !BREAKS.has(error.kind)) return 0
    const kept = await this.#rows.keepBegun(this.#setId)
    return kept.ok ? kept.value : 0
  }
}
