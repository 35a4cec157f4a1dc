/** Evidence for the rules of a review, from the sample's companies or from rows that a test makes. */
import {
  createListedRecordReader,
  type Evidence,
  type FullReport,
  type LedgerFacts,
  type ListedRecord,
  type ReadResult,
} from '../../../electron/review/evidence/evidence.ts'
import { LedgerReader } from '../../../electron/review/ledger-reader.ts'
import { namesInLedger } from '../../../electron/review/lists.ts'
import { planReadings } from '../../../electron/review/plan.ts'
import { reviewMonth } from '../../../electron/review/review.ts'
import { checkReport } from '../../../electron/rows/reports/checks.ts'
import { parseDecimal } from '../../../shared/format/money.ts'
import { columnsOf, levelReport } from '../../../shared/reports/levels.ts'
import type { RawReportRow, ReportRow } from '../../../shared/reports/reports.ts'
import {
  DEFAULT_REVIEW_SETTINGS,
  type Finding,
  type ReviewSettings,
  type RuleOutcome,
} from '../../../shared/review/review.ts'
import type { RuleId, Source } from '../../../shared/review/rules.ts'
import type { Books } from '../../contract/books-agreement.ts'

/** All findings, in order. */
export function findingsOf(outcomes: readonly RuleOutcome[]): readonly Finding[] {
  return outcomes.flatMap((outcome) => (outcome.result === 'found' ? outcome.findings : []))
}

/** All findings as texts, such as *wrong-side: Checking -12*. */
export function found(evidence: Evidence): string[] {
  return findingsOf(reviewMonth(evidence, null)).map(({ rule, subject, amount }) =>
    `${rule}: ${subject} ${amount}`.trim(),
  )
}

/** Evidence with one report changed, or not read. */
export function changed(
  whole: Evidence,
  source: Source,
  change: (statement: FullReport) => FullReport | null,
): Evidence {
  return {
    ...whole,
    statement: (asked) => {
      const read = whole.statement(asked)
      if (asked !== source || !read.ok) return read
      const value = change(read.value)
      return value === null ? { ok: false, reason: 'The service says there is more.' } : { ok: true, value }
    },
  }
}

/** Evidence whose reports have no IDs. */
export function withoutIds(evidence: Evidence): Evidence {
  return {
    ...evidence,
    statement: (source) => {
      const read = evidence.statement(source)
      if (!read.ok) return read
      return { ok: true, value: { ...read.value, rows: read.value.rows.map((row) => ({ ...row, id: '' })) } }
    },
  }
}

/** A statement with other rows, leveled and checked again. */
export function withRows(
  statement: FullReport,
  change: (rows: readonly ReportRow[]) => readonly ReportRow[],
): FullReport {
  const rows = levelReport(change(statement.rows))
  return { ...statement, rows, checks: checkReport(statement.name, statement.columns, rows) }
}

/** Evidence with other records in some lists. */
export function withLists(
  whole: Evidence,
  lists: Partial<Record<Source, readonly ListedRecord[]>>,
): Evidence {
  return {
    ...whole,
    list: (source) => {
      const records = lists[source]
      return records === undefined ? whole.list(source) : { ok: true, value: records }
    },
  }
}

/** Evidence with another general ledger of March 2026. */
export function withLedger(
  whole: Evidence,
  rows: readonly RawReportRow[],
  columns: readonly string[] = ['Entry', 'Debit', 'Credit', 'Balance'],
): Evidence {
  const ledger = statementOf('GeneralLedger', '2026-03-01', '2026-03-31', columns, rows)
  return { ...whole, ledger: { ok: true, value: factsOf(ledger, whole.settings, whole.list) } }
}

function factsOf(ledger: FullReport, { largeEntry }: ReviewSettings, list: Evidence['list']): LedgerFacts {
  const people = (['customers', 'vendors'] as const).flatMap((source) => {
    const read = list(source)
    return read.ok ? read.value : []
  })
  const reader = new LedgerReader(ledger, parseDecimal(largeEntry), namesInLedger(people))
  reader.add(ledger.rows)
  return reader.finish()
}

/** Why a rule was not checked, whole or in part. */
export function reason(evidence: Evidence, rule: RuleId): string {
  return uncheckedIn(reviewMonth(evidence, null).find((each) => each.rule === rule))
}

/** What an outcome says was not checked. */
export function uncheckedIn(outcome: RuleOutcome | undefined): string {
  if (outcome?.result === 'not-checked') return outcome.reason
  return outcome?.result === 'found' ? outcome.unchecked.join(' ') : ''
}

/** A report as the rows worker holds it. */
export function statementOf(
  name: string,
  from: string,
  to: string,
  headings: readonly string[],
  raw: readonly RawReportRow[],
): FullReport {
  const { columns } = columnsOf(headings, raw)
  const rows = levelReport(raw)
  return { name, from, to, columns, rows, checks: checkReport(name, columns, rows) }
}

/** The evidence for a month's review from one of the sample's companies. */
export async function evidenceOf(
  books: Books,
  month: string,
  change: Partial<ReviewSettings> = {},
): Promise<Evidence> {
  const statements = new Map<Source, FullReport>()
  const lists = new Map<Source, readonly ListedRecord[]>()
  for (const { source, kind, name, from, to } of planReadings(books.application, month)) {
    if (kind === 'list') {
      lists.set(source, (await books.records(name)).map(createListedRecordReader(source)))
      continue
    }
    const { Columns, ReportLineData } = await books.report(name, from, to)
    const raw = ReportLineData.map(({ RowType, EntityRef, Values }) => ({
      rowType: RowType,
      name: EntityRef.FullName,
      id: EntityRef.ID,
      values: Values,
    }))
    statements.set(source, statementOf(name, from, to, Columns, raw))
  }
  return evidence(month, statements, lists, change)
}

/** Evidence from statements and lists. Omitted ones were not read. */
function evidence(
  month: string,
  statements: ReadonlyMap<Source, FullReport>,
  lists: ReadonlyMap<Source, readonly ListedRecord[]>,
  change: Partial<ReviewSettings> = {},
  fiscalYearStart = 1,
): Evidence {
  const settings = { ...DEFAULT_REVIEW_SETTINGS, ...change }
  const missing = { ok: false, reason: 'It was not read.' } as const
  const read = <T>(value: T | undefined): ReadResult<T> =>
    value === undefined ? missing : { ok: true, value }
  const ledger = statements.get('ledger')
  const list: Evidence['list'] = (source) => read(lists.get(source))
  return {
    month,
    fiscalYearStart,
    settings,
    closedAt: null,
    foundLastMonth: () => null,
    openBefore: () => [],
    isFirstReading: false,
    isPriorYearOpen: false,
    // As if the month before had been reviewed.
    statement: (source) =>
      source === 'last-kept-profit-and-loss'
        ? missing
        : read(statements.get(source === 'last-kept' ? 'balance-sheet-1' : source)),
    list,
    ledger: read(ledger && factsOf(ledger, settings, list)),
    checkSums: checkReport,
  }
}

// Books of a fictional company, posting by posting, and the reports that an application derives from them.

type Kind = 'asset' | 'liability' | 'equity' | 'income' | 'cogs' | 'expense'

interface Account {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly kind: Kind
  readonly section: string
}

const CHART: readonly Account[] = [
  ['1000', 'Checking', 'Bank', 'asset', 'Checking/Savings'],
  ['1100', 'Accounts Receivable', 'AccountsReceivable', 'asset', 'Accounts Receivable'],
  ['1200', 'Undeposited Funds', 'OtherCurrentAsset', 'asset', 'Other Current Assets'],
  ['1500', 'Equipment', 'FixedAsset', 'asset', 'Fixed Assets'],
  ['1590', 'Accumulated Depreciation', 'FixedAsset', 'asset', 'Fixed Assets'],
  ['2000', 'Accounts Payable', 'AccountsPayable', 'liability', 'Accounts Payable'],
  ['2100', 'Company Card', 'CreditCard', 'liability', 'Credit Cards'],
  ['2200', 'Sales Tax Payable', 'OtherCurrentLiability', 'liability', 'Other Current Liabilities'],
  ['2300', 'Payroll Liabilities', 'OtherCurrentLiability', 'liability', 'Other Current Liabilities'],
  ['2500', 'Truck Loan', 'LongTermLiability', 'liability', 'Long Term Liabilities'],
  ['3000', 'Opening Balance Equity', 'Equity', 'equity', 'Equity'],
  ['3100', 'Retained Earnings', 'Equity', 'equity', 'Equity'],
  ['3200', 'Owner’s Equity', 'Equity', 'equity', 'Equity'],
  ['3300', 'Owner’s Draws', 'Equity', 'equity', 'Equity'],
  ['4000', 'Sales', 'Income', 'income', 'Income'],
  ['4100', 'Services', 'Income', 'income', 'Income'],
  ['5000', 'Materials', 'CostOfGoodsSold', 'cogs', 'Cost of Goods Sold'],
  ['6000', 'Rent', 'Expense', 'expense', 'Expense'],
  ['6100', 'Wages', 'Expense', 'expense', 'Expense'],
  ['6200', 'Interest Expense', 'Expense', 'expense', 'Expense'],
  ['6300', 'Telephone', 'Expense', 'expense', 'Expense'],
  ['6400', 'Software', 'Expense', 'expense', 'Expense'],
  ['6500', 'Depreciation', 'Expense', 'expense', 'Expense'],
  ['6600', 'Travel', 'Expense', 'expense', 'Expense'],
  ['6900', 'Uncategorized Expense', 'Expense', 'expense', 'Expense'],
].map(([id = '', name = '', type = '', kind = '', section = '']) => ({
  id,
  name,
  type,
  kind: kind as Kind,
  section,
}))

export interface Entry {
  readonly date: string
  readonly type: string
  readonly number: string
  readonly name: string
  /** Account ID and cents, debits positive. */
  readonly lines: readonly (readonly [account: string, cents: number])[]
  readonly memo?: string
  readonly className?: string
  readonly customer?: string
  readonly due?: string
}

export interface MadeBooks {
  readonly entries: readonly Entry[]
  readonly lists: ReadonlyMap<Source, readonly ListedRecord[]>
  /** Yearly budget by account, cents a month. */
  readonly budget: ReadonlyMap<string, number>
  /** Whose IDs the rows of the ledger have; no one’s by default. */
  readonly ledgerIds?: 'account' | 'name'
  /** Whether entries of the ledger name their other account, as *-SPLIT-* if there are several. */
  readonly hasOtherAccounts?: boolean
}

const MONTHS = [
  '2025-01',
  '2025-02',
  '2025-03',
  '2025-04',
  '2025-05',
  '2025-06',
  '2025-07',
  '2025-08',
].concat(['2025-09', '2025-10', '2025-11', '2025-12', '2026-01', '2026-02', '2026-03'])

const REVIEWED = '2026-03'

export function record(id: string, name: string, change: Partial<ListedRecord> = {}): ListedRecord {
  return {
    id,
    name,
    fullName: name,
    parentId: '',
    type: '',
    currency: '',
    isActive: true,
    hasStatus: true,
    hasAddress: true,
    hasTaxId: true,
    is1099: false,
    phone: '',
    email: '',
    ...change,
  }
}

/**
 * Clean books over 15 months.
 * @param wobble a factor around 1 for each amount, by account and month
 */
export function makeBooks(wobble: (account: string, month: number) => number = () => 1): MadeBooks {
  const entries: Entry[] = [
    entry('2025-01-01', 'Journal', 'J1', 'Opening', [
      ['1000', 5_000_000],
      ['1500', 2_400_000],
      ['2500', -2_000_000],
      ['3200', -5_400_000],
    ]),
  ]
  MONTHS.forEach((month, at) => {
    const amount = (account: string, cents: number): number => Math.round(cents * wobble(account, at)) + at
    const add = (
      day: string,
      type: string,
      name: string,
      lines: Entry['lines'],
      more: Partial<Entry> = {},
    ): void => {
      entries.push({
        ...entry(`${month}-${day}`, type, `${month}-${String(entries.length)}`, name, lines),
        ...more,
      })
    }
    const [sales, services] = [amount('4000', 1_200_000), amount('4100', 400_000)]
    const tax = amount('2200', 90_000)
    const due = `${month}-28`
    add(
      '03',
      'Invoice',
      'Ash Bakery',
      [
        ['1100', sales + tax],
        ['4000', -sales],
        ['2200', -tax],
      ],
      { className: 'North', customer: 'c1', due },
    )
    add(
      '05',
      'Invoice',
      'Beech & Co.',
      [
        ['1100', services],
        ['4100', -services],
      ],
      { className: 'South', customer: 'c2', due },
    )
    add(
      '20',
      'Payment',
      'Ash Bakery',
      [
        ['1000', sales + tax],
        ['1100', -sales - tax],
      ],
      { customer: 'c1', due },
    )
    add(
      '22',
      'Payment',
      'Beech & Co.',
      [
        ['1000', services],
        ['1100', -services],
      ],
      { customer: 'c2', due },
    )
    const materials = amount('5000', 450_000)
    add(
      '07',
      'Bill',
      'Cedar Supply',
      [
        ['5000', materials],
        ['2000', -materials],
      ],
      { className: 'North' },
    )
    if (at > 0)
      add('12', 'Check', 'Cedar Supply', [
        ['2000', Math.round(materials / 2)],
        ['1000', -Math.round(materials / 2)],
      ])
    add('01', 'Check', 'Dogwood Realty', [
      ['6000', amount('6000', 250_000)],
      ['1000', -amount('6000', 250_000)],
    ])
    add('15', 'Paycheck', 'Elm, Rosa', [
      ['6100', amount('6100', 520_000)],
      ['1000', -amount('6100', 520_000)],
    ])
    add('16', 'Check', 'Fir Bank', [
      ['2500', 30_000 + at],
      ['6200', amount('6200', 9_000)],
      ['1000', -30_000 - at - amount('6200', 9_000)],
    ])
    add('18', 'Charge', 'Gum Telecom', [
      ['6300', amount('6300', 42_000)],
      ['2100', -amount('6300', 42_000)],
    ])
    add('19', 'Charge', 'Holly Software', [
      ['6400', amount('6400', 38_000)],
      ['2100', -amount('6400', 38_000)],
    ])
    add('25', 'Check', 'Card Services', [
      ['2100', 60_000 + at],
      ['1000', -60_000 - at],
    ])
    if (at > 0)
      add('26', 'Check', 'State Tax Agency', [
        ['2200', 70_000 + at],
        ['1000', -70_000 - at],
      ])
    add('28', 'Journal', 'Depreciation', [
      ['6500', 20_000],
      ['1590', -20_000],
    ])
  })
  return {
    entries,
    budget: new Map(
      [...CHART]
        .filter(({ kind }) => kind === 'expense' || kind === 'cogs')
        .map(({ id }) => [
          id,
          id === '5000'
            ? 470_000
            : id === '6100'
              ? 540_000
              : id === '6000'
                ? 260_000
                : id === '6600' || id === '6900'
                  ? 0
                  : 50_000,
        ]),
    ),
    lists: new Map<Source, readonly ListedRecord[]>([
      ['accounts', CHART.map(({ id, name, type }) => record(id, name, { type }))],
      [
        'customers',
        [
          record('c1', 'Ash Bakery', { phone: '503-555-0101', email: 'owner@ash.example' }),
          record('c2', 'Beech & Co.', { phone: '503-555-0102' }),
        ],
      ],
      ['vendors', [record('v1', 'Cedar Supply', { is1099: true }), record('v2', 'Dogwood Realty')]],
    ]),
  }
}

export function entry(
  date: string,
  type: string,
  number: string,
  name: string,
  lines: Entry['lines'],
): Entry {
  return { date, type, number, name, lines }
}

/** An entry with one debit and one credit. */
export function transfer(
  date: string,
  type: string,
  number: string,
  name: string,
  debited: string,
  credited: string,
  cents: number,
): Entry {
  return entry(date, type, number, name, [
    [debited, cents],
    [credited, -cents],
  ])
}

const cents = (value: number): string => {
  const digits = String(Math.abs(value)).padStart(3, '0')
  return `${value < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
export const raw = (rowType: string, name: string, id: string, ...values: string[]): RawReportRow => ({
  rowType,
  name,
  id,
  values,
})

interface Posting {
  readonly date: string
  readonly amount: number
  readonly className: string | undefined
}

/** The postings of each account. */
type Postings = ReadonlyMap<string, readonly Posting[]>

function postingsOf({ entries }: MadeBooks): Postings {
  const postings = entries.flatMap(({ date, className, lines }) =>
    lines.map(([id, amount]) => ({ id, date, amount, className })),
  )
  return Map.groupBy(postings, ({ id }) => id)
}

function balance(postings: Postings, account: string, from: string, to: string): number {
  let sum = 0
  for (const { date, amount } of postings.get(account) ?? []) if (date >= from && date <= to) sum += amount
  return sum
}

const earned = (postings: Postings, from: string, to: string): number =>
  -CHART.filter(({ kind }) => !['asset', 'liability', 'equity'].includes(kind)).reduce(
    (sum, { id }) => sum + balance(postings, id, from, to),
    0,
  )

/** The sums of each column, in a row of this type and name. Blank columns stay blank. */
export function sumRow(rowType: string, name: string, rows: readonly RawReportRow[]): RawReportRow {
  const columns = Math.max(0, ...rows.map(({ values }) => values.length))
  const sums = Array.from({ length: columns }, (_, at) => {
    const amounts = rows.flatMap(({ values }) => (values[at] ? [Math.round(Number(values[at]) * 100)] : []))
    return amounts.length === 0 ? '' : cents(amounts.reduce((sum, amount) => sum + amount, 0))
  })
  return raw(rowType, name, '', ...sums)
}

/** Rows of a statement: sections with their accounts and totals. */
function sections(
  kinds: readonly Kind[],
  title: string,
  valuesOf: (account: Account) => readonly string[],
): RawReportRow[] {
  const accounts = CHART.filter(({ kind }) => kinds.includes(kind))
  const names = [...new Set(accounts.map(({ section }) => section))]
  const all = accounts.map((account) => ({
    section: account.section,
    row: raw('DataRow', account.name, account.id, ...valuesOf(account)),
  }))
  return [
    raw('TextRow', title, ''),
    ...names.flatMap((name) => {
      const rows = all.filter(({ section }) => section === name).map(({ row }) => row)
      return [raw('TextRow', name, ''), ...rows, sumRow('SubtotalRow', `Total ${name}`, rows)]
    }),
    sumRow(
      'SubtotalRow',
      `Total ${title}`,
      all.map(({ row }) => row),
    ),
  ]
}

function otherAccount(
  { hasOtherAccounts = false }: MadeBooks,
  { id }: Account,
  lines: Entry['lines'],
): string {
  if (!hasOtherAccounts) return ''
  const [one, ...more] = new Set(lines.map(([account]) => account).filter((account) => account !== id))
  return more.length > 0 ? '-SPLIT-' : (CHART.find((each) => each.id === one)?.name ?? '')
}

const lastDay = (month: string): string => {
  const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()
  return `${month}-${String(last)}`
}

/** Evidence for the review of March 2026, or of another month and fiscal year. */
export function evidenceOfMade(
  books: MadeBooks,
  change: Partial<ReviewSettings> = {},
  month = REVIEWED,
  fiscalYearStart = 1,
): Evidence {
  const START = '2000-01-01'
  const postings = postingsOf(books)
  const earlier = (count: number, of = month): string =>
    new Date(Date.UTC(Number(of.slice(0, 4)), Number(of.slice(5)) - 1 - count)).toISOString().slice(0, 7)
  const yearOf = (of: string): string =>
    `${earlier((Number(of.slice(5)) - fiscalYearStart + 12) % 12, of)}-01`
  const balanceSheet = (month: string): FullReport => {
    const to = lastDay(month)
    const year = yearOf(month)
    const before = earned(postings, START, lastDay(earlier(1, year.slice(0, 7))))
    const value =
      (sign: 1 | -1) =>
      ({ id }: Account): string[] => [
        cents(sign * balance(postings, id, START, to) + (id === '3100' ? before : 0)),
      ]
    const equity = [
      ...sections(['equity'], 'Equity', value(-1)).slice(2, -2),
      raw('DataRow', 'Net Income', '', cents(earned(postings, year, to))),
    ]
    const rows = [
      ...sections(['asset'], 'Assets', value(1)),
      ...sections(['liability'], 'Liabilities', value(-1)),
      ...[raw('TextRow', 'Equity', ''), ...equity, sumRow('SubtotalRow', 'Total Equity', equity)],
    ]
    return statementOf('BalanceSheet', `${month}-01`, to, ['Account', to], rows)
  }
  const to = lastDay(month)
  const from = `${month}-01`
  const window = Array.from({ length: 13 }, (_, at) => earlier(12 - at))
  const ledger: RawReportRow[] = CHART.flatMap((account) => [
    raw('TextRow', account.name, account.id),
    ...books.entries
      .filter(({ date }) => date.startsWith(month) || date > to)
      .flatMap(({ date, type, number, name, lines, memo = '' }) =>
        lines
          .filter(([id]) => id === account.id)
          .map(([, amount]) =>
            raw(
              'DataRow',
              [date, type, number, name, memo, otherAccount(books, account, lines)]
                .filter((word) => word !== '')
                .join(', '),
              { account: account.id, name, none: '' }[books.ledgerIds ?? 'none'],
              amount > 0 ? cents(amount) : '',
              amount < 0 ? cents(-amount) : '',
              '',
            ),
          ),
      ),
    raw('SubtotalRow', `Total ${account.name}`, '', '', '', ''),
  ])
  const owed = new Map<string, number[]>()
  for (const { customer, due = '', date, lines } of books.entries) {
    if (customer === undefined || date > to) continue
    const values = owed.get(customer) ?? [0, 0]
    owed.set(customer, values)
    const late = (Date.parse(to) - Date.parse(due)) / 86_400_000 > 90 ? 1 : 0
    for (const [id, amount] of lines) if (id === '1100') values[late] = (values[late] ?? 0) + amount
  }
  const names = new Map(books.lists.get('customers')?.map(({ id, name }) => [id, name]))
  const statement = (name: string, columns: readonly string[], rows: readonly RawReportRow[]): FullReport =>
    statementOf(name, name === 'ProfitAndLoss' ? `${window[0] ?? ''}-01` : from, to, columns, rows)
  const byClass = (account: string, className: string | undefined): number => {
    let sum = 0
    for (const each of postings.get(account) ?? [])
      if (each.date.startsWith(month) && each.className === className) sum += each.amount
    return sum
  }
  const sign = ({ kind }: Account): 1 | -1 => (kind === 'income' ? -1 : 1)
  const result = (valuesOf: (account: Account) => readonly string[]): RawReportRow[] => [
    ...sections(['income'], 'Income', valuesOf).slice(1, -1),
    ...sections(['cogs'], 'Cost of Goods Sold', valuesOf).slice(1, -1),
    ...sections(['expense'], 'Expense', valuesOf).slice(1, -1),
  ]
  const short = (month: string): string =>
    `${['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][Number(month.slice(5)) - 1] ?? ''} ${month.slice(0, 4)}`
  const before = earned(postings, START, lastDay(earlier(1, yearOf(month).slice(0, 7))))
  const trial = CHART.map(({ id, name, kind }) => {
    const since = ['asset', 'liability', 'equity'].includes(kind) ? START : yearOf(month)
    const debit = balance(postings, id, since, to) - (id === '3100' ? before : 0)
    return raw('DataRow', name, id, cents(Math.max(debit, 0)), cents(Math.max(-debit, 0)))
  })
  return evidence(
    month,
    new Map<Source, FullReport>([
      ['trial-balance', statement('TrialBalance', ['Account', 'Debit', 'Credit'], trial)],
      ['balance-sheet', balanceSheet(month)],
      ['balance-sheet-1', balanceSheet(earlier(1))],
      ['balance-sheet-2', balanceSheet(earlier(2))],
      ['balance-sheet-12', balanceSheet(earlier(12))],
      [
        'profit-and-loss',
        statement(
          'ProfitAndLoss',
          ['Account', ...window.map(short), 'Total'],
          result((account) => {
            const values = window.map(
              (month) => sign(account) * balance(postings, account.id, `${month}-01`, lastDay(month)),
            )
            return [...values, values.reduce((sum, value) => sum + value, 0)].map(cents)
          }),
        ),
      ],
      [
        'receivables',
        statement(
          'AgedReceivables',
          ['Customer', 'Up to 90', '91 and over', 'Total'],
          [...owed].map(([id, [current = 0, late = 0]]) =>
            raw('DataRow', names.get(id) ?? id, id, cents(current), cents(late), cents(current + late)),
          ),
        ),
      ],
      [
        'vendor-expenses',
        statement(
          'VendorExpenses',
          ['Vendor', 'Total'],
          (books.lists.get('vendors') ?? []).map(({ id, name }) => raw('DataRow', name, id, '100.00')),
        ),
      ],
      [
        'by-class',
        statement(
          'ProfitAndLossByClass',
          ['Account', 'North', 'South', 'Unclassified', 'Total'],
          result((account) =>
            ['North', 'South', undefined].map((each) => cents(sign(account) * byClass(account.id, each))),
          ),
        ),
      ],
      [
        'budget',
        statement(
          'ProfitAndLossBudgetVsActual',
          ['Account', 'Actual', 'Budget', '$ Over Budget', '% of Budget'],
          result((account) => [
            cents(sign(account) * balance(postings, account.id, from, to)),
            cents(books.budget.get(account.id) ?? 0),
            '',
            '',
          ]),
        ),
      ],
      ['ledger', statement('GeneralLedger', ['Entry', 'Debit', 'Credit', 'Balance'], ledger)],
    ]),
    books.lists,
    change,
    fiscalYearStart,
  )
}
