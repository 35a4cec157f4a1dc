import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkReport } from '../../../electron/rows/reports/checks.ts'
import { Format } from '../../../shared/format/format.ts'
import { levelReport } from '../../../shared/reports/levels.ts'
import { formatFinding } from '../../../shared/reports/messages.ts'
import type { RawReportRow, ReportChecks } from '../../../shared/reports/reports.ts'

function row(rowType: string, name: string, ...values: string[]): RawReportRow {
  return { rowType, name, id: '', values }
}
const FORMAT = new Format({ locale: 'en-GB', negatives: 'minus' })
const text = (name: string, ...values: string[]): RawReportRow => row('TextRow', name, ...values)
const data = (name: string, ...values: string[]): RawReportRow => row('DataRow', name, ...values)
const sub = (name: string, ...values: string[]): RawReportRow => row('SubtotalRow', name, ...values)
const total = (name: string, ...values: string[]): RawReportRow => row('TotalRow', name, ...values)

function check(name: string, columns: readonly string[], rows: readonly RawReportRow[]): ReportChecks {
  return checkReport(name, columns, levelReport(rows))
}

/** As a desktop application writes it, with gross profit as an intermediate subtotal. */
const DESKTOP = [
  text('Ordinary Income/Expense'),
  text('Income'),
  data('4000 Sales', '100.00', '0.10'),
  data('4900 Discounts given', '-8.50', '0.20'),
  sub('Total Income', '91.50', '0.30'),
  text('Cost of Goods Sold'),
  data('5000 Materials', '30.25', '0.00'),
  sub('Total COGS', '30.25', '0.00'),
  sub('Gross Profit', '61.25', '0.30'),
  text('Expense'),
  text('6600 Utilities'),
  data('6610 Gas', '5.00', '0.05'),
  data('6620 Water', '1.25', '0.00'),
  sub('Total 6600 Utilities', '6.25', '0.05'),
  data('6700 Rent', '20.00', '0.00'),
  sub('Total Expense', '26.25', '0.05'),
  sub('Net Ordinary Income', '35.00', '0.25'),
  text('Other Income/Expense'),
  text('Other Income'),
  data('7000 Interest', '2.00', '0.00'),
  sub('Total Other Income', '2.00', '0.00'),
  text('Other Expense'),
  data('8000 Penalties', '0.75', '0.25'),
  sub('Total Other Expense', '0.75', '0.25'),
  sub('Net Other Income', '1.25', '-0.25'),
  total('Net Income', '36.25', '0.00'),
]

/** As an online application or a plain service writes it: results are totals at the top. */
const ONLINE = [
  text('Income'),
  data('Sales', '100.00'),
  sub('Total Income', '100.00'),
  text('Cost of Goods Sold'),
  data('Materials', '30.00'),
  sub('Total Cost of Goods Sold', '30.00'),
  total('Gross Profit', '70.00'),
  text('Expenses'),
  data('Rent', '20.00'),
  sub('Total Expenses', '20.00'),
  total('Net Operating Income', '50.00'),
  text('Other Income'),
  data('Interest', '3.00'),
  sub('Total Other Income', '3.00'),
  text('Other Expenses'),
  data('Penalties', '1.00'),
  sub('Total Other Expenses', '1.00'),
  total('Net Other Income', '2.00'),
  total('Net Income', '52.00'),
]

const BALANCE = [
  text('ASSETS'),
  text('Current Assets'),
  data('Bank', '80.00'),
  sub('Total Current Assets', '80.00'),
  data('Van', '20.00'),
  total('TOTAL ASSETS', '100.00'),
  text('LIABILITIES & EQUITY'),
  text('Liabilities'),
  data('Card', '30.00'),
  sub('Total Liabilities', '30.00'),
  text('Equity'),
  data('Opening balance', '60.00'),
  data('Net Income', '10.00'),
  sub('Total Equity', '70.00'),
  total('TOTAL LIABILITIES & EQUITY', '100.00'),
]

/** The same, with every section closed by a subtotal and a total for each side. */
const BALANCE_BY_SECTIONS = [
  text('Assets'),
  data('Bank', '100.00'),
  sub('Total assets', '100.00'),
  text('Liabilities'),
  data('Card', '30.00'),
  sub('Total liabilities', '30.00'),
  text('Equity'),
  data('Capital', '70.00'),
  sub('Total equity', '70.00'),
  total('Total liabilities and equity', '100.00'),
]

const TRIAL = [
  data('Bank', '80.00', ''),
  data('Sales', '', '100.00'),
  data('Rent', '20.00', ''),
  total('TOTAL', '100.00', '100.00'),
]

const AGING = [
  data('Abbott', '1.00', '0.00', '1.00'),
  data('Baker', '2.50', '4.00', '6.50'),
  total('TOTAL', '3.50', '4.00', '7.50'),
]

const RIGHT: readonly (readonly [string, readonly string[], readonly RawReportRow[], number])[] = [
  ['ProfitAndLoss', ['Jan', 'Feb'], DESKTOP, 10],
  ['ProfitAndLoss', ['Total'], ONLINE, 9],
  ['BalanceSheet', ['31 Mar'], BALANCE, 5],
  ['BalanceSheet', ['Total'], BALANCE_BY_SECTIONS, 4],
  ['TrialBalance', ['Debit', 'Credit'], TRIAL, 1],
  ['AgedReceivables', ['Current', '1 - 30 days', 'Total'], AGING, 1],
]

function withCent(value: string): string {
  const cents = BigInt(value.replace('.', '')) + 1n
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

describe('correct reports', () => {
  it.each(RIGHT)('%s %j: every sum adds up, and is counted', (name, columns, rows, sums) => {
    expect(check(name, columns, rows)).toEqual({ held: sums, findings: [], unchecked: [] })
  })

  it.each(RIGHT)('%s %j: a cent changed in any sum is found there', (name, columns, rows) => {
    rows.forEach((each, index) => {
      if (!/Subtotal|Total/.test(each.rowType)) return
      each.values.forEach((value, column) => {
        const changed = rows.with(index, { ...each, values: each.values.with(column, withCent(value)) })
        const { findings } = check(name, columns, changed)
        expect(findings, `${each.name} ${String(column)}`).toContainEqual(
          expect.objectContaining({
            row: index,
            column,
            stated: withCent(value),
            computed: value,
            difference: '-0.01',
          }),
        )
      })
    })
  })

  it.each(RIGHT)('%s %j: a cent changed in any row below a sum is found', (name, columns, rows) => {
    rows.forEach((each, index) => {
      if (each.rowType !== 'DataRow') return
      each.values.forEach((value, column) => {
        if (value === '') return
        const changed = rows.with(index, { ...each, values: each.values.with(column, withCent(value)) })
        expect(check(name, columns, changed).findings.length, each.name).toBeGreaterThan(0)
      })
    })
  })
})

describe('a finding', () => {
  it('names the row, the column, and the difference once, and continues from the stated amount', () => {
    const rows = DESKTOP.map((each) =>
      each.name === 'Total 6600 Utilities' ? sub(each.name, '6.25', '0.14') : each,
    ).map((each) => {
      // The application went on from its own wrong subtotal.
      if (each.name === 'Total Expense') return sub(each.name, '26.25', '0.14')
      if (each.name === 'Net Ordinary Income') return sub(each.name, '35.00', '0.16')
      return each.name === 'Net Income' ? total(each.name, '36.25', '-0.09') : each
    })
    const { findings, held } = check('ProfitAndLoss', ['Jan', 'Feb'], rows)
    expect(findings).toEqual([
      {
        row: 13,
        rowName: 'Total 6600 Utilities',
        column: 1,
        columnName: 'Feb',
        against: 'parts',
        stated: '0.14',
        computed: '0.05',
        difference: '-0.09',
      },
    ])
    expect(held).toBe(9)
  })

  it('a result that matches its rows is right even if a subtotal above it is wrong', () => {
    const rows = [
      text('Income'),
      data('Sales', '9.00'),
      sub('Total Income', '9.50'),
      text('Expenses'),
      data('Rent', '4.00'),
      sub('Total Expenses', '4.00'),
      total('Net Income', '5.00'),
    ]
    expect(check('ProfitAndLoss', ['Total'], rows).findings.map(({ rowName }) => rowName)).toEqual([
      'Total Income',
    ])
  })

  it('is made if debits and credits of a trial balance each add up but differ', () => {
    const rows = [data('Bank', '5.00', ''), data('Sales', '', '4.99'), total('TOTAL', '5.00', '4.99')]
    const { findings } = check('TrialBalance', ['Debit', 'Credit'], rows)
    expect(findings).toEqual([
      expect.objectContaining({ row: 2, column: 1, stated: '4.99', computed: '5.00', difference: '0.01' }),
    ])
    // No part of it is wrong, so it is compared with the other side, and the finding says so.
    expect(findings.map((each) => formatFinding(each, FORMAT).text)).toEqual([
      'TOTAL in Credit is 4.99 and the debits come to 5.00:',
    ])
  })

  it('an equation with missing sums is reported as unchecked', () => {
    const rows = [data('Bank', '5.00', ''), total('TOTAL', '5.00', '')]
    expect(check('TrialBalance', ['Debit', 'Credit'], rows).unchecked).toEqual([
      'Debits couldn’t be compared with credits.',
    ])
    const sides = [total('Total assets', ''), total('Total liabilities and equity', '1.00')]
    expect(check('BalanceSheet', ['31 Mar'], sides).unchecked).toContain(
      'Assets couldn’t be compared with liabilities and equity.',
    )
  })

  it('is made if the sides of a balance sheet add up but differ', () => {
    const rows = BALANCE.map((each) =>
      each.name === 'Van'
        ? data('Van', '20.01')
        : each.name === 'TOTAL ASSETS'
          ? total(each.name, '100.01')
          : each,
    )
    expect(check('BalanceSheet', ['31 Mar'], rows).findings).toEqual([
      expect.objectContaining({
        rowName: 'TOTAL LIABILITIES & EQUITY',
        against: 'assets',
        stated: '100.00',
        computed: '100.01',
      }),
    ])
  })
})

describe('anything but a sum causes no alarm', () => {
  it('percentages, running balances, rates, and budgets are named as unchecked', () => {
    const detail = [
      text('Income'),
      data('Invoice', '01/02/2026', 'a memo', '5.00', '5.00'),
      data('Invoice', '01/03/2026', 'another', '7.00', '12.00'),
      sub('Total Income', '', '', '12.00', '12.50'),
    ]
    expect(check('GeneralLedger', ['Date', 'Memo', 'Amount', 'Balance'], detail)).toEqual({
      held: 1,
      findings: [],
      unchecked: ['Running balances don’t add up by column: Balance.'],
    })
    const budget = [
      text('Income'),
      data('Sales', '5.00', '9.00', '55.6%'),
      sub('Total Income', '5.00', '10.00', '50.0'),
    ]
    expect(check('ProfitAndLossBudgetVsActual', ['Jan', 'Budget', '% of Budget'], budget)).toEqual({
      held: 1,
      findings: [],
      unchecked: [
        'Budget totals can be set independently: Budget.',
        'Percentages don’t add up by column: % of Budget.',
      ],
    })
  })

  it.each([
    ['BankActivity', ['Date', 'Amount', 'Balance'], ['2026-01-02', '5.00', '5.00'], ['', '8.00', '8.50']],
    [
      'PayrollItemDetail',
      ['Hours', 'Pay rate', 'Amount'],
      ['3.00', '9.00', '5.00'],
      ['6.00', '8.33', '8.00'],
    ],
    [
      'ProfitAndLossBudgetVsActual',
      ['Actual', 'Plan', 'Used'],
      ['5.00', '9.00', '55.6'],
      ['8.00', '20.00', '40.0'],
    ],
    ['Overview', ['Actual', 'Budget', 'Variance'], ['5.00', '9.00', '-4.00'], ['8.00', '20.00', '-12.00']],
  ])('%s %j: the other columns help to identify a column', (name, columns, first, sum) => {
    const { findings, held } = check(name, columns, [
      text('All'),
      data('a', ...first),
      data('b', ...columns.map((heading) => (/amount|actual|hours/i.test(heading) ? '3.00' : '7.00'))),
      sub('Total All', ...sum),
    ])
    expect([findings, held]).toEqual([[], 1])
  })

  it('income and expense under a heading without a subtotal', () => {
    const rows = [
      text('Ordinary Income/Expense'),
      text('Income'),
      data('Sales', '9.00'),
      sub('Total Income', '9.00'),
      text('Expense'),
      text('Sales expenses'),
      data('Adverts', '1.00'),
      sub('Total Sales expenses', '1.00'),
      data('Rent', '3.00'),
      sub('Total Expense', '4.00'),
      total('Net Income', '5.00'),
    ]
    expect(check('ProfitAndLoss', ['Total'], rows)).toEqual({ held: 4, findings: [], unchecked: [] })
    expect(
      check('ProfitAndLoss', ['Total'], rows.with(-1, total('Net Income', '13.00'))).findings,
    ).toHaveLength(1)
  })

  it('a section of costs with a word of income in its name counts as cost', () => {
    const rows = [
      text('Revenue'),
      data('Fees', '9.00'),
      sub('Total Revenue', '9.00'),
      text('Sales and marketing expenses'),
      data('Adverts', '4.00'),
      sub('Total Sales and marketing expenses', '4.00'),
      total('Net Income', '5.00'),
    ]
    expect(check('ProfitAndLoss', ['Total'], rows)).toEqual({ held: 3, findings: [], unchecked: [] })
  })

  it('results of some sections, as in balance sheets of other countries', () => {
    const section = (name: string, amount: string): RawReportRow[] => [
      text(name),
      data(`Of ${name}`, amount),
      sub(`Total ${name}`, amount),
    ]
    const rows = [
      ...section('Fixed assets', '100.00'),
      ...section('Current assets', '50.00'),
      ...section('Creditors: amounts falling due within one year', '30.00'),
      total('Net current assets', '20.00'),
      total('Total assets less current liabilities', '120.00'),
      total('Net assets', '120.00'),
      ...section('Capital and reserves', '120.00'),
    ]
    expect(check('BalanceSheet', ['31 Mar'], rows)).toMatchObject({ held: 7, findings: [] })
    const wrong = rows.map((each) => (each.name === 'Net assets' ? total(each.name, '120.01') : each))
    expect(check('BalanceSheet', ['31 Mar'], wrong).findings.map(({ rowName }) => rowName)).toEqual([
      'Net assets',
    ])
  })

  it.each([
    [
      'totals that close their sections, which the last total names',
      'BalanceSheet',
      (last: string) => [
        ...[text('Fixed Assets'), data('Van', '100.00'), total('Total Fixed Assets', '100.00')],
        total('TOTAL ASSETS', '100.00'),
        ...[text('Current Liabilities'), data('Card', '20.00'), total('Total Current Liabilities', '20.00')],
        ...[
          text('Long Term Liabilities'),
          data('Loan', '10.00'),
          sub('Total Long Term Liabilities', '10.00'),
        ],
        ...[text('Equity'), data('Capital', '70.00'), total('Total Equity', '70.00')],
        total('TOTAL LIABILITIES & EQUITY', last),
      ],
      '100.00',
    ],
    [
      'a heading with its section’s total',
      'BalanceSheet',
      (last: string) => [
        ...[text('Assets'), text('Fixed Assets', '100.00'), data('Van', '100.00')],
        sub('Total Assets', last),
      ],
      '100.00',
    ],
    [
      'a bare total that is net income',
      'ProfitAndLoss',
      (last: string) => [
        ...[text('Income'), data('Sales', '90.00'), sub('Total Income', '90.00')],
        ...[text('Expenses'), data('Rent', '20.00'), sub('Total Expenses', '20.00')],
        total('Total', last),
      ],
      '70.00',
    ],
  ] as const)('%s, but another amount does', (_what, name, rowsOf, last) => {
    expect(check(name, ['Total'], rowsOf(last)).findings).toEqual([])
    expect(check(name, ['Total'], rowsOf('55.00')).findings).toHaveLength(1)
  })

  it('a total above its rows, and formatted sums, are reported as unchecked', () => {
    const above = [total('Total', '3.00'), data('a', '1.00'), data('b', '2.00')]
    expect(check('Odd', ['Amount'], above)).toEqual({
      held: 0,
      findings: [],
      unchecked: ['Not checked: Total.'],
    })
    const written = [text('A'), data('a', '-10.00'), sub('Total A', '(10.00)')]
    expect(check('Odd', ['Amount'], written).unchecked).toEqual([
      'Some amounts are text, so not every sum was checked: Amount.',
    ])
  })

  it('text among the amounts leaves only that section unchecked', () => {
    const rows = [
      text('A'),
      data('odd', 'n/a'),
      sub('Total A', '5.00'),
      text('B'),
      data('b', '1.00'),
      sub('Total B', '1.00'),
      total('TOTAL', '6.00'),
    ]
    expect(check('Odd', ['Amount'], rows)).toEqual({
      held: 2,
      findings: [],
      unchecked: ['Some amounts are text, so not every sum was checked: Amount.'],
    })
  })

  it('a total with unknown parts is reported as unchecked, without an alarm', () => {
    const rows = [text('Cash in'), data('a', '9.00'), sub('Total cash in', '9.00'), total('Forecast', '4.00')]
    expect(check('CashFlow', ['Amount'], rows)).toEqual({
      held: 1,
      findings: [],
      unchecked: ['Not checked: Forecast.'],
    })
  })

  it('a row of an unknown type may count or not', () => {
    const rows = (sum: string): RawReportRow[] => [
      text('A'),
      data('a', '1.00'),
      row('NoteRow', 'b', '2.00'),
      sub('Total A', sum),
    ]
    expect(check('Odd', ['Amount'], rows('3.00')).findings).toEqual([])
    expect(check('Odd', ['Amount'], rows('1.00')).findings).toEqual([])
  })

  it('a collapsed section causes no alarm', () => {
    const rows = [text('Income'), sub('Total Income', '5.00'), total('Net Income', '5.00')]
    expect(check('ProfitAndLoss', ['Total'], rows).findings).toEqual([])
  })

  it('costs may be written as negative amounts', () => {
    const rows = [
      text('Income'),
      data('Sales', '9.00'),
      sub('Total Income', '9.00'),
      text('Expenses'),
      data('Rent', '-4.00'),
      sub('Total Expenses', '-4.00'),
      total('Net Income', '5.00'),
    ]
    expect(check('ProfitAndLoss', ['Total'], rows)).toEqual({ held: 3, findings: [], unchecked: [] })
  })
})

describe('exactness', () => {
  it('amounts beyond the exact integers, and with many decimals, are summed exactly', () => {
    const rows = [
      text('A'),
      data('a', '90071992547409.93'),
      data('b', '90071992547409.92'),
      data('c', '123456789012345678901234567890.0001'),
      sub('Total A', '123456789012345859045219662709.8501'),
    ]
    expect(check('Odd', ['Amount'], rows)).toMatchObject({ held: 1, findings: [] })
    const changed = rows.with(4, sub('Total A', '123456789012345859045219662709.8502'))
    expect(check('Odd', ['Amount'], changed).findings).toEqual([
      expect.objectContaining({ computed: '123456789012345859045219662709.8501', difference: '-0.0001' }),
    ])
  })
})

// Random reports: correct ones have no findings, and a changed cent is always found.

type Tree = { readonly name: string; readonly parts: readonly Tree[]; readonly cents: readonly number[] }

const COLUMNS = 2
const cents = fc.array(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), {
  minLength: COLUMNS,
  maxLength: COLUMNS,
})
const tree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.record({ name: fc.constant('account'), parts: fc.constant([]), cents }),
    fc.record({
      name: fc.integer({ min: 0, max: 999 }).map((number) => `Section ${String(number)}`),
      parts: fc.array(tie('tree'), { minLength: 1, maxLength: 5 }),
      cents: fc.constant([]),
    }),
  ),
})).tree

function money(value: number): string {
  const text = String(Math.abs(value)).padStart(3, '0')
  return `${value < 0 ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`
}

function sumOf(node: Tree): number[] {
  if (node.parts.length === 0) return [...node.cents]
  return node.parts.map(sumOf).reduce((a, b) => a.map((each, index) => each + (b[index] ?? 0)))
}

function rowsOf(node: Tree): RawReportRow[] {
  if (node.parts.length === 0) return [data(node.name, ...node.cents.map(money))]
  return [
    text(node.name),
    ...node.parts.flatMap(rowsOf),
    sub(`Total ${node.name}`, ...sumOf(node).map(money)),
  ]
}

const report = fc.array(tree, { minLength: 1, maxLength: 6 }).map((parts) => {
  const whole = parts.map(sumOf).reduce((a, b) => a.map((each, index) => each + (b[index] ?? 0)))
  return [...parts.flatMap(rowsOf), total('TOTAL', ...whole.map(money))]
})

describe('random reports', () => {
  it('every sum of a correct one adds up', () => {
    fc.assert(
      fc.property(report, (rows) => {
        const sums = rows.filter((each) => /total/i.test(each.rowType)).length
        expect(check('Any', ['Jan', 'Feb'], rows)).toEqual({ held: sums, findings: [], unchecked: [] })
      }),
    )
  })

  it('a cent changed in any amount is found', () => {
    fc.assert(
      fc.property(report, fc.nat(), fc.integer({ min: 0, max: COLUMNS - 1 }), (rows, at, column) => {
        const amounts = rows.flatMap((each, index) => (each.values.length > 0 ? [index] : []))
        const index = amounts[at % amounts.length] ?? 0
        const changed = rows.map((each, place) =>
          place === index
            ? { ...each, values: each.values.map((value, at) => (at === column ? withCent(value) : value)) }
            : each,
        )
        expect(check('Any', ['Jan', 'Feb'], changed).findings.length).toBeGreaterThan(0)
      }),
    )
  })

  it('any rows at all never throw', () => {
    const any = fc.record({
      rowType: fc.constantFrom('TextRow', 'DataRow', 'SubtotalRow', 'TotalRow', 'Odd'),
      name: fc.constantFrom(
        '',
        'Total',
        'Income',
        'Total Income',
        'Gross Profit',
        'Net Income',
        'Total assets',
      ),
      id: fc.constant(''),
      values: fc.array(fc.constantFrom('', '1.00', '-2.505', 'memo', '.', '1e5', '99999999999999999999'), {
        maxLength: 4,
      }),
    })
    fc.assert(
      fc.property(
        fc.array(any, { maxLength: 60 }),
        fc.constantFrom('BalanceSheet', 'TrialBalance', 'x'),
        (rows, name) => {
          const checks = check(name, ['Debit', 'Credit', '%'], rows)
          for (const finding of checks.findings)
            expect(rows[finding.row]?.values[finding.column]).toBeDefined()
        },
      ),
    )
  })
})
