// Decisions of the companies and activity screens: comparing files, collecting users, and filtering rows and the log.
import '../runes.ts'
import type { Snippet } from 'svelte'
import { describe, expect, test, vi } from 'vitest'
import { COMPANY_FILES } from '../../../electron/sample/profiles/company-files.ts'
import {
  ActivityModel,
  groupLog,
  groupOutcome,
  groupTitle,
  logForSupport,
} from '../../../renderer/activity/activity-model.svelte.ts'
import type { Api } from '../../../renderer/api.ts'
import { isHelpedByCertificate, isPlainLoopback } from '../../../renderer/companies/connect-form.svelte.ts'
import { TokenNote } from '../../../renderer/companies/details/token-note.svelte.ts'
import { companyColumns, rowsInOrder } from '../../../renderer/companies/list/columns.ts'
import { allRows, type CompaniesRow, filterRows, RowTexts } from '../../../renderer/companies/list/rows.ts'
import { SAMPLE_COMPANIES } from '../../../renderer/companies/sample-companies.ts'
import { unfinishedInBooks } from '../../../renderer/companies/unfinished.ts'
import { formerLabel, foundUsers, knownUsers } from '../../../renderer/companies/wizard/setup.svelte.ts'
import { chosenUserId, stepOf, stepProblems, userValue } from '../../../renderer/companies/wizard/steps.ts'
import { returnedBooks } from '../../../renderer/companies/wizard/verdict.ts'
import { knownFacts, progressBetween, reportedProblem } from '../../../renderer/companies/wizard/wait.ts'
import type { Session } from '../../../renderer/frame/session.svelte.ts'
import { companyOf } from '../../../renderer/frame/session.svelte.ts'
import { decidedCompanies } from '../../../renderer/frame/undecided.ts'
import { columnsThatFit } from '../../../renderer/ui/table/data-table.svelte.ts'
import { withScheme } from '../../../shared/address.ts'
import { BANDS } from '../../../shared/companies/bands.ts'
import { compareFile, compareName, fileNameOf, namedBooks } from '../../../shared/companies/companies.ts'
import type { LogEntry } from '../../../shared/contract/activity.ts'
import type { Company, Provisioning, SetupAttempt } from '../../../shared/contract/companies.ts'
import { Format } from '../../../shared/format/format.ts'
import { appError, err, type ErrorKind, ok } from '../../../shared/result.ts'
import { standIn } from '../records/list/stand-in.ts'

const company = (change: Partial<Company> & { readonly id?: string }): Company => ({
  ref: { connectionId: 'c', endpointId: change.id ?? change.companyName ?? 'e' },
  companyName: 'Alder & Finch',
  application: 'qbd',
  applicationName: 'Desktop',
  fullPath: '',
  version: '',
  createdAt: '',
  lastAccessAt: '',
  isActive: true,
  userId: '',
  recordId: '',
  externalId: '',
  appName: '',
  isHosted: null,
  listedBy: 'v2',
  isListed: true,
  hasToken: false,
  unfinished: { drafts: 0, notAccepted: 0, notConfirmed: 0, decisions: 0, changedMeanwhile: 0 },
  openedAt: '',
  label: '',
  initials: '',
  band: 'sea',
  notes: '',
  fiscalYearStart: 1,
  basis: 'unknown',
  readOnly: false,
  keepsLists: true,
  favorite: false,
  ...change,
})

const provisioning = (change: Partial<SetupAttempt>): SetupAttempt => ({
  again: null,
  provisioningId: 'p',
  connectionId: 'c',
  application: 'qbd',
  userId: 'u',
  expectedFile: 'C:\\Books\\Juniper.qbw',
  state: 'waiting',
  newUser: null,
  stoppedWaiting: false,
  queuedAt: '2026-11-21T09:00:00Z',
  sentAt: '2026-11-21T09:02:00Z',
  lastRecheckedAt: null,
  nextRecheckAt: null,
  company: null,
  before: 'not-there',
  place: 'here',
  error: null,
  ...change,
})

const logEntry = (change: Partial<LogEntry>): LogEntry => ({
  entryId: 'l',
  at: '2026-11-21T09:00:00Z',
  connectionId: 'c',
  companyName: 'Alder & Finch',
  company: null,
  what: 'Reading customers',
  method: 'GET',
  path: '/v2/data/e/customer',
  isWrite: false,
  outcome: 'answered',
  says: '12 records',
  code: '',
  status: 200,
  milliseconds: 10,
  bytes: 10,
  requestId: 'r-1',
  batchId: '',
  reads: null,
  reviewedMonth: null,
  ...change,
})

describe('comparing the returned file with the named one', () => {
  test.each([
    ['C:\\Books\\Juniper.qbw', 'c:/books/juniper.QBW', 'same'],
    ['"Juniper  2026.qbw"', 'C:\\Books\\Juniper 2026.qbw', 'same-name'],
    ['Juniper 2026', 'C:\\Books\\Juniper 2026.qbw', 'same-name'],
    ['D:\\Books\\Juniper.qbw', 'E:\\Books\\Juniper.qbw', 'same-name'],
    ['C:\\Old\\Juniper.qbw', 'C:\\Books\\Juniper.qbw', 'different'],
    ['Juniper.qbw', 'C:\\Books\\Juniper.qbm', 'different'],
    ['Juniper', 'C:\\Books\\Juniper Ridge.qbw', 'different'],
    ['St. Brendan', 'C:\\Books\\St. Brendan.qbw', 'same-name'],
    ['Ridge v2.10', 'C:\\Books\\Ridge v2.10.qbw', 'same-name'],
    ['Ridge v2', 'C:\\Books\\Ridge v2.10', 'different'],
    ['J.qbw', 'C:\\Books\\J', 'same-name'],
    ['', 'C:\\Books\\Juniper.qbw', 'unnamed'],
    ['Juniper.qbw', '', 'no-path'],
  ])('%s against %s: %s', (named, returned, expected) => {
    expect(compareFile(named, returned)).toBe(expected)
  })

  test.each([
    ['Food/Drink Ltd', 'food/drink  ltd', 'same'],
    ['Drink Ltd', 'Food/Drink Ltd', 'different'],
    ['', 'Food/Drink Ltd', 'unnamed'],
    ['Food/Drink Ltd', '', 'no-path'],
  ])('online the name “%s” against “%s”: %s, a slash being part of a name', (named, returned, expected) => {
    expect(compareName(named, returned)).toBe(expected)
  })

  test('doesn’t mention a file for online books, or a missing name', () => {
    const said = (application: string, expectedFile: string, companyName = '') => {
      const { kind, title, message } = returnedBooks(
        { expectedFile },
        company({ application, companyName, fullPath: '' }),
      ).verdict
      return `${kind}: ${title} ${message}`
    }
    for (const [named, returned] of [
      ['', ''],
      ['', 'Finch'],
      ['Finch', ''],
      ['Finch', 'Alder'],
    ]) {
      expect(said('qbo', named ?? '', returned)).not.toMatch(/file|path/)
    }
    expect(said('qbo', '')).toMatch(/^caution: The service returned no name, and you named none/)
    expect(said('qbo', '')).not.toContain('above')
    expect(said('qbd', 'a.qbw')).not.toContain('above')
  })

  test('the last part of a path of either system', () => {
    expect(fileNameOf('\\\\NAS\\books\\BHPM Trust.qbw')).toBe('BHPM Trust.qbw')
    expect(fileNameOf('/books/BHPM Trust.qbw/')).toBe('BHPM Trust.qbw')
  })
})

test('a setup is named by its file without folders, or by its full name online', () => {
  expect(namedBooks(provisioning({}))).toBe('Juniper.qbw')
  expect(namedBooks(provisioning({ application: 'qbo', expectedFile: ' Food/Drink Ltd ' }))).toBe(
    'Food/Drink Ltd',
  )
})

describe('choosing whose books', () => {
  const companies = [
    company({ companyName: 'Beech', userId: 'u1' }),
    company({ companyName: 'Alder', userId: 'u1', isActive: false }),
    company({ companyName: 'Cedar', userId: 'u2' }),
    company({ companyName: 'Nobody’s' }),
  ]

  test('users are known by their companies, active ones first', () => {
    expect(knownUsers(companies).map(({ userId, names }) => [userId, names])).toEqual([
      ['u1', 'Beech, Alder (inactive)'],
      ['u2', 'Cedar'],
    ])
  })

  test('many users are sorted naturally, and found by company, file, or ID', () => {
    const many = knownUsers(
      [102, 12, 3].map((number) =>
        company({
          companyName: `Client ${number}`,
          userId: `u-${number}`,
          fullPath: `C:\\${number}\\ledger.qbw`,
        }),
      ),
    )
    expect(many.map(({ userId }) => userId)).toEqual(['u-3', 'u-12', 'u-102'])
    const found = (search: string) => foundUsers(many, search).map(({ userId }) => userId)
    expect(found('CLIENT 12')).toEqual(['u-12'])
    expect(found('102\\ledger')).toEqual(['u-102'])
    expect(found('u-3')).toEqual(['u-3'])
    expect(found('nobody')).toEqual([])
  })

  test('no user is preselected, and a new user has no ID yet', () => {
    const choices = { application: 'qbd', user: '', pastedUserId: ' ', file: '', place: 'here' } as const
    expect(stepProblems(1, { ...choices, application: '' })).toHaveProperty('application')
    expect(stepProblems(2, choices)).toHaveProperty('user')
    expect(stepProblems(2, { ...choices, user: 'pasted' })).toHaveProperty('pastedUserId')
    expect(stepProblems(3, choices)).toHaveProperty('file')
    expect(stepProblems(3, { ...choices, application: 'qbo' })).toEqual({})
    expect(chosenUserId({ ...choices, user: 'new' })).toBeNull()
    expect(chosenUserId({ ...choices, user: userValue('u 1') })).toBe('u 1')
  })
})

test('a former label is offered for the same path only', () => {
  const returned = company({ companyName: 'New', fullPath: 'C:\\A.qbw' })
  const before = company({ companyName: 'Old', fullPath: 'c:\\a.QBW', label: 'Dana’s', isActive: false })
  expect(formerLabel(returned, [returned, before])).toBe('Dana’s')
  expect(formerLabel({ ...returned, fullPath: '' }, [before])).toBe('')
})

describe('rows of the companies screen', () => {
  const active = company({ companyName: 'Alder', notes: 'ask Dana' })
  const inactive = company({ companyName: 'Beech', isActive: false })
  const ids = (
    ...[filter, search, provisionings = []]: [
      filter: 'active' | 'inactive' | 'all',
      search: string,
      provisionings?: SetupAttempt[],
    ]
  ) =>
    filterRows(allRows([active, inactive], provisionings), filter, search, (row) => texts.of(row).search).map(
      ({ id }) => id,
    )
  const texts = new RowTexts(new Format({ locale: 'en-US', negatives: 'minus' }), 'en-US')

  test('are filtered by state, and by words in any field', () => {
    expect(ids('active', '')).toEqual(['Alder'])
    expect(ids('inactive', '')).toEqual(['Beech'])
    expect(ids('all', 'DANA alder')).toEqual(['Alder'])
    expect(ids('all', 'dana beech')).toEqual([])
  })

  test('a setup that waits for authorization is a row until it is kept or discarded', () => {
    expect(ids('active', '', [provisioning({})])).toEqual(['Alder', 'p'])
    expect(ids('inactive', '', [provisioning({})])).toEqual(['Beech'])
    expect(ids('active', '', [provisioning({ state: 'kept' }), provisioning({ state: 'dropped' })])).toEqual([
      'Alder',
    ])
  })

  test('the attempts of one setup are one row, until an earlier one succeeds', () => {
    const first = provisioning({ provisioningId: '1', state: 'waiting', sentAt: '2026-03-01T09:00:00Z' })
    const second = provisioning({ provisioningId: '2', state: 'waiting', again: '1' })
    const shown = (...tries: SetupAttempt[]) =>
      allRows([], tries).map((row) => `${row.id}: ${texts.of(row).unfinished}`)
    expect(shown(second, first)).toEqual(['2: Waiting for authorization, attempt 2'])
    expect(shown({ ...second, state: 'kept' }, first)).toEqual([])
    expect(shown({ ...second, state: 'kept' }, { ...first, state: 'arrived' })).toEqual([
      '1: Is this the right file?',
    ])
    expect(shown({ ...second, state: 'dropped' }, first)).toEqual(['1: Waiting for authorization'])
  })

  test('a new company with an unconfirmed file is listed once, as waiting', () => {
    const arrived = provisioning({ state: 'arrived', company: active.ref })
    expect(ids('active', '', [arrived])).toEqual(['p'])
    expect(ids('active', 'alder', [arrived])).toEqual(['p'])
    expect(ids('active', '', [{ ...arrived, before: 'active' }])).toEqual(['Alder', 'p'])
  })

  test('it is the same company even if its setup spells the ID in another case', () => {
    const listed = company({ id: 'EP-1', companyName: 'Finch' })
    const arrived = provisioning({ state: 'arrived', company: { connectionId: 'c', endpointId: 'ep-1' } })
    const rows = allRows([listed], [arrived])
    expect(rows.map((row) => row.kind === 'waiting' && row.title)).toEqual(['Finch'])
    expect(companyOf([listed], arrived.company)).toBe(listed)
    expect(companyOf([listed], { connectionId: 'other', endpointId: 'EP-1' })).toBeNull()
    const namesake = company({ id: 'ep-1' })
    expect(companyOf([listed, namesake], arrived.company)).toBe(namesake)
  })

  test('and it isn’t offered anywhere else until its file is confirmed', () => {
    const arrived = provisioning({ state: 'arrived', company: active.ref })
    const offered = (set: Provisioning) =>
      decidedCompanies([active, inactive], [set]).map(({ ref }) => ref.endpointId)
    expect(offered(arrived)).toEqual(['Beech'])
    expect(offered({ ...arrived, state: 'kept' })).toEqual(['Alder', 'Beech'])
    expect(offered({ ...arrived, before: 'active' })).toEqual(['Alder', 'Beech'])
  })

  test('an action on several companies follows the shown order, with numbers as numbers', () => {
    const rows = allRows(
      ['Client 10', 'Client 2', 'Client 1'].map((name) => company({ companyName: name })),
      [],
    )
    const ordered = (direction: 'ascending' | 'descending') =>
      rowsInOrder(rows, { columnId: 'name', direction }, (row) => texts.of(row).name).map(({ id }) => id)
    expect(ordered('ascending')).toEqual(['Client 1', 'Client 2', 'Client 10'])
    expect(ordered('descending')).toEqual(['Client 10', 'Client 2', 'Client 1'])
  })

  test('an earlier unconfirmed de-provisioning isn’t unfinished work in the books', () => {
    const finch = company({
      id: 'f',
      unfinished: { drafts: 2, notAccepted: 0, notConfirmed: 3, decisions: 0, changedMeanwhile: 0 },
    })
    const item = { object: '', since: '', companyName: '', provisioningId: '' } as const
    const ending = { ...item, company: finch.ref, kind: 'deprovisioning', count: 1 } as const
    const other = { ...ending, company: { connectionId: 'c', endpointId: 'g' } }
    expect(unfinishedInBooks(finch, [ending, other])).toMatchObject({ drafts: 2, notConfirmed: 2 })
  })
})

test('at 1280 px, the list fits without horizontal scrolling, even while one waits', () => {
  const texts = new RowTexts(new Format({ locale: 'en-US', negatives: 'minus' }), 'en-US')
  const drawn = standIn<Snippet<[CompaniesRow]>>(() => undefined)
  // The longest that a moment is told in: “Yesterday 10:23 PM”.
  const lateYesterday = new Date()
  lateYesterday.setDate(lateYesterday.getDate() - 1)
  lateYesterday.setHours(22, 23)
  const yesterday = lateYesterday.toISOString()
  const listed = company({
    companyName: 'Hollis & Vane Landscape Architects and their daughters and sons, Inc.',
    fullPath: String.raw`\\SERVER\Books\Hollis & Vane\Hollis & Vane Landscape Architects.qbw`,
    version: 'Premier Contractor Edition 2024',
    createdAt: '2024-02-29T10:00:00Z',
    lastAccessAt: yesterday,
  })
  const waiting = provisioning({ state: 'waiting', queuedAt: yesterday, sentAt: yesterday })
  // The window less the rail, in rem of 16 px.
  const room = (1280 - 226) / 16
  const answer = { cell: drawn, text: () => 'Yesterday 10:23 PM', compare: () => 0 }
  const needed = (set: readonly SetupAttempt[]): number =>
    columnsThatFit(
      companyColumns(allRows([listed], set), texts, {
        name: drawn,
        unfinished: drawn,
        file: drawn,
        isActiveShown: true,
        answer,
      }),
      room,
      'name',
    ).reduce((sum, { rem }) => sum + rem, 0)
  expect(needed([])).toBeLessThanOrEqual(room)
  expect(needed([waiting])).toBeLessThanOrEqual(room)
})

test('with little room, columns that the panel repeats are hidden first, the company’s own fields last', () => {
  const texts = new RowTexts(new Format({ locale: 'en-US', negatives: 'minus' }), 'en-US')
  const dated = { createdAt: '2024-02-29T10:00:00Z', lastAccessAt: '2026-11-20T08:15:00Z' }
  const rows = allRows([company({ ...dated, version: 'Enterprise 24.0', notes: 'ask Dana' })], [])
  const drawn = standIn<Snippet<[CompaniesRow]>>(() => undefined)
  const answer = { cell: drawn, text: () => '', compare: () => 0 }
  const cells = { name: drawn, unfinished: drawn, file: drawn, isActiveShown: true, answer }
  const shown = columnsThatFit(companyColumns(rows, texts, cells), 20, null).map(({ header }) => header)
  expect(shown).toEqual(['Company', 'Application', 'Active'])
  const roomier = columnsThatFit(companyColumns(rows, texts, cells), 56, null).map(({ header }) => header)
  expect(roomier).toEqual(expect.arrayContaining(['Last used', 'Year starts']))
  expect(roomier).not.toContain('Company file')
})

test('the error of a token that couldn’t be copied names its company until another one is chosen or the list is read', async () => {
  const [alder, finch] = [company({ companyName: 'Alder' }), company({ companyName: 'Finch' })]
  const refused = err(appError('not-found', 'The service gave no token.'))
  const note = new TokenNote(standIn<Api>({ call: () => Promise.resolve(refused) }))
  await note.copy(alder, '09:00')
  expect(note.errorOf(alder, '09:00')?.message).toBe('Agent token of Alder: The service gave no token.')
  expect(note.errorOf(finch, '09:00')).toBeNull()
  expect(note.errorOf(null, '09:00')).toBeNull()
  expect(note.errorOf(alder, '09:05')).toBeNull()
})

describe('the wait shows what is known, and nothing else', () => {
  test('says not sent, sent without an answer, or being checked', () => {
    const words = (change: Partial<Provisioning>) =>
      knownFacts(provisioning(change)).map(({ strong, text: said }) => strong || said)
    expect(words({ state: 'queued', sentAt: null })).toEqual(['Nothing has been sent.'])
    expect(words({ state: 'sending' })).toEqual(['Company requested (Desktop)', 'No response yet.'])
    expect(words({ lastRecheckedAt: '2026-11-21T09:12:00Z' })).toHaveLength(3)
  })

  test('while it may have been set up, no advice says to try again, but the computer’s own advice stays', () => {
    const trouble = (state: Provisioning['state'], kind: ErrorKind) =>
      reportedProblem(
        provisioning({ state, error: appError(kind, 'What happened.', 'Try again in a moment.') }),
      )
    expect(trouble('waiting', 'dropped')).toBeNull()
    expect(trouble('waiting', 'unreachable')?.advice).toContain('a second company may be billed too')
    expect(trouble('waiting', 'service-error')?.advice).not.toContain('Try again in a moment')
    expect(trouble('waiting', 'company-unavailable')?.advice).toBe('Try again in a moment.')
    expect(trouble('refused', 'service-error')?.advice).toBe('Try again in a moment.')
  })

  test('a setup is resumed at its file as soon as there is a company', () => {
    expect(stepOf(provisioning({}))).toBe(4)
    expect(stepOf(provisioning({ state: 'dropped', company: { connectionId: 'c', endpointId: 'e' } }))).toBe(
      5,
    )
  })

  test('the mark stays on the ruler', () => {
    expect([
      progressBetween(0, 50, 100),
      progressBetween(0, 500, 100),
      progressBetween(0, -5, 100),
      progressBetween(5, 5, 5),
    ]).toEqual([0.5, 1, 0, 1])
  })
})

describe('an address as people type it', () => {
  test('without a scheme it is https; plain http is marked on this computer only', () => {
    expect(withScheme(' service.example.com/api ')).toBe('https://service.example.com/api')
    expect(withScheme('http://127.0.0.1:8080')).toBe('http://127.0.0.1:8080')
    expect(isPlainLoopback('http://localhost:8080')).toBe(true)
    expect(isPlainLoopback('http://service.example.com')).toBe(false)
    expect(isPlainLoopback('https://127.0.0.1')).toBe(false)
    expect(isPlainLoopback('http://127.example.com')).toBe(false)
  })
})

test('a certificate file is offered where it can help', () => {
  const untrusted = (code: string) => appError('untrusted-certificate', 'Not trusted.', '', { code })
  expect(isHelpedByCertificate(untrusted('DEPTH_ZERO_SELF_SIGNED_CERT'))).toBe(true)
  expect(isHelpedByCertificate(untrusted('UNABLE_TO_VERIFY_LEAF_SIGNATURE'))).toBe(true)
  expect(isHelpedByCertificate(untrusted('CERT_HAS_EXPIRED'))).toBe(false)
  expect(isHelpedByCertificate(appError('unreachable', 'Nobody there.'))).toBe(false)
})

describe('the log', () => {
  const read = logEntry({ entryId: '1' })
  const sent = logEntry({ entryId: '2', isWrite: true, at: '2026-11-21T10:00:00Z', requestId: 'r-2' })
  const failed = logEntry({ entryId: '3', outcome: 'abandoned', at: '2026-11-21T11:00:00Z', requestId: '' })

  /** The log after its newest entries were read. Each further read has the next of `reads`. */
  async function logOf(...reads: readonly (readonly LogEntry[])[]): Promise<ActivityModel> {
    const answers = reads.values()
    const call = () => Promise.resolve(ok(answers.next().value))
    const session = standIn<Session>({ connection: null, api: { call, on: () => () => undefined } })
    const model = new ActivityModel(session)
    model.listen()
    await vi.waitFor(() => expect(model.isRead).toBe(true))
    return model
  }

  test('is filtered by writes, failures, and words', async () => {
    const log = await logOf([read, sent, failed])
    expect(log.matching('sent')).toEqual([sent])
    expect(log.matching('failed')).toEqual([failed])
    log.search = 'R-2 alder'
    expect(log.matching('all')).toEqual([sent])
  })

  test('merges overlapping reads into one list, newest first', async () => {
    const model = await logOf([sent, read], [failed, sent])
    await model.readOlder()
    expect(model.log.map(({ entryId }) => entryId)).toEqual(['3', '2', '1'])
  })

  test('groups the requests of a run, keeps the group when others arrive, and sums up how they ended', () => {
    const ofRun = [
      { ...read, entryId: '6', batchId: 'run' },
      { ...failed, entryId: '5', batchId: 'run' },
      { ...read, entryId: '4', batchId: 'run' },
    ]
    const [alone, group, later] = groupLog([read, ...ofRun, { ...read, entryId: '3', batchId: 'other' }])
    expect(alone).toBe(read)
    expect(group).toEqual({ id: 'group run', entries: ofRun })
    expect(later).toMatchObject({ batchId: 'other' })
    const newer = { ...read, entryId: '7', batchId: 'run' }
    expect(groupLog([newer, read, ...ofRun])).toEqual([{ id: 'group run', entries: [newer, ...ofRun] }, read])
    expect(groupOutcome(ofRun)).toMatch(/^2 done, 1 /)
    expect(groupOutcome([read, read])).toBe('Done')
  })

  test('names a group by what the user did, and counts checks of fields as steps of it', () => {
    const at = (second: number): string => `2026-11-21T10:00:${String(second).padStart(2, '0')}Z`
    const step = (what: string, second: number, more: Partial<LogEntry> = {}): LogEntry =>
      logEntry({ entryId: `${what} ${String(second)}`, what, at: at(second), ...more })
    const titleOf = (entries: readonly LogEntry[], run?: string): string =>
      groupTitle(
        entries,
        run,
        ({ what }) => what.replace('Reading', 'Read'),
        new Format({ locale: 'en-US', negatives: 'minus' }),
      )
    const fields = step('Checking which fields vendors have', 3, { reads: 'fields' })
    const read = step('Reading vendors', 2, { reads: 'list' })
    const [customers, terms] = ['customers', 'terms'].map((list, index) =>
      step(`Reading ${list}`, index, { batchId: 'kept', reads: 'list' }),
    )
    if (!customers || !terms) throw new Error('There are two.')
    // Newest first.
    expect(groupLog([fields, read, terms, customers])).toEqual([
      { id: `group ${read.entryId}`, entries: [fields, read] },
      { id: 'group kept', entries: [terms, customers] },
    ])
    expect(titleOf([fields, read])).toBe('Read vendors')
    expect(groupOutcome([fields, read])).toBe('12 records')
    expect(titleOf([terms, customers])).toBe('Read 2 lists')
    // A check of another company, or long after, stands alone.
    const elsewhere = { ...fields, company: { connectionId: 'c', endpointId: 'other' } }
    expect(groupLog([elsewhere, read])).toEqual([elsewhere, read])
    const later = { ...fields, at: '2026-11-21T10:05:00Z' }
    expect(groupLog([later, read])).toEqual([later, read])
    const reports = ['Balance sheet', 'Trial balance'].map((title, second) =>
      step(`Running ${title}`, second, { reads: 'report' }),
    )
    expect(titleOf(reports)).toBe('Ran 2 reports')
    const tests = ['one', 'two'].map((endpointId, second) =>
      step('Testing the company', second, { company: { connectionId: 'c', endpointId } }),
    )
    expect(titleOf(tests)).toBe('Testing the companies')
    expect(titleOf(reports, 'Month end – March 2026')).toBe('Month end – March 2026')
    expect(titleOf([...reports, read])).toBe('Running Balance sheet, and more')
    const reviewed = (month: string) => [...reports, read].map((each) => ({ ...each, reviewedMonth: month }))
    expect(titleOf(reviewed('2026-03'))).toBe('Read March 2026 for review')
    expect(titleOf([...reviewed('2026-03'), ...reviewed('2026-02')])).toBe('Read 2 months for review')
    expect(titleOf([read, step('Sending to Vendors', 4, { isWrite: true })])).toBe('Sending to Vendors')
  })

  test('lists requests for support without quoting anyone', () => {
    const text = logForSupport(
      [logEntry({ what: 'Looking for Fomenko, Arkady', says: 'Fomenko is in use' })],
      '1.0',
    )
    expect(text).toContain('r-1')
    expect(text).not.toContain('Fomenko')
  })
})

test('the first screen names the companies that the sample opens with', () => {
  const open = COMPANY_FILES.filter(({ provisioned }) => provisioned !== undefined)
  expect(SAMPLE_COMPANIES).toEqual(
    open.map(({ companyName, application }, index) => ({
      name: companyName,
      band: BANDS[index],
      isOnline: application === 'qbo',
    })),
  )
})
