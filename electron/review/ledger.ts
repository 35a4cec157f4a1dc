/**
 * Rules about single entries. A general ledger may have hundreds of thousands of rows, so it is read once, in
 * pieces, into the facts that the rules use.
 */
import {
  type Decimal,
  absoluteDecimal,
  compareDecimals,
  isZero,
  parseDecimal,
} from '../../shared/format/money.ts'
import { notASum } from '../../shared/reports/columns.ts'
import { parseIsoDate } from '../../shared/reports/periods.ts'
import { type ReportRow, reportTitle } from '../../shared/reports/reports.ts'
import { type FindingRow, says } from '../../shared/review/review.ts'
import {
  type Evidence,
  type LedgerEntry,
  type LedgerFacts,
  type Report,
  type Statement,
  NOTHING,
  NotChecked,
  linesOf,
  need,
  rowOf,
} from './evidence.ts'

export interface LedgerReader {
  add(rows: readonly ReportRow[]): void
  finish(): LedgerFacts
}

/** Limit on entries of one kind. */
const MOST_ENTRIES = 200
/** Limit on texts of dates that are remembered. */
const MOST_DATES = 10_000

/** The rows of one transaction, and the account that each is in. */
interface Transaction {
  readonly title: string
  readonly rows: ReportRow[]
  readonly accounts: string[]
}

/**
 * Creates a reader of the ledger.
 * @param largeEntry the amount from which entries are listed; `null` for none
 */
export function createLedgerReader(
  { name, from, to, columns }: Pick<Statement, 'name' | 'from' | 'to' | 'columns'>,
  largeEntry: Decimal | null,
): LedgerReader {
  const amountColumns = columns.flatMap((_, at) => (notASum(name, columns, at) === null ? [at] : []))
  const dateColumn = columns.findIndex((heading) => /\bdate\b/i.test(heading))
  const transactions = new Map<string, Transaction>()
  const outside = new Map<string, LedgerEntry>()
  const large = new Map<string, LedgerEntry>()
  let account = ''
  let [count, dated] = [0, 0]
  const shown = (row: ReportRow): FindingRow => ({
    report: reportTitle(name),
    reportName: name,
    from,
    to,
    columns,
    name: row.name,
    values: row.values,
  })
  const keep = (entries: Map<string, LedgerEntry>, key: string, entry: LedgerEntry): void => {
    if (entries.has(key) || entries.size < MOST_ENTRIES) entries.set(key, entries.get(key) ?? entry)
  }
  /** The first amount that isn't zero. */
  const amountOf = ({ values }: ReportRow): Decimal | null => {
    for (const at of amountColumns) {
      const amount = parseDecimal(values[at]?.trim() ?? '')
      if (amount !== null && !isZero(amount)) return amount
    }
    return null
  }
  const postingsOf = ({ rows, accounts }: Transaction): readonly string[] =>
    rows.map(({ values }, place) =>
      [accounts[place], ...amountColumns.map((at) => values[at]?.trim() ?? '')].join('|'),
    )
  /** As its row with the largest amount shows it. */
  const entryOf = ({ title, rows }: Transaction): LedgerEntry | null => {
    let largest: LedgerEntry | null = null
    for (const row of rows) {
      const amount = amountOf(row)
      if (amount === null || (largest !== null && !isLarger(amount, largest.amount))) continue
      largest = { title, amount, row: shown(row) }
    }
    return largest
  }
  /** The rows of a month have few dates. */
  const dates = new Map<string, string | null>()
  const dateIn = (text: string): string | null => {
    const known = dates.get(text)
    if (known !== undefined) return known
    const date = dateOf(text)
    if (dates.size < MOST_DATES) dates.set(text, date)
    return date
  }
  return {
    add(rows) {
      for (const row of rows) {
        if (row.kind === 'section') account = row.id === '' ? row.name : row.id
        if (row.kind !== 'data') continue
        const amount = amountOf(row)
        // An opening balance isn't an entry.
        if (amount === null) continue
        count += 1
        const date = dateIn(dateColumn >= 0 ? (row.values[dateColumn] ?? '') : firstWords(row.name, 1))
        if (date === null) continue
        dated += 1
        const title = firstWords(row.name, 4)
        const known = transactions.get(title)
        if (known === undefined) transactions.set(title, { title, rows: [row], accounts: [account] })
        else {
          known.rows.push(row)
          known.accounts.push(account)
        }
        if (date < from || date > to) keep(outside, title, { title, amount, row: shown(row) })
        if (largeEntry !== null && !isLarger(largeEntry, amount)) {
          keep(large, title, { title, amount, row: shown(row) })
        }
      }
    },
    finish() {
      const doubled = [...transactions.values()]
        // Two postings, twice each.
        .filter((each) => each.rows.length >= 4 && isDoubled(postingsOf(each), each.rows))
        .slice(0, MOST_ENTRIES)
        .flatMap((each) => entryOf(each) ?? [])
      return { rows: count, dated, doubled, outside: [...outside.values()], large: [...large.values()] }
    },
  }
}

/** Returns the first words of an entry's name, with the commas between them. */
function firstWords(name: string, count: number): string {
  let end = -1
  for (let words = 0; words < count; words += 1) {
    end = name.indexOf(', ', end + 1)
    if (end < 0) return name
  }
  return name.slice(0, end)
}

function isLarger(one: Decimal, other: Decimal): boolean {
  return compareDecimals(absoluteDecimal(one), absoluteDecimal(other)) > 0
}

/**
 * All of its postings are there a whole number of times, and more than once. An invoice with two equal lines is not
 * doubled: its total is there once. A transaction that the ledger shows in one account only can't be judged.
 */
function isDoubled(postings: readonly string[], rows: readonly ReportRow[]): boolean {
  const counts = new Map<string, number>()
  for (const posting of postings) counts.set(posting, (counts.get(posting) ?? 0) + 1)
  if (counts.size < 2 || counts.size === postings.length) return false
  return [...counts.values()].reduce(commonDivisor) > 1 && !areOfSeveral(rows)
}

/**
 * Whether the rows belong to several people with similar names, who have different IDs and different names with
 * each.
 */
function areOfSeveral(rows: readonly ReportRow[]): boolean {
  const ids = new Map<string, Set<string>>()
  for (const { id, name } of rows) ids.set(id, (ids.get(id) ?? new Set()).add(name))
  const names = [...ids.values()].flatMap((each) => [...each])
  return ids.size > 1 && new Set(names).size === names.length
}

function commonDivisor(left: number, right: number): number {
  return right === 0 ? left : commonDivisor(right, left % right)
}

/** Parses a date in the format `yyyy-mm-dd` or `mm/dd/yyyy`; `null` for anything else. */
function dateOf(text: string): string | null {
  const iso = text.trim().slice(0, 10)
  if (parseIsoDate(iso) !== null) return iso
  const parts = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text.trim())
  if (!parts) return null
  const [, month = '', day = '', year = ''] = parts
  const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return parseIsoDate(written) === null ? null : written
}

/** Returns the facts about the ledger, if enough of it is readable. */
function facts(evidence: Evidence, report: Report): LedgerFacts {
  const ledger = need(evidence.ledger)
  if (ledger.rows > 0 && ledger.dated === 0) {
    throw new NotChecked('The dates of the entries can’t be read in this general ledger.')
  }
  if (ledger.dated < ledger.rows) {
    report.unchecked.add(`${String(ledger.rows - ledger.dated)} entries have no date that can be read.`)
  }
  return ledger
}

export function enteredTwice(evidence: Evidence, report: Report): void {
  for (const { title, amount, row } of facts(evidence, report).doubled) {
    report.find(
      { key: title, name: title },
      {
        severity: 'likely',
        amount: absoluteDecimal(amount),
        detail: says`It is in every one of its accounts twice or more.`,
        row,
      },
    )
  }
}

export function outsidePeriod(evidence: Evidence, report: Report): void {
  for (const { title, amount, row } of facts(evidence, report).outside) {
    report.find(
      { key: title, name: title },
      {
        severity: 'likely',
        amount,
        detail: says`The ledger of this month holds an entry of another date.`,
        row,
      },
    )
  }
}

export function largeEntries(evidence: Evidence, report: Report): void {
  const { largeEntry } = evidence.settings
  if (parseDecimal(largeEntry) === null) throw new NotChecked('No amount is set for large entries.')
  for (const { title, amount, row } of facts(evidence, report).large) {
    report.find(
      { key: title, name: title },
      {
        severity: 'check',
        amount,
        detail: /^-?\d*000(?:\.0+)?$/.test(amount)
          ? says`A round amount.`
          : says`At least ${{ amount: largeEntry }}.`,
        row,
      },
    )
  }
}

/** Reports entries of the audit trail that weren't in the copy saved when the month was closed. */
export function changedAfterClose(evidence: Evidence, kept: Statement | null, report: Report): void {
  const now = need(evidence.statement('audit-trail'))
  if (kept === null) throw new NotChecked('No audit trail was kept when the month was closed.')
  const text = ({ row }: { row: ReportRow }): string => JSON.stringify([row.name, row.values])
  const known = new Map<string, number>()
  for (const line of linesOf(kept)) known.set(text(line), (known.get(text(line)) ?? 0) + 1)
  for (const line of linesOf(now)) {
    const left = known.get(text(line)) ?? 0
    known.set(text(line), left - 1)
    if (left > 0) continue
    const amount = line.row.values.map((value) => parseDecimal(value.trim())).find((each) => each !== null)
    report.find(
      { key: text(line), name: line.name },
      {
        severity: 'likely',
        amount: amount ?? NOTHING,
        detail: says`Not in the audit trail when the month was closed.`,
        row: rowOf(now, line.row),
      },
    )
  }
  for (const line of linesOf(kept)) {
    if ((known.get(text(line)) ?? 0) <= 0) continue
    known.set(text(line), 0)
    report.find(
      { key: `gone|${text(line)}`, name: line.name },
      {
        severity: 'likely',
        amount: NOTHING,
        detail: says`No longer in the audit trail.`,
        row: rowOf(kept, line.row),
      },
    )
  }
}
