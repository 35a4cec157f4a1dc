/** What a read asks for, as the person fills it in: changed since, until, and ids. */
import type { RecordsFilter } from '../../shared/contract/records.ts'
import type { Format } from '../ui/format.ts'

export interface FilterForm {
  /** `yyyy-mm-dd`, as a date field gives it; empty for none. */
  readonly since: string
  /** The last day, whole. */
  readonly until: string
  /** Ids, parted by commas, blanks or lines. */
  readonly ids: string
}

export const NO_FILTER: RecordsFilter = { modifiedFrom: null, modifiedTo: null, ids: [] }

/** A filter as the person would fill it in. */
export function formOf({ modifiedFrom, modifiedTo, ids }: RecordsFilter): FilterForm {
  // The day stands in its moment as it was written, in the zone of its offset.
  return {
    since: modifiedFrom?.slice(0, 10) ?? '',
    until: modifiedTo?.slice(0, 10) ?? '',
    ids: ids.join('\n'),
  }
}

/** A day's first or last moment in the machine's zone, with its offset (decisions.md, "time zones"). */
function moment(date: string, part: 'start' | 'end'): string | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date)
  if (!match) return null
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const at = part === 'start' ? new Date(year, month - 1, day) : new Date(year, month - 1, day, 23, 59, 59)
  if (Number.isNaN(at.getTime()) || at.getDate() !== day) return null
  return withOffset(at)
}

/** ISO 8601 with the machine's offset: `2026-01-01T00:00:00+01:00`. */
export function withOffset(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const minutes = -at.getTimezoneOffset()
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`
  const date = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}${offset}`
}

/** The filter that a form means, or why it means none. */
export function readForm(
  form: FilterForm,
): { readonly ok: true; readonly filter: RecordsFilter } | { readonly ok: false; readonly because: string } {
  const modifiedFrom = moment(form.since, 'start')
  const modifiedTo = moment(form.until, 'end')
  if (modifiedFrom !== null && modifiedTo !== null && form.since > form.until) {
    return { ok: false, because: 'The first day is after the last.' }
  }
  const ids = [...new Set(form.ids.split(/[\s,;]+/).filter(Boolean))]
  if (ids.length > 10_000) return { ok: false, because: 'No more than 10,000 IDs at a time.' }
  return { ok: true, filter: { modifiedFrom, modifiedTo, ids } }
}

/** Whether everything is asked for. */
export function asksForAll(filter: RecordsFilter): boolean {
  return filter.modifiedFrom === null && filter.modifiedTo === null && filter.ids.length === 0
}

/** The filter in words, small: `changed since 1 Jan 2026`; empty when everything is asked for. */
export function filterWords(filter: RecordsFilter, format: Format): string {
  const parts: string[] = []
  if (filter.modifiedFrom !== null && filter.modifiedTo !== null) {
    parts.push(`changed ${format.period(filter.modifiedFrom, filter.modifiedTo)}`)
  } else if (filter.modifiedFrom !== null) {
    parts.push(`changed since ${format.date(filter.modifiedFrom)}`)
  } else if (filter.modifiedTo !== null) {
    parts.push(`changed until ${format.date(filter.modifiedTo)}`)
  }
  if (filter.ids.length === 1) parts.push(`ID ${filter.ids[0] ?? ''}`)
  else if (filter.ids.length > 1) parts.push(`${format.count(filter.ids.length)} IDs`)
  return parts.join(', ')
}
