/**
 * Remembers imports: how columns were mapped, which draft came from which row, and which were saved in the books. A
 * row's cells are kept until it is saved, so that rejected rows can be exported again.
 */
import type { ColumnMapping, PastImport, SavedMapping } from '../../shared/contract/import.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { ImportCell } from '../../shared/import/table.ts'
import { type AppError } from '../../shared/result.ts'
import { UNKNOWN_COMPANY } from './companies.ts'
import { type Database, json, jsonOrNull, number, type Row, StoreError, text, toJson } from './database.ts'

/** A list of one company. */
export interface ListRef {
  readonly company: CompanyRef
  readonly object: string
}

/** An import whose drafts were created. */
export interface CompletedImport extends ListRef {
  readonly importId: string
  /** Fingerprint of the file (`renderer/records/import/plan/fingerprint.ts`). */
  readonly file: string
  readonly fileName: string
  /** ISO 8601. */
  readonly importedAt: string
  readonly headings: readonly string[]
  readonly rows: readonly {
    readonly row: number
    readonly fingerprint: string
    readonly draftId: string
    readonly kind: 'insert' | 'change'
    readonly cells: readonly ImportCell[]
  }[]
}

/** An import with rows that were not accepted. */
export interface NotAccepted {
  readonly importId: string
  readonly fileName: string
  readonly importedAt: string
  readonly count: number
}

/** The rejected rows, as they were in the file. */
export interface NotAcceptedRows {
  readonly fileName: string
  readonly headings: readonly string[]
  readonly rows: readonly {
    readonly row: number
    readonly cells: readonly ImportCell[]
    readonly error: AppError | null
  }[]
}

export interface ImportStore {
  /** Empty if no file with these headings was imported into the list. */
  mapping(object: string, headings: string): ColumnMapping
  keepMapping(object: string, headings: string, mapping: ColumnMapping): void
  /** Sorted by name. */
  savedMappings(object: string): readonly SavedMapping[]
  saveMapping(object: string, saved: SavedMapping): void
  deleteMapping(object: string, name: string): void
  /** Throws if the company's data was deleted in the meantime. */
  keep(made: CompletedImport): void
  /** Earlier imports of this file, or with one of these rows, if any row was saved. Contains only those rows. */
  repeats(list: ListRef, file: string, rows: readonly string[]): readonly PastImport[]
  /** Newest first. */
  notAccepted(list: ListRef): readonly NotAccepted[]
  /** `null` if the import belongs to another list. */
  notAcceptedRows(list: ListRef, importId: string): NotAcceptedRows | null
  /** Deletes imports from before that time (ISO), except rows whose drafts still exist. */
  trim(before: string): void
}

const OF_LIST = 'connection_id = ? AND endpoint_id = ? AND object = ?'
/** Rows whose drafts were sent and rejected. */
const REFUSED_ROWS = `FROM imported_rows
  JOIN drafts USING (draft_id)
  JOIN operations ON operations.operation_id = drafts.operation_id AND operations.state = 'rejected'
  WHERE imported_rows.is_saved = 0 AND imported_rows.import_id = ?`

const key = ({ company, object }: ListRef) =>
  [company.connectionId, company.endpointId, object.toLowerCase()] as const

export function createImportStore(database: Database): ImportStore {
  const past = (row: Row, rows: readonly string[]): PastImport => {
    const saved = new Map(
      database
        .all(
          'SELECT kind, count(*) AS count FROM imported_rows WHERE import_id = ? AND is_saved = 1 GROUP BY kind',
          text(row, 'import_id'),
        )
        .map((each) => [text(each, 'kind'), number(each, 'count')]),
    )
    return {
      file: text(row, 'file'),
      rows,
      fileName: text(row, 'file_name'),
      importedAt: text(row, 'imported_at'),
      added: saved.get('insert') ?? 0,
      changed: saved.get('change') ?? 0,
    }
  }
  /** Rows that were saved before, by import. */
  const rowsByImport = (rows: readonly string[]): ReadonlyMap<string, readonly string[]> => {
    const found = new Map<string, string[]>()
    for (const fingerprint of new Set(rows)) {
      const imports = database.all(
        'SELECT DISTINCT import_id FROM imported_rows WHERE fingerprint = ? AND is_saved = 1',
        fingerprint,
      )
      for (const row of imports) {
        const importId = text(row, 'import_id')
        found.set(importId, [...(found.get(importId) ?? []), fingerprint])
      }
    }
    return found
  }
  return {
    mapping: (object, headings) =>
      database.read(() => {
        const row = database.one(
          'SELECT mapping FROM import_mappings WHERE object = ? AND headings = ?',
          object.toLowerCase(),
          headings,
        )
        return row === null ? { choices: [], derived: [] } : (json(row, 'mapping') as ColumnMapping)
      }),
    keepMapping: (object, headings, mapping) =>
      database.write(() => {
        database.run(
          `INSERT INTO import_mappings (object, headings, mapping) VALUES (?, ?, ?)
           ON CONFLICT (object, headings) DO UPDATE SET mapping = excluded.mapping`,
          object.toLowerCase(),
          headings,
          toJson(mapping),
        )
      }),
    savedMappings: (object) =>
      database.read(() =>
        database
          .all(
            'SELECT name, mapping FROM saved_mappings WHERE object = ? ORDER BY name',
            object.toLowerCase(),
          )
          .map((row) => ({ name: text(row, 'name'), mapping: json(row, 'mapping') as ColumnMapping })),
      ),
    saveMapping: (object, { name, mapping }) =>
      database.write(() => {
        database.run(
          `INSERT INTO saved_mappings (object, name, mapping) VALUES (?, ?, ?)
           ON CONFLICT (object, name) DO UPDATE SET mapping = excluded.mapping`,
          object.toLowerCase(),
          name,
          toJson(mapping),
        )
      }),
    deleteMapping: (object, name) =>
      database.write(() => {
        database.run('DELETE FROM saved_mappings WHERE object = ? AND name = ?', object.toLowerCase(), name)
      }),
    keep: (made) =>
      database.write(() => {
        const { connectionId, endpointId } = made.company
        const known = 'SELECT 1 FROM companies WHERE connection_id = ? AND endpoint_id = ?'
        if (database.one(known, connectionId, endpointId) === null) throw new StoreError(UNKNOWN_COMPANY)
        database.run(
          `INSERT INTO imports
             (import_id, connection_id, endpoint_id, object, file, file_name, imported_at, headings)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          made.importId,
          ...key(made),
          made.file,
          made.fileName,
          made.importedAt,
          toJson(made.headings),
        )
        for (const { row, fingerprint, draftId, kind, cells } of made.rows) {
          database.run(
            `INSERT INTO imported_rows (import_id, row, fingerprint, draft_id, kind, cells)
             VALUES (?, ?, ?, ?, ?, ?)`,
            made.importId,
            row,
            fingerprint,
            draftId,
            kind,
            toJson(cells),
          )
        }
      }),
    repeats: (list, file, rows) =>
      database.read(() => {
        const known = rowsByImport(rows)
        return database.all(`SELECT * FROM imports WHERE ${OF_LIST}`, ...key(list)).flatMap((row) => {
          const same = known.get(text(row, 'import_id'))
          if (same === undefined && text(row, 'file') !== file) return []
          const found = past(row, same ?? [])
          return found.added + found.changed > 0 ? [found] : []
        })
      }),
    notAccepted: (list) =>
      database.read(() =>
        database
          .all(`SELECT * FROM imports WHERE ${OF_LIST} ORDER BY imported_at DESC`, ...key(list))
          .flatMap((row) => {
            const importId = text(row, 'import_id')
            const refused = database.one(`SELECT count(*) AS count ${REFUSED_ROWS}`, importId)
            const count = refused === null ? 0 : number(refused, 'count')
            if (count === 0) return []
            return [
              { importId, fileName: text(row, 'file_name'), importedAt: text(row, 'imported_at'), count },
            ]
          }),
      ),
    notAcceptedRows: (list, importId) =>
      database.read(() => {
        const made = database.one(
          `SELECT * FROM imports WHERE ${OF_LIST} AND import_id = ?`,
          ...key(list),
          importId,
        )
        if (made === null) return null
        const rows = database.all(
          `SELECT imported_rows.row, imported_rows.cells, operations.error ${REFUSED_ROWS}
           ORDER BY imported_rows.row`,
          importId,
        )
        return {
          fileName: text(made, 'file_name'),
          headings: json(made, 'headings') as readonly string[],
          rows: rows.map((row) => ({
            row: number(row, 'row'),
            cells: json(row, 'cells') as readonly ImportCell[],
            error: jsonOrNull(row, 'error') as AppError | null,
          })),
        }
      }),
    trim: (before) =>
      database.purge(() => {
        database.run(
          `DELETE FROM imported_rows
           WHERE import_id IN (SELECT import_id FROM imports WHERE imported_at < ?)
             AND draft_id NOT IN (SELECT draft_id FROM drafts)`,
          before,
        )
        database.run(
          'DELETE FROM imports WHERE imported_at < ? AND import_id NOT IN (SELECT import_id FROM imported_rows)',
          before,
        )
      }),
  }
}
