/**
 * The widths of a report's columns in the available space, and which columns of an entry are shown. Widths are in rem, so
 * that they scale with the text. Pure.
 */
import type { EntryColumns, EntryPart } from '../../../shared/reports/entries.ts'
import type { ReportRow } from '../../../shared/reports/reports.ts'
import { type ColumnKind, type ReportColumn, SHOWN_DATE } from './columns.ts'

export interface ColumnLayout {
  /** In a report of entries, the columns between an entry's date and its amounts. */
  readonly texts: readonly TextColumn[]
  /** All columns after the name. */
  readonly columns: readonly ReportColumn[]
  /** Whether cells are padded less, because names would be cut or not all columns would be visible. */
  readonly isTight: boolean
  /** Whether headings take two lines, for the same reason. */
  readonly isWrapped: boolean
  /** Whether the columns scroll sideways. */
  readonly isWide: boolean
  /** Where they do, all but the total are equally wide, so that whole ones are visible. */
  readonly scrolled: { readonly column: number; readonly total: number } | null
  /** The least width of the names. */
  readonly leastName: number
  /** The least width of all columns together. */
  readonly least: number
  /** For `grid-template-columns`. */
  readonly template: string
}

/** Width of an entry's date, with its sign. */
const DATE_REM = { normal: 8.9, tight: 7 }
/** The least room for names: less where that brings all columns into view. */
const NAME_REM = [15, 13, 11.5] as const
/** After the amounts of entries, which end where the page's heading does. */
const EDGE_REM = 0.375
/** Longer names may be cut. */
const MAX_NAME_REM = 18
/** Rows whose names are measured. */
const MEASURED = 300

/**
 * @param room the width of the table; infinite until it is known
 * @param dragged widths set by the user, by column; −1 is the column of names
 */
export function layOutReport(
  report: {
    readonly columns: readonly ReportColumn[]
    readonly rows: readonly ReportRow[]
    readonly entries: EntryColumns | null
  },
  room: number,
  dragged: Readonly<Record<number, number>>,
): ColumnLayout {
  const { entries } = report
  const edge = entries === null ? 0 : EDGE_REM
  const textsFor = (tight: boolean): readonly TextColumn[] =>
    entries === null
      ? []
      : textColumns(
          entries,
          room - edge - DATE_REM[tight ? 'tight' : 'normal'] - widthOf(report.columns, tight),
          tight,
        )
  const names = Math.max(NAME_REM[2], namesWidth(report.rows))
  const isTight =
    entries === null ? names + widthOf(report.columns, false) > room : !areWhole(textsFor(false), entries)
  const isWrapped =
    entries === null &&
    report.columns.some(({ width, wrapped }) => wrapped < width) &&
    names + widthOf(report.columns, true) > room
  const texts = textsFor(isTight)
  const amounts = isWrapped
    ? report.columns.map((column) => ({ ...column, width: column.wrapped }))
    : report.columns
  const columns = [...texts, ...amounts]
  const scrolled =
    entries === null && Object.keys(dragged).length === 0 ? scrolledWidths(amounts, room, isTight) : null
  const fitting = NAME_REM.find((rem) => rem + widthOf(amounts, isTight) <= room) ?? 14
  const leastName =
    dragged[-1] ?? (entries === null ? (scrolled?.name ?? fitting) : DATE_REM[isTight ? 'tight' : 'normal'])
  const isFixed = dragged[-1] !== undefined || entries !== null || scrolled !== null
  const widths = columns.map(({ width, isTotal }, at) => {
    const shown = texts[at]?.most ?? (scrolled && !isTotal ? scrolled.column : remOf(width, isTight))
    return dragged[at] ?? shown
  })
  const leasts = widths.map((width, at) => (dragged[at] === undefined ? (texts[at]?.least ?? width) : width))
  const least = leastName + leasts.reduce((sum, width) => sum + width, 0) + edge
  return {
    texts,
    columns,
    isTight,
    isWrapped,
    isWide: least > room + 0.01,
    scrolled,
    leastName,
    least,
    template: [
      // The amounts of a single column end at the right beside a chart.
      isFixed ? `${leastName}rem` : `minmax(${leastName}rem, ${columns.length === 1 ? 44 : 30}rem)`,
      ...widths.map((width, at) =>
        leasts[at] === width ? `${width}rem` : `minmax(${leasts[at] ?? 0}rem, ${width}rem)`,
      ),
      `minmax(${edge}rem, 1fr)`,
    ].join(' '),
  }
}

/** Whether every column of entries is shown, and none is cut. */
function areWhole(texts: readonly TextColumn[], { columns }: EntryColumns): boolean {
  return texts.length === columns.length - 1 && texts.every(({ least, most }) => least >= most)
}

/** Widths of the amounts together. */
function widthOf(amounts: readonly ReportColumn[], isTight: boolean): number {
  return amounts.reduce((sum, { width }) => sum + remOf(width, isTight), 0)
}

/** The width of the first names, with their indents and signs. */
function namesWidth(rows: readonly ReportRow[]): number {
  const longest = Math.max(
    0,
    ...rows.slice(0, MEASURED).map(({ name, level }) => name.length * 0.42 + level * 1.125),
  )
  return Math.min(MAX_NAME_REM, longest + 3.5)
}

/** The widths where columns scroll sideways; `null` if all of them fit. */
function scrolledWidths(
  amounts: readonly ReportColumn[],
  room: number,
  isTight: boolean,
): { readonly column: number; readonly total: number; readonly name: number } | null {
  if (NAME_REM[2] + widthOf(amounts, isTight) <= room) return null
  const column = Math.max(
    ...amounts.filter(({ isTotal }) => !isTotal).map(({ width }) => remOf(width, isTight)),
  )
  const total = widthOf(
    amounts.filter(({ isTotal }) => isTotal),
    isTight,
  )
  const inView = Math.max(1, Math.floor((room - NAME_REM[1] - total) / column))
  return { column, total, name: Math.max(NAME_REM[1], room - total - inView * column) }
}

// The columns of entries, in the room that their amounts leave.

/** A column of what an entry is, beside its amounts. */
export interface TextColumn extends ReportColumn {
  readonly part: EntryPart
  /** The least and the most that it needs. */
  readonly least: number
  readonly most: number
}

/** The left and right padding of a cell together, as in the styles of the table. */
const PADDING = { normal: 1.4, tight: 0.55 } as const

/**
 * A column's width for so many characters.
 * @param isTight whether cells are padded less, where that brings more columns into view
 */
function remOf(characters: number, isTight = false): number {
  return characters * 0.495 + (isTight ? PADDING.tight : PADDING.normal)
}

/** The same for words, whose letters are narrower than digits. */
function remOfPart(part: EntryPart, characters: number, isTight: boolean): number {
  return part === 'number'
    ? remOf(characters, isTight)
    : characters * 0.43 + (isTight ? PADDING.tight : PADDING.normal)
}

/** These are hidden first where there is little room. The row's tooltip has their content. */
const LEAVING: readonly EntryPart[] = [
  'split',
  'entered',
  'terms',
  'late',
  'due',
  'memo',
  'type',
  'number',
  'name',
]
const TEXT_KINDS: Readonly<Partial<Record<EntryPart, ColumnKind>>> = {
  due: 'date',
  late: 'decimal',
  entered: 'moment',
}
const MAX_LETTERS: Readonly<Partial<Record<EntryPart, number>>> = { type: 16, number: 12, terms: 14 }
/** The fewest letters of those that may be cut. */
const CUT: Readonly<Partial<Record<EntryPart, number>>> = { name: 12, memo: 12, split: 12 }
const CUT_TIGHT: typeof CUT = { type: 10, name: 14, memo: 10 }

/** The other account is shown only if it leaves the other columns this many letters. */
const BESIDE_SPLIT: typeof CUT = { type: 10, name: 20, memo: 16, split: 16 }

/** These take the space that is left, in this order, up to so many letters. */
const GROWING: readonly (readonly [EntryPart, letters: number])[] = [
  ['type', Infinity],
  ['name', 26],
  ['memo', Infinity],
  ['name', Infinity],
  ['split', Infinity],
]

/**
 * The columns between an entry's date and its amounts.
 * @param room what the date and the amounts leave
 */
function textColumns({ columns }: EntryColumns, room: number, isTight: boolean): readonly TextColumn[] {
  const cut = isTight ? CUT_TIGHT : CUT
  const leastOf = ({ part, width }: Pick<TextColumn, 'part' | 'width'>, fewest: typeof CUT): number =>
    remOfPart(part, Math.min(width, fewest[part] ?? width), isTight)
  let kept = columns
    .filter(({ part }) => part !== 'date')
    .map(({ part, heading, longest }): TextColumn => {
      const kind = TEXT_KINDS[part] ?? 'text'
      const letters = kind === 'date' ? SHOWN_DATE : Math.min(MAX_LETTERS[part] ?? 44, longest)
      const width = Math.max(heading.length + 1, letters)
      return {
        part,
        heading,
        kind,
        width,
        // Without the wider padding, a text with many digits or capitals needs more than the average.
        most: remOfPart(part, isTight ? width * 1.1 : width, isTight),
        least: leastOf({ part, width }, cut),
        wrapped: width,
        isTotal: false,
      }
    })
  const roomFor = (fewest: typeof CUT): number =>
    kept.reduce((sum, column) => sum + leastOf(column, fewest), 0)
  for (const part of LEAVING) {
    if (roomFor(part === 'split' ? BESIDE_SPLIT : cut) <= room) break
    kept = kept.filter((column) => column.part !== part)
  }
  // Names and memos say more than the other account does.
  let free = room - roomFor(cut)
  for (const [part, letters] of GROWING) {
    kept = kept.map((column) => {
      if (column.part !== part) return column
      const wanted = Math.min(column.most, remOfPart(part, letters, isTight))
      const more = Math.max(0, Math.min(wanted - column.least, free))
      free -= more
      return { ...column, least: column.least + more }
    })
  }
  return kept
}
