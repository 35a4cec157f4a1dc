// Written workbooks: every number and text reads back unchanged, formatting follows accounting conventions, and Excel's
// limits are kept.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  recordsCsv,
  type RecordsExport,
  recordsFileName,
  recordsWorkbook,
} from '../../../electron/files/csv/records-export.ts'
import { IMPORT_LIMITS } from '../../../electron/files/import/limits.ts'
import { readSource } from '../../../electron/files/import/read-source.ts'
import {
  classifyNumber,
  columnLetters,
  cutText,
  momentSerial,
  PLAIN,
  xmlText,
} from '../../../electron/files/workbook/cells.ts'
import { type ReportForWorkbook, reportWorkbook } from '../../../electron/files/workbook/report-workbook.ts'
import type { WorkbookSheet } from '../../../electron/files/workbook/sheet.ts'
import { workbookPieces } from '../../../electron/files/workbook/workbook.ts'
import { writeFileAtomically } from '../../../electron/files/write-file.ts'
import { cellText, type ImportRow, withHeadings } from '../../../shared/import/table.ts'
import { levelReport } from '../../../shared/reports/levels.ts'
import type { RawReportRow } from '../../../shared/reports/reports.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { isDeep } from '../../seeds.ts'
import { bytesOf, partsOf } from './workbook-fixture.ts'

const MADE_AT = '2026-04-01T09:00:00Z'
const OPTIONS = { negatives: 'minus', madeAt: MADE_AT } as const

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookbridge-workbook-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function* once<T>(...batches: readonly T[]): AsyncGenerator<Result<T>> {
  for (const batch of batches) yield await Promise.resolve(ok(batch))
}

async function readBack(bytes: Buffer, sheet = ''): Promise<readonly ImportRow[]> {
  const path = join(folder, 'back.xlsx')
  writeFileSync(path, bytes)
  const read = await readSource({ kind: 'file', path, sheet }, IMPORT_LIMITS)
  if (!read.ok) throw new Error(read.error.message)
  return read.value.rows
}

function mustBeWellFormed(xml: string): void {
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (cause) => {
    throw cause
  })
  parser.write(xml).close()
}

const RECORDS: RecordsExport = {
  companyName: 'Alder & Finch',
  application: 'Desktop',
  list: 'Customers',
  readAt: MADE_AT,
  askedFor: '',
  partialReason: '',
  withDrafts: false,
  columns: [
    { heading: 'ID', type: 'text' },
    { heading: 'Name', type: 'text' },
    { heading: 'Balance', type: 'money' },
    { heading: 'Active', type: 'boolean' },
    { heading: 'Created', type: 'timestamp' },
  ],
  rows: () =>
    once([
      ['0012', '=1+1', '-1234.50', 'true', '2026-01-31T10:00:00Z'],
      ['2', 'Æ & <b> "q"', '1234567890123456.78', 'maybe', 'never'],
    ]),
}

describe('a list as a workbook', () => {
  it('has real numbers, text that is never run, and booleans in the spreadsheet’s own form', async () => {
    const bytes = await bytesOf(recordsWorkbook(RECORDS, OPTIONS))
    const rows = await readBack(bytes)
    expect(rows.map(({ cells }) => cells.slice(0, 4))).toEqual([
      ['ID', 'Name', 'Balance', 'Active'],
      ['0012', '=1+1', { number: '-1234.50' }, true],
      ['2', 'Æ & <b> "q"', '1234567890123456.78', 'maybe'],
    ])
    const { 'xl/worksheets/sheet1.xml': sheet = '' } = await partsOf(bytes)
    expect(sheet).not.toContain('<f>')
    expect(sheet).toMatch(/<c r="A2" s="\d+" t="inlineStr"><is><t xml:space="preserve">0012<\/t>/)
  })

  it('says on its last sheet where it comes from, and which digits a spreadsheet would have rounded', async () => {
    const about = await readBack(await bytesOf(recordsWorkbook(RECORDS, OPTIONS)), 'About')
    const text = about.map(({ cells }) => cells.map(cellText).join(': ')).join('\n')
    expect(text).toContain('Company: Alder & Finch')
    expect(text).toContain('Whole list: yes')
    expect(text).toMatch(/more than 15 digits are stored as text.*Customers!C3/)
  })

  it('of an incomplete list says so in its name and on its last sheet', async () => {
    const partial = { ...RECORDS, partialReason: 'The service says there is more but did not give it.' }
    expect(recordsFileName(RECORDS, 'xlsx')).toMatch(
      /^Alder & Finch - Customers - 2026-04-01 \d\d-\d\d\.xlsx$/,
    )
    expect(recordsFileName(partial, 'csv')).toMatch(/ \(partial\)\.csv$/)
    const about = await readBack(await bytesOf(recordsWorkbook(partial, OPTIONS)), 'About')
    expect(about.map(({ cells }) => cells.map(cellText).join(': ')).join('\n')).toContain(
      'Whole list: no: The service says there is more',
    )
  })

  it('a note above the headings mentions a partial list and unsent changes, and the headings are still found', async () => {
    const part = { ...RECORDS, askedFor: '2 of 642 rows', withDrafts: true }
    expect(recordsFileName(part, 'xlsx')).toMatch(/ \(partial, with drafts\)\.xlsx$/)
    const rows = await readBack(await bytesOf(recordsWorkbook(part, OPTIONS)))
    expect(rows[0]?.cells).toEqual(['Not the whole list: 2 of 642 rows. Includes unsent changes.'])
    const table = withHeadings(rows)
    expect(table.headings).toEqual(RECORDS.columns.map(({ heading }) => heading))
    expect(table.rows).toHaveLength(2)
  })

  it('as CSV for programs has every character unchanged, and says so in its name', async () => {
    const text = (await bytesOf(recordsCsv(RECORDS, 'raw'))).toString('utf8')
    expect(text.split('\r\n')[1]).toBe('0012,=1+1,-1234.50,true,2026-01-31T10:00:00Z')
    expect(recordsFileName(RECORDS, 'csv-programs')).toMatch(/ \(for programs\)\.csv$/)
    expect(recordsFileName(RECORDS, 'csv')).not.toContain('programs')
  })

  it('as CSV has its headings and its rows, and nothing else', async () => {
    const text = (await bytesOf(recordsCsv(RECORDS))).toString('utf8')
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      '\ufeffID,Name,Balance,Active,Created',
      "0012,'=1+1,-1234.50,true,2026-01-31T10:00:00Z",
    ])
  })

  it('has well-formed parts that are listed and named, and headings that stay and repeat in print', async () => {
    const parts = await partsOf(await bytesOf(recordsWorkbook(RECORDS, OPTIONS)))
    for (const xml of Object.values(parts)) mustBeWellFormed(xml)
    const types = parts['[Content_Types].xml'] ?? ''
    for (const path of Object.keys(parts).filter((each) => !/\.rels$|Types/.test(each)))
      expect(types).toContain(`PartName="/${path}"`)
    const sheet = parts['xl/worksheets/sheet1.xml'] ?? ''
    expect(sheet).toContain(
      '<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/>',
    )
    expect(sheet).toContain('<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/>')
    expect(sheet).toContain('<autoFilter ref="A1:E3"/>')
    expect(sheet).toContain('&amp;L&amp;8Alder &amp;&amp; Finch - Customers')
    expect(parts['xl/workbook.xml']).toContain("'Customers'!$A:$A,'Customers'!$1:$1")
    expect(parts['docProps/core.xml']).toContain('<dc:subject>Alder &amp; Finch</dc:subject>')
  })

  it('all texts and decimals read back exactly, whatever characters they have', async () => {
    const unit = fc.oneof(
      fc.constantFrom(
        '_',
        'x',
        '0',
        '1',
        'D',
        '\r',
        '\n',
        '\t',
        ' ',
        '&',
        '<',
        '\0',
        '\ufffe',
        '😀',
        '_x0041_',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    )
    const text = fc.array(unit, { minLength: 1, maxLength: 12 }).map((all) => all.join(''))
    const decimal = fc
      .tuple(
        fc.bigInt({ min: -999_999_999_999_999n, max: 999_999_999_999_999n }),
        fc.integer({ min: 0, max: 2 }),
      )
      .map(([units, scale]) => {
        const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
        const whole = digits.slice(0, digits.length - scale)
        return `${units < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`
      })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, decimal), { minLength: 1, maxLength: 8 }), async (rows) => {
        const records: RecordsExport = {
          ...RECORDS,
          columns: [
            { heading: 'Name', type: 'text' },
            { heading: 'Balance', type: 'money' },
          ],
          rows: () => once(rows),
        }
        const [, ...back] = await readBack(await bytesOf(recordsWorkbook(records, OPTIONS)))
        expect(back.map(({ cells }) => cells)).toMatchObject(
          rows.map(([name, amount]) => [name, { number: amount }]),
        )
      }),
      { numRuns: isDeep ? 5_000 : 50 },
    )
  })

  it('an error among the rows ends the file with that error, and a defect doesn’t hang', async () => {
    const gone: RecordsExport = {
      ...RECORDS,
      rows: async function* () {
        yield await Promise.resolve(ok([['1']]))
        yield err(appError('not-found', 'The list is not held any more.'))
      },
    }
    const path = join(folder, 'gone.xlsx')
    expect(await writeFileAtomically(path, recordsWorkbook(gone, OPTIONS))).toMatchObject({
      ok: false,
      error: { kind: 'not-found' },
    })
    const broken: RecordsExport = {
      ...RECORDS,
      rows: async function* () {
        yield await Promise.resolve(ok([['1']]))
        throw new Error('a defect')
      },
    }
    expect(await writeFileAtomically(path, recordsWorkbook(broken, OPTIONS))).toMatchObject({ ok: false })
    expect(readdirSync(folder)).toEqual([])
  })

  it('releases the rows when reading stops', async () => {
    let isClosed = false
    const endless: RecordsExport = {
      ...RECORDS,
      rows: async function* () {
        try {
          for (;;) yield await Promise.resolve(ok(Array.from({ length: 500 }, () => ['1', 'name'])))
        } finally {
          isClosed = true
        }
      },
    }
    let pieces = 0
    for await (const piece of recordsWorkbook(endless, OPTIONS)) {
      pieces += piece.ok ? 1 : 0
      // The first pieces are created before any row is requested.
      if (pieces === 4) break
    }
    expect(isClosed).toBe(true)
  })
})

const raw = (rowType: string, name: string, ...values: string[]): RawReportRow => ({
  rowType,
  name,
  id: '',
  values,
})
const ROWS = levelReport([
  raw('TextRow', 'Income'),
  raw('DataRow', '4010 Design', '2026-01-05', '00123', '6750.00'),
  raw('DataRow', '4020 Idle', '', '77', '0.00'),
  raw('SubtotalRow', 'Total Income', '', '', '6750.00'),
  raw('TotalRow', 'Net income', '', '', '-6750.00'),
])
const REPORT: ReportForWorkbook = {
  sheetName: 'Profit/Loss: [detail] of all the companies',
  companyName: 'Alder & Finch',
  title: 'Profit and loss detail',
  period: '1 January to 31 March 2026',
  notes: ['Made 1 April 2026, 9:00. Basis as set in the accounting application.'],
  wrong: [],
  unchecked: [],
  head: { name: 'ProfitAndLoss', nameColumn: '', columns: ['Date', 'Num', 'Amount'] },
  rows: () => once(ROWS.slice(0, 2), ROWS.slice(2)),
  hideZeroRows: false,
}

describe('a report as a workbook', () => {
  it('has its title above it, numbers as numbers, and document numbers unchanged', async () => {
    const rows = await readBack(await bytesOf(reportWorkbook([REPORT], OPTIONS)))
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['Alder & Finch'],
      ['Profit and loss detail'],
      ['1 January to 31 March 2026'],
      ['Made 1 April 2026, 9:00. Basis as set in the accounting application.'],
      ['', 'Date', 'Num', 'Amount'],
      ['Income'],
      ['4010 Design', { date: '2026-01-05' }, '00123', { number: '6750.00', shown: '6750' }],
      ['4020 Idle', '', '77', { number: '0.00', shown: '0' }],
      ['Total Income', '', '', { number: '6750.00', shown: '6750' }],
      ['Net income', '', '', { number: '-6750.00', shown: '-6750' }],
    ])
  })

  it('puts the entries of a ledger in columns, with real dates', async () => {
    const entry = {
      ...raw('DataRow', '2026-01-05, Check, 1023, Smith & Sons, January rent, Rent', '4.00', '6.00'),
      id: 'v1',
    }
    const rows = levelReport([
      raw('TextRow', '1010 · Checking'),
      raw('DataRow', 'Opening balance', '', '10.00'),
      entry,
      raw('SubtotalRow', 'Total 1010 · Checking', '4.00', '6.00'),
      raw('TextRow', 'Rent'),
    ])
    const head = { name: 'GeneralLedger', nameColumn: 'Entry', columns: ['Credit', 'Balance'] }
    const ledger = { ...REPORT, head, rows: () => once(rows) }
    const read = await readBack(await bytesOf(reportWorkbook([ledger], OPTIONS)))
    expect(read.slice(4, 8).map(({ cells }) => cells)).toEqual([
      ['Date', 'Type', 'No.', 'Name', 'Memo', 'Split', 'Credit', 'Balance'],
      ['1010 · Checking'],
      ['Opening balance', '', '', '', '', '', '', { number: '10.00', shown: '10' }],
      [
        { date: '2026-01-05' },
        ...['Check', '1023', 'Smith & Sons', 'January rent', 'Rent'],
        { number: '4.00', shown: '4' },
        { number: '6.00', shown: '6' },
      ],
    ])
  })

  it('indents its levels, sets totals bold, rules subtotals above and the last total double', async () => {
    const parts = await partsOf(
      await bytesOf(reportWorkbook([REPORT], { ...OPTIONS, negatives: 'brackets' })),
    )
    const formats = [
      ...(parts['xl/styles.xml'] ?? '').matchAll(/<xf (?=[^>]*xfId)[^>]*?(?:\/>|>.*?<\/xf>)/g),
    ].map(([xf]) => xf)
    const style = (cell: string): string => {
      const found = new RegExp(`<c r="${cell}" s="(\\d+)"`).exec(parts['xl/worksheets/sheet1.xml'] ?? '')
      return formats[Number(found?.[1])] ?? ''
    }
    expect(style('A8')).toContain('indent="1"')
    expect(style('D8')).toContain('numFmtId="164" fontId="0"')
    expect(style('D10')).toMatch(/fontId="1" .*borderId="2"/)
    expect(style('D11')).toMatch(/fontId="1" .*borderId="3"/)
    expect(parts['xl/styles.xml']).toContain('bottom style="double"')
    expect(parts['xl/styles.xml']).toContain('#,##0.00######_);(#,##0.00######)')
    expect(parts['xl/worksheets/sheet1.xml']).toContain('ySplit="6"')
  })

  it('omits zero rows if they are hidden on screen', async () => {
    const rows = await readBack(await bytesOf(reportWorkbook([{ ...REPORT, hideZeroRows: true }], OPTIONS)))
    expect(rows).toHaveLength(10)
    const sparse = {
      ...REPORT,
      rows: () => once(levelReport([raw('DataRow', 'Idle', '0.00')])),
      hideZeroRows: true,
    }
    expect(await readBack(await bytesOf(reportWorkbook([sparse], OPTIONS)))).toHaveLength(5)
  })

  it('several reports have one sheet each, under names that Excel accepts', async () => {
    const parts = await partsOf(await bytesOf(reportWorkbook([REPORT, REPORT], OPTIONS)))
    const names = [...(parts['xl/workbook.xml'] ?? '').matchAll(/<sheet name="([^"]*)"/g)].map(
      ([, name]) => name,
    )
    expect(names).toEqual(['Profit Loss detail of all the c', 'Profit Loss detail of all t (2)'])
  })
})

describe('the limits of a spreadsheet', () => {
  it('a full sheet continues in another one with its headings, and no row is lost or doubled', async () => {
    const sheet = {
      name: 'Ledger',
      above: [],
      columns: [{ heading: 'Row', kind: 'text', width: 10 }],
      rows: () =>
        once(
          ...[3, 1, 4].map((count, batch) =>
            Array.from({ length: count }, (_, index) => ({
              cells: [`${String(batch)}.${String(index)}`],
              look: PLAIN,
            })),
          ),
        ),
      frozenColumns: 0,
      hasFilter: false,
      print: { orientation: 'portrait', header: '', footer: '' },
    } as const
    const bytes = await bytesOf(
      workbookPieces([sheet], {
        properties: { title: 'Ledger', company: 'Alder', madeAt: MADE_AT },
        negatives: 'minus',
        about: [],
        mostRows: 4,
      }),
    )
    const all: string[] = []
    for (const name of ['Ledger', 'Ledger (2)', 'Ledger (3)']) {
      const [heading, ...rows] = await readBack(bytes, name)
      expect(heading?.cells).toEqual(['Row'])
      all.push(...rows.map(({ cells }) => cells.map(cellText).join()))
    }
    expect(all).toEqual(['0.0', '0.1', '0.2', '1.0', '2.0', '2.1', '2.2', '2.3'])
    const about = await readBack(bytes, 'About')
    expect(about.map(({ cells }) => cells.map(cellText).join(' ')).join()).toContain(
      'Ledger continues in Ledger (2)',
    )
  })

  it('a row of wrapped text is as high as its longest cell', async () => {
    const texts = [
      'Short',
      'Three lines of words, each up to twenty characters',
      'x'.repeat(25),
      'One\ntwo',
      'y '.repeat(30_000),
    ]
    const sheet: WorkbookSheet = {
      name: 'Review',
      above: [],
      columns: [
        { heading: 'Group', kind: 'text', width: 10 },
        { heading: 'What was found', kind: 'text', width: 22 },
      ],
      rows: () =>
        once(texts.map((text) => ({ cells: ['Ten chars.', text], look: { ...PLAIN, wraps: true } }))),
      frozenColumns: 0,
      hasFilter: false,
      print: { orientation: 'portrait', header: '', footer: '' },
    }
    const properties = { title: 'Review', company: 'Alder', madeAt: MADE_AT }
    const options = { properties, negatives: 'minus', about: [], mostRows: 100 } as const
    const { 'xl/worksheets/sheet1.xml': xml = '' } = await partsOf(
      await bytesOf(workbookPieces([sheet], options)),
    )
    const heights = [...xml.matchAll(/<row r="\d+"(?: ht="(\d+)")?>/g)].map(([, height]) => height)
    expect(heights).toEqual([undefined, undefined, '45', '30', '30', '409'])
  })

  it.each([
    ['1234.50', 'number'],
    ['999999999999999', 'number'],
    ['-9999999999999.99', 'number'],
    ['0.000000000000001', 'number'],
    ['1000000000000000.00', 'number'],
    ['1000000000000000.01', 'too-long'],
    ['1234567890123456', 'too-long'],
    ['1e5', 'no-number'],
    ['', 'no-number'],
  ])('%j is written as a %s', (text, fate) => {
    expect(classifyNumber(text)).toBe(fate)
  })

  it('texts are cut at 32,767 characters, never inside one', () => {
    expect(cutText('x'.repeat(32_767))).toHaveLength(32_767)
    expect(cutText(`${'x'.repeat(32_766)}😀`)).toBe('x'.repeat(32_766))
  })

  it('columns have letters, escapes are preserved, and times before the spreadsheet epoch stay text', () => {
    expect([0, 25, 26, 701, 702, 16_383].map(columnLetters)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD'])
    expect(xmlText('_x0041_x0042_')).toBe('_x005F_x0041_x005F_x0042_')
    expect(momentSerial('1899-01-01T00:00:00Z')).toBeNull()
    expect(momentSerial('2026-13-01T00:00:00Z')).toBeNull()
  })

  it('any names become names that Excel accepts, no two alike', async () => {
    const namesFor = async (wanted: readonly string[]): Promise<readonly string[]> => {
      const sheets = wanted.map((name): WorkbookSheet => ({
        ...{ name, above: [], columns: [{ heading: 'Row', kind: 'text', width: 10 }], rows: () => once() },
        ...{ frozenColumns: 0, hasFilter: false },
        print: { orientation: 'portrait', header: '', footer: '' },
      }))
      const properties = { title: 'Names', company: 'Alder', madeAt: MADE_AT }
      const parts = await partsOf(
        await bytesOf(workbookPieces(sheets, { properties, negatives: 'minus', about: [] })),
      )
      const given: string[] = []
      const parser = new SaxesParser({ xmlns: false })
      parser.on('opentag', ({ name, attributes }) => {
        if (name === 'sheet') given.push(attributes['name'] ?? '')
      })
      parser.write(parts['xl/workbook.xml'] ?? '').close()
      return given
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary', maxLength: 50 }), { minLength: 1, maxLength: 8 }),
        async (wanted) => {
          const given = await namesFor(wanted)
          expect(given).toHaveLength(wanted.length)
          expect(new Set(given.map((each) => each.toLowerCase())).size).toBe(given.length)
          for (const name of given) {
            expect(name.length).toBeGreaterThan(0)
            expect(name.length).toBeLessThanOrEqual(31)
            expect(name).not.toMatch(/[[\]:*?/\\]|^'|'$/)
            expect(name.toLowerCase()).not.toBe('history')
          }
        },
      ),
    )
  })
})
