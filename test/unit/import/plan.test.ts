// The drafts of an import: no row is lost, unchanged values make no edits, and no record is added twice or confused
// with another.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvPieces } from '../../../electron/files/csv/csv.ts'
import { failedRowsFile } from '../../../electron/files/import/failed-rows.ts'
import { IMPORT_LIMITS } from '../../../electron/files/import/limits.ts'
import { readSource } from '../../../electron/files/import/read-source.ts'
import { readCsv } from '../../../electron/files/import/text-reader.ts'
import { type ColumnTarget, proposeColumns } from '../../../renderer/records/import/columns/headings.ts'
import { findRepeats } from '../../../renderer/records/import/plan/fingerprint.ts'
import {
  type ImportInput,
  type ImportPlan,
  refusedRows,
  rowFingerprints,
} from '../../../renderer/records/import/plan/plan.ts'
import type { PastImport } from '../../../shared/contract/import.ts'
import {
  type HeadedTable,
  type ImportCell,
  REASON_HEADING,
  withHeadings,
} from '../../../shared/import/table.ts'
import { type RecordData, textOf, valueAt } from '../../../shared/records/changes.ts'
import { objectDefinition } from '../../../shared/records/definition.ts'
import { importPaths, pathHeading } from '../../../shared/records/fields.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { fileFingerprint, planImport } from '../../import-sync.ts'
import { isDeep } from '../../seeds.ts'
import { bytesOf, partsOf } from '../files/workbook-fixture.ts'

const ALL = new Set(objectDefinition('customer')?.fields.map(({ name }) => name))
const TARGET = { connectionId: 'c', endpointId: 'e', object: 'customer' }

function tableOf(headings: readonly string[], ...rows: readonly (readonly ImportCell[])[]): HeadedTable {
  return { headings, headingRow: 1, rows: rows.map((cells, index) => ({ number: index + 2, cells })) }
}

function plan(
  table: HeadedTable,
  records: readonly RecordData[],
  more: Partial<ImportInput> = {},
): ImportPlan {
  const { object } = more.target ?? TARGET
  return planImport({
    target: TARGET,
    table,
    columns: proposeColumns(object, table.headings, importPaths(object, []), []),
    records,
    isWholeList: true,
    supported: ALL,
    locked: new Map(),
    local: { separators: { decimal: '.', group: ',' }, dates: 'month-first' },
    formats: { separators: null, dates: null },
    matchBy: null,
    acceptedDamage: new Set(),
    ...more,
  })
}

/** The edits of a row's draft as `path: now`, or the row's other outcome. */
function became({ outcomes }: ImportPlan, at = 0): unknown {
  const outcome = outcomes[at]
  if (outcome === undefined) return 'nothing'
  if (outcome.kind === 'refused') return outcome.reasons.join(' ')
  if (outcome.kind === 'unchanged') return 'unchanged'
  const edits = Object.values(outcome.draft.edits).map(({ path, now }) => [path, now] as const)
  return { [outcome.draft.recordId || 'new']: Object.fromEntries(edits) }
}

const ALDER: RecordData = {
  ID: '1',
  Name: 'Alder',
  FullName: 'Alder',
  Number: 'C-1',
  Phone: '555-1',
  Balance: '1500.00',
  IsActive: 'true',
  Terms: { ID: '7', FullName: 'Net 30' },
  BillingAddress: { Line1: '1 High St', City: 'Bath' },
}
const BIRCH: RecordData = { ID: '2', Name: 'Birch', FullName: 'Birch', Number: 'C-2' }
const KITCHEN_A: RecordData = {
  ID: '3',
  Name: 'Kitchen',
  FullName: 'Alder:Kitchen',
  Parent: { ID: '1', FullName: 'Alder' },
}
const KITCHEN_B: RecordData = {
  ID: '4',
  Name: 'Kitchen',
  FullName: 'Birch:Kitchen',
  Parent: { ID: '2', FullName: 'Birch' },
}
const LIST = [ALDER, BIRCH, KITCHEN_A, KITCHEN_B]

describe('which record a row is about', () => {
  it.each([
    ['the ID', ['ID', 'Phone'], ['2', '9'], { 2: { Phone: '9' } }],
    ['the full name', ['Full name', 'Phone'], ['birch:kitchen', '9'], { 4: { Phone: '9' } }],
    ['parent and name', ['Name', 'Parent', 'Phone'], ['Kitchen', 'Alder', '9'], { 3: { Phone: '9' } }],
    ['the number', ['Number', 'Phone'], ['C-2', '9'], { 2: { Phone: '9' } }],
    ['the name', ['Name', 'Phone'], [' BIRCH ', '9'], { 2: { Phone: '9' } }],
  ])('%s', (_, headings, cells, expected) => {
    expect(became(plan(tableOf(headings, cells), LIST))).toEqual(expected)
  })

  it.each([
    ['an ID that nobody has', ['ID', 'Name'], ['99', 'New'], /There’s no customer with the ID 99/],
    [
      'an ID of another company',
      ['ID', 'Full name'],
      ['1', 'Birch'],
      /The ID 1 belongs to “Alder”, not “Birch”/,
    ],
    ['an ID and the name of another', ['ID', 'Name'], ['1', 'Birch'], /“Birch” is another customer/],
    ['a name that two have', ['Name', 'Phone'], ['Kitchen', '9'], /2 records are named “Kitchen”/],
    ['nothing that is a field', ['Favorite'], ['blue'], /This row is blank/],
  ])('%s is refused', (_, headings, cells, expected) => {
    expect(became(plan(tableOf(headings, cells), LIST))).toMatch(expected)
  })

  it('a file with its own numbers is matched by name, and a rename by number is left to the user', () => {
    const cedar: RecordData = { ID: '5', Name: 'Cedar', FullName: 'Cedar', Number: 'C-5' }
    const own = tableOf(
      ['Number', 'Name', 'Phone'],
      ['C-1', 'Birch', '9'],
      ['C-2', 'Cedar', '8'],
      ['C-5', 'Elm', '7'],
    )
    const byName = plan(own, [...LIST, cedar])
    expect(byName).toMatchObject({ matchBy: 'name', canMatchBy: ['name', 'number'] })
    expect([became(byName, 0), became(byName, 1), became(byName, 2)]).toEqual([
      { 2: { Number: 'C-1', Phone: '9' } },
      { 5: { Number: 'C-2', Phone: '8' } },
      { new: { Number: 'C-5', Name: 'Elm', Phone: '7' } },
    ])
    expect(byName.notes.join()).toMatch(/3 rows have a number that belongs to another customer/)
    const byNumber = plan(own, [...LIST, cedar], { matchBy: 'number' })
    expect(became(byNumber, 0)).toMatch(/two different records/)
    expect(byNumber.outcomes[2]).toMatchObject({ kind: 'change', isRenamed: true })
    expect(byNumber.counts.renames).toBe(1)
    const ours = tableOf(['Number', 'Name'], ['C-1', 'Alder'], ['C-2', 'Birch'], ['C-5', 'Elm'])
    expect(plan(ours, [...LIST, cedar])).toMatchObject({ matchBy: 'number', counts: { renames: 1 } })
  })

  it('IDs of another company never rename a record unless the user says so', () => {
    const ids = ['1', '2', '3', '4', '5']
    const records = ids.map((ID) => ({ ID, Name: `Here ${ID}`, FullName: `Here ${ID}` }))
    const foreign = tableOf(['ID', 'Name'], ...ids.map((ID) => [ID, `Elsewhere ${ID}`]))
    expect(plan(foreign, records)).toMatchObject({ matchBy: 'id', counts: { changes: 5, renames: 5 } })
    const few = tableOf(['ID', 'Name'], ...ids.map((ID) => [ID, ID === '1' ? 'Anew' : `Here ${ID}`]))
    expect(plan(few, records).counts).toMatchObject({ changes: 1, renames: 0 })
  })

  it('a name is found as it is typed, and the record keeps its own form', () => {
    const curly = { ID: '1', Name: 'O’Leary, Lachlan', Phone: '1' }
    const typed = tableOf(['Name', 'Phone'], ["O'Leary, Lachlan", '2'])
    expect(became(plan(typed, [curly]))).toEqual({ 1: { Phone: '2' } })
    // Applications distinguish the two forms, so if both exist, each finds its own.
    const straight = { ID: '2', Name: "O'Leary, Lachlan", Phone: '3' }
    expect(became(plan(typed, [curly, straight]))).toEqual({ 2: { Phone: '2' } })
    const both = tableOf(['Name', 'Phone'], ['D’Arcy', '1'], ["D'Arcy", '2'])
    expect(plan(both, []).outcomes.map(({ kind }) => kind)).toEqual(['refused', 'refused'])
  })

  it('a top-level name isn’t mistaken for the same name at a lower level', () => {
    const top: RecordData = { ID: '5', Name: 'Kitchen', FullName: 'Kitchen' }
    expect(became(plan(tableOf(['Name', 'Phone'], ['Kitchen', '9']), [...LIST, top]))).toEqual({
      5: { Phone: '9' },
    })
  })

  it('a record can be renamed by ID, and get a number by name', () => {
    expect(became(plan(tableOf(['ID', 'Name'], ['2', 'Beech']), LIST))).toEqual({ 2: { Name: 'Beech' } })
    expect(became(plan(tableOf(['Name', 'Number'], ['Birch', 'C-22']), LIST))).toEqual({
      2: { Number: 'C-22' },
    })
  })

  it('by ID, a record is found even after the file has renamed it or its parent', () => {
    const file = tableOf(
      ['ID', 'Name', 'Full name', 'Phone'],
      ['1', 'Elder', 'Alder', '555-1'],
      ['3', 'Cellar', 'Alder:Kitchen', '9'],
      ['4', 'Kitchen', 'Birch:Kitchen', '9'],
    )
    const first = plan(file, LIST)
    expect(became(first)).toEqual({ 1: { Name: 'Elder' } })
    expect(became(first, 1)).toEqual({ 3: { Name: 'Cellar', Phone: '9' } })
    const saved = [
      { ...ALDER, Name: 'Elder', FullName: 'Elder' },
      BIRCH,
      { ...KITCHEN_A, Name: 'Cellar', FullName: 'Elder:Cellar', Phone: '9' },
      KITCHEN_B,
    ]
    const again = plan(file, saved)
    expect([0, 1, 2].map((at) => became(again, at))).toEqual([
      'unchanged',
      'unchanged',
      { 4: { Phone: '9' } },
    ])
    // In another company's books, the same ID and name may belong to another record.
    const elsewhere = [ALDER, { ...KITCHEN_A, Name: 'Cellar', FullName: 'Birch:Cellar' }]
    expect(became(plan(file, elsewhere), 1)).toMatch(/The ID 3 belongs to “Birch:Cellar”/)
  })

  it('by ID, a record is renamed under the parent in the file, but not to another record’s name', () => {
    const named = (name: string, parent: string) =>
      became(
        plan(tableOf(['ID', 'Name', 'Parent'], ['3', name, parent]), [
          ...LIST,
          { ...KITCHEN_A, ID: '5', Name: 'Cellar', FullName: 'Alder:Cellar' },
        ]),
      )
    expect(named('Pantry', 'Alder')).toEqual({ 3: { Name: 'Pantry' } })
    expect(named('Cellar', 'Alder')).toMatch(/is another customer/)
    expect(named('Pantry', 'Birch')).toMatch(/The ID 3 belongs to “Alder:Kitchen”/)
  })

  it('rows that match no record are new, but only if the complete list was read', () => {
    const table = tableOf(['Name', 'Phone'], ['Cedar', '9'])
    expect(became(plan(table, LIST))).toEqual({ new: { Name: 'Cedar', Phone: '9' } })
    expect(became(plan(table, LIST, { isWholeList: false }))).toMatch(/Get the whole list first/)
    expect(became(plan(tableOf(['Number', 'Phone'], ['C-9', '9']), LIST))).toMatch(
      /a new customer needs “Name”/,
    )
  })

  it('a new record’s name and parent come from its full name, the parent with its ID', () => {
    expect(became(plan(tableOf(['Full name'], ['Alder: Garden']), LIST))).toEqual({
      new: { Name: 'Garden', Parent: { ID: '1', FullName: 'Alder' } },
    })
  })

  it('a name with colons is a full name, unless a record has it as its name', () => {
    const made = plan(tableOf(['Customer', 'Phone'], ['Alder:Garden', '9'], ['Alder:Kitchen', '9']), LIST)
    expect(became(made)).toEqual({
      new: { Name: 'Garden', Parent: { ID: '1', FullName: 'Alder' }, Phone: '9' },
    })
    expect(became(made, 1)).toEqual({ 3: { Phone: '9' } })
    const odd: RecordData = { ID: '8', Name: 'Time: Now', FullName: 'Alder:Time: Now' }
    const kept = plan(tableOf(['Customer', 'Phone'], ['Time: Now', '9']), [...LIST, odd])
    expect(became(kept)).toEqual({ 8: { Phone: '9' } })
    const numbered = plan(tableOf(['Customer', 'Account No.'], ['Alder:Birch', 'C-2']), LIST, {
      matchBy: 'number',
    })
    expect(became(numbered)).toEqual('unchanged')
  })

  it('a new record whose full name contradicts its name or parent is refused', () => {
    expect(became(plan(tableOf(['Full name', 'Name'], ['Alder:Garden', 'Birch']), LIST))).toMatch(
      /don’t belong to the same record/,
    )
    for (const name of [':Alder', 'Alder:', 'Birch: :Kitchen']) {
      expect(became(plan(tableOf(['Full name'], [name]), LIST))).toMatch(/part of the full name .* is empty/)
    }
    expect(became(plan(tableOf(['Full name', 'Parent'], ['Garden', 'Birch']), LIST))).toMatch(
      /don’t belong to the same record/,
    )
  })

  it('equal duplicates in the file count once, and different ones are refused', () => {
    const same = plan(tableOf(['Name', 'Phone'], ['Birch', '9'], ['birch', '9']), LIST)
    expect([became(same), became(same, 1)]).toEqual([{ 2: { Phone: '9' } }, 'Same as row 2.'])
    const differing = plan(tableOf(['Name', 'Phone'], ['Cedar', '9'], ['Cedar', '8']), LIST)
    expect([became(differing), became(differing, 1)]).toEqual(
      Array(2).fill(
        'Rows 2, 3 have different values for the same record. Keep only one of them in the file.',
      ),
    )
  })
})

describe('records that can’t be changed now', () => {
  it('reject their rows with the reason, except rows that change nothing', () => {
    const table = tableOf(['Name', 'Phone'], ['Alder', '555-9'], ['Birch', ''])
    const locked = new Map([
      [ALDER, 'It is being sent.'],
      [BIRCH, 'It is being sent.'],
    ])
    const made = plan(table, [ALDER, BIRCH], { locked })
    expect(became(made)).toBe('It is being sent.')
    expect(became(made, 1)).toBe('unchanged')
  })
})

describe('what a row changes', () => {
  it('only what differs, by exact values', () => {
    const table = tableOf(
      ['ID', 'Phone', 'Active', 'Terms', 'Billing address, City', 'Billing address, Line 1'],
      ['1', '555-1', 'no', 'net 30', 'Wells', ' 1 High St '],
    )
    expect(became(plan(table, LIST))).toEqual({ 1: { IsActive: 'false', 'BillingAddress.City': 'Wells' } })
  })

  it('a reference gets the ID of its name if one is known', () => {
    expect(became(plan(tableOf(['ID', 'Terms'], ['2', 'NET 30']), LIST))).toEqual({
      2: { Terms: { ID: '7', FullName: 'Net 30' } },
    })
    expect(became(plan(tableOf(['ID', 'Terms'], ['2', 'Net 99']), LIST))).toEqual({
      2: { Terms: { ID: '', FullName: 'Net 99' } },
    })
  })

  it('an empty cell leaves the field unchanged, unless its column is set to clear', () => {
    const table = tableOf(['ID', 'Phone', 'Terms', 'Active'], ['1', '', '', ''])
    expect(became(plan(table, LIST))).toBe('unchanged')
    const clearing = (...paths: readonly string[]): ColumnTarget[] =>
      proposeColumns('customer', table.headings, importPaths('customer', []), []).map((column) => ({
        ...column,
        emptyMeans: paths.includes(column.path ?? '') ? 'clear' : 'leave',
      }))
    expect(became(plan(table, LIST, { columns: clearing('Phone', 'Terms') }))).toEqual({
      1: { Phone: '', Terms: { ID: '', FullName: '' } },
    })
    expect(became(plan(table, LIST, { columns: clearing('IsActive') }))).toMatch(/must be yes or no/)
  })

  it('a cell that can’t be read rejects only its row, with all reasons', () => {
    const { outcomes } = plan(
      tableOf(['Name', 'Balance', 'Active'], ['Cedar', 'lots', 'perhaps'], ['Elm', '5', 'yes']),
      LIST,
    )
    expect(outcomes[0]).toMatchObject({
      kind: 'refused',
      row: 2,
      reasons: ['“Balance”: “lots” is not an amount.', '“Active”: “perhaps” is neither yes nor no.'],
    })
    expect(outcomes[1]).toMatchObject({ kind: 'insert', row: 3 })
  })

  it('a field that can’t be changed is skipped with a message if the cell differs', () => {
    const { outcomes } = plan(
      tableOf(['ID', 'Phone', 'Balance'], ['1', '555-0109', '1,500'], ['2', '555-0109', '1']),
      LIST,
    )
    expect(outcomes[0]).toMatchObject({ kind: 'change', notes: [] })
    expect(outcomes[1]).toMatchObject({
      kind: 'change',
      notes: [expect.stringContaining('“Balance” is skipped.')],
    })
    const narrow = plan(tableOf(['Name', 'Phone', 'Email'], ['Cedar', '555-0109', 'a@b.example']), LIST, {
      supported: new Set(['Name', 'Phone']),
    })
    expect(narrow.outcomes[0]).toMatchObject({ kind: 'insert', notes: [expect.stringContaining('“Email”')] })
  })

  it('an email address, a phone number, or a ZIP code that can’t be right is accepted with a message', () => {
    const made = plan(
      tableOf(
        ['Name', 'Email', 'Phone', 'Billing address, Postal code'],
        ['Cedar', 'cedar.example.com', '555-01', '2134'],
        ['Elm', 'elm.example.com', '555-0102', '02134'],
        ['Fir', 'fir@example.com', '', ''],
      ),
      LIST,
    )
    expect(made.counts).toMatchObject({ inserts: 3, refused: 0 })
    expect(made.outcomes[0]).toMatchObject({
      notes: [
        '“Email”: “cedar.example.com” doesn’t look like an email address.',
        '“Phone”: “555-01” doesn’t look like a phone number.',
        '“Billing address, Postal code”: “2134” doesn’t look like a ZIP code.',
      ],
    })
    expect(made.notes).toEqual([
      '2 rows have an email address that doesn’t look right. You can still import them.',
      '1 row has a phone number that doesn’t look right. You can still import it.',
      '1 row has a ZIP code that doesn’t look right. You can still import it.',
    ])
  })

  it('a cell that can’t be read doesn’t reject a row if its field would be skipped', () => {
    const table = tableOf(
      ['Name', 'Phone', 'Balance'],
      ['Alder', '555-0109', 'n/a'],
      ['Cedar', '555-0109', 'n/a'],
    )
    const made = plan(table, LIST)
    expect(became(made)).toEqual({ 1: { Phone: '555-0109' } })
    expect(made.outcomes[0]).toMatchObject({ notes: [expect.stringContaining('“Balance” is skipped.')] })
    expect(became(made, 1)).toBe('“Balance”: “n/a” is not an amount.')
    const broken = plan(tableOf(['ID', 'Phone'], [{ error: '#N/A' }, '9']), LIST)
    expect(became(broken)).toBe('“ID”: its formula has an error (#N/A).')
  })

  it('a cell beyond the headings rejects its row', () => {
    expect(became(plan(tableOf(['Name'], ['Birch', 'stray']), LIST))).toMatch(/more cells than headings/)
  })

  it('dates of fields without a definition are read if the records have dates', () => {
    const target = { ...TARGET, object: 'invoice' }
    const records = [{ ID: '1', Name: 'a', Due: '2026-03-31T00:00:00Z', Memo: 'x' }]
    const table = tableOf(['ID', 'Due', 'Memo'], ['1', '03/31/2026', 'x'])
    const columns = table.headings.map((heading, column) => ({
      heading,
      column,
      path: heading,
      emptyMeans: 'leave' as const,
    }))
    const supported = new Set(['Due', 'Memo'])
    expect(became(plan(table, records, { target, columns, supported }))).toBe('unchanged')
    const later = tableOf(['ID', 'Due', 'Memo'], ['1', '04/30/2026', 'x'])
    expect(became(plan(later, records, { target, columns, supported }))).toEqual({ 1: { Due: '2026-04-30' } })
  })

  it('the members of a reference with a third member are read as text', () => {
    const target = { ...TARGET, object: 'invoice' }
    const records = [{ ID: '1', Name: 'a', Entity: { ID: 'C1', FullName: 'Ada', Type: 'Customer' } }]
    const columns = ['ID', 'Entity.ID', 'Entity.FullName'].map((heading, column) => ({
      heading,
      column,
      path: heading,
      emptyMeans: 'leave' as const,
    }))
    const table = tableOf(['ID', 'Entity, ID', 'Entity, FullName'], ['1', 'C2', 'Bo'])
    const supported = new Set(['Entity', 'Entity.ID', 'Entity.FullName'])
    expect(became(plan(table, records, { target, columns, supported }))).toEqual({
      1: { 'Entity.ID': 'C2', 'Entity.FullName': 'Bo' },
    })
  })
})

const word = fc
  .string({ minLength: 1, maxLength: 6 })
  .filter((text) => text.trim() !== '' && !text.includes(':'))
const reference = fc.record({
  ID: fc.constantFrom('7', '8'),
  FullName: fc.constantFrom('Net 30', 'Net 60', ''),
})
/** Records as services have them: text with unusual spaces and characters, missing members, incomplete references. */
const record = fc.record(
  {
    Phone: fc.oneof(word, fc.constantFrom('', ' 1', '=1+1', '007', '+44 20', "'x", 'a,b', '1\r\n2')),
    Number: fc.constantFrom('', '1', '01'),
    Balance: fc.constantFrom('', '0.00', '-1234.50', '1500', '12.345'),
    IsActive: fc.constantFrom('true', 'false', ''),
    Terms: reference,
    BillingAddress: fc.record({ City: word, State: fc.constantFrom('', '-', '@') }, { requiredKeys: [] }),
    Contact: fc.record({ Name: word }),
    CreatedDate: fc.constant('2026-01-31T10:00:00+00:00'),
    CompanyName: word,
  },
  { requiredKeys: [] },
)
const records = fc.array(fc.tuple(word, record), { maxLength: 12 }).map((all) =>
  all.map(([name, rest], index) => ({
    ...rest,
    ID: String(index + 1),
    Name: name,
    FullName: `${name} ${String(index)}`,
  })),
)

const RUNS = isDeep ? 5_000 : 100

describe('any list', () => {
  it('exported and imported again changes nothing', async () => {
    const paths = importPaths('customer', [])
    await fc.assert(
      fc.asyncProperty(records, async (list) => {
        fc.pre(list.length > 0)
        const lines = list.map((each) =>
          paths.map((path) => {
            const value = valueAt('customer', each, path)
            return typeof value === 'string' ? value : value.FullName
          }),
        )
        async function* file(): AsyncGenerator<Result<readonly (readonly string[])[]>> {
          yield await Promise.resolve(ok([paths.map((path) => pathHeading('customer', path)), ...lines]))
        }
        const table = withHeadings(readCsv(await bytesOf(csvPieces(file())), IMPORT_LIMITS).rows)
        const made = plan(table, list)
        expect(made.counts).toEqual({
          rows: list.length,
          inserts: 0,
          changes: 0,
          unchanged: list.length,
          refused: 0,
          skipped: 0,
          renames: 0,
        })
        expect(
          made.outcomes.flatMap((outcome) => (outcome.kind === 'unchanged' ? outcome.notes : [])),
        ).toEqual([])
      }),
      { numRuns: RUNS },
    )
  }, 600_000)

  it('and any table: each row once, no edit without a change, no record twice, no insert of an existing record', () => {
    const cell: fc.Arbitrary<ImportCell> = fc.oneof(
      fc.constantFrom<ImportCell>(
        '',
        '1',
        '2',
        'a',
        'b',
        'yes',
        'no',
        'Net 30',
        '1,5',
        '(3.00)',
        true,
        { number: '1E2' },
        { error: '#N/A' },
      ),
      fc.string({ maxLength: 3 }),
    )
    const headings = fc.subarray(
      ['ID', 'Name', 'Full name', 'Number', 'Phone', 'Balance', 'Active', 'Terms', 'Parent', 'City', '?'],
      { minLength: 1 },
    )
    const table = headings.chain((names) =>
      fc
        .array(fc.array(cell, { maxLength: names.length + 1 }), { maxLength: 12 })
        .map((rows) => tableOf(names, ...rows)),
    )
    const small = fc
      .array(
        fc.record({
          Name: fc.constantFrom('a', 'b', 'A'),
          Number: fc.constantFrom('', '1', '2'),
          Phone: fc.constantFrom('1', '', 'a'),
        }),
        { maxLength: 4 },
      )
      .map((all): RecordData[] =>
        all.map((each, index) => ({ ...each, ID: String(index + 1), FullName: each.Name })),
      )
    fc.assert(
      fc.property(table, small, fc.boolean(), fc.boolean(), (file, list, isWholeList, clears) => {
        const columns = proposeColumns('customer', file.headings, importPaths('customer', []), []).map(
          (column): ColumnTarget => ({ ...column, emptyMeans: clears ? 'clear' : 'leave' }),
        )
        const { outcomes, counts } = plan(file, list, { isWholeList, columns })
        expect(outcomes.map(({ row }) => row)).toEqual(file.rows.map(({ number }) => number))
        expect(counts.inserts + counts.changes + counts.unchanged + counts.refused + counts.skipped).toBe(
          counts.rows,
        )
        const touched = new Set<string>()
        for (const outcome of outcomes) {
          if (outcome.kind === 'refused') expect(outcome.reasons.join('')).not.toBe('')
          if (outcome.kind !== 'insert' && outcome.kind !== 'change') continue
          const { draft } = outcome
          const edits = Object.values(draft.edits)
          expect(edits.length).toBeGreaterThan(0)
          if (draft.kind === 'change') {
            expect(touched.has(draft.recordId)).toBe(false)
            touched.add(draft.recordId)
            for (const { path, was, now } of edits) {
              expect(was).toEqual(valueAt('customer', draft.before, path))
              expect(now).not.toEqual(was)
            }
          } else {
            expect(isWholeList).toBe(true)
            const name = textOf(draft.edits['Name']?.now)
            expect(name).not.toBe('')
            if (draft.edits['Parent'] === undefined)
              expect(list.map((each) => textOf(each['FullName']).toLowerCase())).not.toContain(
                name.toLowerCase(),
              )
          }
        }
      }),
      { numRuns: RUNS * 5 },
    )
  })
})

describe('the repeat guard', () => {
  const table = tableOf(['Name', 'Phone', 'Balance'], ['Cedar', '1', '5.00'], ['Elm', '2', '6'])
  const made = plan(table, [])
  const past: PastImport = {
    file: fileFingerprint(TARGET, table),
    rows: [...rowFingerprints(made).values()],
    fileName: 'new.csv',
    importedAt: '2026-03-03T10:00:00Z',
    added: 2,
    changed: 0,
  }

  it('recognizes the same file, even as a workbook, and not for another company or list', () => {
    const again = tableOf(
      ['Name', 'Phone', 'Balance'],
      [' Cedar', { number: '1' }, '5.00'],
      ['Elm', '2', '6'],
    )
    expect(findRepeats(fileFingerprint(TARGET, again), new Map(), [past]).file).toBe(past)
    for (const other of [{ endpointId: 'x' }, { object: 'vendor' }, { connectionId: 'x' }])
      expect(fileFingerprint({ ...TARGET, ...other }, again)).not.toBe(past.file)
  })

  it('recognizes single rows in other columns and another order', () => {
    const other = plan(tableOf(['Phone', 'Balance', 'Name'], ['9', '1', 'Fir'], ['1', '$5.0', 'Cedar']), [])
    const found = findRepeats('', rowFingerprints(other), [
      { ...past, importedAt: '2026-01-01', rows: past.rows },
      past,
    ])
    expect([...found.rows]).toEqual([[3, past]])
    expect(found.file).toBeNull()
  })

  it.each([
    ['Billing address postal code', '2134', '02134'],
    ['Company name', 'alder ltd', 'Alder Ltd'],
    ['Number', '1.1', '1.10'],
  ])('a corrected row isn’t a repeat: %s %j is now %j', (heading, before, corrected) => {
    const headings = ['ID', heading]
    const sent = plan(tableOf(headings, ['1', before]), LIST)
    const better = plan(tableOf(headings, ['1', corrected]), LIST)
    const rows = [...rowFingerprints(sent).values()]
    expect(findRepeats('', rowFingerprints(better), [{ ...past, rows }]).rows.size).toBe(0)
    expect(findRepeats('', rowFingerprints(sent), [{ ...past, rows }]).rows.size).toBe(1)
    expect(became(plan(tableOf(headings, ['1', before], ['1', corrected]), LIST), 1)).toBe(
      'Rows 2, 3 have different values for the same record. Keep only one of them in the file.',
    )
  })

  it('recognizes a row with a reference in capitals', () => {
    const [sent, again] = ['Net 60', ' NET  60'].map((terms) =>
      rowFingerprints(plan(tableOf(['ID', 'Terms'], ['1', terms]), LIST)),
    )
    expect(sent?.size).toBe(1)
    expect(again).toEqual(sent)
  })

  it('any two different tables have different fingerprints', () => {
    const cells = fc.array(fc.array(fc.string({ maxLength: 2 }), { maxLength: 3 }), { maxLength: 3 })
    fc.assert(
      fc.property(cells, cells, (left, right) => {
        const trimmed = (rows: readonly (readonly string[])[]): string =>
          JSON.stringify(rows.map((row) => row.map((text) => text.trim())))
        fc.pre(trimmed(left) !== trimmed(right))
        fc.pre(![...left, ...right].flat().some((text) => text.includes('\u001f')))
        fc.pre(![...left, ...right].some((row) => row.length === 0))
        expect(fileFingerprint(TARGET, tableOf(['a'], ...left))).not.toBe(
          fileFingerprint(TARGET, tableOf(['a'], ...right)),
        )
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('failed rows', () => {
  const FILE = { companyName: 'Alder', list: 'Customers', madeAt: '2026-03-31T10:00:00Z' }
  const failed = (made: ImportPlan) =>
    refusedRows(made).map(({ row, reasons, columns }) => ({ row, reason: reasons.join(' '), columns }))

  it('are saved with the reason for each, without formulas, and can be corrected and imported again', async () => {
    const table = tableOf(['Name', 'Balance'], ['=Cedar', 'lots'], ['Elm', '1'], ['Fir', { error: '#N/A' }])
    const rows = failed(plan(table, []))
    const bytes = await bytesOf(failedRowsFile(table, rows, { ...FILE, kind: 'csv' }))
    expect(bytes.toString('utf8')).toBe(
      "\ufeffName,Balance,Why it was not imported\r\n'=Cedar,lots,“Balance”: “lots” is not an amount.\r\nFir,#N/A,“Balance”: its formula has an error (#N/A).\r\n",
    )
    const again = withHeadings(readCsv(bytes, IMPORT_LIMITS).rows)
    const corrected = {
      ...again,
      rows: again.rows.map((row) => ({ ...row, cells: [row.cells[0] ?? '', '5', row.cells[2] ?? ''] })),
    }
    expect(plan(corrected, []).counts).toMatchObject({ inserts: 2, refused: 0 })
    const second = await bytesOf(failedRowsFile(corrected, failed(plan(again, [])), { ...FILE, kind: 'csv' }))
    expect(second.toString('utf8').split('\r\n')[0]).toBe(`\ufeffName,Balance,${REASON_HEADING}`)
  })

  it('are saved as a workbook with marked cells, and numbers as numbers', async () => {
    const table = tableOf(
      ['Name', 'Rating', 'Balance'],
      ['Cedar', { number: '234.567' }, 'lots'],
      ['Elm', '', '1'],
    )
    const rows = failed(plan(table, []))
    expect(rows).toMatchObject([{ row: 2, columns: [2] }])
    const bytes = await bytesOf(failedRowsFile(table, rows, { ...FILE, kind: 'xlsx' }))
    const parts = await partsOf(bytes)
    const sheet = parts['xl/worksheets/sheet1.xml'] ?? ''
    const marked = /r="C2" s="(\d+)"/.exec(sheet)?.[1] ?? ''
    const styles = [...(parts['xl/styles.xml'] ?? '').matchAll(/<xf [^>]*>/g)].map(([xf]) => xf).slice(1)
    expect(styles[Number(marked)]).toContain('fillId="3"')
    expect(styles[Number(/r="A2" s="(\d+)"/.exec(sheet)?.[1])]).toContain('fillId="0"')
    const read = await readSource({ kind: 'bytes', fileName: 'a.xlsx', bytes, sheet: '' }, IMPORT_LIMITS)
    expect(read.ok && read.value.rows[1]?.cells).toEqual([
      'Cedar',
      { number: '234.567' },
      'lots',
      '“Balance”: “lots” is not an amount.',
    ])
  })
})

describe('rows of a printed list', () => {
  const HEADINGS = ['Customer', 'Phone', 'City', 'Balance']
  const skipReason = (...rows: readonly (readonly ImportCell[])[]) => {
    const table = tableOf(HEADINGS, ['Cedar', '1', 'Bath', '10'], ...rows)
    return plan(table, LIST)
      .outcomes.slice(1)
      .map((outcome) => {
        return outcome.kind === 'unchanged' || outcome.kind === 'change' ? outcome.kind : outcome.skipReason
      })
  }

  it.each([
    ['TOTAL', '', '', '10'],
    ['Grand total:', '', '', { number: '10' }],
    ['', '', 'Subtotal', '10'],
    ['Total for Cedar', '', '', '10'],
    ['Total Cedar', '', '', '10'],
    ['Total customers', '', '', '10'],
    ['Cedar total', '', '', '10'],
    ['Printed on 3/3/2026', '', '', ''],
    ['Page 1 of 2', '', '', ''],
    ['Printed 3 March 2026', '', 'page 1 of 1', ''],
    ['Tuesday, March 3, 2026 10:15 AM GMT-5 - Accrual Basis', '', '', ''],
    ['03/03/26 10:15 AM', '', '', ''],
    ['48 customers', '', '', ''],
    ['Number of records: 48', '', '', ''],
    ['*** End of report ***', '', '', ''],
    ['-----', '-----', '', '====='],
    ['Customer', 'Phone', 'City', 'Balance'],
    ['', '', '', '1,234.50'],
    ['Total (USD)', '', '', '10'],
    ['Total: $10.00', '', '', ''],
    ['Total customers (1)', '', '', '10'],
    ['Total A/R', '', '', '10'],
    ['Balance carried forward', '', '', '10'],
    ['Total for Ash Ltd.', '', '', '10'],
    ['Accrual basis Tuesday, March 3, 2026 10:15 AM GMT-05:00', '', '', ''],
    ['Mar 3, 2026 10:15 AM', '', '', ''],
    ['10:15 AM', '', '', ''],
    ['Seite 1 von 3', '', '', ''],
    ['- 1 -', '', '', ''],
    ['Exported from QuickBooks', '', '', ''],
    ['(continued)', '', '', ''],
    ['3 of 3 customers', '', '', ''],
    ['Customer (continued)', 'Phone', 'City', 'Balance'],
  ])('%j, %j, %j, %j is set aside', (...row) => {
    expect(skipReason(row)).not.toEqual([''])
  })

  it.each([
    ['Total Fitness', '555', 'Bath', '10'],
    ['Total Wine & More', '', '', ''],
    ['Page Street Bakery', '', '', ''],
    ['Printed Matter 24', '555', 'New York', ''],
    ['1st Customers Bank', '', '', ''],
    ['Subtotal Software', '', '', '10'],
    ['Printed Matter 24', '', '', ''],
    ['Sunday Brunch 2024', '', '', ''],
    ['Total GYM', '', '', ''],
    ['As of Now LLC', '', '', ''],
    ['May, June', '', '', ''],
    ['Alder', '555', '', ''],
  ])('%j, %j, %j, %j is not', (...row) => {
    expect(['', 'change', 'unchanged']).toContain(skipReason(row)[0])
  })

  const reasons = (rows: readonly (readonly string[])[], numbers?: readonly number[]) => {
    const table = tableOf(HEADINGS, ...rows)
    const made = plan(
      { ...table, rows: table.rows.map((row, at) => ({ ...row, number: numbers?.[at] ?? row.number })) },
      [],
    )
    return made.outcomes.map((outcome) => (outcome.kind === 'insert' ? outcome.skipReason : outcome.kind))
  }
  const RECORDS = [
    ['Ash', '555-1', 'Bath', '10.10'],
    ['Elm', '555-2', 'Bath', '20'],
    ['Oak', '555-3', 'Wells', '$30'],
  ]
  const SUM = 'The sum of the rows above'
  const BELOW = 'Below the list, like a footer'

  it('a total is recognized by its sum, whatever it is called', () => {
    const second = [
      ['Fir', '555-4', 'Rye', '1'],
      ['Yew', '555-5', 'Rye', '2'],
      ['Box', '555-6', 'Rye', '3'],
    ]
    expect(
      reasons([
        ...RECORDS,
        ['Bath', '', '', '60.10'],
        ...second,
        ['Rye', '', '', '6.00'],
        ['Alles', '', '', '66.1'],
      ]),
    ).toEqual(['', '', '', SUM, '', '', '', SUM, SUM])
    expect(reasons([...RECORDS, ['Pear', '', '', '60.11']])).toEqual(['', '', '', ''])
    expect(reasons([...RECORDS, ['Pear', '555', '', '60.10']])).toEqual(['', '', '', ''])
  })

  it('in a list of names and amounts, only the last row can be a sum', () => {
    const two = ['1', '2', '3', '6', '9', '21'].map((amount, at) => [`A${String(at)}`, '', '', amount])
    expect(reasons(two)).toEqual(['', '', '', '', '', SUM])
  })

  it('text that is alone below a total or blank rows is a footer', () => {
    expect(reasons([...RECORDS, ['Total', '', '', '60.10'], ['Confidential', '', '', '']])).toEqual([
      '',
      '',
      '',
      'Looks like a total',
      BELOW,
    ])
    expect(reasons([...RECORDS, ['Finch LLP', '', '', '']], [2, 3, 4, 7])).toEqual(['', '', '', BELOW])
    expect(reasons([...RECORDS, ['Finch LLP', '', '', '']])).toEqual(['', '', '', ''])
    expect(reasons([['Ash'], ['Elm'], ['Oak']], [2, 3, 7])).toEqual(['', '', ''])
  })

  it('a row of an existing record is never set aside, whatever its name', () => {
    const total: RecordData = { ID: '9', Name: 'Total', FullName: 'Total', Phone: '1' }
    const made = plan(tableOf(['Name', 'Phone'], ['Total', '2']), [total])
    expect(made.counts).toMatchObject({ changes: 1, skipped: 0 })
  })

  it('are counted separately, match no record, and become drafts if the user wants', () => {
    const made = plan(
      tableOf(
        HEADINGS,
        ['Cedar', '', '', '10'],
        ['Total', '', '', '10'],
        ['Elm', '', '', '5'],
        ['Total', '', '', '15'],
      ),
      [],
    )
    expect(made.counts).toEqual({
      rows: 4,
      inserts: 2,
      changes: 0,
      unchanged: 0,
      refused: 0,
      renames: 0,
      skipped: 2,
    })
    for (const total of [
      'Summe',
      'Gesamtergebnis',
      'Total général',
      'Sous-total',
      'Razem:',
      'ИТОГО',
      '合計',
      'i alt',
    ]) {
      const made = plan(tableOf(HEADINGS, ['Cedar', '', '', '10'], [total, '', '', '10']), [])
      expect(made.outcomes[1], total).toMatchObject({ skipReason: 'Looks like a total' })
      const name = plan(tableOf(HEADINGS, ['Cedar', '', '', '10'], [total, 'ext. 5a', '', '']), [])
      expect(name.outcomes[1], `${total} as a name`).toMatchObject({ skipReason: '' })
    }
    const one = plan(tableOf(HEADINGS, ['Cedar', '', '', '10'], ['TOTAL', '', '', '10']), [])
    expect(one.outcomes[1]).toMatchObject({ kind: 'insert', skipReason: 'Looks like a total' })
    expect(refusedRows(made)).toEqual([])
  })

  it('opening balances are listed by row', () => {
    const made = plan(
      tableOf(HEADINGS, ['Cedar', '', '', '10.50'], ['Elm', '', '', '0'], ['Alder', '', '', '7']),
      LIST,
    )
    expect([...made.openingBalances]).toEqual([[2, '10.50']])
  })
})

describe('values that a spreadsheet has damaged', () => {
  const HERE: RecordData = {
    ID: '1',
    Name: 'Alder',
    Number: '4-3',
    Phone: '4111111111111234',
    BillingAddress: { PostalCode: '02134', City: 'Bath' },
  }
  const table = tableOf(
    ['Name', 'Number', 'Phone', 'ZIP', 'City'],
    ['Alder', '3-Apr', '4111111111111000', '2134', 'Wells'],
    ['Cedar', 'A-1', '1.23457E+14', '90210', 'Bath'],
  )

  it('are left unchanged and reported by column, and the real edits stay', () => {
    const made = plan(table, [HERE], { matchBy: 'name' })
    expect(became(made)).toEqual({ 1: { 'BillingAddress.City': 'Wells' } })
    expect(became(made, 1)).toEqual({
      new: {
        Name: 'Cedar',
        Number: 'A-1',
        'BillingAddress.PostalCode': '90210',
        'BillingAddress.City': 'Bath',
      },
    })
    expect(made.damage).toEqual([
      {
        path: 'Number',
        heading: 'Number',
        count: 1,
        example: '“3-Apr” was turned into a date. In the books: “4-3”.',
      },
      {
        path: 'Phone',
        heading: 'Phone',
        count: 2,
        example: '“4111111111111000” may have lost its last digits. In the books: “4111111111111234”.',
      },
      {
        path: 'BillingAddress.PostalCode',
        heading: 'ZIP',
        count: 1,
        example: '“2134” has lost its leading zeros. In the books: “02134”.',
      },
    ])
    const [first] = made.outcomes
    expect(first?.kind === 'change' && first.notes).toContain(
      '“Billing address, Postal code” stays “02134”: “2134” has lost its leading zeros.',
    )
  })

  it.each([
    ['12.50', '12.5', 'number'],
    ['12,50', '12.5', 'number'],
    ['1E5', '100000', 'number'],
    ['1,000', '1000', 'number'],
    ['+5', '5', 'number'],
    ['$5.00', '5', 'number'],
    ['true', 'TRUE', 'yes or no'],
    ['12.50', '12.75', ''],
    ['1,000', '1001', ''],
    ['C-5', '5', ''],
    ['', '5', ''],
    ['2134', '02134', ''],
    ['3-4', '4-Mar', 'date'],
    ['3-4', '2026-03-04', 'date'],
    ['MAR-01', '1-Mar', 'date'],
    ['3/4/26', '2026-03-04', ''],
    ['Łódź 5', '?ód? 5', 'letters'],
    ['What?', 'What!', ''],
  ])('%s that became %s is detected by its value', (was, value, how) => {
    const made = plan(tableOf(['ID', 'Number'], ['1', value]), [{ ID: '1', Name: 'A', Number: was }])
    expect(became(made)).toEqual(how === '' ? { 1: { Number: value } } : 'unchanged')
    expect(made.damage[0]?.example ?? '').toContain(how)
  })

  it('are recognized in new records by the other values of their column', () => {
    const made = plan(
      tableOf(
        ['Name', 'Number', 'ZIP'],
        ['A', 'A-1', '2134'],
        ['B', '2026-03-04', '90210'],
        ['C', 'Apr-03', '10001'],
        ['D', 'B-1', '97201-1234'],
        ['E', 'C-1', '501-1234'],
      ),
      [],
    )
    expect(made.damage.map(({ path, count }) => [path, count])).toEqual([
      ['Number', 2],
      ['BillingAddress.PostalCode', 2],
    ])
  })

  it('an error that a spreadsheet wrote as text isn’t a value', () => {
    const made = plan(
      tableOf(
        ['Name', 'Phone'],
        ['A', '#NAME?'],
        ['B', '########'],
        ['C', '#1 phone'],
        ['D', { error: '#REF!' }],
      ),
      [],
    )
    expect(made.outcomes.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'insert', 'refused'])
  })

  it('are imported from a column if the user wants', () => {
    const made = plan(table, [HERE], {
      matchBy: 'name',
      acceptedDamage: new Set(['BillingAddress.PostalCode']),
    })
    expect(became(made)).toEqual({
      1: { 'BillingAddress.PostalCode': '2134', 'BillingAddress.City': 'Wells' },
    })
  })
})
