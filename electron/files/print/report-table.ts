/**
 * Creates printed tables from a report's rows. A section that spans pages repeats its name on each, a total
 * stays with its last rows, and columns that don't fit continue on more pages, with the names repeated.
 */
import type { Format } from '../../../shared/format/format.ts'
import { escapeHtml } from '../../../shared/format/text.ts'
import { changeText } from '../../../shared/reports/columns.ts'
import { isZeroRow } from '../../../shared/reports/levels.ts'
import type { ReportFinding, ReportRow } from '../../../shared/reports/reports.ts'
import { isTotalAssets } from '../../../shared/reports/subjects.ts'
import { ok, type Result } from '../../../shared/result.ts'
import {
  entriesOf,
  findingsInColumns,
  headInColumns,
  rowInColumns,
  rowsInColumns,
} from '../report-entries.ts'
import type { ReportForFile } from '../report-file.ts'
import type { CellKind } from '../workbook/cells.ts'
import { reportColumns } from '../workbook/sheet.ts'

export type Orientation = 'portrait' | 'landscape'

/** Width of a column's texts, in digits. */
export interface ColumnWidth {
  readonly isText: boolean
  /** With every text on one line, or the heading of amounts. */
  readonly whole: number
  /** With texts broken at spaces. Amounts and dates are never broken. */
  readonly least: number
}

export interface TableLayout {
  readonly orientation: Orientation
  /** Whether to use smaller type, with which twelve months fit on one page. */
  readonly isSmall: boolean
  /** Column indexes by page. */
  readonly parts: readonly (readonly number[])[]
  /** Widths of the columns in digits. The names get the rest. */
  readonly widths: readonly number[]
}

/** Width between the margins of the narrower of Letter and A4, in points. */
const ROOM: Readonly<Record<Orientation, number>> = { portrait: 508, landscape: 705 }
/** Width of a digit in Helvetica and Arial, and the gap between columns, in points. */
const DIGIT = 5
const GAP = 10
const SMALL = 7 / 9

/**
 * Chooses orientation, type size, and the columns per page: portrait if all columns fit, then landscape, then
 * smaller type, then several pages.
 * @internal
 */
export function layOutPages(names: ColumnWidth, columns: readonly ColumnWidth[]): TableLayout {
  const all = columns.map((_, column) => column)
  const needs = (part: readonly number[], width: 'whole' | 'least', scale = 1): number =>
    part.reduce(
      (sum, at) => {
        const column = columns[at]
        // A heading that can wrap is no reason for landscape.
        const digits = (column?.isText === true ? column[width] : column?.least) ?? 0
        return sum + (digits * DIGIT + GAP) * scale
      },
      names.least * DIGIT * scale,
    )
  const made = (orientation: Orientation, isSmall: boolean, parts: TableLayout['parts']): TableLayout => ({
    orientation,
    isSmall,
    parts,
    widths: widthsOf(names, columns, parts, ROOM[orientation], isSmall ? SMALL : 1),
  })
  if (needs(all, 'whole') <= ROOM.portrait) return made('portrait', false, [all])
  if (needs(all, 'least') <= ROOM.landscape) return made('landscape', false, [all])
  if (needs(all, 'least', SMALL) <= ROOM.landscape) return made('landscape', true, [all])
  for (let count = 2; ; count += 1) {
    const parts = evenParts(columns.length, count)
    if (count >= columns.length || parts.every((part) => needs(part, 'least') <= ROOM.landscape))
      return made('landscape', false, parts)
  }
}

/** Splits columns as evenly as possible. */
function evenParts(columns: number, count: number): readonly (readonly number[])[] {
  const each = Math.ceil(columns / count)
  return Array.from({ length: Math.ceil(columns / each) }, (_, part) =>
    Array.from({ length: Math.min(each, columns - part * each) }, (_column, at) => part * each + at),
  )
}

/** Distributes the width that amounts and names leave to texts. */
function widthsOf(
  names: ColumnWidth,
  columns: readonly ColumnWidth[],
  parts: TableLayout['parts'],
  room: number,
  scale: number,
): readonly number[] {
  const widths = columns.map(({ least }) => least)
  const widen = (part: readonly number[], isText: boolean, name: number): void => {
    const missing = (at: number): number => {
      const column = columns[at]
      return column?.isText === isText ? column.whole - column.least : 0
    }
    const wanted = part.reduce((sum, at) => sum + missing(at), 0)
    const used = part.reduce((sum, at) => sum + (widths[at] ?? 0), name)
    const free = Math.floor((room - part.length * GAP * scale) / (DIGIT * scale)) - used
    const share = wanted === 0 ? 0 : Math.max(0, Math.min(1, free / wanted))
    for (const at of part) widths[at] = (widths[at] ?? 0) + Math.floor(missing(at) * share)
  }
  for (const part of parts) {
    widen(part, true, names.least)
    widen(part, false, names.whole)
  }
  return widths
}

/** Longer texts always wrap. */
const LONGEST_CELL = 40
const LONGEST_NAME = 44
const LONGEST_HEADING = 18
/** Longer words break anywhere. */
const LONGEST_WORD = 24
const LEAST_TEXT = 12
const LEAST_NAME = 22
/** Texts up to this length, such as dates, don't wrap. */
const SHORT = 13

/** Measures the texts of a column. */
class Measured {
  #longest = 0
  #longestWord = 0

  /** @param isBroken whether the text may wrap at spaces */
  add(text: string, isBroken: boolean): void {
    // Periods and parentheses are half as wide as digits.
    const marks = isBroken ? 0 : text.replace(/[^.,()]/g, '').length / 2
    this.#longest = Math.max(this.#longest, text.length - marks)
    if (text.length <= this.#longestWord) return
    const words = isBroken && text.length > SHORT ? text.split(/\s+/) : [text]
    for (const { length } of words) this.#longestWord = Math.max(this.#longestWord, length)
  }

  width(isText: boolean, heading: string): ColumnWidth {
    // Headings are bold, with letters wider than digits.
    const longestWord = Math.max(...heading.split(/\s+/).map(({ length }) => length))
    const headingWord = Math.min(Math.ceil(longestWord * 1.15), LONGEST_WORD)
    if (!isText) {
      const least = Math.ceil(Math.max(this.#longest + 0.5, headingWord))
      const whole = Math.min(Math.ceil(heading.length * 1.15), LONGEST_HEADING)
      return { isText, whole: Math.max(least, whole), least }
    }
    const whole = Math.max(Math.min(this.#longest, LONGEST_CELL), headingWord) + 1
    return {
      isText,
      whole,
      least: Math.min(whole, Math.max(LEAST_TEXT, Math.min(this.#longestWord, 20), headingWord) + 1),
    }
  }

  names(heading: string): ColumnWidth {
    const whole = Math.max(LEAST_NAME, Math.min(Math.max(this.#longest, heading.length), LONGEST_NAME))
    return { isText: true, whole, least: LEAST_NAME }
  }
}

interface PaperRow {
  readonly row: ReportRow
  readonly texts: readonly string[]
  readonly bad: ReadonlySet<number> | undefined
  /** Whether the name spans the empty columns beside it. */
  readonly hasWideName: boolean
}

/** The column of entries' dates, in place of their names. */
const DATES: ColumnWidth = { isText: true, whole: 13, least: 13 }

export interface PaperTables {
  readonly layout: TableLayout
  /** One table per page part. */
  readonly html: string
}

/**
 * Creates the tables.
 * @returns the error of an unreadable row
 */
export async function reportTables(report: ReportForFile, format: Format): Promise<Result<PaperTables>> {
  const { hideZeroRows } = report
  const found = await entriesOf(report.head.name, report.rows)
  if (!found.ok) return found
  const entries = found.value
  const head = headInColumns(report.head, entries)
  const shapes = await reportColumns(head, rowsInColumns(report.rows, entries), hideZeroRows)
  if (!shapes.ok) return shapes
  // Dates are formatted as text, by locale.
  const kinds = shapes.value.slice(1).map(({ kind }): CellKind => (kind === 'date' ? 'text' : kind))
  const bad = wrongCells(findingsInColumns(head.checks.findings, entries))
  const rows: PaperRow[] = []
  const names = new Measured()
  const measured = head.columns.map(() => new Measured())
  let index = 0
  for await (const batch of report.rows()) {
    if (!batch.ok) return batch
    for (const raw of batch.value) {
      if (!(hideZeroRows && isZeroRow(raw))) {
        const isEntry = entries !== null && entries.textsOf(raw) !== null
        const row = rowInColumns(raw, entries)
        const texts = head.columns.map((_, column) => {
          const text = cellText(
            row.values[column] ?? '',
            kinds[column] ?? 'text',
            format,
            row.values[column - 1],
          )
          measured[column]?.add(text, kinds[column] === 'text')
          return text
        })
        // A name with empty cells beside it spans the columns of text.
        if (entries === null || isEntry)
          names.add(`${isEntry ? '' : '  '.repeat(row.level)}${row.name}`, true)
        rows.push({
          row: isEntry ? { ...row, name: format.date(row.name), level: 0 } : row,
          texts,
          bad: bad.get(index),
          hasWideName: entries !== null && !isEntry,
        })
      }
      index += 1
    }
  }
  const widths = measured.map((each, column) =>
    each.width((kinds[column] ?? 'text') === 'text', head.columns[column] ?? ''),
  )
  const layout = layOutPages(entries === null ? names.names(head.nameColumn) : DATES, widths)
  const html = layout.parts.map((columns) => {
    const caption =
      layout.parts.length === 1
        ? ''
        : `<p class="columns">Columns ${(columns[0] ?? 0) + 1} to ${(columns.at(-1) ?? 0) + 1} of ${head.columns.length}</p>`
    const headings = columns.map((column) => {
      const text = escapeHtml(head.columns[column] ?? '')
      return `<th${kinds[column] === 'text' ? ' class="text"' : ''}>${text}</th>`
    })
    return (
      `<div class="columns-part">${caption}<table>${columnGroup(columns, layout)}` +
      `<thead><tr><th>${escapeHtml(head.nameColumn)}</th>${headings.join('')}</tr></thead>` +
      `<tbody>${body(head.name, rows, columns, kinds, layout)}</tbody></table></div>`
    )
  })
  return ok({ layout, html: html.join('') })
}

function columnGroup(columns: readonly number[], { widths }: TableLayout): string {
  const cols = columns.map((column) => `<col class="w${String(widths[column] ?? 0)}">`)
  return `<colgroup><col>${cols.join('')}</colgroup>`
}

/** Returns the style sheet with the column widths, because the markup has no inline styles. */
export function columnStyle(layouts: readonly TableLayout[]): string {
  const widths = new Set(layouts.flatMap((layout) => layout.widths))
  return [...widths]
    .map((width) => `.w${String(width)} { width: calc(${String(width)}ch + ${GAP / 9}em); }`)
    .join('\n')
}

/**
 * Creates the rows, with a table per section. The table's head says that the section continues, and is hidden
 * where the section starts. Totals after a section stay in its table, because a page may break between two
 * tables.
 */
function body(
  reportName: string,
  rows: readonly PaperRow[],
  columns: readonly number[],
  kinds: readonly CellKind[],
  layout: TableLayout,
): string {
  const group = columnGroup(columns, layout)
  const end = '</tbody></table></div></td></tr>'
  const lastTotal = rows.findLastIndex(({ row }) => row.kind === 'total')
  const pieces: string[] = []
  /** Levels of the sections with open tables. */
  const open: number[] = []
  const closeTo = (level: number): void => {
    while ((open.at(-1) ?? -1) >= level) {
      open.pop()
      pieces.push(end)
    }
  }
  rows.forEach((each, at) => {
    const { row } = each
    const isInside = row.kind !== 'subtotal' && row.kind !== 'total' && row.kind !== 'spacer'
    if (isInside) closeTo(row.level)
    if (row.kind === 'section') {
      open.push(row.level)
      pieces.push(
        `<tr class="nest"><td colspan="${String(columns.length + 1)}"><div class="going-on"><table>${group}` +
          `<thead><tr${levelClass(row)}><th colspan="${String(columns.length + 1)}">${escapeHtml(row.name)}, continued</th></tr></thead><tbody>`,
      )
    }
    pieces.push(line(each, columns, kinds, at === lastTotal || isTotalAssets(reportName, row)))
  })
  closeTo(0)
  return pieces.join('')
}

function levelClass({ level }: ReportRow): string {
  return level > 0 ? ` class="l${String(Math.min(12, level))}"` : ''
}

function wrongCells(findings: readonly ReportFinding[]): ReadonlyMap<number, ReadonlySet<number>> {
  const cells = new Map<number, Set<number>>()
  for (const { row, column } of findings) cells.set(row, (cells.get(row) ?? new Set()).add(column))
  return cells
}

function line(
  { row, texts, bad, hasWideName }: PaperRow,
  columns: readonly number[],
  kinds: readonly CellKind[],
  isGrandTotal: boolean,
): string {
  const isSum = row.kind === 'subtotal' || row.kind === 'total'
  const first = columns.findIndex((column) => (texts[column] ?? '') !== '')
  const spanned = !hasWideName ? 0 : first < 0 ? columns.length : first
  const cells = columns.slice(spanned).map((column) => {
    const text = escapeHtml(texts[column] ?? '')
    if (text === '') return '<td></td>'
    const mark = bad?.has(column) === true ? ' bad' : ''
    if (kinds[column] === 'text') {
      // Dates and short words don't wrap.
      const short = (texts[column] ?? '').length <= SHORT ? ' short' : ''
      return `<td class="text${short}${mark}">${text}</td>`
    }
    return isSum
      ? `<td><span class="sum${mark}">${text}</span></td>`
      : `<td${mark && ' class="bad"'}>${text}</td>`
  })
  const level = row.level > 0 ? ` l${String(Math.min(12, row.level))}` : ''
  return `<tr class="${row.kind}${level}${isGrandTotal ? ' last' : ''}"><th${spanned > 0 ? ` colspan="${String(spanned + 1)}"` : ''}>${escapeHtml(row.name)}</th>${cells.join('')}</tr>`
}

/**
 * Formats a cell as on screen: amounts and dates by locale, everything else as received.
 * @param before the value of the column before it
 */
function cellText(value: string, kind: CellKind, format: Format, before = ''): string {
  switch (kind) {
    case 'amount':
      return format.money(value)
    case 'integer':
    case 'percent':
      return format.decimal(value)
    case 'change':
    case 'change-percent':
      return changeText(value, kind, format, before)
    case 'text':
    case 'boolean':
    case 'moment':
    case 'date':
      return /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(value) ? format.date(value) : value
  }
}

/** Styles for tables: rules at totals, headings on each page. */
export const TABLE_STYLE = `
.columns-part + .columns-part { break-before: page; }
.columns { margin-top: 8pt; font-size: 8pt; color: #555; }
.columns-part table { table-layout: fixed; }
.small table { font-size: 7pt; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
tr.nest { break-inside: auto; }
tr.nest > td { padding: 0; white-space: normal; }
/*
 * The head of a section's table shows on every page but the first, where it is outside the visible part of the block.
 */
.going-on { display: flow-root; overflow: visible clip; }
.going-on > table { margin-top: -15pt; }
.going-on > table > thead th {
  height: 15pt; padding-block: 0; overflow: hidden; border: 0; vertical-align: middle; text-overflow: ellipsis;
  white-space: nowrap; font-style: italic; font-weight: 400;
}
.section > th, .subtotal > *, .total > * { font-weight: 600; }
/* A heading stays with its first row, and a sum with the rows above it. */
tr.section { break-after: avoid; }
tr.subtotal, tr.total, tr.spacer { break-before: avoid; }
.sum { display: inline-block; margin-left: -0.8em; padding-left: 0.8em; border-top: 0.5pt solid #111; }
.total.last .sum { border-bottom: 2.25pt double #111; }
.bad { font-weight: 600; text-decoration: underline; text-decoration-style: wavy; text-underline-offset: 2pt; }
${Array.from({ length: 12 }, (_, level) => `.l${level + 1} > th:first-child { padding-left: ${(level + 1) * 11}pt; }`).join('\n')}
`
