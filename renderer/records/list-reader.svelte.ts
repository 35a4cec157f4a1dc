/** Reads a list: asks for it, follows its progress, and pulls its rows in pieces, so that the window never stops. */
import type { CallAnswer } from '../../shared/contract.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { RecordSet, RecordsFilter } from '../../shared/contract/records.ts'
import { appError, type AppError, type Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { parsePiece, RowMaker, type RecordRow } from './rows.ts'

/** Records a call: small enough to parse within a frame. */
const PIECE = 1_000
/** The first rows come alone, so that something stands there at once. */
const FIRST_PIECE = 300
/** Rows that are put into the grid at a time (performance.md). */
const BATCH = 5_000

type Piece = Result<CallAnswer<'records.rows'>>

export interface ReadProgress {
  /** ISO time at which it began. */
  readonly since: string
  readonly records: number
  readonly pages: number
  readonly stopping: boolean
}

interface Ports {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
  /** The first rows of a new read: they replace what was there. */
  readonly onbegin: (set: RecordSet, rows: readonly RecordRow[]) => void
  readonly onrows: (rows: readonly RecordRow[]) => void
  /** All rows are there. */
  readonly onend: (set: RecordSet) => void
}

export class ListReader {
  readonly #ports: Ports
  /** What was read last; its rows may still be coming. */
  set = $state.raw<RecordSet | null>(null)
  progress = $state.raw<ReadProgress | null>(null)
  /** Whether rows are still being taken over into the window. */
  isFilling = $state(false)
  error = $state.raw<AppError | null>(null)

  constructor(ports: Ports) {
    this.#ports = ports
  }

  get isBusy(): boolean {
    return this.progress !== null || this.isFilling
  }

  /** Follows what the main process tells of a read. */
  report(progress: { readonly records: number; readonly pages: number }): void {
    if (this.progress) this.progress = { ...this.progress, ...pick(progress) }
  }

  /** Gets the records. What stood there before stays until the first new rows are there. */
  async read(filter: RecordsFilter): Promise<void> {
    if (this.isBusy) return
    const { api, company, object } = this.#ports
    this.error = null
    this.progress = { since: new Date().toISOString(), records: 0, pages: 0, stopping: false }
    const opened = await api.call('records.open', { company, object, filter })
    this.progress = null
    if (!opened.ok) {
      this.error = opened.error
      return
    }
    this.isFilling = true
    try {
      await this.#fill(opened.value)
    } finally {
      this.isFilling = false
    }
  }

  /** Gives back what the main process holds of the list. */
  close(): void {
    if (this.set) void this.#ports.api.call('records.close', { setId: this.set.setId })
    this.set = null
  }

  /** Stops the read that is on its way; what came is kept. */
  async stop(): Promise<void> {
    if (!this.progress) return
    this.progress = { ...this.progress, stopping: true }
    const { api, company, object } = this.#ports
    await api.call('records.stop', { company, object })
  }

  async #fill(set: RecordSet): Promise<void> {
    const maker = new RowMaker()
    let waiting: RecordRow[] = []
    let from = 0
    let begun = false
    let asked = this.#ask(set, 0, FIRST_PIECE)
    while (from < set.count || !begun) {
      const piece = await asked
      from += begun ? PIECE : FIRST_PIECE
      // One piece is on its way while the one before it is worked through; more of them would add up to a pause.
      if (from < set.count) asked = this.#ask(set, from, PIECE)
      const rows = this.#rowsOf(piece, maker)
      if (rows === null) return
      if (!begun) {
        this.close()
        this.set = set
        // The columns are built from what was found; the rows come a frame later, so that neither makes a pause.
        await nextFrame()
        this.#ports.onbegin(set, rows)
        begun = true
        await nextFrame()
        continue
      }
      waiting.push(...rows)
      if (waiting.length >= BATCH || from >= set.count) {
        this.#ports.onrows(waiting)
        waiting = []
        await nextFrame()
      }
    }
    this.#ports.onend(set)
  }

  #ask({ setId }: RecordSet, from: number, count: number): Promise<Piece> {
    return this.#ports.api.call('records.rows', { setId, from, count })
  }

  #rowsOf(piece: Piece, maker: RowMaker): RecordRow[] | null {
    if (!piece.ok) {
      this.error = piece.error
      return null
    }
    try {
      return maker.rowsOf(parsePiece(piece.value))
    } catch (cause) {
      this.error = appError('internal', 'The records could not be shown.', 'Get them again.', {
        raw: cause instanceof Error ? cause.message : String(cause),
      })
      return null
    }
  }
}

function pick({ records, pages }: { readonly records: number; readonly pages: number }): {
  records: number
  pages: number
} {
  return { records, pages }
}

/** Lets the window draw and listen. A hidden window draws no frames, so a timer goes on there. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof document === 'undefined' || document.hidden) setTimeout(resolve, 0)
    else requestAnimationFrame(() => resolve())
  })
}
