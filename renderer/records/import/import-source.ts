/** Where the rows of an import come from: a file that is chosen or dropped, one of its sheets, or the clipboard. */
import { appError, err, ok, type AppError, type Result } from '../../../shared/result.ts'
import type { ImportRow, OpenedTable } from '../../../shared/import-table.ts'
import type { Api } from '../../api.ts'
import { readTable } from './read-table.ts'

/** A table that is open in the main process, with all its rows. */
export interface TableRead {
  readonly opened: OpenedTable
  readonly rows: readonly ImportRow[]
}

/** What the main process takes of a file, as when it reads one itself (`electron/files/import/limits.ts`). */
const MOST_BYTES = 100 * 1024 * 1024
const MOST_CHARACTERS = 100_000_000

export class ImportSource {
  readonly #api: Api
  readonly #onreading: () => void
  #fileId: string | null = null

  /** @param onreading called when a table is about to be read */
  constructor(api: Api, onreading: () => void) {
    this.#api = api
    this.#onreading = onreading
  }

  /** Asks for a file; `null` when none was chosen. */
  async choose(): Promise<Result<TableRead | null>> {
    const answer = await this.#api.call('import.chooseFile', {})
    if (!answer.ok) return answer
    return answer.value.file ? this.#openFile(answer.value.file.fileId, '') : ok(null)
  }

  /** Takes a file that was dropped on the window. */
  async take(file: File): Promise<Result<TableRead>> {
    if (file.size > MOST_BYTES) return err(tooLarge())
    this.#onreading()
    const bytes = await file.arrayBuffer().catch(() => null)
    if (bytes === null) return err(unreadable())
    const taken = await this.#api.call('import.takeFile', { name: file.name, bytes: new Uint8Array(bytes) })
    return taken.ok ? this.#openFile(taken.value.file.fileId, '') : taken
  }

  /** Takes rows that were pasted. */
  paste(text: string): Promise<Result<TableRead>> {
    if (text.length > MOST_CHARACTERS) return Promise.resolve(err(tooMuchPasted()))
    this.#fileId = null
    return this.#read(this.#api.call('import.openPasted', { text }))
  }

  /** Another sheet of the same file; `null` when there is no file. */
  async sheet(sheet: string): Promise<Result<TableRead | null>> {
    return this.#fileId === null ? ok(null) : this.#openFile(this.#fileId, sheet)
  }

  #openFile(fileId: string, sheet: string): Promise<Result<TableRead>> {
    this.#fileId = fileId
    return this.#read(this.#api.call('import.openFile', { fileId, sheet }))
  }

  async #read(opening: Promise<Result<OpenedTable>>): Promise<Result<TableRead>> {
    this.#onreading()
    const opened = await opening
    if (!opened.ok) return opened
    const rows = await readTable(this.#api, opened.value)
    return rows.ok ? ok({ opened: opened.value, rows: rows.value }) : rows
  }
}

function tooLarge(): AppError {
  return appError(
    'too-large',
    'This file is larger than 100 MB, so it was not taken.',
    'Keep only the sheet and columns that you need, or split it into several files.',
  )
}

function tooMuchPasted(): AppError {
  return appError(
    'too-large',
    'These rows have more than 100 million characters, so they were not taken.',
    'Save them as a file and split it, or copy fewer rows.',
  )
}

function unreadable(): AppError {
  return appError(
    'file',
    'What was dropped could not be read.',
    'Drop a file, not a folder; or use Choose file.',
  )
}
