/** Creates a workbook from the history: one row per sent field, oldest first, and its origin. */
import type { HistoryEntry, HistoryOutcome, HistoryRecord } from '../../../shared/contract/history.ts'
import { capitalized, Format, type FormatChoice } from '../../../shared/format/format.ts'
import { listName } from '../../../shared/records/definition.ts'
import { pathHeading } from '../../../shared/records/fields.ts'
import { entryTitle, OUTCOME_LABELS, sentTimeText } from '../../../shared/records/outcome.ts'
import { fieldValueText } from '../../../shared/records/value-text.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { PLAIN } from './cells.ts'
import type { SheetColumn, SheetRow } from './sheet.ts'
import { workbookPieces } from './workbook.ts'

/** One entry of the history, with its records by page. */
export interface HistoryPart {
  readonly entry: HistoryEntry
  readonly pages: () => Iterable<readonly HistoryRecord[]>
}

/** What the exported history covers. */
export interface HistoryFileFacts {
  readonly companyName: string
  readonly applicationName: string
  /** The connection's name and address. */
  readonly connection: string
  /** *History*, *History, Customers*, or a record's name. */
  readonly subject: string
  /** Empty for all lists. */
  readonly list: string
  /** The formatted period. */
  readonly period: string
  /** In ISO 8601. */
  readonly madeAt: string
  /** Days for which this computer keeps its history. */
  readonly historyDays: number
}

/** Explains what the history is not, to prevent misunderstandings. */
export function historyLimits({ historyDays }: HistoryFileFacts, format: Format): string {
  return `Changes made in the accounting application or on other computers, and changes sent more than ${format.count(historyDays)} days ago.`
}

const COLUMNS: readonly SheetColumn[] = [
  { heading: 'When', kind: 'moment', width: 18 },
  { heading: 'Sent by', kind: 'text', width: 14 },
  { heading: 'List', kind: 'text', width: 16 },
  { heading: 'Record', kind: 'text', width: 28 },
  { heading: 'Record ID', kind: 'text', width: 18 },
  { heading: 'What', kind: 'text', width: 14 },
  { heading: 'Field', kind: 'text', width: 20 },
  { heading: 'Was', kind: 'text', width: 26 },
  { heading: 'Sent', kind: 'text', width: 26 },
  { heading: 'Is', kind: 'text', width: 26 },
  { heading: 'Outcome', kind: 'text', width: 16 },
  { heading: 'Known since', kind: 'moment', width: 18 },
  { heading: 'RequestId', kind: 'text', width: 38 },
  { heading: 'Note', kind: 'text', width: 40 },
]

/** For `writeFileAtomically`. */
export function historyWorkbook(
  parts: readonly HistoryPart[],
  facts: HistoryFileFacts,
  choice: FormatChoice,
): AsyncGenerator<Result<Uint8Array>, void, undefined> {
  const format = new Format(choice)
  const { companyName, subject, madeAt } = facts
  const rows = async function* (): AsyncGenerator<Result<readonly SheetRow[]>> {
    for (const { entry, pages } of parts) {
      if (entry.kind !== 'records') yield await Promise.resolve(ok([rowOfCall(entry, format)]))
      for (const page of pages()) yield ok(page.flatMap((record) => rowsOfRecord(record, entry, format)))
    }
  }
  const sheet = {
    name: 'History',
    above: [],
    columns: COLUMNS,
    rows,
    frozenColumns: 1,
    hasFilter: true,
    print: { orientation: 'landscape', header: `${companyName} - ${subject}`, footer: facts.period },
  } as const
  return workbookPieces([sheet], {
    properties: { title: subject, company: companyName, madeAt },
    negatives: choice.negatives,
    about: [
      ['Company', companyName],
      ['Application', facts.applicationName],
      ['Connection', facts.connection],
      ['History of', subject],
      ['List', facts.list === '' ? 'All lists' : facts.list],
      ['Period', facts.period],
      ['Created', format.fullMoment(madeAt)],
      ['Not included', historyLimits(facts, format)],
    ],
  })
}

function rowsOfRecord(record: HistoryRecord, entry: HistoryEntry, format: Format): readonly SheetRow[] {
  const { object, recordName, recordId, kind, outcome, settledAt, requestId, fields } = record
  const head = [
    entry.sentBy,
    listName(object),
    recordName,
    recordId,
    kind === 'insert' ? 'New record' : 'Change',
  ]
  const end = [capitalized(OUTCOME_LABELS[outcome]), settledAt ?? '', requestId, historyNote(record, format)]
  const cells =
    fields.length === 0
      ? [['', '', '', '']]
      : fields.map(({ path, was, sent, is }) => [
          pathHeading(object, path),
          ...[was, sent, is].map((value) => fieldValueText(object, path, value, format)),
        ])
  const earlier = record.earlier.flatMap(({ at, ...sending }) =>
    cells.map((middle) => {
      const outcome = [earlierAttempt(sending.outcome), '', sending.requestId, '']
      return { cells: [at, ...head, ...middle.with(3, ''), ...outcome], look: PLAIN }
    }),
  )
  return [
    ...earlier,
    ...cells.map((middle) => ({ cells: [record.lastAt, ...head, ...middle, ...end], look: PLAIN })),
  ]
}

/** *Earlier attempt: not confirmed*. */
export function earlierAttempt(outcome: HistoryOutcome): string {
  return `Earlier attempt: ${OUTCOME_LABELS[outcome]}`
}

/** Returns remarks about a record's outcome. */
export function historyNote(record: HistoryRecord, format: Format): string {
  const { undoes, undoneBy, confirmedByReading, error } = record
  return [
    record.isSent ? '' : `${sentTimeText(record, format)}.`,
    undoes === null ? '' : `Undoes a change of ${format.fullMoment(undoes.at)}.`,
    undoneBy === null ? '' : `Undone ${format.fullMoment(undoneBy.at)}.`,
    confirmedByReading ? 'Confirmed by reading it back.' : '',
    error?.message ?? '',
  ]
    .filter(Boolean)
    .join(' ')
}

/** Creates the row of an entry about the company itself. */
function rowOfCall(entry: HistoryEntry, format: Format): SheetRow {
  const { at, sentBy, outcomes, requestIds, says, error } = entry
  const outcome = outcomes[0] === undefined ? '' : capitalized(OUTCOME_LABELS[outcomes[0].outcome])
  const note = [says, error?.message ?? ''].filter(Boolean).join('. ')
  const head = [at, sentBy, '', '', '', entryTitle(entry, format)]
  return { cells: [...head, '', '', '', '', outcome, '', requestIds.join(', '), note], look: PLAIN }
}
