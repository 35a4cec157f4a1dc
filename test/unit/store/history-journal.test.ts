// Browsing, keeping, and deleting the history: pages and filters of the journal, what retention may delete, and that no
// file has a company's deleted bytes.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRetention } from '../../../electron/app/program/retention.ts'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import type { HistoryFileRequest } from '../../../electron/app/records/history-files.ts'
import { resultOfAsync } from '../../../electron/store/database.ts'
import type { DraftState } from '../../../electron/store/drafts.ts'
import { openStore } from '../../../electron/store/store.ts'
import type { MultiCompanyChange } from '../../../shared/contract/all-companies.ts'
import { Format, localDay } from '../../../shared/format/format.ts'
import { textOf } from '../../../shared/records/changes.ts'
import { value } from '../../result.ts'
import { partsOf } from '../files/workbook-fixture.ts'
import { standIn } from '../records/list/stand-in.ts'
import { COMPANY, storedCompany, TestClock, testFolder, World } from '../writing/world.ts'
import { databaseWithEveryTable } from './every-table.ts'
import { History } from './history-steps.ts'

async function sentWorld(count: number): Promise<{ readonly world: World; readonly history: History }> {
  const world = new World()
  const history = new History(world)
  for (let at = 0; at < count; at += 1) {
    const id = world.service.add('customer', { Name: `Customer ${String(at)}`, Phone: `555-${String(at)}` })
    await world.sendAndSettle([
      world.draftChange(id, { Phone: `(415) 555-01${String(at).padStart(2, '0')}` }),
    ])
  }
  return { world, history }
}

/** The content of all files in the folder, as text. */
function bytesOf(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n')
}

/** A change in one other company, with one record for each draft. */
function keepShared(world: World, change: MultiCompanyChange): void {
  world.store.multiCompanyChanges.add(change, [], () => change)
}

function multiCompanyChange(
  draftIds: readonly string[],
  change: Partial<MultiCompanyChange> = {},
): MultiCompanyChange {
  const company = { connectionId: COMPANY.connectionId, endpointId: 'e2' }
  const records = draftIds.map((draftId) => ({
    ...{ draftId, recordId: '1', recordName: 'canaryshared', was: '', isTrimmed: false },
  }))
  return {
    ...{ changeId: 'change', connectionId: COMPANY.connectionId, createdAt: '2026-03-01T09:00:00Z' },
    ...{ object: 'customer', path: 'Phone', now: 'canarynow', state: 'finished', error: null },
    companies: [
      {
        ...{ company, companyName: 'The other company', application: 'qbd', applicationName: 'QuickBooks' },
        ...{ contact: 'answered', contactError: null },
      },
    ],
    items: [{ itemId: 'item', endpointId: 'e2', state: 'done', error: null, warning: '', records }],
    leftOut: [],
    ...change,
  }
}

/** Saves a history as a workbook. Returns the texts in each row, without dates and empty cells. */
async function workbookRows(
  history: History,
  asked: Omit<HistoryFileRequest, 'kind'>,
): Promise<readonly (readonly string[])[]> {
  const saved = value(await history.handlers['history.saveHistory']({ ...asked, kind: 'xlsx' }))
  if (!saved.saved) throw new Error('Nothing was saved.')
  const xml = (await partsOf(readFileSync(saved.path)))['xl/worksheets/sheet1.xml'] ?? ''
  const lines = xml.split('<row ').slice(2)
  return lines.map((line) => [...line.matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, cell]) => cell ?? ''))
}

describe('browsing', () => {
  test('pages follow one another without a gap or a repetition', async () => {
    const { history } = await sentWorld(7)
    const seen: string[] = []
    let cursor = ''
    do {
      const page = await history.entries({ cursor, limit: 3 })
      seen.push(...page.entries.map(({ entryId }) => entryId))
      cursor = page.next
    } while (cursor !== '')
    expect(seen).toHaveLength(7)
    expect(new Set(seen).size).toBe(7)
    const times = (await history.entries()).entries.map(({ at }) => at)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  test('a batch’s records are in the order in which they were sent, page by page', async () => {
    const world = new World()
    const history = new History(world)
    const drafts = Array.from({ length: 5 }, (_none, at) => world.draftInsert({ Name: `Made ${String(at)}` }))
    await world.sendAndSettle(drafts)
    const [entry] = (await history.entries()).entries
    const first = await history.ofBatch(entry?.entryId ?? '', { limit: 3 })
    const second = await history.ofBatch(entry?.entryId ?? '', { limit: 3, cursor: first.next })
    expect([...first.records, ...second.records].map(({ recordName }) => recordName)).toEqual(
      [0, 1, 2, 3, 4].map((at) => `Made ${String(at)}`),
    )
    expect(second.next).toBe('')
    expect(entry).toMatchObject({ inserts: 5, changes: 0, outcomes: [{ outcome: 'saved', count: 5 }] })
  })

  test('operations that were discarded before they were sent are left out. Those discarded later stay, as discarded', async () => {
    const world = new World()
    const history = new History(world)
    const [first, second] = [world.draftInsert({ Name: 'Alder' }), world.draftInsert({ Name: 'Birch' })]
    world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
    await world.sendAndSettle([first])
    const held = world.operations()[0]?.operationId ?? ''
    value(world.writer.decide(held, { what: 'send-again' }))
    value(world.writer.decide(held, { what: 'discard' }))
    value(world.send([second]))
    const queued = world.operations().find(({ recordName }) => recordName === 'Birch')
    value(world.writer.decide(queued?.operationId ?? '', { what: 'discard' }))
    await world.settle()
    const { entries } = await history.entries()
    expect(entries).toHaveLength(1)
    const { records } = await history.ofBatch(entries[0]?.entryId ?? '')
    expect(records).toMatchObject([{ recordName: 'Alder', outcome: 'discarded' }])
  })

  test('a name, a value before or after, or a RequestId finds it', async () => {
    const { world, history } = await sentWorld(4)
    const requestId = world.writer.requests(history.latest())[0]?.requestId ?? ''
    expect(requestId).not.toBe('')
    const names = async (text: string): Promise<readonly string[]> => {
      const { entries } = await history.entries({ text })
      const records = await Promise.all(entries.map(({ entryId }) => history.ofBatch(entryId, { text })))
      return records.flatMap((page) => page.records.map(({ recordName }) => recordName))
    }
    expect(await names('CUSTOMER 555-2')).toEqual(['Customer 2'])
    expect(await names('555-0103')).toEqual(['Customer 3'])
    expect(await names('555-1 customer')).toEqual(['Customer 1'])
    expect(await names(requestId)).toContain('Customer 3')
    expect(await names('nothing of the kind')).toEqual([])
  })

  test('a name is found without its accents, and with its umlauts spelled out', async () => {
    const world = new World()
    const history = new History(world)
    await world.sendAndSettle([world.draftInsert({ Name: 'Müller & Søn' })])
    for (const text of ['müller', 'muller', 'MUELLER', 'son', 'soen']) {
      expect((await history.entries({ text })).entries, text).toHaveLength(1)
    }
    expect((await history.entries({ text: 'miller' })).entries).toEqual([])
  })

  test('a receipt has every record: its old values, what was sent, and the outcome', async () => {
    const world = new World()
    const history = new History(world)
    const id = world.service.add('customer', { Name: 'Alder', Phone: '555-1' })
    world.service.refusal = ({ Name }) => (Name === '<b>Birch</b> & Co' ? 'No <such> terms.' : null)
    await world.sendAndSettle([
      world.draftChange(id, { Phone: '(415) 555-0100' }),
      world.draftInsert({ Name: '<b>Birch</b> & Co' }),
    ])
    const [entry] = (await history.entries()).entries
    const saved = value(await history.handlers['history.saveReceipt']({ batchId: entry?.entryId ?? '' }))
    expect(saved.saved && saved.name).toMatch(/ - Receipt, Customers - .*\.pdf$/)
    const html = history.printed?.html ?? ''
    expect(html).toContain('<dd>1 saved, 1 not accepted</dd>')
    expect(html).toMatch(/<th>Phone<\/th>.*>555-1<.*>\(415\) 555-0100<.*>\(415\) 555-0100</)
    expect(html).toContain('&lt;b&gt;Birch&lt;/b&gt; &amp; Co')
    expect(html).toContain('No &lt;such&gt; terms.')
    expect(html).not.toContain('<b>')
    for (const { requestId } of world.writer.requests(history.latest())) {
      expect(html).toContain(`RequestId ${requestId}`)
    }
    expect(html).not.toContain('still open')
    expect((await history.handlers['history.saveReceipt']({ batchId: 'gone' })).ok).toBe(false)
  })

  test('a receipt says that an outcome is still open', async () => {
    const world = new World()
    const history = new History(world)
    world.service.fault = (method) => (method === 'POST' ? 'dropped-before' : 'none')
    await world.sendAndSettle([world.draftInsert({ Name: 'Alder' })])
    const [entry] = (await history.entries()).entries
    value(await history.handlers['history.saveReceipt']({ batchId: entry?.entryId ?? '' }))
    expect(history.printed?.html).toContain('Some outcomes are still open.')
    expect(history.printed?.html).toContain('<dd>1 your decision</dd>')
  })

  test('a saved history has what other keys sent to the same books, and nothing of another service', async () => {
    const { history } = await sentWorld(1)
    const connection = (connectionId: string, name: string, address: string) =>
      standIn<(typeof history.connections)[number]>({ connectionId, name, address })
    const other = { ...COMPANY, connectionId: 'other' }
    const asked = { company: other, object: '', recordId: '', from: null, to: null, kind: 'pdf' } as const
    history.connections = [
      connection(COMPANY.connectionId, 'First key', 'https://one.example'),
      connection(other.connectionId, 'Second key', 'https://one.example'),
    ]
    value(await history.handlers['history.saveHistory'](asked))
    expect(history.printed?.html).toContain('Customer 0')
    expect(history.printed?.html).toContain('First key, https://one.example')
    expect(history.printed?.html).not.toContain('Second key')
    history.connections = [
      connection(COMPANY.connectionId, 'First key', 'https://one.example'),
      connection(other.connectionId, 'Second key', 'https://two.example'),
    ]
    expect((await history.handlers['history.saveHistory'](asked)).ok).toBe(false)
  })

  test('a saved history has a company’s, a list’s, or a record’s history in a period, oldest first', async () => {
    const { world, history } = await sentWorld(2)
    world.clock.time += 40 * 86_400_000
    world.service.refusal = ({ Name }) => (Name === 'Late <Ltd>' ? 'No such terms.' : null)
    await world.sendAndSettle(
      [world.draftInsert({ Name: 'Late <Ltd>' }, 'vendor'), world.draftInsert({ Name: 'Taken' }, 'vendor')],
      'vendor',
    )
    const firstDay = localDay(new Date('2026-03-01T09:00:00Z'))
    const lastDay = localDay(new Date(world.clock.now()))
    const ALL = { company: COMPANY, object: '', recordId: '', from: null, to: null } as const
    const rows = (change: Partial<HistoryFileRequest> = {}) => workbookRows(history, { ...ALL, ...change })
    const names = async (change: Partial<HistoryFileRequest>): Promise<readonly (string | undefined)[]> =>
      (await rows(change)).map((cells) => cells[2])

    const all = await rows()
    expect(all.map((cells) => cells[2])).toEqual(['Customer 0', 'Customer 1', 'Late &lt;Ltd&gt;', 'Taken'])
    const [first = []] = all
    const oldest = (await history.entries()).entries.at(-1)?.entryId ?? ''
    const { recordId = '', requestId = '' } = (await history.ofBatch(oldest)).records[0] ?? {}
    expect(first).toEqual([
      'dana',
      'Customers',
      'Customer 0',
      recordId,
      'Change',
      'Phone',
      '555-0',
      '(415) 555-0100',
      '(415) 555-0100',
      'Saved',
      requestId,
      'Confirmed by reading it back.',
    ])
    expect(all[2]?.slice(-3)).toEqual([
      'Not accepted',
      expect.any(String),
      expect.stringContaining('No such terms.'),
    ])
    expect(await names({ object: 'customer' })).toEqual(['Customer 0', 'Customer 1'])
    expect(await names({ object: 'customer', recordId })).toEqual(['Customer 0'])
    expect(await names({ from: firstDay, to: firstDay })).toEqual(['Customer 0', 'Customer 1'])
    expect(await names({ from: lastDay })).toEqual(['Late &lt;Ltd&gt;', 'Taken'])
    const none = await history.handlers['history.saveHistory']({ ...ALL, to: '2020-01-31', kind: 'pdf' })
    expect(none.ok).toBe(false)

    const pdf = value(await history.handlers['history.saveHistory']({ ...ALL, kind: 'pdf' }))
    expect(pdf.saved && pdf.name).toMatch(/ - History - 2026-03-01 to 2026-04-\d\d\.pdf$/)
    const html = history.printed?.html ?? ''
    const inOrder = [
      'by dana',
      'Customer 0',
      'Customer 1',
      '2 new records in Vendors',
      'Late &lt;Ltd&gt;',
      'Taken',
    ]
    expect(inOrder.map((words) => html.indexOf(words))).toEqual(
      inOrder.map((words) => html.indexOf(words)).toSorted((one, other) => one - other),
    )
    expect(inOrder.every((words) => html.includes(words))).toBe(true)
    expect(html).toContain(`RequestId ${requestId}`)
    expect(html).not.toContain('<Ltd>')
  })

  test('company, list, and outcome filter it', async () => {
    const { world, history } = await sentWorld(2)
    world.service.refusal = (record) => (record['Name'] === 'Refused' ? 'No.' : null)
    await world.sendAndSettle([world.draftInsert({ Name: 'Refused' }), world.draftInsert({ Name: 'Taken' })])
    await world.sendAndSettle([world.draftInsert({ Name: 'A vendor' }, 'vendor')], 'vendor')
    expect((await history.entries({ outcome: 'not-accepted' })).entries).toHaveLength(1)
    expect((await history.entries({ outcome: 'not-accepted', text: 'taken' })).entries).toHaveLength(0)
    expect((await history.entries({ object: 'vendor' })).entries).toHaveLength(1)
    expect((await history.entries({ company: COMPANY })).entries).toHaveLength(4)
    expect((await history.entries({ company: { ...COMPANY, endpointId: 'e2' } })).entries).toEqual([])
  })

  test('a record’s history says the old values, what was sent and answered, when, and in which request', async () => {
    const world = new World()
    const history = new History(world)
    const id = world.service.add('customer', { Name: 'Alder', Phone: '111' })
    await world.sendAndSettle([world.draftChange(id, { Phone: '222' })])
    await world.sendAndSettle([world.draftChange(id, { Phone: '333' })])
    const records = await history.ofRecord(id)
    expect(records.map(({ fields }) => fields[0])).toEqual([
      { path: 'Phone', was: '222', sent: '333', is: '333' },
      { path: 'Phone', was: '111', sent: '222', is: '222' },
    ])
    const operationId = records[0]?.operationId ?? ''
    const [request] = value(await history.handlers['history.requests']({ operationId }))
    expect(request?.sent).toContain('"Phone":"333"')
    expect(request?.response).toContain('"333"')
    expect(request).toMatchObject({ outcome: 'answered', records: 1, requestId: records[0]?.requestId })
  })

  test('calls about companies and users are listed along with the batches', async () => {
    const { world, history } = await sentWorld(1)
    const what = { application: 'qbd', userId: null, expectedFile: 'Zoë’s Café', place: 'here' } as const
    value(world.writer.provision(COMPANY.connectionId, what))
    await world.settle()
    const { entries } = await history.entries()
    expect(entries.map(({ kind }) => kind).toSorted()).toEqual(['provisioning', 'records', 'user'])
    const { entries: found } = await history.entries({ outcome: 'saved', text: 'user' })
    expect(found.some(({ kind }) => kind === 'user')).toBe(true)
    const { entries: named } = await history.entries({ text: "cafe ZOE'S" })
    expect(named.map(({ kind }) => kind)).toEqual(['provisioning'])
    expect(entries.map(({ sentBy }) => sentBy)).toEqual(['dana', 'dana', 'dana'])
    value(await world.writer.deprovision(COMPANY, 'v2'))
    expect((await history.entries()).entries[0]).toMatchObject({ kind: 'deprovisioning', sentBy: 'dana' })
  })
})

describe('when something was sent', () => {
  const DAY = 86_400_000
  const PERIOD = { company: COMPANY, object: '', recordId: '' } as const

  /** One record for each request, of which the given one (from 1) can’t leave, so the batch pauses. */
  async function pausedWorld(at: number): Promise<{ readonly world: World; readonly history: History }> {
    const world = new World({ settings: { batchSize: 1 } })
    const history = new History(world)
    let posts = 0
    world.service.fault = (method) => (method === 'POST' && (posts += 1) === at ? 'not-sent' : 'none')
    await world.sendAndSettle([world.draftInsert({ Name: 'Cedar' }), world.draftInsert({ Name: 'Birch' })])
    return { world, history }
  }

  async function resume(world: World): Promise<void> {
    for (const { batchId } of world.writer.batches(COMPANY, 'customer')) {
      value(world.writer.resumeBatch(batchId))
    }
    await world.settle()
  }

  const day = (at: string): string => localDay(new Date(at))

  test('a batch that was resumed days later has both days, and each record its own', async () => {
    const { world, history } = await pausedWorld(2)
    const [first] = (await history.entries()).entries
    expect(first).toMatchObject({ isSent: true, lastAt: first?.at })
    const [, waiting] = (await history.ofBatch(first?.entryId ?? '')).records
    expect(waiting).toMatchObject({ recordName: 'Birch', isSent: false, at: '2026-03-01T09:00:00.000Z' })
    world.clock.time += 3 * DAY
    const resumedAt = new Date(world.clock.now()).toISOString()
    await resume(world)
    const [entry] = (await history.entries()).entries
    expect(entry).toMatchObject({ at: first?.at, lastAt: resumedAt, isSent: true })
    const { records } = await history.ofBatch(entry?.entryId ?? '')
    expect(records).toMatchObject([
      { recordName: 'Cedar', at: first?.at, isSent: true },
      { recordName: 'Birch', at: resumedAt, isSent: true },
    ])
    value(await history.handlers['history.saveReceipt']({ batchId: entry?.entryId ?? '' }))
    expect(history.printed?.html).toMatch(/<dt>Sent<\/dt><dd>Mar 1, 2026, [^<]+ to Mar 4, 2026, [^<]+<\/dd>/)
    expect(history.printed?.html).toMatch(/Birch<p>Sent Mar 4, 2026, /)

    // Each day has only the records that were sent on it.
    for (const [name, other, on] of [
      ['Cedar', 'Birch', first?.at ?? ''],
      ['Birch', 'Cedar', resumedAt],
    ] as const) {
      const period = { ...PERIOD, from: day(on), to: day(on) }
      value(await history.handlers['history.saveHistory']({ ...period, kind: 'pdf' }))
      const html = history.printed?.html ?? ''
      expect(html).toContain(name)
      expect(html).not.toContain(other)
      expect(html).toContain('1 new record in Customers')
    }
    const none = { ...PERIOD, from: '2026-03-02', to: '2026-03-03', kind: 'pdf' } as const
    expect((await history.handlers['history.saveHistory'](none)).ok).toBe(false)
  })

  test('each attempt of a record that was sent again has its own day, outcome, and RequestId', async () => {
    const world = new World()
    const history = new History(world)
    const id = world.service.add('customer', { Name: 'Alder', Phone: '555-1' })
    let patches = 0
    world.service.fault = (method) =>
      method === 'PATCH' && (patches += 1) === 1 ? 'whole-error-before' : 'none'
    await world.sendAndSettle([world.draftChange(id, { Phone: '555-2' })])
    world.clock.time += 3 * DAY
    value(world.writer.decide(history.latest(), { what: 'send-again' }))
    await world.settle()
    const requests = world.writer.requests(history.latest())
    const [first, last] = requests
    if (requests.length !== 2 || first === undefined || last === undefined)
      throw new Error('It was sent twice.')
    expect(new Set([first.requestId, last.requestId, '']).size).toBe(3)
    const [entry] = (await history.entries()).entries
    const [record] = (await history.ofBatch(entry?.entryId ?? '')).records
    expect(record).toMatchObject({ at: first.sentAt, lastAt: last.sentAt, requestId: last.requestId })

    const format = new Format({ locale: 'en-US', negatives: DEFAULT_SETTINGS.negatives })
    for (const recordId of ['', id]) {
      const asked = { ...PERIOD, object: 'customer', recordId }
      for (const on of [first.sentAt, last.sentAt]) {
        const period = { ...asked, from: day(on), to: day(on) }
        value(await history.handlers['history.saveHistory']({ ...period, kind: 'pdf' }))
        const heads = [
          ...(history.printed?.html ?? '').matchAll(/Alder<p>([^<]*)<\/p><\/th><td[^>]*>([^<]*)</g),
        ]
        expect(heads.map(([, facts, outcome]) => [facts, outcome])).toEqual([
          [
            `Sent ${format.fullMoment(first.sentAt)} · ID ${id} · RequestId ${first.requestId}`,
            'Earlier attempt: not confirmed',
          ],
          [`Sent ${format.fullMoment(last.sentAt)} · ID ${id} · RequestId ${last.requestId}`, 'Saved'],
        ])
        expect(history.printed?.html).toContain('<dt>Records</dt><dd>1</dd><dt>Outcome</dt><dd>1 saved</dd>')
        const cells = ['dana', 'Customers', 'Alder', id, 'Change', 'Phone', '555-1', '555-2']
        expect(await workbookRows(history, period)).toEqual([
          [...cells, 'Earlier attempt: not confirmed', first.requestId],
          [...cells, '555-2', 'Saved', last.requestId, 'Confirmed by reading it back.'],
        ])
      }
      const between = { ...asked, from: '2026-03-02', to: '2026-03-03', kind: 'pdf' } as const
      expect((await history.handlers['history.saveHistory'](between)).ok).toBe(false)
    }
    value(await history.handlers['history.saveReceipt']({ batchId: entry?.entryId ?? '' }))
    expect(history.printed?.html).toContain('Earlier attempt: not confirmed')
    expect(history.printed?.html).toMatch(/<dt>Sent<\/dt><dd>Mar 1, 2026, [^<]+ to Mar 4, 2026, [^<]+<\/dd>/)
  })

  test('what never left counts from when it was queued, and says so; once sent, from then', async () => {
    const { world, history } = await pausedWorld(1)
    const queuedAt = '2026-03-01T09:00:00.000Z'
    const [entry] = (await history.entries()).entries
    expect(entry).toMatchObject({ at: queuedAt, lastAt: queuedAt, isSent: false })
    value(await history.handlers['history.saveReceipt']({ batchId: entry?.entryId ?? '' }))
    expect(history.printed?.html).toContain('<dd>Never sent. Queued Mar 1, 2026')
    world.clock.time += DAY
    await world.sendAndSettle([world.draftInsert({ Name: 'A vendor' }, 'vendor')], 'vendor')
    const lists = async (): Promise<readonly string[]> => {
      const found: string[] = []
      for (let cursor = ''; ;) {
        const page = await history.entries({ cursor, limit: 1 })
        found.push(...page.entries.map(({ object }) => object))
        if (page.next === '') return found
        cursor = page.next
      }
    }
    expect(await lists()).toEqual(['vendor', 'customer'])

    world.clock.time += DAY
    const sentAt = new Date(world.clock.now()).toISOString()
    await resume(world)
    expect(await lists()).toEqual(['customer', 'vendor'])
    const [sent] = (await history.entries()).entries
    expect(sent).toMatchObject({ entryId: entry?.entryId, at: sentAt, isSent: true })
    const onQueuedDay = { ...PERIOD, from: day(queuedAt), to: day(queuedAt), kind: 'pdf' } as const
    expect((await history.handlers['history.saveHistory'](onQueuedDay)).ok).toBe(false)
  })

  test('a record’s changes are in the order in which they were sent', async () => {
    const world = new World()
    const id = world.service.add('customer', { Name: 'Cedar', Phone: '1' })
    for (const Phone of ['2', '3', '4']) {
      await world.sendAndSettle([world.draftChange(id, { Phone })])
      world.clock.time += DAY
    }
    // The one that was queued second was sent last, as after a pause.
    const [, second] = world.operations()
    world.end()
    const database = new DatabaseSync(world.path)
    database
      .prepare(
        `UPDATE requests SET sent_at = '2026-03-20T09:00:00.000Z', digest = NULL
         WHERE request_key IN (SELECT request_key FROM attempts WHERE operation_id = ?)`,
      )
      .run(second?.operationId ?? '')
    database.close()
    const history = new History(
      new World({ folder: world.folder, service: world.service, clock: world.clock }),
    )
    const sent: string[] = []
    for (let cursor = ''; ;) {
      const which = { of: 'record', company: COMPANY, object: 'customer', recordId: id } as const
      const query = { which, outcome: null, text: '', cursor, limit: 1 } as const
      const page = value(await history.handlers['history.records'](query))
      sent.push(...page.records.map(({ fields }) => textOf(fields[0]?.sent ?? '')))
      if (page.next === '') break
      cursor = page.next
    }
    expect(sent).toEqual(['3', '4', '2'])
  })

  test('what undoes it, and what was undone, are named by when they were sent', async () => {
    const world = new World()
    const history = new History(world)
    const id = world.service.add('customer', { Name: 'Alder', Phone: '1' })
    await world.sendAndSettle([world.draftChange(id, { Phone: '2' })])
    const sent = history.latest()
    const { draftIds } = value(await history.undo([sent]))
    world.service.fault = (method) => (method === 'PATCH' ? 'not-sent' : 'none')
    await world.sendAndSettle(draftIds)
    world.clock.time += 2 * DAY
    world.service.fault = () => 'none'
    const undoneAt = new Date(world.clock.now()).toISOString()
    await resume(world)
    const [back, first] = await history.ofRecord(id)
    expect(back?.at).toBe(undoneAt)
    expect(first?.undoneBy?.at).toBe(undoneAt)
    expect(back?.undoes?.at).toBe(first?.at)
    const { entries } = await history.entries()
    expect(entries[1]?.undoneBy[0]?.at).toBe(undoneAt)
    expect(entries[0]?.undoes[0]?.at).toBe(entries[1]?.at)
    expect((await history.plan([sent])).records[0]?.refused).toMatchObject({ at: undoneAt })
  })
})

describe('retention', () => {
  test('deletes operations that ended before. Unsettled, not accepted, and undone ones stay', async () => {
    const { world, history } = await sentWorld(2)
    const [kept, old] = world.operations()
    value(await history.undo([kept?.operationId ?? '']))
    world.service.refusal = () => 'No.'
    await world.sendAndSettle([world.draftInsert({ Name: 'Refused' })])
    world.service.refusal = () => null
    world.service.fault = (method) => (method === 'GET' ? 'dropped-before' : 'dropped-after')
    await world.sendAndSettle([world.draftInsert({ Name: 'In doubt' })])
    expect(world.states()).toEqual(['acked', 'acked', 'rejected', 'unknown'])

    await world.store.journal.trim('2030-01-01T00:00:00Z')
    expect(world.states()).toEqual(['acked', 'rejected', 'unknown'])
    expect(world.operations().map(({ operationId }) => operationId)).not.toContain(old?.operationId)
    expect(world.drafts()).toHaveLength(3)
    // Its search words were deleted with it. Operations that were sent along with it are still there.
    expect((await history.entries({ text: '555-1' })).entries).toEqual([])
    const inDoubt = world.writer.requests(history.latest())
    expect(inDoubt).toHaveLength(1)
  })

  test('leaves no byte of it in the file, in the log beside it, or in what a restore set aside', async () => {
    const world = new World()
    const id = world.service.add('customer', { Name: 'canaryname', Phone: 'canarybefore' })
    const draftId = world.draftChange(id, { Phone: 'canaryphone' })
    keepShared(world, multiCompanyChange([draftId]))
    await world.sendAndSettle([draftId])
    const aside = join(world.folder, 'bookbridge.sqlite.before-restore-2026-02-01T09-00-00.000Z')
    await world.store.backup.copyTo(aside)
    expect(bytesOf(world.folder)).toContain('canaryphone')
    await world.store.journal.trim('2030-01-01T00:00:00Z')
    expect(world.states()).toEqual([])
    for (const canary of ['canaryname', 'canarybefore', 'canaryphone', 'canaryshared', 'canarynow']) {
      expect(bytesOf(world.folder), canary).not.toContain(canary)
    }
  })

  test('a change in several companies is saved with its drafts or not at all', () => {
    const world = new World()
    const draftOf = (draftId: string, recordId: string): DraftState => ({
      ...{ draftId, company: COMPANY, object: 'customer', kind: 'change', recordId, before: {} },
      edits: [{ path: 'Phone', was: '1', now: '2' }],
      changedAt: '2026-03-01T09:00:00Z',
    })
    const add = (change: MultiCompanyChange, drafts: readonly DraftState[]): MultiCompanyChange =>
      world.store.multiCompanyChanges.add(change, drafts, (planned, reasons) => ({
        ...planned,
        now: [...reasons.keys()].join(),
      }))
    const draftIds = () => world.store.drafts.list(COMPANY, 'customer').map(({ draftId }) => draftId)
    add(multiCompanyChange(['a'], { changeId: 'first' }), [draftOf('a', '1')])
    expect(draftIds()).toEqual(['a'])
    // The change itself can't be saved, so neither are its drafts.
    expect(() => add(multiCompanyChange(['b'], { changeId: 'first' }), [draftOf('b', '2')])).toThrow()
    expect(draftIds()).toEqual(['a'])
    // A record that has a draft already is left out, and the change says so.
    const second = add(multiCompanyChange(['c', 'd'], { changeId: 'second' }), [
      draftOf('c', '1'),
      draftOf('d', '2'),
    ])
    expect(second.now).toBe('c')
    expect(world.store.multiCompanyChanges.get('second')?.now).toBe('c')
    expect(draftIds()).toEqual(['a', 'd'])
  })

  test('deletes a change in several companies with the last of it, unless it is running or new', async () => {
    const { world } = await sentWorld(1)
    const [sent] = world.operations()
    const draftId = world.draftInsert({ Name: 'Not sent yet' })
    const add = (
      changeId: string,
      draftIds: readonly string[],
      change: Partial<MultiCompanyChange> = {},
    ): void => {
      keepShared(world, multiCompanyChange(draftIds, { changeId, ...change }))
    }
    add('history', [sent?.draftId ?? ''])
    add('discarded', ['taken back'], { state: 'draft' })
    add('one draft left', ['taken back', sent?.draftId ?? '', draftId], { state: 'stopped' })
    add('running', [sent?.draftId ?? ''], { state: 'running' })
    add('new', [sent?.draftId ?? ''], { createdAt: '2030-01-01T00:00:00Z' })
    const left = () => world.store.multiCompanyChanges.all().map(({ changeId }) => changeId)
    // Its operations ended after that time.
    await world.store.journal.trim('2026-01-01T00:00:00Z')
    expect(left()).toHaveLength(5)
    await world.store.journal.trim('2030-01-01T00:00:00Z')
    expect(world.states()).toEqual([])
    expect(left().toSorted()).toEqual(['new', 'one draft left', 'running'])
    // A sent record doesn't count as a discarded draft.
    const records = world.store.multiCompanyChanges.get('one draft left')?.items[0]?.records
    expect(records?.map(({ isTrimmed }) => isTrimmed)).toEqual([false, true, false])
  })

  test('says which file to delete if a restore set aside one of another version', async () => {
    const folder = testFolder()
    const aside = join(folder, 'bookbridge.sqlite.before-restore-2026-02-01T09-00-00.000Z')
    writeFileSync(aside, await databaseWithEveryTable())
    const older = new DatabaseSync(aside)
    older.exec('ALTER TABLE operations RENAME TO operations_of_then')
    older.close()
    const { store } = new World({ folder })
    await expect(store.journal.trim('2030-01-01T00:00:00Z')).rejects.toMatchObject({
      error: { advice: `Delete this file yourself: ${aside}` },
    })
  })

  test('runs once a day while the computer is idle, by the current setting, and never during a request', async () => {
    const { retention, clock, trimmed, state } = keeping()
    retention.start()
    expect(trimmed).toEqual([])
    state.idleSeconds = 3_000
    state.isBusy = true
    expect(clock.next(600_000)).toBe(true)
    expect(trimmed).toEqual([])
    state.isBusy = false
    expect(clock.next(600_000)).toBe(true)
    state.historyDays = 10
    while (trimmed.length < 2) expect(clock.next(600_000)).toBe(true)
    expect(trimmed).toEqual(['2025-03-01T09:20:00.000Z', '2026-02-20T09:20:00.000Z'])
    await retention.stop()
    expect(clock.next(10 * 86_400_000)).toBe(false)
    expect(trimmed).toHaveLength(2)
  })

  test('runs when the program ends, if the computer was never idle', async () => {
    const { retention, trimmed, state } = keeping()
    retention.start()
    expect(state.rewritten).toBe(0)
    await retention.stop()
    await retention.stop()
    expect(trimmed).toEqual(['2025-03-01T09:00:00.000Z'])
    expect(state.rewritten).toBe(1)
  })
})

/** A retention of 365 days on a computer in use, and what it has deleted. */
function keeping() {
  const clock = new TestClock()
  const trimmed: string[] = []
  const state = { historyDays: 365, idleSeconds: 0, isBusy: false, rewritten: 0 }
  const retention = createRetention({
    journal: {
      trim: (before) => {
        trimmed.push(before)
        return Promise.resolve()
      },
    },
    imports: { trim: () => undefined },
    rewrite: () => {
      state.rewritten += 1
      return Promise.resolve()
    },
    settings: { get: () => ({ ...DEFAULT_SETTINGS, historyDays: state.historyDays }) },
    clock,
    idleSeconds: () => state.idleSeconds,
    isBusy: () => state.isBusy,
    failed: () => undefined,
  })
  return { retention, clock, trimmed, state }
}

describe('deleting a company’s data', () => {
  const LEFT_OUT = ['canaryleftout', 'canaryunchecked']
  const CANARIES = [
    'canaryname',
    'canaryphone',
    'canarybefore',
    'canarylabel',
    'canarydraft',
    'canaryline',
    ...LEFT_OUT,
  ]

  async function canaryWorld(): Promise<{ readonly world: World; readonly history: History }> {
    const world = new World()
    const history = new History(world)
    world.store.companies.annotate(COMPANY, { label: 'canarylabel' })
    const id = world.service.add('customer', { Name: 'canaryname', Phone: 'canarybefore' })
    await world.sendAndSettle([world.draftChange(id, { Phone: 'canaryphone' })])
    world.draftChange(id, { Email: 'canarydraft' })
    const companyName = 'canaryleftout'
    const leftOut = [{ endpointId: COMPANY.endpointId, companyName, recordName: '', reason: 'Read only.' }]
    keepShared(world, multiCompanyChange(['a'], { changeId: 'left out', leftOut }))
    // None of its records was sent.
    const { companies } = multiCompanyChange([])
    const unchecked = companies.map((each) => ({ ...each, company: COMPANY, companyName: 'canaryunchecked' }))
    keepShared(
      world,
      multiCompanyChange(['b'], { changeId: 'unchecked', companies: [...companies, ...unchecked] }),
    )
    keepShared(world, multiCompanyChange(['c'], { changeId: 'of others' }))
    world.store.requestLog.put({
      entryId: 'line',
      at: '2026-03-01T09:00:00Z',
      connectionId: COMPANY.connectionId,
      companyName: 'canaryline',
      company: COMPANY,
      what: 'Reading',
      method: 'GET',
      path: '/canaryline',
      isWrite: false,
      outcome: 'answered',
      says: '',
      code: '',
      status: 200,
      milliseconds: 1,
      bytes: 1,
      requestId: '',
      batchId: '',
      reads: null,
      reviewedMonth: null,
    })
    return { world, history }
  }

  test('leaves no byte of it in the file or in the log beside it, and keeps another company’s', async () => {
    const { world, history } = await canaryWorld()
    const other = { connectionId: COMPANY.connectionId, endpointId: 'e2' }
    world.store.companies.put(storedCompany({ ref: other, label: 'the other company' }))
    const ofItself = multiCompanyChange(['d'], { changeId: 'of itself' })
    const items = ofItself.items.map((item) => ({ ...item, endpointId: COMPANY.endpointId }))
    keepShared(world, { ...ofItself, items })
    const before = world.store.multiCompanyChanges.all().filter(({ changeId }) => changeId !== 'of itself')
    for (const canary of CANARIES) expect(bytesOf(world.folder), canary).toContain(canary)
    expect(world.store.history.counts(COMPANY)).toEqual({
      drafts: 1,
      records: 1,
      closedMonths: 0,
      sending: 0,
    })

    history.settings = { ...history.settings, lastCompany: COMPANY }
    value(await history.handlers['history.deleteCompany']({ company: COMPANY }))
    expect(history.settings.lastCompany).toBeNull()
    // The program keeps running: the file is inspected as it is now.
    for (const canary of CANARIES) expect(bytesOf(world.folder), canary).not.toContain(canary)
    expect(world.store.companies.list(COMPANY.connectionId).map(({ label }) => label)).toEqual([
      'the other company',
    ])
    // The other companies' parts of changes stay, and a running change doesn't restore the deleted part.
    const whole = world.store.multiCompanyChanges.all()
    expect(whole.map(({ changeId }) => changeId).toSorted()).toEqual(['left out', 'of others', 'unchecked'])
    for (const change of before) world.store.multiCompanyChanges.put(change)
    expect(world.store.multiCompanyChanges.all()).toEqual(whole)
    for (const { companies, items, leftOut } of whole) {
      expect([companies.length, items.length, leftOut.length]).toEqual([1, 1, 0])
    }
    expect((await history.entries()).entries).toEqual([])
  })

  test('leaves none in what a restore set aside either, where another company’s stays', async () => {
    const { world, history } = await canaryWorld()
    const other = { connectionId: COMPANY.connectionId, endpointId: 'e2' }
    world.store.companies.put(storedCompany({ ref: other, label: 'the other company' }))
    const name = 'bookbridge.sqlite.before-restore-2026-02-01T09-00-00.000Z'
    await world.store.backup.copyTo(join(world.folder, name))
    value(await history.handlers['history.deleteCompany']({ company: COMPANY }))
    for (const canary of CANARIES) expect(bytesOf(world.folder), canary).not.toContain(canary)
    expect(readFileSync(join(world.folder, name), 'latin1')).toContain('the other company')
  })

  test('deletes a long history in steps, between which everything else continues, and its last traces when idle', async () => {
    const { world } = await canaryWorld()
    const other = { connectionId: COMPANY.connectionId, endpointId: 'e2' }
    world.store.companies.put(storedCompany({ ref: other, label: 'the other company' }))
    const name = 'bookbridge.sqlite.before-restore-2026-02-01T09-00-00.000Z'
    world.end()
    lengthenHistory(world.path)
    const store = value(openStore(world.path, { now: () => world.clock.now() }))
    onTestFinished(() => {
      store.close()
    })
    await store.backup.copyTo(join(world.folder, name))
    let others = 0
    let isDeleting = true
    const elsewhere = (): void => {
      if (!isDeleting) return
      others += 1
      store.companies.opened(other, '2026-03-01T09:00:00Z')
      setImmediate(elsewhere)
    }
    setImmediate(elsewhere)
    await store.journal.deleteCompany(COMPANY)
    isDeleting = false
    expect(others).toBeGreaterThan(3)
    expect(store.history.counts(COMPANY).records).toBe(0)
    await store.rewrite()
    for (const canary of CANARIES) expect(bytesOf(world.folder), canary).not.toContain(canary)
    for (const file of [world.path, join(world.folder, name)]) {
      expect(statSync(file).size).toBeLessThan(1024 * 1024)
      expect(readFileSync(file, 'latin1')).toContain('the other company')
    }
  })

  test('includes what isn’t confirmed, which is no longer rechecked', async () => {
    const { world, history } = await canaryWorld()
    world.service.fault = (method) => (method === 'GET' ? 'dropped-before' : 'dropped-after')
    await world.sendAndSettle([world.draftInsert({ Name: 'In doubt' })])
    expect(world.states()).toEqual(['acked', 'unknown'])
    value(await history.handlers['history.deleteCompany']({ company: COMPANY }))
    expect(world.states()).toEqual([])
    // The pending recheck finds nothing to check.
    await world.settle()
    expect(world.defects).toEqual([])
  })

  test('is refused while something is being sent', async () => {
    const { world, history } = await canaryWorld()
    const raw = { company: COMPANY }
    value(world.send([world.draftInsert({ Name: 'On its way' })]))
    const answers: unknown[] = []
    world.service.step = (name) => {
      if (name === 'leaves' && world.states().includes('sending')) {
        answers.push(resultOfAsync(async () => history.handlers['history.deleteCompany'](raw)))
      }
    }
    await world.settle()
    expect(await answers[0]).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
    expect(world.states().at(-1)).toBe('acked')
  })
})

/** Copies each operation until the file is too large to be rewritten at once. */
function lengthenHistory(path: string): void {
  const raw = new DatabaseSync(path)
  raw.exec(`CREATE TEMP TABLE numbers AS
    WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 3000) SELECT n FROM counted`)
  const columns = raw
    .prepare('PRAGMA table_info(operations)')
    .all()
    .map(({ name }) => String(name))
  const values = columns.map((name) =>
    name === 'operation_id' || name === 'record_id'
      ? `${name} || n`
      : name === 'before'
        ? `json_set(before, '$.Notes', '${'canaryname '.repeat(300)}')`
        : name,
  )
  raw.exec(
    `INSERT INTO operations (${columns.join(', ')}) SELECT ${values.join(', ')} FROM operations, numbers`,
  )
  raw.close()
}

test('only the owner can read the file and the log beside it', async () => {
  const { world } = await sentWorld(1)
  if (process.platform === 'win32') return
  for (const name of readdirSync(world.folder)) {
    expect(statSync(join(world.folder, name)).mode & 0o077, name).toBe(0)
  }
})
