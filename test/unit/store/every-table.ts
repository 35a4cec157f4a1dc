/** A database with a row in every table, as deletion and backups must handle each of them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { digestCopy, packPart } from '../../../electron/store/months.ts'
import { appError } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import { COMPANY, storedCompany, World } from '../writing/world.ts'

const { connectionId, endpointId } = COMPANY
const AT = '2026-02-01T09:00:00.000Z'
const ERROR = appError('dropped', 'No answer came.', 'Look.')

const PROVISIONING = {
  provisioningId: 'p1',
  connectionId,
  application: 'qbd',
  userId: 'u1',
  newUser: { state: 'made', askedAt: AT },
  expectedFile: 'C:\\Books\\Birch.qbw',
  place: 'here',
  state: 'waiting',
  stoppedWaiting: false,
  queuedAt: AT,
  sentAt: AT,
  lastRecheckedAt: null,
  nextRecheckAt: null,
  company: null,
  before: 'not-there',
  error: ERROR,
}

const MULTI_COMPANY_CHANGE = {
  changeId: 'change-1',
  connectionId,
  createdAt: AT,
  object: 'customer',
  path: 'Terms',
  now: { ID: '', FullName: 'Net 30' },
  state: 'stopped',
  error: null,
  companies: [
    {
      company: COMPANY,
      companyName: 'Alder',
      application: 'qbd',
      applicationName: 'Desktop',
      contact: 'silent',
      contactError: ERROR,
    },
  ],
  items: [
    {
      itemId: 'i1',
      endpointId,
      state: 'waiting',
      error: null,
      warning: '',
      records: [
        {
          draftId: 'd1',
          recordId: '1',
          recordName: 'Cedar',
          was: { ID: 't1', FullName: 'Net 60' },
          isTrimmed: false,
        },
      ],
    },
  ],
  leftOut: [{ endpointId, companyName: 'Alder', recordName: 'Oak', reason: 'It already has this value.' }],
}
const RUN = {
  runId: 'run-1',
  connectionId,
  title: 'Month end',
  createdAt: AT,
  folder: '/home/somebody/Documents',
  state: 'stopped',
  error: ERROR,
  companies: [
    {
      company: COMPANY,
      companyName: 'Alder',
      application: 'qbd',
      applicationName: 'Desktop',
      from: '2026-01-01',
      to: '2026-01-31',
      contact: 'answered',
      contactError: null,
    },
  ],
  items: [
    {
      itemId: 'i1',
      endpointId,
      name: 'BalanceSheet',
      offeredName: 'BalanceSheet',
      state: 'done',
      error: null,
      files: ['Alder.xlsx'],
      fingerprints: ['1 2'],
      totals: 'agree',
      findings: 0,
      notes: [],
    },
  ],
  fileKinds: ['xlsx'],
  combined: true,
  pack: false,
  hideZeroRows: false,
  files: [{ name: 'All.xlsx', endpointId: '', itemIds: ['i1'], fingerprint: '1 2' }],
}

const READING = {
  source: 'trial-balance',
  name: 'TrialBalance',
  kind: 'report',
  from: '2026-01-01',
  to: '2026-01-31',
  state: 'read',
  reason: '',
  readAt: AT,
  isEarly: false,
  hasCents: true,
  copyId: 'copy-1',
}
const MONTH = {
  readings: [READING],
  unreachableReason: '',
  open: 0,
  wrong: 0,
  notChecked: 0,
  closed: { version: 1, by: 'Dana', at: AT, open: 0 },
  change: null,
  notCompared: [],
  by: 'Dana',
  at: AT,
}
const OUTCOMES = [{ rule: 'statements-agree', result: 'clean', checkedAt: AT }]
const DECISION = { kind: 'accepted', note: 'Asked the client.', by: 'Dana', at: AT }
const ROWS_OF_COPY = Buffer.from('[]')

/** A row for each table that ordinary use of the store leaves empty. */
const MAPPING = {
  choices: [{ heading: 'Name', path: 'Name', emptyMeans: 'leave' }],
  derived: [{ kind: 'split', column: { heading: 'Name', occurrence: 0 }, by: 'parent-child' }],
}

const ROWS: Readonly<Record<string, readonly unknown[]>> = {
  listings: [connectionId, AT, 1],
  provisionings: [
    'p1',
    connectionId,
    'waiting',
    0,
    AT,
    {
      value: PROVISIONING,
      listBefore: { active: [endpointId], inactive: [], isWhole: true },
      rechecks: 1,
      draftBegunAt: AT,
      again: null,
      askedAbout: [],
    },
    '',
    'dana',
  ],
  user_creations: [
    'u1',
    connectionId,
    'held',
    AT,
    { creationId: 'u1', connectionId, state: 'held', sentAt: AT, userId: '', error: ERROR },
    'dana',
  ],
  deprovisionings: [
    'd1',
    connectionId,
    endpointId,
    'unknown',
    AT,
    {
      deprovisioningId: 'd1',
      company: COMPANY,
      state: 'unknown',
      sentAt: AT,
      confirmations: [{ what: 'answer', result: 'unclear', says: 'No answer.', requestId: '', at: AT }],
      error: ERROR,
      known: {
        companyName: 'Alder',
        label: '',
        applicationName: 'Desktop',
        fullPath: '',
        userId: 'u1',
        sentBy: 'v2',
      },
    },
    '',
    'dana',
  ],
  blocked_queues: ['queue', 0, 1, 0, '', 'answer'],
  trusted_external_ids: [connectionId, 'qbd', 'customer', AT],
  request_log: [
    'l1',
    AT,
    connectionId,
    {
      entryId: 'l1',
      at: AT,
      connectionId,
      companyName: 'Alder',
      company: COMPANY,
      what: 'Sending customers',
      method: 'POST',
      path: '/v2/data/e1/customer',
      isWrite: true,
      outcome: 'begun',
      says: '',
      code: '',
      status: null,
      milliseconds: 0,
      bytes: 0,
      requestId: '',
      batchId: '',
      reads: null,
      reviewedMonth: null,
    },
    300,
    1,
  ],
  setup_drafts: [
    connectionId,
    {
      begunAt: AT,
      step: 2,
      application: 'qbd',
      user: 'new',
      pastedUserId: '',
      file: '',
      place: 'here',
      checkedReminders: ['x'],
      again: null,
    },
  ],
  import_mappings: ['customer', 'name|phone', MAPPING],
  saved_mappings: ['customer', 'Client list', MAPPING],
  imports: ['m1', connectionId, endpointId, 'customer', 'f'.repeat(32), 'clients.csv', AT, ['Name']],
  imported_rows: ['m1', 2, 'a'.repeat(32), 'none', 'insert', ['Cedar', { number: '1' }, true], 0],
  report_runs: ['run-1', connectionId, AT, RUN],
  multi_company_changes: ['change-1', connectionId, AT, MULTI_COMPANY_CHANGE],
  report_run_heads: ['run-1', 'i1', {}],
  report_run_parts: ['run-1', 'i1', 0, Buffer.from('[]')],
  months: [connectionId, endpointId, '2026-01', 'closed', MONTH],
  month_outcomes: [connectionId, endpointId, '2026-01', OUTCOMES],
  month_copies: ['copy-1', connectionId, endpointId, '2026-01', {}, digestCopy('{}', [ROWS_OF_COPY])],
  month_copy_parts: ['copy-1', 0, connectionId, endpointId, Buffer.from(packPart(ROWS_OF_COPY))],
  month_versions: [
    connectionId,
    endpointId,
    '2026-01',
    1,
    ['copy-1'],
    {
      by: 'Dana',
      at: AT,
      note: '',
      readings: [READING],
      fiscalYearStart: 1,
      outcomes: OUTCOMES,
      decisions: [{ ...DECISION, key: 'statements-agree Suspense', amount: '1.00' }],
    },
  ],
  month_events: [
    connectionId,
    endpointId,
    '2026-01',
    { at: AT, by: 'Dana', act: 'closed', subject: '', note: '', otherMonth: null },
  ],
  review_decisions: [
    connectionId,
    endpointId,
    'statements-agree Suspense',
    '1.00',
    { ...DECISION, endedIn: ['2026-02'] },
  ],
  review_settings: [connectionId, '', { percent: '25', emptyAccounts: ['Suspense'] }],
  service_addresses: [connectionId, 'v2', 'https://service.example'],
}

/** A database with a row in every table. */
export async function databaseWithEveryTable(): Promise<Buffer> {
  const world = new World()
  world.store.companies.put(storedCompany({ label: 'Alder, our label', notes: 'Mondays' }))
  const [cedar, birch] = ['Cedar', 'Birch'].map((Name) => world.service.add('customer', { Name, Phone: '1' }))
  await world.sendAndSettle([world.draftChange(cedar ?? '', { Phone: '2' })])
  world.draftChange(birch ?? '', { Phone: '3' })
  const inDoubt = world.draftInsert({ Name: 'Dogwood' })
  world.service.fault = () => 'dropped-after'
  value(world.send([inDoubt]))
  await world.flush()
  const path = join(world.folder, 'whole.sqlite')
  await world.store.backup.copyTo(path)
  world.end()
  const database = new DatabaseSync(path)
  for (const [table, row] of Object.entries(ROWS)) {
    const values = row.map((each) =>
      typeof each === 'object' && each !== null && !Buffer.isBuffer(each) ? JSON.stringify(each) : each,
    ) as string[]
    database
      .prepare(`INSERT OR REPLACE INTO "${table}" VALUES (${values.map(() => '?').join(', ')})`)
      .run(...values)
  }
  database.exec("UPDATE operations SET rechecks = 3 WHERE state = 'unknown'")
  const empty = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
    .all()
    .filter(({ name }) => database.prepare(`SELECT 1 FROM "${String(name)}"`).get() === undefined)
  expect(empty, 'a row in every table').toEqual([])
  database.close()
  return readFileSync(path)
}
