import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { csvPieces } from '../../../electron/files/csv/csv.ts'
import { type PullRows, reportCsv } from '../../../electron/files/csv/report-csv.ts'
import { guardCell, unguardCell } from '../../../shared/format/text.ts'
import { levelReport } from '../../../shared/reports/levels.ts'
import type { RawReportRow, ReportRow } from '../../../shared/reports/reports.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { isDeep } from '../../seeds.ts'

const RUNS = isDeep ? 200_000 : 5_000

async function textOf(pieces: AsyncIterable<Result<Uint8Array>>): Promise<string> {
  const bytes: Uint8Array[] = []
  for await (const piece of pieces) {
    if (!piece.ok) throw new Error(piece.error.message)
    bytes.push(piece.value)
  }
  return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(Buffer.concat(bytes))
}

function parse(text: string): string[][] {
  const parsed = Papa.parse<string[]>(text, { delimiter: ',', newline: '\r\n' })
  // papaparse removes the byte order mark, and adds an empty row for the last line break.
  return parsed.data.slice(0, -1)
}

async function* batches<T>(...all: readonly (readonly T[])[]): AsyncGenerator<Result<readonly T[]>> {
  for (const batch of all) yield await Promise.resolve(ok(batch))
}

/** Cells as people and hostile data have them. */
const cell = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  {
    weight: 2,
    arbitrary: fc.string({
      unit: fc.constantFrom(
        '=',
        '+',
        '-',
        '@',
        "'",
        '"',
        ',',
        '\r',
        '\n',
        '\t',
        '\0',
        ' ',
        '\u00a0',
        '\u200b',
        '\ufeff',
        '\uff1d',
        '1',
        '.',
        'a',
        ';',
      ),
      maxLength: 12,
    }),
  },
  fc.constantFrom('', '-1234.50', '0.00', '00123', '=1+1', "'=1", '-', '١٢'),
)
const isWellFormed = (text: string): boolean => text.isWellFormed()

describe('CSV', () => {
  it(`${String(RUNS)} tables read back unchanged with an independent reader, raw and guarded`, async () => {
    const table = fc.integer({ min: 1, max: 5 }).chain((width) =>
      fc.array(fc.array(cell.filter(isWellFormed), { minLength: width, maxLength: width }), {
        minLength: 1,
        maxLength: 6,
      }),
    )
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const raw = await textOf(csvPieces(batches(rows), 'raw'))
        expect(raw.startsWith('\ufeff')).toBe(true)
        expect(parse(raw)).toEqual(rows)
        const guarded = await textOf(csvPieces(batches(rows)))
        expect(parse(guarded).map((row) => row.map(unguardCell))).toEqual(rows)
      }),
      { numRuns: RUNS },
    )
  }, 600_000)

  it('no cell begins as a formula, and only amounts begin with a sign', () => {
    fc.assert(
      fc.property(cell, (text) => {
        const seen = guardCell(text)
        const bare = seen.replace(/^[\p{Z}\p{Cf}]+/u, '')
        if (/^[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]/.test(bare)) expect(seen).toMatch(/^-\d+(?:\.\d+)?$/)
        expect(unguardCell(seen)).toBe(text)
      }),
      { numRuns: RUNS },
    )
  })

  it.each([
    ['=1+1', "'=1+1"],
    ['+44 20 7946', "'+44 20 7946"],
    ['@sum', "'@sum"],
    ['-cmd', "'-cmd"],
    ['  =1', "'  =1"],
    ['\u200b=1', "'\u200b=1"],
    ['\uff1d1+1', "'\uff1d1+1"],
    ["'tis", "''tis"],
    ['\tx', "'\tx"],
    ['-1234.50', '-1234.50'],
    ['-1,234.50', "'-1,234.50"],
    ['Rent = high', 'Rent = high'],
    ['', ''],
    ['007', '007'],
  ])('%j is written as %j', (text, written) => {
    expect(guardCell(text)).toBe(written)
  })

  const lineOf = async (cells: readonly string[]): Promise<string> =>
    (await textOf(csvPieces(batches([cells]), 'raw'))).slice(1)

  it('quotes what RFC 4180 requires, and an empty line', async () => {
    expect(await lineOf(['a,b', 'say "hi"', 'two\nlines', 'plain'])).toBe(
      '"a,b","say ""hi""","two\nlines",plain\r\n',
    )
    expect(await lineOf([''])).toBe('""\r\n')
  })

  it.each(['a;b', ';', 'a\tb', ' a', 'a ', '\u00a0a', 'a\u2003', ' '])(
    'quotes %j, which a reader with other delimiters would split or trim',
    async (cell) => {
      expect(await lineOf([cell, 'plain'])).toBe(`"${cell}",plain\r\n`)
    },
  )

  it('is written in pieces, so that a million rows are never in memory', async () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => [
      `row ${String(index)}`,
      '12345.67',
      'a memo of some length',
    ])
    const sizes: number[] = []
    for await (const piece of csvPieces(batches(rows))) if (piece.ok) sizes.push(piece.value.byteLength)
    expect(sizes.length).toBeGreaterThan(3)
    expect(Math.max(...sizes)).toBeLessThan(300 * 1024)
  })

  it('an error among the rows ends the file with that error', async () => {
    async function* broken(): AsyncGenerator<Result<readonly (readonly string[])[]>> {
      yield await Promise.resolve(ok([['a']]))
      yield err(appError('not-found', 'gone'))
      throw new Error('asked for more')
    }
    const outcomes: boolean[] = []
    for await (const piece of csvPieces(broken())) outcomes.push(piece.ok)
    expect(outcomes).toEqual([false])
  })
})

const raw = (rowType: string, name: string, ...values: string[]): RawReportRow => ({
  rowType,
  name,
  id: '',
  values,
})
const REPORT = levelReport([
  raw('TextRow', 'Income'),
  raw('TextRow', '4000 Construction'),
  raw('DataRow', '4010 Design, plans', '6750.00', '-0.50'),
  raw('DataRow', '4020 Idle', '0.00', '0.00'),
  raw('SubtotalRow', 'Total 4000 Construction', '6750.00', '-0.50'),
  raw('DataRow', '=4900 Discounts', '1.10', '2.20'),
  raw('SubtotalRow', 'Total Income', '6751.10', '1.70'),
  raw('TotalRow', 'Net income', '6751.10', '1.70'),
])
const pull =
  (rows: readonly ReportRow[]): PullRows =>
  () =>
    batches(rows.slice(0, 3), rows.slice(3))
const HEAD = { nameColumn: '', columns: ['Jan', 'Feb'] }

describe('a report as CSV', () => {
  it('as shown has the headings, then a line per row without indents, and nothing else', async () => {
    const text = await textOf(reportCsv(HEAD, pull(REPORT), 'as-shown', false))
    expect(text).toBe(
      [
        '\ufeff,Jan,Feb',
        'Income,,',
        '4000 Construction,,',
        '"4010 Design, plans",6750.00,-0.50',
        '4020 Idle,0.00,0.00',
        'Total 4000 Construction,6750.00,-0.50',
        "'=4900 Discounts,1.10,2.20",
        'Total Income,6751.10,1.70',
        'Net income,6751.10,1.70',
        '',
      ].join('\r\n'),
    )
  })

  it('omits zero rows, as on screen', async () => {
    const rows = parse(await textOf(reportCsv(HEAD, pull(REPORT), 'as-shown', true)))
    expect(rows.map(([name]) => name)).not.toContain('4020 Idle')
    expect(rows).toHaveLength(REPORT.length)
  })

  it('in the flat form has a line per leaf and a column per level before the values', async () => {
    const text = await textOf(reportCsv({ ...HEAD, nameColumn: 'Account' }, pull(REPORT), 'flat', false))
    expect(parse(text)).toEqual([
      ['Level 1', 'Level 2', 'Account', 'Jan', 'Feb'],
      ['Income', '4000 Construction', '4010 Design, plans', '6750.00', '-0.50'],
      ['Income', '4000 Construction', '4020 Idle', '0.00', '0.00'],
      ['Income', '', "'=4900 Discounts", '1.10', '2.20'],
    ])
  })

  it('in the flat form has every leaf once, with all its amounts and the names of its sections', async () => {
    const row = fc.record({
      rowType: fc.constantFrom('TextRow', 'DataRow', 'SubtotalRow', 'TotalRow', 'Odd'),
      name: fc.constantFrom('a', 'b', 'Total', 'x:y'),
      id: fc.constant(''),
      values: fc.array(fc.constantFrom('1.00', '0.00', '', 'memo'), { minLength: 2, maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 30 }), async (all) => {
        const rows = levelReport(all)
        const [, ...lines] = parse(await textOf(reportCsv(HEAD, pull(rows), 'flat', false)))
        const leaves = rows.filter(
          ({ kind, values }) =>
            kind === 'data' ||
            kind === 'other' ||
            (kind === 'section' && values.some((value) => value !== '')),
        )
        expect(lines.map((line) => line.slice(-3))).toEqual(
          leaves.map(({ name, values }) => [name, ...values]),
        )
        lines.forEach((line, index) => {
          const path: string[] = []
          for (let at = leaves[index]?.parent ?? -1; at >= 0; at = rows[at]?.parent ?? -1)
            path.unshift(rows[at]?.name ?? '')
          expect(line.slice(0, path.length)).toEqual(path)
          expect(line.slice(path.length, -3).every((each) => each === '')).toBe(true)
        })
      }),
    )
  })

  it('of a report that was closed ends with that error', async () => {
    async function* gone(): AsyncGenerator<Result<readonly ReportRow[]>> {
      yield await Promise.resolve(err(appError('not-found', 'The report is not held any more.')))
    }
    for (const shape of ['as-shown', 'flat'] as const) {
      let last: Result<Uint8Array> | null = null
      for await (const piece of reportCsv(HEAD, gone, shape, false)) last = piece
      expect(last).toMatchObject({ ok: false, error: { kind: 'not-found' } })
    }
  })
})
