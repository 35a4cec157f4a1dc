/** The program itself: facts about it, the guide, files shown in their folder, and how its last run ended. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { UnfinishedItem } from '../../../shared/contract/activity.ts'
import type { License } from '../../../shared/contract/app.ts'
import { capitalized } from '../../../shared/format/format.ts'
import type { ReportRun } from '../../../shared/reports/runs.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import type { UnfinishedStore } from '../../store/activity.ts'
import { resultOf } from '../../store/database.ts'
import type { HandlersOf } from '../calls.ts'
import type { ProgramFacts, SaveDialog, SettingsStore, SystemOpener } from '../ports.ts'

export function createProgram(options: {
  readonly facts: ProgramFacts
  readonly accountName: string
  /** The folder of everything this program saves. */
  readonly userData: string
  /** Notices of this start, shown until they are dismissed. */
  readonly notices: readonly AppError[]
  readonly damagedFiles: () => readonly string[]
  readonly outside: SystemOpener
  /** Whether the window may show this file in its folder. */
  readonly isShowable: (path: string) => boolean
  /** Files that the build wrote: the licenses of everything that ships. */
  readonly licenseFiles: readonly URL[]
  readonly defect: (where: string, cause: unknown) => void
  readonly reopen: () => void
}): HandlersOf<'app'> {
  const { facts, accountName, userData, outside } = options
  let { notices } = options
  return {
    'app.about': () => ok({ ...facts, accountName, userData, notices, damagedFiles: options.damagedFiles() }),
    'app.dismissNotice': ({ message }) => {
      notices = notices.filter((notice) => notice.message !== message)
      return ok({})
    },
    'app.openGuide': async ({ page }) => {
      const raw = await outside.openGuide(page)
      if (raw === '') return ok({})
      const advice = 'Choose a default browser for .html files, then try again.'
      return err(appError('file', 'The guide can’t be opened.', advice, { raw }))
    },
    'app.licenses': () => readLicenses(options.licenseFiles),
    'app.reportDefect': ({ name, message, stack }) => {
      options.defect('window', Object.assign(new Error(message), { name, stack }))
      return ok({})
    },
    'app.restart': () => {
      options.reopen()
      return ok({})
    },
    'app.showFile': ({ path }) => {
      if (!options.isShowable(path)) {
        const advice = 'Only files saved since Bookbridge started can be shown from here.'
        return err(appError('invalid-input', 'There is no file to show.', advice))
      }
      outside.showFile(path)
      return ok({})
    },
    'app.openFile': async ({ path }) => {
      if (!options.isShowable(path) || !OPENABLE.test(path)) {
        const advice = 'Only reports and lists saved since Bookbridge started can be opened from here.'
        return err(appError('invalid-input', 'There is no file to open.', advice))
      }
      const raw = await outside.openFile(path)
      if (raw === '') return ok({})
      const advice = 'Press Show in folder, and open it from there.'
      return err(appError('file', 'This file can’t be opened.', advice, { raw }))
    },
  }
}

/** Only documents: opening a program’s file would start it. */
const OPENABLE = /\.(?:xlsx|pdf|csv)$/i

/** One list, sorted by name. A package in two bundles is listed once. */
async function readLicenses(files: readonly URL[]): Promise<Result<readonly License[]>> {
  try {
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    const all = texts.flatMap((text) => JSON.parse(text) as readonly License[])
    const once = new Map(all.map((each) => [`${each.name} ${each.version}`, each]))
    return ok([...once.values()].toSorted((left, right) => left.name.localeCompare(right.name)))
  } catch (cause) {
    const raw = cause instanceof Error ? cause.message : String(cause)
    return err(appError('file', 'The licenses can’t be read.', 'Reinstall Bookbridge.', { raw }))
  }
}

/*
 * How the last run ended. A file exists while the program runs. If it is there at the start, the last run was cut off,
 * and the user is told what was finished and what was not.
 */

export interface LastRun {
  /** What to tell the user; `null` if the last run ended normally. */
  readonly notice: AppError | null
  /** Marks this run as ended normally. */
  end(): void
}

export function createLastRun(options: {
  /** The file's path. */
  readonly path: string
  readonly unfinished: UnfinishedStore
  readonly settings: Pick<SettingsStore, 'connections'>
  readonly clock: Pick<Clock, 'now'>
}): LastRun {
  const { path, unfinished, settings } = options
  const startedAt = beganAt(path)
  try {
    writeFileSync(path, JSON.stringify({ startedAt: timestamp(options.clock) }), {
      mode: 0o600,
    })
  } catch {
    // The store reports a folder that can't be written to.
  }
  const ended = (): void => {
    rmSync(path, { force: true })
  }
  if (startedAt === null) return { notice: null, end: ended }
  const items = settings.connections().flatMap(({ connectionId }) => {
    const listed = resultOf(() => unfinished.list(connectionId))
    return listed.ok ? listed.value : []
  })
  const since = startedAt
  const saved = resultOf(() => unfinished.savedSince(since))
  return { notice: lastRunNotice(saved.ok ? saved.value : 0, items), end: ended }
}

/** When the run that left the file began. `null` if there is no file. */
function beganAt(path: string): string | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return null
  }
  try {
    const { startedAt } = JSON.parse(text) as { readonly startedAt?: unknown }
    return typeof startedAt === 'string' ? startedAt : ''
  } catch {
    // The file was cut off, too.
    return ''
  }
}

/**
 * @param saved records saved in that run
 */
function lastRunNotice(saved: number, items: readonly UnfinishedItem[]): AppError {
  const of = (...kinds: readonly UnfinishedItem['kind'][]): number =>
    items.reduce((sum, { kind, count }) => sum + (kinds.includes(kind) ? count : 0), 0)
  const figures = [
    ['saved earlier', saved],
    ['sent but not confirmed (being checked now)', of('not-confirmed', 'deprovisioning')],
    ['not sent yet', of('queued', 'sending')],
    ['not accepted', of('not-accepted')],
    ['for your decision', of('decision', 'changed-meanwhile')],
    ['companies being set up', of('provisioning')],
    ['drafts kept', of('draft')],
  ] as const
  const lines = figures.flatMap(([label, count]) => (count === 0 ? [] : [`${label}: ${String(count)}`]))
  return appError(
    'stopped',
    'Bookbridge didn’t close normally last time.',
    lines.length === 0
      ? 'Nothing was being sent, and nothing was lost.'
      : `Nothing is sent automatically. ${capitalized(lines.join('; '))}. See Activity, Unfinished.`,
  )
}

// The files that the window may show in their folder: this program's own, and those chosen in a dialog.

export interface ShowableFiles {
  /** A save dialog that remembers the chosen paths while the program runs. */
  readonly dialog: SaveDialog
  has(path: string): boolean
}

/** Without this check, a compromised page could open any folder, including a foreign network share. */
export function createShowableFiles(options: {
  readonly dialog: SaveDialog
  readonly userData: string
  readonly damagedFiles: () => readonly string[]
  /** Runs of reports, whose folders were chosen in a dialog. */
  readonly runs: () => readonly ReportRun[]
}): ShowableFiles {
  const chosen = new Set<string>()
  return {
    dialog: {
      async choose(proposedName, kind) {
        const path = await options.dialog.choose(proposedName, kind)
        if (path !== null) chosen.add(path)
        return path
      },
    },
    has: (path) =>
      chosen.has(path) ||
      path === options.userData ||
      options.damagedFiles().includes(path) ||
      options.runs().some((run) => namesOf(run).some((name) => join(run.folder, name) === resolve(path))),
  }
}

/** The files that a run writes, and the folder itself, which is shown before there are any. */
function namesOf({ files, items }: ReportRun): readonly string[] {
  return ['.', ...files.map(({ name }) => name), ...items.flatMap((item) => item.files)]
}

/** Account names that come with a computer, or that several people share. */
const ACCOUNTS = new Set([
  'admin',
  'administrator',
  'guest',
  'localadmin',
  'owner',
  'root',
  'system',
  'ubuntu',
  'user',
])

/**
 * Returns the name that stands beside decisions and closed months: the one given as **Prepared by** in Settings, or the
 * name of the computer's account. Empty if that names an account and no person, such as *root*.
 */
export function signature(preparer: string, accountName: string): string {
  const given = preparer.trim()
  if (given !== '') return given
  const account = accountName.trim()
  return ACCOUNTS.has(account.toLowerCase()) ? '' : account
}
