/** Import: reading a table from a file or a paste, what is remembered about it, and the rows that failed. */
import { z } from 'zod'
import { TEXT_ENCODINGS } from '../import/table.ts'
import {
  call,
  companyRef,
  count,
  id,
  isoTime,
  jsonBytes,
  line,
  none,
  savedFile,
  serviceText,
  text,
} from './parts.ts'

/** The most rows of a file (`electron/files/import/limits.ts`). */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384

/** The most characters of a paste; the same as for a file. */
const MAX_CHARACTERS = 100_000_000

/** A file that was chosen. Only the main process knows its path. */
const chosenFile = z.object({ fileId: id, name: serviceText })

const textFormat = z.strictObject({
  encoding: z.enum(TEXT_ENCODINGS).nullable(),
  delimiter: z.string().length(1).nullable(),
})

const openedTable = z.object({
  tableId: id,
  kind: z.enum(['workbook', 'csv', 'clipboard']),
  fileName: serviceText,
  sheet: serviceText,
  sheets: z.array(serviceText).readonly(),
  text: textFormat.nullable(),
  rowCount: count,
  notes: z.array(serviceText).readonly(),
})

/** The user's choice for a column with this heading. */
const rememberedChoice = z.object({
  heading: text,
  path: line.nullable(),
  emptyMeans: z.enum(['leave', 'clear']),
})

/** A column of a file: its heading, and which of the columns with that heading it is, from 0. */
const columnName = z.strictObject({ heading: text, occurrence: count.max(MAX_COLUMNS) })

/** A column that is derived from columns of the file. */
const derivedColumn = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('split'),
    column: columnName,
    by: z.enum(['city-state-zip', 'parent-child', 'last-first']),
  }),
  z.strictObject({
    kind: z.literal('combine'),
    columns: z.array(columnName).min(2).max(20).readonly(),
    separator: z.enum([' ', ', ', ' - ', '\n']),
  }),
])

/** The field of each column. */
export const columnMapping = z.object({
  choices: z.array(rememberedChoice).max(MAX_COLUMNS).readonly(),
  derived: z.array(derivedColumn).max(100).readonly(),
})
const mappingName = line.trim().min(1).max(80)

/** A list of one company, and a table that is open. */
const target = { company: companyRef, object: line.min(1) }
const table = {
  tableId: id,
  /** The file's row that holds the headings. */
  headingRow: count,
}

/** Identifies a file's content, or a row's (`renderer/records/import/plan/fingerprint.ts`). */
const fingerprint = z.string().regex(/^[0-9a-f]{32}$/)

/**
 * The file's row, its fingerprint, its draft, and its kind. A tuple, because there are thousands of them and objects
 * take the window several times as long to pass on.
 */
const keptRow = z.tuple([count, fingerprint, id, z.enum(['insert', 'change'])]).readonly()

const pastImport = z.object({
  /** Fingerprints of the file, and of the rows that became drafts. */
  file: serviceText,
  rows: z.array(serviceText).readonly(),
  fileName: serviceText,
  importedAt: isoTime,
  added: count,
  changed: count,
})

export const importCalls = {
  /** Asks for a file; `null` if canceled. */
  'import.chooseFile': call(none, z.object({ file: chosenFile.nullable() })),
  /** Takes the content of a file that was dropped on the window. */
  'import.takeFile': call(
    z.strictObject({ name: line.min(1), bytes: z.instanceof(Uint8Array) }),
    z.object({ file: chosenFile }),
  ),
  /**
   * Reads a file that was chosen or dropped. `sheet` applies to workbooks; empty for the first visible one. `text`
   * applies to text files.
   */
  'import.openFile': call(z.strictObject({ fileId: id, sheet: line, text: textFormat }), openedTable),
  /** Reads rows that were pasted into the window. If `delimiter` is `null`, it is guessed. */
  'import.openPasted': call(
    z.strictObject({
      text: z.string().max(MAX_CHARACTERS),
      delimiter: textFormat.shape.delimiter,
    }),
    openedTable,
  ),
  /** Rows of an open table (`ImportRow`), including the headings. */
  'import.rows': call(z.strictObject({ tableId: id, from: count, count: count.max(10_000) }), jsonBytes),
  'import.close': call(z.strictObject({ tableId: id }), none),
  /** The last mapping of these headings; an empty one if there is none. `headings` is a `headingSetKey`. */
  'import.mapping': call(z.strictObject({ object: line.min(1), headings: text }), columnMapping),
  'import.keepMapping': call(
    z.strictObject({ object: line.min(1), headings: text, mapping: columnMapping }),
    none,
  ),
  /** The mappings that were saved under a name, sorted by name. */
  'import.savedMappings': call(
    z.strictObject({ object: line.min(1) }),
    z.object({ mappings: z.array(z.object({ name: serviceText, mapping: columnMapping })).readonly() }),
  ),
  /** Replaces a mapping with the same name. */
  'import.saveMapping': call(
    z.strictObject({ object: line.min(1), name: mappingName, mapping: columnMapping }),
    none,
  ),
  'import.deleteMapping': call(z.strictObject({ object: line.min(1), name: mappingName }), none),
  /** Earlier imports into this list of the same file or of some of the same rows, each with only those rows. */
  'import.repeats': call(
    z.strictObject({ ...target, file: fingerprint, rows: z.array(fingerprint).max(MAX_ROWS).readonly() }),
    z.object({ past: z.array(pastImport).readonly() }),
  ),
  /** Remembers which row each draft came from, for `import.repeats` and `import.notAccepted`. */
  'import.keep': call(
    z.strictObject({
      ...target,
      ...table,
      file: fingerprint,
      rows: z.array(keptRow).max(MAX_ROWS).readonly(),
    }),
    none,
  ),
  /** Saves the rows that can't be imported, as they were read, each with the reason. */
  'import.saveFailedRows': call(
    z.strictObject({
      ...target,
      ...table,
      kind: z.enum(['xlsx', 'csv']),
      reasons: z
        .array(
          z.strictObject({ row: count, reason: text, columns: z.array(count).max(MAX_COLUMNS).readonly() }),
        )
        .max(MAX_ROWS)
        .readonly(),
    }),
    savedFile,
  ),
  /** The imports with rows that were sent and not accepted, newest first. */
  'import.notAccepted': call(
    z.strictObject(target),
    z.object({
      imports: z
        .array(z.object({ importId: id, fileName: serviceText, importedAt: isoTime, count }))
        .readonly(),
    }),
  ),
  /** Saves the rows of an import that were not accepted, in the file's own columns, each with the reason. */
  'import.saveNotAccepted': call(
    z.strictObject({ ...target, importId: id, kind: z.enum(['xlsx', 'csv']) }),
    savedFile,
  ),
} as const

export type NotAcceptedImport = z.output<
  (typeof importCalls)['import.notAccepted']['output']
>['imports'][number]

export type DerivedColumn = Readonly<z.output<typeof derivedColumn>>
export type ColumnName = Readonly<z.output<typeof columnName>>
export type ColumnMapping = Readonly<z.output<typeof columnMapping>>
export type SavedMapping = Readonly<
  z.output<(typeof importCalls)['import.savedMappings']['output']>['mappings'][number]
>
export type RememberedChoice = Readonly<z.output<typeof rememberedChoice>>

/** An import whose drafts were sent. */
export type PastImport = Readonly<z.output<typeof pastImport>>
