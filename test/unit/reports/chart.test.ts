import { describe, expect, it } from 'vitest'
import { checkReport } from '../../../electron/rows/reports/checks.ts'
import { amountText, scaleFor, stackColumns, tickText } from '../../../renderer/reports/chart/geometry.ts'
import { chartOf, chartSentence } from '../../../renderer/reports/chart/model.ts'
import { Format } from '../../../shared/format/format.ts'
import type { Decimal } from '../../../shared/format/money.ts'
import { columnsOf, levelReport } from '../../../shared/reports/levels.ts'
import {
  coveredDays,
  findingsTitle,
  formatChecks,
  formatFinding,
  otherName,
} from '../../../shared/reports/messages.ts'
import type { RawReportRow, ReportHead } from '../../../shared/reports/reports.ts'

const row = (rowType: string, name: string, ...values: string[]): RawReportRow => ({
  rowType,
  name,
  id: '',
  values,
})
const format = new Format({ locale: 'en-GB', negatives: 'minus' })

function made(name: string, headings: readonly string[], raw: readonly RawReportRow[]) {
  const rows = levelReport(raw)
  const { nameColumn, columns } = columnsOf(headings, raw)
  const head: ReportHead = {
    reportId: 'r',
    name,
    reportType: name,
    from: '2026-01-01',
    to: '2026-03-31',
    making: 'single',
    notes: [],
    periods: [],
    startDate: '2026-01-01T00:00:00',
    endDate: '2026-03-31T00:00:00',
    nameColumn,
    columns,
    rowCount: rows.length,
    checks: checkReport(name, columns, rows),
    madeAt: '2026-04-01T10:00:00Z',
    requestId: '',
  }
  return { head, rows }
}

const RESULT = [
  row('TextRow', 'Income'),
  row('DataRow', 'Sales', '100.00', '0.10', '100.10'),
  row('SubtotalRow', 'Total Income', '100.00', '0.10', '100.10'),
  row('TextRow', 'Cost of Goods Sold'),
  row('DataRow', 'Materials', '30.00', '0.00', '30.00'),
  row('SubtotalRow', 'Total COGS', '30.00', '0.00', '30.00'),
  row('TotalRow', 'Gross Profit', '70.00', '0.10', '70.10'),
  row('TextRow', 'Expenses'),
  row('DataRow', 'Rent', '80.00', '0.20', '80.20'),
  row('SubtotalRow', 'Total Expenses', '80.00', '0.20', '80.20'),
  row('TotalRow', 'Net Income', '-10.00', '-0.10', '-10.10'),
]

type Chart = ReturnType<typeof chartOf>

function columnsChart(model: Chart): Extract<Chart, { kind: 'columns' }> {
  if (model?.kind !== 'columns') throw new Error('Not a chart of columns')
  return model
}

describe('charts from the report’s own numbers', () => {
  it('profit and loss shows income, cost, and net per column, with the total separate', () => {
    const model = columnsChart(chartOf(made('ProfitAndLoss', ['', 'Jan', 'Feb', 'Total'], RESULT)))
    expect(model.groups).toEqual(['Jan', 'Feb'])
    expect(model.series.map(({ name, values }) => [name, ...values])).toEqual([
      ['Income', '100.00', '0.10'],
      ['Costs and expenses', '110.00', '0.20'],
      ['Net', '-10.00', '-0.10'],
    ])
    expect(model.summary.map(({ value }) => value)).toEqual(['100.10', '-110.20', '-10.10'])
    expect(chartSentence(model, format)).toBe(
      'Income, expenses, and net. Jan: income 100.00, costs and expenses 110.00, net \u221210.00. ' +
        'Feb: income 0.10, costs and expenses 0.20, net \u22120.10.',
    )
  })

  it('accounts that aren’t income or cost by name are shown as other, so that the lines add up to net', () => {
    const raw = RESULT.toSpliced(9, 0, row('SubtotalRow', 'x')).with(
      -1,
      row('TotalRow', 'Net Income', '-12.00', '0.00', '-12.10'),
    )
    const { summary } = columnsChart(chartOf(made('ProfitAndLoss', ['', 'Jan', 'Feb', 'Total'], raw)))
    expect(summary.map(({ name }) => name)).toContain('Other')
  })

  it('sections closed by a TotalRow and costs with a minus sign give the same chart', () => {
    const plain = columnsChart(chartOf(made('ProfitAndLoss', ['', 'Jan', 'Feb', 'Total'], RESULT)))
    const other = RESULT.map(({ rowType, name, values }) => {
      const isCost = /cogs|materials|rent|expenses/i.test(name)
      return {
        rowType: rowType === 'SubtotalRow' ? 'TotalRow' : rowType,
        name: name.replace('COGS', 'Cost of Goods Sold'),
        id: '',
        values: isCost ? values.map((value) => `-${value}`) : values,
      }
    })
    expect(chartOf(made('ProfitAndLoss', ['', 'Jan', 'Feb', 'Total'], other))).toEqual(plain)
  })

  it('a detail report uses only amounts, never dates or document numbers', () => {
    const raw = [
      row('TextRow', 'Income'),
      row('DataRow', 'Somebody', '2026-01-05', '1681', '100.00', '100.00'),
      row('SubtotalRow', 'Total Income', '', '', '100.00', ''),
      row('TotalRow', 'Net Income', '', '', '100.00', ''),
    ]
    const headings = ['Name', 'Date', 'Num', 'Amount', 'Balance']
    const model = columnsChart(chartOf(made('ProfitAndLossDetail', headings, raw)))
    expect(model.groups).toEqual(['Amount'])
  })

  it('profit and loss with a balance sheet doesn’t count assets as income', () => {
    const raw = [
      ...RESULT.map((each) => ({ ...each, values: each.values.slice(-1) })),
      row('TextRow', 'Assets'),
      row('DataRow', 'Bank', '1000.00'),
      row('SubtotalRow', 'Total Assets', '1000.00'),
    ]
    const { summary } = columnsChart(chartOf(made('PandLBalanceSheet', ['', 'Total'], raw)))
    expect(summary.map(({ value }) => value)).toEqual(['100.10', '-110.20', '-10.10'])
  })

  it('a comparison shows its five biggest changes with their signs', () => {
    const compared = made(
      'ProfitAndLoss',
      ['', '2026', '2025', 'Change', 'Change %'],
      [
        row('TextRow', 'Income'),
        ...['1.00', '-30.00', '5.00', '0.00', '-2.00', '8.00', '9.00'].map((change, at) =>
          row('DataRow', `Item ${String(at)}`, '50.00', '50.00', change, '1.0'),
        ),
        row('SubtotalRow', 'Total Income', '350.00', '350.00', '-9.00', ''),
        row('TotalRow', 'Net Income', '350.00', '350.00', '-9.00', ''),
      ],
    )
    const model = chartOf({ ...compared, head: { ...compared.head, making: 'compared' } })
    expect(model?.kind === 'bars' && model.bars.map(({ value }) => value)).toEqual([
      '-30.00',
      '9.00',
      '8.00',
      '5.00',
      '-2.00',
    ])
    if (model?.kind === 'bars') {
      expect(chartSentence(model, format)).toMatch(
        /^Biggest changes: Item 1 −30\.00 \(unfavorable\), Item 6 \+9\.00 \(favorable\)/,
      )
    }
  })

  it('a comparison by class is in chronological order, and the change isn’t a third period', () => {
    const columns = ['', 'A, 2026', 'A, 2025', 'A, change', 'B, 2026', 'B, 2025', 'B, change']
    const raw = RESULT.map((each) => ({ ...each, values: [...each.values, ...each.values] }))
    const compared = made('ProfitAndLossByClass', columns, raw)
    const periods = [
      { from: '2026-01-01', to: '2026-12-31' },
      { from: '2025-01-01', to: '2025-12-31' },
    ]
    const model = columnsChart(
      chartOf({ ...compared, head: { ...compared.head, making: 'compared', periods } }),
    )
    expect(model.groups).toEqual(['A, 2025', 'A, 2026', 'B, 2025', 'B, 2026'])
  })

  it('profit and loss shows the report’s own total income, with other income as a separate line', () => {
    const raw = [
      ...RESULT.slice(0, -1),
      row('TextRow', 'Other Income'),
      row('DataRow', 'Interest', '4.00', '1.00', '5.00'),
      row('SubtotalRow', 'Total Other Income', '4.00', '1.00', '5.00'),
      row('TotalRow', 'Net Income', '-6.00', '0.90', '-5.10'),
    ]
    const model = columnsChart(chartOf(made('ProfitAndLoss', ['', 'Jan', 'Feb', 'Total'], raw)))
    expect(model.summary.map(({ name, value }) => `${name} ${value}`)).toEqual([
      'Income 100.10',
      'Other income 5.00',
      'Costs and expenses -110.20',
      'Net Income -5.10',
    ])
    expect(model.series.map(({ name }) => name)).toEqual([
      'Income',
      'Other income',
      'Costs and expenses',
      'Net',
    ])
  })

  it('a balance sheet shows assets next to liabilities and equity, stacked', () => {
    const model = columnsChart(
      chartOf(
        made(
          'BalanceSheet',
          ['', '31 Mar'],
          [
            row('TextRow', 'ASSETS'),
            row('DataRow', 'Bank', '100.00'),
            row('TotalRow', 'TOTAL ASSETS', '100.00'),
            row('TextRow', 'LIABILITIES & EQUITY'),
            row('TextRow', 'Liabilities'),
            row('DataRow', 'Card', '30.00'),
            row('SubtotalRow', 'Total Liabilities', '30.00'),
            row('TextRow', 'Equity'),
            row('DataRow', 'Capital', '70.00'),
            row('SubtotalRow', 'Total Equity', '70.00'),
            row('TotalRow', 'TOTAL LIABILITIES & EQUITY', '100.00'),
          ],
        ),
      ),
    )
    expect(model.series.map(({ values }) => values[0])).toEqual(['100.00', '30.00', '70.00'])
  })

  it('aging shows buckets; a trial balance, debits and credits; vendors, a ranking with an exact sum of the rest', () => {
    const aging = columnsChart(
      chartOf(
        made(
          'AgedReceivables',
          ['', 'Current', '1 - 30', 'Total'],
          [row('DataRow', 'A', '1.00', '2.00', '3.00'), row('TotalRow', 'TOTAL', '1.00', '2.00', '3.00')],
        ),
      ),
    )
    expect(aging.groups).toEqual(['Current', '1 - 30'])
    const trial = chartOf(
      made(
        'TrialBalance',
        ['', 'Debit', 'Credit'],
        [
          row('DataRow', 'Bank', '5.00', ''),
          row('DataRow', 'Sales', '', '9.00'),
          row('TotalRow', 'TOTAL', '5.00', '9.00'),
        ],
      ),
    )
    expect(trial?.kind === 'bars' && trial.bars).toEqual([
      { name: 'Sales', value: '-9.00' },
      { name: 'Bank', value: '5.00' },
    ])
    const vendors = Array.from({ length: 20 }, (_, index) =>
      row('DataRow', `V${String(index)}`, `${String(index + 1)}.10`),
    )
    const bars = chartOf(made('VendorExpenses', ['', 'Total'], vendors))
    expect(bars?.kind === 'bars' && bars.bars.at(-1)).toEqual({ name: '9 others', value: '45.90' })
  })

  it('says why there is no chart if an amount can’t be read, instead of leaving it out', () => {
    const reasonOf = (chart: Chart): string => (chart?.kind === 'none' ? chart.reason : '')
    const headings = ['', 'Current', '1 - 30', 'Total']
    const aging = [
      row('DataRow', 'Birch Ltd', '1,234,567.89', '', '1,234,567.89'),
      row('DataRow', 'Elm', '1.00', '2.00', '3.00'),
      row('TotalRow', 'TOTAL', '1,234,568.89', '2.00', '1,234,570.89'),
    ]
    expect(reasonOf(chartOf(made('AgedReceivables', headings, aging)))).toBe(
      'Some amounts aren’t plain numbers, such as “1,234,567.89”, so a chart would leave them out. Affected: Current and Total.',
    )
    for (const written of ['(250.00)', '$ 5.00', '1.234,56', '5 000.00', '12.00 CR', 'EUR 3', 'n/a']) {
      const vendors = [row('DataRow', 'A', '10.00'), row('DataRow', 'B', written)]
      expect(reasonOf(chartOf(made('VendorExpenses', ['', 'Total'], vendors)))).toContain(`“${written}”`)
      const debits = [row('DataRow', 'A', written, ''), row('TotalRow', 'TOTAL', '1.00', '1.00')]
      expect(reasonOf(chartOf(made('TrialBalance', ['', 'Debit', 'Credit'], debits)))).toContain('Debit')
      const result = RESULT.with(2, row('SubtotalRow', 'Total Income', written, '0.10', '100.10'))
      expect(reasonOf(chartOf(made('ProfitAndLoss', ['', 'Jan', 'Feb', 'Total'], result)))).toContain('Jan')
    }
    // A dash means no amount. A chart of sums doesn't show single rows.
    const fine = RESULT.with(1, row('DataRow', 'Sales', '(100.00)', '-', '100.10'))
    expect(chartOf(made('ProfitAndLoss', ['', 'Jan', 'Feb', 'Total'], fine))?.kind).toBe('columns')
    const percents = RESULT.map((each) =>
      each.values.length > 0 ? { ...each, values: [...each.values.slice(0, 1), '5.0%'] } : each,
    )
    expect(chartOf(made('ProfitAndLoss', ['', 'Jan', '% of Income'], percents))?.kind).toBe('columns')
  })

  it('shows all columns, or their total, or says that there are too many', () => {
    const classes = Array.from({ length: 15 }, (_, index) => `Class ${String(index)}`)
    const amounts = (each: string, sum: readonly string[]) => [...classes.map(() => each), ...sum]
    const rows = (sum: readonly string[]) => [
      row('TextRow', 'Income'),
      row('SubtotalRow', 'Total Income', ...amounts('1.00', sum)),
      row('TotalRow', 'Net Income', ...amounts('1.00', sum)),
    ]
    const all = chartOf(made('ProfitAndLossByClass', ['', ...classes, 'Total'], rows(['15.00'])))
    expect(columnsChart(all).groups).toEqual(['Total'])
    expect(chartOf(made('ProfitAndLossByClass', ['', ...classes], rows([])))).toMatchObject({
      reason: expect.stringContaining('15 columns') as string,
    })
    const vendor = [row('OddRow', 'Elm', ...amounts('1.00', []))]
    const bars = chartOf(made('VendorExpenses', ['', ...classes], vendor))
    expect(bars).toMatchObject({ bars: [{ name: 'Elm', value: '15.00' }] })
  })

  it('are not drawn where they wouldn’t help', () => {
    const contacts = [row('DataRow', 'Birch Ltd', '12.00'), row('DataRow', 'Elm', '3.00')]
    expect(chartOf(made('VendorBalances', ['', 'Open'], contacts))).toBeNull()
    expect(chartOf(made('AuditTrail', ['', 'Amount'], [row('DataRow', 'a', '1.00')]))).toBeNull()
    expect(chartOf(made('ProfitAndLoss', ['', 'Total'], []))).toBeNull()
  })

  it('stacks are as high as their parts, and negative amounts go down', () => {
    const series = (name: string, value: string, stack: string) => ({
      name,
      look: 'first' as const,
      values: [value as Decimal],
      stack,
    })
    const [group = []] = stackColumns({
      groups: [''],
      isStacked: true,
      series: [
        series('Assets', '100.00', 'a'),
        series('Liabilities', '130.00', 'b'),
        series('Equity', '-30.00', 'b'),
      ],
    })
    expect(group.map((stack) => stack.map(({ from, to }) => [from, to]))).toEqual([
      [[0, 100]],
      [
        [0, 130],
        [0, -30],
      ],
    ])
  })

  it('scales contain every value and zero, with round ticks', () => {
    expect(scaleFor([125, -30])).toEqual({ min: -50, max: 150, ticks: [-50, 0, 50, 100, 150] })
    expect(scaleFor([])).toMatchObject({ min: 0, max: 1 })
    expect(tickText(-2_500_000, 'en-US')).toBe('\u22122.5M')
    expect(tickText(200_000, 'de-DE')).toBe('200K')
    expect(tickText(2_500, 'de-DE')).toBe('2,5K')
    // Amounts beside each other have the same decimals.
    expect(['212956.18', '786573.79', '12'].map((each) => amountText(each, 'en-US'))).toEqual([
      '213.0K',
      '786.6K',
      '12',
    ])
  })
})

describe('messages about a report', () => {
  const wrong = made(
    'ProfitAndLoss',
    ['', 'Jan', 'Feb', 'Total'],
    RESULT.with(9, row('SubtotalRow', 'Total Expenses', '80.00', '0.20', '71.20')),
  )
  it('a sum that doesn’t hold names row, column, both amounts, and the difference', () => {
    const { checks } = wrong.head
    expect(findingsTitle(checks)).toBe('One total doesn’t add up.')
    const [finding] = checks.findings
    expect(finding && formatFinding(finding, format)).toEqual({
      text: 'Total Expenses in Total is 71.20 and its parts come to 80.20:',
      difference: '9.00 more',
    })
    expect(formatChecks(checks, format)).toBe('4 of 5 totals agree')
    const none = { held: 0, findings: [], unchecked: ['Percentages are not sums.'] }
    expect(formatChecks(none, format)).toBe('No total was checked')
  })
  it('a report dated otherwise than requested says so', () => {
    const { head } = wrong
    expect(coveredDays(head, format)).toBe('')
    const of = (change: Partial<typeof head>): string => coveredDays({ ...head, ...change }, format)
    expect(of({ endDate: '2025-02-28T00:00:00' })).toMatch(
      /^The report covers .*, not the period you asked for\.$/,
    )
    expect(of({ startDate: '2020-01-01T00:00:00' })).toMatch(/^The report covers /)
    // Applications write the end of a period in two ways.
    const dayAfter = new Date(Date.parse(head.to) + 86_400_000).toISOString()
    expect(of({ endDate: dayAfter })).toBe('')
    expect(of({ startDate: '', endDate: 'March' })).toBe('')
    expect(of({ name: 'BalanceSheet', startDate: '2020-01-01T00:00:00' })).toBe('')
  })
  it('a report under another name says which', () => {
    expect(otherName({ ...wrong.head, reportType: 'BalanceSheet' })).toBe(
      'The service calls it BalanceSheet.',
    )
    expect(otherName({ ...wrong.head, reportType: 'Profit and Loss' })).toBe('')
  })
})
