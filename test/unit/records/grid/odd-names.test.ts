/**
 * Fields and lists may have any name, even that of a member of every JavaScript object: their values are edited, saved,
 * shown, and found like any others.
 */
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JournalOperation } from '../../../../electron/store/journal/journal.ts'
import { openStore } from '../../../../electron/store/store.ts'
import { differencesFrom } from '../../../../electron/writing/records/compare.ts'
import { draftAfterChoice } from '../../../../electron/writing/records/decide.ts'
import { recordBody } from '../../../../electron/writing/records/payload.ts'
import {
  draftFor,
  fromStored,
  type RowDraft,
  withoutValue,
  withValue,
} from '../../../../renderer/records/drafts/row-draft.ts'
import { cellReader } from '../../../../renderer/records/grid/cell-values.ts'
import { readLayout } from '../../../../renderer/records/grid/columns/column-state.ts'
import {
  allColumns,
  MARGIN,
  OUTCOME,
  planColumns,
  STATE_COLUMNS,
} from '../../../../renderer/records/grid/columns/plan.ts'
import { proposeColumns } from '../../../../renderer/records/import/columns/headings.ts'
import type { RecordRow } from '../../../../renderer/records/list/rows.ts'
import { SavedMarks } from '../../../../renderer/records/outcome/outcome.ts'
import type { RecordsView } from '../../../../renderer/records/screen/records-view.svelte.ts'
import { CALLS } from '../../../../shared/contract/contract.ts'
import type { Operation } from '../../../../shared/contract/records.ts'
import {
  type EditValue,
  memberOf,
  pathOf,
  shownValue,
  textOf,
  topField,
} from '../../../../shared/records/changes.ts'
import { pathHeading } from '../../../../shared/records/fields.ts'
import { mergedRecord } from '../../../../shared/records/outcome.ts'
import { reportTitle } from '../../../../shared/reports/reports.ts'
import { value } from '../../../result.ts'
import { COMPANY, testFolder } from '../../writing/world.ts'
import { standIn } from '../list/stand-in.ts'

const ODD = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']
const NAMES = fc.constantFrom(...ODD, 'Phone', 'Color')
const TEXT = fc.string({ maxLength: 4 })
/** A record from JSON.parse, where `__proto__` is an own member. */
const RECORDS = fc
  .array(fc.tuple(NAMES, TEXT), { maxLength: 6 })
  .map(
    (members): RecordRow['record'] =>
      JSON.parse(JSON.stringify(Object.fromEntries([['ID', '7'], ...members]))) as RecordRow['record'],
  )

function rowOf(record: RecordRow['record']): RecordRow {
  return { rowId: '7', recordId: '7', record, origin: 'read' }
}

function typed(record: RecordRow['record'], puts: readonly (readonly [string, string | null])[]): RowDraft {
  return puts.reduce(
    (draft, [path, now]) =>
      now === null ? withoutValue(draft, path) : withValue(draft, 'widget', path, now),
    draftFor(rowOf(record), '5f3c1f9e-2b5d-4b0e-9a57-0d7a3f3f8a11'),
  )
}

const PUTS = fc.array(fc.tuple(NAMES, fc.option(TEXT)), { maxLength: 12 })

describe('a field with a name that every object has', () => {
  test('accepts and returns edits, like a map', () => {
    fc.assert(
      fc.property(RECORDS, PUTS, (record, puts) => {
        const was = new Map(Object.entries(record))
        const model = new Map<string, string>()
        for (const [path, now] of puts) {
          if (now === null || now === (was.get(path) ?? '')) model.delete(path)
          else model.set(path, now)
        }
        const draft = typed(record, puts)
        expect(new Map(Object.values(draft.edits).map(({ path, now }) => [path, now]))).toEqual(model)
        const view = standIn<RecordsView>({ list: { drafts: { draft: () => draft } } })
        const plan = planColumns(
          'widget',
          Object.keys(record).map((name) => ({ name, members: [] })),
          null,
        )
        for (const path of [...ODD, 'Phone']) {
          const expected: EditValue = model.get(path) ?? textOf(was.get(path))
          expect(shownValue('widget', record, draft.edits, path)).toBe(expected)
          const column = allColumns(plan).find((each) => each.path === path)
          expect(column === undefined).toBe(!was.has(path))
          if (!column) continue
          expect(column.width).toBeGreaterThan(0)
          expect(cellReader(column, view.list.drafts)(rowOf(record))).toBe(expected)
        }
      }),
    )
  })

  test('is saved to disk, including the record as it was read, and read again', () => {
    const path = join(testFolder(), 'drafts.sqlite')
    fc.assert(
      fc.property(RECORDS, PUTS, (record, puts) => {
        const draft = typed(record, puts)
        const { draftId, kind, recordId, before } = draft
        const edits = Object.values(draft.edits)
        const sent = {
          company: COMPANY,
          object: 'widget',
          drafts: [{ draftId, kind, recordId, before, edits }],
        }
        const { drafts, ...of } = CALLS['records.saveDrafts'].input.parse(structuredClone(sent))
        const store = value(openStore(path, { now: () => 0 }))
        const changedAt = new Date(0).toISOString()
        store.drafts.saveAll(drafts.map((each) => ({ ...of, ...each, changedAt })))
        store.close()
        const again = value(openStore(path, { now: () => 0 }))
        const stored = again.drafts
          .list(COMPANY, 'widget')
          .map((each) => fromStored({ ...each, operation: null }))
        again.close()
        expect(stored).toHaveLength(edits.length === 0 ? 0 : 1)
        for (const kept of stored) {
          expect(Object.entries(kept.edits)).toEqual(Object.entries(draft.edits))
          expect(Object.entries(kept.before)).toEqual(Object.entries(record))
        }
      }),
      { numRuns: 25 },
    )
  })

  test('is reported only if the application gave it a value, and is in the record afterward', () => {
    for (const name of ODD) {
      const after = JSON.parse(`{"ID": "7", "${name}": "new"}`) as RecordRow['record']
      const operation = standIn<Operation>({
        after,
        object: 'widget',
        kind: 'change',
        edits: [],
        notAsSent: [],
      })
      const marks = new SavedMarks()
      marks.add('new', operation, { ID: '7' })
      marks.add('as before', operation, after)
      expect(marks.of('new')?.filledIn).toEqual([{ field: name, value: 'new' }])
      expect(marks.of('as before')?.filledIn).toEqual([])
      expect(Object.entries(mergedRecord({ ID: '7' }, operation))).toContainEqual([name, 'new'])
    }
  })

  test('can be chosen if both sides differ', () => {
    for (const name of ODD) {
      const conflict = JSON.parse(`{"ID": "7", "${name}": "theirs", "Phone": "1"}`) as RecordRow['record']
      const operation = standIn<JournalOperation>({
        theirs: conflict,
        object: 'widget',
        draftId: 'd',
        company: COMPANY,
        edits: [
          { path: name, was: 'old', now: 'yours' },
          { path: 'Phone', was: '1', now: '2' },
        ],
        conflicts: [{ path: name, asRead: 'old', theirs: 'theirs', yours: 'yours' }],
      })
      for (const side of ['theirs', 'yours']) {
        const choices = Object.fromEntries([[name, side]])
        const sent = { operationId: 'o', decision: { what: 'choose', choices } }
        const { decision } = CALLS['records.decide'].input.parse(structuredClone(sent))
        const chosen = decision.what === 'choose' ? decision.choices : {}
        const draft = value(draftAfterChoice(operation, chosen, ''))
        expect(draft?.edits.map(({ path }) => path)).toEqual(side === 'theirs' ? ['Phone'] : [name, 'Phone'])
      }
    }
    const refused = { operationId: 'o', decision: { what: 'choose', choices: { Phone: 'ours' } } }
    expect(CALLS['records.decide'].input.safeParse(refused).success).toBe(false)
  })

  test('is found among the columns of a file', () => {
    for (const name of ODD) {
      const [column] = proposeColumns('widget', [pathHeading('widget', name)], [name, `Address.${name}`], [])
      expect(column?.path).toBe(name)
    }
  })
})

test('a list or report with such a name has no saved columns and no other title', () => {
  for (const name of ODD) {
    expect(readLayout({}, name)).toBeNull()
    expect(reportTitle(name)).toBe(name)
  }
})

describe('a field that is named like one of the grid’s own columns', () => {
  test('is distinguished from it, whatever precedes or follows its name', () => {
    const name = fc.string({ unit: fc.constantFrom('\\', '.', 'outcome', 'tick', 'margin'), maxLength: 4 })
    fc.assert(
      fc.property(name, fc.option(name), (field, member) => {
        expect(STATE_COLUMNS).not.toContain(pathOf(field, member))
      }),
    )
    const found = ['margin', 'outcome', 'tick'].map((field) => ({ name: field, members: [] }))
    expect(allColumns(planColumns('widget', found, null)).map(({ path }) => path)).toEqual([
      'margin',
      'outcome',
      'tick',
    ])
  })

  test('has its own width', () => {
    const kept = (...ids: readonly string[]): readonly string[] => {
      const columns = ids.map((id) => ({ id, width: 100, hide: false }))
      return readLayout({ widget: { columns, unfolded: [] } }, 'widget')?.columns.map(({ id }) => id) ?? []
    }
    expect(kept(MARGIN, 'outcome', OUTCOME)).toEqual([MARGIN, 'outcome', OUTCOME])
  })
})

describe('a field with a dot in its name', () => {
  const part = fc.string({ unit: fc.constantFrom('a', '.', '\\', ' '), maxLength: 5 })

  test('is distinguished from a member of another one', () => {
    fc.assert(
      fc.property(part, fc.option(part), (field, member) => {
        const path = pathOf(field, member)
        expect([topField(path), memberOf(path)]).toEqual([field, member])
      }),
    )
    expect(pathOf('BillingAddress', 'City')).toBe('BillingAddress.City')
  })

  test('is shown, sent, and compared under its own name', () => {
    const record = { ID: '7', 'P.O. Number': '12', 'a.b': { 'c.d': '1', e: '2' } }
    const found = [
      { name: 'P.O. Number', members: [] },
      { name: 'a.b', members: ['c.d', 'e'] },
    ]
    const paths = allColumns(planColumns('widget', found, null)).flatMap(({ path, type }) =>
      type === 'line' ? [] : [path],
    )
    expect(paths.map((path) => shownValue('widget', record, undefined, path))).toEqual(['12', '1', '2'])
    const draft = typed(
      record,
      paths.map((path) => [path, 'new']),
    )
    const edits = Object.values(draft.edits)
    const sent = {
      object: 'widget',
      kind: 'change',
      recordId: '7',
      edits,
      externalId: '',
      current: record,
    } as const
    const json = '{"ID":"7","P.O. Number":"new","a.b":{"c.d":"new","e":"new"}}'
    expect(recordBody(sent)).toEqual({ ok: true, value: json })
    const after = JSON.parse(json) as RecordRow['record']
    expect(differencesFrom({ object: 'widget', edits, before: record }, after)).toEqual([])
  })
})

test('a field with members that a record has as a single value shows that value in its line', () => {
  const [line] = allColumns(planColumns('widget', [{ name: 'Deep', members: ['a', 'b'] }], null))
  if (!line) throw new Error('no column')
  const view = standIn<RecordsView>({ list: { drafts: { draft: () => undefined } } })
  const shown = [{ a: 'x', b: 'y' }, 'flat', ['1'], 5, {}, null].map((Deep) =>
    cellReader(line, view.list.drafts)(rowOf({ ID: '7', Deep })),
  )
  expect(shown).toEqual(['x, y', 'flat', '["1"]', '5', '', ''])
})
