// The shapes of section 2.7, and a builder that keeps sections in step: what is opened is closed.
import { type Day, formatDay } from '../calendar.ts'
import { type Cents, formatCents } from '../cents.ts'
import { type Company } from '../company.ts'

/** A row of `ReportLineData`. */
export interface ReportRow {
  readonly RowType: 'TextRow' | 'DataRow' | 'SubtotalRow' | 'TotalRow'
  readonly EntityRef: { readonly FullName: string; readonly ID: string }
  readonly Values: readonly string[]
}

/** The Object of a content item of Kind report. */
export interface Report {
  readonly ReportType: string
  readonly StartDate: string
  readonly EndDate: string
  readonly Columns: readonly string[]
  readonly ReportLineData: readonly ReportRow[]
}

/** What a report is asked for: both days included. */
export interface ReportRequest {
  readonly company: Company
  readonly start: Day
  readonly end: Day
}

/** Columns and rows; the name and period are put around them. */
export interface ReportBody {
  /** The first heading is for the row's name: one more than each row has values. */
  readonly columns: readonly string[]
  readonly rows: readonly ReportRow[]
}

/** Gathers rows in order. */
export interface RowWriter {
  readonly rows: readonly ReportRow[]
  open(name: string, id?: string): void
  data(name: string, values: readonly string[], id?: string): void
  /** Closes the innermost open section. */
  close(name: string, values: readonly string[], id?: string): void
  /** A line at the top level; throws when a section is open. */
  total(name: string, values: readonly string[]): void
}

/** A writer with no rows yet. */
export function createRowWriter(): RowWriter {
  const rows: ReportRow[] = []
  let depth = 0
  const add = (
    RowType: ReportRow['RowType'],
    FullName: string,
    ID: string,
    Values: readonly string[],
  ): void => {
    rows.push({ RowType, EntityRef: { FullName, ID }, Values })
  }
  return {
    rows,
    open: (name, id = '') => {
      depth++
      add('TextRow', name, id, [])
    },
    data: (name, values, id = '') => {
      add('DataRow', name, id, values)
    },
    close: (name, values, id = '') => {
      if (depth === 0) throw new RangeError(`No section is open for "${name}"`)
      depth--
      add('SubtotalRow', name, id, values)
    },
    total: (name, values) => {
      if (depth !== 0) throw new RangeError(`A section is still open at "${name}"`)
      add('TotalRow', name, '', values)
    },
  }
}

/** Puts the name and the period around a report's body. */
export function reportOf(name: string, request: ReportRequest, body: ReportBody): Report {
  return {
    ReportType: name,
    StartDate: `${formatDay(request.start)}T00:00:00+00:00`,
    EndDate: `${formatDay(request.end)}T00:00:00+00:00`,
    Columns: body.columns,
    ReportLineData: body.rows,
  }
}

/** Amounts, one for each column. */
export type Amounts = readonly Cents[]

/** Amounts as texts with two decimals. */
export function written(amounts: Amounts): string[] {
  return amounts.map(formatCents)
}

/** Adds amounts column by column. */
export function added(width: number, ...many: readonly Amounts[]): Cents[] {
  return Array.from({ length: width }, (_, column) => many.reduce((sum, one) => sum + (one[column] ?? 0), 0))
}

/** The amounts with the other sign; nothing stays nothing. */
export function negated(amounts: Amounts): Cents[] {
  return amounts.map((cents) => (cents === 0 ? 0 : -cents))
}
