/**
 * Creates printed documents from reports: only markup, with everything from the service as text. A port prints
 * them.
 */
import { capitalized, Format, type FormatChoice } from '../../../shared/format/format.ts'
import { escapeHtml } from '../../../shared/format/text.ts'
import { headingDays, headingTitle } from '../../../shared/reports/messages.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { type ReportForFile, reportNotes } from '../report-file.ts'
import { type Letterhead, letterheadLine, letterheadMarkup, type Picture } from './letterhead.ts'
import {
  columnStyle,
  type Orientation,
  type PaperTables,
  reportTables,
  TABLE_STYLE,
  type TableLayout,
} from './report-table.ts'

/** The document that the printer receives. */
export interface Printed {
  readonly html: string
  readonly css: string
  readonly footer: string
  readonly pages: readonly PageKind[]
  /** Available to the document as `logo`. */
  readonly logo: Picture | null
}

/** The pages of one report: a CSS page name and its settings. */
interface PageKind {
  readonly name: string
  readonly orientation: Orientation
  /** Small text at the top of each page; may be empty. */
  readonly header: string
}

/** The cover of a pack. */
export interface Cover {
  readonly companyName: string
  /** *Month end*. */
  readonly title: string
  readonly period: string
  readonly madeAt: string
  /** Who signed it off, and when; empty if no one did. */
  readonly signature: string
  /** The note added with it; empty if there is none. */
  readonly note: string
  /** The contents, including what is missing and why, each with whether it adds up. */
  readonly contents: readonly { readonly title: string; readonly note: string }[]
}

/** Other pages between the cover and the reports. */
export interface PrintedSection {
  readonly html: string
  readonly css: string
  readonly page: PageKind
}

/** No one needs thousands of pages, and rendering them takes gigabytes. */
export const MAX_PRINTED_ROWS = 25_000

/** Returns the reports that fit into one document, in order. */
export function reportsThatFitOnPaper(reports: readonly ReportForFile[]): ReadonlySet<ReportForFile> {
  const fitting = new Set<ReportForFile>()
  let rows = 0
  for (const report of reports) {
    if (rows + report.head.rowCount > MAX_PRINTED_ROWS) continue
    rows += report.head.rowCount
    fitting.add(report)
  }
  return fitting
}

interface PaperStyle {
  readonly format: Format
  readonly letterhead: Letterhead
}

/**
 * Creates the document.
 * @returns an error if there are too many rows
 */
export async function reportsPrint(
  reports: readonly ReportForFile[],
  choice: FormatChoice,
  letterhead: Letterhead,
  cover: Cover | null = null,
  between: readonly PrintedSection[] = [],
): Promise<Result<Printed>> {
  const format = new Format(choice)
  const style = { format, letterhead }
  const rows = reports.reduce((sum, { head }) => sum + head.rowCount, 0)
  const refused = tooManyRowsError(
    rows,
    format,
    'Save a workbook or CSV instead, or choose a shorter period.',
  )
  if (refused !== null) return refused
  const sections: string[] = cover === null ? [] : [coverPage(cover, style)]
  const pages: PageKind[] = [{ name: 'cover', orientation: 'portrait', header: '' }]
  const layouts: TableLayout[] = []
  for (const { html, page } of between) {
    sections.push(html)
    pages.push(page)
  }
  for (const [index, report] of reports.entries()) {
    const { head, companyName } = report
    const name = `report${index + 1}`
    const days = headingDays(head, format)
    const tables = await reportTables(report, format)
    if (!tables.ok) return tables
    layouts.push(tables.value.layout)
    pages.push({
      name,
      orientation: tables.value.layout.orientation,
      // The footer of a single report already names it.
      header: reports.length > 1 || cover ? [companyName, headingTitle(head), days].join(' · ') : '',
    })
    sections.push(reportSection(report, tables.value, reportNotes(report, format), name, style))
  }
  const [first] = reports
  const title = cover?.title ?? (first ? headingTitle(first.head) : '')
  const period = cover?.period ?? (first ? headingDays(first.head, format) : '')
  const companyName = cover?.companyName ?? first?.companyName ?? ''
  return ok({
    html: documentMarkup(`${companyName} - ${title}`, sections.join('')),
    css: `${PRINT_STYLE}${between.map(({ css }) => css).join('')}${columnStyle(layouts)}\n${pages.map(({ name }) => `.${name} { page: ${name}; }`).join('\n')}`,
    pages,
    logo: letterhead.logo,
    footer: [companyName, title, period, letterheadLine(letterhead)]
      .filter((part) => part !== '')
      .join(' · '),
  })
}

/** Creates the printer's HTML document, which loads its style sheet by name. */
export function documentMarkup(title: string, body: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    `<link rel="stylesheet" href="print.css"></head><body>${body}</body></html>`
  )
}

/** Returns the error for a document with too many rows; `null` if they fit. */
export function tooManyRowsError(rows: number, format: Format, advice: string): Result<never> | null {
  if (rows <= MAX_PRINTED_ROWS) return null
  return err(appError('invalid-input', `${format.count(rows)} rows are too many for a PDF.`, advice))
}

function reportSection(
  { head, companyName }: ReportForFile,
  { layout, html }: PaperTables,
  { basis, stamp, wrong, unchecked }: ReturnType<typeof reportNotes>,
  pageName: string,
  { format, letterhead }: PaperStyle,
): string {
  return (
    `<section class="report ${pageName}${layout.isSmall ? ' small' : ''}">${letterheadMarkup(letterhead)}` +
    `<p class="client">${escapeHtml(companyName)}</p><h2>${escapeHtml(headingTitle(head))}</h2>` +
    `<p class="days">${escapeHtml(capitalized(headingDays(head, format)))}</p>` +
    (basis === '' ? '' : `<p class="days">${escapeHtml(basis)}</p>`) +
    `<p class="stamp">${escapeHtml(stamp)}</p>` +
    (wrong.length === 0 ? '' : `<div class="wrong">${paragraphs(wrong)}</div>`) +
    html +
    (unchecked.length === 0 ? '' : `<div class="unchecked">${paragraphs(unchecked)}</div>`) +
    `</section>`
  )
}

function coverPage(
  { companyName, title, period, madeAt, signature, note, contents }: Cover,
  { format, letterhead }: PaperStyle,
): string {
  const rows = contents
    .map(({ title: name, note }) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(note)}</td></tr>`)
    .join('')
  return (
    `<section class="cover">${letterheadMarkup(letterhead)}<p class="client">${escapeHtml(companyName)}</p><h2>${escapeHtml(title)}</h2>` +
    `<p class="days">${escapeHtml(period)}</p><p class="stamp">Created ${escapeHtml(format.dayAndTime(madeAt))}</p>` +
    (signature === '' ? '' : `<p class="signature">${escapeHtml(signature)}</p>`) +
    (note === '' ? '' : `<p class="note">${escapeHtml(note)}</p>`) +
    `<table><tbody>${rows}</tbody></table></section>`
  )
}

function paragraphs(lines: readonly string[]): string {
  return lines.map((each) => `<p>${escapeHtml(each)}</p>`).join('')
}

/** Styles for paper: black on white. The printer sets the page size and the header. */
export const PRINT_STYLE = `
* { box-sizing: border-box; }
body {
  margin: 0; color: #111; background: #fff;
  font: 9pt/1.35 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif;
}
section.report + section.report, section.cover + section.report { break-before: page; }
h1, h2, p { margin: 0; }
.client { font-size: 15pt; font-weight: 600; line-height: 1.2; }
h2 { margin-top: 3pt; font-size: 12pt; font-weight: 600; }
.days { font-size: 10pt; }
.stamp { margin-top: 3pt; font-size: 8pt; color: #555; }
.letterhead { float: right; max-width: 45%; margin: 0 0 6pt 12pt; font-size: 8pt; text-align: right; color: #555; }
.letterhead img { display: block; max-width: 150pt; max-height: 42pt; margin: 0 0 3pt auto; }
.wrong { clear: both; margin-top: 6pt; padding: 5pt 7pt; border: 0.75pt solid #8a5a00; border-left-width: 3pt; font-size: 8.5pt; }
.wrong p:first-child { font-weight: 600; }
.unchecked { margin-top: 8pt; font-size: 7.5pt; color: #555; }
.columns-part { clear: both; }
table { width: 100%; margin-top: 10pt; border-collapse: collapse; font-variant-numeric: tabular-nums lining-nums; }
th, td { padding: 1.6pt 0 1.6pt 1.1em; vertical-align: top; text-align: right; font-weight: 400; }
thead th { padding-bottom: 3pt; border-bottom: 0.75pt solid #111; vertical-align: bottom; font-weight: 600; }
tbody th, thead th:first-child { padding-left: 0; text-align: left; }
/* A long word must not widen the page, which then is printed smaller as a whole. */
p, tbody th, thead th:first-child, td.text { overflow-wrap: anywhere; }
tbody th { min-width: 72pt; }
thead th { overflow-wrap: break-word; }
td.text, thead th.text { text-align: left; }
td { white-space: nowrap; }
td.text { white-space: normal; }
td.text.short { white-space: nowrap; }
${TABLE_STYLE}
section.cover { display: flex; flex-direction: column; min-height: 80vh; padding-top: 22vh; }
.cover .letterhead { float: none; max-width: none; margin: 0 0 28pt; font-size: 10pt; text-align: left; }
.cover .letterhead img { max-width: 220pt; max-height: 70pt; margin: 0 0 6pt; }
.cover .client { font-size: 26pt; }
.cover h2 { font-size: 16pt; font-weight: 400; }
.cover .signature { margin: 14pt 0 0; font-size: 11pt; font-weight: 600; }
.cover .note { margin: 3pt 0 0; font-size: 10pt; overflow-wrap: anywhere; }
.cover table { margin-top: 28pt; font-size: 10pt; }
.cover td, .cover tbody th { padding-block: 4pt; border-bottom: 0.5pt solid #bbb; }
.cover td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
`
