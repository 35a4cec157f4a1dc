/** Saves what was made of a report: its rows, or the picture of its chart. The main process asks where to. */
import type { SavedFile } from '../../shared/contract/parts.ts'
import type { ReportHead } from '../../shared/reports.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { Api } from '../api.ts'
import { pngBytes, svgBytes, type Caption } from './chart/chart-picture.ts'

export function saveReportCsv(
  api: Api,
  { reportId }: ReportHead,
  shape: 'as-shown' | 'flat',
  hideZeroRows: boolean,
): Promise<Result<SavedFile>> {
  return api.call('reports.saveCsv', { reportId, shape, hideZeroRows })
}

export async function saveReportChart(
  api: Api,
  { reportId }: ReportHead,
  drawing: SVGSVGElement,
  format: 'png' | 'svg',
  caption: Caption,
): Promise<Result<SavedFile>> {
  const bytes = format === 'svg' ? ok(svgBytes(drawing, caption)) : await pngBytes(drawing, caption)
  return bytes.ok ? api.call('reports.saveChart', { reportId, format, bytes: bytes.value }) : bytes
}
