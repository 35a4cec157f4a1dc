/** The columns of the list of companies: those that are shown where there is room, and those that are copied. */
import type { Snippet } from 'svelte'
import {
  sortRows,
  textWidth,
  type DataColumn,
  type FittedColumn,
  type Sort,
} from '../../ui/table/data-table.svelte.ts'
import type { CompaniesRow, RowText, RowTexts } from './rows.ts'

export interface CompanyCells {
  readonly name: Snippet<[CompaniesRow]>
  /** Before the heading of the names: a box that ticks every company. */
  readonly all?: Snippet
  readonly unfinished: Snippet<[CompaniesRow]>
  readonly file: Snippet<[CompaniesRow]>
  /** Where companies of one kind are shown, it says the same in every row. */
  readonly isActiveShown: boolean
  /** What a test answered; only there once one was made. */
  readonly test: {
    readonly cell: Snippet<[CompaniesRow]>
    readonly text: (row: CompaniesRow) => string
  } | null
}

/** Later first means larger: an empty or odd timestamp is the oldest. */
const byMoment =
  (of: (row: CompaniesRow) => string) =>
  (left: CompaniesRow, right: CompaniesRow): number =>
    (Date.parse(of(left)) || 0) - (Date.parse(of(right)) || 0)

const createdAt = (row: CompaniesRow): string =>
  row.kind === 'company' ? row.company.createdAt : row.provisioning.queuedAt
const lastAccessAt = (row: CompaniesRow): string =>
  row.kind === 'company' ? row.company.lastAccessAt : (row.provisioning.sentAt ?? '')
const fiscalMonth = (row: CompaniesRow): number => (row.kind === 'company' ? row.company.fiscalYearStart : 0)

type Compare = (left: CompaniesRow, right: CompaniesRow) => number

/** Columns that are not in the order of their texts. */
const COMPARES: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  ['created', byMoment(createdAt)],
  ['lastAccess', byMoment(lastAccessAt)],
  ['fiscalYear', (left, right) => fiscalMonth(left) - fiscalMonth(right)],
])

/** There also when no company has anything in them. */
const ALWAYS: ReadonlySet<string> = new Set(['name', 'unfinished', 'test', 'file'])

/** In rem: the end of a path, which tells files apart, and *Waiting for authorization* with its sign. */
const PATH = 8.75
const WAITING_WORDS = 13
/** In rem: a date, or a time of today. */
const DATE = 7.4

/** Before a company's name, and each sign after it. */
const BOX_AND_TILE = 3.5
const SIGN = 1.65
const NO_LONGER_LISTED = 6.5

/** In rem: what stands after the names, where there is room for it; none is kept from the paths where nothing does. */
function roomForMarks(rows: readonly CompaniesRow[]): number {
  const marks = rows.map((row) => {
    if (row.kind !== 'company') return 0
    const { favourite, readOnly, listedBy, isListed } = row.company
    const signs = [favourite, readOnly, listedBy === 'v1'].filter(Boolean).length
    return signs * SIGN + (isListed ? 0 : NO_LONGER_LISTED)
  })
  return Math.max(0, ...marks)
}

/**
 * The rows in the order in which they are shown, so that what is done to several goes from the top down.
 * @param textOf what stands in the column that it is sorted by
 */
export function rowsInOrder(
  rows: readonly CompaniesRow[],
  sort: Sort | null,
  textOf: (row: CompaniesRow, columnId: string) => string,
): readonly CompaniesRow[] {
  if (sort === null) return rows
  const { columnId } = sort
  const compare = COMPARES.get(columnId)
  const text = (row: CompaniesRow): string => textOf(row, columnId)
  return sortRows(rows, [{ id: columnId, header: '', text, ...(compare ? { compare } : {}) }], sort)
}

/**
 * The columns with the room that they ask for, which is that of the longest text of all rows: it stays while one
 * searches. Where there is too little, columns that the panel repeats give way, ours first.
 */
export function companyColumns(
  rows: readonly CompaniesRow[],
  texts: RowTexts,
  cells: CompanyCells,
): readonly FittedColumn<CompaniesRow>[] {
  const of = (field: keyof RowText) => (row: CompaniesRow) => texts.of(row)[field]
  const room = (field: keyof RowText, least: number, most: number): number =>
    textWidth(
      rows.reduce((longest, row) => Math.max(longest, texts.of(row)[field].length), 0),
      { least, most },
    )
  const plain = (
    id: keyof RowText,
    header: string,
    rem: number,
    givesWay: number | null,
  ): FittedColumn<CompaniesRow> => {
    const compare = COMPARES.get(id)
    return { id, header, text: of(id), rem, quiet: true, givesWay, ...(compare ? { compare } : {}) }
  }
  const signs = rows.reduce(
    (most, row) => Math.max(most, texts.of(row).unfinished.split(', ').filter(Boolean).length),
    0,
  )
  const columns: readonly FittedColumn<CompaniesRow>[] = [
    {
      ...plain('name', 'Company', room('name', 10, 24) + BOX_AND_TILE + roomForMarks(rows), null),
      cell: cells.name,
      ...(cells.all ? { headingStart: cells.all } : {}),
      quiet: false,
      leastRem: room('name', 10, 11.5) + BOX_AND_TILE,
    },
    plain('application', 'Application', room('application', 5.25, 9), null),
    {
      ...plain('unfinished', 'Unfinished', Math.max(5, 1 + signs * 2.75), null),
      cell: cells.unfinished,
    },
    ...(cells.test
      ? [{ ...plain('name', 'Test', 5, null), id: 'test', text: cells.test.text, cell: cells.test.cell }]
      : []),
    {
      ...plain('file', 'Company file', room('file', PATH, 16), null),
      cell: cells.file,
      takesRest: rows.some(({ kind }) => kind === 'waiting') ? WAITING_WORDS : PATH,
    },
    { ...plain('version', 'Version', room('version', 5, 14), 4), leastRem: 5 },
    {
      ...plain('created', 'Created', room('created', 5, 12), 5),
      hover: of('createdInFull'),
      leastRem: room('created', 5, DATE),
    },
    { ...plain('lastAccess', 'Last access', room('lastAccess', 6, 12), 6), hover: of('lastAccessInFull') },
    ...(cells.isActiveShown ? [plain('active', 'Active', 3.75, null)] : []),
    { ...plain('notes', 'Notes', room('notes', 5, 16), 3), leastRem: 5 },
    plain('fiscalYear', 'Fiscal year starts', 8, 1),
    plain('basis', 'Basis', 5, 2),
  ]
  // What no company has takes no room from the paths.
  return columns.filter(
    ({ id, text }) => ALWAYS.has(id) || rows.length === 0 || rows.some((row) => text(row) !== ''),
  )
}

/** What is copied of a row: every field that there is, whether or not there is room for it. */
export function copiedColumns(texts: RowTexts): readonly DataColumn<CompaniesRow>[] {
  const plain = (id: keyof RowText, header: string): DataColumn<CompaniesRow> => ({
    id,
    header,
    text: (row) => texts.of(row)[id],
  })
  const company = (
    header: string,
    text: (company: Extract<CompaniesRow, { kind: 'company' }>['company']) => string,
  ): DataColumn<CompaniesRow> => ({
    id: header,
    header,
    text: (row) => (row.kind === 'company' ? text(row.company) : ''),
  })
  return [
    plain('name', 'Company'),
    plain('serviceName', 'Name in the service'),
    plain('application', 'Application'),
    plain('unfinished', 'Unfinished'),
    plain('file', 'Company file'),
    plain('version', 'Version'),
    // As the service wrote them, which a spreadsheet can sort.
    { id: 'created', header: 'Created', text: createdAt },
    { id: 'lastAccess', header: 'Last access', text: lastAccessAt },
    plain('active', 'Active'),
    plain('lock', 'Read only'),
    plain('fiscalYear', 'Fiscal year starts'),
    plain('basis', 'Basis'),
    plain('notes', 'Notes'),
    company('User ID', ({ userId }) => userId),
    company('Company ID', ({ ref }) => ref.endpointId),
    company('Record ID', ({ recordId }) => recordId),
    company('External ID', ({ externalId }) => externalId),
    company('Set up by', ({ appName }) => appName),
    plain('listedBy', 'Service'),
  ]
}
