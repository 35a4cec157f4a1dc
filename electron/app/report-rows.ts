/** A report's rows by the batch: from the worker that holds them, or from the disk where a job keeps them. */
import type { ReportHead, ReportRow } from '../../shared/reports/reports.ts'
import { err, ok, type Result } from '../../shared/result.ts'
import type { Rows } from '../rows/rows.ts'
import type { ReportJobStore } from '../store/report-jobs.ts'

export const ROWS_AT_ONCE = 2_000

/** The rows that the worker holds, from the first, by the batch. */
export async function* pullHeld(
  rows: Pick<Rows, 'reportChunk'>,
  { reportId, rowCount }: ReportHead,
): AsyncGenerator<Result<readonly ReportRow[]>> {
  const decoder = new TextDecoder()
  for (let from = 0; from < rowCount; from += ROWS_AT_ONCE) {
    const bytes = await rows.reportChunk(reportId, from, ROWS_AT_ONCE)
    if (!bytes.ok) {
      yield bytes
      return
    }
    yield ok(JSON.parse(decoder.decode(bytes.value)) as readonly ReportRow[])
  }
}

/** The rows that a job keeps on disk. */
export async function* pullKept(
  store: ReportJobStore,
  jobId: string,
  itemId: string,
): AsyncGenerator<Result<readonly ReportRow[]>> {
  const decoder = new TextDecoder()
  for (let part = 0; ; part += 1) {
    const bytes = await Promise.resolve(store.part(jobId, itemId, part))
    if (!bytes.ok) {
      yield err(bytes.error)
      return
    }
    if (bytes.value === null) return
    yield ok(JSON.parse(decoder.decode(bytes.value)) as readonly ReportRow[])
  }
}
