// Outcomes in the list: a saved record is as in the response, in a single row with a permanent ID; an unconfirmed one
// shows that it is being checked; and a deleted one goes with **Discard**.
import { expect, test } from 'vitest'
import type { Api } from '../../../../renderer/api.ts'
import { Sending } from '../../../../renderer/records/drafts/sending.svelte.ts'
import { ListOutcomes } from '../../../../renderer/records/list/list-outcomes.ts'
import { outcomeActions, outcomeSign } from '../../../../renderer/records/outcome/outcome.ts'
import type { Operation } from '../../../../shared/contract/records.ts'
import { Format } from '../../../../shared/format/format.ts'
import { appError, err, ok, type Result } from '../../../../shared/result.ts'
import { customers } from '../customers-list.ts'
import { standIn } from '../list/stand-in.ts'

test.each([
  ['tells the ID', { ID: '1', Phone: 'new' }],
  ['leaves the ID out', { Phone: 'new' }],
  ['leaves the ID empty', { ID: '', Phone: 'new' }],
])('a saved record stays in its row if the answer %s', (_, after) => {
  const { editing, drafts, list, value } = customers(3)
  editing.edit([{ rowId: '1', path: 'Phone', now: 'new' }])
  const draft = drafts.draft('1')
  const operation = { ...draft, object: 'customer', edits: Object.values(draft?.edits ?? {}), after }
  const facts = { state: 'acked' as const, notAsSent: [], conflicts: [], error: null, queuedAt: '2026' }
  const operations = [standIn<Operation>({ ...operation, ...facts })]
  new ListOutcomes(list).report({ operations, batch: null })
  expect(list.rows.get('1')).toMatchObject({ rowId: '1', recordId: '1', origin: 'read', record: { ID: '1' } })
  expect(value('1', 'Phone')).toBe('new')
  expect(drafts.outcome('1').kind).toBe('saved')
  expect(drafts.draft('1')).toBeUndefined()
})

const FORMAT = new Format({ locale: 'en-US', negatives: 'minus' })

/** A list in which the change of a record has an outcome. `answer` is called with each call to the main process. */
function sentList(
  more: Partial<Operation>,
  answer: (name: string) => Promise<Result<object>> | Result<object>,
) {
  const made = customers(3)
  const { editing, drafts } = made
  editing.edit([{ rowId: '1', path: 'Phone', now: 'new' }])
  const draft = drafts.draft('1')
  const counts: number[] = []
  const sending = new Sending({
    api: standIn<Api>({ call: (name: string) => Promise.resolve(answer(name)) }),
    company: { connectionId: 'c', endpointId: 'e' },
    object: 'customer',
    draftsSaved: () => Promise.resolve(true),
    ondecided: () => Promise.resolve(drafts.remove('1')),
    onend: () => undefined,
  })
  const reader = { isFilling: false, countRecords: (count: number) => void counts.push(count) }
  const list = Object.assign(made.list, {
    sending,
    fieldLabel: String,
    reader: standIn<typeof made.list.reader>(reader),
  })
  const outcomes = new ListOutcomes(list)
  const report = (other: Partial<Operation>): void => {
    const operation = {
      ...draft,
      operationId: 'o',
      object: 'customer',
      edits: Object.values(draft?.edits ?? {}),
    }
    const facts = {
      notAsSent: [],
      conflicts: [],
      error: null,
      lastRecheckedAt: null,
      queuedAt: '2026',
      ...other,
    }
    outcomes.report({ operations: [standIn<Operation>({ ...operation, ...facts })], batch: null })
  }
  report(more)
  return { drafts, list, sending, outcomes, report, counts }
}

test('Check now shows and announces that it is checking, and what it found', async () => {
  let release = (): void => undefined
  let isRefused = false
  const calls: string[] = []
  const { drafts, sending, outcomes, report } = sentList({ state: 'unknown' }, (name) => {
    calls.push(name)
    const answer = isRefused ? err(appError('unreachable', 'No network.')) : ok({})
    return new Promise((resolve) => (release = () => resolve(answer)))
  })
  const offered = () => outcomeActions(drafts.outcome('1'), sending.checking)
  const check = async (during: () => void): Promise<readonly string[]> => {
    const said: string[] = []
    const checked = outcomes.checkNow('1', 'o', (message) => void said.push(message), FORMAT)
    expect(offered()).toMatchObject([{ what: 'check-now', label: 'Checking…', isBusy: true }])
    // A second click asks for nothing.
    void outcomes.checkNow('1', 'o', () => undefined, FORMAT)
    during()
    release()
    await checked
    expect(sending.checking.size).toBe(0)
    return said
  }
  expect(offered()).toMatchObject([{ what: 'check-now', label: 'Check now', isBusy: false }])
  expect(await check(() => undefined)).toEqual(['Checking…', 'Not confirmed'])
  isRefused = true
  expect(await check(() => undefined)).toEqual(['Checking…', 'Not confirmed'])
  expect(sending.error?.message).toBe('No network.')
  isRefused = false
  expect(await check(() => report({ state: 'held', candidates: [] }))).toEqual(['Checking…', 'Your decision'])
  expect(sending.error).toBeNull()
  expect(calls).toEqual(Array.from({ length: 3 }, () => 'records.checkNow'))
})

test('Keep counts the problems again once the row has the value from the books', async () => {
  const conflicts = [{ path: 'Phone', asRead: '1', theirs: '9', yours: 'new' }]
  const { drafts, list, sending, outcomes } = sentList({ state: 'conflict', conflicts }, () => ok({}))
  const operation = drafts.draft('1')?.operation ?? expect.fail()
  const counted: number[] = []
  Object.assign(list.rows, {
    grid: { replaceRow: () => void counted.push(drafts.version), refresh: () => undefined },
  })
  await outcomes.decide('1', operation, { what: 'choose', choices: { Phone: 'yours' } })
  expect(sending.error).toBeNull()
  expect(list.rows.get('1')?.record).toMatchObject({ Phone: '9' })
  expect(counted).toHaveLength(1)
  expect(drafts.version).toBeGreaterThan(counted[0] ?? Infinity)
})

test.each([
  [true, [-1]],
  [false, []],
])(
  'Discard drops a record that was deleted in the books, once its draft is gone (%s)',
  async (isDone, counted) => {
    const calls: string[] = []
    const gone = [{ path: 'Phone', asRead: '1', theirs: null, yours: 'new' }]
    const { drafts, list, outcomes, counts } = sentList({ state: 'conflict', conflicts: gone }, (name) => {
      calls.push(name)
      return isDone ? ok({}) : err(appError('store', 'Disk full.'))
    })
    const outcome = drafts.outcome('1')
    expect([outcome.kind, outcomeSign(outcome)]).toEqual(['deleted', 'changed-meanwhile'])
    await outcomes.discardDeleted('1')
    expect(calls).toEqual(['records.decide'])
    expect(list.rows.get('1') === undefined).toBe(isDone)
    expect(counts).toEqual(counted)
  },
)

test('Discard removes a record that is no longer in the list, with its unsent edits', async () => {
  const { editing, drafts, list } = customers(3)
  editing.edit([{ rowId: '1', path: 'Phone', now: 'new' }])
  const counts: number[] = []
  Object.assign(list, { reader: { countRecords: (count: number) => counts.push(count) } })
  await new ListOutcomes(list).discardDeleted('1')
  expect(drafts.draft('1')).toBeUndefined()
  expect(list.rows.get('1')).toBeUndefined()
  expect(counts).toEqual([-1])
})
