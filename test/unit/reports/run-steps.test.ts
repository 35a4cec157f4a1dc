/**
 * Reports for several companies: who is asked next, what waits for the user, how a restart and a retry change a run,
 * and which report an application has in place of another's.
 */
import { describe, expect, it } from 'vitest'
import { planItems } from '../../../electron/app/reports/report-runner.ts'
import {
  afterAnswer,
  afterRestart,
  forRetry,
  nextRunStep,
  silentNotice,
  withCompany,
  withItem,
} from '../../../electron/app/runs/run-steps.ts'
import { Format } from '../../../shared/format/format.ts'
import { monthsUpTo, periodBefore, yearBefore } from '../../../shared/reports/periods.ts'
import {
  plainRunTitle,
  type ReportRun,
  type RunCompany,
  runCounts,
  runTitle,
} from '../../../shared/reports/runs.ts'
import { appError, type ErrorKind } from '../../../shared/result.ts'

let ids = 0
const newId = (): string => `i${String((ids += 1))}`

function company(endpointId: string, application: string): RunCompany {
  return {
    company: { connectionId: 'c', endpointId },
    companyName: endpointId,
    application,
    applicationName: application,
    from: '2026-03-01',
    to: '2026-03-31',
    contact: 'untested',
    contactError: null,
  }
}

function run(names: readonly string[], ...companies: RunCompany[]): ReportRun {
  ids = 0
  return {
    runId: 'j',
    connectionId: 'c',
    title: 'Month end',
    createdAt: '2026-04-01T08:00:00Z',
    folder: 'F',
    state: 'running',
    error: null,
    companies,
    items: planItems(companies, names, newId),
    fileKinds: ['xlsx'],
    combined: true,
    pack: false,
    hideZeroRows: false,
    files: [],
  }
}

describe('a report under the name of another application', () => {
  it('is itself, its other name, or none. An unlisted name is requested as it is', () => {
    const offered = (application: string, name: string) =>
      run([name], company('A', application)).items.map(({ offeredName, state }) => [offeredName, state])[0]
    expect(offered('qbo', 'ProfitAndLoss')).toEqual(['ProfitAndLoss', 'waiting'])
    expect(offered('qbo', 'ARAgingDetail')).toEqual(['AgedReceivables', 'waiting'])
    expect(offered('qbd', 'VendorExpenses')).toEqual(['VendorExpenseSummary', 'waiting'])
    expect(offered('qbo', 'GeneralLedger')).toEqual(['GeneralLedger', 'not-offered'])
    expect(offered('qbo', 'SomethingNew')).toEqual(['SomethingNew', 'waiting'])
  })
  it('is planned once if two names mean the same report, and marked if it isn’t offered', () => {
    const { items } = run(['ARAgingDetail', 'AgedReceivables', 'GeneralLedger'], company('A', 'qbo'))
    expect(items.map(({ offeredName, state }) => [offeredName, state])).toEqual([
      ['AgedReceivables', 'waiting'],
      ['GeneralLedger', 'not-offered'],
    ])
  })
})

describe('the order of a run', () => {
  const two = run(['ProfitAndLoss', 'BalanceSheet'], company('A', 'qbd'), company('B', 'qbd'))

  it('tests each company first, then makes its reports', () => {
    expect(nextRunStep(two)).toMatchObject({ step: 'test', company: { companyName: 'A' } })
    expect(nextRunStep(withCompany(two, 'A', { contact: 'answered' }))).toMatchObject({
      step: 'make',
      item: { itemId: 'i1' },
    })
  })
  it('leaves companies that don’t respond to the end, and then asks the user', () => {
    const silent = withCompany(two, 'A', { contact: 'silent' })
    expect(nextRunStep(silent)).toMatchObject({ step: 'test', company: { companyName: 'B' } })
    let rest = withCompany(silent, 'B', { contact: 'answered' })
    for (const itemId of ['i3', 'i4']) rest = withItem(rest, itemId, { state: 'done' })
    expect(nextRunStep(rest)).toEqual({ step: 'ask-user' })
    expect(nextRunStep(afterAnswer(rest, 'A', 'again'))).toMatchObject({ step: 'test' })
    const skipped = afterAnswer(rest, 'A', 'skip')
    expect(nextRunStep(skipped)).toEqual({ step: 'finish' })
    expect(runCounts(skipped)).toMatchObject({ done: 2, skipped: 2 })
  })
  it('names companies that can’t be reached, and those that refuse the key, but none that was skipped', () => {
    const silent = (endpointId: string, kind: ErrorKind) => (of: ReportRun) =>
      withCompany(of, endpointId, { contact: 'silent', contactError: appError(kind, 'No.', '') })
    const both = silent('B', 'unauthorized')(silent('A', 'timed-out')(two))
    expect(silentNotice(both)).toBe(
      'A can’t be reached. The service refused the key for B. Try again, or skip.',
    )
    expect(silentNotice(afterAnswer(both, 'A', 'skip'))).toBe(
      'The service refused the key for B. Try again, or skip.',
    )
    expect(silentNotice(afterAnswer(both, 'B', 'skip'))).toBe('A can’t be reached. Try again, or skip.')
  })
  it('continues after a restart only on request, with the interrupted report', () => {
    const cut = afterRestart(withItem(two, 'i1', { state: 'running' }))
    expect(cut.state).toBe('stopped')
    expect(runCounts(cut)).toMatchObject({ running: 0, waiting: 4 })
    const asked: ReportRun = { ...two, state: 'needs-you' }
    expect(afterRestart(asked)).toBe(asked)
  })
  it('retries what failed or was skipped, tests those companies again, and repeats nothing that was made', () => {
    const failed = withItem(withItem(two, 'i1', { state: 'done' }), 'i2', { state: 'failed' })
    const again = forRetry(withCompany(failed, 'A', { contact: 'answered' }))
    expect(again.items.map(({ state }) => state)).toEqual(['done', 'waiting', 'waiting', 'waiting'])
    expect(again.companies[0]?.contact).toBe('untested')
  })
})

describe('periods to compare with', () => {
  it('are as many months before, or as many days', () => {
    expect(periodBefore({ from: '2026-01-01', to: '2026-03-31' })).toEqual({
      from: '2025-10-01',
      to: '2025-12-31',
    })
    expect(periodBefore({ from: '2026-03-01', to: '2026-03-31' })).toEqual({
      from: '2026-02-01',
      to: '2026-02-28',
    })
    expect(periodBefore({ from: '2026-03-05', to: '2026-03-11' })).toEqual({
      from: '2026-02-26',
      to: '2026-03-04',
    })
    expect(periodBefore({ from: '2026-02-30', to: '2026-03-11' })).toBeNull()
  })
  it('are the same days a year earlier, up to the end of a month if it was one', () => {
    expect(yearBefore({ from: '2024-02-01', to: '2024-02-29' })).toEqual({
      from: '2023-02-01',
      to: '2023-02-28',
    })
    expect(yearBefore({ from: '2025-02-01', to: '2025-02-28' })).toEqual({
      from: '2024-02-01',
      to: '2024-02-29',
    })
  })
  it('are whole months up to a date', () => {
    expect(monthsUpTo('2026-01-15', 2)).toEqual([
      { from: '2025-12-01', to: '2025-12-31' },
      { from: '2026-01-01', to: '2026-01-31' },
    ])
  })
})

describe('what a run is called', () => {
  const format = new Format({ locale: 'en-US', negatives: 'minus' })
  const march = company('Alder', 'qbd')

  it('names the period that all of its companies have', () => {
    expect(runTitle('Month end', [march, march], format)).toBe('Month end – March 2026')
    expect(runTitle('Month end', [march, { ...march, from: '2026-01-01' }], format)).toBe('Month end')
  })

  it('without the period for a file that names it itself, whichever blanks are in it', () => {
    const quarter = { ...march, from: '2026-01-01' }
    const title = runTitle('Month end', [quarter], format)
    expect(plainRunTitle({ title, companies: [quarter] }, format)).toBe('Month end')
    const other = title.replaceAll('\u2009', ' ')
    expect(plainRunTitle({ title: other, companies: [quarter] }, format)).toBe('Month end')
    expect(plainRunTitle({ title: 'For the board', companies: [quarter] }, format)).toBe('For the board')
  })
})
