/** "Delete this company's data": what is kept about a company, row by row and byte by byte. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { appError, type Result } from '../../shared/result.ts'
import { Refusal, type Database } from './database.ts'

const OF_COMPANY = 'connection_id = ? AND endpoint_id = ?'

/** Tables whose rows name the company in columns. */
const OF_COMPANY_BY_COLUMN = [
  'operations',
  'drafts',
  'batches',
  'requests',
  'deprovisionings',
  'imports',
  'companies',
] as const

/** Their values are JSON, and tell the company inside. */
const OF_COMPANY_IN_VALUE = {
  provisionings: '$.value.company.endpointId',
  request_log: '$.company.endpointId',
} as const

/** Refuses while it is not known what became of something: its journal is the only thing that could tell. */
function assertSettled(database: Database, company: CompanyRef, evenUnconfirmed: boolean): void {
  const key = [company.connectionId, company.endpointId] as const
  const isThere = (table: string, state: string): boolean =>
    database.one(`SELECT 1 FROM ${table} WHERE ${OF_COMPANY} AND state = '${state}' LIMIT 1`, ...key) !== null
  if (isThere('operations', 'sending') || isThere('deprovisionings', 'sending')) {
    throw new Refusal(
      appError(
        'invalid-input',
        'Something is being sent to this company just now.',
        'Wait until it is answered, then delete the data.',
      ),
    )
  }
  if (evenUnconfirmed) return
  if (isThere('operations', 'unknown') || isThere('deprovisionings', 'unknown')) {
    throw new Refusal(
      appError(
        'invalid-input',
        'Something that was sent to this company is not confirmed yet.',
        'Wait until it is, or check it. Once its data is deleted, nobody looks for it any more.',
      ),
    )
  }
}

/** Jobs that had a part of it, with all that is kept for them. */
function deleteReportJobs(database: Database, { connectionId, endpointId }: CompanyRef): void {
  const ofCompany = `SELECT job_id FROM report_jobs WHERE connection_id = ? AND EXISTS (
    SELECT 1 FROM json_each(report_jobs.value, '$.items') WHERE json_extract(json_each.value, '$.endpointId') = ?)`
  for (const table of ['report_job_heads', 'report_job_parts', 'report_jobs']) {
    database.run(`DELETE FROM ${table} WHERE job_id IN (${ofCompany})`, connectionId, endpointId)
  }
}

/** Rows first, in one transaction; then the file is written anew without them. */
export function deleteCompany(
  database: Database,
  company: CompanyRef,
  evenUnconfirmed: boolean,
): Result<void> {
  const key = [company.connectionId, company.endpointId] as const
  return database.purge(() => {
    assertSettled(database, company, evenUnconfirmed)
    database.run(
      `DELETE FROM attempts WHERE operation_id IN (SELECT operation_id FROM operations WHERE ${OF_COMPANY})`,
      ...key,
    )
    database.run(
      `DELETE FROM imported_rows WHERE import_id IN (SELECT import_id FROM imports WHERE ${OF_COMPANY})`,
      ...key,
    )
    for (const table of OF_COMPANY_BY_COLUMN) {
      database.run(`DELETE FROM ${table} WHERE ${OF_COMPANY}`, ...key)
    }
    deleteReportJobs(database, company)
    for (const [table, path] of Object.entries(OF_COMPANY_IN_VALUE)) {
      database.run(
        `DELETE FROM ${table} WHERE connection_id = ? AND json_extract(value, '${path}') = ?`,
        ...key,
      )
    }
  })
}
