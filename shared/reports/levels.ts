/**
 * A report's rows as a tree (specification 2.7). The service sends a flat list. Its RowType says what a row is, but not
 * its level. Pure, linear, and tolerant of unbalanced lists.
 *
 * *Assumption* (decisions.md, "A report’s levels"): a TextRow opens a section, the next SubtotalRow at that depth
 * closes it, and a TotalRow is at the top level. An unknown RowType is a data row that shows its type. A row of any type
 * without a name and values is a blank line. It opens, closes, and adds nothing.
 */
import type { RawReportRow, ReportRow, ReportRowKind } from './reports.ts'

const KINDS: ReadonlyMap<string, ReportRowKind> = new Map([
  ['textrow', 'section'],
  ['datarow', 'data'],
  ['subtotalrow', 'subtotal'],
  ['totalrow', 'total'],
])

/** The kind of a row: by its RowType in any case, unless the row is blank. */
function rowKind(row: RawReportRow): ReportRowKind {
  if (isSpacer(row)) return 'spacer'
  return KINDS.get(row.rowType.trim().toLowerCase()) ?? 'other'
}

/** A ruled line: *-----*, *=====*. Fewer than three characters may be a name, or a dash for no amount. */
const RULE = /^[-=_~*.\u2212\p{Pd}\p{Pc}\u2500-\u257f]{3,}$/u

function saysNothing(text: string): boolean {
  if (text === '') return true
  const signs = text.replace(/\s+/gu, '')
  return signs === '' || RULE.test(signs)
}

/** Whether a row is a blank or ruled line: no name, no record, and no value. */
function isSpacer({ id, name, values }: Pick<RawReportRow, 'id' | 'name' | 'values'>): boolean {
  return id.trim() === '' && saysNothing(name) && values.every(saysNothing)
}

/** An open section: its row, its name for comparison, and whether a section in it was closed. */
interface OpenSection {
  readonly row: number
  readonly name: string
  hasSections: boolean
}

/** A name in lowercase, without `Total` and repeated spaces, so that `Total Income` matches `INCOME`. */
export function subjectOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/^(?:sub-?)?totals?\b(?:\s+(?:for|of)\b)?/, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * Whether a subtotal states an intermediate result and closes nothing. Desktop applications have *Gross Profit* as a
 * SubtotalRow within *Ordinary Income/Expense*, whose own subtotal comes later.
 */
function isIntermediateResult(name: string, section: OpenSection): boolean {
  return section.hasSections && /^gross (?:profit|margin|loss)\b/i.test(name.trim())
}

/** Which open section a subtotal closes, as an index into the stack; −1 for none. */
function closedBy(open: readonly OpenSection[], name: string): number {
  const innermost = open.length - 1
  const last = open[innermost]
  if (last === undefined || isIntermediateResult(name, last)) return -1
  // A subtotal that names an outer section also ends the inner ones, whose own subtotals were left out. Checked only if
  // the name says *Total* and isn't the innermost section's, and no deeper than any real report nests.
  const subject = subjectOf(name)
  if (subject !== '' && subject !== last.name && /^(?:sub-?)?total/i.test(name.trim())) {
    for (let index = innermost - 1; index >= 0 && index > innermost - 20; index -= 1) {
      if (open[index]?.name === subject) return index
    }
  }
  return innermost
}

/**
 * Gives each row its kind, its level (0 at the top) and the section that contains it. A subtotal belongs to the section
 * that it closes, and is at that section's level. Rows keep their order and their values as text.
 */
export function levelReport(rows: readonly RawReportRow[]): ReportRow[] {
  const open: OpenSection[] = []
  return rows.map((row, index) => {
    const kind = rowKind(row)
    const around = open.at(-1)
    const here = { ...row, kind, level: open.length, parent: around?.row ?? -1 }
    switch (kind) {
      case 'section':
        open.push({ row: index, name: subjectOf(row.name), hasSections: false })
        return here
      case 'subtotal': {
        const closes = closedBy(open, row.name)
        const section = open[closes]
        if (section === undefined) return here
        open.length = closes
        const outer = open.at(-1)
        if (outer) outer.hasSections = true
        return { ...here, level: closes, parent: section.row }
      }
      case 'total':
        open.length = 0
        return { ...here, level: 0, parent: -1 }
      case 'data':
      case 'other':
      case 'spacer':
        return here
    }
  })
}

/** The most common number of values in rows with values. In a tie, the smaller one, because odd rows have more. */
function usualCount(rows: readonly Pick<RawReportRow, 'values'>[]): number {
  const times = new Map<number, number>()
  for (const { values } of rows) {
    if (values.length > 0) times.set(values.length, (times.get(values.length) ?? 0) + 1)
  }
  let usual = 0
  for (const [count, seen] of times) {
    const most = times.get(usual) ?? 0
    if (seen > most || (seen === most && count < usual)) usual = count
  }
  return usual
}

/**
 * The heading of the name column and one heading per value.
 *
 * *Assumption* (decisions.md, "A report’s `Columns` against `Values`"): with one heading more than values, the first is the
 * name column's. With as many, the name column has none. Extra values get empty headings, and extra headings get empty
 * columns.
 */
export function columnsOf(
  columns: readonly string[],
  rows: readonly Pick<RawReportRow, 'id' | 'name' | 'values'>[],
): { readonly nameColumn: string; readonly columns: readonly string[] } {
  const telling = rows.filter((row) => !isSpacer(row))
  const usual = usualCount(telling)
  const named = columns.length > usual
  const headings = named ? columns.slice(1) : [...columns]
  let most = headings.length
  for (const { values } of telling) most = Math.max(most, values.length)
  while (headings.length < most) headings.push('')
  return { nameColumn: named ? (columns[0] ?? '') : '', columns: headings }
}

/** Whether all amounts of a row are zero or empty. *Zero rows* hides such rows. A row with text isn't one. */
export function isZeroRow(row: Pick<ReportRow, 'kind' | 'values'>): boolean {
  if (row.kind !== 'data') return false
  return row.values.length > 0 && row.values.every((value) => /^-?0*(?:\.0*)?$/.test(value.trim()))
}
