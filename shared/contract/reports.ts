/** Reports: running one, its rows in pieces, its checks, and the files made of it. */
import { z } from 'zod'
import {
  id,
  line,
  said,
  isoTime,
  isoDate,
  count,
  none,
  companyRef,
  savedFile,
  jsonBytes,
  call,
} from './parts.ts'

const reportChecks = z.object({
  held: count,
  findings: z
    .array(
      z.object({
        row: count,
        rowName: said,
        column: count,
        columnName: said,
        stated: said,
        computed: said,
        difference: said,
      }),
    )
    .readonly(),
  unchecked: z.array(said).readonly(),
})

const reportHead = z.object({
  reportId: id,
  name: line,
  reportType: said,
  from: isoDate,
  to: isoDate,
  startDate: said,
  endDate: said,
  nameColumn: said,
  columns: z.array(said).readonly(),
  rowCount: count,
  checks: reportChecks,
  madeAt: isoTime,
  requestId: line,
})

export const reportCalls = {
  'reports.select': call(
    z.strictObject({ company: companyRef, name: line.min(1), from: isoDate, to: isoDate }),
    reportHead,
  ),
  'reports.rows': call(z.strictObject({ reportId: id, from: count, count: count.max(10_000) }), jsonBytes),
  'reports.close': call(z.strictObject({ reportId: id }), none),
  'reports.saveCsv': call(
    z.strictObject({ reportId: id, shape: z.enum(['as-shown', 'flat']), hideZeroRows: z.boolean() }),
    savedFile,
  ),
  'reports.saveChart': call(
    z.strictObject({ reportId: id, format: z.enum(['svg', 'png']), bytes: z.instanceof(Uint8Array) }),
    savedFile,
  ),
} as const
