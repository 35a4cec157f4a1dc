/** Detail reports as files: the parts of an entry's name are in columns, as on screen. */
import { listsEntries } from '../../shared/reports/columns.ts'
import { EntryCollector, type EntryColumns } from '../../shared/reports/entries.ts'
import type { ReportFinding, ReportHead, ReportRow } from '../../shared/reports/reports.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { PullRows } from './csv/report-csv.ts'

type EntriesHead = Pick<ReportHead, 'nameColumn' | 'columns'>

/** The columns of a report's entries; `null` if it has none or they have another format. */
export async function entriesOf(name: string, rows: PullRows): Promise<Result<EntryColumns | null>> {
  if (!listsEntries(name)) return ok(null)
  const collector = new EntryCollector({ name })
  for await (const batch of rows()) {
    if (!batch.ok) return batch
    collector.add(batch.value)
  }
  return ok(collector.columns())
}

/** The number of columns between the entries' date, which replaces the name, and their amounts. */
function countTexts(entries: EntryColumns | null): number {
  return entries === null ? 0 : entries.columns.length - 1
}

export function headInColumns<Head extends EntriesHead>(head: Head, entries: EntryColumns | null): Head {
  if (entries === null) return head
  const [date, ...texts] = entries.columns.map(({ heading }) => heading)
  return { ...head, nameColumn: date ?? '', columns: [...texts, ...head.columns] }
}

/** Converts a row to those columns. A row that isn't an entry keeps its name, and its other text columns are empty. */
export function rowInColumns(row: ReportRow, entries: EntryColumns | null): ReportRow {
  if (entries === null) return row
  const texts = entries.textsOf(row)
  if (texts === null) {
    const isBare = row.values.length === 0
    return isBare ? row : { ...row, values: [...entries.columns.slice(1).map(() => ''), ...row.values] }
  }
  const [date = '', ...others] = texts
  return { ...row, name: date, values: [...others, ...row.values] }
}

export async function* rowsInColumns(
  rows: PullRows,
  entries: EntryColumns | null,
): AsyncGenerator<Result<readonly ReportRow[]>> {
  for await (const batch of rows())
    yield batch.ok ? ok(batch.value.map((row) => rowInColumns(row, entries))) : batch
}

export function findingsInColumns(
  findings: readonly ReportFinding[],
  entries: EntryColumns | null,
): readonly ReportFinding[] {
  const texts = countTexts(entries)
  return texts === 0 ? findings : findings.map((each) => ({ ...each, column: each.column + texts }))
}
