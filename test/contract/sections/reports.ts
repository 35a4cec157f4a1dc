// Specification, sections 2.7 and 4.2: every report of both applications has the specified shape.
import { beforeAll, describe, expect, it } from 'vitest'
import { reportNames } from '../../../shared/reports/reports.ts'
import {
  activeCompanies,
  type ActiveCompany,
  call,
  codeOf,
  goodEnvelopeOf,
  recordOf,
  refusedEnvelopeOf,
} from '../service-client.ts'
import { isSample, type ServiceUnderTest } from '../service-under-test.ts'

const CASES = ['qbd', 'qbo'].flatMap((application) =>
  reportNames(application).map((name) => [application, name] as const),
)
const PERIOD = 'modTimeStart=2026-01-01T00%3A00%3A00&modTimeEnd=2026-03-31T00%3A00%3A00'

interface Row {
  readonly RowType: string
  readonly EntityRef: { readonly FullName: string; readonly ID: string }
  readonly Values: readonly string[]
}

/** Declares the tests. They call `service` when they run. */
export function describeReports(service: () => ServiceUnderTest): void {
  let companies: ActiveCompany[] = []
  const idOf = (application: string): string | undefined =>
    companies.find((company) => company.endpoint === application)?.endpointId

  beforeAll(async () => {
    companies = await activeCompanies(service())
  })

  describe('section 4.2, select report', () => {
    it.each(CASES)('%s returns %s as one item of Kind report (2.7)', async (application, name) => {
      const endpointId = idOf(application)
      if (endpointId === undefined && !isSample) return
      expect(endpointId).toBeDefined()
      const envelope = goodEnvelopeOf(
        await call(service(), `/v2/Data/${endpointId ?? ''}/selectReport?name=${name}&${PERIOD}`),
      )
      expect(envelope.Contents.length).toBe(1)
      expect(envelope.Contents[0]?.Kind).toBe('report')
      const report = recordOf(envelope.Contents[0])
      expect(report['ReportType']).toBe(name)
      expect(report['StartDate']).toMatch(/^2026-01-01T/)
      expect(report['EndDate']).toMatch(/^2026-03-31T/)
      const columns = report['Columns'] as readonly string[]
      const rows = report['ReportLineData'] as readonly Row[]
      expect(rows.length).toBeGreaterThan(0)
      checkRows(rows, columns.length)
    })
  })

  describe.runIf(isSample)('section 4.2, what is refused', () => {
    it.each([
      ['no name', PERIOD, 'MissingParameter'],
      ['an unknown name', `name=Horoscope&${PERIOD}`, 'UnknownReport'],
      ['a report of the other application', `name=AgedReceivables&${PERIOD}`, 'UnknownReport'],
      ['no start', 'name=ProfitAndLoss&modTimeEnd=2026-03-31T00:00:00', 'MissingParameter'],
      ['no end', 'name=ProfitAndLoss&modTimeStart=2026-01-01T00:00:00', 'MissingParameter'],
      [
        'a day that is none',
        'name=ProfitAndLoss&modTimeStart=2026-02-30T00:00:00&modTimeEnd=2026-03-31T00:00:00',
        'BadParameter',
      ],
      [
        'an end before the start',
        'name=ProfitAndLoss&modTimeStart=2026-04-01T00:00:00&modTimeEnd=2026-03-31T00:00:00',
        'BadParameter',
      ],
    ])('%s', async (_words, query, code) => {
      const answer = await call(service(), `/v2/Data/${idOf('qbd') ?? ''}/selectReport?${query}`)
      expect(codeOf(refusedEnvelopeOf(answer).Errors?.[0])).toBe(code)
    })
  })
}

/** Checks row types, references, values, and levels: every section is closed, and totals are at the top level. */
function checkRows(rows: readonly Row[], columns: number): void {
  let depth = 0
  let deepest = 0
  for (const row of rows) {
    expect(typeof row.EntityRef.FullName).toBe('string')
    expect(typeof row.EntityRef.ID).toBe('string')
    expect(['TextRow', 'DataRow', 'SubtotalRow', 'TotalRow']).toContain(row.RowType)
    if (row.RowType === 'TextRow') {
      expect(row.Values).toEqual([])
      depth++
      deepest = Math.max(deepest, depth)
      continue
    }
    expect([columns, columns - 1]).toContain(row.Values.length)
    // No value is an empty string (2.1) or text other than a decimal (2.7).
    for (const value of row.Values) expect(value).toMatch(/^(?:-?\d+\.\d{2})?$/)
    if (isSample && row.RowType === 'SubtotalRow') depth--
    if (isSample && row.RowType === 'TotalRow') expect(depth).toBe(0)
  }
  if (isSample) expect(depth).toBe(0)
}
