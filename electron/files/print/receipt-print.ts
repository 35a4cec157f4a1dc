/** The receipt of a send as a document for paper: what was sent to one list, and what became of it. */
import type { HistoryOutcome, HistoryRecord } from '../../../shared/contract/history.ts'
import { Format, type FormatChoice, capitalised } from '../../../shared/format/format.ts'
import { escaped } from '../../../shared/format/text.ts'
import { listName } from '../../../shared/records/definition.ts'
import { fieldWords } from '../../../shared/records/fields.ts'
import { OUTCOME_WORDS } from '../../../shared/records/outcome.ts'
import { fieldValueText } from '../../../shared/records/value-text.ts'
import { type Result, ok } from '../../../shared/result.ts'
import { type Letterhead, letterheadLine, letterheadMarkup } from './letterhead.ts'
import { PRINT_STYLE, type Printed, documentMarkup, refusedIfTooLong } from './report-print.ts'

export interface Receipt {
  readonly companyName: string
  readonly applicationName: string
  /** The connection's name with its address. */
  readonly connection: string
  readonly object: string
  /** When the person sent it, and when this receipt was made: ISO times. */
  readonly sentAt: string
  readonly madeAt: string
  /** In the order in which they were sent. */
  readonly records: readonly HistoryRecord[]
}

/**
 * A receipt with a row for each field of each record. Amounts and dates are written as in the window.
 * @returns an error if there are too many rows for a PDF
 */
export function receiptPrint(
  receipt: Receipt,
  choice: FormatChoice,
  letterhead: Letterhead,
): Result<Printed> {
  const format = new Format(choice)
  const { companyName, object, records } = receipt
  const rows = records.reduce((sum, { fields }) => sum + 1 + fields.length, 0)
  const refused = refusedIfTooLong(rows, format, 'Look at this send in History instead.')
  if (refused !== null) return refused
  const title = `Receipt: ${listName(object)}`
  const sent = format.fullMoment(receipt.sentAt)
  const facts: readonly (readonly [string, string])[] = [
    ['Application', receipt.applicationName],
    ['Connection', receipt.connection],
    ['Sent', sent],
    ['Records', format.count(records.length)],
    ['Outcome', outcomes(records, format)],
  ]
  const open = records.some(({ outcome }) => OPEN.has(outcome))
  return ok({
    html: documentMarkup(
      `${companyName} - ${title}`,
      `<section class="receipt">${letterheadMarkup(letterhead)}<p class="client">${escaped(companyName)}</p><h2>${escaped(title)}</h2>` +
        `<p class="stamp">Created by Bookbridge on ${escaped(format.fullMoment(receipt.madeAt))}</p>` +
        `<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>` +
        (open
          ? '<div class="wrong"><p>Some outcomes are still open.</p><p>This receipt shows what was known when it was created.</p></div>'
          : '') +
        '<table><thead><tr><th>Record and field</th><th class="text">Was</th><th class="text">Sent</th><th class="text">Saved as</th></tr></thead>' +
        `<tbody>${records.map((record) => recordRows(record, format)).join('')}</tbody></table></section>`,
    ),
    css: `${PRINT_STYLE}${RECEIPT_STYLE}`,
    pages: [{ name: 'receipt', orientation: 'portrait', header: '' }],
    logo: letterhead.logo,
    footer: [companyName, title, sent, letterheadLine(letterhead)].filter(Boolean).join(' · '),
  })
}

/** *198 saved, 1 not accepted*. */
function outcomes(records: readonly HistoryRecord[], format: Format): string {
  return Object.entries(OUTCOME_WORDS)
    .map(([outcome, words]) => ({ words, count: records.filter((each) => each.outcome === outcome).length }))
    .filter(({ count }) => count > 0)
    .map(({ words, count }) => `${format.count(count)} ${words}`)
    .join(', ')
}

/** Outcomes that can still change. */
const OPEN: ReadonlySet<HistoryOutcome> = new Set(['not-confirmed', 'decision', 'not-sent'])

function recordRows(record: HistoryRecord, format: Format): string {
  const { object, kind, recordName, recordId, outcome, requestId, error, confirmedByReading } = record
  const facts = [
    kind === 'insert' ? 'New record' : '',
    recordId === '' ? '' : `ID ${recordId}`,
    requestId === '' ? '' : `RequestId ${requestId}`,
    confirmedByReading ? 'Confirmed by reading it back' : '',
  ].filter(Boolean)
  const words = capitalised(OUTCOME_WORDS[outcome])
  return (
    `<tr class="section record"><th colspan="3">${escaped(recordName || recordId)}<p>${escaped(facts.join(' · '))}</p></th>` +
    `<td class="text">${escaped(words)}</td></tr>` +
    (error === null ? '' : `<tr class="section said"><th colspan="4">${escaped(error.message)}</th></tr>`) +
    record.fields
      .map(({ path, was, sent, is }) => {
        const cells = [was, sent, is].map((value) => fieldValueText(object, path, value, format))
        return (
          `<tr class="l1"><th>${escaped(fieldWords(object, path))}</th>` +
          `${cells.map((each) => `<td class="text">${escaped(each)}</td>`).join('')}</tr>`
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
.said th { padding-top: 0; font-weight: 400; }
.record p { font-size: 7.5pt; font-weight: 400; color: #555; overflow-wrap: anywhere; }
td.text, tbody th { overflow-wrap: anywhere; }
`
