/** Formats changes in several companies, and what was compared for them. */
import type { RecordCriteria, ShownChange, ShownRecord } from '../../../shared/contract/all-companies.ts'
import type { Format } from '../../../shared/format/format.ts'
import { isEmpty } from '../../../shared/records/changes.ts'
import { listName } from '../../../shared/records/definition.ts'
import { pathHeading } from '../../../shared/records/fields.ts'
import { OUTCOME_LABELS } from '../../../shared/records/outcome.ts'
import { fieldValueText, plainValue } from '../../../shared/records/value-text.ts'

/** Formats what was compared, such as *Customers matching “har”*. */
export function formatComparison(object: string, criteria: RecordCriteria, format: Format): string {
  const list = listName(object)
  switch (criteria.by) {
    case 'name':
      return `${list} named “${criteria.text}”`
    case 'text':
      return `${list} matching “${criteria.text}”`
    case 'value':
      return `${list} with ${pathHeading(object, criteria.path)} ${fieldValueText(object, criteria.path, criteria.value, format)}`
  }
}

/** Formats the new value: *Net 30*. */
export function formatNewValue({ now }: Pick<ShownChange, 'now'>): string {
  return isEmpty(now) ? '(empty)' : plainValue(now)
}

/**
 * Warns about a name that no kept list has.
 * @param names the names in the kept lists; empty if there is no such list
 */
export function formatUnknownName(list: string, name: string, names: readonly string[] | null): string {
  const reason =
    names?.length === 0
      ? `No ${list} list is on this computer, so Bookbridge can’t check “${name}”.`
      : `“${name}” isn’t in any ${list} list on this computer.`
  return `${reason} The change may be refused.`
}

function formatChangeState(state: Exclude<ShownChange['state'], 'finished'>): string {
  switch (state) {
    case 'draft':
      return 'Not sent yet'
    case 'running':
      return 'Sending'
    case 'needs-you':
      return 'Waiting for you'
    case 'stopped':
      return 'Stopped'
  }
}

const STATE_LABELS: Readonly<Record<ShownRecord['state'], string>> = {
  ...OUTCOME_LABELS,
  decision: 'for your decision',
  draft: 'not sent',
  gone: 'discarded',
  trimmed: 'no longer in the history',
}

/** Summarizes a change: *Sending: 3 of 34 saved, 31 not sent*; once it is finished, only its result. */
export function formatChange(change: Pick<ShownChange, 'state' | 'items'>): string {
  const summary = changeSummary(change)
  return change.state === 'finished' ? summary : `${formatChangeState(change.state)}: ${summary}`
}

/** Formats the progress: *31 of 34 saved, 1 not accepted, 2 not sent*. */
function changeSummary({ items }: Pick<ShownChange, 'items'>): string {
  const records = items.flatMap((item) => item.records)
  const counts = new Map<string, number>()
  for (const { state } of records) {
    const label = STATE_LABELS[state]
    counts.set(label, (counts.get(label) ?? 0) + 1)
  }
  const saved = counts.get(STATE_LABELS.saved) ?? 0
  counts.delete(STATE_LABELS.saved)
  return [
    `${saved} of ${records.length} saved`,
    ...[...counts].map(([label, count]) => `${count} ${label}`),
  ].join(', ')
}

/** Counts the records that are neither waiting nor sent without a clear answer. */
export function countAnswered({ items }: Pick<ShownChange, 'items'>): number {
  return items
    .flatMap((item) => item.records)
    .filter(({ state }) => !['draft', 'not-sent', 'not-confirmed'].includes(state)).length
}

/** Says how many records of a company aren't confirmed yet; empty if there are none. */
export function unconfirmedNote(
  { items }: Pick<ShownChange, 'items'>,
  endpointId: string,
  format: Format,
): string {
  const records = items.filter((item) => item.endpointId === endpointId).flatMap((item) => item.records)
  const { length } = records.filter(({ state }) => state === 'not-confirmed')
  if (length === 0) return ''
  return `${format.count(length)} ${length === 1 ? 'record there isn’t' : 'records there aren’t'} confirmed yet. Bookbridge keeps checking.`
}
