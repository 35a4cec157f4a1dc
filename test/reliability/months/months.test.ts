/** Months of several clients: read, reviewed, decided, closed, and watched, through the calls that the window makes. */
import { describe, expect, it } from 'vitest'
import type { Announcer } from '../../../electron/app/ports.ts'
import type { MonthRow, Review } from '../../../shared/contract/review.ts'
import { DEFAULT_REVIEW_SETTINGS, trailEntries } from '../../../shared/review/review.ts'
import type { RuleId } from '../../../shared/review/rules.ts'
import { value } from '../../result.ts'
import { CONNECTION_ID } from '../world/core-parts.ts'
import type { AtEnd } from '../world/world.ts'
import { ALDER, DAYS, MONTH, MonthsDriver } from './driver.ts'

/** A company that hasn't responded yet first gets a small read of recent changes. */
function isSmall(query: string): boolean {
  return query.includes('modTimeStart') && !query.includes('modTimeEnd')
}

async function checkAgain(
  driver: MonthsDriver,
  { company }: Pick<MonthRow, 'company'>,
  rule: RuleId,
  month = MONTH,
): Promise<void> {
  value(await driver.world.person.call('review.checkAgain', { company, month, rule }))
  await driver.ended()
}

/**
 * Serves a report of a company with one amount higher.
 * @param before matches the text before the amount, and its whole part
 */
async function serveHigher(
  driver: MonthsDriver,
  { company }: Pick<MonthRow, 'company'>,
  [name, { from, to }]: readonly [name: string, days: typeof DAYS],
  before: RegExp,
  by: number,
  times = 1,
): Promise<void> {
  const answer = await driver.answer(company, name, from, to)
  const text = answer.replace(before, (_, start: string, amount: string) =>
    start.concat(String(Number(amount) + by)),
  )
  expect(text).not.toBe(answer)
  const match = { query: `name=${name}&modTimeStart=${from}` }
  driver.world.server.addFaults({ match, times, fault: { kind: 'body', text } })
}

const RETAINED = /(Retained Earnings"[^[]*\["-?)(\d+)/

/** The rules that found the books to contradict themselves. */
function wrongRules({ rules }: Review): readonly RuleId[] {
  const findings = rules.flatMap((each) => each.findings)
  return [...new Set(findings.filter(({ severity }) => severity === 'wrong').map(({ rule }) => rule))]
}

/** Starts a driver, and collects the errors that its window receives. */
async function withErrors(
  atEnd: AtEnd,
): Promise<{ readonly driver: MonthsDriver; readonly errors: readonly string[] }> {
  const errors: string[] = []
  const emit = (_: string, payload: { readonly error?: { readonly message: string } | null }): void => {
    if (payload.error) errors.push(payload.error.message)
  }
  const announcer = { emit: emit as Announcer['emit'], notify: () => undefined }
  return { driver: await MonthsDriver.start(atEnd, { core: { announcer } }), errors }
}

it('is reviewed again if its fiscal year is changed, also when it is reopened', async ({
  onTestFinished,
}) => {
  const driver = await MonthsDriver.start(onTestFinished)
  const { person } = driver.world
  const row = await driver.row(ALDER)
  const { company } = row
  const beginsIn = async (fiscalYearStart: number): Promise<void> => {
    value(await person.call('companies.annotate', { company, notes: { fiscalYearStart } }))
  }
  const agree = () => driver.outcome(row, 'statements-agree')
  const other = {
    result: 'not-checked',
    reasons: [expect.stringMatching(/^Net income on the balance sheet covers 2 months/) as unknown],
  }
  await driver.read([row])
  expect(await agree()).toMatchObject({ result: 'clean' })
  await beginsIn(7)
  expect(await agree()).toMatchObject(other)
  await beginsIn(1)
  expect(await agree()).toMatchObject({ result: 'clean' })
  await driver.acceptAll(row)
  await driver.close(row)
  await beginsIn(7)
  expect(await agree()).toMatchObject({ result: 'clean' })
  value(await person.call('months.reopen', { company, month: MONTH, note: '' }))
  expect(await agree()).toMatchObject(other)
})

it.each(['read', 'reviewed', 'closed'])(
  'finds a change in a closed year after an earlier month was %s, and doesn’t lose it',
  async (state) => {
    const ends: (() => Promise<void> | void)[] = []
    const driver = await MonthsDriver.start((end) => void ends.push(end))
    const { person } = driver.world
    const row = await driver.row(ALDER)
    const { company } = row
    const january = '2026-01'
    const retained = () => driver.outcome(row, 'earlier-years')
    await driver.read([row])
    // The first review has nothing to compare with.
    expect(await retained()).toMatchObject({ result: 'clean', reasons: [] })
    driver.month = january
    await driver.read([row])
    const [first] = await driver.open(row)
    if (state !== 'read') await driver.acceptAll(row)
    if (state === 'closed') await driver.close(row)
    driver.month = MONTH
    await driver.read([row], true)
    expect(await retained()).toMatchObject({ result: 'clean' })
    // The same amount more, at the end of both months.
    for (const days of [DAYS, { from: '2026-01-01', to: '2026-01-31' }]) {
      await serveHigher(driver, row, ['BalanceSheet', days], RETAINED, 500)
    }
    await driver.read([row], true)
    const isFound = {
      findings: [
        {
          amount: expect.stringMatching(/^-?500$/) as unknown,
          severity: 'wrong',
          detail: expect.arrayContaining([' when the month through ']) as unknown,
        },
      ],
    }
    expect(await retained()).toMatchObject(isFound)
    if (first === undefined) throw new Error('January has no findings.')
    const { key, amount } = first
    if (state === 'reviewed')
      value(await person.call('review.undo', { company, month: january, key, amount }))
    if (state === 'closed') value(await person.call('months.reopen', { company, month: january, note: '' }))
    await checkAgain(driver, row, 'malformed')
    expect(await retained()).toMatchObject(isFound)
    for (const end of ends.toReversed()) await end()
  },
)

it('keeps a change in a closed year until it is accepted, although the earlier month was read again', async ({
  onTestFinished,
}) => {
  const driver = await MonthsDriver.start(onTestFinished)
  const { clock } = driver.world
  const row = await driver.row(ALDER)
  const retained = () => driver.outcome(row, 'earlier-years')
  driver.month = '2026-01'
  await driver.read([row])
  for (const days of [DAYS, { from: '2026-01-01', to: '2026-01-31' }]) {
    await serveHigher(driver, row, ['BalanceSheet', days], RETAINED, 500, 0)
  }
  driver.month = MONTH
  await driver.read([row])
  const found = await retained()
  expect(found).toMatchObject({ findings: [{ amount: expect.stringMatching(/^-?500$/) as unknown }] })
  await clock.advance(3_600_000)
  await checkAgain(driver, row, 'statements-agree', '2026-01')
  for (const rule of ['malformed', 'earlier-years'] as const) {
    await clock.advance(3_600_000)
    await checkAgain(driver, row, rule)
    expect((await retained())?.findings).toEqual(found?.findings)
  }
  await driver.acceptAll(row)
  await checkAgain(driver, row, 'malformed')
  expect(await retained()).toMatchObject({ result: 'clean' })
})

it('doesn’t call prior years clean if the earlier month was read again since', async ({ onTestFinished }) => {
  const driver = await MonthsDriver.start(onTestFinished)
  const row = await driver.row(ALDER)
  const readJanuary = async (): Promise<void> => {
    driver.month = '2026-01'
    await driver.read([row], true)
    await driver.acceptAll(row)
    driver.month = MONTH
    await driver.world.clock.advance(3_600_000)
  }
  await readJanuary()
  await driver.read([row])
  await driver.world.clock.advance(3_600_000)
  await readJanuary()
  await checkAgain(driver, row, 'past-90-days')
  expect(await driver.outcome(row, 'earlier-years')).toMatchObject({
    result: 'not-checked',
    reasons: [expect.stringMatching(/^The balance sheets of the earlier months/) as unknown],
  })
})

it('doesn’t call prior years clean if the earlier month’s balance sheet is refused', async ({
  onTestFinished,
}) => {
  const driver = await MonthsDriver.start(onTestFinished)
  const row = await driver.row(ALDER)
  driver.month = '2026-01'
  await driver.read([row])
  const match = { query: 'name=BalanceSheet&modTimeStart=2026-01-01' }
  driver.world.server.addFaults({ match, times: 1, fault: { kind: 'status', status: 400, when: 'before' } })
  await driver.read([row], true)
  driver.month = MONTH
  await driver.read([row])
  expect(await driver.outcome(row, 'earlier-years')).toMatchObject({
    result: 'not-checked',
    reasons: [expect.stringMatching(/an earlier month\. Jan 2026: Balance sheet: not read\./) as unknown],
  })
})

it('doesn’t compare a year with a reading from before its last month was over', async ({
  onTestFinished,
}) => {
  const driver = await MonthsDriver.start(onTestFinished)
  const { world } = driver
  const row = await driver.row(ALDER)
  // December 20.
  await world.clock.advance(294 * 86_400_000)
  const december = { from: '2026-12-01', to: '2026-12-31' }
  await serveHigher(driver, row, ['BalanceSheet', december], /(Net Income"[^[]*\["-?)(\d+)/, 1_800)
  driver.month = '2026-12'
  await driver.read([row])
  await world.clock.advance(45 * 86_400_000)
  driver.month = '2027-01'
  await driver.read([row])
  expect(await driver.outcome(row, 'earlier-years')).toMatchObject({
    result: 'not-checked',
    reasons: [
      expect.stringMatching(/Dec 2026: Balance sheet was read before the month was over\.$/) as unknown,
    ],
  })
})

it('expects changes of a year until its last month is reviewed', async ({ onTestFinished }) => {
  const driver = await MonthsDriver.start(onTestFinished)
  const { clock } = driver.world
  const row = await driver.row(ALDER)
  const priorYears = () => driver.outcome(row, 'earlier-years')
  /** Reads December as it was before an adjustment, and then January. */
  const readBoth = async (...reports: readonly (readonly [name: string, from: string, before: RegExp])[]) => {
    for (const [name, from, before] of reports) {
      await serveHigher(driver, row, [name, { from, to: '2025-12-31' }], before, 200)
    }
    for (const month of ['2025-12', '2026-01']) {
      driver.month = month
      await driver.read([row], true)
      await clock.advance(3_600_000)
    }
  }
  const netIncome = ['BalanceSheet', '2025-12-01', /(Net Income"[^[]*\[")(-?\d+)/] as const
  // The first row has income. Its 13th month is December.
  const december = ['ProfitAndLoss', '2024-12-01', /("DataRow"[^[]*\[(?:"[^"]*",){12}")(\d+)/] as const
  await readBoth(netIncome, december)
  expect(await priorYears()).toMatchObject({ result: 'clean' })
  await readBoth(netIncome)
  expect(await priorYears()).toMatchObject({ findings: [{ amount: '-200', severity: 'check' }] })
  driver.month = '2025-12'
  await driver.acceptAll(row)
  driver.month = '2026-01'
  await checkAgain(driver, row, 'malformed', driver.month)
  expect(await priorYears()).toMatchObject({ findings: [{ amount: '-200', severity: 'wrong' }] })
})

it('finds a loan that still isn’t paid, if it was found in the month before', async ({ onTestFinished }) => {
  const driver = await MonthsDriver.start(onTestFinished)
  const row = (await driver.rows()).find(({ application }) => application === 'qbo')
  if (row === undefined) throw new Error('There is no Online company.')
  const LOAN = /(?<=Equipment Loan"[^[]*\[")[\d.]+/
  const balanceSheet = (from: string, to: string): Promise<string> =>
    driver.answer(row.company, 'BalanceSheet', from, to)
  const [unpaid = ''] = LOAN.exec(await balanceSheet('2025-12-01', '2025-12-31')) ?? []
  for (const days of [DAYS, { from: '2026-01-01', to: '2026-01-31' }]) {
    const text = (await balanceSheet(days.from, days.to)).replace(LOAN, unpaid)
    const match = { query: `name=BalanceSheet&modTimeStart=${days.from}` }
    driver.world.server.addFaults({ match, times: 9, fault: { kind: 'body', text } })
  }
  const shown = () => driver.outcome(row, 'stands-still')
  const stillUnpaid = async (): Promise<unknown> => {
    await driver.read([row], true)
    return shown()
  }
  expect(await stillUnpaid()).toMatchObject({ result: 'not-checked' })
  const found = { findings: [{ subject: 'Equipment Loan', amount: unpaid }] }
  driver.month = '2026-01'
  expect(await stillUnpaid()).toMatchObject(found)
  driver.month = MONTH
  const [first] = found.findings
  expect(await stillUnpaid()).toMatchObject({ findings: [{ ...first, severity: 'likely' }] })
  driver.month = '2026-01'
  await driver.acceptAll(row)
  driver.month = MONTH
  const isAccepted = {
    ...first,
    severity: 'check',
    detail: expect.arrayContaining([expect.stringMatching(/^Accepted last month/)]) as unknown,
  }
  expect(await shown()).toMatchObject({ findings: [isAccepted] })
  expect(await stillUnpaid()).toMatchObject({ findings: [isAccepted] })
  driver.month = '2026-01'
  const [loan] = (await shown())?.findings ?? []
  if (loan === undefined) throw new Error('The loan is not found in January.')
  const { key, amount } = loan
  const undone = { company: row.company, month: driver.month, key, amount }
  value(await driver.world.person.call('review.undo', undone))
  driver.month = MONTH
  expect(await shown()).toMatchObject({ findings: [{ ...first, severity: 'likely' }] })
})

it('hides the accepted balance of an inactive account in the next month, too', async ({ onTestFinished }) => {
  const driver = await MonthsDriver.start(onTestFinished)
  const row = (await driver.rows()).find(({ application }) => application === 'qbo')
  if (row === undefined) throw new Error('There is no Online company.')
  driver.month = '2026-01'
  await driver.read([row])
  await driver.acceptAll(row)
  driver.month = MONTH
  await driver.read([row])
  const inactive = await driver.outcome(row, 'inactive')
  expect(inactive?.findings).toMatchObject([
    { subject: 'Old Payroll Checking', amount: '212.08', decision: { note: 'As agreed with the client' } },
  ])
})

describe('getting the reports of a month', () => {
  it('reads all companies with one call, one request at a time, as many as it announced', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const before = await driver.rows()
    expect(before.map(({ status, next }) => [status.state, next])).toEqual(
      before.map(() => ['not-started', 'get-reports']),
    )
    const already = driver.requests.length
    await driver.read(before)
    const after = await driver.rows()
    expect(after.map(({ status, next }) => [status.state, next])).toEqual(
      after.map(() => ['findings', 'review']),
    )
    const made = driver.requests.slice(already)
    expect(made.every(({ method }) => method === 'GET')).toBe(true)
    const said = before.reduce((sum, { requests }) => sum + requests, 0)
    const small = made.filter(({ query }) => isSmall(query)).length
    expect(made.length - small).toBe(said)
    expect(driver.world.server.counters().mostAtOnce).toBe(1)
    expect(after.every(({ requests }) => requests === 0)).toBe(true)
    // Activity shows the run as one group with its month.
    const query = { connectionId: CONNECTION_ID, before: null, limit: 1_000 }
    const log = value(await driver.world.person.call('activity.log', query))
    const ofReview = log.filter(({ reviewedMonth }) => reviewedMonth === MONTH)
    expect(ofReview.filter(({ reads, path }) => reads !== null && !isSmall(path))).toHaveLength(said)
    expect(new Set(ofReview.map(({ batchId }) => batchId)).size).toBe(1)
  })

  it('reads the others if a company isn’t known, and names it', async ({ onTestFinished }) => {
    const { driver, errors } = await withErrors(onTestFinished)
    const row = await driver.row(ALDER)
    const unknown = { ...row, company: { ...row.company, endpointId: 'e-0' } }
    await driver.read([unknown, row])
    expect((await driver.row(ALDER)).status.state).toBe('findings')
    expect(errors).toEqual(['Bookbridge doesn’t know e-0.'])
    const asked = { connectionId: CONNECTION_ID, month: MONTH, endpointIds: ['e-0'], again: false }
    const refused = await driver.world.person.call('months.getReports', asked)
    expect(refused).toMatchObject({ ok: false, error: { kind: 'not-found' } })
    // Also if nothing has to be read of the others.
    await driver.acceptAll(row)
    await driver.close(row)
    await driver.read([unknown, row])
    expect(errors).toEqual(['Bookbridge doesn’t know e-0.', 'Bookbridge doesn’t know e-0.'])
  })

  it('leaves rules not checked where the application lacks what they need, and says why', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = (await driver.rows()).find(({ application }) => application === 'qbo')
    if (row === undefined) throw new Error('There is no Online company.')
    await driver.read([row])
    const { rules } = await driver.review(row)
    const ledger = rules.find(({ rule }) => rule === 'entered-twice')
    expect(ledger).toMatchObject({
      result: 'not-checked',
      reasons: ['Online doesn’t offer this report: General ledger.'],
    })
  })

  it('does not call a month reviewed if its statements were refused, and requests only those again', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.row(ALDER)
    const match = { path: '/selectReport' }
    const refusal = { HasErrors: true, Contents: [], Errors: [{ Message: 'Not for this user.' }] }
    const fault = { kind: 'body', text: JSON.stringify(refusal) } as const
    // Once for each of its reports.
    driver.world.server.addFaults({ match, times: 11, fault })
    await driver.read([row])
    await driver.acceptAll(row)
    const refused = await driver.row(ALDER)
    expect(refused).toMatchObject({
      status: {
        state: 'partly-read',
        reason: expect.stringMatching(/^Trial balance: not read\. ./) as unknown,
      },
      next: 'review',
    })
    const close = { company: row.company, month: MONTH, note: '' }
    expect(await driver.world.person.call('months.close', close)).toMatchObject({ ok: false })
    const before = driver.requests.length
    await driver.read([refused])
    expect((await driver.row(ALDER)).status.state).toBe('findings')
    expect(driver.requests.slice(before).filter(({ query }) => !isSmall(query))).toHaveLength(
      refused.requests,
    )
  })

  it('asks a silent company again at the end, and continues with it later', async ({ onTestFinished }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    driver.world.server.control({ company: ALDER, conditions: { machine: 'off' } })
    await driver.read(await driver.rows())
    const rows = await driver.rows()
    const silent = rows.filter(({ status }) => status.state === 'partly-read')
    expect(silent.map(({ companyName }) => companyName)).toEqual([ALDER])
    expect(silent[0]?.status).toMatchObject({ read: 0, reason: expect.stringMatching(/./) as unknown })
    expect(rows.filter(({ status }) => status.state === 'findings')).toHaveLength(rows.length - 1)
    driver.world.server.control({ company: ALDER, conditions: { machine: 'on' } })
    await driver.read(silent)
    expect((await driver.row(ALDER)).status.state).toBe('findings')
  })

  it('sets a company aside that alone refuses the key midway, and reads the others and the rest later', async ({
    onTestFinished,
  }) => {
    const { driver, errors } = await withErrors(onTestFinished)
    const { server } = driver.world
    const { company } = await driver.row(ALDER)
    // The first requests are accepted, and the key is withdrawn for this company only.
    const fault = { kind: 'status', status: 401, when: 'before' } as const
    const ofMonth = `modTimeStart=${DAYS.from}`
    for (const query of [`name=BalanceSheet&${ofMonth}`, 'name=GeneralLedger']) {
      server.addFaults({ match: { path: company.endpointId, query }, times: 0, fault })
    }
    server.control({ clearRequests: true })
    await driver.read(await driver.rows())
    const rows = await driver.rows()
    const aside = rows.filter(({ status }) => status.state === 'partly-read')
    expect(aside).toMatchObject([
      { companyName: ALDER, status: { reason: expect.stringMatching(/refused/) as unknown } },
    ])
    expect(rows.filter(({ status }) => status.state === 'findings')).toHaveLength(rows.length - 1)
    const { readings } = await driver.review({ company })
    const states = new Set(readings.map(({ state }) => state))
    expect(states).toEqual(new Set(['read', 'waiting']))
    expect(server.counters().requests.filter(({ status }) => status === 401)).toHaveLength(1)
    expect(errors).toEqual([])
    // Alone, no other company can show that the key is accepted.
    await driver.read(aside)
    expect(errors).toEqual([expect.stringMatching(/refused/)])
    server.control({ clearFaults: true })
    const before = driver.requests.length
    await driver.read(await driver.rows())
    expect((await driver.row(ALDER)).status.state).toBe('findings')
    const rest = driver.requests.slice(before).filter(({ query }) => !isSmall(query))
    expect(rest).toHaveLength(aside[0]?.requests ?? 0)
  })

  it.for([
    ['the general ledger', { query: 'name=GeneralLedger' }, 'ledger', 'entered-twice'],
    ['its first report', { query: 'name=TrialBalance' }, 'trial-balance', 'should-be-empty'],
    ['a list', { path: '/vendor' }, 'vendors', 'incomplete-1099'],
    ['the list that tests read', { path: '/customer' }, 'customers', 'malformed'],
  ] as const)(
    'reads the rest of all companies if only %s is refused',
    async (refused, { onTestFinished }) => {
      const [, match, source, rule] = refused
      const { driver, errors } = await withErrors(onTestFinished)
      const { server } = driver.world
      const row = await driver.row(ALDER)
      server.addFaults({ match, times: 0, fault: { kind: 'status', status: 403, when: 'before' } })
      // The second time, only that is requested.
      for (let time = 1; time <= 2; time += 1) {
        await driver.read(await driver.rows())
        for (const { status } of await driver.rows()) expect(status.state).toBe('findings')
        const { readings, rules } = await driver.review(row)
        expect(readings.filter(({ state }) => state !== 'read')).toMatchObject([
          {
            source,
            state: 'failed',
            reason: expect.stringMatching(
              /^The service doesn’t let your key read this (?:report|list)/,
            ) as unknown,
          },
        ])
        expect(rules.find((each) => each.rule === rule)?.reasons).toEqual([
          expect.stringMatching(/: not read\. The service doesn’t let your key/),
        ])
      }
      expect(errors).toEqual([])
    },
  )

  it.for([
    ['every request', '/data/'],
    ['reports, but not for tests', '/selectReport'],
  ] as const)(
    'ends once a second company refuses the key for %s, and goes past them the next time',
    async ([, path], { onTestFinished }) => {
      const { driver, errors } = await withErrors(onTestFinished)
      const { server } = driver.world
      const rows = await driver.rows()
      const fault = { kind: 'status', status: 401, when: 'before' } as const
      server.addFaults({ match: { path }, times: 0, fault })
      server.control({ clearRequests: true })
      await driver.read(rows)
      expect(server.counters().requests.filter(({ status }) => status === 401)).toHaveLength(2)
      expect(errors).toEqual([expect.stringMatching(/refused/)])
      const after = await driver.rows()
      const refusing = after.flatMap(({ status, company }) =>
        status.state === 'partly-read' && status.reason !== '' ? [company.endpointId] : [],
      )
      expect(refusing).toHaveLength(2)
      expect(after.every(({ next }) => next === 'get-reports')).toBe(true)

      server.control({ clearFaults: true })
      for (const id of refusing) server.addFaults({ match: { path: id }, times: 0, fault })
      await driver.read(rows)
      const states = (await driver.rows()).map(({ company, status }) => [company.endpointId, status.state])
      expect(states).toEqual(
        rows.map(({ company: { endpointId } }) => [
          endpointId,
          refusing.includes(endpointId) ? 'partly-read' : 'findings',
        ]),
      )
      expect(errors).toHaveLength(1)
    },
  )

  it('can be stopped, and reads only the rest the next time, even after a restart', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { world } = driver
    const row = await driver.row(ALDER)
    const already = driver.requests.length
    // Each response takes longer than the interval between two checks of the user.
    world.server.control({ latencyMs: 3_000 })
    await driver.begin([row])
    await world.until(() => driver.requests.length >= already + 3)
    value(await world.person.call('months.stop', { connectionId: CONNECTION_ID }))
    await driver.ended()
    world.server.control({ latencyMs: 0 })
    const stopped = await driver.row(ALDER)
    if (stopped.status.state !== 'partly-read') throw new Error(stopped.status.state)
    expect(stopped.status.read).toBeGreaterThan(0)
    expect(stopped.requests).toBe(stopped.status.of - stopped.status.read)
    const again = await driver.restart()
    const left = await again.row(ALDER)
    expect(left).toMatchObject({ status: stopped.status, requests: stopped.requests })
    const second = driver.requests.length
    await again.read([left])
    expect((await again.row(ALDER)).status.state).toBe('findings')
    const reports = driver.requests.slice(second).filter(({ query }) => !isSmall(query))
    expect(reports).toHaveLength(stopped.requests)
  })
})

describe('a decision', () => {
  it('hides a finding, in other months too, and can be undone', async ({ onTestFinished }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.row('Northgate Animal Hospital')
    driver.month = '2026-01'
    await driver.read([row])
    driver.month = MONTH
    await driver.read([row])
    const both = (await driver.open(row)).find(({ rule }) => rule === 'should-be-empty')
    if (both === undefined) throw new Error('Nothing was found.')
    const { key, amount } = both
    const { company } = row
    const input = { company, month: MONTH, key, amount, note: 'The client knows' }
    const count = (await driver.open(row)).length
    const decided = value(await driver.world.person.call('review.accept', input))
    const finding = decided.rules.flatMap(({ findings }) => findings).find((each) => each.key === key)
    expect(finding?.decision).toMatchObject({ kind: 'accepted', note: 'The client knows' })
    expect(await driver.open(row)).toHaveLength(count - 1)
    driver.month = '2026-01'
    expect((await driver.open(row)).filter((each) => each.key === key)).toEqual([])
    driver.month = MONTH
    value(await driver.world.person.call('review.undo', { company, month: MONTH, key, amount }))
    expect(await driver.open(row)).toHaveLength(count)
    value(await driver.world.person.call('review.never', input))
    value(await driver.world.person.call('review.undo', { company, month: MONTH, key, amount: '1' }))
    const acts = ['reports-read', 'accepted', 'undone', 'never', 'undone']
    expect(await driver.acts(row)).toEqual(acts)
    // The other month, which it opened again, says so.
    driver.month = '2026-01'
    expect(await driver.acts(row)).toEqual(acts)
    const { events } = value(await driver.world.person.call('months.history', { company, month: '2026-01' }))
    expect(events.map(({ otherMonth }) => otherMonth)).toEqual([MONTH, MONTH, MONTH, MONTH, null])
    expect(events[3]).toMatchObject({ note: 'The client knows', by: (await driver.row(row.companyName)).by })
  })

  it('is in the history of every month that it changes, with its cause, also once that is reopened', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { person } = driver.world
    const row = await driver.row('Northgate Animal Hospital')
    const { company } = row
    const isFound = ({ rule }: { readonly rule: RuleId }): boolean => rule === 'should-be-empty'
    driver.month = MONTH
    await driver.read([row])
    driver.month = '2026-01'
    await driver.read([row])
    await driver.acceptAll(row)
    const finding = (await driver.review(row)).rules.find(isFound)?.findings[0]
    if (finding === undefined) throw new Error('Nothing was found.')
    const undo = { company, month: MONTH, key: finding.key, amount: finding.amount }
    const title = `Balances that should be zero: ${finding.subject}`
    const before = (await driver.acts(row)).length
    const added = async () => {
      const { events } = value(await person.call('months.history', { company, month: '2026-01' }))
      return events
        .toReversed()
        .slice(before)
        .map(({ act, subject, note, otherMonth }) => ({ act, subject, note, otherMonth }))
    }
    const decision = async () => (await driver.review(row)).rules.find(isFound)?.findings[0]?.decision
    const { by, at, ...first } = finding.decision ?? { by: '', at: '' }
    expect(first).toEqual({ kind: 'accepted', note: 'As agreed with the client' })
    // The number of open findings stays the same.
    value(await person.call('review.never', { ...undo, note: 'Later' }))
    expect(await decision()).toMatchObject({ kind: 'never', note: 'Later' })
    const never = { act: 'never', subject: title, note: 'Later', otherMonth: MONTH }
    expect(await added()).toEqual([never])
    value(await person.call('review.undo', undo))
    expect(await decision()).toEqual({ ...first, by, at })
    const undone = { ...never, act: 'undone', note: '' }
    expect(await added()).toEqual([never, undone])
    await driver.close(row)
    await driver.world.clock.advance(60_000)
    value(await person.call('review.undo', undo))
    value(await person.call('months.reopen', { company, month: '2026-01', note: '' }))
    expect((await driver.open(row)).map(({ key }) => key)).toEqual([finding.key])
    const own = { subject: '', note: '', otherMonth: null }
    expect(await added()).toEqual([
      never,
      undone,
      { ...own, act: 'closed' },
      undone,
      { ...own, act: 'reopened' },
    ])
  })

  it('about an event in a month says nothing about another month, and is kept with a closed month', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { person } = driver.world
    const row = await driver.row('Northgate Animal Hospital')
    const { company } = row
    driver.month = '2026-01'
    await driver.read([row])
    driver.month = MONTH
    await driver.read([row])
    const missing = (await driver.open(row)).find(({ rule }) => rule === 'missing-this-month')
    if (missing === undefined) throw new Error('Nothing was found.')
    const { key, amount } = missing
    const input = { company, key, amount, note: '' }
    const isOpen = async (): Promise<boolean> => (await driver.open(row)).some((each) => each.key === key)
    // The same account and amount, a month earlier.
    value(await person.call('review.accept', { ...input, month: '2026-01' }))
    expect(await isOpen()).toBe(true)
    value(await person.call('review.accept', { ...input, month: MONTH }))
    expect(await isOpen()).toBe(false)
    value(await person.call('review.undo', { company, key, amount, month: MONTH }))
    expect(await isOpen()).toBe(true)
    value(await person.call('review.never', { ...input, month: '2026-01' }))
    expect(await isOpen()).toBe(false)
    value(await person.call('review.undo', { company, key, amount, month: MONTH }))
    await driver.acceptAll(row)
    await driver.close(row)
    // Later decisions don't belong to a closed month.
    value(await person.call('review.never', { ...input, month: '2026-01', note: 'Later' }))
    const { rules } = await driver.review(row)
    expect(rules.flatMap(({ findings }) => findings).find((each) => each.key === key)).toMatchObject({
      decision: { kind: 'accepted', note: 'As agreed with the client' },
    })
  })

  it.each([
    ['that month', MONTH],
    ['a later month', '2026-03'],
  ])(
    'ends if a reading of %s finds another amount, and stays ended if the first one is back',
    async (_, read) => {
      const ends: (() => Promise<void> | void)[] = []
      const driver = await MonthsDriver.start((end) => void ends.push(end))
      const { server } = driver.world
      const row = await driver.row(ALDER)
      const { company } = row
      const finding = async () => {
        const { rules } = await driver.review(row)
        const found = rules.find(({ rule }) => rule === 'should-be-empty')?.findings[0]
        if (found === undefined) throw new Error('Nothing was found.')
        return found
      }
      await driver.read([row])
      await driver.acceptAll(row)
      driver.month = read
      await driver.read([row])
      const first = await finding()
      expect(first.decision?.kind).toBe('accepted')
      const balance = (await driver.review(row)).readings.find(({ source }) => source === 'trial-balance')
      if (balance === undefined) throw new Error('There is no trial balance.')
      const { name, from, to } = balance
      const answer = await driver.answer(company, name, from, to)
      const text = answer.replaceAll(`"${first.amount.replace('-', '')}.00"`, '"7.25"')
      const match = { query: `name=${name}&modTimeStart=${from}` }
      server.addFaults({ match, times: 1, fault: { kind: 'body', text } })
      await driver.read([row], true)
      expect(await finding()).toMatchObject({
        decision: null,
        amount: expect.stringMatching(/7.25$/) as unknown,
      })
      await driver.read([row], true)
      expect(await finding()).toMatchObject({ decision: null, amount: first.amount })
      await driver.acceptAll(row)
      expect(await finding()).toMatchObject({ decision: { kind: 'accepted' } })
      for (const end of ends.toReversed()) await end()
    },
  )

  it('about an amount says nothing about another amount', async ({ onTestFinished }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.row(ALDER)
    await driver.read([row])
    const [finding] = await driver.open(row)
    if (finding === undefined) throw new Error('Nothing was found.')
    const { company } = row
    const input = { company, month: MONTH, key: finding.key, amount: '0.01', note: '' }
    value(await driver.world.person.call('review.accept', input))
    expect((await driver.open(row)).map(({ key }) => key)).toContain(finding.key)
  })
})

it('says once in the history of each month that a changed setting brought or hid findings', async ({
  onTestFinished,
}) => {
  const driver = await MonthsDriver.start(onTestFinished)
  const { person } = driver.world
  const row = await driver.row('Northgate Animal Hospital')
  const { company } = row
  const months = ['2026-01', MONTH]
  const added = async (act: () => Promise<unknown>) => {
    const histories = []
    for (const month of months) {
      const before = value(await person.call('months.history', { company, month })).events.length
      histories.push({ month, before })
    }
    await act()
    const events = []
    for (const { month, before } of histories) {
      const history = value(await person.call('months.history', { company, month }))
      events.push(history.events.slice(0, history.events.length - before))
    }
    return events.map((each) => each.map(({ act: done, subject }) => `${done}: ${subject}`))
  }
  for (const month of months) {
    driver.month = month
    await driver.read([row])
    await driver.acceptAll(row)
  }
  const set = async (own: object) => value(await person.call('review.setSettings', { ...company, own }))
  const thresholds = { percent: '1', amount: '1' }
  const { percent, amount, emptyAccounts } = DEFAULT_REVIEW_SETTINGS
  const says = `reviewed-again: percentage of unusual amounts from ${percent} to 1; threshold for unusual amounts from ${amount} to 1`
  expect(await added(() => set(thresholds))).toEqual([[says], [says]])
  expect((await driver.open(row)).length).toBeGreaterThan(0)
  expect(await added(() => set(thresholds))).toEqual([[], []])
  const kept = emptyAccounts.filter((word) => word !== 'suspense' && word !== 'clearing')
  const words =
    'reviewed-again: accounts that should be empty: “checking” added, “suspense” and “clearing” removed'
  expect(await added(() => set({ ...thresholds, emptyAccounts: [...kept, 'checking'] }))).toEqual([
    [words],
    [words],
  ])
  const notes = { fiscalYearStart: 7 }
  expect(await added(async () => value(await person.call('companies.annotate', { company, notes })))).toEqual(
    months.map(() => ['reviewed-again: start of the fiscal year']),
  )
})

describe('check again', () => {
  it.each<[RuleId, number]>([
    ['should-be-empty', 6],
    ['stands-still', 10],
    ['incomplete-1099', 1],
  ])('of %s reads %i', async (rule, requests) => {
    const ends: (() => Promise<void> | void)[] = []
    const driver = await MonthsDriver.start((end) => void ends.push(end))
    const row = await driver.row(ALDER)
    await driver.read([row])
    const found = await driver.outcome(row, rule)
    expect(found?.requests).toBe(requests)
    const before = driver.requests.length
    await driver.world.clock.advance(60_000)
    value(await driver.world.person.call('review.checkAgain', { company: row.company, month: MONTH, rule }))
    await driver.ended()
    expect(driver.requests.length - before).toBe(requests)
    const again = await driver.outcome(row, rule)
    expect(again?.findings).toEqual(found?.findings)
    expect((again?.checkedAt ?? '') > (found?.checkedAt ?? '')).toBe(true)
    for (const end of ends.toReversed()) await end()
  })

  it.each<RuleId>(['entered-twice', 'should-be-empty'])(
    'of %s reads everything that the fix moved, so that no rule finds a contradiction and the close is up to date',
    async (rule) => {
      const ends: (() => Promise<void> | void)[] = []
      const driver = await MonthsDriver.start((end) => void ends.push(end))
      const row = await driver.row(ALDER)
      driver.late(ALDER, true)
      await driver.read([row])
      driver.late(ALDER, false)
      await checkAgain(driver, row, rule)
      expect(wrongRules(await driver.review(row))).toEqual([])
      await driver.acceptAll(row)
      await driver.close(row)
      await driver.read([row], true)
      expect(await driver.changes(row)).toMatchObject({ change: null, notCompared: [], entries: [] })
      for (const end of ends.toReversed()) await end()
    },
  )

  it('says why it was not checked again, and changes nothing if nothing arrived', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.row(ALDER)
    await driver.read([row])
    const before = await driver.review(row)
    expect(before.notCheckedAgain).toBe('')
    driver.world.server.control({ company: ALDER, conditions: { machine: 'off' } })
    await checkAgain(driver, row, 'should-be-empty')
    const after = await driver.review(row)
    expect(after.notCheckedAgain).toMatch(/^It was not checked again: ./)
    expect(after.rules).toEqual(before.rules)
    const { unreachableReason: _, ...status } = { unreachableReason: '', ...(await driver.row(ALDER)).status }
    expect(before.month.status).toMatchObject(status)
    expect((await driver.row(ALDER)).status).toMatchObject({
      unreachableReason: expect.stringMatching(/./) as unknown,
    })
    driver.world.server.control({ company: ALDER, conditions: { machine: 'on' } })
    await checkAgain(driver, row, 'should-be-empty')
    expect((await driver.review(row)).notCheckedAgain).toBe('')
  })

  it.each(['silent', 'stopped'])(
    'that is %s midway compares no new report with an old one, and reads the rest the next time',
    async (how) => {
      const ends: (() => Promise<void> | void)[] = []
      const driver = await MonthsDriver.start((end) => void ends.push(end))
      const { server, person } = driver.world
      const row = await driver.row(ALDER)
      driver.late(ALDER, true)
      await driver.read([row])
      const whole = (await driver.review(row)).rules.length
      driver.late(ALDER, false)
      const already = driver.requests.length
      // Each response takes longer than the interval between two checks of the user.
      server.control({ latencyMs: 3_000 })
      value(
        await person.call('review.checkAgain', {
          company: row.company,
          month: MONTH,
          rule: 'should-be-empty',
        }),
      )
      await driver.world.until(() => driver.requests.length >= already + 2)
      if (how === 'silent') server.control({ company: ALDER, conditions: { machine: 'off' } })
      else value(await person.call('months.stop', { connectionId: CONNECTION_ID }))
      await driver.ended()
      const midway = await driver.review(row)
      expect(midway.notCheckedAgain).toMatch(how === 'silent' ? /^It was not checked again: ./ : /^$/)
      expect(wrongRules(midway)).toEqual([])
      expect(midway.rules.find(({ rule }) => rule === 'statements-agree')).toMatchObject({
        result: 'not-checked',
        reasons: [expect.stringMatching(/: not read yet\./)],
      })
      const left = await driver.row(ALDER)
      expect(left).toMatchObject({ status: { state: 'partly-read' }, next: 'get-reports' })
      const close = { company: row.company, month: MONTH, note: '' }
      expect(await person.call('months.close', close)).toMatchObject({ ok: false })
      expect(await driver.acts(row)).toEqual(['reports-read', 'partly-read'])
      server.control({ latencyMs: 0, company: ALDER, conditions: { machine: 'on' } })
      await driver.read([left])
      const after = await driver.review(row)
      expect(after.notCheckedAgain).toBe('')
      expect(after.rules).toHaveLength(whole)
      expect(wrongRules(after)).toEqual([])
      for (const end of ends.toReversed()) await end()
    },
  )

  it('keeps the results of list rules after a restart, when the lists are no longer in memory', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.row(ALDER)
    await driver.read([row])
    const before = await driver.review(row)
    const again = await driver.restart()
    const { person } = again.world
    const input = { company: row.company, month: MONTH, rule: 'should-be-empty' } as const
    value(await person.call('review.checkAgain', input))
    await again.ended()
    const after = await again.review(row)
    const found = ({ rules }: Review): unknown => rules.map(({ rule, findings }) => [rule, findings])
    expect(found(after)).toEqual(found(before))
  })

  it('keeps decisions about customers after a restart, although their report has no IDs', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { world } = driver
    const row = await driver.row(ALDER)
    const { company } = row
    const response = await driver.answer(company, 'ARAgingDetail', DAYS.from, DAYS.to)
    const text = response.replaceAll(/("ID":\s*")[^"]*"/g, '$1"')
    const fault = { kind: 'body', text, contentType: 'application/json' } as const
    world.server.control({ faults: [{ match: { query: 'ARAgingDetail' }, times: 1_000, fault }] })
    await driver.read([row])
    await driver.acceptAll(row)
    const ofRule = ({ rules }: Review): Review['rules'][number] | undefined =>
      rules.find(({ rule }) => rule === 'past-90-days')
    const before = ofRule(await driver.review(row))
    expect(before).toMatchObject({ findings: [{ decision: { kind: 'accepted' } }] })
    const again = await driver.restart()
    const { person } = again.world
    value(await person.call('review.setSettings', { ...company, own: { percent: '45' } }))
    // The list of customers is gone, so the rule waits for it. The list of vendors is, too.
    const requests = (before?.requests ?? 0) + 2
    expect(ofRule(await again.review(row))).toEqual({ ...before, requests })
    const already = again.requests.length
    await checkAgain(again, row, 'past-90-days')
    const made = again.requests.slice(already)
    expect(made.filter(({ query }) => !isSmall(query))).toHaveLength(requests)
    expect(ofRule(await again.review(row))).toMatchObject({
      findings: before?.findings,
      requests: before?.requests,
    })
  })

  it('of any report after a restart reads the lists that are gone, so that no rule is older than its reports', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { world } = driver
    const row = await driver.row(ALDER)
    const aging = JSON.parse(await driver.answer(row.company, 'ARAgingDetail', DAYS.from, DAYS.to)) as {
      Contents: [{ Object: { ReportLineData: { EntityRef: { FullName: string } }[] } }]
    }
    const { Object: report } = aging.Contents[0]
    report.ReportLineData = report.ReportLineData.filter(
      ({ EntityRef }) => !/Stavros/.test(EntityRef.FullName),
    )
    const fault = { kind: 'body', text: JSON.stringify(aging), contentType: 'application/json' } as const
    world.server.control({ faults: [{ match: { query: 'ARAgingDetail' }, times: 1_000, fault }] })
    await driver.read([row])
    const late = async (of: MonthsDriver): Promise<string | undefined> =>
      (await of.review(row)).rules.find(({ rule }) => rule === 'past-90-days')?.result
    expect(await late(driver)).toBe('clean')
    const again = await driver.restart()
    world.server.control({ clearFaults: true })
    await checkAgain(again, row, 'should-be-empty')
    expect(await late(again)).toBe('found')
  })

  it('after a reopening keeps what the chart of accounts showed, until the rule is checked again', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { world } = driver
    const row = await driver.readAndClose(ALDER)
    const { company } = row
    const before = await driver.review(row)
    // The lists of a closed month aren’t kept.
    const again = await driver.restart()
    const { person } = again.world
    value(await person.call('months.reopen', { company, month: MONTH, note: '' }))
    value(await person.call('review.setSettings', { ...company, own: {} }))
    const results = ({ rules }: Review): unknown =>
      rules.map(({ rule, result, reasons }) => [rule, result, reasons])
    expect(results(await again.review(row))).toEqual(results(before))
    await world.clock.advance(60_000)
    value(await person.call('review.checkAgain', { company, month: MONTH, rule: 'should-be-empty' }))
    await again.ended()
    const checkedAt = ({ rules }: Review): string =>
      rules.find(({ rule }) => rule === 'should-be-empty')?.checkedAt ?? ''
    expect(checkedAt(await again.review(row)) > checkedAt(before)).toBe(true)
  })
})

describe('thresholds and words', () => {
  it('of a company override those of its connection', async ({ onTestFinished }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { person } = driver.world
    const row = await driver.row(ALDER)
    await driver.read([row])
    const rulesFound = async (): Promise<readonly RuleId[]> => [
      ...new Set((await driver.open(row)).map(({ rule }) => rule)),
    ]
    expect(await rulesFound()).toContain('unusual')
    const set = async (endpointId: string | null, own: object): Promise<void> => {
      value(await person.call('review.setSettings', { connectionId: CONNECTION_ID, endpointId, own }))
    }
    await set(null, { amount: '1000000' })
    expect(await rulesFound()).not.toContain('unusual')
    await set(row.company.endpointId, { amount: '500', largeEntry: '1000', emptyAccounts: ['checking'] })
    const now = await driver.open(row)
    expect(now.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['unusual', 'large-entry']))
    expect(now.filter(({ rule }) => rule === 'should-be-empty').map(({ subject }) => subject)).toEqual([
      expect.stringContaining('Checking'),
    ])
    const { company } = row
    expect(value(await person.call('review.settings', company))).toEqual({
      own: { amount: '500', largeEntry: '1000', emptyAccounts: ['checking'] },
      effective: { percent: '40', amount: '500', largeEntry: '1000', emptyAccounts: ['checking'] },
    })
  })

  it('apply to a month whose statement was refused, too', async ({ onTestFinished }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.row(ALDER)
    const match = { path: '/selectReport', query: 'BalanceSheet' }
    driver.world.server.addFaults({ match, times: 3, fault: { kind: 'requestError', message: 'No.' } })
    await driver.read([row])
    expect((await driver.row(ALDER)).status).toMatchObject({
      state: 'findings',
      notWhole: 'Balance sheet may be incomplete',
    })
    await driver.acceptAll(row)
    expect((await driver.row(ALDER)).status.state).toBe('partly-read')
    const own = { largeEntry: '1000' }
    const ofCompany = { connectionId: CONNECTION_ID, endpointId: row.company.endpointId, own }
    value(await driver.world.person.call('review.setSettings', ofCompany))
    expect((await driver.open(row)).map(({ rule }) => rule)).toContain('large-entry')
  })
})

describe('a closed month', () => {
  it('is refused while something is open, and kept once everything is settled', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.row(ALDER)
    const { company } = row
    const close = { company, month: MONTH, note: '' }
    expect(await driver.world.person.call('months.close', close)).toMatchObject({ ok: false })
    await driver.read([row])
    expect(await driver.world.person.call('months.close', close)).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/findings are open/) as unknown },
    })
    await driver.acceptAll(row)
    const closed = await driver.close(row, 'Sent to the client')
    expect(closed).toMatchObject({ status: { state: 'closed' }, next: 'none' })
    const again = await driver.world.person.call('review.never', { ...close, key: 'x', amount: '' })
    const checked = await driver.world.person.call('review.checkAgain', {
      company,
      month: MONTH,
      rule: 'unusual',
    })
    for (const refused of [again, checked]) {
      expect(refused).toMatchObject({ ok: false, error: { message: 'This month is closed.' } })
    }
    driver.month = '2026-03'
    expect((await driver.row(ALDER)).strip.at(-1)).toEqual({ month: MONTH, state: 'closed' })
  })

  it('names the reports that did not arrive again, is not called unchanged, and reads the rest the next time', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.readAndClose(ALDER)
    expect(await driver.changes(row)).toMatchObject({ change: null, notCompared: [], notRead: '' })
    driver.late(ALDER, true)
    driver.world.server.control({ company: ALDER, conditions: { machine: 'off' } })
    await driver.read([row], true)
    const notRead = expect.stringMatching(/./) as unknown
    expect(await driver.row(ALDER)).toMatchObject({
      status: { state: 'closed', notRead },
      next: 'get-reports',
    })
    expect(await driver.changes(row)).toMatchObject({ change: null, notRead })
    driver.world.server.control({ company: ALDER, conditions: { machine: 'on' } })
    await driver.read([row])
    expect(await driver.row(ALDER)).toMatchObject({ status: { state: 'changed' }, next: 'see-changes' })
    // The same for a month that is known to have changed.
    driver.world.server.control({ company: ALDER, conditions: { machine: 'off' } })
    await driver.read([row], true)
    expect(await driver.changes(row)).toMatchObject({ change: { isComplete: true }, notRead })
    expect((await driver.row(ALDER)).status).toMatchObject({ state: 'changed', notRead })
  })

  it('says that a report may be incomplete and was not compared, and keeps what was known to differ', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.readAndClose(ALDER)
    const { company } = row
    const incompletely = async (): Promise<void> => {
      const fault = { kind: 'itemError', message: 'Some accounts were left out.', keepRecord: true } as const
      driver.world.server.addFaults({ match: { path: '/selectReport' }, fault })
      await driver.runReport(company, 'TrialBalance', DAYS)
    }
    await incompletely()
    expect((await driver.row(ALDER)).status).toMatchObject({ state: 'closed', notCompared: 1 })
    const reason = expect.stringMatching(/^It may be incomplete\. .*Some accounts were left out\./) as unknown
    expect((await driver.changes(row)).notCompared).toEqual([{ report: 'Trial balance', reason }])
    driver.late(ALDER, true)
    await driver.runReport(company, 'TrialBalance', DAYS)
    const { change } = await driver.changes(row)
    expect(change?.amounts).not.toEqual([])
    await incompletely()
    expect(await driver.changes(row)).toMatchObject({ change, notCompared: [{ reason }] })
    expect((await driver.acts(row)).slice(-2)).toEqual(['closed', 'change-noticed'])
  })

  it('is found changed by any report that is read later, and unchanged once the change is reverted', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.readAndClose(ALDER)
    const { company } = row
    await driver.runReport(company, 'TrialBalance', DAYS)
    expect((await driver.row(ALDER)).status.state).toBe('closed')
    driver.late(ALDER, true)
    // Another month says nothing about this one.
    await driver.runReport(company, 'TrialBalance', { from: '2026-01-01', to: '2026-01-31' })
    expect((await driver.row(ALDER)).status.state).toBe('closed')
    await driver.runReport(company, 'ProfitAndLoss', DAYS)
    expect(await driver.row(ALDER)).toMatchObject({
      status: { state: 'changed', accounts: 1, amount: '1250' },
      next: 'see-changes',
    })
    await driver.runReport(company, 'BalanceSheet', { from: '2026-01-01', to: DAYS.to })
    const { change } = await driver.changes(row)
    expect(change).toMatchObject({ isComplete: false })
    expect(new Set(change?.amounts.map(({ report }) => report))).toEqual(
      new Set(['Profit and loss', 'Balance sheet']),
    )
    driver.late(ALDER, false)
    await driver.runReport(company, 'ProfitAndLoss', { from: '2025-01-01', to: '2026-02-28' })
    await driver.runReport(company, 'BalanceSheet', DAYS)
    expect((await driver.row(ALDER)).status.state).toBe('closed')
    const acts = await driver.acts(row)
    expect([...new Set(acts.slice(acts.indexOf('closed')))]).toEqual([
      'closed',
      'change-noticed',
      'change-gone',
    ])
  })

  it('accepts the change with a note, after its reports were read again, and keeps the earlier version', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { person } = driver.world
    const row = await driver.readAndClose(ALDER)
    const { company } = row
    driver.late(ALDER, true)
    await driver.runReport(company, 'TrialBalance', DAYS)
    const accept = { company, month: MONTH, note: 'A late bill' }
    expect(await person.call('months.acceptChange', accept)).toMatchObject({
      ok: false,
      error: { message: 'Not all reports of this month were read again.' },
    })
    await driver.read([row], true)
    const changes = await driver.changes(row)
    expect(changes).toMatchObject({ change: { isComplete: true }, notCompared: [] })
    // An account has one name, even if a report omits its parents. Net income is not an account.
    expect(changes.month.status).toMatchObject({ state: 'changed', accounts: 2 })
    expect(new Set(changes.change?.amounts.map(({ account }) => account)).size).toBe(3)
    expect(changes.entries.map(({ subject }) => subject)).toEqual([expect.stringContaining('LATE')])
    expect(value(await person.call('months.acceptChange', accept)).status.state).toBe('closed')
    expect((await driver.changes(row)).entries).toEqual([])
    await driver.runReport(company, 'TrialBalance', DAYS)
    expect((await driver.row(ALDER)).status.state).toBe('closed')
    const history = value(await person.call('months.history', { company, month: MONTH }))
    expect(history.versions.map(({ version, note }) => [version, note])).toEqual([
      [2, 'A late bill'],
      [1, ''],
    ])
    const reopen = { company, month: MONTH, note: 'One more bill' }
    expect(value(await person.call('months.reopen', reopen)).status.state).toMatch(/reviewed|findings/)
    await driver.acceptAll(row)
    expect((await driver.close(row)).status.state).toBe('closed')
    const later = value(await person.call('months.history', { company, month: MONTH }))
    expect(later.versions.map(({ version }) => version)).toEqual([3, 2, 1])
  })

  it('is changed by other entries of the same amounts, which can be accepted', async ({ onTestFinished }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.readAndClose(ALDER)
    const { company } = row
    const response = await driver.answer(company, 'AuditTrail', DAYS.from, DAYS.to)
    const match = { query: `name=AuditTrail&modTimeStart=${DAYS.from}` }
    // One entry becomes another, and then all with a number do. An unchanged trail says nothing new.
    for (const [text, reads] of [
      [response.replace(/(, \d+, )[^,"]+/, '$1Somebody Else LLC'), 2],
      [response.replaceAll(/(, \d+, )[^,"]+/g, '$1Somebody Else LLC'), 3],
    ] as const) {
      expect(text).not.toBe(response)
      driver.world.server.control({ faults: [{ match, times: reads, fault: { kind: 'body', text } }] })
      for (let twice = 0; twice < 2; twice += 1) {
        await driver.read([row], true)
        expect(await driver.row(ALDER)).toMatchObject({
          status: { state: 'changed', accounts: 0, amount: '', notCompared: 0 },
          next: 'see-changes',
        })
      }
    }
    const changes = await driver.changes(row)
    expect(changes).toMatchObject({ change: { amounts: [], isComplete: true } })
    const entries = trailEntries(changes.entries).size
    expect(entries).toBeGreaterThan(2)
    const accept = { company, month: MONTH, note: 'Another vendor' }
    expect(value(await driver.world.person.call('months.acceptChange', accept)).status.state).toBe('closed')
    await driver.read([row], true)
    expect((await driver.row(ALDER)).status.state).toBe('closed')
    const history = value(await driver.world.person.call('months.history', { company, month: MONTH }))
    expect(
      history.events.flatMap(({ act, subject }) => (act.startsWith('change') ? [`${act}: ${subject}`] : [])),
    ).toEqual([
      `change-accepted: ${String(entries)} entries`,
      `change-noticed: ${String(entries)} entries`,
      'change-noticed: 2 entries',
    ])
  })

  it('says that the audit trail was not read again, and knows nothing of its entries', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.readAndClose(ALDER)
    const fault = { kind: 'requestError', message: 'The audit trail is too large.' } as const
    driver.world.server.addFaults({ match: { query: 'AuditTrail' }, times: 1, fault })
    await driver.read([row], true)
    expect((await driver.row(ALDER)).status).toMatchObject({ state: 'closed', notCompared: 1 })
    const reason = expect.stringMatching(/^It wasn’t read again\. .*too large/) as unknown
    expect((await driver.changes(row)).notCompared).toEqual([{ report: 'Audit trail', reason }])
    await driver.read([row], true)
    expect((await driver.row(ALDER)).status).toMatchObject({ state: 'closed', notCompared: 0 })
  })

  it('keeps its audit trail when a change is accepted that could not be compared with it', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { person, server } = driver.world
    const row = await driver.readAndClose(ALDER)
    const { company } = row
    const response = await driver.answer(company, 'AuditTrail', DAYS.from, DAYS.to)
    const text = response.replace(/(, \d+, )[^,"]+/, '$1Somebody Else LLC')
    const match = { query: `name=AuditTrail&modTimeStart=${DAYS.from}` }
    const others = [{ match, times: 9, fault: { kind: 'body', text } }] as const
    const refused = [{ match, times: 9, fault: { kind: 'requestError', message: 'Too large.' } }] as const
    server.control({ faults: [...others] })
    await driver.read([row], true)
    server.control({ clearFaults: true, faults: [...refused] })
    await driver.read([row], true)
    const accept = { company, month: MONTH, note: 'Another vendor' }
    value(await person.call('months.acceptChange', accept))
    expect((await driver.row(ALDER)).status).toMatchObject({ state: 'closed', notCompared: 1 })
    server.control({ clearFaults: true, faults: [...others] })
    await driver.read([row], true)
    expect((await driver.row(ALDER)).status).toMatchObject({ state: 'changed', notCompared: 0 })
    value(await person.call('months.acceptChange', accept))
    await driver.read([row], true)
    expect((await driver.row(ALDER)).status).toMatchObject({ state: 'closed', notCompared: 0 })
  })

  it('that was closed without an audit trail says that it was not compared', async ({ onTestFinished }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const fault = { kind: 'requestError', message: 'The audit trail is too large.' } as const
    driver.world.server.addFaults({ match: { query: 'AuditTrail' }, times: 1, fault })
    const row = await driver.readAndClose(ALDER)
    await driver.read([row], true)
    const notCompared = [
      { report: 'Audit trail', reason: 'It wasn’t read completely when the month was closed.' },
    ]
    expect(await driver.changes(row)).toMatchObject({ change: null, notCompared })
  })

  it('has every extent of a change in its history, and the one that was accepted', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.readAndClose(ALDER)
    const { company } = row
    driver.late(ALDER, true)
    await driver.read([row], true)
    const report = JSON.parse(await driver.answer(company, 'TrialBalance', DAYS.from, DAYS.to)) as {
      Contents: [{ Object: { ReportLineData: { EntityRef: { FullName: string }; Values: string[] }[] } }]
    }
    for (const { EntityRef, Values } of report.Contents[0].Object.ReportLineData) {
      if (/rent/i.test(EntityRef.FullName)) Values[0] = '990000.00'
    }
    const text = JSON.stringify(report)
    const match = { query: 'name=TrialBalance' }
    driver.world.server.control({ faults: [{ match, times: 9, fault: { kind: 'body', text } }] })
    await driver.read([row], true)
    const status = await driver.row(ALDER)
    if (status.status.state !== 'changed') throw new Error('It has not changed.')
    const { accounts, amount } = status.status
    value(await driver.world.person.call('months.acceptChange', { company, month: MONTH, note: 'Late' }))
    const history = value(await driver.world.person.call('months.history', { company, month: MONTH }))
    const size = `${String(accounts)} accounts, ${amount}`
    expect(accounts).toBeGreaterThan(2)
    expect(
      history.events.flatMap(({ act, subject }) => (act.startsWith('change') ? [`${act}: ${subject}`] : [])),
    ).toEqual([
      `change-accepted: ${size}, 1 entry`,
      `change-noticed: ${size}, 1 entry`,
      'change-noticed: 2 accounts, 1250, 1 entry',
      'change-noticed: 2 accounts, 1250',
    ])
  })

  it('keeps its decisions when a change is accepted, and says what the change left open', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { person } = driver.world
    const name = 'Northgate Animal Hospital'
    const row = await driver.row(name)
    const { company } = row
    driver.month = '2026-01'
    await driver.read([row])
    driver.month = MONTH
    await driver.read([row])
    const finding = (await driver.open(row)).find(({ rule }) => rule === 'should-be-empty')
    if (finding === undefined) throw new Error('Nothing was found.')
    await driver.acceptAll(row)
    await driver.close(row)
    const { key, amount } = finding
    value(await person.call('review.undo', { company, month: '2026-01', key, amount }))
    driver.late(name, true)
    await driver.read([row], true)
    const open = (await driver.open(row)).filter(({ rule }) => rule !== 'changed-after-close')
    expect(open.length).toBeGreaterThan(0)
    const accept = { company, month: MONTH, note: 'A late bill' }
    expect(value(await person.call('months.acceptChange', accept))).toMatchObject({
      status: { state: 'closed', open: open.length },
      next: 'review',
    })
    const { rules } = await driver.review(row)
    expect(rules.flatMap(({ findings }) => findings).find((each) => each.key === key)).toMatchObject({
      decision: { kind: 'accepted', note: 'As agreed with the client' },
    })
    // They are decided once the month is reopened.
    value(await person.call('months.reopen', { company, month: MONTH, note: '' }))
    await driver.acceptAll(row)
    expect(await driver.close(row)).toMatchObject({ status: { state: 'closed', open: 0 }, next: 'none' })
  })

  it('must be read again after it is reopened with a change, or closing it would keep outdated copies', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { person } = driver.world
    const row = await driver.readAndClose(ALDER)
    const { company } = row
    driver.late(ALDER, true)
    await driver.runReport(company, 'TrialBalance', DAYS)
    expect((await driver.row(ALDER)).status.state).toBe('changed')
    const of = { company, month: MONTH, note: '' }
    const reopened = value(await person.call('months.reopen', of))
    expect(reopened).toMatchObject({ status: { state: 'partly-read' }, next: 'get-reports' })
    expect(await person.call('months.close', of)).toMatchObject({
      ok: false,
      error: { message: 'Reports of this month are missing or may be incomplete.' },
    })
    await driver.read([reopened])
    await driver.acceptAll(row)
    expect((await driver.close(row)).status.state).toBe('closed')
    await driver.runReport(company, 'TrialBalance', DAYS)
    expect(await driver.changes(row)).toMatchObject({ change: null, notCompared: [] })
    // What was read again as a whole is up to date.
    driver.late(ALDER, false)
    await driver.read([row], true)
    expect((await driver.row(ALDER)).status.state).toBe('changed')
    expect(value(await person.call('months.reopen', of)).status.state).toMatch(/reviewed|findings/)
  })

  it('accepts the change with a statement in another form, which no one can compare, and says so until then', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { person, server } = driver.world
    const row = await driver.readAndClose(ALDER)
    const { company } = row
    driver.late(ALDER, true)
    const answer = await driver.answer(company, 'TrialBalance', DAYS.from, DAYS.to)
    const text = answer.replace('"Debit"', '"Soll"').replace('"Credit"', '"Haben"')
    const match = { path: '/selectReport', query: 'TrialBalance' }
    server.addFaults({ match, times: 1, fault: { kind: 'body', text } })
    await driver.read([row], true)
    const reason = 'The trial balance has no debit and credit columns.'
    const changes = await driver.changes(row)
    expect(changes).toMatchObject({
      change: { isComplete: true },
      notCompared: [{ report: 'Trial balance', reason }],
      notRead: '',
    })
    expect(new Set(changes.change?.amounts.map(({ report }) => report))).toEqual(
      new Set(['Balance sheet', 'Profit and loss']),
    )
    value(await person.call('months.acceptChange', { company, month: MONTH, note: 'In another form' }))
    expect((await driver.row(ALDER)).status).toMatchObject({ state: 'closed', notCompared: 0, notRead: '' })
    // The kept copy is in that form, so one in the old form can't be compared with it.
    await driver.runReport(company, 'TrialBalance', DAYS)
    expect((await driver.changes(row)).notCompared).toEqual([{ report: 'Trial balance', reason }])
    // A statement that was not completely read again can't be accepted.
    driver.late(ALDER, false)
    const fault = { kind: 'itemError', message: 'Some accounts were left out.', keepRecord: true } as const
    server.addFaults({ match, times: 3, fault })
    await driver.read([row], true)
    expect((await driver.changes(row)).change).toMatchObject({ isComplete: false })
    expect(await person.call('months.acceptChange', { company, month: MONTH, note: '' })).toMatchObject({
      ok: false,
    })
  })

  it('is watched by the review of the next month, in whatever order months were closed', async ({
    onTestFinished,
  }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const row = await driver.row(ALDER)
    await driver.readAndClose(ALDER)
    driver.month = '2025-12'
    await driver.readAndClose(ALDER)
    driver.late(ALDER, true)
    driver.month = '2026-03'
    await driver.read([row])
    driver.month = MONTH
    expect((await driver.row(ALDER)).status.state).toBe('changed')
    driver.month = '2025-12'
    expect((await driver.row(ALDER)).status.state).toBe('closed')
  })

  it('is deleted with the company’s data, and nothing else is', async ({ onTestFinished }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const rows = await driver.rows()
    await driver.read(rows)
    const row = await driver.row(ALDER)
    await driver.acceptAll(row)
    await driver.close(row)
    value(await driver.world.person.call('history.deleteCompany', { company: row.company }))
    value(await driver.world.person.call('companies.refresh', { connectionId: CONNECTION_ID }))
    expect(await driver.row(ALDER)).toMatchObject({ status: { state: 'not-started' }, by: '', at: '' })
    expect(await driver.acts(row)).toEqual([])
    expect((await driver.rows()).filter(({ status }) => status.state === 'findings')).toHaveLength(
      rows.length - 1,
    )
  })
})
