/** The columns of the list of companies: those that are shown, and those that are copied. */
import type { Snippet } from 'svelte'
import { TILE_REM } from '../../ui/bands.ts'
import {
  type DataColumn,
  type FittedColumn,
  type Sort,
  sortRows,
  textWidth,
} from '../../ui/table/data-table.svelte.ts'
import type { CompaniesRow, RowText, RowTexts } from './rows.ts'

type Compare = (left: CompaniesRow, right: CompaniesRow) => number

export interface CompanyCells {
  readonly name: Snippet<[CompaniesRow]>
  /** Before the heading of the names: the box that checks every company. */
  readonly all?: Snippet
  readonly unfinished: Snippet<[CompaniesRow]>
  readonly file: Snippet<[CompaniesRow]>
  /** Only with **All**; otherwise every row would say the same. */
  readonly isActiveShown: boolean
  /** When each company's books last answered from here, or the result of its last test. */
  readonly answer: {
    readonly cell: Snippet<[CompaniesRow]>
    readonly text: (row: CompaniesRow) => string
    readonly compare: Compare
  }
}

/** An empty or invalid timestamp counts as the oldest. */
const byMoment =
  (of: (row: CompaniesRow) => string) =>
  (left: CompaniesRow, right: CompaniesRow): number =>
    (Date.parse(of(left)) || 0) - (Date.parse(of(right)) || 0)

const createdAt = (row: CompaniesRow): string =>
  row.kind === 'company' ? row.company.createdAt : row.provisioning.queuedAt
const lastAccessAt = (row: CompaniesRow): string =>
  row.kind === 'company' ? row.company.lastAccessAt : (row.provisioning.sentAt ?? '')
const fiscalMonth = (row: CompaniesRow): number => (row.kind === 'company' ? row.company.fiscalYearStart : 0)

/** Columns that are not sorted by their texts. */
const COMPARES: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  ['created', byMoment(createdAt)],
  ['lastAccess', byMoment(lastAccessAt)],
  ['fiscalYear', (left, right) => fiscalMonth(left) - fiscalMonth(right)],
])

/** In rem: *Waiting for authorization* with its sign. */
const WAITING_WORDS = 13

/** Around a company's name: its box, tile, and details, and each sign after it. */
const BEFORE_NAME = TILE_REM + 3.5
const SIGN = 1.65
const NO_LONGER_LISTED = 6.5

/** In rem: what the signs after the names take. */
function roomForMarks(rows: readonly CompaniesRow[]): number {
  const marks = rows.map((row) => {
    if (row.kind !== 'company') return 0
    const { favorite, readOnly, listedBy, isListed } = row.company
    const signs = [favorite, readOnly, listedBy === 'v1'].filter(Boolean).length
    return signs * SIGN + (isListed ? 0 : NO_LONGER_LISTED)
  })
  return Math.max(0, ...marks)
}

/**
 * The rows in the order in which they are shown, so that an action on several goes from the top down.
 * @param textOf the text of the column that is sorted by
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
 * The columns of the list, as wide as their longest text in any row, so that they keep their widths during a search.
 * In a narrow window, columns that the details repeat are left out.
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
    hideOrder: number | null,
  ): FittedColumn<CompaniesRow> => {
    const compare = COMPARES.get(id)
    return { id, header, text: of(id), rem, quiet: true, hideOrder, ...(compare ? { compare } : {}) }
  }
  const signs = rows.reduce(
    (most, row) => Math.max(most, texts.of(row).unfinished.split(', ').filter(Boolean).length),
    0,
  )
  const isWaiting = rows.some(({ kind }) => kind === 'waiting')
  const columns: readonly FittedColumn<CompaniesRow>[] = [
    {
      ...plain('name', 'Company', room('name', 10, 24) + BEFORE_NAME + roomForMarks(rows), null),
      cell: cells.name,
      ...(cells.all ? { headingStart: cells.all } : {}),
      quiet: false,
      flexMinRem: room('name', 10, 11.5) + BEFORE_NAME,
    },
    plain('application', 'Application', room('application', 5.25, 9), null),
    {
      ...plain('unfinished', 'Unfinished', isWaiting ? WAITING_WORDS : Math.max(5, 1 + signs * 2.75), null),
      cell: cells.unfinished,
      leastRem: isWaiting ? 10 : 5,
    },
    {
      ...plain('name', 'Last response', 8.75, 6),
      id: 'answer',
      text: cells.answer.text,
      cell: cells.answer.cell,
      compare: cells.answer.compare,
      leastRem: 7,
    },
    { ...plain('lastAccess', 'Last used', room('lastAccess', 6, 12), 3), hover: of('lastAccessInFull') },
    plain('fiscalYear', 'Year starts', 5.75, 4),
    plain('basis', 'Basis', 5, 5),
    ...(cells.isActiveShown ? [plain('active', 'Active', 3.75, null)] : []),
    { ...plain('notes', 'Notes', room('notes', 5, 22), 2), leastRem: 5 },
    // Paths have wide letters, and the server or drive says which file it is.
    { ...plain('file', 'Company file', room('file', 7.75, 26) + 1.5, 1), cell: cells.file, leastRem: 8.75 },
  ]
  // A column that is empty for every company takes no room.
  return columns.filter(({ text }) => rows.length === 0 || rows.some((row) => text(row) !== ''))
}

/** What is copied of a row: every field, shown or not. */
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
    { id: 'lastAccess', header: 'Last used', text: lastAccessAt },
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
