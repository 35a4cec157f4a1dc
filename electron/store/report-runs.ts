/**
 * Runs of reports for several companies, the reports kept for their combined files, and saved sets of reports. A
 * report's rows are kept as the rows worker's bytes.
 */
import type { ReportHead } from '../../shared/reports/reports.ts'
import type { ReportRun } from '../../shared/reports/runs.ts'
import { appError } from '../../shared/result.ts'
import { type Database, json, number, StoreError, text, toJson } from './database.ts'

export interface StoredSet {
  readonly name: string
  readonly reports: readonly string[]
}

export interface ReportRunStore {
  /** Newest first. */
  list(connectionId: string): readonly ReportRun[]
  /** Runs of every connection. */
  all(): readonly ReportRun[]
  get(runId: string): ReportRun | null
  add(run: ReportRun): void
  /** Throws if the run was removed in the meantime, so that nothing of it comes back. */
  put(run: ReportRun): void
  /** Removes a run and its reports. */
  remove(runId: string): void
  /**
   * Starts saving a report, replacing the item's previous one. Throws if the run was removed in the meantime.
   */
  putHead(runId: string, itemId: string, head: ReportHead): void
  /** Saves the bytes of a JSON array of rows. Throws if the run was removed in the meantime. */
  putPart(runId: string, itemId: string, part: number, rows: Uint8Array): void
  head(runId: string, itemId: string): ReportHead | null
  /** `null` after the last one. */
  part(runId: string, itemId: string, part: number): Uint8Array | null
  /** Deletes the reports of a run whose combined files are written. */
  removeReports(runId: string): void
  sets(): readonly StoredSet[]
  putSet(set: StoredSet): void
  removeSet(name: string): void
}

/** The error for a run that was removed. */
export const RUN_GONE = appError('not-found', 'This run no longer exists.', 'Start it again.')

export function createReportRunStore(database: Database): ReportRunStore {
  const runs = (sql: string, ...values: readonly string[]): readonly ReportRun[] =>
    database.all(sql, ...values).map((row) => json(row, 'value') as ReportRun)
  const assertKept = (runId: string): void => {
    if (database.one('SELECT 1 FROM report_runs WHERE run_id = ?', runId) === null)
      throw new StoreError(RUN_GONE)
  }
  const removeReports = (runId: string): void => {
    database.run('DELETE FROM report_run_heads WHERE run_id = ?', runId)
    database.run('DELETE FROM report_run_parts WHERE run_id = ?', runId)
  }
  return {
    list: (connectionId) =>
      database.read(() =>
        runs(
          'SELECT value FROM report_runs WHERE connection_id = ? ORDER BY created_at DESC, run_id',
          connectionId,
        ),
      ),
    all: () => database.read(() => runs('SELECT value FROM report_runs')),
    get: (runId) =>
      database.read(() => runs('SELECT value FROM report_runs WHERE run_id = ?', runId)[0] ?? null),
    add: (run) =>
      database.write(() => {
        database.run(
          'INSERT INTO report_runs (run_id, connection_id, created_at, value) VALUES (?, ?, ?, ?)',
          run.runId,
          run.connectionId,
          run.createdAt,
          toJson(run),
        )
      }),
    put: (run) =>
      database.write(() => {
        const changed = database.run(
          'UPDATE report_runs SET value = ? WHERE run_id = ?',
          toJson(run),
          run.runId,
        )
        if (changed === 0) throw new StoreError(RUN_GONE)
      }),
    remove: (runId) =>
      database.write(() => {
        removeReports(runId)
        database.run('DELETE FROM report_runs WHERE run_id = ?', runId)
      }),
    putHead: (runId, itemId, head) =>
      database.write(() => {
        assertKept(runId)
        database.run('DELETE FROM report_run_parts WHERE run_id = ? AND item_id = ?', runId, itemId)
        database.run(
          `INSERT INTO report_run_heads (run_id, item_id, value) VALUES (?, ?, ?)
           ON CONFLICT (run_id, item_id) DO UPDATE SET value = excluded.value`,
          runId,
          itemId,
          toJson(head),
        )
      }),
    putPart: (runId, itemId, part, rows) =>
      database.write(() => {
        assertKept(runId)
        database.run(
          'INSERT INTO report_run_parts (run_id, item_id, part, rows) VALUES (?, ?, ?, ?)',
          runId,
          itemId,
          part,
          rows,
        )
      }),
    head: (runId, itemId) =>
      database.read(() => {
        const row = database.one(
          'SELECT value FROM report_run_heads WHERE run_id = ? AND item_id = ?',
          runId,
          itemId,
        )
        return row === null ? null : (json(row, 'value') as ReportHead)
      }),
    part: (runId, itemId, part) =>
      database.read(() => {
        const row = database.one(
          'SELECT rows FROM report_run_parts WHERE run_id = ? AND item_id = ? AND part = ?',
          runId,
          itemId,
          part,
        )
        return row?.['rows'] instanceof Uint8Array ? row['rows'] : null
      }),
    removeReports: (runId) => database.write(() => removeReports(runId)),
    sets: () =>
      database.read(() =>
        database
          .all('SELECT name, reports, position FROM report_sets ORDER BY position, name')
          .map((row) => ({ name: text(row, 'name'), reports: json(row, 'reports') as readonly string[] })),
      ),
    putSet: ({ name, reports }) =>
      database.write(() => {
        const last = database.one('SELECT coalesce(max(position), 0) AS last FROM report_sets')
        database.run(
          `INSERT INTO report_sets (name, reports, position) VALUES (?, ?, ?)
           ON CONFLICT (name) DO UPDATE SET reports = excluded.reports`,
          name,
          toJson(reports),
          last === null ? 1 : number(last, 'last') + 1,
        )
      }),
    removeSet: (name) =>
      database.write(() => {
        database.run('DELETE FROM report_sets WHERE name = ?', name)
      }),
  }
}
