/** Import: opens tables, remembers mappings and imported rows, and saves the rows that failed. */
import { basename } from 'node:path'
import { displayName } from '../../../shared/companies/companies.ts'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import {
  type HeadedTable,
  type ImportRow,
  type OpenedTable,
  withHeadings,
} from '../../../shared/import/table.ts'
import { listName } from '../../../shared/records/definition.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { fileName } from '../../files/file-name.ts'
import { type FailedRow, failedRowsFile } from '../../files/import/failed-rows.ts'
import type { ImportFiles } from '../../files/import/import-files.ts'
import { writeFileAtomically } from '../../files/write-file.ts'
import type { ImportStore, ListRef } from '../../store/imports.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import type { OpenDialog, SaveDialog } from '../ports.ts'

export interface ImportOptions {
  readonly files: ImportFiles
  readonly store: ImportStore
  readonly companies: Pick<Companies, 'find'>
  readonly dialog: SaveDialog
  readonly openDialog: OpenDialog
  readonly clock: Clock
  readonly newId: () => string
}

export interface Import {
  readonly handlers: HandlersOf<'import'>
  /** Releases files and tables when their page is gone. */
  forgetAll(): Promise<void>
}

interface DroppedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

const ROWS_AT_ONCE = 5_000

export function createImport(options: ImportOptions): Import {
  const { files, store, companies } = options
  /** Chosen and dropped files by the handle that the window has. */
  const held = new Map<string, { readonly path: string } | DroppedFile>()
  const tables = new Map<string, OpenedTable>()

  const open = async (source: Parameters<ImportFiles['open']>[0]): Promise<Result<OpenedTable>> => {
    const opened = await files.open(source)
    if (opened.ok) tables.set(opened.value.tableId, opened.value)
    return opened
  }

  /** Reads the whole table from its worker. */
  const readTable = async (tableId: string, headingRow: number): Promise<Result<HeadedTable>> => {
    const opened = tables.get(tableId)
    if (opened === undefined) return err(notHeld())
    const decoder = new TextDecoder()
    const rows: ImportRow[] = []
    while (rows.length < opened.rowCount) {
      const bytes = await files.rows(tableId, rows.length, ROWS_AT_ONCE)
      if (!bytes.ok) return bytes
      const piece = JSON.parse(decoder.decode(bytes.value)) as readonly ImportRow[]
      if (piece.length === 0) break
      rows.push(...piece)
    }
    return ok(withHeadings(rows, headingRow))
  }

  /** Asks where to save the rows, and writes all of them or nothing. */
  const saveFailed = async (
    { company, object, kind }: ListRef & { readonly kind: 'xlsx' | 'csv' },
    title: string,
    table: HeadedTable,
    failed: readonly FailedRow[],
  ): Promise<Result<SavedFile>> => {
    const found = companies.find(company)
    if (!found.ok) return found
    const companyName = displayName(found.value)
    const list = listName(object)
    const path = await options.dialog.choose(fileName([companyName, list, title], kind), kind)
    if (path === null) return ok({ saved: false })
    const madeAt = timestamp(options.clock)
    return writeFileAtomically(path, failedRowsFile(table, failed, { kind, companyName, list, madeAt }))
  }

  const handlers: HandlersOf<'import'> = {
    'import.chooseFile': async () => {
      const path = await options.openDialog.chooseTable()
      if (path === null) return ok({ file: null })
      const fileId = options.newId()
      held.set(fileId, { path })
      return ok({ file: { fileId, name: basename(path) } })
    },

    'import.takeFile': ({ name, bytes }) => {
      const fileId = options.newId()
      // One at a time: it may be large.
      for (const [id, file] of held) if ('bytes' in file) held.delete(id)
      held.set(fileId, { name, bytes })
      return ok({ file: { fileId, name } })
    },

    'import.openFile': async ({ fileId, sheet, text }) => {
      const file = held.get(fileId)
      if (file === undefined) return err(notHeld())
      if ('path' in file) return open({ kind: 'file', path: file.path, sheet, text })
      return open({ kind: 'bytes', fileName: file.name, bytes: file.bytes, sheet, text })
    },

    'import.openPasted': async ({ text, delimiter }) =>
      text.trim() === '' ? err(nothingPasted()) : open({ kind: 'clipboard', text, delimiter }),

    'import.rows': ({ tableId, from, count }) => files.rows(tableId, from, count),

    'import.close': async ({ tableId }) => {
      tables.delete(tableId)
      await files.close(tableId)
      return ok({})
    },

    'import.mapping': ({ object, headings }) => ok(store.mapping(object, headings)),

    'import.keepMapping': ({ object, headings, mapping }) => {
      store.keepMapping(object, headings, mapping)
      return ok({})
    },

    'import.savedMappings': ({ object }) => ok({ mappings: store.savedMappings(object) }),

    'import.saveMapping': ({ object, name, mapping }) => {
      store.saveMapping(object, { name, mapping })
      return ok({})
    },

    'import.deleteMapping': ({ object, name }) => {
      store.deleteMapping(object, name)
      return ok({})
    },

    'import.repeats': ({ company, object, file, rows }) => {
      return ok({ past: store.repeats({ company, object }, file, rows) })
    },

    'import.keep': async ({ company, object, tableId, headingRow, file, rows }) => {
      const table = await readTable(tableId, headingRow)
      if (!table.ok) return table
      const cells = new Map(table.value.rows.map((row) => [row.number, row.cells]))
      const made = {
        importId: options.newId(),
        company,
        object,
        file,
        fileName: tables.get(tableId)?.fileName ?? '',
        importedAt: timestamp(options.clock),
        headings: table.value.headings,
        rows: rows.map(([row, fingerprint, draftId, kind]) => {
          return { row, fingerprint, draftId, kind, cells: cells.get(row) ?? [] }
        }),
      }
      store.keep(made)
      return ok({})
    },

    'import.saveFailedRows': async ({ tableId, headingRow, reasons, ...list }) => {
      const table = await readTable(tableId, headingRow)
      if (!table.ok) return table
      const name = stemOf(tables.get(tableId)?.fileName ?? '')
      return saveFailed(list, `${name}, skipped rows`, table.value, reasons)
    },

    'import.notAccepted': ({ company, object }) => {
      return ok({ imports: store.notAccepted({ company, object }) })
    },

    'import.saveNotAccepted': async ({ importId, ...list }) => {
      const found = store.notAcceptedRows(list, importId)
      if (found === null) return err(notHeld())
      const { headings, rows } = found
      const table: HeadedTable = {
        headings,
        headingRow: 1,
        rows: rows.map(({ row, cells }) => ({ number: row, cells })),
      }
      const failed = rows.map(({ row, error }) => ({ row, reason: reasonOf(error), columns: [] }))
      return saveFailed(list, `${stemOf(found.fileName)}, rows not accepted`, table, failed)
    },
  }
  return {
    handlers,
    async forgetAll() {
      held.clear()
      tables.clear()
      await files.closeAll()
    },
  }
}

/** A file's name without its extension. */
function stemOf(name: string): string {
  return name === '' ? 'Pasted rows' : name.replace(/\.[A-Za-z0-9]{1,5}$/, '')
}

function reasonOf(error: AppError | null): string {
  return error === null ? 'It was not accepted.' : [error.message, error.advice].filter(Boolean).join(' ')
}

function notHeld(): AppError {
  return appError('not-found', 'This file is no longer open.', 'Choose it again.')
}

function nothingPasted(): AppError {
  return appError(
    'file',
    'There are no rows on the clipboard.',
    'Copy the rows in the spreadsheet with their headings, then paste again.',
  )
}
