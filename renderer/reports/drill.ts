/** Finds the entries behind a row of a statement: which report lists them, and where. */
import type { EntryColumns } from '../../shared/reports/entries.ts'
import {
  countWrongTotals,
  type ReportHead,
  reportNames,
  type ReportRow,
  rowText,
} from '../../shared/reports/reports.ts'
import type { LoadedReport } from './loader.ts'
import { ColumnShapes, widthInLetters } from './table/columns.ts'

/** The report that lists the entries of each account. */
const LEDGER = 'GeneralLedger'
/** Statements by account. The rows of reports by vendor, customer, or employee have no account. */
const OF_ACCOUNTS = /profitandloss|p(?:and)?l(?:and)?balancesheet|balancesheet|trialbalance/i

/** Returns the report that lists the entries behind a statement's rows; `null` if the application has none. */
export function drillTarget(application: string, name: string): string | null {
  return OF_ACCOUNTS.test(name) && !/detail/i.test(name) && reportNames(application).includes(LEDGER)
    ? LEDGER
    : null
}

/** Why the rows of a statement open nothing; `null` where they do, or where no one would expect it. */
export function whyNoDrill(application: string, applicationName: string, name: string): string | null {
  const isStatement = OF_ACCOUNTS.test(name) && !/detail/i.test(name)
  return isStatement && drillTarget(application, name) === null
    ? `${applicationName} has no report that lists the entries behind a row.`
    : null
}

/** Returns the period to request: that of the report, or of the first report in a comparison. */
export function drillPeriod({ making, periods, from, to }: ReportHead): {
  readonly from: string
  readonly to: string
} {
  return making === 'compared' ? (periods[0] ?? { from, to }) : { from, to }
}

/** Whether a row has entries to open. Headings and totals don't, because they cover several accounts. */
export function canDrill(row: ReportRow | undefined): row is ReportRow {
  return row?.kind === 'data' && row.name.trim() !== ''
}

function plain(name: string): string {
  return name.replace(/\s+/g, ' ').trim().toLowerCase()
}

/**
 * Returns an account's own name, without number and parents: *4010 · Income:Design* and *4010 · Design* are the
 * same account.
 */
function lastPart(name: string): string {
  return plain((name.split(':').at(-1) ?? '').replace(/^\s*[\d.-]+\s*[·–—-]?\s*/u, ''))
}

/**
 * Returns the index of the account's heading in the ledger; −1 if it has no entries. Matches by ID, then by
 * full name, then by the last part of the name if only one account has it.
 */
export function findAccount(rows: readonly ReportRow[], account: Pick<ReportRow, 'id' | 'name'>): number {
  const isHeading = ({ kind }: ReportRow): boolean => kind === 'section'
  const byId = account.id === '' ? -1 : rows.findIndex((row) => isHeading(row) && row.id === account.id)
  if (byId >= 0) return byId
  const name = plain(account.name)
  const byName = rows.findIndex((row) => isHeading(row) && plain(row.name) === name)
  if (byName >= 0) return byName
  const alike = rows.flatMap((row, index) =>
    isHeading(row) && lastPart(row.name) === lastPart(account.name) ? [index] : [],
  )
  return alike.length === 1 ? (alike[0] ?? -1) : -1
}

/** Returns the index of a row of an earlier reading: with its values, or else the only one of its name; −1 for none. */
export function findRow(rows: readonly ReportRow[], text: string): number {
  const same = rows.findIndex((row) => rowText(row) === text)
  if (same >= 0) return same
  const named = rows.flatMap((row, index) =>
    text.startsWith(rowText({ ...row, values: [] }).slice(0, -1)) ? [index] : [],
  )
  return named.length === 1 ? (named[0] ?? -1) : -1
}

/** Returns an account's rows as a report of its own, with its total at the bottom. */
export function accountReport(ledger: LoadedReport, account: number): LoadedReport {
  const { head } = ledger
  const level = ledger.rows[account]?.level ?? 0
  let end = account + 1
  while ((ledger.rows[end]?.parent ?? -1) >= account) end += 1
  const rows = ledger.rows.slice(account, end).map((row, at): ReportRow => {
    const isTotal = row.kind === 'subtotal' && row.parent === account && row.level === level
    return {
      ...row,
      kind: isTotal ? 'total' : row.kind,
      level: row.level - level,
      parent: at === 0 || isTotal ? -1 : row.parent - account,
    }
  })
  const shapes = new ColumnShapes(head)
  shapes.add(rows)
  const needed = shapes.columns()
  const columns = ledger.columns.map((column, at) => ({
    ...column,
    width: Math.min(column.width, needed[at]?.width ?? column.width),
  }))
  const findings = head.checks.findings
    .filter(({ row }) => row >= account && row < end)
    .map((finding) => ({ ...finding, row: finding.row - account }))
  return {
    head: { ...head, checks: { ...head.checks, findings, held: heldIn(ledger, rows, findings) } },
    rows,
    columns,
    entries: ledger.entries && fitted(ledger.entries, rows),
  }
}

/** How many of an account's totals agree. If the ledger didn't check every total, it is all that agree there. */
function heldIn(
  { head: { checks }, rows: all }: LoadedReport,
  rows: readonly ReportRow[],
  findings: ReportHead['checks']['findings'],
): number {
  const isEachChecked = sumsOf(all).length === checks.held + countWrongTotals(checks.findings)
  return isEachChecked ? sumsOf(rows).length - countWrongTotals(findings) : checks.held
}

/** Returns the subtotals and totals with a name. */
export function sumsOf(rows: readonly ReportRow[]): readonly ReportRow[] {
  return rows.filter(({ kind, name }) => (kind === 'subtotal' || kind === 'total') && name.trim() !== '')
}

/** The columns of entries, with the widths that these rows need. */
function fitted({ columns, textsOf }: EntryColumns, rows: readonly ReportRow[]): EntryColumns {
  const longest = columns.map(() => 0)
  for (const row of rows) {
    textsOf(row)?.forEach((text, at) => {
      longest[at] = Math.max(longest[at] ?? 0, Math.ceil(widthInLetters(text)))
    })
  }
  return { columns: columns.map((column, at) => ({ ...column, longest: longest[at] ?? 0 })), textsOf }
}

/** Returns the sections to collapse, so that only one account is expanded. */
export function otherSections(rows: readonly ReportRow[], account: number): ReadonlySet<number> {
  const open = new Set<number>()
  for (let at = account; at >= 0; at = rows[at]?.parent ?? -1) open.add(at)
  const folded = new Set<number>()
  rows.forEach((row, index) => {
    const isInside = open.has(row.parent) && row.parent === account
    if (row.kind === 'section' && !open.has(index) && !isInside) folded.add(index)
  })
  return folded
}
