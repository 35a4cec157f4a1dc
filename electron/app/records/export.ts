/** Export: asks where to save, and writes a list's rows as the window sends them. */
import { displayName } from '../../../shared/companies/companies.ts'
import type { ExportKind } from '../../../shared/contract/export.ts'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import { listName } from '../../../shared/records/definition.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import {
  recordsCsv,
  type RecordsExport,
  recordsFileName,
  recordsWorkbook,
  RowFeed,
} from '../../files/csv/records-export.ts'
import { writeFileAtomically } from '../../files/write-file.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import type { SaveDialog, SettingsStore } from '../ports.ts'

export interface ExportOptions {
  readonly companies: Pick<Companies, 'find'>
  readonly dialog: SaveDialog
  readonly settings: Pick<SettingsStore, 'get'>
  readonly clock: Clock
  readonly newId: () => string
}

export interface Export {
  readonly handlers: HandlersOf<'export'>
  /** Drops unfinished files when the page that sends their rows is gone. */
  forgetAll(): Promise<void>
}

/** A file that is being written. */
interface Writing {
  readonly feed: RowFeed
  readonly saved: Promise<Result<SavedFile>>
}

export function createExport(options: ExportOptions): Export {
  const writings = new Map<string, Writing>()

  const begin = (path: string, records: RecordsExport, kind: ExportKind, feed: RowFeed): Writing => {
    const { negatives } = options.settings.get()
    const madeAt = timestamp(options.clock)
    const pieces =
      kind === 'xlsx'
        ? recordsWorkbook(records, { negatives, madeAt })
        : recordsCsv(records, kind === 'csv' ? 'guarded' : 'raw')
    const saved = writeFileAtomically(path, pieces).finally(() => {
      feed.leave()
    })
    return { feed, saved }
  }

  const cancel = async (exportId: string): Promise<void> => {
    const writing = writings.get(exportId)
    writings.delete(exportId)
    if (writing === undefined) return
    await writing.feed.fail(stopped())
    await writing.saved
  }

  return {
    handlers: {
      'export.begin': async ({ company, object, kind, readAt, columns, ...words }) => {
        const found = options.companies.find(company)
        if (!found.ok) return found
        const feed = new RowFeed()
        const records: RecordsExport = {
          companyName: displayName(found.value),
          application: found.value.applicationName,
          list: listName(object),
          readAt,
          columns,
          ...words,
          rows: () => feed.rows(),
        }
        const path = await options.dialog.choose(
          recordsFileName(records, kind),
          kind === 'xlsx' ? 'xlsx' : 'csv',
        )
        if (path === null) return ok({ exportId: null })
        const exportId = options.newId()
        writings.set(exportId, begin(path, records, kind, feed))
        return ok({ exportId })
      },

      'export.rows': async ({ exportId, rows }) => {
        const writing = writings.get(exportId)
        if (writing === undefined) return err(notWriting())
        if (await writing.feed.give(rows)) return ok({})
        writings.delete(exportId)
        const saved = await writing.saved
        return saved.ok ? err(notWriting()) : saved
      },

      'export.end': async ({ exportId }) => {
        const writing = writings.get(exportId)
        if (writing === undefined) return err(notWriting())
        writings.delete(exportId)
        writing.feed.end()
        return writing.saved
      },

      'export.cancel': async ({ exportId }) => {
        await cancel(exportId)
        return ok({})
      },
    },
    async forgetAll() {
      await Promise.all([...writings.keys()].map(cancel))
    },
  }
}

function stopped(): AppError {
  return appError('stopped', 'Export canceled. No file was saved.', '')
}

function notWriting(): AppError {
  return appError('not-found', 'This file is no longer being written.', 'Export the list again.')
}
