/** Exports: a list's rows as shown, passed in pieces to a file that is written completely or not at all. */
import { z } from 'zod'
import { FIELD_TYPES } from '../records/definition.ts'
import { call, companyRef, id, isoTime, line, none, savedFile, serviceText, text } from './parts.ts'

/** The limit of a workbook's sheet. */
const MAX_COLUMNS = 16_384

const exportColumn = z.strictObject({
  heading: text,
  type: z.enum(FIELD_TYPES),
})

/** `csv` is for spreadsheets and disarms formulas. `csv-programs` keeps every character. */
const exportKind = z.enum(['xlsx', 'csv', 'csv-programs'])
export type ExportKind = z.output<typeof exportKind>

export const exportCalls = {
  /** Asks where to save the file, and begins it. `null` if canceled. */
  'export.begin': call(
    z.strictObject({
      company: companyRef,
      object: line.min(1),
      kind: exportKind,
      /** When the list was read. */
      readAt: isoTime,
      /** The filters of the read and of the view, in words; empty for all. */
      askedFor: text,
      /** Why the list is incomplete; empty if it is complete. */
      partialReason: text,
      /** Whether the values include unsent changes. */
      withDrafts: z.boolean(),
      columns: z.array(exportColumn).min(1).max(MAX_COLUMNS).readonly(),
    }),
    z.object({ exportId: id.nullable() }),
  ),
  /** The next rows, one cell per column in canonical form. Returns when it can take more. */
  'export.rows': call(
    z.strictObject({
      exportId: id,
      rows: z.array(z.array(serviceText).max(MAX_COLUMNS).readonly()).max(5_000).readonly(),
    }),
    none,
  ),
  /** Completes the file after the last row. */
  'export.end': call(z.strictObject({ exportId: id }), savedFile),
  /** Deletes the unfinished file. */
  'export.cancel': call(z.strictObject({ exportId: id }), none),
} as const
