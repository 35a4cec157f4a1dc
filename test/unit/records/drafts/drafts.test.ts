import { describe, expect, test } from 'vitest'
import { DraftSaver } from '../../../../renderer/records/drafts/draft-saver.ts'
import {
  draftFullName,
  ProblemFinder,
  problemsOf,
  stopsSending,
} from '../../../../renderer/records/drafts/problems.ts'
import {
  changesUnderneath,
  draftFor,
  isLocked,
  isSendable,
  rebased,
  type RowDraft,
  savedRowIdOf,
  withoutValue,
  withValue,
} from '../../../../renderer/records/drafts/row-draft.ts'
import { ListNames } from '../../../../renderer/records/list/names.ts'
import type { ReferenceStatus } from '../../../../renderer/records/list/references.svelte.ts'
import { type RecordRow, RowFactory, rowName, SharedIds } from '../../../../renderer/records/list/rows.ts'
import {
  calloutLabel,
  cellMark,
  formatHeld,
  formatOutcome,
  formatSign,
  formatTooLong,
  formatUnconfirmed,
  outcomeActions,
  outcomeSign,
  rowOutcome,
  SavedMarks,
  stillInBooks,
} from '../../../../renderer/records/outcome/outcome.ts'
import { isUnder } from '../../../../renderer/records/screen/records-view.svelte.ts'
import type { Operation } from '../../../../shared/contract/records.ts'
import { Format } from '../../../../shared/format/format.ts'
import type { EditValue, Reference } from '../../../../shared/records/changes.ts'
import { mergedRecord } from '../../../../shared/records/outcome.ts'
import { appError, err, ok, type Result } from '../../../../shared/result.ts'
import { chunkOf } from '../list/record-chunk.ts'

const FORMAT = new Format({ locale: 'en-US', negatives: 'minus' })
const ROW: RecordRow = {
  rowId: '8',
  recordId: '8',
  record: { ID: '8', Name: 'Birch', Phone: '1', Terms: { ID: 't', FullName: 'Net 30' } },
  origin: 'read',
}
const NEW_ROW: RecordRow = { rowId: 'd-new', recordId: '', record: {}, origin: 'new' }

function operation(state: Operation['state'], more: Partial<Operation> = {}): Operation {
  return {
    operationId: 'o',
    batchId: 'b',
    draftId: 'd',
    company: { connectionId: 'c', endpointId: 'e' },
    object: 'customer',
    kind: 'change',
    recordId: '8',
    recordName: 'Birch',
    state,
    waitsForUser: false,
    edits: [],
    queuedAt: '2026-01-01T00:00:00Z',
    settledAt: null,
    lastRecheckedAt: null,
    rechecks: 0,
    confirmedByReading: false,
    candidates: [],
    notAsSent: [],
    conflicts: [],
    error: null,
    errorPath: '',
    requestId: '',
    after: null,
    ...more,
  }
}

/** The mark of a record that was saved as new. */
function markOf(saved: Operation) {
  const marks = new SavedMarks()
  marks.add('8', saved, {})
  return marks.of('8') ?? expect.fail()
}

function edited(path = 'Phone', now: EditValue = '2'): RowDraft {
  return withValue(draftFor(ROW, 'd'), 'customer', path, now)
}

describe('a rechecked record', () => {
  /** Of the link in the row, and of the buttons in its callout. */
  const labels = (state: Operation['state'], more: Partial<Operation>): readonly string[] => {
    const outcome = rowOutcome({ ...edited(), operation: operation(state, more) }, undefined, [], [])
    return [calloutLabel(outcome), ...outcomeActions(outcome).map(({ label }) => label)]
  }

  test('that isn’t there never claims more checks of the complete list than were made', () => {
    const said = (rechecks: number, more: Partial<Operation>): string =>
      formatHeld(operation('held', { lastRecheckedAt: '2026-01-01T12:00:00Z', rechecks, ...more }), FORMAT)
    expect(said(2, { kind: 'insert', recordId: '' })).toMatch(
      /^Bookbridge checked twice, most recently .+, and found no record in the whole list .+ still be working on it\.$/,
    )
    expect(said(1, { kind: 'insert', recordId: '' })).toMatch(/^Bookbridge checked once,/)
    expect(said(1, {})).toMatch(/^Bookbridge read the record once, most recently .*[^,]\. The service may/)
    const phone = { path: 'Phone', was: '(775) 555-1186', now: '1' }
    expect(said(3, { edits: [phone] })).toMatch(/^Bookbridge read the record 3 times,/)
    const shown = (more: Partial<Operation>): string => stillInBooks(operation('held', more), FORMAT)
    expect(shown({ rechecks: 3, edits: [phone] })).toBe('(775) 555-1186')
    expect(shown({ rechecks: 1, edits: [phone, { ...phone, path: 'Fax' }] })).toBe('the old values')
    expect(shown({ rechecks: 0, edits: [phone] })).toBe('')
    expect(shown({ rechecks: 2, kind: 'insert', edits: [phone] })).toBe('')
    // Held without a check: it waited in an older database.
    expect(formatHeld(operation('held'), FORMAT)).toMatch(/from an older backup/)
    const error = appError('service-error', 'Not known.', '', { recheckReason: 'The answer did not tell.' })
    expect(said(1, { error })).toMatch(/from an older backup/)
  })

  test('that may be there says so, and is compared before it is sent again', () => {
    const insert = (candidates: Operation['candidates']): Operation =>
      operation('held', { kind: 'insert', recordId: '', rechecks: 2, candidates })
    const found = insert([{ ID: '9', Name: 'Birc' }, { ID: '10' }])
    expect(formatHeld(found, FORMAT)).toBe('Bookbridge checked twice and couldn’t tell whether it was added.')
    expect(formatHeld(insert([{ ID: '10' }]), FORMAT)).toBe(
      'Bookbridge checked twice and found no record in the whole list that matches its name or external ID.',
    )
    const offered = (candidates: Operation['candidates']): readonly string[] =>
      outcomeActions({ kind: 'decision', operation: insert(candidates) }).map(({ label }) => label)
    expect(offered([])).toEqual(['Send again', 'Discard'])
    expect(offered([{ ID: '10' }])).toEqual(['Discard'])
  })

  test('whose recheck is inconclusive says that the rest waits, and what the user can do', () => {
    expect(formatUnconfirmed(operation('unknown', { rechecks: 1 }))).toMatch(/before it sends anything else/)
    expect(formatUnconfirmed(operation('unknown', { rechecks: 2 }))).toMatch(
      /Check now .* Continue .* Discard/,
    )
    expect(labels('unknown', { rechecks: 2 })).toEqual(['Why', 'Check now'])
  })

  test('that leaves nothing to choose from can be discarded', () => {
    const error = { kind: 'service-error', message: 'There before.', advice: '', details: {} } as const
    const conflicts = [{ path: 'Phone', asRead: '1', theirs: '3', yours: '2' }]
    expect(labels('conflict', { error })).toEqual(['Show', 'Discard'])
    expect(labels('conflict', { error, conflicts })).toEqual(['Choose', 'Discard'])
    expect(labels('conflict', { conflicts })).toEqual(['Choose'])
    // Deleted: there are fields, but no record with values to choose.
    const draft = { ...edited(), operation: operation('conflict', { error, conflicts: [] }) }
    expect(formatOutcome(rowOutcome(draft, undefined, [], []), String, FORMAT)).toMatchObject({
      text: 'Changed elsewhere',
      more: 'There before.',
    })
  })

  test('that was deleted from the books is a separate case, without a preselected choice', () => {
    const conflicts = [{ path: 'Phone', asRead: '1', theirs: null, yours: '2' }]
    const sent = { ...edited(), operation: operation('conflict', { conflicts }) }
    expect(labels('conflict', { conflicts })).toEqual(['Choose'])
    expect(formatOutcome(rowOutcome(sent, undefined, [], []), String, FORMAT).text).toBe(
      'Deleted in the books',
    )
    const missing = rowOutcome(edited(), undefined, [{ kind: 'vanished' }], [])
    expect(missing).toEqual({ kind: 'deleted', operation: null })
    expect(formatOutcome(missing, String, FORMAT).text).toBe('No longer in the list')
  })
})

describe('a row’s draft', () => {
  test('keeps the record’s value from before the edit', () => {
    expect(edited().edits['Phone']).toEqual({ path: 'Phone', was: '1', now: '2' })
  })

  test('of a new record has its row’s ID and no old values', () => {
    const draft = withValue(draftFor(NEW_ROW, 'unused'), 'customer', 'Name', 'Dunning')
    expect(draft).toMatchObject({ draftId: 'd-new', kind: 'insert', recordId: '', before: {} })
    expect(draft.edits['Name']).toEqual({ path: 'Name', was: null, now: 'Dunning' })
  })

  test('that was refused is plain again once the refused field is touched, not before', () => {
    const refused = { ...edited(), operation: operation('rejected', { errorPath: 'Phone' }) }
    expect(withValue(refused, 'customer', 'Email', 'x').operation).not.toBeNull()
    expect(withValue(refused, 'customer', 'Phone', '3').operation).toBeNull()
    expect(withoutValue(refused, 'Phone').operation).toBeNull()
  })

  test('is locked while its outcome is open, and can be sent if it changes something', () => {
    for (const state of ['sending', 'unknown', 'held', 'conflict'] as const) {
      expect(isLocked({ ...edited(), operation: operation(state) })).toBe(true)
    }
    expect(isLocked({ ...edited(), operation: operation('queued') })).toBe(true)
    expect(isLocked({ ...edited(), operation: operation('queued', { waitsForUser: true }) })).toBe(false)
    expect(isSendable({ ...edited(), operation: operation('queued', { waitsForUser: true }) })).toBe(false)
    expect(isSendable({ ...edited(), operation: operation('rejected') })).toBe(true)
    expect(isSendable(draftFor(ROW, 'd'))).toBe(false)
    const isNewSendable = isSendable(draftFor(NEW_ROW, ''))
    expect(isNewSendable, 'nothing was typed into the new row').toBe(false)
  })

  test('knows what changed underneath, and is moved to the new record as the user decides', () => {
    const fresh = { ...ROW.record, Phone: '9' }
    expect(changesUnderneath('customer', edited(), fresh)).toEqual([
      { path: 'Phone', asRead: '1', theirs: '9', yours: '2' },
    ])
    expect(changesUnderneath('customer', edited(), { ...ROW.record, Phone: '2' })).toEqual([])
    expect(rebased('customer', edited(), fresh, new Set()).edits['Phone']).toEqual({
      path: 'Phone',
      was: '9',
      now: '2',
    })
    expect(rebased('customer', edited(), fresh, new Set(['Phone'])).edits).toEqual({})
  })
})

function named(rowId: string, FullName: string): RecordRow {
  return { rowId, recordId: rowId, record: { ID: rowId, FullName }, origin: 'read' }
}

function namesOf(...rows: readonly RecordRow[]): ListNames {
  const names = new ListNames({ object: 'customer', row: (rowId) => rows.find((row) => row.rowId === rowId) })
  names.addNames(rows)
  return names
}

describe('problems', () => {
  const around = (names: ListNames, rowId = '8') => ({
    object: 'customer',
    rowId,
    names,
    supported: new Set(['Name', 'Phone', 'Parent']),
    vanished: false,
    sharesId: false,
    referenceStatus: () => 'known' as const,
  })

  test('a new record needs a name', () => {
    const draft = withValue(draftFor(NEW_ROW, ''), 'customer', 'Phone', '5')
    expect(problemsOf(draft, around(namesOf(), 'd-new'))).toEqual([{ kind: 'required', path: 'Name' }])
  })

  test('a full name that another record has is taken, in any case and with any quotes, but not its own', () => {
    const kitchen = named('1', 'Abernathy:Kitchen')
    const names = namesOf(kitchen)
    let draft = withValue(draftFor(NEW_ROW, ''), 'customer', 'Name', 'KITCHEN')
    expect(problemsOf(draft, around(names, 'd-new'))).toEqual([])
    draft = withValue(draft, 'customer', 'Parent', { ID: '2', FullName: 'Abernathy' })
    expect(draftFullName('customer', draft)).toBe('Abernathy:KITCHEN')
    expect(problemsOf(draft, around(names, 'd-new'))).toMatchObject([{ kind: 'name-taken' }])
    expect(problemsOf(draft, around(names, '1'))).toEqual([])
    names.addNames([named('3', "O'Leary, Lachlan")])
    const curly = withValue(draftFor(NEW_ROW, ''), 'customer', 'Name', 'O’Leary, Lachlan')
    expect(problemsOf(curly, around(names, 'd-new'))).toMatchObject([{ kind: 'name-taken' }])
    names.forgetRecord(kitchen)
    expect(names.has('Abernathy:Kitchen')).toBe(false)
  })

  test('a colon in a name, and a record that would be its own parent, are reported before sending', () => {
    const inserted = withValue(draftFor(NEW_ROW, ''), 'customer', 'Name', 'Alder:Porch')
    expect(problemsOf(inserted, around(namesOf(), 'd-new'))).toEqual([{ kind: 'colon', path: 'Name' }])
    const parentOf = (now: Reference) => problemsOf(edited('Parent', now), around(namesOf()))
    const itself = [{ kind: 'own-parent', path: 'Parent' }]
    expect(parentOf({ ID: '8', FullName: '' })).toEqual(itself)
    expect(parentOf({ ID: '', FullName: 'birch' })).toEqual(itself)
    expect(parentOf({ ID: '', FullName: 'Birch:Kitchen' })).toEqual(itself)
    expect(parentOf({ ID: '9', FullName: 'Birch' }), 'another one of that name').toEqual([])
  })

  test('a draft of a record with a shared ID is held back', () => {
    const shared = { ...around(namesOf()), sharesId: true }
    const [problem] = problemsOf(edited('Phone', '2'), shared)
    expect(problem).toEqual({ kind: 'shared-id' })
    expect(problem && stopsSending(problem)).toBe(true)
  })

  test('an amount that can’t be sent without rounding holds back only its row', () => {
    const balance = (now: string) =>
      problemsOf(withValue(draftFor(NEW_ROW, ''), 'customer', 'Balance', now), {
        ...around(namesOf(), 'd-new'),
        supported: null,
      }).filter(({ kind }) => kind === 'inexact')
    expect(['1234.56789', '-0.01', '0.00001', '9999999999999.99'].flatMap(balance)).toEqual([])
    for (const now of ['99999999999999.99', '0.12345678901234567'])
      expect(balance(now).map(stopsSending)).toEqual([true])
  })

  test('a list in the wrong format holds back its row', () => {
    const row = { ...ROW, record: { ...ROW.record, Lines: [{ Qty: '2' }] } }
    const lines = (now: string) =>
      problemsOf(withValue(draftFor(row, ''), 'invoice', 'Lines', now), {
        ...around(namesOf()),
        object: 'invoice',
        supported: null,
      })
    expect(lines('[{"Qty":3}]')).toEqual([])
    for (const now of ['', 'two', '{"Qty":3}', '[{"Qty":3}'])
      expect(lines(now)).toEqual([{ kind: 'not-json', path: 'Lines', isList: true }])
  })

  test('a field that the application no longer supports keeps its draft and is a problem', () => {
    expect(problemsOf(edited('Email', 'x@y'), around(namesOf()))).toEqual([
      { kind: 'unsupported', path: 'Email' },
    ])
  })
})

test('problems are checked again if the names in use, the supported fields, or the lists of references change', () => {
  const finder = new ProblemFinder()
  const names = namesOf()
  let status: ReferenceStatus = 'unknown'
  const around = {
    object: 'customer',
    rowId: '8',
    names,
    supported: new Set(['Name', 'Email']),
    vanished: false,
    sharesId: false,
    referenceStatus: (): ReferenceStatus => status,
  }
  const email = edited('Email', 'x@y')
  expect(finder.of(email, around)).toEqual([])
  expect(finder.of(email, { ...around, supported: new Set(['Name']) })).toMatchObject([
    { kind: 'unsupported' },
  ])
  expect(finder.of(email, { ...around, vanished: true })).toMatchObject([{ kind: 'vanished' }])
  const name = edited('Name', 'Cedar')
  expect(finder.of(name, around)).toEqual([])
  names.addNames([named('9', 'Cedar')])
  expect(finder.of(name, around)).toMatchObject([{ kind: 'name-taken' }])
  // The list of terms is read later, and may change.
  const terms = edited('Terms', { ID: '', FullName: 'Net 33' })
  const withTerms = { ...around, supported: null }
  expect(finder.of(terms, withTerms)).toEqual([])
  status = 'missing'
  const missing = { kind: 'no-such-reference', path: 'Terms', fullName: 'Net 33' } as const
  expect(finder.of(terms, withTerms)).toEqual([missing])
  expect(stopsSending(missing)).toBe(true)
  expect(finder.of(edited('Terms', { ID: '7', FullName: 'Net 33' }), withTerms)).toEqual([])
  status = 'known'
  expect(finder.of(terms, withTerms)).toEqual([])
})

test('names of a long list are checked as soon as one is needed, however many were indexed', () => {
  const row = (index: number) => {
    const id = String(index)
    return { rowId: id, recordId: id, record: { ID: id, Name: `N${id}` }, origin: 'read' } as const
  }
  const names = namesOf()
  names.addNames(Array.from({ length: 300 }, (_, index) => row(index)))
  names.prepare().next()
  expect([names.isTaken('n3', '9'), names.isTaken('N3', '3'), names.has(' n299 ')]).toEqual([
    true,
    false,
    true,
  ])
  names.addNames([row(300)])
  names.forgetRecord(row(300))
  expect(names.has('N300')).toBe(false)
})

describe('what a row says', () => {
  test('is its operation first, then what changed underneath, then its problems', () => {
    const problem = [{ kind: 'required', path: 'Name' }] as const
    const change = [{ path: 'Phone', asRead: '1', theirs: '9', yours: '2' }]
    expect(rowOutcome(undefined, undefined, [], []).kind).toBe('none')
    expect(rowOutcome(edited(), undefined, [], []).kind).toBe('draft')
    expect(rowOutcome(edited(), undefined, problem, []).kind).toBe('problem')
    expect(rowOutcome(edited(), undefined, problem, change).kind).toBe('underneath')
    expect(rowOutcome({ ...edited(), operation: operation('held') }, undefined, problem, change).kind).toBe(
      'decision',
    )
    expect(outcomeSign(rowOutcome({ ...edited(), operation: operation('held') }, undefined, [], []))).toBe(
      'decision',
    )
  })

  test('is named correctly: what waits in the queue isn’t waiting for authorization', () => {
    const said = (waitsForUser: boolean) =>
      formatSign(
        rowOutcome({ ...edited(), operation: operation('queued', { waitsForUser }) }, undefined, [], []),
      )
    expect([said(true), said(false)]).toEqual(['not sent yet', 'waits to be sent'])
    expect(formatSign(rowOutcome(edited(), undefined, [], []))).toBeUndefined()
  })

  test('says first what the service said, and then what was read', () => {
    const error = appError('service-error', 'The period is closed.', 'Open it first.')
    const held = operation('held', { error, rechecks: 1 })
    expect(formatHeld(held, FORMAT)).toMatch(
      /^When it was sent: The period is closed\. Bookbridge read the record once/,
    )
    const dropped = { ...held, error: appError('dropped', 'The connection to 127.0.0.1 ended.') }
    expect(formatHeld(dropped, FORMAT)).toMatch(/^Bookbridge read the record once/)
    const draft = { ...edited(), operation: held }
    expect(formatOutcome(rowOutcome(draft, undefined, [], []), String, FORMAT)).toMatchObject({
      text: 'Your decision',
      more: '',
    })
  })

  test('says in a few words what the application filled in, and in the tooltip which fields', () => {
    const said = (after: Operation['after']) => {
      const mark = markOf(operation('acked', { after, settledAt: '2026-01-01T09:21:00' }))
      return formatOutcome({ kind: 'saved', mark }, String, FORMAT)
    }
    const filled = { ID: '8', Terms: { ID: 't', FullName: 'Net 30' } }
    expect(said({ ID: '8' })).toMatchObject({ more: '', whole: 'Saved 9:21 AM' })
    expect(said(filled)).toMatchObject({
      more: 'filled in Terms: Net 30',
      whole: 'Saved 9:21 AM: the application filled in Terms: Net 30',
    })
    expect(said({ ...filled, Phone: '1' })).toMatchObject({
      more: '2 fields filled in',
      whole: 'Saved 9:21 AM: the application filled in Terms: Net 30, Phone: 1',
    })
  })

  test('says itself that a value is too long, before the service’s words', () => {
    const error = appError('service-error', 'The service says: The string "1" is too long.', '')
    const refused = operation('rejected', { error, errorPath: 'Phone' })
    expect(formatTooLong(refused, String)).toBe('Phone is too long. Shorten it, then send it again.')
    expect(formatTooLong({ ...refused, errorPath: '' }, String)).toBe('')
    const taken = appError('service-error', 'The name is taken.', '')
    expect(formatTooLong({ ...refused, error: taken }, String)).toBe('')
  })

  test('keeps the service’s message about a saved record until it is seen', () => {
    const error = appError('service-error', 'The notes were not saved.', '')
    const warned = rowOutcome(undefined, markOf(operation('acked', { error })), [], [])
    expect(formatOutcome(warned, String, FORMAT)).toMatchObject({
      text: 'Saved, with a warning',
      more: 'The notes were not saved.',
      strong: false,
    })
    expect(calloutLabel(warned)).toBe('Show')
    expect(rowOutcome(undefined, markOf(operation('acked')), [], []).kind).toBe('saved')
  })

  test('marks the cell that a refusal names, or the edited ones if it names none', () => {
    const draft = { ...edited(), operation: operation('rejected', { errorPath: 'Phone' }) }
    const named = rowOutcome(draft, undefined, [], [])
    expect(cellMark(named, 'Phone', draft)).toBe('not-accepted')
    expect(cellMark(named, 'Email', draft)).toBeNull()
    const unnamed = { ...draft, operation: operation('rejected') }
    expect(cellMark(rowOutcome(unnamed, undefined, [], []), 'Phone', unnamed)).toBe('not-accepted')
  })

  test('is listed under the matching chips', () => {
    const unknown = { ...edited(), operation: operation('unknown') }
    const outcome = rowOutcome(unknown, undefined, [], [])
    expect(isUnder('not-confirmed', unknown, outcome, false)).toBe(true)
    expect(isUnder('changes', unknown, outcome, false)).toBe(true)
    expect(isUnder('new', unknown, outcome, false)).toBe(false)
    expect(isUnder('problems', unknown, outcome, false)).toBe(false)
    const held = { ...edited(), operation: operation('held') }
    const decision = rowOutcome(held, undefined, [], [])
    expect(isUnder('problems', held, decision, false)).toBe(true)
    expect(isUnder('not-confirmed', held, decision, false)).toBe(false)
    const added: RowDraft = { ...edited(), kind: 'insert' }
    expect(isUnder('changes', added, rowOutcome(added, undefined, [], []), false)).toBe(true)
    const saved = rowOutcome(undefined, markOf(operation('acked')), [], [])
    expect([true, false].map((isReviewing) => isUnder('changes', undefined, saved, isReviewing))).toEqual([
      true,
      false,
    ])
  })
})

describe('saving drafts', () => {
  const numbered = (draftId: string, value = 'x') => ({ ...edited('Phone', value), draftId })

  test('keeps the order of a draft’s states, and the last one wins', async () => {
    const seen: string[] = []
    const saver = new DraftSaver({
      save: async (drafts) => {
        await new Promise((done) => setImmediate(done))
        seen.push(...drafts.map((draft) => JSON.stringify(draft.edits['Phone']?.now)))
        return ok([])
      },
      onfailure: () => undefined,
      retryAfter: 1,
    })
    saver.save(edited('Phone', 'a'))
    await Promise.resolve()
    for (const value of ['b', 'c']) saver.save(edited('Phone', value))
    expect(await saver.settled()).toBe(true)
    expect(seen.at(-1)).toBe('"c"')
    expect(seen.length).toBeLessThanOrEqual(2)
  })

  test('combines simultaneous changes into few calls, none of them large', async () => {
    const sizes: number[] = []
    const saver = new DraftSaver({
      save: (drafts) => {
        sizes.push(drafts.length)
        return Promise.resolve(ok([]))
      },
      onfailure: () => undefined,
      retryAfter: 1,
    })
    for (let index = 0; index < 1_200; index += 1) saver.save(numbered(String(index)))
    expect(await saver.settled()).toBe(true)
    expect(sizes).toEqual(Array<number>(12).fill(100))
  })

  test('retries failures, says so, and says when everything is saved', async () => {
    const said: boolean[] = []
    const answers: Result<never[]>[] = [err(appError('store', 'The disk is full.')), ok([])]
    const saver = new DraftSaver({
      save: () => Promise.resolve(answers.shift() ?? ok([])),
      onfailure: (error) => said.push(error !== null),
      retryAfter: 5,
    })
    saver.save(edited())
    await expect.poll(() => said).toEqual([true, false])
    expect(saver.isPending('d')).toBe(false)
  })

  test('a rejected one doesn’t prevent others from being saved, and is retried alone', async () => {
    const calls: string[][] = []
    const error = appError('invalid-input', 'This record is being sent.')
    const saver = new DraftSaver({
      save: (drafts) => {
        calls.push(drafts.map(({ draftId }) => draftId))
        return Promise.resolve(ok(calls.length === 1 ? [{ draftId: '2', error }] : []))
      },
      onfailure: () => undefined,
      retryAfter: 60_000,
    })
    for (const draftId of ['1', '2', '3']) saver.save(numbered(draftId))
    await expect
      .poll(() => [1, 2, 3].map((each) => saver.isPending(String(each))))
      .toEqual([false, true, false])
    expect(await saver.settled()).toBe(true)
    expect(calls).toEqual([['1', '2', '3'], ['2']])
  })
})

describe('rows', () => {
  test('of records without an ID, or with a repeated one, are shown separately and have no ID to send to', () => {
    const rows = new RowFactory().rowsOf(
      chunkOf([{ ID: '1', Name: 'a' }, { ID: '1', Name: 'b' }, { Name: 'x' }]),
    )
    expect(rows.map((row) => row.recordId)).toEqual(['1', '', ''])
    expect(new Set(rows.map((row) => row.rowId)).size).toBe(3)
    const shared = new SharedIds()
    rows.forEach((row) => shared.note(row))
    expect(rows.map((row) => shared.reason(row))).toEqual([
      expect.stringMatching(/Several records share the ID 1\./),
      expect.stringMatching(/Several records share the ID 1\./),
      expect.stringMatching(/This record has no ID/),
    ])
    // Read again, and now it is unique: what can be distinguished can be changed.
    rows.slice(1).forEach((row) => shared.forget(row))
    expect(rows.slice(0, 1).map((row) => shared.reason(row))).toEqual([''])
    expect(shared.isAny).toBe(false)
  })

  test('have the names of their records, which are parsed when they are needed', () => {
    const records = [
      { ID: '1', Name: 'Kovač', FullName: 'Ward:Kovač', Balance: '12.50' },
      { id: '2', Name: 'spelled in another way' },
      { ID: '3', Name: '', Parent: { FullName: 'not its own' } },
    ]
    const rows = new RowFactory().rowsOf(chunkOf(records))
    expect(rows.map(rowName)).toEqual(['Ward:Kovač', 'spelled in another way', '3'])
    expect(rows.map(({ recordId }) => recordId)).toEqual(['1', '', '3'])
    expect(rows.map(({ record }) => record)).toEqual(records)
    expect(rows[0]?.record).toBe(rows[0]?.record)
  })
})

test('a saved record has the answer’s values, and the sent ones for omitted fields', () => {
  const record = mergedRecord(
    { ID: '8', Phone: '1', Email: 'a', BillingAddress: { City: 'X', State: 'CA' } },
    {
      kind: 'change',
      edits: [
        { path: 'Phone', was: '1', now: '' },
        { path: 'BillingAddress.City', was: 'X', now: 'Y' },
      ],
      after: { ID: '8', Email: 'b' },
    },
  )
  expect(record).toEqual({ ID: '8', Phone: '', Email: 'b', BillingAddress: { City: 'Y', State: 'CA' } })
})

test('a new record has nothing of the deleted one that had its ID', () => {
  const record = mergedRecord(
    { ID: '7', Name: 'Old Client', Phone: '415-555-0101', Balance: '90' },
    {
      kind: 'insert',
      edits: [{ path: 'Name', was: null, now: 'New Client' }],
      after: { ID: '7', Name: 'New Client' },
    },
  )
  expect(record).toEqual({ ID: '7', Name: 'New Client' })
})

test('saved changes are marked on the record’s row, even for a new one when the list is opened again', () => {
  const born = operation('acked', { kind: 'insert', recordId: '', after: { ID: 'N1', Name: 'Birch' } })
  expect(savedRowIdOf(born)).toBe('N1')
  expect(savedRowIdOf(operation('acked', { after: null }))).toBe('8')
  expect(savedRowIdOf({ ...born, after: { Name: 'Birch' } })).toBe('d')
  expect(savedRowIdOf({ ...born, after: { ID: '', Name: 'Birch' } })).toBe('d')
})
