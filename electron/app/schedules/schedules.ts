/**
 * Schedules: runs of reports that the system's own scheduler starts with `--run`. Bookbridge itself doesn't wait, so a
 * schedule works while it is closed, and the scheduler makes up for starts that the computer slept through.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { displayName } from '../../../shared/companies/companies.ts'
import type { CheckedInput } from '../../../shared/contract/contract.ts'
import type { Schedule, ScheduleChoices } from '../../../shared/contract/schedules.ts'
import { reportTitle } from '../../../shared/reports/reports.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import type { RunPlan } from '../../files/run-file.ts'
import { type SavedSchedule, type ScheduleFiles } from '../../files/schedule-files.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import { findConnection } from '../connections/saved-connections.ts'
import type { Announcer, FolderDialog, OpenDialog, SchedulerHost, SettingsStore } from '../ports.ts'
import type { UnattendedRuns } from '../reports/unattended-runs.ts'
import { nextStart, previousStart, type SchedulerKind } from './calendar.ts'
import type { ScheduledJob } from './registration.ts'
import type { SystemScheduler } from './system-scheduler.ts'

/** Schedulers start a little late, and later still after the computer wakes up. */
const LATE_MS = 15 * 60_000

export interface SchedulesOptions {
  readonly files: ScheduleFiles
  readonly scheduler: SystemScheduler
  readonly host: Pick<SchedulerHost, 'program' | 'sessionVariables' | 'ownVariables'>
  readonly runs: Pick<UnattendedRuns, 'run' | 'check'>
  readonly settings: Pick<SettingsStore, 'connections'>
  readonly companies: Pick<Companies, 'find'>
  readonly folderDialog: FolderDialog
  readonly openDialog: Pick<OpenDialog, 'chooseRunFile'>
  readonly announcer: Pick<Announcer, 'emit'>
  readonly clock: Clock
  readonly newId: () => string
  readonly defect: (where: string, cause: unknown) => void
}

export function createSchedules(options: SchedulesOptions): HandlersOf<'schedules'> {
  const { files, scheduler, host, runs, clock } = options

  const changed = (): void => {
    options.announcer.emit('schedules.changed', {})
  }

  const jobOf = async ({ scheduleId, name, when, runFile }: SavedSchedule): Promise<ScheduledJob> => {
    const kind = await scheduler.kind()
    // Cron alone knows nothing of this session.
    const session = kind.ok && kind.value === 'cron' ? host.sessionVariables : {}
    const { command, args } = host.program
    const env = { ...session, ...host.ownVariables }
    return { scheduleId, name, when, program: { command, args: [...args, `--run=${runFile}`], env } }
  }

  const register = async (schedule: SavedSchedule): Promise<Result<Record<string, never>>> => {
    const registered = await scheduler.register(await jobOf(schedule))
    if (!registered.ok) return registered
    files.save({ ...schedule, registered: registered.value })
    changed()
    return ok({})
  }

  const shown = async (schedule: SavedSchedule, kind: SchedulerKind | null): Promise<Schedule> => {
    const { scheduleId, name, when, runFile, addedAt, timedAt = addedAt, registered } = schedule
    const text = textOf(runFile)
    const checked = text.ok
      ? await runs.check({ text: text.value, file: runFile })
      : { plan: null, problem: text.error }
    const last = files.last(scheduleId)
    const next = nextStart(when, clock.now(), kind)
    const due = previousStart(when, clock.now() - LATE_MS, kind).from
    const isMissed = due > Date.parse(timedAt) && (last === null || Date.parse(last.startedAt) < due)
    return {
      scheduleId,
      name,
      when,
      runFile,
      run: checked.plan === null ? null : formatRun(checked.plan),
      choices:
        checked.plan === null || runFile !== files.runPath(scheduleId) ? null : choicesOf(checked.plan),
      problem: checked.problem === null ? null : withAdvice(schedule, checked.problem, checked.plan !== null),
      nextAt: new Date(next.from).toISOString(),
      isNextCertain: next.until === next.from,
      last,
      missedAt: isMissed ? new Date(due).toISOString() : null,
      isRegistered: await scheduler.isRegistered(await jobOf(schedule)),
      registered,
    }
  }

  /** No one should have to look for a run file that they didn't write. */
  const withAdvice = (
    { scheduleId, runFile }: SavedSchedule,
    problem: AppError,
    isReadable: boolean,
  ): AppError => {
    if (runFile !== files.runPath(scheduleId) || problem.kind !== 'not-found') return problem
    const advice = isReadable
      ? 'Edit this schedule.'
      : 'Put it back, or remove the schedule and add it again.'
    return { ...problem, advice }
  }

  /** The paths that the user chose since the start. The window can name no others. */
  const chosen = new Set<string>()

  /** The run file's path. */
  const runFileOf = (scheduleId: string, { name, run }: CheckedInput<'schedules.add'>): Result<string> => {
    if (!chosen.has(run.from === 'file' ? run.runFile : run.folder)) return err(NOT_CHOSEN)
    return run.from === 'file' ? ok(run.runFile) : saveRun(scheduleId, name, run)
  }

  /** Writes the run file for the user's choices. */
  const saveRun = (
    scheduleId: string,
    name: string,
    run: ScheduleChoices & { readonly folder: string },
  ): Result<string> => {
    const connection = findConnection(options.settings, run.connectionId)
    if (connection === undefined) return err(appError('not-found', 'This connection no longer exists.'))
    const { connectionId } = connection
    const companies = run.endpointIds?.map((endpointId) => {
      const found = options.companies.find({ connectionId, endpointId })
      return { id: endpointId, name: found.ok ? displayName(found.value) : endpointId }
    })
    files.saveRun(scheduleId, {
      title: name,
      connection: { id: connectionId, name: connection.name },
      companies: companies ?? 'all',
      ...(run.set === '' ? {} : { set: run.set }),
      period: run.period,
      files: run.fileKinds.map((kind) => (kind === 'xlsx' ? 'workbook' : kind)),
      oneWorkbook: run.combined,
      pack: run.pack,
      review: run.review,
      folder: run.folder,
      ...(run.until === null ? {} : { until: run.until }),
    })
    return ok(files.runPath(scheduleId))
  }

  const change = async (input: CheckedInput<'schedules.change'>): Promise<Result<Record<string, never>>> => {
    const found = find(input.scheduleId)
    if (!found.ok) return found
    const before = found.value
    const { scheduleId, name, when, choices } = input
    const isTimed = !isDeepStrictEqual(when, before.when)
    const changedTo = { ...before, name, when, ...(isTimed ? { timedAt: timestamp(clock) } : {}) }
    if (choices === null) return register(changedTo)
    if (before.runFile !== files.runPath(scheduleId)) {
      return err(
        appError('invalid-input', 'This schedule has a run file of your own.', 'Change the run file.'),
      )
    }
    const text = textOf(before.runFile)
    if (!text.ok) return text
    const { plan } = await runs.check({ text: text.value, file: before.runFile })
    if (choices.folder !== plan?.folder && !chosen.has(choices.folder)) return err(NOT_CHOSEN)
    const saved = saveRun(scheduleId, name, choices)
    if (!saved.ok) return saved
    const registered = await readable(changedTo, () => register(changedTo))
    // Restores the previous file, so that file and scheduler agree.
    if (!registered.ok) writeFileSync(before.runFile, text.value)
    return registered
  }

  const add = async (input: CheckedInput<'schedules.add'>): Promise<Result<{ scheduleId: string }>> => {
    const kind = await scheduler.kind()
    if (!kind.ok) return kind
    const scheduleId = options.newId()
    const runFile = runFileOf(scheduleId, input)
    if (!runFile.ok) return runFile
    const { name, when } = input
    const schedule = {
      scheduleId,
      name,
      when,
      addedAt: timestamp(clock),
      runFile: runFile.value,
      registered: '',
    }
    const registered = await readable(schedule, () => register(schedule))
    if (registered.ok) return ok({ scheduleId })
    files.remove(scheduleId)
    return registered
  }

  /** A run file that asks for anything but reports is refused here, before it is ever run. */
  const readable = async <T>(
    { runFile }: SavedSchedule,
    then: () => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const text = textOf(runFile)
    if (!text.ok) return text
    const { plan, problem } = await runs.check({ text: text.value, file: runFile })
    return plan === null && problem !== null ? err(problem) : then()
  }

  const find = (scheduleId: string): Result<SavedSchedule> => {
    const found = files.list().find((each) => each.scheduleId === scheduleId)
    return found === undefined ? err(appError('not-found', 'This schedule no longer exists.')) : ok(found)
  }

  const startNow = ({ runFile }: SavedSchedule, text: string): void => {
    files.noteStart(runFile, timestamp(clock))
    changed()
    runs.run({ text, file: runFile, isByHand: true }).catch((cause: unknown) => {
      options.defect('schedule', cause)
    })
  }

  return {
    'schedules.list': async () => {
      const kind = await scheduler.kind()
      const known = kind.ok ? kind.value : null
      return ok({
        scheduler: known,
        unavailable: kind.ok ? null : kind.error,
        schedules: await Promise.all(files.list().map((each) => shown(each, known))),
        damaged: files.damaged(),
      })
    },
    'schedules.choose': async ({ what }) => {
      const path =
        what === 'folder' ? await options.folderDialog.choose() : await options.openDialog.chooseRunFile()
      if (path !== null) chosen.add(path)
      return ok({ path })
    },
    'schedules.add': add,
    'schedules.change': change,
    'schedules.register': async ({ scheduleId }) => {
      const found = find(scheduleId)
      return found.ok ? register(found.value) : found
    },
    'schedules.remove': async ({ scheduleId }) => {
      // Of a damaged schedule, only the ID is known.
      const found = files.damaged().includes(scheduleId) ? ok({ ...UNKNOWN, scheduleId }) : find(scheduleId)
      if (!found.ok) return found
      const removed = await scheduler.remove(await jobOf(found.value))
      if (!removed.ok) return removed
      files.remove(scheduleId)
      changed()
      return ok({})
    },
    'schedules.runNow': ({ scheduleId }) => {
      const found = find(scheduleId)
      if (!found.ok) return found
      const text = textOf(found.value.runFile)
      if (!text.ok) return text
      startNow(found.value, text.value)
      return ok({})
    },
  }
}

const NOT_CHOSEN = appError('invalid-input', 'This folder or file wasn’t chosen.', 'Choose it again.')

const UNKNOWN: Omit<SavedSchedule, 'scheduleId'> = {
  name: '',
  when: { every: 'day', time: '00:00' },
  addedAt: '',
  runFile: '',
  registered: '',
}

function formatRun(plan: RunPlan): Schedule['run'] {
  const { period } = plan
  return {
    connection: plan.connection?.name ?? '',
    companies: plan.companies?.map(({ name }) => name) ?? null,
    reports: plan.reports.map(reportTitle),
    set: plan.set,
    review: plan.review,
    period: period.choice === 'dates' ? { from: period.from, to: period.to } : period.choice,
    folder: plan.folder,
  }
}

/** What was chosen for a run file of ours; `null` if someone wrote something else into it. */
function choicesOf(plan: RunPlan): ScheduleChoices | null {
  const { connection, companies, period, set, reports, until } = plan
  const connectionId = connection?.id ?? null
  const endpointIds = companies?.map(({ id }) => id) ?? null
  if (connectionId === null || period.choice === 'dates' || reports.length > 0) return null
  if (endpointIds?.includes(null) === true) return null
  return {
    connectionId,
    endpointIds: endpointIds?.filter((id) => id !== null) ?? null,
    set,
    period: period.choice,
    fileKinds: plan.fileKinds,
    pack: plan.pack,
    combined: plan.combined,
    review: plan.review,
    until: until === null ? null : timeOfMinutes(until),
  }
}

function timeOfMinutes(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

function textOf(runFile: string): Result<string> {
  try {
    return ok(readFileSync(runFile, 'utf8'))
  } catch (cause) {
    return err(
      appError('file', 'The run file can’t be read.', 'Put it back, or remove this schedule.', {
        raw: `${runFile}\n${causeText(cause)}`,
      }) satisfies AppError,
    )
  }
}
