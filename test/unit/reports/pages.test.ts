/**
 * Reports in several pages: the pages are joined if that is safe, and the report is complete only if its sums prove it.
 */
import { expect, onTestFinished, test } from 'vitest'
import { startVirtualWorld } from '../../reliability/world/virtual-world.ts'
import { value } from '../../result.ts'

type Row = readonly [type: string, name: string, ...values: string[]]

const FIRST: readonly Row[] = [
  ['TextRow', 'Income'],
  ['DataRow', 'Fees', '100.00'],
]
const SECOND: readonly Row[] = [
  ['DataRow', 'Sales', '50.00'],
  ['SubtotalRow', 'Total Income', '150.00'],
]

function page(number: number, rows: readonly Row[], more: boolean, change: object = {}, beside: object = {}) {
  const report = {
    ReportType: 'ProfitAndLoss',
    StartDate: '2026-01-01T00:00:00+00:00',
    EndDate: '2026-01-31T00:00:00+00:00',
    Columns: ['Account', 'Total'],
    ReportLineData: rows.map(([RowType, FullName, ...Values]) => ({
      RowType,
      EntityRef: { FullName, ID: '' },
      Values,
    })),
    ...change,
  }
  return {
    Page: number,
    MoreData: more,
    RequestId: `r-${String(number)}`,
    Contents: [{ Object: report }],
    ...beside,
  }
}

/** Runs a report with these pages. The last one is repeated for later requests. */
async function run(...pages: readonly object[]) {
  const { server, person } = await startVirtualWorld(onTestFinished)
  const rule = (query: string, body: object, times = 0) => ({
    match: { path: 'selectReport', query },
    times,
    fault: { kind: 'body', text: JSON.stringify(body) } as const,
  })
  const later = pages.slice(1).map((body, index) => rule(`page=${String(index + 2)}`, body))
  server.control({ faults: [...later, rule('', pages[0] ?? {})] })
  const head = value(
    await person.call('reports.select', {
      company: person.company,
      name: 'ProfitAndLoss',
      from: '2026-01-01',
      to: '2026-01-31',
    }),
  )
  const bytes = value(await person.call('reports.rows', { reportId: head.reportId, from: 0, count: 100 }))
  const rows = JSON.parse(new TextDecoder().decode(bytes)) as readonly { readonly name: string }[]
  const requests = server.counters().requests.filter(({ path }) => /selectReport/i.test(path))
  return {
    notes: head.notes,
    names: rows.map(({ name }) => name),
    checks: head.checks,
    asked: requests.map(({ query }) => new URLSearchParams(query).get('page')),
  }
}

test('consecutive pages make one report, which is complete if its sums add up across them', async () => {
  const { notes, names, checks, asked } = await run(page(1, FIRST, true), page(2, SECOND, false))
  expect(asked).toEqual([null, '2'])
  expect(names).toEqual(['Income', 'Fees', 'Sales', 'Total Income'])
  expect(checks).toMatchObject({ held: 1, findings: [] })
  expect(notes).toEqual([])
})

test('if the sums of pages don’t add up or are missing, the report may be incomplete', async () => {
  const wrong: readonly Row[] = [SECOND[0] ?? ['DataRow', ''], ['SubtotalRow', 'Total Income', '151.00']]
  expect((await run(page(1, FIRST, true), page(2, wrong, false))).notes).toEqual([
    expect.stringMatching(/2 pages, and the totals don’t add up/),
  ])
  const flat = (name: string): readonly Row[] => [['DataRow', name, '1.00']]
  const plain = await run(page(1, flat('A'), true), page(2, flat('B'), true), page(3, flat('C'), false))
  expect(plain.names).toEqual(['A', 'B', 'C'])
  expect(plain.notes).toEqual([expect.stringMatching(/3 pages, and no total proves/)])
})

test.each([
  ['is the first one again', page(1, FIRST, true)],
  ['is the first one under another number', page(2, FIRST, true)],
  ['is called otherwise', page(3, SECOND, false)],
  ['has other columns', page(2, SECOND, false, { Columns: ['Account', 'January'] })],
  ['is of another period', page(2, SECOND, false, { EndDate: '2026-02-28T00:00:00+00:00' })],
  ['begins with the last row again', page(2, [...FIRST.slice(1), ...SECOND], false)],
  ['is empty', page(2, [], false)],
  ['comes with an error', page(2, SECOND, false, {}, { Errors: ['The agent is away'], HasErrors: true })],
  ['is no envelope', { hello: 'there' }],
])(
  'a page that %s is not joined: the first one stays, and a message says that there is more',
  async (_, second) => {
    const { notes, names, asked } = await run(page(1, FIRST, true), second)
    expect(asked).toEqual([null, '2'])
    expect(names).toEqual(['Income', 'Fees'])
    expect(notes).toEqual([expect.stringMatching(/there is more of this report than it sent\. Page 2 /)])
  },
)

test('after a report that says it is page 2, or has an error, no more pages are requested', async () => {
  const beside = { Errors: ['Odd'], HasErrors: true }
  for (const first of [page(2, FIRST, true), page(1, FIRST, true, {}, beside)]) {
    const { notes, asked } = await run(first, page(2, SECOND, false))
    expect(asked).toEqual([null])
    expect(notes).toContain('The service says there is more of this report than it sent.')
  }
})

test('a report can be stopped at any time, even before it is in the queue', async () => {
  const { server, person } = await startVirtualWorld(onTestFinished)
  const { company } = person
  const asked = person.call('reports.select', {
    company,
    name: 'ProfitAndLoss',
    from: '2026-01-01',
    to: '2026-01-31',
  })
  value(await person.call('reports.stop', { company }))
  expect(await asked).toMatchObject({ ok: false, error: { kind: 'stopped' } })
  const requests = server.counters().requests.filter(({ path }) => /selectReport/i.test(path))
  expect(requests).toEqual([])
  value(await person.call('reports.stop', { company }))
})
