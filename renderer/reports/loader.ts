/** Requests reports, loads their rows into the window, combines several into one, and saves them as files. */
import type { CompanyRef, SavedFile } from '../../shared/contract/parts.ts'
import { EntryCollector, type EntryColumns } from '../../shared/reports/entries.ts'
import type { Period } from '../../shared/reports/periods.ts'
import type { ReportHead, ReportMaking, ReportRow } from '../../shared/reports/reports.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { type Caption, pngBytes, svgBytes } from './chart/chart-file.ts'
import { ColumnShapes, type ReportColumn } from './table/columns.ts'

const ROWS_AT_ONCE = 5_000

export interface LoadedReport {
  readonly head: ReportHead
  readonly rows: readonly ReportRow[]
  readonly columns: readonly ReportColumn[]
  /** The columns of a detail report's entries; `null` for other reports. */
  readonly entries: EntryColumns | null
}

export class ReportLoader {
  readonly #api: Api
  readonly #company: CompanyRef

  constructor(api: Api, company: CompanyRef) {
    this.#api = api
    this.#company = company
  }

  /**
   * Requests a report. Its rows stay in the main process.
   * @param comparedWith the other period of a comparison
   */
  ask(name: string, { from, to }: Period, comparedWith?: Period): Promise<Result<ReportHead>> {
    return this.#api.call('reports.select', {
      company: this.#company,
      name,
      from,
      to,
      ...(comparedWith && { comparedWith }),
    })
  }

  /** Combines several reports into one. */
  combine(
    making: Exclude<ReportMaking, 'single'>,
    parts: readonly ReportHead[],
    labels: readonly string[],
  ): Promise<Result<ReportHead>> {
    return this.#api.call('reports.combine', {
      making,
      reportIds: parts.map(({ reportId }) => reportId),
      labels: [...labels],
    })
  }

  /**
   * Loads the rows of a report.
   * @param here called with the number of rows loaded so far
   */
  async rows(head: ReportHead, here: (rows: number) => void): Promise<Result<LoadedReport>> {
    const rows: ReportRow[] = []
    const { reportId, rowCount } = head
    const shapes = new ColumnShapes(head)
    const entries = new EntryCollector(head)
    const decoder = new TextDecoder()
    while (rows.length < rowCount) {
      here(rows.length)
      const bytes = await this.#api.call('reports.rows', { reportId, from: rows.length, count: ROWS_AT_ONCE })
      if (!bytes.ok) {
        this.close(head)
        return bytes
      }
      // Already validated by the rows worker.
      const chunk = JSON.parse(decoder.decode(bytes.value)) as readonly ReportRow[]
      if (chunk.length === 0) break
      for (const row of chunk) rows.push(row)
      shapes.add(chunk)
      entries.add(chunk)
    }
    return ok({ head, rows, columns: shapes.columns(), entries: entries.columns() })
  }

  /** Releases the report in the main process. */
  close({ reportId }: ReportHead): void {
    void this.#api.call('reports.close', { reportId })
  }

  /** Removes the request from the queue, or abandons it if it was already sent. */
  stop(): Promise<Result<unknown>> {
    return this.#api.call('reports.stop', { company: this.#company })
  }
}

// Saves a report as a file, or its chart as a picture. The main process asks where.

/** The options of **Export**. */
export type SaveAs = 'xlsx' | 'pdf' | 'csv-as-shown' | 'csv-flat' | 'chart-png' | 'chart-svg' | 'chart-copy'

interface Picture {
  readonly drawing: SVGSVGElement
  readonly caption: Caption
}

/**
 * Saves or copies a report or its chart.
 * @param picture the chart; only needed to save or copy it
 * @returns the saved file; `null` if it was copied
 */
export async function saveReport(
  api: Api,
  { reportId }: ReportHead,
  as: SaveAs,
  hideZeroRows: boolean,
  picture: Picture | null,
): Promise<Result<SavedFile | null>> {
  switch (as) {
    case 'xlsx':
    case 'pdf':
      return api.call('reports.saveDocument', { reportId, format: as, hideZeroRows })
    case 'csv-as-shown':
    case 'csv-flat':
      return api.call('reports.saveCsv', {
        reportId,
        shape: as === 'csv-flat' ? 'flat' : 'as-shown',
        hideZeroRows,
      })
    case 'chart-svg':
    case 'chart-png':
    case 'chart-copy':
      return picture === null ? ok(null) : savePicture(api, reportId, as, picture)
  }
}

async function savePicture(
  api: Api,
  reportId: string,
  as: 'chart-svg' | 'chart-png' | 'chart-copy',
  { drawing, caption }: Picture,
): Promise<Result<SavedFile | null>> {
  if (as === 'chart-svg') {
    return api.call('reports.saveChart', { reportId, format: 'svg', bytes: svgBytes(drawing, caption) })
  }
  const bytes = await pngBytes(drawing, caption)
  if (!bytes.ok) return bytes
  if (as === 'chart-png') {
    return api.call('reports.saveChart', { reportId, format: 'png', bytes: bytes.value })
  }
  const copied = await api.call('reports.copyChart', { bytes: bytes.value })
  return copied.ok ? ok(null) : copied
}
