/** Describes schedules, and holds the form of a new one. */
import type { CallInput } from '../../../shared/contract/contract.ts'
import type { Schedule, ScheduleChoices, ScheduleTime } from '../../../shared/contract/schedules.ts'
import { capitalized, type Format } from '../../../shared/format/format.ts'
import { joinNames } from '../../../shared/format/text.ts'
import { type PeriodChoice, periodLabel } from '../../../shared/reports/periods.ts'
import { OutputChoice } from '../../reports/runs/output.svelte.ts'
import { isTime } from '../../ui/fields/dates.ts'
import type { Outcome } from '../../ui/notices/outcomes.ts'

export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const

/** *Every Monday at 6:00 AM*, *Monthly on the 5th at 6:00 AM*. */
export function formatScheduleTime(when: ScheduleTime, format: Format): string {
  const [hour, minute] = when.time.split(':').map(Number)
  const at = format.time(new Date(2000, 0, 3, hour, minute).toISOString())
  switch (when.every) {
    case 'day':
      return `Every day at ${at}`
    case 'weekday':
      return `Monday to Friday at ${at}`
    case 'week':
      return `Every ${WEEKDAYS[when.weekday] ?? ''} at ${at}`
    case 'month':
      return `Monthly on the ${ordinal(when.day)} at ${at}`
  }
}

const ORDINALS = new Intl.PluralRules('en-US', { type: 'ordinal' })
const SUFFIXES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }

/** *1st*, *12th*, *22nd*. */
function ordinal(day: number): string {
  return `${String(day)}${SUFFIXES[ORDINALS.select(day)] ?? 'th'}`
}

/** What happens to a schedule while the computer is off or asleep. */
export const ASLEEP = {
  'task-scheduler': 'If the computer is off or asleep at that time, the run starts when it’s back.',
  launchd:
    'If the Mac is asleep at that time, the run starts when it wakes up. If it’s off, that run is skipped.',
  systemd: 'If the computer is off or asleep at that time, the run starts when it’s back.',
  cron: 'If the computer is off or asleep at that time, that run is skipped.',
} as const

/** *Month end with a review, last month*. */
export function formatScheduledRun(
  { set, reports, review, period }: NonNullable<Schedule['run']>,
  format: Format,
): string {
  const made = set === '' ? reports.join(', ') : set
  const what = review ? (made === '' ? 'Review of the month' : `${made} with a review`) : made
  const days =
    typeof period === 'string' ? periodLabel(period).toLowerCase() : format.period(period.from, period.to)
  return `${what}, ${days}`
}

/** How many names a card shows. */
const NAMES_SHOWN = 3

export function formatCompanies(names: readonly string[] | null): string {
  if (names === null) return 'All active companies'
  return joinNames(names, names.length === NAMES_SHOWN + 1 ? names.length : NAMES_SHOWN)
}

/** When it starts next, as far as its scheduler says. */
export function formatNextStart(
  { nextAt, isNextCertain }: Pick<Schedule, 'nextAt' | 'isNextCertain'>,
  format: Format,
): string {
  const next = format.moment(nextAt)
  if (isNextCertain) return next
  return `${next} or up to an hour later (the clocks change then, so it may also be skipped or start twice)`
}

/** The last start with its sign. */
export function formatLastRun(
  last: Schedule['last'],
  format: Format,
): { sign: Outcome | null; text: string } {
  if (last === null) return { sign: null, text: 'Not run yet' }
  const started = format.moment(last.startedAt)
  if (last.ended === null) return { sign: 'sending', text: `Started ${started}, still running` }
  const signs = { made: 'saved', 'partly-made': 'caution', 'not-started': 'not-accepted' } as const
  const sign = last.ended.hasFindings ? 'caution' : signs[last.ended.outcome]
  return { sign, text: `${capitalized(started)}: ${last.ended.message}` }
}

export const FREQUENCIES = [
  { value: 'day', label: 'Day' },
  { value: 'weekday', label: 'Monday to Friday' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
] as const satisfies readonly { value: ScheduleTime['every']; label: string }[]

/** The choice of no reports, for only a review. */
export const NO_REPORTS = { value: '', label: 'None, only the review' } as const

/** The form of a schedule. */
export class ScheduleForm {
  name = $state('Month end')
  from = $state<'choices' | 'file'>('choices')
  set = $state('Month end')
  period = $state<Exclude<PeriodChoice, 'dates'>>('last-month')
  companies = $state<'all' | 'some'>('all')
  checked = $state.raw<ReadonlySet<string>>(new Set())
  readonly output = new OutputChoice()
  review = $state(false)
  /** The folder of the files; empty until the user chooses one. */
  folder = $state('')
  runFile = $state('')
  every = $state<ScheduleTime['every']>('month')
  weekday = $state('1')
  day = $state('5')
  time = $state('06:00')
  /** Whether companies that don't respond are retried, until `until`. */
  isRetrying = $state(false)
  until = $state('09:00')

  /** @param schedule the schedule to edit; `null` for a new one */
  constructor(schedule: Schedule | null) {
    if (schedule === null) return
    const { name, when, choices, run, runFile } = schedule
    Object.assign(this, { name, every: when.every, time: when.time })
    if (when.every === 'week') this.weekday = String(when.weekday)
    if (when.every === 'month') this.day = String(when.day)
    if (choices === null) {
      Object.assign(this, { from: 'file', runFile })
      return
    }
    const { set, period, endpointIds, fileKinds, pack, combined, review, until } = choices
    Object.assign(this, { set, period, review, folder: run?.folder ?? '' })
    if (until !== null) Object.assign(this, { isRetrying: true, until })
    Object.assign(this.output, { fileKinds: new Set(fileKinds), pack, combined })
    this.companies = endpointIds === null ? 'all' : 'some'
    this.checked = new Set(endpointIds)
  }

  /** Why it can't be added yet; `null` if it can. */
  get problem(): string | null {
    if (this.name.trim() === '') return 'Enter a name.'
    if (!isTime(this.time)) return 'Enter the time, such as 6:00 AM.'
    if (this.from === 'file') return this.runFile === '' ? 'Choose a run file.' : null
    if (this.isRetrying && !isTime(this.until)) return 'Enter the time to stop retrying.'
    if (this.companies === 'some' && this.checked.size === 0) return 'Select at least one company.'
    if (this.review && this.period !== 'last-month' && this.period !== 'this-month') {
      return 'A review is of one month. Choose another period.'
    }
    if (this.set === '' && !this.review) return 'Choose a set of reports, or a review.'
    if (this.folder === '') return 'Choose where to save the files.'
    return this.set === '' ? null : this.output.problem
  }

  get when(): ScheduleTime {
    const { every, time } = this
    if (every === 'week') return { every, weekday: Number(this.weekday), time }
    if (every === 'month') return { every, day: Number(this.day), time }
    return { every, time }
  }

  choices(connectionId: string): ScheduleChoices & { readonly folder: string } {
    const { set, period, review, folder } = this
    return {
      connectionId,
      endpointIds: this.companies === 'all' ? null : [...this.checked],
      set,
      period,
      ...this.output.input(),
      review,
      until: this.isRetrying ? this.until : null,
      folder,
    }
  }

  added(connectionId: string): CallInput<'schedules.add'> {
    const { from, runFile } = this
    const run = from === 'file' ? { from, runFile } : { from, ...this.choices(connectionId) }
    return { name: this.name.trim(), when: this.when, run }
  }

  changed({ scheduleId, choices }: Schedule): CallInput<'schedules.change'> {
    return {
      scheduleId,
      name: this.name.trim(),
      when: this.when,
      choices: choices === null ? null : this.choices(choices.connectionId),
    }
  }

  setChecked(endpointId: string, on: boolean): void {
    const next = new Set(this.checked)
    if (on) next.add(endpointId)
    else next.delete(endpointId)
    this.checked = next
  }
}
