/** Reports of other applications: without IDs, with accounts named by their parents, with entries for customers. */
import { describe, expect, it } from 'vitest'
import { acceptanceKey, decisionsIn, type DecisionStore } from '../../../electron/app/review/decisions.ts'
import { changeSize } from '../../../electron/app/review/watch.ts'
import { withSharedKeys } from '../../../electron/review/account-names.ts'
import { compareStatements, isComparable } from '../../../electron/review/compare.ts'
import {
  createListedRecordReader,
  type Evidence,
  type FullReport,
  type ListedRecord,
} from '../../../electron/review/evidence/evidence.ts'
import { type Line, linesOf } from '../../../electron/review/evidence/lines.ts'
import { monthColumns } from '../../../electron/review/evidence/month-columns.ts'
import { reviewMonth } from '../../../electron/review/review.ts'
import type { KeptOutcome } from '../../../shared/contract/review.ts'
import { levelReport } from '../../../shared/reports/levels.ts'
import type { RawReportRow, ReportRow } from '../../../shared/reports/reports.ts'
import type { ChangedAmount, Finding } from '../../../shared/review/review.ts'
import type { RuleId } from '../../../shared/review/rules.ts'
import {
  changed,
  type Entry,
  evidenceOfMade,
  findingsOf,
  found,
  makeBooks,
  raw,
  reason,
  record,
  statementOf,
  sumRow,
  transfer,
  withLedger,
  withLists,
  withoutIds,
  withRows,
} from './books.ts'

const CLEAN = makeBooks()

function replaceRow(
  name: string,
  rowsOf: (row: ReportRow) => readonly Partial<ReportRow>[],
): (statement: FullReport) => FullReport {
  return (statement) =>
    withRows(statement, (rows) =>
      rows.flatMap((row) => (row.name === name ? rowsOf(row).map((each) => ({ ...row, ...each })) : [row])),
    )
}

function ofRule(evidence: Evidence, rule: RuleId): readonly string[] {
  return found(evidence).filter((each) => each.startsWith(`${rule}:`))
}

/** Values that add up to those of a row: 50.00 in each month, and the rest. */
function split(values: readonly string[]): readonly [readonly string[], readonly string[]] {
  const dollars = (cents: number): string => (cents / 100).toFixed(2)
  const whole = values.map((value) => Math.round(Number(value) * 100))
  // A year to date has three months, and the total of all columns thirteen.
  const months = values.length === 2 ? [3, 0] : values.map((_, at) => (at === 13 ? 13 : 1))
  const part = months.map((count) => count * 5_000)
  return [part.map(dollars), whole.map((cents, at) => dollars(cents - (part[at] ?? 0)))]
}

/** Telephone as a subaccount of Office, beside its own amounts, without IDs. */
function withSubaccounts(own: 'other' | 'heading'): Evidence {
  const nested = replaceRow('Telephone', (row) => {
    const [part, rest] = split(row.values)
    return [
      { name: 'Office', rowType: 'TextRow', id: '', values: own === 'heading' ? part : [] },
      { name: 'Telephone', id: '', values: rest },
      ...(own === 'other' ? [{ name: 'Office – Other', id: '', values: part }] : []),
      { name: 'Total Office', rowType: 'SubtotalRow', id: '', values: row.values },
    ]
  })
  const flat = replaceRow('Telephone', (row) => {
    const [part, rest] = split(row.values)
    return [
      { name: 'Office', id: '', values: part },
      { name: 'Office:Telephone', id: '', values: rest },
    ]
  })
  const accounts = (CLEAN.lists.get('accounts') ?? []).flatMap((each) =>
    each.name === 'Telephone'
      ? [
          record('a1', 'Office', { type: 'Expense' }),
          { ...each, fullName: 'Office:Telephone', parentId: 'a1' },
        ]
      : [each],
  )
  const lists = new Map([...CLEAN.lists, ['accounts' as const, accounts]])
  const books = withoutIds(evidenceOfMade({ ...CLEAN, lists }))
  return (['profit-and-loss', 'by-class', 'budget'] as const).reduce(
    (evidence, source) => changed(evidence, source, nested),
    changed(books, 'trial-balance', flat),
  )
}

describe('accounts without IDs', () => {
  it.each(['other', 'heading'] as const)(
    'agree where one report names them with their parents, and have their own amounts in a row or heading (%s)',
    (own) => {
      const evidence = withSubaccounts(own)
      expect(ofRule(evidence, 'statements-agree')).toEqual([])
      expect(reason(evidence, 'statements-agree')).toBe('')
      // A fault in the subaccount is still found, by name and to the cent.
      const broken = changed(
        evidence,
        'trial-balance',
        replaceRow('Office:Telephone', (row) => [
          { values: [(Number(row.values[0]) + 0.01).toFixed(2), '0.00'] },
        ]),
      )
      expect(ofRule(broken, 'statements-agree')).toEqual([
        'statements-agree: Trial balance 0.01',
        'statements-agree: Office:Telephone 0.01',
      ])
    },
  )

  it('agree where the statements leave out the parents', () => {
    const renamed = changed(
      withoutIds(evidenceOfMade(CLEAN)),
      'trial-balance',
      replaceRow('Telephone', () => [{ name: 'Office:Telephone' }]),
    )
    expect(ofRule(renamed, 'statements-agree')).toEqual([])
    expect(reason(renamed, 'statements-agree')).toBe('')
  })

  it('are not called wrong if the reports may name them differently', () => {
    const renamed = changed(
      withoutIds(evidenceOfMade(CLEAN)),
      'trial-balance',
      replaceRow('Telephone', () => [{ name: 'Communication' }]),
    )
    expect(ofRule(renamed, 'statements-agree')).toEqual([])
    expect(reason(renamed, 'statements-agree')).toBe(
      'Not compared: Communication and Telephone. The reports may name them differently.',
    )
  })

  it('with the same name are not mixed up when a second one appears', () => {
    const read = withoutIds(evidenceOfMade(CLEAN)).statement('profit-and-loss')
    if (!read.ok) throw new Error(read.reason)
    const kept = read.value
    const twice = replaceRow('Software', (row) => [
      {},
      { name: 'Shop', rowType: 'TextRow', values: [] },
      { name: 'Rent', values: row.values.map((value) => (value === '' ? '' : '70.00')) },
      { name: 'Total Shop', rowType: 'SubtotalRow', values: row.values.map(() => '') },
    ])(kept)
    expect(compareStatements(kept, twice, '2026-03')).toMatchObject({
      value: [{ account: 'Rent', kept: '0', now: '70.00', difference: '70' }],
    })
    expect(compareStatements(twice, kept, '2026-03')).toMatchObject({
      value: [{ account: 'Rent', kept: '70.00', now: '0', difference: '-70' }],
    })
  })

  it('with the same name are not mixed up between this month’s balance sheet and earlier ones', () => {
    const isLoan = ({ name, date }: Entry): boolean => name === 'Fir Bank' && date.startsWith('2026-03')
    const stopped = { ...CLEAN, entries: CLEAN.entries.filter((each) => !isLoan(each)) }
    const second = changed(
      withoutIds(evidenceOfMade(stopped)),
      'balance-sheet',
      replaceRow('Total Liabilities', (row) => [
        { name: 'Vehicles', rowType: 'TextRow', values: [] },
        { name: 'Truck Loan', rowType: 'DataRow', values: ['900.00'] },
        { name: 'Total Vehicles', rowType: 'SubtotalRow', values: ['900.00'] },
        row,
      ]),
    )
    expect(ofRule(second, 'stands-still')).toEqual([
      expect.stringMatching(/^stands-still: Truck Loan 15\d{3}/),
    ])
  })
})

describe('a heading with amounts', () => {
  const withHeading = (values: readonly string[], total: readonly string[] | null): Evidence =>
    changed(evidenceOfMade(CLEAN), 'balance-sheet', (statement) =>
      withRows(statement, (rows) =>
        rows.flatMap((row) => {
          if (row.name === 'Fixed Assets') return [{ ...row, values }]
          if (row.name === 'Total Fixed Assets') return total === null ? [] : [{ ...row, values: total }]
          return [row]
        }),
      ),
    )
  const assets = '21000.00'

  it('is read as a total if it is one', () => {
    for (const total of [[assets], null]) {
      const evidence = withHeading([assets], total)
      expect(found(evidence)).toEqual([])
      expect(reason(evidence, 'statements-agree')).toBe('')
    }
  })

  it('is no amount if it is a phone number or a date', () => {
    for (const words of ['503-555-0101', '03/15/2026', 'Mar 31, 26']) {
      const evidence = withHeading([words], null)
      expect(found(evidence)).toEqual([])
      expect(reason(evidence, 'statements-agree')).toBe('')
    }
    expect(reason(withHeading(['(1,250.00)'], null), 'earlier-years')).toMatch(/has amounts in the heading/)
  })

  it('is read as an account’s own amount if the total has it, too', () => {
    const evidence = withHeading(['500.00'], ['21500.00'])
    expect(ofRule(evidence, 'statements-agree')).toEqual([
      'statements-agree: Total Assets 500',
      'statements-agree: Fixed Assets -500',
    ])
  })

  it('leaves what needs the report not checked if it is neither', () => {
    const evidence = withHeading(['500.00'], null)
    expect(found(evidence)).toEqual([])
    expect(reason(evidence, 'earlier-years')).toBe(
      'Balance sheet has amounts in the heading “Fixed Assets” that are neither its total nor added to it.',
    )
    const read = evidence.statement('balance-sheet')
    if (!read.ok) throw new Error(read.reason)
    expect(compareStatements(read.value, read.value, '2026-03')).toMatchObject({ ok: false })
  })
})

describe('a statement of zeros', () => {
  it.each([
    ['% of Income', '100.0%'],
    ['Account #', '1000'],
  ])('isn’t clean because it has a column “%s”', (heading, value) => {
    for (const source of ['trial-balance', 'balance-sheet', 'profit-and-loss'] as const) {
      const evidence = changed(evidenceOfMade(CLEAN), source, (statement) => ({
        ...statement,
        columns: [...statement.columns, heading],
        rows: statement.rows.map((row) => ({
          ...row,
          values: row.kind === 'data' ? [...row.values.map(() => '0.00'), value] : [],
        })),
      }))
      expect(reason(evidence, 'statements-agree')).toContain('has no amounts.')
    }
  })

  it.each(['Account Balance', 'Year to Date'])('may have its amounts under “%s”', (heading) => {
    const evidence = changed(evidenceOfMade(CLEAN), 'balance-sheet', (statement) => {
      expect(statement.columns).toHaveLength(1)
      return { ...statement, columns: [heading] }
    })
    expect(reason(evidence, 'statements-agree')).toBe('')
  })
})

describe('column headings', () => {
  it.each<[headings: readonly string[], from: string, month: string, columns: readonly number[] | null]>([
    [['Feb 24', 'Mar 24', 'Feb 26', 'Mar 26', 'Total'], '2026-02-01', '2026-03', [2, 3]],
    [['Feb 2026', 'Mar 2026'], '2026-02-01', '2026-03', [0, 1]],
    [['Feb 1 - 28, 26', 'Mar 1 - 31, 26'], '2026-02-01', '2026-03', [0, 1]],
    [['Jan 26'], '2026-01-01', '2026-01', [0]],
    // Without years, the months of two years can’t be told apart.
    [['Mar', 'Apr', 'Mar', 'Apr'], '2026-03-01', '2026-04', null],
    ...['Jan - Mar 26', 'January - March, 2026', 'Jan 1 - Dec 31, 26', 'Jan 1 - 15, 26', 'Jan 2026 YTD'].map(
      (heading): [readonly string[], string, string, null] => [[heading], '2026-01-01', '2026-01', null],
    ),
    [['Marketing 2026'], '2026-03-01', '2026-03', null],
  ])('%j from %s have the months up to %s in %j', (columns, from, month, expected) => {
    expect(monthColumns({ from, columns }, month)).toEqual(expected)
  })

  /** Undeposited funds of 750.00, beside another column. */
  const beside = (first: string, second: string, isFirst = true): Evidence =>
    changed(evidenceOfMade(CLEAN), 'balance-sheet', (statement) => ({
      ...statement,
      columns: [first, second],
      rows: statement.rows.map((row) => {
        if (row.values.length === 0) return row
        const value = row.id === '1200' ? '750.00' : (row.values[0] ?? '')
        const now = row.id === '1000' ? (Number(value) - 750).toFixed(2) : value
        return { ...row, values: isFirst ? [now, '100.00'] : ['100.00', now] }
      }),
    }))

  it.each([
    ['Mar 31, 2026', 'Mar 31, 2025'],
    ['2026-03-31', '2025-03-31'],
    ['03/31/2026', '03/31/2025'],
    ['31.03.2026', '31.03.2025'],
    ['As of 03/31/2026', 'As of 03/31/2025'],
    ['This year', 'Last year'],
    ['Current', 'Prior year'],
    ['Balance', 'Change'],
    ['Balance', 'Account No.'],
  ])('of a balance sheet, “%s” and “%s”: only the first is of the day', (now, before) => {
    for (const isFirst of [true, false]) {
      const evidence = isFirst ? beside(now, before) : beside(before, now, false)
      expect(ofRule(evidence, 'undeposited-funds')).toEqual(['undeposited-funds: Undeposited Funds 750'])
      expect(reason(evidence, 'undeposited-funds')).toBe('')
    }
  })

  it('of a balance sheet that say nothing of the day are not guessed', () => {
    const evidence = beside('A', 'B')
    expect(ofRule(evidence, 'statements-agree')).toEqual([])
    for (const rule of ['undeposited-funds', 'statements-agree', 'stands-still'] as const) {
      expect(reason(evidence, rule)).toMatch(
        /^Balance sheet has several columns of amounts \(“A” and “B”\), and none is known/,
      )
    }
  })

  it('of profit and loss that was read by hand: a longer period isn’t compared with a closed month', () => {
    const statement = (from: string, to: string, columns: readonly string[], ...values: readonly string[]) =>
      statementOf(
        'ProfitAndLoss',
        from,
        to,
        ['Account', ...columns],
        [
          raw('TextRow', 'Income', ''),
          raw('DataRow', 'Sales', 's', ...values),
          raw('SubtotalRow', 'Total Income', '', ...values),
        ],
      )
    const kept = statement('2025-12-01', '2026-01-31', ['Dec 2025', 'Jan 2026'], '900.00', '1000.00')
    for (const heading of ['Jan - Mar 26', 'January - March, 2026', 'Total']) {
      const quarter = statement('2026-01-01', '2026-03-31', [heading], '3000.00')
      expect(isComparable(kept, quarter, '2026-01')).toBe(false)
    }
    for (const [columns, values] of [
      [
        ['Jan 2026', 'Year to date'],
        ['1000.00', '4000.00'],
      ],
      [
        ['Jan 2026', 'Jan 2025 (PY)'],
        ['1000.00', '4000.00'],
      ],
      [['Total'], ['1000.00']],
      [['Jan - Jan 26'], ['1000.00']],
    ] as const) {
      const month = statement('2026-01-01', '2026-01-31', columns, ...values)
      expect(isComparable(kept, month, '2026-01')).toBe(true)
      expect(compareStatements(kept, month, '2026-01')).toEqual({ ok: true, value: [] })
    }
    const unclear = statement('2026-01-01', '2026-01-31', ['A', 'B'], '1000.00', '4000.00')
    expect(compareStatements(kept, unclear, '2026-01')).toMatchObject({ ok: false })
  })
})

describe('a closed month whose accounts moved or were renamed', () => {
  type Book = readonly (readonly [name: string, id: string, cents: number])[]
  const section = (name: string, accounts: Book, ...inner: readonly RawReportRow[]): RawReportRow[] => {
    const inside = inner.flatMap(({ rowType, values }) => (rowType === 'DataRow' ? [Number(values[0])] : []))
    const sum = accounts.reduce((all, [, , cents]) => all + cents / 100, 0)
    const total = inside.reduce((all, each) => all + each, sum).toFixed(2)
    return [
      raw('TextRow', name, ''),
      ...accounts.map(([account, id, cents]) => raw('DataRow', account, id, (cents / 100).toFixed(2))),
      ...inner,
      raw('SubtotalRow', `Total ${name}`, '', total),
    ]
  }
  const changesOf = (
    name: string,
    kept: readonly RawReportRow[],
    now: readonly RawReportRow[],
  ): readonly string[] => {
    const [before, after] = [kept, now].map((rows) =>
      statementOf(name, '2026-03-01', '2026-03-31', ['Account', 'Mar 2026'], rows),
    )
    if (!before || !after) throw new Error('There are no statements.')
    const compared = compareStatements(before, after, '2026-03')
    if (!compared.ok) throw new Error(compared.reason)
    return compared.value.map(({ account, difference, says }) =>
      [account, difference, says].filter((each) => each !== '').join(' '),
    )
  }
  const loan = ['Truck Loan', '2500', 7_180_207] as const
  const owner = ['Owner’s Equity', '3200', 500_000] as const

  it('says from where to where, and which totals are others, without a change of the amount', () => {
    const kept = [...section('Long-Term Liabilities', [loan]), ...section('Equity', [owner])]
    const now = [...section('Long-Term Liabilities', []), ...section('Equity', [owner, loan])]
    expect(changesOf('BalanceSheet', kept, now)).toEqual([
      'Truck Loan moved from Long-Term Liabilities to Equity',
      'Total Long-Term Liabilities -71802.07',
      'Total Equity 71802.07',
    ])
    expect(changesOf('BalanceSheet', kept, kept)).toEqual([])
  })

  it('knows an amount again under the other sign', () => {
    const kept = [...section('Income', [['Rebates', '9', 10_000]]), ...section('Expense', [])]
    const now = [...section('Income', []), ...section('Expense', [['Rebates', '9', -10_000]])]
    expect(changesOf('ProfitAndLoss', kept, now)).toEqual([
      'Rebates moved from Income to Expense',
      'Total Income -100',
      'Total Expense -100',
    ])
  })

  it('knows an account without an ID that is below another one now', () => {
    const office = ['Office', '', 4_000] as const
    const kept = section('Expense', [['Telephone', '', 10_000], office])
    const now = section(
      'Expense',
      [],
      ...section('Office', [
        ['Telephone', '', 10_000],
        ['Office - Other', '', 4_000],
      ]),
    )
    expect(changesOf('ProfitAndLoss', kept, now)).toEqual(['Telephone moved from Expense to Office'])
  })

  it('has one change for a new name, of an account or of a section', () => {
    const expenses = (name: string, id: string): readonly RawReportRow[] =>
      section('Expense', [
        [name, id, 10_000],
        ['Rent', '', 250_000],
      ])
    expect(changesOf('ProfitAndLoss', expenses('Telephone', '9'), expenses('Phones', '9'))).toEqual([
      'Phones renamed from Telephone',
    ])
    expect(changesOf('ProfitAndLoss', expenses('Telephone', ''), expenses('Phones', ''))).toEqual([
      'Telephone -100',
      'Phones 100 may have been renamed from Telephone',
    ])
    const loans = (name: string): readonly RawReportRow[] =>
      section(name, [loan, ['Mortgage', '2600', 900_000]])
    expect(changesOf('BalanceSheet', loans('Long Term Liabilities'), loans('Loans'))).toEqual([
      'Loans renamed from Long Term Liabilities',
    ])
  })

  it('has no change if only numbers, or the names of parents, are shown or left out', () => {
    const books = (parent: string, ...names: readonly [truck: string, rent: string]): RawReportRow[] =>
      section('Assets', [[names[1], '8', 5_000]], ...section(parent, [[names[0], '9', 10_000]]))
    const kept = books('1510 · Equipment', '1511 · Truck', '1600 · Deposit')
    const now = books('Equipment', 'Truck', 'Deposit')
    expect(changesOf('BalanceSheet', kept, now)).toEqual([])
    expect(changesOf('BalanceSheet', now, kept)).toEqual([])
    expect(changesOf('BalanceSheet', kept, books('1510 · Equipment', '1512 · Truck', 'Deposit'))).toEqual([
      '1512 · Truck renamed from 1511 · Truck',
    ])
    const fuel = (name: string): RawReportRow[] => section('Expense', [[name, '8', 5_000]])
    expect(changesOf('ProfitAndLoss', fuel('Fuel'), fuel('Auto:Fuel'))).toEqual([])
    expect(changesOf('ProfitAndLoss', fuel('6000 · Auto:6100 · Fuel'), fuel('Fuel'))).toEqual([])
    expect(changesOf('ProfitAndLoss', fuel('Auto:Fuel'), fuel('Travel:Fuel'))).toEqual([
      'Travel:Fuel moved from Auto to Travel',
    ])
  })

  it('has one change for a parent of one account that is renamed', () => {
    const parent = (name: string): RawReportRow[] =>
      section(
        'Expense',
        [],
        ...section(name, [['Fuel', '8', 5_000]]).map((row) =>
          row.rowType === 'TextRow' ? raw('TextRow', name, '7') : row,
        ),
      )
    expect(changesOf('ProfitAndLoss', parent('Auto'), parent('Vehicles'))).toEqual([
      'Vehicles renamed from Auto',
    ])
    const full = (name: string): RawReportRow[] =>
      section('Expense', [
        [`Travel:${name}`, '7', 100],
        [`Travel:${name}:Fuel`, '8', 5_000],
      ])
    expect(changesOf('ProfitAndLoss', full('Auto'), full('Vehicles'))).toEqual([
      'Travel:Vehicles renamed from Auto',
    ])
  })

  it('has one account that its reports name differently', () => {
    // Another Telephone is below Shop, and one is below nothing.
    const account = (name: string, amount: string) => raw('DataRow', name, '', amount)
    const trialBalance = (amount: string, other: string) =>
      statementOf(
        'TrialBalance',
        '2026-03-01',
        '2026-03-31',
        ['Account', 'Debit', 'Credit'],
        [
          ...[
            account('Office:Telephone', amount),
            account('Shop:Telephone', '70.00'),
            account('Telephone', other),
          ],
          raw('DataRow', 'Sales', '', '', '900.00'),
        ],
      )
    const profitAndLoss = (amount: string, other: string) =>
      statementOf(
        'ProfitAndLoss',
        '2026-03-01',
        '2026-03-31',
        ['Account', 'Total'],
        [
          ...[raw('TextRow', 'Income', ''), account('Sales', '900.00')],
          ...[raw('SubtotalRow', 'Total Income', '', '900.00'), raw('TextRow', 'Expense', '')],
          ...[raw('TextRow', 'Office', ''), account('Telephone', amount)],
          ...[raw('SubtotalRow', 'Total Office', '', amount), raw('TextRow', 'Shop', '')],
          ...[account('Telephone', '70.00'), raw('SubtotalRow', 'Total Shop', '', '70.00')],
          ...[account('Telephone', other), raw('SubtotalRow', 'Total Expense', '', '')],
        ],
      )
    const size = (amount: string, other: string) => {
      const changes = [trialBalance, profitAndLoss].flatMap((made) => {
        const compared = compareStatements(made('100.00', '30.00'), made(amount, other), '2026-03')
        if (!compared.ok) throw new Error(compared.reason)
        return compared.value
      })
      return changeSize({ amounts: withSharedKeys(changes), entries: 0 })
    }
    expect(size('150.00', '30.00')).toMatchObject({ accounts: 1, amount: '50' })
    expect(size('150.00', '40.00')).toMatchObject({ accounts: 2, amount: '50' })
  })

  /** The amounts that changed in reports of which one account changed from 100 to 150. */
  const sharedAmounts = (
    reports: Partial<Record<string, (amount: string) => readonly RawReportRow[]>>,
  ): readonly ChangedAmount[] =>
    withSharedKeys(
      Object.entries(reports).flatMap(([name, rows = () => []]) => {
        const columns = name === 'TrialBalance' ? ['Debit', 'Credit'] : ['Total']
        const [kept, now] = ['100.00', '150.00'].map((amount) =>
          statementOf(name, '2026-03-01', '2026-03-31', ['Account', ...columns], rows(amount)),
        )
        const compared = kept && now && compareStatements(kept, now, '2026-03')
        if (!compared?.ok) throw new Error(compared?.reason)
        return compared.value
      }),
    )
  const named = (name: string, ...values: readonly string[]): RawReportRow =>
    raw('DataRow', name, '', ...values)
  const below = (name: string, ...rows: readonly RawReportRow[]): readonly RawReportRow[] => [
    raw('TextRow', name, ''),
    ...rows,
    raw('SubtotalRow', `Total ${name}`, ''),
  ]
  const withSales = (...costs: readonly RawReportRow[]): readonly RawReportRow[] => [
    ...below('Income', named('Sales', '900.00')),
    ...below('Expense', ...costs),
  ]

  it.each([
    ['its own amounts beside those of its subaccounts', 'Office', 'Office', 'Office - Other'],
    ['a number in one report', '6100 · Telephone', 'Office', 'Telephone'],
    ['its parents in one report', 'Office:Telephone', '', 'Telephone'],
    ['a number in one report and its parents in the other', '6100 · Telephone', '', 'Office:Telephone'],
  ])('has one account with %s', (_what, inTrialBalance, parent, inProfitAndLoss) => {
    const amounts = sharedAmounts({
      TrialBalance: (amount) => [named('Sales', '', '900.00'), named(inTrialBalance, amount, '')],
      ProfitAndLoss: (amount) => {
        const row = named(inProfitAndLoss, amount)
        return withSales(...(parent === '' ? [row] : below(parent, named('Supplies', '5.00'), row)))
      },
    })
    expect(changeSize({ amounts, entries: 0 })).toMatchObject({ accounts: 1, amount: '50' })
  })

  it('has two accounts with the same name, by their numbers, or on the balance sheet and in profit and loss', () => {
    const numbered = sharedAmounts({
      TrialBalance: (amount) => [named('Sales', '', '900.00'), named('6100 · Telephone', amount, '')],
      ProfitAndLoss: (amount) => withSales(named('6200 · Telephone', amount)),
    })
    expect(changeSize({ amounts: numbered, entries: 0 }).accounts).toBe(2)
    const sheet = (amount: string): readonly RawReportRow[] => [
      ...below('Assets', named('Checking', '900.00')),
      ...below('Liabilities', ...below('Accrued Liabilities', named('Payroll Taxes', amount))),
    ]
    const trialBalance = (amount: string): readonly RawReportRow[] => [
      named('Accrued Liabilities:Payroll Taxes', '', amount),
      named('Payroll Expenses:Payroll Taxes', amount, ''),
    ]
    const profitAndLoss = (amount: string): readonly RawReportRow[] =>
      withSales(...below('Payroll Expenses', named('Payroll Taxes', amount)))
    for (const reports of [
      { BalanceSheet: sheet, ProfitAndLoss: profitAndLoss },
      { TrialBalance: trialBalance, BalanceSheet: sheet },
      { TrialBalance: trialBalance, BalanceSheet: sheet, ProfitAndLoss: profitAndLoss },
    ])
      expect(changeSize({ amounts: sharedAmounts(reports), entries: 0 }).accounts).toBe(2)
  })

  it('has the total that changed by itself', () => {
    const kept = section('Expense', [['Rent', '6000', 250_000]])
    const now = kept.map((row) => (row.rowType === 'SubtotalRow' ? { ...row, values: ['2400.00'] } : row))
    expect(changesOf('ProfitAndLoss', kept, now)).toEqual(['Total Expense -100'])
    // It follows from a changed amount otherwise.
    expect(changesOf('ProfitAndLoss', kept, section('Expense', [['Rent', '6000', 240_000]]))).toEqual([
      'Rent -100',
    ])
  })
})

describe('another fiscal year', () => {
  const moved = (row: string, amount: number) => (statement: FullReport) =>
    replaceRow(row, ({ values }) => [{ values: [(Number(values[0]) + amount).toFixed(2)] }])(statement)

  it('that begins within a month: net income and retained earnings are not called wrong', () => {
    const evidence = changed(
      changed(evidenceOfMade(CLEAN), 'balance-sheet', moved('Net Income', 123.45)),
      'balance-sheet',
      moved('Retained Earnings', -123.45),
    )
    expect(ofRule(evidence, 'statements-agree')).toEqual([])
    expect(reason(evidence, 'statements-agree')).toBe(
      'Net income on the balance sheet doesn’t begin on the first of a month. The fiscal year may not, either, so accounts were not compared.',
    )
  })

  it('that begins some days before, on every report', () => {
    const days = (['6000', '6300'] as const).map((account, at) => ({ account, cents: 12_345 + at }))
    const all = days.reduce((sum, { cents }) => sum + cents, 0) / 100
    // Costs of the last days of December are in the fiscal year of the trial balance and the balance sheet.
    let evidence = changed(
      changed(evidenceOfMade(CLEAN), 'balance-sheet', moved('Net Income', -all)),
      'balance-sheet',
      moved('Retained Earnings', all),
    )
    for (const [name, debit, credit] of [
      ['Rent', 123.45, 0],
      ['Telephone', 123.46, 0],
      ['Retained Earnings', 0, all],
    ] as const) {
      evidence = changed(
        evidence,
        'trial-balance',
        replaceRow(name, ({ values: [left, right] }) => [
          { values: [(Number(left) + debit).toFixed(2), (Number(right) + credit).toFixed(2)] },
        ]),
      )
    }
    expect(ofRule(evidence, 'statements-agree')).toEqual([])
    expect(reason(evidence, 'statements-agree')).toMatch(/^Net income on the balance sheet doesn’t begin/)
    // An account that profit and loss lacks is still found.
    const lacking = changed(
      evidenceOfMade({
        ...CLEAN,
        entries: [...CLEAN.entries, transfer('2026-03-09', 'Check', '9', 'Juniper', '6600', '1000', 50_000)],
      }),
      'profit-and-loss',
      replaceRow('Travel', () => []),
    )
    expect(ofRule(lacking, 'statements-agree')).toContain('statements-agree: Net income -500')
  })

  it('whose result was carried forward on another day', () => {
    const read = evidenceOfMade(CLEAN).statement('balance-sheet')
    if (!read.ok) throw new Error(read.reason)
    const evidence = changed(
      changed(evidenceOfMade(CLEAN), 'balance-sheet', moved('Net Income', -400)),
      'balance-sheet',
      moved('Retained Earnings', 400),
    )
    expect(ofRule(evidence, 'earlier-years')).toEqual([])
    expect(reason(evidence, 'earlier-years')).toMatch(
      /^Net income was moved to retained earnings on another day/,
    )
  })

  it('before which there were no books', () => {
    for (const values of [[], ['0.00']]) {
      const evidence = changed(evidenceOfMade(CLEAN), 'balance-sheet-1', (statement) => ({
        ...statement,
        rows: statement.rows.map((row) => (row.kind === 'data' ? { ...row, values } : row)),
      }))
      expect(ofRule(evidence, 'earlier-years')).toEqual([])
      expect(reason(evidence, 'earlier-years')).toBe('The balance sheet of the month before has no amounts.')
    }
  })
})

describe('costs as negative amounts', () => {
  const negated = (
    source: 'profit-and-loss' | 'budget',
    also: (name: string) => readonly string[] | null,
  ): Evidence =>
    changed(evidenceOfMade(CLEAN), source, (statement) => ({
      ...statement,
      rows: statement.rows.map((row) =>
        row.kind === 'data' && Number(row.id) >= 5000
          ? {
              ...row,
              values:
                also(row.name) ?? row.values.map((value) => (Number(value) === 0 ? value : `-${value}`)),
            }
          : row,
      ),
    }))

  it('hide neither a refund nor a first cost', () => {
    const zeros = Array.from({ length: 14 }, () => '0.00')
    const evidence = negated('profit-and-loss', (name) =>
      name === 'Travel' ? zeros.with(12, '-90.00') : null,
    )
    expect(ofRule(evidence, 'reversed-sign')).toEqual([])
    expect(reason(evidence, 'reversed-sign')).toBe('Profit and loss has costs as negative amounts.')
  })

  it('are not compared with a budget, but a planned refund is', () => {
    const evidence = negated('budget', (name) =>
      name === 'Travel' ? ['-9000.00', '-1000.00', '', ''] : null,
    )
    expect(ofRule(evidence, 'over-budget')).toEqual([])
    expect(reason(evidence, 'over-budget')).toBe('The budget has costs as negative amounts.')
    const alone = changed(evidence, 'budget', (statement) =>
      withRows(statement, (rows) => rows.filter(({ kind, name }) => kind !== 'data' || name === 'Travel')),
    )
    expect(reason(alone, 'over-budget')).toBe('The budget has costs as negative amounts.')
    const refund = changed(
      evidenceOfMade(CLEAN),
      'budget',
      replaceRow('Travel', () => [{ values: ['-100.00', '-1000.00', '', ''] }]),
    )
    expect(ofRule(refund, 'over-budget')).toEqual(['over-budget: Travel 900'])
  })
})

describe('accounts with the same name on a trial balance without IDs', () => {
  it('don’t share a decision', () => {
    const keys = (...balances: readonly string[]): readonly string[] => {
      const rows = balances.map((debit) => raw('DataRow', 'Suspense', '', debit, '0.00'))
      const evidence = changed(withoutIds(evidenceOfMade(CLEAN)), 'trial-balance', (statement) =>
        withRows(statement, (all) => [...all, ...levelReport(rows)]),
      )
      return findingsOf(reviewMonth(evidence, null))
        .filter(({ rule, subject }) => rule === 'should-be-empty' && subject === 'Suspense')
        .map(({ key }) => key)
    }
    expect(keys('10.00', '900.00')).toHaveLength(2)
    const [never] = keys('10.00', '900.00')
    expect(keys('0.00', '900.00')).not.toContain(never)
    expect(keys('900.00', '10.00')).toContain(never)
    expect(keys('900.00')).toEqual(['should-be-empty|suspense'])
  })
})

describe('an account of income or costs', () => {
  it('isn’t a clearing account because its name has that word', () => {
    const named = (id: string): Evidence => {
      const whole = evidenceOfMade({
        ...CLEAN,
        entries: [...CLEAN.entries, transfer('2026-03-09', 'Check', '9', 'Juniper', '6600', '1200', 50_000)],
      })
      return (['trial-balance', 'profit-and-loss'] as const).reduce(
        (evidence, source) =>
          changed(evidence, source, (statement) => ({
            ...statement,
            rows: statement.rows.map((row) => (row.id === id ? { ...row, name: 'Land clearing' } : row)),
          })),
        whole,
      )
    }
    expect(ofRule(named('6600'), 'should-be-empty')).toEqual([])
    expect(ofRule(named('6600'), 'first-use')).toEqual(['first-use: Land clearing 500'])
    expect(ofRule(named('1200'), 'should-be-empty')).toEqual(['should-be-empty: Land clearing -500'])
  })

  it('that became inactive is in use only in a month in which it has an amount', () => {
    const inactive = (date: string): readonly string[] => {
      const accounts = (CLEAN.lists.get('accounts') ?? []).map((each) => ({
        ...each,
        isActive: each.name !== 'Travel',
      }))
      const cost = transfer(date, 'Check', '9', 'Juniper', '6600', '1000', 8_000)
      const books = { ...CLEAN, entries: [...CLEAN.entries, cost] }
      const evidence = withLists(evidenceOfMade(books), { accounts })
      return ofRule({ ...evidence, ledger: { ok: false, reason: 'Refused.' } }, 'inactive')
    }
    expect(inactive('2026-01-09')).toEqual([])
    expect(inactive('2026-03-09')).toEqual(['inactive: Travel 80'])
  })
})

describe('a general ledger', () => {
  const clean = evidenceOfMade(CLEAN)
  const section = (name: string, id: string, ...rows: readonly RawReportRow[]): readonly RawReportRow[] => [
    raw('TextRow', name, id),
    ...rows,
    raw('SubtotalRow', `Total ${name}`, '', '', '', ''),
  ]
  const debit = (name: string, amount: string): RawReportRow => raw('DataRow', name, '', amount, '', '')
  const credit = (name: string, amount: string): RawReportRow => raw('DataRow', name, '', '', amount, '')
  const rent = section('Rent', '6000', debit('2026-03-01, Check, 1, Dogwood', '2500.00'))

  it('has entries in rows of an unknown type, too', () => {
    const late = { ...credit('2026-04-09, Check, 77, Next month', '900.00'), rowType: 'TransactionRow' }
    const evidence = withLedger(clean, [...rent, ...section('Checking', '1000', late)])
    expect(ofRule(evidence, 'outside-period')).toEqual([
      'outside-period: 2026-04-09, Check, 77, Next month 900',
    ])
    const large = { ...clean, settings: { ...clean.settings, largeEntry: '900' } }
    expect(ofRule(withLedger(large, [...section('Checking', '1000', late)]), 'large-entry')).toHaveLength(1)
  })

  it('has an account’s total in a row of an unknown type with the account’s ID', () => {
    const [heading, entry] = rent
    const total = { ...debit('Total Rent', '2500.00'), rowType: 'SummaryRow', id: '6000' }
    const rows = [heading, entry, total].filter((row) => row !== undefined)
    expect(reason(withLedger(clean, rows), 'outside-period')).toBe('')
  })

  /** Balance sheets on which the truck loan wasn’t paid this month. */
  const unpaid = (evidence: Evidence): Evidence =>
    (['balance-sheet', 'balance-sheet-1'] as const).reduce(
      (each, source) =>
        changed(
          each,
          source,
          replaceRow('Truck Loan', () => [{ values: ['5000.00'] }]),
        ),
      changed(
        changed(
          evidence,
          'balance-sheet-2',
          replaceRow('Truck Loan', () => [{ values: ['5500.00'] }]),
        ),
        'balance-sheet-12',
        replaceRow('Truck Loan', () => [{ values: ['10500.00'] }]),
      ),
    )

  it.each([
    ...['Opening balance', 'Balance forward', '2026-03-01, Beginning Balance', '2026-03-31, Closing balance'],
    ...['2026-02-28, Balance b/d', '2026-02-28, Balance brought down', '2026-02-28, Opening balance 2026'],
    ...['2026-02-28, Beginning balance as of 02/28/2026', '2026-03-31, Balance as of Mar 31, 2026'],
    ...['Opening balance:', 'Beg. balance', 'Opening Balances', '2026-03-31, Net change'],
    ...['2026-03-31, Balance, 2026', '2026-03-31, Balance, 1,250.00', '2026-02-28, Opening balance, 2500'],
    ...['2026-02-28, Opening balance, 2025/26', '2026-02-28, Opening balance, $5000'],
    ...['2026-02-28, Opening balance, FY26'],
    ...['2026-02-28, Opening balance - 02/28/2026', '2026-03-01, Opening balance at 1 March 2026'],
  ])('has no entry in a row such as “%s”', (name) => {
    const opening = section('Truck Loan', '2500', credit(name, '5000.00'))
    const evidence = withLedger(unpaid(clean), [...rent, ...opening])
    expect(ofRule(evidence, 'stands-still')).toEqual(['stands-still: Truck Loan 5000'])
    expect(ofRule(evidence, 'outside-period')).toEqual([])
    const accounts = (CLEAN.lists.get('accounts') ?? []).map((each) => ({
      ...each,
      isActive: each.name !== 'Travel',
    }))
    const travel = section('Travel', '6600', debit(name, '80.00'))
    const inactive = withLedger(withLists(clean, { accounts }), [...rent, ...travel])
    expect(ofRule(inactive, 'inactive')).toEqual([])
    expect(reason(inactive, 'inactive')).toBe('')
  })

  it.each(['Final balance', 'Balance Mar 15', 'Total'])(
    'has entries with a number and the memo “%s”',
    (memo) => {
      const row = (date: string, number: string): RawReportRow =>
        raw('DataRow', '', '', date, number, memo, '2500.00', '')
      const rows = [row('2026-03-15', '1023'), row('2026-02-15', '1024')]
      const ledger = [raw('TextRow', 'Rent', '6000'), ...rows, raw('SubtotalRow', 'Total Rent', '')]
      const evidence = withLedger(clean, ledger, ['Date', 'Num', 'Memo', 'Debit', 'Credit'])
      expect(ofRule(evidence, 'outside-period')).toHaveLength(1)
    },
  )

  it.each(['', '2500', 'FY26'])('has an opening balance in a row that is called “%s”', (name) => {
    const row = (of: string, ...values: readonly string[]): RawReportRow => raw('DataRow', of, '', ...values)
    const opening = row(name, '2026-02-28', 'Opening balance', '', '', '', '5000.00')
    const paid = row('', '2026-03-01', 'Check', '1', 'Dogwood', '2500.00', '')
    const ledger = [...section('Truck Loan', '2500', opening), ...section('Rent', '6000', paid)]
    const columns = ['Entry', 'Date', 'Type', 'Num', 'Name', 'Debit', 'Credit']
    const evidence = withLedger(unpaid(clean), ledger, columns)
    expect(ofRule(evidence, 'stands-still')).toEqual(['stands-still: Truck Loan 5000'])
    expect(ofRule(evidence, 'outside-period')).toEqual([])
  })

  it('has entries that are called by their number, with the memo “Opening balance” in a column', () => {
    const ledger = (account: string, ...names: readonly string[]): Evidence => {
      const rows = names.map((name) => raw('DataRow', name, '', '2026-02-28', 'Opening balance', '', '80.00'))
      return withLedger(clean, section(account, 'A1', ...rows), ['Entry', 'Date', 'Memo', 'Debit', 'Credit'])
    }
    expect(ofRule(ledger('Travel', '1042'), 'outside-period')).toHaveLength(1)
    // The number of the account, or a year, isn't an entry's number.
    expect(
      ofRule(ledger('6600 · Travel', '6600', 'A1', '2026', 'FY26', '2025/26'), 'outside-period'),
    ).toEqual([])
  })

  it.each(['1023, Balance', 'Journal, A-7, Opening balance', 'Check, 1023, Carried forward'])(
    'has entries with a number in the name “%s”',
    (name) => {
      const rows = ['2026-03-15', '2026-02-15'].map((day) => debit(`${day}, ${name}`, '2500.00'))
      expect(ofRule(withLedger(clean, section('Rent', '6000', ...rows)), 'outside-period')).toHaveLength(1)
    },
  )

  it('has amounts without a date: whether they are entries isn’t known', () => {
    const undated = section('Truck Loan', '2500', credit('Saldovortrag', '5000.00'))
    const evidence = withLedger(unpaid(clean), [...rent, ...undated])
    expect(ofRule(evidence, 'stands-still')).toEqual([])
    expect(reason(evidence, 'stands-still')).toBe(
      'Not compared: Truck Loan. The general ledger doesn’t show clearly whether anything was posted to them.',
    )
  })

  it('has amounts that can’t be read: an account with one isn’t said to have no posting', () => {
    const written = section('Truck Loan', '2500', debit('2026-03-16, Check, 8, Fir Bank', '1,250.00'))
    const evidence = withLedger(unpaid(clean), [...rent, ...written])
    expect(ofRule(evidence, 'stands-still')).toEqual([])
    expect(reason(evidence, 'stands-still')).toMatch(/^Not compared: Truck Loan\./)
  })

  it('has a parent’s own entries after those of its subaccounts', () => {
    const accounts = [
      ...(CLEAN.lists.get('accounts') ?? []),
      record('O', 'Office', { type: 'Expense' }),
      record('P', 'Old phone', {
        type: 'Expense',
        isActive: false,
        fullName: 'Office:Old phone',
        parentId: 'O',
      }),
    ]
    const office = section(
      'Office',
      'O',
      ...section('Old phone', 'P'),
      debit('2026-03-04, Check, 11, Staples', '80.00'),
    )
    const evidence = withLedger(withLists(clean, { accounts }), [...rent, ...office])
    expect(ofRule(evidence, 'inactive')).toEqual([])
    expect(evidence.ledger.ok && evidence.ledger.value.accounts.map(({ name }) => name)).toEqual([
      'Rent',
      'Office',
    ])
  })

  it('has accounts with the same name under several parents, and doesn’t attribute a payment of one to another', () => {
    const sources = ['balance-sheet', 'balance-sheet-1', 'balance-sheet-2', 'balance-sheet-12'] as const
    const loans = sources.reduce(
      (each, source, at) =>
        changed(
          each,
          source,
          replaceRow('Truck Loan', (row) => [
            row,
            { id: '2501', name: 'Loan', values: [['5000.00', '5000.00', '5500.00', '10500.00'][at] ?? ''] },
            { id: '2502', name: 'Loan', values: [`70${String(at)}0.00`] },
          ]),
        ),
      clean,
    )
    const paid = (name: string, id: string): readonly [readonly string[], string] => {
      const van = section('Van', 'V', ...section(name, id, debit('2026-03-16, Check, 1, Fir Bank', '100.00')))
      const evidence = withLedger(loans, [...rent, ...van])
      return [ofRule(evidence, 'stands-still'), reason(evidence, 'stands-still')]
    }
    expect(paid('Loan', '2502')).toEqual([['stands-still: Loan 5000'], ''])
    expect(paid('Loan', '2501')).toEqual([[], ''])
    const [found, why] = paid('Loan', '')
    expect(found).toEqual([])
    expect(why).toMatch(/^Not compared: Loan\. The general ledger doesn’t show clearly/)
  })

  it('names vendors who are called like a document number', () => {
    const inactive = (name: string): readonly string[] => {
      const vendors = [...(CLEAN.lists.get('vendors') ?? []), record('v9', name, { isActive: false })]
      const row = debit(`2026-03-11, Check, ${name}`, '80.00')
      return ofRule(withLedger(withLists(clean, { vendors }), section('Software', '6400', row)), 'inactive')
    }
    for (const name of ['3M', '7-Eleven', 'Office365', 'Three M']) {
      expect(inactive(name)).toEqual([`inactive: ${name} 80`])
    }
    const names = ['7-Eleven', '76Gas']
    const charges = [
      ...section('Fuel', '6400', ...names.map((name) => debit(`2026-03-11, Charge, ${name}`, '40.00'))),
      ...section('Card', '2100', ...names.map((name) => credit(`2026-03-11, Charge, ${name}`, '40.00'))),
    ]
    const vendors = names.map((name) => record(name, name))
    expect(ofRule(withLedger(withLists(clean, { vendors }), charges), 'entered-twice')).toEqual([])
    const [finding] = findingsOf(reviewMonth(withLedger(clean, charges), null))
    const said = (finding?.detail ?? []).filter((part) => typeof part === 'string')
    expect(said.join('')).toBe(
      'Entries with different numbers or names (7-Eleven, 76Gas) have the same date and amount in the same account. They may be separate entries.',
    )
  })

  it.each([' ', ' | ', ' - '])('with names joined by “%s” isn’t taken apart', (join) => {
    const bill = (number: string, name: string): string => ['2026-03-11', 'Bill', number, name].join(join)
    const ledger = (...names: readonly string[]): Evidence =>
      withLedger(clean, [
        ...section('Repairs', 'R', ...names.map((name) => debit(name, '250.00'))),
        ...section('Accounts Payable', '2000', ...names.map((name) => credit(name, '250.00'))),
      ])
    const [one, other] = [bill('T-1', 'Cedar Supply'), bill('T-9', 'Oak Plumbing')]
    expect(ofRule(ledger(one, other), 'entered-twice')).toEqual([])
    expect(ofRule(ledger(one, one), 'entered-twice')).toEqual([`entered-twice: ${one} 250`])
    expect(reason(ledger(one, other), 'entered-twice')).toBe(
      `4 entries don’t separate their number and name, such as “${one}”. They were compared with entries of the same name only.`,
    )
    const vendors = [record('v9', 'Oak Plumbing', { isActive: false })]
    const searched = withLedger(withLists(clean, { vendors }), section('Repairs', 'R', debit(other, '9.00')))
    expect(reason(searched, 'inactive')).toMatch(/so they were not searched for inactive customers/)
  })
})

describe('a loan', () => {
  const without = CLEAN.entries.filter(({ name }) => name !== 'Fir Bank')
  const drawn = (month: string, ...others: readonly Entry[]): Evidence =>
    evidenceOfMade({
      ...CLEAN,
      entries: [
        ...without.map((each) => ({ ...each, lines: each.lines.filter(([id]) => id !== '2500') })),
        transfer(`${month}-10`, 'Deposit', 'L1', 'Fir Bank', '1000', '2500', 900_000),
        ...others,
      ],
    })

  it.each(['2025-09', '2026-02'])(
    'that was borrowed in %s and not paid since is not said to stand still',
    (month) => {
      expect(ofRule(drawn(month), 'stands-still')).toEqual([])
      expect(reason(drawn(month), 'stands-still')).toBe(
        'Not compared: Truck Loan. They didn’t change this month, and Bookbridge can’t tell from the months before whether they are repaid every month.',
      )
    },
  )

  it('that was paid each month until the last, and not this month, is', () => {
    const months = ['2025-04', '2025-05', '2025-06', '2025-07', '2025-08', '2025-09', '2025-10', '2025-11']
    const paid = [...months, '2025-12', '2026-01', '2026-02'].map((month) =>
      transfer(`${month}-20`, 'Check', 'L2', 'Fir Bank', '2500', '1000', 10_000),
    )
    expect(ofRule(drawn('2025-02', ...paid), 'stands-still')).toEqual(['stands-still: Truck Loan 7900'])
    expect(ofRule(drawn('2025-02', ...paid.slice(-1)), 'stands-still')).toEqual([])
  })
})

describe('net assets of a nonprofit', () => {
  const adjusted = transfer('2026-03-05', 'Journal', 'J5', 'Adjust', '3100', '1000', 127_560)
  const named = (name: string): Evidence =>
    (['balance-sheet', 'balance-sheet-1'] as const).reduce(
      (evidence, source) =>
        changed(
          evidence,
          source,
          replaceRow('Retained Earnings', () => [{ name }]),
        ),
      evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, adjusted] }),
    )

  it.each(['Net Assets', 'Unrestricted Net Assets', '3100 · Net Assets'])(
    'change only at year end: %s',
    (name) => {
      expect(ofRule(named(name), 'earlier-years')).toEqual([`earlier-years: ${name} -1275.6`])
    },
  )

  it('may change at any time if donors restrict them', () => {
    expect(reason(named('Restricted Net Assets'), 'earlier-years')).toMatch(
      /no account for retained earnings/,
    )
  })
})

describe('amounts without a class', () => {
  /** Books in which everything is classed but one account. */
  const classed = (account: string): Evidence =>
    evidenceOfMade({
      ...CLEAN,
      entries: CLEAN.entries.map(({ className = 'North', ...each }) =>
        each.lines.some(([id]) => id === account) ? each : { ...each, className },
      ),
    })

  it('are found in an account that has none, where the accounts around it have some', () => {
    expect(found(classed('6000'))).toEqual([expect.stringMatching(/^no-class: Rent 2500/)])
    expect(found(classed('5000'))).toEqual([expect.stringMatching(/^no-class: Materials 4500/)])
  })

  it.each(['Unassigned', 'None', '(No class)', 'No Class Assigned', 'Not classified', 'Not Specified'])(
    'are found under “%s”',
    (heading) => {
      const evidence = changed(classed('6000'), 'by-class', (statement) => ({
        ...statement,
        columns: statement.columns.with(2, heading),
      }))
      expect(found(evidence)).toEqual([expect.stringMatching(/^no-class: Rent 2500/)])
    },
  )

  /** The report with totals, and other headings. */
  const withTotals = (evidence: Evidence, columns: readonly string[]): Evidence =>
    changed(evidence, 'by-class', (statement) => ({
      ...statement,
      columns: [...columns, 'Total'],
      rows: statement.rows.map((row) => {
        if (row.values.length === 0) return row
        const values = row.values.slice(0, 3)
        const total = values.reduce((sum, each) => sum + Math.round(Number(each) * 100), 0)
        return { ...row, values: [...values.slice(0, columns.length), (total / 100).toFixed(2)] }
      }),
    }))

  it.each(['Ohne Klasse', '-', 'No department', 'Unknown'])('may be those under “%s”', (heading) => {
    const evidence = withTotals(classed('6000'), ['North', 'South', heading])
    expect(ofRule(evidence, 'no-class')).toEqual([])
    expect(reason(evidence, 'no-class')).toBe(`Amounts under “${heading}” may or may not have a class.`)
  })

  it.each([[['Not specified']], [[]]])('don’t matter where no class is used (%j)', (columns) => {
    const evidence = withTotals(evidenceOfMade(CLEAN), columns)
    expect(ofRule(evidence, 'no-class')).toEqual([])
    expect(reason(evidence, 'no-class')).toBe('')
  })

  it('are not found where only some accounts are meant to have them', () => {
    expect(found(evidenceOfMade(CLEAN))).toEqual([])
  })

  it('are found by the total where the report has no column for them', () => {
    const unlisted = (account: string): Evidence => withTotals(classed(account), ['North', 'South'])
    expect(found(unlisted('none'))).toEqual([])
    expect(reason(unlisted('none'), 'no-class')).toBe('')
    expect(found(unlisted('6000'))).toEqual([expect.stringMatching(/^no-class: Rent 2500/)])
  })
})

describe('an aging report by entry', () => {
  const late: Entry = {
    ...transfer('2025-09-01', 'Invoice', '88', 'Ash Bakery', '1100', '4000', 481_250),
    ...{ customer: 'c1', due: '2025-09-01', className: 'North' },
  }
  const books = { ...CLEAN, entries: [...CLEAN.entries, late] }
  /** The customer’s row as several entries: two invoices, and a credit memo. */
  const byEntry = (
    entries: (customer: string) => readonly Partial<ReportRow>[],
    columns?: readonly string[],
  ): Evidence =>
    changed(evidenceOfMade(books), 'receivables', (statement) => {
      const values = (row: ReportRow): readonly Partial<ReportRow>[] => {
        const names = entries(row.name)
        const amounts = [row.values, ['0.00', '10.00', '10.00'], ['0.00', '-10.00', '-10.00']]
        let at = 0
        return names.map((each) => {
          if (each.rowType !== undefined) return { ...each, id: '', values: [] }
          const own = amounts[at++] ?? []
          return { ...each, id: each.id ?? '', values: [...own, ...(each.values ?? [])] }
        })
      }
      return {
        ...withRows(statement, (rows) =>
          rows.flatMap((row) =>
            row.kind === 'data' && row.id === 'c1' ? values(row).map((each) => ({ ...row, ...each })) : [row],
          ),
        ),
        ...(columns === undefined ? {} : { columns }),
      }
    })

  it.each<[string, Evidence]>([
    [
      'in a section of the customer',
      byEntry((customer) => [
        { name: customer, rowType: 'TextRow' },
        ...['01/09/2025', '02/09/2025', '03/09/2025'].map((name) => ({ name })),
        { name: `Total ${customer}`, rowType: 'SubtotalRow' },
      ]),
    ],
    [
      'with the customer in a column',
      byEntry(
        (customer) => ['INV-88', 'INV-89', 'CM-2'].map((name) => ({ name, values: [customer] })),
        ['Up to 90', '91 and over', 'Total', 'Customer'],
      ),
    ],
    [
      'with the customer in the name, and IDs of the entries',
      byEntry((customer) =>
        ['Invoice, 88', 'Invoice, 89', 'Credit Memo, 2'].map((each, at) => ({
          name: `${customer}, 2025-09-0${String(at + 1)}, ${each}`,
          id: `t${String(at)}`,
        })),
      ),
    ],
  ])('%s is summed by customer', (_how, evidence) => {
    expect(found(evidence)).toEqual(['past-90-days: Ash Bakery 4812.5'])
  })

  it('may have an entry whose ID is that of another customer', () => {
    const customers = [record('c1', 'Ash Bakery'), record('88', 'Beech & Co.')]
    const evidence = byEntry(
      () => [{ name: 'Invoice 88', id: '88', values: ['Ash Bakery'] }],
      ['Up to 90', '91 and over', 'Total', 'Name'],
    )
    expect(ofRule(withLists(evidence, { customers }), 'past-90-days')).toEqual([
      'past-90-days: Ash Bakery 4812.5',
    ])
  })

  it('with IDs of entries is not checked without the list of customers', () => {
    const evidence: Evidence = {
      ...byEntry((customer) =>
        ['Invoice, 88', 'Invoice, 89', 'Credit Memo, 2'].map((each, at) => ({
          name: `${customer}, 2025-09-0${String(at + 1)}, ${each}`,
          id: `t${String(at)}`,
        })),
      ),
      list: () => ({ ok: false, reason: 'Customers must be read again.' }),
    }
    for (const rule of ['past-90-days', 'customer-credit'] as const) {
      expect(ofRule(evidence, rule)).toEqual([])
      expect(reason(evidence, rule)).toBe('Customers must be read again.')
    }
  })

  it('without customers is not checked, and an invoice isn’t mistaken for one', () => {
    const evidence = byEntry(() => ['INV 88', 'Invoice 89', '2025-09-03'].map((name) => ({ name })))
    expect(found(evidence)).toEqual([])
    for (const rule of ['past-90-days', 'customer-credit'] as const) {
      expect(reason(evidence, rule)).toBe('The aging report doesn’t name its customers.')
    }
  })
})

describe('an aging report in other words', () => {
  const clean = evidenceOfMade(CLEAN)
  const aging = (columns: readonly string[], rows: readonly RawReportRow[], evidence = clean): Evidence =>
    changed(evidence, 'receivables', () =>
      statementOf('ARAgingDetail', '2026-03-01', '2026-03-31', columns, rows),
    )
  const owes = (name: string, ...values: readonly string[]): RawReportRow =>
    raw('DataRow', name, name === 'Ash Bakery' ? 'c1' : '', ...values)

  it.each(['Older', '90 days', '3 months', 'Ancient'])(
    'may have amounts under “%s”, of any age',
    (heading) => {
      const columns = ['Customer', 'Current', '1 - 60', '61 - 89', '121 and over', heading]
      const values = ['0.00', '0.00', '0.00', '0.00', '4000.00']
      for (const [headings, row] of [
        [[...columns, 'Total'], owes('Ash Bakery', ...values, '4000.00')],
        [columns, owes('Ash Bakery', ...values)],
      ] as const) {
        const evidence = aging(headings, [row])
        expect(ofRule(evidence, 'past-90-days')).toEqual([])
        expect(reason(evidence, 'past-90-days')).toBe(`The age of amounts under “${heading}” isn’t known.`)
      }
      const without = aging(columns, [owes('Ash Bakery', ...values)])
      for (const rule of ['receivables-agree', 'customer-credit'] as const) {
        expect(ofRule(without, rule)).toEqual([])
        expect(reason(without, rule)).toBe(
          `The aging report has amounts under “${heading}”, which is neither a range of days nor a total.`,
        )
      }
    },
  )

  it('may have other amounts beside its ranges and their total', () => {
    const columns = ['Customer', 'Credit limit', 'Current', '1 - 90', 'Over 90', 'Balance']
    const evidence = aging(columns, [owes('Ash Bakery', '9000.00', '10.00', '20.00', '0.00', '30.00')])
    expect(reason(evidence, 'past-90-days')).toBe('')
    expect(ofRule(evidence, 'customer-credit')).toEqual([])
    const broken = aging(columns.toSpliced(1, 1), [owes('Ash Bakery', '10.00', '20.00', '0.00', '80.00')])
    expect(reason(broken, 'past-90-days')).toBe(
      'Not compared: Ash Bakery. Their ranges of days don’t add up to the total.',
    )
  })

  it('may have a customer who is called like a range', () => {
    for (const name of ['24-7 Towing', '91+']) {
      const customers = [record('c1', name)]
      const rows = [
        raw('TextRow', name, ''),
        owes('2025-06-01, Invoice, 12', '2025-06-30', '4000.00'),
        raw('SubtotalRow', `Total ${name}`, '', '', '4000.00'),
      ]
      const evidence = aging(['Entry', 'Due Date', 'Open Balance'], rows, withLists(clean, { customers }))
      expect(reason(evidence, 'past-90-days')).toBe(
        'The aging report doesn’t say what is more than 90 days late.',
      )
    }
  })

  it('may have its ranges in sections, and says which have another name', () => {
    const section = (name: string, amount: string): readonly RawReportRow[] => [
      raw('TextRow', name, ''),
      owes('Ash Bakery, 2025-06-01, Invoice, 12', amount),
      raw('SubtotalRow', `Total ${name}`, '', amount),
    ]
    const evidence = aging(
      ['Entry', 'Open Balance'],
      [...section('Current', '5.00'), ...section('> 90', '70.00'), ...section('Ancient', '900.00')],
    )
    expect(ofRule(evidence, 'past-90-days')).toEqual(['past-90-days: Ash Bakery 70'])
    expect(reason(evidence, 'past-90-days')).toBe('The age of amounts under “ancient” isn’t known.')
  })

  it('may have jobs with the same name: one’s credit isn’t set off against another’s balance', () => {
    const customers = [
      record('c1', 'Kern'),
      record('c2', 'Job 1', { fullName: 'Kern:Job 1', parentId: 'c1' }),
      record('c3', 'Ash'),
      record('c4', 'Job 1', { fullName: 'Ash:Job 1', parentId: 'c3' }),
    ]
    const columns = ['Customer', 'Current', '91 and over', 'Total']
    const jobs = [owes('Job 1', '500.00', '0.00', '500.00'), owes('Job 1', '-300.00', '0.00', '-300.00')]
    const flat = aging(columns, jobs, withLists(clean, { customers }))
    expect(ofRule(flat, 'customer-credit')).toEqual([])
    expect(reason(flat, 'customer-credit')).toBe(
      'Several customers are called Job 1, so their amounts weren’t compared.',
    )
    const nested = ['Kern', 'Ash'].flatMap((name, at) => [
      raw('TextRow', name, ''),
      ...jobs.slice(at, at + 1),
      raw('SubtotalRow', `Total ${name}`, ''),
    ])
    const named = aging(columns, nested, withLists(clean, { customers }))
    expect(ofRule(named, 'customer-credit')).toEqual(['customer-credit: Ash:Job 1 -300'])
    const unread: Evidence = { ...aging(columns, nested), list: () => ({ ok: false, reason: 'Refused.' }) }
    expect(ofRule(unread, 'customer-credit')).toEqual(['customer-credit: Job 1 -300'])
  })

  it.each([
    ['0.00', '500.00', '500.00', '(500.00)'],
    ['0.00', '1,500.00', '1,500.00', '-500.00'],
    ['1,500.00', '0.00', '1,500.00', '-500.00'],
  ])('may have amounts that can’t be read: %s, %s, %s, and %s', (current, late, total, credit) => {
    const columns = ['Num', 'Name', 'Current', '91 and over', 'Total']
    const evidence = aging(columns, [
      raw('DataRow', 'Invoice 88', '', '88', 'Ash Bakery', current, late, total),
      raw('DataRow', 'Credit memo 3', '', '3', 'Ash Bakery', '0.00', credit, credit),
      raw('DataRow', 'Invoice 90', '', '90', 'Beech & Co.', '0.00', '70.00', '70.00'),
    ])
    // What is known of another customer is found.
    expect(ofRule(evidence, 'past-90-days')).toEqual(['past-90-days: Beech & Co. 70'])
    expect(ofRule(evidence, 'customer-credit')).toEqual([])
    for (const rule of ['past-90-days', 'customer-credit'] as const) {
      expect(reason(evidence, rule)).toMatch(/can’t be read/)
    }
  })

  it('may have entries with the same name, of which one can’t be read', () => {
    const evidence = aging(
      ['Type', 'Name', 'Current', '91 and over', 'Total'],
      [
        raw('DataRow', 'Invoice', '', 'Ash Bakery', '0.00', '500.00', '500.00'),
        raw('DataRow', 'Invoice', '', 'Beech & Co.', '0.00', '1,500.00', '1,500.00'),
        raw('DataRow', 'Invoice', '', 'Cedar', '0.00', '700.00', '700.00'),
      ],
    )
    expect(ofRule(evidence, 'past-90-days')).toEqual([
      'past-90-days: Ash Bakery 500',
      'past-90-days: Cedar 700',
    ])
    expect(reason(evidence, 'past-90-days')).toMatch(/can’t be read: “1,500.00”/)
  })

  it('may have another customer’s name in a column: the row’s own name and ID decide', () => {
    const row = owes('Ash Bakery', 'Beech & Co.', '0.00', '500.00', '500.00')
    const evidence = aging(['Rep name', 'Current', '91 and over', 'Total'], [row])
    expect(ofRule(evidence, 'past-90-days')).toEqual(['past-90-days: Ash Bakery 500'])
  })

  it('may have inactive customers around their entries', () => {
    const customers = [record('c1', 'Ash Bakery', { isActive: false }), record('c2', 'Beech & Co.')]
    const section = (name: string, ...amounts: readonly string[]): readonly RawReportRow[] => [
      raw('TextRow', name, ''),
      ...amounts.map((amount, at) =>
        owes(`2026-03-0${String(at + 1)}, Invoice, 8${String(at)}`, amount, amount),
      ),
      raw('SubtotalRow', `Total ${name}`, ''),
    ]
    const inactive = (...amounts: readonly string[]): Evidence =>
      aging(
        ['Entry', 'Current', 'Total'],
        [...section('Ash Bakery', ...amounts), ...section('Beech & Co.', '5.00')],
        withLists(clean, { customers }),
      )
    expect(ofRule(inactive('300.00', '20.00'), 'inactive')).toEqual(['inactive: Ash Bakery 320'])
    expect(reason(inactive('300.00'), 'inactive')).toBe('')
    expect(ofRule(inactive('300.00', '(20.00)'), 'inactive')).toEqual([])
    // An entry without a customer doesn't hide any other entry. An entry of zero doesn't matter.
    for (const [amount, why] of [
      ['0.00', ''],
      ['20.00', 'The aging report doesn’t name its customers.'],
    ] as const) {
      const rows = [owes('Ash Bakery', '500.00', '500.00'), owes('2026-03-05, 89', amount, amount)]
      const evidence = aging(['Entry', 'Current', 'Total'], rows, withLists(clean, { customers }))
      expect(ofRule(evidence, 'inactive')).toEqual(['inactive: Ash Bakery 500'])
      expect(reason(evidence, 'inactive')).toBe(why)
    }
  })

  it('may have a total in a row of an unknown type, or in a data row', () => {
    for (const rowType of ['GrandTotalRow', 'DataRow']) {
      for (const name of ['TOTAL', 'Grand total', 'Sum']) {
        const rows = [
          owes('Ash Bakery', '0.00', '500.00', '500.00'),
          owes('Beech & Co.', '20.00', '0.00', '20.00'),
          { ...owes(name, '20.00', '500.00', '520.00'), rowType },
        ]
        const evidence = aging(['Customer', 'Current', '91 and over', 'Total'], rows)
        expect(ofRule(evidence, 'past-90-days')).toEqual(['past-90-days: Ash Bakery 500'])
        expect(reason(evidence, 'inactive')).toBe('')
      }
    }
    for (const name of ['TOTAL ASSETS', 'Total']) {
      const assets = changed(
        clean,
        'balance-sheet',
        replaceRow('Total Assets', (row) => [{ name, rowType: 'GrandTotalRow' }, row]),
      )
      expect(found(assets)).toEqual([])
    }
  })

  it.each(['DataRow', 'CustomerRow'])(
    'may have a customer whose name begins like a total in a %s',
    (rowType) => {
      const columns = ['Customer', 'Current', '91 and over', 'Total']
      const last = { ...owes('Total Wine & More', '0.00', '500.00', '500.00'), rowType }
      const late = 'past-90-days: Total Wine & More 500'
      const evidence = aging(columns, [{ ...owes('Ash Bakery', '0.00', '20.00', '20.00'), rowType }, last])
      expect(ofRule(evidence, 'past-90-days').at(-1)).toBe(late)
      // With the amount of the only other customer, it may be a total, unless it is in the list.
      const same = aging(columns, [{ ...owes('Ash Bakery', '0.00', '500.00', '500.00'), rowType }, last])
      expect(ofRule(same, 'past-90-days')).toEqual(['past-90-days: Ash Bakery 500'])
      expect(reason(same, 'past-90-days')).toMatch(/may be a total or a customer/)
      const known = withLists(same, { customers: [record('c9', 'Total Wine & More')] })
      expect(ofRule(known, 'past-90-days').at(-1)).toBe(late)
      // It comes before another one and adds nothing up, so it is a wrong total or a customer.
      const total = { ...owes('Total', '0.00', '500.00', '500.00'), rowType }
      const rows = [{ ...owes('Ash Bakery', '0.00', '20.00', '20.00'), rowType }, total, last]
      expect(ofRule(aging(columns, rows), 'past-90-days')).toHaveLength(2)
      expect(reason(aging(columns, rows), 'past-90-days')).toMatch(/“Total”, which may be a total/)
    },
  )

  it.each(['GrandTotalRow', 'DataRow'])('may have a total of one row in a %s', (rowType) => {
    const columns = ['Customer', 'Current', '91 and over', 'Total']
    const amounts = ['0.00', '500.00', '500.00'] as const
    const late = (rows: readonly RawReportRow[]): readonly string[] => {
      const evidence = aging(columns, rows)
      expect(reason(evidence, 'inactive')).toBe('')
      return ofRule(evidence, 'past-90-days')
    }
    const ofAll = [
      ...['Total Receivables', 'Total A/R', 'TOTAL (USD)', 'Totals as of 03/31/2026', 'Total Open Balance'],
      ...['Grand Total USD', 'Total'],
    ]
    for (const name of ofAll) {
      const rows = [owes('Ash Bakery', ...amounts), { ...owes(name, ...amounts), rowType }]
      expect(late(rows)).toEqual(['past-90-days: Ash Bakery 500'])
    }
    const percent = { ...owes('Percent of total', '98.00', '2.00', '100.00'), rowType }
    expect(late([owes('Ash Bakery', ...amounts), percent])).toEqual(['past-90-days: Ash Bakery 500'])
    const inOtherWords = aging(columns, [
      owes('Ash Bakery', ...amounts),
      { ...owes('Total Invoices', ...amounts), rowType },
    ])
    expect(ofRule(inOtherWords, 'past-90-days')).toEqual(['past-90-days: Ash Bakery 500'])
    expect(reason(inOtherWords, 'past-90-days')).toMatch(/“Total Invoices”, which may be a total/)
    for (const name of ['Total for Ash Bakery', 'Ash Bakery Total', 'Ash Bakery - Total']) {
      const rows = [
        raw('TextRow', 'Ash Bakery', ''),
        owes('Invoice 12', ...amounts),
        { ...owes(name, ...amounts), rowType },
        raw('SubtotalRow', 'Total', '', ...amounts),
      ]
      expect(late(rows)).toEqual(['past-90-days: Ash Bakery 500'])
    }
  })

  it.each(['GrandTotalRow', 'DataRow'])(
    'may have a total in a %s of an amount that can’t be read',
    (rowType) => {
      const evidence = aging(
        ['Customer', 'Current', '91 and over', 'Total'],
        [
          owes('Ash Bakery', '0.00', '500.00', '500.00'),
          owes('Beech & Co.', '0.00', '1 500,00', '1 500,00'),
          { ...owes('Total receivables', '0.00', '2000.00', '2000.00'), rowType },
        ],
      )
      expect(ofRule(evidence, 'past-90-days')).toEqual(['past-90-days: Ash Bakery 500'])
      expect(reason(evidence, 'past-90-days')).toBe('The amount of Beech & Co. can’t be read: “1 500,00”.')
    },
  )

  it('may have a row that is a total or a customer: only what holds for both is found', () => {
    const evidence = aging(
      ['Customer', 'Current', '91 and over', 'Total'],
      [
        owes('Ash Bakery', '0.00', '100.00', '100.00'),
        owes('Beech & Co.', '0.00', '50.00', '50.00'),
        owes('Total Wine & More', '0.00', '150.00', '150.00'),
      ],
    )
    const why = 'Receivables aging detail has “Total Wine & More”, which may be a total or a customer.'
    expect(ofRule(evidence, 'past-90-days')).toEqual([
      'past-90-days: Ash Bakery 100',
      'past-90-days: Beech & Co. 50',
    ])
    expect(reason(evidence, 'past-90-days')).toBe(why)
    expect(reason(evidence, 'inactive')).toBe(why)
    const { customers = [] } = Object.fromEntries(CLEAN.lists)
    const known = withLists(evidence, { customers: [...customers, record('c9', 'Total Wine & More')] })
    expect(ofRule(known, 'past-90-days')).toHaveLength(3)
    expect(reason(known, 'past-90-days')).toBe('')
  })

  it('may have a customer named like a total whom the service’s own total contains', () => {
    const rows = [
      owes('Ash Bakery', '0.00', '100.00', '100.00'),
      owes('Beech & Co.', '0.00', '50.00', '50.00'),
      owes('Total Wine & More', '0.00', '150.00', '150.00'),
      raw('TotalRow', 'TOTAL', '', '0.00', '300.00', '300.00'),
    ]
    const evidence = aging(['Customer', 'Current', '91 and over', 'Total'], rows)
    expect(ofRule(evidence, 'past-90-days')).toHaveLength(3)
    expect(reason(evidence, 'past-90-days')).toBe('')
  })

  it('may have such a customer around its entries', () => {
    const customers = [record('c1', 'Ash Bakery'), record('c9', 'Total Wine & More')]
    const rows = [
      raw('TextRow', 'Total Wine & More', ''),
      owes('2025-11-03, Invoice, 81', '0.00', '500.00', '500.00'),
      raw('SubtotalRow', 'Total Total Wine & More', '', '0.00', '500.00', '500.00'),
    ]
    const evidence = aging(
      ['Entry', 'Current', '91 and over', 'Total'],
      rows,
      withLists(clean, { customers }),
    )
    expect(ofRule(evidence, 'past-90-days')).toEqual(['past-90-days: Total Wine & More 500'])
  })

  it.each(['AccountRow', 'DataRow'])(
    'may have an account in a %s that is called like a result',
    (rowType) => {
      const services = replaceRow('Services', () => [{ name: 'Other Income', id: '', rowType }])
      const sources = ['trial-balance', 'profit-and-loss', 'by-class'] as const
      const evidence = sources.reduce((whole, source) => changed(whole, source, services), withoutIds(clean))
      expect(found(evidence)).toEqual([])
      const wrong = changed(
        evidence,
        'trial-balance',
        replaceRow('Other Income', () => [{ values: ['0.00', '1.00'] }]),
      )
      expect(ofRule(wrong, 'statements-agree')).toContainEqual(expect.stringMatching(/: Other Income /))
    },
  )

  it('may have all of its subtotals in rows of an unknown type', () => {
    const sources = ['balance-sheet', 'balance-sheet-1', 'balance-sheet-12', 'profit-and-loss'] as const
    const summary = (statement: FullReport): FullReport =>
      withRows(statement, (rows) =>
        rows.map((row) => (row.kind === 'subtotal' ? { ...row, rowType: 'SummaryRow' } : row)),
      )
    expect(found(sources.reduce((whole, source) => changed(whole, source, summary), clean))).toEqual([])
  })

  it.each(['SummaryRow', 'DataRow'])(
    'may have a bare total in a %s at the end of each section',
    (rowType) => {
      const sources = ['balance-sheet', 'profit-and-loss'] as const
      const bare = (statement: FullReport): FullReport =>
        withRows(statement, (rows) =>
          rows.map((row) => (row.kind === 'subtotal' ? { ...row, rowType, name: 'Total' } : row)),
        )
      const evidence = sources.reduce((whole, source) => changed(whole, source, bare), clean)
      expect(found(evidence)).toEqual([])
      expect(reason(evidence, 'statements-agree')).toBe('')
      // A wrong one may be an account, and what follows may be in its section.
      const wrong = changed(evidence, 'profit-and-loss', (statement) => {
        const first = statement.rows.findIndex(({ name }) => name === 'Total')
        const values = statement.columns.map(() => '1.00')
        return withRows(statement, (rows) => rows.map((row, at) => (at === first ? { ...row, values } : row)))
      })
      expect(found(wrong)).toEqual([])
      const why = 'Profit and loss has “Total”, which may be a total or an account.'
      expect(reason(wrong, 'statements-agree')).toBe(why)
    },
  )

  it.each(['SummaryRow', 'DataRow'])(
    'may have bare totals in a %s before results and accounts',
    (rowType) => {
      const evidence = changed(clean, 'profit-and-loss', (statement) =>
        withRows(statement, (rows) => {
          const of = (...names: readonly string[]): readonly RawReportRow[] =>
            rows.filter(({ kind, name }) => kind === 'data' && names.includes(name))
          const section = (name: string, inside: readonly RawReportRow[]): readonly RawReportRow[] => {
            const accounts = inside.filter((row) => row.rowType === 'DataRow' && row.name !== 'Total')
            return [raw('TextRow', name, ''), ...inside, sumRow(rowType, 'Total', accounts)]
          }
          const minus = (row: RawReportRow): RawReportRow => ({
            ...row,
            values: row.values.map((value) => (-Number(value)).toFixed(2)),
          })
          const [income, cogs, other] = [of('Sales'), of('Materials'), of('Services')]
          const office = of('Telephone', 'Software')
          const isTaken = (row: ReportRow): boolean =>
            [...income, ...cogs, ...other, ...office].some(({ name }) => name === row.name)
          const costs = rows.filter((row) => row.kind === 'data' && !isTaken(row))
          const gross = [...income, ...cogs.map(minus)]
          const ordinary = [...gross, ...[...office, ...costs].map(minus)]
          return levelReport([
            ...section('Income', income),
            ...section('Cost of Goods Sold', cogs),
            sumRow(rowType, 'Gross Profit', gross),
            ...section('Expense', [...section('Office', office), ...costs]),
            sumRow(rowType, 'Net Ordinary Income', ordinary),
            ...section('Other Income', other),
            sumRow(rowType, 'Net Income', [...ordinary, ...other]),
          ])
        }),
      )
      expect(ofRule(evidence, 'statements-agree')).toEqual([])
      expect(reason(evidence, 'statements-agree')).toBe('')
    },
  )

  it.each(['SummaryRow', 'DataRow'])('may end in a bare total of all in a %s', (rowType) => {
    const [cogs, income] = ['Total Cost of Goods Sold', 'Total Income']
    const evidence = changed(clean, 'profit-and-loss', (statement) =>
      withRows(statement, (rows) => {
        const isCost = ({ sections }: Line): boolean => !sections.includes('income')
        const values = statement.columns.map((_, at) => {
          const amounts = linesOf(statement).map(
            (line) => Number(line.row.values[at]) * (isCost(line) ? -1 : 1),
          )
          return amounts.reduce((sum, amount) => sum + amount, 0).toFixed(2)
        })
        const isLeft = ({ kind, name }: ReportRow): boolean =>
          kind === 'data' || kind === 'section' || [cogs, income].includes(name)
        return levelReport([...rows.filter(isLeft), { ...raw(rowType, 'Total', ''), values }])
      }),
    )
    expect(found(evidence)).toEqual([])
    expect(reason(evidence, 'statements-agree')).toBe('')
  })

  it.each(['SummaryRow', 'DataRow', 'SubtotalRow', 'TotalRow', ''])(
    'may have sections that nothing closes, and one bare total in a “%s”',
    (rowType) => {
      const evidence = changed(clean, 'profit-and-loss', (statement) =>
        withRows(statement, (rows) => {
          const left = rows.filter(({ kind }) => kind === 'data' || kind === 'section')
          const values = statement.columns.map((_, at) => {
            const amounts = linesOf(statement).map(
              (line) => Number(line.row.values[at]) * (line.sections.includes('income') ? 1 : -1),
            )
            return amounts.reduce((sum, amount) => sum + amount, 0).toFixed(2)
          })
          return levelReport(rowType === '' ? left : [...left, { ...raw(rowType, 'Total', ''), values }])
        }),
      )
      expect(found(evidence)).toEqual([])
      expect(reason(evidence, 'statements-agree')).toMatch(
        /^Profit and loss (?:has “Total”, which may be a total|doesn’t show where its sections end)/,
      )
    },
  )

  it.each(['SummaryRow', 'DataRow'])('may have a result in a %s before one that is marked', (rowType) => {
    const evidence = changed(clean, 'profit-and-loss', (statement) =>
      withRows(statement, (rows) => {
        const of = (name: string): RawReportRow => ({
          ...raw('DataRow', name, ''),
          ...rows.find((row) => row.name === name),
        })
        const sum = (
          name: string,
          type: string,
          costs: boolean,
          parts: readonly RawReportRow[],
        ): RawReportRow => {
          const values = statement.columns.map((_, at) => {
            const amounts = parts.map(({ name: part, values: each }) => {
              const isCost = !['Sales', 'Services'].includes(part) && costs
              return Math.round(Number(each[at]) * 100) * (isCost ? -1 : 1)
            })
            return (amounts.reduce((one, other) => one + other, 0) / 100).toFixed(2)
          })
          return { ...raw(type, name, ''), values }
        }
        const [income, costs, other] = [
          [of('Sales'), of('Services')],
          [of('Materials'), of('Rent'), of('Wages')],
          [of('Interest Expense')],
        ]
        return levelReport([
          ...[raw('TextRow', 'Income', ''), ...income, sum('Total Income', 'SubtotalRow', false, income)],
          ...[raw('TextRow', 'Expenses', ''), ...costs, sum('Total Expenses', 'SubtotalRow', false, costs)],
          sum('Net Operating Income', rowType, true, [...income, ...costs]),
          ...[raw('TextRow', 'Other Expenses', ''), ...other],
          sum('Total Other Expenses', 'SubtotalRow', false, other),
          sum('Net Other Income', 'TotalRow', true, other),
          sum('Net Income', 'TotalRow', true, [...income, ...costs, ...other]),
        ])
      }),
    )
    const wrong = ofRule(evidence, 'statements-agree').filter((each) => /Net O/.test(each))
    expect(wrong).toEqual([])
  })

  it('may have results in rows of an unknown type', () => {
    const evidence = changed(clean, 'profit-and-loss', (statement) =>
      withRows(statement, (rows) => {
        const sumOf = (names: readonly string[]): string[] =>
          statement.columns.map((_, at) => {
            const amounts = rows.map(({ name, values }) => (names.includes(name) ? Number(values[at]) : 0))
            return amounts.reduce((sum, amount) => sum + amount, 0).toFixed(2)
          })
        const [sales, materials] = [sumOf(['Sales', 'Services']), sumOf(['Materials'])]
        const gross = sales.map((amount, at) => (Number(amount) - Number(materials[at])).toFixed(2))
        return rows.flatMap((row) => {
          const after: Readonly<Record<string, readonly [string, readonly string[]]>> = {
            'Total Income': ['Operating income', sales],
            'Total Cost of Goods Sold': ['Operating profit', gross],
          }
          const [name, values] = after[row.name] ?? []
          if (name === undefined || values === undefined) return [row]
          const result = { ...row, rowType: 'SummaryRow', name, values: [...values] }
          return row.name === 'Total Income' ? [result, row] : [row, result]
        })
      }),
    )
    expect(found(evidence)).toEqual([])
  })

  it.each(['SummaryRow', 'DataRow'])('may have all of its totals in a %s', (rowType) => {
    const evidence = changed(clean, 'profit-and-loss', (statement) =>
      withRows(statement, (rows) => {
        const costs = new Set(rows.flatMap(({ name }) => (/^(?:Sales|Services)$/.test(name) ? [] : [name])))
        const result = statement.columns.map((_, at) => {
          const amounts = rows.map(({ kind, name, values }) =>
            kind === 'data' ? Math.round(Number(values[at]) * 100) * (costs.has(name) ? -1 : 1) : 0,
          )
          return (amounts.reduce((sum, amount) => sum + amount, 0) / 100).toFixed(2)
        })
        const totals = rows.map((row) => (row.kind === 'subtotal' ? { ...row, rowType } : row))
        const results = ['Operating profit', 'Profit before tax', 'Net Income']
        return levelReport([
          ...totals.filter(({ kind }) => kind !== 'total'),
          ...results.map((name) => raw(rowType, name, '', ...result)),
        ])
      }),
    )
    expect(found(evidence)).toEqual([])
    expect(reason(evidence, 'statements-agree')).toBe('')
  })

  it.each(['SummaryRow', 'DataRow'])('may have a total in a %s before the service’s own', (rowType) => {
    const evidence = (['balance-sheet', 'profit-and-loss'] as const).reduce(
      (whole, source) =>
        changed(whole, source, (statement) =>
          withRows(statement, (rows) =>
            rows.flatMap((row) =>
              row.kind === 'subtotal' ? [{ ...row, rowType, name: row.name.toUpperCase() }, row] : [row],
            ),
          ),
        ),
      clean,
    )
    expect(found(evidence)).toEqual([])
    expect(reason(evidence, 'statements-agree')).toBe('')
  })

  it.each(['SummaryRow', 'DataRow'])('may have a total of one cost in a %s, in other words', (rowType) => {
    const evidence = changed(
      clean,
      'profit-and-loss',
      replaceRow('Total Cost of Goods Sold', (row) => [{ name: 'Total Cost of Sales', rowType }, row]),
    )
    expect(found(evidence)).toEqual([])
    expect(reason(evidence, 'statements-agree')).toBe('')
  })

  it('may have totals over many sections, which may be wrong', () => {
    const sheet = (rowType: string, assets: string): Evidence =>
      changed(clean, 'balance-sheet', (statement) => {
        const sectionOf = (name: string, ...rows: readonly RawReportRow[]): readonly RawReportRow[] => {
          const cents = rows.map(({ values }) => Math.round(Number(values[0]) * 100))
          const sum = (cents.reduce((one, other) => one + other, 0) / 100).toFixed(2)
          return [raw('TextRow', name, ''), ...rows, raw('SubtotalRow', `Total ${name}`, '', sum)]
        }
        const all = new Map(statement.rows.map((row) => [row.name, row]))
        const of = (name: string): RawReportRow => ({ ...raw('DataRow', name, ''), ...all.get(name) })
        return withRows(statement, () =>
          levelReport([
            ...sectionOf('Current Assets', of('Checking')),
            ...sectionOf('Fixed Assets', of('Equipment'), of('Accumulated Depreciation')),
            raw(rowType, 'TOTAL ASSETS', '', assets),
            ...sectionOf('Current Liabilities', of('Accounts Payable'), of('Company Card')),
            ...sectionOf('Tax Liabilities', of('Sales Tax Payable')),
            ...sectionOf('Long Term Liabilities', of('Truck Loan')),
            ...sectionOf('Equity', of('Retained Earnings'), of('Owner’s Equity'), of('Net Income')),
            raw(rowType, 'TOTAL LIABILITIES & EQUITY', '', '152846.29'),
          ]),
        )
      })
    for (const rowType of ['SummaryRow', 'DataRow']) {
      expect(found(sheet(rowType, '152846.29'))).toEqual([])
      expect(reason(sheet(rowType, '152846.29'), 'statements-agree')).toBe('')
      expect(reason(sheet(rowType, '152846.30'), 'statements-agree')).toBe(
        'Balance sheet has “TOTAL ASSETS”, which may be a total or an account.',
      )
    }
  })

  it.each(['SummaryRow', 'DataRow'])('may have a parent’s total in a %s with the parent’s ID', (rowType) => {
    const nested = replaceRow('Telephone', (row) => {
      const [part, rest] = split(row.values)
      return [
        { name: 'Office', rowType: 'TextRow', id: 'P', values: [] },
        { name: 'Telephone', values: rest },
        { name: 'Mobile', id: 'M', values: part },
        { name: 'Total Office', rowType, id: 'P', values: row.values },
      ]
    })
    const flat = replaceRow('Telephone', (row) => {
      const [part, rest] = split(row.values)
      return [{ values: rest }, { name: 'Mobile', id: 'M', values: part }]
    })
    const evidence = changed(changed(clean, 'trial-balance', flat), 'profit-and-loss', nested)
    expect(found(evidence)).toEqual([])
    expect(reason(evidence, 'statements-agree')).toBe('')
    // A different ID belongs to an account.
    const other = changed(
      evidence,
      'profit-and-loss',
      replaceRow('Total Office', () => [{ id: 'T' }]),
    )
    expect(ofRule(other, 'statements-agree')).not.toEqual([])
  })

  it('has a total in a row of an unknown type that doesn’t add up', () => {
    const wrong = changed(
      clean,
      'balance-sheet',
      replaceRow('Total Assets', () => [{ rowType: 'SummaryRow', values: ['152846.30'] }]),
    )
    expect(ofRule(wrong, 'statements-agree')).toEqual(['statements-agree: Total Assets -0.01'])
  })

  it('may be in the customers’ currencies', () => {
    const columns = ['Customer', 'Currency', 'Current', '91 and over', 'Total']
    const evidence = aging(columns, [
      owes('Ash Bakery', 'USD', '200.00', '0.00', '200.00'),
      owes('Beech & Co.', 'EUR', '0.00', '100.00', '100.00'),
    ])
    expect(ofRule(evidence, 'receivables-agree')).toEqual([])
    expect(reason(evidence, 'receivables-agree')).toBe('The aging report has amounts in USD and EUR.')
    const [late] = findingsOf(reviewMonth(evidence, null)).filter(({ rule }) => rule === 'past-90-days')
    expect(late?.detail).toEqual(['More than 90 days past due.', ' The amount is in EUR.'])
    const some = aging(columns, [
      owes('Ash Bakery', '', '200.00', '0.00', '200.00'),
      owes('Beech & Co.', 'EUR', '100.00', '0.00', '100.00'),
    ])
    expect(ofRule(some, 'receivables-agree')).toEqual([])
    expect(reason(some, 'receivables-agree')).toBe(
      'The aging report has amounts in EUR, and some without a currency.',
    )
    const mixed = aging(columns, [
      owes('Ash Bakery', 'EUR', '0.00', '200.00', '200.00'),
      owes('Ash Bakery', 'USD', '0.00', '100.00', '100.00'),
    ])
    expect(ofRule(mixed, 'past-90-days')).toEqual([])
    expect(reason(mixed, 'past-90-days')).toBe(
      'Ash Bakery has amounts in several currencies, so they weren’t compared.',
    )
  })

  it('may be in one currency, which is or may not be that of the balance sheet', () => {
    const columns = ['Customer', 'Currency', 'Current', '91 and over', 'Total']
    const rows = [owes('Ash Bakery', 'EUR', '100.00', '0.00', '100.00')]
    const unknown = aging(columns, rows)
    expect(ofRule(unknown, 'receivables-agree')).toEqual([])
    expect(reason(unknown, 'receivables-agree')).toBe(
      'The aging report is in EUR, and the balance sheet may be in another currency.',
    )
    const list = clean.list('accounts')
    const accounts = (list.ok ? list.value : []).map((each) => ({ ...each, currency: 'EUR' }))
    const known = aging(columns, rows, withLists(clean, { accounts }))
    expect(ofRule(known, 'receivables-agree')).toHaveLength(1)
    // US dollars, unless an account says otherwise. A row of zero says nothing.
    for (const currency of ['USD', 'US Dollar']) {
      const dollars = aging(columns, [
        owes('Ash Bakery', currency, '100.00', '0.00', '100.00'),
        owes('Beech & Co.', '', '0.00', '0.00', '0.00'),
      ])
      expect(ofRule(dollars, 'receivables-agree')).toHaveLength(1)
      expect(ofRule(withLists(dollars, { accounts }), 'receivables-agree')).toEqual([])
    }
  })
})

describe('1099 vendors', () => {
  const withVendors = (change: Parameters<typeof record>[2]): Evidence =>
    evidenceOfMade({
      ...CLEAN,
      lists: new Map([
        ...CLEAN.lists,
        ['vendors', (CLEAN.lists.get('vendors') ?? []).map((each) => ({ ...each, ...change }))],
      ]),
    })
  const details = (evidence: Evidence): unknown =>
    findingsOf(reviewMonth(evidence, null)).map(({ rule, subject, detail }) => [
      rule,
      subject,
      detail.filter((each) => typeof each === 'string').join(''),
    ])

  it('are checked for a tax ID where the list has one', () => {
    expect(details(withVendors({ hasTaxId: false }))).toEqual([
      ['incomplete-1099', 'Cedar Supply', 'No tax ID.'],
    ])
    expect(details(withVendors({ hasTaxId: false, hasAddress: false }))).toEqual([
      ['incomplete-1099', 'Cedar Supply', 'No complete address and no tax ID.'],
    ])
  })

  it('are said not to be checked for an address where the list has none', () => {
    expect(reason(withVendors({ hasTaxId: null, hasAddress: null }), 'incomplete-1099')).toBe(
      'The service’s vendors have no address, so that was not checked.',
    )
    expect(reason(withVendors({ hasTaxId: null, hasAddress: null, is1099: false }), 'incomplete-1099')).toBe(
      '',
    )
  })

  it('are not checked for a tax ID where the list has none', () => {
    expect(reason(withVendors({ hasTaxId: null }), 'incomplete-1099')).toBe('')
    expect(details(withVendors({ hasTaxId: null }))).toEqual([])
  })

  it('have a tax ID in the field that their application has for it', () => {
    const read = createListedRecordReader('vendors')
    for (const name of ['TaxID', 'TaxIdentifier', 'VendorTaxIdent', 'TIN', 'federalTaxId', 'tax_id_number']) {
      expect(read({ ID: 'v1', [name]: '' }).hasTaxId).toBe(false)
      expect(read({ ID: 'v1', [name]: 'XX-XXX6789' }).hasTaxId).toBe(true)
    }
    for (const name of ['TaxCode', 'ItemSalesTax', 'Territory', 'Beginning']) {
      expect(read({ ID: 'v1', [name]: 'x' }).hasTaxId).toBeNull()
    }
  })
})

const NO_MONTHS: DecisionStore = {
  version: () => null,
  decisions: () => [],
  inStates: () => [],
  outcomes: () => [],
}

describe('an acceptance', () => {
  const company = { connectionId: 'c', endpointId: 'e' }
  const finding = (amount: string): Finding => ({
    ...{ key: 'should-be-empty|4999', rule: 'should-be-empty', severity: 'likely', side: 'debit', row: null },
    ...{ subject: 'Uncategorized Income', amount, detail: ['A credit balance.'], records: null },
  })
  const found = (amount: string, ...unchecked: string[]) =>
    ({ result: 'found', findings: amount === '' ? [] : [finding(amount)], unchecked }) as const

  it.each([
    ['the same amount', found('-50'), true],
    ['another amount', found('-120'), false],
    ['another amount, and something unreadable', found('-120', 'x'), false],
    ['only something unreadable', found('', 'x'), true],
    ['nothing', { result: 'clean' }, false],
    ['nothing that was checked', { result: 'not-checked', reason: 'x' }, true],
    ['no review', null, true],
  ] as const)('holds in another month with %s in between', (_, between, isHeld) => {
    const outcomes: readonly KeptOutcome[] =
      between === null ? [] : [{ ...between, rule: 'should-be-empty', checkedAt: '' }]
    const accepted = (month: string) => {
      const decision = { kind: 'accepted', amount: '-50', note: '', by: '', at: '', endedIn: [] } as const
      const store: DecisionStore = {
        ...NO_MONTHS,
        decisions: () => [{ ...decision, key: acceptanceKey(finding('-50'), month) }],
        inStates: () => (between === null ? [] : [{ month: '2026-01' }]),
        outcomes: (__, each) => (each === '2026-01' ? outcomes : []),
      }
      return (each: string, amount: string) =>
        decisionsIn(store, company, each, null)(finding(amount)) !== null
    }
    expect(accepted('2025-12')('2026-02', '-50')).toBe(isHeld)
    expect(accepted('2026-02')('2025-12', '-50')).toBe(isHeld)
    expect(accepted('2026-02')('2026-02', '-50')).toBe(true)
    expect(accepted('2025-12')('2026-02', '-120')).toBe(false)
  })
})

describe('a decision about a record', () => {
  const findings = (phone: string, email: string, hasAddress: boolean): readonly Finding[] => {
    const customers = [record('c1', 'Ash Bakery', { phone, email })]
    const vendors = [record('v1', 'Cedar Supply', { is1099: true, hasTaxId: false, hasAddress })]
    const evidence = withLists(evidenceOfMade(CLEAN), { customers, vendors })
    const rules: readonly string[] = ['malformed', 'incomplete-1099']
    return findingsOf(reviewMonth(evidence, null)).filter(({ rule }) => rules.includes(rule))
  }
  const [before, after] = [
    findings('555-01', 'owner@ash.example', true),
    findings('555-01', 'owner(at)ash', false),
  ]

  it('that is inactive lasts for its balance, and not for the entries of a month', () => {
    const inactive = (source: 'accounts' | 'vendors', name: string): readonly ListedRecord[] =>
      (CLEAN.lists.get(source) ?? []).map((each) =>
        each.name === name ? { ...each, isActive: false } : each,
      )
    const evidence = withLists(evidenceOfMade(CLEAN), {
      accounts: inactive('accounts', 'Checking'),
      vendors: inactive('vendors', 'Dogwood Realty'),
    })
    const used = findingsOf(reviewMonth(evidence, null)).filter(({ rule }) => rule === 'inactive')
    const isHeld = Object.fromEntries(
      used.map((finding) => {
        const decision = {
          kind: 'accepted',
          amount: finding.amount,
          note: '',
          by: '',
          at: '',
          endedIn: [],
        } as const
        const store = {
          ...NO_MONTHS,
          decisions: () => [{ ...decision, key: acceptanceKey(finding, '2026-02') }],
        }
        const decisionOn = decisionsIn(store, { connectionId: 'c', endpointId: 'e' }, '2026-03', null)
        return [finding.subject, decisionOn(finding) !== null]
      }),
    )
    expect(isHeld).toEqual({ Checking: true, 'Dogwood Realty': false })
  })

  it.each(['accepted', 'never'] as const)('that is %s says how much else it hides', (kind) => {
    const store = {
      ...NO_MONTHS,
      decisions: () =>
        before.map((finding) => ({
          ...{ kind, amount: finding.amount, note: '', by: '', at: '', endedIn: [] },
          key: kind === 'never' ? finding.key : acceptanceKey(finding, '2026-02'),
        })),
    }
    const decisionOn = decisionsIn(store, { connectionId: 'c', endpointId: 'e' }, '2026-03', null)
    expect(before.map((finding) => decisionOn(finding)?.kind)).toEqual([kind, kind])
    // Something else is wrong with the same records.
    expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key))
    const hidden = kind === 'never' ? kind : undefined
    expect(after.map((finding) => decisionOn(finding)?.kind)).toEqual([hidden, hidden])
  })
})
