/** Reports: running one, its rows, its checks, and the files made from it. */
import { z } from 'zod'
import { REPORT_MAKINGS, SUM_COMPARISONS } from '../reports/reports.ts'
import {
  call,
  companyRef,
  count,
  id,
  isoDate,
  isoTime,
  jsonBytes,
  line,
  none,
  savedFile,
  serviceText,
} from './parts.ts'

const reportChecks = z.object({
  held: count,
  findings: z
    .array(
      z.object({
        row: count,
        rowName: serviceText,
        column: count,
        columnName: serviceText,
        against: z.enum(SUM_COMPARISONS),
        stated: serviceText,
        computed: serviceText,
        difference: serviceText,
      }),
    )
    .readonly(),
  unchecked: z.array(serviceText).readonly(),
})

const period = z.strictObject({ from: isoDate, to: isoDate })

export const reportHead = z.object({
  reportId: id,
  name: line,
  reportType: serviceText,
  from: isoDate,
  to: isoDate,
  making: z.enum(REPORT_MAKINGS),
  periods: z.array(period).readonly(),
  startDate: serviceText,
  endDate: serviceText,
  nameColumn: serviceText,
  columns: z.array(serviceText).readonly(),
  rowCount: count,
  checks: reportChecks,
  notes: z.array(serviceText).readonly(),
  madeAt: isoTime,
  requestId: line,
})

/** The most periods of a trend. */
const MAX_PERIODS = 60

export const reportCalls = {
  /** `comparedWith` is the other period of a comparison, for the status line and the log. */
  'reports.select': call(
    z.strictObject({
      company: companyRef,
      name: line.min(1),
      from: isoDate,
      to: isoDate,
      comparedWith: z.strictObject({ from: isoDate, to: isoDate }).optional(),
    }),
    reportHead,
  ),
  /** Stops the report that is being read for this company, wherever it is in the queue. */
  'reports.stop': call(z.strictObject({ company: companyRef }), none),
  'reports.rows': call(z.strictObject({ reportId: id, from: count, count: count.max(10_000) }), jsonBytes),
  'reports.close': call(z.strictObject({ reportId: id }), none),
  /**
   * Combines several open reports into a new one. They stay open. `labels` are their periods in the window's words.
   * `compared`: two reports, this one first. `trend`: in the order of their periods.
   */
  'reports.combine': call(
    z.strictObject({
      making: z.enum(['compared', 'trend']),
      reportIds: z.array(id).min(1).max(MAX_PERIODS).readonly(),
      labels: z.array(line).max(MAX_PERIODS).readonly(),
    }),
    reportHead,
  ),
  'reports.saveCsv': call(
    z.strictObject({ reportId: id, shape: z.enum(['as-shown', 'flat']), hideZeroRows: z.boolean() }),
    savedFile,
  ),
  /** Saves a workbook, or a PDF to print. */
  'reports.saveDocument': call(
    z.strictObject({ reportId: id, format: z.enum(['xlsx', 'pdf']), hideZeroRows: z.boolean() }),
    savedFile,
  ),
  'reports.saveChart': call(
    z.strictObject({ reportId: id, format: z.enum(['svg', 'png']), bytes: z.instanceof(Uint8Array) }),
    savedFile,
  ),
  /** Copies a picture (PNG) to the clipboard. */
  'reports.copyChart': call(z.strictObject({ bytes: z.instanceof(Uint8Array) }), none),
} as const
