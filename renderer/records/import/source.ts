/**
 * Reads the rows to import from a chosen or dropped file, one of its sheets, or the clipboard, and the records
 * of the list to compare them with.
 */
import type { ImportRow, OpenedTable, TextFormat } from '../../../shared/import/table.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import { withValueAt } from '../../../shared/records/outcome.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { isLocked, type RowDraft } from '../drafts/row-draft.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'

/** A table that the main process holds open, with all of its rows. */
export interface TableRead {
  readonly opened: OpenedTable
  readonly rows: readonly ImportRow[]
}

/**
 * The limits of the main process (`electron/files/import/limits.ts`), checked here before the bytes are passed
 * to it.
 */
const MAX_BYTES = 100 * 1024 * 1024
const MAX_CHARACTERS = 100_000_000

/** Detects encoding and delimiter from the file. */
export const FROM_FILE: TextFormat = { encoding: null, delimiter: null }

export class ImportSource {
  readonly #api: Api
  readonly #onreading: () => void
  #fileId: string | null = null
  /** Pasted text, kept so that it can be read again with another delimiter. */
  #pasted: string | null = null

  /** @param onreading called when a table is about to be read */
  constructor(api: Api, onreading: () => void) {
    this.#api = api
    this.#onreading = onreading
  }

  /** Asks for a file; `null` when none was chosen. */
  async choose(): Promise<Result<TableRead | null>> {
    const result = await this.#api.call('import.chooseFile', {})
    if (!result.ok) return result
    return result.value.file ? this.#openFile(result.value.file.fileId) : ok(null)
  }

  /** Opens a file that was dropped on the window. */
  async takeFile(file: File): Promise<Result<TableRead>> {
    if (file.size > MAX_BYTES) return err(tooLarge())
    this.#onreading()
    const bytes = await file.arrayBuffer().catch(() => null)
    if (bytes === null) return err(unreadable())
    const taken = await this.#api.call('import.takeFile', { name: file.name, bytes: new Uint8Array(bytes) })
    return taken.ok ? this.#openFile(taken.value.file.fileId) : taken
  }

  /** Reads pasted rows. */
  paste(text: string, delimiter: string | null = null): Promise<Result<TableRead>> {
    if (text.length > MAX_CHARACTERS) return Promise.resolve(err(tooMuchPasted()))
    this.#fileId = null
    this.#pasted = text
    return this.#read(this.#api.call('import.openPasted', { text, delimiter }))
  }

  /** Opens another sheet of the same file; `null` if there is no file. */
  async sheet(sheet: string): Promise<Result<TableRead | null>> {
    return this.#fileId === null ? ok(null) : this.#openFile(this.#fileId, sheet)
  }

  /** Reads the same text with another encoding or delimiter; `null` if there is none. */
  async reread(text: TextFormat): Promise<Result<TableRead | null>> {
    if (this.#pasted !== null) return this.paste(this.#pasted, text.delimiter)
    return this.#fileId === null ? ok(null) : this.#openFile(this.#fileId, '', text)
  }

  get hasFile(): boolean {
    return this.#fileId !== null
  }

  #openFile(fileId: string, sheet = '', text = FROM_FILE): Promise<Result<TableRead>> {
    this.#fileId = fileId
    this.#pasted = null
    return this.#read(this.#api.call('import.openFile', { fileId, sheet, text }))
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
    'This file is larger than 100 MB, so it wasn’t imported.',
    'Keep only the sheet and columns that you need, or split it into several files.',
  )
}

function tooMuchPasted(): AppError {
  return appError(
    'too-large',
    'These rows have more than 100 million characters, so they weren’t imported.',
    'Save them as a file and split it, or copy fewer rows.',
  )
}

function unreadable(): AppError {
  return appError('file', 'That couldn’t be read.', 'Drop a single file, or choose one.')
}

// Rows per call. Small pieces keep the window responsive.

const PIECE = 1_000
const decoder = new TextDecoder()

/** Reads all rows, including the headings. Fails if the main process no longer holds the table. */
async function readTable(
  api: Api,
  { tableId, rowCount }: OpenedTable,
): Promise<Result<readonly ImportRow[]>> {
  const rows: ImportRow[] = []
  while (rows.length < rowCount) {
    const piece = await api.call('import.rows', { tableId, from: rows.length, count: PIECE })
    if (!piece.ok) return piece
    const parsed = JSON.parse(decoder.decode(piece.value)) as readonly ImportRow[]
    if (parsed.length === 0) break
    for (const row of parsed) rows.push(row)
  }
  return ok(rows)
}

export interface ImportRecords {
  readonly records: readonly RecordData[]
  /** Records that can't be changed now, each with the reason. */
  readonly locked: ReadonlyMap<RecordData, string>
}

/**
 * Returns the list's records with their drafts applied, so that importing what a draft already contains changes
 * nothing.
 */
export function importRecords(list: Pick<RecordsList, 'rows' | 'drafts' | 'ambiguity'>): ImportRecords {
  const records: RecordData[] = []
  const locked = new Map<RecordData, string>()
  for (const row of list.rows) {
    const { record } = row
    const draft = list.drafts.draft(row.rowId)
    const shown = draft ? withEdits(record, draft) : record
    records.push(shown)
    const reason = list.ambiguity(row) || (draft ? lockReason(draft) : '')
    if (reason !== '') locked.set(shown, reason)
  }
  return { records, locked }
}

function withEdits(record: RecordData, draft: RowDraft): RecordData {
  return Object.values(draft.edits).reduce<RecordData>(
    (made, { path, now }) => withValueAt(made, path, now),
    record,
  )
}

function lockReason(draft: RowDraft): string {
  if (isLocked(draft))
    return 'Its last change is being sent, or waits for your decision. Import this row when that is done.'
  if (draft.kind === 'insert')
    return 'A new record with this name is already among your drafts. Send it or revert it first.'
  return ''
}
