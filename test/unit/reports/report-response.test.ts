/** A report's response besides its rows: failed parts and omitted rows are reported and never dropped. */
import { describe, expect, it } from 'vitest'
import { decodeReport } from '../../../electron/rows/reports/report.ts'

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
