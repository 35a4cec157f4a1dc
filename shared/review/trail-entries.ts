/** The entries of an audit trail that were added or removed since a month was closed. Pure. */
import { EntryCollector, type EntryPart } from '../reports/entries.ts'
import type { Finding } from './review.ts'

/** A row of the trail, split into its parts. */
export interface TrailRow {
  readonly finding: Finding
  readonly date: string
  readonly type: string
  readonly number: string
  /** `null` if the row couldn’t be split. */
  readonly name: string | null
  readonly memo: string
  readonly entered: string
  readonly isGone: boolean
}

/** Groups the findings of *Entries changed after the month was closed* by entry. An entry has a row for each of its accounts. */
export function trailEntries(findings: readonly Finding[]): ReadonlyMap<string, readonly TrailRow[]> {
  const collector = new EntryCollector({ name: 'AuditTrail' })
  const rowOf = ({ subject, key }: Finding) => ({ kind: 'data', name: subject, id: key }) as const
  collector.add(findings.map(rowOf))
  const columns = collector.columns()
  const rows = findings.map((finding): TrailRow => {
    const texts = columns?.textsOf(rowOf(finding)) ?? null
    const part = (wanted: EntryPart): string =>
      texts?.[columns?.columns.findIndex((each) => each.part === wanted) ?? -1] ?? ''
    return {
      finding,
      date: part('date'),
      type: part('type'),
      number: part('number'),
      name: texts === null ? null : part('name'),
      memo: part('memo'),
      entered: part('entered'),
      isGone: finding.key.includes('|gone|'),
    }
  })
  // Without a number or a moment, two rows that read the same may be two entries.
  return Map.groupBy(rows, ({ finding, date, type, number, name, entered, isGone }) =>
    JSON.stringify([
      ...[date, type, number, name ?? finding.subject, entered, isGone],
      number === '' && entered === '' ? finding.key : '',
    ]),
  )
}
