// The review's warnings about likely mistakes before anything is sent, and its notes about fields that the application
// filled in.
import { describe, expect, test } from 'vitest'
import { problemsOf } from '../../../../renderer/records/drafts/problems.ts'
import { draftFor, type RowDraft, withValue } from '../../../../renderer/records/drafts/row-draft.ts'
import { groupWarnings, type Warning, warningsOf } from '../../../../renderer/records/drafts/warnings.ts'
import { ListNames } from '../../../../renderer/records/list/names.ts'
import type { ReferenceStatus } from '../../../../renderer/records/list/references.svelte.ts'
import { formatOutcome, SavedMarks } from '../../../../renderer/records/outcome/outcome.ts'
import type { Operation } from '../../../../shared/contract/records.ts'
import { Format } from '../../../../shared/format/format.ts'
import { type EditValue, type RecordData, shownValue, textOf } from '../../../../shared/records/changes.ts'

const format = new Format({ locale: 'en-US', negatives: 'minus', timeZone: 'UTC' })
const KOWHAI: RecordData = {
  ID: 'k-1',
  Name: 'Kowhai',
  FullName: 'Kowhai',
  Balance: '120.50',
  IsActive: 'true',
  Terms: { ID: 't', FullName: 'Net 20' },
}
/** Every field in these tests except `Mobile`. */
const TAKEN = new Set(['Name', 'Terms', 'IsActive', 'Balance', 'CreditLimit', 'Phone', 'Parent'])

function existing(edits: Readonly<Record<string, EditValue>>, record = KOWHAI): RowDraft {
  return typed(draftFor({ rowId: 'k-1', recordId: 'k-1', record, origin: 'read' }, 'd-1'), edits)
}

function added(edits: Readonly<Record<string, EditValue>>): RowDraft {
  return typed(draftFor({ rowId: 'd-2', recordId: '', record: {}, origin: 'new' }, 'd-2'), edits)
}

function typed(draft: RowDraft, edits: Readonly<Record<string, EditValue>>): RowDraft {
  return Object.entries(edits).reduce((made, [path, now]) => withValue(made, 'customer', path, now), draft)
}

function warnings(
  draft: RowDraft,
  known: readonly string[] = [],
  otherwise: ReferenceStatus = 'unknown',
): readonly Warning[] {
  const names = new ListNames({ object: 'customer', row: () => undefined })
  names.addNames([{ rowId: 'r-1', recordId: 'r-1', record: { ID: 'r-1', Name: 'Rimu' }, origin: 'read' }])
  const referenceStatus = (_: string, fullName: string): ReferenceStatus =>
    known.includes(fullName) ? 'known' : otherwise
  const name = draft.edits['Name']?.now
  return warningsOf([draft], {
    object: 'customer',
    format,
    nameOf: () => (typeof name === 'string' ? name : 'Kowhai'),
    fieldLabel: (path) => path,
    problems: (each) =>
      problemsOf(each, {
        object: 'customer',
        rowId: each.recordId || each.draftId,
        names,
        supported: TAKEN,
        vanished: false,
        sharesId: false,
        referenceStatus,
      }),
    referenceStatus,
    similarReference: (_, fullName) => (fullName === 'Net 45' ? { ID: 't-3', FullName: 'Net 40' } : null),
    shownText: (each, path) => textOf(shownValue('customer', KOWHAI, each.edits, path)),
  })
}

const said = (list: readonly Warning[]): string[] =>
  list.map(({ kind, subject, text }) => `${kind}: ${subject} ${text}`)

describe('the review points out', () => {
  test('a record that would be renamed, under the name that it has', () => {
    expect(said(warnings(existing({ Name: 'Rata' })))).toEqual(['rename: Kowhai would be renamed “Rata”.'])
    expect(warnings(existing({ Name: 'Rata' }, { ...KOWHAI, Name: '' }))).toEqual([])
  })

  test('a full name that another record has, in any case', () => {
    expect(said(warnings(added({ Name: 'RIMU' })))).toEqual([
      'name: RIMU has a name that already exists. The application may reject the second one.',
    ])
    expect(warnings(added({ Name: 'Rata' }))).toEqual([])
    // Under a parent, it has another full name.
    expect(warnings(added({ Name: 'Rimu', Parent: { ID: 'k-1', FullName: 'Kowhai' } }))).toEqual([])
  })

  test('a reference that no record in the list has', () => {
    const draft = existing({ Terms: { ID: '', FullName: 'Net 45' } })
    expect(said(warnings(draft))).toEqual([
      'reference: Kowhai uses terms “Net 45”, which no other record uses. Check the spelling.',
    ])
    expect(said(warnings(draft, [], 'missing'))).toEqual([
      'missing: Kowhai uses terms “Net 45”, which this company doesn’t have.',
    ])
    expect(warnings(draft, [], 'missing')[0]?.reference).toEqual({
      path: 'Terms',
      meant: { ID: 't-3', FullName: 'Net 40' },
    })
    expect(warnings(draft, ['Net 45'])).toEqual([])
    expect(warnings(existing({ Terms: { ID: 't-2', FullName: 'Net 45' } }))).toEqual([])
    expect(warnings(existing({ Terms: { ID: '', FullName: '' } }))).toEqual([])
  })

  test('an amount a hundred times the old one, or a hundredth of it', () => {
    const amount = (now: string, was = '250.00') => existing({ Balance: now }, { ...KOWHAI, Balance: was })
    expect(warnings(amount('25000.00')).map(({ kind }) => kind)).toContain('amount')
    expect(warnings(amount('2.50')).map(({ kind }) => kind)).toContain('amount')
    expect(warnings(amount('-25000.00')).map(({ kind }) => kind)).toContain('amount')
    for (const now of ['24999.99', '2.51', '0.00', '251.00']) {
      expect(warnings(amount(now)).map(({ kind }) => kind)).not.toContain('amount')
    }
    expect(warnings(amount('0.5', '0.005')).map(({ kind }) => kind)).toContain('amount')
    expect(warnings(amount('100.00', '0.00')).map(({ kind }) => kind)).not.toContain('amount')
    expect(warnings(amount('25000')).find(({ kind }) => kind === 'amount')?.text).toBe(
      ': Balance changes from 250.00 to 25,000.00.',
    )
  })

  test('the field that it is about, for Show', () => {
    const edits = { Phone: '(415) 555-0199', 'BillingAddress.PostalCode': '2134', Terms: '' }
    expect(warnings(existing(edits)).map(({ kind, path }) => [kind, path])).toContainEqual([
      'zip',
      'BillingAddress.PostalCode',
    ])
  })

  test('an email address, a phone number, or a ZIP code that can’t be right', () => {
    const details = (draft: RowDraft): readonly string[] =>
      said(warnings(draft)).filter((each) => /^(?:email|phone|zip): /.test(each))
    expect(details(existing({ Email: 'kowhai.example.com', Phone: '555-01' }))).toEqual([
      'email: Kowhai : Email “kowhai.example.com” doesn’t look like an email address.',
      'phone: Kowhai : Phone “555-01” doesn’t look like a phone number.',
    ])
    expect(details(existing({ Email: '', Phone: '', Mobile: '(415) 555-0142 x7' }))).toEqual([])
    const code = (PostalCode: string, Country = ''): readonly string[] =>
      details(existing({ 'BillingAddress.Country': Country, 'BillingAddress.PostalCode': PostalCode }))
    // A spreadsheet removed the leading zero.
    expect(code('2134')).toEqual([
      'zip: Kowhai : BillingAddress.PostalCode “2134” doesn’t look like a ZIP code.',
    ])
    expect(code('941100', 'USA')).toHaveLength(1)
    for (const right of ['02134', '94110-1234', '941101234', 'K1A 0B1', '']) expect(code(right)).toEqual([])
    expect(code('8001', 'Switzerland')).toEqual([])
  })

  test('going inactive with a balance', () => {
    expect(said(warnings(existing({ IsActive: 'false' })))).toEqual([
      'inactive: Kowhai would be made inactive with a balance of 120.50.',
    ])
    expect(warnings(existing({ IsActive: 'true' }))).toEqual([])
  })

  test('an opening balance that will post', () => {
    expect(said(warnings(added({ Name: 'Rata', Balance: '75.00' })))).toEqual([
      'opening: Rata has an opening balance of 75.00, which will post to the books.',
    ])
    expect(warnings(added({ Name: 'Rata', Balance: '0.00' }))).toEqual([])
  })

  test('what is held back: a missing name, and a field that the application no longer supports', () => {
    expect(said(warnings(added({ Phone: '555-0101' })))).toEqual([
      'held-back: Kowhai has no name and is not sent.',
    ])
    expect(said(warnings(existing({ Mobile: '555-0102' })))).toEqual([
      'held-back: Kowhai changes Mobile, which this application doesn’t accept. It won’t be sent.',
    ])
  })
})

test('warnings with the same cause are combined, and the most serious come first', () => {
  const terms = { Terms: { ID: '', FullName: 'Net 15' } }
  const groups = groupWarnings([
    ...warnings(existing(terms)),
    ...warnings(existing({ Terms: { ID: '', FullName: 'Net 16' } })),
    ...warnings(existing(terms)),
    ...warnings(existing({ Terms: { ID: '', FullName: 'Net 17' } }), [], 'missing'),
    ...warnings(added({ Name: 'Rata', Balance: '75.00' })),
    ...warnings(added({ Name: 'Miro', Balance: '80.00' })),
    ...warnings(added({ Phone: '555-0101' })),
  ])
  expect(groups.map(({ text, warnings: each }) => [each.length, text])).toEqual([
    [1, 'have no name and are not sent.'],
    [1, 'use terms “Net 17”, which this company doesn’t have.'],
    [2, 'have an opening balance, which will post to the books.'],
    [2, 'use terms “Net 15”, which no other record uses. Check the spelling.'],
    [1, 'use terms “Net 16”, which no other record uses. Check the spelling.'],
  ])
})

describe('a saved record', () => {
  const saved = (more: Partial<Operation>): Operation =>
    ({
      object: 'customer',
      kind: 'insert',
      edits: [],
      notAsSent: [],
      after: {},
      queuedAt: '2026-01-01T09:21:00Z',
      ...more,
    }) as Operation
  const markOf = (before: RecordData, operation: Operation) => {
    const marks = new SavedMarks()
    marks.add('k-1', operation, before)
    return marks.of('k-1') ?? expect.fail()
  }
  const filledIn = (before: RecordData, operation: Operation) => markOf(before, operation).filledIn

  test('says what the application filled in, except what every record has', () => {
    const operation = saved({
      edits: [{ path: 'Name', was: null, now: 'Rata' }],
      after: {
        ID: 'n-1',
        Name: 'Rata',
        FullName: 'Rata',
        CreatedDate: '2026-01-01T00:00:00Z',
        ExternalID: 'our mark',
        IsActive: 'true',
        Balance: '0.00',
        Phone: '',
        TaxCode: { ID: 'x', FullName: 'Non' },
        BillingAddress: { Line1: '1 Queen St', City: '' },
        Class: { ID: '', FullName: '' },
      },
    })
    const outcome = { kind: 'saved', mark: markOf({}, operation) } as const
    expect(formatOutcome(outcome, String, format).whole).toBe(
      'Saved 9:21 AM: the application filled in TaxCode: Non, BillingAddress: 1 Queen St',
    )
  })

  test('reports nothing if its other fields are as before, but reports one that was moved', () => {
    const change = (after: RecordData) =>
      saved({ kind: 'change', edits: [{ path: 'Terms', was: null, now: '' }], after })
    expect(filledIn(KOWHAI, change({ ...KOWHAI, Terms: { ID: 'u', FullName: 'Net 5' } }))).toEqual([])
    expect(filledIn(KOWHAI, change({ IsActive: true, Balance: '120.50', Phone: null }))).toEqual([])
    expect(filledIn(KOWHAI, change({ ...KOWHAI, IsActive: 'false' }))).toEqual([
      { field: 'IsActive', value: 'false' },
    ])
  })

  test('doesn’t repeat what is reported as saved differently', () => {
    const difference = { path: 'TaxCode', asRead: null, theirs: 'Tax', yours: 'Non' }
    expect(filledIn({}, saved({ notAsSent: [difference], after: { TaxCode: 'Tax' } }))).toEqual([])
  })
})
