/** Printed documents about what was sent: the receipt of one batch, and the history of many. */
import type { LeftOut } from '../../../shared/contract/all-companies.ts'
import type {
  HistoryEntry,
  HistoryOutcome,
  HistoryRecord,
  SentTime,
} from '../../../shared/contract/history.ts'
import { capitalized, Format, type FormatChoice } from '../../../shared/format/format.ts'
import { escapeHtml } from '../../../shared/format/text.ts'
import { listName } from '../../../shared/records/definition.ts'
import { pathHeading } from '../../../shared/records/fields.ts'
import { entryTitle, leftOutTitle, OUTCOME_LABELS, sentTimeText } from '../../../shared/records/outcome.ts'
import { fieldValueText } from '../../../shared/records/value-text.ts'
import { ok, type Result } from '../../../shared/result.ts'
import {
  earlierAttempt,
  type HistoryFileFacts,
  historyLimits,
  historyNote,
} from '../workbook/history-workbook.ts'
import { type Letterhead, letterheadLine, letterheadMarkup } from './letterhead.ts'
import { documentMarkup, PRINT_STYLE, type Printed, tooManyRowsError } from './report-print.ts'

export interface Receipt {
  readonly companyName: string
  readonly applicationName: string
  /** The connection's name and address. */
  readonly connection: string
  readonly object: string
  /** Who sent it; empty if unknown. */
  readonly sentBy: string
  readonly sent: SentTime
  /** When this receipt was made, in ISO format. */
  readonly madeAt: string
  /** In the order in which they were sent. */
  readonly records: readonly HistoryRecord[]
}

/**
 * Creates a receipt with a row per field of each record. Amounts and dates are formatted as in the window.
 * @returns an error if there are too many rows for a PDF
 */
export function receiptPrint(
  receipt: Receipt,
  choice: FormatChoice,
  letterhead: Letterhead,
): Result<Printed> {
  const format = new Format(choice)
  const { companyName, object, records } = receipt
  const refused = tooManyRowsError(rowsToPrint(records), format, 'See this batch in History instead.')
  if (refused !== null) return refused
  const title = `Receipt: ${listName(object)}`
  const sent = sentTimeText(receipt.sent, format)
  return ok(
    document(
      {
        companyName,
        title,
        madeAt: receipt.madeAt,
        letterhead,
        facts: [
          ['Application', receipt.applicationName],
          ['Connection', receipt.connection],
          ['Sent', sent],
          ['Sent by', receipt.sentBy],
          ['Records', format.count(records.length)],
          ['Outcome', outcomes(records, format)],
        ],
        open: records.some(isOpen) ? 'This receipt shows what was known when it was created.' : '',
        rows: recordRows(records, receipt.sent, format),
        footer: sent,
      },
      format,
    ),
  )
}

interface MultiCompanyReceiptCompany extends Pick<
  Receipt,
  'companyName' | 'applicationName' | 'sentBy' | 'records'
> {
  /** Attempts that were followed by others. Their outcomes don't count. */
  readonly earlier: readonly HistoryRecord[]
}

/** What one change sent to several companies. */
export interface MultiCompanyReceipt extends Pick<Receipt, 'object' | 'connection' | 'sent' | 'madeAt'> {
  /** What was changed. */
  readonly title: string
  readonly companies: readonly MultiCompanyReceiptCompany[]
  /** Companies and records that the change was not sent to, and why. */
  readonly leftOut: readonly LeftOut[]
}

/**
 * Creates one receipt for several companies, with each company's records as on its own receipt.
 * @returns an error if there are too many rows for a PDF
 */
export function multiCompanyReceiptPrint(
  receipt: MultiCompanyReceipt,
  choice: FormatChoice,
  letterhead: Letterhead,
): Result<Printed> {
  const format = new Format(choice)
  const { companies, leftOut, title } = receipt
  const records = companies.flatMap((each) => each.records)
  const earlier = companies.flatMap((each) => each.earlier)
  const rows = companies.length + rowsToPrint([...records, ...earlier]) + leftOut.length
  const refused = tooManyRowsError(rows, format, 'Save a receipt of each company in History instead.')
  if (refused !== null) return refused
  const sent = sentTimeText(receipt.sent, format)
  return ok(
    document(
      {
        companyName: companies.length === 1 ? '1 company' : `${format.count(companies.length)} companies`,
        title: `Receipt: ${title}`,
        madeAt: receipt.madeAt,
        letterhead,
        facts: [
          ['Connection', receipt.connection],
          ['Sent', sent],
          ['Sent by', [...new Set(companies.map(({ sentBy }) => sentBy))].filter(Boolean).join(', ')],
          ['Records', format.count(records.length)],
          ['Outcome', outcomes(records, format)],
          ['Left out', leftOut.length === 0 ? '' : `${format.count(leftOut.length)}, listed at the end`],
        ],
        open: records.some(isOpen) ? 'This receipt shows what was known when it was created.' : '',
        rows:
          companies
            .map(
              (company) =>
                companyRow(company, format) +
                recordRows(company.records, receipt.sent, format) +
                recordRows(company.earlier, receipt.sent, format, earlierAttempt),
            )
            .join('') + leftOutRows(leftOut, format),
        footer: sent,
      },
      format,
    ),
  )
}

/** Creates the row of a company, with the outcomes of its records. */
function companyRow(
  { companyName, applicationName, records }: MultiCompanyReceiptCompany,
  format: Format,
): string {
  return (
    `<tr class="section sent"><th colspan="4">${escapeHtml(`${companyName} (${applicationName})`)}` +
    `<p>${escapeHtml(outcomes(records, format))}</p></th></tr>`
  )
}

/** Creates the list of what was left out: each company, or each record of one, with the reason. */
function leftOutRows(leftOut: readonly LeftOut[], format: Format): string {
  if (leftOut.length === 0) return ''
  const rows = leftOut.map(
    (each) =>
      `<tr class="l1"><th>${escapeHtml(leftOutTitle(each, format))}</th><td class="text" colspan="3">${escapeHtml(each.reason)}</td></tr>`,
  )
  return `<tr class="section sent"><th colspan="4">Left out</th></tr>${rows.join('')}`
}

/** One entry with its records. */
interface PrintedEntry {
  readonly entry: HistoryEntry
  readonly records: readonly HistoryRecord[]
}

/**
 * Creates the printed history: one entry after another, each with its records as on a receipt.
 * @returns an error if there are too many rows for a PDF
 */
export function historyPrint(
  entries: readonly PrintedEntry[],
  facts: HistoryFileFacts,
  choice: FormatChoice,
  letterhead: Letterhead,
): Result<Printed> {
  const format = new Format(choice)
  const records = entries.flatMap((each) => each.records)
  const rows = entries.length + rowsToPrint(records)
  const refused = tooManyRowsError(rows, format, 'Save a workbook instead, or choose a shorter period.')
  if (refused !== null) return refused
  const { companyName, subject, madeAt, period } = facts
  return ok(
    document(
      {
        companyName,
        title: subject,
        madeAt,
        letterhead,
        facts: [
          ['Application', facts.applicationName],
          ['Connection', facts.connection],
          ['List', facts.list === '' ? 'All lists' : facts.list],
          ['Period', period],
          ['Records', format.count(records.length)],
          ['Outcome', outcomes(records, format)],
          ['Not included', historyLimits(facts, format)],
        ],
        open: records.some(isOpen) ? 'This file shows what was known when it was created.' : '',
        rows: entries
          .map(({ entry, records: sent }) => entryRow(entry, format) + recordRows(sent, entry, format))
          .join(''),
        footer: period,
      },
      format,
    ),
  )
}

/** Counts the rows that records take on paper. */
export function rowsToPrint(records: readonly HistoryRecord[]): number {
  return records.reduce((sum, { earlier, fields }) => sum + 1 + earlier.length + fields.length, 0)
}

interface Sheet {
  readonly companyName: string
  readonly title: string
  readonly madeAt: string
  readonly letterhead: Letterhead
  readonly facts: readonly (readonly [word: string, text: string])[]
  /** A remark if outcomes are still open; empty otherwise. */
  readonly open: string
  /** Markup. */
  readonly rows: string
  readonly footer: string
}

function document(sheet: Sheet, format: Format): Printed {
  const { companyName, title, facts, open } = sheet
  const known = facts.filter(([, text]) => text !== '')
  return {
    html: documentMarkup(
      `${companyName} - ${title}`,
      `<section class="receipt">${letterheadMarkup(sheet.letterhead)}<p class="client">${escapeHtml(companyName)}</p><h2>${escapeHtml(title)}</h2>` +
        `<p class="stamp">Created by Bookbridge on ${escapeHtml(format.fullMoment(sheet.madeAt))}</p>` +
        `<dl>${known.map(([word, text]) => `<dt>${word}</dt><dd>${escapeHtml(text)}</dd>`).join('')}</dl>` +
        (open === '' ? '' : `<div class="wrong"><p>Some outcomes are still open.</p><p>${open}</p></div>`) +
        '<table><thead><tr><th>Record and field</th><th class="text">Was</th><th class="text">Sent</th><th class="text">Saved as</th></tr></thead>' +
        `<tbody>${sheet.rows}</tbody></table></section>`,
    ),
    css: `${PRINT_STYLE}${RECEIPT_STYLE}`,
    pages: [{ name: 'receipt', orientation: 'portrait', header: '' }],
    logo: sheet.letterhead.logo,
    footer: [companyName, title, sheet.footer, letterheadLine(sheet.letterhead)].filter(Boolean).join(' · '),
  }
}

/** Creates the row of an entry: when, by whom, and what. For an entry about the company, everything that is known. */
function entryRow(entry: HistoryEntry, format: Format): string {
  const { sentBy, kind, says, requestIds, error, outcomes: all } = entry
  const isCall = kind !== 'records'
  const heading = [sentTimeText(entry, format), sentBy && `by ${sentBy}`, entryTitle(entry, format)]
  const facts = isCall
    ? [
        all[0] === undefined ? '' : capitalized(OUTCOME_LABELS[all[0].outcome]),
        says,
        ...requestIds.map((requestId) => `RequestId ${requestId}`),
        error?.message ?? '',
      ]
    : []
  const details = facts.filter(Boolean).join(' · ')
  return (
    `<tr class="section sent"><th colspan="4">${escapeHtml(heading.filter(Boolean).join(' · '))}` +
    `${details === '' ? '' : `<p>${escapeHtml(details)}</p>`}</th></tr>`
  )
}

/** Formats the outcomes: *198 saved, 1 not accepted*. */
function outcomes(records: readonly HistoryRecord[], format: Format): string {
  return Object.entries(OUTCOME_LABELS)
    .map(([outcome, text]) => ({
      words: text,
      count: records.filter((each) => each.outcome === outcome).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ words: text, count }) => `${format.count(count)} ${text}`)
    .join(', ')
}

/** Outcomes that can still change. */
const OPEN: ReadonlySet<HistoryOutcome> = new Set(['not-confirmed', 'decision', 'not-sent'])

function isOpen({ outcome }: HistoryRecord): boolean {
  return OPEN.has(outcome)
}

/**
 * @param of what they were sent with. If that took several days, each record has its own time, and so has one that was
 * sent more than once.
 */
function recordRows(
  records: readonly HistoryRecord[],
  of: SentTime,
  format: Format,
  outcomeText = outcomeLabel,
): string {
  const isOneDay = format.day(of.at) === format.day(of.lastAt)
  return records.map((record) => rowsOfRecord(record, isOneDay, format, outcomeText)).join('')
}

function outcomeLabel(outcome: HistoryOutcome): string {
  return capitalized(OUTCOME_LABELS[outcome])
}

function rowsOfRecord(
  record: HistoryRecord,
  isOneDay: boolean,
  format: Format,
  outcomeText: (outcome: HistoryOutcome) => string,
): string {
  const { object, kind, recordName, recordId, outcome, requestId, earlier } = record
  const note = historyNote(record, format)
  const hasTime = record.isSent && (!isOneDay || earlier.length > 0)
  const head = (sent: Pick<HistoryRecord, 'at' | 'requestId'>, text: string): string => {
    const facts = [
      hasTime ? `Sent ${format.fullMoment(sent.at)}` : '',
      kind === 'insert' ? 'New record' : '',
      recordId === '' ? '' : `ID ${recordId}`,
      sent.requestId === '' ? '' : `RequestId ${sent.requestId}`,
    ].filter(Boolean)
    return (
      `<tr class="section record"><th colspan="3">${escapeHtml(recordName || recordId)}<p>${escapeHtml(facts.join(' · '))}</p></th>` +
      `<td class="text">${escapeHtml(text)}</td></tr>`
    )
  }
  return (
    earlier.map((sending) => head(sending, earlierAttempt(sending.outcome))).join('') +
    head({ at: record.lastAt, requestId }, outcomeText(outcome)) +
    (note === '' ? '' : `<tr class="section said"><th colspan="4">${escapeHtml(note)}</th></tr>`) +
    record.fields
      .map(({ path, was, sent, is }) => {
        const cells = [was, sent, is].map((value) => fieldValueText(object, path, value, format))
        return (
          `<tr class="l1"><th>${escapeHtml(pathHeading(object, path))}</th>` +
          `${cells.map((each) => `<td class="text">${escapeHtml(each)}</td>`).join('')}</tr>`
        )
      })
      .join('')
  )
}

const RECEIPT_STYLE = `
.receipt { page: receipt; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2pt 12pt; margin: 10pt 0 0; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; }
table { table-layout: fixed; }
thead th:first-child { width: 19%; }
.l1 td { font-size: 8.5pt; }
tbody th { min-width: 0; }
.record > * { padding-top: 7pt; border-top: 0.5pt solid #bbb; }
.record td { font-weight: 600; }
.sent > th { padding: 14pt 0 2pt; font-size: 10.5pt; }
.sent p { font-size: 7.5pt; font-weight: 400; color: #555; overflow-wrap: anywhere; }
.said th { padding-top: 0; font-weight: 400; }
.record p { font-size: 7.5pt; font-weight: 400; color: #555; overflow-wrap: anywhere; }
td.text, tbody th { overflow-wrap: anywhere; }
`
