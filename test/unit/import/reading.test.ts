// Reading files for import: valid ones exactly; hostile and broken ones are refused with a message in bounded time.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { csvPieces } from '../../../electron/files/csv/csv.ts'
import { createImportFiles, type ImportFiles } from '../../../electron/files/import/import-files.ts'
import { IMPORT_LIMITS, type ImportLimits } from '../../../electron/files/import/limits.ts'
import { readSource } from '../../../electron/files/import/read-source.ts'
import { formatMeaning } from '../../../electron/files/import/sheet-reader.ts'
import { readCsv } from '../../../electron/files/import/text-reader.ts'
import { xmlAttribute } from '../../../electron/files/workbook/cells.ts'
import {
  cellText,
  type ImportCell,
  type ImportRow,
  rowOfHeadings,
  withHeadings,
} from '../../../shared/import/table.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { IMPORT_OPTIONS } from '../../import-options.ts'
import { isDeep } from '../../seeds.ts'
import { bytesOf, workbookParts, zipOf } from '../files/workbook-fixture.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookbridge-import-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

interface Read {
  readonly cells: readonly (readonly ImportCell[])[]
  readonly rows: readonly ImportRow[]
  readonly notes: readonly string[]
}

async function read(path: string, limits: ImportLimits = IMPORT_LIMITS): Promise<Read> {
  const result = await readSource({ kind: 'file', path, sheet: '' }, limits)
  if (!result.ok) throw new Error(result.error.message)
  const { rows, notes } = result.value
  return { rows, notes, cells: rows.map(({ cells }) => cells) }
}

async function refusal(path: string, limits: Partial<ImportLimits> = {}): Promise<string> {
  const result = await readSource({ kind: 'file', path, sheet: '' }, { ...IMPORT_LIMITS, ...limits })
  if (result.ok) throw new Error('It was read.')
  expect(result.error.kind).toBe('file')
  expect(result.error.advice).not.toBe('')
  return `${result.error.message} ${result.error.details.raw ?? ''}`
}

function utf32(text: string, isLittleEndian: boolean): Buffer {
  const points = [...text].map((character) => character.codePointAt(0) ?? 0)
  const bytes = Buffer.alloc(points.length * 4)
  points.forEach((point, at) =>
    isLittleEndian ? bytes.writeUInt32LE(point, at * 4) : bytes.writeUInt32BE(point, at * 4),
  )
  return bytes
}

const sheet = async (data: string, more: Readonly<Record<string, string>> = {}): Promise<string> =>
  fileOf('book.xlsx', await zipOf(workbookParts(data, more)))

describe('a workbook', () => {
  it('reads numbers with their digits, and text however it is stored', async () => {
    const path = await sheet(
      `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><r><t>in</t></r><rPh><t>no</t></rPh><r><t>line</t></r></is></c></row>
       <row r="4"><c r="A4"><v>1234.50</v></c><c r="B4"><v>0.30000000000000004</v></c><c r="C4" t="b"><v>1</v></c>
       <c r="D4" t="e"><v>#N/A</v></c><c r="E4" t="str"><f>A4</f><v>text</v></c><c r="F4"><f>A4*2</f><v>2469</v></c></row>`,
    )
    const { rows, notes } = await read(path)
    expect(rows).toEqual([
      { number: 1, cells: ['shared', '', 'inline'] },
      {
        number: 4,
        cells: [
          { number: '1234.50' },
          { number: '0.30000000000000004', shown: '0.3' },
          true,
          { error: '#N/A' },
          'text',
          { number: '2469' },
        ],
      },
    ])
    expect(notes).toEqual([])
  })

  it('a formula without a stored result is empty, with a note', async () => {
    const { cells, notes } = await read(
      await sheet('<row r="1"><c r="A1"><f>B1</f></c><c r="B1"><v>1</v></c></row>'),
    )
    expect(cells).toEqual([['', { number: '1' }]])
    expect(notes.join()).toMatch(/no stored result.*: A1\./)
  })

  it.each([
    [false, '14', '46112', { date: '2026-03-31' }],
    [false, '22', '46112.5868055556', { date: '2026-03-31T14:05:00' }],
    [false, '20', '0.5', { date: '12:00:00' }],
    [true, '14', '44650', { date: '2026-03-31' }],
    [false, '14', '60', { number: '60' }],
    [false, '14', '59', { date: '1900-02-28' }],
    [false, '14', '61', { date: '1900-03-01' }],
    [false, '14', '-1', { number: '-1' }],
    [false, '0', '46112', { number: '46112' }],
  ])('days counted from 1904: %s, format %s, %s is %j', async (is1904, format, digits, expected) => {
    const path = await sheet(`<row r="1"><c r="A1" s="0"><v>${digits}</v></c></row>`, {
      'xl/styles.xml': `<styleSheet><cellXfs><xf numFmtId="${format}"/></cellXfs></styleSheet>`,
      ...(is1904 && {
        'xl/workbook.xml':
          '<workbook xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="a" r:id="rId1"/></sheets></workbook>',
      }),
    })
    expect((await read(path)).cells).toEqual([[expected]])
  })

  it('formats are recognized by their codes', () => {
    expect(formatMeaning(164, 'dd/mm/yyyy')).toBe('date')
    expect(formatMeaning(164, '[$-409]mmmm d\\, yyyy;@')).toBe('date')
    expect(formatMeaning(164, '#,##0.00\\ "days"')).toBe('number')
    expect(formatMeaning(164, '[Red]#,##0.00')).toBe('number')
    expect(formatMeaning(164, '0.00E+00')).toBe('number')
    expect(formatMeaning(164, '$#,##0')).toEqual({ currency: '$' })
    expect(formatMeaning(164, '#,##0.00\\ [$€-407]')).toEqual({ currency: '€' })
    expect(formatMeaning(164, '[$USD]\\ #,##0.00')).toEqual({ currency: 'USD' })
    expect(formatMeaning(164, '[$-409]#,##0.00')).toBe('number')
    expect(formatMeaning(164, '#,##0.00 "kr"')).toEqual({ currency: 'kr' })
    expect(formatMeaning(164, '"CHF" #,##0.00')).toEqual({ currency: 'CHF' })
    expect(formatMeaning(164, '#,##0 "kg"')).toBe('number')
    expect(formatMeaning(164, '0.0%')).toEqual({ shown: '0.0%' })
  })

  /** What a cell with this number and format reads as in a text field. */
  async function shown(number: string, formatId: number, formats = ''): Promise<string> {
    const path = await sheet(`<row r="1"><c r="A1"><v>${number}</v></c></row>`, {
      'xl/styles.xml': `<styleSheet>${formats}<cellXfs><xf numFmtId="${formatId}"/></cellXfs></styleSheet>`,
    })
    return cellText((await read(path)).cells[0]?.[0] ?? '')
  }

  it('built-in formats are known without being listed', async () => {
    const meanings = [5, 6, 7, 8, 37, 38, 39, 40, 41, 42, 43, 44].map((id) => formatMeaning(id, undefined))
    const isCurrency = meanings.map((meaning) => typeof meaning === 'object' && 'currency' in meaning)
    expect(isCurrency).toEqual([true, true, true, true, false, false, false, false, false, true, false, true])
    expect(await shown('0.05', 9)).toBe('5%')
    expect(await shown('1500.5', 44)).toBe('1500.5')
  })

  it('values of other programs: TRUE in capitals, and dates with a time zone or fractions of a second', async () => {
    const cells = ['TRUE', '0'].map((value) => `<c t="b"><v>${value}</v></c>`)
    const dates = ['2026-03-31T00:00:00.000Z', '2026-03-31T23:30:00.5+02:00', '2026-03-31', 'T14:05:00', '']
    const row = [...cells, ...dates.map((date) => `<c t="d"><v>${date}</v></c>`)].join('')
    expect((await read(await sheet(`<row r="1">${row}</row>`))).cells).toEqual([
      [
        true,
        false,
        ...['2026-03-31', '2026-03-31T23:30:00', '2026-03-31', '14:05:00'].map((date) => ({ date })),
      ],
    ])
  })

  it('notes cells that are merged across rows, and hidden columns', async () => {
    const text = (reference: string): string => `<c r="${reference}" t="str"><v>x</v></c>`
    const path = await sheet('', {
      'xl/worksheets/sheet1.xml': `<worksheet><cols><col min="2" max="3" hidden="1"/><col min="9" max="16384" hidden="1"/></cols><sheetData><row r="1">${text('A1')}${text('C1')}</row><row r="2">${text('A2')}${text('C2')}</row></sheetData><mergeCells><mergeCell ref="A1:C1"/><mergeCell ref="A2:A4"/></mergeCells></worksheet>`,
    })
    expect((await read(path)).notes).toEqual([
      'Some cells are merged across several rows: A2:A4. Only the first row of each has the value.',
      'Hidden columns were read, too: B and C.',
    ])
  })

  it.each([
    ['General', '89501.0', '89501'],
    ['General', '4.155551234E9', '4155551234'],
    ['00000', '2134', '02134'],
    ['00000', '2134.0', '02134'],
    ['00000-0000', '21340012', '02134-0012'],
    ['000-00-0000', '12345678', '012-34-5678'],
    ['[<=9999999]###-####;(###) ###-####', '7755551186', '(775) 555-1186'],
    ['[<=9999999]###-####;(###) ###-####', '5551186', '555-1186'],
    ['"INV-"0000', '42', 'INV-0042'],
    ['@', '89501.0', '89501'],
    ['[h]:mm:ss', '1.5', '36:00:00'],
    ['h:mm', '1.25', '6:00'],
    ['mm:ss.0', '0.0005', '00:43.2'],
    ['# ?/?', '0.5', '1/2'],
    ['0%', '-0.05', '-5%'],
    ['"C-"General', '42', 'C-42'],
    ['"C-"General', '123456789012', '123456789012'],
    ['General', '12345678901234567', '12345678901234567'],
    ['0000-0000', '12345678901234567', '12345678901234567'],
    ['0', '12.7', '12.7'],
    ['0,', '12345', '12345'],
    ['0_);(0)', '-12', '-12'],
    ['#,##0.00', '1234.50', '1234.50'],
  ])('format %s shows %s in a text field as %s', async (code, digits, expected) => {
    const formats = `<numFmts><numFmt numFmtId="164" formatCode="${xmlAttribute(code)}"/></numFmts>`
    expect(await shown(digits, 164, formats)).toBe(expected)
  })

  it('an invalid date stays a number, with a note', async () => {
    const { cells, notes } = await read(
      await sheet('<row r="1"><c r="A1"><v>-5</v></c></row>', {
        'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>',
      }),
    )
    expect(cells).toEqual([[{ number: '-5' }]])
    expect(notes.join()).toMatch(/dates that don’t exist.*: A1\./)
  })

  it('identifies elements by namespace, and ignores extensions', async () => {
    const main = 'http://purl.oclc.org/ooxml/spreadsheetml/main'
    const path = await sheet('', {
      'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="r" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><workbookPr date1904="1"/><sheets><sheet name="a" r:id="rId1"/></sheets><extLst><ext><x15:workbookPr xmlns:x15="x15" chartTrackingRefBase="1"/><workbookPr date1904="0"/></ext></extLst></workbook>`,
      'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>`,
      'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><sheetData><row r="1"><c r="A1" s="0"><v>44650</v></c><mc:AlternateContent><mc:Choice Requires="z"><c r="B1"><v>1</v></c></mc:Choice><mc:Fallback><c r="B1"><v>2</v></c></mc:Fallback></mc:AlternateContent><x:c xmlns:x="x" r="C1"><v>3</v></x:c></row></sheetData></worksheet>`,
    })
    expect((await read(path)).cells).toEqual([[{ date: '2026-03-31' }, { date: '1904-01-03' }]])
  })

  it('recognizes hidden rows', async () => {
    const { rows } = await read(
      await sheet(
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="2" hidden="1"><c r="A2"><v>2</v></c></row>',
      ),
    )
    expect(rows.map(({ isHidden }) => isHidden === true)).toEqual([false, true])
  })

  it('an empty shared text is empty, and an inline text is itself', async () => {
    const { cells } = await read(
      await sheet(
        '<row r="1"><c r="A1" t="s"><v/></c><c r="B1" t="inlineStr"><v>0</v><is><t>in</t></is></c><c r="C1" t="inlineStr"><is><t>line</t></is><v>0</v></c></row>',
      ),
    )
    expect(cells).toEqual([['', 'in', 'line']])
  })

  it('removes the apostrophe of our own CSV file after a spreadsheet saved it as a workbook', async () => {
    const row = `<row r="1"><c r="A1" t="inlineStr"><is><t>'+1 (212) 555-0100</t></is></c><c r="B1" t="inlineStr"><is><t>one_x000D_\ntwo</t></is></c></row>`
    expect((await read(await sheet(row))).cells).toEqual([['+1 (212) 555-0100', 'one\ntwo']])
  })

  it('opens on the first sheet with rows', async () => {
    const parts = workbookParts('')
    const path = fileOf(
      'book.xlsx',
      await zipOf({
        ...parts,
        'xl/workbook.xml':
          '<workbook xmlns:r="r"><sheets><sheet name="Chart" r:id="rId7"/><sheet name="Empty" r:id="rId1"/><sheet name="Data" r:id="rId8"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels': `${(parts['xl/_rels/workbook.xml.rels'] ?? '').replace('</Relationships>', '')}<Relationship Id="rId7" Type="x/chartsheet" Target="chart.xml"/><Relationship Id="rId8" Type="x/worksheet" Target="worksheets/two.xml"/></Relationships>`,
        'xl/worksheets/two.xml': '<worksheet><sheetData><row><c><v>2</v></c></row></sheetData></worksheet>',
      }),
    )
    expect(await readSource({ kind: 'file', path, sheet: '' }, IMPORT_LIMITS)).toMatchObject({
      ok: true,
      value: { sheet: 'Data', sheets: ['Chart', 'Empty', 'Data'] },
    })
  })

  it('says so if only hidden sheets have rows', async () => {
    const parts = workbookParts('')
    const path = fileOf(
      'book.xlsx',
      await zipOf({
        ...parts,
        'xl/workbook.xml':
          '<workbook xmlns:r="r"><sheets><sheet name="a" r:id="rId1"/><sheet name="b" state="hidden" r:id="rId8"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels': (parts['xl/_rels/workbook.xml.rels'] ?? '').replace(
          '</Relationships>',
          '<Relationship Id="rId8" Type="x/worksheet" Target="worksheets/two.xml"/></Relationships>',
        ),
        'xl/worksheets/two.xml': '<worksheet><sheetData><row><c><v>2</v></c></row></sheetData></worksheet>',
      }),
    )
    expect(await refusal(path)).toContain('except for hidden ones')
  })

  it('reads the requested sheet, and leaves out hidden ones', async () => {
    const parts = workbookParts('<row r="1"><c r="A1"><v>1</v></c></row>')
    const path = fileOf(
      'book.xlsx',
      await zipOf({
        ...parts,
        'xl/workbook.xml':
          '<x:workbook xmlns:q="r" xmlns:x="x"><x:sheets><x:sheet name="secret" state="hidden" q:id="rId9"/><x:sheet name="one" q:id="rId1"/><x:sheet name="two" q:id="rId8"/></x:sheets></x:workbook>',
        'xl/_rels/workbook.xml.rels': `${(parts['xl/_rels/workbook.xml.rels'] ?? '').replace('</Relationships>', '')}<Relationship Id="rId8" Type="x/worksheet" Target="/xl/worksheets/../worksheets/two.xml"/></Relationships>`,
        'xl/worksheets/two.xml': '<worksheet><sheetData><row><c><v>2</v></c></row></sheetData></worksheet>',
      }),
    )
    const result = await readSource({ kind: 'file', path, sheet: 'two' }, IMPORT_LIMITS)
    expect(result).toMatchObject({
      ok: true,
      value: { sheet: 'two', sheets: ['one', 'two'], rows: [{ number: 1, cells: [{ number: '2' }] }] },
    })
  })
})

describe('hostile and broken workbooks are rejected with a message', () => {
  const row = (number: string): string => `<row r="${number}"><c r="A${number}"><v>1</v></c></row>`

  it('a bomb', async () => {
    const bomb = { 'xl/worksheets/sheet1.xml': Buffer.alloc(40 * 1024 * 1024, ' ') }
    const path = fileOf('bomb.xlsx', await zipOf({ ...workbookParts(''), ...bomb }))
    expect(await refusal(path)).toMatch(/could be harmful.*times its size/)
  })

  it('a part that unpacks to more than it says', async () => {
    const bytes = await zipOf(workbookParts(row('1') + ' '.repeat(5_000)))
    // Understates the sizes in the zip's directory. The last part is the sheet.
    const at = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))
    bytes.writeUInt32LE(50, at + 24)
    expect(await refusal(fileOf('liar.xlsx', bytes))).toMatch(/damaged or incomplete|more data/)
  })

  it('a document type, whatever it would define', async () => {
    const path = await sheet('', {
      'xl/worksheets/sheet1.xml':
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet>&b;</worksheet>',
    })
    expect(await refusal(path)).toMatch(/harmful.*document type/)
  })

  it.each([
    ['a row far below', row('2000000000'), /harmful.*row 2000000000/],
    ['rows that go backwards', row('5') + row('4'), /damaged.*Row 4 follows row 5/],
    ['a row whose number isn’t one', row('x'), /damaged/],
    ['a column far out', '<row r="1"><c r="ZZZ1"><v>1</v></c></row>', /harmful.*ZZZ1/],
    ['a cell with an invalid reference', '<row r="1"><c r="1A"><v>1</v></c></row>', /damaged/],
    [
      'a shared text that is not there',
      '<row r="1"><c r="A1" t="s"><v>7</v></c></row>',
      /damaged.*shared text 7/,
    ],
    ['elements without end', '<a>'.repeat(200), /nested too deeply/],
    ['an end that never comes', '<row r="1"><c r="A1">', /damaged/],
    ['an entity of its own', '<row r="1"><c r="A1" t="str"><v>&evil;</v></c></row>', /damaged/],
  ])('%s', async (_, data, expected) => {
    expect(await refusal(await sheet(data))).toMatch(expected)
  })

  it('too many cells, too much text, one text too long, too many parts', async () => {
    const wide = await sheet(
      `<row r="1"><c r="XFD1"><v>1</v></c></row><row r="2"><c r="XFD2"><v>1</v></c></row>`,
    )
    expect(await refusal(wide, { cells: 20_000 })).toMatch(/more cells/)
    const long = await sheet(`<row r="1"><c r="A1" t="str"><v>${'x'.repeat(5_000)}</v></c></row>`)
    expect(await refusal(long, { characters: 4_000 })).toMatch(/more text/)
    expect(await refusal(long, { token: 1_000 })).toMatch(/longer texts/)
    const repeated = await sheet(`<row r="1">${'<c t="s"><v>0</v></c>'.repeat(1_000)}</row>`)
    expect(await refusal(repeated, { characters: 4_000 })).toMatch(/more text/)
    expect(await refusal(long, { parts: 3 })).toMatch(/more parts/)
  })

  it('a file that is cut off anywhere, at once', async () => {
    const whole = readFileSync(
      await sheet(Array.from({ length: 500 }, (_, index) => row(String(index + 1))).join('')),
    )
    for (const share of [0.01, 0.3, 0.6, 0.9, 0.99]) {
      const cut = fileOf('cut.xlsx', whole.subarray(0, Math.floor(whole.length * share)))
      expect(await refusal(cut)).toMatch(/damaged or incomplete|has the name of a workbook/)
    }
  })

  it('any damage is an error or a table, never a crash', async () => {
    const whole = readFileSync(
      await sheet(Array.from({ length: 50 }, (_, index) => row(String(index + 1))).join('')),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        async (changes) => {
          const bytes = Buffer.from(whole)
          for (const [at, value] of changes) bytes[at] = value
          const path = fileOf('bent.xlsx', bytes)
          const result = await readSource({ kind: 'file', path, sheet: '' }, IMPORT_LIMITS)
          if (!result.ok) expect(result.error.kind).toBe('file')
        },
      ),
      { numRuns: isDeep ? 20_000 : 300 },
    )
  }, 600_000)

  it.each([
    [
      'page.xlsx',
      '<!DOCTYPE html><html><table><tr><td>1</td></tr></table>',
      /web page with the name of a workbook/,
    ],
    [
      'old.xls',
      '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>',
      /XML format of Excel 2003/,
    ],
    ['page.csv', '\n<table><tr><td>1</td></tr></table>', /web page/],
    ['text.xlsx', 'Name,Balance\nAlder,1\n', /has the name of a workbook, but it isn’t one/],
    ['old.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), /old \.xls format/],
    ['a.pdf', '%PDF-1.7', /PDF/],
    ['a.csv', Buffer.from([1, 0, 0, 0, 2, 3, 0, 0, 0, 0, 9, 0]), /not a text file/],
    ['empty.csv', '', /is empty/],
    ['blank.csv', ' \n\n,,\n', /is empty/],
  ])('%s', async (name, content, expected) => {
    // A row with only a space isn't a row.
    expect(await refusal(fileOf(name, content))).toMatch(expected)
  })

  it('other zipped files', async () => {
    expect(await refusal(fileOf('a.xlsx', await zipOf({ 'a.txt': 'x' })))).toMatch(
      /zipped file, but not a workbook/,
    )
    expect(await refusal(fileOf('a.xlsb', await zipOf({ 'xl/workbook.bin': 'x' })))).toMatch(
      /binary workbook/,
    )
    expect(await refusal(fileOf('a.ods', await zipOf({ 'content.xml': 'x' })))).toMatch(/OpenDocument/)
  })
})

describe('text with delimiters', () => {
  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffName\nZoë\n', 'utf8')],
    ['UTF-8', Buffer.from('Name\nZoë\n', 'utf8')],
    ['UTF-16 with a mark', Buffer.from('\ufeffName\nZoë\n', 'utf16le')],
    ['UTF-16 without', Buffer.from('Name\nZoë\n', 'utf16le')],
    ['UTF-16 the other way round', Buffer.from('\ufeffName\nZoë\n', 'utf16le').swap16()],
    ['Windows', Buffer.from('Name\nZo\xeb\n', 'latin1')],
  ])('%s', async (_, bytes) => {
    expect((await read(fileOf('a.csv', bytes))).cells).toEqual([['Name'], ['Zoë']])
  })

  it.each([
    ['UTF-16 LE', Buffer.from('Name,City\nÉva,Bréda\n', 'utf16le')],
    ['UTF-32 LE', utf32('Name,City\nÉva,Bréda\n', true)],
    ['UTF-32 BE', utf32('Name,City\nÉva,Bréda\n', false)],
    ['Windows-1252', Buffer.from('Name,City\nÉva,Bréda\n', 'latin1')],
    ['UTF-16 LE', Buffer.from('Name,City\nÉva,Bréda\nИванов Иванович,Москва\n', 'utf16le')],
    ['UTF-16 BE', Buffer.from('名前,都市\nÉva,Bréda\n山田太郎商店株式会社,東京\n', 'utf16le').swap16()],
    ['UTF-32 LE', utf32('名前,都市\nÉva,Bréda\n山田太郎,東京\n', true)],
    ['UTF-8', Buffer.concat([Buffer.from('Name,Città\nÉva,Bréda\nZoë,'), Buffer.from([0xe9, 0x0a])])],
  ])('recognizes %s', async (encoding, bytes) => {
    const result = await readSource({ kind: 'file', path: fileOf('a.csv', bytes), sheet: '' }, IMPORT_LIMITS)
    expect(result).toMatchObject({ value: { text: { encoding, delimiter: ',' } } })
    expect(result.ok && result.value.rows[1]?.cells).toEqual(['Éva', 'Bréda'])
  })

  it.each([
    ['CP850', [0x90, 0x76, 0x61], 'Éva'],
    ['CP437', [0x90, 0x76, 0x61, 0x9e], 'Éva₧'],
    ['Mac Roman', [0x83, 0x76, 0x61], 'Éva'],
    ['ISO 8859-2', [0xa3, 0xf3, 0x64, 0xbc], 'Łódź'],
    ['Windows-1250', [0xa3, 0xf3, 0x64, 0x9f], 'Łódź'],
    ['Windows-1251', [0xc0, 0xed, 0xed, 0xe0], 'Анна'],
    ['Shift JIS', [0x93, 0xfa, 0x96, 0x7b], '日本'],
  ] as const)('reads %s if the user chose it', async (encoding, bytes, name) => {
    const path = fileOf('a.csv', Buffer.from([...Buffer.from('Name;City\n'), ...bytes, 0x3b, 0x41]))
    const text = { encoding, delimiter: ';' }
    const result = await readSource({ kind: 'file', path, sheet: '', text }, IMPORT_LIMITS)
    expect(result).toMatchObject({ value: { text, rows: [{}, { cells: [name, 'A'] }] } })
  })

  it('a wrong guess, and a wrong choice, can be corrected', async () => {
    const source = { kind: 'file', path: fileOf('a.csv', 'Name~Note\nÉva~"a, b; c\n'), sheet: '' } as const
    const wrong = await readSource(
      { ...source, text: { encoding: 'UTF-16 LE', delimiter: ',' } },
      IMPORT_LIMITS,
    )
    expect(wrong.ok && wrong.value.rows[0]?.cells).not.toEqual(['Name', 'Note'])
    const odd = await readSource(
      { ...source, text: { encoding: 'Shift JIS', delimiter: '~' } },
      IMPORT_LIMITS,
    )
    expect(odd.ok ? '' : odd.error.message).toContain('quotation mark')
    const path = fileOf('page.csv', '<html> is a tag~is not a page\n1~2\n')
    const page = { kind: 'file', path, sheet: '' } as const
    expect((await readSource(page, IMPORT_LIMITS)).ok).toBe(false)
    const chosen = await readSource({ ...page, text: { encoding: 'UTF-8', delimiter: '~' } }, IMPORT_LIMITS)
    expect(chosen.ok && chosen.value.rows[1]?.cells).toEqual(['1', '2'])
  })

  it('an end-of-file mark isn’t a row', async () => {
    expect((await read(fileOf('dos.csv', 'Name,City\r\nEva,Bath\r\n\x1a'))).cells).toHaveLength(2)
  })

  it('reads ="02134" as the text 02134', async () => {
    const path = fileOf('zip.csv', 'Zip,Note\n="02134","=""a"""\n')
    expect((await read(path)).cells[1]).toEqual(['02134', 'a'])
  })

  it.each([
    ['Zo\xeb', 'Windows-1252', 'Zoë'],
    ['M\x81nchen Caf\x82', 'CP850', 'München Café'],
    ['Name\rMontr\x8eal\r', 'Mac Roman', 'Montréal'],
    ['Name\nMontr\x8eal\nZ\x9frich\n', 'Mac Roman', 'Zürich'],
    ['Name\nB\x84ckerei K\x94hler\n', 'CP850', 'Bäckerei Köhler'],
    ['Name\nO\x92Neill \x93Zo\xeb\x94\n', 'Windows-1252', 'O’Neill “Zoë”'],
  ])('%j is reported as read in %s', async (text, encoding, expected) => {
    const { notes, cells } = await read(fileOf('a.csv', Buffer.from(text, 'latin1')))
    expect(notes.join()).toContain(encoding)
    expect(cells.at(-1)).toEqual([expected])
  })

  it.each(['CafÃ©', 'itâ€™s', 'Â£5', 'MÃ¼ller'])('%s is reported as damaged by an encoding', async (text) => {
    expect((await read(fileOf('a.csv', `Name\n${text}\n`))).notes.join()).toContain(
      `Row 2 has “${text}”, which looks like text that was once saved in the wrong encoding`,
    )
  })

  it('letters that only look like damage aren’t reported', async () => {
    expect((await read(fileOf('a.csv', 'Name\nÂngela, SÃO, Ãgå, â\n'))).notes).toEqual([])
  })

  it('spaces around a quoted cell don’t belong to it, but quotes within a cell do', async () => {
    const path = fileOf('a.csv', 'Name, "City" ,Note\r\nAlder, "Bath, ""UK""" ,5" pipe\n "a" b, "c\nd",\n')
    expect((await read(path)).cells).toEqual([
      ['Name', 'City', 'Note'],
      ['Alder', 'Bath, "UK"', '5" pipe'],
      [' "a" b', 'c\nd'],
    ])
  })

  it.each([
    ['Name\tNote\n\nAlder\ta, b, c, d\nFinch\te, f, g, h\n', '\t'],
    ['Name;Betrag\n"a;b";1,5\nx;2,5\n', ';'],
    ['"Last, First";x\n"Doe, Jane";y\n', ';'],
    ['Name,"a\nb;c",2\nx,y,z\n', ','],
    ['Name\nAlder\n', ','],
    ['a|b\n1|2', '|'],
  ])('%j is separated by %j', (text, delimiter) => {
    expect(readCsv(Buffer.from(text), IMPORT_LIMITS).text?.delimiter).toBe(delimiter)
  })

  it.each(['sep=;\r\n', '"sep=;"\n', 'SEP=;\n'])(
    '%j sets the delimiter, and isn’t a heading',
    async (first) => {
      const { rows } = await read(fileOf('a.csv', `${first}Name;Note\nAlder;a, b\n`))
      expect(rows).toEqual([
        { number: 1, cells: ['Name', 'Note'] },
        { number: 2, cells: ['Alder', 'a, b'] },
      ])
    },
  )

  it('different line ends separate rows, and line ends in cells stay and begin no row', async () => {
    const { rows } = await read(fileOf('a.csv', 'a,"x\r\ny"\r\nb,"1\n2"\nc,3\rd,4'))
    expect(rows).toEqual([
      { number: 1, cells: ['a', 'x\r\ny'] },
      { number: 2, cells: ['b', '1\n2'] },
      { number: 3, cells: ['c', '3'] },
      { number: 4, cells: ['d', '4'] },
    ])
  })

  it('an unclosed quote is an error with its line', async () => {
    expect(await refusal(fileOf('a.csv', 'Name,Note\nAlder,fine\nFinch,"oops\nx,y\n'))).toMatch(
      /Line 3.*never closed/,
    )
    expect(await refusal(fileOf('a.csv', 'Name,Note\nFinch,"oo"ps"\n'))).toMatch(/Line 2/)
  })

  it('text that our own CSV guarded is restored', async () => {
    const table = fc.array(
      fc.array(
        fc
          .string({ unit: 'binary', maxLength: 8 })
          .filter((text) => text.isWellFormed() && !text.includes('\0')),
        {
          minLength: 2,
          maxLength: 2,
        },
      ),
      { minLength: 1, maxLength: 6 },
    )
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        async function* all(): AsyncGenerator<Result<readonly (readonly string[])[]>> {
          yield await Promise.resolve(ok([['Name', 'Note', 'End'], ...rows.map((row) => [...row, '.'])]))
        }
        const path = fileOf('ours.csv', await bytesOf(csvPieces(all())))
        const { cells } = await read(path)
        expect(cells).toEqual([['Name', 'Note', 'End'], ...rows.map((row) => [...row, '.'])])
      }),
      { numRuns: isDeep ? 10_000 : 300 },
    )
  })
})

describe('a block from the clipboard', () => {
  const clipboard = async (text: string): Promise<readonly ImportRow[]> => {
    const result = await readSource({ kind: 'clipboard', text, delimiter: null }, IMPORT_LIMITS)
    if (!result.ok) throw new Error(result.error.message)
    return result.value.rows
  }

  it('has quotes like spreadsheets: around cells with line breaks, and otherwise unchanged', async () => {
    const block = 'Name\tPhone\r\n"Alder"" &\r\nSons"\t"Bob" 555\r\nBirch\t5" pipe\r\n\r\nCedar\t"7\r\n'
    expect(await clipboard(block)).toEqual([
      { number: 1, cells: ['Name', 'Phone'] },
      { number: 2, cells: ['Alder" &\nSons', '"Bob" 555'] },
      { number: 3, cells: ['Birch', '5" pipe'] },
      { number: 5, cells: ['Cedar', '"7'] },
    ])
    expect((await clipboard('Name\n"Bob" Smith')).map(({ cells }) => cells)).toEqual([
      ['Name'],
      ['"Bob" Smith'],
    ])
  })

  it('is read with the delimiter that the user chose', async () => {
    const source = { kind: 'clipboard', text: 'Name~City, ST\nAlder~Bath, UK', delimiter: '~' } as const
    expect(await readSource(source, IMPORT_LIMITS)).toMatchObject({
      value: { text: { encoding: null, delimiter: '~' }, rows: [{}, { cells: ['Alder', 'Bath, UK'] }] },
    })
  })

  it('may also be text with a delimiter', async () => {
    const rows = await clipboard('Name;Note\n"Alder; Sons";1,5')
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['Name', 'Note'],
      ['Alder; Sons', '1,5'],
    ])
  })
})

describe('a file that is passed as bytes', () => {
  const handed = (path: string, limits: ImportLimits = IMPORT_LIMITS) =>
    readSource({ kind: 'bytes', fileName: path, bytes: readFileSync(path), sheet: '' }, limits)

  it('is read like one on disk', async () => {
    const paths = [
      await sheet('<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2"><v>1.50</v></c></row>'),
      fileOf('text.csv', 'Name;Phone\r\nÄlder;1\r\n'),
    ]
    for (const path of paths) {
      const result = await handed(path)
      if (!result.ok) throw new Error(result.error.message)
      expect(result.value.rows).toEqual((await read(path)).rows)
    }
  })

  it('is rejected like that one: too large, damaged, or something else', async () => {
    const paths = [
      fileOf('page.xlsx', '<html><table><tr><td>1</td></tr></table></html>'),
      fileOf('broken.xlsx', (await zipOf(workbookParts('<row r="1"/>'))).subarray(0, 300)),
      fileOf('scan.pdf', '%PDF-1.7'),
    ]
    for (const path of paths) {
      const onDisk = await readSource({ kind: 'file', path, sheet: '' }, IMPORT_LIMITS)
      expect(onDisk.ok).toBe(false)
      expect(await handed(path)).toEqual(onDisk)
    }
    const large = await handed(fileOf('large.csv', 'Name\nAlder'), { ...IMPORT_LIMITS, fileBytes: 5 })
    expect(large).toMatchObject({ ok: false, error: { kind: 'file' } })
  })
})

describe('the import worker', () => {
  let files: ImportFiles | null = null
  afterEach(async () => {
    await files?.closeAll()
  })

  it('reads a table, returns its rows as bytes, and releases it', async () => {
    files = createImportFiles(IMPORT_OPTIONS)
    const path = fileOf(
      'a.csv',
      `Name,Phone\n${Array.from({ length: 1_000 }, (_, index) => `n${String(index)},1`).join('\n')}`,
    )
    const opened = await files.open({ kind: 'file', path, sheet: '' })
    expect(opened).toMatchObject({ ok: true, value: { kind: 'csv', fileName: 'a.csv', rowCount: 1_001 } })
    if (!opened.ok) return
    const { tableId } = opened.value
    const bytes = await files.rows(tableId, 999, 10)
    expect(bytes.ok && (JSON.parse(new TextDecoder().decode(bytes.value)) as unknown)).toEqual([
      { number: 1_000, cells: ['n998', '1'] },
      { number: 1_001, cells: ['n999', '1'] },
    ])
    await files.close(tableId)
    expect(await files.rows(tableId, 0, 1)).toMatchObject({ ok: false, error: { kind: 'not-found' } })
  })

  it('a file that takes too long or too much memory ends its worker, and nothing else', async () => {
    const path = fileOf('long.csv', 'Name,Phone\n'.repeat(400_000))
    files = createImportFiles(IMPORT_OPTIONS, { ...IMPORT_LIMITS, milliseconds: 1 })
    expect(await files.open({ kind: 'file', path, sheet: '' })).toMatchObject({
      ok: false,
      error: { kind: 'timed-out' },
    })
    await files.closeAll()
    files = createImportFiles(IMPORT_OPTIONS, { ...IMPORT_LIMITS, memoryMebibytes: 24 })
    expect(await files.open({ kind: 'file', path, sheet: '' })).toMatchObject({
      ok: false,
      error: { kind: 'too-large' },
    })
    expect(
      await files.open({ kind: 'clipboard', text: 'Name\tPhone\nAlder\t1', delimiter: null }),
    ).toMatchObject({
      ok: true,
      value: { kind: 'clipboard', rowCount: 2 },
    })
  })
})

describe('headings', () => {
  const rows = (...all: readonly (readonly ImportCell[])[]): ImportRow[] =>
    all.map((cells, index) => ({ number: index + 1, cells }))

  it('are found under titles, and can be chosen', () => {
    const table = rows(
      ['Alder & Finch'],
      ['Customers', 'of March'],
      ['Name', 'Phone', ' Balance '],
      ['a', '1', { number: '2' }],
    )
    expect(withHeadings(table)).toMatchObject({ headings: ['Customers', 'of March'], headingRow: 2 })
    expect(withHeadings(table.toSpliced(1, 1))).toMatchObject({
      headings: ['Name', 'Phone', 'Balance'],
      headingRow: 3,
      rows: [{ number: 4 }],
    })
    expect(withHeadings(table, 3)).toMatchObject({
      headings: ['Name', 'Phone', 'Balance'],
      rows: [{ number: 4 }],
    })
  })

  it('if titles have as many cells, the row that names the most fields has the headings', () => {
    const lines = [
      'Alder & Finch Builders, Inc., Customers',
      '',
      'Name,Phone,Email,Terms',
      'Ash,1,a@b,Net 30',
    ]
    const { rows } = readCsv(new TextEncoder().encode(lines.join('\n')), IMPORT_LIMITS)
    const fields = ['Name', 'Phone', 'Email', 'Terms']
    const known = (headings: readonly string[]) => headings.filter((each) => fields.includes(each)).length
    expect(rowOfHeadings(rows, known)).toBe(3)
    expect(withHeadings(rows, rowOfHeadings(rows, known)).headings).toEqual(fields)
    expect(
      rowOfHeadings(rows, () => 1),
      'one name may be a value',
    ).toBeUndefined()
  })
})
