/**
 * The scheduler of this computer's system: Task Scheduler, launchd, systemd for one user, or cron. It gets the files
 * and commands that `registration.ts` makes.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { localDay } from '../../../shared/format/format.ts'
import { appError, causeText, err, ok, type Result } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { CommandOutcome, SchedulerHost, SystemCommand } from '../ports.ts'
import type { SchedulerKind } from './calendar.ts'
import {
  commandText,
  cronLines,
  hasCronJob,
  launchAgent,
  type Registration,
  type ScheduledJob,
  systemdTimer,
  windowsTask,
  withCronJob,
  withoutCronJob,
} from './registration.ts'

/** What Linux lacks, for those who look after it. */
const NO_SCHEDULER = 'Neither systemd for this user nor cron is available.'

const RUNNING = appError(
  'invalid-input',
  'A run of this schedule is in progress.',
  'Wait until it’s done. If you opened Bookbridge during the run, quit and restart Bookbridge first.',
)

/** A scheduler may still be removing a schedule when its command has ended. */
const MAX_QUERIES = 50
const BETWEEN_QUERIES = 100
const BETWEEN_TRIES = 1_000

export interface SystemScheduler {
  /** An error if this computer has none that can be used. */
  kind(): Promise<Result<SchedulerKind>>
  /** Registers a schedule, or replaces it. Returns what the scheduler was given, word for word. */
  register(job: ScheduledJob): Promise<Result<string>>
  isRegistered(job: ScheduledJob): Promise<boolean>
  /** Removes a schedule. It is no error if the scheduler doesn't have it. */
  remove(job: ScheduledJob): Promise<Result<void>>
}

/** @param folder for files that the scheduler reads only once */
export function createSystemScheduler(
  host: SchedulerHost,
  folder: string,
  clock: Pick<Clock, 'now' | 'after'>,
): SystemScheduler {
  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => void clock.after(milliseconds, resolve))

  const kind = async (): Promise<Result<SchedulerKind>> => {
    switch (host.platform) {
      case 'win32':
        return ok('task-scheduler')
      case 'darwin':
        return ok('launchd')
      default: {
        const systemd = await host.run({ command: 'systemctl', args: ['--user', 'show-environment'] })
        if (systemd.exitCode === 0) return ok('systemd')
        const crontab = await readCrontab()
        return crontab.ok ? ok('cron') : crontab
      }
    }
  }

  const readCrontab = async (): Promise<Result<string>> => {
    const listed = await host.run({ command: 'crontab', args: ['-l'] })
    if (listed.exitCode === 0) return ok(listed.stdout)
    if (listed.exitCode !== null && /no crontab/i.test(listed.stderr)) return ok('')
    return err(
      appError(
        'not-found',
        'This computer can’t start schedules.',
        'Schedules need systemd or cron, which didn’t respond. Your administrator can set that up. Until then, run your reports yourself.',
        { raw: listed.stderr === '' ? NO_SCHEDULER : `${NO_SCHEDULER} ${listed.stderr}` },
      ),
    )
  }

  const writeCrontab = async (text: string): Promise<Result<void>> =>
    outcome(await host.run({ command: 'crontab', args: ['-'], input: text }), 'crontab -')

  /** Cron keeps one file for everything and is registered by editing it. */
  const registrationOf = (job: ScheduledJob, scheduler: Exclude<SchedulerKind, 'cron'>): Registration => {
    switch (scheduler) {
      case 'task-scheduler':
        return windowsTask(job, folder, host.user, localDay(new Date(clock.now())))
      case 'launchd':
        return launchAgent(job, host.home, host.userId)
      case 'systemd':
        return systemdTimer(job, join(host.configFolder, 'systemd', 'user'))
    }
  }

  const runAll = async (commands: readonly SystemCommand[]): Promise<Result<void>> => {
    for (const command of commands) {
      const done = outcome(await host.run(command), commandText(command))
      if (!done.ok) return done
    }
    return ok(undefined)
  }

  const removeRegistered = async (registration: Registration): Promise<Result<void>> => {
    const { exitCode, stdout } = await host.run(registration.query)
    if (registration.running?.test(stdout) === true) return err(RUNNING)
    if (exitCode === 0) {
      const removed = await runAll(registration.remove)
      if (!removed.ok) return removed
      for (let tries = 0; tries < MAX_QUERIES; tries += 1) {
        if ((await host.run(registration.query)).exitCode !== 0) break
        await pause(BETWEEN_QUERIES)
      }
    }
    for (const { path } of registration.files) rmSync(path, { force: true })
    return runAll(registration.afterRemoval)
  }

  const registerFiles = async (registration: Registration): Promise<Result<string>> => {
    const removed = await removeRegistered(registration)
    if (!removed.ok) return removed
    try {
      for (const { path, text, encoding } of registration.files) {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, encoding === 'utf8' ? text : Buffer.from(`\u{feff}${text}`, 'utf16le'))
      }
    } catch (cause) {
      return err(
        appError('file', 'The schedule’s file can’t be written.', 'Check the folder’s permissions.', {
          raw: causeText(cause),
        }),
      )
    }
    let registered = await runAll(registration.register)
    for (let tries = 1; !registered.ok && tries < (registration.tries ?? 1); tries += 1) {
      await pause(BETWEEN_TRIES)
      registered = await runAll(registration.register)
    }
    if (registered.ok) return ok(shownRegistration(registration))
    await removeRegistered(registration)
    return registered
  }

  const removeFromCron = async (crontab: string, { scheduleId }: ScheduledJob): Promise<Result<void>> =>
    hasCronJob(crontab, scheduleId) ? writeCrontab(withoutCronJob(crontab, scheduleId)) : ok(undefined)

  /** On Linux, a schedule may still be registered with the other scheduler, from when this one couldn’t be reached. */
  const removeFromOther = async (job: ScheduledJob, now: SchedulerKind): Promise<Result<void>> => {
    if (now === 'systemd') {
      const crontab = await readCrontab()
      // Without cron, nothing is left there.
      return crontab.ok ? removeFromCron(crontab.value, job) : ok(undefined)
    }
    if (now === 'cron') {
      for (const { path } of registrationOf(job, 'systemd').files) {
        rmSync(path, { force: true })
        rmSync(join(dirname(path), 'timers.target.wants', basename(path)), { force: true })
      }
    }
    return ok(undefined)
  }

  return {
    kind,
    async register(job) {
      const scheduler = await kind()
      if (!scheduler.ok) return scheduler
      const removed = await removeFromOther(job, scheduler.value)
      if (!removed.ok) return removed
      if (scheduler.value !== 'cron') return registerFiles(registrationOf(job, scheduler.value))
      const crontab = await readCrontab()
      if (!crontab.ok) return crontab
      const written = await writeCrontab(withCronJob(crontab.value, job))
      return written.ok ? ok(cronLines(job).join('\n')) : written
    },
    async isRegistered(job) {
      const scheduler = await kind()
      if (!scheduler.ok) return false
      if (scheduler.value !== 'cron') {
        return (await host.run(registrationOf(job, scheduler.value).query)).exitCode === 0
      }
      const crontab = await readCrontab()
      return crontab.ok && hasCronJob(crontab.value, job.scheduleId)
    },
    async remove(job) {
      const scheduler = await kind()
      // Without a scheduler, nothing starts it.
      if (!scheduler.ok) return ok(undefined)
      const removed = await removeFromOther(job, scheduler.value)
      if (!removed.ok) return removed
      if (scheduler.value !== 'cron') return removeRegistered(registrationOf(job, scheduler.value))
      const crontab = await readCrontab()
      return crontab.ok ? removeFromCron(crontab.value, job) : crontab
    },
  }
}

function shownRegistration({ files, register }: Registration): string {
  const shown = files.map(({ path, text }) => `${path}\n\n${text.replaceAll('\r\n', '\n').trimEnd()}`)
  return [...shown, register.map(commandText).join('\n')].join('\n\n')
}

function outcome({ exitCode, stderr, stdout }: CommandOutcome, command: string): Result<void> {
  if (exitCode === 0) return ok(undefined)
  return err(
    appError(
      'internal',
      'This computer’s scheduler refused.',
      'See Details, or start runs yourself with --run.',
      { code: command, raw: stderr.trim() || stdout.trim() || `exit code ${String(exitCode)}` },
    ),
  )
}
