/** Export: a list's rows as they are shown, handed on piece by piece into a file that is written whole or not at all. */
import { z } from 'zod'
import { call, companyRef, id, isoTime, line, none, said, savedFile, text } from './parts.ts'

/** Of a workbook's sheet. */
const MOST_COLUMNS = 16_384

const exportColumn = z.strictObject({
  heading: text,
  type: z.enum(['text', 'money', 'boolean', 'timestamp', 'reference', 'address', 'contact']),
})

/** `csv` is for spreadsheets and disarms formulas; `csv-programs` has every character as it is. */
const exportKind = z.enum(['xlsx', 'csv', 'csv-programs'])
export type ExportKind = z.output<typeof exportKind>

export const exportCalls = {
  /** Asks where to, and begins the file; `null` when no place was chosen. */
  'export.begin': call(
    z.strictObject({
      company: companyRef,
      object: line.min(1),
      kind: exportKind,
      /** When the list was read. */
      readAt: isoTime,
      /** What was asked for and what is shown of it, in words; empty for all. */
      askedFor: text,
      /** Why the list is not whole; empty when it is. */
      partialBecause: text,
      /** Changes that are not sent stand among the values. */
      withDrafts: z.boolean(),
      columns: z.array(exportColumn).min(1).max(MOST_COLUMNS).readonly(),
    }),
    z.object({ exportId: id.nullable() }),
  ),
  /** The next rows: a cell a column, in canonical form. Answers when there is room for more. */
  'export.rows': call(
    z.strictObject({
      exportId: id,
      rows: z.array(z.array(said).max(MOST_COLUMNS).readonly()).max(5_000).readonly(),
    }),
    none,
  ),
  /** All rows were given: the file takes its place. */
  'export.end': call(z.strictObject({ exportId: id }), savedFile),
  /** Nothing of it is kept. */
  'export.cancel': call(z.strictObject({ exportId: id }), none),
} as const
