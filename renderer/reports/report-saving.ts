/** Saves what was made of a report: its rows, or the picture of its chart. The main process asks where to. */
import type { SavedFile } from '../../shared/contract/parts.ts'
import type { ReportHead } from '../../shared/reports.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { pngBytes, svgBytes, type Caption } from './chart/chart-picture.ts'

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
