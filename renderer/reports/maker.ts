/** Asks for a report and pulls its rows into the window, or has several that are held put beside each other. */
import type { CompanyRef, SavedFile } from '../../shared/contract/parts.ts'
import type { Period } from '../../shared/reports/periods.ts'
import type { ReportHead, ReportMaking, ReportRow } from '../../shared/reports/reports.ts'
import { type Result, ok } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { type Caption, pngBytes, svgBytes } from './chart/picture.ts'
import { ColumnShapes, type ReportColumn } from './table/columns.ts'

const ROWS_AT_ONCE = 5_000

export interface MadeReport {
  readonly head: ReportHead
  readonly rows: readonly ReportRow[]
  readonly columns: readonly ReportColumn[]
}

export class ReportMaker {
  readonly #api: Api
  readonly #company: CompanyRef

  constructor(api: Api, company: CompanyRef) {
    this.#api = api
    this.#company = company
  }

  /** One request; the rows stay with the main process. */
  ask(name: string, { from, to }: Period): Promise<Result<ReportHead>> {
    return this.#api.call('reports.select', { company: this.#company, name, from, to })
  }

  /** One report of several that are held. */
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

  /** @param here is told how many rows are here */
  async rows(head: ReportHead, here: (rows: number) => void): Promise<Result<MadeReport>> {
    const rows: ReportRow[] = []
    const { reportId, rowCount } = head
    const shapes = new ColumnShapes(head)
    const decoder = new TextDecoder()
    while (rows.length < rowCount) {
      here(rows.length)
      const bytes = await this.#api.call('reports.rows', { reportId, from: rows.length, count: ROWS_AT_ONCE })
      if (!bytes.ok) {
        this.close(head)
        return bytes
      }
      // Checked at the service's edge, by the rows worker.
      const chunk = JSON.parse(decoder.decode(bytes.value)) as readonly ReportRow[]
      if (chunk.length === 0) break
      for (const row of chunk) rows.push(row)
      shapes.add(chunk)
    }
    return ok({ head, rows, columns: shapes.columns() })
  }

  /** The main process need not hold it any more. */
  close({ reportId }: ReportHead): void {
    void this.#api.call('reports.close', { reportId })
  }

  /** Takes the request out of the queue, or lets go of it when it is on its way. */
  stop(): Promise<Result<unknown>> {
    return this.#api.call('reports.stop', { company: this.#company })
  }
}

// Saves what was made of a report: its rows, or the picture of its chart. The main process asks where to.

/** What **Export…** offers. */
export type SaveAs = 'xlsx' | 'pdf' | 'csv-as-shown' | 'csv-flat' | 'chart-png' | 'chart-svg' | 'chart-copy'

interface Picture {
  readonly drawing: SVGSVGElement
  readonly caption: Caption
}

/**
 * @param picture the chart as it is drawn; needed only where it is to be saved or copied
 * @returns what was saved; `null` where it was copied
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
