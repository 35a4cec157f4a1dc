/** Reports made without a window, from a run file. A run only reads reports, and says what it made. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RUN_EXIT_CODES, type RunSummary } from '../../../electron/app/reports/run-summary.ts'
import { readRunFile } from '../../../electron/files/run-file.ts'
import { value } from '../../result.ts'
import { startVirtualWorld, type VirtualWorld } from '../world/virtual-world.ts'
import { emptyFolder } from '../world/world.ts'
import { ALDER, MONTH, MonthsDriver } from './driver.ts'

const FOLDER = '/reports'

function planned(content: unknown) {
  return readRunFile(typeof content === 'string' ? content : JSON.stringify(content), FOLDER)
}

const LEAST = { companies: 'all', reports: ['Profit and loss'], period: 'last month', folder: 'month' }

describe('a run file', () => {
  it('accepts reports and periods in words, and a folder next to it', () => {
    const plan = planned({
      ...LEAST,
      companies: 'All',
      reports: [
        'profit and loss',
        'BalanceSheet',
        'ProfitAndLoss',
        'Profit & Loss',
        'P&L',
        'A/R Aging Detail',
      ],
      period: 'year to date',
      files: ['pdf', 'workbook'],
      until: '6:30',
    })
    expect(plan).toMatchObject({
      ok: true,
      value: {
        companies: null,
        reports: ['ProfitAndLoss', 'BalanceSheet', 'ARAgingDetail'],
        period: { choice: 'year-to-date' },
        fileKinds: ['xlsx', 'pdf'],
        folder: join(FOLDER, 'month'),
        until: 390,
      },
    })
  })

  it.each([
    ['something that is sent', { ...LEAST, send: ['draft-1'] }, '“send” isn’t allowed here'],
    ['a company to remove', { ...LEAST, deprovision: true }, '“deprovision” isn’t allowed here'],
    ['a set and reports', { ...LEAST, set: 'Month end' }, 'either “reports” or a “set”'],
    ['neither', { ...LEAST, reports: undefined }, 'either “reports” or a “set”'],
    ['a report that nobody has', { ...LEAST, reports: ['Profit and lost'] }, '“Profit and lost”'],
    ['a review of a quarter', { ...LEAST, review: true, period: 'last quarter' }, '“review” needs one month'],
    ['a month to close', { ...LEAST, review: true, close: true }, '“close” isn’t allowed here'],
    ['a finding to accept', { ...LEAST, accept: ['finding-1'] }, '“accept” isn’t allowed here'],
    ['a period that is none', { ...LEAST, period: 'last fortnight' }, '“last month”'],
    ['dates in the wrong order', { ...LEAST, period: { from: '2026-02-01', to: '2026-01-31' } }, 'period'],
    ['a day that is none', { ...LEAST, period: { from: '2026-02-30', to: '2026-03-31' } }, 'period'],
    [
      'a time that is none',
      { ...LEAST, until: '25:00' },
      '“until” is "25:00". It must be a time, such as "18:00".',
    ],
    [
      'a company that is not in a list',
      { ...LEAST, companies: 'Alder' },
      '“companies” is "Alder". It must be "all" or a list of names, such as ["Alder & Finch"].',
    ],
    [
      'no folder',
      { ...LEAST, folder: undefined },
      '“folder” is missing. It must be a folder, such as "Reports".',
    ],
    ['an empty folder', { ...LEAST, folder: '' }, '“folder” is "". It must be a folder'],
    ['words for yes', { ...LEAST, review: 'yes' }, '“review” is "yes". It must be true or false.'],
    [
      'a kind of file that doesn’t exist',
      { ...LEAST, files: ['excel'] },
      '“files” is ["excel"]. It must be a list of',
    ],
    ['a long title', { ...LEAST, title: 'a'.repeat(201) }, '…. It must be a title of at most 200 characters'],
    ['no files', { ...LEAST, files: [] }, '“files” are empty'],
    ['no companies', { ...LEAST, companies: [] }, '“companies”'],
    ['text that isn’t JSON', '{"companies": "all",', 'not JSON'],
    ['another shape', '[]', 'run file can’t be used'],
  ])('with %s is refused', (_, content, words) => {
    const plan = planned(content)
    expect(plan.ok ? '' : plan.error.message).toContain(words)
  })
})

describe('a run', () => {
  const run = async (world: VirtualWorld, content: object): Promise<RunSummary> =>
    world.clock.run(
      world.running.core.runs.run({ text: JSON.stringify(content), file: join(FOLDER, 'run.json') }),
    )

  it('makes every report of every active company, one request at a time, and writes a summary', async ({
    onTestFinished,
  }) => {
    const notified: string[] = []
    const notify = (title: string, body: string): void => void notified.push(`${title}: ${body}`)
    const world = await startVirtualWorld(onTestFinished, {
      core: { announcer: { emit: () => undefined, notify } },
    })
    const folder = join(emptyFolder(onTestFinished), 'month')
    const summary = await run(world, {
      ...LEAST,
      title: 'Month end',
      reports: ['Profit and loss', 'Balance sheet'],
      files: ['csv'],
      folder,
    })
    expect(summary).toMatchObject({ outcome: 'made', folder })
    expect(notified).toEqual([`Month end: ${summary.message}`])
    expect(summary.message).toMatch(/^\d+ of \d+ reports ready\.$/)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const companies = files.filter((name) => name.endsWith('.csv')).length / 2
    expect(companies).toBeGreaterThan(1)
    const text = readFileSync(join(folder, summary.summaryFile), 'utf8')
    expect(text.match(/2 of 2 reports ready\. Totals agree\./g)).toHaveLength(companies)
    expect(world.server.counters().mostAtOnce).toBe(1)
    expect(world.server.counters().requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('skips and names a company that alone refuses the key, and makes the reports of the others', async ({
    onTestFinished,
  }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const { endpointId } = world.person.company
    world.server.addFaults({
      match: { path: endpointId },
      times: 0,
      fault: { kind: 'status', status: 403, when: 'before' },
    })
    const until = localTime(world.clock.now(), 60)
    const summary = await run(world, { ...LEAST, files: ['csv'], folder, until })
    expect(summary.outcome).toBe('partly-made')
    const text = readFileSync(join(folder, summary.summaryFile), 'utf8')
    const companies = text.match(/: \d of 1 report ready\./g) ?? []
    expect(companies.length).toBeGreaterThan(2)
    expect(companies.filter((line) => line === ': 0 of 1 report ready.')).toHaveLength(1)
    expect(text).toMatch(
      new RegExp(`^${ALDER} .*: 0 of 1 report ready\\.\r\n  Profit and loss: .*refused`, 'm'),
    )
    const refused = world.server.counters().requests.filter(({ path }) => path.includes(endpointId))
    expect(refused).toHaveLength(1)
  })

  it('asks a silent company again, but not one that refuses the key', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const { connectionId } = world.person.company
    const { companies } = value(await world.person.call('companies.list', { connectionId }))
    const refusing = companies.find(({ companyName, isActive }) => isActive && companyName !== ALDER)
    const path = refusing?.ref.endpointId ?? ''
    world.server.control({ company: ALDER, conditions: { machine: 'off' } })
    world.clock.after(25 * 60_000, () => {
      world.server.control({ company: ALDER, conditions: { machine: 'on' } })
    })
    const fault = { kind: 'status', status: 403, when: 'before' } as const
    world.server.addFaults({ match: { path }, times: 0, fault })
    const before = world.clock.now()
    const until = localTime(before, 120)
    const summary = await run(world, { ...LEAST, review: true, files: ['csv'], folder, until })
    expect(summary.outcome).toBe('partly-made')
    expect(summary.message).toMatch(/^2 of 3 reports ready\..* 2 of 3 months reviewed/)
    expect(world.clock.now() - before).toBeGreaterThan(25 * 60_000)
    expect(world.clock.now() - before).toBeLessThan(60 * 60_000)
    const refused = world.server.counters().requests.filter((request) => request.path.includes(path))
    const asked = refused.map((request) => (request.path.endsWith('/customer') ? 'test' : 'report'))
    // Once for its report; for its review, a small read, the first report, and a test of the key.
    expect(asked).toEqual(['test', 'test', 'report', 'test'])
  })

  it.for([
    ['every request', { path: '/data/' }],
    ['reports, but not for tests', { path: '/selectReport' }],
  ] as const)(
    'ends once a second company refuses the key for %s, and Continue makes the reports once it is accepted',
    async ([, match], { onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      const folder = emptyFolder(onTestFinished)
      world.server.addFaults({ match, times: 0, fault: { kind: 'status', status: 401, when: 'before' } })
      world.server.control({ clearRequests: true })
      const summary = await run(world, { ...LEAST, files: ['csv'], folder })
      expect(summary.message).toMatch(/refused/)
      const refused = world.server.counters().requests.filter(({ status }) => status === 401)
      expect(refused).toHaveLength(2)

      world.server.control({ clearFaults: true })
      const { connectionId } = world.person.company
      const found = async () => value(await world.call('reportRuns.list', { connectionId }))[0]
      value(await world.call('reportRuns.resume', { runId: (await found())?.runId ?? '' }))
      await world.until(async () => (await found())?.state !== 'running')
      expect(await found()).toMatchObject({ state: 'finished', error: null })
      expect((await found())?.items.map(({ state }) => state)).toEqual(['done', 'done', 'done'])
    },
  )

  it('asks a silent company again until it answers', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    world.server.control({ company: 'Alder & Finch Builders', conditions: { machine: 'off' } })
    world.clock.after(25 * 60_000, () => {
      world.server.control({ company: 'Alder & Finch Builders', conditions: { machine: 'on' } })
    })
    const before = world.clock.now()
    const summary = await run(world, { ...LEAST, files: ['csv'], folder, until: localTime(before, 60) })
    expect(summary.outcome).toBe('made')
    expect(world.clock.now() - before).toBeGreaterThan(25 * 60_000)
    expect(readdirSync(folder).filter((name) => name.startsWith('Alder & Finch'))).toHaveLength(1)
  })

  it('ends as soon as someone skips the silent company in a window', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const { connectionId, endpointId } = world.person.company
    world.server.control({ company: 'Alder & Finch Builders', conditions: { machine: 'off' } })
    const before = world.clock.now()
    const skip = async (): Promise<void> => {
      const [first] = value(await world.call('reportRuns.list', { connectionId }))
      if (first?.state !== 'needs-you') world.clock.after(10_000, () => void skip())
      else value(await world.call('reportRuns.answer', { runId: first.runId, endpointId, answer: 'skip' }))
    }
    world.clock.after(10_000, () => void skip())
    const summary = await run(world, { ...LEAST, files: ['csv'], folder, until: localTime(before, 600) })
    expect(summary.outcome).toBe('partly-made')
    expect(world.clock.now() - before).toBeLessThan(10 * 60_000)
  })

  it('leaves out a company that is still silent at the end, and says why', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    world.server.control({ company: 'Alder & Finch Builders', conditions: { machine: 'off' } })
    const before = world.clock.now()
    const summary = await run(world, { ...LEAST, files: ['csv'], folder, until: localTime(before, 45) })
    expect(summary.outcome).toBe('partly-made')
    expect(RUN_EXIT_CODES[summary.outcome]).toBe(1)
    expect(world.clock.now() - before).toBeLessThan(60 * 60_000)
    expect(readFileSync(join(folder, summary.summaryFile), 'utf8')).toMatch(
      /Alder & Finch Builders .*0 of 1 report ready\.\r\n {2}Profit and loss: ./,
    )
  })

  it('reviews the month, also without reports, and lists the open findings in the summary', async ({
    onTestFinished,
  }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const review = { companies: 'all', review: true, period: 'last month', folder }
    const summary = await run(world, review)
    expect(summary).toMatchObject({ outcome: 'made', title: 'Review' })
    expect(summary.message).toMatch(/^3 of 3 months reviewed, \d\d open findings\.$/)
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
    const text = read(summary.summaryFile)
    expect(text).toMatch(/Alder & Finch Builders, review of Feb 2026: \d+ open findings\./)
    expect(text).toContain(
      'Balances that should be zero: 4999 · Uncategorized Income, 1,350.00 Cr. A credit balance.',
    )
    expect(text).toMatch(/Not checked: Entries that look doubled\. Online doesn’t offer this report/)
    // Worst first.
    const [, ofAlder] = text.slice(text.indexOf('Alder & Finch Builders, review of')).split(', review of')
    expect(ofAlder).toMatch(/Entries that look doubled: [^]*Unusual amounts: /)
    expect(world.server.counters().requests.filter(({ method }) => method !== 'GET')).toEqual([])

    // A closed month is read again and compared.
    const { company } = world.person
    const month = '2026-02'
    const { rules } = value(await world.person.call('review.findings', { company, month }))
    for (const { key, amount } of rules.flatMap(({ findings }) => findings)) {
      value(await world.person.call('review.accept', { company, month, key, amount, note: '' }))
    }
    value(await world.person.call('months.close', { company, month, note: '' }))
    const quiet = await run(world, { ...review, title: 'Quiet' })
    expect(read(quiet.summaryFile)).toContain(
      'Alder & Finch Builders, review of Feb 2026: closed, and unchanged.',
    )
    const alder = { company: 'Alder & Finch Builders' }
    world.server.control({ ...alder, conditions: { machine: 'off' } })
    const silent = await run(world, { ...review, title: 'Silent' })
    expect(silent.outcome, 'nothing was read').toBe('partly-made')
    expect(read(silent.summaryFile)).toMatch(/review of Feb 2026: closed, and not read again\. ./)
    world.server.control({ ...alder, conditions: { machine: 'on' } })
    const match = { path: '/selectReport', query: 'TrialBalance' }
    const fault = { kind: 'itemError', message: 'Some accounts were left out.', keepRecord: true } as const
    world.server.addFaults({ match, times: 3, fault })
    const partial = await run(world, { ...review, title: 'Partial' })
    expect(partial.outcome).toBe('partly-made')
    expect(read(partial.summaryFile)).toMatch(
      /review of Feb 2026: closed, and unchanged as far as it could be compared\.\r\n {2}Trial balance could not be compared\. It wasn’t read again\. .*left out/,
    )
    const locked = { kind: 'requestError', message: 'Customers are locked.' } as const
    world.server.addFaults({ match: { path: '/customer' }, times: 1, fault: locked })
    const listless = await run(world, { ...review, title: 'Listless', companies: [alder.company] })
    expect(listless.message).toContain('Incomplete: Alder & Finch Builders.')
    expect(read(listless.summaryFile)).toMatch(
      /closed, and unchanged\. Not everything was read\.\r\n {2}Customers may be incomplete\. .*locked/,
    )
    world.server.control({ ...alder, lateEntry: true })
    const late = await run(world, { ...review, title: 'Late' })
    expect(late).toMatchObject({
      outcome: 'made',
      message: expect.stringContaining('1 closed month changed.') as unknown,
    })
    expect(read(late.summaryFile)).toMatch(/changed since it was closed \(\d accounts, 1,250\.00\)/)
    // A change doesn’t hide what could not be compared.
    world.server.addFaults({ match: { path: '/selectReport', query: 'BalanceSheet' }, times: 9, fault })
    const both = await run(world, { ...review, title: 'Both', companies: [alder.company] })
    expect(both.outcome).toBe('partly-made')
    expect(both.message).toMatch(/^0 of 1 month reviewed, .* Incomplete: Alder & Finch Builders\.$/)
    expect(read(both.summaryFile)).toMatch(
      /changed since it was closed \(\d accounts, 1,250\.00\)\.\r\n {2}Balance sheet could not be compared\. .*left out/,
    )
    expect(value(await world.person.call('review.findings', { company, month })).month.status).toMatchObject({
      state: 'changed',
      notCompared: 1,
    })
    world.server.control({ ...alder, conditions: { machine: 'off' } })
    const again = await run(world, { ...review, title: 'Again' })
    expect(again.outcome).toBe('partly-made')
    expect(again.message).toContain('1 closed month changed.')
    expect(read(again.summaryFile)).toMatch(/changed since it was closed \(.*\)\. Not read again: ./)
  })

  it('names the months that were not read completely, and exits with 1, whatever was found in them', async ({
    onTestFinished,
  }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const refusal = { HasErrors: true, Contents: [], Errors: [{ Message: 'Not for this user.' }] }
    const fault = { kind: 'body', text: JSON.stringify(refusal) } as const
    // Only Desktop has a general ledger. That Online doesn't offer one is no failure.
    const companies = ['Northgate Animal Hospital', 'Hollis & Vane Landscape Architects']
    for (const query of ['GeneralLedger', 'TrialBalance']) {
      world.server.addFaults({ match: { path: '/selectReport', query }, times: 1, fault })
    }
    const summary = await run(world, { companies, review: true, period: 'last month', folder })
    expect(RUN_EXIT_CODES[summary.outcome]).toBe(1)
    expect(summary.message).toMatch(
      /^1 of 2 months reviewed, \d+ open findings\. Incomplete: Northgate Animal Hospital\.$/,
    )
    const text = readFileSync(join(folder, summary.summaryFile), 'utf8')
    expect(text).toMatch(
      /Northgate Animal Hospital, review of Feb 2026: \d+ open findings, not everything was read\./,
    )
    expect(text).toMatch(/Hollis & Vane Landscape Architects, review of Feb 2026: \d+ open findings\./)
    expect(text).toMatch(/^ {2}Trial balance: not read\. ./m)
    expect(text).toMatch(/^ {2}General ledger: not read\. ./m)
  })

  it('says that nothing was checked in a month whose reports and lists were all refused', async ({
    onTestFinished,
  }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const refusal = { HasErrors: true, Contents: [], Errors: [{ Message: 'Not for this user.' }] }
    const fault = { kind: 'body', text: JSON.stringify(refusal) } as const
    world.server.addFaults({ match: { path: '/Data/' }, times: 0, fault })
    const companies = ['Northgate Animal Hospital']
    const summary = await run(world, { companies, review: true, period: 'last month', folder })
    expect(summary.message).toBe(
      '0 of 1 month reviewed, 0 open findings. Nothing was checked: Northgate Animal Hospital.',
    )
    expect(RUN_EXIT_CODES[summary.outcome]).toBe(1)
    const text = readFileSync(join(folder, summary.summaryFile), 'utf8')
    expect(text).toContain('Northgate Animal Hospital, review of Feb 2026: nothing was checked.')
    expect(text).toMatch(/^ {2}Balance sheet: not read\. .*Not for this user\./m)
  })

  it('lists the findings of a month if only a statement was refused', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const refusal = { HasErrors: true, Contents: [], Errors: [{ Message: 'Not for this user.' }] }
    const fault = { kind: 'body', text: JSON.stringify(refusal) } as const
    world.server.addFaults({ match: { path: '/selectReport', query: 'ProfitAndLoss' }, times: 0, fault })
    const { company } = world.person
    const review = { companies: ['Alder & Finch Builders'], review: true, period: 'last month', folder }
    await run(world, review)
    const { rules } = value(await world.person.call('review.findings', { company, month: '2026-02' }))
    for (const { key, amount } of rules.flatMap(({ findings }) => findings)) {
      const decided = { company, month: '2026-02', key, amount, note: '' }
      value(await world.person.call('review.accept', decided))
    }
    const summary = await run(world, { ...review, title: 'Again' })
    const text = readFileSync(join(folder, summary.summaryFile), 'utf8')
    expect(text).toContain('review of Feb 2026: 0 open findings, not everything was read.')
    expect(text).toMatch(/^ {2}Profit and loss: not read\. ./m)
    expect(text).toMatch(/^ {2}Not checked: Unusual amounts\. Profit and loss: not read\. ./m)
  })

  it('reviews what an unknown application offers, and doesn’t fail because of what it lacks', async ({
    onTestFinished,
  }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const { url, key } = world.server
    const listed = await fetch(`${url}/v2/manage/endpoint`, { headers: { 'x-api-key': key } })
    const text = (await listed.text()).replaceAll('"qbo"', '"books9"')
    world.server.addFaults({ match: { path: '/manage/endpoint' }, times: 0, fault: { kind: 'body', text } })
    const companies = ['Hollis & Vane Landscape Architects']
    const summary = await run(world, { companies, review: true, period: 'last month', folder })
    expect(summary.message).toMatch(/^1 of 1 month reviewed, \d+ open findings\.$/)
    expect(RUN_EXIT_CODES[summary.outcome]).toBe(0)
    const read = readFileSync(join(folder, summary.summaryFile), 'utf8')
    expect(read).toMatch(/^ {2}Not checked: Entries that look doubled\. General ledger: not available\. ./m)
  })

  it.for([
    {
      kind: 'body',
      text: JSON.stringify({
        HasErrors: true,
        Contents: [],
        Errors: [{ Message: 'No budget has been set up.' }],
      }),
    },
    { kind: 'itemError', message: 'No budget has been set up.' },
  ] as const)(
    'doesn’t fail because a company has no budget, and says so ($kind)',
    async (fault, { onTestFinished }) => {
      const world = await startVirtualWorld(onTestFinished)
      const folder = emptyFolder(onTestFinished)
      const budget = { path: '/selectReport', query: 'ProfitAndLossBudgetVsActual' }
      world.server.addFaults({ match: budget, times: 0, fault })
      const companies = ['Northgate Animal Hospital']
      const summary = await run(world, { companies, review: true, period: 'last month', folder })
      expect(summary.message).toMatch(/^1 of 1 month reviewed, \d+ open findings\.$/)
      expect(RUN_EXIT_CODES[summary.outcome]).toBe(0)
      expect(readFileSync(join(folder, summary.summaryFile), 'utf8')).toMatch(
        /^ {2}Not checked: .*budget.*: not available\. .*The service says: No budget has been set up\./im,
      )
    },
  )

  it('tells clients with the same name apart, and reads a client that is named twice only once', async ({
    onTestFinished,
  }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const { connectionId } = world.person.company
    const listed = value(await world.person.call('companies.list', { connectionId })).companies
    const two = listed.filter(({ isActive }) => isActive).slice(0, 2)
    const label = 'Kern'
    for (const { ref: company } of two) {
      value(await world.person.call('companies.annotate', { company, notes: { label } }))
    }
    const ids = two.map(({ ref }) => ref.endpointId)
    const review = { review: true, period: 'last month', folder }
    const summary = await run(world, { ...review, companies: ids })
    const text = readFileSync(join(folder, summary.summaryFile), 'utf8')
    for (const id of ids) expect(text).toContain(`Kern (${id}), review of`)
    const [one, other] = two
    const { url, key } = world.server
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const body = JSON.stringify({ endpointId: other?.ref.endpointId, isActive: 'false' })
    await fetch(`${url}/v2/Manage/endpoint`, { method: 'PATCH', headers, body })
    // The one that was de-provisioned has that name, too.
    const twice = await run(world, { ...review, title: 'Twice', companies: [label, one?.ref.endpointId] })
    expect(twice.message).toMatch(/^1 of 1 month reviewed/)
  })

  it('asks a silent company again for its month, until it answers', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const alder = { company: 'Alder & Finch Builders' }
    world.server.control({ ...alder, conditions: { machine: 'off' } })
    world.clock.after(25 * 60_000, () => {
      world.server.control({ ...alder, conditions: { machine: 'on' } })
    })
    const before = world.clock.now()
    const review = { companies: 'all', review: true, period: 'last month', folder }
    const summary = await run(world, { ...review, until: localTime(before, 90) })
    expect(summary.outcome).toBe('made')
    expect(world.clock.now() - before).toBeGreaterThan(25 * 60_000)
    world.server.control({ ...alder, conditions: { machine: 'off' } })
    const silent = await run(world, review)
    expect(silent.outcome).toBe('partly-made')
    const text = readFileSync(join(folder, silent.summaryFile), 'utf8')
    expect(text).toMatch(/Alder & Finch Builders, review of Feb 2026: not everything was read\. ./)
  })

  it('reads everything again, whatever a window is reading of the month', async ({ onTestFinished }) => {
    const driver = await MonthsDriver.start(onTestFinished)
    const { world } = driver
    const row = await driver.row(ALDER)
    const fault = { kind: 'requestError', message: 'The trial balance is locked.' } as const
    world.server.addFaults({ match: { query: 'name=TrialBalance' }, times: 1, fault })
    await driver.read([row])
    const folder = emptyFolder(onTestFinished)
    const requestsOfRun = async (): Promise<readonly string[]> => {
      const before = driver.requests.length
      const review = { companies: [ALDER], review: true, period: 'last month', folder }
      expect(await run(world, review)).toMatchObject({ outcome: 'made' })
      return driver.requests.slice(before).map(({ query }) => query)
    }
    await driver.begin([row])
    const afterMissing = await requestsOfRun()
    value(await world.call('review.checkAgain', { company: row.company, month: MONTH, rule: 'malformed' }))
    const afterRule = await requestsOfRun()
    const alone = await requestsOfRun()
    expect(alone.length).toBeGreaterThanOrEqual(row.requests)
    expect(afterMissing).toEqual(expect.arrayContaining([...alone]))
    expect(afterRule).toEqual(expect.arrayContaining([...alone]))
    // What is being read as a whole isn't read twice.
    await driver.begin([row], true)
    expect((await requestsOfRun()).length).toBeLessThanOrEqual(alone.length)
    expect(world.server.counters().mostAtOnce).toBe(1)
  })

  it('continues without a company whose data is deleted in the meantime, and says so', async ({
    onTestFinished,
  }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const alder = 'Alder & Finch Builders'
    world.server.control({ company: alder, conditions: { machine: 'off' } })
    world.clock.after(
      30 * 60_000,
      () => void world.call('history.deleteCompany', { company: world.person.company }),
    )
    const summary = await run(world, {
      ...{ ...LEAST, review: true, files: ['csv'], folder },
      until: localTime(world.clock.now(), 90),
    })
    expect(RUN_EXIT_CODES[summary.outcome]).toBe(1)
    expect(summary.message).toMatch(
      /^2 of 3 reports ready\. .* 2 of 3 months reviewed, .* Not reviewed: Alder & Finch Builders\.$/,
    )
    const text = readFileSync(join(folder, summary.summaryFile), 'utf8')
    expect(text).toMatch(/^Northgate Animal Hospital, review of Feb 2026: \d+ open findings/m)
    expect(text).toMatch(/^Alder & Finch Builders: not reviewed\. ./m)
  })

  it('leaves out companies that the service doesn’t know, and names them', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folder = emptyFolder(onTestFinished)
    const companies = ['Nobody & Sons', 'Alder & Finch Builders', { id: 'e-0', name: 'Harbor Bakery' }]
    const summary = await run(world, { ...LEAST, companies, review: true, files: ['csv'], folder })
    expect(RUN_EXIT_CODES[summary.outcome]).toBe(1)
    expect(summary.message).toMatch(
      /^1 of 1 report ready\. 1 of 1 month reviewed, .* There is no company named “Nobody & Sons”\. There is no company named “Harbor Bakery”\.$/,
    )
    expect(readFileSync(join(folder, summary.summaryFile), 'utf8')).toContain(summary.message)
    expect(
      readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.csv')),
    ).toHaveLength(1)
  })

  it.each([
    ['a company that is gone', { companies: ['Nobody & Sons'] }, 'no company named “Nobody & Sons”'],
    ['a connection that is gone', { connection: 'Old office' }, 'no connection named “Old office”'],
    ['a set that is gone', { reports: undefined, set: 'Quarter' }, 'no set named “Quarter”'],
  ])('does nothing about %s, and says so', async (_, change, words) => {
    const ends: (() => Promise<void> | void)[] = []
    const world = await startVirtualWorld((end) => void ends.push(end))
    const folder = join(
      emptyFolder((end) => void ends.push(end)),
      'never',
    )
    const summary = await run(world, { ...LEAST, folder, ...change })
    for (const end of ends.reverse()) await end()
    expect(summary).toMatchObject({ outcome: 'not-started', summaryFile: '' })
    expect(RUN_EXIT_CODES[summary.outcome]).toBe(2)
    expect(summary.message).toContain(words)
  })

  it('takes turns with another run', async ({ onTestFinished }) => {
    const world = await startVirtualWorld(onTestFinished)
    const folders = [emptyFolder(onTestFinished), emptyFolder(onTestFinished)]
    const summaries = await world.clock.run(
      Promise.all(
        folders.map((folder) =>
          world.running.core.runs.run({
            text: JSON.stringify({ ...LEAST, files: ['csv'], folder }),
            file: join(folder, 'run.json'),
          }),
        ),
      ),
    )
    expect(summaries.map(({ outcome }) => outcome)).toEqual(['made', 'made'])
    const [first, second] = summaries
    expect((first?.endedAt ?? '') <= (second?.startedAt ?? '')).toBe(true)
    expect(world.server.counters().mostAtOnce).toBe(1)
  })
})

/** The local time so many minutes later, as a run file has it. */
function localTime(now: number, minutes: number): string {
  const at = new Date(now + minutes * 60_000)
  return `${String(at.getHours())}:${String(at.getMinutes()).padStart(2, '0')}`
}
