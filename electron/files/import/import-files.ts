/** Reads files for import in worker threads, one per open table, with limits on memory and time. */
import { Worker } from 'node:worker_threads'
import type { OpenedTable } from '../../../shared/import/table.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { ImportRequest, ImportResponse, ImportTask } from './import-worker.ts'
import { IMPORT_LIMITS, type ImportLimits } from './limits.ts'
import type { ImportOrigin } from './read-source.ts'

export interface ImportFiles {
  /**
   * Reads a whole table within the limits. Errors: `file` (not a table, damaged, suspicious, or missing),
   * `too-large` (out of memory), `timed-out`.
   */
  open(source: ImportOrigin): Promise<Result<OpenedTable>>
  /**
   * Returns a JSON array of `ImportRow` as bytes, including the headings. Error: `not-found` once the table is
   * closed.
   */
  rows(tableId: string, from: number, count: number): Promise<Result<Uint8Array<ArrayBuffer>>>
  close(tableId: string): Promise<void>
  closeAll(): Promise<void>
}

/** Number of open tables. Opening another one closes the oldest. */
const MAX_OPEN = 3

export interface ImportFilesOptions {
  /** The built `import-worker`, or its source file if Node strips types. */
  readonly workerUrl: URL
  readonly clock: Pick<Clock, 'after' | 'during'>
  /** Creates the ID of a table. */
  readonly newId: () => string
}

export function createImportFiles(
  { workerUrl, clock, newId }: ImportFilesOptions,
  limits: ImportLimits = IMPORT_LIMITS,
): ImportFiles {
  const tables = new Map<string, TableWorker>()

  const close = async (tableId: string): Promise<void> => {
    const table = tables.get(tableId)
    tables.delete(tableId)
    await table?.end()
  }

  return {
    async open(source) {
      const worker = new TableWorker(workerUrl, { source, limits }, clock)
      const opened = await worker.opened(limits.milliseconds)
      if (!opened.ok) {
        await worker.end()
        return opened
      }
      const tableId = newId()
      tables.set(tableId, worker)
      const [oldest] = tables.keys()
      if (tables.size > MAX_OPEN && oldest !== undefined) await close(oldest)
      return ok({ tableId, ...opened.value })
    },
    async rows(tableId, from, count) {
      const table = tables.get(tableId)
      return table === undefined ? err(notHeld()) : table.rows(from, count)
    },
    close,
    async closeAll() {
      await Promise.all([...tables.keys()].map(close))
    },
  }
}

type OpenOutcome = Result<Omit<OpenedTable, 'tableId'>>

/** One worker with one table. */
class TableWorker {
  readonly #clock: Pick<Clock, 'after' | 'during'>
  readonly #worker: Worker
  readonly #opened: Promise<OpenOutcome>
  readonly #waiting = new Map<number, (respond: Result<Uint8Array<ArrayBuffer>>) => void>()
  #next = 0
  #isOver = false

  constructor(workerUrl: URL, task: ImportTask, clock: Pick<Clock, 'after' | 'during'>) {
    this.#clock = clock
    const { promise, resolve } = Promise.withResolvers<OpenOutcome>()
    this.#opened = promise
    this.#worker = new Worker(workerUrl, {
      name: 'import',
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: task.limits.memoryMebibytes, stackSizeMb: 4 },
    })
    const fail = (error: AppError): void => {
      this.#isOver = true
      resolve(err(error))
      for (const respond of this.#waiting.values()) respond(err(error))
      this.#waiting.clear()
    }
    this.#worker.on('message', (response: ImportResponse) => {
      if (response.what === 'opened') {
        // An open table must not keep the program running.
        this.#worker.unref()
        resolve(response.table)
      } else {
        this.#waiting.get(response.id)?.(ok(response.bytes))
        this.#waiting.delete(response.id)
        if (this.#waiting.size === 0) this.#worker.unref()
      }
    })
    this.#worker.on('error', (cause) => {
      fail(fallen(cause))
    })
    this.#worker.on('exit', () => {
      fail(notHeld())
    })
  }

  /** Waits until the file is read, up to a limit. */
  async opened(milliseconds: number): Promise<OpenOutcome> {
    const late = Promise.withResolvers<OpenOutcome>()
    const cancel = this.#clock.after(milliseconds, () => {
      late.resolve(err(tookTooLong()))
    })
    try {
      return await this.#clock.during(Promise.race([this.#opened, late.promise]))
    } finally {
      cancel()
    }
  }

  rows(from: number, count: number): Promise<Result<Uint8Array<ArrayBuffer>>> {
    if (this.#isOver) return Promise.resolve(err(notHeld()))
    const request: ImportRequest = { id: (this.#next += 1), from, count }
    return this.#clock.during(
      new Promise((resolve) => {
        this.#waiting.set(request.id, resolve)
        this.#worker.ref()
        this.#worker.postMessage(request)
      }),
    )
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}

function notHeld(): AppError {
  return appError('not-found', 'This file is no longer open.', 'Import it again.')
}

function tookTooLong(): AppError {
  return appError(
    'timed-out',
    'Reading this file took too long, so nothing was imported.',
    'Keep only the sheet and columns that you need, or split it into several files.',
  )
}

function fallen(cause: unknown): AppError {
  const raw = causeText(cause)
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return appError(
      'too-large',
      'This file needs too much memory, so nothing was imported.',
      'Keep only the sheet and columns that you need, or split it into several files.',
      { code },
    )
  }
  return appError(
    'file',
    'This file couldn’t be read.',
    'Open it in Excel, save it again, and import that file.',
    {
      code,
      raw,
    },
  )
}
