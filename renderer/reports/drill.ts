/** Finds the entries behind a row of a statement: which report lists them, and where. */
import { type ReportHead, reportNames, type ReportRow, rowText } from '../../shared/reports/reports.ts'

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
