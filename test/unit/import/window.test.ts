// Import and export in the window: which fields a column can have, how an import treats existing drafts, and what is
// exported.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { createExport } from '../../../electron/app/records/export.ts'
import { RowFeed } from '../../../electron/files/csv/records-export.ts'
import type { RowDraft } from '../../../renderer/records/drafts/row-draft.ts'
import { everyColumn, exportCells, shownColumns } from '../../../renderer/records/export/table.ts'
import { planColumns } from '../../../renderer/records/grid/columns/plan.ts'
import {
  clearablePaths,
  comboboxOptions,
  fieldOptions,
  leftOutReasons,
  proposedChoices,
  SKIP_COLUMN,
  withField,
} from '../../../renderer/records/import/columns/fields.ts'
import {
  formatCreatedDrafts,
  formatKind,
  formatLine,
  formatRecord,
  matchesFilter,
  type PlanLine,
  toPlanLines,
} from '../../../renderer/records/import/plan/plan-lines.ts'
import { importRecords } from '../../../renderer/records/import/source.ts'
import type { RecordRow } from '../../../renderer/records/list/rows.ts'
import { Format } from '../../../shared/format/format.ts'
import { type RecordData, textOf } from '../../../shared/records/changes.ts'
import { appError, ok } from '../../../shared/result.ts'
import { planImport } from '../../import-sync.ts'
import { value } from '../../result.ts'
import { standIn } from '../records/list/stand-in.ts'
import { COMPANY, storedCompany, TestClock, testFolder } from '../writing/world.ts'

const SUPPORTED = ['Name', 'Phone', 'Terms', 'Balance', 'BillingAddress', 'Nickname']
const FOUND = [
  { name: 'Tier', members: [] },
  { name: 'Nickname', members: [] },
  { name: 'Owner', members: ['ID', 'Title'] },
  { name: 'Agent', members: ['ID', 'FullName'] },
]
const OPTIONS = fieldOptions('customer', FOUND, new Set([...SUPPORTED, 'Owner', 'Agent']))
const FORMAT = new Format({ locale: 'en-US', negatives: 'minus' })

function row(record: RecordData, origin: RecordRow['origin'] = 'read'): RecordRow {
  const rowId = textOf(record['ID']) || 'new'
  return { rowId, recordId: origin === 'new' ? '' : rowId, record, origin }
}

describe('the fields of a column', () => {
  test('include what the application supports, and the keys. All others say why not', () => {
    const byPath = new Map(OPTIONS.map((option) => [option.path, option]))
    expect(byPath.get('Phone')).toMatchObject({ reason: '', note: '' })
    expect(byPath.get('ID')).toMatchObject({ reason: '', note: 'used to match' })
    expect(byPath.get('Balance')).toMatchObject({ reason: '', note: 'new records only' })
    expect(byPath.get('BillingAddress.City')?.reason).toBe('')
    expect(byPath.get('Nickname')?.reason).toBe('')
    expect(byPath.get('Owner.Title')?.reason).toBe('')
    expect(byPath.get('Agent')?.reason).toBe('')
    expect(byPath.get('Tier')?.reason).toBe('The application doesn’t support this field.')
    expect(byPath.get('CreatedDate')?.reason).toBe('The accounting application fills in this field.')
    const offered = comboboxOptions(OPTIONS)
    expect(offered[0]).toEqual({ value: SKIP_COLUMN, label: 'Skip' })
    for (const { value: path, disabled } of offered.slice(1))
      expect(disabled === true).toBe(byPath.get(path)?.reason !== '')
  })

  test('can be cleared unless they are required, only for new records, or used to match', () => {
    const clearable = clearablePaths('customer', OPTIONS)
    for (const path of ['Phone', 'Terms', 'BillingAddress.City']) expect(clearable).toContain(path)
    for (const path of ['Name', 'Balance', 'ID', 'Tier', 'IsActive']) expect(clearable).not.toContain(path)
  })

  test('are proposed by name, but never unsupported ones, which show the reason', () => {
    const headings = ['Customer', 'Telephone', 'Tier', 'Created', 'Fax']
    const choices = proposedChoices('customer', headings, OPTIONS, [])
    expect(choices.map(({ path }) => path)).toEqual(['Name', 'Phone', null, null, null])
    expect([...leftOutReasons('customer', headings, OPTIONS)].map(([column]) => column)).toEqual([2, 3])
  })

  test('are never used twice, whatever is chosen in which order', () => {
    const choosable = OPTIONS.filter(({ reason }) => reason === '').map(({ path }) => path)
    const chosen = fc.array(fc.tuple(fc.nat(4), fc.constantFrom(SKIP_COLUMN, ...choosable)), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(chosen, (choices) => {
        const start = proposedChoices('customer', ['Name', 'Phone', 'A', 'B', 'C'], OPTIONS, [])
        const end = choices.reduce((made, [column, path]) => withField(made, column, path), start)
        const paths = end.flatMap(({ path }) => path ?? [])
        expect(new Set(paths).size).toBe(paths.length)
        const last = choices.at(-1)
        if (last) expect(end[last[0]]?.path ?? SKIP_COLUMN).toBe(last[1])
      }),
      { numRuns: 500 },
    )
  })
})

describe('drafts, as an import sees them', () => {
  const draft = (change: Partial<RowDraft>): RowDraft => ({
    draftId: 'd',
    kind: 'change',
    recordId: '1',
    before: {},
    undoes: false,
    isStale: false,
    edits: { Phone: { path: 'Phone', was: '1', now: '2' } },
    operation: null,
    ...change,
  })
  const seen = (rows: readonly RecordRow[], drafts: Readonly<Record<string, RowDraft>>) =>
    importRecords(
      standIn<Parameters<typeof importRecords>[0]>({
        rows,
        drafts: { draft: (rowId: string) => drafts[rowId] },
        ambiguity: ({ recordId }: RecordRow) => (recordId === 'twice' ? 'Several have it.' : ''),
      }),
    )

  test('a file that equals the drafts changes nothing', () => {
    const { records, locked } = seen([row({ ID: '1', Name: 'Alder', Phone: '1' })], { 1: draft({}) })
    expect(records).toEqual([{ ID: '1', Name: 'Alder', Phone: '2' }])
    expect(locked.size).toBe(0)
  })

  test('a record with a shared ID isn’t changed by a file', () => {
    const { records, locked } = seen([row({ ID: 'twice', Name: 'Alder' })], {})
    expect([...locked]).toEqual([[records[0], 'Several have it.']])
  })

  test('an unsent new record is neither added again nor changed', () => {
    const typed = draft({ kind: 'insert', edits: { Name: { path: 'Name', was: null, now: 'Elm' } } })
    const { records, locked } = seen([row({}, 'new')], { new: typed })
    const table = {
      headings: ['Name', 'Phone'],
      headingRow: 1,
      rows: [
        { number: 2, cells: ['Elm'] },
        { number: 3, cells: ['Elm ', '3'] },
      ],
    }
    const plan = planImport({
      target: { ...COMPANY, object: 'customer' },
      table: { ...table, rows: table.rows.slice(1) },
      columns: proposedChoices('customer', table.headings, OPTIONS, []),
      records,
      isWholeList: true,
      supported: new Set(SUPPORTED),
      locked,
      local: { separators: { decimal: '.', group: ',' }, dates: 'day-first' },
      formats: { separators: null, dates: null },
      matchBy: null,
      acceptedDamage: new Set(),
    })
    const [line] = toPlanLines(plan, table, [], new Set([3]))
    expect(plan.counts).toMatchObject({ inserts: 0, refused: 1 })
    expect(line && formatLine('customer', line, FORMAT)).toContain('already among your drafts')
    expect(line && formatKind(line)).toBe('Problem, sent before')
    expect(line && formatRecord(line)).toBe('')
  })

  test('an unchanged row has its record’s name even if the file has only its ID', () => {
    const table = { headings: ['ID'], headingRow: 1, rows: [{ number: 2, cells: ['7'] }] }
    const columns = [{ column: 0, heading: 'ID', path: 'ID', emptyMeans: 'leave' as const }]
    const plan = planImport({
      target: { ...COMPANY, object: 'customer' },
      table,
      columns,
      records: [{ ID: '7', Name: 'Alder', FullName: 'Finch:Alder' }],
      isWholeList: true,
      supported: new Set(SUPPORTED),
      locked: new Map(),
      local: { separators: { decimal: '.', group: ',' }, dates: 'day-first' },
      formats: { separators: null, dates: null },
      matchBy: null,
      acceptedDamage: new Set(),
    })
    const [line] = toPlanLines(plan, table, columns, new Set())
    expect(line && [line.kind, formatRecord(line)]).toEqual(['unchanged', 'Finch:Alder'])
  })
})

test('a total that is skipped isn’t shown among the opening balances', () => {
  const line: PlanLine = {
    ...{ row: 2, kind: 'insert', isRepeated: false, isHidden: false, openingBalance: '12.00', name: 'Alder' },
    outcome: { kind: 'refused', row: 2, reasons: [], columns: [], skipReason: '' },
  }
  expect(matchesFilter(line, 'opening-balance')).toBe(true)
  expect(matchesFilter({ ...line, kind: 'skipped' }, 'opening-balance')).toBe(false)
})

test('the message after an import counts its drafts, and the cells that have none', () => {
  expect(formatCreatedDrafts({ changed: 2, added: 2, refused: 0 }, FORMAT)).toBe(
    '4 drafts added: 2 changed, 2 new. Nothing was sent.',
  )
  expect(formatCreatedDrafts({ changed: 0, added: 1, refused: 1 }, FORMAT)).toBe(
    '1 draft added: 1 new. 1 cell couldn’t be filled. Nothing was sent.',
  )
  expect(formatCreatedDrafts({ changed: 0, added: 0, refused: 3 }, FORMAT)).toBe(
    'No drafts were added. 3 cells couldn’t be filled. Nothing was sent.',
  )
})

describe('an export', () => {
  const TERMS = [{ name: 'Terms', members: ['ID', 'FullName'] }]
  const PLAN = planColumns('customer', TERMS, { supported: SUPPORTED, error: null })
  const RECORD = {
    ID: '0012',
    Name: 'Alder',
    Balance: '1234567890123456.78',
    Terms: { ID: '7', FullName: 'Net 30' },
    BillingAddress: { Line1: '1 High St', City: 'Bath' },
  }

  test('has every field with all digits, addresses in parts, and references by name', () => {
    const columns = everyColumn('customer', PLAN, [row(RECORD)])
    const cells = exportCells('customer', row(RECORD), undefined, columns)
    const at = (heading: string): string | undefined =>
      cells[columns.findIndex((column) => column.heading === heading)]
    expect(at('ID')).toBe('0012')
    expect(at('Balance')).toBe('1234567890123456.78')
    expect(at('Terms')).toBe('Net 30')
    expect(at('Billing address, City')).toBe('Bath')
    expect(columns.map(({ heading }) => heading)).not.toContain('Billing address')
    expect(new Set(columns.map(({ path }) => path)).size).toBe(columns.length)
  })

  test('of what is shown has a folded address in parts, in the order on screen, and the ID', () => {
    const columns = shownColumns('customer', PLAN, ['Name', 'BillingAddress', 'Phone'], [row(RECORD)])
    expect(columns.map(({ path }) => path).slice(0, 2)).toEqual(['Name', 'BillingAddress.Line1'])
    expect(columns.map(({ path }) => path).slice(-2)).toEqual(['Phone', 'ID'])
  })

  test('has a separate column for a field with members that a record has as a single value', () => {
    const whole = row({ ...RECORD, BillingAddress: '1 High St' })
    const columns = shownColumns('customer', PLAN, ['BillingAddress'], [row(RECORD), whole])
    const headings = columns.map(({ heading }) => heading)
    const [parts, one] = [row(RECORD), whole].map((each) => exportCells('customer', each, undefined, columns))
    const [at, city] = [headings.indexOf('Billing address'), headings.indexOf('Billing address, City')]
    expect([parts?.[at], parts?.[city]]).toEqual(['', 'Bath'])
    expect([one?.[at], one?.[city]]).toEqual(['1 High St', ''])
  })

  test('has unsent changes only if requested', () => {
    const columns = shownColumns('customer', PLAN, ['Name'], [row(RECORD)])
    const edits = { Name: { path: 'Name', was: 'Alder', now: 'Alder & Co' } }
    expect(exportCells('customer', row(RECORD), edits, columns)[0]).toBe('Alder & Co')
    expect(exportCells('customer', row(RECORD), undefined, columns)[0]).toBe('Alder')
  })
})

describe('rows that are passed on', () => {
  test('arrive in order, and the producer waits for the consumer', async () => {
    const feed = new RowFeed()
    const log: string[] = []
    const giving = (async () => {
      for (const name of ['1', '2', '3']) {
        await feed.give([[name]])
        log.push(`given ${name}`)
      }
      feed.end()
    })()
    await new Promise((later) => setImmediate(later))
    expect(log).toEqual(['given 1'])
    for await (const batch of feed.rows()) log.push(`taken ${String(value(batch)[0]?.[0])}`)
    await giving
    expect(log.filter((each) => each.startsWith('taken'))).toEqual(['taken 1', 'taken 2', 'taken 3'])
  })

  test('a producer is released if its consumer is gone', async () => {
    const feed = new RowFeed()
    await feed.give([['1']])
    const waiting = feed.give([['2']])
    feed.leave()
    expect(await waiting).toBe(false)
    expect(await feed.fail(appError('stopped', 'Stopped.', ''))).toBe(false)
  })

  const begin = {
    company: COMPANY,
    object: 'customer',
    kind: 'csv',
    readAt: '2026-03-01T09:00:00Z',
    askedFor: '2 of 9 rows',
    partialReason: '',
    withDrafts: false,
    columns: [{ heading: 'Name', type: 'text' }],
  } as const
  const exporting = (folder: string) =>
    createExport({
      companies: { find: () => ok(storedCompany({ label: 'Alder' })) },
      dialog: { choose: (name) => Promise.resolve(join(folder, name)) },
      settings: { get: () => DEFAULT_SETTINGS },
      clock: new TestClock(),
      newId: () => 'export-1',
    })

  test('become a file whose name says that it is a part', async () => {
    const folder = testFolder()
    const { handlers } = exporting(folder)
    const exportId = value(await handlers['export.begin'](begin)).exportId ?? ''
    value(await handlers['export.rows']({ exportId, rows: [['=1+1'], ['Elm']] }))
    value(await handlers['export.end']({ exportId }))
    const [name = ''] = readdirSync(folder)
    expect(name).toMatch(/^Alder - Customers - 2026-03-01 .* \(partial\)\.csv$/)
    expect(readFileSync(join(folder, name), 'utf8')).toBe("\ufeffName\r\n'=1+1\r\nElm\r\n")
  })

  test('leave nothing behind if they are stopped or the page is reloaded', async () => {
    const folder = testFolder()
    const { handlers, forgetAll } = exporting(folder)
    for (const stop of [() => handlers['export.cancel']({ exportId: 'export-1' }), () => forgetAll()]) {
      value(await handlers['export.begin'](begin))
      value(await handlers['export.rows']({ exportId: 'export-1', rows: [['Elm']] }))
      await stop()
      expect(readdirSync(folder)).toEqual([])
      expect(await handlers['export.rows']({ exportId: 'export-1', rows: [] })).toMatchObject({
        error: { kind: 'not-found' },
      })
    }
  })
})
