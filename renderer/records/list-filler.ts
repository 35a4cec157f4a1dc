/** Pulls the records of one set into the window in pieces, as far as they are held, so that the window never stops. */
import type { CallAnswer } from '../../shared/contract.ts'
import { appError, causeText, err, ok, type Result } from '../../shared/result.ts'
import { parsePiece, RowMaker, type RecordRow } from './rows.ts'
import { nextTurn } from './turns.ts'

/** Records a call: small enough to parse within a frame. */
const PIECE = 1_000
/** The first rows come alone, so that something stands there at once. */
const FIRST_PIECE = 100
/** Of it the very first ones, and then twice as many each time: what is in sight is not drawn in one go. */
const FIRST_ROWS = 8
/** Rows that are put into the grid at a time (performance.md), once nobody waits for the first ones. */
const BATCH = 10_000
/** While the list is still being read, rows wait no longer than this for others, in ms. */
const PATIENCE = 500

type Piece = Result<CallAnswer<'records.rows'>>

interface Ports {
  readonly ask: (from: number, count: number) => Promise<Piece>
  /** The first rows; the others wait until they are taken. */
  readonly onbegin: (rows: readonly RecordRow[]) => Promise<void> | void
  readonly onrows: (rows: readonly RecordRow[]) => void
}

export class ListFiller {
  readonly #ports: Ports
  readonly #maker = new RowMaker()
  readonly #filled = Promise.withResolvers<Result<void>>()
  /** How many can be pulled, and whether these are all. */
  #held = 0
  #isAll = false
  #isStopped = false
  #from = 0
  #waiting: RecordRow[] = []
  #shownAt = 0
  #wake: () => void = () => undefined

  constructor(ports: Ports) {
    this.#ports = ports
    void this.#run().then(this.#filled.resolve)
  }

  /** Records that came without an ID of their own, or with one that was there before. */
  get odd(): number {
    return this.#maker.odd
  }

  /** So many records can be pulled by now. */
  hold(count: number): void {
    this.#held = Math.max(this.#held, count)
    this.#wake()
  }

  /** These are all; answers when they are in the window, or why they could not be had. */
  end(count: number): Promise<Result<void>> {
    this.#held = count
    this.#isAll = true
    this.#wake()
    return this.#filled.promise
  }

  /** The set is void: nothing more of it is shown. */
  stop(): void {
    this.#isStopped = true
    this.#wake()
  }

  async #run(): Promise<Result<void>> {
    for (;;) {
      if (!(await this.#moreHeld())) break
      const failed = await this.#pullHeld()
      if (failed !== null) return failed
      if (!this.#isAll) this.#show(PATIENCE)
    }
    if (this.#isStopped) return ok(undefined)
    if (this.#from === 0) await this.#ports.onbegin([])
    await nextFrame()
    this.#show(0)
    return ok(undefined)
  }

  /** Waits until there is something to pull; answers `false` when there will be nothing more. */
  async #moreHeld(): Promise<boolean> {
    while (!this.#isStopped && this.#from >= this.#held) {
      if (this.#isAll) return false
      await new Promise<void>((wake) => (this.#wake = wake))
    }
    return !this.#isStopped
  }

  async #pullHeld(): Promise<Result<never> | null> {
    let asked = this.#ask()
    while (asked !== null) {
      const piece = await asked.piece
      if (this.#isStopped) return null
      this.#from += asked.count
      const isFirst = this.#shownAt === 0
      // One piece is on its way while the one before it is worked through; more of them would add up to a pause.
      asked = isFirst ? null : this.#ask()
      const rows = this.#rowsOf(piece)
      if (!rows.ok) return rows
      this.#waiting.push(...rows.value)
      if (isFirst) {
        await this.#showFirst()
        asked = this.#ask()
      } else if (this.#waiting.length >= BATCH) {
        // Neither parsing nor drawing comes with it in one go: in between, what else the window does has its turn.
        await nextFrame()
        this.#show(0)
        await nextFrame()
      }
    }
    return null
  }

  async #showFirst(): Promise<void> {
    this.#shownAt = performance.now()
    await this.#ports.onbegin(this.#waiting.splice(0, FIRST_ROWS))
    await nextFrame()
    for (let count = FIRST_ROWS * 2; this.#waiting.length > 0 && !this.#isStopped; count *= 2) {
      this.#ports.onrows(this.#waiting.splice(0, count))
      await nextFrame()
    }
  }

  #ask(): { readonly piece: Promise<Piece>; readonly count: number } | null {
    const count = Math.min(this.#held - this.#from, this.#from === 0 ? FIRST_PIECE : PIECE)
    return count > 0 ? { piece: this.#ports.ask(this.#from, count), count } : null
  }

  #show(patience: number): void {
    if (this.#isStopped || this.#waiting.length === 0) return
    if (performance.now() - this.#shownAt < patience) return
    this.#shownAt = performance.now()
    this.#ports.onrows(this.#taken())
  }

  #taken(): readonly RecordRow[] {
    const rows = this.#waiting
    this.#waiting = []
    return rows
  }

  #rowsOf(piece: Piece): Result<readonly RecordRow[]> {
    if (!piece.ok) return piece
    try {
      return ok(this.#maker.rowsOf(parsePiece(piece.value)))
    } catch (cause) {
      return err(
        appError('internal', 'The records could not be shown.', 'Get them again.', {
          raw: causeText(cause),
        }),
      )
    }
  }
}

/**
 * Lets the window draw and listen; what comes then is a turn of its own, and no part of that drawing. A hidden window
 * draws no frames, so a timer goes on there.
 */
export async function nextFrame(): Promise<void> {
  if (typeof document !== 'undefined' && !document.hidden) {
    await new Promise((drawn) => requestAnimationFrame(drawn))
  }
  await nextTurn()
}
