/** The pure decisions of the write protocol, on plain data: what rechecks prove, and what comes next. */
import { describe, expect, test } from 'vitest'
import type { JournalBatch, JournalOperation } from '../../../../electron/store/journal/journal.ts'
import { omitsSentFields } from '../../../../electron/writing/records/compare.ts'
import { learnFrom, needsReadingBack } from '../../../../electron/writing/records/confirm.ts'
import {
  matchItems,
  outcomesOf,
  type SentIdentity,
} from '../../../../electron/writing/records/item-outcomes.ts'
import { nextQueueStep, type QueueFacts } from '../../../../electron/writing/records/queue.ts'
import {
  compareExternalId,
  differsOnlyInSpelling,
  evidenceFor,
  isAnotherRecord,
  isContradicted,
  mayBeNamesake,
} from '../../../../electron/writing/records/recognition.ts'
import {
  isSecondRecheck,
  type ListSnapshot,
  reconcileChange,
  reconcileInserts,
  reconcileKnownInsert,
  type Reconciliation,
} from '../../../../electron/writing/records/reconcile.ts'
import type { FieldEdit, RecordData } from '../../../../shared/records/changes.ts'
import { journalOperation, NOTHING_LEARNED } from '../service.ts'

const SENT_AT = '2026-03-01T09:00:00Z'
const NOW = Date.parse('2026-03-01T09:10:00Z')
const PAUSE = 60_000

function editsOf(fields: Readonly<Record<string, string>>): readonly FieldEdit[] {
  return Object.entries(fields).map(([path, now]) => ({ path, was: null, now }))
}

function operation(
  operationId: string,
  fields: Readonly<Record<string, string>>,
  more: Partial<JournalOperation> = {},
): JournalOperation {
  return journalOperation({
    operationId,
    draftId: `draft ${operationId}`,
    recordName: fields['Name'] ?? '',
    fullName: fields['Name'] ?? '',
    edits: editsOf(fields),
    queuedAt: SENT_AT,
    ...more,
  })
}

/** A complete list. When it was read before, it lacked all of these. */
function snapshot(records: readonly RecordData[], more: Partial<ListSnapshot> = {}): ListSnapshot {
  return {
    isWhole: true,
    candidates: records,
    newRecords: new Map([['b1', records]]),
    areExternalIdsTrusted: false,
    keepsExternalIds: null,
    known: new Map(),
    sentAt: new Map(['a', 'b'].map((id) => [id, SENT_AT])),
    returnedIds: new Map(),
    clockAhead: null,
    ...more,
  }
}

function settle(
  operations: readonly JournalOperation[],
  seen: ListSnapshot,
): Readonly<Record<string, Reconciliation>> {
  return Object.fromEntries(reconcileInserts(operations, seen))
}

describe('an insert that is searched for', () => {
  const alder = { Name: 'Alder', Phone: '1', Email: 'a@alder.example' }
  const sent = operation('a', alder)

  test('by an ID from an answer: a record that contradicts it is shown, not accepted', () => {
    const other = { ID: 'R1', Name: 'Birch', Phone: '9', Email: 'b@birch.example' }
    expect(reconcileKnownInsert(sent, other)).toEqual({ verdict: 'possible', candidates: [other] })
    const returned = operation('a', alder, { recordId: 'R1' })
    expect(settle([returned], snapshot([other]))).toMatchObject({ a: { verdict: 'possible' } })
  })

  test('if two equal ones were sent, a record is found for only one of them', () => {
    const found = settle([sent, operation('b', alder)], snapshot([{ ID: 'R1', ...alder }]))
    expect(Object.values(found).filter(({ verdict }) => verdict === 'done')).toHaveLength(1)
  })

  test('a record that matches another insert better belongs to that one', () => {
    const unread = { newRecords: new Map() }
    const older = { ID: 'R1', Name: 'Alder', CreatedDate: '2026-03-01T08:40:00Z' }
    const newer = { ID: 'R2', ...alder, CreatedDate: '2026-03-01T09:00:05Z' }
    const found = settle(
      [operation('a', { Name: 'Alder' }), operation('b', alder)],
      snapshot([older, newer], unread),
    )
    expect(found).toMatchObject({ b: { verdict: 'done', record: newer } })
    expect(found['a']).not.toMatchObject({ verdict: 'done' })
  })

  test('IDs that were reassigned since the answer lead to neither of each other’s records', () => {
    const birch = { Name: 'Birch', Phone: '2', Email: 'b@birch.example' }
    const returned = [operation('a', alder, { recordId: 'R2' }), operation('b', birch, { recordId: 'R1' })]
    const records = [
      { ID: 'R1', ...alder },
      { ID: 'R2', ...birch },
    ]
    expect(settle(returned, snapshot(records))).toMatchObject({
      a: { verdict: 'done', record: { ID: 'R1' } },
      b: { verdict: 'done', record: { ID: 'R2' } },
    })
  })

  test('of two new records with its name, neither is accepted, even if one claims to be older', () => {
    const records = ['2026-03-01T08:40:00Z', '2026-03-01T09:00:05Z'].map((CreatedDate, index) => ({
      ID: `R${String(index)}`,
      ...alder,
      CreatedDate,
    }))
    expect(settle([sent], snapshot(records))).toMatchObject({ a: { verdict: 'possible' } })
  })

  test('its external ID on two records is reported as a duplicate', () => {
    const marked = operation('a', alder, { externalId: 'mark-1' })
    const records = ['R1', 'R2'].map((ID) => ({ ID, ...alder, ExternalID: 'mark-1' }))
    expect(settle([marked], snapshot(records))).toMatchObject({
      a: { verdict: 'otherwise', reason: 'twice' },
    })
  })

  test('a record with the same name and an unknown age is shown, not accepted', () => {
    const unread = { newRecords: new Map() }
    const namesake = { ID: 'R1', ...alder }
    expect(settle([sent], snapshot([namesake], unread))).toEqual({
      a: { verdict: 'possible', candidates: [namesake] },
    })
    const dated = { ...namesake, CreatedDate: '2026-03-01T09:00:05Z' }
    expect(settle([sent], snapshot([dated], unread))).toMatchObject({ a: { verdict: 'done' } })
  })

  test('a record with the same name that existed when it was sent is reported', () => {
    const before = operation('a', alder, { namesakes: ['R1'] })
    const unread = snapshot([{ ID: 'R1', ...alder, CreatedDate: SENT_AT }], { newRecords: new Map() })
    expect(settle([before], unread)).toMatchObject({ a: { reason: 'was-there' } })
  })

  test('a record with the same name and some of its values is a choice. With none of them, it is shown', () => {
    const half = { ID: 'R1', Name: 'Alder', Phone: '1', Email: 'else@alder.example' }
    expect(settle([sent], snapshot([half]))).toMatchObject({
      a: { verdict: 'otherwise', reason: 'other-values' },
    })
    const none = { ID: 'R1', Name: 'Alder', Phone: '9', Email: 'else@alder.example' }
    expect(settle([sent], snapshot([none]))).toEqual({ a: { verdict: 'possible', candidates: [none] } })
  })

  test('a record from an answer is shown first, whether or not the list has it', () => {
    const others = Array.from({ length: 25 }, (_, index) => ({ ID: `N${index}`, Name: `Other ${index}` }))
    const nameless = operation('a', { Name: 'Alder' })
    for (const records of [others, [...others, { ID: 'T1', Name: 'Something' }]]) {
      const returned = snapshot(records, { returnedIds: new Map([['a', ['T1']]]) })
      const reconciliation = settle([nameless], returned)['a']
      expect(reconciliation).toMatchObject({ verdict: 'possible' })
      if (reconciliation?.verdict !== 'possible') continue
      expect(reconciliation.candidates).toHaveLength(20)
      expect(reconciliation.candidates[0]).toMatchObject({ ID: 'T1' })
    }
  })

  test('the record of another insert isn’t accepted, unless its ID belongs to another record now', () => {
    const known = (name: string) => ({ known: new Map([['R1', { since: '', names: [name] }]]) })
    const record = { ID: 'R1', ...alder }
    expect(settle([sent], snapshot([record], known('Alder')))).toEqual({ a: { verdict: 'undone' } })
    expect(settle([sent], snapshot([record], known('ALDER.')))).toEqual({ a: { verdict: 'undone' } })
    expect(settle([sent], snapshot([record], known('Birch')))).toMatchObject({ a: { verdict: 'done' } })
  })

  test('a record that we changed before the insert was sent existed before, unless its ID was reassigned', () => {
    const since = '2026-03-01T08:00:00Z'
    const known = (name: string) => ({
      newRecords: new Map(),
      known: new Map([['R1', { since, names: [name] }]]),
    })
    const record = { ID: 'R1', ...alder, CreatedDate: SENT_AT }
    expect(settle([sent], snapshot([record], known('Alder')))).toMatchObject({ a: { reason: 'was-there' } })
    expect(settle([sent], snapshot([record], known('Birch')))).toMatchObject({ a: { verdict: 'done' } })
  })
})

describe('an insert whose record has been altered', () => {
  const company = { Name: 'Alder & Finch', Phone: '1', Email: 'a@alder.example' }
  const sent = operation('a', company, { externalId: 'mark-1' })
  const escaped = { ID: 'R1', ...company, Name: 'Alder &amp; Finch' }
  const shown = (record: RecordData) => ({ a: { verdict: 'possible', candidates: [record] } })

  test('is accepted if nothing else is possible and no external ID is missing', () => {
    expect(settle([sent], snapshot([escaped]))).toMatchObject({ a: { verdict: 'done' } })
    expect(settle([sent], snapshot([escaped], { areExternalIdsTrusted: true }))).toEqual(shown(escaped))
    const older = { ...escaped, CreatedDate: '2026-02-27T09:00:00Z' }
    expect(settle([sent], snapshot([older]))).toEqual(shown(older))
  })

  test('isn’t accepted if another insert may have created it', () => {
    const found = settle([sent, operation('b', company)], snapshot([escaped]))
    expect(found).toMatchObject({ a: { verdict: 'possible' }, b: { verdict: 'possible' } })
  })

  test('is found by its name, even if an answer had another record’s ID', () => {
    const returned = operation('a', company, { recordId: 'R9' })
    const [other, own] = [
      { ID: 'R9', Name: 'Zebra', Phone: '9', Email: 'z@z.example' },
      { ID: 'R1', ...company },
    ]
    expect(settle([returned], snapshot([other, own]))).toMatchObject({ a: { verdict: 'done', record: own } })
  })

  test('without an external ID although they come back, or with another one, is shown and not accepted', () => {
    const plain = { ID: 'R1', ...company }
    expect(settle([sent], snapshot([plain], { areExternalIdsTrusted: true }))).toEqual(shown(plain))
    const marked = { ...plain, ExternalID: 'somebody-else' }
    expect(settle([sent], snapshot([marked]))).toEqual(shown(marked))
    expect(
      settle([sent], snapshot([marked], { keepsExternalIds: false })),
      'the service replaces marks',
    ).toMatchObject({ a: { verdict: 'done' } })
  })

  test('by a clock that is known to be an hour behind doesn’t count as older', () => {
    const record = { ID: 'R1', ...company, CreatedDate: '2026-03-01T08:00:05Z' }
    const unread = { newRecords: new Map() }
    expect(settle([sent], snapshot([record], { ...unread, clockAhead: -3_600_000 }))).toMatchObject({
      a: { verdict: 'done' },
    })
    expect(settle([sent], snapshot([record], unread))).toEqual(shown(record))
  })

  test('completely is shown if the list lacked it before, but not if the list was never read', () => {
    const nameless = operation('a', { Name: 'Alder' })
    const renamed = { ID: 'R1', Name: 'Customer 17' }
    expect(settle([nameless], snapshot([renamed]))).toEqual(shown(renamed))
    expect(settle([nameless], snapshot([renamed], { newRecords: new Map() }))).toEqual({
      a: { verdict: 'undone' },
    })
  })

  test('is searched for a second time only after the pause', () => {
    const once = operation('a', company, { firstRecheckedAt: SENT_AT })
    expect(isSecondRecheck(once, Date.parse(SENT_AT) + PAUSE - 1, PAUSE)).toBe(false)
    expect(isSecondRecheck(once, Date.parse(SENT_AT) + PAUSE, PAUSE)).toBe(true)
    expect(isSecondRecheck(operation('a', company), NOW, PAUSE)).toBe(false)
  })
})

describe('a change that is searched for', () => {
  test('by its ID: if half of it was made, it is a choice. If none, it wasn’t made. If all, it is saved', () => {
    const before = { ID: 'R1', Name: 'Alder', Phone: 'old', Email: 'old' }
    const edits = ['Phone', 'Email'].map((path) => ({ path, was: 'old', now: 'new' }))
    const change = operation('a', {}, { kind: 'change', recordId: 'R1', before, edits, fullName: 'Alder' })
    const said = (fields: RecordData) => reconcileChange(change, { ...before, ...fields })
    expect(said({ Phone: 'new' })).toMatchObject({ verdict: 'otherwise', reason: 'other-values' })
    expect(said({})).toEqual({ verdict: 'undone' })
    expect(said({ Phone: 'new', Email: 'new' })).toMatchObject({ verdict: 'done' })
    expect(reconcileChange(change, null)).toMatchObject({ verdict: 'otherwise', reason: 'gone' })
  })
})

describe('what reading back teaches', () => {
  const externalId = 'mark-1'
  const sent = operation('a', { Name: 'Alder', Phone: '1' }, { externalId })
  const stored = { ID: 'R1', Name: 'Alder', Phone: '1', ExternalID: externalId }
  const at = Date.parse(SENT_AT)
  const read = { operation: sent, returned: stored, stored, sentAt: at, foundAt: at, isFoundAtOnce: true }
  const honest = learnFrom(NOTHING_LEARNED, read)
  const proven = { stage: 0, isProven: true, isStopped: false, learned: honest }

  test('from an honest answer: later texts of the same kinds are believed without reading', () => {
    expect(honest).toMatchObject({
      keepsNames: true,
      keepsExternalIds: true,
      returnsStoredValues: true,
      keepsIds: true,
      lag: 0,
    })
    expect(needsReadingBack(proven, [sent])).toBe(false)
    expect(needsReadingBack({ ...proven, isProven: false }, [sent])).toBe(true)
    const accented = operation('b', { Name: 'Café', Phone: '1' })
    expect(needsReadingBack(proven, [sent, accented]), 'one new kind beside a known one').toBe(true)
  })

  test.each([
    ['an answer that lied', { stored: { ...stored, Phone: '9' } }, { returnsStoredValues: false }],
    ['an ID for the moment', { returned: { ...stored, ID: 'tmp' } }, { keepsIds: false }],
  ])('%s is remembered, whatever follows, and everything is read back', (_what, other, says) => {
    const lied = learnFrom(honest, { ...read, ...other })
    expect(lied).toMatchObject(says)
    const again = learnFrom(lied, read)
    expect(again).toMatchObject(says)
    expect(needsReadingBack({ ...proven, learned: again }, [sent])).toBe(true)
  })

  test('external IDs and names that come back differently, and how long a list lags, are remembered', () => {
    const altered = learnFrom(honest, { ...read, stored: { ID: 'R1', Name: 'ALDER & CO', Phone: '1' } })
    expect(altered).toMatchObject({ keepsExternalIds: false, keepsNames: false })
    expect(learnFrom(altered, read)).toMatchObject({ keepsExternalIds: false, keepsNames: false })
    const late = learnFrom(honest, { ...read, foundAt: at + 90_000, isFoundAtOnce: false })
    expect(late.lag).toBe(90_000)
    expect(learnFrom(late, read).lag).toBe(90_000)
  })
})

describe('a member of an address', () => {
  test('that an answer omits isn’t reported, unless it was cleared and the rest is there', () => {
    const before = { BillingAddress: { Line1: '1 Main', City: 'Bath' }, Phone: '1' }
    const silent = (now: string, answered: RecordData) =>
      omitsSentFields(
        { object: 'customer', before, edits: [{ path: 'BillingAddress.City', was: 'Bath', now }] },
        answered,
      )
    expect(silent('York', { BillingAddress: { Line1: '1 Main' }, Phone: '1' })).toBe(true)
    expect(silent('York', { BillingAddress: { Line1: '1 Main', City: 'York' }, Phone: '1' })).toBe(false)
    expect(silent('', { BillingAddress: { Line1: '1 Main' }, Phone: '1' })).toBe(false)
    expect(silent('', { BillingAddress: { Line1: '1 Main' } }), 'a short answer').toBe(true)
  })
})

describe('what comes next', () => {
  const facts: QueueFacts = {
    now: NOW,
    pauseOf: () => PAUSE,
    unknown: [],
    sendAgain: [],
    requested: [],
    openBatches: [],
    passed: new Set(),
    toRecheck: [],
    noRecheckBefore: 0,
  }
  const customer = operation('a', { Name: 'Alder' })
  const vendor = operation('b', { Name: 'Birch' }, { object: 'vendor', batchId: 'b2' })

  test('with two lists to recheck, one is read at a time', () => {
    const looked = { step: 'recheck', object: 'customer', operations: [customer] }
    expect(nextQueueStep({ ...facts, unknown: [customer, vendor] })).toEqual(looked)
    expect(nextQueueStep({ ...facts, requested: [customer, vendor] })).toEqual(looked)
    const due = { recheckAt: new Date(NOW).toISOString() }
    const [first, second] = [
      { ...customer, ...due },
      { ...vendor, ...due },
    ]
    expect(nextQueueStep({ ...facts, toRecheck: [first, second] })).toEqual({
      step: 'find-duplicates',
      object: 'customer',
      operations: [first],
    })
  })

  test('what is sent again is sent batch by batch', () => {
    expect(nextQueueStep({ ...facts, sendAgain: [customer, vendor] })).toEqual({
      step: 'send-again',
      batchId: 'b1',
      operations: [customer],
    })
  })

  test('the second recheck is made, however far the clock was set forward', () => {
    const looked = new Date(NOW - 86_400_000).toISOString()
    const once = operation(
      'a',
      { Name: 'Alder' },
      { rechecks: 1, firstRecheckedAt: looked, lastRecheckedAt: looked },
    )
    const later = { ...once, lastRecheckedAt: new Date(NOW).toISOString() }
    for (const unknown of [[once], [later]]) {
      expect(nextQueueStep({ ...facts, unknown })).toMatchObject({ step: 'recheck' })
    }
    const twice = { ...later, rechecks: 2 }
    const batch: JournalBatch = { batchId: 'b9' } as JournalBatch
    expect(nextQueueStep({ ...facts, unknown: [twice], openBatches: [batch] })).toMatchObject({
      step: 'hold-back',
    })
  })
})

describe('the items of an answer', () => {
  const sentAs = (
    operationId: string,
    fields: Readonly<Record<string, string>>,
    externalId = '',
  ): SentIdentity => ({
    operationId,
    kind: 'insert',
    object: 'customer',
    edits: editsOf(fields),
    recordId: '',
    externalId,
    names: [(fields['Name'] ?? '').toLowerCase()],
  })
  const changeOf = (operationId: string, recordId: string, name: string): SentIdentity => ({
    ...sentAs(operationId, {}),
    kind: 'change',
    recordId,
    names: [name],
  })
  /** The ID that each operation gets. */
  const match = (sent: readonly SentIdentity[], items: readonly RecordData[]) =>
    Object.fromEntries(
      [
        ...matchItems(
          sent,
          items.map((object) => ({ object, errors: [], kind: 'customer' })),
        ),
      ].map(([operationId, { object }]) => [operationId, object?.['ID']]),
    )
  const [a, b] = [sentAs('a', { Name: 'A' }, 'mark-a'), sentAs('b', { Name: 'B' }, 'mark-b')]

  test('in another order are matched by external IDs, and changes by IDs', () => {
    const items = [
      { ID: 'R2', Name: 'X', ExternalID: 'mark-b' },
      { ID: 'R1', Name: 'Y', ExternalID: 'mark-a' },
    ]
    expect(match([a, b], items)).toEqual({ a: 'R1', b: 'R2' })
    expect(match([changeOf('a', 'R1', ''), changeOf('b', 'R2', '')], [{ ID: 'R2' }, { ID: 'R1' }])).toEqual({
      a: 'R1',
      b: 'R2',
    })
  })

  test('of changes are never matched by position, or by a name under another ID', () => {
    const changes = [changeOf('a', 'R1', 'a'), changeOf('b', 'R2', 'b')]
    expect(match(changes, [{ ID: 'R1', Name: 'A' }, { Name: 'Something' }])).toEqual({ a: 'R1' })
    expect(match(changes, [{ ID: 'R9', Name: 'A' }])).toEqual({})
  })

  test('with the same external ID or name for two operations belong to neither', () => {
    const marked = ['R1', 'R2'].map((ID) => ({ ID, Name: `Customer ${ID}`, ExternalID: 'mark-b' }))
    expect(match([a, b], marked)).toEqual({})
    const named = ['R1', 'R2', 'R3'].map((ID) => ({ ID, Name: 'A' }))
    expect(match([sentAs('a', { Name: 'A' }), sentAs('b', { Name: 'B' })], named)).toEqual({})
    expect(
      match([sentAs('a', { Name: 'A' }), sentAs('b', { Name: 'A' })], [{ ID: 'R1', Name: 'A' }]),
    ).toEqual({})
  })

  test('that were renamed completely are matched by position only if none matches another one better', () => {
    const alike = { Email: 'office@alder.example', Fax: '7' }
    const sent = [
      sentAs('a', { Name: 'A', Phone: '1', ...alike }),
      sentAs('b', { Name: 'B', Phone: '2', ...alike }),
    ]
    const stored = [
      { ID: 'R1', Name: 'Customer 1', Phone: '1', ...alike },
      { ID: 'R2', Name: 'Customer 2', Phone: '2', ...alike },
    ]
    expect(match(sent, stored)).toEqual({ a: 'R1', b: 'R2' })
    expect(match(sent, stored.toReversed())).toEqual({})
  })
})

describe('the external ID on a record', () => {
  test('is ours, may be a shortened one of ours, or is another one', () => {
    const says = (ExternalID: string) => compareExternalId('0123456789abcdef', { ExternalID })
    expect(says('{01234567-89ABCDEF}')).toBe('ours')
    expect(says('0123456789')).toBe('cut')
    expect(says('0123')).toBe('other')
    expect(says('')).toBe('silent')
  })
})

describe('the evidence of a record', () => {
  test('with another name counts against it if as many values differ as are equal', () => {
    const evidence = { name: 'different', equal: 1, missing: 0, different: 1 } as const
    expect(isContradicted(evidence)).toBe(true)
    expect(isContradicted({ ...evidence, equal: 2 })).toBe(false)
    expect(isContradicted({ ...evidence, name: 'alike' })).toBe(false)
  })

  test('that lacks a value isn’t just spelled differently, and an equal default value proves nothing', () => {
    const same = { name: 'alike', equal: 1, missing: 0, different: 0 } as const
    expect(differsOnlyInSpelling(same)).toBe(true)
    expect(differsOnlyInSpelling({ ...same, missing: 1 })).toBe(false)
    const sent = { object: 'customer', edits: editsOf({ Name: 'A', IsActive: 'true' }) }
    expect(evidenceFor(sent, { Name: 'A', IsActive: 'true' })).toMatchObject({ equal: 0, different: 0 })
    expect(evidenceFor(sent, { Name: 'A', IsActive: 'false' })).toMatchObject({ different: 1 })
  })

  test('with another name and number, or completely different, belongs to another record, unless the name is ours', () => {
    const before = { ID: 'R1', Name: 'A', Number: '1', CreatedDate: SENT_AT }
    const isAnother = (after: RecordData, edits: readonly FieldEdit[] = []) =>
      isAnotherRecord('customer', before, { ...before, ...after }, edits)
    expect(isAnother({ Name: 'B' })).toBe(false)
    expect(isAnother({ Name: 'B', Number: '2' })).toBe(true)
    expect(isAnother({ Name: 'B', CreatedDate: '2026-01-01T00:00:00Z' })).toBe(true)
    const toB = [{ path: 'Name', was: 'A', now: 'B' }]
    expect(isAnother({ Name: 'B', CreatedDate: '2026-01-01T00:00:00Z' }, toB)).toBe(true)
    expect(isAnotherRecord('customer', { ID: 'R1', Name: 'A' }, { ID: 'R1', Name: 'B' }, toB)).toBe(false)
    const undated = { ID: 'R1', Name: 'A', Phone: '1', Email: 'a' }
    expect(isAnotherRecord('customer', undated, { ID: 'R1', Name: 'B', Phone: '2', Email: 'b' }, [])).toBe(
      true,
    )
    expect(isAnotherRecord('customer', undated, { ...undated, Name: 'B' }, [])).toBe(false)
  })

  test('with the same name belongs to another record if it was created at another time', () => {
    const before = { ID: 'R1', Name: 'A', CreatedDate: '2026-01-10T09:00:00-05:00' }
    const isAnother = (CreatedDate: string) =>
      isAnotherRecord('customer', before, { ...before, Phone: '1', CreatedDate }, [])
    expect(isAnother('2026-01-10T09:06:00-05:00')).toBe(true)
    expect(isAnother('2026-01-12T09:00:00-05:00')).toBe(true)
    // The same instant, a shift by daylight saving time, and a time in an unknown zone.
    expect(isAnother('2026-01-10T14:00:00Z')).toBe(false)
    expect(isAnother('2026-01-10T09:00:00-04:00')).toBe(false)
    expect(isAnother('2026-01-10T09:06:00')).toBe(false)
    expect(isAnother('')).toBe(false)
  })

  test('with the same name and no date may be another record if most other values differ', () => {
    const before = { ID: 'R1', Name: 'A', Number: '7', Phone: '1', Email: 'a' }
    const mayBe = (after: RecordData) => mayBeNamesake('customer', before, { ...before, ...after })
    expect(mayBe({ Phone: '2', Email: 'b' })).toBe(true)
    expect(mayBe({ Number: '8', Phone: '2' })).toBe(true)
    expect(mayBe({ Phone: '2' })).toBe(false)
    expect(mayBe({ Number: '', Phone: '', Email: 'b' })).toBe(false)
    const dated = { ...before, CreatedDate: SENT_AT }
    expect(mayBeNamesake('customer', dated, { ...dated, Phone: '2', Email: 'b' })).toBe(false)
  })

  test('without a name belongs to another record if its creation date and number differ', () => {
    const before = { ID: 'T1', Number: '1001', CreatedDate: SENT_AT, Memo: '' }
    const isAnother = (after: RecordData, edits: readonly FieldEdit[] = []) =>
      isAnotherRecord('invoice', before, { ...before, ...after }, edits)
    const other = { Number: '1002', CreatedDate: '2026-01-01T00:00:00Z' }
    expect(isAnother(other)).toBe(true)
    expect(isAnother({ ...other, Number: '1001' })).toBe(false)
    expect(isAnother({ ...other, CreatedDate: SENT_AT })).toBe(false)
    expect(isAnother(other, [{ path: 'Number', was: '1001', now: '1002' }])).toBe(false)
    const undated = { ID: 'T1', Number: '1001', Memo: 'a', Total: '5.00' }
    expect(isAnotherRecord('invoice', undated, { ...undated, Number: '1002' }, [])).toBe(false)
    const rest = { ID: 'T1', Number: '1002', Memo: 'b', Total: '7.00' }
    expect(isAnotherRecord('invoice', undated, rest, [])).toBe(true)
  })
})

describe('an answer', () => {
  const answer = (items: readonly RecordData[]) => ({
    items: items.map((object) => ({ object, errors: [], kind: 'customer' })),
    errors: [],
    hasErrors: false,
    requestId: '',
    page: null,
    moreData: null,
    status: 200,
  })

  test('with one record for one insert belongs to it, whatever its name, but not with two records for one, or one for two', () => {
    const [alder, birch] = [operation('a', { Name: 'Alder' }), operation('b', { Name: 'Birch' })]
    const renamed = { ID: 'R1', Name: 'Customer 17' }
    const toldOf = (operations: readonly JournalOperation[], items: readonly RecordData[]) =>
      Object.fromEntries(
        outcomesOf(operations, { application: 'qbd', envelope: answer(items), knownIds: new Set() }).items,
      )
    expect(toldOf([alder], [renamed])).toMatchObject({ a: { object: renamed } })
    expect(toldOf([alder, birch], [renamed])).toEqual({})
    expect(toldOf([alder], [renamed, { ID: 'R2', Name: 'Customer 18' }])).toEqual({})
  })
})
