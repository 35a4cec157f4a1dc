/** From a row of a statement to the entries behind it: which ledger holds them, and where they stand in it. Pure. */
import { reportNames, type ReportHead, type ReportRow } from '../../shared/reports/reports.ts'

/** The report that lists the entries of each account. */
const LEDGER = 'GeneralLedger'
/** Statements of accounts; reports by vendor, customer or employee have no account on their rows. */
const OF_ACCOUNTS = /profitandloss|p(?:and)?l(?:and)?balancesheet|balancesheet|trialbalance/i

/** The report that an application has behind a statement's rows; `null` where it has none. */
export function reportBehind(application: string, name: string): string | null {
  return OF_ACCOUNTS.test(name) && !/detail/i.test(name) && reportNames(application).includes(LEDGER)
    ? LEDGER
    : null
}

/** The days to ask for: those of the report, or of the first one that it was made of. */
export function daysBehind({ making, periods, from, to }: ReportHead): {
  readonly from: string
  readonly to: string
} {
  return making === 'compared' ? (periods[0] ?? { from, to }) : { from, to }
}

/** Only rows of their own; what a heading or a sum stands for is in several accounts. */
export function canDrill(row: ReportRow | undefined): row is ReportRow {
  return row?.kind === 'data' && row.name.trim() !== ''
}

function plain(name: string): string {
  return name.replace(/\s+/g, ' ').trim().toLowerCase()
}

/** *4010 · Income:Design* and *4010 · Design* are one account: its own name, without its number and its parents. */
function lastPart(name: string): string {
  return plain((name.split(':').at(-1) ?? '').replace(/^\s*[\d.-]+\s*[·–—-]?\s*/u, ''))
}

/**
 * The account's heading in the ledger, as an index into its rows; −1 when it has no entries there. By id, else by the
 * whole name, else by the name's last part where only one account has it.
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

/** The sections to fold so that one account stands open among the others' names. */
export function allButAccount(rows: readonly ReportRow[], account: number): ReadonlySet<number> {
  const open = new Set<number>()
  for (let at = account; at >= 0; at = rows[at]?.parent ?? -1) open.add(at)
  const folded = new Set<number>()
  rows.forEach((row, index) => {
    const isInside = open.has(row.parent) && row.parent === account
    if (row.kind === 'section' && !open.has(index) && !isInside) folded.add(index)
  })
  return folded
}
