/** Reports as a document for paper: pure markup, everything from the service as text. A port prints it. */
import { Format, type FormatChoice, capitalised } from '../../../shared/format/format.ts'
import { escaped } from '../../../shared/format/text.ts'
import { isZeroRow } from '../../../shared/reports/levels.ts'
import { headingDays, headingTitle } from '../../../shared/reports/messages.ts'
import type { ReportFinding, ReportRow } from '../../../shared/reports/reports.ts'
import { type Result, appError, err, ok } from '../../../shared/result.ts'
import { type FiledReport, filedNotes } from '../report-file.ts'
import type { CellKind } from '../workbook/cells.ts'
import { reportColumns } from '../workbook/sheet.ts'

/** What is handed to the printer. */
export interface Printed {
  readonly html: string
  readonly css: string
  readonly footer: string
  readonly pages: readonly PageKind[]
}

/** The pages of one report: a CSS page name with what holds for each of them. */
interface PageKind {
  readonly name: string
  readonly orientation: 'portrait' | 'landscape'
  /** Small print at the head of each page; may be empty. */
  readonly header: string
}

/** The first page of a pack. */
export interface Cover {
  readonly companyName: string
  /** *Month end*. */
  readonly title: string
  readonly period: string
  readonly madeAt: string
  /** What is in it, and what is not and why; each with a word on whether it adds up. */
  readonly contents: readonly { readonly title: string; readonly note: string }[]
}

/** Thousands of pages help nobody, and the engine needs gigabytes for them. */
const MOST_ROWS = 20_000
/** So many columns fit a page upright, and so many across. Further ones go on other pages, beside the names again. */
const MOST_UPRIGHT = 5
const MOST_ACROSS = 9
/** Text of so many characters is not broken. */
const SHORT = 13

/** The reports that one document has room for, the first ones first. */
export function fittingOnPaper(reports: readonly FiledReport[]): ReadonlySet<FiledReport> {
  const fitting = new Set<FiledReport>()
  let rows = 0
  for (const report of reports) {
    if (rows + report.head.rowCount > MOST_ROWS) continue
    rows += report.head.rowCount
    fitting.add(report)
  }
  return fitting
}

/** @returns an error where there are more rows than a document on paper should have */
export async function reportsPrint(
  reports: readonly FiledReport[],
  choice: FormatChoice,
  cover: Cover | null = null,
): Promise<Result<Printed>> {
  const format = new Format(choice)
  const rows = reports.reduce((sum, { head }) => sum + head.rowCount, 0)
  const refused = refusedIfTooLong(
    rows,
    format,
    'Save a workbook or CSV instead, or choose a shorter period.',
  )
  if (refused !== null) return refused
  const sections: string[] = cover === null ? [] : [coverPage(cover, format)]
  const pages: PageKind[] = [{ name: 'cover', orientation: 'portrait', header: '' }]
  for (const [index, report] of reports.entries()) {
    const { head, companyName } = report
    const name = `report${index + 1}`
    const days = headingDays(head, format).shown
    pages.push({
      name,
      orientation: head.columns.length > MOST_UPRIGHT ? 'landscape' : 'portrait',
      // The footer of a single report names it already.
      header: reports.length > 1 || cover ? [companyName, headingTitle(head), days].join(' · ') : '',
    })
    const section = await reportSection(report, name, format)
    if (!section.ok) return section
    sections.push(section.value)
  }
  const [first] = reports
  const title = cover?.title ?? (first ? headingTitle(first.head) : '')
  const period = cover?.period ?? (first ? headingDays(first.head, format).shown : '')
  const companyName = cover?.companyName ?? first?.companyName ?? ''
  return ok({
    html: documentMarkup(`${companyName} - ${title}`, sections.join('')),
    css: `${PRINT_STYLE}${pages.map(({ name }) => `.${name} { page: ${name}; }`).join('\n')}`,
    pages,
    footer: [companyName, title, period].filter((part) => part !== '').join(' · '),
  })
}

/** A document as the printer takes it, which loads its style sheet by name. */
export function documentMarkup(title: string, body: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>` +
    `<link rel="stylesheet" href="print.css"></head><body>${body}</body></html>`
  )
}

/** The refusal of a document with too many rows; `null` if they fit. */
export function refusedIfTooLong(rows: number, format: Format, advice: string): Result<never> | null {
  if (rows <= MOST_ROWS) return null
  return err(appError('invalid-input', `${format.count(rows)} rows are too many for a PDF.`, advice))
}

async function reportSection(report: FiledReport, pageName: string, format: Format): Promise<Result<string>> {
  const { head, companyName, hideZeroRows } = report
  const shapes = await reportColumns(head, report.rows(), hideZeroRows)
  if (!shapes.ok) return shapes
  // A date is set like text, in the region's form.
  const kinds = shapes.value.slice(1).map(({ kind }): CellKind => (kind === 'date' ? 'text' : kind))
  const { stamp, wrong, unchecked } = filedNotes(report, format)
  const bad = wrongCells(head.checks.findings)
  const parts = columnParts(head.columns.length)
  const lines = parts.map((): string[] => [])
  let index = 0
  for await (const batch of report.rows()) {
    if (!batch.ok) return batch
    for (const row of batch.value) {
      if (!(hideZeroRows && isZeroRow(row))) {
        parts.forEach((columns, part) => lines[part]?.push(line(row, columns, kinds, bad.get(index), format)))
      }
      index += 1
    }
  }
  const tables = parts.map((columns, part) => {
    const headings = columns.map((column) => {
      const text = escaped(head.columns[column] ?? '')
      return `<th${kinds[column] === 'text' ? ' class="text"' : ''}>${text}</th>`
    })
    const place =
      parts.length === 1
        ? ''
        : `<p class="columns">Columns ${(columns[0] ?? 0) + 1} to ${(columns.at(-1) ?? 0) + 1} of ${head.columns.length}</p>`
    return (
      `<div class="columns-part">${place}<table><thead><tr><th>${escaped(head.nameColumn)}</th>${headings.join('')}` +
      `</tr></thead><tbody>${(lines[part] ?? []).join('')}</tbody></table></div>`
    )
  })
  return ok(
    `<section class="report ${pageName}"><p class="client">${escaped(companyName)}</p>` +
      `<h2>${escaped(headingTitle(head))}</h2>` +
      `<p class="days">${escaped(capitalised(headingDays(head, format).shown))}</p>` +
      `<p class="stamp">${escaped(stamp)}</p>` +
      (wrong.length === 0 ? '' : `<div class="wrong">${paragraphs(wrong)}</div>`) +
      tables.join('') +
      (unchecked.length === 0 ? '' : `<div class="unchecked">${paragraphs(unchecked)}</div>`) +
      `</section>`,
  )
}

/** Which columns go on which pages, as even as can be. One part for a report without columns. */
function columnParts(count: number): readonly (readonly number[])[] {
  const parts = Math.max(1, Math.ceil(count / MOST_ACROSS))
  const each = Math.ceil(count / parts)
  return Array.from({ length: parts }, (_, part) =>
    Array.from({ length: Math.min(each, count - part * each) }, (_column, at) => part * each + at),
  )
}

function wrongCells(findings: readonly ReportFinding[]): ReadonlyMap<number, ReadonlySet<number>> {
  const cells = new Map<number, Set<number>>()
  for (const { row, column } of findings) cells.set(row, (cells.get(row) ?? new Set()).add(column))
  return cells
}

function line(
  row: ReportRow,
  columns: readonly number[],
  kinds: readonly CellKind[],
  bad: ReadonlySet<number> | undefined,
  format: Format,
): string {
  const level = Math.min(12, row.level)
  const cells = columns.map((column) => {
    const kind = kinds[column] ?? 'text'
    const value = row.values[column] ?? ''
    if (value === '') return '<td></td>'
    const isSum = (row.kind === 'subtotal' || row.kind === 'total') && kind !== 'text'
    const mark = bad?.has(column) === true ? ' bad' : ''
    const text = escaped(cellText(value, kind, format))
    // Dates and short words stay on one line.
    const short = text.length <= SHORT ? ' short' : ''
    if (kind === 'text') return `<td class="text${short}${mark}">${text}</td>`
    return isSum
      ? `<td><span class="sum${mark}">${text}</span></td>`
      : `<td${mark && ' class="bad"'}>${text}</td>`
  })
  return `<tr class="${row.kind}${level > 0 ? ` l${level}` : ''}"><th>${escaped(row.name)}</th>${cells.join('')}</tr>`
}

/** As on screen: amounts with their marks, dates as the machine writes them, everything else as it came. */
function cellText(value: string, kind: CellKind, format: Format): string {
  switch (kind) {
    case 'amount':
      return format.money(value)
    case 'integer':
    case 'percent':
      return format.decimal(value)
    case 'text':
    case 'boolean':
    case 'moment':
    case 'date':
      return /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(value) ? format.date(value) : value
  }
}

function coverPage({ companyName, title, period, madeAt, contents }: Cover, format: Format): string {
  const rows = contents
    .map(({ title: name, note }) => `<tr><th>${escaped(name)}</th><td>${escaped(note)}</td></tr>`)
    .join('')
  return (
    `<section class="cover"><p class="client">${escaped(companyName)}</p><h2>${escaped(title)}</h2>` +
    `<p class="days">${escaped(period)}</p><p class="stamp">Made ${escaped(format.fullMoment(madeAt))}</p>` +
    `<table><tbody>${rows}</tbody></table></section>`
  )
}

function paragraphs(lines: readonly string[]): string {
  return lines.map((each) => `<p>${escaped(each)}</p>`).join('')
}

/**
 * How a report looks on paper: black on white, sums ruled, headings repeated on each page. The printer says how large
 * each page is, and what stands at its head.
 */
export const PRINT_STYLE = `
* { box-sizing: border-box; }
body {
  margin: 0; color: #111; background: #fff;
  font: 9pt/1.35 Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif;
}
.columns-part + .columns-part { break-before: page; }
.columns { margin-top: 8pt; font-size: 8pt; color: #555; }
section.report + section.report, section.cover + section.report { break-before: page; }
h1, h2, p { margin: 0; }
.client { font-size: 15pt; font-weight: 600; line-height: 1.2; }
h2 { margin-top: 3pt; font-size: 12pt; font-weight: 600; }
.days { font-size: 10pt; }
.stamp { margin-top: 3pt; font-size: 8pt; color: #555; }
.wrong { margin-top: 6pt; padding: 5pt 7pt; border: 0.75pt solid #8a5a00; border-left-width: 3pt; font-size: 8.5pt; }
.wrong p:first-child { font-weight: 600; }
.unchecked { margin-top: 8pt; font-size: 7.5pt; color: #555; }
table { width: 100%; margin-top: 10pt; border-collapse: collapse; font-variant-numeric: tabular-nums lining-nums; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th, td { padding: 1.6pt 0 1.6pt 10pt; vertical-align: top; text-align: right; font-weight: 400; }
thead th { padding-bottom: 3pt; border-bottom: 0.75pt solid #111; vertical-align: bottom; font-weight: 600; }
tbody th, thead th:first-child { padding-left: 0; text-align: left; }
td.text, thead th.text { text-align: left; }
td { white-space: nowrap; }
td.text { white-space: normal; overflow-wrap: break-word; }
td.text.short { white-space: nowrap; }
tbody th { min-width: 130pt; overflow-wrap: break-word; }
.cover tbody th { min-width: 0; }
.section > th, .subtotal > *, .total > * { font-weight: 600; }
/* A heading stays with its first row, and a sum with what it adds up. */
tr.section { break-after: avoid; }
tr.subtotal, tr.total { break-before: avoid; }
.ruled { position: relative; }
.sum { display: inline-block; padding-left: 8pt; border-top: 0.5pt solid #111; }
.total .sum { border-bottom: 2.25pt double #111; }
.bad { font-weight: 600; text-decoration: underline; text-decoration-style: wavy; text-underline-offset: 2pt; }
${Array.from({ length: 12 }, (_, level) => `.l${level + 1} > th { padding-left: ${(level + 1) * 11}pt; }`).join('\n')}
section.cover { display: flex; flex-direction: column; min-height: 80vh; padding-top: 22vh; }
.cover .client { font-size: 26pt; }
.cover h2 { font-size: 16pt; font-weight: 400; }
.cover table { margin-top: 28pt; font-size: 10pt; }
.cover td, .cover tbody th { padding-block: 4pt; border-bottom: 0.5pt solid #bbb; }
.cover td { text-align: left; white-space: normal; }
`
