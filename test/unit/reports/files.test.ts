/**
 * Saved reports: two independent readers parse the CSV in the same way, the service's text never becomes markup in the
 * PDF, findings are above the table, and the file name has the company and the period.
 */
import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { contentsOf } from '../../../electron/app/review/pack.ts'
import { reportCsv } from '../../../electron/files/csv/report-csv.ts'
import { letterheadMarkup, letterheadOf } from '../../../electron/files/print/letterhead.ts'
import { reportsPrint } from '../../../electron/files/print/report-print.ts'
import { layOutPages } from '../../../electron/files/print/report-table.ts'
import {
  reportFileName,
  type ReportForFile,
  toReportForWorkbook,
} from '../../../electron/files/report-file.ts'
import { reportWorkbook } from '../../../electron/files/workbook/report-workbook.ts'
import { checkReport } from '../../../electron/rows/reports/checks.ts'
import { formatCell } from '../../../renderer/reports/table/columns.ts'
import { Format } from '../../../shared/format/format.ts'
import { unguardCell } from '../../../shared/format/text.ts'
import { levelReport } from '../../../shared/reports/levels.ts'
import type { RawReportRow, ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { ok } from '../../../shared/result.ts'
import { bytesOf, partsOf } from '../files/workbook-fixture.ts'

const CHOICE = { locale: 'en-GB', negatives: 'minus', timeZone: 'UTC' } as const

/** One pixel. */
const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** With the spaces of the locale. */
const PERIOD = new Format(CHOICE).period('2026-01-01', '2026-03-31')

function raw(rowType: string, name: string, ...values: string[]): RawReportRow {
  return { rowType, name, id: '', values }
}

function filed(
  rows: readonly ReportRow[],
  columns: readonly string[],
  more: Partial<ReportHead> = {},
): ReportForFile {
  const head: ReportHead = {
    reportId: 'r',
    name: 'ProfitAndLoss',
    reportType: 'ProfitAndLoss',
    from: '2026-01-01',
    to: '2026-03-31',
    making: 'single',
    notes: [],
    periods: [{ from: '2026-01-01', to: '2026-03-31' }],
    startDate: '',
    endDate: '',
    nameColumn: 'Account',
    columns,
    rowCount: rows.length,
    checks: checkReport('ProfitAndLoss', columns, rows),
    madeAt: '2026-04-01T10:00:00Z',
    requestId: '',
    ...more,
  }
  return {
    head,
    companyName: 'Alder <&> Finch',
    basis: 'accrual',
    rows: async function* () {
      yield await Promise.resolve(ok(rows))
    },
    hideZeroRows: false,
  }
}

const WRONG = levelReport([
  raw('TextRow', 'Income'),
  raw('DataRow', '<script>alert(1)</script>', '1234.50', '-0.10'),
  raw('SubtotalRow', 'Total Income', '1234.51', '-0.10'),
])

/** The second reader: strictly by RFC 4180, and independent of papaparse. */
function readStrictly(text: string): string[][] {
  const lines: string[][] = []
  let [line, at]: [string[], number] = [[], 0]
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      for (at += 1; at < text.length; at += 1) {
        if (text[at] !== '"') cell += text[at] ?? ''
        else if (text[at + 1] === '"') {
          cell += '"'
          at += 1
        } else break
      }
      at += 1
    } else {
      while (at < text.length && text[at] !== ',' && text[at] !== '\r') {
        cell += text[at] ?? ''
        at += 1
      }
    }
    line.push(cell)
    if (text[at] === ',') at += 1
    else {
      expect(text.slice(at, at + 2)).toBe('\r\n')
      at += 2
      lines.push(line)
      line = []
    }
  }
  return lines
}

describe('a report as CSV', () => {
  it('is read the same by two readers, with every amount and text exact', async () => {
    const value = fc.oneof(
      fc.constantFrom('', '0.00', '-1.10', '123456789012345678.99', '=1+1', 'a,b', '"', "'", 'x\r\ny'),
      fc.string(),
    )
    const row = fc.record({
      rowType: fc.constantFrom('TextRow', 'DataRow', 'SubtotalRow', 'TotalRow'),
      name: fc.string(),
      id: fc.constant(''),
      values: fc.array(value, { minLength: 2, maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (all) => {
        const rows = levelReport(all)
        const { head, rows: pull } = filed(rows, ['Jan', 'Feb'])
        const bytes = await bytesOf(reportCsv(head, pull, 'as-shown', false))
        const text = bytes.toString('utf8').slice(1)
        const strict = readStrictly(text)
        const papa = Papa.parse<string[]>(text, { delimiter: ',', newline: '\r\n' }).data.slice(0, -1)
        expect(papa).toEqual(strict)
        expect(strict.slice(1).map((line) => line.map(unguardCell))).toEqual(
          rows.map(({ name, values }) => [name, ...values].map((each) => each.toWellFormed())),
        )
      }),
      { numRuns: 100 },
    )
  })
})

const LEDGER = levelReport([
  raw('TextRow', '1010 · Checking'),
  raw('DataRow', 'Opening balance', '', '10.00'),
  {
    ...raw('DataRow', '2026-01-05, Check, 1023, Smith & Sons, January rent, Rent', '4.00', '6.00'),
    id: 'v1',
  },
  raw('SubtotalRow', 'Total 1010 · Checking', '4.00', '6.00'),
  raw('TextRow', 'Rent'),
  raw('SubtotalRow', 'Total Rent', '0.00', '0.00'),
  raw('TotalRow', 'TOTAL', '4.00', ''),
])

describe('the entries of a ledger', () => {
  it('are columns on paper, and account names extend over empty cells beside them', async () => {
    const printed = await reportsPrint(
      [filed(LEDGER, ['Credit', 'Balance'], { name: 'GeneralLedger' })],
      CHOICE,
      letterheadOf(DEFAULT_SETTINGS),
    )
    const html = printed.ok ? printed.value.html : ''
    const [heads = ''] = /<thead><tr>.*?<\/thead>/.exec(html) ?? []
    expect(
      heads
        .replace(/<[^>]*>/g, '|')
        .split(/\|+/)
        .filter(Boolean),
    ).toEqual(['Date', 'Type', 'No.', 'Name', 'Memo', 'Split', 'Credit', 'Balance'])
    expect(html).toMatch(
      /<th>5 Jan 2026<\/th><td[^>]*>Check<\/td><td[^>]*>1023<\/td><td[^>]*>Smith &amp; Sons</,
    )
    expect(html).toContain('<th colspan="7">Opening balance</th><td>10.00</td>')
    expect(html).toContain('<th colspan="6">Total 1010 · Checking</th>')
  })
})

describe('a report on paper', () => {
  it('shows the company, the dates, when it was made, the basis, and what doesn’t add up', async () => {
    const printed = await reportsPrint([filed(WRONG, ['Jan', 'Feb'])], CHOICE, letterheadOf(DEFAULT_SETTINGS))
    const { html, footer } = printed.ok ? printed.value : { html: '', footer: '' }
    expect(html).toContain('Alder &lt;&amp;&gt; Finch')
    expect(html).toContain(PERIOD)
    expect(html).toContain('Created 1 Apr 2026')
    expect(html).toContain('<p class="days">Accrual basis</p>')
    expect(html).toContain(' · 0 of 1 total agrees<')
    expect(html).toContain('One total doesn’t add up. Shown as the application sent it.')
    expect(html).toContain('1,234.51 and its parts come to 1,234.50: 0.01 less.')
    expect(html).toContain('<span class="sum bad">1,234.51</span>')
    expect(html).toContain('−0.10')
    expect(footer).toBe(`Alder <&> Finch · Profit and loss · ${PERIOD}`)
  })
  it('says nothing about a basis that no one has set', async () => {
    const report: ReportForFile = { ...filed(WRONG, ['Jan', 'Feb']), basis: 'unknown' }
    const printed = await reportsPrint([report], CHOICE, letterheadOf(DEFAULT_SETTINGS))
    expect(printed.ok && printed.value.html).not.toMatch(/\bbasis\b/i)
    expect(toReportForWorkbook(report, 'Profit and loss', new Format(CHOICE)).notes).toHaveLength(1)
  })
  it('never treats the service’s text as markup', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (name, value) => {
        const hostile = levelReport([raw('DataRow', `<b>${name}`, `"><img src=x>${value}`)])
        const printed = await reportsPrint(
          [filed(hostile, [`<i>${name}`])],
          CHOICE,
          letterheadOf(DEFAULT_SETTINGS),
        )
        expect(printed.ok && /<(?:b|i|img|script)\b/i.test(printed.value.html)).toBe(false)
      }),
      { numRuns: 100 },
    )
  })
  it('with several reports has a cover with its contents and omissions, and rotates wide ones', async () => {
    const wide = Array.from({ length: 9 }, (_, column) => `Column ${column}`)
    const printed = await reportsPrint(
      [filed(WRONG, ['Jan']), filed(WRONG, wide)],
      CHOICE,
      letterheadOf(DEFAULT_SETTINGS),
      {
        companyName: 'Alder',
        title: 'Month end',
        period: '1 – 31 Mar 2026',
        madeAt: '2026-04-01T10:00:00Z',
        signature: '',
        note: '',
        contents: [{ title: 'General ledger', note: 'Left out: Online has no such report' }],
      },
    )
    const html = printed.ok ? printed.value.html : ''
    expect(html.match(/<section class="[^"]*"/g)).toEqual([
      '<section class="cover"',
      '<section class="report report1"',
      '<section class="report report2"',
    ])
    const { pages = [] } = printed.ok ? printed.value : {}
    expect(pages.map(({ orientation }) => orientation)).toEqual(['portrait', 'portrait', 'landscape'])
    expect(pages[1]?.header).toBe(`Alder <&> Finch · Profit and loss · ${PERIOD}`)
    expect(html).toContain('Left out: Online has no such report')
  })
  it('with many columns continues on other pages, with repeated names and every column', async () => {
    const columns = Array.from({ length: 20 }, (_, column) => `C${column}`)
    const rows = levelReport([raw('DataRow', 'Rent', ...columns.map((_, column) => `${column}000000.00`))])
    const printed = await reportsPrint([filed(rows, columns)], CHOICE, letterheadOf(DEFAULT_SETTINGS))
    const tables = (printed.ok ? printed.value.html : '').split('<table>').slice(1)
    expect(tables.length).toBeGreaterThan(1)
    expect(tables.every((table) => table.includes('<th>Rent</th>'))).toBe(true)
    const shown = tables.flatMap((table) => [...table.matchAll(/<th>(C\d+)<\/th>/g)].map(([, name]) => name))
    expect(shown).toEqual(columns)
    expect(tables.join('').match(/<td[^>]*>[\d,]+\.00/g)).toHaveLength(20)
  })
  it('says at the top of each page which sections continue', async () => {
    const rows = levelReport([
      raw('TextRow', 'Assets'),
      raw('TextRow', '1010 · Checking & more'),
      raw('DataRow', 'Opening', '1.00'),
      raw('SubtotalRow', 'Total 1010 · Checking & more', '1.00'),
      raw('DataRow', 'Cash', '2.00'),
      raw('SubtotalRow', 'Total Assets', '3.00'),
      raw('TotalRow', 'Net', '3.00'),
      raw('TotalRow', 'Net of all', '3.00'),
    ])
    const printed = await reportsPrint([filed(rows, ['Jan'])], CHOICE, letterheadOf(DEFAULT_SETTINGS))
    const html = printed.ok ? printed.value.html : ''
    const tables = [...html.matchAll(/<div class="going-on">|<tr[^>]*><th[^>]*>([^<]+)|<\/table><\/div>/g)]
    // Sums are in the table of the section before them, because a page may end after a table.
    expect(tables.map(([tag, name]) => name ?? (tag.startsWith('</') ? 'end' : 'begin'))).toEqual([
      'Account',
      'begin',
      'Assets, continued',
      'Assets',
      'begin',
      '1010 · Checking &amp; more, continued',
      '1010 · Checking &amp; more',
      'Opening',
      'Total 1010 · Checking &amp; more',
      'end',
      'Cash',
      'Total Assets',
      'Net',
      'Net of all',
      'end',
      'end',
    ])
    expect(html.match(/class="total last"><th>[^<]+/g)).toEqual(['class="total last"><th>Net of all'])
  })
  it('is portrait, landscape, small, or on several pages, depending on its columns', () => {
    const names = { isText: true, whole: 40, least: 22 }
    const amounts = (count: number, width = 10) =>
      Array.from({ length: count }, () => ({ isText: false, whole: width, least: width }))
    const text = { isText: true, whole: 40, least: 12 }
    const shape = (columns: Parameters<typeof layOutPages>[1]) => {
      const { orientation, isSmall, parts } = layOutPages(names, columns)
      return [orientation, isSmall, parts.map((part) => part.length)]
    }
    expect(shape([])).toEqual(['portrait', false, [0]])
    expect(shape(amounts(4))).toEqual(['portrait', false, [4]])
    expect(shape(amounts(9))).toEqual(['landscape', false, [9]])
    expect(shape(amounts(13))).toEqual(['landscape', true, [13]])
    expect(shape(amounts(24))).toEqual(['landscape', false, [8, 8, 8]])
    expect(shape([text, text, ...amounts(1)])).toEqual(['landscape', false, [3]])
    expect(shape(amounts(3, 200)), 'wider than any page').toEqual(['landscape', false, [1, 1, 1]])
    const { widths } = layOutPages(names, [text, text, text, ...amounts(1)])
    expect(widths, 'texts share what is left').toEqual([33, 33, 33, 10])
    const headed = { isText: false, whole: 13, least: 5 }
    expect(layOutPages(names, [...amounts(3), headed, headed]).widths, 'a heading on one line').toEqual([
      10, 10, 10, 10, 10,
    ])
    expect(layOutPages(names, [...amounts(1), headed, headed]).widths).toEqual([10, 13, 13])
    expect(shape(Array.from({ length: 8 }, () => headed)), 'no page turned for headings').toEqual([
      'portrait',
      false,
      [8],
    ])
  })
  it('has the firm’s name, preparer, and logo', async () => {
    const letterhead = letterheadOf({ firmName: ' Cole & Co ', preparer: 'Dana <Cole>', logo: LOGO })
    const printed = await reportsPrint([filed(WRONG, ['Jan'])], CHOICE, letterhead)
    const { html, logo, footer } = printed.ok ? printed.value : { html: '', logo: null, footer: '' }
    expect(html).toContain('<img src="logo" alt="Cole &amp; Co"><p>Cole &amp; Co</p>')
    expect(html).toContain('<p>Prepared by Dana &lt;Cole&gt;</p>')
    expect(footer).toMatch(/ · Cole & Co · Prepared by Dana <Cole>$/)
    expect(logo?.type).toBe('image/png')
    expect(letterheadMarkup(letterheadOf(DEFAULT_SETTINGS))).toBe('')
    expect(letterheadOf({ firmName: '', preparer: '', logo: 'data:image/png;base64,AAAA' }).logo).toBe(null)
  })
  it('isn’t made of more rows than anyone reads', async () => {
    const printed = await reportsPrint(
      [filed(WRONG, ['Jan'], { rowCount: 25_001 })],
      CHOICE,
      letterheadOf(DEFAULT_SETTINGS),
    )
    expect(printed.ok ? '' : printed.error.message).toBe('25,001 rows are too many for a PDF.')
  })
})

describe('the changes of a comparison', () => {
  const COLUMNS = ['Jan 2026', 'Jan 2025', 'Change', 'Change %']
  const compared = filed(
    levelReport([
      raw('DataRow', 'Design', '40517.59', '38392.51', '2125.08', '5.5'),
      raw('DataRow', 'Discounts', '-1403.45', '-1332.81', '-70.64', '-5.3'),
      raw('DataRow', 'Rent', '10.00', '10.00', '0.00', '0.0'),
      raw('DataRow', 'Fees', '1350.00', '0.00', '1350.00', ''),
    ]),
    COLUMNS,
    { making: 'compared' },
  )
  const format = new Format(CHOICE)

  it('bear their sign on screen, on paper, and in a workbook, and are plain numbers in CSV', async () => {
    const shown = [
      ['+2,125.08', '+5.5%'],
      ['−70.64', '−5.3%'],
      ['0.00', '0.0%'],
    ]
    for (const [change, percent] of shown) {
      const raws = { '+2,125.08': ['2125.08', '5.5'], '−70.64': ['-70.64', '-5.3'] }[change ?? ''] ?? [
        '0.00',
        '0.0',
      ]
      expect(formatCell(raws[0] ?? '', 'change', format)).toBe(change)
      expect(formatCell(raws[1] ?? '', 'change-percent', format)).toBe(percent)
    }

    const printed = await reportsPrint([compared], CHOICE, letterheadOf(DEFAULT_SETTINGS))
    const html = printed.ok ? printed.value.html : ''
    for (const text of shown.flat()) expect(html).toContain(`>${text}<`)
    // Nothing can be a percentage of zero.
    expect(formatCell('', 'change-percent', format, '1350.00')).toBe('–')
    expect(html).toContain('<td>+1,350.00</td><td>–</td>')

    const parts = await partsOf(
      await bytesOf(
        reportWorkbook([toReportForWorkbook(compared, 'P&L', format)], {
          negatives: 'minus',
          madeAt: '2026-04-01T10:00:00Z',
        }),
      ),
    )
    const styles = [...(parts['xl/styles.xml'] ?? '').matchAll(/<xf numFmtId="(\d+)"[^>]*applyNumberFormat/g)]
    const formatOf = (cell: string): string | undefined => {
      const style = new RegExp(`r="${cell}" s="(\\d+)"`).exec(parts['xl/worksheets/sheet1.xml'] ?? '')?.[1]
      const id = styles[Number(style) - 1]?.[1] ?? ''
      return new RegExp(`numFmtId="${id}" formatCode="([^"]+)"`).exec(parts['xl/styles.xml'] ?? '')?.[1]
    }
    const row =
      /<row r="(\d+)"[^>]*>(?:(?!<\/row>).)*Design/.exec(parts['xl/worksheets/sheet1.xml'] ?? '')?.[1] ?? ''
    expect(['B', 'D', 'E'].map((column) => formatOf(`${column}${row}`))).toEqual([
      '#,##0.00######',
      '+#,##0.00######;-#,##0.00######;0.00',
      '+0.0#######%;-0.0#######%;0.0%',
    ])

    const csv = await bytesOf(reportCsv(compared.head, compared.rows, 'as-shown', false))
    expect(csv.toString('utf8')).toContain('Design,40517.59,38392.51,2125.08,5.5')
  })
})

describe('a file’s name and heading', () => {
  it('have company, report, and dates, and both periods of a comparison', () => {
    const report = filed(WRONG, ['Jan'])
    expect(reportFileName(report, 'xlsx')).toBe(
      'Alder _&_ Finch - Profit and loss - 2026-01-01 to 2026-03-31.xlsx',
    )
    expect(reportFileName(report, 'csv', 'flat')).toBe(
      'Alder _&_ Finch - Profit and loss, flat - 2026-01-01 to 2026-03-31.csv',
    )
    const periods = [
      { from: '2026-01-01', to: '2026-03-31' },
      { from: '2025-01-01', to: '2025-03-31' },
    ]
    expect(reportFileName(filed(WRONG, ['Jan'], { making: 'compared', periods }), 'pdf')).toBe(
      'Alder _&_ Finch - Profit and loss compared - 2026-01-01 to 2026-03-31 and 2025-01-01 to 2025-03-31.pdf',
    )
  })
  it('have the service’s messages before other problems', () => {
    const notes = ['The service says: Three accounts could not be read.']
    const { wrong } = toReportForWorkbook(filed(WRONG, ['Jan', 'Feb'], { notes }), 'P&L', new Format(CHOICE))
    expect(wrong.slice(0, 3)).toEqual([
      'This report may be incomplete.',
      ...notes,
      'One total doesn’t add up. Shown as the application sent it.',
    ])
  })
  it.each([
    ['3.00', [], 'Total agrees ✓', 'Totals agree.'],
    ['4.00', [], '0 of 1 total agrees', 'One total doesn’t add up.'],
    ['3.00', ['Two accounts are locked.'], 'Total agrees', 'It may be incomplete.'],
    ['9,999.99', [], 'No total was checked', 'No total was checked.'],
    [null, [], 'No totals to check', 'No totals to check.'],
  ])(
    'say that totals agree only if a total was checked and none is in doubt (%s %j)',
    (total, notes, stamp, note) => {
      const rows = [raw('TextRow', 'Income'), raw('DataRow', 'Fees', '1.00'), raw('DataRow', 'Sales', '2.00')]
      const sum = total === null ? [] : [raw('SubtotalRow', 'Total Income', total)]
      const report = filed(levelReport([...rows, ...sum]), ['Total'], { notes })
      const format = new Format(CHOICE)
      expect(toReportForWorkbook(report, 'P&L', format).notes.at(-1)?.split(' · ')[1]).toBe(stamp)
      expect(contentsOf(report, true, format).note).toBe(note)
    },
  )
  it('include what doesn’t add up in the workbook, too', () => {
    const sheet = toReportForWorkbook(filed(WRONG, ['Jan', 'Feb']), 'P&L', new Format(CHOICE))
    expect(sheet.period).toBe(PERIOD)
    expect(sheet.wrong[0]).toBe('One total doesn’t add up. Shown as the application sent it.')
    expect(sheet.wrong[1]).toBe('Total Income in Jan is 1,234.51 and its parts come to 1,234.50: 0.01 less.')
  })
})
