/**
 * Jobs of reports for several companies, the reports kept for their combined files, and saved sets of reports. A
 * report's rows are kept as the rows worker's bytes.
 */
import type { ReportJob } from '../../shared/reports/jobs.ts'
import type { ReportHead } from '../../shared/reports/reports.ts'
import { appError } from '../../shared/result.ts'
import { json, number, StoreError, text, toJson, type Database } from './database.ts'

export interface StoredSet {
  readonly name: string
  readonly reports: readonly string[]
}

export interface ReportJobStore {
  /** Newest first. */
  list(connectionId: string): readonly ReportJob[]
  /** Jobs of every connection. */
  all(): readonly ReportJob[]
  get(jobId: string): ReportJob | null
  add(job: ReportJob): void
  /** Throws if the job was removed in the meantime, so that nothing of it comes back. */
  put(job: ReportJob): void
  /** Removes a job and its reports. */
  remove(jobId: string): void
  /**
   * Starts saving a report, replacing the item's previous one. Throws if the job was removed in the meantime.
   */
  putHead(jobId: string, itemId: string, head: ReportHead): void
  /** Saves the bytes of a JSON array of rows. Throws if the job was removed in the meantime. */
  putPart(jobId: string, itemId: string, part: number, rows: Uint8Array): void
  head(jobId: string, itemId: string): ReportHead | null
  /** `null` after the last one. */
  part(jobId: string, itemId: string, part: number): Uint8Array | null
  /** Deletes the reports of a job whose combined files are written. */
  removeReports(jobId: string): void
  sets(): readonly StoredSet[]
  putSet(set: StoredSet): void
  removeSet(name: string): void
}

const GONE = appError('not-found', 'This run is no longer kept.', 'Start it again.')

export function createReportJobStore(database: Database): ReportJobStore {
  const jobs = (sql: string, ...values: readonly string[]): readonly ReportJob[] =>
    database.all(sql, ...values).map((row) => json(row, 'value') as ReportJob)
  const assertKept = (jobId: string): void => {
    if (database.one('SELECT 1 FROM report_jobs WHERE job_id = ?', jobId) === null) throw new StoreError(GONE)
  }
  const removeReports = (jobId: string): void => {
    database.run('DELETE FROM report_job_heads WHERE job_id = ?', jobId)
    database.run('DELETE FROM report_job_parts WHERE job_id = ?', jobId)
  }
  return {
    list: (connectionId) =>
      database.read(() =>
        jobs(
          'SELECT value FROM report_jobs WHERE connection_id = ? ORDER BY created_at DESC, job_id',
          connectionId,
        ),
      ),
    all: () => database.read(() => jobs('SELECT value FROM report_jobs')),
    get: (jobId) =>
      database.read(() => jobs('SELECT value FROM report_jobs WHERE job_id = ?', jobId)[0] ?? null),
    add: (job) =>
      database.write(() => {
        database.run(
          'INSERT INTO report_jobs (job_id, connection_id, created_at, value) VALUES (?, ?, ?, ?)',
          job.jobId,
          job.connectionId,
          job.createdAt,
          toJson(job),
        )
      }),
    put: (job) =>
      database.write(() => {
        const changed = database.run(
          'UPDATE report_jobs SET value = ? WHERE job_id = ?',
          toJson(job),
          job.jobId,
        )
        if (changed === 0) throw new StoreError(GONE)
      }),
    remove: (jobId) =>
      database.write(() => {
        removeReports(jobId)
        database.run('DELETE FROM report_jobs WHERE job_id = ?', jobId)
      }),
    putHead: (jobId, itemId, head) =>
      database.write(() => {
        assertKept(jobId)
        database.run('DELETE FROM report_job_parts WHERE job_id = ? AND item_id = ?', jobId, itemId)
        database.run(
          `INSERT INTO report_job_heads (job_id, item_id, value) VALUES (?, ?, ?)
           ON CONFLICT (job_id, item_id) DO UPDATE SET value = excluded.value`,
          jobId,
          itemId,
          toJson(head),
        )
      }),
    putPart: (jobId, itemId, part, rows) =>
      database.write(() => {
        assertKept(jobId)
        database.run(
          'INSERT INTO report_job_parts (job_id, item_id, part, rows) VALUES (?, ?, ?, ?)',
          jobId,
          itemId,
          part,
          rows,
        )
      }),
    head: (jobId, itemId) =>
      database.read(() => {
        const row = database.one(
          'SELECT value FROM report_job_heads WHERE job_id = ? AND item_id = ?',
          jobId,
          itemId,
        )
        return row === null ? null : (json(row, 'value') as ReportHead)
      }),
    part: (jobId, itemId, part) =>
      database.read(() => {
        const row = database.one(
          'SELECT rows FROM report_job_parts WHERE job_id = ? AND item_id = ? AND part = ?',
          jobId,
          itemId,
          part,
        )
        return row?.['rows'] instanceof Uint8Array ? row['rows'] : null
      }),
    removeReports: (jobId) => database.write(() => removeReports(jobId)),
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
