/** The review pack of a month: its statements, findings, and decisions, signed by name and date. */
import { displayName } from '../../../shared/companies/companies.ts'
import type { SavedFile } from '../../../shared/contract/parts.ts'
import type { KeptMonth, KeptOutcome, KeptReading } from '../../../shared/contract/review.ts'
import { capitalized, Format } from '../../../shared/format/format.ts'
import { findingsTitle, formatChecks, headingTitle } from '../../../shared/reports/messages.ts'
import { reportTitle, totalsResult } from '../../../shared/reports/reports.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { areReadEarly, formatSigner } from '../../../shared/review/review.ts'
import type { Source } from '../../../shared/review/rules.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { proposedFileName } from '../../files/file-name.ts'
import { letterheadOf } from '../../files/print/letterhead.ts'
import { reportsPrint, reportsThatFitOnPaper } from '../../files/print/report-print.ts'
import { type ReportForFile, toReportForWorkbook } from '../../files/report-file.ts'
import { type PackedReview, packReview, reviewSection, reviewSheet } from '../../files/review-pack.ts'
import { reportWorkbook } from '../../files/workbook/report-workbook.ts'
import { once, writeFileAtomically } from '../../files/write-file.ts'
import { monthStatement } from '../../review/evidence/month-columns.ts'
import { daysOfMonth } from '../../review/plan.ts'
import { checkReport } from '../../rows/reports/checks.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { MonthStore } from '../../store/months.ts'
import type { Printer, SaveDialog, SettingsStore } from '../ports.ts'
import { copiedHead, copiedRows, statementOf } from './copies.ts'
import { type DecisionOn, decisionsIn } from './decisions.ts'
import { haveCents } from './month-rows.ts'

export interface ReviewPackOptions {
  readonly store: MonthStore
  readonly dialog: SaveDialog
  readonly printer: Printer
  readonly settings: Pick<SettingsStore, 'get'>
  readonly locale: string
  readonly clock: Clock
}

export interface ReviewPack {
  /**
   * Asks where to save, and writes the whole file or nothing: the month as it was closed, or its current state while it
   * is open.
   */
  save(
    company: StoredCompany,
    month: string,
    value: KeptMonth,
    format: 'pdf' | 'xlsx',
  ): Promise<Result<SavedFile>>
}

/**
 * The month's own reports, in the order of the pack. Lists, other months, and single entries aren't meant to be handed
 * out.
 */
const PACKED: readonly Source[] = [
  'profit-and-loss',
  'balance-sheet',
  'trial-balance',
  'receivables',
  'vendor-expenses',
  'by-class',
  'budget',
]

/** The parts of a month that go into its pack. */
interface Packed {
  readonly readings: readonly KeptReading[]
  readonly outcomes: readonly KeptOutcome[]
  readonly fiscalYearStart: number
  readonly decisionOn: DecisionOn
  readonly signature: string
  readonly note: string
}

export function createReviewPack(options: ReviewPackOptions): ReviewPack {
  const { store, clock } = options

  const packed = (company: StoredCompany, month: string, value: KeptMonth, format: Format): Packed => {
    const { closed } = value
    const early = ' The month was not over when its reports were read.'
    const version = closed === null ? null : store.version(company.ref, month, closed.version)
    const decisionOn = decisionsIn(store, company.ref, month, closed)
    if (closed === null || version === null) {
      return {
        readings: value.readings,
        fiscalYearStart: company.fiscalYearStart,
        outcomes: store.outcomes(company.ref, month),
        decisionOn,
        signature: `Not closed yet.${areReadEarly(value.readings) ? early : ''}`,
        note: '',
      }
    }
    const changed = value.change === null ? '' : ' The books changed since.'
    return {
      ...version,
      decisionOn,
      signature: `Closed${formatSigner(version.by)}, ${format.day(version.at)}.${areReadEarly(version.readings) ? early : ''}${changed}`,
    }
  }

  /** Profit and loss is read over the months that are compared. A pack has the month and the year to date, and no other. */
  const ofTheMonth = async (
    report: ReportForFile,
    fiscalYearStart: number,
    month: string,
    format: Format,
  ): Promise<Result<ReportForFile | null>> => {
    const { head } = report
    const whole = await statementOf(head, report.rows())
    if (!whole.ok) return whole
    const headings = [format.month(`${month}-01`), 'Year to date'] as const
    const made = monthStatement(whole.value, month, fiscalYearStart, headings)
    if (made === null) return ok(null)
    const { from, to, columns, rows } = made
    const checks = checkReport(head.name, columns, rows)
    return ok({
      ...report,
      head: { ...head, from, to, columns, making: 'single', periods: [{ from, to }], checks },
      rows: () => once(rows),
    })
  }

  /** The reports of a pack, and what to say about those that are not in it. */
  const reportsOf = async (
    company: StoredCompany,
    month: string,
    { readings, fiscalYearStart }: Packed,
    format: Format,
  ): Promise<
    Result<{ readonly reports: readonly ReportForFile[]; readonly missing: readonly Contents[] }>
  > => {
    const reports: ReportForFile[] = []
    const missing: Contents[] = []
    for (const source of PACKED) {
      const reading = readings.find((each) => each.source === source)
      if (reading === undefined) continue
      if (reading.copyId === '' || reading.state !== 'read') {
        missing.push({ title: reportTitle(reading.name), note: `Not in this pack. ${reading.reason}`.trim() })
        continue
      }
      const head = copiedHead(store, reading)
      if (!head.ok) return head
      const report: ReportForFile = {
        head: { ...head.value, reportId: reading.copyId },
        companyName: displayName(company),
        basis: company.basis,
        rows: () => copiedRows(store, reading.copyId),
        hideZeroRows: true,
      }
      const made =
        source === 'profit-and-loss' ? await ofTheMonth(report, fiscalYearStart, month, format) : ok(report)
      if (!made.ok) return made
      if (made.value !== null) reports.push(made.value)
      else {
        const note = 'Not in this pack. The application combined several months.'
        missing.push({ title: reportTitle(reading.name), note })
      }
    }
    return ok({ reports, missing })
  }

  return {
    async save(company, month, value, kind) {
      const { negatives } = options.settings.get()
      const choice = { locale: options.locale, negatives }
      const books = { hasCents: haveCents(value.readings) }
      const format = new Format(choice).forBooks(books)
      const { from, to } = daysOfMonth(month)
      const content = packed(company, month, value, format)
      const { outcomes, decisionOn, signature, note } = content
      const found = await reportsOf(company, month, content, format)
      if (!found.ok) return found
      const { reports, missing } = found.value
      const companyName = displayName(company)
      const review: PackedReview = {
        ...books,
        companyName,
        period: capitalized(format.period(from, to)),
        signature,
        note,
        ...packReview(outcomes, decisionOn, format),
      }
      const madeAt = timestamp(clock)
      const name = proposedFileName(companyName, 'Review', { from, to }, kind)
      if (kind === 'xlsx') {
        const sheets = reports.map((report) => toReportForWorkbook(report, headingTitle(report.head), format))
        const path = await options.dialog.choose(name, kind)
        if (path === null) return ok({ saved: false })
        const about = missing.map(({ title, note: why }) => [title, why] as const)
        return writeFileAtomically(
          path,
          reportWorkbook(sheets, { negatives, madeAt, about, first: [reviewSheet(review)] }),
        )
      }
      const fitting = reportsThatFitOnPaper(reports)
      const contents = [
        { title: 'Review', note: reviewNote(review) },
        ...reports.map((report) => contentsOf(report, fitting.has(report), format)),
        ...missing,
      ]
      const cover = {
        companyName,
        title: 'Review of the month',
        period: review.period,
        madeAt,
        signature,
        note,
        contents,
      }
      const printed = await reportsPrint([...fitting], choice, letterheadOf(options.settings.get()), cover, [
        reviewSection(review, format),
      ])
      if (!printed.ok) return printed
      const bytes = await options.printer.pdf(printed.value)
      if (!bytes.ok) return bytes
      const path = await options.dialog.choose(name, kind)
      return path === null ? ok({ saved: false }) : writeFileAtomically(path, [bytes])
    },
  }
}

interface Contents {
  readonly title: string
  readonly note: string
}

/** @internal */
export function contentsOf({ head }: Pick<ReportForFile, 'head'>, fits: boolean, format: Format): Contents {
  const title = headingTitle(head)
  if (!fits) return { title, note: 'Too long for a PDF. See the workbook.' }
  switch (totalsResult(head)) {
    case 'incomplete':
      return { title, note: 'It may be incomplete.' }
    case 'wrong':
      return { title, note: findingsTitle(head.checks) }
    case 'agree':
      return { title, note: 'Totals agree.' }
    case 'unchecked':
      return { title, note: `${formatChecks(head.checks, format)}.` }
  }
}

function reviewNote({ findings, notChecked, nothingFound }: PackedReview): string {
  const open = findings.filter(({ decision }) => decision === 'Open').length
  const counted = (count: number, word: string): string => `${String(count)} ${word}${count === 1 ? '' : 's'}`
  const rules = new Set(notChecked.map(({ rule }) => rule)).size
  return [
    findings.length === 0 ? nothingFound : `${counted(findings.length, 'finding')}, ${String(open)} open.`,
    ...(rules === 0 ? [] : [`${counted(rules, 'rule')} not checked.`]),
  ].join(' ')
}
