/** The filter of a read as a form: changed since, changed until, and record IDs. */
import type { RecordsFilter } from '../../../shared/contract/records.ts'
import { type Format, withOffset } from '../../../shared/format/format.ts'
import { isTime } from '../../ui/fields/dates.ts'
import { NOT_A_DAY } from './column-filters.svelte.ts'

export interface FilterForm {
  /** `yyyy-mm-dd`, or what was typed if it is no date; empty for no limit. */
  readonly since: string
  /** `hh:mm`, or what was typed if it isn't a time; empty for the start of the day. */
  readonly sinceTime: string
  /** The last day, inclusive. */
  readonly until: string
  /** The last minute; empty for the end of the day. */
  readonly untilTime: string
  /** Separated by commas, semicolons, or whitespace. IDs that contain these are in quotation marks. */
  readonly ids: string
}

export const NO_FILTER: RecordsFilter = { modifiedFrom: null, modifiedTo: null, ids: [] }

/** Converts a filter to the form's fields. */
export function toFilterForm({ modifiedFrom, modifiedTo, ids }: RecordsFilter): FilterForm {
  // The timestamp contains date and time as entered, in the time zone of its offset.
  return {
    since: modifiedFrom?.slice(0, 10) ?? '',
    sinceTime: modifiedFrom === null || isDayLong(modifiedFrom, 'start') ? '' : modifiedFrom.slice(11, 16),
    until: modifiedTo?.slice(0, 10) ?? '',
    untilTime: modifiedTo === null || isDayLong(modifiedTo, 'end') ? '' : modifiedTo.slice(11, 16),
    ids: ids.map((id) => (/[\s,;"]/.test(id) ? `"${id.replaceAll('"', '""')}"` : id)).join('\n'),
  }
}

type Part = 'start' | 'end'

/** Whether a timestamp is the start or the end of its day. */
function isDayLong(moment: string, part: Part): boolean {
  return moment.slice(11, 19) === (part === 'start' ? '00:00:00' : '23:59:59')
}

/**
 * Returns the start or end of a day or minute in this computer's time zone, with its offset (decisions.md,
 * "Time zones").
 */
function moment(date: string, time: string, part: Part): string | null {
  const [, year = 0, month = 0, day = 0] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date)?.map(Number) ?? []
  if (day === 0) return null
  const clock = /^(\d{2}):(\d{2})/.exec(time)?.map(Number)
  const [, hours, minutes] = clock ?? (part === 'start' ? [0, 0, 0] : [0, 23, 59])
  const at = new Date(year, month - 1, day, hours, minutes, part === 'start' ? 0 : 59)
  if (Number.isNaN(at.getTime()) || at.getDate() !== day) return null
  return withOffset(at)
}

/** Parses IDs, without duplicates; `null` if a quotation mark isn't closed. */
function idsIn(text: string): string[] | null {
  const found = [...text.matchAll(/"((?:[^"]|"")*)"(?=[\s,;]|$)|[^\s,;]+/g)]
  if (found.some(([whole, quoted]) => quoted === undefined && whole.startsWith('"'))) return null
  const ids = found.map(([whole, quoted]) => quoted?.replaceAll('""', '"') ?? whole)
  return [...new Set(ids)].filter((id) => id.trim() !== '')
}

export type ParsedFilter =
  | { readonly ok: true; readonly filter: RecordsFilter }
  | { readonly ok: false; readonly in: 'since' | 'until' | 'time' | 'ids'; readonly reason: string }

/** Parses the form. */
export function parseFilterForm(form: FilterForm): ParsedFilter {
  if ((form.since === '' && form.sinceTime !== '') || (form.until === '' && form.untilTime !== '')) {
    return { ok: false, in: 'time', reason: 'Enter a date, too.' }
  }
  if ([form.sinceTime, form.untilTime].some((time) => time !== '' && !isTime(time))) {
    return { ok: false, in: 'time', reason: 'Enter a time, such as 6:00 AM.' }
  }
  const modifiedFrom = moment(form.since, form.sinceTime, 'start')
  const modifiedTo = moment(form.until, form.untilTime, 'end')
  if (form.since !== '' && modifiedFrom === null) return { ok: false, in: 'since', reason: NOT_A_DAY }
  if (form.until !== '' && modifiedTo === null) return { ok: false, in: 'until', reason: NOT_A_DAY }
  if (
    modifiedFrom !== null &&
    modifiedTo !== null &&
    new Date(modifiedFrom).getTime() > new Date(modifiedTo).getTime()
  ) {
    return { ok: false, in: 'time', reason: 'The start is after the end.' }
  }
  const ids = idsIn(form.ids)
  if (ids === null) return { ok: false, in: 'ids', reason: 'A quotation mark is missing in the IDs.' }
  if (ids.length > 10_000) return { ok: false, in: 'ids', reason: 'No more than 10,000 IDs at a time.' }
  return { ok: true, filter: { modifiedFrom, modifiedTo, ids } }
}

/** Whether the filter selects the whole list. */
export function isUnfiltered(filter: RecordsFilter): boolean {
  return filter.modifiedFrom === null && filter.modifiedTo === null && filter.ids.length === 0
}

/** Formats a filter: *changed since Jan 1, 2026*; empty for the whole list. */
export function formatFilter(filter: RecordsFilter, format: Format): string {
  const parts: string[] = []
  const { modifiedFrom: from, modifiedTo: to } = filter
  const say = (moment: string, part: Part): string =>
    isDayLong(moment, part) ? format.date(moment) : format.moment(moment)
  if (from !== null && to !== null) {
    const isOfDays = isDayLong(from, 'start') && isDayLong(to, 'end')
    parts.push(
      `changed ${isOfDays ? format.period(from, to) : `${format.moment(from)} – ${format.moment(to)}`}`,
    )
  } else if (from !== null) parts.push(`changed since ${say(from, 'start')}`)
  else if (to !== null) parts.push(`changed until ${say(to, 'end')}`)
  if (filter.ids.length === 1) parts.push(`ID ${filter.ids[0] ?? ''}`)
  else if (filter.ids.length > 1) parts.push(`${format.count(filter.ids.length)} IDs`)
  return parts.join(', ')
}
