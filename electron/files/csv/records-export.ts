/**
 * Exports the records of a list as a workbook or CSV file, with when they were read and whether the list is
 * complete.
 */
import type { ExportKind } from '../../../shared/contract/export.ts'
import { localDay } from '../../../shared/format/format.ts'
import type { FieldType } from '../../../shared/records/definition.ts'
import { type AppError, err, ok, type Result } from '../../../shared/result.ts'
import { fileName } from '../file-name.ts'
import { type CellKind, type Negatives, NOTE, PLAIN } from '../workbook/cells.ts'
import type { SheetRow, WorkbookSheet } from '../workbook/sheet.ts'
import { workbookPieces } from '../workbook/workbook.ts'
import { csvPieces, type CsvText } from './csv.ts'

export interface FileColumn {
  /** The field's name from `pathHeading` (`shared/records/fields.ts`), so that the file can be imported again. */
  readonly heading: string
  readonly type: FieldType
}

export interface RecordsExport {
  readonly companyName: string
  /** *Desktop*, *Online*. */
  readonly application: string
  /** The list's title: *Customers*. */
  readonly list: string
  /** When the list was read, in ISO 8601. */
  readonly readAt: string
  /** Describes the filters; empty for the whole list. */
  readonly askedFor: string
  /** Why the list is incomplete; empty if it isn't. */
  readonly partialReason: string
  /** Whether the values include unsent changes. */
  readonly withDrafts: boolean
  readonly columns: readonly FileColumn[]
  /**
   * Reads the cells in canonical form (`shared/records/changes.ts`), with references by full name. Each call
   * starts over.
   */
  readonly rows: () => AsyncIterable<Result<readonly (readonly string[])[]>>
}

/**
 * Returns a file name such as `Company - Customers - 2026-03-31 14-05.xlsx`. An incomplete list is marked `…
 * (partial).xlsx`, unsent changes `… (with drafts).xlsx`, and CSV for programs `… (for programs).csv`.
 */
export function recordsFileName(records: RecordsExport, kind: ExportKind): string {
  const stamp = localMoment(records.readAt).replace(':', '-')
  const remarks = [
    isPartial(records) ? 'partial' : '',
    records.withDrafts ? 'with drafts' : '',
    kind === 'csv-programs' ? 'for programs' : '',
  ].filter(Boolean)
  const last = remarks.length === 0 ? stamp : `${stamp} (${remarks.join(', ')})`
  return fileName([records.companyName, records.list, last], kind === 'xlsx' ? 'xlsx' : 'csv')
}

function isPartial({ partialReason, askedFor }: RecordsExport): boolean {
  return partialReason !== '' || askedFor !== ''
}

/** Returns the warning above the headings; empty if there is none. */
function notice(records: RecordsExport): string {
  const { partialReason, askedFor, withDrafts } = records
  const partial = isPartial(records)
    ? `Not the whole list: ${[askedFor, partialReason].filter(Boolean).join('; ')}.`
    : ''
  return [partial, withDrafts ? 'Includes unsent changes.' : ''].filter(Boolean).join(' ')
}

/** CSV with a line of headings and one line per record, and nothing else, so that it can be imported again. */
export function recordsCsv(
  records: RecordsExport,
  text: CsvText = 'guarded',
): AsyncGenerator<Result<Uint8Array>, void, undefined> {
  return csvPieces(csvRows(records), text)
}

/** A workbook with the list on its first sheet and its origin on the sheet *About*. For `writeFileAtomically`. */
export function recordsWorkbook(
  records: RecordsExport,
  options: { readonly negatives: Negatives; readonly madeAt: string },
): AsyncGenerator<Result<Uint8Array>, void, undefined> {
  const { companyName, list } = records
  const read = localMoment(records.readAt)
  const sheet: WorkbookSheet = {
    name: list,
    above: notice(records) === '' ? [] : [{ cells: [notice(records)], look: NOTE }],
    columns: records.columns.map(({ heading, type }) => ({
      heading,
      kind: kindOf(type),
      width: Math.max(heading.length + 4, WIDTHS[kindOf(type)]),
    })),
    rows: () => sheetRows(records),
    frozenColumns: 1,
    hasFilter: true,
    print: { orientation: 'landscape', header: `${companyName} - ${list}`, footer: `Read ${read}` },
  }
  return workbookPieces([sheet], {
    properties: { title: list, company: companyName, madeAt: options.madeAt },
    negatives: options.negatives,
    about: [
      ['Company', companyName],
      ['Application', records.application],
      ['List', list],
      ['Read', read],
      ['Asked for', records.askedFor === '' ? 'everything' : records.askedFor],
      ['Unsent changes', records.withDrafts ? 'included' : 'not included'],
      ['Whole list', records.partialReason === '' ? 'yes' : `no: ${records.partialReason}`],
    ],
  })
}

const WIDTHS = { text: 20, amount: 16, boolean: 10, moment: 18 } as const satisfies Partial<
  Record<CellKind, number>
>

function kindOf(type: FileColumn['type']): keyof typeof WIDTHS {
  switch (type) {
    case 'money':
      return 'amount'
    case 'boolean':
      return 'boolean'
    case 'timestamp':
      return 'moment'
    case 'text':
    case 'reference':
    case 'address':
    case 'contact':
      return 'text'
  }
}

async function* csvRows(records: RecordsExport): AsyncGenerator<Result<readonly (readonly string[])[]>> {
  yield ok([records.columns.map(({ heading }) => heading)])
  yield* records.rows()
}

async function* sheetRows({ rows }: RecordsExport): AsyncGenerator<Result<readonly SheetRow[]>> {
  for await (const batch of rows()) {
    if (!batch.ok) {
      yield batch
      return
    }
    yield ok(batch.value.map((cells) => ({ cells, look: PLAIN })))
  }
}

/** Formats a time in this computer's zone as `2026-03-31 14:05`. Other text is returned unchanged. */
function localMoment(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  const [hours, minutes] = [at.getHours(), at.getMinutes()].map((value) => String(value).padStart(2, '0'))
  return `${localDay(at)} ${hours}:${minutes}`
}

// A queue of rows between a producer and the file writer that pulls them. Neither gets ahead of the other.

type Rows = readonly (readonly string[])[]

export class RowFeed {
  #waiting: Result<Rows> | null = null
  #isEnded = false
  #isLeft = false
  #change = Promise.withResolvers<undefined>()

  /**
   * Passes rows on after the previous ones were taken.
   * @returns false if the writer has stopped
   */
  give(rows: Rows): Promise<boolean> {
    return this.#put(ok(rows))
  }

  /** Ends the file with an error, so that it isn't saved. */
  fail(error: AppError): Promise<boolean> {
    return this.#put(err(error))
  }

  end(): void {
    this.#isEnded = true
    this.#changed()
  }

  /** Rows for the writer. Call it once. */
  async *rows(): AsyncGenerator<Result<Rows>, void, undefined> {
    try {
      for (;;) {
        while (this.#waiting === null && !this.#isEnded) await this.#change.promise
        const batch = this.#waiting
        if (batch === null) return
        this.#waiting = null
        this.#changed()
        yield batch
        if (!batch.ok) return
      }
    } finally {
      this.leave()
    }
  }

  /** Called when the writer stops, which releases a waiting producer. */
  leave(): void {
    this.#isLeft = true
    this.#changed()
  }

  async #put(batch: Result<Rows>): Promise<boolean> {
    while (this.#waiting !== null && !this.#isLeft) await this.#change.promise
    if (this.#isLeft) return false
    this.#waiting = batch
    this.#changed()
    return true
  }

  #changed(): void {
    const { resolve } = this.#change
    this.#change = Promise.withResolvers()
    resolve(undefined)
  }
}
