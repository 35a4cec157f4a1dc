/** A report's response besides its rows: failed parts and omitted rows are reported and never dropped. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copiedRows, copyReport } from '../../../electron/app/review/copies.ts'
import { decodeReport } from '../../../electron/rows/reports/report.ts'
import { openStore } from '../../../electron/store/store.ts'
import type { ReportHead } from '../../../shared/reports/reports.ts'
import { ok } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import { standIn } from '../records/list/stand-in.ts'
import { testFolder } from '../writing/world.ts'

const REPORT = {
  ReportType: 'StockOnHand',
  Columns: ['Part', 'Value'],
  ReportLineData: [{ RowType: 'DataRow', EntityRef: { FullName: 'Bolt' }, Values: ['1.00'] }],
}

function decode(envelope: Readonly<Record<string, unknown>>) {
  const whole = { Kind: 'collection', RequestId: 'r', HasErrors: false, Errors: null, ...envelope }
  const blocks = [new TextEncoder().encode(JSON.stringify(whole))]
  const decoded = decodeReport('StockOnHand', {
    status: 200,
    contentType: 'application/json',
    blocks,
    length: blocks.reduce((sum, { byteLength }) => sum + byteLength, 0),
  })
  if (!decoded.ok) throw new Error(decoded.error.message)
  return decoded.value
}

const item = (object: unknown, errors: unknown = null) => ({ Object: object, Errors: errors, Kind: 'report' })

describe('a response with a report', () => {
  it('is complete if it has nothing else', () => {
    expect(decode({ Contents: [item(REPORT)] }).summary).toMatchObject({
      errors: [],
      missing: [],
      rowCount: 1,
    })
  })

  it('keeps its rows and an error next to them', () => {
    const { summary, rows } = decode({
      HasErrors: true,
      Contents: [item(REPORT, [{ Message: 'No access' }])],
    })
    expect(rows.map(({ name }) => name)).toEqual(['Bolt'])
    expect(summary.errors.map(({ message }) => message)).toEqual(['No access'])
    expect(summary.missing).toEqual([])
  })

  it('reads a single value in place of a list', () => {
    const row = { RowType: 'DataRow', EntityRef: { FullName: 'Bolt' }, Values: '1.00' }
    const { summary, rows } = decode({ Contents: [item({ Columns: 'Value', ReportLineData: row })] })
    expect(summary.columns).toEqual(['Value'])
    expect(rows.map(({ name, values }) => [name, ...values])).toEqual([['Bolt', '1.00']])
  })

  it.each([
    [{ MoreData: true, Contents: [item(REPORT)] }, /more of this report than it sent/],
    [{ HasErrors: true, Contents: [item(REPORT)] }, /errors without details/],
    [{ Contents: [item(REPORT), item(REPORT)] }, /sent 2 reports at once\. This is the first/],
    [{ Contents: [] }, /contained no report/],
  ])('says why it may be incomplete (%#)', (envelope, words) => {
    expect(decode(envelope).summary.missing).toEqual([expect.stringMatching(words)])
  })
})

describe('the kept copy of a report', () => {
  const ODD = [
    'Tab\tand \r\n two lines',
    '\uFEFFbyte order mark',
    'escape \u001B, delete \u007F, and the end of a line \u2028',
    '\u0301 without its letter, 👩🏽‍🌾, and \uD83D alone',
    'e\u0301 and é',
    '\u202Eright to left\u202C',
    '"quoted\\back" \u0000 <b>&amp;</b>',
    `${'9'.repeat(40)}.${'0123456789'.repeat(4)}`,
    '-0.00',
    ' 1.10 ',
  ]

  it('has each character of the answer', async ({ onTestFinished }) => {
    const { rows, summary } = decode({
      Contents: [
        item({
          ...REPORT,
          ReportLineData: ODD.map((text) => ({
            RowType: 'DataRow',
            EntityRef: { ID: text, FullName: text },
            Values: [text, text],
          })),
        }),
      ],
    })
    expect(rows.map(({ values }) => values)).toEqual(ODD.map((text) => [text, text]))
    const folder = testFolder()
    const store = value(openStore(join(folder, 'bookbridge.sqlite'), { now: () => 0 }))
    onTestFinished(() => store.close())
    const encode = (from: number, count: number) =>
      new TextEncoder().encode(JSON.stringify(rows.slice(from, from + count)))
    const head = standIn<ReportHead>({ reportId: 'r', name: 'StockOnHand', rowCount: summary.rowCount })
    const copy = value(
      await copyReport(
        { reportChunk: (_, from, count) => Promise.resolve(ok(encode(from, count))) },
        head,
        'copy',
      ),
    )
    store.months.save({ connectionId: 'c', endpointId: 'e' }, '2026-01', { copy })
    const kept = []
    for await (const part of copiedRows(store.months, 'copy')) kept.push(...value(part))
    expect(kept).toEqual(rows)
    expect(kept.map(({ name }) => name)).toEqual(ODD)
  })
})
